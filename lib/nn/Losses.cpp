//===- Losses.cpp - any loss -----------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/LossParts.h"

using namespace tenon;
using namespace tenon::detail;

Array detail::operand_array(const Operand &operand) { return toArray(operand, OpCode::equal); }

Array detail::reduced_loss(const std::string &name, const Array &losses, const Operand &sample_weight, Location at) {
  constexpr const char *function = "loss";
  DoorScope scope(function, at, {{"losses", losses}, {"sample_weight", sample_weight}});
  const Array x = predictions(function, losses);
  if (x.ndim() == 0 && !sample_weight.is_none())
    refuse(function,
           name + " returned one number, which sample weights cannot weigh; return the losses of the examples", at);
  return reducedLosses(function, x, sample_weight, losses::Reduction::mean);
}

static bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
static bool isLower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::string detail::snake_name(std::string_view type, std::string_view otherwise) {
  type = type.substr(0, type.find('<'));
  if (const size_t colon = type.rfind(':'); colon != type.npos)
    type = type.substr(colon + 1);
  std::string name;
  for (size_t i = 0; i < type.size(); ++i) {
    const char c = type[i];
    if (!isUpper(c) && !isLower(c) && c != '_')
      return std::string(otherwise);
    // A word begins behind a small letter, and with the last capital of a row: KLDivergence is kl_divergence.
    if (i > 0 && isUpper(c) && type[i - 1] != '_' &&
        (isLower(type[i - 1]) || (i + 1 < type.size() && isLower(type[i + 1]))))
      name += '_';
    name += isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name.empty() ? std::string(otherwise) : name;
}

Array losses::Loss::operator()(const Operand &y_true, const Operand &y_pred, const Operand &sample_weight) const {
  if (!function_)
    throw Error("loss: expected a loss such as losses::MeanSquaredError{}, got none", userLocation(y_true.location()));
  return function_(y_true, y_pred, sample_weight);
}

Array losses::class_weights(const Operand &y_true, const std::map<int64_t, double> &weights) {
  const Location at = y_true.location();
  DoorScope scope("class_weights", at, {{"y_true", y_true}});
  Array labels = toArray(y_true, OpCode::equal);
  if (labels.ndim() > 1)
    labels = endsWith1(labels.shape()) ? squeeze(labels, -1) : argmax(labels, -1);
  Array result = full_like(labels, 1, Dtype::f32);
  for (const auto &[label, weight] : weights)
    result = where(labels == label, convert(Array(weight), Dtype::f32, at), result);
  return result;
}
