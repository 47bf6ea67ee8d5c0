//===- BodyPlanner.h - plans one body of a schedule --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the steps once and binds them; buffers are numbers until the end, when
// it is known how long each is in use and which of them are outputs.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/RegionLayout.h"
#include "runtime/program/Planner.h"

namespace tenon::rt {

/// What bodies share while a plan is made.
struct PlanContext {
  const Schedule &schedule;
  std::span<const KernelFunction> kernels;
  KernelLookup lookup;
  std::vector<int64_t> symbols;
  /// Of the call.
  std::span<const View> callInputs;
  Plan &plan;
  /// By body: the types of its inputs and outputs.
  std::vector<std::vector<View>> inputs, outputs;
};

class BodyPlanner {
public:
  BodyPlanner(PlanContext &context, uint32_t number);

  /// Fills plan.bodies[number]; the bodies it names are already there. The text
  /// says what is wrong, "" is success.
  std::string run();

private:
  /// A piece of memory. Uses are numbers of bound steps; `last` is -1 if unused.
  struct Buffer {
    enum Kind : uint8_t { input, output, arena } kind = arena;
    uint32_t number = 0; ///< of the input or output
    size_t bytes = 0;
    int64_t first = -1, last = -1;
    uint32_t successorOf = UINT32_MAX;
    bool handedOn = false;
    size_t offset = 0;
  };
  /// Dense or strided data: a byte offset in a buffer.
  struct Data {
    uint32_t buffer = noBuffer;
    int64_t offset = 0;
  };
  struct SlotState {
    View view;              ///< dims and strides
    View dense;             ///< the same dims without gaps
    size_t bytes = 0;       ///< of all elements, packed
    int64_t viewOffset = 0; ///< of a view in its source, in elements
    bool packsSource = false;
    Data data, packed; ///< known from the first use on
  };
  /// `result` may take over `operand`'s memory if nothing needs that any more.
  struct Sharing {
    uint32_t step, operand, result;
    bool failsFirst; ///< the step may fail, but not once it has written
  };
  static constexpr uint32_t noBuffer = UINT32_MAX;
  static constexpr int64_t end = INT64_MAX;

  std::string planSizes();
  std::string planSlots();
  std::string planView(SlotId id);
  std::vector<int64_t> evaluateAttributes(const OpInfo &info, uint32_t begin, uint32_t count) const;

  std::string bind(const Step &step);
  void bindLaunch(const Step &step, BoundStep &bound);
  std::string bindLibrary(const Step &step, BoundStep &bound);
  std::string bindRegion(const Step &step, BoundStep &bound);
  std::string planRegion(const Step &step, const RegionLayout &layout, RegionPlan &plan);
  std::string expectSizes(const char *what, uint32_t body, std::span<const View> types, std::span<const SlotId> ids,
                          const std::vector<bool> &sliced = {}, int64_t rounds = 0);
  void shareCarries(const Step &step, const RegionLayout &layout, const RegionPlan &plan, std::span<const Data> data);
  void bindOutputs();
  void shareBuffers();
  void findDonors();
  void findUpdates();
  void placeBuffers();

  Data dataOf(SlotId id);
  Data denseData(SlotId id);
  uint32_t addBuffer(Buffer::Kind kind, uint32_t number, size_t bytes);
  /// A block of the arena for the step being bound.
  Data addStepBlock(size_t bytes);
  void emitCopy(Data from, const View &view, Data to, size_t bytes);
  void addPlace(Data data);
  void addView(const View &view) { out.views.push_back(view); }
  void touch(uint32_t buffer, int64_t step);
  bool coversBuffer(SlotId id) const;

  std::span<const SlotId> operandsOf(const Step &step) const {
    return {body.slotIds.data() + step.operands, step.operandCount};
  }
  std::span<const SlotId> resultsOf(const Step &step) const {
    return {body.slotIds.data() + step.operands + step.operandCount, step.resultCount};
  }

  PlanContext &context;
  const Schedule &schedule;
  uint32_t number;
  const ScheduleBody &body;
  BodyPlan &out;
  std::vector<int64_t> sizes;
  std::vector<SlotState> slots;
  std::vector<Buffer> buffers; ///< inputs, then outputs, then the others
  std::vector<Data> places;    ///< what `out.places` becomes
  std::vector<Sharing> sharings;
  size_t frameScratch = 0, nestedFrames = 0; ///< bytes of the frame
  int64_t lastFailing = -1;
};

} // namespace tenon::rt
