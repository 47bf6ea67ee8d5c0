//===- Attention.cpp - attention by strips of queries ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scores of some queries and all keys of a head are in memory at a time, so that the memory
// grows with the number of keys, not with its square. An element of a product depends on its row and
// column alone (runtime/contract/Contract.h), so the strips have the bits of the whole products, and
// the other steps those of the decomposition's ops.
//===----------------------------------------------------------------------===//
#include "CompositeKernels.h"
#include "Reduce.h"
#include "SoftmaxRow.h"

#include "runtime/contract/Contract.h"

#include <atomic>
#include <limits>

namespace tenon::rt::TENON_ISA {
namespace {

template <Dtype D>
class Attention {
public:
  using T = Storage<D>;
  static constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;

  Attention(const KernelCall &call, const AttentionAttrs &attributes)
      : q_(call.operands[0]), k_(call.operands[1]), v_(call.operands[2]), out_(static_cast<T *>(call.results[0].data)),
        length_(q_.dims[q_.rank - 2]), keys_(k_.dims[k_.rank - 2]), width_(q_.dims[q_.rank - 1]),
        values_(v_.dims[v_.rank - 1]), heads_(headsOf(q_)), ofKeys_(headsOf(k_)), ofValues_(headsOf(v_)),
        left_(attributes.left), right_(attributes.right), scale_(static_cast<T>(attributes.scale.asDouble())),
        softcap_(static_cast<T>(attributes.softcap.asDouble())), isCapped_(attributes.softcap.asDouble() != 0) {}

  Status run(const uint32_t *cancel) {
    const int64_t strip = smaller(length_, larger<int64_t>(32, smaller<int64_t>(256, kScores / keys_)));
    const int64_t strips = ceilDivide(length_, strip);
    std::atomic<Status> worst = Status::ok;
    const bool isDone = parallelFor(
        heads_.count() * strips, 1,
        [&](int64_t lo, int64_t hi) {
          const Scratch scratch(strip * keys_, sizeof(T));
          if (!scratch) {
            worst = Status::outOfMemory;
            return;
          }
          for (; lo < hi; ++lo) {
            const int64_t first = lo % strips * strip;
            const Status status = attend(lo / strips, first, smaller(strip, length_ - first), scratch.as<T>(), cancel);
            if (status != Status::ok)
              worst = status;
          }
        },
        cancel);
    return worst != Status::ok ? worst.load() : isDone ? Status::ok : Status::cancelled;
  }

private:
  /// Scores of a strip, which stay in the second cache.
  static constexpr int64_t kScores = 65536;

  static Axes headsOf(const View &x) { return Axes(x.rank - 2, x.dims, x.strides); }
  static Axes axis(const View &x, int last) {
    Axes one;
    one.add(x.dims[x.rank - last], x.strides[x.rank - last]);
    return one;
  }
  static const T *matrix(const View &x, const Axes &heads, int64_t head) {
    return static_cast<const T *>(x.data) + heads.offset(head);
  }

  /// The rows [first, first + count) of the result of a head.
  Status attend(int64_t head, int64_t first, int64_t count, T *scores, const uint32_t *cancel) const {
    // As many heads of q as there are of them for each of k follow one another.
    const int64_t shared = heads_.count() / ofKeys_.count(), other = head / shared;
    const T *const queries = matrix(q_, heads_, head) + first * q_.strides[q_.rank - 2];
    Axes rows, depth;
    rows.add(count, q_.strides[q_.rank - 2]);
    const Product<T> products{count,
                              keys_,
                              width_,
                              makeSide<T, T>(queries, rows, axis(q_, 1)),
                              makeSide<T, T>(matrix(k_, ofKeys_, other), axis(k_, 2), axis(k_, 1)),
                              scores};
    if (const Status status = multiply(products, cancel); status != Status::ok)
      return status;
    for (int64_t i = 0; i < count; ++i)
      weigh(first + i, scores + i * keys_);
    rows = Axes();
    rows.add(count, keys_);
    depth.add(keys_, 1);
    const Product<T> sums{count,
                          values_,
                          keys_,
                          makeSide<T, T>(scores, rows, depth),
                          makeSide<T, T>(matrix(v_, ofValues_, other), axis(v_, 1), axis(v_, 2)),
                          out_ + (head * length_ + first) * values_};
    return multiply(sums, cancel);
  }

  /// The weights of query `query` from its products.
  void weigh(int64_t query, T *row) const {
    constexpr T lowest = -std::numeric_limits<T>::infinity();
    int64_t j = 0;
    for (; j + N <= keys_; j += N)
      storeLanes<D, N>(row + j, score(loadLanes<D, N>(row + j)));
    if (j < keys_)
      scatterLanes<D, N>(score(gatherLanes<D, N>(row + j, 1, keys_ - j)), row + j, 1, keys_ - j);
    if (left_ >= 0)
      fill(row, 0, smaller(keys_, larger<int64_t>(0, query - left_)), lowest);
    if (right_ >= 0 && query < keys_ - 1 - right_)
      fill(row, query + right_ + 1, keys_, lowest);
    // With a bound on the left, a query may see no key.
    if (left_ >= 0 && reduceRow<MaxOf<D>>(row, keys_) == lowest)
      fill(row, 0, keys_, T(0));
    else
      softmaxRow(row, keys_);
  }
  static void fill(T *row, int64_t first, int64_t end, T value) {
    for (int64_t j = first; j < end; ++j)
      row[j] = value;
  }
  [[gnu::always_inline]] V score(V product) const {
    const V scaled = product * scale_;
    return isCapped_ ? softcap_ * math::tanh(scaled / softcap_) : scaled;
  }

  const View &q_, &k_, &v_;
  T *out_;
  int64_t length_, keys_, width_, values_;
  Axes heads_, ofKeys_, ofValues_;
  int64_t left_, right_;
  T scale_, softcap_;
  bool isCapped_;
};

} // namespace

Status kernelAttention(const KernelCall &call) {
  for (const View &operand : call.operands)
    if (operand.count() == 0)
      return Status::declined;
  const AttentionAttrs attributes = AttentionAttrs::read(call.attributes);
  switch (call.operands[0].dtype) {
  case Dtype::f32:
    return Attention<Dtype::f32>(call, attributes).run(call.cancel);
  case Dtype::f64:
    return Attention<Dtype::f64>(call, attributes).run(call.cancel);
  default:
    return Status::declined; // callers convert f16 and bf16 to f32
  }
}

} // namespace tenon::rt::TENON_ISA
