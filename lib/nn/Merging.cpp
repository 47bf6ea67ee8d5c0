//===- Merging.cpp - layers of several inputs ----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"

#include <tenon/nn/layers/merging.h>

using namespace tenon;
using namespace tenon::detail;

static std::string shapesOf(const std::vector<Array> &xs) {
  std::string text;
  for (size_t i = 0; i < xs.size(); ++i)
    text += (i == 0 ? "" : i + 1 == xs.size() ? " and " : ", ") + xs[i].shape().str();
  return text;
}

Array nn::Merge::call(const Array &) const {
  LayerCall(*this).refuse("expected several arrays, such as layer(x1, x2), got one");
}
Array nn::Merge::merge(const Arrays &xs, Location at) const {
  RunningLayer running(*this, at);
  const LayerCall here(*this);
  if (xs.size() == 0)
    here.refuse("expected one array or more, got none");
  for (size_t i = 0; i < xs.size(); ++i)
    if (!xs[i].has_value())
      here.refuse("expected arrays, got a number or an empty Array at place " + std::to_string(i));
  Array result = merged({xs.begin(), xs.end()});
  running.noteResult(result.shape(at));
  return result;
}

Array nn::ElementwiseMerge::merged(std::vector<Array> xs) const {
  const LayerCall here(*this);
  const std::string shapes = shapesOf(xs);
  int rank = 0;
  for (const Array &x : xs)
    rank = std::max(rank, x.ndim());
  for (Array &x : xs) {
    if (x.ndim() > 0 && xs[0].ndim() > 0 && provably_equal(x.shape()[0], xs[0].shape()[0]) == Always::no)
      here.refuse("expected batches of one size, got the shapes " + shapes);
    std::vector<int64_t> after;
    for (int axis = 1; x.ndim() > 0 && axis <= rank - x.ndim(); ++axis)
      after.push_back(axis);
    if (!after.empty())
      x = expand_dims(x, after);
  }
  for (int axis = 1; axis < rank; ++axis) {
    std::optional<Dim> other;
    for (const Array &x : xs) {
      if (x.ndim() == 0 || provably_equal(x.shape()[axis], 1) == Always::yes)
        continue;
      if (other && provably_equal(x.shape()[axis], *other) == Always::no)
        here.refuse("expected shapes that broadcast to one, got " + shapes);
      other = x.shape()[axis];
    }
  }
  Array result = xs[0];
  for (size_t i = 1; i < xs.size(); ++i)
    result = combine(result, xs[i]);
  return result;
}

Array nn::Add::combine(const Array &x1, const Array &x2) const { return x1 + x2; }
Array nn::Multiply::combine(const Array &x1, const Array &x2) const { return x1 * x2; }
Array nn::Maximum::combine(const Array &x1, const Array &x2) const { return maximum(x1, x2); }
Array nn::Minimum::combine(const Array &x1, const Array &x2) const { return minimum(x1, x2); }

Array nn::Subtract::combine(const Array &x1, const Array &x2) const { return x1 - x2; }
Array nn::Subtract::merged(std::vector<Array> xs) const {
  if (xs.size() != 2)
    LayerCall(*this).refuse("expected two arrays, got " + std::to_string(xs.size()));
  return ElementwiseMerge::merged(std::move(xs));
}

Array nn::Average::combine(const Array &x1, const Array &x2) const { return x1 + x2; }
Array nn::Average::merged(std::vector<Array> xs) const {
  const auto count = static_cast<double>(xs.size());
  for (Array &x : xs)
    if (kind(x.dtype()) == Kind::integer || kind(x.dtype()) == Kind::boolean)
      x = x.astype(f32); // sums of integers wrap
  return ElementwiseMerge::merged(std::move(xs)) / count;
}

Array nn::Concatenate::merged(std::vector<Array> xs) const {
  const LayerCall here(*this);
  const int axis = here.axisOf(xs[0].shape(), axis_.value());
  for (const Array &x : xs) {
    bool fits = x.ndim() == xs[0].ndim();
    for (int other = 0; fits && other < x.ndim(); ++other)
      fits = other == axis || provably_equal(x.shape()[other], xs[0].shape()[other]) != Always::no;
    if (!fits)
      here.refuse("expected shapes that differ along axis " + std::to_string(axis) + " alone, got " + shapesOf(xs));
  }
  return concatenate(xs, axis);
}
