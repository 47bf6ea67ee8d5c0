//===- EachElement.h - composites that are a function of each element -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CompositeKernels.h"
#include "Elementwise.h"
#include "Loops.h"

namespace tenon::rt::TENON_ISA {

/// Op::run(x, numbers...) for each element x of the operand, of dtype In, in one pass over memory. The numbers
/// are of In too.
template <class Op, Dtype In, Dtype Out, class... Numbers>
Status onEachElement(const KernelCall &call, Numbers... numbers) {
  constexpr int count = 1 + sizeof...(Numbers);
  static_assert(count <= Nest::kMaxViews - 1);
  const View &x = call.operands[0];
  [[maybe_unused]] static constexpr int64_t repeated[kMaxRank] = {}; // unused without numbers
  const View operands[] = {x, {&numbers, x.dtype, x.rank, x.dims, repeated}...};
  return onElements({call.op, operands, call.results, call.attributes, call.cancel}, Loop<Op, In, Out, count>::run);
}

} // namespace tenon::rt::TENON_ISA
