//===- Movement.cpp - doors of movement ops ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Shaping.h"

#include <algorithm>
#include <numeric>

using namespace tenon;
using namespace tenon::detail;

static std::span<const Dim> dimsOf(const Shape &shape) { return {shape.begin(), shape.size()}; }

Array tenon::reshape(const Operand &x, const Shape &shape) {
  Array array = toArray(x, OpCode::reshape);
  Shape wanted = shape;
  // One size of -1 is what is left.
  int open = -1;
  for (int i = 0; i < wanted.rank(); ++i) {
    if (wanted[i].raw() != -1)
      continue;
    if (open >= 0)
      throwOpError(opInfo(OpCode::reshape), std::initializer_list<Value *>{array.value()},
                   "reshape: expected at most one size of -1, got the shape " + shape.str(), x.location());
    open = i;
  }
  if (open >= 0) {
    wanted.at(open) = 1;
    std::optional<Dim> rest = exact_div(element_count(array.shape()), element_count(wanted));
    if (!rest)
      throwOpError(opInfo(OpCode::reshape), std::initializer_list<Value *>{array.value()},
                   "reshape: " + element_count(array.shape()).str() + " elements do not fill the shape " + shape.str(),
                   x.location());
    wanted.at(open) = *rest;
  }
  if (wanted == array.shape())
    return array;
  return apply(OpCode::reshape, {array.value()}, Words(ReshapeAttrs{dimsOf(wanted)}), x.location());
}

Array tenon::broadcast_to(const Operand &x, const Shape &shape) {
  return broadcast(toArray(x, OpCode::broadcast_to), shape, x.location());
}

Array tenon::transpose(const Operand &x, const Ints &permutation) {
  Array array = toArray(x, OpCode::transpose);
  std::vector<int64_t> axes(static_cast<size_t>(array.ndim()));
  if (!permutation.given()) {
    for (size_t i = 0; i < axes.size(); ++i)
      axes[i] = static_cast<int64_t>(axes.size() - 1 - i);
  } else {
    axes.assign(permutation.values().begin(), permutation.values().end());
    for (int64_t &axis : axes)
      axis = normalizeAxis(OpCode::transpose, array, axis, x.location());
  }
  return apply(OpCode::transpose, {array.value()}, Words(TransposeAttrs{axes}), x.location());
}

Array tenon::slice(const Operand &x, const Shape &starts, const Shape &stops, const Ints &steps) {
  Array array = toArray(x, OpCode::slice);
  std::vector<int64_t> all(steps.values().begin(), steps.values().end());
  if (!steps.given())
    all.assign(static_cast<size_t>(array.ndim()), 1);
  return apply(OpCode::slice, {array.value()}, Words(SliceAttrs{dimsOf(starts), dimsOf(stops), all}), x.location());
}

/// Whether a size is below 0 for all values of its symbols.
static bool isNegative(Dim size) { return size.is_static() ? size.raw() < 0 : provably_less(size, 0) == Always::yes; }

/// The paddings that are not negative; `cut` becomes those that are, as positive numbers. A symbolic padding counts as
/// negative only where its bounds prove it.
static Shape withoutCuts(const Shape &paddings, Shape &cut, Location at) {
  Shape kept = paddings;
  for (int i = 0; i < kept.rank(); ++i) {
    Dim &width = kept.at(i);
    const bool isCut = isNegative(width);
    cut.push_back(isCut ? computedSize([&] { return Dim(0) - width; }, at) : Dim(0));
    if (isCut)
      width = 0;
  }
  return kept;
}

/// x without `low` elements before and `high` after each axis.
static Array cropped(const Array &x, const Shape &low, const Shape &high, const Array &from, const Array &fill,
                     Location at) {
  Shape stops;
  for (int i = 0; i < x.ndim(); ++i) {
    const Dim stop = computedSize([&] { return x.shape()[i] - high[i]; }, at);
    const Dim left = computedSize([&] { return stop - low[i]; }, at);
    if (isNegative(left))
      throwOpError(
          opInfo(OpCode::pad), std::initializer_list<Value *>{from.value(), fill.value()},
          "pad: expected paddings that leave a size >= 0, got " + left.str() + " for axis " + std::to_string(i), at);
    stops.push_back(stop);
  }
  return slice(x, low, stops);
}

Array tenon::pad(const Operand &x, const Operand &value, const Shape &low, const Shape &high, const Ints &interior) {
  DoorScope scope("", "pad", {}, {{"x", x}, {"value", value}});
  Array array = toArray(x, OpCode::pad);
  Array fill = toArray(value, OpCode::pad, array.dtype(), array.device());
  if (fill.ndim() != 0)
    throwOpError(opInfo(OpCode::pad), {}, "pad: expected a value of rank 0, got the shape " + fill.shape().str(),
                 x.location());
  fill = convert(fill, array.dtype(), value.location());
  std::vector<int64_t> all(interior.values().begin(), interior.values().end());
  if (!interior.given())
    all.assign(static_cast<size_t>(array.ndim()), 0);
  Shape cutLow, cutHigh;
  const Shape before = withoutCuts(low, cutLow, x.location()), after = withoutCuts(high, cutHigh, x.location());
  const Array padded = apply(OpCode::pad, {array.value(), fill.value()},
                             Words(PadAttrs{dimsOf(before), dimsOf(after), all}), x.location());
  const auto isCut = [](const Shape &cut) {
    return std::any_of(cut.begin(), cut.end(), [](Dim width) { return !width.is_static() || width.raw() != 0; });
  };
  return isCut(cutLow) || isCut(cutHigh) ? cropped(padded, cutLow, cutHigh, array, fill, x.location()) : padded;
}

static std::vector<Value *> valuesOf(const std::vector<Array> &arrays) {
  std::vector<Value *> values;
  for (const Array &array : arrays)
    values.push_back(array.value());
  return values;
}

/// The arrays in one dtype.
static std::vector<Array> promoted(OpCode op, const Arrays &xs, Location at) {
  std::vector<Array> arrays;
  for (const Array &x : xs) {
    if (!x.has_value())
      throw Error(publicName(opInfo(op).name) + ": expected an array, got an empty Array", userLocation(at));
    noteOperand(&x, at);
    arrays.push_back(x);
  }
  if (arrays.empty())
    return arrays;
  Dtype dtype = arrays[0].dtype();
  for (const Array &x : arrays) {
    const Dtype given = dtype;
    dtype = promote(given, x.dtype());
    if (is_storage(dtype) && given != x.dtype())
      throwOpError(opInfo(op), valuesOf(arrays),
                   std::string(opInfo(op).name) + ": expected arrays of one dtype beside " +
                       std::string(short_name(dtype)) + ", which only stores numbers: convert it with astype",
                   at);
  }
  for (Array &x : arrays)
    x = convert(x, dtype, at);
  return arrays;
}

Array tenon::concatenate(const Arrays &xs, Axis axis, Location at) {
  DoorScope scope("", "concatenate", {}, {{"xs", xs}});
  std::vector<Array> arrays = promoted(OpCode::concatenate, xs, at);
  if (arrays.empty())
    throw Error(publicName("concatenate") + ": expected at least one array, got none", userLocation(at));
  int64_t place = normalizeAxis(OpCode::concatenate, arrays[0], axis.value(), at);
  return std::move(bindInferred(OpCode::concatenate, valuesOf(arrays), Words(ConcatenateAttrs{place}), {}, at)[0]);
}

std::vector<Array> tenon::optimization_barrier(const Arrays &xs, Location at) {
  std::vector<Array> arrays(xs.begin(), xs.end());
  return bindInferred(OpCode::optimization_barrier, valuesOf(arrays), {}, {}, at);
}

Array tenon::stop_gradient(const Operand &x) {
  const Array array = toArray(x, OpCode::stop_gradient);
  return apply(OpCode::stop_gradient, {array.value()}, {}, x.location());
}

void tenon::print(std::string_view format, const Arrays &xs, Location at) {
  std::vector<Array> arrays(xs.begin(), xs.end());
  bindInferred(OpCode::print, valuesOf(arrays), Words(PrintAttrs{format}), {}, at);
}

void tenon::print(const Operand &x) { print("{}", {toArray(x, OpCode::print)}, x.location()); }

void tenon::check(const Operand &condition, std::string_view format, const Arrays &xs) {
  const Location at = condition.location();
  const Array given = toArray(condition, OpCode::check);
  // A complex number is true where it is not 0, as C++ and NumPy have it.
  std::vector<Array> arrays{kind(given.dtype()) == Kind::complex ? given != 0 : convert(given, Dtype::bool_, at)};
  arrays.insert(arrays.end(), xs.begin(), xs.end());
  bindInferred(OpCode::check, valuesOf(arrays), Words(CheckAttrs{format, 0}), {}, at);
}
