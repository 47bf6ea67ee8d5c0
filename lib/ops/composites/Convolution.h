//===- Convolution.h - the op convolution --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/ops/composites/Pooling.h"

namespace tenon::detail {

/// How the windows of a convolution move along the spatial axes, as the op has it.
struct Sliding {
  std::vector<int64_t> strides, low, high, xDilation, windowDilation;
};

/// The op convolution of two arrays of one dtype, x [batch, spatial..., groups, in] and kernel [spatial..., in, groups,
/// out]; `dtype`: of the result.
Array convolution(const Array &x, const Array &kernel, const Sliding &sliding, Dtype dtype, Location at);

} // namespace tenon::detail
