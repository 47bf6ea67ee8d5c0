//===- nn_params_test.cpp - models as pure functions of their parameters --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/nn.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

using namespace tenon;
using namespace tenon::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

struct Net {
  nn::Dense hidden{4, {.activation = tanh}};
  nn::BatchNorm norm;
  nn::Dropout dropout{0.5};
  nn::Dense out{1};
  Array operator()(const Array &x) const { return out(dropout(norm(hidden(x)))); }
};
Array inputs(int64_t rows = 6) { return random::normal(random::key(3), {rows, 3}); }
Key seed(uint64_t number = 1) { return random::key(number); }

std::vector<float> bitsOf(const Array &x) { return reshape(x, {-1}).to_vector<float>(); }
std::vector<std::string> pathsOf(const NamedArrays &arrays) {
  std::vector<std::string> paths;
  for (const auto &[path, array] : arrays)
    paths.push_back(path);
  return paths;
}
/// A model with values of its own, beside a copy of these.
struct Built {
  Net net;
  nn::Params before;
  Built() {
    nn::build(net, Shape{2, 3});
    before = nn::params_of(net, seed());
  }
  void expectUntouched() const {
    const nn::Params now = nn::params_of(net, seed());
    for (const auto &[path, array] : before.weights)
      EXPECT_EQ(bitsOf(array), bitsOf(now.weights.at(path))) << path;
    for (const auto &[path, array] : before.state)
      EXPECT_EQ(bitsOf(array), bitsOf(now.state.at(path))) << path;
  }
};

TEST(NnParams, InitLeavesTheModelUnbuilt) {
  const Net net;
  const nn::Params p = nn::init(net, seed(), inputs());
  EXPECT_THAT(pathsOf(p.weights),
              ElementsAre("hidden.bias", "hidden.kernel", "norm.beta", "norm.gamma", "out.bias", "out.kernel"));
  EXPECT_THAT(pathsOf(p.state), ElementsAre("norm.moving_mean", "norm.moving_variance"));
  EXPECT_EQ(p.keys.size(), 1u);
  EXPECT_FALSE(net.hidden.built());
  EXPECT_FALSE(net.norm.built());
  EXPECT_EQ(p.weights.at("hidden.kernel").shape(), (Shape{3, 4}));
  EXPECT_GT(max(abs(p.weights.at("hidden.kernel"))).item<float>(), 0.1f);
  EXPECT_EQ(bitsOf(p.state.at("norm.moving_variance")), std::vector<float>(4, 1.0f));
}

TEST(NnParams, InitDependsOnTheKeyAlone) {
  const Net net;
  const nn::Params p = nn::init(net, seed(), inputs());
  (void)random::default_generator().key();
  const nn::Params same = nn::init(Built().net, seed(), inputs(2)), other = nn::init(net, seed(2), inputs());
  EXPECT_EQ(bitsOf(p.weights.at("hidden.kernel")), bitsOf(same.weights.at("hidden.kernel")));
  EXPECT_NE(bitsOf(p.weights.at("hidden.kernel")), bitsOf(other.weights.at("hidden.kernel")));
  EXPECT_NE(bitsOf(p.weights.at("hidden.kernel")), bitsOf(nn::init(net, seed(), inputs()).weights.at("out.kernel")));
  const nn::Params jitted = jit([&](const Key &key) { return nn::init(net, key, inputs()); })(seed());
  EXPECT_EQ(bitsOf(p.weights.at("out.kernel")), bitsOf(jitted.weights.at("out.kernel")));
}

TEST(NnParams, GivesWhatTheModelGives) {
  const Built built;
  const Array x = inputs();
  auto [y, next] = nn::stateless_call(built.net, built.before, x);
  EXPECT_EQ(bitsOf(y), bitsOf(built.net(x)));
  EXPECT_EQ(bitsOf(next.state.at("norm.moving_mean")), bitsOf(built.before.state.at("norm.moving_mean")));
}

TEST(NnParams, MovingStatisticsAreInTheNextParameters) {
  const Built built;
  const Array x = inputs();
  auto [y, next] = nn::stateless_call(built.net, built.before, x, {.training = true});
  built.expectUntouched();
  const Array batch = mean(built.net.hidden(x), 0);
  const auto moved = bitsOf(next.state.at("norm.moving_mean")), expected = bitsOf(batch * 0.01f);
  for (size_t i = 0; i < moved.size(); ++i)
    EXPECT_NEAR(moved[i], expected[i], 1e-6f);
  EXPECT_THAT(pathsOf(next.state), ElementsAre("norm.moving_mean", "norm.moving_variance"));
}

TEST(NnParams, DropoutDrawsFromTheKeysOfTheParameters) {
  const Built built;
  const Array x = inputs();
  const uint64_t drawn = random::default_generator().position();
  auto [y, next] = nn::stateless_call(built.net, built.before, x, {.training = true});
  auto [again, nextAgain] = nn::stateless_call(built.net, built.before, x, {.training = true});
  auto [later, unused] = nn::stateless_call(built.net, next, x, {.training = true});
  EXPECT_EQ(random::default_generator().position(), drawn);
  EXPECT_EQ(bitsOf(y), bitsOf(again));
  EXPECT_NE(bitsOf(y), bitsOf(later));
  EXPECT_NE(next.keys.at("default").data.to_vector<uint32_t>(),
            built.before.keys.at("default").data.to_vector<uint32_t>());
  EXPECT_EQ(next.keys.at("default").data.to_vector<uint32_t>(),
            nextAgain.keys.at("default").data.to_vector<uint32_t>());
  auto [inference, same] = nn::stateless_call(built.net, built.before, x);
  EXPECT_EQ(same.keys.at("default").data.to_vector<uint32_t>(),
            built.before.keys.at("default").data.to_vector<uint32_t>());
}

TEST(NnParams, JitGivesTheBitsOfEagerExecution) {
  const Net net;
  const nn::Params p = nn::init(net, seed(), inputs());
  auto call = [&](const nn::Params &params, const Array &x) {
    return nn::stateless_call(net, params, x, {.training = true});
  };
  auto [y, next] = call(p, inputs());
  auto jitted = jit(call);
  for (int i = 0; i < 2; ++i) {
    auto [z, after] = jitted(p, inputs());
    EXPECT_EQ(bitsOf(y), bitsOf(z));
    EXPECT_EQ(bitsOf(next.state.at("norm.moving_variance")), bitsOf(after.state.at("norm.moving_variance")));
    EXPECT_EQ(next.keys.at("default").data.to_vector<uint32_t>(), after.keys.at("default").data.to_vector<uint32_t>());
  }
  EXPECT_EQ(jitted.trace_count(), 1u);
  EXPECT_FALSE(net.hidden.built());
}

TEST(NnParams, EnsemblesAreTheirMembers) {
  const Net net;
  const Array x = inputs();
  auto init = [&](const Key &key) { return nn::init(net, key, x); };
  const Key keys = random::keys(seed(), {3});
  const nn::Params all = vmap(init)(keys);
  EXPECT_EQ(all.weights.at("hidden.kernel").shape(), (Shape{3, 3, 4}));
  EXPECT_EQ(all.keys.at("default").shape(), (Shape{3}));
  auto call = [&](const nn::Params &p) { return nn::stateless_call(net, p, x, {.training = true}); };
  auto [ys, nexts] = vmap(call)(all);
  auto [zs, jitted] = jit(vmap(call))(all);
  for (int64_t i = 0; i < 3; ++i) {
    const nn::Params one = tree_slice(all, i), own = init(keys[i]);
    EXPECT_EQ(bitsOf(one.weights.at("hidden.kernel")), bitsOf(own.weights.at("hidden.kernel")));
    EXPECT_EQ(one.keys.at("default").data.to_vector<uint32_t>(), own.keys.at("default").data.to_vector<uint32_t>());
    auto [y, next] = call(one);
    const nn::Params after = tree_slice(nexts, i);
    const auto expected = bitsOf(y), got = bitsOf(ys[i]), compiled = bitsOf(zs[i]);
    for (size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(got[k], expected[k], 1e-5f);
      EXPECT_NEAR(compiled[k], expected[k], 1e-5f);
    }
    EXPECT_EQ(after.keys.at("default").data.to_vector<uint32_t>(), next.keys.at("default").data.to_vector<uint32_t>());
    const auto mean = bitsOf(next.state.at("norm.moving_mean")), batched = bitsOf(after.state.at("norm.moving_mean"));
    for (size_t k = 0; k < mean.size(); ++k)
      EXPECT_NEAR(batched[k], mean[k], 1e-6f);
  }
}

TEST(NnParams, GradientsAreThoseOfTheTape) {
  const Built built;
  const Array x = inputs();
  auto loss = [&](const NamedArrays &weights, nn::Params p) {
    p.weights = weights;
    return mean(square(nn::stateless_call(built.net, p, x).first));
  };
  const NamedArrays gradients = grad(loss)(built.before.weights, built.before);
  auto ofModel = [&](const Net &net) { return mean(square(net(x))); };
  auto [value, taped] = nn::value_and_grad(ofModel, {.training = false})(built.net);
  for (const auto &[path, gradient] : gradients)
    EXPECT_EQ(bitsOf(gradient), bitsOf(taped[path])) << path;
  const NamedArrays jitted = jit(grad(loss))(built.before.weights, built.before);
  for (const auto &[path, gradient] : gradients)
    EXPECT_EQ(bitsOf(gradient), bitsOf(jitted.at(path))) << path;
}

TEST(NnParams, HvpAgreesWithDifferencesOfGradients) {
  const Built built;
  const Array x = inputs();
  auto loss = [&](const NamedArrays &weights) {
    nn::Params p = built.before;
    p.weights = weights;
    return mean(square(nn::stateless_call(built.net, p, x, {.training = true}).first));
  };
  NamedArrays along, moved, back;
  for (const auto &[path, w] : built.before.weights) {
    along[path] = random::normal(seed(path.size()), w.shape());
    moved[path] = w + 1e-2f * along[path];
    back[path] = w - 1e-2f * along[path];
  }
  const NamedArrays product = hvp(loss, built.before.weights, along);
  const NamedArrays after = grad(loss)(moved), before = grad(loss)(back);
  for (const auto &[path, one] : product) {
    const auto expected = bitsOf((after.at(path) - before.at(path)) / 2e-2f), got = bitsOf(one);
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], 2e-2f * (1 + std::abs(expected[i]))) << path;
  }
  built.expectUntouched();
}

TEST(NnParams, WorksInGradInJitInVmap) {
  const Net net;
  const Array x = inputs();
  auto loss = [&](const NamedArrays &weights, nn::Params p) {
    p.weights = weights;
    auto [y, next] = nn::stateless_call(net, p, x, {.training = true});
    return std::pair(mean(square(y)), next);
  };
  auto gradient = jit(grad(loss));
  const nn::Params all = vmap([&](const Key &key) { return nn::init(net, key, x); })(random::keys(seed(), {2}));
  auto [gradients, nexts] = vmap([&](const nn::Params &p) { return gradient(p.weights, p); })(all);
  for (int64_t i = 0; i < 2; ++i) {
    const nn::Params one = tree_slice(all, i);
    auto [expected, next] = grad(loss)(one.weights, one);
    for (const auto &[path, array] : expected) {
      const auto want = bitsOf(array), got = bitsOf(gradients.at(path)[i]);
      for (size_t k = 0; k < want.size(); ++k)
        EXPECT_NEAR(got[k], want[k], 1e-4f) << path;
    }
    EXPECT_EQ(tree_slice(nexts, i).keys.at("default").data.to_vector<uint32_t>(),
              next.keys.at("default").data.to_vector<uint32_t>());
  }
}

TEST(NnParams, AnAssignmentCarriesNoDerivative) {
  struct Moved {
    nn::Weight w;
    nn::State last;
    Array operator()(const Array &x) const {
      w.build({}, nn::constant(2));
      last.build({}, nn::zeros());
      last.assign(w * x);
      return last * w;
    }
  } const model;
  const nn::Params p = nn::init(model, seed(), Array(3.0f));
  auto f = [&](const NamedArrays &weights) {
    nn::Params all = p;
    all.weights = weights;
    return nn::stateless_call(model, all, Array(3.0f)).first;
  };
  EXPECT_EQ(grad(f)(p.weights).at("w").item<float>(), 6);
  EXPECT_EQ(jit(grad(f))(p.weights).at("w").item<float>(), 6);
  auto next = [&](const NamedArrays &weights) {
    nn::Params all = p;
    all.weights = weights;
    return nn::stateless_call(model, all, Array(3.0f)).second.state.at("last");
  };
  EXPECT_EQ(grad(next)(p.weights).at("w").item<float>(), 0);
}

TEST(NnParams, AnExceptionLeavesTheModelAsItWas) {
  struct Throwing {
    Net net;
    Array operator()(const Array &x) const {
      (void)net(x);
      throw std::runtime_error("halfway");
    }
  } const model;
  nn::build(model.net, Shape{2, 3});
  const nn::Params p = nn::params_of(model, seed());
  const auto before = bitsOf(p.state.at("net.norm.moving_mean"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(nn::stateless_call(model, p, inputs(), {.training = true}), std::runtime_error);
    EXPECT_THROW(nn::init(model, seed(), inputs()), std::runtime_error);
  }
  EXPECT_EQ(bitsOf(nn::params_of(model, seed()).state.at("net.norm.moving_mean")), before);
  EXPECT_FALSE(nn::training());
  const uint64_t drawn = random::default_generator().position();
  (void)random::default_generator().key();
  EXPECT_EQ(random::default_generator().position(), drawn + 1);
}

TEST(NnParams, ThreadsShareOneModel) {
  const Built built;
  const Array x = inputs();
  std::vector<nn::Params> given;
  std::vector<std::vector<float>> expected;
  for (uint64_t i = 0; i < 4; ++i) {
    given.push_back(nn::init(built.net, seed(i + 10), x));
    expected.push_back(bitsOf(nn::stateless_call(built.net, given[i], x, {.training = true}).first));
  }
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round)
        wrong[i] += bitsOf(nn::stateless_call(built.net, given[i], x, {.training = true}).first) != expected[i];
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
  built.expectUntouched();
}

TEST(NnParams, FrozenPartsAreState) {
  const Built built;
  nn::set_trainable(built.net.hidden, false);
  const nn::Params p = nn::init(built.net, seed(), inputs());
  EXPECT_THAT(pathsOf(p.weights), ElementsAre("norm.beta", "norm.gamma", "out.bias", "out.kernel"));
  EXPECT_EQ(p.state.size(), 4u);
  auto [y, next] = nn::stateless_call(built.net, p, inputs(), {.training = true});
  EXPECT_EQ(pathsOf(next.weights), pathsOf(p.weights));
  EXPECT_EQ(pathsOf(next.state), pathsOf(p.state));
}

TEST(NnParams, NestedCallsSeeTheInnermostParameters) {
  const Built built;
  const Array x = inputs();
  const nn::Params other = nn::init(built.net, seed(5), x);
  struct Twice {
    const Built &built;
    const nn::Params &other;
    Net net = built.net;
    Array operator()(const Array &x) const {
      const Array inner = nn::stateless_call(net, other, x).first;
      return net(x) - inner;
    }
  };
  const Twice twice{built, other};
  struct Outer {
    Net net;
    nn::Fixed<const Twice *> twice;
    Array operator()(const Array &x) const { return (**twice)(x); }
  } const outer{built.net, &twice};
  nn::Params p;
  for (const auto &[path, array] : built.before.weights)
    p.weights["net." + path] = array + 1;
  for (const auto &[path, array] : built.before.state)
    p.state["net." + path] = array;
  nn::Params moved = built.before;
  for (auto &[path, array] : moved.weights)
    array = array + 1;
  const Array expected = nn::stateless_call(built.net, moved, x).first - nn::stateless_call(built.net, other, x).first;
  EXPECT_EQ(bitsOf(nn::stateless_call(outer, p, x).first), bitsOf(expected));
}

/// A model that calls a jitted function, a branch and a loop, and that assigns in the first two.
struct Controls {
  nn::Weight w;
  nn::State count, branches;
  nn::Dense dense{3};
  nn::Dropout dropout{0.5};
  Array operator()(const Array &x) const {
    w.build({3}, nn::ones());
    count.build({}, nn::zeros());
    branches.build({}, nn::zeros());
    auto inner = jit([this](const Array &v) {
      count.assign_add(1);
      return dense(v) * w;
    });
    Array y = inner(x);
    y = cond(
        sum(x) > 0,
        [&](const Array &v) {
          branches.assign(branches + 1);
          return dropout(v) + w;
        },
        [&](const Array &v) { return v; }, y);
    return fori_loop(0, 3, [&](const Array &, const Array &v) { return v * 0.5f + dense(v); }, y);
  }
};

TEST(NnParams, ReachesJittedFunctionsBranchesAndLoops) {
  const Controls model;
  const Array x = ones({2, 3});
  const nn::Params p = nn::init(model, seed(), x);
  EXPECT_EQ(p.weights.at("dense.kernel").shape(), (Shape{3, 3}));
  EXPECT_EQ(p.state.at("count").item<float>(), 0);
  EXPECT_FALSE(model.dense.built());
  auto call = [&](const nn::Params &params) { return nn::stateless_call(model, params, x, {.training = true}); };
  auto [y, next] = call(p);
  EXPECT_EQ(next.state.at("count").item<float>(), 1);
  EXPECT_EQ(next.state.at("branches").item<float>(), 1);
  auto [again, nextAgain] = call(p);
  EXPECT_EQ(bitsOf(y), bitsOf(again));
  auto [z, after] = jit(call)(p);
  EXPECT_EQ(after.state.at("count").item<float>(), 1);
  EXPECT_EQ(after.state.at("branches").item<float>(), 1);
  const auto expected = bitsOf(y), got = bitsOf(z);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-5f);
  EXPECT_EQ(next.keys.at("default").data.to_vector<uint32_t>(), after.keys.at("default").data.to_vector<uint32_t>());
  EXPECT_FALSE(model.dense.built());
  nn::assign_params(model, p);
  EXPECT_EQ(model.count.item<float>(), 0);
  {
    const nn::TrainingScope training;
    (void)model(x);
  }
  EXPECT_EQ(model.count.item<float>(), 1);
  auto [w, third] = call(p);
  EXPECT_EQ(third.state.at("count").item<float>(), 1);
  EXPECT_EQ(model.count.item<float>(), 1);
}

TEST(NnParams, ReachesThemInVmap) {
  const Controls model;
  const Array x = ones({2, 3});
  const nn::Params all = vmap([&](const Key &key) { return nn::init(model, key, x); })(random::keys(seed(), {2}));
  auto [ys, nexts] =
      vmap([&](const nn::Params &p) { return nn::stateless_call(model, p, x, {.training = true}); })(all);
  auto [y, next] = nn::stateless_call(model, tree_slice(all, 1), x, {.training = true});
  const auto expected = bitsOf(y), got = bitsOf(ys[1]);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-5f);
  EXPECT_EQ(bitsOf(nexts.state.at("count")), (std::vector<float>{1, 1}));
}

TEST(NnParams, RunsInScans) {
  const Built built;
  const Array xs = random::normal(seed(9), {4, 6, 3});
  auto step = [&](const nn::Params &p, const Array &x) {
    auto [y, next] = nn::stateless_call(built.net, p, x, {.training = true});
    return std::pair(next, mean(y));
  };
  auto [last, means] = scan(step, built.before, xs);
  nn::Params p = built.before;
  std::vector<float> expected;
  for (int64_t i = 0; i < 4; ++i) {
    auto [next, mean] = step(p, xs[i]);
    p = next;
    expected.push_back(mean.item<float>());
  }
  const auto got = bitsOf(means);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-5f);
  EXPECT_EQ(last.keys.at("default").data.to_vector<uint32_t>(), p.keys.at("default").data.to_vector<uint32_t>());
  built.expectUntouched();
}

TEST(NnParams, AnAssignmentInAnInnerVmapIsAnError) {
  struct Inner {
    nn::State last;
    Array operator()(const Array &x) const {
      last.build({}, nn::zeros());
      return vmap([this](const Array &row) {
        last.assign(sum(row));
        return row;
      })(x);
    }
  } const model;
  nn::Params p;
  p.state["last"] = Array(0.0f);
  EXPECT_THAT(errorOf([&] { nn::stateless_call(model, p, ones({2, 3})); }), HasSubstr("not batched"));
  auto outer = vmap([&](const nn::Params &one) { return nn::stateless_call(model, one, ones({2, 3})).first; });
  nn::Params two;
  two.state["last"] = zeros({2});
  EXPECT_THAT(errorOf([&] { outer(two); }), HasSubstr("not batched"));
}

TEST(NnParams, TapesOutsideDoNotSeeTheVariablesOfTheModel) {
  const Built built;
  GradientTape tape;
  const Array y = sum(nn::stateless_call(built.net, built.before, inputs()).first);
  EXPECT_TRUE(tape.watched_variables().empty());
}

TEST(NnParams, TapesInsideSeeThem) {
  struct Descent {
    Net net;
    nn::State size;
    Array operator()(const Array &x) const {
      size.build({}, nn::zeros());
      auto [loss, gradients] = nn::value_and_grad([](const Net &n, const Array &v) { return mean(square(n(v))); },
                                                  {.training = false})(net, x);
      size.assign(nn::global_norm(gradients));
      return loss;
    }
  } const model;
  const nn::Params p = nn::init(model, seed(), inputs());
  auto [loss, next] = nn::stateless_call(model, p, inputs());
  EXPECT_GT(next.state.at("size").item<float>(), 0);
  nn::assign_params(model, p);
  EXPECT_EQ(model(inputs()).item<float>(), loss.item<float>());
  EXPECT_EQ(model.size.item<float>(), next.state.at("size").item<float>());
}

TEST(NnParams, AnErrorListsWhatDoesNotFit) {
  const Built built;
  nn::Params p = built.before;
  p.weights["hidden.kernel"] = zeros({2, 4});
  p.weights.erase("out.bias");
  p.state["other"] = zeros({1});
  const std::string text = errorOf([&] { nn::stateless_call(built.net, p, inputs()); });
  EXPECT_THAT(text, HasSubstr("hidden.kernel: expected f32[3, 4], got f32[2, 4]"));
  EXPECT_THAT(text, HasSubstr("not in the parameters: out.bias"));
  EXPECT_THAT(text, HasSubstr("not in the model: other"));
  EXPECT_THAT(errorOf([&] { nn::assign_params(built.net, p); }), HasSubstr("not in the model: other"));
  built.expectUntouched();
}

TEST(NnParams, AMissingPartIsAnErrorWhereItIsUsed) {
  const Net net;
  nn::Params p = nn::init(net, seed(), inputs());
  p.weights.erase("out.kernel");
  EXPECT_THAT(errorOf([&] { nn::stateless_call(net, p, inputs()); }), HasSubstr("to hold 'out.kernel'"));
  p = nn::init(net, seed(), inputs());
  p.keys.clear();
  EXPECT_EQ(nn::stateless_call(net, p, inputs()).first.shape(), (Shape{6, 1}));
  EXPECT_THAT(errorOf([&] { nn::stateless_call(net, p, inputs(), {.training = true}); }), HasSubstr("'default'"));
}

TEST(NnParams, AssignBuildsAModel) {
  const Net net;
  const nn::Params p = nn::init(net, seed(), inputs());
  nn::assign_params(net, p);
  EXPECT_EQ(bitsOf(net(inputs())), bitsOf(nn::stateless_call(net, p, inputs()).first));
}

TEST(TreeSlice, TakesMembersOfArraysAndKeys) {
  const std::pair<Array, Key> tree{arange(6).reshape({3, 2}), random::keys(seed(), {3})};
  const auto last = tree_slice(tree, -1);
  EXPECT_EQ(last.first.to_vector<int32_t>(), (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(last.second.data.to_vector<uint32_t>(), random::keys(seed(), {3})[2].data.to_vector<uint32_t>());
  EXPECT_THAT(errorOf([&] { tree_slice(tree, 3); }), HasSubstr("expected an index in [-3, 3), got 3"));
  EXPECT_THAT(errorOf([&] { tree_slice(Array(1.0f), 0); }), HasSubstr("got one of rank 0"));
}

} // namespace
