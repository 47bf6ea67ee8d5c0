//===- compiler_border_test.cpp - crashes in the compiler leave the program running --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against a plug-in whose pipelines are compiler_border/FakeCompile.cpp. Every
// test runs in a child process of its own, since one crash turns the compiler
// off, and must end with exit(0). Built with TENON_TEST_PLUGIN, the fake
// plug-in's path, and TENON_TEST_LIBLLVM, the path of a shared libLLVM.
//===----------------------------------------------------------------------===//
#include "lib/program/CompilerApi.h"
#include "lib/program/CompilerPlugin.h"
#include "runtime/machine/Build.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <pthread.h>
#include <source_location>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenon::detail;

namespace {

/// In a child process: prints what does not hold, with its line, and gives up.
void check(bool holds, const std::string &what, std::source_location at = std::source_location::current()) {
  if (holds)
    return;
  std::fprintf(stderr, "line %u: does not hold: %s\n", unsigned(at.line()), what.c_str());
  _exit(99);
}

void checkHas(const std::string &text, const std::string &part,
              std::source_location at = std::source_location::current()) {
  check(text.find(part) != std::string::npos, "'" + text + "' has '" + part + "'", at);
}

/// Runs `body` in a process of its own with the fake plug-in, expecting exit(0).
template <class Body>
void inChild(Body body) {
  EXPECT_EXIT(
      {
        alarm(60);
        setenv("TENON_COMPILER", TENON_TEST_PLUGIN, 1);
        body();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

CompileReply ask(const std::string &input, const std::string &locations = "", const std::string &emit = "blob") {
  return compileTrace(std::as_bytes(std::span(input)), std::as_bytes(std::span(locations)), emit);
}

CompileReply askWithFault(const char *fault, const std::string &input) {
  setenv("TENON_COMPILER_FAULT", fault, 1);
  CompileReply reply = ask(input, "", "vector");
  unsetenv("TENON_COMPILER_FAULT");
  return reply;
}

std::string contents(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The trace in a reproducer, behind the header of its container.
std::string savedTrace(const std::string &path) {
  std::string file = contents(path);
  return file.rfind("TNSAVED", 0) == 0 ? file.substr(48) : "no saved trace: " + file;
}

/// A compilation that runs, on another thread, until this ends.
class Running {
public:
  Running() : file_("/tmp/tenon-border-" + std::to_string(getpid())) {
    ask("echo loads the plug-in");
    thread_ = std::thread([this] { reply_ = ask("wait " + file_); });
    while (access(file_.c_str(), F_OK))
      usleep(1000);
  }
  CompileReply finish() {
    unlink(file_.c_str());
    thread_.join();
    return reply_;
  }
  void detach() { thread_.detach(); }
  const std::string &file() const { return file_; }

private:
  std::string file_;
  std::thread thread_;
  CompileReply reply_;
};

/// An address at which every access faults.
char *forbidden() {
  static char *page = static_cast<char *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  return page;
}

sigjmp_buf back;
std::atomic<int> handled{0};
void *handledAddress = nullptr;

void handleWithInfo(int, siginfo_t *info, void *) {
  ++handled;
  handledAddress = info->si_addr;
  siglongjmp(back, 1);
}

void handlePlain(int) {
  ++handled;
  siglongjmp(back, 1);
}

void countPlain(int) { ++handled; }

/// A fault of the user's own, caught by his own handler.
void ownFault() {
  if (sigsetjmp(back, 1) == 0)
    *static_cast<volatile char *>(forbidden() + 8) = 1;
}

struct sigaction actionOf(int number) {
  struct sigaction now;
  sigaction(number, nullptr, &now);
  return now;
}

/// As the kernel sees them: glibc adds SA_RESTORER and leaves most of the mask unset.
bool same(const struct sigaction &a, const struct sigaction &b) {
  constexpr int restorer = 0x04000000;
  return a.sa_handler == b.sa_handler && (a.sa_flags | restorer) == (b.sa_flags | restorer) &&
         !std::memcmp(&a.sa_mask, &b.sa_mask, 8);
}

void install(int number, void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

void install(int number, void (*handler)(int, siginfo_t *, void *), int flags = 0) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = flags | SA_SIGINFO;
  sigaction(number, &action, nullptr);
}

/// What libtenon and its plug-in must both be made of.
std::string buildText() { return tenon::rt::buildText(tenon::rt::buildId()); }

TEST(CompilerBorder, DataTextAndCountsCross) {
  inChild([] {
    check(!compilerLoaded(), "nothing is loaded before the first compilation");
    CompileReply reply = ask(std::string("echo a\0b", 8), " + locations");
    check(reply.ok() && compilerLoaded(), reply.text);
    check(reply.data == std::string("a\0b + locations", 15), "data is '" + reply.data + "'");
    check(reply.text.empty() && reply.reproducer.empty() && reply.replayCommand.empty(), "nothing else is said");
    check(reply.kernels == 3 && reply.newKernels == 2 && reply.librarySteps == 5 && reply.nanoseconds > 0,
          "counts cross");
    checkHas(ask("llvm relu").data, "source_filename = \"relu\"");
    checkHas(compilerBuildId(), buildText() + "/");
    check(compilerBuildId().size() > buildText().size() + 17, "the build id has the linker's hash");
  });
}

TEST(CompilerBorder, RefusalsAreTextAndLeaveTheCompilerOn) {
  inChild([] {
    for (int i = 0; i < 10; ++i) {
      CompileReply reply = ask("refuse sum: axis 3 is out of range");
      check(reply.status == CompileStatus::Refused, reply.text);
      check(reply.text == "sum: axis 3 is out of range", reply.text);
      check(savedTrace(reply.reproducer) == "refuse sum: axis 3 is out of range", reply.reproducer);
    }
    CompileReply mlir = compileMlir("refuse expected '}'", "linalg");
    check(mlir.status == CompileStatus::Refused && mlir.reproducer.empty(), "MLIR text is with the user already");
    check(ask("echo x").ok(), "still on");
  });
}

TEST(CompilerBorder, WrongRequestsAreNamed) {
  inChild([] {
    check(ask("echo x").ok(), "loads");
    void *library = dlopen(TENON_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    auto compile = reinterpret_cast<tenon_compiler_compile_t>(dlsym(library, "tenon_compiler_compile"));
    auto release = reinterpret_cast<tenon_compiler_release_t>(dlsym(library, "tenon_compiler_release"));
    tenon_compile_request request = {};
    tenon_compile_reply reply;
    auto expect = [&](const char *text) {
      check(compile(&request, &reply) == TENON_COMPILE_INVALID, text);
      check(std::string(reply.text) == text, reply.text);
      release(&reply);
      release(&reply);
    };
    request.abi = 77;
    expect("expected a request of compiler ABI 4, got 77");
    request.abi = TENON_COMPILER_ABI;
    request.flags = 6 | TENON_COMPILE_OUR_TRACE;
    expect("expected no request flags but 1, got 7");
    request.flags = TENON_COMPILE_OUR_TRACE;
    expect("expected the name of a stage to emit, got a null pointer");
    request.emit = "blob";
    expect("expected input format 'trace' or 'mlir', got 'nothing'");
    request.input_format = "onnx";
    expect("expected input format 'trace' or 'mlir', got 'onnx'");
    request.input_format = "trace";
    request.trace_size = 4;
    expect("expected trace bytes, got a null pointer");
    request.trace_size = 0;
    const std::string list =
        "features: expected a list such as +avx2,+fma of the features sse3, ssse3, sse4.1, sse4.2, popcnt, cx16, "
        "sahf, xsave, avx, avx2, bmi, bmi2, f16c, fma, lzcnt, movbe, avx512f, avx512bw, avx512cd, avx512dq, "
        "avx512vl, avx512vnni, avx512bf16, avx512fp16, amx-tile, amx-bf16, amx-int8, got ";
    request.features = "+avx2,+foo";
    expect((list + "'+foo'").c_str());
    request.features = "+fma,-avx2";
    expect((list + "'-avx2'").c_str());
    check(compile(nullptr, &reply) == TENON_COMPILE_ERROR && compile(&request, nullptr) == TENON_COMPILE_ERROR, "null");
  });
}

struct Fault {
  const char *name;
  const char *text;
  bool turnsOff;
};

class PlantedFault : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, TheProgramGoesOn) {
  Fault fault = GetParam();
  inChild([fault] {
    struct sigaction before[] = {actionOf(SIGABRT), actionOf(SIGSEGV), actionOf(SIGBUS), actionOf(SIGILL),
                                 actionOf(SIGFPE)};
    check(ask("context").data == "1/0", "the first context");
    std::string input = std::string("echo ") + fault.name;
    CompileReply reply = askWithFault(fault.name, input);
    check(reply.status == CompileStatus::Crashed, "status of: " + reply.text);
    checkHas(reply.text, fault.text);
    check(savedTrace(reply.reproducer) == input, "the reproducer replays");
    check(reply.replayCommand == "tenon-run --emit=vector " + reply.reproducer, reply.replayCommand);
    check(reply.data.empty(), "no data");
    int i = 0;
    for (int number : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
      check(same(before[i++], actionOf(number)), "the former action stands again");
    }

    CompileReply next = ask("context");
    if (!fault.turnsOff) {
      check(next.data == "2/0", "a new context, the old one is left behind: " + next.data + next.text);
      check(askWithFault(fault.name, input).status == CompileStatus::Crashed, "second");
      check(ask("echo on").ok(), "still on");
      check(askWithFault(fault.name, input).status == CompileStatus::Crashed, "third");
      next = ask("context");
    }
    check(next.status == CompileStatus::Off, "off: " + next.text);
    checkHas(next.text, std::string("the compiler is off in this process: ") + reply.text);
    std::vector<std::string> heapWorks(1000, "a string that is too long for the small buffer");
  });
}

INSTANTIATE_TEST_SUITE_P(
    CompilerBorder, PlantedFault,
    testing::Values(Fault{"abort", "abort was called", true}, Fault{"segv", "SIGSEGV at address 0x0", true},
                    Fault{"stack", "SIGSEGV (stack overflow)", true}, Fault{"terminate", "abort was called", true},
                    Fault{"fatal", "planted fatal error", false}, Fault{"usage", "planted usage error", false},
                    Fault{"emit", "planted error of an LLVMContext", false},
                    Fault{"badalloc", "planted allocation failure", true}, Fault{"exit", "it called exit", false},
                    Fault{"throw", "the compiler threw", false}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(CompilerBorder, AnLlvmContextNobodyConfiguredDoesNotExit) {
  inChild([] {
    CompileReply reply = ask("exit");
    check(reply.status == CompileStatus::Crashed, reply.text);
    checkHas(reply.text, "it called exit");
  });
}

TEST(CompilerBorder, ACrashNamesItsStage) {
  inChild([] {
    CompileReply reply = ask("stage");
    check(reply.status == CompileStatus::Crashed, reply.text);
    checkHas(reply.text, "planted in a stage (while making stage 'vector')");
  });
}

TEST(CompilerBorder, ACompilationAsksForNoOther) {
  inChild([] {
    CompileReply reply = ask("nested");
    check(reply.ok() && reply.data == "a compilation cannot ask for another one", reply.data + reply.text);
    check(ask("echo x").data == "x", "it goes on");
  });
}

TEST(CompilerBorder, TheStackIsLarge) {
  inChild([] { check(std::stoul(ask("depth").data) > (60ul << 20), "60 MiB can be used"); });
}

TEST(CompilerBorder, ContextAndPiecesLiveOnAndAreRenewed) {
  inChild([] {
    check(ask("context").data == "1/0", "made when asked for");
    check(ask("piece").data == "1" && ask("piece").data == "2", "pieces live on");
    for (int i = 3; i < 999; ++i)
      check(ask("echo x").ok(), "echo");
    check(ask("context").data == "1/0", "the thousandth");
    check(ask("context").data == "2/1", "renewed, the first one freed");
    check(ask("piece").data == "1", "a new piece");
    std::string large = "echo " + std::string(9 << 20, 'x');
    check(ask(large).ok() && ask(large).ok(), "18 MiB of input");
    check(ask("context").data == "3/2", "renewed by size");
  });
}

TEST(CompilerBorder, ManyThreadsQueue) {
  inChild([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([t] {
        for (int i = 0; i < 100; ++i) {
          std::string text = std::to_string(t) + ":" + std::to_string(i);
          check(ask("echo " + text).data == text, "each caller gets his own reply");
        }
      });
    for (std::thread &thread : threads)
      thread.join();
  });
}

TEST(CompilerBorder, AUsersFaultIsTheUsersWhileACompilationRuns) {
  inChild([] {
    install(SIGSEGV, handleWithInfo);
    struct sigaction before = actionOf(SIGSEGV);
    Running running;
    check(actionOf(SIGSEGV).sa_sigaction != before.sa_sigaction, "the nets stand");
    ownFault();
    ownFault();
    check(handled == 2 && handledAddress == forbidden() + 8, "his handler got both, with the address");
    check(running.finish().data == "waited", "the compilation went on");
    check(same(before, actionOf(SIGSEGV)), "his handler stands again");
    check(askWithFault("segv", "echo x").status == CompileStatus::Crashed && handled == 2, "ours is not his");
  });
}

TEST(CompilerBorder, AHandlerWithoutInfoAndOneThatFiresOnce) {
  inChild([] {
    install(SIGSEGV, handlePlain);
    install(SIGFPE, countPlain, SA_RESETHAND);
    Running running;
    ownFault();
    check(handled == 1, "the plain handler");
    raise(SIGFPE);
    check(handled == 2, "the handler that fires once");
    running.finish();
    check(actionOf(SIGFPE).sa_handler == SIG_DFL, "has fired");
  });
}

bool isBlocked(int number) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return sigismember(&now, number) == 1;
}

bool blockedInside = false;

TEST(CompilerBorder, AHandlerRunsWithTheMaskItAskedFor) {
  inChild([] {
    struct sigaction action = {};
    action.sa_handler = [](int) {
      ++handled;
      blockedInside = isBlocked(SIGUSR1) && isBlocked(SIGFPE) && !isBlocked(SIGUSR2);
    };
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGFPE, &action, nullptr);
    Running running;
    raise(SIGFPE);
    check(handled == 1 && blockedInside, "what it blocks, and its own signal");
    check(!isBlocked(SIGUSR1) && !isBlocked(SIGFPE), "nothing afterwards");
    running.finish();
  });
}

TEST(CompilerBorder, IgnoredSignalsStayIgnored) {
  inChild([] {
    install(SIGBUS, SIG_IGN);
    Running running;
    raise(SIGBUS);
    check(running.finish().data == "waited", "nothing happened");
    check(actionOf(SIGBUS).sa_handler == SIG_IGN, "ignored again");
  });
}

TEST(CompilerBorder, WithoutAHandlerAUsersFaultKills) {
  auto die = [](auto fault) {
    alarm(60);
    setenv("TENON_COMPILER", TENON_TEST_PLUGIN, 1);
    Running running;
    unlink(running.file().c_str());
    fault();
    _exit(0);
  };
  EXPECT_EXIT(die([] { *static_cast<volatile char *>(forbidden()) = 1; }), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(die([] { std::abort(); }), testing::KilledBySignal(SIGABRT), "");
  EXPECT_EXIT(die([] { raise(SIGFPE); }), testing::KilledBySignal(SIGFPE), "");
  EXPECT_EXIT(die([] { kill(getpid(), SIGILL); }), testing::KilledBySignal(SIGILL), "");
}

TEST(CompilerBorder, ASignalSentToTheProcessIsNotACrash) {
  inChild([] {
    install(SIGABRT, countPlain);
    sigset_t block;
    sigemptyset(&block);
    sigaddset(&block, SIGABRT);
    pthread_sigmask(SIG_BLOCK, &block, nullptr); // inherited by Running's thread: only the compile thread takes it
    Running running;
    kill(getpid(), SIGABRT);
    while (!handled)
      usleep(1000);
    check(running.finish().data == "waited", "the compilation went on");
  });
}

struct sigaction saved;

void countAndChain(int number, siginfo_t *info, void *where) {
  if (++handled > 3)
    _exit(98); // the chain went round
  if ((saved.sa_flags & SA_SIGINFO) && saved.sa_sigaction)
    saved.sa_sigaction(number, info, where);
}

TEST(CompilerBorder, AHandlerInstalledMeanwhileStaysAndMayChain) {
  inChild([] {
    install(SIGSEGV, handleWithInfo);
    {
      Running running;
      saved = actionOf(SIGSEGV); // the nets'
      install(SIGSEGV, countAndChain);
      running.finish();
    }
    check(actionOf(SIGSEGV).sa_sigaction == countAndChain, "stays");
    ownFault();
    check(handled == 2, "chained through the nets to the one before them");
    handled = 0;
    Running running;
    ownFault();
    check(handled == 2, "the same while the nets stand above and below");
    running.finish();
    check(actionOf(SIGSEGV).sa_sigaction == countAndChain, "stays");
  });
}

TEST(CompilerBorder, TwoLlvmsDoNotMeet) {
  for (bool before : {true, false})
    inChild([before] {
      if (!before)
        check(ask("llvm one").ok(), "first");
      void *other = dlopen(TENON_TEST_LIBLLVM, RTLD_NOW | RTLD_GLOBAL);
      check(other, "another LLVM is at hand");
      auto create = reinterpret_cast<void *(*)()>(dlsym(other, "LLVMContextCreate"));
      auto dispose = reinterpret_cast<void (*)(void *)>(dlsym(other, "LLVMContextDispose"));
      void *context = create();
      checkHas(ask("llvm two").data, "source_filename = \"two\"");
      check(askWithFault("usage", "echo x").status == CompileStatus::Crashed, "our nets are in our LLVM");
      check(ask("context").ok(), "MLIR works");
      dispose(context);
    });
}

TEST(CompilerBorder, ExitWhileACompilationRuns) {
  inChild([] {
    auto *running = new Running;
    unlink(running->file().c_str());
    running->detach();
  });
  inChild([] {
    auto *running = new Running; // still waiting at exit
    running->detach();
    std::atexit([] { unlink(("/tmp/tenon-border-" + std::to_string(getpid())).c_str()); });
  });
}

int statusOfFork(void (*body)()) {
  pid_t child = fork();
  if (!child) {
    alarm(60);
    body();
    std::exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(CompilerBorder, ForkedProcessesCompile) {
  inChild([] {
    check(ask("context").ok(), "before");
    int status = statusOfFork([] {
      check(ask("context").data == "2/0", "a thread and context of its own");
      check(askWithFault("abort", "echo x").status == CompileStatus::Crashed, "and nets");
    });
    check(status == 0, "the child exits with 0");
    check(ask("context").data == "1/0", "the parent's are untouched");
  });
  inChild([] {
    // A fork waits for the compilation that runs.
    saved = actionOf(SIGSEGV);
    auto *running = new Running;
    static std::string file = running->file();
    std::thread finisher([running] {
      usleep(100000);
      check(running->finish().data == "waited", "the parent goes on");
    });
    int status = statusOfFork([] {
      check(access(file.c_str(), F_OK) != 0, "the compilation had ended");
      check(same(saved, actionOf(SIGSEGV)), "no nets in the child");
      check(ask("echo x").ok(), "the child compiles");
    });
    finisher.join();
    check(status == 0, "the child exits with 0");
    check(ask("echo x").ok(), "the parent compiles");
  });
  inChild([] {
    // While threads queue for the compile thread and load the plug-in.
    std::atomic<bool> stop = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        while (!stop)
          check(ask("echo x").ok(), "a thread's");
      });
    for (int i = 0; i < 20; ++i)
      check(statusOfFork([] { check(ask("context").data == "1/0", "a context of its own"); }) == 0, "a child's");
    stop = true;
    for (std::thread &thread : threads)
      thread.join();
  });
}

TEST(CompilerBorder, WhatTenonCompilerNamesMustBeACompiler) {
  inChild([] {
    setenv("TENON_COMPILER", "/nowhere/libtenon-compiler.so", 1);
    CompileReply reply = ask("echo x");
    check(reply.status == CompileStatus::Off, "off");
    check(reply.text == "TENON_COMPILER names '/nowhere/libtenon-compiler.so', which is not a readable file",
          reply.text);
    check(!compilerLoaded() && compilerPath().empty() && compilerBuildId().empty(), "nothing is loaded");
  });
  inChild([] {
    setenv("TENON_COMPILER", "/proc/self/exe", 1);
    checkHas(ask("echo x").text, "TENON_COMPILER names '/proc/self/exe', which cannot be loaded: ");
  });
  inChild([] {
    setenv("TENON_COMPILER", TENON_TEST_LIBLLVM, 1);
    checkHas(ask("echo x").text, "which is not a Tenon compiler");
  });
}

TEST(CompilerBorder, ACompilerOfAnotherVersionIsNotAsked) {
  auto expect = [](const std::string &text, int abi, const std::string &build) {
    inChild([&] {
      setenv("TENON_COMPILER", TENON_TEST_FOREIGN, 1);
      setenv("FOREIGN_ABI", std::to_string(abi).c_str(), 1);
      setenv("FOREIGN_BUILD", build.c_str(), 1);
      CompileReply reply = ask("echo x");
      check(reply.status == CompileStatus::Off && !compilerLoaded(), "off");
      check(reply.text == "TENON_COMPILER names '" TENON_TEST_FOREIGN "', " + text, reply.text);
    });
  };
  expect("expected compiler ABI " + std::to_string(TENON_COMPILER_ABI) + ", got 77", 77, buildText() + "/1234");
  // Of the same version, but of other sources: its code would not be this runtime's.
  std::string other = buildText();
  other[0] = other[0] == '0' ? '1' : '0';
  expect("expected build '" + buildText() + "', got '" + other + "'", TENON_COMPILER_ABI, other + "/1234");
}

TEST(CompilerBorder, AReproducerThatCannotBeWrittenIsLeftOut) {
  inChild([] {
    setenv("TMPDIR", "/nowhere", 1);
    CompileReply reply = askWithFault("fatal", "echo x");
    check(reply.status == CompileStatus::Crashed && reply.reproducer.empty() && reply.replayCommand.empty(),
          "left out");
  });
}

TEST(CompilerBorder, ThePluginExportsTheBorderOnly) {
  FILE *nm = popen("nm -D --defined-only " TENON_TEST_PLUGIN, "r");
  ASSERT_TRUE(nm);
  char line[4096];
  int count = 0;
  while (std::fgets(line, sizeof(line), nm)) {
    ++count;
    EXPECT_TRUE(std::strstr(line, " T tenon_compiler_")) << line;
  }
  EXPECT_EQ(pclose(nm), 0);
  EXPECT_EQ(count, 4);
}

} // namespace
