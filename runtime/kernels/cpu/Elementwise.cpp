//===- Elementwise.cpp - elementwise ops over any rank ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Elementwise.h"
#include "Kernels.h"
#include "Table.h"

namespace tenon::rt::TENON_ISA {

ElementwiseKernel elementwiseLoop(OpCode op, Dtype dtype, Dtype to) {
  switch (op) {
#define TENON_ARITHMETIC(op, ...)                                                                                      \
  case OpCode::op:                                                                                                     \
    return arithmeticLoop(OpCode::op, dtype);
#define TENON_COMPARISON(op, ...)                                                                                      \
  case OpCode::op:                                                                                                     \
    return comparisonLoop(OpCode::op, dtype);
#define TENON_MATH(op, ...)                                                                                            \
  case OpCode::op:                                                                                                     \
    return mathLoop(OpCode::op, dtype);
#define TENON_BY_HAND(op, Stem)                                                                                        \
  case OpCode::op:                                                                                                     \
    return loop##Stem(dtype, to);
#include "runtime/math/Elementwise.gen.inc"
  default:
    return nullptr;
  }
}

/// Lanes lie apart along the last axis, together along another.
static bool isTransposed(const Nest &nest, size_t view) {
  const int inner = nest.rank - 1;
  if (nest.strides[view][inner] <= 1 || nest.count() < 4096)
    return false;
  for (int axis = 0; axis < inner; ++axis)
    if (nest.strides[view][axis] == 1)
      return true;
  return false;
}

[[gnu::noinline]] static Status onPacked(const KernelCall &call, ElementwiseKernel loop, size_t which) {
  View operands[Nest::kMaxViews];
  for (size_t i = 0; i < call.operands.size(); ++i)
    operands[i] = call.operands[i];
  View &packed = operands[which];
  int64_t strides[kMaxRank];
  denseStrides(packed.rank, packed.dims, strides);
  const Scratch memory(packed.count(), item_size(packed.dtype));
  if (!memory)
    return Status::outOfMemory;
  packed.data = memory.as<void>();
  packed.strides = strides;
  if (Status status = copyView(call.operands[which], packed); status != Status::ok)
    return status;
  return onElements({call.op, {operands, call.operands.size()}, call.results, call.attributes, call.cancel}, loop);
}

Status onElements(const KernelCall &call, ElementwiseKernel loop) {
  const View &result = call.results[0];
  const size_t count = call.operands.size();
  const int64_t *strides[Nest::kMaxViews];
  void *data[Nest::kMaxViews];
  Dtype dtypes[Nest::kMaxViews];
  for (size_t i = 0; i <= count; ++i) {
    const View &view = i == count ? result : call.operands[i];
    strides[i] = view.strides;
    data[i] = view.data;
    dtypes[i] = view.dtype;
  }
  const Nest nest = makeNest(result.rank, result.dims, {strides, count + 1});
  // Packing a large transposed operand costs less than gathering its lanes.
  for (size_t i = 0; i < count && nest.rank > 1; ++i)
    if (isTransposed(nest, i))
      return onPacked(call, loop, i);
  return runLoop(nest, loop, data, {dtypes, count + 1}, call.cancel);
}

Status kernelElementwise(const KernelCall &call) {
  const size_t count = call.operands.size();
  // Conditions come first, so that the last operand has the dtype of the op.
  const ElementwiseKernel loop = elementwiseLoop(call.op, call.operands[count - 1].dtype, call.results[0].dtype);
  if (!loop || count > maxElementwiseOperands)
    return Status::failed;
  return onElements(call, loop);
}

} // namespace tenon::rt::TENON_ISA
