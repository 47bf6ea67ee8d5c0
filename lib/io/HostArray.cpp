//===- HostArray.cpp - where a file's elements are read to ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/HostArray.h"

#include "lib/array/Text.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

int64_t detail::byteSize(std::span<const int64_t> dims, size_t itemSize, const InputStream &file) {
  int64_t size = static_cast<int64_t>(itemSize);
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      file.fail("expected sizes of at least 0, got shape " + shapeText(dims));
    empty |= dim == 0;
    if (dim != 0 && __builtin_mul_overflow(size, dim, &size))
      file.fail("expected fewer than 2^63 bytes, got shape " + shapeText(dims));
  }
  return empty ? 0 : size;
}

void detail::expectBools(std::span<const std::byte> data, const InputStream &file) {
  auto bad = std::find_if(data.begin(), data.end(), [](std::byte b) { return b > std::byte(1); });
  if (bad != data.end())
    file.fail("expected bools of 0 or 1, got " + std::to_string(std::to_integer<int>(*bad)) + " in element " +
              std::to_string(bad - data.begin()));
}
