//===- Fourier.cpp - Fourier transforms that JAX computes too --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

namespace tn = tenon;
namespace fft = tenon::fft;
using X = const Arrays &;
using tn::FftNorm;

static tn::Array z(X x) { return tn::complex(x[0], x[1]); }

std::vector<Case> fourierCases() {
  return {
      {"fft", [](X x) { return Arrays{fft::fft(z(x))}; }},
      {"fft of real", [](X x) { return Arrays{fft::fft(x[0], {.axis = 0})}; }},
      {"fft padded", [](X x) { return Arrays{fft::fft(z(x), {.n = 11, .norm = FftNorm::ortho})}; }},
      {"fft cropped", [](X x) { return Arrays{fft::fft(z(x), {.n = 4, .axis = 0, .norm = FftNorm::forward})}; }},
      {"ifft", [](X x) { return Arrays{fft::ifft(z(x), {.n = 13})}; }},
      {"rfft", [](X x) { return Arrays{fft::rfft(x[0])}; }},
      {"rfft odd", [](X x) { return Arrays{fft::rfft(x[0], {.n = 7, .axis = 0, .norm = FftNorm::ortho})}; }},
      {"irfft", [](X x) { return Arrays{fft::irfft(z(x))}; }},
      {"irfft odd", [](X x) { return Arrays{fft::irfft(z(x), {.n = 9, .norm = FftNorm::forward})}; }},
      {"irfft padded", [](X x) { return Arrays{fft::irfft(z(x), {.n = 20})}; }},
      {"hfft", [](X x) { return Arrays{fft::hfft(z(x))}; }},
      {"ihfft", [](X x) { return Arrays{fft::ihfft(x[0])}; }},
      {"fft2", [](X x) { return Arrays{fft::fft2(z(x))}; }},
      {"ifft2", [](X x) { return Arrays{fft::ifft2(z(x), {.s = {3, 8}})}; }},
      {"rfft2", [](X x) { return Arrays{fft::rfft2(x[0], {.norm = FftNorm::ortho})}; }},
      {"irfft2", [](X x) { return Arrays{fft::irfft2(z(x))}; }},
      {"fftn", [](X x) { return Arrays{fft::fftn(z(x), {.s = {5, 3}, .axis = {0, 2}})}; }},
      {"ifftn", [](X x) { return Arrays{fft::ifftn(z(x))}; }},
      {"rfftn", [](X x) { return Arrays{fft::rfftn(x[0], {.axis = {2, 0}})}; }},
      {"irfftn", [](X x) { return Arrays{fft::irfftn(z(x), {.s = {2, 3, 7}, .axis = {0, 1, 2}})}; }},
      {"fft long prime", [](X x) { return Arrays{fft::fft(z(x))}; }},
      {"fftshift", [](X x) { return Arrays{fft::fftshift(x[0]), fft::ifftshift(x[0], 1)}; }},
      {"dct", [](X x) { return Arrays{fft::dct(x[0])}; }},
      {"dct ortho", [](X x) { return Arrays{fft::dct(x[0], {.axis = 0, .norm = FftNorm::ortho})}; }},
      {"idct", [](X x) { return Arrays{fft::idct(x[0])}; }},
      {"idct ortho", [](X x) { return Arrays{fft::idct(x[0], {.norm = FftNorm::ortho})}; }},
      {"fftconvolve full", [](X x) { return Arrays{tn::signal::fftconvolve(x[0], x[1])}; }},
      {"fftconvolve same",
       [](X x) { return Arrays{tn::signal::fftconvolve(x[0], x[1], {.mode = tn::ConvolutionMode::same})}; }},
      {"fftconvolve complex",
       [](X x) {
         return Arrays{tn::signal::fftconvolve(z(x), tn::complex(x[2], x[3]), {.mode = tn::ConvolutionMode::valid})};
       }},
  };
}
