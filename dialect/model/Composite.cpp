//===- Composite.cpp - the composites that are one op, by name -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Composite.h"

#include <algorithm>

namespace tenon {

#include "dialect/model/CompositeTable.gen.inc"

const CompositeInfo *findComposite(std::string_view name) {
  auto found =
      std::ranges::find(compositeTable, name, [](const CompositeInfo &info) { return std::string_view(info.name); });
  return found == std::end(compositeTable) ? nullptr : found;
}

const CompositeInfo &compositeInfo(CompositeId id) { return compositeTable[static_cast<size_t>(id)]; }

CompositeId idOf(const CompositeInfo &info) { return static_cast<CompositeId>(&info - compositeTable); }

std::span<const CompositeInfo> allComposites() { return compositeTable; }

/// Not <cctype>'s, which asks the locale.
static bool mayStandInName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

std::string checkCompositeName(std::string_view name, size_t limit) {
  if (name.empty() || name.size() > limit)
    return "expected a name of 1 to " + std::to_string(limit) + " characters, got " + std::to_string(name.size());
  const auto place = std::ranges::find_if_not(name, mayStandInName);
  if (place != name.end())
    return "expected a name of letters, digits, '_', '.' and '-', got the character of code " +
           std::to_string(static_cast<unsigned char>(*place)) + " at " + std::to_string(place - name.begin());
  return "";
}

std::string checkComposite(std::string_view name, AttrWords attributes) {
  if (std::string error = checkCompositeName(name); !error.empty())
    return error;
  const CompositeInfo *info = findComposite(name);
  std::string error = checkAttributes(info ? info->attributes : std::span<const AttrInfo>(), attributes);
  return error.empty() ? error : "'" + std::string(name) + "': " + error;
}

} // namespace tenon
