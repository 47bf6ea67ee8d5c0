//===- metric.h - any metric of (y_true, y_pred) ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included by metrics.h.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/metrics.h>

namespace tenon::metrics {

template <class M>
concept Updates = requires(M &m, const Array &y) {
  m.update(y, y);
  { m.result() } -> std::convertible_to<Array>;
};
template <class M>
concept Called = requires(M &m, const Array &y) {
  m(y, y);
  { m.result() } -> std::convertible_to<Array>;
};
/// A function that returns a number for each example.
template <class M>
concept OfExamples = std::is_invocable_r_v<Array, const M &, const Array &, const Array &> && !Updates<M> && !Called<M>;

} // namespace tenon::metrics
namespace tenon::detail {

/// What copies of a Metric share.
class MetricBody {
public:
  virtual ~MetricBody() = default;
  virtual void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) = 0;
  virtual Array result() = 0;
  virtual void reset() = 0;
  virtual void merge(const MetricBody &other, const std::string &name, Location at) = 0;
  virtual void fields(Fields &f) = 0;
  virtual MetricBody *copy() const = 0;
  /// One address for each type of metric.
  virtual const void *type() const = 0;
  unsigned references = 1;
};
inline void retain(MetricBody *body) { __atomic_add_fetch(&body->references, 1, __ATOMIC_RELAXED); }
inline void release(MetricBody *body) {
  if (__atomic_sub_fetch(&body->references, 1, __ATOMIC_ACQ_REL) == 0)
    delete body;
}

/// The values that the Variables of a user's metric have at first.
class InitialValues {
public:
  void add(const Variable &variable);
  /// Assigns them. What had no value yet becomes zeros.
  void restore() const;

private:
  std::vector<std::pair<Variable, Array>> values_;
};

[[noreturn]] void throw_unweighted_metric(const std::string &name, Location at);
[[noreturn]] void throw_unmergeable_metric(const std::string &name, Location at);

template <class M>
class MetricBodyOf final : public MetricBody {
public:
  MetricBodyOf(M metric, std::string name) : metric_(std::move(metric)), name_(std::move(name)) {
    static_assert(require_tree<M>(), "a metric names its Variables, so that reset and checkpoints find them: make it a "
                                     "struct, or derive it from tenon::TreeObject");
    if constexpr (!has_reset)
      for_each_leaf(metric_, [&]<class Leaf>(Leaf &leaf, const Path &) {
        if constexpr (std::is_same_v<std::remove_const_t<Leaf>, Variable>)
          initial_.add(leaf);
      });
  }
  void update(const Operand &y_true, const Operand &y_pred, const Operand &weight) override {
    if constexpr (std::is_base_of_v<metrics::PairMetric, M>) {
      metric_.update(y_true, y_pred, weight);
    } else {
      const Array truth = operand_array(y_true), predicted = operand_array(y_pred);
      if constexpr (requires { metric_.update(truth, predicted, truth); })
        weight.is_none() ? (void)metric_.update(truth, predicted)
                         : (void)metric_.update(truth, predicted, operand_array(weight));
      else if (!weight.is_none())
        throw_unweighted_metric(name_, y_true.location());
      else if constexpr (metrics::Updates<M>)
        metric_.update(truth, predicted);
      else
        metric_(truth, predicted);
    }
  }
  Array result() override { return metric_.result(); }
  void reset() override {
    if constexpr (has_reset)
      metric_.reset();
    else
      initial_.restore();
  }
  void merge(const MetricBody &other, const std::string &name, Location at) override {
    if constexpr (std::is_base_of_v<metrics::Totals, M> || requires(const M &o) { metric_.merge(o); })
      if (other.type() == type()) {
        const M &metric = static_cast<const MetricBodyOf &>(other).metric_;
        if constexpr (std::is_base_of_v<metrics::Totals, M>)
          metric_.merge(metric, at);
        else
          metric_.merge(metric);
        return;
      }
    throw_unmergeable_metric(name, at);
  }
  void fields(Fields &f) override {
    if constexpr (std::is_base_of_v<TreeObject, M>)
      metric_.fields(f);
    else
      f(name_, metric_);
  }
  MetricBody *copy() const override { return new MetricBodyOf(metric_, name_); }
  const void *type() const override { return &tag; }

private:
  static constexpr bool has_reset = requires(M &m) { m.reset(); };
  static inline const char tag = 0;
  M metric_;
  std::string name_;
  InitialValues initial_;
};

} // namespace tenon::detail
namespace tenon::metrics {

/// Any metric of (y_true, y_pred):
/// - a name: "accuracy" is the binary, categorical or sparse categorical accuracy, and "crossentropy" the cross
/// entropy,
///   that the shapes of y_true and y_pred call for, as in Keras; "mse", "mae", "auc", "precision", ...; a wrong name is
///   an Error that lists the right ones;
/// - a metric of the library, such as `metrics::AUC{}`;
/// - a struct with `update(y_true, y_pred)` and `result()`, whose state is in Variables; `reset` gives them their first
///   values unless it has a `reset` of its own;
/// - a function that returns a number for each example, or a loss: its mean.
/// Its name is that of the metric, `name()`, or that of its type. Copies share the state.
class Metric : public TreeObject {
public:
  Metric(const char *name, Location at = Location::current());
  Metric(const std::string &name, Location at = Location::current()) : Metric(name.c_str(), at) {}
  template <class M>
    requires((Updates<M> || Called<M> || OfExamples<M>) && !std::is_base_of_v<Metric, M>)
  Metric(M metric) : Metric(std::move(metric), std::string()) {}
  /// The same under another name.
  template <class M>
    requires((Updates<M> || Called<M> || OfExamples<M>) && !std::is_base_of_v<Metric, M>)
  Metric(M metric, std::string name) : name_(std::move(name)) {
    static_assert(!std::is_base_of_v<Mean, M> && !std::is_base_of_v<Sum, M>,
                  "metrics::Mean and metrics::Sum take values, not (y_true, y_pred): use metrics::MeanMetric");
    if (name_.empty()) {
      if constexpr (requires { std::string(metric.name()); })
        name_ = metric.name();
      else
        name_ = detail::snake_name(type_name<M>, "metric");
    }
    if constexpr (OfExamples<M>)
      hold(MeanMetric(name_, valuesOf(std::move(metric))));
    else
      hold(std::move(metric));
  }

  /// Updates, and returns the result so far.
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const {
    update(y_true, y_pred, sample_weight);
    return result();
  }
  void update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const {
    body_.get()->update(y_true, y_pred, sample_weight);
  }
  [[nodiscard]] Array result() const { return body_.get()->result(); }
  void reset() const { body_.get()->reset(); }
  /// Adds the state of another metric of the same type. A struct of one's own needs `merge(const M &)`.
  void merge(const Metric &other, Location at = Location::current()) const {
    body_.get()->merge(*other.body_.get(), name_, at);
  }
  const std::string &name() const { return name_; }
  void fields(Fields &f) override;

private:
  template <class M>
  void hold(M metric) {
    body_ = detail::StateRef<detail::MetricBody>(new detail::MetricBodyOf<M>(std::move(metric), name_));
  }
  template <class F>
  static MeanMetric::Values valuesOf(F function) {
    if constexpr (requires { function.reduction = losses::Reduction::per_example; })
      function.reduction = losses::Reduction::per_example;
    return [function = std::move(function)](const Operand &y_true, const Operand &y_pred) -> Array {
      if constexpr (std::is_invocable_v<const F &, const Operand &, const Operand &>)
        return function(y_true, y_pred);
      else
        return function(detail::operand_array(y_true), detail::operand_array(y_pred));
    };
  }

  detail::StateRef<detail::MetricBody> body_;
  std::string name_;
};

} // namespace tenon::metrics
