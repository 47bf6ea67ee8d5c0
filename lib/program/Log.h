//===- Log.h - lines about tracing and compiling ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/program.h>

#include <string>

namespace tenon::detail {

/// Whether somebody reads lines of this topic: warnings are read always.
bool logs(LogTopic topic);
/// One line, to the log function or standard error, if somebody reads it.
void logLine(LogTopic topic, const std::string &line);

} // namespace tenon::detail
