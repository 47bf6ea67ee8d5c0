//===- Fit.cpp - training a model -------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Interpreter.h"
#include "lib/trace/State.h"
#include "lib/train/Run.h"

#include <tenon/generator.h>
#include <tenon/jit.h>
#include <tenon/modes.h>
#include <tenon/ops.h>
#include <tenon/plot.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string_view>

using namespace tenon;
using namespace tenon::train;

//===----------------------------------------------------------------------===//
// History
//===----------------------------------------------------------------------===//

const std::vector<double> &History::operator[](std::string_view name) const & {
  std::string known;
  for (const auto &[own, values] : values_) {
    if (own == name)
      return values;
    known += (known.empty() ? "'" : ", '") + own + "'";
  }
  throw Error("History: expected one of " + (known.empty() ? "no names" : known) + ", got '" + std::string(name) + "'");
}
std::vector<std::string> History::names() const {
  std::vector<std::string> all;
  for (const auto &[name, values] : values_)
    all.push_back(name);
  return all;
}
void History::save_svg(const std::string &path, Location at) const {
  std::vector<plot::Figure> figures;
  const auto draw = [](plot::Figure &figure, const std::vector<double> &values, const std::string &label) {
    figure.line(arange(1, static_cast<int64_t>(values.size()) + 1, 1), values, {.label = label});
  };
  for (const auto &[name, values] : values_) {
    const auto partner = std::ranges::find(values_, "val_" + name, &std::pair<std::string, std::vector<double>>::first);
    const bool isDrawn =
        name.starts_with("val_") &&
        std::ranges::count(values_, name.substr(4), &std::pair<std::string, std::vector<double>>::first);
    if (isDrawn)
      continue;
    plot::Figure figure({.title = name, .x_label = "epoch", .width = 520, .height = 360}, at);
    draw(figure, values, partner == values_.end() ? "" : "training");
    if (partner != values_.end())
      draw(figure, partner->second, "validation");
    figures.push_back(figure);
  }
  if (figures.empty()) // of no epoch
    figures.push_back(plot::Figure({.title = "no epoch"}).line(std::vector<double>()));
  plot::save(path, figures, std::min<int64_t>(2, static_cast<int64_t>(figures.size())), at);
}
void History::append(const Logs &logs) {
  for (const std::string &name : logs.names()) {
    auto place = std::ranges::find(values_, name, &std::pair<std::string, std::vector<double>>::first);
    if (place == values_.end())
      place = values_.insert(place, {name, {}});
    place->second.push_back(logs[name]);
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

/// What a step does with a batch, eagerly or as a program.
class Step {
public:
  template <class F>
  Step(F function, bool isEager) : isEager_(isEager), eager_(function) {
    if (!isEager_) {
      weighted_ =
          jit([function](const Array &x, const Array &y, const Array &weight) { return function(x, y, weight); });
      plain_ = jit([function](const Array &x, const Array &y) { return function(x, y, Array()); });
    }
  }
  /// If it throws, all Variables and the default generator are as they were.
  Array operator()(const Batch &batch) const {
    if (isEager_)
      return runEagerly(batch);
    return batch.sample_weight.has_value() ? weighted_(batch.x, batch.y, batch.sample_weight)
                                           : plain_(batch.x, batch.y);
  }

private:
  Array runEagerly(const Batch &batch) const {
    const uint64_t drawn = random::default_generator().position();
    detail::StateJournal journal;
    try {
      return eager_(batch.x, batch.y, batch.sample_weight);
    } catch (...) {
      journal.undo();
      random::default_generator().seek(drawn);
      throw;
    }
  }

  bool isEager_;
  detail::Function<Array(const Array &, const Array &, const Array &)> eager_, weighted_;
  detail::Function<Array(const Array &, const Array &)> plain_;
};

/// Calls a loss or a metric. An Error about what this file gave to it is at the line of the user's call of fit.
template <class F>
auto placedAt(Location at, const F &function) {
  try {
    return function();
  } catch (const Error &error) {
    if (std::string_view(error.location().file) != Location::current().file)
      throw;
    const std::string text = error.what();
    throw Error(text.substr(0, text.rfind("\n  at ")), userLocation(at));
  }
}

/// The loss and the metrics of an epoch so far.
class Measures {
public:
  Measures(const char *function, const losses::Loss &loss, const std::vector<metrics::Metric> &metrics, Location at)
      : loss_(loss), mean_("loss"), metrics_(metrics), at_(at) {
    std::set<std::string> names{mean_.name()};
    for (const metrics::Metric &one : metrics_)
      if (!names.insert(one.name()).second)
        throw Error(std::string(function) + ": expected metrics of different names, got two that are called '" +
                        one.name() + "' (\"loss\" is that of the loss)",
                    userLocation(at));
  }

  /// The loss of a batch, and the penalties of the model's weights and activities; its share in the epoch's is its
  /// examples'.
  Array lossOf(const Array &y, const Array &predicted, const Array &weight, const detail::TrainedModel &model,
               const nn::ActivityScope &activities) const {
    loss_.check_labels(y, stop_gradient(predicted), at_);
    Array loss = placedAt(at_, [&] { return weight.has_value() ? loss_(y, predicted, weight) : loss_(y, predicted); });
    for (const Array &penalty : {detail::penalty_of(model.variables().variables), activities.penalty()})
      if (penalty.has_value())
        loss = loss + penalty.astype(loss.dtype());
    return loss;
  }
  void update(const Array &loss, const Array &y, const Array &predicted, const Array &weight) const {
    mean_.update(loss, y.shape()[0]);
    for (const metrics::Metric &one : metrics_)
      placedAt(at_, [&] { weight.has_value() ? one.update(y, predicted, weight) : one.update(y, predicted); });
  }
  void reset() const {
    mean_.reset();
    for (const metrics::Metric &one : metrics_)
      one.reset();
  }
  void report(Logs &logs, const std::string &prefix) const {
    logs.set(prefix + "loss", mean_.result());
    for (const metrics::Metric &one : metrics_)
      logs.set(prefix + one.name(), one.result());
  }

private:
  losses::Loss loss_;
  metrics::Mean mean_;
  std::vector<metrics::Metric> metrics_;
  Location at_;
};

} // namespace

/// A step of training: returns the loss.
static auto trainingStep(const detail::TrainedModel &model, const optim::Optimizer &optimizer, const Measures &measures,
                         Location at) {
  return [=](const Array &x, const Array &y, const Array &weight) {
    const nn::TrainingScope training;
    GradientTape tape(at);
    const nn::ActivityScope activities;
    const Array predicted = model.call(x);
    const Array loss = measures.lossOf(y, predicted, weight, model, activities);
    optimizer.apply_gradients(detail::gradients_of(tape, optimizer.scale_loss(loss), model.variables(), at), at);
    detail::apply_constraints(model.variables().variables);
    measures.update(stop_gradient(loss), y, stop_gradient(predicted), weight);
    return loss;
  };
}
static auto evaluationStep(const detail::TrainedModel &model, const Measures &measures) {
  return [=](const Array &x, const Array &y, const Array &weight) {
    const nn::TrainingScope inference(false);
    const nn::ActivityScope activities;
    const Array predicted = model.call(x);
    const Array loss = measures.lossOf(y, predicted, weight, model, activities);
    measures.update(loss, y, predicted, weight);
    return loss;
  };
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

static void expectExamples(const char *function, const Batch &arrays, Location at) {
  if (!arrays.x.has_value() || !arrays.y.has_value())
    throw Error(std::string(function) + ": expected data, arrays x and y or a dataset, got none", userLocation(at));
  if (arrays.x.ndim() == 0 || arrays.y.ndim() == 0 || arrays.x.shape()[0].value() != arrays.y.shape()[0].value())
    throw Error(std::string(function) + ": expected x and y with as many examples along axis 0, got shapes " +
                    arrays.x.shape().str() + " and " + arrays.y.shape().str(),
                userLocation(at));
  if (arrays.x.shape()[0].value() == 0)
    throw Error(std::string(function) + ": expected an example at least, got none", userLocation(at));
}
static int64_t countOf(const Batch &arrays) { return arrays.x.shape()[0].value(); }

static Batch part(const Batch &arrays, int64_t begin, int64_t end) {
  auto cut = [&](const Array &x) { return x.has_value() ? x[slice(begin, end)] : x; };
  return {cut(arrays.x), cut(arrays.y), cut(arrays.sample_weight)};
}

/// Batches of arrays, from epoch `first` on.
static AnyDataset batchesOf(const Batch &arrays, int64_t batchSize, bool isShuffled, Location at) {
  const uint64_t seed = random::default_generator().seed();
  auto batched = [&](const auto &slices) {
    return isShuffled ? slices | data::shuffle(countOf(arrays), seed) | data::batch(batchSize, {}, at)
                      : slices | data::batch(batchSize, {}, at);
  };
  if (arrays.sample_weight.has_value())
    return batched(data::from_slices(std::tuple(arrays.x, arrays.y, arrays.sample_weight), at));
  return batched(data::from_slices(std::tuple(arrays.x, arrays.y), at));
}

/// The weights of the examples of a batch by their classes, times those that they have.
static Array withClassWeights(const Batch &batch, const std::map<int64_t, double> &weights) {
  Array ofClasses = losses::class_weights(batch.y, weights), own = batch.sample_weight;
  if (!own.has_value())
    return ofClasses;
  while (ofClasses.ndim() < own.ndim())
    ofClasses = expand_dims(ofClasses, -1);
  while (own.ndim() < ofClasses.ndim())
    own = expand_dims(own, -1);
  return ofClasses * own;
}

//===----------------------------------------------------------------------===//
// fit
//===----------------------------------------------------------------------===//

static void expectFits(const Options &options, Location at) {
  auto refuse = [&](const std::string &sentence) { throw Error("fit: " + sentence, userLocation(at)); };
  if (!options.loss.has_value())
    refuse("expected a loss, such as {.loss = losses::MeanSquaredError{}}, got none");
  if (options.batch_size < 1)
    refuse("expected a batch_size >= 1, got " + std::to_string(options.batch_size));
  if (options.epochs < 0)
    refuse("expected epochs >= 0, got " + std::to_string(options.epochs));
  if (options.initial_epoch < 0)
    refuse("expected initial_epoch >= 0, got " + std::to_string(options.initial_epoch));
  if (!(options.validation_split >= 0 && options.validation_split < 1))
    refuse("expected a validation_split in [0, 1), got " + Scalar(options.validation_split).str());
  if (options.steps_per_epoch && *options.steps_per_epoch < 1)
    refuse("expected steps_per_epoch >= 1, got " + std::to_string(*options.steps_per_epoch));
}

History detail::fit(const TrainedModel &model, const AnyDataset &given, const Options &options, Location at) {
  expectFits(options, at);
  AnyDataset data = given, validation = options.validation_data;
  if (given.arrays().x.has_value() || !given.has_value()) {
    Batch arrays = given.arrays();
    expectExamples("fit", arrays, at);
    const int64_t count = countOf(arrays);
    // As many at the end as the share says, rounded up, as Keras.
    const auto split = static_cast<int64_t>(static_cast<double>(count) * (1 - options.validation_split));
    if (split == 0)
      throw Error("fit: expected an example at least that is no validation data, got none", userLocation(at));
    if (split < count) {
      const Batch rest = part(arrays, split, count);
      validation = AnyDataset(rest.x, rest.y, rest.sample_weight);
      arrays = part(arrays, 0, split);
    }
    data = batchesOf(arrays, options.batch_size, options.shuffle, at);
  } else if (options.validation_split > 0) {
    throw Error("fit: expected arrays where a validation_split is given, got a dataset: give validation_data instead",
                userLocation(at));
  }
  if (validation.arrays().x.has_value()) {
    expectExamples("fit", validation.arrays(), at);
    validation = batchesOf(validation.arrays(), options.batch_size, false, at);
  }

  const bool isEager = options.run_eagerly;
  const Measures measures("fit", options.loss, options.metrics, at);
  const Step step(trainingStep(model, options.optimizer, measures, at), isEager);
  const Step evaluation(evaluationStep(model, measures), isEager);
  (void)model.variables(); // gives them their paths, which errors of the first step name
  Run run(model, options.optimizer, options.callbacks, at);
  run.epochs = options.epochs;
  History history;
  Logs logs;
  AnyDataset::Next next; // with steps_per_epoch it goes on in the next epoch
  run.each([](Callback &one) { one.on_train_begin(); });
  for (int64_t epoch = options.initial_epoch; epoch < options.epochs && !run.isStopped; ++epoch) {
    run.steps = options.steps_per_epoch ? options.steps_per_epoch : data.steps();
    run.each([&](Callback &one) { one.on_epoch_begin(epoch); });
    if (options.verbose)
      std::cout << "Epoch " << epoch + 1 << "/" << options.epochs << "\n";
    Progress progress(run.steps, {.live = options.verbose == 1 ? std::optional<bool>() : false});
    measures.reset();
    logs = Logs();
    int64_t done = 0;
    const auto take = [&](Batch &batch) {
      const bool goesOn = options.steps_per_epoch && next;
      if (!goesOn && done == 0)
        next = data.begin(options.initial_epoch);
      if (next(batch))
        return true;
      if (goesOn && done == 0) { // it has ended with the last epoch
        next = data.begin();
        return next(batch);
      }
      next = {};
      return false;
    };
    for (Batch batch; !run.isStopped && (!options.steps_per_epoch || done < *options.steps_per_epoch) && take(batch);
         ++done) {
      if (!options.class_weight.empty())
        batch.sample_weight = withClassWeights(batch, options.class_weight);
      step(batch);
      measures.report(logs, "");
      run.each([&](Callback &one) { one.on_batch_end(done, logs); });
      if (options.verbose)
        progress.step(logs);
    }
    if (done == 0)
      throw Error("fit: expected a batch at least in epoch " + std::to_string(epoch + 1) + ", got none",
                  userLocation(at));
    if (validation.has_value()) {
      measures.reset();
      AnyDataset::Next nextOf = validation.first();
      for (Batch batch; nextOf(batch);)
        evaluation(batch);
      measures.report(logs, "val_");
    }
    run.each([&](Callback &one) { one.on_epoch_end(epoch, logs); });
    history.append(logs);
    if (options.verbose)
      progress.finish(logs);
  }
  run.each([&](Callback &one) { one.on_train_end(logs); });
  return history;
}

Logs detail::evaluate(const TrainedModel &model, const AnyDataset &given, const EvaluateOptions &options, Location at) {
  if (!options.loss.has_value())
    throw Error("evaluate: expected a loss, got none", userLocation(at));
  AnyDataset data = given;
  if (given.arrays().x.has_value() || !given.has_value()) {
    expectExamples("evaluate", given.arrays(), at);
    data = batchesOf(given.arrays(), options.batch_size, false, at);
  }
  const Measures measures("evaluate", options.loss, options.metrics, at);
  measures.reset();
  const Step step(evaluationStep(model, measures), options.run_eagerly);
  AnyDataset::Next next = data.first();
  for (Batch batch; next(batch);)
    step(batch);
  Logs logs;
  measures.report(logs, "");
  return logs;
}
