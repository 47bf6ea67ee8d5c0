//===- Cpu.h - what the host's processor can do -----------------*- C++ -*-===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction sets as bits of one word, asked of the processor and of the
// operating system. The CPU's name plays no part: a blob made on one machine
// runs on every other that has the bits it demands.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::rt {

/// Bit numbers of the ISA word.
enum class CpuFeature : unsigned {
#define TENON_CPU_FEATURE(id, name, level, leaf, subleaf, reg, bit, state) id,
#include "CpuFeatures.def"
};

constexpr std::uint64_t featureBit(CpuFeature feature) { return std::uint64_t(1) << static_cast<unsigned>(feature); }

/// Every bit of x86-64-v`level` (2, 3 or 4), those of the lower levels included.
constexpr std::uint64_t levelFeatures(int level) {
  std::uint64_t bits = 0;
#define TENON_CPU_FEATURE(id, name, lowest, leaf, subleaf, reg, bit, state)                                            \
  if (lowest != 0 && lowest <= level)                                                                                  \
    bits |= featureBit(CpuFeature::id);
#include "CpuFeatures.def"
  return bits;
}

inline constexpr std::uint64_t kFeaturesV3 = levelFeatures(3);
inline constexpr std::uint64_t kFeaturesV4 = levelFeatures(4);

/// What this processor has and this operating system has switched on. With
/// TENON_ISA=v3 in the environment no more than x86-64-v3: eager kernels,
/// compiled code and what a blob may demand are then those of such a machine.
std::uint64_t hostFeatures();

/// Says on standard error, once, if TENON_ISA is no level. Not a part of
/// hostFeatures: libtenon and its plug-in each have a copy of that.
void warnOfWrongIsa();

/// The names in `bits`, each with `prefix` before it: `avx512f, avx512bw`, or
/// for LLVM with ("+", ",") `+avx512f,+avx512bw`. Unknown bits read `bit 40`.
std::string featureNames(std::uint64_t bits, std::string_view prefix = "", std::string_view separator = ", ");

/// What is wrong with a list of features as LLVM writes it (`+avx2,+fma`, maybe
/// empty), as `expected ..., got ...` with the names there are; "" if nothing is.
std::string checkFeatureList(std::string_view list);

} // namespace tenon::rt
