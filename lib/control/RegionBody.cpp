//===- RegionBody.cpp - a user's function on its way to a region ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/RegionBody.h"

#include "lib/array/Buffer.h"
#include "lib/trace/Context.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

void RegionBody::run(std::span<const Array> in, std::vector<Array> &out) {
  result = arguments_.call(function_, in, at_);
  if (like.tree.tree)
    expectLikeness();
  for (Array *array : handlesOf(result.ref(), true))
    out.push_back(std::exchange(*array, Array()));
}

void RegionBody::expectLikeness() const {
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
    throw Error(like.what + " must have the same structure: " + structure_difference(first.view(), second.view(), true),
                userLocation(at_));
}

std::string NamedRecord::path(const Value *value) const { return value->number < inputs_ ? names_(value->number) : ""; }

Record::Result tenon::recordBody(const std::string &what, RegionBody &body, std::span<const Type> types,
                                 LeafNames names, Location at, BodyStates *states) {
  NamedRecord record(what, names, types.size());
  std::vector<Array> in, out;
  for (const Type &type : types)
    in.push_back(record.input(type, {}, at));
  std::optional<BodyStates::Scope> scope;
  if (states)
    scope.emplace(*states, record);
  ActiveInterpreter active(record);
  body.run(in, out);
  if (scope)
    scope->addAssigned(out);
  return record.finish(out, at);
}

OwnedTree tenon::bindBody(OpCode op, AttrWords attributes, const std::string &what, RegionBody &body,
                          std::span<const Array> given, std::span<const Type> types, LeafNames names, Location at) {
  BodyStates states(given);
  Record::Result recorded = recordBody(what, body, types, names, at, &states);
  states.complete(std::span(&recorded, 1));
  const TraceRef region = withCapturesInFront(recorded, types);
  states.read(recorded.captures, at);
  std::vector<Value *> values;
  appendValues(values, recorded.captures);
  appendValues(values, given);
  const LocationScope scope("", at);
  std::vector<Array> results = bindInferred(op, values, attributes, std::span(&region, 1), at);
  states.commit(results);
  return withArrays(std::move(body.result), results);
}

TraceRef tenon::withCapturesInFront(const Record::Result &recorded, std::span<const Type> types) {
  return withCapturesInFront(recorded, types, recorded.captures);
}

TraceRef tenon::withCapturesInFront(const Record::Result &recorded, std::span<const Type> types,
                                    std::span<const Array> captures) {
  std::vector<Type> arranged;
  std::vector<size_t> places;
  for (const Array &capture : captures)
    arranged.push_back(typeOf(capture.value()));
  arranged.insert(arranged.end(), types.begin(), types.end());
  for (size_t i = 0; i < types.size(); ++i)
    places.push_back(captures.size() + i);
  for (const Array &capture : recorded.captures)
    places.push_back(
        static_cast<size_t>(std::ranges::find(captures, capture.value(), &Array::value) - captures.begin()));
  return arrangeInputs(*recorded.trace, arranged, places);
}

void tenon::addCaptures(std::vector<Array> &captures, const Record::Result &recorded) {
  for (const Array &capture : recorded.captures)
    if (std::ranges::find(captures, capture.value(), &Array::value) == captures.end())
      captures.push_back(capture);
}

bool tenon::runsAsCpp() { return runsEagerly() && !innermostRecord(); }

std::vector<Array> tenon::runHere(const std::string &what, RegionBody &body, std::span<const Array> inputs,
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

std::optional<Array> tenon::knownValue(const Array &array) {
  Value *value = concreteOrNull(array.value());
  if (!value)
    return std::nullopt;
  return Array::share(value);
}

Array tenon::arrayOf(const Operand &number) {
  return number.is_scalar() ? Array(number.scalar(), number.scalar().default_dtype(), number.location())
                            : Array::share(number.value());
}

std::vector<Type> tenon::typesOf(const std::string &what, std::span<const Array> arrays, LeafNames names, Location at) {
  std::vector<Type> types;
  for (const Array &array : arrays) {
    if (!array.has_value())
      throw Error(what + ": expected an array as " + names(types.size()) + ", got an empty Array", userLocation(at));
    types.push_back(typeOf(array.value()));
  }
  return types;
}

void tenon::appendValues(std::vector<Value *> &values, std::span<const Array> arrays) {
  for (const Array &array : arrays)
    values.push_back(array.value());
}

bool tenon::sameType(const Type &a, const Type &b) {
  return a.dtype == b.dtype && a.device == b.device && provably_equal(a.shape, b.shape) == Always::yes;
}

std::string tenon::named(const std::string &what, const std::string &path) {
  return path.empty() ? what : what + " " + path;
}

void tenon::expectPredicate(const std::string &what, const Type &type, Location at) {
  if (type.dtype != Dtype::bool_ || type.shape.rank() != 0)
    throw Error(what + ", got " + type.str(), userLocation(at));
}

void tenon::expectCarries(const std::string &what, std::span<const Type> expected, std::span<const Type> results,
                          LeafNames names, Location at) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (const Type &got = results[i]; !sameType(expected[i], got))
      throw Error(what + ": expected the body to return " + named("the carry", names(i)) + " with its initial type, " +
                      expected[i].str() + ", got " + got.str(),
                  userLocation(at));
}

OwnedTree tenon::withArrays(OwnedTree tree, std::span<const Array> arrays) {
  assign_leaves(tree.ref(), arrays, true);
  return tree;
}
