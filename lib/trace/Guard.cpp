//===- Guard.cpp - what C++ asks of traced values --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Guard.h"

#include "lib/trace/HostFunction.h"
#include "lib/trace/Interpreter.h"
#include "lib/trace/RegionOp.h"

#include <tenon/format.h>

#include <algorithm>
#include <bit>
#include <ranges>

using namespace tenon;

thread_local constinit uint32_t tenon::guardsHeld = 0;

// An Error without a place would be made anew by those who know one.
static Location known(Location at) {
  if (!at.known())
    at.file = "a program", at.line = 1;
  return at;
}

GuardFailed::GuardFailed(uint32_t number, int64_t answer, const std::string &place, Location at)
    : Error("the function was traced with another answer to a C++ branch" + (place.empty() ? "" : " at " + place) +
                "; trace it with these inputs, or use tn::where, tn::cond or tn::while_loop",
            known(at)),
      number(number), answer(answer) {}

static std::string placeOf(const TraceBody &body, size_t op) {
  if (op >= body.opLocations.size() || body.opLocations[op] >= body.locations.size())
    return "";
  const TraceLocation &at = body.locations[body.opLocations[op]];
  return at.file + ":" + std::to_string(at.line);
}

std::string tenon::answerText(const Guard &guard, int64_t answer) {
  const unsigned above = 64 - 8 * static_cast<unsigned>(item_size(guard.dtype));
  const auto bits = static_cast<uint64_t>(answer);
  switch (kind(guard.dtype)) {
  case Kind::boolean:
    return answer ? "true" : "false";
  case Kind::integer:
    return is_signed(guard.dtype) ? std::to_string(static_cast<int64_t>(bits << above) >> above) : std::to_string(bits);
  default:
    return answer == -1                ? "nan"
           : guard.dtype == Dtype::f32 ? format("{}", std::bit_cast<float>(static_cast<uint32_t>(bits)))
                                       : format("{}", std::bit_cast<double>(bits));
  }
}

std::vector<Guard> tenon::guardsOf(const TraceBody &body) {
  std::vector<Guard> guards;
  for (size_t i = 0; i < body.ops.size(); ++i)
    if (const TraceOp &op = body.ops[i]; op.code == OpCode::guard)
      guards.push_back({GuardAttrs::read({body.attributes.data() + op.attributes, op.attributeCount}).answer,
                        body.types[body.operands[op.operands]].dtype, i, placeOf(body, i)});
  return guards;
}

bool tenon::hasGuards(const TraceBody &body) {
  return std::ranges::any_of(body.ops, [](const TraceOp &op) { return op.code == OpCode::guard; }) ||
         std::ranges::any_of(body.regions,
                             [](const TraceRef &region) { return region->hasEffect() && hasGuards(region->body()); });
}

/// Whether the op, or one in its regions, has an effect other than those of the ops `besides`.
static bool hasOtherEffect(const TraceBody &body, const TraceOp &op, std::initializer_list<OpCode> besides) {
  if (opInfo(op.code).hasEffect)
    return std::ranges::find(besides, op.code) == besides.end();
  for (uint32_t k = 0; k < op.regionCount; ++k)
    if (const Trace &region = *body.regions[op.regions + k];
        region.hasEffect() && std::ranges::any_of(region.ops(), [&](const TraceOp &inner) {
          return hasOtherEffect(region.body(), inner, besides);
        }))
      return true;
  return false;
}
bool tenon::hasEffect(const TraceBody &body, const TraceOp &op) { return hasOtherEffect(body, op, {}); }
bool tenon::isSeen(const TraceBody &body, const TraceOp &op) {
  return hasOtherEffect(body, op, {OpCode::guard, OpCode::check});
}
bool tenon::happens(const TraceBody &body, const TraceOp &op) { return hasOtherEffect(body, op, {OpCode::guard}); }
bool tenon::happens(const TraceBody &body) {
  return std::ranges::any_of(body.ops, [&](const TraceOp &op) { return happens(body, op); });
}

bool tenon::asksLate(const TraceBody &body) {
  bool isSeenBefore = false;
  for (const TraceOp &op : body.ops) {
    if (op.code == OpCode::guard && isSeenBefore)
      return true;
    isSeenBefore |= isSeen(body, op);
  }
  return false;
}

/// Whether they call functions of one type with the same specs.
static bool callAlike(AttrWords a, AttrWords b) {
  HostCallAttrs x = HostCallAttrs::read(a);
  const HostCallAttrs y = HostCallAttrs::read(b);
  if (!HostFunction::areAlike(x.function, y.function))
    return false;
  x.function = y.function;
  return std::ranges::equal(wordsOf(x), b);
}

bool tenon::happensAlike(const TraceBody &a, const TraceOp &x, const TraceBody &b, const TraceOp &y) {
  if (x.code != y.code || x.results != y.results || x.regionCount != y.regionCount)
    return false;
  for (uint32_t k = 0; k < x.regionCount; ++k) {
    const TraceBody &one = a.regions[x.regions + k]->body(), &other = b.regions[y.regions + k]->body();
    auto happening = [](const TraceBody &body) {
      return std::views::filter(body.ops, [&](const TraceOp &op) { return happens(body, op); });
    };
    if (!std::ranges::equal(happening(one), happening(other), [&](const TraceOp &within, const TraceOp &like) {
          return happensAlike(one, within, other, like);
        }))
      return false;
  }
  return true;
}

bool tenon::areAlike(const Trace &a, const Trace &b) {
  return a == b || (a.callsHost() && b.callsHost() && a.ops().size() == b.ops().size() &&
                    std::ranges::equal(a.inputs(), b.inputs()) && std::ranges::equal(a.outputs(), b.outputs()) &&
                    beginAlike(a.body(), b.body(), a.ops().size()));
}

namespace {
std::span<const ValueId> operandsOf(const TraceBody &body, const TraceOp &op) {
  return std::span(body.operands).subspan(op.operands, op.operandCount);
}

/// Whether two ops are the same but for their operands.
bool doAlike(const TraceBody &a, const TraceOp &x, const TraceBody &b, const TraceOp &y) {
  auto words = [](const TraceBody &body, const TraceOp &op) {
    return std::span(body.attributes).subspan(op.attributes, op.attributeCount);
  };
  return x.code == y.code && x.operandCount == y.operandCount && x.results == y.results &&
         (std::ranges::equal(words(a, x), words(b, y)) ||
          (x.code == OpCode::host_call && callAlike(words(a, x), words(b, y)))) &&
         std::ranges::equal(std::span(a.regions).subspan(x.regions, x.regionCount),
                            std::span(b.regions).subspan(y.regions, y.regionCount),
                            [](const TraceRef &one, const TraceRef &other) { return areAlike(*one, *other); });
}

/// Two recordings up to op number `ops`.
class Beginnings {
public:
  Beginnings(const TraceBody &a, const TraceBody &b, size_t ops)
      : a(a), b(b), ops(ops), madeOfA(made(a, ops)), madeOfB(made(b, ops)) {}

  bool areAlike() const {
    for (size_t i = 0; i < ops; ++i) {
      const TraceOp &x = a.ops[i], &y = b.ops[i];
      if (x.firstResult != y.firstResult || !doAlike(a, x, b, y) ||
          !std::ranges::equal(operandsOf(a, x), operandsOf(b, y),
                              [&](ValueId one, ValueId other) { return isAlike(one, other); }))
        return false;
    }
    return madeOfA == madeOfB && std::equal(a.types.begin(), std::next(a.types.begin(), madeOfA), b.types.begin());
  }
  bool isAlike(ValueId one, ValueId other) const {
    // What was captured comes after all results; it may be other arrays.
    return one < madeOfA && other < madeOfB ? one == other
                                            : one >= madeOfA && other >= madeOfB && a.types[one] == b.types[other];
  }

private:
  static ValueId made(const TraceBody &body, size_t ops) {
    if (ops < body.ops.size())
      return body.ops[ops].firstResult;
    return body.ops.empty() ? 0 : body.ops.back().firstResult + body.ops.back().results;
  }
  const TraceBody &a, &b;
  const size_t ops;
  const ValueId madeOfA, madeOfB;
};
} // namespace

bool tenon::beginAlike(const TraceBody &a, const TraceBody &b, size_t ops) {
  return a.ops.size() >= ops && b.ops.size() >= ops && Beginnings(a, b, ops).areAlike();
}

bool tenon::asksAlike(const TraceBody &a, const TraceBody &b, size_t number) {
  const std::vector<Guard> guards = guardsOf(a), others = guardsOf(b);
  if (number >= guards.size() || number >= others.size() || guards[number].op != others[number].op)
    return false;
  const size_t op = guards[number].op;
  const Beginnings both(a, b, op);
  return both.areAlike() && both.isAlike(operandsOf(a, a.ops[op]).front(), operandsOf(b, b.ops[op]).front());
}

/// Up to one of its guards: what that depends on, and neither effects nor guards before it.
static TraceBody upTo(const TraceBody &whole, size_t last) {
  TraceBody body = whole;
  body.outputs.clear();
  body.ops.clear();
  body.opLocations.clear();
  for (TraceRef &region : body.regions)
    region = withoutEffects(*region);
  for (size_t i = 0; i <= last; ++i)
    if (i == last || !opInfo(whole.ops[i].code).hasEffect) {
      body.ops.push_back(whole.ops[i]);
      if (!whole.opLocations.empty())
        body.opLocations.push_back(whole.opLocations[i]);
    }
  return body;
}

void tenon::expectAnswers(const TraceBody &recorded, std::span<const Array> inputs) {
  const EmptyStack alone;
  const DetachedLocations detached;
  const uint32_t before = guardsHeld;
  for (size_t i = 0; i < recorded.ops.size(); ++i) {
    if (recorded.ops[i].code != OpCode::guard)
      continue;
    try {
      evaluateTrace(*Trace::make(upTo(recorded, i)), inputs);
    } catch (const GuardFailed &) {
      throw;
    } catch (const Error &) {
      break; // the question itself comes after what refuses
    }
  }
  guardsHeld = before;
}

TraceRef tenon::withoutGuards(const TraceRef &trace) {
  if (!hasGuards(trace->body()))
    return trace;
  TraceBody body = trace->body();
  std::vector<TraceOp> ops;
  std::vector<uint32_t> locations;
  for (size_t i = 0; i < body.ops.size(); ++i)
    if (body.ops[i].code != OpCode::guard) {
      ops.push_back(body.ops[i]);
      if (!body.opLocations.empty())
        locations.push_back(body.opLocations[i]);
    }
  body.ops = std::move(ops);
  body.opLocations = std::move(locations);
  return Trace::make(std::move(body));
}
