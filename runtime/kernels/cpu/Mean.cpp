//===- Mean.cpp - mean in one pass over its operand ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has the bits of a sum divided by the number of elements: it is the two kernels,
// the second in place on the first one's result.
//===----------------------------------------------------------------------===//
#include "CompositeKernels.h"
#include "Kernels.h"

namespace tenon::rt::TENON_ISA {

Status kernelMean(const KernelCall &call) {
  // Its attributes are those of a sum.
  if (Status status = kernelReduction({OpCode::sum, call.operands, call.results, call.attributes, call.cancel});
      status != Status::ok)
    return status;
  const View &result = call.results[0];
  int64_t count = 1;
  for (int64_t axis : MeanAttrs::read(call.attributes).axes)
    count *= call.operands[0].dims[axis];
  // The number of elements in the dtype of the result, beside every one of them.
  alignas(16) std::byte number[16];
  View one{number, result.dtype, 0, nullptr, nullptr};
  AttrWriter words;
  FullAttrs{{}, ScalarAttr::floating(static_cast<double>(count)), result.dtype, Device::cpu}.write(words);
  if (Status status = kernelFull({OpCode::full, {}, {&one, 1}, words.words()}); status != Status::ok)
    return status;
  static constexpr int64_t repeated[kMaxRank] = {};
  const View operands[] = {result, {number, result.dtype, result.rank, result.dims, repeated}};
  return kernelElementwise({OpCode::divide, operands, call.results, {}, call.cancel});
}

} // namespace tenon::rt::TENON_ISA
