//===- ResizeTaps.cpp - which elements a resized axis is made of ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/ResizeTaps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// numerator / denominator, where the denominator is positive.
static Position quotient(int64_t numerator, int64_t denominator) {
  int64_t whole = numerator / denominator, rest = numerator % denominator;
  if (rest < 0) {
    rest += denominator;
    --whole;
  }
  return {whole, static_cast<double>(rest) / static_cast<double>(denominator)};
}

static Position splitPosition(double position) {
  // Positions so far away are outside of any axis.
  const double whole = std::floor(std::clamp(position, -0x1p60, 0x1p60));
  return {static_cast<int64_t>(whole), std::max(0.0, std::min(position - whole, 1 - 0x1p-53))};
}

static Position scaledPosition(int64_t i, const ResizedAxis &axis, ResizeCoordinates coordinates, double scale) {
  const auto number = static_cast<double>(i), size = static_cast<double>(axis.size);
  switch (coordinates) {
  case ResizeCoordinates::asymmetric:
    return splitPosition(number / scale);
  case ResizeCoordinates::tf_half_pixel_for_nn:
    return splitPosition((number + 0.5) / scale);
  case ResizeCoordinates::half_pixel_symmetric: {
    const double offset = size / 2 * (1 - static_cast<double>(axis.newSize) / (scale * size));
    return splitPosition(offset + (number + 0.5) / scale - 0.5);
  }
  default:
    return splitPosition((number + 0.5) / scale - 0.5);
  }
}

Position detail::positionOf(int64_t i, const ResizedAxis &axis, ResizeCoordinates coordinates) {
  const int64_t size = axis.size, newSize = axis.newSize;
  if (coordinates == ResizeCoordinates::align_corners)
    return newSize == 1 ? Position{0, 0} : quotient(i * (size - 1), newSize - 1);
  if (coordinates == ResizeCoordinates::pytorch_half_pixel && newSize == 1)
    return {0, 0};
  if (axis.scale)
    return scaledPosition(i, axis, coordinates, *axis.scale);
  switch (coordinates) {
  case ResizeCoordinates::asymmetric:
    return quotient(i * size, newSize);
  case ResizeCoordinates::tf_half_pixel_for_nn:
    return quotient((2 * i + 1) * size, 2 * newSize);
  default:
    return quotient((2 * i + 1) * size - newSize, 2 * newSize);
  }
}

/// The elements between the positions of two neighbors of the result.
static double stepOf(const ResizedAxis &axis) {
  return axis.scale ? 1 / *axis.scale : static_cast<double>(axis.size) / static_cast<double>(axis.newSize);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static long double sinc(long double x) {
  const long double angle = std::numbers::pi_v<long double> * x;
  return x == 0 ? 1 : std::sin(angle) / angle;
}

/// Half the width of the kernel; 0: the method has none.
static double radiusOf(ResizeMethod method) {
  switch (method) {
  case ResizeMethod::linear:
    return 1;
  case ResizeMethod::gaussian:
    return 1.5;
  case ResizeMethod::cubic:
  case ResizeMethod::mitchell:
    return 2;
  case ResizeMethod::lanczos3:
    return 3;
  case ResizeMethod::lanczos5:
    return 5;
  default:
    return 0;
  }
}

/// The kernel at a distance x >= 0. In f64, terms of a polynomial that cancel each other would leave some of their
/// errors.
static double kernel(ResizeMethod method, long double x, double cubicCoefficient) {
  const long double radius = radiusOf(method), a = cubicCoefficient;
  const auto value = [&]() -> long double {
    if (x >= radius)
      return 0;
    switch (method) {
    case ResizeMethod::linear:
      return 1 - x;
    case ResizeMethod::gaussian:
      // It is cut off where it is not 0: rounding must not decide at its end.
      return x > radius - 0x1p-40L ? 0 : std::exp(-2 * x * x);
    case ResizeMethod::cubic:
      return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : (((x - 5) * x + 8) * x - 4) * a;
    case ResizeMethod::mitchell:
      return x < 1 ? ((7 * x - 12) * x * x + 16.0L / 3) / 6 : (((12 - 7.0L / 3 * x) * x - 20) * x + 32.0L / 3) / 6;
    default:
      // A sine of a multiple of pi is not 0.
      return x == std::floor(x) && x != 0 ? 0 : sinc(x) * sinc(x / radius);
    }
  };
  return static_cast<double>(value());
}

/// What a kernel is stretched by.
static double stretchOf(const Resizing &how, const ResizedAxis &axis) {
  return how.antialias ? std::max(1.0, stepOf(axis)) : 1;
}

/// Adds the weight of an element, whose index is that of the tap before it or greater.
static void addTap(std::vector<Tap> &taps, int64_t index, double weight) {
  if (!taps.empty() && taps.back().index == index)
    taps.back().weight += weight;
  else
    taps.push_back({index, weight});
}

static std::vector<Tap> kernelTaps(const Resizing &how, const ResizedAxis &axis, Position position) {
  const double stretch = stretchOf(how, axis), reach = radiusOf(how.method) * stretch;
  const int64_t last = axis.size - 1;
  std::vector<Tap> taps;
  double total = 0;
  const auto first = static_cast<int64_t>(std::ceil(position.fraction - reach));
  const auto end = static_cast<int64_t>(std::floor(position.fraction + reach));
  for (int64_t offset = first; offset <= end; ++offset) {
    const int64_t index = position.whole + offset;
    if (how.excludesOutside && (index < 0 || index > last))
      continue;
    const long double distance = std::abs(static_cast<long double>(offset) - position.fraction);
    const double weight = kernel(how.method, distance / stretch, how.cubicCoefficient);
    addTap(taps, std::clamp<int64_t>(index, 0, last), weight);
    total += weight;
  }
  std::erase_if(taps, [](const Tap &tap) { return tap.weight == 0; });
  if (taps.empty() || total == 0) // the kernel lies outside
    return {{std::clamp<int64_t>(position.whole, 0, last), 1}};
  if (total != 1)
    for (Tap &tap : taps)
      tap.weight /= total;
  return taps;
}

//===----------------------------------------------------------------------===//
// Methods without a kernel
//===----------------------------------------------------------------------===//

static Tap nearestTap(ResizeRounding rounding, const ResizedAxis &axis, Position position) {
  const auto [whole, fraction] = position;
  const bool isUpper = rounding == ResizeRounding::floor               ? false
                       : rounding == ResizeRounding::ceil              ? fraction > 0
                       : rounding == ResizeRounding::round_prefer_ceil ? fraction >= 0.5
                                                                       : fraction > 0.5;
  return {std::clamp<int64_t>(whole + isUpper, 0, axis.size - 1), 1};
}

/// Element i covers [i, i + 1) * size / newSize.
static std::vector<Tap> coveredTaps(bool isWeighted, const ResizedAxis &axis, int64_t i) {
  const int64_t size = axis.size, newSize = axis.newSize, start = i * size, stop = start + size;
  std::vector<Tap> taps;
  for (int64_t index = start / newSize; index * newSize < stop; ++index) {
    const int64_t covered = std::min((index + 1) * newSize, stop) - std::max(index * newSize, start);
    taps.push_back({index, isWeighted ? static_cast<double>(covered) / static_cast<double>(size) : 1});
  }
  if (!isWeighted)
    for (Tap &tap : taps)
      tap.weight = 1 / static_cast<double>(taps.size());
  return taps;
}

//===----------------------------------------------------------------------===//
// An axis
//===----------------------------------------------------------------------===//

double detail::mostTaps(const Resizing &how, const ResizedAxis &axis) {
  switch (how.method) {
  case ResizeMethod::nearest:
    return 1;
  case ResizeMethod::area:
  case ResizeMethod::average:
    return static_cast<double>(axis.size) / static_cast<double>(axis.newSize) + 2;
  default:
    return 2 * radiusOf(how.method) * stretchOf(how, axis) + 1;
  }
}

std::vector<std::vector<Tap>> detail::tapsOf(const Resizing &how, const ResizedAxis &axis) {
  std::vector<std::vector<Tap>> taps;
  for (int64_t i = 0; i < axis.newSize; ++i) {
    if (how.method == ResizeMethod::area || how.method == ResizeMethod::average) {
      taps.push_back(coveredTaps(how.method == ResizeMethod::area, axis, i));
      continue;
    }
    const Position position = positionOf(i, axis, how.coordinates);
    if (how.method == ResizeMethod::nearest)
      taps.push_back({nearestTap(how.rounding, axis, position)});
    else
      taps.push_back(kernelTaps(how, axis, position));
  }
  return taps;
}

bool detail::keepsEqualSizes(const Resizing &how) {
  return how.method != ResizeMethod::gaussian && how.method != ResizeMethod::mitchell &&
         how.coordinates != ResizeCoordinates::tf_half_pixel_for_nn;
}
