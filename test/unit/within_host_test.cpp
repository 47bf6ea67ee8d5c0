//===- within_host_test.cpp - nested functions that call the host --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each effect happens once, in its turn, and what the host assigns is read in its turn.
//===----------------------------------------------------------------------===//
#include "test/unit/Within.h"

#include <gmock/gmock.h>

#include <memory>

namespace tenon::test {
namespace {

/// What is differentiated reads a Variable after the host, and a question, and is recorded in vain.
TEST_F(Within, ADerivativeThatReadsAfterTheHost) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array r = side.host(x), y = x > 0 ? r + 1 : r;
          const auto g = jit([&](const Array &z) { return side.counted > 2 ? z * z * side.counted : z * 3; });
          return grad(g)(y);
        };
      },
      {0.3f, -0.3f, 0.9f, -0.9f, 0.2f}, 4);
}

/// A Variable is read after a question that comes after the host, in the call that is recorded, too; also where it is
/// the first reading, or one of a body.
TEST_F(Within, AVariableAfterAQuestionAfterTheHost) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array before = side.counted * 1, r = side.host(x);
          const Array z = x > 0 ? r + 1 : r;
          return stack({before, side.counted * 1, z});
        };
      },
      {0.3f, -0.3f, 0.9f, -0.9f}, 2);
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array r = side.host(x), z = x > 0 ? r + 1 : r;
          return stack({side.counted * 1, z});
        };
      },
      {0.3f, -0.3f, 0.9f, -0.9f}, 2);
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array r = side.host(x);
          const auto in = jit([](const Array &q) { return q > 0 ? q + 1 : q * 2; });
          return stack({in(x), side.counted * 1, r});
        };
      },
      {0.3f, -0.3f, 0.9f, -0.9f}, 2);
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array before = side.counted * 1, r = side.host(x);
          const Array b = cond(x > 0.5f, [&] { return side.counted * 2; }, [&] { return side.counted * 3; });
          const Array c = fori_loop(0, 3, [&](const Array &, const Array &c) { return c + side.counted; }, x);
          return stack({before, b, x > 0 ? c : c * 2, r});
        };
      },
      {0.3f, -0.3f, 0.9f, -0.9f}, 2);
}

/// One way reads a Variable where the call has come to, another one after it has called the host once more.
TEST_F(Within, AVariableThatAnotherWayReadsLater) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array r = side.host(x);
          if (x > 0.5f)
            return r + side.counted;
          return side.host(r) * side.counted;
        };
      },
      {0.9f, 0.3f, 0.7f, 0.2f}, 2);
}

/// The results of a function cannot be given back, after the host was called and asked.
TEST_F(Within, AnErrorAfterTheHost) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array before = side.counted * 1;
          const auto in = jit([&](const Array &q) {
            const Array h = side.host(q);
            if (h > 0.2f)
              return std::vector<Array>{h, q > 0.5f ? Array() : q};
            return std::vector<Array>{h, h};
          });
          Array z = x;
          try {
            z = sum(stack(in(x)));
          } catch (const Error &) {
            z = x + 100;
          }
          return stack({before, z, side.counted * 1});
        };
      },
      {0.3f, 0.9f, 0.45f, 0.9f, 0.1f}, 3);
}

/// For nothing.
TEST_F(Within, AFunctionThatOnlyCallsTheHost) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          jit([=](const Array &q) { side.host(q); })(x);
          return x > 0.5f ? x + side.counted : x;
        };
      },
      {0.3f, 0.9f, 0.2f, 0.7f}, 2);
}

/// The host throws where it is called, whatever C++ catches behind that.
TEST_F(Within, WhatTheHostThrowsIsThrownThere) {
  const auto thrower = [](const Array &x) {
    return host_call([](const Array &a) { return a.item<float>() > 0 ? throw std::runtime_error("host") : a; }, scalar,
                     x);
  };
  const std::vector<Body> bodies{[=](const Side &side, const Array &x) {
                                   thrower(x);
                                   try {
                                     side.weight += 1.0f;
                                     return x * side.weight;
                                   } catch (const std::runtime_error &) {
                                     return x + 100;
                                   }
                                 },
                                 [=](const Side &, const Array &x) {
                                   const Array h = thrower(x);
                                   try {
                                     return h > -5 ? x + 1 : x;
                                   } catch (const std::runtime_error &) {
                                     return h + 100;
                                   }
                                 },
                                 [=](const Side &side, const Array &x) {
                                   const Array h = thrower(x);
                                   const auto g = jit([&](const Array &z) {
                                     side.host(x);
                                     return h > -5 ? z * z : z;
                                   });
                                   return grad(g)(x);
                                 },
                                 [=](const Side &, const Array &x) {
                                   const auto in = jit([&](const Array &q) {
                                     thrower(q);
                                     return q * 2;
                                   });
                                   const Array r = in(x);
                                   try {
                                     return x > -5 ? r + 1 : r;
                                   } catch (const std::runtime_error &) {
                                     return r + 100;
                                   }
                                 },
                                 [=](const Side &side, const Array &x) { // nothing is left to call
                                   const Array before = side.counted * 1;
                                   try {
                                     jit([&](const Array &q) {
                                       side.host(q);
                                       throw std::runtime_error("thrown");
                                     })(x);
                                   } catch (const std::runtime_error &) {
                                   }
                                   return side.counted - before;
                                 }};
  for (const Body &body : bodies)
    expectAsEager([=](const Side &side) -> Function { return [=](const Array &x) { return body(side, x); }; },
                  {1, -1, 1, -2, -7}, 5);
}

/// What has happened before that is seen, in the call that is recorded.
TEST_F(Within, WhatHappensBeforeTheHostThrows) {
  const auto body = [](const Side &side, const Array &x) {
    const Array before = side.counted * 1;
    const auto in = jit([&](const Array &q) {
      if (q > -10 && q > -11)
        print("{}", {side.counted * 2});
      side.host(q);
      return host_call([](const Array &) -> Array { throw std::runtime_error("host"); }, scalar, q);
    });
    Array r = x;
    try {
      r = in(x);
    } catch (const std::runtime_error &) {
    }
    const Array between = side.counted * 1;
    side.host(r);
    return stack({between, side.counted * 1}) - before;
  };
  for (const Compile compile : {Compile::now, Compile::never}) {
    const Side side;
    const auto f = jit([&](const Array &x) { return body(side, x); }, {.compile = compile});
    for (const float x : {1.0f, -1.0f, 1.0f})
      EXPECT_EQ(f(Array(x)).to_vector<float>(), (Floats{1, 2})) << x;
  }
}

/// A host_call that assigns what the program has assigned by then is an Error, recorded or compiled; what the program
/// assigns after it, whatever it has read before, is as in C++.
TEST_F(Within, TheHostAssignsWhatTheProgramDoes) {
  bool isOn = true;
  const auto halve = [&](const Variable &v) {
    host_call([v, &isOn] { isOn ? v.assign(v * 0.5f + 1) : void(); }, none);
  };
  for (const bool asks : {false, true}) {
    const auto end = [=](const Array &x) { return asks && x > 1 ? x : x * 2; };
    const std::function<Array(const Variable &, const Array &)> refused[] = {
        [=](const Variable &v, const Array &x) { return v.assign(x), halve(v), end(x); },
        [=](const Variable &v, const Array &x) { return v += x, halve(v), end(x); },
        [=](const Variable &v, const Array &x) { return v.assign(x), halve(v), v += x, end(x); },
        [=](const Variable &v, const Array &x) {
          return v.assign(x), jit([&](const Array &) { halve(v); })(x), end(x);
        },
        [=](const Variable &v, const Array &x) {
          return jit([&](const Array &q) { v.assign(q), halve(v); })(x), end(x);
        },
        [=](const Variable &v, const Array &x) {
          cond(x > 0, [&] { return v.assign(x), halve(v), x; }, [&] { return x; });
          return end(x);
        },
        [=, kept = jit([=](Variable v, const Array &q) { return v.assign(q), halve(v), end(q); })](
            const Variable &v, const Array &x) { // within another one
          host_call([=] { kept(v, Array(2.0f)); }, none);
          return v.assign(x), end(x);
        },
        [=](const Variable &v, const Array &x) { // what is undone does not matter
          v.assign(x), halve(v);
          try {
            grad(jit([&](const Array &q) {
              print("{}", {q});
              v.assign(q);
              return q > 0 ? throw std::runtime_error("thrown") : q;
            }))(x);
          } catch (const std::runtime_error &) {
          }
          return end(x);
        },
    };
    for (const auto &function : refused)
      for (const bool isRecorded : {false, true}) {
        const Variable v(0.0f, "v");
        const auto f = jit([&](const Array &x) { return function(v, x); });
        isOn = isRecorded;
        printedBy([&] {
          for (const float x : {1.0f, 2.0f, 3.0f, 1.0f}) {
            EXPECT_THAT(errorOf([&] { f(Array(x)); }),
                        testing::HasSubstr(isOn ? "in a host_call of a program that has assigned it" : "no error"));
            isOn = true;
          }
        });
      }
    const std::function<Array(const Variable &, const Array &)> allowed[] = {
        [=](const Variable &v, const Array &x) { return halve(v), v.assign(x), end(x); },
        [=](const Variable &v, const Array &x) { return halve(v), v += x, end(x); },
        [=](const Variable &v, const Array &x) {
          const Array more = v + x;
          return halve(v), v.assign(more), end(x);
        },
        [=](const Variable &v, const Array &x) { return halve(v), halve(v), v += x, end(x) + v; },
        [=](const Variable &v, const Array &x) { // by a function that the host calls
          const Array more = v + x;
          host_call([=] { jit([&] { halve(v); })(); }, none);
          return v.assign(more), end(x);
        },
        [=](const Variable &v, const Array &x) { // in a call that goes on
          const Array more = v + x;
          const Array h = host_call([=](const Array &a) { return halve(v), a; }, scalar, x);
          if (h > 2)
            v.assign(more);
          return end(x);
        },
    };
    for (const auto &function : allowed)
      expectAsEager(
          [&](const Side &side) -> Function { return [&](const Array &x) { return function(side.weight, x); }; },
          {1, 2, 3, 1}, 4);
  }
}

/// On one way the host may assign what the call does, on the other one not.
TEST_F(Within, TheHostAssignsWhatOneWayHasAssigned) {
  const Variable v(0.0f, "v");
  bool isOn = false;
  const auto halve = [&] { host_call([&] { isOn ? v.assign(v * 0.5f + 1) : void(); }, none); };
  const auto f = jit([&](const Array &x) {
    const Array r = host_call([](const Array &a) { return a; }, scalar, x);
    if (r > 0)
      v.assign(x), halve();
    else
      halve(), v.assign(x);
    return r;
  });
  for (const float x : {1.0f, -1.0f, 2.0f, -2.0f})
    EXPECT_EQ(f(Array(x)).item<float>(), x);
  isOn = true;
  EXPECT_THAT(errorOf([&] { f(Array(3.0f)); }), testing::HasSubstr("in a host_call of a program that has assigned it"));
  EXPECT_EQ(f(Array(-3.0f)).item<float>(), -3);
  EXPECT_EQ(v.value().item<float>(), -3);
}

/// A catch within is a part of the call that is recorded; later ones are recorded, too.
TEST_F(Within, WhatTheHostThrowsIsCaughtWithin) {
  const auto thrower = [](const Array &x) {
    return host_call([](const Array &a) { return a.item<float>() > 0.5f ? throw std::runtime_error("host") : a; },
                     scalar, x);
  };
  int way = 0;
  const auto body = [&](const Array &x) {
    const auto in = jit([&](const Array &q) {
      try {
        return thrower(stop_gradient(q)) + q;
      } catch (const std::runtime_error &) {
        return q + 100;
      }
    });
    return way == 0 ? in(x) : way == 1 ? grad(in)(x) : grad(jit([&](const Array &z) { return z * in(x); }))(x) + in(x);
  };
  for (way = 0; way < 3; ++way) {
    const auto f = jit(body);
    for (const float x : {0.9f, 0.3f, 0.2f}) {
      const float got = f(Array(x)).item<float>();
      const EagerScope scope;
      EXPECT_EQ(got, body(Array(x)).item<float>()) << x;
    }
  }
}

/// A check that has to wait for the host fails before it, whatever C++ catches there.
TEST_F(Within, ACheckBeforeTheHost) {
  for (const bool isWithin : {false, true})
    expectAsEager(
        [=](const Side &side) -> Function {
          return [=](const Array &x) {
            check(x < 0.5f, "too large");
            const auto body = [&](const Array &q) {
              try {
                return side.host(q) + 1;
              } catch (const Error &) {
                return q + 100;
              }
            };
            return isWithin ? jit(body)(x) : body(x);
          };
        },
        {0.9f, 0.3f, 0.7f, 0.2f}, 2);
}

/// Alone, too: nothing is recorded around it.
TEST_F(Within, ADerivativeThatReadsAVariableAfterTheHost) {
  for (const bool asks : {false, true}) {
    std::string eager;
    for (const bool isJitted : {false, true}) {
      const Side side;
      const auto body = [&](const Array &x) {
        const Array before = x * side.counted;
        side.host(stop_gradient(x));
        const Array y = asks && x > 0.5f ? before : before * 2;
        return y + x * x * side.counted;
      };
      const std::string seen =
          seenBy(side, isJitted ? Function(grad(jit(body))) : Function(grad(body)), {0.3f, 0.9f, 0.2f, 0.7f});
      if (isJitted) {
        EXPECT_EQ(seen, eager);
      }
      eager = seen;
    }
  }
}

/// Functions within one another, the inner one differentiated, which read a Variable after the host.
TEST_F(Within, ADerivativeWithinThatReadsAfterTheHost) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const auto g0 = jit([=](const Array &a) {
            const Array b = a * 0.5f + side.counted;
            side.host(stop_gradient(b));
            return a * b;
          });
          const auto g1 = jit([=](const Array &a) { return a > 0.2f ? a + grad(g0)(a) : a * side.counted; });
          const Array c = g0(x);
          return g1(c) + g1(x);
        };
      },
      {0.75f, 0.25f, 0.75f, 0.3f}, 4);
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const auto f0 = jit([=](const Array &a) { return a * side.weight; });
          const auto f1 = jit([=](const Array &a) { return a > 0.375f ? a + grad(f0)(a) : a * 2; });
          const Array h = side.host(x);
          return f1(x) + h;
        };
      },
      {0.75f, 0.25f, 0.75f, 0.3f}, 2);
}

/// Variables that the function makes are there for the host, which may not assign them, nor draw from a generator that
/// the function has drawn from.
TEST_F(Within, TheHostUsesWhatTheFunctionMakes) {
  const auto made = jit([](const Array &x) {
    const Variable v(x * 2);
    return host_call([v](const Array &x) { return x + v; }, scalar, x);
  });
  Variable kept;
  const auto lazy = jit([&](const Array &x) {
    if (!kept.has_value())
      kept = Variable(x * 2);
    return host_call([&](const Array &x) { return x + kept; }, scalar, x) + kept;
  });
  for (const float x : {1.0f, 2.0f}) {
    EXPECT_EQ(made(Array(x)).item<float>(), x * 3);
    EXPECT_EQ(lazy(Array(x)).item<float>(), x + 4);
  }
  random::Generator generator{1};
  const std::function<Array(const Array &)> refused[] = {
      [](const Array &x) {
        const Variable v(x);
        host_call([v] { v.assign(Array(5.0f)); }, none);
        return v * 2;
      },
      [&](const Array &x) {
        const Array a = generator.uniform();
        return host_call([&](const Array &x) { return x + generator.uniform(); }, scalar, x + a);
      },
      [](const Array &x) { // the other branch gives what it was
        static const Variable w(1.0f);
        return cond(
            x > 0,
            [](const Array &z) {
              host_call([](const Array &a) { w.assign(a * 100); }, none, z);
              return z;
            },
            [](const Array &z) {
              w.assign(z * 7);
              return z;
            },
            x);
      }};
  for (const auto &function : refused) {
    const auto f = jit(function);
    for (int i = 0; i < 2; ++i)
      EXPECT_THAT(errorOf([&] { f(Array(1.0f)); }),
                  testing::HasSubstr("in a host_call of a program that has assigned it"));
  }
}

/// While a function of the host runs, nothing is recorded.
TEST_F(Within, TheHostAsksWhatIsRecorded) {
  auto f = jit([](const Array &x) {
    const Array y = x > 0.5f;
    const Array h = host_call([y](const Array &a) { return bool(y) ? a * 2 : a; }, scalar, x);
    return h > 0 ? h : -h;
  });
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(errorOf([&] { f(Array(0.9f)); }), testing::HasSubstr("expected an array whose elements are known"));
}

/// Behind a check that has failed nothing happens, whoever has caught what came of it.
TEST_F(Within, ACheckThatHasFailedEndsAll) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          check(x > 0, "expected x above 0");
          for (int i = 0; i < 2; ++i)
            try {
              side.host(x);
            } catch (const Error &) {
            }
          return x;
        };
      },
      {-1, 1, -1, 2}, 2);
}

/// A check behind the host fails in its place, whatever C++ reads, draws or asks behind it, and catches there.
TEST_F(Within, ACheckBehindTheHost) {
  for (const int way : {0, 1, 2, 3})
    expectAsEager(
        [=](const Side &side) -> Function {
          return [=](const Array &x) {
            side.host(x);
            check(x < 1, "checked {}", {x});
            if (way == 3)
              print("behind {}", {x});
            try {
              Variable weight = side.weight;
              if (way == 1)
                weight.assign(weight + 10.0f);
              if (way == 2 && weight > 0 && x > 0)
                return x * 2;
              return x * weight;
            } catch (const std::exception &) {
              return x + 8;
            }
          };
        },
        {2, 0.5f, 2, -1, 3}, 3);
}

/// One that is kept is a part, too, where it calls the host: that may assign what the program has.
TEST_F(Within, TheHostAssignsWhatAKeptOneDoes) {
  const Side side;
  int calls = 0;
  const auto g = jit([&](const Array &z) {
    Variable weight = side.weight;
    weight.assign(z);
    host_call(
        [&](const Array &a) {
          if (++calls > 2)
            Variable(side.weight).assign(a + 5);
        },
        none, z);
    return z;
  });
  g(Array(1.0f));
  g(Array(1.0f));
  const auto f = jit([&](const Array &x) { return g(x); });
  EXPECT_THAT(errorOf([&] { f(Array(2.0f)); }), testing::HasSubstr("in a host_call of a program that has assigned it"));
}

/// One with sizes of its own catches what the host throws.
TEST_F(Within, CatchesTheHostWithSizesOfItsOwn) {
  const Side side;
  const auto f = jit([=](const Array &x) {
    const auto g = jit(
        [=](const Array &v) {
          try {
            return host_call(
                [](const Array &a) { return a.item<float>() > 0 ? throw std::runtime_error("thrown") : a; }, scalar,
                sum(v));
          } catch (const std::runtime_error &) {
            return sum(v) * 2;
          }
        },
        {.specs = {TensorSpec{f32, {dyn}}}});
    return g(stack({x, x}));
  });
  for (const float x : {2.0f, 3.0f, 2.0f})
    EXPECT_EQ(f(Array(x)).item<float>(), 4 * x);
}

/// The host calls one that asks, while the program that calls it has asked by then: its questions are counted apart.
TEST_F(Within, TheHostCallsWhatCountsItsOwnQuestions) {
  const auto g = jit([](const Array &y) { return y > 0 ? y * 2 : -y; });
  const auto f = jit([&](const Array &x) {
    print("at {}", {x});
    const Array a = x > 0 ? x * 3 : x;
    print("then {}", {a});
    const Array b = a > -100 ? a + 1 : a;
    return b + host_call([&](const Array &y) { return g(y); }, scalar, x - 2);
  });
  for (const float x : {3.0f, 1.5f, 3.0f, 1.25f, 2.5f, 1.5f})
    EXPECT_EQ(f(Array(x)).item<float>(), 3 * x + 1 + (x > 2 ? 2 * (x - 2) : 2 - x));
  EXPECT_EQ(g.trace_count(), 2u);
}

/// The host calls one that asks, while the program that calls it has asked by then.
TEST_F(Within, TheHostCallsWhatAsks) {
  expectAsEager(
      [](const Side &) -> Function {
        const auto g = jit([](const Array &y) { return y > 0 ? y * 2 : -y; });
        return [=](const Array &x) {
          Array a = x;
          for (const float bound : {0.0f, 1.0f}) {
            print("at {}", {a});
            if (a > bound)
              a = a * 3;
          }
          return a + host_call([g](const Array &y) { return g(y); }, scalar, x - 2);
        };
      },
      {3, 1.5f, 3, 1.25f, 2.5f, 1.5f}, 2);
}

} // namespace
} // namespace tenon::test
