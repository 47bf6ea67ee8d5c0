//===- Transforms.h - transformations of functions of lists of arrays --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a function from arrays to arrays another one, so that they nest in any order. What
// nest_fuzz prints includes this file.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/tenon.h>

#include <cmath>
#include <functional>
#include <vector>

namespace tenon::fuzz {

using Function = std::function<std::vector<Array>(const std::vector<Array> &)>;

/// Numbers of the shape of x, the same at each call.
inline Array waves(const Array &x, double phase) {
  int64_t count = 1;
  for (int i = 0; i < x.ndim(); ++i)
    count *= static_cast<int64_t>(x.shape()[i]);
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(std::cos(phase + 1.7 * static_cast<double>(i)));
  return astype(reshape(Array(numbers), x.shape()), x.dtype());
}
inline std::vector<Array> waves(const std::vector<Array> &x, double phase) {
  std::vector<Array> all;
  for (const Array &each : x)
    all.push_back(waves(each, phase += 0.6));
  return all;
}

/// The number that is differentiated: bounded, and of no element linear.
inline Array loss(const Function &f, const std::vector<Array> &x) {
  Array total = 0.0;
  double weight = 1;
  for (const Array &y : f(x))
    total = total + sum(sin(y + 0.5)) * (weight *= 0.75);
  return total;
}

inline Function gradient(Function f) {
  return [=](const std::vector<Array> &x) {
    return grad([&](const std::vector<Array> &point) { return loss(f, point); })(x);
  };
}
inline Function pulled(Function f) {
  return [=](const std::vector<Array> &x) {
    auto [y, pull] = vjp(f, x);
    return pull(waves(y, 0.3));
  };
}
/// The tangents, after the results if those are wanted.
inline Function pushed(Function f, bool withResults) {
  return [=](const std::vector<Array> &x) {
    auto [y, dy] = jvp(f, x, waves(x, 0.9));
    if (withResults)
      dy.insert(dy.begin(), y.begin(), y.end());
    return dy;
  };
}
inline Function taped(Function f) {
  return [=](const std::vector<Array> &x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(loss(f, x), x);
  };
}
/// Over the examples along those axes of the arrays.
inline Function mapped(Function f, std::vector<BatchAxis> axes) {
  return vmap(f, {.in_axes = {BatchAxis(std::move(axes))}});
}
inline Function compiled(Function f) { return jit(std::move(f)); }
inline Function recomputed(Function f) { return checkpoint(std::move(f)); }

} // namespace tenon::fuzz
