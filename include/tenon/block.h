//===- block.h - an array of nested lists of arrays ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

#include <initializer_list>
#include <vector>

namespace tenon {

/// An array, a number, or a nested list of them: `{{a, b}, {c, 0.0f}}`.
class Blocks {
public:
  Blocks(const Array &array) : array_(array) {}
  template <detail::Number T>
  Blocks(T number) : array_(number) {}
  Blocks(std::initializer_list<Blocks> parts);
  Blocks(const std::vector<Array> &parts);

  bool is_list() const { return isList_; }
  const Array &array() const { return array_; }
  const std::vector<Blocks> &parts() const { return parts_; }

private:
  Array array_;
  std::vector<Blocks> parts_;
  bool isList_ = false;
};

/// Assembles an array from nested lists of blocks, as NumPy's `block`: innermost lists are joined along the last
/// axis, the lists around them along the axis before, and so on. All lists must have the same depth; arrays with
/// fewer axes get leading axes of size 1. Arrays are promoted to one dtype. An empty list is an Error.
[[nodiscard]] Array block(const Blocks &blocks, Location at = Location::current());

} // namespace tenon
