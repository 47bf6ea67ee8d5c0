//===- Linalg.h - kernels of linear algebra ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of the ops in dialect/records/Linalg.td. They are compiled once, for any x86-64: LAPACK (runtime/lapack)
// computes, and Small.h where a matrix has at most eight rows and columns. LAPACK's matrix products come from the
// engine of products, which has the same bits on every instruction set, so every CPU gets the same bits. The matrices
// of a batch run on the pool, each on one thread.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/Kernel.h"

namespace tenon::rt::linalg {

Status cholesky(const KernelCall &call);
Status triangularSolve(const KernelCall &call);
Status luFactor(const KernelCall &call);
Status pivotsToPermutation(const KernelCall &call);
Status qr(const KernelCall &call);
Status eigh(const KernelCall &call);
Status eigvalsh(const KernelCall &call);
Status svd(const KernelCall &call);
Status svdvals(const KernelCall &call);
Status eig(const KernelCall &call);
Status eigvals(const KernelCall &call);
Status expm(const KernelCall &call);
Status sqrtm(const KernelCall &call);
Status tridiagonalSolve(const KernelCall &call);

} // namespace tenon::rt::linalg
