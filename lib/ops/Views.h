//===- Views.h - ops that make views instead of moving elements ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon::detail {

/// Runs a view op on buffers: its results are where the operands are. Where strides
/// cannot say it, it packs first. False: no view op.
bool makeViews(const Bind &bind, std::span<Array> results);

} // namespace tenon::detail
