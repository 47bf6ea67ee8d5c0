//===- Error.cpp - what Tenon throws ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/error.h>

using namespace tenon;

static std::string withPlace(const std::string &message, Location at) {
  if (!at.known())
    return message;
  return message + "\n  at " + at.file + ":" + std::to_string(at.line) +
         (at.column ? ":" + std::to_string(at.column) : std::string());
}

Error::Error(const std::string &message, Location at)
    : std::runtime_error(withPlace(message, at)), first_(message.substr(0, message.find('\n'))), at_(at) {}
