//===- Axis.cpp - scales and their ticks ------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/plot/Axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tenon;
using namespace tenon::plot;

bool AxisScale::shows(double value) const { return std::isfinite(value) && (scale_ == Scale::linear || value > 0); }

void AxisScale::include(double value) {
  if (!shows(value))
    return;
  low_ = isEmpty_ ? value : std::min(low_, value);
  high_ = isEmpty_ ? value : std::max(high_, value);
  isEmpty_ = false;
  areWhole_ = areWhole_ && value == std::floor(value);
}

void AxisScale::addMargin(double margin) {
  const double greatest = 1.7e308;
  if (scale_ == Scale::log) {
    if (isEmpty_)
      low_ = 1, high_ = 10;
    const double ratio = low_ == high_ ? 3 : std::exp((std::log(high_) - std::log(low_)) * margin);
    low_ = std::max(low_ / ratio, 5e-324);
    high_ = std::min(high_ * ratio, greatest);
    return;
  }
  if (isEmpty_)
    high_ = 1;
  // A constant line lies in the middle, and so does one of rounding errors.
  const double largest = std::max(std::abs(low_), std::abs(high_)), range = high_ / 2 - low_ / 2;
  double room = 2 * range * margin;
  if (range <= largest * 1e-14)
    room = largest > 0 ? std::min(largest, greatest / 10) * 0.1 : 0.5;
  if (!std::isfinite(room))
    room = 0;
  if (!isPinned_ || low_ < 0)
    low_ = std::max(low_ - room, -greatest);
  if (!isPinned_ || high_ > 0 || low_ == high_)
    high_ = std::min(high_ + room, greatest);
}

double AxisScale::place(double value) const {
  if (scale_ == Scale::log)
    return (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_));
  return (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2); // halves: the range may be no double
}

/// `1.5e+07` as `1.5e7`.
static std::string shortened(std::string text) {
  const size_t e = text.find('e');
  if (e == std::string::npos)
    return text;
  std::string exponent = text.substr(e + 1);
  const bool isNegative = exponent[0] == '-';
  exponent.erase(0, std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
  return text.substr(0, e) + (isNegative ? "e-" : "e") + exponent;
}

std::string plot::tickText(double value, double largest, double step) {
  char text[400];
  if (value == 0)
    return "0";
  const int digits = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (largest >= (step < 1 ? 1e12 : 1e6) || largest < 1e-4) {
    const int whole = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12));
    std::snprintf(text, sizeof(text), "%.*e", std::clamp(whole - digits, 0, 17), value);
    return shortened(text);
  }
  std::snprintf(text, sizeof(text), "%.*f", std::clamp(-digits, 0, 17), value);
  return text;
}

std::vector<Tick> AxisScale::logTicks(int count) const {
  std::vector<Tick> ticks;
  const double first = std::ceil(std::log10(low_) - 1e-9), last = std::floor(std::log10(high_) + 1e-9);
  const double stride = std::max(1.0, std::ceil((last - first + 1) / count));
  auto add = [&](double value) {
    char text[40];
    std::snprintf(text, sizeof(text), value >= 1e-3 && value < 1e4 ? "%g" : "%.0e", value);
    ticks.push_back({value, shortened(text)});
  };
  if (last - first >= 1) {
    for (double power = first; power <= last; power += stride)
      add(std::pow(10, power));
    return ticks;
  }
  for (double power = std::floor(std::log10(low_)); power <= last + 1; ++power)
    for (const double digit : {1, 2, 5})
      if (const double value = digit * std::pow(10, power); value >= low_ && value <= high_)
        add(value);
  return ticks;
}

std::vector<Tick> AxisScale::ticks(int count) const {
  if (scale_ == Scale::log)
    if (std::vector<Tick> ticks = logTicks(count); ticks.size() >= 2)
      return ticks;
  // 1, 2 or 5 times a power of ten, whichever is nearest.
  const double raw = high_ / count - low_ / count, power = std::pow(10, std::floor(std::log10(raw)));
  const double ratio = raw / power, round = ratio <= 1.4 ? 1 : ratio <= 3.2 ? 2 : ratio <= 7.1 ? 5 : 10;
  const double step = keepsWhole_ && areWhole_ && !isEmpty_ ? std::max(1.0, power * round) : power * round;
  const double largest = std::max(std::abs(low_), std::abs(high_));
  std::vector<Tick> ticks;
  const double first = std::ceil(low_ / step - 1e-9), last = std::floor(high_ / step + 1e-9);
  for (double i = first; i <= last && ticks.size() < 50; ++i) {
    // Of a step below 1 the quotient is the rounder number.
    const double parts = std::round(1 / step), value = step < 1 && parts < 1e15 ? i / parts : i * step;
    ticks.push_back({value, tickText(value, largest, step)});
  }
  return ticks;
}
