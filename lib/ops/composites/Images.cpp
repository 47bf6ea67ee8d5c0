//===- Images.cpp - what functions of images share, channels as blocks -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Images.h"

#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"

#include <algorithm>
#include <array>

using namespace tenon;
using namespace tenon::detail;

Array detail::withChannelsLast(const Array &x, DataFormat format) {
  return format == DataFormat::channels_last ? x : moveaxis(x, 1, -1);
}

Array detail::withChannels(const Array &x, DataFormat format) {
  return format == DataFormat::channels_last ? x : moveaxis(x, -1, 1);
}

Array detail::sizeNumber(Dim size, Dtype dtype, Device device, Location at) {
  if (size.is_static())
    return full({}, static_cast<double>(size.raw()), dtype, device, at);
  return convert(sizeOf(size, device, at), dtype, at);
}

Array detail::share(const Array &value, const Array &weight) {
  return where(weight == 0 && !isfinite(value), 0, value) * weight;
}

Array detail::pixels(const Array &x, const std::vector<Array> &indices, bool isBatched, IndexMode mode) {
  const Array starts = indices.size() == 1 ? indices[0] : concatenate(indices, -1);
  std::vector<int64_t> axes;
  for (int64_t i = isBatched; i + 1 < x.ndim(); ++i)
    axes.push_back(i);
  const std::vector<int64_t> batch(isBatched, 0);
  Shape sizes(std::vector<Dim>(static_cast<size_t>(x.ndim()), 1));
  sizes.at(x.ndim() - 1) = x.shape()[-1];
  return gather(x, starts, sizes, starts.ndim() - 1, axes, axes, batch, batch, mode);
}

//===----------------------------------------------------------------------===//
// Channels as blocks
//===----------------------------------------------------------------------===//

namespace {
/// The axes behind the batch of an array whose blocks are apart.
enum class Part { height, width, row, column, channel };
using Parts = std::array<Part, 5>;

/// How the arrays of depth_to_space are made of parts: `deep` has the blocks among its channels, `flat` in its rows and
/// columns.
struct Blocks {
  Parts deep, flat;
  int64_t size;
  /// Axes of x.
  int batch, height, width, channel;
};
} // namespace

static Blocks blocksOf(const Array &x, int size, DepthOrder order, DataFormat format, const char *what, Location at) {
  using enum Part;
  expectMode("depth_to_space", "DepthOrder", order, at);
  expectMode("depth_to_space", "DataFormat", format, at);
  if (x.ndim() < 3)
    refuse("expected an array of height, width and channels, got " + describe(x.dtype(), x.shape()), at);
  if (size < 1)
    refuse("expected a " + std::string(what) + " >= 1, got " + std::to_string(size), at);
  const bool isDcr = order == DepthOrder::dcr;
  const int batch = x.ndim() - 3;
  if (format == DataFormat::channels_last)
    return {isDcr ? Parts{height, width, row, column, channel} : Parts{height, width, channel, row, column},
            {height, row, width, column, channel},
            size,
            batch,
            batch,
            batch + 1,
            batch + 2};
  return {isDcr ? Parts{row, column, channel, height, width} : Parts{channel, row, column, height, width},
          {channel, height, row, width, column},
          size,
          batch,
          batch + 1,
          batch + 2,
          batch};
}

/// x, which is made of the parts `from`, with their axes apart and in the order `to`, as an array of the sizes of x but
/// for height, width and channels.
static Array rearranged(const Array &x, const Blocks &blocks, const Parts &from, const Parts &to, Dim height, Dim width,
                        Dim channels, bool isFlat, Location at) {
  const Dim size(blocks.size);
  Shape apart, result = x.shape();
  std::vector<int64_t> order;
  for (int i = 0; i < blocks.batch; ++i) {
    apart.push_back(x.shape()[i], at);
    order.push_back(i);
  }
  for (Part part : from)
    apart.push_back(part == Part::height    ? height
                    : part == Part::width   ? width
                    : part == Part::channel ? channels
                                            : size,
                    at);
  for (Part part : to)
    order.push_back(blocks.batch + (std::ranges::find(from, part) - from.begin()));
  result.at(blocks.height) = isFlat ? computedSize([&] { return height * size; }, at) : height;
  result.at(blocks.width) = isFlat ? computedSize([&] { return width * size; }, at) : width;
  result.at(blocks.channel) = isFlat ? channels : computedSize([&] { return channels * size * size; }, at);
  return reshape(transpose(reshape(x, apart), order), result);
}

/// `size` / `divisor`, which must be exact.
static Dim quotientOf(Dim size, int64_t divisor, const char *what, Location at) {
  const std::optional<Dim> quotient = exact_div(size, divisor);
  if (!quotient)
    refuse("expected a multiple of " + std::to_string(divisor) + " as " + what + ", got " + size.str(), at);
  return *quotient;
}

static Array toSpace(const Array &x, int size, DepthOrder order, DataFormat format, const char *what, Location at) {
  const Blocks blocks = blocksOf(x, size, order, format, what, at);
  const Shape shape = x.shape();
  const Dim channels = quotientOf(shape[blocks.channel], blocks.size * blocks.size, "the number of channels", at);
  return rearranged(x, blocks, blocks.deep, blocks.flat, shape[blocks.height], shape[blocks.width], channels, true, at);
}

static Array toDepth(const Array &x, int size, DepthOrder order, DataFormat format, const char *what, Location at) {
  const Blocks blocks = blocksOf(x, size, order, format, what, at);
  const Shape shape = x.shape();
  const Dim height = quotientOf(shape[blocks.height], blocks.size, "the height", at);
  const Dim width = quotientOf(shape[blocks.width], blocks.size, "the width", at);
  return rearranged(x, blocks, blocks.flat, blocks.deep, height, width, shape[blocks.channel], false, at);
}

Array detail::depth_to_space(const Operand &x, int block_size, DepthOrder order, DataFormat data_format) {
  DoorScope scope("depth_to_space", x.location(), {{"x", x}});
  return toSpace(toArray(x, OpCode::reshape), block_size, order, data_format, "block_size", x.location());
}

Array detail::space_to_depth(const Operand &x, int block_size, DepthOrder order, DataFormat data_format) {
  DoorScope scope("space_to_depth", x.location(), {{"x", x}});
  return toDepth(toArray(x, OpCode::reshape), block_size, order, data_format, "block_size", x.location());
}

Array detail::pixel_shuffle(const Operand &x, int factor, DataFormat data_format) {
  DoorScope scope("pixel_shuffle", x.location(), {{"x", x}});
  return toSpace(toArray(x, OpCode::reshape), factor, DepthOrder::crd, data_format, "factor", x.location());
}

Array detail::pixel_unshuffle(const Operand &x, int factor, DataFormat data_format) {
  DoorScope scope("pixel_unshuffle", x.location(), {{"x", x}});
  return toDepth(toArray(x, OpCode::reshape), factor, DepthOrder::crd, data_format, "factor", x.location());
}
