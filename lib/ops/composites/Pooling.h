//===- Pooling.h - windows along the axes of an array ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For composites: each runs under the DoorScope of the function that the user called.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/ops/composites/PaddingOf.h"
#include "lib/ops/composites/Shaping.h"

namespace tenon::detail {

/// Windows that move along each axis of an array, as the op window_sum has them.
struct Windows {
  /// Windows of one element.
  explicit Windows(int rank);
  std::vector<int64_t> window, strides, low, high, xDilation, dilation;
};

/// What the op (window_sum, window_max, window_min) makes of each window of x. Windows that are larger than the padded
/// x are an Error.
Array windowReduce(OpCode op, const Array &x, const Windows &windows, Location at);
/// The sum of each window of x, which is f32 or f64, by the divisor, in one pass.
Array windowMean(const Array &x, const Windows &windows, double divisor, Location at);
/// The place of the first maximum, or minimum, of each window: i64, counted over the axes of x from `axis` on; -1 where
/// a window has no elements.
Array windowArgmax(const Array &x, const Windows &windows, int axis, bool isMin, Location at);
/// The sums of the values at each place of an array of `shape`, counted over all its axes; those at -1 are left out.
Array sumAtPlaces(const Array &values, const Array &places, const Shape &shape, Location at);

/// The number of windows along an axis with `padded` places; an Error if there is no room for one.
Dim windowCount(Dim padded, int64_t reach, int64_t stride, int axis, Location at);
/// Refuses windows that do not fit into the padded x.
void expectWindowsFit(const Array &x, const Windows &windows, Location at);

/// One number from 1 to 2^31 for each of `count` axes: those given, or one for all. `what` names them in errors:
/// "strides".
std::vector<int64_t> numbersOf(const Ints &given, int count, const char *what, Location at);
/// The same, all `otherwise` if none are given.
std::vector<int64_t> numbersOf(const Ints &given, int count, const char *what, int64_t otherwise, Location at);

/// Where the spatial axes of an array are.
struct Spatial {
  int first, count;
  /// The axis of the channels.
  int channels;
};
Spatial spatialOf(const Array &x, int count, DataFormat format, Location at);
/// The sizes of the spatial axes.
Shape sizesOf(const Array &x, const Spatial &spatial);

/// x[..., places[...], ...] along an axis: the axes of `places` stand in its place. 0 where a place is outside of x.
Array takePlaces(const Array &x, const Array &places, int axis);

} // namespace tenon::detail
