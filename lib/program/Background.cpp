//===- Background.cpp - programs that are compiled while others run -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/Background.h"

#include "lib/base/FloatingPoint.h"
#include "lib/base/Fork.h"
#include "lib/base/Lasting.h"
#include "lib/base/Statistics.h"
#include "lib/base/Stopwatch.h"
#include "lib/program/CompilerPlugin.h"
#include "lib/program/Log.h"
#include "lib/program/Program.h"
#include "runtime/threads/Thread.h"

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <optional>
#include <pthread.h>

using namespace tenon;

namespace tenon {
struct BackgroundQueue {
  struct Job {
    TraceRef trace;
    std::shared_ptr<PendingProgram> program;
  };

  static BackgroundQueue &get() {
    static constinit rt::Lasting<BackgroundQueue> instance;
    return instance.get();
  }
  /// In a forked child the thread is not there, and what it was at is still the first job.
  static void forgetThread() {
    get().hasThread = false;
    get().changed = new std::condition_variable;
  }

  rt::ForkLock lock{rt::LockOrder::background, forgetThread};
  std::deque<Job> jobs;
  bool hasThread = false, isEnding = false, willEnd = false;
  std::condition_variable *changed = new std::condition_variable;

  /// The caller holds the lock.
  void startLocked();
  void work();
  static void *main(void *) {
    get().work();
    return nullptr;
  }
  /// LLVM's own statics go when the process ends: not under its feet.
  static void end() {
    BackgroundQueue &queue = get();
    std::unique_lock lock = queue.lock.hold();
    queue.isEnding = true;
    queue.changed->wait(lock, [&] { return !queue.hasThread; });
  }
};
} // namespace tenon

/// This is the thread.
static thread_local constinit bool isCompiling = false;

void BackgroundQueue::startLocked() {
  if (hasThread || jobs.empty() || isEnding)
    return;
  constexpr size_t stackOfMainThreads = size_t(8) << 20; // what the compiler's recursions want
  hasThread = rt::startThread(main, nullptr, stackOfMainThreads);
}

void BackgroundQueue::work() {
  pthread_setname_np(pthread_self(), "tenon-compile");
  isCompiling = true;
  rt::useDefaultFloatingPoint();
  detail::compilerBuildId(); // loads it
  std::unique_lock held = lock.hold();
  if (!willEnd)
    willEnd = std::atexit(end) == 0; // after the compiler's statics are known: before they go
  while (!jobs.empty() && !isEnding) {
    std::optional<Job> job(jobs.front()); // which stays there, for a forked child
    held.unlock();
    std::optional<detail::HeldLog> lines(std::in_place); // the user's function may ask for the program
    const Stopwatch watch;
    const uint64_t before = detail::counters().compilations;
    ProgramRef program;
    try {
      program = programOf(job->trace, Compile::now);
    } catch (...) { // it is said where it is called: by TENON_STRICT, say
      program = programOf(job->trace, Compile::never);
    }
    job->program->program_ = std::move(program);
    job->program->nanoseconds_ = watch.nanoseconds();
    job->program->compilations_ = detail::counters().compilations - before;
    held.lock();
    job->program->isReady_.store(true, std::memory_order_release);
    jobs.pop_front();
    changed->notify_all();
    held.unlock();
    lines.reset();
    job.reset(); // under no lock: with its trace functions of the host may end, which are the user's
    held.lock();
  }
  hasThread = false;
  changed->notify_all();
}

std::shared_ptr<const PendingProgram> tenon::compileInBackground(const TraceRef &trace) {
  trace->hash(); // makes the bytes, which the two threads share
  auto pending = std::make_shared<PendingProgram>();
  BackgroundQueue &queue = BackgroundQueue::get();
  std::lock_guard lock(queue.lock);
  queue.jobs.push_back({trace, pending});
  queue.startLocked();
  return pending;
}

bool PendingProgram::isReady() const {
  if (isReady_.load(std::memory_order_acquire))
    return true;
  BackgroundQueue &queue = BackgroundQueue::get();
  std::lock_guard lock(queue.lock);
  queue.startLocked();
  return false;
}

void PendingProgram::wait() const {
  if (isCompiling)
    throw Error("expected a thread that may wait for a program, got the one that compiles it");
  BackgroundQueue &queue = BackgroundQueue::get();
  std::unique_lock lock = queue.lock.hold();
  while (!isReady_.load(std::memory_order_acquire)) {
    queue.startLocked();
    if (!queue.hasThread)
      throw Error("there is no thread to compile a program in the background");
    queue.changed->wait(lock);
  }
}
