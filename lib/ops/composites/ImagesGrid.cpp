//===- ImagesGrid.cpp - images at positions of a grid ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Images.h"

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

namespace {
/// How positions along one axis are read.
struct GridAxis {
  GridPadding padding;
  bool alignCorners;
  /// The number of elements of x, of the dtype of positions.
  Array size;

  Array clipped(const Array &positions) const { return clip(positions, 0, size - 1); }
  /// Mirrored at the border as often as needed, into [0, size - 1].
  Array reflected(const Array &positions) const;
  /// Positions as they are read: inside, or what is outside a little outside.
  Array padded(const Array &positions) const;
};

/// An element that a value is made of: its index along an axis, and its weight.
struct GridTap {
  Array index, weight;
};
} // namespace

Array GridAxis::reflected(const Array &positions) const {
  const double low = alignCorners ? 0 : -0.5;
  // Of one element whose center is its border, all positions are that element: clipped() says so.
  const Array span = alignCorners ? maximum(size - 1, 1) : size;
  const Array distance = remainder(abs(positions - low), 2 * span);
  return clipped(low + minimum(distance, 2 * span - distance));
}

Array GridAxis::padded(const Array &positions) const {
  switch (padding) {
  case GridPadding::border:
    return clipped(positions);
  case GridPadding::reflection:
    return reflected(positions);
  default:
    return positions;
  }
}

/// [-1, 1] as places of elements. Far positions, where all is padding, become such that an index can hold.
static Array positionsOf(const Array &grid, const GridAxis &axis) {
  const Array inside = where(isnan(grid), -1, grid);
  const Array positions = axis.alignCorners ? (inside + 1) * ((axis.size - 1) / 2) : ((inside + 1) * axis.size - 1) / 2;
  if (axis.padding == GridPadding::zeros)
    return clip(positions, -4, axis.size + 3);
  return clip(positions, -0x1p30, 0x1p30);
}

/// The weights of the elements at distances 1 + t, t, 1 - t and 2 - t in cubic convolution.
static std::vector<Array> cubicWeights(const Array &t) {
  constexpr double a = -0.75;
  auto near = [](const Array &x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto far = [](const Array &x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

/// The elements along an axis that make the values at `positions`; a nearest one has no weight.
static std::vector<GridTap> tapsAt(const Array &positions, const GridAxis &axis, GridMode mode, Dtype dtype,
                                   Location at) {
  const Dtype integer = positions.dtype() == Dtype::f64 ? Dtype::i64 : Dtype::i32;
  if (mode == GridMode::nearest)
    return {{convert(round(axis.padded(positions)), integer, at), {}}};
  const Array moved = mode == GridMode::bicubic ? positions : axis.padded(positions);
  const Array low = floor(moved), t = moved - low;
  if (mode == GridMode::bilinear)
    return {{convert(low, integer, at), convert(1 - t, dtype, at)},
            {convert(low + 1, integer, at), convert(t, dtype, at)}};
  std::vector<GridTap> taps;
  for (const Array &weight : cubicWeights(t)) {
    const Array place = axis.padded(low + (static_cast<double>(taps.size()) - 1));
    taps.push_back({convert(place, integer, at), convert(weight, dtype, at)});
  }
  return taps;
}

//===----------------------------------------------------------------------===//
// grid_sample
//===----------------------------------------------------------------------===//

/// The sum over the taps of the axes from `chosen.size()` on, at the indices chosen for those before.
static Array sampled(const Array &x, const std::vector<std::vector<GridTap>> &taps, std::vector<Array> &chosen,
                     IndexMode mode) {
  if (chosen.size() == taps.size())
    return pixels(x, chosen, /*isBatched=*/true, mode);
  Array total;
  for (const GridTap &tap : taps[chosen.size()]) {
    chosen.push_back(tap.index);
    Array part = sampled(x, taps, chosen, mode);
    chosen.pop_back();
    if (tap.weight.has_value())
      part = share(part, tap.weight);
    total = total.has_value() ? total + part : part;
  }
  return total;
}

Array detail::grid_sample(const Operand &operand, const Operand &grid, GridMode mode, GridPadding padding,
                          bool align_corners, DataFormat data_format) {
  const Location at = operand.location();
  DoorScope scope("grid_sample", at, {{"x", operand}, {"grid", grid}});
  expectMode("grid_sample", "GridMode", mode, at);
  expectMode("grid_sample", "GridPadding", padding, at);
  expectMode("grid_sample", "DataFormat", data_format, at);
  const Floats floats("grid_sample", {&operand}, Dtype::f32, OpCode::floor);
  const Floats places("grid_sample", {&grid}, Dtype::f32, OpCode::floor);
  if (floats[0].ndim() < 3)
    refuse("expected x with a batch, spatial axes and channels, got " + describe(floats.dtype(), floats[0].shape()),
           at);
  const Array x = withChannelsLast(floats[0], data_format), positions = places[0];
  const int spatial = x.ndim() - 2;
  if (positions.ndim() < 2 || provably_equal(positions.shape()[-1], spatial) != Always::yes)
    refuse("expected a grid [batch, places..., " + std::to_string(spatial) + "], got " +
               describe(positions.dtype(), positions.shape()),
           at);
  if (provably_equal(x.shape()[0], positions.shape()[0]) != Always::yes)
    refuse("expected x and grid of one batch size, got " + Dim(x.shape()[0]).str() + " and " +
               Dim(positions.shape()[0]).str(),
           at);
  std::vector<std::vector<GridTap>> taps;
  for (int i = 0; i < spatial; ++i) {
    const Dim size = x.shape()[i + 1];
    if (isNone(size))
      refuse("expected spatial axes of at least one element, got " + describe(floats.dtype(), floats[0].shape()), at);
    const GridAxis axis{padding, align_corners, sizeNumber(size, positions.dtype(), positions.device(), at)};
    const Array along = partOf(positions, positions.ndim() - 1, spatial - 1 - i, spatial - i);
    taps.push_back(tapsAt(positionsOf(along, axis), axis, mode, x.dtype(), at));
  }
  std::vector<Array> chosen;
  const IndexMode outside = padding == GridPadding::zeros ? IndexMode::drop : IndexMode::clip;
  return floats.rounded(withChannels(sampled(x, taps, chosen, outside), data_format));
}

//===----------------------------------------------------------------------===//
// affine_grid
//===----------------------------------------------------------------------===//

/// The coordinates of an axis of `size` elements, in [-1, 1].
static Array coordinates(Dim size, bool alignCorners, Dtype dtype, Device device, Location at) {
  const Array number = sizeNumber(size, dtype, device, at), last = number - 1;
  const Array doubled = convert(iota(size, Dtype::i64, device, at, 2), dtype, at) - last;
  return doubled / (alignCorners ? maximum(last, 1) : number);
}

Array detail::affine_grid(const Operand &operand, const Shape &shape, bool align_corners, DataFormat data_format) {
  const Location at = operand.location();
  DoorScope scope("affine_grid", at, {{"theta", operand}});
  expectMode("affine_grid", "DataFormat", data_format, at);
  const Floats floats("affine_grid", {&operand}, Dtype::f32, OpCode::floor);
  const Array theta = floats[0];
  const int spatial = shape.rank() - 2;
  if (spatial < 1)
    refuse("expected a shape with a batch, spatial axes and channels, got " + shape.str(), at);
  for (Dim size : shape)
    if (size.is_static() && size.raw() < 0)
      refuse("expected sizes >= 0, got " + shape.str(), at);
  const Shape matrices{shape[0], spatial, spatial + 1};
  if (theta.ndim() != 3 || provably_equal(theta.shape(), matrices) != Always::yes)
    refuse("expected matrices of the shape " + matrices.str() + " for images of " + shape.str() + ", got " +
               describe(theta.dtype(), theta.shape()),
           at);
  // theta[:, :, i] beside [batch, places..., row].
  auto column = [&](int i) {
    Shape beside(std::vector<Dim>(static_cast<size_t>(spatial + 2), 1));
    beside.at(0) = shape[0];
    beside.at(spatial + 1) = spatial;
    return reshape(partOf(theta, 2, i, i + 1), beside);
  };
  Array total = column(spatial);
  for (int i = 0; i < spatial; ++i) { // coordinate i is that of the i-th spatial axis from the last one
    const int axis = spatial - i;
    const Dim size = shape[data_format == DataFormat::channels_last ? axis : axis + 1];
    Shape along(std::vector<Dim>(static_cast<size_t>(spatial + 2), 1));
    along.at(axis) = size;
    total = total + column(i) * reshape(coordinates(size, align_corners, theta.dtype(), theta.device(), at), along);
  }
  return floats.rounded(total);
}
