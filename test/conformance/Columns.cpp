//===- Columns.cpp - the transformation of each column --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/Columns.h"

#include <tenon/jacobian.h>
#include <tenon/ops.h>
#include <tenon/rules.h>
#include <tenon/tape.h>

namespace tenon::conformance {

using Tree = std::vector<Array>;

static bool isBatched(Column column) { return column == Column::vmap || column == Column::vmapVmap; }
static bool isFloating(const Array &x) { return kind(x.dtype()) == Kind::floating && !is_storage(x.dtype()); }

/// The loss that grad differentiates: for each result y, the sum of y * (y / 2 + 1), times the result's number. The
/// loss is not linear, so the elements of a sum have different derivatives, and its second derivative is not zero.
static Array loss(const Function &function, const Tree &x) {
  Dtype dtype = Dtype::f32;
  for (const Array &input : x)
    if (isFloating(input))
      dtype = input.dtype();
  Array total = full({}, 0, dtype);
  int number = 0;
  for (const Array &result : function(x)) {
    Array y = result.dtype() == dtype ? result : astype(result, dtype);
    total = total + sum(y * (y * 0.5f + 1)) * ++number;
  }
  return total;
}

static Tree gradient(const Function &function, const Tree &x) {
  return grad([&](const Tree &point) { return loss(function, point); })(x);
}

/// The gradient of the sum of x * gradient(x), which is the gradient plus the product of the second derivative and x.
static Tree gradientGradient(const Function &function, const Tree &x) {
  auto product = [&](const Tree &point) {
    Tree slopes = gradient(function, point);
    Array total;
    for (size_t i = 0; i < point.size(); ++i)
      if (isFloating(point[i])) {
        Array part = sum(point[i] * slopes[i]);
        total = total.has_value() ? total + part : part;
      }
    return total;
  };
  return grad(product)(x);
}

/// The result of gradientGradient, computed from the matrix of second derivatives.
static Tree hessianProduct(const Function &function, const Tree &x) {
  const std::vector<Tree> second = hessian([&](const Tree &point) { return loss(function, point); })(x);
  Tree slopes = gradient(function, x);
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t k = 0; isFloating(x[i]) && k < x.size(); ++k)
      if (isFloating(x[k])) {
        const Array product = tensordot(astype(second[i][k], x[i].dtype()), astype(x[k], x[i].dtype()), x[k].ndim());
        slopes[i] = slopes[i] + product;
      }
  return slopes;
}

/// The function's results, then their tangents. The tangent of input number i is x / 2 + (i + 1) / 4.
static Tree motion(const Function &function, const Tree &x) {
  Tree along;
  for (const Array &input : x)
    along.push_back(isFloating(input) ? input * 0.5f + 0.25f * static_cast<float>(along.size() + 1) : Array());
  auto [y, dy] = jvp(function, x, along);
  y.insert(y.end(), dy.begin(), dy.end());
  return y;
}

/// The results of the function as a checkpoint, then the gradient through it.
static Tree recomputed(const Function &function, const Tree &x) {
  auto whole = checkpoint([&](const Tree &point) { return function(point); });
  auto lossAndResults = [&](const Tree &point) {
    Tree results;
    const Array number = loss([&](const Tree &given) { return results = whole(given); }, point);
    return std::pair(number, results);
  };
  auto [value, slopes] = value_and_grad(lossAndResults)(x);
  Tree all = value.second;
  all.insert(all.end(), slopes.begin(), slopes.end());
  return all;
}

static Tree tapeGradient(const std::function<Array(const Tree &)> &number, const Tree &x) {
  GradientTape tape;
  tape.watch(x);
  return tape.gradient(number(x), x);
}

static Tree mapExamples(const Function &function, const std::vector<bool> &mapped, const Tree &x) {
  Tree each, same;
  for (size_t i = 0; i < x.size(); ++i)
    (mapped[i] ? each : same).push_back(x[i]);
  auto one = [&](const Tree &eachOne, const Tree &sameForAll) {
    Tree all;
    size_t next = 0, nextSame = 0;
    for (bool isMapped : mapped)
      all.push_back(isMapped ? eachOne[next++] : sameForAll[nextSame++]);
    return function(all);
  };
  return vmap(one, {.in_axes = {0, none}})(each, same);
}

/// vmap of vmap over the batch and the reversed batch. Returns the results of the reversed one, in the first order.
static Tree mapTwice(const Function &function, const std::vector<bool> &mapped, const Tree &x) {
  Tree twice = x;
  for (size_t i = 0; i < x.size(); ++i)
    if (mapped[i])
      twice[i] = stack({x[i], flip(x[i], 0)});
  Tree results = mapExamples([&](const Tree &half) { return mapExamples(function, mapped, half); }, mapped, twice);
  for (Array &result : results)
    result = flip(result[1], 0);
  return results;
}

Function columnFunction(const Function &function, Column column, const std::vector<bool> &mapped, JitOptions options) {
  switch (column) {
  case Column::f:
    return function;
  case Column::grad:
    return [=](const Tree &x) { return gradient(function, x); };
  case Column::gradGrad:
    return [=](const Tree &x) { return gradientGradient(function, x); };
  case Column::vmap:
    return [=](const Tree &x) { return mapExamples(function, mapped, x); };
  case Column::vmapGrad:
    return [=](const Tree &x) {
      return mapExamples([&](const Tree &example) { return gradient(function, example); }, mapped, x);
    };
  case Column::jitGrad:
    return [jitted = jit([=](const Tree &x) { return gradient(function, x); }, options)](const Tree &x) {
      return jitted(x);
    };
  case Column::gradJit:
    return [jitted = jit([=](const Tree &x) { return loss(function, x); }, options)](const Tree &x) {
      return grad([&](const Tree &point) { return jitted(point); })(x);
    };
  case Column::jvp:
    return [=](const Tree &x) { return motion(function, x); };
  case Column::hessian:
    return [=](const Tree &x) { return hessianProduct(function, x); };
  case Column::vmapVmap:
    return [=](const Tree &x) { return mapTwice(function, mapped, x); };
  case Column::checkpoint:
    return [=](const Tree &x) { return recomputed(function, x); };
  case Column::tape:
    return [=](const Tree &x) { return tapeGradient([&](const Tree &point) { return loss(function, point); }, x); };
  case Column::tapeJit:
    return [jitted = jit([=](const Tree &x) { return loss(function, x); }, options)](const Tree &x) {
      return tapeGradient([&](const Tree &point) { return jitted(point); }, x);
    };
  }
  __builtin_unreachable();
}

std::string reasonAgainst(const Case &of, Column column) {
  if (column == Column::jvp && !of.noJvp.empty())
    return of.noJvp;
  bool isDerivative = column != Column::f && !isBatched(column);
  if (isDerivative) {
    if (of.row && of.row->derivative == Rule::none)
      return std::string(of.row->noVjp);
    bool any = false;
    for (const Input &input : of.inputs) {
      if (kind(input.dtype) == Kind::complex)
        return "derivatives are of real functions";
      any |= kind(input.dtype) == Kind::floating && !is_storage(input.dtype);
    }
    if (!any)
      return of.inputs.empty() ? "there is no operand to differentiate" : "no operand is floating";
  }
  if (isBatched(column) || column == Column::vmapGrad) {
    if (of.row && of.row->batching == Rule::none)
      return std::string(of.row->noBatch);
    if (of.inputs.empty())
      return "there is no operand to map";
  }
  return "";
}

} // namespace tenon::conformance
