//===- HostSteps.h - what is seen from outside of programs --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon::detail {

/// Gives the runtime what its steps `print`, `check` and `host_call` call: formatting,
/// standard output, the user's functions. Called before anything runs; calling it again
/// does nothing.
void installHostSteps();

/// The op host_call on buffers: the function gets and gives arrays as they are.
void callHost(const Bind &bind, std::span<Array> results);

} // namespace tenon::detail
