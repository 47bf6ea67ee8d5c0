//===- Scan.cpp - scan: a body along axis 0 -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/control/BatchedTrace.h"
#include "lib/control/Linearize.h"
#include "lib/control/RegionBody.h"
#include "lib/control/ScanParts.h"
#include "lib/program/EagerRegions.h"
#include "lib/transform/RegionVjp.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;
using Source = RegionVjp::Source;

//===----------------------------------------------------------------------===//
// The door
//===----------------------------------------------------------------------===//

namespace {
struct ScanLists {
  std::span<const Array> carries, xs;
  bool reverse;
  std::optional<Dim> length;
  std::optional<int64_t> checkpointEvery;
  const char *name; ///< of the function that the user called
};
} // namespace

/// The results of all rounds along a new axis.
static Array stack(std::span<const Array> rounds, Location at) {
  LocationScope scope("", at);
  std::vector<Array> rows;
  for (const Array &round : rounds) {
    Shape shape = round.shape();
    shape.insert(0, 1);
    rows.push_back(reshape(round, shape));
  }
  return concatenate(rows, 0, at);
}

/// A scan as the C++ loop that it stands for, of at least one round.
static std::vector<Array> loopOverSlices(RegionBody &body, const ScanLists &lists, std::span<const Type> carried,
                                         int64_t length, LeafNames names, Location at) {
  std::vector<Array> carries(lists.carries.begin(), lists.carries.end());
  std::vector<std::vector<Array>> rounds; // of each result
  std::vector<Type> first, types;
  for (int64_t step = 0; step < length; ++step) {
    std::vector<Array> inputs = carries;
    for (const Array &x : lists.xs)
      inputs.push_back(x[Index(lists.reverse ? length - 1 - step : step, at)]);
    std::vector<Array> results = runHere(lists.name, body, inputs, types, at);
    expectCarries(lists.name, carried, types, names, at);
    std::span<const Type> others = std::span(types).subspan(carried.size());
    if (step == 0) {
      first.assign(others.begin(), others.end());
      rounds.resize(first.size());
    } else if (!std::equal(first.begin(), first.end(), others.begin(), others.end(), sameType)) {
      throw Error(std::string(lists.name) + ": expected results of one type from every round, got others from round " +
                      std::to_string(step),
                  userLocation(at));
    }
    for (size_t i = 0; i < rounds.size(); ++i)
      rounds[i].push_back(results[carried.size() + i]);
    results.resize(carried.size());
    carries = std::move(results);
  }
  for (std::vector<Array> &all : rounds) {
    if (lists.reverse)
      std::reverse(all.begin(), all.end());
    carries.push_back(stack(all, at));
  }
  return carries;
}

/// The final carries, then the stacked results. The body takes carries, then slices;
/// it returns carries, then results.
static std::vector<Array> runOrBind(RegionBody &body, const ScanLists &lists, LeafNames names, Location at) {
  const std::string what = lists.name;
  if (lists.checkpointEvery && *lists.checkpointEvery < 1)
    throw Error(what + ": expected checkpoint_every to be at least 1, got " + std::to_string(*lists.checkpointEvery),
                userLocation(at));
  std::vector<Type> carried = typesOf(what, lists.carries, names, at);
  size_t carries = carried.size();
  auto xName = [&](size_t i) { return names(carries + i); };
  std::vector<Type> types = carried, xTypes = typesOf(what, lists.xs, xName, at);
  std::optional<Dim> length = lists.length;
  std::string from = "length";
  for (size_t i = 0; i < xTypes.size(); ++i) {
    Type &type = xTypes[i];
    if (type.shape.rank() == 0)
      throw Error(what + ": expected " + named("the input", xName(i)) + " to have an axis to walk along, got " +
                      type.str(),
                  userLocation(at));
    Dim here = type.shape[0];
    if (!length) {
      length = here;
      from = named("the input", xName(i));
    } else if (provably_equal(*length, here) != Always::yes) {
      throw Error(what + ": expected inputs of one length, got " + length->str() + " from " + from + " and " +
                      here.str() + " from " + named("the input", xName(i)),
                  userLocation(at));
    }
    type.shape.erase(0);
    types.push_back(type);
  }
  if (!length)
    throw Error(what + ": expected inputs or a length, got neither", userLocation(at));

  // Without a round nothing says what the results are: that takes a recording.
  if (runsAsCpp() && length->is_static() && length->raw() > 0)
    return loopOverSlices(body, lists, carried, length->raw(), names, at);
  Record::Result recorded = recordBody(what, body, types, names, at);
  expectCarries(what, carried, recorded.trace->regionType().outputs, names, at);
  const ScanBind scan{
      withCapturesInFront(recorded, types), recorded.captures, {lists.carries.begin(), lists.carries.end()},
      {lists.xs.begin(), lists.xs.end()},   *length,           lists.reverse};
  DoorScope door("", what, {}, {});
  if (!lists.checkpointEvery || onlyBatches())
    return bindScan(scan, at);
  if (!length->is_static())
    throw Error(what + ": expected a known length for checkpoint_every, got " + length->str(), userLocation(at));
  return bindScanInParts(scan, std::clamp<int64_t>(length->raw(), 1, *lists.checkpointEvery), at);
}

OwnedTree detail::run_scan(const TreeFunction &step, std::span<const TreeRef> trees, const ScanForm &form,
                           Location at) {
  RegionBody body(step, trees, at);
  body.like = {form.name + std::string(": the carry"), trees[0], true};
  std::vector<Array> carries = arraysOf(trees[0], true), xs;
  if (trees.size() > 1)
    xs = arraysOf(trees[1], true);
  auto names = [&](size_t leaf) {
    return leaf < carries.size() ? pathsOf(trees[0], true)[leaf] : pathsOf(trees[1], true)[leaf - carries.size()];
  };
  std::vector<Array> results =
      runOrBind(body, {carries, xs, form.reverse, form.length, form.checkpointEvery, form.name}, names, at);
  return withArrays(std::move(body.result), results);
}

namespace tenon {

//===----------------------------------------------------------------------===//
// Trace by trace
//===----------------------------------------------------------------------===//

void interpretScan(const Bind &bind, std::span<Array> results) {
  ScanAttrs a = ScanAttrs::read(bind.attributes);
  int64_t length = a.length[0].raw();
  size_t consts = size_t(a.consts), carryCount = size_t(a.carries);
  std::vector<Array> fixed = shared(bind.operands.first(consts));
  std::vector<Array> carries = shared(bind.operands.subspan(consts, carryCount));
  std::vector<Array> xs = shared(bind.operands.subspan(consts + carryCount));
  for (size_t i = carryCount; i < results.size(); ++i) {
    const Type &type = bind.types[i];
    results[i] = Array::adopt(makeBuffer(type.dtype, {type.shape.begin(), type.shape.size()}, type.device));
  }
  for (int64_t step = 0; step < length; ++step) {
    int64_t at = a.reverse ? length - 1 - step : step;
    std::vector<Array> inputs = fixed;
    inputs.insert(inputs.end(), carries.begin(), carries.end());
    for (const Array &x : xs)
      inputs.push_back(x[at]);
    std::vector<Array> outputs = evaluateTrace(*bind.regions[0], inputs);
    for (size_t i = 0; i < carryCount; ++i)
      carries[i] = outputs[i];
    for (size_t i = carryCount; i < results.size(); ++i) {
      Array place = results[i][at];
      copyElements(outputs[i].value(), place.value(), bind.at);
    }
  }
  std::copy(carries.begin(), carries.end(), results.begin());
}

//===----------------------------------------------------------------------===//
// The derivative
//===----------------------------------------------------------------------===//

RegionVjp vjpScan(const Bind &bind, const std::vector<bool> &wanted) {
  ScanAttrs attributes = ScanAttrs::read(bind.attributes);
  size_t consts = static_cast<size_t>(attributes.consts), carries = static_cast<size_t>(attributes.carries);
  size_t inputs = wanted.size();
  const Trace &body = *bind.regions[0];
  // A carry is differentiated if the one that comes in or goes out is.
  std::vector<bool> active = wanted, available(inputs, true);
  std::fill_n(available.begin() + static_cast<ptrdiff_t>(consts), carries, false);
  Linear linear;
  for (bool changed = true; changed;) {
    linear = linearize(body, active, available, carries);
    linear.expectDerivatives();
    changed = false;
    for (size_t k = 0; k < carries; ++k)
      if (linear.dependent[k] && !active[consts + k])
        active[consts + k] = changed = true;
  }

  RegionVjp plan;
  plan.forward = {OpCode::scan, {bind.attributes.begin(), bind.attributes.end()}, {linear.forward}};
  plan.differentiable = linear.dependent;
  for (size_t k = 0; k < carries; ++k)
    plan.differentiable[k] = active[consts + k];

  // The backward body: constants; cotangents of carries and sums of those of
  // constants; slices of residuals and of cotangents of stacked results.
  std::vector<bool> reached(inputs);
  for (size_t input : linear.cotangentOf)
    reached[input] = true;
  std::vector<Type> types;
  std::vector<size_t> residualPlace(linear.residuals.size()), cotangentPlace(linear.dependent.size()), carryInputs,
      sums;
  auto add = [&](const Type &type, Source source) {
    types.push_back(type);
    plan.backwardOperands.push_back(std::move(source));
    return types.size() - 1;
  };
  auto residualType = [&](const Linear::Residual &residual) -> const Type & {
    return residual.isInput ? body.type(body.inputs()[residual.index])
                            : linear.forward->type(linear.forward->outputs()[residual.index]);
  };
  auto isConstant = [&](const Linear::Residual &residual) { return residual.isInput && residual.index < consts; };
  for (size_t k = 0; k < linear.residuals.size(); ++k)
    if (isConstant(linear.residuals[k]))
      residualPlace[k] = add(residualType(linear.residuals[k]),
                             {Source::Kind::operand, static_cast<uint32_t>(linear.residuals[k].index)});
  size_t backwardConsts = types.size();
  for (size_t k = 0; k < carries; ++k)
    if (active[consts + k]) {
      cotangentPlace[k] =
          add(body.type(body.inputs()[consts + k]), {Source::Kind::cotangent, static_cast<uint32_t>(k)});
      carryInputs.push_back(consts + k);
      plan.operandOf.push_back(static_cast<int>(consts + k));
    }
  size_t firstSum = types.size();
  for (size_t i = 0; i < consts; ++i)
    if (reached[i]) {
      const Type &type = body.type(body.inputs()[i]);
      add(type, {Source::Kind::zeros, 0, type});
      sums.push_back(i);
      plan.operandOf.push_back(static_cast<int>(i));
    }
  size_t backwardCarries = types.size() - backwardConsts;
  for (size_t k = 0; k < linear.residuals.size(); ++k)
    if (const Linear::Residual &residual = linear.residuals[k]; !isConstant(residual))
      residualPlace[k] = add(residualType(residual), {residual.isInput ? Source::Kind::operand : Source::Kind::result,
                                                      static_cast<uint32_t>(residual.index)});
  for (size_t i = carries; i < linear.dependent.size(); ++i)
    if (linear.dependent[i])
      cotangentPlace[i] = add(body.type(body.outputs()[i]), {Source::Kind::cotangent, static_cast<uint32_t>(i)});

  DetachedLocations detached;
  TraceRef backward =
      recordFunction(body.body().name + " backward", types, [&](std::span<const Array> in) {
        std::vector<Array> arguments, byInput(inputs), out;
        for (size_t i = 0; i < linear.dependent.size(); ++i)
          if (linear.dependent[i])
            arguments.push_back(in[cotangentPlace[i]]);
        for (size_t place : residualPlace)
          arguments.push_back(in[place]);
        std::vector<Array> cotangents = evaluateTrace(*linear.backward, arguments);
        LocationScope scope("grad(scan)", bind.at);
        for (size_t k = 0; k < cotangents.size(); ++k)
          byInput[linear.cotangentOf[k]] = cotangents[k];
        for (size_t input : carryInputs)
          out.push_back(byInput[input].has_value() ? byInput[input] : filled(body.type(body.inputs()[input]), false));
        for (size_t k = 0; k < sums.size(); ++k)
          out.push_back(tenon::add(in[firstSum + k], byInput[sums[k]]));
        for (size_t i = consts + carries; i < inputs; ++i)
          if (reached[i])
            out.push_back(byInput[i]);
        return out;
      }).trace;
  for (size_t i = consts + carries; i < inputs; ++i)
    if (reached[i])
      plan.operandOf.push_back(static_cast<int>(i));
  plan.backward = {OpCode::scan,
                   wordsOf(ScanAttrs{attributes.length, static_cast<int64_t>(backwardConsts),
                                     static_cast<int64_t>(backwardCarries), !attributes.reverse}),
                   {backward}};
  return plan;
}

//===----------------------------------------------------------------------===//
// Batching
//===----------------------------------------------------------------------===//

RegionBatch batchScan(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  ScanAttrs attributes = ScanAttrs::read(bind.attributes);
  size_t consts = static_cast<size_t>(attributes.consts), carries = static_cast<size_t>(attributes.carries);
  std::vector<bool> inputs = batched, forced(bind.regions[0]->outputs().size());
  BatchedTrace body;
  do {
    for (size_t k = 0; k < carries; ++k)
      forced[k] = inputs[consts + k];
    body = batchTrace(*bind.regions[0], inputs, size, bind.at, forced);
  } while (growCarries(inputs, consts, carries, body.outputs));
  // Axis 0 of the inputs and of the stacked results is the scan's own.
  RegionBatch plan{{OpCode::scan, {bind.attributes.begin(), bind.attributes.end()}, {body.trace}},
                   frontAxes(inputs),
                   frontAxes(body.outputs)};
  for (std::vector<int> *axes : {&plan.operandAxes, &plan.resultAxes})
    for (size_t i = (axes == &plan.operandAxes ? consts : 0) + carries; i < axes->size(); ++i)
      if ((*axes)[i] == 0)
        (*axes)[i] = 1;
  return plan;
}

} // namespace tenon
