//===- TraceTransforms.cpp - grad, jvp and vmap of functions that are traces -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/TraceTransforms.h"

#include "lib/trace/Record.h"
#include "lib/transform/Batch.h"
#include "lib/transform/Forward.h"
#include "lib/transform/Reverse.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;

static std::vector<Type> inputTypes(const Trace &trace) {
  std::vector<Type> types;
  for (const ValueId input : trace.inputs())
    types.push_back(trace.body().types[input]);
  return types;
}

static void expectInputs(const char *what, std::span<const Type> types, std::span<const size_t> wrt) {
  if (wrt.empty())
    throw Error(std::string(what) + ": expected the index of an input to differentiate with respect to, got none");
  for (size_t k = 0; k < wrt.size(); ++k) {
    if (wrt[k] >= types.size())
      throw Error(std::string(what) + ": expected the number of an input, of which there are " +
                  std::to_string(types.size()) + ", got " + std::to_string(wrt[k]));
    if (std::ranges::find(wrt.first(k), wrt[k]) != wrt.first(k).end())
      throw Error(std::string(what) + ": input " + std::to_string(wrt[k]) + " is named twice");
    if (!isDifferentiable(types[wrt[k]].dtype))
      throw Error(std::string(what) + ": expected a floating array to differentiate with respect to, got " +
                  types[wrt[k]].str() + " as input " + std::to_string(wrt[k]));
  }
}

/// Records `function`, on inputs of `types`, which knows where its ops were written.
template <class F>
static TraceRef record(const Trace &trace, std::span<const Type> types, F &&function) {
  const DetachedLocations detached;
  return recordFunction(trace.body().name, types, std::forward<F>(function)).trace;
}

TraceRef tenon::gradTrace(const Trace &trace, std::span<const size_t> wrt, bool withValue) {
  const std::vector<Type> types = inputTypes(trace);
  expectInputs("grad", types, wrt);
  return record(trace, types, [&](std::span<const Array> inputs) {
    Tape tape;
    Reverse reverse("grad", tape);
    std::vector<Array> values(inputs.begin(), inputs.end()), results;
    for (const size_t number : wrt)
      values[number] = reverse.input(values[number]);
    {
      const ActiveInterpreter active(reverse);
      results = evaluateTrace(trace, values);
    }
    const Type type = results.empty() ? Type() : typeOf(results[0].value());
    if (results.empty() || type.shape.rank() != 0 || kind(type.dtype) != Kind::floating)
      throw Error("grad: expected a function whose first result is a floating array of rank 0, got " +
                  (results.empty() ? "none" : type.str()));
    const uint32_t outputs[] = {reverse.number(results[0].value())};
    const Array cotangents[] = {filled(type, 1.0)};
    const std::vector<Array> reached = tape.backward(outputs, cotangents, static_cast<uint32_t>(wrt.size()));
    std::vector<Array> all;
    if (withValue)
      for (const Array &result : results)
        all.push_back(reverse.primal(result));
    for (size_t k = 0; k < wrt.size(); ++k)
      all.push_back(reached[k].has_value() ? reached[k] : filled(types[wrt[k]], false));
    return all;
  });
}

TraceRef tenon::jvpTrace(const Trace &trace, std::span<const size_t> wrt) {
  std::vector<Type> types = inputTypes(trace);
  expectInputs("jvp", types, wrt);
  const size_t count = types.size();
  for (const size_t number : wrt)
    types.push_back(types[number]);
  return record(trace, types, [&](std::span<const Array> inputs) {
    Forward forward("jvp");
    std::vector<Array> values(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(count)), results, tangents;
    for (size_t k = 0; k < wrt.size(); ++k)
      values[wrt[k]] = forward.wrap(values[wrt[k]], inputs[count + k]);
    {
      const ActiveInterpreter active(forward);
      results = evaluateTrace(trace, values);
    }
    for (Array &result : results) {
      const Type type = typeOf(result.value());
      if (const Array tangent = forward.tangent(result); tangent.has_value())
        tangents.push_back(tangent);
      else if (isDifferentiable(type.dtype))
        tangents.push_back(filled(type, false));
      result = forward.primal(result);
    }
    results.insert(results.end(), tangents.begin(), tangents.end());
    return results;
  });
}

TraceRef tenon::vmapTrace(const Trace &trace, std::span<const int> axes, Dim size) {
  std::vector<Type> types = inputTypes(trace);
  if (axes.size() != types.size())
    throw Error("vmap: expected an axis for each input, of which there are " + std::to_string(types.size()) + ", got " +
                std::to_string(axes.size()));
  if (std::ranges::all_of(axes, [](int axis) { return axis < 0; }))
    throw Error("vmap: expected at least one input that is mapped over, got none");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] > types[i].shape.rank())
      throw Error("vmap: axis " + std::to_string(axes[i]) + " is out of range for input " + std::to_string(i) +
                  ", examples of type " + types[i].str());
    if (axes[i] < 0)
      continue;
    Shape shape;
    for (int axis = 0; axis <= types[i].shape.rank(); ++axis)
      shape.push_back(axis == axes[i] ? size : types[i].shape[axis - (axis > axes[i])]);
    types[i].shape = shape;
  }
  return record(trace, types, [&](std::span<const Array> inputs) {
    Batch batch("vmap", size);
    std::vector<Array> values(inputs.begin(), inputs.end()), results;
    for (size_t i = 0; i < axes.size(); ++i)
      if (axes[i] >= 0)
        values[i] = batch.wrap(values[i], axes[i]);
    {
      const ActiveInterpreter active(batch);
      results = evaluateTrace(trace, values);
    }
    for (Array &result : results) {
      const int axis = batch.axisOf(result.value());
      result = axis < 0 ? repeatAlong(result, size, 0) : moveAxis(batch.below(result), axis, 0);
    }
    return results;
  });
}
