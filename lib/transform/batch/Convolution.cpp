//===- Convolution.cpp - batching of convolutions and windows -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Convolution.h"
#include "lib/transform/Rules.h"

namespace tenon {

/// x, whose axis `axis + 1` counts batch elements, with that axis and the one before it as one.
static Array joined(const Array &x, int axis) {
  Shape shape = x.shape();
  shape.at(axis) = shape[axis] * shape[axis + 1];
  shape.erase(axis + 1);
  return reshape(x, shape);
}
/// The reverse: axis `axis` as `outer` times `inner`.
static Array parted(const Array &x, int axis, Dim outer, Dim inner, Location at) {
  Shape shape = x.shape();
  shape.at(axis) = outer;
  shape.insert(axis + 1, inner, userLocation(at));
  return reshape(x, shape);
}

/// The batch elements of x become images, those of the kernel channels of the result, those of both groups.
void batchConvolution(BatchCall &call) {
  const ConvolutionAttrs a = ConvolutionAttrs::read(call.attributes);
  const auto list = [](std::span<const int64_t> values) { return std::vector<int64_t>(values.begin(), values.end()); };
  const detail::Sliding sliding{list(a.strides), list(a.low), list(a.high), list(a.x_dilation),
                                list(a.window_dilation)};
  const Shape &result = call.resultTypes[0].shape;
  const int last = result.rank() - 1, spatial = last - 2;
  const auto convolve = [&](const Array &x, const Array &kernel) {
    return detail::convolution(x, kernel, sliding, a.dtype, call.at);
  };
  if (!call.isBatched(1)) {
    const Array y = convolve(joined(call.front(0), 0), call.operand(1));
    return call.result(parted(y, 0, call.size, result[0], call.at), 0);
  }
  if (!call.isBatched(0)) {
    const Array y = convolve(call.operand(0), joined(call.along(1, last + 1), last));
    return call.result(parted(y, last, result[last], call.size, call.at), last + 1);
  }
  const int groups = last - 1;
  const Array y = convolve(joined(call.along(0, groups + 1), groups), joined(call.along(1, spatial + 2), spatial + 1));
  call.result(parted(y, groups, result[groups], call.size, call.at), groups + 1);
}

/// Windows of one element along the batch axis.
template <class Attrs>
static detail::Windows shifted(const Attrs &a) {
  detail::Windows windows(static_cast<int>(a.window.size()) + 1);
  const auto fill = [](std::vector<int64_t> &to, std::span<const int64_t> from) {
    std::ranges::copy(from, to.begin() + 1);
  };
  fill(windows.window, a.window);
  fill(windows.strides, a.strides);
  fill(windows.low, a.low);
  fill(windows.high, a.high);
  fill(windows.xDilation, a.x_dilation);
  fill(windows.dilation, a.window_dilation);
  return windows;
}

void batchWindow(BatchCall &call) {
  // All reductions of windows have the same attributes.
  call.result(detail::windowReduce(OpCode{call.info.code}, call.front(), shifted(WindowSumAttrs::read(call.attributes)),
                                   call.at));
}

void batchWindowMean(BatchCall &call) {
  const WindowMeanAttrs a = WindowMeanAttrs::read(call.attributes);
  call.result(detail::windowMean(call.front(), shifted(a), a.divisor.asDouble(), call.at));
}

void batchWindowArgmax(BatchCall &call) {
  const WindowArgmaxAttrs a = WindowArgmaxAttrs::read(call.attributes);
  const detail::Windows w = shifted(a);
  call.result(detail::apply(OpCode::window_argmax, {call.front().value()},
                            detail::Words(WindowArgmaxAttrs{w.window, w.strides, w.low, w.high, w.xDilation, w.dilation,
                                                            a.is_min, a.axis + 1}),
                            call.at));
}

} // namespace tenon
