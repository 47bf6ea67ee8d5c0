//===- Search.cpp - places among sorted numbers, and counts ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

static void expectOneAxis(const char *function, const char *what, const Array &x, Location at) {
  if (x.ndim() != 1)
    refuse(function, std::string("expected ") + what + " of rank 1, got " + x.shape().str(), at);
}

/// Neither complex numbers nor what only stores them have an order.
static void expectOrdered(const char *function, const Array &x, Location at) {
  if (const std::string problem = checkDtype(opInfo(OpCode::less), x.dtype()); !problem.empty())
    refuse(function, problem, at);
}

Array tenon::searchsorted(const Operand &x1, const Operand &x2, Side side, const Operand &sorter) {
  DoorScope scope("searchsorted", x1.location(), {{"x1", x1}, {"x2", x2}, {"sorter", sorter}});
  const std::vector<Array> both = promoted("searchsorted", {&x1, &x2});
  for (const Array &array : both)
    if (!array.has_value())
      throw Error("searchsorted: expected an array, got an empty Array", userLocation(x1.location()));
  expectOrdered("searchsorted", both[0], x1.location());
  expectOneAxis("searchsorted", "x1", both[0], x1.location());
  expectMode("searchsorted", "Side", side, x1.location());
  if (sorter.is_none())
    return placesIn(both[0], both[1], side == Side::right);
  const Array order = toArray(sorter, OpCode::gather, {}, both[0].device());
  if (kind(order.dtype()) != Kind::integer || provably_equal(order.shape(), both[0].shape()) == Always::no)
    refuse("searchsorted",
           "expected as sorter integers of x1's shape " + both[0].shape().str() + ", got " +
               describe(order.dtype(), order.shape()),
           x1.location());
  return placesIn(take(both[0], order, 0), both[1], side == Side::right);
}

Array tenon::digitize(const Operand &x, const Operand &bins, bool right) {
  DoorScope scope("digitize", x.location(), {{"x", x}, {"bins", bins}});
  const std::vector<Array> both = promoted("digitize", {&x, &bins});
  for (const Array &array : both)
    if (!array.has_value())
      throw Error("digitize: expected an array, got an empty Array", userLocation(x.location()));
  const Array &edges = both[1];
  expectOrdered("digitize", edges, x.location());
  expectOneAxis("digitize", "bins", edges, bins.location());
  const Dim count = edges.shape()[0];
  const Array ascending = placesIn(edges, both[0], !right);
  if (count.is_static() && count.raw() < 2)
    return ascending;
  // The other way round where they descend: behind each edge lies what is before it.
  const Array backwards = edges[tenon::slice(none, none, -1)], size = dimension(edges, 0);
  return where(edges[0] > edges[-1], size - placesIn(backwards, both[0], !right), ascending);
}

Array tenon::isin(const Operand &x, const Operand &test_elements, bool invert) {
  DoorScope scope("isin", x.location(), {{"x", x}, {"test_elements", test_elements}});
  const std::vector<Array> both = promoted("isin", {&x, &test_elements});
  for (const Array &array : both)
    if (!array.has_value())
      throw Error("isin: expected an array, got an empty Array", userLocation(x.location()));
  const Array among = reshape(both[1], {-1});
  const Dim count = among.shape()[0];
  // Few elements, or possibly none: compares each with each. Many: sorts them and compares each x with the element at
  // its position. bool and complex have no order and are always compared each with each.
  constexpr int64_t few = 16;
  Array isAmong;
  const bool areMany = count.is_static() ? count.raw() > few : provably_less(0, count) == Always::yes;
  if (areMany && contains(opInfo(OpCode::less).dtypes, among.dtype())) {
    const Array sorted = sort(among);
    isAmong = take(sorted, minimum(placesIn(sorted, both[0], false), dimension(sorted, 0) - 1), 0) == both[0];
  } else {
    Shape row = both[0].shape();
    row.push_back(1);
    isAmong = any(reshape(both[0], row) == among, -1);
  }
  return invert ? !isAmong : isAmong;
}

/// Two arrays of one dtype, to be compared as wholes.
static std::pair<Array, Array> wholes(const char *function, const Operand &x1, const Operand &x2) {
  const std::vector<Array> both = promoted(function, {&x1, &x2});
  for (const Array &array : both)
    if (!array.has_value())
      throw Error(std::string(function) + ": expected an array, got an empty Array", userLocation(x1.location()));
  return {both[0], both[1]};
}

Array tenon::array_equal(const Operand &x1, const Operand &x2, bool equal_nan) {
  const Location at = x1.location();
  DoorScope scope("array_equal", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = wholes("array_equal", x1, x2);
  const Always isOneShape = provably_equal(a.shape(), b.shape());
  if (isOneShape == Always::unknown)
    refuse("array_equal",
           "expected shapes of which it is known whether they are equal, got " + a.shape().str() + " and " +
               b.shape().str(),
           at);
  if (isOneShape == Always::no)
    return full({}, false, Dtype::bool_, a.device(), at);
  const Array isEqual = a == b;
  return all(equal_nan && kind(a.dtype()) >= Kind::floating ? isEqual || (a != a && b != b) : isEqual);
}

/// Whether the shapes broadcast, for all values of their symbols.
static Always provablyBroadcast(const Shape &a, const Shape &b) {
  Always fits = Always::yes;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const Dim one = a[-i], other = b[-i];
    if (one.raw() == 1 || other.raw() == 1)
      continue;
    const Always isEqual = provably_equal(one, other);
    if (isEqual == Always::no)
      return Always::no;
    if (isEqual == Always::unknown)
      fits = Always::unknown;
  }
  return fits;
}

Array tenon::array_equiv(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("array_equiv", at, {{"x1", x1}, {"x2", x2}});
  const auto [a, b] = wholes("array_equiv", x1, x2);
  const Always fits = provablyBroadcast(a.shape(), b.shape());
  if (fits == Always::unknown)
    refuse("array_equiv",
           "expected shapes of which it is known whether they broadcast, got " + a.shape().str() + " and " +
               b.shape().str(),
           at);
  if (fits == Always::no)
    return full({}, false, Dtype::bool_, a.device(), at);
  return all(a == b);
}

/// The sums of `weights`, of rank 1, by `places` in [0, length); what is outside is left out.
static Array sumsAt(const Array &places, const Array &weights, Dim length) {
  const Array start = full({length}, false, weights.dtype(), weights.device());
  return scatter_add(start, reshape(places, {-1, 1}), weights, std::vector<int64_t>(), 0, 0, std::vector<int64_t>(),
                     std::vector<int64_t>(), IndexMode::drop);
}

/// Weights of x's shape, as one axis; ones, i64, where there are none.
static Array weightsOf(const char *function, const Operand &weights, const Array &x) {
  if (weights.is_none())
    return full({element_count(x.shape())}, 1, Dtype::i64, x.device());
  const Array given = toArray(weights, OpCode::sum, {}, x.device());
  if (provably_equal(given.shape(), x.shape()) != Always::yes)
    refuse(function, "expected weights of x's shape, got " + given.shape().str() + " for " + x.shape().str(),
           weights.location());
  return reshape(given, {-1});
}

Array tenon::bincount(const Operand &operand, const Operand &weights, int minlength, std::optional<Dim> length) {
  DoorScope scope("bincount", operand.location(), {{"x", operand}, {"weights", weights}});
  const Array x = toArray(operand, OpCode::gather);
  expectOneAxis("bincount", "x", x, operand.location());
  if (minlength < 0)
    refuse("bincount", "expected a minlength >= 0, got " + std::to_string(minlength), operand.location());
  const Array places = toIndices(x, OpCode::gather, operand.location());
  if (!length) {
    const std::optional<std::vector<int64_t>> known = knownValues(places);
    if (!known)
      refuse("bincount", "expected a length, since the elements of x are not known here", operand.location());
    const int64_t most = known->empty() ? -1 : std::ranges::max(*known);
    length = computedSize(
        [&] { return std::max(Dim(most) + 1, Dim(minlength), [](Dim a, Dim b) { return a.raw() < b.raw(); }); },
        operand.location());
  }
  return sumsAt(places, weightsOf("bincount", weights, x), *length);
}

/// Edges of `count` bins of equal width between the ends of `range`, or those of x, in f64.
static Array evenEdges(const char *function, const Array &x, int64_t count, const Array &range, Location at) {
  Array low, high;
  if (range.has_value()) {
    const Array ends = astype(range, Dtype::f64);
    low = ends[0];
    high = ends[1];
  } else if (const Dim size = element_count(x.shape()); isNone(size)) {
    low = full({}, 0, Dtype::f64, x.device());
    high = full({}, 1, Dtype::f64, x.device());
  } else {
    low = astype(min(x), Dtype::f64);
    high = astype(max(x), Dtype::f64);
  }
  if (const auto ends = knownNumbers(range.has_value() ? range : stack({low, high}))) {
    const double first = (*ends)[0], last = (*ends)[1];
    if (!std::isfinite(first) || !std::isfinite(last))
      refuse(function,
             std::string(range.has_value() ? "expected a finite range" : "expected finite data, or a range") +
                 ", got " + Scalar(first).str() + " to " + Scalar(last).str(),
             at);
    if (first > last)
      refuse(function,
             "expected a range that is not reversed, got " + Scalar(first).str() + " to " + Scalar(last).str(), at);
  }
  // A single value is the middle of a range of width 1.
  const Array half = where(low == high, 0.5, full({}, 0, Dtype::f64, x.device()));
  return spaced(low - half, high + half, count + 1, true, at);
}

namespace {

/// One coordinate of a histogram: the bin of each element of the flattened x, outside of [0, bins) where it has none.
struct Binned {
  Array places, edges;
  Dim bins;
  Dtype dtype; ///< of the edges that the caller gets
};

} // namespace

static Binned binned(const char *function, const Operand &operand, const Operand &bins, const Operand &range) {
  const Location at = operand.location();
  const bool isCount = bins.is_scalar();
  const Operand nothing(none);
  const Floats floats(function, {&operand, isCount ? &nothing : &bins, &range});
  const Array data = toArray(operand, OpCode::sort_keys);
  // Integers are compared with edges in f64, f16 and bf16 in f32, other floats in their dtype.
  const Dtype compared = kind(data.dtype()) < Kind::floating ? Dtype::f64 : floats[0].dtype();
  const Array x = reshape(astype(data, compared), {-1});
  // Beyond 2^53 edges not even f64 tells one from the next.
  const auto isNumberOfBins = [](const Scalar &number) {
    return number.kind() == Kind::integer && !number.huge() && number.as_int() >= 1 &&
           number.as_int() <= int64_t(1) << 53;
  };
  if (isCount && !isNumberOfBins(bins.scalar()))
    refuse(function, "expected a number of bins from 1 to 2^53, got " + bins.scalar().str(), bins.location());
  if (!range.is_none() && (floats[2].ndim() != 1 || floats[2].shape()[0].raw() != 2))
    refuse(function, "expected a range of two numbers, got " + floats[2].shape().str(), range.location());
  if (!isCount) {
    if (!range.is_none())
      refuse(function, "expected no range where the edges of the bins are given", range.location());
    expectOneAxis(function, "edges of bins", floats[1], bins.location());
    if (const Dim edges = floats[1].shape()[0]; edges.is_static() && edges.raw() < 2)
      refuse(function, "expected two edges or more, got " + edges.str(), bins.location());
    if (const auto known = knownNumbers(floats[1]); known && !std::ranges::is_sorted(*known))
      refuse(function, "expected edges in increasing order", bins.location());
  }
  const Array ends = range.is_none() ? Array() : toArray(range, OpCode::sort_keys, {}, x.device());
  const Array edges = astype(isCount ? evenEdges(function, x, bins.scalar().as_int(), ends, at)
                                     : toArray(bins, OpCode::sort_keys, {}, x.device()),
                             compared);
  const Array place = placesIn(edges, x, true) - 1, last = dimension(edges, 0) - 1;
  // The last bin has its upper edge.
  return {where(x == edges[-1], last - 1, place), edges, edges.shape()[0] - 1, floats.dtype()};
}

Histogram tenon::histogram(const Operand &operand, const Operand &bins, const Operand &range, const Operand &weights,
                           bool density) {
  DoorScope scope("histogram", operand.location(), {{"x", operand}, {"bins", bins}, {"range", range}});
  const Location at = operand.location();
  const Binned x = binned("histogram", operand, bins, range);
  Array counts = sumsAt(x.places, weightsOf("histogram", weights, toArray(operand, OpCode::sort_keys)), x.bins);
  if (density) {
    const Array widths = diff(x.edges), total = convert(counts, x.edges.dtype(), at);
    counts = convert(total / (widths * sum(total)), x.dtype, at);
  }
  return {counts, convert(x.edges, x.dtype, at)};
}

Histogram2d tenon::detail::histogram2d(const Operand &operand, const Operand &second, const Operand &x_bins,
                                       const Operand &y_bins, const Operand &x_range, const Operand &y_range,
                                       const Operand &weights, bool density) {
  const Location at = operand.location();
  DoorScope scope("histogram2d", at, {{"x", operand}, {"y", second}, {"weights", weights}});
  const Array points = toArray(operand, OpCode::sort_keys), others = toArray(second, OpCode::sort_keys);
  if (provably_equal(points.shape(), others.shape()) != Always::yes)
    refuse("histogram2d", "expected a y of the shape of x, " + points.shape().str() + ", got " + others.shape().str(),
           second.location());
  const Binned x = binned("histogram2d", operand, x_bins, x_range), y = binned("histogram2d", second, y_bins, y_range);
  const auto isInside = [&](const Binned &one) {
    return one.places >= 0 && one.places < sizeOf(one.bins, one.places.device(), at);
  };
  // A point with one coordinate outside is in no cell, not in one of another row.
  const Array cells =
      where(isInside(x) && isInside(y), x.places * sizeOf(y.bins, y.places.device(), at) + y.places, -1);
  const Dim count = computedSize([&] { return x.bins * y.bins; }, at);
  Array counts = reshape(sumsAt(cells, weightsOf("histogram2d", weights, points), count), {x.bins, y.bins});
  if (density) {
    const Dtype wide = promote(x.edges.dtype(), y.edges.dtype());
    const Array total = convert(counts, wide, at);
    const Array areas = expand_dims(convert(diff(x.edges), wide, at), 1) * convert(diff(y.edges), wide, at);
    counts = convert(total / areas / sum(total), promote(x.dtype, y.dtype), at);
  }
  return {counts, convert(x.edges, x.dtype, at), convert(y.edges, y.dtype, at)};
}
