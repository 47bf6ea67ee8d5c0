//===- DefaultDraws.h - threads that may not draw from the default generator --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tenon::detail {

/// While it lives, a draw of this thread from the default generator is an Error: which numbers it gave would depend on
/// the other threads.
class NoDefaultDraws {
public:
  /// `where`: "data::map".
  explicit NoDefaultDraws(const char *where);
  ~NoDefaultDraws();
  NoDefaultDraws(const NoDefaultDraws &) = delete;

private:
  const char *outer_;
};

} // namespace tenon::detail
