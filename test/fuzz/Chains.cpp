//===- Chains.cpp - programs of any ops over any arrays -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/Programs.h"

#include <cmath>

namespace tenon::fuzz {

std::string text(const Shape &shape) {
  std::string out;
  for (int i = 0; i < shape.rank(); ++i)
    out += (i ? "," : "") + shape[i].str();
  return "(" + out + ")";
}
std::string text(const std::vector<int64_t> &numbers) { return text(shapeOf(numbers)); }
std::string name(size_t i) { return "%" + std::to_string(i); }
std::string called(std::string_view function, std::initializer_list<size_t> values, const std::string &others) {
  std::string out;
  for (size_t i : values)
    out += (out.empty() ? "v[" : ", v[") + std::to_string(i) + "]";
  return std::string(function) + "(" + out + (others.empty() ? "" : ", " + others) + ")";
}
/// A tuple as Python writes it, of any length.
static std::string tuple(const std::vector<int64_t> &numbers) {
  std::string out = "(";
  for (int64_t number : numbers)
    out += std::to_string(number) + ",";
  return out + ")";
}
std::string overAxes(const std::vector<int64_t> &axes, bool keepdims) {
  return "axis=" + tuple(axes) + ", keepdims=" + (keepdims ? "True" : "False");
}
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
    std::vector<complex128> pairs;
    for (size_t i = 0; i < out.size(); ++i)
      pairs.push_back({out[i], out[out.size() - 1 - i] / 2});
    return astype(Array(std::span<const complex128>(pairs), shape), dtype);
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

Step Generator::unary() {
  using Function = Array (*)(const Operand &);
  static const std::pair<const char *, Function> table[] = {
      {"negative", negative}, {"abs", tenon::abs}, {"exp", tenon::exp},   {"log", tenon::log},  {"sqrt", tenon::sqrt},
      {"tanh", tenon::tanh},  {"relu", relu},      {"cbrt", tenon::cbrt}, {"erf_inv", erf_inv}, {"log1p", tenon::log1p},
  };
  const size_t a = value();
  if (chance(15)) {
    const Dtype to = pick({f32, f32, f64, Dtype::bf16, Dtype::f16, i8, i16, i32, Dtype::i64, Dtype::bool_, Dtype::c64,
                           Dtype::f8e4m3fn, Dtype::f8e5m2});
    // NaN and what does not fit have a value, but not one that C++ would check.
    if (kind(to) == Kind::integer && kind(values_[a].dtype()) == Kind::floating)
      return {"clip, astype " + std::string(short_name(to)) + " " + name(a), [=](const List &v) {
                Array x = where(equal(v[a], v[a]), v[a], 0);
                return astype(clip(x, -100, 100), to);
              }};
    // Few ops take what is only stored.
    if (is_storage(to) && chance(75))
      return {"astype " + std::string(short_name(to)) + " and back " + name(a),
              [=](const List &v) { return astype(astype(v[a], to), v[a].dtype()); }};
    return {"astype " + std::string(short_name(to)) + " " + name(a), [=](const List &v) { return astype(v[a], to); }};
  }
  if (chance(10)) {
    const float lo = pick({-1.0f, -0.5f, 0.0f}), hi = pick({0.5f, 1.0f, 3.0f});
    return {"clip " + name(a), [=](const List &v) { return clip(v[a], lo, hi); },
            called("clip", {a}, std::to_string(lo) + ", " + std::to_string(hi))};
  }
  if (chance(5))
    return {"optimization_barrier " + name(a), [=](const List &v) { return optimization_barrier({v[a]})[0]; }};
  auto [what, function] = table[below(std::size(table))];
  return {std::string(what) + " " + name(a), [=, f = function](const List &v) { return f(v[a]); }, called(what, {a})};
}

Step Generator::binary() {
  using Function = Array (*)(const Operand &, const Operand &);
  static const std::pair<const char *, Function> table[] = {
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
  auto [what, function] = table[below(std::size(table))];
  const size_t a = value();
  if (chance(25)) {
    const float scalar = pick({0.5f, 2.0f, -1.5f, 3.0f, 0.0f, 1.0f});
    const bool isFirst = chance(50);
    return {std::string(what) + (isFirst ? " number, " : " with number, ") + name(a),
            [=, f = function](const List &v) { return isFirst ? f(scalar, v[a]) : f(v[a], scalar); },
            isFirst ? called("number_first_" + std::string(what), {a}, std::to_string(scalar))
                    : called(what, {a}, std::to_string(scalar))};
  }
  const size_t b = partner(a);
  return {std::string(what) + " " + name(a) + ", " + name(b),
          [=, f = function](const List &v) { return f(v[a], v[b]); }, called(what, {a, b})};
}

Step Generator::movement() {
  const size_t a = value();
  const std::vector<int64_t> shape = sizes(values_[a]);
  const int rank = static_cast<int>(shape.size());
  switch (below(7)) {
  case 0: { // another factorization, or 1s put in
    std::vector<int64_t> to = shape;
    if (rank > 1 && chance(60)) {
      const size_t axis = below(static_cast<size_t>(rank - 1));
      to[axis] *= to[axis + 1];
      to.erase(to.begin() + static_cast<long>(axis) + 1);
    } else if (rank > 0 && to.back() % 2 == 0 && to.back() > 0 && chance(50)) {
      to.back() /= 2;
      to.push_back(2);
    } else {
      to.insert(to.begin() + static_cast<long>(below(to.size() + 1)), 1);
    }
    return {"reshape " + name(a) + " to " + text(to), [=](const List &v) { return reshape(v[a], shapeOf(to)); },
            called("reshape", {a}, tuple(to))};
  }
  case 1: {
    std::vector<int64_t> order;
    for (int i = 0; i < rank; ++i)
      order.insert(order.begin() + static_cast<long>(below(order.size() + 1)), i);
    return {"transpose " + name(a) + " by " + text(order), [=](const List &v) { return transpose(v[a], order); },
            called("transpose", {a}, tuple(order))};
  }
  case 2: {
    std::vector<int64_t> to = shape;
    for (int64_t &size : to)
      if (size == 1)
        size = pick<int64_t>({1, 2, 5, 16});
    if (chance(50))
      to.insert(to.begin(), pick<int64_t>({1, 3, 4}));
    return {"broadcast_to " + name(a) + " to " + text(to),
            [=](const List &v) { return broadcast_to(v[a], shapeOf(to)); }, called("broadcast_to", {a}, tuple(to))};
  }
  case 3: {
    std::vector<int64_t> starts, stops, steps;
    for (int64_t size : shape) {
      const auto start = static_cast<int64_t>(below(static_cast<size_t>(size) + 1));
      if (size > 0 && chance(20)) { // from the end
        starts.push_back(size - 1);
        stops.push_back(-1);
        steps.push_back(-1 - static_cast<int64_t>(below(2)));
        continue;
      }
      starts.push_back(chance(50) ? 0 : start);
      stops.push_back(starts.back() + static_cast<int64_t>(below(static_cast<size_t>(size - starts.back()) + 1)));
      if (chance(60))
        stops.back() = size;
      steps.push_back(chance(70) ? 1 : 2);
    }
    return {"slice " + name(a) + " " + text(starts) + ":" + text(stops) + ":" + text(steps),
            [=](const List &v) { return slice(v[a], shapeOf(starts), shapeOf(stops), steps); },
            called("sliced", {a}, tuple(starts) + ", " + tuple(stops) + ", " + tuple(steps))};
  }
  case 4: {
    std::vector<int64_t> low, high, interior;
    for (int i = 0; i < rank; ++i) {
      low.push_back(chance(60) ? 0 : pick<int64_t>({1, 2, -1}));
      high.push_back(chance(60) ? 0 : pick<int64_t>({1, 3, -1}));
      interior.push_back(chance(80) ? 0 : 1);
    }
    return {"pad " + name(a) + " " + text(low) + text(high) + text(interior),
            [=](const List &v) { return pad(v[a], 1, shapeOf(low), shapeOf(high), interior); }};
  }
  case 5: {
    const size_t b = chance(50) ? a : value();
    const int axis = rank ? static_cast<int>(below(static_cast<size_t>(rank))) : 0;
    return {"concatenate " + name(a) + ", " + name(b) + " along " + std::to_string(axis),
            [=](const List &v) { return concatenate({v[a], v[b], v[a]}, axis); },
            called("joined", {a, b, a}, std::to_string(axis))};
  }
  default: {
    const size_t axis = rank ? below(static_cast<size_t>(rank)) : 0;
    const int64_t size = rank ? shape[axis] : 0, first = size / 3;
    const size_t which = below(2);
    return {"split " + name(a) + " along " + std::to_string(axis) + ", part " + std::to_string(which),
            [=](const List &v) { return split(v[a], {first, size - first}, static_cast<int>(axis))[which]; }};
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
  const std::string over = name(a) + " over " + text(axes) + (keeps ? " kept" : "");
  switch (below(12)) {
  case 0:
  case 1:
  case 2:
    return {"sum " + over, [=](const List &v) { return sum(v[a], axes, keeps); },
            called("sum", {a}, overAxes(axes, keeps))};
  case 3:
    return {"max " + over, [=](const List &v) { return max(v[a], axes, keeps); },
            called("max", {a}, overAxes(axes, keeps))};
  case 4:
    return {"min " + over, [=](const List &v) { return min(v[a], axes, keeps); },
            called("min", {a}, overAxes(axes, keeps))};
  case 5:
    return {"prod " + over, [=](const List &v) { return prod(v[a], axes, keeps); },
            called("prod", {a}, overAxes(axes, keeps))};
  case 6:
    if (chance(50))
      return {"any " + over, [=](const List &v) { return any(v[a], axes, keeps); },
              called("any", {a}, overAxes(axes, keeps))};
    return {"all " + over, [=](const List &v) { return all(v[a], axes, keeps); },
            called("all", {a}, overAxes(axes, keeps))};
  case 7:
    return {"mean " + over, [=](const List &v) { return mean(v[a], axes, keeps); },
            called("mean", {a}, overAxes(axes, keeps))};
  case 8:
    return {"argmax " + name(a) + " along " + std::to_string(axis),
            [=](const List &v) { return argmax(v[a], axis, keeps); },
            rank ? called("argmax", {a}, "axis=" + std::to_string(axis) + ", keepdims=" + (keeps ? "True" : "False"))
                 : ""};
  default:
    return composed();
  }
}

/// A composite that has a kernel and rules, or one of a user's.
Step Generator::composed() {
  const size_t a = value();
  const int rank = values_[a].ndim(), axis = rank ? static_cast<int>(below(static_cast<size_t>(rank))) : 0;
  const std::string along = name(a) + " along " + std::to_string(axis);
  switch (below(8)) {
  case 0:
  case 1:
    return {"log_softmax " + along, [=](const List &v) { return log_softmax(v[a], axis); },
            called("log_softmax", {a}, std::to_string(axis))};
  case 2: {
    // What the other axes leave has the sizes of these ones.
    std::vector<int64_t> axes, others;
    for (int i = 0; i < rank; ++i)
      (i == axis || chance(30) ? axes : others).push_back(i);
    if (others.empty())
      return {"layer_norm " + name(a) + " over all", [=](const List &v) { return layer_norm(v[a], axes, 0.5, 0.25); }};
    return {"layer_norm " + name(a) + " over " + text(axes),
            [=](const List &v) { return layer_norm(v[a], axes, max(v[a], others), min(v[a], others), 1e-3); }};
  }
  case 3:
    return {"own composite of " + along, [=](const List &v) {
              return composite("own", [axis](const Array &x) { return log_softmax(x, axis) * 0.5f - mean(x); })(v[a]);
            }};
  case 4: {
    const size_t b = partner(a);
    return {"own composite of " + name(a) + ", " + name(b), [=](const List &v) {
              return composite("gate", [](const Array &x, const Array &y) { return tenon::tanh(x) * y + x; })(v[a],
                                                                                                              v[b]);
            }};
  }
  default:
    return {"softmax " + along, [=](const List &v) { return softmax(v[a], axis); },
            called("softmax", {a}, std::to_string(axis))};
  }
}

Step Generator::product() {
  const size_t a = value();
  for (int tries = 0; tries < 8; ++tries) {
    const size_t b = value();
    if (values_[a].ndim() < 2 || values_[b].ndim() < 2)
      continue;
    const int64_t inner = sizes(values_[a]).back();
    std::vector<int64_t> shape = sizes(values_[b]);
    if (shape[shape.size() - 2] == inner)
      return {"matmul " + name(a) + ", " + name(b), [=](const List &v) { return matmul(v[a], v[b]); },
              called("matmul", {a, b})};
    if (shape.back() == inner) {
      std::vector<int64_t> order;
      for (size_t i = 0; i < shape.size(); ++i)
        order.push_back(static_cast<int64_t>(i));
      std::swap(order.back(), order[order.size() - 2]);
      return {"matmul " + name(a) + ", " + name(b) + " transposed",
              [=](const List &v) { return matmul(v[a], transpose(v[b], order)); }};
    }
  }
  return unary();
}

Step Generator::choice() {
  const size_t a = value(), b = partner(a), c = partner(a);
  return {"where " + name(a) + " > 0, " + name(b) + ", " + name(c),
          [=](const List &v) { return where(greater(v[a], 0), v[b], v[c]); }, called("positive_or", {a, b, c})};
}

Step Generator::control() {
  const size_t a = value(), b = value();
  const size_t which = below(6);
  if (which == 0)
    return {"switch_case how many of " + name(a) + " > 0: tanh " + name(b) + ", half of it or some of it",
            [=](const List &v) {
              return switch_case(
                  sum(astype(greater(v[a], 0), Dtype::i64)) - 1, [](const Array &x) { return tenon::tanh(x); },
                  [](const Array &x) { return x * 0.5f; },
                  [](const Array &x) { return where(greater(x, 0), tenon::tanh(x), 0.25f); }, v[b]);
            }};
  if (which == 1)
    return {"call with " + name(a) + ", " + name(b), [=](const List &v) {
              return jit([](const Array &x, const Array &y) { return tenon::tanh(x) - mean(y) / 3.0f; })(v[a], v[b]);
            }};
  if (which < 4)
    return {"cond sum " + name(a) + " > 0: tanh " + name(b) + " or half of it", [=](const List &v) {
              return cond(
                  greater(sum(astype(v[a], f32)), 0), [](const Array &x) { return tenon::tanh(x); },
                  [](const Array &x) { return x * 0.5f; }, v[b]);
            }};
  return {"scan " + name(a), [=](const List &v) {
            Array start = zeros(v[a][0].shape());
            auto [last, all] = scan(
                [](const Array &carry, const Array &x) {
                  Array next = tenon::tanh(carry * 0.5f + astype(x, f32));
                  return std::pair(next, next * next);
                },
                start, v[a]);
            return all + last;
          }};
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
