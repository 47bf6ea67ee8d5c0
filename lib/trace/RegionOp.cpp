//===- RegionOp.cpp - rewriting the traces of region ops ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/RegionOp.h"

#include "dialect/model/RegionLayout.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/trace/Bytes.h"

#include <algorithm>
#include <list>
#include <span>

using namespace tenon;

TraceRef tenon::arrangeInputs(const Trace &trace, std::span<const Type> types, std::span<const size_t> places) {
  TraceBody body = trace.body();
  std::vector<ValueId> inputs(types.size(), UINT32_MAX);
  for (size_t i = 0; i < places.size(); ++i)
    inputs[places[i]] = body.inputs[i];
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] == UINT32_MAX) {
      inputs[i] = static_cast<ValueId>(body.types.size());
      body.types.push_back(types[i]);
    }
  body.inputs = std::move(inputs);
  return Trace::make(std::move(body));
}

TraceRef tenon::withoutEffects(const Trace &trace) {
  if (!trace.hasEffect())
    return TraceRef::share(&trace);
  TraceBody body = trace.body();
  // What gives a result to what is left out is, too.
  std::vector<bool> isUsed(body.types.size()), stays(body.ops.size());
  for (const ValueId output : body.outputs)
    isUsed[output] = true;
  for (size_t i = body.ops.size(); i-- > 0;) {
    const TraceOp &op = body.ops[i];
    const auto first = isUsed.begin() + op.firstResult;
    stays[i] = std::find(first, first + op.results, true) != first + op.results;
    for (uint32_t k = 0; stays[i] && k < op.operandCount; ++k)
      isUsed[body.operands[op.operands + k]] = true;
  }
  std::vector<TraceOp> ops;
  std::vector<uint32_t> locations;
  for (size_t i = 0; i < body.ops.size(); ++i) {
    if (!stays[i])
      continue;
    ops.push_back(body.ops[i]);
    if (!body.opLocations.empty())
      locations.push_back(body.opLocations[i]);
  }
  for (TraceRef &region : body.regions)
    region = withoutEffects(*region);
  body.ops = std::move(ops);
  body.opLocations = std::move(locations);
  return Trace::make(std::move(body));
}

std::vector<bool> tenon::usedInputs(const Trace &trace) {
  // A trace numbers its inputs first.
  std::vector<bool> used(trace.inputs().size());
  auto mark = [&](std::span<const ValueId> values) {
    for (ValueId value : values)
      if (value < used.size())
        used[value] = true;
  };
  for (const TraceOp &op : trace.ops())
    mark(trace.operands(op));
  mark(trace.outputs());
  return used;
}

static std::vector<bool> neededFor(const std::vector<bool> &outputs, const Trace &trace);

/// By operand of a loop: whether its needed results, or how often it runs, can depend on it.
static std::vector<bool> neededOperands(const Trace &trace, const TraceOp &op, std::vector<bool> results) {
  const OpInfo &info = opInfo(op.code);
  RegionLayout layout;
  layout.read(info, op.operandCount, trace.attributes(op));
  const RegionLayout::Group carried = layout.carries();
  std::vector<bool> operands(op.operandCount);
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i] = !layout.reachesResults(i);
  // A carry that a round needs is needed of the round before.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t r = 0; r < trace.regions(op).size(); ++r) {
      const bool isRound = regionInfo(info, r).returned == Returned::round;
      const Trace &region = *trace.regions(op)[r];
      const std::vector<bool> inputs =
          neededFor(isRound ? results : std::vector<bool>(region.outputs().size(), true), region);
      const std::vector<size_t> operandOf = layout.inputsOf(r);
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i])
          continue;
        operands[operandOf[i]] = true;
        if (const size_t carry = operandOf[i] - carried.begin; carry < carried.size && !results[carry])
          results[carry] = changed = true;
      }
    }
  }
  for (size_t k = 0; k < carried.size; ++k)
    if (results[k])
      operands[carried.begin + k] = true;
  return operands;
}

static std::vector<bool> neededFor(const std::vector<bool> &outputs, const Trace &trace) {
  std::vector<bool> isNeeded(trace.body().types.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i])
      isNeeded[trace.outputs()[i]] = true;
  for (size_t i = trace.ops().size(); i-- > 0;) {
    const TraceOp &op = trace.ops()[i];
    const OpInfo &info = opInfo(op.code);
    const auto first = isNeeded.begin() + op.firstResult;
    const std::vector<bool> results(first, first + op.results);
    const bool hasEffect = info.hasEffect || std::ranges::any_of(trace.regions(op), [](const TraceRef &region) {
                             return region->hasEffect() || region->callsHost();
                           });
    if (!hasEffect && std::ranges::find(results, true) == results.end())
      continue;
    std::vector<bool> operands(op.operandCount, true);
    if (isLoop(info) && !hasEffect)
      operands = neededOperands(trace, op, results);
    for (size_t k = 0; k < operands.size(); ++k)
      if (operands[k])
        isNeeded[trace.operands(op)[k]] = true;
  }
  isNeeded.resize(trace.inputs().size()); // a trace numbers its inputs first
  return isNeeded;
}
std::vector<bool> tenon::neededInputs(const Trace &trace) {
  return neededFor(std::vector<bool>(trace.outputs().size(), true), trace);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Equal values in this process: sizes are numbers of interned expressions. So are the
/// names: what is made of a function is called after it.
static bool identical(const Trace &a, const Trace &b) {
  if (&a == &b)
    return true;
  const TraceBody &x = a.body(), &y = b.body();
  return x.name == y.name && x.types == y.types && x.inputs == y.inputs && x.outputs == y.outputs &&
         x.operands == y.operands && x.attributes == y.attributes && x.ops == y.ops &&
         x.regions.size() == y.regions.size() &&
         std::equal(x.regions.begin(), x.regions.end(), y.regions.begin(),
                    [](const TraceRef &p, const TraceRef &q) { return identical(*p, *q); });
}

static bool matches(const PlanKey &a, const PlanKey &b) {
  return a.use == b.use && a.op == b.op && a.operands == b.operands && a.size.raw() == b.size.raw() &&
         a.attributes == b.attributes && a.regions.size() == b.regions.size() &&
         std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(),
                    [](const TraceRef &p, const TraceRef &q) { return identical(*p, *q); });
}

static uint64_t hashOf(const PlanKey &key) {
  std::vector<uint64_t> words{static_cast<uint64_t>(key.op), static_cast<uint64_t>(key.use)};
  for (const TraceRef &region : key.regions)
    words.push_back(region->hash());
  return hashBytes(std::as_bytes(std::span(words)));
}

namespace {
struct Entry {
  PlanKey key;
  std::shared_ptr<const void> plan;
  uint64_t hash;
  size_t bytes;
};
struct PlanCache {
  rt::ForkLock lock{rt::LockOrder::derivedTraces};
  /// The most recently used first.
  std::list<Entry> entries;
  std::unordered_multimap<uint64_t, std::list<Entry>::iterator> byHash;
  size_t bytes = 0;
  uint64_t made = 0;
};
} // namespace

static constexpr size_t byteLimit = size_t(64) << 20;

static PlanCache &cache() {
  static constinit rt::Lasting<PlanCache> instance;
  return instance.get();
}

std::shared_ptr<const void> tenon::findPlan(const PlanKey &key) {
  uint64_t hash = hashOf(key);
  PlanCache &all = cache();
  std::lock_guard lock(all.lock);
  auto [begin, end] = all.byHash.equal_range(hash);
  for (auto place = begin; place != end; ++place)
    if (matches(place->second->key, key)) {
      all.entries.splice(all.entries.begin(), all.entries, place->second);
      return place->second->plan;
    }
  return nullptr;
}

void tenon::keepPlan(PlanKey key, std::shared_ptr<const void> plan, std::span<const RegionOp *const> ops) {
  // A function of the process's would live as long as the plan.
  if (std::ranges::any_of(key.regions, [](const TraceRef &region) { return region->holdsHost(); }))
    return;
  uint64_t hash = hashOf(key);
  size_t bytes = sizeof(Entry);
  for (const TraceRef &region : key.regions)
    bytes += region->bytes().size();
  for (const RegionOp *op : ops)
    for (const TraceRef &region : op->regions)
      bytes += region->bytes().size();
  PlanCache &all = cache();
  std::lock_guard lock(all.lock);
  ++all.made;
  std::list<Entry> fresh; // what may throw first
  fresh.push_front({std::move(key), std::move(plan), hash, bytes});
  all.byHash.emplace(hash, fresh.begin());
  all.entries.splice(all.entries.begin(), fresh);
  all.bytes += bytes;
  while (all.bytes > byteLimit && all.entries.size() > 1) {
    auto last = std::prev(all.entries.end());
    auto [begin, end] = all.byHash.equal_range(last->hash);
    all.byHash.erase(std::find_if(begin, end, [&](const auto &place) { return place.second == last; }));
    all.bytes -= last->bytes;
    all.entries.erase(last);
  }
}

void tenon::forgetPlans() {
  PlanCache &all = cache();
  std::list<Entry> dropped; // goes when the lock has been given back
  std::lock_guard lock(all.lock);
  all.byHash.clear();
  dropped.swap(all.entries);
  all.bytes = 0;
}

uint64_t tenon::plansMade() {
  PlanCache &all = cache();
  std::lock_guard lock(all.lock);
  return all.made;
}
