//===- Effects.cpp - batching of what is seen from outside ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Record.h"
#include "lib/trace/RegionOp.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// The op for one example after the other: a scan over them.
static std::vector<Array> bindByExample(const BatchCall &call) {
  std::vector<Type> types;
  std::vector<Array> operands;
  std::vector<detail::Value *> values;
  std::vector<size_t> places(call.operands.size());
  for (bool batched : {false, true})
    for (int i = 0; i < static_cast<int>(call.operands.size()); ++i)
      if (call.isBatched(i) == batched) {
        operands.push_back(call.frontIfBatched(i));
        Type type = typeOf(operands.back().value());
        if (batched)
          type.shape.erase(0);
        places[static_cast<size_t>(i)] = types.size();
        types.push_back(type);
      }
  int64_t same = 0;
  for (int axis : call.axes)
    same += axis < 0;
  for (const Array &operand : operands)
    values.push_back(operand.value());
  TraceRef body = recordFunction(call.info.name, types, [&](std::span<const Array> in) {
                    std::vector<detail::Value *> example;
                    for (size_t place : places)
                      example.push_back(in[place].value());
                    return bindInferred(static_cast<OpCode>(call.info.code), example, call.attributes, {}, call.at);
                  }).trace;
  Dim length[] = {call.size};
  return bindInferred(OpCode::scan, values, wordsOf(ScanAttrs{length, same, 0, false}), std::span(&body, 1), call.at);
}

/// One line per example, in order.
void batchPrint(BatchCall &call) { bindByExample(call); }

/// All examples at once, along a first axis of each array.
void batchCheck(BatchCall &call) {
  CheckAttrs attributes = CheckAttrs::read(call.attributes);
  ++attributes.examples;
  std::vector<Array> operands;
  std::vector<detail::Value *> values;
  for (int i = 0; i < static_cast<int>(call.operands.size()); ++i) {
    operands.push_back(call.front(i));
    values.push_back(operands.back().value());
  }
  bindInferred(OpCode::check, values, wordsOf(attributes), {}, call.at);
}

void batchHostCall(BatchCall &call) {
  HostCallAttrs attributes = HostCallAttrs::read(call.attributes);
  if (!attributes.batched) {
    for (Array &result : bindByExample(call))
      call.result(std::move(result));
    return;
  }
  // One call, for all examples at once: they are along a first axis of each array.
  std::vector<Array> operands;
  std::vector<detail::Value *> values;
  for (int i = 0; i < static_cast<int>(call.operands.size()); ++i) {
    operands.push_back(call.front(i));
    values.push_back(operands.back().value());
  }
  std::vector<int64_t> ranks;
  std::vector<Dim> sizes;
  for (const Type &type : call.resultTypes) {
    ranks.push_back(type.shape.rank() + 1);
    sizes.push_back(call.size);
    sizes.insert(sizes.end(), type.shape.begin(), type.shape.end());
  }
  attributes.ranks = ranks;
  attributes.sizes = sizes;
  for (Array &result : bindInferred(OpCode::host_call, values, wordsOf(attributes), {}, call.at))
    call.result(std::move(result));
}

} // namespace tenon
