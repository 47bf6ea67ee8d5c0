//===- variable_test.cpp - Variables, eager and under jit ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"
#include "test/unit/LogLines.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <thread>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Floats = std::vector<float>;

std::string printed(const Variable &variable) {
  std::ostringstream out;
  out << variable;
  return out.str();
}

TEST(Variables, AreUsedWhereArraysAre) {
  Variable x{2.0f, "x"}, w{Array{1.0f, 2.0f, 3.0f}, "w"};
  EXPECT_EQ((x * w).to_vector<float>(), (Floats{2, 4, 6}));
  EXPECT_EQ((x * x + 1.0f - x).item<float>(), 3);
  EXPECT_EQ((3.0f * x).item<float>(), 6);
  EXPECT_EQ(sum(w).item<float>(), 6);
  EXPECT_TRUE(bool(x == 2.0f));
  const Array read = w;
  EXPECT_EQ(read.value(), w.value().value()) << "reading copies nothing";
  EXPECT_EQ(w.shape(), (Shape{3}));
  EXPECT_EQ(w.dtype(), f32);
  EXPECT_EQ(w.ndim(), 1);
  EXPECT_EQ(printed(x), "Variable('x', shape=(), dtype=float32, value=2.0)");
  EXPECT_EQ(printed(w), "Variable('w', shape=(3,), dtype=float32, value=[1. 2. 3.])");
  EXPECT_EQ(printed(Variable()), "Variable()");
  EXPECT_EQ(format("{:.2f}", x), "2.00");
}

TEST(Variables, AreAssigned) {
  Variable x{10.0f};
  const Variable same = x;
  x.assign(2.0f);
  EXPECT_EQ(same.value().item<float>(), 2);
  EXPECT_TRUE(same.is_same(x));
  x.assign_add(3.0f);
  x -= 1.0f;
  x *= x;
  x /= 2.0f;
  EXPECT_EQ(same.value().item<float>(), 8);
  Variable w{zeros({2}), "w"}, count{0};
  w.assign(5);
  EXPECT_EQ(w.value().to_vector<float>(), (Floats{5, 5}));
  count += 1;
  EXPECT_EQ(count.dtype(), i32);
  EXPECT_THAT(errorOf([&] { w.assign(Array{1.0f, 2.0f, 3.0f}); }),
              HasSubstr("assign: expected f32[2], as it holds, got f32[3]\n  variable: 'w'\n  at "));
  EXPECT_THAT(errorOf([&] { w.assign(Array{1, 2}); }), HasSubstr("expected f32[2], as it holds, got i32[2]"));
  EXPECT_THAT(errorOf([&] { w += Array{{1.0f, 2.0f}, {3.0f, 4.0f}}; }), HasSubstr("assign_add: expected f32[2]"));
  EXPECT_THAT(errorOf([&] { Variable().value(); }), HasSubstr("Variable: expected a Variable, got an empty one"));
  EXPECT_EQ(w.value().to_vector<float>(), (Floats{5, 5}));
}

TEST(Variables, AreFreedWithTheirLastHandle) {
  const auto before = rt::memoryStatistics().bytesInUse;
  {
    const Variable v{zeros({1000, 1000}) + 1.0f};
    const Variable other = v;
    EXPECT_GE(rt::memoryStatistics().bytesInUse - before, 4'000'000u);
  }
  EXPECT_EQ(rt::memoryStatistics().bytesInUse, before);
}

TEST(Variables, UnderJitAreInputsAndOutputs) {
  Variable total{0.0f, "total"};
  int traced = 0;
  auto add = jit([&](const Array &x) {
    ++traced;
    total += sum(x);
    return total * 2;
  });
  EXPECT_EQ(add(Array{1.0f, 2.0f}).item<float>(), 6);
  EXPECT_EQ(total.value().item<float>(), 3);
  EXPECT_EQ(add(Array{10.0f, 0.0f}).item<float>(), 26);
  total.assign(100.0f);
  EXPECT_EQ(add(Array{1.0f, 1.0f}).item<float>(), 204);
  EXPECT_EQ(total.value().item<float>(), 102);
  EXPECT_EQ(traced, 1);
  // By its handle in a lambda that is given away.
  auto counter = [count = Variable{0}]() mutable {
    count += 1;
    return count.value();
  };
  auto counted = jit(counter);
  EXPECT_EQ(counted().item<int>(), 1);
  EXPECT_EQ(counted().item<int>(), 2);
}

TEST(Variables, AndTheArrayTheyHoldAreTwo) {
  const Array x{1.0f, 2.0f};
  Variable v{x};
  // The array is captured as it is, the Variable as it is then.
  auto f = jit([&] { return x * 10 + v; });
  EXPECT_EQ(f().to_vector<float>(), (Floats{11, 22}));
  v.assign(Array{5.0f, 6.0f});
  EXPECT_EQ(f().to_vector<float>(), (Floats{15, 26}));
}

TEST(Variables, KnowTheLineOfAnUpdate) {
  Variable v{1.0f};
  auto f = jit([&](const Array &x) { v += x; });
  EXPECT_THAT(f.lower(Array(1.0f)).trace(),
              testing::AllOf(HasSubstr("variable_test.cpp"), Not(HasSubstr("Variable.cpp"))));
}

TEST(Variables, ReadBeforeATapeAreNotWatchedByIt) {
  Variable u{0.5f};
  auto f = [&](const Array &x) {
    const Array before = u.value();
    GradientTape tape;
    return tape.gradient(before * u * x, u);
  };
  auto compiled = jit(f);
  for (int call = 0; call < 2; ++call) { // at the second one a tape has watched it before
    EXPECT_EQ(f(Array(1.0f)).item<float>(), 0.5f);
    EXPECT_EQ(compiled(Array(1.0f)).item<float>(), 0.5f);
  }
  auto nested = [&](const Array &x) {
    GradientTape outer;
    const Array between = u.value() * x;
    {
      GradientTape inner;
      EXPECT_EQ(inner.gradient(between * u, u).size(), 1);
    }
    return outer.gradient(between * u, u);
  };
  EXPECT_EQ(nested(Array(1.0f)).item<float>(), 1);
  EXPECT_EQ(jit(nested)(Array(1.0f)).item<float>(), 1);
}

TEST(Variables, HaveTheirNamesInErrors) {
  const Variable v{1.0f, "scale"};
  EXPECT_THAT(errorOf([&] { jit([&](const Array &x) { return reshape(v, {2}) + x; })(Array(1.0f)); }),
              HasSubstr("(variable 'scale')"));
}

TEST(Variables, AreResultsAsTheyAreThen) {
  Variable v{1.0f}, w{10.0f};
  auto f = jit([&] { return v.value(); });
  EXPECT_EQ(f().item<float>(), 1);
  v.assign(2.0f);
  EXPECT_EQ(f().item<float>(), 2);
  // Exchanged, and what was there before handed out.
  auto exchange = jit([&] {
    const Array before = v;
    v.assign(w);
    w.assign(before);
    return std::pair(before, v.value());
  });
  const auto [before, now] = exchange();
  EXPECT_EQ(before.item<float>(), 2);
  EXPECT_EQ(now.item<float>(), 10);
  EXPECT_EQ(v.value().item<float>(), 10);
  EXPECT_EQ(w.value().item<float>(), 2);
  EXPECT_EQ(exchange().second.item<float>(), 2);
  EXPECT_EQ(v.value().item<float>(), 2);
}

TEST(Variables, UpdatedLeaveWhatOthersHold) {
  Variable v{zeros({1000}) + 1.0f};
  auto step = jit([&](const Array &x) { v += x; });
  step(Array(1.0f));
  const Array held = v;
  step(Array(1.0f));
  EXPECT_EQ(held[0].item<float>(), 2);
  EXPECT_EQ(v.value()[0].item<float>(), 3);
  // A step that fails leaves it.
  auto fails = jit([&](const Array &i) {
    v *= 2.0f;
    v += v.value()[i];
  });
  EXPECT_THROW(fails(Array(2000)), Error);
  EXPECT_EQ(v.value()[0].item<float>(), 3);
}

TEST(Variables, StayAsTheyWereAfterAThrow) {
  Variable a{1.0f}, b{2.0f};
  auto f = jit([&](const Array &x, const Array &i) {
    a += 1.0f;
    b.assign(x[i]);
    return a + b;
  });
  const Array x{5.0f, 6.0f};
  EXPECT_EQ(f(x, Array(1)).item<float>(), 8);
  EXPECT_THAT(errorOf([&] { f(x, Array(7)); }), HasSubstr("7"));
  EXPECT_EQ(a.value().item<float>(), 2);
  EXPECT_EQ(b.value().item<float>(), 6);
  auto throws = jit([&](const Array &y) {
    a.assign(y);
    throw std::runtime_error("no");
    return y;
  });
  EXPECT_THROW(throws(Array(3.0f)), std::runtime_error);
  EXPECT_EQ(a.value().item<float>(), 2);
}

TEST(Variables, OfAJittedFunctionInside) {
  Variable v{1.0f};
  auto inner = jit([&](const Array &x) {
    v += x;
    return v * 10;
  });
  auto outer = jit([&](const Array &x) {
    v *= 2.0f;
    const Array y = inner(x) + inner(x);
    return y + v;
  });
  // 1 -> 2 -> 5 -> 8: 50 + 80 + 8.
  EXPECT_EQ(outer(Array(3.0f)).item<float>(), 138);
  EXPECT_EQ(v.value().item<float>(), 8);
  EXPECT_EQ(inner(Array(1.0f)).item<float>(), 90);
  EXPECT_EQ(outer(Array(1.0f)).item<float>(), 190 + 200 + 20);
  EXPECT_EQ(v.value().item<float>(), 20);
}

TEST(Variables, HaveNoDerivativeThroughAssignments) {
  Variable v{0.0f};
  auto f = [&](const Array &x) {
    v.assign(x * x);
    return v * x;
  };
  const Array x = 3.0f;
  EXPECT_EQ(grad(f)(x).item<float>(), 9);
  EXPECT_EQ(v.value().item<float>(), 9);
  EXPECT_EQ(grad(jit(f))(Array(2.0f)).item<float>(), 4);
  EXPECT_EQ(v.value().item<float>(), 4);
  EXPECT_EQ(jit(grad(f))(x).item<float>(), 9);
  EXPECT_EQ(v.value().item<float>(), 9);
  EXPECT_EQ(jvp(f, Array(2.0f), Array(1.0f)).second.item<float>(), 4);
  EXPECT_EQ(v.value().item<float>(), 4);
}

TEST(Variables, InBodiesAndBatchesAreReadAlone) {
  Variable v{2.0f, "v"};
  auto scaled = [&](const Array &x) {
    return scan([&](const Array &c, const Array &y) { return std::pair(c + v * y, c); }, Array(0.0f), x).first;
  };
  auto jitted = jit(scaled);
  const Array x{1.0f, 2.0f};
  EXPECT_EQ(jitted(x).item<float>(), 6);
  v.assign(3.0f);
  EXPECT_EQ(jitted(x).item<float>(), 9);
  EXPECT_EQ(vmap([&](const Array &y) { return y * v; })(x).to_vector<float>(), (Floats{3, 6}));
  auto assigns = [&](const Array &y) {
    return fori_loop(
        0, 3,
        [&](const Array &, const Array &c) {
          v.assign(c);
          return c + 1;
        },
        y);
  };
  EXPECT_THAT(errorOf([&] { jit(assigns)(Array(1.0f)); }),
              HasSubstr("assign: expected an assignment outside of fori_loop, which is traced once for all its runs; "
                        "return the new value as a carry or a result\n  variable: 'v'"));
  EXPECT_THAT(errorOf([&] {
                vmap([&](const Array &y) {
                  v.assign(y);
                  return y;
                })(x);
              }),
              HasSubstr("assign: expected a value that is not batched by the vmap of"));
  EXPECT_EQ(v.value().item<float>(), 3);
}

//===----------------------------------------------------------------------===//
// Assigned in bodies that run at most once
//===----------------------------------------------------------------------===//

/// Eagerly, as plain C++, and under jit, where each of two calls is of one program.
template <class F, class Check>
void inAllModes(F function, Check check) {
  {
    SCOPED_TRACE("eager");
    check(function);
  }
  {
    SCOPED_TRACE("plain C++");
    const EagerScope plain;
    check(function);
  }
  SCOPED_TRACE("jit");
  auto jitted = jit(function);
  check(jitted);
  check(jitted);
  EXPECT_EQ(jitted.stats().traces, 1u);
}

TEST(VariablesInBodies, OfTheBranchThatRuns) {
  Variable v{1.0f, "v"}, w{10.0f, "w"}, same{7.0f, "same"};
  auto f = [&](const Array &x) {
    const Array y = cond(
        x > 0,
        [&](const Array &a) {
          v += a;
          return v * same; // after the update
        },
        [&](const Array &a) {
          w.assign(v + a); // v as it was before
          v *= 1.0f;
          return w - a;
        },
        x);
    return y + v;
  };
  inAllModes(f, [&](auto &g) {
    v.assign(1.0f);
    w.assign(10.0f);
    EXPECT_EQ(g(Array(2.0f)).template item<float>(), 24);
    EXPECT_EQ(v.value().item<float>(), 3);
    EXPECT_EQ(w.value().item<float>(), 10);
    EXPECT_EQ(g(Array(-1.0f)).template item<float>(), 3 + 3);
    EXPECT_EQ(v.value().item<float>(), 3);
    EXPECT_EQ(w.value().item<float>(), 2);
  });
  EXPECT_EQ(same.value().item<float>(), 7);
}

TEST(VariablesInBodies, OfSwitchCaseAndNestedBranches) {
  Variable a{0.0f}, b{0.0f};
  auto add = [](const Variable &variable) {
    return [&variable](const Array &x) {
      variable += x;
      return variable.value();
    };
  };
  auto f = [&](const Array &i, const Array &x) {
    return switch_case(
        i, add(a), add(b), [&](const Array &y) { return cond(y > 1, add(a), [](const Array &z) { return z; }, y) + b; },
        x);
  };
  inAllModes(f, [&](auto &g) {
    a.assign(0.0f);
    b.assign(0.0f);
    EXPECT_EQ(g(Array(0), Array(1.0f)).template item<float>(), 1);
    EXPECT_EQ(g(Array(1), Array(5.0f)).template item<float>(), 5);
    EXPECT_EQ(g(Array(2), Array(3.0f)).template item<float>(), 4 + 5);
    EXPECT_EQ(g(Array(2), Array(0.5f)).template item<float>(), 0.5f + 5);
    EXPECT_EQ(a.value().item<float>(), 4);
    EXPECT_EQ(b.value().item<float>(), 5);
  });
}

TEST(VariablesInBodies, OfCheckpointAndComposite) {
  Variable count{0.0f, "count"};
  auto body = [&](const Array &x) {
    count += 1.0f;
    return sin(x) * count;
  };
  auto kept = checkpoint(body);
  auto whole = composite("counted", body);
  const Array x = 2.0f;
  auto f = [&](const Array &y) { return kept(y) + whole(y); };
  inAllModes(f, [&](auto &g) {
    count.assign(0.0f);
    EXPECT_FLOAT_EQ(g(x).template item<float>(), 3 * std::sin(2.0f));
    EXPECT_EQ(count.value().item<float>(), 2) << "computed twice, or never";
  });
  // A derivative computes the function again from what it found, and assigns once.
  auto derivative = grad([&](const Array &y) { return kept(y); });
  inAllModes(derivative, [&](auto &g) {
    count.assign(4.0f);
    EXPECT_FLOAT_EQ(g(x).template item<float>(), 5 * std::cos(2.0f));
    EXPECT_EQ(count.value().item<float>(), 5);
  });
  auto second = grad(grad([&](const Array &y) { return kept(y); }));
  inAllModes(second, [&](auto &g) {
    count.assign(4.0f);
    EXPECT_FLOAT_EQ(g(x).template item<float>(), -5 * std::sin(2.0f));
    EXPECT_EQ(count.value().item<float>(), 5);
  });
}

TEST(VariablesInBodies, OfFunctionsWithRules) {
  Variable calls{0.0f, "calls"}, scale{2.0f, "scale", false};
  auto ruled = custom_gradient("ruled", [&](const Array &x) {
    calls += 1.0f;
    const Array e = exp(x * 1.0f);
    return with_grad(e * calls, [=](const Array &d) { return d * e * 100.0f; });
  });
  auto forward = custom_vjp(
      "forward",
      [&](const Array &x) {
        calls += 1.0f;
        return x * x;
      },
      [&](const Array &x) {
        calls += 10.0f;
        scale *= 1.0f;
        return std::pair(x * x, x);
      },
      [&](const Array &x, const Array &d) { return d * x * 7.0f; });
  auto pushed = custom_jvp(
      "pushed",
      [&](const Array &x) {
        calls += 1.0f;
        return x * x;
      },
      [](const Array &x, const Array &t) { return std::pair(x * x, t * x * 5.0f); });
  const Array x = 1.0f;
  inAllModes(ruled, [&](auto &g) {
    calls.assign(0.0f);
    EXPECT_FLOAT_EQ(g(x).template item<float>(), std::exp(1.0f));
    EXPECT_EQ(calls.value().item<float>(), 1);
  });
  auto check = [&](auto function, float derivative, float second, float counted) {
    auto d = grad(function);
    auto dd = grad(grad(function));
    inAllModes(d, [&](auto &g) {
      calls.assign(0.0f);
      EXPECT_FLOAT_EQ(g(x).template item<float>(), derivative);
      EXPECT_EQ(calls.value().item<float>(), counted);
    });
    inAllModes(dd, [&](auto &g) {
      calls.assign(0.0f);
      EXPECT_FLOAT_EQ(g(x).template item<float>(), second);
      EXPECT_EQ(calls.value().item<float>(), counted);
    });
  };
  check([&](const Array &y) { return ruled(y); }, 100 * std::exp(1.0f), 100 * std::exp(1.0f), 1);
  check([&](const Array &y) { return forward(y); }, 7, 7, 10);
  check([&](const Array &y) { return pushed(y); }, 5, 5, 1);
  EXPECT_EQ(scale.value().item<float>(), 2);
  auto moved = [&](const Array &y) { return jvp(pushed, y, Array(1.0f)).second; };
  inAllModes(moved, [&](auto &g) {
    calls.assign(0.0f);
    EXPECT_FLOAT_EQ(g(x).template item<float>(), 5);
    EXPECT_EQ(calls.value().item<float>(), 1);
  });
  // In a rule nothing is assigned: it runs once, never, or in each of many orders.
  auto wrong = custom_gradient("wrong", [&](const Array &y) {
    return with_grad(y * 2.0f, [&](const Array &d) {
      calls += 1.0f;
      return d;
    });
  });
  EXPECT_THAT(errorOf([&] { grad([&](const Array &y) { return wrong(y); })(x); }),
              HasSubstr("assign_add: expected an assignment outside of wrong backward, which is traced once"));
}

TEST(VariablesInBodies, HaveNoDerivativeThroughAssignments) {
  Variable v{0.0f, "v"};
  auto f = [&](const Array &x) {
    return cond(
        x > 0,
        [&](const Array &y) {
          v.assign(y * y);
          return v * y;
        },
        [](const Array &y) { return y; }, x);
  };
  auto derivative = grad(f);
  inAllModes(derivative, [&](auto &g) {
    EXPECT_EQ(g(Array(3.0f)).template item<float>(), 9);
    EXPECT_EQ(v.value().item<float>(), 9);
  });
  auto outside = grad([&](const Array &x) { return f(x) + v * x; });
  EXPECT_EQ(outside(Array(3.0f)).item<float>(), 18);
  EXPECT_EQ(jvp(f, Array(2.0f), Array(1.0f)).second.item<float>(), 4);
  EXPECT_EQ(v.value().item<float>(), 4);
}

TEST(VariablesInBodies, AreWatchedByTapes) {
  Variable v{3.0f, "v"};
  auto f = [&](const Array &x) {
    return cond(
        x > 0,
        [&](const Array &y) {
          const Array z = v * v * y;
          v += 1.0f;
          return z;
        },
        [](const Array &y) { return y; }, x);
  };
  for (const bool isJitted : {false, true}) {
    v.assign(3.0f);
    auto jitted = jit(f);
    GradientTape tape;
    const Array y = isJitted ? jitted(Array(2.0f)) : f(Array(2.0f));
    const Array z = y + v * 10.0f; // of what it holds now, too
    EXPECT_EQ(tape.gradient(z, v).item<float>(), 12 + 10);
    EXPECT_EQ(v.value().item<float>(), 4);
  }
  auto inside = jit([&](const Array &x) {
    GradientTape tape;
    const Array y = f(x);
    return tape.gradient(y, v);
  });
  v.assign(3.0f);
  EXPECT_EQ(inside(Array(2.0f)).item<float>(), 12);
  EXPECT_EQ(v.value().item<float>(), 4);
}

TEST(VariablesInBodies, StayAsTheyWereAfterAThrow) {
  Variable v{1.0f, "v"};
  auto throws = [&](const Array &x) {
    return cond(
        x > 0,
        [&](const Array &y) {
          v += y;
          throw std::runtime_error("no");
          return y;
        },
        [](const Array &y) { return y; }, x);
  };
  EXPECT_THROW(throws(Array(1.0f)), std::runtime_error);
  EXPECT_THROW(jit(throws)(Array(1.0f)), std::runtime_error);
  auto fails = [&](const Array &x, const Array &i) {
    return cond(
        i > 0,
        [&](const Array &y, const Array &k) {
          v += 1.0f;
          return y[k];
        },
        [](const Array &y, const Array &) { return y[0]; }, x, i);
  };
  EXPECT_THROW(fails(Array{1.0f, 2.0f}, Array(7)), Error);
  EXPECT_THROW(jit(fails)(Array{1.0f, 2.0f}, Array(7)), Error);
  EXPECT_EQ(v.value().item<float>(), 1);
  // Nobody holds it.
  EXPECT_EQ(fails(Array{1.0f, 2.0f}, Array(1)).item<float>(), 2);
  EXPECT_EQ(v.value().item<float>(), 2);
}

TEST(VariablesInBodies, AreNotAssignedInRoundsAndExamples) {
  Variable v{1.0f, "v"};
  auto branch = [&](const Array &x) {
    return cond(
        x > 0,
        [&](const Array &y) {
          v += y;
          return y;
        },
        [](const Array &y) { return y; }, x);
  };
  auto rounds = [&](const Array &x) {
    return fori_loop(0, 3, [&](const Array &, const Array &c) { return branch(c); }, x);
  };
  const std::string sentence = "assign_add: expected an assignment outside of fori_loop, which is traced once";
  EXPECT_THAT(errorOf([&] { rounds(Array(1.0f)); }), HasSubstr(sentence));
  EXPECT_THAT(errorOf([&] { jit(rounds)(Array(1.0f)); }), HasSubstr(sentence));
  auto jitted = jit(branch);
  EXPECT_THAT(errorOf([&] { fori_loop(0, 3, [&](const Array &, const Array &c) { return jitted(c); }, Array(1.0f)); }),
              HasSubstr(sentence));
  EXPECT_THAT(errorOf([&] { vmap(branch)(Array{1.0f, -1.0f}); }),
              testing::AllOf(HasSubstr("assign: expected a value that is not batched by the vmap of"),
                             HasSubstr("variable: 'v'"), HasSubstr("variable_test.cpp")));
  EXPECT_EQ(v.value().item<float>(), 1);
  // One for all examples is assigned once.
  auto counted = [&](const Array &x) {
    return cond(
        v > 0,
        [&](const Array &y) {
          v += 1.0f;
          return y * v;
        },
        [](const Array &y) { return y; }, x);
  };
  EXPECT_EQ(vmap(counted)(Array{1.0f, -1.0f}).to_vector<float>(), (Floats{2, -2}));
  EXPECT_EQ(v.value().item<float>(), 2);
}

TEST(VariablesInBodies, LoseNoUpdate) {
  Variable count{0, "count"};
  auto f = [&](const Array &x) {
    return cond(
        x > 0,
        [&](const Array &y) {
          count += y;
          return count.value();
        },
        [](const Array &y) { return y; }, x);
  };
  auto jitted = jit(f);
  constexpr int each = 500;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < each; ++i)
        t % 2 ? jitted(Array(1)) : f(Array(1));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(count.value().item<int>(), 4 * each);
}

TEST(VariablesInBodies, AndArraysThatTheyHoldAreTwo) {
  const Array x = 1.0f;
  Variable v{x}, w{x};
  auto f = [&](const Array &y) {
    return cond(
        y > 0,
        [&](const Array &z) {
          v += z;
          w -= z;
          return x + z;
        },
        [&](const Array &z) { return z + v + w; }, y);
  };
  inAllModes(f, [&](auto &g) {
    v.assign(x);
    w.assign(x);
    EXPECT_EQ(g(Array(2.0f)).template item<float>(), 3);
    EXPECT_EQ(v.value().item<float>(), 3);
    EXPECT_EQ(w.value().item<float>(), -1);
    EXPECT_EQ(x.item<float>(), 1);
    EXPECT_EQ(g(Array(-2.0f)).template item<float>(), 0);
  });
}

TEST(VariablesInBodies, AreGenerators) {
  auto drops = [](const Array &x) {
    return checkpoint([](const Array &y) {
             return cond(
                 sum(y) > 0,
                 [](const Array &z) {
                   return z * random::bernoulli(random::default_generator().key(), 0.5f, z.shape());
                 },
                 [](const Array &z) { return z; }, y);
           })(x) +
           random::uniform(random::default_generator().key(), x.shape());
  };
  const Array x = ones({64});
  set_seed(7);
  std::vector<Floats> expected;
  {
    const EagerScope plain;
    for (int i = 0; i < 3; ++i)
      expected.push_back(drops(x).to_vector<float>());
  }
  EXPECT_NE(expected[0], expected[1]);
  set_seed(7);
  for (const Floats &one : expected)
    EXPECT_EQ(drops(x).to_vector<float>(), one);
  set_seed(7);
  auto jitted = jit(drops);
  for (const Floats &one : expected)
    EXPECT_EQ(jitted(x).to_vector<float>(), one);
}

//===----------------------------------------------------------------------===//
// Made by what is traced
//===----------------------------------------------------------------------===//

/// A layer that is built from its first input.
struct Lazy {
  int64_t units;
  std::optional<Variable> kernel = {};
  int built = 0;

  Array operator()(const Array &x) {
    if (!kernel) {
      ++built;
      const Shape shape{x.shape()[-1], units};
      kernel.emplace(random::normal(random::default_generator().key(), shape) * 0.1f, "kernel");
    }
    const Array dropped = x * random::bernoulli(random::default_generator().key(), 0.5f, x.shape()).astype(f32) * 2.0f;
    return matmul(dropped, *kernel);
  }
};

TEST(VariablesMadeUnderJit, OfALayerServeTheirCallAlone) {
  const Array x = reshape(arange(6) / 7.0f, {2, 3}).astype(f32);
  auto results = [&](auto &&call, Lazy &layer) {
    set_seed(11);
    std::vector<Floats> all;
    for (int i = 0; i < 4; ++i)
      all.push_back(call(x).template to_vector<float>());
    all.push_back(layer.kernel->value().to_vector<float>());
    return all;
  };
  Lazy eager{4}, traced{4}, inside{4}, kept{4};
  const std::vector<Floats> expected = results([&](const Array &y) { return eager(y); }, eager);
  EXPECT_NE(expected[1], expected[2]) << "dropout";
  auto jitted = jit([&](const Array &y) { return traced(y); });
  EXPECT_EQ(results(jitted, traced), expected);
  EXPECT_EQ(traced.built, 1);
  EXPECT_EQ(jitted.stats().traces, 2u) << "one that makes it, one for all calls after";
  auto inner = jit([&](const Array &y) { return inside(y); });
  auto outer = jit([&](const Array &y) { return inner(y) * 1.0f; });
  EXPECT_EQ(results(outer, inside), expected);
  EXPECT_EQ(outer.stats().traces, 2u);
  auto again = jit([&](const Array &y) { return checkpoint([&](const Array &z) { return kept(z); })(y); });
  EXPECT_EQ(results(again, kept), expected);
  EXPECT_EQ(kept.built, 1);
}

TEST(VariablesMadeUnderJit, AreTrained) {
  const Array x = ones({2, 3});
  auto train = [&](auto &&wrap) {
    set_seed(5);
    Lazy layer{2};
    auto step = wrap([&](const Array &y) {
      GradientTape tape;
      const Array loss = sum(square(layer(y) - 1.0f));
      const Array d = tape.gradient(loss, *layer.kernel);
      *layer.kernel -= d * 0.1f;
      return loss;
    });
    Floats losses;
    for (int i = 0; i < 5; ++i)
      losses.push_back(step(x).template item<float>());
    return std::pair(losses, layer.kernel->value().to_vector<float>());
  };
  const auto expected = train([](auto f) { return f; });
  EXPECT_EQ(train([](auto f) { return jit(std::move(f)); }), expected);
  Lazy first{2};
  auto f = jit([&](const Array &y) { return sum(first(y)); });
  set_seed(5);
  const Floats once = grad(f)(x).to_vector<float>();
  Lazy second{2};
  set_seed(5);
  EXPECT_EQ(grad([&](const Array &y) { return sum(second(y)); })(x).to_vector<float>(), once);
  EXPECT_EQ(first.kernel->value().to_vector<float>(), second.kernel->value().to_vector<float>());
}

TEST(VariablesMadeUnderJit, AreLocal) {
  int traced = 0;
  auto total = [&](const Array &x) {
    ++traced;
    Variable sum{0.0f, "sum"}, product{x * 0.0f + 1.0f, "product"};
    const Variable constant{Array{1.0f, 2.0f}};
    for (int i = 1; i <= 3; ++i) {
      sum += x * float(i);
      product *= x;
    }
    return cond(
               x > 0, [&](const Array &y) { return product + y; },
               [&](const Array &y) {
                 product.assign(y);
                 return y;
               },
               x) +
           sum * product + constant;
  };
  for (const float x : {2.0f, 3.0f, -1.0f}) {
    const Floats expected = total(Array(x)).to_vector<float>();
    static auto jitted = jit(total);
    traced = 0;
    EXPECT_EQ(jitted(Array(x)).to_vector<float>(), expected);
    EXPECT_EQ(jitted.stats().traces, 1u) << "nothing outlives a call";
  }
  // With gradients of their own.
  auto slope = jit([](const Array &x) {
    const Variable w{x};
    w.zero_grad();
    GradientTape tape;
    tape.backward(w * w);
    return w.grad().value();
  });
  EXPECT_EQ(slope(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(slope(Array(4.0f)).item<float>(), 8);
  EXPECT_EQ(slope.stats().traces, 1u);
  // Others end while the function runs.
  auto gone = std::make_unique<Variable>(2.0f);
  auto f = jit([&](const Array &x) {
    const Array y = x * *gone;
    *gone += 1.0f;
    gone.reset();
    return y;
  });
  EXPECT_EQ(f(Array(3.0f)).item<float>(), 6);
}

TEST(VariablesMadeUnderJit, AreResults) {
  auto f = jit([](const Array &x) {
    Variable v{x * 2.0f, "made"};
    v += 1.0f;
    return std::pair(v, x);
  });
  const auto [first, x] = f(Array(3.0f));
  EXPECT_EQ(first.value().item<float>(), 7);
  EXPECT_EQ(first.name(), "made");
  const auto [second, y] = f(Array(4.0f));
  EXPECT_EQ(second.value().item<float>(), 9);
  EXPECT_EQ(first.value().item<float>(), 7);
  EXPECT_FALSE(first.is_same(second));
}

TEST(VariablesMadeUnderJit, AtEveryCallAreALineInTheLog) {
  const test::LogLines logged;
  std::optional<Variable> v;
  auto f = jit([&](const Array &x) { return v.emplace(x).value(); }, {.name = "f"});
  auto local = jit([&](const Array &x) { return Variable(x).value(); }, {.name = "local"});
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(logged.count("created Variables"), i < 3 ? 0u : 1u);
    EXPECT_EQ(f(Array(1.0f)).item<float>(), 1);
    EXPECT_EQ(local(Array(1.0f)).item<float>(), 1);
  }
  EXPECT_THAT(logged.only("created Variables"), testing::StartsWith("f: created Variables in 3 consecutive calls"));
}

TEST(VariablesMadeUnderJit, AreThereAfterAThrow) {
  std::optional<Variable> v;
  auto throws = jit([&](const Array &x) {
    v.emplace(x * 2.0f);
    *v += 100.0f;
    throw std::runtime_error("no");
    return x;
  });
  EXPECT_THROW(throws(Array(3.0f)), std::runtime_error);
  EXPECT_EQ(v->value().item<float>(), 6) << "as it was made";
  auto fails = jit([&](const Array &x, const Array &i) {
    v.emplace(x[0] * 3.0f);
    *v += x[i];
    return x;
  });
  EXPECT_THROW(fails(Array{3.0f, 4.0f}, Array(9)), Error);
  EXPECT_EQ(v->value().item<float>(), 9);
}

TEST(VariablesMadeUnderJit, HaveTheElementsOfWhatIsCaptured) {
  std::optional<Variable> v;
  const Array p = 5.0f, q = 7.0f;
  auto f = jit([&](const Array &x) {
    const Array y = x + p;
    v.emplace(q * 2.0f);
    return y + *v;
  });
  EXPECT_EQ(f(Array(1.0f)).item<float>(), 20);
  EXPECT_EQ(v->value().item<float>(), 14);
}

TEST(VariablesMadeUnderJit, InABodyHaveTheElementsOfItsInputs) {
  std::optional<Variable> v;
  auto body = [&](const Array &x) {
    if (!v)
      v.emplace(x * 2.0f);
    *v += 1.0f;
    return x + *v;
  };
  auto check = [&](auto &&f) {
    v.reset();
    EXPECT_EQ(f(Array(3.0f)).template item<float>(), 10);
    EXPECT_EQ(v->value().item<float>(), 7);
    EXPECT_EQ(f(Array(3.0f)).template item<float>(), 11);
    EXPECT_EQ(v->value().item<float>(), 8);
  };
  auto kept = checkpoint(body);
  check(kept);
  check(jit([&](const Array &x) { return kept(x * 1.0f); }));
  check(jit([&](const Array &x) { return cond(true, body, [](const Array &y) { return y; }, x); }));
}

TEST(VariablesMadeUnderJit, NeedElements) {
  std::optional<Variable> v;
  auto rounds = jit([&](const Array &x) {
    return fori_loop(
        0, 2,
        [&](const Array &, const Array &c) {
          v.emplace(c);
          return c + 1.0f;
        },
        x);
  });
  EXPECT_THAT(errorOf([&] { rounds(Array(1.0f)); }),
              HasSubstr("Variable: expected an array whose elements are known, got a value of fori_loop"));
  EXPECT_THAT(errorOf([&] {
                vmap([&](const Array &x) {
                  v.emplace(x);
                  return x;
                })(Array{1.0f, 2.0f});
              }),
              HasSubstr("Variable: expected an array whose elements are known, got a value of the vmap of"));
  EXPECT_THAT(errorOf([&] {
                eval_shape(
                    [&](const Array &x) {
                      v.emplace(x);
                      return x;
                    },
                    Array(1.0f));
              }),
              HasSubstr("expected an array whose elements are known"));
  EXPECT_FALSE(v.has_value());
}

struct Model {
  Variable weight, bias;
  Array operator()(const Array &x) const { return x * weight + bias; }
};

TEST(Variables, InArguments) {
  const Model model{Variable{2.0f, "weight"}, Variable{1.0f, "bias"}};
  int traced = 0;
  auto f = jit([&](const Model &m, const Array &x) {
    ++traced;
    m.bias += 1.0f;
    return m(x);
  });
  EXPECT_EQ(f(model, Array(3.0f)).item<float>(), 8);
  EXPECT_EQ(f(model, Array(3.0f)).item<float>(), 9);
  EXPECT_EQ(model.bias.value().item<float>(), 3);
  EXPECT_EQ(traced, 1);
  const Model other{Variable{5.0f}, Variable{0.0f}};
  EXPECT_EQ(f(other, Array(1.0f)).item<float>(), 6);
  EXPECT_EQ(traced, 2);
  // Where an Array is wanted it is what the Variable holds.
  auto squared = jit([](const Array &x) { return x * x; });
  EXPECT_EQ(squared(model.weight).item<float>(), 4);
  EXPECT_EQ(grad([](const Array &x) { return x * x; })(model.weight).item<float>(), 4);
  EXPECT_EQ(tree_structure(model), "{anonymous}::Model{weight: Variable, bias: Variable}");
  Model copy = tree_copy(model);
  EXPECT_TRUE(copy.weight.is_same(model.weight));
}

TEST(Variables, ThatAreGoneDropTheirProgram) {
  auto v = std::make_unique<Variable>(1.0f);
  auto f = jit([&](const Array &x) { return x + *v; });
  EXPECT_EQ(f(Array(1.0f)).item<float>(), 2);
  v = std::make_unique<Variable>(10.0f);
  EXPECT_EQ(f(Array(1.0f)).item<float>(), 11);
  EXPECT_EQ(f.stats().traces, 2u);
}

TEST(Variables, LoseNoUpdate) {
  Variable count{0, "count"};
  auto add = jit([&](const Array &x) {
    count += x;
    return count.value();
  });
  constexpr int each = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < each; ++i)
        add(Array(1));
    });
  threads.emplace_back([&] {
    for (int i = 0; i < each; ++i)
      count += 1;
  });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(count.value().item<int>(), 5 * each);
}

TEST(Variables, ReadByEachOthersUpdatesDoNotWaitInACircle) {
  Variable a{zeros({64})}, b{zeros({64})};
  // Each meets its own first, then the other's.
  auto intoA = jit([&] {
    const Array now = a + 1.0f;
    a.assign(now + b * 0.0f);
  });
  auto intoB = jit([&] {
    const Array now = b + 1.0f;
    b.assign(now + a * 0.0f);
  });
  std::thread other([&] {
    for (int i = 0; i < 3000; ++i)
      intoB();
  });
  for (int i = 0; i < 3000; ++i)
    intoA();
  other.join();
  EXPECT_EQ(a.value()[63].item<float>(), 3000);
  EXPECT_EQ(b.value()[63].item<float>(), 3000);
}

TEST(Variables, AreInputsOfTheirOwnInWhatIsSaved) {
  const Array x = 1.0f;
  Variable v{x}, w{2.0f};
  w.assign(v); // both hold one array, which is captured as well
  auto f = jit([&] {
    const Array before = v;
    v.assign(w);
    w.assign(before);
    return x + 0.0f;
  });
  const Lowered lowered = f.lower();
  EXPECT_EQ(lowered.captured().size(), 3u);
  EXPECT_THAT(lowered.trace(), HasSubstr("trace (%0: f32[], %1: f32[], %2: f32[])"));
}

TEST(Variables, UnderEagerScopeAreThoseOfCpp) {
  Variable v{1.0f};
  auto f = jit([&](const Array &x) {
    v += x;
    return v.value();
  });
  const EagerScope plain;
  EXPECT_EQ(f(Array(2.0f)).item<float>(), 3);
  EXPECT_EQ(v.value().item<float>(), 3);
}

//===----------------------------------------------------------------------===//
// On tapes
//===----------------------------------------------------------------------===//

TEST(VariablesOnTapes, AreWatchedByThemselves) {
  const Variable w{Array{{1.0f}}, "w"};
  {
    GradientTape tape;
    const Array loss = w * w;
    EXPECT_EQ(tape.gradient(loss, w).to_vector<float>(), (Floats{2}));
  }
  const Variable b{3.0f, "b"}, fixed{2.0f, "fixed", false};
  GradientTape tape(persistent);
  const Array loss = w * b * fixed + b;
  const auto [dw, db] = tape.gradient(loss, w, b);
  EXPECT_EQ(dw.to_vector<float>(), (Floats{6}));
  EXPECT_EQ(db.item<float>(), 3);
  const std::vector<Array> list = tape.gradient(loss, std::vector{w, b});
  EXPECT_EQ(list[1].item<float>(), 3);
  // What is not trainable is not watched, nor is what was never read; those have zeros, or none.
  EXPECT_EQ(tape.gradient(loss, std::vector{fixed, Variable{1.0f}})[0].item<float>(), 0);
  EXPECT_FALSE(tape.gradient(loss, fixed, {.unconnected = none}).has_value());
  EXPECT_THAT(errorOf([&] { (void)tape.gradient(loss, Variable()); }),
              HasSubstr("expected a Variable, got an empty one"));
}

TEST(VariablesOnTapes, SumOverWhatTheyHaveHeld) {
  Variable w{3.0f};
  GradientTape tape(persistent);
  const Array x = 1.0f;
  tape.watch(x);
  const Array y = w * w;
  w *= 2.0f;
  const Array z = w * y * x; // of both versions: y, and w * 2w
  EXPECT_EQ(tape.gradient(z, w).item<float>(), 9 + 6 * 6);
  const std::vector<Array> slopes = tape.gradient(z, {x, w}); // a Variable in a list is one
  EXPECT_EQ(slopes[0].item<float>(), 6 * 9);
  EXPECT_EQ(slopes[1].item<float>(), 9 + 6 * 6);
}

TEST(VariablesOnTapes, AreNotTheArraysThatTheyWereGiven) {
  Variable v{1.0f};
  const Array x = 2.0f;
  v.assign(x);
  GradientTape tape;
  const Array y = v * x;
  EXPECT_EQ(tape.gradient(y, v).item<float>(), 2);
  GradientTape other;
  other.watch(x);
  v.assign(x * x);
  EXPECT_EQ(other.gradient(v * x, x).item<float>(), 4) << "an assignment has no derivative";
  const Variable fixed{1.0f, "fixed", false};
  GradientTape third;
  third.watch(x);
  fixed.assign(x * x);
  EXPECT_EQ(third.gradient(fixed * x, x).item<float>(), 4) << "not of one that tapes do not watch, either";
}

/// One that is not trainable is read behind an assignment without their looking on: such a function stays compiled.
TEST(VariablesOnTapes, DoNotWatchWhatIsNotTrainable) {
  const Variable fixed{1.0f, "fixed", false};
  const auto f = jit([&](const Array &x) {
    fixed.assign(x + 1);
    return fixed * x;
  });
  for (const float x : {2.0f, 3.0f, 4.0f}) {
    GradientTape tape;
    const Array given = x;
    tape.watch(given);
    EXPECT_EQ(tape.gradient(f(given), given).item<float>(), x + 1);
  }
  EXPECT_EQ(f.trace_count(), 1u);
}

/// Where a body is recorded, what is read behind an assignment in it is no value that a tape knows.
TEST(VariablesOnTapes, SeeNoReadingBehindAnAssignmentInABody) {
  Variable v{1.0f};
  const auto f = [&](const Array &x) {
    return cond(
        x > 0,
        [&](const Array &z) {
          v += z;
          return z + v;
        },
        [](const Array &z) { return z; }, x);
  };
  const auto slope = [&](const auto &function) {
    GradientTape tape;
    const Array y = function(Array(2.0f));
    return tape.gradient(y, v).template item<float>();
  };
  {
    const EagerScope scope;
    EXPECT_EQ(slope(f), 1);
  }
  EXPECT_THAT(errorOf([&] { slope(f); }), HasSubstr("where a tape looks on"));
  const auto g = jit(f);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(errorOf([&] { slope(g); }), HasSubstr("where a tape looks on"));
    EXPECT_EQ(v.value().item<float>(), 3 + 2 * static_cast<float>(i));
    g(Array(2.0f)); // without a tape
  }
}

TEST(VariablesOnTapes, InAndAroundJit) {
  Variable w{3.0f};
  auto f = jit([&](const Array &x) { return w * w * x; });
  for (int i = 0; i < 2; ++i) {
    GradientTape tape;
    const Array y = f(Array(2.0f));
    EXPECT_EQ(tape.gradient(y, w).item<float>(), 12);
  }
  auto step = jit([&](const Array &x) {
    GradientTape tape;
    const Array loss = square(w * x - 6.0f);
    const Array slope = tape.gradient(loss, w);
    w -= 0.1f * slope;
    return loss;
  });
  EXPECT_EQ(step(Array(1.0f)).item<float>(), 9);
  EXPECT_NEAR(w.value().item<float>(), 3.6, 1e-6);
  for (int i = 0; i < 100; ++i)
    step(Array(1.0f));
  EXPECT_NEAR(w.value().item<float>(), 6, 1e-5);
}

TEST(VariablesOnTapes, OfStructsByTheirPaths) {
  const Model model{Variable{2.0f}, Variable{1.0f}};
  GradientTape tape;
  const std::map<std::string, Array> slopes = tape.gradient(square(model(Array(3.0f))), model);
  EXPECT_EQ(slopes.at("weight").item<float>(), 42);
  EXPECT_EQ(slopes.at("bias").item<float>(), 14);
}

/// TensorFlow's guide: 2,000 points of y = 3 x + 2 with noise, 300 steps; without the noise the loss has a closed form.
TEST(VariablesOnTapes, LearnALine) {
  struct Line {
    Variable weight{5.0f, "weight"}, bias{10.0f, "bias"};
    Array operator()(const Array &x) const { return x * weight + bias; }
  };
  const Line model;
  set_seed(1);
  const Array x = random::default_generator().normal({2000}), y = x * 3.0f + 2.0f;
  auto loss = [&] { return mean(square(model(x) - y)); };
  auto step = [&] {
    GradientTape tape;
    const Array value = loss();
    const auto [dw, db] = tape.gradient(value, model.weight, model.bias);
    model.weight -= dw * 0.01f;
    model.bias -= db * 0.01f;
    return value;
  };
  EXPECT_NEAR(loss().item<float>(), 68, 3);
  auto jitted = jit(step);
  for (int i = 0; i < 300; ++i)
    i % 2 ? jitted() : step();
  EXPECT_LT(loss().item<float>(), 2e-3);
  EXPECT_NEAR(model.weight.value().item<float>(), 3 + 2 * std::pow(0.98, 300), 0.02);
  EXPECT_NEAR(model.bias.value().item<float>(), 2 + 8 * std::pow(0.98, 300), 0.02);
}

TEST(Variables, WhatItHeldBeforeIsAResult) {
  Variable v(full({64}, 1.0f));
  auto f = jit([&] {
    const Array before = v.value();
    v.assign(v + 1);
    return before;
  });
  for (int i = 1; i < 5; ++i) {
    EXPECT_EQ(f().to_vector<float>(), std::vector<float>(64, static_cast<float>(i)));
    EXPECT_EQ(v.value().to_vector<float>(), std::vector<float>(64, static_cast<float>(i + 1)));
  }
}

} // namespace
