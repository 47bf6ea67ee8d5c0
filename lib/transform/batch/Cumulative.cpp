//===- Cumulative.cpp - batching of running sums and their kin ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Door.h"
#include "lib/transform/Rules.h"

namespace tenon {

void batchCumulative(BatchCall &call) {
  const CumulativeSumAttrs attributes = CumulativeSumAttrs::read(call.attributes);
  const OpCode op{call.info.code};
  call.result(detail::cumulate(op, call.front(), attributes.axis + 1, call.at));
}

void batchLinearRecurrence(BatchCall &call) {
  const int64_t axis = LinearRecurrenceAttrs::read(call.attributes).axis + 1;
  call.result(detail::apply(OpCode::linear_recurrence, {call.front(0).value(), call.front(1).value()},
                            detail::Words(LinearRecurrenceAttrs{axis}), call.at));
}

} // namespace tenon
