//===- Views.h - ops that make views instead of moving elements ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon::detail {

/// Runs `bind` on buffers if strides alone can say its results: reshape (packs
/// first where strides cannot), transpose, broadcast_to, slice, split,
/// optimization_barrier. False: not such an op.
bool makeViews(const Bind &bind, std::span<Array> results);

} // namespace tenon::detail
