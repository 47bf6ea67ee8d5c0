//===- Unparsable.h - what MLIR's parser must not see ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tenon::compiler {

/// A place in a text, from 1 on, and what is wrong there.
struct Unparsable {
  size_t line, column;
  std::string sentence;
};

/// Finds text at which MLIR 22 crashes instead of reporting an error:
/// - an array of index, as `array<index: 1>` or behind the name of a type;
/// - the number of a result that no op can have, `%x#4000000000`: the parser makes a table as long as the number before
///   it looks the result up, and ends the process where memory for that is missing.
std::optional<Unparsable> findUnparsable(llvm::StringRef text);

} // namespace tenon::compiler
