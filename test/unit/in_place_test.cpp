//===- in_place_test.cpp - derivatives of updates that reuse their operand's buffer -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/TransformCases.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;

namespace {

Array doubles(std::vector<double> elements) {
  const auto count = static_cast<int64_t>(elements.size());
  return Array(std::span<const double>(elements), {count});
}

/// `base` with three updates by parts of x. `keeps` says whether the caller keeps every operand, so that no update may
/// run in place.
struct Update {
  std::string name;
  Array (*apply)(Array base, const Array &x, bool keeps);
};

template <class F>
Array updated(Array base, bool keeps, F &&update) {
  std::vector<Array> kept;
  for (int round = 0; round < 3; ++round) {
    if (keeps)
      kept.push_back(base);
    base = update(std::move(base), round);
  }
  return base;
}

const Array rows = {2, 0, 2};

const Update updates[] = {
    {"set",
     [](Array base, const Array &x, bool keeps) {
       return updated(std::move(base), keeps, [&](Array acc, int) { return std::move(acc).at[rows].set(x); });
     }},
    {"add",
     [](Array base, const Array &x, bool keeps) {
       return updated(std::move(base), keeps, [&](Array acc, int) { return std::move(acc).at[rows].add(x * x); });
     }},
    {"multiply",
     [](Array base, const Array &x, bool keeps) {
       return updated(std::move(base), keeps, [&](Array acc, int) { return std::move(acc).at[rows].multiply(x); });
     }},
    {"divide",
     [](Array base, const Array &x, bool keeps) {
       return updated(std::move(base), keeps, [&](Array acc, int) { return std::move(acc).at[rows].divide(x); });
     }},
    {"min",
     [](Array base, const Array &x, bool keeps) {
       return updated(std::move(base), keeps,
                      [&](Array acc, int round) { return std::move(acc).at[rows].min(x * (1.7 - round)); });
     }},
    {"max",
     [](Array base, const Array &x, bool keeps) {
       return updated(std::move(base), keeps,
                      [&](Array acc, int round) { return std::move(acc).at[rows].max(x * (0.3 + round)); });
     }},
    {"setPart",
     [](Array base, const Array &x, bool keeps) {
       return updated(std::move(base), keeps,
                      [&](Array acc, int round) { return std::move(acc).at[slice(round, 4)].multiply(x[round]); });
     }},
    {"dynamic_update_slice",
     [](Array base, const Array &x, bool keeps) {
       return updated(std::move(base), keeps, [&](Array acc, int round) {
         acc = std::move(acc).at[rows].multiply(x);
         return dynamic_update_slice(acc * acc, x[slice(0, 2)], {Array(round)});
       });
     }},
};

class InPlace : public testing::TestWithParam<Update> {
protected:
  /// The updates of an array that does not depend on x, and of one that does.
  static Array loss(const Array &x, bool keeps) {
    const Array weights = doubles({0.5, -1.0, 2.0, 3.0});
    const Array constant = GetParam().apply(doubles({1.1, 1.3, 0.7, 2.0}) * 1.0, x, keeps);
    const Array moving = GetParam().apply(concatenate({x * 1.5, x[slice(0, 1)]}), x, keeps);
    return sum(weights * constant) + sum(weights * moving * moving);
  }
  static Array inPlace(const Array &x) { return loss(x, false); }
  static Array copied(const Array &x) { return loss(x, true); }

  static void expectNear(const Array &got, const Array &expected, const char *how, double tolerance = 1e-12) {
    EXPECT_TRUE(bool(allclose(got, expected, tolerance, tolerance))) << how << ": " << got << " for " << expected;
  }

  const Array x = doubles({0.9, 1.2, 1.6});
  const Array slope = grad(copied)(x);
};

TEST_P(InPlace, GradientsAreThoseOfACopy) {
  const Array one = eye(3, std::nullopt, 0, f64);
  std::vector<double> differences;
  for (int i = 0; i < 3; ++i)
    differences.push_back(((copied(x + one[i] * 1e-6) - copied(x - one[i] * 1e-6)) / 2e-6).item<double>());
  expectNear(slope, doubles(differences), "differences", 1e-6);
  expectNear(inPlace(x), copied(x), "value");
  expectNear(grad(inPlace)(x), slope, "grad");
  expectNear(vjp(inPlace, x).second(ones({}, f64)), slope, "vjp");
  expectNear(jit(grad(inPlace))(x), slope, "jit of grad");
  expectNear(grad(jit(inPlace))(x), slope, "grad of jit");
  expectNear(jvp(inPlace, x, one[1]).second, slope[1], "jvp");
  expectNear(jit([](const Array &x) { return jvp(inPlace, x, ones_like(x)).second; })(x), sum(slope), "jit of jvp");
  expectNear(vmap(grad(inPlace))(stack({x, x * 1.1}))[0], slope, "vmap of grad");
  const auto batch = [](const Array &x) { return sum(vmap(inPlace)(stack({x, x * 1.0}))); };
  expectNear(grad(batch)(x), slope * 2, "grad of vmap");
}

TEST_P(InPlace, TapesAnswerAsOfACopy) {
  {
    GradientTape tape;
    tape.watch(x);
    expectNear(tape.gradient(inPlace(x), x), slope, "tape");
  }
  {
    GradientTape tape{persistent};
    tape.watch(x);
    const Array y = inPlace(x);
    expectNear(tape.gradient(y, x), slope, "persistent, once");
    expectNear(tape.gradient(y, x), slope, "persistent, twice");
  }
  {
    GradientTape outer{persistent}, inner;
    outer.watch(x);
    inner.watch(x);
    const Array y = inPlace(x);
    expectNear(inner.gradient(y, x), slope, "inner");
    expectNear(outer.gradient(y, x), slope, "outer");
  }
  const auto taped = [](const Array &x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(inPlace(x), x);
  };
  expectNear(jit(taped)(x), slope, "tape in jit");
  expectNear(vmap(taped)(stack({x, x}))[1], slope, "tape in vmap");
}

TEST_P(InPlace, SecondDerivativesAreThoseOfACopy) {
  const Array curvature = hessian(copied)(x);
  expectNear(hessian(inPlace)(x), curvature, "hessian");
  expectNear(jacobian(grad(inPlace))(x), curvature, "jacobian of grad");
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  expectNear(outer.gradient(sum(inner.gradient(inPlace(x), x)), x), sum(curvature, 0), "tapes");
  const auto taped = [](const Array &x) {
    GradientTape tape;
    tape.watch(x);
    return sum(tape.gradient(inPlace(x), x));
  };
  expectNear(grad(taped)(x), sum(curvature, 0), "grad of a tape");
}

INSTANTIATE_TEST_SUITE_P(Updates, InPlace, testing::ValuesIn(updates),
                         [](const auto &info) { return info.param.name; });

TEST(InPlaceUpdate, GradientIsThatOfTheOperandsBeforeTheUpdate) {
  const Array i = {0, 1};
  const auto product = [&](const Array &x) { return sum((ones({2}, f64) * 2).at[i].multiply(x)); };
  EXPECT_THAT(grad(product)(doubles({7, 5})).to_vector<double>(), ElementsAre(2, 2));
  const auto largest = [&](const Array &x) { return sum((ones({2}, f64) * 2).at[i].max(x)); };
  EXPECT_THAT(grad(largest)(doubles({3, 1})).to_vector<double>(), ElementsAre(1, 0));
}

/// The outer tape knows the updated buffer by its new identity, so the inner one must not replace it by a view.
TEST(InPlaceUpdate, IsSeenByBothOfTwoTapes) {
  const Array x = {1.0f, 2.0f};
  GradientTape outer, inner;
  outer.watch(x);
  inner.watch(x);
  Array y = zeros({3}) * 1.0f;
  const void *data = y.value()->data;
  y = std::move(y).at[slice(1, 3)].set(x);
  EXPECT_EQ(y.value()->data, data) << "the rule of set does not read what was there";
  EXPECT_THAT(inner.gradient(y * y, x).to_vector<float>(), ElementsAre(2, 4));
  EXPECT_THAT(outer.gradient(y * y, x).to_vector<float>(), ElementsAre(2, 4));
}

} // namespace
