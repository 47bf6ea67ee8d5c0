//===- ControlCases.cpp - calls, branches and loops -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/control.h>
#include <tenon/jit.h>
#include <tenon/ops.h>
#include <tenon/rules.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;

// The bodies' arithmetic. For dtypes that only store numbers they return an operand.
static Array times(const Array &a, const Array &b) {
  return is_storage(a.dtype()) ? broadcast_to(b, a.shape()) : a * b;
}
static Array plus(const Array &a, const Array &b) { return is_storage(a.dtype()) ? a : a + b; }

static void calls(CaseList &list) {
  Dtype t = list.dtype();
  list.all("3x4", {{t, {3, 4}}, {t, {4}}}, [inner = jit([](Array x, Array y) {
                                              return plus(times(x, y), x);
                                            })](List x) { return std::vector{inner(x[0], x[1])}; });
}

static void composites(CaseList &list) {
  Dtype t = list.dtype();
  auto f = [](Array x, Array y) { return plus(times(x, y), x); };
  list.all("3x4", {{t, {3, 4}}, {t, {4}}}, [f = composite("f", f)](List x) { return std::vector{f(x[0], x[1])}; });
  // A user's composite of this name is not the softmax that has a kernel and rules.
  list.all("softmax", {{t, {3, 4}}, {t, {4}}},
           [f = composite("softmax", f)](List x) { return std::vector{f(x[0], x[1])}; });
  list.all("captured and nested", {{t, {2, 3}}, {t, {}}}, [](List x) {
    auto inner = composite("inner", [](Array a, Array b) { return times(a, b); });
    return std::vector{composite("outer", [&](Array a) { return plus(inner(a, x[1]), a); })(x[0])};
  });
}

// Custom rules that are the true derivatives. Dtypes without a derivative never call them.
static void rulesOfCotangents(CaseList &list) {
  Dtype t = list.dtype();
  auto f = custom_gradient("f", [](const Array &x, const Array &y) {
    return with_grad(plus(times(x, y), x), [=](const Array &d) {
      return is_storage(x.dtype()) ? std::tuple(d, d) : std::tuple(d * y + d, d * x);
    });
  });
  Function call = [f](List x) { return std::vector{f(x[0], x[1])}; };
  list.all("3x4", {{t, {3, 4}}, {t, {3, 4}}}, call).noJvp = "its reverse-mode rule does not define forward mode";
  list.all("captured", {{t, {2, 3}}, {t, {2, 3}}},
           [f](List x) {
             const Array one = ones({}, f32);
             return std::vector{custom_vjp(
                 "g", [&](const Array &x, const Array &y) { return f(x, y); },
                 [&](const Array &x, const Array &y) { return std::pair(f(x, y), std::tuple(x, y, one)); },
                 [](const std::tuple<Array, Array, Array> &kept, const Array &d) {
                   const auto &[x, y, one] = kept;
                   if (is_storage(x.dtype()))
                     return std::tuple(d, d);
                   return std::tuple(astype((d * y + d) * one, d.dtype()), d * x);
                 })(x[0], x[1])};
           })
      .noJvp = "its reverse-mode rule does not define forward mode";
}

static void rulesOfTangents(CaseList &list) {
  using Two = std::tuple<Array, Array>;
  Dtype t = list.dtype();
  auto f = custom_jvp(
      "f", [](const Array &x, const Array &y) { return plus(times(x, y), x); },
      [](const Two &x, const Two &dx) {
        const auto &[a, b] = x;
        const auto &[da, db] = dx;
        const bool moves = a.dtype() == da.dtype(); // else they are f32 zeros
        return std::pair(plus(times(a, b), a), moves ? da * b + a * db + da : da);
      });
  list.all("3x4", {{t, {3, 4}}, {t, {3, 4}}}, [f](List x) { return std::vector{f(x[0], x[1])}; });
}

static void checkpoints(CaseList &list) {
  Dtype t = list.dtype();
  list.all("3x4", {{t, {3, 4}}, {t, {4}}}, [f = checkpoint([](const Array &x, const Array &y) {
                                              return plus(times(x, y), x);
                                            })](List x) { return std::vector{f(x[0], x[1])}; });
  list.all("named, captured and nested", {{t, {2, 3}}, {t, {}}}, [](List x) {
    auto inner = checkpoint([](Array a, Array b) { return checkpoint_name(times(a, b), "product"); });
    auto outer = checkpoint([&](Array a) { return plus(inner(a, x[1]), a); }, {.names = {"product"}});
    return std::vector{outer(x[0])};
  });
}

static void branches(CaseList &list) {
  Dtype t = list.dtype();
  Function f = [](List x) { return std::vector{cond(x[0], times, plus, x[1], x[2])}; };
  // Two inputs of the predicate, so that both branches are taken.
  list.all("3", {{Dtype::bool_, {}}, {t, {3}}, {t, {3}}}, f).mapped = {false, true, true};
  list.all("2x2 and a mapped predicate", {{Dtype::bool_, {}}, {t, {2, 2}}, {t, {}}},
           [](List x) { return std::vector{cond(x[0], times, plus, x[1], x[2])}; });
}

static void choices(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, int64_t from, bool isMapped) {
    Function f = [from](List x) {
      return std::vector{switch_case(x[0] + from, times, plus, [](Array a, Array) { return a; }, x[1], x[2])};
    };
    // The index is -1; mapped it is -1, 0, 1.
    list.all(label, {{Dtype::i64, {}, Fill::indices}, {t, {3}}, {t, {3}}}, f, format("\"from\": {}", from)).mapped = {
        isMapped, true, true};
  };
  add("below", -7, false);
  add("first", 1, false);
  add("second", 2, false);
  add("last", 3, false);
  add("above", 9, false);
  add("mapped from below", 0, true);
  add("mapped to above", 2, true);
}

static void scans(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, Input carry, Input rows, Input captured, bool reverse, bool isForAll) {
    Function f = [reverse](List x) {
      auto [last, all] =
          scan([&](Array c,
                   Array row) { return std::pair(plus(times(c, row), x[2]), plus(plus(times(c, row), x[2]), row)); },
               x[0], x[1], {.reverse = reverse});
      return std::vector{last, all};
    };
    Case &made = list.plain(label, {carry, rows, captured}, f, format("\"reverse\": {}", reverse ? "true" : "false"));
    made.allColumns = isForAll;
    made.mapped = {true, true, false};
  };
  add("4x3", {t, {3}}, {t, {4, 3}}, {t, {}}, false, true);
  add("3x2 backwards", {t, {2}}, {t, {3, 2}}, {t, {2}}, true, true);
  add("0x2", {t, {2}}, {t, {0, 2}}, {t, {2}}, false, false);
  add("5x4-transposed", {t, {4}}, {t, {5, 4}, Fill::normal, Layout::transposed}, {t, {}}, false, false);
}

static void loops(CaseList &list) {
  Dtype t = list.dtype();
  auto add = [&](std::string label, int rounds, bool isForAll) {
    Function f = [rounds](List x) {
      auto [last, count] =
          while_loop([&](std::pair<Array, Array> at) { return at.second < rounds; },
                     [&](std::pair<Array, Array> at) {
                       return std::pair<Array, Array>(plus(times(at.first, x[1]), at.first), at.second + 1);
                     },
                     std::pair<Array, Array>(x[0], zeros({}, Dtype::i32)));
      return std::vector{last, count};
    };
    list.plain(label, {{t, {3}}, {t, {3}}}, f, format("\"rounds\": {}", rounds)).allColumns = isForAll;
  };
  add("3 rounds", 3, true);
  add("no round", 0, false);
}

static const OpCases table[] = {
    {"call", calls},    {"checkpoint", checkpoints},     {"composite", composites},
    {"cond", branches}, {"custom_jvp", rulesOfTangents}, {"custom_vjp", rulesOfCotangents},
    {"scan", scans},    {"switch_case", choices},        {"while_loop", loops},
};
std::span<const OpCases> controlCases() { return table; }

} // namespace tenon::conformance
