//===- forward_test.cpp - forward mode: jvp, hvp, stop_gradient ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"

#include <tenon/forward.h>
#include <tenon/jit.h>
#include <tenon/random.h>

#include <gmock/gmock.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

/// Tangents of a case's inputs.
List along(const Case &one) {
  List tangents;
  uint64_t seed = 50;
  for (const Input &input : one.inputs)
    tangents.push_back(numbers(input.shape, -1, 1, seed++));
  return tangents;
}

/// How a function moves along tangents, by central differences in f64.
Array difference(const std::function<Array(const List &)> &function, const List &x, const List &dx) {
  constexpr double h = 1e-5;
  Array sides[2];
  for (int side : {0, 1}) {
    List point;
    for (size_t i = 0; i < x.size(); ++i)
      point.push_back(x[i] + dx[i] * (side ? h : -h));
    sides[side] = function(point);
  }
  return (sides[1] - sides[0]) / (2 * h);
}

double product(const Array &a, const Array &b) { return sum(a * b).item<double>(); }

std::vector<Case> allCases() {
  std::vector<Case> all = smoothCases();
  all.insert(all.end(), regionCases().begin(), regionCases().end());
  return all;
}

class Moving : public testing::TestWithParam<Case> {};

TEST_P(Moving, IsThatOfFiniteDifferences) {
  const Case &one = GetParam();
  const List x = inputsOf(one), dx = along(one);
  const auto [y, dy] = jvp(one.function, x, dx);
  EXPECT_EQ(dy.dtype(), f64);
  EXPECT_TRUE(array_equal(y, one.function(x)).item<bool>());
  expectNear(dy, difference(one.function, x, dx), 2e-8, one.name);
}

// <u, J t> = <J' u, t>.
TEST_P(Moving, IsTheTransposeOfReverse) {
  const Case &one = GetParam();
  const List x = inputsOf(one), dx = along(one);
  const auto [y, dy] = jvp(one.function, x, dx);
  const Array u = numbers(y.shape(), 0.5, 1.5, 99);
  const List cotangents = vjp(one.function, x).second(u);
  double expected = 0;
  for (size_t i = 0; i < x.size(); ++i)
    expected += product(cotangents[i], dx[i]);
  EXPECT_NEAR(product(u, dy), expected, 1e-11 * (1 + std::abs(expected)));
}

// Forward over reverse, reverse over forward and forward over forward.
TEST_P(Moving, OfEachOtherIsTheSecondDerivative) {
  const Case &one = GetParam();
  const List x = inputsOf(one), dx = along(one);
  const Array weights = numbers(one.function(x).shape(), 0.5, 1.5, 99);
  auto total = [&](const List &v) { return sum(one.function(v) * weights); };
  auto moved = [&](const List &v) { return jvp(total, v, dx).second; };
  auto slope = [&](const List &v) {
    Array all(0.0);
    const List gradients = grad(total)(v);
    for (size_t i = 0; i < v.size(); ++i)
      all = all + sum(gradients[i] * dx[i]);
    return all;
  };
  const double expected = difference(slope, x, dx).item<double>(), near = 2e-7 * (1 + std::abs(expected));
  EXPECT_NEAR(jvp(slope, x, dx).second.item<double>(), expected, near) << "forward over reverse";
  EXPECT_NEAR(jvp(moved, x, dx).second.item<double>(), expected, near) << "forward over forward";
  const List gradients = grad(moved)(x);
  double reverse = 0;
  for (size_t i = 0; i < x.size(); ++i)
    reverse += product(gradients[i], dx[i]);
  EXPECT_NEAR(reverse, expected, near) << "reverse over forward";
}

TEST_P(Moving, HasTheSameBitsJitted) {
  const Case &one = GetParam();
  const List x = inputsOf(one), dx = along(one);
  const auto [y, dy] = jvp(one.function, x, dx);
  auto both = [&](const List &v, const List &dv) { return jvp(one.function, v, dv); };
  for (Compile compile : {Compile::never, Compile::now}) {
    const auto [jittedY, jittedDy] = jit(both, {.compile = compile})(x, dx);
    EXPECT_TRUE(array_equal(jittedY, y).item<bool>());
    EXPECT_TRUE(array_equal(jittedDy, dy).item<bool>()) << jittedDy << dy;
  }
  expectNear(jvp(jit(one.function), x, dx).second, dy, 1e-12, "jvp of jit");
}

TEST_P(Moving, OfManyTangentsAtOnceIsThatOfEach) {
  const Case &one = GetParam();
  const List x = inputsOf(one), dx = along(one);
  List pairs;
  for (const Array &t : dx)
    pairs.push_back(stack({t, t * -0.5}));
  const Array dy = jvp(one.function, x, dx).second;
  const Array both = vmap([&](const List &dv) { return jvp(one.function, x, dv).second; })(pairs);
  expectNear(both[0], dy, 1e-12, "the first");
  expectNear(both[1], dy * -0.5, 1e-12, "the second");
}

INSTANTIATE_TEST_SUITE_P(Ops, Moving, testing::ValuesIn(allCases()), [](const auto &info) { return info.param.name; });

struct Line {
  Array slope, offset;
  int power = 1;
};
Array cube(const Array &x) { return x * x * x; }

TEST(Jvp, TakesOneArgumentOrTuples) {
  const auto [y, dy] = jvp(cube, Array(2.0f), Array(1.0f));
  EXPECT_EQ(y.item<float>(), 8);
  EXPECT_EQ(dy.item<float>(), 12);
  EXPECT_EQ(jvp(cube, 2.0f, 1).second.item<float>(), 12) << "numbers, the tangent of the argument's dtype";
  auto line = [](const Line &l, const Array &x) { return l.slope * x + l.offset; };
  const Line at{2.0f, 5.0f};
  EXPECT_EQ(jvp(line, std::tuple(at, 3.0f), std::tuple(Line{1.0f, 10.0f}, 100.0f)).second.item<float>(), 213);
  EXPECT_EQ(jvp([&](const Line &l) { return line(l, Array(3.0f)); }, at, Line{1.0f, 0.0f}).second.item<float>(), 3);
}

TEST(Jvp, HasTheTypeOfTheResult) {
  struct Result {
    Array value, index;
    std::vector<Array> parts;
    Key key;
    int number;
  };
  auto f = [](const Array &x) { return Result{sum(x * x), argmax(x), {x + 1.0f, Array{1, 2}}, random::key(3), 7}; };
  const auto [y, dy] = jvp(f, Array{1.0f, 3.0f}, Array{1.0f, 0.5f});
  EXPECT_EQ(y.value.item<float>(), 10);
  EXPECT_EQ(y.index.item<int64_t>(), 1);
  EXPECT_EQ(dy.value.item<float>(), 5);
  EXPECT_EQ(dy.parts[0].to_vector<float>(), (std::vector<float>{1, 0.5f}));
  // What has no derivative has f32 zeros, as grad gives them.
  EXPECT_EQ(dy.index.dtype(), f32);
  EXPECT_EQ(dy.index.item<float>(), 0);
  EXPECT_EQ(dy.parts[1].to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(dy.number, 7);
  EXPECT_EQ(dy.key.data.to_vector<uint32_t>(), y.key.data.to_vector<uint32_t>());
}

TEST(Jvp, ArraysWithoutADerivativeTakeNoTangent) {
  auto f = [](const std::vector<Array> &v) { return v[0] * astype(v[1], f32); };
  const std::vector<Array> x = {Array{1.0f, 2.0f}, Array{3, 4}};
  for (const Array &nothing : {Array(), zeros({2})})
    EXPECT_EQ(jvp(f, x, std::vector<Array>{ones({2}), nothing}).second.to_vector<float>(), (std::vector<float>{3, 4}));
  // What grad gives is a tangent.
  const std::vector<Array> g = grad([&](const std::vector<Array> &v) { return sum(f(v)); })(x);
  EXPECT_EQ(jvp(f, x, g).second.to_vector<float>(), (std::vector<float>{9, 16}));
}

TEST(Jvp, ZeroTangentsAreNowhere) {
  // Nothing is done for what does not move: the derivative of sqrt at 0 would be NaN.
  const Array zero = 0.0f;
  const auto [y, dy] = jvp([&](const Array &x) { return x + sqrt(zero) + sqrt(floor(x)); }, Array(0.5f), Array(1.0f));
  EXPECT_EQ(dy.item<float>(), 1);
  EXPECT_EQ(jvp([](const Array &) { return Array{1.0f, 2.0f}; }, Array(0.5f), Array(1.0f)).second.to_vector<float>(),
            (std::vector<float>{0, 0}));
}

TEST(Jvp, NestsWithoutConfusion) {
  // d/dx [x * d/dy (x + y)] = 1, and with x * y it is 2 x.
  auto outer = [](auto inner) {
    return [inner](const Array &x) {
      return x * jvp([&](const Array &y) { return inner(x, y); }, Array(3.0f), Array(1.0f)).second;
    };
  };
  auto plus = outer([](const Array &x, const Array &y) { return x + y; });
  auto times = outer([](const Array &x, const Array &y) { return x * y; });
  EXPECT_EQ(jvp(plus, Array(5.0f), Array(1.0f)).second.item<float>(), 1);
  EXPECT_EQ(grad(plus)(Array(5.0f)).item<float>(), 1);
  EXPECT_EQ(jvp(times, Array(5.0f), Array(1.0f)).second.item<float>(), 10);
  EXPECT_EQ(grad(times)(Array(5.0f)).item<float>(), 10);
  // The outer argument as the tangent of the inner one.
  auto own = [](const Array &x) { return jvp(cube, x, x).second; };
  EXPECT_EQ(own(Array(2.0f)).item<float>(), 24);
  EXPECT_EQ(jvp(own, Array(2.0f), Array(1.0f)).second.item<float>(), 36);
  EXPECT_EQ(grad(own)(Array(2.0f)).item<float>(), 36);
  EXPECT_EQ(jvp(grad(grad(cube)), Array(2.0f), Array(1.0f)).second.item<float>(), 6);
  EXPECT_EQ(grad(grad([](const Array &x) { return jvp(cube, x, Array(1.0f)).second; }))(Array(2.0f)).item<float>(), 6);
  EXPECT_EQ(jit(vmap(own))(Array{1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{3, 24}));
}

TEST(Jvp, TiesAndKinksFollowReverseMode) {
  const Array x{1.0f, 2.0f, 2.0f}, dx{1.0f, 10.0f, 100.0f};
  auto along = [&](const auto &f) -> Array { return jvp(f, x, dx).second; };
  EXPECT_EQ(along([](const Array &v) { return max(v); }).item<float>(), 55);
  EXPECT_EQ(along([](const Array &v) { return maximum(v, Array{2.0f, 2.0f, 1.0f}); }).to_vector<float>(),
            (std::vector<float>{0, 5, 100}));
  EXPECT_EQ(along([](const Array &v) { return where(v > 1.5f, v * v, 0.0f / v * INFINITY); }).to_vector<float>()[1],
            40);
  auto at = [](const auto &f, float x) {
    const Array slope = jvp(f, Array(x), Array(1.0f)).second;
    return slope.item<float>();
  };
  EXPECT_EQ(at([](const Array &v) { return pow(v, 0.0f); }, 0), 0);
  EXPECT_EQ(at([](const Array &v) { return pow(v, 1.0f); }, 0), 1);
  EXPECT_EQ(at([](const Array &v) { return sqrt(v); }, 0), INFINITY);
  EXPECT_EQ(at([](const Array &v) { return abs(v); }, 0), 0);
  EXPECT_EQ(at([](const Array &v) { return relu(v); }, 0), 0);
  // The exponent may move where the base is 0.
  EXPECT_EQ(jvp([](const Array &y) { return pow(0.0f, y); }, Array(2.0f), Array(1.0f)).second.item<float>(), 0);
  // An infinite sum has no parts, forward as reverse.
  EXPECT_EQ(jvp([](const Array &v) { return logsumexp(v); }, Array{-INFINITY, -INFINITY}, Array{1.0f, 1.0f})
                .second.item<float>(),
            0);
}

TEST(Jvp, MovesNothingWhereAGatherFills) {
  const Array dy =
      jvp([](const Array &x) { return x.at[{Array{0, 5}}].get({.mode = IndexMode::fill, .fill_value = 7.0f}); },
          Array{1.0f, 2.0f}, Array{3.0f, 4.0f})
          .second;
  EXPECT_EQ(dy.to_vector<float>(), (std::vector<float>{3, 0}));
}

TEST(Jvp, OfUpdatesInPlaceLeavesWhatOthersHave) {
  auto f = [](const Array &x) {
    Array y = x * 2.0f, before = y;
    y = std::move(y).at[{0}].set(x[1] * x[1]);
    y = std::move(y).at[{1}].add(x[0]);
    y = std::move(y).at[{Array{0, 0}}].multiply(Array(3.0f));
    return std::pair(y, before);
  };
  const auto [y, dy] = jvp(f, Array{1.0f, 2.0f}, Array{10.0f, 100.0f});
  EXPECT_EQ(y.first.to_vector<float>(), (std::vector<float>{36, 5}));
  EXPECT_EQ(y.second.to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(dy.first.to_vector<float>(), (std::vector<float>{3600, 210}));
  EXPECT_EQ(dy.second.to_vector<float>(), (std::vector<float>{20, 200}));
}

TEST(Jvp, OfPlainCppThatAsksForValues) {
  auto f = [](const Array &x) {
    Array y = x;
    while (y < 100)
      y = y * x;
    if (sum(y) > 1000 || int(x) == 7)
      y = y * float(y);
    return y;
  };
  auto slope = [&](float x) { return jvp(f, Array(x), Array(1.0f)).second.item<float>(); };
  EXPECT_EQ(slope(3), 405);
  EXPECT_EQ(slope(200), 1);
  EXPECT_EQ(slope(7), 3 * 49 * 343);
  EXPECT_EQ(jvp(grad(f), Array(3.0f), Array(1.0f)).second.item<float>(), 20 * 27);
  EXPECT_EQ(grad([&](const Array &x) { return jvp(f, x, Array(1.0f)).second; })(Array(3.0f)).item<float>(), 20 * 27);
}

TEST(Jvp, OfComplexNumbersIsTheComplexFactor) {
  const Array z(complex64_t{1, 2}), dz(complex64_t{3, -1});
  auto moved = [&](auto f) {
    const Array moves = jvp(f, z, dz).second;
    const auto got = moves.item<complex64_t>();
    return std::pair(got.real, got.imag);
  };
  using Parts = std::pair<float, float>;
  EXPECT_EQ(moved([](const Array &v) { return v * v; }), Parts(10, 10)); // 2 z dz
  EXPECT_EQ(moved([](const Array &v) { return conj(v); }), Parts(3, 1));
  EXPECT_EQ(moved([](const Array &v) { return complex(imag(v), real(v)); }), Parts(-1, 3));
  // exp(z) dz, and |z| moves by Re(conj(z) dz) / |z|.
  const auto [value, slope] = jvp([](const Array &v) { return exp(v); }, z, dz);
  const auto expected = (value * dz).item<complex64_t>(), got = slope.item<complex64_t>();
  EXPECT_NEAR(got.real, expected.real, 1e-5);
  EXPECT_NEAR(got.imag, expected.imag, 1e-5);
  EXPECT_NEAR(jvp([](const Array &v) { return abs(v); }, z, dz).second.item<float>(), 1 / std::sqrt(5.0f), 1e-6);
}

TEST(Jvp, OfLoopsWithoutAReverseDerivative) {
  auto power = [](const Array &x, const Array &n) {
    return while_loop([&](const std::pair<Array, Array> &s) { return s.second < n; },
                      [&](const std::pair<Array, Array> &s) { return std::pair(s.first * x, s.second + 1); },
                      std::pair(Array(1.0f), Array(0)))
        .first;
  };
  auto slope = [&](const Array &x) {
    return jvp([&](const Array &v) { return power(v, Array(4)); }, x, Array(1.0f)).second;
  };
  // The carry does not move at first: it comes to move in the body.
  EXPECT_EQ(slope(Array(2.0f)).item<float>(), 32);
  EXPECT_EQ(jit(slope)(Array(2.0f)).item<float>(), 32);
  EXPECT_EQ(jvp(slope, Array(2.0f), Array(1.0f)).second.item<float>(), 48);
  EXPECT_EQ(vmap(slope)(Array{1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{4, 32}));
  // Examples that need different numbers of rounds.
  const Array each = vmap([&](const Array &n) {
    return jvp([&](const Array &v) { return power(v, n); }, Array(2.0f), Array(1.0f)).second;
  })(Array{1, 3, 0});
  EXPECT_EQ(each.to_vector<float>(), (std::vector<float>{1, 12, 0}));
  EagerScope plain;
  EXPECT_EQ(slope(Array(2.0f)).item<float>(), 32);
}

TEST(Jvp, OfLoopsPrintsOnce) {
  testing::internal::CaptureStdout();
  jvp(
      [](const Array &x) {
        return fori_loop(
            0, 2,
            [](const Array &i, const Array &c) {
              print("round {}", {i});
              return c * c;
            },
            x);
      },
      Array(2.0f), Array(1.0f));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "round 0\nround 1\n");
}

TEST(Jvp, OfSymbolsIsOneProgram) {
  auto f = [](const Array &x, const Array &dx) {
    return jvp([](const Array &v) { return cumulative_prod(sort(v) * max(v), 0) / mean(v); }, x, dx);
  };
  const TensorSpec one{f32, {"n"}};
  auto whole = jit(f, {.specs = {one, one}});
  for (int64_t n : {2, 47, 64}) {
    const Array x = 1.0f + arange(n, {}, 1, f32) * 0.001f, dx = cos(arange(n, {}, 1, f32));
    const auto [y, dy] = whole(x, dx);
    const auto [plainY, plainDy] = f(x, dx);
    EXPECT_TRUE(bool(all(y == plainY)));
    expectNear(dy, plainDy, 1e-5, "n = " + std::to_string(n));
  }
  EXPECT_EQ(whole.stats().compiles, 1u);
}

TEST(Jvp, ErrorsNameWhatIsWrong) {
  auto f = [](const Line &l) { return l.slope * l.offset; };
  auto said = [&](const Line &dx) { return messageOf([&] { jvp(f, Line{Array{1.0f, 2.0f}, 2.0f}, dx); }); };
  EXPECT_EQ(said({1.0f, 1.0f}), "jvp: expected a tangent of type f32[2] for arg 0: slope, got f32[]");
  EXPECT_EQ(said({astype(Array{1.0f, 2.0f}, f64), 1.0f}),
            "jvp: expected a tangent of type f32[2] for arg 0: slope, got f64[2]");
  EXPECT_EQ(said({Array{1.0f, 2.0f}, {}}),
            "jvp: expected a tangent of type f32[] for arg 0: offset, got an empty Array");
  EXPECT_THAT(said({Array{1.0f, 2.0f}, 1.0f, 2}),
              HasSubstr("jvp: a tangent must have the structure of its argument, arg 0: power"));
  EXPECT_THAT(errorOf([] { jvp(cube, Array(1), Array(1)); }),
              HasSubstr("jvp: expected no tangent (an empty Array, or f32[] as grad gives it) for arg 0 of type i32[], "
                        "which has no derivative, got i32[]"));
  EXPECT_THAT(errorOf([] { jvp(cube, Array(1.0f), Array{1.0f}); }), HasSubstr("forward_test.cpp:"));
  // What reverse mode has no formula for, forward mode has not either.
  EXPECT_THAT(errorOf([] { jvp([](const Array &a) { return zeta(a, 2.0f); }, Array(3.0f), Array(1.0f)); }),
              HasSubstr("zeta: no derivative with respect to x, only with respect to q"));
  Array escaped;
  jvp([&](const Array &x) { return escaped = x * 2.0f; }, Array(1.0f), Array(1.0f));
  EXPECT_THAT(errorOf([&] { (void)exp(escaped); }), HasSubstr("a value of the jvp of"));
}

TEST(Hvp, IsTheHessianTimesAVector) {
  auto f = [](const Array &x) { return sum(x * x * x) + x[0] * x[1]; };
  const Array hv = hvp(f, Array{1.0f, 2.0f}, Array{1.0f, 10.0f});
  EXPECT_EQ(hv.to_vector<float>(), (std::vector<float>{16, 121}));
  const Line of = hvp([](const Line &l) { return l.slope * l.slope * l.offset; }, Line{3.0f, 5.0f}, Line{1.0f, 2.0f});
  EXPECT_EQ(of.slope.item<float>(), 22);
  EXPECT_EQ(of.offset.item<float>(), 6);
  const auto [byX, byY] =
      hvp([](const Array &x, const Array &y) { return x * x * y; }, std::tuple(3.0f, 5.0f), std::tuple(1.0f, 2.0f));
  EXPECT_EQ(byX.item<float>(), 22);
  EXPECT_EQ(byY.item<float>(), 6);
}

TEST(StopGradient, KeepsTheExamplesAxis) {
  const Array x{{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}};
  const Array y = vmap([](const Array &one) { return stop_gradient(one) * 2; }, {.in_axes = {1}})(x);
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_EQ(y[1].to_vector<float>(), (std::vector<float>{4, 10}));
}

TEST(Jvp, KeepsNoTangent) {
  auto f = [](const Array &x) { return sum(tanh(x * x)); };
  const Array x = ones({1000}), dx = ones({1000}) * 2;
  jvp(f, x, dx);
  const size_t before = rt::memoryStatistics().blocksInUse;
  for (int i = 0; i < 10; ++i)
    jvp(f, x, dx);
  EXPECT_EQ(rt::memoryStatistics().blocksInUse, before);
}

TEST(StopGradient, IsAValueOfItsOwnWithoutADerivative) {
  auto f = [](const Array &x) { return stop_gradient(x) * x; };
  EXPECT_EQ(grad(f)(Array(3.0f)).item<float>(), 3);
  EXPECT_EQ(jvp(f, Array(3.0f), Array(1.0f)).second.item<float>(), 3);
  EXPECT_EQ(grad(grad(f))(Array(3.0f)).item<float>(), 0);
  EXPECT_EQ(grad(jit(f))(Array(3.0f)).item<float>(), 3);
  EXPECT_EQ(jit(grad(f))(Array(3.0f)).item<float>(), 3);
  EXPECT_EQ(vmap(grad(f))(Array{3.0f, 4.0f}).to_vector<float>(), (std::vector<float>{3, 4}));
  // Through bodies, and of what a body captures.
  auto looped = [&](const Array &x) {
    return fori_loop(0, 2, [&](const Array &, const Array &c) { return c * stop_gradient(x) + x; }, x);
  };
  auto carried = [](const Array &x) {
    return scan([](const Array &c) { return std::pair(c * stop_gradient(c), none); }, x, none, {.length = 2}).first;
  };
  EXPECT_EQ(grad(carried)(Array(2.0f)).item<float>(), 8);
  EXPECT_EQ(jvp(looped, Array(2.0f), Array(1.0f)).second.item<float>(), 4 + 2 + 1);
  // A view: nothing is copied.
  const Array x = Array{1.0f, 2.0f};
  const float *first = &view<float, 1>(x)(0);
  EXPECT_EQ((&view<float, 1>(stop_gradient(x))(0)), first);
}

} // namespace
