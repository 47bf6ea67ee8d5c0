//===- Random.cpp - random numbers from explicit keys -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/FloatingPoint.h"
#include "lib/ops/Door.h"
#include "lib/ops/composites/ErfInv.h"

#include <tenon/random.h>

#include <numbers>

using namespace tenon;
using namespace tenon::detail;

Key random::key(uint64_t seed, Location at) {
  uint32_t words[] = {static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)};
  return {Array(std::span<const uint32_t>(words), Shape{2}, at)};
}

std::vector<Key> random::split(const Key &key, int count, Location at) {
  DoorScope scope("random.split", "random::split", at, {{"key", key.data}});
  if (count < 1)
    throw Error("random::split: expected at least one key, got " + std::to_string(count), userLocation(at));
  Array words = bits(key.data, {count}, 2);
  std::vector<Key> keys;
  for (int i = 0; i < count; ++i)
    keys.push_back({words[i]});
  return keys;
}

KeyPair random::split(const Key &key, Location at) {
  std::vector<Key> keys = split(key, 2, at);
  return {{std::move(keys[0]), std::move(keys[1])}};
}

static void expectFloating(const char *what, Dtype dtype, Location at) {
  if (dtype != Dtype::f32 && dtype != Dtype::f64)
    throw Error(std::string(what) + ": expected f32 or f64, got " + std::string(short_name(dtype)), userLocation(at));
}

/// [0, 1): JAX puts the upper bits into the mantissa of a number in [1, 2) and
/// subtracts 1. The same numbers, exactly: 23 bits (52 for f64) times a power of 2.
static Array unit(const Array &key, const Shape &shape, Dtype dtype) {
  if (dtype == Dtype::f32)
    return astype(random::bits(key, shape) >> 9, f32) * 0x1p-23f;
  Array words = random::bits(key, shape, 2);
  std::vector<Array> halves = split(words, {1, 1}, -1);
  Shape all = words.shape();
  all.erase(all.rank() - 1);
  Array high = astype(reshape(halves[0], all), f64), low = astype(reshape(halves[1], all) >> 12, f64);
  return (high * 0x1p20 + low) * 0x1p-52;
}

Array random::uniform(const Key &key, const Shape &shape, Dtype dtype, double low, double high, Location at) {
  DoorScope scope("random.uniform", "random::uniform", at, {{"key", key.data}});
  expectFloating("random::uniform", dtype, at);
  if (!(low < high))
    throw Error("random::uniform: expected low < high, got " + Scalar(low).str() + " and " + Scalar(high).str(),
                userLocation(at));
  Array numbers = unit(key.data, shape, dtype);
  if (low == 0 && high == 1)
    return numbers;
  double range = rt::inDefaultFloatingPoint(
      [&] { return dtype == Dtype::f32 ? static_cast<float>(high) - static_cast<float>(low) : high - low; });
  // Never below `low`, where JAX clips: to a number >= 0 rounding adds none < 0.
  return numbers * range + low;
}

Array random::uniform(const Key &key, const Shape &shape, double low, double high, Location at) {
  return uniform(key, shape, f32, low, high, at);
}

Array random::normal(const Key &key, const Shape &shape, Dtype dtype, Location at) {
  DoorScope scope("random.normal", "random::normal", at, {{"key", key.data}});
  expectFloating("random::normal", dtype, at);
  double low = dtype == Dtype::f32 ? -0x1.fffffep-1 : -0x1.fffffffffffffp-1; // the one after -1
  Array x = uniform(key, shape, dtype, low, 1, at);
  // Not tn::erf_inv's (1 - x) * (1 + x): the rounding of x * x is up to 91 ulp of a
  // number far from 0, and is in JAX's numbers.
  return erfInv(x, -log(1 - x * x)) * std::numbers::sqrt2;
}
