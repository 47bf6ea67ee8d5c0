//===- Call.cpp - the arguments and the tracing of one call --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/Call.h"

#include "lib/tree/Structure.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

JitCall::JitCall(const TreeFunction &function, std::span<const JitArgument> arguments,
                 std::span<const std::string> names, const Location &at)
    : function(function), arguments(arguments), names(names), at(at) {
  leaves.reserve(arguments.size());
  values.reserve(arguments.size());
  bool areAllDense = true, isAnyTraced = false, isAnyRvalue = false;
  auto add = [&](Array *array, const JitArgument &argument) {
    Value *const value = array->value();
    leaves.push_back({array, &argument});
    values.push_back(value);
    isAnyRvalue |= argument.isRvalue;
    if (!value) [[unlikely]] {
      hasEmpty = true;
      return;
    }
    isAnyTraced |= !value->isBuffer();
    areAllDense &= value->isDense();
  };
  for (const JitArgument &argument : arguments) {
    const TreeRef &ref = argument.ref;
    if (argument.spec) [[unlikely]]
      isAbstract = true;
    if (ref.ops->isArray) {
      structure.append("A", 1);
      add(static_cast<Array *>(ref.tree), argument);
    } else {
      areArrays = false;
      ref.ops->structure(ref.tree, structure);
      TreeLeaves found;
      ref.ops->leaves(ref.tree, found);
      leaves.reserve(leaves.size() + found.size());
      values.reserve(leaves.size() + found.size());
      for (const TreeLeaf &leaf : found)
        add(leaf.array, argument);
    }
  }
  areDense = areAllDense;
  hasTraced = isAnyTraced;
  hasRvalue = isAnyRvalue;
}

void JitCall::hold() {
  for (size_t i = held.size(); i < values.size(); ++i)
    held.push_back(Array::share(values[i]));
}

void JitCall::letGo() {
  if (held.empty())
    return;
  if (std::ranges::equal(leaves, values, {}, [](const JitLeaf &leaf) { return leaf.array->value(); }))
    held.clear();
}

void JitCall::trace(std::span<const Array> inputs, JitTraced &out) const {
  std::vector<OwnedTree> copies;
  std::vector<void *> trees;
  for (const JitArgument &argument : arguments) {
    copies.emplace_back(argument.ref.ops->copy(argument.ref.tree, at), argument.ref.ops);
    trees.push_back(copies.back().get());
    assign_leaves(copies.back().ref(), inputs, true);
  }
  OwnedTree result = function(at, trees.data());
  if (result.get()) {
    TreeLeaves leaves;
    function.result->leaves(result.get(), leaves);
    for (const TreeLeaf &leaf : leaves)
      out.results.push_back(std::exchange(*leaf.array, Array()));
    out.prototype = std::move(result);
  }
  StructureBytes after;
  for (const OwnedTree &copy : copies) {
    TreeLeaves leaves;
    copy.ref().ops->leaves(copy.get(), leaves);
    for (const TreeLeaf &leaf : leaves)
      out.leaves.push_back(*leaf.array);
    copy.ref().ops->structure(copy.get(), after);
  }
  out.structure = after.view();
}

std::vector<std::string> JitCall::paths() const {
  std::vector<std::string> all;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::vector<std::string> paths;
    arguments[i].ref.ops->paths(arguments[i].ref.tree, paths);
    for (const std::string &path : paths)
      all.push_back(argumentPath(names, i, path));
  }
  return all;
}

std::vector<ArgumentSpec> JitCall::specs(std::span<const ArgumentSpec> known) const {
  std::vector<ArgumentSpec> all(known.begin(), known.end());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].spec) {
      while (all.size() < arguments.size())
        all.push_back(as_called);
      all[i] = *arguments[i].spec;
    }
  return all;
}

OwnedTree detail::callPlainly(const TreeFunction &function, std::span<const JitArgument> arguments, Location at) {
  // What may only be read is passed as it is: the function takes it as const.
  std::vector<void *> trees;
  for (const JitArgument &argument : arguments)
    trees.push_back(argument.ref.tree);
  return function(at, trees.data());
}
