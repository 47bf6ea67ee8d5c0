//===- BodyRun.cpp - the steps of a plan, one after another -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/BodyRun.h"
#include "runtime/memory/Memory.h"
#include "runtime/program/RegionRun.h"
#include "runtime/threads/Pool.h"

#include <cstring>

using namespace tenon;
using namespace tenon::rt;

Status BodyRun::steps(const BodyPlan &body, char *arena, uint32_t from, uint32_t to) {
  const BoundStep *all = body.steps.data();
  for (uint32_t i = from; i < to; ++i) {
    if (cancelled()) [[unlikely]]
      return Status::cancelled;
    const BoundStep &next = all[i];
    Status status;
    if (next.kind == BoundStep::launch) {
      auto **buffers = reinterpret_cast<void **>(arena + body.frameScratch);
      const Place *places = body.places.data() + next.places;
      uint32_t count = next.operandCount + next.resultCount;
      for (uint32_t k = 0; k < count; ++k)
        buffers[k] = addressOf(arena, places[k]);
      KernelArgs args{buffers, body.words.data() + next.words,
                      next.scratchBytes ? addressOf(arena, places[count]) : nullptr};
      ++report.statistics.kernels;
      status = next.extent > 0 ? static_cast<Status>(next.kernel(&args, 0, next.extent)) : Status::ok;
    } else {
      status = step(body, next, arena);
    }
    if (status != Status::ok) [[unlikely]] {
      if (report.location == noLocation)
        report.location = next.location;
      return status;
    }
  }
  return Status::ok;
}

Status BodyRun::step(const BodyPlan &body, const BoundStep &step, char *arena) {
  switch (step.kind) {
  case BoundStep::launch: // steps() runs these itself
  case BoundStep::launchChunked: {
    auto **buffers = reinterpret_cast<void **>(arena + body.frameScratch);
    const Place *places = body.places.data() + step.places;
    for (uint32_t k = 0; k < step.operandCount + step.resultCount; ++k)
      buffers[k] = addressOf(arena, places[k]);
    ++report.statistics.kernels;
    return launchChunks(step, {buffers, body.words.data() + step.words, nullptr});
  }
  case BoundStep::library:
  case BoundStep::print:
    return library(body, step, arena);
  case BoundStep::copy:
    return copyStep(body, step, arena);
  case BoundStep::region:
    return region(body, step, arena);
  }
  __builtin_unreachable();
}

Status BodyRun::launchChunks(const BoundStep &step, const KernelArgs &args) {
  int32_t failure = 0;
  auto chunk = [&](int64_t lo, int64_t hi) {
    if (__atomic_load_n(&failure, __ATOMIC_RELAXED) != 0)
      return;
    KernelArgs own = args;
    alignas(arenaAlignment) char small[chunkStackBytes];
    bool large = step.scratchBytes > chunkStackBytes;
    own.scratch = large ? tryAllocate(step.scratchBytes) : step.scratchBytes ? small : nullptr;
    int32_t status = large && !own.scratch ? static_cast<int32_t>(Status::outOfMemory) : step.kernel(&own, lo, hi);
    if (large)
      deallocate(own.scratch, step.scratchBytes);
    int32_t none = 0;
    if (status != 0)
      __atomic_compare_exchange_n(&failure, &none, status, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  };
  if (!parallelFor(step.extent, step.grain, chunk, cancel))
    return Status::cancelled;
  return static_cast<Status>(failure);
}

Status BodyRun::library(const BodyPlan &body, const BoundStep &step, char *arena) {
  uint32_t count = step.operandCount + step.resultCount;
  auto *views = reinterpret_cast<View *>(arena + body.frameScratch);
  const Place *places = body.places.data() + step.places;
  for (uint32_t k = 0; k < count; ++k) {
    views[k] = body.views[step.views + k];
    views[k].data = addressOf(arena, places[k]);
  }
  ++report.statistics.librarySteps;
  KernelCall call{step.op,
                  {views, step.operandCount},
                  {views + step.operandCount, step.resultCount},
                  {body.words.data() + step.words, step.wordCount},
                  cancel};
  if (step.kind == BoundStep::library)
    return step.library_(call);
  try {
    return step.library_(call);
  } catch (...) {
    exception = std::current_exception();
    return Status::failed;
  }
}

Status BodyRun::copyStep(const BodyPlan &body, const BoundStep &step, char *arena) {
  const Place *places = body.places.data() + step.places;
  char *from = addressOf(arena, places[0]), *to = addressOf(arena, places[1]);
  if (from == to || step.bytes == 0) // a loop's carry that stays where it is
    return Status::ok;
  ++report.statistics.copies;
  if (step.dense) {
    std::memcpy(to, from, step.bytes);
    return Status::ok;
  }
  View source = body.views[step.views], target = body.views[step.views + 1];
  source.data = from;
  target.data = to;
  return copy(source, target);
}

Status BodyRun::region(const BodyPlan &body, const BoundStep &step, char *arena) {
  RegionRun run(*this, body, step, arena);
  return run.plan.run(run);
}
