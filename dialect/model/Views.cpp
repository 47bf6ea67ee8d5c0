//===- Views.cpp - the rules of view ops ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Views.h"

namespace tenon {

#include "dialect/model/ViewRules.gen.inc"

bool mapView(const OpInfo &info, const ViewCall &call, ViewMap &map) { return viewRules[info.code](call, map); }

void nextPiece(ViewMap &map, int from, const Shape &shape) {
  for (int axis = 0; axis < from; ++axis)
    if (ViewAxis &moved = map.axes[axis]; moved.extent == ViewAxis::piece)
      moved.start += shape[moved.to];
}

bool viewReshape(const ViewCall &, ViewMap &map) {
  map.isRowMajor = true;
  return true;
}

bool viewBroadcastTo(const ViewCall &call, ViewMap &map) {
  // Axes are aligned at the end.
  for (int axis = 0; axis < call.from; ++axis)
    map.axes[axis] = {.to = call.to - call.from + axis, .extent = ViewAxis::repeated};
  return call.to >= call.from;
}

bool viewTranspose(const ViewCall &call, ViewMap &map) {
  std::span<const int64_t> permutation = TransposeAttrs::read(call.attributes).permutation;
  if (call.from != call.to || permutation.size() != static_cast<size_t>(call.from))
    return false;
  uint32_t seen = 0;
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] < 0 || permutation[i] >= call.from)
      return false;
    seen |= uint32_t(1) << permutation[i];
    map.axes[permutation[i]] = {.to = static_cast<int>(i)};
  }
  return seen == (uint32_t(1) << call.from) - 1;
}

bool viewSlice(const ViewCall &call, ViewMap &map) {
  const SliceAttrs slice = SliceAttrs::read(call.attributes);
  const auto rank = static_cast<size_t>(call.from);
  if (call.from != call.to || slice.starts.size() != rank || slice.stops.size() != rank || slice.steps.size() != rank)
    return false;
  for (size_t axis = 0; axis < rank; ++axis)
    map.axes[axis] = {static_cast<int>(axis), ViewAxis::part, slice.starts[axis], slice.steps[axis]};
  return true;
}

bool viewSplit(const ViewCall &call, ViewMap &map) {
  const int64_t cut = SplitAttrs::read(call.attributes).axis;
  for (int axis = 0; axis < call.from; ++axis)
    map.axes[axis] = {.to = axis, .extent = axis == cut ? ViewAxis::piece : ViewAxis::whole};
  return call.from == call.to && cut >= 0 && cut < call.from;
}

bool viewOptimizationBarrier(const ViewCall &call, ViewMap &map) {
  map.isSame = true;
  for (int axis = 0; axis < call.from; ++axis)
    map.axes[axis] = {.to = axis};
  return call.from == call.to;
}

} // namespace tenon
