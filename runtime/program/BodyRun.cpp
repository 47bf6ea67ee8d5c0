//===- BodyRun.cpp - the steps of a plan, one after another -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/BodyRun.h"
#include "runtime/program/RegionRun.h"

using namespace tenon;
using namespace tenon::rt;

Status BodyRun::steps(const BodyPlan &body, char *frame, uint32_t from, uint32_t to) {
  const BoundStep *all = body.steps.data();
  for (uint32_t i = from; i < to; ++i) {
    if (cancelled()) [[unlikely]]
      return Status::cancelled;
    const BoundStep &next = all[i];
    Status status;
    if (next.kind == BoundStep::launch) {
      auto **buffers = reinterpret_cast<void **>(frame + body.frameScratch);
      const Place *places = body.places.data() + next.places;
      uint32_t count = next.operandCount + next.resultCount;
      for (uint32_t k = 0; k < count; ++k)
        buffers[k] = addressOf(frame, places[k]);
      KernelArgs args{buffers, body.words.data() + next.words,
                      next.scratchBytes ? addressOf(frame, places[count]) : nullptr};
      ++report.statistics.kernels;
      status = next.extent > 0 ? static_cast<Status>(next.kernel(&args, 0, next.extent)) : Status::ok;
    } else {
      status = step(body, next, frame);
    }
    if (status != Status::ok) [[unlikely]] {
      if (report.location == noLocation)
        report.location = next.location;
      return status;
    }
  }
  return Status::ok;
}

Status BodyRun::step(const BodyPlan &body, const BoundStep &step, char *frame) {
  if (stream)
    plan.device->streams->setPlace(stream, step.location < places.size() ? &places[step.location] : nullptr);
  switch (step.kind) {
  case BoundStep::launch: // steps() runs these itself
  case BoundStep::launchChunked: {
    auto **buffers = reinterpret_cast<void **>(frame + body.frameScratch);
    const Place *places = body.places.data() + step.places;
    const uint32_t count = step.operandCount + step.resultCount;
    for (uint32_t k = 0; k < count; ++k)
      buffers[k] = addressOf(frame, places[k]);
    ++report.statistics.kernels;
    return plan.device->launch({step.kernel,
                                std::span(buffers, count),
                                {body.words.data() + step.words, step.wordCount},
                                step.extent,
                                step.grain,
                                step.scratchBytes,
                                cancel,
                                stream});
  }
  case BoundStep::library:
  case BoundStep::host:
    return library(body, step, frame);
  case BoundStep::copy:
    return copyStep(body, step, frame);
  case BoundStep::region:
    return region(body, step, frame);
  }
  __builtin_unreachable();
}

Status BodyRun::library(const BodyPlan &body, const BoundStep &step, char *frame) {
  uint32_t count = step.operandCount + step.resultCount;
  auto *views = reinterpret_cast<View *>(frame + body.frameScratch);
  const Place *places = body.places.data() + step.places;
  for (uint32_t k = 0; k < count; ++k) {
    views[k] = body.views[step.views + k];
    views[k].data = addressOf(frame, places[k]);
  }
  ++report.statistics.librarySteps;
  KernelCall call{step.op,
                  {views, step.operandCount},
                  {views + step.operandCount, step.resultCount},
                  {body.words.data() + step.words, step.wordCount},
                  cancel,
                  stream,
                  {},
                  &report.fault};
  if (step.kind == BoundStep::library) {
    const Status status = step.library_(call);
    report.guards += step.op == OpCode::guard && status == Status::ok;
    return status;
  }
  try {
    return step.library_(call);
  } catch (...) {
    exception = std::current_exception();
    return Status::failed;
  }
}

Status BodyRun::copyStep(const BodyPlan &body, const BoundStep &step, char *frame) {
  const Place *places = body.places.data() + step.places;
  char *from = addressOf(frame, places[0]), *to = addressOf(frame, places[1]);
  if (from == to || step.bytes == 0) // a loop's carry that stays where it is
    return Status::ok;
  ++report.statistics.copies;
  if (step.dense)
    return copyBytes(to, from, step.bytes);
  View source = body.views[step.views], target = body.views[step.views + 1];
  source.data = from;
  target.data = to;
  return plan.device->copyView(stream, source, target);
}

Status BodyRun::region(const BodyPlan &body, const BoundStep &step, char *frame) {
  RegionRun run(*this, body, step, frame);
  return run.plan.run(run);
}
