//===- CumulativeCases.cpp - cumulative sums, products and extremes ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>
#include <tenon/transform.h>

namespace tenon::conformance {

using Cumulate = Array (*)(const Array &x, int axis);

template <Cumulate op, Fill fill>
static void running(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, int axis, bool isForAll, Fill with = fill,
                 Layout layout = Layout::dense) {
    list.plain(
            label, {{t, dims, with, layout}}, [=](const std::vector<Array> &x) { return std::vector{op(x[0], axis)}; },
            format("\"axis\": {}", axis))
        .allColumns = isForAll;
  };
  add("5", {5}, 0, true);
  add("3x4 over -1", {3, 4}, -1, true);
  add("4x3 over 0", {4, 3}, 0, true);
  add("2x3x2 over 1", {2, 3, 2}, 1, true);
  add("1", {1}, 0, false);
  add("0x3 over 0", {0, 3}, 0, false);
  add("3x0 over 0", {3, 0}, 0, false);
  // Rows of one block and of several; fewer columns than a register has lanes, and more.
  add("4096", {4096}, 0, false);
  add("4097", {4097}, 0, false, Fill::wide);
  add("3x12300", {3, 12300}, 1, false);
  add("80000", {80000}, 0, false, Fill::wide);
  add("40x7 over 1", {40, 7}, 1, false);
  add("9000x3 over 0", {9000, 3}, 0, false);
  add("9000x21 over 0", {9000, 21}, 0, false, Fill::wide);
  add("2x5x600 over 1", {2, 5, 600}, 1, false);
  add("3x70-transposed over 1", {3, 70}, 1, false, fill, Layout::transposed);
  add("70x33-transposed over 0", {70, 33}, 0, false, fill, Layout::transposed);
  add("6x37-reversed over 1", {6, 37}, 1, false, fill, Layout::reversed);
  add("37x40-strided over 0", {37, 40}, 0, false, fill, Layout::strided);
  add("6x40-repeated over 0", {6, 40}, 0, false, fill, Layout::repeated);
  add("special", {96}, 0, false, Fill::special);
  add("96x20 special over 0", {96, 20}, 0, false, Fill::special);
  add("ties", {5, 50}, 1, false, Fill::ties);
}

/// The derivative of a sum of cumulative products, which runs the recurrence from the end.
static void recurrences(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Dims dims, int axis, bool isForAll) {
    const Function f = [axis](const std::vector<Array> &x) {
      return std::vector{grad([&](const Array &at) { return sum(cumulative_prod(at, axis)); })(x[0])};
    };
    list.plain(std::move(label), {{t, dims, Fill::nonzero}}, f, format("\"axis\": {}", axis)).allColumns = isForAll;
  };
  add("5", {5}, 0, true);
  add("3x4 over 1", {3, 4}, 1, true);
  add("4x3 over 0", {4, 3}, 0, true);
  add("1", {1}, 0, false);
  add("0x3 over 0", {0, 3}, 0, false);
  add("3x0 over 0", {3, 0}, 0, false);
  add("6x2x40 over 0", {6, 2, 40}, 0, false);
  add("5x7x3 over 1", {5, 7, 3}, 1, false);
  add("9x37 over 0", {9, 37}, 0, false);
}

static const OpCases table[] = {
    {"linear_recurrence", recurrences},
    {"cumulative_sum", running<[](const Array &x, int axis) { return cumulative_sum(x, axis); }, Fill::normal>},
    {"cumulative_prod", running<[](const Array &x, int axis) { return cumulative_prod(x, axis); }, Fill::nonzero>},
    {"cumulative_max", running<[](const Array &x, int axis) { return cumulative_max(x, axis); }, Fill::distinct>},
    {"cumulative_min", running<[](const Array &x, int axis) { return cumulative_min(x, axis); }, Fill::distinct>},
    {"cumulative_logsumexp",
     running<[](const Array &x, int axis) { return cumulative_logsumexp(x, axis); }, Fill::normal>},
};
std::span<const OpCases> cumulativeCases() { return table; }

} // namespace tenon::conformance
