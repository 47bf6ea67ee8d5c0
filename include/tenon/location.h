//===- location.h - where in the user's program an op was written ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <source_location>

namespace tenon {

/// A place in the user's source: file, line, column. The file is a pointer to a
/// string that lives as long as the program (what __builtin_FILE gives).
struct Location {
  const char *file = "";
  unsigned line = 0;
  unsigned column = 0;

  constexpr Location() = default;
  constexpr Location(const std::source_location &at) : file(at.file_name()), line(at.line()), column(at.column()) {}
  /// The caller's place, when used as a default argument.
  static constexpr Location current(const std::source_location &at = std::source_location::current()) { return at; }
  constexpr bool known() const { return line != 0; }
};

} // namespace tenon
