//===- Arithmetic.cpp - arithmetic, logic and what is made of them --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/math/Remainder.h"

#include "Loops.h"

namespace tenon::rt::TENON_ISA {

ElementwiseKernel arithmeticLoop(OpCode op, Dtype dtype) {
  switch (op) {
#define TENON_ARITHMETIC(op, Op, OfBool, ...)                                                                          \
  case OpCode::op:                                                                                                     \
    return loopOf<expressions::Op, expressions::OfBool, __VA_ARGS__>(dtype);
#include "runtime/math/Elementwise.gen.inc"
  default:
    return nullptr;
  }
}

} // namespace tenon::rt::TENON_ISA
