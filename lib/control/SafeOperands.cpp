//===- SafeOperands.cpp - batched bodies that only some batch elements run ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/SafeOperands.h"

#include "dialect/model/RegionLayout.h"
#include "lib/trace/RegionOp.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;

Array tenon::selectElements(const Array &chosen, const Array &x1, const Array &x2) {
  Shape alone(std::vector<int64_t>(static_cast<size_t>(x1.ndim()), 1));
  alone.at(0) = chosen.shape()[0];
  return where(reshape(chosen, alone), x1, x2);
}

//===----------------------------------------------------------------------===//
// What may fail
//===----------------------------------------------------------------------===//

namespace {
/// Whether a trace may fail or run forever, and which of its inputs decide that.
struct Failure {
  bool isPossible = false;
  std::vector<bool> inputs;
};
} // namespace

/// Whether this is a gather or scatter for which an index outside of its axis is an error.
static bool checksIndices(const OpInfo &info, AttrWords attributes) {
  for (size_t a = 0; a < info.attributes.size(); ++a)
    if (std::string_view(info.attributes[a].name) == "mode")
      return attributesFrom(info, attributes, a).readString() == name(IndexMode::error);
  return false;
}

static Failure failureOf(const Trace &trace) {
  Failure failure;
  std::vector<bool> decides(trace.body().types.size());
  for (size_t i = trace.ops().size(); i-- > 0;) {
    const TraceOp &op = trace.ops()[i];
    const OpInfo &info = opInfo(op.code);
    const std::span<const ValueId> operands = trace.operands(op);
    const auto first = decides.begin() + op.firstResult;
    if (std::find(first, first + op.results, true) != first + op.results)
      for (const ValueId operand : operands)
        decides[operand] = true;
    if (checksIndices(info, trace.attributes(op))) {
      failure.isPossible = true;
      decides[operands[1]] = true;
    }
    if (!info.hasRegions())
      continue;
    RegionLayout layout;
    layout.read(info, operands.size(), trace.attributes(op));
    bool fails = isLoop(info) && info.rounds < 0;
    std::vector<bool> own(operands.size(), isLoop(info));
    for (size_t r = 0; r < op.regionCount; ++r) {
      const Failure inner = failureOf(*trace.regions(op)[r]);
      const std::vector<size_t> inputs = layout.inputsOf(r);
      fails |= inner.isPossible;
      if (inputs.size() != inner.inputs.size()) // a rule, which takes other values
        own.assign(own.size(), true);
      else
        for (size_t k = 0; k < inputs.size(); ++k)
          own[inputs[k]] = own[inputs[k]] || inner.inputs[k];
    }
    if (!fails)
      continue;
    failure.isPossible = true;
    for (size_t k = 0; k < operands.size(); ++k)
      if (own[k] || layout.flowOf(k) == Flow::read)
        decides[operands[k]] = true;
  }
  failure.inputs.assign(decides.begin(), decides.begin() + static_cast<ptrdiff_t>(trace.inputs().size()));
  return failure;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

SafeOperands::SafeOperands(const Trace &body, const std::vector<bool> &batched, bool hasGradient)
    : batched_(batched), fills_(batched.size()) {
  const std::vector<bool> used = usedInputs(body);
  const Failure failure = failureOf(body);
  needsChoice_ = failure.isPossible;
  std::vector<bool> isSmooth;
  for (size_t i = 0; i < batched.size(); ++i)
    isSmooth.push_back(hasGradient && used[i] && isDifferentiable(body.type(body.inputs()[i]).dtype));
  // The gradient of an input that all elements share is a sum over them: a select cannot drop a term of it that is NaN.
  bool isShared = false;
  for (size_t i = 0; i < batched.size(); ++i)
    isShared |= isSmooth[i] && !batched[i];
  for (size_t i = 0; i < batched.size(); ++i)
    if (batched[i] && used[i] && (isShared || failure.inputs[i]))
      fills_[i] = Fill::other;
    else if (isSmooth[i])
      fills_[i] = Fill::constant;
}

/// The slice of x along axis 0 at place `first`, repeated.
static Array repeatedSlice(const Array &x, const Array &first) {
  const Shape shape = x.shape();
  std::vector<Array> starts(static_cast<size_t>(shape.rank()), filled(typeOf(first.value()), false));
  starts[0] = first;
  Shape one = shape;
  one.at(0) = 1;
  return broadcast_to(dynamic_slice(x, starts, one), shape);
}

std::vector<Array> SafeOperands::operator()(const Array &chosen, std::span<const Array> inputs) const {
  std::vector<Array> safe(inputs.begin(), inputs.end());
  if (provably_equal(chosen.shape()[0], 0) == Always::yes)
    return safe;
  Array first;
  for (size_t i = 0; i < safe.size(); ++i) {
    if (fills_[i] == Fill::nothing)
      continue;
    Array fill = stop_gradient(safe[i]);
    if (!batched_[i]) {
      safe[i] = where(any(chosen), safe[i], fill);
      continue;
    }
    if (fills_[i] == Fill::other) {
      if (!first.has_value())
        first = argmax(astype(chosen, i32), 0);
      fill = repeatedSlice(fill, first);
    }
    safe[i] = selectElements(chosen, safe[i], fill);
  }
  return safe;
}
