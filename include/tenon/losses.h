//===- losses.h - loss functions ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses with the names, options and formulas of Keras. A loss is an aggregate of its options that is called with
// (y_true, y_pred); the function of the same name takes the aggregate as its options:
//
//   const losses::SparseCategoricalCrossentropy loss{.from_logits = true};
//   Array a = loss(labels, logits);
//   Array b = losses::sparse_categorical_crossentropy(labels, logits, {.from_logits = true});
//
// Shapes: y_true and y_pred have one shape (batch..., features); the loss of an example is the mean over the last axis.
// Arrays of rank 1 hold one number for each example. (n) meets (n, 1); a number as y_true meets any y_pred. Other
// shapes are an Error: nothing else is broadcast.
//
// Dtypes: losses are computed and returned in the dtype of y_pred, f32 for f16, bf16, integers and bools.
//
// Sample weights have the shape of the losses per example or its first axes; axes of size 1 broadcast. The mean is
// `sum(weights * losses) / count(losses)`, as Keras' "sum_over_batch_size". Weights of bools are a mask, as Keras'
// masks: the mean is that of the losses where the mask is true, and 0 if there are none. What a mask or ignore_class
// leaves out may be NaN; its derivative is 0.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/detail/function.h>
#include <tenon/fields.h>
#include <tenon/ops.h>

#include <map>

namespace tenon::losses {

/// How the losses of the examples become the result.
enum class Reduction : uint8_t {
  mean,        ///< the mean; Keras' "sum_over_batch_size"
  sum,         ///< the sum
  per_example, ///< the losses of the examples themselves; Keras' "none"
};

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Cross entropy of integer labels and predicted classes: minus the logarithm of the probability of the label.
///
/// y_true: labels of any integer dtype, of the shape of y_pred without `axis`, or with size 1 there. A label that is no
/// class is an Error that names label, row and classes; under jit and vmap, where labels are unknown, the loss of its
/// row and its derivative are NaN. y_pred: probabilities, divided by their sum and clipped to [1e-7, 1 - 1e-7], or
/// logits.
struct SparseCategoricalCrossentropy {
  /// Whether y_pred are logits.
  bool from_logits = false;
  /// Rows with this label have loss 0 and do not count in the mean.
  std::optional<int64_t> ignore_class = {};
  /// The axis of the classes.
  Axis axis = -1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
  /// Makes a label that is no class an Error of the program that runs, as `fit` does, instead of a loss of NaN.
  void check_labels(const Array &y_true, const Array &y_pred, Location at = Location::current()) const;
};

/// Cross entropy of two distributions over classes, `-sum(y_true * log(y_pred))`.
///
/// y_pred: probabilities, divided by their sum and clipped to [1e-7, 1 - 1e-7], or logits.
struct CategoricalCrossentropy {
  /// Whether y_pred are logits.
  bool from_logits = false;
  /// In [0, 1]: y_true becomes `(1 - e) * y_true + e / classes`.
  double label_smoothing = 0;
  /// The axis of the classes.
  Axis axis = -1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};

/// Cross entropy of independent probabilities, `-(y_true * log(y_pred) + (1 - y_true) * log(1 - y_pred))`.
///
/// y_pred: probabilities, clipped to [1e-7, 1 - 1e-7], or logits.
struct BinaryCrossentropy {
  /// Whether y_pred are logits.
  bool from_logits = false;
  /// In [0, 1]: y_true becomes `(1 - e) * y_true + e / 2`.
  double label_smoothing = 0;
  /// The axis over which the mean of an example is taken.
  Axis axis = -1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};

/// BinaryCrossentropy times the focal factor `(1 - p)^gamma`, where p is the probability of the true class (Lin et al.
/// 2017).
struct BinaryFocalCrossentropy {
  /// Multiplies by `alpha` where y_true is 1, by `1 - alpha` where it is 0.
  bool apply_class_balancing = false;
  double alpha = 0.25;
  double gamma = 2;
  /// Whether y_pred are logits.
  bool from_logits = false;
  /// In [0, 1]: y_true becomes `(1 - e) * y_true + e / 2`.
  double label_smoothing = 0;
  /// The axis over which the mean of an example is taken.
  Axis axis = -1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};

/// CategoricalCrossentropy of which each class has the factor `alpha * (1 - p)^gamma`, where p is its probability.
struct CategoricalFocalCrossentropy {
  /// One weight, or one for each class.
  std::vector<double> alpha = {0.25};
  double gamma = 2;
  /// Whether y_pred are logits.
  bool from_logits = false;
  /// In [0, 1]: y_true becomes `(1 - e) * y_true + e / classes`.
  double label_smoothing = 0;
  /// The axis of the classes.
  Axis axis = -1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};

/// Negative log likelihood: minus the log-probability of the label. y_true: labels as for
/// SparseCategoricalCrossentropy. y_pred: log-probabilities, such as `log_softmax(logits)`.
struct NLL {
  /// Rows with this label have loss 0 and do not count in the mean.
  std::optional<int64_t> ignore_class = {};
  /// The axis of the classes.
  Axis axis = -1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
  /// Makes a label that is no class an Error of the program that runs, as `fit` does, instead of a loss of NaN.
  void check_labels(const Array &y_true, const Array &y_pred, Location at = Location::current()) const;
};

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

/// Mean of `(y_true - y_pred)^2`.
struct MeanSquaredError {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Mean of `|y_true - y_pred|`.
struct MeanAbsoluteError {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Mean of `100 * |y_true - y_pred| / max(|y_true|, 1e-7)`.
struct MeanAbsolutePercentageError {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Mean of `(log(1 + y_true) - log(1 + y_pred))^2`; elements below 1e-7 count as 1e-7.
struct MeanSquaredLogarithmicError {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Mean of the Huber loss of `d = y_pred - y_true`: `d^2 / 2` where `|d| <= delta`, `delta * (|d| - delta / 2)`
/// elsewhere.
struct Huber {
  /// Positive.
  double delta = 1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Mean of `log(cosh(y_pred - y_true))`.
struct LogCosh {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};

//===----------------------------------------------------------------------===//
// Margins, distributions, distances
//===----------------------------------------------------------------------===//

/// Mean of `max(1 - y_true * y_pred, 0)`. y_true: -1 or 1; if all elements are 0 or 1, 0 stands for -1.
struct Hinge {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Mean of `max(1 - y_true * y_pred, 0)^2`. y_true as for Hinge.
struct SquaredHinge {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// `max(neg - pos + 1, 0)` with `neg = max((1 - y_true) * y_pred)` and `pos = sum(y_true * y_pred)` over the last axis;
/// y_true is one-hot.
struct CategoricalHinge {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Kullback-Leibler divergence, `sum(y_true * log(y_true / y_pred))` over the last axis; probabilities below 1e-7 count
/// as 1e-7.
struct KLDivergence {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Mean of `y_pred - y_true * log(y_pred + 1e-7)`.
struct Poisson {
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// Minus the cosine of the angle between y_true and y_pred along `axis`; 0 if one of them is 0.
struct CosineSimilarity {
  Axis axis = -1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// `y_true * y_pred^2 + (1 - y_true) * max(margin - y_pred, 0)^2`, where y_pred are distances between the two members
/// of pairs, and y_true is 1 for pairs that belong together, 0 for others (TensorFlow Addons' ContrastiveLoss).
struct Contrastive {
  double margin = 1;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
};
/// `max(d(anchor, positive) - d(anchor, negative) + margin, 0)` for embeddings (batch, features), where d is
/// `pairwise_distance` of order p (PyTorch's TripletMarginLoss). It takes three arrays, so it is no `Loss`:
/// `TripletSemiHard` makes the triplets of a batch from labels.
struct Triplet {
  double margin = 1;
  /// The order of the norm.
  double p = 2;
  /// Added to the differences.
  double epsilon = 1e-6;
  /// Takes the smaller one of d(anchor, negative) and d(positive, negative) (Balntas et al. 2016).
  bool swap = false;
  Reduction reduction = Reduction::mean;
  Array operator()(const Operand &anchor, const Operand &positive, const Operand &negative) const;
};
/// Triplet loss of labels (n) and embeddings (n, features): for each pair with one label, the negative is the nearest
/// one that is farther away than the positive, or else the farthest one; the mean of `max(margin + d(anchor, positive)
/// - d(anchor, negative), 0)` over the pairs (Schroff et al. 2015). 0 if there is no pair.
struct TripletSemiHard {
  double margin = 1;
  Array operator()(const Operand &y_true, const Operand &y_pred) const;
};

//===----------------------------------------------------------------------===//
// The same as functions
//===----------------------------------------------------------------------===//

[[nodiscard]] Array sparse_categorical_crossentropy(const Operand &y_true, const Operand &y_pred,
                                                    const SparseCategoricalCrossentropy &options = {});
[[nodiscard]] Array categorical_crossentropy(const Operand &y_true, const Operand &y_pred,
                                             const CategoricalCrossentropy &options = {});
[[nodiscard]] Array binary_crossentropy(const Operand &y_true, const Operand &y_pred,
                                        const BinaryCrossentropy &options = {});
[[nodiscard]] Array binary_focal_crossentropy(const Operand &y_true, const Operand &y_pred,
                                              const BinaryFocalCrossentropy &options = {});
[[nodiscard]] Array categorical_focal_crossentropy(const Operand &y_true, const Operand &y_pred,
                                                   const CategoricalFocalCrossentropy &options = {});
[[nodiscard]] Array nll(const Operand &y_true, const Operand &y_pred, const NLL &options = {});
[[nodiscard]] Array mean_squared_error(const Operand &y_true, const Operand &y_pred,
                                       const MeanSquaredError &options = {});
[[nodiscard]] Array mean_absolute_error(const Operand &y_true, const Operand &y_pred,
                                        const MeanAbsoluteError &options = {});
[[nodiscard]] Array mean_absolute_percentage_error(const Operand &y_true, const Operand &y_pred,
                                                   const MeanAbsolutePercentageError &options = {});
[[nodiscard]] Array mean_squared_logarithmic_error(const Operand &y_true, const Operand &y_pred,
                                                   const MeanSquaredLogarithmicError &options = {});
[[nodiscard]] Array huber(const Operand &y_true, const Operand &y_pred, const Huber &options = {});
[[nodiscard]] Array log_cosh(const Operand &y_true, const Operand &y_pred, const LogCosh &options = {});
[[nodiscard]] Array hinge(const Operand &y_true, const Operand &y_pred, const Hinge &options = {});
[[nodiscard]] Array squared_hinge(const Operand &y_true, const Operand &y_pred, const SquaredHinge &options = {});
[[nodiscard]] Array categorical_hinge(const Operand &y_true, const Operand &y_pred,
                                      const CategoricalHinge &options = {});
[[nodiscard]] Array kl_divergence(const Operand &y_true, const Operand &y_pred, const KLDivergence &options = {});
[[nodiscard]] Array poisson(const Operand &y_true, const Operand &y_pred, const Poisson &options = {});
[[nodiscard]] Array cosine_similarity(const Operand &y_true, const Operand &y_pred,
                                      const CosineSimilarity &options = {});
[[nodiscard]] Array contrastive(const Operand &y_true, const Operand &y_pred, const Contrastive &options = {});
[[nodiscard]] Array triplet(const Operand &anchor, const Operand &positive, const Operand &negative,
                            const Triplet &options = {});
[[nodiscard]] Array triplet_semi_hard(const Operand &y_true, const Operand &y_pred,
                                      const TripletSemiHard &options = {});
/// `sparse_categorical_crossentropy` of logits, under its name in TensorFlow 1.
[[nodiscard]] Array sparse_softmax_cross_entropy(const Operand &labels, const Operand &logits);
/// `categorical_crossentropy` of logits, under its name in TensorFlow 1.
[[nodiscard]] Array softmax_cross_entropy(const Operand &onehot_labels, const Operand &logits);

/// The sample weights that class weights stand for, as `fit` makes them of Keras' `class_weight`: for each row the
/// weight of its class, 1 for a class that has none (f32). y_true: labels (n) or (n, 1), or one-hot rows, of which the
/// class is the argmax.
[[nodiscard]] Array class_weights(const Operand &y_true, const std::map<int64_t, double> &weights);

//===----------------------------------------------------------------------===//
// Any loss
//===----------------------------------------------------------------------===//

} // namespace tenon::losses
namespace tenon::detail {
/// y_true, y_pred and sample_weight, or none.
using LossFunction = Function<Array(const Operand &, const Operand &, const Operand &)>;
/// The operand as an array.
Array operand_array(const Operand &operand);
/// The mean of what a user's function gave for the examples; a loss that is one number is that number.
Array reduced_loss(const std::string &name, const Array &losses, const Operand &sample_weight, Location at);
/// `MeanSquaredError` as `mean_squared_error`; "loss" for a type without a name of its own, such as a lambda's.
std::string snake_name(std::string_view type, std::string_view otherwise);
} // namespace tenon::detail
namespace tenon::losses {

/// Any loss: one of the above, one of the functions above, or any function of (y_true, y_pred) that returns an Array,
/// either the loss or the losses of the examples, of which this takes the (weighted) mean.
class Loss {
public:
  /// No loss; calling it is an Error.
  Loss() = default;
  template <class F>
    requires(!std::is_same_v<F, Loss> && std::is_invocable_r_v<Array, const F &, const Array &, const Array &>)
  Loss(F function, std::string name = detail::snake_name(type_name<F>, "loss")) : name_(std::move(name)) {
    if constexpr (checksLabels<F>)
      labels_ = [function](const Array &y_true, const Array &y_pred, Location at) {
        function.check_labels(y_true, y_pred, at);
      };
    if constexpr (std::is_invocable_r_v<Array, const F &, const Operand &, const Operand &, const Operand &>)
      function_ = detail::LossFunction(std::move(function));
    else
      function_ = detail::LossFunction(
          [f = std::move(function), name = name_](const Operand &y_true, const Operand &y_pred, const Operand &weight) {
            return detail::reduced_loss(name, f(detail::operand_array(y_true), detail::operand_array(y_pred)), weight,
                                        y_true.location());
          });
  }
  /// A function of (y_true, y_pred, options), such as `losses::mean_squared_error`, with the default options.
  template <class Options>
    requires requires(Options options) { options.reduction = Reduction::per_example; }
  Loss(Array (*function)(const Operand &, const Operand &, const Options &))
      : Loss(
            [function](const Array &y_true, const Array &y_pred) {
              Options options;
              options.reduction = Reduction::per_example;
              return function(y_true, y_pred, options);
            },
            detail::snake_name(type_name<Options>, "loss")) {
    if constexpr (checksLabels<Options>)
      labels_ = [](const Array &y_true, const Array &y_pred, Location at) {
        Options().check_labels(y_true, y_pred, at);
      };
  }
  Loss(const char *) = delete; // a loss is an object or a function: losses::MeanSquaredError{}

  /// The loss, of rank 0 unless the reduction is per_example.
  Array operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight = none) const;
  bool has_value() const { return static_cast<bool>(function_); }
  /// As SparseCategoricalCrossentropy::check_labels, if the loss is one of labels.
  void check_labels(const Array &y_true, const Array &y_pred, Location at = Location::current()) const {
    if (labels_)
      labels_(y_true, y_pred, at);
  }
  /// Its name in errors and logs: that of the function, such as "mean_squared_error", or "loss".
  const std::string &name() const { return name_; }

private:
  template <class F>
  static constexpr bool checksLabels =
      requires(const F &function, const Array &y, Location at) { function.check_labels(y, y, at); };

  detail::LossFunction function_;
  detail::Function<void(const Array &, const Array &, Location)> labels_;
  std::string name_ = "loss";
};

} // namespace tenon::losses
