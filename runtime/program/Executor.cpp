//===- Executor.cpp - a loaded program: its plans, the frame of a run --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/Executor.h"

#include "lib/base/FloatingPoint.h"
#include "lib/base/Fork.h"
#include "runtime/memory/FileBytes.h"
#include "runtime/memory/Memory.h"
#include "runtime/program/BodyRun.h"
#include "runtime/threads/Pool.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::rt;

/// Frame and arena up to this size are on the caller's stack.
static constexpr size_t arenaStackBytes = 2048;

Executable::~Executable() {
  // Its code and its places may still be needed. A program that was never anywhere
  // else asks no device: it may be freed because memory is short.
  if (ranElsewhere_.load(std::memory_order_relaxed))
    for (const DeviceTable *device : devices())
      if (device->streams)
        device->streams->finishAll();
  delete first_.load(std::memory_order_relaxed);
}

std::unique_ptr<Executable> Executable::make(Schedule schedule, std::vector<KernelFunction> kernels,
                                             KernelLookup lookup, std::string &error) {
  error = check(schedule);
  if (error.empty() && kernels.size() != schedule.kernels.size())
    error = "schedule: expected " + std::to_string(kernels.size()) + " kernels, one for each entry of the code, got " +
            std::to_string(schedule.kernels.size());
  if (!error.empty())
    return nullptr;
  std::unique_ptr<Executable> made(new Executable);
  made->schedule_ = std::move(schedule);
  made->kernels = std::move(kernels);
  made->lookup = lookup;
  return made;
}

std::unique_ptr<Executable> Executable::load(std::span<const std::byte> blob, std::string &error) {
  warnOfWrongThreadCount();
  BlobView view = BlobView::parse(blob, error);
  if (!view)
    return nullptr;
  Schedule schedule;
  error = parse(view.schedule(), schedule);
  if (!error.empty())
    return nullptr;
  LoadedImage image = LoadedImage::load(view, error);
  if (!image)
    return nullptr;
  std::vector<KernelFunction> kernels;
  for (size_t i = 0; i < image.entryCount(); ++i)
    kernels.push_back(reinterpret_cast<KernelFunction>(const_cast<void *>(image.entry(i))));
  std::unique_ptr<Executable> made = make(std::move(schedule), std::move(kernels), rt::kernel, error);
  if (made)
    made->image = std::move(image);
  return made;
}

std::unique_ptr<Executable> Executable::loadFile(const std::string &what, const std::string &path) {
  tenon::detail::InputFile file(what, path);
  // Its start first: a file may claim any size.
  const uint64_t size = file.remaining();
  std::byte header[sizeof(BlobHeader)];
  std::span<std::byte> start = std::span(header).first(std::min<uint64_t>(sizeof header, size));
  file.read(start, "the program");
  std::string error = checkBlobStart(start, size);
  if (!error.empty())
    file.fail(error);
  FileBytes bytes(size, file);
  std::span<std::byte> blob = bytes;
  std::copy(start.begin(), start.end(), blob.begin());
  file.read(blob.subspan(sizeof header), "the program");
  std::unique_ptr<Executable> loaded = load(blob, error);
  if (!loaded)
    file.fail(error);
  return loaded;
}

namespace {
/// Given back when a thread of the pool throws, too.
struct HostBlock {
  explicit HostBlock(size_t bytes) : bytes(bytes), data(bytes ? static_cast<char *>(tryAllocate(bytes)) : nullptr) {}
  ~HostBlock() { deallocate(data, bytes); }
  HostBlock(const HostBlock &) = delete;
  size_t bytes;
  char *data;
};
/// The same of another device.
struct DeviceBlock {
  DeviceBlock(const DeviceTable &device, size_t bytes)
      : device(device), bytes(bytes), data(device.allocate(bytes, nullptr)) {}
  ~DeviceBlock() { device.deallocate(data, bytes); }
  DeviceBlock(const DeviceBlock &) = delete;
  const DeviceTable &device;
  size_t bytes;
  void *data;
};
} // namespace

static bool fits(const Plan &plan, std::span<const View> inputs, const DeviceTable &device) {
  return plan.fits(inputs.size(), [&](size_t i) { return inputs[i]; }, device);
}

static uint64_t hashOf(std::span<const View> inputs) {
  uint64_t hash = 0;
  auto mix = [&](int64_t word) { hash = (hash ^ static_cast<uint64_t>(word)) * 0x9e3779b97f4a7c15; };
  for (const View &input : inputs) {
    mix(inputWord(input));
    for (int i = 0; i < input.rank; ++i)
      mix(input.dims[i]);
  }
  return hash;
}

PlanRef Executable::findLocked(uint64_t hash, std::span<const View> inputs, const DeviceTable &device) {
  for (Kept &kept : plans)
    if (kept.hash == hash && fits(*kept.plan, inputs, device)) {
      kept.asked = ++asked_;
      return kept.plan;
    }
  return PlanRef();
}

PlanRef Executable::plan(std::span<const View> inputs, std::string &error, const DeviceTable &device) {
  if (Plan *const first = first_.load(std::memory_order_acquire); first && fits(*first, inputs, device)) [[likely]]
    return PlanRef(first);
  const uint64_t hash = hashOf(inputs);
  ForkLock &lock = ForkLocks<LockOrder::plans, 8>::of(this);
  {
    std::lock_guard guard(lock);
    if (PlanRef known = findLocked(hash, inputs, device))
      return known;
  }
  PlanRef made = makePlan(schedule_, kernels, lookup, inputs, error, device), dropped;
  if (!made)
    return made;
  std::lock_guard guard(lock);
  // Another thread may have been faster.
  if (Plan *const first = first_.load(std::memory_order_relaxed); first && fits(*first, inputs, device))
    return PlanRef(first);
  if (PlanRef known = findLocked(hash, inputs, device))
    return known;
  ++plansMade_;
  if (!first_.load(std::memory_order_relaxed)) {
    first_.store(made.stay(), std::memory_order_release);
    return made;
  }
  if (plans.size() == maxPlans) {
    Kept &oldest = *std::ranges::min_element(plans, {}, &Kept::asked);
    dropped = std::move(oldest.plan);
    oldest = std::move(plans.back());
    plans.pop_back();
  }
  plans.push_back({hash, ++asked_, made});
  return made;
}

uint64_t Executable::plansMade() const {
  std::lock_guard guard(ForkLocks<LockOrder::plans, 8>::of(this));
  return plansMade_;
}

Status Executable::run(const Plan &plan, std::span<void *const> inputs, std::span<void *const> outputs,
                       const uint32_t *cancel, RunReport &report) const {
  if (plan.device == &hostDevice) [[likely]]
    return runWith(plan, nullptr, inputs, outputs, cancel, report);
  DeviceBlock arena(*plan.device, plan.bodies[0].arenaBytes);
  return arena.data ? runWith(plan, arena.data, inputs, outputs, cancel, report) : Status::outOfMemory;
}

Status Executable::runWith(const Plan &plan, void *arena, std::span<void *const> inputs, std::span<void *const> outputs,
                           const uint32_t *cancel, RunReport &report) const {
  const DefaultFloatingPoint scope;
  const BodyPlan &body = plan.bodies[0];
  // The host's arena follows the frame.
  const size_t bytes = addSizes(body.frameBytes, arena ? 0 : body.arenaBytes);
  alignas(arenaAlignment) char small[arenaStackBytes];
  HostBlock large(bytes > arenaStackBytes ? bytes : 0);
  char *frame = bytes > arenaStackBytes ? large.data : small;
  if (!frame)
    return Status::outOfMemory;
  report.hasBegun = true;
  void **bases = basesOf(frame);
  bases[0] = arena ? arena : frame + body.frameBytes;
  std::copy(inputs.begin(), inputs.end(), bases + 1);
  std::copy(outputs.begin(), outputs.end(), bases + 1 + inputs.size());

  // From the first write into an input on, the run goes to its end.
  auto cancellable = static_cast<uint32_t>(body.steps.size());
  if (plan.mayReuseInputs)
    for (size_t i = 0; i < plan.outputs.size(); ++i)
      if (const PlannedOutput &output = plan.outputs[i];
          output.donor != PlannedOutput::noDonor && outputs[i] == inputs[output.donor])
        cancellable = std::min(cancellable, output.writtenAt);

  if (plan.device != &hostDevice)
    ranElsewhere_.store(true, std::memory_order_relaxed);
  BodyRun run(plan, schedule_.locations, cancel, report);
  Status status = run.steps(body, frame, 0, cancellable);
  if (status == Status::ok && cancellable < body.steps.size()) {
    run.neverCancel();
    status = run.steps(body, frame, cancellable, static_cast<uint32_t>(body.steps.size()));
  }
  run.rethrow();
  return status;
}
