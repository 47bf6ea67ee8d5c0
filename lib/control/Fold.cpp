//===- Fold.cpp - combining elements by a function of the user's ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/Combination.h"
#include "lib/ops/composites/Shaping.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {

/// Arrays and the axis along which each of them is combined.
struct Lane {
  const TreeCombination &combine;
  std::vector<int> axes;

  ArrayList part(const ArrayList &xs, int64_t start, int64_t stop, int64_t step = 1) const {
    return combine.ofEach(xs, [&](size_t i, const Array &x) { return partOf(x, axes[i], start, stop, step); });
  }
  ArrayList joined(const ArrayList &first, const ArrayList &second) const {
    return combine.ofEach(first,
                          [&](size_t i, const Array &x) { return concatenate({x, second[i]}, axes[i], combine.at()); });
  }
  ArrayList flipped(const ArrayList &xs) const {
    return combine.ofEach(xs, [&](size_t i, const Array &x) { return flip(x, axes[i]); });
  }
  /// One of each in turn, of arrays of one size.
  ArrayList alternating(const ArrayList &evens, const ArrayList &odds) const {
    return combine.ofEach(evens, [&](size_t i, const Array &even) {
      Shape shape = even.shape();
      shape.at(axes[i]) = shape[axes[i]] * 2;
      return reshape(stack({even, odds[i]}, axes[i] + 1, combine.at()), shape);
    });
  }

  /// f of the elements 2i and 2i + 1.
  ArrayList pairs(const ArrayList &xs, int64_t half) const {
    return combine(part(xs, 0, 2 * half, 2), part(xs, 1, 2 * half, 2));
  }
  ArrayList scanned(const ArrayList &xs, int64_t count) const {
    if (count < 2)
      return xs;
    const int64_t half = count / 2, between = (count - 1) / 2;
    const ArrayList odds = scanned(pairs(xs, half), half);
    ArrayList evens = part(xs, 0, 1);
    if (between > 0)
      evens = joined(evens, combine(part(odds, 0, between), part(xs, 2, count, 2)));
    if (count % 2 == 0)
      return alternating(evens, odds);
    return joined(alternating(part(evens, 0, half), odds), part(evens, half, half + 1));
  }
  ArrayList folded(ArrayList xs, int64_t count) const {
    while (count > 1) {
      const int64_t half = count / 2;
      ArrayList next = pairs(xs, half);
      xs = count % 2 ? joined(next, part(xs, count - 1, count)) : next;
      count = half + count % 2;
    }
    return xs;
  }
};

} // namespace

OwnedTree detail::run_associative_scan(const TreeFunction &function, TreeRef tree, int64_t axis, bool reverse,
                                       Location at) {
  const TreeCombination combine("associative_scan", function, tree, at);
  const ArrayList xs = combine.arraysIn(tree);
  Lane lane{combine, {}};
  Dim size = 0;
  for (const Array &x : xs) {
    lane.axes.push_back(combine.axisOf(x, axis));
    const Dim here = x.shape()[lane.axes.back()];
    if (!here.is_static())
      combine.fail("expected an axis whose size is known, got " + here.str());
    if (lane.axes.size() > 1 && here.raw() != size.raw())
      combine.fail("expected arrays of one size along the axis, got " + size.str() + " and " + here.str());
    size = here;
  }
  const ArrayList results = lane.scanned(reverse ? lane.flipped(xs) : xs, size.raw());
  return withArrays(OwnedTree(tree.ops->copy(tree.tree, at), tree.ops), reverse ? lane.flipped(results) : results);
}

OwnedTree detail::run_reduce(const TreeFunction &function, TreeRef tree, TreeRef init, const Ints &axes, Location at) {
  const TreeCombination combine("reduce", function, tree, at);
  const ArrayList xs = combine.someArraysIn(tree), starts = combine.arraysIn(init);
  if (starts.size() != xs.size())
    combine.fail("expected as many arrays to begin with as there are, " + std::to_string(xs.size()) + ", got " +
                 std::to_string(starts.size()));
  const Shape shape = xs[0].shape();
  std::vector<int64_t> reduced;
  {
    const DoorScope scope("reduce", at, {{"x", xs[0]}});
    reduced = normalizeAxisList(OpCode::sum, xs[0], axes, at);
  }
  // The axes in front, as one, which is combined.
  Dim count = 1;
  std::vector<int64_t> order = reduced;
  Shape rest, rows{1};
  for (int i = 0; i < shape.rank(); ++i)
    if (std::ranges::find(reduced, i) == reduced.end()) {
      order.push_back(i);
      rest.push_back(shape[i]);
    } else if (!shape[i].is_static()) {
      combine.fail("expected axes whose sizes are known, got " + Dim(shape[i]).str());
    } else {
      count *= shape[i];
    }
  for (Dim size : rest)
    rows.push_back(size);
  combine.expectOneShape(xs);
  for (size_t i = 0; i < xs.size(); ++i)
    if (starts[i].dtype() != xs[i].dtype())
      combine.fail("expected a start of dtype " + std::string(short_name(xs[i].dtype())) + ", got " +
                   std::string(short_name(starts[i].dtype())));
  const Lane lane{combine, std::vector<int>(xs.size(), 0)};
  const ArrayList begin =
      combine.ofEach(starts, [&](size_t, const Array &start) { return reshape(broadcast_to(start, rest), rows); });
  ArrayList results = begin;
  if (count.raw() > 0) {
    Shape all = rows;
    all.at(0) = count;
    const ArrayList lanes =
        combine.ofEach(xs, [&](size_t, const Array &x) { return reshape(transpose(x, order), all); });
    results = combine(begin, lane.folded(lanes, count.raw()));
  }
  results = combine.ofEach(results, [&](size_t, const Array &result) { return reshape(result, rest); });
  return withArrays(OwnedTree(tree.ops->copy(tree.tree, at), tree.ops), results);
}

Array detail::number_beside(const char *function, const Array &x, Scalar number, const Shape &shape, Location at) {
  const DoorScope scope(function, at, {{"x", x}});
  return full(shape, number, x.dtype(at), x.device(at), at);
}

//===----------------------------------------------------------------------===//
// piecewise
//===----------------------------------------------------------------------===//

Array detail::piecewise_operand(const Operand &x, const Arrays &conditions, size_t functions) {
  const DoorScope scope("piecewise", x.location(), {{"x", x}});
  if (functions != conditions.size() && functions != conditions.size() + 1)
    refuse("expected a function for each of the " + std::to_string(conditions.size()) +
               " conditions, or one more, got " + std::to_string(functions),
           x.location());
  return asarray(x);
}

Array detail::piecewise_choice(const Arrays &conditions, const Arrays &values, Location at) {
  const DoorScope scope("piecewise", at, {{"conditions", conditions}});
  std::vector<Array> holds(conditions.begin(), conditions.end()), choices(values.begin(), values.end());
  if (choices.size() > holds.size()) { // in front, since it is for where none holds
    holds.insert(holds.begin(), full({}, true, Dtype::bool_, choices[0].device(at), at));
    std::ranges::rotate(choices, choices.end() - 1);
  }
  // select takes the first one that holds.
  std::ranges::reverse(holds);
  std::ranges::reverse(choices);
  return select(holds, choices, 0, at);
}
