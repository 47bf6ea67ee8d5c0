//===- SortingCases.cpp - sorts, indices of elements, unique elements ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

static std::string attributes(int axis, bool descending, int keys = 1) {
  return format("\"axis\": {}, \"descending\": {}, \"keys\": {}", axis, descending ? "true" : "false", keys);
}

/// Cases of one array in all shapes; `make` returns the function that sorts it.
static void sorted(CaseList &list, std::vector<Array> (*make)(const Array &x, int axis, bool descending)) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input x, int axis, bool descending, bool isForAll = false) {
    list.plain(
            std::move(label), {x}, [=](List in) { return make(in[0], axis, descending); }, attributes(axis, descending))
        .allColumns = isForAll;
  };
  add("3x7", {t, {3, 7}, Fill::distinct}, -1, false, true);
  add("5x4 over 0, descending", {t, {5, 4}, Fill::distinct}, 0, true, true);
  add("1", {t, {1}}, 0, false);
  add("0x3 over 0", {t, {0, 3}}, 0, false);
  add("3x0", {t, {3, 0}}, 1, true);
  add("ties", {t, {300}, Fill::ties}, 0, false);
  add("ties, descending", {t, {300}, Fill::ties}, 0, true);
  add("special", {t, {96}, Fill::special}, 0, false);
  if (kind(t) != Kind::complex) // NumPy orders complex numbers with NaN by their parts
    add("special, descending", {t, {96}, Fill::special}, 0, true);
  add("wide", {t, {5000}, Fill::wide}, 0, false);
  add("wide, descending", {t, {1037}, Fill::wide}, 0, true);
  add("4x50x3-transposed over 1", {t, {4, 50, 3}, Fill::wide, Layout::transposed}, 1, false);
  add("40x6-reversed over -2", {t, {40, 6}, Fill::wide, Layout::reversed}, -2, false);
  add("7x33-strided", {t, {7, 33}, Fill::ties, Layout::strided}, 1, true);
}
static void sorts(CaseList &list) {
  sorted(list, [](const Array &x, int axis, bool descending) { return std::vector{sort(x, axis, descending)}; });
}
static void argsorts(CaseList &list) {
  sorted(list, [](const Array &x, int axis, bool descending) { return std::vector{argsort(x, axis, descending)}; });
}

static void together(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, std::vector<Input> inputs, int axis, int keys, bool descending,
                 bool isForAll = false) {
    list.plain(
            std::move(label), std::move(inputs), [=](List in) { return sort_keys(in, axis, keys, descending); },
            attributes(axis, descending, keys))
        .allColumns = isForAll;
  };
  const bool isKey = !is_storage(t);
  add("carried, 3x6", {{Dtype::i32, {3, 6}, Fill::ties}, {t, {3, 6}}}, 1, 1, false, true);
  add("carried, 6x3 over 0", {{Dtype::f32, {6, 3}, Fill::distinct}, {t, {6, 3}}, {t, {6, 3}}}, 0, 1, true, isKey);
  add("carried, 200", {{Dtype::u8, {200}, Fill::ties}, {t, {200}, Fill::special}}, 0, 1, false);
  if (isKey) {
    add("alone, 50", {{t, {50}, Fill::wide}}, 0, 1, false);
    add("two keys", {{t, {2, 40}, Fill::ties}, {t, {2, 40}, Fill::ties}, {Dtype::i64, {2, 40}}}, 1, 2, false);
    add("two keys, descending, transposed",
        {{t, {40, 2}, Fill::ties, Layout::transposed}, {Dtype::u8, {40, 2}, Fill::ties}, {Dtype::i64, {40, 2}}}, 0, 2,
        true);
  }
}
static void lexsorts(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, std::vector<Input> inputs, int axis) {
    list.all(
        std::move(label), std::move(inputs), [=](List in) { return std::vector{lexsort(in, axis)}; },
        format("\"axis\": {}", axis));
  };
  add("30,30", {{t, {30}, Fill::ties}, {t, {30}, Fill::ties}}, -1);
  add("5x6,5x6,5x6 over 0", {{t, {5, 6}, Fill::ties}, {t, {5, 6}, Fill::ties}, {Dtype::f32, {5, 6}, Fill::ties}}, 0);
}

static void takes(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input x, Dims indices, std::optional<int> axis, bool isForAll) {
    list.plain(
            std::move(label), {x, {Dtype::i64, indices, Fill::indices}},
            [=](List in) {
              return std::vector{take(in[0], in[1], axis ? std::optional<Axis>(*axis) : std::optional<Axis>())};
            },
            axis ? format("\"axis\": {}", *axis) : "\"axis\": null")
        .allColumns = isForAll;
  };
  add("3x7", {t, {3, 7}}, {4}, 1, true);
  add("7x2 over 0", {t, {7, 2}}, {2, 3}, 0, true);
  add("2x4 flat", {t, {2, 4}}, {5}, {}, true);
  add("7x3-transposed, one", {t, {7, 3}, Fill::normal, Layout::transposed}, {}, -2, false);
  add("7x0", {t, {7, 0}}, {3}, 0, false);
}
template <IndexMode mode>
static void takesOutside(CaseList &list) {
  list.plain(
          format("3x4 {}", name(mode)), {{list.dtype(), {3, 4}}, {Dtype::i64, {6}, Fill::indices}},
          [](List in) { return std::vector{take(in[0], in[1] * 2 - 3, 1, mode)}; },
          format("\"axis\": 1, \"mode\": \"{}\"", name(mode)))
      .allColumns = true;
}
static void allTakes(CaseList &list) {
  takes(list);
  takesOutside<IndexMode::wrap>(list);
  takesOutside<IndexMode::clip>(list);
  takesOutside<IndexMode::drop>(list);
}
static void takesAlong(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input x, Dims indices, int axis, bool isForAll) {
    list.plain(
            std::move(label), {x, {Dtype::i32, indices, Fill::indices}},
            [=](List in) { return std::vector{take_along_axis(in[0], in[1], axis)}; }, format("\"axis\": {}", axis))
        .allColumns = isForAll;
  };
  add("3x7", {t, {3, 7}}, {3, 4}, -1, true);
  add("7x2x3 over 0", {t, {7, 2, 3}}, {9, 2, 3}, 0, true);
  add("2x8x3-reversed over 1", {t, {2, 8, 3}, Fill::normal, Layout::reversed}, {2, 1, 3}, 1, false);
}

static void searches(CaseList &list) {
  auto add = [&](std::string label, Input x, int size, bool isForAll) {
    list.plain(
            std::move(label), {x}, [=](List in) { return std::vector{flatnonzero(in[0], size, -3)}; },
            format("\"size\": {}, \"fill\": -3", size))
        .allColumns = isForAll;
  };
  const Dtype t = list.dtype();
  add("3x5 to 9", {t, {3, 5}}, 9, true);
  add("2000 to 700", {t, {2000}}, 700, false);
  add("40x30-transposed to 1200", {t, {40, 30}, Fill::normal, Layout::transposed}, 1200, false);
  add("0 to 2", {t, {0}}, 2, false);
}
static void searchesByAxis(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "3x4 to 7", {{t, {3, 4}, Fill::ties}}, [](List in) { return nonzero(in[0], 7, -1); },
      "\"size\": 7, \"fill\": -1");
  list.plain(
      "2x3x4 special", {{t, {2, 3, 4}, Fill::special}}, [](List in) { return nonzero(in[0], 30); },
      "\"size\": 30, \"fill\": 0");
}
static void argwheres(CaseList &list) {
  list.all(
      "3x4 to 7", {{list.dtype(), {3, 4}, Fill::ties}}, [](List in) { return std::vector{argwhere(in[0], 7, -1)}; },
      "\"size\": 7, \"fill\": -1");
}
template <class F>
static void uniques(CaseList &list, F &&f) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Input x, int size) {
    // No case of equal elements has derivatives: finite differences would part the elements.
    list.plain(
            std::move(label), {x}, [=](List in) { return f(in[0], Dim(size)); }, format("\"size\": {}", size))
        .allColumns = x.fill == Fill::distinct;
  };
  add("3x9 to 20", {t, {3, 9}, Fill::ties}, 20);
  add("30 to 4", {t, {30}, Fill::ties}, 4);
  if (kind(t) != Kind::boolean)
    add("2x3 to 6", {t, {2, 3}, Fill::distinct}, 6);
}

static void uniqueRows(CaseList &list) {
  const Dtype t = list.dtype();
  const auto all = [](const UniqueAll &found) {
    return std::vector{found.values, found.indices, found.inverse_indices, found.counts};
  };
  auto add = [&](std::string label, Dims dims, int axis, int size, Fill fill) {
    list.plain(
            std::move(label), {{t, std::move(dims), fill}},
            [=](List x) { return all(unique(x[0], {.axis = axis, .size = Dim(size)})); },
            format("\"axis\": {}, \"size\": {}", axis, size))
        .allColumns = fill == Fill::distinct;
  };
  add("9x2 over 0 to 12", {9, 2}, 0, 12, Fill::ties);
  add("2x20 over 1 to 3", {2, 20}, 1, 3, Fill::ties);
  add("12x1x3 over 0", {12, 1, 3}, 0, 12, Fill::ties);
  if (kind(t) != Kind::boolean)
    add("4x5 over 0", {4, 5}, 0, 4, Fill::distinct);
  list.plain(
      "3x9 flat", {{t, {3, 9}, Fill::ties}}, [=](List x) { return all(unique(x[0], {.size = Dim(5)})); },
      "\"axis\": null, \"size\": 5");
}

static const OpCases table[] = {
    {"unique", uniqueRows},
    {"flatnonzero", searches},
    {"nonzero", searchesByAxis},
    {"argwhere", argwheres},
    {"unique_values",
     [](CaseList &list) {
       uniques(list, [](const Array &x, Dim size) { return std::vector{unique_values(x, size)}; });
     }},
    {"unique_counts",
     [](CaseList &list) {
       uniques(list, [](const Array &x, Dim size) {
         const UniqueCounts found = unique_counts(x, size);
         return std::vector{found.values, found.counts};
       });
     }},
    {"unique_inverse",
     [](CaseList &list) {
       uniques(list, [](const Array &x, Dim size) {
         const UniqueInverse found = unique_inverse(x, size);
         return std::vector{found.values, found.inverse_indices};
       });
     }},
    {"unique_all",
     [](CaseList &list) {
       uniques(list, [](const Array &x, Dim size) {
         const UniqueAll found = unique_all(x, size);
         return std::vector{found.values, found.indices, found.inverse_indices, found.counts};
       });
     }},
    {"sort", sorts},
    {"argsort", argsorts},
    {"sort_keys", together},
    {"lexsort", lexsorts},
    {"take", allTakes},
    {"take_along_axis", takesAlong},
};
std::span<const OpCases> sortingCases() { return table; }

} // namespace tenon::conformance
