//===- Cumulative.cpp - running sums and their kin -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order, a function of the axis' length alone: inside of a block of 4,096 elements
// each is combined with what those before it in the block make, the first one is as it
// is; that is combined, on its left, with what the blocks before it make. What the
// blocks 0 to b make is that of 0 to b - 1 combined with the last of block b.
//
// Blocks know nothing of each other, so those of a row, like rows, are walked along
// side by side, one in each lane: first for what each makes as a whole, then for the
// results. Rows whose elements are neighbours (columns) need no second walk.
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "Reduce.h"
#include "runtime/math/Logaddexp.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// One op on one dtype.
template <OpCode op, Dtype D>
struct Running {
  static constexpr Dtype outDtype =
      (op == OpCode::cumulative_sum || op == OpCode::cumulative_prod) && isIntegral(D) ? accumulatorOf(D) : D;
  using In = Storage<D>;
  using Out = Storage<outDtype>;
  using Acc = Compute<outDtype>;
  static constexpr int lanes = math::nativeLanes<Acc> < kLanes ? math::nativeLanes<Acc> : kLanes;

  template <int N>
  [[gnu::always_inline]] static Vec<Acc, N> load(const In *from) {
    const auto raw = loadLanes<D, N>(from);
    if constexpr (sizeof(Acc) == sizeof(Compute<D>))
      return raw;
    else
      return math::convertLanes<Acc>(raw);
  }
  template <int N>
  [[gnu::always_inline]] static void store(Out *to, Vec<Acc, N> value) {
    storeLanes<outDtype, N>(to, value);
  }
  template <class V>
  [[gnu::always_inline]] static V combine(V before, V x) {
    if constexpr (op == OpCode::cumulative_sum)
      return math::add(before, x);
    else if constexpr (op == OpCode::cumulative_prod)
      return math::multiply(before, x);
    else if constexpr (op == OpCode::cumulative_max)
      return math::maximum(before, x);
    else if constexpr (op == OpCode::cumulative_min)
      return math::minimum(before, x);
    else
      return math::logaddexp(before, x);
  }
};

/// A block, on its way through the lanes.
template <class R>
struct Walker {
  const typename R::In *in;
  typename R::Out *out;
  int64_t length;
  /// What the blocks before it make, of those that are not first.
  typename R::Acc before;
};

/// Walks along up to kLanes blocks side by side, all first ones of their rows or none.
/// Stores the results, or, where `ends` is given, what each makes as a whole; then all are
/// full ones.
template <class R>
[[gnu::noinline]] void walk(const Walker<R> *walkers, int count, bool areFirst, int64_t inStride, int64_t outStride,
                            typename R::Acc *ends) {
  using Acc = typename R::Acc;
  constexpr int N = R::lanes, parts = kLanes / N, steps = 32;
  using V = Vec<Acc, N>;
  alignas(64) typename R::In packed[steps][kLanes] = {};
  alignas(64) typename R::Out results[steps][kLanes];
  alignas(64) Acc before[kLanes] = {};
  int64_t longest = 0;
  for (int c = 0; c < count; ++c) {
    before[c] = walkers[c].before;
    longest = larger(longest, walkers[c].length);
  }
  V sofar[parts] = {};
  for (int64_t done = 0; done < longest; done += steps) {
    for (int c = 0; c < count; ++c) {
      const typename R::In *const in = walkers[c].in + done * inStride;
      const int64_t left = walkers[c].length - done;
      if (left >= steps)
        for (int k = 0; k < steps; ++k)
          packed[k][c] = in[k * inStride];
      else
        for (int64_t k = 0; k < left; ++k)
          packed[k][c] = in[k * inStride];
    }
    for (int k = 0; k < steps; ++k)
      for (int p = 0; p < parts; ++p) {
        const V x = R::template load<N>(packed[k] + p * N);
        sofar[p] = done + k == 0 ? x : R::combine(sofar[p], x);
        if (!ends)
          R::template store<N>(results[k] + p * N,
                               areFirst ? sofar[p] : R::combine(math::load<V>(before + p * N), sofar[p]));
      }
    if (ends)
      continue;
    for (int c = 0; c < count; ++c) {
      typename R::Out *const out = walkers[c].out + done * outStride;
      const int64_t left = smaller<int64_t>(walkers[c].length - done, steps);
      for (int64_t k = 0; k < left; ++k)
        out[k * outStride] = results[k][c];
    }
  }
  if (ends)
    for (int p = 0; p < parts; ++p)
      math::store<V>(ends + p * N, sofar[p]);
}

/// All rows of one call.
template <class R>
struct Rows {
  using Acc = typename R::Acc;
  const Strided from, to;
  int64_t count, length, inStride, outStride;
  const uint32_t *cancel;

  /// Walks along the blocks from `first` to `last` of each row, `last` not included. Before
  /// block b of row r comes before[r * (blocks - 1) + b - 1]; `ends` has such places too.
  Status walkBlocks(int64_t first, int64_t last, const Acc *before, Acc *ends) const {
    const int64_t full = ceilDivide(length, kBlock) - 1, each = last - first, all = count * each;
    auto walkSome = [&](int64_t lo, int64_t hi) {
      for (int64_t group = lo; group < hi; ++group) {
        Walker<R> walkers[kLanes];
        Acc made[kLanes];
        const int64_t begin = group * kLanes;
        const auto here = static_cast<int>(smaller<int64_t>(kLanes, all - begin));
        auto rowOf = [&](int i) { return (begin + i) / each; };
        auto blockOf = [&](int i) { return first + (begin + i) % each; };
        for (int i = 0; i < here; ++i) {
          const int64_t row = rowOf(i), block = blockOf(i), at = block * kBlock;
          walkers[i] = {static_cast<const typename R::In *>(from.data) + from.offset(row) + at * inStride,
                        static_cast<typename R::Out *>(const_cast<void *>(to.data)) + to.offset(row) + at * outStride,
                        smaller(kBlock, length - at), block && !ends ? before[row * full + block - 1] : Acc()};
        }
        walk<R>(walkers, here, ends || first == 0, inStride, outStride, ends ? made : nullptr);
        if (ends)
          for (int i = 0; i < here; ++i)
            ends[rowOf(i) * full + blockOf(i)] = made[i];
      }
    };
    const int64_t work = kLanes * smaller(kBlock, length);
    return parallelFor(ceilDivide(all, kLanes), larger<int64_t>(1, kGrain / work), walkSome, cancel)
               ? Status::ok
               : Status::cancelled;
  }

  Status run() const {
    const int64_t full = ceilDivide(length, kBlock) - 1;
    Scratch memory(count * full, sizeof(Acc));
    Acc *const before = memory.as<Acc>();
    if (full && !before)
      return Status::outOfMemory;
    if (full) {
      if (Status status = walkBlocks(0, full, nullptr, before); status != Status::ok)
        return status;
      for (int64_t row = 0; row < count; ++row)
        for (int64_t block = 1; block < full; ++block)
          before[row * full + block] = R::combine(before[row * full + block - 1], before[row * full + block]);
    }
    if (Status status = walkBlocks(0, 1, nullptr, nullptr); status != Status::ok || !full)
      return status;
    return walkBlocks(1, full + 1, before, nullptr);
  }
};

/// Columns that are neighbours: row after row, as many at once as the first cache holds.
template <class R>
struct Columns {
  using Acc = typename R::Acc;
  static constexpr int64_t tile = 512;

  template <int N>
  [[gnu::always_inline]] static void step(const typename R::In *in, typename R::Out *out, Acc *sofar, const Acc *before,
                                          bool isFirst) {
    using V = Vec<Acc, N>;
    const V x = R::template load<N>(in), made = isFirst ? x : R::combine(math::load<V>(sofar), x);
    math::store<V>(sofar, made);
    R::template store<N>(out, before ? R::combine(math::load<V>(before), made) : made);
  }

  [[gnu::noinline]] static void run(const typename R::In *in, typename R::Out *out, int64_t width, int64_t length,
                                    int64_t inStride, int64_t outStride) {
    constexpr int N = R::lanes;
    alignas(64) Acc sofar[tile], before[tile];
    for (int64_t i = 0; i < length; ++i, in += inStride, out += outStride) {
      const bool isFirst = i % kBlock == 0;
      if (isFirst && i)
        for (int64_t j = 0; j < width; ++j)
          before[j] = i == kBlock ? sofar[j] : R::combine(before[j], sofar[j]);
      const Acc *const base = i < kBlock ? nullptr : before;
      int64_t j = 0;
      for (; j + N <= width; j += N)
        step<N>(in + j, out + j, sofar + j, base ? base + j : nullptr, isFirst);
      for (; j < width; ++j)
        step<1>(in + j, out + j, sofar + j, base ? base + j : nullptr, isFirst);
    }
  }
};

template <class R>
Status runAlong(const View &x, const View &result, int axis, const uint32_t *cancel) {
  int64_t dims[kMaxRank], inStrides[kMaxRank], outStrides[kMaxRank];
  int rank = 0;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis)
      dims[rank] = x.dims[i], inStrides[rank] = x.strides[i], outStrides[rank++] = result.strides[i];
  const int64_t length = x.dims[axis], inStride = x.strides[axis], outStride = result.strides[axis];
  const int64_t *const both[] = {inStrides, outStrides};
  const Nest nest = makeNest(rank, dims, both);
  const int64_t count = nest.count(), width = nest.dims[nest.rank - 1];
  if (nest.strides[0][nest.rank - 1] != 1 || nest.strides[1][nest.rank - 1] != 1 || width < R::lanes)
    return Rows<R>{makeStrided(x.data, rank, dims, inStrides),
                   makeStrided(result.data, rank, dims, outStrides),
                   count,
                   length,
                   inStride,
                   outStride,
                   cancel}
        .run();
  const Strided from = makeStrided(x.data, nest.rank - 1, nest.dims, nest.strides[0]);
  const Strided to = makeStrided(result.data, nest.rank - 1, nest.dims, nest.strides[1]);
  const int64_t tiles = ceilDivide(width, Columns<R>::tile);
  auto runSome = [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) {
      const int64_t outer = i / tiles, first = i % tiles * Columns<R>::tile;
      Columns<R>::run(static_cast<const typename R::In *>(x.data) + from.offset(outer) + first,
                      static_cast<typename R::Out *>(result.data) + to.offset(outer) + first,
                      smaller(Columns<R>::tile, width - first), length, inStride, outStride);
    }
  };
  const int64_t work = length * smaller(width, Columns<R>::tile);
  return parallelFor(count / width * tiles, larger<int64_t>(1, kGrain / work), runSome, cancel) ? Status::ok
                                                                                                : Status::cancelled;
}

/// Integers wrap: their sums and products have the bits of unsigned ones. A bool is a
/// byte, an extremum of signed ones is not that of unsigned ones.
template <OpCode op, Dtype D>
constexpr Dtype readAs() {
  const bool wraps = op == OpCode::cumulative_sum || op == OpCode::cumulative_prod;
  return wraps && item_size(D) >= 4 ? asUnsigned(D) : asNumber(D);
}

template <OpCode op>
Status runOp(const KernelCall &call, int axis) {
  const View &x = call.operands[0];
  return tenon::detail::visitDtype(x.dtype, [&]<Dtype D>() {
    if constexpr (op == OpCode::cumulative_logsumexp ? isFloating(D) : isOrdered(D))
      return runAlong<Running<op, readAs<op, D>()>>(x, call.results[0], axis, call.cancel);
    else
      return Status::failed;
  });
}

} // namespace

Status kernelCumulative(const KernelCall &call) {
  // All have the same attributes.
  const auto axis = static_cast<int>(CumulativeSumAttrs::read(call.attributes).axis);
  if (call.operands[0].count() == 0)
    return Status::ok;
  switch (call.op) {
  case OpCode::cumulative_sum:
    return runOp<OpCode::cumulative_sum>(call, axis);
  case OpCode::cumulative_prod:
    return runOp<OpCode::cumulative_prod>(call, axis);
  case OpCode::cumulative_max:
    return runOp<OpCode::cumulative_max>(call, axis);
  case OpCode::cumulative_min:
    return runOp<OpCode::cumulative_min>(call, axis);
  default:
    return runOp<OpCode::cumulative_logsumexp>(call, axis);
  }
}

} // namespace tenon::rt::TENON_ISA
