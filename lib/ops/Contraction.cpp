//===- Contraction.cpp - the door of matmul --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"
#include "lib/ops/composites/Shaping.h"

using namespace tenon;
using namespace tenon::detail;

Array tenon::matmul(const Operand &x1, const Operand &x2) {
  Location at = x1.location();
  DoorScope scope("", "matmul", {}, {{"x1", x1}, {"x2", x2}});
  Array a = toArray(x1, OpCode::matmul), b = toArray(x2, OpCode::matmul);
  const OpInfo &info = opInfo(OpCode::matmul);
  if (a.ndim() == 0 || b.ndim() == 0)
    throwOpError(info, {}, "matmul: expected operands of rank >= 1, got rank 0; use multiply", at);
  const Dtype dtype = promote(a.dtype(), b.dtype());
  const Dtype computed = kind(dtype) == Kind::integer ? productDtype(dtype) : dtype;
  a = convert(a, computed, at);
  b = convert(b, computed, at);
  bool row = a.ndim() == 1, column = b.ndim() == 1;
  // The ops beside the product itself are recorded as parts of matmul.
  std::optional<DoorScope> frame;
  if (row || column || computed != dtype)
    frame.emplace("matmul", "matmul", at, std::initializer_list<DoorArgument>{{"x1", x1}, {"x2", x2}});
  if (row)
    a = reshape(a, {1, a.shape()[0]});
  if (column)
    b = reshape(b, {b.shape()[0], 1});
  // Sizes are compared before the leading axes broadcast, so that the error
  // shows what the user gave.
  if (provably_equal(a.shape()[-1], b.shape()[-2]) != Always::yes)
    throwOpError(info, {},
                 "matmul: inner dimensions must match, got " + a.shape()[-1].str() + " and " + b.shape()[-2].str(), at);
  if (a.ndim() != b.ndim() || a.ndim() > 2) {
    Shape left, right, batch;
    for (int i = 0; i < a.ndim() - 2; ++i)
      left.push_back(a.shape()[i]);
    for (int i = 0; i < b.ndim() - 2; ++i)
      right.push_back(b.shape()[i]);
    if (std::string error = broadcastShapes(left, right, batch); !error.empty())
      throwOpError(info, {}, "matmul: batch " + error, at);
    auto expand = [&](const Array &x) {
      Shape shape = batch;
      shape.push_back(x.shape()[-2]);
      shape.push_back(x.shape()[-1]);
      return broadcast(x, shape, at);
    };
    a = expand(a);
    b = expand(b);
  }
  const Array result = convert(apply(OpCode::matmul, {a.value(), b.value()}, {}, at), dtype, at);
  if (!row && !column)
    return result;
  Shape shape = result.shape();
  if (column)
    shape.erase(shape.rank() - 1);
  if (row)
    shape.erase(shape.rank() - (column ? 1 : 2));
  return reshape(result, shape);
}
