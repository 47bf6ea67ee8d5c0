//===- PluginOnly.cpp - a plug-in that is a good guest in its host ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only for libtenon-compiler.so: the version script keeps these local, so they
// stand in for libc's and libtenon's inside the plug-in and nowhere else. Never
// link this file into a program.
//===----------------------------------------------------------------------===//
#include "lib/base/Fork.h"
#include "lib/compiler/nets/Nets.h"

#include <dlfcn.h>

/// LLVM's global destructors (of its command line options above all) would run
/// at exit, while the compile thread may still be at work. None is registered.
extern "C" int __cxa_atexit(void (*)(void *), void *, void *) noexcept { return 0; }

/// MLIR makes LLVMContexts of its own here and there, without our diagnostic
/// handler; their errors, and LLVM's option parser, end in exit(1).
extern "C" [[noreturn]] void exit(int status) noexcept {
  if (tenon::compiler::nets::inNets())
    tenon::compiler::nets::fallWith("the compiler gave up: it called exit, its message is on stderr");
  reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "exit"))(status);
  __builtin_unreachable();
}

/// Forks are libtenon's: none begins while the plug-in works.
void tenon::rt::handleForks() {}
