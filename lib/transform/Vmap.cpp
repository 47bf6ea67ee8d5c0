//===- Vmap.cpp - the core of vmap --------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Batch.h"
#include "lib/transform/Rules.h"
#include "lib/transform/Sites.h"

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

void detail::throw_axis_count(const char *which, size_t expected, size_t got, CallSite site) {
  throw Error("vmap: expected " + std::to_string(expected) + (expected == 1 ? " entry" : " entries") + " of " + which +
                  ", got " + std::to_string(got),
              userLocation(callPlace(site.called, site.made)));
}

/// `axis` of a list of axes counted in [-rank, rank), made positive.
static int normalAxis(const char *which, int axis, int rank, const std::string &what, Location at) {
  if (axis < -rank || axis >= rank)
    throw Error("vmap: " + std::string(which) + " " + std::to_string(axis) + " is out of range for " + what,
                userLocation(at));
  return axis < 0 ? axis + rank : axis;
}

std::vector<Array> detail::run_batched(ArrayFunction function, std::span<const Array> inputs, std::span<const int> axes,
                                       const std::vector<int> &outAxes, LeafNames names, CallSite site) {
  Location at = callPlace(site.called, site.made);
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
  std::vector<Array> values(inputs.begin(), inputs.end()), results;
  for (size_t i = 0; i < values.size(); ++i)
    if (places[i] >= 0) {
      values[i] = batch.wrap(values[i], places[i], at);
      batch.leaves.push_back(i);
    }
  {
    ActiveInterpreter active(batch);
    function(values, results);
  }
  LocationScope scope("vmap", at);
  for (size_t i = 0; i < results.size(); ++i) {
    Array &result = results[i];
    if (!result.has_value())
      throw Error("vmap: expected an array as result, got an empty Array", userLocation(at));
    int axis = batch.axisOf(result.value());
    if (outAxes[i] == no_axis) {
      if (axis >= 0)
        throw Error("vmap: expected a result that is the same for all examples (out_axes: none), got " +
                        typeOf(result.value()).str() + " that depends on them",
                    userLocation(at));
      continue;
    }
    int wished =
        normalAxis("out_axes", outAxes[i], result.ndim() + 1, "a result of type " + typeOf(result.value()).str(), at);
    result = axis < 0 ? repeatAlong(result, *size, wished) : moveAxis(batch.below(result), axis, wished);
  }
  return results;
}
