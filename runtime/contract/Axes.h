//===- Axes.h - where the elements of an operand lie ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product c(i, j) = sum over l of a(i, l) * b(l, j) may run over several axes of
// an array for each of i, j and l: a contraction of arrays of any rank is a matrix product
// whose rows, columns and depth are counted over axes.
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/kernels/cpu/Common.h"

namespace tenon::rt::TENON_ISA {

/// Axes that one index counts, the last one fastest. Axes of size 1 are left out, and
/// axes whose strides fit together are one, so that most operands have one axis.
class Axes {
public:
  Axes() {}
  /// Of what there is: most have one axis of sixteen.
  Axes(const Axes &other) { *this = other; }
  Axes &operator=(const Axes &other) {
    rank_ = other.rank_;
    count_ = other.count_;
    for (int i = 0; i < rank_; ++i) {
      dims_[i] = other.dims_[i];
      strides_[i] = other.strides_[i];
    }
    return *this;
  }
  Axes(int rank, const int64_t *dims, const int64_t *strides) {
    for (int i = 0; i < rank; ++i)
      add(dims[i], strides[i]);
  }
  void add(int64_t dim, int64_t stride) {
    count_ *= dim;
    if (dim == 1)
      return;
    if (rank_ > 0 && strides_[rank_ - 1] == dim * stride) {
      dims_[rank_ - 1] *= dim;
      strides_[rank_ - 1] = stride;
      return;
    }
    dims_[rank_] = dim;
    strides_[rank_++] = stride;
  }
  void add(const Axes &inner) {
    for (int i = 0; i < inner.rank_; ++i)
      add(inner.dims_[i], inner.strides_[i]);
  }

  int64_t count() const { return count_; }
  /// Whether element i lies at i * stride().
  bool isStrided() const { return rank_ <= 1; }
  int64_t stride() const { return rank_ ? strides_[0] : 1; }

  int64_t offset(int64_t index) const {
    if (isStrided())
      return index * stride();
    int64_t offset = 0;
    for (int i = rank_ - 1; i >= 0; index /= dims_[i], --i)
      offset += index % dims_[i] * strides_[i];
    return offset;
  }
  /// The offsets of `count` elements from `first` on.
  void offsets(int64_t first, int64_t count, int64_t *to) const {
    if (isStrided()) {
      for (int64_t i = 0; i < count; ++i)
        to[i] = (first + i) * stride();
      return;
    }
    const int last = rank_ - 1;
    for (int64_t i = 0; i < count;) {
      const int64_t start = offset(first + i), left = dims_[last] - (first + i) % dims_[last];
      for (int64_t j = 0; j < left && i < count; ++j)
        to[i++] = start + j * strides_[last];
    }
  }

private:
  int rank_ = 0;
  int64_t count_ = 1;
  int64_t dims_[kMaxRank], strides_[kMaxRank];
};

} // namespace tenon::rt::TENON_ISA
