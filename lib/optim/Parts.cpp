//===- Parts.cpp - what Transforms are written with -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/optim/Parts.h"

#include <tenon/control.h>
#include <tenon/ops.h>

#include <cmath>

using namespace tenon;
using namespace tenon::optim;

Hyperparameter optim::hyperparameter(std::string name, double value) {
  const Array array(Scalar(value), f64);
  return {name, Variable(array, name, false)};
}
void optim::requireWithin(const char *function, const char *name, double value, double low, double high, Location at) {
  if (!(value >= low && value < high))
    throw Error(std::string(function) + ": expected " + name + " in [" + Scalar(low).str() + ", " + Scalar(high).str() +
                    "), got " + Scalar(value).str(),
                at);
}
void optim::requirePositive(const char *function, const char *name, double value, Location at) {
  if (!(value > 0 && std::isfinite(value)))
    throw Error(std::string(function) + ": expected " + name + " > 0, got " + Scalar(value).str(), at);
}

const Array &Factor::as(Dtype dtype) {
  if (dtype == f64)
    return value_;
  if (!f32_.has_value())
    f32_ = value_.astype(f32);
  return f32_;
}

Slots::Slots(NamedArrays &state, std::string_view kind) : state_(state), prefix_(std::string(kind) + ".") {
  next_ = state.lower_bound(prefix_);
}
Array &Slots::at(const std::string &path) {
  auto order = [&] {
    const std::string &name = next_->first;
    return name.starts_with(prefix_) ? std::string_view(name).substr(prefix_.size()).compare(path) : 1;
  };
  while (next_ != state_.end() && order() < 0)
    ++next_;
  if (next_ == state_.end() || order() != 0)
    throw Error("update: expected a state with " + prefix_ + path + ", which init makes");
  return next_->second;
}

void optim::addZeros(NamedArrays &state, std::string_view kind, const NamedArrays &params) {
  for (const auto &[path, parameter] : params)
    state.emplace(std::string(kind) + "." + path, zeros_like(parameter));
}

void Count::init(NamedArrays &state) const {
  if (isOwn())
    state.emplace("count", Array(Scalar(0), i64));
}
Array Count::next(NamedArrays &state) const {
  if (!isOwn())
    return iterations_.value();
  Array &count = state.at("count");
  const Array before = count;
  count = before + 1;
  return before;
}

Rate::Rate(const char *function, const LearningRate &rate, double fallback, Location at) : schedule_(rate.schedule()) {
  const double value = rate.is_given() ? rate.rate() : fallback;
  if (!schedule_) {
    requireWithin(function, "learning_rate", value, 0, INFINITY, at);
    parameter = hyperparameter("learning_rate", value);
  } else {
    const Array first = schedule_(Array(Scalar(0), i64)).astype(f64);
    parameter = {"learning_rate", Variable(first, "learning_rate", false), true};
  }
}
Array Rate::now(const Count &count, NamedArrays &state) const {
  if (!schedule_)
    return parameter.value.value();
  const Array rate = schedule_(count.next(state)).astype(f64);
  parameter.value.assign(rate);
  return rate;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// Names that several hyperparameters have get numbers.
static void addHyperparameters(std::vector<Hyperparameter> &all, const std::vector<Hyperparameter> &more) {
  for (const Hyperparameter &one : more) {
    auto isTaken = [&](const std::string &name) {
      for (const Hyperparameter &other : all)
        if (other.name == name)
          return true;
      return false;
    };
    std::string name = one.name;
    for (int number = 1; isTaken(name); ++number)
      name = one.name + "_" + std::to_string(number);
    all.push_back({name, one.value});
  }
}

/// Runs a part on its share of the state.
void optim::updatePart(const Part &part, NamedArrays &updates, NamedArrays &state, const NamedArrays &params) {
  if (!part.transform.update)
    return;
  if (part.prefix.empty())
    return part.transform.update(updates, state, params);
  const std::string before = part.prefix + ".";
  const auto first = state.lower_bound(before);
  NamedArrays own;
  for (auto entry = first; entry != state.end() && entry->first.starts_with(before); ++entry)
    own.emplace_hint(own.end(), entry->first.substr(before.size()), entry->second);
  part.transform.update(updates, own, params);
  auto entry = first;
  for (auto &[name, array] : own) {
    if (entry == state.end() || entry->first != before + name)
      throw Error("update: expected a state of the names that init has given, got '" + name + "'");
    entry->second = std::move(array);
    ++entry;
  }
  if (entry != state.end() && entry->first.starts_with(before))
    throw Error("update: expected a state of the names that init has given, which has '" +
                entry->first.substr(before.size()) + "'");
}

void optim::initPart(const Part &part, NamedArrays &state, const NamedArrays &params) {
  if (!part.transform.init)
    return;
  for (auto &[name, array] : part.transform.init(params))
    state.emplace(part.prefix.empty() ? name : part.prefix + "." + name, array);
}

Transform optim::chained(std::vector<Part> parts) {
  std::vector<Hyperparameter> hyperparameters;
  for (const Part &part : parts)
    addHyperparameters(hyperparameters, part.transform.hyperparameters);
  return {.init =
              [parts](const NamedArrays &params) {
                NamedArrays state;
                for (const Part &part : parts)
                  initPart(part, state, params);
                return state;
              },
          .update =
              [parts](NamedArrays &updates, NamedArrays &state, const NamedArrays &params) {
                for (const Part &part : parts)
                  updatePart(part, updates, state, params);
              },
          .hyperparameters = std::move(hyperparameters)};
}
Transform optim::chain(const std::vector<Transform> &transforms) {
  std::vector<Part> parts;
  for (const Transform &transform : transforms)
    parts.push_back({std::to_string(parts.size()), transform});
  return chained(std::move(parts));
}

//===----------------------------------------------------------------------===//
// Accumulation
//===----------------------------------------------------------------------===//

Transform optim::accumulated(int64_t steps, const Part &inner, Location at) {
  if (steps < 1)
    throw Error("accumulate: expected steps >= 1, got " + std::to_string(steps), at);
  auto init = [inner](const NamedArrays &params) {
    NamedArrays state;
    state.emplace("accumulation_step", Array(Scalar(0), i64));
    addZeros(state, "accumulator", params);
    initPart(inner, state, params);
    return state;
  };
  auto update = [inner, steps](NamedArrays &updates, NamedArrays &state, const NamedArrays &params) {
    const Array step = state.at("accumulation_step") + 1;
    const Array isLast = step >= steps;
    Slots accumulators(state, "accumulator");
    for (auto &[path, gradient] : updates)
      gradient = accumulators.at(path) + gradient;
    NamedArrays held;
    for (const auto &[name, array] : state)
      if (name != "accumulation_step" && !name.starts_with("accumulator."))
        held.emplace_hint(held.end(), name, array);
    using Result = std::pair<NamedArrays, NamedArrays>;
    auto make = [&](const NamedArrays &sums, const NamedArrays &before, const NamedArrays &parameters) {
      Result result(sums, before);
      for (auto &[path, sum] : result.first)
        sum = sum / static_cast<double>(steps);
      updatePart(inner, result.first, result.second, parameters);
      return result;
    };
    auto wait = [](const NamedArrays &sums, const NamedArrays &before, const NamedArrays &) {
      Result result(sums, before);
      for (auto &[path, sum] : result.first)
        sum = zeros_like(sum);
      return result;
    };
    Result next = cond(isLast, make, wait, updates, held, params);
    Slots sums(state, "accumulator");
    for (const auto &[path, sum] : updates)
      sums.at(path) = where(isLast, zeros_like(sum), sum);
    state.at("accumulation_step") = where(isLast, zeros_like(step), step);
    updates = std::move(next.first);
    for (auto &[name, array] : next.second)
      state.at(name) = std::move(array);
  };
  return {.init = init, .update = update, .hyperparameters = inner.transform.hyperparameters};
}
Transform optim::accumulate(int64_t steps, const Transform &inner, Location at) {
  return accumulated(steps, {"inner", inner}, at);
}

//===----------------------------------------------------------------------===//
// Whole optimizers
//===----------------------------------------------------------------------===//

Transform optim::optimizerOf(const char *function, std::vector<Part> parts, const Rate &rate, const Common &common,
                             Location at) {
  if (common.clipnorm.has_value() + common.clipvalue.has_value() + common.global_clipnorm.has_value() > 1)
    throw Error(std::string(function) + ": expected at most one of clipnorm, clipvalue and global_clipnorm", at);
  if (common.clipnorm)
    parts.insert(parts.begin(), {"", clip_by_norm(*common.clipnorm, at)});
  if (common.clipvalue)
    parts.insert(parts.begin(), {"", clip_by_value(*common.clipvalue, at)});
  if (common.global_clipnorm)
    parts.insert(parts.begin(), {"", clip_by_global_norm(*common.global_clipnorm, at)});
  Transform whole = chained(std::move(parts));
  std::vector<Hyperparameter> sorted{rate.parameter};
  for (const Hyperparameter &one : whole.hyperparameters)
    if (!one.value.is_same(rate.parameter.value))
      sorted.push_back(one);
  whole.hyperparameters = std::move(sorted);
  if (common.accumulationSteps)
    return accumulated(*common.accumulationSteps, {"", whole}, at);
  return whole;
}
Transform optim::optimizerOf(const char *function, Transform direction, const Rate &rate, const Common &common,
                             const Count &count, Location at) {
  std::vector<Part> parts{{"", std::move(direction)}};
  if (common.weightDecay != 0)
    parts.push_back({"", decayed(common.weightDecay, common.exclude, at)});
  parts.push_back({count.isOwn() ? "rate" : "", scaledBy(rate, count)});
  return optimizerOf(function, std::move(parts), rate, common, at);
}
