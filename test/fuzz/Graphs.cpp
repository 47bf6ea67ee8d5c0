//===- Graphs.cpp - programs in which everything reads everything ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, transposes, views, products and arithmetic over arrays of two sizes,
// so that what one makes fits to what another reads, along other axes: what
// grouping, the planning of memory and strided operands have to get right.
//===----------------------------------------------------------------------===//
#include "test/fuzz/Programs.h"

namespace tenon::fuzz {

/// Values stay near to 1, so that a wrong one is seen.
Step Generator::pointwise() {
  using Function = Array (*)(const Operand &, const Operand &);
  static const std::pair<const char *, Function> table[] = {{"add", add},           {"subtract", subtract},
                                                            {"maximum", maximum},   {"minimum", minimum},
                                                            {"multiply", multiply}, {"add", add}};
  const size_t a = value();
  if (chance(15))
    return {"tanh " + name(a), [=](const List &v) { return tenon::tanh(v[a]); }, called("tanh", {a})};
  if (chance(10))
    return {"half of " + name(a), [=](const List &v) { return v[a] * 0.5f; }};
  const size_t b = partner(a);
  auto [what, function] = table[below(std::size(table))];
  return {std::string(what) + " " + name(a) + ", " + name(b),
          [=, f = function](const List &v) { return f(v[a], v[b]); }, called(what, {a, b})};
}

Step Generator::fold() {
  const size_t a = value();
  const int rank = values_[a].ndim();
  if (rank == 0)
    return pointwise();
  const bool keeps = chance(80);
  // One axis, mostly the innermost: those become kernels over rows.
  const int axis = chance(80) ? rank - 1 : static_cast<int>(below(static_cast<size_t>(rank)));
  const std::string over = name(a) + " over " + std::to_string(axis) + (keeps ? " kept" : "");
  switch (below(9)) {
  case 0:
    return {"max " + over, [=](const List &v) { return max(v[a], {axis}, keeps); },
            called("max", {a}, overAxes({axis}, keeps))};
  case 1:
    return {"mean " + over, [=](const List &v) { return mean(v[a], {axis}, keeps); },
            called("mean", {a}, overAxes({axis}, keeps))};
  case 2:
    return {"softmax " + over, [=](const List &v) { return softmax(v[a], axis); }};
  case 3:
    return {"log_softmax " + over, [=](const List &v) { return log_softmax(v[a], axis) * 0.5f; }};
  case 4:
    return {"layer_norm " + over, [=](const List &v) { return layer_norm(v[a], {axis}, 0.5, 0.25); }};
  case 5:
    return chance(50)
               ? Step{"min " + over, [=](const List &v) { return min(v[a], {axis}, keeps); }}
               : Step{"prod, near 1, " + over, [=](const List &v) { return prod(v[a] * 0.125f + 1, {axis}, keeps); }};
  default:
    return {"sum " + over, [=](const List &v) { return sum(v[a], {axis}, keeps); },
            called("sum", {a}, overAxes({axis}, keeps))};
  }
}

/// The elements of one value in another order or shape.
Step Generator::view() {
  const size_t a = value();
  std::vector<int64_t> shape = sizes(values_[a]);
  const auto rank = static_cast<int>(shape.size());
  if (rank == 0)
    return pointwise();
  switch (below(6)) {
  case 0: { // every second along an axis, or from its end
    const size_t axis = below(shape.size());
    const bool isBack = chance(50);
    std::vector<int64_t> starts(shape.size(), 0), stops = shape, steps(shape.size(), 1);
    starts[axis] = isBack ? shape[axis] - 1 : 0;
    stops[axis] = isBack ? -1 : shape[axis];
    steps[axis] = isBack ? -1 : 2;
    return {"slice " + name(a) + " along " + std::to_string(axis) + (isBack ? " from the end" : " in steps of 2"),
            [=](const List &v) { return slice(v[a], shapeOf(starts), shapeOf(stops), steps); }};
  }
  case 1: { // an axis of 1 goes, or comes
    const size_t axis = below(shape.size() + 1);
    if (axis < shape.size() && shape[axis] == 1)
      shape.erase(shape.begin() + static_cast<long>(axis));
    else
      shape.insert(shape.begin() + static_cast<long>(axis), 1);
    return {"reshape " + name(a) + " to " + text(shape), [=](const List &v) { return reshape(v[a], shapeOf(shape)); }};
  }
  case 2: // one of the first axis
    return {"row of " + name(a), [=, last = shape[0] - 1](const List &v) { return v[a][last]; }};
  default: {
    std::vector<int64_t> order;
    for (int i = 0; i < rank; ++i)
      order.insert(order.begin() + static_cast<long>(below(order.size() + 1)), i);
    return {"transpose " + name(a) + " by " + text(order), [=](const List &v) { return transpose(v[a], order); }};
  }
  }
}

Program Generator::makeGraph() {
  Program program;
  const int64_t n = pick<int64_t>({2, 3, 4, 5, 8, 16, 17, 33}),
                m = chance(40) ? n : pick<int64_t>({2, 3, 4, 7, 16, 31});
  const Dtype dtype = chance(85) ? f32 : pick({f64, Dtype::bf16, Dtype::f16, i32, i16});
  // Half of them are of rows and a number for each, with little else.
  const bool isOfRows = chance(50);
  const auto rows = {shapeOf({n, m}), shapeOf({n, m}), shapeOf({n, 1})};
  const auto any = {shapeOf({n, m}), shapeOf({m, n}), shapeOf({n}), shapeOf({m}), shapeOf({n, 1}), shapeOf({2, n, m})};
  for (size_t i = 3 + below(4); i > 0; --i)
    program.inputs.push_back(number(dtype, pick(isOfRows ? rows : any)));
  values_ = program.inputs;
  const size_t wanted = 8 + below(50), arithmetic = isOfRows ? 65 : 45, folds = isOfRows ? 95 : 70;
  for (int tries = 0; program.steps.size() < wanted && tries < 300; ++tries) {
    const size_t which = below(100);
    append(program, which < arithmetic ? pointwise() : which < folds ? fold() : which < 90 ? view() : product(), 5000);
  }
  // Most values reach a result.
  program.outputs.push_back(values_.size() - 1);
  for (size_t i = 0; i < values_.size(); ++i)
    if (chance(15))
      program.outputs.push_back(i);
  return program;
}

} // namespace tenon::fuzz
