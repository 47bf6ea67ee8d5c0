//===- Space.h - iteration spaces, and where operands stand in them -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/ir/TenonDialect.h"
#include "lib/compiler/import/NamedTypes.h"

namespace tenon::compiler {

/// The sizes of a shape but for those that are 1.
using Space = llvm::SmallVector<Dim, 4>;
bool operator!=(const Space &a, const Space &b);
bool operator==(const Space &a, const Space &b);
Space squeeze(const Shape &shape);
/// False if a size is unknown: then nothing is known to be equal to it.
bool isKnown(const Space &space);
/// True if the shapes differ in sizes of 1 alone.
bool isSqueezing(const Shape &from, const Shape &to);

/// A bit for each axis of a space.
using AxisMask = uint32_t;
inline constexpr AxisMask noMask = UINT32_MAX;
/// A number of axes that no space has: where the mask does not matter.
inline constexpr size_t max_rank_axes = SIZE_MAX;
inline AxisMask fullMask(size_t axes) { return (AxisMask(1) << axes) - 1; }
inline AxisMask rowMask(size_t axes, unsigned rowAxes) { return fullMask(axes) & ~fullMask(axes - rowAxes); }

/// Where an operand's elements come from.
struct Source {
  /// The array that is read, and the axes of the space it has.
  mlir::Value base;
  AxisMask mask = 0;
  /// Or one number; then there is no base.
  ir::FullOp constant;
  bool isConstant() const { return !base; }
};
/// Whether kernels read what the view is of in its place, and how it lies there: an index
/// map, or the elements in row-major order where only sizes of 1 come and go.
bool isReadThrough(ir::ViewOpInterface view, const NamedTypes &types, ViewMap &map);
/// Looks through numbers and such views. `axes` is the
/// rank of the space, which is the operand's shape; the mask is noMask where
/// the operand has another one.
Source lookThrough(mlir::Value operand, size_t axes, const NamedTypes &types);

/// How many innermost axes of the squeezed shape a reduction over `axes` runs
/// over; none if they are not innermost, or all of size 1.
std::optional<unsigned> innermostAxes(const Shape &shape, llvm::ArrayRef<int64_t> axes);

/// A space whose axes are merged where all masks allow it: what a kernel runs.
struct Collapsed {
  int64_t outer = 0;
  /// As in the attribute `sizes` of tenon.kernel.
  llvm::SmallVector<Dim> sizes;
  /// The axes of each merged axis, outermost first; the last is the row.
  llvm::SmallVector<AxisMask> axes;
  AxisMask row = 0;
  bool hasRow(AxisMask mask) const { return row ? (mask & row) != 0 : true; }
  llvm::SmallVector<int64_t> outerAxesOf(AxisMask mask) const;
};
/// `rowAxes` axes are the row; 0: as many as merge.
Collapsed collapse(const Space &space, unsigned rowAxes, llvm::ArrayRef<AxisMask> masks);

} // namespace tenon::compiler
