//===- Jvp.cpp - the core of jvp and linearize -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/CallSite.h"
#include "lib/trace/RegionOp.h"
#include "lib/transform/Forward.h"
#include "lib/transform/Linear.h"
#include "lib/transform/Rules.h"

using namespace tenon;
using namespace tenon::detail;

namespace {
/// Names its inputs by the paths of the user's trees.
class NamedForward final : public Forward {
public:
  NamedForward(std::string name, bool splits, const Arguments &arguments)
      : Forward(std::move(name), splits), arguments_(arguments) {}
  std::string path(const Value *value) const override {
    return value->number < leaves_.size() ? arguments_.name(leaves_[value->number]) : "";
  }
  Array input(size_t leaf, const Array &primal, const Array &tangent, Location at) {
    leaves_.push_back(leaf);
    return wrap(primal, tangent, at);
  }

private:
  const Arguments &arguments_;
  /// By number of the input, which come before all other values: which leaf it is.
  std::vector<size_t> leaves_;
};
} // namespace

void detail::retain(LinearState *state) { __atomic_fetch_add(&state->references, 1, __ATOMIC_RELAXED); }
void detail::release(LinearState *state) {
  if (__atomic_fetch_sub(&state->references, 1, __ATOMIC_ACQ_REL) == 1)
    delete state;
}

//===----------------------------------------------------------------------===//
// Tangents
//===----------------------------------------------------------------------===//

static std::vector<std::string> structuresOf(std::span<const TreeRef> trees) {
  std::vector<std::string> structures;
  for (const TreeRef &tree : trees) {
    StructureBytes bytes;
    tree.ops->structure(tree.tree, bytes);
    structures.emplace_back(bytes.view());
  }
  return structures;
}

std::vector<Type> detail::typesIn(const char *what, const Arguments &arguments, Location at) {
  std::vector<Type> types;
  for (const Array &array : arguments.arrays()) {
    if (!array.has_value())
      throw Error(std::string(what) + ": expected an array as " + arguments.name(types.size()) + ", got an empty Array",
                  userLocation(at));
    types.push_back(typeOf(array.value()));
  }
  return types;
}

static bool isOf(const Type &type, const Array &array) {
  return array.has_value() && array.dtype() == type.dtype && array.device() == type.device &&
         provably_equal(array.shape(), type.shape) == Always::yes;
}

/// The tangents of arrays of `types` in trees of `structures`; empty of those that have none.
static std::vector<Array> tangentsIn(const char *what, std::span<const std::string> structures,
                                     std::span<const Type> types, std::span<const TreeRef> trees, Location at) {
  const Arguments arguments(trees, false);
  const std::vector<std::string> got = structuresOf(trees);
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i] != structures[i])
      throw Error(std::string(what) + ": a tangent must have the structure of its argument, arg " + std::to_string(i) +
                      ": " + structure_difference(structures[i], got[i], true),
                  userLocation(at));
  std::vector<Array> tangents = arguments.arrays();
  for (size_t i = 0; i < tangents.size(); ++i) {
    Array &tangent = tangents[i];
    const bool moves = isDifferentiable(types[i].dtype);
    if (moves ? isOf(types[i], tangent) : !tangent.has_value() || isOf(zeroType(types[i]), tangent)) {
      if (!moves)
        tangent = Array();
      continue;
    }
    const std::string given = tangent.has_value() ? typeOf(tangent.value()).str() : "an empty Array";
    if (moves)
      throw Error(std::string(what) + ": expected a tangent of type " + types[i].str() + " for " + arguments.name(i) +
                      ", got " + given,
                  userLocation(at));
    throw Error(std::string(what) + ": expected no tangent (an empty Array, or " + zeroType(types[i]).str() +
                    " as grad gives it) for " + arguments.name(i) + " of type " + types[i].str() +
                    ", which has no derivative, got " + given,
                userLocation(at));
  }
  return tangents;
}

std::vector<Array> detail::filledUp(const char *what, std::vector<Array> tangents, std::span<const Type> types,
                                    Location at) {
  LocationScope scope(what, at);
  for (size_t i = 0; i < tangents.size(); ++i)
    if (!tangents[i].has_value())
      tangents[i] = filled(isDifferentiable(types[i].dtype) ? types[i] : zeroType(types[i]), false);
  return tangents;
}

std::vector<Array> detail::runMoving(const char *what, bool splits, const TreeFunction &function,
                                     const Arguments &arguments, std::span<const Array> tangents, OwnedTree &result,
                                     std::vector<Type> &types, CallSite site) {
  const Location at = site.called;
  NamedForward forward(siteName(what, site.made), splits, arguments);
  std::vector<Array> values = arguments.arrays(), moved;
  for (size_t i = 0; i < values.size(); ++i)
    if (tangents[i].has_value())
      values[i] = forward.input(i, values[i], tangents[i], at);
  {
    const ActiveInterpreter active(forward);
    result = arguments.call(function, values, at);
  }
  for (Array *array : handlesOf(result.ref(), false)) {
    if (!array->has_value())
      throw Error(std::string(what) + ": expected an array as result, got an empty Array", userLocation(at));
    moved.push_back(forward.tangent(*array));
    *array = forward.primal(*array);
    types.push_back(typeOf(array->value()));
  }
  return moved;
}

Array detail::number_tangent(Scalar number, const Array &primal, Location at) {
  return Array(number, isDifferentiable(primal.dtype(at)) ? primal.dtype(at) : number.default_dtype(), at);
}

std::vector<Array> detail::push_forward(const TreeFunction &function, std::span<const TreeRef> arguments,
                                        std::span<const TreeRef> tangents, OwnedTree &result, Location at) {
  const Arguments primals(arguments, false);
  const std::vector<Array> given =
      tangentsIn("jvp", structuresOf(arguments), typesIn("jvp", primals, at), tangents, at);
  std::vector<Type> types;
  std::vector<Array> moved = runMoving("jvp", false, function, primals, given, result, types, {at, at});
  return filledUp("jvp", std::move(moved), types, at);
}

//===----------------------------------------------------------------------===//
// Linearize
//===----------------------------------------------------------------------===//

void LinearState::dropUnused(size_t tangents) {
  const std::vector<bool> used = usedInputs(*trace);
  TraceBody body = trace->body();
  std::vector<Array> kept;
  body.inputs.resize(tangents);
  for (size_t i = 0; i < captures.size(); ++i)
    if (used[tangents + i]) {
      body.inputs.push_back(trace->inputs()[tangents + i]);
      kept.push_back(std::move(captures[i]));
    }
  captures = std::move(kept);
  trace = Trace::make(std::move(body));
}

LinearRef detail::runLinear(const char *what, const TreeFunction &function, const Arguments &arguments,
                            OwnedTree &result, CallSite site) {
  LinearRef state(new LinearState);
  LinearState &linear = *state.get();
  linear.inputTypes = typesIn(what, arguments, site.called);
  Record record(siteName(what, site.made), InterpreterKind::linear);
  const ActiveInterpreter active(record);
  std::vector<Array> tangents(linear.inputTypes.size()), outputs;
  size_t count = 0;
  for (size_t i = 0; i < tangents.size(); ++i)
    if (isDifferentiable(linear.inputTypes[i].dtype)) {
      tangents[i] = record.input(linear.inputTypes[i], arguments.name(i), site.called);
      ++count;
    }
  std::vector<Array> moved = runMoving(what, true, function, arguments, tangents, result, linear.outputTypes, site);
  for (Array &tangent : moved) {
    linear.outputs.push_back(tangent.has_value() ? static_cast<int>(outputs.size()) : -1);
    if (tangent.has_value())
      outputs.push_back(std::move(tangent));
  }
  Record::Result recorded = record.finish(outputs, site.called);
  linear.trace = std::move(recorded.trace);
  linear.captures = std::move(recorded.captures);
  linear.dropUnused(count);
  return state;
}

std::vector<Array> LinearState::apply(std::span<const Array> tangents) const {
  std::vector<Array> inputs, moved;
  for (const Array &tangent : tangents)
    if (tangent.has_value())
      inputs.push_back(tangent);
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  const std::vector<Array> all = evaluateTrace(*trace, inputs);
  for (const int place : outputs)
    moved.push_back(place < 0 ? Array() : all[static_cast<size_t>(place)]);
  return moved;
}

LinearRef detail::run_linear(const TreeFunction &function, std::span<const TreeRef> arguments, OwnedTree &result,
                             Location at) {
  LinearRef state = runLinear("linearize", function, Arguments(arguments, false), result, {at, at});
  state.get()->structures = structuresOf(arguments);
  return state;
}

std::vector<Array> detail::push_forward(const LinearRef &ref, std::span<const TreeRef> tangents, CallSite site) {
  const LinearState &state = *ref.get();
  const Location at = callPlace(site.called, site.made);
  const std::vector<Array> given = tangentsIn("linearize", state.structures, state.inputTypes, tangents, at);
  return filledUp("linearize", state.apply(given), state.outputTypes, at);
}
