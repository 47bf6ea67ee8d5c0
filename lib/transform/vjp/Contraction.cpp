//===- Contraction.cpp - derivatives of contractions ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

namespace tenon {

/// The last two axes exchanged.
static Array adjoint(const Array &x) { return moveAxis(x, x.ndim() - 1, x.ndim() - 2); }

void vjpMatmul(VjpCall &call) {
  Array ct = call.cotangent();
  if (call.wanted(0))
    call.set(0, matmul(ct, adjoint(call.operand(1))));
  if (call.wanted(1))
    call.set(1, matmul(adjoint(call.operand(0)), ct));
}

} // namespace tenon
