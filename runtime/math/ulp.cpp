//===- ulp.cpp - worst errors of the elementary functions ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the tables of ULP.md. Each function of Measured.h runs over all f32 (of pairs over 2^30), and over random f64,
// a quarter of them where functions are hard. Every error is first estimated by the C library in a wider type; the
// largest of them, and those of random inputs, are then found by MPFR. The hash is over the bits of the results (any
// NaN alike): equal hashes from two builds mean equal bits.
//
// Usage: ulp [f64 samples / 2^20; 0: speeds instead][/every n-th f32] [function or dtype...]. Built with
// -DTENON_ULP_LANES=N it takes vectors of N lanes instead of whole registers.
//===----------------------------------------------------------------------===//
#include "Measured.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <queue>
#include <thread>
#include <vector>

namespace math = tenon::math;
namespace measured = math::measured;

namespace {

#ifdef TENON_ULP_LANES
template <class T>
constexpr int width = TENON_ULP_LANES;
#else
template <class T>
constexpr int width = math::nativeLanes<T>;
#endif

/// An input and its error.
template <class T>
struct Found {
  double ulp = 0;
  T x = 0, y = 0, result = 0;
  bool operator>(const Found &other) const { return ulp > other.ulp; }
};

/// What is known of a function when some inputs have been seen.
template <class T>
struct Seen {
  static constexpr size_t kept = 2048;
  std::priority_queue<Found<T>, std::vector<Found<T>>, std::greater<>> largest; // as estimated
  Found<T> worst;                                                               // by MPFR
  double off = 0;                                                               // by how much an estimate was wrong
  uint64_t hash = 0;

  void estimated(const Found<T> &found) {
    if (largest.size() < kept) {
      largest.push(found);
    } else if (found > largest.top()) {
      largest.pop();
      largest.push(found);
    }
  }
  void known(const Found<T> &found) {
    if (found > worst)
      worst = found;
  }
};

/// A function's row of Measured.h.
template <class T, class F, class Screen, class Exact, class Size>
struct Measured {
  measured::Partner partner;
  F function;
  Screen screen;
  Exact exact;
  Size size;

  Found<T> estimate(T x, T y, T result) const {
    using Wider = measured::Wider<T>;
    return {math::ulpError<T, Wider>(result, screen(x, y), size(x, y)), x, y, result};
  }
  Found<T> byMpfr(Found<T> at) const {
    math::exact::Real out;
    exact(out, math::exact::Real(at.x), math::exact::Real(at.y));
    at.ulp = math::exact::ulpError(at.result, out, static_cast<double>(size(at.x, at.y)));
    return at;
  }
  /// The inputs from `first` to `last`, one of `every` by MPFR at once.
  Seen<T> scan(uint64_t first, uint64_t last, uint64_t step, uint64_t every) const {
    constexpr int width = ::width<T>;
    using V = math::Vec<T, width>;
    Seen<T> seen;
    for (uint64_t base = first; base < last; base += width) {
      T x[width], y[width], out[width];
      for (int i = 0; i < width; ++i) {
        const auto at = measured::operands<T>(base + i, step, partner);
        x[i] = at.x, y[i] = at.y;
      }
      math::store<V>(out, function(math::load<V>(x), math::load<V>(y)));
      for (int i = 0; i < width; ++i) {
        const Found<T> found = estimate(x[i], y[i], out[i]);
        seen.estimated(found);
        if (measured::mixed(~(base + i)) % every == 0) {
          const Found<T> exactly = byMpfr(found);
          seen.known(exactly);
          if (exactly.ulp != found.ulp)
            seen.off = std::max(seen.off, std::abs(exactly.ulp - found.ulp));
        }
        seen.hash += math::hashOf(base + i, out[i]);
      }
    }
    for (; !seen.largest.empty(); seen.largest.pop())
      seen.known(byMpfr(seen.largest.top()));
    return seen;
  }
  Seen<T> scan(uint64_t count, uint64_t step, uint64_t checks) const {
    constexpr unsigned parts = 2;
    std::vector<Seen<T>> seen(parts);
    std::vector<std::thread> threads;
    for (unsigned part = 0; part < parts; ++part)
      threads.emplace_back([&, part] {
        seen[part] =
            scan(count / parts * part, count / parts * (part + 1), step, std::max(count / checks, uint64_t(1)));
        mpfr_free_cache();
      });
    Seen<T> all;
    for (unsigned part = 0; part < parts; ++part) {
      threads[part].join();
      all.known(seen[part].worst);
      all.off = std::max(all.off, seen[part].off), all.hash += seen[part].hash;
    }
    return all;
  }
  /// Nanoseconds an element, over an array that stays in the first cache.
  double speed() const {
    constexpr int width = ::width<T>;
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
          math::store<V>(out + i, function(math::load<V>(in + i), math::broadcast<V>(T(0.7))));
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      asm volatile("" ::"r"(out) : "memory");
      best = std::min(best, time.count() / (10 * count));
    }
    return best;
  }
};

struct Options {
  uint64_t count, step;
  int names;
  char **name;
};

template <class T>
void rows(const Options &options) {
  constexpr bool isFloat = sizeof(T) == 4;
  const char *dtype = isFloat ? "f32" : "f64";
  const auto has = [&options](const char *one) {
    return std::any_of(options.name, options.name + options.names,
                       [one](char *name) { return strcmp(name, one) == 0; });
  };
  const bool isAnyDtype = has("f32") == has("f64");
  const bool isAnyName = options.names == has("f32") + has("f64");
  measured::eachFunction<T>(
      [&](const char *name, double most, measured::Partner partner, auto f, auto screen, auto exact, auto size) {
        if (!(isAnyDtype || has(dtype)) || !(isAnyName || has(name)))
          return;
        const Measured<T, decltype(f), decltype(screen), decltype(exact), decltype(size)> row{partner, f, screen, exact,
                                                                                              size};
        printf("| %s %s | ", name, dtype);
        if (options.count == 0) {
          printf("%.2f |\n", row.speed());
          return;
        }
        const bool isPair = partner != measured::Partner::None;
        const uint64_t step = isFloat ? std::max(options.step, uint64_t(isPair ? 4 : 1)) : 1;
        const uint64_t count = isFloat ? (uint64_t(1) << 32) / step : options.count;
        // MPFR's special functions take some twenty times as long.
        const Seen<T> seen = row.scan(count, step, uint64_t(1) << (most > 1.5 ? 16 : 20));
        printf("%.3f | %.*g", seen.worst.ulp, isFloat ? 9 : 17, double(seen.worst.x));
        if (isPair)
          printf(", %.*g", isFloat ? 9 : 17, double(seen.worst.y));
        printf(" | %" PRIu64 " | %.1g | `%016" PRIx64 "` |\n", count, seen.off, seen.hash);
        fflush(stdout);
      });
}

} // namespace

int main(int argc, char **argv) {
  char *end = nullptr;
  const uint64_t millions = argc > 1 ? strtoull(argv[1], &end, 10) : 96;
  const uint64_t step = end && *end == '/' ? strtoull(end + 1, nullptr, 10) : 1;
  const Options options = {millions << 20, std::max(step, uint64_t(1)), std::max(argc - 2, 0), argv + 2};
  printf(millions ? "| function | worst ulp | at | inputs | estimate off by | hash of the results "
                    "|\n|---|---|---|---|---|---|\n"
                  : "| function | ns/element |\n|---|---|\n");
  rows<float>(options);
  rows<double>(options);
}
