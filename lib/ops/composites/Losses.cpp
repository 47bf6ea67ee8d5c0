//===- Losses.cpp - loss functions --------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `where` chooses between losses of which one may be infinite: its operands are made harmless where they are not
// chosen, since their derivatives would be 0 * inf.
//===----------------------------------------------------------------------===//
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Normalization.h"
#include "lib/ops/composites/Shaping.h"

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

static Array reduced(const Array &losses, Reduction reduction) {
  switch (reduction) {
  case Reduction::mean:
    return mean(losses);
  case Reduction::sum:
    return sum(losses);
  case Reduction::unreduced:
    break;
  }
  return losses;
}

static void expectShape(const char *function, const char *name, const Array &x, const Shape &shape, Location at) {
  if (provably_equal(x.shape(), shape) != Always::yes)
    refuse(function, "expected " + std::string(name) + " of the shape " + shape.str() + ", got " + x.shape().str(), at);
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {
/// What nll_loss and cross_entropy share: the logarithms of probabilities along an axis, and how the losses are
/// weighted.
struct Classes {
  const char *function;
  Array logProbs, weight;
  int axis;
  double smoothing = 0;
  Reduction reduction;
  Location at;

  Shape rows() const {
    Shape shape = logProbs.shape();
    shape.erase(axis);
    return shape;
  }
  Array count() const { return convert(sizeOf(logProbs.shape()[axis], logProbs.device(), at), logProbs.dtype(), at); }
  /// For each class, beside the logarithms.
  Array weighted(const Array &x) const {
    return weight.has_value() ? x * besideX(weight, x, {static_cast<int64_t>(axis)}) : x;
  }

  void check() const {
    expectMode(function, "Reduction", reduction, at);
    if (weight.has_value())
      expectShape(function, "a weight", weight, {logProbs.shape()[axis]}, at);
  }

  /// Of a class for each row.
  Array lossOf(const Operand &target, int64_t ignored) const {
    const Array given = toArray(target, OpCode::gather, Dtype::i64, logProbs.device());
    if (kind(given.dtype()) != Kind::integer)
      refuse(function, "expected a target of integers, got " + std::string(short_name(given.dtype())), at);
    expectShape(function, "a target", given, rows(), at);
    const Array index = convert(toIndices(given, OpCode::gather, at), Dtype::i64, at);
    const Array isIgnored = index == ignored;
    // A class below 0 is one too large: it does not count from the end.
    const Array last = sizeOf(logProbs.shape()[axis], logProbs.device(), at);
    const Array chosen = where(isIgnored, 0, where(index < 0, last, index));
    const auto pick = [&](const Array &x) {
      return reshape(alongAxis(x, expand_dims(chosen, axis), axis, IndexMode::error), rows());
    };
    Array losses = -pick(weighted(logProbs));
    if (smoothing != 0)
      losses = (1 - smoothing) * losses - smoothing * (sum(weighted(logProbs), axis) / count());
    losses = where(isIgnored, 0, losses);
    if (reduction != Reduction::mean)
      return reduced(losses, reduction);
    const Array counted =
        weight.has_value() ? where(isIgnored, 0, take(weight, chosen, 0)) : convert(!isIgnored, logProbs.dtype(), at);
    return sum(losses) / sum(counted);
  }

  /// Of probabilities for each row.
  Array lossOf(const Array &given) const {
    expectShape(function, "a target", given, logProbs.shape(), at);
    const Array target = smoothing == 0 ? given : (1 - smoothing) * given + smoothing / count();
    const Array isNothing = target == 0 && logProbs == -INFINITY;
    const Array losses = -sum(weighted(target * where(isNothing, 0, logProbs)), axis);
    return reduced(losses, reduction);
  }
};
} // namespace

static void expectProbability(const char *function, const char *name, double number, Location at) {
  if (!(number >= 0 && number <= 1))
    refuse(function, "expected a " + std::string(name) + " in [0, 1], got " + Scalar(number).str(), at);
}

Array tenon::detail::nll_loss(const Operand &log_probs, const Operand &target, const Operand &weight, int ignore_index,
                              Reduction reduction, Axis axis) {
  const Location at = log_probs.location();
  DoorScope scope("nll_loss", at, {{"log_probs", log_probs}, {"target", target}, {"weight", weight}});
  const Floats floats("nll_loss", {&log_probs, &weight});
  const Classes classes{"nll_loss", floats[0], floats[1], axisOf(floats[0], axis, at), 0, reduction, at};
  classes.check();
  return floats.rounded(classes.lossOf(target, ignore_index));
}

Array tenon::detail::cross_entropy(const Operand &logits, const Operand &target, const Operand &weight,
                                   int ignore_index, Reduction reduction, double label_smoothing, Axis axis) {
  const Location at = logits.location();
  DoorScope scope("cross_entropy", at, {{"logits", logits}, {"target", target}, {"weight", weight}});
  expectProbability("cross_entropy", "label_smoothing", label_smoothing, at);
  const bool isOfProbabilities = target.value() && kind(target.value()->dtype()) == Kind::floating;
  const Operand noTarget(none);
  const Floats floats("cross_entropy", {&logits, &weight, isOfProbabilities ? &target : &noTarget});
  const int place = axisOf(floats[0], axis, at);
  const Classes classes{
      "cross_entropy", log_softmax(floats[0], place), floats[1], place, label_smoothing, reduction, at};
  classes.check();
  return floats.rounded(isOfProbabilities ? classes.lossOf(floats[2]) : classes.lossOf(target, ignore_index));
}

//===----------------------------------------------------------------------===//
// Two probabilities
//===----------------------------------------------------------------------===//

namespace {
/// x and its target, of one shape, and factors that broadcast to it.
struct Pair {
  const char *function;
  Floats floats;
  Array x, target;
  Reduction reduction;
  Location at;

  Pair(const char *function, const Operand &x, const Operand &target, Reduction reduction, const Operand &weight = none,
       const Operand &other = none)
      : function(function), floats(function, {&x, &target, &weight, &other}), x(floats[0]), target(floats[1]),
        reduction(reduction), at(x.location()) {
    expectMode(function, "Reduction", reduction, at);
    if (target.is_none())
      throw Error(publicName(function) + ": expected an array, got an empty Array", userLocation(target.location()));
    if (target.is_scalar())
      this->target = broadcast(this->target, this->x.shape(), at);
    // (n, 1) beside (n,) would be n * n losses.
    expectShape(function, "a target", this->target, this->x.shape(), at);
  }
  /// `number`: 2 is the weight, 3 the other factor.
  Array times(const Array &losses, size_t number, const char *name) const {
    const Array &factor = floats[number];
    if (!factor.has_value())
      return losses;
    const Array result = losses * factor;
    expectShape(function, name, result, losses.shape(), at);
    return result;
  }
  Array result(const Array &losses) const {
    return floats.rounded(reduced(times(losses, 2, "a weight that broadcasts to x"), reduction));
  }
};
} // namespace

/// The larger one of -100 and a logarithm; there its derivative is 0.
static Array boundedLog(const Array &p) {
  const Array isLow = p >= 0 && p <= std::exp(-100.0);
  return where(isLow, -100, log(where(isLow, 1, p)));
}
/// The same of 1 - p.
static Array boundedLog1m(const Array &p) {
  const Array isLow = p <= 1 && 1 - p <= std::exp(-100.0);
  return where(isLow, -100, log1p(-where(isLow, 0, p)));
}

Array tenon::detail::binary_cross_entropy(const Operand &x, const Operand &target, const Operand &weight,
                                          Reduction reduction) {
  DoorScope scope("binary_cross_entropy", x.location(), {{"x", x}, {"target", target}, {"weight", weight}});
  const Pair of("binary_cross_entropy", x, target, reduction, weight);
  return of.result(-(of.target * boundedLog(of.x) + (1 - of.target) * boundedLog1m(of.x)));
}

Array tenon::detail::binary_cross_entropy_with_logits(const Operand &x, const Operand &target, const Operand &weight,
                                                      const Operand &pos_weight, Reduction reduction) {
  DoorScope scope("binary_cross_entropy_with_logits", x.location(), {{"x", x}, {"target", target}, {"weight", weight}});
  const Pair of("binary_cross_entropy_with_logits", x, target, reduction, weight, pos_weight);
  const Array positive = of.times(of.target * softplus(-of.x), 3, "a pos_weight that broadcasts to x");
  return of.result(positive + (1 - of.target) * softplus(of.x));
}

Array tenon::detail::kl_div(const Operand &x, const Operand &target, Reduction reduction, bool log_target) {
  DoorScope scope("kl_div", x.location(), {{"x", x}, {"target", target}});
  const Pair of("kl_div", x, target, reduction);
  const Array isNothing = log_target ? of.target == -INFINITY : of.target == 0;
  const Array harmless = where(isNothing, log_target ? 0 : 1, of.target);
  const Array losses = log_target ? exp(harmless) * (harmless - of.x) : harmless * (log(harmless) - of.x);
  return of.result(where(isNothing, 0, losses));
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

/// d^2 / 2 up to |d| = delta, from there on a line: of d within the bounds, second derivatives are right at 0, too.
static Array huberOf(const Array &d, double delta) {
  const Array within = clip(d, -delta, delta);
  return within * (d - 0.5 * within);
}

Array tenon::detail::huber_loss(const Operand &x, const Operand &target, Reduction reduction, double delta) {
  DoorScope scope("huber_loss", x.location(), {{"x", x}, {"target", target}});
  if (!(delta > 0))
    refuse("huber_loss", "expected a delta > 0, got " + Scalar(delta).str(), x.location());
  const Pair of("huber_loss", x, target, reduction);
  return of.result(huberOf(of.x - of.target, delta));
}

Array tenon::detail::smooth_l1_loss(const Operand &x, const Operand &target, Reduction reduction, double beta) {
  DoorScope scope("smooth_l1_loss", x.location(), {{"x", x}, {"target", target}});
  if (!(beta >= 0))
    refuse("smooth_l1_loss", "expected a beta >= 0, got " + Scalar(beta).str(), x.location());
  const Pair of("smooth_l1_loss", x, target, reduction);
  const Array d = of.x - of.target;
  return of.result(beta == 0 ? abs(d) : huberOf(d, beta) / beta);
}

Array tenon::detail::mse_loss(const Operand &x, const Operand &target, Reduction reduction) {
  DoorScope scope("mse_loss", x.location(), {{"x", x}, {"target", target}});
  const Pair of("mse_loss", x, target, reduction);
  return of.result(square(of.x - of.target));
}

Array tenon::detail::l1_loss(const Operand &x, const Operand &target, Reduction reduction) {
  DoorScope scope("l1_loss", x.location(), {{"x", x}, {"target", target}});
  const Pair of("l1_loss", x, target, reduction);
  return of.result(abs(of.x - of.target));
}
