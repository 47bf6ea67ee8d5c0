//===- optim_state_test.cpp - what optimizers keep, refuse and share -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LogLines.h"

#include <tenon/optim.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Floats = std::vector<float>;

Floats of(const Variable &v) { return v.value().astype(f32).to_vector<float>(); }
double number(const Variable &v) { return v.value().astype(f64).item<double>(); }
Variable weight(Floats elements, std::string name = "w") { return Variable{Array(elements), std::move(name)}; }

TEST(Optimizers, CopiesShareWhatTheyKeep) {
  const optim::SGD optimizer{0.5, {.momentum = 0.9}};
  const optim::Optimizer copy = optimizer;
  const Variable w = weight({1, 2});
  optimizer.apply_gradients({Array{1.0f, 1.0f}}, {w});
  copy.learning_rate().assign(0.25);
  copy.apply_gradients({Array{1.0f, 1.0f}}, {w}); // m = 1.9
  EXPECT_EQ(of(w), (Floats{0.5f - 0.475f, 1.5f - 0.475f}));
  EXPECT_EQ(number(optimizer.learning_rate()), 0.25);
  EXPECT_EQ(number(optimizer.iterations()), 2);
  EXPECT_TRUE(optimizer.slot("momentum", w).is_same(copy.slot("momentum", w)));
  EXPECT_EQ(of(optimizer.slot("momentum", w)), (Floats{1.9f, 1.9f}));
}

TEST(Optimizers, TakeGradientsInThreeForms) {
  const Variable w = weight({1, 2}), b = weight({3}, "b");
  const optim::SGD optimizer{1};
  optimizer.apply_gradients({Array{1.0f, 1.0f}, Array{2.0f}}, {w, b});
  optimizer.apply_gradients(std::vector<std::pair<Array, Variable>>{{Array{1.0f}, b}, {Array{1.0f, 0.0f}, w}});
  optimizer.apply_gradients(nn::Gradients({{"layer.w", w, Array{1.0f, 0.0f}}}));
  EXPECT_EQ(of(w), (Floats{-2, 1}));
  EXPECT_EQ(of(b), (Floats{0}));
}

TEST(Optimizers, MinimizeAClosure) {
  const Variable w = weight({1, 2}), unread = weight({5}, "unread");
  const optim::SGD optimizer{0.25};
  auto loss = [&] { return sum(square(w)); };
  EXPECT_EQ(optimizer.minimize(loss, {w}).item<float>(), 5);
  EXPECT_EQ(of(w), (Floats{0.5, 1}));
  EXPECT_EQ(optim::SGD{0.25}.minimize(loss).item<float>(), 1.25);
  EXPECT_EQ(of(w), (Floats{0.25, 0.5}));
}

TEST(Optimizers, StepAfterBackward) {
  const Variable w = weight({1, 2});
  const optim::SGD optimizer{0.25};
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad({w});
    GradientTape tape;
    const Array loss = sum(square(w));
    tape.backward(loss);
    optimizer.step({w});
  }
  EXPECT_EQ(of(w), (Floats{0.25, 0.5}));
}

TEST(Optimizers, HyperparametersChangeWithoutANewTrace) {
  const Variable w = weight({1});
  const optim::Adam optimizer{{.learning_rate = 0.5, .weight_decay = 0.25}};
  auto step = jit([&](const Array &g) {
    optimizer.apply_gradients({g}, {w});
    return w * 1.0f;
  });
  step(Array{1.0f});
  optimizer.learning_rate().assign(0);
  const Floats before = of(w);
  step(Array{1.0f});
  EXPECT_EQ(of(w), before);
  optimizer.learning_rate().assign(0.5);
  optimizer.hyperparameter("weight_decay").assign(0);
  optimizer.hyperparameter("beta_1").assign(0);
  step(Array{0.0f});
  EXPECT_EQ(of(w), before) << "the momentum is gone";
  EXPECT_EQ(step.trace_count(), 1u);
  EXPECT_THAT(optimizer.hyperparameter_names(),
              ElementsAre("learning_rate", "beta_1", "beta_2", "epsilon", "weight_decay"));
  EXPECT_THAT(errorOf([&] { (void)optimizer.hyperparameter("rho"); }),
              HasSubstr("hyperparameter: expected one of adam ('learning_rate', 'beta_1', 'beta_2', 'epsilon', "
                        "'weight_decay'), got 'rho'\n  at "));
  EXPECT_THAT(errorOf([] { (void)optim::SGD().hyperparameter("momentum"); }), HasSubstr("left out where it is 0"));
}

TEST(Optimizers, SlotsAreMadeWithinTheFirstTrace) {
  const Variable w = weight({1, 2});
  const optim::Adam optimizer{0.1};
  int traced = 0;
  auto step = jit([&](const Array &g) {
    ++traced;
    optimizer.apply_gradients({g}, {w});
    return sum(g);
  });
  for (int i = 0; i < 5; ++i)
    step(Array{1.0f, -1.0f});
  EXPECT_EQ(traced, 1);
  EXPECT_EQ(step.trace_count(), 1u);
  EXPECT_EQ(number(optimizer.iterations()), 5);
  EXPECT_NEAR(of(w)[0], 0.5, 1e-5);
}

TEST(Optimizers, OfATracedFunctionStartAnewAtEachCall) {
  auto train = [](const Array &start) {
    const Variable w{start * 1.0f, "w"};
    const optim::Adam optimizer{0.1};
    for (int i = 0; i < 3; ++i)
      optimizer.minimize([&] { return sum(square(w)); }, {w});
    return w.value();
  };
  auto jitted = jit(train);
  const Array start{1.0f, -2.0f};
  const Floats expected = train(start).to_vector<float>();
  EXPECT_EQ(jitted(start).to_vector<float>(), expected);
  EXPECT_EQ(jitted(start).to_vector<float>(), expected);
}

TEST(Optimizers, RefuseOtherVariables) {
  const Variable w = weight({1, 2}), other = weight({1, 2}, "other");
  const optim::Adam optimizer{0.1};
  optimizer.apply_gradients({Array{1.0f, 1.0f}}, {w});
  EXPECT_THAT(errorOf([&] { optimizer.apply_gradients({Array{1.0f, 1.0f}}, {other}); }),
              HasSubstr("apply_gradients: expected a Variable that the optimizer was built for ('w'), got another one: "
                        "make a new optimizer, or add it by build()\n  variable: 'other'\n  at "));
  optimizer.build({other});
  optimizer.apply_gradients({Array{1.0f, 1.0f}}, {other});
  EXPECT_NE(of(other), (Floats{1, 2}));
}

TEST(Optimizers, NumberVariablesOfOneName) {
  const Variable first = weight({1}), second = weight({2});
  const optim::SGD optimizer{1, {.momentum = 0.5}};
  optimizer.build({first, second});
  std::vector<std::string> names;
  for (const auto &[name, variable] : optimizer.variables())
    names.push_back(name);
  EXPECT_THAT(names, ElementsAre("iterations", "learning_rate", "momentum", "momentum.w", "momentum.w_1"));
}

TEST(Optimizers, RefuseBadInputAndLeaveAllAsItWas) {
  const Variable w = weight({1, 2}), b = weight({3}, "b"), count{Array{1, 2}, "count"};
  const optim::SGD optimizer{1, {.momentum = 0.5}};
  const Array good{1.0f, 1.0f};
  auto apply = [&](std::vector<Array> gradients, std::vector<Variable> variables) {
    return errorOf([&] { optimizer.apply_gradients(gradients, variables); });
  };
  EXPECT_THAT(apply({good, Array{1.0f, 2.0f}}, {w, b}),
              HasSubstr("apply_gradients: expected a gradient of shape (1,), got (2,)\n  variable: 'b'\n  at "));
  EXPECT_THAT(apply({good}, {w, b}), HasSubstr("expected a gradient for each of 2 Variables, got 1"));
  EXPECT_THAT(apply({good, good}, {w, w}), HasSubstr("expected each Variable once\n  variable: 'w'"));
  EXPECT_THAT(apply({good}, {Variable()}), HasSubstr("expected Variables, got an empty one"));
  EXPECT_THAT(apply({Array{1, 2}}, {w}), HasSubstr("expected a gradient of floating numbers, got int32"));
  EXPECT_THAT(apply({Array{1, 2}}, {count}), HasSubstr("expected Variables of floating numbers, got int32"));
  EXPECT_THAT(apply({Array(), Array()}, {w, b}), HasSubstr("no gradients provided for any variable"));
  EXPECT_THAT(apply({}, {}), HasSubstr("no gradients provided for any variable"));
  EXPECT_THAT(errorOf([&] { optimizer.build({b, b}); }), HasSubstr("build: expected each Variable once"));
  EXPECT_EQ(of(w), (Floats{1, 2}));
  EXPECT_EQ(number(optimizer.iterations()), 0);
  EXPECT_EQ(optimizer.variables().size(), 3u) << "no slots";
}

TEST(Optimizers, TakeBackAStepThatThrows) {
  const Variable w = weight({1, 2}), b = weight({3}, "b");
  bool isBad = false;
  const optim::Transform bad{.init = [](const NamedArrays &params) { return params; },
                             .update =
                                 [&](NamedArrays &updates, NamedArrays &state, const NamedArrays &) {
                                   for (auto &[path, array] : state)
                                     array = array + 1;
                                   if (isBad)
                                     updates["b"] = Array{{1.0f}, {2.0f}}; // too large
                                 }};
  const optim::Optimizer optimizer{
      optim::chain(optim::scale_by_learning_rate([](const Array &step) { return 1 / (step.astype(f32) + 1); }), bad)};
  const std::vector<Array> gradients{Array{1.0f, 1.0f}, Array{1.0f}};
  optimizer.apply_gradients(gradients, {w, b});
  EXPECT_EQ(of(optimizer.slot("1", w)), (Floats{2, 3}));
  isBad = true;
  EXPECT_THAT(errorOf([&] { optimizer.apply_gradients(gradients, {w, b}); }),
              HasSubstr("expected f32[1], as it holds, got f32[2, 1]"));
  EXPECT_EQ(of(w), (Floats{0, 1}));
  EXPECT_EQ(of(optimizer.slot("1", w)), (Floats{2, 3}));
  EXPECT_EQ(number(optimizer.learning_rate()), 1);
  EXPECT_EQ(number(optimizer.iterations()), 1);
}

TEST(Optimizers, SkipVariablesWithoutGradients) {
  LogLines logged;
  const Variable w = weight({1, 2}), b = weight({3}, "b");
  const optim::Adam optimizer{1, {.weight_decay = 0.5}};
  for (int i = 0; i < 2; ++i)
    optimizer.apply_gradients({Array{1.0f, 1.0f}, Array()}, {w, b});
  EXPECT_EQ(of(b), (Floats{3}));
  EXPECT_EQ(of(optimizer.slot("velocity", b)), (Floats{0}));
  EXPECT_THAT(logged.warnings(), HasSubstr("gradients do not exist for the variables 'b'"));
  optimizer.apply_gradients({Array{1.0f, 1.0f}, Array{1.0f}}, {w, b});
  EXPECT_NE(of(b), (Floats{3}));
}

TEST(Optimizers, RestoreSlotsBeforeTheyExist) {
  const Variable w = weight({1, 2});
  const optim::Adam trained{0.1}, fresh{0.1};
  auto run = [](const optim::Optimizer &optimizer, const Variable &v) {
    optimizer.apply_gradients({Array{0.3f, -2.0f}}, {v});
  };
  for (int i = 0; i < 3; ++i)
    run(trained, w);
  for (const auto &[name, variable] : trained.variables())
    if (name.find('.') != std::string::npos)
      fresh.restore_slot(name, variable);
  fresh.iterations().assign(trained.iterations());
  const Variable copy = weight(of(w));
  for (int i = 0; i < 3; ++i) {
    run(trained, w);
    run(fresh, copy);
  }
  EXPECT_EQ(of(w), of(copy));
  const optim::Adam wrong{0.1};
  wrong.restore_slot("velocity.w", Array{1.0f});
  EXPECT_THAT(errorOf([&] { run(wrong, w); }),
              HasSubstr("adam: expected the slot 'velocity.w' to be float32(2,), got float32(1,), which was restored"));
  EXPECT_EQ(number(wrong.iterations()), 0);
}

TEST(Optimizers, AreMadeByNameAndRefuseOthers) {
  EXPECT_EQ(optim::Optimizer("rmsprop").name(), "rmsprop");
  EXPECT_EQ(number(optim::Optimizer("sgd").learning_rate()), 0.01);
  EXPECT_THAT(errorOf([] { optim::Optimizer("adan"); }),
              HasSubstr("Optimizer: expected a name among 'sgd', 'adam', 'adamw', 'rmsprop', 'adagrad', 'nadam', "
                        "'adamax', 'lion', 'lamb', 'adafactor', got 'adan'\n  at "));
  EXPECT_THAT(errorOf([] { optim::Adam(0.1, {.learning_rate = 0.2}); }), HasSubstr("Adam: expected one learning rate"));
  EXPECT_THAT(errorOf([] { optim::Adam(0.1, {.beta_2 = 1}); }), HasSubstr("Adam: expected beta_2 in [0, 1), got 1"));
  EXPECT_THAT(errorOf([] { optim::Adam(-1); }), HasSubstr("Adam: expected learning_rate in [0, inf), got -1"));
  EXPECT_THAT(errorOf([] { optim::Adam(1, {.clipnorm = 1, .clipvalue = 1}); }), HasSubstr("at most one of clipnorm"));
  EXPECT_THAT(errorOf([] { optim::Adam(1, {.global_clipnorm = 0}); }), HasSubstr("expected norm > 0, got 0"));
  EXPECT_THAT(errorOf([] { optim::Adam(1, {.gradient_accumulation_steps = 0}); }), HasSubstr("expected steps >= 1"));
  EXPECT_THAT(errorOf([] { optim::Adam(1, {.ema_overwrite_frequency = 2}); }), HasSubstr("beside an ema_momentum"));
  EXPECT_THAT(errorOf([] { (void)optim::adam(1, {.ema_momentum = 0.9}); }), HasSubstr("not a Transform"));
}

TEST(Optimizers, HaveF32SlotsOfNarrowVariables) {
  const Variable w{Array{1.0f, 2.0f}.astype(bf16), "w"};
  const optim::Adam optimizer{0.01, {.ema_momentum = 0.5}};
  optimizer.apply_gradients({Array{1.0f, 1.0f}.astype(bf16)}, {w});
  EXPECT_EQ(w.dtype(), bf16);
  EXPECT_EQ(optimizer.slot("velocity", w).dtype(), f32);
  EXPECT_EQ(optimizer.slot("average", w).dtype(), f32);
  EXPECT_THAT(errorOf([&] { (void)optimizer.slot("m", w); }),
              HasSubstr("slot: expected a kind among 'average', 'momentum', 'velocity', got 'm'"));
}

/// One step of four rows is as four steps of one row.
TEST(Accumulation, EqualsOneLargeBatch) {
  for (const bool isJitted : {false, true}) {
    const Variable large = weight({1, 2}), small = weight({1, 2});
    const optim::Adam once{0.1, {.weight_decay = 0.1, .clipnorm = 1}},
        often{0.1, {.weight_decay = 0.1, .clipnorm = 1, .gradient_accumulation_steps = 4}};
    auto apply = [&](const Array &g) {
      often.apply_gradients({g}, {small});
      return sum(g);
    };
    auto jitted = jit(apply);
    const Array batch{{1.0f, 2.0f}, {0.5f, -1.0f}, {2.0f, 4.0f}, {-0.25f, 1.0f}};
    for (int i = 0; i < 3; ++i) {
      once.apply_gradients({mean(batch, 0)}, {large});
      for (int row = 0; row < 4; ++row) {
        const Floats before = of(small);
        isJitted ? jitted(batch[row]) : apply(batch[row]);
        EXPECT_EQ(of(small) == before, row < 3);
      }
    }
    EXPECT_EQ(of(small), of(large));
    EXPECT_EQ(number(often.iterations()), 3);
    EXPECT_EQ(of(often.slot("momentum", small)), of(once.slot("momentum", large)));
    EXPECT_LE(jitted.trace_count(), 1u);
  }
}

TEST(Accumulation, CountsUpdatesForSchedules) {
  const Variable w = weight({0});
  const optim::SGD optimizer{optim::piecewise_constant({0, 1}, {1, 10, 100}), {.gradient_accumulation_steps = 2}};
  auto step = jit([&](const Array &g) {
    optimizer.apply_gradients({g}, {w});
    return w * 1;
  });
  Floats seen;
  for (int i = 0; i < 6; ++i)
    seen.push_back(step(Array{-1.0f}).item<float>());
  EXPECT_EQ(seen, (Floats{0, 1, 1, 11, 11, 111}));
  EXPECT_EQ(number(optimizer.learning_rate()), 100);
}

TEST(Averages, OfTheOptimizerFollowKeras) {
  const Variable w = weight({8}), still = weight({2}, "still");
  const optim::SGD optimizer{1, {.ema_momentum = 0.5}};
  optimizer.build({w, still});
  for (int i = 0; i < 3; ++i)
    optimizer.apply_gradients({Array{1.0f}}, {w}); // 7, 6, 5
  EXPECT_EQ(of(optimizer.slot("average", w)), (Floats{0.5f * (0.5f * 7 + 3) + 2.5f}));
  EXPECT_EQ(of(optimizer.slot("average", still)), (Floats{2}));
  optimizer.finalize_variable_values();
  EXPECT_EQ(of(w), (Floats{5.75}));
  const Variable v = weight({8});
  const optim::SGD overwriting{1, {.ema_momentum = 0.5, .ema_overwrite_frequency = 2}};
  for (int i = 0; i < 2; ++i)
    overwriting.apply_gradients({Array{1.0f}}, {v});
  EXPECT_EQ(of(v), (Floats{6.5}));
  EXPECT_THAT(errorOf([] { optim::SGD().finalize_variable_values(); }), HasSubstr("with an ema_momentum"));
}

struct Model {
  Variable w, statistic;
};

TEST(Averages, OfAModelReplaceItsWeightsInAScope) {
  for (const bool isJitted : {false, true}) {
    const Model model{weight({8}), Variable{Array{1.0f}, "statistic", false}};
    const optim::EMA average{model, 0.5};
    EXPECT_THAT(errorOf([&] { auto scope = average.averaged(); }), HasSubstr("averaged: expected an update() before"));
    auto step = [&](const Array &x) {
      model.w -= x;
      average.update();
      return x * 1;
    };
    auto jitted = jit(step);
    for (int i = 0; i < 3; ++i)
      isJitted ? jitted(Array{1.0f}) : step(Array{1.0f}); // 7, 6, 5
    EXPECT_LE(jitted.trace_count(), 1u);
    {
      auto scope = average.averaged();
      EXPECT_EQ(of(model.w), (Floats{5.75}));
      EXPECT_EQ(of(model.statistic), (Floats{1}));
    }
    EXPECT_EQ(of(model.w), (Floats{5}));
    EXPECT_EQ(number(average.updates()), 3);
    EXPECT_EQ(of(average.average(model.w)), (Floats{5.75}));
    EXPECT_THAT(errorOf([&] { (void)average.average(model.statistic); }),
                HasSubstr("expected a Variable of the model"));
  }
  EXPECT_THAT(errorOf([] { optim::EMA(Model{weight({1}), weight({1})}, 1); }), HasSubstr("decay in [0, 1), got 1"));
}

TEST(Optimizers, AreFoundByCheckpoints) {
  struct Program {
    optim::Adam optimizer{0.1};
    optim::EMA average;
  };
  const Variable w = weight({1, 2});
  Program program{.average = optim::EMA(Model{w, Variable{Array{1.0f}, "statistic", false}})};
  program.optimizer.apply_gradients({Array{1.0f, 1.0f}}, {w});
  program.average.update();
  std::vector<std::string> paths;
  for_each_leaf(program, [&](const auto &, const Path &path) { paths.push_back(path.str()); });
  EXPECT_THAT(paths, ElementsAre("optimizer.iterations", "optimizer.learning_rate", "optimizer.beta_1",
                                 "optimizer.beta_2", "optimizer.epsilon", "optimizer.momentum.w",
                                 "optimizer.velocity.w", "average.decay", "average.updates", "average.average.w"));
}

TEST(Optimizers, GoOnFromACheckpoint) {
  std::string folder = (std::filesystem::temp_directory_path() / "tenon-optim-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  const std::vector<Array> gradients{Array{0.5f, -2.0f}};
  auto run = [&](const optim::Optimizer &optimizer, const Variable &v) { optimizer.apply_gradients(gradients, {v}); };
  Variable w = weight({1, 2}), other = weight({1, 2});
  optim::Adam optimizer{0.1}, next;
  run(optimizer, w);
  const std::string path = Checkpoint{{"w", w}, {"optimizer", optimizer}}.save(folder + "/");
  next.build({other});
  Checkpoint{{"w", other}, {"optimizer", next}}.restore(path).assert_consumed();
  run(optimizer, w);
  run(next, other);
  EXPECT_EQ(of(other), of(w));
  EXPECT_EQ(number(next.learning_rate()), 0.1);
  std::filesystem::remove_all(folder);
}

/// As nn::clone does.
struct Clone {
  using Clones = void;
  void operator()(Variable &leaf, const Path &) { leaf = Variable{leaf.value(), leaf.name(), leaf.trainable()}; }
  template <class Static>
  void operator()(Static &, const Path &) {}
};

TEST(Optimizers, ClonesUpdateClonesOfTheVariables) {
  const Variable w = weight({1, 2});
  const optim::Adam optimizer{0.1, {.ema_momentum = 0.5}};
  const std::vector<Array> gradients{Array{0.5f, -2.0f}};
  optimizer.apply_gradients(gradients, {w});
  optim::Adam clone = optimizer;
  for_each_leaf(clone, Clone());
  const Variable other = weight(of(w));
  clone.apply_gradients(gradients, {other});
  EXPECT_EQ(number(optimizer.iterations()), 1);
  EXPECT_EQ(number(clone.iterations()), 2);
  optimizer.apply_gradients(gradients, {w});
  EXPECT_EQ(of(other), of(w));
  clone.learning_rate().assign(0);
  clone.apply_gradients(gradients, {other});
  EXPECT_EQ(of(other), of(w));
  EXPECT_EQ(number(optimizer.learning_rate()), 0.1);
  EXPECT_EQ(number(clone.hyperparameter("ema_momentum")), 0.5);
}

TEST(Optimizers, AreArgumentsOfJittedFunctions) {
  const Variable w = weight({1, 2});
  auto step = jit([&](const optim::Optimizer &optimizer, const Array &g) {
    optimizer.apply_gradients({g}, {w});
    return sum(g);
  });
  const optim::Optimizer optimizer = optim::SGD{0.5};
  step(optimizer, Array{1.0f, 1.0f});
  step(optim::Optimizer(optimizer), Array{1.0f, 1.0f});
  EXPECT_EQ(of(w), (Floats{0, 1}));
  EXPECT_EQ(number(optimizer.iterations()), 2);
}

} // namespace
