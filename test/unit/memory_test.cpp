//===- memory_test.cpp - the allocator ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "../../runtime/memory/Memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tenon::rt;

namespace {

/// Where a refusal is no part of the test.
void *allocate(size_t bytes) {
  AllocationFailure why;
  void *block = tryAllocate(bytes, &why);
  if (!block) {
    ADD_FAILURE() << why.message();
    std::abort();
  }
  return block;
}

struct Block {
  unsigned char *data;
  size_t bytes;
  unsigned char mark;
};

Block make(size_t bytes, unsigned char mark) {
  auto *data = static_cast<unsigned char *>(allocate(bytes));
  std::memset(data, mark, bytes);
  return {data, bytes, mark};
}

/// Whether the block still holds what make() wrote; then frees it.
bool checkAndFree(const Block &block) {
  bool same = true;
  for (size_t i = 0; i < block.bytes; i += block.bytes < 512 ? 1 : 97)
    same = same && block.data[i] == block.mark;
  deallocate(block.data, block.bytes);
  return same;
}

/// Removes the limit at the end of a test.
struct Limited {
  explicit Limited(size_t bytes) { setMemoryLimit(bytes); }
  ~Limited() { setMemoryLimit(0); }
};

/// Runs the body in a forked child and returns its exit status (-1: a signal).
int inChild(const std::function<bool()> &body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Alive and filled until after main, as a global array may be.
struct Global {
  void *small = nullptr, *large = nullptr;
  ~Global() {
    deallocate(small, 100);
    deallocate(large, 3 << 20);
    deallocate(allocate(5000), 5000);
  }
} global;

} // namespace

TEST(Memory, BlocksAreAlignedAndApart) {
  std::vector<Block> blocks;
  for (size_t bytes :
       {0,    1,     63,    64,    65,    128,   1000,   1024,    1025,          1280,    1281,          4096,
        4224, 32767, 32768, 32769, 36864, 36865, 100000, 1 << 20, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 5 << 20})
    for (int copy = 0; copy < 3; ++copy) {
      blocks.push_back(make(bytes, (unsigned char)(blocks.size() + 1)));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back().data) % 64, 0u) << bytes;
    }
  for (const Block &block : blocks)
    EXPECT_TRUE(checkAndFree(block)) << block.bytes;
}

TEST(Memory, ClassesCoverEverySmallSize) {
  for (size_t bytes = 0; bytes <= detail::kSmallMax; ++bytes) {
    unsigned c = detail::classOf(bytes);
    ASSERT_LT(c, detail::kSmallClasses);
    ASSERT_GE(detail::classSize(c), bytes);
    ASSERT_TRUE(c == 0 || detail::classSize(c - 1) < bytes);
    ASSERT_EQ(detail::classSize(c) % 64, 0u);
  }
}

TEST(Memory, AFreedBlockIsTheNextOne) {
  for (size_t bytes : {128, 4200, 100000, 4 << 20}) {
    void *first = allocate(bytes);
    deallocate(first, bytes);
    void *second = allocate(bytes);
    EXPECT_EQ(first, second) << bytes;
    deallocate(second, bytes);
  }
  uint64_t reuses = memoryStatistics().largeReuses;
  deallocate(allocate(4 << 20), 4 << 20);
  EXPECT_EQ(memoryStatistics().largeReuses, reuses + 1);
}

TEST(Memory, NullIsIgnored) {
  size_t blocks = memoryStatistics().blocksInUse;
  deallocate(nullptr, 10);
  deallocate(nullptr, 1 << 20);
  EXPECT_EQ(memoryStatistics().blocksInUse, blocks);
}

TEST(Memory, StatisticsCountBlocksAndBytes) {
  MemoryStatistics before = memoryStatistics();
  void *small = allocate(100), *large = allocate(1 << 20);
  MemoryStatistics held = memoryStatistics();
  EXPECT_EQ(held.blocksInUse, before.blocksInUse + 2);
  EXPECT_EQ(held.bytesInUse, before.bytesInUse + 128 + (1 << 20));
  EXPECT_EQ(held.largeAllocations, before.largeAllocations + 1);
  EXPECT_GE(held.peakBytes, held.bytesCommitted);
  deallocate(small, 100);
  deallocate(large, 1 << 20);
  MemoryStatistics after = memoryStatistics();
  EXPECT_EQ(after.blocksInUse, before.blocksInUse);
  EXPECT_EQ(after.bytesInUse, before.bytesInUse);
  EXPECT_GE(after.bytesCached, size_t(1) << 20);
  EXPECT_EQ(after.peakBytes, held.peakBytes);
  trimMemory();
  EXPECT_EQ(memoryStatistics().bytesCached, 0u);
}

TEST(Memory, ManyLiveBlocksOverflowAThreadsListAndComeBack) {
  size_t before = memoryStatistics().blocksInUse;
  size_t committed = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<Block> blocks;
    for (int i = 0; i < 20000; ++i)
      blocks.push_back(make(64 + size_t(i % 7) * 64, (unsigned char)i));
    EXPECT_EQ(memoryStatistics().blocksInUse, before + 20000);
    for (const Block &block : blocks)
      ASSERT_TRUE(checkAndFree(block));
    EXPECT_EQ(memoryStatistics().blocksInUse, before);
    if (round == 0)
      committed = memoryStatistics().bytesCommitted;
  }
  EXPECT_EQ(memoryStatistics().bytesCommitted, committed);
}

TEST(Memory, LimitRefusesAndSaysWhy) {
  trimMemory();
  size_t base = memoryStatistics().bytesCommitted;
  Limited limited(base + (8 << 20));
  void *half = tryAllocate(5 << 20);
  ASSERT_NE(half, nullptr);
  AllocationFailure why;
  EXPECT_EQ(tryAllocate(5 << 20, &why), nullptr);
  EXPECT_EQ(why.reason, AllocationFailure::Limit);
  EXPECT_EQ(why.wanted, size_t(5) << 20);
  EXPECT_EQ(why.inUse, base + (5 << 20));
  EXPECT_EQ(why.limit, base + (8 << 20));
  EXPECT_EQ(why.message(), "memory limit reached: expected at most " + std::to_string(why.limit) +
                               " bytes in use, got " + std::to_string(why.inUse) + " in use and 5242880 more wanted");
  deallocate(half, 5 << 20);
  // What waits in the cache gives way: another size, which cannot reuse it.
  void *other = tryAllocate(7 << 20, &why);
  EXPECT_NE(other, nullptr) << why.message();
  EXPECT_EQ(memoryStatistics().bytesCached, 0u);
  deallocate(other, 7 << 20);
}

TEST(Memory, LimitHoldsForSmallBlocksToo) {
  size_t base = memoryStatistics().bytesCommitted;
  Limited limited(base + (1 << 20));
  std::vector<void *> blocks;
  AllocationFailure why;
  while (void *block = tryAllocate(20000, &why)) {
    blocks.push_back(block);
    ASSERT_LT(blocks.size(), 100000u);
  }
  EXPECT_EQ(why.reason, AllocationFailure::Limit);
  EXPECT_EQ(why.wanted, 20000u);
  EXPECT_LE(memoryStatistics().bytesCommitted, base + (1 << 20));
  EXPECT_GE(blocks.size(), (1u << 20) / 20480 * 9 / 10);
  for (void *block : blocks)
    deallocate(block, 20000);
}

TEST(Memory, WhatIsFreedAboveTheLimitGoesBack) {
  trimMemory();
  const size_t base = memoryStatistics().bytesCommitted;
  void *block = allocate(8 << 20);
  Limited limited(base + (4 << 20)); // while more than that is in use
  deallocate(block, 8 << 20);
  EXPECT_LE(memoryStatistics().bytesCached, size_t(4) << 20);
}

TEST(Memory, TheLongestWaitingGoesBackFirst) {
  trimMemory();
  const size_t base = memoryStatistics().bytesCommitted;
  void *older = allocate(2 << 20), *newer = allocate(3 << 20);
  deallocate(older, 2 << 20);
  deallocate(newer, 3 << 20);
  EXPECT_EQ(memoryStatistics().bytesCached, size_t(5) << 20);
  Limited limited(base + (4 << 20));
  void *block = allocate(1 << 20); // leaves room for the newer one
  EXPECT_EQ(memoryStatistics().bytesCached, size_t(3) << 20);
  deallocate(block, 1 << 20);
}

TEST(Memory, SizesBeyondAnyMachineAreRefused) {
  AllocationFailure why;
  EXPECT_EQ(tryAllocate(addSizes(SIZE_MAX - 10, 64), &why), nullptr);
  EXPECT_EQ(why.reason, AllocationFailure::TooLarge);
  EXPECT_EQ(why.message(), "out of memory: expected a size below 2^46 bytes, got one that does not fit 64 bits");
  EXPECT_EQ(tryAllocate(multiplySizes(size_t(1) << 40, size_t(1) << 30), &why), nullptr);
  EXPECT_EQ(tryAllocate((size_t(1) << 46) + 1, &why), nullptr);
  EXPECT_EQ(why.message(), "out of memory: expected a size below 2^46 bytes, got 70368744177665");
  EXPECT_EQ(addSizes(3, 4), 7u);
  EXPECT_EQ(multiplySizes(3, 4), 12u);
  EXPECT_EQ(multiplySizes(0, SIZE_MAX), 0u);
}

TEST(Memory, ARefusalOfTheSystemIsReported) {
  AllocationFailure why;
  size_t before = memoryStatistics().bytesInUse;
  void *block = tryAllocate(size_t(1) << 45, &why); // 32 TiB
  if (block) {
    deallocate(block, size_t(1) << 45);
    trimMemory();
    GTEST_SKIP() << "this system overcommits without bound";
  }
  EXPECT_EQ(why.reason, AllocationFailure::System);
  EXPECT_EQ(why.message(),
            "out of memory: the system refused 35184372088832 bytes, with " + std::to_string(why.inUse) + " in use");
  EXPECT_EQ(memoryStatistics().bytesInUse, before);
}

TEST(Memory, LimitTexts) {
  size_t bytes = 7;
  for (const char *bad :
       {"", "K", "12Q", "-1", "1.5G", "0", "0M", " 5", "5 M", "5MB", "99999999999999999999", "99999999999999G"})
    EXPECT_FALSE(parseByteSize(bad, bytes)) << bad;
  EXPECT_EQ(bytes, 7u);
  EXPECT_TRUE(parseByteSize("4096", bytes));
  EXPECT_EQ(bytes, 4096u);
  EXPECT_TRUE(parseByteSize("3K", bytes));
  EXPECT_EQ(bytes, 3072u);
  EXPECT_TRUE(parseByteSize("512m", bytes));
  EXPECT_EQ(bytes, size_t(512) << 20);
  EXPECT_TRUE(parseByteSize("2G", bytes));
  EXPECT_EQ(bytes, size_t(2) << 30);
}

/// Runs this program anew for one test, with TENON_MEMORY_LIMIT set.
static int withLimitVariable(const char *value, const char *test) {
  pid_t child = fork();
  if (child == 0) {
    setenv("TENON_MEMORY_LIMIT", value, 1);
    setenv("TENON_MEMORY_TEST_CHILD", "1", 1);
    std::string filter = std::string("--gtest_filter=") + test;
    execl("/proc/self/exe", "memory_test", filter.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MemoryVariable, BadText) {
  if (!std::getenv("TENON_MEMORY_TEST_CHILD")) {
    EXPECT_EQ(withLimitVariable("12Q", "MemoryVariable.BadText"), 0);
    return;
  }
  for (size_t bytes : {100, 1 << 20}) {
    AllocationFailure why;
    EXPECT_EQ(tryAllocate(bytes, &why), nullptr);
    EXPECT_EQ(why.reason, AllocationFailure::BadLimit);
    EXPECT_EQ(why.message(), "TENON_MEMORY_LIMIT: expected a positive number of bytes with an optional suffix K, M or "
                             "G, got \"12Q\"");
  }
  setMemoryLimit(0); // the global frees and allocates after main
}

TEST(MemoryVariable, Limit) {
  if (!std::getenv("TENON_MEMORY_TEST_CHILD")) {
    EXPECT_EQ(withLimitVariable("2M", "MemoryVariable.Limit"), 0);
    return;
  }
  AllocationFailure why;
  EXPECT_EQ(tryAllocate(3 << 20, &why), nullptr);
  EXPECT_EQ(why.limit, size_t(2) << 20);
  void *block = tryAllocate(1 << 20, &why);
  EXPECT_NE(block, nullptr);
  deallocate(block, 1 << 20);
}

TEST(MemoryThreads, AThreadsBlocksAreFreeAfterItsExit) {
  size_t before = memoryStatistics().blocksInUse, committed = 0;
  for (int round = 0; round < 20; ++round) {
    std::thread([] {
      std::vector<Block> blocks;
      for (int i = 0; i < 3000; ++i)
        blocks.push_back(make(256, (unsigned char)i));
      for (const Block &block : blocks)
        EXPECT_TRUE(checkAndFree(block));
    }).join();
    EXPECT_EQ(memoryStatistics().blocksInUse, before);
    if (round == 0)
      committed = memoryStatistics().bytesCommitted;
  }
  EXPECT_EQ(memoryStatistics().bytesCommitted, committed);
}

TEST(MemoryThreads, BlocksFreedByAnotherThreadAreReused) {
  size_t before = memoryStatistics().blocksInUse, committed = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<Block> blocks;
    for (int i = 0; i < 5000; ++i)
      blocks.push_back(make(i % 2 ? 128 : 700, (unsigned char)i));
    std::thread([&] {
      for (const Block &block : blocks)
        EXPECT_TRUE(checkAndFree(block));
    }).join();
    EXPECT_EQ(memoryStatistics().blocksInUse, before);
    if (round == 0)
      committed = memoryStatistics().bytesCommitted;
  }
  EXPECT_EQ(memoryStatistics().bytesCommitted, committed);
}

// A thread_local of the user may hold an array; its destructor, and that of a
// pthread key made after ours, run when the thread's lists may be gone.
static thread_local struct Late {
  Block block{nullptr, 0, 0};
  ~Late() { EXPECT_TRUE(!block.data || checkAndFree(block)); }
} late;

TEST(MemoryThreads, DestructorsOfAThreadMayFree) {
  deallocate(allocate(64), 64);
  static pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void *p) {
                                 deallocate(p, 192);
                                 deallocate(allocate(192), 192);
                                 deallocate(allocate(1 << 20), 1 << 20);
                               }),
            0);
  size_t before = memoryStatistics().blocksInUse;
  for (int round = 0; round < 10; ++round)
    std::thread([] {
      late.block = make(192, 3);
      pthread_setspecific(key, allocate(192));
    }).join();
  EXPECT_EQ(memoryStatistics().blocksInUse, before);
  pthread_key_delete(key);
}

TEST(MemoryThreads, Stress) {
  constexpr int kThreads = 4, kRounds = 20000;
  size_t before = memoryStatistics().blocksInUse;
  struct Mailbox {
    std::mutex mutex;
    std::vector<Block> blocks;
  } mailboxes[kThreads];
  std::atomic<int> bad{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      std::vector<Block> own;
      for (int round = 0; round < kRounds; ++round) {
        unsigned kind = random() % 100;
        size_t bytes = kind < 90 ? random() % 2000 : kind < 98 ? random() % 40000 : random() % 400000;
        own.push_back(make(bytes, (unsigned char)random()));
        std::swap(own.back(), own[random() % own.size()]);
        if (random() % 4 == 0) {
          Mailbox &to = mailboxes[random() % kThreads];
          std::lock_guard lock(to.mutex);
          to.blocks.push_back(own.back());
          own.pop_back();
        }
        while (own.size() > 200) {
          bad += !checkAndFree(own.back());
          own.pop_back();
        }
        if (round % 64 == 0) {
          std::vector<Block> got;
          {
            std::lock_guard lock(mailboxes[t].mutex);
            got.swap(mailboxes[t].blocks);
          }
          for (const Block &block : got)
            bad += !checkAndFree(block);
        }
        if (round % 5000 == 0) {
          trimMemory();
          bad += memoryStatistics().blocksInUse < own.size();
        }
      }
      for (const Block &block : own)
        bad += !checkAndFree(block);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (Mailbox &box : mailboxes)
    for (const Block &block : box.blocks)
      bad += !checkAndFree(block);
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(memoryStatistics().blocksInUse, before);
}

TEST(MemoryFork, TheChildAllocatesWhileOthersWereAtIt) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        std::vector<Block> blocks;
        for (int i = 0; i < 500; ++i)
          blocks.push_back(make(i % 50 == 0 ? 50000 : 128, 1));
        for (const Block &block : blocks)
          checkAndFree(block);
      }
    });
  Block shared = make(200, 9);
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(inChild([&] {
                bool good = shared.data[100] == 9;
                deallocate(shared.data, shared.bytes);
                std::vector<Block> blocks;
                for (int i = 0; i < 2000; ++i)
                  blocks.push_back(make(i % 100 == 0 ? 60000 : 128, (unsigned char)i));
                for (const Block &block : blocks)
                  good = checkAndFree(block) && good;
                return good && memoryStatistics().blocksInUse < (1u << 20);
              }),
              0);
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(checkAndFree(shared));
}

TEST(MemoryFork, TheChildCountsNoneOfTheBlocksOfOtherThreadsLists) {
  std::atomic<int> step{0};
  std::thread other([&] {
    std::vector<void *> blocks;
    for (int i = 0; i < 20; ++i)
      blocks.push_back(allocate(1000));
    for (void *block : blocks)
      deallocate(block, 1000);
    for (step = 1; step == 1;)
      std::this_thread::yield();
  });
  while (step == 0)
    std::this_thread::yield();
  const MemoryStatistics here = memoryStatistics();
  EXPECT_EQ(inChild([&] {
              MemoryStatistics there = memoryStatistics();
              return there.blocksInUse == here.blocksInUse && there.bytesInUse == here.bytesInUse;
            }),
            0);
  step = 2;
  other.join();
}

TEST(MemoryExit, AGlobalMayBeFreedAfterMain) {
  // The destructor runs after main; the process's exit status is the check.
  if (!global.small) {
    global.small = allocate(100);
    global.large = allocate(3 << 20);
  }
  EXPECT_NE(global.large, nullptr);
}

#if defined(TENON_ASAN)
TEST(MemoryAsan, UseOfAFreedOrForeignByteIsSeen) {
  for (size_t bytes : {100, 5000, 100000, 4 << 20}) {
    auto *block = static_cast<volatile char *>(allocate(bytes));
    EXPECT_FALSE(__asan_address_is_poisoned(&block[bytes - 1]));
    EXPECT_TRUE(__asan_address_is_poisoned(&block[bytes + 3])) << bytes;
    deallocate(const_cast<char *>(block), bytes);
    EXPECT_TRUE(__asan_address_is_poisoned(&block[0])) << bytes;
    EXPECT_TRUE(__asan_address_is_poisoned(&block[bytes / 2])) << bytes;
    EXPECT_DEATH(block[8] = 1, "use-after-poison") << bytes;
  }
}
#endif
