//===- CompositeCases.cpp - elementwise functions that are composed of ops -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops inside have rows of their own, so a function has one case with derivatives and one of special values.
//===----------------------------------------------------------------------===//
#include "test/conformance/Case.h"

#include <tenon/ops.h>

namespace tenon::conformance {

using Unary = Array (*)(const Operand &);
using Binary = Array (*)(const Operand &, const Operand &);
using List = const std::vector<Array> &;

template <Unary op, Fill fill = Fill::distinct>
static void unary(CaseList &list) {
  Function f = [](List x) { return std::vector{op(x[0])}; };
  list.all("2x3", {{list.dtype(), {2, 3}, fill}}, f);
  list.plain("special", {{list.dtype(), {48}, Fill::special}}, f);
}

template <Binary op, Fill fill1, Fill fill2>
static void binary(CaseList &list) {
  const Dtype t = list.dtype();
  Function f = [](List x) { return std::vector{op(x[0], x[1])}; };
  list.all("2x1,3", {{t, {2, 1}, fill1}, {t, {3}, fill2}}, f).mapped = {true, false};
  list.plain("special", {{t, {16, 1}, Fill::special}, {t, {16}, Fill::special}}, f);
}

/// Multiples of 1/4 of [0.5, 2.5]: the product is exact.
static void logits(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3", {{t, {2, 3}, Fill::positive}}, [](List x) { return std::vector{logit(x[0] * 0.25f)}; }, "\"times\": 0.25");
  list.plain("special", {{t, {48}, Fill::special}}, [](List x) { return std::vector{logit(x[0])}; });
}

/// Both forms: by tanh and by erfc.
static void gelus(CaseList &list) {
  const Dtype t = list.dtype();
  for (const bool approximate : {true, false}) {
    const Function f = [approximate](List x) { return std::vector{gelu(x[0], approximate)}; };
    const std::string name = approximate ? "" : " exactly", attributes = approximate ? "" : "\"exactly\": 1";
    list.all("2x3" + name, {{t, {2, 3}, Fill::distinct}}, f, attributes);
    list.plain("special" + name, {{t, {48}, Fill::special}}, f, attributes);
  }
}

/// A function of an operand and a number.
template <Array (*op)(const Operand &, double), int hundredths>
static void withNumber(CaseList &list) {
  const Dtype t = list.dtype();
  Function f = [](List x) { return std::vector{op(x[0], hundredths / 100.0)}; };
  const std::string attributes = format("\"number\": {}", hundredths / 100.0);
  list.all("2x3", {{t, {2, 3}, Fill::distinct}}, f, attributes);
  list.plain("special", {{t, {48}, Fill::special}}, f, attributes);
}

/// Near 0: far from it, the rounding of pi * x changes the sine.
static void sincs(CaseList &list) {
  list.all("2x3", {{list.dtype(), {2, 3}}}, [](List x) { return std::vector{sinc(x[0])}; });
  list.plain(
      "60 near 0", {{list.dtype(), {60}, Fill::unit}}, [](List x) { return std::vector{sinc(x[0] * 0.25f)}; },
      "\"times\": 0.25");
}

static void numbersForNan(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2x3", {{t, {2, 3}}}, [](List x) { return std::vector{nan_to_num(x[0])}; });
  list.plain("special", {{t, {48}, Fill::special}}, [](List x) { return std::vector{nan_to_num(x[0])}; });
  if (list.isFloating())
    list.plain(
        "special, numbers", {{t, {48}, Fill::special}}, [](List x) { return std::vector{nan_to_num(x[0], 1, 2, -3)}; },
        "\"nan\": 1, \"posinf\": 2, \"neginf\": -3");
}

static void powersOfTwo(CaseList &list) {
  const Dtype t = list.dtype();
  Function f = [](List x) { return std::vector{ldexp(x[0], x[1])}; };
  list.all("2x3,3", {{t, {2, 3}, Fill::nonzero}, {Dtype::i32, {3}}}, f).mapped = {true, false};
  list.plain("special,i8", {{t, {16, 1}, Fill::special}, {Dtype::i8, {80}, Fill::wide}}, f);
  list.plain("wide,i16", {{t, {200}, Fill::wide}, {Dtype::i16, {200}, Fill::wide}}, f);
}

static void mantissas(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3", {{t, {2, 3}, Fill::nonzero}}, [](List x) { return std::vector{frexp(x[0]).mantissa}; }, "\"mantissa\": 1");
  const Function f = [](List x) {
    const MantissaExponent y = frexp(x[0]);
    return std::vector{y.mantissa, y.exponent};
  };
  list.plain("special", {{t, {48}, Fill::special}}, f);
  list.plain("wide", {{t, {500}, Fill::wide}}, f);
  list.plain("ties", {{t, {9}, Fill::ties}}, f);
}

static void betweens(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2x3,3,2x1", {{t, {2, 3}}, {t, {3}}, {t, {2, 1}}},
           [](List x) { return std::vector{lerp(x[0], x[1], x[2])}; });
}

static void closeness(CaseList &list) {
  const Dtype t = list.dtype();
  auto add = [&](std::string label, Input x1, Input x2, bool areEqual) {
    list.plain(
        std::move(label), {x1, x2}, [=](List x) { return std::vector{isclose(x[0], x[1], 0.25, 0.5, areEqual)}; },
        format("\"rtol\": 0.25, \"atol\": 0.5, \"equal_nan\": {}", areEqual ? "true" : "false"));
  };
  list.all(
      "2x3,3", {{t, {2, 3}}, {t, {3}}}, [](List x) { return std::vector{isclose(x[0], x[1], 0.25, 0.5)}; },
      "\"rtol\": 0.25, \"atol\": 0.5, \"equal_nan\": false");
  add("special", {t, {16, 1}, Fill::special}, {t, {16}, Fill::special}, false);
  add("special, equal NaN", {t, {16, 1}, Fill::special}, {t, {16}, Fill::special}, true);
}

static void allClose(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "2x3,3", {{t, {2, 3}}, {t, {3}}}, [](List x) { return std::vector{allclose(x[0], x[1], 0.5, 1)}; },
      "\"rtol\": 0.5, \"atol\": 1, \"equal_nan\": false");
}

/// Functions that one kernel computes in one pass must have the bits of the ops they are composed of: over all
/// exponents, with a size that is no multiple of a register, and with other layouts.
static void activations(CaseList &list) {
  const Dtype t = list.dtype();
  const std::pair<const char *, Function> functions[] = {
      {"sigmoid", [](List x) { return std::vector{sigmoid(x[0])}; }},
      {"log_sigmoid", [](List x) { return std::vector{log_sigmoid(x[0])}; }},
      {"silu", [](List x) { return std::vector{silu(x[0])}; }},
      {"gelu", [](List x) { return std::vector{gelu(x[0])}; }},
      {"gelu by erfc", [](List x) { return std::vector{gelu(x[0], false)}; }},
      {"mish", [](List x) { return std::vector{mish(x[0])}; }},
      {"elu", [](List x) { return std::vector{elu(x[0], 0.3)}; }},
      {"celu", [](List x) { return std::vector{celu(x[0], 0.7)}; }},
      {"selu", [](List x) { return std::vector{selu(x[0])}; }},
      {"leaky_relu", [](List x) { return std::vector{leaky_relu(x[0], 0.1)}; }},
      {"relu6", [](List x) { return std::vector{relu6(x[0])}; }},
      {"hard_tanh", [](List x) { return std::vector{hard_tanh(x[0])}; }},
      {"hard_sigmoid", [](List x) { return std::vector{hard_sigmoid(x[0])}; }},
      {"hard_swish", [](List x) { return std::vector{hard_swish(x[0])}; }},
      {"soft_sign", [](List x) { return std::vector{soft_sign(x[0])}; }},
  };
  for (const auto &[name, f] : functions) {
    list.plain("523 wide " + std::string(name), {{t, {523}, Fill::wide}}, f).referenceUlp = -1;
    list.plain("67x67 transposed " + std::string(name), {{t, {67, 67}, Fill::normal, Layout::transposed}}, f)
        .referenceUlp = -1;
    list.plain("special " + std::string(name), {{t, {48}, Fill::special}}, f).referenceUlp = -1;
    list.all("7 " + std::string(name), {{t, {7}, Fill::distinct}}, f).referenceUlp = -1;
  }
}

static const OpCases table[] = {
    {"activation", activations},
    {"sigmoid", unary<sigmoid>},
    {"logit", logits},
    {"softplus", unary<softplus>},
    {"log_sigmoid", unary<log_sigmoid>},
    {"log1mexp", unary<log1mexp, Fill::positive>},
    {"silu", unary<silu>},
    {"swish", unary<swish>},
    {"gelu", gelus},
    {"mish", unary<mish>},
    {"elu", withNumber<elu, 50>},
    {"celu", withNumber<celu, 200>},
    {"selu", unary<selu>},
    {"leaky_relu", withNumber<leaky_relu, 25>},
    {"relu6", unary<relu6>},
    {"hard_tanh", unary<hard_tanh>},
    {"hard_sigmoid", unary<hard_sigmoid>},
    {"hard_swish", unary<hard_swish>},
    {"hard_silu", unary<hard_silu>},
    {"soft_sign", unary<soft_sign>},
    {"softsign", unary<softsign>},
    {"sinc", sincs},
    {"deg2rad", unary<deg2rad>},
    {"rad2deg", unary<rad2deg>},
    {"nan_to_num", numbersForNan},
    {"xlogy", binary<xlogy, Fill::nonzero, Fill::positive>},
    {"xlog1py", binary<xlog1py, Fill::nonzero, Fill::positive>},
    {"logaddexp2", binary<logaddexp2, Fill::normal, Fill::normal>},
    {"heaviside", binary<heaviside, Fill::distinct, Fill::distinct>},
    {"ldexp", powersOfTwo},
    {"frexp", mantissas},
    {"lerp", betweens},
    {"isclose", closeness},
    {"allclose", allClose},
};
std::span<const OpCases> compositeCases() { return table; }

} // namespace tenon::conformance
