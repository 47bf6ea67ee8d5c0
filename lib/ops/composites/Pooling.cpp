//===- Pooling.cpp - maxima and means of windows --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Pooling.h"

#include "lib/ops/composites/Floats.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// The options of all pools.
struct PoolOptions {
  const Ints &window, &strides;
  const Padding &padding;
  const Ints &dilation;
  bool ceilMode;
  DataFormat format;
};

/// The windows of a pool.
struct Pool {
  Spatial spatial;
  Windows windows;
  /// Of each spatial axis: how many places the last window reaches beyond the padding, which `windows.high` contains.
  std::vector<int64_t> overhang;

  Pool(const Array &x, int count, const PoolOptions &options, Location at);
  /// Refuses windows without an element of x, which would have no maximum and no mean.
  void expectElements(const Array &x, Location at) const;
};
} // namespace

/// How many places behind the padding `ceil_mode` adds, so that a last window fits that begins before it. Negative: as
/// many fewer, since the last window would begin in the padding.
static int64_t ceilOverhang(Dim size, int64_t low, int64_t high, int64_t reach, int64_t stride, Location at) {
  if (high < 0)
    refuse("expected a padding >= 0 with ceil_mode, got " + std::to_string(high), at);
  const Dim free = computedSize([&] { return size + low + high - (reach + 1); }, at);
  const std::optional<int64_t> rest = remainderOf(free, stride);
  if (!rest)
    refuse("expected a size whose remainder by the stride " + std::to_string(stride) +
               " is known with ceil_mode, got " + size.str(),
           at);
  const int64_t added = *rest == 0 ? 0 : stride - *rest;
  // Counted from the end of x, the last window begins here.
  const int64_t begin = high + added - (reach + 1);
  return begin >= 0 ? added - stride : added;
}

Pool::Pool(const Array &x, int count, const PoolOptions &options, Location at)
    : spatial(spatialOf(x, count, options.format, at)), windows(x.ndim()), overhang(static_cast<size_t>(count), 0) {
  const Shape sizes = sizesOf(x, spatial);
  const std::vector<int64_t> window = numbersOf(options.window, count, "window sizes", at),
                             strides =
                                 options.strides.given() ? numbersOf(options.strides, count, "strides", at) : window,
                             dilation = numbersOf(options.dilation, count, "dilations", 1, at);
  const LowHigh padding = paddingOf(options.padding, {sizes.begin(), sizes.size()}, window, strides, dilation, at);
  for (size_t i = 0; i < overhang.size(); ++i) {
    const auto axis = static_cast<size_t>(spatial.first) + i;
    if (options.ceilMode)
      overhang[i] = ceilOverhang(sizes[static_cast<int>(i)], padding.low[i], padding.high[i],
                                 reachOf(window[i], dilation[i], at), strides[i], at);
    windows.window[axis] = window[i];
    windows.strides[axis] = strides[i];
    windows.dilation[axis] = dilation[i];
    windows.low[axis] = padding.low[i];
    windows.high[axis] = padding.high[i] + overhang[i];
  }
  expectWindowsFit(x, windows, at);
}

void Pool::expectElements(const Array &x, Location at) const {
  for (int axis = spatial.first; axis < spatial.first + spatial.count; ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t low = windows.low[i], high = windows.high[i], dilation = windows.dilation[i];
    const int64_t stride = windows.strides[i], reach = reachOf(windows.window[i], dilation, at);
    const Dim size = x.shape()[axis];
    if (isNone(size) && low + high == 0) // nor are there windows
      continue;
    const Dim last =
        computedSize([&] { return (windowCount(size + low + high, reach, stride, axis, at) - 1) * stride - low; }, at);
    bool hasElements = low <= reach && !isNone(size) && (high <= reach || provably_less(last, size) == Always::yes);
    // The elements of a window may lie on both sides of a short axis. So many windows are not looked at one by one.
    const bool isShort = size.is_static() && size.raw() < dilation;
    if (hasElements && isShort && (last.raw() + low) / stride > 1 << 16)
      hasElements = false;
    if (isShort)
      for (int64_t begin = -low; hasElements && begin <= size.raw() + high - reach - 1; begin += stride) {
        const int64_t skipped = begin < 0 ? (-begin + dilation - 1) / dilation : 0;
        hasElements = skipped < windows.window[i] && begin + skipped * dilation < size.raw();
      }
    if (!hasElements)
      refuse("expected windows that each have an element of x: axis " + std::to_string(axis) + " has the size " +
                 size.str() + " and the padding " + std::to_string(low) + " and " + std::to_string(high) +
                 ", and a window has " + std::to_string(reach + 1) + " places",
             at);
  }
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// The array of a function that takes real numbers, under the DoorScope of that function.
static Array toReal(const Operand &operand) {
  const Array x = toArray(operand, OpCode::window_max);
  if (const std::string problem = checkDtype(opInfo(OpCode::window_max), x.dtype()); !problem.empty())
    refuse(problem, operand.location());
  return x;
}

static Array maxPool(const char *name, const Operand &operand, int count, const PoolOptions &options) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  const Array x = toReal(operand);
  const Pool pool(x, count, options, at);
  pool.expectElements(x, at);
  return windowReduce(OpCode::window_max, x, pool.windows, at);
}

static MaxPool maxPoolWithIndices(const char *name, const Operand &operand, int count, const PoolOptions &options) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  const Array x = toReal(operand);
  const Pool pool(x, count, options, at);
  pool.expectElements(x, at);
  Array indices = windowArgmax(x, pool.windows, pool.spatial.first, /*isMin=*/false, at);
  if (pool.spatial.channels > pool.spatial.first) { // places count the channels, too
    const Dim channels = x.shape()[pool.spatial.channels];
    indices = floor_divide(indices, maximum(sizeOf(channels, x.device(), at), 1));
  }
  return {windowReduce(OpCode::window_max, x, pool.windows, at), indices};
}

Array detail::max_pool1d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                         const Ints &dilation, bool ceil_mode, DataFormat data_format) {
  return maxPool("max_pool1d", x, 1, {window, strides, padding, dilation, ceil_mode, data_format});
}
Array detail::max_pool2d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                         const Ints &dilation, bool ceil_mode, DataFormat data_format) {
  return maxPool("max_pool2d", x, 2, {window, strides, padding, dilation, ceil_mode, data_format});
}
Array detail::max_pool3d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                         const Ints &dilation, bool ceil_mode, DataFormat data_format) {
  return maxPool("max_pool3d", x, 3, {window, strides, padding, dilation, ceil_mode, data_format});
}

MaxPool detail::max_pool1d_with_indices(const Operand &x, const Ints &window, const Ints &strides,
                                        const Padding &padding, const Ints &dilation, bool ceil_mode,
                                        DataFormat data_format) {
  return maxPoolWithIndices("max_pool1d_with_indices", x, 1,
                            {window, strides, padding, dilation, ceil_mode, data_format});
}
MaxPool detail::max_pool2d_with_indices(const Operand &x, const Ints &window, const Ints &strides,
                                        const Padding &padding, const Ints &dilation, bool ceil_mode,
                                        DataFormat data_format) {
  return maxPoolWithIndices("max_pool2d_with_indices", x, 2,
                            {window, strides, padding, dilation, ceil_mode, data_format});
}
MaxPool detail::max_pool3d_with_indices(const Operand &x, const Ints &window, const Ints &strides,
                                        const Padding &padding, const Ints &dilation, bool ceil_mode,
                                        DataFormat data_format) {
  return maxPoolWithIndices("max_pool3d_with_indices", x, 3,
                            {window, strides, padding, dilation, ceil_mode, data_format});
}

//===----------------------------------------------------------------------===//
// Maxima back at their places
//===----------------------------------------------------------------------===//

/// The size of one axis of the result of max_unpool: `wanted`, or what the windows cover.
static Dim unpooledSize(Dim size, int64_t window, int64_t stride, int64_t padding, std::optional<Dim> wanted,
                        Location at) {
  const Dim covered = computedSize([&] { return (size - 1) * stride + window - padding; }, at);
  if (!wanted) {
    if (provably_less(covered, 0) == Always::yes)
      refuse("expected less padding than the windows cover, got " + std::to_string(padding) + " for " +
                 (covered + padding).str() + " places",
             at);
    return covered;
  }
  if (provably_less_equal(*wanted, covered - stride) == Always::yes ||
      provably_less_equal(covered + stride, *wanted) == Always::yes)
    refuse("expected an output_size from " + (covered - stride + 1).str() + " to " + (covered + stride - 1).str() +
               ", got " + wanted->str(),
           at);
  return *wanted;
}

static Array maxUnpool(const char *name, const Operand &operand, const Operand &places, int count,
                       const PoolOptions &options, const Shape &output) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}, {"indices", places}});
  const Array x = toReal(operand), indices = toArray(places, OpCode::gather, {}, x.device());
  const Spatial spatial = spatialOf(x, count, options.format, at);
  if (kind(indices.dtype()) != Kind::integer || provably_equal(indices.shape(), x.shape()) != Always::yes)
    refuse("expected integers of the shape of x as indices, got " + describe(indices.dtype(), indices.shape()), at);
  const std::vector<int64_t> window = numbersOf(options.window, count, "window sizes", at),
                             strides =
                                 options.strides.given() ? numbersOf(options.strides, count, "strides", at) : window;
  for (const Dim size : output)
    if (provably_less(size, 0) == Always::yes)
      refuse("expected sizes >= 0 as output_size, got " + size.str(), at);
  if (!output.empty() && output.rank() != count)
    refuse("expected " + std::to_string(count) + " sizes as output_size, got " + std::to_string(output.rank()), at);
  const bool isMode = options.padding.mode() && *options.padding.mode() != PaddingMode::valid;
  if (isMode && output.empty())
    refuse("expected an output_size, since the padding is not given as numbers", at);
  const Shape sizes = output.empty() ? sizesOf(x, spatial) : output;
  const std::vector<int64_t> ones(static_cast<size_t>(count), 1);
  const LowHigh padding = paddingOf(options.padding, {sizes.begin(), sizes.size()}, window, strides, ones, at);

  Shape flat, result = x.shape(), updates;
  Dim inside = 1, outside = 1;
  for (int i = 0; i < count; ++i) {
    const auto j = static_cast<size_t>(i);
    const int axis = spatial.first + i;
    result.at(axis) = unpooledSize(x.shape()[axis], window[j], strides[j], padding.low[j] + padding.high[j],
                                   output.empty() ? std::nullopt : std::optional<Dim>(output[i]), at);
    inside = computedSize([&] { return inside * x.shape()[axis]; }, at);
    outside = computedSize([&] { return outside * result[axis]; }, at);
  }
  for (int axis = 0; axis < x.ndim(); ++axis)
    if (axis <= spatial.first || axis >= spatial.first + count) {
      const bool isSpatial = axis == spatial.first;
      flat.push_back(isSpatial ? outside : Dim(x.shape()[axis]));
      updates.push_back(isSpatial ? inside : Dim(x.shape()[axis]));
    }
  return reshape(put_along_axis(zeros(flat, x.dtype(), x.device(), at), reshape(indices, updates), reshape(x, updates),
                                spatial.first),
                 result);
}

Array detail::max_unpool1d(const Operand &x, const Operand &indices, const Ints &window, const Ints &strides,
                           const Padding &padding, const Shape &output_size, DataFormat data_format) {
  return maxUnpool("max_unpool1d", x, indices, 1, {window, strides, padding, {}, false, data_format}, output_size);
}
Array detail::max_unpool2d(const Operand &x, const Operand &indices, const Ints &window, const Ints &strides,
                           const Padding &padding, const Shape &output_size, DataFormat data_format) {
  return maxUnpool("max_unpool2d", x, indices, 2, {window, strides, padding, {}, false, data_format}, output_size);
}
Array detail::max_unpool3d(const Operand &x, const Operand &indices, const Ints &window, const Ints &strides,
                           const Padding &padding, const Shape &output_size, DataFormat data_format) {
  return maxUnpool("max_unpool3d", x, indices, 3, {window, strides, padding, {}, false, data_format}, output_size);
}

//===----------------------------------------------------------------------===//
// Means
//===----------------------------------------------------------------------===//

/// The number of places that each window has along an axis and that a mean divides by: i64[windows].
static Array countsAlong(const Array &x, const Pool &pool, size_t i, bool countPadding, Location at) {
  const auto axis = static_cast<size_t>(pool.spatial.first) + i;
  const Dim size = x.shape()[static_cast<int>(axis)];
  const int64_t low = pool.windows.low[axis], high = pool.windows.high[axis], stride = pool.windows.strides[axis];
  const int64_t window = pool.windows.window[axis];
  const Dim end = computedSize([&] { return countPadding ? size + (high - pool.overhang[i]) : size; }, at);
  const Dim count =
      windowCount(computedSize([&] { return size + low + high; }, at), window - 1, stride, static_cast<int>(axis), at);
  const Array begins = iota(count, Dtype::i64, x.device(), at, stride) - low;
  const Array first = countPadding ? begins : maximum(begins, 0);
  return minimum(begins + window, sizeOf(end, x.device(), at)) - first;
}

/// The sum of each window by the number of its places.
static Array meanOf(const Array &x, const Pool &pool, bool countPadding, Location at) {
  double scale = 1;
  Array counts;
  for (size_t i = 0; i < pool.overhang.size(); ++i) {
    const auto axis = static_cast<size_t>(pool.spatial.first) + i;
    const bool areEqual =
        countPadding ? pool.overhang[i] <= 0 : pool.windows.low[axis] <= 0 && pool.windows.high[axis] <= 0;
    if (areEqual) {
      scale *= static_cast<double>(pool.windows.window[axis]);
      continue;
    }
    const Array along = countsAlong(x, pool, i, countPadding, at);
    Shape beside(std::vector<int64_t>(static_cast<size_t>(x.ndim()) - axis, 1), at);
    beside.at(0) = along.shape()[0];
    const Array factor = reshape(along, beside);
    counts = counts.has_value() ? counts * factor : factor;
  }
  if (!counts.has_value() && !isComplex(x))
    return windowMean(x, pool.windows, scale, at);
  const Array total = windowReduce(OpCode::window_sum, x, pool.windows, at);
  return counts.has_value() ? total / (convert(counts, x.dtype(), at) * scale) : total / scale;
}

static Array avgPool(const char *name, const Operand &operand, int count, const PoolOptions &options,
                     bool countPadding) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  const Floats floats(name, {&operand});
  const Pool pool(floats[0], count, options, at);
  if (!countPadding)
    pool.expectElements(floats[0], at);
  return floats.rounded(meanOf(floats[0], pool, countPadding, at));
}

Array detail::avg_pool1d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                         bool ceil_mode, bool count_include_pad, DataFormat data_format) {
  return avgPool("avg_pool1d", x, 1, {window, strides, padding, {}, ceil_mode, data_format}, count_include_pad);
}
Array detail::avg_pool2d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                         bool ceil_mode, bool count_include_pad, DataFormat data_format) {
  return avgPool("avg_pool2d", x, 2, {window, strides, padding, {}, ceil_mode, data_format}, count_include_pad);
}
Array detail::avg_pool3d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                         bool ceil_mode, bool count_include_pad, DataFormat data_format) {
  return avgPool("avg_pool3d", x, 3, {window, strides, padding, {}, ceil_mode, data_format}, count_include_pad);
}
