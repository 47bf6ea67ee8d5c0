//===- PoolingWindows.cpp - windows along the axes of an array ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"
#include "lib/ops/Composite.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Pooling.h"

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

Windows::Windows(int rank)
    : window(static_cast<size_t>(rank), 1), strides(window), low(window.size(), 0), high(low), xDilation(window),
      dilation(window) {}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::vector<int64_t> detail::numbersOf(const Ints &given, int count, const char *what, Location at) {
  const std::span<const int64_t> values = given.values();
  if (values.size() != 1 && values.size() != static_cast<size_t>(count))
    refuse("expected " + (count == 1 ? "one number" : "1 or " + std::to_string(count) + " numbers") + " as " + what +
               ", got " + std::to_string(values.size()),
           at);
  for (const int64_t value : values)
    if (value < 1 || value > mostPlaces)
      refuse("expected " + std::string(what) + (value < 1 ? " >= 1" : " <= 2^31") + ", got " + std::to_string(value),
             at);
  if (values.size() == static_cast<size_t>(count))
    return {values.begin(), values.end()};
  return std::vector<int64_t>(static_cast<size_t>(count), values[0]);
}

std::vector<int64_t> detail::numbersOf(const Ints &given, int count, const char *what, int64_t otherwise, Location at) {
  return given.given() ? numbersOf(given, count, what, at)
                       : std::vector<int64_t>(static_cast<size_t>(count), otherwise);
}

Dim detail::windowCount(Dim padded, int64_t reach, int64_t stride, int axis, Location at) {
  // Of no elements there are no windows of one.
  if (provably_less_equal(padded, reach) == Always::yes && !(isNone(padded) && reach == 0))
    refuse("expected windows of at most " + padded.str() + " places, the padded size of axis " + std::to_string(axis) +
               ", got " + std::to_string(reach + 1),
           at);
  return computedSize([&] { return floor_div(padded - (reach + 1), stride) + 1; }, at);
}

Spatial detail::spatialOf(const Array &x, int count, DataFormat format, Location at) {
  expectMode(publicName("reshape"), "DataFormat", format, at);
  if (x.ndim() < count + 1)
    refuse("expected an array of rank >= " + std::to_string(count + 1) + ", with " + std::to_string(count) +
               (count == 1 ? " spatial axis" : " spatial axes") + " and one of channels, got rank " +
               std::to_string(x.ndim()),
           at);
  if (format == DataFormat::channels_first)
    return {x.ndim() - count, count, x.ndim() - count - 1};
  return {x.ndim() - count - 1, count, x.ndim() - 1};
}

Shape detail::sizesOf(const Array &x, const Spatial &spatial) {
  return Shape::of(x.shape().begin() + spatial.first, spatial.count);
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

void detail::expectWindowsFit(const Array &x, const Windows &windows, Location at) {
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    const Dim padded = computedSize(
        [&] {
          const Dim size = x.shape()[axis];
          return (isNone(size) ? Dim(0) : (size - 1) * windows.xDilation[i] + 1) + windows.low[i] + windows.high[i];
        },
        at);
    (void)windowCount(padded, reachOf(windows.window[i], windows.dilation[i], at), windows.strides[i], axis, at);
  }
}

template <class Attrs>
static Array bindWindows(OpCode op, const Array &x, const Windows &w, Location at) {
  return apply(op, {x.value()}, Words(Attrs{w.window, w.strides, w.low, w.high, w.xDilation, w.dilation}), at);
}

Array detail::windowReduce(OpCode op, const Array &x, const Windows &windows, Location at) {
  expectWindowsFit(x, windows, at);
  if (op == OpCode::window_sum)
    return bindWindows<WindowSumAttrs>(op, x, windows, at);
  if (op == OpCode::window_max)
    return bindWindows<WindowMaxAttrs>(op, x, windows, at);
  return bindWindows<WindowMinAttrs>(op, x, windows, at);
}

Array tenon::decomposeWindowMean(std::span<const Array> operands, AttrWords attributes) {
  const WindowMeanAttrs a = WindowMeanAttrs::read(attributes);
  if (a.divisor.kind != Kind::floating)
    throw Error("expected a floating divisor");
  return apply(OpCode::window_sum, {operands[0].value()},
               Words(WindowSumAttrs{a.window, a.strides, a.low, a.high, a.x_dilation, a.window_dilation}), {}) /
         a.divisor.asDouble();
}

Array detail::windowMean(const Array &x, const Windows &w, double divisor, Location at) {
  expectWindowsFit(x, w, at);
  return bindComposite(CompositeId::window_mean, {x.value()},
                       Words(WindowMeanAttrs{w.window, w.strides, w.low, w.high, w.xDilation, w.dilation,
                                             ScalarAttr::floating(divisor)}),
                       at);
}

Array detail::windowArgmax(const Array &x, const Windows &w, int axis, bool isMin, Location at) {
  expectWindowsFit(x, w, at);
  return apply(OpCode::window_argmax, {x.value()},
               Words(WindowArgmaxAttrs{w.window, w.strides, w.low, w.high, w.xDilation, w.dilation, isMin, axis}), at);
}

Array detail::sumAtPlaces(const Array &values, const Array &places, const Shape &shape, Location at) {
  const Dim count = computedSize([&] { return element_count(shape); }, at);
  const Array sums =
      scatter_add(zeros({count}, values.dtype(), values.device(), at), reshape(places, {-1, 1}), reshape(values, {-1}),
                  Ints(std::vector<int64_t>()), {0}, {0}, {}, {}, IndexMode::drop);
  return reshape(sums, shape);
}

Array detail::takePlaces(const Array &x, const Array &places, int axis) {
  Shape rows = places.shape(), sizes = x.shape();
  rows.push_back(1);
  sizes.at(axis) = 1;
  std::vector<int64_t> kept;
  for (int i = 0; i < x.ndim(); ++i)
    if (i != axis)
      kept.push_back(i < axis ? i : i + places.ndim() - 1);
  return gather(x, reshape(places, rows), sizes, kept, {axis}, {axis}, {}, {}, IndexMode::drop, Scalar(false));
}
