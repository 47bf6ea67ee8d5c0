//===- Exact.h - the functions by MPFR -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last word on an error of Measured.h's functions, for ulp.cpp and ulp_test.cpp alone. What MPFR has not stands
// here as a series. Slow: microseconds a number, of gamma functions tens of them.
//===----------------------------------------------------------------------===//
#pragma once

#define MPFR_USE_NO_MACRO // its macros take no class
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon::math::exact {

/// Of so many bits that a double's result is known to 2^-70 of its last place; sums that cancel take more.
class Real {
public:
  explicit Real(double value = 0, mpfr_prec_t bits = 160) {
    mpfr_init2(it, bits);
    mpfr_set_d(it, value, MPFR_RNDN);
  }
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;
  ~Real() { mpfr_clear(it); }
  operator mpfr_ptr() { return it; }
  operator mpfr_srcptr() const { return it; }

private:
  mpfr_t it;
};

constexpr mpfr_rnd_t nearest = MPFR_RNDN;

/// log(e^x + e^y), of which e^x - 1 and e^y may cancel nearly all of each other.
inline void logaddexp(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y) {
  if (mpfr_less_p(x, y))
    std::swap(x, y);
  if (!mpfr_number_p(x) || !mpfr_number_p(y)) {
    mpfr_add(out, x, y, nearest);
    if (mpfr_inf_p(x) || mpfr_inf_p(y))
      mpfr_set(out, x, nearest);
    if (mpfr_zero_p(out))
      mpfr_set_zero(out, 1);
    if (mpfr_nan_p(x) || mpfr_nan_p(y))
      mpfr_set_nan(out);
    return;
  }
  Real sum(0, 400), other(0, 400);
  if (mpfr_cmp_d(x, -1) > 0 && mpfr_cmp_d(x, 0) < 0) {
    mpfr_expm1(sum, x, nearest);
    mpfr_exp(other, y, nearest);
    mpfr_add(sum, sum, other, nearest);
    mpfr_log1p(out, sum, nearest);
  } else {
    mpfr_sub(other, y, x, nearest);
    mpfr_exp(other, other, nearest);
    mpfr_log1p(other, other, nearest);
    mpfr_add(out, x, other, nearest);
  }
}

/// log(|Gamma(x)|).
inline void lgamma(mpfr_ptr out, mpfr_srcptr x) {
  int sign;
  mpfr_lgamma(out, &sign, x, nearest);
}

/// pi x, or of x what is beyond an integer.
inline void timesPi(mpfr_ptr out, mpfr_srcptr x) {
  Real rest(0, 64), pi(0, mpfr_get_prec(out) + 10);
  mpfr_rint_round(rest, x, nearest);
  mpfr_sub(rest, x, rest, nearest);
  mpfr_const_pi(pi, nearest);
  mpfr_mul(out, rest, pi, nearest);
}

/// The sum of (x + k)^-2 up to 60, and Stirling's series behind it.
inline void trigamma(mpfr_ptr out, mpfr_srcptr x) {
  // The Bernoulli numbers of even order, from 2 on.
  constexpr double bernoulli[][2] = {{1, 6},       {-1, 30},       {1, 42},       {-1, 30},
                                     {5, 66},      {-691, 2730},   {7, 6},        {-3617, 510},
                                     {43867, 798}, {-174611, 330}, {854513, 138}, {-236364091, 2730}};
  Real sum(0, 200), term(0, 200), at(0, 1200);
  if (mpfr_nan_p(x) || mpfr_inf_p(x)) {
    mpfr_set_nan(out);
    if (mpfr_inf_p(x) && mpfr_sgn(x) > 0)
      mpfr_set_zero(out, 1);
    return;
  }
  if (mpfr_integer_p(x) && mpfr_sgn(x) <= 0) {
    mpfr_set_inf(out, 1);
    return;
  }
  if (mpfr_sgn(x) < 0) {
    timesPi(term, x);
    mpfr_sin(term, term, nearest);
    mpfr_const_pi(sum, nearest);
    mpfr_div(sum, sum, term, nearest);
    mpfr_sqr(sum, sum, nearest);
    mpfr_ui_sub(at, 1, x, nearest);
    trigamma(term, at);
    mpfr_sub(out, sum, term, nearest);
    return;
  }
  for (mpfr_set(at, x, nearest); mpfr_cmp_ui(at, 60) < 0; mpfr_add_ui(at, at, 1, nearest)) {
    mpfr_sqr(term, at, nearest);
    mpfr_ui_div(term, 1, term, nearest);
    mpfr_add(sum, sum, term, nearest);
  }
  Real power(0, 200), inverse(0, 200);
  mpfr_ui_div(inverse, 1, at, nearest);
  mpfr_add(sum, sum, inverse, nearest);
  mpfr_sqr(power, inverse, nearest);
  mpfr_div_ui(term, power, 2, nearest);
  mpfr_add(sum, sum, term, nearest);
  mpfr_set(term, power, nearest);
  mpfr_mul(inverse, inverse, power, nearest);
  for (const auto &[numerator, divisor] : bernoulli) {
    mpfr_mul_d(term, inverse, numerator, nearest);
    mpfr_div_d(term, term, divisor, nearest);
    mpfr_add(sum, sum, term, nearest);
    mpfr_mul(inverse, inverse, power, nearest);
  }
  mpfr_set(out, sum, nearest);
}

/// e^-|x| I(order, x), by the power series, or from 200 on by Hankel's.
inline void expBessel(mpfr_ptr out, mpfr_srcptr x, unsigned order) {
  if (!mpfr_number_p(x) || mpfr_zero_p(x)) {
    if (mpfr_nan_p(x))
      mpfr_set_nan(out);
    else
      mpfr_set_ui(out, mpfr_zero_p(x) && order == 0, nearest);
    if (order)
      mpfr_copysign(out, out, x, nearest);
    return;
  }
  Real a(0, 200), square(0, 200), term(1, 200), sum(0, 200);
  mpfr_abs(a, x, nearest);
  const auto add = [&] {
    mpfr_add(sum, sum, term, nearest);
    return !mpfr_zero_p(term) && mpfr_get_exp(term) > mpfr_get_exp(sum) - 180;
  };
  if (mpfr_cmp_ui(a, 200) < 0) {
    mpfr_sqr(square, a, nearest);
    mpfr_div_ui(square, square, 4, nearest);
    if (order)
      mpfr_div_ui(term, a, 2, nearest);
    for (unsigned long n = 1; add(); ++n) {
      mpfr_mul(term, term, square, nearest);
      mpfr_div_ui(term, term, n * (n + order), nearest);
    }
    mpfr_neg(a, a, nearest);
    mpfr_exp(a, a, nearest);
    mpfr_mul(sum, sum, a, nearest);
  } else {
    const long mu = 4 * static_cast<long>(order);
    for (long k = 1; add(); ++k) {
      mpfr_mul_si(term, term, (2 * k - 1) * (2 * k - 1) - mu, nearest);
      mpfr_div_ui(term, term, static_cast<unsigned long>(8 * k), nearest);
      mpfr_div(term, term, a, nearest);
    }
    mpfr_const_pi(term, nearest);
    mpfr_mul(term, term, a, nearest);
    mpfr_mul_ui(term, term, 2, nearest);
    mpfr_rec_sqrt(term, term, nearest);
    mpfr_mul(sum, sum, term, nearest);
  }
  mpfr_set(out, sum, nearest);
  if (order)
    mpfr_copysign(out, out, x, nearest);
}

/// What numbers a floating-point format has.
struct Format {
  int precision, highest, lowestNormal; // as digits, max_exponent and min_exponent of std::numeric_limits
};
template <class T>
constexpr Format formatOf = {std::numeric_limits<T>::digits, std::numeric_limits<T>::max_exponent,
                             std::numeric_limits<T>::min_exponent};

/// As ulpError of Ulp.h; `got` is a number of the format.
inline double ulpError(const Format &format, double got, mpfr_srcptr exact, double size = 0) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  const int precision = format.precision, highest = format.highest, lowest = format.lowestNormal - precision;
  if (std::isnan(got) || mpfr_nan_p(exact))
    return std::isnan(got) && mpfr_nan_p(exact) ? 0 : wrong;
  const bool isSigned = std::signbit(got) == (mpfr_signbit(exact) != 0);
  if (mpfr_zero_p(exact))
    return got == 0 && isSigned ? 0 : wrong;
  // Powers of two: the least above the result is 2^(its exponent).
  const bool isPast = mpfr_inf_p(exact) || mpfr_get_exp(exact) > highest;
  if (isPast && (std::isinf(got) || mpfr_inf_p(exact)))
    return std::isinf(got) && isSigned ? 0 : wrong;
  Real difference(0, mpfr_get_prec(exact) + precision), value(got);
  if (std::isinf(got))
    mpfr_set_si_2exp(value, std::signbit(got) ? -1 : 1, highest, nearest);
  mpfr_sub(difference, value, exact, nearest);
  mpfr_exp_t exponent = mpfr_get_exp(exact) - 1;
  if (size != 0)
    exponent = std::max<mpfr_exp_t>(exponent, std::ilogb(size));
  exponent = std::clamp<mpfr_exp_t>(exponent - precision + 1, lowest, highest - precision);
  mpfr_div_2si(difference, difference, exponent, nearest);
  return std::abs(mpfr_get_d(difference, nearest));
}
template <class T>
double ulpError(T got, mpfr_srcptr exact, double size = 0) {
  return ulpError(formatOf<T>, got, exact, size);
}

} // namespace tenon::math::exact
