//===- ShapeCumulative.cpp - the shape rule of running sums and their kin -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

namespace tenon {

std::string inferCumulative(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  const int64_t axis = CumulativeSumAttrs::read(call.attributes).axis; // all have the same attributes
  if (axis < 0 || axis >= x.shape.rank())
    return "axis " + std::to_string(axis) + " is out of range for an array of rank " + std::to_string(x.shape.rank());
  const OpCode op{call.info.code};
  const bool isWide = op == OpCode::cumulative_sum || op == OpCode::cumulative_prod;
  results.push_back({isWide ? sumDtype(x.dtype) : x.dtype, x.device, x.shape});
  return "";
}

std::string inferLinearRecurrence(const ShapeCall &call, std::vector<Type> &results) {
  const Type &factors = call.operands[0], &x = call.operands[1];
  const int64_t axis = LinearRecurrenceAttrs::read(call.attributes).axis;
  if (axis < 0 || axis >= x.shape.rank())
    return "axis " + std::to_string(axis) + " is out of range for an array of rank " + std::to_string(x.shape.rank());
  if (factors.dtype != x.dtype || provably_equal(factors.shape, x.shape) != Always::yes)
    return "expected factors and elements of one type, got " + factors.str() + " and " + x.str();
  results.push_back(x);
  return "";
}

} // namespace tenon
