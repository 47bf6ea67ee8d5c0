//===- Context.h - what recording reads besides its arguments --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/PrintPrecision.h"

#include <atomic>
#include <cstdint>

namespace tenon::detail {

/// Everything thread-local that recording may read; part of every key under which
/// a trace is kept.
struct Context {
  int precision = 8; // of printed numbers, which a recorded print would show
  bool isTraining = false;
  uint32_t trainableChanges = 0;
  friend bool operator==(const Context &, const Context &) = default;
  static Context current();
  uint64_t hash() const {
    return uint64_t(static_cast<uint32_t>(precision)) << 33 | uint64_t(trainableChanges) << 1 | uint64_t(isTraining);
  }
};

/// Whether layers train or infer on this thread: nn::TrainingScope.
extern thread_local constinit bool isTraining;
/// How often a Variable has become trainable, or has stopped being it: a derivative that is recorded depends on it.
extern std::atomic<uint32_t> trainableChanges;

inline Context Context::current() {
  return {printPrecision.load(std::memory_order_relaxed), detail::isTraining,
          detail::trainableChanges.load(std::memory_order_relaxed)};
}

/// Set by EagerScope: the user's C++ runs at every call on this thread, bodies of loops included.
extern thread_local constinit bool isEagerScope;
/// The same on all threads.
extern std::atomic<bool> isEagerProcess;
inline bool runsEagerly() { return isEagerScope || isEagerProcess.load(std::memory_order_relaxed); }

} // namespace tenon::detail
