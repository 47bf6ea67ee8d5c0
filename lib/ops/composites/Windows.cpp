//===- Windows.cpp - what a piece of a signal is multiplied with -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/Composite.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <cmath>
#include <numbers>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

/// The window that `compute` makes of `size` places from -1 to 1, in f64.
template <class F>
static Array window(const char *name, int64_t size, Dtype dtype, std::optional<Device> where, Location at,
                    F &&compute) {
  DoorScope scope(name, at);
  if (kind(dtype) != Kind::floating || is_storage(dtype))
    refuse("expected a floating dtype to compute with, got " + std::string(short_name(dtype)), at);
  const Device device = where.value_or(default_device());
  if (size <= 1)
    return full({size < 0 ? 0 : size}, 1, dtype, device, at);
  const int64_t last = size - 1;
  const Array places = iota(size, Dtype::i64, device, at, 2) - last;
  return convert(compute(convert(places, Dtype::f64, at) / static_cast<double>(last)), dtype, at);
}

static Array bartlettAt(const Array &t) { return 1 - abs(t); }
static Array hannAt(const Array &t) { return 0.5 + 0.5 * cos(std::numbers::pi * t); }
static Array hammingAt(const Array &t) { return 0.54 + 0.46 * cos(std::numbers::pi * t); }
static Array blackmanAt(const Array &t) {
  return 0.42 + 0.5 * cos(std::numbers::pi * t) + 0.08 * cos(2 * std::numbers::pi * t);
}
/// Of the scaled functions, which do not overflow.
static Array kaiserAt(const Array &t, double beta) {
  const double width = std::abs(beta);
  const Array x = width * sqrt(1 - t * t);
  return i0e(x) * exp(x - width) / i0e(full({}, width, Dtype::f64, t.device()));
}

Array tenon::bartlett(int size, Dtype dtype, std::optional<Device> device, Location at) {
  return window("bartlett", size, dtype, device, at, bartlettAt);
}

Array tenon::hanning(int size, Dtype dtype, std::optional<Device> device, Location at) {
  return window("hanning", size, dtype, device, at, hannAt);
}

Array tenon::hamming(int size, Dtype dtype, std::optional<Device> device, Location at) {
  return window("hamming", size, dtype, device, at, hammingAt);
}

Array tenon::blackman(int size, Dtype dtype, std::optional<Device> device, Location at) {
  return window("blackman", size, dtype, device, at, blackmanAt);
}

Array tenon::kaiser(int size, double beta, Dtype dtype, std::optional<Device> device, Location at) {
  return window("kaiser", size, dtype, device, at, [=](const Array &t) { return kaiserAt(t, beta); });
}

Array tenon::signal::get_window(WindowFunction kind, int size, bool fftbins, double beta, Dtype dtype,
                                std::optional<Device> device, Location at) {
  DoorScope scope("get_window", at);
  expectMode("get_window", "WindowFunction", kind, at);
  const auto compute = [&](const Array &t) {
    switch (kind) {
    case WindowFunction::boxcar:
      break;
    case WindowFunction::bartlett:
      return bartlettAt(t);
    case WindowFunction::hann:
      return hannAt(t);
    case WindowFunction::hamming:
      return hammingAt(t);
    case WindowFunction::blackman:
      return blackmanAt(t);
    case WindowFunction::kaiser:
      return kaiserAt(t, beta);
    }
    return ones_like(t);
  };
  const bool isPeriodic = fftbins && size > 1;
  const Array all = window("get_window", int64_t(size) + isPeriodic, dtype, device, at, compute);
  return isPeriodic ? partOf(all, 0, 0, size) : all;
}

/// exp(|x|) times a scaled Bessel function of x. Half of the exponent is on each side: the scaled one is small where
/// exp alone would overflow.
static Array unscaled(const Array &x, Array (*scaled)(const Operand &)) {
  const Array isInfinite = isinf(x), inside = where(isInfinite, 0, x), half = exp(abs(inside) / 2);
  return where(isInfinite, scaled(sign(x)) * INFINITY, half * scaled(inside) * half);
}
Array tenon::decomposeI0(std::span<const Array> operands, AttrWords) { return unscaled(operands[0], i0e); }
Array tenon::decomposeI1(std::span<const Array> operands, AttrWords) { return unscaled(operands[0], i1e); }

Array tenon::i0(const Operand &operand) {
  return ofFloat("i0", operand,
                 [&](const Array &x) { return bindComposite(CompositeId::i0, {x.value()}, {}, operand.location()); });
}

Array tenon::i1(const Operand &operand) {
  return ofFloat("i1", operand,
                 [&](const Array &x) { return bindComposite(CompositeId::i1, {x.value()}, {}, operand.location()); });
}
