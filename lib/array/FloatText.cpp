//===- FloatText.cpp - NumPy's text of floating point numbers ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FloatText.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// More digits after the point than any double has.
static constexpr int maxPrecision = 1100;

namespace {
/// d.ddd x 10^exponent; digits without the point.
struct Decimal {
  std::string digits;
  int exponent;
  int fractionDigits() const { return static_cast<int>(digits.size()) - 1; }
};
} // namespace

static Decimal parseScientific(std::string_view text) {
  size_t e = text.find('e');
  Decimal result{std::string(text.substr(0, 1)), 0};
  if (e > 1)
    result.digits += text.substr(2, e - 2);
  // from_chars takes '-' but not '+'.
  size_t first = e + 1 + (text[e + 1] == '+');
  std::from_chars(text.data() + first, text.data() + text.size(), result.exponent);
  return result;
}

/// value rounded, half to even, to precision digits after the first.
static Decimal roundedScientific(double value, int precision) {
  char buffer[maxPrecision + 16];
  auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific, precision).ptr;
  return parseScientific({buffer, end});
}

/// value rounded, half to even, to precision digits after the point.
static std::string roundedFixed(double value, int precision) {
  char buffer[maxPrecision + 320];
  auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::fixed, precision).ptr;
  return {buffer, end};
}

/// The fewest digits that round to value and to no other number of this narrow
/// float; of those the nearest. value is finite and positive.
template <NarrowElement T>
static Decimal shortestNarrow(double value) {
  T here(static_cast<float>(value)), lower = here, upper = here;
  --lower.bits, ++upper.bits;
  // The midpoints to both neighbours; above the largest number is as much room as below it.
  const double below = (value + lower) / 2, above = here.bits == T::largest ? 2 * value - below : (value + upper) / 2;
  const bool even = here.bits % 2 == 0;
  auto names = [&](const Decimal &decimal) {
    std::string text = decimal.digits + "e" + std::to_string(decimal.exponent - decimal.fractionDigits());
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    return even ? back >= below && back <= above : back > below && back < above;
  };
  for (int precision = 0;; ++precision) {
    Decimal result = roundedScientific(value, precision);
    if (names(result))
      return result;
    // Above a power of two there is twice the room of below, so the farther
    // decimal may do where the nearer does not. (No such case ends in 9.)
    ++result.digits.back();
    if (result.digits.back() <= '9' && names(result))
      return result;
  }
}

/// The fewest digits that name the magnitude of a finite value.
static Decimal shortest(double value, Dtype dtype) {
  value = std::fabs(value);
  if (is_narrow(dtype) && value != 0)
    return visitDtype(dtype, [&]<Dtype D>() -> Decimal {
      if constexpr (is_narrow(D))
        return shortestNarrow<typename ElementOf<D>::type>(value);
      else
        __builtin_unreachable();
    });
  char buffer[32];
  auto end =
      dtype == Dtype::f64
          ? std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific).ptr
          : std::to_chars(buffer, std::end(buffer), static_cast<float>(value), std::chars_format::scientific).ptr;
  return parseScientific({buffer, end});
}

static std::string_view signText(double value, bool plus) { return std::signbit(value) ? "-" : plus ? "+" : ""; }

/// "12.5", "12.", at most precision digits after the point, trailing zeros
/// trimmed, the point kept. Unsigned.
static std::string positional(double value, Dtype dtype, int precision) {
  value = std::fabs(value);
  Decimal decimal = shortest(value, dtype);
  int fraction = decimal.fractionDigits() - decimal.exponent;
  std::string text;
  if (fraction <= 0) {
    text = roundedFixed(value, 0);
  } else if (fraction > precision) {
    text = roundedFixed(value, std::min(precision, maxPrecision));
  } else if (decimal.exponent < 0) {
    text = "0." + std::string(-decimal.exponent - 1, '0') + decimal.digits;
  } else {
    text = decimal.digits;
    text.insert(decimal.exponent + 1, 1, '.');
  }
  if (text.find('.') == std::string::npos)
    return text + '.';
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

static std::string exponentText(int exponent, int minDigits) {
  std::string digits = std::to_string(std::abs(exponent));
  if (static_cast<int>(digits.size()) < minDigits)
    digits.insert(0, minDigits - digits.size(), '0');
  return (exponent < 0 ? "-" : "+") + digits;
}

static std::string nonFinite(double value, bool plus) {
  if (std::isnan(value))
    return plus ? "+nan" : "nan";
  return std::string(signText(value, plus)) + "inf";
}

FloatText::FloatText(const std::vector<double> &values, Dtype dtype, const PrintOptions &options, bool plus)
    : dtype_(dtype), plus_(plus), precision_(std::min(options.precision, maxPrecision)) {
  double smallest = INFINITY, largest = 0;
  bool anyFinite = false, allFinite = true, negativeInfinity = plus;
  for (double value : values) {
    if (!std::isfinite(value)) {
      allFinite = false;
      negativeInfinity |= value == -INFINITY;
      continue;
    }
    anyFinite = true;
    if (value != 0) {
      smallest = std::min(smallest, std::fabs(value));
      largest = std::max(largest, std::fabs(value));
    }
  }
  if (largest != 0) {
    // NumPy compares and divides in the array's own type.
    auto decide = [&]<class T>(double most, T least) {
      const T ratio(static_cast<float>(largest) / static_cast<float>(smallest));
      scientific_ = largest >= most || (!options.suppress && (smallest < double(least) || double(ratio) > 1000));
    };
    if (dtype == Dtype::f16)
      decide(1e3, float16_t(1e-4));
    else if (dtype != Dtype::f64)
      decide(1e6, 1e-4f);
    else
      scientific_ = largest >= 1e8 || (!options.suppress && (smallest < 1e-4 || largest / smallest > 1000));
  }

  // The widths: one pass over all numbers with the fewest digits of each.
  if (anyFinite && scientific_) {
    int fraction = 0;
    for (double value : values) {
      if (!std::isfinite(value))
        continue;
      Decimal decimal = shortest(value, dtype);
      if (decimal.fractionDigits() > precision_)
        decimal = roundedScientific(std::fabs(value), precision_);
      decimal.digits.erase(std::max<size_t>(1, decimal.digits.find_last_not_of('0') + 1));
      fraction = std::max(fraction, decimal.fractionDigits());
      exponentDigits_ = std::max(exponentDigits_, static_cast<int>(exponentText(decimal.exponent, 2).size()) - 1);
      padLeft_ = std::max(padLeft_, 1 + signText(value, plus).size());
    }
    precision_ = fraction;
    padRight_ = exponentDigits_ + 2 + precision_;
  } else if (anyFinite) {
    for (double value : values) {
      if (!std::isfinite(value))
        continue;
      std::string text = positional(value, dtype, precision_);
      size_t point = text.find('.');
      padLeft_ = std::max(padLeft_, point + signText(value, plus).size());
      padRight_ = std::max(padRight_, text.size() - point - 1);
    }
  }
  if (!allFinite) {
    size_t width = 3 + negativeInfinity, rest = padRight_ + 1;
    padLeft_ = std::max(padLeft_, width > rest ? width - rest : 0);
  }
}

std::string FloatText::operator()(double value) const {
  if (!std::isfinite(value)) {
    std::string text = nonFinite(value, plus_);
    size_t width = padLeft_ + padRight_ + 1;
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
  }
  std::string text(signText(value, plus_));
  if (scientific_) {
    Decimal decimal = shortest(value, dtype_);
    if (decimal.fractionDigits() != precision_)
      decimal = roundedScientific(std::fabs(value), precision_);
    text += decimal.digits[0];
    text += '.';
    text.append(decimal.digits, 1);
    text += 'e' + exponentText(decimal.exponent, exponentDigits_);
  } else {
    text += positional(value, dtype_, precision_);
    size_t fraction = text.size() - text.find('.') - 1;
    text.append(padRight_ - fraction, ' ');
  }
  size_t left = text.find('.');
  return left < padLeft_ ? std::string(padLeft_ - left, ' ') + text : text;
}
