//===- Convolution.cpp - convolutions -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each dtype's call of the engine of convolutions (runtime/contract/Convolve.h).
//===----------------------------------------------------------------------===//
#include "Elementwise.h"
#include "Kernels.h"

#include "runtime/contract/Convolve.h"

namespace tenon::rt::TENON_ISA {
namespace {

/// `x` and `kernel` have elements of T.
template <class T>
Status convolveAs(const KernelCall &call, const View &x, const View &kernel, void *to) {
  const ConvolutionAttrs a = ConvolutionAttrs::read(call.attributes);
  const View &c = call.results[0];
  Convolution<T> conv;
  conv.x = static_cast<const T *>(x.data);
  conv.kernel = static_cast<const T *>(kernel.data);
  conv.c = static_cast<T *>(to);
  conv.spatial = x.rank - 3;
  for (int i = 0; i < conv.spatial; ++i) {
    conv.axes[i] = {x.dims[i + 1],
                    kernel.dims[i],
                    a.strides[static_cast<size_t>(i)],
                    a.low[static_cast<size_t>(i)],
                    a.x_dilation[static_cast<size_t>(i)],
                    a.window_dilation[static_cast<size_t>(i)],
                    c.dims[i + 1]};
    conv.xSpatial[i] = x.strides[i + 1];
    conv.kernelSpatial[i] = kernel.strides[i];
  }
  const int last = x.rank - 1;
  conv.batch = x.dims[0];
  conv.groups = x.dims[last - 1];
  conv.in = x.dims[last];
  conv.out = kernel.dims[last];
  conv.xBatch = x.strides[0];
  conv.xGroup = x.strides[last - 1];
  conv.xIn = x.strides[last];
  conv.kernelIn = kernel.strides[conv.spatial];
  conv.kernelGroup = kernel.strides[conv.spatial + 1];
  conv.kernelOut = kernel.strides[last];
  return c.count() == 0 ? Status::ok : convolve(conv, call.cancel);
}

/// Elements of `from` in the dtype of `to`.
Status convertTo(const View &from, const View &to, const uint32_t *cancel) {
  return onElements(
      {.op = OpCode::astype, .operands = {&from, 1}, .results = {&to, 1}, .attributes = {}, .cancel = cancel},
      loopAstype(from.dtype, to.dtype));
}

/// A dense copy of an operand.
class DenseCopy {
public:
  DenseCopy(const View &from, Dtype dtype, const uint32_t *cancel)
      : memory_(larger<int64_t>(1, from.count()), item_size(dtype)), view_(from) {
    view_.dtype = dtype;
    view_.data = memory_.as<void>();
    int64_t stride = 1;
    for (int i = from.rank - 1; i >= 0; stride *= from.dims[i], --i)
      strides_[i] = stride;
    view_.strides = strides_;
    status_ = view_.data ? convertTo(from, view_, cancel) : Status::outOfMemory;
  }
  Status status() const { return status_; }
  const View &view() const { return view_; }

private:
  Scratch memory_;
  View view_;
  int64_t strides_[kMaxRank];
  Status status_;
};

/// Of real numbers.
template <class T>
Status convolveReal(const KernelCall &call) {
  const View &x = call.operands[0], &kernel = call.operands[1];
  // Depthwise convolutions are fast where the channels lie side by side.
  const int last = x.rank - 1;
  const bool isDepthwise = x.dims[last] == 1 && kernel.dims[last] == 1 && x.dims[last - 1] > 1;
  if (!isDepthwise || (x.strides[last - 1] == 1 && kernel.strides[last - 1] == 1))
    return convolveAs<T>(call, x, kernel, call.results[0].data);
  const DenseCopy copies[] = {{x, x.dtype, call.cancel}, {kernel, x.dtype, call.cancel}};
  for (const DenseCopy &copy : copies)
    if (copy.status() != Status::ok)
      return copy.status();
  return convolveAs<T>(call, copies[0].view(), copies[1].view(), call.results[0].data);
}

/// Of narrow floats: in f32, rounded once.
Status convolveNarrow(const KernelCall &call) {
  const View &c = call.results[0];
  const DenseCopy x(call.operands[0], Dtype::f32, call.cancel), kernel(call.operands[1], Dtype::f32, call.cancel);
  for (const DenseCopy *operand : {&x, &kernel})
    if (operand->status() != Status::ok)
      return operand->status();
  if (c.dtype == Dtype::f32)
    return convolveAs<float>(call, x.view(), kernel.view(), c.data);
  const Scratch memory(larger<int64_t>(1, c.count()), sizeof(float));
  if (!memory)
    return Status::outOfMemory;
  if (Status status = convolveAs<float>(call, x.view(), kernel.view(), memory.as<void>()); status != Status::ok)
    return status;
  View sums = c;
  sums.dtype = Dtype::f32;
  sums.data = memory.as<void>();
  return convertTo(sums, c, call.cancel);
}

} // namespace

Status kernelConvolution(const KernelCall &call) {
  const View &x = call.operands[0], &kernel = call.operands[1];
  void *const to = call.results[0].data;
  switch (x.dtype) {
  case Dtype::f32:
    return convolveReal<float>(call);
  case Dtype::f64:
    return convolveReal<double>(call);
  case Dtype::f16:
  case Dtype::bf16:
    return convolveNarrow(call);
  case Dtype::c64:
    return convolveAs<complex64_t>(call, x, kernel, to);
  case Dtype::c128:
    return convolveAs<complex128_t>(call, x, kernel, to);
  case Dtype::i32:
    return convolveAs<uint32_t>(call, x, kernel, to);
  default:
    return convolveAs<uint64_t>(call, x, kernel, to);
  }
}

} // namespace tenon::rt::TENON_ISA
