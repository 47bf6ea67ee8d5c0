//===- Thread.h - threads of our own -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace tenon::rt {

/// Starts a detached thread on which no handler of the user's signals runs. False if the system allows none.
/// `stackBytes`: 0 for the system's default.
bool startThread(void *(*main)(void *), void *argument, size_t stackBytes = 0);

} // namespace tenon::rt
