//===- statistics.h - counters of kernels, programs and traces ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace tenon {

/// Counters of this thread since it started; subtract two readings to measure an interval.
struct Statistics {
  /// Kernels launched by ops in eager mode.
  uint64_t eager_kernels = 0;
  /// Compiled programs run, and the generated kernels and library steps they launched.
  uint64_t programs = 0, generated_kernels = 0, library_steps = 0;
  /// Traces interpreted op by op because no compiled program was available.
  uint64_t interpreted_programs = 0;
  /// Functions traced; programs compiled; non-dense inputs (which need a plan of their own); rvalue arguments, updated
  /// arguments and Variables whose buffer a result did not reuse because something else held it.
  uint64_t traces = 0, compilations = 0, strided_inputs = 0, refused_donations = 0;
  /// Traces whose program was already in the process's cache.
  uint64_t program_hits = 0;
};

/// Returns the current counters of this thread.
Statistics statistics();

} // namespace tenon
