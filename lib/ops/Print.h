//===- Print.h - the host step of print ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

namespace tenon::detail {

/// What print writes: `format` with the arrays in place of its fields, and a
/// newline. The format was checked by the shape rule.
void printArrays(std::string_view format, std::span<Value *const> arrays, Location at);

} // namespace tenon::detail
