//===- ops.h - the operations, by category --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by tenon-tblgen from the records in dialect/; change those.
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/array.h>
#include <tenon/key.h>
#include <tenon/modes.h>
#include <tenon/padding.h>
#include <tenon/results.h>

#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tenon {

/// Options of sum, prod, given by name: `sum(x, {.axis = ...})`.
struct SumOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
  /// Dtype of the computation and the result; default: chosen by the dtype of x.
  std::optional<Dtype> dtype = {};
  /// Initial value of the reduction.
  std::optional<Scalar> initial = {};
  /// Mask that broadcasts to the shape of x: only elements where it is true are reduced.
  Array where = {};
};

/// Options of max, min, given by name: `max(x, {.axis = ...})`.
struct ExtremumOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
  /// Initial value of the reduction.
  std::optional<Scalar> initial = {};
  /// Mask that broadcasts to the shape of x: only elements where it is true are reduced.
  Array where = {};
};

/// Options of any, all, given by name: `any(x, {.axis = ...})`.
struct QuantifierOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
  /// Mask that broadcasts to the shape of x: only elements where it is true are reduced.
  Array where = {};
};

/// Options of argmax, argmin, nanargmax, nanargmin, given by name: `argmax(x, {.axis = ...})`.
struct ArgOptions {
  detail::ByName by_name = detail::ByName();
  /// The axis; default: the array is flattened.
  std::optional<Axis> axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
};

/// Options of cholesky, given by name: `cholesky(x, {.upper = ...})`.
struct CholeskyOptions {
  detail::ByName by_name = detail::ByName();
  /// Returns the upper triangular factor.
  bool upper = false;
  /// Replaces x by `(x + conj(matrix_transpose(x))) / 2`. Otherwise only one triangle is read.
  bool symmetrize_input = true;
};

/// Options of triangular_solve, given by name: `triangular_solve(a, b, {.left_side = ...})`.
struct TriangularSolveOptions {
  detail::ByName by_name = detail::ByName();
  /// If false, solves `x @ a = b`.
  bool left_side = true;
  /// `a` is lower triangular.
  bool lower = false;
  /// Solves with the transpose of `a`.
  bool transpose_a = false;
  /// Solves with the conjugate of `a`.
  bool conjugate_a = false;
  /// Takes the diagonal of `a` as ones and does not read it.
  bool unit_diagonal = false;
};

/// Options of eigh, eigvalsh, given by name: `eigh(x, {.lower = ...})`.
struct EighOptions {
  detail::ByName by_name = detail::ByName();
  /// Without `symmetrize_input`: which triangle is read.
  bool lower = true;
  /// Replaces x by `(x + conj(matrix_transpose(x))) / 2`. Otherwise only one triangle is read.
  bool symmetrize_input = true;
};

/// Options of svd, given by name: `svd(x, {.full_matrices = ...})`.
struct SVDOptions {
  detail::ByName by_name = detail::ByName();
  /// U and Vh are square.
  bool full_matrices = true;
};

/// Options of rms_norm, given by name: `rms_norm(x, axes, scale, {.epsilon = ...})`.
struct RmsNormOptions {
  detail::ByName by_name = detail::ByName();
  /// Added to the mean of the squares; not negative.
  double epsilon = 1e-6;
};

/// Options of batch_norm, batch_norm_training, given by name: `batch_norm(x, mean, variance, scale,
/// offset, {.axis = ...})`.
struct BatchNormOptions {
  detail::ByName by_name = detail::ByName();
  /// The axis of the channels.
  Axis axis = -1;
  /// Added to the variance; not negative.
  double epsilon = 1e-5;
};

/// Options of group_norm, instance_norm, given by name: `group_norm(x, groups, scale, offset,
/// {.epsilon = ...})`.
struct GroupNormOptions {
  detail::ByName by_name = detail::ByName();
  /// Added to the variance; not negative.
  double epsilon = 1e-5;
  /// The axis of the channels; not axis 0, which is the batch.
  Axis axis = -1;
};

/// Options of scaled_dot_product_attention, given by name: `scaled_dot_product_attention(q, k, v,
/// {.mask = ...})`.
struct AttentionOptions {
  detail::ByName by_name = detail::ByName();
  /// Bools that broadcast to (batch..., heads, length, keys): true takes part.
  Array mask = {};
  /// Floats that broadcast to the same shape and are added to the scores.
  Array bias = {};
  /// Query i sees the keys 0 to i.
  bool causal = false;
  /// Default: `1 / sqrt(width)`.
  std::optional<double> scale = {};
  /// Query i sees the keys i - left to i + right: {left, right}, or one number for both; -1 is no
  /// bound.
  Ints window = {};
  /// Makes the scores `softcap * tanh(scores / softcap)`.
  std::optional<double> softcap = {};
  /// Each weight of the softmax becomes 0 with this probability; the others are divided by `1 -
  /// dropout_rate`.
  double dropout_rate = 0;
  /// The key of the dropout; needed where the rate is not 0.
  Key key = {};
};

/// Options of nll_loss, given by name: `nll_loss(log_probs, target, {.weight = ...})`.
struct NllLossOptions {
  detail::ByName by_name = detail::ByName();
  /// A weight for each class; default: 1.
  Array weight = {};
  /// Targets of this class have loss 0 and do not count in the mean.
  int ignore_index = -100;
  Reduction reduction = Reduction::mean;
  /// The axis of the classes.
  Axis axis = -1;
};

/// Options of cross_entropy, given by name: `cross_entropy(logits, target, {.weight = ...})`.
struct CrossEntropyOptions {
  detail::ByName by_name = detail::ByName();
  /// A weight for each class; default: 1.
  Array weight = {};
  /// Targets of this class have loss 0 and do not count in the mean.
  int ignore_index = -100;
  Reduction reduction = Reduction::mean;
  /// In [0, 1].
  double label_smoothing = 0;
  /// The axis of the classes.
  Axis axis = -1;
};

/// Options of binary_cross_entropy, given by name: `binary_cross_entropy(x, target, {.weight =
/// ...})`.
struct BinaryCrossEntropyOptions {
  detail::ByName by_name = detail::ByName();
  /// A factor for each loss; broadcasts to their shape.
  Array weight = {};
  Reduction reduction = Reduction::mean;
};

/// Options of binary_cross_entropy_with_logits, given by name: `binary_cross_entropy_with_logits(x,
/// target, {.weight = ...})`.
struct BinaryLogitsOptions {
  detail::ByName by_name = detail::ByName();
  /// A factor for each loss; broadcasts to their shape.
  Array weight = {};
  /// A factor for the positive part; broadcasts to the shape of x.
  Array pos_weight = {};
  Reduction reduction = Reduction::mean;
};

/// Options of huber_loss, given by name: `huber_loss(x, target, {.reduction = ...})`.
struct HuberLossOptions {
  detail::ByName by_name = detail::ByName();
  Reduction reduction = Reduction::mean;
  /// Positive.
  double delta = 1;
};

/// Options of smooth_l1_loss, given by name: `smooth_l1_loss(x, target, {.reduction = ...})`.
struct SmoothL1LossOptions {
  detail::ByName by_name = detail::ByName();
  Reduction reduction = Reduction::mean;
  /// Not negative.
  double beta = 1;
};

/// Options of kl_div, given by name: `kl_div(x, target, {.reduction = ...})`.
struct KlDivOptions {
  detail::ByName by_name = detail::ByName();
  Reduction reduction = Reduction::mean;
  /// The target are log-probabilities.
  bool log_target = false;
};

/// Options of mse_loss, l1_loss, given by name: `mse_loss(x, target, {.reduction = ...})`.
struct LossOptions {
  detail::ByName by_name = detail::ByName();
  Reduction reduction = Reduction::mean;
};

/// Options of normalize, given by name: `normalize(x, {.p = ...})`.
struct NormalizeOptions {
  detail::ByName by_name = detail::ByName();
  /// The order of the norm, as in `vector_norm`.
  double p = 2;
  Axis axis = -1;
  /// The smallest divisor; positive.
  double epsilon = 1e-12;
};

/// Options of cosine_similarity, given by name: `cosine_similarity(x1, x2, {.axis = ...})`.
struct CosineOptions {
  detail::ByName by_name = detail::ByName();
  Axis axis = -1;
  /// The smallest divisor; positive.
  double epsilon = 1e-8;
};

/// Options of pairwise_distance, given by name: `pairwise_distance(x1, x2, {.p = ...})`.
struct PairwiseOptions {
  detail::ByName by_name = detail::ByName();
  /// The order of the norm, as in `vector_norm`.
  double p = 2;
  double epsilon = 1e-6;
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
};

/// Options of cdist, given by name: `cdist(x1, x2, {.p = ...})`.
struct CdistOptions {
  detail::ByName by_name = detail::ByName();
  /// The order of the norm, as in `vector_norm`.
  double p = 2;
};

/// Options of mean, given by name: `mean(x, {.axis = ...})`.
struct MeanOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
  /// Dtype of the computation and the result; default: chosen by the dtype of x.
  std::optional<Dtype> dtype = {};
  /// Mask that broadcasts to the shape of x: only elements where it is true are reduced.
  Array where = {};
};

/// Options of var, std, given by name: `var(x, {.axis = ...})`.
struct SpreadOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
  /// The divisor is the number of elements minus `correction`; 1 gives the sample estimate.
  double correction = 0;
  /// The floating dtype of the computation and the result; default: that of x.
  std::optional<Dtype> dtype = {};
  /// Mask that broadcasts to the shape of x: only elements where it is true are reduced.
  Array where = {};
};

/// Options of nanvar, nanstd, given by name: `nanvar(x, {.axis = ...})`.
struct VarianceOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
  /// The divisor is the number of elements minus `correction`; 1 gives the sample estimate.
  double correction = 0;
};

/// Options of nansum, nanprod, nanmax, nanmin, nanmean, ptp, count_nonzero, median, quantile,
/// percentile, nanmedian, nanquantile, nanpercentile, logsumexp, given by name: `nansum(x, {.axis =
/// ...})`.
struct ReduceOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
};

/// Options of average, given by name: `average(x, {.axis = ...})`.
struct AverageOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Default: equal weights.
  Array weights = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
};

/// Options of vector_norm, given by name: `vector_norm(x, {.axis = ...})`.
struct VectorNormOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
  /// Order of the norm.
  double ord = 2;
};

/// Options of norm, given by name: `norm(x, {.axis = ...})`.
struct NormOptions {
  detail::ByName by_name = detail::ByName();
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
  /// Keeps the reduced axes, with size 1.
  bool keepdims = false;
  /// Order of the norm; default: 2 for vectors, "fro" for matrices.
  std::optional<double> ord = {};
};

/// Options of unique, given by name: `unique(x, {.axis = ...})`.
struct UniqueOptions {
  detail::ByName by_name = detail::ByName();
  /// The axis; default: x is flattened.
  std::optional<Axis> axis = {};
  /// Number of results; default: all of them. Required under jit.
  std::optional<Dim> size = {};
  /// Fills the result; default: the first slice.
  std::optional<Scalar> fill_value = {};
};

/// Options of histogram2d, given by name: `histogram2d(x, y, x_bins, y_bins, {.x_range = ...})`.
struct Histogram2dOptions {
  detail::ByName by_name = detail::ByName();
  /// First and last edge if `x_bins` is a number; default: min(x), max(x).
  Array x_range = {};
  /// The same along y.
  Array y_range = {};
  /// One weight per point; default: 1.
  Array weights = {};
  /// Normalizes the histogram to an integral of 1.
  bool density = false;
};

/// Options of conv1d, conv2d, conv3d, given by name: `conv1d(x, kernel, {.strides = ...})`.
struct ConvOptions {
  detail::ByName by_name = detail::ByName();
  /// Steps from one window to the next, one number or one for each spatial axis; default: 1.
  Ints strides = {};
  /// New places around the spatial axes: `same`, `causal` or numbers; default: none.
  Padding padding = PaddingMode::valid;
  /// Distance between the taps of the kernel, one number or one for each spatial axis; default: 1.
  Ints dilation = {};
  /// Parts that the channels of x and of the result are cut into; each part of the result is made
  /// of its part of x.
  int groups = 1;
  /// Where the channels of x and of the result are.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of conv_general, given by name: `conv_general(x, kernel, {.strides = ...})`.
struct ConvGeneralOptions {
  detail::ByName by_name = detail::ByName();
  /// Steps from one window to the next, one number or one for each spatial axis; default: 1.
  Ints strides = {};
  /// New places around the spatial axes: `same`, `causal` or numbers; default: none.
  Padding padding = PaddingMode::valid;
  /// Distance between the elements of x, one number or one for each spatial axis; default: 1.
  Ints x_dilation = {};
  /// Distance between the taps of the kernel, one number or one for each spatial axis; default: 1.
  Ints dilation = {};
  /// Parts that the channels of x and of the result are cut into; each part of the result is made
  /// of its part of x.
  int groups = 1;
  /// The axes of x, the kernel and the result.
  std::optional<std::string_view> layout = {};
};

/// Options of conv_transpose1d, conv_transpose2d, conv_transpose3d, given by name:
/// `conv_transpose1d(x, kernel, {.strides = ...})`.
struct ConvTransposeOptions {
  detail::ByName by_name = detail::ByName();
  /// Steps from one window to the next, one number or one for each spatial axis; default: 1.
  Ints strides = {};
  /// New places around the spatial axes: `same`, `causal` or numbers; default: none.
  Padding padding = PaddingMode::valid;
  /// New places at the end of each spatial axis of the result; default: 0.
  Ints output_padding = {};
  /// Distance between the taps of the kernel, one number or one for each spatial axis; default: 1.
  Ints dilation = {};
  /// Parts that the channels of x and of the result are cut into; each part of the result is made
  /// of its part of x.
  int groups = 1;
  /// Where the channels of x and of the result are.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of cumulative_trapezoid, given by name: `cumulative_trapezoid(y, {.x = ...})`.
struct CumulativeTrapezoidOptions {
  detail::ByName by_name = detail::ByName();
  /// Sample points; default: `dx` apart.
  Array x = {};
  double dx = 1;
  Axis axis = -1;
  /// Prepended to the result; not added to the integrals.
  std::optional<Scalar> initial = {};
};

/// Options of image_resize, given by name: `image_resize(x, sizes, {.method = ...})`.
struct ImageResizeOptions {
  detail::ByName by_name = detail::ByName();
  ResizeMethod method = ResizeMethod::nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::half_pixel;
  /// Stretches the kernel along axes that shrink.
  bool antialias = false;
  /// Of `nearest`; the default is that of JAX, TensorFlow and PyTorch's nearest-exact.
  ResizeRounding rounding = ResizeRounding::round_prefer_ceil;
  /// Slope of `cubic` at distance 1: -0.75 in PyTorch and ONNX, -0.5 in JAX, TensorFlow and Keras.
  double cubic_coefficient = -0.75;
  /// Leaves out what lies outside x; default: with `antialias`, and with lanczos, gaussian and
  /// mitchell.
  std::optional<bool> exclude_outside = {};
  /// Axes that `sizes` are for; default: all but the first and the last.
  Ints axis = {};
  /// New size / size of each axis, for the positions; default: the ratios of the sizes.
  Array scales = {};
};

/// Options of grid_sample, given by name: `grid_sample(x, grid, {.mode = ...})`.
struct GridSampleOptions {
  detail::ByName by_name = detail::ByName();
  GridMode mode = GridMode::bilinear;
  GridPadding padding = GridPadding::zeros;
  /// -1 and 1 are the centers of the first and last elements.
  bool align_corners = false;
  /// Where x and the result have their channels.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of affine_grid, given by name: `affine_grid(theta, shape, {.align_corners = ...})`.
struct AffineGridOptions {
  detail::ByName by_name = detail::ByName();
  /// -1 and 1 are the centers of the first and last elements.
  bool align_corners = false;
  /// Where `shape` has the channels.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of roi_align, given by name: `roi_align(x, rois, batch_indices, sizes, {.spatial_scale =
/// ...})`.
struct RoiAlignOptions {
  detail::ByName by_name = detail::ByName();
  /// Size of x / size of the images that the boxes are given in.
  double spatial_scale = 1;
  /// Samples of a bin along each axis; 0: as many as the bin is large.
  int sampling_ratio = 0;
  /// Box coordinates are edges of elements; false: centers, and boxes have size 1 at least.
  bool aligned = true;
  RoiPooling pooling = RoiPooling::average;
  /// Where x and the result have their channels.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of depth_to_space, space_to_depth, given by name: `depth_to_space(x, block_size, {.order
/// = ...})`.
struct DepthToSpaceOptions {
  detail::ByName by_name = detail::ByName();
  DepthOrder order = DepthOrder::dcr;
  /// Where x and the result have their channels.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of pixel_shuffle, pixel_unshuffle, given by name: `pixel_shuffle(x, factor,
/// {.data_format = ...})`.
struct PixelShuffleOptions {
  detail::ByName by_name = detail::ByName();
  /// Where x and the result have their channels.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of reduce_window, given by name: `reduce_window(x, window, {.reduction = ...})`.
struct ReduceWindowOptions {
  detail::ByName by_name = detail::ByName();
  WindowReduction reduction = WindowReduction::sum;
  /// Steps from one window to the next, one number or one for each axis; default: 1.
  Ints strides = {};
  /// New places around all axes: `same`, `causal` or numbers; default: none.
  Padding padding = PaddingMode::valid;
  /// Distance between the elements of a window, one number or one for each axis; default: 1.
  Ints dilation = {};
  /// Distance between the elements of x, one number or one for each axis; default: 1.
  Ints x_dilation = {};
};

/// Options of select_and_scatter, given by name: `select_and_scatter(x, source, window, {.select =
/// ...})`.
struct SelectAndScatterOptions {
  detail::ByName by_name = detail::ByName();
  WindowSelection select = WindowSelection::max;
  /// Steps from one window to the next, one number or one for each axis; default: 1.
  Ints strides = {};
  /// New places around all axes: `same`, `causal` or numbers; default: none.
  Padding padding = PaddingMode::valid;
};

/// Options of max_pool1d, max_pool2d, max_pool3d, max_pool1d_with_indices, max_pool2d_with_indices,
/// max_pool3d_with_indices, given by name: `max_pool1d(x, window, {.strides = ...})`.
struct MaxPoolOptions {
  detail::ByName by_name = detail::ByName();
  /// Steps from one window to the next, one number or one for each spatial axis; default: the size
  /// of the window.
  Ints strides = {};
  /// New places around the spatial axes: `same`, `causal` or numbers; default: none.
  Padding padding = PaddingMode::valid;
  /// Distance between the elements of a window, one number or one for each axis; default: 1.
  Ints dilation = {};
  /// Also makes a last window that reaches beyond the padding, if it begins before it.
  bool ceil_mode = false;
  /// Where the channels of x are.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of max_unpool1d, max_unpool2d, max_unpool3d, given by name: `max_unpool1d(x, indices,
/// window, {.strides = ...})`.
struct MaxUnpoolOptions {
  detail::ByName by_name = detail::ByName();
  /// Steps from one window to the next, one number or one for each spatial axis; default: the size
  /// of the window.
  Ints strides = {};
  /// The padding that was pooled with; `same` and `causal` need `output_size`.
  Padding padding = PaddingMode::valid;
  /// Spatial sizes of the result.
  Shape output_size = {};
  /// Where the channels of x are.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of avg_pool1d, avg_pool2d, avg_pool3d, given by name: `avg_pool1d(x, window, {.strides =
/// ...})`.
struct AvgPoolOptions {
  detail::ByName by_name = detail::ByName();
  /// Steps from one window to the next, one number or one for each spatial axis; default: the size
  /// of the window.
  Ints strides = {};
  /// New places around the spatial axes: `same`, `causal` or numbers; default: none.
  Padding padding = PaddingMode::valid;
  /// Also makes a last window that reaches beyond the padding, if it begins before it.
  bool ceil_mode = false;
  /// Whether the divisor counts the padding.
  bool count_include_pad = true;
  /// Where the channels of x are.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, adaptive_max_pool1d,
/// adaptive_max_pool2d, adaptive_max_pool3d, given by name: `adaptive_avg_pool1d(x, output_size,
/// {.data_format = ...})`.
struct AdaptivePoolOptions {
  detail::ByName by_name = detail::ByName();
  /// Where the channels of x are.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of local_response_norm, given by name: `local_response_norm(x, size, {.alpha = ...})`.
struct LocalResponseNormOptions {
  detail::ByName by_name = detail::ByName();
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1;
  /// Where the channels of x are.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of unfold, fold, given by name: `unfold(x, window, {.strides = ...})`.
struct UnfoldOptions {
  detail::ByName by_name = detail::ByName();
  /// Steps from one window to the next, one number or one for each axis; default: 1.
  Ints strides = {};
  /// New places around the spatial axes: `same`, `causal` or numbers; default: none.
  Padding padding = PaddingMode::valid;
  /// Distance between the elements of a window, one number or one for each axis; default: 1.
  Ints dilation = {};
  /// Where the channels of x are.
  DataFormat data_format = DataFormat::channels_last;
};

/// Options of fft, ifft, rfft, ihfft, given by name: `fft(x, {.n = ...})`.
struct FftOptions {
  detail::ByName by_name = detail::ByName();
  /// Length of the transform: x is cropped or padded with zeros at its end. Default: the size of
  /// the axis.
  std::optional<Dim> n = {};
  /// The axis; negative counts from the end.
  Axis axis = -1;
  /// Which direction is divided by the length.
  FftNorm norm = FftNorm::backward;
};

/// Options of irfft, hfft, given by name: `irfft(x, {.n = ...})`.
struct RealFftOptions {
  detail::ByName by_name = detail::ByName();
  /// Length of the real signal. Default: 2 * (m - 1) for m elements along the axis.
  std::optional<Dim> n = {};
  /// The axis; negative counts from the end.
  Axis axis = -1;
  /// Which direction is divided by the length.
  FftNorm norm = FftNorm::backward;
};

/// Options of fft2, ifft2, rfft2, irfft2, given by name: `fft2(x, {.s = ...})`.
struct Fft2Options {
  detail::ByName by_name = detail::ByName();
  /// Length of the transform along each axis: x is cropped or padded with zeros. Default: the sizes
  /// of x.
  Shape s = {};
  /// The axes; negative counts from the end; default: the last two.
  Ints axis = {};
  /// Which direction is divided by the length.
  FftNorm norm = FftNorm::backward;
};

/// Options of fftn, ifftn, rfftn, irfftn, given by name: `fftn(x, {.s = ...})`.
struct FftnOptions {
  detail::ByName by_name = detail::ByName();
  /// Length of the transform along each axis: x is cropped or padded with zeros. Default: the sizes
  /// of x.
  Shape s = {};
  /// The axes; negative counts from the end; default: all, or the last ones if `s` is given.
  Ints axis = {};
  /// Which direction is divided by the length.
  FftNorm norm = FftNorm::backward;
};

/// Options of dct, idct, given by name: `dct(x, {.type = ...})`.
struct DctOptions {
  detail::ByName by_name = detail::ByName();
  /// 2 or 3.
  int type = 2;
  /// Length of the transform: x is cropped or padded with zeros at its end. Default: the size of
  /// the axis.
  std::optional<Dim> n = {};
  /// The axis; negative counts from the end.
  Axis axis = -1;
  /// Which direction is divided, by 2 n; `ortho`: both are orthogonal matrices.
  FftNorm norm = FftNorm::backward;
};

/// Options of fftconvolve, given by name: `fftconvolve(x1, x2, {.mode = ...})`.
struct FftconvolveOptions {
  detail::ByName by_name = detail::ByName();
  /// Which part of the result is returned.
  ConvolutionMode mode = ConvolutionMode::full;
  /// Axes; negative counts from the end; default: all.
  Ints axis = {};
};

/// Options of stft, given by name: `stft(x, n_fft, {.hop_length = ...})`.
struct StftOptions {
  detail::ByName by_name = detail::ByName();
  /// Samples between the starts of two frames; default: `n_fft / 4`.
  std::optional<int> hop_length = {};
  /// At most `n_fft` samples that each frame is multiplied by; a shorter window is centered and
  /// padded with zeros. Default: ones (SciPy's is hann).
  Array window = {};
  /// Frame i is centered at sample `i * hop_length`: x is padded at both ends.
  bool center = true;
  /// What x is padded with.
  PadMode pad_mode = PadMode::reflect;
  /// Divides by `sqrt(n_fft)`.
  bool normalized = false;
  /// Whether only the frequencies 0 to `n_fft / 2` are returned; default: true for real x.
  std::optional<bool> onesided = {};
};

/// Options of istft, given by name: `istft(x, n_fft, {.hop_length = ...})`.
struct IstftOptions {
  detail::ByName by_name = detail::ByName();
  /// Samples between the starts of two frames; default: `n_fft / 4`.
  std::optional<int> hop_length = {};
  /// At most `n_fft` samples that each frame is multiplied by; a shorter window is centered and
  /// padded with zeros. Default: ones (SciPy's is hann).
  Array window = {};
  /// The signal was padded by `n_fft / 2` samples at both ends, which are removed.
  bool center = true;
  /// Multiplies by `sqrt(n_fft)`.
  bool normalized = false;
  /// x has the frequencies 0 to `n_fft / 2` of a real signal.
  bool onesided = true;
  /// Number of samples of the result: it is cropped or padded with zeros at its end. Default: all.
  std::optional<Dim> length = {};
};

/// Options of lfilter, given by name: `lfilter(b, a, x, {.axis = ...})`.
struct LfilterOptions {
  detail::ByName by_name = detail::ByName();
  /// The axis; negative counts from the end.
  Axis axis = -1;
  /// The state before the first sample: of the rank of x, with `max(M, N)` elements along the axis;
  /// other axes of size 1 broadcast. Default: zeros.
  Array zi = {};
};

/// Options of rnn, given by name: `rnn(x, W, R, {.B = ...})`.
struct RnnOptions {
  detail::ByName by_name = detail::ByName();
  /// Biases; default: 0.
  Array B = {};
  /// Integers: the number of steps of each sequence of the batch; default: all.
  Array sequence_lens = {};
  /// The state before the first step, of the shape of Y_h; default: 0.
  Array initial_h = {};
  /// The order in which a sequence is read.
  RecurrentDirection direction = RecurrentDirection::forward;
  /// 1: the batch is the first axis.
  int layout = 0;
};

/// Options of gru, given by name: `gru(x, W, R, {.B = ...})`.
struct GruOptions {
  detail::ByName by_name = detail::ByName();
  /// Biases; default: 0.
  Array B = {};
  /// Integers: the number of steps of each sequence of the batch; default: all.
  Array sequence_lens = {};
  /// The state before the first step, of the shape of Y_h; default: 0.
  Array initial_h = {};
  /// The order in which a sequence is read.
  RecurrentDirection direction = RecurrentDirection::forward;
  /// 1: the batch is the first axis.
  int layout = 0;
  /// Applies r after the product with R instead of before.
  bool linear_before_reset = false;
};

/// Options of lstm, given by name: `lstm(x, W, R, {.B = ...})`.
struct LstmOptions {
  detail::ByName by_name = detail::ByName();
  /// Biases; default: 0.
  Array B = {};
  /// Integers: the number of steps of each sequence of the batch; default: all.
  Array sequence_lens = {};
  /// The state before the first step, of the shape of Y_h; default: 0.
  Array initial_h = {};
  /// The c before the first step, of the shape of Y_c; default: 0.
  Array initial_c = {};
  /// Weights of c in the gates; default: 0.
  Array P = {};
  /// The order in which a sequence is read.
  RecurrentDirection direction = RecurrentDirection::forward;
  /// 1: the batch is the first axis.
  int layout = 0;
};

/// Options of bilinear, given by name: `bilinear(x1, x2, weight, {.bias = ...})`.
struct BilinearOptions {
  detail::ByName by_name = detail::ByName();
  /// One element for each feature; default: 0.
  Array bias = {};
};

/// Options of quantize_linear, given by name: `quantize_linear(x, scale, {.zero_point = ...})`.
struct QuantizeLinearOptions {
  detail::ByName by_name = detail::ByName();
  /// The integer that represents 0, or one for each scale; default: 0.
  Array zero_point = {};
  /// The axis of a scale of rank 1; ignored for a single scale.
  Axis axis = 1;
  /// Default: that of `zero_point` if it is i8, u8, i16 or u16, else u8.
  std::optional<Dtype> dtype = {};
};

/// Options of dequantize_linear, given by name: `dequantize_linear(x, scale, {.zero_point = ...})`.
struct DequantizeLinearOptions {
  detail::ByName by_name = detail::ByName();
  /// The integer that represents 0, or one for each scale; default: 0.
  Array zero_point = {};
  /// The axis of a scale of rank 1; ignored for a single scale.
  Axis axis = 1;
};

namespace detail {
/// What both forms of a function with options call.
Array sum(const Operand &x, const Ints &axes, bool keepdims);
Array sum(const Operand &x, const Ints &axes, bool keepdims, std::optional<Dtype> dtype, std::optional<Scalar> initial,
          const Operand &where);
Array max(const Operand &x, const Ints &axes, bool keepdims);
Array max(const Operand &x, const Ints &axes, bool keepdims, std::optional<Scalar> initial, const Operand &where);
Array min(const Operand &x, const Ints &axes, bool keepdims);
Array min(const Operand &x, const Ints &axes, bool keepdims, std::optional<Scalar> initial, const Operand &where);
Array prod(const Operand &x, const Ints &axes, bool keepdims);
Array prod(const Operand &x, const Ints &axes, bool keepdims, std::optional<Dtype> dtype, std::optional<Scalar> initial,
           const Operand &where);
Array any(const Operand &x, const Ints &axes, bool keepdims);
Array any(const Operand &x, const Ints &axes, bool keepdims, const Operand &where);
Array all(const Operand &x, const Ints &axes, bool keepdims);
Array all(const Operand &x, const Ints &axes, bool keepdims, const Operand &where);
Array argmax(const Operand &x, std::optional<Axis> axis, bool keepdims);
namespace linalg {
Array cholesky(const Operand &x, bool upper, bool symmetrize_input);
} // namespace linalg
namespace linalg {
Array triangular_solve(const Operand &a, const Operand &b, bool left_side, bool lower, bool transpose_a,
                       bool conjugate_a, bool unit_diagonal);
} // namespace linalg
namespace linalg {
EighResult eigh(const Operand &x, bool lower, bool symmetrize_input);
} // namespace linalg
namespace linalg {
Array eigvalsh(const Operand &x, bool lower, bool symmetrize_input);
} // namespace linalg
namespace linalg {
SVDResult svd(const Operand &x, bool full_matrices);
} // namespace linalg
Array rms_norm(const Operand &x, const Ints &axes, const Operand &scale, double epsilon);
Array batch_norm(const Operand &x, const Operand &mean, const Operand &variance, const Operand &scale,
                 const Operand &offset, Axis axis, double epsilon);
BatchNorm batch_norm_training(const Operand &x, const Operand &scale, const Operand &offset, Axis axis, double epsilon);
Array group_norm(const Operand &x, int groups, const Operand &scale, const Operand &offset, double epsilon, Axis axis);
Array instance_norm(const Operand &x, const Operand &scale, const Operand &offset, double epsilon, Axis axis);
Array scaled_dot_product_attention(const Operand &q, const Operand &k, const Operand &v, const Operand &mask,
                                   const Operand &bias, bool causal, std::optional<double> scale, const Ints &window,
                                   std::optional<double> softcap, double dropout_rate, const Key &key);
Array nll_loss(const Operand &log_probs, const Operand &target, const Operand &weight, int ignore_index,
               Reduction reduction, Axis axis);
Array cross_entropy(const Operand &logits, const Operand &target, const Operand &weight, int ignore_index,
                    Reduction reduction, double label_smoothing, Axis axis);
Array binary_cross_entropy(const Operand &x, const Operand &target, const Operand &weight, Reduction reduction);
Array binary_cross_entropy_with_logits(const Operand &x, const Operand &target, const Operand &weight,
                                       const Operand &pos_weight, Reduction reduction);
Array huber_loss(const Operand &x, const Operand &target, Reduction reduction, double delta);
Array smooth_l1_loss(const Operand &x, const Operand &target, Reduction reduction, double beta);
Array kl_div(const Operand &x, const Operand &target, Reduction reduction, bool log_target);
Array mse_loss(const Operand &x, const Operand &target, Reduction reduction);
Array l1_loss(const Operand &x, const Operand &target, Reduction reduction);
Array normalize(const Operand &x, double p, Axis axis, double epsilon);
Array cosine_similarity(const Operand &x1, const Operand &x2, Axis axis, double epsilon);
Array pairwise_distance(const Operand &x1, const Operand &x2, double p, double epsilon, bool keepdims);
Array cdist(const Operand &x1, const Operand &x2, double p);
Array mean(const Operand &x, const Ints &axes, bool keepdims);
Array mean(const Operand &x, const Ints &axes, bool keepdims, std::optional<Dtype> dtype, const Operand &where);
Array var(const Operand &x, const Ints &axes, bool keepdims, double correction);
Array var(const Operand &x, const Ints &axes, bool keepdims, double correction, std::optional<Dtype> dtype,
          const Operand &where);
Array std(const Operand &x, const Ints &axes, bool keepdims, double correction);
Array std(const Operand &x, const Ints &axes, bool keepdims, double correction, std::optional<Dtype> dtype,
          const Operand &where);
Array nanvar(const Operand &x, const Ints &axes, bool keepdims, double correction);
Array nanstd(const Operand &x, const Ints &axes, bool keepdims, double correction);
Array nansum(const Operand &x, const Ints &axes, bool keepdims);
Array nanprod(const Operand &x, const Ints &axes, bool keepdims);
Array nanmax(const Operand &x, const Ints &axes, bool keepdims);
Array nanmin(const Operand &x, const Ints &axes, bool keepdims);
Array nanmean(const Operand &x, const Ints &axes, bool keepdims);
Array ptp(const Operand &x, const Ints &axes, bool keepdims);
Array count_nonzero(const Operand &x, const Ints &axes, bool keepdims);
Array argmin(const Operand &x, std::optional<Axis> axis, bool keepdims);
Array nanargmax(const Operand &x, std::optional<Axis> axis, bool keepdims);
Array nanargmin(const Operand &x, std::optional<Axis> axis, bool keepdims);
Array average(const Operand &x, const Ints &axes, const Operand &weights, bool keepdims);
Array vector_norm(const Operand &x, const Ints &axes, bool keepdims, double ord);
Array norm(const Operand &x, const Ints &axes, bool keepdims, std::optional<double> ord);
Array median(const Operand &x, const Ints &axes, bool keepdims);
Array quantile(const Operand &x, const Operand &q, const Ints &axes, bool keepdims);
Array percentile(const Operand &x, const Operand &q, const Ints &axes, bool keepdims);
Array nanmedian(const Operand &x, const Ints &axes, bool keepdims);
Array nanquantile(const Operand &x, const Operand &q, const Ints &axes, bool keepdims);
Array nanpercentile(const Operand &x, const Operand &q, const Ints &axes, bool keepdims);
Array logsumexp(const Operand &x, const Ints &axes, bool keepdims);
UniqueAll unique(const Operand &x, std::optional<Axis> axis, std::optional<Dim> size, std::optional<Scalar> fill_value);
Histogram2d histogram2d(const Operand &x, const Operand &y, const Operand &x_bins, const Operand &y_bins,
                        const Operand &x_range, const Operand &y_range, const Operand &weights, bool density);
Array conv1d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding, const Ints &dilation,
             int groups, DataFormat data_format);
Array conv2d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding, const Ints &dilation,
             int groups, DataFormat data_format);
Array conv3d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding, const Ints &dilation,
             int groups, DataFormat data_format);
Array conv_general(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                   const Ints &x_dilation, const Ints &dilation, int groups, std::optional<std::string_view> layout);
Array conv_transpose1d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                       const Ints &output_padding, const Ints &dilation, int groups, DataFormat data_format);
Array conv_transpose2d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                       const Ints &output_padding, const Ints &dilation, int groups, DataFormat data_format);
Array conv_transpose3d(const Operand &x, const Operand &kernel, const Ints &strides, const Padding &padding,
                       const Ints &output_padding, const Ints &dilation, int groups, DataFormat data_format);
Array cumulative_trapezoid(const Operand &y, const Operand &x, double dx, Axis axis, std::optional<Scalar> initial);
Array image_resize(const Operand &x, const Shape &sizes, ResizeMethod method, ResizeCoordinates coordinates,
                   bool antialias, ResizeRounding rounding, double cubic_coefficient,
                   std::optional<bool> exclude_outside, const Ints &axes, const Operand &scales);
Array grid_sample(const Operand &x, const Operand &grid, GridMode mode, GridPadding padding, bool align_corners,
                  DataFormat data_format);
Array affine_grid(const Operand &theta, const Shape &shape, bool align_corners, DataFormat data_format);
Array roi_align(const Operand &x, const Operand &rois, const Operand &batch_indices, const Shape &sizes,
                double spatial_scale, int sampling_ratio, bool aligned, RoiPooling pooling, DataFormat data_format);
Array depth_to_space(const Operand &x, int block_size, DepthOrder order, DataFormat data_format);
Array space_to_depth(const Operand &x, int block_size, DepthOrder order, DataFormat data_format);
Array pixel_shuffle(const Operand &x, int factor, DataFormat data_format);
Array pixel_unshuffle(const Operand &x, int factor, DataFormat data_format);
Array reduce_window(const Operand &x, const Ints &window, WindowReduction reduction, const Ints &strides,
                    const Padding &padding, const Ints &dilation, const Ints &x_dilation);
Array select_and_scatter(const Operand &x, const Operand &source, const Ints &window, WindowSelection select,
                         const Ints &strides, const Padding &padding);
Array max_pool1d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                 const Ints &dilation, bool ceil_mode, DataFormat data_format);
Array max_pool2d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                 const Ints &dilation, bool ceil_mode, DataFormat data_format);
Array max_pool3d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                 const Ints &dilation, bool ceil_mode, DataFormat data_format);
MaxPool max_pool1d_with_indices(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                                const Ints &dilation, bool ceil_mode, DataFormat data_format);
MaxPool max_pool2d_with_indices(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                                const Ints &dilation, bool ceil_mode, DataFormat data_format);
MaxPool max_pool3d_with_indices(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding,
                                const Ints &dilation, bool ceil_mode, DataFormat data_format);
Array max_unpool1d(const Operand &x, const Operand &indices, const Ints &window, const Ints &strides,
                   const Padding &padding, const Shape &output_size, DataFormat data_format);
Array max_unpool2d(const Operand &x, const Operand &indices, const Ints &window, const Ints &strides,
                   const Padding &padding, const Shape &output_size, DataFormat data_format);
Array max_unpool3d(const Operand &x, const Operand &indices, const Ints &window, const Ints &strides,
                   const Padding &padding, const Shape &output_size, DataFormat data_format);
Array avg_pool1d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding, bool ceil_mode,
                 bool count_include_pad, DataFormat data_format);
Array avg_pool2d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding, bool ceil_mode,
                 bool count_include_pad, DataFormat data_format);
Array avg_pool3d(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding, bool ceil_mode,
                 bool count_include_pad, DataFormat data_format);
Array adaptive_avg_pool1d(const Operand &x, const Ints &output_size, DataFormat data_format);
Array adaptive_avg_pool2d(const Operand &x, const Ints &output_size, DataFormat data_format);
Array adaptive_avg_pool3d(const Operand &x, const Ints &output_size, DataFormat data_format);
Array adaptive_max_pool1d(const Operand &x, const Ints &output_size, DataFormat data_format);
Array adaptive_max_pool2d(const Operand &x, const Ints &output_size, DataFormat data_format);
Array adaptive_max_pool3d(const Operand &x, const Ints &output_size, DataFormat data_format);
Array local_response_norm(const Operand &x, int size, double alpha, double beta, double k, DataFormat data_format);
Array unfold(const Operand &x, const Ints &window, const Ints &strides, const Padding &padding, const Ints &dilation,
             DataFormat data_format);
Array fold(const Operand &x, const Shape &output_size, const Ints &window, const Ints &strides, const Padding &padding,
           const Ints &dilation, DataFormat data_format);
namespace fft {
Array fft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm);
} // namespace fft
namespace fft {
Array ifft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm);
} // namespace fft
namespace fft {
Array rfft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm);
} // namespace fft
namespace fft {
Array irfft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm);
} // namespace fft
namespace fft {
Array hfft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm);
} // namespace fft
namespace fft {
Array ihfft(const Operand &x, std::optional<Dim> n, Axis axis, FftNorm norm);
} // namespace fft
namespace fft {
Array fft2(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm);
} // namespace fft
namespace fft {
Array ifft2(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm);
} // namespace fft
namespace fft {
Array rfft2(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm);
} // namespace fft
namespace fft {
Array irfft2(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm);
} // namespace fft
namespace fft {
Array fftn(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm);
} // namespace fft
namespace fft {
Array ifftn(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm);
} // namespace fft
namespace fft {
Array rfftn(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm);
} // namespace fft
namespace fft {
Array irfftn(const Operand &x, const Shape &s, const Ints &axes, FftNorm norm);
} // namespace fft
namespace fft {
Array dct(const Operand &x, int type, std::optional<Dim> n, Axis axis, FftNorm norm);
} // namespace fft
namespace fft {
Array idct(const Operand &x, int type, std::optional<Dim> n, Axis axis, FftNorm norm);
} // namespace fft
namespace signal {
Array fftconvolve(const Operand &x1, const Operand &x2, ConvolutionMode mode, const Ints &axes);
} // namespace signal
namespace signal {
Array stft(const Operand &x, int n_fft, std::optional<int> hop_length, const Operand &window, bool center,
           PadMode pad_mode, bool normalized, std::optional<bool> onesided);
} // namespace signal
namespace signal {
Array istft(const Operand &x, int n_fft, std::optional<int> hop_length, const Operand &window, bool center,
            bool normalized, bool onesided, std::optional<Dim> length);
} // namespace signal
namespace signal {
LfilterResult lfilter(const Operand &b, const Operand &a, const Operand &x, Axis axis, const Operand &zi);
} // namespace signal
RnnResult rnn(const Operand &x, const Operand &W, const Operand &R, const Operand &B, const Operand &sequence_lens,
              const Operand &initial_h, RecurrentDirection direction, int layout);
GruResult gru(const Operand &x, const Operand &W, const Operand &R, const Operand &B, const Operand &sequence_lens,
              const Operand &initial_h, RecurrentDirection direction, int layout, bool linear_before_reset);
LstmResult lstm(const Operand &x, const Operand &W, const Operand &R, const Operand &B, const Operand &sequence_lens,
                const Operand &initial_h, const Operand &initial_c, const Operand &P, RecurrentDirection direction,
                int layout);
Array bilinear(const Operand &x1, const Operand &x2, const Operand &weight, const Operand &bias);
Array quantize_linear(const Operand &x, const Operand &scale, const Operand &zero_point, Axis axis,
                      std::optional<Dtype> dtype);
Array dequantize_linear(const Operand &x, const Operand &scale, const Operand &zero_point, Axis axis);
/// `arange` up to a size.
Array arange(int64_t start, const Dim &stop, std::optional<Dtype> dtype, std::optional<Device> device, Location at);
} // namespace detail

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// Element-wise `x1 + x2`. Integers wrap; on bools it is logical OR.
[[nodiscard]] Array add(const Operand &x1, const Operand &x2);

/// Element-wise `x1 - x2`. Integers wrap.
[[nodiscard]] Array subtract(const Operand &x1, const Operand &x2);

/// Element-wise `x1 * x2`. Integers wrap; on bools it is logical AND. Complex numbers use the
/// textbook formula.
[[nodiscard]] Array multiply(const Operand &x1, const Operand &x2);

/// Element-wise true division `x1 / x2`. Integers and bools become f32. Complex numbers use Smith's
/// formula.
[[nodiscard]] Array divide(const Operand &x1, const Operand &x2);

/// Element-wise maximum. NaN propagates and -0 < +0 (IEEE 754-2019 `maximum`).
/// At a tie, each operand gets half of the derivative, as in JAX.
[[nodiscard]] Array maximum(const Operand &x1, const Operand &x2);

/// Element-wise minimum. NaN propagates and -0 < +0 (IEEE 754-2019 `minimum`).
/// At a tie, each operand gets half of the derivative, as in JAX.
[[nodiscard]] Array minimum(const Operand &x1, const Operand &x2);

/// Element-wise logical AND, as bool. An operand of another dtype counts as `x != 0`. Also written
/// `x1 && x2`.
[[nodiscard]] Array logical_and(const Operand &x1, const Operand &x2);

/// Element-wise logical OR, as bool. An operand of another dtype counts as `x != 0`. Also written
/// `x1 || x2`.
[[nodiscard]] Array logical_or(const Operand &x1, const Operand &x2);

/// Element-wise logical XOR, as bool. An operand of another dtype counts as `x != 0`.
[[nodiscard]] Array logical_xor(const Operand &x1, const Operand &x2);

/// Element-wise logical NOT, as bool. An operand of another dtype counts as `x != 0`. Also written
/// `!x`.
[[nodiscard]] Array logical_not(const Operand &x);

/// Bitwise right shift `x1 >> x2` of integers. Signed integers keep their sign.
/// A shift count outside [0, number of bits) gives 0, or -1 for a negative `x1`.
[[nodiscard]] Array right_shift(const Operand &x1, const Operand &x2);

/// Bitwise left shift `x1 << x2` of integers. A shift count outside [0, number of bits) gives 0.
[[nodiscard]] Array left_shift(const Operand &x1, const Operand &x2);

/// Bitwise AND of integers; logical AND of bools. Also written `x1 & x2`.
[[nodiscard]] Array bitwise_and(const Operand &x1, const Operand &x2);

/// Bitwise OR of integers; logical OR of bools. Also written `x1 | x2`.
[[nodiscard]] Array bitwise_or(const Operand &x1, const Operand &x2);

/// Bitwise XOR of integers; logical XOR of bools. Also written `x1 ^ x2`.
[[nodiscard]] Array bitwise_xor(const Operand &x1, const Operand &x2);

/// Bitwise NOT of integers; logical NOT of bools. Also written `~x`.
[[nodiscard]] Array bitwise_invert(const Operand &x);

/// Floor division: the largest integer that is at most `x1 / x2`.
/// Division of integers by 0 gives 0; the smallest integer divided by -1 wraps. Floats follow
/// NumPy: the result is computed from `x1 - fmod(x1, x2)`, is `x1 / x2` where `x2` is 0, and is NaN
/// where `x1` is infinite. The derivative is 0.
[[nodiscard]] Array floor_divide(const Operand &x1, const Operand &x2);

/// Remainder of floor division, `x1 - floor_divide(x1, x2) * x2`; the result has the sign of `x2`.
/// Also written `x1 % x2`.
/// Integers give 0 where `x2` is 0. Floats give NaN where `x2` is 0 or `x1` is infinite. Where `x2`
/// is infinite, the result is `x1` if both signs agree and `x2` otherwise.
[[nodiscard]] Array remainder(const Operand &x1, const Operand &x2);

/// Remainder of truncated division, as C's `fmod`; the result is exact and has the sign of `x1`.
/// Integers give 0 where `x2` is 0. Floats give NaN where `x2` is 0 or `x1` is infinite, and `x1`
/// where `x2` is infinite.
[[nodiscard]] Array fmod(const Operand &x1, const Operand &x2);

/// Element-wise negation `-x`. Unsigned integers wrap.
[[nodiscard]] Array negative(const Operand &x);

/// Absolute value. The smallest signed integer stays as it is (it has no positive counterpart).
/// The derivative at 0 is 0.
/// Supports complex numbers.
[[nodiscard]] Array abs(const Operand &x);

/// Exponential function `e^x`.
/// Supports complex numbers.
[[nodiscard]] Array exp(const Operand &x);

/// Natural logarithm. -inf at 0, NaN below 0.
/// Supports complex numbers.
[[nodiscard]] Array log(const Operand &x);

/// `log(1 + x)`, accurate near 0. -inf at -1, NaN below -1.
/// Supports complex numbers.
[[nodiscard]] Array log1p(const Operand &x);

/// Square root, correctly rounded. NaN below 0.
/// Supports complex numbers.
[[nodiscard]] Array sqrt(const Operand &x);

/// Hyperbolic tangent.
/// Supports complex numbers.
[[nodiscard]] Array tanh(const Operand &x);

/// Cube root; the result has the sign of x.
[[nodiscard]] Array cbrt(const Operand &x);

/// Power of two, `2^x`.
/// Supports complex numbers.
[[nodiscard]] Array exp2(const Operand &x);

/// `exp(x) - 1`, accurate near 0.
/// Supports complex numbers.
[[nodiscard]] Array expm1(const Operand &x);

/// Logarithm to base 2. -inf at 0, NaN below 0.
/// Supports complex numbers.
[[nodiscard]] Array log2(const Operand &x);

/// Logarithm to base 10. -inf at 0, NaN below 0.
/// Supports complex numbers.
[[nodiscard]] Array log10(const Operand &x);

/// Sine of x in radians, accurate for arguments of any size.
/// Supports complex numbers.
[[nodiscard]] Array sin(const Operand &x);

/// Cosine of x in radians, accurate for arguments of any size.
/// Supports complex numbers.
[[nodiscard]] Array cos(const Operand &x);

/// Tangent of x in radians, accurate for arguments of any size.
/// Supports complex numbers.
[[nodiscard]] Array tan(const Operand &x);

/// Inverse sine, in [-pi/2, pi/2]. NaN outside [-1, 1].
/// Supports complex numbers.
[[nodiscard]] Array asin(const Operand &x);

/// Inverse cosine, in [0, pi]. NaN outside [-1, 1].
/// Supports complex numbers.
[[nodiscard]] Array acos(const Operand &x);

/// Inverse tangent, in [-pi/2, pi/2].
/// Supports complex numbers.
[[nodiscard]] Array atan(const Operand &x);

/// Hyperbolic sine.
/// Supports complex numbers.
[[nodiscard]] Array sinh(const Operand &x);

/// Hyperbolic cosine.
/// Supports complex numbers.
[[nodiscard]] Array cosh(const Operand &x);

/// Inverse hyperbolic sine.
/// Supports complex numbers.
[[nodiscard]] Array asinh(const Operand &x);

/// Inverse hyperbolic cosine, in [0, inf]. NaN below 1.
/// Supports complex numbers.
[[nodiscard]] Array acosh(const Operand &x);

/// Inverse hyperbolic tangent. Infinite at -1 and 1, NaN outside.
/// Supports complex numbers.
[[nodiscard]] Array atanh(const Operand &x);

/// Error function, `2 / sqrt(pi)` times the integral of `exp(-t^2)` for t from 0 to x.
[[nodiscard]] Array erf(const Operand &x);

/// Complementary error function `1 - erf(x)`, accurate where the result is small.
[[nodiscard]] Array erfc(const Operand &x);

/// Logarithm of the absolute value of the gamma function, `log(|gamma(x)|)`. Infinite at 0 and the
/// negative integers.
/// For negative x the error is relative to the larger of `|lgamma(x)|` and `lgamma(1 - x)`.
[[nodiscard]] Array lgamma(const Operand &x);

/// Digamma function, the derivative of `lgamma`. -inf at 0, inf at -0, NaN at the negative
/// integers.
/// For negative x the error is relative to the larger of `|digamma(x)|` and `digamma(1 - x)`.
[[nodiscard]] Array digamma(const Operand &x);

/// Trigamma function, the derivative of `digamma`. Infinite at 0 and the negative integers.
[[nodiscard]] Array trigamma(const Operand &x);

/// Exponentially scaled modified Bessel function of the first kind, order 0: `exp(-|x|) * I0(x)`.
[[nodiscard]] Array i0e(const Operand &x);

/// Exponentially scaled modified Bessel function of the first kind, order 1: `exp(-|x|) * I1(x)`.
[[nodiscard]] Array i1e(const Operand &x);

/// Element-wise power `x1^x2`, with the special cases of C's `pow`.
/// Of two integers an integer, which wraps around; a negative exponent is an Error, or, inside jit
/// and vmap, where exponents are unknown, the power rounded to 0.
/// `pow(x, 0)` and `pow(1, y)` are 1, even where the other operand is NaN. A negative `x1` with a
/// non-integer `x2` gives NaN.
/// Supports complex numbers.
[[nodiscard]] Array pow(const Operand &x1, const Operand &x2);

/// `sqrt(x1^2 + x2^2)` without intermediate overflow. Infinite where either operand is infinite,
/// even if the other is NaN.
[[nodiscard]] Array hypot(const Operand &x1, const Operand &x2);

/// `log(exp(x1) + exp(x2))` without intermediate overflow.
[[nodiscard]] Array logaddexp(const Operand &x1, const Operand &x2);

/// Angle of the point (x2, x1), in [-pi, pi]. Zeros and infinities as in C's `atan2`.
[[nodiscard]] Array atan2(const Operand &x1, const Operand &x2);

/// Regularized lower incomplete gamma function P(a, x).
/// The integral of `t^(a - 1) exp(-t)` for t from 0 to x, divided by `gamma(a)`. NaN where a or x
/// is negative; 1 for a = 0, 0 for infinite a. Accurate for every a; takes at most a few hundred
/// iterations.
[[nodiscard]] Array igamma(const Operand &a, const Operand &x);

/// Regularized upper incomplete gamma function `1 - igamma(a, x)`, accurate where the result is
/// small.
[[nodiscard]] Array igammac(const Operand &a, const Operand &x);

/// Derivative of `igamma(a, x)` with respect to a.
[[nodiscard]] Array igamma_grad_a(const Operand &a, const Operand &x);

/// Regularized incomplete beta function I_x(a, b).
/// The integral of `t^(a - 1) (1 - t)^(b - 1)` for t from 0 to x, divided by the integral from 0 to
/// 1. NaN for negative a or b and for x outside [0, 1]. For a = 0 or infinite b the distribution is
/// concentrated at 0; for b = 0 or infinite a, at 1. The number of iterations grows with the square
/// root of max(a, b); where both are at least 2^33 the normal approximation is used.
[[nodiscard]] Array betainc(const Operand &a, const Operand &b, const Operand &x);

/// Derivative of `betainc(a, b, x)` with respect to a.
/// 0 at the limits of x, a and b. Where both a and b are at least 2^33, the result is accurate to
/// ten digits.
[[nodiscard]] Array betainc_grad_a(const Operand &a, const Operand &b, const Operand &x);

/// Derivative of `betainc(a, b, x)` with respect to b.
/// 0 at the limits of x, a and b. Where both a and b are at least 2^33, the result is accurate to
/// ten digits.
[[nodiscard]] Array betainc_grad_b(const Operand &a, const Operand &b, const Operand &x);

/// Hurwitz zeta function, the sum of `(q + k)^-x` for k = 0, 1, 2, ...
/// Infinite for x = 1 and where q is 0 or a negative integer; NaN for x < 1, and for q < 0 where x
/// is not an integer. Differentiable with respect to q only.
[[nodiscard]] Array zeta(const Operand &x, const Operand &q);

/// Polygamma function, the n-th derivative of `digamma(x)`. NaN where n is not a non-negative
/// integer.
/// Differentiable with respect to x only.
[[nodiscard]] Array polygamma(const Operand &n, const Operand &x);

/// Rounds down to the nearest integer; keeps the dtype of x.
[[nodiscard]] Array floor(const Operand &x);

/// Rounds up to the nearest integer; keeps the dtype of x.
[[nodiscard]] Array ceil(const Operand &x);

/// Rounds toward zero to the nearest integer; keeps the dtype of x.
[[nodiscard]] Array trunc(const Operand &x);

/// Rounds to the nearest integer, halves to even; keeps the dtype of x.
/// Supports complex numbers.
[[nodiscard]] Array round(const Operand &x);

/// Sign of x: -1, 0 or 1; NaN stays NaN. For complex numbers `x / |x|`, and 0 at 0.
/// Supports complex numbers.
[[nodiscard]] Array sign(const Operand &x);

/// Magnitude of `x1` with the sign of `x2`; the sign bit of -0 and of NaN counts.
[[nodiscard]] Array copysign(const Operand &x1, const Operand &x2);

/// Next representable number after `x1` in the direction of `x2`; `x2` where both are equal.
/// Floats of every dtype; f16 and bf16 are computed in f32.
/// The derivative is 1 with respect to `x1`; where both are equal, with respect to `x2` instead.
[[nodiscard]] Array nextafter(const Operand &x1, const Operand &x2);

/// Number of one bits in each element, in the dtype of x.
[[nodiscard]] Array popcount(const Operand &x);

/// Number of leading zero bits in each element, in the dtype of x.
[[nodiscard]] Array clz(const Operand &x);

/// Limits x to the range [lo, hi]: `minimum(maximum(x, lo), hi)`. An omitted bound does not limit.
/// At a bound, x gets the whole derivative, as in PyTorch and TensorFlow.
[[nodiscard]] Array clip(const Operand &x, const Operand &lo = none, const Operand &hi = none);

/// Fused multiply-add, `x1 * x2 + x3` rounded once. Integers wrap.
/// f16 and bf16 are computed in f32 and rounded to their dtype at the end.
[[nodiscard]] Array fma(const Operand &x1, const Operand &x2, const Operand &x3);

/// Selects elements: `x1` where `condition` is true, `x2` elsewhere.
/// A condition that is not bool counts as `condition != 0`. `x1` and `x2` are promoted to one
/// dtype, and all three operands are broadcast to one shape.
[[nodiscard]] Array where(const Operand &condition, const Operand &x1, const Operand &x2);

/// Converts each element of x to `dtype`.
/// Float to integer truncates and saturates, and NaN gives 0. Conversion to bool is `x != 0`.
/// Conversion to a narrower integer wraps. Conversion to a float rounds to nearest even; what
/// exceeds the largest number becomes infinity (NaN in f8e4m3fn, which has no infinity). f8e4m3fn
/// and f8e5m2 are storage dtypes: only `astype` accepts them, and derivatives do not pass through
/// them. Converting complex to real is an error; use `real`.
[[nodiscard]] Array astype(const Operand &x, Dtype dtype);

/// Real part of complex numbers (f32 for c64, f64 for c128); real arrays are returned unchanged.
/// The result is a copy. The cotangent of x is `complex(cotangent, 0)`, as in JAX.
[[nodiscard]] Array real(const Operand &x);

/// Imaginary part of complex numbers (f32 for c64, f64 for c128); zeros of the same dtype for real
/// arrays.
/// The result is a copy. The cotangent of x is `complex(0, -cotangent)`, as in JAX.
[[nodiscard]] Array imag(const Operand &x);

/// Complex numbers from real and imaginary parts: c64 from f32, c128 from f64. Integers and bools
/// become f32.
[[nodiscard]] Array complex(const Operand &re, const Operand &im);

/// Complex conjugate; real arrays are returned unchanged.
[[nodiscard]] Array conj(const Operand &x);

/// Another name for `left_shift`.
/// Bitwise left shift `x1 << x2` of integers. A shift count outside [0, number of bits) gives 0.
[[nodiscard]] Array bitwise_left_shift(const Operand &x1, const Operand &x2);

/// Another name for `right_shift`.
/// Bitwise right shift `x1 >> x2` of integers. Signed integers keep their sign.
[[nodiscard]] Array bitwise_right_shift(const Operand &x1, const Operand &x2);

/// Floor division and its remainder, `floor_divide(x1, x2)` and `remainder(x1, x2)`, also where x2
/// is 0.
[[nodiscard]] DivMod divmod(const Operand &x1, const Operand &x2);

/// Greatest common divisor of `|x1|` and `|x2|`; `gcd(x, 0)` is `|x|`.
/// A result that the dtype cannot hold wraps around: `gcd(-128, 0)` of i8 is -128, as in NumPy.
[[nodiscard]] Array gcd(const Operand &x1, const Operand &x2);

/// Least common multiple of `|x1|` and `|x2|`; 0 where one of them is 0.
/// A result that the dtype cannot hold wraps around, as in NumPy.
[[nodiscard]] Array lcm(const Operand &x1, const Operand &x2);

/// Element-wise square, `x * x`.
[[nodiscard]] Array square(const Operand &x);

/// Returns x unchanged (unary plus).
[[nodiscard]] Array positive(const Operand &x);

/// Reciprocal, `1 / x`. Integers become f32.
[[nodiscard]] Array reciprocal(const Operand &x);

/// Reciprocal square root, `1 / sqrt(x)`. Integers become f32.
[[nodiscard]] Array rsqrt(const Operand &x);

/// Inverse error function. Source: M. Giles, "Approximating the erfinv function", GPU Gems 2011.
[[nodiscard]] Array erf_inv(const Operand &x);

/// Normalized sinc function, `sin(pi * x) / (pi * x)`, 1 at 0. Integers become f32.
/// The derivatives are accurate near 0 as well.
[[nodiscard]] Array sinc(const Operand &x);

/// Converts degrees to radians, `x * pi / 180`. Integers become f32.
[[nodiscard]] Array deg2rad(const Operand &x);

/// Converts radians to degrees, `x * 180 / pi`. Integers become f32.
[[nodiscard]] Array rad2deg(const Operand &x);

/// Replaces NaNs by `nan` and infinities by `posinf` and `neginf`; integers and bools are returned
/// unchanged.
/// Infinities become the largest and smallest finite number of the dtype by default. Where an
/// element is replaced, its derivative is 0.
/// Supports complex numbers.
[[nodiscard]] Array nan_to_num(const Operand &x, Scalar nan = 0, std::optional<Scalar> posinf = {},
                               std::optional<Scalar> neginf = {});

/// `x1 * log(x2)`, and 0 where `x1` is 0 and `x2` is not NaN. Integers become f32.
/// Where `x1` is 0 and `log(x2)` is not finite, the derivatives are 0 as well.
[[nodiscard]] Array xlogy(const Operand &x1, const Operand &x2);

/// `x1 * log1p(x2)`, and 0 where `x1` is 0 and `x2` is not NaN. Integers become f32.
/// Where `x1` is 0 and `log1p(x2)` is not finite, the derivatives are 0 as well.
[[nodiscard]] Array xlog1py(const Operand &x1, const Operand &x2);

/// `log2(2^x1 + 2^x2)` without intermediate overflow. Integers become f32.
[[nodiscard]] Array logaddexp2(const Operand &x1, const Operand &x2);

/// Heaviside step function of `x1`: 0 where negative, 1 where positive, `x2` where 0, NaN where
/// NaN. Integers become f32.
[[nodiscard]] Array heaviside(const Operand &x1, const Operand &x2);

/// `x1 * 2^x2` for integers `x2`, rounded once. Integers `x1` become f32.
[[nodiscard]] Array ldexp(const Operand &x1, const Operand &x2);

/// Splits x into a mantissa with magnitude in [1/2, 1) and an integer exponent, `x = mantissa *
/// 2^exponent`. Integers become f32.
/// For 0, infinities and NaN, the mantissa is x and the exponent 0. The exponent is i32 and has no
/// derivative; the derivative of the mantissa is `2^-exponent`.
[[nodiscard]] MantissaExponent frexp(const Operand &x);

/// Linear interpolation, `start + weight * (end - start)`; exact at weights 0 and 1. Integers
/// become f32.
[[nodiscard]] Array lerp(const Operand &start, const Operand &end, const Operand &weight);

/// Angle of a complex number, `atan2(imag(x), real(x))`, in [-pi, pi]; for real numbers 0 or pi.
[[nodiscard]] Array angle(const Operand &x);

/// Evaluates a polynomial with coefficients `p`, highest power first, at x by Horner's rule.
[[nodiscard]] Array polyval(const Operand &p, const Operand &x);

/// Piecewise-linear interpolation at `x` of the points `(xp, fp)`; `xp` must be increasing.
/// Returns `left` below the first point and `right` above the last one. NaN where x is NaN.
[[nodiscard]] Array interp(const Operand &x, const Operand &xp, const Operand &fp, std::optional<Scalar> left = {},
                           std::optional<Scalar> right = {});

/// Differences between consecutive elements of the flattened x, with `to_begin` prepended and
/// `to_end` appended.
[[nodiscard]] Array ediff1d(const Operand &x, const Operand &to_end = none, const Operand &to_begin = none);

/// Unwraps phases along `axis`: removes jumps larger than half a period by adding multiples of
/// `period`.
/// Differences smaller than `discont` are kept; a `discont` below half a period counts as half a
/// period. Integers become f32.
[[nodiscard]] Array unwrap(const Operand &x, std::optional<Scalar> discont = {}, Axis axis = -1,
                           std::optional<Scalar> period = {});

/// Gradient along each of the given axes (default: all), by central differences inside and
/// one-sided differences at the ends.
[[nodiscard]] std::vector<Array> gradient(const Operand &x, double spacing = 1, const Ints &axes = {});

/// Sum of two polynomials, as coefficients.
/// Coefficient arrays have one axis, highest power first. Leading zeros are kept, as in JAX.
[[nodiscard]] Array polyadd(const Operand &p1, const Operand &p2);

/// Difference of two polynomials, as coefficients.
/// Coefficient arrays have one axis, highest power first. Leading zeros are kept, as in JAX.
[[nodiscard]] Array polysub(const Operand &p1, const Operand &p2);

/// Product of two polynomials, as coefficients.
/// Coefficient arrays have one axis, highest power first. Leading zeros are kept, as in JAX.
[[nodiscard]] Array polymul(const Operand &p1, const Operand &p2);

/// The m-th derivative of a polynomial, as coefficients.
[[nodiscard]] Array polyder(const Operand &p, int m = 1);

/// The m-th antiderivative of a polynomial, as coefficients. Integers become f32.
[[nodiscard]] Array polyint(const Operand &p, int m = 1, const Operand &k = 0);

/// Coefficients of the monic polynomial with the given roots.
[[nodiscard]] Array poly(const Operand &roots);

/// Vandermonde matrix of the vector x: its powers as columns, highest power first (last if
/// `increasing`).
/// The result dtype is that of `prod`.
[[nodiscard]] Array vander(const Operand &x, std::optional<int> columns = {}, bool increasing = false);

/// Modified Bessel function of the first kind, order 0. Integers become f32.
[[nodiscard]] Array i0(const Operand &x);

/// Modified Bessel function of the first kind, order 1. Integers become f32.
[[nodiscard]] Array i1(const Operand &x);

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Element-wise `x1 <= x2`, as bool. False where either operand is NaN.
[[nodiscard]] Array less_equal(const Operand &x1, const Operand &x2);

/// Element-wise `x1 < x2`, as bool. False where either operand is NaN.
[[nodiscard]] Array less(const Operand &x1, const Operand &x2);

/// Element-wise `x1 == x2`, as bool. False where either operand is NaN.
[[nodiscard]] Array equal(const Operand &x1, const Operand &x2);

/// Element-wise `x1 != x2`, as bool. True where either operand is NaN.
[[nodiscard]] Array not_equal(const Operand &x1, const Operand &x2);

/// Whether each element is NaN, as bool. A complex number is NaN if either part is.
/// Supports complex numbers.
[[nodiscard]] Array isnan(const Operand &x);

/// Whether each element is infinite, as bool. A complex number is infinite if either part is.
/// Supports complex numbers.
[[nodiscard]] Array isinf(const Operand &x);

/// Whether each element is finite (neither infinite nor NaN), as bool.
/// Supports complex numbers.
[[nodiscard]] Array isfinite(const Operand &x);

/// Whether the sign bit of each element is set, as bool; also true for -0 and for NaNs with the
/// sign bit set.
[[nodiscard]] Array signbit(const Operand &x);

/// Element-wise `x1 > x2`, as bool. False where either operand is NaN.
[[nodiscard]] Array greater(const Operand &x1, const Operand &x2);

/// Element-wise `x1 >= x2`, as bool. False where either operand is NaN.
[[nodiscard]] Array greater_equal(const Operand &x1, const Operand &x2);

/// Whether elements are equal within tolerances: `|x1 - x2| <= atol + rtol * |x2|`, as bool. Equal
/// infinities are close; integers are compared in f64.
/// Supports complex numbers.
[[nodiscard]] Array isclose(const Operand &x1, const Operand &x2, double rtol = 1e-5, double atol = 1e-8,
                            bool equal_nan = false);

/// Whether all elements are equal within tolerances (see `isclose`), as rank-0 bool.
/// Supports complex numbers.
[[nodiscard]] Array allclose(const Operand &x1, const Operand &x2, double rtol = 1e-5, double atol = 1e-8,
                             bool equal_nan = false);

/// Whether each element of x occurs in `test_elements`, as bool. NaN never does.
[[nodiscard]] Array isin(const Operand &x, const Operand &test_elements, bool invert = false);

/// Whether two arrays have the same shape and equal elements, as rank-0 bool.
[[nodiscard]] Array array_equal(const Operand &x1, const Operand &x2, bool equal_nan = false);

/// Whether two arrays can be broadcast to one shape and have equal elements there, as rank-0 bool.
[[nodiscard]] Array array_equiv(const Operand &x1, const Operand &x2);

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// Sum over the given axes (default: all).
/// Sums of bools and of integers narrower than i32 are i32 (u32 if unsigned). f16 and bf16
/// accumulate in f32 and are rounded once. An empty sum is 0. The order of summation depends only
/// on shape and axes, so every mode, thread count and instruction set gives the same bits: along
/// the innermost axis, 16 partial sums within blocks of 4,096 elements, whose results are combined
/// pairwise; along another axis, index order within blocks of 256. Axes of size 1 do not count.
/// With `dtype`, sums of integers wrap around in that dtype.
/// Supports complex numbers.
[[nodiscard]] inline Array sum(const Operand &x, const SumOptions &options) {
  return tenon::detail::sum(x, options.axis, options.keepdims, options.dtype, options.initial, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array sum(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::sum(x, axes, keepdims);
}

/// Maximum over the given axes (default: all). NaN propagates.
/// An empty axis is an error without `initial`. `where` requires `initial`, as in NumPy. Equal
/// largest elements share the derivative evenly, as in JAX.
[[nodiscard]] inline Array max(const Operand &x, const ExtremumOptions &options) {
  return tenon::detail::max(x, options.axis, options.keepdims, options.initial, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array max(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::max(x, axes, keepdims);
}

/// Minimum over the given axes (default: all). NaN propagates.
/// An empty axis is an error without `initial`. `where` requires `initial`, as in NumPy. Equal
/// smallest elements share the derivative evenly, as in JAX.
[[nodiscard]] inline Array min(const Operand &x, const ExtremumOptions &options) {
  return tenon::detail::min(x, options.axis, options.keepdims, options.initial, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array min(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::min(x, axes, keepdims);
}

/// Product over the given axes (default: all).
/// The result dtype and the order of multiplication are those of `sum`. An empty product is 1. The
/// derivative multiplies the other factors, so it is right where factors are 0.
/// Supports complex numbers.
[[nodiscard]] inline Array prod(const Operand &x, const SumOptions &options) {
  return tenon::detail::prod(x, options.axis, options.keepdims, options.dtype, options.initial, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array prod(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::prod(x, axes, keepdims);
}

/// Whether any element is true over the given axes (default: all), as bool.
/// Elements of other dtypes count as `x != 0`; NaN is true. False for an empty axis.
[[nodiscard]] inline Array any(const Operand &x, const QuantifierOptions &options) {
  return tenon::detail::any(x, options.axis, options.keepdims, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array any(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::any(x, axes, keepdims);
}

/// Whether all elements are true over the given axes (default: all), as bool.
/// Elements of other dtypes count as `x != 0`; NaN is true. True for an empty axis.
[[nodiscard]] inline Array all(const Operand &x, const QuantifierOptions &options) {
  return tenon::detail::all(x, options.axis, options.keepdims, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array all(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::all(x, axes, keepdims);
}

/// Index (i64) of the first maximum along `axis`; NaN counts as the maximum.
/// Without an axis, the index into the flattened array.
[[nodiscard]] inline Array argmax(const Operand &x, const ArgOptions &options) {
  return tenon::detail::argmax(x, options.axis, options.keepdims);
}
template <class Place = std::optional<Axis>>
[[nodiscard]] Array argmax(const Operand &x, detail::Positional<Place> axis = {}, bool keepdims = false) {
  return detail::argmax(x, axis, keepdims);
}

/// Arithmetic mean over the given axes. Integers become f32.
/// `dtype` must be floating or complex; the mean is computed in it, for f16 and bf16 in f32 and
/// rounded once. NaN where `where` selects no element.
/// Supports complex numbers.
[[nodiscard]] inline Array mean(const Operand &x, const MeanOptions &options) {
  return tenon::detail::mean(x, options.axis, options.keepdims, options.dtype, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array mean(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::mean(x, axes, keepdims);
}

/// Variance over the given axes: the sum of `(x - mean)^2`, divided by the number of elements minus
/// `correction`. Integers become f32.
/// For complex numbers, the mean of `|x - mean|^2`; the result is real. NaN or infinity where at
/// most `correction` elements are selected.
/// Supports complex numbers.
[[nodiscard]] inline Array var(const Operand &x, const SpreadOptions &options) {
  return tenon::detail::var(x, options.axis, options.keepdims, options.correction, options.dtype, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array var(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                        double correction = 0) {
  return detail::var(x, axes, keepdims, correction);
}

/// Standard deviation over the given axes, `sqrt(var(x))`. Integers become f32.
/// Where the result is 0, the derivative is 0, as in PyTorch. Write `tenon::std` even after a
/// using-directive, since `std` alone may name the namespace.
/// Supports complex numbers.
[[nodiscard]] inline Array std(const Operand &x, const SpreadOptions &options) {
  return tenon::detail::std(x, options.axis, options.keepdims, options.correction, options.dtype, options.where);
}
template <class Axes = Ints>
[[nodiscard]] Array std(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                        double correction = 0) {
  return detail::std(x, axes, keepdims, correction);
}

/// Variance that ignores NaNs. NaN where at most `correction` elements remain.
[[nodiscard]] inline Array nanvar(const Operand &x, const VarianceOptions &options) {
  return tenon::detail::nanvar(x, options.axis, options.keepdims, options.correction);
}
template <class Axes = Ints>
[[nodiscard]] Array nanvar(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                           double correction = 0) {
  return detail::nanvar(x, axes, keepdims, correction);
}

/// Standard deviation that ignores NaNs, `sqrt(nanvar(x))`.
[[nodiscard]] inline Array nanstd(const Operand &x, const VarianceOptions &options) {
  return tenon::detail::nanstd(x, options.axis, options.keepdims, options.correction);
}
template <class Axes = Ints>
[[nodiscard]] Array nanstd(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                           double correction = 0) {
  return detail::nanstd(x, axes, keepdims, correction);
}

/// Sum that ignores NaNs; 0 where no elements remain.
[[nodiscard]] inline Array nansum(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::nansum(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array nansum(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::nansum(x, axes, keepdims);
}

/// Product that ignores NaNs; 1 where no elements remain.
[[nodiscard]] inline Array nanprod(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::nanprod(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array nanprod(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::nanprod(x, axes, keepdims);
}

/// Maximum that ignores NaNs; NaN where all elements are NaN. An empty axis is an error.
[[nodiscard]] inline Array nanmax(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::nanmax(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array nanmax(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::nanmax(x, axes, keepdims);
}

/// Minimum that ignores NaNs; NaN where all elements are NaN. An empty axis is an error.
[[nodiscard]] inline Array nanmin(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::nanmin(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array nanmin(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::nanmin(x, axes, keepdims);
}

/// Arithmetic mean that ignores NaNs; NaN where all elements are NaN. Integers become f32.
[[nodiscard]] inline Array nanmean(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::nanmean(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array nanmean(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::nanmean(x, axes, keepdims);
}

/// Range of the elements, `max(x) - min(x)`. An empty axis is an error.
[[nodiscard]] inline Array ptp(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::ptp(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array ptp(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::ptp(x, axes, keepdims);
}

/// Number of non-zero elements (NaN counts as non-zero), as i64.
[[nodiscard]] inline Array count_nonzero(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::count_nonzero(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array count_nonzero(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::count_nonzero(x, axes, keepdims);
}

/// Index (i64) of the first minimum along `axis`; NaN counts as the minimum.
/// Without an axis, the index into the flattened array.
[[nodiscard]] inline Array argmin(const Operand &x, const ArgOptions &options) {
  return tenon::detail::argmin(x, options.axis, options.keepdims);
}
template <class Place = std::optional<Axis>>
[[nodiscard]] Array argmin(const Operand &x, detail::Positional<Place> axis = {}, bool keepdims = false) {
  return detail::argmin(x, axis, keepdims);
}

/// Index (i64) of the first maximum along `axis`, ignoring NaNs; -1 where all elements are NaN, as
/// in JAX.
/// Without an axis, the index into the flattened array.
[[nodiscard]] inline Array nanargmax(const Operand &x, const ArgOptions &options) {
  return tenon::detail::nanargmax(x, options.axis, options.keepdims);
}
template <class Place = std::optional<Axis>>
[[nodiscard]] Array nanargmax(const Operand &x, detail::Positional<Place> axis = {}, bool keepdims = false) {
  return detail::nanargmax(x, axis, keepdims);
}

/// Index (i64) of the first minimum along `axis`, ignoring NaNs; -1 where all elements are NaN, as
/// in JAX.
/// Without an axis, the index into the flattened array.
[[nodiscard]] inline Array nanargmin(const Operand &x, const ArgOptions &options) {
  return tenon::detail::nanargmin(x, options.axis, options.keepdims);
}
template <class Place = std::optional<Axis>>
[[nodiscard]] Array nanargmin(const Operand &x, detail::Positional<Place> axis = {}, bool keepdims = false) {
  return detail::nanargmin(x, axis, keepdims);
}

/// Weighted average over the given axes, `sum(x * weights) / sum(weights)`. Integers become f32.
/// `weights` have the shape of x, or the sizes of the given axes in the order in which they are
/// given.
/// Supports complex numbers.
[[nodiscard]] inline Array average(const Operand &x, const AverageOptions &options) {
  return tenon::detail::average(x, options.axis, options.weights, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array average(const Operand &x, const detail::Positional<Axes> &axes = {}, const Operand &weights = none,
                            bool keepdims = false) {
  return detail::average(x, axes, weights, keepdims);
}

/// Vector norm of order `ord` over the given axes, `sum(|x|^ord)^(1 / ord)`. Integers become f32.
/// Order 0 counts the non-zero elements; infinity gives the largest |x|, -infinity the smallest.
/// Where the norm is 0, the derivative is 0. The norm of complex numbers is real.
/// Supports complex numbers.
[[nodiscard]] inline Array vector_norm(const Operand &x, const VectorNormOptions &options) {
  return tenon::detail::vector_norm(x, options.axis, options.keepdims, options.ord);
}
template <class Axes = Ints>
[[nodiscard]] Array vector_norm(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                                double ord = 2) {
  return detail::vector_norm(x, axes, keepdims, ord);
}

/// Norm of the matrices in the last two axes. Integers become f32.
/// `ord` is `frobenius`, or `one` or `infinity` for the largest sum of |x| over a column or a row,
/// `minus_one` or `minus_infinity` for the smallest; `spectral`, `minus_spectral` and `nuclear` are
/// the largest, the smallest and the sum of the singular values. The norm of complex numbers is
/// real.
/// Supports complex numbers.
[[nodiscard]] Array matrix_norm(const Operand &x, bool keepdims = false, MatrixNorm ord = MatrixNorm::frobenius);

/// Vector norm over one axis or matrix norm over two axes, as NumPy's `linalg.norm`. Integers
/// become f32.
/// Without `ord`, the 2-norm of the elements over the given axes (default: all). With `ord` and
/// without axes, x must be a vector or a matrix. For matrices `ord` is 1, -1, inf or -inf.
/// Supports complex numbers.
[[nodiscard]] inline Array norm(const Operand &x, const NormOptions &options) {
  return tenon::detail::norm(x, options.axis, options.keepdims, options.ord);
}
template <class Axes = Ints>
[[nodiscard]] Array norm(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false,
                         std::optional<double> ord = {}) {
  return detail::norm(x, axes, keepdims, ord);
}

/// The n-th discrete difference along `axis`, which becomes shorter by n. For bools, whether
/// neighbors differ.
[[nodiscard]] Array diff(const Operand &x, int n = 1, Axis axis = -1, const Operand &prepend = none,
                         const Operand &append = none);

/// Median over the given axes. Integers become f32.
/// Interpolates linearly between two neighbors. NaN where an element is NaN or where there are no
/// elements.
[[nodiscard]] inline Array median(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::median(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array median(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::median(x, axes, keepdims);
}

/// The q-th quantile over the given axes. Integers become f32.
/// Interpolates linearly between two neighbors. NaN where an element is NaN or where there are no
/// elements.
[[nodiscard]] inline Array quantile(const Operand &x, const Operand &q, const ReduceOptions &options) {
  return tenon::detail::quantile(x, q, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array quantile(const Operand &x, const Operand &q, const detail::Positional<Axes> &axes = {},
                             bool keepdims = false) {
  return detail::quantile(x, q, axes, keepdims);
}

/// The q-th percentile over the given axes. Integers become f32.
/// Interpolates linearly between two neighbors. NaN where an element is NaN or where there are no
/// elements.
[[nodiscard]] inline Array percentile(const Operand &x, const Operand &q, const ReduceOptions &options) {
  return tenon::detail::percentile(x, q, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array percentile(const Operand &x, const Operand &q, const detail::Positional<Axes> &axes = {},
                               bool keepdims = false) {
  return detail::percentile(x, q, axes, keepdims);
}

/// Median that ignores NaNs. Integers become f32.
/// Interpolates linearly between two neighbors. NaN where all elements are NaN or there are none.
[[nodiscard]] inline Array nanmedian(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::nanmedian(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array nanmedian(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::nanmedian(x, axes, keepdims);
}

/// The q-th quantile, ignoring NaNs. Integers become f32.
/// Interpolates linearly between two neighbors. NaN where all elements are NaN or there are none.
[[nodiscard]] inline Array nanquantile(const Operand &x, const Operand &q, const ReduceOptions &options) {
  return tenon::detail::nanquantile(x, q, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array nanquantile(const Operand &x, const Operand &q, const detail::Positional<Axes> &axes = {},
                                bool keepdims = false) {
  return detail::nanquantile(x, q, axes, keepdims);
}

/// The q-th percentile, ignoring NaNs. Integers become f32.
/// Interpolates linearly between two neighbors. NaN where all elements are NaN or there are none.
[[nodiscard]] inline Array nanpercentile(const Operand &x, const Operand &q, const ReduceOptions &options) {
  return tenon::detail::nanpercentile(x, q, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array nanpercentile(const Operand &x, const Operand &q, const detail::Positional<Axes> &axes = {},
                                  bool keepdims = false) {
  return detail::nanpercentile(x, q, axes, keepdims);
}

/// `log(sum(exp(x)))` over the given axes, without overflow. Integers become f32.
/// -inf where all elements are -inf or there are none; +inf where any element is. The derivative is
/// `softmax(x)`, or 0 where the result is infinite.
[[nodiscard]] inline Array logsumexp(const Operand &x, const ReduceOptions &options) {
  return tenon::detail::logsumexp(x, options.axis, options.keepdims);
}
template <class Axes = Ints>
[[nodiscard]] Array logsumexp(const Operand &x, const detail::Positional<Axes> &axes = {}, bool keepdims = false) {
  return detail::logsumexp(x, axes, keepdims);
}

/// Bin edges that `histogram` uses.
[[nodiscard]] Array histogram_bin_edges(const Operand &x, const Operand &bins, const Operand &range = none);

/// Number of occurrences of each integer 0, 1, 2, ... in x (i64), or the sum of their `weights`.
/// Negative elements and elements not below `length` are ignored. Without `length` the result has
/// max(x) + 1 elements, at least `minlength`; x must then be known: not while tracing.
[[nodiscard]] Array bincount(const Operand &x, const Operand &weights = none, int minlength = 0,
                             std::optional<Dim> length = {});

/// Histogram of x: the number of elements in each bin, and the bin edges.
/// `bins` is a number of bins of equal width, or their increasing edges, of rank 1. Bin i is
/// [edges[i], edges[i + 1]); the last bin includes its upper edge. Elements outside and NaNs are
/// ignored. Counts are i64, sums of `weights` have the dtype of the weights, a density is floating.
[[nodiscard]] Histogram histogram(const Operand &x, const Operand &bins, const Operand &range = none,
                                  const Operand &weights = none, bool density = false);

/// Histogram of the points (x, y): the number of points in each cell of a grid, and the edges of
/// its bins along both axes.
/// Bins and their edges are those of `histogram`. A point outside of the grid, or with a NaN, is
/// ignored. Counts are i64, sums of `weights` have the dtype of the weights, a density is floating.
[[nodiscard]] inline Histogram2d histogram2d(const Operand &x, const Operand &y, const Operand &x_bins, const Operand &y_bins,
                        const Histogram2dOptions &options = {}) {
  return tenon::detail::histogram2d(x, y, x_bins, y_bins, options.x_range, options.y_range, options.weights, options.density);
}

/// Integrates y along `axis` by the trapezoidal rule.
/// The sample points are `x`, which has the shape of y or one axis; without `x` they are `dx`
/// apart.
[[nodiscard]] Array trapezoid(const Operand &y, const Operand &x = none, double dx = 1, Axis axis = -1);

/// Covariance matrix of the rows of x, each of which is a variable; for one row, its variance.
[[nodiscard]] Array cov(const Operand &x, bool rowvar = true, int ddof = 1);

/// Matrix of Pearson correlation coefficients of the rows of x, each of which is a variable.
[[nodiscard]] Array corrcoef(const Operand &x, bool rowvar = true);

/// Square root of the sum of squares of all elements of all arrays; real for complex numbers.
/// Supports complex numbers.
[[nodiscard]] Array global_norm(const Arrays &xs, Location at = Location::current());

//===----------------------------------------------------------------------===//
// Cumulative
//===----------------------------------------------------------------------===//

/// Cumulative sum along `axis`.
/// Elements are combined in index order within blocks of 4,096; the total of the preceding blocks
/// is then combined with each block. f16 and bf16 are computed in f32 and rounded once. The result
/// dtype is that of `sum`.
/// Supports complex numbers.
[[nodiscard]] Array cumulative_sum(const Operand &x, std::optional<Axis> axis = {}, bool include_initial = false);

/// Cumulative product along `axis`.
/// Elements are combined in index order within blocks of 4,096; the total of the preceding blocks
/// is then combined with each block. f16 and bf16 are computed in f32 and rounded once. The result
/// dtype is that of `prod`. The derivative multiplies the other factors, so it is right where
/// factors are 0.
/// Supports complex numbers.
[[nodiscard]] Array cumulative_prod(const Operand &x, std::optional<Axis> axis = {}, bool include_initial = false);

/// Cumulative maximum along `axis`.
/// Once a NaN has occurred, all following elements are NaN. The derivative goes to the last of
/// equal elements, as in PyTorch.
[[nodiscard]] Array cumulative_max(const Operand &x, std::optional<Axis> axis = {});

/// Cumulative minimum along `axis`.
/// Once a NaN has occurred, all following elements are NaN. The derivative goes to the last of
/// equal elements, as in PyTorch.
[[nodiscard]] Array cumulative_min(const Operand &x, std::optional<Axis> axis = {});

/// Cumulative `log(sum(exp(x)))` along `axis`, without intermediate overflow.
/// Elements are combined in index order within blocks of 4,096; the total of the preceding blocks
/// is then combined with each block. f16 and bf16 are computed in f32 and rounded once. The
/// derivative is 0 where the result is infinite.
[[nodiscard]] Array cumulative_logsumexp(const Operand &x, std::optional<Axis> axis = {});

/// Cumulative sum that treats NaN as 0.
[[nodiscard]] Array nancumsum(const Operand &x, std::optional<Axis> axis = {});

/// Cumulative product that treats NaN as 1.
[[nodiscard]] Array nancumprod(const Operand &x, std::optional<Axis> axis = {});

/// Cumulative integral of y along `axis` by the trapezoidal rule; one element fewer than y unless
/// `initial` is given.
/// The sample points are `x`, which has the shape of y or one axis; without `x` they are `dx`
/// apart. With `initial` the result has the shape of y. The axis must not be empty.
[[nodiscard]] inline Array cumulative_trapezoid(const Operand &y, const CumulativeTrapezoidOptions &options = {}) {
  return tenon::detail::cumulative_trapezoid(y, options.x, options.dx, options.axis, options.initial);
}

//===----------------------------------------------------------------------===//
// Manipulation
//===----------------------------------------------------------------------===//

/// Array with the same elements, in row-major order, and a new shape. One size may be -1: it is
/// inferred.
[[nodiscard]] Array reshape(const Operand &x, const Shape &shape);

/// Broadcasts x to `shape` by NumPy's rules.
[[nodiscard]] Array broadcast_to(const Operand &x, const Shape &shape);

/// Permutes the axes of x: axis i of the result is axis `permutation[i]` of x. Default: reverses
/// the axes.
[[nodiscard]] Array transpose(const Operand &x, const Ints &permutation = {});

/// Slice `x[start:stop:step]` with a start, a stop and a step for each axis.
/// Steps may be negative but not 0; with a negative step, a stop of -1 means "before the first
/// element". Bounds must lie inside the array.
[[nodiscard]] Array slice(const Operand &x, const Shape &starts, const Shape &stops, const Ints &steps = {});

/// Pads x with `value`: `low` elements before, `high` after and `interior` between the elements of
/// each axis.
/// Positive widths pad first, then negative ones crop. A symbolic width counts as negative only if
/// its bounds prove it; any other that is negative at run time is an Error.
[[nodiscard]] Array pad(const Operand &x, const Operand &value, const Shape &low, const Shape &high,
                        const Ints &interior = {});

/// Joins arrays along an existing axis. All other sizes must be equal.
[[nodiscard]] Array concatenate(const Arrays &xs, Axis axis = 0, Location at = Location::current());

/// Splits x along `axis` into parts of the given sizes, as views.
[[nodiscard]] std::vector<Array> split(const Operand &x, const Shape &sizes, Axis axis = 0);

/// View of x with new axes of size 1 at the positions `axes` of the result.
[[nodiscard]] Array expand_dims(const Operand &x, const Ints &axes);

/// View of x without the given axes, which must have size 1. Default: all axes of size 1.
/// A symbolic size does not count as 1.
[[nodiscard]] Array squeeze(const Operand &x, const Ints &axes = {});

/// View of x with the order of elements reversed along the given axes (default: all).
[[nodiscard]] Array flip(const Operand &x, const Ints &axes = {});

/// View of x with the axes `source` moved to the positions `destination`; the others keep their
/// order.
[[nodiscard]] Array moveaxis(const Operand &x, const Ints &source, const Ints &destination);

/// View of x with two axes exchanged.
[[nodiscard]] Array swapaxes(const Operand &x, Axis axis1, Axis axis2);

/// Permutes the axes of x: axis i of the result is axis `axes[i]` of x. The array API's name for
/// `transpose`.
[[nodiscard]] Array permute_dims(const Operand &x, const Ints &axes);

/// Transposes each matrix: view of x with its last two axes exchanged.
[[nodiscard]] Array matrix_transpose(const Operand &x);

/// View of x rotated `k` times by 90 degrees, from the first of two axes towards the second.
[[nodiscard]] Array rot90(const Operand &x, int k = 1, const Ints &axes = {});

/// Diagonal of two axes, `x[..., i, i + offset]`, as a view whose last axis is the diagonal.
/// If the sizes are symbolic, it must be provable which axis ends the diagonal; the elements are
/// then copied.
[[nodiscard]] Array diagonal(const Operand &x, int offset = 0, Axis axis1 = 0, Axis axis2 = 1);

/// Broadcasts all arrays to one shape, as views.
[[nodiscard]] std::vector<Array> broadcast_arrays(const Arrays &xs, Location at = Location::current());

/// Flattens x in row-major order; a view where the layout allows it.
[[nodiscard]] Array ravel(const Operand &x);

/// Flattens x in row-major order; the same as `ravel`, since arrays are immutable.
[[nodiscard]] Array flatten(const Operand &x);

/// Adds an axis to a rank-0 array; other arrays are returned unchanged.
[[nodiscard]] Array atleast_1d(const Operand &x);

/// Adds leading axes of size 1 until x has at least two axes.
[[nodiscard]] Array atleast_2d(const Operand &x);

/// Adds axes of size 1 until x has at least three: [n] becomes [1, n, 1], and [m, n] becomes [m, n,
/// 1].
[[nodiscard]] Array atleast_3d(const Operand &x);

/// Another name for `concatenate`.
/// Joins arrays along an existing axis. All other sizes must be equal.
[[nodiscard]] Array concat(const Arrays &xs, Axis axis = 0, Location at = Location::current());

/// Joins arrays of one shape along a new axis at position `axis` of the result.
/// Arrays of different dtypes are promoted to one.
[[nodiscard]] Array stack(const Arrays &xs, Axis axis = 0, Location at = Location::current());

/// Splits x along `axis` into views without that axis: x[0], x[1], ...
[[nodiscard]] std::vector<Array> unstack(const Operand &x, Axis axis = 0);

/// Stacks arrays vertically: joins along axis 0, one-dimensional arrays as rows.
[[nodiscard]] Array vstack(const Arrays &xs, Location at = Location::current());

/// Stacks arrays horizontally: joins along axis 1, or along axis 0 for one-dimensional arrays.
[[nodiscard]] Array hstack(const Arrays &xs, Location at = Location::current());

/// Shifts elements cyclically by `shift` positions along the given axes.
/// Without axes, x is flattened, shifted and reshaped back. A single shift applies to all axes.
[[nodiscard]] Array roll(const Operand &x, const Ints &shift, const Ints &axes = {});

/// Repeats each element along `axis`.
/// `repeats` is a number, or an integer array with one count per element. The counts decide the
/// size of the result, so an array of counts cannot be an argument of jit or vmap.
[[nodiscard]] Array repeat(const Operand &x, const Operand &repeats, std::optional<Axis> axis = {});

/// Repeats the whole array `repetitions[i]` times along axis i.
/// `repetitions` are aligned with the last axes; missing repetitions are 1, and missing axes of x
/// have size 1.
[[nodiscard]] Array tile(const Operand &x, const Ints &repetitions);

/// Pads each axis with elements of x itself, as NumPy's `pad` does in all modes but constant.
/// For the axis [a b c], `edge` gives a a [a b c] c c, `reflect` gives c b [a b c] b a, `symmetric`
/// gives b a [a b c] c b, and `wrap` gives b c [a b c] a b. Use `pad` to pad with a constant.
[[nodiscard]] Array pad_mode(const Operand &x, const Shape &low, const Shape &high, PadMode mode);

/// View of x with its columns in reverse order, `flip(x, 1)`.
[[nodiscard]] Array fliplr(const Operand &x);

/// View of x with its rows in reverse order, `flip(x, 0)`.
[[nodiscard]] Array flipud(const Operand &x);

/// View of x with `axis` moved before the axis at position `start`; the others keep their order.
[[nodiscard]] Array rollaxis(const Operand &x, Axis axis, int start = 0);

/// Stacks arrays along axis 2, after `atleast_3d`.
[[nodiscard]] Array dstack(const Arrays &xs, Location at = Location::current());

/// Stacks one-dimensional arrays as columns; other arrays are joined along axis 1.
[[nodiscard]] Array column_stack(const Arrays &xs, Location at = Location::current());

/// Splits x along `axis` into `sections` parts; if the size is not divisible, the first parts are
/// longer by one.
/// The size of the axis must be known. `split` takes the sizes of the parts instead.
[[nodiscard]] std::vector<Array> array_split(const Operand &x, int sections, Axis axis = 0);

/// Splits x into equal parts along axis 1, or along its only axis.
/// The size of the axis must be known. `split` takes the sizes of the parts instead.
[[nodiscard]] std::vector<Array> hsplit(const Operand &x, int sections);

/// Splits x, of rank 2 or more, into equal parts along axis 0.
/// The size of the axis must be known. `split` takes the sizes of the parts instead.
[[nodiscard]] std::vector<Array> vsplit(const Operand &x, int sections);

/// Splits x, of rank 3 or more, into equal parts along axis 2.
/// The size of the axis must be known. `split` takes the sizes of the parts instead.
[[nodiscard]] std::vector<Array> dsplit(const Operand &x, int sections);

/// Appends `values` to x along `axis`.
[[nodiscard]] Array append(const Operand &x, const Operand &values, std::optional<Axis> axis = {});

/// Inserts `values` along `axis`, before the elements at `indices` of x.
/// Indices range from 0 to the size of the axis (which appends), or count from the end if negative.
/// Values are converted to the dtype of x. With one index, `values` have the rank of x and any size
/// along the axis, or are broadcast to a slice of x without that axis; with several indices, there
/// is one value per index, after broadcasting. Values at equal indices keep their order. Along an
/// axis of symbolic size, indices must not be negative.
[[nodiscard]] Array insert(const Operand &x, const Ints &indices, const Operand &values, std::optional<Axis> axis = {});

/// Copy of x without the slices at `indices` along `axis`.
/// Negative indices count from the end. An index may be repeated; one out of range is an Error.
/// Along an axis of symbolic size, indices must not be negative.
[[nodiscard]] Array delete_(const Operand &x, const Ints &indices, std::optional<Axis> axis = {});

/// Array of the given shape filled with the elements of x in row-major order, repeated if there are
/// too few.
/// If x has no elements, the result is zeros.
[[nodiscard]] Array resize(const Operand &x, const Shape &shape);

/// Removes leading and trailing zeros. For several axes, the smallest block that contains all
/// non-zero elements.
/// The size of the result depends on the elements, so x cannot be an argument of jit or vmap.
[[nodiscard]] Array trim_zeros(const Operand &x, Trim trim = Trim::both);

/// Copy of x whose main diagonal is replaced by `value`.
/// If x has more than two axes, they must have equal sizes. If `value` is an array, its elements
/// follow one another along the diagonal and repeat if there are too few. With `wrap`, the diagonal
/// of a tall matrix starts again one row below its end. NumPy changes x in place; Tenon returns a
/// new array.
[[nodiscard]] Array fill_diagonal(const Operand &x, const Operand &value, bool wrap = false);

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// Array of the given shape filled with `value`.
[[nodiscard]] Array full(const Shape &shape, Scalar value, std::optional<Dtype> dtype = {},
                         std::optional<Device> device = {}, Location at = Location::current());

/// Evenly spaced numbers in [start, stop): `start`, `start + step`, `start + 2 * step`, ...
/// Element i is `start + i * step`, with each operation rounded once. A dtype may stand right after
/// the numbers that are given.
[[nodiscard]] Array arange(Scalar start, std::optional<Scalar> stop = {}, Scalar step = 1,
                           std::optional<Dtype> dtype = {}, std::optional<Device> device = {},
                           Location at = Location::current());
[[nodiscard]] inline Array arange(Scalar start, Dtype dtype, std::optional<Device> device = {},
                                  Location at = Location::current()) {
  return arange(start, {}, 1, dtype, device, at);
}
[[nodiscard]] inline Array arange(Scalar start, std::optional<Scalar> stop, Dtype dtype,
                                  std::optional<Device> device = {}, Location at = Location::current()) {
  return arange(start, stop, 1, dtype, device, at);
}
/// The integers 0, 1, 2, ..., `size` - 1 for a size that may be symbolic: `arange(x.dim(0))`.
template <std::derived_from<Dim> AnySize, std::convertible_to<std::optional<Dtype>> AnyDtype = std::optional<Dtype>>
[[nodiscard]] Array arange(const AnySize &size, AnyDtype dtype = {}, std::optional<Device> device = {},
                           Location at = Location::current()) {
  return detail::arange(0, size, dtype, device, at);
}
/// The integers `start`, ..., `stop` - 1 for an end that may be symbolic: `arange(1, x.dim(0) + 1)`. Empty if `stop` is
/// below `start`; if it is also symbolic, an Error. Whether a symbolic end fits the dtype is not checked.
template <std::derived_from<Dim> AnySize, std::convertible_to<std::optional<Dtype>> AnyDtype = std::optional<Dtype>>
[[nodiscard]] Array arange(int64_t start, const AnySize &stop, AnyDtype dtype = {}, std::optional<Device> device = {},
                           Location at = Location::current()) {
  return detail::arange(start, stop, dtype, device, at);
}

/// Size of one axis of x as a rank-0 i64 array. A symbolic size has its value when the program
/// runs.
[[nodiscard]] Array dimension(const Operand &x, Axis axis);

/// Array filled with `value`, with the shape, dtype and device of x unless given.
[[nodiscard]] Array full_like(const Operand &x, Scalar value, std::optional<Dtype> dtype = {},
                              std::optional<Device> device = {});

/// Array of zeros with the shape, dtype and device of x unless given.
[[nodiscard]] Array zeros_like(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// Array of ones with the shape, dtype and device of x unless given.
[[nodiscard]] Array ones_like(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// Array of zeros.
[[nodiscard]] Array zeros(const Shape &shape, Dtype dtype = f32, std::optional<Device> device = {},
                          Location at = Location::current());

/// Array of ones.
[[nodiscard]] Array ones(const Shape &shape, Dtype dtype = f32, std::optional<Device> device = {},
                         Location at = Location::current());

/// Array of the given shape whose contents are unspecified; here it is filled with zeros.
[[nodiscard]] Array empty(const Shape &shape, Dtype dtype = f32, std::optional<Device> device = {},
                          Location at = Location::current());

/// Array with unspecified contents (zeros here) and the shape, dtype and device of x unless given.
[[nodiscard]] Array empty_like(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// Converts a number, nested lists or an array to an array of the given dtype on the given device.
[[nodiscard]] Array asarray(const Operand &x, std::optional<Dtype> dtype = {}, std::optional<Device> device = {});

/// Matrix with ones on diagonal `k` and zeros elsewhere; positive `k` is above the main diagonal.
[[nodiscard]] Array eye(Dim rows, std::optional<Dim> columns = {}, int k = 0, Dtype dtype = f32,
                        std::optional<Device> device = {}, Location at = Location::current());
[[nodiscard]] inline Array eye(Dim rows, Dtype dtype, std::optional<Device> device = {},
                               Location at = Location::current()) {
  return eye(rows, {}, 0, dtype, device, at);
}
[[nodiscard]] inline Array eye(Dim rows, std::optional<Dim> columns, Dtype dtype, std::optional<Device> device = {},
                               Location at = Location::current()) {
  return eye(rows, columns, 0, dtype, device, at);
}

/// Square identity matrix.
[[nodiscard]] Array identity(Dim size, Dtype dtype = f32, std::optional<Device> device = {},
                             Location at = Location::current());

/// The integers 0, 1, 2, ..., `size` - 1, as `arange(size)`; `size` may be symbolic.
[[nodiscard]] Array iota(Dim size, Dtype dtype = i32, std::optional<Device> device = {},
                         Location at = Location::current());

/// Index grids of an array of `shape`: one array per axis, holding the index along that axis,
/// stacked along a new axis 0.
[[nodiscard]] Array indices(const Shape &shape, Dtype dtype = i64, std::optional<Device> device = {},
                            Location at = Location::current());

/// `num` evenly spaced numbers from `start` to `stop`.
/// If the bounds are arrays, the numbers run along a new axis 0. Numbers are computed in f64 (c128)
/// and rounded once. An integer dtype rounds down, as in NumPy.
[[nodiscard]] Array linspace(const Operand &start, const Operand &stop, int num = 50, bool endpoint = true,
                             std::optional<Dtype> dtype = {});
[[nodiscard]] inline Array linspace(const Operand &start, const Operand &stop, Dtype dtype) {
  return linspace(start, stop, 50, true, dtype);
}
[[nodiscard]] inline Array linspace(const Operand &start, const Operand &stop, int num, Dtype dtype) {
  return linspace(start, stop, num, true, dtype);
}

/// Numbers evenly spaced on a log scale: `base` to the powers `linspace(start, stop, num,
/// endpoint)`.
[[nodiscard]] Array logspace(const Operand &start, const Operand &stop, int num = 50, bool endpoint = true,
                             double base = 10, std::optional<Dtype> dtype = {});
[[nodiscard]] inline Array logspace(const Operand &start, const Operand &stop, Dtype dtype) {
  return logspace(start, stop, 50, true, 10, dtype);
}
[[nodiscard]] inline Array logspace(const Operand &start, const Operand &stop, int num, Dtype dtype) {
  return logspace(start, stop, num, true, 10, dtype);
}
[[nodiscard]] inline Array logspace(const Operand &start, const Operand &stop, int num, bool endpoint, Dtype dtype) {
  return logspace(start, stop, num, endpoint, 10, dtype);
}

/// `num` numbers in geometric progression from `start` to `stop`.
/// Both bounds must have the same sign; otherwise the result is NaN.
[[nodiscard]] Array geomspace(const Operand &start, const Operand &stop, int num = 50, bool endpoint = true,
                              std::optional<Dtype> dtype = {});
[[nodiscard]] inline Array geomspace(const Operand &start, const Operand &stop, Dtype dtype) {
  return geomspace(start, stop, 50, true, dtype);
}
[[nodiscard]] inline Array geomspace(const Operand &start, const Operand &stop, int num, Dtype dtype) {
  return geomspace(start, stop, num, true, dtype);
}

/// Coordinate grids from one-dimensional arrays, as views: the i-th result varies along its own
/// axis only.
/// With GridIndexing::xy the first two axes of the grid are exchanged, as in NumPy; with
/// GridIndexing::ij axis i is that of array i.
[[nodiscard]] std::vector<Array> meshgrid(const Arrays &xs, GridIndexing indexing = GridIndexing::xy,
                                          Location at = Location::current());

/// Lower triangle: x with zeros above diagonal `k` of its last two axes.
[[nodiscard]] Array tril(const Operand &x, int k = 0);

/// Upper triangle: x with zeros below diagonal `k` of its last two axes.
[[nodiscard]] Array triu(const Operand &x, int k = 0);

/// For a vector, the matrix with x on diagonal `k` and zeros elsewhere; for a matrix, its diagonal
/// `k`.
[[nodiscard]] Array diag(const Operand &x, int k = 0);

/// Matrix with the elements of x, flattened, on diagonal `k` and zeros elsewhere.
[[nodiscard]] Array diagflat(const Operand &x, int k = 0);

/// Matrix with ones on and below diagonal `k` and zeros above it.
[[nodiscard]] Array tri(Dim rows, std::optional<Dim> columns = {}, int k = 0, Dtype dtype = f32,
                        std::optional<Device> device = {}, Location at = Location::current());
[[nodiscard]] inline Array tri(Dim rows, Dtype dtype, std::optional<Device> device = {},
                               Location at = Location::current()) {
  return tri(rows, {}, 0, dtype, device, at);
}
[[nodiscard]] inline Array tri(Dim rows, std::optional<Dim> columns, Dtype dtype, std::optional<Device> device = {},
                               Location at = Location::current()) {
  return tri(rows, columns, 0, dtype, device, at);
}

/// Bartlett (triangular) window.
/// The window is symmetric. A size below 1 gives an empty array, a size of 1 a single 1. Computed
/// in f64 and rounded once.
[[nodiscard]] Array bartlett(int size, Dtype dtype = f32, std::optional<Device> device = {},
                             Location at = Location::current());

/// Hann window, `0.5 + 0.5 * cos(pi * t)` for t from -1 to 1.
/// The window is symmetric. A size below 1 gives an empty array, a size of 1 a single 1. Computed
/// in f64 and rounded once.
[[nodiscard]] Array hanning(int size, Dtype dtype = f32, std::optional<Device> device = {},
                            Location at = Location::current());

/// Hamming window, `0.54 + 0.46 * cos(pi * t)` for t from -1 to 1.
/// The window is symmetric. A size below 1 gives an empty array, a size of 1 a single 1. Computed
/// in f64 and rounded once.
[[nodiscard]] Array hamming(int size, Dtype dtype = f32, std::optional<Device> device = {},
                            Location at = Location::current());

/// Blackman window, `0.42 + 0.5 * cos(pi * t) + 0.08 * cos(2 * pi * t)` for t from -1 to 1.
/// The window is symmetric. A size below 1 gives an empty array, a size of 1 a single 1. Computed
/// in f64 and rounded once.
[[nodiscard]] Array blackman(int size, Dtype dtype = f32, std::optional<Device> device = {},
                             Location at = Location::current());

/// Kaiser window, `i0(beta * sqrt(1 - t^2)) / i0(beta)` for t from -1 to 1.
/// The window is symmetric. A size below 1 gives an empty array, a size of 1 a single 1. Computed
/// in f64 and rounded once.
[[nodiscard]] Array kaiser(int size, double beta, Dtype dtype = f32, std::optional<Device> device = {},
                           Location at = Location::current());

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

/// Gathers windows of x whose start positions are the rows of `indices`, as StableHLO's gather.
/// `indices` is an array of integers. Its last axis holds one start for each axis of x in
/// `start_index_map`; along the other axes windows start at 0. A window has `slice_sizes[i]`
/// elements along axis i of x; the axes in `collapsed_slice_dims` have one element and are removed.
/// The result has the axes of `indices` except the last, and the remaining window axes at
/// `offset_dims`. The axes `operand_batching_dims` of x are indexed by the position along the axes
/// `start_indices_batching_dims` of `indices`.
/// A window that is not inside x is moved inside (IndexMode::clip), filled with `fill_value` where
/// it is outside (`drop`, or its alias `fill`), or an Error (`error`); in mode `error` a negative
/// start counts from the end of the axis. A window along an axis without elements is filled with
/// `fill_value` in modes `clip` and `drop`.
[[nodiscard]] Array gather(const Operand &x, const Operand &indices, const Shape &slice_sizes, const Ints &offset_dims,
                           const Ints &collapsed_slice_dims, const Ints &start_index_map,
                           const Ints &operand_batching_dims = {}, const Ints &start_indices_batching_dims = {},
                           IndexMode mode = IndexMode::clip, std::optional<Scalar> fill_value = {});

/// Replaces windows of x, at the positions in `indices`, by those of `updates`; the last update of
/// an element wins.
/// The windows of `updates` are written where `gather` would read them. `update_window_dims` are
/// the window axes of `updates`, `inserted_window_dims` the axes of x that `updates` omits, and
/// `scatter_dims_to_operand_dims` the axis of x that each index refers to; `input_batching_dims`
/// and `scatter_indices_batching_dims` are as in `gather`. Several updates of one element are
/// applied in the order of `indices`; sums and products of f16 and bf16 are rounded once, at the
/// end.
/// A window that is not inside x is moved inside (IndexMode::clip), ignored where it is outside
/// (`drop`), or an Error (`error`) that is raised before anything is written; in mode `error` a
/// negative start counts from the end.
[[nodiscard]] Array scatter(const Operand &x, const Operand &indices, const Operand &updates,
                            const Ints &update_window_dims, const Ints &inserted_window_dims,
                            const Ints &scatter_dims_to_operand_dims, const Ints &input_batching_dims = {},
                            const Ints &scatter_indices_batching_dims = {}, IndexMode mode = IndexMode::drop);

/// Adds `updates` to windows of x at the positions in `indices`, in the order of `indices`.
/// The windows of `updates` are written where `gather` would read them. `update_window_dims` are
/// the window axes of `updates`, `inserted_window_dims` the axes of x that `updates` omits, and
/// `scatter_dims_to_operand_dims` the axis of x that each index refers to; `input_batching_dims`
/// and `scatter_indices_batching_dims` are as in `gather`. Several updates of one element are
/// applied in the order of `indices`; sums and products of f16 and bf16 are rounded once, at the
/// end.
/// A window that is not inside x is moved inside (IndexMode::clip), ignored where it is outside
/// (`drop`), or an Error (`error`) that is raised before anything is written; in mode `error` a
/// negative start counts from the end.
[[nodiscard]] Array scatter_add(const Operand &x, const Operand &indices, const Operand &updates,
                                const Ints &update_window_dims, const Ints &inserted_window_dims,
                                const Ints &scatter_dims_to_operand_dims, const Ints &input_batching_dims = {},
                                const Ints &scatter_indices_batching_dims = {}, IndexMode mode = IndexMode::drop);

/// Multiplies windows of x at the positions in `indices` by `updates`, in the order of `indices`.
/// The windows of `updates` are written where `gather` would read them. `update_window_dims` are
/// the window axes of `updates`, `inserted_window_dims` the axes of x that `updates` omits, and
/// `scatter_dims_to_operand_dims` the axis of x that each index refers to; `input_batching_dims`
/// and `scatter_indices_batching_dims` are as in `gather`. Several updates of one element are
/// applied in the order of `indices`; sums and products of f16 and bf16 are rounded once, at the
/// end.
/// A window that is not inside x is moved inside (IndexMode::clip), ignored where it is outside
/// (`drop`), or an Error (`error`) that is raised before anything is written; in mode `error` a
/// negative start counts from the end.
[[nodiscard]] Array scatter_mul(const Operand &x, const Operand &indices, const Operand &updates,
                                const Ints &update_window_dims, const Ints &inserted_window_dims,
                                const Ints &scatter_dims_to_operand_dims, const Ints &input_batching_dims = {},
                                const Ints &scatter_indices_batching_dims = {}, IndexMode mode = IndexMode::drop);

/// Takes the minimum of windows of x, at the positions in `indices`, and `updates`. NaN propagates.
/// The windows of `updates` are written where `gather` would read them. `update_window_dims` are
/// the window axes of `updates`, `inserted_window_dims` the axes of x that `updates` omits, and
/// `scatter_dims_to_operand_dims` the axis of x that each index refers to; `input_batching_dims`
/// and `scatter_indices_batching_dims` are as in `gather`. Several updates of one element are
/// applied in the order of `indices`; sums and products of f16 and bf16 are rounded once, at the
/// end.
/// A window that is not inside x is moved inside (IndexMode::clip), ignored where it is outside
/// (`drop`), or an Error (`error`) that is raised before anything is written; in mode `error` a
/// negative start counts from the end.
[[nodiscard]] Array scatter_min(const Operand &x, const Operand &indices, const Operand &updates,
                                const Ints &update_window_dims, const Ints &inserted_window_dims,
                                const Ints &scatter_dims_to_operand_dims, const Ints &input_batching_dims = {},
                                const Ints &scatter_indices_batching_dims = {}, IndexMode mode = IndexMode::drop);

/// Takes the maximum of windows of x, at the positions in `indices`, and `updates`. NaN propagates.
/// The windows of `updates` are written where `gather` would read them. `update_window_dims` are
/// the window axes of `updates`, `inserted_window_dims` the axes of x that `updates` omits, and
/// `scatter_dims_to_operand_dims` the axis of x that each index refers to; `input_batching_dims`
/// and `scatter_indices_batching_dims` are as in `gather`. Several updates of one element are
/// applied in the order of `indices`; sums and products of f16 and bf16 are rounded once, at the
/// end.
/// A window that is not inside x is moved inside (IndexMode::clip), ignored where it is outside
/// (`drop`), or an Error (`error`) that is raised before anything is written; in mode `error` a
/// negative start counts from the end.
[[nodiscard]] Array scatter_max(const Operand &x, const Operand &indices, const Operand &updates,
                                const Ints &update_window_dims, const Ints &inserted_window_dims,
                                const Ints &scatter_dims_to_operand_dims, const Ints &input_batching_dims = {},
                                const Ints &scatter_indices_batching_dims = {}, IndexMode mode = IndexMode::drop);

/// Slice of x with sizes `slice_sizes`, starting at `start_indices` (one rank-0 integer array per
/// axis).
/// A start that would put the slice outside x is clamped, as in StableHLO.
[[nodiscard]] Array dynamic_slice(const Operand &x, const Arrays &start_indices, const Shape &slice_sizes);

/// Copy of x in which the slice starting at `start_indices` (one rank-0 integer array per axis) is
/// replaced by `update`.
/// A start that would put `update` outside x is clamped, as in StableHLO.
[[nodiscard]] Array dynamic_update_slice(const Operand &x, const Operand &update, const Arrays &start_indices);

/// Row and column indices (i64) of the elements on and below diagonal `k` of a matrix.
/// Row-major order. The two arrays together index a matrix.
[[nodiscard]] TriangleIndices tril_indices(int rows, int k = 0, std::optional<int> columns = {},
                                           std::optional<Device> device = {}, Location at = Location::current());

/// Row and column indices (i64) of the elements on and above diagonal `k` of a matrix.
/// Row-major order. The two arrays together index a matrix.
[[nodiscard]] TriangleIndices triu_indices(int rows, int k = 0, std::optional<int> columns = {},
                                           std::optional<Device> device = {}, Location at = Location::current());

/// `tril_indices` for a matrix of the shape of x.
[[nodiscard]] TriangleIndices tril_indices_from(const Operand &x, int k = 0);

/// `triu_indices` for a matrix of the shape of x.
[[nodiscard]] TriangleIndices triu_indices_from(const Operand &x, int k = 0);

/// Indices (i64) of the main diagonal of an array with `ndim` axes of the given size: 0, 1, 2, ...
/// for each axis.
[[nodiscard]] std::vector<Array> diag_indices(Dim size, int ndim = 2, std::optional<Device> device = {},
                                              Location at = Location::current());

/// `diag_indices` for x, whose axes must have equal sizes.
[[nodiscard]] std::vector<Array> diag_indices_from(const Operand &x);

/// Open mesh from one-dimensional arrays: the i-th result varies along axis i, so that indexing
/// with all of them selects a grid.
/// A bool array stands for the indices of its true elements, whose number must be known: not while
/// tracing.
[[nodiscard]] std::vector<Array> ix_(const Arrays &xs, Location at = Location::current());

/// Takes the elements of x at `indices` along `axis`; the axes of `indices` replace that axis.
/// In modes `error` (NumPy's `raise`) and `wrap` negative indices count from the end. `clip` makes
/// them 0. `drop` gives 0 for every index out of range, negative ones included.
[[nodiscard]] Array take(const Operand &x, const Operand &indices, std::optional<Axis> axis = {},
                         IndexMode mode = IndexMode::error);

/// Takes elements of x along `axis` by an index array of the same rank, such as the result of
/// `argsort`.
/// `indices` has the sizes of x except along `axis`.
[[nodiscard]] Array take_along_axis(const Operand &x, const Operand &indices, Axis axis = -1);

/// Copy of x with `values` at the elements that `take_along_axis(x, indices, axis)` would take; the
/// last value of an element wins.
/// `indices` has the sizes of x except along `axis`; `values` are broadcast to its shape. Negative
/// indices count from the end; an index out of range is an Error. NumPy changes x in place; Tenon
/// returns a new array.
[[nodiscard]] Array put_along_axis(const Operand &x, const Operand &indices, const Operand &values, Axis axis = -1);

/// Slices of x along `axis` where `condition` is true.
/// The condition has one axis and may be shorter than `axis`; the slices beyond its end are
/// dropped. It decides the size of the result, so it cannot be an argument of jit or vmap.
[[nodiscard]] Array compress(const Operand &condition, const Operand &x, std::optional<Axis> axis = {});

/// Selects each element from the choice of the first condition that is true, or `otherwise` if none
/// is.
/// There is one choice per condition. Choices are promoted to one dtype, and all arrays are
/// broadcast to one shape.
[[nodiscard]] Array select(const Arrays &conditions, const Arrays &choices, Scalar otherwise = 0,
                           Location at = Location::current());

/// Selects each element from the choice with number x.
/// Choices are promoted to one dtype, and all arrays are broadcast to one shape. Negative numbers
/// count from the last choice; a number out of range is an Error.
[[nodiscard]] Array choose(const Operand &x, const Arrays &choices);

/// Converts indices into the flattened array to one index per axis of `shape`.
/// An index out of range gives an index out of range along axis 0.
[[nodiscard]] std::vector<Array> unravel_index(const Operand &indices, const Shape &shape);

/// Converts one index per axis of `shape` to indices into the flattened array.
/// The index arrays are broadcast to one shape. Indices out of range are not detected.
[[nodiscard]] Array ravel_multi_index(const Arrays &indices, const Shape &shape, Location at = Location::current());

/// Sums the slices of `data` that have the same id in `segment_ids`; 0 for an empty segment.
/// Ids need not be sorted. Slices whose id is not in [0, num_segments) are ignored, as in JAX.
[[nodiscard]] Array segment_sum(const Operand &data, const Operand &segment_ids, Dim num_segments);

/// Multiplies the slices of `data` that have the same id in `segment_ids`; 1 for an empty segment.
/// Ids need not be sorted. Slices whose id is not in [0, num_segments) are ignored, as in JAX.
[[nodiscard]] Array segment_prod(const Operand &data, const Operand &segment_ids, Dim num_segments);

/// Maximum of the slices of `data` that have the same id in `segment_ids`; the dtype's lowest value
/// for an empty segment.
/// Ids need not be sorted. Slices whose id is not in [0, num_segments) are ignored, as in JAX.
[[nodiscard]] Array segment_max(const Operand &data, const Operand &segment_ids, Dim num_segments);

/// Minimum of the slices of `data` that have the same id in `segment_ids`; the dtype's highest
/// value for an empty segment.
/// Ids need not be sorted. Slices whose id is not in [0, num_segments) are ignored, as in JAX.
[[nodiscard]] Array segment_min(const Operand &data, const Operand &segment_ids, Dim num_segments);

/// Copy of x in which the elements at `indices` of the flattened array are replaced by `values`;
/// the last value of an element wins.
/// Values repeat if there are too few. Negative indices count from the end in modes `error` and
/// `wrap`, and are out of range in modes `clip` and `drop`. NumPy changes x in place; Tenon returns
/// a new array.
[[nodiscard]] Array put(const Operand &x, const Operand &indices, const Operand &values,
                        IndexMode mode = IndexMode::error);

/// Copy of x in which the elements where `mask` is true are replaced by `values`, in order; values
/// repeat if there are too few.
/// The mask has the shape of x. NumPy changes x in place; Tenon returns a new array.
[[nodiscard]] Array place(const Operand &x, const Operand &mask, const Operand &values);

/// Elements of the flattened x where the flattened `condition` is true.
/// Under jit the number of results must be given as `size`: additional elements are dropped, and
/// missing ones are filled with `fill_value`.
[[nodiscard]] Array extract(const Operand &condition, const Operand &x, std::optional<Dim> size = {},
                            Scalar fill_value = false);

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// Sorts several arrays of one shape together along `axis`, by the first `keys` of them; the first
/// array is the primary key.
/// The sort is stable; -0 and +0 are equal. NaN comes last, in ascending and in descending order.
/// Complex numbers are ordered by real part, then by imaginary part.
[[nodiscard]] std::vector<Array> sort_keys(const Arrays &xs, Axis axis = -1, int keys = 1, bool descending = false,
                                           Location at = Location::current());

/// Indices (i64) that sort x along `axis`.
/// The sort is stable; -0 and +0 are equal. NaN comes last, in ascending and in descending order.
/// Complex numbers are ordered by real part, then by imaginary part.
[[nodiscard]] Array argsort(const Operand &x, Axis axis = -1, bool descending = false);

/// Sorts x along `axis`.
/// The sort is stable; -0 and +0 are equal. NaN comes last, in ascending and in descending order.
/// Complex numbers are ordered by real part, then by imaginary part.
[[nodiscard]] Array sort(const Operand &x, Axis axis = -1, bool descending = false);

/// Indices (i64) that sort by several keys of one shape along `axis`; the last key is the primary
/// one, as in NumPy.
[[nodiscard]] Array lexsort(const Arrays &keys, Axis axis = -1, Location at = Location::current());

/// The `k` largest elements along `axis`, in descending order, and their indices (i32).
/// Of equal elements the one with the lower index comes first; -0 and +0 are equal. NaN is the
/// largest value. An axis with fewer than k elements is an Error; for a symbolic size, at the call.
[[nodiscard]] TopK top_k(const Operand &x, int k, Axis axis = -1);

/// Reorders the elements along `axis` so that the element at `kth` is the one that sorting would
/// put there.
/// Elements before `kth` are not greater, and elements after it are not less; NaN counts as the
/// largest value. The implementation sorts all elements, which is a valid partition.
[[nodiscard]] Array partition(const Operand &x, int kth, Axis axis = -1);

/// Indices (i64) along `axis` that partition x: the element at `kth` is the one that sorting would
/// put there.
/// Elements before `kth` are not greater, and elements after it are not less; NaN counts as the
/// largest value. The implementation sorts all elements, which is a valid partition.
[[nodiscard]] Array argpartition(const Operand &x, int kth, Axis axis = -1);

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

/// Indices (i64) into the flattened x of the elements that are non-zero (NaN counts as non-zero).
/// Under jit the number of results must be given as `size`: additional elements are dropped, and
/// missing ones are filled with `fill_value`.
[[nodiscard]] Array flatnonzero(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// Indices (i64) of the non-zero elements in row-major order: one array per axis of x.
/// Under jit the number of results must be given as `size`: additional elements are dropped, and
/// missing ones are filled with `fill_value`.
[[nodiscard]] std::vector<Array> nonzero(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// Indices (i64) of the non-zero elements in row-major order: one row per element, one column per
/// axis.
/// Under jit the number of rows must be given as `size`: additional elements are dropped, and
/// missing ones are filled with `fill_value`.
[[nodiscard]] Array argwhere(const Operand &x, std::optional<Dim> size = {}, int fill_value = 0);

/// Sorted distinct values of x.
/// Each NaN counts as a distinct value, and -0 as 0. Under jit the number of values must be given
/// as `size`: additional values are dropped, and missing ones are filled with `fill_value`
/// (default: the first value) with counts of 0.
[[nodiscard]] Array unique_values(const Operand &x, std::optional<Dim> size = {},
                                  std::optional<Scalar> fill_value = {});

/// Sorted distinct values of x, and the number of occurrences (i64) of each.
/// Each NaN counts as a distinct value, and -0 as 0. Under jit the number of values must be given
/// as `size`: additional values are dropped, and missing ones are filled with `fill_value`
/// (default: the first value) with counts of 0.
[[nodiscard]] UniqueCounts unique_counts(const Operand &x, std::optional<Dim> size = {},
                                         std::optional<Scalar> fill_value = {});

/// Sorted distinct values of x, and for each element of x the index (i64) of its value.
/// Each NaN counts as a distinct value, and -0 as 0. Under jit the number of values must be given
/// as `size`: additional values are dropped, and missing ones are filled with `fill_value`
/// (default: the first value) with counts of 0.
[[nodiscard]] UniqueInverse unique_inverse(const Operand &x, std::optional<Dim> size = {},
                                           std::optional<Scalar> fill_value = {});

/// Sorted distinct values of x, the index (i64) of each one's first occurrence in the flattened x,
/// the index of each element's value, and the number of occurrences.
/// Each NaN counts as a distinct value, and -0 as 0. Under jit the number of values must be given
/// as `size`: additional values are dropped, and missing ones are filled with `fill_value`
/// (default: the first value) with counts of 0.
[[nodiscard]] UniqueAll unique_all(const Operand &x, std::optional<Dim> size = {},
                                   std::optional<Scalar> fill_value = {});

/// Sorted distinct slices of x along `axis` (default: elements of the flattened x), the index (i64)
/// of each one's first occurrence, the inverse indices, and the counts.
/// All four are returned, unlike NumPy's. The inverse has one index per slice; without `axis` it
/// has the shape of x. Slices are sorted lexicographically. NaNs are distinct (NumPy's
/// `equal_nan=False`), and -0 equals 0. Under jit the number of slices must be given as `size`:
/// additional ones are dropped, and missing ones are filled with `fill_value` (default: the first
/// slice) with counts of 0. The sizes of the other axes must be known.
[[nodiscard]] inline UniqueAll unique(const Operand &x, const UniqueOptions &options = {}) {
  return tenon::detail::unique(x, options.axis, options.size, options.fill_value);
}

/// Indices (i64) at which the elements of `x2` would be inserted into the sorted `x1` to keep the
/// order.
/// With Side::left the index counts the elements that are less, with Side::right those that are not
/// greater. NaN is the largest value, as in `sort`.
[[nodiscard]] Array searchsorted(const Operand &x1, const Operand &x2, Side side = Side::left,
                                 const Operand &sorter = none);

/// Index (i64) of the bin that contains each element of x: 0 before the first edge, `bins.size()`
/// after the last.
/// Bin i is [bins[i - 1], bins[i]), or (bins[i - 1], bins[i]] with `right`. If the edges are
/// decreasing, bin i is [bins[i], bins[i - 1]), or (bins[i], bins[i - 1]] without `right`.
[[nodiscard]] Array digitize(const Operand &x, const Operand &bins, bool right = false);

/// Sorted union: the values in `x1` or `x2`.
/// The result is sorted and one-dimensional, and contains each value once; each NaN counts as a
/// distinct value, and -0 as 0. Under jit the number of values must be given as `size`: additional
/// values are dropped, and missing ones are filled with `fill_value` (default: the first value, or
/// 0 if there is none).
[[nodiscard]] Array union1d(const Operand &x1, const Operand &x2, std::optional<Dim> size = {},
                            std::optional<Scalar> fill_value = {});

/// Sorted intersection: the values in both `x1` and `x2`.
/// The result is sorted and one-dimensional, and contains each value once; each NaN counts as a
/// distinct value, and -0 as 0. Under jit the number of values must be given as `size`: additional
/// values are dropped, and missing ones are filled with `fill_value` (default: the first value, or
/// 0 if there is none).
[[nodiscard]] Array intersect1d(const Operand &x1, const Operand &x2, std::optional<Dim> size = {},
                                std::optional<Scalar> fill_value = {});

/// Sorted difference: the values in `x1` that are not in `x2`.
/// The result is sorted and one-dimensional, and contains each value once; each NaN counts as a
/// distinct value, and -0 as 0. Under jit the number of values must be given as `size`: additional
/// values are dropped, and missing ones are filled with `fill_value` (default: the first value, or
/// 0 if there is none).
[[nodiscard]] Array setdiff1d(const Operand &x1, const Operand &x2, std::optional<Dim> size = {},
                              std::optional<Scalar> fill_value = {});

/// Sorted symmetric difference: the values in exactly one of `x1` and `x2`.
/// The result is sorted and one-dimensional, and contains each value once; each NaN counts as a
/// distinct value, and -0 as 0. Under jit the number of values must be given as `size`: additional
/// values are dropped, and missing ones are filled with `fill_value` (default: the first value, or
/// 0 if there is none).
[[nodiscard]] Array setxor1d(const Operand &x1, const Operand &x2, std::optional<Dim> size = {},
                             std::optional<Scalar> fill_value = {});

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

/// Sums products over the axes `axes1` of x1 and `axes2` of x2, for each index of the batch axes
/// `batch1` and `batch2`; JAX's `dot_general`.
/// The result has the batch axes first, in the order of `batch1`; then the other axes of `x1`, then
/// those of `x2`. Axes that are paired have equal sizes. `matmul`, `tensordot` and `einsum` are
/// calls of this function.
/// An element of the result is one chain of fused multiply-adds in the order of `axes1`, the last
/// of them fastest (blocks of 4,096, which are added pairwise). So an element does not depend on
/// the others: `matmul(x, w)[i]` has the bits of `matmul(x[i], w)`, eager and compiled, on any
/// number of threads. Where the other axes of `x2` have one element, such as in a matrix times a
/// vector, the sum has the order of `sum`. f16, bf16 and f8 are summed in f32 and rounded once.
/// Integers wrap.
/// `dtype` is JAX's `preferred_element_type`: products are computed in the wider of `dtype` and the
/// operands' dtype, and the result is converted. So products of i8 with `dtype` i32 wrap at 32
/// bits, not at 8, and those of f8 with `dtype` f32 are not rounded to f8. f8, f16, bf16 and narrow
/// integers are widened as the product reads them, without a wide copy of the operands.
/// For each pair of complex numbers, re * re and then -im * im is added to the real part, re * im
/// and then im * re to the imaginary part.
[[nodiscard]] Array dot_general(const Operand &x1, const Operand &x2, const Ints &axes1, const Ints &axes2,
                                const Ints &batch1 = {}, const Ints &batch2 = {}, std::optional<Dtype> dtype = {});
[[nodiscard]] inline Array dot_general(const Operand &x1, const Operand &x2, const Ints &axes1, const Ints &axes2,
                                       Dtype dtype) {
  return dot_general(x1, x2, axes1, axes2, {}, {}, dtype);
}
[[nodiscard]] inline Array dot_general(const Operand &x1, const Operand &x2, const Ints &axes1, const Ints &axes2,
                                       const Ints &batch1, Dtype dtype) {
  return dot_general(x1, x2, axes1, axes2, batch1, {}, dtype);
}

/// Matrix product over the last two axes; leading axes broadcast.
/// A rank-1 operand is treated as a row (left) or column (right) matrix, and that axis is removed
/// from the result, as in NumPy. The result has the promoted dtype of both arrays; integers wrap,
/// and bools give whether any pair is true. See `dot_general` for the order of summation and
/// `dtype`: `matmul(x, w, i32)` of i8 arrays wraps at 32 bits.
[[nodiscard]] Array matmul(const Operand &x1, const Operand &x2, std::optional<Dtype> dtype = {});

/// Einstein summation: products of the arrays, summed over the labels that the result lacks;
/// NumPy's `einsum`.
/// The equation has a letter for each axis of each array, as in `"bij,bjk->bik"`. A label in
/// several arrays pairs their axes (a size of 1 broadcasts); one that an array has twice takes the
/// diagonal; one that is not behind `->` is summed over. Without `->` the result has the labels
/// that occur once, in alphabetical order. `...` stands for the axes that are not named; they
/// broadcast, must be in the result, and come first without `->`.
/// The result has the promoted dtype of the arrays: integers wrap, sums of bools are whether any is
/// true, f8, f16 and bf16 are multiplied and summed in f32 and rounded once. With `dtype`, the
/// product is computed in the wider of it and the promoted dtype, and the result is converted.
/// Three or more arrays are multiplied pairwise, in the order that takes the fewest multiplications
/// (of up to eight arrays the best order, of more a greedy one); under jit this asks for their
/// sizes. Five arrays and more are given as a list, `einsum(equation, {x1, x2, x3, x4, x5})`.
[[nodiscard]] Array einsum(std::string_view equation, const Arrays &xs, std::optional<Dtype> dtype = {},
                           Location at = Location::current());
/// The same of arrays in braces.
[[nodiscard]] inline Array einsum(std::string_view equation, std::initializer_list<Array> xs,
                                  std::optional<Dtype> dtype = {}, Location at = Location::current()) {
  return einsum(equation, Arrays(xs), dtype, at);
}
/// The same of one to four arrays, without braces.
[[nodiscard]] Array einsum(std::string_view equation, const Operand &x1, std::optional<Dtype> dtype = {});
[[nodiscard]] Array einsum(std::string_view equation, const Operand &x1, const Operand &x2,
                           std::optional<Dtype> dtype = {});
[[nodiscard]] Array einsum(std::string_view equation, const Operand &x1, const Operand &x2, const Operand &x3,
                           std::optional<Dtype> dtype = {});
[[nodiscard]] Array einsum(std::string_view equation, const Operand &x1, const Operand &x2, const Operand &x3,
                           const Operand &x4, std::optional<Dtype> dtype = {});

/// Matrix product of several arrays, in the order that takes the fewest multiplications; NumPy's
/// `linalg.multi_dot`.
/// The first array may be a vector, taken as a row, and the last one a vector, taken as a column;
/// the others are matrices. Under jit of three or more arrays this asks for their sizes.
[[nodiscard]] Array multi_dot(const Arrays &xs, Location at = Location::current());

/// Matrix times vector over the last axes, `sum(x1 * x2[..., None, :], -1)`; leading axes
/// broadcast. NumPy's `matvec`.
[[nodiscard]] Array matvec(const Operand &x1, const Operand &x2);

/// Vector times matrix over the last axes, `sum(conj(x1)[..., :, None] * x2, -2)`; leading axes
/// broadcast. NumPy's `vecmat`.
[[nodiscard]] Array vecmat(const Operand &x1, const Operand &x2);

/// Tensor contraction: sums products over the given axes of both arrays. The remaining axes of `x1`
/// come first, then those of `x2`.
/// If only `axes` is given, it is a number n: the last n axes of `x1` and the first n of `x2` are
/// contracted. With `axes2`, both are lists of axes. The result has the promoted dtype of both
/// arrays, or `dtype` (`dot_general`); integers wrap.
[[nodiscard]] Array tensordot(const Operand &x1, const Operand &x2, const Ints &axes = 2, const Ints &axes2 = {},
                              std::optional<Dtype> dtype = {});
[[nodiscard]] inline Array tensordot(const Operand &x1, const Operand &x2, Dtype dtype) {
  return tensordot(x1, x2, 2, {}, dtype);
}
[[nodiscard]] inline Array tensordot(const Operand &x1, const Operand &x2, const Ints &axes, Dtype dtype) {
  return tensordot(x1, x2, axes, {}, dtype);
}

/// Vector dot product along `axis`, `sum(conj(x1) * x2)`; the other axes broadcast.
/// The result has the promoted dtype of both arrays; integers wrap. Products of complex numbers are
/// fused (`dot_general`), so the imaginary part of `vecdot(z, z)` may be a rounding error instead
/// of 0.
[[nodiscard]] Array vecdot(const Operand &x1, const Operand &x2, Axis axis = -1);

/// Outer product of the flattened arrays, of shape (size of x1, size of x2).
[[nodiscard]] Array outer(const Operand &x1, const Operand &x2);

/// Inner product over the last axes of both arrays. With a rank-0 array it is the ordinary product.
[[nodiscard]] Array inner(const Operand &x1, const Operand &x2);

/// NumPy's `dot`: contracts the last axis of `x1` with the second-to-last axis of `x2`; for vectors
/// and matrices it equals `matmul`.
/// With a rank-0 array it is the ordinary product. Unlike `matmul`, `dot` does not broadcast
/// leading axes.
[[nodiscard]] Array dot(const Operand &x1, const Operand &x2);

/// Kronecker product: each element of `x1` is replaced by that element times `x2`.
[[nodiscard]] Array kron(const Operand &x1, const Operand &x2);

/// Cross product of 3-element vectors along `axis`; the other axes broadcast.
[[nodiscard]] Array cross(const Operand &x1, const Operand &x2, Axis axis = -1);

/// Sum along a diagonal of two axes, `sum(diagonal(x, offset, axis1, axis2), -1)`.
[[nodiscard]] Array trace(const Operand &x, int offset = 0, Axis axis1 = 0, Axis axis2 = 1);

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Convolution of x [batch, length, in] with a kernel [taps, in / groups, out].
/// The kernel is not reversed. Any number of axes before the spatial ones (and before the channels,
/// if those come first) are a batch. As many groups as channels make a depthwise convolution, with
/// a kernel of one input channel. Taps in the padding do not take part. An element is one chain of
/// fused multiply-adds over the taps, in row-major order, and the channels of each, fastest (blocks
/// of 4,096, which are added pairwise): it has the same bits in any batch, eager and compiled. f16
/// and bf16 are summed in f32 and rounded once; integers wrap.
[[nodiscard]] inline Array conv1d(const Operand &x, const Operand &kernel, const ConvOptions &options = {}) {
  return tenon::detail::conv1d(x, kernel, options.strides, options.padding, options.dilation, options.groups, options.data_format);
}

/// Convolution of images x [batch, height, width, in] with a kernel [height, width, in / groups,
/// out].
/// The kernel is not reversed. Any number of axes before the spatial ones (and before the channels,
/// if those come first) are a batch. As many groups as channels make a depthwise convolution, with
/// a kernel of one input channel. Taps in the padding do not take part. An element is one chain of
/// fused multiply-adds over the taps, in row-major order, and the channels of each, fastest (blocks
/// of 4,096, which are added pairwise): it has the same bits in any batch, eager and compiled. f16
/// and bf16 are summed in f32 and rounded once; integers wrap.
[[nodiscard]] inline Array conv2d(const Operand &x, const Operand &kernel, const ConvOptions &options = {}) {
  return tenon::detail::conv2d(x, kernel, options.strides, options.padding, options.dilation, options.groups, options.data_format);
}

/// Convolution of x [batch, depth, height, width, in] with a kernel [depth, height, width, in /
/// groups, out].
/// The kernel is not reversed. Any number of axes before the spatial ones (and before the channels,
/// if those come first) are a batch. As many groups as channels make a depthwise convolution, with
/// a kernel of one input channel. Taps in the padding do not take part. An element is one chain of
/// fused multiply-adds over the taps, in row-major order, and the channels of each, fastest (blocks
/// of 4,096, which are added pairwise): it has the same bits in any batch, eager and compiled. f16
/// and bf16 are summed in f32 and rounded once; integers wrap.
[[nodiscard]] inline Array conv3d(const Operand &x, const Operand &kernel, const ConvOptions &options = {}) {
  return tenon::detail::conv3d(x, kernel, options.strides, options.padding, options.dilation, options.groups, options.data_format);
}

/// Convolution along any number of spatial axes, with any order of axes; JAX's
/// `conv_general_dilated`.
/// `layout` names the axes of x, of the kernel and of the result: N (batch), C (channels), I and O
/// (the kernel's channels of x and of the result), and a letter for each spatial axis. The default
/// has the channels last, `"NHWC,HWIO->NHWC"` of two spatial axes. `conv2d` says how elements are
/// summed.
[[nodiscard]] inline Array conv_general(const Operand &x, const Operand &kernel, const ConvGeneralOptions &options = {}) {
  return tenon::detail::conv_general(x, kernel, options.strides, options.padding, options.x_dilation, options.dilation, options.groups, options.layout);
}

/// Transposed convolution: the derivative of `conv1d` with respect to its x, applied to x [batch,
/// length, in], with a kernel [taps, out / groups, in].
/// The result of size `n` has x's size, `ceil(n / stride)`, for `same`; it is `size * stride` then,
/// and `(size - 1) * stride + window` for `valid` (with a stride above the window, `size *
/// stride`). Numbers as padding remove as many places from the valid result, and `output_padding`
/// adds places at the end, as in PyTorch. The kernel is that of the convolution, `[spatial..., out
/// / groups, in]`, so its channels are in the order of Keras.
[[nodiscard]] inline Array conv_transpose1d(const Operand &x, const Operand &kernel, const ConvTransposeOptions &options = {}) {
  return tenon::detail::conv_transpose1d(x, kernel, options.strides, options.padding, options.output_padding, options.dilation, options.groups, options.data_format);
}

/// Transposed convolution: the derivative of `conv2d` with respect to its x, applied to x [batch,
/// height, width, in], with a kernel [height, width, out / groups, in].
/// The result of size `n` has x's size, `ceil(n / stride)`, for `same`; it is `size * stride` then,
/// and `(size - 1) * stride + window` for `valid` (with a stride above the window, `size *
/// stride`). Numbers as padding remove as many places from the valid result, and `output_padding`
/// adds places at the end, as in PyTorch. The kernel is that of the convolution, `[spatial..., out
/// / groups, in]`, so its channels are in the order of Keras.
[[nodiscard]] inline Array conv_transpose2d(const Operand &x, const Operand &kernel, const ConvTransposeOptions &options = {}) {
  return tenon::detail::conv_transpose2d(x, kernel, options.strides, options.padding, options.output_padding, options.dilation, options.groups, options.data_format);
}

/// Transposed convolution: the derivative of `conv3d` with respect to its x, with a kernel [depth,
/// height, width, out / groups, in].
/// The result of size `n` has x's size, `ceil(n / stride)`, for `same`; it is `size * stride` then,
/// and `(size - 1) * stride + window` for `valid` (with a stride above the window, `size *
/// stride`). Numbers as padding remove as many places from the valid result, and `output_padding`
/// adds places at the end, as in PyTorch. The kernel is that of the convolution, `[spatial..., out
/// / groups, in]`, so its channels are in the order of Keras.
[[nodiscard]] inline Array conv_transpose3d(const Operand &x, const Operand &kernel, const ConvTransposeOptions &options = {}) {
  return tenon::detail::conv_transpose3d(x, kernel, options.strides, options.padding, options.output_padding, options.dilation, options.groups, options.data_format);
}

/// Convolution of two arrays of one rank, `y[n] = sum over m of x1[m] * x2[n - m]`; NumPy's and
/// SciPy's `convolve`.
/// The sums are computed one product at a time; `fft` serves for long arrays.
[[nodiscard]] Array convolve(const Operand &x1, const Operand &x2, ConvolutionMode mode = ConvolutionMode::full);

/// Correlation of two arrays of one rank, `y[n] = sum over m of x1[n + m] * conj(x2[m])`; NumPy's
/// and SciPy's `correlate`.
[[nodiscard]] Array correlate(const Operand &x1, const Operand &x2, ConvolutionMode mode = ConvolutionMode::valid);

/// Reduces each window of x to one element: its sum, maximum, minimum or product. Windows move
/// along all axes of x.
/// Elements of the padding and in the gaps of a dilated x do not take part. A window without
/// elements has the sum 0, the product 1, and the least or greatest value of the dtype as maximum
/// or minimum. NaN propagates; integers wrap. The derivative of a maximum goes to the first of
/// equal elements.
[[nodiscard]] inline Array reduce_window(const Operand &x, const Ints &window, const ReduceWindowOptions &options = {}) {
  return tenon::detail::reduce_window(x, window, options.reduction, options.strides, options.padding, options.dilation, options.x_dilation);
}
namespace detail {
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

/// Selects the largest or smallest element of each window of x and adds the window's element of
/// `source` at its index, starting from zeros, as XLA's SelectAndScatter with a sum.
/// Windows move along all axes of x, as in `reduce_window`, and `source` has an element for each.
/// The result has the shape of x and the dtype of `source`; f16 and bf16 are summed in f32 and
/// rounded once. Elements of the padding are never chosen, and a window without elements of x adds
/// nothing. This is the derivative of `reduce_window` with a maximum or minimum. The derivative
/// with respect to x is 0.
[[nodiscard]] inline Array select_and_scatter(const Operand &x, const Operand &source, const Ints &window,
                         const SelectAndScatterOptions &options = {}) {
  return tenon::detail::select_and_scatter(x, source, window, options.select, options.strides, options.padding);
}

/// Maximum of each window along the one spatial axis of x, [batch..., length, channels].
/// Padding never is the maximum: a window that has no element of x is an Error. NaN propagates. The
/// derivative goes to the first of equal maxima, or to the first NaN. Any number of axes before the
/// spatial ones (and before the channels, if those come first) are a batch.
[[nodiscard]] inline Array max_pool1d(const Operand &x, const Ints &window, const MaxPoolOptions &options = {}) {
  return tenon::detail::max_pool1d(x, window, options.strides, options.padding, options.dilation, options.ceil_mode, options.data_format);
}

/// Maximum of each window along the two spatial axes of x, [batch..., height, width, channels].
/// Padding never is the maximum: a window that has no element of x is an Error. NaN propagates. The
/// derivative goes to the first of equal maxima, or to the first NaN. Any number of axes before the
/// spatial ones (and before the channels, if those come first) are a batch.
[[nodiscard]] inline Array max_pool2d(const Operand &x, const Ints &window, const MaxPoolOptions &options = {}) {
  return tenon::detail::max_pool2d(x, window, options.strides, options.padding, options.dilation, options.ceil_mode, options.data_format);
}

/// Maximum of each window along the three spatial axes of x, [batch..., depth, height, width,
/// channels].
/// Padding never is the maximum: a window that has no element of x is an Error. NaN propagates. The
/// derivative goes to the first of equal maxima, or to the first NaN. Any number of axes before the
/// spatial ones (and before the channels, if those come first) are a batch.
[[nodiscard]] inline Array max_pool3d(const Operand &x, const Ints &window, const MaxPoolOptions &options = {}) {
  return tenon::detail::max_pool3d(x, window, options.strides, options.padding, options.dilation, options.ceil_mode, options.data_format);
}

/// The result of `max_pool1d`, and the index (i64) of each maximum along the spatial axis of x.
/// Padding never is the maximum: a window that has no element of x is an Error. NaN propagates. The
/// derivative goes to the first of equal maxima, or to the first NaN. Any number of axes before the
/// spatial ones (and before the channels, if those come first) are a batch.
[[nodiscard]] inline MaxPool max_pool1d_with_indices(const Operand &x, const Ints &window, const MaxPoolOptions &options = {}) {
  return tenon::detail::max_pool1d_with_indices(x, window, options.strides, options.padding, options.dilation, options.ceil_mode, options.data_format);
}

/// The result of `max_pool2d`, and the index (i64) of each maximum: `row * width + column`.
/// Padding never is the maximum: a window that has no element of x is an Error. NaN propagates. The
/// derivative goes to the first of equal maxima, or to the first NaN. Any number of axes before the
/// spatial ones (and before the channels, if those come first) are a batch.
[[nodiscard]] inline MaxPool max_pool2d_with_indices(const Operand &x, const Ints &window, const MaxPoolOptions &options = {}) {
  return tenon::detail::max_pool2d_with_indices(x, window, options.strides, options.padding, options.dilation, options.ceil_mode, options.data_format);
}

/// The result of `max_pool3d`, and the index (i64) of each maximum into the flattened spatial axes
/// of x.
/// Padding never is the maximum: a window that has no element of x is an Error. NaN propagates. The
/// derivative goes to the first of equal maxima, or to the first NaN. Any number of axes before the
/// spatial ones (and before the channels, if those come first) are a batch.
[[nodiscard]] inline MaxPool max_pool3d_with_indices(const Operand &x, const Ints &window, const MaxPoolOptions &options = {}) {
  return tenon::detail::max_pool3d_with_indices(x, window, options.strides, options.padding, options.dilation, options.ceil_mode, options.data_format);
}

/// Puts the elements of x at the indices of `max_pool1d_with_indices`, among zeros.
/// Elements at no index are 0. Of equal indices the last element wins. A spatial axis of the result
/// has `(size - 1) * stride + window` places less the padding, or `output_size`, which must be less
/// than a stride away from that.
[[nodiscard]] inline Array max_unpool1d(const Operand &x, const Operand &indices, const Ints &window, const MaxUnpoolOptions &options = {}) {
  return tenon::detail::max_unpool1d(x, indices, window, options.strides, options.padding, options.output_size, options.data_format);
}

/// Puts the elements of x at the indices of `max_pool2d_with_indices`, among zeros.
/// Elements at no index are 0. Of equal indices the last element wins. A spatial axis of the result
/// has `(size - 1) * stride + window` places less the padding, or `output_size`, which must be less
/// than a stride away from that.
[[nodiscard]] inline Array max_unpool2d(const Operand &x, const Operand &indices, const Ints &window, const MaxUnpoolOptions &options = {}) {
  return tenon::detail::max_unpool2d(x, indices, window, options.strides, options.padding, options.output_size, options.data_format);
}

/// Puts the elements of x at the indices of `max_pool3d_with_indices`, among zeros.
/// Elements at no index are 0. Of equal indices the last element wins. A spatial axis of the result
/// has `(size - 1) * stride + window` places less the padding, or `output_size`, which must be less
/// than a stride away from that.
[[nodiscard]] inline Array max_unpool3d(const Operand &x, const Operand &indices, const Ints &window, const MaxUnpoolOptions &options = {}) {
  return tenon::detail::max_unpool3d(x, indices, window, options.strides, options.padding, options.output_size, options.data_format);
}

/// Mean of each window along the one spatial axis of x, [batch..., length, channels].
/// Integers become f32. Padding is 0. With `count_include_pad` the divisor counts the places of the
/// padding, but not those beyond it that `ceil_mode` adds; without, it counts the elements of x
/// alone, of which each window must have one.
[[nodiscard]] inline Array avg_pool1d(const Operand &x, const Ints &window, const AvgPoolOptions &options = {}) {
  return tenon::detail::avg_pool1d(x, window, options.strides, options.padding, options.ceil_mode, options.count_include_pad, options.data_format);
}

/// Mean of each window along the two spatial axes of x, [batch..., height, width, channels].
/// Integers become f32. Padding is 0. With `count_include_pad` the divisor counts the places of the
/// padding, but not those beyond it that `ceil_mode` adds; without, it counts the elements of x
/// alone, of which each window must have one.
[[nodiscard]] inline Array avg_pool2d(const Operand &x, const Ints &window, const AvgPoolOptions &options = {}) {
  return tenon::detail::avg_pool2d(x, window, options.strides, options.padding, options.ceil_mode, options.count_include_pad, options.data_format);
}

/// Mean of each window along the three spatial axes of x, [batch..., depth, height, width,
/// channels].
/// Integers become f32. Padding is 0. With `count_include_pad` the divisor counts the places of the
/// padding, but not those beyond it that `ceil_mode` adds; without, it counts the elements of x
/// alone, of which each window must have one.
[[nodiscard]] inline Array avg_pool3d(const Operand &x, const Ints &window, const AvgPoolOptions &options = {}) {
  return tenon::detail::avg_pool3d(x, window, options.strides, options.padding, options.ceil_mode, options.count_include_pad, options.data_format);
}

/// Mean of each of `output_size` windows that cover the one spatial axis of x. Integers become f32.
/// Window i of an axis begins at `floor(i * size / output_size)` and ends before `ceil((i + 1) *
/// size / output_size)`. A symbolic size must be a multiple of the output size; the output size 1
/// takes any.
[[nodiscard]] inline Array adaptive_avg_pool1d(const Operand &x, const Ints &output_size, const AdaptivePoolOptions &options = {}) {
  return tenon::detail::adaptive_avg_pool1d(x, output_size, options.data_format);
}

/// Mean of each of `output_size` windows that cover the two spatial axes of x. Integers become f32.
/// Window i of an axis begins at `floor(i * size / output_size)` and ends before `ceil((i + 1) *
/// size / output_size)`. A symbolic size must be a multiple of the output size; the output size 1
/// takes any.
[[nodiscard]] inline Array adaptive_avg_pool2d(const Operand &x, const Ints &output_size, const AdaptivePoolOptions &options = {}) {
  return tenon::detail::adaptive_avg_pool2d(x, output_size, options.data_format);
}

/// Mean of each of `output_size` windows that cover the three spatial axes of x. Integers become
/// f32.
/// Window i of an axis begins at `floor(i * size / output_size)` and ends before `ceil((i + 1) *
/// size / output_size)`. A symbolic size must be a multiple of the output size; the output size 1
/// takes any.
[[nodiscard]] inline Array adaptive_avg_pool3d(const Operand &x, const Ints &output_size, const AdaptivePoolOptions &options = {}) {
  return tenon::detail::adaptive_avg_pool3d(x, output_size, options.data_format);
}

/// Maximum of each of `output_size` windows that cover the one spatial axis of x. NaN propagates.
/// Window i of an axis begins at `floor(i * size / output_size)` and ends before `ceil((i + 1) *
/// size / output_size)`. A symbolic size must be a multiple of the output size; the output size 1
/// takes any.
[[nodiscard]] inline Array adaptive_max_pool1d(const Operand &x, const Ints &output_size, const AdaptivePoolOptions &options = {}) {
  return tenon::detail::adaptive_max_pool1d(x, output_size, options.data_format);
}

/// Maximum of each of `output_size` windows that cover the two spatial axes of x. NaN propagates.
/// Window i of an axis begins at `floor(i * size / output_size)` and ends before `ceil((i + 1) *
/// size / output_size)`. A symbolic size must be a multiple of the output size; the output size 1
/// takes any.
[[nodiscard]] inline Array adaptive_max_pool2d(const Operand &x, const Ints &output_size, const AdaptivePoolOptions &options = {}) {
  return tenon::detail::adaptive_max_pool2d(x, output_size, options.data_format);
}

/// Maximum of each of `output_size` windows that cover the three spatial axes of x. NaN propagates.
/// Window i of an axis begins at `floor(i * size / output_size)` and ends before `ceil((i + 1) *
/// size / output_size)`. A symbolic size must be a multiple of the output size; the output size 1
/// takes any.
[[nodiscard]] inline Array adaptive_max_pool3d(const Operand &x, const Ints &output_size, const AdaptivePoolOptions &options = {}) {
  return tenon::detail::adaptive_max_pool3d(x, output_size, options.data_format);
}

/// Divides x by `(k + alpha * m)^beta`, where m is the mean of the squares of `size` neighboring
/// channels, `size / 2` of them before the element's own.
/// Channels outside of x count as 0 and are part of the mean, as in PyTorch; TensorFlow does not
/// divide by `size`. The channels are the last axis, or axis 1 if they come first. Integers become
/// f32. Source: A. Krizhevsky et al., "ImageNet classification with deep convolutional neural
/// networks", 2012.
[[nodiscard]] inline Array local_response_norm(const Operand &x, int size, const LocalResponseNormOptions &options = {}) {
  return tenon::detail::local_response_norm(x, size, options.alpha, options.beta, options.k, options.data_format);
}

/// All windows of x: axis `axes[i]` of the result counts the windows, and new last axes hold their
/// elements.
/// The elements are copied; in NumPy the result is a view. An axis may be named more than once.
[[nodiscard]] Array sliding_window_view(const Operand &x, const Ints &window, const Ints &axes = {});

/// The windows of images as columns of a matrix (im2col): [batch..., height, width, channels]
/// becomes [batch..., windows, window elements * channels].
/// Of the elements of a window the channels vary fastest, so the product with a kernel [height,
/// width, in, out], reshaped to two axes, is the convolution. Where the channels come first,
/// [batch..., channels, height, width] becomes [batch..., channels * window elements, windows], as
/// in PyTorch. Padding is 0.
[[nodiscard]] inline Array unfold(const Operand &x, const Ints &window, const UnfoldOptions &options = {}) {
  return tenon::detail::unfold(x, window, options.strides, options.padding, options.dilation, options.data_format);
}

/// Adds the windows that are the columns of x to images of height and width `output_size` (col2im):
/// the transpose of `unfold`.
/// x has the shape of `unfold(images, window, ...)`. Elements of different windows at the same
/// place are summed, f16 and bf16 in f32. `fold(unfold(x))` is x times the number of windows that
/// each element is in.
[[nodiscard]] inline Array fold(const Operand &x, const Shape &output_size, const Ints &window, const UnfoldOptions &options = {}) {
  return tenon::detail::fold(x, output_size, window, options.strides, options.padding, options.dilation, options.data_format);
}

//===----------------------------------------------------------------------===//
// Image
//===----------------------------------------------------------------------===//

/// Resizes the spatial axes of x to `sizes` by interpolation. x is [batch, spatial..., channels],
/// or the axes are named by `axis`.
/// NumPy's `resize`, which repeats elements, is `resize`.
/// The kernel of `linear`, `cubic` and the methods after `average` reaches over a few elements of
/// x. `antialias` stretches the kernel of an axis that shrinks, so that every element of x counts.
/// Elements of the kernel that lie outside x are the nearest element of x; with `exclude_outside`
/// they are left out, and the other weights are divided by their sum. `nearest`, `area` and
/// `average` ignore `antialias`; `area` and `average` take `half_pixel` only.
/// Positions and weights are computed in f64 from exact ratios of sizes, so no index is off by one.
/// Elements with weight 0 are not used: a NaN or an infinity reaches only results that it has a
/// part in. f16, bf16, 8-bit and 16-bit integers are computed in f32, wider integers in f64, and
/// rounded once to nearest even; integers saturate. `nearest` takes any dtype.
/// An axis is resized by slices or gathers with constant indices, and an axis that keeps its
/// elements is skipped; axes that shrink come first. Sizes of resized axes must be exact, other
/// axes may be symbolic.
/// JAX: `jax.image.resize(x, shape, method)` is `{.method = ..., .antialias = true,
/// .cubic_coefficient = -0.5}`, with `.exclude_outside = true` for `antialias=False`; its methods
/// are nearest, linear, cubic, lanczos3 and lanczos5.
/// PyTorch: `F.interpolate(x, sizes, mode=...)` of channels-first x with `.axis = {2, 3}` is
/// `{.method = nearest, .coordinates = asymmetric, .rounding = floor}` for "nearest", `{.method =
/// nearest}` for "nearest-exact", `linear` for "linear", "bilinear" and "trilinear", `cubic` for
/// "bicubic", `average` for "area". `align_corners=True` is `.coordinates = align_corners`;
/// `antialias=True` is `.antialias = true`, and `.cubic_coefficient = -0.5` for "bicubic".
/// `scale_factor` is `.scales`, and with `recompute_scale_factor=True` the sizes alone.
/// TensorFlow: `tf.image.resize(x, sizes, method)` is `nearest`, `area`, `linear` for "bilinear",
/// `{.method = cubic, .cubic_coefficient = -0.5, .exclude_outside = true}` for "bicubic",
/// `lanczos3`, `lanczos5`, `gaussian`, `mitchell` for "mitchellcubic". It returns f32 for integers:
/// convert x first.
/// Keras: `keras.ops.image.resize` is as TensorFlow.
/// ONNX: Resize with `coordinate_transformation_mode`, `antialias`, `axes`, `scales` and `sizes` is
/// the options of these names (`axis` for `axes`), `nearest_mode` is `.rounding` (its default is
/// `round_prefer_floor`), `cubic_coeff_a` is `.cubic_coefficient`, and `exclude_outside` must be
/// given. There is no `tf_crop_and_resize`.
[[nodiscard]] inline Array image_resize(const Operand &x, const Shape &sizes, const ImageResizeOptions &options = {}) {
  return tenon::detail::image_resize(x, sizes, options.method, options.coordinates, options.antialias, options.rounding, options.cubic_coefficient, options.exclude_outside, options.axis, options.scales);
}

/// Samples x [batch, spatial..., channels] at the positions `grid` [batch, places..., spatial
/// axes]; the result is [batch, places..., channels].
/// A position has the coordinate of the last spatial axis first: (x, y) for images, (x, y, z) for
/// volumes. -1 and 1 are the first and last elements' outer edges, or their centers with
/// `align_corners`. NaN is read as -1. `border` and `reflection` move a position into x; with
/// `bicubic` they move each of the elements instead. With `channels_first`, x and the result have
/// their channels after the batch; the grid stays the same.
/// The result has the dtype of x; positions are computed in the dtype of the grid (f32 for f16 and
/// bf16). Elements of x with weight 0 that are NaN or infinite are not used. Derivatives go to x
/// and to the grid. As `torch.nn.functional.grid_sample`, with any number of spatial axes in all
/// modes.
[[nodiscard]] inline Array grid_sample(const Operand &x, const Operand &grid, const GridSampleOptions &options = {}) {
  return tenon::detail::grid_sample(x, grid, options.mode, options.padding, options.align_corners, options.data_format);
}

/// Grid for `grid_sample` that maps positions by the affine matrices `theta` [batch, n, n + 1], for
/// images of `shape` with n spatial axes.
/// Position p of the result is `theta * (p, 1)`, with the coordinate of the last spatial axis
/// first. As `torch.nn.functional.affine_grid`, with any number of spatial axes.
[[nodiscard]] inline Array affine_grid(const Operand &theta, const Shape &shape, const AffineGridOptions &options = {}) {
  return tenon::detail::affine_grid(theta, shape, options.align_corners, options.data_format);
}

/// Pools regions of images to `sizes`: region k is the box `rois[k]` = (x1, y1, x2, y2) of image
/// `batch_indices[k]`; the result is [regions, sizes..., channels].
/// x is [batch, height, width, channels]. A region is divided into bins, and each bin into
/// `sampling_ratio` samples per axis, which are interpolated linearly. Samples more than one
/// element outside x are 0. With `sampling_ratio = 0` a bin has ceil(size of the bin) samples per
/// axis: the values of `rois` decide how many, so they cannot be arguments of jit or vmap.
/// As torchvision's `roi_align` (whose `aligned` is false by default) and ONNX's RoiAlign
/// (`aligned` is `coordinate_transformation_mode="half_pixel"`, false is `output_half_pixel`).
/// `RoiPooling::max` takes the largest interpolated value, as MMCV; ONNX takes the largest of the
/// four weighted elements, which is less than any of them. Derivatives go to x and to the boxes.
[[nodiscard]] inline Array roi_align(const Operand &x, const Operand &rois, const Operand &batch_indices, const Shape &sizes,
                const RoiAlignOptions &options = {}) {
  return tenon::detail::roi_align(x, rois, batch_indices, sizes, options.spatial_scale, options.sampling_ratio, options.aligned, options.pooling, options.data_format);
}

/// Moves channels of x [batch..., height, width, channels] into blocks: the result is [batch...,
/// height * block_size, width * block_size, channels / block_size^2].
/// `tf.nn.depth_to_space`, ONNX's DepthToSpace (both with `dcr`).
[[nodiscard]] inline Array depth_to_space(const Operand &x, int block_size, const DepthToSpaceOptions &options = {}) {
  return tenon::detail::depth_to_space(x, block_size, options.order, options.data_format);
}

/// Moves blocks of x [batch..., height, width, channels] into channels: the result is [batch...,
/// height / block_size, width / block_size, channels * block_size^2].
/// The inverse of `depth_to_space` with the same options. `tf.nn.space_to_depth`, ONNX's
/// SpaceToDepth (both with `dcr`).
[[nodiscard]] inline Array space_to_depth(const Operand &x, int block_size, const DepthToSpaceOptions &options = {}) {
  return tenon::detail::space_to_depth(x, block_size, options.order, options.data_format);
}

/// Moves channels of x [batch..., height, width, channels] into blocks of `factor` rows and
/// columns.
/// Channel `c * factor^2 + row * factor + column` goes to channel c, as in
/// `torch.nn.functional.pixel_shuffle`: it is `depth_to_space(x, factor, {.order =
/// DepthOrder::crd})`.
[[nodiscard]] inline Array pixel_shuffle(const Operand &x, int factor, const PixelShuffleOptions &options = {}) {
  return tenon::detail::pixel_shuffle(x, factor, options.data_format);
}

/// Moves blocks of `factor` rows and columns of x [batch..., height, width, channels] into
/// channels, the inverse of `pixel_shuffle`.
/// It is `space_to_depth(x, factor, {.order = DepthOrder::crd})`, and
/// `torch.nn.functional.pixel_unshuffle`.
[[nodiscard]] inline Array pixel_unshuffle(const Operand &x, int factor, const PixelShuffleOptions &options = {}) {
  return tenon::detail::pixel_unshuffle(x, factor, options.data_format);
}

//===----------------------------------------------------------------------===//
// Linear algebra
//===----------------------------------------------------------------------===//

namespace linalg {
/// Cholesky factor of a positive definite matrix: the lower triangular L with `x = L @
/// conj(matrix_transpose(L))`.
/// With `upper` the result is the conjugate transpose of L. The triangle of the result is NaN where
/// x is not positive definite; `linalg::check` turns that into an Error.
[[nodiscard]] inline Array cholesky(const Operand &x, const CholeskyOptions &options = {}) {
  return tenon::detail::linalg::cholesky(x, options.upper, options.symmetrize_input);
}

/// Solves `a @ x = b` for a triangular matrix `a`.
/// Only the triangle that `lower` names is read. If `b` has one axis it is a vector; otherwise it
/// is a stack of matrices, and leading axes broadcast. The result is NaN where a diagonal element
/// is 0.
[[nodiscard]] inline Array triangular_solve(const Operand &a, const Operand &b, const TriangularSolveOptions &options = {}) {
  return tenon::detail::linalg::triangular_solve(a, b, options.left_side, options.lower, options.transpose_a, options.conjugate_a, options.unit_diagonal);
}

/// LU factorization with partial pivoting, packed: the upper triangle of `.LU` is U, the part below
/// the diagonal is L, whose diagonal is 1.
/// `.pivots` (i32, from 0): row i was exchanged with row `pivots[i]`. `.permutation` (i32): row i
/// of `L @ U` is row `permutation[i]` of x. Matrices with NaN or infinity give NaN.
[[nodiscard]] LUFactorResult lu_factor(const Operand &x);

/// QR factorization: `x = Q @ R` with orthonormal columns of Q and an upper triangular R.
/// For x of shape (m, n) and k = min(m, n): `QRMode::reduced` gives Q (m, k) and R (k, n),
/// `QRMode::complete` Q (m, m) and R (m, n), `QRMode::r` only R (k, n). The diagonal of R may be
/// negative. `complete` has no derivative where m > n.
[[nodiscard]] QRResult qr(const Operand &x, QRMode mode = QRMode::reduced);

/// Eigenvalues, ascending, and eigenvectors of a symmetric or Hermitian matrix.
/// `x @ V = V * w` for the result's `.eigenvalues` w (real) and `.eigenvectors` V, a unit vector in
/// each column. Matrices with NaN or infinity give NaN. In the derivative, the terms of
/// eigenvectors with equal eigenvalues are 0.
[[nodiscard]] inline EighResult eigh(const Operand &x, const EighOptions &options = {}) {
  return tenon::detail::linalg::eigh(x, options.lower, options.symmetrize_input);
}

/// Eigenvalues of a symmetric or Hermitian matrix, real and ascending.
[[nodiscard]] inline Array eigvalsh(const Operand &x, const EighOptions &options = {}) {
  return tenon::detail::linalg::eigvalsh(x, options.lower, options.symmetrize_input);
}

/// Singular value decomposition: `x = U @ diag(S) @ Vh` with descending S.
/// For x of shape (m, n) and k = min(m, n), S has shape (k), U (m, m) and Vh (n, n); without
/// `full_matrices` U has shape (m, k) and Vh (k, n). As in NumPy, `full_matrices` is true by
/// default, and has no derivative where m != n. Matrices with NaN or infinity give NaN. In the
/// derivative, the terms of vectors with equal singular values are 0. `svdvals` gives S alone.
[[nodiscard]] inline SVDResult svd(const Operand &x, const SVDOptions &options = {}) {
  return tenon::detail::linalg::svd(x, options.full_matrices);
}

/// Singular values, descending.
[[nodiscard]] Array svdvals(const Operand &x);

/// Eigenvalues and eigenvectors of a square matrix; the results are complex.
/// `x @ V = V * w` for the result's `.eigenvalues` w, in no particular order, and `.eigenvectors`
/// V, a unit vector in each column. Matrices with NaN or infinity give NaN. As in PyTorch, the
/// derivative of the eigenvectors is that of functions in which their phases cancel, such as
/// `abs(V)`; the terms of equal eigenvalues are 0.
[[nodiscard]] EigResult eig(const Operand &x);

/// Eigenvalues of a square matrix, complex and in no particular order.
[[nodiscard]] Array eigvals(const Operand &x);

/// Matrix exponential.
/// By scaling and squaring with a Pade approximant of order 13, computed in f64. Matrices with NaN
/// or infinity give NaN.
[[nodiscard]] Array expm(const Operand &x);

/// Principal square root of a square matrix; the result is complex.
/// From the Schur decomposition, computed in f64. NaN where x has no square root, and of matrices
/// with NaN or infinity.
[[nodiscard]] Array sqrtm(const Operand &x);

/// Solves `a @ x = b` for a tridiagonal matrix `a`, given by its three diagonals.
/// The diagonals have the size n of the matrix, as in JAX: `dl[i]` is the element left of `d[i]`,
/// and `du[i]` the one right of it; `dl[0]` and `du[n - 1]` are not read. `b` has shape (n,
/// columns). The result is NaN where the matrix is singular.
[[nodiscard]] Array tridiagonal_solve(const Operand &dl, const Operand &d, const Operand &du, const Operand &b);

/// Solves `a @ x = b` for square matrices `a`.
/// If `b` has one axis it is a vector; otherwise it is a stack of matrices, and leading axes
/// broadcast, as in NumPy 2. The result is NaN where `a` is singular; `linalg::check` turns that
/// into an Error.
[[nodiscard]] Array solve(const Operand &a, const Operand &b);

/// Inverse of a square matrix. NaN where x is singular.
[[nodiscard]] Array inv(const Operand &x);

/// LU factorization with partial pivoting: `x = P @ L @ U` with a permutation matrix P.
/// For x of shape (m, n) and k = min(m, n), P has shape (m, m), L (m, k) with ones on its diagonal,
/// U (k, n).
[[nodiscard]] LUResult lu(const Operand &x);

/// Solves `a @ x = b` from the results of `lu_factor(a)`.
/// `b` is a vector if it has one axis. NaN where `a` is singular.
[[nodiscard]] Array lu_solve(const Operand &lu, const Operand &pivots, const Operand &b, bool transpose_a = false);

/// Solves `a @ x = b` from the Cholesky factor L of `a`.
[[nodiscard]] Array cholesky_solve(const Operand &b, const Operand &L, bool upper = false);

/// Determinant of a square matrix, from its LU factorization.
/// The derivative has the cofactors of x, from its singular value decomposition. First and second
/// derivatives are also right near and at singular matrices, higher ones near those of rank n - 1.
[[nodiscard]] Array det(const Operand &x);

/// Sign and logarithm of the absolute value of the determinant: `det(x) = sign * exp(logabsdet)`.
/// Of a singular matrix the sign is 0 and the logarithm -inf.
[[nodiscard]] SlogdetResult slogdet(const Operand &x);

/// Integer power of a square matrix, by repeated squaring; a negative power is one of the inverse.
[[nodiscard]] Array matrix_power(const Operand &x, int n);

/// Moore-Penrose pseudo-inverse, from the singular value decomposition.
/// The derivative is that at constant rank.
[[nodiscard]] Array pinv(const Operand &x, std::optional<double> rtol = {});

/// Number of singular values above the tolerance, as i64.
[[nodiscard]] Array matrix_rank(const Operand &x, std::optional<double> rtol = {});

/// Least-squares solution of `a @ x = b`: the x of least norm among those with the least `norm(a @
/// x - b)`.
/// `.residuals` are the sums of squares of the columns of `b - a @ x`; unlike NumPy they are given
/// for any rank. `.rank` is i64, `.singular_values` are those of `a`.
[[nodiscard]] LstsqResult lstsq(const Operand &a, const Operand &b, std::optional<double> rtol = {});

/// Polar decomposition: `x = U @ P` with orthonormal columns (or rows) of U and a positive
/// semi-definite P.
[[nodiscard]] PolarResult polar(const Operand &x);

/// Block diagonal matrix of the given matrices; a vector is a row, a number a 1 x 1 matrix.
[[nodiscard]] Array block_diag(const Arrays &xs, Location at = Location::current());

/// Toeplitz matrix with first column `c` and first row `r`; `r[0]` is not read.
/// Both are flattened. Default of `r`: the conjugate of `c`.
[[nodiscard]] Array toeplitz(const Operand &c, const Operand &r = none);

/// The first n columns of the product of k Householder reflections `I - taus[i] * v @ conj(v)`; v
/// is column i of x below its diagonal, with 1 on it.
/// x has shape (m, n) with m >= n, `taus` (k) with k <= n, as LAPACK's QR factorization gives them.
[[nodiscard]] Array householder_product(const Operand &x, const Operand &taus);
using tenon::cross;
using tenon::matrix_norm;
using tenon::matrix_transpose;
using tenon::multi_dot;
using tenon::vector_norm;
/// Returns x, and fails where x has NaN or infinity, as results of these functions have where a matrix is singular or
/// not positive definite. Under jit and vmap the Error is that of `tn::check`. The functions themselves never fail for
/// the values of their arguments, so that one matrix of a batch does not stop the others.
[[nodiscard]] Array check(const Operand &x);
/// Condition number: the norm of x times the norm of its inverse. `spectral` is the largest singular value over the
/// smallest one, of any shape, and `minus_spectral` its reciprocal; the other norms are of square matrices. Infinite
/// where x is exactly singular; beyond 1 / epsilon the number says no more than that x is nearly singular.
[[nodiscard]] Array cond(const Operand &x, MatrixNorm ord = MatrixNorm::spectral);
} // namespace linalg

//===----------------------------------------------------------------------===//
// Fft
//===----------------------------------------------------------------------===//

namespace fft {
/// Discrete Fourier transform: `y[k]` is the sum over j of `x[j] * exp(-2 pi i j k / n)`.
/// Any length n; O(n log n) for every n. f64 and c128 are computed in f64; everything else in f32,
/// with a result of c64.
[[nodiscard]] inline Array fft(const Operand &x, const FftOptions &options = {}) {
  return tenon::detail::fft::fft(x, options.n, options.axis, options.norm);
}

/// Inverse of `fft`: `y[j]` is the sum over k of `x[k] * exp(2 pi i j k / n)`, divided by n.
/// f64 and c128 are computed in f64; everything else in f32, with a result of c64.
[[nodiscard]] inline Array ifft(const Operand &x, const FftOptions &options = {}) {
  return tenon::detail::fft::ifft(x, options.n, options.axis, options.norm);
}

/// The first `n / 2 + 1` elements of the Fourier transform of a real signal.
/// The others are the conjugates of these. f64 and c128 are computed in f64; everything else in
/// f32, with a result of c64.
[[nodiscard]] inline Array rfft(const Operand &x, const FftOptions &options = {}) {
  return tenon::detail::fft::rfft(x, options.n, options.axis, options.norm);
}

/// Inverse of `rfft`: the real signal of length `n` with these Fourier coefficients.
/// Imaginary parts at 0 and, for even n, at n / 2 are not read. Give an odd `n`: it does not follow
/// from x. f64 and c128 are computed in f64; everything else in f32.
[[nodiscard]] inline Array irfft(const Operand &x, const RealFftOptions &options = {}) {
  return tenon::detail::fft::irfft(x, options.n, options.axis, options.norm);
}

/// Fourier transform of a signal with Hermitian symmetry, which is real: `irfft(conj(x))` times n.
/// f64 and c128 are computed in f64; everything else in f32.
[[nodiscard]] inline Array hfft(const Operand &x, const RealFftOptions &options = {}) {
  return tenon::detail::fft::hfft(x, options.n, options.axis, options.norm);
}

/// Inverse of `hfft`: `conj(rfft(x)) / n`.
/// f64 and c128 are computed in f64; everything else in f32, with a result of c64.
[[nodiscard]] inline Array ihfft(const Operand &x, const FftOptions &options = {}) {
  return tenon::detail::fft::ihfft(x, options.n, options.axis, options.norm);
}

/// Two-dimensional discrete Fourier transform.
/// The last of the axes is transformed first, as in NumPy. f64 and c128 are computed in f64;
/// everything else in f32, with a result of c64.
[[nodiscard]] inline Array fft2(const Operand &x, const Fft2Options &options = {}) {
  return tenon::detail::fft::fft2(x, options.s, options.axis, options.norm);
}

/// Inverse of `fft2`.
/// f64 and c128 are computed in f64; everything else in f32, with a result of c64.
[[nodiscard]] inline Array ifft2(const Operand &x, const Fft2Options &options = {}) {
  return tenon::detail::fft::ifft2(x, options.s, options.axis, options.norm);
}

/// Two-dimensional Fourier transform of a real signal; the last of the axes has `n / 2 + 1`
/// elements, as of `rfft`.
/// f64 and c128 are computed in f64; everything else in f32, with a result of c64.
[[nodiscard]] inline Array rfft2(const Operand &x, const Fft2Options &options = {}) {
  return tenon::detail::fft::rfft2(x, options.s, options.axis, options.norm);
}

/// Inverse of `rfft2`.
/// The default length of the last axis is 2 * (m - 1) for m elements. f64 and c128 are computed in
/// f64; everything else in f32.
[[nodiscard]] inline Array irfft2(const Operand &x, const Fft2Options &options = {}) {
  return tenon::detail::fft::irfft2(x, options.s, options.axis, options.norm);
}

/// Discrete Fourier transform over several axes.
/// The last of the axes is transformed first, as in NumPy. f64 and c128 are computed in f64;
/// everything else in f32, with a result of c64.
[[nodiscard]] inline Array fftn(const Operand &x, const FftnOptions &options = {}) {
  return tenon::detail::fft::fftn(x, options.s, options.axis, options.norm);
}

/// Inverse of `fftn`.
/// f64 and c128 are computed in f64; everything else in f32, with a result of c64.
[[nodiscard]] inline Array ifftn(const Operand &x, const FftnOptions &options = {}) {
  return tenon::detail::fft::ifftn(x, options.s, options.axis, options.norm);
}

/// Fourier transform of a real signal over several axes; the last of the axes has `n / 2 + 1`
/// elements, as of `rfft`.
/// f64 and c128 are computed in f64; everything else in f32, with a result of c64.
[[nodiscard]] inline Array rfftn(const Operand &x, const FftnOptions &options = {}) {
  return tenon::detail::fft::rfftn(x, options.s, options.axis, options.norm);
}

/// Inverse of `rfftn`.
/// The default length of the last axis is 2 * (m - 1) for m elements. f64 and c128 are computed in
/// f64; everything else in f32.
[[nodiscard]] inline Array irfftn(const Operand &x, const FftnOptions &options = {}) {
  return tenon::detail::fft::irfftn(x, options.s, options.axis, options.norm);
}

/// Frequencies of the results of `fft`, in cycles per unit of `d`: `[0, 1, ..., -2, -1] / (n * d)`.
[[nodiscard]] Array fftfreq(int n, double d = 1.0, Dtype dtype = f32, std::optional<Device> device = {},
                            Location at = Location::current());
[[nodiscard]] inline Array fftfreq(int n, Dtype dtype, std::optional<Device> device = {},
                                   Location at = Location::current()) {
  return fftfreq(n, 1.0, dtype, device, at);
}

/// Frequencies of the results of `rfft`, in cycles per unit of `d`: `[0, 1, ..., n / 2] / (n * d)`.
[[nodiscard]] Array rfftfreq(int n, double d = 1.0, Dtype dtype = f32, std::optional<Device> device = {},
                             Location at = Location::current());
[[nodiscard]] inline Array rfftfreq(int n, Dtype dtype, std::optional<Device> device = {},
                                    Location at = Location::current()) {
  return rfftfreq(n, 1.0, dtype, device, at);
}

/// Moves the frequency 0 to the middle: rolls each of the axes (default: all) by half its size.
[[nodiscard]] Array fftshift(const Operand &x, const Ints &axes = {});

/// Inverse of `fftshift`; they differ for odd sizes.
[[nodiscard]] Array ifftshift(const Operand &x, const Ints &axes = {});

/// Discrete cosine transform. Type 2: `y[k]` is the sum over j of `2 * x[j] * cos(pi * k * (2 * j +
/// 1) / (2 * n))`.
/// Type 3: `x[0]` plus the sum over j > 0 of `2 * x[j] * cos(pi * (2 * k + 1) * j / (2 * n))`.
/// Integers become f32. f16 and bf16 are computed in f32 and rounded once.
[[nodiscard]] inline Array dct(const Operand &x, const DctOptions &options = {}) {
  return tenon::detail::fft::dct(x, options.type, options.n, options.axis, options.norm);
}

/// Inverse of `dct` of the same type.
[[nodiscard]] inline Array idct(const Operand &x, const DctOptions &options = {}) {
  return tenon::detail::fft::idct(x, options.type, options.n, options.axis, options.norm);
}
} // namespace fft

//===----------------------------------------------------------------------===//
// Signal
//===----------------------------------------------------------------------===//

namespace signal {
/// Convolution of two arrays of one rank over the given axes, by Fourier transforms.
/// Of long operands faster than `convolve`; the error of an element is relative to the largest
/// ones. The other axes broadcast. Integers become f32.
[[nodiscard]] inline Array fftconvolve(const Operand &x1, const Operand &x2, const FftconvolveOptions &options = {}) {
  return tenon::detail::signal::fftconvolve(x1, x2, options.mode, options.axis);
}

/// Short-time Fourier transform, as torch.stft: the spectra of overlapping frames of `n_fft`
/// samples along the last axis.
/// x (batch..., samples) gives (batch..., frequencies, frames), complex: frame i begins at sample
/// `i * hop_length`, is multiplied by the window and transformed. There are `1 + (samples - n_fft)
/// / hop_length` frames; `center` first pads x by `n_fft / 2` samples at both ends. To pad with
/// zeros, pad x and pass `.center = false`. The window is not normalized: SciPy and JAX divide by
/// its sum. There is no `win_length`: it is the size of the window. f64 and c128 are computed in
/// f64, everything else in f32.
[[nodiscard]] inline Array stft(const Operand &x, int n_fft, const StftOptions &options = {}) {
  return tenon::detail::signal::stft(x, n_fft, options.hop_length, options.window, options.center, options.pad_mode, options.normalized, options.onesided);
}

/// Inverse of `stft`, as torch.istft: the signal whose spectra are nearest to x in the sense of
/// least squares.
/// x (batch..., frequencies, frames) gives (batch..., samples). The inverse transforms of the
/// frames are multiplied by the window, added at their positions, and divided by the sum of the
/// squared windows. Where this sum is 0, the samples cannot be recovered: an Error if the window
/// and the number of frames are known, else NaN or infinite. Samples after the last frame cannot be
/// recovered either: with `center` and a `hop_length` of at most `n_fft / 2`, pass `length` to get
/// all of them. With `onesided` the signal is real, otherwise complex. Source: D. Griffin and J.
/// Lim, "Signal estimation from modified short-time Fourier transform", 1984.
[[nodiscard]] inline Array istft(const Operand &x, int n_fft, const IstftOptions &options = {}) {
  return tenon::detail::signal::istft(x, n_fft, options.hop_length, options.window, options.center, options.normalized, options.onesided, options.length);
}

/// Filters x along an axis with a rational transfer function, as scipy.signal.lfilter.
/// `a[0] * y[n] = b[0] * x[n] + ... + b[M] * x[n - M] - a[1] * y[n - 1] - ... - a[N] * y[n - N]`,
/// computed sample by sample in the transposed direct form II, whose state has `max(M, N)` elements
/// along the axis. `zf` is the state after the last sample: pass it as `zi` to filter the samples
/// that follow (unlike SciPy's it is returned in any case). For real operands a known `a[0]` of 0
/// is an Error. Integers become f32. f16 and bf16 are computed in f32 and rounded once.
[[nodiscard]] inline LfilterResult lfilter(const Operand &b, const Operand &a, const Operand &x, const LfilterOptions &options = {}) {
  return tenon::detail::signal::lfilter(b, a, x, options.axis, options.zi);
}

/// A window of a given kind, as scipy.signal.get_window.
/// With `fftbins` the window is periodic: the first `size` elements of the symmetric window of
/// `size + 1` elements, the form for short-time transforms. A size below 1 gives an empty array.
/// Computed in f64 and rounded once.
[[nodiscard]] Array get_window(WindowFunction window, int size, bool fftbins = true, double beta = 12,
                               Dtype dtype = f32, std::optional<Device> device = {}, Location at = Location::current());
[[nodiscard]] inline Array get_window(WindowFunction window, int size, Dtype dtype, std::optional<Device> device = {},
                                      Location at = Location::current()) {
  return get_window(window, size, true, 12, dtype, device, at);
}
[[nodiscard]] inline Array get_window(WindowFunction window, int size, bool fftbins, Dtype dtype,
                                      std::optional<Device> device = {}, Location at = Location::current()) {
  return get_window(window, size, fftbins, 12, dtype, device, at);
}
} // namespace signal

//===----------------------------------------------------------------------===//
// Random
//===----------------------------------------------------------------------===//

namespace random {
/// Random u32 numbers from a key, by Threefry-2x32 as in JAX; equal keys give equal numbers.
/// The key is u32[..., 2]; the result is u32[..., shape], one block of `shape` per key. With
/// `words` = 2 the result is u32[..., shape, 2]: both words of each Threefry block (upper word
/// first) instead of their XOR, to be used as 64 random bits or as a new key. Source: Salmon et
/// al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011; the counter layout is that of JAX's
/// jax_threefry_partitionable=True.
[[nodiscard]] Array bits(const Operand &key, const Shape &shape, int words = 1, std::optional<Device> device = {});
} // namespace random

//===----------------------------------------------------------------------===//
// Neural
//===----------------------------------------------------------------------===//

/// Rectified linear unit, `maximum(x, 0)`.
/// The derivative at 0 is 0.
[[nodiscard]] Array relu(const Operand &x);

/// Softmax along `axis`, `exp(x - max) / sum(exp(x - max))`.
/// The fused kernel gives the same bits as the decomposition (max, subtract, exp, sum, divide).
[[nodiscard]] Array softmax(const Operand &x, Axis axis = -1);

/// Logarithm of the softmax along `axis`, computed as `x - max - log(sum(exp(x - max)))`.
/// The fused kernel gives the same bits as the decomposition (max, subtract, exp, sum, log,
/// subtract).
[[nodiscard]] Array log_softmax(const Operand &x, Axis axis = -1);

/// Layer normalization, `(x - mean) / sqrt(variance + epsilon) * scale + offset`, with mean and
/// variance over the given axes.
/// `scale` and `offset` are numbers or have the sizes of the given axes. The variance is the mean
/// of `(x - mean)^2`.
[[nodiscard]] Array layer_norm(const Operand &x, const Ints &axes, const Operand &scale, const Operand &offset,
                               double epsilon = 1e-5);

/// One-hot encoding along a new last axis of size `classes`: 1 at index x, 0 elsewhere; all 0 where
/// x is out of range.
/// Without `classes`, x must be known: not inside jit and vmap.
[[nodiscard]] Array one_hot(const Operand &x, std::optional<Dim> classes = {}, Dtype dtype = f32);
[[nodiscard]] inline Array one_hot(const Operand &x, Dtype dtype) {
  return one_hot(x, {}, dtype);
}

/// Logistic sigmoid, `1 / (1 + exp(-x))`. Integers become f32.
/// Neither the function nor its derivatives overflow or lose digits in the tails.
/// Supports complex numbers.
[[nodiscard]] Array sigmoid(const Operand &x);

/// Logit, `log(x / (1 - x))`, the inverse of `sigmoid`. Infinite at 0 and 1, NaN outside. Integers
/// become f32.
[[nodiscard]] Array logit(const Operand &x);

/// Softplus, `log(1 + exp(x))`, without overflow. Integers become f32.
[[nodiscard]] Array softplus(const Operand &x);

/// Logarithm of the sigmoid, computed as `-softplus(-x)`. Integers become f32.
[[nodiscard]] Array log_sigmoid(const Operand &x);

/// `log(1 - exp(-x))`, accurate near 0 and for large x. -inf at 0, NaN below. Integers become f32.
/// Source: M. Maechler, "Accurately computing log(1 - exp(-|a|))", 2012.
[[nodiscard]] Array log1mexp(const Operand &x);

/// Sigmoid linear unit, `x * sigmoid(x)`; 0 at -inf. Integers become f32. Also called `swish`.
/// Supports complex numbers.
[[nodiscard]] Array silu(const Operand &x);

/// `x * sigmoid(x)`; another name for `silu`.
/// Supports complex numbers.
[[nodiscard]] Array swish(const Operand &x);

/// Gaussian error linear unit, in its tanh approximation or exactly as `x / 2 * erfc(-x /
/// sqrt(2))`. Integers become f32.
/// The approximation is `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`, computed as `x *
/// sigmoid(sqrt(8 / pi) * (x + 0.044715 * x^3))`, which stays accurate for negative x. 0 at -inf.
/// Source: D. Hendrycks and K. Gimpel, "Gaussian error linear units", 2016.
[[nodiscard]] Array gelu(const Operand &x, bool approximate = true);

/// Mish, `x * tanh(softplus(x))`; 0 at -inf. Integers become f32.
[[nodiscard]] Array mish(const Operand &x);

/// Exponential linear unit: x where x > 0, `alpha * (exp(x) - 1)` elsewhere. Integers become f32.
/// The derivative at 0 is alpha.
[[nodiscard]] Array elu(const Operand &x, double alpha = 1);

/// Continuously differentiable exponential linear unit: x where x > 0, `alpha * (exp(x / alpha) -
/// 1)` elsewhere. Integers become f32.
/// `alpha` must not be 0. The derivative at 0 is 1.
[[nodiscard]] Array celu(const Operand &x, double alpha = 1);

/// Scaled exponential linear unit: `elu` with the fixed alpha and scale that preserve mean 0 and
/// variance 1. Integers become f32.
/// Source: G. Klambauer et al., "Self-normalizing neural networks", 2017.
[[nodiscard]] Array selu(const Operand &x);

/// Leaky rectified linear unit: x where x >= 0, `negative_slope * x` elsewhere. Integers become
/// f32.
/// The derivative at 0 is 1, as in JAX.
[[nodiscard]] Array leaky_relu(const Operand &x, double negative_slope = 0.01);

/// Rectified linear unit limited to 6, `minimum(maximum(x, 0), 6)`. Integers become f32.
/// The derivatives at 0 and at 6 are 0, as in PyTorch.
[[nodiscard]] Array relu6(const Operand &x);

/// Limits x to [-1, 1], `minimum(maximum(x, -1), 1)`. Integers become f32.
/// The derivatives at -1 and at 1 are 1, as in JAX.
[[nodiscard]] Array hard_tanh(const Operand &x);

/// Piecewise linear approximation of the sigmoid, `relu6(x + 3) / 6`. Integers become f32.
[[nodiscard]] Array hard_sigmoid(const Operand &x);

/// `x * hard_sigmoid(x)`; 0 at -inf. Integers become f32. Also called `hard_silu`.
[[nodiscard]] Array hard_swish(const Operand &x);

/// `x * hard_sigmoid(x)`; another name for `hard_swish`.
[[nodiscard]] Array hard_silu(const Operand &x);

/// Softsign, `x / (1 + |x|)`; -1 and 1 at the infinities. Integers become f32. Also called
/// `softsign`.
[[nodiscard]] Array soft_sign(const Operand &x);

/// `x / (1 + |x|)`; another name for `soft_sign`.
[[nodiscard]] Array softsign(const Operand &x);

/// Root mean square normalization, `x / sqrt(mean(x^2) + epsilon) * scale`, with the mean over the
/// given axes.
/// `scale` is a number or has the sizes of the given axes. Integers become f32. Narrow floats are
/// computed in f32 and rounded once. The fused kernel gives the same bits as the decomposition.
/// Source: B. Zhang and R. Sennrich, "Root mean square layer normalization", 2019.
[[nodiscard]] inline Array rms_norm(const Operand &x, const Ints &axes, const Operand &scale, const RmsNormOptions &options = {}) {
  return tenon::detail::rms_norm(x, axes, scale, options.epsilon);
}

/// Batch normalization with given statistics, `(x - mean) / sqrt(variance + epsilon) * scale +
/// offset`, as for inference.
/// `mean`, `variance`, `scale` and `offset` are numbers or have one element for each channel.
/// `mean` and `variance` do not change the dtype of the result: those of f16 arrays may be f32.
/// Integers become f32. Narrow floats are computed in f32 and rounded once.
[[nodiscard]] inline Array batch_norm(const Operand &x, const Operand &mean, const Operand &variance, const Operand &scale,
                 const Operand &offset, const BatchNormOptions &options = {}) {
  return tenon::detail::batch_norm(x, mean, variance, scale, offset, options.axis, options.epsilon);
}

/// Batch normalization with the statistics of x itself, which it returns too: mean and variance of
/// each channel over all other axes.
/// `scale` and `offset` are numbers or have one element for each channel. The variance is the mean
/// of `(x - mean)^2`; a running average of sample variances, as PyTorch keeps it, takes `n / (n -
/// 1)` times this one. The statistics of f16 and bf16 are f32. Derivatives reach x through the
/// statistics. Integers become f32. Narrow floats are computed in f32 and rounded once.
[[nodiscard]] inline BatchNorm batch_norm_training(const Operand &x, const Operand &scale, const Operand &offset,
                              const BatchNormOptions &options = {}) {
  return tenon::detail::batch_norm_training(x, scale, offset, options.axis, options.epsilon);
}

/// Group normalization: layer normalization of each group of channels of each batch element, over
/// the group's channels and all other axes.
/// x is (batch, ..., channels), or has its channels along `axis`. `groups` divides their number,
/// which must be known. `scale` and `offset` are numbers or have one element for each channel. The
/// variance is the mean of `(x - mean)^2`. Integers become f32. Narrow floats are computed in f32
/// and rounded once. Source: Y. Wu and K. He, "Group normalization", 2018.
[[nodiscard]] inline Array group_norm(const Operand &x, int groups, const Operand &scale, const Operand &offset,
                 const GroupNormOptions &options = {}) {
  return tenon::detail::group_norm(x, groups, scale, offset, options.epsilon, options.axis);
}

/// Instance normalization: normalizes each channel of each batch element over all other axes.
/// x is (batch, ..., channels), of rank 3 or more, or has its channels along `axis`. `scale` and
/// `offset` are numbers or have one element for each channel. The variance is the mean of `(x -
/// mean)^2`. Integers become f32. Narrow floats are computed in f32 and rounded once. Source: D.
/// Ulyanov et al., "Instance normalization", 2016.
[[nodiscard]] inline Array instance_norm(const Operand &x, const Operand &scale, const Operand &offset,
                    const GroupNormOptions &options = {}) {
  return tenon::detail::instance_norm(x, scale, offset, options.epsilon, options.axis);
}

/// Attention, `softmax(scale * q k^T) v`, of each head.
/// q is (batch..., heads, length, width), k (batch..., kv_heads, keys, width), v (batch...,
/// kv_heads, keys, values); the result is (batch..., heads, length, values). `heads` is a multiple
/// of `kv_heads`: each head of k and v serves as many heads of q, one after another (grouped-query
/// attention), without being copied.
/// A score takes part if `mask`, `causal` and `window` all let it. A row of which none takes part
/// gives 0, with derivatives 0; NaN among the k that no row takes part in changes nothing, NaN
/// among their v does (`0 * NaN`). `softcap` is applied to the scaled scores, before `bias` is
/// added.
/// Query i is at the place of key i, also where there are more keys than queries: `causal` and
/// `window` count from the first query and key, as `is_causal` of PyTorch, JAX and Keras does.
/// FlashAttention (since 2.1) and MLX count from the last ones, as queries want it that follow
/// cached keys: pass `mask = arange(length).reshape({-1, 1}) + (keys - length) >= arange(keys)` for
/// that.
/// Scores, softmax and sums of f16 and bf16 are computed in f32, and the result is rounded once.
/// Outside of jit the memory, also of the derivatives by q, k and v, grows linearly with the number
/// of keys. A compiled program and the derivative by a bias hold all scores.
[[nodiscard]] inline Array scaled_dot_product_attention(const Operand &q, const Operand &k, const Operand &v,
                                   const AttentionOptions &options = {}) {
  return tenon::detail::scaled_dot_product_attention(q, k, v, options.mask, options.bias, options.causal, options.scale, options.window, options.softcap, options.dropout_rate, options.key);
}

/// Negative log likelihood: minus the element of `log_probs` at the class `target`, times the
/// weight of the class.
/// `target` are integers of the shape of `log_probs` without `axis`. The mean is divided by the sum
/// of the weights of the targets, and is NaN if all are ignored. A target that is no class is an
/// Error.
[[nodiscard]] inline Array nll_loss(const Operand &log_probs, const Operand &target, const NllLossOptions &options = {}) {
  return tenon::detail::nll_loss(log_probs, target, options.weight, options.ignore_index, options.reduction, options.axis);
}

/// Cross entropy of the softmax of `logits` and a target: classes or probabilities.
/// Integer `target` are classes, of the shape of `logits` without `axis`; the loss is
/// `nll_loss(log_softmax(logits, axis), target)`. Floating `target` are probabilities, of the shape
/// of `logits`; the mean is divided by the number of rows, and `ignore_index` has no effect. A
/// probability of 0 contributes 0, also where the softmax is 0.
/// `label_smoothing` e replaces the probabilities p by `(1 - e) * p + e / classes`.
[[nodiscard]] inline Array cross_entropy(const Operand &logits, const Operand &target, const CrossEntropyOptions &options = {}) {
  return tenon::detail::cross_entropy(logits, target, options.weight, options.ignore_index, options.reduction, options.label_smoothing, options.axis);
}

/// Binary cross entropy of probabilities, `-(target * log(x) + (1 - target) * log(1 - x))`.
/// Logarithms below -100 become -100, with derivative 0, so that the loss is finite.
/// `binary_cross_entropy_with_logits` is more accurate.
[[nodiscard]] inline Array binary_cross_entropy(const Operand &x, const Operand &target, const BinaryCrossEntropyOptions &options = {}) {
  return tenon::detail::binary_cross_entropy(x, target, options.weight, options.reduction);
}

/// Binary cross entropy of `sigmoid(x)`, computed as `pos_weight * target * softplus(-x) + (1 -
/// target) * softplus(x)`.
[[nodiscard]] inline Array binary_cross_entropy_with_logits(const Operand &x, const Operand &target,
                                       const BinaryLogitsOptions &options = {}) {
  return tenon::detail::binary_cross_entropy_with_logits(x, target, options.weight, options.pos_weight, options.reduction);
}

/// Huber loss of `d = x - target`: `d^2 / 2` where `|d| <= delta`, `delta * (|d| - delta / 2)`
/// elsewhere.
[[nodiscard]] inline Array huber_loss(const Operand &x, const Operand &target, const HuberLossOptions &options = {}) {
  return tenon::detail::huber_loss(x, target, options.reduction, options.delta);
}

/// Smooth L1 loss of `d = x - target`: `d^2 / (2 * beta)` where `|d| < beta`, `|d| - beta / 2`
/// elsewhere.
/// A `beta` of 0 gives `l1_loss`.
[[nodiscard]] inline Array smooth_l1_loss(const Operand &x, const Operand &target, const SmoothL1LossOptions &options = {}) {
  return tenon::detail::smooth_l1_loss(x, target, options.reduction, options.beta);
}

/// Kullback-Leibler divergence, `target * (log(target) - x)`, of log-probabilities x from
/// probabilities `target`.
/// A target of 0 contributes 0. With `log_target` the target are log-probabilities as well:
/// `exp(target) * (target - x)`. The mean is that of all elements, as in PyTorch; the divergence of
/// distributions is a sum over their axis.
[[nodiscard]] inline Array kl_div(const Operand &x, const Operand &target, const KlDivOptions &options = {}) {
  return tenon::detail::kl_div(x, target, options.reduction, options.log_target);
}

/// Squared error, `(x - target)^2`.
[[nodiscard]] inline Array mse_loss(const Operand &x, const Operand &target, const LossOptions &options = {}) {
  return tenon::detail::mse_loss(x, target, options.reduction);
}

/// Absolute error, `|x - target|`.
/// The derivative at 0 is 0.
[[nodiscard]] inline Array l1_loss(const Operand &x, const Operand &target, const LossOptions &options = {}) {
  return tenon::detail::l1_loss(x, target, options.reduction);
}

/// Unit vectors along `axis`, `x / maximum(norm(x), epsilon)`. Integers become f32.
[[nodiscard]] inline Array normalize(const Operand &x, const NormalizeOptions &options = {}) {
  return tenon::detail::normalize(x, options.p, options.axis, options.epsilon);
}

/// Cosine of the angle between vectors along `axis`. Integers become f32.
/// Each vector is divided by its norm, or by `epsilon` if that is larger. Other axes broadcast.
[[nodiscard]] inline Array cosine_similarity(const Operand &x1, const Operand &x2, const CosineOptions &options = {}) {
  return tenon::detail::cosine_similarity(x1, x2, options.axis, options.epsilon);
}

/// Norm of `x1 - x2 + epsilon` along the last axis. Integers become f32.
/// The arrays broadcast. As in PyTorch, `epsilon` is added to each difference; with 0 the
/// derivative at equal vectors is 0.
[[nodiscard]] inline Array pairwise_distance(const Operand &x1, const Operand &x2, const PairwiseOptions &options = {}) {
  return tenon::detail::pairwise_distance(x1, x2, options.p, options.epsilon, options.keepdims);
}

/// Distances of each row of x1 (..., m, width) to each row of x2 (..., n, width), as (..., m, n).
/// Integers become f32.
/// Leading axes broadcast. Computed from differences, not from products, so that near rows keep
/// their digits. The derivative at equal rows is 0.
[[nodiscard]] inline Array cdist(const Operand &x1, const Operand &x2, const CdistOptions &options = {}) {
  return tenon::detail::cdist(x1, x2, options.p);
}

/// Scales x down to the norm `max_norm` where its norm over the given axes (default: all) is
/// larger.
/// Supports complex numbers.
[[nodiscard]] Array clip_by_norm(const Operand &x, double max_norm, const Ints &axes = {});

/// Recurrent layer, as ONNX's RNN: `h = tanh(x W^T + h R^T + bW + bR)` at each step, bW and bR the
/// halves of B.
/// Shapes, with 1 gate in rnn, 3 in gru and 4 in lstm: x (steps, batch, inputs), W (directions,
/// gates * hidden, inputs), R (directions, gates * hidden, hidden), B (directions, 2 * gates *
/// hidden): the biases of W, then those of R. `Y` (steps, directions, batch, hidden) holds the
/// state after each step, in the order of x also if that is read in reverse, and `Y_h` (directions,
/// batch, hidden) the final state. With `layout` 1 the batch is the first axis of x, Y, Y_h and the
/// initial states, as in ONNX. Y is 0 after the end of a sequence, and Y_h is the state at that
/// end; in reverse, a sequence starts at its own last step. Under jit a length above the number of
/// steps means all of them, a negative one means 0. There is one layer, the activations are ONNX's
/// defaults, and nothing is clipped. f16 and bf16 are computed in f32 and rounded once.
[[nodiscard]] inline RnnResult rnn(const Operand &x, const Operand &W, const Operand &R, const RnnOptions &options = {}) {
  return tenon::detail::rnn(x, W, R, options.B, options.sequence_lens, options.initial_h, options.direction, options.layout);
}

/// Gated recurrent unit, as ONNX's GRU: `h = (1 - z) * n + z * h` at each step, with gates z and r.
/// Gate order z, r, n: `z = sigmoid(x Wz^T + h Rz^T + bWz + bRz)` (bW and bR are the halves of B),
/// `r` likewise, and `n = tanh(x Wn^T + (r * h) Rn^T + bWn + bRn)`. With `linear_before_reset`, `n
/// = tanh(x Wn^T + bWn + r * (h Rn^T + bRn))`, as in PyTorch, whose gate order is r, z, n. Shapes,
/// with 1 gate in rnn, 3 in gru and 4 in lstm: x (steps, batch, inputs), W (directions, gates *
/// hidden, inputs), R (directions, gates * hidden, hidden), B (directions, 2 * gates * hidden): the
/// biases of W, then those of R. `Y` (steps, directions, batch, hidden) holds the state after each
/// step, in the order of x also if that is read in reverse, and `Y_h` (directions, batch, hidden)
/// the final state. With `layout` 1 the batch is the first axis of x, Y, Y_h and the initial
/// states, as in ONNX. Y is 0 after the end of a sequence, and Y_h is the state at that end; in
/// reverse, a sequence starts at its own last step. Under jit a length above the number of steps
/// means all of them, a negative one means 0. There is one layer, the activations are ONNX's
/// defaults, and nothing is clipped. f16 and bf16 are computed in f32 and rounded once.
[[nodiscard]] inline GruResult gru(const Operand &x, const Operand &W, const Operand &R, const GruOptions &options = {}) {
  return tenon::detail::gru(x, W, R, options.B, options.sequence_lens, options.initial_h, options.direction, options.layout, options.linear_before_reset);
}

/// Long short-term memory, as ONNX's LSTM: `c = f * c + i * g` and `h = o * tanh(c)` at each step,
/// with gates i, o, f.
/// Gate order i, o, f, g: `i = sigmoid(x Wi^T + h Ri^T + bWi + bRi)` (bW and bR are the halves of
/// B), `o` and `f` likewise, `g = tanh(x Wg^T + h Rg^T + bWg + bRg)`. PyTorch's order is i, f, g,
/// o. P (directions, 3 * hidden) holds peephole weights of c in the order i, o, f; i and f use the
/// previous c, o the new one. `Y_c` has the shape of Y_h. Shapes, with 1 gate in rnn, 3 in gru and
/// 4 in lstm: x (steps, batch, inputs), W (directions, gates * hidden, inputs), R (directions,
/// gates * hidden, hidden), B (directions, 2 * gates * hidden): the biases of W, then those of R.
/// `Y` (steps, directions, batch, hidden) holds the state after each step, in the order of x also
/// if that is read in reverse, and `Y_h` (directions, batch, hidden) the final state. With `layout`
/// 1 the batch is the first axis of x, Y, Y_h and the initial states, as in ONNX. Y is 0 after the
/// end of a sequence, and Y_h is the state at that end; in reverse, a sequence starts at its own
/// last step. Under jit a length above the number of steps means all of them, a negative one means
/// 0. There is one layer, the activations are ONNX's defaults, and nothing is clipped. f16 and bf16
/// are computed in f32 and rounded once.
[[nodiscard]] inline LstmResult lstm(const Operand &x, const Operand &W, const Operand &R, const LstmOptions &options = {}) {
  return tenon::detail::lstm(x, W, R, options.B, options.sequence_lens, options.initial_h, options.initial_c, options.P, options.direction, options.layout);
}

/// Bilinear layer, `y[k] = x1 weight[k] x2^T + bias[k]`, as torch.nn.functional.bilinear.
/// x1 (batch..., m), x2 (batch..., n) and weight (features, m, n) give (batch..., features). f16
/// and bf16 are computed in f32 and rounded once. Integers become f32.
[[nodiscard]] inline Array bilinear(const Operand &x1, const Operand &x2, const Operand &weight, const BilinearOptions &options = {}) {
  return tenon::detail::bilinear(x1, x2, weight, options.bias);
}

/// Quantizes x, as ONNX's QuantizeLinear: `round(x / scale) + zero_point`, limited to the integers
/// of the result's dtype.
/// Rounds half to even. The result dtype is i8, u8, i16 or u16. NaN gives the zero point. f64 is
/// computed in f64, all else in f32. The derivatives are 0.
[[nodiscard]] inline Array quantize_linear(const Operand &x, const Operand &scale, const QuantizeLinearOptions &options = {}) {
  return tenon::detail::quantize_linear(x, scale, options.zero_point, options.axis, options.dtype);
}

/// Dequantizes x, as ONNX's DequantizeLinear: `(x - zero_point) * scale`.
/// x is of i8, u8, i16, u16 or i32. The result has the dtype of `scale`, f32 if that is a number.
[[nodiscard]] inline Array dequantize_linear(const Operand &x, const Operand &scale, const DequantizeLinearOptions &options = {}) {
  return tenon::detail::dequantize_linear(x, scale, options.zero_point, options.axis);
}

//===----------------------------------------------------------------------===//
// Other
//===----------------------------------------------------------------------===//

/// Returns the operands unchanged; the compiler does not move, fuse or simplify ops across it.
[[nodiscard]] std::vector<Array> optimization_barrier(const Arrays &xs, Location at = Location::current());

/// Returns x as a constant for differentiation: no derivative passes through, forward or reverse.
/// The result is a view; nothing is copied, and compiled programs contain no trace of the op. Other
/// uses of x keep their derivative.
[[nodiscard]] Array stop_gradient(const Operand &x);

/// Prints `format` with the arrays' values to standard output when the program runs; prints keep
/// their order.
/// Each `{}` is replaced by the next array; `{:.3f}` or `{:>8}` formats a rank-0 array as
/// std::format does a number. If `format` contains no `{}`, the arrays follow the text, separated
/// by spaces. Under vmap each batch element prints, in order; under grad the print happens once, in
/// the forward pass. `print(x)` prints the elements of one array.
void print(std::string_view format, const Arrays &xs = {}, Location at = Location::current());
/// Prints the elements of x.
void print(const Operand &x);

/// Throws an Error with the caller's line unless all elements of `condition` are true when the
/// program runs.
/// The message is `format` with the arrays' values, formatted as by `print`. A failed check in a
/// compiled program updates nothing: arguments and Variables keep their values. Checks, prints and
/// host calls keep their order. Under vmap the check is made for each batch element, and the first
/// failure is reported; under grad it is made once, in the forward pass.
void check(const Operand &condition, std::string_view format = "the condition is false", const Arrays &xs = {});

} // namespace tenon
