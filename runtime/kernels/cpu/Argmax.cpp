//===- Argmax.cpp - the position of the largest element --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "Reduce.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// The first NaN, else the first element equal to the largest (so that of two
/// zeros the first counts, whatever its sign).
template <Dtype D>
struct Argmax {
  using In = Storage<D>;
  using R = MaxOf<D>;
  using Acc = typename R::Acc;
  static constexpr int N = math::nativeLanes<Acc>;
  using V = Vec<Acc, N>;
  using Index = math::SignedOf<V>;
  /// A part of a row whose elements stay in the first cache until its largest
  /// is looked for.
  static constexpr int64_t kPart = 2048;
  static constexpr int64_t kTile = 256;
  /// Columns: rows taken at a time, and how many ahead are asked for.
  static constexpr int kRows = 4, kAhead = 8;

  struct Best {
    Acc value;
    int64_t index;
    /// Takes what comes later, if it is larger or the first NaN.
    [[gnu::always_inline]] void take(Acc other, int64_t otherIndex) {
      if (value == value && !(other <= value))
        value = other, index = otherIndex;
    }
  };

  /// Where `value` is in a dense part that holds it, or where the first NaN is.
  static int64_t find(const In *from, int64_t count, Acc value) {
    using Lane = math::Element<Index>;
    const V wanted = math::broadcast<V>(value);
    const auto none = math::broadcast<Index>(static_cast<Lane>(kPart));
    Index place = math::laneIndex<Index>(), first = none;
    int64_t i = 0;
    for (; i + N <= count; i += N, place += Lane(N)) {
      const V x = loadAccumulators<R, N>(from + i);
      const auto hit = (x == wanted) | (x != x);
      const Index here = math::select(hit, place, none);
      first = math::select(here < first, here, first);
    }
    Lane lanes[N], smallest = Lane(kPart);
    __builtin_memcpy(lanes, &first, sizeof(lanes));
    for (Lane lane : lanes)
      smallest = smaller(smallest, lane);
    for (; smallest == kPart && i < count; ++i) {
      const Acc x = loadAccumulators<R, 1>(from + i);
      if (x == value || x != x)
        return i;
    }
    return smallest;
  }

  /// The largest of a dense part, or `least` if nothing is larger; a NaN if one is there.
  static Acc largest(const In *from, int64_t count, Acc least) {
    if (count < N) {
      for (int64_t i = 0; i < count; ++i)
        if (const Acc x = loadAccumulators<R, 1>(from + i); least == least && !(x <= least))
          least = x;
      return least;
    }
    // math::maximum, which orders zeros too, takes three times as long.
    constexpr int chains = 4;
    using Mask = decltype(V{} < V{});
    V sofar[chains];
    for (V &v : sofar)
      v = math::broadcast<V>(least);
    Mask isNan{};
    auto take = [&](int64_t i, V &best) __attribute__((always_inline)) {
      const V x = loadAccumulators<R, N>(from + i);
      best = math::select(x > best, x, best);
      if constexpr (math::IsFloat<Acc>)
        isNan |= x != x;
    };
    int64_t i = 0;
    for (; i + chains * N <= count; i += chains * N)
      for (int c = 0; c < chains; ++c)
        take(i + c * N, sofar[c]);
    for (; i + N <= count; i += N)
      take(i, sofar[0]);
    take(count - N, sofar[1]); // some a second time
    for (int c = 1; c < chains; ++c)
      sofar[0] = math::select(sofar[c] > sofar[0], sofar[c], sofar[0]);
    const Mask isBetter = isNan | (sofar[0] > math::broadcast<V>(least));
    bool isAny = false;
    for (int lane = 0; lane < N; ++lane)
      isAny |= isBetter[lane] != 0;
    if (!isAny)
      return least;
    for (int lane = 0; lane < N; ++lane) {
      if constexpr (math::IsFloat<Acc>)
        if (isNan[lane])
          return Acc(__builtin_nan(""));
      least = larger(least, Acc(sofar[0][lane]));
    }
    return least;
  }

  /// Elements [from, to) of a row.
  static Best row(const In *row, int64_t stride, int64_t from, int64_t to) {
    Best best{loadAccumulators<R, 1>(row + from * stride), from};
    if (to - from <= kLanes) {
      for (int64_t i = from + 1; i < to; ++i)
        best.take(loadAccumulators<R, 1>(row + i * stride), i);
      return best;
    }
    In buffer[kPart];
    auto part = [&](int64_t begin) -> const In * {
      if (stride == 1)
        return row + begin;
      gather(row + begin * stride, stride, smaller(kPart, to - begin), buffer);
      return buffer;
    };
    int64_t begin = from;
    for (int64_t i = from; i < to && best.value == best.value; i += kPart)
      if (const Acc other = largest(part(i), smaller(kPart, to - i), best.value); !(other <= best.value))
        best.value = other, begin = i;
    best.index = begin + find(part(begin), smaller(kPart, to - begin), best.value);
    return best;
  }

  /// Rows [row, row + Rows) of `width` columns side by side; they lie `stride` apart.
  template <int Rows>
  [[gnu::always_inline]] static void takeRows(const In *from, int64_t stride, int64_t row, int64_t width, Acc *values,
                                              math::Element<Index> *places) {
    using Lane = math::Element<Index>;
    const In *line = from + row * stride;
    int64_t j = 0;
    for (; j + N <= width; j += N) {
      V best = math::load<V>(values + j);
      Index place = math::load<Index>(places + j);
      for (int r = 0; r < Rows; ++r) {
        foresee(line + (r + kAhead) * stride + j);
        const V x = loadAccumulators<R, N>(line + r * stride + j);
        const auto isBetter = ~(x <= best) & (best == best);
        best = math::select(isBetter, x, best);
        place = math::select(isBetter, math::broadcast<Index>(static_cast<Lane>(row + r)), place);
      }
      math::store<V>(values + j, best);
      math::store<Index>(places + j, place);
    }
    for (; j < width; ++j)
      for (int r = 0; r < Rows; ++r) {
        const Acc x = loadAccumulators<R, 1>(line + r * stride + j);
        if (!(x <= values[j]) && values[j] == values[j])
          values[j] = x, places[j] = static_cast<Lane>(row + r);
      }
  }
  /// `width` columns side by side.
  static void columns(const In *from, int64_t stride, int64_t length, int64_t width, int64_t *result) {
    Acc values[kTile];
    math::Element<Index> places[kTile] = {};
    for (int64_t j = 0; j < width; ++j)
      values[j] = loadAccumulators<R, 1>(from + j);
    int64_t g = 1;
    for (; g + kRows <= length; g += kRows)
      takeRows<kRows>(from, stride, g, width, values, places);
    for (; g < length; ++g)
      takeRows<1>(from, stride, g, width, values, places);
    for (int64_t j = 0; j < width; ++j)
      result[j] = places[j];
  }
};

template <Dtype D>
Status argmax(const KernelCall &call, int axis) {
  using In = Storage<D>;
  using Best = typename Argmax<D>::Best;
  const View &x = call.operands[0];
  const auto *data = static_cast<const In *>(x.data);
  const int64_t length = x.dims[axis], stride = x.strides[axis];
  auto *result = static_cast<int64_t *>(call.results[0].data);

  // Columns that lie side by side, where there are enough of them.
  const Strided inner = makeStrided(nullptr, x.rank - axis - 1, x.dims + axis + 1, x.strides + axis + 1);
  const int64_t columns = inner.nest.count();
  if (inner.isContiguous() && columns >= Argmax<D>::N && length > 1 && length <= INT32_MAX) {
    const Strided outer = makeStrided(nullptr, axis, x.dims, x.strides);
    const int64_t tiles = ceilDivide(columns, Argmax<D>::kTile);
    const int64_t work = length * smaller(columns, Argmax<D>::kTile);
    const bool isDone = parallelFor(
        outer.nest.count() * tiles, larger<int64_t>(1, kGrain / work),
        [&](int64_t lo, int64_t hi) {
          for (; lo < hi; ++lo) {
            const int64_t index = lo / tiles, first = lo % tiles * Argmax<D>::kTile;
            Argmax<D>::columns(data + outer.offset(index) + first, stride, length,
                               smaller(Argmax<D>::kTile, columns - first), result + index * columns + first);
          }
        },
        call.cancel);
    return isDone ? Status::ok : Status::cancelled;
  }

  // What is left when the axis is taken out, in the order of the result.
  int64_t dims[kMaxRank], strides[kMaxRank];
  int rank = 0;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis)
      dims[rank] = x.dims[i], strides[rank++] = x.strides[i];
  const Strided rows = makeStrided(x.data, rank, dims, strides);
  const int64_t count = rows.nest.count();
  if (count == 0)
    return Status::ok;
  const int64_t pieces = larger<int64_t>(1, ceilDivide(length, kSpan));
  const Scratch scratch(pieces > 1 ? count * pieces : 0, sizeof(Best));
  if (!scratch)
    return Status::outOfMemory;
  auto *bests = scratch.as<Best>();
  const bool isDone = parallelFor(
      count * pieces, larger<int64_t>(1, kGrain / (length + 1)),
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi; ++lo) {
          const int64_t from = lo % pieces * kSpan;
          const Best best =
              Argmax<D>::row(data + rows.offset(lo / pieces), stride, from, smaller(length, from + kSpan));
          if (pieces > 1)
            bests[lo] = best;
          else
            result[lo] = best.index;
        }
      },
      call.cancel);
  if (!isDone)
    return Status::cancelled;
  for (int64_t row = 0; pieces > 1 && row < count; ++row) {
    Best best = bests[row * pieces];
    for (int64_t piece = 1; piece < pieces; ++piece)
      best.take(bests[row * pieces + piece].value, bests[row * pieces + piece].index);
    result[row] = best.index;
  }
  return Status::ok;
}

} // namespace

Status kernelArgmax(const KernelCall &call) {
  const int axis = static_cast<int>(ArgmaxAttrs::read(call.attributes).axis);
  return tenon::detail::visitDtype(call.operands[0].dtype, [&]<Dtype D>() {
    if constexpr (isOrdered(D))
      return argmax<asNumber(D)>(call, axis);
    else
      return Status::failed;
  });
}

} // namespace tenon::rt::TENON_ISA
