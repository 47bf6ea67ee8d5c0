//===- Functions.cpp - indexing, sorts, running sums, what is composed ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Programs.h"

namespace tenon::fuzz {

Step Generator::elementary() {
  using Function = Array (*)(const Operand &);
  static const std::pair<const char *, Function> table[] = {
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
      {"signbit", signbit},
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
  auto [what, function] = table[below(std::size(table))];
  return {std::string(what) + " " + name(a), [=, f = function](const List &v) { return f(v[a]); }, called(what, {a})};
}

Step Generator::elementaryOfTwo() {
  using Function = Array (*)(const Operand &, const Operand &);
  static const std::pair<const char *, Function> table[] = {
      {"pow", tenon::pow},
      {"hypot", tenon::hypot},
      {"logaddexp", logaddexp},
      {"copysign", copysign},
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
  auto [what, function] = table[below(std::size(table))];
  return {std::string(what) + " " + name(a) + ", " + name(b),
          [=, f = function](const List &v) { return f(v[a], v[b]); }, called(what, {a, b})};
}

/// Indices along an axis, some of them below 0, all inside.
static Array rowsOf(const Array &x, int64_t size) { return astype(remainder(x, size), i32); }

Step Generator::along() {
  const size_t a = value();
  const int rank = values_[a].ndim();
  if (rank == 0)
    return elementary();
  const int axis = static_cast<int>(below(static_cast<size_t>(rank)));
  const int64_t size = sizes(values_[a])[static_cast<size_t>(axis)];
  const std::string over = name(a) + " along " + std::to_string(axis);
  const bool flag = chance(50);
  switch (below(19)) {
  case 14:
    return {"cumulative_prod " + over, [=](const List &v) { return cumulative_prod(v[a], axis, flag); },
            called("cumulative_prod", {a}, std::to_string(axis) + (flag ? ", True" : ", False"))};
  case 15:
    return {"cumulative_logsumexp " + over, [=](const List &v) { return cumulative_logsumexp(v[a], axis); },
            called("cumulative_logsumexp", {a}, std::to_string(axis))};
  case 16:
    return {"median " + over, [=](const List &v) { return median(v[a], {axis}, flag); },
            called("median", {a}, overAxes({axis}, flag))};
  case 17:
    return {"nansum " + over, [=](const List &v) { return flag ? nansum(v[a], {axis}) : nanmax(v[a], {axis}); },
            called(flag ? "nansum" : "nanmax", {a}, "axis=" + std::to_string(axis))};
  case 18:
    return {"count_nonzero " + over,
            [=](const List &v) { return flag ? count_nonzero(v[a], {axis}) : ptp(v[a], {axis}); },
            called(flag ? "count_nonzero" : "ptp", {a}, "axis=" + std::to_string(axis))};
  case 0:
    return {"cumulative_sum " + over, [=](const List &v) { return cumulative_sum(v[a], axis, flag); },
            called("cumulative_sum", {a}, std::to_string(axis) + (flag ? ", True" : ", False"))};
  case 1:
    return {"cumulative_max " + over,
            [=](const List &v) { return flag ? cumulative_max(v[a], axis) : cumulative_min(v[a], axis); }};
  case 2:
    return {"sort " + over, [=](const List &v) { return sort(v[a], axis, flag); },
            called("sorted_along", {a}, std::to_string(axis) + (flag ? ", True" : ", False"))};
  case 3:
    return {"argsort " + over, [=](const List &v) { return argsort(v[a], axis, flag); }};
  case 4:
    return {"flip " + over, [=](const List &v) { return flip(v[a], {axis}); },
            called("flip", {a}, std::to_string(axis))};
  case 5:
    return {"roll " + over, [=](const List &v) { return roll(v[a], {flag ? 3 : -1}, {axis}); },
            called("roll", {a}, (flag ? "3, " : "-1, ") + std::to_string(axis))};
  case 6:
    return {"repeat " + over, [=](const List &v) { return repeat(v[a], 2, axis); },
            called("repeat", {a}, "2, " + std::to_string(axis))};
  case 7:
    return {"diff " + over, [=](const List &v) { return diff(v[a], 1, axis); },
            called("diff", {a}, "1, " + std::to_string(axis))};
  case 8:
    return {"logsumexp " + over, [=](const List &v) { return logsumexp(v[a], {axis}, flag); },
            called("logsumexp", {a}, overAxes({axis}, flag))};
  case 9:
    return {"var " + over, [=](const List &v) { return var(v[a], {axis}, flag); },
            called("var", {a}, overAxes({axis}, flag))};
  case 10:
    return {"argmin " + over, [=](const List &v) { return argmin(v[a], axis, flag); },
            called("argmin", {a}, "axis=" + std::to_string(axis) + ", keepdims=" + (flag ? "True" : "False"))};
  case 11: { // rows of itself, in the order of its own numbers
    if (size == 0)
      return elementary();
    return {"take " + over, [=](const List &v) { return take(v[a], rowsOf(argsort(v[a], axis), size), axis); }};
  }
  case 12:
    return {"take_along_axis of the sorted " + over,
            [=](const List &v) { return take_along_axis(v[a], argsort(v[a], axis, flag), axis); }};
  default:
    return {"unstack and stack " + over, [=](const List &v) {
              std::vector<Array> parts = unstack(v[a], axis);
              return stack(parts, flag ? 0 : axis);
            }};
  }
}

Step Generator::places() {
  const size_t a = value();
  const std::vector<int64_t> shape = sizes(values_[a]);
  if (shape.empty() || count(values_[a]) == 0)
    return elementaryOfTwo();
  const int64_t rows = shape[0];
  const Array indices = reshape(number(Dtype::i32, {4}), {2, 2});
  const Array wanted = remainder(indices, static_cast<int32_t>(rows));
  switch (below(11)) {
  case 8:
    return {"multiply " + name(a) + " at rows", [=](const List &v) { return v[a].at[wanted].multiply(2); }};
  case 9:
    return {"set " + name(a) + " in its last row", [=](const List &v) { return v[a].at[-1].set(v[a][0]); }};
  case 10:
    return {"tril " + name(a), [=](const List &v) { return tril(v[a], -1); }, called("tril", {a}, "-1")};
  case 0:
    return {"part " + name(a) + " at rows", [=](const List &v) { return v[a][wanted]; }};
  case 1:
    return {"add to " + name(a) + " at rows", [=](const List &v) { return v[a].at[wanted].add(1); }};
  case 2:
    return {"max of " + name(a) + " and 0 at rows", [=](const List &v) { return v[a].at[wanted].max(0); }};
  case 3:
    return {"set " + name(a) + " at a slice", [=](const List &v) { return v[a].at[slice(_, _, 2)].set(2); }};
  case 4:
    return {"set " + name(a) + " where above 0", [=](const List &v) { return v[a].at[greater(v[a], 0)].set(1); }};
  case 5:
    return {"flatnonzero " + name(a), [=](const List &v) { return flatnonzero(greater(v[a], 0), 5, -1); }};
  case 6:
    return {"unique_values " + name(a), [=](const List &v) { return unique_values(v[a], 6); }};
  default:
    return {"clipped rows of " + name(a),
            [=](const List &v) { return v[a].at[indices].get({.mode = IndexMode::clip}); }};
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
