//===- Movement.cpp - copies of elements to other places -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where strides can say it, the caller makes a view instead; these run where a
// copy is wanted.
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "Moved.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// One element, `from`, everywhere in `to`.
Status fillView(void *from, const View &to) {
  MovedView source(to);
  source.view.data = from;
  for (int i = 0; i < to.rank; ++i)
    source.strides[i] = 0;
  return copyView(source.view, to);
}

} // namespace

Status kernelReshape(const KernelCall &call) {
  const View &x = call.operands[0];
  MovedView result(call.results[0], x.rank);
  for (int i = 0; i < x.rank; ++i)
    result.dims[i] = x.dims[i];
  denseStrides(x.rank, result.dims, result.strides);
  return copyView(x, result.view);
}

Status kernelBroadcastTo(const KernelCall &call) {
  const View &x = call.operands[0], &result = call.results[0];
  MovedView source(result);
  source.view.data = x.data;
  const int added = result.rank - x.rank;
  for (int i = 0; i < result.rank; ++i)
    source.strides[i] = i < added || x.dims[i - added] == 1 ? 0 : x.strides[i - added];
  return copyView(source.view, result);
}

Status kernelTranspose(const KernelCall &call) {
  const View &x = call.operands[0];
  std::span<const int64_t> permutation = TransposeAttrs::read(call.attributes).permutation;
  MovedView source(x, x.rank);
  for (int i = 0; i < x.rank; ++i) {
    source.dims[i] = x.dims[permutation[static_cast<size_t>(i)]];
    source.strides[i] = x.strides[permutation[static_cast<size_t>(i)]];
  }
  return copyView(source.view, call.results[0]);
}

Status kernelSlice(const KernelCall &call) {
  const View &x = call.operands[0], &result = call.results[0];
  const SliceAttrs attributes = SliceAttrs::read(call.attributes);
  MovedView source(x);
  for (int i = 0; i < x.rank; ++i) {
    const size_t at = static_cast<size_t>(i);
    source.dims[i] = result.dims[i];
    source.advance(attributes.starts[at].raw() * x.strides[i]);
    if (result.dims[i] > 1) // else the step may be any number
      source.strides[i] = x.strides[i] * attributes.steps[at];
  }
  return copyView(source.view, result);
}

Status kernelPad(const KernelCall &call) {
  const View &x = call.operands[0], &result = call.results[0];
  const PadAttrs attributes = PadAttrs::read(call.attributes);
  if (Status status = fillView(call.operands[1].data, result); status != Status::ok)
    return status;
  MovedView target(result);
  for (int i = 0; i < x.rank; ++i) {
    const size_t at = static_cast<size_t>(i);
    target.dims[i] = x.dims[i];
    target.advance(attributes.low[at].raw() * result.strides[i]);
    if (x.dims[i] > 1) // else there is nothing between, and it may be any number
      target.strides[i] = result.strides[i] * (attributes.interior[at] + 1);
  }
  return copyView(x, target.view);
}

Status kernelConcatenate(const KernelCall &call) {
  const int64_t axis = ConcatenateAttrs::read(call.attributes).axis;
  MovedView target(call.results[0]);
  for (const View &x : call.operands) {
    target.dims[axis] = x.dims[axis];
    if (Status status = copyView(x, target.view); status != Status::ok)
      return status;
    target.advance(x.dims[axis] * target.strides[axis]);
  }
  return Status::ok;
}

Status kernelSplit(const KernelCall &call) {
  const int64_t axis = SplitAttrs::read(call.attributes).axis;
  MovedView source(call.operands[0]);
  for (const View &piece : call.results) {
    source.dims[axis] = piece.dims[axis];
    if (Status status = copyView(source.view, piece); status != Status::ok)
      return status;
    source.advance(piece.dims[axis] * source.strides[axis]);
  }
  return Status::ok;
}

Status kernelOptimizationBarrier(const KernelCall &call) {
  for (size_t i = 0; i < call.operands.size(); ++i)
    if (Status status = copyView(call.operands[i], call.results[i]); status != Status::ok)
      return status;
  return Status::ok;
}

Status kernelFull(const KernelCall &call) {
  const FullAttrs attributes = FullAttrs::read(call.attributes);
  StoredScalar value(attributes.value, attributes.dtype);
  return fillView(value.bytes, call.results[0]);
}

namespace {
/// start + i * step, both operations rounded; integers wrap.
template <Dtype D>
Status fillRange(const KernelCall &call, const ArangeAttrs &attributes) {
  using T = Compute<D>;
  const StoredScalar start(attributes.start, D), step(attributes.step, D);
  const T first = loadLanes<D, 1>(reinterpret_cast<const Storage<D> *>(start.bytes));
  const T increment = loadLanes<D, 1>(reinterpret_cast<const Storage<D> *>(step.bytes));
  auto *result = static_cast<Storage<D> *>(call.results[0].data);
  const bool isDone = parallelFor(
      call.results[0].dims[0], kGrain,
      [=](int64_t lo, int64_t hi) {
        for (int64_t i = lo; i < hi; ++i)
          storeLanes<D, 1>(result + i, math::add(first, math::multiply(math::convertTo<T>(i), increment)));
      },
      call.cancel);
  return isDone ? Status::ok : Status::cancelled;
}
} // namespace

/// Narrow floats are computed in f32 and rounded at the end alone: past 256 an index
/// is no bf16.
Status kernelArange(const KernelCall &call) {
  const ArangeAttrs attributes = ArangeAttrs::read(call.attributes);
  return tenon::detail::visitDtype(attributes.dtype, [&]<Dtype D>() {
    if constexpr (isInteger(D) || isFloating(D))
      return fillRange<D>(call, attributes);
    else
      return Status::failed;
  });
}

Status kernelDimension(const KernelCall &call) {
  *static_cast<int64_t *>(call.results[0].data) = call.operands[0].dims[DimensionAttrs::read(call.attributes).axis];
  return Status::ok;
}

} // namespace tenon::rt::TENON_ISA
