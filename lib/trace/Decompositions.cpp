//===- Decompositions.cpp - what composites are made of -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Decompositions.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace tenon;

namespace {
/// Appends ops to a body, with result types by the shape rules; what they refuse
/// is no decomposition, and nothing is appended from there on.
struct Writer {
  TraceBody body;
  bool isValid = true;

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
    isValid = isValid && inferTypes({opInfo(code), operandTypes, words.words(), {}}, results).empty();
    if (!isValid)
      return 0;
    TraceOp made{};
    made.code = code;
    made.results = static_cast<uint32_t>(results.size());
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

namespace {
/// What the front door of softmax leaves out or puts in, by the size of the axis.
struct SoftmaxForm {
  /// False where the reduced axis has one element: there is nothing to broadcast.
  bool widens = true;
  /// Where symbols may leave a row empty, -inf stands behind it.
  bool pads = false;
};
} // namespace

/// max, subtract, exp, sum, divide. None if the shape rules refuse it.
static std::optional<TraceBody> softmaxBody(const Type &x, int64_t axis, SoftmaxForm form) {
  Writer w;
  const int64_t axes[] = {axis};
  auto widened = [&](ValueId value) {
    return form.widens ? w.op(OpCode::broadcast_to, {value}, BroadcastToAttrs{{x.shape.begin(), x.shape.size()}})
                       : value;
  };
  ValueId input = w.input(x), row = input;
  if (form.pads) {
    const std::vector<Dim> none(x.shape.size(), 0);
    std::vector<Dim> one = none;
    one[static_cast<size_t>(axis)] = 1;
    const std::vector<int64_t> interior(x.shape.size(), 0);
    row = w.op(OpCode::pad,
               {input, w.op(OpCode::full, {}, FullAttrs{{}, ScalarAttr::floating(-HUGE_VAL), x.dtype, x.device})},
               PadAttrs{none, one, interior});
  }
  ValueId largest = widened(w.op(OpCode::max, {row}, MaxAttrs{axes, true}));
  ValueId weights = w.op(OpCode::exp, {w.op(OpCode::subtract, {input, largest})});
  ValueId total = widened(w.op(OpCode::sum, {weights}, SumAttrs{axes, true}));
  w.body.outputs = {w.op(OpCode::divide, {weights, total})};
  return w.isValid ? std::optional(std::move(w.body)) : std::nullopt;
}

/// Names and locations aside.
static bool isSame(const TraceBody &a, const TraceBody &b) {
  return a.types == b.types && a.inputs == b.inputs && a.operands == b.operands && a.attributes == b.attributes &&
         a.regions.empty() && b.regions.empty() && a.outputs == b.outputs && a.ops == b.ops;
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
    auto is = [&](SoftmaxForm form) {
      std::optional<TraceBody> decomposition = softmaxBody(x, axis, form);
      return decomposition && isSame(body, *decomposition);
    };
    const bool isOne = x.shape[static_cast<int>(axis)].raw() == 1;
    // The padded one also stands in the trace of a call with sizes, made from a symbol's.
    return is({}) || is({.pads = true}) || (isOne && is({.widens = false}));
  }
  default:
    return false; // a composite that this table does not know
  }
}
