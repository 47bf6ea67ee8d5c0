//===- Sequences.h - masks of sequences ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/nn/Call.h"

namespace tenon::detail {

/// A mask (batch, time) of bools as (time, batch); refuses others.
inline Array maskOfSteps(const LayerCall &here, const Array &mask, const Shape &input) {
  const Shape wanted{input[0], input[1]};
  if (mask.dtype() != Dtype::bool_ || provably_equal(mask.shape(), wanted) != Always::yes)
    here.refuse("expected a mask of bools of shape (batch, time), " + wanted.str() + ", got " +
                std::string(short_name(mask.dtype())) + " of shape " + mask.shape().str());
  return mask.T();
}

} // namespace tenon::detail
