//===- Lbfgs.cpp - L-BFGS ----------------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/optim/Parts.h"
#include "lib/trace/Interpreter.h"

#include <tenon/ops.h>
#include <tenon/optim/lbfgs.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::optim;

static constexpr double armijo = 1e-4, curvature = 0.9;
static constexpr int mostTrials = 25;

static double innerProduct(const Array &x, const Array &y) { return sum(x.astype(f64) * y.astype(f64)).item<double>(); }
static double largestOf(const Array &x) { return max(abs(x)).item<double>(); }

namespace tenon::optim {
class LBFGSBody {
public:
  using Evaluate = detail::Function<LBFGS::Evaluation()>;
  explicit LBFGSBody(const LBFGSOptions &options) : options(options) {}

  Array minimize(const Evaluate &evaluate, const std::vector<Variable> &variables, Location at);

  const LBFGSOptions options;
  int64_t iterations = 0, evaluations = 0;
  unsigned references = 1;

private:
  /// The loss at x + step * direction.
  struct Point {
    double step = 0, loss = 0, slope = 0;
    Array gradient;
  };
  struct History {
    std::vector<Array> steps, changes;
    /// Of the first Hessian, which is a number.
    double scale = 1;
  };
  Array flat(const std::vector<Array> &arrays) const;
  void assign(const Array &x) const;
  Point at(double step);
  Array direction(const Array &gradient) const;
  void remember(const Array &step, const Array &change);
  std::optional<Point> search(const Point &start, double first, int64_t most);
  std::optional<Point> zoom(const Point &start, Point low, Point high, int64_t most);

  const Evaluate *evaluate_ = nullptr;
  std::vector<Variable> variables_;
  Dtype dtype_ = f32;
  Array x_, direction_;
  History history_;
};
} // namespace tenon::optim

void optim::retain(LBFGSBody *body) { __atomic_add_fetch(&body->references, 1, __ATOMIC_RELAXED); }
void optim::release(LBFGSBody *body) {
  if (__atomic_sub_fetch(&body->references, 1, __ATOMIC_ACQ_REL) == 0)
    delete body;
}

Array LBFGSBody::flat(const std::vector<Array> &arrays) const {
  std::vector<Array> parts;
  for (const Array &array : arrays)
    parts.push_back(reshape(array, {-1}).astype(dtype_));
  return concatenate(parts, 0);
}
void LBFGSBody::assign(const Array &x) const {
  int64_t first = 0;
  for (const Variable &variable : variables_) {
    int64_t size = 1;
    for (const Dim dim : variable.shape())
      size *= dim.value();
    variable.assign(reshape(x[slice(first, first + size)], variable.shape()).astype(variable.dtype()));
    first += size;
  }
}

LBFGSBody::Point LBFGSBody::at(double step) {
  if (step != 0)
    assign(x_ + Array(Scalar(step), dtype_) * direction_);
  const LBFGS::Evaluation now = (*evaluate_)();
  ++evaluations;
  Point point{step, now.loss.astype(f64).item<double>(), 0, flat(now.gradients)};
  point.slope = direction_.has_value() ? innerProduct(point.gradient, direction_) : 0;
  // A step behind which nothing is defined is too long.
  if (!std::isfinite(point.loss) || !std::isfinite(point.slope))
    point.loss = std::numeric_limits<double>::infinity();
  return point;
}

/// The two loops over the history: minus the inverse Hessian times the gradient.
Array LBFGSBody::direction(const Array &gradient) const {
  const size_t count = history_.steps.size();
  std::vector<double> factors(count), curvatures(count);
  Array q = -gradient;
  auto times = [&](double factor, const Array &x) { return Array(Scalar(factor), dtype_) * x; };
  for (size_t i = count; i-- > 0;) {
    curvatures[i] = innerProduct(history_.steps[i], history_.changes[i]);
    factors[i] = innerProduct(history_.steps[i], q) / curvatures[i];
    q = q - times(factors[i], history_.changes[i]);
  }
  q = times(history_.scale, q);
  for (size_t i = 0; i < count; ++i)
    q = q + times(factors[i] - innerProduct(history_.changes[i], q) / curvatures[i], history_.steps[i]);
  return q;
}

void LBFGSBody::remember(const Array &step, const Array &change) {
  const double product = innerProduct(step, change), square = innerProduct(change, change);
  if (!(product > 1e-10 * square))
    return; // not positive definite
  if (history_.steps.size() == static_cast<size_t>(options.history_size)) {
    history_.steps.erase(history_.steps.begin());
    history_.changes.erase(history_.changes.begin());
  }
  history_.steps.push_back(step);
  history_.changes.push_back(change);
  history_.scale = product / square;
}

//===----------------------------------------------------------------------===//
// Line search
//===----------------------------------------------------------------------===//

/// Where the cubic through two losses and slopes is least, kept off the ends.
static double cubicMinimum(double a, double lossA, double slopeA, double b, double lossB, double slopeB) {
  const double low = std::min(a, b), high = std::max(a, b), margin = 0.1 * (high - low);
  double best = (a + b) / 2;
  if (std::isfinite(lossA) && std::isfinite(lossB) && std::isfinite(slopeA) && std::isfinite(slopeB)) {
    const double d1 = slopeA + slopeB - 3 * (lossA - lossB) / (a - b), square = d1 * d1 - slopeA * slopeB;
    if (square >= 0) {
      const double d2 = std::copysign(std::sqrt(square), b - a), divisor = slopeB - slopeA + 2 * d2;
      if (divisor != 0)
        best = b - (b - a) * (slopeB + d2 - d1) / divisor;
    }
  }
  return std::clamp(best, low + margin, high - margin);
}

/// Algorithm 3.6: between the two there are steps with the Wolfe conditions. None: too many trials, and no decrease.
std::optional<LBFGSBody::Point> LBFGSBody::zoom(const Point &start, Point low, Point high, int64_t most) {
  for (; most > 0; --most) {
    if (std::abs(high.step - low.step) * largestOf(direction_) < options.tolerance_change)
      break;
    const Point now = at(cubicMinimum(low.step, low.loss, low.slope, high.step, high.loss, high.slope));
    if (now.loss > start.loss + armijo * now.step * start.slope || now.loss >= low.loss) {
      high = now;
      continue;
    }
    if (std::abs(now.slope) <= -curvature * start.slope)
      return now;
    if (now.slope * (high.step - low.step) >= 0)
      high = low;
    low = now;
  }
  return low.step > 0 && low.loss < start.loss ? std::optional(low) : std::nullopt;
}

/// Algorithm 3.5.
std::optional<LBFGSBody::Point> LBFGSBody::search(const Point &start, double first, int64_t most) {
  most = std::min<int64_t>(most, mostTrials);
  Point last = start;
  for (double step = first; most > 0; step *= 2) {
    const Point now = at(step);
    --most;
    const bool isTooHigh = now.loss > start.loss + armijo * step * start.slope;
    if (options.line_search == LineSearch::backtracking) {
      if (!isTooHigh)
        return now;
      step /= 4; // halved, with what the loop does
      continue;
    }
    if (isTooHigh || (last.step > 0 && now.loss >= last.loss))
      return zoom(start, last, now, most);
    if (std::abs(now.slope) <= -curvature * start.slope)
      return now;
    if (now.slope >= 0)
      return zoom(start, now, last, most);
    last = now;
  }
  return last.step > 0 && last.loss < start.loss ? std::optional(last) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

Array LBFGSBody::minimize(const Evaluate &evaluate, const std::vector<Variable> &variables, Location place) {
  if (variables.empty())
    throw Error("minimize: expected Variables, got none", place);
  std::vector<Array> before;
  Dtype dtype = f32;
  for (const Variable &variable : variables) {
    if (!variable.has_value())
      throw Error("minimize: expected Variables with values, got one that is empty or not built", place);
    if (kind(variable.dtype()) != Kind::floating || is_storage(variable.dtype()))
      throw Error("minimize: expected Variables of floating numbers, got " +
                      std::string(tenon::name(variable.dtype())) + "\n  variable: '" + variable.name() + "'",
                  place);
    dtype = variable.dtype() == f64 ? f64 : dtype;
    before.push_back(variable.value());
  }
  bool isSame = variables_.empty() || variables_.size() == variables.size();
  for (size_t i = 0; isSame && i < variables_.size(); ++i)
    isSame = variables_[i].is_same(variables[i]);
  if (!isSame)
    throw Error("minimize: expected the same Variables as in the first call: make another LBFGS for others", place);

  const History history = history_;
  const int64_t iterationsBefore = iterations, evaluationsBefore = evaluations;
  const std::vector<Variable> variablesBefore = variables_;
  try {
    variables_ = variables;
    dtype_ = dtype;
    evaluate_ = &evaluate;
    direction_ = Array();
    x_ = flat(before);
    const int64_t mostEvaluations = evaluations + options.max_eval.value_or(options.max_iter * 5 / 4);
    const LBFGS::Evaluation given = evaluate();
    ++evaluations;
    if (!given.loss.has_value() || given.loss.ndim() != 0)
      throw Error("minimize: expected a loss of rank 0, such as a mean", place);
    Point now{0, given.loss.astype(f64).item<double>(), 0, flat(given.gradients)};
    for (int64_t i = 0; i < options.max_iter && evaluations < mostEvaluations; ++i) {
      if (!std::isfinite(now.loss) || !(largestOf(now.gradient) > options.tolerance_grad))
        break;
      direction_ = direction(now.gradient);
      now.slope = innerProduct(now.gradient, direction_);
      if (!(now.slope < 0)) { // rounding has spoiled the history
        history_ = {};
        direction_ = -now.gradient;
        now.slope = -innerProduct(now.gradient, now.gradient);
      }
      now.step = 0;
      const bool isFirst = history_.steps.empty();
      const double size = isFirst ? std::min(1.0, 1 / sum(abs(now.gradient)).astype(f64).item<double>()) : 1;
      const std::optional<Point> next = search(now, size * options.learning_rate, mostEvaluations - evaluations);
      ++iterations;
      if (!next) {
        if (isFirst)
          break;
        history_ = {}; // once more along the gradient
        continue;
      }
      const Array step = Array(Scalar(next->step), dtype_) * direction_;
      remember(step, next->gradient - now.gradient);
      x_ = x_ + step;
      const double change = std::abs(next->loss - now.loss);
      now = *next;
      if (largestOf(step) <= options.tolerance_change || change < options.tolerance_change)
        break;
    }
    assign(x_);
    evaluate_ = nullptr;
    return given.loss;
  } catch (...) {
    for (size_t i = 0; i < variables.size(); ++i)
      variables[i].assign(before[i]);
    history_ = history;
    variables_ = variablesBefore;
    iterations = iterationsBefore;
    evaluations = evaluationsBefore;
    evaluate_ = nullptr;
    throw;
  }
}

LBFGS::LBFGS(const LBFGSOptions &options, Location place) {
  const Location at = userLocation(place);
  requirePositive("LBFGS", "learning_rate", options.learning_rate, at);
  requireWithin("LBFGS", "tolerance_grad", options.tolerance_grad, 0, INFINITY, at);
  requireWithin("LBFGS", "tolerance_change", options.tolerance_change, 0, INFINITY, at);
  if (options.max_iter < 1 || options.history_size < 1 || options.max_eval.value_or(1) < 1)
    throw Error("LBFGS: expected max_iter, max_eval and history_size >= 1", at);
  body_ = detail::StateRef<LBFGSBody>(new LBFGSBody(options));
}
Array LBFGS::run(const detail::Function<Evaluation()> &evaluate, const std::vector<Variable> &variables,
                 Location at) const {
  const LocationScope scope("minimize", at);
  return body_.get()->minimize(evaluate, variables, userLocation(at));
}
int64_t LBFGS::iterations() const { return body_.get()->iterations; }
int64_t LBFGS::evaluations() const { return body_.get()->evaluations; }
