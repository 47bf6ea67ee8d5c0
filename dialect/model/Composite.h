//===- Composite.h - the composites that are one op, by name ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op `composite` has a name, attributes and a decomposition as its region. A
// name that a record has is registered: its attributes have names and kinds, as an
// op's have, and a kernel and rules may stand for its decomposition. Any other name
// is a label of its region and has no attributes.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include <string>

namespace tenon {

// Made from the records, below.
enum class CompositeId : uint16_t;

/// One record, as data.
struct CompositeInfo {
  const char *name;
  std::span<const char *const> operands;
  std::span<const AttrInfo> attributes;
  /// Of the operands.
  DtypeSet dtypes;
  /// Bits of the operands, then (from bit 16) of the result, whose values the
  /// derivative reads.
  uint32_t needs;
};

/// Null: not registered.
const CompositeInfo *findComposite(std::string_view name);
const CompositeInfo &compositeInfo(CompositeId id);
CompositeId idOf(const CompositeInfo &info);
/// All records, by id.
std::span<const CompositeInfo> allComposites();

/// The longest name of a composite, in bytes.
inline constexpr size_t maxCompositeName = 128;
/// Empty if a composite may have this name, of at most `limit` characters: letters,
/// digits, `_`, `.` and `-`.
std::string checkCompositeName(std::string_view name, size_t limit = maxCompositeName);
/// Empty if a composite may have this name and the words of these attributes.
std::string checkComposite(std::string_view name, AttrWords attributes);

} // namespace tenon

// enum class CompositeId : uint16_t { softmax, ... };
// struct SoftmaxAttrs { int64_t axis; ... };
#include "dialect/model/Composites.gen.h"
