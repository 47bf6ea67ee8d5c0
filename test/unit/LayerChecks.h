//===- LayerChecks.h - plain computations to compare layers with ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn.h>
#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <vector>

namespace tenon::test {

/// An array in doubles, for loops.
class Grid {
public:
  explicit Grid(std::vector<int64_t> sizes) : sizes(std::move(sizes)) {
    size_t count = 1;
    for (const int64_t size : this->sizes)
      count *= static_cast<size_t>(size);
    values.resize(count);
  }
  explicit Grid(const Array &x) {
    for (const Dim size : x.shape())
      sizes.push_back(size.value());
    values = astype(x, f64).to_vector<double>();
  }
  double &operator()(const std::vector<int64_t> &place) { return values[offset(place)]; }
  double operator()(const std::vector<int64_t> &place) const { return values[offset(place)]; }
  /// Calls f with each place, in row-major order.
  static void forEach(const std::vector<int64_t> &sizes, auto &&f) {
    std::vector<int64_t> place(sizes.size());
    for (const int64_t size : sizes)
      if (size == 0)
        return;
    for (;;) {
      f(place);
      size_t axis = sizes.size();
      while (axis-- > 0 && ++place[axis] == sizes[axis])
        place[axis] = 0;
      if (axis == static_cast<size_t>(-1))
        return;
    }
  }
  Array array() const { return reshape(Array(std::span<const double>(values)), Shape(sizes)); }

  std::vector<int64_t> sizes;
  std::vector<double> values;

private:
  size_t offset(const std::vector<int64_t> &place) const {
    int64_t at = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis)
      at = at * sizes[axis] + place[axis];
    return static_cast<size_t>(at);
  }
};

inline void expectNear(const Array &got, const Array &expected, double tolerance = 1e-5) {
  ASSERT_EQ(got.shape(), expected.shape());
  const Array is = astype(got, f64), want = astype(expected, f64);
  EXPECT_TRUE(allclose(is, want, tolerance, tolerance).item<bool>()) << is << "\nexpected\n" << want;
}
inline void expectBits(const Array &got, const Array &expected) {
  ASSERT_EQ(got.shape(), expected.shape());
  ASSERT_EQ(got.dtype(), expected.dtype());
  EXPECT_TRUE(array_equal(got, expected).item<bool>()) << got << "\nexpected\n" << expected;
}
/// Calls the layer eagerly and under jit, which give the same bits; returns the result.
inline Array called(const auto &layer, const Array &x) {
  const Array y = layer(x);
  auto compiled = jit([&](const Array &v) { return layer(v); });
  expectBits(compiled(x), y);
  return y;
}
/// Expects a layer to compute what `expected()` returns once it is built.
inline void expectLayer(const auto &layer, const Array &x, auto &&expected) {
  const Array y = called(layer, x);
  expectNear(y, expected());
}
/// Expects of two layers, one for each format, that the channels' place is all that differs.
inline void expectSameInBothFormats(const auto &last, const auto &first, const Array &x, double tolerance = 1e-5) {
  const Array moved = moveaxis(x, -1, 1), y = last(x);
  (void)first(moved);
  nn::copy_weights(last, first);
  expectNear(moveaxis(called(first, moved), 1, -1), y, tolerance);
}
inline Array numbers(const Shape &shape, uint64_t seed = 1) { return random::normal(random::key(seed), shape); }

} // namespace tenon::test
