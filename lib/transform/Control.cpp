//===- Control.cpp - the core of cond, scan and while_loop -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Recordings.h"
#include "lib/transform/regions/Traces.h"

#include <tenon/control.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {
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

/// Whether a size is a symbol, which belongs to a trace around this one.
static bool isSymbolic(const Type &type) {
  return std::any_of(type.shape.begin(), type.shape.end(), [](Dim size) { return !size.is_static(); });
}

/// Whether a body made the array that it captures: a constant, not too large to
/// keep, that nobody else holds.
static bool isOwn(const Array &capture) {
  const Value *value = capture.value();
  return value->isBuffer() && __atomic_load_n(&value->references, __ATOMIC_RELAXED) == 1 &&
         static_cast<size_t>(value->count()) * item_size(value->dtype()) <= size_t(1) << 16;
}

/// Records a body on inputs of these types, or finds what one without state has
/// recorded before; `first` is the number of the first one's name. What captures
/// an array that somebody else holds (a global one) is not kept: the next call may
/// find another one there.
static Record::Result recordBody(const char *what, RegionBody &body, std::span<const Type> types, LeafNames names,
                                 size_t first, Location at) {
  std::optional<Recordings::Key> key;
  if (body.recordings && !jitIsDisabled && std::none_of(types.begin(), types.end(), isSymbolic)) {
    key = Recordings::Key{what, std::string(body.structure), {types.begin(), types.end()}};
    if (std::optional<Record::Result> found = body.recordings->find(*key, body))
      return *std::move(found);
  }
  NamedRecord record(what, names, first);
  record.inputs = types.size();
  std::vector<Array> in, out;
  for (const Type &type : types)
    in.push_back(record.input(type, {}, at));
  ActiveInterpreter active(record);
  body.run(in, out);
  Record::Result result = record.finish(out, at);
  in.clear(); // what is left of the arrays' handles is not this function's
  out.clear();
  if (key && std::all_of(result.captures.begin(), result.captures.end(), isOwn))
    body.recordings->add(*std::move(key), result, body);
  return result;
}

static std::vector<Type> typesOf(const char *what, std::span<const Array> arrays, LeafNames names, Location at) {
  std::vector<Type> types;
  for (const Array &array : arrays) {
    if (!array.has_value())
      throw Error(std::string(what) + ": expected an array as " + names(types.size()) + ", got an empty Array",
                  userLocation(at));
    types.push_back(typeOf(array.value()));
  }
  return types;
}

static void append(std::vector<Value *> &values, std::span<const Array> arrays) {
  for (const Array &array : arrays)
    values.push_back(array.value());
}

void detail::throw_structure(std::string_view what, std::string_view expected, std::string_view got, Location at) {
  throw Error(std::string(what) + " must have one structure: " + structure_difference(expected, got, true),
              userLocation(at));
}

/// A sentence for `what` (a carry, a result) named `path`.
static std::string named(const std::string &what, const std::string &path) {
  return path.empty() ? what : what + " " + path;
}

static bool same(const Type &a, const Type &b) {
  return a.dtype == b.dtype && a.device == b.device && provably_equal(a.shape, b.shape) == Always::yes;
}

/// The body returns each carry with the type it came with.
static void expectCarries(const char *what, std::span<const Type> expected, const Trace &body, LeafNames names,
                          Location at) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (const Type &got = body.type(body.outputs()[i]); !same(expected[i], got))
      throw Error(std::string(what) + ": expected the body to return " + named("the carry", names(i)) +
                      " with the type it came with, " + expected[i].str() + ", got " + got.str(),
                  userLocation(at));
}

std::vector<Array> detail::run_cond(const Array &predicate, RegionBody &then, RegionBody &otherwise,
                                    std::span<const Array> operands, LeafNames names, Location at) {
  if (!predicate.has_value() || predicate.dtype() != Dtype::bool_ || predicate.ndim() != 0)
    throw Error("cond: expected a rank-0 bool as predicate, got " +
                    (predicate.has_value() ? typeOf(predicate.value()).str() : std::string("an empty Array")),
                userLocation(at));
  std::vector<Type> types = typesOf("cond", operands, names, at);
  Record::Result branches[] = {recordBody("cond then", then, types, names, 0, at),
                               recordBody("cond otherwise", otherwise, types, names, 0, at)};
  RegionType first = branches[0].trace->regionType(), second = branches[1].trace->regionType();
  for (size_t i = 0; i < first.outputs.size() && i < second.outputs.size(); ++i)
    if (!same(first.outputs[i], second.outputs[i]))
      throw Error("cond: expected branches whose results have the same types, got " + first.outputs[i].str() + " and " +
                      second.outputs[i].str() + " for " + named("the result", names(operands.size() + i)),
                  userLocation(at));
  if (first.outputs.size() != second.outputs.size())
    throw Error("cond: expected branches with as many arrays in their results, got " +
                    std::to_string(first.outputs.size()) + " and " + std::to_string(second.outputs.size()),
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

std::vector<Array> detail::run_scan(RegionBody &body, const ScanLists &lists, LeafNames names, Location at) {
  std::vector<Type> carried = typesOf("scan", lists.carries, names, at);
  size_t carries = carried.size();
  auto xName = [&](size_t i) { return names(carries + i); };
  std::vector<Type> types = carried, xTypes = typesOf("scan", lists.xs, xName, at);
  std::optional<Dim> length = lists.length;
  std::string from = "length";
  for (size_t i = 0; i < xTypes.size(); ++i) {
    Type &type = xTypes[i];
    if (type.shape.rank() == 0)
      throw Error("scan: expected " + named("the input", xName(i)) + " to have an axis to walk along, got " +
                      type.str(),
                  userLocation(at));
    Dim here = type.shape[0];
    if (!length) {
      length = here;
      from = named("the input", xName(i));
    } else if (provably_equal(*length, here) != Always::yes) {
      throw Error("scan: expected inputs of one length, got " + length->str() + " from " + from + " and " + here.str() +
                      " from " + named("the input", xName(i)),
                  userLocation(at));
    }
    type.shape.erase(0);
    types.push_back(type);
  }
  if (!length)
    throw Error("scan: expected inputs or a length, got neither", userLocation(at));

  Record::Result recorded = recordBody("scan", body, types, names, 0, at);
  expectCarries("scan", carried, *recorded.trace, names, at);
  // The op wants what the body captures in front.
  size_t consts = recorded.captures.size();
  std::vector<Type> arranged = typesOf("scan", recorded.captures, {}, at);
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
  return bindInferred(
      OpCode::scan, values,
      wordsOf(ScanAttrs{lengths, static_cast<int64_t>(consts), static_cast<int64_t>(carries), lists.reverse}),
      std::span(&region, 1), at);
}

std::vector<Array> detail::run_while(RegionBody &condition, RegionBody &body, std::span<const Array> carries,
                                     LeafNames names, Location at) {
  std::vector<Type> carried = typesOf("while_loop", carries, names, at);
  Record::Result recorded[] = {recordBody("while_loop condition", condition, carried, names, 0, at),
                               recordBody("while_loop", body, carried, names, 0, at)};
  const Trace &question = *recorded[0].trace;
  if (const Type &type = question.type(question.outputs()[0]); type.dtype != Dtype::bool_ || type.shape.rank() != 0)
    throw Error("while_loop: expected a rank-0 bool as result of the condition, got " + type.str(), userLocation(at));
  expectCarries("while_loop", carried, *recorded[1].trace, names, at);
  TraceRef regions[2];
  std::vector<Value *> values;
  for (int r : {0, 1}) {
    size_t consts = recorded[r].captures.size();
    std::vector<Type> arranged = typesOf("while_loop", recorded[r].captures, {}, at);
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
  return bindInferred(OpCode::while_loop, values,
                      wordsOf(WhileLoopAttrs{static_cast<int64_t>(recorded[0].captures.size()),
                                             static_cast<int64_t>(recorded[1].captures.size())}),
                      regions, at);
}
