//===- Errors.h - the text of an error --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string>

namespace tenon::test {

/// The text of the exception that `function` throws, or "no error".
std::string errorOf(auto &&function) {
  try {
    function();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "no error";
}

/// The first line of that text.
std::string messageOf(auto &&function) {
  std::string text = errorOf(function);
  return text.substr(0, text.find('\n'));
}

} // namespace tenon::test
