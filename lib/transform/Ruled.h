//===- Ruled.h - functions with derivative rules of their own ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops custom_vjp and custom_jvp compute what their first region does. Of its
// results the first ones have the rule; those behind them, which a derivative has kept,
// are differentiated as they are written, at every order.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/RegionOp.h"

namespace tenon {

/// How many results of `bind`, an op that is lowered as "ruled", have its rule: all but those
/// that a derivative has kept.
size_t ruledResults(const Bind &bind);
/// Whether `bind`, any op, has results that a derivative has kept.
inline bool hasKeptResults(const Bind &bind) {
  return opInfo(bind.op).lowering == Lowering::ruled && ruledResults(bind) < bind.types.size();
}
/// Binds the op for the results that have the rule, and the ops of all others in its place;
/// what it prints is printed once.
void bindApart(const Bind &bind, std::span<Array> results);

/// The trace with its outputs from `begin` up to `end` alone.
TraceRef selectOutputs(const Trace &trace, size_t begin, size_t end);
/// By output: whether it depends on one of `inputs`; with `smoothly` so that a derivative passes.
std::vector<bool> dependents(const Trace &trace, const std::vector<bool> &inputs, bool smoothly);

/// A rule as an op that is differentiated and batched as it is written: a composite, called
/// after the function whose body is `body`: `user.clip.backward`.
RegionOp ruleOp(const Trace &body, const char *suffix, TraceRef rule);

/// The sentence about a captured array that is differentiated.
std::string capturedSentence(const Bind &bind, size_t operand);

} // namespace tenon
