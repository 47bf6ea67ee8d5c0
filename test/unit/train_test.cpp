//===- train_test.cpp - fit, callbacks, the progress line -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/learning.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace {

/// Points of two classes that a line separates.
struct Points {
  Array x = random::normal(random::key(1), {90, 2});
  Array y = (sum(x, 1) > 0).astype(i32);
};
nn::Sequential classifier() {
  return nn::Sequential{nn::Dense{8, {.activation = relu}}, nn::Dropout{0.2}, nn::Dense{2}};
}
const losses::SparseCategoricalCrossentropy crossentropy{.from_logits = true};

/// What standard output gets.
class Captured {
public:
  Captured() { testing::internal::CaptureStdout(); }
  std::string text() { return testing::internal::GetCapturedStdout(); }
};

//===----------------------------------------------------------------------===//
// value_and_grad
//===----------------------------------------------------------------------===//

TEST(TrainTest, ValueAndGradNamesPaths) {
  const nn::Dense layer{1};
  const Array x = random::normal(random::key(2), {6, 3}), y = ones({6, 1});
  auto loss_of = [](const nn::Dense &model, const Array &v, const Array &target) {
    return mean(square(model(v) - target));
  };
  const auto [loss, gradients] = nn::value_and_grad(loss_of)(layer, x, y);
  EXPECT_THAT(gradients.paths(), ElementsAre("kernel", "bias"));
  const Array difference = layer(x) - y;
  EXPECT_TRUE(allclose(gradients["bias"], mean(difference) * 2, 1e-5).item<bool>());
  EXPECT_TRUE(allclose(gradients["kernel"], matmul(x.T(), difference) / 3, 1e-5, 1e-6).item<bool>());
  auto with_aux = [](const nn::Dense &model, const Array &v) {
    const Array out = model(v);
    return std::pair(mean(out), out);
  };
  const auto [pair, other] = nn::value_and_grad(with_aux)(layer, x);
  EXPECT_EQ(pair.second.shape(), Shape({6, 1}));
  EXPECT_FLOAT_EQ(other["bias"].item<float>(), 1);
  EXPECT_THAT(messageOf([&] { nn::value_and_grad([](const nn::Dense &m, const Array &v) { return m(v); })(layer, x); }),
              HasSubstr("expected a loss of rank 0, such as a mean, got an array of shape (6, 1)"));
}

TEST(TrainTest, ValueAndGradTrainsUnlessToldOtherwise) {
  struct Asks {
    nn::Dense layer{1};
    Array operator()(const Array &x) const { return layer(x) * (nn::training() ? 1.0f : 0.0f); }
  };
  const Asks model;
  auto loss_of = [](const Asks &m, const Array &x) { return sum(abs(m(x))); };
  const Array x = ones({1, 2});
  model(x);
  EXPECT_GT(nn::value_and_grad(loss_of)(model, x).first.item<float>(), 0);
  EXPECT_EQ(nn::value_and_grad(loss_of, {.training = false})(model, x).first.item<float>(), 0);
  EXPECT_FALSE(nn::training());
}

//===----------------------------------------------------------------------===//
// fit
//===----------------------------------------------------------------------===//

TEST(TrainTest, FitLearnsWithTheSameBitsEagerAndJit) {
  const Points points;
  auto run = [&](bool isEager) {
    set_seed(5);
    const nn::Sequential model = classifier();
    const train::History history = train::fit(model, points.x, points.y,
                                              {.optimizer = optim::Adam{0.02},
                                               .loss = crossentropy,
                                               .metrics = {"accuracy"},
                                               .run_eagerly = isEager,
                                               .batch_size = 16,
                                               .epochs = 8,
                                               .verbose = 0});
    return std::pair(history, nn::variables(model));
  };
  const auto [jitted, weights] = run(false);
  const auto [eager, others] = run(true);
  EXPECT_EQ(jitted["loss"], eager["loss"]);
  EXPECT_EQ(jitted["accuracy"], eager["accuracy"]);
  ASSERT_EQ(weights.size(), others.size());
  for (size_t i = 0; i < weights.size(); ++i)
    EXPECT_TRUE(array_equal(weights[i], others[i]).item<bool>()) << weights[i].name();
  EXPECT_EQ(jitted["loss"].size(), 8u);
  EXPECT_LT(jitted["loss"].back(), 0.6 * jitted["loss"].front());
  EXPECT_GT(jitted["accuracy"].back(), 0.85);
}

TEST(TrainTest, FitTracesOnceForEachBatchSize) {
  // 60 examples in batches of 32 and 28, as in TensorFlow's guide.
  static int traces;
  traces = 0;
  struct Counting {
    nn::Flatten flatten;
    nn::Dense hidden{16, {.activation = relu}}, logits{10};
    Array operator()(const Array &x) const {
      ++traces;
      return logits(hidden(flatten(x)));
    }
  };
  const Array x = random::uniform(random::key(3), {60, 28, 28}), y = random::randint(random::key(4), {60}, 0, 10);
  const Counting net;
  train::fit(net, x, y, {.optimizer = "adam", .loss = crossentropy, .epochs = 3, .verbose = 0});
  EXPECT_EQ(traces, 2);
  traces = 0;
  train::fit(net, x, y, {.optimizer = "adam", .loss = crossentropy, .run_eagerly = true, .epochs = 1, .verbose = 0});
  EXPECT_EQ(traces, 2);
}

TEST(TrainTest, ValidationDoesNotTrain) {
  const Points points;
  const nn::Sequential model = classifier();
  model(points.x);
  const nn::Sequential before = nn::clone(model);
  const train::History history = train::fit(model, points.x, points.y,
                                            {.optimizer = optim::SGD{0.0},
                                             .loss = crossentropy,
                                             .metrics = {"accuracy"},
                                             .epochs = 1,
                                             .verbose = 0,
                                             .validation_split = 0.2});
  EXPECT_THAT(history.names(), ElementsAre("loss", "accuracy", "val_loss", "val_accuracy"));
  const Array x = points.x[slice(72, 90)], y = points.y[slice(72, 90)];
  EXPECT_NEAR(history["val_loss"][0], crossentropy(y, before(x)).item<float>(), 1e-5);
  const train::Logs logs = train::evaluate(model, {x, y}, {.loss = crossentropy, .metrics = {"accuracy"}});
  EXPECT_EQ(logs["loss"], history["val_loss"][0]);
  EXPECT_EQ(logs["accuracy"], history["val_accuracy"][0]);
}

TEST(TrainTest, ModelsHaveKerasVerbs) {
  const Points points;
  nn::Sequential model = classifier();
  EXPECT_THAT(messageOf([&] { model.fit(points.x, points.y); }), HasSubstr("fit: expected a compiled model"));
  model.compile({.optimizer = "adam", .loss = crossentropy, .metrics = {"accuracy"}});
  auto batches = data::from_slices(std::tuple(points.x, points.y)) | data::batch(30);
  const train::History history = model.fit(batches, {.epochs = 2, .verbose = 0});
  EXPECT_EQ(history["loss"].size(), 2u);
  const Array predicted = model.predict(points.x, 40);
  EXPECT_TRUE(allclose(predicted, model(points.x), 1e-5, 1e-6).item<bool>());
  EXPECT_TRUE(model.evaluate(points.x, points.y).contains("accuracy"));
  struct Net {
    nn::Dense logits{2};
    Array operator()(const Array &x) const { return logits(x); }
  };
  Net net;
  nn::Model any{net};
  any.compile({.optimizer = "sgd", .loss = crossentropy});
  any.fit(points.x, points.y, {.epochs = 1, .verbose = 0});
  EXPECT_TRUE(net.logits.built());
}

TEST(TrainTest, TheFirstStepNamesTheLayerThatRefuses) {
  struct Net {
    nn::Conv2D conv{2, 3};
    Array operator()(const Array &x) const { return conv(x); }
  };
  const Net net;
  EXPECT_THAT(messageOf([&] {
                train::fit(net, ones({4, 8, 8}), zeros({4}),
                           {.optimizer = "sgd", .loss = losses::MeanSquaredError{}, .verbose = 0});
              }),
              HasSubstr("conv: expected 4 axes (batch, height, width, channels), got (4, 8, 8)"));
}

TEST(TrainTest, ALabelThatIsNoClassLeavesTheModelAsItWas) {
  const Points points;
  nn::Sequential model = classifier();
  model(points.x);
  std::vector<Array> before;
  for (const Variable &one : nn::variables(model))
    before.push_back(one.value() + 0.0f);
  Array y = points.y + 0;
  y = where(arange(y.shape()[0]) == 3, 7, y);
  for (const bool isEager : {false, true})
    EXPECT_THAT(messageOf([&] {
                  train::fit(model, points.x, y,
                             {.optimizer = "sgd",
                              .loss = crossentropy,
                              .run_eagerly = isEager,
                              .batch_size = 8,
                              .verbose = 0,
                              .shuffle = false});
                }),
                HasSubstr("sparse_categorical_crossentropy: label 7 in row 3 is out of range for 2 classes"));
  const std::vector<Variable> after = nn::variables(model);
  for (size_t i = 0; i < after.size(); ++i)
    EXPECT_TRUE(array_equal(after[i].value(), before[i]).item<bool>());
}

TEST(TrainTest, DatasetsGoOnWithTheEpochThatIsGiven) {
  const Points points;
  const auto losses = [&](int64_t first) {
    set_seed(3);
    nn::Sequential model = classifier();
    auto batches = data::from_slices(points.x, points.y) | data::shuffle(90, 5) | data::batch(30);
    const train::Options options{.optimizer = "sgd", .loss = crossentropy, .epochs = 3, .verbose = 0};
    std::vector<double> all;
    if (first > 0) { // what another process has done
      set_seed(3);
      auto theirs = data::from_slices(points.x, points.y) | data::shuffle(90, 5) | data::batch(30);
      train::Options before = options;
      before.epochs = first;
      all = train::fit(model, theirs, before)["loss"];
    }
    train::Options rest = options;
    rest.initial_epoch = first;
    for (const double loss : train::fit(model, batches, rest)["loss"])
      all.push_back(loss);
    return all;
  };
  EXPECT_EQ(losses(2), losses(0));
}

TEST(TrainTest, EvaluationDrawsTheSameEachTime) {
  const Points points;
  nn::Sequential model = classifier();
  const auto noisy = data::from_slices(points.x, points.y) |
                     data::random_map([](const Key &key, const Array &x,
                                         const Array &y) { return std::tuple(x + random::normal(key, x.shape()), y); },
                                      1) |
                     data::batch(30);
  const train::EvaluateOptions options{.loss = crossentropy};
  EXPECT_EQ(train::evaluate(model, noisy, options)["loss"], train::evaluate(model, noisy, options)["loss"]);
}

TEST(TrainTest, CallbacksSayWhatTheyNeed) {
  const Points points;
  nn::Sequential model = classifier();
  const auto messageWith = [&](const optim::Optimizer &optimizer, train::CallbackRef callback) {
    return messageOf([&] {
      train::fit(model, points.x, points.y,
                 {.optimizer = optimizer, .loss = crossentropy, .verbose = 0, .callbacks = {callback}});
    });
  };
  EXPECT_THAT(messageWith("sgd", train::EarlyStopping()),
              HasSubstr("EarlyStopping: expected a monitor among 'loss', got 'val_loss', which fit has with "
                        "validation_data alone"));
  const optim::SGD scheduled{optim::exponential_decay(0.1, 10, 0.5)};
  EXPECT_THAT(messageWith(scheduled, train::LearningRateScheduler([](int64_t, double rate) { return rate; })),
              HasSubstr("LearningRateScheduler: expected an optimizer with a learning rate that is a number"));
  EXPECT_THAT(messageWith(scheduled, train::ReduceLROnPlateau({.monitor = "loss"})),
              HasSubstr("ReduceLROnPlateau: expected an optimizer with a learning rate that is a number"));
}

TEST(TrainTest, ErrorsWithinSequentialNameTheLineOfTheCall) {
  const nn::Sequential model{nn::Dense{4}, nn::Conv2D{2, 3}};
  try {
    model(ones({2, 3}));
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.location().file, HasSubstr("train_test.cpp"));
  }
}

TEST(TrainTest, PredictionsAreTracedOnce) {
  int traces = 0;
  nn::Sequential model{nn::Dense{2}, [&](const Array &x) {
                         ++traces;
                         return x;
                       }};
  model(ones({4, 3}));
  traces = 0;
  const Array first = model.predict(ones({4, 3})), second = model.predict(ones({4, 3}));
  EXPECT_EQ(traces, 1);
  EXPECT_TRUE(array_equal(first, second).item<bool>());
  model.add(nn::Dense{1});
  EXPECT_EQ(model.predict(ones({4, 3})).shape(), (Shape{4, 1}));
}

TEST(TrainTest, ClonesOfSequentialHaveLayersOfTheirOwn) {
  const nn::Sequential model{nn::Dense{2}};
  const Array x = ones({4, 3}), before = model(x);
  nn::Sequential clone = nn::clone(model);
  clone.add(nn::Activation{relu});
  for (const Variable &one : nn::variables(clone))
    one.assign(zeros_like(one.value()));
  EXPECT_TRUE(array_equal(model(x), before).item<bool>());
  EXPECT_TRUE(array_equal(model.predict(x), before).item<bool>());
  EXPECT_TRUE(array_equal(clone(x), zeros({4, 2})).item<bool>());
  EXPECT_TRUE(array_equal(clone.predict(x), zeros({4, 2})).item<bool>());
  EXPECT_EQ(nn::variables(clone)[0].name(), "layers[0].kernel");
}

TEST(TrainTest, ClassWeightsWeighExamples) {
  const Points points;
  const nn::Dense model{2};
  model(points.x);
  const auto weighted = train::fit(model, points.x, points.y,
                                   {.optimizer = optim::SGD{0.0},
                                    .loss = crossentropy,
                                    .batch_size = 90,
                                    .verbose = 0,
                                    .class_weight = {{0, 0.0}, {1, 2.0}}});
  const Array loss = losses::sparse_categorical_crossentropy(
      points.y, model(points.x), {.from_logits = true, .reduction = losses::Reduction::per_example});
  EXPECT_NEAR(weighted["loss"][0], mean(loss * points.y * 2).item<float>(), 1e-5);
}

TEST(TrainTest, BadOptionsAreErrors) {
  const Points points;
  const nn::Dense model{2};
  auto error = [&](const train::Options &options) {
    return messageOf([&] { train::fit(model, points.x, points.y, options); });
  };
  EXPECT_THAT(error({}), HasSubstr("fit: expected a loss"));
  EXPECT_THAT(error({.loss = crossentropy, .batch_size = 0}), HasSubstr("fit: expected a batch_size >= 1, got 0"));
  EXPECT_THAT(error({.loss = crossentropy, .validation_split = 1}), HasSubstr("expected a validation_split in [0, 1)"));
  EXPECT_THAT(messageOf([&] { train::fit(model, points.x, ones({3}), {.loss = crossentropy}); }),
              HasSubstr("expected x and y with as many examples along axis 0, got shapes (90, 2) and (3,)"));
  EXPECT_THAT(messageOf([&] { (void)train::History()["loss"]; }), HasSubstr("expected one of no names, got 'loss'"));
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

struct Recorder : train::Callback {
  std::vector<std::string> events;
  void on_train_begin() override { events.push_back("begin"); }
  void on_train_end(const train::Logs &) override { events.push_back("end"); }
  void on_epoch_begin(int64_t epoch) override { events.push_back("epoch " + std::to_string(epoch)); }
  void on_epoch_end(int64_t, train::Logs &logs) override {
    logs.set("extra", 7);
    events.push_back("epoch ends");
  }
  void on_batch_end(int64_t batch, const train::Logs &logs) override {
    events.push_back("batch " + std::to_string(batch));
    EXPECT_TRUE(logs.contains("loss"));
  }
};

TEST(TrainTest, CallbacksAreCalledInOrder) {
  const Points points;
  Recorder recorder;
  const auto history = train::fit(nn::Dense{2}, points.x, points.y,
                                  {.loss = crossentropy, .batch_size = 45, .verbose = 0, .callbacks = {recorder}});
  EXPECT_THAT(recorder.events, ElementsAre("begin", "epoch 0", "batch 0", "batch 1", "epoch ends", "end"));
  EXPECT_THAT(history["extra"], ElementsAre(7));
}

TEST(TrainTest, EarlyStoppingRestoresTheBestWeights) {
  const Points points;
  const nn::Dense model{2};
  // The "loss" that is watched falls twice, then rises.
  struct Script : train::Callback {
    std::vector<Array> kernels;
    Variable kernel;
    void on_epoch_end(int64_t epoch, train::Logs &logs) override {
      logs.set("watched", std::vector<double>{3, 2, 2.5, 2.6, 2.7}.at(static_cast<size_t>(epoch)));
      kernels.push_back(kernel.value());
    }
  } script;
  script.kernel = model.kernel();
  train::EarlyStopping stopping{{.monitor = "watched", .patience = 2}};
  const auto history = train::fit(
      model, points.x, points.y,
      {.optimizer = "sgd", .loss = crossentropy, .epochs = 5, .verbose = 0, .callbacks = {script, stopping}});
  EXPECT_EQ(history["loss"].size(), 4u);
  EXPECT_EQ(stopping.best_epoch(), 1);
  EXPECT_EQ(stopping.stopped_epoch(), 3);
  EXPECT_TRUE(array_equal(model.kernel(), script.kernels[1]).item<bool>());
}

TEST(TrainTest, LearningRatesChangeWithoutATrace) {
  static int traces;
  traces = 0;
  const Points points;
  const nn::Dense layer{2};
  struct Net {
    nn::Dense layer;
    Array operator()(const Array &x) const {
      ++traces;
      return layer(x);
    }
  };
  const optim::SGD optimizer{0.5};
  std::vector<double> rates;
  train::LambdaCallback watch{{.on_epoch_end = [&](int64_t, train::Logs &) {
    rates.push_back(static_cast<double>(optimizer.learning_rate()));
  }}};
  train::fit(Net{layer}, points.x, points.y,
             {.optimizer = optimizer,
              .loss = crossentropy,
              .batch_size = 30,
              .epochs = 3,
              .verbose = 0,
              .callbacks = {
                  train::LearningRateScheduler{[](int64_t epoch, double rate) { return epoch == 0 ? rate : rate / 2; }},
                  watch}});
  EXPECT_THAT(rates, ElementsAre(0.5, 0.25, 0.125));
  EXPECT_EQ(traces, 1);
}

TEST(TrainTest, PlateausReduceTheLearningRate) {
  const Points points;
  const optim::SGD optimizer{0.1};
  struct Flat : train::Callback {
    void on_epoch_end(int64_t, train::Logs &logs) override { logs.set("watched", 1); }
  };
  train::fit(nn::Dense{2}, points.x, points.y,
             {.optimizer = optimizer,
              .loss = crossentropy,
              .epochs = 5,
              .verbose = 0,
              .callbacks = {Flat(), train::ReduceLROnPlateau{{.monitor = "watched", .factor = 0.5, .patience = 2}}}});
  EXPECT_NEAR(static_cast<double>(optimizer.learning_rate()), 0.025, 1e-9);
}

TEST(TrainTest, TerminateOnNaNEndsTraining) {
  const Points points;
  struct Bad {
    nn::Dense layer{2};
    Array operator()(const Array &x) const { return layer(x) * NAN; }
  };
  const auto history =
      train::fit(Bad(), points.x, points.y,
                 {.loss = crossentropy, .epochs = 4, .verbose = 0, .callbacks = {train::TerminateOnNaN()}});
  EXPECT_EQ(history["loss"].size(), 1u);
}

TEST(TrainTest, FilesOfAnEpoch) {
  const auto folder = std::filesystem::temp_directory_path() / "tenon-train-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const Points points;
  nn::Sequential model = classifier();
  optim::Optimizer optimizer = optim::Adam{0.01};
  train::fit(model, points.x, points.y,
             {.optimizer = optimizer,
              .loss = crossentropy,
              .epochs = 2,
              .verbose = 0,
              .callbacks = {train::CSVLogger{folder / "log.csv"}, train::ModelCheckpoint{folder / "model"}}});
  std::ifstream csv(folder / "log.csv");
  const std::string text(std::istreambuf_iterator<char>(csv), {});
  EXPECT_THAT(text, MatchesRegex("epoch,loss\n0,[0-9.e-]+\n1,[0-9.e-]+\n"));
  const auto latest = latest_checkpoint(folder / "model");
  ASSERT_TRUE(latest);
  EXPECT_THAT(*latest, HasSubstr("model-2.safetensors"));
  nn::Sequential restored = classifier();
  Checkpoint{{"model", restored}}.restore(*latest).assert_existing_objects_matched();
  EXPECT_TRUE(array_equal(restored(points.x), model(points.x)).item<bool>());
  std::filesystem::remove_all(folder);
}

TEST(TrainTest, AStepThatThrowsLeavesAllAsItWas) {
  const Points points;
  const nn::Dense model{2};
  model(points.x);
  const Array kernel = model.kernel();
  const optim::Adam optimizer{0.1};
  Array labels = points.y.at[3].set(9);
  for (const bool isEager : {true}) // under jit the loss of a wrong label is NaN
    EXPECT_THAT(
        errorOf([&] {
          train::fit(
              model, points.x, labels,
              {.optimizer = optimizer, .loss = crossentropy, .run_eagerly = isEager, .batch_size = 90, .verbose = 0});
        }),
        HasSubstr("9"));
  EXPECT_TRUE(array_equal(model.kernel(), kernel).item<bool>());
  EXPECT_EQ(optimizer.iterations().item<int64_t>(), 0);
}

//===----------------------------------------------------------------------===//
// The progress line
//===----------------------------------------------------------------------===//

TEST(TrainTest, ProgressIsKerasLine) {
  std::ostringstream out;
  train::Progress progress(2, {.out = &out, .live = true});
  progress.step({{"loss", 4.5348e-04}});
  EXPECT_EQ(out.str(), "\r1/2 [==============>...............] - ETA: 0s - loss: 4.5348e-04");
  out.str("");
  progress.step({{"loss", 1.6631}});
  progress.finish({{"val_loss", 2}});
  EXPECT_THAT(out.str(), MatchesRegex("\r2/2 \\[==============================\\] - 0s [0-9]+(us|ms)/step - loss: "
                                      "1.6631 - val_loss: 2.0000 *\n"));
}

TEST(TrainTest, ProgressElsewhereIsALineAnEpoch) {
  const Points points;
  Captured captured;
  train::fit(nn::Dense{2}, points.x, points.y, {.loss = crossentropy, .batch_size = 30, .epochs = 2});
  EXPECT_THAT(captured.text(), MatchesRegex("Epoch 1/2\n3/3 \\[=+\\] - 0s [0-9]+(us|ms)/step - loss: [0-9.]+\n"
                                            "Epoch 2/2\n3/3 \\[=+\\] - 0s [0-9]+(us|ms)/step - loss: [0-9.]+\n"));
}

} // namespace
