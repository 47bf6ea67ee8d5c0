//===- ShapingCases.cpp - functions of shape and movement, composed of other ops ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops inside have rows of their own, so each function has one small case in all columns and one of an odd layout or
// size. unit/movement_test.cpp compares the functions with NumPy in many shapes.
//===----------------------------------------------------------------------===//
#include "test/conformance/Calls.h"

#include <tenon/ops.h>

namespace tenon::conformance {

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static void expandedDims(CaseList &list) {
  one(list, {2, 3}, "\"axes\": [0, -1]", [](const Array &x) { return expand_dims(x, {0, -1}); });
}
static void squeezed(CaseList &list) {
  one(list, {1, 3, 1}, "\"axes\": [-1]", [](const Array &x) { return squeeze(x, -1); });
}
static void flips(CaseList &list) {
  one(list, {2, 3}, "\"axes\": [1]", [](const Array &x) { return flip(x, 1); });
}
static void movedAxes(CaseList &list) {
  one(list, {2, 3, 4}, "", [](const Array &x) { return moveaxis(x, {0, -1}, {2, 0}); });
}
static void swappedAxes(CaseList &list) {
  one(list, {2, 3, 4}, "", [](const Array &x) { return swapaxes(x, 0, -1); });
}
static void permutedDims(CaseList &list) {
  one(list, {2, 3, 4}, "", [](const Array &x) { return permute_dims(x, {1, 2, 0}); });
}
static void matrixTransposes(CaseList &list) {
  one(list, {2, 3, 4}, "", [](const Array &x) { return matrix_transpose(x); });
}
static void quarterTurns(CaseList &list) {
  one(list, {2, 3}, "\"k\": 1", [](const Array &x) { return rot90(x); });
}
static void diagonals(CaseList &list) {
  one(list, {3, 4}, "\"offset\": 1", [](const Array &x) { return diagonal(x, 1); });
}
static void broadcastsOfSeveral(CaseList &list) {
  several(list, "2x1,3", {{2, 1}, {3}}, "", [](List x) { return broadcast_arrays(x); });
}
static void ravels(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return ravel(x); });
}
static void flattened(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return flatten(x); });
}
static void atLeast1(CaseList &list) {
  one(list, {}, "", [](const Array &x) { return atleast_1d(x); });
}
static void atLeast2(CaseList &list) {
  one(list, {3}, "", [](const Array &x) { return atleast_2d(x); });
}
static void atLeast3(CaseList &list) {
  one(list, {3}, "", [](const Array &x) { return atleast_3d(x); });
}
static void concats(CaseList &list) {
  several(list, "2x3,1x3", {{2, 3}, {1, 3}}, "", [](List x) { return concat(x); });
}
static void stacks(CaseList &list) {
  several(list, "2x3,2x3 over -1", {{2, 3}, {2, 3}}, "", [](List x) { return stack(x, -1); });
}
static void unstacks(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return unstack(x, 1); }, true);
}
static void rows(CaseList &list) {
  several(list, "3,2x3", {{3}, {2, 3}}, "", [](List x) { return vstack(x); });
}
static void columns(CaseList &list) {
  several(list, "2x1,2x3", {{2, 1}, {2, 3}}, "", [](List x) { return hstack(x); });
}
static void rolls(CaseList &list) {
  one(list, {3, 4}, "", [](const Array &x) { return roll(x, {1, -1}, {0, 1}); });
}
static void repeats(CaseList &list) {
  one(list, {2, 3}, "\"counts\": 2, \"axis\": 1", [](const Array &x) { return repeat(x, 2, 1); });
  list.plain(
      "3 by counts", {{list.dtype(), {3}}}, [](List x) { return std::vector{repeat(x[0], Array{2, 0, 1})}; },
      "\"counts\": [2, 0, 1], \"axis\": null");
}
static void tiles(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return tile(x, {2, 1, 2}); });
}
static void paddings(CaseList &list) {
  one(list, {2, 3}, "\"mode\": \"reflect\"",
      [](const Array &x) { return pad_mode(x, {1, 0}, {0, 2}, PadMode::reflect); });
  list.plain(
      "2x3 symmetric", {{list.dtype(), {2, 3}}},
      [](List x) { return std::vector{pad_mode(x[0], {1, 0}, {0, 2}, PadMode::symmetric)}; },
      "\"mode\": \"symmetric\"");
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static void empties(CaseList &list) {
  made(list, "2x3", [](Dtype t) { return empty({2, 3}, t); });
}
static void emptyLikes(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return empty_like(x); });
}
static void asArrays(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return asarray(x); });
}
static void eyes(CaseList &list) {
  made(list, "3x4", [](Dtype t) { return eye(3, 4, 1, t); });
}
static void identities(CaseList &list) {
  made(list, "3", [](Dtype t) { return identity(3, t); });
}
static void iotas(CaseList &list) {
  made(list, "7", [](Dtype t) { return iota(7, t); });
}
static void indexGrids(CaseList &list) {
  made(list, "2x3", [](Dtype t) { return indices({2, 3}, t); });
}
static void linspaces(CaseList &list) {
  const Dtype t = list.dtype();
  list.plain("7", {}, [t](List) { return std::vector{linspace(-1, 2, 7, true, t)}; }, "\"endpoint\": true");
  several(list, "2,scalar", {{2}, {}}, "\"endpoint\": false", [](List x) { return linspace(x[0], x[1], 7, false); });
}
static void logspaces(CaseList &list) {
  several(list, "2,scalar", {{2}, {}}, "", [](List x) { return logspace(x[0], x[1], 5, true, 2); });
}
static void geomspaces(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2,scalar", {{t, {2}, Fill::positive}, {t, {}, Fill::positive}},
           [](List x) { return std::vector{geomspace(x[0], x[1], 5)}; });
}
static void grids(CaseList &list) {
  several(list, "3,2", {{3}, {2}}, "", [](List x) { return meshgrid(x); });
}
static void lowerTriangles(CaseList &list) {
  one(list, {3, 4}, "", [](const Array &x) { return tril(x, 1); });
}
static void upperTriangles(CaseList &list) {
  one(list, {3, 4}, "", [](const Array &x) { return triu(x, -1); });
}
static void diags(CaseList &list) {
  one(list, {3}, "", [](const Array &x) { return diag(x, -1); });
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

static std::string wantedText(Dtype dtype) { return "\"dtype\": \"" + std::string(short_name(dtype)) + "\""; }

static void matmuls(CaseList &list) {
  const Dtype t = list.dtype();
  Function f = [](List x) { return std::vector{matmul(x[0], x[1])}; };
  list.all("3x4,4x2", {{t, {3, 4}}, {t, {4, 2}}}, f);
  list.all("2x3x4,4x2", {{t, {2, 3, 4}}, {t, {4, 2}}}, f).mapped = {true, false};
  list.all("4,4x3", {{t, {4}}, {t, {4, 3}}}, f).mapped = {false, true};
  list.all("3x4,4", {{t, {3, 4}}, {t, {4}}}, f);
  list.all("5,5", {{t, {5}}, {t, {5}}}, f);
  list.plain("2x1x3x4,5x4x2", {{t, {2, 1, 3, 4}}, {t, {5, 4, 2}}}, f);
  list.plain("64x100,100x72", {{t, {64, 100}}, {t, {100, 72}}}, f);
  list.plain("7x9-transposed,9x5-reversed",
             {{t, {7, 9}, Fill::normal, Layout::transposed}, {t, {9, 5}, Fill::normal, Layout::reversed}}, f);
  list.plain("3x0,0x2", {{t, {3, 0}}, {t, {0, 2}}}, f);
  list.plain("0x3,3x2", {{t, {0, 3}}, {t, {3, 2}}}, f);
  list.plain("1x1,1x1", {{t, {1, 1}}, {t, {1, 1}}}, f);
  const Dtype wide = wideOf(t);
  const std::string withDtype = wantedText(wide);
  Function widened = [=](List x) { return std::vector{matmul(x[0], x[1], wide)}; };
  list.plain("17x70,70x40 wide", {{t, {17, 70}}, {t, {70, 40}}}, widened, withDtype);
  list.plain("20x30-transposed,30 wide", {{t, {20, 30}, Fill::normal, Layout::transposed}, {t, {30}}}, widened,
             withDtype);
  list.plain("5,5 wide", {{t, {5}}, {t, {5}}}, widened, withDtype);
}
static void einsums(CaseList &list) {
  const auto add = [&](const char *name, std::vector<std::vector<int64_t>> shapes, const char *equation) {
    several(list, name, shapes, std::string("\"equation\": \"") + equation + "\"",
            [=](List x) { return einsum(equation, x); });
  };
  add("ij,jk->ik", {{3, 4}, {4, 2}}, "ij,jk->ik");
  add("ij,jk->ki", {{3, 4}, {4, 2}}, "ij,jk->ki");
  add("bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}, "bij,bjk->bik");
  add("bij,kjb", {{2, 3, 4}, {5, 4, 2}}, "bij,kjb");
  add("ii", {{3, 3}}, "ii");
  add("iji->ji", {{3, 2, 3}}, "iji->ji");
  add("ij->", {{3, 2}}, "ij->");
  add("i,j", {{3}, {2}}, "i,j");
  add("ij,ij->ij", {{3, 2}, {3, 1}}, "ij,ij->ij");
  add("...ij,...jk->...ik", {{2, 1, 3, 4}, {5, 4, 2}}, "...ij,...jk->...ik");
  add("ab,bc,cd->ad", {{2, 3}, {3, 4}, {4, 2}}, "ab,bc,cd->ad");
  add("ab,cb,ca,d->d", {{2, 3}, {4, 3}, {4, 2}, {5}}, "ab,cb,ca,d->d");
  const Dtype t = list.dtype(), wide = wideOf(t);
  const auto addWide = [&](const char *equation, Dims a, Dims b, Dims c) {
    list.plain(
        std::string(equation) + " wide", {{t, a}, {t, b}, {t, c}},
        [=](List x) { return std::vector{einsum(equation, x, wide)}; },
        std::string("\"equation\": \"") + equation + "\", " + wantedText(wide));
  };
  addWide("ab,bc,cd->ad", {2, 3}, {3, 4}, {4, 2});
  addWide("ab,ab,b->ab", {2, 3}, {2, 3}, {3});
  addWide("ab,c,c->b", {2, 3}, {4}, {4});
}
static void multiDots(CaseList &list) {
  several(list, "2x3,3x4,4x2", {{2, 3}, {3, 4}, {4, 2}}, "", [](List x) { return multi_dot(x); });
  several(list, "3,3x4,4", {{3}, {3, 4}, {4}}, "", [](List x) { return multi_dot(x); });
}
static void matvecs(CaseList &list) {
  several(list, "2x3x4,4", {{2, 3, 4}, {4}}, "", [](List x) { return matvec(x[0], x[1]); });
}
static void vecmats(CaseList &list) {
  several(list, "2x3,3x4", {{2, 3}, {3, 4}}, "", [](List x) { return vecmat(x[0], x[1]); });
}
static void tensordots(CaseList &list) {
  several(list, "2x3x4,4x3x2", {{2, 3, 4}, {4, 3, 2}}, "",
          [](List x) { return tensordot(x[0], x[1], {2, 1}, {0, 1}); });
  const Dtype t = list.dtype(), wide = wideOf(t);
  list.plain(
      "2x3x4,4x3x2 wide", {{t, {2, 3, 4}}, {t, {4, 3, 2}}},
      [=](List x) { return std::vector{tensordot(x[0], x[1], {2, 1}, {0, 1}, wide)}; }, wantedText(wide));
}
static void vecdots(CaseList &list) {
  several(list, "2x3,3", {{2, 3}, {3}}, "", [](List x) { return vecdot(x[0], x[1]); });
}
static void outers(CaseList &list) {
  several(list, "2,3", {{2}, {3}}, "", [](List x) { return outer(x[0], x[1]); });
}
static void inners(CaseList &list) {
  several(list, "2x3,4x3", {{2, 3}, {4, 3}}, "", [](List x) { return inner(x[0], x[1]); });
}
static void dots(CaseList &list) {
  several(list, "2x3,4x3x2", {{2, 3}, {4, 3, 2}}, "", [](List x) { return dot(x[0], x[1]); });
}
static void krons(CaseList &list) {
  several(list, "2x3,2", {{2, 3}, {2}}, "", [](List x) { return kron(x[0], x[1]); });
}
static void crosses(CaseList &list) {
  several(list, "2x3,3", {{2, 3}, {3}}, "", [](List x) { return cross(x[0], x[1]); });
}
static void traces(CaseList &list) {
  one(list, {3, 4}, "", [](const Array &x) { return trace(x, 1); });
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static void putsAlong(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("3x7", {{t, {3, 7}}, {Dtype::i32, {3, 4}, Fill::indices}, {t, {3, 1}}},
           [](List x) { return std::vector{put_along_axis(x[0], x[1], x[2])}; });
}
static void compressions(CaseList &list) {
  one(list, {2, 3}, "", [](const Array &x) { return compress(Array{true, false, true}, x, 1); });
}
static void selections(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2x3", {{Dtype::bool_, {2, 3}}, {Dtype::bool_, {3}}, {t, {2, 3}}, {t, {3}}},
           [](List x) { return std::vector{select({x[0], x[1]}, {x[2], x[3]})}; });
}
static void choices(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("3 of 2x3,3", {{Dtype::bool_, {3}}, {t, {2, 3}}, {t, {3}}},
           [](List x) { return std::vector{choose(astype(x[0], Dtype::i32), {x[1], x[2]})}; });
}
static void unravelled(CaseList &list) {
  list.all("2x4 of 2x3", {{list.dtype(), {2, 4}, Fill::indices}}, [](List x) { return unravel_index(x[0], {2, 3}); });
}
static void ravelledIndices(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("4,2x1 of 7x8", {{t, {4}, Fill::indices}, {t, {2, 1}, Fill::indices}},
           [](List x) { return std::vector{ravel_multi_index(x, {7, 8})}; });
}
template <Array (*function)(const Operand &, const Operand &, Dim)>
static void segments(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("9x2", {{t, {9, 2}, Fill::distinct}, {Dtype::i64, {9}, Fill::indices}},
           [](List x) { return std::vector{function(x[0], x[1], 5)}; });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static void polynomials(CaseList &list) {
  several(list, "3,2x2", {{3}, {2, 2}}, "", [](List x) { return polyval(x[0], x[1]); });
}
static void interpolations(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("4 in 3", {{t, {4}, Fill::unit}, {t, {3}}},
           [t](List x) { return std::vector{interp(x[0], astype(Array{-0.625f, 0.1875f, 0.8125f}, t), x[1])}; });
}
static void gradients(CaseList &list) {
  one(list, {3, 4}, "", [](const Array &x) { return gradient(x, 0.5); }, true);
}
static void trapezoids(CaseList &list) {
  several(list, "2x4,4", {{2, 4}, {4}}, "", [](List x) { return trapezoid(x[0], x[1]); });
}
static void runningTrapezoids(CaseList &list) {
  several(list, "2x4,4", {{2, 4}, {4}}, "", [](List x) { return cumulative_trapezoid(x[0], {.x = x[1]}); });
  several(list, "2x4,4 initial", {{2, 4}, {4}}, "\"initial\": 3",
          [](List x) { return cumulative_trapezoid(x[0], {.x = x[1], .initial = 3}); });
}
static void covariances(CaseList &list) {
  several(list, "2x4", {{2, 4}}, "", [](List x) { return cov(x[0]); });
}
static void correlations(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2x4", {{t, {2, 4}, Fill::distinct}}, [](List x) { return std::vector{corrcoef(x[0])}; });
}
static void globalNorms(CaseList &list) {
  several(list, "2x3,2", {{2, 3}, {2}}, "", [](List x) { return global_norm(x); });
}
static void clippedNorms(CaseList &list) {
  several(list, "2x3", {{2, 3}}, "", [](List x) { return clip_by_norm(x[0], 0.75); });
}

static const OpCases table[] = {
    {"expand_dims", expandedDims},
    {"squeeze", squeezed},
    {"flip", flips},
    {"moveaxis", movedAxes},
    {"swapaxes", swappedAxes},
    {"permute_dims", permutedDims},
    {"matrix_transpose", matrixTransposes},
    {"rot90", quarterTurns},
    {"diagonal", diagonals},
    {"broadcast_arrays", broadcastsOfSeveral},
    {"ravel", ravels},
    {"flatten", flattened},
    {"atleast_1d", atLeast1},
    {"atleast_2d", atLeast2},
    {"atleast_3d", atLeast3},
    {"concat", concats},
    {"stack", stacks},
    {"unstack", unstacks},
    {"vstack", rows},
    {"hstack", columns},
    {"roll", rolls},
    {"repeat", repeats},
    {"tile", tiles},
    {"pad_mode", paddings},
    {"empty", empties},
    {"empty_like", emptyLikes},
    {"asarray", asArrays},
    {"eye", eyes},
    {"identity", identities},
    {"iota", iotas},
    {"indices", indexGrids},
    {"linspace", linspaces},
    {"logspace", logspaces},
    {"geomspace", geomspaces},
    {"meshgrid", grids},
    {"tril", lowerTriangles},
    {"triu", upperTriangles},
    {"diag", diags},
    {"matmul", matmuls},
    {"einsum", einsums},
    {"multi_dot", multiDots},
    {"matvec", matvecs},
    {"vecmat", vecmats},
    {"tensordot", tensordots},
    {"vecdot", vecdots},
    {"outer", outers},
    {"inner", inners},
    {"dot", dots},
    {"kron", krons},
    {"cross", crosses},
    {"trace", traces},
    {"put_along_axis", putsAlong},
    {"compress", compressions},
    {"select", selections},
    {"choose", choices},
    {"unravel_index", unravelled},
    {"ravel_multi_index", ravelledIndices},
    {"segment_sum", segments<segment_sum>},
    {"segment_prod", segments<segment_prod>},
    {"segment_max", segments<segment_max>},
    {"segment_min", segments<segment_min>},
    {"polyval", polynomials},
    {"interp", interpolations},
    {"gradient", gradients},
    {"trapezoid", trapezoids},
    {"cumulative_trapezoid", runningTrapezoids},
    {"cov", covariances},
    {"corrcoef", correlations},
    {"global_norm", globalNorms},
    {"clip_by_norm", clippedNorms},
};
std::span<const OpCases> shapingCases() { return table; }

} // namespace tenon::conformance
