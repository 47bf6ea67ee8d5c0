//===- Attention.h - the derivative of attention -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/model/Op.h"

#include <tenon/ops.h>

#include <array>
#include <span>

namespace tenon::detail {

/// The cotangents of q, k and v in the composite `attention` with these attributes.
std::array<Array, 3> attentionGradients(std::span<const Array> operands, const Array &cotangent, AttrWords attributes,
                                        Location at);

} // namespace tenon::detail
