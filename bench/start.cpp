//===- start.cpp - from the start of a process to its first result ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts itself anew for each round and waits for the byte that the new process
// writes when it holds the result.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenon;

extern char **environ;

static Array small(const Array &a, const Array &b, const Array &c) { return sum(tanh(a * b + c)); }
static std::string blobPath() { return "/tmp/tenon-bench-start-" + std::to_string(getuid()) + ".blob"; }

/// The new process: says when it is ready by one byte, 'x' if it was interpreted.
static int child(const std::string &mode) {
  float result = 0;
  if (mode != "nothing") {
    Array a = ones({32, 32}), b = ones({32, 32}), c = ones({32, 32});
    if (mode == "eager")
      result = small(a, b, c).item<float>();
    else if (mode == "compile")
      result = jit(small)(a, b, c).item<float>();
    else
      result = load_program(blobPath())({a, b, c})[0].item<float>();
  }
  const char byte = statistics().interpreted_programs ? 'x' : result != result ? 'n' : 'y';
  return write(STDOUT_FILENO, &byte, 1) == 1 ? 0 : 1;
}

static void start(benchmark::State &state, const char *mode) {
  std::string argument = std::string("--child=") + mode;
  for (auto _ : state) {
    int pipes[2];
    if (pipe(pipes) != 0)
      return state.SkipWithError("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    char program[] = "/proc/self/exe";
    char *arguments[] = {program, argument.data(), nullptr};
    pid_t pid;
    auto begin = std::chrono::steady_clock::now();
    int failed = posix_spawn(&pid, program, &actions, nullptr, arguments, environ);
    close(pipes[1]);
    char byte = 0;
    ssize_t got = failed ? 0 : read(pipes[0], &byte, 1);
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    close(pipes[0]);
    posix_spawn_file_actions_destroy(&actions);
    int status = 1;
    if (!failed)
      waitpid(pid, &status, 0);
    if (got != 1 || byte != 'y' || status != 0)
      return state.SkipWithError(byte == 'x' ? "the function was interpreted" : "the new process failed");
    state.SetIterationTime(taken.count());
  }
}

static void fromBlob(benchmark::State &state) {
  Array a = ones({32, 32});
  try {
    jit(small).lower(a, a, a).save_blob(blobPath());
  } catch (const Error &error) {
    return state.SkipWithError(error.message().c_str());
  }
  start(state, "blob");
  unlink(blobPath().c_str());
}

BENCHMARK_CAPTURE(start, nothing, "nothing")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(start, eager, "eager")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(start, compile, "compile")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(fromBlob)->UseManualTime()->Unit(benchmark::kMillisecond);

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]).starts_with("--child="))
    return child(argv[1] + 8);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
