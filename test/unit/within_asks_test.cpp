//===- within_asks_test.cpp - nested functions that branch on traced values --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jitted functions that are made, asked, differentiated or refused within one that has called
// the host by then.
//===----------------------------------------------------------------------===//
#include "test/unit/Within.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <thread>

namespace tenon::test {
namespace {

/// One branch calls the host, the other one does not.
TEST_F(Within, ADerivativeOfOneThatAsksAfterTheHost) {
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
TEST_F(Within, ADerivativeBeforeACallGoesOn) {
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
TEST_F(Within, ADerivativeOfOneThatAsksOnly) {
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

/// A function within asks for a value of the one around it, between its own questions and calls of the host.
TEST_F(Within, AQuestionForAValueAround) {
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
TEST_F(Within, AQuestionForAValueAroundWithoutElements) {
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

/// A call that is refused after its function was recorded counts nothing.
TEST_F(Within, ACallThatIsRefused) {
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

/// One branch of a function within assigns a Variable that the one around reads after the host: that is no reading.
TEST_F(Within, AnAssignmentOnOneBranch) {
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
TEST_F(Within, ReadTwiceWithoutElements) {
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
TEST_F(Within, AQuestionAroundABody) {
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
TEST_F(Within, AnErrorAfterAQuestion) {
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
TEST_F(Within, AMappedFunctionThatAsksAndActs) {
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
TEST_F(Within, AFunctionThatIsCalledTwice) {
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

/// What such a function reads behind a question of its own, before the host, is known where the call goes on.
TEST_F(Within, ADerivativeThatReadsBehindItsQuestion) {
  const std::function<Array(const Function &, const Array &)> ways[] = {
      [](const Function &k, const Array &x) { return grad(k)(x) * x; },
      [](const Function &k, const Array &x) { return sum(vmap(k)(stack({x, x * 2}))); },
      [](const Function &k, const Array &x) {
        GradientTape tape;
        tape.watch(x);
        const Array y = k(x);
        return tape.gradient(y, x);
      }};
  for (const auto &way : ways)
    expectAsEager(
        [=](const Side &side) -> Function {
          const auto k =
              jit([=](const Array &q) { return side.weight > 1.5f ? q * side.weight : q * (side.counted + 1); });
          return [=](const Array &x) {
            const Array r = way(k, x);
            side.host(r);
            return r > 0.9f ? r : r + 1;
          };
        },
        {0.3f, 0.9f, 0.2f, 0.7f}, 2);
  // With sizes of its own, and no question: behind the host.
  expectAsEager(
      [](const Side &side) -> Function {
        const auto k = jit([=](const Array &q) { return sum(q) * side.counted; }, {.specs = {TensorSpec{f32, {"n"}}}});
        return [=](const Array &x) {
          side.host(x);
          return k(stack({x, x}));
        };
      },
      {0.3f, 0.9f}, 1);
}

/// What a tape sees of a function that calls the host: it is on the path for later calls, too.
TEST_F(Within, OnATapeAfterTheFirstCall) {
  std::vector<float> slopes[2];
  for (const bool isJitted : {false, true}) {
    const Side side;
    const auto body = [&](const Array &x) {
      const Array a = side.weight * x;
      side.weight.assign(side.weight * 2.0f);
      const Array y = side.weight * side.weight * x;
      side.host(stop_gradient(x));
      return a + y;
    };
    const auto f = isJitted ? Function(jit(body)) : Function(body);
    f(Array(0.3f));
    for (int i = 0; i < 3; ++i) {
      GradientTape tape;
      const Array y = f(Array(0.3f));
      slopes[isJitted].push_back(tape.gradient(y, side.weight).item<float>());
    }
    // What was met without being read is read then.
    const auto dropped = isJitted ? Function(jit([&](const Array &x) {
      try {
        jit([&](const Array &q) {
          side.weight.assign(q);
          return q.ndim() == 0 ? throw std::runtime_error("thrown") : q;
        })(x);
      } catch (const std::runtime_error &) {
      }
      return x * side.weight;
    }))
                                  : Function([&](const Array &x) { return x * side.weight; });
    GradientTape tape;
    const Array y = dropped(Array(0.3f));
    slopes[isJitted].push_back(tape.gradient(y, side.weight).item<float>());
  }
  EXPECT_EQ(slopes[0], slopes[1]);
}

/// A function within runs once while the one around is recorded, if nothing is in the way; and what it has asked is
/// known around it.
TEST_F(Within, IsRecordedOnce) {
  int runs = 0;
  const auto f = jit([&](const Array &x) {
    const Array y = x > 0.5f;
    Array r = x;
    for (int i = 0; i < 20; ++i)
      r = jit([&](const Array &q) { return ++runs, bool(y) ? q + 1 : q; })(r);
    return r;
  });
  EXPECT_EQ(f(Array(1.0f)).item<float>(), 21);
  EXPECT_EQ(runs, 20);
  const std::string text = f.lower(Array(1.0f)).trace();
  EXPECT_EQ(text.find("guard"), text.rfind("guard"));
  auto endless = jit([](const Array &x) {
    Array r = x;
    for (int i = 0; i < 100; ++i)
      r = jit([](const Array &q) { return q > 0 ? q + 1 : q; })(r);
    return r;
  });
  EXPECT_EQ(endless(Array(1.0f)).item<float>(), 101);
  EXPECT_THAT(logged.warnings(), testing::HasSubstr("reads traced values more than 64 times in one call"));
}

/// Who catches that a question has no answer goes on; where it has one, it has.
TEST_F(Within, RefusedQuestionsThatAreCaught) {
  const auto make = [] {
    return jit([](const Array &a) {
      try {
        return a > 1 ? a * 2 : a * 3;
      } catch (const std::exception &) {
      }
      return a * 100;
    });
  };
  const auto host = [](const Array &a) { return host_call([](const Array &a) { return a * 0.5f; }, scalar, a); };
  const auto mapped = make();
  EXPECT_EQ(vmap(mapped)(ones({2})).to_vector<float>(), (Floats{100, 100}));
  EXPECT_EQ(mapped(Array(5.0f)).item<float>(), 10);
  const auto looped = make();
  EXPECT_EQ(jit([&](const Array &x) {
              return fori_loop(0, 2, [&](const Array &, const Array &c) { return looped(c); }, x);
            })(Array(1.0f))
                .item<float>(),
            10000);
  EXPECT_EQ(looped(Array(5.0f)).item<float>(), 10);
  const auto within = make();
  const auto around = jit([&](const Array &x) { return within(host(stop_gradient(x)) + x); });
  EXPECT_EQ(grad(around)(Array(1.0f)).item<float>(), 2);
  EXPECT_EQ(within(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(within(Array(-3.0f)).item<float>(), -9);
  EXPECT_EQ(around(Array(3.0f)).item<float>(), 9);
  const auto asks = jit([](const Array &a) { return a > 1 ? a * 2 : a * 3; });
  const auto between = jit([&](const Array &a) {
    try {
      return asks(a);
    } catch (const std::exception &) {
    }
    return a * 100;
  });
  const auto outer = jit([&](const Array &x) { return between(host(stop_gradient(x)) + x); });
  EXPECT_EQ(grad(outer)(Array(1.0f)).item<float>(), 2);
  EXPECT_EQ(outer(Array(1.0f)).item<float>(), 3);
  EXPECT_EQ(between(Array(1.0f)).item<float>(), 3);
  EXPECT_EQ(between(Array(5.0f)).item<float>(), 10);
}

/// What is recorded without elements, and then runs as a part of what is around it, asks once.
TEST_F(Within, ADerivativeWithoutElements) {
  const std::function<Array(const Array &, const Array &)> functions[] = {
      [](const Array &, const Array &x) {
        return grad(jit([](const Array &q) { return q > 0.5f ? q * q : q * q * q; }))(x);
      },
      [](const Array &y, const Array &x) {
        return grad(jit([&](const Array &q) { return bool(y) ? q * q : q * q * q; }))(x);
      },
      [](const Array &y, const Array &x) { // which has asked by then
        const bool isKnown = bool(y);
        const auto in = jit([](const Array &y, const Array &z) { return bool(y) ? z * z : z * z * z; });
        const Array slope = grad([&](const Array &z) { return in(y, z); })(x);
        return isKnown ? slope : slope + 1;
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
  EXPECT_THAT(errorOf([&] { endless.concrete(scalar); }), testing::HasSubstr("read more than 16 times"));
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
TEST_F(Within, AnotherThreadAssignsWhatWasAsked) {
  for (const int way : {0, 1, 2, 3}) {
    const bool isWithin = way % 2, assigns = way > 1;
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
      if (assigns)
        v.assign(Array(-2.0f));
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
TEST_F(Within, AnAssignmentThatIsDropped) {
  for (const bool isDifferentiated : {false, true}) {
    const Side side;
    auto f = jit([&](const Array &x) {
      const Array h = side.host(x), y = x > 0 ? h + 1 : h;
      const auto in = jit([&](const Array &q) {
        if (isDifferentiated)
          print("in");
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
