//===- Selection.cpp - functions that choose elements ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/Describe.h"
#include "lib/ops/composites/Composites.h"
#include "lib/ops/composites/Shaping.h"

#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::detail;

using Axes = std::vector<int64_t>;

Array tenon::put_along_axis(const Operand &operand, const Operand &indices, const Operand &values, Axis axis) {
  const Location at = operand.location();
  DoorScope scope("put_along_axis", at, {{"x", operand}, {"indices", indices}, {"values", values}});
  const Array x = toArray(operand, OpCode::scatter);
  const Array places = toIndices(toArray(indices, OpCode::scatter, {}, x.device()), OpCode::scatter, at);
  const int place = axisOf(x, axis, at);
  Shape with = places.shape();
  bool fits = with.rank() == x.ndim();
  Axes others;
  for (int i = 0; fits && i < x.ndim(); ++i) {
    fits = i == place || provably_equal(with[i], x.shape()[i]) == Always::yes;
    if (i != place)
      others.push_back(i);
  }
  if (!fits)
    refuse("expected indices of x's sizes but for axis " + std::to_string(place) + ", got " + with.str() + " for " +
               x.shape().str(),
           at);
  const Array updates = broadcast(toUpdates(values, OpCode::scatter, x), with, at);
  with.push_back(1, at);
  return scatter(x, reshape(places, with), updates, Axes(), {place}, {place}, others, others, IndexMode::error);
}

Array tenon::compress(const Operand &condition, const Operand &operand, std::optional<Axis> axis) {
  const Location at = condition.location();
  DoorScope scope("compress", at, {{"condition", condition}, {"x", operand}});
  const Array holds = toArray(condition, OpCode::where);
  if (holds.ndim() != 1 || kind(holds.dtype()) > Kind::integer)
    refuse("expected a condition of rank 1 of truth values or integers, got " + describe(holds.dtype(), holds.shape()),
           at);
  Array x = toArray(operand, OpCode::gather);
  if (!axis)
    x = reshape(x, {-1});
  const int place = axis ? axisOf(x, *axis, at) : 0;
  const std::optional<std::vector<int64_t>> values = knownValues(holds);
  if (!values)
    refuse("the size of the result depends on the condition, whose values are unknown inside jit and vmap; use "
           "where(condition, x, 0)",
           at);
  std::vector<int64_t> places;
  for (size_t i = 0; i < values->size(); ++i)
    if ((*values)[i] != 0)
      places.push_back(static_cast<int64_t>(i));
  const Dim size = x.shape()[place];
  if (size.is_static() && !places.empty() && places.back() >= size.raw())
    refuse("the condition holds at " + std::to_string(places.back()) + ", axis " + std::to_string(place) + " has " +
               size.str() + " elements",
           at);
  return take(x, to_device(Array(places), x.device(), at), Axis(place));
}

Array tenon::select(const Arrays &conditions, const Arrays &choices, Scalar otherwise, Location at) {
  DoorScope scope("select", at, {{"conditions", conditions}, {"choices", choices}});
  const std::vector<Array> given = toArrays(conditions, at), all = toOneDtype(choices, at);
  if (given.size() != all.size())
    refuse("expected a choice for each condition, got " + std::to_string(all.size()) + " for " +
               std::to_string(given.size()),
           at);
  // Beside bools a number 0 is false, or all choices would become integers.
  const bool isFalse = all[0].dtype() == Dtype::bool_ && !otherwise.as_bool();
  Array result = where(given.back(), all.back(), isFalse ? Scalar(false) : otherwise);
  for (size_t i = all.size() - 1; i-- > 0;)
    result = where(given[i], all[i], result);
  return result;
}

Array tenon::choose(const Operand &operand, const Arrays &choices) {
  const Location at = operand.location();
  DoorScope scope("choose", at, {{"x", operand}, {"choices", choices}});
  std::vector<Array> all = toOneDtype(choices, at);
  const Array x = toIndices(toArray(operand, OpCode::gather, {}, all[0].device()), OpCode::gather, at);
  all.push_back(x);
  const Shape shape = broadcastOf(all, at);
  all.pop_back();
  for (Array &choice : all)
    choice = broadcast(choice, shape, at);
  Shape front = shape;
  front.insert(0, 1, at);
  return reshape(take_along_axis(stack(all, 0, at), reshape(broadcast(x, shape, at), front), 0), shape);
}

//===----------------------------------------------------------------------===//
// Places of flattened arrays
//===----------------------------------------------------------------------===//

std::vector<Array> tenon::unravel_index(const Operand &operand, const Shape &shape) {
  const Location at = operand.location();
  DoorScope scope("unravel_index", at, {{"indices", operand}});
  Array rest = convert(toIndices(toArray(operand, OpCode::gather), OpCode::gather, at), Dtype::i64, at);
  std::vector<Array> places(shape.size());
  for (int axis = shape.rank() - 1; axis > 0; --axis) {
    const Array size = sizeOf(shape[axis], rest.device(), at);
    places[static_cast<size_t>(axis)] = remainder(rest, size);
    rest = floor_divide(rest, size);
  }
  if (!places.empty())
    places[0] = rest;
  return places;
}

Array tenon::ravel_multi_index(const Arrays &indices, const Shape &shape, Location at) {
  DoorScope scope("ravel_multi_index", at, {{"indices", indices}});
  const std::vector<Array> given = toArrays(indices, at);
  if (given.size() != shape.size())
    refuse("expected indices for each axis of " + shape.str() + ", got " + std::to_string(given.size()), at);
  Array places;
  for (size_t i = 0; i < given.size(); ++i) {
    const Array index = convert(toIndices(given[i], OpCode::gather, at), Dtype::i64, at);
    places = i == 0 ? index : places * sizeOf(shape[static_cast<int>(i)], index.device(), at) + index;
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

Scalar detail::extremeOf(Dtype dtype, bool isHighest) {
  Scalar value = isHighest;
  visitDtype(dtype, [&]<Dtype D>() {
    using T = typename ElementOf<D>::type;
    if constexpr (kind(D) == Kind::floating)
      value = isHighest ? INFINITY : -INFINITY;
    else if constexpr (kind(D) == Kind::integer)
      value = isHighest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  });
  return value;
}

using Scattering = Array (*)(const Operand &, const Operand &, const Operand &, const Ints &, const Ints &,
                             const Ints &, const Ints &, const Ints &, IndexMode);

/// The parts of `data` scattered over segments that begin with `identity`.
static Array segments(const Operand &operand, const Operand &ids, Dim count, Scattering combine,
                      Scalar (*identity)(Dtype)) {
  const Location at = operand.location();
  const Array data = toArray(operand, OpCode::scatter);
  const Array numbers = toIndices(toArray(ids, OpCode::scatter, {}, data.device()), OpCode::scatter, at);
  const Shape sizes = data.shape();
  bool fits = numbers.ndim() >= 1 && numbers.ndim() <= data.ndim();
  for (int i = 0; fits && i < numbers.ndim(); ++i)
    fits = provably_equal(numbers.shape()[i], sizes[i]) == Always::yes;
  if (!fits)
    refuse("expected segment_ids of the first sizes of " + sizes.str() + ", got " + numbers.shape().str(), at);
  if (count.is_static() && count.raw() < 0)
    refuse("expected a number of segments >= 0, got " + count.str(), at);
  Shape shape{count}, places = numbers.shape();
  places.push_back(1, at);
  Axes window;
  for (int i = numbers.ndim(); i < data.ndim(); ++i) {
    shape.push_back(sizes[i], at);
    window.push_back(i);
  }
  const Array start = full(shape, identity(data.dtype()), data.dtype(), data.device(), at);
  return combine(start, reshape(numbers, places), data, window, {0}, {0}, Axes(), Axes(), IndexMode::drop);
}

Array tenon::segment_sum(const Operand &data, const Operand &segment_ids, Dim num_segments) {
  DoorScope scope("segment_sum", data.location(), {{"data", data}, {"segment_ids", segment_ids}});
  return segments(data, segment_ids, num_segments, scatter_add, [](Dtype) { return Scalar(false); });
}
Array tenon::segment_prod(const Operand &data, const Operand &segment_ids, Dim num_segments) {
  DoorScope scope("segment_prod", data.location(), {{"data", data}, {"segment_ids", segment_ids}});
  return segments(data, segment_ids, num_segments, scatter_mul, [](Dtype) { return Scalar(true); });
}
Array tenon::segment_max(const Operand &data, const Operand &segment_ids, Dim num_segments) {
  DoorScope scope("segment_max", data.location(), {{"data", data}, {"segment_ids", segment_ids}});
  return segments(data, segment_ids, num_segments, scatter_max, [](Dtype dtype) { return extremeOf(dtype, false); });
}
Array tenon::segment_min(const Operand &data, const Operand &segment_ids, Dim num_segments) {
  DoorScope scope("segment_min", data.location(), {{"data", data}, {"segment_ids", segment_ids}});
  return segments(data, segment_ids, num_segments, scatter_min, [](Dtype dtype) { return extremeOf(dtype, true); });
}
