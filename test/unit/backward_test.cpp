//===- backward_test.cpp - gradients of all Variables that a function reads -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Pairs = std::vector<std::pair<Array, Variable>>;

/// What stands in the list of a gradient and a Variable: their numbers, by the Variables' names.
std::vector<std::pair<std::string, float>> named(const Pairs &pairs) {
  std::vector<std::pair<std::string, float>> all;
  for (const auto &[gradient, variable] : pairs)
    all.emplace_back(variable.name(), number(gradient));
  return all;
}
std::pair<std::string, float> of(const char *name, float gradient) { return {name, gradient}; }

struct Line {
  Variable weight{2.0f, "weight"}, bias{1.0f, "bias"};
  Array operator()(const Array &x) const {
    const Array scaled = weight * x; // first: C++ leaves open which operand is read first
    return scaled + bias;
  }
};

//===----------------------------------------------------------------------===//
// implicit_gradients
//===----------------------------------------------------------------------===//

TEST(ImplicitGradients, AreThoseOfAllVariablesInTheOrderOfTheirFirstReads) {
  const Line line;
  const Variable unread{1.0f}, fixed{5.0f, "fixed", false}, whole{Array(1), "whole"}, idle{4.0f, "idle"};
  auto loss = [&](const Array &x, const Array &y) {
    const Array unused = idle * 2.0f; // read, but the result does not depend on it
    const Array bias = line.bias - y;
    return square(bias + line.weight * x * whole) + 0.0f * fixed;
  };
  const Pairs pairs = implicit_gradients(loss)(3.0f, Array(1.0f));
  EXPECT_THAT(named(pairs), ElementsAre(of("idle", 0), of("bias", 12), of("weight", 36)));
  EXPECT_TRUE(pairs[1].second.is_same(line.bias));
  const auto [value, again] = implicit_value_and_gradients(loss)(3.0f, 1.0f);
  EXPECT_EQ(number(value), 36);
  EXPECT_EQ(named(again), named(pairs));
  // As an optimizer does it.
  for (const auto &[gradient, variable] : pairs)
    variable -= 0.5f * gradient;
  EXPECT_EQ(number(line.weight), -16);
  EXPECT_EQ(number(line.bias), -5);
}

TEST(ImplicitGradients, TakeArgumentsOfAnyType) {
  const Line line;
  const Pairs model = implicit_gradients([](const Line &line, const Array &x, const std::string &name, Line *) {
    return name == "twice" ? 2.0f * line(x) : line(x);
  })(line, Array{1.0f, 2.0f}, std::string("twice"), static_cast<Line *>(nullptr));
  EXPECT_THAT(named(model), ElementsAre(of("weight", 6), of("bias", 4))); // summed over the elements
  // A Variable where an Array is taken is read, too.
  const Pairs given = implicit_gradients([](const Array &x) { return x * x; })(line.weight);
  EXPECT_THAT(named(given), ElementsAre(of("weight", 4)));
}

TEST(ImplicitGradients, FollowTheRunAndSumOverWhatVariablesHaveHeld) {
  Variable w{3.0f, "w"}, v{1.0f, "v"};
  auto f = [&](const Array &x) { return bool(w.value() > 2) ? w * x : w * v * x; };
  EXPECT_THAT(named(implicit_gradients(f)(2.0f)), ElementsAre(of("w", 2)));
  w.assign(1.0f);
  EXPECT_THAT(named(implicit_gradients(f)(2.0f)), ElementsAre(of("w", 2), of("v", 2)));
  // Those that are gone when it has run are left out.
  const Pairs rest = implicit_gradients([&] { return Variable{7.0f} * w; })();
  EXPECT_THAT(named(rest), ElementsAre(of("w", 7)));
}

TEST(ImplicitGradients, InAndAroundJit) {
  Line line;
  auto f = [&](const Array &x) { return sum(square(line(x))); };
  const Array x = {1.0f, 2.0f};
  const auto eager = named(implicit_gradients(f)(x));
  auto jitted = jit(f);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(named(implicit_gradients(jitted)(x)), eager);
  auto step = jit([&](const Array &x) {
    const auto [loss, pairs] = implicit_value_and_gradients(f)(x);
    for (const auto &[gradient, variable] : pairs)
      variable -= 0.01f * gradient;
    return loss;
  });
  Line other;
  other.weight.assign(2.0f);
  for (int i = 0; i < 3; ++i) {
    const float before = number(f(x));
    EXPECT_EQ(number(step(x)), before);
    EXPECT_LT(number(f(x)), before);
  }
  EXPECT_EQ(step.stats().compiles, 1);
}

TEST(ImplicitGradients, Nest) {
  Variable w{3.0f, "w"};
  auto cube = [&](const Array &x) { return w * w * w * x; };
  // The second derivative, on an outer tape; the mixed one, by grad; each example's own, by vmap.
  auto slope = [&](const Array &x) { return implicit_gradients(cube)(x)[0].first; };
  EXPECT_THAT(named(implicit_gradients(slope)(1.0f)), ElementsAre(of("w", 18)));
  EXPECT_EQ(number(grad(slope)(1.0f)), 27);
  EXPECT_EQ(jvp(slope, Array(1.0f), Array(2.0f)).second.item<float>(), 54);
  EXPECT_THAT(vmap(slope)(Array{1.0f, 2.0f}).to_vector<float>(), ElementsAre(27, 54));
  EXPECT_EQ(number(jit(slope)(Array(2.0f))), 54);
}

TEST(ImplicitGradients, SayWhatIsWrong) {
  const Variable w{3.0f, "w"}, fixed{1.0f, "fixed", false};
  auto constant = [&](const Array &x) { return x * fixed; };
  const Array x = 1.0f;
  const unsigned line = __LINE__ + 1;
  const std::string text = errorOf([&] { implicit_gradients(constant)(x); });
  EXPECT_THAT(text, HasSubstr("implicit_gradients: expected a function that reads a trainable Variable, got one that "
                              "reads none"));
  EXPECT_THAT(text, HasSubstr("backward_test.cpp:" + std::to_string(line)));
  EXPECT_THAT(errorOf([&] { implicit_gradients([&](const Array &x) { return w * x > 1; })(x); }),
              HasSubstr("gradient: expected a floating target, got bool[]"));
  // It leaves no tape behind when f throws.
  EXPECT_ANY_THROW(implicit_gradients([&](const Array &x) -> Array { throw(w * x).shape(); })(x));
  EXPECT_THAT(named(implicit_gradients([&](const Array &x) { return w * x; })(x)), ElementsAre(of("w", 1)));
}

TEST(WatchedVariables, AreThoseThatAreReadWhileItRecords) {
  const Variable a{1.0f, "a"}, b{2.0f, "b"}, c{3.0f, "c"};
  const Array before = a.value();
  GradientTape tape;
  {
    auto pause = tape.stop_recording();
    const Array y = a * before;
  }
  const Array y = c * b * c;
  std::vector<std::string> names;
  for (const Variable &variable : tape.watched_variables())
    names.push_back(variable.name());
  EXPECT_THAT(names, ElementsAre("c", "b"));
  tape.reset();
  EXPECT_TRUE(tape.watched_variables().empty());
}

//===----------------------------------------------------------------------===//
// backward, grad, zero_grad
//===----------------------------------------------------------------------===//

TEST(Backward, AddsToTheGradientsOfVariables) {
  const Line line;
  const Variable unread{1.0f};
  for (int i = 1; i <= 2; ++i) {
    GradientTape tape;
    tape.backward(square(line(Array(3.0f))));
    EXPECT_EQ(number(line.weight.grad()), 42 * i);
    EXPECT_EQ(number(line.bias.grad()), 14 * i);
  }
  EXPECT_EQ(number(unread.grad()), 0);
  line.weight.zero_grad();
  EXPECT_EQ(number(line.weight.grad()), 0);
  EXPECT_EQ(number(line.bias.grad()), 28);
  // A handle of it is of that Variable, which is no parameter.
  const Variable gradient = line.weight.grad();
  EXPECT_TRUE(gradient.is_same(line.weight.grad()));
  EXPECT_EQ(gradient.name(), "weight.grad");
  EXPECT_FALSE(gradient.trainable());
  gradient.assign(2.0f);
  line.weight.grad() *= 4.0f; // as clipping does it
  EXPECT_EQ(number(gradient), 8);
}

TEST(Backward, SumsOverTargetsAndWeighsThem) {
  const Variable w{Array{1.0f, 2.0f}, "w"};
  {
    GradientTape tape;
    tape.backward(w * w); // of any shape
    EXPECT_THAT(w.grad().value().to_vector<float>(), ElementsAre(2, 4));
  }
  w.zero_grad();
  GradientTape tape(persistent);
  const std::pair<Array, Array> both(w * w, sum(w));
  tape.backward(both);
  EXPECT_THAT(w.grad().value().to_vector<float>(), ElementsAre(3, 5));
  tape.backward(both.first, {.output_gradients = Array{10.0f, 100.0f}});
  EXPECT_THAT(w.grad().value().to_vector<float>(), ElementsAre(23, 405));
}

TEST(Backward, LeavesTheOthersAlone) {
  const Variable w{2.0f, "w"}, v{3.0f, "v"}, fixed{4.0f, "fixed", false};
  v.grad().assign(7.0f);
  GradientTape tape;
  const Array other = v * fixed, loss = w * fixed;
  tape.backward(loss);
  EXPECT_EQ(number(w.grad()), 4);
  EXPECT_EQ(number(v.grad()), 7);
}

TEST(Backward, TrainsUnderJitAsWithout) {
  const Array x = {0.0f, 1.0f, 2.0f, 3.0f}, y = 3.0f * x - 1.0f;
  Line eager, compiled;
  auto step = [&](const Line &line) {
    line.weight.zero_grad(), line.bias.zero_grad();
    GradientTape tape;
    const Array loss = mean(square(line(x) - y));
    tape.backward(loss);
    line.weight -= 0.1f * line.weight.grad();
    line.bias -= 0.1f * line.bias.grad();
    return loss;
  };
  auto jitted = jit([&](const Line &line) { return step(line); });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(number(step(eager)), number(jitted(compiled)));
  EXPECT_EQ(number(eager.weight), number(compiled.weight));
  EXPECT_EQ(number(eager.weight.grad()), number(compiled.weight.grad()));
  EXPECT_NEAR(number(eager.weight), 3, 0.02);
  EXPECT_EQ(jitted.stats().compiles, 1) << "the gradients are there before the first call is traced";
  // Another model has gradients of its own.
  Line third;
  jitted(third);
  EXPECT_EQ(number(third.weight), 2.1f);
  EXPECT_EQ(number(third.weight.grad()), -1);
}

TEST(Backward, AccumulatesOverCallsAndAroundJit) {
  const Line line;
  auto f = jit([&](const Array &x) { return square(line(x)); });
  auto add = jit([&](const Array &x) {
    GradientTape tape;
    tape.backward(f(x));
  });
  for (int i = 1; i <= 3; ++i) {
    GradientTape tape;
    tape.backward(f(Array(3.0f)));
    add(Array(3.0f));
    EXPECT_EQ(number(line.weight.grad()), 84 * i);
  }
  // After a throw all of it is as it was.
  auto failing = jit([&](const Array &x) {
    GradientTape tape;
    tape.backward(line(x));
    throw 1;
  });
  EXPECT_ANY_THROW(failing(Array(1.0f)));
  EXPECT_EQ(number(line.weight.grad()), 84 * 3);
}

TEST(Backward, OfALayerThatIsMadeUnderJit) {
  std::optional<Variable> weight;
  auto step = jit([&](const Array &x) {
    if (!weight)
      weight = Variable(x * 2.0f, "weight");
    GradientTape tape;
    tape.backward(sum(*weight * x));
  });
  for (int i = 1; i <= 3; ++i) {
    step(Array{1.0f, 5.0f});
    EXPECT_THAT(weight->grad().value().to_vector<float>(), ElementsAre(i, 5 * i));
  }
}

TEST(Backward, KeepsNoDerivative) {
  const Variable w{3.0f, "w"};
  GradientTape outer;
  {
    GradientTape tape;
    tape.backward(w * w * w);
  }
  const Array penalty = w.grad() * w;
  EXPECT_EQ(number(outer.gradient(penalty, w)), 27) << "an assignment has no derivative";
}

TEST(Backward, GoesThroughBranchesAndReadsInBodies) {
  const Variable w{3.0f, "w"};
  const auto [total, none] =
      scan([&](const Array &carry, const Array &x) { return std::pair(carry + x * w + w.grad(), Array(0.0f)); },
           Array(0.0f), Array{1.0f, 2.0f});
  EXPECT_EQ(number(total), 9);
  auto step = jit([&](const Array &p) {
    return cond(
        p > 0,
        [&] {
          GradientTape tape;
          tape.backward(w * w);
          return w.grad().value();
        },
        [&] { return w.value(); });
  });
  EXPECT_EQ(number(step(Array(1.0f))), 6);
  EXPECT_EQ(number(step(Array(-1.0f))), 3);
  EXPECT_EQ(number(w.grad()), 6);
}

TEST(Backward, SaysWhatIsWrong) {
  const Variable w{3.0f, "w"}, fixed{1.0f, "fixed", false}, whole{Array(1), "whole"};
  const Array y = w * 2.0f; // before the tape
  GradientTape tape(persistent);
  const std::string text = errorOf([&] { tape.backward(y); });
  EXPECT_THAT(text, HasSubstr("backward: expected a target that depends on a trainable Variable which the GradientTape "
                              "of "));
  EXPECT_THAT(text, HasSubstr("backward_test.cpp:" + std::to_string(__LINE__ - 3)));
  const Array z = w * fixed;
  EXPECT_THAT(errorOf([&] { tape.backward(y); }), HasSubstr("has seen read, got one that depends on none"));
  EXPECT_THAT(errorOf([&] { tape.backward(z > 1); }), HasSubstr("backward: expected a floating target, got bool[]"));
  EXPECT_THAT(errorOf([&] { tape.backward(z, {.output_gradients = Array{1.0f}}); }),
              HasSubstr("backward: expected an output gradient of the target's type f32[], got f32[1]"));
  EXPECT_EQ(number(w.grad()), 0);
  EXPECT_THAT(
      errorOf([&] { fixed.grad(); }),
      HasSubstr("grad: expected a trainable Variable with floating (or complex) elements, got a Variable that is not "
                "trainable\n  variable: 'fixed'\n  at "));
  EXPECT_THAT(errorOf([&] { whole.zero_grad(); }), HasSubstr("elements, got i32[]\n  variable: 'whole'"));
  EXPECT_THAT(errorOf([&] { Variable().grad(); }), HasSubstr("grad: expected a Variable, got an empty one"));
  EXPECT_THAT(errorOf([&] { Variable().zero_grad(); }), HasSubstr("zero_grad: expected a Variable, got an empty one"));
  GradientTape once;
  const Array loss = w * w;
  once.backward(loss);
  EXPECT_THAT(errorOf([&] { once.backward(loss); }), HasSubstr("backward: the GradientTape of "));
  EXPECT_THAT(errorOf([&] {
                vmap([&](const Array &x) {
                  GradientTape tape;
                  tape.backward(w * x);
                  return x;
                })(Array{1.0f, 2.0f});
              }),
              HasSubstr("backward: expected a value that is not batched by "));
}

TEST(Backward, LosesNothingFromOtherThreads) {
  const Variable w{Array{1.0f, 2.0f}, "w"};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        GradientTape tape;
        tape.backward(sum(w * 2.0f));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(w.grad().value().to_vector<float>(), ElementsAre(400, 400));
}

TEST(Backward, KeepsTheTypeAndDevice) {
  const Variable w{zeros({2, 3}, bf16), "w"}, z{Array(complex64_t{1, 2}), "z"}, empty{zeros({0, 3}), "empty"};
  EXPECT_EQ(w.grad().dtype(), bf16);
  EXPECT_EQ(w.grad().shape(), Shape({2, 3}));
  GradientTape tape;
  tape.backward(sum(real(z * z)) + sum(w) + sum(empty));
  EXPECT_EQ(w.grad().value().astype(f32).to_vector<float>(), std::vector<float>(6, 1));
  EXPECT_EQ(z.grad().dtype(), c64);
  EXPECT_EQ(empty.grad().shape(), Shape({0, 3}));
  w.grad() += 1.0f;
  EXPECT_EQ(w.grad().value().astype(f32).to_vector<float>(), std::vector<float>(6, 2));
}

} // namespace
