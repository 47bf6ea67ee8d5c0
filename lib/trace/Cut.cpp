//===- Cut.cpp - a recording in pieces ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Cut.h"

#include "dialect/model/Views.h"
#include "lib/trace/Guard.h"

#include <tenon/dim.h>

#include <algorithm>
#include <functional>
#include <utility>

using namespace tenon;

static std::span<const ValueId> operandsOf(const TraceBody &body, const TraceOp &op) {
  return std::span(body.operands).subspan(op.operands, op.operandCount);
}

/// Whether it gives all of its operand, in the same shape, and does nothing else.
static bool keepsShape(const TraceBody &body, const TraceOp &op) {
  const OpInfo &info = opInfo(op.code);
  if (!info.isSingleView() || body.types[op.firstResult] != body.types[body.operands[op.operands]])
    return false;
  const int rank = body.types[op.firstResult].shape.rank();
  ViewMap map;
  return mapView(info, {rank, rank, {body.attributes.data() + op.attributes, op.attributeCount}}, map) &&
         map.isRowMajor;
}

namespace {
class Flattener {
public:
  static constexpr ValueId none = UINT32_MAX;

  explicit Flattener(std::span<const RecordedCall> calls) : calls_(calls) {}

  ValueId add(const Type &type) {
    out_.types.push_back(type);
    return static_cast<ValueId>(out_.types.size() - 1);
  }
  ValueId capture(const Type &type) {
    captured_.push_back(type);
    return isCaptured | static_cast<ValueId>(captured_.size() - 1);
  }
  /// `numbers`: of the values of `body`, those that have some here. `input` gives that of an input when it is first
  /// used: what is used later may differ.
  void add(const TraceBody &body, std::vector<ValueId> &numbers, const std::function<ValueId(ValueId)> &input);
  /// All is added.
  TraceBody finish(const TraceBody &body, std::vector<ValueId> inputs, std::vector<ValueId> outputs, bool &isPartial);

private:
  /// In front of the number of what was captured until all is added.
  static constexpr ValueId isCaptured = ValueId(1) << 31;

  const TraceBody *recordedAs(const Trace &trace);
  /// The next so many are no calls here.
  void skip(size_t count) {
    for (; count; --count, calls_ = calls_.subspan(1))
      isPartial_ |= calls_.front().isPartial;
  }

  TraceBody out_;
  std::vector<Type> captured_;
  /// Those that are left.
  std::span<const RecordedCall> calls_;
  bool isPartial_ = false;
};
} // namespace

const TraceBody *Flattener::recordedAs(const Trace &trace) {
  for (size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].body && calls_[i].trace.get() == &trace) {
      skip(i);
      const TraceBody *const body = calls_.front().body.get();
      calls_ = calls_.subspan(1);
      return body;
    }
  return nullptr;
}

void Flattener::add(const TraceBody &body, std::vector<ValueId> &numbers,
                    const std::function<ValueId(ValueId)> &input) {
  const auto places = static_cast<uint32_t>(out_.locations.size());
  out_.locations.insert(out_.locations.end(), body.locations.begin(), body.locations.end());
  auto number = [&](ValueId value) {
    if (numbers[value] == none)
      numbers[value] = input(value);
    return numbers[value];
  };
  auto move = [](const auto &from, auto &to, uint32_t &begin, uint32_t count) {
    const auto start = static_cast<uint32_t>(to.size());
    to.insert(to.end(), from.begin() + begin, from.begin() + begin + count);
    begin = start;
  };
  for (size_t i = 0; i < body.ops.size(); ++i) {
    TraceOp op = body.ops[i];
    const std::span<const ValueId> operands = operandsOf(body, op);
    if (const TraceBody *const inner = op.code == OpCode::call ? recordedAs(*body.regions[op.regions]) : nullptr) {
      std::vector<ValueId> within(inner->types.size(), none);
      // What the trace has captured besides comes last.
      auto given = [&](ValueId value) {
        return number(operands[static_cast<size_t>(std::ranges::find(inner->inputs, value) - inner->inputs.begin())]);
      };
      const std::span<const RecordedCall> outer = std::exchange(calls_, {}); // it is flat
      add(*inner, within, given);
      calls_ = outer;
      for (uint32_t r = 0; r < op.results; ++r) {
        const ValueId output = inner->outputs[r];
        numbers[op.firstResult + r] = within[output] == none ? given(output) : within[output];
      }
      continue;
    }
    // As Variables are read for a tape: which of them a function within reads may differ between recordings.
    if (keepsShape(body, op)) {
      numbers[op.firstResult] = number(operands[0]);
      continue;
    }
    const auto firstOperand = static_cast<uint32_t>(out_.operands.size());
    for (const ValueId operand : operands) {
      const ValueId known = number(operand);
      out_.operands.push_back(known);
    }
    move(body.attributes, out_.attributes, op.attributes, op.attributeCount);
    move(body.regions, out_.regions, op.regions, op.regionCount);
    op.operands = firstOperand;
    const ValueId first = op.firstResult;
    op.firstResult = static_cast<ValueId>(out_.types.size());
    for (uint32_t r = 0; r < op.results; ++r)
      numbers[first + r] = add(body.types[first + r]);
    out_.ops.push_back(op);
    if (!body.opLocations.empty())
      out_.opLocations.push_back(places + body.opLocations[i]);
  }
}

TraceBody Flattener::finish(const TraceBody &body, std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                            bool &isPartial) {
  skip(calls_.size());
  isPartial = isPartial_;
  out_.name = body.name;
  out_.inputs = std::move(inputs);
  out_.outputs = std::move(outputs);
  const auto first = static_cast<ValueId>(out_.types.size());
  for (std::vector<ValueId> *const values : {&out_.inputs, &out_.operands, &out_.outputs})
    for (ValueId &value : *values)
      if (value & isCaptured)
        value = first + (value & ~isCaptured);
  out_.types.append(captured_.begin(), captured_.end());
  return std::move(out_);
}

TraceBody tenon::flattened(const TraceBody &body, size_t arguments, std::span<const RecordedCall> calls,
                           bool &isPartial) {
  Flattener flat(calls);
  std::vector<ValueId> numbers(body.types.size(), Flattener::none), inputs, outputs;
  for (size_t i = 0; i < arguments; ++i)
    numbers[body.inputs[i]] = flat.add(body.types[body.inputs[i]]);
  auto input = [&](ValueId value) { return flat.capture(body.types[value]); };
  flat.add(body, numbers, input);
  auto number = [&](ValueId value) {
    if (numbers[value] == Flattener::none)
      numbers[value] = input(value);
    return numbers[value];
  };
  std::ranges::transform(body.inputs, std::back_inserter(inputs), number);
  std::ranges::transform(body.outputs, std::back_inserter(outputs), number);
  return flat.finish(body, std::move(inputs), std::move(outputs), isPartial);
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

/// The ops of `flat` that `isTaken` takes, with these further inputs, and these outputs.
template <class IsTaken>
static TraceRef traceOf(const TraceBody &flat, const IsTaken &isTaken, const std::vector<ValueId> &takes,
                        const std::vector<ValueId> &gives) {
  TraceBody body = flat;
  body.ops.clear();
  body.opLocations.clear();
  for (size_t i = 0; i < flat.ops.size(); ++i)
    if (isTaken(i)) {
      body.ops.push_back(flat.ops[i]);
      if (!flat.opLocations.empty())
        body.opLocations.push_back(flat.opLocations[i]);
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

std::vector<Piece> tenon::cut(const TraceBody &flat, std::string &why) {
  std::vector<Piece> pieces(1);
  uint32_t guards = 0;
  bool isSeenBefore = false;
  for (size_t i = 0; i < flat.ops.size(); ++i) {
    const TraceOp &op = flat.ops[i];
    if (op.code == OpCode::guard) {
      if (isSeenBefore) {
        Piece &next = pieces.emplace_back();
        next.begin = i;
        next.guards = guards;
      }
      isSeenBefore = false;
      ++guards;
    }
    for (uint32_t r = 0; r < op.regionCount; ++r)
      if (const Trace &region = *flat.regions[op.regions + r]; hasGuards(region.body())) {
        if (isSeenBefore || happens(flat, op)) {
          why = "what is asked comes after it has printed or called the host, in a function within";
          return {};
        }
        guards += static_cast<uint32_t>(guardsOf(region.body()).size());
      }
    isSeenBefore |= isSeen(flat, op);
  }

  // Of each value the piece that makes it, and the last one that needs it.
  constexpr size_t never = 0;
  std::vector<size_t> madeIn(flat.types.size(), never), lastUse(flat.types.size(), never);
  const std::vector<bool> isLive = liveOps(flat);
  std::vector<bool> isMade(flat.types.size());
  size_t piece = 0;
  for (size_t i = 0; i < flat.ops.size(); ++i) {
    while (piece + 1 < pieces.size() && pieces[piece + 1].begin <= i)
      ++piece;
    const TraceOp &op = flat.ops[i];
    for (uint32_t r = 0; r < op.results; ++r) {
      madeIn[op.firstResult + r] = piece;
      isMade[op.firstResult + r] = true;
    }
    if (isLive[i])
      for (const ValueId operand : operandsOf(flat, op))
        lastUse[operand] = piece;
  }
  std::vector<bool> isOutput(flat.types.size());
  for (const ValueId output : flat.outputs)
    isOutput[output] = true;
  std::vector<bool> isResult(flat.types.size());
  for (const TraceOp *op : happening(flat, flat.ops.size()))
    for (uint32_t r = 0; r < op->results; ++r)
      isResult[op->firstResult + r] = true;

  // A piece takes what it needs itself; what goes further waits outside.
  std::vector<std::unordered_set<ValueId>> isTaken(pieces.size());
  for (size_t i = 0, in = 0; i < flat.ops.size(); ++i) {
    while (in + 1 < pieces.size() && pieces[in + 1].begin <= i)
      ++in;
    if (isLive[i])
      for (const ValueId operand : operandsOf(flat, flat.ops[i]))
        if (isMade[operand] && madeIn[operand] < in && isTaken[in].insert(operand).second)
          pieces[in].takes.push_back(operand);
  }
  for (ValueId value = 0; value < flat.types.size(); ++value)
    if (isMade[value] && (lastUse[value] > madeIn[value] || isResult[value] || isOutput[value])) {
      if (!isPlain(flat.types[value]) && (lastUse[value] > madeIn[value] || isResult[value])) {
        why = "what is asked comes after it has printed or called the host, and a value of " + flat.types[value].str() +
              ", whose sizes are not known there, is used on both sides";
        return {};
      }
      pieces[madeIn[value]].gives.push_back(value);
    }
  for (size_t k = 0; k < pieces.size(); ++k) {
    const size_t begin = pieces[k].begin, end = k + 1 < pieces.size() ? pieces[k + 1].begin : flat.ops.size();
    pieces[k].trace = traceOf(flat, [&](size_t i) { return begin <= i && i < end; }, pieces[k].takes, pieces[k].gives);
  }
  return pieces;
}

std::vector<const TraceOp *> tenon::happening(const TraceBody &flat, size_t end) {
  std::vector<const TraceOp *> ops;
  for (size_t i = 0; i < end; ++i)
    if (happens(flat, flat.ops[i]))
      ops.push_back(&flat.ops[i]);
  return ops;
}

TraceRef tenon::catchUp(const TraceBody &flat, size_t begin, const std::vector<ValueId> &wanted) {
  std::vector<ValueId> known;
  for (const TraceOp *op : happening(flat, begin))
    for (uint32_t r = 0; r < op->results; ++r)
      known.push_back(op->firstResult + r);
  auto isTaken = [&](size_t i) {
    return i < begin && flat.ops[i].code != OpCode::guard && !happens(flat, flat.ops[i]);
  };
  return traceOf(flat, isTaken, known, wanted);
}
