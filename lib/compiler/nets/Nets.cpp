//===- Nets.cpp - what catches a falling compiler ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/nets/Nets.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tenon::compiler;

namespace {

constexpr int caught[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr int caughtCount = sizeof(caught) / sizeof(caught[0]);

/// An action that stood before ours, and those that stood before ours earlier.
/// Never changed once published, because a handler on another thread may be
/// reading it, and never freed.
struct Former {
  struct sigaction action;
  const Former *previous;
};

std::atomic<const Former *> former[caughtCount];
/// A former SA_RESETHAND handler fires once; then the default action follows.
std::atomic<bool> fired[caughtCount];

// Plain globals, not thread-locals: the first access to a plug-in's thread-local
// may allocate, which a signal handler must not do.
std::atomic<bool> armed{false};
std::atomic<pthread_t> netThread{};
sigjmp_buf entry;
nets::Fall *landing = nullptr;
uintptr_t stackLow = 0;
size_t stackGuard = 0;

/// A user's handler that was installed while ours stood may call ours as the one
/// before it. Later ours stands above his, so the signal comes by twice. The mark
/// says whom it was passed to; it sits in the unused end of the kernel's
/// siginfo, which is fresh and zero for every delivery.
struct Mark {
  uint64_t magic;
  const Former *passedTo;
};
constexpr uint64_t markMagic = 0x74656e6f6e6e6574; // "tenonnet"
constexpr size_t markOffset = sizeof(siginfo_t) - sizeof(Mark);

int indexOf(int number) {
  for (int i = 0; i < caughtCount; ++i)
    if (caught[i] == number)
      return i;
  return -1;
}

/// Text without the heap and without locale, cut where the buffer ends.
class Writer {
public:
  explicit Writer(nets::Fall &fall) : at_(fall.text), end_(fall.text + sizeof(fall.text) - 1) {}
  Writer &operator<<(const char *text) {
    while (*text && at_ != end_)
      *at_++ = *text++;
    *at_ = 0;
    return *this;
  }
  Writer &operator<<(uintptr_t value) {
    char digits[2 * sizeof(value) + 1], *p = digits + sizeof(digits) - 1;
    *p = 0;
    do
      *--p = "0123456789abcdef"[value % 16];
    while (value /= 16);
    return *this << "0x" << p;
  }

private:
  char *at_, *end_;
};

[[noreturn]] void land(nets::Fall::Kind kind) {
  landing->kind = kind;
  armed.store(false);
  siglongjmp(entry, 1);
}

/// Sent by a fault or by the thread itself (abort, raise), not by kill.
bool ownDoing(const siginfo_t *info) {
  if (info->si_code > 0)
    return true;
  return info->si_code == SI_TKILL && info->si_pid == getpid();
}

void describe(Writer out, int number, const siginfo_t *info) {
  out << "the compiler crashed: ";
  switch (number) {
  case SIGABRT:
    out << "abort was called";
    return;
  case SIGSEGV:
    out << "SIGSEGV";
    break;
  case SIGBUS:
    out << "SIGBUS";
    break;
  case SIGILL:
    out << "SIGILL";
    break;
  default:
    out << "SIGFPE";
    break;
  }
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (number == SIGSEGV && address >= stackLow - stackGuard && address < stackLow)
    out << " (stack overflow)";
  out << " at address " << address;
}

/// What the kernel would have done if our handler did not stand. We are inside
/// a handler whose own signal is blocked.
void passOn(int number, siginfo_t *info, void *where) {
  int index = indexOf(number);
  Mark mark;
  char *markPlace = reinterpret_cast<char *>(info) + markOffset;
  std::memcpy(&mark, markPlace, sizeof(mark));
  const Former *before = mark.magic == markMagic ? mark.passedTo->previous : former[index].load();
  struct sigaction action;
  std::memset(&action, 0, sizeof(action)); // SIG_DFL
  if (before) {
    action = before->action;
    mark = {markMagic, before};
    std::memcpy(markPlace, &mark, sizeof(mark));
  }
  bool bySignalFunction = !(action.sa_flags & SA_SIGINFO);
  bool ignored = bySignalFunction && action.sa_handler == SIG_IGN;
  bool isDefault = (bySignalFunction && action.sa_handler == SIG_DFL) || fired[index].load();
  // The kernel does not let a process ignore its own faults.
  if (ignored && info->si_code > 0)
    isDefault = true;
  else if (ignored)
    return;

  if (isDefault) {
    struct sigaction fallback;
    std::memset(&fallback, 0, sizeof(fallback));
    fallback.sa_handler = SIG_DFL;
    sigaction(number, &fallback, nullptr);
    // A fault happens again, at its own place, when this handler returns; a
    // signal that was sent must be sent again, with all that came with it.
    if (info->si_code <= 0)
      syscall(SYS_rt_tgsigqueueinfo, getpid(), static_cast<pid_t>(syscall(SYS_gettid)), number, info);
    return;
  }

  if (action.sa_flags & SA_RESETHAND)
    fired[index].store(true);
  // The mask the kernel would have set: what was blocked, the handler's own
  // set, and the signal itself.
  sigset_t mask = static_cast<ucontext_t *>(where)->uc_sigmask, here;
  sigorset(&mask, &mask, &action.sa_mask);
  if (!(action.sa_flags & SA_NODEFER))
    sigaddset(&mask, number);
  pthread_sigmask(SIG_SETMASK, &mask, &here);
  if (bySignalFunction)
    action.sa_handler(number);
  else
    action.sa_sigaction(number, info, where);
  pthread_sigmask(SIG_SETMASK, &here, nullptr);
}

void onSignal(int number, siginfo_t *info, void *where) {
  int saved = errno;
  if (nets::inNets() && ownDoing(info)) {
    describe(Writer(*landing), number, info);
    land(nets::Fall::Signal);
  }
  passOn(number, info, where);
  errno = saved;
}

void onFatalError(void *, const char *reason, bool) {
  if (!nets::inNets()) {
    llvm::errs() << "LLVM ERROR: " << reason << "\n";
    return; // LLVM goes on to abort or exit
  }
  Writer(*landing) << "the compiler gave up: " << reason;
  land(nets::Fall::Reported);
}

void onBadAlloc(void *, const char *reason, bool) {
  if (!nets::inNets())
    return; // LLVM goes on to abort
  Writer(*landing) << "the compiler gave up: " << reason;
  land(nets::Fall::Memory);
}

void onDiagnostic(const llvm::DiagnosticInfo *info, void *) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  llvm::SmallString<512> text;
  llvm::raw_svector_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  if (!nets::inNets()) {
    llvm::errs() << "error: " << text << "\n";
    std::exit(1);
  }
  Writer(*landing) << "the compiler gave up: " << text.c_str();
  land(nets::Fall::Reported);
}

bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == onSignal;
}

/// The kernel's view: glibc adds SA_RESTORER and leaves most of the mask unset.
bool isSame(const struct sigaction &a, const struct sigaction &b) {
  constexpr int restorer = 0x04000000;
  return a.sa_handler == b.sa_handler && (a.sa_flags | restorer) == (b.sa_flags | restorer) &&
         !std::memcmp(&a.sa_mask, &b.sa_mask, (NSIG - 1) / 8);
}

/// The first of each without the heap: nothing would catch its failure yet.
bool remember(int index, const struct sigaction &action, const Former *last) {
  static Former firsts[caughtCount];
  Former *made = last ? new (std::nothrow) Former : &firsts[index];
  if (made) {
    *made = {action, last};
    former[index].store(made);
  }
  return made;
}

void putUp() {
  for (int i = 0; i < caughtCount; ++i) {
    struct sigaction now;
    sigaction(caught[i], nullptr, &now);
    const Former *last = former[i].load();
    // If ours still stands, someone put back what he had saved while it stood,
    // and what was before ours then is what is before ours now.
    if (isOurs(now))
      now = last->action;
    else if (!last || !isSame(last->action, now))
      if (!remember(i, now, last))
        continue; // what would follow is not known: that signal is not caught
    fired[i].store(false);
    struct sigaction ours;
    std::memset(&ours, 0, sizeof(ours));
    ours.sa_sigaction = onSignal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (now.sa_flags & SA_RESTART);
    sigaction(caught[i], &ours, nullptr);
  }
}

void takeDown() {
  for (int i = 0; i < caughtCount; ++i) {
    struct sigaction now;
    sigaction(caught[i], nullptr, &now);
    // Someone installed his own meanwhile: that one stays.
    if (!isOurs(now))
      continue;
    struct sigaction action = former[i].load()->action;
    if (fired[i].load()) {
      std::memset(&action, 0, sizeof(action));
      action.sa_handler = SIG_DFL;
    }
    sigaction(caught[i], &action, nullptr);
  }
}

} // namespace

void nets::install() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onBadAlloc);
  });
}

void nets::prepareThread(const void *low, size_t guard) {
  stackLow = reinterpret_cast<uintptr_t>(low);
  stackGuard = guard;
  // Large enough for AVX-512 and AMX state; a page below it stays unmapped.
  const size_t size = 128 * 1024, page = 4096;
  void *memory = mmap(nullptr, size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED && !mprotect(static_cast<char *>(memory) + page, size, PROT_READ | PROT_WRITE)) {
    stack_t stack = {};
    stack.ss_sp = static_cast<char *>(memory) + page;
    stack.ss_size = size;
    sigaltstack(&stack, nullptr);
  }
  sigset_t ours;
  sigemptyset(&ours);
  for (int number : caught)
    sigaddset(&ours, number);
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

bool nets::runInNets(void (*body)(void *), void *argument, Fall &fall) {
  landing = &fall;
  netThread.store(pthread_self());
  putUp();
  if (sigsetjmp(entry, 1) == 0) {
    armed.store(true);
    body(argument);
    armed.store(false);
  }
  takeDown();
  return landing->kind == Fall::None;
}

bool nets::inNets() { return armed.load() && pthread_equal(netThread.load(), pthread_self()); }

void nets::fallWith(const char *text, Fall::Kind kind) {
  Writer(*landing) << text;
  land(kind);
}

void nets::configure(llvm::LLVMContext &context) { context.setDiagnosticHandlerCallBack(onDiagnostic); }

/// Each level writes into its own frame, so this becomes no loop.
static int overflowTheStack(volatile char *above) {
  volatile char frame[4096];
  frame[0] = 1;
  return above && !above[0] ? 0 : overflowTheStack(frame) + frame[0];
}

void nets::commitFault(const char *name) {
  if (!std::strcmp(name, "abort"))
    std::abort();
  if (!std::strcmp(name, "segv")) {
    volatile int *volatile null = nullptr;
    *null = 1;
  }
  if (!std::strcmp(name, "stack")) {
    volatile int used = overflowTheStack(nullptr);
    (void)used;
  }
  if (!std::strcmp(name, "fatal"))
    llvm::report_fatal_error("planted fatal error");
  if (!std::strcmp(name, "usage"))
    llvm::reportFatalUsageError("planted usage error");
  if (!std::strcmp(name, "emit")) {
    auto *context = new llvm::LLVMContext; // left behind by the fall
    configure(*context);
    context->emitError("planted error of an LLVMContext");
  }
  if (!std::strcmp(name, "badalloc"))
    llvm::report_bad_alloc_error("planted allocation failure");
  if (!std::strcmp(name, "exit"))
    std::exit(1);
  if (!std::strcmp(name, "terminate"))
    std::terminate();
  if (!std::strcmp(name, "throw"))
    (void)std::string().at(1);
}
