//===- Null.cpp - a device of which the host can touch nothing ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/Null.h"

#include "runtime/device/NullQueue.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

using namespace tenon;
using namespace tenon::rt;

/// Added to an address of the host: no longer one that x86-64 can have, with or
/// without five levels of pages. Adding to the sum, as views do, keeps that.
static constexpr uintptr_t away = uintptr_t(1) << 61;

static void *fromHost(void *memory) { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(memory) + away); }
static void *onHost(const void *memory) { return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(memory) - away); }

static void *allocateNull(size_t bytes, AllocationFailure *why) {
  void *block = tryAllocate(bytes, why);
  if (!block) { // until what waits has been done, memory is kept
    nullStreams.finishAll();
    block = tryAllocate(bytes, why);
  }
  if (!block)
    return nullptr;
  std::memset(block, 0xff, bytes); // NaNs, as long as nothing is written
  return fromHost(block);
}

static void deallocateNull(void *block, size_t bytes) {
  if (block)
    freeAfterNullWork(onHost(block), bytes);
}

static Status toNull(Stream *stream, void *to, const void *from, size_t bytes) {
  const auto *begin = static_cast<const char *>(from);
  return askNull(stream, [to = onHost(to), kept = std::vector<char>(begin, begin + bytes)](Fault &) {
    std::copy(kept.begin(), kept.end(), static_cast<char *>(to));
    return Status::ok;
  });
}
static void fromNull(void *to, const void *from, size_t bytes) {
  if (bytes)
    std::memcpy(to, onHost(from), bytes);
}
static Status copyNull(Stream *stream, void *to, const void *from, size_t bytes) {
  return askNull(stream, [to = onHost(to), from = onHost(from), bytes](Fault &) {
    std::memcpy(to, from, bytes);
    return Status::ok;
  });
}

namespace {
/// A call that outlives its caller's views, on the host's memory.
class HeldCall {
public:
  explicit HeldCall(const KernelCall &call);
  HeldCall(const HeldCall &) = delete;
  const KernelCall &call() const { return call_; }
  /// The same for who asks which index was outside.
  KernelCall callWith(Fault &fault) const {
    KernelCall call = call_;
    call.fault = &fault;
    return call;
  }

private:
  KernelCall call_;
  std::vector<View> views_;
  std::vector<int64_t> words_;
};
} // namespace

HeldCall::HeldCall(const KernelCall &call) : call_(call) {
  for (std::span<const View> given : {call.operands, call.results})
    for (const View &view : given) {
      views_.push_back(view);
      words_.insert(words_.end(), view.dims, view.dims + view.rank);
      words_.insert(words_.end(), view.strides, view.strides + view.rank);
    }
  words_.insert(words_.end(), call.attributes.begin(), call.attributes.end());
  const int64_t *next = words_.data();
  for (View &view : views_) {
    view.data = onHost(view.data);
    view.dims = next;
    view.strides = next + view.rank;
    next += 2 * view.rank;
  }
  const std::span<const View> all = views_;
  call_.operands = all.first(call.operands.size());
  call_.results = all.subspan(call.operands.size());
  call_.attributes = {next, call.attributes.size()};
  call_.cancel = nullptr; // it is the caller's
  call_.stream = nullptr;
  call_.fault = nullptr;
}

static Status copyNullView(Stream *stream, const View &from, const View &to) {
  const auto held = std::make_shared<HeldCall>(KernelCall{{}, {&from, 1}, {&to, 1}, {}});
  return askNull(stream, [held](Fault &) { return copy(held->call().operands[0], held->call().results[0]); });
}

static Status runKernel(const KernelCall &call) {
  const auto held = std::make_shared<HeldCall>(call);
  // What others see than those who wait for results is done in its turn, here.
  if (opInfo(call.op).hasEffect)
    return nullStreams.settle(call.stream) ? kernel(call.op)(call.fault ? held->callWith(*call.fault) : held->call())
                                           : Status::ok;
  return askNull(call.stream, [held](Fault &fault) { return kernel(held->call().op)(held->callWith(fault)); });
}
static Kernel nullKernel(OpCode op) { return kernel(op) ? runKernel : nullptr; }

/// Only when it has run is it known whether it has declined.
static Status runComposite(const KernelCall &call) {
  if (!nullStreams.settle(call.stream))
    return Status::ok;
  return compositeKernel(call.composite)(HeldCall(call).call());
}
static bool hasComposites = true;
void rt::setNullComposites(bool has) { __atomic_store_n(&hasComposites, has, __ATOMIC_RELAXED); }
static Kernel nullComposite(CompositeId id) {
  return compositeKernel(id) && __atomic_load_n(&hasComposites, __ATOMIC_RELAXED) ? runComposite : nullptr;
}

static Status launchNull(const Launch &launch) {
  std::vector<void *> buffers;
  for (void *buffer : launch.buffers)
    buffers.push_back(onHost(buffer));
  Launch later = launch;
  later.cancel = nullptr;
  later.stream = nullptr;
  return askNull(launch.stream,
                 [later, buffers = std::move(buffers),
                  words = std::vector<int64_t>(launch.words.begin(), launch.words.end())](Fault &) mutable {
                   later.buffers = buffers;
                   later.words = words;
                   return launchOnHost(later);
                 });
}

const DeviceTable rt::nullDevice = {Device::null,   "null:0",      "null",    &nullStreams, allocateNull,
                                    deallocateNull, toNull,        fromNull,  copyNull,     copyNullView,
                                    nullKernel,     nullComposite, launchNull};
