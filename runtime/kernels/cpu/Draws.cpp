//===- Draws.cpp - random numbers from their bits, in one pass over memory ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each has the bits of its decomposition in lib/random/Uniform.cpp.
//===----------------------------------------------------------------------===//
#include "EachElement.h"

#include "runtime/math/ErfInv.h"

namespace tenon::rt::TENON_ISA {
namespace {
using namespace tenon::math;

/// range * k * 2^-23 + low, where k is the upper 23 of the bits, rounded once; so is the decomposition, whose
/// products or sum are exact.
template <class U>
[[gnu::always_inline]] inline auto uniform(U bits, U range, U low) {
  using V = WithElement<U, float>;
  const V unit = convertLanes<float>(bitCast<SignedOf<U>>(bits >> 9)) * 0x1p-23f;
  return fma(unit, bitCast<V>(range), bitCast<V>(low));
}

struct Uniform {
  template <class U>
  [[gnu::always_inline]] static auto run(U bits, U range, U low) {
    return uniform(bits, range, low);
  }
};

struct Normal {
  template <class U>
  [[gnu::always_inline]] static auto run(U bits) {
    // From the number after -1 on; the range is rounded to 2, so that no number is 1.
    const float low = 0x1p-24f - 1, range = 2;
    const auto x = uniform(bits, broadcast<U>(__builtin_bit_cast(uint32_t, range)),
                           broadcast<U>(__builtin_bit_cast(uint32_t, low)));
    return erfInvSingleOf(x, -log(1.0f - x * x)) * 0x1.6a09e6p0f;
  }
};

} // namespace

Status kernelUniformOfBits(const KernelCall &call) {
  const auto [low, high] = UniformOfBitsAttrs::read(call.attributes);
  const auto from = static_cast<float>(low.asDouble()), range = static_cast<float>(high.asDouble() - low.asDouble());
  // A bound that is very large or very small beside the range, or a range next to 0: the decomposition may round
  // twice, a sum of doubles or a product that underflows.
  const float size = __builtin_fabsf(from);
  if (!(size == 0 || (size <= 32 * range && size >= 0x1p-28f * range && range >= 0x1p-100f)))
    return Status::declined;
  return onEachElement<Uniform, Dtype::u32, Dtype::f32>(call, __builtin_bit_cast(uint32_t, range),
                                                        __builtin_bit_cast(uint32_t, from));
}

Status kernelNormalOfBits(const KernelCall &call) { return onEachElement<Normal, Dtype::u32, Dtype::f32>(call); }

} // namespace tenon::rt::TENON_ISA
