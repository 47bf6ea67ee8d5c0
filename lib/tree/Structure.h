//===- Structure.h - comparing the structures of whole argument lists ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::detail {

/// `arg 1: layers[3].kernel`, or `net.layers[3].kernel` if argument 1 has that name among `names`.
std::string argumentPath(std::span<const std::string> names, size_t argument, std::string_view path);

/// The arguments in a list of structures, in parentheses: their names, and the values of those that are static.
std::string parameterList(std::string_view structures, std::span<const std::string> names);

/// The first difference in each argument, static values too, of two lists of
/// structures one after another: `arg 1: n: expected 1, got 2`.
std::vector<std::string> argumentDifferences(std::string_view expected, std::string_view got,
                                             std::span<const std::string> names);

/// A number among the static values of the arguments that is another one now.
struct NumberChange {
  std::string path; ///< `arg 1: epoch`
  std::string was, is;
};
/// That of two lists of structures of one form which differ in it alone.
std::optional<NumberChange> changedNumber(std::string_view was, std::string_view is,
                                          std::span<const std::string> names);

} // namespace tenon::detail
