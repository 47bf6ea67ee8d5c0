//===- Sorting.cpp - doors of sorts, and of what they find ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

static std::vector<Array> sortTogether(const std::vector<Array> &xs, int64_t axis, int64_t keys, bool descending,
                                       Location at) {
  std::vector<Value *> values;
  for (const Array &x : xs)
    values.push_back(x.value());
  return bindInferred(OpCode::sort_keys, values, Words(SortKeysAttrs{axis, keys, descending}), {}, at);
}

/// The arrays, of which there is one at least.
static std::vector<Array> expectArrays(const char *function, const Arrays &xs, Location at) {
  if (xs.size() == 0)
    throw Error(std::string(function) + ": expected at least one array, got none", userLocation(at));
  for (const Array &x : xs)
    if (!x.has_value())
      throw Error(std::string(function) + ": expected an array, got an empty Array", userLocation(at));
  return std::vector<Array>(xs.begin(), xs.end());
}

std::vector<Array> tenon::sort_keys(const Arrays &xs, Axis axis, int keys, bool descending, Location at) {
  DoorScope scope("", "sort_keys", {}, {{"xs", xs}});
  const std::vector<Array> arrays = expectArrays("sort_keys", xs, at);
  return sortTogether(arrays, normalizeAxis(OpCode::sort_keys, arrays[0], axis.value(), at), keys, descending, at);
}

Array tenon::sort(const Operand &x, Axis axis, bool descending) {
  DoorScope scope("sort", x.location(), {{"x", x}});
  const Array array = toArray(x, OpCode::sort_keys);
  const int64_t place = normalizeAxis(OpCode::sort_keys, array, axis.value(), x.location());
  return sortTogether({array}, place, 1, descending, x.location())[0];
}

Array tenon::lexsort(const Arrays &keys, Axis axis, Location at) {
  DoorScope scope("lexsort", at, {{"keys", keys}});
  std::vector<Array> arrays = expectArrays("lexsort", keys, at);
  std::reverse(arrays.begin(), arrays.end());
  const Shape shape = arrays[0].shape();
  const int64_t place = normalizeAxis(OpCode::sort_keys, arrays[0], axis.value(), at);
  const Dim length = shape[static_cast<int>(place)];
  Shape along;
  for (int64_t i = 0; i < shape.rank(); ++i)
    along.push_back(i == place ? length : Dim(1), at);
  const Array numbers = iota(length, Dtype::i64, arrays[0].device(), at);
  arrays.push_back(broadcast(reshape(numbers, along), shape, at));
  return sortTogether(arrays, place, static_cast<int64_t>(arrays.size()) - 1, false, at).back();
}

/// Indices from 0 on, or what `mode` treats as out of range. Only modes error and wrap count from the end.
static Array placesOf(const Array &indices, Dim size, IndexMode mode, Location at) {
  if (mode == IndexMode::error)
    return indices;
  if (mode == IndexMode::wrap && indices.dtype() == Dtype::u64) // i64 does not hold all
    return astype(remainder(indices, astype(sizeOf(size, indices.device(), at), Dtype::u64)), Dtype::i64);
  const Array places = convert(toIndices(indices, OpCode::gather, at), Dtype::i64, at);
  if (mode == IndexMode::wrap)
    return remainder(places, sizeOf(size, indices.device(), at));
  return mode == IndexMode::clip ? maximum(places, 0) : where(places < 0, sizeOf(size, indices.device(), at), places);
}

Array tenon::take(const Operand &x, const Operand &indices, std::optional<Axis> axis, IndexMode mode) {
  DoorScope scope("take", x.location(), {{"x", x}, {"indices", indices}});
  Array array = toArray(x, OpCode::gather);
  if (!axis)
    array = reshape(array, {-1});
  const int64_t place = axis ? normalizeAxis(OpCode::gather, array, axis->value(), x.location()) : 0;
  std::vector<IndexItem> items(static_cast<size_t>(place), _);
  const Array places = toArray(indices, OpCode::gather, {}, array.device());
  if (kind(places.dtype()) != Kind::integer)
    throwOpError(opInfo(OpCode::gather), {},
                 "take: expected integers as indices, got " + describe(places.dtype(), places.shape()), x.location());
  expectMode("take", "IndexMode", mode, x.location());
  items.push_back(placesOf(places, array.shape()[static_cast<int>(place)], mode, x.location()));
  return array.at[Index(std::span<const IndexItem>(items), x.location())].get({.mode = mode});
}

Array tenon::take_along_axis(const Operand &x, const Operand &indices, Axis axis) {
  DoorScope scope("take_along_axis", x.location(), {{"x", x}, {"indices", indices}});
  const Array array = toArray(x, OpCode::gather);
  const Array places = toIndices(toArray(indices, OpCode::gather, {}, array.device()), OpCode::gather, x.location());
  const auto place = static_cast<int>(normalizeAxis(OpCode::gather, array, axis.value(), x.location()));
  const Shape with = places.shape();
  bool fits = with.rank() == array.ndim();
  for (int i = 0; fits && i < array.ndim(); ++i)
    fits = i == place || provably_equal(with[i], array.shape()[i]) == Always::yes;
  if (!fits)
    throwOpError(opInfo(OpCode::gather), std::initializer_list<Value *>{array.value(), places.value()},
                 "take_along_axis: expected indices of x's sizes but for axis " + std::to_string(place) + ", got " +
                     with.str() + " for " + array.shape().str(),
                 x.location());
  return alongAxis(array, places, place, IndexMode::error);
}

Array detail::alongAxis(const Array &x, const Array &places, int axis, IndexMode mode) {
  Shape with = places.shape(), sizes;
  with.push_back(1);
  std::vector<int64_t> others;
  for (int i = 0; i < x.ndim(); ++i) {
    sizes.push_back(1);
    if (i != axis)
      others.push_back(i);
  }
  return gather(x, reshape(places, with), sizes, std::vector<int64_t>(), {axis}, {axis}, others, others, mode);
}
