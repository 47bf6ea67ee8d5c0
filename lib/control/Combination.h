//===- Combination.h - a user's function of two elements ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It takes two trees like one that was given, and is called with other arrays in them:
// the elements that are to be combined or compared, side by side.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/control/RegionBody.h"

namespace tenon {

using ArrayList = std::vector<Array>;

/// What is common to a function that combines and one that compares.
class FunctionOfTwo {
public:
  FunctionOfTwo(const char *name, const detail::TreeFunction &function, detail::TreeRef tree, Location at)
      : name_(name), function_(function), trees_{tree, tree}, arguments_(trees_, false), at_(at) {}
  FunctionOfTwo(const FunctionOfTwo &) = delete;

  /// The arrays of `tree`, each of which has a value.
  ArrayList arraysIn(detail::TreeRef tree) const;
  /// The same; there is one at least.
  ArrayList someArraysIn(detail::TreeRef tree) const;
  [[noreturn]] void fail(const std::string &sentence) const;
  /// Fails unless they have one shape.
  void expectOneShape(const ArrayList &arrays) const;
  /// One axis of x, from 0 on.
  int axisOf(const Array &x, int64_t axis) const;

  /// Our own ops, at the user's line and under this name; the user's are not among them.
  template <class F>
  auto ours(F &&compute) const {
    const DoorScope scope(name_, at_);
    return compute();
  }
  template <class F>
  ArrayList ofEach(const ArrayList &arrays, F &&compute) const {
    return ours([&] {
      ArrayList results;
      for (size_t i = 0; i < arrays.size(); ++i)
        results.push_back(compute(i, arrays[i]));
      return results;
    });
  }
  Location at() const { return at_; }

protected:
  detail::OwnedTree call(const ArrayList &a, const ArrayList &b) const;
  const detail::TreeRef &tree() const { return trees_[0]; }

private:
  const char *name_;
  const detail::TreeFunction &function_;
  detail::TreeRef trees_[2];
  detail::Arguments arguments_;
  Location at_;
};

/// One that makes an element of two.
class TreeCombination : public FunctionOfTwo {
public:
  using FunctionOfTwo::FunctionOfTwo;
  ArrayList operator()(const ArrayList &a, const ArrayList &b) const;
};

/// One that says whether its first element stands before the second.
class Precedence : public FunctionOfTwo {
public:
  using FunctionOfTwo::FunctionOfTwo;
  Array operator()(const ArrayList &a, const ArrayList &b) const;
};

} // namespace tenon
