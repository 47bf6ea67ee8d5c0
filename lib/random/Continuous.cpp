//===- Continuous.cpp - numbers by the inverse of their distribution -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/random/Draw.h"

#include <cmath>
#include <numbers>

using namespace tenon;
using namespace tenon::detail;

Array random::exponential(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.exponential", key, at, {{"key", key.data}});
  return -log1p(-unitUniform(draw.key(), shape, draw.expectFloating(dtype)));
}

Array detail::standardGumbel(const Array &keys, const Shape &shape, Dtype dtype) {
  return -log(-log(uniformBetween(keys, shape, dtype, smallestOf(dtype), 1)));
}

Array random::gumbel(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.gumbel", key, at, {{"key", key.data}});
  return standardGumbel(draw.key(), shape, draw.expectFloating(dtype));
}

Array random::laplace(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.laplace", key, at, {{"key", key.data}});
  draw.expectFloating(dtype);
  const Array u = uniformBetween(draw.key(), shape, dtype, epsilonOf(dtype) / 2 - 1, 1);
  return sign(u) * log1p(-abs(u));
}

Array random::logistic(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.logistic", key, at, {{"key", key.data}});
  draw.expectFloating(dtype);
  const Array u = uniformBetween(draw.key(), shape, dtype, smallestOf(dtype), 1);
  return log(u) - log1p(-u);
}

Array random::cauchy(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.cauchy", key, at, {{"key", key.data}});
  draw.expectFloating(dtype);
  const Array u = uniformBetween(draw.key(), shape, dtype, epsilonOf(dtype), 1);
  return tan(std::numbers::pi * (u - 0.5));
}

Array random::rayleigh(const Key &key, const Operand &scale, const Shape &given, std::optional<Dtype> dtype,
                       Location at) {
  const Draw draw("random.rayleigh", key, at, {{"key", key.data}, {"scale", scale}});
  const Dtype type = draw.floating(dtype, {&scale});
  draw.expectNotNegative("scale", scale);
  const Array factor = draw.parameter("scale", scale, type);
  // JAX takes the logarithm of 0 as well, which gives infinity: in bf16 once in 128 draws.
  const Array u = maximum(unitUniform(draw.key(), draw.shapeOf(given, {factor.shape(at)}), type), epsilonOf(type) / 2);
  return factor * sqrt(log(u) * -2);
}

Array random::pareto(const Key &key, const Operand &b, const Shape &given, std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.pareto", key, at, {{"key", key.data}, {"b", b}});
  const Dtype type = draw.floating(dtype, {&b});
  draw.expectNotNegative("b", b);
  const Array power = draw.parameter("b", b, type);
  return exp(-log1p(-unitUniform(draw.key(), draw.shapeOf(given, {power.shape(at)}), type)) / power);
}

static Array weibullOf(const Draw &draw, const Operand &scale, const Operand &concentration, const Shape &given,
                       std::optional<Dtype> dtype, const char *name, Location at) {
  const Dtype type = draw.floating(dtype, {&scale, &concentration});
  draw.expectNotNegative("scale", scale);
  draw.expectNotNegative(name, concentration);
  const Array factor = draw.parameter("scale", scale, type), power = draw.parameter(name, concentration, type);
  const Shape shape = draw.shapeOf(given, {factor.shape(at), power.shape(at)});
  const Array drawn = pow(-log1p(-unitUniform(draw.key(), shape, type)), 1 / power) * factor;
  return where(factor >= 0 && power >= 0, drawn, NAN);
}

Array random::weibull_min(const Key &key, const Operand &scale, const Operand &concentration, const Shape &shape,
                          std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.weibull_min", key, at,
                  {{"key", key.data}, {"scale", scale}, {"concentration", concentration}});
  return weibullOf(draw, scale, concentration, shape, dtype, "concentration", at);
}

Array random::weibull(const Key &key, const Operand &a, const Shape &shape, std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.weibull", key, at, {{"key", key.data}, {"a", a}});
  return weibullOf(draw, 1, a, shape, dtype, "a", at);
}

/// Refuses two numbers that are not in order.
static void expectOrder(const Draw &draw, const char *names, const Operand &lower, const Operand &upper) {
  if (!lower.is_scalar() || !upper.is_scalar() || lower.scalar().kind() == Kind::complex ||
      upper.scalar().kind() == Kind::complex)
    return;
  if (!(lower.scalar().as_double() <= upper.scalar().as_double()))
    draw.refuse("expected " + std::string(names) + ", got " + lower.scalar().str() + " and " + upper.scalar().str());
}

Array random::triangular(const Key &key, const Operand &left, const Operand &mode, const Operand &right,
                         const Shape &given, std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.triangular", key, at, {{"left", left}, {"mode", mode}, {"right", right}});
  const Dtype type = draw.floating(dtype, {&left, &mode, &right});
  expectOrder(draw, "left <= mode", left, mode);
  expectOrder(draw, "mode <= right", mode, right);
  expectOrder(draw, "left <= right", left, right);
  const Array low = draw.parameter("left", left, type), middle = draw.parameter("mode", mode, type);
  const Array high = draw.parameter("right", right, type);
  const Array u = unitUniform(draw.key(), draw.shapeOf(given, {low.shape(at), middle.shape(at), high.shape(at)}), type);
  const Array width = high - low, below = middle - low;
  // The inverse of the distribution, which has two branches.
  const Array drawn =
      where(u < below / width, low + sqrt(u * width * below), high - sqrt((1 - u) * width * (high - middle)));
  return where(low <= middle && middle <= high, drawn, NAN);
}

Array random::lognormal(const Key &key, const Operand &sigma, const Shape &given, std::optional<Dtype> dtype,
                        Location at) {
  const Draw draw("random.lognormal", key, at, {{"key", key.data}, {"sigma", sigma}});
  const Dtype type = draw.floating(dtype, {&sigma});
  draw.expectNotNegative("sigma", sigma);
  const Array deviation = draw.parameter("sigma", sigma, type);
  return exp(standardNormal(draw.key(), draw.shapeOf(given, {deviation.shape(at)}), type) * deviation);
}
