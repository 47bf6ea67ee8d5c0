//===- Ptx.h - kernels as PTX ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tenon::compiler {

class ToLlvm;

/// Replaces the linalg form of an elementwise kernel (KernelToLinalg.h) by a
/// function of one thread, for one element. Its arguments: a pointer for each
/// input and result, the sizes, the numbers. The grid has an axis for what would
/// else be divided out of a number: a thread's place along x is its column, along
/// y the innermost outer axis, along z the outer axes before that; threads past
/// the end of one do nothing. The reason why not, and no change, for a kernel that
/// is not elementwise.
std::string kernelToThread(mlir::func::FuncOp function);

/// PTX for sm_90 of a module of such functions in the LLVM dialect. The math is
/// the source that the CPU's kernels hold, so are the bits.
bool emitPtx(mlir::ModuleOp module, std::string &out, std::string &error);

} // namespace tenon::compiler
