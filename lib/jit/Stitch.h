//===- Stitch.h - two sides of a question as one program ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lib/jit/Path.h"

#include <memory>

namespace tenon::detail {

/// A path that goes both ways where `a` and `b` part, at the last thing that C++ asks on either, which is a bool: the
/// op cond of what follows on each. Null where they differ in more than that: in what they give, in its types or in
/// their static values, or where a side is long.
std::unique_ptr<JitPath> stitched(const JitPath &a, const JitPath &b, size_t arguments);

} // namespace tenon::detail
