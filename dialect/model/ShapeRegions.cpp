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

/// Of a function with a rule: that so many results, captures and residuals are there.
static std::string expectCounts(const ShapeCall &call, int64_t ruled, int64_t residuals,
                                std::span<const Type> results) {
  if (ruled < 0 || static_cast<uint64_t>(ruled) > results.size())
    return "expected at most " + std::to_string(results.size()) + " ruled results, got " + std::to_string(ruled);
  if (call.regions.size() < 3)
    return "";
  const std::vector<Type> &forward = call.regions[1].outputs;
  if (residuals < 0 || static_cast<uint64_t>(ruled) + static_cast<uint64_t>(residuals) > forward.size())
    return "expected at most " + std::to_string(forward.size()) + " results of 'forward', got " +
           std::to_string(ruled) + " ruled ones and " + std::to_string(residuals) + " residuals";
  if (forward.size() < results.size())
    return "expected at least " + std::to_string(results.size()) + " results of 'forward', got " +
           std::to_string(forward.size());
  return expectTypes("results of 'forward'", std::span(forward).first(results.size()), results);
}

std::string inferCustomVjp(const ShapeCall &call, std::vector<Type> &results) {
  const CustomVjpAttrs a = CustomVjpAttrs::read(call.attributes);
  if (std::string error = expectCounts(call, a.ruled, a.residuals, call.regions[0].outputs); !error.empty())
    return error;
  if (std::string error = inferRegions(call, results); !error.empty())
    return error;
  std::vector<Type> cotangents;
  for (size_t i = 0; i < a.cotangents.size(); ++i) {
    const int64_t operand = a.cotangents[i];
    if (operand < (i ? a.cotangents[i - 1] + 1 : a.captures) ||
        static_cast<uint64_t>(operand) >= call.operands.size() ||
        differentiableOf(call.operands.subspan(static_cast<size_t>(operand), 1)).empty())
      return "expected cotangents of arguments that have a derivative, in order, got that of operand " +
             std::to_string(operand);
    cotangents.push_back(call.operands[static_cast<size_t>(operand)]);
  }
  return expectTypes("results of 'backward'", call.regions[2].outputs, cotangents);
}

std::string inferCustomJvp(const ShapeCall &call, std::vector<Type> &results) {
  const CustomJvpAttrs a = CustomJvpAttrs::read(call.attributes);
  if (std::string error = expectCounts(call, a.ruled, 0, call.regions[0].outputs); !error.empty())
    return error;
  if (std::string error = inferRegions(call, results); !error.empty())
    return error;
  return expectTypes("results of 'jvp'", call.regions[1].outputs,
                     differentiableOf(std::span(results).first(static_cast<size_t>(a.ruled))));
}

} // namespace tenon
