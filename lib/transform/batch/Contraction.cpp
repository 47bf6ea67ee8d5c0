//===- Contraction.cpp - batching of contractions -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

namespace tenon {

/// One matrix for all, x1, times x2, whose examples lie behind the axis that is summed
/// over: to the product they are columns.
static void batchColumns(BatchCall &call) {
  const Array &x1 = call.operand(0), &x2 = call.operand(1);
  Shape shape = x2.shape();
  const Array products = matmul(x1, reshape(x2, {shape[0], shape[1] * shape[2]}));
  shape.at(0) = x1.shape()[0];
  call.result(reshape(products, shape), call.axis(1));
}

/// Whether the elements of a product with so many columns are chains; a single column is summed in another order, so
/// examples may become columns only where each has several.
static bool isChained(Dim columns) { return provably_equal(columns, 1) == Always::no; }

void batchMatmul(BatchCall &call) {
  // Rows of all examples times one matrix is one product of matrices. A matrix for
  // each example would have a third axis.
  if (!call.isBatched(1) && call.operand(1).ndim() == 2) {
    const bool isLast = call.axis(0) == 2;
    const Array &matrix = call.operand(1);
    if (isLast && isChained(matrix.shape()[1]) && isChained(call.operand(0).shape()[2]))
      // Columns again: each row's examples are multiplied from the left.
      return call.result(matmul(repeatAlong(matrix_transpose(matrix), call.operand(0).shape()[0], 0), call.operand(0)),
                         2);
    const Array x1 = isLast ? call.front(0) : call.operand(0);
    Shape shape = x1.shape();
    const Array products = matmul(reshape(x1, {shape[0] * shape[1], shape[2]}), matrix);
    shape.at(2) = matrix.shape()[1];
    return call.result(reshape(products, shape), isLast ? 0 : call.axis(0));
  }
  if (!call.isBatched(0) && call.operand(0).ndim() == 2 && call.axis(1) > 0 &&
      isChained(call.operand(1).shape()[3 - call.axis(1)]))
    return batchColumns(call);
  call.result(matmul(call.front(0), call.front(1)));
}

} // namespace tenon
