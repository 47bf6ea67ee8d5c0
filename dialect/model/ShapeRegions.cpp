//===- ShapeRegions.cpp - shape rules of ops that hold traces ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/RegionLayout.h"

using namespace tenon;

static bool same(const Type &a, const Type &b) {
  return a.dtype == b.dtype && a.device == b.device && provably_equal(a.shape, b.shape) == Always::yes;
}

namespace tenon {

std::string inferCond(const ShapeCall &call, std::vector<Type> &results) {
  if (const Type &predicate = call.operands[0]; predicate.dtype != Dtype::bool_ || predicate.shape.rank() != 0)
    return "expected a rank-0 bool as predicate, got " + predicate.str();
  return inferRegions(call, results);
}

std::string inferSwitchCase(const ShapeCall &call, std::vector<Type> &results) {
  if (const Type &index = call.operands[0]; index.dtype != Dtype::i64 || index.shape.rank() != 0)
    return "expected a rank-0 i64 as index, got " + index.str();
  return inferRegions(call, results);
}

std::string inferSoftmax(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  int64_t axis = SoftmaxAttrs::read(call.attributes).axis;
  if (axis < 0 || axis >= x.shape.rank())
    return "axis " + std::to_string(axis) + " is out of range for an array of rank " + std::to_string(x.shape.rank());
  const RegionType &body = call.regions[0];
  if (body.inputs.size() != 1 || body.outputs.size() != 1 || !same(body.inputs[0], x) || !same(body.outputs[0], x))
    return "expected a decomposition from " + x.str() + " to the same type";
  results.push_back(x);
  return "";
}

} // namespace tenon
