//===- Edits.cpp - arrays with parts put in, taken out and replaced --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Composites.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <numeric>

using namespace tenon;
using namespace tenon::detail;

using Axes = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// Parts put in and taken out
//===----------------------------------------------------------------------===//

Array tenon::append(const Operand &x, const Operand &values, std::optional<Axis> axis) {
  const Location at = x.location();
  DoorScope scope("append", at, {{"x", x}, {"values", values}});
  const auto [first, second] = toPair(x, values);
  if (axis)
    return concatenate({first, second}, *axis, at);
  return concatenate({reshape(first, {-1}), reshape(second, {-1})}, 0, at);
}

/// Places along an axis of `size`, from 0 to `last` of it; `last` is 0 or -1 beside the size.
static Axes placesAlong(std::span<const int64_t> indices, Dim size, int64_t last, Location at) {
  Axes places;
  for (int64_t index : indices) {
    if (index < 0 && !size.is_static())
      refuse("expected indices from 0 on along an axis of size " + size.str() + ", got " + std::to_string(index), at);
    const int64_t place = index < 0 ? index + size.raw() : index;
    if (place < 0 || provably_less_equal(place, size + last) == Always::no)
      refuse("index " + std::to_string(index) + " is outside of an axis of size " + size.str(), at);
    places.push_back(place);
  }
  return places;
}

/// What is put into x, one beside another along `axis`; `count` of them.
static Array partsFor(const Operand &operand, const Array &x, int axis, size_t count, Location at) {
  const Array values = toUpdates(operand, OpCode::scatter, x);
  Shape shape = x.shape();
  if (count == 1 && values.ndim() < x.ndim()) {
    Shape part = shape;
    part.erase(axis);
    shape.at(axis) = 1;
    return reshape(broadcast(values, part, at), shape);
  }
  shape.at(axis) =
      count == 1 && values.ndim() == x.ndim() ? Dim(values.shape()[axis]) : Dim(static_cast<int64_t>(count));
  return broadcast(values, shape, at);
}

Array tenon::insert(const Operand &operand, const Ints &indices, const Operand &values, std::optional<Axis> axis) {
  const Location at = operand.location();
  DoorScope scope("insert", at, {{"x", operand}, {"values", values}});
  Array x = toArray(operand, OpCode::concatenate);
  if (!axis)
    x = reshape(x, {-1});
  const int place = axis ? axisOf(x, *axis, at) : 0;
  const Dim size = x.shape()[place];
  const Axes places = placesAlong(indices.values(), size, 0, at);
  if (places.empty())
    return x;
  const Array parts = partsFor(values, x, place, places.size(), at);
  Axes order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return places[static_cast<size_t>(i)]; });
  std::vector<Array> pieces;
  int64_t done = 0;
  for (int64_t i : order) {
    const int64_t next = places[static_cast<size_t>(i)];
    if (next > done)
      pieces.push_back(partOf(x, place, done, next));
    pieces.push_back(order.size() == 1 ? parts : partOf(parts, place, i, i + 1));
    done = next;
  }
  pieces.push_back(partOf(x, place, done, size));
  return concatenate(pieces, place, at);
}

Array tenon::delete_(const Operand &operand, const Ints &indices, std::optional<Axis> axis) {
  const Location at = operand.location();
  DoorScope scope("delete_", at, {{"x", operand}});
  Array x = toArray(operand, OpCode::concatenate);
  if (!axis)
    x = reshape(x, {-1});
  const int place = axis ? axisOf(x, *axis, at) : 0;
  const Dim size = x.shape()[place];
  Axes places = placesAlong(indices.values(), size, -1, at);
  std::ranges::sort(places);
  std::vector<Array> pieces;
  int64_t done = 0;
  for (int64_t next : places) {
    if (next > done)
      pieces.push_back(partOf(x, place, done, next));
    done = next + 1;
  }
  pieces.push_back(partOf(x, place, done, size));
  return pieces.size() == 1 ? pieces[0] : concatenate(pieces, place, at);
}

Array tenon::resize(const Operand &operand, const Shape &shape) {
  const Location at = operand.location();
  DoorScope scope("resize", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::gather), flat = reshape(x, {-1});
  for (Dim size : shape)
    if (size.is_static() && size.raw() < 0)
      refuse("expected sizes >= 0, got " + shape.str(), at);
  if (isNone(flat.shape()[0]))
    return full(shape, false, x.dtype(), x.device(), at);
  const Array places = iota(computedSize([&] { return element_count(shape); }, at), Dtype::i64, x.device(), at);
  return reshape(take(flat, remainder(places, sizeOf(flat.shape()[0], x.device(), at)), 0), shape);
}

Array tenon::trim_zeros(const Operand &operand, Trim trim) {
  const Location at = operand.location();
  DoorScope scope("trim_zeros", at, {{"x", operand}});
  expectMode("trim_zeros", "Trim", trim, at);
  const Array x = toArray(operand, OpCode::slice);
  const std::optional<std::vector<int64_t>> known = knownValues(truthOf(x));
  if (!known)
    refuse("the size of the result depends on the values of x, which are unknown inside jit and vmap", at);
  Shape starts, stops;
  int64_t behind = 1;
  for (int i = 0; i < x.ndim(); ++i)
    behind *= x.shape()[i].raw();
  for (int i = 0; i < x.ndim(); ++i) {
    const int64_t size = x.shape()[i].raw();
    behind = size ? behind / size : 0;
    int64_t first = size, last = -1;
    for (size_t number = 0; number < known->size(); ++number)
      if ((*known)[number]) {
        const int64_t index = static_cast<int64_t>(number) / behind % size;
        first = std::min(first, index);
        last = std::max(last, index);
      }
    // Where all are zeros nothing is left.
    starts.push_back(trim == Trim::back || last < 0 ? 0 : first);
    stops.push_back(last < 0 ? 0 : trim == Trim::front ? size : last + 1);
  }
  return slice(x, starts, stops);
}

//===----------------------------------------------------------------------===//
// Elements replaced
//===----------------------------------------------------------------------===//

/// The elements of `values` at `numbers`, from the first one on again where they are too few.
static Array cycled(const Array &values, const Array &numbers, Location at) {
  const Array flat = reshape(values, {-1});
  if (isNone(flat.shape()[0]))
    refuse("expected one value at least, got none", at);
  return take(flat, remainder(numbers, sizeOf(flat.shape()[0], flat.device(), at)), 0);
}

Array tenon::fill_diagonal(const Operand &operand, const Operand &value, bool wrap) {
  const Location at = operand.location();
  DoorScope scope("fill_diagonal", at, {{"x", operand}, {"value", value}});
  const Array x = toArray(operand, OpCode::where);
  const Shape shape = x.shape();
  if (shape.rank() < 2)
    refuse("expected an array of rank >= 2, got rank " + std::to_string(shape.rank()), at);
  for (int i = 1; shape.rank() > 2 && i < shape.rank(); ++i)
    if (provably_equal(shape[0], shape[i]) != Always::yes)
      refuse("expected axes of one size, got " + shape.str(), at);
  const Array values = toUpdates(value, OpCode::scatter, x);
  auto along = [&](int axis) {
    Shape one(std::vector<Dim>(static_cast<size_t>(shape.rank()), 1), at);
    one.at(axis) = shape[axis];
    return reshape(iota(shape[axis], Dtype::i64, x.device(), at), one);
  };
  const Array row = along(0);
  Array isOn, number = row;
  if (wrap && shape.rank() == 2) {
    const Array period = sizeOf(shape[1], x.device(), at) + 1;
    isOn = remainder(row, period) == along(1);
    number = row - floor_divide(row, period);
  } else {
    for (int i = 1; i < shape.rank(); ++i)
      isOn = i == 1 ? row == along(1) : isOn && row == along(i);
  }
  return where(isOn, values.ndim() == 0 ? values : cycled(values, number, at), x);
}

Array tenon::put(const Operand &operand, const Operand &indices, const Operand &values, IndexMode mode) {
  const Location at = operand.location();
  DoorScope scope("put", at, {{"x", operand}, {"indices", indices}, {"values", values}});
  expectMode("put", "IndexMode", mode, at);
  const Array x = toArray(operand, OpCode::scatter), flat = reshape(x, {-1});
  const Array wanted = toArray(indices, OpCode::scatter, {}, x.device());
  Array places = reshape(toIndices(wanted, OpCode::scatter, at), {-1});
  const Dim count = places.shape()[0], size = flat.shape()[0];
  if (isNone(count))
    return x;
  const Array given = toUpdates(values, OpCode::scatter, x);
  const Array updates =
      given.ndim() == 0 ? broadcast(given, {count}, at) : cycled(given, iota(count, Dtype::i64, x.device(), at), at);
  if (mode == IndexMode::wrap) { // u64 in its own dtype, since i64 does not hold all
    const Array length = sizeOf(size, x.device(), at);
    places = wanted.dtype() == Dtype::u64 ? astype(remainder(wanted, astype(length, Dtype::u64)), Dtype::i64)
                                          : remainder(convert(places, Dtype::i64, at), length);
  }
  const Array changed = scatter(flat, reshape(places, {count, 1}), updates, Axes(), {0}, {0}, Axes(), Axes(),
                                mode == IndexMode::wrap ? IndexMode::error : mode);
  return reshape(changed, x.shape());
}

/// Truth values of x's shape.
static Array maskOf(const char *what, const Operand &operand, const Array &x, Location at) {
  const Array mask = truthOf(operand);
  if (provably_equal(mask.shape(), x.shape()) != Always::yes)
    refuse(std::string("expected a ") + what + " of the shape " + x.shape().str() + ", got " + mask.shape().str(), at);
  return mask;
}

Array tenon::place(const Operand &operand, const Operand &mask, const Operand &values) {
  const Location at = operand.location();
  DoorScope scope("place", at, {{"x", operand}, {"mask", mask}, {"values", values}});
  const Array x = toArray(operand, OpCode::where), holds = maskOf("mask", mask, x, at);
  const Array given = toUpdates(values, OpCode::scatter, x);
  const Array numbers = cumulative_sum(convert(reshape(holds, {-1}), Dtype::i64, at), Axis(0)) - 1;
  return where(holds, given.ndim() == 0 ? given : reshape(cycled(given, numbers, at), x.shape()), x);
}

Array tenon::extract(const Operand &condition, const Operand &operand, std::optional<Dim> size, Scalar fill_value) {
  const Location at = condition.location();
  DoorScope scope("extract", at, {{"condition", condition}, {"x", operand}});
  const Array x = toArray(operand, OpCode::gather), flat = reshape(x, {-1});
  const Array mask = reshape(maskOf("condition", condition, x, at), {-1});
  if (!size && !concreteOrNull(mask.value()))
    refuse("the number of results is unknown inside jit and vmap; pass it: extract(condition, x, size), which fills "
           "missing results "
           "with fill_value",
           at);
  // Without a size there are none to be filled.
  const Array places = flatnonzero(mask, size, -1);
  if (isNone(flat.shape()[0]))
    return full(places.shape(), fill_value, x.dtype(), x.device(), at);
  const Array found = take(flat, maximum(places, 0), 0);
  return size ? where(places < 0, full({}, fill_value, x.dtype(), x.device(), at), found) : found;
}
