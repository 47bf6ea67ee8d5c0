//===- ShapeContraction.cpp - the shape rule of dot_general -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

#include "lib/base/Dtypes.h"

#include <tuple>

namespace tenon {

/// The sentence of an error of axes that are paired, or "".
static std::string expectPairs(const Shape &x1, const Shape &x2, std::span<const int64_t> axes1,
                               std::span<const int64_t> axes2, const char *what) {
  if (axes1.size() != axes2.size())
    return std::string("expected as many ") + what + " axes of x1 as of x2, got " + std::to_string(axes1.size()) +
           " and " + std::to_string(axes2.size());
  for (size_t i = 0; i < axes1.size(); ++i) {
    const Dim size = x1[static_cast<int>(axes1[i])], other = x2[static_cast<int>(axes2[i])];
    if (provably_equal(size, other) != Always::yes)
      return std::string("expected ") + what + " axes of equal sizes, got " + size.str() + " along axis " +
             std::to_string(axes1[i]) + " of x1 and " + other.str() + " along axis " + std::to_string(axes2[i]) +
             " of x2";
  }
  return "";
}

/// Adds axes of x to those that are taken, a bit for each; the sentence of an error, or "".
static std::string takeAxes(const char *name, const Shape &x, std::span<const int64_t> axes, uint32_t &taken) {
  for (int64_t axis : axes) {
    if (axis < 0)
      return std::string("expected axes >= 0 of ") + name + ", got " + std::to_string(axis);
    if (axis >= x.rank())
      return std::string(name) + ": axis " + std::to_string(axis) + " is out of range for an array of rank " +
             std::to_string(x.rank());
    if (taken >> axis & 1)
      return std::string(name) + ": axis " + std::to_string(axis) + " is repeated";
    taken |= uint32_t(1) << axis;
  }
  return "";
}

/// The dtype of the result where it is not that of the operands: narrow floats are summed in f32, narrow integers in
/// i32. f16 and bf16 may have either.
static bool isProductDtype(Dtype operand, Dtype result) {
  if (is_narrow(operand))
    return result == Dtype::f32 || (result == operand && !is_storage(operand));
  return result == (kind(operand) <= Kind::integer && item_size(operand) < 4 ? Dtype::i32 : operand);
}

std::string inferDotGeneral(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x1 = call.operands[0], &x2 = call.operands[1];
  const DotGeneralAttrs a = DotGeneralAttrs::read(call.attributes);
  if (x1.dtype != x2.dtype)
    return "expected operands of one dtype, got " + std::string(short_name(x1.dtype)) + " and " +
           std::string(short_name(x2.dtype));
  if (!isProductDtype(x1.dtype, a.dtype))
    return "expected dtype " +
           detail::listDtypes([&](Dtype d) { return isProductDtype(x1.dtype, d); }, short_name, " or ") + ", got " +
           std::string(short_name(a.dtype));
  uint32_t taken1 = 0, taken2 = 0;
  for (const auto &[name, shape, axes, taken] : {std::tuple("x1", &x1.shape, a.axes1, &taken1),
                                                 {"x1", &x1.shape, a.batch1, &taken1},
                                                 {"x2", &x2.shape, a.axes2, &taken2},
                                                 {"x2", &x2.shape, a.batch2, &taken2}})
    if (std::string error = takeAxes(name, *shape, axes, *taken); !error.empty())
      return error;
  if (std::string error = expectPairs(x1.shape, x2.shape, a.batch1, a.batch2, "batch"); !error.empty())
    return error;
  if (std::string error = expectPairs(x1.shape, x2.shape, a.axes1, a.axes2, "summed"); !error.empty())
    return error;
  if (const size_t rank = static_cast<size_t>(x1.shape.rank() + x2.shape.rank()) - 2 * a.axes1.size() - a.batch1.size();
      rank > max_rank)
    return "expected a result of rank at most " + std::to_string(max_rank) + ", got " + std::to_string(rank);
  Shape shape;
  for (size_t i = 0; i < a.batch1.size(); ++i) {
    const Dim size = x1.shape[static_cast<int>(a.batch1[i])];
    shape.push_back(size.is_unknown() ? x2.shape[static_cast<int>(a.batch2[i])] : size);
  }
  for (int axis = 0; axis < x1.shape.rank(); ++axis)
    if (!(taken1 >> axis & 1))
      shape.push_back(x1.shape[axis]);
  for (int axis = 0; axis < x2.shape.rank(); ++axis)
    if (!(taken2 >> axis & 1))
      shape.push_back(x2.shape[axis]);
  results.push_back({a.dtype, x1.device, shape});
  return "";
}

} // namespace tenon
