//===- ThreadScratch.h - memory that a thread keeps from op to op -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Trace.h"

namespace tenon {

/// A thread's own. Not a thread_local with a destructor: glibc ends the process
/// that has no memory to note one.
struct ThreadScratch {
  /// For a shape rule. Rules never bind, so they are not in use twice.
  std::vector<Type> operandTypes, results;
  std::vector<RegionType> regionTypes;
  /// Empty, with the memory of a trace, for the next one: pages that the kernel gives
  /// anew cost as much as all else of recording.
  TraceBody body;

  static ThreadScratch &ofThread() {
    if (!mine) [[unlikely]]
      mine = make();
    return *mine;
  }

private:
  static ThreadScratch *make();
  static void destroy(void *scratch);
  [[gnu::tls_model("initial-exec")]] static constinit thread_local ThreadScratch *mine;
  static const bool hasKey; // from the library's loading on
};

} // namespace tenon
