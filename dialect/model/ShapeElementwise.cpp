//===- ShapeElementwise.cpp - shape rules of elementwise ops ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

using namespace tenon;

/// Operands `from`, ... have one dtype and all have one shape: `shape`.
static std::string sameTypes(const ShapeCall &call, size_t from, Shape &shape) {
  shape = call.operands[0].shape;
  for (const Type &type : call.operands.subspan(from))
    if (type.dtype != call.operands[from].dtype)
      return "expected operands of one dtype, got " + std::string(short_name(call.operands[from].dtype)) + " and " +
             std::string(short_name(type.dtype));
  for (const Type &type : call.operands) {
    if (provably_equal(type.shape, shape) != Always::yes)
      return "expected operands of one shape, got " + shape.str() + " and " + type.shape.str();
    for (int i = 0; i < shape.rank(); ++i)
      if (shape[i].is_unknown())
        shape.at(i) = type.shape[i];
  }
  return "";
}

Dtype tenon::resultDtype(const OpInfo &info, Dtype dtype) {
  switch (info.resultDtype) {
  case ResultDtype::operands:
  case ResultDtype::attribute:
    return dtype;
  case ResultDtype::bool_:
    return Dtype::bool_;
  case ResultDtype::part:
    return partDtype(dtype);
  case ResultDtype::pair:
    return complexDtype(dtype);
  }
  __builtin_unreachable();
}

namespace tenon {

std::string inferElementwise(const ShapeCall &call, std::vector<Type> &results) {
  for (size_t i = 0; i < call.info.conditions; ++i)
    if (call.operands[i].dtype != Dtype::bool_)
      return "expected a condition of bool, got " + std::string(short_name(call.operands[i].dtype));
  Shape shape;
  std::string error = sameTypes(call, call.info.conditions, shape);
  if (error.empty())
    results.push_back({resultDtype(call.info, call.operands.back().dtype), call.operands[0].device, shape});
  return error;
}

std::string inferAstype(const ShapeCall &call, std::vector<Type> &results) {
  Dtype to = AstypeAttrs::read(call.attributes).dtype, from = call.operands[0].dtype;
  if (kind(from) == Kind::complex && kind(to) != Kind::complex)
    return "expected a complex dtype for a complex array, got " + std::string(short_name(to));
  results.push_back({to, call.operands[0].device, call.operands[0].shape});
  return "";
}

} // namespace tenon
