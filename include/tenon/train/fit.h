//===- fit.h - training a model --------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/data.h>
#include <tenon/losses.h>
#include <tenon/metrics.h>
#include <tenon/nn.h>
#include <tenon/train/callbacks.h>

namespace tenon {
namespace train {

/// Losses and metrics by name, a number for each epoch.
class History {
public:
  /// An Error that lists the names if there is none of this name.
  const std::vector<double> &operator[](std::string_view name) const &;
  /// A copy, which outlives what fit returns: `for (double loss : train::fit(...)["loss"])`.
  std::vector<double> operator[](std::string_view name) && { return std::as_const(*this)[name]; }
  std::vector<std::string> names() const;
  /// Draws a picture of the losses, and one of each metric, by epoch, with those of the validation data beside them.
  void save_svg(const std::string &path, Location at = Location::current()) const;
  /// Internal: adds an epoch.
  void append(const Logs &logs);

private:
  std::vector<std::pair<std::string, std::vector<double>>> values_;
};

/// A batch: inputs, targets, and weights of the examples or an empty Array.
struct Batch {
  Array x, y, sample_weight;
};

/// A dataset of batches (x, y) or (x, y, sample_weight), or arrays whose axis 0 are the examples.
class AnyDataset {
public:
  using Next = tenon::detail::Function<bool(Batch &)>;
  AnyDataset() = default;
  AnyDataset(const Array &x, const Array &y, const Array &sample_weight = {}) : arrays_{x, y, sample_weight} {}
  template <class... T>
  AnyDataset(const data::Dataset<std::tuple<T...>> &dataset) : steps_(dataset.size()) {
    constexpr bool areBatches = (sizeof...(T) == 2 || sizeof...(T) == 3) && (std::is_same_v<T, Array> && ...);
    static_assert(areBatches, "train::fit takes a dataset of tuples (x, y) or (x, y, sample_weight) of Arrays");
    if constexpr (areBatches)
      begin_ = [dataset](int64_t least) -> Next {
        int64_t number = least < 0 ? 0 : data::detail::next_epoch(dataset.counter());
        while (number < least)
          number = data::detail::next_epoch(dataset.counter());
        const data::Cursor<std::tuple<T...>> epoch(data::detail::make_cursor(dataset.stage(), number, false, {}));
        return [epoch](Batch &batch) {
          auto element = epoch.next();
          if (!element)
            return false;
          batch = {std::get<0>(*element), std::get<1>(*element), Array()};
          if constexpr (sizeof...(T) == 3)
            batch.sample_weight = std::get<2>(*element);
          return true;
        };
      };
  }

  bool has_value() const { return static_cast<bool>(begin_) || arrays_.x.has_value(); }
  /// Internal: the arrays, if it was made of arrays.
  const Batch &arrays() const { return arrays_; }
  std::optional<int64_t> steps() const { return steps_; }
  /// The dataset's next epoch, or number `least` if it has not come to that yet: training that goes on from a file.
  Next begin(int64_t least = 0) const { return begin_(least); }
  /// Epoch 0, which does not count: what is evaluated is the same each time.
  Next first() const { return begin_(-1); }

private:
  Batch arrays_;
  tenon::detail::Function<Next(int64_t)> begin_;
  std::optional<int64_t> steps_;
};

struct CompileOptions {
  optim::Optimizer optimizer = "rmsprop";
  losses::Loss loss = {};
  std::vector<metrics::Metric> metrics = {};
  bool run_eagerly = false;
};
struct FitOptions {
  int64_t batch_size = 32;
  int64_t epochs = 1;
  /// 0: silent; 1: the progress line; 2: a line for each epoch.
  int verbose = 1;
  std::vector<CallbackRef> callbacks = {};
  /// The share of arrays, at their end, that is validation data.
  double validation_split = 0;
  AnyDataset validation_data = {};
  /// Whether arrays are shuffled before each epoch.
  bool shuffle = true;
  /// The weight of the examples of each class.
  std::map<int64_t, double> class_weight = {};
  /// The number of the first epoch: arrays are shuffled as in a run that began with epoch 0.
  int64_t initial_epoch = 0;
  /// An epoch ends after so many batches, or where the data end. The next one goes on behind them.
  std::optional<int64_t> steps_per_epoch = {};
};
/// Those of compile, then those of fit, in Keras' order.
struct Options {
  optim::Optimizer optimizer = "rmsprop";
  losses::Loss loss = {};
  std::vector<metrics::Metric> metrics = {};
  bool run_eagerly = false;
  int64_t batch_size = 32;
  int64_t epochs = 1;
  int verbose = 1;
  std::vector<CallbackRef> callbacks = {};
  double validation_split = 0;
  AnyDataset validation_data = {};
  bool shuffle = true;
  std::map<int64_t, double> class_weight = {};
  int64_t initial_epoch = 0;
  std::optional<int64_t> steps_per_epoch = {};
};

struct EvaluateOptions {
  losses::Loss loss = {};
  std::vector<metrics::Metric> metrics = {};
  int64_t batch_size = 32;
  bool run_eagerly = false;
};
} // namespace train

namespace detail {
/// A model as fit sees it: a copy, which shares its weights.
struct TrainedModel {
  Function<Array(const Array &)> call;
  Function<VariableList()> variables;
};
template <class M>
TrainedModel trained_model(const M &model) {
  constexpr bool takesArray = std::is_invocable_r_v<Array, const M &, const Array &>;
  static_assert(takesArray, "train::fit takes a model that is called with an Array and returns one: a struct with "
                            "`Array operator()(const Array &x) const`");
  if constexpr (takesArray && require_tree<M>())
    return {[model](const Array &x) { return model(x); }, [model] { return variables_of(model); }};
}
train::History fit(const TrainedModel &model, const train::AnyDataset &data, const train::Options &options,
                   Location at);
train::Logs evaluate(const TrainedModel &model, const train::AnyDataset &data, const train::EvaluateOptions &options,
                     Location at);
} // namespace detail

namespace train {

/// Trains a model, any callable of an Array, on arrays whose axis 0 are the examples, or on a dataset of batches (x, y)
/// or (x, y, sample_weight), and returns the losses and metrics of each epoch.
///
/// A step is one program: the model in training, the loss, its gradients, the optimizer's update and the metrics. Data,
/// initial weights and dropout follow from tn::set_seed, with the same bits eagerly (`run_eagerly`). A step that throws
/// leaves model, optimizer, metrics and the default generator as they were before it.
template <class M>
History fit(const M &model, const AnyDataset &data, const Options &options, Location at = Location::current()) {
  return tenon::detail::fit(tenon::detail::trained_model(model), data, options, at);
}
template <class M>
History fit(const M &model, const Array &x, const Array &y, const Options &options, Location at = Location::current()) {
  return tenon::detail::fit(tenon::detail::trained_model(model), {x, y}, options, at);
}
/// Computes the loss and the metrics of a model over data, in inference.
template <class M>
Logs evaluate(const M &model, const AnyDataset &data, const EvaluateOptions &options,
              Location at = Location::current()) {
  return tenon::detail::evaluate(tenon::detail::trained_model(model), data, options, at);
}

} // namespace train
} // namespace tenon
