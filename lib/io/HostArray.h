//===- HostArray.h - what a file's array is read into ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/dtype.h>

#include <vector>

namespace tenon::detail {

/// Dense elements in host memory, row-major.
struct HostArray {
  Dtype dtype;
  std::vector<int64_t> dims;
  std::vector<std::byte> data;
};

} // namespace tenon::detail
