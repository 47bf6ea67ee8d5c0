//===- memory_use_test.cpp - memory_in_use, peak_memory, release_cache ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using ::testing::HasSubstr;

TEST(MemoryUse, CountsLivingArraysAndTheirPeak) {
  constexpr size_t bytes = size_t(8) << 20;
  const size_t before = memory_in_use();
  {
    const Array one = zeros({1 << 21}), two = one + 1.0f;
    EXPECT_GE(memory_in_use(), before + 2 * bytes);
    EXPECT_LT(memory_in_use(), before + 3 * bytes);
  }
  EXPECT_EQ(memory_in_use(), before);
  EXPECT_GE(peak_memory(), before + 2 * bytes);
  EXPECT_EQ(memory_in_use(Device::null), before);
  EXPECT_EQ(peak_memory(Device::null), peak_memory());
}

TEST(MemoryUse, GivesTheCacheBack) {
  {
    const Array large = zeros({1 << 21}), away = zeros({1 << 21}, f32, Device::null) + 1.0f;
  }
  EXPECT_GE(rt::memoryStatistics().bytesCached, size_t(8) << 20);
  release_cache();
  EXPECT_EQ(rt::memoryStatistics().bytesCached, 0u);
  EXPECT_EQ(ones({3}).to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

TEST(MemoryUse, IsOfADeviceThatIsThere) {
  const Device none{DeviceKind::cpu, 3};
  for (auto ask :
       {+[](Device device) { return memory_in_use(device); }, +[](Device device) { return peak_memory(device); }})
    try {
      ask(none);
      ADD_FAILURE();
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), HasSubstr(": expected cpu:0 or null:0, got cpu:3"));
    }
}
