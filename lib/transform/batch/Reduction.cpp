//===- Reduction.cpp - batching of reductions -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/ops/Door.h"
#include "lib/transform/Rules.h"

namespace tenon {

// With the batch axis in front the sum of one example has the tree, and so the
// bits, that it has alone.

static std::vector<int64_t> shifted(std::span<const int64_t> axes) {
  std::vector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(axis + 1);
  return result;
}

void batchReduction(BatchCall &call) {
  SumAttrs attributes = SumAttrs::read(call.attributes);
  const OpCode op{call.info.code};
  call.result(detail::reduce(op, call.front(), shifted(attributes.axes), attributes.keepdims));
}

void batchMean(BatchCall &call) {
  const MeanAttrs attributes = MeanAttrs::read(call.attributes);
  call.result(mean(call.front(), shifted(attributes.axes), attributes.keepdims));
}

void batchArgmax(BatchCall &call) {
  ArgmaxAttrs attributes = ArgmaxAttrs::read(call.attributes);
  call.result(argmax(call.front(), static_cast<int>(attributes.axis) + 1, attributes.keepdims));
}

void batchSoftmax(BatchCall &call) {
  call.result(softmax(call.front(), static_cast<int>(SoftmaxAttrs::read(call.attributes).axis) + 1));
}

void batchLogSoftmax(BatchCall &call) {
  call.result(log_softmax(call.front(), static_cast<int>(LogSoftmaxAttrs::read(call.attributes).axis) + 1));
}

void batchMappedReduction(BatchCall &call) {
  const std::string_view function = MappedReductionAttrs::read(call.attributes).function;
  if (!call.isBatched(1)) { // over another vmap's examples
    call.result(detail::bindComposite(CompositeId::mapped_reduction, {call.operand(0).value(), call.operand(1).value()},
                                      call.attributes, call.at),
                call.axis(0));
    return;
  }
  const Array &x = call.operand(0);
  if (!call.isBatched(0))
    return call.result(function == "sum" ? x * astype(dimension(call.operand(1), call.axis(1)), x.dtype()) : x, -1);
  const Array all = call.front(0);
  call.result(function == "sum" ? sum(all, {0}) : function == "max" ? max(all, {0}) : min(all, {0}), -1);
}

} // namespace tenon
