//===- updates_test.cpp - compiled updates of what nobody else reads are in place --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/Executor.h"
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <filesystem>

using namespace tenon;
using namespace tenon::test;

namespace {

using Floats = std::vector<float>;

Array put(const Array &x, const Array &indices, const Array &updates, IndexMode mode = IndexMode::drop) {
  return scatter(x, reshape(indices, {-1, 1}), updates, Ints(std::vector<int64_t>()), {0}, {0}, {}, {}, mode);
}

TEST(Updates, WhatNobodyElseReadsIsUpdatedInPlace) {
  auto x = [] { return ones({1000}) * 2.0f; };
  Floats expected(1000, 2);
  expected[7] = 5;
  for (IndexMode mode : {IndexMode::drop, IndexMode::error}) {
    auto f = jit([mode](const Array &x, const Array &i) { return put(x, i, {5.f}, mode); }, {.compile = Compile::now});
    Array given = x();
    const void *data = given.value()->data;
    Array made = f(std::move(given), Array{7});
    EXPECT_EQ(made.value()->data, data);
    EXPECT_EQ(made.to_vector<float>(), expected);
    // Who does not give it away keeps it.
    const Array kept = x();
    EXPECT_EQ(f(kept, Array{7}).to_vector<float>(), expected);
    EXPECT_EQ(kept.to_vector<float>(), Floats(1000, 2));
    // A failure leaves it as it was.
    Array refused = x();
    EXPECT_EQ(messageOf([&] { f(std::move(refused), Array{1000}); }) == "no error", mode == IndexMode::drop);
    if (mode == IndexMode::error) {
      EXPECT_EQ(refused.to_vector<float>(), Floats(1000, 2));
    }
  }
  auto slice = jit([](const Array &x, const Array &i) { return dynamic_update_slice(x, ones({10}) * 5.0f, {i}); },
                   {.compile = Compile::now});
  Array given = x();
  const void *data = given.value()->data;
  EXPECT_EQ(slice(std::move(given), 990).value()->data, data);
}

/// Which carries of the program's only loop are changed in place.
std::vector<bool> updatedCarries(const Lowered &lowered, const rt::View &input) {
  const std::string path = testing::TempDir() + "tenon_updates_test.blob";
  lowered.save_blob(path);
  const auto program = rt::Executable::loadFile("test", path);
  std::filesystem::remove(path);
  std::string error;
  const rt::PlanRef plan = program->plan({&input, 1}, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(plan->bodies[0].regions.size(), 1u);
  std::vector<bool> updated;
  for (const rt::RegionPlan &loop : plan->bodies[0].regions)
    for (size_t i = 0; i < loop.carryBytes.size(); ++i)
      if (loop.carryBytes[i] > 8) // not the round
        updated.push_back(loop.updated[i]);
  return updated;
}

TEST(Updates, ALoopUpdatesItsCarryInPlace) {
  const Array x = zeros({1000});
  const int64_t dims[] = {1000};
  const rt::View input{nullptr, f32, 1, dims, nullptr};
  auto loop = [&](auto body) {
    return updatedCarries(jit([body](const Array &x) { return fori_loop(0, 10, body, x); }).lower(x), input);
  };
  auto set = [](const Array &i, const Array &x) { return put(x, reshape(i, {1}), full({1}, 9.f), IndexMode::error); };
  EXPECT_EQ(loop(set), std::vector<bool>{true});
  // So is what a kernel writes over, before or after.
  EXPECT_EQ(loop([set](const Array &i, const Array &x) { return set(i, x * 2.0f) + 1.0f; }), std::vector<bool>{true});
  // Two updates, one after another, are one place.
  EXPECT_EQ(loop([set](const Array &i, const Array &x) { return set(i + 1, set(i, x)); }), std::vector<bool>{true});
  // What becomes another carry, or is read when it has been written, needs both places.
  auto swapped = jit([&](const Array &x) {
    return fori_loop(
        0, 10, [set](const Array &i, const std::pair<Array, Array> &c) { return std::pair(c.second, set(i, c.first)); },
        std::pair(x, x * 2.0f));
  });
  EXPECT_EQ(updatedCarries(swapped.lower(x), input), (std::vector<bool>{false, false}));
  EXPECT_EQ(loop([set](const Array &i, const Array &x) { return set(i, x) * sum(set(i + 1, x)); }),
            std::vector<bool>{false});
}

} // namespace
