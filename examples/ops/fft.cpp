//===- fft.cpp - Fourier transforms ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in fft.expected.
//===----------------------------------------------------------------------===//
#include "Example.h"

static tn::Array image() { return {{1, 0}, {0, 0}}; }

int main() {
  example("fft::fft", [] {
    tn::Array x = {1, 2, 3, 4};
    std::cout << tn::fft::fft(x) << "\n";
    std::cout << tn::fft::fft(x, {.n = 2, .norm = tn::FftNorm::forward});
  });
  example("fft::ifft", [] { std::cout << tn::fft::ifft({4, 0, 0, 0}); });
  example("fft::rfft", [] { std::cout << tn::fft::rfft({1, 2, 3, 4}); });
  example("fft::irfft", [] {
    tn::Array signal = {1.0f, 0.0f, 2.0f, 0.0f, 1.0f};
    std::cout << tn::round(tn::fft::irfft(tn::fft::rfft(signal), {.n = 5}) * 8) / 8; // an odd length has to be given
  });
  example("fft::hfft", [] { std::cout << tn::fft::hfft({1, 2, 3}); });
  example("fft::ihfft", [] { std::cout << tn::fft::ihfft({8, 0, 0, 0}); });
  example("fft::fft2", [] { std::cout << tn::fft::fft2(image()); });
  example("fft::ifft2", [] { std::cout << tn::fft::ifft2(4 * image()); });
  example("fft::rfft2", [] { std::cout << tn::fft::rfft2(image()); });
  example("fft::irfft2", [] { std::cout << tn::fft::irfft2(tn::fft::rfft2(image())); });
  example("fft::fftn", [] { std::cout << tn::fft::fftn(image(), {.s = {1, 4}, .axis = {0, 1}}); });
  example("fft::ifftn", [] { std::cout << tn::fft::ifftn(tn::fft::fftn(image())); });
  example("fft::rfftn", [] { std::cout << tn::fft::rfftn(image(), {.axis = 0}); });
  example("fft::irfftn", [] { std::cout << tn::fft::irfftn(tn::fft::rfftn(image())); });
  example("fft::dct", [] { std::cout << tn::round(tn::fft::dct({1.0f, 2.0f, 3.0f, 4.0f}) * 100) / 100; });
  example("fft::idct", [] {
    tn::Array x = {1.0f, 0.0f, 2.0f};
    std::cout << tn::round(tn::fft::idct(tn::fft::dct(x)));
  });
  example("signal::fftconvolve", [] {
    tn::Array x = {1.0f, 2.0f, 3.0f}, y = {0.0f, 1.0f, 0.5f};
    std::cout << tn::round(tn::signal::fftconvolve(x, y) * 8) / 8;
  });
  example("signal::stft", [] {
    tn::Array tone = tn::cos(tn::arange(64.0f) * 0.7854f); // an eighth of the sampling rate
    tn::Array hann = tn::signal::get_window(tn::WindowFunction::hann, 16);
    tn::Array spectra = tn::signal::stft(tone, 16, {.hop_length = 8, .window = hann});
    std::cout << spectra.shape() << "\n" << tn::argmax(tn::abs(spectra), 0);
  });
  example("signal::istft", [] {
    tn::Array x = tn::sin(tn::arange(50.0f)), hann = tn::signal::get_window(tn::WindowFunction::hann, 16);
    tn::Array spectra = tn::signal::stft(x, 16, {.window = hann});
    tn::Array again = tn::signal::istft(spectra, 16, {.window = hann, .length = 50});
    std::cout << tn::allclose(x, again, 1e-5, 1e-5);
  });
  example("signal::get_window", [] {
    std::cout << tn::signal::get_window(tn::WindowFunction::hann, 4) << "\n"; // periodic
    std::cout << tn::signal::get_window(tn::WindowFunction::hann, 5, false);
  });
  example("signal::lfilter", [] {
    auto [y, zf] = tn::signal::lfilter({0.5f}, {1.0f, -0.5f}, {1.0f, 1.0f, 1.0f, 1.0f});
    std::cout << y << "\n";
    std::cout << tn::signal::lfilter({0.5f}, {1.0f, -0.5f}, {1.0f, 1.0f}, {.zi = zf}).y; // the samples that follow
  });
  example("fft::fftfreq", [] { std::cout << tn::fft::fftfreq(8, 0.125); });
  example("fft::rfftfreq", [] { std::cout << tn::fft::rfftfreq(8, 0.125); });
  example("fft::fftshift", [] { std::cout << tn::fft::fftshift({0, 1, 2, -2, -1}); });
  example("fft::ifftshift", [] { std::cout << tn::fft::ifftshift({-2, -1, 0, 1, 2}); });
}
