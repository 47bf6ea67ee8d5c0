//===- signal_test.cpp - transforms and layers against each other -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <cmath>
#include <gtest/gtest.h>
#include <string>

using namespace tenon;

static Array drawn(int seed, const Shape &shape, Dtype dtype = f64) {
  return random::normal(random::key(static_cast<uint64_t>(seed)), shape, dtype);
}
static bool areClose(const Array &x, const Array &y) {
  return provably_equal(x.shape(), y.shape()) == Always::yes && allclose(x, y, 1e-10, 1e-10).item<bool>();
}

TEST(Stft, IsInvertedByIstft) {
  for (const int n : {5, 8, 16})
    for (const int hop : {1, 2, 3}) {
      const Array x = drawn(n, {2, 53}), window = signal::get_window(WindowFunction::hann, n, true, 12, f64);
      const Array spectra = signal::stft(x, n, {.hop_length = hop, .window = window});
      // Samples behind the last frame are lost.
      const int length = std::min(53, hop * static_cast<int>(spectra.dim(-1).value() - 1));
      const Array again = signal::istft(spectra, n, {.hop_length = hop, .window = window, .length = length});
      EXPECT_TRUE(areClose(again, x[{ellipsis, slice(length)}])) << n << " " << hop;
      const Array both =
          signal::stft(x, n, {.hop_length = hop, .window = window, .normalized = true, .onesided = false});
      const Array complexAgain = signal::istft(
          both, n, {.hop_length = hop, .window = window, .normalized = true, .onesided = false, .length = length});
      EXPECT_TRUE(areClose(real(complexAgain), x[{ellipsis, slice(length)}])) << n << " " << hop;
    }
}

TEST(Stft, AShorterWindowIsCentered) {
  const Array x = drawn(3, {40}), window = {1.0, 2.0, 3.0, 4.0};
  EXPECT_TRUE(areClose(signal::stft(x, 8, {.window = window}),
                       signal::stft(x, 8, {.window = Array{0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0}})));
}

TEST(Istft, RefusesALastSampleThatNoWindowHas) {
  const Array window = {1.0, 1.0, 1.0, 0.0}, spectra = ones({3, 20}, c128);
  try {
    (void)signal::istft(spectra, 4, {.hop_length = 2, .window = window, .center = false});
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("at sample 41 of 42"), std::string::npos) << error.what();
  }
}

TEST(Istft, AcceptsLongSignalsWhoseWindowsOverlap) {
  const Array window = signal::get_window(WindowFunction::hann, 8, true, 12, f64), x = drawn(1, {4096});
  const Array spectra = signal::stft(x, 8, {.window = window});
  EXPECT_TRUE(areClose(signal::istft(spectra, 8, {.window = window, .length = 4096}), x));
  // Every other sample of the middle is in no window.
  const Array thin = {0.0, 1.0, 0.0, 1.0};
  EXPECT_THROW((void)signal::istft(signal::stft(x, 4, {.hop_length = 2}), 4, {.hop_length = 2, .window = thin}), Error);
}

TEST(Lfilter, GoesOnFromItsLastState) {
  const Array b = {0.5, 0.25, 1.0}, a = {2.0, -0.5, 0.25, 0.125}, x = drawn(2, {3, 20});
  const auto [whole, end] = signal::lfilter(b, a, x);
  const auto [first, state] = signal::lfilter(b, a, x[{ellipsis, slice(7)}]);
  const auto [second, last] = signal::lfilter(b, a, x[{ellipsis, slice(7, 20)}], {.zi = state});
  EXPECT_TRUE(areClose(concatenate({first, second}, 1), whole));
  EXPECT_TRUE(areClose(last, end));
}

TEST(Recurrent, AShortSequenceIsItsStepsAlone) {
  const Array x = drawn(1, {5, 2, 3}), W = drawn(2, {2, 8, 3}), R = drawn(3, {2, 8, 2}), B = drawn(4, {2, 16});
  const LstmOptions both{.B = B, .direction = RecurrentDirection::bidirectional};
  LstmOptions limited = both;
  limited.sequence_lens = Array{5, 3};
  const LstmResult got = lstm(x, W, R, limited);
  const LstmResult alone = lstm(x[{slice(3), slice(1, 2)}], W, R, both);
  EXPECT_TRUE(areClose(got.Y[{slice(3), ellipsis, slice(1, 2), slice(2)}], alone.Y));
  EXPECT_TRUE(areClose(got.Y_h[{slice(2), slice(1, 2)}], alone.Y_h));
  EXPECT_TRUE(areClose(got.Y_c[{slice(2), slice(1, 2)}], alone.Y_c));
  EXPECT_EQ(count_nonzero(got.Y[{slice(3, 5), ellipsis, slice(1, 2), slice(2)}]).item<int64_t>(), 0);
}

TEST(Recurrent, NarrowFloatsAreRoundedOnce) {
  const Array x = drawn(1, {6, 2, 3}, f16), W = drawn(2, {1, 6, 3}, f16), R = drawn(3, {1, 6, 2}, f16);
  const GruResult narrow = gru(x, W, R), wide = gru(astype(x, f32), astype(W, f32), astype(R, f32));
  EXPECT_EQ(narrow.Y.to_vector<float16_t>(), astype(wide.Y, f16).to_vector<float16_t>());
}

TEST(Quantization, HalvesBecomeEvenAndIntegersAreLimited) {
  const Array x = {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 1e30f, -INFINITY, NAN};
  EXPECT_EQ(quantize_linear(x, 1, {.dtype = Dtype::i8}).to_vector<int8_t>(),
            (std::vector<int8_t>{-2, -2, 0, 0, 2, 2, 127, -128, 0}));
  EXPECT_EQ(quantize_linear(x, 1, {.zero_point = 1}).to_vector<uint8_t>(),
            (std::vector<uint8_t>{0, 0, 1, 1, 3, 3, 255, 0, 1}));
  EXPECT_EQ(quantize_linear(x, 1, {.zero_point = astype(Array(1), Dtype::i16)}).dtype(), Dtype::i16);
}

TEST(Quantization, IsMappedAndHasNoDerivative) {
  const Array x = {{0.3f, 1.7f}, {2.2f, -3.4f}}, scale = {0.5f, 0.25f};
  const auto there = [](const Array &row, const Array &s) {
    return dequantize_linear(quantize_linear(row, s, {.dtype = Dtype::i8}), s);
  };
  EXPECT_EQ(vmap(there)(x, scale).to_vector<float>(),
            dequantize_linear(quantize_linear(x, scale, {.axis = 0, .dtype = Dtype::i8}), scale, {.axis = 0})
                .to_vector<float>());
  const Array slope = grad([&](const Array &row) { return sum(there(row, Array(0.5f))); })(x[0]);
  EXPECT_EQ(slope.to_vector<float>(), (std::vector<float>{0, 0}));
}

TEST(SelectAndScatter, IsTheDerivativeOfAMaximum) {
  const Array x = drawn(5, {6, 5}), source = drawn(6, {3, 4});
  const Array slope = grad([&](const Array &given) {
    return sum(source * reduce_window(given, 2, {.reduction = WindowReduction::max, .strides = {2, 1}}));
  })(x);
  EXPECT_TRUE(areClose(select_and_scatter(x, source, 2, {.strides = {2, 1}}), slope));
}
