//===- ForkHandlers.cpp - what a fork calls --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fork.h"

#include <pthread.h>

using namespace tenon::rt;

// As the library is loaded: handlers that are made known in the middle of a fork
// would be too late.
[[maybe_unused]] static const int handlersAreKnown =
    pthread_atfork(ForkHandlers::take, [] { ForkHandlers::giveBack(false); }, [] { ForkHandlers::giveBack(true); });

void tenon::rt::handleForks() {}
