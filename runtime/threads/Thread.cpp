//===- Thread.cpp - threads of our own ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/Thread.h"

#include <csignal>
#include <pthread.h>

bool tenon::rt::startThread(void *(*main)(void *), void *argument, size_t stackBytes) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // which the thread inherits
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stackBytes)
    pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_t thread;
  const bool isStarted = pthread_create(&thread, &attributes, main, argument) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return isStarted;
}
