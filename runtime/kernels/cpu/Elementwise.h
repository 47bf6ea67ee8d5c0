//===- Elementwise.h - a loop over the elements of any views -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Common.h"

namespace tenon::rt::TENON_ISA {

/// Runs `loop` over operands and result, all of one shape, on the pool if they are large.
Status onElements(const KernelCall &call, ElementwiseKernel loop);

} // namespace tenon::rt::TENON_ISA
