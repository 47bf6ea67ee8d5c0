//===- Log.cpp - lines about tracing and compiling ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Log.h"

#include "lib/base/PerThread.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

using namespace tenon;
using namespace tenon::detail;

static LogSink target = nullptr;

LogSink tenon::set_log(LogSink sink) { return __atomic_exchange_n(&target, sink, __ATOMIC_ACQ_REL); }

static uint32_t bitOf(LogTopic topic) { return 1u << static_cast<unsigned>(topic); }

static uint32_t readTopics() {
  constexpr std::array<std::pair<std::string_view, LogTopic>, 5> names = {{{"warning", LogTopic::warning},
                                                                           {"retrace", LogTopic::retrace},
                                                                           {"compile", LogTopic::compile},
                                                                           {"cache", LogTopic::cache},
                                                                           {"guard", LogTopic::guard}}};
  const char *const given = std::getenv("TENON_LOG");
  uint32_t bits = bitOf(LogTopic::warning);
  for (std::string_view rest = given ? given : ""; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    uint32_t found = word == "all" ? ~0u : 0;
    for (const auto &[name, topic] : names)
      if (word == name)
        found = bitOf(topic);
    if (!found && !word.empty())
      fprintf(stderr, "tenon: TENON_LOG: expected retrace, compile, cache, guard or all, with commas, got \"%.*s\"\n",
              static_cast<int>(word.size()), word.data());
    bits |= found;
  }
  return bits;
}

/// The topics in TENON_LOG, asked once.
static uint32_t topics() {
  static constinit std::atomic<uint32_t> known = 0;
  uint32_t bits = known.load(std::memory_order_relaxed);
  if (!bits) // there are warnings at least
    known.store(bits = readTopics(), std::memory_order_relaxed);
  return bits;
}

bool detail::logs(LogTopic topic) { return __atomic_load_n(&target, __ATOMIC_ACQUIRE) || (topics() & bitOf(topic)); }

/// The innermost one that stands.
TENON_PER_THREAD rt::PerThread<HeldLog *> held;

HeldLog::HeldLog() : outer_(std::exchange(*held, this)) {}
HeldLog::~HeldLog() {
  *held = outer_;
  for (const auto &[topic, line] : lines_)
    logLine(topic, line);
}

void detail::logLine(LogTopic topic, const std::string &line) {
  if (HeldLog *log = *held) {
    log->lines_.emplace_back(topic, line);
    return;
  }
  if (LogSink sink = __atomic_load_n(&target, __ATOMIC_ACQUIRE))
    sink(topic, line);
  else if (topics() & bitOf(topic))
    fprintf(stderr, "tenon: %s\n", line.c_str());
}
