//===- inputs_test.cpp - numbers as array inputs and as static values ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/LogLines.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

using namespace tenon;

namespace {
struct Model {
  Array w;
  Array scaled(const Array &by) const { return w * by; }
  Array operator()(const Array &x, const Array &rate) const { return w * x * rate; }
};
struct Epoch {
  Array x;
  int epoch = 0;
  float rate = 0;
};
enum class Mode { train, test };

Array scale(const Array &x, const Array &rate) { return x * rate; }

constexpr std::string_view hint = "because of one number";

using Inputs = test::WithLog;

TEST_F(Inputs, ANumberForAnArrayIsOneWhateverItsValue) {
  Array x = {1.0f, 2.0f};
  auto f = jit([](const Array &v, const Array &rate) { return v * rate; });
  auto byValue = jit([](const Array &v, Array rate) { return v * rate; });
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(f(x, 0.5f * static_cast<float>(i))[1].item<float>(), static_cast<float>(i));
    EXPECT_EQ(byValue(x, 0.5f * static_cast<float>(i))[1].item<float>(), static_cast<float>(i));
  }
  EXPECT_EQ(f.stats().traces, 1u);
  EXPECT_EQ(byValue.stats().traces, 1u);
  EXPECT_EQ(f(x, Array(3.0f))[0].item<float>(), 3) << "an array of rank 0 is the same input";
  EXPECT_EQ(f.stats().traces, 1u);
  EXPECT_EQ(f.lower(x, 2.0f).captured().size(), 0u);
  EXPECT_EQ(f.lower(x, 2.0f).trace(), f.lower(x, Array(1.0f)).trace());
}

TEST_F(Inputs, ANumberHasTheDtypeOfALiteral) {
  auto f = jit([](const Array &x) { return x; });
  EXPECT_EQ(f(1).dtype(), i32);
  EXPECT_EQ(f(int64_t(1) << 40).item<int64_t>(), int64_t(1) << 40);
  EXPECT_EQ(f(1.5f).dtype(), f32);
  EXPECT_EQ(f(1.5).dtype(), f32);
  EXPECT_EQ(f(true).dtype(), bool_);
  EXPECT_EQ(f(complex64_t(1, 2)).dtype(), c64);
}

TEST_F(Inputs, AllCallablesWithKnownParametersTakeThem) {
  Array x = {1.0f, 2.0f};
  Model model{x};
  std::function<Array(const Array &, const Array &)> erased = scale;
  auto plain = jit(scale);
  auto functor = jit(model);
  auto member = jit(&Model::scaled);
  auto wrapped = jit(erased);
  auto nested = jit(jit(scale));
  for (float rate : {2.0f, 3.0f, 4.0f}) {
    EXPECT_EQ(plain(x, rate)[1].item<float>(), 2 * rate);
    EXPECT_EQ(functor(x, rate)[1].item<float>(), 4 * rate);
    EXPECT_EQ(member(model, rate)[1].item<float>(), 2 * rate);
    EXPECT_EQ(wrapped(x, rate)[1].item<float>(), 2 * rate);
    EXPECT_EQ(nested(x, rate)[1].item<float>(), 2 * rate);
  }
  EXPECT_EQ(plain.stats().traces, 1u);
  EXPECT_EQ(functor.stats().traces, 1u);
  EXPECT_EQ(member.stats().traces, 1u);
  EXPECT_EQ(wrapped.stats().traces, 1u);
  EXPECT_EQ(nested.stats().traces, 1u);
}

TEST_F(Inputs, OtherNumbersStayStatic) {
  Array x = {1.0f, 2.0f};
  auto generic = jit([](const Array &v, auto rate) {
    static_assert(!std::is_same_v<decltype(rate), Array>);
    return v * rate;
  });
  auto number = jit([](const Array &v, float rate) { return v * rate; });
  auto mode = jit([](const Array &v, Mode m) { return m == Mode::train ? v : -v; });
  for (float rate : {2.0f, 3.0f}) {
    EXPECT_EQ(generic(x, rate)[0].item<float>(), rate);
    EXPECT_EQ(number(x, rate)[0].item<float>(), rate);
  }
  EXPECT_EQ(mode(x, Mode::test)[0].item<float>(), -1);
  EXPECT_EQ(mode(x, Mode::train)[0].item<float>(), 1);
  EXPECT_EQ(generic.stats().traces, 2u);
  EXPECT_EQ(number.stats().traces, 2u);
  EXPECT_EQ(mode.stats().traces, 2u);
}

TEST_F(Inputs, TransformationsSeeWhatTheFunctionGets) {
  auto square = [](const Array &v) { return v * v; };
  EXPECT_EQ(grad(square)(3.0f).item<float>(), 6);
  EXPECT_EQ(value_and_grad(square)(3.0f).first.item<float>(), 9);
  EXPECT_EQ(vjp(square, 3.0f).second(Array(1.0f)).item<float>(), 6);
  Array slope = grad<1>([](const Array &v, const Array &rate) { return sum(v * rate); })(Array{1.0f, 2.0f}, 5.0f);
  EXPECT_EQ(slope.item<float>(), 3);
  Array xs = {1.0f, 2.0f};
  EXPECT_EQ(vmap(scale)(xs, 3.0f).to_vector<float>(), (std::vector<float>{3, 6}));
  EXPECT_EQ(vmap(scale, {.in_axes = {0, none}})(xs, 3.0f).to_vector<float>(), (std::vector<float>{3, 6}));
  EXPECT_EQ(vmap(scale)(xs, Array(3.0f)).to_vector<float>(), (std::vector<float>{3, 6}));
  auto step = jit(vmap(grad([](const Array &v, const Array &rate) { return v * v * rate; })));
  for (float rate : {2.0f, 3.0f})
    EXPECT_EQ(step(xs, rate).to_vector<float>(), (std::vector<float>{2 * rate, 4 * rate}));
  EXPECT_EQ(step.stats().traces, 1u);
}

TEST_F(Inputs, ANumberIsPlainlyAnArrayUnderEagerScope) {
  EagerScope plain;
  auto f = jit([](const Array &v, const Array &rate) { return v * rate.item<float>(); });
  EXPECT_EQ(f(Array{2.0f}, 3.0f)[0].item<float>(), 6);
}

TEST_F(Inputs, OneLineSaysWhichNumberTracesAgain) {
  auto f = jit([](const Epoch &run) { return run.x * static_cast<float>(run.epoch); }, {.name = "f"});
  for (int epoch = 0; epoch < 8; ++epoch)
    f(Epoch{Array(1.0f), epoch});
  EXPECT_EQ(logged.count(hint), 0u) << "seven times again";
  f(Epoch{Array(1.0f), 8});
  ASSERT_EQ(logged.count(hint), 1u);
  EXPECT_EQ(
      logged.only(hint),
      "f: traced again 8 times because of one number, arg 0: epoch (was 7, is 8), which is compiled into the program; "
      "to make it an input, declare it as a tn::Array (a parameter const tn::Array &, or a field of the struct)");
  for (int epoch = 9; epoch < 30; ++epoch)
    f(Epoch{Array(1.0f), epoch});
  EXPECT_EQ(logged.count(hint), 1u) << "once per function";
}

TEST_F(Inputs, TheLineNeedsNoLogAndGoesToStandardError) {
  auto f = jit([](const Array &x, int k) { return x * k; }, {.name = "f"});
  set_log(nullptr);
  testing::internal::CaptureStderr();
  for (int k = 0; k < 12; ++k)
    f(Array(1.0f), k);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("f: traced again 8 times because of one number, arg 1 (was 7, is 8)"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
}

TEST_F(Inputs, NoLineWhereMoreThanANumberChanges) {
  auto two = jit([](const Epoch &run) { return run.x * (static_cast<float>(run.epoch) + run.rate); });
  auto shape = jit([](const Epoch &run) { return run.x * static_cast<float>(run.epoch); });
  auto text = jit([](const Array &x, const std::string &) { return x; });
  auto list = jit([](const Array &x, const std::vector<int> &) { return x; });
  for (int i = 0; i < 12; ++i) {
    two(Epoch{Array(1.0f), i, static_cast<float>(i)});
    shape(Epoch{zeros({i + 1}), i});
    text(Array(1.0f), std::to_string(i));
    list(Array(1.0f), std::vector<int>(static_cast<size_t>(i)));
  }
  EXPECT_EQ(logged.count(hint), 0u);
}

TEST_F(Inputs, TheLineCountsOneNumberAmongCallsOfTwoKinds) {
  auto f = jit([](const Epoch &run) { return run.x * static_cast<float>(run.epoch); });
  for (int epoch = 0; epoch < 12; ++epoch)
    for (int size : {2, 3})
      f(Epoch{zeros({size}), epoch});
  EXPECT_EQ(logged.count(hint), 1u);
}
} // namespace
