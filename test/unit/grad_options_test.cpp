//===- grad_options_test.cpp - grad by leaf paths, and of holomorphic functions --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

//===----------------------------------------------------------------------===//
// By paths
//===----------------------------------------------------------------------===//

struct Dense {
  Array kernel, bias;
};
struct Net {
  std::vector<Dense> layers;
  std::map<std::string, Array> scales;
  Array steps; // integers
};

Net sampleNet() {
  Net net{{}, {{"in", Array(2.0f)}, {"out", Array(3.0f)}}, Array(7)};
  for (int i = 0; i < 11; ++i)
    net.layers.push_back({Array(1.0f + static_cast<float>(i)), Array(0.5f)});
  return net;
}
Array loss(const Net &net, const Array &x) {
  Array y = x * net.scales.at("in");
  for (const Dense &layer : {net.layers[0], net.layers[1], net.layers[10]})
    y = y * layer.kernel + layer.bias;
  return y * net.scales.at("out");
}

TEST(GradByPaths, IsAMapOfWhatLiesAtThem) {
  const Net net = sampleNet();
  const Array x = 2.0f;
  const auto [all, byX] = grad<0, 1>(loss)(net, x);
  // A prefix of a name is no path: layers[1] is not layers[10], and a path ends where a name does.
  const std::map<std::string, Array> some = grad(loss, {.wrt = {"0.layers[1]", "1", "0.scales[\"out\"]"}})(net, x);
  EXPECT_THAT(some, ElementsAre(testing::Key("0.layers[1].bias"), testing::Key("0.layers[1].kernel"),
                                testing::Key("0.scales[\"out\"]"), testing::Key("1")));
  EXPECT_EQ(number(some.at("0.layers[1].kernel")), number(all.layers[1].kernel));
  EXPECT_EQ(number(some.at("0.scales[\"out\"]")), number(all.scales.at("out")));
  EXPECT_EQ(number(some.at("1")), number(byX));
  // A whole argument; what f does not depend on has zeros, what has no derivative f32 ones.
  const std::map<std::string, Array> whole = grad(loss, {.wrt = {"0", "0.layers[0]"}})(net, x);
  EXPECT_EQ(whole.size(), 25u);
  EXPECT_EQ(number(whole.at("0.layers[5].kernel")), 0);
  EXPECT_EQ(whole.at("0.steps").dtype(), f32);
  EXPECT_EQ(number(whole.at("0.layers[10].kernel")), number(all.layers[10].kernel));
}

TEST(GradByPaths, PassesTheRestAsItIs) {
  const Variable w{2.0f};
  struct Batch {
    Array x;
    std::string name;
  };
  auto f = [](const Batch &batch, const Variable &w, float factor, const Array *extra) {
    return batch.name == "a" ? batch.x * batch.x * w * factor + *extra : batch.x;
  };
  const Array extra = 1.0f;
  const auto [value, gradients] = value_and_grad(f, {.wrt = {"0.x"}})(Batch{3.0f, "a"}, w, 10.0f, &extra);
  EXPECT_EQ(number(value), 181);
  EXPECT_EQ(number(gradients.at("0.x")), 120);
  // An integer that nobody asks for does not stand in the way; nor is an array that is not chosen moved.
  auto g = [](const Array &n, const Array &x) { return x * x * n; };
  EXPECT_EQ(number(grad(g, {.wrt = {"1"}})(Array(3), Array(2.0f)).at("1")), 12);
  // Nor is one that is not there looked at.
  auto h = [](const std::pair<Array, Array> &p) { return p.first * p.first; };
  EXPECT_EQ(grad(h, {.wrt = {"0[0]"}})(std::pair<Array, Array>(3.0f, Array())).size(), 1u);
  EXPECT_EQ(number(grad(h, {.wrt = {"0[0]"}})(std::pair<Array, Array>(3.0f, Array())).at("0[0]")), 6);
}

TEST(GradByPaths, GivesAuxAndNests) {
  auto f = [](const std::pair<Array, Array> &p, const Array &x) { return std::pair(p.first * p.second * x, x + 1.0f); };
  const std::pair<Array, Array> p(2.0f, 3.0f);
  const Array x = 5.0f;
  const auto [gradients, aux] = grad(f, {.wrt = {"0[1]"}})(p, x);
  EXPECT_EQ(number(gradients.at("0[1]")), 10);
  EXPECT_EQ(number(aux), 6);
  const auto [both, again] = value_and_grad(f, {.wrt = {"0[0]"}})(p, x);
  EXPECT_EQ(number(both.first), 30);
  EXPECT_EQ(number(again.at("0[0]")), 15);
  auto slope = [](const Array &x, const Array &y) {
    return grad([](const Array &x, const Array &y) { return x * x * y * y; }, {.wrt = {"1"}})(x, y).at("1");
  };
  EXPECT_EQ(number(grad(slope)(3.0f, 2.0f)), 24); // d/dx of 2 x² y
  EXPECT_THAT(vmap(slope)(Array{1.0f, 2.0f}, Array{1.0f, 1.0f}).to_vector<float>(), ElementsAre(2, 8));
  EXPECT_EQ(number(jit(slope)(Array(3.0f), Array(2.0f))), 36);
  const std::map<std::string, Array> jitted = jit(grad(loss, {.wrt = {"0.layers[1]"}}))(sampleNet(), Array(2.0f));
  EXPECT_EQ(number(jitted.at("0.layers[1].bias")), 33);
  EXPECT_EQ(number(grad(jit(loss), {.wrt = {"0.layers[1]"}})(sampleNet(), Array(2.0f)).at("0.layers[1].bias")), 33);
}

TEST(GradByPaths, SaysWhichThereAre) {
  const Dense dense{2.0f, 1.0f};
  auto f = [](const Dense &d, const Array &x) { return d.kernel * x + d.bias; };
  const Array x = 1.0f;
  const std::string text = errorOf([&] { grad(f, {.wrt = {"0.kernel", "0.kern"}})(dense, x); });
  EXPECT_THAT(text, StartsWith("grad: expected paths of arrays in the arguments, got '0.kern'; there are 0.kernel, "
                               "0.bias, 1\n  at "));
  EXPECT_THAT(text, HasSubstr("grad_options_test.cpp:" + std::to_string(__LINE__ - 3)));
  EXPECT_THAT(errorOf([&] { grad(f, {.wrt = {"kernel"}})(dense, x); }), HasSubstr("got 'kernel'; there are 0.kernel"));
  EXPECT_THAT(errorOf([&] { grad(f, {.wrt = {""}})(dense, x); }), HasSubstr("got ''; there are 0.kernel"));
  EXPECT_THAT(errorOf([&] { grad(f, {.wrt = std::vector<std::string>()})(dense, x); }),
              HasSubstr("got no path; there are 0.kernel"));
  EXPECT_THAT(errorOf([&] { grad(loss, {.wrt = {"2"}})(sampleNet(), x); }), HasSubstr(" and 6 more"));
  EXPECT_THAT(errorOf([&] { grad(loss, {.wrt = {"0.steps"}})(sampleNet(), x); }),
              HasSubstr("grad: expected a floating array to differentiate with respect to, got i32[] as arg 0: steps"));
}

//===----------------------------------------------------------------------===//
// Holomorphic functions
//===----------------------------------------------------------------------===//

using Complex = std::complex<double>;

Complex value(const Array &x) {
  const auto z = x.item<complex128_t>();
  return {z.real, z.imag};
}
Array point(Complex z) { return Array(complex128_t{z.real(), z.imag()}); }
void expectNear(Complex got, Complex expected) {
  EXPECT_LT(std::abs(got - expected), 1e-12 * (1 + std::abs(expected)));
}

const Complex z0{0.7, -0.4};

TEST(Holomorphic, GradIsTheComplexDerivative) {
  const DerivativeOptions holomorphic{.holomorphic = true};
  struct {
    Array (*f)(const Array &);
    Complex derivative;
  } cases[] = {
      {[](const Array &z) { return z * z * z; }, 3.0 * z0 * z0},
      {[](const Array &z) { return exp(z); }, std::exp(z0)},
      {[](const Array &z) { return sin(z) / z; }, (std::cos(z0) * z0 - std::sin(z0)) / (z0 * z0)},
      {[](const Array &z) { return log(z) * complex128_t{0, 2}; }, Complex(0, 2) / z0},
  };
  for (const auto &[f, derivative] : cases) {
    expectNear(value(grad(f, {.holomorphic = true})(point(z0))), derivative);
    expectNear(value(jit(grad(f, holomorphic))(point(z0))), derivative);
    const auto [y, slope] = value_and_grad(f, holomorphic)(point(z0));
    expectNear(value(y), value(f(point(z0))));
    expectNear(value(slope), derivative);
    // Along both axes the differences go to the same.
    for (const Complex step : {Complex(1e-6, 0), Complex(0, 1e-6)}) {
      const Complex difference = (value(f(point(z0 + step))) - value(f(point(z0 - step)))) / (2.0 * step);
      EXPECT_LT(std::abs(difference - derivative), 1e-8);
    }
    expectNear(value(jacobian(f, holomorphic)(point(z0))), derivative);
    expectNear(value(jacobian_forward(f, holomorphic)(point(z0))), derivative);
    expectNear(value(jacobian_reverse(f, holomorphic)(point(z0))), derivative);
  }
  auto fourth = [](const Array &z) { return z * z * z * z; };
  const auto twice = grad(grad(fourth, holomorphic), holomorphic);
  expectNear(value(twice(point(z0))), 12.0 * z0 * z0);
  expectNear(value(hessian(fourth, holomorphic)(point(z0))), 12.0 * z0 * z0);
}

TEST(Holomorphic, TakesTreesPathsAndNone) {
  struct Pair {
    Array a, b;
    Array n;
  };
  const Pair pair{point(z0), point({2, 1}), Array(3)};
  auto f = [](const Pair &p) { return p.a * p.a * p.b; };
  const Pair gradient = grad(f, {.holomorphic = true})(pair);
  expectNear(value(gradient.a), 2.0 * z0 * Complex(2, 1));
  EXPECT_EQ(gradient.n.dtype(), f32);
  expectNear(value(grad(f, {.wrt = {"0.b"}, .holomorphic = true})(pair).at("0.b")), z0 * z0);
  auto square = [](const Array &z, const Array &) { return z * z; };
  const auto [some, none_] = grad<0, 1>(square, {.unconnected = none, .holomorphic = true})(point(z0), point(z0));
  expectNear(value(*some), 2.0 * z0);
  EXPECT_FALSE(none_.has_value());
  const auto [slope, aux] =
      grad([](const Array &z) { return std::pair(z * z, abs(z)); }, {.holomorphic = true})(point(z0));
  expectNear(value(slope), 2.0 * z0);
  EXPECT_NEAR(aux.item<double>(), std::abs(z0), 1e-15);
}

TEST(Holomorphic, JacobiansOfVectors) {
  const Array z = stack({point(z0), point({1, 2}), point({-1, 0.5})});
  auto wide = [](const Array &z) { return stack({z[0] * z[1], sin(z[2])}); }; // 2 by 3: reverse
  auto tall = [](const Array &z) { return concat({z * z, exp(z)}); };         // 6 by 3: forward
  for (auto f : {std::function<Array(const Array &)>(wide), std::function<Array(const Array &)>(tall)}) {
    const Array cheaper = jacobian(f, {.holomorphic = true})(z);
    EXPECT_EQ(cheaper.dtype(), c128);
    for (const Array &other :
         {jacobian_forward(f, {.holomorphic = true})(z), jacobian_reverse(f, {.holomorphic = true})(z),
          jit(jacobian(f, {.holomorphic = true}))(z)}) {
      EXPECT_EQ(other.shape(), cheaper.shape());
      EXPECT_LT(max(abs(other - cheaper)).item<double>(), 1e-14);
    }
  }
  expectNear(value(jacobian(wide, {.holomorphic = true})(z)[{0, 1}]), z0);
  expectNear(value(jacobian(tall, {.holomorphic = true})(z)[{1, 1}]), Complex(2, 4));
}

TEST(Holomorphic, IsSaidOrRefused) {
  auto square = [](const Array &z) { return z * z; };
  const Array z = point(z0), x = 2.0f;
  const std::string text = errorOf([&] { grad(square)(z); });
  EXPECT_THAT(text, StartsWith("grad: expected a function whose result is a floating array of rank 0, got c128[]; for "
                               "a holomorphic function pass {.holomorphic = true}, or use vjp\n  at "));
  EXPECT_THAT(text, HasSubstr("grad_options_test.cpp:" + std::to_string(__LINE__ - 3)));
  EXPECT_THAT(errorOf([&] { grad(square, {.holomorphic = true})(x); }),
              StartsWith("grad: expected complex arguments of a holomorphic function, got f32[] as arg 0"));
  EXPECT_THAT(
      errorOf([&] { grad<0, 1>([](const Array &z, const Array &x) { return z * x; }, {.holomorphic = true})(z, x); }),
      HasSubstr("got f32[] as arg 1"));
  EXPECT_THAT(errorOf([&] { grad([](const Array &z) { return abs(z); }, {.holomorphic = true})(z); }),
              StartsWith("grad: expected a function whose result is a complex array of rank 0, got f64[]; use vjp"));
  EXPECT_THAT(errorOf([&] { jacobian(square, {.holomorphic = true})(x); }),
              StartsWith("jacobian: expected complex arguments of a holomorphic function, got f32[]"));
  for (const auto mode : {0, 1, 2})
    EXPECT_THAT(errorOf([&] {
                  auto f = [](const Array &z) { return abs(z); };
                  mode == 0   ? jacobian(f, {.holomorphic = true})(z)
                  : mode == 1 ? jacobian_forward(f, {.holomorphic = true})(z)
                              : jacobian_reverse(f, {.holomorphic = true})(z);
                }),
                HasSubstr(": expected a holomorphic function, whose result is complex, got f64[]"));
  EXPECT_THAT(errorOf([&] { jacobian_reverse(square)(z); }), HasSubstr("pass {.holomorphic = true}, or use vjp"));
  EXPECT_THAT(errorOf([&] { jacobian(square)(z); }), HasSubstr("pass {.holomorphic = true}, or use jvp"));
  // Of a real result it is what it was, JAX's convention.
  expectNear(value(grad([](const Array &z) { return real(z * z); })(z)), 2.0 * z0);
  expectNear(value(grad([](const Array &z) { return abs(z) * abs(z); }, DerivativeOptions())(z)), 2.0 * std::conj(z0));
}

} // namespace
