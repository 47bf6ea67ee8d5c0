//===- AttentionGradient.cpp - the derivative of attention by strips of queries -===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cotangents of k and v are sums over the queries. A task walks the queries of a head of k and v
// strip by strip, and the sums go on from strip to strip, with the bits of one product.
//===----------------------------------------------------------------------===//
#include "Attention.h"

#include "runtime/contract/Rows.h"

#include <atomic>

namespace tenon::rt::TENON_ISA {
namespace {

/// c(key, n) = the sum over all queries of a(query, key) * b(query, n). The queries come strip by strip; no strip holds
/// parts of two blocks of kBlock.
template <class T>
class SumsOfQueries {
public:
  static int64_t scratchFor(int64_t queries, int64_t keys, int64_t columns) {
    int64_t matrices = 0;
    for (int64_t blocks = ceilDivide(queries, kBlock); blocks > 1; blocks = ceilDivide(blocks, 2))
      ++matrices;
    return (columns == 1 ? kLanes * keys : 0) + matrices * keys * columns;
  }
  SumsOfQueries(T *c, int64_t keys, int64_t columns, T *scratch)
      : c_(c), lanes_(scratch), others_(scratch + (columns == 1 ? kLanes * keys : 0)), keys_(keys), columns_(columns) {}

  Status add(const MatrixAt<T> &a, const MatrixAt<T> &b, const uint32_t *cancel) {
    const bool isFirst = inBlock_ == 0;
    if (columns_ > 1) {
      if (const Status status = multiply(a.transposed(), b, block(size_), cancel, !isFirst); status != Status::ok)
        return status;
    } else {
      addToLanes(a, b, isFirst);
    }
    inBlock_ += a.rows;
    if (inBlock_ == kBlock)
      endBlock();
    return Status::ok;
  }
  void finish() {
    if (inBlock_ > 0)
      endBlock();
    while (size_ > 1)
      combineLast();
  }

private:
  /// Of the blocks' sums that are not combined yet, the first lies in the result.
  T *block(int64_t i) const { return i == 0 ? c_ : others_ + (i - 1) * keys_ * columns_; }

  /// One column is summed in lanes (runtime/contract/Lanes.h).
  void addToLanes(const MatrixAt<T> &a, const MatrixAt<T> &b, bool isFirst) {
    if (isFirst)
      for (int64_t i = 0; i < kLanes * keys_; ++i)
        lanes_[i] = T(-0.0);
    for (int64_t i = 0; i < a.rows; ++i)
      addRows(a.data + i * a.rowStride, 0, b.data + i * b.rowStride, 0, 1, lanes_ + (inBlock_ + i) % kLanes * keys_,
              keys_);
  }
  void endBlock() {
    if (columns_ == 1) {
      for (int64_t width = kLanes / 2; width > 0; width /= 2)
        addTo(lanes_, lanes_ + width * keys_, width * keys_);
      for (int64_t i = 0; i < keys_; ++i)
        block(size_)[i] = lanes_[i];
    }
    ++size_;
    inBlock_ = 0;
    // As a tree would, level by level.
    for (int64_t i = blocks_++; i & 1; i >>= 1)
      combineLast();
  }
  void combineLast() {
    --size_;
    addTo(block(size_ - 1), block(size_), keys_ * columns_);
  }
  static void addTo(T *sums, const T *others, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      sums[i] += others[i];
  }

  T *c_, *lanes_, *others_;
  int64_t keys_, columns_;
  int64_t size_ = 0, blocks_ = 0, inBlock_ = 0;
};

template <Dtype D>
class Gradient {
public:
  using T = Storage<D>;
  using Weights = AttentionWeights<D>;
  using V = typename Weights::V;

  explicit Gradient(const KernelCall &call)
      : of_(call.operands, AttentionGradientAttrs::read(call.attributes)), cotangent_(call.operands[6]),
        ofQ_(resultOf(call, 0)), ofK_(resultOf(call, 1)), ofV_(resultOf(call, 2)), cancel_(call.cancel),
        width_(of_.q.columns()), values_(of_.v.columns()), queries_(of_.shared * of_.length),
        // The sums are read and written for each strip: twice as many queries as the weights alone ask for.
        strip_(smaller(of_.length, 2 * queriesAtOnce(of_.length, of_.keys))) {}

  Status run() const {
    const int64_t heads = of_.k.count();
    // Where heads are few, the threads share the steps of each.
    if (heads < threadCount()) {
      Status status = Status::ok;
      for (int64_t head = 0; head < heads && status == Status::ok; ++head)
        status = differentiate(head);
      return status;
    }
    std::atomic<Status> worst = Status::ok;
    const bool isDone = parallelFor(
        heads, 1,
        [&](int64_t lo, int64_t hi) {
          for (; lo < hi; ++lo)
            if (const Status status = differentiate(lo); status != Status::ok)
              worst = status;
        },
        cancel_);
    return worst != Status::ok ? worst.load() : isDone ? Status::ok : Status::cancelled;
  }

private:
  static T *resultOf(const KernelCall &call, size_t i) { return static_cast<T *>(call.results[i].data); }

  /// All of one head of k and v.
  Status differentiate(int64_t other) const {
    const int64_t keys = of_.keys, matrix = strip_ * keys;
    const int64_t forK = SumsOfQueries<T>::scratchFor(queries_, keys, width_),
                  forV = SumsOfQueries<T>::scratchFor(queries_, keys, values_);
    const Scratch scratch((of_.isCapped ? 3 : 2) * matrix + forK + forV, sizeof(T));
    T *const weights = scratch.as<T>();
    if (!weights)
      return Status::outOfMemory;
    T *const slopes = weights + matrix, *const sums = slopes + matrix,
             *const capped = of_.isCapped ? sums + forK + forV : nullptr;
    SumsOfQueries<T> ofK(ofK_ + other * keys * width_, keys, width_, sums);
    SumsOfQueries<T> ofV(ofV_ + other * keys * values_, keys, values_, sums + forK);
    for (int64_t query = 0; query < queries_;) {
      const int64_t head = other * of_.shared + query / of_.length, first = query % of_.length;
      const int64_t count = smaller(smaller(strip_, of_.length - first), kBlock - query % kBlock);
      const MatrixAt<T> rows = cotangent_.of(head).from(first, count);
      const auto scores = [&](T *from) { return MatrixAt<T>{from, count, keys, keys, 1}; };
      Status status = of_.weights(head, first, count, weights, capped, cancel_);
      if (status == Status::ok && of_.dropout)
        status = of_.eachRow(count, cancel_, [&](int64_t i) {
          of_.dropout.row(head, first + i, weights + i * keys, slopes + i * keys);
        });
      if (status == Status::ok)
        status = ofV.add(scores(of_.dropout ? slopes : weights), rows, cancel_);
      if (status == Status::ok)
        status = multiply(rows, of_.v.of(other).transposed(), slopes, cancel_);
      if (status == Status::ok)
        status = of_.eachRow(count, cancel_, [&](int64_t i) {
          if (of_.dropout)
            of_.dropout.row(head, first + i, slopes + i * keys, slopes + i * keys);
          ofScores(weights + i * keys, slopes + i * keys, capped ? capped + i * keys : nullptr);
        });
      if (status == Status::ok)
        status = multiply(scores(slopes), of_.k.of(other), ofQ_ + (head * of_.length + first) * width_, cancel_);
      if (status == Status::ok)
        status = ofK.add(scores(slopes), of_.q.of(head).from(first, count), cancel_);
      if (status != Status::ok)
        return status;
      query += count;
    }
    ofK.finish();
    ofV.finish();
    return Status::ok;
  }

  /// The cotangents of the products q k^T in place of those of the weights.
  void ofScores(T *weights, T *slopes, const T *capped) const {
    const int64_t keys = of_.keys;
    const T mean = sumOfProducts(weights, slopes);
    const T scale = of_.scale();
    Weights::eachVector(keys, [&](int64_t j, int64_t lanes) {
      V slope = Weights::get(weights + j, lanes) * (Weights::get(slopes + j, lanes) - mean);
      if (capped) {
        const V bounded = Weights::get(capped + j, lanes);
        slope = slope * (T(1) - bounded * bounded);
      }
      Weights::put(slopes + j, lanes, slope * scale);
    });
  }

  /// The sum of x * y, each product rounded, by the tree of a sum (Reduce.h).
  T sumOfProducts(const T *x, const T *y) const {
    Pairwise<SumOf<D>> tree;
    for (int64_t first = 0; first < of_.keys; first += kBlock) {
      const int64_t count = smaller(kBlock, of_.keys - first);
      Partials<SumOf<D>> partials;
      int64_t j = first;
      for (; j + kLanes <= first + count; j += kLanes)
        for (int p = 0; p < kLanes; p += Weights::N)
          partials.add(loadLanes<D, Weights::N>(x + j + p) * loadLanes<D, Weights::N>(y + j + p), p);
      T rest[kLanes];
      const int64_t left = first + count - j;
      for (int64_t i = 0; i < left; ++i)
        rest[i] = x[j + i] * y[j + i];
      if (left > 0)
        partials.addRest(rest, left);
      tree.push(partials.halve());
    }
    return tree.finish();
  }

  const Weights of_;
  const HeadMatrices<T> cotangent_;
  T *const ofQ_, *const ofK_, *const ofV_;
  const uint32_t *const cancel_;
  const int64_t width_, values_, queries_, strip_;
};

} // namespace

Status kernelAttentionGradient(const KernelCall &call) {
  if (!isAttention(call))
    return Status::declined;
  return call.operands[0].dtype == Dtype::f32 ? Gradient<Dtype::f32>(call).run() : Gradient<Dtype::f64>(call).run();
}

} // namespace tenon::rt::TENON_ISA
