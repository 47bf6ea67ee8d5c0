//===- random_modes_test.cpp - draws under jit, vmap and grad; generators ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Errors.h"
#include "lib/random/Draw.h"
#include "lib/random/Special.h"
#include "runtime/math/Threefry.h"

#include <tenon/tenon.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <numbers>
#include <set>
#include <thread>

using namespace tenon;
using testing::HasSubstr;

/// Each function of random.h, with parameters that are arrays where it takes some.
static std::vector<Array> drawEverything(const Key &key, const Array &a) {
  using namespace random;
  std::vector<Key> keys = split(key, 40);
  auto next = [&] {
    Key one = keys.back();
    keys.pop_back();
    return one;
  };
  std::vector<Array> all = {fold_in(next(), astype(a, i32)).data, fold_in(next(), 7).data};
  for (Dtype dtype : {u8, u16, u32, u64})
    all.push_back(bits(key, {3, 5}, dtype));
  for (Dtype dtype : {bf16, f16, f32, f64}) {
    all.push_back(uniform(key, {7}, dtype, -2.3, 4.9));
    all.push_back(uniform(key, {7}, dtype, a - 5, a));
    all.push_back(normal(key, {7}, dtype));
    all.push_back(truncated_normal(key, -a, 0.5, {7}, dtype));
    all.push_back(gamma(key, a, {6}, dtype));
  }
  for (auto draw : {exponential, gumbel, laplace, logistic, cauchy})
    all.push_back(draw(next(), {5}, f32, Location::current()));
  all.push_back(rayleigh(next(), a, {5}));
  all.push_back(pareto(next(), a, {5}));
  all.push_back(weibull_min(next(), a, 2, {5}));
  all.push_back(weibull(next(), a, {5}));
  all.push_back(triangular(next(), -1, a / 10, a, {5}));
  all.push_back(lognormal(next(), a / 4, {5}));
  all.push_back(bernoulli(next(), a / 10, {9}));
  all.push_back(rademacher(next(), {9}));
  all.push_back(randint(next(), {9}, -3, 1000));
  all.push_back(randint(next(), {9}, astype(a, i32), 1000, i64));
  all.push_back(geometric(next(), a / 10, {9}));
  all.push_back(categorical(next(), log(a + arange(4.0)), -1, {6}));
  all.push_back(categorical(next(), a * arange(4.0), -1, {3}, false));
  all.push_back(permutation(next(), 11));
  all.push_back(permutation(next(), a + reshape(arange(6.0), {3, 2}), 0));
  all.push_back(shuffle(next(), a + reshape(arange(6.0), {3, 2}), 1));
  all.push_back(choice(next(), 9, {4}));
  all.push_back(choice(next(), 9, {4}, false));
  all.push_back(choice(next(), arange(5.0), {4}, true, a + arange(5.0)));
  all.push_back(choice(next(), arange(5.0), {4}, false, a + arange(5.0)));
  all.push_back(loggamma(next(), a / 50, {5}));
  all.push_back(beta(next(), a, 0.5, {5}));
  all.push_back(dirichlet(next(), a + arange(3.0), {4}));
  all.push_back(t(next(), a, {5}));
  all.push_back(chisquare(next(), a, {5}));
  all.push_back(ball(next(), 3, 1.5, {4}));
  all.push_back(poisson(next(), a, {9}));
  all.push_back(poisson(next(), a * 20, {9}));
  all.push_back(binomial(next(), 10, a / 10, {9}));
  all.push_back(binomial(next(), a * 100, 0.25, {9}));
  all.push_back(multinomial(next(), 30, stack({a, a + 1, 2 * a}), {4}));
  return all;
}

static void expectSame(const Array &got, const Array &expected, const std::string &what) {
  ASSERT_EQ(got.shape(), expected.shape()) << what;
  ASSERT_EQ(got.dtype(), expected.dtype()) << what;
  // Bits, of NaN too.
  auto isSame = [&]<class T>() {
    const std::vector<T> x = got.to_vector<T>(), y = expected.to_vector<T>();
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
  };
  bool same = true;
  switch (got.dtype()) {
  case Dtype::f32:
    same = isSame.operator()<float>();
    break;
  case Dtype::f64:
    same = isSame.operator()<double>();
    break;
  case Dtype::bf16:
    same = isSame.operator()<bfloat16_t>();
    break;
  case Dtype::f16:
    same = isSame.operator()<float16_t>();
    break;
  default:
    same = all(equal(got, expected)).item<bool>();
  }
  EXPECT_TRUE(same) << what << ": " << got << "\n" << expected;
}

static void expectSame(const std::vector<Array> &got, const std::vector<Array> &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    expectSame(got[i], expected[i], "result " + std::to_string(i));
}

TEST(RandomModes, CompiledIsEager) {
  const Key key = random::key(7);
  expectSame(jit(drawEverything)(key, Array(2.5f)), drawEverything(key, Array(2.5f)));
}

TEST(RandomModes, MappedOverKeysIsALoopOverThem) {
  const int count = 3;
  const Key keys{random::bits(random::key(8).data, {count}, 2)};
  const std::vector<float> parameters = {2.5f, 0.5f, 8.0f};
  const auto eager = vmap(drawEverything)(keys, Array(parameters));
  const auto compiled = jit(vmap(drawEverything))(keys, Array(parameters));
  for (int i = 0; i < count; ++i) {
    const auto alone = drawEverything(Key{keys.data[i]}, Array(parameters[static_cast<size_t>(i)]));
    ASSERT_EQ(eager.size(), alone.size());
    for (size_t k = 0; k < alone.size(); ++k) {
      expectSame(eager[k][i], alone[k], "result " + std::to_string(k));
      expectSame(compiled[k][i], alone[k], "compiled result " + std::to_string(k));
    }
  }
}

TEST(RandomModes, AKeyIsBothWordsOfItsSeed) {
  EXPECT_EQ(random::key(0x123456789abcdef0).data.to_vector<uint32_t>(),
            (std::vector<uint32_t>{0x12345678, 0x9abcdef0}));
  EXPECT_EQ(random::key(42).data.to_vector<uint32_t>(), (std::vector<uint32_t>{0, 42}));
}

TEST(RandomModes, UniformIsNotOutsideOfItsBounds) {
  // Where a sum is rounded most: the range is of the bound's last places.
  for (auto [low, high] : {std::pair(1.0, 1.0 + 0x1p-22), {-1.0 - 0x1p-22, -1.0}, {-3.0, 5.0}, {0x1p-149, 0x1p-148}}) {
    Array numbers = random::uniform(random::key(42), {100000}, f32, low, high);
    EXPECT_GE(min(numbers).item<float>(), float(low));
    EXPECT_LE(max(numbers).item<float>(), float(high));
  }
  // In f64 a range that has no upper part in the exact product.
  Array wide = random::uniform(random::key(42), {1000}, f64, -0.8e308, 0.9e308);
  EXPECT_TRUE(all(isfinite(wide)).item<bool>());
}

TEST(RandomModes, TruncatedIsInsideOfItsBounds) {
  for (Dtype dtype : {bf16, f16, f32, f64})
    for (auto [low, high] : {std::pair(0.0, 0.5), {-2.0, -1.0}, {1.0, 2.0}, {-0.25, 0.0}}) {
      const Array x = random::truncated_normal(random::key(3), low, high, {20000}, dtype);
      EXPECT_TRUE(all(x > low && x < high).item<bool>()) << dtype << " " << low << " " << high;
      // The bounds' neighbours are drawn in dtypes of few numbers.
      if (dtype == bf16) {
        EXPECT_LT(min(abs(x - low)).item<float>(), 0.02f);
      }
    }
}

TEST(RandomModes, ShapesOfNoElementsAndManyAxes) {
  const Key key = random::key(1);
  EXPECT_EQ(random::gamma(key, 2, {0, 3}).shape(), Shape({0, 3}));
  EXPECT_EQ(random::poisson(key, 2, {0}).shape(), Shape({0}));
  EXPECT_EQ(random::binomial(key, 5, 0.5, {0}).shape(), Shape({0}));
  EXPECT_EQ(random::permutation(key, 0).shape(), Shape({0}));
  EXPECT_EQ(random::permutation(key, 1).to_vector<int32_t>(), std::vector<int32_t>{0});
  EXPECT_EQ(random::choice(key, 0, {0}).shape(), Shape({0}));
  EXPECT_EQ(random::choice(key, zeros({2, 5}), {3, 0}, true, none, 1).shape(), Shape({2, 3, 0}));
  EXPECT_EQ(random::dirichlet(key, zeros({0, 2}) + 1).shape(), Shape({0, 2}));
  EXPECT_EQ(random::uniform(key).shape(), Shape());
  const Shape sixteen(std::vector<int64_t>(16, 1));
  EXPECT_EQ(random::uniform(random::key(1), sixteen).ndim(), 16);
  EXPECT_THROW((void)random::bits(random::key(1).data, sixteen, 2), Error);
  std::vector<int64_t> sizes(16, 1);
  sizes[3] = 2, sizes[15] = 3;
  const Shape many(sizes);
  const std::vector<std::function<Array(const Shape &)>> draws = {
      [&](const Shape &shape) { return random::uniform(key, shape, f64); },
      [&](const Shape &shape) { return random::normal(key, shape, f64); },
      [&](const Shape &shape) { return random::bits(key, shape, u64); },
      [&](const Shape &shape) { return random::randint(key, shape, 0, 1000, i64); },
      [&](const Shape &shape) { return random::gamma(key, 0.5, shape); },
      [&](const Shape &shape) { return random::gamma(key, 2, shape, f64); },
      [&](const Shape &shape) { return random::binomial(key, 9, full({}, 0.3, f64), shape); }};
  for (const auto &draw : draws)
    expectSame(reshape(draw(many), {6}), draw({6}), "six");
  // Left out, a shape is that of the parameters.
  EXPECT_EQ(random::beta(key, zeros({2, 1}) + 1, {1.0f, 2.0f, 3.0f}).shape(), Shape({2, 3}));
  EXPECT_EQ(random::gamma(key, full({3}, 2, f64)).dtype(), f64);
  EXPECT_EQ(random::gamma(key, Array{1, 2}).dtype(), f32);
  EXPECT_EQ(random::gamma(key, full({3}, 2, f64), {}, f16).dtype(), f16);
}

TEST(RandomModes, SymbolicSizes) {
  auto draw = [](const Key &key, const Array &x) {
    const Dim n = x.dim(0);
    return std::vector{random::uniform(key, {n, 2}, f32, -2.3, 4.9), random::gamma(key, x), random::poisson(key, x),
                       random::categorical(key, reshape(x, {n, 1}) + zeros({3})), random::choice(key, 5, {n})};
  };
  auto traced = jit(draw, {.specs = {as_called, TensorSpec{f32, {"n"}}}});
  for (int64_t n : {2, 5, 9}) {
    const Array x = arange(n) + 0.5f;
    expectSame(traced(random::key(n), x), draw(random::key(n), x));
  }
}

TEST(RandomModes, ParametersOutsideOfTheirRange) {
  const Key key = random::key(5);
  for (Dtype dtype : {bf16, f16, f32, f64})
    EXPECT_TRUE(all(random::uniform(key, {50}, dtype, {2.0f}, {1.0f}) == 2).item<bool>()) << dtype;
  EXPECT_TRUE(all(isnan(random::gamma(key, {-2.0f, NAN}))).item<bool>());
  EXPECT_EQ(random::gamma(key, 0, {3}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_TRUE(all(isinf(random::gamma(key, {INFINITY}))).item<bool>());
  EXPECT_EQ(random::poisson(key, {NAN, 0.0f}).to_vector<int32_t>(), (std::vector<int32_t>{-1, 0}));
  // Whatever their neighbours are.
  EXPECT_EQ(random::poisson(key, {INFINITY, 30.0f})[0].item<int32_t>(), -1);
  const Array infinite = random::poisson(key, Array{INFINITY, 3.0f}, {100, 2});
  EXPECT_TRUE(all(infinite[{_, 0}] == -1).item<bool>());
  EXPECT_TRUE(all(infinite[{_, 1}] >= 0).item<bool>());
  EXPECT_EQ(random::poisson(key, {INFINITY, INFINITY, NAN, -3.0f, 50.0f})[slice(4)].to_vector<int32_t>(),
            (std::vector<int32_t>{-1, -1, -1, -1}));
  EXPECT_EQ(random::poisson(key, {INFINITY, NAN, -1.0f, 0.0f}, {}, u8).to_vector<uint8_t>(),
            (std::vector<uint8_t>{255, 255, 255, 0}));
  const Array counts = random::binomial(key, {INFINITY, INFINITY, 5.0f, NAN, -1.0f}, {0.0f, 0.5f, 2.0f, 0.5f, 0.5f});
  EXPECT_EQ(isnan(counts).to_vector<bool>(), (std::vector<bool>{false, false, true, true, true}));
  EXPECT_TRUE(isinf(counts[1]).item<bool>());
  EXPECT_EQ(random::geometric(key, 1, {4}).to_vector<int32_t>(), (std::vector<int32_t>{1, 1, 1, 1}));
}

TEST(RandomModes, MultinomialCountsSumToTheTrials) {
  const Key key = random::key(3);
  // More than f32 holds.
  const Array many = random::multinomial(key, 3000000001.0, {1.0f, 2.0f, 4.0f}, {5}, i64);
  EXPECT_EQ(sum(many, 1).to_vector<int64_t>(), std::vector<int64_t>(5, 3000000001));
  // An outcome of weight 0 never occurs, and the last one takes what is left.
  const Array counts = random::multinomial(key, 9, {0.0f, 3.0f, 0.0f, 5.0f, 0.0f}, {100});
  EXPECT_EQ(sum(counts, 1).to_vector<int32_t>(), std::vector<int32_t>(100, 9));
  EXPECT_EQ(max(counts, 0)[{0}].item<int32_t>() + max(counts, 0)[{2}].item<int32_t>() +
                max(counts, 0)[{4}].item<int32_t>(),
            0);
  EXPECT_EQ(random::multinomial(key, 0, {1.0f, 2.0f}).to_vector<int32_t>(), (std::vector<int32_t>{0, 0}));
  EXPECT_EQ(random::multinomial(key, 4, zeros({3, 0})).shape(), Shape({3, 0}));
  // Unknown weights are not checked: those that are none give -1.
  const auto drawn = jit([&](const Array &n, const Array &p) { return random::multinomial(key, n, p); })(
      {5.0f, 5.0f, -1.0f, NAN, 5.0f}, {{-1.0f, 2.0f}, {0.0f, 0.0f}, {1.0f, 1.0f}, {1.0f, 1.0f}, {0.0f, 2.0f}});
  EXPECT_EQ(drawn.to_vector<int32_t>(), (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, -1, -1, 0, 5}));
}

TEST(RandomModes, TriangularAndWeibullOfInvalidElementsAreNaN) {
  const Key key = random::key(3);
  EXPECT_EQ(isnan(random::triangular(key, {0.0f, 2.0f, 0.0f}, {1.0f, 1.0f, 3.0f}, 2)).to_vector<bool>(),
            (std::vector<bool>{false, true, true}));
  EXPECT_EQ(random::triangular(key, 2, 2, 2, {2}).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(isnan(random::weibull_min(key, {1.0f, -1.0f, 1.0f}, {1.0f, 1.0f, -1.0f})).to_vector<bool>(),
            (std::vector<bool>{false, true, true}));
}

TEST(RandomModes, StirlingsFormulaHasItsError) {
  std::vector<double> counts;
  for (int k = 1; k <= 200; ++k)
    counts.push_back(k);
  const auto rests = detail::stirlingRest(Array(counts)).to_vector<double>();
  for (size_t i = 0; i < counts.size(); ++i) {
    const long double k = counts[i], pi = std::numbers::pi_v<long double>;
    const long double rest = std::lgamma(k + 1) - ((k + 0.5L) * std::log(k) - k + std::log(2 * pi) / 2);
    EXPECT_NEAR(rests[i], double(rest), 2e-14) << counts[i];
  }
}

TEST(RandomModes, BoundsAndSizesThatCannotBe) {
  using test::messageOf;
  const Key key = random::key(5);
  EXPECT_THAT(messageOf([&] { (void)random::uniform(key, {3}, f32, -3e38, 3e38); }),
              HasSubstr("random::uniform: expected bounds whose difference is finite in f32, got -3e+38 and 3e+38"));
  EXPECT_THAT(messageOf([&] { (void)random::uniform(key, {3}, f16, 0, 1e5); }),
              HasSubstr("is finite in f16, got 0 and "));
  EXPECT_THAT(messageOf([&] { (void)random::uniform(key, {3}, f64, -INFINITY, 0); }), HasSubstr("is finite in f64"));
  EXPECT_THAT(messageOf([&] { (void)random::choice(key, 5, {2, -1}); }),
              HasSubstr("random::choice: expected sizes >= 0, got the shape (2, -1)"));
  EXPECT_THAT(messageOf([&] { (void)random::choice(key, 5, {-1, -1}, false); }),
              HasSubstr("random::choice: expected sizes"));
  EXPECT_THAT(messageOf([&] { (void)random::choice(key, 5, {-1}, true, zeros({5}) + 1); }),
              HasSubstr("expected sizes >= 0"));
  EXPECT_THAT(messageOf([&] { (void)random::categorical(key, zeros({3}), -1, {-1}); }),
              HasSubstr("random::categorical: expected sizes >= 0, got the shape (-1,)"));
  EXPECT_THAT(messageOf([&] { (void)random::categorical(key, zeros({3}), -1, {-1}, false); }),
              HasSubstr("random::categorical: expected sizes >= 0"));
  const int64_t large = int64_t(1) << 40;
  EXPECT_THAT(messageOf([&] { (void)random::choice(key, 5, {large, large}, false); }),
              HasSubstr("expected fewer than 2^63 elements, got the shape (1099511627776, 1099511627776)"));
  EXPECT_EQ(random::choice(key, 5, {large, 0}, false).shape(), Shape({large, 0}));
}

TEST(RandomModes, WhatHasNoProbabilityIsNeverDrawn) {
  for (Dtype dtype : {f16, f32, f64})
    for (int64_t count : {1000, 10000}) {
      // Every third one, in two blocks of sums, the first and the last among them.
      const Array isNone = arange(count) % 3 == 0;
      const Array p = where(isNone, full({}, 0, dtype), random::uniform(random::key(7), {count}, dtype, 0, 0.01));
      const Array drawn = random::choice(random::key(8), count, {200000}, true, p);
      EXPECT_FALSE(any(take(isNone, drawn)).item<bool>()) << dtype << " " << count;
    }
  // Of the smallest number there is no part.
  const Array least = Array{0.0f, 0x1p-149f, 0.0f};
  EXPECT_TRUE(all(random::choice(random::key(1), 3, {1000}, true, least) == 1).item<bool>());
}

TEST(RandomModes, Derivatives) {
  const Key key = random::key(3);
  for (Dtype dtype : {f32, f64}) {
    const Array u = random::uniform(key, {50}, dtype);
    auto total = [&](const Array &low, const Array &high) { return sum(random::uniform(key, {50}, dtype, low, high)); };
    auto [byLow, byHigh] = grad<0, 1>(total)(full({}, -1.3, dtype), full({}, 2.9, dtype));
    EXPECT_NEAR(double(byLow), 50 - double(sum(u)), 1e-4);
    EXPECT_NEAR(double(byHigh), double(sum(u)), 1e-4);
  }
  auto scaled = [&](const Array &s) { return sum(random::rayleigh(key, s, {9})); };
  EXPECT_NEAR(double(grad(scaled)(Array(2.0f))), double(scaled(Array(1.0f))), 1e-4);
  EXPECT_THAT(test::messageOf([&] { grad([&](const Array &a) { return random::gamma(key, a); })(Array(2.0f)); }),
              HasSubstr("random::gamma has no reverse-mode derivative"));
}

TEST(Generators, AreStreamsOfKeys) {
  random::Generator one(7);
  const std::vector<Key> keys = random::split(random::key(7), 3);
  EXPECT_EQ(one.normal({4}).to_vector<float>(), random::normal(keys[0], {4}).to_vector<float>());
  EXPECT_EQ(one.gamma(2.5, {4}).to_vector<float>(), random::gamma(keys[1], 2.5, {4}).to_vector<float>());
  EXPECT_EQ(one.key().data.to_vector<uint32_t>(), keys[2].data.to_vector<uint32_t>());
  // Its seed begins it again; the upper half of one counts.
  one.seed(7);
  EXPECT_EQ(one.key().data.to_vector<uint32_t>(), keys[0].data.to_vector<uint32_t>());
  one.seed(uint64_t(1) << 40);
  EXPECT_EQ(one.key().data.to_vector<uint32_t>(),
            random::split(random::key(uint64_t(1) << 40), 1)[0].data.to_vector<uint32_t>());
}

TEST(Generators, TheDefaultOne) {
  set_seed(11);
  const auto first = random::default_generator().uniform({3}).to_vector<float>();
  const auto second = random::default_generator().uniform({3}).to_vector<float>();
  EXPECT_NE(first, second);
  set_seed(11);
  EXPECT_EQ(random::default_generator().uniform({3}).to_vector<float>(), first);
}

TEST(Generators, DrawAllThatKeysDraw) {
  random::Generator own(5);
  const std::vector<Key> keys = random::split(random::key(5), 40);
  size_t drawn = 0;
  auto expectNext = [&](const Array &got, auto draw) {
    expectSame(got, draw(keys[drawn]), "draw " + std::to_string(drawn));
    ++drawn;
  };
  using namespace random;
  const Array p = {1.0f, 2.0f, 3.0f}, table = reshape(arange(6.0), {2, 3});
  expectNext(own.bits({3}, u16), [](const Key &k) { return bits(k, {3}, u16); });
  expectNext(own.uniform({3}, f64, -1, 2), [](const Key &k) { return uniform(k, {3}, f64, -1, 2); });
  expectNext(own.uniform({3}, -1, 2), [](const Key &k) { return uniform(k, {3}, -1, 2); });
  expectNext(own.normal({3}, f64), [](const Key &k) { return normal(k, {3}, f64); });
  expectNext(own.truncated_normal(-1, 2, {3}), [](const Key &k) { return truncated_normal(k, -1, 2, {3}); });
  expectNext(own.exponential({3}, f64), [](const Key &k) { return exponential(k, {3}, f64); });
  expectNext(own.gumbel({3}, f64), [](const Key &k) { return gumbel(k, {3}, f64); });
  expectNext(own.laplace({3}, f64), [](const Key &k) { return laplace(k, {3}, f64); });
  expectNext(own.logistic({3}, f64), [](const Key &k) { return logistic(k, {3}, f64); });
  expectNext(own.cauchy({3}, f64), [](const Key &k) { return cauchy(k, {3}, f64); });
  expectNext(own.rayleigh(2, {3}, f64), [](const Key &k) { return rayleigh(k, 2, {3}, f64); });
  expectNext(own.pareto(2, {3}, f64), [](const Key &k) { return pareto(k, 2, {3}, f64); });
  expectNext(own.weibull_min(2, 3, {3}, f64), [](const Key &k) { return weibull_min(k, 2, 3, {3}, f64); });
  expectNext(own.weibull(2, {3}, f64), [](const Key &k) { return weibull(k, 2, {3}, f64); });
  expectNext(own.triangular(-1, 0, 2, {3}, f64), [](const Key &k) { return triangular(k, -1, 0, 2, {3}, f64); });
  expectNext(own.lognormal(2, {3}, f64), [](const Key &k) { return lognormal(k, 2, {3}, f64); });
  expectNext(own.bernoulli(0.2, {9}), [](const Key &k) { return bernoulli(k, 0.2, {9}); });
  expectNext(own.rademacher({9}, f32), [](const Key &k) { return rademacher(k, {9}, f32); });
  expectNext(own.randint({9}, 2, 50, i64), [](const Key &k) { return randint(k, {9}, 2, 50, i64); });
  expectNext(own.geometric(0.1, {9}, i64), [](const Key &k) { return geometric(k, 0.1, {9}, i64); });
  expectNext(own.categorical(table, 0, {2, 3}, false),
             [&](const Key &k) { return categorical(k, table, 0, {2, 3}, false); });
  expectNext(own.permutation(table, 1, true), [&](const Key &k) { return permutation(k, table, 1, true); });
  expectNext(own.shuffle(table, 1), [&](const Key &k) { return shuffle(k, table, 1); });
  expectNext(own.choice(table, {2}, false, p, 1), [&](const Key &k) { return choice(k, table, {2}, false, p, 1); });
  expectNext(own.gamma(2, {3}, f64), [](const Key &k) { return gamma(k, 2, {3}, f64); });
  expectNext(own.loggamma(2, {3}, f64), [](const Key &k) { return loggamma(k, 2, {3}, f64); });
  expectNext(own.beta(2, 3, {3}, f64), [](const Key &k) { return beta(k, 2, 3, {3}, f64); });
  expectNext(own.dirichlet(p, {2}, f64), [&](const Key &k) { return dirichlet(k, p, {2}, f64); });
  expectNext(own.t(2, {3}, f64), [](const Key &k) { return t(k, 2, {3}, f64); });
  expectNext(own.student_t(2, {3}, f64), [](const Key &k) { return random::t(k, 2, {3}, f64); });
  expectNext(own.chisquare(2, {3}, f64), [](const Key &k) { return chisquare(k, 2, {3}, f64); });
  expectNext(own.ball(2, 1, {3}, f64), [](const Key &k) { return ball(k, 2, 1, {3}, f64); });
  expectNext(own.poisson(3, {9}, i64), [](const Key &k) { return poisson(k, 3, {9}, i64); });
  expectNext(own.binomial(30, 0.4, {9}, f64), [](const Key &k) { return binomial(k, 30, 0.4, {9}, f64); });
  expectNext(own.multinomial(30, {0.4f, 0.6f}, {9}, i64),
             [](const Key &k) { return multinomial(k, 30, {0.4f, 0.6f}, {9}, i64); });
}

TEST(Generators, GradDrawsOutsideOfIt) {
  random::Generator own(5);
  const Key first = random::split(random::key(5), 1)[0];
  auto f = [&](const Array &x) { return sum(x * own.uniform({3})); };
  EXPECT_EQ(grad(f)(ones({3})).to_vector<float>(), random::uniform(first, {3}).to_vector<float>());
}

TEST(Generators, UnderJitAreStates) {
  using Floats = std::vector<float>;
  const Array x = arange(20.0);
  auto dropout = [](const Array &in) {
    random::Generator &own = random::default_generator();
    return where(own.bernoulli(0.5, in.shape()), in * own.uniform(in.shape()), 0);
  };
  auto thrice = [&](const auto &f) {
    set_seed(21);
    std::vector<Floats> all;
    for (int i = 0; i < 3; ++i)
      all.push_back(f(x).template to_vector<float>());
    return all;
  };
  const std::vector<Floats> eager = thrice(dropout);
  EXPECT_NE(eager[0], eager[1]);
  auto jitted = jit(dropout);
  EXPECT_EQ(thrice(jitted), eager);
  EXPECT_EQ(thrice(jit([&](const Array &in) { return jitted(in); })), eager);
  EXPECT_EQ(thrice([&](const Array &in) { return grad(jit([&](const Array &y) { return sum(dropout(y) * y); }))(in); }),
            thrice([&](const Array &in) { return grad([&](const Array &y) { return sum(dropout(y) * y); })(in); }));
  // Eager draws and those of the program are of one stream.
  set_seed(21);
  EXPECT_EQ(jitted(x).to_vector<float>(), eager[0]);
  EXPECT_EQ(dropout(x).to_vector<float>(), eager[1]);
  EXPECT_EQ(jitted(x).to_vector<float>(), eager[2]);
  // A call that throws has drawn nothing.
  random::Generator own(5);
  auto at = jit([&](const Array &i) { return own.uniform({3})[i]; });
  EXPECT_THROW(at(Array(9)), Error);
  EXPECT_EQ(own.key().data.to_vector<uint32_t>(), random::split(random::key(5), 1)[0].data.to_vector<uint32_t>());
}

TEST(Generators, CarryIntoTheUpperWord) {
  // As if so many had been drawn: nobody waits for 2^32 draws.
  const Array key{1u, 2u};
  for (const uint64_t number : {uint64_t(0xffffffff), uint64_t(1) << 32}) {
    const auto [high, low] = math::randomWords<uint32_t>(1, 2, number);
    const Array words =
        detail::threefry(key, Array(static_cast<uint32_t>(number >> 32)), Array(static_cast<uint32_t>(number)));
    EXPECT_EQ(words.to_vector<uint32_t>(), (std::vector<uint32_t>{high, low}));
  }
}

TEST(Generators, JittedCallsOfThreadsDrawDifferentKeys) {
  random::Generator shared(3);
  auto draw = jit([&](const Array &x) { return x + shared.key().data; });
  constexpr size_t threads = 4, draws = 100;
  std::vector<std::vector<std::vector<uint32_t>>> drawn(threads);
  {
    std::vector<std::jthread> all;
    for (size_t i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        for (size_t k = 0; k < draws; ++k)
          drawn[i].push_back((i % 2 ? draw(zeros({2}, u32)) : shared.key().data).to_vector<uint32_t>());
      });
  }
  std::set<std::vector<uint32_t>> keys;
  for (const auto &one : drawn)
    keys.insert(one.begin(), one.end());
  EXPECT_EQ(keys.size(), threads * draws);
}

TEST(Generators, ThreadsDrawDifferentKeys) {
  random::Generator shared(3);
  constexpr size_t threads = 4, draws = 200;
  std::vector<std::vector<std::vector<uint32_t>>> drawn(threads);
  {
    std::vector<std::jthread> all;
    for (size_t i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        for (size_t k = 0; k < draws; ++k)
          drawn[i].push_back(shared.key().data.to_vector<uint32_t>());
      });
  }
  std::set<std::vector<uint32_t>> keys;
  for (const auto &own : drawn)
    keys.insert(own.begin(), own.end());
  // All of the first keys of the stream, each once.
  std::set<std::vector<uint32_t>> expected;
  for (const Key &key : random::split(random::key(3), threads * draws))
    expected.insert(key.data.to_vector<uint32_t>());
  EXPECT_EQ(keys, expected);
}
