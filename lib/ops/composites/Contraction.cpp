//===- Contraction.cpp - products of arrays --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Shaping.h"

#include <numeric>

using namespace tenon;
using namespace tenon::detail;

using Axes = std::vector<int64_t>;

/// The sum of products over these axes, one of each array after the other; then the axes of a that
/// are left, then those of b.
static Array contracted(const Array &a, const Array &b, const Axes &ofA, const Axes &ofB, Location at) {
  if (ofA.size() != ofB.size())
    refuse("expected as many axes of x1 as of x2, got " + std::to_string(ofA.size()) + " and " +
               std::to_string(ofB.size()),
           at);
  const Shape left = a.shape(), right = b.shape();
  Dim length = 1;
  for (size_t i = 0; i < ofA.size(); ++i) {
    const Dim size = left[static_cast<int>(ofA[i])], other = right[static_cast<int>(ofB[i])];
    if (provably_equal(size, other) != Always::yes)
      refuse("expected axes of one size to sum over, got " + size.str() + " along axis " + std::to_string(ofA[i]) +
                 " of x1 and " + other.str() + " along axis " + std::to_string(ofB[i]) + " of x2",
             at);
    length *= size;
  }
  const Array columns = withLast(a, ofA), others = withLast(b, ofB);
  Shape shape;
  Dim rows = 1, width = 1;
  for (int i = 0; i < a.ndim() - static_cast<int>(ofA.size()); ++i) {
    shape.push_back(columns.shape()[i], at);
    rows *= shape[-1];
  }
  for (int i = 0; i < b.ndim() - static_cast<int>(ofB.size()); ++i) {
    shape.push_back(others.shape()[i], at);
    width *= shape[-1];
  }
  const Dtype wide = productDtype(a.dtype());
  const Array x = convert(reshape(columns, {rows, length}), wide, at),
              y = convert(reshape(others, {width, length}), wide, at);
  return convert(reshape(matmul(x, transpose(y)), shape), a.dtype(), at);
}

Array tenon::tensordot(const Operand &x1, const Operand &x2, const Ints &axes, const Ints &axes2) {
  const Location at = x1.location();
  DoorScope scope("tensordot", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (axes2.given())
    return contracted(a, b, distinctAxes(axes.values(), a.ndim(), at), distinctAxes(axes2.values(), b.ndim(), at), at);
  if (axes.values().size() != 1)
    refuse("expected a number of axes, or a list for each array, got one list of " +
               std::to_string(axes.values().size()),
           at);
  const int64_t count = axes.values()[0];
  if (count < 0 || count > a.ndim() || count > b.ndim())
    refuse("expected at most as many axes as the arrays have, " + std::to_string(a.ndim()) + " and " +
               std::to_string(b.ndim()) + ", got " + std::to_string(count),
           at);
  Axes last(static_cast<size_t>(count)), first(static_cast<size_t>(count));
  std::iota(last.begin(), last.end(), a.ndim() - count);
  std::iota(first.begin(), first.end(), 0);
  return contracted(a, b, last, first, at);
}

Array tenon::vecdot(const Operand &x1, const Operand &x2, Axis axis) {
  const Location at = x1.location();
  DoorScope scope("vecdot", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (is_storage(a.dtype()))
    refuse("expected numbers to compute with, got " + describe(a.dtype(), a.shape()), at);
  const int64_t place1 = axisOf(a, axis, at), place2 = axisOf(b, axis, at);
  const Array left = withLast(a, {&place1, 1}), right = withLast(b, {&place2, 1});
  if (const Dim size = left.shape()[-1], other = right.shape()[-1]; provably_equal(size, other) != Always::yes)
    refuse("expected vectors of one size, got " + size.str() + " and " + other.str(), at);
  // Products of narrow floats are summed before they are rounded.
  const Dtype wide =
      kind(a.dtype()) == Kind::floating && item_size(a.dtype()) < 4 ? Dtype::f32 : productDtype(a.dtype());
  return convert(sum(conj(convert(left, wide, at)) * convert(right, wide, at), -1), a.dtype(), at);
}

Array tenon::outer(const Operand &x1, const Operand &x2) {
  DoorScope scope("outer", x1.location(), {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  return reshape(a, {-1, 1}) * reshape(b, {-1});
}

Array tenon::inner(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("inner", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (a.ndim() == 0 || b.ndim() == 0)
    return a * b;
  return contracted(a, b, {a.ndim() - 1}, {b.ndim() - 1}, at);
}

Array tenon::dot(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("dot", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (a.ndim() == 0 || b.ndim() == 0)
    return a * b;
  return contracted(a, b, {a.ndim() - 1}, {b.ndim() == 1 ? 0 : b.ndim() - 2}, at);
}

Array tenon::kron(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("kron", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  Shape left = a.shape(), right = b.shape(), result;
  while (left.rank() < right.rank())
    left.insert(0, 1, at);
  while (right.rank() < left.rank())
    right.insert(0, 1, at);
  for (int i = 0; i < left.rank(); ++i)
    result.push_back(left[i] * Dim(right[i]));
  // Axis i of each is followed by that of the other.
  for (int i = result.rank(); i-- > 0;) {
    left.insert(i + 1, 1, at);
    right.insert(i, 1, at);
  }
  return reshape(reshape(a, left) * reshape(b, right), result);
}

Array tenon::cross(const Operand &x1, const Operand &x2, Axis axis) {
  const Location at = x1.location();
  DoorScope scope("cross", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  for (const Array *x : {&a, &b})
    if (const Dim size = x->shape()[axisOf(*x, axis, at)]; provably_equal(size, 3) != Always::yes)
      refuse("expected vectors of 3 elements, got " + size.str(), at);
  const Shape shape = broadcastOf({a, b}, at);
  const Array left = broadcast(a, shape, at), right = broadcast(b, shape, at);
  const int place = axisOf(left, axis, at);
  if (provably_equal(shape[place], 3) != Always::yes)
    refuse("expected vectors of 3 elements, got " + shape[place].str() + " after broadcasting", at);
  auto turned = [&](const Array &x, int by) { return roll(x, -by, place); };
  return turned(left, 1) * turned(right, 2) - turned(left, 2) * turned(right, 1);
}
