//===- Map.h - a function of each element -------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/data/Stage.h"

#include <tenon/random.h>

namespace tenon::data::detail {

/// What map, random_map and enumerate do with an element of one epoch. Several threads may do it at once.
class MapWork {
public:
  MapWork(const Callback &function, const MapSpec &spec, const ElementOps *ops, int64_t epoch);
  /// `number`: that of the element in the epoch. Exceptions name it.
  Item operator()(const Item &item, int64_t number) const;

private:
  const Callback &function_;
  const MapSpec &spec_;
  const ElementOps *ops_;
  int64_t epoch_;
  std::optional<Key> key_; ///< of the epoch
};

struct WorkersSpec {
  const char *name;
  int threads;
  /// Elements that are ready or in work at once; 0: by the number of threads.
  int64_t capacity;
  /// The most elements that a thread takes at once.
  int64_t maxBlock;
  bool isOrdered;
};
/// Elements of `source`, on which threads do `work`, or nothing. The threads start with the first element and end with
/// the walk.
WalkPtr workersWalk(WalkPtr source, std::optional<MapWork> work, const WorkersSpec &spec);

} // namespace tenon::data::detail
