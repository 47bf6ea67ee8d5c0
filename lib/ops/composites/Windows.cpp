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
static Array window(const char *name, int size, Dtype dtype, std::optional<Device> where, Location at, F &&compute) {
  DoorScope scope(name, at);
  if (kind(dtype) != Kind::floating || is_storage(dtype))
    refuse("expected a floating dtype to compute with, got " + std::string(short_name(dtype)), at);
  const Device device = where.value_or(default_device());
  if (size <= 1)
    return full({size < 0 ? 0 : size}, 1, dtype, device, at);
  const int64_t last = int64_t(size) - 1;
  const Array places = iota(size, Dtype::i64, device, at, 2) - last;
  return convert(compute(convert(places, Dtype::f64, at) / static_cast<double>(last)), dtype, at);
}

Array tenon::bartlett(int size, Dtype dtype, std::optional<Device> device, Location at) {
  return window("bartlett", size, dtype, device, at, [](const Array &t) { return 1 - abs(t); });
}

Array tenon::hanning(int size, Dtype dtype, std::optional<Device> device, Location at) {
  return window("hanning", size, dtype, device, at,
                [](const Array &t) { return 0.5 + 0.5 * cos(std::numbers::pi * t); });
}

Array tenon::hamming(int size, Dtype dtype, std::optional<Device> device, Location at) {
  return window("hamming", size, dtype, device, at,
                [](const Array &t) { return 0.54 + 0.46 * cos(std::numbers::pi * t); });
}

Array tenon::blackman(int size, Dtype dtype, std::optional<Device> device, Location at) {
  return window("blackman", size, dtype, device, at, [](const Array &t) {
    return 0.42 + 0.5 * cos(std::numbers::pi * t) + 0.08 * cos(2 * std::numbers::pi * t);
  });
}

Array tenon::kaiser(int size, double beta, Dtype dtype, std::optional<Device> device, Location at) {
  // Of the scaled functions, which do not overflow.
  const double width = std::abs(beta);
  return window("kaiser", size, dtype, device, at, [=](const Array &t) {
    const Array x = width * sqrt(1 - t * t);
    return i0e(x) * exp(x - width) / i0e(full({}, width, Dtype::f64, t.device()));
  });
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
