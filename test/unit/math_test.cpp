//===- math_test.cpp - elementary functions, number rules, random bits -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../runtime/math/Exponential.h"
#include "../../runtime/math/Hyperbolic.h"
#include "../../runtime/math/Math.h"
#include "../../runtime/math/Power.h"
#include "../../runtime/math/Threefry.h"
#include "../../runtime/math/Trigonometric.h"
#include "../../runtime/math/Ulp.h"

#include <tenon/dtype.h>

#include <gtest/gtest.h>

#include <vector>

namespace math = tenon::math;
using math::Vec;

namespace {

// The functions as objects, so that a test can run over all of them; each with
// the C library's in higher precision and the worst error allowed.
#define FUNCTION(Name, name, worst)                                                                                    \
  struct Name {                                                                                                        \
    static constexpr double worstUlp = worst;                                                                          \
    template <class V>                                                                                                 \
    static V apply(V x) {                                                                                              \
      return math::name(x);                                                                                            \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    static T exact(T x) {                                                                                              \
      return std::name(x);                                                                                             \
    }                                                                                                                  \
  }
FUNCTION(Exp, exp, 1.0);
FUNCTION(Log, log, 1.0);
FUNCTION(Log1p, log1p, 1.0);
FUNCTION(Tanh, tanh, 1.1);
FUNCTION(Cbrt, cbrt, 1.0);
FUNCTION(Sqrt, sqrt, 0.5);
FUNCTION(Exp2, exp2, 1.1);
FUNCTION(Expm1, expm1, 1.1);
FUNCTION(Log2, log2, 1.1);
FUNCTION(Log10, log10, 1.1);
FUNCTION(Sin, sin, 1.1);
FUNCTION(Cos, cos, 1.1);
FUNCTION(Tan, tan, 1.1);
FUNCTION(Asin, asin, 1.1);
FUNCTION(Acos, acos, 1.1);
FUNCTION(Atan, atan, 1.1);
FUNCTION(Sinh, sinh, 1.5);
FUNCTION(Cosh, cosh, 1.5);
FUNCTION(Asinh, asinh, 1.5);
FUNCTION(Acosh, acosh, 1.5);
FUNCTION(Atanh, atanh, 1.5);
#undef FUNCTION

/// The angles of points on an upright line to the right or left of the origin.
template <int sign>
struct Atan2 {
  static constexpr double worstUlp = 1.1;
  static constexpr float x = sign * 0.75f;
  template <class V>
  static V apply(V y) {
    return math::atan2(y, math::broadcast<V>(x));
  }
  template <class T>
  static T exact(T y) {
    return std::atan2(y, T(x));
  }
};

/// Every 997th bit pattern of all f32 (997 is prime: all exponents, both signs
/// and all low bits come up), with the specials in front.
std::vector<float> floats() {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               INFINITY,
                               -INFINITY,
                               NAN,
                               0x1p-149f,
                               -0x1p-149f,
                               0x1p-126f,
                               0x1.fffffcp-127f,
                               0x1.fffffep127f,
                               -0x1.fffffep127f,
                               1.0f,
                               -1.0f,
                               0x1.fffffep-1f,
                               0x1.000002p0f,
                               88.72283f,
                               88.72284f,
                               -103.97207f,
                               -103.97208f,
                               -104.0f};
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 997)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  while (values.size() % 16 != 0)
    values.push_back(1.5f);
  return values;
}

std::vector<double> doubles() {
  std::vector<double> values = {0.0,
                                -0.0,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                0x1p-1074,
                                -0x1p-1074,
                                0x1p-1022,
                                0x1.ffffffffffffep-1023,
                                1.7976931348623157e308,
                                -1.7976931348623157e308,
                                1.0,
                                -1.0,
                                709.782712893384,
                                709.7827128933841,
                                -745.1332191019411,
                                -745.1332191019412,
                                -746.0};
  for (uint64_t i = 0; i < 1000000; ++i)
    values.push_back(math::sampleDouble(i));
  while (values.size() % 16 != 0)
    values.push_back(1.5);
  return values;
}

template <class T>
const std::vector<T> &samples() {
  static const std::vector<T> values = [] {
    if constexpr (sizeof(T) == 4)
      return floats();
    else
      return doubles();
  }();
  return values;
}

template <class Function, int N, class T>
std::vector<T> run(const std::vector<T> &in) {
  std::vector<T> out(in.size());
  for (size_t i = 0; i < in.size(); i += N)
    math::store<Vec<T, N>>(&out[i], Function::apply(math::load<Vec<T, N>>(&in[i])));
  return out;
}

/// The index of the first difference in bits, NaNs being equal; -1 if none.
template <class T>
int64_t firstDifference(const std::vector<T> &a, const std::vector<T> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (math::hashOf(0, a[i]) != math::hashOf(0, b[i]))
      return static_cast<int64_t>(i);
  return -1;
}

template <class Function, class T, class Exact>
void expectAccurate() {
  const std::vector<T> &in = samples<T>();
  const std::vector<T> out = run<Function, math::nativeLanes<T>>(in);
  double worst = 0;
  T at = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const double error = math::ulpError<T, Exact>(out[i], Function::exact(static_cast<Exact>(in[i])));
    if (error > worst)
      worst = error, at = in[i];
  }
  EXPECT_LE(worst, Function::worstUlp) << "at " << std::hexfloat << at;
}

template <class Function, class T>
void expectSameAtAllWidths() {
  const std::vector<T> &in = samples<T>();
  const std::vector<T> one = run<Function, 1>(in), eight = run<Function, 8>(in), sixteen = run<Function, 16>(in);
  EXPECT_EQ(firstDifference(one, eight), -1);
  EXPECT_EQ(firstDifference(one, sixteen), -1);
}

template <class Function, class T>
uint64_t hashOfSamples() {
  const std::vector<T> out = run<Function, math::nativeLanes<T>>(samples<T>());
  uint64_t hash = 0;
  for (size_t i = 0; i < out.size(); ++i)
    hash += math::hashOf(i, out[i]);
  return hash;
}

template <class Function>
class ElementaryTest : public testing::Test {};
struct FunctionNames {
  template <class Function>
  static std::string GetName(int i) {
    return std::vector{"exp",  "log",   "log1p", "tanh",  "cbrt",  "sqrt",  "atan2, right", "atan2, left",
                       "exp2", "expm1", "log2",  "log10", "sin",   "cos",   "tan",          "asin",
                       "acos", "atan",  "sinh",  "cosh",  "asinh", "acosh", "atanh"}[i];
  }
};
using Functions = testing::Types<Exp, Log, Log1p, Tanh, Cbrt, Sqrt, Atan2<1>, Atan2<-1>, Exp2, Expm1, Log2, Log10, Sin,
                                 Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Asinh, Acosh, Atanh>;
TYPED_TEST_SUITE(ElementaryTest, Functions, FunctionNames);

TYPED_TEST(ElementaryTest, IsAccurate) {
  expectAccurate<TypeParam, float, double>();
  expectAccurate<TypeParam, double, long double>();
}

TYPED_TEST(ElementaryTest, HasTheSameBitsAtAllWidths) {
  expectSameAtAllWidths<TypeParam, float>();
  expectSameAtAllWidths<TypeParam, double>();
}

// Another compiler or instruction set must find the same numbers. Who changes
// a polynomial copies the new ones from the failure.
TEST(Elementary, HasTheSameBitsInEveryBuild) {
  EXPECT_EQ((hashOfSamples<Exp, float>()), 0x6c2b4b3c9feef104);
  EXPECT_EQ((hashOfSamples<Log, float>()), 0xd64d7523de9b82c5);
  EXPECT_EQ((hashOfSamples<Log1p, float>()), 0x2e6473df17625c71);
  EXPECT_EQ((hashOfSamples<Atan2<1>, float>()), 0x06c6bc3b332ea346);
  EXPECT_EQ((hashOfSamples<Atan2<-1>, float>()), 0xd9a1fd3cf44143ad);
  EXPECT_EQ((hashOfSamples<Tanh, float>()), 0x4b50c77d0dc02b21);
  EXPECT_EQ((hashOfSamples<Cbrt, float>()), 0x95cb10287d8865dc);
  EXPECT_EQ((hashOfSamples<Sqrt, float>()), 0x9226ce5fbe340244);
  EXPECT_EQ((hashOfSamples<Exp, double>()), 0x2c47a7ced30eb9b4);
  EXPECT_EQ((hashOfSamples<Log, double>()), 0x6e78c5c0d8650664);
  EXPECT_EQ((hashOfSamples<Log1p, double>()), 0x75569c605b1cb6b4);
  EXPECT_EQ((hashOfSamples<Atan2<1>, double>()), 0x9c8b7ec021d31ccd);
  EXPECT_EQ((hashOfSamples<Atan2<-1>, double>()), 0xa7cc0751ebe9195f);
  EXPECT_EQ((hashOfSamples<Tanh, double>()), 0x330e913879656f8e);
  EXPECT_EQ((hashOfSamples<Cbrt, double>()), 0x2dd9694084e45739);
  EXPECT_EQ((hashOfSamples<Sqrt, double>()), 0x8e6432516a180bb1);
  EXPECT_EQ((hashOfSamples<Exp2, float>()), 0x0ae08cd72e026812);
  EXPECT_EQ((hashOfSamples<Expm1, float>()), 0x583b4d9b88da8725);
  EXPECT_EQ((hashOfSamples<Log2, float>()), 0x9fd2c5886a143ba4);
  EXPECT_EQ((hashOfSamples<Log10, float>()), 0xb7eda2d7552d6f2f);
  EXPECT_EQ((hashOfSamples<Sin, float>()), 0xdb00f739e1161a71);
  EXPECT_EQ((hashOfSamples<Cos, float>()), 0x3d4a9e933a6403fc);
  EXPECT_EQ((hashOfSamples<Tan, float>()), 0xf73b5ad75839c6f4);
  EXPECT_EQ((hashOfSamples<Asin, float>()), 0x0be5a7322be00079);
  EXPECT_EQ((hashOfSamples<Acos, float>()), 0x611e63743d1696e5);
  EXPECT_EQ((hashOfSamples<Atan, float>()), 0x1de232cb4cd41f66);
  EXPECT_EQ((hashOfSamples<Sinh, float>()), 0x5e9d696977993802);
  EXPECT_EQ((hashOfSamples<Cosh, float>()), 0x501da8db8ebb84b1);
  EXPECT_EQ((hashOfSamples<Asinh, float>()), 0x8a1846062ce41294);
  EXPECT_EQ((hashOfSamples<Acosh, float>()), 0xb8dfd2d7f4cf7a69);
  EXPECT_EQ((hashOfSamples<Atanh, float>()), 0xfb7b3999e6be62ac);
  EXPECT_EQ((hashOfSamples<Exp2, double>()), 0xd4b14684219bb629);
  EXPECT_EQ((hashOfSamples<Expm1, double>()), 0x8d23f119dbbc5685);
  EXPECT_EQ((hashOfSamples<Log2, double>()), 0x6bd093ec236727b0);
  EXPECT_EQ((hashOfSamples<Log10, double>()), 0x26e1ac9eefe24ab5);
  EXPECT_EQ((hashOfSamples<Sin, double>()), 0xc98797b1e9f78865);
  EXPECT_EQ((hashOfSamples<Cos, double>()), 0x1e968fc45eb5b4cd);
  EXPECT_EQ((hashOfSamples<Tan, double>()), 0x9863aa82ee9a77c5);
  EXPECT_EQ((hashOfSamples<Asin, double>()), 0x4bb42dad727c03b2);
  EXPECT_EQ((hashOfSamples<Acos, double>()), 0x4b9167bb66a7287a);
  EXPECT_EQ((hashOfSamples<Atan, double>()), 0x615061f8ccfbec8e);
  EXPECT_EQ((hashOfSamples<Sinh, double>()), 0x3da577fec371b0d9);
  EXPECT_EQ((hashOfSamples<Cosh, double>()), 0x2f9c0cb4fba6c164);
  EXPECT_EQ((hashOfSamples<Asinh, double>()), 0x027ad8ce96c5ab75);
  EXPECT_EQ((hashOfSamples<Acosh, double>()), 0x4a74c7497c0a3457);
  EXPECT_EQ((hashOfSamples<Atanh, double>()), 0x28f8150deb10ca06);
}

template <class T>
void expectLimits() {
  constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  constexpr T tiny = std::numeric_limits<T>::denorm_min();
  EXPECT_EQ(math::exp(T(0)), T(1));
  EXPECT_EQ(math::exp(-inf), T(0));
  EXPECT_EQ(math::exp(inf), inf);
  EXPECT_EQ(math::log(T(1)), T(0));
  EXPECT_EQ(math::log(T(0)), -inf);
  EXPECT_EQ(math::log(T(-0.0)), -inf);
  EXPECT_EQ(math::log(inf), inf);
  EXPECT_TRUE(std::isnan(math::log(T(-1))));
  EXPECT_TRUE(std::isnan(math::log(-inf)));
  EXPECT_EQ(math::log1p(T(-1)), -inf);
  EXPECT_EQ(math::log1p(inf), inf);
  EXPECT_EQ(math::log1p(tiny), tiny);
  EXPECT_TRUE(std::signbit(math::log1p(T(-0.0))));
  EXPECT_TRUE(std::isnan(math::log1p(T(-2))) && std::isnan(math::log1p(-inf)) && std::isnan(math::log1p(nan)));
  for (T y : {T(0), T(1), tiny, std::numeric_limits<T>::max(), inf})
    for (T x : {T(0), T(1), tiny, std::numeric_limits<T>::max(), inf})
      for (T signY : {T(1), T(-1)})
        for (T signX : {T(1), T(-1)}) {
          const T got = math::atan2(y * signY, x * signX), expected = std::atan2(y * signY, x * signX);
          EXPECT_NEAR(got, expected, 2 * std::numeric_limits<T>::epsilon()) << y * signY << " " << x * signX;
          EXPECT_EQ(std::signbit(got), std::signbit(expected)) << y * signY << " " << x * signX;
        }
  EXPECT_EQ(math::atan2(tiny, T(1)), tiny);
  EXPECT_TRUE(std::isnan(math::atan2(nan, T(1))) && std::isnan(math::atan2(inf, nan)));
  EXPECT_EQ(math::tanh(inf), T(1));
  EXPECT_EQ(math::tanh(-inf), T(-1));
  EXPECT_EQ(math::tanh(tiny), tiny);
  EXPECT_TRUE(std::signbit(math::tanh(T(-0.0))));
  EXPECT_EQ(math::cbrt(T(-27)), T(-3));
  EXPECT_EQ(math::cbrt(-inf), -inf);
  EXPECT_TRUE(std::signbit(math::cbrt(T(-0.0))));
  EXPECT_EQ(math::cbrt(T(0x1p-123)), T(0x1p-41));
  EXPECT_TRUE(std::isnan(math::exp(nan)) && std::isnan(math::log(nan)) && std::isnan(math::tanh(nan)) &&
              std::isnan(math::cbrt(nan)));
  // A negative NaN with every payload bit set: integer steps inside must not
  // turn it into a number.
  const T full = -std::bit_cast<T>(static_cast<std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>(-1));
  EXPECT_TRUE(std::isnan(math::exp(full)) && std::isnan(math::log(full)) && std::isnan(math::tanh(full)) &&
              std::isnan(math::cbrt(full)));
}

TEST(Elementary, HasTheLimitsOfAnnexF) {
  expectLimits<float>();
  expectLimits<double>();
}

TEST(Elementary, CubesHaveExactRoots) {
  for (int i = -1000; i <= 1000; ++i)
    EXPECT_EQ(math::cbrt(double(i) * i * i), i);
  for (int i = -200; i <= 200; ++i)
    EXPECT_EQ(math::cbrt(float(i * i * i)), float(i));
}

TEST(Numbers, IntegersWrap) {
  EXPECT_EQ(math::add<int32_t>(INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(math::subtract<int64_t>(INT64_MIN, 1), INT64_MAX);
  EXPECT_EQ(math::multiply<int32_t>(INT32_MAX, INT32_MAX), 1);
  EXPECT_EQ(math::multiply<uint8_t>(200, 200), uint8_t(40000 % 256));
  EXPECT_EQ(math::negative<int32_t>(INT32_MIN), INT32_MIN);
  EXPECT_EQ(math::abs<int64_t>(INT64_MIN), INT64_MIN);
  EXPECT_EQ(math::abs<int32_t>(-7), 7);
  EXPECT_EQ(math::negative<uint8_t>(1), 255);
  EXPECT_TRUE(std::signbit(math::negative(0.0f)));
  EXPECT_FALSE(std::signbit(math::abs(-0.0)));
  EXPECT_EQ((math::add(math::broadcast<Vec<int32_t, 8>>(INT32_MAX), math::broadcast<Vec<int32_t, 8>>(2))[5]),
            INT32_MIN + 1);
  EXPECT_EQ((math::abs(math::broadcast<Vec<int32_t, 16>>(INT32_MIN))[15]), INT32_MIN);
}

template <class T>
void expectShift(T a, T count, T expected) {
  EXPECT_EQ(math::right_shift(a, count), expected) << +a << " >> " << +count;
  EXPECT_EQ((math::right_shift(math::broadcast<Vec<T, 16>>(a), math::broadcast<Vec<T, 16>>(count))[9]), expected)
      << +a << " >> " << +count;
}

TEST(Numbers, ShiftsPastTheWidthShiftEveryBitOut) {
  expectShift<int32_t>(-8, 1, -4);
  expectShift<int32_t>(-8, 31, -1);
  expectShift<int32_t>(-8, 32, -1);
  expectShift<int32_t>(8, 32, 0);
  expectShift<int32_t>(8, -1, 0);
  expectShift<int32_t>(-8, -1, -1);
  expectShift<int64_t>(INT64_MIN, 63, -1);
  expectShift<int64_t>(INT64_MAX, 62, 1);
  expectShift<int64_t>(-1, INT64_MIN, -1);
  expectShift<uint32_t>(0x80000000, 31, 1);
  expectShift<uint32_t>(0x80000000, 32, 0);
  expectShift<uint32_t>(0x80000000, 0xffffffff, 0);
  expectShift<uint8_t>(255, 7, 1);
  expectShift<uint8_t>(255, 8, 0);
  expectShift<uint8_t>(255, 255, 0);
}

/// What convertTo promises; x87's long double holds every integer exactly.
template <class T>
T saturated(long double x) {
  if (std::isnan(x))
    return 0;
  if (x <= static_cast<long double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (x >= static_cast<long double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(x);
}

template <class T, class From>
void expectSaturating() {
  std::vector<From> in;
  for (size_t i = 0; i < samples<From>().size(); i += 13)
    in.push_back(samples<From>()[i]);
  for (int exponent : {7, 8, 31, 32, 63, 64})
    for (From sign : {From(1), From(-1)}) {
      const From edge = sign * std::ldexp(From(1), exponent);
      for (From value :
           {edge, std::nextafter(edge, From(0)), std::nextafter(edge, edge * 2), edge - 1, edge + 1, edge - From(0.5)})
        in.push_back(value);
    }
  in.insert(in.end(), {0.0, -0.0, NAN, INFINITY, -INFINITY, 0.99, -0.99, 254.99, 255.5, -1});
  while (in.size() % 8 != 0)
    in.push_back(1);
  for (size_t i = 0; i < in.size(); i += 8) {
    const auto wide = math::convertTo<T>(math::load<Vec<From, 8>>(&in[i]));
    for (int lane = 0; lane < 8; ++lane) {
      ASSERT_EQ(wide[lane], saturated<T>(in[i + lane])) << in[i + lane];
      ASSERT_EQ(math::convertTo<T>(in[i + lane]), saturated<T>(in[i + lane])) << in[i + lane];
    }
  }
}

TEST(Numbers, FloatToIntegerSaturates) {
  expectSaturating<int32_t, float>();
  expectSaturating<int64_t, float>();
  expectSaturating<uint32_t, float>();
  expectSaturating<uint8_t, float>();
  expectSaturating<int32_t, double>();
  expectSaturating<int64_t, double>();
  expectSaturating<uint32_t, double>();
  expectSaturating<uint8_t, double>();
}

TEST(Numbers, IntegerToFloatRoundsToNearestEven) {
  EXPECT_EQ(math::convertTo<float>(int32_t(16777217)), 16777216.0f);
  EXPECT_EQ(math::convertTo<float>(int32_t(16777219)), 16777220.0f);
  EXPECT_EQ(math::convertTo<float>(uint32_t(0xffffffff)), 4294967296.0f);
  // Through double this would round twice, to 0x1p62f.
  const int64_t between = (int64_t(1) << 62) + (int64_t(1) << 38) + 1;
  EXPECT_EQ(math::convertTo<float>(between), 0x1.000002p62f);
  EXPECT_EQ((math::convertTo<float>(math::broadcast<Vec<int64_t, 16>>(between))[15]), 0x1.000002p62f);
  EXPECT_EQ(math::convertTo<double>(int64_t(9007199254740993)), 9007199254740992.0);
  EXPECT_EQ((math::convertTo<float>(math::broadcast<Vec<uint32_t, 16>>(0xffffffff))[3]), 4294967296.0f);
  EXPECT_EQ((math::convertTo<float>(math::broadcast<Vec<uint8_t, 16>>(200))[3]), 200.0f);
  EXPECT_EQ(math::convertTo<uint8_t>(int32_t(-1)), 255);
  EXPECT_EQ(math::convertTo<int64_t>(int32_t(-1)), -1);
  EXPECT_EQ(math::convertTo<int64_t>(uint32_t(0xffffffff)), 4294967295);
}

TEST(Numbers, NotZeroIsTrue) {
  EXPECT_EQ(math::toBool(-0.0f), 0);
  EXPECT_EQ(math::toBool(NAN), 1);
  EXPECT_EQ(math::toBool(0x1p-1074), 1);
  EXPECT_EQ(math::toBool(int64_t(1) << 40), 1);
  Vec<float, 8> x = {0.0f, -0.0f, NAN, 1.0f, 0x1p-149f, INFINITY, -2.0f, 0.0f};
  const int expected[8] = {0, 0, 1, 1, 1, 1, 1, 0};
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(math::toBool(x)[i], expected[i]) << i;
}

/// A narrow float by its definition: bits of exponent and fraction, and whether its
/// largest exponent is infinity and NaN, or numbers but for one NaN.
template <class F>
struct Format;
template <>
struct Format<tenon::bfloat16_t> {
  static constexpr int exponent = 8, fraction = 7;
  static constexpr bool hasInfinity = true;
};
template <>
struct Format<tenon::float16_t> {
  static constexpr int exponent = 5, fraction = 10;
  static constexpr bool hasInfinity = true;
};
template <>
struct Format<tenon::float8_e5m2_t> {
  static constexpr int exponent = 5, fraction = 2;
  static constexpr bool hasInfinity = true;
};
template <>
struct Format<tenon::float8_e4m3fn_t> {
  static constexpr int exponent = 4, fraction = 3;
  static constexpr bool hasInfinity = false;
};

/// The number that a code without a sign stands for; infinity and NaN as in IEEE 754.
template <class F>
static double valueOf(int code) {
  constexpr int exponents = 1 << Format<F>::exponent, fractions = 1 << Format<F>::fraction, bias = exponents / 2 - 1;
  const int exponent = code / fractions, fraction = code % fractions;
  if (Format<F>::hasInfinity && exponent == exponents - 1)
    return fraction ? NAN : INFINITY;
  if (!Format<F>::hasInfinity && code == exponents * fractions - 1)
    return NAN;
  return exponent ? std::ldexp(1 + double(fraction) / fractions, exponent - bias)
                  : std::ldexp(double(fraction) / fractions, 1 - bias);
}

template <class F>
class NarrowFloats : public testing::Test {
public:
  using Bits = decltype(F::bits);
  static constexpr int sign = 1 << (Format<F>::exponent + Format<F>::fraction);
  static F of(int code) {
    F made;
    made.bits = static_cast<Bits>(code);
    return made;
  }
  template <int N>
  static int inLane(float x) {
    return math::toNarrow<F>(math::broadcast<Vec<float, N>>(x))[N - 1];
  }
  /// What becomes of a float, which is the same on the host and in every width.
  static int rounded(float x) {
    const int bits = F(x).bits;
    EXPECT_EQ(math::toNarrow<F>(x), bits) << x;
    EXPECT_EQ(inLane<4>(x), bits) << x;
    EXPECT_EQ(inLane<8>(x), bits) << x;
    EXPECT_EQ(inLane<16>(x), bits) << x;
    return bits;
  }
  /// The same of a double.
  static int rounded(double x) {
    const int bits = F(x).bits;
    EXPECT_EQ(math::toNarrow<F>(math::roundedToOdd(x)), bits) << x;
    EXPECT_EQ(math::toNarrow<F>(math::roundedToOdd(math::broadcast<Vec<double, 4>>(x)))[3], bits) << x;
    return bits;
  }
};
using AllNarrowFloats =
    testing::Types<tenon::bfloat16_t, tenon::float16_t, tenon::float8_e5m2_t, tenon::float8_e4m3fn_t>;
TYPED_TEST_SUITE(NarrowFloats, AllNarrowFloats);

TYPED_TEST(NarrowFloats, EveryCodeIsItsNumber) {
  using F = TypeParam;
  for (int code = 0; code < 2 * this->sign; ++code) {
    const double magnitude = valueOf<F>(code % this->sign), expected = code < this->sign ? magnitude : -magnitude;
    const float host = this->of(code), lane = math::fromNarrow<F>(this->of(code).bits),
                wide = math::fromNarrow<F>(math::broadcast<Vec<decltype(F::bits), 16>>(this->of(code).bits))[9],
                short_ = math::fromNarrow<F>(math::broadcast<Vec<decltype(F::bits), 4>>(this->of(code).bits))[3];
    for (float got : {host, lane, wide, short_}) {
      ASSERT_EQ(std::isnan(got), std::isnan(expected)) << code;
      if (!std::isnan(expected)) {
        ASSERT_EQ(got, expected) << code;
      }
      ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(host)) << code;
    }
    ASSERT_EQ(std::signbit(host), code >= this->sign) << code;
    if (!std::isnan(expected)) {
      ASSERT_EQ(this->rounded(host), code);
      ASSERT_EQ(this->rounded(double(host)), code);
    }
  }
}

TYPED_TEST(NarrowFloats, RoundToNearestEven) {
  using F = TypeParam;
  const int end = this->sign - 1; // the last NaN
  for (int code = 0; code < end; ++code) {
    const double here = valueOf<F>(code);
    if (!std::isfinite(here))
      break;
    // Past the largest number comes what would be the next one.
    double next = valueOf<F>(code + 1);
    if (!std::isfinite(next))
      next = 2 * here - valueOf<F>(code - 1);
    const double middle = (here + next) / 2;
    const int even = code % 2 ? code + 1 : code;
    ASSERT_EQ(float(middle), middle);
    ASSERT_EQ(this->rounded(float(middle)), even) << code;
    ASSERT_EQ(this->rounded(middle), even) << code;
    ASSERT_EQ(this->rounded(-middle), even + this->sign) << code;
    ASSERT_EQ(this->rounded(std::nextafter(float(middle), 0.0f)), code) << code;
    ASSERT_EQ(this->rounded(std::nextafter(float(middle), INFINITY)), code + 1) << code;
    // A double so near the middle that the float next to it is the middle.
    ASSERT_EQ(this->rounded(std::nextafter(middle, 0.0)), code) << code;
    ASSERT_EQ(this->rounded(std::nextafter(middle, double(INFINITY))), code + 1) << code;
    ASSERT_EQ(this->rounded(-std::nextafter(middle, double(INFINITY))), code + 1 + this->sign) << code;
  }
}

TYPED_TEST(NarrowFloats, PastTheLargestIsInfinityOrNan) {
  using F = TypeParam;
  const int over = Format<F>::hasInfinity ? ((1 << Format<F>::exponent) - 1) << Format<F>::fraction : this->sign - 1;
  for (float x : {3.4028235e38f, INFINITY}) {
    EXPECT_EQ(this->rounded(x), over);
    EXPECT_EQ(this->rounded(-x), over + this->sign);
  }
  for (double x : {1e300, double(INFINITY)})
    EXPECT_EQ(this->rounded(-x), over + this->sign);
  for (double x : {1e-300, 0x1p-1074, 0.0}) {
    EXPECT_EQ(this->rounded(x), 0);
    EXPECT_EQ(this->rounded(-x), this->sign);
  }
  // A NaN with a payload of low bits alone, and of all.
  for (uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu}) {
    const int nan = this->rounded(std::bit_cast<float>(bits));
    EXPECT_TRUE(std::isnan(float(this->of(nan)))) << std::hex << bits;
    EXPECT_EQ(nan >= this->sign, bits >> 31) << std::hex << bits;
  }
  EXPECT_TRUE(std::isnan(float(this->of(this->rounded(double(NAN))))));
}

TEST(Numbers, ANanKeepsItsPayload) {
  EXPECT_EQ(math::toNarrow<tenon::bfloat16_t>(std::bit_cast<float>(0xffffffff)), 0xffff);
  EXPECT_EQ(math::toNarrow<tenon::bfloat16_t>(std::bit_cast<float>(0x7f800001)), 0x7fc0);
  EXPECT_EQ(math::toNarrow<tenon::float16_t>(std::bit_cast<float>(0xff80a001)), 0xfe05);
  EXPECT_EQ(tenon::float16_t(std::bit_cast<float>(0xff80a001)).bits, 0xfe05);
}

template <class V>
void expectExtremes() {
  using T = math::Element<V>;
  const T inf = INFINITY, values[] = {T(0), T(-0.0), T(1), T(-1), inf, -inf, T(NAN), T(0x1p-130)};
  auto lane = [](V v) {
    if constexpr (math::lanes<V> == 1)
      return v;
    else
      return v[math::lanes<V> - 1];
  };
  for (T a : values)
    for (T b : values) {
      const T high = lane(math::maximum(math::broadcast<V>(a), math::broadcast<V>(b)));
      const T low = lane(math::minimum(math::broadcast<V>(a), math::broadcast<V>(b)));
      if (std::isnan(a) || std::isnan(b)) {
        EXPECT_TRUE(std::isnan(high) && std::isnan(low)) << a << ", " << b;
        continue;
      }
      const bool aFirst = a < b || (a == b && std::signbit(a));
      EXPECT_EQ(math::hashOf(0, high), math::hashOf(0, aFirst ? b : a)) << a << ", " << b;
      EXPECT_EQ(math::hashOf(0, low), math::hashOf(0, aFirst ? a : b)) << a << ", " << b;
    }
}

TEST(Numbers, MaximumAndMinimumAreIeee2019) {
  expectExtremes<float>();
  expectExtremes<double>();
  expectExtremes<Vec<float, 16>>();
  expectExtremes<Vec<double, 8>>();
  EXPECT_EQ(math::maximum<int32_t>(-3, 2), 2);
  EXPECT_EQ(math::minimum<uint32_t>(0xffffffff, 2), 2u);
}

TEST(Threefry, MatchesRandom123) {
  // Known answers of the Random123 distribution, threefry2x32 with 20 rounds.
  const uint32_t known[3][6] = {{0, 0, 0, 0, 0x6b200159, 0x99ba4efe},
                                {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x1cb996fc, 0xbb002be7},
                                {0x13198a2e, 0x03707344, 0x243f6a88, 0x85a308d3, 0xc4923a9c, 0x483df7a0}};
  for (const auto &row : known) {
    uint32_t x0 = row[2], x1 = row[3];
    math::threefry2x32(row[0], row[1], x0, x1);
    EXPECT_EQ(x0, row[4]);
    EXPECT_EQ(x1, row[5]);
  }
}

TEST(Threefry, MatchesJax) {
  // jax.random.bits(jax.random.key(seed), (5,), "uint32") of JAX 0.10.2 with
  // jax_threefry_partitionable=True, then element 999 of shape (1000,), then
  // all of shape (7, 11) combined by xor.
  struct Golden {
    uint32_t k0, k1, bits[5], last, all;
  };
  const Golden golden[] = {
      {0, 0, {0xf29a4fa7, 0xfa843692, 0x55110e28, 0x77faa835, 0x91e43bb7}, 0x64f53232, 0x784b5ce7},
      {0, 1, {0x704a38b7, 0x88a4083e, 0x7227b57a, 0x703abff1, 0xe5b993a4}, 0xd3773e52, 0x39507c13},
      {0, 42, {0x7d1c13a2, 0xae0730d9, 0x9dc3f9f9, 0x8f9ec1d7, 0x735d7315}, 0x5dc2d15a, 0x3a56a0b0},
      {0x7048, 0x860ddf79, {0x57986b5a, 0x25509ac2, 0x721cf49d, 0xf3fae675, 0x2363eae0}, 0xea2ad76c, 0x9fb82846}};
  for (const Golden &g : golden) {
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(math::randomBits32<uint32_t>(g.k0, g.k1, i), g.bits[i]);
    EXPECT_EQ(math::randomBits32<uint32_t>(g.k0, g.k1, 999), g.last);
    uint32_t all = 0;
    for (int i = 0; i < 77; i += 8) {
      const auto bits = math::randomBits32<Vec<uint32_t, 8>>(g.k0, g.k1, i);
      for (int lane = 0; lane < 8 && i + lane < 77; ++lane)
        all ^= bits[lane];
    }
    EXPECT_EQ(all, g.all);
  }
  // bits(key(42), (2,), "uint64"); the halves are also the keys of split(key(42), 2).
  EXPECT_EQ(math::randomBits64<uint32_t>(0, 42, 0), 0x6d3e048f1022172d);
  EXPECT_EQ(math::randomBits64<uint32_t>(0, 42, 1), 0x03d7b32dadd083f4);
  const auto words = math::randomWords<Vec<uint32_t, 8>>(0, 42, 0);
  EXPECT_EQ(words.high[1], 0x03d7b32du);
  EXPECT_EQ(words.low[1], 0xadd083f4u);
}

TEST(Threefry, CountersCarryIntoTheUpperWord) {
  const uint64_t start = (uint64_t(3) << 32) - 5;
  const auto wide = math::randomBits32<Vec<uint32_t, 16>>(7, 9, start);
  for (int i = 0; i < 16; ++i) {
    uint32_t high = static_cast<uint32_t>((start + i) >> 32), low = static_cast<uint32_t>(start + i);
    math::threefry2x32<uint32_t>(7, 9, high, low);
    EXPECT_EQ(wide[i], high ^ low) << i;
    EXPECT_EQ(math::randomBits32<uint32_t>(7, 9, start + i), high ^ low) << i;
  }
}

} // namespace
