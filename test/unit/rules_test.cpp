//===- rules_test.cpp - custom derivatives ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"
#include "test/unit/RuleSamples.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <functional>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Not;
using testing::Pointwise;

namespace {

/// The one of the mission: naive it is nan at 100.
Array naiveLog1pexp(const Array &x) { return log(1.0f + exp(x)); }

/// The sine, whose derivative is said to be twice the cosine.
auto steepSine() {
  return custom_jvp(
      "steep_sine", [](const Array &x) { return sin(x); },
      [](const Array &x, const Array &dx) { return std::pair(sin(x), 2.0f * cos(x) * dx); });
}

/// Of a block a derivative keeps many arrays, or one.
Array block(const Array &x, const Array &w) {
  Array y = x;
  for (int i = 0; i < 3; ++i)
    y = tanh(sin(exp(-square(y))) * w);
  return y;
}

TEST(CustomGradient, IsStableWhereTheNaiveOneIsNot) {
  auto f = log1pexp();
  EXPECT_EQ(grad(naiveLog1pexp)(Array(0.0f)).item<float>(), 0.5f);
  EXPECT_TRUE(std::isnan(grad(naiveLog1pexp)(Array(100.0f)).item<float>()));
  EXPECT_EQ(grad(f)(Array(0.0f)).item<float>(), 0.5f);
  EXPECT_EQ(grad(f)(Array(100.0f)).item<float>(), 1.0f);
  EXPECT_EQ(jit(grad(f))(Array(0.0f)).item<float>(), 0.5f);
  EXPECT_EQ(jit(grad(f))(Array(100.0f)).item<float>(), 1.0f);
  EXPECT_EQ(grad(jit(f))(Array(100.0f)).item<float>(), 1.0f);
  EXPECT_EQ(f(Array(1.0f)).item<float>(), naiveLog1pexp(Array(1.0f)).item<float>());
  EXPECT_EQ(jit(f)(Array(1.0f)).item<float>(), naiveLog1pexp(Array(1.0f)).item<float>());
  EXPECT_THAT(list(vmap(grad(f))(Array{0.0f, 100.0f})), ElementsAre(0.5f, 1.0f));
  EXPECT_THAT(list(grad([&](const Array &x) { return sum(vmap(f)(x)); })(Array{0.0f, 100.0f})),
              ElementsAre(0.5f, 1.0f));
}

TEST(CustomGradient, IsThatOfEveryOrder) {
  auto f = log1pexp();
  EXPECT_EQ(grad(grad(f))(Array(0.0f)).item<float>(), 0.25f);
  EXPECT_EQ(jit(grad(grad(f)))(Array(0.0f)).item<float>(), 0.25f);
  EXPECT_EQ(grad(jit(grad(jit(f))))(Array(0.0f)).item<float>(), 0.25f);
  // e is finite in f64, and so is what the rule makes of it.
  EXPECT_NEAR(grad(grad(f))(Array(100.0, f64)).item<double>(), std::exp(-100.0), 1e-50);
  // The rule says that the identity grows by 2: y = f(x), (y^2)' = 2y * 2, (4y)' = 4 * 2.
  auto twice =
      custom_gradient([](const Array &x) { return with_grad(x * 1.0f, [](const Array &d) { return d * 2.0f; }); });
  auto square = [&](const Array &x) { return twice(x) * twice(x); };
  for (auto second :
       {std::function<Array(Array)>(grad(grad(square))), std::function<Array(Array)>(jit(grad(grad(square)))),
        std::function<Array(Array)>(grad(jit(grad(square)))), std::function<Array(Array)>(grad(grad(jit(square))))})
    EXPECT_EQ(second(Array(3.0f)).item<float>(), 8.0f);
  EXPECT_EQ(grad(grad(grad(square)))(Array(3.0f)).item<float>(), 0.0f);
}

TEST(CustomGradient, OfClippingGivesNothingToTheNorm) {
  auto f = [clip = clipGradient()](const Array &x, const Array &n) { return sum(clip(x, n) * Array{3.0f, 4.0f}); };
  const Array x = {1.0f, 2.0f};
  auto expectClipped = [&](auto g) {
    auto [dx, dn] = g(x, Array(1.0f));
    EXPECT_THAT(list(dx), ElementsAre(FloatNear(0.6f, 1e-6f), FloatNear(0.8f, 1e-6f)));
    EXPECT_EQ(dn.template item<float>(), 0.0f);
  };
  EXPECT_FALSE(grad<1>(f, {.unconnected = none})(x, Array(1.0f)).has_value());
  expectClipped(grad<0, 1>(f));
  expectClipped(jit(grad<0, 1>(f)));
  expectClipped(grad<0, 1>(jit(f)));
}

/// Of a cotangent of zeros it would be nan.
auto normalized() {
  return custom_gradient("normalized", [](const Array &x) {
    return with_grad(x * 1.0f, [](const Array &d) { return d / sqrt(sum(d * d)); });
  });
}

TEST(CustomGradient, IsCalledOnceWithTheSumOfCotangentsOrNotAtAll) {
  const Array x = {1.0f, 2.0f};
  auto used = [f = normalized()](const Array &x) {
    const Array y = f(x);
    return sum(y * Array{1.0f, 0.0f}) + sum(y * Array{2.0f, 4.0f}); // the sum is (3, 4)
  };
  auto unused = [f = normalized()](const Array &x) { return sum(stop_gradient(f(x)) * x); };
  for (bool compiled : {false, true}) {
    auto slope = [&](auto &f) { return list(compiled ? jit(grad(f))(x) : grad(f)(x)); };
    EXPECT_THAT(slope(used), ElementsAre(FloatNear(0.6f, 1e-6f), FloatNear(0.8f, 1e-6f)));
    EXPECT_THAT(slope(unused), ElementsAre(1, 2));
  }
}

TEST(CustomGradient, IsCalledAsItIsOutsideOfDerivatives) {
  int rules = 0;
  // Asks for a value, which a recorded function could not.
  auto f = custom_gradient([&](const Array &x) {
    const float scale = x.ndim() == 0 && x.item<float>() > 0 ? 2.0f : 3.0f;
    return with_grad(x * scale, [&](const Array &d) {
      ++rules;
      return d;
    });
  });
  EXPECT_EQ(f(Array(1.0f)).item<float>(), 2.0f);
  EXPECT_EQ(f(Array(-1.0f)).item<float>(), -3.0f);
  EXPECT_EQ(f(2.0f).item<float>(), 4.0f);
  EXPECT_THAT(list(vmap([&](const Array &x) { return f(reshape(x, {1})); })(Array{1.0f, 2.0f})), ElementsAre(3, 6));
  EXPECT_EQ(rules, 0);
  EXPECT_THAT(errorOf([&] { grad(f)(Array(1.0f)); }), HasSubstr("whose elements are known"));
}

TEST(CustomGradient, UnderVmapIsThatOfEachExample) {
  const Array xs = {{3.0f, 4.0f}, {0.0f, 0.5f}};
  const Array norm(1.0f);
  auto loss = [clip = clipGradient()](const Array &x, const Array &n) { return sum(clip(x, n) * clip(x, n)) / 2.0f; };
  auto near = [](float a, float b, float c, float d) {
    return ElementsAre(FloatNear(a, 1e-6f), FloatNear(b, 1e-6f), FloatNear(c, 1e-6f), FloatNear(d, 1e-6f));
  };
  // d = x: two calls with a half of it each, (1.5, 2), clipped to (0.6, 0.8) twice.
  const auto expected = near(1.2f, 1.6f, 0.0f, 0.5f);
  EXPECT_THAT(list(vmap(grad(loss), {.in_axes = {0, none}})(xs, norm)), expected);
  EXPECT_THAT(list(jit(vmap(grad(loss), {.in_axes = {0, none}}))(xs, norm)), expected);
  auto total = [&](const Array &x) { return sum(vmap(loss, {.in_axes = {0, none}})(x, norm)); };
  EXPECT_THAT(list(grad(total)(xs)), expected);
  EXPECT_THAT(list(jit(grad(total))(xs)), expected);
  EXPECT_THAT(list(grad(jit(total))(xs)), expected);
}

TEST(CustomGradient, OfWhatIsTheSameForAllExamplesIsSummedAfterTheRule) {
  // Of each example the cotangent is clipped to length 1; then they are summed.
  auto f = custom_gradient([](const Array &w, const Array &x) {
    return with_grad(w * x, [=](const Array &d) {
      const Array dw = d * x;
      return std::tuple(dw / sqrt(sum(dw * dw)), d * w);
    });
  });
  const Array w = {1.0f, 1.0f}, xs = {{3.0f, 4.0f}, {0.0f, 5.0f}, {8.0f, 6.0f}};
  auto total = [&](const Array &w) {
    return sum(vmap([&](const Array &w, const Array &x) { return f(w, x); }, {.in_axes = {none, 0}})(w, xs));
  };
  const auto expected = ElementsAre(FloatNear(0.6f + 0.0f + 0.8f, 1e-6f), FloatNear(0.8f + 1.0f + 0.6f, 1e-6f));
  EXPECT_THAT(list(grad(total)(w)), expected);
  EXPECT_THAT(list(jit(grad(total))(w)), expected);
  // The rule does not look at examples at all, and is that of each of them.
  auto constant = custom_gradient([](const Array &w, const Array &x) {
    return with_grad(w + x * 0.0f, [=](const Array &) { return std::tuple(ones({2}), none); });
  });
  auto counted = [&](const Array &w) { return sum(vmap(constant, {.in_axes = {none, 0}})(w, xs)); };
  EXPECT_THAT(list(grad(counted)(w)), ElementsAre(3, 3));
}

struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
  float scale = 2;
};

TEST(CustomGradient, IsOverTrees) {
  auto f = custom_gradient("model", [](const Model &m, const Array &x, const std::vector<Array> &others) {
    const Array y = m.layers[0].w * x + m.layers[1].b;
    std::pair<Array, Array> result(y * m.scale, others[1] + 1);
    return with_grad(result, [=](const std::pair<Array, Array> &d) {
      Model back = m;
      back.layers[0] = {d.first * x * 10.0f, Array()};
      back.layers[1] = {Array(), d.first};
      return std::tuple(back, none, others);
    });
  });
  const Model m{{{Array{1.0f, 2.0f}, Array(1.0f)}, {Array(5.0f), Array{3.0f, 4.0f}}}};
  const Array x = {5.0f, 6.0f};
  const std::vector<Array> others = {Array(1), Array{7.0f}};
  auto loss = [&](const Model &m, const Array &x, const std::vector<Array> &others) {
    auto [y, z] = f(m, x, others);
    return sum(y) + sum(z);
  };
  for (int mode = 0; mode < 3; ++mode) {
    auto slope = grad<0, 1, 2>(loss);
    auto [dm, dx, others_] = mode == 0   ? slope(m, x, others)
                             : mode == 1 ? jit(slope)(m, x, others)
                                         : grad<0, 1, 2>(jit(loss))(m, x, others);
    EXPECT_THAT(list(dm.layers[0].w), ElementsAre(50, 60));
    EXPECT_EQ(dm.layers[0].b.item<float>(), 0);
    EXPECT_EQ(dm.layers[1].w.item<float>(), 0);
    EXPECT_THAT(list(dm.layers[1].b), ElementsAre(1, 1));
    EXPECT_EQ(dm.scale, 2);
    EXPECT_THAT(list(dx), ElementsAre(0, 0));
    EXPECT_EQ(others_[0].dtype(), f32); // of an integer, whatever the rule says
    EXPECT_THAT(list(others_[1]), ElementsAre(7));
  }
  auto [y, z] = f(m, x, others);
  EXPECT_THAT(list(y), ElementsAre(16, 32));
}

TEST(CustomGradient, TakesTheCotangentsOfSeveralResults) {
  auto f = custom_gradient([](const Array &x) {
    return with_grad(
        std::tuple(x * 2.0f, astype(x, i32), x * 3.0f),
        [](const Array &a, const Array &count, const Array &b) { return a * 10.0f + b + astype(count, f32); });
  });
  auto first = [&](const Array &x) { return std::get<0>(f(x)); };
  auto both = [&](const Array &x) {
    auto [a, n, b] = f(x);
    return a + b * 5.0f + astype(n, f32);
  };
  EXPECT_EQ(grad(first)(Array(1.0f)).item<float>(), 10);
  EXPECT_EQ(grad(both)(Array(1.0f)).item<float>(), 15);
  EXPECT_EQ(jit(grad(both))(Array(1.0f)).item<float>(), 15);
  EXPECT_EQ(std::get<1>(jit(f)(Array(4.5f))).item<int>(), 4);
}

TEST(CustomGradient, GoesWhereNoneWouldByItself) {
  auto straight = custom_gradient("straight_through",
                                  [](const Array &x) { return with_grad(round(x), [](const Array &d) { return d; }); });
  auto f = [&](const Array &x) { return sum(straight(x) * Array{2.0f, 3.0f}); };
  EXPECT_THAT(list(grad(f)(Array{0.4f, 0.6f})), ElementsAre(2, 3));
  EXPECT_THAT(list(grad(jit(f))(Array{0.4f, 0.6f})), ElementsAre(2, 3));
  // And through a loop that has no derivative.
  auto root = custom_gradient("root", [](const Array &a) {
    Array x = while_loop([=](const Array &x) { return abs(x * x - a) > 1e-5f * a; },
                         [=](const Array &x) { return 0.5f * (x + a / x); }, a);
    return with_grad(x, [=](const Array &d) { return d / (2.0f * x); });
  });
  EXPECT_NEAR(grad(root)(Array(16.0f)).item<float>(), 0.125f, 1e-4f);
  EXPECT_NEAR(jit(grad(root))(Array(16.0f)).item<float>(), 0.125f, 1e-4f);
  EXPECT_NEAR(grad(jit(root))(Array(16.0f)).item<float>(), 0.125f, 1e-4f);
}

TEST(CustomGradient, StandsInBodiesOfControlFlow) {
  auto f = custom_gradient(
      "tripled", [](const Array &x) { return with_grad(x * x, [=](const Array &d) { return d * x * 3.0f; }); });
  auto looped = [&](const Array &x) {
    return scan([&](const Array &c) { return std::pair(f(c), none); }, x, none, {.length = 2}).first;
  };
  auto chosen = [&](const Array &x) {
    return cond(sum(x) > 0.0f, [&](const Array &x) { return f(x); }, [&](const Array &x) { return x; }, x);
  };
  const Array x(2.0f);
  for (bool compiled : {false, true}) {
    auto slope = [&](auto &g) { return (compiled ? jit(grad(g))(x) : grad(g)(x)).template item<float>(); };
    EXPECT_EQ(slope(looped), 4 * 3 * 2 * 3);
    EXPECT_EQ(slope(chosen), 6);
  }
  EXPECT_EQ(grad([&](const Array &x) { return sum(vmap(looped)(x)); })(Array{2.0f}).item<float>(), 72);
  EXPECT_EQ(f(f(x)).item<float>(),
            fori_loop(0, 2, [&](const Array &, const Array &c) { return f(c); }, x).item<float>());
  auto waited = [&](const Array &x) { return while_loop([](const Array &c) { return c < 10.0f; }, f, x); };
  EXPECT_EQ(jit(waited)(x).item<float>(), 16);
}

TEST(CustomGradient, NestsInAnother) {
  auto inner = custom_gradient(
      "inner", [](const Array &x) { return with_grad(x * 1.0f, [](const Array &d) { return d * 10.0f; }); });
  auto outer = custom_gradient("outer", [&](const Array &x) {
    const Array y = inner(x);
    return with_grad(y * 1.0f, [=](const Array &d) { return d * y; });
  });
  EXPECT_EQ(grad(outer)(Array(3.0f)).item<float>(), 3);
  // What the rule closes over has the derivative that it is written with: that of inner.
  EXPECT_EQ(grad(grad(outer))(Array(3.0f)).item<float>(), 10);
  EXPECT_EQ(jit(grad(grad(outer)))(Array(3.0f)).item<float>(), 10);
}

/// What is printed while `run` runs.
std::string printed(auto &&run) {
  testing::internal::CaptureStdout();
  run();
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TEST(CustomGradient, PrintsOnce) {
  auto f = custom_gradient([](const Array &x) {
    const Array e = exp(x);
    print("forward", {});
    return with_grad(log(1.0f + e), [=](const Array &d) {
      print("backward", {});
      return d * (1.0f - 1.0f / (1.0f + e));
    });
  });
  auto g = [block = checkpoint([](const Array &x) {
              print("block", {});
              return sin(exp(x));
            })](const Array &x) { return block(x); };
  const Array x(0.5f);
  for (bool compiled : {false, true}) {
    auto lines = [&](auto &f) { return printed([&] { compiled ? jit(f)(x) : f(x); }); };
    auto first = grad(f);
    auto second = grad(grad(f));
    auto again = grad(g);
    EXPECT_EQ(lines(f), "forward\n");
    EXPECT_EQ(lines(first), "forward\nbackward\n");
    EXPECT_EQ(lines(second), "forward\nbackward\n");
    EXPECT_EQ(lines(again), "block\n");
  }
}

TEST(CustomGradient, OfACapturedArrayIsAnErrorThatNamesIt) {
  auto product = [](const Array &w) {
    return custom_gradient("product",
                           [=](const Array &x) { return with_grad(x * w, [=](const Array &d) { return d * w; }); });
  };
  auto loss = [&](const Array &w, const Array &x) { return product(w)(x); };
  const Array w(2.0f), x(3.0f);
  EXPECT_EQ(grad<1>(loss)(w, x).item<float>(), 2);
  const std::string expected =
      "product: expected no captured array to be differentiated, since the rule returns no derivatives of captures, "
      "got f32[] (arg 0); pass it as an argument, or apply stop_gradient to it";
  EXPECT_THAT(errorOf([&] { grad(loss)(w, x); }), HasSubstr(expected));
  EXPECT_THAT(errorOf([&] { grad(loss)(w, x); }), HasSubstr("rules_test.cpp:"));
  EXPECT_THAT(errorOf([&] { jit(grad(loss))(w, x); }),
              HasSubstr("product: expected no captured array to be differentiated"));
  EXPECT_THAT(errorOf([&] { grad(jit(loss))(w, x); }),
              HasSubstr("product: expected no captured array to be differentiated"));
  EXPECT_THAT(errorOf([&] { grad([&](const Array &w) { return product(w * 2.0f)(x); })(w); }),
              HasSubstr("got f32[], made at " __FILE__));
  // Without a cotangent, or a smooth way, there is nothing to refuse.
  EXPECT_EQ(grad([&](const Array &w) { return stop_gradient(loss(w, x)) * w; })(w).item<float>(), 6);
  EXPECT_EQ(grad([&](const Array &w) { return loss(stop_gradient(w), w); })(w).item<float>(), 2);
  EXPECT_EQ(grad<0>([&](const Array &w, const Array &x) { return product(round(w))(x) + w; })(w, x).item<float>(), 1);
  auto within = [](auto body) {
    return [=](const Array &w, const Array &x) {
      return w + custom_gradient(
                     [=](const Array &x) { return with_grad(body(w, x), [](const Array &d) { return d; }); })(x);
    };
  };
  EXPECT_EQ(grad(within([](const Array &w, const Array &x) { return x * round(w); }))(w, x).item<float>(), 1);
  auto looped = within([](const Array &w, const Array &x) {
    return fori_loop(0, 2, [&](const Array &, const Array &c) { return c * w; }, x);
  });
  EXPECT_THAT(errorOf([&] { grad(looped)(w, x); }), HasSubstr("no captured array to be differentiated"));
  auto through = within([](const Array &w, const Array &x) {
    auto straight =
        custom_gradient([](const Array &x) { return with_grad(round(x), [](const Array &d) { return d; }); });
    return x * straight(w);
  });
  EXPECT_THAT(errorOf([&] { grad(through)(w, x); }), HasSubstr("no captured array to be differentiated"));
  auto chosen = within([](const Array &w, const Array &x) {
    return cond(w > 0.0f, [](const Array &x) { return x; }, [](const Array &x) { return 2.0f * x; }, x);
  });
  EXPECT_EQ(grad(chosen)(w, x).item<float>(), 1);
  // In second order the rule is differentiated as it is written, and what it closes over.
  EXPECT_EQ(grad([&](const Array &w) { return grad(product(w))(x); })(w).item<float>(), 1);
  EXPECT_EQ(jit(grad([&](const Array &w) { return grad(product(w))(x); }))(w).item<float>(), 1);
}

TEST(CustomGradient, OfAnotherTypeIsAnErrorThatNamesTheArgument) {
  auto with = [](auto backward) {
    return [=](const Array &x, const Array &y) {
      return sum(
          custom_gradient("f", [=](const Array &x, const Array &y) { return with_grad(x * y, backward); })(x, y));
    };
  };
  const Array x = {1.0f, 2.0f}, y = {3.0f, 4.0f};
  auto shape = with([](const Array &d) { return std::tuple(none, sum(d)); });
  EXPECT_THAT(errorOf([&] { grad(shape)(x, y); }),
              HasSubstr("f: expected its rule to return a cotangent of type f32[2] for arg 1, got f32[]"));
  EXPECT_THAT(errorOf([&] { jit(shape)(x, y); }), HasSubstr("for arg 1, got f32[]"));
  auto dtype = with([](const Array &d) { return std::tuple(astype(d, f64), none); });
  EXPECT_THAT(errorOf([&] { grad(dtype)(x, y); }),
              HasSubstr("f: expected its rule to return a cotangent of type f32[2] for arg 0, got f64[2]"));
  EXPECT_THAT(errorOf([&] { grad(dtype)(x, y); }), HasSubstr("rules_test.cpp:"));
  // Called by the standard library it names the line where it was made.
  const std::function<Array(const Array &)> called =
      custom_gradient([](const Array &x) { return with_grad(x, [](const Array &d) { return sum(d); }); });
  EXPECT_THAT(errorOf([&] { grad([&](const Array &x) { return sum(called(x)); })(x); }), HasSubstr("rules_test.cpp:"));
  auto f = custom_gradient("f", [](const std::vector<Array> &v) {
    return with_grad(v[0] * v[1], [=](const Array &d) { return std::vector<Array>{d}; });
  });
  EXPECT_THAT(errorOf([&] { grad([&](const Array &x) { return f(std::vector{x, x}); })(Array(1.0f)); }),
              HasSubstr("f: expected its rule to return as many cotangents as there are arrays in arg 0, 2, got 1"));
}

TEST(CustomGradient, HasNoForwardMode) {
  auto f = log1pexp();
  const std::string expected =
      "log1pexp: its reverse-mode rule does not define forward mode; use custom_jvp to give it a forward-mode rule";
  const Array x(1.0f);
  EXPECT_THAT(errorOf([&] { jvp(f, x, x); }), HasSubstr(expected));
  EXPECT_THAT(errorOf([&] { jvp(f, x, x); }), HasSubstr("rules_test.cpp:"));
  EXPECT_THAT(errorOf([&] { linearize(f, x); }), HasSubstr(expected));
  EXPECT_THAT(errorOf([&] { jvp(jit(f), x, x); }), HasSubstr(expected));
  EXPECT_THAT(errorOf([&] { hvp(f, x, x); }), HasSubstr(expected));
  EXPECT_THAT(errorOf([&] { jacobian_forward(f)(x); }), HasSubstr(expected));
  const Array xs = {0.5f, 1.0f};
  const Array slopes = vmap(grad(f))(xs);
  EXPECT_EQ(list(jacobian(f)(xs)), list(diag(slopes)));
  EXPECT_EQ(list(jacobian_reverse(f)(xs)), list(diag(slopes)));
  auto total = [&](const Array &x) { return sum(f(x)); };
  EXPECT_EQ(list(hessian(total)(xs)), list(diag(vmap(grad(grad(f)))(xs))));
  auto looped = [&](const Array &x) {
    return scan([&](const Array &c) { return std::pair(f(c), none); }, x, none, {.length = 2}).first;
  };
  EXPECT_THAT(errorOf([&] { jvp(looped, x, x); }), HasSubstr(expected));
  EXPECT_THAT(errorOf([&] { linearize(looped, x); }), HasSubstr(expected));
  // Where nothing of it moves there is nothing to say, or if it moves no result.
  auto stepped = custom_gradient([](const Array &x, const Array &n) {
    return with_grad(x * floor(n), [=](const Array &d) { return std::tuple(d * floor(n), none); });
  });
  EXPECT_EQ(jvp([&](const Array &n) { return stepped(x, n) * n; }, Array(2.5f), x).second.item<float>(), 2);
  EXPECT_EQ(jvp([&](const Array &y) { return f(x) * y; }, x, x).second.item<float>(), f(x).item<float>());
}

TEST(CustomGradient, IsThatOfAllSizesOfASymbol) {
  const JitOptions symbolic{.specs = {TensorSpec{f32, {"n", 2}}}};
  auto f = [clip = clipGradient(), steep = steepSine(), block = checkpoint(block)](const Array &x) {
    const Array norm = full({}, 1.0f);
    return sum(block(steep(clip(x, norm)), x) * 3.0f);
  };
  auto slope = jit(grad(f), symbolic);
  auto each = jit(vmap(grad([&](const Array &x) { return f(reshape(x, {1, 2})); })), symbolic);
  auto inside = jit(f, symbolic);
  for (int64_t n : {2, 3, 7}) {
    const Array x = random::normal(random::key(n), {n, 2});
    EXPECT_EQ(list(slope(x)), list(grad(f)(x)));
    EXPECT_EQ(list(grad(inside)(x)), list(grad(f)(x)));
    EXPECT_EQ(list(each(x)), list(vmap(grad([&](const Array &x) { return f(reshape(x, {1, 2})); }))(x)));
  }
  EXPECT_EQ(slope.stats().traces, 1u);
}

TEST(CustomGradient, IsThatOfPlainCppToo) {
  auto f = [clip = clipGradient(), steep = steepSine(), block = checkpoint(block)](const Array &x) {
    auto looped = [&](const Array &c) { return std::pair(steep(c), none); };
    return sum(block(scan(looped, clip(x, Array(1.0f)), none, {.length = 2, .checkpoint_every = 1}).first, x));
  };
  const Array x = {0.5f, 0.75f};
  const std::vector<float> compiled = list(jit(grad(f))(x));
  const EagerScope plain;
  EXPECT_THAT(list(jit(grad(f))(x)), Pointwise(FloatNear(1e-6f), compiled));
  EXPECT_THAT(list(grad(f)(x)), Pointwise(FloatNear(1e-6f), compiled));
}

TEST(CustomGradient, IsSeenByTapes) {
  auto f = [clip = clipGradient(), steep = steepSine(), block = checkpoint(block)](const Array &x) {
    const Array y = steep(x);
    return sum(y * y * clip(block(x, x), Array(1.0f)));
  };
  const Array x = {0.5f, 0.75f};
  {
    GradientTape tape;
    tape.watch(x);
    EXPECT_EQ(list(tape.gradient(f(x), x)), list(grad(f)(x)));
  }
  {
    GradientTape outer, inner;
    outer.watch(x);
    inner.watch(x);
    const Array slope = inner.gradient(f(x), x);
    const Array second = outer.gradient(sum(slope * x), x);
    EXPECT_THAT(list(second),
                Pointwise(FloatNear(1e-5f), list(grad([&](const Array &x) { return sum(grad(f)(x) * x); })(x))));
  }
  // A captured array is refused where it is asked for.
  const Array w(2.0f), a(3.0f);
  auto product = custom_gradient(
      "product", [=](const Array &a) { return with_grad(a * w, [=](const Array &d) { return d * w; }); });
  for (bool asked : {false, true}) {
    GradientTape tape;
    tape.watch(std::pair(w, a));
    const Array y = product(a);
    if (asked)
      EXPECT_THAT(errorOf([&] { (void)tape.gradient(y, w); }),
                  HasSubstr("product: expected no captured array to be differentiated"));
    else
      EXPECT_EQ(tape.gradient(y, a).item<float>(), 2);
  }
}

//===----------------------------------------------------------------------===//
// custom_vjp
//===----------------------------------------------------------------------===//

TEST(CustomVjp, RunsItsForwardWhereItIsDifferentiated) {
  int plain = 0, forward = 0, backward = 0;
  auto f = custom_vjp(
      "f",
      [&](const Array &x, const Array &y) {
        ++plain;
        return sin(x) * y;
      },
      [&](const Array &x, const Array &y) {
        ++forward;
        return std::pair(sin(x) * y, std::tuple(cos(x), y));
      },
      [&](const std::tuple<Array, Array> &kept, const Array &d) {
        ++backward;
        return std::tuple(d * std::get<0>(kept) * std::get<1>(kept), none);
      });
  const Array x(0.5f), y(3.0f);
  EXPECT_EQ(f(x, y).item<float>(), std::sin(0.5f) * 3);
  EXPECT_EQ(std::tuple(plain, forward, backward), std::tuple(1, 0, 0));
  EXPECT_EQ(grad(f)(x, y).item<float>(), (cos(x) * y).item<float>());
  EXPECT_EQ(grad<1>(f)(x, y).item<float>(), 0);
  EXPECT_EQ(jit(grad(f))(x, y).item<float>(), (cos(x) * y).item<float>());
  EXPECT_EQ(grad(jit(f))(x, y).item<float>(), (cos(x) * y).item<float>());
  EXPECT_NEAR(grad(grad(f))(x, y).item<float>(), (-sin(x) * y).item<float>(), 1e-6f);
  EXPECT_NEAR(jit(grad(grad(f)))(x, y).item<float>(), (-sin(x) * y).item<float>(), 1e-6f);
  const Array xs = {0.5f, 1.0f};
  auto total = [&](const Array &xs) { return sum(vmap(f, {.in_axes = {0, none}})(xs, y)); };
  EXPECT_EQ(list(grad(total)(xs)), list(cos(xs) * y));
  EXPECT_EQ(list(vmap(grad(f), {.in_axes = {0, none}})(xs, y)), list(cos(xs) * y));
}

TEST(CustomVjp, KeepsAnOperandOnceForAllRoundsOfALoop) {
  using Two = std::tuple<Array, Array>;
  auto product = [](const Array &x, const Array &w) { return matmul(x, w); };
  auto f = custom_vjp(
      product, [=](const Array &x, const Array &w) { return std::pair(product(x, w), Two(x, w)); },
      [](const Two &kept, const Array &d) {
        auto [x, w] = kept;
        return Two(matmul(d, transpose(w)), matmul(transpose(x), d));
      });
  auto loop = [](auto f) {
    return [=](const Array &x, const Array &w) {
      return sum(scan([&](const Array &c) { return std::pair(sin(f(c, w)), none); }, x, none, {.length = 5}).first);
    };
  };
  const Array x = random::normal(random::key(1), {2, 3}), w = random::normal(random::key(2), {3, 3});
  const auto expected = grad<0, 1>(loop(product))(x, w), got = grad<0, 1>(loop(f))(x, w);
  EXPECT_EQ(list(std::get<0>(got)), list(std::get<0>(expected)));
  EXPECT_EQ(list(std::get<1>(got)), list(std::get<1>(expected)));
  const std::string trace = jit(grad<0, 1>(loop(f))).lower(x, w).trace();
  EXPECT_THAT(trace, HasSubstr("f32[5, 2, 3]"));
  EXPECT_THAT(trace, Not(HasSubstr("f32[5, 3, 3]")));
}

TEST(CustomVjp, IsTheFunctionWhereNobodyDifferentiates) {
  auto f = custom_vjp([](const Array &x) { return x + 1.0f; }, [](const Array &x) { return std::pair(x + 2.0f, none); },
                      [](None, const Array &d) { return d; });
  EXPECT_EQ(jit(f)(Array(1.0f)).item<float>(), 2);
  EXPECT_EQ(value_and_grad(f)(Array(1.0f)).first.item<float>(), 3);
  EXPECT_EQ(value_and_grad(jit(f))(Array(1.0f)).first.item<float>(), 3);
}

TEST(CustomVjp, WhoseForwardReturnsSomethingElseIsAnError) {
  auto f = custom_vjp(
      "f", [](const Array &x) { return x * 2.0f; }, [](const Array &x) { return std::pair(sum(x), none); },
      [](None, const Array &d) { return d; });
  EXPECT_THAT(errorOf([&] { jit(f)(Array{1.0f, 2.0f}); }),
              HasSubstr("f: expected its rule to return a cotangent of type f32[2] for arg 0, got f32[]"));
  auto g = custom_vjp(
      "g", [](const Array &x) { return x * 2.0f; }, [](const Array &x) { return std::pair(sum(x), x); },
      [](const Array &x, const Array &d) { return d * x; });
  EXPECT_THAT(errorOf([&] { jit(g)(Array{1.0f, 2.0f}); }),
              HasSubstr("g: expected forward to return the function's results, got f32[] for f32[2]"));
}

//===----------------------------------------------------------------------===//
// custom_jvp
//===----------------------------------------------------------------------===//

TEST(CustomJvp, IsTheDerivativeInBothModes) {
  auto f = steepSine();
  const Array x(0.5f), two(2.0f);
  const float slope = (2.0f * cos(x)).item<float>();
  EXPECT_EQ(f(x).item<float>(), std::sin(0.5f));
  for (int mode = 0; mode < 3; ++mode) {
    auto once = [&](const Array &x) { return mode == 1 ? jit(f)(x) : f(x); };
    auto compiled = [&](auto g) {
      return [=](const Array &x) { return (mode == 2 ? jit(g)(x) : g(x)).template item<float>(); };
    };
    EXPECT_EQ(compiled([&](const Array &x) { return jvp(once, x, two).second; })(x), 2 * slope);
    EXPECT_EQ(compiled([&](const Array &x) { return jvp(once, x, two).first; })(x), std::sin(0.5f));
    EXPECT_EQ(compiled(grad(once))(x), slope);
    EXPECT_EQ(compiled([&](const Array &x) { return linearize(once, x).second(two); })(x), 2 * slope);
    const float second = (-2.0f * sin(x)).item<float>();
    EXPECT_NEAR(compiled(grad(grad(once)))(x), second, 1e-6f);
    EXPECT_NEAR(compiled([&](const Array &x) { return hvp(once, x, Array(1.0f)); })(x), second, 1e-6f);
    EXPECT_NEAR(compiled([&](const Array &x) {
                  auto inner = [&](const Array &x) { return jvp(once, x, Array(1.0f)).second; };
                  return jvp(inner, x, Array(1.0f)).second;
                })(x),
                second, 1e-6f);
    EXPECT_NEAR(compiled(grad([&](const Array &x) { return jvp(once, x, Array(1.0f)).second; }))(x), second, 1e-6f);
    // The rule is that of every order: (y^2)'' = 2 y'^2 + 2 y y''.
    const float y = std::sin(0.5f);
    EXPECT_NEAR(compiled(grad(grad([&](const Array &x) { return once(x) * once(x); })))(x),
                2 * slope * slope + 2 * y * second, 1e-4f);
  }
}

TEST(CustomJvp, IsThatOfEachExample) {
  auto f = steepSine();
  const Array xs = {0.5f, 1.0f, 1.5f};
  const auto expected = list(2.0f * cos(xs));
  EXPECT_EQ(list(vmap(grad(f))(xs)), expected);
  EXPECT_EQ(list(grad([&](const Array &x) { return sum(vmap(f)(x)); })(xs)), expected);
  EXPECT_EQ(list(jvp(vmap(f), xs, ones({3})).second), expected);
  EXPECT_EQ(list(vmap([&](const Array &x) { return jvp(f, x, Array(1.0f)).second; })(xs)), expected);
  EXPECT_EQ(list(jit(vmap(grad(f)))(xs)), expected);
  EXPECT_EQ(list(jit(grad([&](const Array &x) { return sum(vmap(f)(x)); }))(xs)), expected);
}

TEST(CustomJvp, TakesTuplesOfSeveralArguments) {
  using Two = std::tuple<Array, Array>;
  auto f = custom_jvp([](const Array &x, const Array &n) { return std::pair(x * astype(n, f32), n + 1); },
                      [](const Two &x, const Two &dx) {
                        auto [a, n] = x;
                        auto [da, dn] = dx;
                        EXPECT_EQ(dn.dtype(), f32); // of integers: zeros
                        return std::pair(std::pair(a * astype(n, f32), n + 1), std::pair(da * 7.0f + dn, Array()));
                      });
  auto first = [&](const Array &x, const Array &n) { return sum(f(x, n).first); };
  const Array x = {1.0f, 2.0f};
  EXPECT_THAT(list(grad(first)(x, Array(3))), ElementsAre(7, 7));
  EXPECT_THAT(list(jit(grad(first))(x, Array(3))), ElementsAre(7, 7));
  auto moved = jvp([&](const Array &x) { return f(x, Array(3)); }, x, Array{1.0f, 10.0f});
  EXPECT_THAT(list(moved.second.first), ElementsAre(7, 70));
  EXPECT_EQ(moved.first.second.item<int>(), 4);
}

TEST(CustomJvp, RefusesWhatIsNoDerivative) {
  const Array x(2.0f), y(3.0f);
  auto bent = custom_jvp(
      "bent", [](const Array &x) { return x * x; },
      [](const Array &x, const Array &dx) { return std::pair(x * x, dx * dx); });
  EXPECT_EQ(jvp(bent, x, y).second.item<float>(), 9);
  EXPECT_THAT(errorOf([&] { grad(bent)(x); }), HasSubstr("bent: expected a rule that is linear in the tangents"));
  auto chosen = custom_jvp(
      "chosen", [](const Array &x) { return x * x; },
      [](const Array &x, const Array &dx) { return std::pair(x * x, where(dx > 0.0f, dx, 2.0f * dx)); });
  EXPECT_THAT(errorOf([&] { grad(chosen)(x); }), HasSubstr("chosen: expected a rule that is linear in the tangents"));
  // By a carry of a loop, in its second round; by how often it runs.
  auto carried = custom_jvp(
      "carried", [](const Array &x) { return x * x; },
      [](const Array &x, const Array &dx) {
        auto step = [&](const std::pair<Array, Array> &c) {
          return std::pair(std::pair(c.second, c.second * c.first), none);
        };
        return std::pair(x * x, scan(step, std::pair(x, dx), none, {.length = 3}).first.first);
      });
  EXPECT_THAT(errorOf([&] { grad(carried)(x); }), HasSubstr("carried: expected a rule that is linear"));
  auto wrong = custom_jvp(
      "wrong", [](const Array &x) { return x * x; },
      [](const Array &x, const Array &dx) { return std::pair(x * x, astype(dx, f64)); });
  EXPECT_THAT(errorOf([&] { jvp(wrong, x, y); }),
              HasSubstr("wrong: expected its rule to return a tangent of type f32[] at [1], got f64[]"));
  auto other = custom_jvp(
      "other", [](const Array &x) { return x * x; },
      [](const Array &x, const Array &dx) { return std::pair(stack({x, x}), dx); });
  EXPECT_THAT(errorOf([&] { grad(other)(x); }),
              HasSubstr("other: expected its rule to return a result of type f32[] at [0], got f32[2]"));
  auto captured = [&](const Array &w) {
    return custom_jvp(
        "captured", [=](const Array &x) { return x * w; },
        [=](const Array &x, const Array &dx) { return std::pair(x * w, dx * w); });
  };
  const std::string expected = "captured: expected no captured array to be differentiated";
  EXPECT_EQ(grad(captured(y))(x).item<float>(), 3);
  EXPECT_THAT(errorOf([&] { grad([&](const Array &w) { return captured(w)(x); })(y); }), HasSubstr(expected));
  EXPECT_THAT(errorOf([&] { jvp([&](const Array &w) { return captured(w)(x); }, y, y); }), HasSubstr(expected));
  EXPECT_EQ(grad([&](const Array &w) { return grad(captured(w))(x); })(y).item<float>(), 1);
}

TEST(CustomJvp, StandsInBodiesOfControlFlow) {
  auto f = custom_jvp(
      "tripled", [](const Array &x) { return x * x; },
      [](const Array &x, const Array &dx) { return std::pair(x * x, 3.0f * x * dx); });
  auto looped = [&](const Array &x) {
    return scan([&](const Array &c) { return std::pair(f(c), none); }, x, none, {.length = 2}).first;
  };
  auto waited = [&](const Array &x) { return while_loop([](const Array &c) { return c < 10.0f; }, f, x); };
  const Array x(2.0f);
  for (bool compiled : {false, true}) {
    auto moved = [&](auto &g) {
      auto tangent = [&](const Array &x) { return jvp(g, x, Array(1.0f)).second; };
      return (compiled ? jit(tangent)(x) : tangent(x)).template item<float>();
    };
    EXPECT_EQ(moved(looped), 72);
    EXPECT_EQ(moved(waited), 72);
    EXPECT_EQ((compiled ? jit(grad(looped))(x) : grad(looped)(x)).item<float>(), 72);
    EXPECT_EQ(linearize(looped, x).second(Array(1.0f)).item<float>(), 72);
  }
}

//===----------------------------------------------------------------------===//
// checkpoint
//===----------------------------------------------------------------------===//

/// A chain of blocks, each made into what `wrap` says.
auto chain(auto wrap) {
  return [=](const Array &x, const Array &w) {
    auto one = wrap(block);
    Array y = x;
    for (int i = 0; i < 8; ++i)
      y = one(y, w);
    return sum(y * y);
  };
}
constexpr auto plainly = [](auto &f) { return &f; };
constexpr auto checkpointed = [](auto &f) { return checkpoint(f); };

/// For how many arrays of `bytes` a run has need of memory, beside what is there.
size_t arraysFor(auto &&run, size_t bytes, size_t enough = 128) {
  run(); // what is made once is there
  size_t too_few = 0;
  while (enough - too_few > 1) {
    const size_t arrays = (too_few + enough) / 2;
    rt::setMemoryLimit(rt::memoryStatistics().bytesCommitted + arrays * bytes + bytes / 2);
    try {
      run();
      enough = arrays;
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), testing::AnyOf(HasSubstr("cannot allocate"), HasSubstr("ran out of memory")));
      too_few = arrays;
    }
  }
  rt::setMemoryLimit(0);
  return enough;
}

TEST(Checkpoint, HasTheBitsOfTheFunction) {
  const Array x = linspace(-1.0f, 1.0f, 12), w = linspace(0.5f, 2.0f, 12);
  auto plain = chain(plainly);
  auto f = chain(checkpointed);
  const auto [dx, dw] = grad<0, 1>(plain)(x, w);
  auto expectSame = [&](const std::tuple<Array, Array> &got) {
    EXPECT_EQ(list(std::get<0>(got)), list(dx));
    // What comes from several places in a block is summed there first.
    EXPECT_THAT(list(std::get<1>(got)), Pointwise(FloatNear(1e-6f), list(dw)));
  };
  EXPECT_EQ(f(x, w).item<float>(), plain(x, w).item<float>());
  EXPECT_EQ(jit(f)(x, w).item<float>(), plain(x, w).item<float>());
  expectSame(grad<0, 1>(f)(x, w));
  expectSame(jit(grad<0, 1>(f))(x, w));
  expectSame(grad<0, 1>(jit(f))(x, w));
  EXPECT_EQ(list(jvp([&](const Array &x) { return f(x, w); }, x, w).second),
            list(jvp([&](const Array &x) { return plain(x, w); }, x, w).second));
  auto each = [&](auto &f) { return vmap(grad([&f](const Array &x, const Array &w) { return f(x, w); })); };
  EXPECT_EQ(list(each(f)(x, w)), list(each(plain)(x, w)));
  auto total = [&](auto &f) { return grad([&f](const Array &x, const Array &w) { return sum(vmap(f)(x, w)); }); };
  EXPECT_EQ(list(total(f)(x, w)), list(total(plain)(x, w)));
  auto second = [&](auto &f) { return grad([&](const Array &x) { return sum(grad(f)(x, w) * w); }); };
  // Here sums have another order.
  EXPECT_THAT(list(second(f)(x)), Pointwise(FloatNear(1e-7f), list(second(plain)(x))));
  EXPECT_THAT(list(jit(second(f))(x)), Pointwise(FloatNear(1e-7f), list(second(plain)(x))));
  EXPECT_EQ(list(hvp([&](const Array &x) { return f(x, w); }, x, w)),
            list(hvp([&](const Array &x) { return plain(x, w); }, x, w)));
  EXPECT_EQ(list(linearize([&](const Array &x) { return f(x, w); }, x).second(w)),
            list(linearize([&](const Array &x) { return plain(x, w); }, x).second(w)));
}

TEST(Checkpoint, TakesLessMemory) {
  constexpr size_t bytes = size_t(1) << 18;
  const Array x = full({bytes / 4}, 0.5f), w = full({bytes / 4}, 1.25f);
  for (bool compiled : {true, false}) {
    auto needs = [&](auto f) {
      auto slope = jit(grad(f));
      return arraysFor([&] { compiled ? slope(x, w) : grad(f)(x, w); }, bytes);
    };
    const size_t few = needs(chain(checkpointed)), many = needs(chain(plainly));
    EXPECT_LT(few, many / 2) << (compiled ? "compiled: " : "eager: ") << few << " of " << many << " arrays";
  }
}

TEST(Checkpoint, StandsInBodiesOfControlFlow) {
  const Array x = linspace(-1.0f, 1.0f, 6), w = linspace(0.5f, 2.0f, 6);
  auto looped = [](auto wrap) {
    return [=](const Array &x, const Array &w) {
      auto one = wrap(block);
      return sum(scan([&](const Array &c) { return std::pair(one(c, w), none); }, x, none, {.length = 4}).first);
    };
  };
  auto plain = looped(plainly);
  auto f = looped(checkpointed);
  EXPECT_EQ(list(grad(f)(x, w)), list(grad(plain)(x, w)));
  EXPECT_EQ(list(jit(grad(f))(x, w)), list(grad(plain)(x, w)));
  EXPECT_THAT(list(grad<1>(f)(x, w)), Pointwise(FloatNear(1e-6f), list(grad<1>(plain)(x, w))));
  constexpr size_t bytes = size_t(1) << 18;
  const Array large = full({bytes / 4}, 0.5f), one = full({bytes / 4}, 1.25f);
  const size_t few = arraysFor([&] { grad(f)(large, one); }, bytes);
  const size_t many = arraysFor([&] { grad(plain)(large, one); }, bytes);
  EXPECT_LT(few, many / 2) << few << " of " << many << " arrays";
}

TEST(Checkpoint, OfAScanKeepsACarryOfManyRounds) {
  // Two carries, a captured array, inputs and stacked results.
  auto walk = [](const ScanOptions &options) {
    return [=](const Array &w, const Array &xs) {
      auto step = [&](const std::pair<Array, Array> &c, const Array &x) {
        const Array next = tanh(sin(exp(-square(c.first))) * w + x);
        return std::pair(std::pair(next, c.second + 1), next * x);
      };
      auto [last, all] = scan(step, std::pair(w * 0.5f, Array(0)), xs, options);
      return sum(last.first) + sum(all * all) + astype(last.second, f32);
    };
  };
  const Array w = linspace(0.5f, 1.5f, 5);
  for (int64_t length : {0, 1, 5, 6, 7})
    for (bool reverse : {false, true}) {
      const Array xs = random::normal(random::key(length), {length, 5});
      auto plain = walk({.reverse = reverse});
      const auto [dw, dx] = grad<0, 1>(plain)(w, xs);
      for (int64_t every : {1, 3, 100}) {
        auto f = walk({.reverse = reverse, .checkpoint_every = every});
        EXPECT_EQ(f(w, xs).item<float>(), plain(w, xs).item<float>());
        EXPECT_EQ(jit(f)(w, xs).item<float>(), plain(w, xs).item<float>());
        for (bool compiled : {false, true}) {
          auto slope = grad<0, 1>(f);
          const auto [a, b] = compiled ? jit(slope)(w, xs) : slope(w, xs);
          EXPECT_THAT(list(a), Pointwise(FloatNear(1e-5f), list(dw))) << length << " by " << every;
          EXPECT_THAT(list(b), Pointwise(FloatNear(1e-5f), list(dx))) << length << " by " << every;
        }
      }
    }
  constexpr size_t bytes = size_t(1) << 16;
  auto rounds = [](std::optional<int64_t> every) {
    return [=](const Array &x) {
      auto step = [](const Array &c) { return std::pair(block(c, c), none); };
      return sum(scan(step, x, none, {.length = 64, .checkpoint_every = every}).first);
    };
  };
  const Array x = full({bytes / 4}, 0.5f);
  const size_t few = arraysFor([&] { grad(rounds(8))(x); }, bytes, 2048);
  const size_t many = arraysFor([&] { grad(rounds({}))(x); }, bytes, 2048);
  EXPECT_LT(few, many / 3) << few << " of " << many << " arrays";
  EXPECT_THAT(errorOf([&] { rounds(0)(x); }), HasSubstr("scan: expected checkpoint_every to be at least 1, got 0"));
  auto symbolic = jit([&](const Array &xs) { return walk({.checkpoint_every = 2})(w, xs); },
                      {.specs = {TensorSpec{f32, {"n", 5}}}});
  EXPECT_THAT(errorOf([&] { symbolic(zeros({4, 5})); }),
              HasSubstr("scan: expected a known length for checkpoint_every, got n"));
}

//===----------------------------------------------------------------------===//
// check_gradients
//===----------------------------------------------------------------------===//

TEST(CheckGradients, SeesWhatRulesSay) {
  auto cubic = [](const Layer &l, const Array &x) { return std::pair(l.w * x * x * x, sum(sin(x)) * l.b); };
  for (Dtype dtype : {f64, f32, f16, bf16}) {
    const Layer layer{astype(linspace(0.5, 1.5, 6), dtype), Array(0.75, dtype)};
    check_gradients(cubic, layer, astype(linspace(-1.0, 1.0, 6), dtype));
  }
  check_gradients(log1pexp(), Array{0.0f, 1.0f, -3.0f});
  check_gradients(log1pexp(), Array(linspace(-3.0, 20.0, 100)));
  check_gradients(jit(naiveLog1pexp), Array(0.5f));
  check_gradients([](const Array &x, const Array &n) { return x * astype(n, f32); }, 2.0f, Array{1, 2});
  EXPECT_THAT(errorOf([] { check_gradients(steepSine(), Array(0.0, f64)); }),
              HasSubstr("check_gradients: expected the derivative by arg 0 to be that of differences, 1, got 2 from "
                        "reverse mode"));
  EXPECT_THAT(errorOf([] { check_gradients(steepSine(), Array(0.0, f64)); }), HasSubstr("rules_test.cpp:"));
  // Of one element alone, in a tree.
  auto wrong = custom_gradient([](const Layer &l, const Array &x) {
    return with_grad(l.w * x + l.b, [=](const Array &d) {
      return std::tuple(Layer{d * x, sum(d)}, d * l.w + astype(Array{{0.0f, 0.0f, 0.0f}, {0.0f, 0.5f, 0.0f}}, f64));
    });
  });
  const Layer layer{Array(full({2, 3}, 2.0, f64)), Array(1.0, f64)};
  const Array x = reshape(astype(linspace(1.0, 2.0, 6), f64), {2, 3});
  const std::string text = errorOf([&] { check_gradients(wrong, layer, x); });
  EXPECT_THAT(text, HasSubstr("expected the derivative by arg 1[1, 1] to be that of differences"));
  auto right = [&](const Layer &l) { return wrong(l, x); };
  check_gradients(right, layer);
}

TEST(CheckGradients, ComparesBothModes) {
  // A rule that is the transpose of another one than it is: reverse mode sees the value of stop_gradient.
  auto odd = custom_jvp(
      [](const Array &x) { return x * x; },
      [](const Array &x, const Array &dx) { return std::pair(x * x, 2.0 * x * dx + 0.5 * stop_gradient(dx)); });
  EXPECT_THAT(errorOf([&] { check_gradients(odd, Array(1.0)); }),
              HasSubstr("check_gradients: expected forward mode to agree with reverse mode, "));
}

TEST(CheckGradients, RefusesWhatHasNoDerivative) {
  auto f = [](const Array &x) { return x * 2; };
  EXPECT_THAT(errorOf([&] { check_gradients(f, Array(1)); }),
              HasSubstr("check_gradients: expected a floating array to differentiate with respect to, got none"));
  EXPECT_THAT(errorOf([&] { check_gradients(f, complex(Array(1.0f), Array(1.0f))); }),
              HasSubstr("check_gradients: expected real arrays, got c64[] as arg 0"));
  EXPECT_THAT(errorOf([&] { check_gradients(f, Array()); }),
              HasSubstr("expected an array as arg 0, got an empty Array"));
  EXPECT_THAT(errorOf([&] { check_gradients([](const Array &x) { return x / 0.0f; }, Array(1.0f)); }),
              HasSubstr("to be that of differences, "));
  EXPECT_THAT(errorOf([&] { check_gradients([](const Array &x) { return sqrt(x); }, Array(0.0, f64)); }),
              HasSubstr("by arg 0 to be that of differences, nan, got inf from reverse mode"));
}

} // namespace
