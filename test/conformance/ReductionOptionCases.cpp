//===- ReductionOptionCases.cpp - cases of reductions with dtype, initial and where ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

/// Of the last axis: all but the elements 1, 4, 7, ...
static Array maskOf(const Array &x) { return arange(x.shape()[-1]) % 3 != 1; }

static std::string over(const char *axes, bool keepdims, const char *options) {
  return format("\"axes\": {}, \"keepdims\": {}, \"named\": true{}", axes, keepdims ? "true" : "false", options);
}

template <Array (*op)(const Operand &, const SumOptions &)>
static void totals(CaseList &list, Fill fill) {
  const Dtype t = list.dtype();
  list.all(
      "3x5 over 1 where", {{t, {3, 5}, fill}},
      [](List x) { return std::vector{op(x[0], {.axis = 1, .where = maskOf(x[0])})}; },
      over("[1]", false, ", \"where\": true"));
  list.all(
      "4x3 over 0 kept initial where", {{t, {4, 3}, fill}},
      [](List x) { return std::vector{op(x[0], {.axis = 0, .keepdims = true, .initial = 2, .where = maskOf(x[0])})}; },
      over("[0]", true, ", \"where\": true, \"initial\": 2"));
  list.plain(
      "4x3 as f64", {{t, {4, 3}, fill}}, [](List x) { return std::vector{op(x[0], {.dtype = f64, .initial = 0.5})}; },
      over("[0, 1]", false, ", \"dtype\": \"f64\", \"initial\": 0.5"));
  list.plain(
      "0x3 initial", {{t, {0, 3}, fill}}, [](List x) { return std::vector{op(x[0], {.axis = 0, .initial = 1})}; },
      over("[0]", false, ", \"initial\": 1"));
  if (kind(t) <= Kind::integer)
    list.plain(
        "4x3 as u8", {{t, {4, 3}, Fill::wide}}, [](List x) { return std::vector{op(x[0], {.axis = 1, .dtype = u8})}; },
        over("[1]", false, ", \"dtype\": \"u8\""));
}
void sumsByName(CaseList &list) { totals<sum>(list, Fill::normal); }
void productsByName(CaseList &list) { totals<prod>(list, Fill::nonzero); }

template <Array (*op)(const Operand &, const ExtremumOptions &)>
static void extrema(CaseList &list) {
  const Dtype t = list.dtype();
  // Not one of the elements: a kink of the derivative.
  const bool isReal = list.isFloating();
  const Scalar initial = isReal ? Scalar(0.03125) : Scalar(true);
  const char *const text = isReal ? "0.03125" : "1";
  list.all(
      "3x5 over 1 where", {{t, {3, 5}, Fill::distinct}},
      [=](List x) { return std::vector{op(x[0], {.axis = 1, .initial = initial, .where = maskOf(x[0])})}; },
      over("[1]", false, format(", \"where\": true, \"initial\": {}", text).c_str()));
  list.plain(
      "4x3 over 0 kept initial", {{t, {4, 3}, Fill::distinct}},
      [=](List x) { return std::vector{op(x[0], {.axis = 0, .keepdims = true, .initial = initial})}; },
      over("[0]", true, format(", \"initial\": {}", text).c_str()));
  list.plain(
      "0x3 over 0", {{t, {0, 3}}}, [=](List x) { return std::vector{op(x[0], {.axis = 0, .initial = initial})}; },
      over("[0]", false, format(", \"initial\": {}", text).c_str()));
}
void maximaByName(CaseList &list) { extrema<max>(list); }
void minimaByName(CaseList &list) { extrema<min>(list); }

template <Array (*op)(const Operand &, const QuantifierOptions &)>
static void truths(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "6x5 over 1 where", {{t, {6, 5}, Fill::ties}},
      [](List x) { return std::vector{op(x[0], {.axis = 1, .where = maskOf(x[0])})}; },
      over("[1]", false, ", \"where\": true"));
}
void anyByName(CaseList &list) { truths<any>(list); }
void allByName(CaseList &list) { truths<all>(list); }

void meansByName(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "3x5 over 1 where", {{t, {3, 5}}},
      [](List x) { return std::vector{mean(x[0], {.axis = 1, .where = maskOf(x[0])})}; },
      over("[1]", false, ", \"where\": true"));
  list.plain(
      "4x3 as f64", {{t, {4, 3}}}, [](List x) { return std::vector{mean(x[0], {.axis = 0, .dtype = f64})}; },
      over("[0]", false, ", \"dtype\": \"f64\""));
}

template <Array (*op)(const Operand &, const SpreadOptions &)>
static void spreads(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "3x5 over 1 where", {{t, {3, 5}, Fill::distinct}},
      [](List x) { return std::vector{op(x[0], {.axis = 1, .correction = 1, .where = maskOf(x[0])})}; },
      over("[1]", false, ", \"correction\": 1, \"nan\": false, \"where\": true"));
  list.plain(
      "4x3 as f64", {{t, {4, 3}, Fill::distinct}},
      [](List x) { return std::vector{op(x[0], {.axis = 0, .keepdims = true, .dtype = f64})}; },
      over("[0]", true, ", \"correction\": 0, \"nan\": false, \"dtype\": \"f64\""));
}
void variancesByName(CaseList &list) { spreads<var>(list); }
void deviationsByName(CaseList &list) { spreads<tenon::std>(list); }

} // namespace tenon::conformance
