//===- jit_member_no_tree.cpp - a jitted function of a struct with a member that is no tree ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect first: this type cannot be part of a tree
// expect: shared_ptr
// expect: jit_member_no_tree.cpp:19:
// errors: 1
#include <tenon/jit.h>

#include <memory>

using tenon::Array;
struct Net {
  Array w;
  std::shared_ptr<Array> b;
};
Array weights(const Net &net) {
  auto f = tenon::jit([](const Net &n) { return n.w; });
  return f(net);
}
