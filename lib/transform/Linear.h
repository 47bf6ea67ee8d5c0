//===- Linear.h - a function's derivative, recorded ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/trace/Record.h"
#include "lib/tree/Arguments.h"

#include <tenon/transform.h>

namespace tenon::detail {

/// What linearize has left: from tangents of the arguments to those of the result, a trace
/// that reads what the run of the function has computed.
class LinearState {
public:
  uint32_t references = 1;
  /// By argument, for those who give tangents.
  std::vector<std::string> structures;
  /// By array of the arguments, and of the result.
  std::vector<Type> inputTypes, outputTypes;
  /// The inputs are the tangents of the arrays that have one, then `captures`.
  TraceRef trace;
  std::vector<Array> captures;
  /// By array of the result: which output its tangent is; -1: it is zero.
  std::vector<int> outputs;

  /// By array of the result, empty for zero; `tangents`: empty for arrays that have none.
  std::vector<Array> apply(std::span<const Array> tangents) const;
  /// Lets go the captures, behind so many tangents, that nothing reads: they would live as long.
  void dropUnused(size_t tangents);
};

/// Runs `function`; `what` is the transformation's name in errors.
LinearRef runLinear(const char *what, const TreeFunction &function, const Arguments &arguments, OwnedTree &result,
                    CallSite site);

/// The tangents of the arrays in what `function` returns, `result`, where those of the
/// arguments move with `tangents`; empty for zero, there and here. Their types are added to
/// `types`. `splits`: see Forward.
std::vector<Array> runMoving(const char *what, bool splits, const TreeFunction &function, const Arguments &arguments,
                             std::span<const Array> tangents, OwnedTree &result, std::vector<Type> &types,
                             CallSite site);

/// Zeros where there is no tangent.
std::vector<Array> filledUp(const char *what, std::vector<Array> tangents, std::span<const Type> types, Location at);

/// The types of the arguments' arrays, none of which may be empty.
std::vector<Type> typesIn(const char *what, const Arguments &arguments, Location at);
/// What a derivative is by an array that has none: f32 zeros, as grad gives them.
inline Type zeroType(const Type &type) { return {Dtype::f32, type.device, type.shape}; }

} // namespace tenon::detail
