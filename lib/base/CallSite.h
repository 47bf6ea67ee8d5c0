//===- CallSite.h - what transformations are called in errors ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/base/Describe.h"

#include <string>
#include <string_view>

namespace tenon {

/// `the grad of main.cpp:12`.
inline std::string siteName(const char *what, Location at) {
  std::string name = std::string("the ") + what;
  if (at.known())
    name += " of " + detail::placeText(at);
  return name;
}

/// The user's line of a call: where it is written, or, if that is in a header of
/// the standard library (std::function) or of Tenon, where its callable was made.
inline Location callPlace(Location called, Location made) {
  std::string_view file = called.file;
  bool isForeign = file.find("/include/c++/") != file.npos || file.find("include/tenon/") != file.npos;
  return called.known() && !isForeign ? called : made;
}

} // namespace tenon
