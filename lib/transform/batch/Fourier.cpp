//===- Fourier.cpp - batching of Fourier transforms ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"
#include "lib/transform/Rules.h"

namespace tenon {

void batchDft(BatchCall &call) {
  DftAttrs attributes = DftAttrs::read(call.attributes);
  ++attributes.axis;
  call.result(detail::apply(OpCode::dft, {call.front().value()}, detail::Words(attributes), call.at));
}

} // namespace tenon
