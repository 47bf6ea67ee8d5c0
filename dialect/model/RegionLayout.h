//===- RegionLayout.h - the operands of a region op, by what becomes of them ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The record of a region op says which operands go into which region and how
// (`groups`, `bodies`). Here that is read for one op: shape rules, the import,
// the check of a schedule and its plan ask this, none of them an op's name.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Shape.h"

namespace tenon {

class RegionLayout {
public:
  struct Group {
    size_t begin = 0, size = 0;
    Flow flow = Flow::passed;
  };
  /// The layout of an op with so many array operands and these attributes, which
  /// were checked; the text says what is wrong, "" is success.
  std::string read(const OpInfo &info, size_t operands, AttrWords attributes);

  const Group &group(size_t number) const { return groups_[number]; }
  /// The operands that are carried; empty if none are.
  Group carries() const;
  /// The operands that region `number` takes, in order.
  std::vector<size_t> inputsOf(size_t number) const;
  Flow flowOf(size_t operand) const;
  /// Whether a result can depend on the value of an operand otherwise than by
  /// which region runs, or how often.
  bool reachesResults(size_t operand) const;

private:
  const OpInfo *info_ = nullptr;
  std::vector<Group> groups_;
};

/// The words of the op's attributes from number `attribute` on.
AttrReader attributesFrom(const OpInfo &info, AttrWords attributes, size_t attribute);
/// The number of rounds of an op that has one.
inline std::span<const Dim> roundsOf(const OpInfo &info, AttrWords attributes) {
  return attributesFrom(info, attributes, static_cast<size_t>(info.rounds)).readDims();
}

/// Whether a group of the op's operands is carried: it is a loop.
bool isLoop(const OpInfo &info);
/// Whether the op runs its one region once, on all its operands: by itself the
/// region is the same program.
bool isRegionAlone(const OpInfo &info);

/// The types of the inputs of region `number` of an op on these operands; the
/// attributes have a layout. `before`: the types of the regions before it, which a rule
/// takes values of.
std::vector<Type> regionInputs(const OpInfo &info, size_t number, std::span<const Type> operands, AttrWords attributes,
                               std::span<const RegionType> before = {});
/// Of these types those whose values have tangents and cotangents.
std::vector<Type> differentiableOf(std::span<const Type> types);

/// `what` (the inputs or outputs of a region) must be `expected`; the text says what is not.
std::string expectTypes(const std::string &what, std::span<const Type> got, std::span<const Type> expected);
/// What is shared by the shape rules of region ops: each region takes what the
/// record says and returns what the record says; appends the types of the results.
std::string inferRegions(const ShapeCall &call, std::vector<Type> &results);

} // namespace tenon
