//===- Arena.cpp - where temporaries live in a call's one block -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/Arena.h"
#include "runtime/memory/Memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

using namespace tenon::rt;

namespace {
/// The gaps below `end`, by offset and by size.
class Gaps {
public:
  explicit Gaps(size_t start) : end(start) {}

  size_t take(size_t bytes) {
    auto fit = bySize.lower_bound({bytes, 0});
    if (fit == bySize.end())
      return grow(bytes);
    auto [size, offset] = *fit;
    remove(offset, size);
    if (size > bytes)
      insert(offset + bytes, size - bytes);
    return offset;
  }

  void give(size_t offset, size_t bytes) {
    auto next = byOffset.lower_bound(offset);
    if (next != byOffset.end() && next->first == offset + bytes) {
      bytes += next->second;
      remove(next->first, next->second);
    }
    next = byOffset.lower_bound(offset);
    if (next != byOffset.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        offset = previous->first;
        bytes += previous->second;
        remove(previous->first, previous->second);
      }
    }
    insert(offset, bytes);
  }

  size_t end;

private:
  /// A gap at the very end is made larger rather than passed by.
  size_t grow(size_t bytes) {
    size_t offset = end;
    if (!byOffset.empty())
      if (auto last = std::prev(byOffset.end()); last->first + last->second == end) {
        offset = last->first;
        remove(last->first, last->second);
      }
    end = addSizes(offset, bytes);
    return offset;
  }
  void insert(size_t offset, size_t bytes) {
    byOffset.emplace(offset, bytes);
    bySize.emplace(bytes, offset);
  }
  void remove(size_t offset, size_t bytes) {
    byOffset.erase(offset);
    bySize.erase({bytes, offset});
  }

  std::map<size_t, size_t> byOffset;
  std::set<std::pair<size_t, size_t>> bySize;
};
} // namespace

size_t tenon::rt::placeBlocks(std::span<ArenaBlock> blocks, size_t start) {
  Gaps gaps(roundedToArena(start));
  std::vector<uint32_t> byFirst(blocks.size()), byLast(blocks.size());
  std::iota(byFirst.begin(), byFirst.end(), 0);
  byLast = byFirst;
  std::sort(byFirst.begin(), byFirst.end(),
            [&](uint32_t a, uint32_t b) { return std::pair(blocks[a].first, a) < std::pair(blocks[b].first, b); });
  std::sort(byLast.begin(), byLast.end(),
            [&](uint32_t a, uint32_t b) { return std::pair(blocks[a].last, a) < std::pair(blocks[b].last, b); });
  std::vector<bool> handedOn(blocks.size());
  for (const ArenaBlock &block : blocks)
    if (block.successorOf != ArenaBlock::noBlock)
      handedOn[block.successorOf] = true;
  size_t dead = 0;
  for (uint32_t i : byFirst) {
    ArenaBlock &block = blocks[i];
    for (; dead < byLast.size() && blocks[byLast[dead]].last < block.first; ++dead)
      if (const ArenaBlock &gone = blocks[byLast[dead]]; gone.bytes && !handedOn[byLast[dead]])
        gaps.give(gone.offset, roundedToArena(gone.bytes));
    if (block.bytes == 0)
      block.offset = roundedToArena(start);
    else
      block.offset = block.successorOf != ArenaBlock::noBlock ? blocks[block.successorOf].offset
                                                              : gaps.take(roundedToArena(block.bytes));
    if (gaps.end > PTRDIFF_MAX)
      return SIZE_MAX;
  }
  return gaps.end;
}
