//===- DeviceCall.cpp - what buffers of a device wait for ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/array/DeviceCall.h"

#include <tenon/error.h>

#include <utility>

using namespace tenon;
using namespace tenon::detail;

/// Where the event of a buffer is kept: with the value that owns the elements.
static void *&readyOf(const Value *value) { return const_cast<Value *>(value->base ? value->base : value)->ready; }

void DeviceCall::awaitSlow(const Value *value) {
  if (auto *event = static_cast<rt::Event *>(readyOf(value)))
    device_.streams->await(stream_, event);
}

void DeviceCall::endSlow(std::span<const Array> results) {
  rt::Event *event = device_.streams->record(stream_, origin_);
  stream_ = nullptr;
  const rt::Failure failure = results.empty() ? device_.streams->wait(event) : rt::Failure();
  for (const Array &result : results) {
    device_.streams->retain(event);
    if (void *before = std::exchange(readyOf(result.value()), event))
      device_.streams->release(static_cast<rt::Event *>(before));
  }
  device_.streams->release(event);
  if (failure.status != rt::Status::ok)
    throwFailure(failure);
}

void detail::waitFor(const Value *value) {
  auto *event = static_cast<rt::Event *>(readyOf(value));
  if (!event)
    return;
  const rt::Failure &failure = rt::findDevice(value->device())->streams->wait(event);
  if (failure.status != rt::Status::ok)
    throwFailure(failure);
}

void detail::releaseReady(Value *value) noexcept {
  if (value->ready)
    rt::findDevice(value->device())->streams->release(static_cast<rt::Event *>(value->ready));
}

void detail::throwFailure(const rt::Failure &failure) {
  const rt::Origin origin = failure.origin.value_or(rt::Origin());
  const std::string where = failure.place.empty() ? "" : " at " + failure.place;
  if (failure.status == rt::Status::outOfBounds)
    // Without the op's name, which a compiled program does not know, and who wrote x[i] neither.
    throw Error(rt::describe(failure.fault) + where, origin.at);
  if (!origin.name)
    throw Error(failure.status == rt::Status::outOfMemory ? "a compiled program ran out of memory" + where
                                                          : "a step of a compiled program failed" + where,
                origin.at);
  const std::string name = origin.name;
  switch (failure.status) {
  case rt::Status::unsupportedCpu:
    throw Error(name + ": expected a CPU with at least the features of x86-64-v3", origin.at);
  case rt::Status::outOfMemory:
    throw Error(name + ": cannot allocate scratch memory", origin.at);
  default:
    throw InternalError(name + ": the kernel failed", origin.at);
  }
}
