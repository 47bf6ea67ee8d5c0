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

std::optional<int64_t> rt::viewStrides(OpCode op, const View &x, AttrWords attributes, std::span<const int64_t> dims,
                                       int64_t *strides) {
  switch (op) {
  case OpCode::reshape:
    return reshapeStrides(x, dims, strides) ? std::optional<int64_t>(0) : std::nullopt;
  case OpCode::transpose: {
    auto permutation = TransposeAttrs::read(attributes).permutation;
    for (size_t i = 0; i < permutation.size(); ++i)
      strides[i] = x.strides[permutation[i]];
    return 0;
  }
  case OpCode::broadcast_to: {
    size_t offset = dims.size() - x.rank;
    for (size_t i = 0; i < dims.size(); ++i)
      strides[i] = i < offset || (x.dims[i - offset] == 1 && dims[i] != 1) ? 0 : x.strides[i - offset];
    return 0;
  }
  case OpCode::slice: {
    SliceAttrs slice = SliceAttrs::read(attributes);
    int64_t offset = 0;
    bool empty = false;
    for (size_t i = 0; i < dims.size(); ++i) {
      offset += slice.starts[i].raw() * x.strides[i];
      strides[i] = slice.steps[i] * x.strides[i];
      empty |= dims[i] == 0;
    }
    return empty ? 0 : offset; // a start at the end points past the buffer
  }
  default:
    return std::nullopt;
  }
}
