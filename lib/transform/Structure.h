//===- Structure.h - comparing the structures of whole argument lists ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::detail {

/// The first difference in each argument, static values too, of two lists of
/// structures one after another: `arg 1: n: expected 1, got 2`.
std::vector<std::string> argumentDifferences(std::string_view expected, std::string_view got);

} // namespace tenon::detail
