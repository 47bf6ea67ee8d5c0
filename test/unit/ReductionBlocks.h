//===- ReductionBlocks.h - reductions in the order of the contract ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain loops that add in the order which the contract prescribes.
//===----------------------------------------------------------------------===//
#pragma once

#include "KernelBlocks.h"

#include <functional>

namespace tenon::rt::test {

/// The contract: over the innermost axis blocks of 4,096, within one sixteen
/// partial sums halved; over another blocks of 256 in index order; blocks pairwise, an odd one
/// unchanged; starts at -0; an empty sum is +0. A product is the same, from 1 on.
template <class T, class Combine = std::plus<T>>
T contractSum(const std::vector<T> &x, bool isInnermost) {
  const Combine combine;
  const T neutral = combine(2, 1) == 3 ? T(-0.0) : T(1);
  if (x.empty())
    return neutral + T(0);
  std::vector<T> blocks;
  const size_t length = isInnermost ? 4096 : 256;
  for (size_t start = 0; start < x.size(); start += length) {
    const size_t end = std::min(x.size(), start + length);
    T p[16];
    for (T &value : p)
      value = neutral;
    if (isInnermost) {
      for (size_t i = start; i < end; ++i)
        p[i % 16] = combine(p[i % 16], x[i]);
      for (int half : {8, 4, 2, 1})
        for (int j = 0; j < half; ++j)
          p[j] = combine(p[j], p[j + half]);
    } else {
      for (size_t i = start; i < end; ++i)
        p[0] = combine(p[0], x[i]);
    }
    blocks.push_back(p[0]);
  }
  while (blocks.size() > 1) {
    std::vector<T> next;
    for (size_t i = 0; i < blocks.size(); i += 2)
      next.push_back(i + 1 < blocks.size() ? combine(blocks[i], blocks[i + 1]) : blocks[i]);
    blocks = next;
  }
  return blocks[0];
}

template <class T>
T largest(const std::vector<T> &x) {
  T result = x[0];
  for (T value : x) {
    if (value != value || result != result)
      return NAN;
    if (value > result || (value == result && std::signbit(result)))
      result = value;
  }
  return result;
}

/// Reduces runs of adjacent axes, the innermost first.
template <class T, class Reduction>
std::vector<T> reduceAxes(std::vector<T> x, Dims dims, Dims axes, Reduction reduction) {
  while (!axes.empty()) {
    const size_t last = static_cast<size_t>(axes.back()) + 1;
    const bool isInnermost = last == dims.size();
    size_t first = last - 1;
    axes.pop_back();
    while (!axes.empty() && axes.back() + 1 == int64_t(first))
      first = size_t(axes.back()), axes.pop_back();
    const int64_t outer = product(Dims(dims.begin(), dims.begin() + first));
    const int64_t group = product(Dims(dims.begin() + first, dims.begin() + last));
    const int64_t inner = product(Dims(dims.begin() + last, dims.end()));
    std::vector<T> next, row;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        row.clear();
        for (int64_t g = 0; g < group; ++g)
          row.push_back(x[(o * group + g) * inner + i]);
        next.push_back(reduction(row, isInnermost));
      }
    x = next;
    dims.erase(dims.begin() + first, dims.begin() + last);
  }
  return x;
}

template <class T>
std::vector<T> elements(const Block &x) {
  const int64_t count = x.count();
  std::vector<T> result(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    result[static_cast<size_t>(i)] = static_cast<T>(x.get(i));
  return result;
}

inline Dims without(const Dims &dims, const Dims &axes) {
  Dims left;
  for (size_t i = 0; i < dims.size(); ++i)
    if (std::find(axes.begin(), axes.end(), int64_t(i)) == axes.end())
      left.push_back(dims[i]);
  return left;
}

template <class T, class Combine = std::plus<T>>
Block expectedSum(const Block &x, const Dims &over, Dtype dtype) {
  Block expected(dtype, without(x.dims, over));
  // The contract ignores axes of size 1.
  Dims dims, axes;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    if (x.dims[i] == 1)
      continue;
    if (std::find(over.begin(), over.end(), int64_t(i)) != over.end())
      axes.push_back(int64_t(dims.size()));
    dims.push_back(x.dims[i]);
  }
  const auto values = reduceAxes(elements<T>(x), dims, axes,
                                 [](const auto &row, bool inner) { return contractSum<T, Combine>(row, inner); });
  for (int64_t i = 0; i < expected.count(); ++i)
    expected.set(i, values[size_t(i)]);
  return expected;
}

inline Block runReduction(OpCode op, const Block &x, const Dims &axes, Dtype dtype) {
  AttrWriter attributes;
  SumAttrs{axes, false}.write(attributes);
  return run(op, {x}, dtype, without(x.dims, axes), attributes);
}

struct Case {
  Dims dims, axes;
};
inline const std::vector<Case> cases = {{{}, {}},
                                        {{5}, {0}},
                                        {{16}, {0}},
                                        {{100}, {0}},
                                        {{4096}, {0}},
                                        {{4097}, {0}},
                                        {{20000}, {0}},
                                        {{200001}, {0}},
                                        {{0}, {0}},
                                        {{0, 3}, {0}},
                                        {{3, 0}, {1}},
                                        {{3, 0}, {0}},
                                        {{7, 33}, {}},
                                        {{7, 33}, {1}},
                                        {{7, 33}, {0}},
                                        {{7, 33}, {0, 1}},
                                        {{9, 1}, {0}},
                                        {{33, 1}, {0}},
                                        {{2, 1, 33, 1}, {0, 2}},
                                        {{1, 1}, {0, 1}},
                                        {{3, 4099}, {1}},
                                        {{4099, 3}, {0}},
                                        {{13000, 5}, {0}},
                                        {{70000, 3}, {0}},
                                        {{255, 5}, {0}},
                                        {{256, 40}, {0}},
                                        {{257, 300}, {0}},
                                        {{2, 1025, 17}, {1}},
                                        // Rows and cells of a few elements, several to a register.
                                        {{50, 2}, {1}},
                                        {{51, 3}, {1}},
                                        {{49, 4}, {1}},
                                        {{67, 5}, {1}},
                                        {{35, 8}, {1}},
                                        {{70, 11}, {1}},
                                        {{40, 16}, {1}},
                                        {{37, 30}, {1}},
                                        {{19, 2, 2}, {1}},
                                        {{21, 2, 4}, {1}},
                                        {{19, 5, 2}, {1}},
                                        {{9, 17, 3}, {1}},
                                        {{23, 20, 4}, {1}},
                                        {{33, 3, 7}, {1}},
                                        {{5, 600, 2}, {1}},
                                        {{3, 512, 4}, {1}},
                                        {{2100, 2}, {0}},
                                        {{1100, 8}, {0}},
                                        {{2, 530, 13}, {1}},
                                        {{260, 530}, {0}},
                                        {{258, 1041}, {0}},
                                        {{258, 2065}, {0}},
                                        // Groups that are reduced as the next one asks for them.
                                        {{64, 2, 33, 2}, {1, 3}},
                                        {{300, 3, 5, 2}, {0, 2}},
                                        {{600, 2, 7}, {0, 2}},
                                        {{5, 2, 2, 1030}, {0, 2}},
                                        {{300, 2, 3, 530}, {0, 2}},
                                        {{270, 3, 4, 37}, {0, 2}},
                                        {{9, 2, 5, 33}, {0, 2}},
                                        {{2, 7, 1030, 2}, {0, 3}},
                                        {{3, 4, 2, 530, 2}, {0, 2, 4}},
                                        {{5, 600, 2}, {0, 2}},
                                        {{2, 3, 2, 3, 2, 5}, {0, 2, 4}},
                                        {{270, 2, 3, 2, 3}, {0, 2, 4}},
                                        {{2, 9000, 2}, {1}},
                                        {{4, 5, 300}, {0}},
                                        {{4, 5, 300}, {1}},
                                        {{4, 5, 300}, {0, 2}},
                                        {{4, 5, 300}, {1, 2}},
                                        {{3, 4, 5, 6}, {0, 2}},
                                        {{3, 4, 5, 6}, {1, 3}},
                                        {{3, 4, 5, 6}, {0, 1, 3}},
                                        {{3, 4, 0, 6}, {0, 2}},
                                        {{3, 0, 5, 6}, {1, 3}}};

} // namespace tenon::rt::test
