//===- Pooling.td - functions over windows --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_POOLING_COMPOSITES
#define TENON_POOLING_COMPOSITES

include "Convolution.td"
include "Modes.td"

class Tenon_OverWindows<string name> : Tenon_Composite<name> {
  let category = "convolution";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Tensor:$x);
}

defvar pooledArray = Tenon_Parameter<"x", "operand">;
defvar poolWindow = Tenon_Parameter<"window", "ints", "", "Size of the window along each spatial axis, or one number for all of them.">;
defvar poolStrides = Tenon_Parameter<"strides", "ints", "none", "Steps from one window to the next, one number or one for each spatial axis; default: the size of the window.">;
defvar unitStrides = Tenon_Parameter<"strides", "ints", "none", "Steps from one window to the next, one number or one for each axis; default: 1.">;
defvar poolPadding = Tenon_Parameter<"padding", "padding", "valid", "New places around the spatial axes: `same`, `causal` or numbers; default: none.">;
defvar poolDilation = Tenon_Parameter<"dilation", "ints", "none", "Distance between the elements of a window, one number or one for each axis; default: 1.">;
defvar poolCeilMode = Tenon_Parameter<"ceil_mode", "bool", "false", "Also makes a last window that reaches beyond the padding, if it begins before it.">;
defvar poolDataFormat = Tenon_Parameter<"data_format", "DataFormat", "channels_last", "Where the channels of x are.">;

//===----------------------------------------------------------------------===//
// Reductions of all windows
//===----------------------------------------------------------------------===//

def Tenon_ReduceWindow : Tenon_OverWindows<"reduce_window"> {
  let summary = "Reduces each window of x to one element: its sum, maximum, minimum or product. Windows move along all axes of x.";
  let description = [{Elements of the padding and in the gaps of a dilated x do not take part. A window without
    elements has the sum 0, the product 1, and the least or greatest value of the dtype as maximum or minimum. NaN
    propagates; integers wrap. The derivative of a maximum goes to the first of equal elements.}];
  let example = "Array y = reduce_window(x, {2, 2}, {.reduction = WindowReduction::max, .strides = 2});";
  let parameters = [
    pooledArray, Tenon_Parameter<"window", "ints", "", "Size of the window along each axis of x, or one number for all of them.">,
    Tenon_Parameter<"reduction", "WindowReduction", "sum">, unitStrides,
    Tenon_Parameter<"padding", "padding", "valid", "New places around all axes: `same`, `causal` or numbers; default: none.">,
    poolDilation, Tenon_Parameter<"x_dilation", "ints", "none", "Distance between the elements of x, one number or one for each axis; default: 1.">];
  let options = "ReduceWindowOptions";
  let isByName = 1;
  let overloads = [{namespace detail {
/// A function of two arrays, borrowed.
struct Combination {
  Array (*call)(void *function, const Array &a, const Array &b);
  void *function;
  Array operator()(const Array &a, const Array &b) const { return call(function, a, b); }
};
[[nodiscard]] Array reduce_window(const Operand &x, const Ints &window, const Combination &combine, const Operand &init,
                                  const ReduceWindowOptions &options);
} // namespace detail
/// Reduces each window by an associative function of two arrays of one shape, element by element. `init` is combined with
/// every window and stands for the padding and the gaps of a dilated x, so it should be the identity of `combine`.
/// `combine` is called about 2 log2(window) times per axis, with the earlier elements first. `options.reduction` is not
/// read.
template <class F>
  requires std::is_invocable_r_v<Array, F &, const Array &, const Array &>
[[nodiscard]] Array reduce_window(const Operand &x, const Ints &window, F &&combine, const Operand &init,
                                  const ReduceWindowOptions &options = {}) {
  auto both = [&](const Array &a, const Array &b) -> Array { return combine(a, b); };
  const auto call = [](void *function, const Array &a, const Array &b) {
    return (*static_cast<decltype(both) *>(function))(a, b);
  };
  return detail::reduce_window(x, window, {call, &both}, init, options);
}
}];
  let referenceUlp = 16;
}

def Tenon_SelectAndScatter : Tenon_OverWindows<"select_and_scatter"> {
  let summary = "Selects the largest or smallest element of each window of x and adds the window's element of `source` at its index, starting from zeros, as XLA's SelectAndScatter with a sum.";
  let description = [{Windows move along all axes of x, as in `reduce_window`, and `source` has an element for each. The
    result has the shape of x and the dtype of `source`; f16 and bf16 are summed in f32 and rounded once. Elements of the
    padding are never chosen, and a window without elements of x adds nothing. This is the derivative of `reduce_window`
    with a maximum or minimum. The derivative with respect to x is 0.}];
  let example = "Array y = select_and_scatter(x, source, {2, 2}, {.strides = 2});";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$source);
  let parameters = [
    pooledArray, Tenon_Parameter<"source", "operand", "", "An element for each window.">,
    Tenon_Parameter<"window", "ints", "", "Size of the window along each axis of x, or one number for all of them.">,
    Tenon_Parameter<"select", "WindowSelection", "max">, unitStrides,
    Tenon_Parameter<"padding", "padding", "valid", "New places around all axes: `same`, `causal` or numbers; default: none.">];
  let options = "SelectAndScatterOptions";
  let isByName = 1;
  let referenceUlp = 16;
}

//===----------------------------------------------------------------------===//
// Pooling along the spatial axes
//===----------------------------------------------------------------------===//

class Tenon_MaxPool<string name, string example_> : Tenon_OverWindows<name> {
  let description = [{Padding never is the maximum: a window that has no element of x is an Error. NaN propagates. The
    derivative goes to the first of equal maxima, or to the first NaN. Any number of axes before the spatial ones (and
    before the channels, if those come first) are a batch.}];
  let example = example_;
  let parameters = [pooledArray, poolWindow, poolStrides, poolPadding, poolDilation, poolCeilMode, poolDataFormat];
  let options = "MaxPoolOptions";
  let isByName = 1;
}
def Tenon_MaxPool1d : Tenon_MaxPool<"max_pool1d", "Array y = max_pool1d(signal, 2); // f32[8, 100, 3] becomes f32[8, 50, 3]"> {
  let summary = "Maximum of each window along the one spatial axis of x, [batch..., length, channels].";
}
def Tenon_MaxPool2d : Tenon_MaxPool<"max_pool2d", "Array y = max_pool2d(images, 3, {.strides = 2, .padding = 1});"> {
  let summary = "Maximum of each window along the two spatial axes of x, [batch..., height, width, channels].";
}
def Tenon_MaxPool3d : Tenon_MaxPool<"max_pool3d", "Array y = max_pool3d(volumes, {1, 2, 2});"> {
  let summary = "Maximum of each window along the three spatial axes of x, [batch..., depth, height, width, channels].";
}

class Tenon_MaxPoolWithIndices<string name, string example_> : Tenon_MaxPool<name, example_> {
  let returns = "MaxPool";
}
def Tenon_MaxPool1dWithIndices : Tenon_MaxPoolWithIndices<"max_pool1d_with_indices", "auto [y, indices] = max_pool1d_with_indices(signal, 2);"> {
  let summary = "The result of `max_pool1d`, and the index (i64) of each maximum along the spatial axis of x.";
}
def Tenon_MaxPool2dWithIndices : Tenon_MaxPoolWithIndices<"max_pool2d_with_indices", "auto [y, indices] = max_pool2d_with_indices(images, 2); // of max_unpool2d"> {
  let summary = "The result of `max_pool2d`, and the index (i64) of each maximum: `row * width + column`.";
}
def Tenon_MaxPool3dWithIndices : Tenon_MaxPoolWithIndices<"max_pool3d_with_indices", "auto [y, indices] = max_pool3d_with_indices(volumes, 2);"> {
  let summary = "The result of `max_pool3d`, and the index (i64) of each maximum into the flattened spatial axes of x.";
}

class Tenon_MaxUnpool<string name, string example_> : Tenon_OverWindows<name> {
  let description = [{Elements at no index are 0. Of equal indices the last element wins. A spatial axis of the result
    has `(size - 1) * stride + window` places less the padding, or `output_size`, which must be less than a stride away
    from that.}];
  let example = example_;
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices);
  let parameters = [
    pooledArray, Tenon_Parameter<"indices", "operand", "", "Integers, of the shape of x.">, poolWindow, poolStrides,
    Tenon_Parameter<"padding", "padding", "valid", "The padding that was pooled with; `same` and `causal` need `output_size`.">,
    Tenon_Parameter<"output_size", "shape", "none", "Spatial sizes of the result.">, poolDataFormat];
  let options = "MaxUnpoolOptions";
  let isByName = 1;
}
def Tenon_MaxUnpool1d : Tenon_MaxUnpool<"max_unpool1d", "Array z = max_unpool1d(pooled.values, pooled.indices, 2);"> {
  let summary = "Puts the elements of x at the indices of `max_pool1d_with_indices`, among zeros.";
}
def Tenon_MaxUnpool2d : Tenon_MaxUnpool<"max_unpool2d", "Array z = max_unpool2d(pooled.values, pooled.indices, 2, {.output_size = {5, 5}});"> {
  let summary = "Puts the elements of x at the indices of `max_pool2d_with_indices`, among zeros.";
}
def Tenon_MaxUnpool3d : Tenon_MaxUnpool<"max_unpool3d", "Array z = max_unpool3d(pooled.values, pooled.indices, 2);"> {
  let summary = "Puts the elements of x at the indices of `max_pool3d_with_indices`, among zeros.";
}

// The mean of windows that all have the same number of places, in one pass.
def Tenon_WindowMean : Tenon_NamedComposite<"window_mean"> {
  let category = "convolution";
  let summary = "Sums the elements of each window, as `window_sum` does, and divides the sums by `divisor`.";
  let isPublic = 0;
  let dtypes = ["f32", "f64"];
  let arguments = !con((ins Tenon_Tensor:$x, Tenon_Ints:$window), windowArguments, (ins Tenon_Scalar:$divisor));
  let kernel = "kernelWindowMean";
  let vjp = "vjpWindowMean";
  let batch = "batchWindowMean";
  let referenceUlp = 16;
}

class Tenon_AvgPool<string name, string example_> : Tenon_OverWindows<name> {
  let description = [{Integers become f32. Padding is 0. With `count_include_pad` the divisor counts the places of the
    padding, but not those beyond it that `ceil_mode` adds; without, it counts the elements of x alone, of which each
    window must have one.}];
  let example = example_;
  let dtypes = ["floating"];
  let parameters = [pooledArray, poolWindow, poolStrides, poolPadding, poolCeilMode,
                    Tenon_Parameter<"count_include_pad", "bool", "true", "Whether the divisor counts the padding.">,
                    poolDataFormat];
  let options = "AvgPoolOptions";
  let isByName = 1;
  let referenceUlp = 16;
}
def Tenon_AvgPool1d : Tenon_AvgPool<"avg_pool1d", "Array y = avg_pool1d(signal, 2);"> {
  let summary = "Mean of each window along the one spatial axis of x, [batch..., length, channels].";
}
def Tenon_AvgPool2d : Tenon_AvgPool<"avg_pool2d", "Array y = avg_pool2d(images, 3, {.strides = 1, .padding = same, .count_include_pad = false});"> {
  let summary = "Mean of each window along the two spatial axes of x, [batch..., height, width, channels].";
}
def Tenon_AvgPool3d : Tenon_AvgPool<"avg_pool3d", "Array y = avg_pool3d(volumes, {1, 2, 2});"> {
  let summary = "Mean of each window along the three spatial axes of x, [batch..., depth, height, width, channels].";
}

class Tenon_AdaptivePool<string name> : Tenon_OverWindows<name> {
  let description = [{Window i of an axis begins at `floor(i * size / output_size)` and ends before `ceil((i + 1) * size
    / output_size)`. A symbolic size must be a multiple of the output size; the output size 1 takes any.}];
  let parameters = [pooledArray, Tenon_Parameter<"output_size", "ints", "", "Number of windows along each spatial axis, or one number for all of them.">,
                    poolDataFormat];
  let options = "AdaptivePoolOptions";
  let isByName = 1;
}
class Tenon_AdaptiveAvgPool<string name> : Tenon_AdaptivePool<name> {
  let dtypes = ["floating"];
  let referenceUlp = 16;
}
def Tenon_AdaptiveAvgPool1d : Tenon_AdaptiveAvgPool<"adaptive_avg_pool1d"> {
  let summary = "Mean of each of `output_size` windows that cover the one spatial axis of x. Integers become f32.";
  let example = "Array y = adaptive_avg_pool1d(signal, 4); // of any length";
}
def Tenon_AdaptiveAvgPool2d : Tenon_AdaptiveAvgPool<"adaptive_avg_pool2d"> {
  let summary = "Mean of each of `output_size` windows that cover the two spatial axes of x. Integers become f32.";
  let example = "Array y = adaptive_avg_pool2d(images, {7, 7}); // images of any size";
}
def Tenon_AdaptiveAvgPool3d : Tenon_AdaptiveAvgPool<"adaptive_avg_pool3d"> {
  let summary = "Mean of each of `output_size` windows that cover the three spatial axes of x. Integers become f32.";
  let example = "Array y = adaptive_avg_pool3d(volumes, 1); // the mean of each channel";
}
def Tenon_AdaptiveMaxPool1d : Tenon_AdaptivePool<"adaptive_max_pool1d"> {
  let summary = "Maximum of each of `output_size` windows that cover the one spatial axis of x. NaN propagates.";
  let example = "Array y = adaptive_max_pool1d(signal, 4);";
}
def Tenon_AdaptiveMaxPool2d : Tenon_AdaptivePool<"adaptive_max_pool2d"> {
  let summary = "Maximum of each of `output_size` windows that cover the two spatial axes of x. NaN propagates.";
  let example = "Array y = adaptive_max_pool2d(images, {7, 7});";
}
def Tenon_AdaptiveMaxPool3d : Tenon_AdaptivePool<"adaptive_max_pool3d"> {
  let summary = "Maximum of each of `output_size` windows that cover the three spatial axes of x. NaN propagates.";
  let example = "Array y = adaptive_max_pool3d(volumes, 1);";
}

def Tenon_LocalResponseNorm : Tenon_OverWindows<"local_response_norm"> {
  let summary = "Divides x by `(k + alpha * m)^beta`, where m is the mean of the squares of `size` neighboring channels, `size / 2` of them before the element's own.";
  let description = [{Channels outside of x count as 0 and are part of the mean, as in PyTorch; TensorFlow does not
    divide by `size`. The channels are the last axis, or axis 1 if they come first. Integers become f32. Source: A.
    Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", 2012.}];
  let example = "Array y = local_response_norm(images, 5);";
  let dtypes = ["floating"];
  let parameters = [pooledArray, Tenon_Parameter<"size", "int", "", "Number of neighboring channels.">,
                    Tenon_Parameter<"alpha", "float", "1e-4">, Tenon_Parameter<"beta", "float", "0.75">,
                    Tenon_Parameter<"k", "float", "1">, poolDataFormat];
  let options = "LocalResponseNormOptions";
  let isByName = 1;
  let referenceUlp = 32;
}

//===----------------------------------------------------------------------===//
// The windows themselves
//===----------------------------------------------------------------------===//

def Tenon_SlidingWindowView : Tenon_OverWindows<"sliding_window_view"> {
  let summary = "All windows of x: axis `axes[i]` of the result counts the windows, and new last axes hold their elements.";
  let description = [{The elements are copied; in NumPy the result is a view. An axis may be named more than once.}];
  let example = "Array w = sliding_window_view(x, 3, 0); // f32[10] becomes f32[8, 3]";
  let dtypes = ["any"];
  let parameters = [pooledArray, Tenon_Parameter<"window", "ints", "", "Size of the window along each of the axes.">,
                    Tenon_Parameter<"axes", "axes", "none", "Axes; negative counts from the end; default: all.">];
}

def Tenon_Unfold : Tenon_OverWindows<"unfold"> {
  let summary = "The windows of images as columns of a matrix (im2col): [batch..., height, width, channels] becomes [batch..., windows, window elements * channels].";
  let description = [{Of the elements of a window the channels vary fastest, so the product with a kernel [height, width,
    in, out], reshaped to two axes, is the convolution. Where the channels come first, [batch..., channels, height,
    width] becomes [batch..., channels * window elements, windows], as in PyTorch. Padding is 0.}];
  let example = "Array columns = unfold(images, 3, {.padding = same}); // f32[8, 32, 32, 4] becomes f32[8, 1024, 36]";
  let dtypes = ["computed"];
  let parameters = [pooledArray, Tenon_Parameter<"window", "ints", "", "Height and width of the window, or one number for both.">,
                    unitStrides, poolPadding, poolDilation, poolDataFormat];
  let options = "UnfoldOptions";
  let isByName = 1;
}
def Tenon_Fold : Tenon_OverWindows<"fold"> {
  let summary = "Adds the windows that are the columns of x to images of height and width `output_size` (col2im): the transpose of `unfold`.";
  let description = [{x has the shape of `unfold(images, window, ...)`. Elements of different windows at the same place
    are summed, f16 and bf16 in f32. `fold(unfold(x))` is x times the number of windows that each element is in.}];
  let example = "Array images = fold(columns, {32, 32}, 3, {.padding = same});";
  let dtypes = ["real", "complex"];
  let parameters = [pooledArray, Tenon_Parameter<"output_size", "shape", "", "Height and width of the result.">,
                    Tenon_Parameter<"window", "ints", "", "Height and width of the window, or one number for both.">,
                    unitStrides, poolPadding, poolDilation, poolDataFormat];
  let options = "UnfoldOptions";
  let isByName = 1;
  let referenceUlp = 16;
}

#endif // TENON_POOLING_COMPOSITES
