//===- Arguments.h - the arrays in the arguments of a call --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/detail/transform_core.h>

#include <string>
#include <vector>

namespace tenon::detail {

/// The path of a leaf by number, asked for in errors alone; borrowed.
class LeafNames {
public:
  LeafNames() = default;
  template <class F>
  LeafNames(const F &function)
      : object_(&function),
        call_([](const void *object, size_t leaf) { return (*static_cast<const F *>(object))(leaf); }) {}
  std::string operator()(size_t leaf) const { return call_ ? call_(object_, leaf) : std::string(); }

private:
  const void *object_ = nullptr;
  std::string (*call_)(const void *, size_t) = nullptr;
};

/// The arguments of a call of which those numbered `chosen` are transformed: their
/// Array leaves, and with `keys` those of keys too.
class Arguments {
public:
  Arguments(std::span<const TreeRef> trees, std::vector<size_t> chosen, bool keys)
      : trees_(trees), chosen_(std::move(chosen)), keys_(keys) {}
  /// All of them.
  Arguments(std::span<const TreeRef> trees, bool keys);

  std::vector<Array> arrays() const;
  /// How many arrays each chosen argument has.
  std::vector<size_t> counts() const;
  /// `arg 0: layers[3].kernel` of an array.
  std::string name(size_t array) const;
  /// `0.layers[3].kernel` of each.
  std::vector<std::string> paths() const;
  /// The function's result for copies of the chosen ones with `values`.
  OwnedTree call(const TreeFunction &function, std::span<const Array> values, Location at) const;

private:
  std::span<const TreeRef> trees_;
  std::vector<size_t> chosen_;
  bool keys_;
};

/// The arrays in a tree, or their handles, and their paths.
std::vector<Array> arraysOf(const TreeRef &tree, bool keys);
std::vector<Array *> handlesOf(const TreeRef &tree, bool keys);
std::vector<std::string> pathsOf(const TreeRef &tree, bool keys);

} // namespace tenon::detail
