//===- LossesPairs.cpp - losses of differences, margins and distances --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/LossParts.h"

#include <cmath>

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::losses;

using TermsReduction = tenon::Reduction;

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

Array MeanSquaredError::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfElements("mean_squared_error", y_true, y_pred, sample_weight, reduction,
                        [](const Array &t, const Array &p) { return square(p - t); });
}

Array MeanAbsoluteError::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfElements("mean_absolute_error", y_true, y_pred, sample_weight, reduction,
                        [](const Array &t, const Array &p) { return abs(p - t); });
}

Array MeanAbsolutePercentageError::operator()(const Operand &y_true, const Operand &y_pred,
                                              const Operand &sample_weight) const {
  return lossOfElements(
      "mean_absolute_percentage_error", y_true, y_pred, sample_weight, reduction,
      [](const Array &t, const Array &p) { return 100 * abs((t - p) / maximum(abs(t), lossEpsilon)); });
}

Array MeanSquaredLogarithmicError::operator()(const Operand &y_true, const Operand &y_pred,
                                              const Operand &sample_weight) const {
  return lossOfElements("mean_squared_logarithmic_error", y_true, y_pred, sample_weight, reduction,
                        [](const Array &t, const Array &p) {
                          return square(log1p(maximum(p, lossEpsilon)) - log1p(maximum(t, lossEpsilon)));
                        });
}

Array Huber::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfElements("huber", y_true, y_pred, sample_weight, reduction, [&](const Array &t, const Array &p) {
    if (!(delta > 0))
      refuse("huber", "expected a delta > 0, got " + Scalar(delta).str(), y_true.location());
    return huber_loss(p, t, {.reduction = TermsReduction::unreduced, .delta = delta});
  });
}

/// Near 0 of the hyperbolic sine of x / 2, which keeps the digits; elsewhere of |x|, so that nothing overflows.
static Array logCoshOf(const Array &x) {
  const Array size = abs(x), isSmall = size < 1;
  const Array small = log1p(2 * square(sinh(where(isSmall, x, 0) / 2)));
  return where(isSmall, small, size + log1p(exp(-2 * size)) - std::log(2.0));
}

Array LogCosh::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfElements("log_cosh", y_true, y_pred, sample_weight, reduction,
                        [](const Array &t, const Array &p) { return logCoshOf(p - t); });
}

//===----------------------------------------------------------------------===//
// Margins
//===----------------------------------------------------------------------===//

/// -1 and 1, also where all elements are 0 or 1.
static Array signsOf(const Array &y_true) { return where(all(y_true == 0 || y_true == 1), 2 * y_true - 1, y_true); }

Array Hinge::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfElements("hinge", y_true, y_pred, sample_weight, reduction,
                        [](const Array &t, const Array &p) { return maximum(1 - signsOf(t) * p, 0); });
}

Array SquaredHinge::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfElements("squared_hinge", y_true, y_pred, sample_weight, reduction,
                        [](const Array &t, const Array &p) { return square(maximum(1 - signsOf(t) * p, 0)); });
}

Array CategoricalHinge::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfRows("categorical_hinge", y_true, y_pred, sample_weight, reduction, [](const Array &t, const Array &p) {
    return maximum(max((1 - t) * p, -1) - sum(t * p, -1) + 1, 0);
  });
}

//===----------------------------------------------------------------------===//
// Distributions and directions
//===----------------------------------------------------------------------===//

Array KLDivergence::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfRows("kl_divergence", y_true, y_pred, sample_weight, reduction, [](const Array &t, const Array &p) {
    const Array truth = clip(t, lossEpsilon, 1), predicted = clip(p, lossEpsilon, 1);
    return sum(truth * log(truth / predicted), -1);
  });
}

Array Poisson::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfElements("poisson", y_true, y_pred, sample_weight, reduction,
                        [](const Array &t, const Array &p) { return p - t * log(p + lossEpsilon); });
}

Array losses::CosineSimilarity::operator()(const Operand &y_true, const Operand &y_pred,
                                           const Operand &sample_weight) const {
  return lossOfRows(
      "cosine_similarity", y_true, y_pred, sample_weight, reduction,
      [&](const Array &t, const Array &p) {
        const NormalizeOptions options{.axis = axis, .epsilon = lossEpsilon};
        return -sum(normalize(t, options) * normalize(p, options), axisOf(p, axis, y_true.location()));
      },
      axis);
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

Array Contrastive::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  return lossOfElements("contrastive", y_true, y_pred, sample_weight, reduction, [&](const Array &t, const Array &p) {
    return t * square(p) + (1 - t) * square(maximum(margin - p, 0));
  });
}

Array Triplet::operator()(const Operand &anchor, const Operand &positive, const Operand &negative) const {
  constexpr const char *function = "triplet";
  DoorScope scope(function, anchor.location(), {{"anchor", anchor}, {"positive", positive}, {"negative", negative}});
  const Array a = predictions(function, anchor), p = predictions(function, positive),
              n = predictions(function, negative);
  for (const Array *other : {&p, &n})
    if (a.ndim() == 0 || provably_equal(a.shape(), other->shape()) == Always::no)
      refuse(function,
             "expected anchor, positive and negative of one shape (batch, features), got " + a.shape().str() + ", " +
                 p.shape().str() + " and " + n.shape().str(),
             anchor.location());
  const PairwiseOptions options{.p = this->p, .epsilon = epsilon};
  Array far = pairwise_distance(a, n, options);
  if (swap)
    far = minimum(far, pairwise_distance(p, n, options));
  return reducedLosses(function, maximum(pairwise_distance(a, p, options) - far + margin, 0), none, reduction);
}

Array TripletSemiHard::operator()(const Operand &y_true, const Operand &y_pred) const {
  constexpr const char *function = "triplet_semi_hard";
  const Location at = y_true.location();
  DoorScope scope(function, at, {{"y_true", y_true}, {"y_pred", y_pred}});
  const Array x = predictions(function, y_pred);
  if (x.ndim() != 2)
    refuse(function, "expected y_pred of the shape (batch, features), got " + x.shape().str(), at);
  Array labels = toArray(y_true, OpCode::equal);
  const Shape shape = labels.shape();
  if (shape.rank() == 2 && endsWith1(shape))
    labels = squeeze(labels, -1);
  if (labels.ndim() != 1 || provably_equal(labels.shape().at(0), x.shape().at(0)) == Always::no)
    refuse(function,
           "expected y_true with a label for each row of y_pred, got " + shape.str() + " and " + x.shape().str(), at);

  if (isNone(x.shape().at(0)))
    return sum(x);

  const Array distance = cdist(x, x);
  const Array isAlike = expand_dims(labels, 1) == expand_dims(labels, 0), isOther = !isAlike;
  // [anchor, positive, negative]: negatives that are farther away than the positive.
  const Array isFarther = expand_dims(isOther, 1) && expand_dims(distance, 1) > expand_dims(distance, 2);
  const Array nearest = min(where(isFarther, expand_dims(distance, 1), INFINITY), 2);
  const Array farthest = max(where(isOther, distance, -INFINITY), 1, true);
  const Array negative = where(any(isFarther, 2), nearest, farthest);
  const Array row = arange(0, x.shape().at(0), Dtype::i64, x.device(), at);
  const Array isPair = isAlike && expand_dims(row, 1) != expand_dims(row, 0) && any(isOther, 1, true);
  const Array losses = where(isPair, maximum(margin + distance - where(isPair, negative, 0), 0), 0);
  return sum(losses) / convert(maximum(sum(convert(isPair, Dtype::i64, at)), 1), x.dtype(), at);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Array losses::mean_squared_error(const Operand &y_true, const Operand &y_pred, const MeanSquaredError &options) {
  return options(y_true, y_pred);
}
Array losses::mean_absolute_error(const Operand &y_true, const Operand &y_pred, const MeanAbsoluteError &options) {
  return options(y_true, y_pred);
}
Array losses::mean_absolute_percentage_error(const Operand &y_true, const Operand &y_pred,
                                             const MeanAbsolutePercentageError &options) {
  return options(y_true, y_pred);
}
Array losses::mean_squared_logarithmic_error(const Operand &y_true, const Operand &y_pred,
                                             const MeanSquaredLogarithmicError &options) {
  return options(y_true, y_pred);
}
Array losses::huber(const Operand &y_true, const Operand &y_pred, const Huber &options) {
  return options(y_true, y_pred);
}
Array losses::log_cosh(const Operand &y_true, const Operand &y_pred, const LogCosh &options) {
  return options(y_true, y_pred);
}
Array losses::hinge(const Operand &y_true, const Operand &y_pred, const Hinge &options) {
  return options(y_true, y_pred);
}
Array losses::squared_hinge(const Operand &y_true, const Operand &y_pred, const SquaredHinge &options) {
  return options(y_true, y_pred);
}
Array losses::categorical_hinge(const Operand &y_true, const Operand &y_pred, const CategoricalHinge &options) {
  return options(y_true, y_pred);
}
Array losses::kl_divergence(const Operand &y_true, const Operand &y_pred, const KLDivergence &options) {
  return options(y_true, y_pred);
}
Array losses::poisson(const Operand &y_true, const Operand &y_pred, const Poisson &options) {
  return options(y_true, y_pred);
}
Array losses::cosine_similarity(const Operand &y_true, const Operand &y_pred, const CosineSimilarity &options) {
  return options(y_true, y_pred);
}
Array losses::contrastive(const Operand &y_true, const Operand &y_pred, const Contrastive &options) {
  return options(y_true, y_pred);
}
Array losses::triplet(const Operand &anchor, const Operand &positive, const Operand &negative, const Triplet &options) {
  return options(anchor, positive, negative);
}
Array losses::triplet_semi_hard(const Operand &y_true, const Operand &y_pred, const TripletSemiHard &options) {
  return options(y_true, y_pred);
}
