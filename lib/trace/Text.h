//===- Text.h - the text of ops ---------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Trace.h"

namespace tenon {

/// `axes = [0], keepdims = false`; empty if the op has no attributes.
std::string attributesText(const Trace &trace, const TraceOp &op);

} // namespace tenon
