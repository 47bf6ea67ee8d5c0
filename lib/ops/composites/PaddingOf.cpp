//===- PaddingOf.cpp - padding as numbers --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/PaddingOf.h"
#include "dialect/model/Shape.h"

#include "lib/ops/composites/Shaping.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

int64_t detail::reachOf(int64_t window, int64_t dilation, Location at) {
  int64_t reach;
  if (__builtin_mul_overflow(window - 1, dilation, &reach) || reach > INT64_MAX / 4)
    refuse("expected windows of fewer than 2^61 places, got " + std::to_string(window) + " taps with a dilation of " +
               std::to_string(dilation),
           at);
  return reach;
}

std::optional<int64_t> detail::remainderOf(Dim size, int64_t divisor) {
  if (divisor == 1)
    return 0;
  if (size.is_static())
    return ((size.raw() % divisor) + divisor) % divisor;
  constexpr int64_t most = 1024; // of symbols one after another is tried
  for (int64_t rest = 0; rest < std::min(divisor, most); ++rest)
    if (exact_div(size - rest, divisor))
      return rest;
  return std::nullopt;
}

/// The number of elements that `same` adds: what ceil(size / stride) windows reach beyond the last element.
static int64_t sameTotal(Dim size, int64_t reach, int64_t stride, Location at) {
  if (stride == 1)
    return reach;
  const std::optional<int64_t> rest = remainderOf(size, stride);
  if (!rest)
    refuse("expected a size whose remainder by the stride " + std::to_string(stride) +
               " is known where the padding is same, got " + size.str() + ": give the padding as numbers",
           at);
  return std::max<int64_t>(reach + 1 - (*rest == 0 ? stride : *rest), 0);
}

LowHigh detail::paddingOf(const Padding &padding, std::span<const Dim> sizes, std::span<const int64_t> window,
                          std::span<const int64_t> strides, std::span<const int64_t> dilation, Location at) {
  const size_t axes = sizes.size();
  const std::span<const Padding::Ends> ends = padding.ends();
  if (padding.mode() && *padding.mode() > PaddingMode::causal)
    refuse("expected a value of PaddingMode, got the number " + std::to_string(static_cast<int>(*padding.mode())), at);
  if (!padding.mode() && !padding.is_for_all() && ends.size() != axes)
    refuse("expected padding for " + std::to_string(axes) + (axes == 1 ? " axis" : " axes") + ", got that of " +
               std::to_string(ends.size()),
           at);
  LowHigh result{std::vector<int64_t>(axes, 0), std::vector<int64_t>(axes, 0)};
  for (size_t i = 0; i < axes; ++i) {
    if (!padding.mode()) {
      const Padding::Ends &both = ends[padding.is_for_all() ? 0 : i];
      for (const int64_t number : {both.before, both.after})
        if (number > mostPlaces || number < -mostPlaces)
          refuse("expected paddings from -2^31 to 2^31, got " + std::to_string(number), at);
      result.low[i] = both.before;
      result.high[i] = both.after;
      continue;
    }
    if (*padding.mode() == PaddingMode::valid)
      continue;
    const int64_t reach = reachOf(window[i], dilation[i], at);
    const bool isCausal = *padding.mode() == PaddingMode::causal;
    const int64_t total = isCausal ? reach : sameTotal(sizes[i], reach, strides[i], at);
    const int64_t less = total / 2;
    result.low[i] = isCausal ? total : *padding.mode() == PaddingMode::same_lower ? total - less : less;
    result.high[i] = total - result.low[i];
  }
  return result;
}
