//===- DotGeneral.cpp - sums of products over any axes --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each dtype's call of the engine of products (runtime/contract/Contract.h).
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include "runtime/contract/Contract.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// The axes of an operand: which product, which row or column, which place of the sum.
struct Places {
  Axes batch, outer, depth;
  Places(const View &x, std::span<const int64_t> summed, std::span<const int64_t> batches) {
    uint32_t taken = 0;
    const auto add = [&](Axes &axes, int64_t axis) {
      taken |= uint32_t(1) << axis;
      axes.add(x.dims[axis], x.strides[axis]);
    };
    for (int64_t axis : batches)
      add(batch, axis);
    for (int64_t axis : summed)
      add(depth, axis);
    for (int axis = 0; axis < x.rank; ++axis)
      if (!(taken >> axis & 1))
        outer.add(x.dims[axis], x.strides[axis]);
  }
};

/// Rounds finished blocks of f32 while they are in the cache.
template <class To>
struct Rounding {
  const float *from;
  To *to;
  int64_t rows, columns;

  static void finish(void *context, int64_t product, int64_t first, int64_t count, int64_t column, int64_t width) {
    constexpr int N = math::nativeLanes<float>;
    const auto &all = *static_cast<const Rounding *>(context);
    for (int64_t i = first; i < first + count; ++i) {
      const int64_t start = (product * all.rows + i) * all.columns + column;
      const float *const from = all.from + start;
      auto *const to = &all.to[start].bits;
      int64_t j = 0;
      for (; j + N <= width; j += N)
        math::store<Vec<decltype(To::bits), N>>(to + j, math::toNarrow<To>(math::load<Vec<float, N>>(from + j)));
      for (; j < width; ++j)
        to[j] = math::toNarrow<To>(from[j]);
    }
  }
};

/// T is what elements are computed in, From how the operands hold them; `to` is dense. `narrow`: where the result goes
/// in the end, rounded to From; null: it is that of T.
template <class T, class From = T>
Status multiplyAs(const KernelCall &call, void *to, From *narrow = nullptr) {
  const View &x1 = call.operands[0], &x2 = call.operands[1];
  const DotGeneralAttrs attributes = DotGeneralAttrs::read(call.attributes);
  Places a(x1, attributes.axes1, attributes.batch1);
  const Places b(x2, attributes.axes2, attributes.batch2);
  int64_t count = a.batch.count();
  if (count > 1 && b.batch.isStrided() && b.batch.stride() == 0) {
    // One matrix for all: a has more rows.
    Axes rows;
    for (int64_t axis : attributes.batch1)
      rows.add(x1.dims[axis], x1.strides[axis]);
    rows.add(a.outer);
    a.outer = rows;
    a.batch = Axes();
    count = 1;
  }
  Product<T> product{a.outer.count(),
                     b.outer.count(),
                     a.depth.count(),
                     makeSide<T, From>(x1.data, a.outer, a.depth),
                     makeSide<T, From>(x2.data, b.outer, b.depth),
                     static_cast<T *>(to),
                     count,
                     a.batch,
                     b.batch};
  if constexpr (std::is_same_v<From, float16_t> || std::is_same_v<From, bfloat16_t>)
    if (narrow) {
      Rounding<From> rounding{product.c, narrow, product.rows, product.columns};
      product.finish = &Rounding<From>::finish;
      product.context = &rounding;
      return multiply(product, call.cancel);
    }
  return multiply(product, call.cancel);
}

template <class From>
Status multiplyNarrow(const KernelCall &call) {
  const View &c = call.results[0];
  if (c.dtype == Dtype::f32)
    return multiplyAs<float, From>(call, c.data);
  const Scratch memory(c.count(), sizeof(float));
  return memory ? multiplyAs<float, From>(call, memory.as<void>(), static_cast<From *>(c.data)) : Status::outOfMemory;
}

} // namespace

Status kernelDotGeneral(const KernelCall &call) {
  void *const to = call.results[0].data;
  switch (call.operands[0].dtype) {
  case Dtype::f32:
    return multiplyAs<float>(call, to);
  case Dtype::f64:
    return multiplyAs<double>(call, to);
  case Dtype::f16:
    return multiplyNarrow<float16_t>(call);
  case Dtype::bf16:
    return multiplyNarrow<bfloat16_t>(call);
  case Dtype::c64:
    return multiplyAs<complex64_t>(call, to);
  case Dtype::c128:
    return multiplyAs<complex128_t>(call, to);
  case Dtype::f8e4m3fn:
    return multiplyAs<float, float8_e4m3fn_t>(call, to);
  case Dtype::f8e5m2:
    return multiplyAs<float, float8_e5m2_t>(call, to);
  case Dtype::i8:
    return multiplyAs<uint32_t, int8_t>(call, to);
  case Dtype::bool_: // a byte, 0 or 1
  case Dtype::u8:
    return multiplyAs<uint32_t, uint8_t>(call, to);
  case Dtype::i16:
    return multiplyAs<uint32_t, int16_t>(call, to);
  case Dtype::u16:
    return multiplyAs<uint32_t, uint16_t>(call, to);
  case Dtype::i32:
    return multiplyAs<uint32_t>(call, to);
  default:
    return multiplyAs<uint64_t>(call, to);
  }
}

} // namespace tenon::rt::TENON_ISA
