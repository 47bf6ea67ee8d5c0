//===- SideTable.h - names and locations beside a trace -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace's bytes leave out, so that equal programs have equal bytes. Little
// endian, 4-byte numbers; a text is its size and its characters:
//   symbols    count, names in the order in which the bytes number them
//   bodies     from the outside in, each where an op names it. Each: its name;
//              locations {file, line, column, scopes {count, text...}}; count of
//              ops (or 0), and for each the number of its location
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Trace.h"

namespace tenon {

/// Reads from start to end. What is malformed is an Error with its offset.
class SideTableReader {
public:
  explicit SideTableReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::vector<std::string> symbolNames();
  /// Adds the name and the locations that the rest of the table holds.
  void addLocations(TraceBody &body);

private:
  uint32_t number();
  /// A number of parts, each at least `least` bytes long.
  uint32_t count(size_t least);
  std::string text();
  void readBody(TraceBody &body, int depth);

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

} // namespace tenon
