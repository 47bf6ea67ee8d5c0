//===- Sites.h - what transformations are called in errors ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/location.h>

#include <string>

namespace tenon {

/// `the grad of main.cpp:12`.
inline std::string siteName(const char *what, Location at) {
  std::string name = std::string("the ") + what;
  if (at.known())
    name += " of " + std::string(at.file) + ":" + std::to_string(at.line);
  return name;
}

} // namespace tenon
