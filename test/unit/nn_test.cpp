//===- nn_test.cpp - layers and models, eager and under jit ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/nn.h>
#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<std::string> namesOf(const std::vector<Variable> &variables) {
  std::vector<std::string> names;
  for (const Variable &one : variables)
    names.push_back(one.name());
  return names;
}

struct Net {
  nn::Conv2D conv{4, 3, {.padding = same, .activation = relu}};
  nn::MaxPooling2D pool{2};
  nn::Flatten flatten;
  nn::Dense hidden{8, {.activation = relu}};
  nn::Dropout dropout{0.5};
  nn::Dense logits{3};
  Array operator()(const Array &x) const { return logits(dropout(hidden(flatten(pool(conv(x)))))); }
};

Array images(int64_t batch = 2) { return random::uniform(random::key(7), {batch, 8, 8, 1}); }

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

TEST(NnTest, FirstCallBuilds) {
  const Net net;
  EXPECT_FALSE(net.conv.built());
  EXPECT_FALSE(net.conv.kernel().has_value());
  EXPECT_EQ(net(images()).shape(), Shape({2, 3}));
  EXPECT_TRUE(net.conv.built());
  EXPECT_EQ(net.conv.kernel().shape(), Shape({3, 3, 1, 4}));
  EXPECT_EQ(net.hidden.kernel().shape(), Shape({64, 8}));
  EXPECT_EQ(nn::count_params(net), 9 * 4 + 4 + 64 * 8 + 8 + 8 * 3 + 3);
}

TEST(NnTest, PathsAreNames) {
  const Net net;
  EXPECT_THAT(namesOf(nn::trainable_variables(net)),
              ElementsAre("conv.kernel", "conv.bias", "hidden.kernel", "hidden.bias", "logits.kernel", "logits.bias"));
  EXPECT_EQ(net.conv.name(), "conv");
  EXPECT_EQ(nn::Dense{3}.name(), "Dense");
}

TEST(NnTest, CopiesShareBeforeAndAfterBuilding) {
  const nn::Dense layer{3};
  const nn::Dense copy = layer;
  layer(ones({2, 4}));
  EXPECT_TRUE(copy.kernel().is_same(layer.kernel()));
  EXPECT_TRUE(copy.built());
}

TEST(NnTest, ClonesAreIndependent) {
  struct Shared {
    nn::Dense first{4};
    nn::Dense second = first;
    nn::Sequential chain{nn::Dense{2}, nn::Dropout{0.1}};
    Array operator()(const Array &x) const { return chain(second(first(x))); }
  };
  const Shared model;
  const Shared before = nn::clone(model);
  model(ones({2, 4}));
  EXPECT_FALSE(before.first.built());
  const Shared after = nn::clone(model);
  EXPECT_FALSE(after.first.kernel().is_same(model.first.kernel()));
  EXPECT_TRUE(after.first.kernel().is_same(after.second.kernel()));
  EXPECT_TRUE(array_equal(after(ones({2, 4})), model(ones({2, 4}))).item<bool>());
  for (const Variable &one : nn::variables(after))
    one.assign(zeros(one.shape()));
  EXPECT_NE(sum(abs(model(ones({2, 4})))).item<float>(), 0);
  EXPECT_EQ(nn::variables(model).size(), 4u);
}

TEST(NnTest, RepeatMakesLayersOfTheirOwn) {
  const std::vector<nn::Dense> layers = nn::repeat(3, nn::Dense{5});
  ASSERT_EQ(layers.size(), 3u);
  Array x = ones({1, 7});
  for (const nn::Dense &layer : layers)
    x = layer(x);
  EXPECT_EQ(layers[0].kernel().shape(), Shape({7, 5}));
  EXPECT_EQ(layers[2].kernel().shape(), Shape({5, 5}));
  EXPECT_FALSE(array_equal(layers[1].kernel(), layers[2].kernel()).item<bool>());
}

TEST(NnTest, ASharedLayerOfTwoSizesNamesRepeat) {
  const nn::Dense layer{5};
  layer(ones({1, 7}));
  EXPECT_EQ(messageOf([&] { layer(ones({1, 5})); }),
            "Dense: expected 7 features, which it was built for, got an input of shape "
            "(1, 5). A layer that is called with inputs of two sizes shares its "
            "weights; for layers of their own say nn::repeat(count, layer) or "
            "nn::clone(layer)");
}

TEST(NnTest, ASeedGivesTheSameWeightsEagerAndJit) {
  set_seed(3);
  const Net eager;
  const Array expected = eager(images());
  set_seed(3);
  const Net traced;
  auto compiled = jit(traced);
  EXPECT_TRUE(array_equal(compiled(images()), expected).item<bool>());
  EXPECT_TRUE(array_equal(traced.hidden.kernel(), eager.hidden.kernel()).item<bool>());
  compiled(images());
  EXPECT_EQ(compiled.trace_count(), 1);
  set_seed(4);
  const Net other;
  EXPECT_FALSE(array_equal(other(images()), expected).item<bool>());
}

TEST(NnTest, OneTraceForAnyWayToPassAModel) {
  Net net;
  auto byReference = jit([&](const Array &x) { return net(x); });
  auto byCopy = jit([=](const Array &x) { return net(x); });
  auto asArgument = jit([](const Net &model, const Array &x) { return model(x); });
  const Array first = byReference(images());
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(array_equal(byReference(images()), first).item<bool>());
    EXPECT_TRUE(array_equal(byCopy(images()), first).item<bool>());
    EXPECT_TRUE(array_equal(asArgument(net, images()), first).item<bool>());
  }
  EXPECT_EQ(byReference.trace_count(), 1);
  EXPECT_EQ(byCopy.trace_count(), 1);
  EXPECT_EQ(asArgument.trace_count(), 1);
  // Another model of the same type is another configuration.
  EXPECT_FALSE(array_equal(asArgument(Net(), images()), first).item<bool>());
  EXPECT_EQ(asArgument.trace_count(), 2);
}

TEST(NnTest, BuildingInsideATransformation) {
  const nn::Dense layer{3};
  const Array x = ones({4, 5});
  const Array gradient = grad([&](const Array &v) { return sum(layer(v)); })(x);
  EXPECT_TRUE(allclose(gradient[0], sum(layer.kernel(), 1), 1e-6).item<bool>());
  const nn::Dense mapped{3};
  EXPECT_EQ(vmap([&](const Array &v) { return mapped(v); })(x).shape(), Shape({4, 3}));
  EXPECT_EQ(mapped.kernel().shape(), Shape({5, 3}));
}

//===----------------------------------------------------------------------===//
// Values of layers
//===----------------------------------------------------------------------===//

TEST(NnTest, DenseComputesProductAndBias) {
  const nn::Dense layer{2, {.activation = relu, .bias_initializer = nn::constant(0.5)}};
  const Array x = random::normal(random::key(1), {3, 4, 5});
  const Array y = layer(x);
  EXPECT_TRUE(array_equal(y, relu(matmul(x, layer.kernel()) + 0.5f)).item<bool>());
  EXPECT_EQ((nn::Dense{4, {.use_bias = false, .input_shape = {6}}}.kernel().shape()), Shape({6, 4}));
}

TEST(NnTest, DropoutDropsInTrainingAlone) {
  const nn::Dropout layer{0.25};
  const Array x = ones({100, 100});
  EXPECT_TRUE(array_equal(layer(x), x).item<bool>());
  set_seed(1);
  const Array y = layer(x, {.training = true});
  EXPECT_NEAR(mean(y).item<float>(), 1, 0.02);
  EXPECT_NEAR(mean(astype(y == 0, f32)).item<float>(), 0.25, 0.02);
  EXPECT_FALSE(array_equal(y, layer(x, {.training = true})).item<bool>());
  auto compiled = jit([&](const Array &v) {
    const nn::TrainingScope training;
    return layer(v);
  });
  set_seed(1);
  EXPECT_TRUE(array_equal(compiled(x), y).item<bool>());
}

TEST(NnTest, DropoutWithASeedKeepsItsOwnKey) {
  const nn::Dropout one{0.5, {.seed = 9}}, other{0.5, {.seed = 9}};
  const Array x = ones({64});
  const nn::TrainingScope training;
  const Array first = one(x);
  EXPECT_TRUE(array_equal(first, other(x)).item<bool>());
  EXPECT_FALSE(array_equal(one(x), first).item<bool>());
  EXPECT_EQ(nn::variables(one).size(), 1u);
  EXPECT_TRUE(nn::trainable_variables(one).empty());
}

TEST(NnTest, TrainingAndInferenceAreTwoTraces) {
  const nn::Dropout layer{0.5};
  auto compiled = jit([&](const Array &x) { return layer(x); });
  const Array x = ones({1000});
  EXPECT_TRUE(array_equal(compiled(x), x).item<bool>());
  {
    const nn::TrainingScope training;
    EXPECT_FALSE(array_equal(compiled(x), x).item<bool>());
  }
  EXPECT_TRUE(array_equal(compiled(x), x).item<bool>());
  EXPECT_EQ(compiled.trace_count(), 2);
}

TEST(NnTest, BatchNormMovesItsStatisticsInTraining) {
  const nn::BatchNorm layer{{.momentum = 0.9}};
  const Array x = random::normal(random::key(2), {64, 3}) * 2 + 5;
  const Array y = nn::call(layer, {.training = true}, x);
  EXPECT_TRUE(allclose(mean(y, 0), zeros({3}), 0, 1e-5).item<bool>());
  EXPECT_TRUE(allclose(tenon::std(y, 0), ones({3}), 0, 1e-3).item<bool>());
  EXPECT_TRUE(allclose(layer.moving_mean(), mean(x, 0) * 0.1f, 1e-5).item<bool>());
  EXPECT_TRUE(allclose(layer.moving_variance(), var(x, 0) * 0.1f + 0.9f, 1e-5).item<bool>());
  const Array inferred = layer(x);
  EXPECT_TRUE(
      allclose(inferred, (x - layer.moving_mean()) / sqrt(layer.moving_variance() + 1e-3f), 1e-4, 1e-5).item<bool>());
  EXPECT_EQ(nn::trainable_variables(layer).size(), 2u);
  // The same under jit, from the same state.
  const nn::BatchNorm other = nn::clone(layer);
  auto compiled = jit([&](const Array &v) { return nn::call(other, {.training = true}, v); });
  EXPECT_TRUE(array_equal(compiled(x), nn::call(layer, {.training = true}, x)).item<bool>());
  EXPECT_TRUE(array_equal(other.moving_mean(), layer.moving_mean()).item<bool>());
}

TEST(NnTest, ChannelsFirstGivesTheSameImages) {
  const nn::Conv2D last{4, 3, {.strides = 2, .padding = same, .bias_initializer = nn::uniform(0, 1)}};
  const nn::Conv2D first{4, 3, {.strides = 2, .padding = same, .data_format = DataFormat::channels_first}};
  const Array x = random::normal(random::key(3), {2, 9, 7, 3});
  const Array y = last(x), moved = moveaxis(x, -1, 1);
  first(moved);
  nn::copy_weights(last, first);
  EXPECT_TRUE(allclose(moveaxis(first(moved), 1, -1), y, 1e-5, 1e-6).item<bool>());
  const nn::AveragePooling2D pool{2, {.padding = same}};
  const nn::AveragePooling2D pool2{2, {.padding = same, .data_format = DataFormat::channels_first}};
  EXPECT_TRUE(allclose(moveaxis(pool2(moved), 1, -1), pool(x), 1e-6).item<bool>());
}

TEST(NnTest, InitializersHaveTheirVariances) {
  const Key key = random::key(5);
  const Shape shape{5, 5, 20, 40};
  auto spread = [&](const nn::Initializer &one) { return tenon::std(one(key, shape)).item<float>(); };
  EXPECT_NEAR(spread(nn::glorot_uniform()), std::sqrt(2.0 / (25 * 60)), 5e-4);
  EXPECT_NEAR(spread(nn::glorot_normal()), std::sqrt(2.0 / (25 * 60)), 5e-4);
  EXPECT_NEAR(spread(nn::he_uniform()), std::sqrt(2.0 / 500), 1e-3);
  EXPECT_NEAR(spread(nn::he_normal()), std::sqrt(2.0 / 500), 1e-3);
  EXPECT_NEAR(spread(nn::lecun_normal()), std::sqrt(1.0 / 500), 1e-3);
  EXPECT_NEAR(spread(nn::lecun_uniform()), std::sqrt(1.0 / 500), 1e-3);
  const Array tall = nn::orthogonal(2)(key, {6, 3}), wide = nn::orthogonal()(key, {2, 2, 9});
  EXPECT_TRUE(allclose(matmul(tall.T(), tall), eye(3) * 4, 0, 1e-5).item<bool>());
  const Array rows = reshape(wide, {4, 9});
  EXPECT_TRUE(allclose(matmul(rows, rows.T()), eye(4), 0, 1e-5).item<bool>());
}

//===----------------------------------------------------------------------===//
// Layers of one's own
//===----------------------------------------------------------------------===//

class Linear : public nn::Layer {
public:
  explicit Linear(int64_t units) : units_(units) {}
  void build(const Shape &input) const override { kernel_.build({input[-1], units_}); }
  Array call(const Array &x) const override { return matmul(x, kernel_); }
  void fields(Fields &f) override { f("kernel", kernel_); }

private:
  int64_t units_;
  nn::Weight kernel_;
};
struct Forgetful : nn::Layer {
  Linear inner{2};
  nn::Dense other{2};
  Array call(const Array &x) const override { return other(inner(x)); }
  void fields(Fields &f) override { f("inner", inner); }
};
struct Scale {
  double offset = 1;
  nn::Weight scale{};
  Array operator()(const Array &x) const { return x * scale.build({x.shape()[-1]}, nn::ones()) + offset; }
};
struct Residual : nn::Layer {
  nn::Dense inner{4};
  std::vector<Scale> scales{Scale{}, Scale{.offset = 2}};
  Array call(const Array &x) const override { return x + scales[1](scales[0](inner(x))); }
  void fields(Fields &f) override { f("inner", inner)("scales", scales); }
};

TEST(NnTest, OwnLayersOfBothStyles) {
  const nn::Sequential model{Linear{4}, Residual(), Scale{.offset = 3}, [](const Array &x) { return x * 2; }};
  model(ones({2, 3}));
  EXPECT_THAT(namesOf(nn::variables(model)),
              ElementsAre("layers[0].kernel", "layers[1].inner.kernel", "layers[1].inner.bias",
                          "layers[1].scales[0].scale", "layers[1].scales[1].scale", "layers[2].scale"));
  auto compiled = jit(model);
  EXPECT_TRUE(array_equal(compiled(ones({2, 3})), model(ones({2, 3}))).item<bool>());
}

TEST(NnTest, AWeightThatFieldsDoNotNameIsAnError) {
  EXPECT_THAT(messageOf([] { Forgetful()(ones({1, 2})); }),
              HasSubstr("Forgetful: expected `fields` to name every Weight"));
}

TEST(NnTest, StaticValuesOfPartsAreInSignatures) {
  auto compiled = jit([](const Residual &layer, const Array &x) { return layer(x); });
  Residual layer;
  const Array x = ones({1, 4});
  const Array y = compiled(layer, x);
  layer.scales[1].offset = 5;
  EXPECT_TRUE(allclose(compiled(layer, x), y + 3).item<bool>());
}

//===----------------------------------------------------------------------===//
// Freezing, files, derivatives
//===----------------------------------------------------------------------===//

TEST(NnTest, FrozenPartsHaveNoGradientsAfterARetrace) {
  const Net net;
  net(images());
  auto step = jit([&](const Array &x) {
    GradientTape tape;
    const Array loss = sum(net(x));
    return static_cast<int>(nn::trainable_variables(net).size()) + 0 * loss;
  });
  EXPECT_EQ(step(images()).item<float>(), 6);
  nn::set_trainable(net.conv, false);
  EXPECT_EQ(nn::trainable_variables(net).size(), 4u);
  EXPECT_EQ(step(images()).item<float>(), 4);
  nn::set_trainable(net.conv, true);
  EXPECT_EQ(nn::trainable_variables(net).size(), 6u);
}

TEST(NnTest, TapesSeeWeights) {
  const nn::Dense layer{1};
  const Array x = random::normal(random::key(1), {5, 3});
  GradientTape tape;
  const Array loss = sum(layer(x));
  const auto gradients = tape.gradient(loss, nn::trainable_variables(layer));
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_TRUE(allclose(gradients[0], reshape(sum(x, 0), {3, 1}), 1e-5).item<bool>());
  EXPECT_EQ(gradients[1].item<float>(), 5);
}

TEST(NnTest, CheckpointsRestoreBeforeTheBuild) {
  const auto folder = std::filesystem::temp_directory_path() / "tenon-nn-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  Net saved;
  const Array y = saved(images());
  const std::string file = Checkpoint{{"model", saved}}.save(folder.string() + "/");
  Net restored;
  Checkpoint{{"model", restored}}.restore(file).assert_consumed();
  EXPECT_TRUE(restored.conv.built());
  EXPECT_TRUE(array_equal(restored(images()), y).item<bool>());
  struct Other {
    nn::Dense hidden{9};
  } other;
  EXPECT_THROW((Checkpoint{{"model", other}}.restore(file).assert_consumed()), Error);
  std::filesystem::remove_all(folder);
}

TEST(NnTest, UnbuiltWeightsSaySo) {
  const nn::Dense layer{3};
  EXPECT_THAT(messageOf([&] { (void)layer.kernel().value(); }), HasSubstr("not built"));
  EXPECT_THAT(messageOf([&] { nn::count_params(layer); }), HasSubstr("not built"));
}

TEST(NnTest, PolyakAveragingMovesByTau) {
  const nn::Dense online{2, {.input_shape = {2}}}, target = nn::clone(online);
  online.kernel().assign(ones({2, 2}));
  target.kernel().assign(zeros({2, 2}));
  nn::polyak_update(online, target, {.tau = 0.25});
  EXPECT_TRUE(array_equal(target.kernel(), full({2, 2}, 0.25f)).item<bool>());
  EXPECT_THAT(errorOf([&] { nn::copy_weights(online, Net()); }), HasSubstr("only in the first: kernel"));
}

//===----------------------------------------------------------------------===//
// Bad input
//===----------------------------------------------------------------------===//

TEST(NnTest, ErrorsNameTheLayersPath) {
  const Net net;
  nn::variables(net);
  EXPECT_EQ(messageOf([&] { net(ones({32, 784})); }),
            "conv: expected 4 axes (batch, height, width, channels), got (32, 784)");
  EXPECT_EQ(messageOf([&] { nn::MaxPooling2D{2}(ones({2, 2})); }),
            "MaxPooling2D: expected 4 axes (batch, height, width, channels), got (2, 2)");
  EXPECT_EQ(messageOf([] { nn::Dense{0}; }), "Dense: expected units >= 1, got 0");
  EXPECT_EQ(messageOf([] { nn::Dropout{1.5}; }), "Dropout: expected a rate in [0, 1), got 1.5");
  EXPECT_EQ(messageOf([] { nn::Embedding{4, 2}(ones({3})); }), "Embedding: expected integers, got f32");
  EXPECT_EQ(messageOf([] { nn::Conv2D{3, 3, {.groups = 2}}; }),
            "Conv2D: expected filters that are a multiple of the groups, got 3 and 2");
}

} // namespace
