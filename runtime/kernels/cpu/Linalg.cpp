//===- Linalg.cpp - linear algebra ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same code for every instruction set (runtime/linalg/Linalg.h).
//===----------------------------------------------------------------------===//
#include "runtime/linalg/Linalg.h"
#include "Kernels.h"

namespace tenon::rt::TENON_ISA {

Status kernelCholesky(const KernelCall &call) { return linalg::cholesky(call); }
Status kernelTriangularSolve(const KernelCall &call) { return linalg::triangularSolve(call); }
Status kernelLuFactor(const KernelCall &call) { return linalg::luFactor(call); }
Status kernelPivotsToPermutation(const KernelCall &call) { return linalg::pivotsToPermutation(call); }
Status kernelQr(const KernelCall &call) { return linalg::qr(call); }
Status kernelEigh(const KernelCall &call) { return linalg::eigh(call); }
Status kernelEigvalsh(const KernelCall &call) { return linalg::eigvalsh(call); }
Status kernelSvd(const KernelCall &call) { return linalg::svd(call); }
Status kernelSvdvals(const KernelCall &call) { return linalg::svdvals(call); }
Status kernelEig(const KernelCall &call) { return linalg::eig(call); }
Status kernelEigvals(const KernelCall &call) { return linalg::eigvals(call); }
Status kernelExpm(const KernelCall &call) { return linalg::expm(call); }
Status kernelSqrtm(const KernelCall &call) { return linalg::sqrtm(call); }
Status kernelTridiagonalSolve(const KernelCall &call) { return linalg::tridiagonalSolve(call); }

} // namespace tenon::rt::TENON_ISA
