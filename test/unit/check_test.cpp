//===- check_test.cpp - check() in eager, traced and compiled programs ---===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/Printed.h"
#include "test/unit/Values.h"

#include "lib/program/CompilerPlugin.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>

namespace tenon::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string line(int number) { return "\n  at " + std::string(__FILE__) + ":" + std::to_string(number); }

/// Eagerly, compiled and interpreted.
template <class F>
void inAllModes(const F &f,
                const std::function<void(const std::function<Array(const Array &)> &, const char *)> &test) {
  test([&](const Array &x) { return f(x); }, "eager");
  const auto compiled = jit(f);
  test([&](const Array &x) { return compiled(x); }, "compiled");
  const auto interpreted = jit(f, {.compile = Compile::never});
  test([&](const Array &x) { return interpreted(x); }, "interpreted");
}

TEST(Check, SaysTheValueAndTheLine) {
  constexpr int at = __LINE__ + 3;
  inAllModes(
      [](const Array &x) {
        check(x < 10, "loss is {:.2f}, of {}", sum(x), x);
        return x * 2;
      },
      [](const auto &call, const char *mode) {
        EXPECT_EQ(floats(call(Array{1.0f, 2.0f})), (Floats{2, 4})) << mode;
        const std::string error = errorOf([&] { call(Array{1.0f, 20.0f}); });
        EXPECT_THAT(error, StartsWith("loss is 21.00, of [ 1. 20.]" + line(at))) << mode;
        EXPECT_EQ(floats(call(Array{1.0f, 2.0f})), (Floats{2, 4})) << mode;
      });
  EXPECT_THAT(errorOf([] { check(Array(0), "no {}", {Array(1)}); }), StartsWith("no 1"));
  EXPECT_EQ(errorOf([] { check(Array{2, -1}, "not 0"); }), "no error");
  EXPECT_EQ(errorOf([] { check(zeros({0}), "of none"); }), "no error");
  EXPECT_THROW(jit([](const Array &x) {
                 check(x > 0, "{{}}");
                 return x;
               })(Array(0)),
               Error);
}

TEST(Check, OfComplexNumbers) {
  auto f = [](const Array &x) {
    check(x, "zero in {}", x);
    return real(x);
  };
  const Array ok = astype(Array{1.0f, 2.0f}, c64), zero = astype(Array{0.0f, 2.0f}, c64);
  f(ok);
  jit(f)(ok);
  EXPECT_EQ(messageOf([&] { f(zero); }), messageOf([&] { jit(f)(zero); }));
  EXPECT_EQ(messageOf([&] { f(zero); }).find("zero in ["), 0u);
}

TEST(Check, NothingIsUpdated) {
  Variable v(1.0f);
  auto step = jit([&](Array &state, const Array &x) {
    state = state + x;
    v += 1;
    check(all(isfinite(state)), "state is {}", state);
    v += 1;
    return state * 2;
  });
  Array state = Array{1.0f, 2.0f};
  EXPECT_EQ(floats(step(state, Array(1.0f))), (Floats{4, 6}));
  for (int i = 0; i < 2; ++i) {
    Array given(INFINITY);
    EXPECT_THAT(errorOf([&] { step(state, std::move(given)); }), StartsWith("state is [inf inf]"));
    EXPECT_TRUE(std::isinf(number(given)));
    EXPECT_EQ(floats(state), (Floats{2, 3}));
    EXPECT_EQ(number(v), 3);
  }
  EXPECT_EQ(floats(step(state, Array(1.0f))), (Floats{6, 8}));
  EXPECT_EQ(number(v), 5);
  EXPECT_EQ(step.stats().traces, 1u);
}

TEST(Check, InBodies) {
  auto below = [](const Array &c) { check(c < 5, "c = {}", c); };
  auto inScan = [&](const Array &x) {
    return scan(
               [&](const Array &c) {
                 below(c);
                 return std::pair(c * 2, none);
               },
               x, none, {.length = 3})
        .first;
  };
  auto inWhile = [&](const Array &x) {
    return while_loop([](const Array &c) { return c < 100; },
                      [&](const Array &c) {
                        below(c);
                        return c * 2;
                      },
                      x);
  };
  auto inCond = [&](const Array &x) {
    return cond(
        x > 0,
        [&] {
          below(x);
          return x;
        },
        [&] { return -x; });
  };
  inAllModes(inScan, [](const auto &call, const char *mode) {
    EXPECT_EQ(number(call(Array(1.0f))), 8) << mode;
    EXPECT_THAT(errorOf([&] { call(Array(2.0f)); }), StartsWith("c = 8.")) << mode;
  });
  inAllModes(inWhile, [](const auto &call, const char *mode) {
    EXPECT_EQ(number(call(Array(100.0f))), 100) << mode;
    EXPECT_THAT(errorOf([&] { call(Array(3.0f)); }), StartsWith("c = 6.")) << mode;
  });
  inAllModes(inCond, [](const auto &call, const char *mode) {
    EXPECT_EQ(number(call(Array(1.0f))), 1) << mode;
    EXPECT_EQ(number(call(Array(-9.0f))), 9) << mode;
    EXPECT_THAT(errorOf([&] { call(Array(7.0f)); }), StartsWith("c = 7.")) << mode;
  });
}

TEST(Check, UnderGradAndVmap) {
  auto f = [](const Array &x) {
    check(x > 0, "x is {}", x);
    return sum(log(x));
  };
  EXPECT_EQ(number(grad(f)(Array(2.0f))), 0.5f);
  EXPECT_THAT(errorOf([&] { grad(f)(Array(-2.0f)); }), StartsWith("x is -2."));
  EXPECT_THAT(errorOf([&] { jit(grad(f))(Array(-2.0f)); }), StartsWith("x is -2."));
  EXPECT_THAT(errorOf([&] { grad(jit(f))(Array(-2.0f)); }), StartsWith("x is -2."));
  EXPECT_THAT(errorOf([&] { jvp(f, std::tuple(Array(-2.0f)), std::tuple(Array(1.0f))); }), StartsWith("x is -2."));
  // The first example that fails.
  auto beside = [](const Array &x, const Array &k) {
    check(x < k, "x is {:.1f}, not below {}", x, k);
    return x * k;
  };
  const Array xs = {1.0f, 5.0f, 2.0f, 7.0f}, three(3.0f);
  auto both = vmap(beside, {.in_axes = {0, none}});
  EXPECT_EQ(floats(both(Array{1.0f, 2.0f}, three)), (Floats{3, 6}));
  EXPECT_THAT(errorOf([&] { both(xs, three); }), StartsWith("x is 5.0, not below 3."));
  EXPECT_THAT(errorOf([&] { jit(both)(xs, three); }), StartsWith("x is 5.0, not below 3."));
  EXPECT_THAT(errorOf([&] { vmap(beside)(xs, Array{9.0f, 9.0f, 1.0f, 9.0f}); }), StartsWith("x is 2.0, not below 1."));
  auto table = vmap(vmap(beside));
  const Array grid = reshape(xs, {2, 2});
  EXPECT_THAT(errorOf([&] { table(grid, full({2, 2}, 6.0f)); }), StartsWith("x is 7.0, not below 6."));
  EXPECT_THAT(errorOf([&] { jit(vmap(jit(vmap(beside))))(grid, full({2, 2}, 6.0f)); }),
              StartsWith("x is 7.0, not below 6."));
  // Conditions of several elements, with arrays of the same for all.
  auto rows = vmap([&](const Array &row) {
    check(row > 0, "row {} of {}", row, three);
    return row;
  });
  EXPECT_THAT(errorOf([&] { rows(Array{{1.0f, 2.0f}, {3.0f, -4.0f}}); }), StartsWith("row [ 3. -4.] of 3."));
  EXPECT_EQ(rows(zeros({0, 2})).shape(), Shape({0, 2}));
  auto whole = vmap(vmap([](const Array &x) {
    check(x != 3, "three");
    return x;
  }));
  EXPECT_THAT(errorOf([&] { whole(reshape(arange(6.0f), {2, 3})); }), StartsWith("three"));
}

TEST(Check, IsNotSeenByGuards) {
  auto f = jit([](const Array &x) {
    check(x < 100, "x is {}", x);
    return x > 0 ? x * 2 : -x;
  });
  for (float x : {1.0f, -3.0f, 5.0f, -7.0f})
    EXPECT_EQ(number(f(Array(x))), x > 0 ? 2 * x : -x);
  EXPECT_EQ(f.stats().traces, 2u) << "a path for each answer, as without a check";
  const uint64_t before = statistics().programs + statistics().interpreted_programs;
  f(Array(-9.0f));
  EXPECT_EQ(statistics().programs + statistics().interpreted_programs - before, 1u) << "which is not cut";
  EXPECT_THAT(errorOf([&] { f(Array(200.0f)); }), StartsWith("x is 200."));
  // Before the exception of C++ that follows it.
  auto both = jit([](const Array &x) -> Array {
    check(x < 100, "x is {}", x);
    if (x > 10)
      throw std::domain_error("too large");
    return x;
  });
  EXPECT_THROW(both(Array(50.0f)), std::domain_error);
  EXPECT_THAT(errorOf([&] { both(Array(500.0f)); }), StartsWith("x is 500."));
}

TEST(Check, ComesBeforeWhatMightNotEnd) {
  auto f = jit([](const Array &x) {
    check(x > 0, "x is {}", x);
    return while_loop([](const Array &c) { return c < 100; }, [](const Array &c) { return c * 2; }, x);
  });
  EXPECT_EQ(number(f(Array(3.0f))), 192);
  EXPECT_THAT(errorOf([&] { f(Array(0.0f)); }), StartsWith("x is 0."));
  auto indexed = jit([](const Array &x, const Array &i) {
    check(i < 3, "i is {}", i);
    return x[{i}];
  });
  EXPECT_THAT(errorOf([&] { indexed(Array{1.0f, 2.0f, 3.0f}, Array(7)); }), StartsWith("i is 7"));
}

TEST(Check, InSavedPrograms) {
  if (tenon::detail::compilerPath().empty())
    GTEST_SKIP() << "a build without the compiler";
  const std::string path = testing::TempDir() + "check_test.blob";
  constexpr int at = __LINE__ + 2;
  jit([](const Array &x) {
    check(x > 0, "x is {:>6.2f}", x);
    return x * 2;
  })
      .lower(Array(1.0f))
      .save_blob(path);
  const LoadedProgram program = load_program(path);
  EXPECT_EQ(number(program({Array(2.0f)})[0]), 4);
  EXPECT_THAT(errorOf([&] { program({Array(-2.0f)}); }), StartsWith("x is  -2.00" + line(at)));
  std::remove(path.c_str());
}

TEST(Check, OnAnotherDevice) {
  auto f = [](const Array &x) {
    check(x < 3, "x is {}", x);
    return x * 2;
  };
  const Array good = to_device(Array{1.0f, 2.0f}, Device::null), bad = to_device(Array{1.0f, 5.0f}, Device::null);
  EXPECT_EQ(floats(to_device(f(good), Device::cpu)), (Floats{2, 4}));
  EXPECT_EQ(floats(to_device(jit(f)(good), Device::cpu)), (Floats{2, 4}));
  EXPECT_THAT(errorOf([&] { f(bad); }), StartsWith("x is [1. 5.]"));
  EXPECT_THAT(errorOf([&] { jit(f)(bad); }), StartsWith("x is [1. 5.]"));
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

TEST(Print, FormatsNumbersOfEachKind) {
  const Array pi(3.14159274f), count(-42), truth(true), large(UINT64_MAX),
      narrow = astype(Array(0.1f), bf16), z(complex64_t{1, -2}), wide = full({}, 0.1, f64);
  auto all = [&](const Array &pi) {
    print("{:.3f}|{:>10}|{:+.1e}|{:08.2f}", pi, pi, pi, pi);
    print("{:5}|{:<5}|{:^+7}|{:x}", count, count, 42, 255);
    print("{}|{:>6}|{:d}|{:#x}", truth, truth, truth, large);
    print("{:.4f}|{:g}|{:.1f}|{:.17g}", narrow, wide, z, wide);
    print("{{{:*^9}}}", {pi});
    return pi;
  };
  const std::string expected = "3.142| 3.1415927|+3.1e+00|00003.14\n"
                               "  -42|-42  |  +42  |ff\n"
                               "True|  true|1|0xffffffffffffffff\n"
                               "0.1001|0.1|(1.0-2.0j)|0.10000000000000001\n"
                               "{3.1415927}\n";
  inAllModes(all,
             [&](const auto &call, const char *mode) { EXPECT_EQ(printedBy([&] { call(pi); }), expected) << mode; });
}

TEST(Print, FormatsInCompiledLoops) {
  inAllModes(
      [](const Array &x) {
        return fori_loop(
            0, 3,
            [](const Array &i, const Array &c) {
              print("round {:>2}: {:7.3f}", i, c);
              return c / 3;
            },
            x);
      },
      [](const auto &call, const char *mode) {
        EXPECT_EQ(printedBy([&] { call(Array(10.0f)); }), "round  0:  10.000\nround  1:   3.333\nround  2:   1.111\n")
            << mode;
      });
  EXPECT_EQ(printedBy([] {
              jit(vmap([](const Array &x) {
                print("{:.1f}", x);
                return x;
              }))(Array{1.0f, 2.0f});
            }),
            "1.0\n2.0\n");
}

TEST(Print, AWrongSpecIsAnErrorWhereItIsWritten) {
  auto wrong = [](const char *format, const Array &x, int at = __builtin_LINE()) {
    for (const std::string &error : {errorOf([&] { print(format, {x}, Location::current()); }), errorOf([&] {
                                       (void)jit([&](const Array &x) {
                                         print(format, {x});
                                         return x;
                                       }).lower(x);
                                     }),
                                     errorOf([&] { check(x, format, {x}); })}) {
      EXPECT_THAT(error, HasSubstr("expected ")) << format << " at " << at;
      EXPECT_THAT(error, HasSubstr("check_test.cpp:")) << format << " at " << at;
    }
  };
  const Array x(1.5f), n(3), b(true);
  wrong("{:d}", x);
  wrong("{:s}", x);
  wrong("{:.2f}", n);
  wrong("{:.2}", n);
  wrong("{:f}", n);
  wrong("{:+}", b);
  wrong("{:.}", x);
  wrong("{:99999}", x);
  wrong("{:>>>}", x);
  wrong("{0}", x);
  wrong("{name}", x);
  wrong("{} {}", x);
  wrong("{:.2f}", Array{1.0f, 2.0f});
  EXPECT_THAT(errorOf([&] { print("{:d}", x); }),
              HasSubstr("print: expected a field that std::format has for f32, got \"{:d}\""));
  EXPECT_THAT(errorOf([&] { check(b, "{:.3f}", n); }),
              HasSubstr("check: expected a field that std::format has for i32, got \"{:.3f}\""));
  // What the rule takes, whoever writes it takes, too.
  for (const char *align : {"", "<", ">", "^", "*<", "\u00e9^"})
    for (const char *sign : {"", "+", "-", " "})
      for (const char *rest : {"", "#", "0", "#0", "5", "012", "300"})
        for (const char *precision : {"", ".0", ".3", ".20"})
          for (char type :
               {'\0', 'a', 'A', 'b', 'B', 'c', 'd', 'e', 'E', 'f', 'F', 'g', 'G', 'o', 's', 'x', 'X', '?', 'n'}) {
            std::string format = std::string("{:") + align + sign + rest + precision;
            format += type ? std::string(1, type) + "}" : "}";
            for (const Array &number : {x, n, b, Array(uint64_t(7)), Array(complex64_t{1, 2})}) {
              const std::string error = errorOf([&] { printedBy([&] { print(format, {number}); }); });
              if (error != "no error") {
                testing::internal::GetCapturedStdout();
                ASSERT_THAT(error, HasSubstr("expected a field that std::format has")) << format;
              }
            }
          }
}

} // namespace
} // namespace tenon::test
