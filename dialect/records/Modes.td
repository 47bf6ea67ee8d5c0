//===- Modes.td - the enums of parameters ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TENON_MODES
#define TENON_MODES

include "Base.td"

// The attribute `mode` of gathers and scatters is the name of one of these.
def Tenon_IndexModeEnum : Tenon_Enum<"IndexMode", "How an index out of range is treated.", [
  Tenon_Value<"error", "an Error with index, axis and size; nothing is updated">,
  Tenon_Value<"clip", "the first or last element">,
  Tenon_Value<"wrap", "the element at the index modulo the axis's size">,
  Tenon_Value<"drop", "updates skip the index; reads return the fill value">,
  Tenon_Value<"fill", "alias of drop", "drop">]>;

def Tenon_PadModeEnum : Tenon_Enum<"PadMode", "What pad_mode fills the new elements with; examples for [1 2 3].", [
  Tenon_Value<"edge", "the first or last element: 1 1 [1 2 3] 3 3">,
  Tenon_Value<"reflect", "mirrored at the edge element: 3 2 [1 2 3] 2 1">,
  Tenon_Value<"symmetric", "mirrored, with the edge element repeated: 2 1 [1 2 3] 3 2">,
  Tenon_Value<"wrap", "from the other end: 2 3 [1 2 3] 1 2">]>;

def Tenon_TrimEnum : Tenon_Enum<"Trim", "Which zeros trim_zeros removes.", [
  Tenon_Value<"both", "leading and trailing zeros">, Tenon_Value<"front", "leading zeros">,
  Tenon_Value<"back", "trailing zeros">]>;

def Tenon_GridIndexingEnum : Tenon_Enum<"GridIndexing", "Order of the first two axes of meshgrid's results.", [
  Tenon_Value<"xy", "Cartesian: axis 0 is that of the second array, axis 1 that of the first">,
  Tenon_Value<"ij", "matrix: axis i is that of array i">]>;

def Tenon_SideEnum : Tenon_Enum<"Side", "Which position searchsorted returns among equal elements.", [
  Tenon_Value<"left", "before the first equal element">, Tenon_Value<"right", "after the last equal element">]>;

def Tenon_MatrixNormEnum : Tenon_Enum<"MatrixNorm", "The norm that matrix_norm computes.", [
  Tenon_Value<"frobenius", "square root of the sum of |x|^2">,
  Tenon_Value<"one", "largest sum of |x| over a column">,
  Tenon_Value<"minus_one", "smallest sum of |x| over a column">,
  Tenon_Value<"infinity", "largest sum of |x| over a row">,
  Tenon_Value<"minus_infinity", "smallest sum of |x| over a row">,
  Tenon_Value<"spectral", "largest singular value">,
  Tenon_Value<"minus_spectral", "smallest singular value">,
  Tenon_Value<"nuclear", "sum of the singular values">]>;

def Tenon_QRModeEnum : Tenon_Enum<"QRMode", "Which results linalg::qr has.", [
  Tenon_Value<"reduced", "Q (m, k) and R (k, n), k = min(m, n)">,
  Tenon_Value<"complete", "Q (m, m) and R (m, n)">,
  Tenon_Value<"r", "only R (k, n); Q is empty">]>;

def Tenon_DataFormatEnum : Tenon_Enum<"DataFormat", "Where an array of images or signals has its channels.", [
  Tenon_Value<"channels_last", "behind the spatial axes: [batch, height, width, channels]">,
  Tenon_Value<"channels_first", "before the spatial axes: [batch, channels, height, width]">]>;

def Tenon_ResizeMethodEnum : Tenon_Enum<"ResizeMethod", "How image_resize computes an element between those of x.", [
  Tenon_Value<"nearest", "the nearest element; keeps the dtype of x and computes nothing">,
  Tenon_Value<"linear", "linear interpolation of 2 elements along each axis (triangle kernel)">,
  Tenon_Value<"cubic", "cubic convolution of 4 elements along each axis (R. Keys, 1981)">,
  Tenon_Value<"area", "mean of the elements that the new element covers, weighted by the covered part">,
  Tenon_Value<"average", "mean of all elements that the new element touches, as adaptive average pooling">,
  Tenon_Value<"lanczos3", "sinc windowed to 3 elements at each side">,
  Tenon_Value<"lanczos5", "sinc windowed to 5 elements at each side">,
  Tenon_Value<"gaussian", "Gaussian of standard deviation 0.5, cut off at 1.5 elements">,
  Tenon_Value<"mitchell", "cubic filter of D. Mitchell and A. Netravali, 1988: smooths a little">]>;

def Tenon_ResizeCoordinatesEnum : Tenon_Enum<"ResizeCoordinates", "Where new element i lies on an axis resized from n to m elements, `scale = m / n`.", [
  Tenon_Value<"half_pixel", "(i + 0.5) / scale - 0.5: elements are areas, and the outer edges coincide">,
  Tenon_Value<"align_corners", "i * (n - 1) / (m - 1): the centers of the first and last elements coincide; 0 if m is 1">,
  Tenon_Value<"asymmetric", "i / scale: the centers of the first elements coincide">,
  Tenon_Value<"pytorch_half_pixel", "half_pixel, but 0 if m is 1">,
  Tenon_Value<"half_pixel_symmetric", "half_pixel, centered also where m is not n * scale for a given scale">,
  Tenon_Value<"tf_half_pixel_for_nn", "(i + 0.5) / scale">]>;

def Tenon_ResizeRoundingEnum : Tenon_Enum<"ResizeRounding", "Which element ResizeMethod::nearest takes for a position between two.", [
  Tenon_Value<"round_prefer_ceil", "the nearer one; halfway the upper one">,
  Tenon_Value<"round_prefer_floor", "the nearer one; halfway the lower one">,
  Tenon_Value<"floor", "the lower one">, Tenon_Value<"ceil", "the upper one">]>;

def Tenon_GridModeEnum : Tenon_Enum<"GridMode", "How grid_sample computes a value between the elements of x.", [
  Tenon_Value<"bilinear", "linear interpolation along each axis">,
  Tenon_Value<"nearest", "the nearest element; halfway the one with an even index">,
  Tenon_Value<"bicubic", "cubic convolution along each axis, coefficient -0.75">]>;

def Tenon_GridPaddingEnum : Tenon_Enum<"GridPadding", "What grid_sample finds outside x.", [
  Tenon_Value<"zeros", "zeros">, Tenon_Value<"border", "the nearest element of x">,
  Tenon_Value<"reflection", "x mirrored at its border, as often as needed">]>;

def Tenon_DepthOrderEnum : Tenon_Enum<"DepthOrder", "Order of the channels that depth_to_space and space_to_depth move, from the slowest to the fastest.", [
  Tenon_Value<"dcr", "row of the block, column of the block, channel: TensorFlow, ONNX's DCR">,
  Tenon_Value<"crd", "channel, row of the block, column of the block: PyTorch's pixel_shuffle, ONNX's CRD">]>;

def Tenon_RoiPoolingEnum : Tenon_Enum<"RoiPooling", "How roi_align combines the samples of a bin.", [
  Tenon_Value<"average", "their mean">, Tenon_Value<"max", "the largest interpolated value">]>;

def Tenon_WindowReductionEnum : Tenon_Enum<"WindowReduction", "What reduce_window makes of the elements of a window.", [
  Tenon_Value<"sum", "their sum">, Tenon_Value<"max", "the largest">, Tenon_Value<"min", "the smallest">,
  Tenon_Value<"prod", "their product">]>;

def Tenon_ConvolutionModeEnum : Tenon_Enum<"ConvolutionMode", "Which part of a convolution convolve and correlate return.", [
  Tenon_Value<"full", "every place where both arrays overlap: n1 + n2 - 1 elements">,
  Tenon_Value<"same", "the middle of it: max(n1, n2) elements, as NumPy">,
  Tenon_Value<"valid", "places where the shorter array lies within the longer one: max(n1, n2) - min(n1, n2) + 1">]>;
def Tenon_FftNormEnum : Tenon_Enum<"FftNorm", "Which direction of a Fourier transform of length n is divided.", [
  Tenon_Value<"backward", "the inverse by n">, Tenon_Value<"ortho", "both by sqrt(n)">,
  Tenon_Value<"forward", "the forward transform by n">]>;

def Tenon_ReductionEnum : Tenon_Enum<"Reduction", "What a loss does with the losses of its elements.", [
  Tenon_Value<"mean", "their mean">, Tenon_Value<"sum", "their sum">, Tenon_Value<"unreduced", "each by itself">]>;

def Tenon_WindowFunctionEnum : Tenon_Enum<"WindowFunction", "The window that signal::get_window computes, at positions t from -1 to 1.", [
  Tenon_Value<"boxcar", "1 everywhere">, Tenon_Value<"bartlett", "triangle, as bartlett">,
  Tenon_Value<"hann", "0.5 + 0.5 * cos(pi * t), as hanning">,
  Tenon_Value<"hamming", "0.54 + 0.46 * cos(pi * t)">,
  Tenon_Value<"blackman", "0.42 + 0.5 * cos(pi * t) + 0.08 * cos(2 * pi * t)">,
  Tenon_Value<"kaiser", "i0(beta * sqrt(1 - t^2)) / i0(beta)">]>;

def Tenon_RecurrentDirectionEnum : Tenon_Enum<"RecurrentDirection", "The order in which a recurrent layer reads a sequence.", [
  Tenon_Value<"forward", "from the first step to the last">, Tenon_Value<"reverse", "from the last step to the first">,
  Tenon_Value<"bidirectional", "both, with weights of their own">]>;

def Tenon_WindowSelectionEnum : Tenon_Enum<"WindowSelection", "The element of a window that select_and_scatter chooses.", [
  Tenon_Value<"max", "the first of the largest elements, or the first NaN">,
  Tenon_Value<"min", "the first of the smallest elements, or the first NaN">]>;

#endif // TENON_MODES
