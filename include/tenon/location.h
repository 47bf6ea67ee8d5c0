//===- location.h - where in the user's program an op was written ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <source_location>

namespace tenon {

/// A position in the user's source: file, line, column. `file` points to a string with static lifetime, as
/// __builtin_FILE gives it.
struct Location {
  const char *file = "";
  unsigned line = 0;
  unsigned column = 0;

  constexpr Location() = default;
  constexpr Location(const std::source_location &at) : file(at.file_name()), line(at.line()), column(at.column()) {}
  /// The position of the caller, when used as a default argument.
  static constexpr Location current(const std::source_location &at = std::source_location::current()) { return at; }
  constexpr bool known() const { return line != 0; }
};

} // namespace tenon
