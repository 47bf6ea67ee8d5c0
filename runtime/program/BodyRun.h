//===- BodyRun.h - the steps of a plan, one after another ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/program/Arena.h"
#include "runtime/program/Executor.h"

#include <exception>

namespace tenon::rt {

inline void **basesOf(char *arena) { return reinterpret_cast<void **>(arena); }
inline char *addressOf(char *arena, const Place &place) {
  return static_cast<char *>(basesOf(arena)[place.base]) + place.offset;
}

/// One run of a program: what its bodies share.
class BodyRun {
public:
  BodyRun(const Plan &plan, const uint32_t *cancel, RunReport &report) : plan(plan), cancel(cancel), report(report) {}

  /// Runs steps [from, to) of a body whose arena holds its bases.
  Status steps(const BodyPlan &body, char *arena, uint32_t from, uint32_t to);

  /// Runs nested body `number` in its arena.
  Status nested(uint32_t number, char *arena) {
    const BodyPlan &body = plan.bodies[number];
    return steps(body, arena, 0, static_cast<uint32_t>(body.steps.size()));
  }

  bool cancelled() const { return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0; }
  void neverCancel() { cancel = nullptr; }
  /// Throws what a host function threw, if one did.
  void rethrow() {
    if (exception)
      std::rethrow_exception(exception);
  }

private:
  Status step(const BodyPlan &body, const BoundStep &step, char *arena);
  Status launchChunks(const BoundStep &step, const KernelArgs &args);
  Status library(const BodyPlan &body, const BoundStep &step, char *arena);
  Status copyStep(const BodyPlan &body, const BoundStep &step, char *arena);
  Status region(const BodyPlan &body, const BoundStep &step, char *arena);

  const Plan &plan;
  const uint32_t *cancel;
  RunReport &report;
  std::exception_ptr exception;
};

} // namespace tenon::rt
