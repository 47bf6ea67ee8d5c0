//===- Graphs.cpp - random programs whose ops share many operands --------===//
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
  static const Binary table[] = {{"add", add},         {"subtract", subtract}, {"maximum", maximum},
                                 {"minimum", minimum}, {"multiply", multiply}, {"add", add}};
  const size_t a = value();
  if (chance(15))
    return STEP((a), tanh(v[a])).inPython(called("tanh", {a}));
  if (chance(10))
    return STEP((a), v[a] * 0.5f);
  const size_t b = partner(a);
  const Binary f = table[below(std::size(table))];
  return STEP((f, a, b), f(v[a], v[b])).inPython(called(f.name, {a, b}));
}

Step Generator::fold() {
  const size_t a = value();
  const int rank = values_[a].ndim();
  if (rank == 0)
    return pointwise();
  const bool keeps = chance(80);
  // One axis, mostly the innermost: those become kernels over rows.
  const int axis = chance(80) ? rank - 1 : static_cast<int>(below(static_cast<size_t>(rank)));
  const std::string over = overAxes({axis}, keeps);
  switch (below(9)) {
  case 0:
    return STEP((a, axis, keeps), max(v[a], {axis}, keeps)).inPython(called("max", {a}, over));
  case 1:
    return STEP((a, axis, keeps), mean(v[a], {axis}, keeps)).inPython(called("mean", {a}, over));
  case 2:
    return STEP((a, axis), softmax(v[a], axis)).inPython(called("softmax", {a}, literal(axis)));
  case 3:
    return STEP((a, axis), log_softmax(v[a], axis) * 0.5f);
  case 4:
    return STEP((a, axis), layer_norm(v[a], {axis}, 0.5, 0.25));
  case 5:
    return chance(50) ? STEP((a, axis, keeps), min(v[a], {axis}, keeps)).inPython(called("min", {a}, over))
                      : STEP((a, axis, keeps), prod(v[a] * 0.125f + 1, {axis}, keeps));
  default:
    return STEP((a, axis, keeps), sum(v[a], {axis}, keeps)).inPython(called("sum", {a}, over));
  }
}

/// The elements of one value in another order or shape.
Step Generator::view() {
  const size_t a = value();
  Shape shape = values_[a].shape();
  const int rank = shape.rank();
  if (rank == 0)
    return pointwise();
  const int axis = static_cast<int>(below(static_cast<size_t>(rank)));
  switch (below(6)) {
  case 0: { // every second along an axis, or from its end
    const bool isBack = chance(50);
    const Dim end = shape.at(axis);
    Shape starts, stops = shape;
    std::vector<int64_t> steps(shape.size(), 1);
    for (int i = 0; i < rank; ++i)
      starts.push_back(i == axis && isBack ? static_cast<int64_t>(end) - 1 : 0);
    if (isBack)
      stops.at(axis) = -1;
    steps[static_cast<size_t>(axis)] = isBack ? -1 : 2;
    return STEP((a, starts, stops, steps), slice(v[a], starts, stops, steps));
  }
  case 1: // an axis of 1 goes, or comes
    if (shape.at(axis) == 1)
      shape.erase(axis);
    else
      shape.insert(axis, 1);
    return STEP((a, shape), reshape(v[a], shape));
  case 2: { // one of the first axis
    const int64_t last = static_cast<int64_t>(shape[0]) - 1;
    return STEP((a, last), v[a][last]);
  }
  default: {
    const std::vector<int64_t> order = anyOrder(rank);
    return STEP((a, order), transpose(v[a], order)).inPython(called("transpose", {a}, tuple(order)));
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
