//===- ShapeSorting.cpp - shape rules of sorts ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

using namespace tenon;

static std::string expectAxis(int64_t axis, int rank) {
  return axis >= 0 && axis < rank
             ? ""
             : "axis " + std::to_string(axis) + " is out of range for an array of rank " + std::to_string(rank);
}

namespace tenon {

std::string inferSortKeys(const ShapeCall &call, std::vector<Type> &results) {
  if (call.operands.empty())
    return "expected at least one array, got none";
  const SortKeysAttrs a = SortKeysAttrs::read(call.attributes);
  const Type &first = call.operands[0];
  if (std::string error = expectAxis(a.axis, first.shape.rank()); !error.empty())
    return error;
  if (a.keys < 1 || a.keys > static_cast<int64_t>(call.operands.size()))
    return "expected 1 to " + std::to_string(call.operands.size()) + " keys, got " + std::to_string(a.keys);
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Type &type = call.operands[i];
    bool same = type.shape.rank() == first.shape.rank();
    for (int d = 0; same && d < first.shape.rank(); ++d)
      same = provably_equal(type.shape[d], first.shape[d]) == Always::yes;
    if (!same)
      return "expected arrays of one shape, got " + first.shape.str() + " and " + type.shape.str();
    if (i < static_cast<size_t>(a.keys) && is_storage(type.dtype))
      return "expected keys that can be compared, got " + type.str() +
             ", which only stores numbers: convert it with astype";
    results.push_back(type);
  }
  return "";
}

std::string inferArgsort(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  if (std::string error = expectAxis(ArgsortAttrs::read(call.attributes).axis, x.shape.rank()); !error.empty())
    return error;
  results.push_back({Dtype::i64, x.device, x.shape});
  return "";
}

std::string inferFlatnonzero(const ShapeCall &call, std::vector<Type> &results) {
  const FlatnonzeroAttrs a = FlatnonzeroAttrs::read(call.attributes);
  const Type &x = call.operands[0];
  if (a.batching_dims < 0 || a.batching_dims > x.shape.rank())
    return "expected 0 to " + std::to_string(x.shape.rank()) + " batching dims, got " + std::to_string(a.batching_dims);
  if (a.size.size() != 1)
    return "expected one size, got " + std::to_string(a.size.size());
  if (std::string error = expectSizes(a.size); !error.empty())
    return error;
  Shape shape;
  for (int i = 0; i < a.batching_dims; ++i)
    shape.push_back(x.shape[i]);
  if (shape.rank() == max_rank)
    return "expected at most " + std::to_string(max_rank - 1) + " batching dims, got " +
           std::to_string(a.batching_dims);
  shape.push_back(a.size[0]);
  results.push_back({Dtype::i64, x.device, shape});
  return "";
}

} // namespace tenon
