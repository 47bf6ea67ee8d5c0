//===- Background.h - programs that are compiled while others run -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/program/Programs.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace tenon {

/// A program that a thread of the process compiles: one after another, in the order in which they were asked for.
class PendingProgram {
public:
  /// Whether it is there. Asked again and again, in a forked child as well, which goes on with what its parent began.
  bool isReady() const;
  /// Until it is there.
  void wait() const;
  /// Of one that is there: compiled or, where that failed, interpreted.
  const ProgramRef &program() const { return program_; }
  uint64_t nanoseconds() const { return nanoseconds_; }
  /// How many were compiled for it: none if the process had it.
  uint64_t compilations() const { return compilations_; }

private:
  friend struct BackgroundQueue;
  ProgramRef program_;
  uint64_t nanoseconds_ = 0, compilations_ = 0;
  std::atomic<bool> isReady_ = false;
};

std::shared_ptr<const PendingProgram> compileInBackground(const TraceRef &trace);

} // namespace tenon
