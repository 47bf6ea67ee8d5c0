//===- ShapeConvolution.cpp - the shape rules of convolutions and windows ---------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

#include <tuple>

namespace tenon {

namespace {
/// How windows move over some axes of x; see dialect/records/Convolution.td.
struct Sliding {
  std::span<const int64_t> strides, low, high, xDilation, windowDilation;
};
} // namespace

static std::string expectList(const char *name, std::span<const int64_t> list, size_t count, int64_t least) {
  if (list.size() != count)
    return std::string("expected ") + std::to_string(count) + " " + name +
           ", one for each axis that windows move along, got " + std::to_string(list.size());
  for (int64_t value : list)
    if (value < least || value > mostPlaces)
      return std::string("expected ") + name +
             (least < 1   ? " from -2^31 to 2^31"
              : value < 1 ? " >= 1"
                          : " <= 2^31") +
             ", got " + std::to_string(value);
  return "";
}

static std::string expectLists(const Sliding &s, size_t count) {
  const std::tuple<const char *, std::span<const int64_t>, int64_t> lists[] = {
      {"strides", s.strides, 1},
      {"paddings before", s.low, -mostPlaces},
      {"paddings after", s.high, -mostPlaces},
      {"dilations of x", s.xDilation, 1},
      {"dilations of the window", s.windowDilation, 1}};
  for (const auto &[name, list, least] : lists)
    if (std::string error = expectList(name, list, count, least); !error.empty())
      return error;
  return "";
}

/// Sets `out` to the number of windows along axis `axis` of x, which is number i of the lists; the sentence of an
/// error, or "".
static std::string countWindows(const ShapeCall &call, const Sliding &s, size_t i, int axis, Dim size, int64_t window,
                                Dim &out) {
  if (window < 1 || window > mostPlaces)
    return std::string("expected window sizes ") + (window < 1 ? ">= 1" : "<= 2^31") + ", got " +
           std::to_string(window) + " along axis " + std::to_string(axis);
  if (size.is_unknown()) {
    out = Dim::unknown();
    return "";
  }
  const Dim dilated = provably_equal(size, 0) == Always::yes ? Dim(0) : (size - 1) * Dim(s.xDilation[i]) + 1;
  const Dim padded = dilated + Dim(s.low[i]) + Dim(s.high[i]);
  const int64_t extent = (window - 1) * s.windowDilation[i] + 1;
  const auto tooLarge = [&] {
    return "expected windows no larger than the padded x, got " + std::to_string(extent) + " and " + padded.str() +
           " places along axis " + std::to_string(axis);
  };
  // Of no elements, as along a batch without any, there are no windows of one.
  const bool isEmpty = extent == 1 && provably_equal(padded, 0) == Always::yes;
  if (!isEmpty && !mayHold(call, extent, padded, tooLarge))
    return tooLarge();
  out = floor_div(padded - Dim(extent), s.strides[i]) + 1;
  return "";
}

std::string inferConvolution(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0], &kernel = call.operands[1];
  const ConvolutionAttrs a = ConvolutionAttrs::read(call.attributes);
  if (x.dtype != kernel.dtype)
    return "expected operands of one dtype, got " + std::string(short_name(x.dtype)) + " and " +
           std::string(short_name(kernel.dtype));
  if (a.dtype != x.dtype && !(is_narrow(x.dtype) && a.dtype == Dtype::f32))
    return "expected dtype " + std::string(short_name(x.dtype)) + (is_narrow(x.dtype) ? " or f32" : "") + ", got " +
           std::string(short_name(a.dtype));
  const int rank = x.shape.rank();
  if (rank < 3 || kernel.shape.rank() != rank)
    return "expected x [batch, spatial..., groups, in] and a kernel [spatial..., in, groups, out] of the same rank, "
           "got ranks " +
           std::to_string(rank) + " and " + std::to_string(kernel.shape.rank());
  const int spatial = rank - 3;
  const Sliding s{a.strides, a.low, a.high, a.x_dilation, a.window_dilation};
  if (std::string error = expectLists(s, static_cast<size_t>(spatial)); !error.empty())
    return error;
  const Dim in = x.shape[rank - 1], groups = x.shape[rank - 2], kernelIn = kernel.shape[spatial],
            kernelGroups = kernel.shape[spatial + 1];
  if (provably_equal(in, kernelIn) != Always::yes)
    return "expected as many channels of x in each group as the kernel takes, got " + in.str() + " and " +
           kernelIn.str();
  if (provably_equal(groups, kernelGroups) != Always::yes)
    return "expected as many groups of x as of the kernel, got " + groups.str() + " and " + kernelGroups.str();
  Shape shape;
  shape.push_back(x.shape[0]);
  for (int i = 0; i < spatial; ++i) {
    const Dim window = kernel.shape[i];
    if (!window.is_static())
      return "expected a kernel of known spatial sizes, got " + window.str() + " along its axis " + std::to_string(i);
    Dim size;
    if (std::string error = countWindows(call, s, static_cast<size_t>(i), i + 1, x.shape[i + 1], window.raw(), size);
        !error.empty())
      return error;
    shape.push_back(size);
  }
  shape.push_back(groups.is_unknown() ? kernelGroups : groups);
  shape.push_back(kernel.shape[rank - 1]);
  results.push_back({a.dtype, x.device, shape});
  return "";
}

/// The sizes that any reduction of windows has; the sentence of an error, or "".
static std::string inferWindows(const ShapeCall &call, std::span<const int64_t> window, const Sliding &s,
                                Shape &shape) {
  const Shape &x = call.operands[0].shape;
  const size_t rank = static_cast<size_t>(x.rank());
  if (window.size() != rank)
    return "expected a window of " + std::to_string(rank) + " sizes, one for each axis of x, got " +
           std::to_string(window.size());
  if (std::string error = expectLists(s, rank); !error.empty())
    return error;
  for (size_t i = 0; i < rank; ++i) {
    const int axis = static_cast<int>(i);
    Dim size;
    if (std::string error = countWindows(call, s, i, axis, x[axis], window[i], size); !error.empty())
      return error;
    shape.push_back(size);
  }
  return "";
}

std::string inferWindowReduction(const ShapeCall &call, std::vector<Type> &results) {
  // All of them have the same attributes.
  const WindowSumAttrs a = WindowSumAttrs::read(call.attributes);
  Shape shape;
  if (std::string error =
          inferWindows(call, a.window, {a.strides, a.low, a.high, a.x_dilation, a.window_dilation}, shape);
      !error.empty())
    return error;
  results.push_back({call.operands[0].dtype, call.operands[0].device, shape});
  return "";
}

std::string inferWindowArgmax(const ShapeCall &call, std::vector<Type> &results) {
  const WindowArgmaxAttrs a = WindowArgmaxAttrs::read(call.attributes);
  const int rank = call.operands[0].shape.rank();
  if (a.axis < 0 || a.axis > rank)
    return "expected an axis from 0 to " + std::to_string(rank) + " from which on places are counted, got " +
           std::to_string(a.axis);
  Shape shape;
  if (std::string error =
          inferWindows(call, a.window, {a.strides, a.low, a.high, a.x_dilation, a.window_dilation}, shape);
      !error.empty())
    return error;
  results.push_back({Dtype::i64, call.operands[0].device, shape});
  return "";
}

} // namespace tenon
