//===- jacobian_test.cpp - linearize, Jacobians, Hessians ----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"

#include <tenon/jacobian.h>
#include <tenon/jit.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

struct Line {
  Array slope, offset;
};
Array cube(const Array &x) { return x * x * x; }

std::vector<Case> allCases() {
  std::vector<Case> all = smoothCases();
  all.insert(all.end(), regionCases().begin(), regionCases().end());
  return all;
}

class Linearized : public testing::TestWithParam<Case> {};

TEST_P(Linearized, IsJvpForEveryTangent) {
  const Case &one = GetParam();
  const List x = inputsOf(one);
  const auto [y, push] = linearize(one.function, x);
  EXPECT_TRUE(array_equal(y, one.function(x)).item<bool>());
  for (uint64_t seed : {50, 70}) {
    List dx;
    for (const Input &input : one.inputs)
      dx.push_back(numbers(input.shape, -1, 1, seed++));
    const Array dy = jvp(one.function, x, dx).second;
    expectNear(push(dx), dy, 1e-12, one.name);
    expectNear(jit([&](const List &v, const List &dv) { return linearize(one.function, v).second(dv); })(x, dx), dy,
               1e-12, one.name + " jitted");
  }
}

// Forward, reverse and the cheaper of both say the same.
TEST_P(Linearized, JacobiansAreOne) {
  const Case &one = GetParam();
  const List x = inputsOf(one);
  const List forward = jacobian_forward(one.function)(x), reverse = jacobian_reverse(one.function)(x),
             either = jacobian(one.function)(x);
  const Array y = one.function(x);
  for (size_t i = 0; i < x.size(); ++i) {
    Shape shape = y.shape();
    for (const Dim dim : x[i].shape())
      shape.push_back(dim);
    EXPECT_EQ(forward[i].shape().str(), shape.str());
    expectNear(forward[i], reverse[i], 1e-12, one.name);
    expectNear(either[i], reverse[i], 1e-12, one.name);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Linearized, testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });

TEST(Linearize, RunsTheFunctionOnce) {
  int runs = 0;
  testing::internal::CaptureStdout();
  const auto [y, push] = linearize(
      [&](const Array &x) {
        ++runs;
        print("x is {}", {x});
        return exp(x) * x;
      },
      Array(0.0f));
  EXPECT_EQ(push(Array(1.0f)).item<float>(), 1);
  EXPECT_EQ(push(Array(3.0f)).item<float>(), 3);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x is 0.\n");
}

// What is not linear has run: the derivative of 100 steps is theirs, kept.
TEST(Linearize, OfAScanRepeatsItsLinearPartAlone) {
  testing::internal::CaptureStdout();
  const auto [y, push] = linearize(
      [](const Array &x) {
        return scan(
                   [](const Array &c) {
                     print("step", {});
                     return std::pair(sin(c), none);
                   },
                   x, none, {.length = 3})
            .first;
      },
      Array(1.0f));
  const Array once = push(Array(1.0f)), twice = push(Array(2.0f));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "step\nstep\nstep\n");
  EXPECT_NEAR(once.item<float>(), std::cos(1.0) * std::cos(std::sin(1.0)) * std::cos(std::sin(std::sin(1.0))), 1e-7);
  EXPECT_EQ(twice.item<float>(), 2 * once.item<float>());
}

TEST(Linearize, OfWhileLoopRunsItAgain) {
  auto f = [](const Array &x) {
    return while_loop([](const Array &v) { return v < 100.0f; }, [](const Array &v) { return v * v; }, x);
  };
  for (auto function : {std::function<Array(const Array &)>(f), std::function<Array(const Array &)>(jit(f))}) {
    const auto [y, push] = linearize(function, Array(2.0f));
    EXPECT_EQ(y.item<float>(), 256);
    EXPECT_EQ(push(Array(1.0f)).item<float>(), 1024);
  }
  EXPECT_EQ(jacobian(f)(Array(2.0f)).item<float>(), 1024);
  EXPECT_THAT(errorOf([&] {
                linearize(
                    [](const Array &x) {
                      return while_loop([](const Array &v) { return v < 100.0f; },
                                        [](const Array &v) {
                                          print("v", {});
                                          return v * v;
                                        },
                                        x);
                    },
                    Array(2.0f));
              }),
              HasSubstr("while_loop: linearize would run the loop again for each tangent, but it has a side effect"));
}

TEST(Linearize, NestsAndOutlivesTheCall) {
  // d/dx of the derivative along 1: the captured values are differentiated too.
  auto slope = [](const Array &x) { return linearize(cube, x).second(Array(1.0f)); };
  EXPECT_EQ(grad(slope)(Array(2.0f)).item<float>(), 12);
  EXPECT_EQ(jvp(slope, Array(2.0f), Array(1.0f)).second.item<float>(), 12);
  EXPECT_EQ(vmap(slope)(Array{1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{3, 12}));
  EXPECT_EQ(jit(slope)(Array(2.0f)).item<float>(), 12);
  const auto push = linearize(cube, Array(2.0f)).second;
  EXPECT_EQ(vmap([&](const Array &dx) { return push(dx); })(Array{1.0f, 10.0f}).to_vector<float>(),
            (std::vector<float>{12, 120}));
  EXPECT_EQ(grad([&](const Array &dx) { return push(dx * dx); })(Array(3.0f)).item<float>(), 72);
  auto line = [](const Line &l, const Array &x) { return std::pair(l.slope * x + l.offset, argmax(x)); };
  const auto [y, both] = linearize(line, Line{2.0f, 1.0f}, Array{3.0f, 4.0f});
  const auto [dy, index] = both(Line{1.0f, 5.0f}, Array{0.0f, 1.0f});
  EXPECT_EQ(dy.to_vector<float>(), (std::vector<float>{8, 11}));
  EXPECT_EQ(index.dtype(), f32);
  EXPECT_EQ(linearize(cube, 2.0f).second(1.0f).item<float>(), 12) << "numbers";
}

TEST(Linearize, ErrorsNameWhatIsWrong) {
  const auto push = linearize([](const std::vector<Array> &v) { return v[0] * v[1]; },
                              std::vector<Array>{Array(1.0f), Array{1.0f, 2.0f}})
                        .second;
  EXPECT_EQ(messageOf([&] { push({Array(1.0f), Array(1.0f)}); }),
            "linearize: expected a tangent of type f32[2] for arg 0: [1], got f32[]");
  EXPECT_THAT(messageOf([&] { push({Array(1.0f)}); }),
              HasSubstr("linearize: a tangent must have the structure of its argument, arg 0: "));
  EXPECT_THAT(errorOf([&] { push({Array(1.0f), Array(1.0f)}); }), HasSubstr("jacobian_test.cpp:"));
}

TEST(Jacobian, HasTheAxesOfTheResultThenThoseOfTheArgument) {
  auto f = [](const Array &x) { return stack({x[0] * x[1], x[1] * x[2], x[0] + x[2], x[0]}); };
  const std::vector<float> expected = {2, 1, 0, 0, 3, 2, 1, 0, 1, 1, 0, 0};
  const Array x{1.0f, 2.0f, 3.0f};
  for (const Array &all : {jacobian_forward(f)(x), jacobian_reverse(f)(x), jacobian(f)(x), jit(jacobian_forward(f))(x),
                           jit(jacobian_reverse(f))(x), jit(jacobian(f))(x)}) {
    EXPECT_EQ(all.shape(), Shape({4, 3}));
    EXPECT_EQ(all.to_vector<float>(), expected);
  }
  auto matrix = [](const Array &x) { return sum(x * x, {1}); };
  EXPECT_EQ(jacobian(matrix)(Array{{1.0f, 2.0f}, {3.0f, 4.0f}}).to_vector<float>(),
            (std::vector<float>{2, 4, 0, 0, 0, 0, 6, 8}));
  EXPECT_EQ(vmap(jacobian(cube))(Array{1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{3, 12}));
}

TEST(Jacobian, OfTreesIsATree) {
  auto f = [](const Line &l, const Array &x) { return l.slope * x + l.offset; };
  const Line at{2.0f, 1.0f};
  const Array x{3.0f, 4.0f};
  const Line byLine = jacobian(f)(at, x);
  EXPECT_EQ(byLine.slope.to_vector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(byLine.offset.to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(jacobian_forward<1>(f)(at, x).to_vector<float>(), (std::vector<float>{2, 0, 0, 2}));
  const auto [line, byX] = jacobian_reverse<0, 1>(f)(at, x);
  EXPECT_EQ(line.slope.to_vector<float>(), (std::vector<float>{3, 4}));
  EXPECT_EQ(byX.to_vector<float>(), (std::vector<float>{2, 0, 0, 2}));
  // A result of many arrays, by one and by many.
  const Line of = jacobian([](const Array &x) { return Line{x * x, x[0]}; })(x);
  EXPECT_EQ(of.slope.to_vector<float>(), (std::vector<float>{6, 0, 0, 8}));
  EXPECT_EQ(of.offset.to_vector<float>(), (std::vector<float>{1, 0}));
  const auto [first, second] = jacobian_forward([](const Line &l) {
    return std::pair(l.slope * l.slope, std::vector{l.offset * 2.0f, l.slope * l.offset});
  })(Line{3.0f, 5.0f});
  EXPECT_EQ(first.slope.item<float>(), 6);
  EXPECT_EQ(first.offset.item<float>(), 0);
  EXPECT_EQ(second[0].offset.item<float>(), 2);
  EXPECT_EQ(second[1].slope.item<float>(), 5);
  const auto fixed = jacobian([](const Line &l) { return std::array{l.slope, l.offset}; })(Line{3.0f, 5.0f});
  EXPECT_EQ(fixed[1].offset.item<float>(), 1);
}

TEST(Jacobian, OfWhatHasNoDerivativeIsF32Zeros) {
  auto f = [](const std::vector<Array> &v) { return std::pair(v[0] * astype(v[1], f64), argmax(v[0])); };
  const List x{astype(Array{1.0f, 2.0f}, f64), Array{3, 4}};
  for (const auto &[by, ofIndex] : {jacobian_forward(f)(x), jacobian_reverse(f)(x), jacobian(f)(x)}) {
    EXPECT_EQ(by[0].to_vector<double>(), (std::vector<double>{3, 0, 0, 4}));
    EXPECT_EQ(by[1].dtype(), f32);
    EXPECT_EQ(by[1].shape(), Shape({2, 2}));
    EXPECT_EQ(ofIndex[0].dtype(), f32);
    EXPECT_EQ(ofIndex[0].to_vector<float>(), (std::vector<float>{0, 0}));
  }
  // Of narrow and wide numbers the result's dtype.
  auto mixed = [](const std::vector<Array> &v) { return astype(v[0], f64) * v[1]; };
  const List both{Array(2.0f), astype(Array(3.0f), f64)};
  for (const List &by : {jacobian_forward(mixed)(both), jacobian_reverse(mixed)(both)}) {
    EXPECT_EQ(by[0].dtype(), f64);
    EXPECT_EQ(by[0].item<double>(), 3);
    EXPECT_EQ(by[1].item<double>(), 2);
  }
}

// A basis of 1,000 numbers is a large block of memory.
TEST(Jacobian, TakesTheCheaperMode) {
  auto wide = [](const Array &x) { return reshape(sum(x * x), {1}); };
  auto tall = [](const Array &x) { return x * x * ones({1000}); };
  auto large = [](auto &&call) {
    const uint64_t before = rt::memoryStatistics().largeAllocations;
    const Array all = call();
    return rt::memoryStatistics().largeAllocations - before;
  };
  const Array many = ones({1000}), one = ones({1});
  EXPECT_EQ(large([&] { return jacobian(wide)(many); }), 0u);
  EXPECT_EQ(large([&] { return jacobian(tall)(one); }), 0u);
  EXPECT_GT(large([&] { return jacobian_forward(wide)(many); }), 0u);
  EXPECT_GT(large([&] { return jacobian_reverse(tall)(one); }), 0u);
}

TEST(Jacobian, OfALoopIsInTheModeThatItHas) {
  auto doubled = [](const Array &x) {
    return reshape(
        sum(while_loop([](const Array &c) { return sum(c) < 100; }, [](const Array &c) { return c * 2; }, x)), {1});
  };
  auto jitted = jit(doubled); // a loop that is recorded
  EXPECT_EQ(jacobian(jitted)(Array{1.0f, 2.0f, 3.0f}).to_vector<float>(), (std::vector<float>{32, 32, 32}));
}

TEST(Hessian, IsTheDerivativeOfTheGradient) {
  auto f = [](const Array &x) { return sum(x * x * x) + x[0] * x[1]; };
  const std::vector<float> expected = {6, 1, 1, 12};
  EXPECT_EQ(hessian(f)(Array{1.0f, 2.0f}).to_vector<float>(), expected);
  EXPECT_EQ(jit(hessian(f))(Array{1.0f, 2.0f}).to_vector<float>(), expected);
  EXPECT_EQ(jacobian_reverse(grad(f))(Array{1.0f, 2.0f}).to_vector<float>(), expected);
  EXPECT_EQ(hessian([](const Array &x) { return cube(x); })(2.0f).item<float>(), 12);
  const auto [byX, byY] = hessian<0, 1>([](const Array &x, const Array &y) { return x * x * y; })(3.0f, 5.0f);
  EXPECT_EQ(std::get<0>(byX).item<float>(), 10);
  EXPECT_EQ(std::get<1>(byX).item<float>(), 6);
  EXPECT_EQ(std::get<0>(byY).item<float>(), 6);
  EXPECT_EQ(std::get<1>(byY).item<float>(), 0);
}

TEST(Jacobian, ErrorsNameWhatIsWrong) {
  EXPECT_THAT(
      errorOf([] { jacobian(cube)(Array{1, 2}); }),
      HasSubstr("jacobian: expected a real floating array to differentiate with respect to, got i32[2] as arg 0"));
  EXPECT_THAT(
      errorOf([] { jacobian_forward(cube)(Array(complex64_t{1, 2})); }),
      HasSubstr(
          "jacobian_forward: expected a real floating array to differentiate with respect to, got c64[] as arg 0; for "
          "a holomorphic function pass {.holomorphic = true}, or use jvp"));
  EXPECT_THAT(errorOf([] { jacobian_reverse([](const Array &x) { return complex(x, x); })(Array(1.0f)); }),
              HasSubstr("jacobian_reverse: expected a function whose result is real, got c64[]; for a holomorphic "
                        "function pass {.holomorphic = true}, or use vjp"));
  EXPECT_THAT(errorOf([] { hessian([](const Array &x) { return x * x; })(Array{1.0f, 2.0f}); }),
              HasSubstr("grad: expected a function whose result is a floating array of rank 0, got f32[2]"));
  EXPECT_THAT(errorOf([] { jacobian(cube)(Array()); }),
              HasSubstr("jacobian: expected an array as arg 0, got an empty Array"));
}

} // namespace
