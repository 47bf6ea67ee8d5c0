//===- Softmax.cpp - softmax and log_softmax in one pass over memory -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax has the bits of max, subtract, exp, sum, divide one after another, log_softmax
// those of max, subtract, exp, sum, log, subtract: the same operations and the sum's tree (Reduce.h).
//===----------------------------------------------------------------------===//
#include "CompositeKernels.h"
#include "Reduce.h"
#include "ShortRows.h"
#include "SoftmaxRow.h"

namespace tenon::rt::TENON_ISA {
namespace {

template <Dtype D, bool isLog>
struct Softmax {
  using T = Compute<D>;
  using S = Storage<D>;
  using Sum = SumOf<D>;
  static constexpr int N = math::nativeLanes<T>;
  using V = Vec<T, N>;

  /// An element less the largest one, and what of it is added up.
  struct Term {
    V shifted, weight;
    [[gnu::always_inline]] Term(V x, V largest) : shifted(shift(x, largest)), weight(weigh(shifted)) {}
    [[gnu::always_inline]] static V shift(V x, V largest) { return x - largest; }
    [[gnu::always_inline]] static V weigh(V shifted) { return math::exp(shifted); }
    /// What stands in the result until the sum is known.
    [[gnu::always_inline]] V kept() const { return isLog ? shifted : weight; }
  };
  template <class W>
  [[gnu::always_inline]] static W totalOf(W sum) {
    if constexpr (isLog)
      return math::log(sum);
    else
      return sum;
  }
  template <class W>
  [[gnu::always_inline]] static W finish(W kept, W total) {
    return isLog ? kept - total : kept / total;
  }

  /// One dense row; `to` may be `from`.
  static void row(const S *from, S *to, int64_t length) {
    const T largest = reduceRow<MaxOf<D>>(from, length);
    const V shift = math::broadcast<V>(largest);
    Pairwise<Sum> tree;
    for (int64_t block = 0; block < length; block += kBlock) {
      const int64_t end = smaller(length, block + kBlock);
      Partials<Sum> partials;
      int64_t i = block;
      for (; i + kLanes <= end; i += kLanes)
        for (int p = 0; p < kLanes; p += N) {
          const Term term(loadLanes<D, N>(from + i + p), shift);
          storeLanes<D, N>(to + i + p, term.kept());
          partials.add(term.weight, p);
        }
      if (i < end) {
        S rest[kLanes + N]; // g++ sees a whole register behind the last element
        S *weights = isLog ? rest : to + i;
        for (int64_t j = i; j < end; j += N) {
          const int64_t count = smaller<int64_t>(N, end - j);
          const Term term(gatherLanes<D, N>(from + j, 1, count), shift);
          if constexpr (isLog)
            scatterLanes<D, N>(term.shifted, to + j, 1, count);
          scatterLanes<D, N>(term.weight, weights + (j - i), 1, count);
        }
        partials.addRest(weights, end - i);
      }
      tree.push(partials.halve());
    }
    const T total = totalOf(tree.finish());
    const V totals = math::broadcast<V>(total);
    int64_t i = 0;
    for (; i + N <= length; i += N)
      storeLanes<D, N>(to + i, finish(loadLanes<D, N>(to + i), totals));
    for (; i < length; ++i)
      storeLanes<D, 1>(to + i, finish<T>(loadLanes<D, 1>(to + i), total));
  }

  /// Rows of at most this many elements are processed N at a time. `row` would stall on the sum of each row.
  static constexpr int64_t kShort = 64;

  /// `count` dense rows of at most kShort elements; `to` may be `from`. Lanes of one register belong to several rows,
  /// so the maxima and sums of N rows, one register each, are permuted to where the elements of their rows are.
  static void shortRows(const S *from, S *to, int64_t length, int64_t count) {
    using Index = math::SignedOf<V>;
    constexpr int64_t most = 4096 / sizeof(S); // elements of a block, which stays in the first cache
    static_assert(most >= kShort * N);
    // The elements of N rows fill `length` registers. Which row does each lane belong to?
    Index rowOf[kShort];
    for (int64_t i = 0; i < length * N; ++i)
      rowOf[i / N][i % N] = static_cast<math::Element<Index>>(i / length);
    // Reductions read up to kLanes elements past the last row.
    S kept[most + kLanes], logWeights[isLog ? most + kLanes : 1];
    S *const weights = isLog ? logWeights : kept;
    T largest[most], totals[most];
    while (count >= N) {
      const int64_t rows = smaller(most / (length * N), count / N) * N, size = rows * length;
      reduceRows<MaxOf<D>>(from, length, rows, count * length, largest);
      const T *shift = largest;
      for (int64_t i = 0; i < size; shift += N)
        for (int64_t j = 0; j < length; ++j, i += N) {
          const Term term(loadLanes<D, N>(from + i), __builtin_shuffle(math::load<V>(shift), rowOf[j]));
          storeLanes<D, N>(kept + i, term.kept());
          if constexpr (isLog)
            storeLanes<D, N>(weights + i, term.weight);
        }
      for (int64_t i = 0; i < kLanes; ++i)
        weights[size + i] = S(0);
      reduceRows<Sum>(weights, length, rows, size + kLanes, totals);
      int64_t i = 0;
      for (int64_t row = 0; row < rows; row += N) {
        const V total = totalOf(math::load<V>(totals + row));
        for (int64_t j = 0; j < length; ++j, i += N)
          storeLanes<D, N>(to + i, finish(loadLanes<D, N>(kept + i), __builtin_shuffle(total, rowOf[j])));
      }
      count -= rows, from += size, to += size;
    }
    for (; count > 0; --count, from += length, to += length)
      row(from, to, length);
  }

  static constexpr int64_t kTile = 64;

  /// `width` columns that are contiguous in both; rows lie `fromStride` and
  /// `toStride` apart. `blocks` holds a row of sums for each block.
  static void columns(const S *from, int64_t fromStride, S *to, int64_t toStride, int64_t length, int64_t width,
                      T *blocks) {
    T largest[kTile], totals[kTile];
    for (T &value : largest)
      value = MaxOf<D>::identity();
    for (int64_t g = 0; g < length; ++g)
      eachVector(from + g * fromStride, width, [&](int64_t j, V x, int64_t) {
        math::store<V>(largest + j, math::maximum(math::load<V>(largest + j), x));
      });
    const int64_t count = ceilDivide(length, kOuterBlock);
    for (int64_t block = 0; block < count; ++block) {
      T *sums = blocks + block * kTile;
      for (int64_t j = 0; j < kTile; ++j)
        sums[j] = Sum::identity();
      for (int64_t g = block * kOuterBlock; g < smaller(length, (block + 1) * kOuterBlock); ++g)
        eachVector(from + g * fromStride, width, [&](int64_t j, V x, int64_t lanes) {
          const Term term(x, math::load<V>(largest + j));
          put(to + g * toStride + j, term.kept(), lanes);
          math::store<V>(sums + j, math::load<V>(sums + j) + term.weight);
        });
    }
    for (int64_t step = 1; step < count; step *= 2)
      for (int64_t i = 0; i + step < count; i += 2 * step)
        for (int64_t j = 0; j < kTile; ++j)
          blocks[i * kTile + j] += blocks[(i + step) * kTile + j];
    for (int64_t j = 0; j < kTile; j += N)
      math::store<V>(totals + j, totalOf(math::load<V>(blocks + j)));
    for (int64_t g = 0; g < length; ++g)
      eachVector(to + g * toStride, width, [&](int64_t j, V x, int64_t lanes) {
        put(to + g * toStride + j, finish(x, math::load<V>(totals + j)), lanes);
      });
  }

private:
  template <class Body>
  [[gnu::always_inline]] static void eachVector(const S *from, int64_t width, Body body) {
    int64_t j = 0;
    for (; j + N <= width; j += N)
      body(j, loadLanes<D, N>(from + j), N);
    if (j < width)
      body(j, gatherLanes<D, N>(from + j, 1, width - j), width - j);
  }
  [[gnu::always_inline]] static void put(S *to, V value, int64_t count) {
    if (count == N)
      storeLanes<D, N>(to, value);
    else
      scatterLanes<D, N>(value, to, 1, count);
  }
};

/// The result is dense; where x is not, along its last axis, it is copied there
/// first and worked on in place.
template <class Kernel>
Status onRows(const KernelCall &call, int axis) {
  using S = typename Kernel::S;
  if (call.operands[0].count() == 0)
    return Status::ok;
  const Squeezed squeezed(call.operands[0], axis), squeezedResult(call.results[0], axis);
  const View &x = squeezed.view, &result = squeezedResult.view;
  axis = squeezed.place[axis];
  const int last = x.rank - 1;
  View from = x;
  // The rows, or what lies under one index of the axis.
  const int dense = axis == last ? last : axis + 1;
  if (!makeStrided(nullptr, x.rank - dense, x.dims + dense, x.strides + dense).isContiguous()) {
    if (Status status = copyView(x, result); status != Status::ok)
      return status;
    from = result;
  }
  const int64_t length = x.dims[axis];
  const Strided outer = makeStrided(from.data, axis, from.dims, from.strides);
  const int64_t rows = outer.nest.count();
  const auto *data = static_cast<const S *>(from.data);
  auto *to = static_cast<S *>(result.data);
  bool isDone;
  if (axis == last && length <= Kernel::kShort && outer.nest.rank == 1 && outer.nest.strides[0][0] == length) {
    isDone = parallelFor(
        rows, larger<int64_t>(64, kGrain / 2 / length / 64 * 64),
        [&](int64_t lo, int64_t hi) { Kernel::shortRows(data + lo * length, to + lo * length, length, hi - lo); },
        call.cancel);
  } else if (axis == last) {
    isDone = parallelFor(
        rows, larger<int64_t>(1, kGrain / 2 / length),
        [&](int64_t lo, int64_t hi) {
          for (; lo < hi; ++lo)
            Kernel::row(data + outer.offset(lo), to + lo * length, length);
        },
        call.cancel);
  } else {
    const int64_t inner = x.count() / rows / length, tiles = ceilDivide(inner, Kernel::kTile);
    const int64_t blocks = ceilDivide(length, kOuterBlock) * Kernel::kTile;
    const int64_t grain = larger<int64_t>(1, kGrain / 2 / length / smaller(inner, Kernel::kTile));
    const int64_t chunks = ceilDivide(rows * tiles, grain);
    Scratch scratch(chunks * blocks, sizeof(typename Kernel::T));
    if (!scratch)
      return Status::outOfMemory;
    isDone = parallelFor(
        rows * tiles, grain,
        [&](int64_t lo, int64_t hi) {
          auto *sums = scratch.as<typename Kernel::T>() + lo / grain * blocks;
          for (; lo < hi; ++lo) {
            const int64_t row = lo / tiles, first = lo % tiles * Kernel::kTile;
            Kernel::columns(data + outer.offset(row) + first, from.strides[axis], to + row * length * inner + first,
                            inner, length, smaller(Kernel::kTile, inner - first), sums);
          }
        },
        call.cancel);
  }
  return isDone ? Status::ok : Status::cancelled;
}

template <class Attributes, bool isLog>
Status softmax(const KernelCall &call) {
  const int axis = static_cast<int>(Attributes::read(call.attributes).axis);
  return tenon::detail::visitDtype(call.operands[0].dtype, [&]<Dtype D>() {
    if constexpr (isFloating(D) && !is_narrow(D))
      return onRows<Softmax<D, isLog>>(call, axis);
    else
      return Status::declined; // callers convert f16 and bf16 to f32
  });
}

} // namespace

void softmaxRow(float *row, int64_t length) { Softmax<Dtype::f32, false>::row(row, row, length); }
void softmaxRow(double *row, int64_t length) { Softmax<Dtype::f64, false>::row(row, row, length); }

Status kernelSoftmax(const KernelCall &call) { return softmax<SoftmaxAttrs, false>(call); }
Status kernelLogSoftmax(const KernelCall &call) { return softmax<LogSoftmaxAttrs, true>(call); }

} // namespace tenon::rt::TENON_ISA
