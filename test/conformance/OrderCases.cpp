//===- OrderCases.cpp - top-k, sets, and reductions that ignore NaN --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Calls.h"

#include <tenon/ops.h>

#include <cmath>

namespace tenon::conformance {

static void largest(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Input x, int k, int axis) {
    list.plain(
            std::move(label), {x},
            [=](List in) {
              const TopK found = top_k(in[0], k, axis);
              return std::vector{found.values, found.indices};
            },
            format("\"k\": {}, \"axis\": {}", k, axis))
        .allColumns = x.fill == Fill::distinct;
  };
  add("3 of 2x7", {t, {2, 7}, Fill::distinct}, 3, -1);
  add("2 of 5x2 over 0", {t, {5, 2}, Fill::distinct}, 2, 0);
  add("40 of 40 ties", {t, {40}, Fill::ties}, 40, 0);
  add("0 of 3", {t, {3}, Fill::ties}, 0, 0);
  if (kind(t) != Kind::complex)
    add("20 of 48 special", {t, {48}, Fill::special}, 20, 0);
}

template <Array (*function)(const Operand &, int, Axis)>
static void parted(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, Fill fill, int kth, int axis) {
    list.plain(
            std::move(label), {{t, std::move(dims), fill}},
            [=](List x) { return std::vector{function(x[0], kth, axis)}; },
            format("\"axis\": {}, \"descending\": false", axis))
        .allColumns = fill == Fill::distinct;
  };
  add("3x7", {3, 7}, Fill::distinct, 2, -1);
  add("5x2 over 0", {5, 2}, Fill::ties, -1, 0);
}

template <Array (*function)(const Operand &, const Operand &, std::optional<Dim>, std::optional<Scalar>), bool isOfBoth>
static void sets(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Dims first, Dims second, Fill fill, int size) {
    // An element of both operands has its derivative by the first operand.
    const bool isOfOne = isOfBoth && fill == Fill::distinct;
    list.plain(
            std::move(label), {{t, std::move(first), fill}, {t, std::move(second), fill}},
            [=](List x) {
              return std::vector{function(x[0], isOfOne ? concatenate({flip(ravel(x[0])), ravel(x[1])}) : x[1],
                                          Dim(size), std::nullopt)};
            },
            format("\"size\": {}, \"of_one\": {}", size, isOfOne ? "true" : "false"))
        .allColumns = fill == Fill::distinct;
  };
  add("2x2,3 to 9", {2, 2}, {3}, Fill::distinct, 9);
  add("3x3,4 to 5", {3, 3}, {4}, Fill::ties, 5);
  add("5,8 to 2", {5}, {8}, Fill::normal, 2);
}

//===----------------------------------------------------------------------===//
// NaN
//===----------------------------------------------------------------------===//

/// NaN in place of elements above 1.
static Array withNan(const Array &x) { return where(x > 1, NAN, x); }

template <Array (*function)(const Operand &, std::optional<Axis>, bool)>
static void placesOfExtremes(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, Fill fill, std::optional<int> axis, bool keepdims) {
    Function f = [=](List x) {
      return std::vector{function(x[0], axis ? std::optional<Axis>(*axis) : std::nullopt, keepdims)};
    };
    list.plain(std::move(label), {{t, std::move(dims), fill}}, f,
               format("\"axis\": {}, \"keepdims\": {}", axis ? std::to_string(*axis) : "null",
                      keepdims ? "true" : "false"))
        .allColumns = fill == Fill::distinct;
  };
  add("3x5 over 1", {3, 5}, Fill::distinct, 1, false);
  add("3x4 flat", {3, 4}, Fill::ties, {}, true);
  add("16x3 special over 0", {16, 3}, Fill::special, 0, false);
  add("2x16 special", {2, 16}, Fill::special, {}, false);
  add("3x16 special over 1", {3, 16}, Fill::special, 1, true);
}

template <Array (*function)(const Operand &, std::optional<Axis>)>
static void running(CaseList &list) {
  const bool isFloating = list.isFloating();
  list.all(
      "3x4 over 1", {{list.dtype(), {3, 4}, Fill::distinct}},
      [=](List x) { return std::vector{function(isFloating ? withNan(x[0]) : x[0], 1)}; }, "\"axis\": 1");
}

static void nanMedians(CaseList &list) {
  list.all(
      "2x6 over 1", {{list.dtype(), {2, 6}, Fill::distinct}},
      [](List x) { return std::vector{nanmedian(withNan(x[0]), 1)}; },
      "\"axes\": [1], \"keepdims\": false, \"nan\": true, \"q\": 0.5");
}
template <Array (*function)(const Operand &, const Operand &, const Ints &, bool), int whole>
static void nanQuantiles(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, Ints axes, std::string attributes) {
    Function f = [=](List x) { return std::vector{function(withNan(x[0]), Array{0.25f, 0.625f} * whole, axes, true)}; };
    list.all(std::move(label), {{t, std::move(dims), Fill::distinct}}, f,
             attributes + ", \"keepdims\": true, \"nan\": true, \"q\": [0.25, 0.625]");
  };
  add("2x6 over 1", {2, 6}, 1, "\"axes\": [1]");
  add("3x2x2 over 02", {3, 2, 2}, {0, 2}, "\"axes\": [0, 2]");
}

//===----------------------------------------------------------------------===//
// Comparison of whole arrays
//===----------------------------------------------------------------------===//

static void equalities(CaseList &list) {
  const Dtype t = list.dtype();
  for (bool isEqual : {false, true}) {
    const std::string attributes = format("\"nan\": {}", isEqual ? "true" : "false");
    auto f = [=](List x) { return std::vector{array_equal(x[0], x[1], isEqual)}; };
    auto g = [=](List x) { return std::vector{array_equal(x[0], x[0], isEqual)}; };
    list.all(isEqual ? "2x3,2x3 nan" : "2x3,2x3", {{t, {2, 3}}, {t, {2, 3}}}, f, attributes);
    list.plain(isEqual ? "2x3,3 nan" : "2x3,3", {{t, {2, 3}}, {t, {3}}}, f, attributes);
    list.plain(isEqual ? "itself nan" : "itself", {{t, {16}, Fill::special}}, g, attributes);
  }
}
static void equivalences(CaseList &list) {
  const Dtype t = list.dtype();
  auto f = [](List x) { return std::vector{array_equiv(x[0], broadcast_to(x[1], {2, 3}))}; };
  list.all("3,3", {{t, {3}}, {t, {3}}}, f);
  list.plain("itself", {{t, {3}}}, [](List x) { return std::vector{array_equiv(broadcast_to(x[0], {2, 3}), x[0])}; });
  list.plain("2,3", {{t, {2}}, {t, {3}}}, f);
}
static void binEdges(CaseList &list) {
  list.all("2x9", {{list.dtype(), {2, 9}}}, [](List x) { return std::vector{histogram_bin_edges(x[0], 4, {-2, 2})}; });
}

static const OpCases table[] = {
    {"top_k", largest},
    {"partition", parted<partition>},
    {"argpartition", parted<argpartition>},
    {"union1d", sets<union1d, false>},
    {"intersect1d", sets<intersect1d, true>},
    {"setdiff1d", sets<setdiff1d, false>},
    {"setxor1d", sets<setxor1d, false>},
    {"argmin", placesOfExtremes<detail::argmin>},
    {"nanargmax", placesOfExtremes<detail::nanargmax>},
    {"nanargmin", placesOfExtremes<detail::nanargmin>},
    {"nancumsum", running<nancumsum>},
    {"nancumprod", running<nancumprod>},
    {"nanmedian", nanMedians},
    {"nanquantile", nanQuantiles<nanquantile, 1>},
    {"nanpercentile", nanQuantiles<nanpercentile, 100>},
    {"array_equal", equalities},
    {"array_equiv", equivalences},
    {"histogram_bin_edges", binEdges},
};
std::span<const OpCases> orderCases() { return table; }

} // namespace tenon::conformance
