//===- Methods.cpp - functions as methods of an array -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"

#include <tenon/variable.h>

using namespace tenon;
using namespace tenon::detail;

static const Array &arrayOf(const Array &array, Location) { return array; }
static Array arrayOf(const Variable &variable, Location at) { return variable.value(at); }

/// Calls `function` with the array. `function` opens the DoorScope itself, with the user's line: an Operand made here
/// would not know that line.
template <class Self, class Function>
static auto called(const Self &self, Location at, Function function) {
  return function(arrayOf(self, at));
}

namespace tenon {
#include "lib/ops/Methods.gen.inc"

template class ArrayMethods<Array>;
template class ArrayMethods<Variable>;
} // namespace tenon

Array Array::T(Location place) const {
  DoorScope scope("", "T", place, {{"x", *this}});
  return tenon::transpose(*this);
}
Array Array::mT(Location place) const {
  DoorScope scope("", "mT", place, {{"x", *this}});
  return matrix_transpose(*this);
}
