//===- edits_test.cpp - insert, delete and the like, sets, polynomials, windows --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/NumPyGoldens.h"
#include "test/unit/Values.h"

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// What NumPy says
//===----------------------------------------------------------------------===//

List both(const TriangleIndices &places) { return {places.rows, places.columns}; }

constexpr IndexMode modes[] = {IndexMode::error, IndexMode::clip, IndexMode::wrap};

const Functions &functions() {
  using C = const Call &;
  using enum Kinds;
  static const Functions all = {
      {"append", {moved, [](C c) -> List { return {append(c.x[0], c.x[1], c.axis(0))}; }}},
      {"insert", {moved, [](C c) -> List { return {insert(c.x[0], c[0], c.x[1], c.axis(1))}; }}},
      {"delete_", {moved, [](C c) -> List { return {delete_(c.x[0], c[0], c.axis(1))}; }}},
      {"resize", {moved, [](C c) -> List { return {resize(c.x[0], c[0])}; }}},
      {"fill_diagonal", {moved, [](C c) -> List { return {fill_diagonal(c.x[0], c.x[1], c.one(0) != 0)}; }}},
      {"put", {moved, [](C c) -> List { return {put(c.x[0], c[0], c.x[1], modes[c.one(1)])}; }}},
      {"place", {moved, [](C c) -> List { return {place(c.x[0], reshape(c[0], c.x[0].shape()), c.x[1])}; }}},
      {"extract", {moved, [](C c) -> List { return {extract(reshape(c[0], c.x[0].shape()), c.x[0], c.one(1))}; }}},
      {"rollaxis", {moved, [](C c) -> List { return {rollaxis(c.x[0], c.one(0), c.one(1))}; }}},
      {"fliplr", {moved, [](C c) -> List { return {fliplr(c.x[0])}; }}},
      {"flipud", {moved, [](C c) -> List { return {flipud(c.x[0])}; }}},
      {"dstack", {moved, [](C c) -> List { return {dstack(c.x)}; }}},
      {"column_stack", {moved, [](C c) -> List { return {column_stack(c.x)}; }}},
      {"array_split", {moved, [](C c) -> List { return array_split(c.x[0], c.one(0), c.one(1)); }}},
      {"hsplit", {moved, [](C c) -> List { return hsplit(c.x[0], c.one(0)); }}},
      {"vsplit", {moved, [](C c) -> List { return vsplit(c.x[0], c.one(0)); }}},
      {"dsplit", {moved, [](C c) -> List { return dsplit(c.x[0], c.one(0)); }}},
      {"diagflat", {moved, [](C c) -> List { return {diagflat(c.x[0], c.one(0))}; }}},
      {"tri", {moved, [](C c) -> List { return {tri(c.one(0), c.one(1), c.one(2), c.dtype)}; }}},
      {"tril_indices", {index, [](C c) { return both(tril_indices(c.one(0), c.one(1), c.one(2))); }}},
      {"triu_indices", {index, [](C c) { return both(triu_indices(c.one(0), c.one(1), c.one(2))); }}},
      {"ix_", {computed, [](C c) -> List { return ix_(c.x); }}},
      {"top_k", {ordered, [](C c) -> List { return {top_k(c.x[0], c.one(0), c.one(1)).values}; }}},
      {"union1d", {ordered, [](C c) -> List { return {union1d(c.x[0] % 7, c.x[1] % 7, c.one(0))}; }}},
      {"intersect1d", {ordered, [](C c) -> List { return {intersect1d(c.x[0] % 7, c.x[1] % 7, c.one(0))}; }}},
      {"setdiff1d", {ordered, [](C c) -> List { return {setdiff1d(c.x[0] % 7, c.x[1] % 7, c.one(0))}; }}},
      {"setxor1d", {ordered, [](C c) -> List { return {setxor1d(c.x[0] % 7, c.x[1] % 7, c.one(0))}; }}},
      {"ediff1d", {computed, [](C c) -> List { return {ediff1d(c.x[0])}; }}},
      {"polyadd", {computed, [](C c) -> List { return {polyadd(c.x[0], c.x[1])}; }}},
      {"polysub", {computed, [](C c) -> List { return {polysub(c.x[0], c.x[1])}; }}},
      {"polymul", {ordered, [](C c) -> List { return {polymul(c.x[0], c.x[1])}; }}},
      {"polyder", {computed, [](C c) -> List { return {polyder(c.x[0], c.one(0))}; }}},
      {"vander", {summed, [](C c) -> List { return {vander(c.x[0], c.one(0), c.one(1) != 0)}; }}},
  };
  return all;
}

const Goldens &goldens() {
  static const Goldens all("edits_goldens.py", functions());
  return all;
}

TEST(Edits, IsNumPys) { goldens().expectEager(5); }
TEST(Edits, CompiledItIsTheSame) { goldens().expectCompiled(); }

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

TEST(Order, TheLargestOnesOfEqualOnesTheFirst) {
  const Array x = {{1.f, NAN, 3.f, 3.f}, {-0.f, 7.f, 7.f, 0.f}};
  const TopK found = top_k(x, 3);
  EXPECT_EQ(found.indices.dtype(), i32);
  EXPECT_EQ(longs(found.indices), (Longs{1, 2, 3, 1, 2, 0}));
  EXPECT_TRUE(bool(array_equal(found.values, take_along_axis(x, found.indices), true)));
  EXPECT_EQ(longs(top_k(x, 1, 0).indices), (Longs{0, 0, 1, 0}));
  EXPECT_EQ(top_k(x, 0).values.shape(), (Shape{2, 0}));
  EXPECT_EQ(longs(top_k(Array{true, false, true}, 2).indices), (Longs{0, 2}));
  EXPECT_EQ(longs(vmap([](const Array &row) { return top_k(row, 2).indices; })(x)), (Longs{1, 2, 1, 2}));
  EXPECT_EQ(
      floats(grad([](const Array &x) { return sum(top_k(x, 2).values * Array{1.f, 10.f}); })(Array{1.f, 5.f, 3.f})),
      (Floats{0, 1, 10}));
}

TEST(Order, UnderASymbolOfElements) {
  auto best = jit([](const Array &x) { return top_k(x, 2).values; }, {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(floats(best(Array{1.f, 5.f, 3.f})), (Floats{5, 3}));
  EXPECT_EQ(floats(best(Array{1.f, 5.f, 3.f, 9.f})), (Floats{9, 5}));
}

TEST(Order, PartitionsAreSorted) {
  const Array x = {3.f, NAN, 1.f, 2.f};
  EXPECT_EQ(longs(argpartition(x, 1)), (Longs{2, 3, 0, 1}));
  EXPECT_EQ(floats(partition(x, -2))[2], 3.f);
  EXPECT_THAT(errorOf([&] { (void)partition(x, -5); }),
              HasSubstr("partition: expected a kth within axis 0 of size 4, got -5\n  x: f32[4]"));
  // Of a symbol that is asked when the program runs.
  for (auto *function : {partition, argpartition})
    for (const auto &[kth, sentence] : {std::pair{2, "are outside axis 0 of size 2"},
                                        {-3, "expected bounds with start <= stop, got 0:-1:1 for axis 0"}}) {
      auto placed = jit([function, kth = kth](const Array &all) { return function(all, kth, -1); },
                        {.specs = {TensorSpec{f32, {"n"}}}, .compile = Compile::never});
      EXPECT_TRUE(bool(array_equal(placed(x), function(x, kth, -1), true))) << kth;
      EXPECT_THAT(errorOf([&] { placed(Array{2.0f, 1.0f}); }), HasSubstr(sentence));
      EXPECT_EQ(placed.stats().traces, 1u);
    }
}

TEST(Order, NanDoesNotCount) {
  const Array x = {{NAN, -INFINITY, 4.f}, {NAN, NAN, NAN}, {1.f, 2.f, NAN}};
  // NumPy's nanargmin and nanargmax take the NaN in front for the infinity that stands for it.
  EXPECT_EQ(longs(nanargmin(x, 1)), (Longs{1, -1, 0}));
  EXPECT_EQ(longs(nanargmax(x, 1, true)), (Longs{2, -1, 1}));
  EXPECT_EQ(longs(nanargmax(Array{NAN, -INFINITY})), (Longs{1}));
  EXPECT_EQ(longs(nanargmin(Array{3, 1, 2})), (Longs{1}));
  EXPECT_EQ(floats(nancumsum(Array{{1.f, NAN}, {2.f, 3.f}})), (Floats{1, 1, 3, 6}));
  EXPECT_EQ(floats(nancumprod(Array{{2.f, NAN}, {NAN, 3.f}}, 1)), (Floats{2, 2, 1, 3}));
  const Array middle = nanmedian(x, 1);
  EXPECT_EQ(middle[2].item<float>(), 1.5f);
  EXPECT_TRUE(std::isnan(middle[1].item<float>()));
  EXPECT_EQ(floats(nanpercentile(Array{5.f, NAN, 1.f, 3.f}, Array{0.f, 25.f, 100.f})), (Floats{1, 2, 5}));
  // Nothing of a row without numbers reaches a derivative.
  EXPECT_EQ(floats(grad([](const Array &x) { return nansum(nanquantile(x, 0.25, 1)); })(x)),
            (Floats{0, 0.75f, 0.25f, 0, 0, 0, 0.75f, 0.25f, 0}));
  const Array some = {{NAN, NAN}, {1.f, 3.f}};
  EXPECT_EQ(grad([&](const Array &q) { return nansum(nanquantile(some, q, 1)); })(Array(0.25f)).item<float>(), 2.f);
  EXPECT_EQ(nanquantile(zeros({0, 2}), 0.5, 0).shape(), (Shape{2}));
}

TEST(Order, Sets) {
  const Array a = {3.f, 1.f, NAN, 1.f, -0.f}, b = {{NAN, 1.f}, {0.f, 9.f}};
  EXPECT_EQ(floats(intersect1d(a, b)), (Floats{0, 1}));
  EXPECT_EQ(union1d(a, b).shape(), (Shape{6})); // each NaN is a value of its own
  EXPECT_EQ(setdiff1d(a, b).shape(), (Shape{2}));
  EXPECT_EQ(setxor1d(a, b).shape(), (Shape{4}));
  EXPECT_EQ(union1d(zeros({0}), zeros({0})).shape(), (Shape{0}));
  EXPECT_EQ(longs(union1d(Array{2, 1}, 2)), (Longs{1, 2}));
  // What is filled in: the value given, the first one, or 0.
  EXPECT_EQ(longs(intersect1d(Array{2, 1}, Array{1, 2}, 4, -1)), (Longs{1, 2, -1, -1}));
  EXPECT_EQ(longs(intersect1d(Array{2, 1}, Array{2, 5}, 3)), (Longs{2, 2, 2}));
  EXPECT_EQ(longs(intersect1d(Array{2, 1}, Array{4, 5}, 2)), (Longs{0, 0}));
  EXPECT_EQ(longs(setxor1d(Array{2, 1}, Array{4, 5}, 2)), (Longs{1, 2}));
  EXPECT_EQ(longs(vmap([](const Array &x) { return union1d(x, Array{1, 2}, 3); })(Array{{1, 7}, {0, 2}})),
            (Longs{1, 2, 7, 0, 1, 2}));
  EXPECT_THAT(
      errorOf([] { jit([](const Array &x) { return setdiff1d(x, 1); })(ones({3})); }),
      HasSubstr("setdiff1d: the number of results is unknown inside jit and vmap; pass it: setdiff1d(x1, x2, size)"));
}

TEST(Order, Wholes) {
  const Array x = {1.f, NAN};
  EXPECT_FALSE(bool(array_equal(x, x)));
  EXPECT_TRUE(bool(array_equal(x, x, true)));
  EXPECT_FALSE(bool(array_equal(ones({2}), ones({2, 1}))));
  EXPECT_TRUE(bool(array_equiv(ones({2}), ones({2, 1}))));
  EXPECT_FALSE(bool(array_equiv(ones({2}), ones({3}))));
  // Of a symbol, which may be 3, it is not known.
  const JitOptions options{.specs = {TensorSpec{f32, {"n"}}}, .compile = Compile::never};
  EXPECT_THAT(errorOf([&] { jit([](const Array &x) { return array_equiv(x, ones({3})); }, options)(ones({3})); }),
              HasSubstr("array_equiv: expected shapes of which it is known whether they broadcast, got (n,) and (3,)"));
  EXPECT_TRUE(bool(jit([](const Array &x) { return array_equiv(x, ones({2, 1})); }, options)(ones({3}))));
  EXPECT_TRUE(bool(array_equal(zeros({0}), zeros({0}))));
  EXPECT_FALSE(bool(array_equal(Array{2, 3}, Array{2, 4})));
  EXPECT_EQ(floats(histogram_bin_edges(Array{0.f, 8.f}, 4)), (Floats{0, 2, 4, 6, 8}));
}

//===----------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------===//

TEST(Edits, ZerosAtTheEnds) {
  const Array x = {0, 0, 1, 0, 2, 0};
  EXPECT_EQ(longs(trim_zeros(x)), (Longs{1, 0, 2}));
  EXPECT_EQ(longs(trim_zeros(x, Trim::front)), (Longs{1, 0, 2, 0}));
  EXPECT_EQ(longs(trim_zeros(x, Trim::back)), (Longs{0, 0, 1, 0, 2}));
  EXPECT_EQ(trim_zeros(zeros({3})).shape(), (Shape{0}));
  EXPECT_EQ(trim_zeros(zeros({3}), Trim::front).shape(), (Shape{0}));
  EXPECT_EQ(trim_zeros(zeros({0, 3})).shape(), (Shape{0, 0}));
  const Array matrix = {{0.f, 0.f, 0.f}, {NAN, 0.f, 0.f}, {0.f, 2.f, 0.f}};
  EXPECT_EQ(trim_zeros(matrix).shape(), (Shape{2, 2}));
  EXPECT_EQ(trim_zeros(matrix, Trim::both).shape(), (Shape{2, 2}));
  EXPECT_THAT(
      errorOf([] { jit([](const Array &x) { return trim_zeros(x); })(ones({3})); }),
      HasSubstr(
          "trim_zeros: the size of the result depends on the values of x, which are unknown inside jit and vmap"));
}

List edited(const Array &x) {
  return {insert(x, 1, 9.f),
          delete_(x, {0, 1}),
          append(x, x),
          resize(x, {2, 2}),
          put(x, -1, 4.f),
          fill_diagonal(reshape(x, {1, -1}), 5.f),
          polyder(x),
          polymul(x, x),
          ediff1d(x),
          vander(x, 2),
          diag_indices(x.shape()[0], 1)[0],
          unwrap(x)};
}

TEST(Edits, UnderASymbolOfElements) {
  auto program = jit([](const Array &x) { return edited(x); }, {.specs = {TensorSpec{f32, {"n"}}}});
  for (const Array &x : {Array{1.f, 2.f, 3.f}, Array{2.f, 4.f, 8.f, 1.f}}) {
    const List got = program(x), expected = edited(x);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(bool(array_equal(got[i], expected[i]))) << i << ": " << got[i] << expected[i];
  }
  EXPECT_THAT(errorOf([] {
                jit([](const Array &x) { return delete_(x, -1); }, {.specs = {TensorSpec{f32, {"n"}}}})(ones({3}));
              }),
              HasSubstr("delete_: expected indices from 0 on along an axis of size n, got -1"));
}

TEST(Edits, OfNothing) {
  EXPECT_EQ(longs(insert(zeros({0}, i32), 0, Array{1, 2})), (Longs{1, 2}));
  EXPECT_EQ(delete_(ones({2, 2}), std::vector<int>()).shape(), (Shape{4}));
  EXPECT_EQ(resize(zeros({0}), {2, 2}).shape(), (Shape{2, 2}));
  EXPECT_EQ(floats(put(ones({2}), zeros({0}, i32), 7)), (Floats{1, 1}));
  EXPECT_THAT(errorOf([] { (void)put(ones({2}), 0, zeros({0})); }),
              HasSubstr("put: expected one value at least, got none"));
  EXPECT_THAT(errorOf([] { (void)put(ones({2}), 2, 1); }), HasSubstr("index 2 is out of range for axis 0 of size 2"));
  EXPECT_EQ(floats(put(ones({3}), Array{UINT64_MAX, uint64_t(4)}, 7, IndexMode::wrap)), (Floats{7, 7, 1}));
  EXPECT_EQ(floats(put(ones({3}), Array{0, 5, -1}, Array{7, 8, 9}, IndexMode::drop)), (Floats{7, 1, 1}));
  EXPECT_THAT(errorOf([] { (void)put(ones({2}), Array{0.5f}, 1, IndexMode::wrap); }),
              HasSubstr("put: expected integers as indices"));
  EXPECT_EQ(extract(zeros({0}, Dtype::bool_), zeros({0}), 2, 5).shape(), (Shape{2}));
  EXPECT_EQ(longs(extract(Array{true, false, true}, Array{4, 5, 6})), (Longs{4, 6}));
  EXPECT_EQ(longs(extract(Array{true, false, true}, Array{4, 5, 6}, 4, -1)), (Longs{4, 6, -1, -1}));
  EXPECT_EQ(tril_indices_from(ones({2, 3}), 1).columns.to_vector<int64_t>(), (Longs{0, 1, 0, 1, 2}));
  EXPECT_EQ(longs(ix_({Array{true, false, true}, Array{5}})[0]), (Longs{0, 2}));
}

TEST(Edits, Blocks) {
  const Array a = {{1, 2}, {3, 4}}, b = {5, 6};
  EXPECT_EQ(longs(block({{a, reshape(b, {2, 1})}, {b, 7}})), (Longs{1, 2, 5, 3, 4, 6, 5, 6, 7}));
  EXPECT_EQ(block({{a, reshape(b, {2, 1})}, {b, 7}}).shape(), (Shape{3, 3}));
  EXPECT_EQ(longs(block({b, 1, b})), (Longs{5, 6, 1, 5, 6}));
  EXPECT_EQ(longs(block({a, a})), (Longs{1, 2, 1, 2, 3, 4, 3, 4}));
  EXPECT_EQ(block({{{1, 2}}, {{3, 4}}}).shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(block(a).shape(), (Shape{2, 2}));
  EXPECT_EQ(block({{1.5f, 2}}).dtype(), f32);
  EXPECT_EQ(longs(block(unstack(a))), (Longs{1, 2, 3, 4}));
  auto f = [](const Array &x) { return block({{x, 0.f}, {1.f, x * x}}); };
  EXPECT_EQ(floats(jit(f)(3.f)), (Floats{3, 0, 1, 9}));
  EXPECT_EQ(grad([&](const Array &x) { return sum(f(x)); })(3.f).item<float>(), 7);
  EXPECT_EQ(vmap(f)(ones({4})).shape(), (Shape{4, 2, 2}));
  EXPECT_THAT(errorOf([&] { (void)block({{b, b}, b}); }),
              HasSubstr("block: expected lists that are nested alike, got one 0 deep beside one 1 deep"));
  EXPECT_THAT(errorOf([&] { (void)block({b, std::initializer_list<Blocks>{}}); }),
              HasSubstr("block: expected lists of one array"));
  EXPECT_THAT(errorOf([&] { (void)block({{a}, {ones({3})}}); }), HasSubstr("block: "));
  EXPECT_THAT(errorOf([&] { (void)block({b, Array()}); }), HasSubstr("block: expected an array, got an empty Array"));
}

TEST(Edits, DerivativesReachWhatIsPutIn) {
  auto loss = [](const Array &x, const Array &v) {
    return sum(insert(x, {1, 0}, v) * Array{1.f, 2.f, 3.f, 4.f}) + sum(put(x, {1}, v) * Array{10.f, 20.f}) +
           sum(place(x, Array{true, false}, v * 100));
  };
  const auto [x, v] = grad<0, 1>(loss)(Array{1.f, 2.f}, Array{5.f, 6.f});
  EXPECT_EQ(floats(x), (Floats{2 + 10 + 0, 4 + 1}));
  EXPECT_EQ(floats(v), (Floats{3 + 20 + 100, 1}));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

TEST(Edits, Polynomials) {
  EXPECT_EQ(floats(polyint(Array{3.f, 2.f, 1.f}, 2, Array{5.f, 6.f})), (Floats{0.25f, 1 / 3.f, 0.5f, 5, 6}));
  EXPECT_EQ(floats(polyint(Array{4, 3}, 1, 7)), (Floats{2, 3, 7}));
  EXPECT_EQ(longs(poly(Array{1, 2, -3})), (Longs{1, 0, -7, 6}));
  EXPECT_EQ(floats(poly(zeros({0}))), (Floats{1}));
  EXPECT_EQ(floats(astype(polymul(astype(Array{1.f, 2.f}, bf16), astype(Array{3.f, 0.5f}, bf16)), f32)),
            (Floats{3, 6.5f, 1}));
  EXPECT_THAT(errorOf([] { (void)polyint(Array{1.f}, 2, Array{1.f, 2.f, 3.f}); }),
              HasSubstr("polyint: expected one constant or 2, got f32[3]"));
  EXPECT_THAT(errorOf([] { (void)polyder(Array{1.f}, -1); }), HasSubstr("polyder: expected m >= 0, got -1"));
  EXPECT_THAT(errorOf([] { (void)polyadd(zeros({0}), Array{1.f}); }), HasSubstr("polyadd: expected coefficients"));
}

TEST(Edits, Jumps) {
  // From NumPy.
  const Array x = {0.f, 3.f, 6.5f, -1.f, 12.f};
  const Doubles expected = {0, 3, 0.21681469282041377, -1, -0.5663706143591725};
  const Array got = unwrap(astype(x, f64));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(got[int(i)].item<double>(), expected[i], 1e-12) << i;
  EXPECT_EQ(floats(unwrap(Array{0.f, 6.f, 11.f, 4.f}, {}, -1, 10)), (Floats{0, -4, 1, 4}));
  EXPECT_EQ(floats(unwrap(Array{0.f, 6.f, 11.f, 4.f}, 6.5, -1, 10)), (Floats{0, 6, 11, 14}));
  // A jump of half a period has the slope of those beside it.
  EXPECT_EQ(floats(grad([](const Array &x) { return unwrap(x, {}, -1, 4)[1]; })(Array{0.f, 2.f})), (Floats{0, 1}));
  EXPECT_EQ(floats(unwrap(Array{0.f, 5.f, 0.f}, {}, -1, 10)), (Floats{0, 5, 0}));
  EXPECT_EQ(unwrap(zeros({2, 0})).shape(), (Shape{2, 0}));
  EXPECT_EQ(longs(ediff1d(Array{1, 4, 2}, Array{8, 9}, 7)), (Longs{7, 3, -2, 8, 9}));
}

TEST(Edits, Windows) {
  for (auto window : {bartlett, hanning, hamming, blackman}) {
    EXPECT_EQ(window(0, f32, {}, {}).shape(), (Shape{0}));
    EXPECT_EQ(window(-1, f32, {}, {}).shape(), (Shape{0}));
    EXPECT_EQ(floats(window(1, f32, {}, {})), (Floats{1}));
    const Array w = window(6, f64, {}, {});
    EXPECT_TRUE(bool(array_equal(w, flip(w))));
  }
  // From NumPy.
  EXPECT_EQ(floats(bartlett(5)), (Floats{0, 0.5f, 1, 0.5f, 0}));
  EXPECT_NEAR(kaiser(5, 14, f64)[0].item<double>(), 7.72686684e-06, 1e-14);
  EXPECT_NEAR(kaiser(5, -14, f64)[1].item<double>(), 0.164932188, 1e-9);
  EXPECT_EQ(floats(kaiser(3, 2000))[1], 1.f); // where i0 overflows
  EXPECT_EQ(i0(0.f).item<float>(), 1.f);
  EXPECT_FLOAT_EQ(i0(-1).item<float>(), 1.2660658f);
  EXPECT_TRUE(std::isfinite(i0(90.f).item<float>()));
  EXPECT_EQ(i0(-INFINITY).item<float>(), INFINITY);
  EXPECT_EQ(grad([](const Array &x) { return i0(x); })(Array(INFINITY)).item<float>(), INFINITY);
  EXPECT_THAT(errorOf([] { (void)hanning(3, i32); }),
              HasSubstr("hanning: expected a floating dtype to compute with, got i32"));
}

} // namespace
