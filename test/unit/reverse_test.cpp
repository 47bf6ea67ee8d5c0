//===- reverse_test.cpp - derivatives: grad, value_and_grad, vjp ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"

#include <tenon/io.h>
#include <tenon/jit.h>
#include <tenon/random.h>

#include <gmock/gmock.h>

#include <cstdio>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

class Smooth : public testing::TestWithParam<Case> {};

TEST_P(Smooth, FirstDerivativeIsThatOfFiniteDifferences) {
  const Case &one = GetParam();
  List inputs = inputsOf(one);
  Array weights = numbers(one.function(inputs).shape(), 0.5, 1.5, 99);
  List gradients = grad([&](const List &v) { return sum(one.function(v) * weights); })(inputs);
  List expected = differences(one.function, inputs, weights);
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(gradients[i].dtype(), f64);
    expectNear(gradients[i], expected[i], 2e-8, one.name + " by input " + std::to_string(i));
  }
}

TEST_P(Smooth, SecondDerivativeIsThatOfFiniteDifferences) {
  const Case &one = GetParam();
  List inputs = inputsOf(one);
  Array weights = numbers(one.function(inputs).shape(), 0.5, 1.5, 99);
  auto slope = [&](const List &v) {
    List gradients = grad([&](const List &u) { return sum(one.function(u) * weights); })(v), parts;
    for (const Array &gradient : gradients)
      parts.push_back(flat(gradient));
    return concatenate(parts);
  };
  Array outer = numbers(slope(inputs).shape(), 0.5, 1.5, 98);
  List gradients = grad([&](const List &v) { return sum(slope(v) * outer); })(inputs);
  List expected = differences(slope, inputs, outer);
  for (size_t i = 0; i < inputs.size(); ++i)
    expectNear(gradients[i], expected[i], 1e-7, one.name + " by input " + std::to_string(i));
}

TEST_P(Smooth, F32IsNearF64) {
  const Case &one = GetParam();
  List wide = inputsOf(one), narrow;
  for (const Array &x : wide)
    narrow.push_back(astype(x, f32));
  auto total = [&](const List &v) { return sum(one.function(v)); };
  List a = grad(total)(wide), b = grad(total)(narrow);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(b[i].dtype(), f32);
    expectNear(b[i], a[i], 2e-5, one.name);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Smooth, testing::ValuesIn(smoothCases()),
                         [](const auto &info) { return info.param.name; });

struct Dense {
  Array kernel, bias;
  int units = 2;
};
struct Net {
  std::vector<Dense> layers;
  Array steps;
  Key key;
  std::string name;
};

TEST(Grad, HasTheTypeOfItsArgument) {
  Net net{{{Array{{1.0f, 2.0f}}, Array{0.5f, 0.25f}, 7}}, Array{1, 2, 3}, random::key(5), "net"};
  auto loss = [](const Net &n, float scale) {
    return sum(n.layers[0].kernel * n.layers[0].bias) * scale + sum(astype(n.steps, f32));
  };
  auto [value, g] = value_and_grad(loss)(net, 2.0f);
  EXPECT_EQ(value.item<float>(), 2.0f * (0.5f + 0.5f) + 6);
  EXPECT_EQ(g.layers[0].kernel.to_vector<float>(), (std::vector<float>{1.0f, 0.5f}));
  EXPECT_EQ(g.layers[0].bias.to_vector<float>(), (std::vector<float>{2.0f, 4.0f}));
  EXPECT_EQ(g.layers[0].units, 7);
  EXPECT_EQ(g.name, "net");
  EXPECT_EQ(g.key.data.to_vector<uint32_t>(), net.key.data.to_vector<uint32_t>());
  // An array that is not floating gets zeros in f32.
  EXPECT_EQ(g.steps.dtype(), f32);
  EXPECT_EQ(g.steps.to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

TEST(Grad, BySeveralArgumentsIsATuple) {
  auto f = [](const Array &a, const Array &b, const Array &c) { return a * b * c; };
  auto [byA, byC] = grad<0, 2>(f)(Array(2.0f), Array(3.0f), Array(5.0f));
  EXPECT_EQ(byA.item<float>(), 15);
  EXPECT_EQ(byC.item<float>(), 6);
  Array byB = grad<1>(f)(Array(2.0f), Array(3.0f), Array(5.0f));
  EXPECT_EQ(byB.item<float>(), 10);
}

TEST(Grad, HandsOutAuxiliaryResults) {
  auto f = [](const Array &x) { return std::pair(sum(x * x), std::vector<Array>{x * 2.0f, argmax(x)}); };
  auto [results, g] = value_and_grad(f)(Array{1.0f, 3.0f});
  EXPECT_EQ(results.first.item<float>(), 10);
  EXPECT_EQ(results.second[0].to_vector<float>(), (std::vector<float>{2, 6}));
  EXPECT_EQ(results.second[1].item<int64_t>(), 1);
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{2, 6}));
  EXPECT_EQ(grad(f)(Array{1.0f, 3.0f}).first.to_vector<float>(), (std::vector<float>{2, 6}));
}

TEST(Grad, TiesAndKinksFollowTheRecords) {
  auto total = [](auto op) { return [op](const Array &a, const Array &b) { return sum(op(a, b)); }; };
  Array a{1.0f, 2.0f, 3.0f}, b{1.0f, 3.0f, 2.0f};
  auto [larger, smaller] = grad<0, 1>(total([](auto &x, auto &y) { return maximum(x, y); }))(a, b);
  EXPECT_EQ(larger.to_vector<float>(), (std::vector<float>{0.5f, 0, 1}));
  EXPECT_EQ(smaller.to_vector<float>(), (std::vector<float>{0.5f, 1, 0}));
  auto [low, high] = grad<0, 1>(total([](auto &x, auto &y) { return minimum(x, y); }))(a, b);
  EXPECT_EQ(low.to_vector<float>(), (std::vector<float>{0.5f, 1, 0}));
  EXPECT_EQ(high.to_vector<float>(), (std::vector<float>{0.5f, 0, 1}));
  Array shared = grad([](const Array &x) { return max(x); })(Array{4.0f, 1.0f, 4.0f});
  EXPECT_EQ(shared.to_vector<float>(), (std::vector<float>{0.5f, 0, 0.5f}));
  Array least = grad([](const Array &x) { return min(x); })(Array{4.0f, 1.0f, 1.0f});
  EXPECT_EQ(least.to_vector<float>(), (std::vector<float>{0, 0.5f, 0.5f}));
  Array kink = grad([](const Array &x) { return sum(abs(x)); })(Array{-2.0f, 0.0f, -0.0f, 2.0f});
  EXPECT_EQ(kink.to_vector<float>(), (std::vector<float>{-1, 0, 0, 1}));
  Array rectified = grad([](const Array &x) { return sum(relu(x)); })(Array{-2.0f, 0.0f, -0.0f, 2.0f});
  EXPECT_EQ(rectified.to_vector<float>(), (std::vector<float>{0, 0, 0, 1}));
}

TEST(Grad, OfClipIsOneAtItsBounds) {
  Array x{-1.0f, 0.0f, 1.0f, 2.0f, 3.0f};
  auto of = [&](const Operand &lo, const Operand &hi) {
    return grad([&](const Array &x) { return sum(clip(x, lo, hi)); })(x).to_vector<float>();
  };
  EXPECT_EQ(of(0, 2), (std::vector<float>{0, 1, 1, 1, 0}));
  EXPECT_EQ(of(0, none), (std::vector<float>{0, 1, 1, 1, 1}));
  EXPECT_EQ(of(none, 2), (std::vector<float>{1, 1, 1, 1, 0}));
  EXPECT_EQ(of(none, none), (std::vector<float>{1, 1, 1, 1, 1}));

  // By the bounds; crossed bounds give hi.
  auto [byX, byLo, byHi] = grad<0, 1, 2>([](const Array &x, const Array &lo, const Array &hi) {
    return sum(clip(x, lo, hi));
  })(x, Array{0.0f, 0.0f, 0.0f, 0.0f, 4.0f}, Array{2.0f, 2.0f, 2.0f, 1.0f, 3.5f});
  EXPECT_EQ(byX.to_vector<float>(), (std::vector<float>{0, 1, 1, 0, 0}));
  EXPECT_EQ(byLo.to_vector<float>(), (std::vector<float>{1, 0, 0, 0, 0}));
  EXPECT_EQ(byHi.to_vector<float>(), (std::vector<float>{0, 0, 0, 1, 1}));
}

// A factor of zero takes the others' derivatives away, and keeps its own.
TEST(Grad, OfAProductWithZeros) {
  auto product = [](const Array &x) { return prod(x); };
  auto gradient = [&](const Array &x) { return grad(product)(x).to_vector<float>(); };
  EXPECT_EQ(gradient({2.0f, 3.0f, 4.0f, 5.0f, 0.5f}), (std::vector<float>{30, 20, 15, 12, 120}));
  EXPECT_EQ(gradient({2.0f, 0.0f, 4.0f}), (std::vector<float>{0, 8, 0}));
  EXPECT_EQ(gradient({0.0f, 3.0f, 0.0f}), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(gradient(Array{7.0f}), std::vector<float>{1});
  // The second derivative is the product of what is left without both, zeros or not.
  Array second = grad([&](const Array &x) { return grad(product)(x)[0]; })(Array{0.0f, 0.0f, 3.0f, 5.0f});
  EXPECT_EQ(second.to_vector<float>(), (std::vector<float>{0, 15, 0, 0}));
  // Over axes that are not adjacent, each result apart.
  Array x = reshape(arange(24.0f) - 6.0f, {2, 3, 4});
  Array weights{1.0f, -2.0f, 3.0f};
  Array g = grad([&](const Array &v) { return sum(prod(v, {0, 2}) * weights); })(x);
  Array expected = where(equal(x, 0.0f), 0.0f, x);
  for (int64_t i = 0; i < 24; ++i) {
    float others = weights[i / 4 % 3].item<float>();
    for (int64_t j = 0; j < 24; ++j)
      if (j != i && j / 4 % 3 == i / 4 % 3)
        others *= static_cast<float>(j) - 6;
    EXPECT_NEAR(reshape(g, {24})[i].item<float>(), others, std::abs(others) * 1e-6f) << i;
  }
}

TEST(Grad, OfBf16StaysBf16) {
  Array x = astype(Array{1.0f, 2.0f}, bf16);
  Array g = grad([](const Array &v) { return sum(v * v * 0.5f + softmax(v)); })(x);
  EXPECT_EQ(g.dtype(), bf16);
  expectNear(g, Array{1.0f, 2.0f}, 0.02, "bf16");
}

TEST(Grad, ZeroDerivatives) {
  auto f = [](const Array &x) {
    return sum(where(x <= 1.0f, x, x * 0.0f)) + astype(argmax(x), f32) + astype(astype(x, i32)[0], f32) +
           astype(dimension(x, 0), f32);
  };
  EXPECT_EQ(grad(f)(Array{1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{1, 0}));
  EXPECT_EQ(grad([](const Array &) { return Array(1.0f); })(Array{1.0f, 2.0f}).to_vector<float>(),
            (std::vector<float>{0, 0}));
}

TEST(Grad, OfEmptyArrays) {
  Array g = grad([](const Array &x) { return sum(exp(x)); })(zeros({0, 3}));
  EXPECT_EQ(g.shape(), Shape({0, 3}));
}

TEST(Grad, NestsWithoutConfusion) {
  // d/dx [x * d/dy (x * y)] = d/dx x^2.
  auto f = [](const Array &x) { return x * grad([&](const Array &y) { return x * y; })(Array(3.0f)); };
  EXPECT_EQ(grad(f)(Array(5.0f)).item<float>(), 10);
  auto cube = [](const Array &x) { return x * x * x; };
  EXPECT_EQ(grad(grad(grad(cube)))(Array(2.0f)).item<float>(), 6);
}

// The host's questions to values that stand on known ones are answered.
TEST(Grad, OfPlainCppThatAsksForValues) {
  auto f = [](const Array &x) {
    Array y = x;
    while (y < 100)
      y = y * x;
    if (sum(y) > 1000 || int(x) == 7)
      y = y * float(y);
    return y;
  };
  // 3^5, 243 = 5 * 81; 200^1; 11^2 = 121
  EXPECT_EQ(grad(f)(Array(3.0f)).item<float>(), 405);
  EXPECT_EQ(grad(f)(Array(200.0f)).item<float>(), 1);
  EXPECT_EQ(grad(f)(Array(11.0f)).item<float>(), 22);
  EXPECT_EQ(grad(f)(Array(7.0f)).item<float>(), 3 * 49 * 343); // y = x^3 times the number 343
  EXPECT_EQ(grad(grad(f))(Array(3.0f)).item<float>(), 20 * 27);
}

TEST(Grad, ValuesThatStandOnKnownOnesCanBeCopiedOut) {
  std::vector<float> copied, view;
  std::vector<bool> bits;
  Array x = {1.0f, 2.0f, 3.0f};
  Array d = grad([&](const Array &x) {
    Array y = x * x;
    copied = y.to_vector<float>();
    bits = (y > 2).to_vector<bool>();
    for (float element : y.elements<float>())
      view.push_back(element);
    save_npy("grad_values.npy", y);
    return sum(y);
  })(x);
  EXPECT_EQ(d.to_vector<float>(), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(copied, (std::vector<float>{1, 4, 9}));
  EXPECT_EQ(view, copied);
  EXPECT_EQ(bits, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(load_npy("grad_values.npy").to_vector<float>(), copied);
  std::remove("grad_values.npy");
}

TEST(Grad, LeavesIntegersAsTheyAre) {
  // Also beside a floating result of the same op.
  Array gradient = grad([](const Array &x) {
    std::vector<Array> both = optimization_barrier({x, Array(3)});
    return sum(both[0]) * float(both[1].item<int32_t>());
  })(Array{1.0f, 2.0f});
  EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{3, 3}));
  // They are nothing of the tape's: they may be kept.
  Array kept;
  grad([&](const Array &x) {
    std::vector<Array> both = optimization_barrier({x, Array(3)});
    kept = both[1];
    return sum(both[0]);
  })(Array{1.0f, 2.0f});
  EXPECT_EQ((kept + 1).item<int32_t>(), 4);
}

TEST(Grad, OfUpdatesInPlaceLeavesWhatOthersHave) {
  auto f = [](const Array &x) {
    Array y = x * 2.0f, before = y;
    y = std::move(y).at[{0}].set(x[1]);
    return std::pair(sum(y), before);
  };
  const auto [value, g] = value_and_grad(f)(Array{1.0f, 2.0f});
  EXPECT_EQ(value.first.item<float>(), 6);
  EXPECT_EQ(value.second.to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(g.to_vector<float>(), (std::vector<float>{0, 3}));
}

TEST(Grad, KeepsWhatDerivativesNeed) {
  auto kept = [](auto f) {
    size_t before = 0, after = 0;
    grad([&](const Array &x) {
      Array y = exp(x);
      before = rt::memoryStatistics().bytesInUse;
      for (int i = 0; i < 10; ++i)
        y = f(y);
      after = rt::memoryStatistics().bytesInUse;
      return sum(y);
    })(zeros({1 << 18}));
    return after - before;
  };
  constexpr size_t megabyte = 1 << 20; // the bytes of y
  EXPECT_LT(kept([](const Array &y) { return y + 1.0f; }), 2 * megabyte) << "a sum needs neither of its terms";
  EXPECT_GE(kept([](const Array &y) { return y * y; }), 9 * megabyte);
}

TEST(Grad, PrintsOnce) {
  testing::internal::CaptureStdout();
  grad([](const Array &x) {
    print("x = {}", {x});
    return x * x;
  })(Array(3.0f));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x = 3.\n");
}

TEST(Grad, ErrorsNameWhatIsWrong) {
  std::string text = errorOf([] { grad([](const Array &x) { return x * 2.0f; })(Array{1.0f, 2.0f}); });
  EXPECT_THAT(text, HasSubstr("grad: expected a function whose result is a floating array of rank 0, got f32[2]"));
  EXPECT_THAT(text, HasSubstr("reverse_test.cpp:"));
  text = errorOf([] { grad([](const Array &x) { return argmax(x); })(Array{1.0f, 2.0f}); });
  EXPECT_THAT(text, HasSubstr("got i64[]"));
  Array escaped;
  grad([&](const Array &x) {
    escaped = x * 2.0f;
    return sum(x);
  })(Array{1.0f});
  text = errorOf([&] { (void)exp(escaped); });
  EXPECT_THAT(text, HasSubstr("exp: a value of the grad of "));
  EXPECT_THAT(text, HasSubstr("was used outside of it"));
  EXPECT_THAT(text, HasSubstr("made at "));
  // Operands are named by their paths.
  text = errorOf([] {
    grad([](const Net &n) { return sum(matmul(n.layers[0].kernel, n.layers[0].bias)); })(
        Net{{{Array{{1.0f, 2.0f}}, Array{1.0f}}}, Array(1), random::key(0), ""});
  });
  EXPECT_THAT(text, HasSubstr("x1: f32[1, 2] (arg 0: layers[0].kernel)"));
  EXPECT_THAT(text, HasSubstr("x2: f32[1] (arg 0: layers[0].bias)"));
}

TEST(Vjp, PullsBackAnyNumberOfTimes) {
  auto f = [](const Array &x, const Array &y) { return std::pair(x * y, std::vector<Array>{sum(x)}); };
  auto [result, pullback] = vjp(f, Array{1.0f, 2.0f}, Array{3.0f, 4.0f});
  EXPECT_EQ(result.first.to_vector<float>(), (std::vector<float>{3, 8}));
  EXPECT_EQ(result.second[0].item<float>(), 3);
  for (int round : {0, 1}) {
    auto [byX, byY] = pullback({Array{1.0f, 10.0f}, {Array(float(round))}});
    EXPECT_EQ(byX.to_vector<float>(), (std::vector<float>{3.0f + float(round), 40.0f + float(round)}));
    EXPECT_EQ(byY.to_vector<float>(), (std::vector<float>{1, 20}));
  }
  // A Jacobian: the pullback, batched.
  auto pull = vjp([](const Array &x) { return x * x; }, Array{1.0f, 2.0f}).second;
  Array jacobian = vmap([&](const Array &ct) { return pull(ct); })(Array{{1.0f, 0.0f}, {0.0f, 1.0f}});
  EXPECT_EQ(jacobian.to_vector<float>(), (std::vector<float>{2, 0, 0, 4}));
}

TEST(Vjp, ChecksCotangents) {
  auto pull = vjp([](const Array &x) { return std::pair(x * x, x); }, Array{1.0f, 2.0f}).second;
  std::string text = errorOf([&] { pull({Array{1.0f}, Array{1.0f, 1.0f}}); });
  EXPECT_THAT(text, HasSubstr("vjp: expected a cotangent of the result's type f32[2] for [0], got f32[1]"));
}

TEST(Vjp, OfComplexProducts) {
  std::vector<complex64_t> x{{1, 2}}, y{{3, -1}};
  Array a(std::span<const complex64_t>(x), {1}), b(std::span<const complex64_t>(y), {1});
  auto [product, pull] = vjp([](const Array &u, const Array &v) { return u * v; }, a, b);
  auto [byA, byB] = pull(Array(std::span<const complex64_t>(std::vector<complex64_t>{{1, 0}}), {1}));
  EXPECT_EQ(byA.to_vector<complex64_t>()[0], y[0]);
  EXPECT_EQ(byB.to_vector<complex64_t>()[0], x[0]);
}

//===----------------------------------------------------------------------===//
// Unconnected
//===----------------------------------------------------------------------===//

TEST(Unconnected, IsTheThirdDerivativeOfTheSquare) {
  auto square = [](const Array &x) { return x * x; };
  const Array x(3.0f);
  const std::optional<Array> first = grad(square, {.unconnected = none})(x);
  EXPECT_EQ(first->item<float>(), 6);
  EXPECT_EQ(grad(grad(square), {.unconnected = none})(x)->item<float>(), 2);
  EXPECT_FALSE(grad(grad(grad(square)), {.unconnected = none})(x).has_value());
  EXPECT_EQ(grad(grad(grad(square)))(x).item<float>(), 0);
  EXPECT_EQ(jit(grad(square, {.unconnected = none}))(x)->item<float>(), 6);
  EXPECT_FALSE(jit(grad(grad(grad(square)), {.unconnected = none}))(x).has_value());
  EXPECT_FALSE(grad(jit(grad(jit(grad(square)))), {.unconnected = none})(x).has_value());
}

struct Pair {
  Array a, b;
};

TEST(Unconnected, IsNoneWhereNoDerivativeComes) {
  const Array x = {1.0f, 2.0f};
  auto through = [&](auto f) { return grad(f, {.unconnected = none})(x).has_value(); };
  EXPECT_TRUE(through([](const Array &x) { return sum(x * 0.0f); }));
  EXPECT_FALSE(through([](const Array &x) { return sum(stop_gradient(x)); }));
  EXPECT_FALSE(through([](const Array &x) { return sum(floor(x)); }));
  EXPECT_FALSE(through([](const Array &x) { return sum(astype(astype(x, i32), f32)); }));
  EXPECT_FALSE(through([](const Array &) { return Array(1.0f); }));
  EXPECT_FALSE(through(jit([](const Array &x) { return sum(floor(x)); })));
  EXPECT_FALSE(vmap(grad([](const Array &x) { return floor(x); }, {.unconnected = none}))(x).has_value());
}

TEST(Unconnected, IsFoundInTrees) {
  auto first = [](const std::vector<Array> &v, const std::map<std::string, Array> &m) { return v[0] * m.at("used"); };
  const std::vector<Array> v = {2.0f, 3.0f};
  const std::map<std::string, Array> m = {{"unused", 1.0f}, {"used", 5.0f}};
  for (bool compiled : {false, true}) {
    auto g = grad<0, 1>(first, {.unconnected = none});
    auto [dv, dm] = compiled ? jit(g)(v, m) : g(v, m);
    EXPECT_EQ(dv[0]->item<float>(), 5);
    EXPECT_FALSE(dv[1].has_value());
    EXPECT_FALSE(dm.at("unused").has_value());
    EXPECT_EQ(dm.at("used")->item<float>(), 2);
  }
  // In a struct it is an empty Array, which no compiled function returns.
  auto ofStruct = grad([](const Pair &p) { return p.a * p.a; }, {.unconnected = none});
  const Pair p{7.0f, 1.0f};
  EXPECT_EQ(ofStruct(p).a.item<float>(), 14);
  EXPECT_FALSE(ofStruct(p).b.has_value());
  EXPECT_THAT(errorOf([&] { jit(ofStruct)(p); }), HasSubstr("expected an array as result, got an empty Array"));
  auto withAux = [](const Array &x, const Array &) { return std::pair(x * x, x); };
  auto [both, gradients] = value_and_grad<0, 1>(withAux, {.unconnected = none})(v[0], v[1]);
  EXPECT_EQ(both.first.item<float>(), 4);
  EXPECT_EQ(std::get<0>(gradients)->item<float>(), 4);
  EXPECT_FALSE(std::get<1>(gradients).has_value());
  EXPECT_FALSE(grad<1>(withAux, {.unconnected = none})(v[0], v[1]).first.has_value());
  EXPECT_FALSE(value_and_grad<1>([](const Array &x, const Array &) { return x; }, {.unconnected = none})(v[0], v[1])
                   .second.has_value());
}

} // namespace
