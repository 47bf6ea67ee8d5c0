//===- Moved.h - views of parts of arrays, numbers as elements -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Common.h"

namespace tenon::rt::TENON_ISA {

/// A view with strides of its own.
struct MovedView {
  int64_t dims[kMaxRank], strides[kMaxRank];
  View view;

  MovedView(const View &like, int rank) : view(like) {
    view.rank = static_cast<uint8_t>(rank);
    view.dims = dims;
    view.strides = strides;
  }
  explicit MovedView(const View &like) : MovedView(like, like.rank) {
    for (int i = 0; i < like.rank; ++i)
      dims[i] = like.dims[i], strides[i] = like.strides[i];
  }
  MovedView(const MovedView &) = delete;
  MovedView &operator=(const MovedView &) = delete;
  /// Moves the first element by `elements`.
  void advance(int64_t elements) {
    view.data = static_cast<char *>(view.data) + elements * static_cast<int64_t>(item_size(view.dtype));
  }
  /// Becomes the part of these sizes that begins where the `starts`, of rank 0, say,
  /// moved inside.
  void narrow(std::span<const View> starts, const int64_t *sizes) {
    for (int axis = 0; axis < view.rank; ++axis) {
      const View &start = starts[static_cast<size_t>(axis)];
      const int64_t index = start.dtype == Dtype::i64 ? *static_cast<const int64_t *>(start.data)
                                                      : *static_cast<const int32_t *>(start.data);
      advance(larger<int64_t>(0, smaller(index, dims[axis] - sizes[axis])) * strides[axis]);
      dims[axis] = sizes[axis];
    }
  }
};

/// A number as an element of any dtype, converted as astype does; an integer or a
/// bool goes through i64 or u64, other reals through f64, a complex one through c128.
struct StoredScalar {
  alignas(complex128_t) char bytes[sizeof(complex128_t)] = {};
  StoredScalar(ScalarAttr value, Dtype dtype) {
    const Dtype from = value.kind == Kind::complex    ? Dtype::c128
                       : value.kind == Kind::floating ? Dtype::f64
                       : value.asInt() > INT64_MAX    ? Dtype::u64
                                                      : Dtype::i64;
    ElementwiseCall call{};
    call.operands[0] = value.words;
    call.result = bytes;
    call.n = call.m = 1;
    loopAstype(from, dtype)(call);
  }
};

} // namespace tenon::rt::TENON_ISA
