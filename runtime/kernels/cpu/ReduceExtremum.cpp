//===- ReduceExtremum.cpp - largest and smallest elements ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "ReduceAxes.h"

namespace tenon::rt::TENON_ISA {

Status reduceMaximum(const KernelCall &call, std::span<const int64_t> axes) {
  return tenon::detail::visitDtype(call.operands[0].dtype, [&]<Dtype D>() {
    if constexpr (isOrdered(D))
      return reduceAs<MaxOf, D, reducedAs(asNumber(D))>(call, axes);
    else
      return Status::failed;
  });
}

// Of f32 at the speed of a maximum; of other dtypes it is the complement of the
// largest complement, which needs no reducers of its own.
Status reduceMinimum(const KernelCall &call, std::span<const int64_t> axes) {
  return tenon::detail::visitDtype(call.operands[0].dtype, [&]<Dtype D>() {
    if constexpr (isOrdered(D)) {
      if constexpr (D == Dtype::f32)
        return reduce<MinOf, D>(call, axes);
      else
        return reduce<MaxOf, reducedAs(asNumber(D)), D, true>(call, axes);
    } else {
      return Status::failed;
    }
  });
}

} // namespace tenon::rt::TENON_ISA
