//===- ShapeRegions.cpp - shape rules of ops that hold traces ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Composite.h"
#include "dialect/model/RegionLayout.h"

using namespace tenon;

namespace tenon {

std::string inferCond(const ShapeCall &call, std::vector<Type> &results) {
  if (const Type &predicate = call.operands[0]; predicate.dtype != Dtype::bool_ || predicate.shape.rank() != 0)
    return "expected a rank-0 bool as predicate, got " + predicate.str();
  return inferRegions(call, results);
}

std::string inferSwitchCase(const ShapeCall &call, std::vector<Type> &results) {
  if (const Type &index = call.operands[0]; index.dtype != Dtype::i64 || index.shape.rank() != 0)
    return "expected a rank-0 i64 as index, got " + index.str();
  return inferRegions(call, results);
}

std::string inferComposite(const ShapeCall &call, std::vector<Type> &results) {
  const CompositeAttrs attributes = CompositeAttrs::read(call.attributes);
  if (std::string error = checkComposite(attributes.name, attributes.composite_attributes); !error.empty())
    return error;
  return inferRegions(call, results);
}

} // namespace tenon
