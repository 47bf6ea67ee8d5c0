//===- must_fail_signal_test.cpp - wrong filters, recurrent layers, quantizations ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MustFail.h"

#include <tenon/tenon.h>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array f = 1.0f, f3 = zeros({3}), f23 = zeros({2, 3}), f30 = zeros({30});
  Array c37 = zeros({3, 7}, c64), c23 = zeros({2, 3}, c64), c30 = zeros({3, 0}, c64);
  Array x = zeros({2, 2, 3}), W = zeros({1, 4, 3}), R = zeros({1, 4, 4}), i23 = zeros({2, 3}, i32);
};

const Case<Inputs> cases[] = {
    // Short-time transforms.
    {"stft_scalar", [](const Inputs &in) { (void)signal::stft(in.f, 4); }, R"(
stft: expected an array with at least one axis, got one of rank 0
  x: f32[] @f
  at here)"},
    {"stft_length", [](const Inputs &in) { (void)signal::stft(in.f30, 0); }, R"(
stft: expected an n_fft of at least 1, got 0
  x: f32[30] @f30
  at here)"},
    {"stft_hop", [](const Inputs &in) { (void)signal::stft(in.f30, 4, {.hop_length = 0}); }, R"(
stft: expected a hop_length of at least 1, got 0
  x: f32[30] @f30
  at here)"},
    {"stft_short", [](const Inputs &in) { (void)signal::stft(in.f30, 31, {.center = false}); }, R"(
stft: expected windows of at most 30 places, the padded size of axis 0, got 31
  x: f32[30] @f30
  at here)"},
    {"stft_window", [](const Inputs &in) { (void)signal::stft(in.f30, 2, {.window = in.f3}); }, R"(
stft: expected a window of rank 1 with at most n_fft = 2 real numbers, got f32[3]
  x: f32[30] @f30
  window: f32[3] @f3
  at here)"},
    {"stft_complex_window", [](const Inputs &in) { (void)signal::stft(in.f30, 4, {.window = complex(in.f3, in.f3)}); },
     R"(
stft: expected a window of rank 1 with at most n_fft = 4 real numbers, got c64[3]
  x: f32[30] @f30
  window: c64[3]
  at here)"},
    {"stft_onesided", [](const Inputs &in) { (void)signal::stft(in.c37, 4, {.onesided = true}); }, R"(
stft: expected real numbers where onesided is true, got c64[3, 7]
  x: c64[3, 7] @c37
  at here)"},
    {"stft_pad_mode", [](const Inputs &in) { (void)signal::stft(in.f30, 4, {.pad_mode = static_cast<PadMode>(9)}); },
     R"(
stft: expected a value of PadMode, got the number 9
  x: f32[30] @f30
  at here)"},
    {"istft_rows", [](const Inputs &in) { (void)signal::istft(in.c37, 6); }, R"(
istft: expected an array of shape (..., 4, frames), got (3, 7)
  x: c64[3, 7] @c37
  at here)"},
    {"istft_frames", [](const Inputs &in) { (void)signal::istft(in.c30, 4); }, R"(
istft: expected at least one frame, got (3, 0)
  x: c64[3, 0] @c30
  at here)"},
    {"istft_length", [](const Inputs &in) { (void)signal::istft(in.c37, 4, {.length = -1}); }, R"(
istft: expected a length of at least 0, got -1
  x: c64[3, 7] @c37
  at here)"},
    {"istft_gaps", [](const Inputs &in) { (void)signal::istft(in.c37, 4, {.hop_length = 5}); }, R"(
istft: expected windows that overlap: at sample 4 of 34 every window is 0, so the signal cannot be recovered
  x: c64[3, 7] @c37
  at here)"},
    {"get_window_kind", [](const Inputs &) { (void)signal::get_window(static_cast<WindowFunction>(77), 4); }, R"(
get_window: expected a value of WindowFunction, got the number 77
  at here)"},
    {"get_window_dtype", [](const Inputs &) { (void)signal::get_window(WindowFunction::hann, 4, true, 1, i32); }, R"(
get_window: expected a floating dtype to compute with, got i32
  at here)"},
    // Filters.
    {"lfilter_rank", [](const Inputs &in) { (void)signal::lfilter(in.f23, in.f3, in.f30); }, R"(
lfilter: expected b of rank 1, of a known size that is not 0, got f32[2, 3]
  b: f32[2, 3] @f23
  a: f32[3] @f3
  x: f32[30] @f30
  at here)"},
    {"lfilter_none", [](const Inputs &in) { (void)signal::lfilter(in.f3, zeros({0}), in.f30); }, R"(
lfilter: expected a of rank 1, of a known size that is not 0, got f32[0]
  b: f32[3] @f3
  a: f32[0]
  x: f32[30] @f30
  at here)"},
    {"lfilter_scalar", [](const Inputs &in) { (void)signal::lfilter(in.f3, 1, in.f); }, R"(
lfilter: expected an x with at least one axis, got one of rank 0
  b: f32[3] @f3
  a: 1
  x: f32[] @f
  at here)"},
    {"lfilter_axis", [](const Inputs &in) { (void)signal::lfilter(in.f3, 1, in.f23, {.axis = 2}); }, R"(
lfilter: axis 2 is out of range for an array of rank 2
  b: f32[3] @f3
  a: 1
  x: f32[2, 3] @f23
  at here)"},
    {"lfilter_state_rank", [](const Inputs &in) { (void)signal::lfilter(in.f3, 1, in.f23, {.zi = in.f3}); }, R"(
lfilter: expected a zi of the rank of x, 2, got (3,)
  b: f32[3] @f3
  a: 1
  x: f32[2, 3] @f23
  at here)"},
    // Recurrent layers.
    {"rnn_rank", [](const Inputs &in) { (void)rnn(in.f23, in.W, in.R); }, R"(
rnn: expected x of rank 3, got (2, 3)
  x: f32[2, 3] @f23
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 4] @R
  at here)"},
    {"rnn_directions",
     [](const Inputs &in) { (void)rnn(in.x, in.W, in.R, {.direction = RecurrentDirection::bidirectional}); }, R"(
rnn: expected W of the shape (2, 4, 3), got (1, 4, 3)
  x: f32[2, 2, 3] @x
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 4] @R
  at here)"},
    {"rnn_direction",
     [](const Inputs &in) { (void)rnn(in.x, in.W, in.R, {.direction = static_cast<RecurrentDirection>(5)}); }, R"(
rnn: expected a value of RecurrentDirection, got the number 5
  x: f32[2, 2, 3] @x
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 4] @R
  at here)"},
    {"rnn_layout", [](const Inputs &in) { (void)rnn(in.x, in.W, in.R, {.layout = 2}); }, R"(
rnn: expected the layout 0 or 1, got 2
  x: f32[2, 2, 3] @x
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 4] @R
  at here)"},
    {"rnn_biases", [](const Inputs &in) { (void)rnn(in.x, in.W, in.R, {.B = in.f23}); }, R"(
rnn: expected B of the shape (1, 8), got (2, 3)
  x: f32[2, 2, 3] @x
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 4] @R
  at here)"},
    {"gru_gates", [](const Inputs &in) { (void)gru(in.x, in.W, in.R); }, R"(
gru: expected W of the shape (1, 12, 3), got (1, 4, 3)
  x: f32[2, 2, 3] @x
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 4] @R
  at here)"},
    {"rnn_lengths_floats", [](const Inputs &in) { (void)rnn(in.x, in.W, in.R, {.sequence_lens = in.f3}); }, R"(
rnn: expected sequence_lens of integers, one for each of 2 sequences, got f32[3]
  x: f32[2, 2, 3] @x
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 4] @R
  at here)"},
    {"lstm_state", [](const Inputs &in) { (void)lstm(in.x, in.W, zeros({1, 4, 1}), {.initial_c = in.f23}); }, R"(
lstm: expected initial_c of the shape (1, 2, 1), got (2, 3)
  x: f32[2, 2, 3] @x
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 1]
  at here)"},
    {"lstm_peepholes", [](const Inputs &in) { (void)lstm(in.x, in.W, zeros({1, 4, 1}), {.P = in.f23}); }, R"(
lstm: expected P of the shape (1, 3), got (2, 3)
  x: f32[2, 2, 3] @x
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 1]
  at here)"},
    {"lstm_complex", [](const Inputs &in) { (void)lstm(in.c23, in.W, in.R); }, R"(
lstm: expected a dtype among bf16, f16, f32, f64, got c64
  x: c64[2, 3] @c23
  W: f32[1, 4, 3] @W
  R: f32[1, 4, 4] @R
  at here)"},
    {"bilinear_sizes", [](const Inputs &in) { (void)bilinear(in.f23, in.f3, in.W); }, R"(
bilinear: expected x1 (..., m), x2 (..., n) and a weight (features, m, n), got (2, 3), (3,) and (1, 4, 3)
  x1: f32[2, 3] @f23
  x2: f32[3] @f3
  weight: f32[1, 4, 3] @W
  at here)"},
    {"bilinear_bias", [](const Inputs &in) { (void)bilinear(zeros({4}), in.f3, in.W, {.bias = in.f3}); }, R"(
bilinear: expected a bias of 1 elements, got (3,)
  x1: f32[4]
  x2: f32[3] @f3
  weight: f32[1, 4, 3] @W
  at here)"},
    // Quantization.
    {"quantize_dtype", [](const Inputs &in) { (void)quantize_linear(in.f23, 1, {.dtype = i32}); }, R"(
quantize_linear: expected i8, u8, i16 or u16 as dtype, got i32
  x: f32[2, 3] @f23
  scale: 1
  at here)"},
    {"quantize_scales", [](const Inputs &in) { (void)quantize_linear(in.f23, in.f3, {.axis = 0}); }, R"(
quantize_linear: expected one scale, or one for each place along axis 0 of x of the shape (2, 3), got (3,)
  x: f32[2, 3] @f23
  scale: f32[3] @f3
  at here)"},
    {"quantize_axis", [](const Inputs &in) { (void)quantize_linear(in.f30, in.f3); }, R"(
quantize_linear: axis 1 is out of range for an array of rank 1
  x: f32[30] @f30
  scale: f32[3] @f3
  at here)"},
    {"quantize_zero_floats", [](const Inputs &in) { (void)quantize_linear(in.f23, 1, {.zero_point = in.f}); }, R"(
quantize_linear: expected a zero_point of integers, got f32[]
  x: f32[2, 3] @f23
  scale: 1
  zero_point: f32[] @f
  at here)"},
    {"dequantize_floats", [](const Inputs &in) { (void)dequantize_linear(in.f23, 1); }, R"(
dequantize_linear: expected x of i8, u8, i16, u16 or i32, got f32[2, 3]
  x: f32[2, 3] @f23
  scale: 1
  at here)"},
    {"dequantize_scale", [](const Inputs &in) { (void)dequantize_linear(in.i23, in.c23); }, R"(
dequantize_linear: expected a dtype among bf16, f16, f32, f64, got c64
  x: i32[2, 3] @i23
  scale: c64[2, 3] @c23
  at here)"},
    // Windows.
    {"select_and_scatter_source", [](const Inputs &in) { (void)select_and_scatter(in.f23, in.f23, 2); }, R"(
select_and_scatter: expected a source with an element for each window, of the shape (1, 2), got (2, 3)
  x: f32[2, 3] @f23
  source: f32[2, 3] @f23
  at here)"},
    {"select_and_scatter_large", [](const Inputs &in) { (void)select_and_scatter(in.f3, in.f3, 4); }, R"(
select_and_scatter: expected windows of at most 3 places, the padded size of axis 0, got 4
  x: f32[3] @f3
  source: f32[3] @f3
  at here)"},
    {"select_and_scatter_complex", [](const Inputs &in) { (void)select_and_scatter(in.c23, in.f23, 1); }, R"(
select_and_scatter: expected a dtype among i8, i16, i32, i64, u8, u16, u32, u64, bf16, f16, f32, f64, got c64
  x: c64[2, 3] @c23
  source: f32[2, 3] @f23
  at here)"},
    {"select_and_scatter_select",
     [](const Inputs &in) { (void)select_and_scatter(in.f3, in.f3, 1, {.select = static_cast<WindowSelection>(2)}); },
     R"(
select_and_scatter: expected a value of WindowSelection, got the number 2
  x: f32[3] @f3
  source: f32[3] @f3
  at here)"},
};

// What is known eagerly alone.
TEST(SignalEagerly, RefusesNumbersThatCannotBe) {
  const Inputs in;
  const auto sentence = [](auto &&call) {
    try {
      call();
    } catch (const Error &error) {
      const std::string text = error.what();
      return text.substr(0, text.find('\n'));
    }
    return std::string("no error");
  };
  EXPECT_EQ(
      sentence([&] { (void)signal::istft(in.c37, 4, {.window = Array{0.0f, 1.0f, 2.0f, 1.0f}, .center = false}); }),
      "istft: expected windows that overlap: at sample 0 of 10 every window is 0, so the signal cannot be "
      "recovered; `center` leaves out both ends");
  EXPECT_EQ(sentence([&] { (void)signal::lfilter(in.f3, Array{0.0f, 1.0f}, in.f30); }),
            "lfilter: expected an a[0] that is not 0");
  EXPECT_EQ(sentence([&] { (void)rnn(in.x, in.W, in.R, {.sequence_lens = Array{1, 3}}); }),
            "rnn: expected sequence_lens from 0 to 2, got 3");
  EXPECT_EQ(sentence([&] { (void)quantize_linear(in.f23, 1, {.zero_point = Array{256}}); }),
            "quantize_linear: expected a zero_point that fits u8, got 256");
}

class Signal : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Signal, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Signal, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
