//===- mean_metric.cpp - a metric that accumulates -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include <tenon/learning.h>

#include <iostream>

namespace tn = tenon;

int main() {
  tn::metrics::Mean m{"loss"};
  m(0);
  m(5);
  std::cout << tn::format("{}\n", m.result());
  m({8, 9});
  std::cout << tn::format("{}\n", m.result());
}
