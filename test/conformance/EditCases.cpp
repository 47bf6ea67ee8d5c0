//===- EditCases.cpp - insert, delete and the like, polynomials, windows --------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops inside have rows of their own, and unit/edits_test.cpp compares these functions with NumPy in many shapes.
//===----------------------------------------------------------------------===//
#include "test/conformance/Calls.h"

#include <tenon/ops.h>
#include <tenon/transform.h>

namespace tenon::conformance {

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static void columnsFlipped(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return fliplr(x); });
}
static void rowsFlipped(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return flipud(x); });
}
static void rolledAxes(CaseList &list) {
  one(list, {2, 3, 4}, "\"axis\": 2, \"start\": 0", [](const Array &x) { return rollaxis(x, -1); });
  list.plain(
      "2x3x4 to 3", {{list.dtype(), {2, 3, 4}}}, [](List x) { return std::vector{rollaxis(x[0], 0, 3)}; },
      "\"axis\": 0, \"start\": 3");
}
static void depths(CaseList &list) {
  several(list, "3,1x3x2", {{3}, {1, 3, 2}}, "", [](List x) { return dstack(x); });
}
static void columnsBeside(CaseList &list) {
  several(list, "3,3x2", {{3}, {3, 2}}, "", [](List x) { return column_stack(x); });
}
static void sections(CaseList &list) {
  one(list, {2, 5}, "\"sections\": 3, \"axis\": 1", [](const Array &x) { return array_split(x, 3, 1); }, true);
}
static void columnSections(CaseList &list) {
  one(list, {2, 4}, "\"sections\": 2, \"axis\": 1", [](const Array &x) { return hsplit(x, 2); }, true);
}
static void rowSections(CaseList &list) {
  one(list, {4, 2}, "\"sections\": 2, \"axis\": 0", [](const Array &x) { return vsplit(x, 2); }, true);
}
static void depthSections(CaseList &list) {
  one(list, {1, 2, 4}, "\"sections\": 2, \"axis\": 2", [](const Array &x) { return dsplit(x, 2); }, true);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static void flatDiagonals(CaseList &list) {
  one(list, {2, 2}, "", [](const Array &x) { return diagflat(x, 1); });
}
static void triangles(CaseList &list) {
  made(list, "3x4", [](Dtype t) { return tri(3, 4, 1, t); });
}
static std::vector<Array> both(const TriangleIndices &places) { return {places.rows, places.columns}; }
static void lowerPlaces(CaseList &list) {
  list.all("3x4", {}, [](List) { return both(tril_indices(3, 1, 4)); });
}
static void upperPlaces(CaseList &list) {
  list.all("3x4", {}, [](List) { return both(triu_indices(3, 1, 4)); });
}
static void lowerPlacesFrom(CaseList &list) {
  one(list, {3, 4}, "", [](const Array &x) { return both(tril_indices_from(x, 1)); }, true);
}
static void upperPlacesFrom(CaseList &list) {
  one(list, {3, 4}, "", [](const Array &x) { return both(triu_indices_from(x, 1)); }, true);
}
static void diagonalPlaces(CaseList &list) {
  list.all("3 of 3", {}, [](List) { return diag_indices(3, 3); });
}
static void diagonalPlacesFrom(CaseList &list) {
  one(list, {3, 3, 3}, "", [](const Array &x) { return diag_indices_from(x); }, true);
}
static void grids(CaseList &list) {
  if (list.dtype() == Dtype::bool_)
    list.all("3,2", {{Dtype::i32, {2}}}, [](List x) { return ix_({Array{true, false, true}, x[0]}); });
  else
    several(list, "3,2", {{3}, {2}}, "", [](List x) { return ix_(x); });
}

//===----------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------===//

static void appended(CaseList &list) {
  several(list, "2x3,1x3", {{2, 3}, {1, 3}}, "\"axis\": 0", [](List x) { return append(x[0], x[1], 0); });
  list.plain(
      "2x3,2", {{list.dtype(), {2, 3}}, {list.dtype(), {2}}}, [](List x) { return std::vector{append(x[0], x[1])}; },
      "\"axis\": null");
}
static void inserted(CaseList &list) {
  several(list, "2x3,2x3", {{2, 3}, {2, 3}}, "\"at\": [2, 0, 2]",
          [](List x) { return insert(x[0], {2, 0, 2}, x[1], 1); });
  several(list, "2x3,2", {{2, 3}, {2}}, "\"at\": -1", [](List x) { return insert(x[0], -1, x[1], 1); });
}
static void deleted(CaseList &list) {
  one(list, {2, 5}, "", [](const Array &x) { return delete_(x, {1, -1, 1}, 1); });
}
static void resized(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return resize(x, {4, 2}); });
}
/// trim_zeros is traced with constant flags: the size of its result depends on them.
static void trimmed(CaseList &list) {
  const Array flags = {false, true, false, true, false};
  several(list, "3", {{3}}, "", [=](List x) { return where(trim_zeros(flags), x[0], flip(x[0])); });
}
static void diagonalsFilled(CaseList &list) {
  several(list, "5x2,2 wrapped", {{5, 2}, {2}}, "\"wrap\": true",
          [](List x) { return fill_diagonal(x[0], x[1], true); });
  several(list, "3x3x3,scalar", {{3, 3, 3}, {}}, "\"wrap\": false", [](List x) { return fill_diagonal(x[0], x[1]); });
}
static void elementsPut(CaseList &list) {
  for (IndexMode mode : {IndexMode::error, IndexMode::clip, IndexMode::wrap, IndexMode::drop})
    several(list, format("2x3,2 {}", name(mode)), {{2, 3}, {2}}, format("\"mode\": \"{}\"", name(mode)), [=](List x) {
      const bool isInside = mode == IndexMode::error;
      return put(x[0], isInside ? Array{1, 4, -1} : Array{1, 9, -1}, x[1], mode);
    });
}
static void elementsPlaced(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2x3,2", {{t, {2, 3}}, {Dtype::bool_, {2, 3}}, {t, {2}}},
           [](List x) { return std::vector{place(x[0], x[1], x[2])}; });
}
static void elementsExtracted(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2x3 to 4", {{Dtype::bool_, {2, 3}}, {t, {2, 3}}},
           [](List x) { return std::vector{extract(x[0], x[1], 4, true)}; });
}

//===----------------------------------------------------------------------===//
// Differences, polynomials, windows
//===----------------------------------------------------------------------===//

static void flatDifferences(CaseList &list) {
  several(list, "2x3,2", {{2, 3}, {2}}, "", [](List x) { return ediff1d(x[0], x[1]); });
}
static void unwrapped(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2x6", {{t, {2, 6}, Fill::distinct}}, [](List x) { return std::vector{unwrap(x[0] * 8)}; });
}
static void sums(CaseList &list) {
  several(list, "3,2", {{3}, {2}}, "", [](List x) { return polyadd(x[0], x[1]); });
}
static void differences(CaseList &list) {
  several(list, "2,4", {{2}, {4}}, "", [](List x) { return polysub(x[0], x[1]); });
}
static void products(CaseList &list) {
  several(list, "3,2", {{3}, {2}}, "", [](List x) { return polymul(x[0], x[1]); });
}
static void derived(CaseList &list) {
  one(list, {4}, "", [](const Array &x) { return polyder(x, 2); });
}
static void integrated(CaseList &list) {
  several(list, "3,2", {{3}, {2}}, "", [](List x) { return polyint(x[0], 2, x[1]); });
}
static void ofRoots(CaseList &list) {
  one(list, {3}, "", [](const Array &x) { return poly(x); });
}
static void powers(CaseList &list) {
  one(list, {3}, "", [](const Array &x) { return vander(x, 4); });
}
static void besselFunctions(CaseList &list) {
  one(list, {5}, "", [](const Array &x) { return i0(x); });
}
static void firstBesselFunctions(CaseList &list) {
  one(list, {5}, "", [](const Array &x) { return i1(x); });
}
template <Array (*function)(int, Dtype, std::optional<Device>, Location)>
static void windows(CaseList &list) {
  made(list, "7", [](Dtype t) { return function(7, t, {}, {}); });
}
static void kaisers(CaseList &list) {
  made(list, "7", [](Dtype t) { return kaiser(7, 8.5, t); });
}

static const OpCases table[] = {
    {"fliplr", columnsFlipped},
    {"flipud", rowsFlipped},
    {"rollaxis", rolledAxes},
    {"dstack", depths},
    {"column_stack", columnsBeside},
    {"array_split", sections},
    {"hsplit", columnSections},
    {"vsplit", rowSections},
    {"dsplit", depthSections},
    {"diagflat", flatDiagonals},
    {"tri", triangles},
    {"tril_indices", lowerPlaces},
    {"triu_indices", upperPlaces},
    {"tril_indices_from", lowerPlacesFrom},
    {"triu_indices_from", upperPlacesFrom},
    {"diag_indices", diagonalPlaces},
    {"diag_indices_from", diagonalPlacesFrom},
    {"ix_", grids},
    {"append", appended},
    {"insert", inserted},
    {"delete", deleted},
    {"resize", resized},
    {"trim_zeros", trimmed},
    {"fill_diagonal", diagonalsFilled},
    {"put", elementsPut},
    {"place", elementsPlaced},
    {"extract", elementsExtracted},
    {"ediff1d", flatDifferences},
    {"unwrap", unwrapped},
    {"polyadd", sums},
    {"polysub", differences},
    {"polymul", products},
    {"polyder", derived},
    {"polyint", integrated},
    {"poly", ofRoots},
    {"vander", powers},
    {"i0", besselFunctions},
    {"i1", firstBesselFunctions},
    {"bartlett", windows<bartlett>},
    {"hanning", windows<hanning>},
    {"hamming", windows<hamming>},
    {"blackman", windows<blackman>},
    {"kaiser", kaisers},
};
std::span<const OpCases> editCases() { return table; }

} // namespace tenon::conformance
