//===- TreeSlice.cpp - one of several trees that are stacked --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Interpreter.h"

#include <tenon/ops.h>
#include <tenon/tree_slice.h>

using namespace tenon;

Array detail::SliceLeaf::part(const Array &stacked, const Path &path) const {
  if (!stacked.has_value())
    return stacked;
  auto refuse = [&](const std::string &sentence) {
    const std::string name = path.str();
    throw Error("tree_slice: expected " + sentence + (name.empty() ? "" : "\n  leaf: " + name), userLocation(at));
  };
  if (stacked.ndim() == 0)
    refuse("arrays that are stacked along axis 0, got one of rank 0");
  const Dim size = stacked.shape()[0];
  if (size.is_static() && (index < -size.value() || index >= size.value()))
    refuse("an index in [-" + size.str() + ", " + size.str() + "), got " + std::to_string(index));
  const LocationScope scope("tree_slice", at);
  return stacked[index];
}
