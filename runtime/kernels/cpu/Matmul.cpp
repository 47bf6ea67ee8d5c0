//===- Matmul.cpp - matrix products -------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each dtype's call of the engine of products (runtime/contract/Contract.h).
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include "runtime/contract/Contract.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// The axes of a view from `first` on, `count` of them.
Axes axesOf(const View &x, int first, int count) { return {count, x.dims + first, x.strides + first}; }

/// T is what elements are computed in, From how the operands hold them; `to` is dense.
template <class T, class From = T>
Status multiplyAs(const View &a, const View &b, void *to, const uint32_t *cancel) {
  const int last = a.rank - 1, batch = a.rank - 2;
  Product<T> product{a.dims[last - 1],
                     b.dims[last],
                     a.dims[last],
                     makeSide<T, From>(a.data, axesOf(a, last - 1, 1), axesOf(a, last, 1)),
                     makeSide<T, From>(b.data, axesOf(b, last, 1), axesOf(b, last - 1, 1)),
                     static_cast<T *>(to)};
  product.aStarts = axesOf(a, 0, batch);
  product.bStarts = axesOf(b, 0, batch);
  product.count = product.aStarts.count();
  if (product.count > 1 && product.bStarts.isStrided() && product.bStarts.stride() == 0) {
    // One matrix for all: a has more rows.
    product.rows *= product.count;
    product.count = 1;
    product.a.outer = axesOf(a, 0, last);
    product.aStarts = product.bStarts = {};
  }
  return multiply(product, cancel);
}

template <class From>
Status multiplyNarrow(const View &a, const View &b, const View &c, const uint32_t *cancel) {
  const Scratch memory(c.count(), sizeof(float));
  if (!memory)
    return Status::outOfMemory;
  if (Status status = multiplyAs<float, From>(a, b, memory.as<void>(), cancel); status != Status::ok)
    return status;
  const int64_t *strides[] = {c.strides, c.strides};
  void *data[] = {memory.as<void>(), c.data};
  const Dtype dtypes[] = {Dtype::f32, c.dtype};
  return runLoop(makeNest(c.rank, c.dims, strides), loopAstype(Dtype::f32, c.dtype), data, dtypes, nullptr);
}

} // namespace

Status kernelMatmul(const KernelCall &call) {
  const View &a = call.operands[0], &b = call.operands[1], &c = call.results[0];
  switch (c.dtype) {
  case Dtype::f32:
    return multiplyAs<float>(a, b, c.data, call.cancel);
  case Dtype::f64:
    return multiplyAs<double>(a, b, c.data, call.cancel);
  case Dtype::f16:
    return multiplyNarrow<float16_t>(a, b, c, call.cancel);
  case Dtype::bf16:
    return multiplyNarrow<bfloat16_t>(a, b, c, call.cancel);
  case Dtype::c64:
    return multiplyAs<complex64_t>(a, b, c.data, call.cancel);
  case Dtype::c128:
    return multiplyAs<complex128_t>(a, b, c.data, call.cancel);
  case Dtype::i32:
    return multiplyAs<uint32_t>(a, b, c.data, call.cancel);
  default:
    return multiplyAs<uint64_t>(a, b, c.data, call.cancel);
  }
}

} // namespace tenon::rt::TENON_ISA
