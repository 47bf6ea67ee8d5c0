//===- Resize.cpp - images of other sizes -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An axis is resized by itself: the result is a sum of elements along it, each with a
// constant weight. ResizeTaps.h says which ones.
//===----------------------------------------------------------------------===//
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/ResizeTaps.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <cmath>
#include <span>

using namespace tenon;
using namespace tenon::detail;

using Taps = std::vector<std::vector<Tap>>;

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// x at constant places along an axis: a slice if they are evenly spaced. `places` have `shape`, whose axes replace the
/// axis.
static Array elementsAt(const Array &x, int axis, const std::vector<int64_t> &places, const Shape &shape, Location at) {
  const auto count = static_cast<int64_t>(places.size());
  if (shape.rank() == 1 && count > 0) {
    const int64_t step = count > 1 ? places[1] - places[0] : 1;
    bool isEven = step > 0;
    for (int64_t i = 1; isEven && i < count; ++i)
      isEven = places[static_cast<size_t>(i)] - places[static_cast<size_t>(i - 1)] == step;
    if (isEven)
      return partOf(x, axis, places.front(), places.back() + 1, step);
  }
  Shape sizes = x.shape(), starts = shape;
  sizes.at(axis) = 1;
  starts.push_back(1, at);
  std::vector<int64_t> windowAxes;
  for (int i = 0; i < x.ndim(); ++i)
    if (i != axis)
      windowAxes.push_back(i < axis ? i : i + shape.rank() - 1);
  const Array indices = to_device(Array(places, starts, at), x.device(), at);
  return gather(x, indices, sizes, windowAxes, axis, axis, {}, {}, IndexMode::clip);
}

/// Weights in the dtype of x, along the axes of `shape` that start at `axis` of the result.
static Array weightsBeside(const Array &x, int axis, const std::vector<double> &weights, Shape shape, Location at) {
  for (int i = axis + 1; i < x.ndim(); ++i)
    shape.push_back(1, at);
  if (x.dtype() == Dtype::f64)
    return to_device(Array(weights, shape, at), x.device(), at);
  return to_device(Array(std::vector<float>(weights.begin(), weights.end()), shape, at), x.device(), at);
}

/// The elements times their weights. An infinity or a NaN with weight 0 does not count.
static Array weighted(const Array &elements, const Array &weights, bool hasZeros) {
  return hasZeros ? where(weights == 0, 0, elements) * weights : elements * weights;
}

/// More taps than this are one gather and one sum, fewer are added up one after another.
static constexpr size_t mostUnrolledTaps = 8;

static Array resized(const Array &x, int axis, const Taps &taps, Location at) {
  const auto count = static_cast<int64_t>(taps.size());
  size_t most = 1;
  bool areCopies = true;
  for (const std::vector<Tap> &each : taps) {
    most = std::max(most, each.size());
    areCopies = areCopies && each.size() == 1 && each[0].weight == 1;
  }
  std::vector<int64_t> places;
  std::vector<double> weights;
  // The taps `from` to `stop` of each element; where it has fewer, its first one with weight 0.
  bool hasZeros = false;
  auto collect = [&](size_t from, size_t stop) {
    places.clear();
    weights.clear();
    hasZeros = false;
    for (const std::vector<Tap> &each : taps)
      for (size_t i = from; i < stop; ++i) {
        const bool isTap = i < each.size();
        hasZeros |= !isTap;
        places.push_back(each[isTap ? i : 0].index);
        weights.push_back(isTap ? each[i].weight : 0);
      }
  };
  if (areCopies) {
    collect(0, 1);
    return elementsAt(x, axis, places, {count}, at);
  }
  if (most > mostUnrolledTaps && x.ndim() < max_rank) {
    collect(0, most);
    const Shape shape{count, static_cast<int64_t>(most)};
    const Array parts = elementsAt(x, axis, places, shape, at);
    return sum(weighted(parts, weightsBeside(x, axis, weights, shape, at), hasZeros), axis + 1);
  }
  Array total;
  for (size_t i = 0; i < most; ++i) {
    collect(i, i + 1);
    const Array part =
        weighted(elementsAt(x, axis, places, {count}, at), weightsBeside(x, axis, weights, {count}, at), hasZeros);
    total = i == 0 ? part : total + part;
  }
  return total;
}

//===----------------------------------------------------------------------===//
// The axes of a call
//===----------------------------------------------------------------------===//

namespace {
struct AxisTaps {
  int axis;
  ResizedAxis sizes;
  Taps taps;
};
} // namespace

/// Scales are often given in f32: a relative difference below this is none.
static constexpr double scaleTolerance = 0x1p-22;

static std::vector<double> scalesFrom(const Operand &scales, size_t count, Location at) {
  const Array given = toArray(scales, OpCode::multiply);
  const std::optional<std::vector<double>> known = knownNumbers(given);
  if (!known)
    refuse("the positions depend on the values of scales, which are unknown inside jit and vmap; give numbers", at);
  if (known->size() != count)
    refuse("expected a scale for each of " + std::to_string(count) + " axes, got " + std::to_string(known->size()), at);
  for (double scale : *known)
    if (!(scale > 0) || std::isinf(scale))
      refuse("expected scales > 0, got " + Scalar(scale).str(), at);
  return *known;
}

/// size * scale, rounded down.
static int64_t scaledSize(int64_t size, double scale, Location at) {
  const double exact = static_cast<double>(size) * scale, nearest = std::round(exact);
  const double whole = std::abs(exact - nearest) <= nearest * scaleTolerance ? nearest : std::floor(exact);
  if (whole > 0x1p31)
    refuse("the scale " + Scalar(scale).str() + " makes an axis of " + std::to_string(size) + " elements too large",
           at);
  return static_cast<int64_t>(whole);
}

static bool isMostly(double a, double b) { return std::abs(a - b) <= b * scaleTolerance; }

/// A size that decides which elements are taken.
static int64_t exactSize(Dim size, int axis, Location at) {
  if (!size.is_static())
    refuse("expected exact sizes of the resized axes, got " + size.str() + " for axis " + std::to_string(axis), at);
  if (size.raw() > int64_t(1) << 31)
    refuse("expected resized axes of at most 2^31 elements, got " + size.str() + " for axis " + std::to_string(axis),
           at);
  return size.raw();
}

/// Which of the axes change, and what their elements become.
static std::vector<AxisTaps> changedAxes(const Array &x, const Shape &sizes, const std::vector<int64_t> &axes,
                                         const std::vector<double> &scales, const Resizing &how, Location at) {
  std::vector<AxisTaps> changed;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<int>(axes[i]);
    const Dim size = x.shape()[axis];
    const bool hasScale = !scales.empty() && !isMostly(scales[i], 1);
    if (!sizes.empty() && !hasScale && keepsEqualSizes(how) &&
        provably_equal(size, sizes[static_cast<int>(i)]) == Always::yes)
      continue;
    ResizedAxis resizing{exactSize(size, axis, at), 0, {}};
    resizing.newSize =
        sizes.empty() ? scaledSize(resizing.size, scales[i], at) : exactSize(sizes[static_cast<int>(i)], axis, at);
    if (resizing.newSize < 0)
      refuse("expected sizes >= 0, got " + sizes.str(), at);
    if (resizing.size == 0 && resizing.newSize > 0)
      refuse("axis " + std::to_string(axis) + " has no elements to make " + std::to_string(resizing.newSize) + " of",
             at);
    const auto newSize = static_cast<double>(resizing.newSize);
    if (!scales.empty() && !isMostly(scales[i] * static_cast<double>(resizing.size), newSize))
      resizing.scale = scales[i];
    if (newSize * mostTaps(how, resizing) > 0x1p26)
      refuse("axis " + std::to_string(axis) + " of " + std::to_string(resizing.size) +
                 " elements is too large to make " + std::to_string(resizing.newSize) + " of",
             at);
    Taps taps = tapsOf(how, resizing);
    bool isSame = resizing.size == resizing.newSize;
    for (int64_t place = 0; isSame && place < resizing.size; ++place)
      isSame = taps[static_cast<size_t>(place)] == std::vector{Tap{place, 1}};
    if (!isSame)
      changed.push_back({axis, resizing, std::move(taps)});
  }
  // The fewest products: two axes in the better order cost a * (1 + n' * b) less than in the other one, so their order
  // follows from a number of each. Axes that shrink come first.
  auto gain = [&](const AxisTaps &each) {
    const auto newSize = static_cast<double>(std::max<int64_t>(each.sizes.newSize, 1));
    return (static_cast<double>(each.sizes.size) / newSize - 1) / mostTaps(how, each.sizes);
  };
  std::ranges::stable_sort(changed, [&](const AxisTaps &a, const AxisTaps &b) { return gain(a) > gain(b); });
  return changed;
}

/// The axes that `sizes` or `scales` are for.
static std::vector<int64_t> resizedAxes(const Array &x, const Ints &axes, size_t count, Location at) {
  std::vector<int64_t> out;
  if (axes.given()) {
    out = distinctAxes(axes.values(), x.ndim(), at);
  } else {
    for (int64_t i = 1; i + 1 < x.ndim(); ++i)
      out.push_back(i);
  }
  if (out.size() == count)
    return out;
  if (axes.given())
    refuse("expected as many sizes as axes, got " + std::to_string(count) + " and " + std::to_string(out.size()), at);
  refuse("expected a size for each of the " + std::to_string(out.size()) +
             " axes between the first and the last of x, got " + std::to_string(count) + "; name the axes with .axis",
         at);
}

static Array resizedBy(Array x, const std::vector<AxisTaps> &changed, Location at) {
  for (const AxisTaps &each : changed)
    x = resized(x, each.axis, each.taps, at);
  return x;
}

Array detail::image_resize(const Operand &operand, const Shape &sizes, ResizeMethod method,
                           ResizeCoordinates coordinates, bool antialias, ResizeRounding rounding,
                           double cubic_coefficient, std::optional<bool> exclude_outside, const Ints &axes,
                           const Operand &scales) {
  const Location at = operand.location();
  DoorScope scope("image_resize", at, {{"x", operand}});
  expectMode("image_resize", "ResizeMethod", method, at);
  expectMode("image_resize", "ResizeCoordinates", coordinates, at);
  expectMode("image_resize", "ResizeRounding", rounding, at);
  const Array x = toArray(operand, OpCode::gather);
  if (!std::isfinite(cubic_coefficient))
    refuse("expected a finite cubic_coefficient, got " + Scalar(cubic_coefficient).str(), at);
  const bool isCovering = method == ResizeMethod::area || method == ResizeMethod::average;
  if (isCovering && coordinates != ResizeCoordinates::half_pixel)
    refuse("expected the coordinates half_pixel for the method " + std::string(name(method)) + ", got " +
               std::string(name(coordinates)),
           at);
  std::vector<double> given;
  size_t count = sizes.size();
  if (!scales.is_none()) {
    if (sizes.empty())
      count = axes.given() ? axes.values().size() : static_cast<size_t>(std::max(x.ndim() - 2, 0));
    given = scalesFrom(scales, count, at);
  }
  const bool excludes = exclude_outside.value_or(antialias || method > ResizeMethod::average);
  const Resizing how{method, coordinates, rounding, antialias, excludes, cubic_coefficient};
  const std::vector<AxisTaps> changed = changedAxes(x, sizes, resizedAxes(x, axes, count, at), given, how, at);
  if (method == ResizeMethod::nearest)
    return resizedBy(x, changed, at);
  if (x.dtype() == Dtype::bool_)
    refuse("expected numbers to interpolate, got bool; use ResizeMethod::nearest or convert them with astype", at);
  if (kind(x.dtype()) == Kind::integer) {
    if (changed.empty())
      return x;
    const Dtype wide = item_size(x.dtype()) <= 2 ? Dtype::f32 : Dtype::f64;
    return convert(round(resizedBy(convert(x, wide, at), changed, at)), x.dtype(), at);
  }
  const Floats floats("image_resize", {&operand}, Dtype::f32, OpCode::multiply);
  auto compute = [&](const Array &part) { return resizedBy(part, changed, at); };
  return floats.rounded(isComplex(floats[0]) ? ofParts(floats[0], compute) : compute(floats[0]));
}
