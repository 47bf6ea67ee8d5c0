//===- modes.h - the enums that choose what an operation does -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by tenon-tblgen from the records in dialect/; change those.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

/// How an index out of range is treated.
enum class IndexMode : uint8_t {
  error, ///< an Error with index, axis and size; nothing is updated
  clip, ///< the first or last element
  wrap, ///< the element at the index modulo the axis's size
  drop, ///< updates skip the index; reads return the fill value
  fill = drop, ///< alias of drop
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(IndexMode value) {
  constexpr std::string_view names[] = {"error", "clip", "wrap", "drop"};
  return static_cast<size_t>(value) < 4 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// What pad_mode fills the new elements with; examples for [1 2 3].
enum class PadMode : uint8_t {
  edge, ///< the first or last element: 1 1 [1 2 3] 3 3
  reflect, ///< mirrored at the edge element: 3 2 [1 2 3] 2 1
  symmetric, ///< mirrored, with the edge element repeated: 2 1 [1 2 3] 3 2
  wrap, ///< from the other end: 2 3 [1 2 3] 1 2
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(PadMode value) {
  constexpr std::string_view names[] = {"edge", "reflect", "symmetric", "wrap"};
  return static_cast<size_t>(value) < 4 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Which zeros trim_zeros removes.
enum class Trim : uint8_t {
  both, ///< leading and trailing zeros
  front, ///< leading zeros
  back, ///< trailing zeros
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(Trim value) {
  constexpr std::string_view names[] = {"both", "front", "back"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Order of the first two axes of meshgrid's results.
enum class GridIndexing : uint8_t {
  xy, ///< Cartesian: axis 0 is that of the second array, axis 1 that of the first
  ij, ///< matrix: axis i is that of array i
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(GridIndexing value) {
  constexpr std::string_view names[] = {"xy", "ij"};
  return static_cast<size_t>(value) < 2 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Which position searchsorted returns among equal elements.
enum class Side : uint8_t {
  left, ///< before the first equal element
  right, ///< after the last equal element
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(Side value) {
  constexpr std::string_view names[] = {"left", "right"};
  return static_cast<size_t>(value) < 2 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// The norm that matrix_norm computes.
enum class MatrixNorm : uint8_t {
  frobenius, ///< square root of the sum of |x|^2
  one, ///< largest sum of |x| over a column
  minus_one, ///< smallest sum of |x| over a column
  infinity, ///< largest sum of |x| over a row
  minus_infinity, ///< smallest sum of |x| over a row
  spectral, ///< largest singular value
  minus_spectral, ///< smallest singular value
  nuclear, ///< sum of the singular values
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(MatrixNorm value) {
  constexpr std::string_view names[] = {"frobenius", "one", "minus_one", "infinity", "minus_infinity", "spectral", "minus_spectral", "nuclear"};
  return static_cast<size_t>(value) < 8 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Which results linalg::qr has.
enum class QRMode : uint8_t {
  reduced, ///< Q (m, k) and R (k, n), k = min(m, n)
  complete, ///< Q (m, m) and R (m, n)
  r, ///< only R (k, n); Q is empty
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(QRMode value) {
  constexpr std::string_view names[] = {"reduced", "complete", "r"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Where an array of images or signals has its channels.
enum class DataFormat : uint8_t {
  channels_last, ///< behind the spatial axes: [batch, height, width, channels]
  channels_first, ///< before the spatial axes: [batch, channels, height, width]
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(DataFormat value) {
  constexpr std::string_view names[] = {"channels_last", "channels_first"};
  return static_cast<size_t>(value) < 2 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// How image_resize computes an element between those of x.
enum class ResizeMethod : uint8_t {
  nearest, ///< the nearest element; keeps the dtype of x and computes nothing
  linear, ///< linear interpolation of 2 elements along each axis (triangle kernel)
  cubic, ///< cubic convolution of 4 elements along each axis (R. Keys, 1981)
  area, ///< mean of the elements that the new element covers, weighted by the covered part
  average, ///< mean of all elements that the new element touches, as adaptive average pooling
  lanczos3, ///< sinc windowed to 3 elements at each side
  lanczos5, ///< sinc windowed to 5 elements at each side
  gaussian, ///< Gaussian of standard deviation 0.5, cut off at 1.5 elements
  mitchell, ///< cubic filter of D. Mitchell and A. Netravali, 1988: smooths a little
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(ResizeMethod value) {
  constexpr std::string_view names[] = {"nearest", "linear", "cubic", "area", "average", "lanczos3", "lanczos5", "gaussian", "mitchell"};
  return static_cast<size_t>(value) < 9 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Where new element i lies on an axis resized from n to m elements, `scale = m / n`.
enum class ResizeCoordinates : uint8_t {
  half_pixel, ///< (i + 0.5) / scale - 0.5: elements are areas, and the outer edges coincide
  align_corners, ///< i * (n - 1) / (m - 1): the centers of the first and last elements coincide; 0 if m is 1
  asymmetric, ///< i / scale: the centers of the first elements coincide
  pytorch_half_pixel, ///< half_pixel, but 0 if m is 1
  half_pixel_symmetric, ///< half_pixel, centered also where m is not n * scale for a given scale
  tf_half_pixel_for_nn, ///< (i + 0.5) / scale
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(ResizeCoordinates value) {
  constexpr std::string_view names[] = {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "half_pixel_symmetric", "tf_half_pixel_for_nn"};
  return static_cast<size_t>(value) < 6 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Which element ResizeMethod::nearest takes for a position between two.
enum class ResizeRounding : uint8_t {
  round_prefer_ceil, ///< the nearer one; halfway the upper one
  round_prefer_floor, ///< the nearer one; halfway the lower one
  floor, ///< the lower one
  ceil, ///< the upper one
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(ResizeRounding value) {
  constexpr std::string_view names[] = {"round_prefer_ceil", "round_prefer_floor", "floor", "ceil"};
  return static_cast<size_t>(value) < 4 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// How grid_sample computes a value between the elements of x.
enum class GridMode : uint8_t {
  bilinear, ///< linear interpolation along each axis
  nearest, ///< the nearest element; halfway the one with an even index
  bicubic, ///< cubic convolution along each axis, coefficient -0.75
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(GridMode value) {
  constexpr std::string_view names[] = {"bilinear", "nearest", "bicubic"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// What grid_sample finds outside x.
enum class GridPadding : uint8_t {
  zeros, ///< zeros
  border, ///< the nearest element of x
  reflection, ///< x mirrored at its border, as often as needed
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(GridPadding value) {
  constexpr std::string_view names[] = {"zeros", "border", "reflection"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Order of the channels that depth_to_space and space_to_depth move, from the slowest to the
/// fastest.
enum class DepthOrder : uint8_t {
  dcr, ///< row of the block, column of the block, channel: TensorFlow, ONNX's DCR
  crd, ///< channel, row of the block, column of the block: PyTorch's pixel_shuffle, ONNX's CRD
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(DepthOrder value) {
  constexpr std::string_view names[] = {"dcr", "crd"};
  return static_cast<size_t>(value) < 2 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// How roi_align combines the samples of a bin.
enum class RoiPooling : uint8_t {
  average, ///< their mean
  max, ///< the largest interpolated value
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(RoiPooling value) {
  constexpr std::string_view names[] = {"average", "max"};
  return static_cast<size_t>(value) < 2 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// What reduce_window makes of the elements of a window.
enum class WindowReduction : uint8_t {
  sum, ///< their sum
  max, ///< the largest
  min, ///< the smallest
  prod, ///< their product
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(WindowReduction value) {
  constexpr std::string_view names[] = {"sum", "max", "min", "prod"};
  return static_cast<size_t>(value) < 4 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Which part of a convolution convolve and correlate return.
enum class ConvolutionMode : uint8_t {
  full, ///< every place where both arrays overlap: n1 + n2 - 1 elements
  same, ///< the middle of it: max(n1, n2) elements, as NumPy
  valid, ///< places where the shorter array lies within the longer one: max(n1, n2) - min(n1, n2) + 1
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(ConvolutionMode value) {
  constexpr std::string_view names[] = {"full", "same", "valid"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// Which direction of a Fourier transform of length n is divided.
enum class FftNorm : uint8_t {
  backward, ///< the inverse by n
  ortho, ///< both by sqrt(n)
  forward, ///< the forward transform by n
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(FftNorm value) {
  constexpr std::string_view names[] = {"backward", "ortho", "forward"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// What a loss does with the losses of its elements.
enum class Reduction : uint8_t {
  mean, ///< their mean
  sum, ///< their sum
  unreduced, ///< each by itself
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(Reduction value) {
  constexpr std::string_view names[] = {"mean", "sum", "unreduced"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// The window that signal::get_window computes, at positions t from -1 to 1.
enum class WindowFunction : uint8_t {
  boxcar, ///< 1 everywhere
  bartlett, ///< triangle, as bartlett
  hann, ///< 0.5 + 0.5 * cos(pi * t), as hanning
  hamming, ///< 0.54 + 0.46 * cos(pi * t)
  blackman, ///< 0.42 + 0.5 * cos(pi * t) + 0.08 * cos(2 * pi * t)
  kaiser, ///< i0(beta * sqrt(1 - t^2)) / i0(beta)
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(WindowFunction value) {
  constexpr std::string_view names[] = {"boxcar", "bartlett", "hann", "hamming", "blackman", "kaiser"};
  return static_cast<size_t>(value) < 6 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// The order in which a recurrent layer reads a sequence.
enum class RecurrentDirection : uint8_t {
  forward, ///< from the first step to the last
  reverse, ///< from the last step to the first
  bidirectional, ///< both, with weights of their own
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(RecurrentDirection value) {
  constexpr std::string_view names[] = {"forward", "reverse", "bidirectional"};
  return static_cast<size_t>(value) < 3 ? names[static_cast<size_t>(value)] : std::string_view();
}

/// The element of a window that select_and_scatter chooses.
enum class WindowSelection : uint8_t {
  max, ///< the first of the largest elements, or the first NaN
  min, ///< the first of the smallest elements, or the first NaN
};
/// The name of a value; empty for a number that is none.
constexpr std::string_view name(WindowSelection value) {
  constexpr std::string_view names[] = {"max", "min"};
  return static_cast<size_t>(value) < 2 ? names[static_cast<size_t>(value)] : std::string_view();
}

} // namespace tenon
