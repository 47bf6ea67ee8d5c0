//===- CustomRule.h - what functions with rules of their own share -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon {

/// Of the `captures`, the first operands, those that are `wanted` and reach a result: the rule
/// gives them nothing.
std::vector<size_t> refusedCaptures(const Bind &bind, const std::vector<bool> &wanted, size_t captures);

} // namespace tenon
