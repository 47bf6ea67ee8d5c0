//===- Contraction.cpp - products of arrays --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <array>
#include <numeric>

using namespace tenon;
using namespace tenon::detail;

using Axes = std::vector<int64_t>;

/// Whether each array has nothing but its batch and at most sixteen elements to sum over: there is a lane of a sum for
/// each product, so that it is the product, to the bit, whether it is fused or not. Complex products are other ones.
static bool isShortSum(const Array &x1, const Array &x2, const DotAxes &axes) {
  const size_t rank = axes.axes1.size() + axes.batch1.size();
  if (rank != static_cast<size_t>(x1.ndim()) || rank != static_cast<size_t>(x2.ndim()) || isComplex(x1))
    return false;
  int64_t count = 1;
  for (int64_t axis : axes.axes1) {
    const Dim size = x1.shape()[static_cast<int>(axis)];
    if (!size.is_static() || size.raw() > 16 || (count *= size.raw()) > 16)
      return false;
  }
  return true;
}

/// The products of elements, summed over the last axes.
static Array shortSum(const Array &x1, const Array &x2, const DotAxes &axes, Dtype dtype, Location at) {
  const auto inOrder = [&](const Array &x, std::span<const int64_t> batch, std::span<const int64_t> summed) {
    Axes order(batch.begin(), batch.end());
    order.insert(order.end(), summed.begin(), summed.end());
    return convert(std::ranges::is_sorted(order) ? x : transpose(x, order), dtype, at);
  };
  const Array products = inOrder(x1, axes.batch1, axes.axes1) * inOrder(x2, axes.batch2, axes.axes2);
  Axes last(axes.axes1.size());
  std::iota(last.begin(), last.end(), static_cast<int64_t>(axes.batch1.size()));
  return last.empty() ? products : sum(products, last);
}

Array detail::dotOf(const Array &x1, const Array &x2, const DotAxes &axes, Location at, std::optional<Dtype> dtype) {
  const Dtype wanted = dtype.value_or(x1.dtype()), computed = computedDtype(x1.dtype(), wanted);
  if (isShortSum(x1, x2, axes) && kind(computed) != Kind::complex)
    return convert(shortSum(x1, x2, axes, is_narrow(computed) ? Dtype::f32 : computed, at), wanted, at);
  return convert(dotGeneral(toFactor(x1, computed, at), toFactor(x2, computed, at), axes, computed, at), wanted, at);
}

/// The sum of products over these axes, one of each array after the other; then the axes of a that
/// are left, then those of b.
static Array contracted(const Array &a, const Array &b, const Axes &ofA, const Axes &ofB, Location at,
                        std::optional<Dtype> dtype = {}) {
  if (ofA.size() != ofB.size())
    refuse("expected as many axes of x1 as of x2, got " + std::to_string(ofA.size()) + " and " +
               std::to_string(ofB.size()),
           at);
  for (size_t i = 0; i < ofA.size(); ++i) {
    const Dim size = a.shape()[static_cast<int>(ofA[i])], other = b.shape()[static_cast<int>(ofB[i])];
    if (provably_equal(size, other) != Always::yes)
      refuse("expected axes of one size to sum over, got " + size.str() + " along axis " + std::to_string(ofA[i]) +
                 " of x1 and " + other.str() + " along axis " + std::to_string(ofB[i]) + " of x2",
             at);
  }
  return dotOf(a, b, {ofA, ofB}, at, dtype);
}

/// Products over one axis of each, where the axes before the last `rank1` of a and `rank2` of b are a batch and
/// broadcast.
static Array batched(Array a, Array b, int rank1, int rank2, int64_t axis1, int64_t axis2, Location at,
                     std::optional<Dtype> dtype = {}) {
  if (a.ndim() == rank1 && b.ndim() == rank2)
    return dotOf(a, b, {{&axis1, 1}, {&axis2, 1}}, at, dtype);
  const auto leading = [](const Array &x, int rank) {
    Shape shape;
    for (int i = 0; i < x.ndim() - rank; ++i)
      shape.push_back(x.shape()[i]);
    return shape;
  };
  const Shape left = leading(a, rank1), right = leading(b, rank2);
  Shape batch;
  if (std::string error = broadcastShapes(left, right, batch); !error.empty())
    refuse("batch " + error, at);
  const auto expand = [&](const Array &x, int rank) {
    Shape shape = batch;
    for (int i = x.ndim() - rank; i < x.ndim(); ++i)
      shape.push_back(x.shape()[i], at);
    return broadcast(x, shape, at);
  };
  static constexpr auto numbers = [] {
    std::array<int64_t, max_rank> all{};
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<int64_t>(i);
    return all;
  }();
  const std::span batches = std::span<const int64_t>(numbers).first(static_cast<size_t>(batch.rank()));
  const int64_t last1 = batch.rank() + axis1, last2 = batch.rank() + axis2;
  return dotOf(expand(a, rank1), expand(b, rank2), {{&last1, 1}, {&last2, 1}, batches, batches}, at, dtype);
}

/// The product with an array of rank 0.
static Array scaled(const Array &a, const Array &b, Location at) {
  if (!is_storage(a.dtype()))
    return a * b;
  return convert(convert(a, Dtype::f32, at) * convert(b, Dtype::f32, at), a.dtype(), at);
}

/// Refuses a matrix product of sizes that do not meet.
static void expectInner(Dim size, Dim other, Location at) {
  if (provably_equal(size, other) != Always::yes)
    refuse("inner dimensions must match, got " + size.str() + " and " + other.str(), at);
}

Array tenon::matmul(const Operand &x1, const Operand &x2, std::optional<Dtype> dtype) {
  const Location at = x1.location();
  DoorScope scope("matmul", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (a.ndim() == 0 || b.ndim() == 0)
    refuse("expected operands of rank >= 1, got rank 0; use multiply", at);
  const int rank1 = std::min(a.ndim(), 2), rank2 = std::min(b.ndim(), 2);
  // Sizes are compared before the leading axes broadcast, so that the error shows what the user gave.
  expectInner(a.shape()[-1], b.shape()[-rank2], at);
  return batched(a, b, rank1, rank2, rank1 - 1, 0, at, dtype);
}

Array tenon::matvec(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("matvec", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (a.ndim() < 2 || b.ndim() < 1)
    refuse("expected a matrix and a vector, got ranks " + std::to_string(a.ndim()) + " and " + std::to_string(b.ndim()),
           at);
  expectInner(a.shape()[-1], b.shape()[-1], at);
  return batched(a, b, 2, 1, 1, 0, at);
}

Array tenon::vecmat(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("vecmat", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (a.ndim() < 1 || b.ndim() < 2)
    refuse("expected a vector and a matrix, got ranks " + std::to_string(a.ndim()) + " and " + std::to_string(b.ndim()),
           at);
  expectInner(a.shape()[-1], b.shape()[-2], at);
  return batched(isComplex(a) ? conj(a) : a, b, 1, 2, 0, 0, at);
}

Array tenon::tensordot(const Operand &x1, const Operand &x2, const Ints &axes, const Ints &axes2,
                       std::optional<Dtype> dtype) {
  const Location at = x1.location();
  DoorScope scope("tensordot", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (axes2.given())
    return contracted(a, b, distinctAxes(axes.values(), a.ndim(), at), distinctAxes(axes2.values(), b.ndim(), at), at,
                      dtype);
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
  return contracted(a, b, last, first, at, dtype);
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
  return batched(isComplex(a) ? conj(left) : left, right, 1, 1, 0, 0, at);
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
    return scaled(a, b, at);
  return contracted(a, b, {a.ndim() - 1}, {b.ndim() - 1}, at);
}

Array tenon::dot(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("dot", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = toPair(x1, x2);
  if (a.ndim() == 0 || b.ndim() == 0)
    return scaled(a, b, at);
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
