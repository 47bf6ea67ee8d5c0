//===- Kernels.h - the kernels that the records name -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Common.h"

namespace tenon::rt::TENON_ISA {

#include "runtime/kernels/cpu/Kernels.gen.inc"

} // namespace tenon::rt::TENON_ISA
