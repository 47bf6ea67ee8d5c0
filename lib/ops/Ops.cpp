//===- Ops.cpp - the front doors that follow from the records alone ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"

namespace tenon {
#include "lib/ops/Ops.gen.inc"
} // namespace tenon
