//===- Images.h - what functions of images share ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For composites: each runs under the DoorScope of the function that the user called.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/ops/composites/Shaping.h"

namespace tenon::detail {

/// x [batch, spatial..., channels]; one with its channels after the batch is moved.
Array withChannelsLast(const Array &x, DataFormat format);
/// The inverse of withChannelsLast.
Array withChannels(const Array &x, DataFormat format);

/// A size as a rank-0 array of a floating dtype.
Array sizeNumber(Dim size, Dtype dtype, Device device, Location at);

/// value * weight. With weight 0 a NaN or an infinity counts as 0; the derivative is that of the product.
Array share(const Array &value, const Array &weight);

/// Elements of x [batch, spatial..., channels]: `indices` has an array of integers for each axis that is not kept,
/// [batch, places..., 1] if `isBatched`, else [places..., 1] with those of the batch first. The result has the places
/// and the channels.
Array pixels(const Array &x, const std::vector<Array> &indices, bool isBatched, IndexMode mode);

} // namespace tenon::detail
