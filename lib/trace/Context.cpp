//===- Context.cpp - what recording reads besides its arguments ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Context.h"

#include <cstdlib>

using namespace tenon;
using namespace tenon::detail;

thread_local constinit bool detail::isEagerScope = false;
thread_local constinit bool detail::isTraining = false;
std::atomic<uint32_t> detail::trainableChanges = 0;
/// Before main, so that a call has one thing less to ask.
std::atomic<bool> detail::isEagerProcess = [] {
  const char *const text = std::getenv("TENON_EAGER");
  return text && *text && *text != '0';
}();
