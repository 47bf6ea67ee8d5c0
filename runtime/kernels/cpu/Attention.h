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

  template <class Attrs>
  AttentionWeights(std::span<const View> operands, const Attrs &attributes)
      : q(operands[0]), k(operands[1]), v(operands[2]), length(q.rows()), keys(k.rows()), shared(q.count() / k.count()),
        isCapped(attributes.softcap.asDouble() != 0), left_(attributes.left), right_(attributes.right),
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
                   [&](int64_t i) { weigh(first + i, to + i * keys, capped ? capped + i * keys : nullptr); });
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
  void weigh(int64_t query, T *row, T *capped) const {
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
    if (left_ >= 0)
      fill(row, 0, smaller(keys, larger<int64_t>(0, query - left_)), lowest);
    if (right_ >= 0 && query < keys - 1 - right_)
      fill(row, query + right_ + 1, keys, lowest);
    // With a bound on the left, a query may see no key.
    if (left_ >= 0 && reduceRow<MaxOf<D>>(row, keys) == lowest)
      fill(row, 0, keys, T(0));
    else
      softmaxRow(row, keys);
  }
  static void fill(T *row, int64_t first, int64_t end, T value) {
    for (int64_t j = first; j < end; ++j)
      row[j] = value;
  }

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
