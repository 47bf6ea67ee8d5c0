//===- SizeWatch.h - what is asked of sizes that symbols have no answer to ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/location.h>

#include <string>
#include <string_view>

namespace tenon::detail {

/// While it stands on this thread, it notes each Error that is made, caught or not, and each question about a symbolic
/// size that has an answer and might have another one for a number.
class SizeWatch {
public:
  SizeWatch() : outer_(current_) { current_ = this; }
  SizeWatch(const SizeWatch &) = delete;
  SizeWatch &operator=(const SizeWatch &) = delete;
  ~SizeWatch() { current_ = outer_; }

  static void note(std::string_view what, Location at = {}) {
    if (current_) [[unlikely]]
      current_->add(what, at);
  }
  bool hasNoted() const { return !text_.empty(); }
  /// The last one, and its line.
  const std::string &text() const { return text_; }
  Location place() const { return at_; }

private:
  void add(std::string_view what, Location at);
  static constinit thread_local SizeWatch *current_;
  SizeWatch *outer_;
  std::string text_;
  Location at_;
};

} // namespace tenon::detail
