//===- Decompositions.cpp - what composites are made of -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Decompositions.h"

#include <algorithm>
#include <cstring>

using namespace tenon;

namespace {
/// Appends ops to a body, with result types by the shape rules.
struct Writer {
  TraceBody body;

  ValueId input(const Type &type) {
    body.types.push_back(type);
    body.inputs.push_back(static_cast<ValueId>(body.types.size() - 1));
    return body.inputs.back();
  }
  template <class... Attrs>
  ValueId op(OpCode code, std::initializer_list<ValueId> operands, const Attrs &...attributes) {
    AttrWriter words;
    (attributes.write(words), ...);
    std::vector<Type> operandTypes, results;
    for (ValueId operand : operands)
      operandTypes.push_back(body.types[operand]);
    inferTypes({opInfo(code), operandTypes, words.words(), {}}, results);
    TraceOp made{};
    made.code = code;
    made.results = static_cast<uint16_t>(results.size());
    made.firstResult = static_cast<ValueId>(body.types.size());
    auto append = [](auto &to, const auto &from, uint32_t &begin, uint32_t &count) {
      begin = static_cast<uint32_t>(to.size());
      count = static_cast<uint32_t>(from.size());
      to.insert(to.end(), from.begin(), from.end());
    };
    append(body.operands, operands, made.operands, made.operandCount);
    append(body.attributes, words.words(), made.attributes, made.attributeCount);
    body.ops.push_back(made);
    body.types.insert(body.types.end(), results.begin(), results.end());
    return made.firstResult;
  }
};
} // namespace

/// max, subtract, exp, sum, divide. `widens` is false where the reduced axis has
/// one element: the front door then has nothing to broadcast.
static TraceBody softmaxBody(const Type &x, int64_t axis, bool widens) {
  Writer w;
  const int64_t axes[] = {axis};
  auto widened = [&](ValueId value) {
    return widens ? w.op(OpCode::broadcast_to, {value}, BroadcastToAttrs{{x.shape.begin(), x.shape.size()}}) : value;
  };
  ValueId input = w.input(x);
  ValueId largest = widened(w.op(OpCode::max, {input}, MaxAttrs{axes, true}));
  ValueId weights = w.op(OpCode::exp, {w.op(OpCode::subtract, {input, largest})});
  ValueId total = widened(w.op(OpCode::sum, {weights}, SumAttrs{axes, true}));
  w.body.outputs = {w.op(OpCode::divide, {weights, total})};
  return std::move(w.body);
}

/// Names and locations aside.
static bool isSame(const TraceBody &a, const TraceBody &b) {
  auto same = [](const TraceOp &x, const TraceOp &y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  return a.types == b.types && a.inputs == b.inputs && a.operands == b.operands && a.attributes == b.attributes &&
         a.regions.empty() && b.regions.empty() && a.outputs == b.outputs &&
         std::equal(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), same);
}

bool tenon::isDecomposed(const OpInfo &info, std::span<const Type> operands, AttrWords attributes,
                         std::span<const TraceRef> regions) {
  if (info.lowering != Lowering::open)
    return true;
  switch (static_cast<OpCode>(info.code)) {
  case OpCode::softmax: {
    const int64_t axis = SoftmaxAttrs::read(attributes).axis;
    const Type &x = operands[0];
    const TraceBody &body = regions[0]->body();
    const bool isOne = x.shape[static_cast<int>(axis)].raw() == 1;
    return isSame(body, softmaxBody(x, axis, true)) || (isOne && isSame(body, softmaxBody(x, axis, false)));
  }
  default:
    return false; // a composite that this table does not know
  }
}
