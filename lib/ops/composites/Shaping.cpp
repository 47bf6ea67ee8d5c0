//===- Shaping.cpp - what functions that move elements share ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Shaping.h"

#include "lib/array/Buffer.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

void detail::refuse(const std::string &sentence, Location at) {
  // The name of the op stands for that of the function.
  throwOpError(opInfo(OpCode::reshape), {}, "reshape: " + sentence, at);
}

std::vector<Array> detail::toArrays(const Arrays &xs, Location at) {
  if (xs.size() == 0)
    refuse("expected at least one array, got none", at);
  for (const Array &x : xs)
    if (!x.has_value())
      throw Error(publicName("reshape") + ": expected an array, got an empty Array", userLocation(at));
  return {xs.begin(), xs.end()};
}

/// The dtype of both; one that only stores numbers stands beside itself alone.
static Dtype promoted(Dtype a, Dtype b, Location at) {
  const Dtype both = promote(a, b);
  if (is_storage(both) && a != b)
    refuse("expected arrays of one dtype beside " + std::string(short_name(both)) +
               ", which only stores numbers: convert it with astype",
           at);
  return both;
}

std::vector<Array> detail::toOneDtype(const Arrays &xs, Location at) {
  std::vector<Array> arrays = toArrays(xs, at);
  Dtype dtype = arrays[0].dtype();
  for (const Array &x : arrays)
    dtype = promoted(dtype, x.dtype(), at);
  for (Array &x : arrays)
    x = convert(x, dtype, at);
  return arrays;
}

std::pair<Array, Array> detail::toPair(const Operand &x1, const Operand &x2) {
  auto beside = [](const Operand &x, const Operand &other) {
    std::optional<Dtype> dtype;
    if (x.is_scalar() && other.value() && x.scalar().kind() <= kind(other.value()->dtype()))
      dtype = other.value()->dtype();
    return toArray(x, OpCode::reshape, dtype, other.value() ? other.value()->device() : Device::cpu);
  };
  const Array a = beside(x1, x2), b = beside(x2, x1);
  const Dtype dtype = promoted(a.dtype(), b.dtype(), x1.location());
  return {convert(a, dtype, x1.location()), convert(b, dtype, x1.location())};
}

std::optional<std::vector<int64_t>> detail::knownValues(const Array &x) {
  Value *known = concreteOrNull(x.value());
  if (!known)
    return std::nullopt;
  std::vector<int64_t> values;
  visitDtype(x.dtype(), [&]<Dtype D>() {
    if constexpr (kind(D) <= Kind::integer)
      for (const auto value : Array::share(known).to_vector<typename ElementOf<D>::type>())
        values.push_back(static_cast<int64_t>(value));
  });
  return values;
}

std::optional<std::vector<double>> detail::knownNumbers(const Array &x) {
  Value *known = concreteOrNull(x.value());
  if (!known)
    return std::nullopt;
  std::vector<double> numbers;
  visitDtype(x.dtype(), [&]<Dtype D>() {
    using T = typename ElementOf<D>::type;
    if constexpr (kind(D) <= Kind::integer)
      for (const auto number : Array::share(known).to_vector<T>())
        numbers.push_back(static_cast<double>(number));
    else if constexpr (kind(D) == Kind::floating)
      for (const T &number : Array::share(known).to_vector<T>())
        numbers.push_back(sizeof(T) == 8 ? static_cast<double>(number) : static_cast<float>(number));
  });
  return numbers;
}

int detail::axisOf(const Array &x, Axis axis, Location at) {
  return static_cast<int>(normalizeAxis(OpCode::reshape, x, axis.value(), at));
}

std::vector<int64_t> detail::distinctAxes(std::span<const int64_t> axes, int rank, Location at) {
  std::vector<int64_t> out;
  if (std::string error = normalizeAxes(axes, rank, out); !error.empty())
    refuse(error, at);
  return out;
}

Shape detail::broadcastOf(const std::vector<Array> &arrays, Location at) {
  Shape shape;
  for (const Array &array : arrays) {
    Shape both;
    if (std::string error = broadcastShapes(shape, array.shape(), both); !error.empty())
      refuse(error, at);
    shape = both;
  }
  return shape;
}

Array detail::sizeOf(Dim size, Device device, Location at) {
  if (size.is_static())
    return full({}, size.raw(), Dtype::i64, device, at);
  return dimension(broadcast_to(full({}, 0, Dtype::i64, device, at), {size}), 0);
}

Dtype detail::productDtype(Dtype dtype) {
  if (kind(dtype) >= Kind::floating)
    return dtype;
  return item_size(dtype) <= 4 ? Dtype::i32 : Dtype::i64;
}

Dtype detail::computedDtype(Dtype operands, Dtype wanted) {
  if (operands == wanted && !is_storage(operands))
    return productDtype(operands);
  // A dtype that only stores numbers is not promoted.
  const Dtype from = is_storage(operands) ? Dtype::f32 : operands;
  const Dtype wider = productDtype(is_storage(wanted) ? from : promote(from, wanted));
  return is_narrow(wider) ? Dtype::f32 : wider;
}
Array detail::toFactor(const Array &x, Dtype computed, Location at) {
  const bool isNarrowInteger = kind(x.dtype()) <= Kind::integer && item_size(x.dtype()) < 4;
  const bool isWidened =
      (is_narrow(x.dtype()) && computed == Dtype::f32) || (isNarrowInteger && computed == Dtype::i32);
  return isWidened ? x : convert(x, computed, at);
}

Array detail::partOf(const Array &x, int axis, Dim start, Dim stop, int64_t step) {
  Shape starts, stops = x.shape();
  std::vector<int64_t> steps(stops.size(), 1);
  for (int i = 0; i < x.ndim(); ++i)
    starts.push_back(i == axis ? start : Dim(0));
  stops.at(axis) = stop;
  steps[static_cast<size_t>(axis)] = step;
  return slice(x, starts, stops, steps);
}

Array detail::withLast(const Array &x, std::span<const int64_t> axes) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (std::ranges::find(axes, i) == axes.end())
      order.push_back(i);
  order.insert(order.end(), axes.begin(), axes.end());
  return std::ranges::is_sorted(order) ? x : transpose(x, order);
}
