//===- Planner.cpp - makes a plan of a schedule for one set of sizes ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/BodyPlanner.h"

using namespace tenon;
using namespace tenon::rt;

std::optional<int64_t> rt::evaluate(const ScheduleBody &body, SizeExpr size, std::span<const int64_t> symbols) {
  constexpr int64_t limit = int64_t(1) << 62;
  int64_t stack[maxSizeDepth];
  int depth = 0;
  const int64_t *code = body.sizeCode.data() + size.begin;
  for (uint32_t i = 0; i < size.length; ++i) {
    switch (static_cast<SizeOp>(code[i])) {
    case SizeOp::constant:
      stack[depth++] = code[++i];
      continue;
    case SizeOp::symbol:
      stack[depth++] = symbols[static_cast<size_t>(code[++i])];
      continue;
    default:
      break;
    }
    int64_t b = stack[--depth], &a = stack[depth - 1];
    switch (static_cast<SizeOp>(code[i])) {
    case SizeOp::add:
      if (__builtin_add_overflow(a, b, &a))
        return std::nullopt;
      break;
    case SizeOp::multiply:
      if (__builtin_mul_overflow(a, b, &a))
        return std::nullopt;
      break;
    default:
      if (b < 1)
        return std::nullopt;
      a = a / b - (a % b < 0);
      break;
    }
  }
  return stack[0] > -limit && stack[0] < limit ? std::optional(stack[0]) : std::nullopt;
}

static std::string typeText(Dtype dtype, int rank) {
  return std::string(short_name(dtype)) + " of rank " + std::to_string(rank);
}

/// Reads the symbols off the inputs, then checks every dim against them.
static std::string bindSymbols(const Schedule &schedule, std::span<const View> inputs, std::vector<int64_t> &symbols) {
  const ScheduleBody &program = schedule.schedules[0];
  if (inputs.size() != program.inputs.size())
    return "expected " + std::to_string(program.inputs.size()) + " inputs, got " + std::to_string(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Slot &slot = program.slots[program.inputs[i]];
    if (inputs[i].dtype != slot.dtype || inputs[i].rank != slot.rank)
      return "input " + std::to_string(i) + ": expected " + typeText(slot.dtype, slot.rank) + ", got " +
             typeText(inputs[i].dtype, inputs[i].rank);
  }
  for (const Schedule::Symbol &symbol : schedule.symbols)
    symbols.push_back(inputs[symbol.input].dims[symbol.axis]);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Slot &slot = program.slots[program.inputs[i]];
    for (uint32_t axis = 0; axis < slot.rank; ++axis) {
      SizeExpr size = program.sizes[slot.dims + axis];
      std::optional<int64_t> expected = evaluate(program, size, symbols);
      if (expected == inputs[i].dims[axis])
        continue;
      std::string name;
      if (const int64_t *code = program.sizeCode.data() + size.begin;
          size.length == 2 && code[0] == int64_t(SizeOp::symbol))
        name = schedule.symbols[static_cast<size_t>(code[1])].name + " = ";
      return "input " + std::to_string(i) + ": expected size " + name +
             (expected ? std::to_string(*expected) : "an expression that overflows") + " of axis " +
             std::to_string(axis) + ", got " + std::to_string(inputs[i].dims[axis]);
    }
  }
  return "";
}

/// `, where n = 3` for the symbols of two sizes.
static std::string valuesText(const Schedule &schedule, const Schedule::Requirement &requirement,
                              std::span<const int64_t> symbols) {
  std::vector<bool> named(symbols.size());
  std::string text;
  for (SizeExpr size : {requirement.small, requirement.large}) {
    const int64_t *code = schedule.schedules[0].sizeCode.data() + size.begin;
    for (uint32_t i = 0; i < size.length; ++i) {
      auto op = static_cast<SizeOp>(code[i]);
      if (op != SizeOp::constant && op != SizeOp::symbol)
        continue;
      auto operand = static_cast<size_t>(code[++i]);
      if (op == SizeOp::constant || named[operand])
        continue;
      named[operand] = true;
      text += (text.empty() ? ", where " : ", ") + schedule.symbols[operand].name + " = " +
              std::to_string(symbols[operand]);
    }
  }
  return text;
}

/// The first thing that has to hold of the sizes and does not.
static std::string checkRequirements(const Schedule &schedule, std::span<const int64_t> symbols) {
  for (const Schedule::Requirement &requirement : schedule.requirements) {
    std::optional<int64_t> small = evaluate(schedule.schedules[0], requirement.small, symbols),
                           large = evaluate(schedule.schedules[0], requirement.large, symbols);
    if (small && large && *small <= *large)
      continue;
    std::string text = requirement.sentence + valuesText(schedule, requirement, symbols);
    return requirement.location == noLocation ? text : text + "\n  at " + schedule.locations[requirement.location];
  }
  return "";
}

PlanRef rt::makePlan(const Schedule &schedule, std::span<const KernelFunction> kernels, KernelLookup lookup,
                     std::span<const View> inputs, std::string &error, const DeviceTable &device) {
  std::vector<int64_t> symbols;
  error = bindSymbols(schedule, inputs, symbols);
  if (error.empty())
    error = checkRequirements(schedule, symbols);
  if (!error.empty())
    return PlanRef();
  PlanRef plan(new Plan);
  auto &made = const_cast<Plan &>(*plan);
  made.device = &device;
  if (&device != &hostDevice)
    lookup = device.kernel;
  size_t bodies = schedule.schedules.size();
  made.bodies.resize(bodies);
  PlanContext context{schedule, kernels, lookup, std::move(symbols), inputs, made, {}, {}};
  context.inputs.resize(bodies);
  context.outputs.resize(bodies);
  // Nested bodies have larger numbers, so they are there when they are named.
  for (size_t i = bodies; i-- > 0;)
    if (error = BodyPlanner(context, static_cast<uint32_t>(i)).run(); !error.empty()) {
      error = "schedule " + std::to_string(i) + ": " + error;
      return PlanRef();
    }
  for (const View &input : inputs) {
    made.inputKey.push_back(inputWord(input));
    made.inputKey.insert(made.inputKey.end(), input.dims, input.dims + input.rank);
    if (input.strides)
      made.inputKey.insert(made.inputKey.end(), input.strides, input.strides + input.rank);
  }
  return plan;
}
