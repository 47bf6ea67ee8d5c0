//===- map_test.cpp - map: batches in chunks, result types ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using tenon::test::errorOf;
using testing::HasSubstr;

namespace {

struct Example {
  Array x, y;
};

/// Of one example; of arrays of another rank it would be an Error.
std::pair<Array, Example> one(const Example &e) { return {matmul(e.x, e.x), Example{e.x * e.y, sum(e.x)}}; }

TEST(Map, IsThatOfEachExample) {
  for (int64_t count : {0, 1, 3, 4, 5, 8, 9}) {
    const Example examples{random::normal(random::key(1), {count, 3}), random::normal(random::key(2), {count})};
    const auto [squares, others] = vmap(one)(examples);
    for (std::optional<int64_t> batch : {std::optional<int64_t>(), {1}, {4}, {100}}) {
      auto mapped = [&](const Example &e) { return map(one, e, {.batch = batch}); };
      for (bool compiled : {false, true}) {
        const auto [s, o] = compiled ? jit(mapped)(examples) : mapped(examples);
        EXPECT_TRUE(array_equal(s, squares).item<bool>()) << count;
        EXPECT_TRUE(array_equal(o.x, others.x).item<bool>()) << count;
        EXPECT_TRUE(array_equal(o.y, others.y).item<bool>()) << count;
      }
      auto total = [&](const Example &e) {
        auto [s, o] = map(one, e, {.batch = batch});
        return sum(s) + sum(o.x);
      };
      auto whole = [&](const Example &e) {
        auto [s, o] = vmap(one)(e);
        return sum(s) + sum(o.x);
      };
      EXPECT_TRUE(allclose(grad(total)(examples).x, grad(whole)(examples).x).item<bool>()) << count;
    }
  }
}

TEST(Map, TakesKeysAndSeesBatchesAlone) {
  auto draw = [](const Key &key) { return random::normal(key, {2}); };
  const std::vector<Key> keys = random::split(random::key(5), 5);
  Key all = keys[0];
  std::vector<Array> data;
  for (const Key &key : keys)
    data.push_back(key.data);
  all.data = stack(data);
  EXPECT_TRUE(array_equal(map(draw, all, {.batch = 2}), vmap(draw)(all)).item<bool>());
  // The scan runs over (2, 3) and the rest over (1, 3) at once: no program is of all seven.
  auto f = [](const Array &x) { return map([](const Array &row) { return sort(row); }, x, {.batch = 3}); };
  const std::string trace = jit(f).lower(zeros({7, 2})).trace();
  EXPECT_THAT(trace, HasSubstr("f32[2, 3, 2]"));
  EXPECT_THAT(trace, HasSubstr("scan"));
}

TEST(Map, RefusesWhatHasNoExamples) {
  auto f = [](const Example &e) { return e.x; };
  EXPECT_THAT(errorOf([&] { map(f, Example{zeros({3}), zeros({4})}); }),
              HasSubstr("map: expected arrays with as many examples each, got 3 in the array x and 4 in the array y"));
  EXPECT_THAT(errorOf([&] { map(f, Example{zeros({3}), Array(1.0f)}); }),
              HasSubstr("map: expected arrays with examples along axis 0, got f32[] as the array y"));
  EXPECT_THAT(errorOf([&] { map(f, Example{zeros({3}), Array()}); }), HasSubstr("got an empty Array as the array y"));
  EXPECT_THAT(errorOf([&] { map([](const std::vector<Array> &) { return Array(1.0f); }, std::vector<Array>()); }),
              HasSubstr("map: expected at least one array with examples, got none"));
  const Array x = zeros({3});
  auto same = [](const Array &x) { return x; };
  EXPECT_THAT(errorOf([&] { map(same, x, {.batch = 0}); }), HasSubstr("map: expected a batch of at least 1, got 0"));
  EXPECT_THAT(errorOf([&] { map(same, x, {.batch = 0}); }), HasSubstr("map_test.cpp:"));
  auto symbolic = jit([&](const Array &x) { return map(same, x, {.batch = 2}); }, {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_THAT(errorOf([&] { symbolic(x); }), HasSubstr("map: expected a known number of examples for a batch, got n"));
  auto oneByOne = jit([&](const Array &x) { return map(same, x); }, {.specs = {TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(oneByOne(x).shape(), Shape({3}));
}

TEST(EvalShape, IsTheTypesOfResults) {
  int runs = 0;
  auto f = [&](const Array &x, const Example &e) {
    ++runs;
    return std::pair(matmul(x, e.x), Example{astype(sum(x, {0}), f16), e.y});
  };
  const Example e{zeros({4, 5}), Array(3)};
  const auto [product, rest] = eval_shape(f, TensorSpec{f32, {"batch", 4}}, e);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(product.shape().str(), "(batch, 5)");
  EXPECT_EQ(product.dtype(), f32);
  EXPECT_EQ(rest.x.dtype(), f16);
  EXPECT_EQ(rest.x.shape(), Shape({4}));
  EXPECT_EQ(rest.y.dtype(), i32);
  EXPECT_THAT(errorOf([&] { (void)product.to_vector<float>(); }), HasSubstr("a value of the eval_shape of "));
  EXPECT_THAT(errorOf([&] { (void)(rest.x + 1.0f); }), HasSubstr("was used outside of it"));
  // Nothing runs, however large it is.
  auto large = [](const Array &x) { return matmul(x, x); };
  EXPECT_EQ(eval_shape(jit(large), TensorSpec{f64, {1 << 20, 1 << 20}}).shape(), Shape({1 << 20, 1 << 20}));
  EXPECT_EQ(eval_shape(grad([](const Array &x) { return sum(x * x); }), TensorSpec{f32, {7}}).shape(), Shape({7}));
  EXPECT_EQ(eval_shape([](const Array &x, float scale) { return x * scale; }, TensorSpec{bf16, {2}}, 2.0f).dtype(),
            bf16);
}

TEST(EvalShape, SaysWhatDoesNotFit) {
  auto f = [](const Array &x, const Array &y) { return matmul(x, y); };
  const std::string text = errorOf([&] { eval_shape(f, TensorSpec{f32, {2, 3}}, TensorSpec{f32, {4, 5}}); });
  EXPECT_THAT(text, HasSubstr("matmul"));
  EXPECT_THAT(text, HasSubstr("f32[2, 3] (arg 0)"));
  EXPECT_THAT(errorOf([&] { eval_shape(f, Array(), zeros({2, 2})); }),
              HasSubstr("eval_shape: expected an array as arg 0, got an empty Array"));
}

} // namespace
