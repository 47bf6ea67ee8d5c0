//===- Log.cpp - lines about tracing and compiling ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Log.h"
#include "lib/base/Lasting.h"

#include <tenon/program.h>

#include <cstdio>
#include <cstdlib>

using namespace tenon;

static JitLog target = nullptr;

JitLog tenon::set_jit_log(JitLog log) { return __atomic_exchange_n(&target, log, __ATOMIC_ACQ_REL); }

bool detail::jitLogEnabled() {
  static constinit rt::Asked asked;
  auto ask = [] {
    const char *text = std::getenv("TENON_JIT_LOG");
    return text && *text && *text != '0';
  };
  return asked.get(ask) || __atomic_load_n(&target, __ATOMIC_ACQUIRE);
}

void detail::jitLog(const std::string &line) {
  if (JitLog log = __atomic_load_n(&target, __ATOMIC_ACQUIRE))
    log(line);
  else
    fprintf(stderr, "tenon: %s\n", line.c_str());
}
