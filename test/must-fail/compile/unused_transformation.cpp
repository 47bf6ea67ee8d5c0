//===- unused_transformation.cpp - transformed functions that are not called ===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: unused_transformation.cpp:22:
// expect: unused_transformation.cpp:23:
// expect: unused_transformation.cpp:24:
// expect: unused_transformation.cpp:25:
// expect: unused_transformation.cpp:26:
// expect: unused_transformation.cpp:27:
// expect: unused_transformation.cpp:28:
// expect: unused_transformation.cpp:29:
// expect: unused_transformation.cpp:30:
// expect: unused_transformation.cpp:31:
// expect: unused_transformation.cpp:32:
#include <tenon/tenon.h>

using namespace tenon;

Array energy(const Array &x) { return sum(x * x); }

void transformations(const Array &x, GradientTape &tape) {
  jit(energy);
  grad(energy);
  value_and_grad(energy);
  vmap(energy);
  hessian(energy);
  checkpoint(energy);
  custom_vjp(energy, energy, energy);
  gradients_function(energy);
  implicit_gradients(energy);
  jit(energy).lower(x);
  tape.gradient(x, x);
}
