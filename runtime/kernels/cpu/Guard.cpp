//===- Guard.cpp - the op guard --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "Table.h"

#include "runtime/kernels/Guard.h"

namespace tenon::rt::TENON_ISA {

Status kernelGuard(const KernelCall &call) {
  const View &x = call.operands[0];
  if (x.rank != 0) // of a damaged program
    return Status::failed;
  const int64_t answer = answerOf(x.data, x.dtype);
  if (answer == GuardAttrs::read(call.attributes).answer)
    return Status::ok;
  if (call.fault)
    call.fault->answer = answer;
  return Status::otherwise;
}

} // namespace tenon::rt::TENON_ISA
