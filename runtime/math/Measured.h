//===- Measured.h - what is measured: functions, references, inputs --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for ulp.cpp, which writes ULP.md, and for ulp_test.cpp, which measures a part of the same inputs again. No
// part of the runtime.
//===----------------------------------------------------------------------===//
#pragma once

#include "Exact.h"
#include "Functions.h"
#include "References.h"
#include "Ulp.h"

#include <iterator>

namespace tenon::math::measured {

inline uint64_t mixed(uint64_t index) {
  uint64_t z = (index + 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  z = (z ^ z >> 32) * 0xc4ceb9fe1a85ec53;
  return z ^ z >> 29;
}
/// In [low, high).
inline double uniform(uint64_t random, double low, double high) {
  return low + (high - low) * static_cast<double>(random >> 11) * 0x1p-53;
}

/// Where functions are hard: next to multiples of pi / 2, to 0, 1 and powers of 2 and 10, and
/// where exponentials overflow, underflow or are 0.
inline double hardDouble(uint64_t index) {
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
    return index % 4 == 3 ? hardDouble(index / 4) : sampleDouble(index);
}

/// How second operands are chosen: of any size or near the first one's; or so that x^y is a number;
/// or a few units from the first, and now and then so that log(e^x + e^y) is nearly 0.
enum class Partner { None, Any, Power, Sum };

template <class T>
struct Operands {
  T x, y;
};

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

/// The operands of number `index`; of floats the first one is the bits, of every `step` one.
template <class T>
Operands<T> operands(uint64_t index, uint64_t step, Partner kind) {
  const uint64_t random = mixed(index), second = mixed(random);
  const T x = input<T>(index * step + (step == 1 ? 0 : random % step));
  if (kind == Partner::None)
    return {x, x};
  constexpr uint64_t count = std::size(ends<T>);
  if (index < count * count)
    return {ends<T>[index / count], ends<T>[index % count]};
  if (kind == Partner::Power && random % 8) {
    constexpr double most = std::numeric_limits<T>::max_exponent * 1.3;
    const double y = uniform(second, -most, most) / std::log2(std::abs(static_cast<double>(x)));
    return {x, static_cast<T>(std::signbit(x) ? std::rint(y) : y)};
  }
  if (kind == Partner::Sum && index % 256 == 1) {
    constexpr uint64_t bits = std::numeric_limits<T>::digits + 6;
    const T less = static_cast<T>(
        -std::ldexp(uniform(random, 0.34, 0.69315),
                    -static_cast<int>(second % (second >> 60 ? 40 : std::numeric_limits<T>::max_exponent))));
    const double more = std::log(-std::expm1(static_cast<double>(less)));
    return {less, static_cast<T>(
                      more * (1 + std::ldexp(uniform(mixed(second), -1, 1), -static_cast<int>(second / 64 % bits))))};
  }
  if (kind == Partner::Sum && random % 8)
    return {x, x + static_cast<T>(uniform(second, -40, 40))};
  const T any = input<T>(random >> 20);
  return {x, index % 3 ? any : std::scalbn(x, static_cast<int>(random >> 60) - 8) * T(1 + double(random % 1000) / 999)};
}

/// What stands beside the result where that is how exact it can be; 0: nothing.
constexpr auto noSize = [](auto x, auto) { return decltype(x)(0); };

/// The type that stands in for the exact value where MPFR is too slow: a double beside a float.
template <class T>
using Wider = std::conditional_t<sizeof(T) == 4, double, long double>;

/// Where of doubles the result of logaddexp is smaller beside the larger operand, its error is in units of this part.
constexpr double logaddexpLeast = 0x1p-51;

/// log(e^x + e^y) below 0 is a number whose parts may cancel nearly all of each other: MPFR's where they do.
template <class T>
Wider<T> logaddexpScreen(Wider<T> x, Wider<T> y) {
  const Wider<T> result = reference::logaddexp(x, y), larger = std::max(x, y);
  if (!(larger < 0 && std::abs(result) < std::abs(larger) * Wider<T>(0x1p-4)))
    return result;
  exact::Real out;
  exact::logaddexp(out, exact::Real(static_cast<double>(x)), exact::Real(static_cast<double>(y)));
  return static_cast<Wider<T>>(mpfr_get_ld(out, exact::nearest));
}
/// Of doubles it is as exact as their sum to twice their precision.
template <class T>
Wider<T> logaddexpSize(Wider<T> x, Wider<T> y) {
  return sizeof(T) == 8 && std::max(x, y) < 0 ? std::abs(std::max(x, y)) * Wider<T>(logaddexpLeast) : 0;
}

/// Calls visit(name, most, partner, f, screen, exact, size) for each function: the worst error that it may have, the
/// function over vectors of T, the same in Wider<T>, by MPFR, and beside what its error is measured.
template <class T, class Visit>
void eachFunction(Visit visit) {
  using Exact = Wider<T>;
  using Out = mpfr_ptr;
  using In = mpfr_srcptr;
#define ONE(name, most)                                                                                                \
  visit(                                                                                                               \
      #name, most, Partner::None, [](auto x, auto) { return math::name(x); },                                          \
      [](Exact x, Exact) { return std::name(x); }, [](Out out, In x, In) { mpfr_##name(out, x, exact::nearest); },     \
      noSize)
#define TWO(name, most, partner)                                                                                       \
  visit(                                                                                                               \
      #name, most, partner, [](auto x, auto y) { return math::name(x, y); },                                           \
      [](Exact x, Exact y) { return std::name(x, y); },                                                                \
      [](Out out, In x, In y) { mpfr_##name(out, x, y, exact::nearest); }, noSize)
#define SPECIAL(name, most, screen, byMpfr, size)                                                                      \
  visit(                                                                                                               \
      #name, most, Partner::None, [](auto x, auto) { return math::name(x); },                                          \
      [](Exact x, Exact) { return screen(x); }, [](Out out, In x, In) { byMpfr; },                                     \
      []([[maybe_unused]] Exact x, Exact) { return size; })
  ONE(exp, 1.1);
  ONE(exp2, 1.1);
  ONE(expm1, 1.1);
  ONE(log, 1.1);
  ONE(log2, 1.1);
  ONE(log10, 1.1);
  ONE(log1p, 1.1);
  ONE(sin, 1.1);
  ONE(cos, 1.1);
  ONE(tan, 1.1);
  ONE(asin, 1.1);
  ONE(acos, 1.1);
  ONE(atan, 1.1);
  TWO(atan2, 1.1, Partner::Any);
  visit(
      "logaddexp", 1.1, Partner::Sum, [](auto x, auto y) { return math::logaddexp(x, y); }, logaddexpScreen<T>,
      [](Out out, In x, In y) { exact::logaddexp(out, x, y); }, logaddexpSize<T>);
  TWO(pow, 1.5, Partner::Power);
  TWO(hypot, 1.1, Partner::Any);
  ONE(sinh, 1.5);
  ONE(cosh, 1.5);
  ONE(tanh, 1.1);
  ONE(asinh, 1.5);
  ONE(acosh, 1.5);
  ONE(atanh, 1.5);
  ONE(cbrt, 1.1);
  ONE(sqrt, 0.5);
  ONE(erf, 4);
  ONE(erfc, 4);
  TWO(fmod, 0, Partner::Any);
  SPECIAL(lgamma, 4, std::lgamma, exact::lgamma(out, x), reference::reflectedFrom(x));
  SPECIAL(digamma, 4, reference::digamma, mpfr_digamma(out, x, exact::nearest), reference::digammaSize(x));
  SPECIAL(trigamma, 4, reference::trigamma, exact::trigamma(out, x), Exact(0));
  SPECIAL(i0e, 4, reference::expBessel<0>, exact::expBessel(out, x, 0), Exact(0));
  SPECIAL(i1e, 4, reference::expBessel<1>, exact::expBessel(out, x, 1), Exact(0));
#undef ONE
#undef TWO
#undef SPECIAL
}

} // namespace tenon::math::measured
