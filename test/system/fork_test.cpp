//===- fork_test.cpp - children of a process with busy threads -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads call jitted functions at sizes that are new each time, so that some
// thread is always tracing, compiling, planning, loading or allocating while the
// process is forked; each child then does all of it itself. A child that waits
// for a thread it does not have is ended by its alarm.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenon;

namespace {

/// Does it at sizes from `first` on; false if a number is wrong.
using Work = std::function<bool(int first)>;

bool allEqual(const Array &array, float expected) {
  for (float value : array.to_vector<float>())
    if (value != expected)
      return false;
  return true;
}

/// Forks while two threads do `work` and their own; the children do it too.
void forkDuring(const Work &work, int children) {
  std::atomic<bool> stop = false;
  std::atomic<int> size = 1, wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!stop)
        wrong += !work(size += 7);
    });
  for (int i = 0; i < children; ++i) {
    usleep(1500);
    pid_t child = fork();
    if (child == 0) {
      alarm(100);
      bool right = work(100000 + 50 * i) && work(3);
      _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace

// First: the first forks are made while the compiler is loaded.
TEST(Fork, WhileProgramsAreCompiled) {
  auto f = jit([](const Array &x) { return exp(x) * 3.0f; });
  forkDuring([&](int first) { return allEqual(f(zeros({first})), 3.0f); }, 20);
}

TEST(Fork, WhileSizesOfASymbolArePlanned) {
  auto f = jit([](const Array &x) { return sum(x + 1.0f, 1); }, {.specs = {TensorSpec{f32, {"n", 4}}}});
  f(ones({2, 4}));
  forkDuring([&](int first) { return allEqual(f(ones({first, 4})), 8.0f); }, 20);
}

TEST(Fork, WhileProgramsAreInterpreted) {
  auto f = jit([](const Array &x) { return exp(x) * 3.0f; }, {.compile = Compile::never});
  forkDuring([&](int first) { return allEqual(f(zeros({first})), 3.0f); }, 20);
}

TEST(Fork, WhileWorkOfADeviceWaits) {
  auto f = jit([](const Array &x) { return exp(x) * 3.0f; });
  const Array shared = zeros({3}, f32, Device::null) + 1.0f;
  forkDuring(
      [&](int first) {
        const Array x = f(zeros({first % 1000}, f32, Device::null)) + 1.0f;
        return allEqual(shared * 2.0f, 2.0f) && allEqual(x, 4.0f);
      },
      20);
}

TEST(Fork, WhileOpsRun) {
  // Products, names of sizes, threads of the pool, memory of all sizes, errors.
  forkDuring(
      [](int first) {
        int n = 64 + first % 64;
        Dim symbol("size_" + std::to_string(first % 1000));
        bool right = (symbol + 1).str() == "size_" + std::to_string(first % 1000) + " + 1";
        right &= allEqual(matmul(ones({n, n}), ones({n, n})), static_cast<float>(n));
        right &= allEqual(ones({1 << 20}) + 1.0f, 2.0f);
        right &= allEqual(grad([](const Array &x) { return sum(x * x); })(ones({n})), 2.0f);
        try {
          (void)(ones({2}) + ones({3}));
          return false;
        } catch (const Error &) {
        }
        return right;
      },
      20);
}
