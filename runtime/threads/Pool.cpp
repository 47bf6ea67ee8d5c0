//===- Pool.cpp - the process's one thread pool ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool holds one job at a time. A 64-bit word, the gate, says which
// (its number, in the high half), whether it may still be joined, and how many
// workers are in. A worker joins by compare-and-swap, takes chunks from a
// shared counter until none is left, and goes. The caller works too, then
// closes the gate and waits for those inside only: a worker that wakes late
// finds the gate closed and never touches the job. Workers spin for a short
// while for the next job, then sleep on the gate's high half.
//===----------------------------------------------------------------------===//
#include "Pool.h"

#include "lib/base/FloatingPoint.h"
#include "lib/base/Fork.h"
#include "runtime/machine/Machine.h"
#include "runtime/threads/Thread.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <linux/futex.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tenon::rt;

namespace {

constexpr uint64_t kOneInside = 1;
constexpr uint64_t kInsideMask = 0xffff;
constexpr uint64_t kOpen = uint64_t(1) << 16;
constexpr uint64_t kCallerSleeps = uint64_t(1) << 17;
constexpr uint64_t kOneJob = uint64_t(1) << 32;

// About half a millisecond of pauses: longer than the gap between two steps of
// a program. A thread that was pushed off its CPU meanwhile spins less, since
// then the spinning takes time from those who have work.
constexpr int kSpins = 20000;
constexpr int kSpinsCrowded = 500;

/// What one parallelFor asks for.
struct Job {
  void (*body)(void *, int64_t, int64_t) = nullptr;
  void *context = nullptr;
  int64_t n = 0, grain = 1, chunks = 0;
  const uint32_t *cancel = nullptr;
  int workers = 0; ///< workers with a lower index may join
};

/// The exception of the lowest chunk that threw.
struct Failure {
  std::mutex mutex;
  std::exception_ptr exception;
  int64_t chunk = 0;

  void note(int64_t at) {
    std::lock_guard lock(mutex);
    if (!exception || at < chunk) {
      exception = std::current_exception();
      chunk = at;
    }
  }
};

/// One thread's guess whether it has a CPU to itself.
class Spinner {
public:
  /// Calls ready() until it holds; false if it still does not after spinning.
  template <typename Ready>
  bool until(Ready ready) {
    for (int i = 0; i < limit_; ++i) {
      if (ready())
        return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#else
      asm volatile("" ::: "memory");
#endif
    }
    if (ready())
      return true;
    // Involuntary switches since the last look: others want this CPU.
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    limit_ = usage.ru_nivcsw != switches_ ? kSpinsCrowded : std::min(kSpins, limit_ * 2);
    switches_ = usage.ru_nivcsw;
    return false;
  }

private:
  int limit_ = kSpins;
  long switches_ = 0;
};

struct Pool {
  alignas(64) std::atomic<uint64_t> gate{0};
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> taken{false};
  std::atomic<bool> cancelled{false};
  std::atomic<int> workers{0}; ///< made so far
  Job job;
  Failure failure;
  Spinner spinner; ///< of the caller; one at a time has taken the pool

  void runChunks();
  void work(int index);
  void grow(int wanted);
};

struct Start {
  Pool *pool;
  int index;
};

} // namespace

// The pool is never deleted: workers may run until the process ends.
static constinit std::atomic<Pool *> thePool{nullptr};
static constinit std::atomic<int> chosenCount{0}; // 0: not yet known
static void leaveToParent();
static constinit ForkLock setUpLock(LockOrder::pool, leaveToParent);
[[gnu::tls_model("initial-exec")]] static constinit thread_local bool insideChunk = false;

static uint32_t *halfOf(std::atomic<uint64_t> &gate, bool high) {
  static_assert(sizeof(gate) == 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  return reinterpret_cast<uint32_t *>(&gate) + high;
}

static void futexWait(uint32_t *word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

static void futexWake(uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

static bool isSet(const uint32_t *cancel) { return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0; }

static void runChunk(const Job &job, int64_t chunk, Failure &failure) {
  int64_t lo = chunk * job.grain;
  try {
    job.body(job.context, lo, job.n - lo > job.grain ? lo + job.grain : job.n);
  } catch (...) {
    failure.note(chunk);
  }
}

void Pool::runChunks() {
  bool before = insideChunk;
  insideChunk = true;
  while (!cancelled.load(std::memory_order_relaxed)) {
    int64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= job.chunks)
      break;
    if (isSet(job.cancel))
      cancelled.store(true, std::memory_order_relaxed);
    else
      runChunk(job, chunk, failure);
  }
  insideChunk = before;
}

void Pool::work(int index) {
  Spinner spinner;
  uint32_t seen = 0;
  while (true) {
    uint64_t now = 0;
    auto changed = [&] {
      now = gate.load(std::memory_order_acquire);
      return uint32_t(now >> 32) != seen;
    };
    if (!spinner.until(changed)) {
      // The caller looks for sleepers after it has changed the gate, the kernel
      // compares the gate after we are counted: one of them sees the other.
      sleepers.fetch_add(1);
      futexWait(halfOf(gate, true), seen);
      sleepers.fetch_sub(1);
      continue;
    }
    seen = uint32_t(now >> 32);
    bool joined = false;
    while ((now & kOpen) && uint32_t(now >> 32) == seen && !joined)
      joined = gate.compare_exchange_weak(now, now + kOneInside, std::memory_order_acquire);
    if (!joined)
      continue;
    if (index < job.workers)
      runChunks();
    uint64_t last = gate.fetch_sub(kOneInside, std::memory_order_release);
    if ((last & kCallerSleeps) && (last & kInsideMask) == kOneInside)
      futexWake(halfOf(gate, false), 1);
  }
}

static void *workerMain(void *argument) {
  Start start = *static_cast<Start *>(argument);
  delete static_cast<Start *>(argument);
  useDefaultFloatingPoint();
  char name[16];
  std::snprintf(name, sizeof(name), "tenon-%d", start.index);
  pthread_setname_np(pthread_self(), name);
  start.pool->work(start.index);
  return nullptr;
}

/// Makes workers until there are `wanted`, or as many as the system allows.
void Pool::grow(int wanted) {
  if (workers.load(std::memory_order_relaxed) >= wanted)
    return;
  for (int i = workers.load(std::memory_order_relaxed); i < wanted; ++i) {
    auto *start = new (std::nothrow) Start{this, i};
    if (!start || !startThread(workerMain, start)) {
      delete start;
      break;
    }
    workers.store(i + 1, std::memory_order_relaxed);
  }
}

/// The child has none of the workers: it leaves their pool behind.
static void leaveToParent() { thePool.store(nullptr, std::memory_order_relaxed); }

static Pool *getPool() {
  if (Pool *pool = thePool.load(std::memory_order_acquire))
    return pool;
  std::lock_guard lock(setUpLock);
  Pool *pool = thePool.load(std::memory_order_relaxed);
  if (pool)
    return pool;
  pool = new Pool;
  thePool.store(pool, std::memory_order_release);
  return pool;
}

/// Runs the chunks on this thread, with the same rules.
static bool runInline(const Job &job) {
  Failure failure;
  bool complete = true;
  for (int64_t chunk = 0; chunk < job.chunks && complete; ++chunk) {
    complete = !isSet(job.cancel);
    if (complete)
      runChunk(job, chunk, failure);
  }
  if (failure.exception)
    std::rethrow_exception(failure.exception);
  return complete;
}

/// Waits until no worker is inside the closed gate.
static void waitForWorkers(std::atomic<uint64_t> &gate, Spinner &spinner) {
  uint64_t now = 0;
  auto empty = [&] {
    now = gate.load(std::memory_order_acquire);
    return (now & kInsideMask) == 0;
  };
  while (!spinner.until(empty)) {
    if (!(now & kCallerSleeps)) {
      if (!gate.compare_exchange_strong(now, now | kCallerSleeps, std::memory_order_relaxed))
        continue;
      now |= kCallerSleeps;
    }
    futexWait(halfOf(gate, false), uint32_t(now));
  }
}

/// Lends the pool's workers to a job. The pool is the caller's.
static bool runShared(Pool &pool, const Job &job) {
  pool.job = job;
  pool.next.store(0, std::memory_order_relaxed);
  pool.cancelled.store(false, std::memory_order_relaxed);
  uint64_t number = (pool.gate.load(std::memory_order_relaxed) & ~(kOneJob - 1)) + kOneJob;
  pool.gate.store(number | kOpen);
  if (pool.sleepers.load() != 0) {
    bool someMayNotJoin = pool.workers.load(std::memory_order_relaxed) > job.workers;
    int64_t useful = std::min<int64_t>(job.chunks - 1, job.workers);
    futexWake(halfOf(pool.gate, true), someMayNotJoin ? INT_MAX : int(useful));
  }
  pool.runChunks();
  if (pool.gate.fetch_and(~kOpen, std::memory_order_acquire) & kInsideMask)
    waitForWorkers(pool.gate, pool.spinner);
  bool complete = !pool.cancelled.load(std::memory_order_relaxed);
  std::exception_ptr exception = std::move(pool.failure.exception);
  pool.failure.exception = nullptr;
  pool.taken.store(false, std::memory_order_release);
  if (exception)
    std::rethrow_exception(exception);
  return complete;
}

bool tenon::rt::parallelFor(int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context,
                            const uint32_t *cancel) {
  if (n <= 0)
    return true;
  grain = std::max<int64_t>(grain, 1);
  if (n <= grain) {
    if (isSet(cancel))
      return false;
    body(context, 0, n);
    return true;
  }
  int64_t chunks = (n - 1) / grain + 1;
  Job job{body, context, n, grain, chunks, cancel, 0};
  if (insideChunk)
    return runInline(job);
  int threads = threadCount();
  if (threads == 1)
    return runInline(job);
  Pool *pool = getPool();
  if (pool->taken.exchange(true, std::memory_order_acquire))
    return runInline(job);
  job.workers = threads - 1;
  pool->grow(job.workers);
  return runShared(*pool, job);
}

int detail::parseThreadCount(const char *text) {
  int value = 0;
  for (const char *at = text; *at; ++at) {
    if (*at < '0' || *at > '9' || value > kMaxThreads)
      return 0;
    value = value * 10 + (*at - '0');
  }
  return value <= kMaxThreads ? value : 0;
}

int tenon::rt::threadCount() {
  if (int known = chosenCount.load(std::memory_order_relaxed))
    return known;
  int count = 0;
  const char *text = std::getenv("TENON_NUM_THREADS");
  if (text && *text) {
    count = detail::parseThreadCount(text);
    if (count == 0)
      std::fprintf(stderr, "tenon: TENON_NUM_THREADS: expected a number from 1 to %d, got '%s'\n", detail::kMaxThreads,
                   text);
  }
  if (count == 0)
    count = std::min(usableCpus(), detail::kMaxThreads);
  int unknown = 0;
  return chosenCount.compare_exchange_strong(unknown, count) ? count : unknown;
}

void tenon::rt::warnOfWrongThreadCount() {
  if (const char *text = std::getenv("TENON_NUM_THREADS"); text && *text)
    threadCount();
}

void tenon::rt::setThreadCount(int count) { chosenCount.store(std::clamp(count, 0, detail::kMaxThreads)); }
