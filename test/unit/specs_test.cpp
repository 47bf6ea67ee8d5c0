//===- specs_test.cpp - TensorSpecs of jitted functions ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/ScratchFile.h"

#include "lib/program/CompilerPlugin.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tenon;
using tenon::test::messageOf;
using ::testing::HasSubstr;

namespace {

struct Layer {
  Array kernel, bias;
};
struct Batch {
  std::vector<Array> images;
  Array labels;
};
struct Net {
  std::vector<Layer> layers;
  float rate = 1;
  Array scale;
};

// What errors print is ordered by their first appearance.
const Dim n_("n"), m_("m"), k_("k");

constexpr Compile modes[] = {Compile::now, Compile::never};

TEST(Specs, DynIsASymbolOfItsOwnWhereverItIsWritten) {
  for (Compile mode : modes) {
    auto f = jit([](const Array &x, const Array &y) { return sum(x, 0) * sum(y); },
                 {.specs = {TensorSpec{f32, {dyn, 3}}, TensorSpec{f32, {dyn}}}, .compile = mode});
    for (auto [n, m] : {std::pair(2, 5), {7, 7}, {64, 2}, {5003, 3}})
      EXPECT_EQ(f(ones({n, 3}), ones({m})).to_vector<float>(), std::vector<float>(3, float(n * m)));
    EXPECT_EQ(f.stats().traces, 1u);
    f(ones({1, 3}), ones({4}));
    EXPECT_EQ(f.stats().traces, 2u) << "a size of 1 has a program of its own";
  }
}

TEST(Specs, OneThatIsCopiedIsOneSymbol) {
  const TensorSpec spec{f32, {dyn}};
  auto f = jit([](const Array &x, const Array &y) { return x + y; }, {.specs = {spec, spec}});
  EXPECT_EQ(f(ones({3}), ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_THAT(messageOf([&] { f(ones({3}), ones({4})); }), HasSubstr("is 3 elsewhere"));
}

TEST(Specs, TwoDynsThatBroadcastAreAskedForAName) {
  auto f = jit([](const Array &x, const Array &y) { return x + y; },
               {.specs = {TensorSpec{f32, {dyn}}, TensorSpec{f32, {dyn}}}});
  EXPECT_THAT(
      messageOf([&] { f(ones({3}), ones({3})); }),
      HasSubstr("are not provably equal; if they are equal, give both one name in the specs, such as Dim(\"n\")"));
}

TEST(Specs, ItsNamesAreNobodyElses) {
  const Dim first = dyn, second = dyn;
  EXPECT_NE(first.str(), second.str());
  EXPECT_THAT(messageOf([&] { Dim again(first.str()); }),
              HasSubstr("expected another name of a size than those that tn::dyn makes, got '" + first.str() + "'"));
  EXPECT_EQ(Dim("dynamic").str(), "dynamic");
  EXPECT_EQ(Dim("dyn").str(), "dyn");
  const Array sized = eval_shape([](const Array &x) { return concatenate({x, x}, 0); }, TensorSpec{f32, {dyn, 4}});
  EXPECT_THAT(sized.shape().str(), ::testing::MatchesRegex("\\(2\\*dyn[0-9]+, 4\\)"));
}

TEST(Specs, ASizeOutsideOfItsBoundsIsAnError) {
  for (Compile mode : modes) {
    auto f =
        jit([](const Array &x, const Array &y) { return sum(x) + sum(y); },
            {.specs = {TensorSpec{f32, {Dim("n", 1, 8), 2}}, TensorSpec{f32, {"n"}}}, .compile = mode, .name = "f"});
    for (int n : {2, 8, 5, 1})
      EXPECT_EQ(f(ones({n, 2}), ones({n})).item<float>(), float(3 * n));
    EXPECT_EQ(f.stats().traces, 2u) << "one for 1, one for all others";
    EXPECT_EQ(messageOf([&] { f(ones({9, 2}), ones({9})); }),
              "f: arg 0: expected f32[n, 2] with n from 1 to 8 as the specs say, got f32[9, 2], where n is 9");
    EXPECT_EQ(messageOf([&] { f(ones({0, 2}), ones({0})); }),
              "f: arg 0: expected f32[n, 2] with n from 1 to 8 as the specs say, got f32[0, 2], where n is 0");
    EXPECT_EQ(f.stats().traces, 2u);
  }
  EXPECT_THAT(messageOf([] { Dim("n", 5, 4); }), HasSubstr("expected bounds of n with 0 <= low <= high, got 5 and 4"));
  EXPECT_THAT(messageOf([] { Dim("n", -1, 4); }), HasSubstr("got -1 and 4"));
  EXPECT_THAT(
      messageOf([] {
        (void)jit([](const Array &x, const Array &) { return x; },
                  {.specs = {TensorSpec{f32, {Dim("n", 2, 8)}}, TensorSpec{f32, {Dim("n", 2, 9)}}}, .name = "f"});
      }),
      HasSubstr("f: expected one pair of bounds of n, which is from 2 to 8 elsewhere and from 2 to 9 in the spec "
                "of arg 1, got f32[n]"));
}

TEST(Specs, BoundsAreOfTheFunctionThatStatesThem) {
  auto few = jit([](const Array &x) { return sum(x); }, {.specs = {TensorSpec{f32, {Dim("n", 2, 4)}}}, .name = "few"});
  auto any = jit([](const Array &x) { return sum(x); }, {.specs = {TensorSpec{f32, {"n"}}}, .name = "any"});
  EXPECT_EQ(few(ones({4})).item<float>(), 4);
  EXPECT_EQ(any(ones({9})).item<float>(), 9);
  EXPECT_THROW(few(ones({5})), Error);
  const Dim n("n", 2, 100);
  EXPECT_TRUE(n == Dim("n"));
  EXPECT_TRUE(2 * n - Dim("n") == Dim("n"));
  EXPECT_TRUE(n < n + 1);
  EXPECT_EQ((n + 1).str(), "n + 1");
  // The same Dim within the function is the symbol.
  for (Compile mode : modes) {
    auto f = jit([&](const Array &x) { return x + broadcast_to(Array(2.0f), {n, 3}) + zeros({n, 1}); },
                 {.specs = {TensorSpec{f32, {n, 3}}}, .compile = mode});
    EXPECT_EQ(f(ones({4, 3})).to_vector<float>(), std::vector<float>(12, 3.0f));
    EXPECT_EQ(f(ones({100, 3})).to_vector<float>(), std::vector<float>(300, 3.0f));
    EXPECT_THROW(f(ones({101, 3})), Error);
  }
  EXPECT_EQ(eval_shape([](const Array &x) { return x + x; }, TensorSpec{f32, {n}}).shape().str(), "(n,)");
}

TEST(Specs, MultiplesAndSumsAreSolvedAtTheCall) {
  for (Compile mode : modes) {
    auto f = jit([](const Array &x) { return sum(reshape(x, {x.dim(0) / 4, 4}), 1); },
                 {.specs = {TensorSpec{f32, {4 * Dim("n")}}}, .compile = mode, .name = "f"});
    for (int n : {2, 3, 64})
      EXPECT_EQ(f(ones({4 * n})).to_vector<float>(), std::vector<float>(size_t(n), 4.0f));
    EXPECT_EQ(f.stats().traces, 1u);
    EXPECT_EQ(f(ones({4})).to_vector<float>(), std::vector<float>(1, 4.0f));
    EXPECT_EQ(f(zeros({0})).shape(), Shape({0}));
    EXPECT_EQ(f.stats().traces, 3u);
    EXPECT_EQ(messageOf([&] { f(ones({7})); }),
              "f: arg 0: expected f32[4*n] as the specs say, got f32[7]; 7 is 4*n for no size n");

    auto ends =
        jit([](const Array &x, const Array &y) { return x[slice(1, none)] - x[slice(none, -1)] + y; },
            {.specs = {TensorSpec{f32, {Dim("n") + 1}}, TensorSpec{f32, {"n"}}}, .compile = mode, .name = "ends"});
    EXPECT_EQ(ends(arange(5, {}, 1, f32), ones({4})).to_vector<float>(), std::vector<float>(4, 2.0f));
    EXPECT_EQ(ends(arange(9, {}, 1, f32), ones({8})).to_vector<float>(), std::vector<float>(8, 2.0f));
    EXPECT_EQ(ends.stats().traces, 1u);
    EXPECT_EQ(messageOf([&] { ends(ones({5}), ones({5})); }),
              "ends: arg 0: expected f32[n + 1] as the specs say, got f32[5]; n is 5 elsewhere");
    // Two that state n must agree.
    auto both = jit([](const Array &x, const Array &y) { return sum(x) + sum(y); },
                    {.specs = {TensorSpec{f32, {2 * Dim("n")}}, TensorSpec{f32, {3 * Dim("n") - 1}}},
                     .compile = mode,
                     .name = "both"});
    EXPECT_EQ(both(ones({4}), ones({5})).item<float>(), 9);
    EXPECT_EQ(both(ones({20}), ones({29})).item<float>(), 49);
    EXPECT_EQ(both.stats().traces, 1u);
    EXPECT_EQ(messageOf([&] { both(ones({4}), ones({8})); }),
              "both: arg 1: expected f32[3*n - 1] as the specs say, got f32[8]; n is 2 elsewhere");
    // One symbol after the other, and one that falls as the size grows.
    auto chain = jit([](const Array &x, const Array &y, const Array &z) { return sum(x) + sum(y) + sum(z); },
                     {.specs = {TensorSpec{f32, {Dim("n") + 2 * Dim("m")}}, TensorSpec{f32, {Dim("n") * Dim("k")}},
                                TensorSpec{f32, {"n", 100 - Dim("k")}}},
                      .compile = mode,
                      .name = "chain"});
    EXPECT_EQ(chain(ones({9}), ones({12}), ones({3, 96})).item<float>(), 9 + 12 + 3 * 96);
    EXPECT_EQ(chain(ones({14}), ones({20}), ones({4, 95})).item<float>(), 14 + 20 + 4 * 95);
    EXPECT_EQ(chain.stats().traces, 1u);
    EXPECT_EQ(messageOf([&] { chain(ones({8}), ones({12}), ones({3, 96})); }),
              "chain: arg 0: expected f32[2*m + n] as the specs say, got f32[8]; 8 is 2*m + n for no size m");
    EXPECT_EQ(messageOf([&] { chain(ones({9}), ones({13}), ones({3, 96})); }),
              "chain: arg 1: expected f32[n*k] as the specs say, got f32[13]; 13 is n*k for no size k");
  }
}

TEST(Specs, BoundsOfMultiplesAreThoseOfTheSymbol) {
  auto f = jit([](const Array &x) { return sum(x); },
               {.specs = {TensorSpec{f32, {4 * Dim("n", 2, 16) + 1}}}, .compile = Compile::never, .name = "f"});
  EXPECT_EQ(f(ones({65})).item<float>(), 65);
  EXPECT_EQ(messageOf([&] { f(ones({69})); }),
            "f: arg 0: expected f32[4*n + 1] with n from 2 to 16 as the specs say, got f32[69], where n is 17");
  EXPECT_EQ(messageOf([&] { f(ones({5})); }),
            "f: arg 0: expected f32[4*n + 1] with n from 2 to 16 as the specs say, got f32[5], where n is 1");
}

TEST(Specs, AConcreteFunctionHasTheSymbolsOfItsSpecs) {
  for (Compile mode : modes) {
    auto f = jit([](const Array &x) { return sum(reshape(x, {x.dim(0) / 4, 4 * x.dim(1)}), 1); },
                 {.compile = mode, .name = "f"});
    const auto c = f.concrete(spec<float>({4 * Dim("n", 1, 8), dyn}));
    for (auto [n, m] : {std::pair(2, 3), {8, 2}, {5, 5}})
      EXPECT_EQ(c(ones({4 * n, m})).to_vector<float>(), std::vector<float>(size_t(n), float(4 * m)));
    EXPECT_EQ(f.trace_count(), 1u);
    EXPECT_THAT(messageOf([&] { c(ones({7, 3})); }), HasSubstr("expected f32[4*n, dyn"));
    EXPECT_THROW(c(ones({36, 3})), Error) << "n is 9";
    EXPECT_THROW(c(ones({4, 3})), Error) << "n is 1";
    // In a jitted function with such a spec the two arguments may be a spec and an array.
    auto g = jit([](const Array &x, const Array &y) { return concatenate({x, y}, 0); },
                 {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {Dim("n") + 1}}}, .compile = mode});
    EXPECT_EQ(g.concrete(spec<float>({"n"}), spec<float>({Dim("n") + 1}))(ones({3}), ones({4})).shape(), Shape({7}));
  }
}

TEST(Specs, WhatCannotBeSolvedIsRefusedAtOnce) {
  auto refused = [](std::vector<ArgumentSpec> specs) {
    return messageOf(
        [&] { (void)jit([](const Array &x, const Array &) { return x; }, {.specs = std::move(specs), .name = "f"}); });
  };
  const std::string how = " whose value can be computed from a size such as n, 4*n or n + 1, in this or another spec,";
  EXPECT_EQ(refused({TensorSpec{f32, {Dim("n") + Dim("m")}}, as_called}),
            "f: expected a symbol n" + how + " in the spec of arg 0, got f32[m + n]");
  EXPECT_EQ(refused({as_called, TensorSpec{f32, {Dim("n") * Dim("n")}}}),
            "f: expected a symbol n" + how + " in the spec of arg 1, got f32[n*n]");
  EXPECT_EQ(refused({as_called, TensorSpec{f32, {floor_div("n", 2)}}}),
            "f: expected a symbol n" + how + " in the spec of arg 1, got f32[floordiv(n, 2)]");
}

struct SavedSpecs : tenon::testing::ScratchFile {};

TEST_F(SavedSpecs, AMultipleInASavedProgram) {
  if (tenon::detail::compilerPath().empty())
    GTEST_SKIP() << "a build without the compiler";
  auto f = jit([](const Array &x, const Array &y) { return sum(reshape(x, {y.dim(0), 4}), 1) + y; },
               {.specs = {TensorSpec{f32, {4 * Dim("n")}}, TensorSpec{f32, {"n"}}}});
  auto g = jit([](const Array &x) { return sum(reshape(x, {4, x.dim(0) / 4}), 0); },
               {.specs = {TensorSpec{f32, {4 * Dim("n")}}}});
  g.lower(ones({8})).save_blob(path_);
  const LoadedProgram loaded = load_program(path_);
  for (int n : {2, 5, 33})
    EXPECT_EQ(loaded({ones({4 * n})}).at(0).to_vector<float>(), std::vector<float>(size_t(n), 4.0f));
  EXPECT_THAT(messageOf([&] { loaded({ones({10})}); }), HasSubstr("expected f32[4*n]"));
  EXPECT_THAT(messageOf([&] { loaded({ones({4})}); }), HasSubstr("expected f32[4*n] with n >= 2, got f32[4]"));
  EXPECT_EQ(f(ones({12}), ones({3})).to_vector<float>(), std::vector<float>(3, 5.0f));
  // Where no op asks for it.
  jit([](const Array &x) { return x * 2; }, {.specs = {TensorSpec{f32, {4 * Dim("n")}}}})
      .lower(ones({8}))
      .save_blob(path_);
  const LoadedProgram twice = load_program(path_);
  EXPECT_EQ(twice({ones({12})}).at(0).to_vector<float>(), std::vector<float>(12, 2.0f));
  EXPECT_THAT(messageOf([&] { twice({ones({10})}); }), HasSubstr("expected f32[4*n]"));
}

TEST(Specs, AMultipleUnderTransformations) {
  auto plain = [](const Array &x) { return sum(tanh(reshape(x, {x.dim(0) / 2, 2})) * 2.0f); };
  auto f = jit(plain, {.specs = {TensorSpec{f32, {2 * Dim("n")}}}, .name = "f"});
  for (int n : {2, 9}) {
    const Array x = random::normal(random::key(1), {2 * n}), stack = random::normal(random::key(2), {3, 2 * n});
    EXPECT_TRUE(array_equal(grad(f)(x), grad(plain)(x)).item<bool>());
    EXPECT_TRUE(array_equal(vmap(grad(f))(stack), vmap(grad(plain))(stack)).item<bool>());
    EXPECT_TRUE(array_equal(jit(grad(f))(x), grad(plain)(x)).item<bool>());
  }
  EXPECT_EQ(f.stats().traces, 1u);
  // Below a symbol of a trace around: 4*m is 2*n, m is not.
  auto outer = jit([&](const Array &x) { return f(x); }, {.specs = {TensorSpec{f32, {4 * Dim("m")}}}, .name = "outer"});
  const Array x = random::normal(random::key(3), {12});
  EXPECT_EQ(outer(x).item<float>(), plain(x).item<float>());
  auto odd = jit([&](const Array &x) { return f(x); }, {.specs = {TensorSpec{f32, {"m"}}}, .name = "odd"});
  EXPECT_THAT(messageOf([&] { odd(x); }), HasSubstr("m is 2*n for no size n"));
}

TEST(Specs, AListIsOfTheArraysInTheirOrder) {
  for (Compile mode : modes) {
    auto f = jit([](const Layer &layer, const Array &x) { return matmul(x, layer.kernel) + layer.bias; },
                 {.specs = {{TensorSpec{f32, {"in", "out"}}, TensorSpec{f32, {"out"}}}, TensorSpec{f32, {dyn, "in"}}},
                  .compile = mode,
                  .name = "f"});
    for (auto [n, in, out] : {std::array{2, 3, 4}, {5, 2, 9}, {7, 7, 7}})
      EXPECT_EQ(f(Layer{ones({in, out}), ones({out})}, ones({n, in})).to_vector<float>(),
                std::vector<float>(size_t(n * out), float(in + 1)));
    EXPECT_EQ(f.stats().traces, 1u);
    EXPECT_EQ(messageOf([&] { f(Layer{ones({3, 4}), ones({5})}, ones({2, 3})); }),
              "f: arg 0: bias: expected f32[out] as the specs say, got f32[5]; out is 4 elsewhere");
    EXPECT_EQ(messageOf([&] { f(Layer{ones({3, 4}), ones({4}, f64)}, ones({2, 3})); }),
              "f: arg 0: bias: expected f32[out] as the specs say, got f64[4]");
  }
}

TEST(Specs, EachIsOfAllThatTheOthersLeave) {
  auto f = jit(
      [](const Batch &batch) {
        Array total = sum(astype(batch.labels, f32));
        for (const Array &image : batch.images)
          total = total + sum(image);
        return total;
      },
      {.specs = {{each(TensorSpec{f32, {"n", 2}}), TensorSpec{i32, {"n"}}}}, .compile = Compile::never, .name = "f"});
  for (int n : {2, 3, 8})
    for (size_t count : {0, 1, 3})
      EXPECT_EQ(f(Batch{std::vector<Array>(count, ones({n, 2})), ones({n}, i32)}).item<float>(),
                float(n) * float(1 + 2 * count));
  EXPECT_EQ(f.stats().traces, 3u) << "one for each number of images";
  EXPECT_EQ(messageOf([&] { f(Batch{{ones({3, 2}), ones({4, 2})}, ones({3}, i32)}); }),
            "f: arg 0: images[1]: expected f32[n, 2] as the specs say, got f32[4, 2]; n is 3 elsewhere");

  // Groups; what has no arrays has no specs.
  auto net = jit(
      [](const Net &net) {
        Array total = sum(net.scale);
        for (const Layer &layer : net.layers)
          total = total + sum(layer.kernel) + sum(layer.bias);
        return total * net.rate;
      },
      {.specs = {{each({TensorSpec{f32, {"n", "n"}}, TensorSpec{f32, {"n"}}}), as_called}}, .name = "net"});
  for (int n : {2, 4}) {
    const Layer layer{ones({n, n}), ones({n})};
    EXPECT_EQ(net(Net{{layer, layer}, 2, ones({3})}).item<float>(), float(2 * (3 + 2 * n * n + 2 * n)));
  }
  EXPECT_EQ(net.stats().traces, 1u);
  // A vector as it is.
  auto vector = jit([](const std::vector<Array> &all) { return concatenate(all, 0); },
                    {.specs = {each(TensorSpec{f32, {dyn}})}, .name = "vector"});
  EXPECT_EQ(vector(std::vector{ones({3}), ones({3})}).shape(), Shape({6}));
  EXPECT_EQ(vector(std::vector{ones({4}), ones({4})}).shape(), Shape({8}));
  EXPECT_EQ(vector.stats().traces, 1u);
  EXPECT_THAT(messageOf([&] { vector(std::vector{ones({4}), ones({5})}); }), HasSubstr("vector: arg 0: [1]: expected"));
}

TEST(Specs, ThatDoNotFitTheTreeAreRefused) {
  const TensorSpec one{f32, {"n"}};
  auto call = [](std::vector<ArgumentSpec> specs) {
    return messageOf([&] {
      jit([](const Layer &layer) { return layer.bias; },
          {.specs = std::move(specs), .name = "f"})(Layer{ones({3}), ones({3})});
    });
  };
  EXPECT_EQ(call({one}),
            "f: a single spec describes an argument that is one array; arg 0 has several (use as_called, a list "
            "of specs or tn::each)");
  EXPECT_EQ(call({{one, one, one}}), "f: expected 3 arrays in arg 0, for which there are specs, got 2 arrays");
  EXPECT_EQ(call({{one, each(ArgumentSpec{one, one})}}),
            "f: expected 1 array and a multiple of 2 in arg 0, for which there are specs, got 2 arrays");
  EXPECT_EQ(call({{each(one), each(one)}}), "f: expected one tn::each in the spec of arg 0, got several");
  EXPECT_EQ(call({each(each(one))}), "f: expected one tn::each in the spec of arg 0, got several");
  EXPECT_EQ(call({{one, one}}), "no error");
}

} // namespace
