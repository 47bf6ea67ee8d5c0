//===- Executor.h - a loaded program, run ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call: find the plan for the inputs' sizes, make the buffers of its outputs,
// run. The library above owns handles; here are addresses only.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/program/Image.h"
#include "runtime/program/Plan.h"
#include "runtime/program/Planner.h"

#include <atomic>

namespace tenon::rt {

/// What one run did; a loop's body counts each time it runs.
struct RunStatistics {
  uint64_t kernels = 0;      ///< launches of generated kernels
  uint64_t librarySteps = 0; ///< eager kernels called
  uint64_t copies = 0;
};

struct RunReport {
  RunStatistics statistics;
  /// Where the failing step came from: Schedule::locations, or noLocation.
  uint32_t location = noLocation;
  /// After Status::outOfBounds and otherwise.
  Fault fault;
  /// Guards that have held.
  uint32_t guards = 0;
  /// There was room for what is temporary.
  bool hasBegun = false;
};

class Executable {
public:
  /// Checks and maps a blob; null, and why, if it is damaged or this machine
  /// cannot run it. The bytes may go away afterwards.
  static std::unique_ptr<Executable> load(std::span<const std::byte> blob, std::string &error);

  /// The same from a file. Throws an Error that begins with `what`, the name of
  /// the function, and names the file.
  static std::unique_ptr<Executable> loadFile(const std::string &what, const std::string &path);

  /// The same from a schedule and its kernels, without an image.
  static std::unique_ptr<Executable> make(Schedule schedule, std::vector<KernelFunction> kernels, KernelLookup lookup,
                                          std::string &error);

  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;
  ~Executable();

  const Schedule &schedule() const { return schedule_; }

  /// The plan for inputs on `device` of these dtypes, dims and strides (null: row-major
  /// without gaps; data is not looked at). False, and why, if they do not fit. Plans are kept, the last
  /// used first, up to `maxPlans`: those of 64 batch sizes in turn. Any thread may call this.
  PlanRef plan(std::span<const View> inputs, std::string &error, const DeviceTable &device = hostDevice);
  /// The one that was made first, which nearly every call asks for, if it is for these inputs, of which `viewOf` gives
  /// the i-th; else null.
  template <class ViewOf>
  PlanRef firstPlan(size_t inputs, const ViewOf &viewOf, const DeviceTable &device) const {
    Plan *const first = first_.load(std::memory_order_acquire);
    return first && first->fits(inputs, viewOf, device) ? PlanRef(first) : PlanRef();
  }
  /// The first one stays besides, and is found without a lock.
  static constexpr size_t maxPlans = 80;
  uint64_t plansMade() const;

  /// Runs `plan`, which must be this program's, on its device, where all this memory
  /// is: on another than the host the run is asked for, as a part of a call of the
  /// thread's stream, and what its steps say is said of the call. `inputs`: their first elements, aligned; they may
  /// alias each other. `outputs`: a buffer for each fresh output, see PlannedOutput; anything for the others. `cancel`,
  /// polled between steps, rounds and chunks, may be null. After another status than ok the outputs hold anything, and
  /// no input was written. Rethrows what a host step threw. Any number of threads may run one plan.
  Status run(const Plan &plan, std::span<void *const> inputs, std::span<void *const> outputs, const uint32_t *cancel,
             RunReport &report) const;

  size_t mappedBytes() const { return image.mappedBytes(); }

private:
  Executable() = default;
  /// In a given arena; null: one of the host's.
  Status runWith(const Plan &plan, void *arena, std::span<void *const> inputs, std::span<void *const> outputs,
                 const uint32_t *cancel, RunReport &report) const;

  Schedule schedule_;
  LoadedImage image;
  std::vector<KernelFunction> kernels;
  KernelLookup lookup = nullptr;
  /// The plan that is there, or null. The caller holds the lock of the plans, one
  /// of those that executables share; none is held while a plan is made.
  PlanRef findLocked(uint64_t hash, std::span<const View> inputs, const DeviceTable &device);
  /// A plan, the hash of what it is for, and when it was asked for last.
  struct Kept {
    uint64_t hash, asked;
    PlanRef plan;
  };
  uint64_t plansMade_ = 0;
  std::vector<Kept> plans;
  uint64_t asked_ = 0;
  std::atomic<Plan *> first_ = nullptr;
  /// Some run was on another device than the host.
  mutable std::atomic<bool> ranElsewhere_ = false;
};

} // namespace tenon::rt
