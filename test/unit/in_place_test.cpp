//===- in_place_test.cpp - updates that reuse their operand's buffer ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/CompilerPlugin.h"
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"
#include "test/unit/Values.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// Derivatives of updates
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Arguments that a jitted function updates
//===----------------------------------------------------------------------===//

const void *data(const Array &x) { return x.value()->data; }
/// A compiled program updates its arguments in place; an interpreted one, as in a build without the compiler, makes new
/// arrays.
bool keepsBuffers() { return !tenon::detail::compilerPath().empty(); }
/// More elements than stand in one block with their handle, which are not updated in place.
constexpr int64_t many = 8192;
Array allOf(float element) { return full({many}, element); }
Array filledWith(float element) { return allOf(element) * 1.0f; }
const Floats twos(many, 2.0f), threes(many, 3.0f);

TEST(UpdatedArgument, KeepsItsBuffer) {
  auto setRow = jit([](Array &table, const Array &row, const Array &i) { table = table.at[i].set(row); });
  Array table = zeros({200, 50}) * 1.0f;
  const void *place = data(table);
  for (int i = 0; i < 3; ++i)
    setRow(table, full({50}, float(i + 1)), Array(2 * i));
  if (keepsBuffers()) {
    EXPECT_EQ(data(table), place);
  }
  EXPECT_EQ(sum(table).item<float>(), 50 * 6);
  EXPECT_EQ((table[{4, 7}].item<float>()), 3);

  struct Net {
    std::vector<Array> weights;
    Array bias;
  };
  auto step = jit([](Net &net, const Array &slope) {
    for (Array &weight : net.weights)
      weight = weight - slope;
    return sum(net.bias);
  });
  Net net{{}, filledWith(1)};
  std::vector<const void *> places;
  for (int i = 0; i < 100; ++i) {
    net.weights.push_back(filledWith(float(i)));
    places.push_back(data(net.weights.back()));
  }
  const void *bias = data(net.bias);
  for (int call = 1; call <= 3; ++call) {
    EXPECT_EQ(step(net, allOf(0.5f)).item<float>(), many);
    for (size_t i = 0; i < 100; ++i) {
      if (keepsBuffers()) {
        EXPECT_EQ(data(net.weights[i]), places[i]) << i;
      }
      EXPECT_EQ(floats(net.weights[i])[many - 1], float(i) - 0.5f * float(call));
    }
  }
  EXPECT_EQ(data(net.bias), bias) << "not updated";
}

TEST(UpdatedArgument, LeavesWhatOthersHold) {
  const Array captured = filledWith(2);
  auto add = jit([&](Array &x, const Array &y) {
    const Array old = x;
    x = x + y;
    return sum(captured) + sum(old);
  });
  const Array one = allOf(1.0f);
  for (int call = 0; call < 2; ++call) {
    Array x = filledWith(2), other = x;
    add(x, one);
    EXPECT_EQ(floats(x), threes);
    EXPECT_EQ(floats(other), twos) << "another handle";
    x = filledWith(2);
    const Array view = x[slice(10, 20)];
    add(x, one);
    EXPECT_EQ(floats(x), threes);
    EXPECT_EQ(floats(view), Floats(10, 2)) << "a view";
    x = other;
    add(x, other);
    EXPECT_EQ(floats(x), Floats(many, 4));
    EXPECT_EQ(floats(other), twos) << "another argument";
    x = captured;
    EXPECT_EQ(add(x, one).item<float>(), 4 * many);
    EXPECT_EQ(floats(captured), twos) << "a capture";
    Array part = filledWith(2);
    const Array whole = part;
    part = part[slice(100, 200)];
    jit([](Array &x) { x = x * 2; })(part);
    EXPECT_EQ(floats(whole), twos) << "what it is a view of";
  }
  // A parameter that is a value is rebound in the function alone.
  const Array x = filledWith(2);
  auto next = jit([](Array x) {
    x = x + 1;
    return x;
  });
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(floats(next(x)), threes);
  EXPECT_EQ(floats(x), twos);
}

TEST(UpdatedArgument, GivesResultsWhatItWasAndWhatItIs) {
  auto both = jit([](Array &x) {
    const Array old = x;
    x = x + 1;
    return std::pair(old, x);
  });
  Array x = filledWith(2);
  const auto [old, now] = both(x);
  EXPECT_EQ(floats(old), twos);
  EXPECT_EQ(floats(now), threes);
  EXPECT_EQ(data(now), data(x));
  both(x);
  EXPECT_EQ(floats(now), threes) << "held as a result";
  auto swapped = jit([](Array &x, Array &y) {
    std::swap(x, y);
    x = x * 1.0f;
  });
  Array a = filledWith(2), b = filledWith(3);
  swapped(a, b);
  EXPECT_EQ(floats(a), threes);
  EXPECT_EQ(floats(b), twos);
  // The buffer of one may become another's.
  auto crossed = jit([](Array &x, Array &y) {
    const Array sum = x + y;
    y = x * 1.0f;
    x = sum;
  });
  for (int call = 0; call < 3; ++call) {
    a = filledWith(2), b = filledWith(1);
    crossed(a, b);
    EXPECT_EQ(floats(a), threes);
    EXPECT_EQ(floats(b), twos);
  }
}

TEST(UpdatedArgument, IsAsItWasAfterAThrow) {
  auto late = jit([](Array &x, const Array &y) {
    x = x + y;
    check(all(x < 10), "too large");
  });
  auto early = jit([](Array &x, const Array &y) {
    check(all(y < 10), "too large");
    x = x + y;
  });
  auto index = jit([](Array &x, const Array &y) { x = x.at[astype(y[0], i32)].set(1); });
  auto called = jit([](Array &x, const Array &y) {
    const Array z = host_call(
        [](const Array &y) -> Array {
          if (y[0].item<float>() > 5)
            throw std::runtime_error("the host");
          return y;
        },
        TensorSpec{f32, {many}}, y);
    x = x + z;
  });
  Array x = filledWith(2);
  const void *place = data(x);
  for (int call = 0; call < 2; ++call) {
    EXPECT_THAT(errorOf([&] { late(x, allOf(20.0f)); }), HasSubstr("too large"));
    EXPECT_THAT(errorOf([&] { early(x, allOf(20.0f)); }), HasSubstr("too large"));
    EXPECT_THAT(errorOf([&] { index(x, allOf(20000.0f)); }), HasSubstr("out of range"));
    EXPECT_ANY_THROW(called(x, allOf(20.0f)));
    EXPECT_EQ(floats(x), twos);
    EXPECT_EQ(data(x), place);
  }
  early(x, allOf(1.0f));
  if (keepsBuffers()) {
    EXPECT_EQ(data(x), place) << "nothing fails behind the check";
  }
  EXPECT_EQ(floats(x), threes);
  x = filledWith(2);
  late(x, allOf(1.0f));
  EXPECT_EQ(floats(x), threes);
  called(x, allOf(-1.0f));
  EXPECT_EQ(floats(x), twos);
}

TEST(UpdatedArgument, IsAsItWasWhereABranchFlips) {
  auto step = jit([](Array &x, const Array &y) {
    x = x + y;
    if (sum(x) > 2.5f * many)
      x = x * 2;
    return sum(x);
  });
  for (int call = 0; call < 6; ++call) {
    Array x = filledWith(2);
    const bool isLarge = call % 2;
    EXPECT_EQ(step(x, allOf(isLarge ? 1.0f : 0.25f)).item<float>(), (isLarge ? 6 : 2.25f) * many) << call;
    EXPECT_EQ(floats(x), Floats(many, isLarge ? 6 : 2.25f));
  }
}

TEST(UpdatedArgument, IsAnotherValueToTapes) {
  auto triple = jit([](Array &x) { x = x * 3; });
  auto fails = jit([](Array &x, const Array &y) {
    check(all(y < 0), "not negative");
    x = x * y;
  });
  const Array w = filledWith(2);
  GradientTape tape{persistent};
  tape.watch(w);
  Array x = w * 2;
  triple(x);
  EXPECT_EQ(floats(tape.gradient(x * x, w)), Floats(many, 144)) << "x is 6 w";
  {
    const auto pause = tape.stop_recording();
    EXPECT_ANY_THROW(fails(x, w));
  }
  EXPECT_EQ(floats(tape.gradient(x * x, w)), Floats(many, 144)) << "after a throw";
  {
    const auto pause = tape.stop_recording();
    triple(x);
  }
  EXPECT_EQ(floats(tape.gradient(x * x, w)), Floats(many, 0));
  const auto counted = [&](const Array &w) {
    Array count = filledWith(1);
    triple(count);
    return sum(w * w * count);
  };
  EXPECT_EQ(floats(grad(counted)(w)), Floats(many, 12));
}

} // namespace
