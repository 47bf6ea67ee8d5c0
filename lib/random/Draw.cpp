//===- Draw.cpp - what the functions of random.h are given ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/random/Draw.h"

#include "dialect/model/Shape.h"
#include "lib/base/Describe.h"
#include "lib/base/FloatingPoint.h"
#include "lib/ops/Door.h"

using namespace tenon;
using namespace tenon::detail;

static std::string publicNameOf(std::string_view frame) {
  const size_t dot = frame.find('.');
  return std::string(frame.substr(0, dot)) + "::" + std::string(frame.substr(dot + 1));
}

Draw::Draw(const char *frame, const Key &key, Location at, std::initializer_list<DoorArgument> arguments)
    : name_(publicNameOf(frame)), scope_(frame, name_, at, arguments), key_(key.data), at_(at) {
  if (!key_.has_value())
    refuse("expected a key, got an empty one; random::key makes one of a seed");
  noteOperand(&key.data, at);
  const Shape shape = key_.shape(at);
  const std::string type = describe(key_.dtype(at), shape);
  const bool isPair = shape.rank() >= 1 && provably_equal(shape[-1], 2) != Always::no;
  if (key_.dtype(at) != Dtype::u32 || !isPair)
    refuse("expected a key, u32[2], got " + type);
  if (shape.rank() > 1)
    refuse("expected one key, u32[2], got " + type + ", a batch of keys; use vmap to draw for each of them");
}

void Draw::refuse(const std::string &sentence) const { throw Error(name_ + ": " + sentence, userLocation(at_)); }

Dtype Draw::expectFloating(Dtype dtype) const {
  if (kind(dtype) != Kind::floating || is_storage(dtype))
    refuse("expected bf16, f16, f32 or f64, got " + std::string(short_name(dtype)));
  return dtype;
}

Dtype Draw::expectInteger(Dtype dtype) const {
  if (kind(dtype) != Kind::integer)
    refuse("expected a dtype of integers, got " + std::string(short_name(dtype)));
  return dtype;
}

void Draw::expectArray(std::string_view name, const Operand &parameter) const {
  if (parameter.is_none())
    refuse("expected an array or a number as " + std::string(name) + ", got an empty Array");
}

Dtype Draw::floating(std::optional<Dtype> dtype, std::initializer_list<const Operand *> parameters) const {
  if (dtype)
    return expectFloating(*dtype);
  std::optional<Dtype> common;
  for (const Operand *parameter : parameters)
    if (const Value *value = parameter->value())
      common = common ? promote(*common, value->dtype()) : value->dtype();
  return expectFloating(common ? floatingDtype(*common) : Dtype::f32);
}

void Draw::expectBetween(std::string_view name, const Operand &parameter, double low, double high) const {
  if (!parameter.is_scalar() || parameter.scalar().kind() == Kind::complex)
    return;
  const double number = parameter.scalar().as_double();
  if (!(number >= low && number <= high))
    refuse("expected " + std::string(name) + " in [" + Scalar(low).str() + ", " + Scalar(high).str() + "], got " +
           parameter.scalar().str());
}

void Draw::expectNotNegative(std::string_view name, const Operand &parameter) const {
  if (!parameter.is_scalar() || parameter.scalar().kind() == Kind::complex)
    return;
  if (!(parameter.scalar().as_double() >= 0))
    refuse("expected " + std::string(name) + " >= 0, got " + parameter.scalar().str());
}

void Draw::expectSizes(const Shape &shape) const {
  for (const Dim &size : shape)
    if (size.is_static() && size.raw() < 0)
      refuse("expected sizes >= 0, got the shape " + shape.str());
}

Array Draw::parameter(std::string_view name, const Operand &operand, Dtype dtype) const {
  expectArray(name, operand);
  const Kind given = operand.is_scalar() ? operand.scalar().kind() : kind(operand.value()->dtype());
  if (given == Kind::complex)
    refuse("expected real numbers as " + std::string(name) + ", got complex ones");
  if (operand.is_scalar())
    return full({}, operand.scalar(), dtype, key_.device(), at_);
  return convert(Array::share(operand.value()), dtype, operand.location());
}

Shape Draw::shapeOf(const Shape &given, std::initializer_list<Shape> parameters) const {
  expectSizes(given);
  Shape all;
  for (const Shape &shape : parameters) {
    Shape both;
    if (std::string error = broadcastShapes(all, shape, both); !error.empty())
      refuse(error);
    all = both;
  }
  if (given.empty())
    return all;
  Shape both;
  std::string error = broadcastShapes(given, all, both);
  if (!error.empty() || provably_equal(both, given) == Always::no)
    refuse("expected parameters that broadcast to the shape " + given.str() + ", got " + all.str());
  return given;
}

/// Calls f.operator()<D>() for a dtype of floats.
template <class F>
static double ofFloats(Dtype dtype, F &&f) {
  switch (dtype) {
  case Dtype::f16:
    return f.template operator()<float16_t>();
  case Dtype::bf16:
    return f.template operator()<bfloat16_t>();
  case Dtype::f32:
    return f.template operator()<float>();
  default:
    return f.template operator()<double>();
  }
}

double detail::roundedTo(Dtype dtype, double number) {
  return rt::inDefaultFloatingPoint([&] {
    return ofFloats(dtype, [&]<class T>() {
      if constexpr (sizeof(T) < sizeof(float))
        return static_cast<double>(static_cast<float>(T(number)));
      else
        return static_cast<double>(static_cast<T>(number));
    });
  });
}

double detail::epsilonOf(Dtype dtype) {
  return dtype == Dtype::f16 ? 0x1p-10 : dtype == Dtype::bf16 ? 0x1p-7 : dtype == Dtype::f32 ? 0x1p-23 : 0x1p-52;
}
double detail::smallestOf(Dtype dtype) {
  return dtype == Dtype::f16 ? 0x1p-14 : dtype == Dtype::f64 ? 0x1p-1022 : 0x1p-126;
}
