//===- Idx.h - MNIST's IDX files ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two zero bytes, a type, a rank, the sizes as big-endian u32, the elements,
// big-endian and row-major. The whole may be compressed by gzip.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/io/HostArray.h"

#include <string>

namespace tenon::detail {

/// Reads u8, i8, i16, i32, f32 and f64. Throws Error with the path, what was expected
/// and what was found.
void readIdx(const std::string &path, const MakeRoom &makeRoom);

} // namespace tenon::detail
