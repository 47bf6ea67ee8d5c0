//===- 17_signals.cpp - lesson 17: Fourier transforms and filters -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 17_signals.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <iostream>
#include <numbers>

namespace tn = tenon;
namespace fft = tenon::fft;

constexpr double pi = std::numbers::pi;

// Whether two arrays differ by less than 1e-10, as text.
static std::string difference(const tn::Array &a, const tn::Array &b) {
  return tn::max(tn::abs(a - b)).item<double>() < 1e-10 ? "below 1e-10" : "above 1e-10";
}

int main() {
  // A second of sound, 100 samples: 5 oscillations of amplitude 1, 20 of amplitude 0.5, and a constant 0.2. We
  // use f64; transforms of f32 and of integers are c64.
  const int n = 100;
  tn::Array t = tn::arange(0.0, n, tn::f64) / n;
  tn::Array slow = tn::sin(2 * pi * 5 * t), signal = slow + 0.5 * tn::cos(2 * pi * 20 * t) + 0.2;

  // rfft is the transform of real numbers. Of n samples it has n / 2 + 1 elements; rfftfreq are their frequencies.
  tn::Array spectrum = fft::rfft(signal), frequencies = fft::rfftfreq(n, 1.0 / n, tn::f64);
  std::cout << spectrum.shape() << " " << tn::name(spectrum.dtype()) << "\n";
  tn::Array height = 2 * tn::abs(spectrum) / n; // of each oscillation; the constant counts twice
  auto [heights, places] = tn::top_k(height, 3);
  for (int i = 0; i < 3; ++i)
    std::cout << tn::format("{:.3f} at {} Hz\n", heights[i].item<double>(), frequencies[places[i]].item<double>());

  // Parseval: the energy is the same in both. ortho divides by sqrt(n) in both directions.
  tn::Array whole = fft::fft(signal, {.norm = tn::FftNorm::ortho});
  std::cout << tn::format("energy {:.3f} {:.3f}\n", tn::sum(tn::square(signal)), tn::sum(tn::square(tn::abs(whole))));
  // Frequencies of fft: 0 and up, then the negative ones; fftshift puts 0 in the middle.
  std::cout << fft::fftfreq(5, 0.2) << "\n" << fft::fftshift(fft::fftfreq(5, 0.2)) << "\n\n";

  // A filter: keep what is between 1 and 10 Hz, and transform back.
  tn::Array kept = tn::where(frequencies >= 1 && frequencies <= 10, spectrum, 0);
  tn::Array filtered = fft::irfft(kept, {.n = n});
  std::cout << "filtered, differs from the slow oscillation: " << difference(filtered, slow) << "\n";

  // A frequency between two bins leaks into all other bins. A window, which fades at both ends, keeps it together.
  tn::Array between = tn::sin(2 * pi * 5.5 * t);
  auto far = [&](const tn::Array &x) { return tn::max(tn::abs(fft::rfft(x))[{tn::slice(15, tn::_)}]); };
  std::cout << tn::format("leaks above 15 Hz: {:.3f}, with a window {:.4f}\n\n", far(between),
                          far(between * tn::hanning(n, tn::f64)));

  // Convolution in time is a product of transforms: fftconvolve takes O(n log n) where convolve takes O(n m).
  tn::Array average = tn::full({5}, 0.2, tn::f64);
  tn::Array smooth = tn::convolve(signal, average, tn::ConvolutionMode::same);
  std::cout << "convolve and fftconvolve differ: "
            << difference(smooth, tn::signal::fftconvolve(signal, average, {.mode = tn::ConvolutionMode::same}))
            << "\n";
  // An average over 5 samples removes what repeats every 5 samples: the 20 Hz, number 16 in 0.8 seconds.
  std::cout << tn::format("20 Hz after the average: {:.3f}\n",
                          2 * tn::abs(fft::rfft(smooth[{tn::slice(10, 90)}])[16]) / 80);
  // Every length is fast, primes too.
  tn::Array prime = tn::random::normal(tn::random::key(1), {10007}, tn::f64);
  std::cout << "round trip, 10007 samples: " << difference(fft::irfft(fft::rfft(prime), {.n = 10007}), prime) << "\n\n";

  // Multiplying the spectrum by 2 pi i f differentiates in time: the sine becomes 10 pi times the cosine.
  tn::Array factor = tn::complex(tn::zeros_like(frequencies), 2 * pi * frequencies);
  tn::Array rate = fft::irfft(fft::rfft(slow) * factor, {.n = n});
  std::cout << "derivative in time: " << difference(rate, 10 * pi * tn::cos(2 * pi * 5 * t)) << "\n";

  // Gradients go through transforms. The energy of all frequencies is n times that of the samples, so its
  // gradient is 2 n x.
  auto energy = [](const tn::Array &x) { return tn::sum(tn::square(tn::abs(fft::fft(x)))); };
  std::cout << "gradient of the energy: " << difference(tn::grad(energy)(signal), 2 * n * signal) << "\n";

  // A delay by any time, not only by whole samples, turns each frequency by a phase. How late is an echo? The
  // gradient of the difference says where to look.
  auto delayed = [&](const tn::Array &delay) {
    tn::Array phase = -2 * pi * frequencies * delay;
    return fft::irfft(fft::rfft(signal) * tn::complex(tn::cos(phase), tn::sin(phase)), {.n = n});
  };
  tn::Array echo = delayed(tn::Array(0.0123, tn::f64));
  auto miss = [&](const tn::Array &delay) { return tn::mse_loss(delayed(delay), echo); };
  auto step = tn::jit([&](const tn::Array &delay) { return delay - 3e-4 * tn::grad(miss)(delay); });
  tn::Array delay = tn::Array(0.0, tn::f64);
  for (int i = 0; i < 100; ++i)
    delay = step(delay);
  std::cout << tn::format("the echo is {:.4f} s late\n", delay);
}
