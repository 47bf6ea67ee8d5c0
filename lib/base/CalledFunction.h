//===- CalledFunction.h - the public function that is being carried out ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands below the front doors (sizes, shapes, devices) is called by users and by
// functions that are composed of others. An Error of the former has its own words alone,
// one of the latter the name of the function that the user called, and its line.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/location.h>

#include <string>
#include <string_view>

namespace tenon::detail {

/// Which function that is, if any, and the user's line; the stack of doors sets it.
struct CalledFunction {
  /// Empty: none.
  std::string (*name)() = nullptr;
  Location (*place)(Location at) = nullptr;
};
extern CalledFunction calledFunction;

/// Its name; `otherwise`, if the user called this itself.
std::string calledName(std::string_view otherwise);
/// Throws the sentence, after the function's name, with the function's line or `at`.
[[noreturn]] void throwOfCall(const std::string &sentence, Location at = {});

} // namespace tenon::detail
