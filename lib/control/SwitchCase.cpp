//===- SwitchCase.cpp - switch_case: one of several bodies, by number -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/Branches.h"
#include "lib/program/EagerRegions.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

/// The branch of a value of the index: the nearest that there is.
static size_t branchOf(const Array &index, size_t branches, Location at) {
  return static_cast<size_t>(std::clamp<int64_t>(index.item<int64_t>(at), 0, static_cast<int64_t>(branches) - 1));
}

OwnedTree detail::run_switch_case(const Operand &index, std::span<const TreeFunction> branches,
                                  std::span<const TreeRef> operands) {
  Location at = index.location();
  const std::string expected = "switch_case: expected a rank-0 i32 or i64 as index, got ";
  const bool isInteger = index.is_scalar() && index.scalar().kind() == Kind::integer;
  Array asked = !isInteger ? arrayOf(index)
                : index.scalar().huge()
                    ? Array(Scalar(INT64_MAX), i64, at) // past the last branch, as what it stands for
                    : Array(index.scalar(), i64, at);
  if (!asked.has_value())
    throw Error(expected + "an empty Array", userLocation(at));
  if (Type type = typeOf(asked.value()); (type.dtype != i32 && type.dtype != i64) || type.shape.rank() != 0) {
    throw Error(expected + type.str(), userLocation(at));
  } else if (type.dtype != i64) {
    LocationScope scope("", at);
    asked = astype(asked, i64);
  }
  Choice choice(OpCode::switch_case, asked, index.is_scalar(), branches, operands, at);
  for (size_t b = 0; b < branches.size(); ++b)
    choice.names.push_back("branch " + std::to_string(b));
  std::optional<size_t> known;
  if (runsAsCpp())
    if (std::optional<Array> value = knownValue(asked))
      known = branchOf(*value, branches.size(), at);
  return runChoice(choice, known, at);
}

namespace tenon {

void interpretSwitchCase(const Bind &bind, std::span<Array> results) {
  evaluateRegion(bind, branchOf(Array::share(bind.operands[0]), bind.regions.size(), bind.at), results);
}

RegionVjp vjpSwitchCase(const Bind &bind, const std::vector<bool> &wanted) { return vjpBranches(bind, wanted); }

RegionBatch batchSwitchCase(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  return batchBranches(bind, batched, size, [](const Array &index, size_t branch, size_t branches) {
    const auto number = static_cast<int64_t>(branch);
    if (branches == 1)
      return full(index.shape(), true, Dtype::bool_, index.device());
    return branch == 0              ? less_equal(index, 0)
           : branch + 1 == branches ? greater_equal(index, number)
                                    : equal(index, number);
  });
}

} // namespace tenon
