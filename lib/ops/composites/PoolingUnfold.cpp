//===- PoolingUnfold.cpp - windows as axes of an array --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Pooling.h"

using namespace tenon;
using namespace tenon::detail;

Array tenon::sliding_window_view(const Operand &operand, const Ints &window, const Ints &axes) {
  const Location at = operand.location();
  DoorScope scope("sliding_window_view", at, {{"x", operand}});
  Array x = toArray(operand, OpCode::gather);
  std::vector<int64_t> along;
  if (axes.given())
    for (const int64_t axis : axes.values())
      along.push_back(axisOf(x, axis, at));
  else
    for (int axis = 0; axis < x.ndim(); ++axis)
      along.push_back(axis);
  const std::span<const int64_t> sizes = window.values();
  if (sizes.size() != along.size())
    refuse("expected a window size for each of " + std::to_string(along.size()) + " axes, got " +
               std::to_string(sizes.size()),
           at);
  for (size_t i = 0; i < along.size(); ++i) {
    if (sizes[i] < 1)
      refuse("expected window sizes >= 1, got " + std::to_string(sizes[i]), at);
    const int axis = static_cast<int>(along[i]);
    const Dim count = windowCount(x.shape()[axis], reachOf(sizes[i], 1, at), 1, axis, at);
    const Array begins = iota(count, Dtype::i64, x.device(), at), inside = iota(sizes[i], Dtype::i64, x.device(), at);
    x = moveaxis(takePlaces(x, expand_dims(begins, 1) + inside, axis), axis + 1, -1);
  }
  return x;
}

namespace {
/// The windows of images along both spatial axes.
struct Patches {
  Spatial spatial;
  std::vector<int64_t> window, strides, dilation;
  LowHigh padding;
  /// The number of windows along each axis.
  Shape counts;

  /// Of images of these sizes, whose first spatial axis is number `spatial.first`.
  Patches(const Spatial &spatial, const Shape &sizes, const Ints &windowSizes, const Ints &steps, const Padding &around,
          const Ints &dilations, Location at)
      : spatial(spatial), window(numbersOf(windowSizes, 2, "window sizes", at)),
        strides(numbersOf(steps, 2, "strides", 1, at)), dilation(numbersOf(dilations, 2, "dilations", 1, at)),
        padding(paddingOf(around, {sizes.begin(), sizes.size()}, window, strides, dilation, at)) {
    for (int i = 0; i < 2; ++i) {
      const auto j = static_cast<size_t>(i);
      const Dim padded = computedSize([&] { return sizes[i] + padding.low[j] + padding.high[j]; }, at);
      counts.push_back(windowCount(padded, reachOf(window[j], dilation[j], at), strides[j], spatial.first + i, at), at);
    }
  }
  /// The places of the elements of each window along one axis: i64[windows, elements].
  Array places(int i, Device device, Location at) const {
    const auto j = static_cast<size_t>(i);
    return expand_dims(iota(counts[i], Dtype::i64, device, at, strides[j]) - padding.low[j], 1) +
           iota(window[j], Dtype::i64, device, at, dilation[j]);
  }
};
} // namespace

/// The axes of x, where `spatial.first` and those behind it are [rows, window rows, columns, window columns, ...], in
/// the order of the result of unfold: those of the windows side by side, and those of their elements.
static std::vector<int64_t> unfoldedOrder(int rank, const Spatial &spatial) {
  const bool areChannelsLast = spatial.channels > spatial.first;
  const int64_t first = spatial.first;
  std::vector<int64_t> order;
  for (int64_t i = 0; i < first; ++i)
    order.push_back(i);
  for (const int64_t i : areChannelsLast ? std::vector<int64_t>{0, 2, 1, 3} : std::vector<int64_t>{1, 3, 0, 2})
    order.push_back(first + i);
  for (int64_t i = first + 4; i < rank; ++i)
    order.push_back(i);
  return order;
}

Array detail::unfold(const Operand &operand, const Ints &window, const Ints &strides, const Padding &padding,
                     const Ints &dilation, DataFormat data_format) {
  const Location at = operand.location();
  DoorScope scope("unfold", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::gather);
  const Spatial spatial = spatialOf(x, 2, data_format, at);
  const Patches patches(spatial, sizesOf(x, spatial), window, strides, padding, dilation, at);
  const Array rows = takePlaces(x, patches.places(0, x.device(), at), spatial.first);
  const Array windows = takePlaces(rows, patches.places(1, x.device(), at), spatial.first + 2);
  const bool areChannelsLast = spatial.channels > spatial.first;
  const Dim count = computedSize([&] { return patches.counts[0] * patches.counts[1]; }, at);
  const Dim elements =
      computedSize([&] { return Dim(patches.window[0]) * patches.window[1] * x.shape()[spatial.channels]; }, at);
  Shape result = Shape::of(x.shape().begin(), areChannelsLast ? spatial.first : spatial.channels);
  result.push_back(areChannelsLast ? count : elements, at);
  result.push_back(areChannelsLast ? elements : count, at);
  return reshape(transpose(windows, unfoldedOrder(windows.ndim(), spatial)), result);
}

/// Adds x to zeros along an axis of `size` elements, which the axes of `places` at `axis` of x are the places in; what
/// is outside is dropped.
static Array addAtPlaces(const Array &x, const Array &places, int axis, Dim size, Location at) {
  Shape rows = places.shape(), sizes;
  rows.push_back(1, at);
  std::vector<int64_t> kept;
  for (int i = 0; i < x.ndim(); ++i) {
    const bool isPlace = i >= axis && i < axis + places.ndim();
    if (i == axis)
      sizes.push_back(size, at);
    if (isPlace)
      continue;
    sizes.push_back(x.shape()[i], at);
    kept.push_back(i);
  }
  return scatter_add(zeros(sizes, x.dtype(), x.device(), at), reshape(places, rows), x, kept, {axis}, {axis}, {}, {},
                     IndexMode::drop);
}

Array detail::fold(const Operand &operand, const Shape &output_size, const Ints &window, const Ints &strides,
                   const Padding &padding, const Ints &dilation, DataFormat data_format) {
  const Location at = operand.location();
  DoorScope scope("fold", at, {{"x", operand}});
  const Array given = toArray(operand, OpCode::window_sum);
  if (const std::string problem = checkDtype(opInfo(OpCode::window_sum), given.dtype()); !problem.empty())
    refuse(problem, at);
  expectMode("fold", "DataFormat", data_format, at);
  if (given.ndim() < 2)
    refuse("expected an array of rank >= 2, the result of unfold, got rank " + std::to_string(given.ndim()), at);
  if (output_size.rank() != 2)
    refuse("expected two sizes as output_size, got " + std::to_string(output_size.rank()), at);
  for (const Dim size : output_size)
    if (provably_less(size, 0) == Always::yes)
      refuse("expected sizes >= 0 as output_size, got " + size.str(), at);
  // Windows behind the batch, and the channels behind or before them.
  const bool areChannelsLast = data_format == DataFormat::channels_last;
  const int batch = given.ndim() - 2, first = areChannelsLast ? batch : batch + 1;
  const Spatial spatial{first, 2, areChannelsLast ? first + 2 : batch};
  const Patches patches(spatial, output_size, window, strides, padding, dilation, at);
  const Dim count = computedSize([&] { return patches.counts[0] * patches.counts[1]; }, at);
  const Dim got = given.shape()[areChannelsLast ? batch : batch + 1];
  const Dim elements = given.shape()[areChannelsLast ? batch + 1 : batch];
  const Dim area = computedSize([&] { return Dim(patches.window[0]) * patches.window[1]; }, at);
  const std::optional<Dim> channels = exact_div(elements, area);
  if (provably_equal(got, count) != Always::yes)
    refuse("expected " + count.str() + " windows along axis " + std::to_string(areChannelsLast ? batch : batch + 1) +
               ", " + patches.counts[0].str() + " by " + patches.counts[1].str() + ", got " + got.str(),
           at);
  if (!channels)
    refuse("expected a multiple of " + area.str() + ", the elements of a window, along axis " +
               std::to_string(areChannelsLast ? batch + 1 : batch) + ", got " + elements.str(),
           at);
  const Array x = convert(given, wideDtype(given.dtype()), at);
  Shape apart = Shape::of(x.shape().begin(), batch);
  const Dim windowSizes[] = {patches.window[0], patches.window[1]};
  const Dim last[] = {patches.counts[0], patches.counts[1], windowSizes[0], windowSizes[1], *channels};
  const Dim before[] = {*channels, windowSizes[0], windowSizes[1], patches.counts[0], patches.counts[1]};
  for (const Dim size : areChannelsLast ? last : before)
    apart.push_back(size, at);
  const std::vector<int64_t> order = unfoldedOrder(apart.rank(), spatial);
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const Array windows = transpose(reshape(x, apart), back);
  const Array rows = addAtPlaces(windows, patches.places(1, x.device(), at), first + 2, output_size[1], at);
  return convert(addAtPlaces(rows, patches.places(0, x.device(), at), first, output_size[0], at), given.dtype(), at);
}
