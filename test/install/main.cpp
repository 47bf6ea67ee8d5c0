//===- main.cpp - a program that only knows an installed Tenon --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <cstdio>

namespace tn = tenon;

int main() {
  tn::Array x = {1.0f, 2.0f, 3.0f};
  auto square = tn::jit([](const tn::Array &x) { return tn::sum(x * x); });
  float eager = tn::sum(x * x).item<float>(), compiled = square(x).item<float>();
  std::printf("eager %g, compiled %g\n", eager, compiled);
  return eager == 14.0f && compiled == 14.0f ? 0 : 1;
}
