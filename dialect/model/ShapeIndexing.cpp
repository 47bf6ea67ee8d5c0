//===- ShapeIndexing.cpp - shape rules of gathers, scatters and dynamic slices -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"
#include "dialect/model/Windows.h"

using namespace tenon;

static std::string expectIndices(const Type &indices) {
  return indices.dtype == Dtype::i32 || indices.dtype == Dtype::i64
             ? ""
             : "expected indices of dtype i32 or i64, got " + indices.str();
}

/// What x, the indices and the map have to do with each other, for both.
static std::string expectWindows(const WindowDims &dims, const WindowMap &map, const Type &x, const Type &indices) {
  if (std::string error = expectIndices(indices); !error.empty())
    return error;
  const auto count = static_cast<int64_t>(dims.indexMap.size());
  if (provably_equal(indices.shape[-1], count) != Always::yes)
    return "expected " + std::to_string(count) +
           " indices along the last axis, one for each axis of x that is indexed, got " + indices.str();
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    if (int batch = map.axes[axis].batch;
        batch >= 0 && provably_equal(x.shape[axis], indices.shape[batch]) != Always::yes)
      return "expected axis " + std::to_string(batch) + " of the indices as long as axis " + std::to_string(axis) +
             " of x, got " + indices.str() + " and " + x.str();
  return "";
}

/// Whether a window fits into x along an axis. One without elements lacks the one that a
/// dropped axis has.
static std::string expectWindow(const ShapeCall &call, const Type &x, int axis, Dim size, bool isDropped) {
  auto sentence = [&] {
    return "expected windows of at most " + x.shape[axis].str() + " elements along axis " + std::to_string(axis) +
           ", got " + size.str();
  };
  if (!isDropped && !mayHold(call, size, x.shape[axis], sentence))
    return sentence();
  return "";
}

namespace tenon {

std::string inferGather(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0], &indices = call.operands[1];
  const GatherAttrs a = GatherAttrs::read(call.attributes);
  const WindowDims dims = windowsOf(a);
  WindowMap map;
  if (std::string error = readWindows(dims, true, x.shape.rank(), indices.shape.rank(), map); !error.empty())
    return error;
  if (std::string error = expectWindows(dims, map, x, indices); !error.empty())
    return error;
  if (a.slice_sizes.size() != static_cast<size_t>(x.shape.rank()))
    return "expected a slice size for each axis of x (" + std::to_string(x.shape.rank()) + "), got " +
           std::to_string(a.slice_sizes.size());
  if (a.fill_value.kind > kind(x.dtype))
    return "expected a fill value of the kind of " + std::string(short_name(x.dtype));
  Shape shape;
  for (int i = 0; i < map.windowedRank; ++i)
    shape.push_back(map.indicesAxis[i] >= 0 ? indices.shape[map.indicesAxis[i]] : Dim(1));
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const Dim size = a.slice_sizes[static_cast<size_t>(axis)];
    const int to = map.axes[axis].windowed;
    if (to < 0 && size.raw() != 1)
      return "expected a slice size of 1 for axis " + std::to_string(axis) + ", which the result has not, got " +
             size.str();
    auto negative = [&] { return "expected slice sizes >= 0, got " + size.str(); };
    if (!mayHold(call, 0, size, negative))
      return negative();
    if (std::string error = expectWindow(call, x, axis, size, to < 0); !error.empty())
      return error;
    if (to >= 0)
      shape.at(to) = size;
  }
  results.push_back({x.dtype, x.device, shape});
  return "";
}

std::string inferScatter(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0], &indices = call.operands[1], &updates = call.operands[2];
  const WindowDims dims = windowsOfScatter(call.attributes);
  WindowMap map;
  if (std::string error = readWindows(dims, false, x.shape.rank(), indices.shape.rank(), map); !error.empty())
    return error;
  if (std::string error = expectWindows(dims, map, x, indices); !error.empty())
    return error;
  if (updates.dtype != x.dtype)
    return "expected updates of x's dtype, got " + updates.str() + " for " + x.str();
  bool fits = updates.shape.rank() == map.windowedRank;
  for (int i = 0; fits && i < map.windowedRank; ++i)
    fits = map.indicesAxis[i] < 0 || provably_equal(updates.shape[i], indices.shape[map.indicesAxis[i]]) == Always::yes;
  if (!fits)
    return "expected updates with the axes of the indices but the last, and " + std::to_string(dims.windowDims.size()) +
           " of windows, got " + updates.str() + " for indices " + indices.str();
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    if (int from = map.axes[axis].windowed; from >= 0)
      if (std::string error = expectWindow(call, x, axis, updates.shape[from], false); !error.empty())
        return error;
  results.push_back(x);
  return "";
}

/// As many starts as axes: rank 0, of one dtype.
static std::string expectStarts(std::span<const Type> starts, int rank) {
  if (starts.size() != static_cast<size_t>(rank))
    return "expected a start for each axis of x (" + std::to_string(rank) + "), got " + std::to_string(starts.size());
  for (const Type &start : starts) {
    if (std::string error = expectIndices(start); !error.empty())
      return error;
    if (start.shape.rank() != 0 || start.dtype != starts[0].dtype)
      return "expected starts of rank 0 and one dtype, got " + start.str();
  }
  return "";
}

std::string inferDynamicSlice(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  const std::span<const Dim> sizes = DynamicSliceAttrs::read(call.attributes).slice_sizes;
  if (std::string error = expectStarts(call.operands.subspan(1), x.shape.rank()); !error.empty())
    return error;
  if (sizes.size() != static_cast<size_t>(x.shape.rank()))
    return "expected a slice size for each axis of x (" + std::to_string(x.shape.rank()) + "), got " +
           std::to_string(sizes.size());
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const Dim size = sizes[static_cast<size_t>(axis)];
    auto negative = [&] { return "expected slice sizes >= 0, got " + size.str(); };
    if (!mayHold(call, 0, size, negative))
      return negative();
    if (std::string error = expectWindow(call, x, axis, size, false); !error.empty())
      return error;
  }
  results.push_back({x.dtype, x.device, Shape(sizes)});
  return "";
}

std::string inferDynamicUpdateSlice(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0], &update = call.operands[1];
  if (std::string error = expectStarts(call.operands.subspan(2), x.shape.rank()); !error.empty())
    return error;
  if (update.dtype != x.dtype || update.shape.rank() != x.shape.rank())
    return "expected an update of x's rank and dtype, got " + update.str() + " for " + x.str();
  for (int axis = 0; axis < x.shape.rank(); ++axis)
    if (std::string error = expectWindow(call, x, axis, update.shape[axis], false); !error.empty())
      return error;
  results.push_back(x);
  return "";
}

} // namespace tenon
