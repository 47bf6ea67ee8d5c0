//===- Counts.cpp - Poisson's and binomial numbers -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All elements of a round draw from one key.
//===----------------------------------------------------------------------===//
#include "lib/ops/composites/Floats.h"
#include "lib/random/Draw.h"
#include "lib/random/Special.h"

#include <tenon/control.h>

#include <cmath>
#include <numbers>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// The events of a loop that counts.
struct Counting {
  Array key, count, sum;
};
/// The numbers of a loop that rejects.
struct Rejecting {
  Array key, number, isOpen;
};
} // namespace

/// Repeats a rejection until each element has a number, in f64; as in JAX, a number that is accepted later replaces an
/// earlier one of the same element. `propose(u, v)` gets uniform numbers of `dtype` and returns numbers and whether
/// they are accepted. Only elements that are `isOwn` need numbers; the others belong to another method.
template <class F>
static Array drawAll(const Array &key, const Shape &shape, Dtype dtype, const Array &isOwn, const Array &isOpen,
                     F &&propose) {
  const Rejecting start{key, full(shape, -1, Dtype::f64, key.device()), isOpen && any(isOwn)};
  auto goesOn = [](const Rejecting &now) { return any(now.isOpen); };
  auto round = [&](const Rejecting &now) {
    const std::vector<Array> keys = splitKeys(now.key, 3);
    const auto [number, isTaken] =
        propose(unitUniform(keys[1], shape, dtype) - 0.5, unitUniform(keys[2], shape, dtype));
    return Rejecting{keys[0], where(isTaken, number, now.number), now.isOpen && !isTaken};
  };
  return while_loop(goesOn, round, start).number;
}

//===----------------------------------------------------------------------===//
// Poisson
//===----------------------------------------------------------------------===//

/// Knuth's: how many uniform numbers have a product above exp(-lam), by their logarithms.
static Array poissonByProduct(const Array &key, const Array &lam, const Array &isOwn, Dtype dtype) {
  const Counting start{key, zeros_like(lam, dtype), zeros_like(lam)};
  auto goesOn = [&](const Counting &now) { return any(isOwn && now.sum > -lam); };
  auto round = [&](const Counting &now) {
    const std::vector<Array> keys = splitKeys(now.key, 2);
    const Array logarithm = log(unitUniform(keys[1], lam.shape(), Dtype::f32));
    return Counting{keys[0], where(now.sum > -lam, now.count + 1, now.count), now.sum + logarithm};
  };
  return while_loop(goesOn, round, start).count - 1;
}

/// k * log(k / mean) - k + mean for counts k >= 0, without cancellation for k near the mean. Source: Loader, "Fast and
/// accurate computation of binomial probabilities", 2000.
static Array deviance(const Array &k, const Array &mean) {
  const Array d = (k - mean) / mean;
  return where(k == 0, mean, mean * ((1 + d) * log1p(d) - d));
}

/// Hormann's transformed rejection, in f64: in f32, as in JAX, the logarithms of probabilities lose all digits for
/// large means, and the variance is wrong.
static Array poissonByRejection(const Array &key, const Array &mean, const Array &isOwn) {
  const Array lam = astype(mean, f64), b = 0.931 + 2.53 * sqrt(lam), a = -0.059 + 0.02483 * b;
  const Array inverseAlpha = 1.1239 + 1.1328 / (b - 3.4), accepted = 0.9277 - 3.6224 / (b - 2);
  return drawAll(key, lam.shape(), Dtype::f32, isOwn, isfinite(lam), [&](const Array &u, const Array &v) {
    const Array shifted = 0.5 - abs(u);
    const Array k = floor((2 * a / shifted + b) * u + lam + 0.43);
    const Array s = log(v * inverseAlpha / (a / (shifted * shifted) + b));
    // log(lam^k * exp(-lam) / k!), by Stirling's formula.
    const Array some = maximum(k, 1), rest = log(2 * std::numbers::pi * some) / 2 + stirlingRest(some);
    const Array t = -deviance(maximum(k, 0), lam) - where(k <= 0, 0, rest);
    const Array isInside = shifted >= 0.07 && v <= accepted;
    const Array isOutside = k < 0 || (shifted < 0.013 && v > shifted);
    return std::pair(k, isInside || (!isOutside && s <= t));
  });
}

Array random::poisson(const Key &key, const Operand &lam, const Shape &given, Dtype dtype, Location at) {
  const Draw draw("random.poisson", key, at, {{"key", key.data}, {"lam", lam}});
  draw.expectInteger(dtype);
  draw.expectNotNegative("lam", lam);
  const Array one = draw.parameter("lam", lam, Dtype::f32);
  const Array mean = broadcast_to(one, draw.shapeOf(given, {one.shape(at)}));
  const Array isSmall = isnan(mean) || mean < 10;
  const Array small = poissonByProduct(draw.key(), where(isSmall, mean, 0), isSmall, dtype);
  const Array large = poissonByRejection(draw.key(), where(isSmall, 1e5f, mean), !isSmall);
  const Array counts = where(mean == 0, 0, where(isSmall, small, astype(large, dtype)));
  // A rejection goes on for an infinite one while it does for others.
  return where(isfinite(mean), counts, full({}, 0, dtype, mean.device()) - 1);
}

//===----------------------------------------------------------------------===//
// Binomial
//===----------------------------------------------------------------------===//

/// How many gaps between successes, geometric numbers, lie in n trials.
static Array binomialByGaps(const Array &key, const Array &n, const Array &p, const Array &isOwn) {
  const Array logarithm = log1p(-p);
  const Counting start{key, zeros_like(p), zeros_like(p)};
  auto goesOn = [&](const Counting &now) { return any(isOwn && now.sum <= n); };
  auto round = [&](const Counting &now) {
    const std::vector<Array> keys = splitKeys(now.key, 2);
    const Array gap = ceil(log(unitUniform(keys[0], p.shape(), p.dtype())) / logarithm);
    return Counting{keys[1], where(now.sum <= n, now.count + 1, now.count), now.sum + gap};
  };
  return while_loop(goesOn, round, start).count - 1;
}

/// The logarithm of the probability of k successes in n trials, in f64. Source: Loader, as above.
static Array logBinomial(const Array &k, const Array &n, const Array &p) {
  const Array some = clip(k, 1, n - 1), others = n - some;
  const Array inside = log(n / (2 * std::numbers::pi * some * others)) / 2 - deviance(some, n * p) -
                       deviance(others, n * (1 - p)) + stirlingRest(n) - stirlingRest(some) - stirlingRest(others);
  return where(k <= 0, n * log1p(-p), where(k >= n, n * log(p), inside));
}

/// Hormann's BTRS, in f64: in f32, as in JAX, the logarithms of probabilities lose all digits for many trials.
static Array binomialByRejection(const Array &key, const Array &trials, const Array &success, const Array &isOwn) {
  const Array n = astype(trials, f64), p = astype(success, f64);
  const Array deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
  const Array a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5, accepted = 0.92 - 4.2 / b;
  const Array alpha = (2.83 + 5.1 / b) * deviation, most = logBinomial(floor((n + 1) * p), n, p);
  return drawAll(key, p.shape(), wideDtype(success.dtype()), isOwn, !isnan(deviation),
                 [&](const Array &u, const Array &v) {
                   const Array shifted = 0.5 - abs(u);
                   const Array k = floor((2 * a / shifted + b) * u + c);
                   const Array isInside = shifted >= 0.07 && v <= accepted, isOutside = k < 0 || k > n;
                   const Array s = log(v * alpha / (a / (shifted * shifted) + b));
                   return std::pair(k, isInside || (!isOutside && s <= logBinomial(k, n, p) - most));
                 });
}

Array random::binomial(const Key &key, const Operand &n, const Operand &p, const Shape &given,
                       std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.binomial", key, at, {{"key", key.data}, {"n", n}, {"p", p}});
  const Dtype type = draw.floating({}, {&p}), result = draw.floating(dtype, {&p});
  draw.expectNotNegative("n", n);
  draw.expectBetween("p", p, 0, 1);
  const Array one = draw.parameter("n", n, type), other = draw.parameter("p", p, type);
  const Shape shape = draw.shapeOf(given, {one.shape(at), other.shape(at)});
  const Array count = broadcast_to(one, shape), success = broadcast_to(other, shape);
  // Of the two outcomes the rarer one is counted.
  const Array isRare = success < 0.5, rarer = where(isRare, success, 1 - success);
  const Array isNone = isnan(count) || count < 0, isBad = isnan(rarer) || rarer < 0, isEndless = isinf(count);
  const Array q = where(isBad, 0.01, rarer), trials = floor(count);
  const Array isFew = isNone || count * q <= 10;
  const Array few = binomialByGaps(draw.key(), where(isFew, trials, 0), q, isFew);
  const Array many = binomialByRejection(draw.key(), where(isFew, 10000, trials), where(isFew, 0.5, q), !isFew);
  const Array isInvalid = isBad || isNone;
  const Array drawn = where(isEndless && !isInvalid, INFINITY, where(isInvalid, NAN, where(isFew, few, many)));
  const Array isKept = isRare || isNone || isnan(rarer) || isEndless;
  return astype(where(isKept, drawn, trials - drawn), result);
}
