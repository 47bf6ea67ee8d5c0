//===- Vectorize.h - from linalg on a row to loops over vectors -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

/// The contract's lanes, whatever the machine's registers hold.
inline constexpr int64_t lanes = 16;
/// Elements of one block of a floating sum.
inline constexpr int64_t sumBlock = 4096;

/// How a row that does not fill its vectors ends. In one masked body for whole
/// and partial vectors, where a mask costs nothing (AVX-512), or in a masked
/// body of its own after a loop over whole vectors.
enum class Tails { masked, apart };

/// Replaces the linalg form of a kernel (KernelToLinalg.h), which has to hold, by the function that
/// the runtime calls, `(!llvm.ptr, i64, i64) -> i32` (runtime/program/Schedule.h):
/// a loop over rows (for `tenon.short_row`: over blocks of many rows, each processed as one long row), and in it one
/// loop over 16 lanes for each linalg.generic. Floating sums have the tree of `sum`'s record; sums of more than one
/// block call the runtime for the blocks. Declares these functions in the function's module.
void vectorizeKernel(mlir::func::FuncOp function, Tails tails);

} // namespace tenon::compiler
