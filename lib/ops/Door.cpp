//===- Door.cpp - what the front doors of ops share ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"

#include "lib/array/Buffer.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

Array detail::toArray(const Operand &operand, OpCode op, std::optional<Dtype> dtype, Device device) {
  if (operand.value()) {
    noteOperand(operand.handle(), operand.location());
    return Array::share(operand.value());
  }
  if (!operand.is_scalar())
    throw Error(publicName(opInfo(op).name) + ": expected an array, got an empty Array",
                userLocation(operand.location()));
  Scalar scalar = operand.scalar();
  return full({}, scalar, dtype.value_or(scalar.default_dtype()), device, operand.location());
}

void detail::throwRefused(OpCode op, const Error &error, Location at) {
  throw Error(publicName(opInfo(op).name) + ": " + error.message(), userLocation(at));
}

void detail::refuseChain(const char *op, const Operand &x1, const Operand &x2) {
  for (auto [array, number] : {std::pair(&x1, &x2), {&x2, &x1}})
    if (const Value *value = array->value())
      if (value->dtype() == Dtype::bool_ && number->is_scalar() && number->scalar().kind() != Kind::boolean)
        throw Error(std::string(op) + ": expected numbers beside " + number->scalar().str() + ", got " +
                        describe(value->dtype(), value->shape()) +
                        "; a chain of comparisons 0 < x < 2 is written (0 < x) && (x < 2)",
                    userLocation(x1.location()));
}

Array detail::convert(const Array &x, Dtype dtype, Location at) {
  if (x.dtype() == dtype)
    return x;
  return apply(OpCode::astype, {x.value()}, Words(AstypeAttrs{dtype}), at);
}

Array detail::broadcast(const Array &x, const Shape &shape, Location at) {
  if (x.shape() == shape)
    return x;
  std::span<const Dim> dims(shape.begin(), shape.size());
  return apply(OpCode::broadcast_to, {x.value()}, Words(BroadcastToAttrs{dims}), at);
}

Dtype detail::floatingDtype(Dtype dtype) { return kind(dtype) < Kind::floating ? Dtype::f32 : dtype; }

int64_t detail::normalizeAxis(OpCode op, const Array &x, int64_t axis, Location at) {
  if (const int64_t rank = x.ndim(); axis >= -rank && axis < rank) [[likely]]
    return axis < 0 ? axis + rank : axis;
  std::vector<int64_t> out;
  if (std::string error = normalizeAxes(std::span(&axis, 1), x.ndim(), out); !error.empty())
    throwOpError(opInfo(op), std::initializer_list<Value *>{x.value()}, std::string(opInfo(op).name) + ": " + error,
                 at);
  return out[0];
}

std::vector<int64_t> detail::normalizeAxisList(OpCode op, const Array &x, const Ints &axes, Location at) {
  std::vector<int64_t> out;
  if (!axes.given()) {
    for (int i = 0; i < x.ndim(); ++i)
      out.push_back(i);
    return out;
  }
  if (std::string error = normalizeAxes(axes.values(), x.ndim(), out); !error.empty())
    throwOpError(opInfo(op), std::initializer_list<Value *>{x.value()}, std::string(opInfo(op).name) + ": " + error,
                 at);
  std::sort(out.begin(), out.end());
  return out;
}
