//===- grad_of_variables.cpp - derivatives by what is shared -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: grad, vjp, jvp and the like differentiate by the arrays of an argument, and this one holds a Variable
// expect: grad_of_variables.cpp:19:
// expect: tree_map makes a tree of other arrays, and this one holds a Variable
// expect: static assertion failed
// errors: 2
#include <tenon/tenon.h>

using tenon::Array;

struct Model {
  Array scale;
  tenon::Variable weight;
};

Array loss(const Model &m) { return tenon::sum(m.scale * m.weight); }
void gradient(const Model &m) { tenon::grad(loss)(m); }

Model halved(const Model &m) {
  return tenon::tree_map([](const Array &x) { return x / 2; }, m);
}
