//===- ElementwiseCases.cpp - cases of elementwise ops and comparisons ------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Case.h"

#include <tenon/ops.h>
#include <tenon/transform.h>

namespace tenon::conformance {

using Unary = Array (*)(const Operand &);
using Binary = Array (*)(const Operand &, const Operand &);

static Function call(Unary op) {
  return [op](const std::vector<Array> &x) { return std::vector{op(x[0])}; };
}
static Function call(Binary op) {
  return [op](const std::vector<Array> &x) { return std::vector{op(x[0], x[1])}; };
}

/// Cases of one operand: a matrix in all columns, then other shapes, layouts and values.
template <Unary op, Fill smooth, Fill usual = smooth>
static void unary(CaseList &list) {
  Dtype t = list.dtype();
  Function f = call(op);
  list.all("3x5", {{t, {3, 5}, smooth}}, f);
  list.plain("scalar", {{t, {}, usual}}, f);
  list.plain("1037", {{t, {1037}, usual}}, f);
  list.plain("0x3", {{t, {0, 3}, usual}}, f);
  list.plain("2x3x4x5-transposed", {{t, {2, 3, 4, 5}, usual, Layout::transposed}}, f);
  list.plain("7x9-reversed", {{t, {7, 9}, usual, Layout::reversed}}, f);
  list.plain("5x6-strided", {{t, {5, 6}, usual, Layout::strided}}, f);
  list.plain("3x37-repeated", {{t, {3, 37}, usual, Layout::repeated}}, f);
  list.plain("special", {{t, {48}, Fill::special}}, f);
  list.plain("wide", {{t, {500}, Fill::wide}}, f);
}

/// Cases of two operands of one dtype.
template <Binary op, Fill smooth1, Fill smooth2 = smooth1>
static void binary(CaseList &list) {
  Dtype t = list.dtype();
  Function f = call(op);
  list.all("3x5", {{t, {3, 5}, smooth1}, {t, {3, 5}, smooth2}}, f);
  // Broadcast both ways; under vmap the second is the same for all examples.
  list.all("4x1,3", {{t, {4, 1}, smooth1}, {t, {3}, smooth2}}, f).mapped = {true, false};
  list.plain("scalar", {{t, {}, smooth1}, {t, {}, smooth2}}, f);
  list.plain("1037,scalar", {{t, {1037}, smooth1}, {t, {}, smooth2}}, f);
  list.plain("0x3,3", {{t, {0, 3}, smooth1}, {t, {3}, smooth2}}, f);
  list.plain("2x1x4x5-transposed,3x1x1", {{t, {2, 1, 4, 5}, smooth1, Layout::transposed}, {t, {3, 1, 1}, smooth2}}, f);
  list.plain("7x9-reversed,7x9-strided",
             {{t, {7, 9}, smooth1, Layout::reversed}, {t, {7, 9}, smooth2, Layout::strided}}, f);
  list.plain("special", {{t, {16, 1}, Fill::special}, {t, {16}, Fill::special}}, f);
  list.plain("wide", {{t, {500}, Fill::wide}, {t, {500}, Fill::wide}}, f);
}

template <Binary op>
static void comparison(CaseList &list) {
  binary<op, Fill::distinct, Fill::distinct>(list);
  Dtype t = list.dtype();
  list.plain("ties", {{t, {9, 11}, Fill::ties}, {t, {9, 11}, Fill::ties}}, call(op));
}

static void shifts(CaseList &list) {
  Dtype t = list.dtype();
  Function f = call(right_shift);
  list.all("3x5", {{t, {3, 5}, Fill::wide}, {t, {3, 5}, Fill::positive}}, f);
  list.plain("counts", {{t, {5, 1}, Fill::wide}, {t, {70}, Fill::counts}}, f);
  list.plain("special", {{t, {8, 1}, Fill::special}, {t, {8}, Fill::special}}, f);
}

/// A second name of another function: one case is enough.
template <Binary op>
static void otherName(CaseList &list) {
  list.all("3x5", {{list.dtype(), {3, 5}, Fill::wide}, {list.dtype(), {3, 5}, Fill::positive}}, call(op));
}

/// Divisors of all sizes; integers also 0 and -1.
template <Binary op>
static void division(CaseList &list) {
  if (list.isFloating())
    return binary<op, Fill::small, Fill::nonzero>(list); // finite differences do not meet a jump
  Dtype t = list.dtype();
  Function f = call(op);
  binary<op, Fill::wide, Fill::nonzero>(list);
  list.plain("small", {{t, {40, 1}, Fill::normal}, {t, {40}, Fill::normal}}, f);
  list.plain("counts", {{t, {16, 1}, Fill::special}, {t, {12}, Fill::counts}}, f);
}
static void divmods(CaseList &list) {
  const Dtype t = list.dtype();
  const Function f = [](const std::vector<Array> &x) {
    const DivMod both = divmod(x[0], x[1]);
    return std::vector{both.quotient, both.remainder};
  };
  const Fill fill = list.isFloating() ? Fill::small : Fill::wide; // finite differences do not meet a jump
  list.all("3x5", {{t, {3, 5}, fill}, {t, {3, 5}, Fill::nonzero}}, f);
  list.all("4x1,3", {{t, {4, 1}, fill}, {t, {3}, Fill::nonzero}}, f).mapped = {true, false};
  list.plain("special", {{t, {16, 1}, Fill::special}, {t, {16}, Fill::special}}, f);
}
template <Binary op>
static void commonDivisors(CaseList &list) {
  const Dtype t = list.dtype();
  const Function f = call(op);
  list.all("3x5", {{t, {3, 5}, Fill::wide}, {t, {3, 5}, Fill::wide}}, f);
  list.all("40x1,40", {{t, {40, 1}}, {t, {40}}}, f).mapped = {true, false};
  list.plain("special", {{t, {16, 1}, Fill::special}, {t, {16}, Fill::special}}, f);
  list.plain("0x3,3", {{t, {0, 3}}, {t, {3}}}, f);
}
static void leftShifts(CaseList &list) {
  Dtype t = list.dtype();
  Function f = call(left_shift);
  list.all("3x5", {{t, {3, 5}, Fill::wide}, {t, {3, 5}, Fill::positive}}, f);
  list.plain("counts", {{t, {5, 1}, Fill::wide}, {t, {70}, Fill::counts}}, f);
  list.plain("special", {{t, {8, 1}, Fill::special}, {t, {8}, Fill::special}}, f);
}
/// Halves, numbers near 2^23 and 2^52, and whole numbers.
template <Unary op>
static void roundings(CaseList &list) {
  unary<op, Fill::distinct>(list);
  Dtype t = list.dtype();
  Function f = [](const std::vector<Array> &x) { return std::vector{op(x[0] * 4)}; };
  list.plain("halves", {{t, {50}, Fill::distinct}}, f, "\"times\": 4");
}

/// Operands of at least 1, where acosh is defined.
static void inverseCosines(CaseList &list) {
  Dtype t = list.dtype();
  Function f = [](const std::vector<Array> &x) { return std::vector{acosh(x[0] + 1)}; };
  list.all("3x5", {{t, {3, 5}, Fill::positive}}, f, "\"plus\": 1");
  list.plain("1037", {{t, {1037}, Fill::positive}}, f, "\"plus\": 1");
  list.plain("special", {{t, {48}, Fill::special}}, call(acosh));
  list.plain("wide", {{t, {500}, Fill::wide}}, call(acosh));
}

/// Halves of [-0.9, 0.9], which are exact: there finite differences come near the derivative.
static void inverseTangents(CaseList &list) {
  Dtype t = list.dtype();
  Function f = [](const std::vector<Array> &x) { return std::vector{atanh(x[0] * 0.5f)}; };
  list.plain("3x5", {{t, {3, 5}, Fill::unit}}, f, "\"times\": 0.5").allColumns = list.isFloating();
  list.plain("1037", {{t, {1037}, Fill::unit}}, call(atanh));
  list.plain("special", {{t, {48}, Fill::special}}, call(atanh));
  list.plain("wide", {{t, {500}, Fill::wide}}, call(atanh));
}

static void selections(CaseList &list) {
  Dtype t = list.dtype();
  Function f = [](const std::vector<Array> &x) { return std::vector{where(x[0], x[1], x[2])}; };
  list.all("3x5", {{Dtype::bool_, {3, 5}}, {t, {3, 5}}, {t, {3, 5}}}, f);
  list.all("3x1,5,scalar", {{Dtype::bool_, {3, 1}}, {t, {5}}, {t, {}}}, f).mapped = {true, true, false};
  list.plain("special", {{Dtype::bool_, {16}}, {t, {16}, Fill::special}, {t, {16}}}, f);
  list.plain(
      "7x9-transposed",
      {{Dtype::bool_, {7, 9}, Fill::normal, Layout::transposed}, {t, {7, 9}, Fill::normal, Layout::reversed}, {t, {9}}},
      f);
  if (t != Dtype::bool_ && kind(t) != Kind::complex) // complex numbers have no truth value
    list.plain("numeric condition", {{t, {16}, Fill::special}, {t, {16}}, {t, {16}}}, f);
}

static void conversions(CaseList &list) {
  Dtype from = list.dtype();
  for (int code = 0; code < dtype_count; ++code) {
    Dtype to = static_cast<Dtype>(code);
    if (kind(from) == Kind::complex && kind(to) != Kind::complex)
      continue; // an error, see the must-fail tests
    Function f = [to](const std::vector<Array> &x) { return std::vector{astype(x[0], to)}; };
    std::string name(short_name(to)), attributes = format("\"dtype\": \"{}\"", name);
    bool isFloating = kind(to) == Kind::floating && !is_storage(to);
    Case &made = list.plain("3x5 to " + name, {{from, {3, 5}}}, f, attributes);
    made.allColumns = isFloating || from == to;
    list.plain("special to " + name, {{from, {48}, Fill::special}}, f, attributes);
    list.plain("wide to " + name, {{from, {300}, Fill::wide}}, f, attributes);
    if (kind(from) == Kind::integer && item_size(from) >= 4 && is_narrow(to))
      list.plain("middles to " + name, {{from, {500}, Fill::middles}}, f, attributes);
  }
}

static void fusedSums(CaseList &list) {
  const Dtype t = list.dtype();
  const Function f = [](const std::vector<Array> &x) { return std::vector{fma(x[0], x[1], x[2])}; };
  list.all("3x5", {{t, {3, 5}}, {t, {3, 5}}, {t, {3, 5}}}, f);
  list.all("4x1,3,4x3", {{t, {4, 1}}, {t, {3}}, {t, {4, 3}}}, f).mapped = {true, false, true};
  list.plain("special", {{t, {16, 1, 1}, Fill::special}, {t, {16, 1}, Fill::special}, {t, {16}, Fill::special}}, f);
  list.plain("wide", {{t, {500}, Fill::wide}, {t, {500}, Fill::wide}, {t, {500}, Fill::wide}}, f);
}

static void clips(CaseList &list) {
  Dtype t = list.dtype();
  list.all(
      "both", {{t, {5, 4}, Fill::distinct}}, [](const std::vector<Array> &x) { return std::vector{clip(x[0], 1, 5)}; },
      "\"lo\": 1, \"hi\": 5");
  list.all(
      "lo", {{t, {7}, Fill::distinct}}, [](const std::vector<Array> &x) { return std::vector{clip(x[0], 2)}; },
      "\"lo\": 2");
  list.all(
      "hi", {{t, {7}, Fill::distinct}}, [](const std::vector<Array> &x) { return std::vector{clip(x[0], none, 2)}; },
      "\"hi\": 2");
  list.all("arrays", {{t, {3, 4}, Fill::distinct}, {t, {4}, Fill::distinct}, {t, {3, 1}, Fill::distinct}},
           [](const std::vector<Array> &x) { return std::vector{clip(x[0], x[1], x[2])}; });
  list.plain(
      "special", {{t, {48}, Fill::special}}, [](const std::vector<Array> &x) { return std::vector{clip(x[0], 0, 1)}; },
      "\"lo\": 0, \"hi\": 1");
}

/// The incomplete gamma functions of operands in [0.5, 2.5].
template <Binary op>
static void incompleteGammas(CaseList &list) {
  const Dtype t = list.dtype();
  const Function f = call(op);
  // igamma_grad_a has no derivative.
  if (op != igamma_grad_a)
    list.all(
        "3x5 of x", {{t, {3, 5}, Fill::positive}},
        [](const std::vector<Array> &x) { return std::vector{op(1.5f, x[0])}; }, "\"first\": 1.5");
  list.plain("3x5", {{t, {3, 5}, Fill::positive}, {t, {3, 5}, Fill::positive}}, f);
  list.plain("1037,scalar", {{t, {1037}, Fill::positive}, {t, {}, Fill::positive}}, f);
  list.plain("0x3,3", {{t, {0, 3}, Fill::positive}, {t, {3}, Fill::positive}}, f);
  list.plain("7x9-reversed,7x9-strided",
             {{t, {7, 9}, Fill::positive, Layout::reversed}, {t, {7, 9}, Fill::positive, Layout::strided}}, f);
}

/// The cases with derivatives differentiate by the last operand; the others are numbers.
template <Array (*op)(const Operand &, const Operand &, const Operand &)>
static void betas(CaseList &list) {
  const Dtype t = list.dtype();
  if (op == betainc)
    list.all(
        "3x5", {{t, {3, 5}, Fill::positive}},
        [](const std::vector<Array> &x) { return std::vector{op(1.5, 2.5, x[0] * 0.25f)}; }, "\"a\": 1.5, \"b\": 2.5");
  list.plain("4x1,3,scalar", {{t, {4, 1}, Fill::positive}, {t, {3}, Fill::positive}, {t, {}, Fill::positive}},
             [](const std::vector<Array> &x) { return std::vector{op(x[0], x[1], x[2] * 0.25f)}; });
}
static void zetas(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "3x5", {{t, {3, 5}, Fill::positive}}, [](const std::vector<Array> &x) { return std::vector{zeta(2.5, x[0])}; },
      "\"first\": 2.5");
  list.plain(
      "1037,scalar", {{t, {1037}, Fill::positive}, {t, {}, Fill::positive}},
      [](const std::vector<Array> &x) { return std::vector{zeta(x[0] + 1.0f, x[1])}; }, "\"plus\": 1");
}
static void polygammas(CaseList &list) {
  const Dtype t = list.dtype();
  list.all(
      "3x5", {{t, {3, 5}, Fill::positive}}, [](const std::vector<Array> &x) { return std::vector{polygamma(2, x[0])}; },
      "\"first\": 2");
}

/// The row's op is the derivative of `op`.
template <Unary op, Fill fill>
static void slopes(CaseList &list) {
  const Dtype t = list.dtype();
  const Function f = [](const std::vector<Array> &x) {
    return std::vector{grad([](const Array &at) { return sum(op(at)); })(x[0])};
  };
  list.all("3x5", {{t, {3, 5}, fill}}, f);
  list.plain("1037", {{t, {1037}, fill}}, f);
  list.plain("0x3", {{t, {0, 3}, fill}}, f);
}
/// The row's op is the derivative of `op` by operand number `by`.
template <Binary op, Fill first, Fill second, int by>
static void slopesOfTwo(CaseList &list) {
  const Dtype t = list.dtype();
  const Function f = [](const std::vector<Array> &x) {
    return std::vector{grad<by>([](const Array &a, const Array &b) { return sum(op(a, b)); })(x[0], x[1])};
  };
  list.all("3x5", {{t, {3, 5}, first}, {t, {3, 5}, second}}, f);
  list.plain("1037", {{t, {1037}, first}, {t, {1037}, second}}, f);
  list.plain("0x3", {{t, {0, 3}, first}, {t, {0, 3}, second}}, f);
}
static void betaSlopes(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("3x5", {{t, {3, 5}, Fill::positive}, {t, {3, 5}, Fill::positive}, {t, {3, 5}, Fill::positive}},
           [](const std::vector<Array> &x) {
             auto f = [&](const Array &at) { return sum(betainc(x[0], x[1], at)); };
             return std::vector{grad(f)(x[2] * 0.25f)};
           });
}

static void inverseErrors(CaseList &list) {
  Dtype t = list.dtype();
  Function f = call(erf_inv);
  list.all("3x5", {{t, {3, 5}, Fill::unit}}, f);
  list.plain("1000", {{t, {1000}, Fill::unit}}, f);
  list.plain("special", {{t, {48}, Fill::special}}, f);
}

/// The cases of all columns are real functions of real operands, so that they have derivatives.
static void pairs(CaseList &list) {
  const Dtype t = list.dtype();
  const Function f = call(tenon::complex), square = [](const std::vector<Array> &x) {
    const Array z = tenon::complex(x[0], x[1]);
    return std::vector{real(z * z), imag(conj(z))};
  };
  list.all("3x5-squared", {{t, {3, 5}}, {t, {3, 5}}}, square, "\"squared\": true");
  list.all("4x1,3-squared", {{t, {4, 1}}, {t, {3}}}, square, "\"squared\": true").mapped = {true, false};
  list.plain("scalar", {{t, {}}, {t, {}}}, f);
  list.plain("1037,scalar", {{t, {1037}}, {t, {}}}, f);
  list.plain("0x3,3", {{t, {0, 3}}, {t, {3}}}, f);
  list.plain("2x1x4x5-transposed,3x1x1", {{t, {2, 1, 4, 5}, Fill::normal, Layout::transposed}, {t, {3, 1, 1}}}, f);
  list.plain("7x9-reversed,7x9-strided",
             {{t, {7, 9}, Fill::normal, Layout::reversed}, {t, {7, 9}, Fill::normal, Layout::strided}}, f);
  list.plain("special", {{t, {16, 1}, Fill::special}, {t, {16}, Fill::special}}, f);
}

/// All functions that the row's op stands for.
static void analyticFunctions(CaseList &list) {
  constexpr std::pair<const char *, Unary> functions[] = {
      {"exp", exp},   {"exp2", exp2},   {"expm1", expm1}, {"log", log},     {"log1p", log1p},
      {"log2", log2}, {"log10", log10}, {"sqrt", sqrt},   {"sin", sin},     {"cos", cos},
      {"tan", tan},   {"sinh", sinh},   {"cosh", cosh},   {"tanh", tanh},   {"asin", asin},
      {"acos", acos}, {"atan", atan},   {"asinh", asinh}, {"acosh", acosh}, {"atanh", atanh},
  };
  const Dtype t = list.dtype();
  for (const auto &[name, function] : functions)
    list.all(std::string(name) + "-3x5", {{t, {3, 5}, Fill::nonzero}}, call(function),
             format("\"function\": \"{}\"", name));
  list.plain("1037", {{t, {1037}, Fill::nonzero}}, call(Unary(asin)), "\"function\": \"asin\"");
  list.plain("0x3", {{t, {0, 3}}}, call(Unary(exp)), "\"function\": \"exp\"");
  list.plain("7x9-transposed", {{t, {7, 9}, Fill::nonzero, Layout::transposed}}, call(Unary(sqrt)),
             "\"function\": \"sqrt\"");
}

static void complexPowers(CaseList &list) {
  const Dtype t = list.dtype();
  const Function f = call(Binary(pow));
  list.all("3x5", {{t, {3, 5}, Fill::nonzero}, {t, {3, 5}}}, f);
  list.all("4x1,3", {{t, {4, 1}, Fill::nonzero}, {t, {3}}}, f).mapped = {true, false};
  list.plain("scalar", {{t, {}, Fill::nonzero}, {t, {}}}, f);
  list.plain("0x3,3", {{t, {0, 3}}, {t, {3}}}, f);
}

static const OpCases table[] = {
    {"add", binary<add, Fill::normal>},
    {"subtract", binary<subtract, Fill::normal>},
    {"multiply", binary<multiply, Fill::normal>},
    {"divide", binary<divide, Fill::normal, Fill::nonzero>},
    {"maximum", comparison<maximum>},
    {"minimum", comparison<minimum>},
    {"logical_and", binary<logical_and, Fill::normal>},
    {"logical_or", binary<logical_or, Fill::normal>},
    {"logical_not", unary<logical_not, Fill::nonzero>},
    {"logical_xor", binary<logical_xor, Fill::normal>},
    {"right_shift", shifts},
    {"left_shift", leftShifts},
    {"bitwise_left_shift", otherName<bitwise_left_shift>},
    {"bitwise_right_shift", otherName<bitwise_right_shift>},
    {"bitwise_and", binary<bitwise_and, Fill::wide>},
    {"bitwise_or", binary<bitwise_or, Fill::wide>},
    {"bitwise_xor", binary<bitwise_xor, Fill::wide>},
    {"bitwise_invert", unary<bitwise_invert, Fill::wide>},
    {"floor_divide", division<floor_divide>},
    {"remainder", division<remainder>},
    {"fmod", division<fmod>},
    {"divmod", divmods},
    {"gcd", commonDivisors<gcd>},
    {"lcm", commonDivisors<lcm>},
    {"erf", unary<erf, Fill::normal>},
    {"erfc", unary<erfc, Fill::normal>},
    {"lgamma", unary<lgamma, Fill::positive>},
    {"digamma", unary<digamma, Fill::positive>},
    {"trigamma", unary<trigamma, Fill::positive>},
    {"igamma", incompleteGammas<igamma>},
    {"igammac", incompleteGammas<igammac>},
    {"igamma_grad_a", incompleteGammas<igamma_grad_a>},
    {"betainc", betas<betainc>},
    {"betainc_grad_a", betas<betainc_grad_a>},
    {"betainc_grad_b", betas<betainc_grad_b>},
    {"zeta", zetas},
    {"polygamma", polygammas},
    {"i0e", unary<i0e, Fill::nonzero>},
    {"i1e", unary<i1e, Fill::nonzero>},
    {"sech_squared", slopes<tanh, Fill::normal>},
    {"gaussian", slopes<erf, Fill::normal>},
    {"bessel_difference", slopes<i0e, Fill::positive>},
    {"logistic_difference", slopesOfTwo<logaddexp, Fill::normal, Fill::normal, 0>},
    {"power_slope", slopesOfTwo<pow, Fill::positive, Fill::normal, 0>},
    {"gamma_density", slopesOfTwo<igamma, Fill::positive, Fill::positive, 1>},
    {"beta_density", betaSlopes},
    {"popcount", unary<popcount, Fill::wide>},
    {"clz", unary<clz, Fill::wide>},
    {"floor", roundings<floor>},
    {"ceil", roundings<ceil>},
    {"trunc", roundings<trunc>},
    {"round", roundings<round>},
    {"sign", unary<sign, Fill::nonzero>},
    {"copysign", binary<copysign, Fill::nonzero>},
    {"nextafter", binary<nextafter, Fill::distinct>},
    {"isnan", unary<isnan, Fill::normal>},
    {"isinf", unary<isinf, Fill::normal>},
    {"isfinite", unary<isfinite, Fill::normal>},
    {"signbit", unary<signbit, Fill::normal>},
    {"exp2", unary<exp2, Fill::normal>},
    {"expm1", unary<expm1, Fill::normal>},
    {"log2", unary<log2, Fill::positive>},
    {"log10", unary<log10, Fill::positive>},
    {"sin", unary<sin, Fill::normal>},
    {"cos", unary<cos, Fill::normal>},
    {"tan", unary<tan, Fill::unit>},
    {"asin", unary<asin, Fill::unit>},
    {"acos", unary<acos, Fill::unit>},
    {"atan", unary<atan, Fill::normal>},
    {"sinh", unary<sinh, Fill::normal>},
    {"cosh", unary<cosh, Fill::normal>},
    {"asinh", unary<asinh, Fill::normal>},
    {"acosh", inverseCosines},
    {"atanh", inverseTangents},
    {"pow", binary<pow, Fill::positive, Fill::normal>},
    {"hypot", binary<hypot, Fill::nonzero>},
    {"logaddexp", binary<logaddexp, Fill::positive, Fill::normal>},
    {"square", unary<square, Fill::normal>},
    {"positive", unary<positive, Fill::normal>},
    {"reciprocal", unary<reciprocal, Fill::nonzero>},
    {"rsqrt", unary<rsqrt, Fill::positive>},
    {"less_equal", comparison<less_equal>},
    {"equal", comparison<equal>},
    {"less", comparison<less>},
    {"greater", comparison<greater>},
    {"greater_equal", comparison<greater_equal>},
    {"not_equal", comparison<not_equal>},
    {"negative", unary<negative, Fill::normal>},
    {"abs", unary<abs, Fill::nonzero>},
    {"exp", unary<exp, Fill::normal>},
    {"log", unary<log, Fill::positive>},
    {"sqrt", unary<sqrt, Fill::positive>},
    {"log1p", unary<log1p, Fill::positive>},
    {"tanh", unary<tanh, Fill::normal>},
    {"cbrt", unary<cbrt, Fill::nonzero>},
    {"relu", unary<relu, Fill::nonzero>},
    {"atan2", binary<atan2, Fill::nonzero, Fill::nonzero>},
    {"where", selections},
    {"astype", conversions},
    {"clip", clips},
    {"fma", fusedSums},
    {"erf_inv", inverseErrors},
    {"real", unary<real, Fill::normal>},
    {"imag", unary<imag, Fill::normal>},
    {"conj", unary<conj, Fill::normal>},
    {"complex", pairs},
    {"angle", unary<angle, Fill::nonzero>},
    {"complex_function", analyticFunctions},
    {"complex_pow", complexPowers},
};
std::span<const OpCases> elementwiseCases() { return table; }

} // namespace tenon::conformance
