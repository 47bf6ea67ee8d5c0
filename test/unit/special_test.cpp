//===- special_test.cpp - special functions, remainders ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../runtime/math/Bessel.h"
#include "../../runtime/math/Erf.h"
#include "../../runtime/math/Gamma.h"
#include "../../runtime/math/References.h"
#include "../../runtime/math/Remainder.h"
#include "../../runtime/math/Ulp.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace math = tenon::math;
using math::Vec;

namespace {

/// Random bits, and as many numbers in [-range, range).
template <class T>
std::vector<T> samples(double range) {
  constexpr T inf = std::numeric_limits<T>::infinity(), least = std::numeric_limits<T>::denorm_min();
  std::vector<T> values = {T(0), -T(0), inf, -inf, std::numeric_limits<T>::quiet_NaN(), least, -least, T(0.5), T(1)};
  for (uint64_t i = 0; i < 400000; ++i) {
    const double any = math::sampleDouble(i);
    const uint64_t bits = std::bit_cast<uint64_t>(math::sampleDouble(2 * i + 1000000));
    if constexpr (sizeof(T) == 4)
      values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits ^ bits >> 32)));
    else
      values.push_back(any);
    values.push_back(static_cast<T>((static_cast<double>((bits & 0x000fffffffffffff) * 2) * 0x1p-52 - 1) * range));
  }
  while (values.size() % 16)
    values.push_back(T(1.5));
  return values;
}

template <int N, class T, class F>
std::vector<T> mapped(const std::vector<T> &x, F f) {
  std::vector<T> out(x.size());
  for (size_t i = 0; i < x.size(); i += N)
    math::store<Vec<T, N>>(&out[i], f(math::load<Vec<T, N>>(&x[i])));
  return out;
}
template <int N, class T, class F>
std::vector<T> mapped(const std::vector<T> &x, const std::vector<T> &y, F f) {
  std::vector<T> out(x.size());
  for (size_t i = 0; i < x.size(); i += N)
    math::store<Vec<T, N>>(&out[i], f(math::load<Vec<T, N>>(&x[i]), math::load<Vec<T, N>>(&y[i])));
  return out;
}

template <class T>
uint64_t hashOf(const std::vector<T> &values) {
  uint64_t hash = 0;
  for (size_t i = 0; i < values.size(); ++i)
    hash += math::hashOf(i, values[i]);
  return hash;
}

/// Beside what a result's error is measured: 0 is the result.
struct Itself {
  template <class Exact>
  Exact operator()(Exact) const {
    return 0;
  }
};

/// Against `exact` in Exact; the same bits at all widths and in every build.
template <class T, class Exact, class F, class G, class Size = Itself>
void expectFunction(F f, G exact, double range, double worstUlp, uint64_t hash, Size size = {}) {
  const std::vector<T> x = samples<T>(range), one = mapped<1>(x, f);
  double worst = 0;
  T at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error =
        math::ulpError<T, Exact>(one[i], exact(static_cast<Exact>(x[i])), size(static_cast<Exact>(x[i])));
    if (error > worst)
      worst = error, at = x[i];
  }
  EXPECT_LE(worst, worstUlp) << "at " << std::hexfloat << at;
  EXPECT_EQ(hashOf(one), hashOf(mapped<math::nativeLanes<T>>(x, f)));
  EXPECT_EQ(hashOf(one), hashOf(mapped<2 * math::nativeLanes<T>>(x, f)));
  EXPECT_EQ(hashOf(one), hash) << std::hex << hashOf(one);
}

constexpr auto erfOf = [](auto x) { return math::erf(x); };
constexpr auto erfcOf = [](auto x) { return math::erfc(x); };

TEST(Special, ErrorFunctions) {
  const auto erf = [](auto x) { return std::erf(x); };
  const auto erfc = [](auto x) { return std::erfc(x); };
  expectFunction<float, double>(erfOf, erf, 4.5, 1, 0xc0e3c97fc7ce4ddb);
  expectFunction<double, long double>(erfOf, erf, 6.5, 1.1, 0x9c0b6e7b1a7c9a72);
  expectFunction<float, double>(erfcOf, erfc, 10.7, 0.7, 0x0398552eca07d58d);
  expectFunction<double, long double>(erfcOf, erfc, 28, 1, 0xa8e2f8f79e9ff8c5);
}

TEST(Special, ErrorFunctionsEnd) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(math::erf(inf), 1);
  EXPECT_EQ(math::erf(-inf), -1);
  EXPECT_TRUE(std::signbit(math::erf(-0.0)));
  EXPECT_EQ(math::erfc(inf), 0);
  EXPECT_EQ(math::erfc(-inf), 2);
  EXPECT_EQ(math::erfc(-0.0), 1);
  EXPECT_EQ(math::erfc(27.25), 0);
  EXPECT_EQ(math::erfc(27.2), std::erfc(27.2)); // 76 of the smallest numbers
  EXPECT_EQ(math::erfc(10.05f), static_cast<float>(std::erfc(static_cast<double>(10.05f))));
}

using Long = long double;
namespace reference = math::reference;

TEST(Special, GammaFunctions) {
  const auto lgamma = [](auto x) { return math::lgamma(x); };
  const auto digamma = [](auto x) { return math::digamma(x); };
  const auto trigamma = [](auto x) { return math::trigamma(x); };
  const auto exact = [](Long x) { return std::lgamma(x); };
  const auto size = reference::reflectedFrom<Long>;
  const auto digammaOf = reference::digamma<Long>, rough = reference::digammaSize<Long>;
  const auto trigammaOf = reference::trigamma<Long>;
  expectFunction<float, Long>(lgamma, exact, 12, 0.6, 0x5d945a6f7122cd7c, size);
  expectFunction<double, Long>(lgamma, exact, 12, 4, 0x5fecd921ef5035aa, size);
  expectFunction<float, Long>(digamma, digammaOf, 12, 0.6, 0xbb9693ecbbb8f7f1, rough);
  expectFunction<double, Long>(digamma, digammaOf, 12, 4, 0x66ef843fe64c8ec9, rough);
  expectFunction<float, Long>(trigamma, trigammaOf, 12, 0.6, 0xe72c296880d1a426);
  expectFunction<double, Long>(trigamma, trigammaOf, 12, 4, 0xc7c55139890c85f1);
}
TEST(Special, GammaFunctionsAtTheirEnds) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double x : {0.0, -0.0, -1.0, -17.0, -1e300, inf, -inf})
    EXPECT_EQ(math::lgamma(x), inf) << x;
  EXPECT_EQ(math::lgamma(1.0), 0);
  EXPECT_EQ(math::lgamma(2.0), 0);
  EXPECT_DOUBLE_EQ(math::lgamma(-0x1p-1074), std::lgamma(-0x1p-1074));
  EXPECT_EQ(math::lgamma(1e306), std::lgamma(1e306));
  EXPECT_EQ(math::lgamma(1e307), inf);
  EXPECT_EQ(math::digamma(0.0), -inf);
  EXPECT_EQ(math::digamma(-0.0), inf);
  EXPECT_TRUE(std::isnan(math::digamma(-3.0)) && std::isnan(math::digamma(-inf)));
  // The digits behind its zero, as mpmath gives them.
  EXPECT_NEAR(math::digamma(0x1.762d86356be3fp0), 0, 3e-16);
  EXPECT_EQ(math::trigamma(-3.0), inf);
  EXPECT_EQ(math::trigamma(0.0), inf);
  EXPECT_EQ(math::trigamma(inf), 0);
  // Where the square, or the inverse, is no number.
  EXPECT_TRUE(std::isnan(math::trigamma(-inf)));
  for (const double x : {1e-160, -1e-160, 1e-310, -1e-310})
    EXPECT_EQ(math::trigamma(x), inf) << x;
  EXPECT_EQ(math::digamma(1e-310), -inf);
  EXPECT_EQ(math::digamma(-1e-310), inf);
  EXPECT_DOUBLE_EQ(math::trigamma(7.6637353577679592e-155), 1.7026249815831527e308);
}

TEST(Special, BesselFunctions) {
  const auto i0e = [](auto x) { return math::i0e(x); };
  const auto i1e = [](auto x) { return math::i1e(x); };
  expectFunction<float, Long>(i0e, reference::expBessel<0, Long>, 20, 4, 0x54bd9b2e28ec76d4);
  expectFunction<double, Long>(i0e, reference::expBessel<0, Long>, 20, 4, 0x5d35f8ece0565b98);
  expectFunction<float, Long>(i1e, reference::expBessel<1, Long>, 20, 4, 0x66e5d63bc539bd9c);
  expectFunction<double, Long>(i1e, reference::expBessel<1, Long>, 20, 4, 0xfccd2f152cf86cae);
  EXPECT_EQ(math::i0e(0.0), 1);
  EXPECT_TRUE(std::signbit(math::i1e(-0.0)));
}

/// Pairs of any bits, of quotients of all sizes, of whole multiples, with subnormal divisors; all pairs of what is
/// special first.
template <class T>
std::pair<std::vector<T>, std::vector<T>> pairs() {
  using Limits = std::numeric_limits<T>;
  const T ends[] = {T(0),           -T(0),
                    T(1),           T(-1),
                    T(3),           T(-3),
                    T(0.5),         Limits::infinity(),
                    Limits::min(),  -Limits::infinity(),
                    Limits::max(),  Limits::quiet_NaN(),
                    -Limits::max(), Limits::denorm_min(),
                    T(1e30),        -Limits::denorm_min()};
  std::vector<T> x, y;
  for (const T a : ends)
    for (const T b : ends)
      x.push_back(a), y.push_back(b);
  const std::vector<T> any = samples<T>(100);
  for (size_t i = 16; i + 1 < any.size(); ++i) {
    const T a = any[i], b = any[i + 1];
    const int small = static_cast<int>(i % 997) + 1;
    x.push_back(i % 5 == 3 ? b * T(small) : a);
    y.push_back(i % 5 == 0   ? std::copysign(Limits::denorm_min() * T(small), b)
                : i % 5 == 1 ? a / T(small)
                : i % 5 == 2 ? std::scalbn(a, -small)
                             : b);
  }
  while (x.size() % 16)
    x.push_back(T(7)), y.push_back(T(-2));
  return {x, y};
}

/// The rules in NumPy's words.
template <class T>
T remainderOf(T x, T y) {
  const T rest = std::fmod(x, y);
  if (rest == 0)
    return std::copysign(T(0), y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}
template <class T>
T floorQuotientOf(T x, T y) {
  if (y == 0)
    return x / y;
  const T rest = std::fmod(x, y);
  T quotient = (x - rest) / y;
  if (rest != 0 && (rest < 0) != (y < 0))
    quotient -= 1;
  if (quotient == 0)
    return std::copysign(T(0), x / y);
  const T low = std::floor(quotient);
  return quotient - low > T(0.5) ? low + 1 : low;
}

template <class T, class F, class G>
void expectRests(F f, G exact, uint64_t hash) {
  const auto [x, y] = pairs<T>();
  const std::vector<T> one = mapped<1>(x, y, f);
  for (size_t i = 0; i < x.size(); ++i) {
    const T expected = exact(x[i], y[i]);
    ASSERT_EQ(math::hashOf(0, one[i]), math::hashOf(0, expected))
        << std::hexfloat << x[i] << " " << y[i] << ": " << one[i] << " instead of " << expected;
  }
  EXPECT_EQ(hashOf(one), hashOf(mapped<math::nativeLanes<T>>(x, y, f)));
  EXPECT_EQ(hashOf(one), hashOf(mapped<2 * math::nativeLanes<T>>(x, y, f)));
  EXPECT_EQ(hashOf(one), hash) << std::hex << hashOf(one);
}

template <class T>
void expectDivisions(uint64_t fmod, uint64_t remainder, uint64_t quotient) {
  expectRests<T>([](auto x, auto y) { return math::fmod(x, y); }, [](T x, T y) { return std::fmod(x, y); }, fmod);
  expectRests<T>([](auto x, auto y) { return math::remainder(x, y); }, remainderOf<T>, remainder);
  expectRests<T>([](auto x, auto y) { return math::floor_divide(x, y); }, floorQuotientOf<T>, quotient);
}
TEST(Special, DivisionsOfFloats) {
  expectDivisions<float>(0x5b6d360071f7f7c7, 0x136127d112b72ebd, 0xdaebad82f3f8a657);
  expectDivisions<double>(0x1f5b633feb60d5d8, 0x67ab21ddaf9ec132, 0x07c7e0ffcdfa5ec0);
}

TEST(Special, FmodOfIntegers) {
  EXPECT_EQ(math::fmod<int32_t>(-7, 2), -1);
  EXPECT_EQ(math::fmod<int32_t>(7, -2), 1);
  EXPECT_EQ(math::fmod<int32_t>(INT32_MIN, -1), 0);
  EXPECT_EQ(math::fmod<int64_t>(5, 0), 0);
  EXPECT_EQ(math::fmod<uint8_t>(200, 7), 4);
}

} // namespace
