//===- statistics.h - what ran, counted --------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace tenon {

/// Counters of this thread since it started. Tests and curious users take the
/// difference of two readings.
struct Statistics {
  /// Eager kernels launched by ops that ran one by one.
  uint64_t eagerKernels = 0;
  /// Compiled programs run; generated kernels and library steps they launched.
  uint64_t programs = 0, generatedKernels = 0, librarySteps = 0;
  /// Traces run op by op because no compiled program was at hand.
  uint64_t interpretedPrograms = 0;
  /// Functions traced, programs compiled, inputs that were not dense (a plan of
  /// their own), rvalues that could not be donated.
  uint64_t traces = 0, compilations = 0, stridedInputs = 0, refusedDonations = 0;
  /// Traces whose program the process had already.
  uint64_t programHits = 0;
};

/// The counters of this thread, as they are now.
Statistics statistics();

} // namespace tenon
