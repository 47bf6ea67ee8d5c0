//===- ulp.cpp - worst errors of the elementary functions ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the table of ULP.md: all 2^32 inputs of each f32 function against the C
// library in double (of pairs of them every eighth), and random inputs of each f64 function, a quarter of them where
// functions are hard, against it in x87 long double; of two operands, pairs of them. The
// hash is over the bits of the results (any NaN alike): equal hashes from two builds mean
// equal bits. Usage: ulp [f64 samples / 2^20; 0: speeds only][/every n-th f32] [function...]. Built with
// -DTENON_ULP_LANES=N it takes vectors of N lanes instead of whole registers.
//===----------------------------------------------------------------------===//
#include "Ulp.h"
#include "Bessel.h"
#include "Erf.h"
#include "Exponential.h"
#include "Gamma.h"
#include "Hyperbolic.h"
#include "Power.h"
#include "References.h"
#include "Remainder.h"
#include "Trigonometric.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numbers>
#include <thread>
#include <vector>

namespace math = tenon::math;

namespace {

struct Worst {
  double ulp = 0;
  double at = 0, second = 0;
  uint64_t hash = 0;
};

#ifdef TENON_ULP_LANES
template <class T>
constexpr int width = TENON_ULP_LANES;
#else
template <class T>
constexpr int width = math::nativeLanes<T>;
#endif

uint64_t mixed(uint64_t index) {
  uint64_t z = (index + 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  z = (z ^ z >> 32) * 0xc4ceb9fe1a85ec53;
  return z ^ z >> 29;
}
/// In [low, high).
double uniform(uint64_t random, double low, double high) {
  return low + (high - low) * static_cast<double>(random >> 11) * 0x1p-53;
}

/// Where functions are hard: next to multiples of pi / 2, to 0, 1 and powers of 2 and 10, and
/// where exponentials overflow, underflow or are 0.
double hardDouble(uint64_t index) {
  const uint64_t z = mixed(index), r = mixed(z);
  const double sign = z >> 63 ? -1 : 1, near = 1 + static_cast<double>(static_cast<int>(r % 33) - 16) * 0x1p-52;
  switch (z % 8) {
  case 0:
    return static_cast<double>(sign * static_cast<long double>(r >> (1 + z / 8 % 63)) *
                               std::numbers::pi_v<long double> / 2) *
           near;
  case 1:
    return sign * (1 + std::ldexp(uniform(r, -1, 1), -static_cast<int>(z / 8 % 54)));
  case 2:
    return sign * (z & 8 ? uniform(r, 700, 750) : uniform(r, 1020, 1080));
  case 3: {
    // The doubles nearest to multiples of pi / 2, and borders.
    constexpr double points[] = {0x1.6ac5b262ca1ffp849,
                                 0x1.921fb54442d18p0,
                                 0x1p-1022,
                                 0x1p-1074,
                                 0x1.fffffffffffffp1023,
                                 0x1.62e42fefa39efp9,
                                 0x1p1023,
                                 0x1p30,
                                 0x1p29,
                                 0x1p52,
                                 0x1p53,
                                 0.5,
                                 2,
                                 0x1.6a09p0,
                                 0};
    return sign * points[r % std::size(points)] * (z & 8 ? 1 : near);
  }
  case 4:
    return uniform(r, -1, 1);
  case 5:
    return uniform(r, -40, 40);
  case 6:
    return std::ldexp(std::numbers::sqrt2, static_cast<int>(z / 8 % 8) - 4) *
           (1 + std::ldexp(uniform(r, -1, 1), -static_cast<int>(z / 64 % 54)));
  default:
    return z & 8 ? std::pow(10, static_cast<int>(z / 16 % 616) - 308)
                 : sign * std::ldexp(1 + uniform(r, 0, 1), -static_cast<int>(z / 16 % 1074));
  }
}

template <class T>
T input(uint64_t index) {
  if constexpr (sizeof(T) == sizeof(float))
    return std::bit_cast<float>(static_cast<uint32_t>(index));
  else
    return index % 4 == 3 ? hardDouble(index / 4) : math::sampleDouble(index);
}

/// How second operands are chosen: of any size or near the first one's; or so that x^y is a number;
/// or a few units from the first.
enum class Partner { Any, Power, Sum };

template <class T>
T partner(uint64_t index, Partner kind, T first) {
  const uint64_t random = mixed(index), second = mixed(random);
  if (kind == Partner::Power && random % 8) {
    constexpr double most = std::numeric_limits<T>::max_exponent * 1.3;
    const double y = uniform(second, -most, most) / std::log2(std::abs(static_cast<double>(first)));
    return static_cast<T>(std::signbit(first) ? std::rint(y) : y);
  }
  if (kind == Partner::Sum && random % 8)
    return first + static_cast<T>(uniform(second, -40, 40));
  const T any = input<T>(random >> 20);
  return index % 3 ? any : std::scalbn(first, static_cast<int>(random >> 60) - 8) * T(1 + double(random % 1000) / 999);
}

/// All pairs of these come first.
template <class T>
constexpr T ends[] = {T(0),
                      -T(0),
                      T(0.5),
                      T(-0.5),
                      T(1),
                      T(-1),
                      T(2),
                      T(-2),
                      T(3),
                      T(-3),
                      T(2.5),
                      T(-2.5),
                      T(1e30),
                      T(-1e30),
                      std::numeric_limits<T>::infinity(),
                      -std::numeric_limits<T>::infinity(),
                      std::numeric_limits<T>::quiet_NaN(),
                      std::numeric_limits<T>::max(),
                      -std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::denorm_min(),
                      -std::numeric_limits<T>::denorm_min()};

/// f(x), or f(x, y) where it has two operands.
template <class F, class X>
X apply(F f, X x, X y) {
  if constexpr (requires { f(x); })
    return f(x);
  else
    return f(x, y);
}

/// The larger part of the sum that it is, which says how exact it can be where the parts cancel.
template <class Exact>
Exact addendOf(Exact x, Exact y) {
  return std::max(std::abs(std::max(x, y)), x == y ? Exact(0) : std::log1p(std::exp(-std::abs(x - y))));
}
template <class Exact>
Exact logaddexp(Exact x, Exact y) {
  if (x != x || y != y)
    return x + y;
  return std::max(x, y) + std::log1p(std::exp(x == y ? Exact(0) : -std::abs(x - y)));
}

constexpr auto noSize = [](auto x) { return decltype(x)(0); };

template <class T, class Exact, class F, class G, class Size>
Worst scan(uint64_t count, uint64_t step, Partner kind, F function, G reference, Size size) {
  constexpr int width = ::width<T>;
  using V = math::Vec<T, width>;
  constexpr unsigned parts = 2;
  std::vector<Worst> worst(parts);
  std::vector<std::thread> threads;
  for (unsigned part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      Worst w;
      for (uint64_t base = count / parts * part; base < count / parts * (part + 1); base += width) {
        T in[width], second[width], out[width];
        for (int i = 0; i < width; ++i) {
          in[i] = input<T>((base + i) * step + (step == 1 ? 0 : mixed(base + i) % step)),
          second[i] = partner<T>(base + i, kind, in[i]);
          constexpr uint64_t count = std::size(ends<T>);
          if constexpr (!requires { function(T()); })
            if (base + i < count * count)
              in[i] = ends<T>[(base + i) / count], second[i] = ends<T>[(base + i) % count];
        }
        math::store<V>(out, apply(function, math::load<V>(in), math::load<V>(second)));
        for (int i = 0; i < width; ++i) {
          const Exact x = in[i], y = second[i];
          const double error =
              math::ulpError<T, Exact>(out[i], apply(reference, x, y), kind == Partner::Sum ? addendOf(x, y) : size(x));
          if (error > w.ulp)
            w.ulp = error, w.at = in[i], w.second = second[i];
          w.hash += math::hashOf(base + i, out[i]);
        }
      }
      worst[part] = w;
    });
  Worst all;
  for (unsigned part = 0; part < parts; ++part) {
    threads[part].join();
    if (worst[part].ulp > all.ulp)
      all = {worst[part].ulp, worst[part].at, worst[part].second, all.hash};
    all.hash += worst[part].hash;
  }
  return all;
}

/// Nanoseconds an element, over an array that stays in the first cache.
template <class T, class F>
double speed(F function) {
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
        math::store<V>(out + i, apply(function, math::load<V>(in + i), math::broadcast<V>(T(0.7))));
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    asm volatile("" ::"r"(out) : "memory");
    best = std::min(best, time.count() / (10 * count));
  }
  return best;
}

struct Options {
  uint64_t count, step;
  int names;
  char **name;
};

template <class T, class Exact, class F, class G, class Size = decltype(noSize)>
void row(const char *name, const Options &options, F function, G reference, Partner kind = Partner::Any,
         Size size = noSize) {
  const auto isName = [name](const char *other) { return strcmp(name, other) == 0; };
  if (options.names && std::none_of(options.name, options.name + options.names, isName))
    return;
  constexpr bool isFloat = sizeof(T) == 4;
  // Of pairs of floats half a billion.
  constexpr bool isPair = !requires { function(T()); };
  const uint64_t step = isFloat ? std::max(options.step, uint64_t(isPair ? 8 : 1)) : 1;
  const uint64_t count = isFloat && options.count ? (uint64_t(1) << 32) / step : options.count;
  const Worst w = count ? scan<T, Exact>(count, step, kind, function, reference, size) : Worst{};
  printf("| %s %s | %.3f | %.*g", name, isFloat ? "f32" : "f64", w.ulp, isFloat ? 9 : 17, w.at);
  if constexpr (isPair)
    printf(", %.*g", isFloat ? 9 : 17, w.second);
  printf(" | %.2f | `%016llx` |\n", speed<T>(function), static_cast<unsigned long long>(w.hash));
  fflush(stdout);
}

template <class T, class Exact>
void rows(const Options &options) {
#define ONE(function)                                                                                                  \
  row<T, Exact>(#function, options, [](auto x) { return math::function(x); }, [](Exact x) { return std::function(x); })
#define TWO(function, ...)                                                                                             \
  row<T, Exact>(                                                                                                       \
      #function, options, [](auto x, auto y) { return math::function(x, y); },                                         \
      [](Exact x, Exact y) { return std::function(x, y); } __VA_OPT__(, ) __VA_ARGS__)
  ONE(exp);
  ONE(exp2);
  ONE(expm1);
  ONE(log);
  ONE(log2);
  ONE(log10);
  ONE(log1p);
  ONE(sin);
  ONE(cos);
  ONE(tan);
  ONE(asin);
  ONE(acos);
  ONE(atan);
  TWO(atan2);
  row<T, Exact>(
      "logaddexp", options, [](auto x, auto y) { return math::logaddexp(x, y); },
      [](Exact x, Exact y) { return logaddexp(x, y); }, Partner::Sum);
  TWO(pow, Partner::Power);
  TWO(hypot);
  ONE(sinh);
  ONE(cosh);
  ONE(tanh);
  ONE(asinh);
  ONE(acosh);
  ONE(atanh);
  ONE(cbrt);
  ONE(sqrt);
  ONE(erf);
  ONE(erfc);
  TWO(fmod);
  using Long = long double;
  row<T, Long>(
      "lgamma", options, [](auto x) { return math::lgamma(x); }, [](Long x) { return std::lgamma(x); }, Partner::Any,
      math::reference::reflectedFrom<Long>);
  row<T, Long>(
      "digamma", options, [](auto x) { return math::digamma(x); }, math::reference::digamma<Long>, Partner::Any,
      math::reference::digammaSize<Long>);
  row<T, Long>("trigamma", options, [](auto x) { return math::trigamma(x); }, math::reference::trigamma<Long>);
  row<T, Long>("i0e", options, [](auto x) { return math::i0e(x); }, math::reference::expBessel<0, Long>);
  row<T, Long>("i1e", options, [](auto x) { return math::i1e(x); }, math::reference::expBessel<1, Long>);
#undef ONE
#undef TWO
}

} // namespace

int main(int argc, char **argv) {
  char *end = nullptr;
  const uint64_t millions = argc > 1 ? strtoull(argv[1], &end, 10) : 256;
  const uint64_t step = end && *end == '/' ? strtoull(end + 1, nullptr, 10) : 1;
  const Options options = {millions << 20, step, std::max(argc - 2, 0), argv + 2};
  printf("| function | worst ulp | at | ns/element | hash of the results |\n|---|---|---|---|---|\n");
  rows<float, double>(options);
  rows<double, long double>(options);
}
