//===- Control.cpp - the core of cond, scan and while_loop -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/Buffer.h"
#include "lib/trace/Context.h"
#include "lib/trace/Record.h"
#include "lib/trace/RegionOp.h"
#include "lib/tree/Arguments.h"

#include <tenon/control.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// What a body's result, or the first element of it, must be like but for its arrays.
struct Likeness {
  std::string what;
  TreeRef tree;
  bool firstElement = false;
};

/// A branch, condition or step on its way to becoming a region: a function of trees
/// as one of arrays.
class RegionBody {
public:
  /// `arguments`: trees like the function's, whose arrays are the inputs.
  RegionBody(const TreeFunction &function, std::span<const TreeRef> arguments, Location at)
      : function_(function), arguments_(arguments, true), at_(at) {}

  /// Calls the user's function and lists the arrays of what it returns.
  void run(std::span<const Array> in, std::vector<Array> &out) {
    result = arguments_.call(function_, in, at_);
    if (like.tree.tree)
      expectLikeness();
    for (Array *array : handlesOf(result.ref(), true))
      out.push_back(std::exchange(*array, Array()));
  }

  /// What the function returned; its arrays are in the list that run has filled.
  OwnedTree result;
  Likeness like = {};

private:
  void expectLikeness() const {
    TreeRef got = result.ref();
    if (like.firstElement) {
      std::vector<TreeRef> elements;
      got.ops->elements(got.tree, elements);
      got = elements[0];
    }
    StructureBytes first, second;
    like.tree.ops->structure(like.tree.tree, first);
    got.ops->structure(got.tree, second);
    if (first.view() != second.view())
      throw Error(like.what + " must have one structure: " + structure_difference(first.view(), second.view(), true),
                  userLocation(at_));
  }

  const TreeFunction &function_;
  Arguments arguments_;
  Location at_;
};

/// Names its inputs by the paths of the user's trees.
class NamedRecord final : public Record {
public:
  NamedRecord(std::string name, LeafNames names, size_t first)
      : Record(std::move(name)), names_(names), first_(first) {}
  std::string path(const Value *value) const override {
    return value->number < inputs ? names_(first_ + value->number) : "";
  }
  size_t inputs = 0;

private:
  LeafNames names_;
  size_t first_;
};
} // namespace

/// Records a body on inputs of these types; `first` is the number of the first
/// one's name.
static Record::Result recordBody(const std::string &what, RegionBody &body, std::span<const Type> types,
                                 LeafNames names, size_t first, Location at) {
  NamedRecord record(what, names, first);
  record.inputs = types.size();
  std::vector<Array> in, out;
  for (const Type &type : types)
    in.push_back(record.input(type, {}, at));
  ActiveInterpreter active(record);
  body.run(in, out);
  return record.finish(out, at);
}

/// Whether bodies run as C++ here: nothing is recorded that they would be part of.
static bool runsAsCpp() { return jitIsDisabled && !innermostRecord(); }

/// The truth of a predicate that has a value: a buffer, or what is differentiated
/// above one.
static std::optional<bool> knownTruth(const Array &predicate, Location at) {
  Value *value = belowReverse(predicate.value());
  if (!value->isBuffer() || value->device() != Device::cpu)
    return std::nullopt;
  return Array::share(value).item<bool>(at);
}

static std::vector<Type> typesOf(const std::string &what, std::span<const Array> arrays, LeafNames names, Location at) {
  std::vector<Type> types;
  for (const Array &array : arrays) {
    if (!array.has_value())
      throw Error(what + ": expected an array as " + names(types.size()) + ", got an empty Array", userLocation(at));
    types.push_back(typeOf(array.value()));
  }
  return types;
}

static void append(std::vector<Value *> &values, std::span<const Array> arrays) {
  for (const Array &array : arrays)
    values.push_back(array.value());
}

/// A sentence for `what` (a carry, a result) named `path`.
static std::string named(const std::string &what, const std::string &path) {
  return path.empty() ? what : what + " " + path;
}

static bool same(const Type &a, const Type &b) {
  return a.dtype == b.dtype && a.device == b.device && provably_equal(a.shape, b.shape) == Always::yes;
}

/// The body returns each carry with the type it came with.
static void expectCarries(const std::string &what, std::span<const Type> expected, std::span<const Type> results,
                          LeafNames names, Location at) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (const Type &got = results[i]; !same(expected[i], got))
      throw Error(what + ": expected the body to return " + named("the carry", names(i)) +
                      " with the type it came with, " + expected[i].str() + ", got " + got.str(),
                  userLocation(at));
}

/// Runs a body as the C++ that it is; the types of its results are in `types`.
static std::vector<Array> runHere(const std::string &what, RegionBody &body, std::span<const Array> inputs,
                                  std::vector<Type> &types, Location at) {
  std::vector<Array> out;
  body.run(inputs, out);
  types.clear();
  for (const Array &array : out) {
    if (!array.has_value())
      throw Error(what + ": expected an array as result, got an empty Array", userLocation(at));
    types.push_back(typeOf(array.value()));
  }
  return out;
}

static void expectPredicate(const std::string &what, const Type &type, Location at) {
  if (type.dtype != Dtype::bool_ || type.shape.rank() != 0)
    throw Error(what + ", got " + type.str(), userLocation(at));
}

//===----------------------------------------------------------------------===//
// cond
//===----------------------------------------------------------------------===//

static std::vector<Array> bindCond(const Array &predicate, RegionBody &then, RegionBody &otherwise,
                                   std::span<const Array> operands, LeafNames names, Location at) {
  if (!predicate.has_value())
    throw Error("cond: expected a rank-0 bool as predicate, got an empty Array", userLocation(at));
  expectPredicate("cond: expected a rank-0 bool as predicate", typeOf(predicate.value()), at);
  std::vector<Type> types = typesOf("cond", operands, names, at);
  if (std::optional<bool> truth; runsAsCpp() && (truth = knownTruth(predicate, at)))
    return runHere("cond", *truth ? then : otherwise, operands, types, at);
  auto record = [&](const char *what, RegionBody &body) { return recordBody(what, body, types, names, 0, at); };
  Record::Result first = record("cond then", then);
  otherwise.like = {"cond: the results of the branches", then.result.ref()};
  Record::Result branches[] = {std::move(first), record("cond otherwise", otherwise)};
  std::vector<Type> one = branches[0].trace->regionType().outputs, other = branches[1].trace->regionType().outputs;
  for (size_t i = 0; i < one.size() && i < other.size(); ++i)
    if (!same(one[i], other[i]))
      throw Error("cond: expected branches whose results have the same types, got " + one[i].str() + " and " +
                      other[i].str() + " for " + named("the result", names(operands.size() + i)),
                  userLocation(at));
  if (one.size() != other.size())
    throw Error("cond: expected branches with as many arrays in their results, got " + std::to_string(one.size()) +
                    " and " + std::to_string(other.size()),
                userLocation(at));

  // Both take the operands, then what either captures, each array once.
  std::vector<Array> captures;
  std::vector<size_t> places[2];
  for (int b : {0, 1}) {
    for (size_t i = 0; i < operands.size(); ++i)
      places[b].push_back(i);
    for (const Array &capture : branches[b].captures) {
      size_t k = 0;
      while (k < captures.size() && captures[k].value() != capture.value())
        ++k;
      if (k == captures.size()) {
        captures.push_back(capture);
        types.push_back(typeOf(capture.value()));
      }
      places[b].push_back(operands.size() + k);
    }
  }
  std::vector<Value *> values{predicate.value()};
  append(values, operands);
  append(values, captures);
  TraceRef regions[] = {arrangeInputs(*branches[0].trace, types, places[0]),
                        arrangeInputs(*branches[1].trace, types, places[1])};
  return bindInferred(OpCode::cond, values, {}, regions, at);
}

/// `tree`, which is like the result of a body, with the arrays that an op gave.
static OwnedTree withArrays(OwnedTree tree, std::span<const Array> arrays) {
  assign_leaves(tree.ref(), arrays, true);
  return tree;
}

/// The path of array number `array` in trees one after another: `[1].w`.
static std::string pathAmong(std::span<const TreeRef> trees, size_t array) {
  for (size_t i = 0; i < trees.size(); ++i) {
    std::vector<std::string> paths = pathsOf(trees[i], true);
    if (array < paths.size()) {
      const std::string &path = paths[array];
      return "[" + std::to_string(i) + "]" + (path.empty() || path[0] == '[' ? "" : ".") + path;
    }
    array -= paths.size();
  }
  return {};
}

OwnedTree detail::run_cond(const Operand &predicate, const TreeFunction &then, const TreeFunction &otherwise,
                           std::span<const TreeRef> operands) {
  Location at = predicate.location();
  Array asked = predicate.is_scalar() ? Array(predicate.scalar(), predicate.scalar().default_dtype(), at)
                                      : Array::share(predicate.value());
  RegionBody first(then, operands, at), second(otherwise, operands, at);
  std::vector<Array> inputs = Arguments(operands, true).arrays();
  auto names = [&](size_t leaf) {
    return leaf < inputs.size() ? "operand " + pathAmong(operands, leaf)
                                : pathsOf(first.result.ref(), true)[leaf - inputs.size()];
  };
  std::vector<Array> results = bindCond(asked, first, second, inputs, names, at);
  return withArrays(std::move(first.result.get() ? first.result : second.result), results);
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

namespace {
struct ScanLists {
  std::span<const Array> carries, xs;
  bool reverse;
  std::optional<Dim> length;
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
    } else if (!std::equal(first.begin(), first.end(), others.begin(), others.end(), same)) {
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
static std::vector<Array> bindScan(RegionBody &body, const ScanLists &lists, LeafNames names, Location at) {
  const std::string what = lists.name;
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
  Record::Result recorded = recordBody(what, body, types, names, 0, at);
  expectCarries(what, carried, recorded.trace->regionType().outputs, names, at);
  // The op wants what the body captures in front.
  size_t consts = recorded.captures.size();
  std::vector<Type> arranged = typesOf(what, recorded.captures, {}, at);
  arranged.insert(arranged.end(), types.begin(), types.end());
  std::vector<size_t> places;
  for (size_t i = 0; i < types.size(); ++i)
    places.push_back(consts + i);
  for (size_t i = 0; i < consts; ++i)
    places.push_back(i);
  TraceRef region = arrangeInputs(*recorded.trace, arranged, places);
  std::vector<Value *> values;
  append(values, recorded.captures);
  append(values, lists.carries);
  append(values, lists.xs);
  Dim lengths[] = {*length};
  DoorScope door("", what, {}, {});
  return bindInferred(
      OpCode::scan, values,
      wordsOf(ScanAttrs{lengths, static_cast<int64_t>(consts), static_cast<int64_t>(carries), lists.reverse}),
      std::span(&region, 1), at);
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
  std::vector<Array> results = bindScan(body, {carries, xs, form.reverse, form.length, form.name}, names, at);
  return withArrays(std::move(body.result), results);
}

//===----------------------------------------------------------------------===//
// while_loop
//===----------------------------------------------------------------------===//

static std::vector<Array> bindWhile(RegionBody &condition, RegionBody &body, std::span<const Array> start,
                                    const char *name, LeafNames names, Location at) {
  const std::string what = name, asked = what + ": expected a rank-0 bool as result of the condition";
  std::vector<Array> carries(start.begin(), start.end());
  std::vector<Type> carried = typesOf(what, carries, names, at), types;
  // As C++ while the condition is known; it may come to differ between the
  // examples of vmap only after some rounds.
  while (runsAsCpp()) {
    std::vector<Array> answer = runHere(what, condition, carries, types, at);
    expectPredicate(asked, types[0], at);
    std::optional<bool> truth = knownTruth(answer[0], at);
    if (!truth)
      break;
    if (!*truth)
      return carries;
    carries = runHere(what, body, carries, types, at);
    expectCarries(what, carried, types, names, at);
  }
  Record::Result recorded[] = {recordBody(what + " condition", condition, carried, names, 0, at),
                               recordBody(what, body, carried, names, 0, at)};
  RegionType question = recorded[0].trace->regionType();
  expectPredicate(asked, question.outputs[0], at);
  expectCarries(what, carried, recorded[1].trace->regionType().outputs, names, at);
  TraceRef regions[2];
  std::vector<Value *> values;
  for (int r : {0, 1}) {
    size_t consts = recorded[r].captures.size();
    std::vector<Type> arranged = typesOf(what, recorded[r].captures, {}, at);
    arranged.insert(arranged.end(), carried.begin(), carried.end());
    std::vector<size_t> places;
    for (size_t i = 0; i < carried.size(); ++i)
      places.push_back(consts + i);
    for (size_t i = 0; i < consts; ++i)
      places.push_back(i);
    regions[r] = arrangeInputs(*recorded[r].trace, arranged, places);
    append(values, recorded[r].captures);
  }
  append(values, carries);
  DoorScope door("", what, {}, {});
  return bindInferred(OpCode::while_loop, values,
                      wordsOf(WhileLoopAttrs{static_cast<int64_t>(recorded[0].captures.size()),
                                             static_cast<int64_t>(recorded[1].captures.size())}),
                      regions, at);
}

OwnedTree detail::run_while(const TreeFunction &condition, const TreeFunction &body, TreeRef carry, bool counted,
                            Location at) {
  const char *name = counted ? "fori_loop" : "while_loop";
  RegionBody ask(condition, std::span(&carry, 1), at), step(body, std::span(&carry, 1), at);
  step.like = {name + std::string(": the carry"), carry};
  auto names = [&](size_t leaf) {
    if (!counted)
      return pathsOf(carry, true)[leaf];
    std::vector<TreeRef> elements;
    carry.ops->elements(carry.tree, elements);
    return leaf ? pathsOf(elements[1], true)[leaf - 1] : std::string("lo");
  };
  std::vector<Array> results = bindWhile(ask, step, arraysOf(carry, true), name, names, at);
  return withArrays({carry.ops->copy(carry.tree), carry.ops}, results);
}
