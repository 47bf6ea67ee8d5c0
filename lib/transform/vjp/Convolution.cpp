//===- Convolution.cpp - derivatives of convolutions and windows ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Convolution.h"
#include "lib/ops/composites/Shaping.h"
#include "lib/transform/Rules.h"

#include <tenon/error.h>

#include <algorithm>

namespace tenon {

using detail::Sliding;

static std::vector<int64_t> listOf(std::span<const int64_t> values) { return {values.begin(), values.end()}; }

/// The high padding with which windows give `count` results: over elements `xDilation` places apart, of which there are
/// `size`. It is a number where the sizes are symbols, too, unless a stride leaves some elements over.
static int64_t highFor(const VjpCall &call, Dim size, int64_t xDilation, int64_t low, Dim extent, Dim count,
                       int64_t stride) {
  const Dim dilated = (size - 1) * Dim(xDilation) + 1;
  const Dim high = (count - 1) * Dim(stride) + extent - dilated - Dim(low);
  if (!high.is_static())
    throwOpError(call.info, {},
                 std::string(call.info.name) + ": the derivative needs the padding " + high.str() +
                     " as a number; use exact sizes, or a stride of 1 along axes of symbolic size",
                 call.at);
  return high.raw();
}
static Dim extentOf(Dim window, int64_t dilation) { return (window - 1) * Dim(dilation) + 1; }

/// The convolution of the cotangent, dilated by the strides, with the kernel, reversed along its spatial axes.
static Array cotangentOfX(const VjpCall &call, const Array &kernel, const Array &ct, const ConvolutionAttrs &a) {
  const int spatial = ct.ndim() - 3;
  const Shape &x = call.operandTypes[0].shape, &result = call.resultTypes[0].shape, &k = call.operandTypes[1].shape;
  Sliding sliding{listOf(a.x_dilation), {}, {}, listOf(a.strides), listOf(a.window_dilation)};
  std::vector<int64_t> order;
  std::vector<int64_t> spatialAxes;
  for (int i = 0; i < spatial; ++i) {
    const auto at = static_cast<size_t>(i);
    const Dim extent = extentOf(k[i], a.window_dilation[at]);
    sliding.low.push_back(extent.raw() - 1 - a.low[at]);
    sliding.high.push_back(
        highFor(call, result[i + 1], a.strides[at], sliding.low.back(), extent, x[i + 1], a.x_dilation[at]));
    order.push_back(i);
    spatialAxes.push_back(i);
  }
  for (int axis : {spatial + 2, spatial + 1, spatial}) // in and out change places
    order.push_back(axis);
  const Array reversed = spatial ? flip(kernel, spatialAxes) : kernel;
  return detail::convolution(ct, transpose(reversed, order), sliding, ct.dtype(), call.at);
}

/// The convolution of x with another array of its layout, whose places are the taps of the windows: the channels of x
/// are the batch, and the batch is the first spatial axis, so that the taps are walked in the order in which they lie
/// in memory. Where there is no rank left for one more axis, the batch is what channels are, the last. The result is
/// [windows..., channels of x, groups, channels of taps].
static Array sumsOverBatch(const VjpCall &call, const Array &x, const Array &taps, Sliding sliding) {
  const int spatial = x.ndim() - 3;
  const auto convolve = [&](const Array &a, const Array &b) {
    return detail::convolution(a, b, sliding, x.dtype(), call.at);
  };
  if (x.ndim() == max_rank) {
    std::vector<int64_t> ofX{spatial + 2}, ofTaps, back;
    for (int i = 1; i <= spatial; ++i) {
      ofX.push_back(i);
      ofTaps.push_back(i);
      back.push_back(i);
    }
    for (int axis : {spatial + 1, 0})
      ofX.push_back(axis);
    for (int axis : {0, spatial + 1, spatial + 2}) {
      ofTaps.push_back(axis);
      back.push_back(axis);
    }
    return transpose(convolve(transpose(x, ofX), transpose(taps, ofTaps)), back);
  }
  for (auto [values, value] : {std::pair(&sliding.strides, 1), std::pair(&sliding.low, 0), std::pair(&sliding.high, 0),
                               std::pair(&sliding.xDilation, 1), std::pair(&sliding.windowDilation, 1)})
    values->insert(values->begin(), value);
  // x [in, batch, spatial..., groups, 1], the taps [batch, spatial..., 1, groups, out]; the result is [in, 1,
  // windows..., groups, out].
  std::vector<int64_t> ofX{spatial + 2}, back;
  for (int i = 0; i <= spatial + 1; ++i)
    ofX.push_back(i);
  for (int i = 1; i <= spatial; ++i)
    back.push_back(i);
  for (int axis : {0, spatial + 1, spatial + 2})
    back.push_back(axis);
  const Array sums = convolve(expand_dims(transpose(x, ofX), -1), expand_dims(taps, spatial + 1));
  return transpose(squeeze(sums, 1), back);
}

/// The convolution of x with the cotangent. Where x is dilated and strides are 1, as in a transposed convolution, they
/// change places: the cotangent is convolved with x, and the result is reversed. Then the taps are the elements of x
/// without the gaps, and the sums are in the order of x instead of the cotangent's, within the blocks of those taps.
static Array cotangentOfKernel(const VjpCall &call, const Array &x, const Array &ct, const ConvolutionAttrs &a) {
  const int spatial = ct.ndim() - 3;
  const Shape &k = call.operandTypes[1].shape, &result = call.resultTypes[0].shape;
  const bool changePlaces = std::ranges::all_of(a.strides, [](int64_t stride) { return stride == 1; }) &&
                            std::ranges::any_of(a.x_dilation, [](int64_t dilation) { return dilation > 1; });
  Sliding sliding{listOf(a.window_dilation),
                  {},
                  {},
                  listOf(changePlaces ? a.strides : a.x_dilation),
                  listOf(changePlaces ? a.x_dilation : a.strides)};
  for (int i = 0; i < spatial; ++i) {
    const auto at = static_cast<size_t>(i);
    const Dim size = x.shape()[i + 1], count = result[i + 1];
    const int64_t step = a.window_dilation[at];
    sliding.low.push_back(changePlaces ? (k[i].raw() - 1) * step - a.low[at] : a.low[at]);
    sliding.high.push_back(highFor(call, changePlaces ? count : size, sliding.xDilation[at], sliding.low.back(),
                                   extentOf(changePlaces ? size : count, sliding.windowDilation[at]), k[i], step));
  }
  if (!changePlaces)
    return sumsOverBatch(call, x, ct, std::move(sliding));
  std::vector<int64_t> order, spatialAxes;
  for (int i = 0; i < spatial; ++i) {
    order.push_back(i);
    spatialAxes.push_back(i);
  }
  for (int axis : {spatial + 2, spatial + 1, spatial})
    order.push_back(axis);
  return transpose(flip(sumsOverBatch(call, ct, x, std::move(sliding)), spatialAxes), order);
}

/// Whether the first operand has no elements: windows in the padding alone depend on nothing, and `highFor` takes a
/// size of at least 1.
static bool isXEmpty(const VjpCall &call) { return std::ranges::any_of(call.operandTypes[0].shape, detail::isNone); }

void vjpConvolution(VjpCall &call) {
  if (isXEmpty(call)) {
    for (int i : {0, 1})
      if (call.wanted(i))
        call.set(i, filled(call.operandTypes[static_cast<size_t>(i)], false));
    return;
  }
  const ConvolutionAttrs attributes = ConvolutionAttrs::read(call.attributes);
  const Array ct = call.cotangent();
  // The cotangent of narrow operands may be f32.
  const Dtype dtype = call.operandTypes[0].dtype;
  if (call.wanted(0))
    call.set(0,
             detail::convert(cotangentOfX(call, detail::convert(call.operand(1), ct.dtype(), call.at), ct, attributes),
                             dtype, call.at));
  if (call.wanted(1))
    call.set(1, detail::convert(
                    cotangentOfKernel(call, detail::convert(call.operand(0), ct.dtype(), call.at), ct, attributes),
                    dtype, call.at));
}

/// Each element of x is in the windows that a window over the dilated cotangent meets.
template <class Attrs>
static Array cotangentOfWindows(const VjpCall &call, const Array &ct, const Attrs &a) {
  const Shape &x = call.operandTypes[0].shape, &result = call.resultTypes[0].shape;
  detail::Windows windows(x.rank());
  windows.window = listOf(a.window);
  windows.strides = listOf(a.x_dilation);
  windows.xDilation = listOf(a.strides);
  windows.dilation = listOf(a.window_dilation);
  for (size_t i = 0; i < a.window.size(); ++i) {
    const int axis = static_cast<int>(i);
    const Dim extent = extentOf(a.window[i], a.window_dilation[i]);
    windows.low[i] = extent.raw() - 1 - a.low[i];
    windows.high[i] = highFor(call, result[axis], a.strides[i], windows.low[i], extent, x[axis], a.x_dilation[i]);
  }
  return detail::windowReduce(OpCode::window_sum, ct, windows, call.at);
}

void vjpWindowSum(VjpCall &call) {
  call.set(0, isXEmpty(call) ? filled(call.operandTypes[0], false)
                             : cotangentOfWindows(call, call.cotangent(), WindowSumAttrs::read(call.attributes)));
}

void vjpWindowMean(VjpCall &call) {
  const WindowMeanAttrs a = WindowMeanAttrs::read(call.attributes);
  call.set(0, isXEmpty(call) ? filled(call.operandTypes[0], false)
                             : cotangentOfWindows(call, call.cotangent() / a.divisor.asDouble(), a));
}

/// The cotangent goes to the first extreme element of each window.
void vjpWindowExtremum(VjpCall &call) {
  const WindowMaxAttrs a = WindowMaxAttrs::read(call.attributes);
  const Type &x = call.operandTypes[0];
  const bool isMin = OpCode{call.info.code} == OpCode::window_min;
  const Array places = apply(
      OpCode::window_argmax, {call.operand(0).value()},
      detail::Words(WindowArgmaxAttrs{a.window, a.strides, a.low, a.high, a.x_dilation, a.window_dilation, isMin, 0}),
      call.at);
  const Array values = detail::convert(call.cotangent(), is_narrow(x.dtype) ? Dtype::f32 : x.dtype, call.at);
  call.set(0, detail::convert(detail::sumAtPlaces(values, places, x.shape, call.at), x.dtype, call.at));
}

} // namespace tenon
