//===- Program.h - one compiled, or interpreted, program -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/jit/Programs.h"

#include <cstddef>
#include <memory>

namespace tenon {

namespace rt {
class Executable;
}

class Program {
public:
  /// Null, and the reason in `error`, if the blob is not one or cannot run here.
  static ProgramRef fromBlob(std::span<const std::byte> blob, std::string &error);
  static ProgramRef interpreted(TraceRef trace);

  void retain() { __atomic_fetch_add(&references_, 1, __ATOMIC_RELAXED); }
  void release() {
    if (__atomic_fetch_sub(&references_, 1, __ATOMIC_ACQ_REL) == 1)
      delete this;
  }
  ~Program();

  /// Runs it on buffers.
  detail::InlineVector<Array, 4> run(std::span<const Array> inputs, std::span<const bool> donated, Location at);
  /// What the cache counts.
  size_t bytes() const { return bytes_; }

private:
  Program() = default;
  uint32_t references_ = 1;
  size_t bytes_ = 0;
  TraceRef trace_;
};

} // namespace tenon
