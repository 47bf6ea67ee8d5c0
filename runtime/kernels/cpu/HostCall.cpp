//===- HostCall.cpp - the ops check and host_call ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "Table.h"

namespace tenon::rt::TENON_ISA {

/// Whether all elements along the axes from `axis` on are true.
static bool isAllTrue(const View &x, int axis, const bool *at) {
  if (axis == x.rank)
    return *at;
  for (int64_t i = 0; i < x.dims[axis]; ++i)
    if (!isAllTrue(x, axis + 1, at + i * x.strides[axis]))
      return false;
  return true;
}

Status kernelCheck(const KernelCall &call) {
  const View &condition = call.operands[0];
  return isAllTrue(condition, 0, static_cast<const bool *>(condition.data)) ? Status::ok : currentFailure()(call);
}

Status kernelHostCall(const KernelCall &call) { return currentHostCall()(call); }

} // namespace tenon::rt::TENON_ISA
