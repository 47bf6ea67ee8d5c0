//===- StepBinder.cpp - plans one body of a schedule: its steps ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/BodyPlanner.h"
#include "runtime/program/Executor.h"

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
  case Step::print:
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
  case Step::branch:
  case Step::call:
    return bindNested(step, bound);
  case Step::loopWhile:
  case Step::scan:
    return bindLoop(step, bound);
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

  bound.extent = bound.grain = 1;
  if (info.extent != KernelInfo::wholeExtent) {
    bound.extent = sizes[step.sizes + info.extent];
    int64_t unit = std::max<uint32_t>(info.costPerElement, 1);
    for (uint32_t i = 0; i < step.sizeCount; ++i)
      if (i != info.extent)
        unit = std::min(unit, chunkCost) * std::clamp<int64_t>(sizes[step.sizes + i], 1, chunkCost);
    bound.grain = std::max<int64_t>(chunkCost / unit, 1);
    if (bound.grain > 64)
      bound.grain = (bound.grain + 63) / 64 * 64;
  }
  bool chunked = bound.extent > bound.grain;
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
      sharings.push_back(
          {static_cast<uint32_t>(out.steps.size()), data[operand].buffer, data[step.operandCount + result].buffer});
  }
  frameScratch = std::max(frameScratch, data.size() * sizeof(void *));
  out.steps.push_back(bound);
}

std::string BodyPlanner::bindLibrary(const Step &step, BoundStep &bound) {
  bound.op = static_cast<OpCode>(step.target);
  const OpInfo &info = opInfo(bound.op);
  bound.kind = step.kind == Step::print ? BoundStep::print : BoundStep::library;
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
  // Elementwise kernels may write over a dense operand of the result's type.
  for (uint32_t i = 0; info.isElementwise && i < step.operandCount; ++i) {
    SlotId from = operandsOf(step)[i], to = resultsOf(step)[0];
    auto reads =
        std::count_if(data.begin(), data.end() - 1, [&](Data other) { return other.buffer == data[i].buffer; });
    if (reads == 1 && coversBuffer(from) && slots[from].view.dtype == slots[to].view.dtype &&
        slots[from].bytes == slots[to].bytes)
      sharings.push_back({static_cast<uint32_t>(out.steps.size()), data[i].buffer, data.back().buffer});
  }
  out.steps.push_back(bound);
  return "";
}

/// Whether the slots have the sizes that a nested body states.
std::string BodyPlanner::expectSizes(const char *what, uint32_t target, std::span<const View> types,
                                     std::span<const SlotId> ids, uint32_t sliced, int64_t length) {
  for (uint32_t i = 0; i < ids.size(); ++i) {
    std::span<const int64_t> dims(slots[ids[i]].view.dims, slots[ids[i]].view.rank);
    bool fits = true;
    if (i >= sliced) {
      fits = dims[0] == length;
      dims = dims.subspan(1);
    }
    if (!fits || !std::ranges::equal(dims, std::span(types[i].dims, types[i].rank)))
      return std::string(what) + " " + std::to_string(i) + " of schedule " + std::to_string(target) +
             " has other sizes than slot " + std::to_string(ids[i]);
  }
  return "";
}

std::string BodyPlanner::bindNested(const Step &step, BoundStep &bound) {
  bool isBranch = step.kind == Step::branch;
  bound.kind = isBranch ? BoundStep::branch : BoundStep::call;
  bound.target = step.target;
  bound.target2 = isBranch ? step.target2 : step.target;
  size_t arena = 0;
  bool canFail = false;
  for (uint32_t target : {bound.target, bound.target2}) {
    const BodyPlan &nested = context.plan.bodies[target];
    std::string error =
        expectSizes("input", target, context.inputs[target], operandsOf(step).subspan(isBranch ? 1 : 0));
    if (error.empty())
      error = expectSizes("output", target, context.outputs[target], resultsOf(step));
    if (!error.empty())
      return error;
    arena = std::max(arena, nested.arenaBytes);
    canFail |= nested.canFail;
  }
  std::vector<Data> data;
  for (SlotId id : operandsOf(step))
    data.push_back(denseData(id));
  for (SlotId id : resultsOf(step))
    data.push_back(dataOf(id));
  if (canFail)
    lastFailing = static_cast<int64_t>(out.steps.size());
  bound.places = static_cast<uint32_t>(places.size());
  for (Data place : data)
    addPlace(place);
  addPlace(addStepBlock(arena));
  out.steps.push_back(bound);
  return "";
}

std::string BodyPlanner::bindLoop(const Step &step, BoundStep &bound) {
  bool isScan = step.kind == Step::scan;
  bound.kind = isScan ? BoundStep::scan : BoundStep::loopWhile;
  bound.target = step.target;
  bound.target2 = step.target2;
  std::span<const SlotId> operands = operandsOf(step), results = resultsOf(step);
  std::vector<int64_t> words =
      evaluateAttributes(opInfo(isScan ? OpCode::scan : OpCode::while_loop), step.attributes, step.attributeCount);
  LoopPlan loop;
  if (isScan) {
    ScanAttrs a = ScanAttrs::read(words);
    loop.consts = static_cast<uint32_t>(a.consts);
    loop.carries = static_cast<uint32_t>(a.carries);
    loop.slicedInputs = static_cast<uint32_t>(operands.size()) - loop.consts - loop.carries;
    loop.stackedOutputs = static_cast<uint32_t>(results.size()) - loop.carries;
    loop.length = a.length[0].raw();
    loop.reverse = a.reverse;
    if (loop.length < 0)
      return "scan: expected a length >= 0, got " + std::to_string(loop.length);
  } else {
    WhileLoopAttrs a = WhileLoopAttrs::read(words);
    loop.condConsts = static_cast<uint32_t>(a.cond_consts);
    loop.consts = static_cast<uint32_t>(a.body_consts);
    loop.carries = static_cast<uint32_t>(results.size());
  }
  uint32_t target = isScan ? bound.target : bound.target2;
  std::span<const SlotId> bodyOperands = operands.subspan(loop.condConsts);
  std::span<const SlotId> carries = bodyOperands.subspan(loop.consts, loop.carries);
  std::string error =
      expectSizes("input", target, context.inputs[target], bodyOperands, loop.consts + loop.carries, loop.length);
  if (error.empty())
    error = expectSizes("output", target, context.outputs[target], results, loop.carries, loop.length);
  if (error.empty())
    error = expectSizes("output", target, context.outputs[target], carries);
  if (error.empty() && !isScan) {
    std::vector<SlotId> condOperands(operands.begin(), operands.begin() + loop.condConsts);
    condOperands.insert(condOperands.end(), carries.begin(), carries.end());
    error = expectSizes("input", bound.target, context.inputs[bound.target], condOperands);
  }
  if (!error.empty())
    return error;

  const ScheduleBody &nested = schedule.schedules[target];
  for (uint32_t i = 0; i < loop.carries; ++i) {
    loop.bytes.push_back(static_cast<int64_t>(slots[carries[i]].bytes));
    loop.fixed.push_back(nested.outputs[i] == nested.inputs[loop.consts + i]);
  }
  // The slices of a stack of none have no bytes to move by.
  auto addSlices = [&](SlotId id) {
    loop.bytes.push_back(static_cast<int64_t>(slots[id].bytes) / std::max<int64_t>(loop.length, 1));
  };
  std::ranges::for_each(bodyOperands.subspan(loop.consts + loop.carries), addSlices);
  std::ranges::for_each(results.subspan(loop.carries), addSlices);

  std::vector<Data> data;
  for (SlotId id : operands)
    data.push_back(denseData(id));
  for (SlotId id : results)
    data.push_back(dataOf(id));
  bound.places = static_cast<uint32_t>(places.size());
  for (Data place : data)
    addPlace(place);
  for (uint32_t i = 0; i < loop.carries; ++i)
    addPlace(addStepBlock(loop.fixed[i] || (isScan && loop.length < 2) ? 0 : static_cast<size_t>(loop.bytes[i])));
  addPlace(addStepBlock(context.plan.bodies[target].arenaBytes));
  if (!isScan) {
    addPlace(addStepBlock(1));
    addPlace(addStepBlock(context.plan.bodies[bound.target].arenaBytes));
  }
  // A loop that may never end must stay cancellable, as if it could fail.
  if (!isScan || context.plan.bodies[target].canFail)
    lastFailing = static_cast<int64_t>(out.steps.size());
  bound.loop = static_cast<uint32_t>(out.loops.size());
  out.loops.push_back(std::move(loop));
  out.steps.push_back(bound);
  return "";
}
