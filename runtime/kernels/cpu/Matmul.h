//===- Matmul.h - products that are longer than BLAS counts ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/kernels/Kernel.h"

namespace tenon::rt::TENON_ISA {

/// BLAS counts in int.
inline constexpr int64_t kMaxBlas = INT32_MAX;

/// A product [m, k] x [k, n] with a size that no call of BLAS takes.
bool isBeyondBlas(int64_t m, int64_t k, int64_t n);

struct Pieces {
  int64_t rows = 256, columns = 1024, depth = 4096;
};
/// Each piece of the operands is packed, those along k are added in order. Of
/// floating operands of the result's dtype, of any strides.
Status multiplyInPieces(const View &a, const View &b, const View &c, const Pieces &pieces, const uint32_t *cancel);

} // namespace tenon::rt::TENON_ISA
