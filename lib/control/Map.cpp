//===- Map.cpp - a function of each example, a few at a time -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/RegionBody.h"

#include <tenon/map.h>

using namespace tenon;
using namespace tenon::detail;

Dim detail::example_count(TreeRef xs, std::optional<int64_t> batch, Location at) {
  auto fail = [&](const std::string &sentence) { throw Error("map: " + sentence, userLocation(at)); };
  const std::vector<Array *> arrays = handlesOf(xs, true);
  auto name = [&](size_t i) { return named("the array", pathsOf(xs, true)[i]); };
  std::optional<Dim> count;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!arrays[i]->has_value())
      fail("expected arrays with examples along axis 0, got an empty Array as " + name(i));
    const Type type = typeOf(arrays[i]->value());
    if (type.shape.rank() == 0)
      fail("expected arrays with examples along axis 0, got " + type.str() + " as " + name(i));
    if (!count)
      count = type.shape[0];
    else if (provably_equal(*count, type.shape[0]) != Always::yes)
      fail("expected arrays with as many examples each, got " + count->str() + " in " + name(0) + " and " +
           type.shape[0].str() + " in " + name(i));
  }
  if (!count)
    fail("expected at least one array with examples, got none");
  if (batch && *batch < 1)
    fail("expected a batch of at least 1, got " + std::to_string(*batch));
  if (batch && !count->is_static())
    fail("expected a known number of examples for a batch, got " + count->str());
  return *count;
}

/// The examples from number `from` up to `to`.
static Array part(const Array &x, int64_t from, Dim to) {
  Shape starts, stops;
  std::vector<int64_t> steps;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    starts.push_back(axis ? 0 : from);
    stops.push_back(axis ? x.shape()[axis] : to);
    steps.push_back(1);
  }
  return slice(x, starts, stops, steps);
}

void detail::cut_examples(TreeRef xs, int64_t parts, int64_t batch, Location at) {
  const LocationScope scope("map", at);
  for (Array *array : handlesOf(xs, true)) {
    Shape shape = array->shape();
    shape.at(0) = batch;
    shape.insert(0, parts);
    *array = reshape(part(*array, 0, parts * batch), shape);
  }
}

void detail::leave_examples(TreeRef xs, int64_t from, Location at) {
  const LocationScope scope("map", at);
  for (Array *array : handlesOf(xs, true))
    *array = part(*array, from, array->shape()[0]);
}

void detail::join_examples(TreeRef tree, TreeRef rest, Location at) {
  const LocationScope scope("map", at);
  const std::vector<Array *> arrays = handlesOf(tree, true);
  const std::vector<Array *> others = rest.tree ? handlesOf(rest, true) : std::vector<Array *>();
  for (size_t i = 0; i < arrays.size(); ++i) {
    Shape shape = arrays[i]->shape();
    const Dim count = shape[0] * shape[1];
    shape.erase(0);
    shape.at(0) = count;
    *arrays[i] = reshape(*arrays[i], shape);
    if (rest.tree)
      *arrays[i] = concatenate({*arrays[i], *others[i]}, 0, at);
  }
}
