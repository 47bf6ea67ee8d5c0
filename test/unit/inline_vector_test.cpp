//===- inline_vector_test.cpp - a vector with inline storage -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that has written into a donor must not throw any more: what it collects
// afterwards stands in vectors that were reserved, and moves without allocating.
//===----------------------------------------------------------------------===//
#include <tenon/detail/inline_vector.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <type_traits>

using tenon::detail::InlineVector;
using Pointers = InlineVector<std::unique_ptr<int>, 2>;

static Pointers filled(int count) {
  Pointers out;
  for (int i = 0; i < count; ++i)
    out.push_back(std::make_unique<int>(i));
  return out;
}

static void expectFilled(const Pointers &got, int count) {
  ASSERT_EQ(got.size(), static_cast<size_t>(count));
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(*got[static_cast<size_t>(i)], i);
}

TEST(InlineVector, WhatIsReservedStaysInItsPlace) {
  for (size_t reserved : {0u, 1u, 2u, 3u, 7u}) {
    Pointers vector;
    vector.reserve(reserved);
    const auto *place = vector.begin();
    for (size_t i = 0; i < std::max<size_t>(reserved, 2); ++i)
      vector.push_back(nullptr);
    EXPECT_EQ(vector.begin(), place) << reserved;
  }
}

TEST(InlineVector, ReservingKeepsTheElements) {
  Pointers vector = filled(5);
  vector.reserve(3);
  expectFilled(vector, 5);
  vector.reserve(40);
  expectFilled(vector, 5);
}

TEST(InlineVector, MovesWithoutAllocating) {
  static_assert(std::is_nothrow_move_constructible_v<Pointers> && std::is_nothrow_move_assignable_v<Pointers>);
  for (int count : {0, 1, 2, 3, 9}) {
    Pointers from = filled(count);
    const auto *place = from.begin();
    Pointers to = std::move(from);
    expectFilled(to, count);
    if (count > 2) {
      EXPECT_EQ(to.begin(), place);
    }
    EXPECT_TRUE(from.empty());
    from.push_back(std::make_unique<int>(0));
    expectFilled(from, 1);
    to = filled(4); // over elements, and over memory of its own
    expectFilled(to, 4);
    to = std::move(from);
    expectFilled(to, 1);
  }
}
