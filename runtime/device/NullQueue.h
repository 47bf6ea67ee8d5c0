//===- NullQueue.h - the null device does its work as late as it may ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked of a stream is kept until somebody waits for it, and is done by
// who waits: so where a wait is missing, numbers are. Without threads of its own
// it is whole after a fork, and nothing is waited for at exit.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Device.h"

#include <functional>

namespace tenon::rt {

extern const StreamTable nullStreams;

/// Keeps work for later. It must not throw, nor ask the device for anything.
Status askNull(Stream *stream, std::function<Status(Fault &fault)> work);

/// Gives a block of the host's memory back when all is done that was asked before.
void freeAfterNullWork(void *block, size_t bytes);

} // namespace tenon::rt
