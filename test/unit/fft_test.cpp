//===- fft_test.cpp - Fourier transforms ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fft/Plan.h"
#include "runtime/threads/Pool.h"
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <numbers>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

Array numbers(const Shape &shape, Dtype dtype = f32) {
  if (kind(dtype) == Kind::complex) {
    const Dtype part = dtype == c64 ? f32 : f64;
    return complex(random::uniform(random::key(3), shape, part, -1, 1),
                   random::uniform(random::key(4), shape, part, -1, 1));
  }
  return random::uniform(random::key(5), shape, dtype, -1, 1);
}

/// The same elements, dense in memory.
Array copy(const Array &x) { return concatenate({x, x}, 0)[slice(0, x.dim(0))]; }

std::vector<std::byte> bitsOf(const Array &x) {
  std::vector<std::byte> bytes;
  const auto append = [&](const auto &values) {
    const auto *from = reinterpret_cast<const std::byte *>(values.data());
    bytes.insert(bytes.end(), from, from + values.size() * sizeof(values[0]));
  };
  const Array parts = kind(x.dtype()) == Kind::complex ? stack({real(x), imag(x)}) : x;
  if (parts.dtype() == f32)
    append(parts.to_vector<float>());
  else
    append(parts.to_vector<double>());
  return bytes;
}

/// The four kinds of transforms along the last axis of length n of the result, or of x.
std::vector<Array> allKinds(const Array &x, const Array &spectrum, int64_t n, Axis axis) {
  return {fft::fft(spectrum, {.axis = axis}), fft::ifft(spectrum, {.axis = axis}), fft::rfft(x, {.axis = axis}),
          fft::irfft(spectrum, {.n = n, .axis = axis})};
}

/// The largest difference from a double sum of the definition, relative to the root of the mean square.
double errorOf(const Array &x, const Array &y, int sign) {
  const Doubles re = doubles(real(x)), im = doubles(imag(x)), gotRe = doubles(real(y)), gotIm = doubles(imag(y));
  const size_t n = re.size();
  double largest = 0, square = 0;
  for (size_t k = 0; k < n; ++k) {
    long double sumRe = 0, sumIm = 0;
    for (size_t j = 0; j < n; ++j) {
      const long double angle = sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) /
                                static_cast<long double>(n);
      sumRe += re[j] * std::cos(angle) - im[j] * std::sin(angle),
          sumIm += re[j] * std::sin(angle) + im[j] * std::cos(angle);
    }
    largest = std::max(largest, static_cast<double>(std::hypot(gotRe[k] - sumRe, gotIm[k] - sumIm)));
    square += static_cast<double>(sumRe * sumRe + sumIm * sumIm);
  }
  return largest / std::sqrt(square / static_cast<double>(n));
}

TEST(Fft, IsAccurateAtEveryLength) {
  for (int64_t n = 1; n <= 260; n += n < 40 ? 1 : 5) {
    const Array x = numbers({n}, c128);
    EXPECT_LT(errorOf(x, fft::fft(x), -1), 4e-15) << n;
    EXPECT_LT(errorOf(x, fft::ifft(x, {.norm = FftNorm::forward}), 1), 4e-15) << n;
    const Array single = astype(x, c64);
    EXPECT_LT(errorOf(single, fft::fft(single), -1), 2e-6) << n;
  }
}

TEST(Fft, InverseOfRealTransformReturnsTheSignal) {
  for (int64_t n : {1, 2, 3, 8, 15, 64, 97, 100, 1009, 4096, 10007, 65536, 100000}) {
    const Array x = numbers({n}, f64);
    const Array back = fft::irfft(fft::rfft(x), {.n = n});
    EXPECT_LT(max(abs(back - x)).item<double>(), 1e-13) << n;
    const Array z = numbers({n}, c128);
    EXPECT_LT(max(abs(fft::ifft(fft::fft(z)) - z)).item<double>(), 1e-13) << n;
  }
}

// Lengths with one phase, two phases and a convolution; rows fill the lanes, some of them, or are computed alone.
TEST(Fft, RowHasTheSameBitsInAnyBatch) {
  for (Dtype dtype : {f32, f64})
    for (int64_t n : {5, 12, 60, 97, 128, 143, 360, 509, 1024, 5000})
      for (int64_t rows : {3, 8, 21}) {
        const Array x = numbers({rows, n}, dtype), z = numbers({rows, n / 2 + 1}, dtype == f32 ? c64 : c128);
        const std::vector<Array> all = allKinds(x, z, n, -1);
        const std::vector<Array> last = allKinds(x[rows - 1], z[rows - 1], n, -1);
        const Array turned = copy(transpose(x)), turnedZ = copy(transpose(z));
        const std::vector<Array> columns = allKinds(turned, turnedZ, n, 0);
        for (size_t i = 0; i < all.size(); ++i) {
          EXPECT_EQ(bitsOf(all[i][rows - 1]), bitsOf(last[i])) << n << " " << rows << " " << i;
          EXPECT_EQ(bitsOf(all[i]), bitsOf(transpose(columns[i]))) << n << " " << rows << " " << i;
        }
      }
}

TEST(Fft, AnyNumberOfThreadsGivesTheSameBits) {
  for (int64_t n : {4096, 65536, 100003}) {
    const Array x = numbers({2, n}), z = numbers({2, n / 2 + 1}, c64);
    std::vector<std::vector<std::byte>> first;
    for (int threads : {1, 2, 3}) {
      rt::setThreadCount(threads);
      const std::vector<Array> all = allKinds(x, z, n, -1);
      for (size_t i = 0; i < all.size(); ++i)
        if (threads == 1)
          first.push_back(bitsOf(all[i]));
        else
          EXPECT_EQ(bitsOf(all[i]), first[i]) << n << " " << threads;
    }
    rt::setThreadCount(0);
  }
}

TEST(Fft, ReadsAnyStrides) {
  const Array z = numbers({6, 70}, c64);
  EXPECT_EQ(bitsOf(fft::fft(flip(z, 1))), bitsOf(fft::fft(copy(flip(z, 1)))));
  const Array every = z[{_, slice(1, none, 3)}];
  EXPECT_EQ(bitsOf(fft::fft(every)), bitsOf(fft::fft(copy(every))));
  // The rows of a batch of two axes do not lie one step apart.
  const Array block = numbers({4, 90, 7}, c64), part = block[{_, slice(0, 80), slice(1, 6)}];
  const Array all = fft::fft(part, {.axis = 1});
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(bitsOf(all[i]), bitsOf(fft::fft(part[i], {.axis = 0}))) << i;
  const Array repeated = broadcast_to(numbers({9}), {40, 9});
  EXPECT_EQ(bitsOf(fft::rfft(repeated, {.axis = 0})), bitsOf(fft::rfft(copy(repeated), {.axis = 0})));
}

/// Both are made of transforms of 1,031 and 77 complex numbers, which no other test asks for.
TEST(Fft, ARealTransformAfterAComplexOneOfHalfItsLength) {
  for (int64_t n : {1031, 77}) {
    (void)fft::fft(numbers({n}));
    const Array x = numbers({2 * n}, f64), single = astype(x, f32);
    EXPECT_LT(max(abs(fft::rfft(single) - fft::rfft(x))).item<double>(), 1e-3) << n;
  }
}

TEST(Fft, NanStaysInItsRow) {
  for (int64_t n : {8, 96, 97, 1000}) {
    Array x = numbers({20, n});
    x = x.at[{7, 3}].set(NAN);
    const Array y = fft::rfft(x), clean = fft::rfft(numbers({20, n}));
    EXPECT_TRUE(any(isnan(real(y[7]))).item<bool>());
    for (int64_t row : {0, 6, 8, 19})
      EXPECT_EQ(bitsOf(y[row]), bitsOf(clean[row])) << n;
  }
}

TEST(Fft, EmptyBatchesAreEmptyAndEmptyAxesAreErrors) {
  EXPECT_EQ(fft::fft(zeros({0, 5})).shape(), (Shape{0, 5}));
  EXPECT_EQ(fft::rfft(zeros({3, 0, 5})).shape(), (Shape{3, 0, 3}));
  EXPECT_EQ(fft::fft(zeros({0}), {.n = 3}).shape(), (Shape{3}));
  EXPECT_THAT(messageOf([] { (void)fft::fft(zeros({0})); }), HasSubstr("fft: expected at least one element"));
  EXPECT_THAT(messageOf([] { (void)fft::irfft(zeros({1})); }), HasSubstr("irfft: expected at least one element"));
  EXPECT_THAT(messageOf([] { (void)fft::rfft(zeros({4}), {.n = 0}); }),
              HasSubstr("rfft: expected a length n of at least 1, got 0"));
  EXPECT_THAT(messageOf([] { (void)fft::rfft(zeros({4}, c64)); }),
              HasSubstr("rfft: expected real numbers, got c64[4]"));
}

TEST(Fft, ResultDtypes) {
  for (Dtype dtype : {bool_, u8, i64, f16, bf16, f32, c64})
    EXPECT_EQ(fft::fft(zeros({4}, dtype)).dtype(), c64);
  EXPECT_EQ(fft::fft(zeros({4}, f64)).dtype(), c128);
  EXPECT_EQ(fft::irfft(zeros({4}, c128)).dtype(), f64);
  EXPECT_EQ(fft::hfft(zeros({4}, f16)).dtype(), f32);
}

// JAX's conventions: the cotangent of a complex operand is not conjugated.
TEST(Fft, DerivativesAreThoseOfTheMatrix) {
  const Array z = numbers({6}, c64), weight = numbers({6}, c64);
  const Array slope = grad([&](const Array &x) { return sum(real(fft::fft(x) * weight)); })(z);
  EXPECT_LT(max(abs(slope - fft::fft(weight))).item<float>(), 1e-5f);
  for (int64_t n : {6, 7}) {
    const Array x = numbers({n}, f64), half = numbers({n / 2 + 1}, c128);
    const auto loss = [&](const Array &at) { return sum(real(fft::rfft(at) * half)); };
    const Doubles made = doubles(grad(loss)(x));
    for (int64_t i = 0; i < n; ++i) {
      const Array unit = astype(arange(n) == i, f64);
      EXPECT_NEAR(made[static_cast<size_t>(i)], loss(unit).item<double>(), 1e-12);
    }
    const Array ct = numbers({n}, f64);
    const Array back = grad([&](const Array &at) { return sum(fft::irfft(at, {.n = n}) * ct); })(half);
    const auto real1 = [&](double re, double im, int64_t k) {
      const Array unit = astype(arange(n / 2 + 1) == k, f64);
      return sum(fft::irfft(complex(unit * re, unit * im), {.n = n}) * ct).item<double>();
    };
    for (int64_t k = 0; k <= n / 2; ++k) {
      EXPECT_NEAR(doubles(real(back))[static_cast<size_t>(k)], real1(1, 0, k), 1e-12);
      EXPECT_NEAR(doubles(imag(back))[static_cast<size_t>(k)], -real1(0, 1, k), 1e-12);
    }
  }
}

TEST(Fft, TransformationsAgree) {
  const Array x = numbers({4, 10}, f64), dx = numbers({4, 10}, f64) * 0.5;
  const auto f = [](const Array &at) { return fft::irfft(fft::rfft(at) * 2.0, {.n = 9}); };
  EXPECT_EQ(bitsOf(vmap(f)(x)), bitsOf(f(x)));
  EXPECT_EQ(bitsOf(jit(f)(x)), bitsOf(f(x)));
  const auto [y, dy] = jvp(f, x, dx);
  EXPECT_EQ(bitsOf(dy), bitsOf(f(dx)));
}

TEST(Fft, SizesMayBeSymbols) {
  auto f = jit([](const Array &x) { return fft::irfft(fft::rfft(x), {.n = x.dim(0)}); },
               {.specs = {TensorSpec{f64, {"n"}}}});
  for (int64_t n : {5, 8, 33}) {
    const Array x = numbers({n}, f64);
    EXPECT_LT(max(abs(f(x) - x)).item<double>(), 1e-14) << n;
  }
}

TEST(Fft, FrequenciesAndTheirOrder) {
  EXPECT_EQ(floats(fft::fftfreq(5, 0.5)), (Floats{0, 0.4f, 0.8f, -0.8f, -0.4f}));
  EXPECT_EQ(floats(fft::rfftfreq(4)), (Floats{0, 0.25f, 0.5f}));
  const Array x = arange(7);
  EXPECT_EQ(longs(fft::fftshift(x)), (Longs{4, 5, 6, 0, 1, 2, 3}));
  EXPECT_EQ(longs(fft::ifftshift(fft::fftshift(x))), longs(x));
}

TEST(Fft, CosineTransformsAreInverses) {
  for (int type : {2, 3})
    for (int64_t n : {1, 2, 5, 64, 97})
      for (FftNorm norm : {FftNorm::backward, FftNorm::ortho, FftNorm::forward}) {
        const Array x = numbers({3, n}, f64);
        const Array back = fft::idct(fft::dct(x, {.type = type, .norm = norm}), {.type = type, .norm = norm});
        EXPECT_LT(max(abs(back - x)).item<double>(), 1e-13) << type << " " << n;
      }
  EXPECT_THAT(messageOf([] { (void)fft::dct(zeros({4}), {.type = 1}); }),
              HasSubstr("dct: expected the type 2 or 3, got 1"));
}

TEST(Fft, ConvolutionOfLongArrays) {
  const Array x = numbers({1000}, f64), y = numbers({333}, f64);
  for (ConvolutionMode mode : {ConvolutionMode::full, ConvolutionMode::same, ConvolutionMode::valid}) {
    const Array fast = signal::fftconvolve(x, y, {.mode = mode}), plain = convolve(x, y, mode);
    ASSERT_EQ(fast.shape(), plain.shape());
    EXPECT_LT(max(abs(fast - plain)).item<double>(), 1e-12);
  }
}

// The results at 0 and n / 2 of real transforms are real to the bit, and what is not read there is not read.
TEST(Fft, EndsOfHalfSpectraAreReal) {
  const Array y = fft::rfft(numbers({3, 64}));
  EXPECT_EQ(floats(imag(y[{_, 0}])), (Floats{0, 0, 0}));
  EXPECT_EQ(floats(imag(y[{_, 32}])), (Floats{0, 0, 0}));
  for (int64_t n : {8, 9, 64}) {
    const Array z = numbers({n / 2 + 1}, c64), ends = complex(real(z), where(arange(n / 2 + 1) == 0, NAN, imag(z)));
    EXPECT_EQ(bitsOf(fft::irfft(ends, {.n = n})), bitsOf(fft::irfft(z, {.n = n}))) << n;
  }
}

} // namespace
