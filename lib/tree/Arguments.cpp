//===- Arguments.cpp - the arrays in the arguments of a call ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/tree/Arguments.h"

#include "lib/trace/CapturedHandles.h"

#include <algorithm>
#include <iterator>
#include <numeric>

using namespace tenon;
using namespace tenon::detail;

std::span<const Array> detail::elements_of(const std::vector<Array> &list) { return list; }

void detail::assign_leaves(TreeRef tree, std::span<const Array> &values, bool keys) {
  for (Array *array : handlesOf(tree, keys)) {
    *array = values.front();
    values = values.subspan(1);
  }
}

std::vector<Array *> detail::handlesOf(const TreeRef &tree, bool keys) {
  TreeLeaves leaves;
  tree.ops->leaves(tree.tree, leaves);
  std::vector<Array *> handles;
  for (const TreeLeaf &leaf : leaves)
    if (keys || !leaf.isKey)
      handles.push_back(leaf.array);
  return handles;
}

std::vector<Array> detail::arraysOf(const TreeRef &tree, bool keys) {
  std::vector<Array> arrays;
  for (Array *array : handlesOf(tree, keys)) {
    noteOperand(array, {});
    arrays.push_back(*array);
  }
  return arrays;
}

std::vector<std::string> detail::pathsOf(const TreeRef &tree, bool keys) {
  TreeLeaves leaves;
  tree.ops->leaves(tree.tree, leaves);
  std::vector<std::string> all, paths;
  tree.ops->paths(tree.tree, all);
  for (size_t i = 0; i < all.size(); ++i)
    if (keys || !leaves[i].isKey)
      paths.push_back(std::move(all[i]));
  return paths;
}

Arguments::Arguments(std::span<const TreeRef> trees, bool keys) : trees_(trees), chosen_(trees.size()), keys_(keys) {
  std::iota(chosen_.begin(), chosen_.end(), size_t(0));
}

std::vector<Array> Arguments::arrays() const {
  std::vector<Array> all;
  for (size_t number : chosen_)
    std::ranges::move(arraysOf(trees_[number], keys_), std::back_inserter(all));
  return all;
}

std::vector<size_t> Arguments::counts() const {
  std::vector<size_t> counts;
  for (size_t number : chosen_)
    counts.push_back(handlesOf(trees_[number], keys_).size());
  return counts;
}

std::string Arguments::name(size_t array) const {
  for (size_t number : chosen_) {
    std::vector<std::string> paths = pathsOf(trees_[number], keys_);
    if (array < paths.size())
      return "arg " + std::to_string(number) + (paths[array].empty() ? "" : ": " + paths[array]);
    array -= paths.size();
  }
  return {};
}

std::vector<std::string> Arguments::paths() const {
  std::vector<std::string> all;
  for (const size_t number : chosen_)
    for (const std::string &path : pathsOf(trees_[number], keys_))
      all.push_back(std::to_string(number) + (path.empty() || path[0] == '[' ? "" : ".") + path);
  return all;
}

OwnedTree Arguments::call(const TreeFunction &function, std::span<const Array> values, Location at) const {
  std::vector<void *> trees;
  for (const TreeRef &ref : trees_)
    trees.push_back(ref.tree);
  std::vector<OwnedTree> copies;
  for (size_t number : chosen_) {
    const TreeRef &ref = trees_[number];
    copies.emplace_back(ref.ops->copy(ref.tree, at), ref.ops);
    trees[number] = copies.back().get();
    assign_leaves(copies.back().ref(), values, keys_);
  }
  return function(at, trees.data());
}
