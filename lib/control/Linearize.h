//===- Linearize.h - a trace as a forward and a backward one --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/transform/RegionVjp.h"

namespace tenon {

struct Linear {
  /// The trace's inputs -> its outputs, then residuals.
  TraceRef forward;
  /// By output: whether it depends smoothly on a wanted input, and has a derivative.
  std::vector<bool> dependent;
  /// By output: what says that it depends, but has none. Empty: there is no such output.
  std::vector<std::shared_ptr<const NoDerivative>> refusals = {};
  /// Throws the first of them, where a rule is of all outputs or of none.
  void expectDerivatives() const;
  /// Cotangents of the dependent outputs in order, then residuals -> cotangents
  /// of inputs.
  TraceRef backward;
  /// What a residual of `backward` is: an input of the trace or an output of
  /// `forward`.
  struct Residual {
    bool isInput;
    size_t index;
  };
  std::vector<Residual> residuals;
  /// By output of `backward`: the input whose cotangent it is. Inputs that are
  /// not here have none.
  std::vector<size_t> cotangentOf;
};

/// `available`: inputs that the backward one can have as they are. Outputs from
/// `firstShared` on may serve as residuals themselves.
Linear linearize(const Trace &trace, const std::vector<bool> &wanted, const std::vector<bool> &available,
                 size_t firstShared);

} // namespace tenon
