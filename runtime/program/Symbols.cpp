//===- Symbols.cpp - the table of runtime symbols --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Symbols.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#include <immintrin.h>

using namespace tenon::rt;

// LLVM passes and returns bf16 and f16 in the low 16 bits of xmm0. g++ 12 has
// no bf16 type, so these functions return the whole register.
static __m128i inLowBits(std::uint16_t bits) { return _mm_cvtsi32_si128(bits); }

static std::uint16_t roundToBfloat(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

/// Rounds to f32, an inexact result to the neighbour with an odd last bit, so
/// that a second rounding to a narrower type equals one rounding (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
static float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::isnan(value) || static_cast<double>(nearest) == value || (bits & 1))
    return nearest;
  // value 1e-60 rounds to zero, whose odd neighbour away from it is bits + 1.
  bool below = std::fabs(static_cast<double>(nearest)) < std::fabs(value);
  return std::bit_cast<float>(below ? bits + 1 : bits - 1);
}

static __m128i truncateFloatToBfloat(float value) { return inLowBits(roundToBfloat(value)); }

static __m128i truncateDoubleToBfloat(double value) { return inLowBits(roundToBfloat(roundToOdd(value))); }

/// Every CPU that Tenon runs on has F16C (x86-64-v3).
__attribute__((target("f16c"))) static __m128i truncateDoubleToHalf(double value) {
  return inLowBits(_cvtss_sh(roundToOdd(value), _MM_FROUND_TO_NEAREST_INT));
}

// The sums or products of a row's blocks, combined pairwise (`sum`'s tree). `stack`
// has 64 places; it holds one total for each bit of the number of blocks so far, the
// largest first, which is the pairwise tree.
template <class T, class Combine>
static void pushBlock(T *stack, std::int64_t block, T total) {
  int top = std::popcount(static_cast<std::uint64_t>(block));
  for (; block & 1; block >>= 1)
    total = Combine()(stack[--top], total);
  stack[top] = total;
}
/// An odd block has passed up unchanged.
template <class T, class Combine>
static T finishBlocks(const T *stack, std::int64_t blocks) {
  int top = std::popcount(static_cast<std::uint64_t>(blocks));
  T total = stack[--top];
  while (top > 0)
    total = Combine()(stack[--top], total);
  return total;
}

const void *tenon::rt::runtimeSymbolAddress(std::size_t index) {
  static const void *const addresses[] = {
#define TENON_RUNTIME_SYMBOL(name, address) reinterpret_cast<const void *>(address),
#include "Symbols.def"
  };
  static_assert(sizeof(addresses) / sizeof(addresses[0]) == kRuntimeSymbolCount);
  return addresses[index];
}
