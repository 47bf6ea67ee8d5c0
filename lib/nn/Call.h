//===- Call.h - in the library's layers ----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/nn/Running.h"
#include "lib/trace/Interpreter.h"

namespace tenon::detail {

/// In build or call of a layer of the library's: errors of ops name the line that has called it.
class LayerCall {
public:
  explicit LayerCall(const nn::Layer &layer) : layer_(layer), scope_("", RunningLayer::line()) {}
  /// Throws `conv1: expected ...`.
  [[noreturn]] void refuse(const std::string &sentence) const;
  /// Refuses inputs whose size along `axis` is not the one that the weight was built for, its size along
  /// `axisOfWeight`.
  void expectSize(const char *what, int axis, const Shape &input, const Variable &weight, int axisOfWeight) const;
  /// Throws that it was built for another input: `wanted` is what it was built for.
  [[noreturn]] void refuseSize(const std::string &wanted, const Shape &input) const;
  /// Refuses inputs without a batch, `spatialRank` spatial axes and channels.
  void expectSpatial(const Shape &input, int spatialRank, DataFormat format) const;
  /// Refuses inputs without a batch.
  void expectBatch(const Shape &input) const;
  /// The axis of the input, from 0; refuses inputs without it.
  int axisOf(const Shape &input, int64_t axis) const;

private:
  const nn::Layer &layer_;
  const LocationScope scope_;
};

/// Gives a weight of a layer that is not called yet its regularizer and constraint.
void setRules(const nn::Weight &weight, const nn::Regularizer &regularizer, const nn::Constraint &constraint);

/// The shape of a batch of one example of this shape.
Shape withBatch(const Shape &example);
/// Throws unless the number is 1 or more.
void expectPositive(const char *layer, const char *what, int64_t number, Location at);

} // namespace tenon::detail
