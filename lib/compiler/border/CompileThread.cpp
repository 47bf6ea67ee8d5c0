//===- CompileThread.cpp - the thread on which everything is compiled -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/border/CompileThread.h"

#include "lib/base/FloatingPoint.h"

#include "mlir/IR/MLIRContext.h"

#include <condition_variable>
#include <csignal>
#include <exception>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

using namespace tenon::compiler;
namespace rt = tenon::rt;

mlir::MLIRContext &CompileContext::mlirContext() {
  if (!mlir_) {
    mlir_ = factory_.create();
    if (mlir_->isMultithreadingEnabled())
      mlir_->disableMultithreading();
  }
  return *mlir_;
}

void CompileContext::renew() {
  while (!pieces_.empty()) {
    Piece last = pieces_.back();
    pieces_.pop_back();
    last.destroy(last.object);
  }
  if (mlir_)
    factory_.destroy(mlir_);
  mlir_ = nullptr;
}

/// One request. Left behind after a fall: the strings may be half written.
struct CompileThread::Job {
  const tenon_compile_request &request;
  const char *fault;
  CompileResult result;
  nets::Fall fall;
  bool done = false;
};

struct CompileThread::Worker {
  explicit Worker(const Options &options) : options(options), context(options.contexts) {}
  const Options options;
  CompileContext context;
  size_t compiles = 0, bytes = 0; // since the context was made
  void *stack = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  Job *job = nullptr;
};

struct CompileThread::State {
  std::mutex turn; // held by the caller whose request runs
  Worker *worker = nullptr;
  pid_t process = 0; // that the worker is a thread of
  int falls = 0;
  // Why the compiler is off, if it is, and where it was; neither is ever freed.
  const char *off = nullptr, *offStage = nullptr;
};

/// Room below the stack. Frames in LLVM can be larger than a page.
static constexpr size_t guardSize = size_t(1) << 20;

CompileThread::CompileThread(const Options &options) : options_(options), state_(new State) { nets::install(); }

CompileThread::Worker *CompileThread::start(const Options &options) {
  auto worker = std::make_unique<Worker>(options);
  void *memory = mmap(nullptr, guardSize + options.stackSize, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  worker->stack = static_cast<char *>(memory) + guardSize;

  // The program's signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  bool started = !mprotect(worker->stack, options.stackSize, PROT_READ | PROT_WRITE) &&
                 !pthread_attr_setstack(&attributes, worker->stack, options.stackSize) &&
                 !pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (started) {
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = !pthread_create(&thread, &attributes, threadMain, worker.get());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  pthread_attr_destroy(&attributes);
  if (started) {
    pthread_setname_np(thread, "tenon-compile");
    return worker.release();
  }
  munmap(memory, guardSize + options.stackSize);
  return nullptr;
}

void *CompileThread::threadMain(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  nets::prepareThread(worker.stack, guardSize);
  rt::useDefaultFloatingPoint();
  bool standing = true;
  while (standing) {
    Job *job;
    {
      std::unique_lock lock(worker.mutex);
      worker.changed.wait(lock, [&] { return worker.job; });
      job = worker.job;
    }
    standing = nets::runInNets(body, &worker, job->fall);
    // After a fall nothing here may use the heap.
    std::lock_guard lock(worker.mutex);
    worker.job = nullptr;
    job->done = true;
    worker.changed.notify_all();
  }
  // Left behind: ending the thread would run destructors of half-made things.
  for (;;)
    pause();
}

void CompileThread::body(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  const tenon_compile_request &request = worker.job->request;
  CompileResult &result = worker.job->result;
  CompileContext &context = worker.context;
  timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  try {
    if (worker.job->fault)
      nets::commitFault(worker.job->fault);
    size_t bytes = request.trace_size + request.locations_size;
    if (worker.compiles >= worker.options.renewAfterCompiles ||
        (worker.compiles && worker.bytes + bytes > worker.options.renewAfterBytes)) {
      context.renew();
      worker.compiles = worker.bytes = 0;
    }
    ++worker.compiles;
    worker.bytes += bytes;
    context.kernels = context.newKernels = context.librarySteps = 0;
    context.stage = nullptr;
    context.isInvalid = false;
    if (worker.options.compile(context, request, result.out, result.text))
      result.status = TENON_COMPILE_OK;
    else if (context.isInvalid)
      result.status = TENON_COMPILE_INVALID;
  } catch (const std::bad_alloc &) {
    nets::fallWith("the compiler ran out of memory", nets::Fall::Memory);
  } catch (const std::exception &e) {
    // It flew through LLVM's frames, which clean nothing up.
    nets::fallWith((std::string("the compiler threw: ") + e.what()).c_str());
  } catch (...) {
    nets::fallWith("the compiler threw something that is no std::exception");
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  result.kernels = context.kernels;
  result.newKernels = context.newKernels;
  result.librarySteps = context.librarySteps;
  result.nanoseconds = uint64_t(to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec;
}

static std::string whyAndWhere(const char *why, const char *stage) {
  return stage ? std::string(why) + " (while making stage '" + stage + "')" : why;
}

CompileResult CompileThread::run(const tenon_compile_request &request, const char *fault) {
  CompileResult failed;
  if (nets::inNets()) {
    failed.text = "a compilation cannot ask for another one";
    return failed;
  }
  State &state = *state_;
  std::lock_guard turn(state.turn);
  if (state.off) {
    failed.status = TENON_COMPILE_OFF;
    failed.text = "the compiler is off in this process: " + whyAndWhere(state.off, state.offStage);
    return failed;
  }
  if (state.process != getpid()) {
    // A forked child has no compile thread. It makes its own, and a context with
    // it; what the parent's were is left behind.
    state.worker = nullptr;
    state.process = getpid();
  }
  if (!state.worker && !(state.worker = start(options_))) {
    failed.status = TENON_COMPILE_OFF;
    failed.text = "cannot start the compile thread: no memory for its stack, or too many threads";
    return failed;
  }

  Worker &worker = *state.worker;
  auto job = std::make_unique<Job>(Job{request, fault, {}, {}, false});
  {
    std::unique_lock lock(worker.mutex);
    worker.job = job.get();
    worker.changed.notify_all();
    worker.changed.wait(lock, [&] { return job->done; });
  }
  if (job->fall.kind == nets::Fall::None)
    return std::move(job->result);

  // Left behind, so its text stays.
  const nets::Fall &fall = job.release()->fall;
  const char *stage = worker.context.stage;
  state.worker = nullptr;
  // A signal says nothing about what it left behind; what flew through LLVM for
  // lack of memory may have left a lock there held.
  if (fall.kind == nets::Fall::Signal || fall.kind == nets::Fall::Memory || ++state.falls >= options_.fallsAllowed)
    state.off = fall.text, state.offStage = stage;
  failed.status = TENON_COMPILE_CRASH;
  failed.text = whyAndWhere(fall.text, stage);
  return failed;
}
