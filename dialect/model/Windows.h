//===- Windows.h - where the windows of a gather or scatter lie ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One description for both: a gather reads the windows of x into the windowed array
// (its result), a scatter writes those of the windowed array (its updates) into x.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include <tenon/modes.h>

#include <string>

namespace tenon {

/// What becomes of a window that is not inside of x.
enum class Outside : uint8_t {
  clip,  ///< it is moved inside
  skip,  ///< elements outside are not read or written
  error, ///< starts below 0 count from the end; a window outside is a failure
};

/// The attributes that say where windows lie.
struct WindowDims {
  /// The windows' axes in the windowed array, and the axes of x that they lack.
  std::span<const int64_t> windowDims, droppedDims;
  /// The axis of x of each index.
  std::span<const int64_t> indexMap;
  /// Axes of x, and the axes of the indices that say the place along them.
  std::span<const int64_t> batchingDims, indicesBatchingDims;
  /// The name of an IndexMode: `error`, `clip` or `drop`.
  std::string_view mode;
};

/// The same, read: what becomes of each axis of x and of the windowed array.
struct WindowMap {
  struct Axis {
    /// The axis of the windowed array that it is; -1: windows have one element of it.
    int8_t windowed = -1;
    /// Which index is the start along it; -1: none.
    int8_t index = -1;
    /// The axis of the indices whose place is the one along it; -1: none.
    int8_t batch = -1;
  };
  /// By axis of x.
  Axis axes[max_rank];
  /// By axis of the windowed array: the axis of the indices; -1: of the windows.
  int8_t indicesAxis[max_rank];
  int windowedRank = 0;
  Outside outside = Outside::clip;
};

struct GatherAttrs;

/// The index mode with this name, which readWindows accepted.
IndexMode indexModeOf(std::string_view name);

WindowDims windowsOf(const GatherAttrs &attributes);
/// Of any of the scatters.
WindowDims windowsOfScatter(AttrWords words);

/// Reads them for an x and indices of these ranks. The sentence of an error, or "".
std::string readWindows(const WindowDims &dims, bool isGather, int rank, int indicesRank, WindowMap &map);

} // namespace tenon
