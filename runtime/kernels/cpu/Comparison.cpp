//===- Comparison.cpp - comparisons ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Loops.h"

namespace tenon::rt::TENON_ISA {

ElementwiseKernel comparisonLoop(OpCode op, Dtype dtype) {
  switch (op) {
#define TENON_COMPARISON(op, Op, OfBool, ...)                                                                          \
  case OpCode::op:                                                                                                     \
    return loopOf<expressions::Op, expressions::OfBool, __VA_ARGS__>(dtype);
#include "runtime/math/Elementwise.gen.inc"
  default:
    return nullptr;
  }
}

} // namespace tenon::rt::TENON_ISA
