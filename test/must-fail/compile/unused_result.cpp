//===- unused_result.cpp - ops and updates whose results are not used --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: unused_result.cpp:25:
// expect: unused_result.cpp:26:
// expect: unused_result.cpp:27:
// expect: unused_result.cpp:28:
// expect: unused_result.cpp:29:
// expect: unused_result.cpp:30:
// expect: unused_result.cpp:31:
// expect: unused_result.cpp:32:
// expect: unused_result.cpp:33:
// expect: unused_result.cpp:34:
// expect: unused_result.cpp:35:
// expect: unused_result.cpp:36:
// expect: unused_result.cpp:37:
// expect: unused_result.cpp:38:
// expect: unused_result.cpp:39:
// expect: unused_result.cpp:40:
#include <tenon/tenon.h>

using namespace tenon;

void ops(Array x) {
  x.at[0].set(5);
  std::move(x).at[0].add(5);
  x.at[0].apply([](const Array &element) { return element * 2; });
  x[0];
  x + 1;
  -x;
  logical_and(x, x);
  !x;
  x.reshape({1, -1});
  exp(x);
  sum(x, 0);
  zeros({2});
  to_device(x, Device::cpu);
  sort(x, [](const Array &a, const Array &b) { return a < b; });
  random::normal(random::key(0), {2});
  tree_copy(x);
}
