//===- Schedules.cpp - learning rates that depend on the step --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/optim/Parts.h"
#include "lib/trace/Interpreter.h"

#include <tenon/ops.h>

#include <cmath>
#include <numbers>

using namespace tenon;
using namespace tenon::optim;

Array Schedule::operator()(const Operand &step) const {
  const Location at = userLocation(step.location());
  if (!function_)
    throw Error("Schedule: expected a schedule, got an empty one", at);
  Array given;
  if (step.is_scalar() && step.scalar().kind() == Kind::integer)
    given = Array(step.scalar(), i64, at);
  else if (step.value())
    given = Array::share(step.value());
  if (!given.has_value() || given.ndim() != 0 || kind(given.dtype()) != Kind::integer)
    throw Error("Schedule: expected a step that is an integer of rank 0", at);
  const Array value = function_(given.astype(i64));
  if (!value.has_value() || value.ndim() != 0 || kind(value.dtype()) != Kind::floating)
    throw Error("Schedule: expected a function that returns a floating array of rank 0, got " +
                    (value.has_value() ? std::string(name(value.dtype())) + value.shape().str()
                                       : std::string("an empty Array")),
                at);
  return value;
}

static Array number(double value) { return Array(Scalar(value), f64); }

static void requireSteps(const char *function, const char *what, int64_t steps, Location at) {
  if (steps < 1)
    throw Error(std::string(function) + ": expected " + what + " >= 1, got " + std::to_string(steps), at);
}
static void requireWarmup(const char *function, int64_t steps, Location at) {
  if (steps < 0)
    throw Error(std::string(function) + ": expected warmup_steps >= 0, got " + std::to_string(steps), at);
}

Schedule optim::constant(double value) {
  return [=](const Array &) { return number(value); };
}

Schedule optim::piecewise_constant(std::vector<int64_t> boundaries, std::vector<double> values, Location at) {
  if (values.size() != boundaries.size() + 1)
    throw Error("piecewise_constant: expected one value more than the " + std::to_string(boundaries.size()) +
                    " boundaries, got " + std::to_string(values.size()),
                at);
  for (size_t i = 1; i < boundaries.size(); ++i)
    if (boundaries[i - 1] >= boundaries[i])
      throw Error("piecewise_constant: expected increasing boundaries, got " + std::to_string(boundaries[i - 1]) +
                      " before " + std::to_string(boundaries[i]),
                  at);
  return [=](const Array &step) {
    Array value = number(values.back());
    for (size_t i = boundaries.size(); i-- > 0;)
      value = where(step <= boundaries[i], number(values[i]), value);
    return value;
  };
}

static Array periods(const Array &step, int64_t length, bool isStaircase) {
  const Array count = step.astype(f64) / static_cast<double>(length);
  return isStaircase ? floor(count) : count;
}
Schedule optim::exponential_decay(double initial, int64_t decay_steps, double decay_rate,
                                  const ExponentialOptions &options, Location at) {
  requireSteps("exponential_decay", "decay_steps", decay_steps, at);
  return [=](const Array &step) {
    return initial * pow(number(decay_rate), periods(step, decay_steps, options.staircase));
  };
}
Schedule optim::inverse_time_decay(double initial, int64_t decay_steps, double decay_rate,
                                   const ExponentialOptions &options, Location at) {
  requireSteps("inverse_time_decay", "decay_steps", decay_steps, at);
  return [=](const Array &step) { return initial / (1 + decay_rate * periods(step, decay_steps, options.staircase)); };
}

Schedule optim::polynomial_decay(double initial, int64_t decay_steps, const PolynomialOptions &options, Location at) {
  requireSteps("polynomial_decay", "decay_steps", decay_steps, at);
  return [=](const Array &step) {
    const double length = static_cast<double>(decay_steps);
    const Array now = step.astype(f64);
    const Array left =
        options.cycle ? 1 - now / (length * maximum(1, ceil(now / length))) : 1 - minimum(now, length) / length;
    return (initial - options.end) * pow(left, number(options.power)) + options.end;
  };
}

/// A linear rise to `initial`, then `after` of the steps behind it.
template <class After>
static Schedule warmedUp(double from, double initial, int64_t steps, After after) {
  return [=](const Array &step) {
    const Array now = step.astype(f64);
    if (steps == 0)
      return after(now);
    const double length = static_cast<double>(steps);
    return where(now < length, from + (initial - from) * (now / length), after(maximum(now - length, 0)));
  };
}
static Array halfCosine(const Array &x) { return 0.5 * (1 + cos(std::numbers::pi * x)); }

Schedule optim::cosine_decay(double initial, int64_t decay_steps, const CosineOptions &options, Location at) {
  requireSteps("cosine_decay", "decay_steps", decay_steps, at);
  requireWarmup("cosine_decay", options.warmup_steps, at);
  auto decay = [=, alpha = options.alpha](const Array &step) {
    const double length = static_cast<double>(decay_steps);
    return initial * ((1 - alpha) * halfCosine(minimum(step, length) / length) + alpha);
  };
  return warmedUp(options.warmup_from, initial, options.warmup_steps, decay);
}

Schedule optim::cosine_decay_restarts(double initial, int64_t first_decay_steps, const CosineRestartsOptions &options,
                                      Location at) {
  requireSteps("cosine_decay_restarts", "first_decay_steps", first_decay_steps, at);
  requireWarmup("cosine_decay_restarts", options.warmup_steps, at);
  requireWithin("cosine_decay_restarts", "t_mul", options.t_mul, 1, INFINITY, at);
  requirePositive("cosine_decay_restarts", "m_mul", options.m_mul, at);
  auto decay = [=](const Array &step) {
    const Array done = step / static_cast<double>(first_decay_steps); // in first periods
    const double grows = options.t_mul;
    Array period, within;
    if (grows == 1) {
      period = floor(done);
      within = done - period;
    } else {
      auto start = [&](const Array &i) { return (1 - pow(number(grows), i)) / (1 - grows); };
      period = floor(log(1 - done * (1 - grows)) / std::log(grows));
      // The logarithm of a power may be rounded to the other side of an integer.
      period = where(done >= start(period + 1), period + 1, where(done < start(period), period - 1, period));
      within = (done - start(period)) / pow(number(grows), period);
    }
    const Array height = pow(number(options.m_mul), period);
    return initial * ((1 - options.alpha) * (height * halfCosine(within)) + options.alpha);
  };
  return warmedUp(options.warmup_from, initial, options.warmup_steps, decay);
}

Schedule optim::one_cycle(double max, int64_t total_steps, const OneCycleOptions &options, Location at) {
  requireSteps("one_cycle", "total_steps", total_steps, at);
  requirePositive("one_cycle", "div_factor", options.div_factor, at);
  requirePositive("one_cycle", "final_div_factor", options.final_div_factor, at);
  const double top = options.pct_start * static_cast<double>(total_steps) - 1,
               end = static_cast<double>(total_steps) - 1;
  if (!(top > 0 && top < end))
    throw Error("one_cycle: expected a pct_start that leaves steps before and after the maximum of " +
                    std::to_string(total_steps) + " steps, got " + Scalar(options.pct_start).str(),
                at);
  const double first = max / options.div_factor, last = first / options.final_div_factor;
  return [=](const Array &step) {
    const Array now = step.astype(f64);
    const Array rise = max + (first - max) * halfCosine(minimum(now, top) / top);
    const Array fall = last + (max - last) * halfCosine((minimum(now, end) - top) / (end - top));
    return where(now <= top, rise, fall);
  };
}
