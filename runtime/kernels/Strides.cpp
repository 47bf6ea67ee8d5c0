//===- Strides.cpp - strides of views -------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/Strides.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::rt;

void rt::denseStrides(std::span<const int64_t> dims, int64_t *strides) {
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(dims[i], 1);
  }
}

/// Walks old and new sizes together, in groups of equal products; within a
/// group the old axes must follow each other without a gap.
static bool reshapeStrides(const View &x, std::span<const int64_t> dims, int64_t *strides) {
  if (x.count() == 0 || x.isDense()) {
    denseStrides(dims, strides);
    return true;
  }
  int64_t oldDims[max_rank], oldStrides[max_rank];
  int rank = 0;
  for (int i = 0; i < x.rank; ++i)
    if (x.dims[i] != 1) {
      oldDims[rank] = x.dims[i];
      oldStrides[rank++] = x.strides[i];
    }
  int from = 0;
  size_t to = 0;
  while (from < rank && to < dims.size()) {
    if (dims[to] == 1) {
      strides[to++] = 0;
      continue;
    }
    int fromEnd = from + 1;
    size_t toEnd = to + 1;
    int64_t left = oldDims[from], right = dims[to];
    while (left != right) {
      if (left < right)
        left *= oldDims[fromEnd++];
      else
        right *= dims[toEnd++];
    }
    for (int i = from; i + 1 < fromEnd; ++i)
      if (oldStrides[i] != oldStrides[i + 1] * oldDims[i + 1])
        return false;
    int64_t stride = oldStrides[fromEnd - 1];
    for (size_t i = toEnd; i-- > to;) {
      strides[i] = stride;
      stride *= dims[i];
    }
    from = fromEnd;
    to = toEnd;
  }
  for (; to < dims.size(); ++to)
    strides[to] = 0;
  return true;
}

bool rt::isInside(const ViewMap &map, const View &x, std::span<const int64_t> dims) {
  if (map.isRowMajor)
    return View{.rank = static_cast<uint8_t>(dims.size()), .dims = dims.data()}.count() == x.count();
  for (int axis = 0; axis < x.rank; ++axis) {
    const ViewAxis &at = map.axes[axis];
    const int64_t size = x.dims[axis], count = dims[static_cast<size_t>(at.to)];
    if (at.extent == ViewAxis::whole || at.extent == ViewAxis::repeated) {
      if (count != size && (at.extent == ViewAxis::whole || size != 1))
        return false;
      continue;
    }
    const int64_t first = at.start.raw();
    int64_t last;
    if (count == 0)
      continue;
    if (__builtin_mul_overflow(count - 1, at.step, &last) || __builtin_add_overflow(last, first, &last) || first < 0 ||
        last < 0 || first >= size || last >= size)
      return false;
  }
  return true;
}

std::optional<int64_t> rt::viewStrides(const ViewMap &map, const View &x, std::span<const int64_t> dims,
                                       int64_t *strides) {
  if (map.isRowMajor)
    return reshapeStrides(x, dims, strides) ? std::optional<int64_t>(0) : std::nullopt;
  std::fill_n(strides, dims.size(), 0);
  // Where nothing is, a start may lie past the buffer; and the step to what is not there may be any number.
  const bool isEmpty = std::ranges::find(dims, 0) != dims.end();
  int64_t offset = 0;
  for (int axis = 0; axis < x.rank; ++axis) {
    const ViewAxis &at = map.axes[axis];
    if (at.extent == ViewAxis::repeated && x.dims[axis] == 1 && dims[static_cast<size_t>(at.to)] != 1)
      continue;
    strides[at.to] = dims[static_cast<size_t>(at.to)] > 1 ? at.step * x.strides[axis] : x.strides[axis];
    if (!isEmpty)
      offset += at.start.raw() * x.strides[axis];
  }
  return offset;
}
