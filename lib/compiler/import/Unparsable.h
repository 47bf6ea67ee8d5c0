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

/// Where `text` holds an attribute at which MLIR 22 crashes instead of reporting
/// it: an array of index, as it stands or behind the name of a type.
std::optional<Unparsable> findUnparsable(llvm::StringRef text);

} // namespace tenon::compiler
