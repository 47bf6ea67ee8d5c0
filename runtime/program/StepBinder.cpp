//===- StepBinder.cpp - plans one body of a schedule: its steps ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/BodyPlanner.h"
#include "runtime/program/Executor.h"
#include "runtime/program/RegionRun.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::rt;

/// What waking a thread is small against, in tenths of a nanosecond.
static constexpr int64_t chunkCost = 200'000;

std::string BodyPlanner::bind(const Step &step) {
  BoundStep bound;
  bound.location = step.location;
  bound.operandCount = step.operandCount;
  bound.resultCount = step.resultCount;
  switch (step.kind) {
  case Step::launch:
    bindLaunch(step, bound);
    return "";
  case Step::library:
  case Step::host:
    return bindLibrary(step, bound);
  case Step::copy: {
    SlotId from = operandsOf(step)[0], to = resultsOf(step)[0];
    if (!std::ranges::equal(std::span(slots[from].view.dims, slots[from].view.rank),
                            std::span(slots[to].view.dims, slots[to].view.rank)))
      return "expected a copy between equal sizes";
    Data source = dataOf(from);
    emitCopy(source, slots[from].view, dataOf(to), slots[to].bytes);
    addView(slots[to].view);
    out.steps.back().location = step.location;
    return "";
  }
  case Step::region:
    return bindRegion(step, bound);
  }
  __builtin_unreachable();
}

void BodyPlanner::bindLaunch(const Step &step, BoundStep &bound) {
  const KernelInfo &info = schedule.kernels[step.target];
  std::vector<Data> data;
  for (SlotId id : operandsOf(step))
    data.push_back(denseData(id));
  for (SlotId id : resultsOf(step))
    data.push_back(dataOf(id));
  bound.kernel = context.kernels[step.target];
  bound.places = static_cast<uint32_t>(places.size());
  for (Data place : data)
    addPlace(place);
  bound.words = static_cast<uint32_t>(out.words.size());
  for (uint32_t i = 0; i < step.sizeCount; ++i)
    out.words.push_back(sizes[step.sizes + i]);
  out.words.insert(out.words.end(), body.attributes.begin() + step.attributes,
                   body.attributes.begin() + step.attributes + step.attributeCount);
  bound.wordCount = static_cast<uint32_t>(out.words.size()) - bound.words;

  bound.extent = bound.grain = 1;
  if (info.extent != KernelInfo::wholeExtent) {
    bound.extent = sizes[step.sizes + info.extent];
    int64_t unit = std::max<uint32_t>(info.costPerElement, 1);
    if (info.extent + 1 < step.sizeCount)
      unit = std::min(unit, chunkCost) * std::clamp<int64_t>(sizes[step.sizes + step.sizeCount - 1], 1, chunkCost);
    bound.grain = std::max<int64_t>(chunkCost / unit, 1);
    if (bound.grain > 64)
      bound.grain = (bound.grain + 63) / 64 * 64;
  }
  const bool chunked = bound.extent > bound.grain || context.plan.device != &hostDevice;
  bound.kind = chunked ? BoundStep::launchChunked : BoundStep::launch;
  int64_t perItem = info.scratchPerItem ? std::max<int64_t>(sizes[step.sizes + info.scratchSize], 0) : 0;
  bound.scratchBytes = info.scratchFixed + info.scratchPerItem * static_cast<size_t>(perItem);
  if (!chunked && bound.scratchBytes)
    addPlace(addStepBlock(bound.scratchBytes));
  if (info.canFail || (chunked && bound.scratchBytes > chunkStackBytes))
    lastFailing = static_cast<int64_t>(out.steps.size());

  for (auto [operand, result] : info.inPlace) {
    SlotId from = operandsOf(step)[operand];
    auto reads = std::count_if(data.begin(), data.begin() + step.operandCount,
                               [&](Data other) { return other.buffer == data[operand].buffer; });
    if (reads == 1 && data[operand].offset == 0 &&
        buffers[data[operand].buffer].bytes == buffers[data[step.operandCount + result].buffer].bytes &&
        slots[from].bytes == buffers[data[operand].buffer].bytes)
      sharings.push_back({static_cast<uint32_t>(out.steps.size()), data[operand].buffer,
                          data[step.operandCount + result].buffer, false});
  }
  frameScratch = std::max(frameScratch, data.size() * sizeof(void *));
  out.steps.push_back(bound);
}

std::string BodyPlanner::bindLibrary(const Step &step, BoundStep &bound) {
  bound.op = static_cast<OpCode>(step.target);
  const OpInfo &info = opInfo(bound.op);
  bound.kind = step.kind == Step::host ? BoundStep::host : BoundStep::library;
  bound.library_ = context.lookup(bound.op);
  if (!bound.library_)
    return std::string(info.name) + ": the runtime has no kernel of this op";
  std::vector<Data> data;
  for (SlotId id : operandsOf(step))
    data.push_back(dataOf(id));
  for (SlotId id : resultsOf(step))
    data.push_back(dataOf(id));
  bound.places = static_cast<uint32_t>(places.size());
  for (Data place : data)
    addPlace(place);
  bound.views = static_cast<uint32_t>(out.views.size());
  for (uint32_t i = 0; i < data.size(); ++i)
    addView(slots[body.slotIds[step.operands + i]].view);
  std::vector<int64_t> words = evaluateAttributes(info, step.attributes, step.attributeCount);
  bound.words = static_cast<uint32_t>(out.words.size());
  bound.wordCount = static_cast<uint32_t>(words.size());
  out.words.insert(out.words.end(), words.begin(), words.end());
  lastFailing = static_cast<int64_t>(out.steps.size());
  frameScratch = std::max(frameScratch, data.size() * sizeof(View));
  // Elementwise kernels may write over a dense operand of the result's type, others over
  // the one that they update.
  for (uint32_t i = 0; i < step.operandCount; ++i) {
    const bool isUpdated = static_cast<int>(i) == info.updated;
    if (!info.isElementwise && !isUpdated)
      continue;
    SlotId from = operandsOf(step)[i], to = resultsOf(step)[0];
    auto reads =
        std::count_if(data.begin(), data.end() - 1, [&](Data other) { return other.buffer == data[i].buffer; });
    if (reads == 1 && coversBuffer(from) && slots[from].view.dtype == slots[to].view.dtype &&
        slots[from].bytes == slots[to].bytes)
      sharings.push_back({static_cast<uint32_t>(out.steps.size()), data[i].buffer, data.back().buffer, isUpdated});
  }
  out.steps.push_back(bound);
  return "";
}

/// Whether the slots have the sizes that a nested body states; those in `sliced`
/// walk along axis 0.
std::string BodyPlanner::expectSizes(const char *what, uint32_t target, std::span<const View> types,
                                     std::span<const SlotId> ids, const std::vector<bool> &sliced, int64_t rounds) {
  for (uint32_t i = 0; i < ids.size(); ++i) {
    std::span<const int64_t> dims(slots[ids[i]].view.dims, slots[ids[i]].view.rank);
    bool fits = true;
    if (!sliced.empty() && sliced[i]) {
      fits = dims[0] == rounds;
      dims = dims.subspan(1);
    }
    if (!fits || !std::ranges::equal(dims, std::span(types[i].dims, types[i].rank)))
      return std::string(what) + " " + std::to_string(i) + " of schedule " + std::to_string(target) +
             " has other sizes than slot " + std::to_string(ids[i]);
  }
  return "";
}

/// What the record says of the op's operands, for these sizes.
std::string BodyPlanner::planRegion(const Step &step, const RegionLayout &layout, RegionPlan &plan) {
  const OpInfo &info = opInfo(static_cast<OpCode>(step.target));
  std::span<const SlotId> operands = operandsOf(step), results = resultsOf(step);
  const RegionLayout::Group carried = layout.carries();
  std::span<const SlotId> carries = operands.subspan(carried.begin, carried.size);
  // The slices of a stack of none have no bytes to move by.
  auto sliceBytes = [&](SlotId id) {
    return static_cast<int64_t>(slots[id].bytes) / std::max<int64_t>(plan.rounds, 1);
  };
  for (SlotId id : carries)
    plan.carryBytes.push_back(static_cast<int64_t>(slots[id].bytes));
  if (isLoop(info))
    for (SlotId id : results.subspan(carries.size()))
      plan.stackedBytes.push_back(sliceBytes(id));
  for (uint32_t r = 0; r < step.bodyCount; ++r) {
    RegionPlan::Body &made = plan.bodies.emplace_back();
    made.number = body.bodies[step.bodies + r];
    std::vector<SlotId> ids;
    std::vector<bool> sliced, stacked(results.size());
    for (size_t operand : layout.inputsOf(r)) {
      if (operand == carried.begin && !carries.empty())
        made.firstCarry = static_cast<uint32_t>(ids.size());
      sliced.push_back(layout.flowOf(operand) == Flow::sliced);
      if (sliced.back())
        plan.slices.push_back(
            {static_cast<uint32_t>(ids.size()), static_cast<uint32_t>(operand), sliceBytes(operands[operand])});
      made.inputs.push_back(static_cast<uint32_t>(operand));
      ids.push_back(operands[operand]);
    }
    std::fill(stacked.begin() + static_cast<ptrdiff_t>(carries.size()), stacked.end(), isLoop(info));
    const std::vector<View> &outputs = context.outputs[made.number];
    std::string error = expectSizes("input", made.number, context.inputs[made.number], ids, sliced, plan.rounds);
    const Returned returned = regionInfo(info, r).returned;
    if (error.empty() && returned != Returned::answer)
      error = expectSizes("output", made.number, outputs, results, stacked, plan.rounds);
    if (error.empty() && returned == Returned::round)
      error = expectSizes("output", made.number, outputs, carries);
    if (!error.empty())
      return error;
    const ScheduleBody &nested = schedule.schedules[made.number];
    if (returned == Returned::round)
      for (uint32_t i = 0; i < carries.size(); ++i) {
        plan.fixed.push_back(nested.outputs[i] == nested.inputs[made.firstCarry + i]);
        plan.updated.push_back(context.plan.bodies[made.number].updates(made.firstCarry + i, i));
      }
  }
  return "";
}

/// What a loop updates round by round it may have from the start on where the result is.
void BodyPlanner::shareCarries(const Step &step, const RegionLayout &layout, const RegionPlan &plan,
                               std::span<const Data> data) {
  const RegionLayout::Group carried = layout.carries();
  for (uint32_t i = 0; i < plan.updated.size(); ++i) {
    const Data &from = data[carried.begin + i], &to = data[step.operandCount + i];
    const auto reads = std::count_if(data.begin(), data.begin() + step.operandCount,
                                     [&](const Data &other) { return other.buffer == from.buffer; });
    if (plan.updated[i] && reads == 1 && from.offset == 0 && buffers[from.buffer].bytes == buffers[to.buffer].bytes)
      sharings.push_back({static_cast<uint32_t>(out.steps.size()), from.buffer, to.buffer, false});
  }
}

std::string BodyPlanner::bindRegion(const Step &step, BoundStep &bound) {
  const OpInfo &info = opInfo(static_cast<OpCode>(step.target));
  RegionPlan plan;
  plan.run = regionRunner(static_cast<OpCode>(step.target));
  plan.words = evaluateAttributes(info, step.attributes, step.attributeCount);
  const bool isCounted = info.rounds >= 0;
  if (isCounted)
    plan.rounds = roundsOf(info, plan.words)[0].raw();
  if (plan.rounds < 0)
    return std::string(info.name) + ": expected a " + info.attributes[static_cast<size_t>(info.rounds)].name +
           " >= 0, got " + std::to_string(plan.rounds);
  RegionLayout layout;
  if (std::string error = layout.read(info, step.operandCount, plan.words); !error.empty())
    return error;
  if (std::string error = planRegion(step, layout, plan); !error.empty())
    return error;

  std::vector<Data> data;
  for (SlotId id : operandsOf(step))
    data.push_back(denseData(id));
  for (SlotId id : resultsOf(step))
    data.push_back(dataOf(id));
  bound.kind = BoundStep::region;
  bound.places = static_cast<uint32_t>(places.size());
  for (Data place : data)
    addPlace(place);
  auto addBlock = [&](size_t bytes) {
    addPlace(addStepBlock(bytes));
    return static_cast<uint32_t>(places.size() - 1 - bound.places);
  };
  plan.spares = static_cast<uint32_t>(data.size());
  for (size_t i = 0; i < plan.carryBytes.size(); ++i) {
    const bool stays = plan.fixed[i] || plan.updated[i] || (isCounted && plan.rounds < 2);
    addBlock(stays ? 0 : static_cast<size_t>(plan.carryBytes[i]));
  }
  shareCarries(step, layout, plan, data);
  // Of bodies that return the op's results one runs, so one arena serves them.
  size_t shared = 0;
  for (RegionPlan::Body &nested : plan.bodies)
    shared = std::max(shared, context.plan.bodies[nested.number].arenaBytes);
  const uint32_t sharedArena = isLoop(info) ? 0 : addBlock(shared);
  size_t frames = 0;
  bool canFail = isLoop(info) && !isCounted; // one that may never end must stay cancellable
  for (size_t r = 0; r < plan.bodies.size(); ++r) {
    RegionPlan::Body &nested = plan.bodies[r];
    const BodyPlan &its = context.plan.bodies[nested.number];
    canFail |= its.canFail;
    nested.arena = isLoop(info) ? addBlock(its.arenaBytes) : sharedArena;
    nested.frame = isLoop(info) ? frames : 0;
    frames = isLoop(info) ? frames + its.frameBytes : std::max(frames, its.frameBytes);
    if (regionInfo(info, r).returned == Returned::answer)
      nested.answer = addBlock(1);
  }
  nestedFrames = std::max(nestedFrames, frames); // of two steps one runs at a time
  if (canFail)
    lastFailing = static_cast<int64_t>(out.steps.size());
  bound.plan = static_cast<uint32_t>(out.regions.size());
  out.regions.push_back(std::move(plan));
  out.steps.push_back(bound);
  return "";
}
