//===- tape_test.cpp - GradientTape ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <memory>
#include <thread>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// Eager programs
//===----------------------------------------------------------------------===//

TEST(Tape, GivesTheGradientOfALossOfAnyShape) {
  const Array w = {{1.0f}};
  GradientTape tape;
  tape.watch(w);
  const Array loss = w * w, slope = tape.gradient(loss, w);
  EXPECT_EQ(slope.shape(), Shape({1, 1}));
  EXPECT_THAT(slope.to_vector<float>(), ElementsAre(2));
}

TEST(Tape, ThatIsPersistentAnswersMoreThanOnce) {
  const Array x = 3.0f;
  GradientTape tape{persistent};
  tape.watch(x);
  const Array y = x * x, z = y * y;
  EXPECT_EQ(number(tape.gradient(z, x)), 108);
  EXPECT_EQ(number(tape.gradient(y, x)), 6);
  EXPECT_EQ(number(tape.gradient(z, y)), 18);
  // It goes on after it has answered.
  EXPECT_EQ(number(tape.gradient(z * x, x)), 3 * 108 + 81);
}

TEST(Tape, TakesSourcesAsListsTuplesAndTrees) {
  struct Line {
    Array slope, offset;
  };
  const Line line{2.0f, 1.0f};
  const Array x = {1.0f, 2.0f};
  GradientTape tape{persistent};
  tape.watch(line);
  const Array y = sum(line.slope * x + line.offset);
  const Line by = tape.gradient(y, line);
  EXPECT_EQ(number(by.slope), 3);
  EXPECT_EQ(number(by.offset), 2);
  const std::vector<Array> list = tape.gradient(y, {line.offset, line.slope});
  EXPECT_EQ(number(list[0]), 2);
  EXPECT_EQ(number(list[1]), 3);
  const auto [slope, offset] = tape.gradient(y, std::tuple(line.slope, line.offset));
  EXPECT_EQ(number(slope), 3);
  EXPECT_EQ(number(offset), 2);
}

TEST(Tape, SumsOverTargetsAndWeighsThemByOutputGradients) {
  const Array x = {1.0f, 2.0f};
  GradientTape tape{persistent};
  tape.watch(x);
  const Array y = x * x, z = 3.0f * x;
  EXPECT_THAT(tape.gradient(std::tuple(y, z), x).to_vector<float>(), ElementsAre(5, 7));
  const Array weights = {10.0f, 100.0f};
  EXPECT_THAT(tape.gradient(y, x, {.output_gradients = weights}).to_vector<float>(), ElementsAre(20, 400));
  EXPECT_THAT(tape.gradient(std::tuple(y, z), x, {.output_gradients = {weights, weights}}).to_vector<float>(),
              ElementsAre(50, 700));
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(y, x, {.output_gradients = Array(1.0f)}); }),
              HasSubstr("expected an output gradient of the target's type f32[2], got f32[]"));
}

TEST(Tape, FollowsTheControlFlowOfCpp) {
  auto slope = [](float at) {
    const Array x = at;
    GradientTape tape;
    tape.watch(x);
    const Array y = x > 0 ? x * x : -x;
    return number(tape.gradient(y, x));
  };
  EXPECT_EQ(slope(3), 6);
  EXPECT_EQ(slope(-3), -1);
}

struct Step {
  Array x, value;
  int rounds;
};

/// Backtracking: goes down the slope, half as far each round, until the value falls as it promises.
Step searchLine(const std::function<Array(const Array &)> &f, const Array &start, Array rate) {
  GradientTape tape;
  tape.watch(start);
  const Array before = f(start), slope = tape.gradient(before, start), norm = sum(slope * slope);
  Step step{start, before, 0};
  for (; step.value > before - rate * norm; ++step.rounds) {
    step.x = start - rate * slope;
    step.value = f(step.x);
    rate = rate / 2.0f;
  }
  return step;
}

TEST(Tape, StandsInsideALineSearch) {
  const Step square = searchLine([](const Array &x) { return x * x; }, 3.0f, 1.0f);
  EXPECT_EQ(number(square.x), 0);
  EXPECT_EQ(number(square.value), 0);
  EXPECT_EQ(square.rounds, 2);
  const Step quartic = searchLine([](const Array &x) { return x * x * x * x; }, 1.0f, 1.0f);
  EXPECT_EQ(number(quartic.x), 0.75f);
  EXPECT_EQ(number(quartic.value), 0.31640625f);
  EXPECT_EQ(quartic.rounds, 5);
  // Where it ends moves with where it starts: of x - rate 4 x³, with the rate of the last round, 1/16.
  auto end = [](const Array &start) { return searchLine([](const Array &x) { return x * x * x * x; }, start, 1.0f).x; };
  EXPECT_EQ(number(grad(end)(1.0f)), 0.25f);
  EXPECT_EQ(number(jvp(end, Array(1.0f), Array(2.0f)).second), 0.5f);
  EXPECT_EQ(number(implicit_gradients(end)(Variable{1.0f})[0].first), 0.25f);
  EXPECT_EQ(number(grad(grad(end))(1.0f)), -1.5f);
}

TEST(Grad, GoesThroughTheBranchThatRuns) {
  auto absolute = [](const Array &x) { return x > 0 ? x : -x; };
  auto collatz = [](Array x) { // x halved, or 3 x + 1, as often as it takes
    for (int i = 0; i < 20 && x > 1; ++i)
      x = int(x) % 2 == 0 ? x / 2 : 3 * x + 1;
    return x;
  };
  for (const float at : {3.0f, -3.0f}) {
    const float sign = at > 0 ? 1 : -1;
    EXPECT_EQ(number(grad(absolute)(at)), sign);
    EXPECT_EQ(number(jvp(absolute, Array(at), Array(2.0f)).second), 2 * sign);
    EXPECT_EQ(number(gradients_function(absolute)(at)[0]), sign);
    EXPECT_EQ(number(grad(grad([&](const Array &x) { return x * absolute(x); }))(at)), 2 * sign);
  }
  // 3 10 5 16 8 4 2 1.
  EXPECT_EQ(number(grad(collatz)(3.0f)), 9.0f / 32);
  EXPECT_EQ(number(jvp(collatz, Array(3.0f), Array(1.0f)).second), 9.0f / 32);
}

TEST(Tape, ForgetsWhatItsThreadDoesWhileItIsPaused) {
  const Array x = 3.0f;
  GradientTape tape;
  tape.watch(x);
  Array y = x * x, z;
  {
    auto pause = tape.stop_recording();
    z = y * x;
  }
  EXPECT_EQ(number(tape.gradient(z + y, x)), 6);
}

TEST(Tape, BeginsAnewWhenItIsReset) {
  const Array x = 3.0f;
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(number(tape.gradient(x * x, x)), 6);
  tape.reset();
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(x, x); }), HasSubstr("expected a source that the GradientTape of"));
  tape.watch(x);
  EXPECT_EQ(number(tape.gradient(x * x * x, x)), 27);
}

TEST(Tape, GivesZerosOrNothingForWhatTheTargetDoesNotDependOn) {
  const Array x = 3.0f, other = {1.0f, 2.0f};
  GradientTape tape{persistent};
  tape.watch(std::tuple(x, other));
  const Array y = x * x;
  EXPECT_THAT(tape.gradient(y, other).to_vector<float>(), ElementsAre(0, 0));
  const auto [first, second] = tape.gradient(y, std::tuple(x, other), {.unconnected = none});
  EXPECT_EQ(number(first.value()), 6);
  EXPECT_FALSE(second.has_value());
  EXPECT_TRUE(tape.gradient(y, List{x}, {.unconnected = none})[0].has_value());
  EXPECT_FALSE(tape.gradient(y, other, {.unconnected = none}).has_value());
}

TEST(Tape, WatchesAllHandlesOfAValue) {
  const Array x = 3.0f, same = x;
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(number(tape.gradient(same * same, x)), 6);
}

TEST(Tape, SeesNumbersBesideArrays) {
  const Array x = {1.0f, 2.0f};
  GradientTape tape{persistent};
  tape.watch(x);
  EXPECT_THAT(tape.gradient(3.0f * x, x).to_vector<float>(), ElementsAre(3, 3));
  EXPECT_THAT(tape.gradient(1.0f / x, x).to_vector<float>(), ElementsAre(-1, -0.25f));
  EXPECT_THAT(tape.gradient(pow(x, 3.0f), x).to_vector<float>(), ElementsAre(3, 12));
  EXPECT_THAT(tape.gradient(logaddexp(x, 1.0f), x).to_vector<float>(),
              ElementsAre(testing::FloatEq(0.5f), testing::FloatEq(0.7310586f)));
  EXPECT_THAT(tape.gradient(where(x > 1.5f, x * x, 0.0f), x).to_vector<float>(), ElementsAre(0, 4));
  EXPECT_THAT(tape.gradient(clip(x, 0.0f, 1.5f), x).to_vector<float>(), ElementsAre(1, 0));
}

TEST(Tape, KeepsOnlyWhatRulesNeed) {
  const Array x = zeros({1024, 1024});
  GradientTape tape;
  tape.watch(x);
  const size_t before = rt::memoryStatistics().bytesInUse;
  Array y = x;
  for (int i = 0; i < 20; ++i)
    y = y + x;
  EXPECT_LT(rt::memoryStatistics().bytesInUse - before, 2 * 4 * 1024 * 1024u);
  EXPECT_EQ(number(tape.gradient(y, x)[{0, 0}]), 21);
}

//===----------------------------------------------------------------------===//
// Identity
//===----------------------------------------------------------------------===//

TEST(Tape, DoesNotTakeANewArrayForOneThatLayThere) {
  const Array x = 3.0f;
  for (int i = 0; i < 20; ++i) {
    GradientTape tape;
    tape.watch(x);
    {
      Array y = x + 1.0f;
    }
    Array w = 5.0f;
    Array z = w * w;
    EXPECT_EQ(number(tape.gradient(z, x)), 0);
  }
}

TEST(Tape, DoesNotKnowWhatADonatedBufferHoldsNow) {
  auto f = jit([](const Array &x) { return x * 2.0f; });
  const Array x = {1.0f, 2.0f};
  Array y = x + 1.0f;
  GradientTape tape;
  tape.watch(x);
  y = x * 3.0f;
  {
    auto pause = tape.stop_recording();
    y = f(std::move(y));
  }
  const Array z = y * y;
  EXPECT_THAT(tape.gradient(z, x).to_vector<float>(), ElementsAre(0, 0));
}

TEST(Tape, DoesNotKnowWhatABufferWrittenInPlaceHoldsNow) {
  const Array x = {1.0f, 2.0f};
  GradientTape tape;
  tape.watch(x);
  Array y = x + 3.0f;
  {
    auto pause = tape.stop_recording();
    y = std::move(y).at[0].set(7.0f);
  }
  EXPECT_THAT(tape.gradient(y * y, x).to_vector<float>(), ElementsAre(0, 0));
}

TEST(Tape, SeesAnUpdateInPlaceAsAnOp) {
  const Array x = {1.0f, 2.0f};
  GradientTape tape;
  tape.watch(x);
  Array y = x + 3.0f;
  y = std::move(y).at[0].set(7.0f);
  EXPECT_THAT(tape.gradient(y * y, x).to_vector<float>(), ElementsAre(0, 10));
}

TEST(Tape, StopsAtStopGradient) {
  const Array x = 3.0f;
  GradientTape tape;
  tape.watch(x);
  const Array s = stop_gradient(x);
  EXPECT_EQ(number(tape.gradient(s * x, x)), 3);
}

TEST(Tape, TakesAnIdentityForAValueOfItsOwn) {
  const Array x = 3.0f;
  GradientTape tape{persistent};
  tape.watch(x);
  const Array y = optimization_barrier({x})[0];
  const Array z = y * x;
  EXPECT_EQ(number(tape.gradient(z, x)), 6);
  EXPECT_EQ(number(tape.gradient(z, y)), 3);
}

//===----------------------------------------------------------------------===//
// Several tapes
//===----------------------------------------------------------------------===//

TEST(Tape, NestsForHigherOrders) {
  const Array x = 3.0f;
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  const Array y = x * x * x, slope = inner.gradient(y, x);
  EXPECT_EQ(number(slope), 27);
  EXPECT_EQ(number(outer.gradient(slope, x)), 18);
}

TEST(Tape, OfTheInnerSourceIsNotTakenForTheOuter) {
  const Array x = 3.0f, y = 1.0f;
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(y);
  const Array slope = inner.gradient(x + y, y);
  EXPECT_EQ(number(outer.gradient(x * slope, x)), 1);
}

TEST(Tape, OverlapsOthers) {
  const Array x = 3.0f;
  auto first = std::make_unique<GradientTape>();
  first->watch(x);
  const Array y = x * x;
  auto second = std::make_unique<GradientTape>();
  second->watch(y);
  const Array z = y * y;
  EXPECT_EQ(number(first->gradient(z, x)), 108);
  first.reset();
  const Array w = z * 2.0f;
  EXPECT_EQ(number(second->gradient(w, y)), 36);
}

TEST(Tape, SeesWhereResidualsOfALowerTapeComeFrom) {
  auto body = [](const Array &carry, const Array &each) { return std::pair(sin(carry) * each, carry); };
  const Array x = 0.7f, xs = {1.5f, 0.5f, 2.0f};
  auto f = [&](const Array &x) { return scan(body, x, xs).first; };
  const Array expected = grad(grad(f))(x);
  for (bool lowerFirst : {true, false}) {
    GradientTape lower, upper;
    lower.watch(x);
    upper.watch(x);
    const Array y = f(x);
    GradientTape &first = lowerFirst ? lower : upper, &second = lowerFirst ? upper : lower;
    const Array slope = first.gradient(y, x);
    EXPECT_NEAR(number(slope), number(grad(f)(x)), 1e-6);
    EXPECT_NEAR(number(second.gradient(slope, x)), number(expected), 1e-5) << lowerFirst;
  }
}

//===----------------------------------------------------------------------===//
// Every op
//===----------------------------------------------------------------------===//

std::vector<Case> allCases() {
  std::vector<Case> all = smoothCases();
  all.insert(all.end(), regionCases().begin(), regionCases().end());
  return all;
}

class OnTapes : public testing::TestWithParam<Case> {};

Array sumOfSquares(const List &xs) {
  Array total = 0.0;
  for (const Array &x : xs)
    total = total + sum(x * x);
  return total;
}

TEST_P(OnTapes, DerivativesAreThoseOfGrad) {
  const Case &one = GetParam();
  auto loss = [&](const List &x) { return sumOfSquares({one.function(x)}); };
  const List x = inputsOf(one), expected = grad(loss)(x);
  const List second = grad([&](const List &x) { return sumOfSquares(grad(loss)(x)); })(x);
  // The lower one is asked first, and last.
  for (int first : {0, 1}) {
    GradientTape tapes[2];
    tapes[0].watch(x);
    tapes[1].watch(x);
    const List slopes = tapes[first].gradient(loss(x), x);
    const List curves = tapes[1 - first].gradient(sumOfSquares(slopes), x);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_TRUE(array_equal(slopes[i], expected[i]).item<bool>()) << one.name;
      EXPECT_TRUE(allclose(curves[i], second[i], 1e-9, 1e-11).item<bool>())
          << one.name << first << curves[i] << second[i];
    }
  }
  auto compiled = jit([&](const List &x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(loss(x), x);
  });
  const List inside = compiled(x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_TRUE(array_equal(inside[i], expected[i]).item<bool>()) << one.name;
}

INSTANTIATE_TEST_SUITE_P(Functions, OnTapes, testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Beside the other transformations
//===----------------------------------------------------------------------===//

TEST(Tape, SeesAJittedFunctionAsOneOp) {
  auto f = jit([](const Array &x) { return x * x * x; });
  const Array x = 3.0f;
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  const Array slope = inner.gradient(f(x), x);
  EXPECT_EQ(number(slope), 27);
  EXPECT_EQ(number(outer.gradient(slope, x)), 18);
  EXPECT_EQ(f.stats().traces, 1u);
}

TEST(Tape, LeavesJittedFunctionsOfOtherArraysAlone) {
  auto f = jit([](Array &x) { x = x + 1.0f; });
  const Array w = 3.0f;
  GradientTape tape;
  tape.watch(w);
  Array x = {1.0f, 2.0f};
  f(x);
  auto runs = [] { return statistics().programs + statistics().interpreted_programs; };
  const uint64_t before = runs();
  f(x);
  EXPECT_EQ(runs(), before + 1);
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(3, 4));
}

TEST(Tape, StandsInsideJit) {
  auto slope = jit([](const Array &x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(sum(x * x * x), x);
  });
  EXPECT_THAT(slope(Array{1.0f, 2.0f}).to_vector<float>(), ElementsAre(3, 12));
  EXPECT_THAT(grad(grad([&](const Array &x) { return sum(slope(x)); }))(Array(2.0f)).to_vector<float>(),
              ElementsAre(6));
}

TEST(Tape, NestsInsideJit) {
  auto curvature = jit([](const Array &x) {
    GradientTape outer;
    outer.watch(x);
    GradientTape inner;
    inner.watch(x);
    return outer.gradient(inner.gradient(x * x * x, x), x);
  });
  EXPECT_EQ(number(curvature(3.0f)), 18);
}

TEST(Tape, StandsAroundGradAndInsideIt) {
  const Array x = 3.0f;
  GradientTape tape;
  tape.watch(x);
  const Array slope = grad([](const Array &x) { return x * x * x; })(x);
  EXPECT_EQ(number(tape.gradient(slope, x)), 18);
  auto curvature = grad([](const Array &x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(x * x * x, x);
  });
  EXPECT_EQ(number(curvature(x)), 18);
  const auto moved = jvp(
      [](const Array &x) {
        GradientTape tape;
        tape.watch(x);
        return tape.gradient(x * x * x, x);
      },
      x, 2.0f);
  EXPECT_EQ(number(moved.second), 36);
}

TEST(Tape, GivesGradientsOfEachExampleUnderVmap) {
  const Array w = {1.0f, 2.0f}, xs = {{3.0f, 4.0f}, {5.0f, 6.0f}};
  const Array slopes = vmap([&](const Array &x) {
    GradientTape tape;
    tape.watch(w);
    return tape.gradient(sum(w * w * x), w);
  })(xs);
  EXPECT_THAT(slopes.to_vector<float>(), ElementsAre(6, 16, 10, 24));
}

TEST(Tape, SeesControlFlowAsOps) {
  const Array x = 2.0f;
  auto slope = [&](auto &&f) {
    GradientTape tape;
    tape.watch(x);
    return number(tape.gradient(f(), x));
  };
  EXPECT_EQ(
      slope([&] { return cond(x > 0, [](const Array &x) { return x * x; }, [](const Array &x) { return -x; }, x); }),
      4);
  EXPECT_EQ(slope([&] { return fori_loop(0, 3, [&](const Array &, const Array &y) { return y * x; }, x); }), 32);
  EXPECT_FLOAT_EQ(slope([&] { return softmax(Array({1.0f, 2.0f}) * x)[0]; }),
                  number(grad([](const Array &x) { return softmax(Array({1.0f, 2.0f}) * x)[0]; })(x)));
}

TEST(Tape, SeesWhatAJittedFunctionCaptures) {
  const Array w = 3.0f;
  auto f = jit([w](const Array &x) { return w * w * x; });
  GradientTape tape{persistent};
  EXPECT_EQ(number(f(2.0f)), 18);
  tape.watch(w);
  EXPECT_EQ(number(tape.gradient(f(2.0f), w)), 12);
  EXPECT_EQ(f.stats().traces, 1u);
}

TEST(Tape, StandsAroundAndInsideControlFlow) {
  auto body = [](const Array &carry, const Array &each) {
    GradientTape tape;
    tape.watch(carry);
    const Array slope = tape.gradient(carry * carry * each, carry);
    return std::pair(slope, slope);
  };
  const Array x = 3.0f, xs = {1.0f, 2.0f};
  auto f = [&](const Array &x) { return scan(body, x, xs).first; };
  // Twice carry times each, each time.
  EXPECT_EQ(number(f(x)), 24);
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(number(tape.gradient(f(x), x)), 8);
  auto compiled = jit([&](const Array &x) {
    GradientTape tape;
    tape.watch(x);
    const Array y = cond(x > 0, [&](const Array &x) { return f(x) * x; }, [](const Array &x) { return x; }, x);
    return tape.gradient(y, x);
  });
  EXPECT_EQ(number(compiled(x)), 48);
  EXPECT_EQ(number(compiled(-x)), 1);
}

TEST(Tape, SeesVmapAndItsBatches) {
  const Array w = {1.0f, 2.0f}, xs = {{3.0f, 4.0f}, {5.0f, 6.0f}};
  GradientTape outer;
  outer.watch(w);
  GradientTape inner;
  inner.watch(w);
  const Array y = vmap([&](const Array &x) { return sum(w * w * w * x); })(xs);
  const Array slope = inner.gradient(y, w);
  EXPECT_THAT(slope.to_vector<float>(), ElementsAre(24, 120));
  EXPECT_THAT(outer.gradient(slope, w).to_vector<float>(), ElementsAre(48, 120));
}

TEST(Tape, KnowsArraysOfADevice) {
  const Array x = to_device(Array{1.0f, 2.0f}, Device::null);
  GradientTape tape;
  tape.watch(x);
  const Array y = sum(x * x * 3.0f), slope = tape.gradient(y, x);
  EXPECT_EQ(slope.device(), Device::null);
  EXPECT_THAT(to_device(slope, Device::cpu).to_vector<float>(), ElementsAre(6, 12));
}

TEST(Tape, TakesComplexArrays) {
  const Array z = {complex64_t{1, 2}, complex64_t{3, -1}};
  GradientTape tape{persistent};
  tape.watch(z);
  auto f = [](const Array &z) { return sum(real(z * conj(z))); };
  EXPECT_TRUE(array_equal(tape.gradient(f(z), z), grad(f)(z)).item<bool>());
  const Array w = z * z;
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(w, z); }), HasSubstr("got c64[2]; give output_gradients"));
  const Array ct = ones_like(w);
  EXPECT_TRUE(array_equal(tape.gradient(w, z, {.output_gradients = ct}),
                          vjp([](const Array &z) { return z * z; }, z).second(ct))
                  .item<bool>());
}

TEST(Tape, EndsWithItsScopeAlsoWhenThatThrows) {
  const Array x = 3.0f;
  const auto fails = [&] {
    GradientTape tape;
    tape.watch(x);
    (void)matmul(x * x, x);
  };
  EXPECT_NE(errorOf(fails), "no error");
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(number(tape.gradient(x * x, x)), 6);
}

TEST(Tape, StepsWithAMetricThatHasNoDerivative) {
  const Array w = 3.0f;
  GradientTape tape{persistent};
  tape.watch(w);
  const Array loss = w * w;
  const Array steps = while_loop([](const Array &x) { return x > 1.0f; }, [](const Array &x) { return x * 0.5f; }, w);
  EXPECT_EQ(number(steps), 0.75f);
  EXPECT_EQ(number(tape.gradient(loss, w)), 6);
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(loss + steps, w); }), HasSubstr("while_loop"));
}

TEST(Grad, HandsOutWhatHasNoDerivativeAsAux) {
  auto f = [](const Array &w) {
    return std::pair(w * w,
                     while_loop([](const Array &x) { return x > 1.0f; }, [](const Array &x) { return x * 0.5f; }, w));
  };
  const auto [slope, steps] = grad(f)(Array(3.0f));
  EXPECT_EQ(number(slope), 6);
  EXPECT_EQ(number(steps), 0.75f);
}

TEST(Grad, GoesThroughACheckpointWithAMetricThatHasNoDerivative) {
  auto f = checkpoint([](const Array &w) {
    return std::pair(w * w,
                     while_loop([](const Array &x) { return x > 1.0f; }, [](const Array &x) { return x * 0.5f; }, w));
  });
  const auto [slope, steps] = grad(f)(Array(3.0f));
  EXPECT_EQ(number(slope), 6);
  EXPECT_EQ(number(steps), 0.75f);
  EXPECT_THAT(errorOf([&] { grad([&](const Array &w) { return f(w).second; })(Array(3.0f)); }),
              HasSubstr("while_loop"));
}

TEST(Grad, GoesThroughAJittedStepWithAMetricThatHasNoDerivative) {
  auto f = jit([](const Array &w) {
    return std::pair(w * w,
                     while_loop([](const Array &x) { return x > 1.0f; }, [](const Array &x) { return x * 0.5f; }, w));
  });
  const auto [slope, steps] = grad(f)(Array(3.0f));
  EXPECT_EQ(number(slope), 6);
  EXPECT_EQ(number(steps), 0.75f);
  const Array w = 3.0f;
  GradientTape tape{persistent};
  tape.watch(w);
  const auto [loss, metric] = f(w);
  EXPECT_EQ(number(tape.gradient(loss, w)), 6);
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(loss * metric, w); }), HasSubstr("while_loop"));
  EXPECT_THAT(errorOf([&] { grad([&](const Array &w) { return f(w).second; })(w); }), HasSubstr("while_loop"));
}

//===----------------------------------------------------------------------===//
// Jacobians
//===----------------------------------------------------------------------===//

TEST(Tape, GivesJacobians) {
  const Array x = {1.0f, 2.0f, 3.0f};
  GradientTape tape{persistent};
  tape.watch(x);
  const Array y = reshape(outer(x[{slice(0, 2)}], x), {2, 3});
  const Array expected = jacobian([](const Array &x) { return outer(x[{slice(0, 2)}], x); })(x);
  EXPECT_TRUE(array_equal(tape.jacobian(y, x), expected).item<bool>());
}

TEST(Tape, GivesJacobiansOfEachExample) {
  const Array x = {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}};
  GradientTape tape;
  tape.watch(x);
  const Array y = sin(x) * sum(x, 1, true);
  const Array expected = vmap(jacobian([](const Array &x) { return sin(x) * sum(x); }))(x);
  const Array all = tape.batch_jacobian(y, x);
  EXPECT_EQ(all.shape(), Shape({3, 2, 2}));
  EXPECT_TRUE(allclose(all, expected).item<bool>());
}

//===----------------------------------------------------------------------===//
// Functions of gradients
//===----------------------------------------------------------------------===//

TEST(GradientsFunction, ListsThePartialsByAllArguments) {
  auto square = [](const Array &x) { return x * x; };
  const std::vector<Array> slopes = gradients_function(square)(3);
  ASSERT_EQ(slopes.size(), 1u);
  EXPECT_EQ(number(slopes[0]), 6);
  auto f = [](const Array &x, const Array &y) { return x * x * y; };
  const auto [value, partials] = value_and_gradients_function(f)(3.0f, Array{1.0f, 2.0f});
  EXPECT_THAT(value.to_vector<float>(), ElementsAre(9, 18));
  EXPECT_EQ(number(partials[0]), 18);
  EXPECT_THAT(partials[1].to_vector<float>(), ElementsAre(9, 9));
  // One array in two places is two arguments.
  const Array x = 3.0f;
  EXPECT_EQ(number(gradients_function(f)(x, x)[1]), 9);
  EXPECT_THAT(errorOf([&] { gradients_function(square)(Array(3)); }),
              HasSubstr("gradients_function: expected a floating array as one of the arguments, got i32[]"));
  EXPECT_THAT(errorOf([&] { gradients_function([](const Array &x) { return x > 0; })(x); }),
              HasSubstr("expected a floating array as result, got bool[]"));
}

//===----------------------------------------------------------------------===//
// Threads and errors
//===----------------------------------------------------------------------===//

TEST(Tape, OfOneThreadDoesNotSeeAnother) {
  const Array x = 3.0f;
  GradientTape tape;
  tape.watch(x);
  Array there, slope;
  std::thread([&] {
    GradientTape own;
    own.watch(x);
    there = x * x;
    slope = own.gradient(there, x);
  }).join();
  EXPECT_EQ(number(slope), 6);
  EXPECT_EQ(number(tape.gradient(there, x)), 0);
}

TEST(Tape, OfEachThreadWatchesWhatTheyShare) {
  std::vector<Array> xs;
  for (int i = 0; i < 100; ++i)
    xs.push_back(Array(3.0f));
  std::vector<std::thread> threads;
  std::vector<float> sums(4);
  for (float &total : sums)
    threads.emplace_back([&] {
      for (const Array &x : xs) {
        GradientTape tape;
        tape.watch(x);
        total += number(tape.gradient(x * x, x));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(sums, testing::Each(600));
}

TEST(Tape, ThatIsStoppedAnswersAnyThread) {
  const Array x = 3.0f;
  auto tape = std::make_unique<GradientTape>(persistent);
  tape->watch(x);
  const Array y = x * x;
  std::string refused;
  Array slope;
  std::thread([&] { refused = errorOf([&] { (void)tape->gradient(y, x); }); }).join();
  EXPECT_THAT(refused, HasSubstr("is recording on another thread; stop it there first"));
  {
    auto pause = tape->stop_recording();
    std::thread([&] { slope = tape->gradient(y, x); }).join();
  }
  EXPECT_EQ(number(slope), 6);
  // Ended elsewhere, it notes nothing here, and makes room for others.
  for (int i = 0; i < 100; ++i) {
    std::thread([&] { tape.reset(); }).join();
    EXPECT_EQ(number(x * x), 9);
    tape = std::make_unique<GradientTape>(persistent);
  }
}

TEST(Tape, IsUsedUpByItsGradient) {
  const Array x = 3.0f;
  GradientTape tape;
  tape.watch(x);
  const Array y = x * x;
  (void)tape.gradient(y, x);
  const int line = __LINE__ - 1;
  const std::string text = errorOf([&] { (void)tape.gradient(y, x); });
  EXPECT_THAT(text, HasSubstr("has already computed its gradient, at "));
  EXPECT_THAT(text, HasSubstr("tape_test.cpp:" + std::to_string(line) + ";"));
  EXPECT_THAT(text, HasSubstr("at "));
  EXPECT_THAT(errorOf([&] { tape.watch(x); }), HasSubstr("watch: the GradientTape of"));
}

TEST(Tape, SaysWhatItCannotWatchOrAnswer) {
  const Array x = 3.0f, count = 3, other = 4.0f;
  GradientTape tape{persistent};
  EXPECT_THAT(errorOf([&] { tape.watch(count); }), HasSubstr("watch: expected a floating array, got i32[]"));
  EXPECT_THAT(errorOf([&] { tape.watch(Array()); }), HasSubstr("watch: expected an array, got an empty Array"));
  tape.watch(x);
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(x * x, other); }), HasSubstr("call watch before using it"));
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(x > 0, x); }),
              HasSubstr("gradient: expected a floating target, got bool[]"));
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(x, count); }),
              HasSubstr("to differentiate with respect to, got i32[]"));
}

TEST(Tape, AndItsUseLieOnOneSideOfAJit) {
  const Array x = 3.0f;
  GradientTape tape;
  auto f = jit([&](const Array &x) {
    tape.watch(x);
    return x * x;
  });
  const std::string text = errorOf([&] { f(x); });
  EXPECT_THAT(text, HasSubstr("watch: the GradientTape of"));
  EXPECT_THAT(text, HasSubstr("was created outside and is used in the jit of"));
}

/// Of a function with branches, those of the one that the call takes.
TEST(Tape, WatchesWhatItsOwnPathReads) {
  Variable a(2.0f), b(3.0f);
  const auto f = jit([&](const Array &x) {
    if (x > 0)
      return a * x;
    return b * x;
  });
  for (const float x : {1.0f, -1.0f, 1.0f, 1.0f, -1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f}) {
    GradientTape tape;
    const Array y = f(Array(x));
    const std::vector<Variable> watched = tape.watched_variables();
    ASSERT_EQ(watched.size(), 1u);
    EXPECT_EQ(watched[0].value().item<float>(), x > 0 ? 2 : 3);
    f(Array(-x));
    EXPECT_EQ(tape.watched_variables().size(), 2u);
    EXPECT_EQ(tape.gradient(y, watched[0]).item<float>(), x);
  }
}

/// As in TensorFlow the tape reads a target Variable when it is asked.
TEST(Tape, ReadsTheVariablesOfATarget) {
  Variable v({1.0f, 2.0f}, "v"), w({3.0f, 4.0f}, "w");
  const auto two = [](const Array &x) { return x.to_vector<float>(); };
  {
    GradientTape tape{persistent};
    EXPECT_THAT(two(tape.gradient(v, v)), ElementsAre(1, 1)) << "not read before";
    EXPECT_THAT(two(tape.gradient(v, w)), ElementsAre(0, 0));
    EXPECT_FALSE(tape.gradient(v, w, {.unconnected = none}).has_value());
    const Array y = v * v;
    EXPECT_THAT(two(tape.gradient(y, v)), ElementsAre(2, 4));
    EXPECT_THAT(two(tape.gradient(std::tuple(y, v, w), v)), ElementsAre(3, 5));
    EXPECT_THAT(two(tape.gradient(std::vector{v, w, v}, v)), ElementsAre(2, 2));
    EXPECT_THAT(two(tape.gradient(std::vector{v, w}, w, {.output_gradients = {y, y}})), ElementsAre(1, 4));
    EXPECT_THAT(errorOf([&] { (void)tape.gradient(v, v, {.output_gradients = Array(1.0f)}); }),
                HasSubstr("expected an output gradient of the target's type f32[2], got f32[]"));
    EXPECT_THAT(errorOf([&] { (void)tape.gradient(Variable(), v); }),
                HasSubstr("expected a Variable, got an empty one"));
    EXPECT_THAT(errorOf([&] { (void)tape.gradient(Variable({1, 2}), v); }),
                HasSubstr("expected a floating target, got i32[2]"));
    const std::map<std::string, Variable> model{{"v", v}, {"w", w}};
    EXPECT_THAT(two(tape.gradient(model, v)), ElementsAre(1, 1));
    {
      const auto pause = tape.stop_recording();
      EXPECT_THAT(two(tape.gradient(w, w)), ElementsAre(1, 1)) << "also while it is paused";
      w.assign(y);
      EXPECT_THAT(two(tape.gradient(w, w)), ElementsAre(1, 1));
      EXPECT_THAT(two(tape.gradient(w, v)), ElementsAre(0, 0)) << "what was assigned has no derivative";
    }
    EXPECT_THAT(two(tape.gradient(v, v)), ElementsAre(1, 1));
    const auto pause = tape.stop_recording();
    std::thread([&] { EXPECT_THAT(two(tape.gradient(std::tuple(v, y), v)), ElementsAre(3, 5)); }).join();
  }
  EXPECT_THAT(two(jit([&](const Array &x) {
                GradientTape tape;
                v.assign(x);
                return tape.gradient(std::tuple(v, v * 2.0f), v);
              })(Array{5.0f, 6.0f})),
              ElementsAre(3, 3));
  EXPECT_THAT(two(v.value()), ElementsAre(5, 6));
  GradientTape().backward(v);
  EXPECT_THAT(two(v.grad().value()), ElementsAre(1, 1));
  const Variable still({1.0f}, "still", false);
  EXPECT_THAT(GradientTape().gradient(std::tuple(still, v), v).to_vector<float>(), ElementsAre(1, 1));
}

TEST(Tape, WatchesTheVariablesOfATree) {
  const Variable v({1.0f, 2.0f}), still({1.0f}, "still", false), count(3);
  GradientTape tape;
  tape.watch(std::tuple(v, still, count));
  ASSERT_EQ(tape.watched_variables().size(), 1u);
  EXPECT_TRUE(tape.watched_variables()[0].is_same(v));
  EXPECT_THAT(errorOf([&] { tape.watch(still); }),
              HasSubstr("watch: expected a floating array, got a Variable of f32[1] that is not trainable"));
  EXPECT_THAT(errorOf([&] { tape.watch(std::tuple(count, still)); }), HasSubstr("got a Variable of i32[] as [0]"));
  EXPECT_THAT(errorOf([&] { tape.watch(Variable()); }), HasSubstr("watch: expected a Variable, got an empty one"));
}

TEST(Tape, GivesJacobiansByVariables) {
  Variable v({2.0f, 3.0f});
  const Array x = {5.0f, 7.0f};
  GradientTape tape{persistent};
  tape.watch(x);
  const Array before = v * x;
  v.assign(v * 10.0f);
  const Array y = before + v * v; // by v: diag(x + 2 v), the two values together
  const Array slope = tape.jacobian(y, v);
  EXPECT_EQ(slope.shape(), Shape({2, 2}));
  EXPECT_THAT(slope.to_vector<float>(), ElementsAre(45, 0, 0, 67));
  const auto [byX, byV] = tape.jacobian(y, std::tuple(x, v));
  EXPECT_THAT(byX.to_vector<float>(), ElementsAre(2, 0, 0, 3));
  EXPECT_THAT(byV.to_vector<float>(), ElementsAre(45, 0, 0, 67));
}

/// A Variable that is read before and after the function assigns it, in one that is jitted and in one within.
TEST(Tape, SeesWhatAJitHasAssignedReadAgain) {
  Variable v(2.0f);
  const auto body = [&](const Array &x) {
    const Array before = v * 3.0f;
    v.assign(v * x);
    return before + v * 5.0f;
  };
  const auto f = jit(body);
  const auto around = jit([&](const Array &x) { return f(x) * 2.0f; });
  const auto within = jit([&](const Array &x) {
    v.assign(v * x);
    return jit([&](const Array &y) { return v * y; })(x);
  });
  const auto slope = [&](const auto &function) {
    v.assign(Array(2.0f));
    GradientTape tape;
    const Array y = function(Array(7.0f));
    return std::pair(tape.gradient(y, v).template item<float>(), v.value().item<float>());
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(slope(body), std::pair(8.0f, 14.0f));
    EXPECT_EQ(slope(f), std::pair(8.0f, 14.0f)) << i;
    EXPECT_EQ(slope(around), std::pair(16.0f, 14.0f)) << i;
    EXPECT_EQ(slope(within), std::pair(7.0f, 14.0f)) << i;
    v.assign(Array(2.0f));
    const Statistics before = statistics();
    EXPECT_EQ(f(Array(7.0f)).item<float>(), 76);
    EXPECT_GT(statistics().programs + statistics().interpreted_programs, before.programs + before.interpreted_programs)
        << "without a tape, by its program";
  }
  EXPECT_EQ(f.trace_count(), 1u);
}

/// The outer function is recorded first without a tape, with the inner one as one op in it.
TEST(Tape, SeesWhatAnInnerJitReadsAgainThoughTheOuterWasRecordedWithoutATape) {
  Variable w(2.0f);
  const auto inner = jit([&](const Array &x) {
    w += 0.1f * x;
    return x * w;
  });
  const auto outer = jit([&](const Array &x) { return inner(x) * 1.0f; });
  const auto outermost = jit([&](const Array &x) { return outer(x) * 1.0f; });
  const auto branch = jit([&](const Array &x) {
    return cond(x > 0, [&](const Array &x) { return inner(x); }, [](const Array &x) { return x; }, x);
  });
  const auto slopes = [&](const auto &function) {
    w.assign(Array(2.0f));
    const Array x = 3.0f;
    GradientTape tape;
    tape.watch(x);
    const Array y = function(x);
    const auto [dx, dw] = tape.gradient(y, std::tuple(x, w));
    EXPECT_FLOAT_EQ(number(y), 6.9f);
    EXPECT_FLOAT_EQ(number(dx), 2.3f);
    return number(dw);
  };
  for (int i = 0; i < 2; ++i) {
    outer(Array(1.0f));
    EXPECT_EQ(slopes(outer), 3);
    outermost(Array(1.0f));
    EXPECT_EQ(slopes(outermost), 3);
  }
  branch(Array(1.0f));
  EXPECT_THAT(errorOf([&] { slopes(branch); }), HasSubstr("does not read a Variable which it has assigned"));
}

/// A function that a tape in another one sees asks: each way is recorded once, though each captures other arrays.
TEST(Tape, SeesAFunctionThatAsks) {
  const Variable u(2.0f), v(3.0f), w(5.0f);
  const auto inner = jit([&](const Array &x, const Array &y) {
    if (sum(x * y) > 100)
      return x * v + w;
    Array z = x * u;
    for (int k = 0; k < 3 && abs(z) > 4; ++k)
      z = z / 2 * (k ? v : w);
    return z;
  });
  const auto body = [&](const Array &x) {
    const Array y = x + ones({3});
    GradientTape tape;
    const Array z = inner(x, y);
    const Array slope = tape.gradient(z * u, u);
    if (slope > 0)
      return slope + z;
    return slope - y[0];
  };
  const auto f = jit(body);
  for (int round = 0; round < 3; ++round)
    for (const float x : {1.0f, 60.0f, 3.0f, -3.0f, -0.5f, 2.5f, 40.0f}) {
      Array eager;
      {
        const EagerScope scope;
        eager = f(Array(x));
      }
      EXPECT_EQ(number(f(Array(x))), number(eager)) << x;
    }
  EXPECT_LE(f.trace_count(), 5u);
}

TEST(Tape, ThatStandsOutsideOfGradDoesNotSeeItsValues) {
  GradientTape tape;
  EXPECT_THAT(errorOf([&] {
                grad([&](const Array &x) {
                  tape.watch(x);
                  return x * x;
                })(Array(3.0f));
              }),
              HasSubstr("was created outside of the grad of"));
}

TEST(Tape, EndsWithWhatItStandsIn) {
  std::unique_ptr<GradientTape> kept;
  Array inside;
  auto f = jit([&](const Array &x) {
    kept = std::make_unique<GradientTape>(persistent);
    kept->watch(x);
    inside = x;
    return x * x;
  });
  EXPECT_EQ(number(f(3.0f)), 9);
  const Array x = 2.0f;
  EXPECT_THAT(errorOf([&] { kept->watch(x); }), HasSubstr("was used after the function it was created in, the jit of"));
  EXPECT_EQ(number(x * x), 4);
  kept.reset();
}

TEST(Tape, ThatFailsIsUsedUp) {
  const Array x = 3.0f;
  GradientTape tape;
  tape.watch(x);
  const Array steps = while_loop([](const Array &x) { return x > 1.0f; }, [](const Array &x) { return x * 0.5f; }, x);
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(steps, x); }), HasSubstr("while_loop"));
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(steps, x); }), HasSubstr("has already computed its gradient"));
}

} // namespace
