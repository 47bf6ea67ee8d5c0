//===- Generator.cpp - random numbers without keys -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Interpreter.h"
#include "runtime/math/Threefry.h"

#include <tenon/generator.h>

using namespace tenon;

Key random::Generator::key(Location at) {
  for (InterpreterKind kind : {InterpreterKind::record, InterpreterKind::batch})
    if (const Interpreter *inside = innermost(kind))
      throw Error("random::Generator: expected to draw outside of transformations, got a draw inside of " +
                      inside->name() + ", where its numbers would be the same for each " +
                      (kind == InterpreterKind::record ? "run" : "example") +
                      "; take a key as an argument: random::split makes keys, the functions of random take them",
                  userLocation(at));
  const uint64_t seed = seed_, number = drawn_.fetch_add(1, std::memory_order_relaxed);
  const auto [high, low] =
      math::randomWords<uint32_t>(static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed), number);
  const uint32_t words[] = {high, low};
  return {Array(std::span<const uint32_t>(words), Shape{2}, at)};
}

random::Generator &random::default_generator() {
  static constinit Generator generator(0);
  return generator;
}

void tenon::set_seed(uint64_t seed) { random::default_generator().seed(seed); }
