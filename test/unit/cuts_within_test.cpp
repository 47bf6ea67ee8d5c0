//===- cuts_within_test.cpp - functions within functions that call the host -----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jitted functions that are made, asked, differentiated or refused within one that has called
// the host by then: each effect happens once, in its turn, and what the host assigns is read in
// its turn.
//===----------------------------------------------------------------------===//
#include "test/unit/Calls.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

namespace tenon::test {
namespace {

using Function = std::function<Array(const Array &)>;

const TensorSpec scalar{f32, {}};

/// What belongs to one of the runs that are compared.
struct Side {
  Variable counted{Array(0.0f)}, weight{Array(1.0f)};

  /// Prints x, counts, and gives half of it.
  Array host(const Array &x) const {
    return host_call(
        [counted = counted](const Array &a) {
          std::printf("host %g\n", static_cast<double>(a.item<float>()));
          counted.assign(counted + 1.0f);
          return a * 0.5f;
        },
        scalar, x);
  }
};

/// What a function gives, what is printed, and the Variables afterwards.
std::string seenBy(const Side &side, const Function &f, const Floats &numbers) {
  return seenOf(
      [&](const Array &x) {
        Array y;
        const std::string error = errorOf([&] { y = f(x); });
        print("counted {} weight {}", {side.counted.value(), side.weight.value()});
        return error == "no error" ? y : throw std::runtime_error(error);
      },
      numbers);
}

struct CutsWithin : Logs<true> {
  /// Eager and compiled, interpreted, in the background, again and again: the same, in no more than `traces`
  /// recordings.
  static void expectAsEager(const std::function<Function(const Side &)> &make, const Floats &numbers, uint64_t traces) {
    std::string eager;
    {
      const EagerScope scope;
      const Side side;
      const Function f = make(side);
      eager = seenBy(side, f, numbers) + seenBy(side, f, numbers);
    }
    for (const Compile compile : {Compile::now, Compile::never, Compile::background}) {
      const Side side;
      const auto f = jit(make(side), {.compile = compile});
      EXPECT_EQ(seenBy(side, f, numbers) + seenBy(side, f, numbers), eager);
      EXPECT_LE(f.trace_count(), traces);
      EXPECT_EQ(logged, ""); // of functions within neither
    }
  }
};

/// One branch calls the host, the other one does not.
TEST_F(CutsWithin, ADerivativeOfOneThatAsksAfterTheHost) {
  expectAsEager(
      [](const Side &side) -> Function {
        const auto kept = jit([side](const Array &q) { return side.host(q); });
        return [=](const Array &x) {
          const Array t = x * 2;
          const auto g = jit([&](const Array &z, const Array &q) {
            const Array h = kept(x);
            return q > 0.25f ? h : tanh(z);
          });
          return grad([&](const Array &z) { return g(z, t); })(t);
        };
      },
      {0.3f, 0.9f, -0.4f, 0.3f, -0.1f}, 2);
  expectAsEager(
      [](const Side &side) -> Function {
        const auto kept = jit([side](const Array &q) { return side.host(q); });
        return [=](const Array &x) {
          const Array t = x * 2;
          const auto g = jit([&](const Array &z, const Array &q) {
            const Array h = kept(x);
            return q > 0.25f ? h * z : z * z * side.host(t);
          });
          return grad([&](const Array &z) { return g(z, t); })(t);
        };
      },
      {0.3f, -0.9f, -0.4f, 0.3f, -0.2f}, 2);
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          side.host(x);
          const auto g = jit([&](const Array &z) {
            if (z > 0.5f)
              return z * side.host(stop_gradient(x));
            return z * z;
          });
          return grad(g)(x);
        };
      },
      {0.3f, 0.9f, -0.4f, 0.7f, -0.1f}, 2);
}

/// What happens in the function that is differentiated happens once where the call around goes on.
TEST_F(CutsWithin, ADerivativeBeforeACallGoesOn) {
  for (const bool isTape : {false, true})
    expectAsEager(
        [=](const Side &side) -> Function {
          return [=](const Array &x) {
            side.host(x);
            const auto h = jit([&](const Array &q, const Array &s) {
              side.host(s);
              return q * q;
            });
            Array slope;
            if (isTape) {
              GradientTape tape;
              tape.watch(x);
              const Array y = h(x, x);
              slope = tape.gradient(y, x);
            } else {
              slope = grad([&](const Array &q) { return h(q, x); })(x);
            }
            return x > 0.5f ? slope : slope + 1;
          };
        },
        {0.3f, 0.9f, -0.4f, 0.7f}, 2);
}

/// A function without effects of its own that asks, below a derivative, after the host was called around it.
TEST_F(CutsWithin, ADerivativeOfOneThatAsksOnly) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array r = side.host(x);
          const auto g = jit([&](const Array &z) { return z > 0.5f ? z * r : z * z; });
          const Array slope = grad(g)(x);
          return slope > 0.4f ? slope : slope + 1;
        };
      },
      {0.3f, 0.9f, -0.4f, 0.7f, 0.1f, 0.3f}, 4);
}

/// What is differentiated reads a Variable after the host, and a question, and is recorded in vain.
TEST_F(CutsWithin, ADerivativeThatReadsAfterTheHost) {
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

/// A function within asks for a value of the one around it, between its own questions and calls of the host.
TEST_F(CutsWithin, AQuestionForAValueAround) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array isLarge = x * 2 > 0, isLarger = x > 0.8f, before = side.counted * 1;
          side.host(x);
          const auto in = jit([&](const Array &q) {
            const Array a = side.counted * 1;
            Array r = q > -10 ? q + 1 : q;
            const Array h = side.host(q), b = side.counted * 1;
            if (isLarge)
              r = r + 1;
            side.host(q);
            const Array c = side.counted * 1;
            if (isLarger)
              r = r + 2;
            return stack({a, b, c, side.counted * 1, r + h});
          });
          const Array z = in(x);
          return concat({z, stack({before, side.counted * 1})}, 0);
        };
      },
      {0.3f, 0.9f, -0.3f, 0.9f, 0.3f, -0.3f}, 3);
  // On one way only: the questions have the order in which they are asked.
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          side.host(x);
          const Array isLarge = x > 0.8f;
          const auto in = jit([&](const Array &q) { return q > 0 && isLarge ? q * 2 : q * 3; });
          return in(x * 2);
        };
      },
      {0.3f, 0.9f, -0.3f, 0.9f, 0.3f, -0.3f}, 3);
}

/// The same without elements: each way has its questions in their order.
TEST_F(CutsWithin, AQuestionForAValueAroundWithoutElements) {
  const Side side;
  const auto body = [&](const Array &x) {
    print("{}", {x});
    const Array isLarge = x > 0.8f, isSmall = x < -0.8f;
    const auto in = jit([&](const Array &q) {
      if (q > 0 && isLarge)
        return q * 2 + side.host(q);
      return isSmall ? q * 5 : q * 3;
    });
    return in(x * 2) + side.counted;
  };
  const auto held = jit(body).concrete(scalar);
  const Floats numbers{0.3f, 0.9f, -0.3f, -0.9f, 0.9f, 0.3f, -0.3f, -1};
  const std::string got = seenBy(side, held, numbers);
  side.counted.assign(Array(0.0f));
  const EagerScope scope;
  EXPECT_EQ(got, seenBy(side, body, numbers));
}

/// A Variable is read after a question that comes after the host, in the call that is recorded, too; also where it is
/// the first reading, or one of a body.
TEST_F(CutsWithin, AVariableAfterAQuestionAfterTheHost) {
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
TEST_F(CutsWithin, AVariableThatAnotherWayReadsLater) {
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

/// A call that is refused after its function was recorded counts nothing.
TEST_F(CutsWithin, ACallThatIsRefused) {
  for (const bool calls : {false, true}) {
    const Side side;
    bool isPositive = true;
    const auto updates = jit([&](Array &a, Array &b) {
      if (a > 0)
        a = a + (calls ? side.host(a) : Array(1.0f));
      return bool(b < 0) ? a : a + b + (calls && a > 1 ? 1.0f : 0.0f);
    });
    const auto plain = jit([&](const Array &a) { return side.host(a) + a; });
    auto f = jit([&](const Array &x) {
      Array p = x;
      const Array before = side.counted * 1;
      const std::string error = errorOf([&] { updates(p, p); });
      EXPECT_THAT(error, testing::HasSubstr(isPositive ? "pass a copy" : "no error"));
      const Array between = side.counted * 1, z = plain(x);
      return stack({before, between, side.counted * 1, z});
    });
    for (const float x : {0.3f, 0.9f, -0.3f, 0.9f}) {
      isPositive = x > 0;
      const float before = side.counted.value().item<float>();
      const auto y = f(Array(x)).to_vector<float>();
      EXPECT_EQ(y[0], before);
      EXPECT_EQ(y[2], y[1] + 1) << x;
      EXPECT_EQ(y[2], side.counted.value().item<float>()) << x;
    }
  }
}

/// The results of a function cannot be given back, after the host was called and asked.
TEST_F(CutsWithin, AnErrorAfterTheHost) {
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

/// One branch of a function within assigns a Variable that the one around reads after the host: that is no reading.
TEST_F(CutsWithin, AnAssignmentOnOneBranch) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array a = side.weight * 1;
          side.host(x);
          const auto in = jit([&](const Array &q) {
            if (q > 0.5f)
              side.weight.assign(q);
            return q * 2;
          });
          return in(x) + a;
        };
      },
      {0.3f, 0.9f, 0.3f, 0.7f, 0.1f}, 2);
  expectAsEager(
      [](const Side &side) -> Function {
        const auto set = jit([side](const Array &q) {
          side.counted.assign(q);
          return q * 2;
        });
        return [=](const Array &x) {
          const Array a = side.counted * 1;
          print("{}", {x});
          return x > 0.5f ? set(x) + a : a;
        };
      },
      {0.3f, 0.9f, 0.3f, 0.7f, 0.1f}, 2);
}

/// A Variable that a function within reads before and after the host, recorded without elements.
TEST_F(CutsWithin, ReadTwiceWithoutElements) {
  const Side side;
  auto f = jit([&](const Array &x) {
    const auto in = jit([&](const Array &q) {
      const Array a = side.counted * 1, h = side.host(q);
      return stack({a, side.counted * 1, q > 0 ? h : -h});
    });
    return in(x);
  });
  const auto held = f.concrete(scalar);
  for (const float x : {0.5f, -0.5f, 1.0f}) {
    const float before = side.counted.value().item<float>();
    EXPECT_EQ(held(Array(x)).to_vector<float>(), (Floats{before, before + 1, std::abs(x) / 2}));
  }
}

/// In bodies of control flow nobody may be asked for what is their own; what is known around them is asked there, and
/// what is recorded in them depends on that.
TEST_F(CutsWithin, AQuestionAroundABody) {
  for (const int body : {0, 1, 2})
    expectAsEager(
        [=](const Side &) -> Function {
          const auto known = std::make_shared<Array>();
          const auto in = jit([=](const Array &q) { return bool(*known) ? q * q + 1 : q - 1; });
          return [=](const Array &x) {
            *known = x > 0;
            Array y;
            if (body == 0)
              y = cond(x > -10, [&] { return in(x); }, [&] { return x; });
            else if (body == 1)
              y = fori_loop(0, 3, [&](const Array &, const Array &c) { return in(c); }, x);
            else
              y = grad(checkpoint([&](const Array &z) { return in(z * 2); }))(x);
            *known = Array();
            return y;
          };
        },
        {0.3f, -0.3f, 0.9f, -0.9f}, 2);
}

/// What cannot be a result is an Error that C++ may catch: the questions before it stay questions.
TEST_F(CutsWithin, AnErrorAfterAQuestion) {
  for (const bool isOwn : {false, true}) {
    const auto known = [=](const Array &around, const Array &own) { return bool(isOwn ? own > 0.5f : around); };
    expectAsEager(
        [=](const Side &) -> Function {
          return [=](const Array &x) {
            const Array y = x > 0.5f;
            const auto in = jit([&](const Array &q) { return known(y, q) ? Array() : q * 2; });
            try {
              const Array z = in(x) * 3;
              return z;
            } catch (const Error &) {
              return x + 100;
            }
          };
        },
        {0.9f, 0.3f, 0.7f, 0.2f}, 2);
    // Only under jit.
    for (const bool grows : {false, true}) {
      auto f = jit([=](const Array &x) {
        const Array y = x > 0.5f;
        std::vector<Array> list{x};
        Array p = x;
        const auto longer = jit([&](std::vector<Array> &q) {
          if (known(y, q[0]))
            q.push_back(q[0]);
          return q[0] * 2;
        });
        const auto twice = jit([&](Array &a, Array &b) {
          if (known(y, a))
            a = a + 1;
          return a + b;
        });
        try {
          return grows ? longer(list) : twice(p, p);
        } catch (const Error &) {
          return x + 100;
        }
      });
      for (const float x : {0.9f, 0.3f, 0.7f, 0.2f})
        EXPECT_EQ(f(Array(x)).item<float>(), x > 0.5f ? x + 100 : x * 2) << x;
      EXPECT_EQ(f.trace_count(), 2u);
    }
  }
}

/// Under vmap.
TEST_F(CutsWithin, AMappedFunctionThatAsksAndActs) {
  const std::function<Array(const Side &, const Array &, const Array &, const Array &)> functions[] = {
      [](const Side &, const Array &, const Array &y, const Array &q) { return bool(y) ? q * 2 : q * 3; },
      [](const Side &side, const Array &x, const Array &, const Array &q) { return q * side.host(x); },
      [](const Side &side, const Array &x, const Array &y, const Array &q) {
        const Array r = q * side.host(x);
        return bool(y) ? r : r + side.counted;
      },
      [](const Side &side, const Array &, const Array &, const Array &q) { return side.host(q) + side.counted; },
      [](const Side &side, const Array &, const Array &, const Array &q) {
        print("in {}", {q});
        return q * side.counted;
      }};
  for (const auto &function : functions)
    expectAsEager(
        [=](const Side &side) -> Function {
          return [=](const Array &x) {
            const Array r = side.host(x), y = r > 0.2f;
            const auto in = jit([&](const Array &q) { return function(side, x, y, q); });
            const Array z = sum(vmap(in)(stack({x, x * 2})));
            return x > 0.6f ? z : z + 1;
          };
        },
        {0.3f, 0.9f, 0.5f, 0.3f, 0.9f}, 3);
}

/// The second time its questions are answered, and what it reads is assigned: that is recorded for there alone.
TEST_F(CutsWithin, AFunctionThatIsCalledTwice) {
  expectAsEager(
      [](const Side &side) -> Function {
        const auto in = jit([=](const Array &a) {
          side.host(a);
          side.weight += 1.0f;
          return a * 2;
        });
        return [=](const Array &x) {
          Array r = in(x);
          r = r + in(x);
          return x > 0.5f ? r + 1 : r;
        };
      },
      {0.3f, 0.9f, 0.3f, 0.7f, 0.1f}, 2);
  for (const bool hasSymbols : {false, true})
    expectAsEager(
        [=](const Side &side) -> Function {
          const auto known = std::make_shared<Array>();
          const auto body = [=](const Array &q) {
            if (!hasSymbols)
              side.host(q[0]);
            return bool(*known) ? sum(q) * 2 : sum(q);
          };
          const auto in = hasSymbols ? jit(body, {.specs = {TensorSpec{f32, {"n"}}}}) : jit(body);
          return [=](const Array &x) {
            *known = x > 0.5f;
            side.host(x);
            const Array a = in(stack({x, x})), b = in(stack({x, x, x})), c = in(stack({x * 3, x}));
            *known = Array();
            return a + b * c;
          };
        },
        {0.3f, 0.9f, 0.1f, 0.9f, 0.3f}, 2);
}

/// The host throws where it is called, whatever C++ catches behind that.
TEST_F(CutsWithin, WhatTheHostThrowsIsThrownThere) {
  const auto thrower = [](const Array &x) {
    return host_call([](const Array &a) { return a.item<float>() > 0 ? throw std::runtime_error("host") : a; }, scalar,
                     x);
  };
  const std::function<Array(const Side &, const Array &)> functions[] = {[=](const Side &side, const Array &x) {
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
                                                                         }};
  for (const auto &function : functions)
    expectAsEager([=](const Side &side) -> Function { return [=](const Array &x) { return function(side, x); }; },
                  {1, -1, 1, -2, -7}, 5);
}

/// A host_call that assigns what the program has assigned by then is an Error in each call; what the program assigns
/// after it, whatever it has read before, is as in C++.
TEST_F(CutsWithin, TheHostAssignsWhatTheProgramDoes) {
  const auto halve = [](const Variable &v) { host_call([v] { v.assign(v * 0.5f + 1); }, none); };
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
    };
    for (const auto &function : refused) {
      const Variable v(0.0f, "v");
      const auto f = jit([&](const Array &x) { return function(v, x); });
      for (const float x : {1.0f, 2.0f, 3.0f, 1.0f})
        EXPECT_THAT(errorOf([&] { f(Array(x)); }), testing::HasSubstr("a host_call does not assign what the program"));
    }
    const std::function<Array(const Variable &, const Array &)> allowed[] = {
        [=](const Variable &v, const Array &x) { return halve(v), v.assign(x), end(x); },
        [=](const Variable &v, const Array &x) { return halve(v), v += x, end(x); },
        [=](const Variable &v, const Array &x) {
          const Array more = v + x;
          return halve(v), v.assign(more), end(x);
        },
        [=](const Variable &v, const Array &x) { return halve(v), halve(v), v += x, end(x) + v; },
    };
    for (const auto &function : allowed)
      expectAsEager(
          [=](const Side &side) -> Function { return [=](const Array &x) { return function(side.weight, x); }; },
          {1, 2, 3, 1}, 2);
  }
}

/// While a function of the host runs, nothing is recorded.
TEST_F(CutsWithin, TheHostAsksWhatIsRecorded) {
  auto f = jit([](const Array &x) {
    const Array y = x > 0.5f;
    const Array h = host_call([y](const Array &a) { return bool(y) ? a * 2 : a; }, scalar, x);
    return h > 0 ? h : -h;
  });
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(errorOf([&] { f(Array(0.9f)); }), "no error");
}

/// What is recorded without elements, and then runs as a part of what is around it, asks once.
TEST_F(CutsWithin, ADerivativeWithoutElements) {
  const std::function<Array(const Array &, const Array &)> functions[] = {
      [](const Array &, const Array &x) {
        return grad(jit([](const Array &q) { return q > 0.5f ? q * q : q * q * q; }))(x);
      },
      [](const Array &y, const Array &x) {
        return grad(jit([&](const Array &q) { return bool(y) ? q * q : q * q * q; }))(x);
      },
      [](const Array &y, const Array &x) {
        GradientTape tape;
        tape.watch(x);
        const Array z = jit([&](const Array &q) { return bool(y) && q < 2 ? q * q : q * q * q; })(x);
        return tape.gradient(z, x);
      }};
  for (const auto &function : functions) {
    const auto body = [=](const Array &x) { return function(x > 0.5f, x); };
    const auto held = jit(body).concrete(scalar);
    for (const float x : {0.3f, 0.9f, -0.3f, 3.0f}) {
      const EagerScope scope;
      EXPECT_EQ(held(Array(x)).item<float>(), body(Array(x)).item<float>()) << x;
    }
  }
  auto endless = jit([](const Array &x) {
    Array y = x;
    for (bool goes = true; goes;) {
      const Array q = y > 10;
      y = jit([&](const Array &p) {
        if (q)
          goes = false;
        return p * 2;
      })(y);
    }
    return y;
  });
  EXPECT_THAT(errorOf([&] { endless.concrete(scalar); }), testing::HasSubstr("asked more than 16 times"));
  // With elements: a question marks the place where the Variable is read.
  const Side side;
  const auto held = jit([&](const Array &x) {
                      const Array r = side.host(x);
                      return x > 0 ? r + side.counted : r * side.counted;
                    }).concrete(Array(1.0f));
  EXPECT_EQ(held(Array(1.0f)).item<float>(), 1.5f);
  EXPECT_EQ(held(Array(-1.0f)).item<float>(), -1.0f);
}

/// Another thread assigns a Variable when the function was recorded, and has not run yet.
TEST_F(CutsWithin, AnotherThreadAssignsWhatWasAsked) {
  for (const bool isWithin : {false, true}) {
    const Variable v(1.0f);
    int calls = 0, recordings = 0;
    const auto f = jit([&](const Array &x) {
      const Array y = v > 0;
      const auto body = [&](const Array &q) {
        print("{}", {q});
        return bool(y) ? q + 1 : q;
      };
      const Array r = isWithin ? jit(body)(x) : body(x);
      host_call([&] { ++calls; }, none);
      if (++recordings == 1)
        std::thread([&] { v.assign(Array(-1.0f)); }).join();
      return r;
    });
    EXPECT_EQ(printedBy([&] { EXPECT_EQ(f(Array(0.5f)).item<float>(), 1.5f); }), "0.5\n");
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(printedBy([&] { EXPECT_EQ(f(Array(0.5f)).item<float>(), 0.5f); }), "0.5\n");
    EXPECT_EQ(calls, 2);
  }
}

/// What a function that throws has assigned is not assigned; what it holds is read behind the host.
TEST_F(CutsWithin, AnAssignmentThatIsDropped) {
  for (const bool isDifferentiated : {false, true}) {
    const Side side;
    auto f = jit([&](const Array &x) {
      const Array h = side.host(x), y = x > 0 ? h + 1 : h;
      const auto in = jit([&](const Array &q) {
        side.counted.assign(q);
        return q.ndim() == 0 ? throw std::runtime_error("e") : q;
      });
      try {
        isDifferentiated ? grad(in)(x) : in(x);
      } catch (const std::runtime_error &) {
      }
      return side.counted + y * 0;
    });
    for (const float x : {0.3f, 0.9f, -0.3f, -0.9f, 0.1f}) {
      const float got = f(Array(x)).item<float>();
      EXPECT_EQ(got, side.counted.value().item<float>()) << x;
    }
  }
}

} // namespace
} // namespace tenon::test
