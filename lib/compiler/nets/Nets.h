//===- Nets.h - what catches a falling compiler -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM ends the process when it cannot go on: exit(1) from fatal usage errors
// and from emitError without a handler, abort from internal errors, and plain
// crashes. Inside runInNets each of these jumps back to the thread's entry.
// Nothing is unwound: after a fall, the thread must be parked and whatever the
// body held must never be touched, not even to free it. (CrashRecoveryContext
// sees neither exit(1) nor a stack overflow, and takes other threads' signals.)
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace llvm {
class LLVMContext;
}

namespace tenon::compiler::nets {

/// How a run in the nets ended. A fixed buffer: it is filled in a signal
/// handler, when the heap may be broken.
struct Fall {
  enum Kind { None, Reported, Signal, Memory };
  Kind kind = None;
  char text[1024] = "";
};

/// Installs LLVM's fatal-error and bad-alloc handlers, which only act inside
/// runInNets. Once per process, from any thread.
void install();

/// Gives the calling thread an alternate signal stack and unblocks the signals
/// the nets catch. `stackLow` is the lowest address of its stack, `guard` the
/// bytes below it, so that an overflow is called by its name.
void prepareThread(const void *stackLow, size_t guard);

/// Runs `body(argument)` with handlers for SIGABRT, SIGSEGV, SIGBUS, SIGILL and
/// SIGFPE standing; they pass what another thread or process caused on to the
/// action that was there before. One thread at a time; not nested. Returns
/// false after a fall. `body` must not throw.
bool runInNets(void (*body)(void *), void *argument, Fall &fall);

/// Makes errors that LLVM reports to this context (emitError, unsupported
/// features, failed inline assembly) fall into the net; warnings and remarks
/// are dropped. Outside runInNets an error is printed and exits, as in LLVM.
void configure(llvm::LLVMContext &context);

/// True on the thread that is inside runInNets.
bool inNets();

/// Falls with `text`; does not return. Only where inNets().
[[noreturn]] void fallWith(const char *text, Fall::Kind kind = Fall::Reported);

/// Commits the fault with this name (see Api.h); returns if there is no such.
void commitFault(const char *name);

} // namespace tenon::compiler::nets
