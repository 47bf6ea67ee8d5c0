//===- cuts_host_test.cpp - branches on traced values after a host callback --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Calls.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

namespace tenon::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const TensorSpec scalar{f32, {}};

using CutsHost = WithLog;

/// The host assigns a Variable that the function reads, before or after it.
TEST_F(CutsHost, WhatTheHostAssignsIsReadInItsTurn) {
  struct Case {
    const char *what;
    std::function<Array(const Array &x, const Variable &u, const std::function<Array(const Array &)> &host)> function;
  };
  const Case cases[] = {
      {"read",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array s = x + u, r = host(x);
         return r > 0 ? s : -s;
       }},
      {"asked",
       [](const Array &x, const Variable &u, const auto &host) {
         const bool isFirst = bool(u == 0);
         const Array r = host(x);
         if (r > 0)
           return isFirst ? r * 100 : r;
         return isFirst ? r * -100 : -r;
       }},
      {"another answer each time",
       [](const Array &x, const Variable &u, const auto &host) {
         const float n = u.value().item<float>();
         const Array r = host(x);
         return r > 0 ? r * n : r - n;
       }},
      {"read after",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array r = host(x);
         return r > 0 ? r + u : r - u;
       }},
      {"read after, unasked",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array r = host(x);
         return r + u * 2;
       }},
      {"read before and after",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array y = x + u, r = host(y), s = host(r * u);
         return s + u;
       }},
      {"read after a question",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array r = host(x);
         if (r > 5)
           return r + 1;
         return host(r) + u;
       }},
      {"within",
       [](const Array &x, const Variable &u, const auto &host) {
         static const auto inner = jit([](const Array &a, const Array &b) { return a * 2 + b; });
         return inner(host(x), u) + inner(host(x), u.value());
       }},
      {"a result",
       [](const Array &x, const Variable &u, const auto &host) {
         const Array was = u.value(), r = host(x);
         return r > 0 ? was : r;
       }},
  };
  for (const Case &one : cases)
    for (const Compile compile : {Compile::now, Compile::never}) {
      SCOPED_TRACE(one.what);
      Variable u(0.0f);
      int calls = 0;
      const auto host = [&](const Array &x) {
        return host_call([&](const Array &a) { return ++calls, u.assign(u + 1.0f), a; }, scalar, x);
      };
      auto f = jit([&](const Array &x) { return one.function(x, u, host); }, {.compile = compile});
      for (int round = 0; round < 2; ++round)
        for (const float start : {0.0f, 5.0f})
          for (const float x : {10.0f, -10.0f, 3.0f, -1.0f}) {
            u.assign(Array(start));
            Array eager;
            {
              const EagerScope scope;
              eager = f(Array(x));
            }
            u.assign(Array(start));
            const int expected = std::exchange(calls, 0);
            EXPECT_EQ(f(Array(x)).item<float>(), eager.item<float>()) << "from " << start << " with " << x;
            EXPECT_EQ(std::exchange(calls, 0), expected);
            EXPECT_EQ(u.value().item<float>(), start + static_cast<float>(expected));
          }
      EXPECT_LE(f.trace_count(), 5u);
    }
  EXPECT_EQ(logged.warnings(), "");
}

/// A function within has asked, and called the host, for which it is recorded once more: the one around reads what the
/// host assigns where it did before.
TEST_F(CutsHost, WhatIsAskedWithinIsReadAroundInItsTurn) {
  for (const Compile compile : {Compile::now, Compile::never}) {
    Variable u(0.0f);
    int calls = 0;
    const auto host = [&](const Array &x) {
      return host_call([&](const Array &a) { return ++calls, u.assign(u + 1.0f), a; }, scalar, x);
    };
    const auto inner = jit([&](const Array &x) {
      Array y = x;
      for (int k = 0; k < 4 && abs(y) > 1; ++k)
        y = host(y / 2) + u * 0.125f;
      return y + u;
    });
    const auto f = jit(
        [&](const Array &x) {
          const Array y = inner(x), z = inner(y + 4) * u, r = host(z) + u;
          return r > 0 ? r + u : r - u;
        },
        {.compile = compile});
    for (int round = 0; round < 2; ++round)
      for (const float x : {10.0f, -10.0f, 3.0f, 2.0f, -1.0f, 0.5f, -40.0f, 100.0f}) {
        u.assign(Array(0.0f));
        Array eager;
        {
          const EagerScope scope;
          eager = f(Array(x));
        }
        u.assign(Array(0.0f));
        const int expected = std::exchange(calls, 0);
        EXPECT_EQ(f(Array(x)).item<float>(), eager.item<float>()) << x;
        EXPECT_EQ(std::exchange(calls, 0), expected) << x;
      }
    EXPECT_LE(f.trace_count(), 8u);
  }
}

/// Of one that gives nothing, no op is left of what has happened, and yet it has called the host.
TEST_F(CutsHost, WhatIsAskedWithinForNothingIsReadAroundInItsTurn) {
  Variable u(0.0f);
  const auto inner = jit([&](const Array &x) {
    const Array y = host_call([&](const Array &a) { return u.assign(u + 1.0f), a; }, scalar, x);
    if (y < 0)
      throw std::out_of_range("negative");
  });
  auto f = jit([&](const Array &x) {
    inner(x);
    return x + u;
  });
  for (int i = 1; i < 5; ++i)
    EXPECT_EQ(number(f(Array(10.0f))), 10.0f + static_cast<float>(i));
  EXPECT_EQ(errorOf([&] { f(Array(-1.0f)); }), "negative");
  EXPECT_EQ(number(u.value()), 5);
  EXPECT_EQ(number(f(Array(10.0f))), 16);
}

/// Where nothing is read that the host may have assigned, a call is one program.
TEST_F(CutsHost, WhatIsOnlyAssignedAfterTheHostIsNoReasonToCut) {
  const Variable u(3.0f), v(0.0f);
  auto f = jit(
      [&](const Array &x) {
        const Array y = x * u;
        const Array r = host_call([](const Array &a) { return a + 1; }, scalar, y);
        v.assign(r);
        return r + v;
      },
      {.compile = Compile::never});
  f(Array(1.0f));
  const uint64_t before = statistics().interpreted_programs;
  EXPECT_EQ(f(Array(2.0f)).item<float>(), 14);
  EXPECT_EQ(statistics().interpreted_programs - before, 1u);
  EXPECT_EQ(v.value().item<float>(), 7);
  EXPECT_EQ(f.trace_count(), 1u);
}

/// A path that assigns what the host assigns on another one, which the call has come through.
TEST_F(CutsHost, TheHostMayAssignWhatAnotherPathAssigns) {
  Variable n(0.0f);
  auto f = jit([&](const Array &x) {
    const Array r = host_call([&](const Array &a) { return n.assign(n + 1.0f), a; }, scalar, x);
    if (r > 10)
      n.assign(Array(0.0f));
    return r;
  });
  float expected = 0;
  for (const float x : {1.0f, 1.0f, 100.0f, 1.0f, 2.0f, 100.0f, 1.0f}) {
    EXPECT_EQ(f(Array(x)).item<float>(), x);
    expected = x > 10 ? 0 : expected + 1;
    EXPECT_EQ(n.value().item<float>(), expected);
  }
}

/// What the call assigns in the end is what it holds, whatever the host has assigned on the way.
TEST_F(CutsHost, WhatTheCallUpdatesAfterTheHost) {
  Variable n(0.0f, "n");
  auto f = jit([&](const Array &x) {
    const Array more = n + 1.0f;
    const Array r = host_call([&](const Array &a) { return a > 5 ? void(n.assign(a)) : void(), a; }, scalar, x);
    if (r > 0)
      n.assign(more);
    return r;
  });
  for (int i = 0; i < 3; ++i)
    f(Array(1.0f));
  EXPECT_EQ(n.value().item<float>(), 3);
  f(Array(7.0f));
  EXPECT_EQ(n.value().item<float>(), 4);
  f(Array(1.0f));
  EXPECT_EQ(n.value().item<float>(), 5);
}

/// What a call that is recorded has read of a Variable is read on the tape, too.
TEST_F(CutsHost, VariablesOnATape) {
  const Variable w(3.0f);
  int calls = 0;
  auto plain = [&](const Array &x) {
    const Array y = x * w;
    const Array r = host_call([&](const Array &a) { return ++calls, a; }, scalar, y);
    return r > 0 ? y * w : y;
  };
  auto f = jit(plain);
  for (const float x : {2.0f, -2.0f, 2.0f, -1.0f, 4.0f}) {
    GradientTape tape;
    const Array y = f(Array(x));
    EXPECT_EQ(y.item<float>(), x > 0 ? x * 9 : x * 3);
    EXPECT_EQ(tape.gradient(y, w).item<float>(), x > 0 ? x * 6 : x);
  }
  EXPECT_EQ(calls, 5);
}

/// A derivative of what asks for what the host gives goes through that, as it does in plain C++.
TEST_F(CutsHost, DerivativesThroughTheHost) {
  int calls = 0;
  auto host = [&](const Array &x) { return host_call([&](const Array &a) { return ++calls, a * a; }, scalar, x); };
  auto square = custom_vjp(
      host, [=](const Array &x) { return std::pair(host(x), x); },
      [](const Array &x, const Array &d) { return d * 2 * x; });
  auto loss = [=](const Array &x) {
    const Array y = square(x);
    return y > 1 ? y * 2 : y;
  };
  auto compiled = jit(loss);
  auto outer = jit([&](const Array &x) { return compiled(x) * 3; });
  for (const float x : {3.0f, 0.5f, -2.0f}) {
    const float slope = x * x > 1 ? 4 * x : 2 * x;
    auto at = [&](const auto &f) { return f(Array(x)).template item<float>(); };
    calls = 0;
    EXPECT_EQ(at(grad(loss)), slope);
    const int expected = std::exchange(calls, 0);
    EXPECT_EQ(at(grad(compiled)), slope);
    EXPECT_EQ(std::exchange(calls, 0), expected);
    EXPECT_EQ(at(jit(grad(loss))), slope);
    EXPECT_EQ(at(jit(grad(compiled))), slope);
    EXPECT_EQ(at(grad(outer)), 3 * slope);
    GradientTape tape;
    const Array on(x);
    tape.watch(on);
    EXPECT_EQ(tape.gradient(compiled(on), on).item<float>(), slope);
  }
  // Also where C++ catches what it is told while it is traced.
  auto tries = [=](const Array &x) {
    const Array y = square(x);
    try {
      return y > 1 ? y * 2 : y;
    } catch (const Error &) {
      return y * 100;
    }
  };
  EXPECT_EQ(grad(jit(tries))(Array(3.0f)).item<float>(), 12);
  // A branch that is not taken has one, too.
  auto branch = [](const Array &x) {
    const Array y = cond(
        x > 0, [](const Array &a) { return a * 3; },
        [](const Array &a) {
          host_call([](const Array &) {}, none, a);
          return a * 5;
        },
        x);
    return y > 1 ? y * 2 : y;
  };
  EXPECT_EQ(grad(jit(branch))(Array(1.0f)).item<float>(), 6);
}

/// Updates and exceptions of such a call.
TEST_F(CutsHost, WhatIsCalledPlainlyUpdatesAndThrows) {
  Variable v(0.0f), ofHost(0.0f);
  auto f = jit([&](const Array &x, Array &total) {
    v += 1;
    v += x;
    const Array r = host_call([&](const Array &a) { return ofHost += 1, a; }, scalar, x);
    total = total + 1;
    if (r > 5)
      throw std::runtime_error("too large");
    return std::pair(x * 2, x * 3);
  });
  Array total(0.0f);
  auto sumOf = [&](const Array &x) {
    const auto [a, b] = f(x, total);
    return a + b;
  };
  GradientTape tape;
  const Array x(2.0f);
  tape.watch(x);
  const Array y = sumOf(x);
  EXPECT_EQ(tape.gradient(y, x).item<float>(), 5);
  EXPECT_EQ(total.item<float>(), 1);
  GradientTape other;
  EXPECT_EQ(errorOf([&] { sumOf(Array(7.0f)); }), "too large");
  EXPECT_EQ(total.item<float>(), 1);
  EXPECT_EQ(number(v.value()), 3) << "as it was";
  EXPECT_EQ(number(ofHost.value()), 2);
  // In a function around, which goes on.
  auto caught = jit([&](const Array &x) {
    v += 10;
    Array own(0.0f);
    try {
      return f(x, own).first * v;
    } catch (const std::runtime_error &) {
      return x * v;
    }
  });
  EXPECT_EQ(number(grad(caught)(Array(7.0f))), 13);
  EXPECT_EQ(number(v.value()), 13);
  auto prints = jit([](const Array &x) {
    print("{}", {x});
    if (x > 1)
      throw std::runtime_error("thrown");
    return x;
  });
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(errorOf([&] { grad(prints)(Array(3.0f)); }), "thrown"); }), "3.\n");
}

/// A function within that is asked, and whose result is not needed.
TEST_F(CutsHost, WhatIsAskedWithinForNothing) {
  auto g = jit([](const Array &a) { return sum(a) > 1 ? a + 1 : a - 1; });
  auto f = jit([&](const Array &x) {
    print("called");
    Array y = x * 2;
    if (sum(y) > 0)
      y = y + 1;
    g(y);
    return y;
  });
  EXPECT_EQ(printedBy([&] {
              for (const int n : {2, 3, 4})
                g(ones({n}));
              for (int round = 0; round < 2; ++round) {
                EXPECT_EQ(f(-ones({5})).to_vector<float>(), Floats(5, -2));
                EXPECT_EQ(f(ones({5})).to_vector<float>(), Floats(5, 3));
              }
            }),
            "called\ncalled\ncalled\ncalled\n");
  auto loss = jit([](const Array &a) { return sum(a) > 0 ? sum(a * a) : -sum(a * a); });
  auto taped = jit([&](const Array &x) {
    const Array y = x * 2;
    print("called");
    if (max(x) > 10)
      return x;
    GradientTape tape;
    tape.watch(y);
    loss(y);
    return x - 1;
  });
  EXPECT_EQ(printedBy([&] {
              for (int i = 0; i < 3; ++i)
                EXPECT_EQ(taped(Array{2.0f, 1.0f}).to_vector<float>(), (Floats{1, 0}));
            }),
            "called\ncalled\ncalled\n");
}

/// Nothing happens that comes after an exception, and it is the user's.
TEST_F(CutsHost, WhatTheHostThrowsWithin) {
  int calls = 0;
  auto next = [&](const Array &x) { return host_call([&](const Array &a) { return ++calls, a + 1; }, scalar, x); };
  auto g = jit([&](Array x) {
    while (x <= 2)
      x = next(x);
    return x;
  });
  auto throws = jit([&](const Array &x) {
    host_call([](const Array &) { throw std::out_of_range("from the host"); }, none, x);
    return g(x);
  });
  auto checks = jit([&](const Array &x) {
    check(x > 5, "too small");
    return g(x);
  });
  auto asks = jit([&](const Array &x) {
    const Array y = host_call([](const Array &a) -> Array { return throw std::out_of_range("asked"), a; }, scalar, x);
    return y > 0 ? y : -y;
  });
  auto around = jit([&](const Array &x) { return asks(x) + 1; });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(errorOf([&] { throws(Array(1.0f)); }), "from the host");
    EXPECT_THAT(errorOf([&] { checks(Array(1.0f)); }), HasSubstr("too small"));
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(errorOf([&] { around(Array(1.0f)); }), "asked");
  }
  // C++ that catches it goes on.
  auto catches = jit([&](const Array &x) {
    try {
      return asks(x);
    } catch (const std::out_of_range &) {
    }
    print("caught");
    return x * 2;
  });
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(catches(Array(2.0f)).item<float>(), 4); }), "caught\n");
  auto throwsLater = jit([&](const Array &x) -> Array {
    try {
      return asks(x);
    } catch (const std::out_of_range &) {
    }
    print("caught");
    throw std::runtime_error("later");
  });
  EXPECT_EQ(printedBy([&] { EXPECT_EQ(errorOf([&] { throwsLater(Array(2.0f)); }), "later"); }), "caught\n");
  // What it has recorded then is no path of other calls; a program catches nothing.
  auto catchesItself = jit([&](const Array &x) {
    try {
      const Array y = host_call(
          [](const Array &a) {
            if (a < 0)
              throw std::out_of_range("negative");
            return a > 1;
          },
          TensorSpec{bool_, {}}, x);
      if (y)
        return x;
      return x * 2;
    } catch (const std::out_of_range &) {
    }
    return x * 3;
  });
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(number(catchesItself(Array(-1.0f))), -3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(number(catchesItself(Array(2.0f))), 2);
    EXPECT_EQ(number(catchesItself(Array(0.5f))), 1);
    EXPECT_EQ(errorOf([&] { catchesItself(Array(-1.0f)); }), "negative");
  }
}

/// A function that catches what the host throws is recorded at each call, and so goes on as C++ does.
TEST_F(CutsHost, WhatTheHostThrowsIsCaught) {
  int calls = 0;
  const auto thrown = [&](const Array &x) {
    return host_call([&](const Array &a) -> Array { return ++calls, throw std::out_of_range("from the host"), a; },
                     scalar, x);
  };
  const auto within = jit([&](const Array &x) { return thrown(x) > 0 ? x : -x; });
  auto asksAfter = [&](const std::function<bool(const Array &)> &asks) {
    return jit([&, asks](const Array &x) {
      try {
        return asks(x) ? x : -x;
      } catch (const std::out_of_range &) {
      }
      return x < 0 ? x * 5 : x * 3;
    });
  };
  auto itself = asksAfter([&](const Array &x) { return bool(thrown(x) > 0); });
  auto called = asksAfter([&](const Array &x) { return bool(within(x) > 0); });
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(number(itself(Array(2.0f))), 6);
    EXPECT_EQ(number(called(Array(2.0f))), 6);
    EXPECT_EQ(number(itself(Array(-2.0f))), -10);
    EXPECT_EQ(number(called(Array(-2.0f))), -10);
    EXPECT_EQ(calls, 4 * i);
  }
  // It is thrown where C++ calls the host, which has not caught it there.
  auto used = jit([&](const Array &x) {
    const Array y = thrown(x);
    try {
      if (y > 0)
        return x;
    } catch (const std::out_of_range &) {
    }
    return (y + 1) * 2;
  });
  EXPECT_EQ(errorOf([&] { used(Array(2.0f)); }), "from the host");
}

/// With an update that depends on what the Variable was, whoever assigns it meanwhile.
TEST_F(CutsHost, NoUpdateIsLostBesideTheHost) {
  Variable n(0.0f);
  std::atomic<int> calls = 0;
  auto f = jit([&](const Array &x) {
    const Array before = n + 1.0f;
    const Array r = host_call([&](const Array &a) { return ++calls, a; }, scalar, x);
    if (r > 0)
      n.assign(before);
    return r;
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 40; ++i)
        f(Array(i % 4 ? 1.0f : -1.0f));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(n.value().item<float>(), 4 * 30);
  EXPECT_EQ(calls, 160);
}

TEST_F(CutsHost, APathThatACallComesThroughWritesNothing) {
  auto f = jit([](Array &a, Array &b) {
    print("{}", {a});
    if (a > 10)
      return;
    if (b > 5)
      a = a + 1;
  });
  auto call = [&](Array a, Array b) { f(a, b); };
  Array same(1.0f);
  EXPECT_EQ(printedBy([&] {
              call(20.0f, 0.0f);
              call(1.0f, 10.0f);
              call(20.0f, 0.0f);
              f(same, same);
              f(same, same);
            }),
            "20.\n1.\n20.\n1.\n1.\n");
  Array both(7.0f);
  printedBy([&] {
    call(20.0f, 0.0f);
    EXPECT_THAT(errorOf([&] { f(both, both); }), HasSubstr("is updated and is also"));
  });
  EXPECT_EQ(both.item<float>(), 7);
}

/// A call that has printed in a function which is differentiated, and called plainly, goes another way in it.
TEST_F(CutsHost, ADifferentiatedFunctionGoesOn) {
  Variable v(1.0f);
  const auto body = [&](const Array &x) {
    print("x {}", {x});
    if (x > 0) {
      const Array h = host_call([](const Array &a) { return a + 1; }, scalar, stop_gradient(x));
      return x * x * v + stop_gradient(h);
    }
    return x < -2 ? x * 3 : x * 4;
  };
  const auto eager = value_and_grad(body);
  const auto jitted = jit(value_and_grad(jit(body)));
  const auto seen = [](const auto &f) {
    std::string text;
    for (const float x : {1.0f, -1.0f, 2.0f, -2.0f, -3.0f, 3.0f})
      text += printedBy([&] {
        const auto [y, slope] = f(Array(x));
        print("{} {}", {y, slope});
      });
    return text;
  };
  const std::string expected = seen(eager);
  EXPECT_EQ(seen(jitted), expected);
  EXPECT_EQ(seen(jitted), expected) << "again";
}

/// What is asked in a function that is recorded in vain has been asked around it, too.
TEST_F(CutsHost, WhatIsReadInVainIsReadAgain) {
  Variable v(1.0f);
  Array isLarge;
  const auto body = [&](const Array &x) {
    if (isLarge) {
      const Array h = host_call([&](const Array &a) { return v += 1, a; }, scalar, stop_gradient(x));
      return x * v + stop_gradient(h);
    }
    return x;
  };
  const auto around = [&](const auto &f) {
    return [&, f](const Array &x) {
      isLarge = x > -10;
      const Array factor = isLarge ? Array(2.0f) : Array(3.0f);
      const Array slope = f(x).second;
      isLarge = Array();
      return slope * factor;
    };
  };
  const auto jitted = jit(around(value_and_grad(jit(body))));
  for (int i = 0; i < 4; ++i) {
    const float before = number(v.value());
    EXPECT_EQ(number(jitted(Array(5.0f))), (before + 1) * 2);
    EXPECT_EQ(number(v.value()), before + 1);
  }
}

/// Looking at a function calls nothing.
TEST_F(CutsHost, WhatIsLookedAtDoesNotHappen) {
  int calls = 0;
  const auto count = [&](const Array &x) { return host_call([&](const Array &a) { return ++calls, a; }, scalar, x); };
  Variable v(2.0f);
  auto asks = jit([&](const Array &x) { return count(x) > 0 ? x : -x; }, {.name = "asks"});
  auto within = jit([&](const Array &x) { return asks(x) * 2; }, {.name = "within"});
  auto reads = jit([&](const Array &x) {
    const Array y = count(x);
    return y * v;
  });
  const Array one(1.0f);
  const std::string line = std::to_string(__LINE__ - 7);
  for (const std::string &error : {errorOf([&] { (void)asks.lower(one); }), errorOf([&] { asks.concrete(one); })}) {
    EXPECT_THAT(error, HasSubstr("asks: expected a function that can be traced without running host calls, got one "
                                 "that branches on the result of a host_call at "));
    EXPECT_THAT(error, HasSubstr("cuts_host_test.cpp:" + line + ";"));
  }
  EXPECT_THAT(errorOf([&] { (void)within.lower(one); }), HasSubstr("cuts_host_test.cpp:" + line + ";"));
  EXPECT_THAT(errorOf([&] { (void)reads.lower(one); }), HasSubstr("got one that reads a Variable after a host_call"));
  auto ways = jit([&](const Array &x) { return count(x) > 0 ? x : -x; });
  EXPECT_EQ(ways.concrete(scalar).variants(), 2u) << "both, of a spec";
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(number(asks(one)), 1);
  EXPECT_EQ(number(asks.concrete(one)(Array(3.0f))), 3);
  EXPECT_EQ(calls, 2);
}

/// The call that is recorded, and goes its own way, is a call like the others.
TEST_F(CutsHost, CallsAreCounted) {
  auto f = jit([](const Array &x) { return host_call([](const Array &a) { return a; }, scalar, x) > 0 ? x : -x; });
  for (float x : {1.0f, 2.0f, -1.0f, 3.0f, -2.0f, -3.0f, -4.0f})
    f(Array(x));
  EXPECT_THAT(explain(f, Array(1.0f)).text, HasSubstr("(7 calls)"));
  EXPECT_THAT(explain(f, Array(1.0f)).text, HasSubstr("true in 3 calls"));
  EXPECT_THAT(explain(f, Array(1.0f)).text, HasSubstr("false in 4 calls"));
  auto prints = jit([](const Array &x) {
    print("{}", {x});
    return x > 0 ? x : -x;
  });
  printedBy([&] {
    prints(Array(1.0f));
    (void)prints.lower(Array(-1.0f));
    prints(Array(2.0f));
  });
  EXPECT_THAT(explain(prints, Array(1.0f)).text, HasSubstr("(2 calls)"));
  EXPECT_THAT(explain(prints, Array(1.0f)).text, Not(HasSubstr("false in 1 call")));
}

/// What was captured for one call is no part of the path for later ones.
TEST_F(CutsHost, ResultsOfTheHostWithinAreNotCaptured) {
  int calls = 0;
  auto inner = jit([&](const Array &x) {
    const Array r = host_call([&](const Array &a) { return a + static_cast<float>(++calls); }, scalar, x);
    return r > 0 ? r * x : -r;
  });
  auto f = jit([&](const Array &x) {
    const Array y = inner(x);
    return y > 0 ? y + 1 : y - 1;
  });
  f(Array(1.0f));
  for (int i = 0; i < 20; ++i) {
    GradientTape tape;
    const Array x(1.0f);
    tape.watch(x);
    f(x);
  }
  EXPECT_EQ(f.concrete(Array(1.0f)).variants(), 1u);
  EXPECT_EQ(calls, 21);
}

/// Another thread's assignment of what the call assigns waits for its end.
TEST_F(CutsHost, WhatIsAssignedIsHeldMeanwhile) {
  Variable v(0.0f);
  std::jthread other;
  auto f = jit([&](const Array &x) {
    v.assign(v + x);
    const Array r = host_call(
        [&](const Array &x) {
          other = std::jthread([&v, x] { v.assign(x * 1000); });
          for (int i = 0; i < 50 && v.value().item<float>() < 1000; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          return x;
        },
        scalar, x);
    return r > 1 ? r * 2 : r;
  });
  f(Array(2.0f)); // recorded while nothing is held
  for (int i = 0; i < 4; ++i) {
    other.join();
    v.assign(Array(0.0f));
    f(Array(2.0f));
    other.join();
    EXPECT_EQ(v.value().item<float>(), 2000);
    other = std::jthread([] {});
  }
}

} // namespace
} // namespace tenon::test
