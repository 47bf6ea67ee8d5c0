//===- IndexingCases.cpp - gather, scatter and dynamic slices -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

namespace {
/// The axes of a gather or scatter, by gather's names.
struct Dimensions {
  Dims offset, collapsed, map, batching = {}, indicesBatching = {};
};
/// Shapes of an array, its indices and windows; `windowed` is the shape of gather's result.
struct Places {
  const char *label;
  Dims x, indices, sizes, windowed;
  Dimensions dims;
  bool isForAll = false;
  Layout layout = Layout::dense;
};
} // namespace

static std::string text(const Dims &values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i)
    out += (i ? ", " : "") + std::to_string(values[i]);
  return out + "]";
}

static std::string attributes(const Places &at, IndexMode mode) {
  return format("\"sizes\": {}, \"offset\": {}, \"collapsed\": {}, \"map\": {}, \"batching\": {}, "
                "\"indices_batching\": {}, \"mode\": \"{}\"",
                text(at.sizes), text(at.dims.offset), text(at.dims.collapsed), text(at.dims.map),
                text(at.dims.batching), text(at.dims.indicesBatching), name(mode));
}

/// Indices are -1 to 6, so that some lie outside of axes of fewer than 7 elements, at both ends.
static const Places places[] = {
    {"elements of 7", {7}, {9, 1}, {1}, {9}, {{}, {0}, {0}}, true},
    {"elements of 5x7", {5, 7}, {11, 2}, {1, 1}, {11}, {{}, {0, 1}, {1, 0}}, true},
    {"rows of 7x3", {7, 3}, {4, 1}, {1, 3}, {4, 3}, {{1}, {0}, {0}}, true},
    {"columns of 3x7, in front", {3, 7}, {2, 4, 1}, {3, 1}, {3, 2, 4}, {{0}, {1}, {1}}},
    {"parts of 5x8", {5, 8}, {9, 2}, {2, 3}, {9, 2, 3}, {{1, 2}, {}, {0, 1}}, true},
    {"parts of a row of 6x4", {6, 4}, {5, 2}, {1, 2}, {5, 2}, {{1}, {0}, {0, 1}}},
    {"in batches, 4x7", {4, 7}, {4, 9, 1}, {1, 1}, {4, 9}, {{}, {1}, {1}, {0}, {0}}, true},
    {"in batches behind, 3x7x2", {3, 7, 2}, {5, 3, 1}, {1, 1, 2}, {5, 3, 2}, {{2}, {1}, {1}, {0}, {1}}},
    {"one element of 7", {7}, {1}, {1}, {}, {{}, {0}, {0}}},
    {"all of 2x3", {2, 3}, {8, 0}, {2, 3}, {8, 2, 3}, {{1, 2}, {}, {}}},
    {"none of 7", {7}, {0, 1}, {1}, {0}, {{}, {0}, {0}}},
    {"empty parts of 5x4", {5, 4}, {3, 1}, {1, 0}, {3, 0}, {{1}, {0}, {0}}},
    {"7x3-transposed", {7, 3}, {5, 1}, {1, 3}, {5, 3}, {{1}, {0}, {0}}, false, Layout::transposed},
    {"7x6-reversed", {7, 6}, {5, 1}, {7, 2}, {5, 7, 2}, {{1, 2}, {}, {1}}, false, Layout::reversed},
    {"600 of 300, strided", {300}, {600, 1}, {1}, {600}, {{}, {0}, {0}}, false, Layout::strided},
};

/// Whether all indices lie inside, so that the mode `error` can be tested.
static bool isInside(const Places &at) {
  for (int64_t axis : at.dims.map)
    if (at.x[static_cast<size_t>(axis)] - at.sizes[static_cast<size_t>(axis)] < 6)
      return false;
  return true;
}

static void gathers(CaseList &list) {
  Dtype t = list.dtype();
  for (const Places &at : places)
    for (IndexMode mode : {IndexMode::clip, IndexMode::fill, IndexMode::error}) {
      if (mode == IndexMode::error && !isInside(at))
        continue;
      const Dtype index = at.isForAll ? Dtype::i64 : Dtype::i32;
      Case &made = list.plain(
          format("{}, {}", at.label, name(mode)),
          {{t, at.x, Fill::normal, at.layout}, {index, at.indices, Fill::indices}},
          [=](List x) {
            return std::vector{gather(x[0], x[1], Shape(at.sizes), at.dims.offset, at.dims.collapsed, at.dims.map,
                                      at.dims.batching, at.dims.indicesBatching, mode)};
          },
          attributes(at, mode));
      made.allColumns = at.isForAll;
      if (mode == IndexMode::clip)
        made.mapped = {true, false};
      if (mode == IndexMode::error)
        made.mapped = {false, true};
    }
  const Places &one = places[0];
  const Scalar value = t == Dtype::bool_ ? Scalar(true) : Scalar(3);
  list.plain(
      "elements of 7 and a number", {{t, {7}}, {Dtype::u8, {9, 1}, Fill::indices}},
      [=](List x) {
        return std::vector{
            gather(x[0], x[1] + Scalar(4), Shape{1}, Dims{}, {0}, {0}, Dims{}, Dims{}, IndexMode::fill, value)};
      },
      attributes(one, IndexMode::fill) + ", \"fill_value\": 3, \"add\": 4");
}

using Scatter = Array (*)(const Operand &, const Operand &, const Operand &, const Ints &, const Ints &, const Ints &,
                          const Ints &, const Ints &, IndexMode);

static void scatters(CaseList &list, Scatter scatter, Fill fill) {
  Dtype t = list.dtype();
  for (const Places &at : places)
    for (IndexMode mode : {IndexMode::clip, IndexMode::drop, IndexMode::error}) {
      if (mode == IndexMode::error && !isInside(at))
        continue;
      const Dtype index = at.isForAll ? Dtype::i64 : Dtype::i32;
      Case &made = list.plain(
          format("{}, {}", at.label, name(mode)),
          {{t, at.x, fill, at.layout}, {index, at.indices, Fill::indices}, {t, at.windowed, fill, at.layout}},
          [=](List x) {
            return std::vector{scatter(x[0], x[1], x[2], at.dims.offset, at.dims.collapsed, at.dims.map,
                                       at.dims.batching, at.dims.indicesBatching, mode)};
          },
          attributes(at, mode));
      made.allColumns = at.isForAll;
      if (mode == IndexMode::clip)
        made.mapped = {true, false, true};
      if (mode == IndexMode::error)
        made.mapped = {false, true, true};
    }
  list.plain(
      "special", {{t, {7}, Fill::special}, {Dtype::i64, {16, 1}, Fill::indices}, {t, {16}, Fill::special}},
      [=](List x) { return std::vector{scatter(x[0], x[1], x[2], Dims{}, {0}, {0}, Dims{}, Dims{}, IndexMode::drop)}; },
      attributes(places[0], IndexMode::drop));
}
static void replacements(CaseList &list) { scatters(list, scatter, Fill::normal); }
static void additions(CaseList &list) { scatters(list, scatter_add, Fill::normal); }
static void products(CaseList &list) { scatters(list, scatter_mul, Fill::nonzero); }
static void minima(CaseList &list) { scatters(list, scatter_min, Fill::distinct); }
static void maxima(CaseList &list) { scatters(list, scatter_max, Fill::distinct); }

static void dynamicSlices(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input x, Dims starts, Dims sizes, bool isForAll) {
    std::vector<Input> inputs{x};
    for (size_t i = 0; i < starts.size(); ++i)
      inputs.push_back({Dtype::i32, {}, Fill::indices});
    Case &made = list.plain(
        label, inputs,
        [=](List x) {
          std::vector<Array> at;
          for (size_t i = 0; i < starts.size(); ++i)
            at.push_back(x[i + 1] + Scalar(starts[i]));
          return std::vector{dynamic_slice(x[0], at, Shape(sizes))};
        },
        format("\"add\": {}, \"sizes\": {}", text(starts), text(sizes)));
    made.allColumns = isForAll;
    if (isForAll && starts.size() == 1)
      made.mapped = {true, false};
    if (isForAll && starts.size() == 3)
      made.mapped = {false, true, false, true};
  };
  add("7", {t, {7}}, {3}, {3}, true);
  add("5x6", {t, {5, 6}}, {2, 4}, {2, 3}, true);
  add("3x4x5", {t, {3, 4, 5}}, {1, 5, 1}, {1, 2, 5}, true);
  add("6x4-transposed", {t, {6, 4}, Fill::normal, Layout::transposed}, {9, -9}, {6, 1}, false);
  add("none of 4", {t, {4}}, {2}, {0}, false);
  add("scalar", {t, {}}, {}, {}, false);
}

static void dynamicUpdates(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input x, Dims starts, Input update, bool isForAll) {
    std::vector<Input> inputs{x, update};
    for (size_t i = 0; i < starts.size(); ++i)
      inputs.push_back({Dtype::i64, {}, Fill::indices});
    Case &made = list.plain(
        label, inputs,
        [=](List x) {
          std::vector<Array> at;
          for (size_t i = 0; i < starts.size(); ++i)
            at.push_back(x[i + 2] + Scalar(starts[i]));
          return std::vector{dynamic_update_slice(x[0], x[1], at)};
        },
        format("\"add\": {}", text(starts)));
    made.allColumns = isForAll;
    if (isForAll && starts.size() == 1)
      made.mapped = {true, true, false};
    if (isForAll && starts.size() == 3)
      made.mapped = {false, true, false, true, false};
  };
  add("7", {t, {7}}, {3}, {t, {3}}, true);
  add("5x6", {t, {5, 6}}, {2, 4}, {t, {2, 3}}, true);
  add("3x4x5", {t, {3, 4, 5}}, {1, 5, 1}, {t, {1, 2, 5}}, true);
  add("6x4-transposed", {t, {6, 4}, Fill::normal, Layout::transposed}, {9, -9},
      {t, {6, 1}, Fill::normal, Layout::reversed}, false);
  add("none of 4", {t, {4}}, {2}, {t, {0}}, false);
  add("scalar", {t, {}}, {}, {t, {}}, false);
}

static const OpCases table[] = {
    {"gather", gathers},
    {"scatter", replacements},
    {"scatter_add", additions},
    {"scatter_mul", products},
    {"scatter_min", minima},
    {"scatter_max", maxima},
    {"dynamic_slice", dynamicSlices},
    {"dynamic_update_slice", dynamicUpdates},
};
std::span<const OpCases> indexingCases() { return table; }

} // namespace tenon::conformance
