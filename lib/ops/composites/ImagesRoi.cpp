//===- ImagesRoi.cpp - regions of images, pooled ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Images.h"

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// How the regions lie along one axis of the images. Arrays are [regions, 1, 1].
struct RegionAxis {
  Array start, extent;
  /// The elements of the images.
  Array size;
  int64_t bins;
  /// Samples of a bin, the most of all regions.
  int64_t samples = 0;
  /// Samples of a bin of each region, where they differ.
  Array counts = {};
};

/// The samples of an axis, [regions, bins * samples].
struct Samples {
  /// Indices of the elements before and behind, and the weights of these. They are 0 outside the image.
  Array low, high, lowWeight, highWeight;
  /// Whether a sample is one of its bin, where bins differ.
  Array isCounted;
};
} // namespace

/// Samples of a bin are 1024 at most: a region this large is a mistake.
static constexpr double mostSamples = 1024;

/// As many samples as a bin is large, for boxes of numbers whose corners are x1, y1, x2, y2. `T` is the dtype in which
/// they are computed; `first` is the number of the corner where the axis starts.
template <class T>
static void countSamples(RegionAxis &axis, const std::vector<double> &boxes, size_t first, double scale, bool aligned,
                         Location at) {
  std::vector<T> counts;
  T most = 1;
  const T half = aligned ? T(0.5) : T(0);
  for (size_t box = 0; box + 4 <= boxes.size(); box += 4) {
    const T start = static_cast<T>(boxes[box + first]) * static_cast<T>(scale) - half;
    const T stop = static_cast<T>(boxes[box + first + 2]) * static_cast<T>(scale) - half;
    const T extent = aligned ? stop - start : std::max(stop - start, T(1));
    const T wanted = std::ceil(extent / static_cast<T>(axis.bins));
    counts.push_back(wanted > 0 ? wanted : 0); // of NaN, and of a turned box: none
    most = std::max(most, counts.back());
  }
  if (most > mostSamples)
    refuse("a region has bins of " + Scalar(most).str() + " samples, expected at most 1024; give .sampling_ratio", at);
  axis.samples = static_cast<int64_t>(most);
  const Shape shape{static_cast<int64_t>(counts.size()), 1, 1};
  axis.counts = to_device(Array(counts, shape, at), axis.start.device(), at);
}

static Samples samplesOf(const RegionAxis &axis, Dtype dtype, Location at) {
  const Device device = axis.start.device();
  const Dtype own = axis.start.dtype(), integer = own == Dtype::f64 ? Dtype::i64 : Dtype::i32;
  const Array bin = axis.extent / static_cast<double>(axis.bins);
  const Array number = reshape(convert(iota(axis.bins, Dtype::i64, device, at), own, at), {1, axis.bins, 1});
  const Array sample = reshape(convert(iota(axis.samples, Dtype::i64, device, at), own, at), {1, 1, axis.samples});
  const Array divisor =
      axis.counts.has_value() ? maximum(axis.counts, 1) : full({}, static_cast<double>(axis.samples), own, device, at);
  const Array place = axis.start + number * bin + (sample + 0.5) * bin / divisor;
  const Shape flat{axis.start.shape()[0], axis.bins * axis.samples};
  Samples out;
  if (axis.counts.has_value())
    out.isCounted = reshape(broadcast(sample < axis.counts, place.shape(), at), flat);
  const Array isInside = place >= -1 && place <= axis.size;
  const Array inside = clip(where(isInside, place, 0), 0, axis.size - 1);
  // Of the last element on, that one alone counts.
  const Array low = minimum(floor(inside), axis.size - 1), t = inside - low;
  auto weight = [&](const Array &share) { return reshape(convert(where(isInside, share, 0), dtype, at), flat); };
  auto index = [&](const Array &element) { return reshape(convert(element, integer, at), flat); };
  out.low = index(low);
  out.high = index(minimum(low + 1, axis.size - 1));
  out.lowWeight = weight(1 - t);
  out.highWeight = weight(t);
  return out;
}

/// [regions, n] as rows or columns of [regions, rows, columns, 1].
static Array beside(const Array &x, bool isRow) {
  const Dim regions = x.shape()[0], count = x.shape()[1];
  return reshape(x, isRow ? Shape{regions, count, 1, 1} : Shape{regions, 1, count, 1});
}

/// The interpolated values, [regions, rows, columns, channels].
static Array valuesAt(const Array &x, const Array &batch, const Samples &rows, const Samples &columns, Location at) {
  const Shape places{rows.low.shape()[0], rows.low.shape()[1], columns.low.shape()[1], 1};
  auto pixel = [&](const Array &row, const Array &column) {
    return pixels(x,
                  {broadcast(batch, places, at), broadcast(beside(row, true), places, at),
                   broadcast(beside(column, false), places, at)},
                  /*isBatched=*/false, IndexMode::error);
  };
  auto line = [&](const Array &row) {
    return share(pixel(row, columns.low), beside(columns.lowWeight, false)) +
           share(pixel(row, columns.high), beside(columns.highWeight, false));
  };
  return share(line(rows.low), beside(rows.lowWeight, true)) + share(line(rows.high), beside(rows.highWeight, true));
}

/// Samples [regions, rows, columns, channels] combined in bins.
static Array pooled(Array values, const RegionAxis &vertical, const RegionAxis &horizontal, const Samples &rows,
                    const Samples &columns, bool isMax) {
  const Dim regions = values.shape()[0], channels = values.shape()[3];
  Array isEmpty;
  if (rows.isCounted.has_value()) {
    values = where(beside(rows.isCounted, true) && beside(columns.isCounted, false), values, isMax ? -INFINITY : 0);
    isEmpty = expand_dims(vertical.counts * horizontal.counts == 0, 3);
  }
  const Array apart =
      reshape(values, {regions, vertical.bins, vertical.samples, horizontal.bins, horizontal.samples, channels});
  if (isMax)
    return isEmpty.has_value() ? where(isEmpty, 0, max(apart, {2, 4})) : max(apart, {2, 4});
  const Array total = sum(apart, {2, 4});
  if (!isEmpty.has_value())
    return total / static_cast<double>(vertical.samples * horizontal.samples);
  return total / expand_dims(convert(maximum(vertical.counts * horizontal.counts, 1), total.dtype(), {}), 3);
}

Array detail::roi_align(const Operand &operand, const Operand &rois, const Operand &batch_indices, const Shape &sizes,
                        double spatial_scale, int sampling_ratio, bool aligned, RoiPooling pooling,
                        DataFormat data_format) {
  const Location at = operand.location();
  DoorScope scope("roi_align", at, {{"x", operand}, {"rois", rois}, {"batch_indices", batch_indices}});
  expectMode("roi_align", "RoiPooling", pooling, at);
  expectMode("roi_align", "DataFormat", data_format, at);
  const Floats floats("roi_align", {&operand}, Dtype::f32, OpCode::floor);
  const Floats boxes("roi_align", {&rois}, Dtype::f32, OpCode::floor);
  const Array corners = boxes[0];
  const Array images = toIndices(toArray(batch_indices, OpCode::gather, {}, floats[0].device()), OpCode::gather, at);
  if (floats[0].ndim() != 4)
    refuse("expected x with a batch, height, width and channels, got " + describe(floats.dtype(), floats[0].shape()),
           at);
  if (corners.ndim() != 2 || provably_equal(corners.shape()[1], 4) != Always::yes)
    refuse("expected boxes [regions, 4], got " + describe(boxes.dtype(), corners.shape()), at);
  if (images.ndim() != 1 || provably_equal(images.shape()[0], corners.shape()[0]) != Always::yes)
    refuse("expected a batch index for each of " + Dim(corners.shape()[0]).str() + " boxes, got " +
               describe(images.dtype(), images.shape()),
           at);
  if (sizes.rank() != 2 || !sizes.is_static() || sizes[0] < 1 || sizes[1] < 1)
    refuse("expected the exact number of bins along height and width, at least 1, got " + sizes.str(), at);
  if (sampling_ratio < 0)
    refuse("expected a sampling_ratio >= 0, got " + std::to_string(sampling_ratio), at);
  // Read as they were given: a conversion of a constant inside jit is unknown.
  const std::optional<std::vector<double>> known = knownNumbers(toArray(rois, OpCode::floor));
  if (sampling_ratio == 0 && !known)
    refuse("the number of samples depends on the values of rois, which are unknown inside jit and vmap; give "
           ".sampling_ratio",
           at);
  const Array x = withChannelsLast(floats[0], data_format);
  auto axisOfRegions = [&](int axis) {
    const Dim size = x.shape()[axis], regions = corners.shape()[0];
    if (isNone(size))
      refuse("expected images of at least one element, got " + describe(floats.dtype(), floats[0].shape()), at);
    auto edge = [&](int number) {
      const Array scaled = partOf(corners, 1, number, number + 1) * spatial_scale;
      return reshape(aligned ? scaled - 0.5 : scaled, {regions, 1, 1});
    };
    const Array start = edge(2 - axis), extent = edge(4 - axis) - start;
    RegionAxis made{start, aligned ? extent : maximum(extent, 1),
                    sizeNumber(size, corners.dtype(), corners.device(), at), sizes[axis - 1].raw(), sampling_ratio};
    const auto first = static_cast<size_t>(2 - axis);
    if (sampling_ratio == 0 && corners.dtype() == Dtype::f64)
      countSamples<double>(made, *known, first, spatial_scale, aligned, at);
    else if (sampling_ratio == 0)
      countSamples<float>(made, *known, first, spatial_scale, aligned, at);
    return made;
  };
  const RegionAxis vertical = axisOfRegions(1), horizontal = axisOfRegions(2);
  const Samples rows = samplesOf(vertical, x.dtype(), at), columns = samplesOf(horizontal, x.dtype(), at);
  const Dtype integer = rows.low.dtype();
  const Array batch = reshape(convert(images, integer, at), {images.shape()[0], 1, 1, 1});
  const Array values = valuesAt(x, batch, rows, columns, at);
  const Array result = pooled(values, vertical, horizontal, rows, columns, pooling == RoiPooling::max);
  return floats.rounded(withChannels(result, data_format));
}
