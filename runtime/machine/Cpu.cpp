//===- Cpu.cpp - what the host's processor can do --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cpu.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include <cpuid.h>

using namespace tenon::rt;

namespace {
enum Register { Eax, Ebx, Ecx, Edx };

struct FeatureRow {
  std::string_view name;
  unsigned leaf, subleaf;
  Register reg;
  unsigned bit;
  std::uint64_t state;
};
} // namespace

static constexpr FeatureRow kFeatures[] = {
#define TENON_CPU_FEATURE(id, name, level, leaf, subleaf, reg, bit, state) {name, leaf, subleaf, reg, bit, state},
#include "CpuFeatures.def"
};
static constexpr unsigned kFeatureCount = sizeof(kFeatures) / sizeof(kFeatures[0]);
static_assert(kFeatureCount < 64);

/// The register states that the operating system saves (XCR0), or 0.
static std::uint64_t enabledState() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return 0;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | std::uint64_t(high) << 32;
}

static std::uint64_t detect() {
  std::uint64_t found = 0, state = enabledState();
  for (unsigned i = 0; i < kFeatureCount; ++i) {
    const FeatureRow &row = kFeatures[i];
    unsigned regs[4];
    if (!__get_cpuid_count(row.leaf, row.subleaf, &regs[0], &regs[1], &regs[2], &regs[3]))
      continue;
    if ((regs[row.reg] >> row.bit & 1) && (state & row.state) == row.state)
      found |= std::uint64_t(1) << i;
  }
  return found;
}

/// TENON_ISA, empty if it is not set.
static std::string_view isaSetting() {
  const char *text = std::getenv("TENON_ISA");
  return text ? text : "";
}

std::uint64_t tenon::rt::hostFeatures() {
  constexpr std::uint64_t unknown = ~std::uint64_t(0);
  static constinit std::atomic<std::uint64_t> features{unknown};
  std::uint64_t known = features.load(std::memory_order_relaxed);
  if (known == unknown) [[unlikely]]
    features.store(known = isaSetting() == "v3" ? detect() & kFeaturesV3 : detect(), std::memory_order_relaxed);
  return known;
}

void tenon::rt::warnOfWrongIsa() {
  static constinit std::atomic<bool> wasAsked{false};
  if (wasAsked.exchange(true))
    return;
  std::string_view level = isaSetting();
  if (!level.empty() && level != "v3" && level != "v4")
    std::fprintf(stderr, "tenon: TENON_ISA: expected v3 or v4, got '%s'\n", level.data());
}

std::string tenon::rt::featureNames(std::uint64_t bits, std::string_view prefix, std::string_view separator) {
  std::string text;
  for (; bits; bits &= bits - 1) {
    unsigned index = std::countr_zero(bits);
    if (!text.empty())
      text += separator;
    text += prefix;
    if (index < kFeatureCount)
      text += kFeatures[index].name;
    else
      text += "bit " + std::to_string(index);
  }
  return text;
}

std::string tenon::rt::checkFeatureList(std::string_view list) {
  while (!list.empty()) {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(item.size() + 1, list.size()));
    auto isItem = [&](const FeatureRow &row) { return item.starts_with('+') && item.substr(1) == row.name; };
    if (std::none_of(std::begin(kFeatures), std::end(kFeatures), isItem))
      return "expected a list such as +avx2,+fma of the features " +
             featureNames((std::uint64_t(1) << kFeatureCount) - 1) + ", got '" + std::string(item) + "'";
  }
  return "";
}
