//===- LogLines.h - what Tenon logs while a test runs ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/program.h>

#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenon::test {

/// Collects the log lines of all threads while the object lives; no two live at once. Leaves out the warning that a
/// function runs uncompiled, which builds without the compiler give for every function.
class LogLines {
public:
  LogLines() : before_(set_log(collect)) { clear(); }
  ~LogLines() { set_log(before_); }
  LogLines(const LogLines &) = delete;
  LogLines &operator=(const LogLines &) = delete;

  /// The lines that contain `text`; with a topic, only the lines of that topic.
  std::vector<std::string> with(std::string_view text, std::optional<LogTopic> topic = {}) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const auto &[of, line] : lines_)
      if ((!topic || of == *topic) && line.find(text) != line.npos)
        found.push_back(line);
    return found;
  }
  std::vector<std::string> about(LogTopic topic) const { return with("", topic); }
  size_t count(std::string_view text) const { return with(text).size(); }
  /// The only line that contains `text`; "" if there is none, or more than one.
  std::string only(std::string_view text) const {
    const std::vector<std::string> found = with(text);
    return found.size() == 1 ? found[0] : "";
  }
  /// All lines, or all warnings, each followed by a line feed.
  std::string text() const { return joined(with("")); }
  std::string warnings() const { return joined(about(LogTopic::warning)); }
  void clear() {
    const std::lock_guard lock(mutex_);
    lines_.clear();
  }

private:
  static void collect(LogTopic topic, std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (line.find("runs uncompiled") == line.npos)
      lines_.emplace_back(topic, line);
  }
  static std::string joined(const std::vector<std::string> &lines) {
    std::string all;
    for (const std::string &line : lines)
      (all += line) += "\n";
    return all;
  }

  LogSink before_;
  // set_log takes a plain function.
  static inline std::mutex mutex_;
  static inline std::vector<std::pair<LogTopic, std::string>> lines_;
};

/// A test that reads the log.
struct WithLog : ::testing::Test { // tenon::testing is a namespace, too
  LogLines logged;
};

} // namespace tenon::test
