//===- ShapeReduction.cpp - shape rules of reductions ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

using namespace tenon;

static Shape reduced(const Shape &shape, std::span<const int64_t> axes, bool keepdims) {
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    bool gone = false;
    for (int64_t axis : axes)
      gone |= axis == i;
    if (!gone)
      result.push_back(shape[i]);
    else if (keepdims)
      result.push_back(1);
  }
  return result;
}

/// Attributes in the IR are normal: axes in [0, rank), ascending.
static std::string expectAscending(std::span<const int64_t> axes, int rank) {
  std::vector<int64_t> normal;
  if (std::string error = normalizeAxes(axes, rank, normal); !error.empty())
    return error;
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || (i && axes[i] < axes[i - 1]))
      return "expected ascending axes >= 0";
  return "";
}

/// Where over no elements there is no result.
static std::string expectElements(const ShapeCall &call, int64_t axis) {
  const Shape &shape = call.operands[0].shape;
  auto none = [&] {
    return "expected at least one element along axis " + std::to_string(axis) + ", got the shape " + shape.str();
  };
  return mayHold(call, 1, shape[static_cast<int>(axis)], none) ? "" : none();
}

namespace tenon {

std::string inferReduction(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  SumAttrs attributes = SumAttrs::read(call.attributes); // reductions have the same words
  if (std::string error = expectAscending(attributes.axes, x.shape.rank()); !error.empty())
    return error;
  if (!call.info.reduction.hasIdentity)
    for (int64_t axis : attributes.axes)
      if (std::string error = expectElements(call, axis); !error.empty())
        return error;
  const Dtype dtype = call.info.reduction.isWide ? sumDtype(x.dtype) : x.dtype;
  results.push_back({dtype, x.device, reduced(x.shape, attributes.axes, attributes.keepdims)});
  return "";
}

std::string inferArgmax(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  ArgmaxAttrs attributes = ArgmaxAttrs::read(call.attributes);
  int64_t axes[] = {attributes.axis};
  if (std::string error = expectAscending(axes, x.shape.rank()); !error.empty())
    return error;
  if (std::string error = expectElements(call, attributes.axis); !error.empty())
    return error;
  results.push_back({Dtype::i64, x.device, reduced(x.shape, axes, attributes.keepdims)});
  return "";
}

} // namespace tenon
