//===- EagerRegions.h - region ops on buffers ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon {

/// A region op on buffers, trace by trace: `interpret<Stem>` in lib/control.
using Interpret = void (*)(const Bind &bind, std::span<Array> results);

// What interpreters share.
std::vector<Array> shared(std::span<detail::Value *const> values);
/// Runs a region that returns the op's results on the operands that it takes.
void evaluateRegion(const Bind &bind, size_t region, std::span<Array> results);

namespace detail {

/// A region op on buffers: as a compiled program, or, inside the interpreter of
/// tier 2, trace by trace.
void runRegionOp(const Bind &bind, std::span<Array> results);

/// Runs region ops trace by trace while it lives (the interpreter of tier 2).
class InterpretRegions {
public:
  InterpretRegions();
  ~InterpretRegions();
  InterpretRegions(const InterpretRegions &) = delete;

private:
  bool before_;
};

/// The other way.
class CompileRegions {
public:
  CompileRegions();
  ~CompileRegions();
  CompileRegions(const CompileRegions &) = delete;

private:
  bool before_;
};

} // namespace detail
} // namespace tenon
