//===- Windows.cpp - where the windows of a gather or scatter lie --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Windows.h"

#include <utility>

using namespace tenon;

WindowDims tenon::windowsOf(const GatherAttrs &a) {
  return {a.offset_dims,           a.collapsed_slice_dims,        a.start_index_map,
          a.operand_batching_dims, a.start_indices_batching_dims, a.mode};
}

WindowDims tenon::windowsOfScatter(AttrWords words) {
  // The scatters differ in what they do with an update, not in their attributes.
  const ScatterAttrs a = ScatterAttrs::read(words);
  return {a.update_window_dims,  a.inserted_window_dims,          a.scatter_dims_to_operand_dims,
          a.input_batching_dims, a.scatter_indices_batching_dims, a.mode};
}

IndexMode tenon::indexModeOf(std::string_view text) {
  return text == name(IndexMode::error)  ? IndexMode::error
         : text == name(IndexMode::clip) ? IndexMode::clip
                                         : IndexMode::drop;
}

namespace {
/// What the attributes are called.
struct Names {
  const char *windowDims, *droppedDims, *indexMap, *batchingDims, *indicesBatchingDims;
};
} // namespace
static constexpr Names gatherNames = {"offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims",
                                      "start_indices_batching_dims"};
static constexpr Names scatterNames = {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
                                       "input_batching_dims", "scatter_indices_batching_dims"};

static std::string text(std::span<const int64_t> values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i)
    out += (i ? ", " : "") + std::to_string(values[i]);
  return out + "]";
}

namespace {
/// A list of axes: each once, of `rank`.
struct Axes {
  const char *name;
  std::span<const int64_t> values;
  int rank;
  bool ascend;
};
} // namespace

static std::string expect(const Axes &axes) {
  bool seen[max_rank] = {};
  int64_t before = -1;
  for (int64_t value : axes.values) {
    if (value < 0 || value >= axes.rank)
      return std::string("expected ") + axes.name + " in 0 to " + std::to_string(axes.rank - 1) + ", got " +
             text(axes.values);
    if (std::exchange(seen[value], true) || (axes.ascend && value < before))
      return std::string("expected ") + axes.name + (axes.ascend ? " in ascending order" : " without repetition") +
             ", got " + text(axes.values);
    before = value;
  }
  return "";
}

std::string tenon::readWindows(const WindowDims &dims, bool isGather, int rank, int indicesRank, WindowMap &map) {
  const Names &names = isGather ? gatherNames : scatterNames;
  const IndexMode mode = indexModeOf(dims.mode);
  if (dims.mode != name(mode))
    return "expected a mode of \"error\", \"clip\" or \"drop\", got \"" + std::string(dims.mode) + "\"";
  map.outside = mode == IndexMode::clip ? Outside::clip : mode == IndexMode::error ? Outside::error : Outside::skip;
  if (indicesRank < 1)
    return "expected indices of rank >= 1, whose last axis holds an index for each axis in " +
           std::string(names.indexMap) + ", got rank 0";
  const size_t accounted = dims.windowDims.size() + dims.droppedDims.size() + dims.batchingDims.size();
  if (accounted != static_cast<size_t>(rank))
    return std::string("expected ") + names.windowDims + ", " + names.droppedDims + " and " + names.batchingDims +
           " to account for each axis of x (" + std::to_string(rank) + "), got " + std::to_string(accounted);
  const size_t windowedRank = static_cast<size_t>(indicesRank - 1) + dims.windowDims.size();
  if (windowedRank > size_t(max_rank))
    return "expected at most " + std::to_string(max_rank) + " axes in " + (isGather ? "the result" : "updates") +
           ", got " + std::to_string(windowedRank);
  map.windowedRank = static_cast<int>(windowedRank);
  const Axes all[] = {{names.windowDims, dims.windowDims, map.windowedRank, true},
                      {names.droppedDims, dims.droppedDims, rank, true},
                      {names.batchingDims, dims.batchingDims, rank, true},
                      {names.indexMap, dims.indexMap, rank, false},
                      {names.indicesBatchingDims, dims.indicesBatchingDims, indicesRank - 1, false}};
  for (const Axes &axes : all)
    if (std::string error = expect(axes); !error.empty())
      return error;
  if (dims.batchingDims.size() != dims.indicesBatchingDims.size())
    return std::string("expected as many ") + names.indicesBatchingDims + " as " + names.batchingDims + ", got " +
           text(dims.indicesBatchingDims) + " and " + text(dims.batchingDims);

  bool isWindow[max_rank] = {};
  for (int64_t axis : dims.windowDims)
    isWindow[axis] = true;
  for (int axis = 0, next = 0; axis < map.windowedRank; ++axis)
    map.indicesAxis[axis] = isWindow[axis] ? int8_t(-1) : static_cast<int8_t>(next++);
  for (size_t i = 0; i < dims.batchingDims.size(); ++i)
    map.axes[dims.batchingDims[i]].batch = static_cast<int8_t>(dims.indicesBatchingDims[i]);
  for (size_t i = 0; i < dims.indexMap.size(); ++i) {
    if (map.axes[dims.indexMap[i]].batch >= 0)
      return std::string("expected axes in ") + names.indexMap + " or in " + names.batchingDims + ", got axis " +
             std::to_string(dims.indexMap[i]) + " in both";
    map.axes[dims.indexMap[i]].index = static_cast<int8_t>(i);
  }
  bool isDropped[max_rank] = {};
  for (int64_t axis : dims.droppedDims) {
    if (map.axes[axis].batch >= 0)
      return std::string("expected axes in ") + names.droppedDims + " or in " + names.batchingDims + ", got axis " +
             std::to_string(axis) + " in both";
    isDropped[axis] = true;
  }
  // Only now are there as many axes left as windows have.
  size_t next = 0;
  for (int axis = 0; axis < rank; ++axis)
    if (!isDropped[axis] && map.axes[axis].batch < 0)
      map.axes[axis].windowed = static_cast<int8_t>(dims.windowDims[next++]);
  return "";
}
