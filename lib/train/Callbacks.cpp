//===- Callbacks.cpp - what fit calls between its steps ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/File.h"
#include "lib/trace/Interpreter.h"
#include "lib/train/Run.h"

#include <tenon/checkpoint_file.h>
#include <tenon/generator.h>

#include <cmath>

using namespace tenon;
using namespace tenon::train;

static Run &runOf(Run *run) {
  if (!run)
    throw Error("Callback: expected a call of fit that is running: what a callback asks of it, it may ask in its own "
                "functions alone");
  return *run;
}
void Callback::stop_training() const { runOf(run_).isStopped = true; }
const optim::Optimizer &Callback::optimizer() const { return runOf(run_).optimizer; }
const detail::VariableList &Callback::model() const { return runOf(run_).variables(); }
Location Callback::line() const { return runOf(run_).at; }
int64_t Callback::epochs() const { return runOf(run_).epochs; }
std::optional<int64_t> Callback::steps() const { return runOf(run_).steps; }

/// Whether more is better, as Keras decides it by the name.
static bool improvesUpwards(std::string_view name) {
  for (const char *end : {"acc", "accuracy", "auc", "precision", "recall", "f1", "f1_score", "iou", "io_u",
                          "cosine_similarity", "r2_score"})
    if (name.ends_with(end))
      return true;
  return false;
}
static bool isBetter(std::string_view name, double value, const std::optional<double> &best, double delta) {
  if (std::isnan(value))
    return false;
  return !best || (improvesUpwards(name) ? value - delta > *best : value + delta < *best);
}

//===----------------------------------------------------------------------===//
// EarlyStopping, ReduceLROnPlateau
//===----------------------------------------------------------------------===//

static double monitored(const char *callback, const Logs &logs, const std::string &name, Location at) {
  if (logs.contains(name))
    return logs[name];
  std::string known;
  for (const std::string &one : logs.names())
    known += (known.empty() ? "'" : ", '") + one + "'";
  throw Error(std::string(callback) + ": expected a monitor among " + known + ", got '" + name + "'" +
                  (name.starts_with("val_") ? ", which fit has with validation_data alone" : ""),
              at);
}
/// The learning rate, which a callback assigns.
static Variable assignableRate(const char *callback, const optim::Optimizer &optimizer, Location at) {
  if (optimizer.has_schedule())
    throw Error(std::string(callback) +
                    ": expected an optimizer with a learning rate that is a number, got one with a schedule, which "
                    "would overwrite at the next step what is assigned",
                at);
  return optimizer.learning_rate(at);
}

void EarlyStopping::on_train_begin() {
  best_.reset();
  bestEpoch_ = wait_ = 0;
  stoppedEpoch_.reset();
  bestWeights_.clear();
}
void EarlyStopping::on_epoch_end(int64_t epoch, Logs &logs) {
  const double value = monitored("EarlyStopping", logs, options_.monitor, line());
  if (isBetter(options_.monitor, value, best_, options_.min_delta)) {
    best_ = value;
    bestEpoch_ = epoch;
    wait_ = 0;
    bestWeights_.clear();
    if (options_.restore_best_weights)
      for (const Variable &one : model().variables)
        bestWeights_.push_back(one.has_value() ? one.value() : Array()); // a layer may never be called
    return;
  }
  if (++wait_ >= options_.patience && epoch > 0) {
    stoppedEpoch_ = epoch;
    stop_training();
  }
}
void EarlyStopping::on_train_end(const Logs &) {
  const std::vector<Variable> &variables = model().variables;
  for (size_t i = 0; i < bestWeights_.size() && i < variables.size(); ++i)
    if (bestWeights_[i].has_value())
      variables[i].assign(bestWeights_[i]);
  bestWeights_.clear();
}

ReduceLROnPlateau::ReduceLROnPlateau(ReduceLROnPlateauOptions options, Location at) : options_(std::move(options)) {
  if (!(options_.factor > 0 && options_.factor < 1))
    throw Error("ReduceLROnPlateau: expected a factor in (0, 1), got " + Scalar(options_.factor).str(),
                userLocation(at));
}
void ReduceLROnPlateau::on_train_begin() {
  best_.reset();
  wait_ = cooldown_ = 0;
}
void ReduceLROnPlateau::on_epoch_end(int64_t, Logs &logs) {
  const Variable learningRate = assignableRate("ReduceLROnPlateau", optimizer(), line());
  const double rate = static_cast<double>(learningRate);
  const double value = monitored("ReduceLROnPlateau", logs, options_.monitor, line());
  logs.set("learning_rate", rate);
  if (cooldown_ > 0) {
    --cooldown_;
    wait_ = 0;
  }
  if (isBetter(options_.monitor, value, best_, options_.min_delta)) {
    best_ = value;
    wait_ = 0;
  } else if (cooldown_ == 0 && ++wait_ >= options_.patience) {
    if (rate > options_.min_lr) {
      learningRate.assign(std::max(rate * options_.factor, options_.min_lr));
      cooldown_ = options_.cooldown;
    }
    wait_ = 0;
  }
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

void LearningRateScheduler::on_epoch_begin(int64_t epoch) {
  const Variable rate = assignableRate("LearningRateScheduler", optimizer(), line());
  rate.assign(rate_(epoch, static_cast<double>(rate)));
}

void TerminateOnNaN::on_batch_end(int64_t, const Logs &logs) {
  if (!std::isfinite(logs["loss"]))
    stop_training();
}

void CSVLogger::on_train_begin() { text_.clear(); }
void CSVLogger::on_epoch_end(int64_t epoch, Logs &logs) {
  const std::vector<std::string> names = logs.names();
  if (text_.empty()) {
    text_ = "epoch";
    for (const std::string &name : names)
      text_ += "," + name;
    text_ += "\n";
  }
  text_ += std::to_string(epoch);
  for (const std::string &name : names)
    text_ += "," + Scalar(logs[name]).str();
  text_ += "\n";
  detail::OutputFile file("CSVLogger", path_);
  file.write(std::as_bytes(std::span(text_)));
  file.commit();
}

namespace {
/// The Variables of a model by their paths, as part of a checkpoint.
class ModelState : public TreeObject {
public:
  explicit ModelState(const detail::VariableList &list) : list_(list) {}
  void fields(Fields &f) override {
    for (size_t i = 0; i < list_.paths.size(); ++i)
      f(list_.paths[i], list_.variables[i]);
  }

private:
  detail::VariableList list_;
};
} // namespace

void ModelCheckpoint::on_epoch_end(int64_t, Logs &logs) {
  if (options_.save_best_only) {
    const double value = monitored("ModelCheckpoint", logs, options_.monitor, line());
    if (!isBetter(options_.monitor, value, best_, 0))
      return;
    best_ = value;
  }
  ModelState model(this->model());
  optim::Optimizer optimizer = this->optimizer();
  if (options_.save_weights_only)
    Checkpoint{{"model", model}}.save(path_, {.keep = options_.keep}, line());
  else
    Checkpoint{{"model", model}, {"optimizer", optimizer}, {"generator", random::default_generator()}}.save(
        path_, {.keep = options_.keep}, line());
}

void LambdaCallback::on_train_begin() {
  if (options_.on_train_begin)
    options_.on_train_begin();
}
void LambdaCallback::on_epoch_begin(int64_t epoch) {
  if (options_.on_epoch_begin)
    options_.on_epoch_begin(epoch);
}
void LambdaCallback::on_batch_end(int64_t batch, const Logs &logs) {
  if (options_.on_batch_end)
    options_.on_batch_end(batch, logs);
}
void LambdaCallback::on_epoch_end(int64_t epoch, Logs &logs) {
  if (options_.on_epoch_end)
    options_.on_epoch_end(epoch, logs);
}
