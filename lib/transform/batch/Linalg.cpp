//===- Linalg.cpp - batching of linear algebra ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/Rules.h"

#include <optional>

namespace tenon {

/// The batch is one more axis in front of the matrices.
void batchMatrices(BatchCall &call) {
  std::vector<Array> all;
  std::vector<detail::Value *> values;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    all.push_back(call.front(static_cast<int>(i)));
    values.push_back(all.back().value());
  }
  const OpCode op{call.info.code};
  for (Array &result : bindInferred(op, values, call.attributes, {}, call.at))
    call.result(std::move(result));
}

void batchDet(BatchCall &call) { call.result(linalg::det(call.front())); }

void batchPinv(BatchCall &call) {
  const double rtol = PinvAttrs::read(call.attributes).rtol.asDouble();
  call.result(linalg::pinv(call.front(), rtol < 0 ? std::optional<double>() : rtol));
}

} // namespace tenon
