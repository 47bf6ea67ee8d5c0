//===- Print.cpp - batching of print ------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Record.h"
#include "lib/trace/RegionOp.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// One line per example, in order: a scan over them.
void batchPrint(BatchCall &call) {
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
  TraceRef body = recordFunction("print", types, [&](std::span<const Array> in) {
                    std::vector<detail::Value *> example;
                    for (size_t place : places)
                      example.push_back(in[place].value());
                    bindInferred(OpCode::print, example, call.attributes, {}, call.at);
                    return std::vector<Array>();
                  }).trace;
  Dim length[] = {call.size};
  bindInferred(OpCode::scan, values, wordsOf(ScanAttrs{length, same, 0, false}), std::span(&body, 1), call.at);
}

} // namespace tenon
