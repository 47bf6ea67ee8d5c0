//===- StridedData.cpp - elements somewhere in host memory ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/StridedData.h"

#include <algorithm>
#include <cstring>

using namespace tenon;
using namespace tenon::detail;

/// From `axis` on, of an array that has elements.
static std::byte *copyFrom(const StridedData &array, size_t axis, const std::byte *from, std::byte *out) {
  const size_t item = item_size(array.dtype);
  if (axis == array.dims.size()) {
    std::memcpy(out, from, item);
    return out + item;
  }
  if (axis + 1 == array.dims.size() && array.strides[axis] == 1) {
    const size_t row = static_cast<size_t>(array.dims[axis]) * item;
    std::memcpy(out, from, row);
    return out + row;
  }
  const std::ptrdiff_t step = array.strides[axis] * static_cast<std::ptrdiff_t>(item);
  for (int64_t i = 0; i < array.dims[axis]; ++i)
    out = copyFrom(array, axis + 1, from + i * step, out);
  return out;
}

std::byte *detail::copyDense(const StridedData &array, std::byte *out) {
  if (std::find(array.dims.begin(), array.dims.end(), 0) != array.dims.end())
    return out;
  return copyFrom(array, 0, static_cast<const std::byte *>(array.data), out);
}
