//===- RegionRun.h - one run of a region step ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a region op's runner (`run<Stem>` in RegionRuns.cpp) works with: it fills
// the frames of bodies with pointers and runs them, in its own order.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/program/BodyRun.h"

namespace tenon::rt {

class RegionRun {
public:
  RegionRun(BodyRun &run, const BodyPlan &body, const BoundStep &step, char *frame)
      : plan(body.regions[step.plan]), run_(run), step_(step), places_(body.places.data() + step.places),
        frame_(frame) {}

  const RegionPlan &plan;

  char *operand(uint32_t number) const { return place(number); }
  /// An operand, or a condition's answer, as a number.
  template <class T>
  T read(const char *place) const {
    return run_.read<T>(place);
  }
  char *result(uint32_t number) const { return place(step_.operandCount + number); }
  /// Where a body that is a condition leaves its answer.
  char *answer(const RegionPlan::Body &body) const { return place(body.answer); }

  /// The pointers of a body's inputs, to the operands that it takes; those of its
  /// outputs follow.
  void **enter(const RegionPlan::Body &body) {
    void **bases = basesOf(frame_ + body.frame), **inputs = bases + 1;
    bases[0] = place(body.arena);
    for (size_t i = 0; i < body.inputs.size(); ++i)
      inputs[i] = operand(body.inputs[i]);
    return inputs;
  }
  Status nested(const RegionPlan::Body &body) { return run_.nested(body.number, frame_ + body.frame); }
  /// A body that returns the results of the op.
  Status once(const RegionPlan::Body &body) {
    void **outputs = enter(body) + body.inputs.size();
    for (uint32_t i = 0; i < step_.resultCount; ++i)
      outputs[i] = result(i);
    return nested(body);
  }
  bool cancelled() const { return run_.cancelled(); }

  /// Where a round leaves the carries: by turns in the results and beside them, or, what
  /// it can change in place, always in the results.
  void placeCarries(void *const *carries, void **outputs, bool inResults) const {
    for (uint32_t i = 0; i < plan.carryBytes.size(); ++i)
      outputs[i] = plan.fixed[i] ? carries[i] : inResults || plan.updated[i] ? result(i) : place(plan.spares + i);
  }
  /// The last carries as results.
  Status returnCarries(void *const *carries) const;

private:
  char *place(uint32_t number) const { return addressOf(frame_, places_[number]); }

  BodyRun &run_;
  const BoundStep &step_;
  const Place *places_;
  char *frame_;
};

/// Null for an op that has no regions.
RegionRunner regionRunner(OpCode op);

} // namespace tenon::rt
