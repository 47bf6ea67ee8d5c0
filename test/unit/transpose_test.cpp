//===- transpose_test.cpp - transposes of linear functions ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

using namespace tenon;
using tenon::test::errorOf;
using tenon::test::messageOf;

namespace {
const Array matrix = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}};
const Array x3 = {1.0f, -2.0f, 0.5f};

Array dot(const Array &a, const Array &b) { return sum(a * b); }

/// <f(x), y> = <x, transpose(y)>, without a conjugate.
template <class F>
void expectTransposed(F f, const Array &x, const Array &y) {
  const Array back = linear_transpose(f, x)(y);
  EXPECT_EQ(back.dtype(), x.dtype());
  EXPECT_EQ(back.shape(), x.shape());
  EXPECT_TRUE(bool(allclose(dot(f(x), y), dot(x, back), 1e-5, 1e-5))) << back;
}
} // namespace

TEST(LinearTranspose, OfAMatrixIsItsTranspose) {
  auto f = [](const Array &x) { return matmul(matrix, x); };
  auto transposed = linear_transpose(f, x3);
  EXPECT_EQ(transposed({1.0f, 0.0f}).to_vector<float>(), (std::vector{1.0f, 2.0f, 3.0f}));
  EXPECT_EQ(transposed({1.0f, 10.0f}).to_vector<float>(), (std::vector{41.0f, 52.0f, 63.0f}));
  // Of the argument only the type matters.
  const Array nothing = eval_shape([](const Array &x) { return x; }, x3);
  EXPECT_EQ(linear_transpose(f, nothing)({1.0f, 0.0f}).to_vector<float>(), (std::vector{1.0f, 2.0f, 3.0f}));
}

TEST(LinearTranspose, OfAllLinearOps) {
  const Array y3 = {3.0f, 1.0f, -1.0f}, y33 = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}, {7.0f, 8.0f, -9.0f}};
  const Array places = {2, 0, 2}, mask = Array({true, false, true});
  expectTransposed([](const Array &x) { return -x * 2 / 4.0f + x - 3 * x; }, x3, y3);
  expectTransposed([](const Array &x) { return cumulative_sum(x) + flip(x, 0); }, x3, y3);
  expectTransposed([](const Array &x) { return broadcast_to(reshape(x, {3, 1}), {3, 3}); }, x3, y33);
  expectTransposed([](const Array &x) { return transpose(x * reshape(x3, {3, 1})); }, x3, y33);
  expectTransposed([&](const Array &x) { return where(mask, x, 0); }, x3, y3);
  expectTransposed([&](const Array &x) { return where(mask, 0.0f, x); }, x3, y3);
  expectTransposed([&](const Array &x) { return take(x, places, 0); }, x3, y3);
  expectTransposed([&](const Array &x) { return zeros({3}).at[places].add(x); }, x3, y3);
  expectTransposed([](const Array &x) { return concatenate({x[slice(1, 3)], zeros({1})}, 0); }, x3, y3);
  expectTransposed([](const Array &x) { return pad(x, 0, {1}, {0})[slice(0, 3)]; }, x3, y3);
  expectTransposed([](const Array &x) { return stack({x, x * 2, zeros({3})}); }, x3, y33);
  expectTransposed([](const Array &x) { return mean(x) * x3 + sum(x); }, x3, y3);
  expectTransposed([](const Array &x) { return roll(x, 1) + diff(concatenate({x, x[slice(0, 1)]}, 0)); }, x3, y3);
  expectTransposed([](const Array &x) { return astype(astype(x, f64) * 2, f32); }, x3, y3);
}

TEST(LinearTranspose, OfComplexArraysDoesNotConjugate) {
  const Array factor = {complex64_t{1, 2}, complex64_t{0, -1}}, x = {complex64_t{1, 1}, complex64_t{2, -1}};
  const Array y = {complex64_t{3, -1}, complex64_t{1, 4}};
  expectTransposed([&](const Array &x) { return x * factor; }, x, y);
  auto times = linear_transpose([&](const Array &x) { return x * factor; }, x);
  EXPECT_EQ(times(y).to_vector<complex64_t>(), (y * factor).to_vector<complex64_t>());
  // As JAX has them: conj's is conj, real's is complex(y, 0), that of numbers made of real ones the real part.
  auto conjugated = linear_transpose([](const Array &x) { return conj(x); }, x);
  EXPECT_EQ(conjugated(y).to_vector<complex64_t>(), conj(y).to_vector<complex64_t>());
  auto parts = linear_transpose([](const Array &x) { return real(x); }, x);
  EXPECT_EQ(parts({2.0f, 3.0f}).to_vector<complex64_t>(), (std::vector{complex64_t{2, 0}, complex64_t{3, 0}}));
  auto rotated = linear_transpose([&](const Array &x) { return x * factor; }, Array{1.0f, 1.0f});
  EXPECT_EQ(rotated(y).to_vector<float>(), real(y * factor).to_vector<float>());
}

namespace {
struct Point {
  Array x, y;
  std::string name;
};
} // namespace

TEST(LinearTranspose, TakesTreesAndSeveralArguments) {
  auto f = [](const Point &p, const Array &z) { return std::pair(p.x + 2 * z, p.y * 3); };
  auto [point, z] =
      linear_transpose(f, Point{1.0f, {1.0f, 1.0f}, "p"}, 1.0f)(std::pair<Array, Array>(10.0f, Array{1.0f, 2.0f}));
  EXPECT_EQ(point.x.item<float>(), 10);
  EXPECT_EQ(point.y.to_vector<float>(), (std::vector{3.0f, 6.0f}));
  EXPECT_EQ(point.name, "p");
  EXPECT_EQ(z.item<float>(), 20);
  // What does not depend on an argument gives it zeros.
  auto first = [](const Array &x, const Array &) { return 2 * x; };
  EXPECT_EQ(std::get<1>(linear_transpose(first, x3, x3)(x3)).to_vector<float>(), (std::vector{0.0f, 0.0f, 0.0f}));
  // A function and a member function, too.
  Variable scale{2.0f};
  auto scaled = linear_transpose([&](const Array &x) { return x * scale; }, x3);
  scale.assign(5.0f);
  EXPECT_EQ(scaled(x3).to_vector<float>(), (2 * x3).to_vector<float>());
}

TEST(LinearTranspose, OfControlFlowAndOfFunctionsInFunctions) {
  const Array weights = {{2.0f, 3.0f, 4.0f}, {0.5f, 1.0f, 2.0f}}, y3 = {3.0f, 1.0f, -1.0f};
  auto run = [&](const Array &x) {
    auto body = [](const Array &carry, const Array &w) { return std::pair(carry * w, carry + 2 * carry); };
    auto [last, all] = scan(body, x, weights);
    return last + sum(all, 0);
  };
  expectTransposed(run, x3, y3);
  // The carry comes to depend on x in the second round.
  auto late = [&](const Array &x) {
    auto body = [&](const std::pair<Array, Array> &carry, const Array &w) {
      return std::pair(std::pair(carry.second, carry.second * w), carry.first);
    };
    auto [last, all] = scan(body, std::pair(zeros({3}), x), weights);
    return last.first + sum(all, 0);
  };
  expectTransposed(late, x3, y3);
  auto chosen = [](const Array &x) {
    return cond(sum(x3) > 100, [](const Array &x) { return x * 2; }, [](const Array &x) { return x * x3; }, x);
  };
  expectTransposed(chosen, x3, y3);
  expectTransposed(jit([](const Array &x) { return matmul(transpose(matrix), matmul(matrix, x)); }), x3, y3);
  expectTransposed(checkpoint([](const Array &x) { return x * x3; }), x3, y3);
  expectTransposed(
      [](const Array &x) {
        return vmap([](const Array &row, const Array &x) { return sum(row * x); }, {.in_axes = {0, none}})(matrix, x);
      },
      x3, Array{1.0f, 2.0f});
  // The transpose of the transpose is the function.
  auto twice = [&](const Array &y) { return linear_transpose(run, x3)(y); };
  EXPECT_TRUE(bool(allclose(linear_transpose(twice, y3)(x3), run(x3))));
  // A linearized function is linear.
  auto push = linearize([](const Array &x) { return sin(x) * x; }, x3).second;
  expectTransposed(push, x3, y3);
}

TEST(LinearTranspose, InsideAndAroundOtherTransformations) {
  const Array y2 = {2.0f, -1.0f};
  auto back = [](const Array &m, const Array &y) {
    return linear_transpose([&](const Array &x) { return matmul(m, x); }, x3)(y);
  };
  const std::vector<float> expected = matmul(transpose(matrix), y2).to_vector<float>();
  EXPECT_EQ(jit(back)(matrix, y2).to_vector<float>(), expected);
  auto transposed = linear_transpose([](const Array &x) { return matmul(matrix, x); }, x3);
  EXPECT_EQ(jit(transposed)(y2).to_vector<float>(), expected);
  EXPECT_EQ(vmap(transposed)(stack({y2, 2 * y2}))[0].to_vector<float>(), expected);
  EXPECT_EQ(vmap(back, {.in_axes = {0, none}})(stack({matrix, matrix * 2}), y2)[0].to_vector<float>(), expected);
  // By what the function captures: sum(m^T y) has ones as derivatives of the rows, times y.
  auto total = [&](const Array &m) { return sum(back(m, y2)); };
  EXPECT_EQ(grad(total)(matrix).to_vector<float>(), (std::vector{2.0f, 2.0f, 2.0f, -1.0f, -1.0f, -1.0f}));
  EXPECT_EQ(jvp(total, matrix, ones({2, 3})).second.item<float>(), 3);
  GradientTape tape;
  tape.watch(matrix);
  EXPECT_EQ(tape.gradient(total(matrix), matrix).to_vector<float>(),
            (std::vector{2.0f, 2.0f, 2.0f, -1.0f, -1.0f, -1.0f}));
}

TEST(LinearTranspose, NamesWhatIsNotLinear) {
  const std::string start = "linear_transpose: expected a function that is linear in its arguments, got ";
  auto got = [&](auto f) {
    const std::string text = errorOf([&] { (void)linear_transpose(f, x3); });
    EXPECT_TRUE(text.starts_with(start)) << text;
    const size_t file = text.find(", at "), line = text.find("\n");
    EXPECT_NE(text.find("transpose_test.cpp:"), std::string::npos) << text;
    return text.substr(start.size(), std::min(file, line) - start.size());
  };
  EXPECT_EQ(got([](const Array &x) { return sin(x); }), "sin of values that depend on them");
  EXPECT_EQ(got([](const Array &x) { return x * x; }), "multiply of values that depend on them");
  EXPECT_EQ(got([](const Array &x) { return 1 / x; }), "divide of values that depend on them");
  EXPECT_EQ(got([](const Array &x) { return floor(x); }), "floor of values that depend on them");
  EXPECT_EQ(got([](const Array &x) { return where(x > 0, x, 0); }), "less of values that depend on them");
  EXPECT_EQ(got([](const Array &x) { return astype(astype(x, i32), f32); }), "astype of values that depend on them");
  const std::string sum = " of a value that depends on them and a nonzero value that does not";
  EXPECT_EQ(got([](const Array &x) { return x + 1; }), "add" + sum);
  EXPECT_EQ(got([](const Array &x) { return x - x3; }), "subtract" + sum);
  EXPECT_EQ(got([](const Array &x) { return pad(x, 2.0f, {1}, {0}); }), "pad" + sum);
  EXPECT_EQ(got([](const Array &x) { return concatenate({x, ones({1})}, 0); }), "concatenate" + sum);
  EXPECT_EQ(got(jit([](const Array &x) { return 2 * (x + 1); })), "add" + sum);
  EXPECT_EQ(got([](const Array &) { return x3; }), "a nonzero result that does not depend on them");
  auto squares = [](const Array &x) {
    return scan([](const Array &c, const Array &w) { return std::pair(c * c * w, none); }, x, x3).first;
  };
  EXPECT_EQ(got(squares), "multiply of values that depend on them");
  auto begun = [](const Array &x) {
    return scan([&](const Array &, const Array &w) { return std::pair(w * x, none); }, ones({3}), x3).first;
  };
  EXPECT_EQ(got(begun), "scan" + sum);
  auto asked = [](const Array &x) {
    return cond(tenon::sum(x) > 0, [](const Array &x) { return x; }, [](const Array &x) { return x; }, x);
  };
  EXPECT_EQ(got(asked), "less of values that depend on them");
  // Under jit a number is known as well.
  jit([&](const Array &y) {
    EXPECT_EQ(got([](const Array &x) { return x + 1; }), "add" + sum);
    return linear_transpose([](const Array &x) { return where(x3 > 0, x, 0) + 0; }, x3)(y);
  })(x3);
  // A Variable is not, nor is it the number that was recorded before it.
  const Variable zero{zeros({3})};
  jit([&](const Array &y) {
    const Array one = full({3}, 1.0f);
    return linear_transpose([&](const Array &x) { return x + zero; }, x3)(y) + one;
  })(x3);
  // Of carries that change places it is the op that was found first.
  auto swapped = [](const Array &x) {
    auto body = [](const std::pair<Array, Array> &c, const Array &w) {
      return std::pair(std::pair(sin(c.second) * w, cos(c.first) * w), none);
    };
    return scan(body, std::pair(x, 2 * x), x3).first.first;
  };
  EXPECT_EQ(got(swapped), "sin of values that depend on them");
  // -0 is 0, and what is not used need not be linear.
  auto negative = jit([](const Array &x) { return x + -0.0f; });
  EXPECT_EQ(linear_transpose(negative, x3)(x3).to_vector<float>(), x3.to_vector<float>());
  auto unused = [](const Array &x) {
    (void)exp(x);
    return x + Array{-0.0f, 0.0f, -0.0f};
  };
  EXPECT_EQ(linear_transpose(unused, x3)(x3).to_vector<float>(), x3.to_vector<float>());
}

TEST(LinearTranspose, SaysWhatItTakes) {
  auto f = [](const Array &x) { return 2 * x; };
  EXPECT_EQ(messageOf([&] { (void)linear_transpose(f, Array{1, 2}); }),
            "linear_transpose: expected a floating array as arg 0, got i32[2]");
  EXPECT_EQ(messageOf([&] { (void)linear_transpose(f, Array()); }),
            "linear_transpose: expected an array as arg 0, got an empty Array");
  EXPECT_EQ(messageOf([&] { linear_transpose(f, x3)({1.0f, 2.0f}); }),
            "linear_transpose: expected a cotangent of the result's type f32[3], got f32[2]");
}
