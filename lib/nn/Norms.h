//===- Norms.h - the norms of gradients ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

#include <limits>
#include <span>

namespace tenon::nn {

/// The dtype that gradients of a floating dtype are computed in.
inline Dtype computeDtype(Dtype dtype) { return dtype == f64 ? f64 : f32; }

inline Array sumOfSquares(const Array &x) { return sum(square(x.astype(computeDtype(x.dtype())))); }
inline Array normOf(const Array &x) { return sqrt(sumOfSquares(x)); }

/// Of all elements of some arrays: f64 if one of these is, else f32.
inline Array globalNormOf(std::span<const Array> arrays) {
  bool isWide = false;
  for (const Array &array : arrays)
    isWide |= array.dtype() == f64;
  Array total(Scalar(0), isWide ? f64 : f32);
  for (const Array &array : arrays)
    total = total + sumOfSquares(array).astype(total.dtype());
  return sqrt(total);
}

/// What brings `norm` down to `limit`: 1 where it is not above; NaN where it is not finite.
inline Array clipFactor(const Array &norm, const Array &limit) {
  return where(isfinite(norm), limit / maximum(norm, limit), full_like(norm, std::numeric_limits<double>::quiet_NaN()));
}

} // namespace tenon::nn
