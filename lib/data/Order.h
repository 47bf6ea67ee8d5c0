//===- Order.h - stages that other files make ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/data/Stage.h"

namespace tenon::data::detail {

StageRef shuffleStage(const StageRef &source, int64_t buffer, uint64_t seed, Location at);
StageRef cacheStage(const StageRef &source, Location at);
StageRef prefetchStage(const StageRef &source, int64_t count, Location at);
/// Windows of elements that are no rows.
StageRef bufferedWindows(const StageRef &source, int64_t length, int64_t shift, const Callback &convert,
                         const ElementOps *ops, Location at);

} // namespace tenon::data::detail
