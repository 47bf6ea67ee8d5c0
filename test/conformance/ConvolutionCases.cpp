//===- ConvolutionCases.cpp - convolutions and reductions of windows ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

static std::string text(const Dims &values) {
  std::string all;
  for (int64_t value : values)
    all += (all.empty() ? "" : ", ") + std::to_string(value);
  return "[" + all + "]";
}

namespace {
/// A convolution with the channels last. Lists have a number for each spatial axis.
struct Of {
  const char *name;
  Dims x, kernel;
  Dims strides, low, high, xDilation, dilation;
  int groups = 1;
  std::vector<bool> mapped = {};
  Layout layout = Layout::dense;

  Padding padding() const {
    std::vector<Padding::Ends> ends;
    for (size_t i = 0; i < low.size(); ++i)
      ends.push_back({low[i], high[i]});
    return Padding(ends);
  }
  std::string attributes() const {
    return "\"strides\": " + text(strides) + ", \"low\": " + text(low) + ", \"high\": " + text(high) +
           ", \"x_dilation\": " + text(xDilation) + ", \"dilation\": " + text(dilation) +
           ", \"groups\": " + std::to_string(groups);
  }
};
} // namespace

static void add(CaseList &list, const Of &of, std::function<Array(const Array &, const Array &)> function) {
  const Dtype t = list.dtype();
  auto &made = list.all(
      of.name, {{t, of.x, Fill::normal, of.layout}, {t, of.kernel}},
      [function = std::move(function)](List x) { return std::vector{function(x[0], x[1])}; }, of.attributes());
  if (!of.mapped.empty())
    made.mapped = of.mapped;
}

static void general(CaseList &list) {
  const std::vector<Of> all = {
      {"5x3 by 2x3x4", {2, 5, 3}, {2, 3, 4}, {1}, {0}, {0}, {1}, {1}},
      {"same 2-d", {2, 4, 3, 2}, {3, 2, 2, 3}, {1, 1}, {1, 0}, {1, 1}, {1, 1}, {1, 1}, 1, {true, false}},
      {"strides and dilations", {1, 4, 5, 2}, {2, 2, 2, 2}, {2, 1}, {1, 2}, {0, -1}, {1, 3}, {2, 1}, 1, {false, true}},
      {"groups", {2, 4, 4}, {3, 2, 6}, {1}, {1}, {1}, {1}, {1}, 2},
      {"depthwise, strided", {2, 5, 3}, {2, 1, 3}, {2}, {1}, {0}, {1}, {1}, 3, {}, Layout::strided},
      {"depthwise, reversed",
       {1, 3, 3, 9},
       {2, 2, 1, 9},
       {1, 1},
       {0, 1},
       {1, 0},
       {1, 1},
       {1, 1},
       9,
       {},
       Layout::reversed},
      {"windows in gaps", {1, 2, 1}, {1, 1, 2}, {1}, {2}, {1}, {3}, {1}},
      {"no spatial axis", {2, 3}, {3, 2}, {}, {}, {}, {}, {}},
      {"no channels", {2, 3, 0}, {2, 0, 2}, {1}, {0}, {0}, {1}, {1}},
      {"no batch", {0, 3, 2}, {2, 2, 1}, {1}, {0}, {0}, {1}, {1}},
  };
  for (const Of &of : all)
    add(list, of, [of](const Array &x, const Array &kernel) {
      return conv_general(x, kernel,
                          {.strides = of.strides,
                           .padding = of.padding(),
                           .x_dilation = of.xDilation,
                           .dilation = of.dilation,
                           .groups = of.groups});
    });
  if (list.dtype() != f32)
    return;
  // More products than a block of a sum.
  const Of deep{"3x5000 by 2x5000x2", {1, 3, 5000}, {2, 5000, 2}, {1}, {0}, {0}, {1}, {1}};
  list.plain(
      deep.name, {{f32, deep.x}, {f32, deep.kernel}}, [](List x) { return std::vector{conv_general(x[0], x[1])}; },
      deep.attributes());
}

template <auto Convolve, int Spatial>
static void channelsLast(CaseList &list) {
  const Dims ones(Spatial, 1), zeros(Spatial, 0), twos(Spatial, 2);
  Dims x{2}, kernel;
  for (int i = 0; i < Spatial; ++i) {
    x.push_back(Spatial == 3 ? 3 : 4 + i);
    kernel.push_back(i ? 2 : 3);
  }
  x.push_back(2);
  kernel.insert(kernel.end(), {2, 2});
  add(list, {"valid", x, kernel, ones, zeros, zeros, ones, ones},
      [](const Array &x, const Array &kernel) { return Convolve(x, kernel, ConvOptions{}); });
  add(list, {"padded, strided", x, kernel, twos, ones, ones, ones, ones},
      [](const Array &x, const Array &kernel) { return Convolve(x, kernel, ConvOptions{.strides = 2, .padding = 1}); });
}

template <auto Convolve, int Spatial>
static void transposed(CaseList &list) {
  const Dims ones(Spatial, 1);
  Dims x{1}, kernel, low, high;
  for (int i = 0; i < Spatial; ++i) {
    x.push_back(3);
    kernel.push_back(2 + i);
    low.push_back(1 + i);
    high.push_back(1 + i);
  }
  x.push_back(2);
  kernel.insert(kernel.end(), {3, 2});
  const Of of{"strides 2", x, kernel, ones, low, high, Dims(Spatial, 2), ones};
  add(list, of,
      [](const Array &x, const Array &kernel) { return Convolve(x, kernel, ConvTransposeOptions{.strides = 2}); });
}

template <bool IsReversed>
static void correlations(CaseList &list) {
  const Dtype t = list.dtype();
  for (const auto &[name, a, b] :
       {std::tuple("5 and 3", Dims{5}, Dims{3}), {"2 and 4", {2}, {4}}, {"3x4 and 2x2", {3, 4}, {2, 2}}})
    for (ConvolutionMode mode : {ConvolutionMode::full, ConvolutionMode::same, ConvolutionMode::valid}) {
      const std::string label = std::string(name) + ", " + std::string(tenon::name(mode));
      const std::string attributes = "\"mode\": \"" + std::string(tenon::name(mode)) + "\"";
      const auto function = [mode](List x) {
        return std::vector{IsReversed ? convolve(x[0], x[1], mode) : correlate(x[0], x[1], mode)};
      };
      if (mode == ConvolutionMode::full)
        list.all(label, {{t, a}, {t, b}}, function, attributes);
      else
        list.plain(label, {{t, a}, {t, b}}, function, attributes);
    }
}

template <WindowReduction Kind>
static void windows(CaseList &list) {
  const Dtype t = list.dtype();
  // The derivative of a maximum must not meet equal elements.
  const Fill fill = Kind == WindowReduction::sum ? Fill::normal : Fill::distinct;
  const auto add = [&](const char *name, Dims x, Dims window, Dims strides, Padding padding, Dims dilation,
                       Dims xDilation, const char *lowHigh, Layout layout = Layout::dense) -> Case & {
    return list.all(
        name, {{t, x, fill, layout}},
        [=](List x) {
          return std::vector{reduce_window(x[0], window,
                                           {.reduction = Kind,
                                            .strides = strides,
                                            .padding = padding,
                                            .dilation = dilation,
                                            .x_dilation = xDilation})};
        },
        "\"window\": " + text(window) + ", \"strides\": " + text(strides) + ", \"dilation\": " + text(dilation) +
            ", \"x_dilation\": " + text(xDilation) + ", " + lowHigh);
  };
  add("7 by 3", {7}, {3}, {2}, PaddingMode::valid, {1}, {1}, "\"low\": [0], \"high\": [0]");
  add("4x5, padded", {4, 5}, {2, 3}, {1, 2}, {{1, 0}, {1, 2}}, {1, 2}, {1, 1}, "\"low\": [1, 1], \"high\": [0, 2]");
  add("2x4x3", {2, 4, 3}, {1, 2, 1}, {1, 2, 1}, PaddingMode::valid, {1, 1, 1}, {1, 1, 1},
      "\"low\": [0, 0, 0], \"high\": [0, 0, 0]", Layout::transposed);
  // Windows of no elements have infinite extremes, which have no differences.
  const Dims window = Kind == WindowReduction::sum ? Dims{3, 1} : Dims{3, 3};
  add("dilated x", {3, 2}, window, {1, 1}, {{2, -1}, {0, 0}}, {1, 1}, {2, 3}, "\"low\": [2, 0], \"high\": [-1, 0]",
      Layout::reversed);
  list.plain(
      "500 by 300, special", {{t, {500}, Fill::special}},
      [](List x) { return std::vector{reduce_window(x[0], 300, {.reduction = Kind})}; },
      R"("window": [300], "strides": [1], "dilation": [1], "x_dilation": [1], "low": [0], "high": [0])");
  list.plain(
      "no elements", {{t, {0, 2}}},
      [](List x) { return std::vector{reduce_window(x[0], {2, 1}, {.reduction = Kind, .padding = {1, 0}})}; },
      R"("window": [2, 1], "strides": [1, 1], "dilation": [1, 1], "x_dilation": [1, 1], "low": [1, 0], "high": [1, 0])");
}

static void places(CaseList &list) {
  const Dtype t = list.dtype();
  for (Fill fill : {Fill::ties, Fill::special})
    list.plain(
        fill == Fill::ties ? "2x4x3" : "2x4x3, special", {{t, {2, 4, 3}, fill}},
        [](List x) { return std::vector{max_pool1d_with_indices(x[0], 2, {.strides = 1, .padding = 1}).indices}; }, "");
  list.all("3x5x1", {{t, {3, 5, 1}, Fill::distinct}},
           [](List x) { return std::vector{max_pool1d_with_indices(x[0], 3, {.strides = 1, .padding = 1}).indices}; });
}

static const OpCases table[] = {
    {"convolution", general},
    {"conv_general", general},
    {"conv1d", channelsLast<conv1d, 1>},
    {"conv2d", channelsLast<conv2d, 2>},
    {"conv3d", channelsLast<conv3d, 3>},
    {"conv_transpose1d", transposed<conv_transpose1d, 1>},
    {"conv_transpose2d", transposed<conv_transpose2d, 2>},
    {"conv_transpose3d", transposed<conv_transpose3d, 3>},
    {"convolve", correlations<true>},
    {"correlate", correlations<false>},
    {"window_sum", windows<WindowReduction::sum>},
    {"window_max", windows<WindowReduction::max>},
    {"window_min", windows<WindowReduction::min>},
    {"window_argmax", places},
};
std::span<const OpCases> convolutionCases() { return table; }

} // namespace tenon::conformance
