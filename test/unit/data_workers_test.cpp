//===- data_workers_test.cpp - threads of datasets ---------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/data.h>
#include <tenon/generator.h>
#include <tenon/ops.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

/// Threads of this process.
static auto threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

static data::Dataset<Array> augmented(int workers, int64_t count) {
  return data::range(count) | data::shuffle(count / 2 + 1, 1) |
         data::random_map([](const Key &key, int64_t i) { return random::normal(key, {3}) + static_cast<float>(i); }, 2,
                          {.workers = workers});
}

TEST(DataWorkers, GiveTheSameBitsInTheSameOrder) {
  std::vector<Floats> expected;
  for (const Array &x : augmented(0, 200))
    expected.push_back(floats(x));
  for (int workers : {1, 2, 8}) {
    std::vector<Floats> got;
    for (const Array &x : augmented(workers, 200) | data::prefetch(3))
      got.push_back(floats(x));
    EXPECT_EQ(got, expected) << workers;
  }
}

TEST(DataWorkers, KeepTheOrderOfUnequalElements) {
  const auto dataset =
      data::range(100) | data::map(
                             [](int64_t i) {
                               std::this_thread::sleep_for(std::chrono::microseconds(i * 37 % 7 * 100));
                               return i;
                             },
                             {.workers = 4});
  int64_t expected = 0;
  for (int64_t i : dataset)
    EXPECT_EQ(i, expected++);
  EXPECT_EQ(expected, 100);
}

TEST(DataWorkers, GiveEachElementOnceWithoutAnOrder) {
  Longs got;
  for (int64_t i : data::range(300) | data::map([](int64_t i) { return i; }, {.workers = 4, .ordered = false}))
    got.push_back(i);
  std::sort(got.begin(), got.end());
  ASSERT_EQ(got.size(), 300u);
  for (int64_t i = 0; i < 300; ++i)
    EXPECT_EQ(got[static_cast<size_t>(i)], i);
}

TEST(DataWorkers, EndWhenTheLoopIsLeft) {
  const auto endless = data::range(1000) | data::repeat() | data::map([](int64_t i) { return i; }, {.workers = 4}) |
                       data::prefetch(100) | data::map([](int64_t i) { return i; }, {.workers = 2});
  const auto before = threads();
  for (int round = 0; round < 20; ++round) {
    int64_t expected = 0;
    for (int64_t i : endless) {
      ASSERT_EQ(i, expected++ % 1000);
      if (expected == 50)
        break;
    }
  }
  EXPECT_EQ(threads(), before);
}

TEST(DataWorkers, RunAheadByACount) {
  std::atomic<int64_t> computed = 0;
  const auto dataset = data::range(1000) | data::map([&](int64_t i) {
                         ++computed;
                         return i;
                       }) |
                       data::prefetch(8);
  auto cursor = dataset.cursor();
  cursor.next();
  for (int i = 0; i < 1000 && computed < 9; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(computed, 9);
  EXPECT_LE(computed, 11); // those of a block that is handed out as well
}

TEST(DataWorkers, HandOverTheExceptionOfAnElementAtItsPlace) {
  for (int workers : {0, 1, 8}) {
    const auto dataset = data::range(100) |
                         data::map(
                             [](int64_t i) {
                               if (i >= 40)
                                 throw Error("element is bad", Location::current());
                               return i;
                             },
                             {.workers = workers}) |
                         data::prefetch(4);
    int64_t expected = 0;
    const std::string text = errorOf([&] {
      for (int64_t i : dataset)
        EXPECT_EQ(i, expected++);
    });
    EXPECT_EQ(expected, 40);
    EXPECT_THAT(text, HasSubstr("element is bad\n  in data::map at element 40 of epoch 0\n  at "));
    EXPECT_THAT(text, HasSubstr("data_workers_test.cpp"));
  }
}

TEST(DataWorkers, RefuseDrawsFromTheDefaultGenerator) {
  auto noisy = [](int64_t) { return random::default_generator().normal({2}); };
  EXPECT_EQ(errorOf([&] {
              for (const Array &x : data::range(3) | data::map(noisy))
                (void)x;
            }),
            "no error");
  EXPECT_THAT(errorOf([&] {
                for (const Array &x : data::range(3) | data::map(noisy, {.workers = 1}))
                  (void)x;
              }),
              HasSubstr("random::Generator: cannot draw from the default generator in a thread of data::map"));
  EXPECT_THAT(errorOf([&] {
                for (const Array &x : data::range(3) | data::map(noisy) | data::prefetch(1))
                  (void)x;
              }),
              HasSubstr("in a thread of data::prefetch"));
}

TEST(DataWorkers, SeveralThreadsMayReadOneDataset) {
  const auto dataset = augmented(2, 50) | data::cache();
  std::vector<Longs> sizes(4);
  std::vector<std::thread> readers;
  for (Longs &size : sizes)
    readers.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        int64_t count = 0;
        for (const Array &x : dataset)
          count += x.shape()[0].raw();
        size.push_back(count);
      }
    });
  for (std::thread &reader : readers)
    reader.join();
  for (const Longs &size : sizes)
    EXPECT_EQ(size, Longs(3, 150));
}
