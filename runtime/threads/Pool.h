//===- Pool.h - the process's one thread pool -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range is cut into chunks by its length and grain alone, so that no result
// can depend on the number of threads. Threads are made at the first call that
// wants them, never joined, and made anew in a forked child.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <type_traits>

namespace tenon::rt {

/// Runs body(context, lo, hi) for every chunk [i * grain, min(n, (i + 1) *
/// grain)) of [0, n); returns when all have run. A grain below 1 counts as 1.
///
/// The chunks run in order on the caller's thread alone when there is only one,
/// when the pool has one thread, when the call is made inside a chunk of
/// another, or while a second thread of the user's has the pool.
/// If chunks throw, all others still run; then the exception of the first of
/// them, by position, is rethrown. If `cancel` is given and becomes non-zero,
/// chunks not yet begun are left out and the result is false.
bool parallelFor(int64_t n, int64_t grain, void (*body)(void *context, int64_t lo, int64_t hi), void *context,
                 const uint32_t *cancel = nullptr);

/// The same for a callable of (int64_t lo, int64_t hi).
template <typename Body>
  requires std::is_invocable_v<Body &, int64_t, int64_t>
bool parallelFor(int64_t n, int64_t grain, Body &&body, const uint32_t *cancel = nullptr) {
  using Callable = std::remove_reference_t<Body>;
  auto call = [](void *context, int64_t lo, int64_t hi) { (*static_cast<Callable *>(context))(lo, hi); };
  return parallelFor(n, grain, +call, const_cast<void *>(static_cast<const volatile void *>(&body)), cancel);
}

/// Threads that take part in a call, the caller included: TENON_NUM_THREADS, or
/// the CPUs that affinity and control groups leave to this process. One line on
/// standard error says if TENON_NUM_THREADS is not a number from 1 to 1024.
int threadCount();

/// Says that line now, not when the first work is shared: a program of small
/// arrays shares none.
void warnOfWrongThreadCount();

/// Sets that number in place of TENON_NUM_THREADS; 0 goes back to the default.
/// Calls now running keep the number they began with.
void setThreadCount(int count);

namespace detail {
inline constexpr int kMaxThreads = 1024;
/// The number that the text of TENON_NUM_THREADS means, or 0 if it is none.
int parseThreadCount(const char *text);
} // namespace detail

} // namespace tenon::rt
