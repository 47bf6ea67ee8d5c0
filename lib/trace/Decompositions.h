//===- Decompositions.h - what composites are made of ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Trace.h"

namespace tenon {

/// True unless the op is a composite whose region is not its decomposition. A
/// composite's own kernel does not look at the region, a compiled program runs
/// nothing else: a trace that says something else there would mean two things.
/// The operands are those that the op's shape rule has accepted.
bool isDecomposed(const OpInfo &info, std::span<const Type> operands, AttrWords attributes,
                  std::span<const TraceRef> regions);

} // namespace tenon
