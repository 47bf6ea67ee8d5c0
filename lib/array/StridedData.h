//===- StridedData.h - elements somewhere in host memory --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/dtype.h>

#include <cstddef>
#include <span>

namespace tenon::detail {

/// A view of host memory for code that does not know Array. data points at
/// element (0, ..., 0); strides count elements and may be negative or 0.
struct StridedData {
  const void *data;
  Dtype dtype;
  std::span<const int64_t> dims, strides;
};

/// Copies the elements to `out` in row-major order, at any alignment; returns where
/// they end.
std::byte *copyDense(const StridedData &array, std::byte *out);

} // namespace tenon::detail
