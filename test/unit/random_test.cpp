//===- random_test.cpp - random numbers are those of JAX -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What JAX draws stands in random_goldens.txt, made by random_goldens.py, case by
// case. How the numbers are distributed is asked by random_distributions_test.cpp.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace tenon;

namespace {
/// A line of the file.
struct Golden {
  uint64_t seed = 0;
  std::string dtype, shape;
  std::vector<uint64_t> words;
};

struct Case {
  std::string name;
  std::function<Array(const Key &)> draw;
  /// At most this far, in units in the last place; 0: to the bit.
  double ulp = 0;
  /// But for this share of the elements.
  double others = 0;
  /// Smaller numbers are compared as if they were this one.
  double least = 0;
};
} // namespace

static std::multimap<std::string, Golden> goldens() {
  std::multimap<std::string, Golden> all;
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "random_goldens.txt");
  for (std::string text; std::getline(in, text);) {
    if (text.starts_with('#'))
      continue;
    // A name may have blanks; what follows it has none.
    const size_t at = text.find_first_of(
        "0123456789", text.find(" 42 ") != text.npos ? text.find(" 42 ") : text.find(" 1311768467463790320 "));
    std::istringstream rest(text.substr(at));
    Golden golden;
    rest >> golden.seed >> golden.dtype >> golden.shape;
    for (std::string word; rest >> word;)
      golden.words.push_back(std::stoull(word, nullptr, 16));
    all.emplace(text.substr(0, at - 1), std::move(golden));
  }
  return all;
}

/// The elements' bits.
static std::vector<uint64_t> wordsOf(const Array &x) {
  std::vector<uint64_t> words;
  auto read = [&]<class T, class Word>() {
    for (T element : x.to_vector<T>())
      words.push_back(__builtin_bit_cast(Word, element));
  };
  switch (x.dtype()) {
  case Dtype::bool_:
    for (bool element : x.to_vector<bool>())
      words.push_back(element);
    break;
  case Dtype::u8:
    read.operator()<uint8_t, uint8_t>();
    break;
  case Dtype::i8:
    read.operator()<int8_t, uint8_t>();
    break;
  case Dtype::u16:
    read.operator()<uint16_t, uint16_t>();
    break;
  case Dtype::i16:
    read.operator()<int16_t, uint16_t>();
    break;
  case Dtype::u32:
    read.operator()<uint32_t, uint32_t>();
    break;
  case Dtype::i32:
    read.operator()<int32_t, uint32_t>();
    break;
  case Dtype::u64:
    read.operator()<uint64_t, uint64_t>();
    break;
  case Dtype::i64:
    read.operator()<int64_t, uint64_t>();
    break;
  case Dtype::bf16:
    read.operator()<bfloat16_t, uint16_t>();
    break;
  case Dtype::f16:
    read.operator()<float16_t, uint16_t>();
    break;
  case Dtype::f32:
    read.operator()<float, uint32_t>();
    break;
  default:
    read.operator()<double, uint64_t>();
    break;
  }
  return words;
}

static double numberOf(uint64_t word, Dtype dtype) {
  switch (dtype) {
  case Dtype::bf16:
    return static_cast<float>(__builtin_bit_cast(bfloat16_t, static_cast<uint16_t>(word)));
  case Dtype::f16:
    return static_cast<float>(__builtin_bit_cast(float16_t, static_cast<uint16_t>(word)));
  case Dtype::f32:
    return __builtin_bit_cast(float, static_cast<uint32_t>(word));
  default:
    return __builtin_bit_cast(double, word);
  }
}

/// How far apart two elements are, in units in the last place of the larger one, or of `least`.
static double distance(uint64_t a, uint64_t b, Dtype dtype, double least) {
  if (a == b)
    return 0;
  if (kind(dtype) != Kind::floating)
    return INFINITY;
  const double x = numberOf(a, dtype), y = numberOf(b, dtype);
  // XLA's code on CPUs takes subnormal numbers for 0, also on the way.
  if (std::max(std::abs(x), std::abs(y)) < 0x1p-120)
    return 0;
  if (x == y || (std::isnan(x) && std::isnan(y)))
    return x == 0 ? 1 : 0; // zeros of two signs are two numbers
  const int digits = dtype == bf16 ? 8 : dtype == f16 ? 11 : dtype == f32 ? 24 : 53;
  const double larger = std::max({std::abs(x), std::abs(y), least});
  return std::abs(x - y) / std::ldexp(1.0, std::ilogb(larger) + 1 - digits);
}

/// A case for each dtype of floats.
static void addFloats(std::vector<Case> &cases, const std::string &name,
                      const std::function<Array(const Key &, Dtype)> &draw, double ulp = 0, double least = 0) {
  // XLA's log1p of f64 is up to 125 ulp from the logarithm.
  for (Dtype dtype : {bf16, f16, f32, f64})
    cases.push_back({name + "/" + std::string(short_name(dtype)), [=](const Key &k) { return draw(k, dtype); },
                     ulp && dtype == f64 ? 256 : ulp, 0, least});
}

static std::vector<Case> casesOfFloats() {
  std::vector<Case> all;
  using namespace random;
  const Array low = {-3.7f, 0.0f, 0.1f, 100.0f}, high = {2.9f, 0.3f, 0.1f, 101.5f};
  addFloats(all, "uniform", [](const Key &k, Dtype t) { return uniform(k, 200, t); });
  addFloats(all, "uniform/-2.3,4.9", [](const Key &k, Dtype t) { return uniform(k, 200, t, -2.3, 4.9); });
  addFloats(all, "uniform/1,1.7", [](const Key &k, Dtype t) { return uniform(k, 200, t, 1, 1.7); });
  addFloats(all, "uniform/-1,1", [](const Key &k, Dtype t) { return uniform(k, 200, t, -1, 1); });
  addFloats(all, "uniform/arrays", [=](const Key &k, Dtype t) { return uniform(k, {50, 4}, t, low, high); });
  addFloats(all, "normal", [](const Key &k, Dtype t) { return normal(k, 500, t); }, 8);
  addFloats(
      all, "truncated_normal/-1,2.5", [](const Key &k, Dtype t) { return truncated_normal(k, -1, 2.5, 300, t); }, 8);
  addFloats(
      all, "truncated_normal/arrays",
      [](const Key &k, Dtype t) {
        return truncated_normal(k, Array{-9.0f, 0.0f, 1.5f}, Array{-0.5f, 0.25f, 9.0f}, {100, 3}, t);
      },
      16);
  addFloats(all, "exponential", [](const Key &k, Dtype t) { return exponential(k, 300, t); }, 8);
  addFloats(all, "gumbel", [](const Key &k, Dtype t) { return gumbel(k, 300, t); }, 8, 1);
  addFloats(all, "laplace", [](const Key &k, Dtype t) { return laplace(k, 300, t); }, 8);
  addFloats(all, "logistic", [](const Key &k, Dtype t) { return logistic(k, 300, t); }, 8, 1);
  addFloats(all, "cauchy", [](const Key &k, Dtype t) { return cauchy(k, 300, t); }, 8);
  addFloats(all, "rayleigh/2.5", [](const Key &k, Dtype t) { return rayleigh(k, 2.5, 300, t); }, 8);
  addFloats(all, "pareto/3", [](const Key &k, Dtype t) { return pareto(k, 3, 300, t); }, 8);
  addFloats(all, "lognormal/0.5", [](const Key &k, Dtype t) { return lognormal(k, 0.5, 300, t); }, 8);
  addFloats(all, "weibull_min/2,3", [](const Key &k, Dtype t) { return weibull_min(k, 2, 3, 300, t); }, 8);
  addFloats(all, "triangular/-1,0.5,2", [](const Key &k, Dtype t) { return triangular(k, -1, 0.5, 2, 300, t); }, 8);
  // JAX's numbers of few digits include the upper bound of a range, the bounds of a tail, and infinity.
  for (auto [name, share] : {std::pair("uniform/1,1.7/bf16", 0.03),
                             {"uniform/arrays/bf16", 0.06},
                             {"truncated_normal/arrays/bf16", 0.01},
                             {"truncated_normal/arrays/f16", 0.01},
                             {"rayleigh/2.5/bf16", 0.01}})
    std::ranges::find(all, name, &Case::name)->others = share;
  return all;
}

static Array keyWords(const std::vector<Key> &keys) {
  std::vector<Array> rows;
  for (const Key &key : keys)
    rows.push_back(reshape(key.data, {1, 2}));
  return concatenate(rows);
}

static std::vector<Case> casesOfIntegers() {
  using namespace random;
  std::vector<Case> all = {
      {"split", [](const Key &k) { return keyWords(split(k, 7)); }},
      {"fold_in/0", [](const Key &k) { return fold_in(k, 0).data; }},
      {"fold_in/1234567", [](const Key &k) { return fold_in(k, Array(1234567)).data; }},
      {"fold_in/4294967295", [](const Key &k) { return fold_in(k, 4294967295u).data; }},
      {"bits/u8", [](const Key &k) { return bits(k, {3, 37}, u8); }},
      {"bits/u16", [](const Key &k) { return bits(k, {3, 37}, u16); }},
      {"bits/u32", [](const Key &k) { return bits(k, {3, 37}); }},
      {"bits/u64", [](const Key &k) { return bits(k, {3, 37}, u64); }},
      {"bernoulli/0.5", [](const Key &k) { return bernoulli(k, 0.5, 200); }},
      {"bernoulli/arrays", [](const Key &k) { return bernoulli(k, {0.0f, 0.1f, 0.7f, 1.0f}, {50, 4}); }},
      {"bernoulli/bf16", [](const Key &k) { return bernoulli(k, full({}, 0.3, bf16), 200); }},
      {"bernoulli/f16", [](const Key &k) { return bernoulli(k, full({}, 0.3, f16), 200); }},
      {"bernoulli/f64", [](const Key &k) { return bernoulli(k, full({}, 0.3, f64), 200); }},
      {"rademacher", [](const Key &k) { return rademacher(k, 200); }},
      {"rademacher/bf16", [](const Key &k) { return rademacher(k, 20, bf16); }},
      {"geometric/0.3", [](const Key &k) { return geometric(k, 0.3, 300); }},
      {"geometric/arrays", [](const Key &k) { return geometric(k, {1.0f, 0.9f, 0.01f}, {100, 3}); }},
  };
  auto integers = [&](const std::string &name, Scalar low, Scalar high, Dtype dtype) {
    all.push_back({"randint/" + name, [=](const Key &k) { return randint(k, 150, low, high, dtype); }});
    // The same bounds as arrays that hold them.
    if (low.kind() == Kind::integer && !high.huge())
      all.push_back({"randint/" + name,
                     [=](const Key &k) { return randint(k, 150, full({1}, low, i64), full({}, high, i64), dtype); }});
  };
  integers("i32", -7, 12, i32);
  integers("i32/wide", INT32_MIN, INT32_MAX, i32);
  integers("i32/1000003", 0, 1000003, i32);
  integers("i32/even", 0, 1024, i32);
  integers("i32/empty", 5, 5, i32);
  integers("i32/below", 5, -5, i32);
  integers("i32/all", INT32_MIN, int64_t(1) << 31, i32);
  integers("i32/beyond", -10, int64_t(1) << 40, i32);
  integers("u8", 0, 256, u8);
  integers("u8/beyond", -5, 1000, u8);
  integers("i8", -100, 17, i8);
  integers("u16", 3, 40000, u16);
  integers("i16", -32768, 32768, i16);
  integers("u32", 10, INT32_MAX, u32);
  integers("u32/all", 0, int64_t(1) << 32, u32);
  integers("i64", -1000000000000000, 100000000000000000, i64);
  integers("i64/all", INT64_MIN, INT64_MAX, i64);
  integers("u64", 1, INT64_MAX, u64);
  const Array few = {0, -5, 7, 100};
  all.push_back({"randint/arrays", [=](const Key &k) {
                   Array high = reshape(concatenate({full({25, 1}, 10), full({25, 1}, 1000)}, 1), {50, 1});
                   return randint(k, {50, 4}, few, high);
                 }});
  const int64_t far = int64_t(1) << 62;
  all.push_back({"randint/i64/arrays", [=](const Key &k) {
                   return randint(k, {50, 4}, std::vector<int64_t>{0, -far, 7, 100},
                                  std::vector<int64_t>{10, far, INT64_MAX, 90}, i64);
                 }});
  all.push_back({"randint/i32/beyond arrays", [=](const Key &k) {
                   return randint(k, {50, 4}, std::vector<int64_t>{0, -far, INT32_MIN, 100},
                                  std::vector<int64_t>{10, far, int64_t(1) << 31, 90});
                 }});
  return all;
}

static std::vector<Case> casesOfOrders() {
  using namespace random;
  const Array table = reshape(arange(12.0), {3, 4}), p = Array{1.0f, 0.0f, 5.0f, 2.0f, 8.0f} / 16;
  const Array logits = log(Array{{1.0f, 2.0f, 3.0f, 4.0f}, {4.0f, 1.0f, 1.0f, 1.0f}, {0.0f, 0.0f, 1.0f, 1.0f}});
  return {
      {"permutation/20", [](const Key &k) { return permutation(k, 20); }},
      {"permutation/3000", [](const Key &k) { return permutation(k, 3000); }},
      {"permutation/rows", [=](const Key &k) { return permutation(k, table); }},
      {"permutation/columns", [=](const Key &k) { return permutation(k, table, -1); }},
      {"permutation/independent", [=](const Key &k) { return permutation(k, table, 1, true); }},
      {"permutation/independent", [=](const Key &k) { return shuffle(k, table, -1); }},
      {"choice/10", [](const Key &k) { return choice(k, 10, 40); }},
      {"choice/rows", [=](const Key &k) { return choice(k, table, {2, 3}); }},
      {"choice/columns", [=](const Key &k) { return choice(k, table, 5, true, none, 1); }},
      {"choice/without", [](const Key &k) { return choice(k, 50, {4, 5}, false); }},
      {"choice/columns without", [=](const Key &k) { return choice(k, table, 3, false, none, 1); }},
      {"choice/p", [=](const Key &k) { return choice(k, 5, 200, true, p); }},
      {"choice/p without", [=](const Key &k) { return choice(k, arange(10.0, 15.0), 3, false, p); }},
      {"categorical", [=](const Key &k) { return astype(categorical(k, logits), i32); }},
      {"categorical/300", [=](const Key &k) { return astype(categorical(k, logits, -1, {100, 3}), i32); }},
      {"categorical/axis", [=](const Key &k) { return astype(categorical(k, logits, 0, {50, 4}), i32); }},
      {"categorical/without",
       [=](const Key &k) { return astype(categorical(k, logits[slice(2)], -1, {3, 2}, false), i32); }},
  };
}

static std::vector<Case> casesOfRejection() {
  using namespace random;
  std::vector<Case> all;
  const double few = 0.001;
  auto add = [&](const std::string &name, double ulp, std::function<Array(const Key &)> draw) {
    all.push_back({name, std::move(draw), ulp, few});
  };
  for (auto [name, a] : {std::pair("0.05", 0.05), {"0.7", 0.7}, {"1.0", 1.0}, {"3.5", 3.5}, {"80.0", 80.0}}) {
    add(std::string("gamma/") + name, 32, [=](const Key &k) { return gamma(k, a, 1000); });
    add(std::string("loggamma/") + name, 16, [=](const Key &k) { return loggamma(k, a, 300); });
    all.back().least = 1; // where the logarithms cancel
  }
  add("gamma/arrays", 16, [](const Key &k) { return gamma(k, {0.0f, 0.5f, 2.0f, 1000.0f}, {100, 4}); });
  add("gamma/f64", 64, [](const Key &k) { return gamma(k, {0.5, 2.0, 1000.0}, {200, 3}, f64); });
  add("gamma/f16", 8, [](const Key &k) { return gamma(k, 2.5, 300, f16); });
  add("gamma/bf16", 4, [](const Key &k) { return gamma(k, 2.5, 300, bf16); });
  add("beta/0.5,3", 32, [](const Key &k) { return beta(k, 0.5, 3, 1000); });
  add("beta/arrays", 32, [](const Key &k) { return beta(k, {{1.0f}, {5.0f}}, {2.0f, 8.0f}); });
  add("dirichlet", 32, [](const Key &k) { return dirichlet(k, {0.3f, 1.0f, 4.0f}, 300); });
  add("t/4", 16, [](const Key &k) { return t(k, 4, 1000); });
  add("chisquare/5", 32, [](const Key &k) { return chisquare(k, 5, 1000); });
  add("ball/3,2", 32, [](const Key &k) { return ball(k, 3, 2, 300); });
  add("ball/2,1", 32, [](const Key &k) { return ball(k, 2, 1, 300); });
  for (auto [name, lam] :
       {std::pair("0.3", 0.3), {"4.0", 4.0}, {"9.99", 9.99}, {"10.0", 10.0}, {"50.0", 50.0}, {"1000.0", 1000.0}})
    add(std::string("poisson/") + name, 0, [=](const Key &k) { return poisson(k, lam, 1000); });
  // Elements of the other method are drawn along with a mean of 1e5. JAX accepts some of them by its rounding in f32,
  // so it may stop a round earlier or later, and all elements of the last round are drawn anew.
  add("poisson/arrays", 0, [](const Key &k) { return poisson(k, {0.0f, 3.0f, 30.0f, NAN}, {100, 4}); });
  all.back().others = 0.25;
  for (auto [n, p, name] : {std::tuple(10, 0.3, "10,0.3"),
                            {40, 0.9, "40,0.9"},
                            {100, 0.5, "100,0.5"},
                            {1000, 0.02, "1000,0.02"},
                            {100000, 0.7, "100000,0.7"}}) {
    add(std::string("binomial/") + name, 0, [=](const Key &k) { return binomial(k, n, p, 1000); });
    // JAX rounds large counts in f32, and its Stirling's formula is up to 0.008 off.
    if (n >= 1000)
      all.back().others = 0.01;
  }
  add("binomial/arrays", 0,
      [](const Key &k) { return binomial(k, {0.0f, 7.0f, 500.0f, -1.0f, NAN}, {{0.0f}, {0.25f}, {1.0f}, {1.5f}}); });
  add("binomial/f64", 0, [](const Key &k) { return binomial(k, 500, full({}, 0.4, f64), 300); });
  const Array weights = {{1.0f, 2.0f, 3.0f, 4.0f}, {4.0f, 0.0f, 1.0f, 1.0f}};
  add("multinomial/20", 0, [=](const Key &k) { return multinomial(k, 20, weights, {40, 2}); });
  add("multinomial/500", 0, [=](const Key &k) { return multinomial(k, {500.0f, 7.0f}, weights); });
  return all;
}

static void expectGoldens(const std::vector<Case> &cases) {
  static const std::multimap<std::string, Golden> all = goldens();
  for (const Case &one : cases) {
    const auto [begin, end] = all.equal_range(one.name);
    EXPECT_NE(begin, end) << one.name;
    for (auto golden = begin; golden != end; ++golden) {
      const auto &[seed, dtype, shape, words] = golden->second;
      SCOPED_TRACE(one.name + " of seed " + std::to_string(seed));
      const Array drawn = one.draw(random::key(seed));
      EXPECT_EQ(short_name(drawn.dtype()), dtype);
      std::string sizes;
      for (const Dim &size : drawn.shape())
        sizes += (sizes.empty() ? "" : ",") + size.str();
      EXPECT_EQ(sizes.empty() ? "-" : sizes, shape);
      const std::vector<uint64_t> got = wordsOf(drawn);
      ASSERT_EQ(got.size(), words.size());
      const bool isExact = one.ulp == 0 && one.others == 0;
      double farthest = 0;
      size_t beyond = 0;
      for (size_t i = 0; i < got.size(); ++i) {
        const double apart = distance(got[i], words[i], drawn.dtype(), one.least);
        beyond += isExact ? got[i] != words[i] : !(apart <= one.ulp);
        farthest = std::max(farthest, apart);
      }
      EXPECT_LE(double(beyond), one.others * double(got.size())) << "the farthest by " << farthest;
    }
  }
}

TEST(Random, FloatsAreJaxs) { expectGoldens(casesOfFloats()); }
TEST(Random, IntegersAreJaxs) { expectGoldens(casesOfIntegers()); }
TEST(Random, OrdersAreJaxs) { expectGoldens(casesOfOrders()); }
TEST(Random, RejectionIsJaxs) { expectGoldens(casesOfRejection()); }
