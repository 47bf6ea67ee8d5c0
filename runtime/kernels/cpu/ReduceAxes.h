//===- ReduceAxes.h - reductions over any axes, in any layout --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree is defined in Reduce.h. Strides decide how elements are read, never
// in which order they are combined: what is not dense is packed, some thousand
// elements at a time. A file for each way to combine includes this, since each
// takes the compiler as long as all other kernels together.
//===----------------------------------------------------------------------===//
#pragma once

#include "Columns.h"

namespace tenon::rt::TENON_ISA {

/// By what is combined with; `axes` are the operand's.
Status reduceSum(const KernelCall &call, std::span<const int64_t> axes);
Status reduceProduct(const KernelCall &call, std::span<const int64_t> axes);
Status reduceMaximum(const KernelCall &call, std::span<const int64_t> axes);
Status reduceMinimum(const KernelCall &call, std::span<const int64_t> axes);

/// Elements of a dense array, by row-major index: in memory, or made when they
/// are asked for.
template <class T>
struct Input {
  /// All of them, or null.
  const T *direct;
  int64_t count;
  void (*make)(const void *maker, int64_t first, int64_t count, T *to);
  const void *maker;
  /// Or null; sums[j] for j < width is element first + j, combined with those of
  /// `rows` - 1 more rows, `stride` apart, and none of them is written down.
  void (*reduce)(const void *maker, int64_t first, int64_t stride, int64_t rows, int64_t width, T *sums);
};

/// Elements that are made at a time, in a buffer on the stack.
inline constexpr int64_t kBuffer = kBlock;

/// Bytes of an operand that may still be in a last cache.
inline constexpr size_t kCached = size_t(32) << 20;

/// Groups of rows up to this are reduced in registers by who asks for their results.
inline constexpr int64_t kFew = 4;

/// Groups below this are reduced as their results are asked for: written down
/// and read again, these would cost as much as the input.
inline constexpr int64_t kShort = 32;

/// The reduction of the middle axis of [outer][length][inner], the last axis if
/// inner is 1. Results are dense; they can be asked for one by one.
template <class R>
class Pass {
public:
  using In = typename R::In;
  using Acc = typename R::Acc;
  static constexpr int N = math::nativeLanes<Acc>;
  /// Columns at a time: their sums stay in the first cache.
  static constexpr int64_t kTile = 8192 / sizeof(Acc);

  Pass(Input<In> in, int64_t outer, int64_t length, int64_t inner)
      : in(in), outer(outer), length(length), inner(inner) {}

  int64_t count() const { return outer * inner; }
  Status run(Acc *result, const uint32_t *cancel) const;
  /// Results [from, to), of a group no longer than a span.
  void range(int64_t from, int64_t to, Acc *result) const;
  static void make(const void *pass, int64_t first, int64_t count, Acc *to) {
    static_cast<const Pass *>(pass)->range(first, first + count, to);
  }
  /// As Input::reduce, which it can be where `canReduce`.
  static void reduce(const void *pass, int64_t first, int64_t stride, int64_t rows, int64_t width, Acc *sums);
  bool canReduce() const {
    return in.direct && (inner == 1 ? length == 2 : inner >= N && 1 < length && length <= kFew);
  }

private:
  /// Elements [first, first + count), in memory or in the buffer, which holds
  /// a register more than asked for.
  struct Piece {
    const In *at;
    int64_t readable;
  };
  Piece read(int64_t first, int64_t wanted, In *buffer) const {
    if (in.direct)
      return {in.direct + first, in.count - first};
    in.make(in.maker, first, wanted, buffer);
    return {buffer, wanted + kLanes};
  }
  Acc rowPart(int64_t row, int64_t from, int64_t to) const;
  void rows(int64_t from, int64_t to, Acc *result) const;
  void narrowCells(int64_t from, int64_t to, Acc *result) const;
  void narrowPart(int64_t index, int64_t from, int64_t to, Acc *result) const;
  void block(int64_t index, int64_t first, int64_t width, int64_t from, int64_t to, Acc *sums) const;
  void part(int64_t index, int64_t first, int64_t width, int64_t from, int64_t to, Acc *result) const;
  void finish(Acc *nodes, int64_t pieces, Acc *result) const;

  Input<In> in;
  int64_t outer, length, inner;
};

/// Elements [from, to) of a row, from the start of a block on.
template <class R>
typename R::Acc Pass<R>::rowPart(int64_t row, int64_t from, int64_t to) const {
  if (in.direct)
    return reduceRow<R>(in.direct + row * length + from, to - from);
  In buffer[kBuffer + kLanes];
  Pairwise<R> tree;
  for (; from < to; from += kBlock) {
    const int64_t wanted = smaller(kBlock, to - from);
    tree.push(reduceRow<R>(read(row * length + from, wanted, buffer).at, wanted));
  }
  return tree.finish();
}

template <class R>
void Pass<R>::rows(int64_t from, int64_t to, Acc *result) const {
  if (in.direct) {
    reduceRows<R>(in.direct + from * length, length, to - from, in.count - from * length, result);
    return;
  }
  if (length > kBuffer) {
    for (; from < to; ++from)
      *result++ = rowPart(from, 0, length);
    return;
  }
  In buffer[kBuffer + kLanes];
  while (from < to) {
    const int64_t some = smaller(to - from, kBuffer / larger<int64_t>(1, length));
    const Piece piece = read(from * length, some * length, buffer);
    reduceRows<R>(piece.at, length, some, piece.readable, result);
    from += some, result += some;
  }
}

/// All of cells [from, to), of fewer columns than a register has. A cell's
/// blocks are cells of their own.
template <class R>
void Pass<R>::narrowCells(int64_t from, int64_t to, Acc *result) const {
  const int64_t size = length * inner, whole = length / kOuterBlock, rest = length % kOuterBlock;
  const int64_t blocks = whole + (rest != 0);
  In buffer[kBuffer + kLanes];
  static_assert(kOuterBlock * kLanes <= kBuffer);
  if (blocks == 1) {
    while (from < to) {
      const int64_t some = in.direct ? to - from : smaller(to - from, kBuffer / size);
      const Piece piece = read(from * size, some * size, buffer);
      if (length == 2 && inner == 2)
        addPairs<R, 2>(piece.at, some, result);
      else if (length == 2 && inner == 4)
        addPairs<R, 4>(piece.at, some, result);
      else
        reduceCells<R>(piece.at, {size}, length, inner, some, piece.readable, result);
      from += some, result += some * inner;
    }
    return;
  }
  constexpr int64_t room = kSpan / kOuterBlock;
  Acc sums[room * N], rests[room * N], levels[room * N];
  const int64_t batch = larger<int64_t>(1, room / blocks);
  while (from < to) {
    const int64_t some = smaller(batch, to - from);
    const In *at = in.direct + from * size;
    const int64_t readable = in.count - from * size, block = kOuterBlock * inner;
    reduceCells<R>(at, {size, whole, block}, kOuterBlock, inner, some * whole, readable, sums);
    if (rest)
      reduceCells<R>(at + whole * block, {size}, rest, inner, some, readable - whole * block, rests);
    for (int64_t cell = 0; cell < some; ++cell) {
      for (int64_t i = 0; i < blocks * inner; ++i)
        levels[i] = i < whole * inner ? sums[cell * whole * inner + i] : rests[cell * inner + i - whole * inner];
      combineLevels<R>(levels, blocks, inner);
      for (int64_t j = 0; j < inner; ++j)
        result[cell * inner + j] = levels[j];
    }
    from += some, result += some * inner;
  }
}

/// Elements [from, to) of one cell with fewer columns than a register: its
/// blocks are cells of their own.
template <class R>
void Pass<R>::narrowPart(int64_t index, int64_t from, int64_t to, Acc *result) const {
  const int64_t whole = (to - from) / kOuterBlock, rest = (to - from) % kOuterBlock, size = kOuterBlock * inner;
  const int64_t begin = (index * length + from) * inner;
  Acc sums[kSpan / kOuterBlock * N];
  In buffer[kBuffer + kLanes];
  // Many blocks at a time keep all lanes busy.
  const int64_t batch = in.direct ? whole : larger<int64_t>(1, smaller(whole, 8 * kBuffer / size));
  const Scratch large(in.direct || batch == 1 ? 0 : batch * size + kLanes, sizeof(In));
  In *memory = large && batch > 1 ? large.as<In>() : buffer;
  const int64_t step = in.direct ? whole : memory == buffer ? 1 : batch;
  for (int64_t block = 0; block < whole; block += step) {
    const int64_t some = smaller(step, whole - block);
    const Piece piece = read(begin + block * size, some * size, memory);
    reduceCells<R>(piece.at, {size}, kOuterBlock, inner, some, piece.readable, sums + block * inner);
  }
  if (rest) {
    const Piece piece = read(begin + whole * size, rest * inner, buffer);
    reduceCells<R>(piece.at, {size}, rest, inner, 1, piece.readable, sums + whole * inner);
  }
  combineLevels<R>(sums, whole + (rest != 0), inner);
  for (int64_t j = 0; j < inner; ++j)
    result[j] = sums[j];
}

/// Columns [first, first + width) of a cell, elements [from, to) in their order.
/// `sums` has room for a register more.
template <class R>
void Pass<R>::block(int64_t index, int64_t first, int64_t width, int64_t from, int64_t to, Acc *sums) const {
  // What a pass makes is of the accumulator's type.
  if constexpr (sizeof(In) == sizeof(Acc))
    if (in.reduce) {
      in.reduce(in.maker, (index * length + from) * inner + first, inner, to - from, width, sums);
      return;
    }
  // Columns that do not fill a register are added up with what lies behind them.
  const int64_t padded = ceilDivide(width, N) * N;
  In buffer[kBuffer + kLanes];
  static_assert(kTile <= kBuffer);
  const bool isWhole = width == inner;
  // Several rows at a time are fewer additions to memory, but a long operand that
  // is not in a cache comes fastest in the order in which it lies there, where its
  // rows are shorter than pages.
  const bool streams = in.direct && isWhole && inner * sizeof(In) < 4096 && in.count * sizeof(In) > kCached;
  const int64_t together = streams ? 512 / (inner * sizeof(In)) : 4;
  bool isFirst = true;
  while (from < to) {
    const int64_t some = in.direct ? to - from : smaller(to - from, kBuffer / width);
    Piece piece;
    int64_t stride = inner;
    if (in.direct || isWhole) {
      piece = read((index * length + from) * inner + first, some * width, buffer);
    } else {
      for (int64_t r = 0; r < some; ++r)
        in.make(in.maker, (index * length + from + r) * inner + first, width, buffer + r * width);
      piece = {buffer, some * width + kLanes};
      stride = width;
    }
    int64_t r = 0;
    auto add = [&]<int Rows>(std::integral_constant<int, Rows>) {
      const int64_t last = (r + Rows - 1) * stride;
      addRows<R, Rows>(piece.at + r * stride, stride, sums, last + padded <= piece.readable ? padded : width, isFirst,
                       in.direct && !streams);
      r += Rows;
      isFirst = false;
    };
    while (together >= 4 && r + 4 <= some)
      add(std::integral_constant<int, 4>());
    while (together >= 2 && r + 2 <= some)
      add(std::integral_constant<int, 2>());
    while (r < some)
      add(std::integral_constant<int, 1>());
    from += some;
  }
}

/// The same for up to a span, its blocks pairwise.
template <class R>
void Pass<R>::part(int64_t index, int64_t first, int64_t width, int64_t from, int64_t to, Acc *result) const {
  if (inner < N && width == inner) {
    narrowPart(index, from, to, result);
    return;
  }
  if (to - from <= kOuterBlock && width % N == 0) {
    block(index, first, width, from, to, result);
    return;
  }
  // A level for each bit of the number of blocks, and the block at hand.
  static_assert(kSpan / kOuterBlock == 256);
  alignas(64) Acc stack[10][kTile + kLanes];
  uint64_t blocks = 0;
  int size = 0;
  auto merge = [&] {
    --size;
    for (int64_t j = 0; j < width; ++j)
      stack[size - 1][j] = R::combine(stack[size - 1][j], stack[size][j]);
  };
  for (; from < to; from += kOuterBlock) {
    block(index, first, width, from, smaller(to, from + kOuterBlock), stack[size++]);
    for (uint64_t i = blocks++; i & 1; i >>= 1)
      merge();
  }
  while (size > 1)
    merge();
  for (int64_t j = 0; j < width; ++j)
    result[j] = stack[0][j];
}

template <class R>
void Pass<R>::reduce(const void *pass, int64_t first, int64_t stride, int64_t rows, int64_t width, Acc *sums) {
  const auto &[in, outer, length, inner] = *static_cast<const Pass *>(pass);
  // What is in a cache comes fast enough without.
  const bool asksAhead = in.count * sizeof(In) > kCached;
  if (inner == 1) {
    addReduced<R>(PairsOfRow<R>(), in.direct + first * 2, stride * 2, rows, sums, width, asksAhead);
    return;
  }
  while (width > 0) {
    const int64_t column = first % inner, some = smaller(width, inner - column);
    addReduced<R>(FewRows<R>{length, inner}, in.direct + first / inner * length * inner + column, stride * length, rows,
                  sums, some, asksAhead);
    first += some, sums += some, width -= some;
  }
}

template <class R>
void Pass<R>::range(int64_t from, int64_t to, Acc *result) const {
  if (inner == 1 || length == 0) {
    for (; length == 0 && from < to; ++from)
      *result++ = R::empty();
    rows(from, to, result);
    return;
  }
  while (from < to) {
    const int64_t index = from / inner, first = from % inner;
    int64_t some;
    if (const int64_t cells = (to - from) / inner;
        first == 0 && cells > 0 && inner < N && (in.direct || length <= kOuterBlock)) {
      narrowCells(index, index + cells, result);
      some = cells * inner;
    } else {
      some = smaller(smaller(inner - first, to - from), kTile);
      part(index, first, some, 0, length, result);
    }
    from += some, result += some;
  }
}

/// The pieces of each group, pairwise.
template <class R>
void Pass<R>::finish(Acc *nodes, int64_t pieces, Acc *result) const {
  for (int64_t i = 0; i < outer; ++i) {
    Acc *rows = nodes + i * pieces * inner;
    combineLevels<R>(rows, pieces, inner);
    for (int64_t j = 0; j < inner; ++j)
      result[i * inner + j] = rows[j];
  }
}

template <class R>
Status Pass<R>::run(Acc *result, const uint32_t *cancel) const {
  if (outer * inner == 0)
    return Status::ok;
  const int64_t tiles = ceilDivide(inner, kTile);
  // A long group goes to several threads, in powers of two of its blocks.
  int64_t span = kSpan;
  if (inner > 1)
    while (span > kOuterBlock && outer * tiles * ceilDivide(length, span) < 64 && span * smaller(inner, kTile) > kGrain)
      span /= 2;
  const int64_t pieces = larger<int64_t>(1, ceilDivide(length, span));
  if (pieces == 1 && tiles == 1) {
    // Whole cells, in numbers that fill registers.
    const int64_t grain = ceilDivide(kGrain, (length + 1) * inner * kLanes) * kLanes;
    const bool isDone = parallelFor(
        outer, grain, [&](int64_t lo, int64_t hi) { range(lo * inner, hi * inner, result + lo * inner); }, cancel);
    return isDone ? Status::ok : Status::cancelled;
  }
  const Scratch scratch(pieces > 1 ? outer * pieces * inner : 0, sizeof(Acc));
  if (!scratch)
    return Status::outOfMemory;
  Acc *nodes = pieces > 1 ? scratch.as<Acc>() : result;
  const int64_t work = smaller(length, span) * smaller(inner, kTile);
  const bool isDone = parallelFor(
      outer * pieces * tiles, larger<int64_t>(1, kGrain / (work + 1)),
      [&](int64_t lo, int64_t hi) {
        for (; lo < hi; ++lo) {
          const int64_t tile = lo % tiles, piece = lo / tiles % pieces, index = lo / tiles / pieces;
          const int64_t first = tile * kTile, from = piece * span, to = smaller(length, from + span);
          Acc *node = nodes + (index * pieces + piece) * inner + first;
          if (inner == 1)
            *node = rowPart(index, from, to);
          else if (length == 0)
            range(index * inner + first, index * inner + smaller(inner, first + kTile), node);
          else
            part(index, first, smaller(kTile, inner - first), from, to, node);
        }
      },
      cancel);
  if (!isDone)
    return Status::cancelled;
  if (pieces > 1)
    finish(nodes, pieces, result);
  return Status::ok;
}

/// Adjacent axes that are all reduced, or all kept.
struct Run {
  int64_t size;
  bool isReduced;
};

/// Runs that alternate, the innermost reduced one first. R reduces the input,
/// Again what has been reduced.
template <class R, class Again>
Status reduceRuns(const Input<typename R::In> &in, std::span<const Run> runs, typename R::Acc *result,
                  const uint32_t *cancel) {
  using Acc = typename R::Acc;
  size_t at = runs.size() - 1;
  if (!runs[at].isReduced)
    --at;
  Run left[kMaxRank];
  size_t count = 0;
  int64_t outer = 1;
  for (; count < at; ++count) {
    left[count] = runs[count];
    outer *= runs[count].size;
  }
  const int64_t inner = at + 1 < runs.size() ? runs[at + 1].size : 1;
  const Pass<R> pass(in, outer, runs[at].size, inner);
  if (at < 2 && (at == 0 || !left[0].isReduced))
    return pass.run(result, cancel);
  left[count - 1].size *= inner; // the kept run before it
  Input<Acc> between{nullptr, pass.count(), Pass<R>::make, &pass, pass.canReduce() ? Pass<R>::reduce : nullptr};
  if (runs[at].size > 0 && runs[at].size < kShort)
    return reduceRuns<Again, Again>(between, {left, count}, result, cancel);
  const Scratch scratch(pass.count(), sizeof(Acc));
  if (!scratch)
    return Status::outOfMemory;
  if (Status status = pass.run(scratch.as<Acc>(), cancel); status != Status::ok)
    return status;
  between.direct = scratch.as<Acc>();
  between.reduce = nullptr;
  return reduceRuns<Again, Again>(between, {left, count}, result, cancel);
}

inline Status convertView(const View &from, const View &to, const uint32_t *cancel) {
  const int64_t *strides[] = {from.strides, to.strides};
  void *data[] = {from.data, to.data};
  const Dtype dtypes[] = {from.dtype, to.dtype};
  return runLoop(makeNest(from.rank, from.dims, strides), loopAstype(from.dtype, to.dtype), data, dtypes, cancel);
}

/// As `pack`, into a wider type.
template <class From, class To>
[[gnu::noinline]] void packWidened(const Strided &from, int64_t first, int64_t count, To *to) {
  const Nest &nest = from.nest;
  const int inner = nest.rank - 1;
  const int64_t stride = nest.strides[0][inner];
  while (count > 0) {
    const int64_t run = smaller(count, nest.dims[inner] - first % nest.dims[inner]);
    const From *row = static_cast<const From *>(from.data) + from.offset(first);
    if (stride == 1)
      for (int64_t i = 0; i < run; ++i)
        to[i] = static_cast<To>(row[i]);
    else
      for (int64_t i = 0; i < run; ++i)
        to[i] = static_cast<To>(row[i * stride]);
    first += run, to += run, count -= run;
  }
}

/// Turns the order of elements round, so that the largest is the smallest: the sign
/// of floats, all bits of integers.
template <Dtype D, class T>
[[gnu::noinline]] void complement(T *at, int64_t count) {
  using U = typename math::detail::IntOf<sizeof(T)>::Unsigned;
  constexpr U mask = D == Dtype::bool_ ? U(1) : isFloating(D) ? U(U(1) << (8 * sizeof(T) - 1)) : U(~U(0));
  for (int64_t i = 0; i < count; ++i)
    at[i] = __builtin_bit_cast(T, U(__builtin_bit_cast(U, at[i]) ^ mask));
}

/// Reads elements of `Read`, as elements of D; complemented, they are as they are
/// packed, and the results again.
template <template <Dtype> class Reducer, Dtype D, Dtype Read = D, bool IsComplemented = false>
Status reduce(const KernelCall &call, std::span<const int64_t> axes) {
  constexpr Dtype accumulated = accumulatorOf(D);
  constexpr bool isWidened = item_size(Read) < item_size(D);
  using R = Reducer<D>;
  using In = typename R::In;
  using Acc = typename R::Acc;
  const View &operand = call.operands[0], &result = call.results[0];
  const Squeezed x(operand);
  Run runs[kMaxRank];
  size_t count = 0;
  bool isReducing = false;
  for (int i = 0; i < operand.rank; ++i) {
    if (x.place[i] < 0)
      continue;
    bool isReduced = false;
    for (int64_t axis : axes)
      isReduced |= axis == i;
    isReducing |= isReduced;
    if (count > 0 && runs[count - 1].isReduced == isReduced)
      runs[count - 1].size *= operand.dims[i];
    else
      runs[count++] = {operand.dims[i], isReduced};
  }
  int64_t strides[kMaxRank];
  denseStrides(x.view.rank, x.view.dims, strides);
  if (!isReducing) {
    // The result's axes of size 1 are of no account here.
    const View to{result.data, result.dtype, x.view.rank, x.view.dims, strides};
    return convertView(x.view, to, call.cancel);
  }
  const Strided all = makeStrided(x.view.data, x.view.rank, x.view.dims, x.view.strides);
  Input<In> in{nullptr, x.view.count(),
               [](const void *from, int64_t first, int64_t wanted, In *to) {
                 if constexpr (isWidened)
                   packWidened<Storage<Read>>(*static_cast<const Strided *>(from), first, wanted, to);
                 else
                   pack(*static_cast<const Strided *>(from), first, wanted, to);
                 if constexpr (IsComplemented)
                   complement<Read>(to, wanted);
               },
               &all, nullptr};
  if (!isWidened && !IsComplemented && all.isContiguous())
    in.direct = static_cast<const In *>(all.data);
  auto run = [&] {
    if (sizeof(Acc) == item_size(result.dtype))
      return reduceRuns<R, Reducer<accumulated>>(in, {runs, count}, static_cast<Acc *>(result.data), call.cancel);
    const int64_t total = result.count();
    const Scratch wide(total, sizeof(Acc));
    if (!wide)
      return Status::outOfMemory;
    if (Status status = reduceRuns<R, Reducer<accumulated>>(in, {runs, count}, wide.as<Acc>(), call.cancel);
        status != Status::ok)
      return status;
    const int64_t one = 1;
    return convertView({wide.as<Acc>(), accumulated, 1, &total, &one}, {result.data, result.dtype, 1, &total, &one},
                       call.cancel);
  };
  const Status status = run();
  if constexpr (IsComplemented)
    if (status == Status::ok)
      complement<Read>(static_cast<Storage<Read> *>(result.data), result.count());
  return status;
}

/// Dtypes of one size share a reducer: only what is widened is read as what it is.
template <template <Dtype> class Reducer, Dtype D, Dtype As>
Status reduceAs(const KernelCall &call, std::span<const int64_t> axes) {
  return reduce<Reducer, As, (item_size(D) < item_size(As) ? D : As)>(call, axes);
}

/// What a dtype is reduced as. Small integers are widened as they are read, so that
/// they need no reducers of their own, which are large; but for bytes, since a bool
/// is one.
constexpr Dtype reducedAs(Dtype dtype) { return isInteger(dtype) && dtype != Dtype::u8 ? accumulatorOf(dtype) : dtype; }

} // namespace tenon::rt::TENON_ISA
