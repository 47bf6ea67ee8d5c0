//===- ShapeContraction.cpp - the shape rule of matmul ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

namespace tenon {

std::string inferMatmul(const ShapeCall &call, std::vector<Type> &results) {
  const Type &a = call.operands[0], &b = call.operands[1];
  int rank = a.shape.rank();
  if (a.dtype != b.dtype)
    return "expected operands of one dtype, got " + std::string(short_name(a.dtype)) + " and " +
           std::string(short_name(b.dtype));
  if (rank < 2 || b.shape.rank() != rank)
    return "expected operands of one rank >= 2, got ranks " + std::to_string(rank) + " and " +
           std::to_string(b.shape.rank());
  if (provably_equal(a.shape[-1], b.shape[-2]) != Always::yes)
    return "inner dimensions must match, got " + a.shape[-1].str() + " and " + b.shape[-2].str();
  Shape shape;
  for (int i = 0; i < rank - 2; ++i) {
    if (provably_equal(a.shape[i], b.shape[i]) != Always::yes)
      return "batch dimensions must match, got " + a.shape[i].str() + " and " + b.shape[i].str();
    shape.push_back(a.shape[i].is_unknown() ? b.shape[i] : a.shape[i]);
  }
  shape.push_back(a.shape[-2]);
  shape.push_back(b.shape[-1]);
  results.push_back({a.dtype, a.device, shape});
  return "";
}

} // namespace tenon
