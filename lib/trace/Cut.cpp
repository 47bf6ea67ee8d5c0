//===- Cut.cpp - a recording in pieces ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Cut.h"

#include "lib/trace/Guard.h"

#include <tenon/dim.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

using namespace tenon;

static std::span<const ValueId> operandsOf(const TraceBody &body, const TraceOp &op) {
  return std::span(body.operands).subspan(op.operands, op.operandCount);
}

TraceBody tenon::renumbered(const TraceBody &body, size_t arguments) {
  constexpr ValueId none = UINT32_MAX;
  // In front of the number of what was captured until all results have theirs.
  constexpr ValueId isCaptured = ValueId(1) << 31;
  TraceBody out;
  out.name = body.name;
  out.attributes = body.attributes;
  out.regions = body.regions;
  out.locations = body.locations;
  std::vector<ValueId> numbers(body.types.size(), none);
  std::vector<Type> captured;
  auto add = [&](ValueId value) {
    numbers[value] = static_cast<ValueId>(out.types.size());
    out.types.push_back(body.types[value]);
  };
  auto number = [&](ValueId value) {
    if (numbers[value] == none) {
      numbers[value] = isCaptured | static_cast<ValueId>(captured.size());
      captured.push_back(body.types[value]);
    }
    return numbers[value];
  };
  for (size_t i = 0; i < arguments; ++i)
    add(body.inputs[i]);
  for (size_t i = 0; i < body.ops.size(); ++i) {
    TraceOp op = body.ops[i];
    const auto firstOperand = static_cast<uint32_t>(out.operands.size());
    for (const ValueId operand : operandsOf(body, op))
      out.operands.push_back(number(operand));
    op.operands = firstOperand;
    const ValueId first = op.firstResult;
    op.firstResult = static_cast<ValueId>(out.types.size());
    for (uint32_t r = 0; r < op.results; ++r)
      add(first + r);
    out.ops.push_back(op);
    if (!body.opLocations.empty())
      out.opLocations.push_back(body.opLocations[i]);
  }
  std::ranges::transform(body.inputs, std::back_inserter(out.inputs), number);
  std::ranges::transform(body.outputs, std::back_inserter(out.outputs), number);
  const auto first = static_cast<ValueId>(out.types.size());
  for (std::vector<ValueId> *const values : {&out.inputs, &out.operands, &out.outputs})
    for (ValueId &value : *values)
      if (value & isCaptured)
        value = first + (value & ~isCaptured);
  out.types.append(captured.begin(), captured.end());
  return out;
}

/// Ops that an output or an effect needs.
static std::vector<bool> liveOps(const TraceBody &body) {
  std::vector<bool> isNeeded(body.types.size()), isLive(body.ops.size());
  for (const ValueId output : body.outputs)
    isNeeded[output] = true;
  for (size_t i = body.ops.size(); i-- > 0;) {
    const TraceOp &op = body.ops[i];
    isLive[i] = hasEffect(body, op);
    for (uint32_t r = 0; r < op.results; ++r)
      isLive[i] = isLive[i] || isNeeded[op.firstResult + r];
    if (isLive[i])
      for (const ValueId operand : operandsOf(body, op))
        isNeeded[operand] = true;
  }
  return isLive;
}

/// The ops of `recorded` that `isTaken` takes, with these further inputs, and these outputs.
template <class IsTaken>
static TraceRef traceOf(const TraceBody &recorded, const IsTaken &isTaken, const std::vector<ValueId> &takes,
                        const std::vector<ValueId> &gives) {
  TraceBody body = recorded;
  body.ops.clear();
  body.opLocations.clear();
  for (size_t i = 0; i < recorded.ops.size(); ++i)
    if (isTaken(i)) {
      body.ops.push_back(recorded.ops[i]);
      if (!recorded.opLocations.empty())
        body.opLocations.push_back(recorded.opLocations[i]);
    }
  body.inputs.insert(body.inputs.end(), takes.begin(), takes.end());
  body.outputs = gives;
  return Trace::make(std::move(body));
}

/// Whether an array of that type says what its symbols are, so that a program may begin with it.
static bool isPlain(const Type &type) {
  return std::ranges::all_of(type.shape,
                             [](Dim size) { return size.is_static() || !detail::bareSymbol(size).empty(); });
}

std::vector<Piece> tenon::cut(const TraceBody &recorded, std::string &why) {
  std::vector<Piece> pieces(1);
  uint32_t guards = 0;
  bool isSeenBefore = false;
  for (size_t i = 0; i < recorded.ops.size(); ++i) {
    const TraceOp &op = recorded.ops[i];
    if (op.code == OpCode::guard) {
      if (isSeenBefore) {
        Piece &next = pieces.emplace_back();
        next.begin = i;
        next.guards = guards;
      }
      isSeenBefore = false;
      ++guards;
    }
    isSeenBefore |= isSeen(recorded, op);
  }

  // Of each value the piece that makes it, and the last one that needs it.
  constexpr size_t never = 0;
  std::vector<size_t> madeIn(recorded.types.size(), never), lastUse(recorded.types.size(), never);
  const std::vector<bool> isLive = liveOps(recorded);
  std::vector<bool> isMade(recorded.types.size());
  size_t piece = 0;
  for (size_t i = 0; i < recorded.ops.size(); ++i) {
    while (piece + 1 < pieces.size() && pieces[piece + 1].begin <= i)
      ++piece;
    const TraceOp &op = recorded.ops[i];
    for (uint32_t r = 0; r < op.results; ++r) {
      madeIn[op.firstResult + r] = piece;
      isMade[op.firstResult + r] = true;
    }
    if (isLive[i])
      for (const ValueId operand : operandsOf(recorded, op))
        lastUse[operand] = piece;
  }
  std::vector<bool> isOutput(recorded.types.size());
  for (const ValueId output : recorded.outputs)
    isOutput[output] = true;
  std::vector<bool> isResult(recorded.types.size());
  for (const TraceOp *op : happening(recorded, recorded.ops.size()))
    for (uint32_t r = 0; r < op->results; ++r)
      isResult[op->firstResult + r] = true;

  // A piece takes what it needs itself; what goes further waits outside.
  std::vector<std::unordered_set<ValueId>> isTaken(pieces.size());
  for (size_t i = 0, in = 0; i < recorded.ops.size(); ++i) {
    while (in + 1 < pieces.size() && pieces[in + 1].begin <= i)
      ++in;
    if (isLive[i])
      for (const ValueId operand : operandsOf(recorded, recorded.ops[i]))
        if (isMade[operand] && madeIn[operand] < in && isTaken[in].insert(operand).second)
          pieces[in].takes.push_back(operand);
  }
  for (ValueId value = 0; value < recorded.types.size(); ++value)
    if (isMade[value] && (lastUse[value] > madeIn[value] || isResult[value] || isOutput[value])) {
      if (!isPlain(recorded.types[value]) && (lastUse[value] > madeIn[value] || isResult[value])) {
        why = "C++ branches on a value after a print or host call, and a value of type " + recorded.types[value].str() +
              ", whose sizes are unknown there, is used before and after the branch";
        return {};
      }
      pieces[madeIn[value]].gives.push_back(value);
    }
  for (size_t k = 0; k < pieces.size(); ++k) {
    const size_t begin = pieces[k].begin, end = k + 1 < pieces.size() ? pieces[k + 1].begin : recorded.ops.size();
    pieces[k].trace =
        traceOf(recorded, [&](size_t i) { return begin <= i && i < end; }, pieces[k].takes, pieces[k].gives);
  }
  return pieces;
}

std::vector<const TraceOp *> tenon::happening(const TraceBody &recorded, size_t end) {
  std::vector<const TraceOp *> ops;
  for (size_t i = 0; i < end; ++i)
    if (happens(recorded, recorded.ops[i]))
      ops.push_back(&recorded.ops[i]);
  return ops;
}

TraceRef tenon::catchUp(const TraceBody &recorded, size_t begin, const std::vector<ValueId> &wanted) {
  std::vector<ValueId> known;
  for (const TraceOp *op : happening(recorded, begin))
    for (uint32_t r = 0; r < op->results; ++r)
      known.push_back(op->firstResult + r);
  auto isTaken = [&](size_t i) {
    return i < begin && recorded.ops[i].code != OpCode::guard && !happens(recorded, recorded.ops[i]);
  };
  return traceOf(recorded, isTaken, known, wanted);
}
