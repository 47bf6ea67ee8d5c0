//===- CompositeKernels.h - the kernels of composites that the records name ===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of one has the attributes of the composite. Apart from Kernels.h, so that
// one more composite compiles few files.
//===----------------------------------------------------------------------===//
#pragma once

#include "Common.h"

#include "dialect/model/Composite.h"

namespace tenon::rt::TENON_ISA {

#include "runtime/kernels/cpu/CompositeKernels.gen.inc"

} // namespace tenon::rt::TENON_ISA
