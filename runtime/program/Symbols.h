//===- Symbols.h - the table of runtime symbols -----------------*- C++ -*-===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and addresses of what a kernel may call, both made from Symbols.def.
// The compiler's linker needs the names only, so they live in this header;
// the addresses are the runtime's.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tenon::rt {

/// The names in table order; a blob refers to them by index.
inline constexpr std::string_view kRuntimeSymbolNames[] = {
#define TENON_RUNTIME_SYMBOL(name, address) name,
#include "Symbols.def"
};

inline constexpr std::size_t kRuntimeSymbolCount = sizeof(kRuntimeSymbolNames) / sizeof(kRuntimeSymbolNames[0]);

/// Finds the row of `name`, or nothing if kernels may not call it.
constexpr std::optional<std::size_t> findRuntimeSymbol(std::string_view name) {
  for (std::size_t i = 0; i < kRuntimeSymbolCount; ++i)
    if (kRuntimeSymbolNames[i] == name)
      return i;
  return std::nullopt;
}

/// The address of row `index`, which must be below kRuntimeSymbolCount.
const void *runtimeSymbolAddress(std::size_t index);

} // namespace tenon::rt
