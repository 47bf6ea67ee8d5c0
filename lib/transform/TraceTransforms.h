//===- TraceTransforms.h - grad, jvp and vmap of functions that are traces -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the public transformations do to C++ functions, done to a recorded one: the same
// interpreters run its ops, and what they bind is recorded. For tenon-opt.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Trace.h"

namespace tenon {

/// From the inputs to the gradients of the first result, a floating array of rank 0, by the
/// inputs numbered in `wrt`; all results stand in front of them if `withValue`. An Error
/// where grad has one.
TraceRef gradTrace(const Trace &trace, std::span<const size_t> wrt, bool withValue);

/// From the inputs, then tangents of those numbered in `wrt`, to the results, then the
/// tangents of those that have derivatives.
TraceRef jvpTrace(const Trace &trace, std::span<const size_t> wrt);

/// Over `size` examples at once: they run over the axis axes[i] of input i, -1: it is the
/// same for all; and over the first axis of every result.
TraceRef vmapTrace(const Trace &trace, std::span<const int> axes, Dim size);

} // namespace tenon
