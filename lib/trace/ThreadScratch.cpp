//===- ThreadScratch.cpp - memory that a thread keeps from op to op -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/ThreadScratch.h"

#include <pthread.h>

using namespace tenon;

static pthread_key_t key;

constinit thread_local ThreadScratch *ThreadScratch::mine = nullptr;
const bool ThreadScratch::hasKey = pthread_key_create(&key, destroy) == 0;

void ThreadScratch::destroy(void *scratch) {
  mine = nullptr;
  delete static_cast<ThreadScratch *>(scratch);
}

ThreadScratch *ThreadScratch::make() {
  auto *made = new ThreadScratch;
  if (hasKey)
    pthread_setspecific(key, made); // refused: the scratch stays when the thread ends
  return made;
}
