//===- Attention.h - the derivative of attention, made of ops ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/model/Op.h"

#include <tenon/ops.h>

#include <array>
#include <span>

namespace tenon::detail {

/// The cotangents of q, k and v in the composite `attention` with these attributes, and of the scores with their bias.
/// The operands are those of `attention_gradient`.
std::array<Array, 4> attentionGradients(std::span<const Array> operands, AttrWords attributes, Location at);

} // namespace tenon::detail
