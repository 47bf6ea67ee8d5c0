//===- Recordings.h - what bodies without state have recorded ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Context.h"
#include "lib/trace/Record.h"

#include <tenon/detail/transform_core.h>

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tenon::detail {

/// The traces of one body, the least recently used of which is dropped. May be
/// used from any thread.
class Recordings {
public:
  /// What a body is recorded on.
  struct Key {
    std::string what, structure;
    std::vector<Type> types;
    Context context = Context::current();
    friend bool operator==(const Key &, const Key &) = default;
  };

  /// The trace and its constants, with the result restored in `body`.
  std::optional<Record::Result> find(const Key &key, RegionBody &body);
  void add(Key key, Record::Result recorded, const RegionBody &body);

private:
  static constexpr size_t most = 16;
  struct Entry {
    Key key;
    Record::Result recorded;
    std::unique_ptr<const KeptResult> result;
  };
  std::mutex mutex_;
  std::list<Entry> entries_; // the last used first
};

} // namespace tenon::detail
