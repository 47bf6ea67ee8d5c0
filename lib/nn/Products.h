//===- Products.h - products with the kernels of layers ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/ops.h>

namespace tenon::detail {

/// `x @ kernel` of a kernel of rank 2. All axes of x before the last are one, so that the product and its derivative by
/// the kernel are one product each, not one for each place of the first axes.
inline Array productOf(const Array &x, const Array &kernel) {
  if (x.ndim() <= 2)
    return matmul(x, kernel);
  Shape result;
  Dim rows = 1;
  for (int axis = 0; axis < x.ndim() - 1; ++axis) {
    rows = rows * x.shape()[axis];
    result.push_back(x.shape()[axis]);
  }
  result.push_back(kernel.shape()[1]);
  return reshape(matmul(reshape(x, {rows, x.shape()[-1]}), kernel), result);
}

} // namespace tenon::detail
