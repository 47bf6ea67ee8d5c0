//===- Metrics.cpp - totals, means, and any metric ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/MetricParts.h"

#include <typeinfo>

using namespace tenon;
using namespace tenon::detail;
using namespace tenon::metrics;

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

Totals::Totals(std::string name, std::initializer_list<const char *> totals, const Shape &shape)
    : name_(std::move(name)) {
  for (const char *total : totals)
    totals_.push_back({total, Variable(zeros(shape, Dtype::f64), total, false)});
}

void Totals::add(std::initializer_list<Array> values) const {
  size_t number = 0;
  for (const Array &value : values)
    totals_[number++].value.assign_add(value);
}

void Totals::reset() const {
  for (const Total &total : totals_)
    total.value.assign(zeros_like(total.value));
}

void Totals::merge(const Totals &other, Location at) const {
  bool isAlike = typeid(*this) == typeid(other) && totals_.size() == other.totals_.size();
  for (size_t i = 0; isAlike && i < totals_.size(); ++i)
    isAlike = totals_[i].value.shape() == other.totals_[i].value.shape();
  if (!isAlike)
    throw_unmergeable_metric(name_, at);
  for (size_t i = 0; i < totals_.size(); ++i)
    totals_[i].value.assign_add(other.totals_[i].value);
}

void Totals::fields(Fields &f) {
  for (Total &total : totals_)
    f(total.name, total.value);
}

//===----------------------------------------------------------------------===//
// Means and sums
//===----------------------------------------------------------------------===//

Array detail::ratio(const Array &x1, const Array &x2) {
  const Array isNone = x2 == 0;
  return where(isNone, 0, x1 / where(isNone, 1, x2));
}
Array detail::asResult(const Array &x) { return convert(x, Dtype::f32, {}); }

Array detail::weightsOf(const char *function, const Operand &weights, const Array &values) {
  const Location at = weights.location();
  return convert(broadcast(weightsBeside(function, weights, convert(values, Dtype::f64, at)), values.shape(), at),
                 Dtype::f64, at);
}

/// The weighted sum and the sum of the weights, f64.
static std::pair<Array, Array> sums(const char *function, const Array &values, const Operand &weights, Location at) {
  if (kind(values.dtype()) == Kind::complex)
    refuse(function, "expected values of a real dtype, got " + std::string(short_name(values.dtype())), at);
  if (weights.is_none())
    return {sum(values, {.dtype = Dtype::f64}),
            convert(sizeOf(element_count(values.shape()), values.device(), at), Dtype::f64, at)};
  const Array x = convert(values, Dtype::f64, at), factor = weightsBeside(function, weights, x);
  const Array all = convert(broadcast(factor, x.shape(), at), Dtype::f64, at);
  // What a mask leaves out may be NaN.
  return {sum(kind(factor.dtype()) == Kind::boolean ? where(factor, x, 0) : x * factor), sum(all)};
}

Mean::Mean(std::string name) : Totals(std::move(name), {"total", "count"}) {}
void Mean::update(const Operand &values, const Operand &weights) const {
  const Location at = values.location();
  DoorScope scope("mean", at, {{"values", values}, {"weights", weights}});
  const auto [sum, count] = sums("mean", toArray(values, OpCode::add), weights, at);
  add({sum, count});
}
Array Mean::operator()(const Operand &values, const Operand &weights) const {
  update(values, weights);
  return result();
}
Array Mean::result() const { return asResult(ratio(total(0), total(1))); }

Sum::Sum(std::string name) : Totals(std::move(name), {"total"}) {}
void Sum::update(const Operand &values, const Operand &weights) const {
  const Location at = values.location();
  DoorScope scope("sum", at, {{"values", values}, {"weights", weights}});
  add({sums("sum", toArray(values, OpCode::add), weights, at).first});
}
Array Sum::operator()(const Operand &values, const Operand &weights) const {
  update(values, weights);
  return result();
}
Array Sum::result() const { return asResult(total(0)); }

MeanMetric::MeanMetric(std::string name, Values values) : MeanMetric(std::move(name), std::move(values), nullptr) {}
MeanMetric::MeanMetric(std::string name, Values values, Finish finish, std::optional<int64_t> ignore_class)
    : PairMetric(std::move(name), {"total", "count"}), values_(std::move(values)), finish_(finish),
      ignoreClass_(ignore_class) {}

void MeanMetric::update(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  constexpr const char *function = "metric";
  const Location at = y_true.location();
  const Array values = values_(y_true, y_pred);
  DoorScope scope(function, at, {{"values", values}, {"sample_weight", sample_weight}});
  if (!ignoreClass_) {
    const auto [sum, count] = sums(function, values, sample_weight, at);
    return add({sum, count});
  }
  const Array counted = reshape(toArray(y_true, OpCode::equal), values.shape()) != *ignoreClass_;
  Array weights = counted;
  if (!sample_weight.is_none()) {
    const Array factor = weightsBeside(function, sample_weight, convert(values, Dtype::f64, at));
    weights = kind(factor.dtype()) == Kind::boolean ? counted && factor : where(counted, factor, 0);
  }
  const auto [sum, count] = sums(function, values, weights, at);
  add({sum, count});
}

Array MeanMetric::result() const {
  const Array mean = ratio(total(0), total(1));
  return asResult(finish_ ? finish_(mean) : mean);
}

//===----------------------------------------------------------------------===//
// Any metric
//===----------------------------------------------------------------------===//

void InitialValues::add(const Variable &variable) {
  values_.emplace_back(variable, variable.has_value() ? variable.value() : Array());
}

void InitialValues::restore() const {
  for (const auto &[variable, value] : values_)
    if (value.has_value())
      variable.assign(value);
    else if (variable.has_value())
      variable.assign(zeros_like(variable));
}

void detail::throw_unweighted_metric(const std::string &name, Location at) {
  throw Error("metric " + name +
                  ": expected update(y_true, y_pred, sample_weight) for sample weights, got a metric "
                  "whose update takes (y_true, y_pred)",
              userLocation(at));
}

void detail::throw_unmergeable_metric(const std::string &name, Location at) {
  throw Error("metric " + name +
                  ": expected another metric of the same type to merge, or a metric with merge(), got "
                  "one that differs",
              userLocation(at));
}

void Metric::fields(Fields &f) {
  if (f.isCloning())
    body_ = StateRef<MetricBody>(body_.get()->copy());
  body_.get()->fields(f);
}
