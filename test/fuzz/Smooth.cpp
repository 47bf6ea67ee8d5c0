//===- Smooth.cpp - programs that have derivatives of every order everywhere -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Programs.h"

namespace tenon::fuzz {

Step Generator::smoothPointwise() {
  static const Unary table[] = {{"sin", tenon::sin},   {"cos", tenon::cos},  {"tanh", tenon::tanh},
                                {"atan", tenon::atan}, {"sigmoid", sigmoid}, {"softplus", softplus},
                                {"erf", tenon::erf},   {"silu", silu},       {"asinh", tenon::asinh},
                                {"negative", negative}};
  static const Binary pairs[] = {
      {"add", add}, {"subtract", subtract}, {"multiply", multiply}, {"logaddexp", logaddexp}};
  const size_t a = value();
  switch (below(9)) {
  case 0:
  case 1: {
    const Unary f = table[below(std::size(table))];
    return STEP((f, a), f(v[a]));
  }
  case 2:
    return STEP((a), exp(tanh(v[a])));
  case 3:
    return STEP((a), log1p(v[a] * v[a]));
  case 4: {
    const size_t b = partner(a);
    return STEP((a, b), tanh(v[a]) / sqrt(1 + square(v[b])));
  }
  case 5: {
    const size_t b = partner(a);
    const Array mask = greater(number(f64, values_[a].shape()), 0);
    return STEP((a, b, mask), where(mask, v[a], v[b] * 0.5));
  }
  default: {
    const Binary f = pairs[below(std::size(pairs))];
    const size_t b = partner(a);
    return STEP((f, a, b), f(v[a], v[b]));
  }
  }
}

Step Generator::smoothAlong() {
  const size_t a = value();
  const int rank = values_[a].ndim();
  if (rank == 0)
    return smoothPointwise();
  const int axis = static_cast<int>(below(static_cast<size_t>(rank)));
  const bool flag = chance(50);
  switch (below(10)) {
  case 0:
    return STEP((a, axis, flag), mean(v[a], {axis}, flag));
  case 1:
    return STEP((a, axis), softmax(v[a], axis));
  case 2:
    return STEP((a, axis), log_softmax(v[a], axis));
  case 3:
    return STEP((a, axis), layer_norm(v[a], {axis}, 0.5, 0.25));
  case 4:
    return STEP((a, axis, flag), prod(tanh(v[a]) * 0.25 + 1, {axis}, flag));
  case 5:
    return STEP((a, axis, flag), cumulative_sum(v[a], axis, flag));
  case 6:
    return STEP((a, axis, flag), logsumexp(v[a], {axis}, flag));
  case 7:
    return STEP((a, axis, flag), var(v[a], {axis}, flag));
  default:
    return STEP((a, axis, flag), sum(v[a], {axis}, flag));
  }
}

Step Generator::smoothMovement() {
  const size_t a = value();
  const std::vector<int64_t> shape = sizes(values_[a]);
  const int rank = static_cast<int>(shape.size());
  if (rank == 0)
    return smoothPointwise();
  const int axis = static_cast<int>(below(static_cast<size_t>(rank)));
  const int64_t size = shape[static_cast<size_t>(axis)];
  switch (below(9)) {
  case 0: {
    const std::vector<int64_t> order = anyOrder(rank);
    return STEP((a, order), transpose(v[a], order));
  }
  case 1: {
    const Shape to{count(values_[a])};
    return STEP((a, to), reshape(v[a], to));
  }
  case 2: {
    std::vector<int64_t> to = shape;
    to.insert(to.begin(), 2);
    const Shape wide = to;
    return STEP((a, wide), broadcast_to(v[a], wide));
  }
  case 3: { // from its end, or every second
    Shape starts, stops = values_[a].shape();
    std::vector<int64_t> steps(shape.size(), 1);
    const bool isBack = chance(50);
    for (int i = 0; i < rank; ++i)
      starts.push_back(i == axis && isBack ? size - 1 : 0);
    if (isBack)
      stops.at(axis) = -1;
    steps[static_cast<size_t>(axis)] = isBack ? -1 : 2;
    return STEP((a, starts, stops, steps), slice(v[a], starts, stops, steps));
  }
  case 4: {
    Shape low, high;
    std::vector<int64_t> interior;
    for (int i = 0; i < rank; ++i) {
      low.push_back(i == axis ? 1 : 0);
      high.push_back(i == axis && chance(30) ? 2 : 0);
      interior.push_back(i == axis && chance(30) ? 1 : 0);
    }
    const size_t b = value();
    return STEP((a, b, low, high, interior), pad(v[a], mean(v[b]), low, high, interior));
  }
  case 5:
    return STEP((a, axis), concatenate({v[a], tanh(v[a])}, axis));
  case 6: {
    const Array rows = remainder(number(Dtype::i32, {3}), static_cast<int32_t>(size));
    return STEP((a, rows, axis), take(v[a], rows, axis));
  }
  case 7:
    return STEP((a), v[a].at[0].add(v[a][-1]));
  default:
    return STEP((a, axis), flip(v[a], {axis}));
  }
}

/// Loops, branches, and functions that are called.
Step Generator::smoothControl() {
  const size_t a = value(), b = partner(a);
  switch (below(8)) {
  case 0:
    if (values_[a].ndim() == 0)
      return smoothPointwise();
    return STEP((a), scan(
                         [](const Array &carry, const Array &x) {
                           Array next = tanh(carry * 0.5 + x);
                           return std::pair(next, next * next + carry);
                         },
                         zeros(v[a][0].shape(), Dtype::f64), v[a])
                         .second);
  case 1:
    return STEP((a), fori_loop(0, 3, [](const Array &, const Array &x) { return sin(x) * 0.5 + x; }, v[a]));
  case 2: // decided by where the inputs are, which is away from the border
    return STEP((a, b), cond(
                            greater(sum(v[a]), 0.37), [](const Array &x) { return tanh(x); },
                            [](const Array &x) { return x * 0.5; }, v[b]));
  case 3:
    return STEP((a, b), jit([](const Array &x, const Array &y) { return tanh(x) - mean(y) / 3; })(v[a], v[b]));
  case 4:
    return STEP((a, b), checkpoint([](const Array &x, const Array &y) { return sin(x * y) + x; })(v[a], v[b]));
  case 5:
    return STEP((a, b), composite("gate", [](const Array &x, const Array &y) { return tanh(x) * y + x; })(v[a], v[b]));
  case 6: {
    const Array still = static_cast<double>(below(4000)) / 2000 - 1;
    return STEP((a, still), custom_jvp([](const Array &x, const Array &y) { return sin(x) * y; },
                                       [](const std::tuple<Array, Array> &x, const std::tuple<Array, Array> &dx) {
                                         const auto &[p, q] = x;
                                         return std::pair(sin(p) * q,
                                                          cos(p) * q * std::get<0>(dx) + sin(p) * std::get<1>(dx));
                                       })(v[a], still));
  }
  default:
    return STEP((a), custom_jvp([](const Array &x) { return sin(x); },
                                [](const Array &x, const Array &dx) { return std::pair(sin(x), cos(x) * dx); })(v[a]));
  }
}

Program Generator::makeSmooth(size_t most) {
  Program program;
  isGraph_ = true;
  const int64_t n = pick<int64_t>({1, 2, 3, 4}), m = pick<int64_t>({2, 3, 5});
  for (size_t i = 1 + below(3); i > 0; --i) {
    const Shape shape = pick({shapeOf({n, m}), shapeOf({m}), shapeOf({m, n}), shapeOf({n, 1}), shapeOf({})});
    // Away from infinities, and small.
    std::vector<double> numbers;
    for (size_t left = static_cast<size_t>(count(zeros(shape))); left > 0; --left)
      numbers.push_back(static_cast<double>(below(4000)) / 2000 - 1);
    program.inputs.push_back(reshape(Array(numbers), shape));
  }
  values_ = program.inputs;
  const size_t wanted = 2 + below(most - 1);
  for (int tries = 0; program.steps.size() < wanted && tries < 100; ++tries) {
    const size_t which = below(100);
    Step step = which < 40   ? smoothPointwise()
                : which < 60 ? smoothAlong()
                : which < 80 ? smoothMovement()
                : which < 90 ? smoothControl()
                             : product();
    // Without two matrices that fit it is any function.
    if (which >= 90 && !step.text.starts_with("matmul"))
      continue;
    append(program, std::move(step), 60);
  }
  program.outputs.push_back(values_.size() - 1);
  if (chance(40))
    program.outputs.push_back(below(values_.size()));
  return program;
}

} // namespace tenon::fuzz
