//===- Creation.cpp - doors of ops that make arrays -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/base/FloatingPoint.h"
#include "lib/ops/Door.h"

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// A number as an attribute of an op that makes `dtype`: of the dtype's kind.
static ScalarAttr scalarAttr(Scalar value, Dtype dtype) {
  switch (kind(dtype)) {
  case Kind::boolean:
    return ScalarAttr::boolean(value.as_double() != 0);
  case Kind::integer: {
    if (is_unsigned(dtype) && value.huge()) {
      uint64_t element;
      writeScalar(&element, Dtype::u64, value);
      return ScalarAttr::integer(element);
    }
    int64_t element;
    writeScalar(&element, Dtype::i64, value);
    return ScalarAttr::integer(element);
  }
  case Kind::floating: {
    // An integer is rounded once, to the dtype: what becomes of it later is exact.
    double element = rt::inDefaultFloatingPoint([&] { return value.as_double(); });
    if (value.kind() == Kind::integer)
      visitDtype(dtype, [&]<Dtype D>() {
        if constexpr (kind(D) == Kind::floating) {
          typename ElementOf<D>::type made;
          writeScalar(&made, D, value);
          element = made;
        }
      });
    return ScalarAttr::floating(element);
  }
  case Kind::complex: {
    // Rounded to the dtype here, where an integer is rounded once.
    if (dtype == Dtype::c64) {
      complex64_t element;
      writeScalar(&element, dtype, value);
      return ScalarAttr::complex({element.real, element.imag});
    }
    complex128_t element;
    writeScalar(&element, dtype, value);
    return ScalarAttr::complex(element);
  }
  }
  __builtin_unreachable();
}

ScalarAttr detail::fittingScalar(std::string_view function, Scalar value, Dtype dtype, Location at) {
  auto expect = [&](bool holds, const char *what, const char *how) {
    if (!holds)
      throw Error(publicName(function) + ": expected a number " + what + std::string(short_name(dtype)) + how +
                      ", got " + value.str(),
                  userLocation(at));
  };
  expect(value.kind() <= kind(dtype), "of a kind that ", " holds");
  expect(scalarFits(value, dtype), "that fits ", "");
  return scalarAttr(value, dtype);
}

Array tenon::full(const Shape &shape, Scalar value, std::optional<Dtype> dtype, std::optional<Device> device,
                  Location at) {
  Dtype type = dtype.value_or(value.default_dtype());
  const FullAttrs attributes{
      {shape.begin(), shape.size()}, fittingScalar("full", value, type, at), type, device.value_or(default_device())};
  return apply(OpCode::full, {}, Words(attributes), at);
}

//===----------------------------------------------------------------------===//
// arange
//===----------------------------------------------------------------------===//

namespace {
/// Every number that can be written, and what lies between two of them.
using Wide = __int128;

struct Range {
  Scalar first, last, step;
  std::string str() const { return "arange(" + first.str() + ", " + last.str() + ", " + step.str() + ")"; }
};
} // namespace

static Wide wideOf(Scalar number) {
  return number.huge() ? static_cast<Wide>(number.as_uint()) : static_cast<Wide>(number.as_int());
}

/// A start or step towards zero, as an integer dtype takes it; none beyond all of them.
static std::optional<Wide> truncated(Scalar number) {
  if (number.kind() != Kind::floating)
    return wideOf(number);
  double value = number.as_double();
  return std::abs(value) < 0x1p64 ? std::optional(static_cast<Wide>(value)) : std::nullopt;
}

static bool holds(Dtype dtype, Wide number) {
  if (number > UINT64_MAX || number < INT64_MIN)
    return false;
  return number > INT64_MAX ? scalarFits(static_cast<uint64_t>(number), dtype)
                            : scalarFits(static_cast<int64_t>(number), dtype);
}

static std::string str(Wide number) {
  return number < 0 ? std::to_string(static_cast<int64_t>(number)) : std::to_string(static_cast<uint64_t>(number));
}

/// Throws unless the first and the last of `length` elements, and so all between, are in `dtype`.
static void expectElements(const Range &range, Wide length, Dtype dtype, Location at) {
  auto refuse = [&](const std::string &element) {
    throw Error("arange: expected elements that fit " + std::string(short_name(dtype)) + ", got " + element + " in " +
                    range.str(),
                userLocation(at));
  };
  std::optional<Wide> first = truncated(range.first), step = truncated(range.step);
  if (!first)
    refuse(range.first.str());
  if (!step && length > 1)
    refuse("a step of " + range.step.str());
  Wide last = length > 1 ? *first + (length - 1) * *step : *first;
  for (Wide element : {*first, last})
    if (!holds(dtype, element))
      refuse(str(element));
}

Array tenon::arange(Scalar start, std::optional<Scalar> stop, Scalar step, std::optional<Dtype> dtype,
                    std::optional<Device> device, Location at) {
  Range range{stop ? start : Scalar(0), stop ? *stop : start, step};
  Kind highest = std::max({range.first.kind(), range.last.kind(), step.kind()});
  if (highest == Kind::complex)
    throw Error("arange: expected real numbers, got a complex one", userLocation(at));
  if (step.as_double() == 0)
    throw Error("arange: expected a step other than 0, got 0", userLocation(at));
  // As a number alone: i64 or u64 where i32 does not hold it.
  Dtype type = highest == Kind::floating ? Dtype::f32 : Dtype::i32;
  for (Scalar number : {range.first, range.last, step})
    if (type == Dtype::i32 && number.default_dtype() != Dtype::i32 && number.kind() == Kind::integer)
      type = Dtype::i64;
  if (type == Dtype::i64 && (range.first.huge() || range.last.huge()) && wideOf(range.first) >= 0)
    type = Dtype::u64;
  type = dtype.value_or(type);
  Wide length;
  if (highest == Kind::floating) {
    double count = rt::inDefaultFloatingPoint(
        [&] { return std::ceil((range.last.as_double() - range.first.as_double()) / step.as_double()); });
    if (!(count < 0x1p60))
      throw Error("arange: expected finite bounds, got " + range.str(), userLocation(at));
    length = count > 0 ? static_cast<Wide>(count) : 0;
  } else {
    Wide span = wideOf(range.last) - wideOf(range.first), by = wideOf(step);
    Wide count = by > 0 ? (span + by - 1) / by : (-span + -by - 1) / -by;
    length = span == 0 || (span > 0) != (by > 0) ? 0 : count;
  }
  if (length && kind(type) == Kind::integer)
    expectElements(range, length, type, at);
  if (length > Wide(1) << 60)
    throw Error("arange: expected at most 2^60 elements, got " + str(length) + " in " + range.str(), userLocation(at));
  Dim dims[] = {static_cast<int64_t>(length)};
  ScalarAttr first = scalarAttr(range.first, type), increment = scalarAttr(step, type);
  return apply(OpCode::arange, {}, Words(ArangeAttrs{dims, first, increment, type, device.value_or(default_device())}),
               at);
}

Array detail::arange(int64_t start, const Dim &stop, std::optional<Dtype> dtype, std::optional<Device> device,
                     Location at) {
  if (stop.is_static())
    return tenon::arange(start, stop.raw(), 1, dtype, device, at);
  const Dtype type = dtype.value_or(Scalar(start).default_dtype());
  if (kind(type) == Kind::integer)
    expectElements({start, start, 1}, 1, type, at);
  if (start == 0)
    return tenon::iota(stop, type, device, at);
  const Dim length = stop - start;
  const ArangeAttrs attributes{
      {&length, 1}, scalarAttr(start, type), scalarAttr(1, type), type, device.value_or(default_device())};
  return apply(OpCode::arange, {}, Words(attributes), at);
}

Array detail::iota(Dim count, Dtype dtype, Device device, Location at, int64_t step) {
  if (kind(dtype) == Kind::integer && item_size(dtype) < 8 && count.is_static() && step == 1)
    if (const int64_t last = (int64_t(1) << (8 * item_size(dtype) - !is_unsigned(dtype))) - 1; count.raw() - 1 > last)
      throw Error(publicName("iota") + ": expected a size of at most " + std::to_string(last + 1) + " for " +
                      std::string(short_name(dtype)) + ", got " + count.str(),
                  userLocation(at));
  const ArangeAttrs attributes{{&count, 1}, ScalarAttr::integer(0), ScalarAttr::integer(step), dtype, device};
  return apply(OpCode::arange, {}, Words(attributes), at);
}

Array tenon::full_like(const Operand &x, Scalar value, std::optional<Dtype> dtype, std::optional<Device> device) {
  DoorScope scope("full_like", x.location(), {{"x", x}});
  Array like = toArray(x, OpCode::full);
  return full(like.shape(), value, dtype.value_or(like.dtype()), device.value_or(like.device()), x.location());
}

//===----------------------------------------------------------------------===//
// Lists of numbers of several types
//===----------------------------------------------------------------------===//

void ListReader::read(int, const Literal &number) {
  size_t place = bytes.size();
  bytes.resize(place + item_size(dtype));
  scalarDtype(number.value, dtype, "Array", at); // refuses what does not fit
  writeScalar(bytes.data() + place, dtype, number.value);
}

static void join(std::optional<Dtype> &dtype, const Literal &number, Location at) {
  const Dtype given = dtype.value_or(number.dtype), joined = promote(given, number.dtype);
  if (is_storage(joined) && given != number.dtype)
    throw Error("Array: expected numbers of one dtype beside " + std::string(short_name(joined)) +
                    ", which only stores numbers, got " + std::string(short_name(given)) + " and " +
                    std::string(short_name(number.dtype)),
                userLocation(at));
  dtype = joined;
}
static void join(std::optional<Dtype> &dtype, const List1<Literal> &list, Location at) {
  for (const Literal &number : list)
    join(dtype, number, at);
}

template <class List>
static Value *valueOf(const List &list, Location at) {
  std::optional<Dtype> dtype;
  for (const auto &item : list)
    join(dtype, item, at);
  ListReader reader(dtype.value_or(Dtype::f32), at);
  reader.read(0, list);
  return reader.finish();
}
Value *Array::fromMixed(const List1<Literal> &list, Location at) { return valueOf(list, at); }
Value *Array::fromMixed(const List2<Literal> &list, Location at) { return valueOf(list, at); }
