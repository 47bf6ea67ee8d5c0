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
int64_t argmaxRow(const Storage<D> *row, int64_t length) {
  using R = MaxOf<D == Dtype::bool_ ? Dtype::u8 : D>;
  const auto largest = reduceRow<R>(row, length);
  for (int64_t i = 0; i < length; ++i) {
    const auto value = loadAccumulators<R, 1>(row + i);
    if (value == largest || value != value)
      return i;
  }
  return 0;
}

template <Dtype D>
Status argmax(const KernelCall &call, int axis) {
  using In = Storage<D>;
  const View &x = call.operands[0];
  const int64_t length = x.dims[axis], stride = x.strides[axis];
  // What is left when the axis is taken out, in the order of the result.
  int64_t dims[kMaxRank], strides[kMaxRank];
  int rank = 0;
  for (int i = 0; i < x.rank; ++i)
    if (i != axis)
      dims[rank] = x.dims[i], strides[rank++] = x.strides[i];
  const Strided rows = makeStrided(x.data, rank, dims, strides);
  auto *result = static_cast<int64_t *>(call.results[0].data);
  const int64_t count = rows.nest.count();
  if (count == 0)
    return Status::ok;
  // Rows that lie apart are packed, each chunk of rows with a buffer of its own.
  const int64_t grain = larger<int64_t>(1, kGrain / (length + 1)), chunks = ceilDivide(count, grain);
  Scratch scratch(stride == 1 ? 0 : chunks * length, sizeof(In));
  if (!scratch)
    return Status::outOfMemory;
  const bool isDone = parallelFor(
      count, grain,
      [&](int64_t lo, int64_t hi) {
        In *buffer = stride == 1 ? nullptr : scratch.as<In>() + lo / grain * length;
        for (; lo < hi; ++lo) {
          const In *row = static_cast<const In *>(x.data) + rows.offset(lo);
          if (buffer)
            gather(row, stride, length, buffer);
          result[lo] = argmaxRow<D>(buffer ? buffer : row, length);
        }
      },
      call.cancel);
  return isDone ? Status::ok : Status::cancelled;
}

} // namespace

Status kernelArgmax(const KernelCall &call) {
  const int axis = static_cast<int>(ArgmaxAttrs::read(call.attributes).axis);
  switch (call.operands[0].dtype) {
  case Dtype::bool_:
  case Dtype::u8:
    return argmax<Dtype::u8>(call, axis);
  case Dtype::i32:
    return argmax<Dtype::i32>(call, axis);
  case Dtype::i64:
    return argmax<Dtype::i64>(call, axis);
  case Dtype::u32:
    return argmax<Dtype::u32>(call, axis);
  case Dtype::bf16:
    return argmax<Dtype::bf16>(call, axis);
  case Dtype::f32:
    return argmax<Dtype::f32>(call, axis);
  case Dtype::f64:
    return argmax<Dtype::f64>(call, axis);
  default:
    return Status::failed;
  }
}

} // namespace tenon::rt::TENON_ISA
