//===- Statistics.cpp - what ran, counted ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Statistics.h"

#include "lib/base/PerThread.h"

TENON_PER_THREAD tenon::rt::PerThread<tenon::Statistics> current;

tenon::Statistics &tenon::detail::counters() { return *current; }
tenon::Statistics tenon::statistics() { return *current; }
