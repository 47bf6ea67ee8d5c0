//===- Log.h - lines about tracing and compiling ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace tenon::detail {

/// TENON_JIT_LOG: 0 nothing, 1 a line per trace and compilation.
bool jitLogEnabled();
/// One line, to the log function or standard error.
void jitLog(const std::string &line);

} // namespace tenon::detail
