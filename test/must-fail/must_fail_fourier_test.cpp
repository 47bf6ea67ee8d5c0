//===- must_fail_fourier_test.cpp - wrong Fourier transforms ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MustFail.h"

#include <tenon/tenon.h>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array f23 = zeros({2, 3}), f03 = zeros({0, 3}), f = 1.0f, f1 = zeros({1});
  Array c2 = zeros({2}, c64), s2 = zeros({2}, f8e5m2);
};

const Case<Inputs> cases[] = {
    {"fft_scalar", [](const Inputs &in) { (void)fft::fft(in.f); }, R"(
fft: expected an array with at least one axis, got one of rank 0
  x: f32[] @f
  at here)"},
    {"fft_axis", [](const Inputs &in) { (void)fft::fft(in.f23, {.axis = 2}); }, R"(
fft: axis 2 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
    {"fft_none", [](const Inputs &in) { (void)fft::fft(in.f03, {.axis = 0}); }, R"(
fft: expected at least one element along the axis, or a length n, got a transform of length 0
  x: f32[0, 3] @f03
  at here)"},
    {"ifft_length", [](const Inputs &in) { (void)fft::ifft(in.f23, {.n = -2}); }, R"(
ifft: expected a length n of at least 1, got -2
  x: f32[2, 3] @f23
  at here)"},
    {"fft_storage", [](const Inputs &in) { (void)fft::fft(in.s2); }, R"(
fft: expected numbers to compute with, got f8e5m2[2]
  x: f8e5m2[2] @s2
  at here)"},
    {"rfft_complex", [](const Inputs &in) { (void)fft::rfft(in.c2); }, R"(
rfft: expected real numbers, got c64[2]; take real(x), or use fft
  x: c64[2] @c2
  at here)"},
    {"irfft_one", [](const Inputs &in) { (void)fft::irfft(in.f1); }, R"(
irfft: expected at least one element along the axis, or a length n, got a transform of length 0
  x: f32[1] @f1
  at here)"},
    {"hfft_norm", [](const Inputs &in) { (void)fft::hfft(in.f23, {.norm = static_cast<FftNorm>(3)}); }, R"(
hfft: expected a value of FftNorm, got the number 3
  x: f32[2, 3] @f23
  at here)"},
    {"fft2_rank", [](const Inputs &in) { (void)fft::fft2(in.c2); }, R"(
fft2: axis -2 is out of range for an array of rank 1
  x: c64[2] @c2
  at here)"},
    {"fftn_lengths", [](const Inputs &in) { (void)fft::fftn(in.f23, {.s = {2, 3}, .axis = {0}}); },
     R"(
fftn: expected as many lengths s as axes, got 2 and 1
  x: f32[2, 3] @f23
  at here)"},
    {"rfftn_scalar", [](const Inputs &in) { (void)fft::rfftn(in.f); }, R"(
rfftn: expected at least one axis, got none
  x: f32[] @f
  at here)"},
    {"fftfreq_length", [](const Inputs &) { (void)fft::fftfreq(0); }, R"(
fftfreq: expected a length n of at least 1, got 0
  at here)"},
    {"rfftfreq_dtype", [](const Inputs &) { (void)fft::rfftfreq(4, 1, i32); }, R"(
rfftfreq: expected a floating dtype to compute with, got i32
  at here)"},
    {"fftshift_axis", [](const Inputs &in) { (void)fft::fftshift(in.f23, -3); }, R"(
fftshift: axis -3 is out of range for an array of rank 2
  x: f32[2, 3] @f23
  at here)"},
};

class Fourier : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Fourier, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Fourier, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
