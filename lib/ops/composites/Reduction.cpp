//===- Reduction.cpp - reductions, composed --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/ops/composites/Composites.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Linalg.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

Array detail::truthOf(const Operand &x) {
  if (x.is_scalar())
    return full({}, x.scalar().as_bool(), Dtype::bool_, {}, x.location());
  const Array array = toArray(x, OpCode::logical_and);
  return kind(array.dtype()) == Kind::complex ? not_equal(array, 0) : convert(array, Dtype::bool_, x.location());
}

void detail::expectNormal(std::span<const int64_t> axes, const Array &x) {
  int64_t least = 0;
  for (int64_t axis : axes) {
    if (axis < least || axis >= x.ndim())
      throw Error("expected ascending axes from 0 to " + std::to_string(x.ndim() - 1) + ", got " +
                  std::to_string(axis));
    least = axis + 1;
  }
}

Array detail::neverEmpty(const Array &x, std::span<const int64_t> axes, Scalar value) {
  Shape low, high;
  bool isPadded = false;
  for (int i = 0; i < x.ndim(); ++i) {
    const bool mayBeEmpty = std::ranges::find(axes, i) != axes.end() &&
                            (sizesAreUnknown() || provably_less_equal(1, x.shape()[i]) != Always::yes);
    low.push_back(0);
    high.push_back(mayBeEmpty ? 1 : 0);
    isPadded |= mayBeEmpty;
  }
  return isPadded ? pad(x, value, low, high) : x;
}

Array tenon::decomposeMean(std::span<const Array> operands, AttrWords attributes) {
  const Array &x = operands[0];
  const auto [axes, keepdims] = MeanAttrs::read(attributes);
  expectNormal(axes, x);
  Dim known = 1;
  Array total = sum(x, Ints(std::vector<int64_t>(axes.begin(), axes.end())), keepdims), count;
  bool isKnown = true;
  for (int64_t axis : axes)
    if (const Dim size = x.shape()[static_cast<int>(axis)]; size.is_static())
      known *= size;
    else
      isKnown = false;
  if (isKnown)
    return total / static_cast<double>(known.raw());
  // All axes alike, or what is recorded would depend on which of them were symbols.
  for (int64_t axis : axes) {
    Array size = dimension(x, static_cast<int>(axis));
    count = count.has_value() ? count * size : size;
  }
  return total / astype(count, x.dtype());
}

Array tenon::detail::mean(const Operand &operand, const Ints &axes, bool keepdims) {
  DoorScope scope("mean", operand.location(), {{"x", operand}});
  Array given = toArray(operand, OpCode::sum);
  const Dtype dtype = floatingDtype(given.dtype());
  // The sum of f16 and bf16 may be out of their range where the mean is not.
  Array x = convert(given, wideDtype(dtype), operand.location());
  const std::vector<int64_t> all = normalizeAxisList(OpCode::sum, x, axes, operand.location());
  if (isComplex(x))
    return ofParts(x, [&](const Array &part) { return mean(part, all, keepdims); });
  return convert(bindComposite(CompositeId::mean, {x.value()}, Words(MeanAttrs{all, keepdims}), operand.location()),
                 dtype, operand.location());
}

using AxisList = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// logsumexp
//===----------------------------------------------------------------------===//

Array tenon::decomposeLogsumexp(std::span<const Array> operands, AttrWords attributes) {
  const Array &x = operands[0];
  const auto [given, keepdims] = LogsumexpAttrs::read(attributes);
  expectNormal(given, x);
  const AxisList axes(given.begin(), given.end());
  const Array largest = max(neverEmpty(x, axes, -INFINITY), axes, true);
  // Where that is infinite it is the result: the difference may be no number.
  const Array result = log(sum(exp(where(isinf(largest), 0, x - largest)), axes, true)) + largest;
  return keepdims ? result : sum(result, axes);
}

Array tenon::detail::logsumexp(const Operand &operand, const Ints &axes, bool keepdims) {
  DoorScope scope("logsumexp", operand.location(), {{"x", operand}});
  const Floats floats("logsumexp", {&operand}, Dtype::f32, OpCode::add);
  const AxisList all = normalizeAxisList(OpCode::sum, floats[0], axes, operand.location());
  if (isComplex(floats[0])) {
    // As in JAX: the largest real part is taken out.
    const Array largest = max(neverEmpty(real(floats[0]), all, -INFINITY), all, true);
    const Array shift = where(isfinite(largest), largest, 0);
    const Array result = log(sum(exp(floats[0] - shift), all, true)) + shift;
    return keepdims ? result : sum(result, all);
  }
  return floats.rounded(bindComposite(CompositeId::logsumexp, {floats[0].value()}, Words(LogsumexpAttrs{all, keepdims}),
                                      operand.location()));
}

//===----------------------------------------------------------------------===//
// Over the examples of a vmap
//===----------------------------------------------------------------------===//

/// Of one example; the rule of vmap reduces.
Array tenon::decomposeMappedReduction(std::span<const Array> operands, AttrWords attributes) {
  const std::string_view function = MappedReductionAttrs::read(attributes).function;
  if (function != "sum" && function != "max" && function != "min")
    throw Error("expected sum, max or min");
  return operands[0];
}

//===----------------------------------------------------------------------===//
// Means and variances
//===----------------------------------------------------------------------===//

/// `total` divided by the number of elements of x over `axes` less `correction`, but not
/// by less than 0.
static Array dividedByCount(const Array &total, const Array &x, const AxisList &axes, double correction) {
  Dim count = 1;
  bool isKnown = true;
  for (int64_t axis : axes)
    if (const Dim size = x.shape()[static_cast<int>(axis)]; size.is_static())
      count *= size;
    else
      isKnown = false;
  if (isKnown)
    return total / std::max(static_cast<double>(count.raw()) - correction, 0.0);
  Array elements = full({}, 1, Dtype::i64, x.device());
  for (int64_t axis : axes)
    elements = elements * dimension(x, axis);
  // In f64, as the number of a known size.
  return total / astype(maximum(astype(elements, Dtype::f64) - correction, 0), x.dtype());
}

static Array varianceOf(const Array &x, const AxisList &axes, bool keepdims, double correction) {
  const Array centered = x - mean(x, axes, true);
  return dividedByCount(sum(centered * centered, axes, keepdims), x, axes, correction);
}

/// Of what is not NaN.
static Array nanVarianceOf(const Array &x, const AxisList &axes, bool keepdims, double correction) {
  const Array isNan = isnan(x), counts = astype(!isNan, x.dtype());
  const Array middle = sum(where(isNan, 0, x), axes, true) / sum(counts, axes, true);
  const Array centered = where(isNan, 0, x - middle), freedom = sum(counts, axes, keepdims) - correction;
  const Array isTooFew = freedom <= 0;
  return where(isTooFew, NAN, sum(centered * centered, axes, keepdims) / where(isTooFew, 1, freedom));
}

/// The variance of complex numbers, whose squares are those of both parts; of others no Array.
static Array complexVariance(const char *function, const Operand &operand, const Ints &axes, bool keepdims,
                             double correction) {
  const DoorScope scope(function, operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::sum);
  if (!isComplex(x))
    return {};
  return var(real(x), axes, keepdims, correction) + var(imag(x), axes, keepdims, correction);
}

Array tenon::detail::var(const Operand &x, const Ints &axes, bool keepdims, double correction) {
  if (const Array result = complexVariance("var", x, axes, keepdims, correction); result.has_value())
    return result;
  return ofFloatAxes("var", x, axes, [&](const Array &floats, const AxisList &all) {
    return varianceOf(floats, all, keepdims, correction);
  });
}

Array tenon::detail::std(const Operand &x, const Ints &axes, bool keepdims, double correction) {
  if (const Array result = complexVariance("std", x, axes, keepdims, correction); result.has_value())
    return rootOf(result);
  return ofFloatAxes("std", x, axes, [&](const Array &floats, const AxisList &all) {
    return rootOf(varianceOf(floats, all, keepdims, correction));
  });
}

Array tenon::detail::nanvar(const Operand &x, const Ints &axes, bool keepdims, double correction) {
  return ofFloatAxes("nanvar", x, axes, [&](const Array &floats, const AxisList &all) {
    return nanVarianceOf(floats, all, keepdims, correction);
  });
}

Array tenon::detail::nanstd(const Operand &x, const Ints &axes, bool keepdims, double correction) {
  return ofFloatAxes("nanstd", x, axes, [&](const Array &floats, const AxisList &all) {
    return rootOf(nanVarianceOf(floats, all, keepdims, correction));
  });
}

Array tenon::detail::nanmean(const Operand &x, const Ints &axes, bool keepdims) {
  return ofFloatAxes("nanmean", x, axes, [&](const Array &floats, const AxisList &all) {
    const Array isNan = isnan(floats);
    return sum(where(isNan, 0, floats), all, keepdims) / sum(astype(!isNan, floats.dtype()), all, keepdims);
  });
}

/// The weights, so that they broadcast with x: they have its shape, or the sizes of the
/// axes as these are given.
static Array besideAxes(const Array &weights, const Array &x, const Ints &axes, Location at) {
  if (provably_equal(weights.shape(), x.shape()) == Always::yes)
    return weights;
  // Where each axis of the weights goes, by x's axes in ascending order.
  std::vector<std::pair<int64_t, int64_t>> places;
  for (int64_t axis : axes.values())
    places.emplace_back(normalizeAxis(OpCode::sum, x, axis, at), static_cast<int64_t>(places.size()));
  bool fits = axes.given() && weights.ndim() == static_cast<int>(places.size());
  for (size_t i = 0; fits && i < places.size(); ++i)
    fits = provably_equal(weights.shape()[static_cast<int>(i)], x.shape()[static_cast<int>(places[i].first)]) ==
           Always::yes;
  if (!fits)
    refuse("average",
           "expected weights of x's shape, or of the sizes of the given axes, got the shape " + weights.shape().str() +
               " for " + x.shape().str(),
           at);
  std::ranges::sort(places);
  Shape shape;
  for (int axis = 0; axis < x.ndim(); ++axis)
    shape.push_back(1);
  AxisList order;
  for (auto [axis, from] : places) {
    order.push_back(from);
    shape.at(static_cast<int>(axis)) = x.shape()[static_cast<int>(axis)];
  }
  return reshape(transpose(weights, order), shape);
}

Array tenon::detail::average(const Operand &operand, const Ints &axes, const Operand &weights, bool keepdims) {
  DoorScope scope("average", operand.location(), {{"x", operand}, {"weights", weights}});
  const Floats floats("average", {&operand, &weights}, Dtype::f32, OpCode::subtract);
  const Array &x = floats[0];
  const AxisList all = normalizeAxisList(OpCode::sum, x, axes, operand.location());
  if (weights.is_none())
    return floats.rounded(mean(x, all, keepdims));
  const Array beside = besideAxes(floats[1], x, axes, operand.location());
  return floats.rounded(sum(x * beside, all, keepdims) / sum(beside, all, keepdims));
}

//===----------------------------------------------------------------------===//
// What NaN does not count in, counts and places
//===----------------------------------------------------------------------===//

/// The reduction of x with `instead` for NaN, of which integers have none.
static Array withoutNan(const char *function, Array (*reduction)(const Operand &, const Ints &, bool), Scalar instead,
                        const Operand &operand, const Ints &axes, bool keepdims) {
  DoorScope scope(function, operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::sum);
  if (kind(x.dtype()) < Kind::floating)
    return reduction(x, axes, keepdims);
  return reduction(where(isnan(x), instead, x), axes, keepdims);
}

Array tenon::detail::nansum(const Operand &x, const Ints &axes, bool keepdims) {
  return withoutNan("nansum", sum, 0, x, axes, keepdims);
}

Array tenon::detail::nanprod(const Operand &x, const Ints &axes, bool keepdims) {
  return withoutNan("nanprod", prod, 1, x, axes, keepdims);
}

/// The extreme of what is not NaN, for which `least` stands; NaN where there is nothing else.
static Array nanExtreme(const char *function, Array (*reduction)(const Operand &, const Ints &, bool), Scalar least,
                        const Operand &operand, const Ints &axes, bool keepdims) {
  DoorScope scope(function, operand.location(), {{"x", operand}});
  const Array extreme = withoutNan(function, reduction, least, operand, axes, keepdims);
  if (kind(extreme.dtype()) < Kind::floating)
    return extreme;
  // Where it is that number itself: the mean of those that have it, in whose derivative the
  // substitutes have no part. Of none it is NaN.
  const Array x = toArray(operand, OpCode::sum), isNan = isnan(x);
  const Array count = sum(astype(!isNan, is_narrow(x.dtype()) ? Dtype::f32 : x.dtype()), axes, keepdims);
  const Array same = convert(sum(where(isNan, 0, x), axes, keepdims) / count, x.dtype(), operand.location());
  return where(extreme == least, same, extreme);
}

Array tenon::detail::nanmax(const Operand &x, const Ints &axes, bool keepdims) {
  return nanExtreme("nanmax", max, -INFINITY, x, axes, keepdims);
}

Array tenon::detail::nanmin(const Operand &x, const Ints &axes, bool keepdims) {
  return nanExtreme("nanmin", min, INFINITY, x, axes, keepdims);
}

Array tenon::detail::ptp(const Operand &operand, const Ints &axes, bool keepdims) {
  DoorScope scope("ptp", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::max);
  return max(x, axes, keepdims) - min(x, axes, keepdims);
}

Array tenon::detail::count_nonzero(const Operand &operand, const Ints &axes, bool keepdims) {
  DoorScope scope("count_nonzero", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::not_equal);
  // In i32 where it holds all that may be counted.
  const Dim most = element_count(x.shape());
  const Dtype dtype = most.is_static() && most.raw() <= INT32_MAX ? Dtype::i32 : Dtype::i64;
  const Array count = sum(astype(x.dtype() == Dtype::bool_ ? x : x != 0, dtype), axes, keepdims);
  return convert(count, Dtype::i64, operand.location());
}

Array tenon::detail::argmin(const Operand &operand, std::optional<Axis> axis, bool keepdims) {
  DoorScope scope("argmin", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::argmax);
  // What turns the order around: of integers the complement, which does not overflow.
  return argmax(kind(x.dtype()) < Kind::floating ? bitwise_invert(x) : -x, axis, keepdims);
}

/// The index of the first extreme of what is not NaN, for which `least` stands; -1 where there is nothing else.
static Array nanPlace(const char *function, Array (*reduction)(const Operand &, const Ints &, bool), Scalar least,
                      const Operand &operand, std::optional<Axis> axis, bool keepdims) {
  DoorScope scope(function, operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::argmax);
  if (kind(x.dtype()) < Kind::floating)
    return least.as_double() < 0 ? argmax(x, axis, keepdims) : argmin(x, axis, keepdims);
  const Ints axes = axis ? Ints(axis->value()) : Ints();
  const Array isNan = isnan(x), numbers = where(isNan, least, x);
  // An infinity of x is one of those that `least` stands beside: the first that is that extreme itself.
  const Array isExtreme = numbers == reduction(numbers, axes, true) && !isNan;
  return where(all(isNan, axes, keepdims), -1, argmax(isExtreme, axis, keepdims));
}

Array tenon::detail::nanargmax(const Operand &x, std::optional<Axis> axis, bool keepdims) {
  return nanPlace("nanargmax", max, -INFINITY, x, axis, keepdims);
}

Array tenon::detail::nanargmin(const Operand &x, std::optional<Axis> axis, bool keepdims) {
  return nanPlace("nanargmin", min, INFINITY, x, axis, keepdims);
}

/// The running sums or products with `instead` for NaN, of which integers have none.
static Array nanCumulative(const char *function, Array (*running)(const Operand &, std::optional<Axis>, bool),
                           Scalar instead, const Operand &operand, std::optional<Axis> axis) {
  DoorScope scope(function, operand.location(), {{"x", operand}});
  Array x = toArray(operand, OpCode::cumulative_sum);
  if (kind(x.dtype()) >= Kind::floating)
    x = where(x != x, instead, x);
  return axis ? running(x, axis, false) : running(reshape(x, {-1}), Axis(0), false);
}

Array tenon::nancumsum(const Operand &x, std::optional<Axis> axis) {
  return nanCumulative("nancumsum", cumulative_sum, 0, x, axis);
}

Array tenon::nancumprod(const Operand &x, std::optional<Axis> axis) {
  return nanCumulative("nancumprod", cumulative_prod, 1, x, axis);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// s^(1/ord) of a sum of powers; of 0, for a positive order, its derivative is 0.
static Array rootOf(const Array &sum, double ord) {
  if (ord < 0)
    return pow(sum, 1 / ord);
  const Array isZero = sum == 0;
  return where(isZero, 0, pow(where(isZero, 1, sum), 1 / ord));
}

/// Of complex numbers by their sizes.
static Array normOf(const Array &x, const AxisList &axes, bool keepdims, double ord) {
  if (ord == 2)
    return rootOf(sum(isComplex(x) ? square(real(x)) + square(imag(x)) : x * x, axes, keepdims));
  const Array size = abs(x);
  if (ord == 0)
    return sum(astype(x != 0, size.dtype()), axes, keepdims);
  if (ord == 1)
    return sum(size, axes, keepdims);
  if (std::isinf(ord))
    return ord > 0 ? max(size, axes, keepdims) : min(size, axes, keepdims);
  return rootOf(sum(pow(size, ord), axes, keepdims), ord);
}

/// The largest sum of |x| along one of the two axes, of an order below 0 the smallest: of columns where it is 1, of
/// rows where it is infinite.
static Array matrixNormOf(const Array &x, int64_t row, int64_t column, bool keepdims, double ord) {
  const Array sums = sum(abs(x), std::isinf(ord) ? column : row, true);
  const AxisList both{row, column};
  return ord < 0 ? min(sums, both, keepdims) : max(sums, both, keepdims);
}

/// A norm of floats, or of complex numbers, where it is real.
template <class F>
static Array ofSizes(const char *function, const Operand &x, F &&compute) {
  DoorScope scope(function, x.location(), {{"x", x}});
  const Floats floats(function, {&x}, Dtype::f32, OpCode::subtract);
  const Array result = compute(floats[0]);
  return isComplex(floats[0]) ? result : floats.rounded(result);
}

static void expectOrder(const char *function, double ord, Location at) {
  if (std::isnan(ord))
    refuse(function, "expected a number as ord, got nan", at);
}

Array tenon::detail::vector_norm(const Operand &operand, const Ints &axes, bool keepdims, double ord) {
  const Location at = operand.location();
  return ofSizes("vector_norm", operand, [&](const Array &x) {
    expectOrder("vector_norm", ord, at);
    return normOf(x, normalizeAxisList(OpCode::sum, x, axes, at), keepdims, ord);
  });
}

/// The largest, the smallest or the sum of the singular values.
static Array singularNormOf(const Array &x, bool keepdims, MatrixNorm ord, Location at) {
  const Array s = applyToMatrix(OpCode::svdvals, x, at);
  const AxisList last = {s.ndim() - 1};
  const Array norm = ord == MatrixNorm::nuclear    ? sum(s, last)
                     : ord == MatrixNorm::spectral ? max(neverEmpty(s, last, 0), last)
                                                   : min(s, last);
  return keepdims ? expand_dims(norm, {-2, -1}) : norm;
}

Array tenon::matrix_norm(const Operand &operand, bool keepdims, MatrixNorm ord) {
  return ofSizes("matrix_norm", operand, [&](const Array &x) {
    const int rank = x.ndim();
    if (rank < 2)
      refuse("matrix_norm", "expected an array of rank 2 or more, got " + x.shape().str(), operand.location());
    expectMode("matrix_norm", "MatrixNorm", ord, operand.location());
    if (ord == MatrixNorm::frobenius)
      return normOf(x, {rank - 2, rank - 1}, keepdims, 2);
    if (ord == MatrixNorm::spectral || ord == MatrixNorm::minus_spectral || ord == MatrixNorm::nuclear)
      return singularNormOf(x, keepdims, ord, operand.location());
    const bool isOfColumns = ord == MatrixNorm::one || ord == MatrixNorm::minus_one;
    const bool isSmallest = ord == MatrixNorm::minus_one || ord == MatrixNorm::minus_infinity;
    const double size = isOfColumns ? 1 : INFINITY;
    return matrixNormOf(x, rank - 2, rank - 1, keepdims, isSmallest ? -size : size);
  });
}

Array tenon::detail::norm(const Operand &operand, const Ints &axes, bool keepdims, std::optional<double> ord) {
  const Location at = operand.location();
  return ofSizes("norm", operand, [&](const Array &x) {
    AxisList places(static_cast<size_t>(x.ndim()));
    std::iota(places.begin(), places.end(), 0);
    if (axes.given())
      places = distinctAxes(axes.values(), x.ndim(), at); // rows and columns as the user has them
    if (!ord && (!axes.given() || places.size() == 2)) {
      std::ranges::sort(places);
      return normOf(x, places, keepdims, 2);
    }
    if (places.size() != 1 && places.size() != 2)
      refuse("norm", "expected one axis, of vectors, or two, of matrices, got " + std::to_string(places.size()), at);
    const double order = ord.value_or(2);
    expectOrder("norm", order, at);
    if (places.size() == 1)
      return normOf(x, places, keepdims, order);
    if (std::abs(order) != 1 && !std::isinf(order))
      refuse("norm", "expected an ord of 1, -1, inf or -inf of matrices, or none, got " + Scalar(order).str(), at);
    return matrixNormOf(x, places[0], places[1], keepdims, order);
  });
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

Array tenon::diff(const Operand &operand, int n, Axis axis, const Operand &prepend, const Operand &append) {
  DoorScope scope("diff", operand.location(), {{"x", operand}, {"prepend", prepend}, {"append", append}});
  if (n < 0)
    refuse("diff", "expected n >= 0, got " + std::to_string(n), operand.location());
  std::vector<Array> pieces = promoted("diff", {&prepend, &operand, &append});
  if (!pieces[1].has_value())
    throw Error("diff: expected an array, got an empty Array", userLocation(operand.location()));
  if (n == 0) // nothing is joined either, as in NumPy
    return toArray(operand, OpCode::subtract);
  const int place = static_cast<int>(normalizeAxis(OpCode::sum, pieces[1], axis.value(), operand.location()));
  Shape one = pieces[1].shape();
  one.at(place) = 1;
  for (Array &piece : pieces)
    if (piece.has_value() && piece.ndim() == 0)
      piece = broadcast(piece, one, operand.location());
  std::erase_if(pieces, [](const Array &piece) { return !piece.has_value(); });
  Array x = pieces.size() == 1 ? pieces[0] : concatenate(pieces, place, operand.location());
  if (const Dim count = x.shape()[place]; count.is_static() && count.raw() <= n)
    return partOf(x, place, 0, 0);
  constexpr int most = 1 << 12; // an array for each
  if (n > most)
    refuse("diff", "expected an n of at most " + std::to_string(most) + ", got " + std::to_string(n),
           operand.location());
  for (int i = 0; i < n; ++i) {
    const Dim count = x.shape()[place];
    const Array after = partOf(x, place, 1, count), before = partOf(x, place, 0, count - 1);
    x = x.dtype() == Dtype::bool_ ? after != before : after - before;
  }
  return x;
}
