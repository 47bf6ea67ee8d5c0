//===- ReduceProduct.cpp - products ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "ReduceAxes.h"

namespace tenon::rt::TENON_ISA {

/// As of sums; bytes are widened too.
static constexpr Dtype multipliedAs(Dtype dtype) {
  return isIntegral(dtype) ? asUnsigned(accumulatorOf(dtype)) : dtype;
}

Status reduceProduct(const KernelCall &call, std::span<const int64_t> axes) {
  return tenon::detail::visitDtype(call.operands[0].dtype, [&]<Dtype D>() {
    if constexpr (isOrdered(D))
      return reduceAs<ProductOf, D, multipliedAs(D)>(call, axes);
    else
      return Status::failed;
  });
}

} // namespace tenon::rt::TENON_ISA
