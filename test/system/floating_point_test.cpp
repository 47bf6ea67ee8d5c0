//===- floating_point_test.cpp - results do not depend on the caller's rounding mode --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool's threads and the compiler's are made by the first calls, so these
// are made with the strangest environment of all.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <xmmintrin.h>

using namespace tenon;

namespace {

// Before the pool is made; on a machine with one core, too.
[[maybe_unused]] const int threads = setenv("TENON_NUM_THREADS", "3", 1);

constexpr unsigned flags = 0x3f, defaults = 0x1f80;
constexpr unsigned daz = 0x40, ftz = 0x8000, down = 0x2000, up = 0x4000, toZero = 0x6000;
// What feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) clears.
constexpr unsigned masks = 0x680;

struct Control {
  explicit Control(unsigned value) { _mm_setcsr(value); }
  ~Control() { _mm_setcsr(defaults); }
  static unsigned now() { return _mm_getcsr() & ~flags; }
};

using Function = Array (*)(const Array &, const Array &);
struct Named {
  const char *name;
  Function function;
};
// Each rounds, meets subnormal numbers, or both.
const Named functions[] = {
    {"a number", [](const Array &x, const Array &) { return x * 0.1 + 1.0 / 3; }},
    {"a number to bf16", [](const Array &x, const Array &) { return astype(x, bf16) * 0.1; }},
    {"a large number", [](const Array &x, const Array &) { return x * int64_t(36028799166447617); }},
    {"full",
     [](const Array &x, const Array &) { return full({3}, 0.1, f32) + full({3}, int64_t(16777219), f32) * sum(x); }},
    {"elementwise", [](const Array &x, const Array &y) { return exp(x) / (y * y + 3.0f) - tanh(x) * sqrt(abs(y)); }},
    {"subnormals", [](const Array &x, const Array &) { return (x * 1e-30f) * 1e-10f; }},
    {"compared", [](const Array &x, const Array &) { return astype(x * 1e-30f * 1e-10f > 0.0f, f32); }},
    {"rows", [](const Array &x, const Array &y) { return sum(x * y, 1); }},
    {"columns", [](const Array &x, const Array &) { return sum(x, 0); }},
    {"softmax", [](const Array &x, const Array &) { return softmax(x, 0); }},
    {"product", [](const Array &x, const Array &y) { return matmul(x, transpose(y)); }},
    {"division by zero", [](const Array &x, const Array &) { return x / (x - x) + log(x - x); }},
    {"overflow", [](const Array &x, const Array &) { return x * 3e38f * 3e38f; }},
    {"arange",
     [](const Array &x, const Array &) {
       return astype(arange(0, 1, 0.1) + full({10}, int64_t(9007199254740993), f64) * x[0][0], f32);
     }},
    {"random", [](const Array &x, const Array &) { return random::normal(random::key(3), {40}) * x[0][0]; }},
};

Array numbers(uint64_t seed, int64_t rows) { return random::uniform(random::key(seed), {rows, 300}, f32, -1, 1); }

std::vector<char> bits(const Array &x) {
  std::vector<char> out(static_cast<size_t>(x.size().value()) * item_size(x.dtype()));
  if (x.dtype() == bf16)
    std::memcpy(out.data(), x.elements<bfloat16_t>().data(), out.size());
  else
    std::memcpy(out.data(), x.elements<float>().data(), out.size());
  return out;
}

} // namespace

TEST(FloatingPoint, OfTheCallerChangesNoBit) {
  const Array small[] = {numbers(1, 3), numbers(2, 3)}, large[] = {numbers(1, 500), numbers(2, 500)};
  struct Result {
    std::string what;
    std::vector<char> bits;
    const Named *of;
    bool isLarge;
  };
  std::vector<Result> results;
  // The first call of each function: it is traced and compiled in this environment.
  for (unsigned control :
       {defaults | up | ftz | daz, defaults | down, defaults | toZero, defaults | ftz | daz, defaults & ~masks})
    for (const Named &of : functions)
      for (bool isLarge : {false, true}) {
        const Array &x = (isLarge ? large : small)[0], &y = (isLarge ? large : small)[1];
        auto compiled = jit(of.function), interpreted = jit(of.function, {.compile = Compile::never});
        auto check = [&](const char *mode, auto &&function) {
          Array got;
          {
            const Control scope(control);
            got = function(x, y);
            EXPECT_EQ(Control::now(), control) << of.name << " " << mode;
          }
          results.push_back({std::string(of.name) + (isLarge ? " large " : " small ") + mode, bits(got), &of, isLarge});
        };
        check("compiled", compiled);
        check("interpreted", interpreted);
        check("eager", of.function);
      }
  for (const Result &result : results)
    EXPECT_EQ(result.bits,
              bits(result.of->function((result.isLarge ? large : small)[0], (result.isLarge ? large : small)[1])))
        << result.what;
}

TEST(FloatingPoint, OfTheCallerChangesNothingThatIsRead) {
  const Array x = {1e-40f}, single = x[0], wide = astype(single, f64), narrow = astype(single, bf16);
  const float expected = single.item<float>();
  const std::string text = format("{} {}", x, narrow);
  EXPECT_GT(expected, 0);
  const Control scope(defaults | daz | ftz | up);
  auto isSame = [](auto a, auto b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  EXPECT_TRUE(isSame(single.item<float>(), expected));
  EXPECT_TRUE(isSame(wide.item<float>(), expected));
  EXPECT_TRUE(static_cast<bool>(single));
  EXPECT_TRUE(static_cast<bool>(narrow));
  EXPECT_EQ(format("{} {}", x, narrow), text);
}

TEST(FloatingPoint, OfTheCallerChangesNoNumberThatIsGiven) {
  volatile float tiny = 1e-41f, negative = -1e-41f, normal = 1.5f;
  volatile uint16_t narrowBits = 0x8001; // a bf16
  const Array x = full({1}, 1e-40f);
  auto f = jit([](const Array &a, const Array &b) { return a + b; });
  auto all = [&] {
    bfloat16_t narrow;
    narrow.bits = narrowBits;
    std::vector<float> out;
    for (const Array &array :
         {x + tiny, x + negative, f(x, tiny), full({1}, tiny), full({1}, negative), full({1}, normal),
          full({1}, narrow), Array{tiny, 2}, Array{tiny}, astype(full({1}, tiny, f64) * 1e30, f32)})
      out.push_back(array[0].item<float>());
    return out;
  };
  const std::vector<float> expected = all();
  std::vector<float> got;
  {
    const Control scope(defaults | daz | ftz | up);
    got = all();
  }
  ASSERT_EQ(got.size(), expected.size());
  EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0);
  EXPECT_GT(expected[3], 0);
  EXPECT_LT(expected[4], 0);
}

TEST(FloatingPoint, OfTheCallerStandsAgainAfterAnError) {
  const unsigned control = defaults | up | ftz;
  const Control scope(control);
  auto f = jit([](const Array &x, const Array &y) { return matmul(x, y); });
  EXPECT_THROW(f(ones({3}), ones({4})), Error);
  EXPECT_THROW((void)matmul(ones({3}), ones({4})), Error);
  EXPECT_EQ(Control::now(), control);
}

TEST(FloatingPoint, OfAnotherThreadIsItsOwn) {
  const Array x = numbers(5, 500);
  const std::vector<char> expected = bits(sum(x, 0) / 3.0f);
  std::vector<char> got;
  std::thread([&] {
    const Control scope(defaults | up);
    got = bits(sum(x, 0) / 3.0f);
  }).join();
  EXPECT_EQ(got, expected);
  EXPECT_EQ(Control::now(), defaults);
}
