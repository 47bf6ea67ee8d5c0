//===- Coordinates.h - the standard basis of arrays, as a batch ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/ops/Door.h"
#include "lib/transform/Batch.h"
#include "lib/transform/Rules.h"

namespace tenon::detail {

/// The elements of the arrays that have derivatives, one after another, as one axis.
class Coordinates {
public:
  explicit Coordinates(std::span<const Type> types) : types(types) {
    for (const Type &type : types) {
      begins_.push_back(count);
      if (has(begins_.size() - 1))
        count += element_count(type.shape);
    }
  }
  bool has(size_t array) const { return isDifferentiable(types[array].dtype); }

  /// Along axis 0, for each element, an array with a one there.
  Array basis(size_t array, Location at) const {
    const Type &type = types[array];
    const Dim size = element_count(type.shape);
    const Array all = iota(count, Dtype::i64, type.device, at);
    const Array own = slice(all, {begins_[array]}, {begins_[array] + size});
    Shape shape = type.shape;
    shape.insert(0, count);
    return reshape(astype(equal(reshape(all, {count, 1}), reshape(own, {1, size})), type.dtype), shape);
  }

  /// The part of axis 0 of x that is an array's, in its shape.
  Array part(const Array &x, size_t array) const {
    Shape starts, stops = x.shape(), shape = types[array].shape;
    for (int i = 0; i < x.ndim(); ++i)
      starts.push_back(0);
    starts.at(0) = begins_[array];
    stops.at(0) = begins_[array] + element_count(shape);
    for (int i = 1; i < x.ndim(); ++i)
      shape.push_back(x.shape()[i]);
    return reshape(slice(x, starts, stops), shape);
  }

  std::span<const Type> types;
  Dim count = 0;

private:
  std::vector<Dim> begins_;
};

/// The axes of the one, then of the other.
inline Shape together(const Shape &a, const Shape &b) {
  Shape shape = a;
  for (const Dim dim : b)
    shape.push_back(dim);
  return shape;
}

/// x with the axis of the batch in front, repeated along it if it has none.
inline Array inFront(const Batch &batch, const Array &x, Dim count) {
  const int axis = batch.axisOf(x.value());
  return axis < 0 ? repeatAlong(x, count, 0) : moveAxis(batch.below(x), axis, 0);
}

} // namespace tenon::detail
