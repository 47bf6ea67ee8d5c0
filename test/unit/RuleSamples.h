//===- RuleSamples.h - functions with custom derivatives ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/tenon.h>

namespace tenon::test {

inline std::vector<float> list(const Array &x) { return reshape(x, {-1}).to_vector<float>(); }

/// log(1 + e^x). Without the custom rule its derivative at 100 is NaN.
inline auto log1pexp() {
  return custom_gradient("log1pexp", [](const Array &x) {
    Array e = exp(x);
    return with_grad(log(1.0f + e), [=](const Array &d) { return d * (1.0f - 1.0f / (1.0f + e)); });
  });
}

inline Array clipByNorm(const Array &d, const Array &norm) {
  Array length = sqrt(sum(d * d));
  return d * (norm / maximum(length, norm));
}
inline auto clipGradient() {
  return custom_gradient("clip_gradient", [](const Array &x, const Array &norm) {
    return with_grad(x * 1.0f, [=](const Array &d) { return std::tuple(clipByNorm(d, norm), none); });
  });
}

} // namespace tenon::test
