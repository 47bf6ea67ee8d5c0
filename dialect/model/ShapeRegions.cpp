//===- ShapeRegions.cpp - shape rules of ops that hold traces ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

using namespace tenon;

static bool same(const Type &a, const Type &b) {
  return a.dtype == b.dtype && a.device == b.device && provably_equal(a.shape, b.shape) == Always::yes;
}

/// `what` (inputs or outputs of a body) must be `expected`.
static std::string expectTypes(const std::string &what, std::span<const Type> got, std::span<const Type> expected) {
  if (got.size() != expected.size())
    return "expected " + std::to_string(expected.size()) + " " + what + ", got " + std::to_string(got.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (!same(got[i], expected[i]))
      return "expected " + expected[i].str() + " as number " + std::to_string(i) + " of the " + what + ", got " +
             got[i].str();
  return "";
}

static std::string expectPredicate(const char *what, const Type &type) {
  if (type.dtype == Dtype::bool_ && type.shape.rank() == 0)
    return "";
  return std::string("expected a rank-0 bool as ") + what + ", got " + type.str();
}

namespace tenon {

std::string inferCall(const ShapeCall &call, std::vector<Type> &results) {
  const RegionType &body = call.regions[0];
  results = body.outputs;
  return expectTypes("inputs of the body", body.inputs, call.operands);
}

std::string inferCond(const ShapeCall &call, std::vector<Type> &results) {
  if (std::string error = expectPredicate("predicate", call.operands[0]); !error.empty())
    return error;
  for (const RegionType &branch : call.regions)
    if (std::string error = expectTypes("inputs of a branch", branch.inputs, call.operands.subspan(1)); !error.empty())
      return error;
  results = call.regions[0].outputs;
  return expectTypes("results of the second branch", call.regions[1].outputs, results);
}

std::string inferScan(const ShapeCall &call, std::vector<Type> &results) {
  ScanAttrs a = ScanAttrs::read(call.attributes);
  const RegionType &body = call.regions[0];
  if (a.length.size() != 1)
    return "expected one length, got " + std::to_string(a.length.size());
  auto negative = [&] { return "expected a length >= 0, got " + a.length[0].str(); };
  if (!mayHold(call, 0, a.length[0], negative))
    return negative();
  if (a.consts < 0 || a.carries < 0 || a.consts > int64_t(call.operands.size()) ||
      a.carries > int64_t(call.operands.size()) - a.consts)
    return "expected at least " + std::to_string(a.consts) + " + " + std::to_string(a.carries) + " operands, got " +
           std::to_string(call.operands.size());
  size_t fixed = static_cast<size_t>(a.consts + a.carries), carries = static_cast<size_t>(a.carries);
  std::vector<Type> inputs(call.operands.begin(), call.operands.end());
  for (size_t i = fixed; i < inputs.size(); ++i) {
    Type &type = inputs[i];
    if (type.shape.rank() < 1 || provably_equal(type.shape[0], a.length[0]) != Always::yes)
      return "expected inputs whose axis 0 has size " + a.length[0].str() + ", got " + type.str();
    type.shape.erase(0);
  }
  if (std::string error = expectTypes("inputs of the body", body.inputs, inputs); !error.empty())
    return error;
  if (body.outputs.size() < carries)
    return "expected a body that returns " + std::to_string(carries) + " carries, got " +
           std::to_string(body.outputs.size()) + " results";
  std::span<const Type> carried(call.operands.data() + a.consts, carries);
  if (std::string error = expectTypes("carries that the body returns", std::span(body.outputs).first(carries), carried);
      !error.empty())
    return error;
  results.assign(carried.begin(), carried.end());
  for (size_t i = carries; i < body.outputs.size(); ++i) {
    Type type = body.outputs[i];
    if (type.shape.rank() == max_rank)
      return "expected at most " + std::to_string(max_rank) + " axes in a stacked result";
    type.shape.insert(0, a.length[0]);
    results.push_back(type);
  }
  return "";
}

std::string inferWhileLoop(const ShapeCall &call, std::vector<Type> &results) {
  WhileLoopAttrs a = WhileLoopAttrs::read(call.attributes);
  int64_t count = static_cast<int64_t>(call.operands.size());
  if (a.cond_consts < 0 || a.body_consts < 0 || a.cond_consts > count || a.body_consts > count - a.cond_consts)
    return "expected at least " + std::to_string(a.cond_consts) + " + " + std::to_string(a.body_consts) +
           " operands, got " + std::to_string(count);
  auto operands = call.operands;
  size_t condConsts = static_cast<size_t>(a.cond_consts), bodyConsts = static_cast<size_t>(a.body_consts);
  std::span<const Type> carries = operands.subspan(condConsts + bodyConsts);
  std::vector<Type> condInputs(operands.begin(), operands.begin() + a.cond_consts);
  condInputs.insert(condInputs.end(), carries.begin(), carries.end());
  std::vector<Type> bodyInputs(operands.begin() + a.cond_consts, operands.end());
  if (std::string error = expectTypes("inputs of the condition", call.regions[0].inputs, condInputs); !error.empty())
    return error;
  if (call.regions[0].outputs.size() != 1)
    return "expected a condition with one result, got " + std::to_string(call.regions[0].outputs.size());
  if (std::string error = expectPredicate("result of the condition", call.regions[0].outputs[0]); !error.empty())
    return error;
  if (std::string error = expectTypes("inputs of the body", call.regions[1].inputs, bodyInputs); !error.empty())
    return error;
  results.assign(carries.begin(), carries.end());
  return expectTypes("carries that the body returns", call.regions[1].outputs, carries);
}

std::string inferSoftmax(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  int64_t axis = SoftmaxAttrs::read(call.attributes).axis;
  if (axis < 0 || axis >= x.shape.rank())
    return "axis " + std::to_string(axis) + " is out of range for an array of rank " + std::to_string(x.shape.rank());
  const RegionType &body = call.regions[0];
  if (body.inputs.size() != 1 || body.outputs.size() != 1 || !same(body.inputs[0], x) || !same(body.outputs[0], x))
    return "expected a decomposition from " + x.str() + " to the same type";
  results.push_back(x);
  return "";
}

} // namespace tenon
