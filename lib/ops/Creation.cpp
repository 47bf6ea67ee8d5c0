//===- Creation.cpp - doors of ops that make arrays -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/ops/Door.h"

#include <algorithm>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// A number as an attribute of an op that makes `dtype`: of the dtype's kind.
static ScalarAttr scalarAttr(Scalar value, Dtype dtype) {
  switch (kind(dtype)) {
  case Kind::boolean:
    return {Kind::boolean, value.as_double() != 0};
  case Kind::integer: {
    int64_t element = 0;
    writeScalar(&element, Dtype::i64, value);
    return {Kind::integer, static_cast<uint64_t>(element)};
  }
  case Kind::floating:
    return {Kind::floating, __builtin_bit_cast(uint64_t, value.as_double())};
  case Kind::complex: {
    complex64 element;
    writeScalar(&element, Dtype::c64, value);
    return {Kind::complex, __builtin_bit_cast(uint64_t, element)};
  }
  }
  __builtin_unreachable();
}

Array tenon::full(const Shape &shape, Scalar value, std::optional<Dtype> dtype, Location at) {
  Dtype type = dtype.value_or(value.default_dtype());
  if (dtype && scalarDtype(value, *dtype, "full", userLocation(at)) != *dtype)
    throw Error("full: expected a number of a kind that " + std::string(short_name(type)) + " holds, got " +
                    value.str(),
                userLocation(at));
  return apply(OpCode::full, {}, Words(FullAttrs{{shape.begin(), shape.size()}, scalarAttr(value, type), type}), at);
}

Array tenon::zeros(const Shape &shape, Dtype dtype, Location at) {
  LocationScope scope("zeros", at);
  return full(shape, false, dtype, at);
}

Array tenon::ones(const Shape &shape, Dtype dtype, Location at) {
  LocationScope scope("ones", at);
  return full(shape, true, dtype, at);
}

Array tenon::arange(Scalar start, std::optional<Scalar> stop, Scalar step, std::optional<Dtype> dtype, Location at) {
  Scalar first = stop ? start : Scalar(0), last = stop ? *stop : start;
  Kind highest = std::max({first.kind(), last.kind(), step.kind()});
  if (highest == Kind::complex)
    throw Error("arange: expected real numbers, got a complex one", userLocation(at));
  Dtype type = dtype.value_or(highest == Kind::floating ? Dtype::f32 : Dtype::i32);
  if (step.as_double() == 0)
    throw Error("arange: expected a step other than 0, got 0", userLocation(at));
  int64_t length;
  if (highest == Kind::floating) {
    double count = std::ceil((last.as_double() - first.as_double()) / step.as_double());
    if (!(count < 0x1p60))
      throw Error("arange: expected finite bounds, got " + first.str() + ", " + last.str() + ", " + step.str(),
                  userLocation(at));
    length = count > 0 ? static_cast<int64_t>(count) : 0;
  } else {
    __int128 span = __int128(last.as_int()) - first.as_int();
    __int128 by = step.as_int();
    __int128 count = by > 0 ? (span + by - 1) / by : (-span + -by - 1) / -by;
    length = span == 0 || (span > 0) != (by > 0) ? 0 : static_cast<int64_t>(count);
  }
  Dim dims[] = {length};
  return apply(OpCode::arange, {}, Words(ArangeAttrs{dims, scalarAttr(first, type), scalarAttr(step, type), type}), at);
}

Array tenon::dimension(const Operand &x, int axis) {
  Array array = toArray(x, OpCode::dimension);
  int64_t place = normalizeAxis(OpCode::dimension, array, axis, x.location());
  return apply(OpCode::dimension, {array.value()}, Words(DimensionAttrs{place}), x.location());
}

Array tenon::random::bits(const Operand &key, const Shape &shape, int words) {
  Array array = toArray(key, OpCode::bits);
  return apply(OpCode::bits, {array.value()}, Words(BitsAttrs{{shape.begin(), shape.size()}, words}), key.location());
}
