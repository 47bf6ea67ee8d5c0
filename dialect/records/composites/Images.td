//===- Images.td - functions of images and other grids ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_IMAGE_COMPOSITES
#define TENON_IMAGE_COMPOSITES

include "Base.td"

class Tenon_Image<string name> : Tenon_Composite<name> {
  let category = "image";
  let isByName = 1;
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x);
}
defvar imageFormat = Tenon_Parameter<"data_format", "DataFormat", "channels_last", "Where x and the result have their channels.">;

def Tenon_ImageResize : Tenon_Image<"image_resize"> {
  let summary = "Resizes the spatial axes of x to `sizes` by interpolation. x is [batch, spatial..., channels], or the axes are named by `axis`.";
  let description = [{NumPy's `resize`, which repeats elements, is `resize`.

    The kernel of `linear`, `cubic` and the methods after `average` reaches over a few elements of x. `antialias`
    stretches the kernel of an axis that shrinks, so that every element of x counts. Elements of the kernel that lie
    outside x are the nearest element of x; with `exclude_outside` they are left out, and the other weights are divided
    by their sum. `nearest`, `area` and `average` ignore `antialias`; `area` and `average` take `half_pixel` only.

    Positions and weights are computed in f64 from exact ratios of sizes, so no index is off by one. Elements with
    weight 0 are not used: a NaN or an infinity reaches only results that it has a part in. f16, bf16, 8-bit and 16-bit
    integers are computed in f32, wider integers in f64, and rounded once to nearest even; integers saturate. `nearest`
    takes any dtype.

    An axis is resized by slices or gathers with constant indices, and an axis that keeps its elements is skipped; axes
    that shrink come first. Sizes of resized axes must be exact, other axes may be symbolic.

    JAX: `jax.image.resize(x, shape, method)` is `{.method = ..., .antialias = true, .cubic_coefficient = -0.5}`, with
    `.exclude_outside = true` for `antialias=False`; its methods are nearest, linear, cubic, lanczos3 and lanczos5.

    PyTorch: `F.interpolate(x, sizes, mode=...)` of channels-first x with `.axis = {2, 3}` is `{.method = nearest,
    .coordinates = asymmetric, .rounding = floor}` for "nearest", `{.method = nearest}` for "nearest-exact", `linear`
    for "linear", "bilinear" and "trilinear", `cubic` for "bicubic", `average` for "area". `align_corners=True` is
    `.coordinates = align_corners`; `antialias=True` is `.antialias = true`, and `.cubic_coefficient = -0.5` for
    "bicubic". `scale_factor` is `.scales`, and with `recompute_scale_factor=True` the sizes alone.

    TensorFlow: `tf.image.resize(x, sizes, method)` is `nearest`, `area`, `linear` for "bilinear", `{.method = cubic,
    .cubic_coefficient = -0.5, .exclude_outside = true}` for "bicubic", `lanczos3`, `lanczos5`, `gaussian`, `mitchell`
    for "mitchellcubic". It returns f32 for integers: convert x first.

    Keras: `keras.ops.image.resize` is as TensorFlow.

    ONNX: Resize with `coordinate_transformation_mode`, `antialias`, `axes`, `scales` and `sizes` is the options of
    these names (`axis` for `axes`), `nearest_mode` is `.rounding` (its default is `round_prefer_floor`),
    `cubic_coeff_a` is `.cubic_coefficient`, and `exclude_outside` must be given. There is no `tf_crop_and_resize`.}];
  let example = "Array small = image_resize(images, {32, 32}, {.method = ResizeMethod::linear, .antialias = true});";
  let options = "ImageResizeOptions";
  let parameters = [
    Tenon_Parameter<"x", "operand">,
    Tenon_Parameter<"sizes", "shape", "", "New sizes of the axes; `{}` with `scales`: the size times the scale, rounded down.">,
    Tenon_Parameter<"method", "ResizeMethod", "nearest">,
    Tenon_Parameter<"coordinates", "ResizeCoordinates", "half_pixel">,
    Tenon_Parameter<"antialias", "bool", "false", "Stretches the kernel along axes that shrink.">,
    Tenon_Parameter<"rounding", "ResizeRounding", "round_prefer_ceil",
                    "Of `nearest`; the default is that of JAX, TensorFlow and PyTorch's nearest-exact.">,
    Tenon_Parameter<"cubic_coefficient", "float", "-0.75",
                    "Slope of `cubic` at distance 1: -0.75 in PyTorch and ONNX, -0.5 in JAX, TensorFlow and Keras.">,
    Tenon_Parameter<"exclude_outside", "bool", "none",
                    "Leaves out what lies outside x; default: with `antialias`, and with lanczos, gaussian and mitchell.">,
    Tenon_Parameter<"axes", "axes", "none", "Axes that `sizes` are for; default: all but the first and the last.">,
    Tenon_Parameter<"scales", "operand", "none",
                    "New size / size of each axis, for the positions; default: the ratios of the sizes.">];
  let referenceUlp = 16;
}

class Tenon_Sampling<string name> : Tenon_Image<name> {
  let dtypes = ["floating"];
  let referenceUlp = 64;
}
def Tenon_GridSample : Tenon_Sampling<"grid_sample"> {
  let summary = "Samples x [batch, spatial..., channels] at the positions `grid` [batch, places..., spatial axes]; the result is [batch, places..., channels].";
  let description = [{A position has the coordinate of the last spatial axis first: (x, y) for images, (x, y, z) for
    volumes. -1 and 1 are the first and last elements' outer edges, or their centers with `align_corners`. NaN is read
    as -1. `border` and `reflection` move a position into x; with `bicubic` they move each of the elements instead.
    With `channels_first`, x and the result have their channels after the batch; the grid stays the same.

    The result has the dtype of x; positions are computed in the dtype of the grid (f32 for f16 and bf16). Elements of x
    with weight 0 that are NaN or infinite are not used. Derivatives go to x and to the grid. As
    `torch.nn.functional.grid_sample`, with any number of spatial axes in all modes.}];
  let example = "Array turned = grid_sample(images, affine_grid(theta, images.shape()));";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$grid);
  let options = "GridSampleOptions";
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"grid", "operand">,
    Tenon_Parameter<"mode", "GridMode", "bilinear">, Tenon_Parameter<"padding", "GridPadding", "zeros">,
    Tenon_Parameter<"align_corners", "bool", "false", "-1 and 1 are the centers of the first and last elements.">,
    imageFormat];
}
def Tenon_AffineGrid : Tenon_Sampling<"affine_grid"> {
  let summary = "Grid for `grid_sample` that maps positions by the affine matrices `theta` [batch, n, n + 1], for images of `shape` with n spatial axes.";
  let description = [{Position p of the result is `theta * (p, 1)`, with the coordinate of the last spatial axis first.
    As `torch.nn.functional.affine_grid`, with any number of spatial axes.}];
  let arguments = (ins Tenon_Tensor:$theta);
  let options = "AffineGridOptions";
  let parameters = [
    Tenon_Parameter<"theta", "operand">,
    Tenon_Parameter<"shape", "shape", "", "Shape of the images, with batch and channels.">,
    Tenon_Parameter<"align_corners", "bool", "false", "-1 and 1 are the centers of the first and last elements.">,
    Tenon_Parameter<"data_format", "DataFormat", "channels_last", "Where `shape` has the channels.">];
}

def Tenon_RoiAlign : Tenon_Sampling<"roi_align"> {
  let summary = "Pools regions of images to `sizes`: region k is the box `rois[k]` = (x1, y1, x2, y2) of image `batch_indices[k]`; the result is [regions, sizes..., channels].";
  let description = [{x is [batch, height, width, channels]. A region is divided into bins, and each bin into
    `sampling_ratio` samples per axis, which are interpolated linearly. Samples more than one element outside x are 0.
    With `sampling_ratio = 0` a bin has ceil(size of the bin) samples per axis: the values of `rois` decide how many, so
    they cannot be arguments of jit or vmap.

    As torchvision's `roi_align` (whose `aligned` is false by default) and ONNX's RoiAlign (`aligned` is
    `coordinate_transformation_mode="half_pixel"`, false is `output_half_pixel`). `RoiPooling::max` takes the largest
    interpolated value, as MMCV; ONNX takes the largest of the four weighted elements, which is less than any of them.
    Derivatives go to x and to the boxes.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$rois);
  let options = "RoiAlignOptions";
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"rois", "operand", "", "Boxes [regions, 4].">,
    Tenon_Parameter<"batch_indices", "operand", "", "Integers [regions].">,
    Tenon_Parameter<"sizes", "shape", "", "Number of bins along height and width.">,
    Tenon_Parameter<"spatial_scale", "float", "1", "Size of x / size of the images that the boxes are given in.">,
    Tenon_Parameter<"sampling_ratio", "int", "0", "Samples of a bin along each axis; 0: as many as the bin is large.">,
    Tenon_Parameter<"aligned", "bool", "true", "Box coordinates are edges of elements; false: centers, and boxes have size 1 at least.">,
    Tenon_Parameter<"pooling", "RoiPooling", "average">, imageFormat];
}

def Tenon_DepthToSpace : Tenon_Image<"depth_to_space"> {
  let summary = "Moves channels of x [batch..., height, width, channels] into blocks: the result is [batch..., height * block_size, width * block_size, channels / block_size^2].";
  let description = [{`tf.nn.depth_to_space`, ONNX's DepthToSpace (both with `dcr`).}];
  let options = "DepthToSpaceOptions";
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"block_size", "int", "", "Rows and columns of a block.">,
    Tenon_Parameter<"order", "DepthOrder", "dcr">, imageFormat];
}
def Tenon_SpaceToDepth : Tenon_Image<"space_to_depth"> {
  let summary = "Moves blocks of x [batch..., height, width, channels] into channels: the result is [batch..., height / block_size, width / block_size, channels * block_size^2].";
  let description = [{The inverse of `depth_to_space` with the same options. `tf.nn.space_to_depth`, ONNX's SpaceToDepth
    (both with `dcr`).}];
  let options = "DepthToSpaceOptions";
  let parameters = Tenon_DepthToSpace.parameters;
}
def Tenon_PixelShuffle : Tenon_Image<"pixel_shuffle"> {
  let summary = "Moves channels of x [batch..., height, width, channels] into blocks of `factor` rows and columns.";
  let description = [{Channel `c * factor^2 + row * factor + column` goes to channel c, as in
    `torch.nn.functional.pixel_shuffle`: it is `depth_to_space(x, factor, {.order = DepthOrder::crd})`.}];
  let options = "PixelShuffleOptions";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"factor", "int", "", "Rows and columns of a block.">, imageFormat];
}
def Tenon_PixelUnshuffle : Tenon_Image<"pixel_unshuffle"> {
  let summary = "Moves blocks of `factor` rows and columns of x [batch..., height, width, channels] into channels, the inverse of `pixel_shuffle`.";
  let description = [{It is `space_to_depth(x, factor, {.order = DepthOrder::crd})`, and
    `torch.nn.functional.pixel_unshuffle`.}];
  let options = "PixelShuffleOptions";
  let parameters = Tenon_PixelShuffle.parameters;
}

#endif // TENON_IMAGE_COMPOSITES
