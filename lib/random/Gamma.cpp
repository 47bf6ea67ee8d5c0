//===- Gamma.cpp - gammas and what is made of them -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/random/Draw.h"

#include <tenon/control.h>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// A round of Marsaglia's and Tsang's method for all elements at once. In JAX an
/// element has two loops, one in the other: a round of the outer one takes three keys
/// from `key`, the inner one takes normals from the second of them until one makes a
/// volume above 0. Here a round takes one normal, and goes on in the inner loop
/// where that was not above 0, so that the keys are JAX's.
struct Rounds {
  Array key, normalKey, uniformKey;
  Array volume;
  /// Which elements are not done, and which of them start with a round of the outer loop.
  Array isOpen, isFresh;
};
} // namespace

/// A choice for each key.
static Array chooseKeys(const Array &condition, const Array &x, const Array &y) {
  return where(condition[{ellipsis, newaxis}], x, y);
}

Array detail::gammaOf(const Array &key, const Array &a, bool isLogarithm) {
  const Shape shape = a.shape();
  const Dtype dtype = a.dtype();
  if (a.ndim() > max_rank - 2) // keys of each element's key have two axes more
    return reshape(gammaOf(key, reshape(a, {element_count(shape)}), isLogarithm), shape);
  const std::vector<Array> keys = splitKeys(keysOf(key, shape), 2);
  // Below 1: a gamma of a + 1, times a power of a uniform number.
  const Array isLarge = a >= 1;
  const Array d = where(isLarge, a, a + 1) - 1.0 / 3, c = (1.0 / 3) / sqrt(d);
  auto goesOn = [](const Rounds &now) { return any(now.isOpen); };
  auto round = [&](const Rounds &now) {
    const std::vector<Array> fresh = splitKeys(now.key, 3);
    Rounds next;
    next.key = chooseKeys(now.isFresh, fresh[0], now.key);
    next.uniformKey = chooseKeys(now.isFresh, fresh[2], now.uniformKey);
    const std::vector<Array> normals = splitKeys(chooseKeys(now.isFresh, fresh[1], now.normalKey), 2);
    next.normalKey = normals[0];
    const Array x = standardNormal(normals[1], {}, dtype), root = 1 + x * c;
    const Array square = x * x, volume = root * root * root, u = unitUniform(next.uniformKey, {}, dtype);
    const Array isRejected =
        u >= 1 - 0.0331 * (square * square) && log(u) >= square * 0.5 + d * (1 - volume + log(volume));
    next.isFresh = !(root <= 0);
    const Array isDone = next.isFresh && !isRejected;
    next.volume = where(now.isOpen && isDone, volume, now.volume);
    next.isOpen = now.isOpen && !isDone;
    return next;
  };
  const Array isOpen = full(shape, true, Dtype::bool_, a.device());
  const Rounds start{keys[0], keys[0], keys[0], ones_like(a), isOpen, isOpen};
  const Array volume = while_loop(goesOn, round, start).volume;
  const Array u = unitUniform(keys[1], {}, dtype);
  if (!isLogarithm)
    return d * volume * where(isLarge, 1, pow(1 - u, 1 / a));
  const Array logarithm = log1p(-u);
  return log(d) + log(volume) + where(isLarge || logarithm == 0, 0, logarithm * (1 / a));
}

static Array gammaDoor(const Draw &draw, const char *name, const Operand &operand, const Shape &given, Dtype dtype,
                       bool isLogarithm, Location at) {
  draw.expectNotNegative(name, operand);
  const Array a = draw.parameter(name, operand, dtype);
  return gammaOf(draw.key(), broadcast_to(a, draw.shapeOf(given, {a.shape(at)})), isLogarithm);
}

Array random::gamma(const Key &key, const Operand &a, const Shape &shape, std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.gamma", key, at, {{"key", key.data}, {"a", a}});
  return gammaDoor(draw, "a", a, shape, draw.floating(dtype, {&a}), false, at);
}

Array random::loggamma(const Key &key, const Operand &a, const Shape &shape, std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.loggamma", key, at, {{"key", key.data}, {"a", a}});
  return gammaDoor(draw, "a", a, shape, draw.floating(dtype, {&a}), true, at);
}

Array random::beta(const Key &key, const Operand &a, const Operand &b, const Shape &given, std::optional<Dtype> dtype,
                   Location at) {
  const Draw draw("random.beta", key, at, {{"key", key.data}, {"a", a}, {"b", b}});
  const Dtype type = draw.floating(dtype, {&a, &b});
  draw.expectNotNegative("a", a);
  draw.expectNotNegative("b", b);
  const Array first = draw.parameter("a", a, type), second = draw.parameter("b", b, type);
  const Shape shape = draw.shapeOf(given, {first.shape(at), second.shape(at)});
  const std::vector<Array> keys = splitKeys(draw.key(), 2);
  const Array x = gammaOf(keys[0], broadcast_to(first, shape), true);
  const Array y = gammaOf(keys[1], broadcast_to(second, shape), true);
  const Array largest = maximum(x, y), one = exp(x - largest), other = exp(y - largest);
  return one / (one + other);
}

Array random::dirichlet(const Key &key, const Operand &alpha, const Shape &given, std::optional<Dtype> dtype,
                        Location at) {
  const Draw draw("random.dirichlet", key, at, {{"key", key.data}, {"alpha", alpha}});
  const Array a = draw.parameter("alpha", alpha, draw.floating(dtype, {&alpha}));
  if (a.ndim() == 0)
    draw.refuse("expected alpha of rank >= 1, got a number");
  Shape others = a.shape();
  others.erase(a.ndim() - 1);
  Shape shape = draw.shapeOf(given, {others});
  shape.push_back(a.dim(-1), at);
  return softmax(gammaOf(draw.key(), broadcast_to(a, shape), true), -1);
}

static Array studentT(const char *frame, const Key &key, const Operand &df, const Shape &given,
                      std::optional<Dtype> dtype, Location at) {
  const Draw draw(frame, key, at, {{"key", key.data}, {"df", df}});
  const Dtype type = draw.floating(dtype, {&df});
  draw.expectNotNegative("df", df);
  const Array half = draw.parameter("df", df, type) / 2;
  const Shape shape = draw.shapeOf(given, {half.shape(at)});
  const std::vector<Array> keys = splitKeys(draw.key(), 2);
  const Array normal = standardNormal(keys[0], shape, type);
  return normal * sqrt(half / gammaOf(keys[1], broadcast_to(half, shape), false));
}

Array random::t(const Key &key, const Operand &df, const Shape &given, std::optional<Dtype> dtype, Location at) {
  return studentT("random.t", key, df, given, dtype, at);
}

Array random::student_t(const Key &key, const Operand &df, const Shape &given, std::optional<Dtype> dtype,
                        Location at) {
  return studentT("random.student_t", key, df, given, dtype, at);
}

Array random::chisquare(const Key &key, const Operand &df, const Shape &given, std::optional<Dtype> dtype,
                        Location at) {
  const Draw draw("random.chisquare", key, at, {{"key", key.data}, {"df", df}});
  const Dtype type = draw.floating(dtype, {&df});
  draw.expectNotNegative("df", df);
  const Array half = draw.parameter("df", df, type) / 2;
  return exp(gammaOf(draw.key(), broadcast_to(half, draw.shapeOf(given, {half.shape(at)})), true)) * 2;
}

Array random::ball(const Key &key, int d, double p, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.ball", key, at, {{"key", key.data}});
  draw.expectFloating(dtype);
  if (d < 1)
    draw.refuse("expected d >= 1, got " + std::to_string(d));
  if (!(p > 0))
    draw.refuse("expected p > 0, got " + Scalar(p).str());
  Shape points = shape;
  points.push_back(d, at);
  const std::vector<Array> keys = splitKeys(draw.key(), 2), parts = splitKeys(keys[0], 2);
  const Array radii = gammaOf(parts[0], full(points, 1 / p, dtype, draw.key().device(), at), false);
  const Array x = randomSign(parts[1], points, dtype) * pow(radii, 1 / p);
  const Array beyond = -log1p(-unitUniform(keys[1], shape, dtype));
  const Array norm = pow(sum(pow(abs(x), p), -1) + beyond, 1 / p);
  return x / norm[{ellipsis, newaxis}];
}
