//===- Parts.cpp - the parts of complex numbers, apart and together ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Common.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// Number `part` of the two.
template <class T, int part>
void takePart(const ElementwiseCall &call) {
  const int64_t s = 2 * call.strides[0][1], sr = call.resultStrides[1];
  for (int64_t k = 0; k < call.n; ++k) {
    auto *x = static_cast<const T *>(call.operands[0]) + 2 * k * call.strides[0][0] + part;
    auto *result = static_cast<T *>(call.result) + k * call.resultStrides[0];
    if (s == 2 && sr == 1)
      for (int64_t i = 0; i < call.m; ++i)
        result[i] = x[2 * i];
    else
      for (int64_t i = 0; i < call.m; ++i)
        result[i * sr] = x[i * s];
  }
}

template <class T>
void join(const ElementwiseCall &call) {
  const int64_t s1 = call.strides[0][1], s2 = call.strides[1][1], sr = 2 * call.resultStrides[1];
  for (int64_t k = 0; k < call.n; ++k) {
    auto *re = static_cast<const T *>(call.operands[0]) + k * call.strides[0][0];
    auto *im = static_cast<const T *>(call.operands[1]) + k * call.strides[1][0];
    auto *result = static_cast<T *>(call.result) + 2 * k * call.resultStrides[0];
    if (s1 == 1 && s2 == 1 && sr == 2)
      for (int64_t i = 0; i < call.m; ++i)
        result[2 * i] = re[i], result[2 * i + 1] = im[i];
    else
      for (int64_t i = 0; i < call.m; ++i)
        result[i * sr] = re[i * s1], result[i * sr + 1] = im[i * s2];
  }
}

} // namespace

/// `single` or `wide`, by which of two dtypes it is; null for another.
static ElementwiseKernel oneOf(Dtype dtype, Dtype narrow, ElementwiseKernel single, Dtype broad,
                               ElementwiseKernel wide) {
  return dtype == narrow ? single : dtype == broad ? wide : nullptr;
}
ElementwiseKernel loopReal(Dtype dtype, Dtype) {
  return oneOf(dtype, Dtype::c64, takePart<float, 0>, Dtype::c128, takePart<double, 0>);
}
ElementwiseKernel loopImag(Dtype dtype, Dtype) {
  return oneOf(dtype, Dtype::c64, takePart<float, 1>, Dtype::c128, takePart<double, 1>);
}
ElementwiseKernel loopComplex(Dtype dtype, Dtype) {
  return oneOf(dtype, Dtype::f32, join<float>, Dtype::f64, join<double>);
}

} // namespace tenon::rt::TENON_ISA
