//===- BodyPlanner.cpp - plans one body of a schedule: sizes, views, buffers --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/BodyPlanner.h"
#include "runtime/kernels/Strides.h"
#include "runtime/program/Arena.h"

#include <algorithm>
#include <unordered_map>

using namespace tenon;
using namespace tenon::rt;

BodyPlanner::BodyPlanner(PlanContext &context, uint32_t number)
    : context(context), schedule(context.schedule), number(number), body(schedule.schedules[number]),
      out(context.plan.bodies[number]) {}

std::string BodyPlanner::run() {
  if (std::string error = planSizes(); !error.empty())
    return error;
  if (std::string error = planSlots(); !error.empty())
    return error;
  out.inputs = static_cast<uint32_t>(body.inputs.size());
  out.outputs = static_cast<uint32_t>(body.outputs.size());
  for (size_t i = 0; i < body.inputs.size(); ++i)
    addBuffer(Buffer::input, static_cast<uint32_t>(i), slots[body.inputs[i]].bytes);
  for (size_t i = 0; i < body.outputs.size(); ++i)
    addBuffer(Buffer::output, static_cast<uint32_t>(i), slots[body.outputs[i]].bytes);
  for (size_t i = 0; i < body.steps.size(); ++i)
    if (std::string error = bind(body.steps[i]); !error.empty())
      return "step " + std::to_string(i) + ": " + error;
  bindOutputs();
  shareBuffers();
  if (number == 0)
    findDonors();
  else
    findUpdates();
  placeBuffers();
  out.canFail = lastFailing >= 0;
  if (out.arenaBytes == SIZE_MAX)
    return "the temporaries are larger than the address space";
  for (SlotId id : body.inputs)
    context.inputs[number].push_back(slots[id].view);
  for (SlotId id : body.outputs)
    context.outputs[number].push_back(slots[id].view);
  return "";
}

//===----------------------------------------------------------------------===//
// Sizes, strides
//===----------------------------------------------------------------------===//

std::string BodyPlanner::planSizes() {
  sizes.reserve(body.sizes.size());
  for (size_t i = 0; i < body.sizes.size(); ++i) {
    std::optional<int64_t> value = evaluate(body, body.sizes[i], context.symbols);
    if (!value)
      return "size " + std::to_string(i) + " overflows or divides by less than 1";
    sizes.push_back(*value);
  }
  return "";
}

std::string BodyPlanner::planSlots() {
  size_t ranks = 0;
  for (const Slot &slot : body.slots)
    ranks += slot.rank;
  // Dims, strides, and strides once packed.
  out.sizes = std::make_unique<int64_t[]>(3 * ranks);
  int64_t *next = out.sizes.get();
  slots.resize(body.slots.size());
  for (SlotId id = 0; id < body.slots.size(); ++id) {
    const Slot &slot = body.slots[id];
    SlotState &state = slots[id];
    int64_t *dims = next, *strides = dims + slot.rank, *dense = strides + slot.rank;
    next = dense + slot.rank;
    state.view = {nullptr, slot.dtype, slot.rank, dims, strides};
    state.dense = {nullptr, slot.dtype, slot.rank, dims, dense};
    bool empty = false;
    for (int i = 0; i < slot.rank; ++i) {
      dims[i] = sizes[slot.dims + i];
      empty |= dims[i] == 0;
      if (dims[i] < 0)
        return "slot " + std::to_string(id) + ": expected sizes >= 0, got " + std::to_string(dims[i]);
    }
    auto bytes = static_cast<int64_t>(item_size(slot.dtype));
    for (int i = 0; i < slot.rank; ++i)
      if (__builtin_mul_overflow(bytes, std::max<int64_t>(dims[i], 1), &bytes)) // strides of none, too
        return "slot " + std::to_string(id) + ": its bytes overflow";
    state.bytes = empty ? 0 : static_cast<size_t>(bytes);
    denseStrides({dims, slot.rank}, dense);
    std::copy_n(dense, slot.rank, strides);
    // The caller's strides reach the library as they would eagerly, which packs what it must.
    if (number == 0 && slot.kind == Slot::input && context.callInputs[slot.source].strides)
      std::copy_n(context.callInputs[slot.source].strides, slot.rank, strides);
    if (slot.kind == Slot::view)
      if (std::string error = planView(id); !error.empty())
        return "slot " + std::to_string(id) + ": " + error;
  }
  return "";
}

std::vector<int64_t> BodyPlanner::evaluateAttributes(const OpInfo &info, uint32_t begin, uint32_t count) const {
  std::vector<int64_t> words(body.attributes.begin() + begin, body.attributes.begin() + begin + count);
  forEachDim(info, std::span(words), [&](int64_t &word) { word = sizes[static_cast<size_t>(word)]; });
  return words;
}

std::string BodyPlanner::planView(SlotId id) {
  const Slot &slot = body.slots[id];
  SlotState &state = slots[id];
  const View &source = slots[slot.source].view;
  const OpInfo &info = opInfo(slot.op);
  const std::vector<int64_t> words = evaluateAttributes(info, slot.attributes, slot.attributeCount);
  const std::span<const int64_t> dims(state.view.dims, slot.rank);
  ViewMap map;
  if (!mapView(info, {source.rank, slot.rank, words}, map) || !isInside(map, source, dims))
    return std::string(info.name) + " does not fit to slot " + std::to_string(slot.source);
  auto *strides = const_cast<int64_t *>(state.view.strides);
  std::optional<int64_t> offset = viewStrides(map, source, dims, strides);
  state.packsSource = !offset;
  state.viewOffset = offset.value_or(0);
  if (!offset)
    std::copy_n(state.dense.strides, slot.rank, strides);
  return "";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

uint32_t BodyPlanner::addBuffer(Buffer::Kind kind, uint32_t which, size_t bytes) {
  Buffer buffer;
  buffer.kind = kind;
  buffer.number = which;
  buffer.bytes = bytes;
  buffers.push_back(buffer);
  return static_cast<uint32_t>(buffers.size() - 1);
}

void BodyPlanner::touch(uint32_t buffer, int64_t step) {
  Buffer &used = buffers[buffer];
  if (used.first < 0)
    used.first = step;
  used.last = std::max(used.last, step);
}

BodyPlanner::Data BodyPlanner::addStepBlock(size_t bytes) {
  Data data{addBuffer(Buffer::arena, 0, bytes), 0};
  touch(data.buffer, static_cast<int64_t>(out.steps.size()));
  return data;
}

/// Where a slot's first element is; packs what its views need, now.
BodyPlanner::Data BodyPlanner::dataOf(SlotId id) {
  std::vector<SlotId> chain;
  SlotId at = id;
  for (; slots[at].data.buffer == noBuffer; at = body.slots[at].source) {
    chain.push_back(at);
    if (body.slots[at].kind != Slot::view)
      break;
  }
  for (; !chain.empty(); chain.pop_back()) {
    SlotState &state = slots[chain.back()];
    const Slot &slot = body.slots[chain.back()];
    if (slot.kind == Slot::input) {
      state.data = {slot.source, 0};
    } else if (slot.kind == Slot::temporary) {
      state.data = {addBuffer(Buffer::arena, 0, state.bytes), 0};
    } else if (state.packsSource) {
      state.data = denseData(slot.source);
    } else {
      state.data = slots[slot.source].data;
      state.data.offset += state.viewOffset * static_cast<int64_t>(item_size(slot.dtype));
    }
  }
  return slots[id].data;
}

/// The same, but row-major without gaps: packed once, at the first such use.
BodyPlanner::Data BodyPlanner::denseData(SlotId id) {
  Data data = dataOf(id);
  if (slots[id].view.isDense())
    return data;
  if (slots[id].packed.buffer == noBuffer) {
    slots[id].packed = {addBuffer(Buffer::arena, 0, slots[id].bytes), 0};
    emitCopy(data, slots[id].view, slots[id].packed, slots[id].bytes);
    addView(slots[id].dense);
  }
  return slots[id].packed;
}

/// The caller adds the view of the target.
void BodyPlanner::emitCopy(Data from, const View &view, Data to, size_t bytes) {
  BoundStep step;
  step.kind = BoundStep::copy;
  step.dense = view.isDense();
  step.bytes = bytes;
  step.places = static_cast<uint32_t>(places.size());
  step.operandCount = step.resultCount = 1;
  step.views = static_cast<uint32_t>(out.views.size());
  addPlace(from);
  addPlace(to);
  addView(view);
  frameScratch = std::max(frameScratch, 2 * sizeof(View));
  out.steps.push_back(step);
}

void BodyPlanner::addPlace(Data data) {
  touch(data.buffer, static_cast<int64_t>(out.steps.size()));
  places.push_back(data);
}

bool BodyPlanner::coversBuffer(SlotId id) const {
  const SlotState &state = slots[id];
  return state.data.offset == 0 && state.view.isDense() && state.bytes == buffers[state.data.buffer].bytes;
}

/// A temporary that is an output gets the caller's buffer; the rest is copied.
void BodyPlanner::bindOutputs() {
  for (uint32_t i = 0; i < body.outputs.size(); ++i) {
    SlotId id = body.outputs[i];
    const Slot &slot = body.slots[id];
    bool sameHandle = number == 0 && slot.kind == Slot::input;
    Data data = dataOf(id);
    Buffer &buffer = buffers[data.buffer];
    if (number == 0) {
      PlannedOutput &planned = context.plan.outputs.emplace_back();
      planned.kind = sameHandle ? PlannedOutput::input : PlannedOutput::fresh;
      planned.dtype = slot.dtype;
      planned.dims = {slots[id].view.dims, slot.rank};
      planned.bytes = slots[id].bytes;
      planned.source = sameHandle ? slot.source : 0;
    }
    if (sameHandle) {
      touch(data.buffer, end);
    } else if (buffer.kind == Buffer::arena && coversBuffer(id)) {
      buffer.kind = Buffer::output;
      buffer.number = i;
      touch(data.buffer, end);
    } else {
      emitCopy(data, slots[id].view, {out.inputs + i, 0}, slots[id].bytes);
      addView(slots[id].dense);
    }
  }
}

/// Results that are computed in place of an operand that ends there.
void BodyPlanner::shareBuffers() {
  // A temporary that becomes an output in place is in the output's memory from the start on:
  // the last ones first, so that it is so for a chain of them.
  for (auto sharing = sharings.rbegin(); sharing != sharings.rend(); ++sharing) {
    Buffer &operand = buffers[sharing->operand], &result = buffers[sharing->result];
    if (operand.kind != Buffer::arena || result.kind != Buffer::output || operand.last != sharing->step ||
        result.first != sharing->step || result.successorOf != UINT32_MAX || operand.bytes != result.bytes ||
        operand.bytes == 0)
      continue;
    result.successorOf = sharing->operand;
    operand.kind = Buffer::output;
    operand.number = result.number;
  }
  std::vector<int64_t> written(body.outputs.size(), end);
  for (const Buffer &buffer : buffers)
    if (buffer.kind == Buffer::output && buffer.first >= 0)
      written[buffer.number] = std::min(written[buffer.number], buffer.first);
  for (Buffer &buffer : buffers)
    if (buffer.kind == Buffer::output && buffer.first >= 0)
      buffer.first = written[buffer.number];
  for (const Sharing &sharing : sharings) {
    Buffer &operand = buffers[sharing.operand], &result = buffers[sharing.result];
    if (operand.kind != Buffer::arena || result.kind != Buffer::arena || operand.last != sharing.step ||
        operand.handedOn || result.successorOf != UINT32_MAX || operand.bytes == 0)
      continue;
    operand.handedOn = true;
    result.successorOf = sharing.operand;
  }
}

/// Inputs whose buffers outputs may take: as long, dead when the output is first
/// written (or read in place by that very step), and no step fails from then on.
void BodyPlanner::findDonors() {
  std::vector<PlannedOutput> &outputs = context.plan.outputs;
  std::vector<bool> given(body.inputs.size());
  auto give = [&](PlannedOutput &output, uint32_t input, int64_t step) {
    given[input] = true;
    output.donor = input;
    output.writtenAt = static_cast<uint32_t>(step);
    context.plan.mayReuseInputs = true;
  };
  auto mayGive = [&](const Buffer &result, uint32_t input, bool failsFirst = false) {
    return result.kind == Buffer::output && result.bytes > 0 && result.first + failsFirst > lastFailing &&
           !given[input] && buffers[input].bytes == result.bytes &&
           outputs[result.number].donor == PlannedOutput::noDonor;
  };
  for (const Sharing &sharing : sharings) {
    const Buffer &operand = buffers[sharing.operand], &result = buffers[sharing.result];
    if (operand.kind == Buffer::input && operand.last == sharing.step && result.first == sharing.step &&
        mayGive(result, operand.number, sharing.failsFirst))
      give(outputs[result.number], operand.number, result.first);
  }
  // By size: the inputs, those that end first in front.
  std::unordered_map<size_t, std::vector<uint32_t>> bySize;
  for (uint32_t input = 0; input < body.inputs.size(); ++input)
    bySize[buffers[input].bytes].push_back(input);
  for (auto &[bytes, inputs] : bySize)
    std::stable_sort(inputs.begin(), inputs.end(),
                     [&](uint32_t a, uint32_t b) { return buffers[a].last < buffers[b].last; });
  std::unordered_map<size_t, size_t> taken;
  for (const Buffer &result : buffers) {
    if (result.kind != Buffer::output || result.first < 0)
      continue;
    const std::vector<uint32_t> &inputs = bySize[result.bytes];
    size_t &next = taken[result.bytes];
    while (next < inputs.size() && given[inputs[next]])
      ++next;
    if (next < inputs.size() && buffers[inputs[next]].last < result.first && mayGive(result, inputs[next]))
      give(outputs[result.number], inputs[next], result.first);
  }
}

/// Inputs of a nested body that an output may be, changed in place: a loop then has one
/// buffer for a carry.
void BodyPlanner::findUpdates() {
  for (const Sharing &sharing : sharings) {
    const Buffer &operand = buffers[sharing.operand], &result = buffers[sharing.result];
    if (operand.kind == Buffer::input && result.kind == Buffer::output && operand.last == sharing.step &&
        result.first == sharing.step)
      out.updated.push_back({operand.number, result.number});
  }
}

void BodyPlanner::placeBuffers() {
  out.frameScratch = (1 + size_t(out.inputs) + out.outputs) * sizeof(void *);
  std::vector<ArenaBlock> blocks(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = buffers[i];
    if (buffer.kind != Buffer::arena || buffer.first < 0)
      continue; // stays a block without bytes
    blocks[i].bytes = buffer.bytes;
    blocks[i].first = static_cast<uint32_t>(buffer.first);
    blocks[i].last = static_cast<uint32_t>(buffer.last);
    blocks[i].successorOf = buffer.successorOf;
  }
  out.arenaBytes = placeBlocks(blocks, 0);
  const size_t nested = roundedToArena(out.frameScratch + frameScratch);
  out.frameBytes = nested + nestedFrames;
  for (RegionPlan &region : out.regions)
    for (RegionPlan::Body &its : region.bodies)
      its.frame += nested;
  out.places.reserve(places.size());
  for (const Data &data : places) {
    const Buffer &buffer = buffers[data.buffer];
    switch (buffer.kind) {
    case Buffer::input:
      out.places.push_back({1 + buffer.number, data.offset});
      break;
    case Buffer::output:
      out.places.push_back({1 + out.inputs + buffer.number, data.offset});
      break;
    case Buffer::arena:
      out.places.push_back({0, static_cast<int64_t>(blocks[data.buffer].offset) + data.offset});
      break;
    }
  }
}
