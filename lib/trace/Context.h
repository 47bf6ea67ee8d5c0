//===- Context.h - what recording reads besides its arguments --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tenon::detail {

/// Everything thread-local that recording may read; part of every key under which
/// a trace is kept.
struct Context {
  int precision = 8; // of printed numbers, which a recorded print would show
  friend bool operator==(const Context &, const Context &) = default;
  static Context current();
};

/// Set by DisableJit: the user's C++ runs at every call, bodies of loops included.
extern thread_local constinit bool jitIsDisabled;

} // namespace tenon::detail
