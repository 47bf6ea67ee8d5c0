//===- PrintPrecision.h - print_options().precision without a lock -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

namespace tenon::detail {

/// Every call of a jitted function asks; set_print_options sets it.
extern constinit std::atomic<int> printPrecision;

} // namespace tenon::detail
