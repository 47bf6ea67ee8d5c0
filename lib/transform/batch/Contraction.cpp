//===- Contraction.cpp - batching of contractions -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

namespace tenon {

void batchMatmul(BatchCall &call) {
  // Rows of all examples times one matrix is one product of matrices. A matrix for
  // each example would have a third axis.
  if (call.isBatched(0) && call.operand(1).ndim() == 2) {
    Array x1 = call.front(0);
    Shape shape = x1.shape();
    Array rows = reshape(x1, {shape[0] * shape[1], shape[2]});
    return call.result(reshape(matmul(rows, call.operand(1)), {shape[0], shape[1], call.operand(1).shape()[1]}));
  }
  call.result(matmul(call.front(0), call.front(1)));
}

} // namespace tenon
