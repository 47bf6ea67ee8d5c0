//===- Grad.cpp - the core of grad, value_and_grad and vjp -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/CallSite.h"
#include "lib/transform/Pullback.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// Names its inputs by the paths of the user's trees.
class NamedReverse final : public Reverse {
public:
  NamedReverse(std::string name, Tape &tape, LeafNames names) : Reverse(std::move(name), tape), names_(names) {}
  std::string path(const Value *value) const override {
    return value->number < leaves.size() ? names_(leaves[value->number]) : "";
  }
  /// By number of the input: which leaf it is.
  std::vector<size_t> leaves;

private:
  LeafNames names_;
};
} // namespace

void detail::retain(PullbackState *state) { __atomic_fetch_add(&state->references, 1, __ATOMIC_RELAXED); }
void detail::release(PullbackState *state) {
  if (__atomic_fetch_sub(&state->references, 1, __ATOMIC_ACQ_REL) == 1)
    delete state;
}

OwnedTree detail::runForward(const char *what, PullbackState &state, const TreeFunction &function,
                             const Arguments &arguments, bool keys, LeafNames names, Location made, Location at,
                             const std::vector<bool> *wanted) {
  std::vector<Array> inputs = arguments.arrays();
  NamedReverse reverse(siteName(what, made), state.tape, names);
  std::vector<Array> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (wanted && !(*wanted)[i]) {
      values.push_back(inputs[i]);
      continue;
    }
    if (!inputs[i].has_value())
      throw Error(std::string(what) + ": expected an array as " + names(i) + ", got an empty Array", userLocation(at));
    state.inputTypes.push_back(typeOf(inputs[i].value()));
    if (!isDifferentiable(inputs[i].dtype())) {
      state.inputs.push_back(Tape::none);
      values.push_back(inputs[i]);
      continue;
    }
    reverse.leaves.push_back(i);
    values.push_back(reverse.input(inputs[i], at));
    state.inputs.push_back(reverse.number(values.back().value()));
    ++state.inputCount;
  }
  OwnedTree result;
  {
    ActiveInterpreter active(reverse);
    result = arguments.call(function, values, at);
  }
  for (Array *array : handlesOf(result.ref(), keys)) {
    if (!array->has_value())
      throw Error(std::string(what) + ": expected an array as result, got an empty Array", userLocation(at));
    state.outputs.push_back(reverse.number(array->value()));
    *array = reverse.primal(*array);
    state.outputTypes.push_back(typeOf(array->value()));
  }
  return result;
}

std::vector<Array> detail::runBackward(const PullbackState &state, std::span<const Array> cotangents, bool hasNone,
                                       Location at) {
  std::vector<Array> reached = state.tape.backward(state.outputs, cotangents, state.inputCount), gradients;
  LocationScope scope("grad", at);
  for (size_t i = 0; i < state.inputs.size(); ++i) {
    const Type &type = state.inputTypes[i];
    if (hasNone)
      gradients.push_back(state.inputs[i] == Tape::none ? Array() : std::move(reached[state.inputs[i]]));
    else if (state.inputs[i] == Tape::none)
      gradients.push_back(filled({Dtype::f32, type.device, type.shape}, false));
    else if (!reached[state.inputs[i]].has_value())
      gradients.push_back(filled(type, false));
    else
      gradients.push_back(std::move(reached[state.inputs[i]]));
  }
  return gradients;
}

/// `wanted`: which of the arrays in `arguments`; null: all.
static std::vector<Array> gradientOf(const TreeFunction &function, const Arguments &arguments,
                                     const std::vector<bool> *wanted, GradientForm form, OwnedTree &result,
                                     Location made, Location at) {
  auto names = [&](size_t leaf) { return arguments.name(leaf); };
  auto fail = [&](const std::string &sentence) { throw Error("grad: expected " + sentence, userLocation(at)); };
  const std::vector<Array> inputs = arguments.arrays();
  size_t first = inputs.size();
  bool moves = false;
  for (size_t i = inputs.size(); i-- > 0;) {
    if (wanted && !(*wanted)[i])
      continue;
    first = i;
    const bool isConstant = inputs[i].has_value() && !isDifferentiable(inputs[i].dtype());
    moves |= !isConstant;
    if (form.holomorphic && inputs[i].has_value() && !isConstant && kind(inputs[i].dtype()) != Kind::complex)
      fail("complex arguments of a holomorphic function, got " + typeOf(inputs[i].value()).str() + " as " + names(i));
  }
  if (first < inputs.size() && !moves)
    fail("a floating array to differentiate with respect to, got " + typeOf(inputs[first].value()).str() + " as " +
         names(first));
  PullbackState state;
  result = runForward("grad", state, function, arguments, true, names, made, at, wanted);
  const Type &type = state.outputTypes[0];
  if (type.shape.rank() != 0 || kind(type.dtype) != (form.holomorphic ? Kind::complex : Kind::floating))
    fail("a function whose result is a " + std::string(form.holomorphic ? "complex" : "floating") +
         " array of rank 0, got " + type.str() +
         (type.shape.rank() == 0 && kind(type.dtype) == Kind::complex
              ? "; for a holomorphic function pass {.holomorphic = true}, or use vjp"
              : "; use vjp for others"));
  std::vector<Array> cotangents(state.outputs.size());
  {
    LocationScope scope("grad", at);
    cotangents[0] = filled(type, 1.0);
  }
  return runBackward(state, cotangents, form.hasNone, at);
}

std::vector<Array> detail::gradient(const TreeFunction &function, std::span<const TreeRef> trees,
                                    std::span<const size_t> chosen, GradientForm form, OwnedTree &result,
                                    CallSite site) {
  const Arguments arguments(trees, {chosen.begin(), chosen.end()}, false);
  return gradientOf(function, arguments, nullptr, form, result, site.made, callPlace(site.called, site.made));
}

/// Whether `path` is that of `leaf`, or of what it lies in.
static bool leadsTo(const std::string &path, const std::string &leaf) {
  return leaf.starts_with(path) && (leaf.size() == path.size() || leaf[path.size()] == '.' || leaf[path.size()] == '[');
}

PathsGiven::PathsGiven(std::vector<std::string> all) : paths(std::move(all)) {}

std::map<std::string, Array> detail::gradients_by(const TreeFunction &function, std::span<const TreeRef> trees,
                                                  std::span<const size_t> chosen, const std::vector<std::string> &paths,
                                                  bool holomorphic, OwnedTree &result, CallSite site) {
  const Location at = callPlace(site.called, site.made);
  const Arguments arguments(trees, {chosen.begin(), chosen.end()}, false);
  const std::vector<std::string> leaves = arguments.paths();
  std::vector<bool> wanted(leaves.size());
  auto fail = [&](const std::string &got) {
    constexpr size_t most = 20;
    std::string all;
    for (size_t i = 0; i < std::min(leaves.size(), most); ++i)
      all += (i ? ", " : "") + leaves[i];
    if (leaves.size() > most)
      all += " and " + std::to_string(leaves.size() - most) + " more";
    throw Error("grad: expected paths of arrays in the arguments, got " + got +
                    (leaves.empty() ? "; there are none" : "; there are " + all),
                userLocation(at));
  };
  if (paths.empty())
    fail("no path");
  for (const std::string &path : paths) {
    bool isAny = false;
    for (size_t i = 0; i < leaves.size(); ++i)
      if (leadsTo(path, leaves[i]))
        isAny = wanted[i] = true;
    if (!isAny)
      fail("'" + path + "'");
  }
  const std::vector<Array> all =
      gradientOf(function, arguments, &wanted, {.holomorphic = holomorphic}, result, site.made, at);
  std::map<std::string, Array> gradients;
  for (size_t i = 0, next = 0; i < leaves.size(); ++i)
    if (wanted[i])
      gradients[leaves[i]] = all[next++];
  return gradients;
}

PullbackRef detail::run_forward(const TreeFunction &function, std::span<const TreeRef> trees, OwnedTree &result,
                                Location at) {
  PullbackRef state(new PullbackState);
  Arguments arguments(trees, false);
  auto names = [&](size_t leaf) { return arguments.name(leaf); };
  result = runForward("vjp", *state.get(), function, arguments, false, names, at, at);
  return state;
}

std::vector<Array> detail::cotangentsIn(const char *what, TreeRef cotangent, std::span<const Type> types, Location at) {
  std::vector<Array> cotangents = arraysOf(cotangent, false);
  if (cotangents.size() != types.size())
    throw Error(std::string(what) + ": expected " + std::to_string(types.size()) +
                    " cotangents, one per array of the result, got " + std::to_string(cotangents.size()),
                userLocation(at));
  for (size_t i = 0; i < cotangents.size(); ++i) {
    const Type &expected = types[i];
    if (!isDifferentiable(expected.dtype)) {
      cotangents[i] = Array();
      continue;
    }
    std::string got = cotangents[i].has_value() ? typeOf(cotangents[i].value()).str() : "an empty Array";
    if (cotangents[i].has_value() && cotangents[i].dtype() == expected.dtype &&
        provably_equal(cotangents[i].shape(), expected.shape) == Always::yes)
      continue;
    std::string name = pathsOf(cotangent, false)[i];
    throw Error(std::string(what) + ": expected a cotangent of the result's type " + expected.str() +
                    (name.empty() ? "" : " for " + name) + ", got " + got,
                userLocation(at));
  }
  return cotangents;
}

std::vector<Array> detail::pull_back(const PullbackRef &ref, TreeRef cotangent, CallSite site) {
  const PullbackState &state = *ref.get();
  const Location at = callPlace(site.called, site.made);
  return runBackward(state, cotangentsIn("vjp", cotangent, state.outputTypes, at), false, at);
}
