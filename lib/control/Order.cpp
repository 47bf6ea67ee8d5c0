//===- Order.cpp - sorting by a user's comparison -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of 1, 2, 4, ... sorted elements are merged two by two. All elements of the right
// runs find at once how many of the left run beside them stand before them, by bisection;
// where they go follows from that, and the elements of left runs fill the places between,
// in their order. Whatever the comparison says, each element goes to a place of its own.
//===----------------------------------------------------------------------===//
#include "lib/control/Combination.h"
#include "lib/ops/composites/Shaping.h"

#include <tenon/control.h>

using namespace tenon;
using namespace tenon::detail;

namespace {

/// The arrays that are sorted along one axis. Places are of one integer dtype and stand along it.
class Merge {
public:
  Merge(const Precedence &isLess, const ArrayList &xs, int axis)
      : isLess_(isLess), xs_(xs), axis_(axis), shape_(xs[0].shape()), size_(shape_[axis]) {
    const bool isShort = size_.is_static() && size_.raw() <= INT32_MAX / 4; // no place is further than 2 * size
    dtype_ = isShort ? Dtype::i32 : Dtype::i64;
    isLess.ours([&] {
      places_ = numbers(size_);
      pairs_ = numbers(floor_div(size_, 2, isLess.at()));
      return 0;
    });
  }

  /// Where the elements come from, in the order that they are to have.
  Array order() const {
    using State = std::pair<Array, Array>; // the width of a run, and the order so far
    const Array end = isLess_.ours([&] { return size(); });
    const State start = isLess_.ours([&] { return State(number(1), broadcast(places_, shape_, isLess_.at())); });
    auto isLeft = [&](const State &state) { return isLess_.ours([&] { return state.first < end; }); };
    auto merged = [&](const State &state) {
      const Array next = merge(state.first, state.second);
      return isLess_.ours([&] { return State(state.first * 2, next); });
    };
    return while_loop(isLeft, merged, start, {}, isLess_.at()).second;
  }

private:
  Device device() const { return xs_[0].device(); }
  Array number(int64_t value) const { return full({}, value, dtype_, device(), isLess_.at()); }
  /// 0, 1, ... along the axis, of size 1 along the others.
  Array numbers(Dim count) const {
    Shape along(std::vector<int64_t>(static_cast<size_t>(shape_.rank()), 1));
    along.at(axis_) = count;
    return reshape(iota(count, dtype_, device(), isLess_.at()), along);
  }
  Array at(const Array &x, const Array &places) const { return alongAxis(x, places, axis_, IndexMode::clip); }

  Array merge(const Array &width, const Array &order) const {
    // The i-th element of all left runs is at left[i], the i-th of all right ones at left[i] + width.
    const Array inRun = isLess_.ours([&] { return pairs_ & (width - 1); });
    const Array left = isLess_.ours([&] { return (pairs_ - inRun) * 2 + inRun; });
    Shape pairs = shape_;
    pairs.at(axis_) = pairs_.shape()[axis_];
    const Array right = isLess_.ours([&] { return broadcast(left + width, pairs, isLess_.at()); });
    const ArrayList sorted = isLess_.ofEach(xs_, [&](size_t, const Array &x) { return at(x, order); });
    const ArrayList rights = isLess_.ofEach(sorted, [&](size_t, const Array &x) { return at(x, right); });
    const Array before = bisect(sorted, rights, isLess_.ours([&] { return left - inRun; }), width,
                                isLess_.ours([&] { return full(pairs, 0, dtype_, device(), isLess_.at()); }));
    return isLess_.ours([&] {
      // Further than the one in front of it, so that no two go to one place, whatever was compared. The last run may
      // have none beside it.
      const Array target = pairs_ + cumulative_max(pairs_ - inRun + before, axis_);
      const Array isRight = marks(where(right < size(), target, size())), rightsSoFar = cumulative_sum(isRight, axis_);
      const Array number = where(isRight > 0, rightsSoFar - 1, places_ - rightsSoFar), rest = number & (width - 1);
      return at(order, (number - rest) * 2 + rest + isRight * width);
    });
  }

  /// How many elements of the left runs, which begin at `start`, are not behind those of the right ones.
  Array bisect(const ArrayList &sorted, const ArrayList &rights, const Array &start, const Array &width,
               const Array &none) const {
    using State = std::pair<Array, Array>; // how many more are tried, and how many are known
    auto goesOn = [&](const State &state) { return isLess_.ours([&] { return state.first > 0; }); };
    auto next = [&](const State &state) {
      const Array tried = isLess_.ours([&] { return state.second + state.first; });
      const ArrayList lefts = isLess_.ofEach(sorted, [&](size_t, const Array &x) { return at(x, start + tried - 1); });
      const Array isBehind = isLess_(rights, lefts);
      return isLess_.ours(
          [&] { return State(state.first >> 1, where(tried <= width && !isBehind, tried, state.second)); });
    };
    return while_loop(goesOn, next, State(width, none), {}, isLess_.at()).second;
  }

  Array size() const { return convert(sizeOf(size_, device(), isLess_.at()), dtype_, isLess_.at()); }
  /// 1 at the places given, 0 elsewhere; those that are outside are left out.
  Array marks(const Array &places) const {
    Shape with = places.shape();
    with.push_back(1);
    std::vector<int64_t> others;
    for (int i = 0; i < shape_.rank(); ++i)
      if (i != axis_)
        others.push_back(i);
    const std::vector<int64_t> along{axis_}, none;
    return scatter(full(shape_, 0, dtype_, device(), isLess_.at()), reshape(places, with),
                   full(places.shape(), 1, dtype_, device(), isLess_.at()), none, along, along, others, others,
                   IndexMode::drop);
  }

  const Precedence &isLess_;
  const ArrayList &xs_;
  int axis_;
  Shape shape_;
  Dim size_;
  Dtype dtype_;
  Array places_, pairs_;
};

} // namespace

OwnedTree detail::run_sort(const TreeFunction &function, TreeRef tree, int64_t axis, Location at) {
  const Precedence isLess("sort", function, tree, at);
  const ArrayList xs = isLess.someArraysIn(tree);
  isLess.expectOneShape(xs);
  const int place = isLess.axisOf(xs[0], axis);
  const Array order = Merge(isLess, xs, place).order();
  const ArrayList results =
      isLess.ofEach(xs, [&](size_t, const Array &x) { return alongAxis(x, order, place, IndexMode::clip); });
  return withArrays(OwnedTree(tree.ops->copy(tree.tree, at), tree.ops), results);
}
