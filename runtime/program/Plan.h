//===- Plan.h - a schedule for one set of sizes, ready to run ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that follows from the sizes alone: functions, words, strides,
// places of buffers. A run patches pointers and calls. A plan is immutable, so
// any number of threads may run it at once.
//
// A body runs in its arena: first its frame (one base pointer for the arena,
// each input and each output, then room for a step's pointers or views), then
// the temporaries. Arenas of nested bodies are blocks in their parent's.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/program/Schedule.h"

#include <memory>
#include <utility>

namespace tenon::rt {

/// `offset` bytes behind base `base` of the frame: 0 the arena, then the inputs,
/// then the outputs.
struct Place {
  uint32_t base = 0;
  int64_t offset = 0;
};

/// What the carries, inputs and outputs of a loop move by, in bytes.
struct LoopPlan {
  uint32_t condConsts = 0, consts = 0, carries = 0, slicedInputs = 0, stackedOutputs = 0;
  int64_t length = 0;
  bool reverse = false;
  /// Carries, then sliced inputs, then stacked outputs.
  std::vector<int64_t> bytes;
  /// By carry: the body returns its own input, so it never moves.
  std::vector<bool> fixed;
};

struct BoundStep {
  enum Kind : uint8_t { launch, launchChunked, library, copy, print, branch, loopWhile, scan, call } kind = launch;
  bool dense = false; ///< copy: both sides are
  uint32_t location = noLocation;
  /// BodyPlan::places from here: operands, results; then what the kind needs:
  ///   launch   its scratch, if it has one        branch, call  the body's arena
  ///   scan     a second buffer per carry, the body's arena
  ///   loopWhile  the same, the condition's result, the condition's arena
  uint32_t places = 0, operandCount = 0, resultCount = 0;
  /// launch: BodyPlan::words; library, print: the attributes there.
  uint32_t words = 0, wordCount = 0;
  /// library, print, copy: the first of operandCount + resultCount views.
  uint32_t views = 0;
  /// The extent and the units of a chunk.
  int64_t extent = 0, grain = 0;
  size_t scratchBytes = 0;
  KernelFunction kernel = nullptr;
  Kernel library_ = nullptr;
  OpCode op = {};
  /// branch, loops, call: numbers of bodies; loops: index into BodyPlan::loops.
  uint32_t target = 0, target2 = 0, loop = 0;
  size_t bytes = 0; ///< copy: of all elements
};

struct BodyPlan {
  std::vector<BoundStep> steps;
  std::vector<Place> places;
  std::vector<int64_t> words;
  std::vector<View> views; ///< without data
  std::vector<LoopPlan> loops;
  uint32_t inputs = 0, outputs = 0;
  size_t frameScratch = 0; ///< where in the arena a step's pointers or views go
  size_t arenaBytes = 0;   ///< frame included
  bool canFail = false;
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
  /// call owns it alone (donated, no other handle, no view); or noDonor. From
  /// the first write into it on the run cannot fail and is not cancelled.
  static constexpr uint32_t noDonor = UINT32_MAX;
  uint32_t donor = noDonor;
  /// The step from which on that is so.
  uint32_t writtenAt = 0;
};

struct Plan {
  /// By number of the schedule's bodies.
  std::vector<BodyPlan> bodies;
  std::vector<PlannedOutput> outputs;
  bool mayReuseInputs = false; ///< some output has a donor
  /// The key: of each input its word, its dims and, unless dense, its strides.
  std::vector<int64_t> inputKey;
  uint32_t references = 0;
};

/// A counted reference of a plan.
class PlanRef {
public:
  PlanRef() = default;
  explicit PlanRef(Plan *plan) : plan(plan) {
    if (plan)
      __atomic_fetch_add(&plan->references, 1, __ATOMIC_RELAXED);
  }
  PlanRef(const PlanRef &other) : PlanRef(other.plan) {}
  PlanRef(PlanRef &&other) noexcept : plan(std::exchange(other.plan, nullptr)) {}
  PlanRef &operator=(PlanRef other) noexcept {
    std::swap(plan, other.plan);
    return *this;
  }
  ~PlanRef() {
    if (plan && __atomic_sub_fetch(&plan->references, 1, __ATOMIC_ACQ_REL) == 0)
      delete plan;
  }
  const Plan *operator->() const { return plan; }
  const Plan &operator*() const { return *plan; }
  explicit operator bool() const { return plan; }

private:
  Plan *plan = nullptr;
};

} // namespace tenon::rt
