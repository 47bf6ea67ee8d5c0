//===- batched_branches_test.cpp - branches and rounds that only some batch elements run ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vmap runs a branch or a round for all batch elements. What it computes for those that do not take
// it must not be seen: no NaN in a gradient, no index error, no endless loop.
//===----------------------------------------------------------------------===//
#include "lib/program/CompilerPlugin.h"
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Floats = std::vector<float>;
using Function = std::function<Array(const Array &)>;
using State = std::pair<Array, Array>;

const Array &table() {
  static const Array values = {1.0f, 2.0f, 4.0f};
  return values;
}

Array doubled(const Array &x) { return x * 2; }
Array rootOrDouble(const Array &x) {
  return cond(x > 0, [](const Array &y) { return sqrt(y); }, doubled, x);
}
Array logOrDouble(const Array &x) {
  return cond(x > 100, [](const Array &y) { return log(y); }, doubled, x);
}
Array bySwitch(const Array &x) {
  return switch_case(
      astype(x, i32), doubled, [](const Array &y) { return sqrt(y); }, [](const Array &y) { return log(y - 1); }, x);
}
Array capturing(const Array &x) {
  return cond(x > 0, [&] { return sqrt(x) + log(x); }, [&] { return x * 2; });
}
Array nested(const Array &x) {
  return cond(
      x > 0, [](const Array &y) { return cond(y > 1, [](const Array &z) { return sqrt(z - 1); }, doubled, y); },
      [](const Array &y) { return square(y); }, x);
}
Array lookedUp(const Array &x) {
  const Array i = astype(x, i32);
  return cond(
      logical_and(x >= 0, x < 3), [](const Array &j, const Array &y) { return table().at[j].get() * square(y); },
      [](const Array &, const Array &y) { return y * 2; }, i, x);
}
/// The index is in range in the first branch alone; the second clips it.
Array lookedUpInBoth(const Array &x) {
  const Array rows = stack({square(x), x, sin(x)});
  auto strict = [&](const Array &y) { return rows.at[astype(y, i32)].get() * y; };
  auto clipped = [&](const Array &y) { return rows.at[astype(y, i32)].get({.mode = IndexMode::clip}) + y; };
  return cond(logical_and(x >= 0, x < 3), strict, clipped, x);
}
Array updatedInBranch(const Array &x) {
  const Array i = astype(x, i32);
  return sum(cond(
      logical_and(x >= 0, x < 3), [&](const Array &y) { return (table() * y).at[i].multiply(y); },
      [](const Array &y) { return table() + y; }, x));
}
Array boundedLoop(const Array &x) {
  return while_loop([](const Array &c) { return c < 10; }, [](const Array &c) { return c + sqrt(10 - c); }, x,
                    {.max_iterations = 6});
}
Array boundedLookups(const Array &x) {
  return while_loop([](const State &s) { return s.first < 3; },
                    [](const State &s) { return State(s.first + 1, s.second * table().at[s.first].get()); },
                    State(astype(maximum(x, 0), i32), x), {.max_iterations = 5})
      .second;
}
Array rematerialized(const Array &x) {
  return cond(x > 0, checkpoint([](const Array &y) { return sqrt(y) * log(y); }), doubled, x);
}
Array withJittedBranch(const Array &x) {
  static const auto root = jit([](const Array &y) { return sqrt(y) * table().at[astype(y, i32) % 3].get(); });
  return cond(logical_and(x > 0, x < 100), [](const Array &y) { return root(y); }, doubled, x);
}

struct Program {
  const char *name;
  Array (*function)(const Array &);
  friend std::ostream &operator<<(std::ostream &out, const Program &program) { return out << program.name; }
};

class BatchedBranch : public testing::TestWithParam<Program> {
protected:
  static Floats byElement(const Function &f, const Array &xs) {
    Floats all;
    for (const Array &x : xs)
      all.push_back(f(x).item<float>());
    return all;
  }
  static void expectNear(const Array &got, const Floats &expected, const char *mode) {
    const Floats values = got.to_vector<float>();
    ASSERT_EQ(values.size(), expected.size());
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], 1e-5 * std::max(1.0f, std::abs(expected[i]))) << mode << ", element " << i;
  }
};

/// The sum of f over the batch, so that grad differentiates a vmap.
auto summed(const Function &f) {
  return [f](const Array &xs) { return sum(vmap(f)(xs)); };
}

TEST_P(BatchedBranch, EqualsALoopOverTheElements) {
  const Function f = GetParam().function;
  const auto slope = grad(f);
  const Function curvature = grad([slope](const Array &x) { return slope(x); });
  for (const Array &xs : {Array{0.0f, 4.0f, -1.0f, 2.5f, 1.0f, 7.0f}, Array{0.0f, -1.0f}, Array{5.0f, 0.5f}}) {
    expectNear(vmap(f)(xs), byElement(f, xs), "vmap");
    expectNear(jit(vmap(f))(xs), byElement(f, xs), "jit of vmap");
    const Floats slopes = byElement(slope, xs);
    for (const float each : slopes)
      ASSERT_TRUE(std::isfinite(each));
    expectNear(vmap(slope)(xs), slopes, "vmap of grad");
    expectNear(jit(vmap(slope))(xs), slopes, "jit of vmap of grad");
    expectNear(grad(summed(f))(xs), slopes, "grad of vmap");
    expectNear(jit(grad(summed(f)))(xs), slopes, "jit of grad of vmap");
    expectNear(grad(summed(jit(f)))(xs), slopes, "grad of vmap of jit");
    expectNear(grad([&](const Array &all) { return sum(map(f, all, {.batch = 2})); })(xs), slopes, "map");
    expectNear(jvp(vmap(f), xs, ones_like(xs)).second, slopes, "jvp of vmap");
    expectNear(vmap([&](const Array &x) { return jvp(f, x, ones_like(x)).second; })(xs), slopes, "vmap of jvp");
    const Floats curvatures = byElement(curvature, xs);
    expectNear(vmap(curvature)(xs), curvatures, "vmap of grad of grad");
    const auto slopeOfSum = grad(summed(f));
    expectNear(grad([&](const Array &all) { return sum(slopeOfSum(all)); })(xs), curvatures, "grad of grad of vmap");
    const Array square = stack({xs, flip(xs, 0)});
    const Function rows = [&](const Array &all) { return vmap(f)(all); };
    expectNear(reshape(grad([&](const Array &all) { return sum(vmap(rows)(all)); })(square), {-1}),
               byElement(slope, reshape(square, {-1})), "grad of vmap of vmap");
    const EagerScope plain;
    expectNear(grad(summed(f))(xs), slopes, "grad of vmap, body as C++");
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, BatchedBranch,
                         testing::Values(Program{"root_or_double", rootOrDouble}, Program{"never_taken", logOrDouble},
                                         Program{"switch_case", bySwitch}, Program{"captures", capturing},
                                         Program{"nested", nested}, Program{"index", lookedUp},
                                         Program{"index_in_both_branches", lookedUpInBoth},
                                         Program{"update", updatedInBranch}, Program{"bounded_loop", boundedLoop},
                                         Program{"bounded_loop_with_index", boundedLookups},
                                         Program{"checkpoint", rematerialized},
                                         Program{"jitted_branch", withJittedBranch}),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(BatchedBranches, GiveSharedOperandsTheGradientOfTheElementsThatTakeThem) {
  const auto loss = [](const Array &xs) {
    return [xs](const Array &w) {
      return sum(
          vmap([&](const Array &x) { return cond(x > 0, [&] { return log(x) * w; }, [&] { return w * 2 + x; }); })(xs));
    };
  };
  const auto rootLoss = [](const Array &xs) {
    return [xs](const Array &w) {
      return sum(
          vmap([&](const Array &x) { return cond(x > 0, [&] { return sqrt(x * w); }, [&] { return w * 2; }); })(xs));
    };
  };
  const Array w(3.0f);
  EXPECT_FLOAT_EQ(grad(loss({0.0f, 4.0f}))(w).item<float>(), std::log(4.0f) + 2);
  EXPECT_FLOAT_EQ(jit(grad(loss({0.0f, 4.0f})))(w).item<float>(), std::log(4.0f) + 2);
  // No element takes the first branch.
  EXPECT_EQ(grad(loss({0.0f, -1.0f}))(w).item<float>(), 4);
  EXPECT_EQ(jit(grad(loss({0.0f, -1.0f})))(w).item<float>(), 4);
  EXPECT_EQ(grad(rootLoss({0.0f, -1.0f}))(Array(0.0f)).item<float>(), 4);
}

TEST(BatchedBranches, RunABranchOnlyIfAnElementTakesIt) {
  // Neither end: the loop that doubles a number below 0, the loop that halves one above it.
  const Function f = [](const Array &x) {
    return cond(
        x > 0, [](const Array &y) { return while_loop([](const Array &c) { return c < 100; }, doubled, y); },
        [](const Array &y) {
          return while_loop([](const Array &c) { return c < -1; }, [](const Array &c) { return c + 1; }, y);
        },
        x);
  };
  EXPECT_EQ(vmap(f)(Array{3.0f, -4.5f, 50.0f}).to_vector<float>(), (Floats{192, -0.5f, 100}));
  EXPECT_EQ(vmap(f)(Array{-1.0f, -2.0f}).to_vector<float>(), (Floats{-1, -1}));
  EXPECT_EQ(jit(vmap(f))(Array{-1.0f, -2.0f}).to_vector<float>(), (Floats{-1, -1}));
  EXPECT_EQ(vmap(lookedUp)(zeros({0})).shape(), Shape{0});
  EXPECT_EQ(grad(summed(lookedUp))(zeros({0})).shape(), Shape{0});
}

TEST(BatchedBranches, FailWhereAnElementThatTakesTheBranchDoes) {
  const Function f = [](const Array &x) {
    return cond(x < 4, [](const Array &y) { return table().at[astype(y, i32)].get(); }, doubled, x);
  };
  EXPECT_EQ(vmap(f)(Array{2.0f, 9.0f}).to_vector<float>(), (Floats{4, 18}));
  EXPECT_THAT(errorOf([&] { vmap(f)(Array{2.0f, 3.0f, 9.0f}); }),
              HasSubstr("index 3 is out of range for axis 0 of size 3"));
}

TEST(BatchedBranches, TakeOperandsOfAnyDtypeAndShape) {
  const Array flags = {true, false, true};
  const Array rows = reshape(arange(6), {3, 2}), complex = astype(Array{1.0f, 0.0f, -1.0f}, c64);
  const Array stored = astype(Array{1.0f, 2.0f, 3.0f}, f8e4m3fn), none = zeros({3, 0});
  const auto f = [](const Array &flag, const Array &row, const Array &z, const Array &s, const Array &empty) {
    const Array factor = Array(2.0f);
    return cond(
        flag,
        [&] {
          return real(log(z)) * factor + sum(row) + astype(s, f32) + sum(empty) +
                 table().at[floor_divide(sum(row), 4)].get();
        },
        [&] { return abs(z) + factor; });
  };
  Floats expected;
  for (int64_t i = 0; i < 3; ++i)
    expected.push_back(f(flags[i], rows[i], complex[i], stored[i], none[i]).item<float>());
  EXPECT_EQ(vmap(f)(flags, rows, complex, stored, none).to_vector<float>(), expected);
  EXPECT_EQ(jit(vmap(f))(flags, rows, complex, stored, none).to_vector<float>(), expected);
}

TEST(BatchedBranches, HaveASymbolicBatch) {
  auto slope = jit(grad(summed(lookedUp)), {.specs = {spec<float>({"n"})}});
  EXPECT_EQ(slope(Array{0.0f, 5.0f, 2.0f}).to_vector<float>(), (Floats{0, 2, 16}));
  EXPECT_EQ(slope(Array{7.0f, 5.0f}).to_vector<float>(), (Floats{2, 2}));
  EXPECT_EQ(slope(Array{1.0f}).to_vector<float>(), (Floats{4}));
}

TEST(BatchedBranches, LoopsLeaveElementsThatAreDoneAlone) {
  const auto sumOf = [](const Array &n) {
    return fori_loop(0, n, [](const Array &i, const Array &s) { return s + table().at[i].get(); }, Array(0.0f));
  };
  EXPECT_EQ(vmap(sumOf)(Array{3, 1, 0}).to_vector<float>(), (Floats{7, 1, 0}));
  EXPECT_EQ(jit(vmap(sumOf))(Array{3, 1, 0}).to_vector<float>(), (Floats{7, 1, 0}));
  EXPECT_EQ(vmap(vmap(sumOf))(Array{{3, 1}, {2, 0}}).to_vector<float>(), (Floats{7, 1, 3, 0}));
  EXPECT_EQ(vmap(sumOf)(astype(zeros({0}), i32)).shape(), Shape{0});
  // Rows of the elements' own, which the index is compared with.
  const auto rowSum = [](const Array &n, const Array &row) {
    return fori_loop(0, n, [&](const Array &i, const Array &s) { return s + row.at[i].get(); }, Array(0.0f));
  };
  EXPECT_EQ(vmap(rowSum)(Array{2, 1}, Array{{1.0f, 2.0f}, {3.0f, 4.0f}}).to_vector<float>(), (Floats{3, 3}));
  // A loop within the round runs forever on the carry of an element that is done.
  const auto halvings = [](const Array &x) {
    return while_loop([](const Array &c) { return c > 1; },
                      [](const Array &c) {
                        return while_loop([](const Array &d) { return d != 0 && d < 64; }, doubled, c - 1) / 128;
                      },
                      x);
  };
  const Array xs{3.0f, 1.0f, 40.0f};
  EXPECT_EQ(vmap(halvings)(xs).to_vector<float>(),
            (Floats{halvings(xs[0]).item<float>(), 1, halvings(xs[2]).item<float>()}));
  EXPECT_THAT(errorOf([&] { vmap(sumOf)(Array{1, 4}); }), HasSubstr("index 3 is out of range"));
}

TEST(BatchedBranches, KeepOneKernelWhereNothingCanGoWrong) {
  if (tenon::detail::compilerPath().empty())
    GTEST_SKIP() << "a build without the compiler";
  const Function leaky = [](const Array &x) { return cond(x > 0, [](const Array &y) { return y; }, doubled, x); };
  const std::string text = jit(vmap(leaky)).lower(ones({100})).stage("grouped");
  EXPECT_EQ(text.find("tenon.cond"), std::string::npos) << text;
  EXPECT_EQ(text.find("tenon.where", text.find("tenon.where") + 1), std::string::npos) << text;
}

} // namespace
