//===- Printed.h - what a function prints --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace tenon::test {

/// What `function` writes to standard output, through C or C++.
std::string printedBy(auto &&function) {
  testing::internal::CaptureStdout();
  function();
  std::cout.flush();
  return testing::internal::GetCapturedStdout();
}

} // namespace tenon::test
