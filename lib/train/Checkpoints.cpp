//===- Checkpoints.cpp - checkpoints of a run -------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Interpreter.h"

#include <tenon/generator.h>
#include <tenon/train/checkpoints.h>

using namespace tenon;
using namespace tenon::train;

static std::vector<Checkpoint::Entry> withGenerator(std::initializer_list<Checkpoint::Entry> entries) {
  std::vector<Checkpoint::Entry> all(entries);
  all.emplace_back("generator", random::default_generator());
  return all;
}

CheckpointManager::CheckpointManager(std::string folder, std::initializer_list<Checkpoint::Entry> entries,
                                     const CheckpointManagerOptions &options, Location at)
    : folder_(std::move(folder)), checkpoint_(withGenerator(entries), at), keep_(options.keep) {
  if (folder_.empty() || keep_ == 0)
    throw Error("CheckpointManager: expected a folder and to keep a file at least, got " +
                    std::string(folder_.empty() ? "no folder" : "keep = 0"),
                userLocation(at));
  if (folder_.back() != '/')
    folder_ += '/';
}
bool CheckpointManager::restore_latest(Location at) {
  const std::optional<std::string> file = latest();
  if (file)
    checkpoint_.restore(*file, at).assert_consumed(at);
  return file.has_value();
}
std::string CheckpointManager::save(Location at) const { return checkpoint_.save(folder_, {.keep = keep_}, at); }
