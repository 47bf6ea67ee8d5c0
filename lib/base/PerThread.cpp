//===- PerThread.cpp - variables of a thread without static TLS ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PerThread.h"

#include <cstdlib>
#include <new>
#include <pthread.h>

using namespace tenon::rt;

constinit thread_local char *detail::threadBlock = nullptr;

/// As the thread ends. A later destructor that uses libtenon makes another block.
static void destroy(void *block) {
  detail::threadBlock = nullptr;
  std::free(block);
}

static pthread_key_t key;
static const bool hasKey = pthread_key_create(&key, destroy) == 0; // from the library's loading on

char *detail::makeThreadBlock() {
  auto *block = static_cast<char *>(std::calloc(1, static_cast<size_t>(__stop_tenon_thread - __start_tenon_thread)));
  if (!block)
    throw std::bad_alloc();
  threadBlock = block;
  if (hasKey)
    pthread_setspecific(key, block); // refused: the block stays when the thread ends
  return block;
}
