//===- PoolingCases.cpp - functions over windows ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference gets the windows as attributes: window, strides, dilation, padding (pairs, or "same"), and the axes
// that they move along.
//===----------------------------------------------------------------------===//
#include "test/conformance/Calls.h"

#include <tenon/ops.h>

namespace tenon::conformance {

static constexpr DataFormat channels_first = DataFormat::channels_first;

/// Adds a case in all columns.
template <class F>
static void add(CaseList &list, std::string label, Dims dims, Fill fill, std::string attributes, F f) {
  list.all(
      std::move(label), {{list.dtype(), std::move(dims), fill}}, [f](List x) { return std::vector{f(x[0])}; },
      std::move(attributes));
}
/// Adds a case in the column f.
template <class F>
static void addPlain(CaseList &list, std::string label, Input input, std::string attributes, F f) {
  list.plain(std::move(label), {std::move(input)}, [f](List x) { return std::vector{f(x[0])}; }, std::move(attributes));
}

//===----------------------------------------------------------------------===//
// reduce_window
//===----------------------------------------------------------------------===//

static void reducedWindows(CaseList &list) {
  const Dtype t = list.dtype();
  for (const auto reduction :
       {WindowReduction::sum, WindowReduction::max, WindowReduction::min, WindowReduction::prod}) {
    const bool isExtremum = reduction == WindowReduction::max || reduction == WindowReduction::min;
    const std::string name(tenon::name(reduction)), kind = "\"reduction\": \"" + name + "\", \"axes\": [0, 1], ";
    const Fill fill = isExtremum ? Fill::distinct : reduction == WindowReduction::prod ? Fill::unit : Fill::normal;
    add(list, "3x5 " + name, {3, 5}, fill,
        kind + "\"window\": [2, 3], \"strides\": [1, 2], \"padding\": [[1, 1], [1, 1]]", [=](const Array &x) {
          return reduce_window(x, {2, 3}, {.reduction = reduction, .strides = {1, 2}, .padding = 1});
        });
    // Some windows lie in the gaps alone: their extremum is an infinity, of which there are no differences.
    const auto dilated = [=](const Array &x) {
      return reduce_window(x, {2, 3},
                           {.reduction = reduction,
                            .strides = {1, 3},
                            .padding = {{0, 1}, {2, -1}},
                            .dilation = 2,
                            .x_dilation = {1, 2}});
    };
    const std::string attributes = kind + "\"window\": [2, 3], \"strides\": [1, 3], \"padding\": [[0, 1], [2, -1]], "
                                          "\"dilation\": [2, 2], \"x_dilation\": [1, 2]";
    if (isExtremum)
      addPlain(list, "4x5 dilated " + name, {t, {4, 5}, fill}, attributes, dilated);
    else
      add(list, "4x5 dilated " + name, {4, 5}, fill, attributes, dilated);
    addPlain(list, "7x6-transposed same " + name, {t, {7, 6}, fill, Layout::transposed},
             kind + "\"window\": [3, 2], \"strides\": [2, 1], \"padding\": \"same\"", [=](const Array &x) {
               return reduce_window(x, {3, 2}, {.reduction = reduction, .strides = {2, 1}, .padding = same});
             });
    if (isExtremum)
      addPlain(
          list, "special " + name, {t, {48}, Fill::special},
          "\"reduction\": \"" + name + "\", \"axes\": [0], \"window\": [3], \"strides\": [2], \"padding\": [[1, 1]]",
          [=](const Array &x) { return reduce_window(x, 3, {.reduction = reduction, .strides = 2, .padding = 1}); });
  }
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Maxima, with their places or without: `pool(x, n, window, options)` of n spatial axes.
template <class F>
static void maxPools(CaseList &list, int n, F pool) {
  const Dtype t = list.dtype();
  const auto many = [pool](std::string label, Input input, std::string attributes, CaseList &cases, bool isAll,
                           Ints window, MaxPoolOptions options) {
    const Function f = [=](List x) { return pool(x[0], window, options); };
    (isAll ? cases.all(std::move(label), {std::move(input)}, f, std::move(attributes))
           : cases.plain(std::move(label), {std::move(input)}, f, std::move(attributes)));
  };
  if (n == 1) {
    many("2x7x2", {t, {2, 7, 2}, Fill::distinct},
         "\"axes\": [1], \"window\": [3], \"strides\": [3], \"padding\": [[0, 0]]", list, true, 3, {});
    many("6x2 causal", {t, {6, 2}, Fill::distinct},
         "\"axes\": [0], \"window\": [2], \"strides\": [1], \"dilation\": [2], \"padding\": [[2, 0]]", list, true, 2,
         {.strides = 1, .padding = causal, .dilation = 2});
    many("special", {t, {48, 1}, Fill::special},
         "\"axes\": [0], \"window\": [3], \"strides\": [2], \"padding\": [[1, 1]]", list, false, 3,
         {.strides = 2, .padding = 1});
    many("ties", {t, {2, 1, 9}, Fill::ties}, "\"axes\": [2], \"window\": [4], \"strides\": [2], \"padding\": [[1, 1]]",
         list, false, 4, {.strides = 2, .padding = 1, .data_format = channels_first});
  } else if (n == 2) {
    many("1x5x4x2 ceil", {t, {1, 5, 4, 2}, Fill::distinct},
         "\"axes\": [1, 2], \"window\": [2, 3], \"strides\": [2, 2], \"padding\": [[1, 1], [1, 1]], \"ceil\": true",
         list, true, {2, 3}, {.strides = 2, .padding = 1, .ceil_mode = true});
    many("2x5x6 first", {t, {2, 5, 6}, Fill::distinct},
         "\"axes\": [1, 2], \"window\": [2, 2], \"strides\": [3, 1], \"dilation\": [2, 1], \"padding\": [[0, 0], [0, "
         "0]]",
         list, true, 2, {.strides = {3, 1}, .dilation = {2, 1}, .data_format = channels_first});
    many("7x5x3 same", {t, {7, 5, 3}, Fill::ties},
         "\"axes\": [0, 1], \"window\": [3, 2], \"strides\": [2, 1], \"padding\": \"same\"", list, false, {3, 2},
         {.strides = {2, 1}, .padding = same});
  } else {
    many("1x3x4x2x2", {t, {1, 3, 4, 2, 2}, Fill::distinct},
         "\"axes\": [1, 2, 3], \"window\": [2, 2, 1], \"strides\": [1, 2, 1], \"padding\": [[0, 0], [0, 0], [0, 0]]",
         list, true, {2, 2, 1}, {.strides = {1, 2, 1}});
    many("2x3x4x5 first", {t, {2, 3, 4, 5}, Fill::ties},
         "\"axes\": [1, 2, 3], \"window\": [2, 2, 2], \"strides\": [2, 2, 2], \"padding\": [[1, 0], [0, 1], [1, 1]]",
         list, false, 2, {.padding = {{1, 0}, {0, 1}, {1, 1}}, .data_format = channels_first});
  }
}
template <int n, auto pool>
static void maxima(CaseList &list) {
  maxPools(list, n, [](const Array &x, const Ints &window, const MaxPoolOptions &options) {
    return std::vector{pool(x, window, options)};
  });
}
template <int n, auto pool>
static void maximaAndPlaces(CaseList &list) {
  maxPools(list, n, [](const Array &x, const Ints &window, const MaxPoolOptions &options) {
    const MaxPool both = pool(x, window, options);
    return std::vector{both.values, both.indices};
  });
}

static void unpools1d(CaseList &list) {
  add(list, "3x2", {3, 2}, Fill::normal, "\"indices\": [[1, 0], [3, 3], [4, 4]], \"axes\": [0], \"sizes\": [6]",
      [](const Array &x) { return max_unpool1d(x, {{1, 0}, {3, 3}, {4, 4}}, 2); });
  add(list, "2x3 first", {2, 3}, Fill::normal, "\"indices\": [[0, 2, 4], [1, 3, 6]], \"axes\": [1], \"sizes\": [7]",
      [](const Array &x) {
        return max_unpool1d(x, {{0, 2, 4}, {1, 3, 6}}, 3, {.strides = 2, .data_format = channels_first});
      });
}
static void unpools2d(CaseList &list) {
  add(list, "1x2x2x1", {1, 2, 2, 1}, Fill::normal,
      "\"indices\": [[[[0], [3]], [[13], [14]]]], \"axes\": [1, 2], \"sizes\": [4, 5]", [](const Array &x) {
        return max_unpool2d(x, reshape(Array{0, 3, 13, 14}, {1, 2, 2, 1}), 2, {.output_size = {4, 5}});
      });
}
static void unpools3d(CaseList &list) {
  add(list, "1x1x2x2", {1, 1, 2, 2}, Fill::normal,
      "\"indices\": [[[[5, 0], [7, 2]]]], \"axes\": [0, 1, 2], \"sizes\": [2, 1, 4]",
      [](const Array &x) { return max_unpool3d(x, reshape(Array{5, 0, 7, 2}, {1, 1, 2, 2}), {2, 1, 2}); });
}

/// Means: as maxPools.
template <int n, auto pool>
static void means(CaseList &list) {
  const Dtype t = list.dtype();
  const auto many = [&](std::string label, Input input, std::string attributes, bool isAll, Ints window,
                        AvgPoolOptions options) {
    const Function f = [=](List x) { return std::vector{pool(x[0], window, options)}; };
    attributes += options.count_include_pad ? ", \"counts\": true" : ", \"counts\": false";
    (isAll ? list.all(std::move(label), {std::move(input)}, f, std::move(attributes))
           : list.plain(std::move(label), {std::move(input)}, f, std::move(attributes)));
  };
  if (n == 1) {
    many("2x7x2", {t, {2, 7, 2}}, "\"axes\": [1], \"window\": [3], \"strides\": [3], \"padding\": [[0, 0]]", true, 3,
         {});
    many("2x6 ceil first", {t, {2, 6}},
         "\"axes\": [1], \"window\": [3], \"strides\": [2], \"padding\": [[1, 1]], \"ceil\": true", true, 3,
         {.strides = 2, .padding = 1, .ceil_mode = true, .data_format = channels_first});
  } else if (n == 2) {
    many("5x4x2 ceil", {t, {5, 4, 2}},
         "\"axes\": [0, 1], \"window\": [3, 2], \"strides\": [2, 3], \"padding\": [[1, 1], [1, 1]], \"ceil\": true",
         true, {3, 2}, {.strides = {2, 3}, .padding = 1, .ceil_mode = true});
    many("1x4x5x2 same", {t, {1, 4, 5, 2}},
         "\"axes\": [1, 2], \"window\": [3, 3], \"strides\": [1, 2], \"padding\": \"same\"", true, 3,
         {.strides = {1, 2}, .padding = same, .count_include_pad = false});
    many("2x1x7x8-reversed ceil first", {t, {2, 1, 7, 8}, Fill::normal, Layout::reversed},
         "\"axes\": [2, 3], \"window\": [2, 3], \"strides\": [2, 3], \"padding\": [[0, 1], [1, 0]], \"ceil\": true",
         false, {2, 3},
         {.padding = {{0, 1}, {1, 0}}, .ceil_mode = true, .count_include_pad = false, .data_format = channels_first});
  } else {
    many("3x4x2x2", {t, {3, 4, 2, 2}},
         "\"axes\": [0, 1, 2], \"window\": [2, 2, 1], \"strides\": [1, 2, 1], \"padding\": [[0, 0], [1, 1], [0, 0]]",
         true, {2, 2, 1}, {.strides = {1, 2, 1}, .padding = {0, 1, 0}});
  }
}

template <auto pool, bool isMax>
static void adaptive(CaseList &list, Dims dims, DataFormat format, std::string axes, Ints sizes, std::string text) {
  add(list, dimsText(dims) + " to " + text, dims, isMax ? Fill::distinct : Fill::normal,
      "\"axes\": [" + axes + "], \"sizes\": [" + text + "]",
      [=](const Array &x) { return pool(x, sizes, AdaptivePoolOptions{.data_format = format}); });
}
template <auto pool, bool isMax>
static void adaptive1d(CaseList &list) {
  adaptive<pool, isMax>(list, {2, 7, 2}, DataFormat::channels_last, "1", 3, "3");
  adaptive<pool, isMax>(list, {2, 6}, channels_first, "1", 3, "3");
  adaptive<pool, isMax>(list, {3, 2}, DataFormat::channels_last, "0", 5, "5");
}
template <auto pool, bool isMax>
static void adaptive2d(CaseList &list) {
  adaptive<pool, isMax>(list, {5, 4, 2}, DataFormat::channels_last, "0, 1", {3, 2}, "3, 2");
  adaptive<pool, isMax>(list, {1, 2, 3, 5}, channels_first, "2, 3", {2, 3}, "2, 3");
}
template <auto pool, bool isMax>
static void adaptive3d(CaseList &list) {
  adaptive<pool, isMax>(list, {3, 2, 4, 2}, DataFormat::channels_last, "0, 1, 2", {2, 1, 3}, "2, 1, 3");
}

//===----------------------------------------------------------------------===//
// Neighbors and windows
//===----------------------------------------------------------------------===//

static void responseNorms(CaseList &list) {
  add(list, "2x3x6", {2, 3, 6}, Fill::normal, "\"axis\": 2, \"size\": 4, \"alpha\": 1e-4, \"beta\": 0.75, \"k\": 1",
      [](const Array &x) { return local_response_norm(x, 4); });
  add(list, "2x4x3 first", {2, 4, 3}, Fill::normal, "\"axis\": 1, \"size\": 3, \"alpha\": 0.5, \"beta\": 1.5, \"k\": 2",
      [](const Array &x) {
        return local_response_norm(x, 3, {.alpha = 0.5, .beta = 1.5, .k = 2, .data_format = channels_first});
      });
}
static void windowViews(CaseList &list) {
  one(list, {4, 5}, "\"window\": [2, 3], \"axes\": [0, 1]",
      [](const Array &x) { return sliding_window_view(x, {2, 3}); });
  add(list, "3x5 along one", {3, 5}, Fill::normal, "\"window\": [4], \"axes\": [1]",
      [](const Array &x) { return sliding_window_view(x, 4, -1); });
}
static void unfolds(CaseList &list) {
  add(list, "2x4x5x2", {2, 4, 5, 2}, Fill::normal,
      "\"window\": [2, 3], \"strides\": [2, 1], \"padding\": [[1, 0], [1, 1]], \"dilation\": [1, 1], \"last\": true",
      [](const Array &x) { return unfold(x, {2, 3}, {.strides = {2, 1}, .padding = {{1, 0}, {1, 1}}}); });
  add(list, "2x5x4 first", {2, 5, 4}, Fill::normal,
      "\"window\": [2, 2], \"strides\": [1, 1], \"padding\": [[0, 0], [0, 0]], \"dilation\": [2, 1], \"last\": false",
      [](const Array &x) { return unfold(x, 2, {.dilation = {2, 1}, .data_format = channels_first}); });
}
static void folds(CaseList &list) {
  add(list, "1x10x12", {1, 10, 12}, Fill::normal,
      "\"window\": [2, 3], \"strides\": [2, 1], \"padding\": [[1, 0], [1, 1]], \"dilation\": [1, 1], \"last\": true, "
      "\"sizes\": [3, 5]",
      [](const Array &x) { return fold(x, {3, 5}, {2, 3}, {.strides = {2, 1}, .padding = {{1, 0}, {1, 1}}}); });
  add(list, "8x9 first", {8, 9}, Fill::normal,
      "\"window\": [2, 2], \"strides\": [1, 1], \"padding\": [[0, 0], [0, 0]], \"dilation\": [2, 1], \"last\": false, "
      "\"sizes\": [5, 4]",
      [](const Array &x) { return fold(x, {5, 4}, 2, {.dilation = {2, 1}, .data_format = channels_first}); });
}

static void selected(CaseList &list) {
  const Dtype t = list.dtype();
  for (const WindowSelection select : {WindowSelection::max, WindowSelection::min}) {
    const auto add = [&](std::string label, Input x, Dims counts, std::string attributes, Ints window,
                         SelectAndScatterOptions options) -> Case & {
      options.select = select;
      return list.plain(
          std::move(label) + " " + std::string(name(select)), {std::move(x), {t, std::move(counts)}},
          [=](List in) { return std::vector{select_and_scatter(in[0], in[1], window, options)}; },
          format("\"select\": \"{}\", ", name(select)) + attributes);
    };
    add("4x3", {t, {4, 3}, Fill::distinct}, {2, 2},
        "\"axes\": [0, 1], \"window\": [2, 2], \"strides\": [2, 1], \"padding\": [[0, 0], [0, 0]]", 2,
        {.strides = {2, 1}})
        .allColumns = true;
    add("9x7-transposed padded", {t, {9, 7}, Fill::distinct, Layout::transposed}, {9, 5},
        "\"axes\": [0, 1], \"window\": [3, 4], \"strides\": [1, 2], \"padding\": [[1, 1], [2, 3]]", {3, 4},
        {.strides = {1, 2}, .padding = {{1, 1}, {2, 3}}});
    add("ties", {t, {40}, Fill::ties}, {38}, "\"axes\": [0], \"window\": [3], \"strides\": [1], \"padding\": [[0, 0]]",
        3, {});
    add("special", {t, {48}, Fill::special}, {16},
        "\"axes\": [0], \"window\": [3], \"strides\": [3], \"padding\": [[0, 0]]", 3, {.strides = 3});
    add("windows of padding alone", {t, {2}}, {8},
        "\"axes\": [0], \"window\": [2], \"strides\": [1], \"padding\": [[3, 4]]", 2, {.padding = {{3, 4}}});
  }
}

/// Means whose windows all have the same number of places.
static void windowMeans(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x7x2", {{t, {2, 7, 2}}}, [](List x) { return std::vector{avg_pool1d(x[0], 3)}; },
      R"("axes": [1], "window": [3], "strides": [3], "padding": [[0, 0]], "counts": true)");
  list.all(
      "2x5x6x2, padded", {{t, {2, 5, 6, 2}, Fill::normal, Layout::transposed}},
      [](List x) { return std::vector{avg_pool2d(x[0], {3, 2}, {.strides = {1, 2}, .padding = {{1, 1}, {0, 2}}})}; },
      R"("axes": [1, 2], "window": [3, 2], "strides": [1, 2], "padding": [[1, 1], [0, 2]], "counts": true)");
  list.plain(
      "320 by 300, special", {{t, {320, 1}, Fill::special}},
      [](List x) { return std::vector{avg_pool1d(x[0], 300, {.strides = 1})}; },
      R"("axes": [0], "window": [300], "strides": [1], "padding": [[0, 0]], "counts": true)");
  list.plain(
      "channels", {{t, {4, 3, 67}}}, [](List x) { return std::vector{avg_pool1d(x[0], 3, {.strides = 1})}; },
      R"("axes": [1], "window": [3], "strides": [1], "padding": [[0, 0]], "counts": true)");
}

static const OpCases table[] = {
    {"window_mean", windowMeans},
    {"select_and_scatter", selected},
    {"reduce_window", reducedWindows},
    {"max_pool1d", maxima<1, max_pool1d>},
    {"max_pool2d", maxima<2, max_pool2d>},
    {"max_pool3d", maxima<3, max_pool3d>},
    {"max_pool1d_with_indices", maximaAndPlaces<1, max_pool1d_with_indices>},
    {"max_pool2d_with_indices", maximaAndPlaces<2, max_pool2d_with_indices>},
    {"max_pool3d_with_indices", maximaAndPlaces<3, max_pool3d_with_indices>},
    {"max_unpool1d", unpools1d},
    {"max_unpool2d", unpools2d},
    {"max_unpool3d", unpools3d},
    {"avg_pool1d", means<1, avg_pool1d>},
    {"avg_pool2d", means<2, avg_pool2d>},
    {"avg_pool3d", means<3, avg_pool3d>},
    {"adaptive_avg_pool1d", adaptive1d<adaptive_avg_pool1d, false>},
    {"adaptive_avg_pool2d", adaptive2d<adaptive_avg_pool2d, false>},
    {"adaptive_avg_pool3d", adaptive3d<adaptive_avg_pool3d, false>},
    {"adaptive_max_pool1d", adaptive1d<adaptive_max_pool1d, true>},
    {"adaptive_max_pool2d", adaptive2d<adaptive_max_pool2d, true>},
    {"adaptive_max_pool3d", adaptive3d<adaptive_max_pool3d, true>},
    {"local_response_norm", responseNorms},
    {"sliding_window_view", windowViews},
    {"unfold", unfolds},
    {"fold", folds},
};
std::span<const OpCases> poolingCases() { return table; }

} // namespace tenon::conformance
