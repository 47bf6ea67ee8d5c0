//===- PoolingAdaptive.cpp - a given number of windows that cover an axis -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Pooling.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// The windows along one axis: `count` of at most `longest` elements.
struct Cover {
  Dim size;
  int64_t count;
  Dim longest;
  /// Whether all windows have `longest` elements, and each begins where the one before ends.
  bool isEven;

  Cover(Dim size, int64_t count, int axis, Location at) : size(size), count(count) {
    if (isNone(size))
      refuse("expected elements along axis " + std::to_string(axis) + ", got none", at);
    const std::optional<Dim> part = exact_div(size, count);
    isEven = part.has_value();
    if (isEven) {
      longest = *part;
      return;
    }
    if (!size.is_static())
      refuse("expected a size that is a multiple of " + std::to_string(count) + ", or known, along axis " +
                 std::to_string(axis) + ", got " + size.str(),
             at);
    if (count > (INT64_MAX / 4) / size.raw())
      refuse("expected output sizes of less than 2^61 / " + size.str() + ", got " + std::to_string(count), at);
    // A window begins and ends inside of an element, or at its border: beside the whole ones there are two parts at
    // most, and one where all windows that begin inside of one end at its border.
    const int64_t rest = size.raw() % count;
    longest = size.raw() / count + (count % rest == 0 ? 1 : 2);
  }

  /// floor(i * size / count) for each window of an uneven cover: i64[count, 1].
  Array begins(Device device, Location at) const {
    return floor_divide(expand_dims(iota(count, Dtype::i64, device, at, size.raw()), 1), count);
  }
  /// ceil((i + 1) * size / count).
  Array ends(Device device, Location at) const {
    return floor_divide(expand_dims(iota(count, Dtype::i64, device, at, size.raw()), 1) + (size.raw() + count - 1),
                        count);
  }
  /// The elements of each window of an uneven cover: i64[count, longest]. Behind its last one, -1 or, if `isRepeated`,
  /// that again.
  Array places(bool isRepeated, Device device, Location at) const {
    const Array all = begins(device, at) + iota(longest, Dtype::i64, device, at), last = ends(device, at) - 1;
    return isRepeated ? minimum(all, last) : where(all <= last, all, -1);
  }
};
} // namespace

static std::vector<Cover> coversOf(const Array &x, const Spatial &spatial, const Ints &sizes, Location at) {
  std::vector<Cover> covers;
  const std::vector<int64_t> counts = numbersOf(sizes, spatial.count, "output sizes", at);
  for (int i = 0; i < spatial.count; ++i)
    covers.emplace_back(x.shape()[spatial.first + i], counts[static_cast<size_t>(i)], spatial.first + i, at);
  return covers;
}

/// x with two axes in the place of each spatial one, [windows, elements].
static Array windowsOf(Array x, const Spatial &spatial, const std::vector<Cover> &covers, bool isRepeated,
                       Location at) {
  for (int i = spatial.count; i-- > 0;) {
    const Cover &cover = covers[static_cast<size_t>(i)];
    const int axis = spatial.first + i;
    if (!cover.isEven) {
      x = takePlaces(x, cover.places(isRepeated, x.device(), at), axis);
      continue;
    }
    Shape apart = x.shape();
    apart.at(axis) = cover.count;
    apart.insert(axis + 1, cover.longest);
    x = reshape(x, apart);
  }
  return x;
}

static Array adaptiveAvg(const char *name, const Operand &operand, int count, const Ints &sizes, DataFormat format) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  const Floats floats(name, {&operand});
  const Array &x = floats[0];
  const Spatial spatial = spatialOf(x, count, format, at);
  const std::vector<Cover> covers = coversOf(x, spatial, sizes, at);
  std::vector<int64_t> elements;
  Array counts = full({}, 1, Dtype::i64, x.device(), at);
  for (int i = 0; i < count; ++i) {
    const Cover &cover = covers[static_cast<size_t>(i)];
    elements.push_back(spatial.first + 2 * i + 1);
    Array along = sizeOf(cover.longest, x.device(), at);
    if (!cover.isEven) {
      Shape beside(std::vector<int64_t>(static_cast<size_t>(x.ndim() - spatial.first - i), 1), at);
      beside.at(0) = cover.count;
      along = reshape(cover.ends(x.device(), at) - cover.begins(x.device(), at), beside);
    }
    counts = counts * along;
  }
  const Array total = sum(windowsOf(x, spatial, covers, /*isRepeated=*/false, at), elements);
  return floats.rounded(total / convert(counts, x.dtype(), at));
}

/// The first of the largest elements along the axes `elements` of x.
static Array firstLargest(const Array &x, const std::vector<int64_t> &elements, Location at) {
  const Array last = withLast(x, elements);
  const int kept = last.ndim() - static_cast<int>(elements.size());
  Shape flat = Shape::of(last.shape().begin(), kept);
  Dim count = 1;
  for (int i = kept; i < last.ndim(); ++i)
    count = computedSize([&] { return count * last.shape()[i]; }, at);
  flat.push_back(count, at);
  const Array rows = reshape(last, flat);
  return squeeze(take_along_axis(rows, argmax(rows, -1, true), -1), -1);
}

static Array adaptiveMax(const char *name, const Operand &operand, int count, const Ints &sizes, DataFormat format) {
  const Location at = operand.location();
  DoorScope scope(name, at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::window_max);
  if (const std::string problem = checkDtype(opInfo(OpCode::window_max), x.dtype()); !problem.empty())
    refuse(problem, at);
  const Spatial spatial = spatialOf(x, count, format, at);
  const std::vector<Cover> covers = coversOf(x, spatial, sizes, at);
  std::vector<int64_t> elements;
  for (int i = 0; i < count; ++i)
    elements.push_back(spatial.first + 2 * i + 1);
  if (!std::ranges::all_of(covers, [](const Cover &cover) { return cover.longest.is_static(); }))
    return firstLargest(windowsOf(x, spatial, covers, /*isRepeated=*/true, at), elements, at);
  // Windows side by side. An element that stands there twice is the maximum where it stands first.
  Array side = x;
  Windows windows(x.ndim());
  for (int i = 0; i < count; ++i) {
    const Cover &cover = covers[static_cast<size_t>(i)];
    const int axis = spatial.first + i;
    if (!cover.isEven)
      side = take(side, reshape(cover.places(/*isRepeated=*/true, x.device(), at), {-1}), axis);
    windows.window[static_cast<size_t>(axis)] = windows.strides[static_cast<size_t>(axis)] = cover.longest.raw();
  }
  return windowReduce(OpCode::window_max, side, windows, at);
}

Array detail::adaptive_avg_pool1d(const Operand &x, const Ints &output_size, DataFormat data_format) {
  return adaptiveAvg("adaptive_avg_pool1d", x, 1, output_size, data_format);
}
Array detail::adaptive_avg_pool2d(const Operand &x, const Ints &output_size, DataFormat data_format) {
  return adaptiveAvg("adaptive_avg_pool2d", x, 2, output_size, data_format);
}
Array detail::adaptive_avg_pool3d(const Operand &x, const Ints &output_size, DataFormat data_format) {
  return adaptiveAvg("adaptive_avg_pool3d", x, 3, output_size, data_format);
}
Array detail::adaptive_max_pool1d(const Operand &x, const Ints &output_size, DataFormat data_format) {
  return adaptiveMax("adaptive_max_pool1d", x, 1, output_size, data_format);
}
Array detail::adaptive_max_pool2d(const Operand &x, const Ints &output_size, DataFormat data_format) {
  return adaptiveMax("adaptive_max_pool2d", x, 2, output_size, data_format);
}
Array detail::adaptive_max_pool3d(const Operand &x, const Ints &output_size, DataFormat data_format) {
  return adaptiveMax("adaptive_max_pool3d", x, 3, output_size, data_format);
}
