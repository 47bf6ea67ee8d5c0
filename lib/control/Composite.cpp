//===- Composite.cpp - composite: a user's function as one op -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Composite.h"
#include "lib/control/RegionBody.h"

using namespace tenon;
using namespace tenon::detail;

/// No registered name starts so.
static constexpr std::string_view prefix = "user.";

std::string detail::composite_name(std::string_view name, Location at) {
  if (std::string error = checkCompositeName(name, maxCompositeName - prefix.size()); !error.empty())
    throw Error("composite: " + error, userLocation(at));
  return std::string(prefix) + std::string(name);
}

OwnedTree detail::run_composite(const std::string &name, const TreeFunction &function,
                                std::span<const TreeRef> operands, Location at) {
  const Arguments arguments(operands, true);
  const std::vector<Array> given = arguments.arrays();
  auto names = [&](size_t leaf) { return arguments.name(leaf); };
  std::vector<Type> types = typesOf(name, given, names, at);
  RegionBody body(function, operands, at);
  // Nothing is recorded that it would be one op of: its ops run, or are transformed,
  // as they come.
  if (!innermostRecord()) {
    const std::vector<Array> results = runHere(name, body, given, types, at);
    return withArrays(std::move(body.result), results);
  }
  return bindBody(OpCode::composite, wordsOf(CompositeAttrs{name, {}}), name, body, given, types, names, at);
}
