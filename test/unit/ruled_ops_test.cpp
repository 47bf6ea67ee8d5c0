//===- ruled_ops_test.cpp - rules that are the derivatives, of every op -----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/TransformCases.h"

#include <tenon/tenon.h>

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
    expectNearAll(jit(grad(loss(f)))(x), expected, 1e-11, "jit of grad of " + name);
    expectNearAll(grad(jit(loss(f)))(x), expected, 1e-11, "grad of jit of " + name);
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
    expectNearAll(jit(second(f))(x), expected, 1e-9, "jit of " + name);
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

} // namespace
