//===- Cond.cpp - cond: one of two bodies ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/Branches.h"
#include "lib/program/EagerRegions.h"

using namespace tenon;
using namespace tenon::detail;

OwnedTree detail::run_cond(const Operand &predicate, const TreeFunction &then, const TreeFunction &otherwise,
                           std::span<const TreeRef> operands) {
  Location at = predicate.location();
  Array asked = arrayOf(predicate);
  const std::string expected = "cond: expected a rank-0 bool as predicate";
  if (!asked.has_value())
    throw Error(expected + ", got an empty Array", userLocation(at));
  expectPredicate(expected, typeOf(asked.value()), at);
  const TreeFunction functions[] = {then, otherwise};
  Choice choice(OpCode::cond, asked, predicate.is_scalar(), functions, operands, at);
  choice.names = {"then", "otherwise"};
  std::optional<size_t> known;
  if (runsAsCpp())
    if (std::optional<Array> value = knownValue(asked))
      known = value->item<bool>(at) ? 0 : 1;
  return runChoice(choice, known, at);
}

namespace tenon {

void interpretCond(const Bind &bind, std::span<Array> results) {
  evaluateRegion(bind, Array::share(bind.operands[0]).item<bool>(bind.at) ? 0 : 1, results);
}

RegionVjp vjpCond(const Bind &bind, const std::vector<bool> &wanted) { return vjpBranches(bind, wanted); }

RegionBatch batchCond(const Bind &bind, const std::vector<bool> &batched, Dim size) {
  return batchBranches(bind, batched, size, [](const Array &predicate, size_t branch, size_t) {
    return branch == 0 ? predicate : logical_not(predicate);
  });
}

} // namespace tenon
