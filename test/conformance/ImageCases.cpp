//===- ImageCases.cpp - functions of images and other grids ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops inside have rows of their own. unit/resize_test.cpp compares the weights of more sizes.
//===----------------------------------------------------------------------===//
#include "test/conformance/Calls.h"

#include <tenon/ops.h>

#include <numeric>

namespace tenon::conformance {

//===----------------------------------------------------------------------===//
// image_resize
//===----------------------------------------------------------------------===//

static std::string listText(const Dims &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

/// The spatial axes of x [batch, spatial..., channels] as `sizes`.
static void resizedTo(CaseList &list, Dims dims, Dims sizes, ImageResizeOptions options, const std::string &attributes,
                      bool inAllColumns = false) {
  const std::string with = format("\"sizes\": {}, \"method\": \"{}\", \"coordinates\": \"{}\", \"rounding\": \"{}\"{}",
                                  listText(sizes), name(options.method), name(options.coordinates),
                                  name(options.rounding), attributes.empty() ? "" : ", " + attributes);
  const std::string label = format("{} to {} {} {}{}", dimsText(dims), dimsText(sizes), name(options.method),
                                   name(options.coordinates), attributes.empty() ? "" : " " + attributes);
  const Function f = [=](List x) { return std::vector{image_resize(x[0], Shape(sizes), options)}; };
  if (inAllColumns)
    list.all(label, {{list.dtype(), dims}}, f, with);
  else
    list.plain(label, {{list.dtype(), dims}}, f, with);
}

static void nearestElements(CaseList &list) {
  using enum ResizeCoordinates;
  resizedTo(list, {1, 3, 4, 2}, {5, 3}, {}, "", true);
  for (ResizeRounding rounding : {ResizeRounding::round_prefer_ceil, ResizeRounding::round_prefer_floor,
                                  ResizeRounding::floor, ResizeRounding::ceil})
    for (ResizeCoordinates coordinates :
         {half_pixel, align_corners, asymmetric, pytorch_half_pixel, half_pixel_symmetric, tf_half_pixel_for_nn})
      resizedTo(list, {1, 8, 3, 1}, {4, 7}, {.coordinates = coordinates, .rounding = rounding},
                format("\"as\": \"{}\"", name(rounding)));
}

/// Integers are rounded, so weights are such that no sum is halfway by an error.
static void resizedIntegers(CaseList &list) {
  for (ResizeMethod method : {ResizeMethod::linear, ResizeMethod::cubic, ResizeMethod::area}) {
    resizedTo(list, {1, 4, 2, 1}, {8, 4}, {.method = method}, "");
    resizedTo(list, {1, 4, 8, 1}, {2, 2}, {.method = method}, "");
  }
  list.plain(
      "wide 6x40 to 12", {{list.dtype(), {6, 40}, Fill::wide}},
      [](List x) { return std::vector{image_resize(x[0], {12}, {.method = ResizeMethod::cubic, .axis = 0})}; },
      "\"sizes\": [12], \"method\": \"cubic\", \"axes\": [0]");
}

static void resizedImages(CaseList &list) {
  nearestElements(list);
  const Dtype t = list.dtype();
  if (t == Dtype::bool_ || is_storage(t))
    return;
  if (kind(t) == Kind::integer)
    return item_size(t) < 8 ? resizedIntegers(list) : void();
  using enum ResizeCoordinates;
  using enum ResizeMethod;
  for (ResizeMethod method : {linear, cubic, area, average, lanczos3, lanczos5, gaussian, mitchell}) {
    resizedTo(list, {1, 3, 4, 2}, {5, 3}, {.method = method}, "", method <= area);
    resizedTo(list, {1, 7, 5, 1}, {3, 5}, {.method = method}, "");
    resizedTo(list, {1, 9, 1, 1}, {2, 3}, {.method = method, .antialias = true}, "\"antialias\": true");
    resizedTo(list, {1, 5, 2, 1}, {7, 1}, {.method = method, .exclude_outside = true}, "\"exclude_outside\": true");
  }
  for (ResizeMethod method : {linear, cubic})
    for (ResizeCoordinates coordinates :
         {align_corners, asymmetric, pytorch_half_pixel, half_pixel_symmetric, tf_half_pixel_for_nn}) {
      resizedTo(list, {1, 3, 4, 1}, {7, 2}, {.method = method, .coordinates = coordinates}, "");
      resizedTo(list, {1, 1, 5, 1}, {3, 1}, {.method = method, .coordinates = coordinates}, "");
    }
  resizedTo(list, {1, 4, 4, 1}, {6, 3}, {.method = cubic, .cubic_coefficient = -0.5}, "\"cubic_coefficient\": -0.5");
  // A kernel of many elements is one sum.
  resizedTo(list, {1, 40, 31, 2}, {3, 2}, {.method = lanczos3, .antialias = true}, "\"antialias\": true");
  for (ResizeCoordinates coordinates : {half_pixel, asymmetric, half_pixel_symmetric})
    list.plain(
        format("scales 2.5x0.75 {}", name(coordinates)), {{t, {5, 1, 7}}},
        [=](List x) {
          return std::vector{image_resize(
              x[0], {}, {.method = linear, .coordinates = coordinates, .axis = {0, -1}, .scales = {2.5, 0.75}})};
        },
        format("\"method\": \"linear\", \"axes\": [0, 2], \"scales\": [2.5, 0.75], \"coordinates\": \"{}\"",
               name(coordinates)));
  list.plain(
      "0x3x3x2 to 2x4", {{t, {0, 3, 3, 2}}},
      [](List x) { return std::vector{image_resize(x[0], {2, 4}, {.method = linear})}; },
      "\"sizes\": [2, 4], \"method\": \"linear\"");
  // NaN and infinities reach only what they have a weight in.
  list.plain(
      "special", {{t, {48}, Fill::special}},
      [](List x) { return std::vector{image_resize(x[0], 144, {.method = linear, .axis = 0})}; },
      "\"sizes\": [144], \"method\": \"linear\", \"axes\": [0]");
}

//===----------------------------------------------------------------------===//
// grid_sample, affine_grid
//===----------------------------------------------------------------------===//

/// A grid whose positions are away from elements and from the middle between them: those of an axis of n elements are
/// -1.5, -0.5, ... n + 0.5, moved by u.
static Array gridAt(const Array &u, const Dims &spatial, bool isAligned) {
  const Shape shape = u.shape();
  const auto rank = static_cast<int>(spatial.size());
  const Array number = reshape(cumulative_sum(reshape(ones_like(u), {-1}), 0) - 1, shape);
  std::vector<float> sizes(spatial.rbegin(), spatial.rend());
  const Array n = astype(reshape(Array(sizes), {rank}), u.dtype());
  const Array place = remainder(number, n + 3) - 2 + 0.5 + u;
  return isAligned ? 2 * place / (n - 1) - 1 : (2 * place + 1) / n - 1;
}

static void sampledAt(CaseList &list, Dims dims, Dims gridDims, GridSampleOptions options, bool inAllColumns) {
  const Dtype t = list.dtype(), own = t == Dtype::f64 ? Dtype::f64 : Dtype::f32;
  const bool isFirst = options.data_format == DataFormat::channels_first;
  const Dims spatial = isFirst ? Dims(dims.begin() + 2, dims.end()) : Dims(dims.begin() + 1, dims.end() - 1);
  const std::string label =
      format("{} at {} {} {}{}{}", dimsText(dims), dimsText(gridDims), name(options.mode), name(options.padding),
             options.align_corners ? " aligned" : "", isFirst ? " channels_first" : "");
  const std::string attributes =
      format("\"mode\": \"{}\", \"padding\": \"{}\", \"align_corners\": {}, \"channels_first\": {}, \"dtype\": \"{}\"",
             name(options.mode), name(options.padding), options.align_corners, isFirst, short_name(t));
  const Function f = [=](List x) {
    return std::vector{grid_sample(x[0], gridAt(x[1], spatial, options.align_corners), options)};
  };
  const std::vector<Input> inputs{{t, dims}, {own, gridDims, Fill::small}};
  if (inAllColumns)
    list.all(label, inputs, f, attributes);
  else
    list.plain(label, inputs, f, attributes);
}

static void sampledImages(CaseList &list) {
  using enum GridMode;
  using enum GridPadding;
  for (GridMode mode : {bilinear, nearest, bicubic})
    for (GridPadding padding : {zeros, border, reflection})
      for (bool isAligned : {false, true})
        sampledAt(list, {2, 3, 4, 2}, {2, 3, 2, 2}, {.mode = mode, .padding = padding, .align_corners = isAligned},
                  mode != nearest && isAligned == (padding == reflection));
  sampledAt(list, {2, 2, 3, 4}, {2, 2, 3, 2}, {.data_format = DataFormat::channels_first}, false);
  sampledAt(list, {1, 2, 3, 2, 2}, {1, 7, 3}, {.padding = reflection}, false);
  sampledAt(list, {2, 5, 3}, {2, 6, 1}, {.mode = bicubic, .padding = border}, false);
  sampledAt(list, {0, 2, 3, 1}, {0, 2, 2, 2}, {}, false);
  sampledAt(list, {1, 2, 3, 1}, {1, 0, 2, 2}, {}, false);
}

static void affineGrids(CaseList &list) {
  const Dtype t = list.dtype();
  for (bool isAligned : {false, true}) {
    const std::string with = format("\"align_corners\": {}", isAligned), label = isAligned ? " aligned" : "";
    list.all(
        "2x2x3" + label, {{t, {2, 2, 3}}},
        [=](List x) { return std::vector{affine_grid(x[0], {2, 3, 2, 5}, {.align_corners = isAligned})}; },
        "\"sizes\": [3, 2], " + with);
    list.plain(
        "1x3x4 channels_first" + label, {{t, {1, 3, 4}, Fill::normal, Layout::transposed}},
        [=](List x) {
          return std::vector{affine_grid(x[0], {1, 5, 1, 3, 2},
                                         {.align_corners = isAligned, .data_format = DataFormat::channels_first})};
        },
        "\"sizes\": [1, 3, 2], " + with);
  }
}

//===----------------------------------------------------------------------===//
// roi_align
//===----------------------------------------------------------------------===//

/// Boxes whose samples are away from elements: one inside, one that goes beyond the image, one that is empty.
static const std::vector<double> boxes{0.7, 0.9, 3.1, 2.8, 1.2, -1.0, 5.1, 2.1, 1.2, 1.3, 1.2, 1.3};
static const char *const boxesText = "[[0.7, 0.9, 3.1, 2.8], [1.2, -1.0, 5.1, 2.1], [1.2, 1.3, 1.2, 1.3]]";

static void pooledRegions(CaseList &list) {
  const Dtype t = list.dtype(), own = t == Dtype::f64 ? Dtype::f64 : Dtype::f32;
  const Array batch = {1, 0, 1};
  for (RoiPooling pooling : {RoiPooling::average, RoiPooling::max})
    for (bool isAligned : {true, false}) {
      const std::string with =
          format("\"rois\": {}, \"batch\": [1, 0, 1], \"sizes\": [2, 2], \"aligned\": {}, \"pooling\": \"{}\"",
                 boxesText, isAligned, name(pooling));
      const std::string label = format("{}{}", name(pooling), isAligned ? "" : " not aligned");
      auto &made = list.all(
          "2 samples, " + label, {{t, {2, 4, 4, 2}, Fill::distinct}, {own, {3, 4}, Fill::small}},
          [=](List x) {
            const Array rois = astype(Array(boxes, {3, 4}), x[1].dtype()) + x[1] * 0.0625;
            return std::vector{
                roi_align(x[0], rois, batch, {2, 2}, {.sampling_ratio = 2, .aligned = isAligned, .pooling = pooling})};
          },
          with + format(", \"sampling_ratio\": 2, \"dtype\": \"{}\"", short_name(t)));
      made.mapped = {true, false};
      list.plain(
          "adaptive, " + label, {{t, {2, 4, 4, 2}, Fill::distinct}},
          [=](List x) {
            return std::vector{
                roi_align(x[0], Array(boxes, {3, 4}), batch, {2, 2}, {.aligned = isAligned, .pooling = pooling})};
          },
          with);
    }
  list.plain(
      "channels_first, scaled", {{t, {2, 2, 5, 6}}},
      [=](List x) {
        return std::vector{roi_align(x[0], Array(boxes, {3, 4}), batch, {1, 3},
                                     {.spatial_scale = 1.3, .data_format = DataFormat::channels_first})};
      },
      format("\"rois\": {}, \"batch\": [1, 0, 1], \"sizes\": [1, 3], \"spatial_scale\": 1.3, \"channels_first\": true",
             boxesText));
}

//===----------------------------------------------------------------------===//
// Channels as blocks
//===----------------------------------------------------------------------===//

static void blocks(CaseList &list) {
  one(list, {1, 2, 1, 8}, "\"size\": 2", [](const Array &x) { return depth_to_space(x, 2); });
  one(list, {2, 8, 1, 3}, "\"size\": 2, \"crd\": true, \"channels_first\": true", [](const Array &x) {
    return depth_to_space(x, 2, {.order = DepthOrder::crd, .data_format = DataFormat::channels_first});
  });
  one(list, {8, 2, 3}, "\"size\": 2, \"channels_first\": true",
      [](const Array &x) { return depth_to_space(x, 2, {.data_format = DataFormat::channels_first}); });
}
static void depths(CaseList &list) {
  one(list, {1, 4, 2, 2}, "\"size\": 2", [](const Array &x) { return space_to_depth(x, 2); });
  one(list, {2, 2, 3, 6}, "\"size\": 3, \"crd\": true, \"channels_first\": true", [](const Array &x) {
    return space_to_depth(x, 3, {.order = DepthOrder::crd, .data_format = DataFormat::channels_first});
  });
}
static void shuffled(CaseList &list) {
  one(list, {1, 2, 1, 8}, "\"size\": 2", [](const Array &x) { return pixel_shuffle(x, 2); });
  one(list, {1, 2, 9, 1, 2}, "\"size\": 3, \"channels_first\": true",
      [](const Array &x) { return pixel_shuffle(x, 3, {.data_format = DataFormat::channels_first}); });
}
static void unshuffled(CaseList &list) {
  one(list, {2, 4, 2}, "\"size\": 2", [](const Array &x) { return pixel_unshuffle(x, 2); });
  one(list, {1, 2, 4, 2}, "\"size\": 2, \"channels_first\": true",
      [](const Array &x) { return pixel_unshuffle(x, 2, {.data_format = DataFormat::channels_first}); });
}

static const OpCases table[] = {
    {"image_resize", resizedImages}, {"grid_sample", sampledImages},  {"affine_grid", affineGrids},
    {"roi_align", pooledRegions},    {"depth_to_space", blocks},      {"space_to_depth", depths},
    {"pixel_shuffle", shuffled},     {"pixel_unshuffle", unshuffled},
};
std::span<const OpCases> imageCases() { return table; }

} // namespace tenon::conformance
