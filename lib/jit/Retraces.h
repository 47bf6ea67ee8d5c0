//===- Retraces.h - what is said of a function that is traced again -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/Fork.h"
#include "lib/jit/Entry.h"
#include "lib/program/Log.h"

#include <map>
#include <set>
#include <span>
#include <string>

namespace tenon::detail {

/// Of some entries the one whose signature differs least from that of a call, and how.
struct Nearest {
  EntryRef entry; ///< null: there are none
  std::string difference;
};
Nearest nearest(std::span<const EntryRef> entries, const Signature &signature, const JitCall &call);

/// The log's lines about one jitted function, and its warnings, each said once.
class Retraces {
public:
  explicit Retraces(const std::string &name) : name_(name) {}

  /// A call is traced that none of the `recent` entries serves.
  void traced(const JitCall &call, const Signature &signature, std::span<const EntryRef> recent);
  /// What was recorded may make Variables at every call.
  void recorded(const JitPath &path);
  /// Why calls are not compiled.
  void refused(const std::string &why);
  /// Traced values outlive their recording.
  void leaked(const std::string &text);
  void say(LogTopic topic, const std::string &what) const;

private:
  /// Whether one thing alone has made calls trace again so often that it is worth a warning.
  void watch(const JitCall &call, const Signature &signature, std::span<const EntryRef> recent);

  const std::string &name_;
  /// Of what follows.
  rt::ForkLock &lock_ = rt::ForkLocks<rt::LockOrder::jit, 16>::of(this);
  /// By what alone made a call trace again: the values that it had.
  std::map<std::string, std::set<std::string>> values_;
  bool saidRefused_ = false, saidLeaked_ = false;
  /// How many recordings, the last ones, have made Variables.
  unsigned makingCalls_ = 0;
};

} // namespace tenon::detail
