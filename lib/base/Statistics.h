//===- Statistics.h - what ran, counted ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/statistics.h>

namespace tenon::detail {

/// This thread's counters.
Statistics &counters();

} // namespace tenon::detail
