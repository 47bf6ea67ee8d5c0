//===- Frames.h - the frames of rules in locations --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/model/Composite.h"

namespace tenon {

/// `grad(matmul)`: what a rule of reverse mode is called in locations; `composite`:
/// whose rule it is, null for an op's own. The text stays as long as the process.
const char *gradFrame(OpCode op, const CompositeInfo *composite = nullptr);
/// `jvp(matmul)`, of forward mode.
const char *jvpFrame(OpCode op, const CompositeInfo *composite = nullptr);

} // namespace tenon
