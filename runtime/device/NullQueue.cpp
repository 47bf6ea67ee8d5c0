//===- NullQueue.cpp - the null device does its work as late as it may --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/NullQueue.h"

#include "lib/base/FloatingPoint.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <pthread.h>
#include <utility>
#include <vector>

using namespace tenon;
using namespace tenon::rt;

/// More than this of one stream do not wait, nor do more blocks that are to be freed.
static constexpr size_t mostWaiting = 256;

namespace {
/// Numbered in the order in which they are asked for, over all streams: an item
/// waits for lower numbers only, so there is always one that can be done.
struct Item {
  uint64_t number;
  std::function<void(Stream &)> run;
};
/// A block that work may still use.
struct Freed {
  uint64_t number; ///< of the last item that was asked for before
  void *block;
  size_t bytes;
};
} // namespace

struct rt::Stream {
  std::deque<Item> items;
  const std::string *place = nullptr;
  /// Of the call whose items are being done.
  Failure failure = {};
};

struct rt::Event {
  explicit Event(Stream *stream) : stream(stream) {}

  Stream *stream;
  uint64_t number = 0; ///< of the item that is its record
  Failure failure = {};
  uint32_t references = 1;
};

namespace {
struct Queues {
  ForkLock lock{LockOrder::deviceWork};
  std::deque<Stream> streams;   ///< they stay where they are
  std::vector<Stream *> unused; ///< of threads that have ended; it has room for all
  std::deque<Freed> freed;
  uint64_t asked = 0;
  pthread_key_t own = 0;
  bool hasKey = false;
};
} // namespace

static Queues &queues() {
  static constinit Lasting<Queues> instance;
  return instance.get();
}

/// Does what was asked of a stream before item `end`. The caller holds the lock.
static void runUntil(Stream &stream, uint64_t end) {
  const DefaultFloatingPoint scope;
  while (!stream.items.empty() && stream.items.front().number < end) {
    const Item item = std::move(stream.items.front());
    stream.items.pop_front();
    item.run(stream);
  }
}
static void runAll(uint64_t end) {
  for (Stream &stream : queues().streams)
    runUntil(stream, end);
}

static void giveBack(void *block, size_t bytes) {
  std::memset(block, 0xfd, bytes);
  deallocate(block, bytes);
}

/// Frees what is no longer used. The caller holds the lock.
static void collect() {
  uint64_t oldest = UINT64_MAX;
  for (const Stream &stream : queues().streams)
    if (!stream.items.empty())
      oldest = std::min(oldest, stream.items.front().number);
  for (std::deque<Freed> &freed = queues().freed; !freed.empty() && freed.front().number < oldest; freed.pop_front()) {
    giveBack(freed.front().block, freed.front().bytes);
  }
}

/// The number of the new item. The caller holds the lock.
static uint64_t put(Stream &stream, std::function<void(Stream &)> run) {
  if (stream.items.size() == mostWaiting) {
    runUntil(stream, UINT64_MAX);
    collect();
  }
  stream.items.push_back({queues().asked + 1, std::move(run)});
  return ++queues().asked;
}

/// For want of memory a failure has no place.
static void fail(Stream &stream, Status status, const std::string *place, const Fault &fault,
                 std::optional<Origin> origin = {}) {
  if (stream.failure.status != Status::ok)
    return;
  stream.failure.status = status;
  stream.failure.origin = origin;
  stream.failure.fault = fault;
  try {
    if (place)
      stream.failure.place = *place;
  } catch (const std::bad_alloc &) {
  }
}

Status rt::askNull(Stream *stream, std::function<Status(Fault &)> work) {
  std::lock_guard guard(queues().lock);
  put(*stream, [work = std::move(work), place = stream->place](Stream &own) {
    if (own.failure.status != Status::ok)
      return;
    Status status;
    Fault fault;
    try {
      status = work(fault);
    } catch (const std::bad_alloc &) {
      status = Status::outOfMemory;
    } catch (...) {
      status = Status::failed;
    }
    if (status != Status::ok)
      fail(own, status, place, fault);
  });
  return Status::ok;
}

void rt::freeAfterNullWork(void *block, size_t bytes) {
  std::lock_guard guard(queues().lock);
  // A stream for which nobody waits would keep them for ever.
  if (queues().freed.size() >= mostWaiting)
    runAll(UINT64_MAX);
  try {
    queues().freed.push_back({queues().asked, block, bytes});
  } catch (const std::bad_alloc &) { // who frees must not throw
    runAll(UINT64_MAX);
    giveBack(block, bytes);
  }
  collect();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// As a thread ends, not as the process does: what it has asked for stays, and the
/// next thread's work comes after it, and fails on its own account.
static void onThreadExit(void *of) {
  auto *stream = static_cast<Stream *>(of);
  std::lock_guard guard(queues().lock);
  stream->place = nullptr;
  try {
    put(*stream, [](Stream &own) { own.failure = {}; });
  } catch (const std::bad_alloc &) {
    runUntil(*stream, UINT64_MAX);
    stream->failure = {};
  }
  queues().unused.push_back(stream);
}

static Stream *streamOfThread() {
  Queues &all = queues();
  std::lock_guard guard(all.lock);
  if (!all.hasKey)
    all.hasKey = pthread_key_create(&all.own, onThreadExit) == 0;
  if (all.hasKey)
    if (void *known = pthread_getspecific(all.own))
      return static_cast<Stream *>(known);
  // Without a key, of which a process has few, or memory to note one's own, all threads share one.
  if (!all.hasKey && !all.streams.empty())
    return &all.streams.front();
  if (all.unused.empty()) {
    all.unused.reserve(all.streams.size() + 1);
    all.unused.push_back(&all.streams.emplace_back());
  }
  Stream *own = all.unused.back();
  if (all.hasKey && pthread_setspecific(all.own, own) != 0)
    return &all.streams.front();
  all.unused.pop_back();
  return own;
}

static void retainEvent(Event *event) { __atomic_fetch_add(&event->references, 1, __ATOMIC_RELAXED); }
static void releaseEvent(Event *event) {
  if (__atomic_sub_fetch(&event->references, 1, __ATOMIC_ACQ_REL) == 0)
    delete event;
}

static void awaitEvent(Stream *stream, Event *event) {
  std::lock_guard guard(queues().lock);
  put(*stream, [event](Stream &own) {
    runUntil(*event->stream, event->number + 1);
    if (const Failure &failure = event->failure; failure.status != Status::ok)
      fail(own, failure.status, &failure.place, failure.fault, failure.origin);
    releaseEvent(event);
  });
  retainEvent(event);
}

static void awaitAll(Stream *stream) {
  std::lock_guard guard(queues().lock);
  put(*stream, [end = queues().asked + 1](Stream &) { runAll(end); });
}

static void setPlace(Stream *stream, const std::string *place) { stream->place = place; }

static Event *record(Stream *stream, const Origin &origin) {
  std::lock_guard guard(queues().lock);
  auto made = std::make_unique<Event>(stream);
  made->number = put(*stream, [event = made.get(), origin](Stream &own) {
    event->failure = std::exchange(own.failure, {});
    if (!event->failure.origin) // as that of what it has waited for has
      event->failure.origin = origin;
    releaseEvent(event);
  });
  retainEvent(made.get());
  return made.release();
}

static const Failure &waitForEvent(Event *event) {
  std::lock_guard guard(queues().lock);
  runUntil(*event->stream, event->number + 1);
  collect();
  return event->failure;
}

static bool settle(Stream *stream) {
  std::lock_guard guard(queues().lock);
  runUntil(*stream, UINT64_MAX);
  collect();
  return stream->failure.status == Status::ok;
}

static Failure finish(Stream *stream) {
  std::lock_guard guard(queues().lock);
  runUntil(*stream, UINT64_MAX);
  collect();
  return std::exchange(stream->failure, {});
}

static void finishAll() {
  std::lock_guard guard(queues().lock);
  runAll(UINT64_MAX);
  collect();
}

const StreamTable rt::nullStreams = {streamOfThread, awaitEvent,   awaitAll, setPlace, record,   retainEvent,
                                     releaseEvent,   waitForEvent, settle,   finish,   finishAll};
