//===- scatter_test.cpp - scatter_with and at[].apply: updates by a function of the user --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <algorithm>
#include <gmock/gmock.h>
#include <random>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Ints = std::vector<int64_t>;
using Both = std::pair<Array, Array>;
const Ints none_;

/// Neither associative nor commutative, and of small integers exact.
Array mixed(const Array &old, const Array &update) { return (old * 3 + update) % 1009; }
int64_t mixedOf(int64_t old, int64_t update) { return ((old * 3 + update) % 1009 + 1009) % 1009; }

Array drawn(const Shape &shape, uint64_t seed, int64_t low, int64_t high) {
  std::mt19937_64 random(seed);
  Longs elements(static_cast<size_t>(element_count(shape).raw()));
  for (int64_t &element : elements)
    element = low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low));
  return Array(std::span<const int64_t>(elements), shape);
}

/// The indices of an element of an array of this shape.
Ints placeOf(int64_t number, const Shape &shape) {
  Ints place(static_cast<size_t>(shape.rank()));
  for (int i = shape.rank(); i-- > 0; number /= int64_t(shape[i]))
    place[static_cast<size_t>(i)] = number % int64_t(shape[i]);
  return place;
}

/// As StableHLO's text has it, update by update: those of the first window first.
Longs reference(const Array &x, const Array &indices, const Array &updates, const Ints &windowDims,
                const Ints &inserted, const Ints &map) {
  auto has = [](const Ints &axes, size_t axis) { return std::ranges::find(axes, int64_t(axis)) != axes.end(); };
  Longs result = longs(x);
  const Longs starts = longs(indices), values = longs(updates);
  const Shape shape = x.shape();
  struct Update {
    int64_t row = 0;
    Ints window = {};
    size_t number = 0;
  };
  std::vector<Update> all;
  for (size_t u = 0; u < values.size(); ++u) {
    Update update{.number = u};
    const Ints place = placeOf(static_cast<int64_t>(u), updates.shape());
    int batch = 0;
    for (size_t i = 0; i < place.size(); ++i)
      if (has(windowDims, i))
        update.window.push_back(place[i]);
      else
        update.row = update.row * int64_t(indices.shape()[batch++]) + place[i];
    all.push_back(std::move(update));
  }
  std::ranges::stable_sort(all, {}, &Update::row);
  for (const Update &update : all) {
    Ints target(static_cast<size_t>(shape.rank()));
    for (size_t axis = 0, w = 0; axis < target.size(); ++axis)
      if (!has(inserted, axis))
        target[axis] = update.window[w++];
    for (size_t i = 0; i < map.size(); ++i)
      target[size_t(map[i])] += starts[static_cast<size_t>(update.row) * map.size() + i];
    size_t flat = 0;
    bool isInside = true;
    for (size_t axis = 0; axis < target.size(); ++axis) {
      isInside &= target[axis] >= 0 && target[axis] < int64_t(shape[int(axis)]);
      flat = flat * size_t(int64_t(shape[int(axis)])) + size_t(target[axis]);
    }
    if (isInside)
      result[flat] = mixedOf(result[flat], values[update.number]);
  }
  return result;
}

struct Dims {
  std::string name;
  Shape x, indices, updates;
  Ints windowDims, inserted, map;
  int64_t low, high;
};
const std::vector<Dims> &dimsOfScatters() {
  static const std::vector<Dims> all = {
      {"elements", {7}, {20, 1}, {20}, {}, {0}, {0}, -2, 9},
      {"none", {7}, {0, 1}, {0}, {}, {0}, {0}, 0, 7},
      {"of_nothing", {0}, {3, 1}, {3}, {}, {0}, {0}, -1, 2},
      {"one_place", {3}, {30, 1}, {30}, {}, {0}, {0}, 1, 2},
      {"outside", {3}, {5, 1}, {5}, {}, {0}, {0}, 3, 9},
      {"rows", {5, 4}, {9, 1}, {9, 4}, {1}, {0}, {0}, -1, 6},
      {"columns", {5, 4}, {9, 1}, {5, 9}, {0}, {1}, {1}, -1, 5},
      {"windows_first", {8}, {6, 1}, {3, 6}, {0}, {}, {0}, -1, 8},
      {"windows_last", {8}, {6, 1}, {6, 3}, {1}, {}, {0}, -1, 8},
      {"windows_of_two_axes", {6, 5}, {4, 2}, {2, 4, 2}, {0, 2}, {}, {1, 0}, -1, 5},
      {"a_grid_of_indices", {6, 5}, {3, 4, 2}, {3, 4}, {}, {0, 1}, {0, 1}, 0, 5},
      {"one_update", {4, 3}, {1}, {3}, {0}, {0}, {0}, 2, 3},
  };
  return all;
}

TEST(ScatterWith, AppliesUpdatesInTheOrderOfTheIndices) {
  for (const Dims &d : dimsOfScatters())
    for (uint64_t seed = 0; seed < 5; ++seed) {
      const Array x = drawn(d.x, seed, 0, 50), indices = drawn(d.indices, seed + 10, d.low, d.high),
                  updates = drawn(d.updates, seed + 20, 0, 50);
      const Longs expected = reference(x, indices, updates, d.windowDims, d.inserted, d.map);
      auto f = [&](const Array &x, const Array &indices, const Array &updates) {
        return scatter(x, indices, updates, mixed, d.windowDims, d.inserted, d.map);
      };
      EXPECT_EQ(longs(f(x, indices, updates)), expected) << d.name;
      if (seed > 0)
        continue;
      EXPECT_EQ(longs(jit(f)(x, indices, updates)), expected) << d.name;
      EXPECT_EQ(longs(jit(f, {.compile = Compile::never})(x, indices, updates)), expected) << d.name;
      EXPECT_EQ(longs(jit([&](const Array &x) { return f(x, indices, updates); })(x)), expected) << d.name;
      {
        const EagerScope plain;
        EXPECT_EQ(longs(f(x, indices, updates)), expected) << d.name;
      }
      const Array kept = updates * 2; // and the arguments are as they were
      EXPECT_EQ(longs(kept), longs(updates * 2));
    }
}

TEST(ScatterWith, IsWhatTheScattersWithoutAFunctionAre) {
  const Array x = drawn({6, 3}, 1, -20, 20), rows = drawn({15, 1}, 2, -2, 8), updates = drawn({15, 3}, 3, -20, 20);
  for (IndexMode mode : {IndexMode::drop, IndexMode::clip}) {
    auto with = [&](auto &&f) { return longs(scatter(x, rows, updates, f, 1, 0, 0, none_, none_, mode)); };
    EXPECT_EQ(with(add), longs(scatter_add(x, rows, updates, 1, 0, 0, none_, none_, mode))) << name(mode);
    EXPECT_EQ(with(maximum), longs(scatter_max(x, rows, updates, 1, 0, 0, none_, none_, mode))) << name(mode);
    EXPECT_EQ(with([](const Array &, const Array &update) { return update; }),
              longs(scatter(x, rows, updates, 1, 0, 0, none_, none_, mode)))
        << name(mode);
  }
  const Array inside = drawn({15, 1}, 4, -6, 6);
  EXPECT_EQ(longs(scatter(x, inside, updates, multiply, 1, 0, 0, none_, none_, IndexMode::error)),
            longs(scatter_mul(x, inside, updates, 1, 0, 0, none_, none_, IndexMode::error)));
  // Each row of x has indices of its own.
  const Array batch = drawn({4, 5}, 5, 0, 9), places = drawn({4, 8, 1}, 6, -1, 6), values = drawn({4, 8}, 7, 0, 9);
  const Array together = scatter(batch, places, values, mixed, none_, 1, 1, 0, 0);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(longs(together[i]), longs(scatter(batch[i], places[i], values[i], mixed, none_, 0, 0))) << i;
}

TEST(ScatterWith, ManyUpdatesOfOnePlace) {
  // More than a loop of one length is for, in a few places and in one.
  for (int64_t places : {1, 3, 700}) {
    const Array x = drawn({700}, 1, 0, 50), indices = drawn({3000, 1}, 2, 0, places), updates = drawn({3000}, 3, 0, 50);
    const Longs expected = reference(x, indices, updates, {}, {0}, {0});
    auto f = [](const Array &x, const Array &indices, const Array &updates) {
      return scatter(x, indices, updates, mixed, none_, 0, 0);
    };
    EXPECT_EQ(longs(f(x, indices, updates)), expected) << places;
    EXPECT_EQ(longs(jit(f)(x, indices, updates)), expected) << places;
    auto ofSymbols = jit(f, {.specs = {TensorSpec{i64, {"n"}}, TensorSpec{i64, {"u", 1}}, TensorSpec{i64, {"u"}}}});
    EXPECT_EQ(longs(ofSymbols(x, indices, updates)), expected) << places;
    for (int64_t few : {2, 7})
      EXPECT_EQ(longs(ofSymbols(x, indices[slice(few)], updates[slice(few)])),
                reference(x, indices[slice(few)], updates[slice(few)], {}, {0}, {0}));
  }
}

TEST(ScatterWith, TreesAndDtypes) {
  // The best value of each place and which update it was.
  auto better = [](const Both &now, const Both &next) {
    const Array isBetter = next.first > now.first;
    return Both(where(isBetter, next.first, now.first), where(isBetter, next.second, now.second));
  };
  const Both best = scatter(Both(full({3}, -INFINITY, f32), full({3}, -1, i32)), Array{{0}, {2}, {0}, {2}, {0}},
                            Both(Array{1.f, 5.f, 3.f, 5.f, 2.f}, Array{0, 1, 2, 3, 4}), better, none_, 0, 0);
  EXPECT_EQ(best.first.to_vector<float>(), (std::vector<float>{3, -INFINITY, 5}));
  EXPECT_EQ(longs(best.second), (Longs{2, -1, 1}));
  // Updates of a dtype that x holds; indices of any integers.
  const Array x = {1.f, 2.f};
  EXPECT_EQ(scatter(x, Array{{1}, {1}}.astype(u8), {3, 4}, add, none_, 0, 0).to_vector<float>(),
            (std::vector<float>{1, 9}));
  for (Dtype dtype : {i8, u16, f16, bf16, f64}) {
    const Array sums = scatter(zeros({4}, dtype), Array{{1}, {1}, {3}}, ones({3}, dtype), add, none_, 0, 0);
    EXPECT_EQ(longs(sums), (Longs{0, 2, 0, 1}));
    EXPECT_EQ(sums.dtype(), dtype);
  }
  const Array flags = scatter(Array{true, false}, Array{{1}, {0}, {0}}, {true, false, true}, logical_xor, none_, 0, 0);
  EXPECT_EQ(longs(flags), (Longs{0, 1}));
}

TEST(ScatterWith, OfPartsOfArrays) {
  const Array x = drawn({4, 5}, 1, 0, 50), rows = {2, 0, 2, 2, -1}, values = drawn({5, 5}, 2, 0, 50);
  const Longs expected = reference(x, reshape(where(rows < 0, rows + 4, rows), {5, 1}), values, {1}, {0}, {0});
  EXPECT_EQ(longs(x.at[{rows}].apply(mixed, values)), expected);
  auto f = [](const Array &x, const Array &rows, const Array &values) { return x.at[{rows}].apply(mixed, values); };
  EXPECT_EQ(longs(jit(f)(x, rows, values)), expected);
  EXPECT_EQ(longs(x.at[{0, slice(1, 3)}].apply(mixed, 7)),
            longs(x.at[{0, slice(1, 3)}].set(mixed(x[{0, slice(1, 3)}], 7))));
  const IndexMode modes[] = {IndexMode::clip, IndexMode::wrap, IndexMode::drop};
  const Array far = {7, 1, -9, 7};
  for (IndexMode mode : modes) // adding is what add does
    EXPECT_EQ(longs(x.at[{_, far}].apply(add, 3, {.mode = mode})), longs(x.at[{_, far}].add(3, {.mode = mode})));
  EXPECT_THAT(errorOf([&] { (void)x.at[{far}].apply(add, 3); }), HasSubstr("index 7 is out of range for axis 0"));
  EXPECT_EQ(longs(x.at[x > 20].apply(subtract, 20)), longs(where(x > 20, x - 20, x)));
  EXPECT_THAT(errorOf([&] { (void)x.at[{rows}].apply(add, ones({3}, i64)); }),
              HasSubstr("index: expected values that broadcast to the part's shape (5, 5), got i64[3]\n"));
  EXPECT_THAT(errorOf([&] { (void)x.at[{rows}].apply(add, ones({2, 5, 5}, i64)); }),
              HasSubstr("index: expected values that broadcast to the part's shape (5, 5), got i64[2, 5, 5]\n"));
  EXPECT_THAT(errorOf([&] { (void)x.at[{rows}].apply(add, 0.5); }), HasSubstr("i64"));
  EXPECT_THAT(errorOf([&] { (void)x.at[0].apply([](const Array &a, const Array &) { return a > 0; }, 1); }),
              HasSubstr("index: expected the function to return i64[5], as its arguments, got bool[5]"));
}

TEST(ScatterWith, Batched) {
  const Array x = drawn({3, 6}, 1, 0, 50), places = drawn({3, 40, 1}, 2, 0, 3), values = drawn({3, 40}, 3, 0, 50);
  // The examples need different numbers of rounds.
  const Array apart = concatenate({zeros({1, 40, 1}, i64), places[slice(1, 3)]}, 0);
  auto f = [](const Array &x, const Array &places, const Array &values) {
    return scatter(x, places, values, mixed, none_, 0, 0);
  };
  for (const Array &indices : {places, apart}) {
    const Array batched = vmap(f)(x, indices, values), compiled = jit(vmap(f))(x, indices, values);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(longs(batched[i]), longs(f(x[i], indices[i], values[i]))) << i;
      EXPECT_EQ(longs(compiled[i]), longs(batched[i])) << i;
    }
  }
  const Array one = vmap(f, {.in_axes = {0, none, none}})(x, places[0], values[0]);
  EXPECT_EQ(longs(one[2]), longs(f(x[2], places[0], values[0])));
}

TEST(ScatterWith, Derivatives) {
  auto decayed = [](const Array &old, const Array &update) {
    return tanh(old * 0.9) * update + 1 / (update + old * old);
  };
  const Array x = numbers({4, 2}, 0.5, 2, 1), updates = numbers({9, 2}, 0.5, 2, 2);
  const Array rows = {{1}, {3}, {1}, {1}, {0}, {7}, {3}, {1}, {-1}}, weights = numbers({4, 2}, -1, 1, 3);
  auto f = [&](const List &v) { return scatter(v[0], rows, v[1], decayed, 1, 0, 0); };
  const List expected = differences(f, {x, updates}, weights);
  auto loss = [&](const Array &x, const Array &updates) { return sum(f({x, updates}) * weights); };
  auto expectSlopes = [&](const Array &ofX, const Array &ofUpdates, const char *what) {
    expectNear(ofX, expected[0], 1e-6, what);
    expectNear(ofUpdates, expected[1], 1e-6, what);
  };
  auto slopes = grad<0, 1>(loss);
  const auto [ofX, ofUpdates] = slopes(x, updates);
  expectSlopes(ofX, ofUpdates, "eager");
  const auto [compiledX, compiledUpdates] = jit(slopes)(x, updates);
  expectSlopes(compiledX, compiledUpdates, "compiled");
  // The indices an argument too: what is differentiated inside of jit is counted.
  auto ofRows = [&](const Array &x, const Array &rows, const Array &updates) {
    return grad<0, 1>([&](const Array &x, const Array &updates) {
      return sum(scatter(x, rows, updates, decayed, 1, 0, 0) * weights);
    })(x, updates);
  };
  const auto [tracedX, tracedUpdates] = jit(ofRows)(x, rows, updates);
  expectSlopes(tracedX, tracedUpdates, "indices that are not known");
  // In the body of a loop, whose indices are not known either.
  auto inLoop = [&](const Array &x, const Array &updates) {
    return sum(scan(
                   [&](const Array &carry, const Array &row) {
                     return std::pair(scatter(carry, reshape(row, {1, 1}), updates[slice(1)], decayed, 1, 0, 0), none);
                   },
                   x, rows[{_, 0}])
                   .first *
               weights);
  };
  auto unrolled = [&](const Array &x, const Array &updates) {
    Array y = x;
    for (int i = 0; i < 9; ++i)
      y = scatter(y, rows[slice(i, i + 1)], updates[slice(1)], decayed, 1, 0, 0);
    return sum(y * weights);
  };
  const auto [loopX, loopUpdates] = grad<0, 1>(inLoop)(x, updates);
  const auto [plainX, plainUpdates] = grad<0, 1>(unrolled)(x, updates);
  expectNear(loopX, plainX, 1e-12, "in a loop");
  expectNear(loopUpdates, plainUpdates, 1e-12, "in a loop");
  auto afterJit = [&](const Array &x) { return inLoop(jit([](const Array &x) { return x * 1.0; })(x), updates); };
  expectNear(grad(afterJit)(x), plainX, 1e-12, "after a jit");
  // Many, of which the loops of later rounds take parts that are shorter and shorter.
  const Array far = reshape(drawn({2000}, 4, 0, 3), {2000, 1}), many = numbers({2000, 2}, 0.5, 2, 5);
  const auto [knownX, knownMany] = ofRows(x, far, many);
  const auto [countedX, countedMany] = jit(ofRows)(x, far, many);
  expectNear(countedX, knownX, 1e-12, "many");
  expectNear(countedMany, knownMany, 1e-12, "many");
  const Array both = stack({x, x + 1}), two = stack({updates, updates});
  EXPECT_TRUE(bool(allclose(vmap(grad(loss))(both, two)[1], grad(loss)(x + 1, updates), 1e-12)));
  EXPECT_TRUE(bool(allclose(grad([&](const Array &x) { return sum(x.at[{Array{1, 1}}].apply(multiply, 3.0)); })(x),
                            where(reshape(arange(0, 4, 1, i32) == 1, {4, 1}), 9, ones_like(x)))));
}

/// x with 0.9 * sin(x) where `rows` says, once for each time, and the slopes of the sum of the elements.
std::pair<std::vector<double>, std::vector<double>> appliedSines(std::vector<double> x, const Longs &rows) {
  std::vector<double> slopes(x.size(), 1);
  for (int64_t row : rows)
    if (const auto i = static_cast<size_t>(row < 0 ? row + int64_t(x.size()) : row); i < x.size()) {
      slopes[i] *= 0.9 * std::cos(x[i]);
      x[i] = 0.9 * std::sin(x[i]);
    }
  return {x, slopes};
}

/// Indices that name an element once, up to four times (unrolled), more often (a loop), and loops within loops.
TEST(Apply, RunsTheFunctionAsOftenAsAnElementIsNamed) {
  const std::vector<double> start = {0.5, 1.5, 2.5, 0.25, 1.25};
  const Array x(std::span<const double>(start), {5});
  auto sine = [](const Array &part) { return sin(part) * 0.9; };
  auto apply = [&](const Array &x, const Array &rows) { return x.at[rows].apply(sine, {.mode = IndexMode::drop}); };
  auto loss = [&](const Array &x, const Array &rows) { return sum(apply(x, rows)); };
  std::vector<Longs> all = {{3, 0, 1}, {2, -1, 2, 0, 9}, {1, 1, 1, 1, 1, 0, 0}, Longs(11, 3), Longs(100, 4)};
  all[4][17] = all[4][30] = 2;
  for (const Longs &rows : all) {
    SCOPED_TRACE(testing::PrintToString(rows));
    const Array places(std::span<const int64_t>(rows), {int64_t(rows.size())});
    const auto [values, slopes] = appliedSines(start, rows);
    const Array value(std::span<const double>(values), {5}), slope(std::span<const double>(slopes), {5});
    expectNear(apply(x, places), value, 1e-14, "eager");
    expectNear(grad(loss)(x, places), slope, 1e-13, "eager slope");
    for (Compile way : {Compile::now, Compile::never}) {
      auto constant = jit([&](const Array &x) { return loss(x, places); }, {.compile = way});
      auto input = jit(loss, {.compile = way});
      expectNear(jit(apply, {.compile = way})(x, places), value, 1e-14, "jit");
      expectNear(jit([&](const Array &x) { return apply(x, places); }, {.compile = way})(x), value, 1e-14, "constant");
      expectNear(grad(constant)(x), slope, 1e-13, "grad of jit, constant indices");
      expectNear(grad(input)(x, places), slope, 1e-13, "grad of jit");
      expectNear(jit(grad(loss), {.compile = way})(x, places), slope, 1e-13, "jit of grad");
      expectNear(jvp([&](const Array &x) { return input(x, places); }, x, ones_like(x)).second, sum(slope), 1e-13,
                 "jvp of jit");
    }
    const auto [otherValues, otherSlopes] = appliedSines(start, {0, 1, 1});
    if (rows.size() == 3) { // examples that need different numbers of rounds
      const Array two = stack({places, Array{0, 1, 1}}), both = stack({x, x});
      const Array other(std::span<const double>(otherSlopes), {5});
      for (const Array &rows : {vmap(grad(loss))(both, two), jit(vmap(grad(loss)))(both, two)}) {
        expectNear(rows[0], slope, 1e-13, "vmap");
        expectNear(rows[1], other, 1e-13, "vmap");
      }
    }
  }
}

TEST(Apply, CountsIndicesThatAVariableHoldsAtEachCall) {
  Variable rows({0, 1, 2}, "rows", false);
  auto doubled =
      jit([&](const Array &x) { return x.at[rows.value()].apply([](const Array &part) { return part * 2; }); });
  const Array x = {1, 1, 1};
  EXPECT_EQ(longs(doubled(x)), (Longs{2, 2, 2}));
  rows.assign(Array{1, 1, 1});
  EXPECT_EQ(longs(doubled(x)), (Longs{1, 8, 1}));
}

TEST(Apply, CountsSymbolicIndicesAndSlices) {
  auto squared = [](const Array &part) { return part * part; };
  auto loss = jit([&](const Array &x, const Array &rows) { return sum(x.at[{rows, slice(1, 3)}].apply(squared)); },
                  {.specs = {as_called, TensorSpec{i64, {"n"}}}});
  const Array x = reshape(arange(1, 13, 1, f64) / 8, {3, 4});
  for (const Longs &rows : {Longs{0, 2, 2}, Longs{1, 1, 1, 1, 1, 2}}) {
    const Array places(std::span<const int64_t>(rows), {int64_t(rows.size())});
    auto eager = [&](const Array &x) { return sum(x.at[{places, slice(1, 3)}].apply(squared)); };
    expectNear(loss(x, places), eager(x), 1e-14, "value");
    expectNear(grad(loss)(x, places), grad(eager)(x), 1e-14, "slope");
  }
}

/// log has no derivative at 0, where an element has come to that is named less often than others.
TEST(Apply, DoesNotDifferentiateWhereAnElementIsDone) {
  auto loss = [](const Array &x, const Array &rows) {
    return sum(x.at[rows].apply([](const Array &part) { return log(part); }));
  };
  const std::vector<double> start = {1, std::exp(2.0)};
  const Array x(std::span<const double>(start), {2}), rows = {0, 1, 1};
  for (const Array &slope : {grad(loss)(x, rows), jit(grad(loss))(x, rows), grad(jit(loss))(x, rows)}) {
    EXPECT_DOUBLE_EQ(slope[0].item<double>(), 1);
    EXPECT_DOUBLE_EQ(slope[1].item<double>(), std::exp(-2.0) / 2);
  }
}

TEST(ScatterWith, HasADerivativeInAJitWithConstantIndices) {
  auto f = [](const Array &old, const Array &update) { return old * update + 0.1; };
  const Array x = numbers({4}, 0.5, 2, 1);
  for (const Longs &rows : {Longs{1, 3, 1, 0}, Longs{2, 2, 2, 2, 2, 2, 0}, Longs(300, 1)}) {
    const Array places(std::span<const int64_t>(rows), {int64_t(rows.size())});
    const Array updates = numbers({int64_t(rows.size())}, 0.5, 1.2, 2);
    auto loss = [&](const Array &x, const Array &updates) { return sum(x.at[places].apply(f, updates)); };
    const auto [ofX, ofUpdates] = grad<0, 1>(loss)(x, updates);
    for (Compile way : {Compile::now, Compile::never}) {
      const auto kept = jit(loss, {.compile = way});
      expectNear(kept(x, updates), loss(x, updates), 1e-13, "value");
      const auto [x1, updates1] = grad<0, 1>(kept)(x, updates);
      expectNear(x1, ofX, 1e-12, "grad of jit");
      expectNear(updates1, ofUpdates, 1e-12, "grad of jit");
      const auto [x2, updates2] = jit(grad<0, 1>(loss), {.compile = way})(x, updates);
      expectNear(x2, ofX, 1e-12, "jit of grad");
      expectNear(updates2, ofUpdates, 1e-12, "jit of grad");
    }
  }
}

TEST(ScatterWith, SaysWhatIsWrong) {
  const Array x = ones({5, 4}), rows = {{0}, {1}, {0}}, updates = ones({3, 4});
  EXPECT_THAT(errorOf([&] { (void)scatter(x, rows, ones({2, 4}), add, 1, 0, 0); }),
              HasSubstr("scatter: expected updates with the axes of the indices but the last, and 1 of windows, got "
                        "f32[2, 4] for indices i32[3, 1]\n  x: f32[5, 4]\n  indices: i32[3, 1]\n  updates: f32[2, 4]\n"
                        "  at " __FILE__));
  EXPECT_THAT(errorOf([&] { (void)scatter(x, rows, updates, add, 1, 0, 5); }), HasSubstr("scatter: "));
  EXPECT_THAT(errorOf([&] { (void)scatter(x, rows * 0.5f, updates, add, 1, 0, 0); }),
              HasSubstr("scatter: expected integers as indices, got f32[3, 1]"));
  EXPECT_THAT(errorOf([&] { (void)scatter(astype(x, i32), rows, updates, add, 1, 0, 0); }),
              HasSubstr("scatter: expected updates that i32 holds, got f32[3, 4]; convert them with astype"));
  EXPECT_THAT(errorOf([&] { (void)scatter(x, rows, updates, add, 1, 0, 0, none_, none_, IndexMode::wrap); }),
              HasSubstr("scatter: "));
  EXPECT_THAT(errorOf([&] { (void)scatter(x, rows + 4, updates, add, 1, 0, 0, none_, none_, IndexMode::error); }),
              HasSubstr("index 5 is out of range for axis 0 of size 5\n  at " __FILE__));
  EXPECT_THAT(errorOf([&] { (void)scatter(Array(), rows, updates, add, 1, 0, 0); }),
              HasSubstr("scatter: expected arrays, got an empty Array"));
  EXPECT_THAT(errorOf([&] { (void)scatter(x, rows, Array(), add, 1, 0, 0); }),
              HasSubstr("scatter: expected arrays, got an empty Array"));
  auto keeps = [](const List &a, const List &) { return a; };
  EXPECT_THAT(errorOf([&] { (void)scatter(List(), rows, List(), keeps, 1, 0, 0); }),
              HasSubstr("scatter: expected an array at least, got none"));
  EXPECT_THAT(errorOf([&] { (void)scatter(List{x}, rows, List{updates, updates}, keeps, 1, 0, 0); }),
              HasSubstr("scatter: expected as many updates as there are arrays, 1, got 2"));
  EXPECT_THAT(errorOf([&] { (void)scatter(List{x, ones({4, 4})}, rows, List{updates, updates}, keeps, 1, 0, 0); }),
              HasSubstr("scatter: expected arrays of one shape, got (5, 4) and (4, 4)"));
  EXPECT_THAT(
      errorOf([&] { (void)scatter(x, rows, updates, [](const Array &a, const Array &b) { return a > b; }, 1, 0, 0); }),
      HasSubstr("scatter: expected the function to return f32[8], as its arguments, got bool[8]\n  at " __FILE__));
  EXPECT_THAT(errorOf([&] {
                jit([&](const Array &x, const Array &rows) {
                  return scatter(x, rows, updates, [](const Array &a, const Array &) { return sum(a); }, 1, 0, 0);
                })(x, rows);
              }),
              HasSubstr("scatter: expected the function to return f32[12], as its arguments, got f32[]"));
  // Whatever it was that traced it first.
  for (bool isFirst : {true, false}) {
    auto kept = jit([&](const Array &x, const Array &rows) { return scatter(x, rows, updates, add, 1, 0, 0); });
    if (!isFirst)
      kept(x, rows);
    EXPECT_THAT(errorOf([&] { grad([&](const Array &x) { return sum(kept(x, rows)); })(x); }),
                HasSubstr("while_loop has no reverse-mode derivative"));
  }
  auto ofSymbols = jit(
      [&](const Array &x, const Array &rows, const Array &updates) {
        return grad([&](const Array &x) { return sum(scatter(x, rows, updates, add, 1, 0, 0)); })(x);
      },
      {.specs = {TensorSpec{f32, {5, 4}}, TensorSpec{i32, {"u", 1}}, TensorSpec{f32, {"u", 4}}}});
  EXPECT_THAT(errorOf([&] { ofSymbols(x, rows, updates); }),
              HasSubstr("scatter: expected as many updates as are known"));
}

} // namespace
