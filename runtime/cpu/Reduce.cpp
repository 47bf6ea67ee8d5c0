//===- Reduce.cpp - sum and max --------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree is defined in Reduce.h. Strides decide how elements are read, never
// in which order they are combined.
//===----------------------------------------------------------------------===//
#include "Reduce.h"
#include "Kernels.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// A strided block seen as [outer, group, inner], the group to be reduced.
struct Grouped {
  Strided outer, group, inner;
};

Grouped makeGrouped(const View &x, int first, int last) {
  return {makeStrided(x.data, first, x.dims, x.strides),
          makeStrided(nullptr, last - first, x.dims + first, x.strides + first),
          makeStrided(nullptr, x.rank - last, x.dims + last, x.strides + last)};
}

/// rows[i][0..width) of all groups of blocks into rows[0], pairwise, in place.
template <class R>
void combineLevels(typename R::Acc *rows, int64_t count, int64_t width) {
  for (int64_t step = 1; step < count; step *= 2)
    for (int64_t i = 0; i + step < count; i += 2 * step)
      for (int64_t j = 0; j < width; ++j)
        rows[i * width + j] = R::combine(rows[i * width + j], rows[(i + step) * width + j]);
}

/// Over the last axis: result[outer].
template <class R>
Status reduceInner(const Grouped &x, typename R::Acc *result, const uint32_t *cancel) {
  using In = typename R::In;
  using Acc = typename R::Acc;
  const int64_t rows = x.outer.nest.count(), length = x.group.nest.count();
  const bool isDirect = x.group.isContiguous();
  const int64_t span = kSpan, pieces = larger<int64_t>(1, ceilDivide(length, span));
  const auto *data = static_cast<const In *>(x.outer.data);
  Scratch scratch(pieces > 1 ? rows * pieces : 0, sizeof(Acc));
  if (!scratch)
    return Status::outOfMemory;
  Acc *nodes = pieces > 1 ? scratch.as<Acc>() : result;

  auto packed = [&](int64_t row, int64_t from, int64_t to) {
    Strided block = x.group;
    block.data = data + x.outer.offset(row);
    In buffer[kBlock];
    Pairwise<R> tree;
    for (; from < to; from += kBlock) {
      const int64_t count = smaller(kBlock, to - from);
      pack(block, from, count, buffer);
      const In *at = buffer;
      Acc sum;
      reduceBlocks<R, 1>(&at, count, &sum);
      tree.push(sum);
    }
    return tree.finish();
  };

  const bool isDone = parallelFor(
      rows * pieces, larger<int64_t>(1, kGrain / (length + 1)),
      [&](int64_t lo, int64_t hi) {
        if (isDirect && pieces == 1 && length > 0 && length <= kBlock)
          for (; lo + 4 <= hi; lo += 4) {
            const In *at[] = {data + x.outer.offset(lo), data + x.outer.offset(lo + 1), data + x.outer.offset(lo + 2),
                              data + x.outer.offset(lo + 3)};
            reduceBlocks<R, 4>(at, length, nodes + lo);
          }
        for (; lo < hi; ++lo) {
          const int64_t row = lo / pieces, from = lo % pieces * span, to = smaller(length, from + span);
          if (length == 0)
            nodes[lo] = R::empty();
          else
            nodes[lo] = isDirect ? reduceRow<R>(data + x.outer.offset(row) + from, to - from) : packed(row, from, to);
        }
      },
      cancel);
  if (!isDone)
    return Status::cancelled;
  if (pieces > 1)
    for (int64_t row = 0; row < rows; ++row) {
      combineLevels<R>(nodes + row * pieces, pieces, 1);
      result[row] = nodes[row * pieces];
    }
  return Status::ok;
}

/// sums[j] = combine(sums[j], row[j]) for four rows (or one) in their order.
template <class R, int Rows>
[[gnu::always_inline]] inline void addRows(const typename R::In *const *rows, typename R::Acc *sums, int64_t width) {
  constexpr int N = math::nativeLanes<typename R::Acc>;
  using V = Vec<typename R::Acc, N>;
  int64_t j = 0;
  for (; j + N <= width; j += N) {
    V sum = math::load<V>(sums + j);
    for (int r = 0; r < Rows; ++r)
      sum = R::combine(sum, loadAccumulators<R, N>(rows[r] + j));
    math::store<V>(sums + j, sum);
  }
  for (; j < width; ++j)
    for (int r = 0; r < Rows; ++r)
      sums[j] = R::combine(sums[j], loadAccumulators<R, 1>(rows[r] + j));
}

inline constexpr int64_t kTile = 256;

/// A tile of columns of one outer index.
template <class R>
struct Columns {
  const Grouped &x;
  const typename R::In *data;
  int64_t first, width;

  /// One block: elements [from, to) of the group, in their order.
  void reduceBlock(int64_t from, int64_t to, typename R::Acc *sums) const {
    using In = typename R::In;
    const bool isDirect = x.inner.isContiguous();
    for (int64_t j = 0; j < width; ++j)
      sums[j] = R::identity();
    In buffers[4][kTile];
    for (int64_t g = from; g < to;) {
      const int rows = to - g >= 4 ? 4 : 1;
      const In *at[4];
      for (int r = 0; r < rows; ++r) {
        const In *row = data + x.group.offset(g + r);
        if (isDirect) {
          at[r] = row + first;
        } else {
          Strided line = x.inner;
          line.data = row;
          pack(line, first, width, buffers[r]);
          at[r] = buffers[r];
        }
      }
      if (rows == 4)
        addRows<R, 4>(at, sums, width);
      else
        addRows<R, 1>(at, sums, width);
      g += rows;
    }
  }

  /// Up to a span, pairwise.
  void reduce(int64_t from, int64_t to, typename R::Acc *result) const {
    // A level for each bit of the number of blocks, and the block at hand.
    static_assert(kSpan / kOuterBlock == 256);
    typename R::Acc stack[10][kTile];
    uint64_t count = 0;
    int size = 0;
    auto merge = [&] {
      --size;
      for (int64_t j = 0; j < width; ++j)
        stack[size - 1][j] = R::combine(stack[size - 1][j], stack[size][j]);
    };
    for (; from < to; from += kOuterBlock) {
      reduceBlock(from, smaller(to, from + kOuterBlock), stack[size++]);
      for (uint64_t i = count++; i & 1; i >>= 1)
        merge();
    }
    while (size > 1)
      merge();
    for (int64_t j = 0; j < width; ++j)
      result[j] = stack[0][j];
  }
};

/// Over an axis that is not the last: result[outer][inner].
template <class R>
Status reduceOuter(const Grouped &x, typename R::Acc *result, const uint32_t *cancel) {
  using Acc = typename R::Acc;
  const int64_t outer = x.outer.nest.count(), length = x.group.nest.count(), inner = x.inner.nest.count();
  if (outer * inner == 0)
    return Status::ok;
  if (length == 0) {
    for (int64_t i = 0; i < outer * inner; ++i)
      result[i] = R::empty();
    return Status::ok;
  }
  const int64_t span = kSpan, pieces = ceilDivide(length, span), tiles = ceilDivide(inner, kTile);
  Scratch scratch(pieces > 1 ? outer * pieces * inner : 0, sizeof(Acc));
  if (!scratch)
    return Status::outOfMemory;
  Acc *nodes = pieces > 1 ? scratch.as<Acc>() : result;
  const int64_t work = smaller(length, span) * smaller(inner, kTile);
  const bool isDone = parallelFor(
      outer * pieces * tiles, larger<int64_t>(1, kGrain / work),
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi; ++lo) {
          const int64_t tile = lo % tiles, piece = lo / tiles % pieces, row = lo / tiles / pieces;
          const Columns<R> columns{x, static_cast<const typename R::In *>(x.outer.data) + x.outer.offset(row),
                                   tile * kTile, smaller(kTile, inner - tile * kTile)};
          columns.reduce(piece * span, smaller(length, (piece + 1) * span),
                         nodes + (row * pieces + piece) * inner + tile * kTile);
        }
      },
      cancel);
  if (!isDone)
    return Status::cancelled;
  if (pieces > 1)
    for (int64_t row = 0; row < outer; ++row) {
      Acc *rows = nodes + row * pieces * inner;
      combineLevels<R>(rows, pieces, inner);
      for (int64_t j = 0; j < inner; ++j)
        result[row * inner + j] = rows[j];
    }
  return Status::ok;
}

template <class R>
Status reduceGroup(const View &x, int first, int last, typename R::Acc *result, const uint32_t *cancel) {
  const Grouped grouped = makeGrouped(x, first, last);
  return last == x.rank ? reduceInner<R>(grouped, result, cancel) : reduceOuter<R>(grouped, result, cancel);
}

template <Dtype D>
constexpr Dtype dtypeOfAccumulator = D == Dtype::bf16 ? Dtype::f32
                                     : D == Dtype::u8 ? Dtype::u32
                                                      : D;

Status convertView(const View &from, const View &to, const uint32_t *cancel) {
  const int64_t *strides[] = {from.strides, to.strides};
  void *data[] = {from.data, to.data};
  const Dtype dtypes[] = {from.dtype, to.dtype};
  return runLoop(makeNest(from.rank, from.dims, strides), convertLoop(from.dtype, to.dtype), data, dtypes, cancel);
}

/// Groups of adjacent axes, the innermost first, R the first of them and Again
/// the others; what is between them is dense and of the accumulator's type.
template <class R, class Again>
Status reduceAxes(const View &x, std::span<const int64_t> axes, const View &result, const uint32_t *cancel) {
  using Acc = typename R::Acc;
  if (axes.empty()) {
    // The result's axes of size 1 are of no account here.
    int64_t strides[kMaxRank];
    denseStrides(x.rank, x.dims, strides);
    return convertView(x, {result.data, result.dtype, x.rank, x.dims, strides}, cancel);
  }
  size_t begin = axes.size() - 1;
  while (begin > 0 && axes[begin - 1] + 1 == axes[begin])
    --begin;
  const int first = static_cast<int>(axes[begin]), last = static_cast<int>(axes.back()) + 1;
  if (begin == 0 && sizeof(Acc) == item_size(result.dtype))
    return reduceGroup<R>(x, first, last, static_cast<Acc *>(result.data), cancel);
  int64_t dims[kMaxRank] = {}, strides[kMaxRank], count = 1;
  int rank = 0;
  for (int i = 0; i < x.rank; ++i)
    if (i < first || i >= last)
      count *= dims[rank++] = x.dims[i];
  denseStrides(rank, dims, strides);
  const Scratch between(count, sizeof(Acc));
  if (!between)
    return Status::outOfMemory;
  if (Status status = reduceGroup<R>(x, first, last, between.as<Acc>(), cancel); status != Status::ok)
    return status;
  const View next{between.as<Acc>(), Again::dtype, static_cast<uint8_t>(rank), dims, strides};
  return reduceAxes<Again, Again>(next, axes.first(begin), result, cancel);
}

template <template <Dtype> class Reducer, Dtype D>
Status reduce(const KernelCall &call, std::span<const int64_t> axes) {
  constexpr Dtype accumulated = D == Dtype::bf16 ? Dtype::f32 : D == Dtype::u8 ? Dtype::u32 : D;
  const Squeezed x(call.operands[0]);
  int64_t places[kMaxRank];
  size_t count = 0;
  for (int64_t axis : axes)
    if (x.place[axis] >= 0)
      places[count++] = x.place[axis];
  return reduceAxes<Reducer<D>, Reducer<accumulated>>(x.view, {places, count}, call.results[0], call.cancel);
}

template <template <Dtype> class Reducer>
Status reduceFloating(const KernelCall &call, std::span<const int64_t> axes) {
  switch (call.operands[0].dtype) {
  case Dtype::bf16:
    return reduce<Reducer, Dtype::bf16>(call, axes);
  case Dtype::f32:
    return reduce<Reducer, Dtype::f32>(call, axes);
  case Dtype::f64:
    return reduce<Reducer, Dtype::f64>(call, axes);
  default:
    return Status::failed;
  }
}

} // namespace

Status kernelSum(const KernelCall &call) {
  std::span<const int64_t> axes = SumAttrs::read(call.attributes).axes;
  switch (call.operands[0].dtype) {
  case Dtype::bool_:
  case Dtype::u8:
    return reduce<SumOf, Dtype::u8>(call, axes);
  case Dtype::i32:
  case Dtype::u32:
    return reduce<SumOf, Dtype::u32>(call, axes);
  case Dtype::i64:
    return reduce<SumOf, Dtype::i64>(call, axes);
  default:
    return reduceFloating<SumOf>(call, axes);
  }
}

Status kernelMax(const KernelCall &call) {
  std::span<const int64_t> axes = MaxAttrs::read(call.attributes).axes;
  switch (call.operands[0].dtype) {
  case Dtype::bool_:
  case Dtype::u8:
    return reduce<MaxOf, Dtype::u8>(call, axes);
  case Dtype::i32:
    return reduce<MaxOf, Dtype::i32>(call, axes);
  case Dtype::u32:
    return reduce<MaxOf, Dtype::u32>(call, axes);
  case Dtype::i64:
    return reduce<MaxOf, Dtype::i64>(call, axes);
  default:
    return reduceFloating<MaxOf>(call, axes);
  }
}

} // namespace tenon::rt::TENON_ISA
