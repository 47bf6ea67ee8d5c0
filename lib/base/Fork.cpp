//===- Fork.cpp - locks that a forked child finds open ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Fork.h"

using namespace tenon::rt;

/// Held for a few instructions, while no other lock is waited for: the last of
/// all locks.
static constinit std::mutex enrolling;
/// All locks by their order. Grows only.
static constinit ForkLockBase *enrolled = nullptr;

void ForkLockBase::enrollSlow() {
  std::lock_guard lock(enrolling);
  if (enrolled_)
    return;
  handleForks();
  ForkLockBase **place = &enrolled;
  while (*place && (*place)->order_ <= order_)
    place = &(*place)->next_;
  next_ = *place;
  __atomic_store_n(place, this, __ATOMIC_RELEASE);
  __atomic_store_n(&enrolled_, true, __ATOMIC_RELEASE);
}

static ForkLockBase *next(ForkLockBase *const &place) { return __atomic_load_n(&place, __ATOMIC_ACQUIRE); }

void ForkHandlers::take() {
  while (true) {
    for (ForkLockBase *lock = next(enrolled); lock; lock = next(lock->next_)) {
      lock->takeForFork();
      lock->taken_ = true;
    }
    enrolling.lock();
    bool all = true;
    for (ForkLockBase *lock = enrolled; lock; lock = lock->next_)
      all &= lock->taken_;
    if (all)
      return;
    // One came in before the place where we were: its turn would be over.
    giveBack(false);
  }
}

void ForkHandlers::giveBack(bool inChild) {
  if (inChild)
    for (ForkLockBase *lock = enrolled; lock; lock = lock->next_)
      if (lock->inChild_)
        lock->inChild_();
  for (ForkLockBase *lock = enrolled; lock; lock = lock->next_)
    if (lock->taken_) {
      lock->taken_ = false;
      lock->giveBackAfterFork(inChild);
    }
  enrolling.unlock();
}
