//===- Plan.h - a schedule for one set of sizes, ready to run ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that follows from the sizes alone: functions, words, strides,
// places of buffers. A run patches pointers and calls. A plan is immutable, so
// any number of threads may run it at once.
//
// A body runs in a frame, the host's: one base pointer for the arena, each input
// and each output, room for a step's pointers or views, and the frames of nested
// bodies. Temporaries are in the arena, which is the device's memory; arenas of
// nested bodies are blocks in their parent's.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/Device.h"
#include "runtime/program/Schedule.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace tenon::rt {

/// `offset` bytes behind base `base` of the frame: 0 the arena, then the inputs,
/// then the outputs.
struct Place {
  uint32_t base = 0;
  int64_t offset = 0;
};

class RegionRun;
/// How a region op runs, by op code in RegionRuns.cpp.
using RegionRunner = Status (*)(RegionRun &run);

/// Which operands of a region step go into its bodies, and what moves by how many
/// bytes from round to round. Numbers of places are counted from the step's.
struct RegionPlan {
  struct Body {
    uint32_t number = 0;          ///< among the plan's bodies
    uint32_t arena = 0;           ///< place
    size_t frame = 0;             ///< where in the parent's frame its own is
    uint32_t answer = 0;          ///< place of what a condition returns
    std::vector<uint32_t> inputs; ///< operands
    uint32_t firstCarry = 0;      ///< among the inputs
  };
  /// An input of the body that is walked along.
  struct Slice {
    uint32_t input = 0, operand = 0;
    int64_t bytes = 0;
  };
  RegionRunner run = nullptr;
  std::vector<Body> bodies;
  std::vector<int64_t> words; ///< the op's attributes
  int64_t rounds = 0;         ///< where the op knows it
  /// The carries: bytes of each, whether a body returns its own input, so that it
  /// never moves, whether it can change it in place, so that no second buffer is needed,
  /// and the place of a second buffer of the first one.
  std::vector<int64_t> carryBytes;
  std::vector<bool> fixed, updated;
  uint32_t spares = 0;
  std::vector<Slice> slices;
  /// By result behind those of carries: the bytes of a slice.
  std::vector<int64_t> stackedBytes;
};

struct BoundStep {
  enum Kind : uint8_t { launch, launchChunked, library, copy, host, region } kind = launch;
  bool dense = false; ///< copy: both sides are
  uint32_t location = noLocation;
  /// BodyPlan::places from here: operands, results; then what the kind needs:
  ///   launch   its scratch, if it has one
  ///   region   a second buffer per carry, arenas of bodies, results of conditions
  uint32_t places = 0, operandCount = 0, resultCount = 0;
  /// BodyPlan::words; library, host: the attributes there.
  uint32_t words = 0, wordCount = 0;
  /// library, host, copy: the first of operandCount + resultCount views.
  uint32_t views = 0;
  /// The extent and the units of a chunk.
  int64_t extent = 0, grain = 0;
  size_t scratchBytes = 0;
  KernelFunction kernel = nullptr;
  Kernel library_ = nullptr;
  OpCode op = {};
  uint32_t plan = 0; ///< region: index into BodyPlan::regions
  size_t bytes = 0;  ///< copy: of all elements
};

struct BodyPlan {
  std::vector<BoundStep> steps;
  std::vector<Place> places;
  std::vector<int64_t> words;
  std::vector<View> views; ///< without data
  std::vector<RegionPlan> regions;
  uint32_t inputs = 0, outputs = 0;
  size_t frameScratch = 0; ///< where in the frame a step's pointers or views go
  size_t frameBytes = 0;   ///< a multiple of arenaAlignment
  size_t arenaBytes = 0;
  bool canFail = false;
  /// Of a nested body: inputs, and the outputs that may be given their memory.
  std::vector<std::pair<uint32_t, uint32_t>> updated;
  bool updates(uint32_t input, uint32_t output) const {
    return std::find(updated.begin(), updated.end(), std::pair(input, output)) != updated.end();
  }
  /// Dims and strides that `views` point to.
  std::unique_ptr<int64_t[]> sizes;
};

/// What a call returns, and where its buffer comes from.
struct PlannedOutput {
  enum Kind : uint8_t {
    fresh, ///< the caller gives a dense buffer, 64-byte aligned, that aliases nothing else
    input  ///< the handle of input `source` itself; its buffer is not looked at
  } kind = fresh;
  Dtype dtype = Dtype::f32;
  std::span<const int64_t> dims;
  size_t bytes = 0;
  uint32_t source = 0;
  /// fresh: the buffer of this input may be given instead of a new one if the
  /// call owns it alone (donated, no other handle, no view); or noDonor. An input
  /// is the donor of one output at most. From the first write into it on the run
  /// cannot fail and is not cancelled.
  static constexpr uint32_t noDonor = UINT32_MAX;
  uint32_t donor = noDonor;
  /// The step from which on that is so.
  uint32_t writtenAt = 0;
};

/// What a plan's key says of an input before its dims, and its strides if it has any.
inline int64_t inputWord(const View &input) {
  return int64_t(input.dtype) | int64_t(input.rank) << 8 | int64_t(input.strides != nullptr) << 16;
}

struct Plan {
  /// Where inputs, outputs and temporaries are.
  const DeviceTable *device = &hostDevice;
  /// By number of the schedule's bodies.
  std::vector<BodyPlan> bodies;
  std::vector<PlannedOutput> outputs;
  bool mayReuseInputs = false; ///< some output has a donor
  /// The key: of each input its word, its dims and, unless dense, its strides.
  std::vector<int64_t> inputKey;
  uint32_t references = 0;
  /// As long as its program: nobody counts who has it.
  bool stays = false;

  /// Whether it is for these inputs, of which `viewOf` gives the i-th. Without branches on the sizes: they are nearly
  /// always the same.
  template <class ViewOf>
  bool fits(size_t count, const ViewOf &viewOf, const DeviceTable &on) const {
    const int64_t *key = inputKey.data(), *const end = key + inputKey.size();
    int64_t difference = 0;
    for (size_t k = 0; k < count; ++k) {
      const View input = viewOf(k);
      if (key == end)
        return false;
      if (*key++ != inputWord(input)) // also says how many sizes follow
        return false;
      for (int i = 0; i < input.rank; ++i)
        difference |= *key++ ^ input.dims[i];
      if (input.strides)
        for (int i = 0; i < input.rank; ++i)
          difference |= *key++ ^ input.strides[i];
    }
    return difference == 0 && key == end && device == &on;
  }
};

/// A reference of a plan, counted unless the plan stays as long as its program.
class PlanRef {
public:
  PlanRef() = default;
  explicit PlanRef(Plan *plan) : plan(plan) {
    if (plan && !plan->stays)
      __atomic_fetch_add(&plan->references, 1, __ATOMIC_RELAXED);
  }
  PlanRef(const PlanRef &other) : PlanRef(other.plan) {}
  PlanRef(PlanRef &&other) noexcept : plan(std::exchange(other.plan, nullptr)) {}
  PlanRef &operator=(PlanRef other) noexcept {
    std::swap(plan, other.plan);
    return *this;
  }
  ~PlanRef() {
    if (plan && !plan->stays && __atomic_sub_fetch(&plan->references, 1, __ATOMIC_ACQ_REL) == 0)
      delete plan;
  }
  const Plan *operator->() const { return plan; }
  const Plan &operator*() const { return *plan; }
  explicit operator bool() const { return plan; }
  /// Null unless it stays as long as its program.
  Plan *lasting() const { return plan && plan->stays ? plan : nullptr; }
  /// Of a plan that nobody else has yet: it stays from here on, and is whoever calls this one's to delete.
  Plan *stay() {
    plan->stays = true;
    return plan;
  }

private:
  Plan *plan = nullptr;
};

} // namespace tenon::rt
