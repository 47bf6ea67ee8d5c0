//===- Views.h - how views lie in the arrays they are of ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a view are elements of its operand, where they are. The op's
// rule says where each axis of the operand goes, in sizes that may be symbols:
// strides, what a schedule may hold, what crosses to a derivative and what kernels
// read through follow from it, and nothing else knows a view by its name.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Shape.h"

namespace tenon {

/// What becomes of one axis of the operand. Along an axis of a result to which none
/// goes, the same elements are repeated.
struct ViewAxis {
  enum Extent : uint8_t {
    whole,    ///< all of it
    repeated, ///< all of it, or, if its size is 1, that element as often as the result says
    part,     ///< from `start` on, every `step`-th, as many as the result has
    piece,    ///< a part in steps of 1; each result begins where the one before ends
  };
  /// The axis of the result; no two go to one.
  int to = 0;
  Extent extent = whole;
  Dim start = 0;
  int64_t step = 1;
};

/// How the first result of a view op lies in its operand; the others differ in
/// where their pieces begin.
struct ViewMap {
  /// Each result is its operand.
  bool isSame = false;
  /// The elements are the operand's in row-major order, whatever the shapes: the
  /// axes say nothing, and strides cannot always say it.
  bool isRowMajor = false;
  /// By axis of the operand, as many as it has.
  ViewAxis axes[max_rank];
};

/// The operand that a result of a view op is of: the only one, or of several, with a
/// result each, the one of its number.
inline size_t viewedOperand(const OpInfo &info, size_t result) { return info.variadic ? result : 0; }

struct ViewCall {
  /// Ranks of the operand and of the results.
  int from, to;
  /// They have the form that the record says; their sizes are not looked at.
  AttrWords attributes;
};

/// False if the attributes do not fit to these ranks; then `map` says nothing.
using ViewRule = bool (*)(const ViewCall &call, ViewMap &map);

/// Runs the rule of a view op, found through the generated table.
bool mapView(const OpInfo &info, const ViewCall &call, ViewMap &map);

/// From the map of a result, whose sizes are `shape`, to that of the next one.
void nextPiece(ViewMap &map, int from, const Shape &shape);

} // namespace tenon
