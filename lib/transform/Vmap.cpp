//===- Vmap.cpp - the core of vmap --------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/CallSite.h"
#include "lib/base/PerThread.h"
#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"
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

//===----------------------------------------------------------------------===//
// Axes with names
//===----------------------------------------------------------------------===//

namespace {
class NamedAxis;
TENON_PER_THREAD rt::PerThread<const NamedAxis *> innermostAxis;

/// An axis that the function may speak of while it runs.
class NamedAxis {
public:
  /// `name` empty: none.
  NamedAxis(const std::string &name, Batch &batch, Device device, Location at) : name_(name), outer_(*innermostAxis) {
    if (name.empty())
      return;
    size_ = batch.size();
    index_ = batch.wrap(iota(size_, Dtype::i64, device, at), 0, at);
    *innermostAxis = this;
  }
  ~NamedAxis() { *innermostAxis = outer_; }
  NamedAxis(const NamedAxis &) = delete;

  static const NamedAxis &find(const char *function, std::string_view name, Location at) {
    std::string known;
    for (const NamedAxis *axis = *innermostAxis; axis; axis = axis->outer_) {
      if (axis->name_ == name)
        return *axis;
      known += (known.empty() ? "" : ", ") + axis->name_;
    }
    throw Error(std::string(function) + ": expected the axis_name of a vmap around, got '" + std::string(name) + "'; " +
                    (known.empty() ? "no vmap around has one" : "there is " + known),
                userLocation(at));
  }
  /// The number of the example, a value of the vmap.
  const Array &index() const { return index_; }
  Dim size() const { return size_; }

private:
  const std::string &name_;
  const NamedAxis *outer_;
  Array index_;
  Dim size_ = 0;
};
} // namespace

static Array mappedReduction(const char *name, std::string_view function, const Array &x, std::string_view axis,
                             Location at) {
  return bindComposite(CompositeId::mapped_reduction, {x.value(), NamedAxis::find(name, axis, at).index().value()},
                       Words(MappedReductionAttrs{function}), at);
}

Array tenon::psum(const Operand &operand, std::string_view axis_name) {
  const DoorScope scope("psum", operand.location(), {{"x", operand}});
  const Array x = toArray(operand, OpCode::sum);
  if (const std::string problem = checkDtype(opInfo(OpCode::sum), x.dtype());
      !problem.empty() && kind(x.dtype()) != Kind::complex)
    throwOpError(opInfo(OpCode::sum), {}, "psum: " + problem, operand.location());
  return mappedReduction("psum", "sum", convert(x, sumDtype(x.dtype()), operand.location()), axis_name,
                         operand.location());
}

Array tenon::pmean(const Operand &operand, std::string_view axis_name) {
  const Location at = operand.location();
  const DoorScope scope("pmean", at, {{"x", operand}});
  const Array given = toArray(operand, OpCode::sum), x = convert(given, wideDtype(floatingDtype(given.dtype())), at);
  const NamedAxis &axis = NamedAxis::find("pmean", axis_name, at);
  const Array total = mappedReduction("pmean", "sum", x, axis_name, at);
  return convert(total / convert(sizeOf(axis.size(), x.device(), at), x.dtype(), at), floatingDtype(given.dtype()), at);
}

static Array mappedExtremum(const char *name, std::string_view function, OpCode op, const Operand &operand,
                            std::string_view axis_name) {
  const DoorScope scope(name, operand.location(), {{"x", operand}});
  const Array x = toArray(operand, op);
  if (const std::string problem = checkDtype(opInfo(op), x.dtype()); !problem.empty())
    throwOpError(opInfo(op), {}, std::string(name) + ": " + problem, operand.location());
  return mappedReduction(name, function, x, axis_name, operand.location());
}
Array tenon::pmax(const Operand &x, std::string_view axis_name) {
  return mappedExtremum("pmax", "max", OpCode::max, x, axis_name);
}
Array tenon::pmin(const Operand &x, std::string_view axis_name) {
  return mappedExtremum("pmin", "min", OpCode::min, x, axis_name);
}

Array tenon::axis_index(std::string_view axis_name, Location at) {
  return NamedAxis::find("axis_index", axis_name, at).index();
}
Dim tenon::axis_size(std::string_view axis_name, Location at) {
  return NamedAxis::find("axis_size", axis_name, at).size();
}

//===----------------------------------------------------------------------===//
// vmap
//===----------------------------------------------------------------------===//

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

BatchAxis::BatchAxis(std::initializer_list<BatchAxis> arrays) : isList_(true), arrays_(arrays) {}
BatchAxis::BatchAxis(std::vector<BatchAxis> arrays) : isList_(true), arrays_(std::move(arrays)) {}

/// Appends the axis of each of `count` arrays; `part`: whose they are.
static void appendAxes(const char *which, const BatchAxis &given, size_t count, const std::string &part, Location at,
                       std::vector<int> &axes) {
  const std::vector<BatchAxis> *arrays = given.arrays();
  if (!arrays) {
    axes.insert(axes.end(), count, given.value());
    return;
  }
  if (arrays->size() != count)
    throw Error("vmap: expected " + std::to_string(count) + (count == 1 ? " entry" : " entries") + " in the list of " +
                    which + " for " + part + ", one for each array in it, got " + std::to_string(arrays->size()),
                userLocation(at));
  for (const BatchAxis &one : *arrays)
    appendAxes(which, one, 1, "one array", at, axes);
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
    if (!given.empty())
      appendAxes("in_axes", given[i], counts[i], "arg " + std::to_string(i), at, axes);
    else
      axes.insert(axes.end(), counts[i], hasOthers && isNumber(i) ? no_axis : 0);
  return axes;
}

/// The axis of each array in the result.
static std::vector<int> outputAxes(const TreeRef &result, const std::vector<BatchAxis> &given, Location at) {
  std::vector<int> axes;
  if (given.size() <= 1) {
    appendAxes("out_axes", given.empty() ? BatchAxis(0) : given[0], handlesOf(result, true).size(), "the result", at,
               axes);
    return axes;
  }
  std::vector<TreeRef> elements;
  if (result.ops->elements)
    result.ops->elements(result.tree, elements);
  if (size_t expected = result.ops->elements ? elements.size() : 1; expected != given.size())
    throwAxisCount("out_axes", expected, given.size(), at);
  for (size_t i = 0; i < elements.size(); ++i)
    appendAxes("out_axes", given[i], handlesOf(elements[i], true).size(), "result " + std::to_string(i), at, axes);
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
    const NamedAxis axis(options.axis_name, batch, inputs[first].device(), at);
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
