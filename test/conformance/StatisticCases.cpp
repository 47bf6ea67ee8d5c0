//===- StatisticCases.cpp - composed reductions, and searches ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/transform.h>

#include <cmath>

namespace tenon::conformance {

using Reduction = Array (*)(const Operand &, const Ints &, bool);
using Spread = Array (*)(const Operand &, const Ints &, bool, double);
using List = const std::vector<Array> &;

static std::string overAxes(const char *axes, bool keepdims) {
  return format("\"axes\": {}, \"keepdims\": {}", axes, keepdims ? "true" : "false");
}

template <Reduction op, Fill fill = Fill::distinct, bool hasSpecial = true>
static void reduction(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "3x2x2 over 02", {{t, {3, 2, 2}, fill}}, [](List x) { return std::vector{op(x[0], {0, -1}, false)}; },
      overAxes("[0, 2]", false));
  list.plain(
      "4x3 over 0 kept", {{t, {4, 3}, fill}}, [](List x) { return std::vector{op(x[0], 0, true)}; },
      overAxes("[0]", true));
  if (hasSpecial)
    list.plain(
        "16x3 special", {{t, {16, 3}, Fill::special}}, [](List x) { return std::vector{op(x[0], 0, false)}; },
        overAxes("[0]", false));
}

/// NaN in place of elements above 1.
static Array withNan(const Array &x) { return where(x > 1, NAN, x); }

template <Spread op, bool hasNan>
static void spreads(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, Ints axes, bool keepdims, double correction, std::string attributes) {
    Function f = [=](List x) { return std::vector{op(hasNan ? withNan(x[0]) : x[0], axes, keepdims, correction)}; };
    attributes += format(", \"correction\": {}, \"nan\": {}", correction, hasNan ? "true" : "false");
    list.plain(std::move(label), {{t, std::move(dims), Fill::distinct}}, f, attributes).allColumns = true;
  };
  add("2x6 over 1", {2, 6}, 1, false, 0, overAxes("[1]", false));
  add("6x2 over 0 kept", {6, 2}, 0, true, 1, overAxes("[0]", true));
}

static void nanMeans(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x6 over 1", {{t, {2, 6}, Fill::distinct}}, [](List x) { return std::vector{nanmean(withNan(x[0]), 1)}; },
      overAxes("[1]", false) + ", \"nan\": true");
}

static void averages(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Dims x, Dims weights, Ints axes, std::string attributes) {
    list.all(
        std::move(label), {{t, std::move(x)}, {t, std::move(weights), Fill::positive}},
        [=](List in) { return std::vector{average(in[0], axes, in[1])}; }, std::move(attributes));
  };
  add("2x3,3 over 1", {2, 3}, {3}, 1, overAxes("[1]", false));
  add("2x3,3x2 over 1 0", {2, 3}, {3, 2}, {1, 0}, overAxes("[1, 0]", false));
  add("2x3,2x3 over 0", {2, 3}, {2, 3}, 0, overAxes("[0]", false));
}

static void mappedReductions(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](const char *name, Array (*f)(const Operand &, std::string_view)) {
    list.all(
        std::string("3x2 ") + name, {{t, {3, 2}, Fill::distinct}},
        [f](List x) {
          return std::vector{vmap([f](const Array &one) { return f(one, "rows"); }, {.axis_name = "rows"})(x[0])};
        },
        format("\"function\": \"{}\"", name));
  };
  add("sum", psum);
  if (kind(t) != Kind::complex) {
    add("max", pmax);
    add("min", pmin);
  }
}

static void vectorNorms(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](double ord, const char *text) {
    list.all(
        std::string("2x3 of order ") + text, {{t, {2, 3}, Fill::distinct}},
        [=](List x) { return std::vector{vector_norm(x[0], 1, false, ord)}; },
        overAxes("[1]", false) + format(", \"ord\": \"{}\"", text));
  };
  add(2, "2");
  add(3, "3");
  add(1, "1");
  add(0, "0");
  add(-1, "-1");
  add(INFINITY, "inf");
  add(-INFINITY, "-inf");
}

static void matrixNorms(CaseList &list) {
  const Dtype t = list.dtype();
  for (MatrixNorm ord : {MatrixNorm::frobenius, MatrixNorm::one, MatrixNorm::minus_one, MatrixNorm::infinity,
                         MatrixNorm::minus_infinity})
    list.all(
        format("2x2x3 {}", name(ord)), {{t, {2, 2, 3}, Fill::nonzero}},
        [=](List x) { return std::vector{matrix_norm(x[0], true, ord)}; }, format("\"ord\": \"{}\"", name(ord)));
}

static void norms(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](const char *what, Ints axes, std::optional<double> ord, std::string attributes) {
    list.all(
        std::string("2x3x2 ") + what, {{t, {2, 3, 2}, Fill::distinct}},
        [=](List x) { return std::vector{norm(x[0], axes, true, ord)}; }, std::move(attributes));
  };
  add("of all", {}, std::nullopt, "\"axes\": [0, 1, 2], \"ord\": \"2\"");
  add("of vectors", -1, 3, "\"axes\": [2], \"ord\": \"3\"");
  add("of matrices", {2, 0}, 1, "\"axes\": [2, 0], \"ord\": \"1\"");
}

static void differences(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, int n, int axis) {
    list.all(
        std::move(label), {{t, std::move(dims)}}, [=](List x) { return std::vector{diff(x[0], n, axis)}; },
        format("\"n\": {}, \"axis\": {}", n, axis));
  };
  add("2x5", {2, 5}, 1, -1);
  add("5x2 twice over 0", {5, 2}, 2, 0);
}

static void quantiles(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x5 over 1", {{t, {2, 5}, Fill::distinct}},
      [](List x) { return std::vector{quantile(x[0], Array{0.25f, 0.625f}, 1)}; },
      overAxes("[1]", false) + ", \"q\": [0.25, 0.625]");
  list.plain(
      "3x2x2 over 02 kept", {{t, {3, 2, 2}, Fill::distinct}},
      [](List x) { return std::vector{quantile(x[0], 0.875, {0, 2}, true)}; },
      overAxes("[0, 2]", true) + ", \"q\": 0.875");
}

static void percentiles(CaseList &list) {
  list.all(
      "2x5 over 1", {{list.dtype(), {2, 5}, Fill::distinct}},
      [](List x) { return std::vector{percentile(x[0], 62.5, 1)}; }, overAxes("[1]", false) + ", \"q\": 0.625");
}

static void places(CaseList &list) {
  const Dtype t = list.dtype();
  for (Side side : {Side::left, Side::right})
    for (int64_t count : {5, 40}) {
      const std::string attributes = format("\"side\": \"{}\"", name(side));
      Function f = [=](List x) { return std::vector{searchsorted(sort(x[0]), x[1], side)}; };
      list.all(format("{},3 {}", count, name(side)), {{t, {count}, Fill::normal}, {t, {3}, Fill::normal}}, f,
               attributes);
      list.plain(format("{},16 special {}", count, name(side)), {{t, {count}, Fill::special}, {t, {16}, Fill::special}},
                 f, attributes);
    }
}

static void bins(CaseList &list) {
  const Dtype t = list.dtype();
  for (bool right : {false, true}) {
    Function f = [=](List x) { return std::vector{digitize(x[0], sort(x[1]), right)}; };
    const std::string attributes = format("\"right\": {}", right ? "true" : "false");
    list.all(right ? "2x3,4 right" : "2x3,4", {{t, {2, 3}}, {t, {4}}}, f, attributes);
    list.plain(right ? "ties right" : "ties", {{t, {2, 3}, Fill::ties}, {t, {4}, Fill::ties}}, f, attributes);
  }
}

static void membership(CaseList &list) {
  const Dtype t = list.dtype();
  for (int64_t count : {2, 40})
    list.all(format("2x3,{}", count), {{t, {2, 3}, Fill::ties}, {t, {count}, Fill::ties}},
             [](List x) { return std::vector{isin(x[0], x[1] * 2)}; });
}

static void occurrences(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "8", {{t, {8}, Fill::indices}}, [](List x) { return std::vector{bincount(x[0], none, 0, 5)}; }, "\"length\": 5");
  list.all(
      "8,8", {{t, {8}, Fill::indices}, {Dtype::f32, {8}}},
      [](List x) { return std::vector{bincount(x[0], x[1], 0, 9)}; }, "\"length\": 9");
}

static void histograms(CaseList &list) {
  const Dtype t = list.dtype();
  const auto counted = [](List x) {
    const auto [counts, edges] = histogram(x[0], 4, {-2, 2});
    return std::vector{counts, edges};
  };
  list.all("2x9", {{t, {2, 9}}}, counted, "\"low\": -2, \"high\": 2");
}

static void grids(CaseList &list) {
  const Dtype t = list.dtype(), floats = list.isFloating() ? t : Dtype::f32;
  const std::vector<Input> points = {{t, {2, 9}, Fill::distinct}, {t, {2, 9}, Fill::distinct}};
  list.all("2x9,2x9", points, [=](List x) {
    const auto [counts, x_edges, y_edges] =
        histogram2d(x[0], x[1], 4, astype(Array{-2.0f, 0.5f, 1.5f}, floats), {.x_range = Array{-2, 2}});
    return std::vector{counts, x_edges, y_edges};
  });
  list.plain(
      "2x9,2x9 density", points,
      [=](List x) {
        return std::vector{histogram2d(x[0], x[1], astype(Array{-1.5f, 0.5f, 3.0f}, floats),
                                       astype(Array{-2.0f, 0.25f, 1.5f}, floats), {.density = true})
                               .counts};
      },
      "\"density\": true");
}

static const OpCases table[] = {
    {"mapped_reduction", mappedReductions},
    {"logsumexp", reduction<detail::logsumexp, Fill::normal>},
    {"var", joined<spreads<detail::var, false>, variancesByName>},
    {"std", joined<spreads<detail::std, false>, deviationsByName>},
    {"nanvar", spreads<detail::nanvar, true>},
    {"nanstd", spreads<detail::nanstd, true>},
    {"nanmean", nanMeans},
    {"nansum", reduction<detail::nansum>},
    {"nanprod", reduction<detail::nanprod, Fill::nonzero>},
    {"nanmax", reduction<detail::nanmax>},
    {"nanmin", reduction<detail::nanmin>},
    {"ptp", reduction<detail::ptp>},
    {"count_nonzero", reduction<detail::count_nonzero, Fill::ties>},
    {"average", averages},
    {"vector_norm", vectorNorms},
    {"matrix_norm", matrixNorms},
    {"norm", norms},
    {"diff", differences},
    {"median", reduction<detail::median>},
    {"quantile", quantiles},
    {"percentile", percentiles},
    {"searchsorted", places},
    {"digitize", bins},
    {"isin", membership},
    {"bincount", occurrences},
    {"histogram", histograms},
    {"histogram2d", grids},
};
std::span<const OpCases> statisticCases() { return table; }

} // namespace tenon::conformance
