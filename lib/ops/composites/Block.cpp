//===- Block.cpp - an array of nested lists of arrays ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Shaping.h"

#include <tenon/block.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

Blocks::Blocks(std::initializer_list<Blocks> parts) : parts_(parts), isList_(true) {}
Blocks::Blocks(const std::vector<Array> &parts) : parts_(parts.begin(), parts.end()), isList_(true) {}

/// How deep the lists are; in `rank` the most axes of an array.
static int depthOf(const Blocks &blocks, int &rank, Location at) {
  if (!blocks.is_list()) {
    rank = std::max(rank, toArrays({blocks.array()}, at)[0].ndim());
    return 0;
  }
  if (blocks.parts().empty())
    refuse("expected lists of one array at least, got an empty one", at);
  const int depth = depthOf(blocks.parts()[0], rank, at);
  for (const Blocks &part : blocks.parts())
    if (const int other = depthOf(part, rank, at); other != depth)
      refuse("expected lists that are nested alike, got one " + std::to_string(other) + " deep beside one " +
                 std::to_string(depth) + " deep",
             at);
  return depth + 1;
}

/// What lists that are `depth` deep make, with `rank` axes.
static Array joined(const Blocks &blocks, int depth, int rank, Location at) {
  if (!blocks.is_list()) {
    Shape shape = blocks.array().shape();
    while (shape.rank() < rank)
      shape.insert(0, 1, at);
    return reshape(blocks.array(), shape);
  }
  std::vector<Array> parts;
  for (const Blocks &part : blocks.parts())
    parts.push_back(joined(part, depth - 1, rank, at));
  return concatenate(parts, -depth, at);
}

Array tenon::block(const Blocks &blocks, Location at) {
  DoorScope scope("block", at);
  int rank = 0;
  const int depth = depthOf(blocks, rank, at);
  return joined(blocks, depth, std::max(rank, depth), at);
}
