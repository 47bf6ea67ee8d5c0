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

  /// For each element an array with a one there; the elements along `axis`, the first
  /// or the last.
  Array basis(size_t array, int axis, Location at) const {
    const Type &type = types[array];
    const Dim size = element_count(type.shape);
    const Array all = iota(count, Dtype::i64, type.device, at);
    const Array own = slice(all, {begins_[array]}, {begins_[array] + size});
    Shape shape = type.shape;
    shape.insert(axis, count);
    const Array ones = axis == 0 ? equal(reshape(all, {count, 1}), reshape(own, {1, size}))
                                 : equal(reshape(own, {size, 1}), reshape(all, {1, count}));
    return reshape(astype(ones, type.dtype), shape);
  }

  /// The part of an axis of x, the first or the last, that is an array's, in its shape.
  Array part(const Array &x, int axis, size_t array) const {
    Shape starts, stops = x.shape(), shape;
    for (int i = 0; i < x.ndim(); ++i) {
      starts.push_back(0);
      if (i != axis)
        shape.push_back(x.shape()[i]);
    }
    starts.at(axis) = begins_[array];
    stops.at(axis) = begins_[array] + element_count(types[array].shape);
    int place = axis;
    for (const Dim dim : types[array].shape)
      shape.insert(place++, dim);
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

/// What lies below x, with the axis of the batch at `axis`, repeated along it if it has none.
inline Array allAlong(const Batch &batch, const Array &x, int axis) {
  const int from = batch.axisOf(x.value());
  return from < 0 ? repeatAlong(x, batch.size(), axis) : moveAxis(batch.below(x), from, axis);
}

} // namespace tenon::detail
