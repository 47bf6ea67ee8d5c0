//===- rules_programs_test.cpp - custom derivatives and states, compiled -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/RuleSamples.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(CustomGradient, KeepsWhatTheRuleClosesOver) {
  const Lowered lowered = jit(grad(log1pexp())).lower(Array(1.0f));
  const std::string text = lowered.stage("simplified");
  const size_t first = text.find("tenon.exp");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("tenon.exp", first + 1), std::string::npos) << text;
}

TEST(CustomGradient, IsShownByItsName) {
  const std::string plain = jit(log1pexp()).lower(Array(1.0f)).trace();
  EXPECT_THAT(plain,
              HasSubstr("custom_vjp %0, captures = 0, ruled = 1, residuals = 1, cotangents = [0] body \"log1pexp\""));
  const Lowered slope = jit(grad(log1pexp())).lower(Array(1.0f));
  EXPECT_THAT(slope.trace(), HasSubstr("\"user.log1pexp.backward\""));
  EXPECT_THAT(slope.mlir(), HasSubstr("body \"log1pexp\"(%arg1: tensor<f32>"));
  EXPECT_THAT(slope.stage("simplified"), Not(HasSubstr("custom_vjp")));
  EXPECT_THAT(errorOf([] {
                (void)custom_gradient("a name",
                                      [](const Array &x) { return with_grad(x, [](const Array &d) { return d; }); });
              }),
              HasSubstr("custom_gradient: expected a name of letters, digits"));
}

TEST(CustomGradient, IsSavedWithWhatItIsPartOf) {
  auto f = [clip = clipGradient(), g = log1pexp()](const Array &x) { return sum(clip(g(x), Array(1.0f))); };
  const std::string file = testing::TempDir() + "rules_programs_test.blob";
  const Array x = {1.0f, 2.0f};
  const Lowered lowered = jit(grad(f)).lower(x);
  lowered.save_blob(file);
  auto program = load_program(file);
  std::vector<Array> inputs = {x};
  for (const Array &captured : lowered.captured())
    inputs.push_back(captured);
  EXPECT_EQ(list(program(inputs)[0]), list(grad(f)(x)));
  std::remove(file.c_str());
}

TEST(Checkpoint, KeepsWhatItIsTold) {
  auto f = [](const CheckpointOptions &options) {
    return [=](const Array &x, const Array &w) {
      auto one = checkpoint(
          [](const Array &x, const Array &w) { return sin(checkpoint_name(exp(matmul(x, w)), "inner.exp")); }, options);
      return sum(one(x, w));
    };
  };
  // How often an op is in a program of the derivative.
  const Array x = random::normal(random::key(1), {4, 4}), w = random::normal(random::key(2), {4, 4});
  auto counts = [&](const CheckpointOptions &options) {
    const std::string text = jit(value_and_grad<0, 1>(f(options))).lower(x, w).stage("simplified");
    auto count = [&](const std::string &op) {
      size_t found = 0;
      for (size_t at = 0; (at = text.find("tenon." + op + " ", at)) != std::string::npos; ++at)
        ++found;
      return found;
    };
    return std::tuple(count("dot_general"), count("exp"), count("optimization_barrier"));
  };
  // One product is the function's, two are the derivative's.
  EXPECT_EQ(counts({.keep = Keep::everything}), std::tuple(3u, 1u, 0u));
  EXPECT_EQ(counts({}), std::tuple(4u, 2u, 1u));
  EXPECT_EQ(counts({.keep = Keep::dots}), std::tuple(3u, 2u, 1u));
  EXPECT_EQ(counts({.names = {"other", "inner.exp"}}), std::tuple(3u, 1u, 1u));
  EXPECT_EQ(counts({.names = {"inner"}}), std::tuple(4u, 2u, 1u));
  // A product of elements is no dot: the op returns its result alone.
  auto elements = checkpoint([](const Array &x, const Array &w) { return sin(x * w); }, {.keep = Keep::dots});
  const std::string trace = jit(value_and_grad([&](const Array &x) { return sum(elements(x, w)); })).lower(x).trace();
  EXPECT_THAT(trace, testing::ContainsRegex("\n  %[0-9]+: f32.4, 4. = checkpoint "));
  const auto expected = grad<0, 1>(f({.keep = Keep::everything}))(x, w);
  for (const CheckpointOptions &options : {CheckpointOptions{},
                                           {.keep = Keep::dots},
                                           {.names = {"inner.exp"}},
                                           {.keep = Keep::dots, .names = {"inner.exp"}}}) {
    const auto got = grad<0, 1>(f(options))(x, w), compiled = jit(grad<0, 1>(f(options)))(x, w);
    EXPECT_EQ(list(std::get<0>(got)), list(std::get<0>(expected)));
    EXPECT_EQ(list(std::get<1>(got)), list(std::get<1>(expected)));
    EXPECT_EQ(list(std::get<0>(compiled)), list(std::get<0>(expected)));
  }
  EXPECT_THAT(errorOf([&] {
                f({.names = {"a,b"}});
                (void)checkpoint([](const Array &y) { return y; }, {.names = {"a,b"}});
              }),
              HasSubstr("checkpoint: expected a name of letters, digits"));
  EXPECT_THAT(errorOf([&] { (void)checkpoint_name(x, ""); }), HasSubstr("checkpoint_name: expected a name of 1 to"));
}

TEST(Variables, AreUpdatedInPlace) {
  Variable v{zeros({1'000'000}) + 1.0f};
  auto step = jit([&](const Array &x) { v += x; });
  step(Array(1.0f));
  step(Array(1.0f));
  const void *place = v.value().value()->data;
  for (int i = 0; i < 10; ++i) {
    step(Array(1.0f));
    EXPECT_EQ(v.value().value()->data, place);
  }
  EXPECT_EQ(v.value()[999'999].item<float>(), 13);
  // Somebody else has the array: it stays as it is.
  const Array held = v;
  step(Array(1.0f));
  EXPECT_EQ(held[0].item<float>(), 13);
  EXPECT_EQ(v.value()[0].item<float>(), 14);
}

} // namespace
