//===- Table.cpp - the table of this instruction set's kernels -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Table.h"
#include "CompositeKernels.h"
#include "Kernels.h"

namespace tenon::rt::TENON_ISA {

ElementwiseKernel elementwiseLoop(OpCode op, Dtype dtype, Dtype to);

constexpr KernelTable kernelTable = {
    kernels, sizeof(kernels) / sizeof(kernels[0]), compositeKernels, elementwiseLoop, copyView, &blasTable};

} // namespace tenon::rt::TENON_ISA
