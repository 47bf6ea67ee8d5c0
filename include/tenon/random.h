//===- random.h - random numbers from explicit keys --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random array is a function of its key and its shape alone: the same
// eagerly, under jit, for any number of threads and on any device. A key is
// used once; split makes more of them. The numbers are JAX's with
// jax_threefry_partitionable=True (its default since 0.5) for the same key.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>

#include <array>
#include <vector>

namespace tenon {

/// A random key: u32[2] (u32[n, 2] for a batch of keys). A leaf of trees:
/// an input of jitted functions, mapped by vmap, copied by grad and tree_map.
struct Key {
  Array data;
};

/// Two keys: `auto [first, second] = random::split(key)`.
struct KeyPair : std::array<Key, 2> {
  operator std::vector<Key>() const { return {begin(), end()}; }
};

namespace random {

/// The key of a seed: the seed's upper and lower 32 bits.
Key key(uint64_t seed, Location at = Location::current());
/// Two new keys, or `count` of them; JAX's random.split.
KeyPair split(const Key &key, Location at = Location::current());
std::vector<Key> split(const Key &key, int count, Location at = Location::current());
/// Uniform in [low, high), f32 or f64: the upper bits of `bits` as the mantissa.
Array uniform(const Key &key, const Shape &shape, Dtype dtype = f32, double low = 0, double high = 1,
              Location at = Location::current());
/// Uniform in [low, high), f32.
Array uniform(const Key &key, const Shape &shape, double low, double high, Location at = Location::current());
/// Standard normal, f32 or f64: sqrt(2) * erf_inv(uniform(-1, 1)). In f32 within
/// 8 ulp of JAX's random.normal (3 over all its values).
Array normal(const Key &key, const Shape &shape, Dtype dtype = f32, Location at = Location::current());

} // namespace random
} // namespace tenon

template <>
struct std::tuple_size<tenon::KeyPair> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, tenon::KeyPair> {
  using type = tenon::Key;
};
