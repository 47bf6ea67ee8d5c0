//===- Floats.cpp - the operands of functions that are made of others ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"

#include "lib/array/Buffer.h"

#include <optional>

using namespace tenon;
using namespace tenon::detail;

void detail::refuseMode(std::string_view function, std::string_view type, int value, Location at) {
  refuse(function, "expected a value of " + std::string(type) + ", got the number " + std::to_string(value), at);
}

void detail::refuse(std::string_view function, const std::string &problem, Location at) {
  throwOpError(opInfo(OpCode::astype), {}, publicName(function) + ": " + problem, at);
}

/// The dtype that numbers beside arrays of `dtype`, or alone, make of it.
static Dtype besideNumbers(std::string_view function, std::optional<Dtype> dtype,
                           std::initializer_list<const Operand *> operands) {
  for (const Operand *operand : operands)
    if (operand->is_scalar()) {
      const Scalar number = operand->scalar();
      try {
        const Dtype own = dtype ? scalarDtype(number, *dtype, publicName(function), {}) : number.default_dtype();
        dtype = promote(dtype.value_or(own), own);
      } catch (const Error &error) {
        throw Error(error.message(), userLocation(operand->location()));
      }
    }
  return dtype.value_or(Dtype::f32);
}

/// That of the arrays among the operands.
static std::optional<Dtype> dtypeOfArrays(std::initializer_list<const Operand *> operands) {
  std::optional<Dtype> dtype;
  for (const Operand *operand : operands)
    if (const Value *value = operand->value())
      dtype = promote(dtype.value_or(value->dtype()), value->dtype());
  return dtype;
}

static std::vector<Array> convertAll(std::initializer_list<const Operand *> operands, Dtype dtype) {
  Device device = Device::cpu;
  for (const Operand *operand : operands)
    if (operand->value())
      device = operand->value()->device();
  std::vector<Array> arrays;
  for (const Operand *operand : operands)
    arrays.push_back(operand->is_none()
                         ? Array()
                         : convert(toArray(*operand, OpCode::astype, dtype, device), dtype, operand->location()));
  return arrays;
}

std::vector<Array> detail::promoted(std::string_view function, std::initializer_list<const Operand *> operands) {
  const std::optional<Dtype> arrays = dtypeOfArrays(operands);
  if (arrays && is_storage(*arrays))
    refuse(function, checkDtype(opInfo(OpCode::equal), *arrays), (*operands.begin())->location());
  return convertAll(operands, besideNumbers(function, arrays, operands));
}

Floats::Floats(std::string_view function, std::initializer_list<const Operand *> operands, Dtype ofIntegers,
               OpCode like)
    : at_((*operands.begin())->location()) {
  auto floating = [&](Dtype dtype) { return kind(dtype) < Kind::floating ? ofIntegers : dtype; };
  if ((*operands.begin())->is_none())
    throw Error(publicName(function) + ": expected an array, got an empty Array", userLocation(at_));
  std::optional<Dtype> arrays = dtypeOfArrays(operands);
  if (arrays)
    arrays = floating(*arrays);
  dtype_ = floating(besideNumbers(function, arrays, operands));
  if (const std::string problem = checkDtype(opInfo(like), dtype_); !problem.empty())
    refuse(function, problem, at_);
  arrays_ = convertAll(operands, is_narrow(dtype_) ? Dtype::f32 : dtype_);
}

Array Floats::rounded(const Array &result) const { return convert(result, dtype_, at_); }

Dtype detail::scatteredIn(OpCode op, const Array &x, const Array &indices) {
  if (!is_narrow(x.dtype()) || (op != OpCode::scatter_add && op != OpCode::scatter_mul))
    return x.dtype();
  Shape positions = indices.shape();
  if (positions.rank() > 0)
    positions.erase(positions.rank() - 1);
  const Dim count = element_count(positions);
  return count.is_static() && count.raw() == 1 ? x.dtype() : Dtype::f32;
}

Array detail::rootOf(const Array &x) {
  const Array isZero = x == 0;
  return where(isZero, 0, sqrt(where(isZero, 1, x)));
}

/// w * x; no share of an infinity is nothing.
static Array shareOf(const Array &x, const Array &w) { return where(w == 0 && isinf(x), 0, x) * w; }

Array detail::between(const Array &start, const Array &end, const Array &weight) {
  const Array difference = end - start;
  // Of an infinity, or two numbers so far apart that their distance is one, a share of each.
  const Array isFar = !isfinite(difference) && start != end, shares = shareOf(start, 1 - weight) + shareOf(end, weight);
  const Array distance = where(isfinite(difference), difference, 0);
  const Array near = where(weight < 0.5, start + weight * distance, end - (1 - weight) * distance);
  return where(isFar, shares, near);
}
