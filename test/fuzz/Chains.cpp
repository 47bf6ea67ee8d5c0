//===- Chains.cpp - programs of any ops over any arrays -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Programs.h"

#include <cmath>

namespace tenon::fuzz {

std::vector<int64_t> sizes(const Array &x) {
  std::vector<int64_t> out;
  for (int i = 0; i < x.ndim(); ++i)
    out.push_back(static_cast<int64_t>(x.shape()[i]));
  return out;
}
int64_t count(const Array &x) {
  int64_t n = 1;
  for (int64_t size : sizes(x))
    n *= size;
  return n;
}
Array Generator::number(Dtype dtype, const Shape &shape) {
  int64_t n = 1;
  for (int i = 0; i < shape.rank(); ++i)
    n *= static_cast<int64_t>(shape[i]);
  const bool isOdd = chance(15); // NaN, infinities, zeros
  std::vector<double> out;
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < n; ++i)
    out.push_back(isOdd && chance(30) ? pick<double>({NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-40, 1e30})
                                      : 2 * normal(random_));
  // An integer has no place for NaN: floating to integer is not what is tested here.
  if (kind(dtype) != Kind::floating)
    for (double &x : out)
      x = std::isfinite(x) && std::abs(x) < 100 ? std::floor(is_unsigned(dtype) ? std::abs(x) : x) : 3;
  if (kind(dtype) == Kind::complex) {
    std::vector<complex128_t> pairs;
    for (size_t i = 0; i < out.size(); ++i)
      pairs.push_back({out[i], out[out.size() - 1 - i] / 2});
    return astype(Array(std::span<const complex128_t>(pairs), shape), dtype);
  }
  return astype(reshape(Array(out), shape), dtype);
}

Array Generator::input() {
  const Dtype dtype =
      pick({f32, f32, f32, f32, f32,       f32, f32, f32,        f64,          Dtype::bf16, Dtype::f16,
            i32, i32, i8,  i16, Dtype::u8, u16, u32, Dtype::i64, Dtype::bool_, Dtype::c64,  Dtype::c128});
  std::vector<int64_t> shape;
  for (size_t rank = below(4); rank > 0; --rank)
    shape.push_back(chance(3) ? 0 : pick<int64_t>({1, 2, 3, 4, 5, 8, 16, 17, 31, 33, 64}));
  Array x = number(dtype, shapeOf(shape));
  // A view, as a caller may have one.
  if (x.ndim() > 1 && chance(20))
    x = transpose(x);
  if (x.ndim() == 1 && count(x) > 0 && chance(30))
    x = slice(x, {count(x) - 1}, {-1}, -1);
  return x;
}

size_t Generator::value() {
  // A graph reads from everywhere, a chain mostly what came last.
  return !isGraph_ && chance(60) ? values_.size() - 1 - below(std::min<size_t>(values_.size(), 3))
                                 : below(values_.size());
}

size_t Generator::partner(size_t other) {
  for (int tries = 0; tries < 12; ++tries) {
    const size_t i = value();
    std::vector<int64_t> a = sizes(values_[i]), b = sizes(values_[other]);
    bool fits = true;
    for (size_t k = 1; k <= std::min(a.size(), b.size()); ++k)
      fits &= a[a.size() - k] == b[b.size() - k] || a[a.size() - k] == 1 || b[b.size() - k] == 1;
    if (fits)
      return i;
  }
  return other;
}

std::vector<int64_t> Generator::anyOrder(int rank) {
  std::vector<int64_t> order;
  for (int i = 0; i < rank; ++i)
    order.insert(order.begin() + static_cast<long>(below(order.size() + 1)), i);
  return order;
}

Step Generator::unary() {
  static const Unary table[] = {
      {"negative", negative}, {"abs", tenon::abs}, {"exp", tenon::exp},   {"log", tenon::log},  {"sqrt", tenon::sqrt},
      {"tanh", tenon::tanh},  {"relu", relu},      {"cbrt", tenon::cbrt}, {"erf_inv", erf_inv}, {"log1p", tenon::log1p},
  };
  const size_t a = value();
  if (chance(15)) {
    const Dtype to = pick({f32, f32, f64, Dtype::bf16, Dtype::f16, i8, i16, i32, Dtype::i64, Dtype::bool_, Dtype::c64,
                           Dtype::f8e4m3fn, Dtype::f8e5m2});
    // NaN and what does not fit have a value, but not one that C++ would check.
    if (kind(to) == Kind::integer && kind(values_[a].dtype()) == Kind::floating)
      return STEP((a, to), astype(clip(where(equal(v[a], v[a]), v[a], 0), -100, 100), to));
    // Few ops take what is only stored.
    if (is_storage(to) && chance(75))
      return STEP((a, to), astype(astype(v[a], to), v[a].dtype()));
    return STEP((a, to), astype(v[a], to));
  }
  if (chance(10)) {
    const float low = pick({-1.0f, -0.5f, 0.0f}), high = pick({0.5f, 1.0f, 3.0f});
    return STEP((a, low, high), clip(v[a], low, high))
        .inPython(called("clip", {a}, std::to_string(low) + ", " + std::to_string(high)));
  }
  if (chance(5))
    return STEP((a), optimization_barrier({v[a]})[0]);
  const Unary f = table[below(std::size(table))];
  return STEP((f, a), f(v[a])).inPython(called(f.name, {a}));
}

Step Generator::binary() {
  static const Binary table[] = {
      {"add", add},
      {"subtract", subtract},
      {"multiply", multiply},
      {"divide", divide},
      {"maximum", maximum},
      {"minimum", minimum},
      {"add", add},
      {"multiply", multiply},
      {"less", less},
      {"less_equal", less_equal},
      {"equal", equal},
      {"logical_and", logical_and},
      {"right_shift", right_shift},
      {"atan2", tenon::atan2},
      {"not_equal", not_equal},
      {"add", add},
  };
  const Binary f = table[below(std::size(table))];
  const size_t a = value();
  if (chance(25)) {
    const float number = pick({0.5f, 2.0f, -1.5f, 3.0f, 0.0f, 1.0f});
    if (chance(50))
      return STEP((f, a, number), f(number, v[a]))
          .inPython(called("number_first_" + std::string(f.name), {a}, std::to_string(number)));
    return STEP((f, a, number), f(v[a], number)).inPython(called(f.name, {a}, std::to_string(number)));
  }
  const size_t b = partner(a);
  return STEP((f, a, b), f(v[a], v[b])).inPython(called(f.name, {a, b}));
}

Step Generator::movement() {
  const size_t a = value();
  const std::vector<int64_t> shape = sizes(values_[a]);
  const int rank = static_cast<int>(shape.size());
  switch (below(7)) {
  case 0: { // another factorization, or 1s put in
    std::vector<int64_t> sizes = shape;
    if (rank > 1 && chance(60)) {
      const size_t axis = below(static_cast<size_t>(rank - 1));
      sizes[axis] *= sizes[axis + 1];
      sizes.erase(sizes.begin() + static_cast<long>(axis) + 1);
    } else if (rank > 0 && sizes.back() % 2 == 0 && sizes.back() > 0 && chance(50)) {
      sizes.back() /= 2;
      sizes.push_back(2);
    } else {
      sizes.insert(sizes.begin() + static_cast<long>(below(sizes.size() + 1)), 1);
    }
    const Shape to = sizes;
    return STEP((a, to), reshape(v[a], to)).inPython(called("reshape", {a}, tuple(sizes)));
  }
  case 1: {
    const std::vector<int64_t> order = anyOrder(rank);
    return STEP((a, order), transpose(v[a], order)).inPython(called("transpose", {a}, tuple(order)));
  }
  case 2: {
    std::vector<int64_t> sizes = shape;
    for (int64_t &size : sizes)
      if (size == 1)
        size = pick<int64_t>({1, 2, 5, 16});
    if (chance(50))
      sizes.insert(sizes.begin(), pick<int64_t>({1, 3, 4}));
    const Shape to = sizes;
    return STEP((a, to), broadcast_to(v[a], to)).inPython(called("broadcast_to", {a}, tuple(sizes)));
  }
  case 3: {
    std::vector<int64_t> from, till, steps;
    for (int64_t size : shape) {
      const auto start = static_cast<int64_t>(below(static_cast<size_t>(size) + 1));
      if (size > 0 && chance(20)) { // from the end
        from.push_back(size - 1);
        till.push_back(-1);
        steps.push_back(-1 - static_cast<int64_t>(below(2)));
        continue;
      }
      from.push_back(chance(50) ? 0 : start);
      till.push_back(from.back() + static_cast<int64_t>(below(static_cast<size_t>(size - from.back()) + 1)));
      if (chance(60))
        till.back() = size;
      steps.push_back(chance(70) ? 1 : 2);
    }
    const Shape starts = from, stops = till;
    return STEP((a, starts, stops, steps), slice(v[a], starts, stops, steps))
        .inPython(called("sliced", {a}, tuple(from) + ", " + tuple(till) + ", " + tuple(steps)));
  }
  case 4: {
    Shape low, high;
    std::vector<int64_t> interior;
    for (int i = 0; i < rank; ++i) {
      low.push_back(chance(60) ? 0 : pick<int64_t>({1, 2, -1}));
      high.push_back(chance(60) ? 0 : pick<int64_t>({1, 3, -1}));
      interior.push_back(chance(80) ? 0 : 1);
    }
    return STEP((a, low, high, interior), pad(v[a], 1, low, high, interior));
  }
  case 5: {
    const size_t b = chance(50) ? a : value();
    const int axis = rank ? static_cast<int>(below(static_cast<size_t>(rank))) : 0;
    return STEP((a, b, axis), concatenate({v[a], v[b], v[a]}, axis))
        .inPython(called("joined", {a, b, a}, literal(axis)));
  }
  default: {
    const int axis = rank ? static_cast<int>(below(static_cast<size_t>(rank))) : 0;
    const int64_t size = rank ? shape[static_cast<size_t>(axis)] : 0;
    const Shape parts{size / 3, size - size / 3};
    const size_t which = below(2);
    return STEP((a, parts, axis, which), split(v[a], parts, axis)[which]);
  }
  }
}

Step Generator::reduction() {
  const size_t a = value();
  const int rank = values_[a].ndim();
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i)
    if (chance(50))
      axes.push_back(i);
  const bool keeps = chance(50);
  const int axis = rank ? static_cast<int>(below(static_cast<size_t>(rank))) : 0;
  const std::string over = overAxes(axes, keeps);
  switch (below(12)) {
  case 0:
  case 1:
  case 2:
    return STEP((a, axes, keeps), sum(v[a], axes, keeps)).inPython(called("sum", {a}, over));
  case 3:
    return STEP((a, axes, keeps), max(v[a], axes, keeps)).inPython(called("max", {a}, over));
  case 4:
    return STEP((a, axes, keeps), min(v[a], axes, keeps)).inPython(called("min", {a}, over));
  case 5:
    return STEP((a, axes, keeps), prod(v[a], axes, keeps)).inPython(called("prod", {a}, over));
  case 6:
    if (chance(50))
      return STEP((a, axes, keeps), any(v[a], axes, keeps)).inPython(called("any", {a}, over));
    return STEP((a, axes, keeps), all(v[a], axes, keeps)).inPython(called("all", {a}, over));
  case 7:
    return STEP((a, axes, keeps), mean(v[a], axes, keeps)).inPython(called("mean", {a}, over));
  case 8:
    return STEP((a, axis, keeps), argmax(v[a], axis, keeps))
        .inPython(rank ? called("argmax", {a}, "axis=" + literal(axis) + ", keepdims=" + (keeps ? "True" : "False"))
                       : "");
  default:
    return composed();
  }
}

/// A composite that has a kernel and rules, or one of a user's.
Step Generator::composed() {
  const size_t a = value();
  const int rank = values_[a].ndim(), axis = rank ? static_cast<int>(below(static_cast<size_t>(rank))) : 0;
  switch (below(8)) {
  case 0:
  case 1:
    return STEP((a, axis), log_softmax(v[a], axis)).inPython(called("log_softmax", {a}, literal(axis)));
  case 2: {
    // What the other axes leave has the sizes of these ones.
    std::vector<int64_t> axes, others;
    for (int i = 0; i < rank; ++i)
      (i == axis || chance(30) ? axes : others).push_back(i);
    if (others.empty())
      return STEP((a, axes), layer_norm(v[a], axes, 0.5, 0.25));
    return STEP((a, axes, others), layer_norm(v[a], axes, max(v[a], others), min(v[a], others), 1e-3));
  }
  case 3:
    return STEP((a, axis),
                composite("own", [=](const Array &x) { return log_softmax(x, axis) * 0.5f - mean(x); })(v[a]));
  case 4: {
    const size_t b = partner(a);
    return STEP((a, b), composite("gate", [](const Array &x, const Array &y) { return tanh(x) * y + x; })(v[a], v[b]));
  }
  default:
    return STEP((a, axis), softmax(v[a], axis)).inPython(called("softmax", {a}, literal(axis)));
  }
}

Step Generator::product() {
  const size_t a = value();
  for (int tries = 0; tries < 8; ++tries) {
    const size_t b = value();
    if (values_[a].ndim() < 2 || values_[b].ndim() < 2)
      continue;
    const int64_t inner = sizes(values_[a]).back();
    const std::vector<int64_t> shape = sizes(values_[b]);
    if (shape[shape.size() - 2] == inner)
      return STEP((a, b), matmul(v[a], v[b])).inPython(called("matmul", {a, b}));
    if (shape.back() == inner)
      return STEP((a, b), matmul(v[a], matrix_transpose(v[b])));
  }
  return unary();
}

Step Generator::choice() {
  const size_t a = value(), b = partner(a), c = partner(a);
  return STEP((a, b, c), where(greater(v[a], 0), v[b], v[c])).inPython(called("positive_or", {a, b, c}));
}

Step Generator::control() {
  const size_t a = value(), b = value();
  switch (below(6)) {
  case 0:
    return STEP((a, b), switch_case(
                            sum(astype(greater(v[a], 0), Dtype::i64)) - 1, [](const Array &x) { return tanh(x); },
                            [](const Array &x) { return x * 0.5f; },
                            [](const Array &x) { return where(greater(x, 0), tanh(x), 0.25f); }, v[b]));
  case 1:
    return STEP((a, b), jit([](const Array &x, const Array &y) { return tanh(x) - mean(y) / 3.0f; })(v[a], v[b]));
  case 2:
  case 3:
    return STEP((a, b), cond(
                            greater(sum(astype(v[a], f32)), 0), [](const Array &x) { return tanh(x); },
                            [](const Array &x) { return x * 0.5f; }, v[b]));
  default:
    return STEP((a), scan(
                         [](const Array &carry, const Array &x) {
                           Array next = tanh(carry * 0.5f + astype(x, f32));
                           return std::pair(next, next * next + carry);
                         },
                         zeros(v[a][0].shape()), v[a])
                         .second);
  }
}

Program Generator::makeChain() {
  Program program;
  for (size_t i = 1 + below(4); i > 0; --i)
    program.inputs.push_back(input());
  values_ = program.inputs;
  const size_t wanted = 3 + below(22);
  for (int tries = 0; program.steps.size() < wanted && tries < 200; ++tries) {
    const size_t which = below(100);
    append(program,
           which < 18   ? unary()
           : which < 40 ? binary()
           : which < 53 ? movement()
           : which < 64 ? reduction()
           : which < 68 ? product()
           : which < 71 ? choice()
           : which < 75 ? control()
                        : function(),
           20000);
  }
  program.outputs.push_back(values_.size() - 1);
  while (chance(50))
    program.outputs.push_back(below(values_.size()));
  return program;
}

bool Generator::append(Program &program, Step step, int64_t most) {
  // What makes no sense is an Error, and another is tried.
  try {
    Array result = step.apply(values_);
    if (result.ndim() > 5 || count(result) > most)
      return false;
    values_.push_back(std::move(result));
  } catch (const Error &) {
    return false;
  }
  program.hasProduct |= step.text.starts_with("matmul");
  program.steps.push_back(std::move(step));
  return true;
}

Program Generator::make() {
  isGraph_ = chance(40);
  return isGraph_ ? makeGraph() : makeChain();
}

} // namespace tenon::fuzz
