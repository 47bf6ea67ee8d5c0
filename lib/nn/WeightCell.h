//===- WeightCell.h - what a weight of a layer is besides a Variable ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/State.h"

#include <tenon/nn/values.h>

namespace tenon::detail {

/// The cell of a Weight, which training finds the weight's rules in.
class WeightCell final : public Cell {
public:
  using Cell::Cell;
  nn::Regularizer regularizer;
  nn::Constraint constraint;
};

} // namespace tenon::detail
