//===- Recordings.cpp - what bodies without state have recorded -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Recordings.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

// One for each type of body: never destroyed, as nothing of ours at exit.
Recordings &detail::make_recordings() { return *new Recordings; }

std::optional<Record::Result> Recordings::find(const Key &key, RegionBody &body) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &entry) { return entry.key == key; });
  if (found == entries_.end())
    return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found);
  body.restore(found->result.get());
  return found->recorded;
}

void Recordings::add(Key key, Record::Result recorded, const RegionBody &body) {
  std::unique_ptr<const KeptResult> result(body.keep());
  std::lock_guard lock(mutex_);
  entries_.push_front({std::move(key), std::move(recorded), std::move(result)});
  if (entries_.size() > most)
    entries_.pop_back();
}
