//===- DerivativeUlp.h - derivatives and their exact values -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for derivative_ulp.cpp, which writes lib/transform/vjp/ULP.md, and for derivative_ulp_test.cpp, which
// measures a part of the same inputs again: the derivatives of elementwise functions, as grad computes them eagerly,
// against MPFR.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/math/Exact.h"

#include <tenon/dtypes.h>
#include <tenon/ops.h>
#include <tenon/transform.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

/// Numbers of 320 bits and functions of them, by MPFR.
namespace multiprecision {

namespace exact = tenon::math::exact;

/// A number of 320 bits.
class Number {
public:
  Number(double value = 0) : real_(value, bits) {}
  Number(const Number &other) : real_(0, bits) { mpfr_set(real_, other.real_, exact::nearest); }
  Number &operator=(const Number &other) {
    mpfr_set(real_, other.real_, exact::nearest);
    return *this;
  }
  mpfr_ptr out() { return real_; }
  mpfr_srcptr in() const { return real_; }
  double rounded() const { return mpfr_get_d(real_, exact::nearest); }

private:
  static constexpr mpfr_prec_t bits = 320;
  exact::Real real_;
};

/// Calls MPFR's `f(out, operands..., rounding)`.
template <class F, class... Operands>
Number by(F f, const Operands &...operands) {
  Number out;
  f(out.out(), operands.in()..., exact::nearest);
  return out;
}
inline Number operator+(const Number &a, const Number &b) { return by(mpfr_add, a, b); }
inline Number operator-(const Number &a, const Number &b) { return by(mpfr_sub, a, b); }
inline Number operator*(const Number &a, const Number &b) { return by(mpfr_mul, a, b); }
inline Number operator/(const Number &a, const Number &b) { return by(mpfr_div, a, b); }
inline Number operator-(const Number &a) { return by(mpfr_neg, a); }
inline bool operator<(const Number &a, const Number &b) { return mpfr_less_p(a.in(), b.in()) != 0; }
inline Number exp(const Number &x) { return by(mpfr_exp, x); }
inline Number expm1(const Number &x) { return by(mpfr_expm1, x); }
inline Number log(const Number &x) { return by(mpfr_log, x); }
inline Number sqrt(const Number &x) { return by(mpfr_sqrt, x); }
inline Number abs(const Number &x) { return by(mpfr_abs, x); }
inline Number pow(const Number &x, const Number &y) { return by(mpfr_pow, x, y); }
inline Number pi() {
  Number out;
  mpfr_const_pi(out.out(), exact::nearest);
  return out;
}
inline Number ln(unsigned long x) {
  Number out;
  mpfr_log_ui(out.out(), x, exact::nearest);
  return out;
}
/// 1 / (1 + e^-x).
inline Number sigmoid(const Number &x) { return 1 / (1 + exp(-x)); }
/// e^-|x| I(order, x).
inline Number bessel(const Number &x, unsigned order) {
  Number out;
  exact::expBessel(out.out(), x.in(), order);
  return out;
}
/// The derivative of sin(pi x) / (pi x).
inline Number sincSlope(const Number &x) {
  if (abs(x) < Number(0x1p-100))
    return -(pi() * pi() * x / 3);
  const Number angle = pi() * by(mpfr_fmod, x, Number(2));
  return (by(mpfr_cos, angle) - by(mpfr_sin, angle) / (pi() * x)) / x;
}
/// The inverse of erf for |x| < 1, by Halley's method from S. Winitzki's approximation.
inline Number erfInv(const Number &x) {
  const Number logarithm = by(mpfr_log1p, -(x * x)), first = 2 / (pi() * 0.147) + logarithm / 2;
  const Number size = sqrt(abs(sqrt(first * first - logarithm / 0.147) - first));
  Number y = x < 0 ? -size : size;
  for (int round = 0; round < 6; ++round) {
    // Newton's step, from the smaller one of erf and erfc.
    const bool isFar = 1 < abs(y);
    const Number rest =
        isFar ? (y < 0 ? by(mpfr_erfc, -y) - (1 + x) : (1 - x) - by(mpfr_erfc, y)) : by(mpfr_erf, y) - x;
    const Number step = rest * sqrt(pi()) / 2 * exp(y * y);
    y = y - step / (1 + y * step);
  }
  return y;
}
/// The sum of (q + k)^-s over k from 0 on for q > 0, s > 1: 60 terms, and Euler's and Maclaurin's sum behind them.
inline Number hurwitz(const Number &s, const Number &q) {
  constexpr double bernoulli[][2] = {{1, 6},       {-1, 30},       {1, 42},       {-1, 30},
                                     {5, 66},      {-691, 2730},   {7, 6},        {-3617, 510},
                                     {43867, 798}, {-174611, 330}, {854513, 138}, {-236364091, 2730}};
  Number sum, at = q;
  for (int k = 0; k < 60; ++k, at = at + 1)
    sum = sum + pow(at, -s);
  const Number power = pow(at, -s);
  sum = sum + power * at / (s - 1) + power / 2;
  Number factor = power * s / at, factorial = 2;
  for (int j = 0; j < 12; ++j) {
    sum = sum + factor * bernoulli[j][0] / bernoulli[j][1] / factorial;
    factor = factor * (s + (2 * j + 1)) * (s + (2 * j + 2)) / (at * at);
    factorial = factorial * (2 * j + 3) * (2 * j + 4);
  }
  return sum;
}

} // namespace multiprecision

namespace tenon::test {

namespace exact = math::exact;
using multiprecision::Number;

/// The range of an operand.
enum class From {
  Any,
  Positive,
  /// Above 1.
  Above1,
  /// Between -1 and 1, between 0 and 1.
  Circle,
  Unit,
  /// From 1/8 to 100: parameters of functions that a sum of MPFR's computes.
  Parameter,
  /// Not so large that e^-|x| I(x) cancels in MPFR.
  Bessel,
  /// Exponents of the operand before that give a number; numbers near the operand before; small integers.
  Exponent,
  Near,
  Order,
};

struct Derivative {
  std::string name;
  std::vector<From> operands;
  int by;
  std::function<Array(std::span<const Array>)> function;
  std::function<Number(std::span<const Number>)> exact;
  /// The largest error, in ulp, by dtype f64, f32, f16, bf16; above 8 with a reason.
  std::vector<double> most = {8, 8, 8, 8};
  std::string reason = {};
  /// The error is in units of the last place of the value, or of this if it is larger.
  std::function<double(std::span<const double>)> size = {};
};

using Operands = std::span<const Array>;
using Numbers = std::span<const Number>;

/// A function of one operand.
inline Derivative one(std::string name, Array (*f)(const Operand &), From from,
                      std::function<Number(const Number &)> slope) {
  return {std::move(name), {from}, 0, [f](Operands x) { return f(x[0]); }, [slope](Numbers x) { return slope(x[0]); }};
}
/// A function of two by one of them.
inline Derivative two(std::string name, Array (*f)(const Operand &, const Operand &), From first, From second, int by,
                      std::function<Number(const Number &, const Number &)> slope) {
  return {name + (by ? " by x2" : " by x1"),
          {first, second},
          by,
          [f](Operands x) { return f(x[0], x[1]); },
          [slope](Numbers x) { return slope(x[0], x[1]); }};
}
inline Derivative limited(Derivative of, std::vector<double> most, std::string reason) {
  of.most = std::move(most);
  of.reason = std::move(reason);
  return of;
}
inline Derivative beside(Derivative of, double (*size)(double), const std::string &what = "a tenth near its root") {
  of.size = [size](std::span<const double> x) { return size(x[0]); };
  of.reason += (of.reason.empty() ? "measured beside " : ", and measured beside ") + what;
  return of;
}

/// The derivatives that are measured.
inline const std::vector<Derivative> &derivatives() {
  using N = const Number &;
  using multiprecision::by, multiprecision::erfInv, multiprecision::hurwitz, multiprecision::ln, multiprecision::pi,
      multiprecision::sincSlope;
  static const auto softplusSlope = [](N x, N y) { return sigmoid(x - y); };
  static const std::vector<Derivative> all = {
      one("exp", tenon::exp, From::Any, [](N x) { return exp(x); }),
      one("exp2", tenon::exp2, From::Any, [](N x) { return ln(2) * by(mpfr_exp2, x); }),
      one("expm1", tenon::expm1, From::Any, [](N x) { return exp(x); }),
      one("log", tenon::log, From::Positive, [](N x) { return 1 / x; }),
      one("log2", tenon::log2, From::Positive, [](N x) { return 1 / (x * ln(2)); }),
      one("log10", tenon::log10, From::Positive, [](N x) { return 1 / (x * ln(10)); }),
      one("log1p", tenon::log1p, From::Positive, [](N x) { return 1 / (1 + x); }),
      one("log1p of a negative number", tenon::log1p, From::Circle, [](N x) { return 1 / (1 + x); }),
      one("sqrt", tenon::sqrt, From::Positive, [](N x) { return 1 / (2 * sqrt(x)); }),
      one("cbrt", tenon::cbrt, From::Any, [](N x) { return 1 / (3 * pow(by(mpfr_cbrt, x), 2)); }),
      one("sin", tenon::sin, From::Any, [](N x) { return by(mpfr_cos, x); }),
      one("cos", tenon::cos, From::Any, [](N x) { return -by(mpfr_sin, x); }),
      one("tan", tenon::tan, From::Any, [](N x) { return pow(by(mpfr_sec, x), 2); }),
      one("asin", tenon::asin, From::Circle, [](N x) { return 1 / sqrt(1 - x * x); }),
      one("acos", tenon::acos, From::Circle, [](N x) { return -(1 / sqrt(1 - x * x)); }),
      one("atan", tenon::atan, From::Any, [](N x) { return 1 / (1 + x * x); }),
      one("sinh", tenon::sinh, From::Any, [](N x) { return by(mpfr_cosh, x); }),
      one("cosh", tenon::cosh, From::Any, [](N x) { return by(mpfr_sinh, x); }),
      one("tanh", tenon::tanh, From::Any, [](N x) { return pow(by(mpfr_sech, x), 2); }),
      one("asinh", tenon::asinh, From::Any, [](N x) { return 1 / sqrt(1 + x * x); }),
      one("acosh", tenon::acosh, From::Above1, [](N x) { return 1 / sqrt(x * x - 1); }),
      one("atanh", tenon::atanh, From::Circle, [](N x) { return 1 / (1 - x * x); }),
      one("erf", tenon::erf, From::Any, [](N x) { return 2 / sqrt(pi()) * exp(-(x * x)); }),
      one("erfc", tenon::erfc, From::Any, [](N x) { return -(2 / sqrt(pi()) * exp(-(x * x))); }),
      beside(one("lgamma", tenon::lgamma, From::Positive, [](N x) { return by(mpfr_digamma, x); }),
             [](double x) { return std::abs(x - 1.46) < 0.1 ? 0.1 : 0; }),
      one("digamma", tenon::digamma, From::Positive, [](N x) { return hurwitz(2, x); }),
      one("trigamma", tenon::trigamma, From::Positive, [](N x) { return -2 * hurwitz(3, x); }),
      one("i0e", tenon::i0e, From::Bessel,
          [](N x) {
            const Number slope = bessel(x, 0) - abs(bessel(x, 1));
            return 0 < x ? -slope : x < 0 ? slope : 0;
          }),
      beside(limited(one("i1e", tenon::i1e, From::Bessel,
                         [](N x) { return bessel(x, 0) - abs(bessel(x, 1)) - bessel(x, 1) / x; }),
                     {12, 9, 8, 8}, "a difference, which multiplies the error of i1e"),
             [](double x) { return std::abs(x) < 4 ? 0.1 : 0; }),
      one("i0", tenon::i0, From::Bessel, [](N x) { return bessel(x, 1) * exp(abs(x)); }),
      one("reciprocal", tenon::reciprocal, From::Any, [](N x) { return -(1 / (x * x)); }),
      one("rsqrt", tenon::rsqrt, From::Positive, [](N x) { return -(1 / (2 * x * sqrt(x))); }),
      one("square", tenon::square, From::Any, [](N x) { return 2 * x; }),
      one("sigmoid", tenon::sigmoid, From::Any, [](N x) { return sigmoid(x) * sigmoid(-x); }),
      one("log_sigmoid", tenon::log_sigmoid, From::Any, [](N x) { return sigmoid(-x); }),
      one("softplus", tenon::softplus, From::Any, [](N x) { return sigmoid(x); }),
      one("soft_sign", tenon::soft_sign, From::Any, [](N x) { return 1 / pow(1 + abs(x), 2); }),
      beside(one("silu", tenon::silu, From::Any, [](N x) { return sigmoid(x) * (1 + x * sigmoid(-x)); }),
             [](double x) { return std::abs(x + 1.3) < 1 ? 0.1 : 0; }),
      beside(one("mish", tenon::mish, From::Any,
                 [](N x) {
                   const Number tanh = by(mpfr_tanh, by(mpfr_log1p, exp(x)));
                   return tanh + x * (1 - tanh * tanh) * sigmoid(x);
                 }),
             [](double x) { return std::abs(x + 1.2) < 1 ? 0.1 : 0; }),
      beside(limited(one(
                         "gelu", [](const Operand &x) { return tenon::gelu(x); }, From::Any,
                         [](N x) {
                           const Number scale = sqrt(8 / pi()), cubic = Number(44715) / 1000000;
                           const Number u = scale * (x + cubic * x * x * x);
                           return sigmoid(u) + x * scale * (1 + 3 * cubic * x * x) * sigmoid(u) * sigmoid(-u);
                         }),
                     {2048, 256, 8, 8}, "the exponent, a polynomial of x, is rounded"),
             [](double x) { return std::abs(x + 0.75) < 0.5 ? 0.1 : 0; }),
      beside(
          one(
              "gelu by erfc", [](const Operand &x) { return tenon::gelu(x, false); }, From::Any,
              [](N x) { return by(mpfr_erfc, -x / sqrt(Number(2))) / 2 + x * exp(-(x * x) / 2) / sqrt(2 * pi()); }),
          [](double x) { return std::abs(x + 0.75) < 0.5 ? 0.25 : 0; }, "a quarter near its root"),
      beside(
          one("sinc", tenon::sinc, From::Any, [](N x) { return sincSlope(x); }),
          [](double x) { return std::abs(x) > 1 ? 1 / std::abs(x) : 0; }, "1 / x beyond 1, where it has roots"),
      one("erf_inv", tenon::erf_inv, From::Circle,
          [](N x) {
            const Number y = erfInv(x);
            return sqrt(pi()) / 2 * exp(y * y);
          }),
      one("logit", tenon::logit, From::Unit, [](N x) { return 1 / (x * (1 - x)); }),
      one("log1mexp", tenon::log1mexp, From::Positive, [](N x) { return 1 / expm1(x); }),
      {"elu",
       {From::Any},
       0,
       [](Operands x) { return tenon::elu(x[0]); },
       [](Numbers x) { return 0 < x[0] ? Number(1) : exp(x[0]); }},
      one(
          "celu of alpha 1.5", [](const Operand &x) { return tenon::celu(x, 1.5); }, From::Any,
          [](N x) { return 0 < x ? Number(1) : exp(x / 1.5); }),
      {"selu",
       {From::Any},
       0,
       [](Operands x) { return tenon::selu(x[0]); },
       [](Numbers x) {
         const Number scale = 1.0507009873554804934193349852946, alpha = 1.6732632423543772848170429916717;
         return 0 < x[0] ? scale : scale * alpha * exp(x[0]);
       }},
      two("divide", tenon::divide, From::Any, From::Any, 0, [](N, N y) { return 1 / y; }),
      two("divide", tenon::divide, From::Any, From::Any, 1, [](N x, N y) { return -(x / (y * y)); }),
      two("pow", tenon::pow, From::Positive, From::Exponent, 0, [](N x, N y) { return y * pow(x, y - 1); }),
      two("pow", tenon::pow, From::Positive, From::Exponent, 1, [](N x, N y) { return pow(x, y) * log(x); }),
      two("hypot", tenon::hypot, From::Any, From::Near, 0, [](N x, N y) { return x / sqrt(x * x + y * y); }),
      two("hypot", tenon::hypot, From::Any, From::Any, 1, [](N x, N y) { return y / sqrt(x * x + y * y); }),
      two("atan2", tenon::atan2, From::Any, From::Near, 0, [](N y, N x) { return x / (x * x + y * y); }),
      two("atan2", tenon::atan2, From::Any, From::Any, 1, [](N y, N x) { return -(y / (x * x + y * y)); }),
      two("logaddexp", tenon::logaddexp, From::Any, From::Near, 0, softplusSlope),
      two("logaddexp", tenon::logaddexp, From::Any, From::Any, 1, [](N x, N y) { return sigmoid(y - x); }),
      two("logaddexp2", tenon::logaddexp2, From::Any, From::Near, 0,
          [](N x, N y) { return 1 / (1 + by(mpfr_exp2, y - x)); }),
      two("logaddexp2", tenon::logaddexp2, From::Any, From::Any, 1,
          [](N x, N y) { return 1 / (1 + by(mpfr_exp2, x - y)); }),
      two("xlogy", tenon::xlogy, From::Any, From::Positive, 0, [](N, N y) { return log(y); }),
      two("xlogy", tenon::xlogy, From::Any, From::Positive, 1, [](N x, N y) { return x / y; }),
      two("xlog1py", tenon::xlog1py, From::Any, From::Positive, 0, [](N, N y) { return by(mpfr_log1p, y); }),
      two("xlog1py", tenon::xlog1py, From::Any, From::Positive, 1, [](N x, N y) { return x / (1 + y); }),
      two("igamma", tenon::igamma, From::Parameter, From::Parameter, 1,
          [](N a, N x) { return pow(x, a - 1) * exp(-x) / by(mpfr_gamma, a); }),
      two("zeta", tenon::zeta, From::Order, From::Parameter, 1, [](N s, N q) { return -s * hurwitz(s + 1, q); }),
      limited(two("polygamma", tenon::polygamma, From::Order, From::Parameter, 1,
                  [](N n, N x) {
                    const Number size = by(mpfr_gamma, n + 2) * hurwitz(n + 2, x);
                    return static_cast<long>(n.rounded()) % 2 ? -size : size;
                  }),
              {12, 8, 8, 8}, "polygamma rounds twice for each order"),
      {"betainc by x",
       {From::Parameter, From::Parameter, From::Unit},
       2,
       [](Operands x) { return tenon::betainc(x[0], x[1], x[2]); },
       [](Numbers x) { return pow(x[2], x[0] - 1) * pow(1 - x[2], x[1] - 1) / by(mpfr_beta, x[0], x[1]); },
       {12, 8, 8, 8},
       "the exponent, a sum of logarithms, is rounded"},
  };
  return all;
}

constexpr Dtype measuredDtypes[] = {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16};
inline exact::Format formatOf(Dtype dtype) {
  return dtype == Dtype::f64   ? exact::formatOf<double>
         : dtype == Dtype::f32 ? exact::formatOf<float>
         : dtype == Dtype::f16 ? exact::Format{11, 16, -13}
                               : exact::Format{8, 128, -125};
}

inline uint64_t mixed(uint64_t index) {
  uint64_t z = (index + 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  z = (z ^ z >> 32) * 0xc4ceb9fe1a85ec53;
  return z ^ z >> 29;
}

/// Operand number `operand` of sample `index`. The samples cover all exponents of the format, and are dense near the
/// points where functions change their form.
inline double sample(From from, const exact::Format &format, uint64_t index, int operand,
                     std::span<const double> before) {
  const uint64_t z = mixed(4 * index + static_cast<uint64_t>(operand)), r = mixed(z);
  const double mantissa = 1 + static_cast<double>(r >> 11) * 0x1p-53;
  const int exponents = format.highest - format.lowestNormal + 1;
  const auto any = format.lowestNormal - 1 + static_cast<int>(z / 8 % static_cast<uint64_t>(exponents));
  const int some = static_cast<int>(z / 8 % 18) - 8, kind = static_cast<int>(z % 8);
  const double nearOne =
      1 + std::ldexp(mantissa - 1.5, -static_cast<int>(z / 8 % static_cast<uint64_t>(format.precision)));
  const double size = kind == 0 ? nearOne : std::ldexp(mantissa, kind < 4 ? any : some), sign = r & 1 ? -1 : 1;
  switch (from) {
  case From::Any:
    return sign * size;
  case From::Positive:
    return size;
  case From::Above1:
    return size < 1 ? 1 / size : size;
  case From::Circle:
  case From::Unit: {
    const double within = size < 1 ? size : kind == 0 ? 2 - size : 1 / size;
    return from == From::Unit ? within : sign * within;
  }
  case From::Parameter:
    return std::ldexp(mantissa, static_cast<int>(z / 8 % 9) - 3);
  case From::Bessel:
    return sign * (size < 0x1p60 ? size : std::ldexp(mantissa, some));
  case From::Exponent: {
    // 0 now and then; else so that the power is a number.
    const double most = format.highest * 1.1, whole = (2 * mantissa - 3) * most / std::log2(before[0]);
    return z / 8 % 64 == 0 ? 0 : std::isfinite(whole) ? whole : sign * size;
  }
  case From::Near:
    return kind % 2   ? sign * size
           : kind % 4 ? before[0] + (mantissa - 1.5) * 1500
                      : before[0] * std::ldexp(mantissa, some / 2);
  case From::Order:
    return 2 + static_cast<double>(z / 8 % 6);
  }
  return 0;
}

/// The number of a narrow format with these bits, of sign, exponent and mantissa; NaN for no finite number.
inline double narrowNumber(const exact::Format &format, uint64_t bits) {
  const int stored = format.precision - 1, infinite = (1 << (15 - stored)) - 1;
  const int exponent = static_cast<int>(bits >> stored) & infinite;
  if (exponent == infinite)
    return std::numeric_limits<double>::quiet_NaN();
  const double fraction = std::ldexp(static_cast<double>(bits & ((1u << stored) - 1)), -stored);
  const double size = std::ldexp(exponent ? 1 + fraction : fraction, std::max(exponent, 1) + 1 - format.highest);
  return bits >> 15 & 1 ? -size : size;
}
inline bool isFrom(From from, double x) {
  return from == From::Any || (from == From::Circle && std::abs(x) < 1) ||
         (from == From::Bessel && std::abs(x) < 0x1p60) || (from == From::Positive && x > 0) ||
         (from == From::Above1 && x > 1) || (from == From::Unit && x > 0 && x < 1);
}

/// The error of a derivative at some operands.
struct Measured {
  double ulp = 0;
  std::vector<double> operands = {};
};

/// The error of `got` in ulp. Where the exact value is subnormal, `got` need only be small; where it is infinite, `got`
/// must not be finite; where it is NaN, any `got` is right.
inline double errorOf(const Derivative &of, const exact::Format &format, std::span<const double> operands, double got) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  std::vector<Number> numbers(operands.begin(), operands.end());
  const Number value = of.exact(numbers);
  if (mpfr_nan_p(value.in()))
    return 0;
  if (mpfr_inf_p(value.in()))
    return std::isfinite(got) ? wrong : 0;
  if (mpfr_zero_p(value.in()) || mpfr_get_exp(value.in()) < format.lowestNormal)
    return std::abs(got) <= std::ldexp(1, format.lowestNormal) ? 0 : wrong;
  return exact::ulpError(format, got, value.in(), of.size ? of.size(operands) : 0);
}

/// The errors at the operands, of which there is a column for each operand of the function.
inline std::vector<Measured> measure(const Derivative &of, Dtype dtype,
                                     const std::vector<std::vector<double>> &columns) {
  std::vector<Array> operands;
  std::vector<std::vector<double>> values;
  for (const std::vector<double> &column : columns) {
    operands.push_back(astype(Array(std::span<const double>(column), {static_cast<int64_t>(column.size())}), dtype));
    values.push_back(astype(operands.back(), Dtype::f64).to_vector<double>());
  }
  const auto at = static_cast<size_t>(of.by);
  const Array slope = grad([&](const Array &x) {
    std::vector<Array> with = operands;
    with[at] = x;
    return sum(astype(of.function(with), Dtype::f64));
  })(operands[at]);
  const std::vector<double> got = astype(slope, Dtype::f64).to_vector<double>();
  std::vector<Measured> measured(got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    for (const std::vector<double> &column : values)
      measured[i].operands.push_back(column[i]);
    measured[i].ulp = errorOf(of, formatOf(dtype), measured[i].operands, got[i]);
  }
  return measured;
}
/// Operands: samples `first` to `last`; of a function of one narrow float its numbers, all of which are 2^16.
inline std::vector<std::vector<double>> samples(const Derivative &of, Dtype dtype, uint64_t first, uint64_t last) {
  const exact::Format format = formatOf(dtype);
  std::vector<std::vector<double>> columns(of.operands.size());
  std::vector<double> row;
  for (uint64_t index = first; index < last; ++index) {
    row.clear();
    if (columns.size() == 1 && is_narrow(dtype))
      if (const double x = narrowNumber(format, index % 65536); isFrom(of.operands[0], x))
        row.push_back(x);
    while (row.size() < columns.size()) {
      const auto operand = static_cast<int>(row.size());
      row.push_back(sample(of.operands[row.size()], format, index, operand, row));
    }
    for (size_t i = 0; i < columns.size(); ++i)
      columns[i].push_back(row[i]);
  }
  return columns;
}

} // namespace tenon::test
