//===- BodyRun.h - the steps of a plan, one after another ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/program/Arena.h"
#include "runtime/program/Executor.h"

#include <cstring>
#include <exception>

namespace tenon::rt {

inline void **basesOf(char *frame) { return reinterpret_cast<void **>(frame); }
inline char *addressOf(char *frame, const Place &place) {
  return static_cast<char *>(basesOf(frame)[place.base]) + place.offset;
}

/// One run of a program: what its bodies share.
class BodyRun {
public:
  /// `places`: those of steps, see Schedule::locations.
  BodyRun(const Plan &plan, std::span<const std::string> places, const uint32_t *cancel, RunReport &report)
      : plan(plan), cancel(cancel), report(report), places(places),
        stream(plan.device->streams ? plan.device->streams->ofThread() : nullptr) {}
  BodyRun(const BodyRun &) = delete;
  ~BodyRun() {
    if (stream)
      plan.device->streams->setPlace(stream, nullptr);
  }

  /// Runs steps [from, to) of a body whose frame holds its bases.
  Status steps(const BodyPlan &body, char *frame, uint32_t from, uint32_t to);

  /// Runs nested body `number` in its frame.
  Status nested(uint32_t number, char *frame) {
    const BodyPlan &body = plan.bodies[number];
    return steps(body, frame, 0, static_cast<uint32_t>(body.steps.size()));
  }

  /// Copies inside of the device's memory.
  Status copyBytes(void *to, const void *from, size_t bytes) const {
    if (plan.device != &hostDevice)
      return plan.device->copyBytes(stream, to, from, bytes);
    std::memcpy(to, from, bytes);
    return Status::ok;
  }
  /// A number in the device's memory. Where a step before it has failed, 0, which
  /// ends a loop: what follows is not done, and who waits for the run is told.
  template <class T>
  T read(const void *from) const {
    T value{};
    if (plan.device == &hostDevice)
      std::memcpy(&value, from, sizeof value);
    else if (plan.device->streams->settle(stream))
      plan.device->toHost(&value, from, sizeof value);
    return value;
  }

  bool cancelled() const { return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0; }
  void neverCancel() { cancel = nullptr; }
  /// Throws what a host function threw, if one did.
  void rethrow() {
    if (exception)
      std::rethrow_exception(exception);
  }

private:
  Status step(const BodyPlan &body, const BoundStep &step, char *frame);
  Status library(const BodyPlan &body, const BoundStep &step, char *frame);
  Status copyStep(const BodyPlan &body, const BoundStep &step, char *frame);
  Status region(const BodyPlan &body, const BoundStep &step, char *frame);

  const Plan &plan;
  const uint32_t *cancel;
  RunReport &report;
  std::span<const std::string> places;
  /// The calling thread's on the device; null on the host.
  Stream *stream;
  std::exception_ptr exception;
};

} // namespace tenon::rt
