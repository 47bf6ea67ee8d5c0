//===- within_parts_test.cpp - nested functions that are inlined into their caller --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function within that asks, or calls the host, is recorded on as a part of the one around:
// what it holds, has read, made and assigned by then is known there.
//===----------------------------------------------------------------------===//
#include "test/unit/Within.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace tenon::test {
namespace {

const Floats ways{2, -1, 3, 0.5f, -2, 2};

/// What is there twice is not updated, where it would be.
void expectOneUpdate(bool isUnderTape) {
  const auto f = jit([=](const Array &x) {
    std::optional<GradientTape> tape;
    if (isUnderTape)
      tape.emplace();
    const auto g = jit([](Array &a, const Array &b) {
      if (b > 0)
        a = a + 1;
      return b;
    });
    Array y = x + 0;
    return g(y, y);
  });
  EXPECT_THAT(errorOf([&] { f(Array(1.0f)); }), testing::HasSubstr("is updated and is also arg 1; pass a copy"));
  EXPECT_EQ(f(Array(-1.0f)).item<float>(), -1);
}

/// What was recorded before the question, a number, an argument as it came and what was captured are results.
TEST_F(Within, GivesWhatItHadBefore) {
  expectAsEager(
      [](const Side &) -> Function {
        return [](const Array &x) {
          const Array scale{1.0f, 2.0f};
          const auto g = jit([&](const Array &z, const Array &number) {
            const Array before = z * scale;
            const Array other = number + 1; // its argument is no traced value
            std::vector<Array> all{before, other, z, number, scale};
            if (sum(before) > 0)
              all.push_back(exp(other) + before);
            return all;
          });
          Array total(0.0f);
          for (const Array &one : g(x, Array(3.0f)))
            total = total * 2 + sum(one);
          return total;
        };
      },
      ways, 2);
}

/// Of what was no traced value the answer is known.
TEST_F(Within, AsksForWhatIsKnownAround) {
  expectAsEager(
      [](const Side &) -> Function {
        return [](const Array &x) {
          const auto g = jit([&](const Array &number) { return number > 2 ? x * 2 : x; });
          const auto h = jit([](const Array &number) { return float(number) > 2; });
          return g(Array(3.0f)) + (h(Array(3.0f)) ? 1 : 0) +
                 (jit([](const Array &n) { return bool(n); })(Array(true)) ? 1 : 0);
        };
      },
      ways, 1);
}

/// Three deep; the inmost one asks for values of each of them.
TEST_F(Within, IsPartOfAPart) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array outside = x + 1;
          const auto g = jit([&](const Array &y) {
            const Array middle = y * 3;
            const auto h = jit([&](const Array &z) {
              const Array inmost = z - 2;
              if (outside > 0 && inmost > 0)
                return side.host(inmost) + middle;
              if (middle < -3)
                return middle * inmost;
              return outside;
            });
            return h(middle) + h(y);
          });
          return g(outside) * 2;
        };
      },
      ways, 4);
}

/// What it has assigned by then is assigned, and what it assigns behind the question; neither where it throws.
TEST_F(Within, AssignsAroundIt) {
  for (const bool isThrown : {false, true})
    expectAsEager(
        [=](const Side &side) -> Function {
          return [=](const Array &x) {
            Variable weight = side.weight;
            weight.assign(weight + 1.0f);
            const auto g = jit([=](const Array &z) {
              Variable weight = side.weight, counted = side.counted;
              weight.assign(weight * z);
              if (z > 0)
                counted.assign(counted + weight);
              weight.assign(weight - 1.0f);
              if (isThrown && z > 2.5f)
                throw std::runtime_error("above 2.5");
              return weight + z;
            });
            const Array first = weight.value();
            return first * 100.0f + g(x) + weight;
          };
        },
        isThrown ? Floats{2, -1, 0.5f, -2, 2} : ways, 2);
}

/// All or nothing, as a jitted call is; who has called it may go on.
TEST_F(Within, AssignsNothingWhereItThrows) {
  for (const bool asksFirst : {false, true})
    for (const bool isAssignedBefore : {false, true}) {
      const Side side;
      const auto f = jit([=](const Array &x) {
        Variable weight = side.weight, counted = side.counted;
        if (isAssignedBefore)
          weight.assign(weight + 10.0f);
        const auto g = jit([=](const Array &z) {
          Variable weight = side.weight, counted = side.counted;
          counted.assign(counted + 100.0f);
          if (asksFirst && z > 2)
            weight.assign(weight + 1000.0f);
          weight.assign(weight + 2000.0f);
          if (z > 0)
            throw std::runtime_error("above 0");
          return z;
        });
        Array y = x;
        try {
          y = g(x);
        } catch (const std::runtime_error &) {
          y = y * 2;
        }
        return y + weight;
      });
      float weight = 1, counted = 0;
      for (const float x : {3.0f, -1.0f, 3.0f, 1.0f, -2.0f}) {
        weight += isAssignedBefore ? 10.0f : 0.0f;
        if (x < 0) {
          weight += 2000;
          counted += 100;
        }
        EXPECT_EQ(f(Array(x)).item<float>(), (x > 0 ? 2 * x : x) + weight);
        EXPECT_EQ(side.weight.value().item<float>(), weight);
        EXPECT_EQ(side.counted.value().item<float>(), counted);
      }
    }
}

/// The same where it has become a part of one that had assigned, in a call that was plain: its sizes are its own.
TEST_F(Within, UndoesAroundAPlainCall) {
  const Side side;
  const auto f = jit([=](const Array &x) {
    Variable weight = side.weight;
    weight.assign(weight + 1.0f);
    const auto middle = jit([=](const Array &q) {
      const auto inmost = jit(
          [=](const Array &v) {
            Variable weight = side.weight;
            weight.assign(sum(v) * 100.0f);
            if (sum(v) > 0)
              throw std::runtime_error("above 0");
            return sum(v);
          },
          {.specs = {TensorSpec{f32, {dyn}}}});
      Array r = q;
      try {
        r = inmost(stack({q, q}));
      } catch (const std::runtime_error &) {
        r = q * 3;
      }
      return r + side.weight;
    });
    return middle(x);
  });
  float weight = 1;
  for (const float x : {1.0f, -1.0f, 2.0f, -2.0f}) {
    weight = x > 0 ? weight + 1 : 200 * x;
    EXPECT_EQ(f(Array(x)).item<float>(), (x > 0 ? 3 : 2) * x + weight);
    EXPECT_EQ(side.weight.value().item<float>(), weight);
  }
}

/// Of what an inner one has undone the one around it keeps its own.
TEST_F(Within, KeepsWhatIsAssignedAroundWhatThrows) {
  const Side side;
  const auto f = jit([=](const Array &x) {
    const auto g = jit([=](const Array &z) {
      Variable weight = side.weight;
      weight.assign(weight * 2.0f);
      const auto h = jit([=](const Array &q) {
        Variable weight = side.weight;
        weight.assign(weight + 0.5f);
        if (q > 0)
          throw std::runtime_error("above 0");
        return q;
      });
      try {
        return h(z);
      } catch (const std::runtime_error &) {
        return z + weight;
      }
    });
    return g(x);
  });
  float weight = 1;
  for (const float x : {1.0f, -1.0f, 2.0f, -1.0f, 1.0f}) {
    weight = weight * 2 + (x > 0 ? 0.0f : 0.5f);
    EXPECT_EQ(f(Array(x)).item<float>(), x > 0 ? x + weight : x);
    EXPECT_EQ(side.weight.value().item<float>(), weight);
  }
}

/// What calls the host does so where it calls it in a branch, too.
TEST_F(Within, CallsTheHostInABranch) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const auto g = jit([=](const Array &z) {
            const Array h =
                cond(z > 0, [&](const Array &q) { return side.host(q); }, [](const Array &q) { return q; }, z);
            return h + side.counted;
          });
          return g(x) * 2 + side.counted;
        };
      },
      ways, 1);
}

/// What it assigns and does not read a tape around does not see read.
TEST_F(Within, AssignsWithoutReading) {
  const Side side;
  const auto g = jit([=](const Array &z) {
    Variable weight = side.weight;
    weight.assign(z);
    return z;
  });
  g(Array(1.0f));
  const auto f = jit([&](const Array &x) { return g(x); });
  for (const float x : {2.0f, 3.0f}) {
    GradientTape tape;
    f(Array(x));
    EXPECT_TRUE(tape.watched_variables().empty());
    EXPECT_EQ(side.weight.value().item<float>(), x);
  }
}

/// A body of a loop has no Variables of its own: what is called in it becomes a part of what is called around it.
TEST_F(Within, AssignsAroundALoop) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const Array isLarge = x > 0.5f;
          const auto inmost = jit([&](const Array &c) {
            if (isLarge)
              throw std::runtime_error("large");
            return c + 1;
          });
          const auto inner = jit([&](const Array &c) {
            try {
              return inmost(c);
            } catch (const std::runtime_error &) {
              return c * 2;
            }
          });
          const auto middle = jit([&](const Array &q) {
            Variable weight = side.weight;
            weight.assign(q * 2);
            const Array r = fori_loop(0, 2, [&](const Array &, const Array &c) { return inner(c); }, q);
            return r + weight;
          });
          return middle(x);
        };
      },
      ways, 2);
}

/// What was undone is not assigned, so that the host may.
TEST_F(Within, UndoesForTheHost) {
  expectAsEager(
      [](const Side &side) -> Function {
        const auto host = [=](const Array &q) {
          return host_call(
              [side](const Array &a) {
                Variable weight = side.weight;
                weight.assign(a + 3);
                return a;
              },
              scalar, q);
        };
        return [=](const Array &x) {
          const auto middle = jit([=](const Array &q) {
            const auto inmost = jit([=](const Array &c) {
              Variable weight = side.weight;
              const Array before = weight.value();
              weight.assign(c);
              side.host(c);
              weight.assign(before);
              return c;
            });
            Array r = q;
            if (q > 0)
              r = inmost(q);
            return r;
          });
          return middle(x) + host(x) * side.weight;
        };
      },
      {-1, -2, -1}, 1);
  const Side side;
  const auto f = jit([=](const Array &x) {
    const auto middle = jit([=](const Array &q) {
      const auto inmost = jit([=](const Array &c) -> Array {
        Variable weight = side.weight;
        weight.assign(c);
        side.host(c);
        throw std::runtime_error("thrown");
      });
      Array r = q;
      try {
        r = inmost(q);
      } catch (const std::runtime_error &) {
        r = q * 2;
      }
      return r + host_call(
                     [side](const Array &a) {
                       Variable weight = side.weight;
                       weight.assign(a + 3);
                       return a;
                     },
                     scalar, q);
    });
    return middle(x);
  });
  for (const float x : {1.0f, 2.0f, 1.0f}) {
    EXPECT_EQ(f(Array(x)).item<float>(), 3 * x);
    EXPECT_EQ(side.weight.value().item<float>(), x + 3);
  }
}

/// A Variable that it makes, before the question and behind it, which lives on.
TEST_F(Within, MakesVariables) {
  std::vector<Variable> kept;
  const auto f = jit([&](const Array &x) {
    const auto g = jit([&](const Array &z) {
      Variable made(z * 2);
      made.assign(made + 1.0f);
      if (z > 0)
        made.assign(made * 10.0f);
      Variable other(made + z);
      kept = {made, other};
      return made + other;
    });
    return g(x);
  });
  for (const float x : {1.0f, -1.0f, 2.0f}) {
    const float made = (x * 2 + 1) * (x > 0 ? 10.0f : 1.0f);
    EXPECT_EQ(f(Array(x)).item<float>(), made * 2 + x);
    EXPECT_EQ(kept[0].value().item<float>(), made);
    EXPECT_EQ(kept[1].value().item<float>(), made + x);
  }
}

/// One that is made at the first call within is kept: no later call makes it, nor was it an effect that is to blame.
TEST_F(Within, MakesAVariableAtItsFirstCall) {
  expectAsEager(
      [](const Side &side) -> Function {
        const auto kept = std::make_shared<std::vector<Variable>>();
        return [=](const Array &x) {
          const auto g = jit([=](const Array &z) {
            if (kept->empty())
              kept->push_back(Variable(zeros({})));
            side.host(z);
            (*kept)[0].assign((*kept)[0] + 1.0f);
            return z > 0 ? z + (*kept)[0] : z - (*kept)[0];
          });
          return g(x);
        };
      },
      ways, 4);
}

/// A tape that it makes, one that stands around it, and both.
TEST_F(Within, IsSeenByTapes) {
  for (const bool isInside : {false, true})
    for (const bool isOutside : {false, true})
      expectAsEager(
          [=](const Side &side) -> Function {
            return [=](const Array &x) {
              const auto g = jit([=](const Array &z) {
                Array slope(0.0f);
                const Array before = z * side.weight * z;
                if (isInside) {
                  GradientTape tape;
                  tape.watch(z);
                  Array y = z * z * side.weight + before;
                  if (y > 3)
                    y = y * z;
                  slope = tape.gradient(y, z);
                  GradientTape other;
                  const Array w = side.weight * z;
                  side.host(w);
                  slope = slope + other.gradient(w * side.weight, side.weight);
                } else if (before > 3) {
                  slope = before * side.weight;
                }
                return before + slope;
              });
              if (!isOutside)
                return g(x);
              GradientTape tape;
              tape.watch(x);
              const Array y = g(x) * side.weight;
              const std::vector<Array> slopes = tape.gradient(y, {x, side.weight});
              return y + slopes[0] * 10.0f + slopes[1] * 100.0f;
            };
          },
          ways, 3);
}

/// A tape that does not look on while it is asked, and what it reads of a Variable that it has assigned.
TEST_F(Within, IsSeenByTapesThatPause) {
  for (const bool isHost : {false, true})
    expectAsEager(
        [=](const Side &side) -> Function {
          return [=](const Array &x) {
            GradientTape tape;
            tape.watch(x);
            const Array a = x * side.weight;
            const auto g = jit([&](const Array &q) {
              Array y = side.weight * q * q;
              {
                const auto paused = tape.stop_recording();
                if (isHost)
                  side.host(q);
                else if (q > 2)
                  y = y + 1;
              }
              return y * side.weight * q;
            });
            const Array z = g(a);
            const std::vector<Array> slopes = tape.gradient(z, {x, side.weight});
            return slopes[0] + slopes[1] * 10.0f;
          };
        },
        ways, 2);
}
TEST_F(Within, ReadsWhatItAssignsForATape) {
  for (const bool isHost : {false, true}) {
    const auto slopes = [=](const auto &wrapped) {
      const Side side;
      const auto body = [=](const Array &x) {
        const auto g = jit([=](const Array &q) {
          Variable weight = side.weight;
          weight.assign(q * 2);
          Array y = weight * 3 * q;
          if (isHost)
            side.host(q);
          else if (q > 1)
            y = y + weight;
          return y;
        });
        return g(x);
      };
      const auto f = wrapped(body);
      Floats all;
      for (const float x : {0.3f, 2.0f, 0.5f, 3.0f}) {
        GradientTape tape;
        const Array y = f(Array(x));
        all.push_back(tape.gradient(y, side.weight).template item<float>());
      }
      return all;
    };
    EXPECT_EQ(slopes([](const auto &f) { return jit(f); }), slopes([](const auto &f) { return f; }));
  }
}

/// Under a tape it runs as plain C++, after it has been recorded once in vain; and so do functions in it, at once.
TEST_F(Within, RunsPlainlyUnderATape) {
  int runs = 0;
  std::function<Array(const Array &, int)> nested = [&](const Array &x, int depth) {
    ++runs;
    if (depth > 0)
      return jit([&](const Array &y) { return nested(y, depth - 1) * 1.5f; })(x);
    return x > 2 ? x * x : x;
  };
  const auto f = jit([&](const Array &x) {
    GradientTape tape;
    tape.watch(x);
    const Array y = nested(x, 6);
    return tape.gradient(y, x);
  });
  EXPECT_FLOAT_EQ(f(Array(1.0f)).item<float>(), std::pow(1.5f, 6.0f));
  EXPECT_LE(runs, 50);
  EXPECT_FLOAT_EQ(f(Array(3.0f)).item<float>(), 6 * std::pow(1.5f, 6.0f));
}

/// What stood for a Variable before a tape was made is no reading of it: also where a part makes the tape.
TEST_F(Within, ReadsForATapeOfItsOwn) {
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const auto g = jit([=](const Array &z) {
            Variable weight = side.weight;
            weight.assign(z * 3);
            if (z > 0)
              weight.assign(z * 5);
            const Array before = weight.value();
            GradientTape tape;
            const Array y = weight * before;
            return tape.gradient(y, weight);
          });
          return g(x);
        };
      },
      ways, 2);
}

/// A tape that has given its gradient is in nobody's way, nor is one that has ended.
TEST_F(Within, IsRecordedOnceBehindATape) {
  int runs = 0;
  const auto pure = jit([](const Array &z) { return z * 2; });
  const auto f = jit([&](const Array &x) {
    {
      GradientTape tape;
      tape.watch(x);
      const Array y = x * x;
      const Array slope = tape.gradient(y, x);
      const auto g = jit([&](const Array &z) {
        ++runs;
        return z > 0 ? z : -z;
      });
      g(slope);
    }
    {
      GradientTape tape;
      const auto g = jit([&](const Array &z) { return z > 1 ? z : -z; });
      g(x);
    }
    return pure(x);
  });
  EXPECT_EQ(f(Array(2.0f)).item<float>(), 4);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(pure.trace_count(), 1u);
}

/// One that is plain updates what it is given, but not what is there twice.
TEST_F(Within, UpdatesUnderATape) { expectOneUpdate(true); }

/// What a plain call has assigned is undone with the plain call that it is in.
TEST_F(Within, UndoesWhatPlainCallsAssign) {
  const Side side;
  const auto f = jit([=](const Array &x) {
    GradientTape tape;
    const auto g = jit([=](const Array &z) {
      const auto h = jit([=](const Array &q) {
        Variable weight = side.weight;
        if (q > -100)
          weight.assign(weight + 10.0f);
        return q;
      });
      h(z);
      if (z > 0)
        throw std::runtime_error("above 0");
      return z;
    });
    try {
      return g(x);
    } catch (const std::runtime_error &) {
      return x * 2;
    }
  });
  float weight = 1;
  for (const float x : {1.0f, -1.0f, 1.0f, -1.0f}) {
    weight += x > 0 ? 0.0f : 10.0f;
    EXPECT_EQ(f(Array(x)).item<float>(), x > 0 ? x * 2 : x);
    EXPECT_EQ(side.weight.value().item<float>(), weight);
  }
}

/// One with sizes of its own, which is recorded in vain, or for good.
TEST_F(Within, HasSizesOfItsOwn) {
  // It asks for what it computes of a value around alone.
  expectAsEager(
      [](const Side &) -> Function {
        return [](const Array &x) {
          const Array outside = x * 2;
          const auto g =
              jit([&](const Array &v) { return outside + 1 > 2 ? v * 2 : v; }, {.specs = {TensorSpec{f32, {dyn}}}});
          return sum(g(stack({x, x})));
        };
      },
      ways, 2);
  // It is kept, and asks for a value around in a body there.
  expectAsEager(
      [](const Side &) -> Function {
        const auto asked = std::make_shared<Array>();
        const auto kept = jit([=](const Array &v) { return *asked ? v * 2 : v; }, {.specs = {TensorSpec{f32, {dyn}}}});
        return [=](const Array &x) {
          *asked = x > 0;
          const Array y = cond(
              x > -1.5f, [&](const Array &q) { return sum(kept(stack({q, q}))); }, [](const Array &q) { return q; }, x);
          *asked = Array(); // it would outlive the trace
          return y;
        };
      },
      ways, 2);
  // Without elements.
  const auto f = jit([](const Array &x) {
    const auto g = jit([](const Array &v) { return sum(v) > 1   ? v * 2
                                                   : sum(v) > 0 ? v * 3
                                                                : v; },
                       {.specs = {TensorSpec{f32, {dyn}}}});
    const Array y = g(x);
    return sum(y) > 5 ? y + 1 : y;
  });
  const auto held = f.concrete(TensorSpec{f32, {2}});
  for (const float x : ways) {
    const Array given{x, x / 4};
    const EagerScope scope;
    EXPECT_EQ(held(given).to_vector<float>(), f(given).to_vector<float>());
  }
}

/// Derivatives, examples and tangents between the two.
TEST_F(Within, IsTransformed) {
  expectAsEager(
      [](const Side &) -> Function {
        return [](const Array &x) {
          const auto g = jit([&](const Array &z, const Array &q) {
            const Array before = z * z * z;
            return q > 0 ? before * q : before + tanh(z);
          });
          const Array slope = grad([&](const Array &z) { return g(z, x); })(x);
          const Array second =
              grad([&](const Array &z) { return grad([&](const Array &w) { return g(w, x); })(z); })(x);
          const Array pushed = jvp([&](const Array &z) { return g(z, x); }, x, Array(2.0f)).second;
          const Array mapped = vmap([&](const Array &z) { return g(z, x); })(stack({x, x + 1, x - 1}));
          return slope + second * 10.0f + pushed * 100.0f + sum(mapped);
        };
      },
      ways, 2);
}

/// What is recorded for a derivative is another thing than what is not: a combining scatter.
TEST_F(Within, KnowsThatItIsDifferentiated) {
  expectAsEager(
      [](const Side &) -> Function {
        return [](const Array &x) {
          const auto g = jit([&](const Array &z) {
            if (x > 0)
              return z * 2;
            const Array base = stack({z, z + 1, z + 2});
            const Array updates = stack({z * z, z * 3, z});
            return sum(base.at[Array{0, 2, 0}].apply([](const Array &a, const Array &b) { return a * b; }, updates));
          });
          return grad(g)(x);
        };
      },
      ways, 2);
}

/// It is asked in a body of control flow that it has made, for a value of its own and of the one around.
TEST_F(Within, IsAskedInABody) {
  expectAsEager(
      [](const Side &) -> Function {
        return [](const Array &x) {
          const Array outside = x - 1, isLow = outside < -2;
          const auto g = jit([&](const Array &z) {
            const Array own = z * 2, isLarge = own > 3;
            return cond(
                z > 0, [&](const Array &q) { return isLarge ? q * own : q + own; },
                [&](const Array &q) { return isLow ? q - own : q; }, z);
          });
          return g(x) + outside;
        };
      },
      ways, 4);
}

/// An argument that it updates, once and where it is there twice.
TEST_F(Within, UpdatesItsArguments) {
  expectAsEager(
      [](const Side &) -> Function {
        return [](const Array &x) {
          const auto g = jit([](Array &a, const Array &b) {
            a = a + b;
            if (a > 2)
              a = a * 2;
            return a - b;
          });
          Array y = x * 3;
          const Array z = g(y, x);
          return y * 10.0f + z;
        };
      },
      ways, 2);
  expectOneUpdate(false);
  // One that is there twice and stays as it is, of a function that is a part itself.
  expectAsEager(
      [](const Side &side) -> Function {
        return [=](const Array &x) {
          const auto middle = jit([=](const Array &q) {
            const auto inmost = jit([=](Array &a, Array &b) { return a + b + side.host(a); });
            Array p = q * 3;
            return inmost(p, p);
          });
          return middle(x);
        };
      },
      ways, 1);
}

/// What has thrown within was printed, and who has called it goes on.
TEST_F(Within, HasPrintedWhereItThrows) {
  expectAsEager(
      [](const Side &) -> Function {
        return [](const Array &x) {
          const auto g = jit([](const Array &z) -> Array {
            print("within {}", {z * 2});
            check(z < 100, "too large: {}", {z});
            throw std::runtime_error("thrown");
          });
          try {
            return g(x);
          } catch (const std::runtime_error &) {
            print("caught {}", {x});
            return x > 0 ? x : -x;
          }
        };
      },
      ways, 2);
  // Also where its results, or what it updates, cannot be.
  for (const bool isTwice : {false, true}) {
    const auto f = jit([=](const Array &x) {
      const auto g = jit([=](Array &a, const Array &b) {
        print("within {}", {b});
        if (isTwice)
          a = a + 1;
        return isTwice ? b : Array();
      });
      Array y = x + 0, z = x + 1;
      try {
        return g(y, isTwice ? y : z);
      } catch (const Error &) {
        return x;
      }
    });
    testing::internal::CaptureStdout();
    f(Array(1.0f));
    f(Array(2.0f));
    EXPECT_EQ(testing::internal::GetCapturedStdout(), isTwice ? "within 1.\nwithin 2.\n" : "within 2.\nwithin 3.\n");
  }
}

/// What cannot be assigned around ends it, whoever catches that.
TEST_F(Within, AssignsNoExample) {
  const Side side;
  const auto f = jit([=](const Array &x) {
    const auto g = jit([=](const Array &z) {
      Variable weight = side.weight, counted = side.counted;
      weight.assign(z);
      counted.assign(counted + 1.0f);
      try {
        side.host(z);
      } catch (const Error &) {
      }
      return z;
    });
    return vmap(g)(x);
  });
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(errorOf([&] { f(Array{1.0f, 2.0f}); }), testing::HasSubstr("a value that is not batched"));
  EXPECT_EQ(side.counted.value().item<float>(), 0);
}

/// What is looked at within one that is recorded is no part of that.
TEST_F(Within, IsHeldWithoutBeingAPart) {
  expectAsEager(
      [](const Side &) -> Function {
        const auto g = jit([](const Array &z) { return sum(z) > 1 ? z * 2 : z - 1; });
        return [g](const Array &x) {
          const auto held = g.concrete(TensorSpec{f32, {}});
          const auto same = g.concrete(x);
          return held(x) + same(x) * 10.0f + g(x) * 100.0f;
        };
      },
      ways, 2);
  // What it has read is read behind the host around it.
  expectAsEager(
      [](const Side &side) -> Function {
        const auto g = jit([side](const Array &z) { return z > 100 ? z : z * side.counted; });
        return [=](const Array &x) {
          const auto held = g.concrete(x);
          side.host(x);
          return x + side.counted;
        };
      },
      ways, 1);
  // It may print before it asks.
  expectAsEager(
      [](const Side &) -> Function {
        const auto g = jit([](const Array &z) {
          print("within {}", {z});
          return z > 1 ? z : z * 3;
        });
        return [=](const Array &x) { return g.concrete(x)(x); };
      },
      ways, 2);
}

/// It is no trace of its own: neither refused as one, nor advised about.
TEST_F(Within, IsNoTrace) {
  const auto g = jit([](const Array &z) { return sum(z) > 1 ? z * 2 : z - 1; }, {.max_traces = 2});
  g(ones({2}));
  g(-ones({2}));
  for (int n = 2; n < 14; ++n) {
    const auto f = jit([&](const Array &x) { return g(x) + 1; });
    EXPECT_EQ(f(ones({n})).to_vector<float>(), Floats(size_t(n), 3.0f));
    EXPECT_EQ(f(-ones({n})).to_vector<float>(), Floats(size_t(n), -1.0f));
  }
  EXPECT_EQ(g.trace_count(), 2u);
  EXPECT_EQ(logged.warnings(), "");
}

} // namespace
} // namespace tenon::test
