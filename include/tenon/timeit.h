//===- timeit.h - how long a function takes ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tenon {
namespace detail {
/// Seconds of a clock that never goes back.
double clock_seconds();
} // namespace detail

/// Returns the seconds that n calls of `function` take together, as Python's timeit.
template <class F>
double timeit(F &&function, int n = 1) {
  const double start = detail::clock_seconds();
  for (int i = 0; i < n; ++i)
    static_cast<void>(function());
  return detail::clock_seconds() - start;
}

} // namespace tenon
