//===- Reduction.cpp - batching of reductions and contractions ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

namespace tenon {

// With the batch axis in front the sum of one example has the tree, and so the
// bits, that it has alone.

static std::vector<int64_t> shifted(std::span<const int64_t> axes) {
  std::vector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(axis + 1);
  return result;
}

void batchSum(BatchCall &call) {
  SumAttrs attributes = SumAttrs::read(call.attributes);
  call.result(sum(call.front(), shifted(attributes.axes), attributes.keepdims));
}

void batchMax(BatchCall &call) {
  MaxAttrs attributes = MaxAttrs::read(call.attributes);
  call.result(max(call.front(), shifted(attributes.axes), attributes.keepdims));
}

void batchArgmax(BatchCall &call) {
  ArgmaxAttrs attributes = ArgmaxAttrs::read(call.attributes);
  call.result(argmax(call.front(), static_cast<int>(attributes.axis) + 1, attributes.keepdims));
}

void batchSoftmax(BatchCall &call) {
  call.result(softmax(call.front(), static_cast<int>(SoftmaxAttrs::read(call.attributes).axis) + 1));
}

void batchMatmul(BatchCall &call) {
  // Rows of all examples times one matrix is one product of matrices.
  if (call.isBatched(0) && !call.isBatched(1) && call.operand(1).ndim() == 2) {
    Array x1 = call.front(0);
    Shape shape = x1.shape();
    Array rows = reshape(x1, {shape[0] * shape[1], shape[2]});
    return call.result(reshape(matmul(rows, call.operand(1)), {shape[0], shape[1], call.operand(1).shape()[1]}));
  }
  call.result(matmul(call.front(0), call.front(1)));
}

} // namespace tenon
