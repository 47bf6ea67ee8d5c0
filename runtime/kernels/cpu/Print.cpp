//===- Print.cpp - the op print --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "Table.h"

namespace tenon::rt::TENON_ISA {

Status kernelPrint(const KernelCall &call) {
  return currentPrinter()(PrintAttrs::read(call.attributes).format, call.operands);
}

} // namespace tenon::rt::TENON_ISA
