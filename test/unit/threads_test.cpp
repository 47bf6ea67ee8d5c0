//===- threads_test.cpp - the thread pool and the machine's size ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "../../runtime/threads/Pool.h"
#include "lib/base/FloatingPoint.h"
#include "lib/base/Fork.h"
#include "runtime/machine/Machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sched.h>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace tenon::rt;

namespace {

/// Sets the pool's size for one test.
struct Threads {
  explicit Threads(int count) { setThreadCount(count); }
  ~Threads() { setThreadCount(0); }
};

using Chunk = std::pair<int64_t, int64_t>;

std::vector<Chunk> chunksOf(int64_t n, int64_t grain) {
  std::mutex mutex;
  std::vector<Chunk> chunks;
  parallelFor(n, grain, [&](int64_t lo, int64_t hi) {
    std::lock_guard lock(mutex);
    chunks.push_back({lo, hi});
  });
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

int64_t sumOf(int64_t n, int64_t grain) {
  std::atomic<int64_t> sum{0};
  parallelFor(n, grain, [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i)
      sum += i;
  });
  return sum;
}

void sleepFor(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

} // namespace

TEST(Pool, ChunksDependOnLengthAndGrainAlone) {
  for (auto [n, grain] : {Chunk{1, 1}, {10, 3}, {9, 3}, {10, 100}, {1000, 7}, {5, 0}, {5, -2}, {64, 64}, {65, 64}}) {
    std::vector<Chunk> expected;
    int64_t step = std::max<int64_t>(grain, 1);
    for (int64_t lo = 0; lo < n; lo += step)
      expected.push_back({lo, std::min(n, lo + step)});
    for (int threads : {1, 2, 3, 8}) {
      Threads set(threads);
      EXPECT_EQ(chunksOf(n, grain), expected) << n << " by " << grain << " on " << threads;
    }
  }
}

TEST(Pool, EmptyRangesRunNothing) {
  EXPECT_TRUE(chunksOf(0, 4).empty());
  EXPECT_TRUE(chunksOf(-5, 4).empty());
}

TEST(Pool, HugeRangesDoNotOverflow) {
  int64_t n = INT64_MAX;
  Threads set(2);
  EXPECT_EQ(chunksOf(n, n - 1), (std::vector<Chunk>{{0, n - 1}, {n - 1, n}}));
  EXPECT_EQ(chunksOf(n, n), (std::vector<Chunk>{{0, n}}));
}

TEST(Pool, SeveralThreadsTakePart) {
  Threads set(3);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<int> inside{0};
  // Each chunk waits until three are inside at once: only three threads can.
  parallelFor(3, 1, [&](int64_t, int64_t) {
    ++inside;
    while (inside < 3)
      std::this_thread::yield();
    std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 3u);
}

TEST(Pool, NoMoreThreadsThanSet) {
  {
    Threads more(6);
    sumOf(1000, 1); // makes five workers
  }
  Threads set(2);
  std::atomic<int> inside{0}, most{0};
  for (int round = 0; round < 50; ++round)
    parallelFor(20, 1, [&](int64_t, int64_t) {
      int now = ++inside;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);)
        ;
      std::this_thread::yield();
      --inside;
    });
  EXPECT_LE(most, 2);
}

TEST(Pool, ManyShortJobs) {
  Threads set(4);
  for (int round = 0; round < 20000; ++round)
    ASSERT_EQ(sumOf(8 + round % 5, 1), (8 + round % 5) * (7 + round % 5) / 2);
}

TEST(Pool, WorkersSleepAndWake) {
  Threads set(4);
  for (int round = 0; round < 30; ++round) {
    sleepFor(round % 3 * 4);
    ASSERT_EQ(sumOf(100, 3), 4950);
  }
}

TEST(Pool, ACallerSleepsThroughALongChunk) {
  Threads set(2);
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> inside{0}, done{0};
    std::thread::id caller = std::this_thread::get_id();
    parallelFor(2, 1, [&](int64_t, int64_t) {
      ++inside;
      while (inside < 2)
        std::this_thread::yield();
      if (std::this_thread::get_id() != caller)
        sleepFor(20);
      ++done;
    });
    EXPECT_EQ(done, 2);
  }
}

TEST(Pool, NestedCallsRunInline) {
  Threads set(4);
  std::atomic<int64_t> sum{0};
  std::atomic<int> moved{0};
  parallelFor(16, 1, [&](int64_t, int64_t) {
    std::thread::id outer = std::this_thread::get_id();
    parallelFor(10, 3, [&](int64_t lo, int64_t hi) {
      moved += std::this_thread::get_id() != outer;
      sum += hi - lo;
    });
  });
  EXPECT_EQ(sum, 160);
  EXPECT_EQ(moved, 0);
}

TEST(Pool, SeveralUserThreadsAtOnce) {
  Threads set(3);
  std::atomic<int> bad{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 4; ++u)
    users.emplace_back([&] {
      for (int round = 0; round < 2000; ++round)
        bad += sumOf(50 + round % 10, 7) != (50 + round % 10) * (49 + round % 10) / 2;
    });
  for (std::thread &user : users)
    user.join();
  EXPECT_EQ(bad, 0);
}

TEST(Pool, TheFirstChunksExceptionArrivesAndAllOthersRun) {
  for (int threads : {1, 4}) {
    Threads set(threads);
    for (int round = 0; round < 200; ++round) {
      std::atomic<int> ran{0};
      try {
        parallelFor(20, 1, [&](int64_t lo, int64_t) {
          ++ran;
          if (lo == 5 || lo == 11 || lo == 19)
            throw std::runtime_error("chunk " + std::to_string(lo));
        });
        ADD_FAILURE() << "expected an exception";
      } catch (const std::runtime_error &error) {
        ASSERT_STREQ(error.what(), "chunk 5");
      }
      ASSERT_EQ(ran, 20);
      ASSERT_EQ(sumOf(10, 1), 45); // the pool still works, and holds no old exception
    }
  }
  EXPECT_THROW(parallelFor(1, 1, [](int64_t, int64_t) { throw 7; }), int);
}

TEST(Pool, CancelLeavesTheRestOut) {
  for (int threads : {1, 3}) {
    Threads set(threads);
    uint32_t cancel = 0;
    std::atomic<int> ran{0};
    bool complete = parallelFor(
        100000, 1,
        [&](int64_t, int64_t) {
          if (++ran == 10)
            __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
        },
        &cancel);
    EXPECT_FALSE(complete);
    EXPECT_LT(ran, 100000);
    EXPECT_FALSE(parallelFor(1, 1, [&](int64_t, int64_t) { ADD_FAILURE(); }, &cancel));
    EXPECT_EQ(sumOf(10, 1), 45);
    cancel = 0;
    EXPECT_TRUE(parallelFor(10, 1, [](int64_t, int64_t) {}, &cancel));
  }
}

TEST(Pool, PlainFunctionForm) {
  Threads set(2);
  std::vector<int> hits(100);
  EXPECT_TRUE(parallelFor(
      100, 9,
      [](void *context, int64_t lo, int64_t hi) {
        for (int64_t i = lo; i < hi; ++i)
          ++static_cast<int *>(context)[i];
      },
      hits.data()));
  EXPECT_EQ(hits, std::vector<int>(100, 1));
}

#if !defined(__SANITIZE_THREAD__) // which does not allow threads after fork
TEST(PoolFork, TheChildMakesItsOwn) {
  Threads set(3);
  ASSERT_EQ(sumOf(100, 1), 4950);
  std::atomic<bool> stop{false};
  std::thread user([&] {
    while (!stop)
      sumOf(100, 1);
  });
  for (int round = 0; round < 20; ++round) {
    pid_t child = fork();
    if (child == 0) {
      std::atomic<int> inside{0};
      parallelFor(3, 1, [&](int64_t, int64_t) {
        ++inside;
        while (inside < 3)
          std::this_thread::yield();
      });
      _exit(sumOf(1000, 1) == 499500 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop = true;
  user.join();
  EXPECT_EQ(sumOf(100, 1), 4950);
}
#endif

/// Locks, and what they guard: two numbers that are equal while a lock is free.
static constinit ForkLock outer(LockOrder::pluginLoad), inner(LockOrder::memory);
static constinit int outerPair[2] = {}, innerPair[2] = {}, childrenSeen = 0;
static constinit ForkLock counting(LockOrder::pool, [] { ++childrenSeen; });
using Own = ForkLocks<LockOrder::plans, 3>;
static int objects[3];

TEST(ForkLock, IsFreeAndWhatItGuardsWholeInTheChild) {
  static SharedForkLock *shared = new SharedForkLock(LockOrder::dims);
  counting.lock();
  counting.unlock();
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      while (!stop) {
        std::lock_guard first(outer);
        ++outerPair[0];
        std::lock_guard own(Own::of(&objects[i]));
        {
          std::shared_lock reads(*shared);
          auto second = i ? std::unique_lock<std::mutex>() : inner.hold();
          if (second)
            ++innerPair[0], ++innerPair[1];
        }
        ++outerPair[1];
      }
    });
  for (int i = 0; i < 200; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      std::lock_guard first(outer);
      for (int k = 0; k < 3; ++k)
        std::lock_guard own(Own::of(&objects[k]));
      std::unique_lock writes(*shared);
      std::lock_guard second(inner);
      bool whole = outerPair[0] == outerPair[1] && innerPair[0] == innerPair[1];
      _exit(whole && childrenSeen == 1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << "fork " << i;
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(childrenSeen, 0);
}

TEST(PoolCount, Texts) {
  EXPECT_EQ(detail::parseThreadCount("1"), 1);
  EXPECT_EQ(detail::parseThreadCount("1024"), 1024);
  for (const char *bad : {"", "0", "-1", "2x", " 2", "1025", "99999999999999999999"})
    EXPECT_EQ(detail::parseThreadCount(bad), 0) << bad;
}

TEST(PoolCount, IsBounded) {
  setThreadCount(1 << 20);
  EXPECT_EQ(threadCount(), detail::kMaxThreads);
  setThreadCount(-3);
  EXPECT_GE(threadCount(), 1);
  setThreadCount(0);
}

TEST(PoolCount, Variable) {
  setThreadCount(0);
  setenv("TENON_NUM_THREADS", "5", 1);
  EXPECT_EQ(threadCount(), 5);
  setThreadCount(0);
  setenv("TENON_NUM_THREADS", "many", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(threadCount(), usableCpus());
  EXPECT_EQ(sumOf(10, 1), 45);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tenon: TENON_NUM_THREADS: expected a number from 1 to 1024, got 'many'\n");
  setThreadCount(0);
  unsetenv("TENON_NUM_THREADS");
  EXPECT_EQ(threadCount(), usableCpus());
}

TEST(Machine, AffinityCounts) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_LE(usableCpus(), CPU_COUNT(&before));
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before))
      CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(usableCpus(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  EXPECT_GT(usableMemory(), size_t(1) << 20);
}

namespace {
/// A made-up /proc/self and control group tree.
class Groups : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/tenon-groups-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    root = name;
  }
  void TearDown() override { std::filesystem::remove_all(root); }
  void write(const std::string &path, const std::string &text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  std::filesystem::path root;
};
} // namespace

TEST_F(Groups, Version2TakesTheLeastOfAllAncestors) {
  write("cgroup", "0::/a/b\n");
  write("mountinfo", "30 24 0:26 / " + root.string() + "/fs rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  write("fs/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(detail::cgroupCpus(root.c_str()), 0);
  write("fs/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(detail::cgroupCpus(root.c_str()), 1.5);
  write("fs/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(detail::cgroupCpus(root.c_str()), 0.5);
  EXPECT_EQ(detail::cgroupMemory(root.c_str()), 0u);
  write("fs/a/memory.max", "1048576\n");
  write("fs/a/b/memory.max", "max\n");
  EXPECT_EQ(detail::cgroupMemory(root.c_str()), 1048576u);
}

TEST_F(Groups, APartOfACpuIsAWholeOne) {
  const int all = detail::usableCpus(root.c_str());
  EXPECT_GE(all, 1);
  write("cgroup", "0::/a\n");
  write("mountinfo", "30 24 0:26 / " + root.string() + "/fs rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  for (auto [quota, cpus] : {std::pair("10000", 1), {"100000", 1}, {"110000", 2}, {"150000", 2}}) {
    write("fs/a/cpu.max", std::string(quota) + " 100000\n");
    EXPECT_EQ(detail::usableCpus(root.c_str()), std::min(cpus, all)) << quota;
  }
}

TEST_F(Groups, Version1FindsTheControllersMount) {
  write("cgroup", "7:memory:/job\n4:cpuacct,cpu:/docker/1234/job\n1:name=systemd:/x\n0::/\n");
  write("mountinfo", "30 24 0:26 / " + root.string() +
                         "/memory rw - cgroup cgroup rw,memory\n31 24 0:27 /docker/1234 " + root.string() +
                         "/cpu rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n");
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(detail::cgroupCpus(root.c_str()), 0);
  write("cpu/job/cpu.cfs_quota_us", "300000\n");
  write("cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(detail::cgroupCpus(root.c_str()), 3);
  write("memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(detail::cgroupMemory(root.c_str()), 0u);
  write("memory/memory.limit_in_bytes", "2097152\n");
  EXPECT_EQ(detail::cgroupMemory(root.c_str()), 2097152u);
}

TEST_F(Groups, MissingOrStrangeFilesMeanNoLimit) {
  EXPECT_EQ(detail::cgroupCpus(root.c_str()), 0);
  write("cgroup", "nonsense\n:\n0::\n0::/a\n");
  write("mountinfo", "x\n1 2 - \n1 2 3 4 5 - cgroup2\n");
  EXPECT_EQ(detail::cgroupCpus(root.c_str()), 0);
  EXPECT_EQ(detail::cgroupMemory(root.c_str()), 0u);
}

TEST(FloatingPoint, DefaultStandsInAScopeAndOnWorkers) {
  const unsigned before = _mm_getcsr();
  // Rounding up, zero for subnormal numbers, division by zero traps.
  const unsigned control = (0x1f80u & ~0x200u) | 0x4000u | 0x8000u | 0x40u;
  _mm_setcsr(control);
  {
    const DefaultFloatingPoint scope;
    EXPECT_EQ(_mm_getcsr() & 0xffc0u, 0x1f80u);
  }
  EXPECT_EQ(_mm_getcsr() & 0xffc0u, control);
  try {
    const DefaultFloatingPoint scope;
    throw std::runtime_error("passes through");
  } catch (const std::runtime_error &) {
  }
  EXPECT_EQ(_mm_getcsr() & 0xffc0u, control);
  // Also on workers that this thread makes now.
  {
    const DefaultFloatingPoint scope;
    _mm_setcsr(control);
    Threads threads(9);
    std::atomic<int> others{0}, strange{0};
    const std::thread::id self = std::this_thread::get_id();
    for (int round = 0; round < 1000 && others == 0; ++round)
      parallelFor(64, 1, [&](int64_t, int64_t) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        if (std::this_thread::get_id() == self)
          return;
        ++others;
        strange += (_mm_getcsr() & 0xffc0u) != 0x1f80u;
      });
    EXPECT_GT(others, 0);
    EXPECT_EQ(strange, 0);
  }
  _mm_setcsr(before);
}
