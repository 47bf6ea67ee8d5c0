//===- Guard.cpp - what C++ asks of traced values --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Guard.h"

#include "lib/trace/HostFunction.h"
#include "lib/trace/RegionOp.h"

#include <tenon/format.h>

#include <algorithm>
#include <bit>
#include <optional>

using namespace tenon;

thread_local constinit uint32_t tenon::guardsHeld = 0;

// An Error without a place would be made anew by those who know one.
static Location known(Location at) {
  if (!at.known())
    at.file = "a program", at.line = 1;
  return at;
}

GuardFailed::GuardFailed(uint32_t number, int64_t answer, const std::string &place, Location at)
    : Error("this was recorded for another answer to what C++ asks for" + (place.empty() ? "" : " at " + place) +
                "; record it for these inputs, or use tn::where, tn::cond or tn::while_loop",
            known(at)),
      number(number), answer(answer) {}

static std::string placeOf(const TraceBody &body, size_t op) {
  if (op >= body.opLocations.size() || body.opLocations[op] >= body.locations.size())
    return "";
  const TraceLocation &at = body.locations[body.opLocations[op]];
  return at.file + ":" + std::to_string(at.line);
}

static void collect(const TraceBody &body, std::optional<size_t> outer, std::vector<Guard> &guards) {
  for (size_t i = 0; i < body.ops.size(); ++i) {
    const TraceOp &op = body.ops[i];
    if (op.code == OpCode::guard)
      guards.push_back({GuardAttrs::read({body.attributes.data() + op.attributes, op.attributeCount}).answer,
                        body.types[body.operands[op.operands]].dtype, outer.value_or(i), placeOf(body, i)});
    for (uint32_t k = 0; k < op.regionCount; ++k)
      if (const Trace &region = *body.regions[op.regions + k]; region.hasEffect())
        collect(region.body(), outer.value_or(i), guards);
  }
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
  collect(body, std::nullopt, guards);
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

static bool asksLate(const TraceBody &body, bool &isSeenBefore) {
  for (const TraceOp &op : body.ops) {
    if (op.code == OpCode::guard && isSeenBefore)
      return true;
    for (uint32_t k = 0; k < op.regionCount; ++k)
      if (const Trace &region = *body.regions[op.regions + k];
          region.hasEffect() && asksLate(region.body(), isSeenBefore))
        return true;
    isSeenBefore |= isSeen(body, op);
  }
  return false;
}
bool tenon::asksLate(const TraceBody &body) {
  bool isSeenBefore = false;
  return ::asksLate(body, isSeenBefore);
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

bool tenon::areAlike(const Trace &a, const Trace &b) {
  return a == b || (a.callsHost() && b.callsHost() && a.ops().size() == b.ops().size() &&
                    std::ranges::equal(a.inputs(), b.inputs()) && std::ranges::equal(a.outputs(), b.outputs()) &&
                    beginAlike(a.body(), b.body(), a.ops().size()));
}

namespace {
/// Two recordings up to op number `ops`.
class Beginnings {
public:
  Beginnings(const TraceBody &a, const TraceBody &b, size_t ops)
      : a(a), b(b), ops(ops), madeOfA(made(a, ops)), madeOfB(made(b, ops)) {}

  bool areAlike() const {
    for (size_t i = 0; i < ops; ++i) {
      const TraceOp &x = a.ops[i], &y = b.ops[i];
      if (x.firstResult != y.firstResult || x.results != y.results || !haveOperandsAlike(i) ||
          !(std::ranges::equal(words(a, x), words(b, y)) ||
            (x.code == OpCode::host_call && callAlike(words(a, x), words(b, y)))))
        return false;
      for (uint32_t k = 0; k < x.regionCount; ++k)
        if (!tenon::areAlike(*a.regions[x.regions + k], *b.regions[y.regions + k]))
          return false;
    }
    return madeOfA == madeOfB && std::equal(a.types.begin(), a.types.begin() + madeOfA, b.types.begin());
  }
  bool haveOperandsAlike(size_t op) const {
    const TraceOp &x = a.ops[op], &y = b.ops[op];
    return x.code == y.code && x.regionCount == y.regionCount &&
           std::ranges::equal(operands(a, x), operands(b, y), [&](ValueId one, ValueId other) {
             // What was captured comes after all results; it may be other arrays.
             return one < madeOfA && other < madeOfB
                        ? one == other
                        : one >= madeOfA && other >= madeOfB && a.types[one] == b.types[other];
           });
  }

private:
  static ValueId made(const TraceBody &body, size_t ops) {
    if (ops < body.ops.size())
      return body.ops[ops].firstResult;
    return body.ops.empty() ? 0 : body.ops.back().firstResult + body.ops.back().results;
  }
  static std::span<const int64_t> words(const TraceBody &body, const TraceOp &op) {
    return std::span(body.attributes).subspan(op.attributes, op.attributeCount);
  }
  static std::span<const ValueId> operands(const TraceBody &body, const TraceOp &op) {
    return std::span(body.operands).subspan(op.operands, op.operandCount);
  }

  const TraceBody &a, &b;
  const size_t ops;
  const ValueId madeOfA, madeOfB;
};
} // namespace

bool tenon::beginAlike(const TraceBody &a, const TraceBody &b, size_t ops) {
  return a.ops.size() >= ops && b.ops.size() >= ops && Beginnings(a, b, ops).areAlike();
}

bool tenon::asksAlike(const TraceBody &a, const TraceBody &b, size_t op) {
  if (a.ops.size() <= op || b.ops.size() <= op)
    return false;
  const Beginnings both(a, b, op);
  return both.areAlike() && both.haveOperandsAlike(op);
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
  for (TraceRef &region : body.regions)
    region = withoutGuards(region);
  return Trace::make(std::move(body));
}
