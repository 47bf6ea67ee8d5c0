//===- Attention.h - the weights of some queries of a head -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and its derivative hold the scores of a strip of queries and all keys of a head at a
// time, so their memory grows with the number of keys, not with its square. An element of a product
// depends on its row and column alone (runtime/contract/Contract.h), so strips have the bits of whole
// products; the other steps have those of the decomposition's ops.
//===----------------------------------------------------------------------===//
#pragma once

#include "CompositeKernels.h"
#include "Reduce.h"
#include "SoftmaxRow.h"

#include "runtime/contract/Contract.h"
#include "runtime/math/Threefry.h"

#include <limits>

namespace tenon::rt::TENON_ISA {

/// A matrix whose rows and columns have strides.
template <class T>
struct MatrixAt {
  const T *data;
  int64_t rows, columns, rowStride, columnStride;

  MatrixAt from(int64_t first, int64_t count) const {
    return {data + first * rowStride, count, columns, rowStride, columnStride};
  }
  MatrixAt transposed() const { return {data, columns, rows, columnStride, rowStride}; }
};

/// c = a b, or c += a b where the chains of an earlier product go on.
template <class T>
Status multiply(const MatrixAt<T> &a, const MatrixAt<T> &b, T *c, const uint32_t *cancel, bool isContinued = false) {
  Axes rows, columns, aDepth, bDepth;
  rows.add(a.rows, a.rowStride);
  aDepth.add(a.columns, a.columnStride);
  bDepth.add(b.rows, b.rowStride);
  columns.add(b.columns, b.columnStride);
  Product<T> product{
      a.rows, b.columns, a.columns, makeSide<T, T>(a.data, rows, aDepth), makeSide<T, T>(b.data, columns, bDepth), c};
  product.isContinued = isContinued;
  return multiply(product, cancel);
}

/// An operand of a kernel: a matrix for each head.
template <class T>
class HeadMatrices {
public:
  explicit HeadMatrices(const View &x)
      : heads_(x.rank - 2, x.dims, x.strides),
        first_{static_cast<const T *>(x.data), x.dims[x.rank - 2], x.dims[x.rank - 1], x.strides[x.rank - 2],
               x.strides[x.rank - 1]} {}
  int64_t count() const { return heads_.count(); }
  int64_t rows() const { return first_.rows; }
  int64_t columns() const { return first_.columns; }
  MatrixAt<T> of(int64_t head) const {
    MatrixAt<T> matrix = first_;
    matrix.data += heads_.offset(head);
    return matrix;
  }

private:
  Axes heads_;
  MatrixAt<T> first_;
};

/// A mask or bias that broadcasts to the scores, read where it lies.
template <class T>
class BesideScores {
public:
  /// `x` of rank 0: there is none.
  BesideScores(const View &x, const View &q) : data_(x.rank ? static_cast<const T *>(x.data) : nullptr) {
    const auto strideOf = [&](int axis) {
      const int own = axis - (q.rank - x.rank);
      return own < 0 || x.dims[own] == 1 ? 0 : x.strides[own];
    };
    for (int axis = 0; axis < q.rank - 2; ++axis)
      heads_.add(q.dims[axis], strideOf(axis));
    ofQuery_ = strideOf(q.rank - 2);
    ofKey = strideOf(q.rank - 1);
  }
  explicit operator bool() const { return data_; }
  const T *row(int64_t head, int64_t query) const { return data_ + heads_.offset(head) + query * ofQuery_; }

  /// From key to key.
  int64_t ofKey;

private:
  const T *data_;
  Axes heads_;
  int64_t ofQuery_;
};

/// Which weights are dropped: as `random::bits` with the key says, or with each of an array of keys, which has the
/// first axes of q.
class Dropout {
public:
  /// `key` of rank 0: nothing is dropped.
  Dropout(const View &key, double rate, const View &q, int64_t keys) : rate_(key.rank ? rate : 0) {
    if (key.rank == 0)
      return;
    key_ = static_cast<const uint32_t *>(key.data);
    starts_ = Axes(key.rank - 1, key.dims, key.strides);
    ofWord_ = key.strides[key.rank - 1];
    length_ = q.dims[q.rank - 2];
    keys_ = keys;
    for (int axis = key.rank - 1; axis < q.rank - 2; ++axis)
      headsOfKey_ *= q.dims[axis];
    const double kept = (1 - rate) * 0x1p32;
    kept_ = static_cast<uint32_t>(kept < 0x1p32 - 1 ? kept : 0x1p32 - 1);
  }
  explicit operator bool() const { return rate_ != 0; }

  /// Of a row of weights, or of their cotangents; `to` may be `from`.
  template <class T>
  void row(int64_t head, int64_t query, const T *from, T *to) const {
    constexpr int N = math::nativeLanes<uint32_t>;
    const uint32_t *const words = key_ + starts_.offset(head / headsOfKey_);
    const uint32_t first = words[0], second = words[ofWord_];
    const int64_t index = (head % headsOfKey_ * length_ + query) * keys_;
    const T rest = static_cast<T>(1 - rate_);
    for (int64_t j = 0; j < keys_; j += N) {
      uint32_t bits[N];
      math::store<Vec<uint32_t, N>>(
          bits, math::randomBits32<Vec<uint32_t, N>>(first, second, static_cast<uint64_t>(index + j)));
      for (int64_t i = 0; i < smaller<int64_t>(N, keys_ - j); ++i)
        to[j + i] = bits[i] < kept_ ? from[j + i] / rest : T(0);
    }
  }

private:
  double rate_;
  const uint32_t *key_ = nullptr;
  Axes starts_;
  int64_t ofWord_ = 0, length_ = 0, keys_ = 0, headsOfKey_ = 1;
  uint32_t kept_ = 0;
};

/// q, k and v, and how scores become weights.
template <Dtype D>
class AttentionWeights {
public:
  using T = Storage<D>;
  static constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;

  const HeadMatrices<T> q, k, v;
  const int64_t length, keys;
  /// How many heads of q, which follow one another, each head of k and v serves.
  const int64_t shared;
  const bool isCapped;
  const Dropout dropout;

  template <class Attrs>
  AttentionWeights(std::span<const View> operands, const Attrs &attributes)
      : q(operands[0]), k(operands[1]), v(operands[2]), length(q.rows()), keys(k.rows()), shared(q.count() / k.count()),
        isCapped(attributes.softcap.asDouble() != 0),
        dropout(operands[5], attributes.dropout_rate.asDouble(), operands[0], keys), mask_(operands[3], operands[0]),
        bias_(operands[4], operands[0]), left_(attributes.left), right_(attributes.right),
        scale_(static_cast<T>(attributes.scale.asDouble())), softcap_(static_cast<T>(attributes.softcap.asDouble())) {}

  /// The factor of the products.
  T scale() const { return scale_; }

  /// Of `count` queries of a head from `first` on, in rows of as many elements as there are keys. `capped`, which is
  /// null where there is no cap or nobody asks, takes tanh(scores / softcap).
  Status weights(int64_t head, int64_t first, int64_t count, T *to, T *capped, const uint32_t *cancel) const {
    if (const Status status = multiply(q.of(head).from(first, count), k.of(head / shared).transposed(), to, cancel);
        status != Status::ok)
      return status;
    return eachRow(count, cancel,
                   [&](int64_t i) { weigh(head, first + i, to + i * keys, capped ? capped + i * keys : nullptr); });
  }

  /// Calls row(i) for i < count, on several threads where rows are long.
  template <class Row>
  Status eachRow(int64_t count, const uint32_t *cancel, Row row) const {
    const bool isDone = parallelFor(
        count, larger<int64_t>(1, kGrain / 4 / keys),
        [&](int64_t lo, int64_t hi) {
          for (; lo < hi; ++lo)
            row(lo);
        },
        cancel);
    return isDone ? Status::ok : Status::cancelled;
  }

  /// Calls body(i, lanes) for the registers of a row; the last one may have fewer lanes.
  template <class Body>
  [[gnu::always_inline]] static void eachVector(int64_t count, Body body) {
    int64_t j = 0;
    for (; j + N <= count; j += N)
      body(j, int64_t(N));
    if (j < count)
      body(j, count - j);
  }
  [[gnu::always_inline]] static V get(const T *from, int64_t lanes) {
    return lanes == N ? loadLanes<D, N>(from) : gatherLanes<D, N>(from, 1, lanes);
  }
  [[gnu::always_inline]] static void put(T *to, int64_t lanes, V value) {
    if (lanes == N)
      storeLanes<D, N>(to, value);
    else
      scatterLanes<D, N>(value, to, 1, lanes);
  }

private:
  /// The weights of query `query` from its products.
  void weigh(int64_t head, int64_t query, T *row, T *capped) const {
    constexpr T lowest = -std::numeric_limits<T>::infinity();
    eachVector(keys, [&](int64_t j, int64_t lanes) {
      V score = get(row + j, lanes) * scale_;
      if (isCapped) {
        const V bounded = math::tanh(score / softcap_);
        if (capped)
          put(capped + j, lanes, bounded);
        score = softcap_ * bounded;
      }
      put(row + j, lanes, score);
    });
    if (bias_) {
      const T *const bias = bias_.row(head, query);
      for (int64_t j = 0; j < keys; ++j)
        row[j] += bias[j * bias_.ofKey];
    }
    if (mask_) {
      const bool *const mask = mask_.row(head, query);
      for (int64_t j = 0; j < keys; ++j)
        row[j] = mask[j * mask_.ofKey] ? row[j] : lowest;
    }
    if (left_ >= 0)
      fill(row, 0, smaller(keys, larger<int64_t>(0, query - left_)), lowest);
    if (right_ >= 0 && query < keys - 1 - right_)
      fill(row, query + right_ + 1, keys, lowest);
    // A query may see no key.
    if ((left_ >= 0 || mask_ || bias_) && reduceRow<MaxOf<D>>(row, keys) == lowest)
      fill(row, 0, keys, T(0));
    else
      softmaxRow(row, keys);
  }
  static void fill(T *row, int64_t first, int64_t end, T value) {
    for (int64_t j = first; j < end; ++j)
      row[j] = value;
  }

  const BesideScores<bool> mask_;
  const BesideScores<T> bias_;
  int64_t left_, right_;
  T scale_, softcap_;
};

/// Queries of a strip: its scores stay in the second cache.
inline int64_t queriesAtOnce(int64_t length, int64_t keys) {
  return smaller(length, larger<int64_t>(32, smaller<int64_t>(256, 65536 / keys)));
}

/// Whether the operands have elements and a dtype that the kernels know.
inline bool isAttention(const KernelCall &call) {
  for (const View &operand : call.operands)
    if (operand.count() == 0)
      return false;
  return call.operands[0].dtype == Dtype::f32 || call.operands[0].dtype == Dtype::f64;
}

} // namespace tenon::rt::TENON_ISA
