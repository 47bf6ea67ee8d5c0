//===- sequential.h - any model, and a chain of layers, with Keras' verbs ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn/model.h>

namespace tenon {
namespace data {
template <class T>
class Dataset;
} // namespace data
namespace train {
struct CompileOptions;
struct FitOptions;
class AnyDataset;
class History;
class Logs;
} // namespace train

namespace detail {
/// How a Model was compiled, which its copies share.
class Compiled;
void retain(Compiled *compiled);
void release(Compiled *compiled);
/// The jitted model in inference.
Function<Array(const Array &)> inference_program(const nn::AnyLayer &model);
} // namespace detail

namespace nn {

/// Any callable model, with Keras' verbs compile, fit, evaluate and predict (include <tenon/train.h> to call them). It
/// holds a copy of the model, which shares its weights.
///
///   nn::Model model{Net()};
///   model.compile({.optimizer = "adam", .loss = losses::SparseCategoricalCrossentropy{.from_logits = true},
///                  .metrics = {"accuracy"}});
///   model.fit(x, y, {.epochs = 5});
class Model : public Layer {
public:
  template <class M>
    requires(AnyLayerType<M> && !std::is_base_of_v<Model, M>)
  explicit Model(M model) : Model(AnyLayer(std::move(model))) {}

  /// Says how to train: before fit and evaluate. Options as Keras' in Keras' order.
  void compile(const train::CompileOptions &options, Location at = Location::current());
  /// Trains on arrays, whose axis 0 are the examples, or on a dataset of batches (x, y) or (x, y, sample_weight).
  /// Returns the losses and metrics of each epoch.
  train::History fit(const Array &x, const Array &y, const train::FitOptions &options,
                     Location at = Location::current()) const;
  train::History fit(const Array &x, const Array &y, Location at = Location::current()) const;
  train::History fit(const train::AnyDataset &dataset, const train::FitOptions &options,
                     Location at = Location::current()) const;
  train::History fit(const train::AnyDataset &dataset, Location at = Location::current()) const;
  /// Computes the loss and the metrics over data, in inference.
  train::Logs evaluate(const Array &x, const Array &y, Location at = Location::current()) const;
  train::Logs evaluate(const train::AnyDataset &dataset, Location at = Location::current()) const;
  /// Computes the model's outputs in inference, in batches, as one program.
  Array predict(const Array &x, int64_t batch_size = 32, Location at = Location::current()) const;

  Array call(const Array &x) const override;
  PolicyCasts policy_casts() const override { return PolicyCasts::none; }
  void fields(Fields &f) override;

protected:
  /// Another body, with programs of its own.
  void hold(AnyLayer body) {
    body_ = std::move(body);
    program_ = detail::inference_program(body_);
  }
  AnyLayer body_;

private:
  explicit Model(AnyLayer body) : body_(std::move(body)), program_(detail::inference_program(body_)) {}

  detail::Function<Array(const Array &)> program_;
  detail::StateRef<detail::Compiled> compiled_;
};

/// Layers and functions of an array, each called with the result of the one before.
class Sequential : public Model {
  /// What a Model holds of it.
  struct Chain {
    std::vector<AnyLayer> layers;
    Array operator()(const Array &x) const;
  };

public:
  template <class... L>
    requires((AnyLayerType<L> && ...) && !(sizeof...(L) == 1 && (std::is_base_of_v<Sequential, L> || ...)))
  explicit Sequential(L... layers) : Sequential(std::vector<AnyLayer>{AnyLayer(std::move(layers))...}) {}
  explicit Sequential(std::vector<AnyLayer> layers);

  /// Appends a layer; copies of the model that were made before do not get it.
  template <AnyLayerType L>
  void add(L layer) {
    append(AnyLayer(std::move(layer)));
  }
  const std::vector<AnyLayer> &layers() const { return layers_; }
  void fields(Fields &f) override;

private:
  void append(AnyLayer layer);
  std::vector<AnyLayer> layers_;
};

} // namespace nn
} // namespace tenon
