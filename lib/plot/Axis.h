//===- Axis.h - scales and their ticks --------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/plot.h>

#include <string>
#include <vector>

namespace tenon::plot {

struct Tick {
  double value;
  std::string text;
};

/// Where numbers lie between the ends of an axis.
class AxisScale {
public:
  explicit AxisScale(Scale scale) : scale_(scale) {}

  /// Whether a number has a place.
  bool shows(double value) const;
  /// Widens the axis to hold a number, if it has a place.
  void include(double value);
  /// No margin beyond the numbers included so far, at this end: bars stand on their axis.
  void pinLow() { isPinned_ = true; }
  /// No ticks between whole numbers, if all numbers included are whole: epochs.
  void keepWhole() { keepsWhole_ = true; }
  /// Call it when all numbers are included: adds `margin` times the length at both ends. An axis of one number, or of
  /// none, gets some length.
  void addMargin(double margin);
  /// 0 at the low end, 1 at the high end.
  double place(double value) const;
  /// Round numbers, about `count`.
  std::vector<Tick> ticks(int count) const;
  double low() const { return low_; }
  double high() const { return high_; }
  bool isEmpty() const { return isEmpty_; }

private:
  std::vector<Tick> logTicks(int count) const;
  Scale scale_;
  double low_ = 0, high_ = 0;
  bool isEmpty_ = true, isPinned_ = false, keepsWhole_ = false, areWhole_ = true;
};

/// The numbers as text, with the digits that tell them apart: `step` is their distance.
std::string tickText(double value, double largest, double step);

} // namespace tenon::plot
