//===- Threefry.h - counter-based random bits ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011), laid out over arrays as JAX does with
// jax_threefry_partitionable=True: the bits of an element depend only on the
// key and on its row-major index, so that any thread can make any part.
//===----------------------------------------------------------------------===//
#pragma once

#include "Vec.h"

namespace tenon::math {

namespace detail {
template <class U>
[[gnu::always_inline]] inline U rotateLeft(U x, int count) {
  return (x << count) | (x >> (32 - count));
}

template <int R0, int R1, int R2, int R3, class U>
[[gnu::always_inline]] inline void fourRounds(U &x0, U &x1) {
  x0 += x1, x1 = rotateLeft(x1, R0) ^ x0;
  x0 += x1, x1 = rotateLeft(x1, R1) ^ x0;
  x0 += x1, x1 = rotateLeft(x1, R2) ^ x0;
  x0 += x1, x1 = rotateLeft(x1, R3) ^ x0;
}
} // namespace detail

/// Replaces the counter (x0, x1) by its random bits under the key (k0, k1).
/// U is uint32_t or a vector of it.
template <class U>
[[gnu::always_inline]] inline void threefry2x32(U k0, U k1, U &x0, U &x1) {
  static_assert(__is_same(Element<U>, uint32_t));
  const U k2 = k0 ^ k1 ^ broadcast<U>(0x1BD11BDA);
  x0 += k0, x1 += k1;
  detail::fourRounds<13, 15, 26, 6>(x0, x1);
  x0 += k1, x1 += k2 + 1;
  detail::fourRounds<17, 29, 16, 24>(x0, x1);
  x0 += k2, x1 += k0 + 2;
  detail::fourRounds<13, 15, 26, 6>(x0, x1);
  x0 += k0, x1 += k1 + 3;
  detail::fourRounds<17, 29, 16, 24>(x0, x1);
  x0 += k1, x1 += k2 + 4;
  detail::fourRounds<13, 15, 26, 6>(x0, x1);
  x0 += k2, x1 += k0 + 5;
}

/// The two words of the elements index, index + 1, ...: one element for each
/// lane. As they stand they are also the keys that JAX's split(key, n) gives.
template <class U>
struct RandomWords {
  U high, low;
};
template <class U>
[[gnu::always_inline]] inline RandomWords<U> randomWords(uint32_t k0, uint32_t k1, uint64_t index) {
  const U lane = laneIndex<U>();
  U low = lane + broadcast<U>(static_cast<uint32_t>(index));
  // A carry out of the low word goes to the lanes that have wrapped.
  U high = broadcast<U>(static_cast<uint32_t>(index >> 32));
  high = select(low < lane, high + 1, high);
  threefry2x32(broadcast<U>(k0), broadcast<U>(k1), high, low);
  return {high, low};
}

/// The 32 random bits of the elements index, index + 1, ... of an array, as
/// jax.random.bits(key, shape, uint32). Narrower bits are the low ones of these.
template <class U>
[[gnu::always_inline]] inline U randomBits32(uint32_t k0, uint32_t k1, uint64_t index) {
  const RandomWords<U> words = randomWords<U>(k0, k1, index);
  return words.high ^ words.low;
}

/// The same for 64 bits: the first word is the upper half.
template <class U>
[[gnu::always_inline]] inline WithElement<U, uint64_t> randomBits64(uint32_t k0, uint32_t k1, uint64_t index) {
  const RandomWords<U> words = randomWords<U>(k0, k1, index);
  return convertLanes<uint64_t>(words.high) << 32 | convertLanes<uint64_t>(words.low);
}

} // namespace tenon::math
