//===- Scatter.cpp - updates that a function of the user's combines with what is there --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every update knows its place in the flattened array. A round combines one update of each
// place that has any left, all at once; rounds follow each other until none is left. Round
// k has the updates that are the k-th of their place, so that of u updates it has at most
// u / (k + 1).
//===----------------------------------------------------------------------===//
#include "lib/base/Describe.h"
#include "lib/control/Combination.h"
#include "lib/ops/composites/Shaping.h"
#include "lib/trace/Record.h"

#include <tenon/control.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

/// Whether a derivative is taken of what is recorded here. Of what a jit keeps for later calls: inside of it.
static bool isUnderGrad() {
  const Interpreter *reverse = innermost(InterpreterKind::reverse);
  return reverse && reverse->id() > Record::innermostFunction();
}

namespace {

class Rounds {
public:
  /// Updates, each with a place (i64, one axis; -1: none).
  Rounds(const TreeCombination &combine, const Array &places, const ArrayList &updates) : combine_(combine) {
    const Location at = combine.at();
    combine.ours([&] {
      const Dim count = places.shape()[0];
      const Device device = places.device();
      const Array numbers = iota(count, Dtype::i64, device, at);
      const ArrayList byPlace = sort_keys({places, numbers}, 0, 1, false, at);
      // The first update of a place comes in round 0, the next one in round 1; what has no place comes in none.
      const Array before = partOf(concatenate({full({1}, -2, Dtype::i64, device, at), byPlace[0]}, 0, at), 0, 0, count);
      const Array first = cumulative_max(where(byPlace[0] != before, numbers, 0), 0);
      const Array round = where(byPlace[0] < 0, sizeOf(count, device, at), numbers - first);
      const ArrayList byRound = sort_keys({round, byPlace[0], byPlace[1]}, 0, 1, false, at);
      places_ = byRound[1];
      order_ = byRound[2];
      const Array counts = full({count + 1}, 0, Dtype::i64, device, at).at[round].add(1, {.mode = IndexMode::clip});
      starts_ = cumulative_sum(counts, 0) - counts;
      rounds_ = astype(sum(partOf(counts, 0, 0, count) > 0), Dtype::i64);
      return 0;
    });
    updates_ = combine.ofEach(updates, [&](size_t, const Array &update) { return take(update, order_, 0); });
  }

  /// The flat arrays xs with all updates.
  ArrayList run(ArrayList xs) const {
    const std::optional<Array> constant = constantElements(starts_.value());
    size_t known = 0; // rounds, if `constant`
    if (constant) {
      const std::vector<int64_t> starts = constant->to_vector<int64_t>();
      while (known + 1 < starts.size() && starts[known] < starts[known + 1])
        ++known;
      if (known <= mostUnrolledRounds || !innermostRecord()) {
        for (size_t k = 0; k < known; ++k)
          xs = updated(std::move(xs), [&](const Array &x) { return partOf(x, 0, starts[k], starts[k + 1]); });
        return xs;
      }
    }
    // Updates that are fewer and fewer: after the first `end` rounds a place has had as many.
    const Dim count = places_.shape()[0];
    const bool isCounted = constant || isUnderGrad();
    if (isCounted && !count.is_static())
      combine_.fail("expected as many updates as are known, since rounds that are differentiated are counted, got " +
                    count.str());
    const int64_t rounds = constant ? static_cast<int64_t>(known) : isCounted ? count.raw() : INT64_MAX;
    int64_t begin = 0;
    while (true) {
      const Dim most = floor_div(count, begin + 1, combine_.at());
      const bool isLast = most.is_static() ? most.raw() <= fewUpdates : begin >= manyRounds;
      const int64_t end = isLast ? INT64_MAX : (begin + 1) * 8 - 1;
      xs = isCounted ? counted(std::move(xs), begin, std::min(end, rounds), most)
                     : whileLeft(std::move(xs), begin, end, most);
      if (isLast || end >= rounds)
        return xs;
      begin = end;
    }
  }

private:
  /// Where a round of that many costs no less than a shorter one.
  static constexpr int64_t fewUpdates = 256;
  /// Rounds after which the updates are few, if their number is a symbol.
  static constexpr int64_t manyRounds = 511;

  /// One round: `part` takes its updates.
  template <class Part>
  ArrayList updated(ArrayList xs, Part &&part) const {
    Array places;
    const ArrayList now = combine_.ofEach(xs, [&](size_t, const Array &x) {
      places = part(places_);
      return x.at[places].get({.mode = IndexMode::clip});
    });
    const ArrayList with = combine_.ofEach(updates_, [&](size_t, const Array &update) { return part(update); });
    const ArrayList next = combine_(now, with);
    combine_.ours([&] {
      for (size_t i = 0; i < xs.size(); ++i)
        xs[i] = std::move(xs[i]).at[places].set(next[i], {.mode = IndexMode::clip});
      return 0;
    });
    return xs;
  }

  /// Round number `k`, of at most `most` updates. The last of them stands for those that it has less: what is
  /// combined twice is the same, and written twice.
  ArrayList round(ArrayList xs, const Array &k, Dim most) const {
    const Array items = combine_.ours([&] {
      const Array start = starts_.at[k].get({.mode = IndexMode::clip});
      const Array end = starts_.at[k + 1].get({.mode = IndexMode::clip});
      return minimum(start + iota(most, Dtype::i64, places_.device(), combine_.at()), end - 1);
    });
    return updated(std::move(xs), [&](const Array &x) { return x.at[items].get({.mode = IndexMode::clip}); });
  }

  ArrayList whileLeft(ArrayList xs, int64_t begin, int64_t end, Dim most) const {
    using State = std::pair<Array, ArrayList>;
    auto isLeft = [&](const State &state) {
      return combine_.ours([&] { return state.first < minimum(rounds_, end); });
    };
    auto next = [&](const State &state) {
      ArrayList xs = round(state.second, state.first, most);
      return combine_.ours([&] { return State(state.first + 1, std::move(xs)); });
    };
    const Array first = combine_.ours([&] { return full({}, begin, Dtype::i64, places_.device(), combine_.at()); });
    return while_loop(isLeft, next, State(first, std::move(xs)), {}, combine_.at()).second;
  }

  /// The same in a loop that has a derivative.
  ArrayList counted(ArrayList xs, int64_t begin, int64_t end, Dim most) const {
    auto next = [&](const Array &k, const ArrayList &xs) {
      const Array isLeft = combine_.ours([&] { return k < rounds_; });
      return cond(
          isLeft, [&](const ArrayList &xs) { return round(xs, k, most); }, [](const ArrayList &xs) { return xs; }, xs);
    };
    return begin < end ? fori_loop(begin, end, next, xs, combine_.at()) : xs;
  }

  const TreeCombination &combine_;
  /// The updates by round, where they go, and which they were.
  ArrayList updates_;
  Array places_, order_;
  /// Where each round starts, one more than there are updates; and how many rounds there are.
  Array starts_, rounds_;
};

} // namespace

/// `x`, with the updates at those places of it flattened.
static ArrayList updatesAt(const TreeCombination &combine, const ArrayList &xs, const Array &places,
                           const ArrayList &updates) {
  auto flat = [](size_t, const Array &x) { return reshape(x, {-1}); };
  const Rounds rounds(combine, combine.ours([&] { return reshape(places, {-1}); }), combine.ofEach(updates, flat));
  return combine.ofEach(rounds.run(combine.ofEach(xs, flat)),
                        [&](size_t i, const Array &x) { return reshape(x, xs[i].shape()); });
}

/// Windows as the dimension numbers of a scatter say, checked as its shape rule does.
namespace {
class Windows {
public:
  Windows(const Array &x, const Array &indices, const Array &updates, const ScatterForm &form, Location at)
      : form_(form), at_(at) {
    const Type types[] = {typeOf(x.value()), typeOf(indices.value()), typeOf(updates.value())};
    const ScatterAttrs attributes{form.update_window_dims.values(),
                                  form.inserted_window_dims.values(),
                                  form.scatter_dims_to_operand_dims.values(),
                                  form.input_batching_dims.values(),
                                  form.scatter_indices_batching_dims.values(),
                                  name(form.mode)};
    std::vector<Type> results;
    const OpInfo &info = opInfo(OpCode::scatter);
    const Words words(attributes);
    if (const std::string sentence = inferTypes({info, types, words, {}}, results); !sentence.empty())
      throwOpError(info, std::initializer_list<Value *>{x.value(), indices.value(), updates.value()}, sentence, at);
  }

  /// The place of each update in the flattened x, of the updates' shape.
  Array places(const Array &x, const Array &indices, const Shape &updates) const {
    const std::span<const int64_t> windows = form_.update_window_dims.values();
    Shape sizes;
    size_t window = 0;
    for (int axis = 0; axis < x.ndim(); ++axis)
      sizes.push_back(isLacking(axis) ? Dim(1) : updates[static_cast<int>(windows[window++])]);
    const Array all = reshape(iota(element_count(x.shape()), Dtype::i64, x.device(), at_), x.shape());
    return gather(all, indices, sizes, form_.update_window_dims, form_.inserted_window_dims,
                  form_.scatter_dims_to_operand_dims, form_.input_batching_dims, form_.scatter_indices_batching_dims,
                  form_.mode, -1);
  }
  /// Windows one after another, in the order of the indices.
  Array inOrder(const Array &updates) const {
    std::vector<int64_t> order;
    const std::span<const int64_t> windows = form_.update_window_dims.values();
    for (int64_t axis = 0; axis < updates.ndim(); ++axis)
      if (std::ranges::find(windows, axis) == windows.end())
        order.push_back(axis);
    order.insert(order.end(), windows.begin(), windows.end());
    return transpose(updates, order);
  }

private:
  /// Whether the windows have not that axis of x.
  bool isLacking(int64_t axis) const {
    auto has = [&](const Ints &axes) { return std::ranges::find(axes.values(), axis) != axes.values().end(); };
    return has(form_.inserted_window_dims) || has(form_.input_batching_dims);
  }

  const ScatterForm &form_;
  Location at_;
};
} // namespace

OwnedTree detail::run_scatter(const TreeFunction &function, TreeRef tree, const Operand &indices, TreeRef updateTree,
                              const ScatterForm &form) {
  const Location at = indices.location();
  const TreeCombination combine("scatter", function, tree, at);
  const ArrayList xs = combine.someArraysIn(tree), given = combine.arraysIn(updateTree);
  if (given.size() != xs.size())
    combine.fail("expected as many updates as there are arrays, " + std::to_string(xs.size()) + ", got " +
                 std::to_string(given.size()));
  combine.expectOneShape(xs);
  Array places;
  ArrayList updates;
  for (size_t i = 0; i < xs.size(); ++i) {
    const DoorScope scope("scatter", at, {{"x", xs[i]}, {"indices", indices}, {"updates", given[i]}});
    const Array starts = toIndices(toArray(indices, OpCode::scatter, {}, xs[i].device()), OpCode::scatter, at);
    const Array update = toUpdates(given[i], OpCode::scatter, xs[i]);
    const Windows windows(xs[i], starts, update, form, at);
    if (i == 0)
      places = windows.inOrder(windows.places(xs[i], starts, update.shape()));
    updates.push_back(windows.inOrder(update));
  }
  combine.expectOneShape(updates);
  return withArrays(OwnedTree(tree.ops->copy(tree.tree, at), tree.ops), updatesAt(combine, xs, places, updates));
}

Array detail::run_update(const TreeFunction &function, const Array &x, const Array &places, const Operand &values,
                         Location at) {
  const TreeCombination combine("index", function, tree_ref(x), at);
  const Array updates = combine.ours([&] {
    const Array given = toUpdates(values, OpCode::scatter, x);
    Shape both;
    if (const std::string error = broadcastShapes(given.shape(), places.shape(), both);
        !error.empty() || both != places.shape())
      combine.fail("expected values that broadcast to the part's shape " + places.shape().str() + ", got " +
                   describe(given.dtype(), given.shape()));
    return broadcast(given, places.shape(), at);
  });
  return updatesAt(combine, {x}, places, {updates})[0];
}
