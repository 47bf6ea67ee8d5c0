//===- plug.cpp - a plug-in that uses Tenon ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <cstdio>

namespace tn = tenon;

/// Returns 0 if a jitted function was compiled and gives the right number.
extern "C" int plug() {
  auto f = tn::jit([](const tn::Array &x) { return tn::sum(tn::tanh(x) * 0.0f + tn::matmul(x, x)); });
  const float result = f(tn::ones({64, 64})).item<float>();
  const tn::Statistics now = tn::statistics();
  std::printf("%g, compiled %d, interpreted %d\n", double(result), int(now.compilations),
              int(now.interpreted_programs));
  return result == 64 * 64 * 64 && now.compilations == 1 && now.interpreted_programs == 0 ? 0 : 1;
}
