//===- Convolve.h - convolutions, in the order of products ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An element of a convolution is an element of a product: the sum over the taps of its window that
// lie on elements of x, in row-major order, and over the channels of each, of x times kernel, as
// one chain of fused multiply-adds; where a window has more than 4,096 taps times channels, blocks of
// so many, those that lie off x counted, pairwise (Contract.h, but for its rule of a single column).
// Of no products it is +0.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/cpu/Sliding.h"

namespace tenon::rt::TENON_ISA {

/// x [batch, spatial..., groups, in] with a kernel [spatial..., in, groups, out]; strides in elements.
template <class T>
struct Convolution {
  const T *x, *kernel;
  /// Dense: [batch, windows..., groups, out].
  T *c;
  int spatial;
  SlidingAxis axes[kMaxRank];
  int64_t batch, groups, in, out;
  int64_t xBatch, xSpatial[kMaxRank], xGroup, xIn;
  int64_t kernelSpatial[kMaxRank], kernelIn, kernelGroup, kernelOut;
};

/// T is float, double, a complex number of them, uint32_t or uint64_t.
template <class T>
Status convolve(const Convolution<T> &convolution, const uint32_t *cancel);

} // namespace tenon::rt::TENON_ISA
