//===- ulp.cpp - worst errors of the elementary functions ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the table of ULP.md: all 2^32 inputs of each f32 function against the
// C library in double, and random inputs of each f64 function against it in
// x87 long double; of two operands, pairs of them. The hash is over the bits of the results (any NaN alike):
// equal hashes from two builds mean equal bits. Usage: ulp [f64 samples / 2^20; 0: speeds only].
//===----------------------------------------------------------------------===//
#include "Ulp.h"
#include "Math.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace math = tenon::math;

namespace {

struct Worst {
  double ulp = 0;
  double at = 0;
  uint64_t hash = 0;
};

template <class T>
T input(uint64_t index) {
  if constexpr (sizeof(T) == sizeof(float))
    return std::bit_cast<float>(static_cast<uint32_t>(index));
  else
    return math::sampleDouble(index);
}
/// The second operand: of any size, or near the first one's.
template <class T>
T partner(uint64_t index) {
  const uint64_t mixed = (index + 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  const T first = input<T>(index), any = input<T>(mixed >> 20);
  return index % 3 ? any : std::scalbn(first, static_cast<int>(mixed >> 60) - 8) * T(1 + double(mixed % 1000) / 999);
}

/// f(x), or f(x, y) where it has two operands.
template <class F, class X>
X apply(F f, X x, X y) {
  if constexpr (requires { f(x); })
    return f(x);
  else
    return f(x, y);
}

template <class T, class Exact, class F, class G>
Worst scan(uint64_t count, F function, G reference) {
  constexpr int width = math::nativeLanes<T>;
  using V = math::Vec<T, width>;
  constexpr unsigned parts = 2;
  std::vector<Worst> worst(parts);
  std::vector<std::thread> threads;
  for (unsigned part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      Worst w;
      for (uint64_t base = count / parts * part; base < count / parts * (part + 1); base += width) {
        T in[width], second[width], out[width];
        for (int i = 0; i < width; ++i)
          in[i] = input<T>(base + i), second[i] = partner<T>(base + i);
        math::store<V>(out, apply(function, math::load<V>(in), math::load<V>(second)));
        for (int i = 0; i < width; ++i) {
          const double error = math::ulpError<T, Exact>(
              out[i], apply(reference, static_cast<Exact>(in[i]), static_cast<Exact>(second[i])));
          if (error > w.ulp)
            w.ulp = error, w.at = in[i];
          w.hash += math::hashOf(base + i, out[i]);
        }
      }
      worst[part] = w;
    });
  Worst all;
  for (unsigned part = 0; part < parts; ++part) {
    threads[part].join();
    if (worst[part].ulp > all.ulp)
      all.ulp = worst[part].ulp, all.at = worst[part].at;
    all.hash += worst[part].hash;
  }
  return all;
}

/// Nanoseconds an element, over an array that stays in the first cache.
template <class T, class F>
double speed(F function) {
  constexpr int width = math::nativeLanes<T>;
  using V = math::Vec<T, width>;
  constexpr int count = 2048;
  alignas(64) static T in[count], out[count];
  for (int i = 0; i < count; ++i)
    in[i] = T(0.001) + T(i) * T(0.002);
  double best = 1e9;
  for (int round = 0; round < 200; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int repeat = 0; repeat < 10; ++repeat)
      for (int i = 0; i < count; i += width)
        math::store<V>(out + i, apply(function, math::load<V>(in + i), math::broadcast<V>(T(0.7))));
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    asm volatile("" ::"r"(out) : "memory");
    best = std::min(best, time.count() / (10 * count));
  }
  return best;
}

template <class T, class Exact, class F, class G>
void row(const char *name, const char *type, uint64_t count, F function, G reference) {
  const Worst w = count ? scan<T, Exact>(count, function, reference) : Worst{};
  const char *format =
      sizeof(T) == 4 ? "| %s %s | %.3f | %.9g | %.2f | `%016llx` |\n" : "| %s %s | %.3f | %.17g | %.2f | `%016llx` |\n";
  printf(format, name, type, w.ulp, w.at, speed<T>(function), static_cast<unsigned long long>(w.hash));
  fflush(stdout);
}

template <class T, class Exact>
void rows(const char *type, uint64_t count) {
  row<T, Exact>("exp", type, count, [](auto x) { return math::exp(x); }, [](Exact x) { return std::exp(x); });
  row<T, Exact>("log", type, count, [](auto x) { return math::log(x); }, [](Exact x) { return std::log(x); });
  row<T, Exact>("log1p", type, count, [](auto x) { return math::log1p(x); }, [](Exact x) { return std::log1p(x); });
  row<T, Exact>("tanh", type, count, [](auto x) { return math::tanh(x); }, [](Exact x) { return std::tanh(x); });
  row<T, Exact>("cbrt", type, count, [](auto x) { return math::cbrt(x); }, [](Exact x) { return std::cbrt(x); });
  row<T, Exact>(
      "atan2", type, count, [](auto y, auto x) { return math::atan2(y, x); },
      [](Exact y, Exact x) { return std::atan2(y, x); });
  row<T, Exact>("sqrt", type, count, [](auto x) { return math::sqrt(x); }, [](Exact x) { return std::sqrt(x); });
}

} // namespace

int main(int argc, char **argv) {
  const uint64_t millions = argc > 1 ? strtoull(argv[1], nullptr, 10) : 256;
  printf("| function | worst ulp | at | ns/element | hash of the results |\n|---|---|---|---|---|\n");
  rows<float, double>("f32", millions ? uint64_t(1) << 32 : 0);
  rows<double, long double>("f64", millions << 20);
}
