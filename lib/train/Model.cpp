//===- Model.cpp - any model, and a chain of layers, with Keras' verbs ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Running.h"
#include "lib/trace/Interpreter.h"

#include <tenon/jit.h>
#include <tenon/train/fit.h>

#include <atomic>
#include <optional>

using namespace tenon;
using namespace tenon::detail;

class tenon::detail::Compiled {
public:
  train::CompileOptions options;
  std::atomic<unsigned> references = 1;
};
void detail::retain(Compiled *compiled) { compiled->references.fetch_add(1, std::memory_order_relaxed); }
void detail::release(Compiled *compiled) {
  if (compiled->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete compiled;
}

static const train::CompileOptions &optionsOf(const StateRef<Compiled> &compiled, const char *function, Location at) {
  if (!compiled.get())
    throw Error(std::string(function) +
                    ": expected a compiled model, got one that is not: say model.compile({.optimizer = \"adam\", "
                    ".loss = ...}) first",
                userLocation(at));
  return compiled.get()->options;
}

void nn::Model::compile(const train::CompileOptions &options, Location at) {
  if (!options.loss.has_value())
    throw Error("compile: expected a loss, such as {.loss = losses::MeanSquaredError{}}, got none", userLocation(at));
  compiled_ = StateRef<Compiled>(new Compiled{options});
}

train::History nn::Model::fit(const train::AnyDataset &dataset, const train::FitOptions &options, Location at) const {
  const train::CompileOptions &how = optionsOf(compiled_, "fit", at);
  return detail::fit(trained_model(body_), dataset,
                     {.optimizer = how.optimizer,
                      .loss = how.loss,
                      .metrics = how.metrics,
                      .run_eagerly = how.run_eagerly,
                      .batch_size = options.batch_size,
                      .epochs = options.epochs,
                      .verbose = options.verbose,
                      .callbacks = options.callbacks,
                      .validation_split = options.validation_split,
                      .validation_data = options.validation_data,
                      .shuffle = options.shuffle,
                      .class_weight = options.class_weight,
                      .initial_epoch = options.initial_epoch,
                      .steps_per_epoch = options.steps_per_epoch},
                     at);
}
train::History nn::Model::fit(const train::AnyDataset &dataset, Location at) const { return fit(dataset, {}, at); }
train::History nn::Model::fit(const Array &x, const Array &y, const train::FitOptions &options, Location at) const {
  return fit(train::AnyDataset(x, y), options, at);
}
train::History nn::Model::fit(const Array &x, const Array &y, Location at) const {
  return fit(train::AnyDataset(x, y), {}, at);
}
train::Logs nn::Model::evaluate(const train::AnyDataset &dataset, Location at) const {
  const train::CompileOptions &how = optionsOf(compiled_, "evaluate", at);
  return detail::evaluate(trained_model(body_), dataset,
                          {.loss = how.loss, .metrics = how.metrics, .run_eagerly = how.run_eagerly}, at);
}
train::Logs nn::Model::evaluate(const Array &x, const Array &y, Location at) const {
  return evaluate(train::AnyDataset(x, y), at);
}

Function<Array(const Array &)> detail::inference_program(const nn::AnyLayer &model) {
  return [program = jit([model](const Array &batch) { return model(batch); })](const Array &batch) {
    const nn::TrainingScope inference(false);
    return program(batch);
  };
}

Array nn::Model::predict(const Array &x, int64_t batch_size, Location at) const {
  if (!x.has_value() || x.ndim() == 0 || batch_size < 1)
    throw Error("predict: expected examples along axis 0 and a batch_size >= 1, got " +
                    (x.has_value() ? x.shape().str() : std::string("an empty Array")) + " and " +
                    std::to_string(batch_size),
                userLocation(at));
  const int64_t count = x.shape()[0].value();
  if (count <= batch_size)
    return program_(x);
  std::vector<Array> parts;
  for (int64_t begin = 0; begin < count; begin += batch_size)
    parts.push_back(program_(x[slice(begin, std::min(begin + batch_size, count))]));
  return concat(parts, 0);
}

Array nn::Model::call(const Array &x) const { return body_(x, {}, RunningLayer::line()); }
void nn::Model::fields(Fields &f) {
  f.inner(body_);
  if (f.isCloning())
    program_ = inference_program(body_);
}

Array nn::Sequential::Chain::operator()(const Array &x) const {
  const Location at = RunningLayer::line();
  Array y = x;
  for (const AnyLayer &layer : layers)
    y = layer(y, {}, at);
  return y;
}
nn::Sequential::Sequential(std::vector<AnyLayer> layers) : Model(Chain{layers}), layers_(std::move(layers)) {
  (void)variables(*this); // for their names
}
void nn::Sequential::fields(Fields &f) {
  f("layers", layers_);
  if (f.isCloning())
    hold(AnyLayer(Chain{layers_}));
}
void nn::Sequential::append(AnyLayer layer) {
  layers_.push_back(std::move(layer));
  hold(AnyLayer(Chain{layers_}));
  (void)variables(*this);
}
