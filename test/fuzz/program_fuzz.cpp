//===- program_fuzz.cpp - random programs, the same bits in every mode --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// program_fuzz [programs = 1000] [seed = 1]: makes functions of random ops over
// random arrays and compares their eager results, bit by bit, with those of jit,
// of the interpreter and of a program for symbolic sizes; the same for gradients
// and for vmap. What differs is printed with its seed, then the exit status is 1.
//===----------------------------------------------------------------------===//
#include "test/Elements.h"

#include <tenon/tenon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>

namespace tenon::fuzz {
namespace {

using List = std::vector<Array>;

/// One op of a program on what was computed before it.
struct Step {
  std::string text;
  std::function<Array(const List &values)> apply;
};

struct Program {
  List inputs;
  std::vector<Step> steps;
  std::vector<size_t> outputs;
  bool hasProduct = false; // of matrices

  List run(const List &in) const {
    List values = in, results;
    for (const Step &step : steps)
      values.push_back(step.apply(values));
    for (size_t i : outputs)
      results.push_back(values[i]);
    return results;
  }
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  Program make();

private:
  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }

  Array number(Dtype dtype, const Shape &shape);
  Array input();
  size_t value() {
    return chance(60) ? values_.size() - 1 - below(std::min<size_t>(values_.size(), 3)) : below(values_.size());
  }
  /// A value whose shape broadcasts with that of `other`.
  size_t partner(size_t other);
  Step unary();
  Step binary();
  Step movement();
  Step reduction();
  Step product();
  Step choice();
  Step control();

  std::mt19937_64 random_;
  List values_;
};

} // namespace

static std::string text(const Shape &shape) {
  std::string out;
  for (int i = 0; i < shape.rank(); ++i)
    out += (i ? "," : "") + shape[i].str();
  return "(" + out + ")";
}
static std::string text(const std::vector<int64_t> &numbers) { return text(Shape(std::span<const int64_t>(numbers))); }
static std::string name(size_t i) { return "%" + std::to_string(i); }
static bool isFloating(const Array &x) { return kind(x.dtype()) == Kind::floating; }
static std::vector<int64_t> sizes(const Array &x) {
  std::vector<int64_t> out;
  for (int i = 0; i < x.ndim(); ++i)
    out.push_back(static_cast<int64_t>(x.shape()[i]));
  return out;
}
static int64_t count(const Array &x) {
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
      x = std::isfinite(x) && std::abs(x) < 100 ? std::floor(dtype == Dtype::u8 ? std::abs(x) : x) : 3;
  return astype(reshape(Array(out), shape), dtype);
}

Array Generator::input() {
  const Dtype dtype = pick({f32, f32, f32, f32, f32, f32, f64, Dtype::bf16, i32, i32, Dtype::u8, Dtype::bool_});
  std::vector<int64_t> shape;
  for (size_t rank = below(4); rank > 0; --rank)
    shape.push_back(chance(3) ? 0 : pick<int64_t>({1, 2, 3, 4, 5, 8, 16, 17, 31, 33, 64}));
  Array x = number(dtype, Shape(std::span<const int64_t>(shape)));
  // A view, as a caller may have one.
  if (x.ndim() > 1 && chance(20))
    x = transpose(x);
  if (x.ndim() == 1 && count(x) > 0 && chance(30))
    x = slice(x, {count(x) - 1}, {-1}, -1);
  return x;
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
      {"tanh", tenon::tanh},  {"relu", relu},      {"cbrt", tenon::cbrt}, {"erf_inv", erf_inv},
  };
  const size_t a = value();
  if (chance(15)) {
    const Dtype to = pick({f32, f32, f64, Dtype::bf16, i32, Dtype::i64, Dtype::bool_});
    // NaN and what does not fit have a value, but not one that C++ would check.
    if (kind(to) == Kind::integer && isFloating(values_[a]))
      return {"clip, astype " + std::string(short_name(to)) + " " + name(a), [=](const List &v) {
                Array x = where(equal(v[a], v[a]), v[a], 0);
                return astype(clip(x, -100, 100), to);
              }};
    return {"astype " + std::string(short_name(to)) + " " + name(a), [=](const List &v) { return astype(v[a], to); }};
  }
  if (chance(10)) {
    const float lo = pick({-1.0f, -0.5f, 0.0f}), hi = pick({0.5f, 1.0f, 3.0f});
    return {"clip " + name(a), [=](const List &v) { return clip(v[a], lo, hi); }};
  }
  if (chance(5))
    return {"optimization_barrier " + name(a), [=](const List &v) { return optimization_barrier({v[a]})[0]; }};
  auto [what, function] = table[below(std::size(table))];
  return {std::string(what) + " " + name(a), [=, f = function](const List &v) { return f(v[a]); }};
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
  };
  auto [what, function] = table[below(std::size(table))];
  const size_t a = value();
  if (chance(25)) {
    const float scalar = pick({0.5f, 2.0f, -1.5f, 3.0f, 0.0f, 1.0f});
    const bool isFirst = chance(50);
    return {std::string(what) + (isFirst ? " number, " : " with number, ") + name(a),
            [=, f = function](const List &v) { return isFirst ? f(scalar, v[a]) : f(v[a], scalar); }};
  }
  const size_t b = partner(a);
  return {std::string(what) + " " + name(a) + ", " + name(b),
          [=, f = function](const List &v) { return f(v[a], v[b]); }};
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
    return {"reshape " + name(a) + " to " + text(to),
            [=](const List &v) { return reshape(v[a], Shape(std::span<const int64_t>(to))); }};
  }
  case 1: {
    std::vector<int64_t> order;
    for (int i = 0; i < rank; ++i)
      order.insert(order.begin() + static_cast<long>(below(order.size() + 1)), i);
    return {"transpose " + name(a) + " by " + text(order), [=](const List &v) { return transpose(v[a], order); }};
  }
  case 2: {
    std::vector<int64_t> to = shape;
    for (int64_t &size : to)
      if (size == 1)
        size = pick<int64_t>({1, 2, 5, 16});
    if (chance(50))
      to.insert(to.begin(), pick<int64_t>({1, 3, 4}));
    return {"broadcast_to " + name(a) + " to " + text(to),
            [=](const List &v) { return broadcast_to(v[a], Shape(std::span<const int64_t>(to))); }};
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
    return {"slice " + name(a) + " " + text(starts) + ":" + text(stops) + ":" + text(steps), [=](const List &v) {
              return slice(v[a], Shape(std::span<const int64_t>(starts)), Shape(std::span<const int64_t>(stops)),
                           steps);
            }};
  }
  case 4: {
    std::vector<int64_t> low, high, interior;
    for (int i = 0; i < rank; ++i) {
      low.push_back(chance(60) ? 0 : pick<int64_t>({1, 2, -1}));
      high.push_back(chance(60) ? 0 : pick<int64_t>({1, 3, -1}));
      interior.push_back(chance(80) ? 0 : 1);
    }
    return {"pad " + name(a) + " " + text(low) + text(high) + text(interior), [=](const List &v) {
              return pad(v[a], 1, Shape(std::span<const int64_t>(low)), Shape(std::span<const int64_t>(high)),
                         interior);
            }};
  }
  case 5: {
    const size_t b = chance(50) ? a : value();
    const int axis = rank ? static_cast<int>(below(static_cast<size_t>(rank))) : 0;
    return {"concatenate " + name(a) + ", " + name(b) + " along " + std::to_string(axis),
            [=](const List &v) { return concatenate({v[a], v[b], v[a]}, axis); }};
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
  switch (below(8)) {
  case 0:
  case 1:
    return {"sum " + over, [=](const List &v) { return sum(v[a], axes, keeps); }};
  case 2:
    return {"max " + over, [=](const List &v) { return max(v[a], axes, keeps); }};
  case 3:
    return {"mean " + over, [=](const List &v) { return mean(v[a], axes, keeps); }};
  case 4:
    return {"argmax " + name(a) + " along " + std::to_string(axis),
            [=](const List &v) { return argmax(v[a], axis, keeps); }};
  case 5:
    return {"log_softmax " + name(a) + " along " + std::to_string(axis),
            [=](const List &v) { return log_softmax(v[a], axis); }};
  default:
    return {"softmax " + name(a) + " along " + std::to_string(axis),
            [=](const List &v) { return softmax(v[a], axis); }};
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
      return {"matmul " + name(a) + ", " + name(b), [=](const List &v) { return matmul(v[a], v[b]); }};
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
          [=](const List &v) { return where(greater(v[a], 0), v[b], v[c]); }};
}

Step Generator::control() {
  const size_t a = value(), b = value();
  if (chance(50))
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

Program Generator::make() {
  Program program;
  for (size_t i = 1 + below(4); i > 0; --i)
    program.inputs.push_back(input());
  values_ = program.inputs;
  const size_t wanted = 3 + below(22);
  for (int tries = 0; program.steps.size() < wanted && tries < 200; ++tries) {
    const size_t which = below(100);
    Step step = which < 25   ? unary()
                : which < 55 ? binary()
                : which < 72 ? movement()
                : which < 86 ? reduction()
                : which < 91 ? product()
                : which < 96 ? choice()
                             : control();
    // What makes no sense is an Error, and another is tried.
    try {
      Array result = step.apply(values_);
      if (result.ndim() > 5 || count(result) > 20000)
        continue;
      values_.push_back(std::move(result));
    } catch (const Error &) {
      continue;
    }
    program.hasProduct |= step.text.starts_with("matmul");
    program.steps.push_back(std::move(step));
  }
  program.outputs.push_back(values_.size() - 1);
  while (chance(50))
    program.outputs.push_back(below(values_.size()));
  return program;
}

/// Empty, or what differs. Any NaN equals any NaN.
static std::string difference(const Array &got, const Array &expected) {
  if (got.dtype() != expected.dtype() || text(got.shape()) != text(expected.shape()))
    return std::string(short_name(got.dtype())) + text(got.shape()) + " for " +
           std::string(short_name(expected.dtype())) + text(expected.shape());
  return withElement(got.dtype(), [&]<class T>(T *) -> std::string {
    std::vector<T> a = got.to_vector<T>(), b = expected.to_vector<T>();
    for (size_t i = 0; i < a.size(); ++i) {
      const T x = a[i], y = b[i];
      if (std::memcmp(&x, &y, sizeof(T)) == 0)
        continue;
      if constexpr (!std::is_same_v<T, complex64>) {
        if (double(x) != double(x) && double(y) != double(y))
          continue;
        char numbers[80];
        std::snprintf(numbers, sizeof(numbers), "%.17g for %.17g", double(x), double(y));
        return "element " + std::to_string(i) + ": " + numbers;
      }
      return "element " + std::to_string(i);
    }
    return "";
  });
}

namespace {

/// One program in all its modes.
class Check {
public:
  Check(const Program &program, uint64_t seed) : program_(program), seed_(seed) {}
  bool run();
  static inline long compared = 0, symbolic = 0, gradients = 0, mapped = 0;

private:
  void fail(const char *mode, const std::string &what);
  void expect(const char *mode, const List &got, const List &expected);
  void values();
  void sized();
  void differentiated();
  void vectorized();

  const Program &program_;
  uint64_t seed_;
  bool isRight_ = true;
};

} // namespace

void Check::fail(const char *mode, const std::string &what) {
  if (isRight_) {
    std::printf("seed %lu\n", static_cast<unsigned long>(seed_));
    size_t i = 0;
    for (const Array &input : program_.inputs)
      std::printf("  %s = %s%s\n", name(i++).c_str(), std::string(short_name(input.dtype())).c_str(),
                  text(input.shape()).c_str());
    for (const Step &step : program_.steps)
      std::printf("  %s = %s\n", name(i++).c_str(), step.text.c_str());
    std::printf("  return");
    for (size_t output : program_.outputs)
      std::printf(" %s", name(output).c_str());
    std::printf("\n");
  }
  isRight_ = false;
  std::printf("  %s: %s\n", mode, what.c_str());
}

void Check::expect(const char *mode, const List &got, const List &expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    ++compared;
    if (std::string what = difference(got[i], expected[i]); !what.empty())
      fail(mode, "result " + std::to_string(i) + ", " + what);
  }
}

/// Something to differentiate.
static Array lossOf(const List &results) {
  Array total = 0.0f;
  for (const Array &result : results)
    if (isFloating(result))
      total = total + sum(astype(tenon::tanh(result), f32));
  return total;
}

void Check::values() {
  const List expected = program_.run(program_.inputs);
  auto f = [this](const List &in) { return program_.run(in); };
  expect("jit", jit(f)(program_.inputs), expected);
  expect("interpreted", jit(f, {.compile = Compile::never})(program_.inputs), expected);
}

/// The first size of the first input as a symbol, where the program allows it.
void Check::sized() {
  const Array &first = program_.inputs[0];
  if (first.ndim() == 0 || sizes(first)[0] < 2)
    return;
  Shape shape = first.shape();
  shape[0] = Dim("n");
  const List rest(program_.inputs.begin() + 1, program_.inputs.end());
  auto plain = [this](const Array &x, const List &others) {
    List in{x};
    in.insert(in.end(), others.begin(), others.end());
    return program_.run(in);
  };
  auto f = jit(plain, {.specs = {TensorSpec{first.dtype(), shape}, as_called}});
  List got;
  try {
    got = f(first, rest);
  } catch (const Error &) {
    return; // it compares the size with a number
  }
  ++symbolic;
  expect("symbolic", got, program_.run(program_.inputs));
  if (!isFloating(first))
    return;
  auto loss = [&](const Array &x, const List &others) { return lossOf(plain(x, others)); };
  auto symbolicLoss = jit(loss, {.specs = {TensorSpec{first.dtype(), shape}, as_called}});
  expect("grad of symbolic jit", {grad(symbolicLoss)(first, rest)}, {grad(loss)(first, rest)});
}

void Check::differentiated() {
  if (!isFloating(program_.inputs[0]))
    return;
  auto loss = [this](const List &in) { return lossOf(program_.run(in)); };
  const List expected = grad(loss)(program_.inputs);
  expect("jit of grad", jit(grad(loss))(program_.inputs), expected);
  expect("grad of jit", grad(jit(loss))(program_.inputs), expected);
  ++gradients;
}

void Check::vectorized() {
  const Array &first = program_.inputs[0];
  if (first.dtype() == Dtype::bool_ || count(first) > 4000)
    return;
  std::vector<int64_t> shape = sizes(first);
  shape.insert(shape.begin(), 1);
  auto example = [&](const Array &x) { return reshape(x, Shape(std::span<const int64_t>(shape))); };
  const Array batch = concatenate({example(first), example(first + first), example(first * 0)}, 0);
  const List rest(program_.inputs.begin() + 1, program_.inputs.end());
  auto f = [this](const Array &x, const List &others) {
    List in{astype(x, program_.inputs[0].dtype())};
    in.insert(in.end(), others.begin(), others.end());
    return program_.run(in);
  };
  auto all = vmap(f, {.in_axes = {0, none}});
  List expected;
  try {
    expected = all(batch, rest);
  } catch (const Error &error) {
    return fail("vmap", error.what());
  }
  ++mapped;
  expect("jit of vmap", jit(all)(batch, rest), expected);
  expect("vmap of jit", vmap(jit(f), {.in_axes = {0, none}})(batch, rest), expected);
  // A product of matrices takes all examples' rows at once, so may round otherwise.
  if (program_.hasProduct)
    return;
  for (int i = 0; i < 3; ++i) {
    List one;
    for (const Array &result : expected)
      one.push_back(result[i]);
    expect(("example " + std::to_string(i)).c_str(), one, f(batch[i], rest));
  }
}

bool Check::run() {
  for (auto [what, mode] : {std::pair{&Check::values, "values"}, std::pair{&Check::sized, "symbolic"},
                            std::pair{&Check::differentiated, "gradients"}, std::pair{&Check::vectorized, "vmap"}})
    try {
      (this->*what)();
    } catch (const Error &error) {
      fail(mode, error.what());
    }
  return isRight_;
}

} // namespace tenon::fuzz

int main(int argc, char **argv) {
  using namespace tenon::fuzz;
  const unsigned long programs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  unsigned long wrong = 0;
  for (unsigned long i = 0; i < programs; ++i)
    wrong += !Check(Generator(seed + i).make(), seed + i).run();
  std::printf(
      "%lu programs from seed %lu, %lu wrong; %ld arrays compared; %ld with a symbolic size, %ld gradients, %ld "
      "mapped\n",
      programs, seed, wrong, Check::compared, Check::symbolic, Check::gradients, Check::mapped);
  return wrong != 0;
}
