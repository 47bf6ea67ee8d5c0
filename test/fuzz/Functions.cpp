//===- Functions.cpp - random calls: indexing, sorts, cumulative and composed functions --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Programs.h"

namespace tenon::fuzz {

Step Generator::elementary() {
  static const Unary table[] = {
      {"exp2", tenon::exp2},
      {"expm1", tenon::expm1},
      {"log2", tenon::log2},
      {"log10", tenon::log10},
      {"sin", tenon::sin},
      {"cos", tenon::cos},
      {"tan", tenon::tan},
      {"asin", tenon::asin},
      {"acos", tenon::acos},
      {"atan", tenon::atan},
      {"sinh", tenon::sinh},
      {"cosh", tenon::cosh},
      {"asinh", tenon::asinh},
      {"acosh", tenon::acosh},
      {"atanh", tenon::atanh},
      {"floor", tenon::floor},
      {"ceil", tenon::ceil},
      {"trunc", tenon::trunc},
      {"round", tenon::round},
      {"sign", sign},
      {"isnan", isnan},
      {"isinf", isinf},
      {"square", square},
      {"rsqrt", rsqrt},
      {"sigmoid", sigmoid},
      {"softplus", softplus},
      {"silu", silu},
      {"logit", logit},
      {"mish", mish},
      {"popcount", popcount},
      {"bitwise_invert", bitwise_invert},
      {"erf", tenon::erf},
      {"erfc", tenon::erfc},
      {"lgamma", tenon::lgamma},
      {"digamma", digamma},
      {"trigamma", trigamma},
      {"i0e", i0e},
      {"i1e", i1e},
      {"isfinite", isfinite},
      {"clz", clz},
      {"reciprocal", reciprocal},
      {"positive", positive},
      {"sinc", sinc},
      {"deg2rad", deg2rad},
      {"rad2deg", rad2deg},
      {"log_sigmoid", log_sigmoid},
      {"log1mexp", log1mexp},
      {"gelu", [](const Operand &x) { return gelu(x); }},
      {"selu", selu},
      {"relu6", relu6},
      {"hard_tanh", hard_tanh},
      {"hard_sigmoid", hard_sigmoid},
      {"hard_swish", hard_swish},
      {"soft_sign", soft_sign},
      {"ravel", ravel},
      {"logical_not", logical_not},
      {"atleast_2d", atleast_2d},
      {"matrix_transpose", matrix_transpose},
  };
  const size_t a = value();
  if (chance(2)) // the sign of NaN is nobody's business
    return STEP((a), signbit(where(isnan(v[a]), 0, v[a]))).inPython(called("sign_bit", {a}));
  const Unary f = table[below(std::size(table))];
  return STEP((f, a), f(v[a])).inPython(called(f.name, {a}));
}

Step Generator::elementaryOfTwo() {
  static const Binary table[] = {
      {"pow", tenon::pow},
      {"hypot", tenon::hypot},
      {"logaddexp", logaddexp},
      {"nextafter", nextafter},
      {"remainder", remainder},
      {"floor_divide", floor_divide},
      {"bitwise_and", bitwise_and},
      {"bitwise_xor", bitwise_xor},
      {"left_shift", left_shift},
      {"logical_xor", logical_xor},
      {"xlogy", xlogy},
      {"xlog1py", xlog1py},
      {"fmod", tenon::fmod},
      {"logaddexp2", logaddexp2},
      {"heaviside", heaviside},
      {"bitwise_or", bitwise_or},
      {"logical_or", logical_or},
      {"greater", greater},
      {"greater_equal", greater_equal},
  };
  const size_t a = value(), b = partner(a);
  if (chance(5))
    return STEP((a, b), copysign(v[a], where(isnan(v[b]), 1, v[b]))).inPython(called("copied_sign", {a, b}));
  const Binary f = table[below(std::size(table))];
  // A negative exponent of integers is an Error, but only where it is known.
  const bool areIntegers = std::max(kind(values_[a].dtype()), kind(values_[b].dtype())) <= Kind::integer;
  if (areIntegers && std::string_view(f.name) == "pow")
    return STEP((a, b), pow(v[a], maximum(v[b], 0))).inPython(called("power_of_integers", {a, b}));
  return STEP((f, a, b), f(v[a], v[b])).inPython(called(f.name, {a, b}));
}

Step Generator::along() {
  const size_t a = value();
  const int rank = values_[a].ndim();
  if (rank == 0)
    return elementary();
  const int axis = static_cast<int>(below(static_cast<size_t>(rank)));
  const int64_t size = sizes(values_[a])[static_cast<size_t>(axis)];
  const bool flag = chance(50);
  const std::string place = literal(axis), over = overAxes({axis}, flag),
                    placeAndFlag = place + (flag ? ", True" : ", False");
  switch (below(20)) {
  case 0:
    return STEP((a, axis, flag), cumulative_sum(v[a], axis, flag))
        .inPython(called("cumulative_sum", {a}, placeAndFlag));
  case 1:
    return flag ? STEP((a, axis), cumulative_max(v[a], axis)) : STEP((a, axis), cumulative_min(v[a], axis));
  case 2:
    return STEP((a, axis, flag), sort(v[a], axis, flag)).inPython(called("sorted_along", {a}, placeAndFlag));
  case 3:
    return STEP((a, axis, flag), argsort(v[a], axis, flag));
  case 4:
    return STEP((a, axis), flip(v[a], {axis})).inPython(called("flip", {a}, place));
  case 5: {
    const int by = flag ? 3 : -1;
    return STEP((a, by, axis), roll(v[a], {by}, {axis})).inPython(called("roll", {a}, literal(by) + ", " + place));
  }
  case 6:
    return STEP((a, axis), repeat(v[a], 2, axis)).inPython(called("repeat", {a}, "2, " + place));
  case 7:
    return STEP((a, axis), diff(v[a], 1, axis)).inPython(called("diff", {a}, "1, " + place));
  case 8:
    return STEP((a, axis, flag), logsumexp(v[a], {axis}, flag)).inPython(called("logsumexp", {a}, over));
  case 9:
    return STEP((a, axis, flag), var(v[a], {axis}, flag)).inPython(called("var", {a}, over));
  case 10:
    return STEP((a, axis, flag), argmin(v[a], axis, flag))
        .inPython(called("argmin", {a}, "axis=" + place + ", keepdims=" + (flag ? "True" : "False")));
  case 11: // rows of itself, in the order of its own numbers; some indices below 0
    if (size == 0)
      return elementary();
    return STEP((a, axis, size), take(v[a], astype(argsort(v[a], axis) - size / 2, i32), axis));
  case 12:
    return STEP((a, axis, flag), take_along_axis(v[a], argsort(v[a], axis, flag), axis));
  case 13:
    return STEP((a, axis, flag), cumulative_prod(v[a], axis, flag))
        .inPython(called("cumulative_prod", {a}, placeAndFlag));
  case 14:
    return STEP((a, axis), cumulative_logsumexp(v[a], axis)).inPython(called("cumulative_logsumexp", {a}, place));
  case 15:
    return STEP((a, axis, flag), median(v[a], {axis}, flag)).inPython(called("median", {a}, over));
  case 16:
    return flag ? STEP((a, axis), nansum(v[a], {axis})).inPython(called("nansum", {a}, "axis=" + place))
                : STEP((a, axis), nanmax(v[a], {axis})).inPython(called("nanmax", {a}, "axis=" + place));
  case 17:
    return flag ? STEP((a, axis), count_nonzero(v[a], {axis})).inPython(called("count_nonzero", {a}, "axis=" + place))
                : STEP((a, axis), ptp(v[a], {axis})).inPython(called("ptp", {a}, "axis=" + place));
  case 18: // by a comparison, and by one that is no order
    return flag ? STEP((a, axis), sort(v[a], greater, axis)) : STEP((a, axis), sort(v[a], less_equal, axis));
  default: {
    const int other = flag ? 0 : axis;
    return STEP((a, axis, other), stack(unstack(v[a], axis), other));
  }
  }
}

Step Generator::places() {
  const size_t a = value();
  const std::vector<int64_t> shape = sizes(values_[a]);
  if (shape.empty() || count(values_[a]) == 0)
    return elementaryOfTwo();
  const Array any = reshape(number(Dtype::i32, {4}), {2, 2});
  const Array rows = remainder(any, static_cast<int32_t>(shape[0]));
  switch (below(11)) {
  case 0:
    return STEP((a, rows), v[a][rows]);
  case 1:
    return STEP((a, rows), v[a].at[rows].add(1));
  case 2:
    return STEP((a, rows), v[a].at[rows].max(0));
  case 3:
    return STEP((a), v[a].at[slice(_, _, 2)].set(2));
  case 4:
    return STEP((a), v[a].at[greater(v[a], 0)].set(1));
  case 5:
    return STEP((a), flatnonzero(greater(v[a], 0), 5, -1));
  case 6:
    return STEP((a), unique_values(v[a], 6));
  case 7:
    return STEP((a, any), v[a].at[any].get({.mode = IndexMode::clip}));
  case 8:
    return STEP((a, rows), v[a].at[rows].multiply(2));
  case 9:
    return STEP((a), v[a].at[-1].set(v[a][0]));
  default:
    return STEP((a), tril(v[a], -1)).inPython(called("tril", {a}, "-1"));
  }
}

Step Generator::function() {
  switch (below(4)) {
  case 0:
    return elementary();
  case 1:
    return elementaryOfTwo();
  case 2:
    return along();
  default:
    return places();
  }
}

} // namespace tenon::fuzz
