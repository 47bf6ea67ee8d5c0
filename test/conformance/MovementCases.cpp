//===- MovementCases.cpp - ops that move elements, and ops that create arrays -------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

static void reshapes(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input from, Dims to, std::string text, bool isForAll) {
    list.plain(
            label, {from}, [to](List x) { return std::vector{reshape(x[0], Shape(to))}; }, "\"shape\": " + text)
        .allColumns = isForAll;
  };
  add("3x4 to 2x6", {t, {3, 4}}, {2, 6}, "[2, 6]", true);
  add("3x4 to 12", {t, {3, 4}}, {-1}, "[-1]", true);
  add("6 to 1x6x1", {t, {6}}, {1, 6, 1}, "[1, 6, 1]", false);
  add("1 to scalar", {t, {1}}, {}, "[]", false);
  add("0x3 to 5x0", {t, {0, 3}}, {5, 0}, "[5, 0]", false);
  add("4x6-transposed to 3x8", {t, {4, 6}, Fill::normal, Layout::transposed}, {3, 8}, "[3, 8]", false);
  add("2x3x4-reversed to 6x4", {t, {2, 3, 4}, Fill::normal, Layout::reversed}, {6, 4}, "[6, 4]", false);
  add("special", {t, {16}, Fill::special}, {4, 4}, "[4, 4]", false);
}

static void broadcasts(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input from, Dims to, std::string text, bool isForAll) {
    list.plain(
            label, {from}, [to](List x) { return std::vector{broadcast_to(x[0], Shape(to))}; }, "\"shape\": " + text)
        .allColumns = isForAll;
  };
  add("3 to 2x3", {t, {3}}, {2, 3}, "[2, 3]", true);
  add("2x1 to 4x2x3", {t, {2, 1}}, {4, 2, 3}, "[4, 2, 3]", true);
  add("scalar to 5", {t, {}}, {5}, "[5]", false);
  add("1 to 0", {t, {1}}, {0}, "[0]", false);
  add("4x3-transposed to 2x4x3", {t, {4, 3}, Fill::normal, Layout::transposed}, {2, 4, 3}, "[2, 4, 3]", false);
}

static void transposes(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input from, Dims order, std::string text, bool isForAll) {
    list.plain(
            label, {from}, [order](List x) { return std::vector{transpose(x[0], Ints(order))}; },
            "\"permutation\": " + text)
        .allColumns = isForAll;
  };
  add("3x4", {t, {3, 4}}, {1, 0}, "[1, 0]", true);
  add("2x3x4 by 201", {t, {2, 3, 4}}, {2, 0, 1}, "[2, 0, 1]", true);
  add("scalar", {t, {}}, {}, "[]", false);
  add("0x3", {t, {0, 3}}, {1, 0}, "[1, 0]", false);
  add("33x65-strided", {t, {33, 65}, Fill::normal, Layout::strided}, {1, 0}, "[1, 0]", false);
  add("2x3x4x5-reversed by 3120", {t, {2, 3, 4, 5}, Fill::normal, Layout::reversed}, {3, 1, 2, 0}, "[3, 1, 2, 0]",
      false);
}

static void slices(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input from, Dims starts, Dims stops, Dims steps, std::string text, bool isForAll) {
    list.plain(
            label, {from}, [=](List x) { return std::vector{slice(x[0], Shape(starts), Shape(stops), Ints(steps))}; },
            text)
        .allColumns = isForAll;
  };
  add("5x6", {t, {5, 6}}, {1, 2}, {4, 6}, {1, 1}, "\"starts\": [1, 2], \"stops\": [4, 6], \"steps\": [1, 1]", true);
  add("7 by 3", {t, {7}}, {1}, {7}, {3}, "\"starts\": [1], \"stops\": [7], \"steps\": [3]", true);
  add("4x5 backwards", {t, {4, 5}}, {3, 4}, {-1, 0}, {-2, -1},
      "\"starts\": [3, 4], \"stops\": [null, 0], \"steps\": [-2, -1]", true);
  add("4 to none", {t, {4}}, {2}, {2}, {1}, "\"starts\": [2], \"stops\": [2], \"steps\": [1]", false);
  add("6x4-transposed", {t, {6, 4}, Fill::normal, Layout::transposed}, {0, 1}, {6, 4}, {2, 2},
      "\"starts\": [0, 1], \"stops\": [6, 4], \"steps\": [2, 2]", false);
}

static void pads(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input from, Dims low, Dims high, Dims interior, std::string text, bool isForAll) {
    Case &made = list.plain(
        label, {from, {t, {}}},
        [=](List x) { return std::vector{pad(x[0], x[1], Shape(low), Shape(high), Ints(interior))}; }, text);
    made.allColumns = isForAll;
    made.mapped = {true, false};
  };
  add("2x3", {t, {2, 3}}, {1, 0}, {2, 1}, {0, 0}, "\"low\": [1, 0], \"high\": [2, 1], \"interior\": [0, 0]", true);
  add("4 interior", {t, {4}}, {1}, {2}, {2}, "\"low\": [1], \"high\": [2], \"interior\": [2]", true);
  add("2x3-transposed", {t, {2, 3}, Fill::normal, Layout::transposed}, {0, 2}, {1, 0}, {1, 0},
      "\"low\": [0, 2], \"high\": [1, 0], \"interior\": [1, 0]", false);
  add("0x2", {t, {0, 2}}, {2, 0}, {1, 0}, {0, 0}, "\"low\": [2, 0], \"high\": [1, 0], \"interior\": [0, 0]", false);
  add("3x4 cropped", {t, {3, 4}}, {-1, 2}, {1, -3}, {1, 0}, "\"low\": [-1, 2], \"high\": [1, -3], \"interior\": [1, 0]",
      true);
  list.all(
      "3 by a mapped value", {{t, {3}}, {t, {}}},
      [](List x) { return std::vector{pad(x[0], x[1], Shape{1}, Shape{1})}; },
      "\"low\": [1], \"high\": [1], \"interior\": [0]");
}

static void concatenations(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, std::vector<Input> inputs, int axis, bool isForAll) {
    list.plain(
            label, std::move(inputs), [axis](List x) { return std::vector{concatenate(x, axis)}; },
            format("\"axis\": {}", axis))
        .allColumns = isForAll;
  };
  add("2x3,1x3", {{t, {2, 3}}, {t, {1, 3}}}, 0, true);
  add("2x3,2x1,2x2 over 1", {{t, {2, 3}}, {t, {2, 1}}, {t, {2, 2}}}, 1, true);
  add("5", {{t, {5}}}, 0, false);
  add("0x3,4x3", {{t, {0, 3}}, {t, {4, 3}}}, 0, false);
  add("3x4-transposed,3x4-reversed over -1",
      {{t, {3, 4}, Fill::normal, Layout::transposed}, {t, {3, 4}, Fill::normal, Layout::reversed}}, -1, false);
}

static void splits(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input from, Dims sizes, int axis, std::string text, bool isForAll) {
    list.plain(
            label, {from}, [=](List x) { return split(x[0], Shape(sizes), axis); },
            format("\"sizes\": {}, \"axis\": {}", text, axis))
        .allColumns = isForAll;
  };
  add("6", {t, {6}}, {1, 2, 3}, 0, "[1, 2, 3]", true);
  add("2x5 over 1", {t, {2, 5}}, {3, 2}, 1, "[3, 2]", true);
  add("4x3 with none", {t, {4, 3}}, {0, 4}, 0, "[0, 4]", false);
  add("4x5-transposed over -1", {t, {4, 5}, Fill::normal, Layout::transposed}, {2, 3}, -1, "[2, 3]", false);
}

//===----------------------------------------------------------------------===//
// Creation: these functions take no array. The case's operand only gives vmap its axis; the cell tests that a result
// without a batch is repeated.
//===----------------------------------------------------------------------===//

static void fulls(CaseList &list) {
  Dtype t = list.dtype();
  list.all(
      "2x3", {}, [t](List) { return std::vector{full({2, 3}, t == Dtype::bool_ ? Scalar(true) : Scalar(7), t)}; },
      "\"shape\": [2, 3], \"value\": 7");
  list.plain(
      "scalar", {}, [t](List) { return std::vector{full({}, t == Dtype::bool_ ? Scalar(true) : Scalar(1), t)}; },
      "\"shape\": [], \"value\": 1");
  list.plain(
      "0x2", {}, [t](List) { return std::vector{full({0, 2}, t == Dtype::bool_ ? Scalar(true) : Scalar(1), t)}; },
      "\"shape\": [0, 2], \"value\": 1");
}
static void allZeros(CaseList &list) {
  Dtype t = list.dtype();
  list.all("2x3", {}, [t](List) { return std::vector{zeros({2, 3}, t)}; }, "\"shape\": [2, 3]");
}
static void allOnes(CaseList &list) {
  Dtype t = list.dtype();
  list.all("2x3", {}, [t](List) { return std::vector{ones({2, 3}, t)}; }, "\"shape\": [2, 3]");
}
static void likes(CaseList &list, Array (*make)(const Operand &), std::string attributes) {
  Dtype t = list.dtype();
  Function f = [make](List x) { return std::vector{make(x[0])}; };
  list.all("2x3", {{t, {2, 3}}}, f, attributes);
  list.plain("4x3-transposed", {{t, {4, 3}, Fill::normal, Layout::transposed}}, f, attributes);
  list.plain("0x2", {{t, {0, 2}}}, f, attributes);
}
static void fullLikes(CaseList &list) {
  likes(list, [](const Operand &x) { return full_like(x, true); }, "\"value\": 1");
}
static void zerosLikes(CaseList &list) {
  likes(list, [](const Operand &x) { return zeros_like(x); }, "");
}
static void onesLikes(CaseList &list) {
  likes(list, [](const Operand &x) { return ones_like(x); }, "");
}
static void ranges(CaseList &list) {
  Dtype t = list.dtype();
  list.all(
      "10", {}, [t](List) { return std::vector{arange(10, {}, 1, t)}; }, "\"start\": 0, \"step\": 1, \"length\": 10");
  list.plain(
      "3 to 20 by 4", {}, [t](List) { return std::vector{arange(3, 20, 4, t)}; },
      "\"start\": 3, \"step\": 4, \"length\": 5");
  list.plain(
      "none", {}, [t](List) { return std::vector{arange(0, {}, 1, t)}; }, "\"start\": 0, \"step\": 1, \"length\": 0");
  list.plain(
      "20 down to 3", {}, [t](List) { return std::vector{arange(20, 3, -1, t)}; },
      "\"start\": 20, \"step\": -1, \"length\": 17");
  if (list.isFloating())
    list.plain(
        "tenths", {}, [t](List) { return std::vector{arange(0.1, 5, 0.1, t)}; },
        "\"start\": 0.1, \"step\": 0.1, \"length\": 49");
}
static void dimensions(CaseList &list) {
  Dtype t = list.dtype();
  list.all("3x5 of 1", {{t, {3, 5}}}, [](List x) { return std::vector{dimension(x[0], 1)}; }, "\"axis\": 1");
  list.plain("0x2 of 0", {{t, {0, 2}}}, [](List x) { return std::vector{dimension(x[0], 0)}; }, "\"axis\": 0");
}
static void oneHots(CaseList &list) {
  Dtype t = list.dtype();
  list.all(
      "5", {{t, {5}, Fill::indices}}, [](List x) { return std::vector{one_hot(x[0], 4)}; },
      "\"classes\": 4, \"dtype\": \"f32\"");
  list.plain(
      "2x4 as i32", {{t, {2, 4}, Fill::indices}}, [](List x) { return std::vector{one_hot(x[0], 6, Dtype::i32)}; },
      "\"classes\": 6, \"dtype\": \"i32\"");
}

static const OpCases table[] = {
    {"reshape", reshapes},
    {"broadcast_to", broadcasts},
    {"transpose", transposes},
    {"slice", slices},
    {"pad", pads},
    {"concatenate", concatenations},
    {"split", splits},
    {"full", fulls},
    {"zeros", allZeros},
    {"ones", allOnes},
    {"full_like", fullLikes},
    {"zeros_like", zerosLikes},
    {"ones_like", onesLikes},
    {"arange", ranges},
    {"dimension", dimensions},
    {"one_hot", oneHots},
};
std::span<const OpCases> movementCases() { return table; }

} // namespace tenon::conformance
