//===- Selu.h - the constants of selu ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tenon::math {

/// selu(x) is seluScale * elu(x, seluAlpha); Klambauer et al. 2017, "Self-Normalizing Neural Networks".
inline constexpr double seluAlpha = 1.6732632423543772848170429916717;
inline constexpr double seluScale = 1.0507009873554804934193349852946;

} // namespace tenon::math
