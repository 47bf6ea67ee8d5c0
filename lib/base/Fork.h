//===- Fork.h - locks that a forked child finds open -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork copies memory in which other threads hold locks, and leaves the threads
// behind. So before a fork every lock of ours is taken, in the one order in
// which all code takes them, and given back after it on both sides: what they
// guard is whole in the child.
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <new>
#include <shared_mutex>

namespace tenon::rt {

/// Who holds a lock takes only locks further down. No two of one order are held
/// at once.
enum class LockOrder : uint8_t {
  pluginLoad,
  compiler,
  jitRegistry,
  jit,
  background,
  derivedTraces,
  decompositions,
  programs,
  plans,
  traceBytes,
  hostFunctions,
  interpreterNames,
  dims,
  fileNames,
  variableNames,
  printOptions,
  images,
  deviceWork,
  fourierPlans,
  pool,
  memory,
  capturedHandles,
};

/// Around a fork.
struct ForkHandlers {
  static void take();
  static void giveBack(bool inChild);
};

/// Links what makes the handlers known. The compiler's plug-in has one of its own
/// that does not: libtenon lets nobody fork while the plug-in works, and a handler
/// of the plug-in would take the plug-in's locks first, which the compilation that
/// the fork has to wait for still needs.
void handleForks();

/// What all these locks share. They live as long as the process.
class ForkLockBase {
protected:
  constexpr ForkLockBase(LockOrder order, void (*inChild)()) : inChild_(inChild), order_(order) {}
  ~ForkLockBase() = default;
  /// Before the first lock, so that forks know of it.
  void enroll() {
    if (!__atomic_load_n(&enrolled_, __ATOMIC_ACQUIRE)) [[unlikely]]
      enrollSlow();
  }

private:
  friend ForkHandlers;
  void enrollSlow();
  virtual void takeForFork() = 0;
  virtual void giveBackAfterFork(bool inChild) = 0;

  ForkLockBase *next_ = nullptr;
  /// Called in the child while all locks are held: forgets what was in the hands
  /// of threads that are not there. May be null.
  void (*inChild_)();
  bool enrolled_ = false, taken_ = false;
  LockOrder order_;
};

class ForkLock final : public ForkLockBase {
public:
  constexpr explicit ForkLock(LockOrder order, void (*inChild)() = nullptr) : ForkLockBase(order, inChild) {}
  ForkLock(const ForkLock &) = delete;
  void lock() {
    enroll();
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  /// A lock that a std::condition_variable can wait with.
  std::unique_lock<std::mutex> hold() {
    enroll();
    return std::unique_lock(mutex_);
  }

private:
  void takeForFork() override { mutex_.lock(); }
  void giveBackAfterFork(bool) override { mutex_.unlock(); }
  std::mutex mutex_;
};

class SharedForkLock final : public ForkLockBase {
public:
  explicit SharedForkLock(LockOrder order) : ForkLockBase(order, nullptr) {}
  SharedForkLock(const SharedForkLock &) = delete;
  void lock() {
    enroll();
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  void lock_shared() {
    enroll();
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

private:
  void takeForFork() override { mutex_.lock(); }
  /// It knows its holder by the thread's number, which is another in the child.
  void giveBackAfterFork(bool inChild) override {
    if (inChild)
      new (&mutex_) std::shared_mutex;
    else
      mutex_.unlock();
  }
  std::shared_mutex mutex_;
};

/// Locks for objects that come and go: each has one of these, by its address.
template <LockOrder order, size_t count>
class ForkLocks {
public:
  static ForkLock &of(const void *object) {
    return locks[(reinterpret_cast<uintptr_t>(object) * 0x9e3779b97f4a7c15u >> 32) % count].lock;
  }

private:
  struct alignas(64) Line {
    ForkLock lock{order};
  };
  static constinit inline std::array<Line, count> locks{};
};

} // namespace tenon::rt
