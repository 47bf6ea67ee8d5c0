//===- switch_test.cpp - switch_case -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/EagerRegions.h"
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using testing::HasSubstr;

namespace {

using Floats = std::vector<float>;

Array negated(const Array &x) { return -x; }
Array squared(const Array &x) { return x * x; }
Array choose(const Array &index, const Array &x) {
  return switch_case(index, negated, squared, [](const Array &y) { return y + 10.0f; }, x);
}

struct Expected {
  int64_t index;
  float of3;
};
const Expected all[] = {{INT64_MIN, -3}, {-1, -3}, {0, -3}, {1, 9}, {2, 13}, {3, 13}, {INT64_MAX, 13}};

TEST(SwitchCase, TheNearestBranchRuns) {
  auto compiled = jit(choose);
  for (auto [index, expected] : all) {
    EXPECT_EQ(choose(Array(index), 3.0f).item<float>(), expected) << index;
    EXPECT_EQ(compiled(Array(index), Array(3.0f)).item<float>(), expected) << index;
    EXPECT_EQ(
        switch_case(index, negated, squared, [](const Array &y) { return y + 10.0f; }, 3.0f).item<float>(), expected);
    detail::InterpretRegions interpret;
    EXPECT_EQ(choose(Array(index), 3.0f).item<float>(), expected) << index;
  }
  EXPECT_EQ(choose(Array(int32_t(1)), 3.0f).item<float>(), 9);
  EXPECT_EQ(switch_case(Array(5), squared, 3.0f).item<float>(), 9) << "one branch alone";
}

TEST(SwitchCase, TreesFunctorsAndCaptures) {
  struct Scale {
    Array by;
    Array operator()(const Array &x) const { return x * by; }
  };
  struct Both {
    Array a;
    std::vector<Array> rest;
  };
  // A functor that is a tree is a branch before the operands and an operand behind.
  const Scale twice{2.0f}, thrice{3.0f};
  EXPECT_EQ(switch_case(1, twice, thrice, 5.0f).item<float>(), 15);
  auto apply = [](const Scale &scale, const Array &x) { return scale(x); };
  EXPECT_EQ(switch_case(0, apply, apply, thrice, 5.0f).item<float>(), 15);
  Array captured = 7.0f;
  for (int i : {0, 1, 2}) {
    Both made = switch_case(
        i, [&](const Both &x) { return Both{captured, {x.a}}; }, [](const Both &x) { return Both{x.rest[0], {x.a}}; },
        [&](const Both &x) { return Both{x.a + captured, {captured}}; }, Both{1.0f, {2.0f}});
    EXPECT_EQ(made.a.item<float>(), (Floats{7, 2, 8})[size_t(i)]);
    EXPECT_EQ(made.rest[0].item<float>(), (Floats{1, 1, 7})[size_t(i)]);
  }
  EXPECT_EQ(switch_case(1, [] { return Array(1.0f); }, [&] { return captured; }).item<float>(), 7);
}

TEST(SwitchCase, IsDifferentiatedThroughTheBranchThatRan) {
  auto slope = [](const Array &index) { return grad([&](const Array &x) { return choose(index, x); }); };
  for (auto [index, expected] : {std::pair<int64_t, float>{-4, -1}, {1, 6}, {2, 1}, {9, 1}}) {
    EXPECT_EQ(slope(Array(index))(3.0f).item<float>(), expected) << index;
    EXPECT_EQ(jit(slope(Array(index)))(Array(3.0f)).item<float>(), expected) << index;
  }
  EXPECT_EQ(grad([](const Array &x) { return grad([](const Array &y) { return choose(Array(1), y); })(x); })(3.0f)
                .item<float>(),
            2);
}

TEST(SwitchCase, UnderVmapOneIndexRunsOneBranchAndManyChoose) {
  Array xs{1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
  for (bool isJit : {false, true}) {
    auto one = [](const Array &i, const Array &x) { return vmap(choose, {.in_axes = {none, 0}})(i, x); };
    auto many = [](const Array &i, const Array &x) { return vmap(choose)(i, x); };
    Array i = Array(1), is{-5, 0, 1, 2, 7};
    Floats squares{1, 4, 9, 16, 25}, mixed{-1, -2, 9, 14, 15};
    EXPECT_EQ((isJit ? jit(one)(i, xs) : one(i, xs)).to_vector<float>(), squares);
    EXPECT_EQ((isJit ? jit(many)(is, xs) : many(is, xs)).to_vector<float>(), mixed);
  }
  // What runs them all is called what it was.
  auto many = [](const Array &i, const Array &x) { return vmap(choose)(i, x); };
  EXPECT_THAT(jit(many).lower(Array{0, 1}, Array{1.0f, 2.0f}).trace(), HasSubstr(" body \"switch_case\"("));
  // What differs between the examples in one branch does in all of them.
  for (int i : {0, 1, 2}) {
    Array got = vmap([&](const Array &x) {
      return switch_case(i, [] { return Array(7.0f); }, [&] { return x * 2.0f; }, [] { return Array(8.0f); });
    })(Array{1.0f, -3.0f});
    EXPECT_EQ(got.to_vector<float>(), (std::vector<Floats>{{7, 7}, {2, -6}, {8, 8}})[size_t(i)]);
  }
}

TEST(SwitchCase, UnderEagerScopeOneBranchRunsAsCpp) {
  EagerScope plain;
  int ran = 0;
  auto counted = [&](float by) {
    return [&ran, by](const Array &x) {
      ++ran;
      return x * by;
    };
  };
  for (auto [index, expected] : {std::pair<int64_t, float>{-1, 2}, {1, 4}, {5, 6}}) {
    ran = 0;
    EXPECT_EQ(switch_case(index, counted(1), counted(2), counted(3), 2.0f).item<float>(), expected);
    EXPECT_EQ(ran, 1);
  }
}

TEST(SwitchCase, SaysWhatIsWrong) {
  using test::errorOf;
  std::string text = errorOf([] { switch_case(Array{1, 2}, negated, squared, 1.0f); });
  EXPECT_THAT(text, HasSubstr("switch_case: expected a rank-0 i32 or i64 as index, got i32[2]"));
  EXPECT_THAT(text, HasSubstr("switch_test.cpp:"));
  EXPECT_THAT(errorOf([] { switch_case(Array(uint8_t(1)), negated, squared, 1.0f); }),
              HasSubstr("switch_case: expected a rank-0 i32 or i64 as index, got u8[]"));
  EXPECT_THAT(errorOf([] { switch_case(Array(), negated, squared, 1.0f); }),
              HasSubstr("switch_case: expected a rank-0 i32 or i64 as index, got an empty Array"));
  EXPECT_THAT(errorOf([] { switch_case(true, negated, squared, 1.0f); }),
              HasSubstr("switch_case: expected a rank-0 i32 or i64 as index, got bool[]"));
  EXPECT_THAT(errorOf([] {
                using List = std::vector<Array>;
                switch_case(
                    0, [](const Array &x) { return List{x, x}; }, [](const Array &x) { return List{x, x}; },
                    [](const Array &x) { return List{x, astype(x, f64)}; }, 1.0f);
              }),
              HasSubstr("got f32[] from branch 0 and f64[] from branch 2 for the result [1]"));
}

} // namespace
