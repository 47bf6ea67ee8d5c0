//===- Nest.cpp - index spaces, the driver of elementwise loops, copies ----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Common.h"

namespace tenon::rt::TENON_ISA {

Nest makeNest(int rank, const int64_t *dims, std::span<const int64_t *const> strides) {
  Nest nest;
  const int views = static_cast<int>(strides.size());
  for (int axis = 0; axis < rank; ++axis) {
    if (dims[axis] == 1)
      continue;
    bool merges = nest.rank > 0;
    for (int v = 0; merges && v < views; ++v)
      merges = nest.strides[v][nest.rank - 1] == strides[v][axis] * dims[axis];
    if (!merges)
      nest.dims[nest.rank++] = 1;
    nest.dims[nest.rank - 1] *= dims[axis];
    for (int v = 0; v < views; ++v)
      nest.strides[v][nest.rank - 1] = strides[v][axis];
  }
  if (nest.rank == 0) {
    nest.rank = 1, nest.dims[0] = 1;
    for (int v = 0; v < views; ++v)
      nest.strides[v][0] = 1;
  }
  return nest;
}

Strided makeStrided(const void *data, int rank, const int64_t *dims, const int64_t *strides) {
  return {data, makeNest(rank, dims, {&strides, 1})};
}

void denseStrides(int rank, const int64_t *dims, int64_t *strides) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= dims[i];
  }
}

namespace {

/// A nest whose rows (all axes but the last) can be run in pieces.
struct Job {
  const Nest &nest;
  ElementwiseKernel loop;
  void *const *data;
  int64_t itemSizes[Nest::kMaxViews];
  int views;

  /// Columns [from, to) of rows [row, end).
  void run(int64_t row, int64_t end, int64_t from, int64_t to) const {
    const int inner = nest.rank - 1, middle = nest.rank - 2;
    ElementwiseCall call{};
    call.m = to - from;
    while (row < end) {
      int64_t index[kMaxRank + 1], rest = row;
      for (int axis = middle; axis >= 0; --axis) {
        index[axis] = rest % nest.dims[axis];
        rest /= nest.dims[axis];
      }
      call.n = middle < 0 ? 1 : smaller(end - row, nest.dims[middle] - index[middle]);
      for (int v = 0; v < views; ++v) {
        int64_t offset = from * nest.strides[v][inner];
        for (int axis = 0; axis <= middle; ++axis)
          offset += index[axis] * nest.strides[v][axis];
        char *at = static_cast<char *>(data[v]) + offset * itemSizes[v];
        int64_t *strides = v == views - 1 ? call.resultStrides : call.strides[v];
        strides[0] = middle < 0 ? 0 : nest.strides[v][middle];
        strides[1] = nest.strides[v][inner];
        if (v == views - 1)
          call.result = at;
        else
          call.operands[v] = at;
      }
      loop(call);
      row += call.n;
    }
  }
};

} // namespace

Status runLoop(const Nest &nest, ElementwiseKernel loop, void *const *data, std::span<const Dtype> dtypes,
               const uint32_t *cancel) {
  const int64_t count = nest.count(), columns = nest.dims[nest.rank - 1];
  if (count == 0)
    return Status::ok;
  Job job{nest, loop, data, {}, static_cast<int>(dtypes.size())};
  for (int v = 0; v < job.views; ++v)
    job.itemSizes[v] = static_cast<int64_t>(item_size(dtypes[static_cast<size_t>(v)]));
  const int64_t rows = count / columns;
  if (count <= kGrain) {
    job.run(0, rows, 0, columns);
    return Status::ok;
  }
  bool isDone;
  if (columns >= 2 * kGrain) {
    const int64_t pieces = ceilDivide(columns, kGrain);
    isDone = parallelFor(
        rows * pieces, 1,
        [&](int64_t lo, int64_t hi) {
          for (; lo < hi; ++lo) {
            const int64_t from = lo % pieces * kGrain;
            job.run(lo / pieces, lo / pieces + 1, from, smaller(columns, from + kGrain));
          }
        },
        cancel);
  } else {
    isDone = parallelFor(
        rows, larger<int64_t>(1, kGrain / columns), [&](int64_t lo, int64_t hi) { job.run(lo, hi, 0, columns); },
        cancel);
  }
  return isDone ? Status::ok : Status::cancelled;
}

namespace {

// Copies go by size: ofSize has an element for each dtype.
static_assert([] {
  for (const tenon::detail::DtypeInfo &info : tenon::detail::dtype_infos)
    if (info.itemSize > sizeof(Wide16) || (info.itemSize & (info.itemSize - 1)) != 0)
      return false;
  return true;
}());

/// A band of rows is a few tiles high, because columns tend to lie in pages of
/// their own.
template <class T>
constexpr int64_t kTransposeBand = 4 * 64 / sizeof(T);

/// Copies a band that is contiguous along rows in `from` and along columns in
/// `to`, in tiles of a cache line each way: each line is read and written in
/// one go, whatever the strides do to the cache's sets.
template <class T>
void transposeBand(const T *from, int64_t columnStride, T *to, int64_t rowStride, int64_t rows, int64_t columns) {
  constexpr int64_t side = 64 / sizeof(T);
  T tile[side][side];
  for (int64_t left = 0; left < columns; left += side) {
    const int64_t width = smaller(side, columns - left);
    for (int64_t top = 0; top < rows; top += side) {
      const int64_t height = smaller(side, rows - top);
      for (int64_t column = 0; column < width; ++column) {
        const T *line = from + top + (left + column) * columnStride;
        if (height == side)
          __builtin_memcpy(tile[column], line, 64);
        else
          __builtin_memcpy(tile[column], line, static_cast<size_t>(height) * sizeof(T));
      }
      for (int64_t row = 0; row < height; ++row)
        for (int64_t column = 0; column < width; ++column)
          to[(top + row) * rowStride + left + column] = tile[column][row];
    }
  }
}

/// Axis `contiguous` of the nest has stride 1 in the source, the last one in
/// the destination.
template <class T>
Status transposeNest(const Nest &nest, int contiguous, const void *from, void *to) {
  constexpr int64_t band = kTransposeBand<T>;
  const int inner = nest.rank - 1;
  const int64_t rows = nest.dims[contiguous], columns = nest.dims[inner], bands = ceilDivide(rows, band);
  const int64_t planes = nest.count() / (rows * columns);
  parallelFor(planes * bands, larger<int64_t>(1, kGrain / (band * columns)), [&](int64_t lo, int64_t hi) {
    for (; lo < hi; ++lo) {
      int64_t rest = lo / bands, fromOffset = 0, toOffset = 0;
      for (int axis = inner - 1; axis >= 0; --axis)
        if (axis != contiguous) {
          fromOffset += rest % nest.dims[axis] * nest.strides[0][axis];
          toOffset += rest % nest.dims[axis] * nest.strides[1][axis];
          rest /= nest.dims[axis];
        }
      const int64_t row = lo % bands * band, stride = nest.strides[1][contiguous];
      transposeBand(static_cast<const T *>(from) + fromOffset + row, nest.strides[0][inner],
                    static_cast<T *>(to) + toOffset + row * stride, stride, smaller(band, rows - row), columns);
    }
  });
  return Status::ok;
}

} // namespace

Status copyView(const View &from, const View &to) {
  const int64_t *strides[] = {from.strides, to.strides};
  const Nest nest = makeNest(from.rank, from.dims, strides);
  if (nest.count() == 0)
    return Status::ok;
  const size_t size = item_size(from.dtype);
  const int inner = nest.rank - 1;
  if (nest.strides[0][inner] > 1 && nest.strides[1][inner] == 1)
    for (int axis = 0; axis < inner; ++axis)
      if (nest.strides[0][axis] == 1 && nest.dims[axis] >= 4)
        return ofSize(size, [&]<class T>() { return transposeNest<T>(nest, axis, from.data, to.data); });
  void *data[] = {from.data, to.data};
  const Dtype dtypes[] = {from.dtype, to.dtype};
  return runLoop(nest, copyLoop(size), data, dtypes, nullptr);
}

} // namespace tenon::rt::TENON_ISA
