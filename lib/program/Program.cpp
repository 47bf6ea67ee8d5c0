//===- Program.cpp - one compiled, or interpreted, program -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Program.h"

#include "lib/array/DeviceCall.h"
#include "lib/array/Serial.h"
#include "lib/base/DimExpr.h"
#include "lib/base/ErrorLocation.h"
#include "lib/base/Statistics.h"
#include "lib/program/EagerRegions.h"
#include "lib/program/HostSteps.h"
#include "lib/trace/Guard.h"
#include "lib/trace/Symbols.h"
#include "runtime/kernels/Strides.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

Program::~Program() = default;

ProgramRef Program::interpreted(TraceRef trace) {
  ProgramRef program(new Program);
  program->bytes_ = sizeof(Program);
  program->trace_ = std::move(trace);
  return program;
}

ProgramRef Program::fromBlob(std::span<const std::byte> blob, std::string &error) {
  installHostSteps();
  std::unique_ptr<rt::Executable> executable = rt::Executable::load(blob, error);
  return executable ? of(std::move(executable)) : ProgramRef();
}

ProgramRef Program::fromFile(const std::string &path) {
  installHostSteps();
  std::unique_ptr<rt::Executable> executable = rt::Executable::loadFile("load_program", path);
  for (const rt::ScheduleBody &body : executable->schedule().schedules)
    for (const rt::Step &step : body.steps)
      if (step.kind == rt::Step::host && step.target == uint32_t(OpCode::host_call))
        throw Error(
            "load_program: expected a program without host_call, whose function is another process's\n  file: " + path);
  return of(std::move(executable));
}

ProgramRef Program::of(std::unique_ptr<rt::Executable> executable) {
  ProgramRef program(new Program);
  program->bytes_ = sizeof(Program) + executable->mappedBytes();
  program->executable_ = std::move(executable);
  return program;
}

void Program::interpret(std::span<const Array> inputs, Donors &donors, const Location &at, Outputs &outputs) {
  ++counters().interpreted_programs;
  donors.reset();
  InterpretRegions regions;
  for (Array &output : placed([&] { return userLocation(at); }, [&] { return evaluateTrace(*trace_, inputs); }))
    outputs.push_back(std::move(output));
}

/// True if writing into the buffer of `value` is seen by nobody but the caller.
static bool isSoleOwner(const Value *value) {
  return !value->base && __atomic_load_n(&value->references, __ATOMIC_ACQUIRE) == 2;
}

/// A handle of `donor`'s buffer with the output's type.
static Array takeOver(const Array &donor, const rt::PlannedOutput &output) {
  Value *value = donor.value();
  std::span<const Dim> dims(reinterpret_cast<const Dim *>(output.dims.data()), output.dims.size());
  if (value->dtype() == output.dtype && value->shape() == Shape(dims))
    return donor;
  int64_t strides[max_rank];
  rt::denseStrides(output.dims, strides);
  Array view = Array::adopt(makeView(value, dims, {strides, dims.size()}, value->data));
  view.value()->word = Value::makeWord(output.dtype, static_cast<int>(dims.size()), value->device(), Value::dense);
  return view;
}

/// A size of the schedule as an expression of its symbols.
static Dim dimOf(const rt::Schedule &schedule, rt::SizeExpr size) {
  const int64_t *code = schedule.schedules[0].sizeCode.data() + size.begin;
  std::vector<Dim> stack;
  for (uint32_t i = 0; i < size.length; ++i) {
    switch (static_cast<rt::SizeOp>(code[i])) {
    case rt::SizeOp::constant:
      stack.push_back(code[++i]);
      continue;
    case rt::SizeOp::symbol:
      // `4*n` where n is not a size by itself.
      stack.push_back(parseDim(schedule.symbols[static_cast<size_t>(code[++i])].name).value_or(Dim::unknown()));
      continue;
    default:
      break;
    }
    Dim b = stack.back();
    stack.pop_back();
    Dim &a = stack.back();
    a = code[i] == int64_t(rt::SizeOp::add)        ? a + b
        : code[i] == int64_t(rt::SizeOp::multiply) ? a * b
                                                   : floor_div(a, b, {});
  }
  return stack.back();
}

/// Throws what an interpreted program says too, or `error`.
[[noreturn, gnu::cold, gnu::noinline]] static void refuse(const rt::Schedule &schedule, const TraceRef &trace,
                                                          Device device, std::span<const Array> inputs,
                                                          const std::string &error, Location at) {
  const rt::ScheduleBody &program = schedule.schedules[0];
  std::vector<Type> expected, got;
  for (rt::SlotId id : program.inputs) {
    const rt::Slot &slot = program.slots[id];
    Type &type = expected.emplace_back(Type{slot.dtype, device, {}});
    for (uint32_t axis = 0; axis < slot.rank; ++axis)
      type.shape.push_back(dimOf(schedule, program.sizes[slot.dims + axis]), {});
  }
  for (const Array &input : inputs)
    got.push_back(typeOf(input.value()));
  placed([&] { return userLocation(at); },
         [&] {
           expectInputs(expected, got);
           if (trace)
             instantiate(*trace, got);
         });
  throw Error(error, userLocation(at));
}

/// What comes first on a device that works later: who writes the inputs, and who
/// reads those that are written over.
[[gnu::cold, gnu::noinline]] static void await(DeviceCall &work, std::span<const Array> inputs, bool writesInputs) {
  for (const Array &input : inputs)
    work.await(input.value());
  if (writesInputs)
    work.awaitAll();
}

[[gnu::cold, gnu::noinline]] static void end(DeviceCall &work, const rt::Plan &plan, std::span<const Array> outputs) {
  std::vector<Array> written;
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (plan.outputs[i].kind == rt::PlannedOutput::fresh)
      written.push_back(outputs[i]);
  work.end(written);
}

bool Program::accepts(std::span<const Array> inputs) {
  if (!executable_) {
    std::vector<Type> types;
    for (const Array &input : inputs)
      types.push_back(typeOf(input.value()));
    try {
      instantiate(*trace_, types);
      return true;
    } catch (const Error &) {
      return false;
    }
  }
  std::vector<rt::View> views;
  for (const Array &input : inputs)
    views.push_back(viewOf(input.value()));
  std::string error;
  return static_cast<bool>(executable_->plan(views, error, tableFor(inputs, {})));
}

/// The user's line of the step that has ended a run, else of the run.
[[gnu::cold, gnu::noinline]] static Location placeOfStep(const rt::Schedule &schedule, const rt::RunReport &report,
                                                         Location at) {
  if (report.location >= schedule.locations.size())
    return userLocation(at);
  const std::string &place = schedule.locations[report.location]; // file:line:column
  const size_t column = place.rfind(':'), line = place.rfind(':', column - 1);
  at.file = internFile(place.substr(0, line));
  at.line = static_cast<uint32_t>(std::stoul(place.substr(line + 1)));
  at.column = static_cast<uint32_t>(std::stoul(place.substr(column + 1)));
  return at;
}

rt::PlanRef Program::planFor(std::span<const Array> inputs, const rt::DeviceTable &table, Location at) {
  uint64_t strided = 0;
  for (const Array &input : inputs) {
    if (!input.value()->isOn(table.device)) [[unlikely]]
      refuse(executable_->schedule(), trace_, table.device, inputs, "", at);
    strided += !input.value()->isDense();
  }
  if (strided)
    counters().strided_inputs += strided;
  auto viewAt = [&](size_t i) {
    rt::View view = viewOf(inputs[i].value());
    if (inputs[i].value()->isDense())
      view.strides = nullptr;
    return view;
  };
  rt::PlanRef plan = executable_->firstPlan(inputs.size(), viewAt, table);
  if (plan)
    return plan;
  InlineVector<rt::View, 16> views;
  for (size_t i = 0; i < inputs.size(); ++i)
    views.push_back(viewAt(i));
  std::string error;
  plan = executable_->plan(views, error, table);
  if (!plan)
    refuse(executable_->schedule(), trace_, table.device, inputs, error, at);
  return plan;
}

void Program::makeOutputs(const rt::Plan &plan, std::span<const Array> inputs, const Donors &donors,
                          const rt::DeviceTable &table, const Location &at, Outputs &outputs, Donors &reused) {
  for (const rt::PlannedOutput &output : plan.outputs) {
    const uint32_t donor = output.donor;
    const bool isOffered = donor < donors.size() && donors[donor];
    if (output.kind == rt::PlannedOutput::input) {
      outputs.push_back(inputs[output.source]);
    } else if (isOffered && inputs[donor].value()->isDense() && isSoleOwner(inputs[donor].value())) {
      reused[donor] = true;
      outputs.push_back(takeOver(inputs[donor], output));
    } else {
      if (isOffered)
        ++counters().refused_donations;
      std::span<const Dim> dims(reinterpret_cast<const Dim *>(output.dims.data()), output.dims.size());
      outputs.push_back(Array::adopt(makeBufferOf(output.bytes, output.dtype, dims, table.device, at)));
    }
  }
}

bool Program::hasGuards() const { return trace_ && tenon::hasGuards(trace_->body()); }

const rt::DeviceTable &Program::tableFor(std::span<const Array> inputs, const Location &at) const {
  const Device device = device_ ? *device_ : inputs.empty() ? Device::cpu : inputs[0].value()->device();
  return device == Device::cpu ? rt::hostDevice : tableOf(device, "a program", at);
}

void Program::runCompiled(std::span<const Array> inputs, Donors &donors, const Location &at, Outputs &outputs,
                          bool areAsTraced) {
  const rt::DeviceTable &table = device_ == Device::cpu ? rt::hostDevice : tableFor(inputs, at);
  rt::PlanRef plan(areAsTraced ? tracedPlan_.load(std::memory_order_acquire) : nullptr);
  if (!plan) {
    plan = planFor(inputs, table, at);
    if (areAsTraced)
      tracedPlan_.store(plan.lasting(), std::memory_order_release);
  }
  InlineVector<void *, 16> data;
  data.reserve(inputs.size());
  for (const Array &input : inputs)
    data.push_back(input.value()->data);

  Donors reused;
  // A call of another path may have come here, which needs less.
  auto askFirst = [&] {
    outputs.clear();
    interpret(inputs, donors, at, outputs);
  };
  try {
    makeOutputs(*plan, inputs, donors, table, at, outputs, reused);
  } catch (const Error &) {
    if (!hasGuards())
      throw;
    return askFirst();
  }
  InlineVector<void *, 8> results;
  for (const Array &output : outputs)
    results.push_back(output.value()->data);
  DeviceCall work(table, table.streams ? rt::Origin{nullptr, userLocation(at)} : rt::Origin{});
  if (work.stream()) [[unlikely]]
    await(work, inputs, reused.any());
  rt::RunReport report;
  // A step that throws knows no line: it is the step's own, where that has one.
  const rt::Status status = placed([&] { return placeOfStep(executable_->schedule(), report, at); },
                                   [&] {
                                     return executable_->run(*plan, {data.begin(), data.size()},
                                                             {results.begin(), results.size()}, nullptr, report);
                                   });
  Statistics &ran = counters();
  ++ran.programs;
  ran.generated_kernels += report.statistics.kernels;
  ran.library_steps += report.statistics.librarySteps;
  guardsHeld += report.guards;
  if (status != rt::Status::ok) {
    const auto &places = executable_->schedule().locations;
    const std::string place = report.location < places.size() ? places[report.location] : "";
    if (status == rt::Status::outOfMemory && !report.hasBegun && hasGuards())
      return askFirst();
    if (status == rt::Status::otherwise)
      throw GuardFailed(guardsHeld, report.fault.answer, place, userLocation(at));
    throwFailure({status, place, rt::Origin{nullptr, userLocation(at)}, report.fault});
  }
  if (work.stream()) [[unlikely]]
    end(work, *plan, {outputs.begin(), outputs.size()});
  // What failed has not written them: tapes know them still.
  if (reused.any())
    for (size_t i = 0; i < std::min(inputs.size(), reused.size()); ++i)
      if (reused[i])
        loseSerial(inputs[i].value());
  donors = reused;
}

ProgramCost Program::cost(const Trace &trace) {
  ProgramCost cost;
  auto bytesOf = [&](std::span<const ValueId> values) {
    int64_t bytes = 0;
    for (ValueId value : values) {
      const Dim count = element_count(trace.type(value).shape);
      if (!count.is_static())
        return int64_t(-1);
      bytes += count.raw() * static_cast<int64_t>(item_size(trace.type(value).dtype));
    }
    return bytes;
  };
  cost.argument_bytes = bytesOf(trace.inputs());
  cost.result_bytes = bytesOf(trace.outputs());
  cost.temporary_bytes = -1;
  if (!executable_)
    return cost;
  for (const rt::ScheduleBody &body : executable_->schedule().schedules)
    for (const rt::Step &step : body.steps) {
      cost.kernels += step.kind == rt::Step::launch;
      cost.library_steps += step.kind == rt::Step::library;
      cost.copies += step.kind == rt::Step::copy;
    }
  if (cost.argument_bytes < 0)
    return cost;
  InlineVector<rt::View, 16> views;
  std::vector<std::vector<int64_t>> dims;
  for (ValueId input : trace.inputs()) {
    const Type &type = trace.type(input);
    std::vector<int64_t> &sizes = dims.emplace_back();
    for (Dim size : type.shape)
      sizes.push_back(size.raw());
    rt::View view{};
    view.dtype = type.dtype;
    view.rank = type.shape.rank();
    view.dims = sizes.data();
    views.push_back(view);
  }
  std::string error;
  if (const rt::PlanRef plan = executable_->plan({views.begin(), views.size()}, error))
    cost.temporary_bytes = static_cast<int64_t>(plan->bodies[0].arenaBytes);
  return cost;
}

InlineVector<Array, 4> tenon::runProgram(Program &program, std::span<const Array> inputs, Location at) {
  Program::Donors none;
  Program::Outputs outputs;
  program.run(inputs, none, at, outputs);
  return outputs;
}
