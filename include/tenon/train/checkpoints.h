//===- checkpoints.h - checkpoints of a run ---------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/checkpoint_file.h>

namespace tenon::train {

struct CheckpointManagerOptions {
  /// How many of the newest files stay.
  size_t keep = 5;
};

/// Saves numbered checkpoints of all of a run in a folder, and goes on from the newest: the trees that are named, and
/// the default generator, as "generator".
///
///   train::CheckpointManager manager{"runs/a", {{"model", model}, {"optimizer", optimizer}, {"data", cursor}}};
///   manager.restore_latest();
class CheckpointManager {
public:
  /// The trees are referenced and must outlive the manager.
  CheckpointManager(std::string folder, std::initializer_list<Checkpoint::Entry> entries,
                    const CheckpointManagerOptions &options = {}, Location at = Location::current());
  /// Restores the newest file; false if there is none. A file of other trees is an Error that lists the differences.
  bool restore_latest(Location at = Location::current());
  /// Writes a file and returns its path.
  std::string save(Location at = Location::current()) const;
  /// The files that are there, the newest last.
  std::optional<std::string> latest() const { return latest_checkpoint(folder_); }

private:
  std::string folder_;
  Checkpoint checkpoint_;
  size_t keep_;
};

} // namespace tenon::train
