//===- ruled_ops_test.cpp - custom rules that equal the derivative of every op --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <set>

using namespace tenon;
using namespace tenon::test;

namespace {

using Function = std::function<Array(const List &)>;

/// The function with its own derivative as a rule, or computed again for it.
std::vector<std::pair<std::string, Function>> ruled(const Function &f) {
  auto backward = [f](const List &x, const Array &d) { return vjp(f, x).second(d); };
  return {{"custom_gradient", custom_gradient([=](const List &x) {
             return with_grad(f(x), [=](const Array &d) { return backward(x, d); });
           })},
          {"custom_vjp", custom_vjp(
                             f, [f](const List &x) { return std::pair(f(x), x); }, backward)},
          {"custom_jvp", custom_jvp(f, [f](const List &x, const List &dx) { return jvp(f, x, dx); })},
          {"checkpoint", checkpoint(f)}};
}

class Ruled : public testing::TestWithParam<Case> {
protected:
  const Case &one = GetParam();
  /// Rules are applied when a function is traced. For these functions, whose derivatives the conformance test compiles,
  /// the compiler would take minutes in sum, so their programs are interpreted.
  JitOptions options() const {
    const bool isLong = std::set<std::string>{"betainc", "digamma",   "igamma",   "igammac", "lgamma",
                                              "pow",     "polygamma", "trigamma", "zeta"}
                            .contains(one.name);
    return {.compile = isLong ? Compile::never : Compile::now};
  }
  const List x = inputsOf(one);
  const Array weights = numbers(one.function(x).shape(), 0.5, 1.5, 99);
  /// Of rank 0, and not linear in what f gives.
  auto loss(const Function &f) const {
    return [f, weights = weights](const List &v) { return sum(square(f(v)) * weights); };
  }
  static void expectNearAll(const List &got, const List &expected, double tolerance, const std::string &what) {
    ASSERT_EQ(got.size(), expected.size()) << what;
    for (size_t i = 0; i < got.size(); ++i)
      expectNear(got[i], expected[i], tolerance, what);
  }
};

TEST_P(Ruled, HasTheGradientOfTheFunction) {
  const List expected = grad(loss(one.function))(x);
  for (const auto &[name, f] : ruled(one.function)) {
    EXPECT_TRUE(array_equal(f(x), one.function(x)).item<bool>()) << name;
    expectNearAll(grad(loss(f))(x), expected, 1e-11, name);
    expectNearAll(jit(grad(loss(f)), options())(x), expected, 1e-11, "jit of grad of " + name);
    expectNearAll(grad(jit(loss(f), options()))(x), expected, 1e-11, "grad of jit of " + name);
  }
}

TEST_P(Ruled, HasTheGradientOfEachExample) {
  List examples;
  for (const Array &array : x)
    examples.push_back(stack({array, array * 0.9}));
  auto each = [&](const Function &f) { return vmap(grad(loss(f)))(examples); };
  auto total = [&](const Function &f) { return grad([&](const List &v) { return sum(vmap(loss(f))(v)); })(examples); };
  const List expected = each(one.function);
  for (const auto &[name, f] : ruled(one.function)) {
    expectNearAll(each(f), expected, 1e-11, "vmap of grad of " + name);
    expectNearAll(total(f), expected, 1e-11, "grad of vmap of " + name);
  }
}

TEST_P(Ruled, HasTheSecondDerivative) {
  List along;
  uint64_t seed = 50;
  for (const Input &input : one.inputs)
    along.push_back(numbers(input.shape, -1, 1, seed++));
  auto second = [&](const Function &f) {
    return grad([&](const List &v) {
      const List slopes = grad(loss(f))(v);
      Array all(0.0, f64);
      for (size_t i = 0; i < v.size(); ++i)
        all = all + sum(slopes[i] * along[i]);
      return all;
    });
  };
  const List expected = second(one.function)(x);
  for (const auto &[name, f] : ruled(one.function)) {
    expectNearAll(second(f)(x), expected, 1e-9, name);
    expectNearAll(jit(second(f), options())(x), expected, 1e-9, "jit of " + name);
  }
}

std::vector<Case> allCases() {
  std::vector<Case> all = smoothCases();
  for (const Case &one : regionCases())
    if (one.name.find("while") == std::string::npos) // which has no derivative in reverse mode
      all.push_back(one);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Ops, Ruled, testing::ValuesIn(allCases()), [](const auto &info) { return info.param.name; });

/// A function whose rule captures what does not depend on its arguments.
auto halves() {
  auto half = [](const Array &x) { return x * Array(0.5, f64); };
  return custom_jvp(half, [half](const Array &x, const Array &dx) { return std::pair(half(x), half(dx)); });
}

/// Of all elements, in parts of `every` rounds.
Array product(const Array &x, std::optional<int64_t> every) {
  return scan([](const Array &carry, const Array &element) { return std::pair(carry * element, none); },
              Array(1.0, f64), x, {.checkpoint_every = every})
      .first;
}

TEST(RuledForward, OfACheckpointLeavesCapturesAlone) {
  const Array x = Array{0.3, 0.7, -1.1, 0.2}.astype(f64);
  auto f = halves();
  auto inParts = [f](const Array &x) {
    return scan([f](const Array &carry, const Array &element) { return std::pair(f(carry) * element, none); },
                Array(1.0, f64), x, {.checkpoint_every = 2})
        .first;
  };
  auto atOnce = [](const Array &x) { return prod(x) / 16.0; };
  auto plain = [](const Array &x) { return sum(x * Array(0.5, f64) * sin(x)); };
  auto again = [f](const Array &x) { return sum(checkpoint(f)(x) * sin(x)); };
  expectNear(hessian(again)(x), hessian(plain)(x), 1e-12, "hessian of checkpoint");
  expectNear(jit(hessian(again))(x), hessian(plain)(x), 1e-12, "jit of hessian of checkpoint");
  expectNear(hessian(inParts)(x), hessian(atOnce)(x), 1e-12, "hessian of a scan in parts");
  expectNear(jit(hessian(inParts))(x), hessian(atOnce)(x), 1e-12, "jit of hessian of a scan in parts");
  expectNear(hessian(checkpoint(inParts))(x), hessian(atOnce)(x), 1e-12, "hessian of both");
}

TEST(RuledForward, OfAScanInPartsIsARule) {
  const Array x = Array{0.3, 0.7, -1.1, 0.2, 2.0}.astype(f64);
  const Array gradient = grad([](const Array &x) { return prod(x); })(x);
  for (int64_t every : {1, 2, 3, 5}) { // 2 and 3 leave a rest
    auto f = [every](const Array &x) { return product(x, every); };
    auto ruled = custom_jvp(f, [f](const Array &x, const Array &dx) { return jvp(f, x, dx); });
    const std::string what = "every " + std::to_string(every);
    expectNear(grad(ruled)(x), gradient, 1e-12, what);
    expectNear(jit(grad(ruled))(x), gradient, 1e-12, "jit, " + what);
    expectNear(jacobian_forward(ruled)(x), gradient, 1e-12, "forward, " + what);
    expectNear(vmap(grad(ruled))(stack({x, x * 0.5})), vmap(grad(f))(stack({x, x * 0.5})), 1e-12, "vmap, " + what);
  }
}

TEST(RuledForward, OfAScanInPartsKeepsCarriesThatOthersNeed) {
  auto waves = [](std::optional<int64_t> every) {
    return [every](const Array &x) {
      auto round = [](const std::pair<Array, Array> &carry, const Array &element) {
        const auto &[a, b] = carry; // b is in no derivative itself
        return std::pair(std::pair(a + b, b + element), sin(a));
      };
      return sum(scan(round, std::pair(Array(0.1, f64), Array(0.2, f64)), x, {.checkpoint_every = every}).second);
    };
  };
  const Array x = Array{0.3, 0.7, -1.1, 0.2, 2.0}.astype(f64);
  for (int64_t every : {2, 5}) {
    auto f = waves(every);
    auto ruled = custom_jvp(f, [f](const Array &x, const Array &dx) { return jvp(f, x, dx); });
    expectNear(grad(f)(x), grad(waves({}))(x), 1e-12, "in parts");
    expectNear(grad(ruled)(x), grad(waves({}))(x), 1e-12, "as a rule");
  }
}

TEST(RuledForward, OfALoopThatMultipliesTangentsIsRefused) {
  auto f = [](const Array &x) { return product(x, 2); };
  auto ruled = custom_jvp(f, [f](const Array &x, const Array &dx) {
    const auto [y, dy] = jvp(f, x, dx);
    return std::pair(y, dy * dy);
  });
  EXPECT_THAT(messageOf([&] { grad(ruled)(Array{0.3, 0.7, -1.1}.astype(f64)); }),
              testing::HasSubstr("expected a rule that is linear in the tangents"));
}

} // namespace
