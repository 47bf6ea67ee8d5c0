//===- Graph.h - a trace as data --------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Trace.h"

namespace tenon {

/// `axes = [0], keepdims = false`; empty if the op has no attributes.
std::string attributesText(const Trace &trace, const TraceOp &op);

struct TracedFunction;
TracedFunction graphOf(const Trace &trace);

} // namespace tenon
