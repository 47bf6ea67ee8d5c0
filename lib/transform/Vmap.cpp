//===- Vmap.cpp - the core of vmap --------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/CallSite.h"
#include "lib/transform/Batch.h"
#include "lib/transform/Rules.h"
#include "lib/tree/Arguments.h"

#include <tenon/transform.h>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// Names its inputs by the paths of the user's trees.
class NamedBatch final : public Batch {
public:
  NamedBatch(std::string name, Dim size, LeafNames names) : Batch(std::move(name), size), names_(names) {}
  std::string path(const Value *value) const override {
    return value->number < leaves.size() ? names_(leaves[value->number]) : "";
  }
  /// By number of the input: which leaf it is.
  std::vector<size_t> leaves;

private:
  LeafNames names_;
};
} // namespace

[[noreturn]] static void throwAxisCount(const char *which, size_t expected, size_t got, Location at) {
  throw Error("vmap: expected " + std::to_string(expected) + (expected == 1 ? " entry" : " entries") + " of " + which +
                  ", got " + std::to_string(got),
              userLocation(at));
}

/// `axis` of a list of axes counted in [-rank, rank), made positive.
static int normalAxis(const char *which, int axis, int rank, const std::string &what, Location at) {
  if (axis < -rank || axis >= rank)
    throw Error("vmap: " + std::string(which) + " " + std::to_string(axis) + " is out of range for " + what,
                userLocation(at));
  return axis < 0 ? axis + rank : axis;
}

/// The axis of each array in the arguments.
static std::vector<int> inputAxes(std::span<const TreeRef> trees, const Arguments &arguments,
                                  const std::vector<BatchAxis> &given, Location at) {
  if (!given.empty() && given.size() != trees.size())
    throwAxisCount("in_axes", trees.size(), given.size(), at);
  std::vector<size_t> counts = arguments.counts();
  // A number, and what stands for one, has no axis that could be meant beside arrays.
  auto isNumber = [&](size_t i) {
    const Array &array = *static_cast<const Array *>(trees[i].tree);
    return trees[i].ops->isArray && array.has_value() && array.ndim() == 0;
  };
  bool hasOthers = false;
  for (size_t i = 0; i < trees.size(); ++i)
    hasOthers |= counts[i] && !isNumber(i);
  std::vector<int> axes;
  for (size_t i = 0; i < trees.size(); ++i)
    axes.insert(axes.end(), counts[i], !given.empty() ? given[i].value() : hasOthers && isNumber(i) ? no_axis : 0);
  return axes;
}

/// The axis of each array in the result.
static std::vector<int> outputAxes(const TreeRef &result, const std::vector<BatchAxis> &given, Location at) {
  if (given.size() <= 1)
    return std::vector<int>(handlesOf(result, true).size(), given.empty() ? 0 : given[0].value());
  std::vector<TreeRef> elements;
  if (result.ops->elements)
    result.ops->elements(result.tree, elements);
  if (size_t expected = result.ops->elements ? elements.size() : 1; expected != given.size())
    throwAxisCount("out_axes", expected, given.size(), at);
  std::vector<int> axes;
  for (size_t i = 0; i < elements.size(); ++i)
    axes.insert(axes.end(), handlesOf(elements[i], true).size(), given[i].value());
  return axes;
}

OwnedTree detail::run_batched(const TreeFunction &function, std::span<const TreeRef> trees, const VmapOptions &options,
                              CallSite site) {
  Location at = callPlace(site.called, site.made);
  Arguments arguments(trees, true);
  std::vector<int> axes = inputAxes(trees, arguments, options.in_axes, at);
  std::vector<Array> inputs = arguments.arrays();
  auto names = [&](size_t leaf) { return arguments.name(leaf); };
  std::optional<Dim> size;
  size_t first = 0;
  std::vector<int> places(inputs.size(), -1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].has_value())
      throw Error("vmap: expected an array as " + names(i) + ", got an empty Array", userLocation(at));
    if (axes[i] == no_axis)
      continue;
    Type type = typeOf(inputs[i].value());
    places[i] = normalAxis("in_axes", axes[i], type.shape.rank(), names(i) + " of type " + type.str(), at);
    Dim here = type.shape[places[i]];
    if (!size) {
      size = here;
      first = i;
    } else if (provably_equal(*size, here) != Always::yes) {
      throw Error("vmap: expected arrays with as many examples each, got " + size->str() + " in " + names(first) +
                      " and " + here.str() + " in " + names(i),
                  userLocation(at));
    }
  }
  if (!size)
    throw Error("vmap: expected at least one array that is mapped over, got none", userLocation(at));

  NamedBatch batch(siteName("vmap", site.made), *size, names);
  std::vector<Array> values = inputs;
  for (size_t i = 0; i < values.size(); ++i)
    if (places[i] >= 0) {
      values[i] = batch.wrap(values[i], places[i], at);
      batch.leaves.push_back(i);
    }
  OwnedTree result;
  {
    ActiveInterpreter active(batch);
    result = arguments.call(function, values, at);
  }
  std::vector<int> outAxes = outputAxes(result.ref(), options.out_axes, at);
  std::vector<Array *> results = handlesOf(result.ref(), true);
  LocationScope scope("vmap", at);
  for (size_t i = 0; i < results.size(); ++i) {
    Array &array = *results[i];
    if (!array.has_value())
      throw Error("vmap: expected an array as result, got an empty Array", userLocation(at));
    int axis = batch.axisOf(array.value());
    if (outAxes[i] == no_axis) {
      if (axis >= 0)
        throw Error("vmap: expected a result that is the same for all examples (out_axes: none), got " +
                        typeOf(array.value()).str() + " that depends on them",
                    userLocation(at));
      continue;
    }
    int wished =
        normalAxis("out_axes", outAxes[i], array.ndim() + 1, "a result of type " + typeOf(array.value()).str(), at);
    array = axis < 0 ? repeatAlong(array, *size, wished) : moveAxis(batch.below(array), axis, wished);
  }
  return result;
}
