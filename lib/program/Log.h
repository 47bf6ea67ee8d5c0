//===- Log.h - lines about tracing and compiling ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/program.h>

#include <string>
#include <utility>
#include <vector>

namespace tenon::detail {

/// Whether somebody reads lines of this topic: warnings are read always.
bool logs(LogTopic topic);
/// One line, to the log function or standard error, if somebody reads it.
void logLine(LogTopic topic, const std::string &line);

/// While it lives, this thread's lines are kept; they are said when it ends. For who must not call the user's function
/// where others wait for it.
class HeldLog {
public:
  HeldLog();
  ~HeldLog();
  HeldLog(const HeldLog &) = delete;

private:
  friend void logLine(LogTopic topic, const std::string &line);
  HeldLog *outer_;
  std::vector<std::pair<LogTopic, std::string>> lines_;
};

} // namespace tenon::detail
