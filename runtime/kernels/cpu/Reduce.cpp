//===- Reduce.cpp - the kernel of reductions, and sums ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "ReduceAxes.h"

namespace tenon::rt::TENON_ISA {

Status kernelReduction(const KernelCall &call) {
  std::span<const int64_t> axes = SumAttrs::read(call.attributes).axes; // all reductions have the same attributes
  switch (opInfo(call.op).reduction.combine) {
  case OpCode::add:
    return reduceSum(call, axes);
  case OpCode::multiply:
    return reduceProduct(call, axes);
  case OpCode::maximum:
    return reduceMaximum(call, axes);
  case OpCode::minimum:
    return reduceMinimum(call, axes);
  default:
    return Status::failed;
  }
}

/// Integers wrap: their sums have the bits of unsigned ones.
static constexpr Dtype summedAs(Dtype dtype) { return asUnsigned(reducedAs(dtype)); }

Status reduceSum(const KernelCall &call, std::span<const int64_t> axes) {
  return tenon::detail::visitDtype(call.operands[0].dtype, [&]<Dtype D>() {
    if constexpr (isOrdered(D))
      return reduceAs<SumOf, D, summedAs(asNumber(D))>(call, axes);
    else
      return Status::failed;
  });
}

} // namespace tenon::rt::TENON_ISA
