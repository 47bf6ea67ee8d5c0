//===- Combination.cpp - a user's function of two elements ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/Combination.h"

#include "lib/base/Describe.h"

using namespace tenon;
using namespace tenon::detail;

void FunctionOfTwo::fail(const std::string &sentence) const {
  throw Error(std::string(name_) + ": " + sentence, userLocation(at_));
}

ArrayList FunctionOfTwo::arraysIn(TreeRef tree) const {
  ArrayList arrays = arraysOf(tree, false);
  for (const Array &array : arrays)
    if (!array.has_value())
      fail("expected arrays, got an empty Array");
  return arrays;
}

ArrayList FunctionOfTwo::someArraysIn(TreeRef tree) const {
  ArrayList arrays = arraysIn(tree);
  if (arrays.empty())
    fail("expected an array at least, got none");
  return arrays;
}

void FunctionOfTwo::expectOneShape(const ArrayList &arrays) const {
  for (const Array &array : arrays)
    if (provably_equal(array.shape(), arrays[0].shape()) != Always::yes)
      fail("expected arrays of one shape, got " + arrays[0].shape().str() + " and " + array.shape().str());
}

int FunctionOfTwo::axisOf(const Array &x, int64_t axis) const {
  const int rank = x.ndim();
  if (axis < -rank || axis >= rank)
    fail("axis " + std::to_string(axis) + " is out of range for an array of rank " + std::to_string(rank));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

OwnedTree FunctionOfTwo::call(const ArrayList &a, const ArrayList &b) const {
  ArrayList both = a;
  both.insert(both.end(), b.begin(), b.end());
  return arguments_.call(function_, both, at_);
}

ArrayList TreeCombination::operator()(const ArrayList &a, const ArrayList &b) const {
  const OwnedTree result = call(a, b);
  StructureBytes expected, got;
  tree().ops->structure(tree().tree, expected);
  result.ref().ops->structure(result.ref().tree, got);
  if (expected.view() != got.view())
    fail("the function must return the structure that it takes: " +
         structure_difference(expected.view(), got.view(), true));
  ArrayList arrays = arraysOf(result.ref(), false);
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!arrays[i].has_value())
      fail("expected the function to return arrays, got an empty Array");
    if (arrays[i].dtype() != a[i].dtype() || provably_equal(arrays[i].shape(), a[i].shape()) != Always::yes)
      fail("expected the function to return " + describe(a[i].dtype(), a[i].shape()) + ", as its arguments, got " +
           describe(arrays[i].dtype(), arrays[i].shape()));
  }
  return arrays;
}

Array Precedence::operator()(const ArrayList &a, const ArrayList &b) const {
  const Array result = arraysOf(call(a, b).ref(), false)[0];
  const std::string expected = "expected the function to return " + describe(Dtype::bool_, a[0].shape()) +
                               ", true where the first argument comes before the second, got ";
  if (!result.has_value())
    fail(expected + "an empty Array");
  if (result.dtype() != Dtype::bool_ || provably_equal(result.shape(), a[0].shape()) != Always::yes)
    fail(expected + describe(result.dtype(), result.shape()));
  return result;
}
