//===- random_distributions_test.cpp - distributions of random numbers ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of 100,000 numbers: the mean and the variance within five standard errors of those
// of the distribution; Kolmogorov's and Smirnov's distance from it below what one
// sample in a thousand exceeds. The keys are fixed, so that no run differs.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

using namespace tenon;

static constexpr int64_t count = 100000;

/// P(a, x), the incomplete gamma function over the gamma function: its series, or its
/// continued fraction by Lentz' method.
static double gammaBelow(double a, double x) {
  if (x <= 0)
    return 0;
  const double scale = std::exp(-x + a * std::log(x) - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; std::abs(term) > 1e-15 * sum; ++n)
      sum += term *= x / n;
    return sum * scale;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 10000; ++i) {
    const double n = -i * (i - a);
    b += 2;
    d = 1 / (n * d + b), c = b + n / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-14)
      break;
  }
  return 1 - scale * h;
}

/// I_x(a, b), by its continued fraction.
static double betaBelow(double a, double b, double x) {
  if (x <= 0 || x >= 1)
    return x > 0;
  if (x > (a + 1) / (a + b + 2))
    return 1 - betaBelow(b, a, 1 - x);
  const double scale =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 10000; ++m) {
    for (const double n : {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                           -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))}) {
      d = 1 / (1 + n * d), c = 1 + n / c;
      h *= d * c;
    }
    if (std::abs(d * c - 1) < 1e-14)
      break;
  }
  return scale * h;
}

static double normalBelow(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }
static double tBelow(double df, double x) {
  const double tail = betaBelow(df / 2, 0.5, df / (df + x * x)) / 2;
  return x > 0 ? 1 - tail : tail;
}

static std::vector<double> numbersOf(const Array &x) { return reshape(astype(x, f64), {-1}).to_vector<double>(); }

/// The largest distance of the numbers' distribution from `below`, times sqrt(n); of
/// integers where they are, below(k) being the probability of k or less.
static double distance(std::vector<double> x, const std::function<double(double)> &below, bool areIntegers) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double farthest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool isLast = i + 1 == x.size() || x[i + 1] != x[i];
    if (areIntegers && !isLast)
      continue;
    const double there = below(x[i]);
    farthest = std::max(farthest, std::abs(there - static_cast<double>(i + 1) / n));
    if (!areIntegers)
      farthest = std::max(farthest, std::abs(there - static_cast<double>(i) / n));
  }
  return farthest * std::sqrt(n);
}

static void expectMoments(const std::vector<double> &x, double mean, double variance, double fourth) {
  const auto n = static_cast<double>(x.size());
  double sum = 0, squares = 0;
  for (double one : x)
    sum += one;
  for (double one : x)
    squares += (one - mean) * (one - mean);
  EXPECT_NEAR(sum / n, mean, 5 * std::sqrt(variance / n));
  // The variance of a square is the fourth moment less that of the variance.
  EXPECT_NEAR(squares / n, variance, 5 * std::sqrt((fourth - 1) / n) * variance);
}

namespace {
/// `kurtosis` is the fourth central moment over the square of the variance.
struct Distribution {
  const char *name;
  std::function<Array(const Key &, Dtype)> draw;
  std::function<double(double)> below;
  double mean = NAN, variance = NAN, kurtosis = NAN;
  bool areIntegers = false;
};
} // namespace

static void expectDistributed(const Distribution &one, Dtype dtype) {
  SCOPED_TRACE(std::string(one.name) + " " + std::string(short_name(dtype)));
  const std::vector<double> x = numbersOf(one.draw(random::key(2024), dtype));
  EXPECT_LT(distance(x, one.below, one.areIntegers), 1.95);
  if (!std::isnan(one.variance))
    expectMoments(x, one.mean, one.variance, one.kurtosis);
}

static std::vector<Distribution> continuous() {
  using namespace random;
  const double pi = std::numbers::pi, euler = std::numbers::egamma;
  return {
      {"uniform", [](const Key &k, Dtype t) { return uniform(k, count, t, -1, 3); },
       [](double x) { return (x + 1) / 4; }, 1, 16.0 / 12, 1.8},
      {"normal", [](const Key &k, Dtype t) { return normal(k, count, t); }, normalBelow, 0, 1, 3},
      {"truncated_normal", [](const Key &k, Dtype t) { return truncated_normal(k, -0.5, 2, count, t); },
       [](double x) { return (normalBelow(x) - normalBelow(-0.5)) / (normalBelow(2) - normalBelow(-0.5)); }},
      {"exponential", [](const Key &k, Dtype t) { return exponential(k, count, t); },
       [](double x) { return -std::expm1(-x); }, 1, 1, 9},
      {"gumbel", [](const Key &k, Dtype t) { return gumbel(k, count, t); },
       [](double x) { return std::exp(-std::exp(-x)); }, euler, pi * pi / 6, 5.4},
      {"laplace", [](const Key &k, Dtype t) { return laplace(k, count, t); },
       [](double x) { return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2; }, 0, 2, 6},
      {"logistic", [](const Key &k, Dtype t) { return logistic(k, count, t); },
       [](double x) { return 1 / (1 + std::exp(-x)); }, 0, pi * pi / 3, 4.2},
      {"cauchy", [](const Key &k, Dtype t) { return cauchy(k, count, t); },
       [=](double x) { return std::atan(x) / pi + 0.5; }},
      {"rayleigh", [](const Key &k, Dtype t) { return rayleigh(k, 2, count, t); },
       [](double x) { return -std::expm1(-x * x / 8); }, 2 * std::sqrt(pi / 2), 4 * (2 - pi / 2), 3.245},
      {"pareto", [](const Key &k, Dtype t) { return pareto(k, 5, count, t); },
       [](double x) { return 1 - std::pow(x, -5.0); }, 1.25, 5.0 / 48, 73.8},
      {"weibull_min", [](const Key &k, Dtype t) { return weibull_min(k, 3, 2, count, t); },
       [](double x) { return -std::expm1(-x * x / 9); }, 1.5 * std::sqrt(std::numbers::pi),
       9 * (1 - std::numbers::pi / 4), 3.245},
      {"triangular", [](const Key &k, Dtype t) { return triangular(k, -1, 0, 3, count, t); },
       [](double x) { return x < 0 ? (x + 1) * (x + 1) / 4 : 1 - (3 - x) * (3 - x) / 12; }, 2.0 / 3, 13.0 / 18, 2.4},
      {"lognormal", [](const Key &k, Dtype t) { return lognormal(k, 0.5, count, t); },
       [](double x) { return normalBelow(std::log(x) / 0.5); }, std::exp(0.125), std::expm1(0.25) * std::exp(0.25),
       8.9},
      {"gamma below 1", [](const Key &k, Dtype t) { return gamma(k, 0.3, count, t); },
       [](double x) { return gammaBelow(0.3, x); }, 0.3, 0.3, 23},
      {"gamma", [](const Key &k, Dtype t) { return gamma(k, 4, count, t); }, [](double x) { return gammaBelow(4, x); },
       4, 4, 4.5},
      {"loggamma", [](const Key &k, Dtype t) { return loggamma(k, 0.02, count, t); },
       [](double x) { return gammaBelow(0.02, std::exp(x)); }},
      {"beta", [](const Key &k, Dtype t) { return beta(k, 2, 5, count, t); },
       [](double x) { return betaBelow(2, 5, x); }, 2.0 / 7, 10.0 / 392, 2.88},
      {"dirichlet", [](const Key &k, Dtype t) { return dirichlet(k, {0.5f, 2.0f, 3.0f}, count, t)[{_, 1}]; },
       [](double x) { return betaBelow(2, 3.5, x); }, 2 / 5.5, 7 / (5.5 * 5.5 * 6.5), 2.5},
      {"t", [](const Key &k, Dtype t) { return random::t(k, 10, count, t); }, [](double x) { return tBelow(10, x); }, 0,
       1.25, 4},
      {"chisquare", [](const Key &k, Dtype t) { return chisquare(k, 3, count, t); },
       [](double x) { return gammaBelow(1.5, x / 2); }, 3, 6, 7},
      {"ball: the radius", [](const Key &k, Dtype t) { return sqrt(sum(square(ball(k, 3, 2, count, t)), -1)); },
       [](double x) { return x * x * x; }, 0.75, 3.0 / 80, 3.1},
      {"ball: a coordinate", [](const Key &k, Dtype t) { return ball(k, 3, 2, count, t)[{_, 1}]; },
       [](double x) { return 0.5 + (3 * x - x * x * x) / 4; }, 0, 0.2, 15.0 / 7},
      {"ball of rhombs", [](const Key &k, Dtype t) { return sum(abs(ball(k, 2, 1, count, t)), -1); },
       [](double x) { return x * x; }, 2.0 / 3, 1.0 / 18, 2.4},
  };
}

/// Of integers: the sum of probabilities up to x.
static std::function<double(double)> upTo(const std::function<double(int)> &probability, int first = 0) {
  return [=](double x) {
    double sum = 0;
    for (int k = first; k <= x; ++k)
      sum += probability(k);
    return sum;
  };
}

static double binomialOf(int n, double p, int k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

static std::vector<Distribution> discrete() {
  using namespace random;
  auto poissons = [](double lam) {
    return upTo([=](int k) { return std::exp(k * std::log(lam) - lam - std::lgamma(k + 1)); });
  };
  const Array p = {1.0f, 0.0f, 5.0f, 2.0f};
  auto byWeight = upTo([](int k) { return std::array{0.125, 0.0, 0.625, 0.25}[static_cast<size_t>(k)]; });
  return {
      {"bernoulli", [](const Key &k, Dtype) { return bernoulli(k, 0.3, count); },
       upTo([](int k) { return k ? 0.3 : 0.7; }), 0.3, 0.21, 1.762, true},
      {"rademacher", [](const Key &k, Dtype) { return rademacher(k, count); },
       [](double x) { return x < 0 ? 0.5 : 1.0; }, 0, 1, 1.01, true},
      {"randint", [](const Key &k, Dtype) { return randint(k, count, -3, 10); }, [](double x) { return (x + 4) / 13; },
       3, 14, 1.79, true},
      {"randint of arrays", [](const Key &k, Dtype) { return randint(k, count, zeros({1}, i32), 100); },
       [](double x) { return (x + 1) / 100; }, 49.5, 9999.0 / 12, 1.8, true},
      {"geometric", [](const Key &k, Dtype) { return geometric(k, 0.2, count); },
       [](double x) { return 1 - std::pow(0.8, x); }, 5, 20, 9.05, true},
      {"poisson by product", [](const Key &k, Dtype) { return poisson(k, 4, count); }, poissons(4), 4, 4, 3.25, true},
      {"poisson by rejection", [](const Key &k, Dtype) { return poisson(k, 30, count); }, poissons(30), 30, 30, 3.04,
       true},
      {"poisson of both",
       [](const Key &k, Dtype) {
         return poisson(k, where(arange(count) % 2 == 0, 9.5f, 11.5f), count)[slice(0, _, 2)];
       },
       poissons(9.5), 9.5, 9.5, 3.11, true},
      {"binomial by gaps", [](const Key &k, Dtype t) { return binomial(k, 20, full({}, 0.3, t), count); },
       upTo([](int k) { return binomialOf(20, 0.3, k); }), 6, 4.2, 2.94, true},
      {"binomial by rejection", [](const Key &k, Dtype t) { return binomial(k, 100, full({}, 0.7, t), count); },
       upTo([](int k) { return binomialOf(100, 0.7, k); }), 70, 21, 2.99, true},
      {"categorical", [=](const Key &k, Dtype t) { return categorical(k, log(astype(p, t)), -1, count); }, byWeight,
       NAN, NAN, NAN, true},
      {"choice", [=](const Key &k, Dtype t) { return choice(k, 4, count, true, astype(p, t)); }, byWeight, NAN, NAN,
       NAN, true},
      {"the first of a permutation",
       [](const Key &k, Dtype) { return permutation(k, broadcast_to(arange(7), {count / 10, 7}), 1, true)[{_, 0}]; },
       [](double x) { return (x + 1) / 7; }, 3, 4, 1.75, true},
      {"the last chosen without replacement",
       [=](const Key &k, Dtype) {
         const Array logits = broadcast_to(log(Array{1.0f, 1.0f, 1.0f, 1.0f}), {count / 10, 4});
         return categorical(k, logits, -1, {2, count / 10}, false)[1];
       },
       [](double x) { return (x + 1) / 4; }, 1.5, 1.25, 1.64, true},
  };
}

TEST(RandomDistributions, Continuous) {
  for (const Distribution &one : continuous())
    for (Dtype dtype : {f32, f64})
      expectDistributed(one, dtype);
}

TEST(RandomDistributions, Discrete) {
  for (const Distribution &one : discrete())
    for (Dtype dtype : {f32, f64})
      expectDistributed(one, dtype);
}

// Narrow ones are made of few bits, as in JAX, 7 of bf16 and 10 of f16, and are rounded.
TEST(RandomDistributions, Narrow) {
  for (const Distribution &one : continuous())
    for (Dtype dtype : {f16, bf16}) {
      SCOPED_TRACE(std::string(one.name) + " " + std::string(short_name(dtype)));
      const std::vector<double> x = numbersOf(one.draw(random::key(2024), dtype));
      EXPECT_LT(distance(x, one.below, false) / std::sqrt(double(count)), dtype == f16 ? 0.01 : 0.03);
    }
}

TEST(RandomDistributions, ElementsAreIndependent) {
  // Neighbours, and the same elements of two keys.
  const Array x = random::normal(random::key(1), count), y = random::normal(random::key(2), count);
  EXPECT_LT(std::abs(double(mean(x * y))), 5 / std::sqrt(double(count)));
  EXPECT_LT(std::abs(double(mean(x[slice(1, _)] * x[slice(count - 1)]))), 5 / std::sqrt(double(count)));
  const Array g = random::gamma(random::key(1), 3, count) - 3;
  EXPECT_LT(std::abs(double(mean(g[slice(1, _)] * g[slice(count - 1)]))) / 3, 5 / std::sqrt(double(count)));
}
