//===- train_steps_test.cpp - the steps of fit: what they see, and what stays when one throws ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/learning.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

const losses::SparseCategoricalCrossentropy crossentropy{.from_logits = true};
const Array examples = random::normal(random::key(1), {6, 3}), classes = Array{0, 1, 0, 1, 1, 0};

/// Gives back what it gets; its loss is the mean of that.
struct Identity {
  Variable w{1.0f, "w"};
  Array operator()(const Array &x) const { return x * w; }
};
const losses::Loss meanOfPredictions([](const Array &, const Array &predicted) { return mean(predicted); });

/// The losses of the steps of a call of fit.
struct Steps : train::Callback {
  std::vector<double> losses;
  double total = 0;
  void on_epoch_begin(int64_t) override { total = 0; }
  void on_batch_end(int64_t batch, const train::Logs &logs) override {
    // The loss is that of the epoch so far.
    const double sum = logs["loss"] * static_cast<double>(batch + 1);
    losses.push_back(std::round(sum - total));
    total = sum;
  }
};

struct Net {
  nn::Dense dense{4};
  nn::BatchNorm norm;
  nn::Dropout dropout{0.5};
  Array operator()(const Array &x) const { return dropout(norm(dense(x))); }
};

/// Counts, then throws at its second update.
struct Failing {
  Variable updates{0.0f, "updates", false};
  void update(const Array &, const Array &) {
    updates.assign_add(1.0f);
    static int calls;
    if (++calls % 2 == 0)
      throw std::runtime_error("the metric failed");
  }
  Array result() const { return updates.value(); }
};

TEST(TrainSteps, ThatThrowLeaveAllAsItWas) {
  for (const bool isEager : {true, false}) {
    SCOPED_TRACE(isEager);
    set_seed(3);
    const Net net;
    net(examples);
    const optim::Adam optimizer{0.1};
    // Throws when it is called: eagerly at the second step, jitted where the first is traced.
    const losses::Loss failing([calls = std::make_shared<int>(isEager ? 0 : 1)](const Array &y, const Array &x) {
      const Array loss = losses::sparse_categorical_crossentropy(y, x, {.from_logits = true});
      if (++*calls == 2)
        throw std::runtime_error("the loss failed");
      return loss;
    });
    Array kernel = net.dense.kernel(), means = net.norm.moving_mean();
    int64_t steps = 0;
    uint64_t drawn = random::default_generator().position();
    auto note = train::LambdaCallback{{.on_batch_end = [&](int64_t, const train::Logs &) {
      kernel = net.dense.kernel(), means = net.norm.moving_mean();
      steps = optimizer.iterations().item<int64_t>();
      drawn = random::default_generator().position();
    }}};
    EXPECT_ANY_THROW(train::fit(net, examples, classes,
                                {.optimizer = optimizer,
                                 .loss = failing,
                                 .run_eagerly = isEager,
                                 .batch_size = 3,
                                 .verbose = 0,
                                 .callbacks = {note}}));
    EXPECT_EQ(steps, isEager ? 1 : 0);
    EXPECT_TRUE(bool(array_equal(net.dense.kernel(), kernel)));
    EXPECT_TRUE(bool(array_equal(net.norm.moving_mean(), means)));
    EXPECT_EQ(optimizer.iterations().item<int64_t>(), steps);
    EXPECT_EQ(random::default_generator().position(), drawn);
  }
}

TEST(TrainSteps, OfAMetricThatThrowsLeaveAllAsItWas) {
  const Net net;
  net(examples);
  const optim::Adam optimizer{0.1};
  Failing metric;
  Array kernel, counted;
  auto note = train::LambdaCallback{{.on_batch_end = [&](int64_t, const train::Logs &) {
    kernel = net.dense.kernel(), counted = metric.updates.value();
  }}};
  EXPECT_ANY_THROW(train::fit(net, examples, classes,
                              {.optimizer = optimizer,
                               .loss = crossentropy,
                               .metrics = {metrics::Metric(metric, "failing")},
                               .run_eagerly = true,
                               .batch_size = 3,
                               .verbose = 0,
                               .callbacks = {note}}));
  EXPECT_TRUE(bool(array_equal(net.dense.kernel(), kernel)));
  EXPECT_EQ(optimizer.iterations().item<int64_t>(), 1);
  EXPECT_TRUE(bool(metric.updates.value() == counted));
}

TEST(TrainSteps, ErrorsNameTheLineOfFit) {
  const std::string text = errorOf([&] {
    train::fit(nn::Dense{2}, examples, classes, {.loss = losses::MeanSquaredError{}, .batch_size = 6, .verbose = 0});
  });
  EXPECT_THAT(text, HasSubstr("expected y_true and y_pred of one shape"));
  EXPECT_THAT(text, HasSubstr("train_steps_test.cpp"));
  EXPECT_THAT(errorOf([&] {
                train::fit(nn::Dense{2}, examples, classes,
                           {.loss = crossentropy, .metrics = {"mse"}, .batch_size = 6, .verbose = 0});
              }),
              HasSubstr("train_steps_test.cpp"));
}

TEST(TrainSteps, ClassWeightsMultiplySampleWeightsOfAColumn) {
  const Array weights = Array{1.0f, 2.0f, 3.0f, 1.0f, 0.5f, 2.0f};
  const auto lossOf = [&](const Array &given) {
    set_seed(1);
    return train::fit(nn::Dense{2}, train::AnyDataset(examples, classes, given),
                      {.optimizer = optim::SGD{0.0},
                       .loss = crossentropy,
                       .batch_size = 6,
                       .verbose = 0,
                       .class_weight = {{0, 2.0}}})["loss"][0];
  };
  EXPECT_EQ(lossOf(expand_dims(weights, -1)), lossOf(weights));
}

TEST(TrainSteps, MetricsOfOneNameAreAnError) {
  for (const char *name : {"accuracy", "loss"})
    EXPECT_THAT(errorOf([&] {
                  train::fit(nn::Dense{2}, examples, classes,
                             {.loss = crossentropy,
                              .metrics = {"accuracy", metrics::SparseCategoricalAccuracy(name)},
                              .verbose = 0});
                }),
                HasSubstr("fit: expected metrics of different names, got two that are called '" + std::string(name)));
  EXPECT_THAT(errorOf([&] {
                (void)train::evaluate(nn::Dense{2}, {examples, classes},
                                      {.loss = crossentropy, .metrics = {"accuracy", "accuracy"}});
              }),
              HasSubstr("evaluate: expected metrics of different names, got two that are called 'accuracy'"));
}

TEST(TrainSteps, StepsOfAnEpochGoOnWhereTheLastEpochEnded) {
  const Array numbers = arange(0, 5, 1).astype(f32).reshape({5, 1});
  const auto dataset = data::from_slices(numbers, numbers) | data::batch(1);
  const auto seen = [&](const train::AnyDataset &batches, int64_t steps, int64_t epochs) {
    Steps log;
    train::fit(Identity(), batches,
               {.optimizer = optim::SGD{0.0},
                .loss = meanOfPredictions,
                .epochs = epochs,
                .verbose = 0,
                .callbacks = {log},
                .steps_per_epoch = steps});
    return log.losses;
  };
  EXPECT_THAT(seen(dataset | data::repeat(), 2, 3), ElementsAre(0, 1, 2, 3, 4, 0));
  // A dataset that ends in an epoch ends that one; the next one begins it anew.
  EXPECT_THAT(seen(dataset, 2, 4), ElementsAre(0, 1, 2, 3, 4, 0, 1));
  // One that has ended with an epoch begins anew at once.
  EXPECT_THAT(seen(dataset, 5, 2), ElementsAre(0, 1, 2, 3, 4, 0, 1, 2, 3, 4));
}

TEST(TrainSteps, ALaterFirstEpochHasTheOrderOfThatEpoch) {
  set_seed(1);
  const Array numbers = arange(0, 8, 1).astype(f32).reshape({8, 1});
  const auto seen = [&](int64_t first, int64_t last) {
    Steps log;
    train::fit(Identity(), numbers, numbers,
               {.optimizer = optim::SGD{0.0},
                .loss = meanOfPredictions,
                .batch_size = 1,
                .epochs = last,
                .verbose = 0,
                .callbacks = {log},
                .initial_epoch = first});
    return log.losses;
  };
  std::vector<double> parts = seen(0, 1), rest = seen(1, 3);
  EXPECT_NE(parts, std::vector<double>(rest.begin(), rest.begin() + 8));
  parts.insert(parts.end(), rest.begin(), rest.end());
  EXPECT_EQ(parts, seen(0, 3));
  EXPECT_THAT(errorOf([&] { seen(-1, 1); }), HasSubstr("fit: expected initial_epoch >= 0, got -1"));
}

TEST(TrainSteps, SomeMetricsImproveUpwards) {
  for (const auto &[name, best] : std::vector<std::pair<const char *, int64_t>>{
           {"val_mean_io_u", 2}, {"cosine_similarity", 2}, {"auc", 2}, {"mean_squared_error", 0}}) {
    train::EarlyStopping stopping{{.monitor = name, .patience = 5}};
    auto grow = train::LambdaCallback{
        {.on_epoch_end = [&](int64_t epoch, train::Logs &logs) { logs.set(name, static_cast<double>(epoch)); }}};
    train::fit(Identity(), examples, examples,
               {.loss = losses::MeanSquaredError{}, .epochs = 3, .verbose = 0, .callbacks = {grow, stopping}});
    EXPECT_EQ(stopping.best_epoch(), best) << name;
  }
}

TEST(TrainSteps, EarlyStoppingTakesModelsWithALayerThatIsNotCalled) {
  struct Partly {
    nn::Dense used{2}, unused{2};
    Array operator()(const Array &x) const { return used(x); }
  };
  train::EarlyStopping stopping{{.monitor = "loss"}};
  EXPECT_NO_THROW(
      train::fit(Partly(), examples, classes, {.loss = crossentropy, .verbose = 0, .callbacks = {stopping}}));
}

/// What `callback` sees as "watched", an epoch each.
void watch(std::vector<double> values, const train::CallbackRef &callback, const optim::Optimizer &optimizer = "sgd") {
  auto script = train::LambdaCallback{{.on_epoch_end = [&](int64_t epoch, train::Logs &logs) {
    logs.set("watched", values.at(static_cast<size_t>(epoch)));
  }}};
  train::fit(Identity(), examples, examples,
             {.optimizer = optimizer,
              .loss = losses::MeanSquaredError{},
              .epochs = static_cast<int64_t>(values.size()),
              .verbose = 0,
              .callbacks = {script, callback}});
}

TEST(TrainCallbacks, EarlyStoppingCountsEpochsWithoutAnImprovement) {
  train::EarlyStopping small{{.monitor = "watched", .min_delta = 0.5, .patience = 2}};
  watch({3, 2.9, 2.6, 2.4, 1, 1}, small); // 2.4 is 0.6 below 3, too late
  EXPECT_EQ(small.best_epoch(), 0);
  EXPECT_EQ(small.stopped_epoch(), 2);
  // A callback that is used again begins anew.
  watch({3, 2.9, 2, 1.9, 1.8}, small);
  EXPECT_EQ(small.best_epoch(), 2);
  EXPECT_EQ(small.stopped_epoch(), 4);
  train::EarlyStopping stopping{{.monitor = "watched", .patience = 3}};
  watch({NAN, 2, 3, NAN}, stopping);
  EXPECT_EQ(stopping.best_epoch(), 1);
  EXPECT_EQ(stopping.stopped_epoch(), std::nullopt);
}

TEST(TrainCallbacks, PlateausCoolDownAndEndAtALeastRate) {
  const optim::SGD cooling{0.5}, least{0.5};
  watch({1, 1, 1, 1, 1, 1},
        train::ReduceLROnPlateau{{.monitor = "watched", .factor = 0.5, .patience = 1, .cooldown = 2}}, cooling);
  EXPECT_EQ(cooling.learning_rate().item<double>(), 0.0625); // after epochs 1, 3 and 5, as in Keras
  watch({1, 1, 1, 1, 1}, train::ReduceLROnPlateau{{.monitor = "watched", .factor = 0.5, .patience = 1, .min_lr = 0.2}},
        least);
  EXPECT_EQ(least.learning_rate().item<double>(), 0.2);
}

TEST(TrainCallbacks, AnInfiniteLossEndsTraining) {
  const losses::Loss infinite([](const Array &, const Array &x) { return sum(x) * 0 + INFINITY; });
  const auto history =
      train::fit(Identity(), examples, examples,
                 {.loss = infinite, .epochs = 3, .verbose = 0, .callbacks = {train::TerminateOnNaN()}});
  EXPECT_EQ(history["loss"].size(), 1u);
}

} // namespace
