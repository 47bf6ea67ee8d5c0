//===- Space.cpp - iteration spaces, and where operands stand in them -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/group/Space.h"

using namespace tenon;
using namespace tenon::compiler;

// A size is written in one way, so equal sizes are equal words.
bool compiler::operator==(const Space &a, const Space &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Dim x, Dim y) { return x.raw() == y.raw(); });
}
bool compiler::operator!=(const Space &a, const Space &b) { return !(a == b); }

Space compiler::squeeze(const Shape &shape) {
  Space space;
  for (Dim dim : shape)
    if (dim.raw() != 1)
      space.push_back(dim);
  return space;
}

bool compiler::isKnown(const Space &space) {
  return llvm::none_of(space, [](Dim dim) { return dim.is_unknown(); });
}

bool compiler::isSqueezing(const Shape &from, const Shape &to) {
  const Space space = squeeze(from);
  return isKnown(space) && space == squeeze(to);
}

bool compiler::isReadThrough(ir::ViewOpInterface view, const NamedTypes &types, ViewMap &map) {
  const OpInfo &info = view.getInfo();
  if (!info.isSingleView() || !view.mapView(map))
    return false;
  return info.lowering == Lowering::broadcast ||
         (map.isRowMajor && isSqueezing(types.of(view->getOperand(0)).shape, types.of(view->getResult(0)).shape));
}

Source compiler::lookThrough(mlir::Value operand, size_t axes, const NamedTypes &types) {
  // The axis of the space for each axis of the value at hand; -1: none.
  llvm::SmallVector<int, 8> place;
  int next = 0;
  for (Dim dim : types.of(operand).shape)
    place.push_back(dim.raw() == 1 ? -1 : next++);
  const bool isMasked = axes == max_rank_axes || static_cast<size_t>(next) == axes;
  for (;;) {
    mlir::Operation *op = operand.getDefiningOp();
    if (auto full = llvm::dyn_cast_or_null<ir::FullOp>(op))
      return {{}, 0, full};
    auto view = llvm::dyn_cast_or_null<ir::ViewOpInterface>(op);
    ViewMap map;
    if (!view || !isReadThrough(view, types, map))
      break;
    const mlir::Value from = op->getOperand(0);
    const Shape &source = types.of(from).shape, &result = types.of(operand).shape;
    llvm::SmallVector<int, 8> before(static_cast<size_t>(source.rank()), -1), kept;
    // In row-major order the axes that are not 1 are the same, one after another.
    for (size_t axis = 0; axis < place.size(); ++axis)
      if (result[static_cast<int>(axis)].raw() != 1)
        kept.push_back(place[axis]);
    size_t next = 0;
    for (size_t axis = 0; axis < before.size(); ++axis)
      if (source[static_cast<int>(axis)].raw() != 1)
        before[axis] = map.isRowMajor ? kept[next++] : place[static_cast<size_t>(map.axes[axis].to)];
    place = before;
    operand = from;
  }
  Source found{operand, 0, {}};
  for (int axis : place)
    if (axis >= 0)
      found.mask |= AxisMask(1) << axis;
  if (!isMasked)
    found.mask = noMask;
  return found;
}

std::optional<unsigned> compiler::innermostAxes(const Shape &shape, llvm::ArrayRef<int64_t> axes) {
  std::vector<int64_t> wanted;
  // Over no axis a reduction has no row.
  if (axes.empty() || !normalizeAxes({axes.data(), axes.size()}, shape.rank(), wanted).empty())
    return std::nullopt;
  unsigned count = 0;
  bool isInner = true;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis].raw() == 1)
      continue;
    const bool isReduced = llvm::is_contained(wanted, axis);
    if (isReduced && !isInner)
      return std::nullopt;
    isInner = isReduced;
    count += isReduced;
  }
  return count ? std::optional(count) : std::nullopt;
}

Collapsed compiler::collapse(const Space &space, unsigned rowAxes, llvm::ArrayRef<AxisMask> masks) {
  Collapsed out;
  llvm::SmallVector<Dim> merged;
  for (size_t axis = 0; axis < space.size(); ++axis) {
    bool isApart = axis == 0 || (rowAxes && axis == space.size() - rowAxes);
    for (AxisMask mask : masks)
      isApart |= axis > 0 && (mask >> axis & 1) != (mask >> (axis - 1) & 1);
    if (isApart) {
      out.axes.push_back(0);
      merged.push_back(1);
    }
    out.axes.back() |= AxisMask(1) << axis;
    merged.back() *= space[axis];
  }
  if (space.empty()) {
    out.sizes = {1};
    return out;
  }
  out.row = out.axes.back();
  out.outer = static_cast<int64_t>(out.axes.size()) - 1;
  Dim rows = 1;
  for (int64_t axis = 0; axis < out.outer; ++axis)
    rows *= merged[static_cast<size_t>(axis)];
  // A reduction of everything is one row.
  if (rowAxes && out.outer == 0) {
    out.outer = 1;
    out.sizes = {1, merged.back()};
    return out;
  }
  if (out.outer)
    out.sizes.push_back(rows);
  for (size_t axis = 1; axis + 1 < merged.size(); ++axis)
    out.sizes.push_back(merged[axis]);
  out.sizes.push_back(merged.back());
  return out;
}

llvm::SmallVector<int64_t> Collapsed::outerAxesOf(AxisMask mask) const {
  llvm::SmallVector<int64_t> found;
  for (size_t axis = 0; axis + 1 < axes.size(); ++axis)
    if (mask & axes[axis])
      found.push_back(static_cast<int64_t>(axis));
  return found;
}
