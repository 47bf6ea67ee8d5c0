//===- Products.h - attributes of matrix products --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/model/Op.h"

#include <array>

namespace tenon {

/// Those of dot_general of x1[..., m, k] and x2[..., k, n], of that rank: what matmul binds.
inline DotGeneralAttrs matrixProduct(Dtype dtype = Dtype::f32, int rank = 2) {
  static constexpr std::array<int64_t, 16> numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const std::span<const int64_t> all(numbers);
  const auto last = static_cast<size_t>(rank) - 1;
  return {all.subspan(last, 1), all.subspan(last - 1, 1), all.first(last - 1), all.first(last - 1), dtype};
}

} // namespace tenon
