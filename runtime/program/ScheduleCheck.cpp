//===- ScheduleCheck.cpp - what must hold of a schedule before it is planned -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After this the planner may follow every index without a test. What depends on
// the values of sizes is the planner's to check.
//===----------------------------------------------------------------------===//
#include "runtime/program/Schedule.h"

#include "dialect/model/Views.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::rt;

static std::string str(uint64_t value) { return std::to_string(value); }

static std::string typeText(const Slot &slot) {
  return std::string(short_name(slot.dtype)) + " of rank " + str(slot.rank);
}

static bool inside(uint32_t begin, uint64_t length, size_t size) { return begin + length <= size; }

namespace {
class BodyChecker {
public:
  BodyChecker(const Schedule &schedule, uint32_t number)
      : schedule(schedule), number(number), body(schedule.schedules[number]), roots(body.slots.size()),
        defined(body.slots.size()) {}

  std::string check();
  std::string checkRequirements() const;

private:
  std::string checkSize(const SizeExpr &size) const;
  std::string checkSlot(SlotId id);
  std::string checkInputs();
  std::string checkStep(const Step &step);
  std::string checkLaunch(const Step &step) const;
  std::string checkLibrary(const Step &step) const;
  std::string checkRegion(const Step &step) const;
  std::string readTypes(uint32_t target, RegionType &types) const;
  std::string checkWords(const OpInfo &info, uint32_t begin, uint32_t count) const;

  const Schedule &schedule;
  uint32_t number;
  const ScheduleBody &body;
  /// By slot: what it looks into in the end, itself if it is no view.
  std::vector<SlotId> roots;
  /// By slot that is no view: whether it has a value at the step looked at.
  std::vector<bool> defined;
};
} // namespace

std::string BodyChecker::checkSize(const SizeExpr &size) const {
  if (!inside(size.begin, size.length, body.sizeCode.size()))
    return "a size is outside of the code";
  std::span<const int64_t> code(body.sizeCode.data() + size.begin, size.length);
  int depth = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    switch (static_cast<SizeOp>(code[i])) {
    case SizeOp::symbol:
      if (i + 1 < code.size() && static_cast<uint64_t>(code[i + 1]) >= schedule.symbols.size())
        return "expected a symbol below " + str(schedule.symbols.size()) + ", got " + std::to_string(code[i + 1]);
      [[fallthrough]];
    case SizeOp::constant:
      if (++i == code.size())
        return "a size ends within an operand";
      if (++depth > maxSizeDepth)
        return "a size needs more than " + str(maxSizeDepth) + " values at once";
      break;
    case SizeOp::add:
    case SizeOp::multiply:
    case SizeOp::floorDivide:
      if (--depth < 1)
        return "a size takes a value from an empty stack";
      break;
    default:
      return "expected an operation of a size, got " + std::to_string(code[i]);
    }
  }
  return depth == 1 ? "" : "expected one value of a size, got " + std::to_string(depth);
}

std::string BodyChecker::checkWords(const OpInfo &info, uint32_t begin, uint32_t count) const {
  if (!inside(begin, count, body.attributes.size()))
    return "attribute words outside of the table";
  std::vector<int64_t> words(body.attributes.begin() + begin, body.attributes.begin() + begin + count);
  if (std::string error = checkAttributes(info, words); !error.empty())
    return error;
  std::string error;
  forEachDim(info, std::span(words), [&](int64_t word) {
    if (word < 0 || static_cast<uint64_t>(word) >= body.sizes.size())
      error = std::string(info.name) + ": expected a size below " + str(body.sizes.size()) + ", got " +
              std::to_string(word);
  });
  return error;
}

std::string BodyChecker::checkSlot(SlotId id) {
  const Slot &slot = body.slots[id];
  if (slot.rank > max_rank || !inside(slot.dims, slot.rank, body.sizes.size()))
    return "its " + str(slot.rank) + " sizes are outside of the table";
  roots[id] = id;
  if (slot.kind != Slot::view)
    return "";
  if (slot.source >= id)
    return "expected a view of a smaller slot, got " + str(slot.source);
  roots[id] = roots[slot.source];
  const Slot &source = body.slots[slot.source];
  if (source.dtype != slot.dtype)
    return "expected a view of " + std::string(short_name(slot.dtype)) + ", got " + typeText(source);
  const OpInfo *info = findOp(static_cast<uint16_t>(slot.op));
  if (!info || !info->isSingleView())
    return "expected the op of a view, got code " + str(uint64_t(slot.op));
  if (std::string error = checkWords(*info, slot.attributes, slot.attributeCount); !error.empty())
    return error;
  ViewMap map;
  const AttrWords words(body.attributes.data() + slot.attributes, slot.attributeCount);
  return mapView(*info, {source.rank, slot.rank, words}, map)
             ? ""
             : std::string(info->name) + ": its attributes do not fit to " + typeText(source);
}

std::string BodyChecker::checkInputs() {
  for (size_t i = 0; i < body.inputs.size(); ++i) {
    SlotId id = body.inputs[i];
    if (id >= body.slots.size() || body.slots[id].kind != Slot::input || body.slots[id].source != i)
      return "expected the slot of input " + str(i) + ", got slot " + str(id);
    defined[id] = true;
  }
  for (const Slot &slot : body.slots)
    if (slot.kind == Slot::input && slot.source >= body.inputs.size())
      return "expected an input below " + str(body.inputs.size()) + ", got " + str(slot.source);
  return "";
}

std::string BodyChecker::checkLaunch(const Step &step) const {
  if (step.target >= schedule.kernels.size())
    return "expected a kernel below " + str(schedule.kernels.size()) + ", got " + str(step.target);
  const KernelInfo &kernel = schedule.kernels[step.target];
  if (kernel.extent != KernelInfo::wholeExtent && kernel.extent >= step.sizeCount)
    return kernel.name + ": expected an extent below " + str(step.sizeCount) + ", got " + str(kernel.extent);
  if (kernel.scratchPerItem && kernel.scratchSize >= step.sizeCount)
    return kernel.name + ": expected a size of scratch below " + str(step.sizeCount) + ", got " +
           str(kernel.scratchSize);
  for (auto [operand, result] : kernel.inPlace)
    if (operand >= step.operandCount || result >= step.resultCount)
      return kernel.name + ": operand " + str(operand) + " and result " + str(result) + " in place do not exist";
  return "";
}

std::string BodyChecker::checkLibrary(const Step &step) const {
  const OpInfo *info = findOp(static_cast<uint16_t>(std::min<uint32_t>(step.target, UINT16_MAX)));
  if (!info || info->hasRegions() || (info->lowering == Lowering::effect) != (step.kind == Step::host))
    return "expected the code of an op with a kernel, got " + str(step.target);
  size_t named = info->operands.size();
  if (info->variadic ? step.operandCount + 1 < named : step.operandCount != named)
    return std::string(info->name) + ": expected " + str(named) + " operands, got " + str(step.operandCount);
  if (info->results >= 0 && step.resultCount != uint32_t(info->results))
    return std::string(info->name) + ": expected " + str(info->results) + " results, got " + str(step.resultCount);
  return checkWords(*info, step.attributes, step.attributeCount);
}

/// A type with sizes that fit any other: those are the planner's to check.
static Type typeOf(const Slot &slot) {
  Type type{slot.dtype, Device::cpu, {}};
  for (int i = 0; i < slot.rank; ++i)
    type.shape.insert(i, Dim::unknown());
  return type;
}

std::string BodyChecker::readTypes(uint32_t target, RegionType &types) const {
  if (target <= number || target >= schedule.schedules.size())
    return "expected a schedule above " + str(number) + " and below " + str(schedule.schedules.size()) + ", got " +
           str(target);
  const ScheduleBody &nested = schedule.schedules[target];
  for (auto [ids, into] : {std::pair(&nested.inputs, &types.inputs), {&nested.outputs, &types.outputs}})
    for (SlotId id : *ids) {
      if (id >= nested.slots.size() || nested.slots[id].rank > max_rank)
        return "slot " + str(id) + " of schedule " + str(target) + " is outside of the table";
      into->push_back(typeOf(nested.slots[id]));
    }
  return "";
}

/// By the shape rule of the op, as everywhere.
std::string BodyChecker::checkRegion(const Step &step) const {
  const OpInfo *info = findOp(static_cast<uint16_t>(std::min<uint32_t>(step.target, UINT16_MAX)));
  if (!info || info->lowering != Lowering::region)
    return "expected the code of an op with regions, got " + str(step.target);
  if (std::string error = checkWords(*info, step.attributes, step.attributeCount); !error.empty())
    return error;
  if (!inside(step.bodies, step.bodyCount, body.bodies.size()))
    return "its schedules are outside of the table";
  std::vector<int64_t> words(body.attributes.begin() + step.attributes,
                             body.attributes.begin() + step.attributes + step.attributeCount);
  forEachDim(*info, std::span(words), [](int64_t &word) { word = Dim::unknown().raw(); });
  std::vector<RegionType> regions(step.bodyCount);
  for (uint32_t i = 0; i < step.bodyCount; ++i)
    if (std::string error = readTypes(body.bodies[step.bodies + i], regions[i]); !error.empty())
      return error;
  std::vector<Type> operands, results;
  const SlotId *ids = body.slotIds.data() + step.operands;
  for (uint32_t i = 0; i < step.operandCount; ++i)
    operands.push_back(typeOf(body.slots[ids[i]]));
  if (std::string error = inferTypes({*info, operands, words, regions}, results); !error.empty())
    return error;
  if (results.size() != step.resultCount)
    return std::string(info->name) + ": expected " + str(results.size()) + " results, got " + str(step.resultCount);
  for (uint32_t i = 0; i < step.resultCount; ++i)
    if (const Slot &slot = body.slots[ids[step.operandCount + i]];
        results[i].dtype != slot.dtype || results[i].shape.rank() != slot.rank)
      return std::string(info->name) + ": expected result " + str(i) + " as " + results[i].str() + ", got " +
             typeText(slot);
  return "";
}

std::string BodyChecker::checkStep(const Step &step) {
  if (!inside(step.operands, uint64_t(step.operandCount) + step.resultCount, body.slotIds.size()) ||
      !inside(step.attributes, step.attributeCount, body.attributes.size()) ||
      !inside(step.sizes, step.sizeCount, body.sizes.size()))
    return "its slots, attributes or sizes are outside of the tables";
  if (step.location != noLocation && step.location >= schedule.locations.size())
    return "expected a location below " + str(schedule.locations.size()) + ", got " + str(step.location);
  std::span<const SlotId> ids(body.slotIds.data() + step.operands, size_t(step.operandCount) + step.resultCount);
  for (size_t i = 0; i < ids.size(); ++i) {
    SlotId id = ids[i];
    if (id >= body.slots.size())
      return "expected a slot below " + str(body.slots.size()) + ", got " + str(id);
    if (i < step.operandCount) {
      if (!defined[roots[id]])
        return "operand " + str(i) + ", slot " + str(id) + ", has no value yet";
    } else if (body.slots[id].kind != Slot::temporary || defined[id]) {
      return "expected a temporary without a value as a result, got slot " + str(id);
    } else {
      defined[id] = true;
    }
  }
  switch (step.kind) {
  case Step::launch:
    return checkLaunch(step);
  case Step::library:
  case Step::host:
    return checkLibrary(step);
  case Step::copy: {
    if (step.operandCount != 1 || step.resultCount != 1)
      return "expected one operand and one result of a copy";
    const Slot &from = body.slots[ids[0]], &to = body.slots[ids[1]];
    return from.dtype == to.dtype && from.rank == to.rank
               ? ""
               : "expected a copy of one type, got " + typeText(from) + " to " + typeText(to);
  }
  case Step::region:
    return checkRegion(step);
  }
  __builtin_unreachable();
}

std::string BodyChecker::check() {
  std::string where = "schedule " + str(number) + ": ";
  for (const SizeExpr &size : body.sizes)
    if (std::string error = checkSize(size); !error.empty())
      return where + error;
  for (SlotId id = 0; id < body.slots.size(); ++id)
    if (std::string error = checkSlot(id); !error.empty())
      return where + "slot " + str(id) + ": " + error;
  if (std::string error = checkInputs(); !error.empty())
    return where + error;
  for (size_t i = 0; i < body.steps.size(); ++i)
    if (std::string error = checkStep(body.steps[i]); !error.empty())
      return where + "step " + str(i) + ": " + error;
  for (size_t i = 0; i < body.outputs.size(); ++i) {
    if (body.outputs[i] >= body.slots.size() || !defined[roots[body.outputs[i]]])
      return where + "output " + str(i) + ", slot " + str(body.outputs[i]) + ", has no value";
  }
  return "";
}

std::string BodyChecker::checkRequirements() const {
  for (size_t i = 0; i < schedule.requirements.size(); ++i) {
    const Schedule::Requirement &requirement = schedule.requirements[i];
    for (const SizeExpr &size : {requirement.small, requirement.large})
      if (std::string error = checkSize(size); !error.empty())
        return "schedule: requirement " + str(i) + ": " + error;
    if (requirement.location != noLocation && requirement.location >= schedule.locations.size())
      return "schedule: requirement " + str(i) + ": expected a location below " + str(schedule.locations.size()) +
             ", got " + str(requirement.location);
  }
  return "";
}

/// Nested schedules have larger numbers, so the last ones are the deepest.
static std::string checkDepth(const Schedule &schedule) {
  std::vector<uint32_t> depth(schedule.schedules.size(), 1);
  for (size_t i = schedule.schedules.size(); i-- > 0;)
    for (const Step &step : schedule.schedules[i].steps) {
      if (step.kind == Step::region)
        for (uint32_t b = 0; b < step.bodyCount; ++b)
          depth[i] = std::max(depth[i], depth[schedule.schedules[i].bodies[step.bodies + b]] + 1);
      if (depth[i] > maxScheduleDepth)
        return "expected schedules nested at most " + str(maxScheduleDepth) + " deep";
    }
  return "";
}

std::string rt::check(const Schedule &schedule) {
  if (schedule.schedules.empty())
    return "schedule: expected at least one body";
  for (uint32_t i = 0; i < schedule.schedules.size(); ++i)
    if (std::string error = BodyChecker(schedule, i).check(); !error.empty())
      return error;
  if (std::string error = BodyChecker(schedule, 0).checkRequirements(); !error.empty())
    return error;
  const ScheduleBody &program = schedule.schedules[0];
  for (uint32_t i = 0; i < schedule.symbols.size(); ++i) {
    const Schedule::Symbol &symbol = schedule.symbols[i];
    if (symbol.input >= program.inputs.size() || symbol.axis >= program.slots[program.inputs[symbol.input]].rank)
      return "schedule: symbol " + str(i) + " is no dim of an input";
    SizeExpr size = program.sizes[program.slots[program.inputs[symbol.input]].dims + symbol.axis];
    const int64_t *code = program.sizeCode.data() + size.begin;
    if (size.length != 2 || code[0] != int64_t(SizeOp::symbol) || code[1] != i)
      return "schedule: input " + str(symbol.input) + " does not state symbol " + str(i) + " as its dim " +
             str(symbol.axis);
  }
  return checkDepth(schedule);
}
