//===- Pullback.h - what a forward run leaves for the backward one ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/transform/Reverse.h"
#include "lib/tree/Arguments.h"

#include <tenon/transform.h>

namespace tenon::detail {
class PullbackState {
public:
  uint32_t references = 1;
  Tape tape;
  /// By leaf: its type and number on the tape.
  std::vector<Type> inputTypes;
  std::vector<uint32_t> inputs;
  uint32_t inputCount = 0;
  std::vector<Type> outputTypes;
  std::vector<uint32_t> outputs;
};

/// Runs `function` forward; the arrays of its result, keys' too if `keys`, are
/// tracked, and outside again when it is done. `wanted`: which arrays are differentiated by; null: all.
OwnedTree runForward(const char *what, PullbackState &state, const TreeFunction &function, const Arguments &arguments,
                     bool keys, LeafNames names, Location made, Location at, const std::vector<bool> *wanted = nullptr);

/// The cotangents of arrays of `types` in a tree, empty of those that have none; an Error of `what` unless they are
/// of these types.
std::vector<Array> cotangentsIn(const char *what, TreeRef cotangent, std::span<const Type> types, Location at);

/// The cotangents as gradients: of the leaves' types, zeros where none came, or with `hasNone` an
/// empty Array.
std::vector<Array> runBackward(const PullbackState &state, std::span<const Array> cotangents, bool hasNone,
                               Location at);

} // namespace tenon::detail
