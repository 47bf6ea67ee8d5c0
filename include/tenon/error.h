//===- error.h - what Tenon throws -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One form for every error: the message first, then one indented line per
// operand (name, dtype and shape, path), the functions of Tenon around it,
// innermost first, and the user's file and line:
//
//   max: axis 2 is out of range for an array of rank 2
//     x: f32[2, 3] (arg 0: images)
//     inside log_softmax
//     at train.cpp:12:20
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/location.h>

#include <stdexcept>
#include <string>

namespace tenon {
namespace detail {
struct ErrorAccess;
}

/// Thrown for invalid use: a wrong shape, dtype, file, device or argument. what() is the whole text, message() its
/// first line.
class Error : public std::runtime_error {
public:
  explicit Error(const std::string &message, Location at = {});
  const std::string &message() const { return first_; }
  Location location() const { return at_; }

private:
  friend struct detail::ErrorAccess;
  std::string first_;
  Location at_;
  /// A function that host_call runs has thrown it: it stays as it is.
  bool isOfHost_ = false;
};

/// Thrown for faults of Tenon itself, which should be reported: the compiler failed or an internal check did not
/// hold.
class InternalError : public Error {
public:
  using Error::Error;
};

} // namespace tenon
