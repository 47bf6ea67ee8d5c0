//===- EagerRegions.h - region ops on buffers ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon::detail {

/// call, cond, scan, while_loop on buffers: as a compiled program, or, inside
/// the interpreter of tier 2, body by body.
void runRegionOp(const Bind &bind, std::span<Array> results);

/// Runs region ops body by body while it lives (the interpreter of tier 2).
class InterpretRegions {
public:
  InterpretRegions();
  ~InterpretRegions();
  InterpretRegions(const InterpretRegions &) = delete;

private:
  bool before_;
};

} // namespace tenon::detail
