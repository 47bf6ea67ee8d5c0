//===- tree_too_many_fields.cpp - 41 fields ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a struct in a tree may have at most 40 fields: group some of them in a struct of their own
// expect: has_at_most_40_fields<Wide, 41
#include <tenon/array.h>
#include <tenon/tree.h>

struct Wide {
  tenon::Array f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22,
      f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37, f38, f39, f40;
};

std::vector<tenon::Array> use(const Wide &tree) { return tenon::tree_leaves(tree); }
