//===- Numeric.cpp - polynomials, differences, statistics ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Shaping.h"

#include <bit>

using namespace tenon;
using namespace tenon::detail;

/// Integers as f32.
static Array toFloating(const Array &x, Location at) { return convert(x, floatingDtype(x.dtype()), at); }

static void expectRankOne(const char *what, const Array &x, Location at) {
  if (x.ndim() != 1)
    refuse(std::string("expected ") + what + " of rank 1, got " + describe(x.dtype(), x.shape()), at);
}

Array tenon::polyval(const Operand &p, const Operand &operand) {
  const Location at = p.location();
  DoorScope scope("polyval", at, {{"p", p}, {"x", operand}});
  const auto [coefficients, x] = toPair(p, operand);
  expectRankOne("coefficients", coefficients, at);
  Array value = zeros_like(x);
  for (const Array &coefficient : unstack(coefficients))
    value = value * x + coefficient;
  return value;
}

//===----------------------------------------------------------------------===//
// interp
//===----------------------------------------------------------------------===//

/// How many of the ascending `points` are not above x, by halving: i64, of x's shape.
static Array countBelow(const Array &points, int64_t size, const Array &x, Location at) {
  Array count = full(x.shape(), 0, Dtype::i64, x.device(), at);
  for (int64_t step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size))); step > 0; step /= 2) {
    const Array next = count + step;
    const Array isBelow = take(points, minimum(next, size) - 1, 0) <= x;
    count = where(next <= size && isBelow, next, count);
  }
  return count;
}

Array tenon::interp(const Operand &operand, const Operand &xp, const Operand &fp, std::optional<Scalar> left,
                    std::optional<Scalar> right) {
  const Location at = operand.location();
  DoorScope scope("interp", at, {{"x", operand}, {"xp", xp}, {"fp", fp}});
  const auto [x1, points1] = toPair(operand, xp);
  const auto [points2, values] = toPair(points1, fp);
  const Dtype dtype = floatingDtype(values.dtype());
  const Array x = convert(x1, dtype, at), points = convert(points2, dtype, at), heights = convert(values, dtype, at);
  expectRankOne("xp", points, at);
  expectRankOne("fp", heights, at);
  const Dim size = points.shape()[0];
  if (!size.is_static() || size.raw() == 0 || provably_equal(size, heights.shape()[0]) != Always::yes)
    refuse("expected as many points of xp as of fp, one at least, got " + size.str() + " and " +
               heights.shape()[0].str(),
           at);
  const int64_t last = size.raw() - 1;
  const Array below = countBelow(points, size.raw(), x, at);
  const Array first = clip(below - 1, 0, last > 0 ? last - 1 : 0), next = minimum(first + 1, last);
  const Array begin = take(points, first, 0), low = take(heights, first, 0);
  const Array slope = (take(heights, next, 0) - low) / (take(points, next, 0) - begin);
  Array result = slope * (x - begin) + low;
  result = where(below > last, heights[last], result);
  if (right)
    result = where(x > points[last], *right, result);
  result = where(x < points[0], left ? full({}, *left, dtype, x.device(), at) : heights[0], result);
  return last == 0 ? where(isnan(x), x, result) : result;
}

//===----------------------------------------------------------------------===//
// Differences and areas
//===----------------------------------------------------------------------===//

static Array along(const Array &x, int axis, Dim start, Dim stop) { return partOf(x, axis, start, stop); }

std::vector<Array> tenon::gradient(const Operand &operand, double spacing, const Ints &axes) {
  const Location at = operand.location();
  DoorScope scope("gradient", at, {{"x", operand}});
  const Array x = toFloating(toArray(operand, OpCode::subtract), at);
  std::vector<int64_t> places = normalizeAxisList(OpCode::reshape, x, axes, at);
  if (axes.given()) // in the user's order
    places = distinctAxes(axes.values(), x.ndim(), at);
  std::vector<Array> slopes;
  for (int64_t place : places) {
    const int axis = static_cast<int>(place);
    const Dim size = x.shape()[axis];
    if (provably_less_equal(2, size) != Always::yes)
      refuse("expected two elements at least along axis " + std::to_string(axis) + ", got " + size.str(), at);
    auto difference = [&](Dim from, Dim to, Dim count, double distance) {
      return (along(x, axis, to, to + count) - along(x, axis, from, from + count)) / distance;
    };
    slopes.push_back(concatenate({difference(0, 1, 1, spacing), difference(0, 2, size - 2, 2 * spacing),
                                  difference(size - 2, size - 1, 1, spacing)},
                                 axis, at));
  }
  return slopes;
}

Array tenon::trapezoid(const Operand &operand, const Operand &points, double dx, Axis axis) {
  const Location at = operand.location();
  DoorScope scope("trapezoid", at, {{"y", operand}, {"x", points}});
  const Array y = toFloating(toArray(operand, OpCode::add), at);
  const int place = axisOf(y, axis, at);
  const Dim size = y.shape()[place];
  if (size.raw() == 0)
    return sum(y, place);
  const Array both = along(y, place, 1, size) + along(y, place, 0, size - 1);
  if (points.is_none())
    return sum(both * dx / 2, place);
  Array x = toFloating(toArray(points, OpCode::add), at);
  if (x.ndim() == 1) {
    Shape shape(std::vector<Dim>(static_cast<size_t>(y.ndim()), 1));
    shape.at(place) = x.shape()[0];
    x = reshape(x, shape);
  }
  const Dim count = x.ndim() == y.ndim() ? Dim(x.shape()[place]) : Dim(-1);
  if (provably_equal(count, size) != Always::yes)
    refuse("expected an x of the shape of y or of " + size.str() + " elements, got " + describe(x.dtype(), x.shape()),
           at);
  return sum((along(x, place, 1, size) - along(x, place, 0, size - 1)) * both / 2, place);
}

//===----------------------------------------------------------------------===//
// Statistics and norms
//===----------------------------------------------------------------------===//

/// The covariances of the rows, as a matrix, whatever their number.
static Array covariances(const Operand &operand, bool rowvar, int ddof, Location at) {
  Array x = toFloating(toArray(operand, OpCode::sum), at);
  if (x.ndim() > 2 || kind(x.dtype()) == Kind::complex)
    refuse("expected real numbers of rank 1 or 2, got " + describe(x.dtype(), x.shape()), at);
  x = atleast_2d(x);
  if (!rowvar && operand.value() && operand.value()->rank() == 2)
    x = transpose(x);
  const Array centered = x - mean(x, -1, true);
  const Array count = convert(sizeOf(x.shape()[1], x.device(), at) - ddof, x.dtype(), at);
  return matmul(centered, transpose(centered)) / count;
}

Array tenon::cov(const Operand &x, bool rowvar, int ddof) {
  DoorScope scope("cov", x.location(), {{"x", x}});
  return squeeze(covariances(x, rowvar, ddof, x.location()));
}

Array tenon::corrcoef(const Operand &x, bool rowvar) {
  DoorScope scope("corrcoef", x.location(), {{"x", x}});
  const Array all = covariances(x, rowvar, 1, x.location()), deviation = sqrt(diagonal(all));
  return squeeze(clip(all / expand_dims(deviation, 1) / deviation, -1, 1));
}

Array tenon::global_norm(const Arrays &xs, Location at) {
  DoorScope scope("global_norm", at, {{"xs", xs}});
  Array total;
  for (const Array &x : toArrays(xs, at)) {
    const Array squares = sum(square(toFloating(x, at)));
    total = total.has_value() ? total + squares : squares;
  }
  return sqrt(total);
}

Array tenon::clip_by_norm(const Operand &operand, double max_norm, const Ints &axes) {
  const Location at = operand.location();
  DoorScope scope("clip_by_norm", at, {{"x", operand}});
  if (!(max_norm >= 0))
    refuse("expected a max_norm >= 0, got " + Scalar(max_norm).str(), at);
  const Array x = toFloating(toArray(operand, OpCode::sqrt), at);
  const Array squares = sum(square(x), axes, true);
  // A norm that is not above the bound is not computed: its derivative at 0 is infinite.
  const Array isAbove = squares > max_norm * max_norm;
  return where(isAbove, x * (max_norm / sqrt(where(isAbove, squares, 1))), x);
}
