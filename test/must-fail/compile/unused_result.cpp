//===- unused_result.cpp - statements that compute something and keep nothing ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: unused_result.cpp:38:
// expect: unused_result.cpp:39:
// expect: unused_result.cpp:40:
// expect: unused_result.cpp:41:
// expect: unused_result.cpp:42:
// expect: unused_result.cpp:43:
// expect: unused_result.cpp:44:
// expect: unused_result.cpp:45:
// expect: unused_result.cpp:46:
// expect: unused_result.cpp:47:
// expect: unused_result.cpp:48:
// expect: unused_result.cpp:49:
// expect: unused_result.cpp:50:
// expect: unused_result.cpp:51:
// expect: unused_result.cpp:52:
// expect: unused_result.cpp:53:
// expect: unused_result.cpp:57:
// expect: unused_result.cpp:58:
// expect: unused_result.cpp:59:
// expect: unused_result.cpp:60:
// expect: unused_result.cpp:61:
// expect: unused_result.cpp:62:
// expect: unused_result.cpp:63:
// expect: unused_result.cpp:64:
// expect: unused_result.cpp:65:
// expect: unused_result.cpp:66:
#include <tenon/tenon.h>

using namespace tenon;

Array norm(const Array &x) { return sum(x * x); }

void ops(Array x) {
  x.at[0].set(5);
  std::move(x).at[0].add(5);
  x.at[0].apply(norm);
  x[0];
  x + 1;
  -x;
  x == 1;
  x &&x;
  !x;
  x.reshape({1, -1});
  exp(x);
  sum(x, 0);
  sort(x);
  fft::rfft(x);
  zeros({2});
  to_device(x, Device::cpu);
}

void others(const Array &x, GradientTape &tape) {
  jit(norm);
  grad(norm);
  value_and_grad(norm);
  vmap(norm);
  hessian(norm);
  checkpoint(norm);
  jit(norm).lower(x);
  tape.gradient(x, x);
  random::normal(random::key(0), {2});
  tree_copy(x);
}
