//===- PoolingReduce.cpp - reductions of windows along all axes -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Pooling.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

/// The windows along all axes of x.
static Windows windowsOf(const Array &x, const Ints &window, const Ints &strides, const Padding &padding,
                         const Ints &dilation, const Ints &xDilation, Location at) {
  const int rank = x.ndim();
  Windows windows(rank);
  windows.window = numbersOf(window, rank, "window sizes", at);
  windows.strides = numbersOf(strides, rank, "strides", 1, at);
  windows.dilation = numbersOf(dilation, rank, "dilations", 1, at);
  windows.xDilation = numbersOf(xDilation, rank, "dilations of x", 1, at);
  std::vector<Dim> sizes;
  for (int axis = 0; axis < rank; ++axis) {
    const Dim size = x.shape()[axis], apart = windows.xDilation[static_cast<size_t>(axis)];
    sizes.push_back(isNone(size) ? size : computedSize([&] { return (size - 1) * apart + 1; }, at));
  }
  const LowHigh ends = paddingOf(padding, sizes, windows.window, windows.strides, windows.dilation, at);
  windows.low = ends.low;
  windows.high = ends.high;
  expectWindowsFit(x, windows, at);
  return windows;
}

/// x with its gaps and its padding, all of them `value`.
static Array padded(const Array &x, const Windows &windows, const Array &value) {
  Shape low, high;
  std::vector<int64_t> gaps;
  for (size_t i = 0; i < windows.low.size(); ++i) {
    low.push_back(std::max<int64_t>(windows.low[i], 0));
    high.push_back(std::max<int64_t>(windows.high[i], 0));
    gaps.push_back(windows.xDilation[i] - 1);
  }
  Array all = pad(x, value, low, high, gaps);
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    if (windows.low[i] < 0 || windows.high[i] < 0)
      all = partOf(all, axis, std::max<int64_t>(-windows.low[i], 0),
                   all.shape()[axis] - std::max<int64_t>(-windows.high[i], 0));
  }
  return all;
}

/// One element of each window, where `combine` is associative: windows of 2, 4, 8, ... elements of two windows each,
/// and those of `window` elements of the ones that add up to it.
static Array combinedAlong(const Array &x, int axis, int64_t window, int64_t dilation, int64_t stride,
                           const Combination &combine, Location at) {
  const auto both = [&](const Array &a, const Array &b) {
    const Array result = combine(a, b);
    if (!result.has_value() || result.dtype() != a.dtype() || provably_equal(result.shape(), a.shape()) != Always::yes)
      refuse("expected a function whose result is like its arguments, " + describe(a.dtype(), a.shape()) + ", got " +
                 (result.has_value() ? describe(result.dtype(), result.shape()) : "an empty Array"),
             at);
    return result;
  };
  const Dim size = x.shape()[axis], count = size - (window - 1) * dilation;
  Array power = x, done;
  for (int64_t length = 1, covered = 0;; length *= 2) {
    if (window & length) {
      const Array part = partOf(power, axis, covered * dilation, count + covered * dilation);
      done = covered ? both(done, part) : part;
      covered += length;
      if (covered == window)
        break;
    }
    // power[i] covers the elements from i on; the next one twice as many.
    const Dim next = size - (2 * length - 1) * dilation;
    power = both(partOf(power, axis, 0, next), partOf(power, axis, length * dilation, next + length * dilation));
  }
  return stride == 1 ? done : partOf(done, axis, 0, count, stride);
}

/// The last axis first: so the elements of a window are combined in row-major order.
static Array combined(Array x, const Windows &windows, const Combination &combine, Location at) {
  for (int axis = x.ndim(); axis-- > 0;) {
    const auto i = static_cast<size_t>(axis);
    x = combinedAlong(x, axis, windows.window[i], windows.dilation[i], windows.strides[i], combine, at);
  }
  return x;
}

Array detail::reduce_window(const Operand &operand, const Ints &window, WindowReduction reduction, const Ints &strides,
                            const Padding &padding, const Ints &dilation, const Ints &x_dilation) {
  const Location at = operand.location();
  DoorScope scope("reduce_window", at, {{"x", operand}});
  expectMode("reduce_window", "WindowReduction", reduction, at);
  const OpCode op = reduction == WindowReduction::max   ? OpCode::window_max
                    : reduction == WindowReduction::min ? OpCode::window_min
                                                        : OpCode::window_sum;
  const Array x = toArray(operand, op);
  if (const std::string problem = checkDtype(opInfo(op), x.dtype()); !problem.empty())
    refuse(problem, at);
  const Windows windows = windowsOf(x, window, strides, padding, dilation, x_dilation, at);
  if (reduction != WindowReduction::prod)
    return windowReduce(op, x, windows, at);
  const Array wide = convert(x, wideDtype(x.dtype()), at);
  const Array all = padded(wide, windows, full({}, 1, wide.dtype(), wide.device(), at));
  return convert(combined(all, windows, {[](void *, const Array &a, const Array &b) { return a * b; }, nullptr}, at),
                 x.dtype(), at);
}

Array detail::reduce_window(const Operand &operand, const Ints &window, const Combination &combine, const Operand &init,
                            const ReduceWindowOptions &options) {
  const Location at = operand.location();
  DoorScope scope("reduce_window", at, {{"x", operand}, {"init", init}});
  const std::vector<Array> arrays = promoted("reduce_window", {&operand, &init});
  const Array &x = arrays[0], &start = arrays[1];
  if (start.ndim() != 0)
    refuse("expected an init of rank 0, got " + describe(start.dtype(), start.shape()), at);
  const Windows windows =
      windowsOf(x, window, options.strides, options.padding, options.dilation, options.x_dilation, at);
  const Array result = combined(padded(x, windows, start), windows, combine, at);
  return combine(broadcast(start, result.shape(), at), result);
}

Array detail::select_and_scatter(const Operand &operand, const Operand &source, const Ints &window,
                                 WindowSelection select, const Ints &strides, const Padding &padding) {
  const Location at = operand.location();
  DoorScope scope("select_and_scatter", at, {{"x", operand}, {"source", source}});
  expectMode("select_and_scatter", "WindowSelection", select, at);
  const Array x = toArray(operand, OpCode::window_max), given = toArray(source, OpCode::scatter_add);
  for (const auto &[op, dtype] : {std::pair(OpCode::window_max, x.dtype()), {OpCode::scatter_add, given.dtype()}})
    if (const std::string problem = checkDtype(opInfo(op), dtype); !problem.empty())
      refuse(problem, at);
  const Windows windows = windowsOf(x, window, strides, padding, {}, {}, at);
  const Array places = windowArgmax(x, windows, 0, select == WindowSelection::min, at);
  if (provably_equal(given.shape(), places.shape()) != Always::yes)
    refuse("expected a source with an element for each window, of the shape " + places.shape().str() + ", got " +
               given.shape().str(),
           at);
  const Array values = convert(given, wideDtype(given.dtype()), at);
  return convert(sumAtPlaces(values, places, x.shape(), at), given.dtype(), at);
}

Array detail::local_response_norm(const Operand &operand, int size, double alpha, double beta, double k,
                                  DataFormat data_format) {
  const Location at = operand.location();
  DoorScope scope("local_response_norm", at, {{"x", operand}});
  expectMode("local_response_norm", "DataFormat", data_format, at);
  if (size < 1)
    refuse("expected a size >= 1, got " + std::to_string(size), at);
  const Floats floats("local_response_norm", {&operand});
  const Array &x = floats[0];
  const bool areChannelsLast = data_format == DataFormat::channels_last;
  if (x.ndim() < (areChannelsLast ? 1 : 2))
    refuse("expected an axis of channels, got rank " + std::to_string(x.ndim()), at);
  const int channels = areChannelsLast ? x.ndim() - 1 : 1;
  const Dim count = x.shape()[channels];
  if (isNone(count))
    return floats.rounded(x);
  Windows windows(x.ndim());
  const auto i = static_cast<size_t>(channels);
  // More neighbors than there are channels are not summed.
  const int64_t most = count.is_static() ? count.raw() : INT64_MAX;
  windows.low[i] = std::min<int64_t>(size / 2, most);
  windows.high[i] = std::min<int64_t>((size - 1) / 2, most);
  windows.window[i] = windows.low[i] + windows.high[i] + 1;
  const Array mean = windowReduce(OpCode::window_sum, x * x, windows, at) / static_cast<double>(size);
  return floats.rounded(x / pow(mean * alpha + k, beta));
}
