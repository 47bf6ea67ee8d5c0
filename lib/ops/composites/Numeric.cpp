//===- Numeric.cpp - polynomials, differences, statistics ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <numbers>

using namespace tenon;
using namespace tenon::detail;

static void expectRankOne(const char *what, const Array &x, Location at) {
  if (x.ndim() != 1)
    refuse(std::string("expected ") + what + " of rank 1, got " + describe(x.dtype(), x.shape()), at);
}

Array tenon::polyval(const Operand &p, const Operand &operand) {
  const Location at = p.location();
  DoorScope scope("polyval", at, {{"p", p}, {"x", operand}});
  const auto [coefficients, points] = toPair(p, operand);
  expectRankOne("coefficients", coefficients, at);
  // Narrow floats in f32, rounded once; integers are exact.
  const Dtype dtype = points.dtype(), wide = is_narrow(dtype) && !is_storage(dtype) ? Dtype::f32 : dtype;
  const Array x = convert(points, wide, at);
  Array value = zeros_like(x);
  for (const Array &coefficient : unstack(convert(coefficients, wide, at)))
    value = value * x + coefficient;
  return convert(value, dtype, at);
}

//===----------------------------------------------------------------------===//
// interp
//===----------------------------------------------------------------------===//

Array tenon::interp(const Operand &operand, const Operand &xp, const Operand &fp, std::optional<Scalar> left,
                    std::optional<Scalar> right) {
  const Location at = operand.location();
  DoorScope scope("interp", at, {{"x", operand}, {"xp", xp}, {"fp", fp}});
  const Floats floats("interp", {&operand, &xp, &fp});
  const Array &x = floats[0], &points = floats[1], &heights = floats[2];
  for (const Array *array : {&points, &heights})
    if (!array->has_value())
      throw Error("interp: expected an array, got an empty Array", userLocation(at));
  expectRankOne("xp", points, at);
  expectRankOne("fp", heights, at);
  const Dim size = points.shape()[0];
  if ((size.is_static() && size.raw() == 0) || provably_equal(size, heights.shape()[0]) != Always::yes)
    refuse("expected as many points of xp as of fp, one at least, got " + size.str() + " and " +
               heights.shape()[0].str(),
           at);
  const Array last = dimension(points, 0) - 1;
  const Array below = placesIn(points, x, true);
  const Array first = clip(below - 1, 0, maximum(last - 1, 0)), next = minimum(first + 1, last);
  const Array begin = take(points, first, 0), width = take(points, next, 0) - begin;
  // Outside of the points the line is not the result, but it and its slopes are finite too.
  const Array isInside = below > 0 && below <= last;
  const Array share = where(isInside, x - begin, 0) / where(width == 0, 1, width);
  Array result = between(take(heights, first, 0), take(heights, next, 0), share);
  result = where(below > last, take(heights, last, 0), result);
  auto outside = [&](const Scalar &value) { return full({}, value, x.dtype(), x.device(), at); };
  if (right)
    result = where(x > take(points, last, 0), outside(*right), result);
  if (left)
    result = where(x < points[0], outside(*left), result);
  return floats.rounded(where(isnan(x), x, result));
}

//===----------------------------------------------------------------------===//
// Differences and areas
//===----------------------------------------------------------------------===//

static Array along(const Array &x, int axis, Dim start, Dim stop) { return partOf(x, axis, start, stop); }

std::vector<Array> tenon::gradient(const Operand &operand, double spacing, const Ints &axes) {
  const Location at = operand.location();
  DoorScope scope("gradient", at, {{"x", operand}});
  const Floats floats("gradient", {&operand}, Dtype::f32, OpCode::subtract);
  const Array &x = floats[0];
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
    slopes.push_back(floats.rounded(concatenate({difference(0, 1, 1, spacing), difference(0, 2, size - 2, 2 * spacing),
                                                 difference(size - 2, size - 1, 1, spacing)},
                                                axis, at)));
  }
  return slopes;
}

Array tenon::ediff1d(const Operand &operand, const Operand &to_end, const Operand &to_begin) {
  const Location at = operand.location();
  DoorScope scope("ediff1d", at, {{"x", operand}, {"to_end", to_end}, {"to_begin", to_begin}});
  const Array x = reshape(toArray(operand, OpCode::subtract), {-1});
  std::vector<Array> pieces;
  if (!to_begin.is_none())
    pieces.push_back(reshape(toUpdates(to_begin, OpCode::scatter, x), {-1}));
  pieces.push_back(diff(x));
  if (!to_end.is_none())
    pieces.push_back(reshape(toUpdates(to_end, OpCode::scatter, x), {-1}));
  return pieces.size() == 1 ? pieces[0] : concatenate(pieces, 0, at);
}

Array tenon::unwrap(const Operand &operand, std::optional<Scalar> discont, Axis axis, std::optional<Scalar> period) {
  const Location at = operand.location();
  DoorScope scope("unwrap", at, {{"x", operand}});
  const Floats floats("unwrap", {&operand}, Dtype::f32, OpCode::remainder);
  const Array &x = floats[0];
  const int place = axisOf(x, axis, at);
  const Dim size = x.shape()[place];
  if (isNone(size))
    return floats.rounded(x);
  for (const std::optional<Scalar> &given : {discont, period})
    if (given && given->kind() == Kind::complex)
      refuse("expected real numbers as discont and period, got " + given->str(), at);
  const double whole = period ? period->as_double() : 2 * std::numbers::pi, half = whole / 2;
  const double least = discont ? std::max(discont->as_double(), half) : half;
  if (!(whole > 0))
    refuse("expected a period above 0, got " + Scalar(whole).str(), at);
  const Array jump = diff(x, 1, place), rest = remainder(jump + half, whole) - half;
  // Of half a period upwards it is not turned round.
  const Array kept = where(rest == -half && jump > 0, rest + whole, rest);
  const Array change = where(abs(jump) < least, 0, kept - jump);
  return floats.rounded(
      concatenate({along(x, place, 0, 1), along(x, place, 1, size) + cumulative_sum(change, Axis(place))}, place, at));
}

/// The areas between neighbors of y, of which there are two at least or one, at sample points x or, where that is an
/// empty Array, `dx` apart.
static Array areasOf(const Array &y, Array x, double dx, int place, Location at) {
  const Dim size = y.shape()[place];
  const Array both = along(y, place, 1, size) + along(y, place, 0, size - 1);
  if (!x.has_value())
    return both * dx / 2;
  if (x.ndim() == 1) {
    Shape shape(std::vector<Dim>(static_cast<size_t>(y.ndim()), 1));
    shape.at(place) = x.shape()[0];
    x = reshape(x, shape);
  }
  const Dim count = x.ndim() == y.ndim() ? Dim(x.shape()[place]) : Dim(-1);
  if (provably_equal(count, size) != Always::yes)
    refuse("expected an x of the shape of y or of " + size.str() + " elements, got " + describe(x.dtype(), x.shape()),
           at);
  return (along(x, place, 1, size) - along(x, place, 0, size - 1)) * both / 2;
}

Array tenon::trapezoid(const Operand &operand, const Operand &points, double dx, Axis axis) {
  const Location at = operand.location();
  DoorScope scope("trapezoid", at, {{"y", operand}, {"x", points}});
  const Floats floats("trapezoid", {&operand, &points}, Dtype::f32, OpCode::add);
  const Array &y = floats[0];
  const int place = axisOf(y, axis, at);
  if (isNone(y.shape()[place]))
    return floats.rounded(sum(y, place));
  return floats.rounded(sum(areasOf(y, floats[1], dx, place, at), place));
}

Array tenon::detail::cumulative_trapezoid(const Operand &operand, const Operand &points, double dx, Axis axis,
                                          std::optional<Scalar> initial) {
  const Location at = operand.location();
  DoorScope scope("cumulative_trapezoid", at, {{"y", operand}, {"x", points}});
  const Floats floats("cumulative_trapezoid", {&operand, &points}, Dtype::f32, OpCode::add);
  const Array &y = floats[0];
  const int place = axisOf(y, axis, at);
  if (isNone(y.shape()[place]))
    refuse("expected at least one element along axis " + std::to_string(place) + ", got " + y.shape().str(), at);
  const Array sums = cumulative_sum(areasOf(y, floats[1], dx, place, at), Axis(place));
  if (!initial)
    return floats.rounded(sums);
  Shape first = y.shape();
  first.at(place) = 1;
  return floats.rounded(concatenate({full(first, *initial, y.dtype(), y.device(), at), sums}, place, at));
}

//===----------------------------------------------------------------------===//
// Statistics and norms
//===----------------------------------------------------------------------===//

/// The covariances of the rows, as a matrix, whatever their number.
static Array covariances(const Array &given, bool rowvar, int ddof, Location at) {
  if (given.ndim() > 2)
    refuse("expected numbers of rank 1 or 2, got " + describe(given.dtype(), given.shape()), at);
  const Array rows = atleast_2d(given), x = !rowvar && given.ndim() == 2 ? transpose(rows) : rows;
  const Array centered = x - mean(x, -1, true);
  const Dtype real = isComplex(x) ? tenon::real(x).dtype() : x.dtype();
  const Array freedom = maximum(convert(sizeOf(x.shape()[1], x.device(), at) - ddof, real, at), 0);
  const Array products = matmul(centered, conj(transpose(centered)));
  return isComplex(x) ? ofParts(products, [&](const Array &part) { return part / freedom; }) : products / freedom;
}

Array tenon::cov(const Operand &x, bool rowvar, int ddof) {
  DoorScope scope("cov", x.location(), {{"x", x}});
  const Floats floats("cov", {&x}, Dtype::f32, OpCode::add);
  return floats.rounded(squeeze(covariances(floats[0], rowvar, ddof, x.location())));
}

Array tenon::corrcoef(const Operand &x, bool rowvar) {
  DoorScope scope("corrcoef", x.location(), {{"x", x}});
  const Floats floats("corrcoef", {&x}, Dtype::f32, OpCode::add);
  const Array all = covariances(floats[0], rowvar, 1, x.location()), variance = diagonal(all);
  const Array deviation = sqrt(isComplex(variance) ? real(variance) : variance);
  auto shares = [&](const Array &part) { return clip(part / expand_dims(deviation, 1) / deviation, -1, 1); };
  return floats.rounded(squeeze(isComplex(all) ? ofParts(all, shares) : shares(all)));
}

/// |x|^2.
static Array squaresOf(const Array &x) { return isComplex(x) ? square(real(x)) + square(imag(x)) : square(x); }

Array tenon::global_norm(const Arrays &xs, Location at) {
  DoorScope scope("global_norm", at, {{"xs", xs}});
  Array total;
  std::optional<Dtype> dtype;
  for (const Array &x : toArrays(xs, at)) {
    const Operand one(x, {});
    const Floats floats("global_norm", {&one}, Dtype::f32, OpCode::subtract);
    const Array squares = sum(squaresOf(floats[0]));
    total = total.has_value() ? total + squares : squares;
    const Dtype own = isComplex(floats[0]) ? squares.dtype() : floats.dtype();
    dtype = promote(dtype.value_or(own), own);
  }
  return convert(rootOf(total), *dtype, at);
}

Array tenon::clip_by_norm(const Operand &operand, double max_norm, const Ints &axes) {
  const Location at = operand.location();
  DoorScope scope("clip_by_norm", at, {{"x", operand}});
  if (!(max_norm >= 0))
    refuse("expected a max_norm >= 0, got " + Scalar(max_norm).str(), at);
  const Floats floats("clip_by_norm", {&operand}, Dtype::f32, OpCode::subtract);
  const Array norm = rootOf(sum(squaresOf(floats[0]), axes, true)), isAbove = norm > max_norm;
  // Nothing is divided by a norm that is not above the bound: it may be 0.
  const Array factor = where(isAbove, max_norm / where(isAbove, norm, 1), 1);
  return floats.rounded(floats[0] * factor);
}
