//===- Arena.h - where temporaries live in a call's one block ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenon::rt {

inline constexpr size_t arenaAlignment = 64;

constexpr size_t roundedToArena(size_t bytes) {
  return bytes > SIZE_MAX - arenaAlignment ? SIZE_MAX : (bytes + arenaAlignment - 1) & ~(arenaAlignment - 1);
}

/// A block that is in use from step `first` to step `last`, both included.
struct ArenaBlock {
  size_t bytes = 0;
  uint32_t first = 0, last = 0;
  /// Another block, of as many bytes and with last == this one's first, whose
  /// place this one takes over; or noBlock.
  static constexpr uint32_t noBlock = UINT32_MAX;
  uint32_t successorOf = noBlock;
  size_t offset = 0; ///< the answer, a multiple of arenaAlignment
};

/// Gives each block its offset, at `start` or above, so that no two which are in
/// use at the same step overlap; returns where the last one ends, or SIZE_MAX if
/// that is beyond what a size can say. Best fit among the gaps, in order of
/// `first`. Blocks of 0 bytes take no room.
size_t placeBlocks(std::span<ArenaBlock> blocks, size_t start);

} // namespace tenon::rt
