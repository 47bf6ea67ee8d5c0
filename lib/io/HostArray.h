//===- HostArray.h - where a file's elements are read to -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/io/InputStream.h"

#include <tenon/dtype.h>

#include <cstddef>
#include <functional>
#include <span>

namespace tenon::detail {

/// Called once, when the sizes are known and the file is as long as they say:
/// memory for dense elements, row-major.
using MakeRoom = std::function<std::byte *(Dtype dtype, std::span<const int64_t> dims)>;

/// Returns the bytes of an array of these dims; throws through fail if the
/// product is past int64 or a dim is negative. A 0 among the dims does not
/// excuse the others.
int64_t byteSize(std::span<const int64_t> dims, size_t itemSize, const InputStream &file);

/// Throws through fail unless each byte is 0 or 1.
void expectBools(std::span<const std::byte> data, const InputStream &file);

} // namespace tenon::detail
