//===- tenon_rt.cpp - the runtime as a C library ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tenon_rt.h"

#include "runtime/device/Device.h"
#include "runtime/kernels/Strides.h"
#include "runtime/program/Executor.h"
#include "runtime/threads/Pool.h"

#include <tenon/error.h>

#include <algorithm>
#include <cstring>
#include <new>

using namespace tenon;
using namespace tenon::rt;

static_assert(TENON_RT_MAX_RANK == max_rank);
static_assert(TENON_RT_OUT_OF_MEMORY == int(Status::outOfMemory) && TENON_RT_CANCELLED == int(Status::cancelled) &&
              TENON_RT_FAILED == int(Status::failed) && TENON_RT_UNSUPPORTED_CPU == int(Status::unsupportedCpu));

struct tenon_rt_program {
  std::unique_ptr<Executable> executable;
  uint32_t references = 1;

  void retain() { __atomic_fetch_add(&references, 1, __ATOMIC_RELAXED); }
  void release() {
    if (__atomic_fetch_sub(&references, 1, __ATOMIC_ACQ_REL) == 1)
      delete this;
  }
};

namespace {
/// How an input lies: the bytes that it spans from its first element on, and its
/// strides, of which there are none if it is dense.
struct Input {
  int64_t low = 0, high = 0;
  std::vector<int64_t> strides = {};
};
} // namespace

struct tenon_rt_plan {
  tenon_rt_program *program;
  PlanRef plan;
  std::vector<Input> inputs;

  tenon_rt_plan(tenon_rt_program *of, PlanRef made, std::vector<Input> laid)
      : program(of), plan(std::move(made)), inputs(std::move(laid)) {
    program->retain();
  }
  tenon_rt_plan(const tenon_rt_plan &) = delete;
  ~tenon_rt_plan() {
    plan = PlanRef(); // it may be a part of the program
    program->release();
  }
};

namespace {
/// What becomes a status and a sentence.
struct Refusal {
  int32_t status;
  std::string message, location = {};
};

[[noreturn]] void refuse(int32_t status, std::string message) { throw Refusal{status, std::move(message)}; }

/// What the status of a run says.
Refusal refusalOf(Status status, const Fault &fault, std::string place) {
  if (status == Status::outOfBounds)
    return {TENON_RT_OUT_OF_BOUNDS, describe(fault), std::move(place)};
  if (status == Status::otherwise)
    return {TENON_RT_FAILED, "the program was recorded for another answer to what C++ asked for here",
            std::move(place)};
  if (status < Status::ok || status > Status::unsupportedCpu)
    status = Status::failed; // no status of ours
  static const char *const texts[] = {"", "the program ran out of memory", "the run was cancelled",
                                      "a step of the program failed", ""};
  return {static_cast<int32_t>(status),
          status == Status::unsupportedCpu ? cpuError() : texts[static_cast<size_t>(status)], std::move(place)};
}

template <size_t size>
void write(char (&out)[size], std::string_view text) {
  const size_t length = std::min(text.size(), size - 1);
  std::copy_n(text.data(), length, out);
  out[length] = '\0';
}

int32_t say(tenon_rt_error *error, int32_t status, std::string_view message, std::string_view location = {}) {
  if (error && error->struct_size == sizeof *error) {
    // What is said by those who know the user's line ends with it.
    constexpr std::string_view at = "\n  at ";
    if (size_t place = message.find(at); location.empty() && place != message.npos) {
      location = message.substr(place + at.size());
      message = message.substr(0, place);
    }
    write(error->message, message);
    write(error->location, location);
  }
  return status;
}

/// Runs a function's body; whatever it throws is a status.
template <class Body>
int32_t guarded(tenon_rt_error *error, const Body &body) noexcept {
  if (error && error->struct_size != sizeof *error)
    return TENON_RT_INVALID;
  try {
    try {
      body();
      return TENON_RT_OK;
    } catch (const Refusal &refusal) {
      return say(error, refusal.status, refusal.message, refusal.location);
    } catch (const std::bad_alloc &) {
      return say(error, TENON_RT_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception &thrown) {
      return say(error, TENON_RT_FAILED, thrown.what());
    }
  } catch (...) {
    return say(error, TENON_RT_FAILED, "the host's function threw something");
  }
}

void expectGiven(const void *pointer, const std::string &what) {
  if (!pointer)
    refuse(TENON_RT_INVALID, "expected " + what + ", got a null pointer");
}

template <class T>
T &given(T *pointer, const char *what) {
  expectGiven(pointer, what);
  return *pointer;
}

template <class Struct>
Struct &known(Struct *of, const char *what) {
  expectGiven(of, what);
  if (of->struct_size != sizeof(Struct))
    refuse(TENON_RT_INVALID, std::string("expected ") + what + " with a struct_size of " +
                                 std::to_string(sizeof(Struct)) + ", got " + std::to_string(of->struct_size));
  return *of;
}

const DeviceTable &deviceOf(uint32_t number) {
  if (number >= devices().size())
    refuse(TENON_RT_INVALID, "expected a device below " + std::to_string(devices().size()) + " (" + deviceNames() +
                                 "), got " + std::to_string(number));
  return *devices()[number];
}

std::string inputName(size_t number) { return "input " + std::to_string(number); }
std::string outputName(size_t number) { return "output " + std::to_string(number); }

/// A checked view, its strides null if it is dense.
View viewOf(const tenon_rt_view &of, const std::string &name, Input &input) {
  known(&of, name.c_str());
  if (of.dtype < 0 || of.dtype >= dtype_count)
    refuse(TENON_RT_INVALID,
           name + ": expected a dtype below " + std::to_string(dtype_count) + ", got " + std::to_string(of.dtype));
  if (of.rank < 0 || of.rank > max_rank)
    refuse(TENON_RT_INVALID,
           name + ": expected a rank of at most " + std::to_string(max_rank) + ", got " + std::to_string(of.rank));
  if (of.rank)
    expectGiven(of.dims, "the sizes of " + name);
  const auto dtype = static_cast<Dtype>(of.dtype);
  const auto item = static_cast<int64_t>(item_size(dtype));
  input.high = item;
  // Sums of offsets of two such inputs stay far from the end of int64.
  constexpr int64_t most = int64_t(1) << 60;
  int64_t dense = item;
  bool isEmpty = false, overflows = false;
  for (int i = of.rank - 1; i >= 0; --i) {
    if (of.dims[i] < 0)
      refuse(TENON_RT_INVALID, name + ": expected sizes >= 0, got " + std::to_string(of.dims[i]));
    isEmpty |= of.dims[i] == 0;
    overflows |= __builtin_mul_overflow(dense, std::max<int64_t>(of.dims[i], 1), &dense);
    if (!of.strides)
      continue;
    // Of an axis of one element no stride is used, but it is computed with.
    int64_t reach;
    overflows |= __builtin_mul_overflow(of.strides[i], item, &reach) ||
                 __builtin_mul_overflow(reach, std::max<int64_t>(of.dims[i] - 1, 1), &reach) || reach > most ||
                 reach < -most;
    if (of.dims[i] > 1)
      overflows |=
          __builtin_add_overflow(reach < 0 ? input.low : input.high, reach, reach < 0 ? &input.low : &input.high);
  }
  if (overflows || dense > most || input.low < -most || input.high > most)
    refuse(TENON_RT_INVALID, name + ": its sizes or strides reach beyond the address space");
  View view{nullptr, dtype, static_cast<uint8_t>(of.rank), of.dims, of.strides};
  if (view.strides && view.isDense())
    view.strides = nullptr;
  if (!view.strides) {
    input.low = 0;
    input.high = isEmpty ? 0 : dense;
  } else {
    input.strides.assign(of.strides, of.strides + of.rank);
  }
  return view;
}

const Schedule &scheduleOf(const tenon_rt_program *program) {
  return given(program, "a program").executable->schedule();
}

/// -1: a size that depends on the call.
int64_t staticSize(const ScheduleBody &body, SizeExpr size) {
  const int64_t *code = body.sizeCode.data() + size.begin;
  for (uint32_t i = 0; i < size.length; ++i) {
    if (code[i] == int64_t(SizeOp::symbol))
      return -1;
    if (code[i] == int64_t(SizeOp::constant))
      ++i;
  }
  return evaluate(body, size, {}).value_or(-1);
}

void fillType(tenon_rt_type &type, Dtype dtype, int rank, int32_t source, const auto &dim) {
  type.dtype = static_cast<int32_t>(dtype);
  type.rank = rank;
  type.source = source;
  type.bytes = item_size(dtype);
  bool isKnown = true;
  for (int i = 0; i < TENON_RT_MAX_RANK; ++i) {
    type.dims[i] = i < rank ? dim(i) : 0;
    if (i >= rank)
      continue;
    isKnown &= type.dims[i] >= 0;
    type.bytes = multiplySizes(type.bytes, isKnown ? static_cast<size_t>(type.dims[i]) : 0);
  }
}

void expectNumber(const char *what, uint32_t number, size_t count) {
  if (number >= count)
    refuse(TENON_RT_INVALID, std::string("expected the number of an ") + what + " below " + std::to_string(count) +
                                 ", got " + std::to_string(number));
}

void fillSlotType(const tenon_rt_program *program, const char *what, std::span<const SlotId> slots, uint32_t number,
                  tenon_rt_type *type) {
  const ScheduleBody &body = scheduleOf(program).schedules[0];
  expectNumber(what, number, slots.size());
  const Slot &slot = body.slots[slots[number]];
  fillType(known(type, "a tenon_rt_type"), slot.dtype, slot.rank,
           slots.data() == body.outputs.data() && slot.kind == Slot::input ? static_cast<int32_t>(slot.source) : -1,
           [&](int i) { return staticSize(body, body.sizes[slot.dims + static_cast<uint32_t>(i)]); });
}

/// A stretch of memory that a run reads or writes.
struct Stretch {
  uintptr_t begin, end;
  bool isWritten;
  std::string (*name)(size_t);
  size_t number;
};

/// What is written lies apart from all else.
void expectApart(std::vector<Stretch> &stretches) {
  std::sort(stretches.begin(), stretches.end(), [](const Stretch &a, const Stretch &b) { return a.begin < b.begin; });
  const Stretch *farthest = nullptr, *farthestWritten = nullptr;
  for (const Stretch &next : stretches) {
    const Stretch *before = next.isWritten ? farthest : farthestWritten;
    if (before && before->end > next.begin)
      refuse(TENON_RT_INVALID, "expected outputs that lie apart from all inputs and outputs, got " +
                                   before->name(before->number) + " and " + next.name(next.number) + " in one place");
    if (!farthest || next.end > farthest->end)
      farthest = &next;
    if (next.isWritten && (!farthestWritten || next.end > farthestWritten->end))
      farthestWritten = &next;
  }
}

void expectPlace(const void *data, size_t alignment, const std::string &name) {
  expectGiven(data, "the elements of " + name);
  if (reinterpret_cast<uintptr_t>(data) % alignment)
    refuse(TENON_RT_INVALID, name + ": expected an address that is a multiple of " + std::to_string(alignment) +
                                 ", got one " + std::to_string(reinterpret_cast<uintptr_t>(data) % alignment) +
                                 " past it");
}

size_t alignmentOf(Dtype dtype) {
  return tenon::detail::visitDtype(dtype,
                                   []<Dtype D>() { return alignof(typename tenon::detail::ElementOf<D>::type); });
}

/// Checks what a run is given; `to` becomes where the program writes.
void expectMemory(const tenon_rt_plan &plan, const void *const *inputs, void *const *outputs, std::vector<void *> &to) {
  const Schedule &schedule = plan.program->executable->schedule();
  std::vector<Stretch> stretches;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const Input &input = plan.inputs[i];
    if (input.low == input.high)
      continue;
    const ScheduleBody &body = schedule.schedules[0];
    expectPlace(inputs[i], alignmentOf(body.slots[body.inputs[i]].dtype), inputName(i));
    const auto first = reinterpret_cast<uintptr_t>(inputs[i]);
    stretches.push_back(
        {first + static_cast<uintptr_t>(input.low), first + static_cast<uintptr_t>(input.high), false, inputName, i});
  }
  for (size_t i = 0; i < plan.plan->outputs.size(); ++i) {
    const PlannedOutput &output = plan.plan->outputs[i];
    to.push_back(outputs[i]);
    if (output.bytes == 0 || (output.kind == PlannedOutput::input && !outputs[i]))
      continue;
    expectPlace(outputs[i], 64, outputName(i));
    const auto first = reinterpret_cast<uintptr_t>(outputs[i]);
    stretches.push_back({first, first + output.bytes, true, outputName, i});
  }
  expectApart(stretches);
}

/// Null on the host.
Stream *streamOf(const DeviceTable &device) { return device.streams ? device.streams->ofThread() : nullptr; }

/// Waits for what the calling thread has asked of the device.
void synchronize(const DeviceTable &device) {
  if (!device.streams)
    return;
  if (Failure failure = device.streams->finish(streamOf(device)); failure.status != Status::ok)
    throw refusalOf(failure.status, failure.fault, failure.place);
}

/// An output that is an input handed on, as the caller wants it.
Status copyInput(const tenon_rt_plan &plan, const PlannedOutput &output, const void *input, void *to) {
  int64_t dense[max_rank];
  denseStrides(output.dims, dense);
  const std::vector<int64_t> &strides = plan.inputs[output.source].strides;
  View target{to, output.dtype, static_cast<uint8_t>(output.dims.size()), output.dims.data(), dense}, source = target;
  source.data = const_cast<void *>(input);
  if (!strides.empty())
    source.strides = strides.data();
  return plan.plan->device->copyView(streamOf(*plan.plan->device), source, target);
}

/// Throws what a run's status says.
void expectOk(const Schedule &schedule, Status status, const RunReport &report) {
  if (status != Status::ok)
    throw refusalOf(status, report.fault,
                    report.location < schedule.locations.size() ? schedule.locations[report.location] : "");
}
} // namespace

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

uint32_t tenon_rt_version() { return TENON_RT_VERSION; }

int32_t tenon_rt_load(const void *blob, size_t size, tenon_rt_program **program, tenon_rt_error *error) {
  return guarded(error, [&] {
    given(program, "where to put the program") = nullptr;
    if (size)
      expectGiven(blob, "a blob");
    std::string why;
    auto loaded = Executable::load(std::span(static_cast<const std::byte *>(blob), size), why);
    if (!loaded)
      refuse(TENON_RT_REFUSED, why);
    *program = new tenon_rt_program{std::move(loaded)};
  });
}

int32_t tenon_rt_load_file(const char *path, tenon_rt_program **program, tenon_rt_error *error) {
  return guarded(error, [&] {
    given(program, "where to put the program") = nullptr;
    expectGiven(path, "a path");
    try {
      *program = new tenon_rt_program{Executable::loadFile("tenon_rt_load_file", path)};
    } catch (const Error &wrong) {
      refuse(TENON_RT_NO_FILE, wrong.what());
    }
  });
}

void tenon_rt_unload(tenon_rt_program *program) {
  if (program)
    program->release();
}

uint32_t tenon_rt_input_count(const tenon_rt_program *program) {
  return program ? static_cast<uint32_t>(scheduleOf(program).schedules[0].inputs.size()) : 0;
}
uint32_t tenon_rt_output_count(const tenon_rt_program *program) {
  return program ? static_cast<uint32_t>(scheduleOf(program).schedules[0].outputs.size()) : 0;
}

int32_t tenon_rt_input(const tenon_rt_program *program, uint32_t number, tenon_rt_type *type, tenon_rt_error *error) {
  return guarded(error, [&] { fillSlotType(program, "input", scheduleOf(program).schedules[0].inputs, number, type); });
}
int32_t tenon_rt_output(const tenon_rt_program *program, uint32_t number, tenon_rt_type *type, tenon_rt_error *error) {
  return guarded(error,
                 [&] { fillSlotType(program, "output", scheduleOf(program).schedules[0].outputs, number, type); });
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

int32_t tenon_rt_make_plan(tenon_rt_program *program, const tenon_rt_view *inputs, size_t count, tenon_rt_plan **plan,
                           tenon_rt_error *error) {
  return guarded(error, [&] {
    given(plan, "where to put the plan") = nullptr;
    const size_t expected = scheduleOf(program).schedules[0].inputs.size();
    if (count != expected)
      refuse(TENON_RT_MISMATCH, "expected " + std::to_string(expected) + " inputs, got " + std::to_string(count));
    if (count)
      expectGiven(inputs, "the inputs");
    std::vector<View> views;
    std::vector<Input> laid(count);
    for (size_t i = 0; i < count; ++i) {
      views.push_back(viewOf(inputs[i], inputName(i), laid[i]));
      const DeviceTable &own = deviceOf(inputs[i].device), &first = deviceOf(inputs[0].device);
      if (&own != &first)
        refuse(TENON_RT_MISMATCH,
               inputName(i) + ": expected one on " + first.name + " as input 0, got one on " + own.name);
    }
    std::string why;
    PlanRef made = program->executable->plan(views, why, count ? deviceOf(inputs[0].device) : hostDevice);
    if (!made)
      refuse(TENON_RT_MISMATCH, why);
    *plan = new tenon_rt_plan(program, std::move(made), std::move(laid));
  });
}

void tenon_rt_free_plan(tenon_rt_plan *plan) { delete plan; }

int32_t tenon_rt_plan_output(const tenon_rt_plan *plan, uint32_t number, tenon_rt_type *type, tenon_rt_error *error) {
  return guarded(error, [&] {
    const std::vector<PlannedOutput> &outputs = given(plan, "a plan").plan->outputs;
    expectNumber("output", number, outputs.size());
    const PlannedOutput &output = outputs[number];
    fillType(known(type, "a tenon_rt_type"), output.dtype, static_cast<int>(output.dims.size()),
             output.kind == PlannedOutput::input ? static_cast<int32_t>(output.source) : -1,
             [&](int i) { return output.dims[static_cast<size_t>(i)]; });
  });
}

int32_t tenon_rt_run(const tenon_rt_plan *plan, const void *const *inputs, size_t input_count, void *const *outputs,
                     size_t output_count, const uint32_t *cancel, tenon_rt_error *error) {
  return guarded(error, [&] {
    const std::vector<PlannedOutput> &planned = given(plan, "a plan").plan->outputs;
    if (input_count != plan->inputs.size() || output_count != planned.size())
      refuse(TENON_RT_INVALID, "expected " + std::to_string(plan->inputs.size()) + " inputs and " +
                                   std::to_string(planned.size()) + " outputs, got " + std::to_string(input_count) +
                                   " and " + std::to_string(output_count));
    if (input_count)
      expectGiven(inputs, "the inputs");
    if (output_count)
      expectGiven(outputs, "the outputs");
    std::vector<void *> from, to;
    expectMemory(*plan, inputs, outputs, to);
    for (size_t i = 0; i < input_count; ++i)
      from.push_back(const_cast<void *>(inputs[i]));
    const Executable &executable = *plan->program->executable;
    RunReport report;
    expectOk(executable.schedule(), executable.run(*plan->plan, from, to, cancel, report), report);
    for (size_t i = 0; i < planned.size(); ++i)
      if (planned[i].kind == PlannedOutput::input && outputs[i])
        expectOk(executable.schedule(), copyInput(*plan, planned[i], inputs[planned[i].source], outputs[i]), report);
  });
}

//===----------------------------------------------------------------------===//
// Devices, memory, threads
//===----------------------------------------------------------------------===//

uint32_t tenon_rt_device_count() { return static_cast<uint32_t>(devices().size()); }

const char *tenon_rt_device_name(uint32_t device) {
  return device < devices().size() ? devices()[device]->name : nullptr;
}
const char *tenon_rt_device_kind(uint32_t device) {
  return device < devices().size() ? devices()[device]->kind : nullptr;
}

int32_t tenon_rt_allocate(uint32_t device, size_t bytes, void **memory, tenon_rt_error *error) {
  return guarded(error, [&] {
    given(memory, "where to put the memory") = nullptr;
    AllocationFailure why;
    *memory = deviceOf(device).allocate(bytes, &why);
    if (!*memory)
      refuse(TENON_RT_OUT_OF_MEMORY, why.message());
  });
}

void tenon_rt_free(uint32_t device, void *memory, size_t bytes) {
  if (device < devices().size() && memory)
    devices()[device]->deallocate(memory, bytes);
}

int32_t tenon_rt_copy(uint32_t to_device, void *to, uint32_t from_device, const void *from, size_t bytes,
                      tenon_rt_error *error) {
  return guarded(error, [&] {
    const DeviceTable &target = deviceOf(to_device), &source = deviceOf(from_device);
    if (&target != &source)
      synchronize(source);
    if (bytes == 0)
      return;
    expectGiven(to, "where to copy to");
    expectGiven(from, "what to copy");
    const auto low = std::min(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from));
    const auto high = std::max(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from));
    if (&target == &source && high - low < bytes)
      refuse(TENON_RT_INVALID, "expected a copy between places that lie apart, got two that overlap");
    const Status status = &target == &source       ? target.copyBytes(streamOf(target), to, from, bytes)
                          : &target != &hostDevice ? target.toDevice(streamOf(target), to, from, bytes)
                                                   : (source.toHost(to, from, bytes), Status::ok);
    if (status != Status::ok)
      throw refusalOf(status, {}, "");
  });
}

int32_t tenon_rt_synchronize(uint32_t device, tenon_rt_error *error) {
  return guarded(error, [&] { synchronize(deviceOf(device)); });
}

int32_t tenon_rt_memory_statistics(tenon_rt_memory *memory, tenon_rt_error *error) {
  return guarded(error, [&] {
    known(memory, "a tenon_rt_memory");
    const MemoryStatistics now = memoryStatistics();
    *memory = {memory->struct_size, now.bytesInUse, now.blocksInUse, now.bytesCommitted, now.peakBytes, now.limit};
  });
}

void tenon_rt_set_memory_limit(size_t bytes) { setMemoryLimit(bytes); }

int32_t tenon_rt_thread_count() { return threadCount(); }

int32_t tenon_rt_set_thread_count(int32_t count, tenon_rt_error *error) {
  return guarded(error, [&] {
    if (count < 0 || count > rt::detail::kMaxThreads)
      refuse(TENON_RT_INVALID, "expected a number of threads from 1 to " + std::to_string(rt::detail::kMaxThreads) +
                                   ", or 0 for the default, got " + std::to_string(count));
    setThreadCount(count);
  });
}
