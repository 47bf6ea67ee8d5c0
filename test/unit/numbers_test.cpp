//===- numbers_test.cpp - C++ numbers as operands, eager and traced ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <map>

using namespace tenon;
using namespace tenon::test;

// Where a bool is asked, any number says whether it is not 0, as in NumPy.
TEST(Numbers, AreWhereTheArraysBesideThemAre) {
  Array x = to_device(zeros({2, 3}), Device::null);
  for (const Array &y : {x + 2.0f, 2.0f * x, maximum(x, 1), where(x > 0, x, 1.0f)}) {
    EXPECT_EQ(y.device(), Device::null);
    EXPECT_EQ(y.shape(), x.shape());
    EXPECT_EQ(y.dtype(), f32);
  }
  EXPECT_EQ((x > 0).dtype(), Dtype::bool_);
}

TEST(Devices, OfWhatIsMade) {
  EXPECT_EQ(name(Device::cpu), "cpu:0");
  EXPECT_EQ(name(Device{DeviceKind::null, 12}), "null:12");
  EXPECT_EQ(default_device(), Device::cpu);
  auto make = [](const Array &x) {
    const Device cpu = Device::cpu;
    return std::vector{full({2}, 3, {}, cpu),    zeros({2}, f32, cpu),
                       ones({2}, i32, cpu),      arange(4, {}, 1, f64, cpu),
                       full_like(x, 2, {}, cpu), zeros_like(x, {}, cpu),
                       ones_like(x, u8, cpu),    random::bits(random::key(1).data, {2}, 1, cpu)};
  };
  const Array x = {1.5f, 2.5f};
  const std::vector<Array> eager = make(x), compiled = jit(make)(x);
  for (size_t i = 0; i < eager.size(); ++i) {
    EXPECT_EQ(eager[i].device(), Device::cpu);
    EXPECT_EQ(format("{}", eager[i]), format("{}", compiled[i]));
  }
  // Where no device is said, it is the array's.
  EXPECT_EQ(zeros_like(to_device(x, Device::null)).device(), Device::null);
  EXPECT_EQ(zeros_like(to_device(x, Device::null), {}, Device::cpu).device(), Device::cpu);
  EXPECT_EQ(zeros_like(to_device(x, Device::null), {}, Device::cpu).to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(Numbers, AreTrueWhenTheyAreNotZero) {
  const Array flags = {true, false};
  auto check = [&](Scalar number, bool isTrue) {
    auto f = [&](const Array &x) { return std::pair(logical_and(number, x), where(number, x, logical_and(x, false))); };
    const std::vector<bool> expected = {isTrue, false};
    auto eager = f(flags);
    auto traced = jit(f, {.compile = Compile::never})(flags);
    EXPECT_EQ(eager.first.to_vector<bool>(), expected) << number.str();
    EXPECT_EQ(eager.second.to_vector<bool>(), expected) << number.str();
    EXPECT_EQ(traced.first.to_vector<bool>(), expected) << number.str();
    EXPECT_EQ(traced.second.to_vector<bool>(), expected) << number.str();
  };
  check(true, true);
  check(false, false);
  check(-3, true);
  check(0.5, true);
  check(-0.0, false);
  check(NAN, true);
}

//===----------------------------------------------------------------------===//
// Numbers above INT64_MAX, and integers that no float holds
//===----------------------------------------------------------------------===//

/// What f gives eagerly, interpreted and compiled: three equal lists.
template <class T, class F>
static std::vector<T> everywhere(F f, const Array &x) {
  std::vector<T> eager = f(x).template to_vector<T>();
  EXPECT_EQ(jit(f, {.compile = Compile::never})(x).template to_vector<T>(), eager) << "interpreted";
  EXPECT_EQ(jit(f)(x).template to_vector<T>(), eager) << "compiled";
  return eager;
}

TEST(Numbers, OfAHigherKindThanAnArrayMakeItOfTheirOwn) {
  const Array flags{true, false}, counts{1, 2}, bytes = astype(counts, Dtype::u8);
  Array sum = flags + 1;
  EXPECT_EQ(sum.dtype(), i32);
  EXPECT_EQ(sum.to_vector<int32_t>(), (std::vector<int32_t>{2, 1}));
  EXPECT_EQ((flags * true).dtype(), Dtype::bool_);
  EXPECT_EQ((flags + 0.5f).to_vector<float>(), (std::vector<float>{1.5f, 0.5f}));
  EXPECT_EQ((2.5 * counts).to_vector<float>(), (std::vector<float>{2.5f, 5.0f}));
  EXPECT_EQ((bytes + 3).to_vector<uint8_t>(), (std::vector<uint8_t>{4, 5}));
  EXPECT_EQ((bytes + 0.5).dtype(), f32);
  EXPECT_EQ((astype(counts, f64) + 0.5f).dtype(), f64);
  EXPECT_EQ((Array{1.5f, -2.0f} * complex64_t{0, 1}).to_vector<complex64_t>(),
            (std::vector<complex64_t>{{0, 1.5f}, {0, -2}}));
  EXPECT_EQ((flags + int64_t(5000000000)).to_vector<int64_t>(), (std::vector<int64_t>{5000000001, 5000000000}));
  EXPECT_EQ((counts <= 1.5).to_vector<bool>(), (std::vector<bool>{true, false}));
  // Recorded as eagerly.
  auto all = [](const Array &x) { return std::vector<Array>{x + 1, x * 0.5, x <= true, where(x, 3, 4.5f)}; };
  const std::vector<Array> eager = all(flags), traced = jit(all, {.compile = Compile::never})(flags);
  for (size_t i = 0; i < eager.size(); ++i)
    EXPECT_EQ(format("{}", traced[i]), format("{}", eager[i]));
}

/// NumPy 2's promotion inside a kind (numpy.promote_types); bf16 stands where
/// float16 does, and with it is f32. Of two kinds, the higher one's.
TEST(Numbers, ArraysOfTwoDtypesHaveTheOneThatHoldsBoth) {
  using enum Dtype;
  const std::vector<std::vector<Dtype>> kinds = {
      {bool_}, {i8, i16, i32, i64, u8, u16, u32, u64}, {bf16, f16, f32, f64}, {c64, c128}};
  const std::vector<std::vector<std::vector<Dtype>>> promoted = {
      {{bool_}},
      {{i8, i16, i32, i64, i16, i32, i64, f64},
       {i16, i16, i32, i64, i16, i32, i64, f64},
       {i32, i32, i32, i64, i32, i32, i64, f64},
       {i64, i64, i64, i64, i64, i64, i64, f64},
       {i16, i16, i32, i64, u8, u16, u32, u64},
       {i32, i32, i32, i64, u16, u16, u32, u64},
       {i64, i64, i64, i64, u32, u32, u32, u64},
       {f64, f64, f64, f64, u64, u64, u64, u64}},
      {{bf16, f32, f32, f64}, {f32, f16, f32, f64}, {f32, f32, f32, f64}, {f64, f64, f64, f64}},
      {{c64, c128}, {c128, c128}}};
  auto sum = [](Dtype a, Dtype b) { return (astype(Array{1}, a) + astype(Array{1}, b)).dtype(); };
  // Of two kinds, but f64 keeps its precision beside complex numbers.
  auto isWide = [](Dtype a, Dtype b) { return (a == f64 && b == c64) || (a == c64 && b == f64); };
  size_t walked = 0;
  for (size_t a = 0; a < kinds.size(); ++a)
    for (size_t i = 0; i < kinds[a].size(); ++i, ++walked)
      for (size_t b = 0; b < kinds.size(); ++b)
        for (size_t j = 0; j < kinds[b].size(); ++j)
          EXPECT_EQ(sum(kinds[a][i], kinds[b][j]), isWide(kinds[a][i], kinds[b][j]) ? c128
                                                   : a == b                         ? promoted[a][i][j]
                                                   : a > b                          ? kinds[a][i]
                                                                                    : kinds[b][j])
              << name(kinds[a][i]) << " with " << name(kinds[b][j]);
  EXPECT_EQ(walked + 2, size_t(dtype_count)) << "a dtype that this test does not know";
  // Whichever comes first.
  EXPECT_EQ(concatenate({Array{1}, Array{0.5f}}).to_vector<float>(), (std::vector<float>{1, 0.5f}));
  EXPECT_EQ(concatenate({Array{0.5f}, Array{1}}).to_vector<float>(), (std::vector<float>{0.5f, 1}));
}

/// numpy.result_type of all pairs of one kind, and of floats with complex numbers,
/// where NumPy has the dtypes.
TEST(Numbers, PromotionInsideAKindIsNumPys) {
  const char *python = std::getenv("TENON_PYTHON");
  ASSERT_TRUE(python) << "a Python with NumPy; ctest sets it";
  std::string names;
  std::map<std::string, Dtype> byName;
  for (int code = 0; code < dtype_count; ++code)
    if (const Dtype dtype{static_cast<uint8_t>(code)}; dtype != bf16 && !is_storage(dtype)) {
      names += "'" + std::string(name(dtype)) + "', ";
      byName.emplace(name(dtype), dtype);
    }
  const std::string command = "'" + std::string(python) + "' -c \"import numpy as np; n = [" + names +
                              "]; print(*(f'{a} {b} {np.result_type(a, b)}' for a in n for b in n))\"";
  FILE *pipe = popen(command.c_str(), "r");
  ASSERT_TRUE(pipe);
  char a[32], b[32], expected[32];
  size_t walked = 0, compared = 0;
  for (; fscanf(pipe, "%31s %31s %31s", a, b, expected) == 3; ++walked) {
    const Dtype x = byName.at(a), y = byName.at(b);
    const bool isComplexBesideFloats = kind(x) >= Kind::floating && kind(y) >= Kind::floating;
    if (kind(x) != kind(y) && !isComplexBesideFloats)
      continue;
    EXPECT_EQ(name((astype(Array{1}, x) + astype(Array{1}, y)).dtype()), expected) << a << " with " << b;
    ++compared;
  }
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(walked, byName.size() * byName.size());
  EXPECT_EQ(compared, 1u + 8 * 8 + 5 * 5);
}

// A size is made a number first, and so is an array.
static_assert(!std::is_constructible_v<float16_t, Dim> && !std::is_constructible_v<bfloat16_t, Array>);

TEST(Numbers, HalvesAreNumbersOnTheHostToo) {
  const Array x{float16_t(1.5f), float16_t(-2.0f)};
  EXPECT_EQ(x.dtype(), f16);
  EXPECT_EQ((x * float16_t(0.5f)).dtype(), f16);
  EXPECT_EQ(float((x + 1)[0].item<float16_t>()), 2.5f);
  EXPECT_EQ(format("{:?} {:.1f}", x, float16_t(0.25f)), "Array([ 1.5 -2. ], shape=(2,), dtype=float16) 0.2");
  // A number is rounded once: 1 + 2^-11 + 2^-40 is above the middle, its f32 is the middle.
  const double above = 1 + 0x1p-11 + 0x1p-40;
  auto sum = [=](const Array &y) { return y + above; };
  EXPECT_EQ(float(everywhere<float16_t>(sum, astype(Array{0.0f}, f16))[0]), 1 + 0x1p-10f);
  auto bounded = [=](const Array &y) { return maximum(y, above); };
  EXPECT_EQ(float(everywhere<float16_t>(bounded, astype(Array{0.0f}, f16))[0]), 1 + 0x1p-10f);
  EXPECT_EQ(float(full({}, above, f16).item<float16_t>()), 1 + 0x1p-10f);
  EXPECT_EQ(float(full({}, 70000, f16).item<float16_t>()), INFINITY);
}

template <class T>
static void expectNarrowed(T integer, float expected) {
  auto expect = [&](auto f, const Array &x) { EXPECT_EQ(float(everywhere<bfloat16_t>(f, x)[0]), expected) << integer; };
  const Array zero = astype(Array{0.0f}, bf16);
  expect([](const Array &x) { return astype(x, bf16); }, Array{integer});
  expect([=](const Array &x) { return x + integer; }, zero);
  expect([=](const Array &x) { return x + full({1}, integer, bf16); }, zero);
  expect([=](const Array &x) { return maximum(x, integer) + minimum(x, integer); }, zero);
  EXPECT_EQ(float(Array(Scalar(integer), bf16).item<bfloat16_t>()), expected);
  EXPECT_EQ(float(bfloat16_t(integer)), expected);
}

// Next to the middle of two bf16, which is the nearest f32 or f64.
TEST(Numbers, IntegersBecomeNarrowFloatsInOneRounding) {
  expectNarrowed<int32_t>((1 << 25) + (1 << 17) + 1, 0x1.02p25f);
  expectNarrowed<int32_t>(-(1 << 25) - (1 << 17) - 1, -0x1.02p25f);
  expectNarrowed<int32_t>((1 << 25) + (3 << 17) - 1, 0x1.02p25f);
  expectNarrowed<uint32_t>((1u << 31) + (1u << 23) + 1, 0x1.02p31f);
  expectNarrowed<int64_t>((1l << 60) + (1l << 52) + 1, 0x1.02p60f);
  expectNarrowed<int64_t>(-(1l << 60) - (1l << 52) - 1, -0x1.02p60f);
  expectNarrowed<int64_t>((1l << 60) + (3l << 52) - 1, 0x1.02p60f);
  expectNarrowed<int64_t>(-(1l << 60) - (3l << 52) + 1, -0x1.02p60f);
  expectNarrowed<uint64_t>((1ul << 63) + (1ul << 55) + 1, 0x1.02p63f);
  // By way of f64, which holds it.
  auto f = [](const Array &x) { return astype(astype(x, f64), bf16); };
  EXPECT_EQ(float(everywhere<bfloat16_t>(f, Array{33685505})[0]), 0x1.02p25f);
}

// What a row kernel keeps between its walks, complex numbers among it.
TEST(Numbers, ComplexRowsBetweenWalks) {
  const Array parts = random::normal(random::key(3), {9, 100});
  for (Dtype dtype : {c64, c128}) {
    const Array z = astype(parts, dtype) * complex64_t{0.5f, -2.0f};
    auto f = [](const Array &z) {
      const Array square = z * z, other = z / (square + 1.0f);
      const Array some = max(astype(square == other, f32), {1}, true) + sum(astype(other != z, f32), {1}, true);
      return (square + some) * (other - some);
    };
    const Array eager = f(z), compiled = jit(f)(z);
    ASSERT_EQ(compiled.dtype(), dtype);
    EXPECT_TRUE(bool(all(eager == compiled))) << short_name(dtype);
  }
}

TEST(Numbers, StorageIsMovedAndConvertedOnly) {
  for (Dtype dtype : {f8e4m3fn, f8e5m2}) {
    SCOPED_TRACE(short_name(dtype));
    const Array x = astype(Array{{0.5f, 300.0f}, {-1.75f, 0.0f}}, dtype);
    auto back = [](const Array &y) { return astype(y, f32); };
    auto moved = [&](const Array &y) {
      return astype(concatenate({transpose(y), reshape(slice(y, {0, 1}, {2, 2}), {1, 2})}), f32);
    };
    const std::vector<float> expected = {
        0.5f, -1.75f, dtype == f8e5m2 ? 320.0f : 288.0f, 0.0f, dtype == f8e5m2 ? 320.0f : 288.0f, 0.0f};
    EXPECT_EQ(everywhere<float>(moved, x), expected);
    EXPECT_EQ(everywhere<float>(back, x)[2], -1.75f);
    auto chosen = [](const Array &y) { return astype(where(Array{true, false}, y, transpose(y)), f32); };
    EXPECT_EQ(everywhere<float>(chosen, x), (std::vector<float>{0.5f, -1.75f, -1.75f, 0.0f}));
    auto filled = [](const Array &y) { return astype(where(Array{true, false}, y, 1.5f), f32); };
    EXPECT_EQ(everywhere<float>(filled, x), (std::vector<float>{0.5f, 1.5f, -1.75f, 1.5f}));
    // To every real dtype and back.
    for (int code = 0; code < dtype_count; ++code)
      if (const Dtype other{static_cast<uint8_t>(code)}; kind(other) != Kind::complex) {
        auto there = [=](const Array &y) { return astype(astype(y, other), f64); };
        const std::vector<double> eager = there(x).to_vector<double>(), compiled = jit(there)(x).to_vector<double>();
        EXPECT_EQ(eager, compiled) << short_name(other);
        EXPECT_EQ(eager[3], 0) << short_name(other);
        EXPECT_EQ(eager[0], other == bool_ ? 1 : kind(other) == Kind::integer ? 0 : 0.5) << short_name(other);
      }
  }
  const Array over = astype(astype(Array{464.0f, 465.0f, -INFINITY}, f8e4m3fn), f32);
  EXPECT_EQ(over[0].item<float>(), 448);
  EXPECT_TRUE(std::isnan(over[1].item<float>()) && std::isnan(over[2].item<float>()));
  const Array infinite = astype(astype(Array{61439.0f, 61440.0f, -INFINITY}, f8e5m2), f32);
  EXPECT_EQ(infinite.to_vector<float>(), (std::vector<float>{57344, INFINITY, -INFINITY}));
  const Array x = astype(Array{1.0f, -0.5f}, f8e4m3fn);
  EXPECT_EQ(format("{:?}", x), "Array([ 1.  -0.5], shape=(2,), dtype=float8_e4m3fn)");
  // No derivative passes.
  EXPECT_EQ(grad([](const Array &y) { return sum(y * astype(astype(y, f8e5m2), f32)); })(Array{2.0f, 3.0f})
                .to_vector<float>(),
            (std::vector<float>{2, 3}));
}

TEST(Numbers, SumsOfSmallIntegersHave32Bits) {
  using enum Dtype;
  for (auto [of, total] : {std::pair(bool_, i32),
                           {i8, i32},
                           {i16, i32},
                           {i32, i32},
                           {i64, i64},
                           {u8, u32},
                           {u16, u32},
                           {u32, u32},
                           {u64, u64}})
    EXPECT_EQ(sum(astype(Array{1, 0}, of)).dtype(), total) << name(of);
}

TEST(Numbers, AboveInt64KeepTheirValueBesideFloats) {
  auto sum = [](const Array &x) { return x + UINT64_MAX; };
  EXPECT_EQ(everywhere<float>(sum, Array{1.0f, 2.0f}), (std::vector<float>{0x1p64f, 0x1p64f}));
  EXPECT_EQ(everywhere<double>(sum, astype(Array{1.0f}, f64)), std::vector<double>{0x1p64});
  EXPECT_EQ(float(everywhere<bfloat16_t>(sum, astype(Array{1.0f}, bf16))[0]), 0x1p64f);
  // Integers that become floats meet it as a float.
  auto share = [](const Array &x) { return x / UINT64_MAX; };
  EXPECT_EQ(everywhere<float>(share, Array{1, 2}), (std::vector<float>{0x1p-64f, 0x1p-63f}));
  EXPECT_EQ((Array{1} / 4294967296).item<float>(), 0x1p-32f);
  auto filled = [](const Array &x) { return x * full({1}, UINT64_MAX, f32); };
  EXPECT_EQ(everywhere<float>(filled, Array{1.0f}), std::vector<float>{0x1p64f});
  EXPECT_EQ(Array(Scalar(UINT64_MAX), f32).item<float>(), 0x1p64f);
  EXPECT_EQ(Array(Scalar(UINT64_MAX), f64).item<double>(), 0x1p64);
  EXPECT_EQ(Array(Scalar(UINT64_MAX), c64).item<complex64_t>().real, 0x1p64f);
  EXPECT_EQ(Array(Scalar(UINT64_MAX), c128).item<complex128_t>().real, 0x1p64);
  EXPECT_TRUE(Array(Scalar(UINT64_MAX), bool_).item<bool>());
}

TEST(Numbers, ComplexOfTwoPrecisions) {
  using namespace std::complex_literals;
  const std::vector<complex128_t> values = {{0.1, -0.0}, {1e300, 3}};
  const Array x(values), y = Array{std::complex<double>(0.1, -0.0), std::complex<double>(1e300, 3)};
  EXPECT_EQ(x.dtype(), c128);
  EXPECT_EQ(y.dtype(), c128);
  EXPECT_EQ(y.to_vector<complex128_t>(), values);
  EXPECT_EQ(y.to_vector<std::complex<double>>()[1], std::complex<double>(1e300, 3));
  EXPECT_EQ(y[0].item<std::complex<double>>(), std::complex<double>(0.1, -0.0));
  EXPECT_EQ(Array(std::complex<float>(1, 2)).dtype(), c64);
  EXPECT_EQ(format("{:?}", y), "Array([1.e-001-0.j 1.e+300+3.j], shape=(2,), dtype=complex128)");
  EXPECT_EQ(format("{}", complex128_t{0.1, -2}), "(0.1-2j)");
  // A number takes the array's precision; alone it has its kind's default.
  EXPECT_EQ((x * (1.0 + 2i)).dtype(), c128);
  EXPECT_EQ((Array{1.5f} * 1i).dtype(), c64);
  EXPECT_EQ((astype(Array{1.5f}, f64) * 1i).dtype(), c128);
  EXPECT_EQ(full({2}, complex128_t{1, 2}).dtype(), c64);
  EXPECT_EQ(full({}, complex128_t{0.1, 0.2}, c128).item<complex128_t>(), (complex128_t{0.1, 0.2}));
  EXPECT_EQ((Array{int64_t(3)} + Array{complex64_t{1, 2}}).dtype(), c64);
  // Eager and compiled, where each is a library step.
  auto f = [](const Array &a) {
    return a * full({2}, complex128_t{0.1, 0.3}, c128) + where(Array{true, false}, a, 1.5);
  };
  auto same = [](const Array &a, const Array &b) {
    EXPECT_EQ(a.to_vector<complex128_t>(), b.to_vector<complex128_t>());
  };
  same(f(x), jit(f)(x));
  same(f(x), jit(f, {.compile = Compile::never})(x));
  EXPECT_EQ(f(x).to_vector<complex128_t>()[0].real, 0.1 * 0.1 - -0.0 * 0.3 + 0.1);
  auto narrow = [](const Array &a) { return astype(astype(a, c64), c128); };
  EXPECT_EQ(narrow(x).to_vector<complex128_t>()[0], (complex128_t{0.1f, -0.0}));
  same(narrow(x), jit(narrow)(x));
  const Array m = matmul(reshape(x, {1, 2}), reshape(x, {2, 1}));
  EXPECT_EQ(m.dtype(), c128);
  EXPECT_EQ(m.item<complex128_t>().real, INFINITY);
  EXPECT_EQ(messageOf([&] { (void)astype(x, f64); }), "astype: expected a complex dtype for a complex array, got f64");
}

// One rounding: by way of f64 it would be 2^55, and 2^63 for the second.
TEST(Numbers, IntegersAreRoundedOnce) {
  auto one = [](const Array &x) { return x * 36028799166447617; };
  EXPECT_EQ(everywhere<float>(one, Array{1.0f}), std::vector<float>{36028801313931264.0f});
  auto two = [](const Array &x) { return x + 9223372586610589697u; };
  EXPECT_EQ(everywhere<float>(two, Array{0.0f}), std::vector<float>{9223373136366403584.0f});
  auto three = [](const Array &x) { return x * full({1}, 36028799166447617, f32); };
  EXPECT_EQ(everywhere<float>(three, Array{1.0f}), std::vector<float>{36028801313931264.0f});
  EXPECT_EQ(Array(Scalar(36028799166447617), c64).item<complex64_t>().real, 36028801313931264.0f);
}

// As in NumPy 2: the number is compared, not what an element could hold of it.
TEST(Numbers, AreComparedByValueWhereTheyDoNotFit) {
  auto check = [](const Array &x, auto number, bool isAbove) {
    auto expect = [&](bool answer, auto f) {
      auto compare = [&](const Array &x) { return f(x, number); };
      EXPECT_EQ(everywhere<bool>(compare, x), std::vector<bool>(2, answer)) << number << " beside " << name(x.dtype());
    };
    expect(isAbove, [](auto &x, auto n) { return x < n; });
    expect(isAbove, [](auto &x, auto n) { return x <= n; });
    expect(!isAbove, [](auto &x, auto n) { return x > n; });
    expect(!isAbove, [](auto &x, auto n) { return x >= n; });
    expect(!isAbove, [](auto &x, auto n) { return n < x; });
    expect(!isAbove, [](auto &x, auto n) { return n <= x; });
    expect(isAbove, [](auto &x, auto n) { return n > x; });
    expect(isAbove, [](auto &x, auto n) { return n >= x; });
    expect(false, [](auto &x, auto n) { return x == n; });
    expect(true, [](auto &x, auto n) { return n != x; });
  };
  for (Dtype dtype : {u8, i32, i64, u32})
    check(astype(Array{0, -1}, dtype), UINT64_MAX, true);
  for (Dtype dtype : {f32, f64})
    check(astype(Array{0.0f, -1.0f}, dtype), UINT64_MAX, true);
  check(astype(Array{0, -1}, u8), 256, true);
  check(astype(Array{0, -1}, u8), -1, false);
  check(astype(Array{0, -1}, u32), 4294967296, true);
  check(astype(Array{0, -1}, u32), -1, false);
  check(astype(Array{0, -1}, u64), -1, false);
  EXPECT_EQ((Array{uint64_t(3), UINT64_MAX} == UINT64_MAX).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ((Array{uint64_t(3), UINT64_MAX} < UINT64_MAX).to_vector<bool>(), (std::vector<bool>{true, false}));
  check(Array{0, -1}, 2147483648, true);
  check(Array{0, -1}, -2147483649, false);
  EXPECT_EQ((Array{true, false} == UINT64_MAX).to_vector<bool>(), (std::vector<bool>{false, false}));
  // What fits is compared with each element.
  EXPECT_EQ((astype(Array{0, 255}, u8) < 255).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_EQ((astype(Array{0, 255}, u8) == 255).to_vector<bool>(), (std::vector<bool>{false, true}));
  // Two numbers.
  EXPECT_TRUE(equal(UINT64_MAX, UINT64_MAX).item<bool>());
  EXPECT_TRUE(less(3, UINT64_MAX).item<bool>());
  EXPECT_FALSE(less_equal(UINT64_MAX, 3).item<bool>());
  // The array's shape, and its transformations.
  EXPECT_EQ((zeros({2, 3}, i32) < UINT64_MAX).shape(), (Shape{2, 3}));
  Array counted = vmap([](const Array &x) { return where(x < UINT64_MAX, x, 0); })(Array{1, 2});
  EXPECT_EQ(counted.to_vector<int32_t>(), (std::vector<int32_t>{1, 2}));
}

TEST(Numbers, AboveInt64AreU64) {
  const std::vector<uint64_t> most = {UINT64_MAX};
  auto isMost = [&](const Array &x) {
    EXPECT_EQ(x.dtype(), u64);
    EXPECT_EQ(x.to_vector<uint64_t>(), most);
    EXPECT_EQ(jit([](const Array &y) { return y; })(x).to_vector<uint64_t>(), most);
  };
  isMost(full({1}, UINT64_MAX));
  isMost(Array{UINT64_MAX});
  isMost(where(Array{true}, UINT64_MAX, 3));
  isMost(Array{false} + UINT64_MAX);
  isMost(Array{uint64_t(1)} * UINT64_MAX);
  isMost(jit([](const Array &x) { return x + UINT64_MAX; })(Array{uint64_t(0)}));
  isMost(jit([](const Array &x) { return x * full({1}, UINT64_MAX); })(Array{uint64_t(1)}));
  isMost(max(Array{uint64_t(1), UINT64_MAX, uint64_t(INT64_MAX)}, {}, true));
  EXPECT_EQ(Array(UINT64_MAX).item<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(Array(UINT64_MAX).item<double>(), 0x1p64);
  EXPECT_EQ(full({}, uint64_t(INT64_MAX) + 1).dtype(), u64);
  EXPECT_EQ(full({}, uint64_t(INT64_MAX)).dtype(), i64);
  EXPECT_EQ(format("{:?}", Array{UINT64_MAX, uint64_t(7)}),
            "Array([18446744073709551615                    7], shape=(2,), dtype=uint64)");
  // It wraps, and a float beyond it gives its end.
  EXPECT_EQ((Array{UINT64_MAX} + 1).to_vector<uint64_t>(), std::vector<uint64_t>{0});
  auto toU64 = [](const Array &x) { return astype(x, u64); };
  for (const Array &x :
       {Array{0x1p64f, 1e30f, -1.0f, 0x1p63f, NAN}, astype(Array{0x1p64f, 1e30f, -1.0f, 0x1p63f, NAN}, f64)})
    EXPECT_EQ(everywhere<uint64_t>(toU64, x), (std::vector<uint64_t>{UINT64_MAX, UINT64_MAX, 0, uint64_t(1) << 63, 0}));
  // Beside negative integers there is no integer that holds both.
  EXPECT_EQ((Array{int64_t(-1)} + Array{UINT64_MAX}).to_vector<double>(), std::vector<double>{0x1p64});
}

TEST(Numbers, AboveInt64AreRefusedByIntegers) {
  const std::string text = ": expected a number that fits i64, got 18446744073709551615";
  EXPECT_EQ(messageOf([] { (void)full({1}, UINT64_MAX, i64); }), "full" + text);
  EXPECT_EQ(messageOf([] { Array(Scalar(UINT64_MAX), i64); }), "Array" + text);
  EXPECT_EQ(messageOf([] { (void)(Array{int64_t(1)} + UINT64_MAX); }), "add" + text);
  EXPECT_EQ(messageOf([] { (void)where(Array{true}, Array{int64_t(1)}, UINT64_MAX); }), "where" + text);
  EXPECT_EQ(messageOf([] { (void)full({1}, UINT64_MAX, bool_); }),
            "full: expected a number of a kind that bool holds, got 18446744073709551615");
  EXPECT_EQ(messageOf([] { jit([](const Array &x) { return x + UINT64_MAX; })(Array{int64_t(1)}); }), "add" + text);
  // What i64 holds is no matter.
  EXPECT_EQ((Array{int64_t(0)} + uint64_t(INT64_MAX)).to_vector<int64_t>(), std::vector<int64_t>{INT64_MAX});
  EXPECT_EQ(full({}, uint64_t(INT64_MAX)).item<int64_t>(), INT64_MAX);
}

//===----------------------------------------------------------------------===//
// arange
//===----------------------------------------------------------------------===//

TEST(Arange, TakesTheDtypeThatHoldsItsNumbers) {
  auto check = [](const Array &x, const std::vector<int64_t> &expected) {
    EXPECT_EQ(x.dtype(), i64);
    EXPECT_EQ(astype(x, i64).to_vector<int64_t>(), expected);
  };
  check(arange(3000000000, 3000000002), {3000000000, 3000000001});
  check(arange(0, 4000000000, 1000000000), {0, 1000000000, 2000000000, 3000000000});
  check(arange(0, -4000000000, -2000000000), {0, -2000000000});
  check(arange(-3000000000, -2999999999), {-3000000000});
  EXPECT_EQ(arange(2147483640, 2147483647).dtype(), i32);
  EXPECT_EQ(arange(0.0, 4.0).dtype(), f32);
  EXPECT_EQ(arange(uint64_t(1), uint64_t(3)).to_vector<int32_t>(), (std::vector<int32_t>{1, 2}));
  // Above INT64_MAX it is u64.
  EXPECT_EQ(arange(UINT64_MAX - 2, UINT64_MAX).to_vector<uint64_t>(),
            (std::vector<uint64_t>{UINT64_MAX - 2, UINT64_MAX - 1}));
  EXPECT_EQ(arange(UINT64_MAX, 3, -(int64_t(1) << 62)).to_vector<uint64_t>(),
            (std::vector<uint64_t>{UINT64_MAX, UINT64_MAX - (uint64_t(1) << 62), UINT64_MAX - (uint64_t(1) << 63),
                                   UINT64_MAX - (uint64_t(3) << 62)}));
  EXPECT_EQ(arange(-5, uint64_t(1) << 63, int64_t(1) << 62).dtype(), i64);
  EXPECT_EQ(arange(UINT64_MAX - 2047, UINT64_MAX, 1024, f32).to_vector<float>(),
            (std::vector<float>{0x1p64f, 0x1p64f}));
  EXPECT_EQ(arange(INT64_MAX, uint64_t(INT64_MAX) + 1).to_vector<uint64_t>(), std::vector<uint64_t>{INT64_MAX});
}

TEST(Arange, EndsBeforeItsStop) {
  EXPECT_EQ(arange(0.0, 1.0, 0.25).to_vector<float>(), (std::vector<float>{0, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(arange(0.0, 1.125, 0.25).to_vector<float>(), (std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1}));
  EXPECT_EQ(arange(1.0, -0.25, -0.5).to_vector<float>(), (std::vector<float>{1, 0.5f, 0}));
  EXPECT_EQ(arange(0.0, 0.5).to_vector<float>(), std::vector<float>{0});
  EXPECT_EQ(arange(0.5, 0.0).size(), 0);
}

TEST(Arange, RefusesElementsThatItsDtypeDoesNotHold) {
  auto expect = [](auto make, const char *text) { EXPECT_EQ(messageOf(make), text); };
  expect([] { (void)arange(-5, 5, 3, u32); }, "arange: expected elements that fit u32, got -5 in arange(-5, 5, 3)");
  expect([] { (void)arange(0.0, 1e10, 1e9, i32); },
         "arange: expected elements that fit i32, got 9000000000 in arange(0, 10000000000, 1000000000)");
  expect([] { (void)arange(3, UINT64_MAX, 1, i64); },
         "arange: expected elements that fit i64, got 18446744073709551614 in arange(3, 18446744073709551615, 1)");
  expect([] { (void)arange(3, UINT64_MAX); },
         "arange: expected at most 2^60 elements, got 18446744073709551612 in arange(3, 18446744073709551615, 1)");
  expect([] { (void)arange(-3, UINT64_MAX, int64_t(1) << 62); },
         "arange: expected elements that fit i64, got 18446744073709551613 in arange(-3, 18446744073709551615, "
         "4611686018427387904)");
  expect([] { (void)arange(257, {}, 1, u8); }, "arange: expected elements that fit u8, got 256 in arange(0, 257, 1)");
  expect([] { (void)arange(3, -2, -1, u8); }, "arange: expected elements that fit u8, got -1 in arange(3, -2, -1)");
  expect([] { (void)arange(0, 3000000001, 3000000000, i32); },
         "arange: expected elements that fit i32, got 3000000000 in arange(0, 3000000001, 3000000000)");
  expect([] { (void)arange(1e30, 2e30, 1e30, i64); },
         "arange: expected elements that fit i64, got 1e+30 in arange(1e+30, 2e+30, 1e+30)");
  expect([] { (void)arange(0.0, 3e30, 1e30, i64); },
         "arange: expected elements that fit i64, got a step of 1e+30 in arange(0, 3e+30, 1e+30)");
  expect([] { (void)arange(0, INT64_MAX); },
         "arange: expected at most 2^60 elements, got 9223372036854775807 in arange(0, 9223372036854775807, 1)");
  expect([] { (void)arange(0, UINT64_MAX, 1, f32); },
         "arange: expected at most 2^60 elements, got 18446744073709551615 in arange(0, 18446744073709551615, 1)");
  // The stop is no element, nor is a step beyond it.
  EXPECT_EQ(arange(0, 256, 1, u8).size(), 256);
  EXPECT_EQ(arange(5, 0, -2, u8).to_vector<uint8_t>(), (std::vector<uint8_t>{5, 3, 1}));
  EXPECT_EQ(arange(3, -1, -2, u8).to_vector<uint8_t>(), (std::vector<uint8_t>{3, 1}));
  EXPECT_EQ(arange(7, 9, UINT64_MAX, i32).to_vector<int32_t>(), std::vector<int32_t>{7});
  EXPECT_EQ(arange(300, 300, 1, u8).size(), 0);
  EXPECT_EQ(arange(UINT64_MAX, 3).size(), 0);
}

// The classes are counted in a dtype that holds them.
TEST(Numbers, OneHotOfSmallIntegersHasMoreClassesThanTheyCount) {
  Array hot = one_hot(astype(Array{3, 255}, u8), 300, i32);
  EXPECT_EQ(sum(hot, -1).to_vector<int32_t>(), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(argmax(hot, -1).to_vector<int64_t>(), (std::vector<int64_t>{3, 255}));
  EXPECT_EQ(sum(one_hot(astype(Array{1, 65535}, u16), 70000, i32), -1).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 1}));
  // What is below 0 is in no class.
  EXPECT_EQ(sum(one_hot(astype(Array{-1, 127}, i8), 300, i32), -1).to_vector<int32_t>(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(sum(one_hot(astype(Array{-1, 127}, i16), 70000, i32), -1).to_vector<int32_t>(),
            (std::vector<int32_t>{0, 1}));
}

TEST(Numbers, AreTrueTogetherWhateverTheirDtype) {
  for (Dtype dtype : {i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64}) {
    const Array x = astype(Array{0, 0, 1, 2}, dtype), y = astype(Array{0, 3, 0, 4}, dtype);
    auto both = [](const Array &p, const Array &q) { return logical_and(p, q); };
    for (const Array &got : {both(x, y), jit(both)(x, y)}) {
      EXPECT_EQ(got.dtype(), bool_);
      EXPECT_EQ(got.to_vector<bool>(), (std::vector<bool>{false, false, false, true}));
    }
  }
}

TEST(Numbers, PlacesAndStepsCountFromTheEnd) {
  const Array x = arange(6);
  EXPECT_EQ(slice(x, {5}, {0}, {-2}).to_vector<int32_t>(), (std::vector<int32_t>{5, 3, 1}));
  EXPECT_EQ(slice(x, {5}, {1}, {-2}).to_vector<int32_t>(), (std::vector<int32_t>{5, 3}));
  EXPECT_EQ(x[-1].item<int32_t>(), 5);
  EXPECT_EQ(x[-6].item<int32_t>(), 0);
}
