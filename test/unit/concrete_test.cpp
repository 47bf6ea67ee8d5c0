//===- concrete_test.cpp - concrete(): jitted functions with a fixed signature --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include "lib/program/CompilerPlugin.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

using namespace tenon;
using tenon::detail::compilerPath;
using tenon::test::errorOf;
using tenon::test::messageOf;
using testing::HasSubstr;
using testing::Not;

namespace {

/// TensorFlow's example: K4, P18.
Array my_function(const Array &x) {
  if (sum(x) <= 1)
    return x * x;
  else
    return x - 1;
}

std::string printed(const auto &x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

struct Layer {
  Array kernel, bias;
};
struct Net {
  std::vector<Layer> layers;
  int depth = 2;
};

TEST(Concrete, PrintsAsTensorFlowDoes) {
  auto f = jit(my_function, {.name = "my_function", .arguments = {"x"}});
  EXPECT_EQ(printed(f.concrete(spec<float>({}))), "ConcreteFunction my_function(x)\n"
                                                  "  Args:\n"
                                                  "    x: float32 Tensor, shape=()\n"
                                                  "  Returns:\n"
                                                  "    float32 Tensor, shape=()");
  EXPECT_EQ(printed(f.concrete(Array{2.0f, 2.0f, 2.0f})), "ConcreteFunction my_function(x)\n"
                                                          "  Args:\n"
                                                          "    x: float32 Tensor, shape=(3,)\n"
                                                          "  Returns:\n"
                                                          "    float32 Tensor, shape=(3,)");
  auto two = f.concrete(Array(2));
  const Array one = two(Array(2));
  EXPECT_EQ(one.item<int>(), 1);
  EXPECT_EQ(one.dtype(), i32);
  EXPECT_EQ(printed(f).substr(0, printed(f).find('\n')), "Function my_function: 3 concrete functions");
  EXPECT_THAT(printed(f), HasSubstr(printed(two)));
}

TEST(Concrete, OfASpecAllWaysAreRecorded) {
  int runs = 0;
  auto f = jit([&](const Array &x) {
    ++runs;
    return my_function(x);
  });
  auto c = f.concrete(spec<float>({2}));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(c.variants(), 2u);
  EXPECT_EQ(f.trace_count(), 2u);
  EXPECT_EQ(c(Array{0.5f, 0.25f}).to_vector<float>(), (std::vector<float>{0.25f, 0.0625f}));
  EXPECT_EQ(c(Array{5.0f, 5.0f}).to_vector<float>(), (std::vector<float>{4, 4}));
  EXPECT_EQ(f(Array{5.0f, 5.0f}).to_vector<float>(), (std::vector<float>{4, 4}));
  EXPECT_EQ(runs, 2) << "a call finds what is held";
  EXPECT_EQ(f.concrete(spec<float>({2})).variants(), 2u);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(f.stats().hits, 3u);
}

TEST(Concrete, OfAnArrayItsOwnWayIsRecordedAndOthersWhenTheyAreCalled) {
  auto f = jit(my_function);
  auto c = f.concrete(Array{5.0f, 5.0f});
  EXPECT_EQ(c.variants(), 1u);
  EXPECT_EQ(c(Array{0.5f, 0.25f}).to_vector<float>(), (std::vector<float>{0.25f, 0.0625f}));
  EXPECT_EQ(c.variants(), 2u);
  EXPECT_EQ(c.stats().calls, 1u);
}

TEST(Concrete, NestedQuestionsAreATree) {
  auto f = jit([](const Array &x, const Array &y) {
    if (sum(x) > 0)
      return y > 0 ? x + y : x - y;
    if (y > 10)
      return x * y;
    return y > 5 ? x / y : y;
  });
  auto c = f.concrete(spec<float>({}), spec<float>({}));
  EXPECT_EQ(c.variants(), 5u);
  for (float x : {-1.0f, 1.0f})
    for (float y : {-1.0f, 1.0f, 7.0f, 11.0f}) {
      const float wanted = x > 0 ? (y > 0 ? x + y : x - y) : y > 10 ? x * y : y > 5 ? x / y : y;
      EXPECT_EQ(c(Array(x), Array(y)).item<float>(), wanted) << x << " " << y;
    }
  EXPECT_EQ(f.trace_count(), 5u);
}

TEST(Concrete, AQuestionThatIsAskedAgainHasItsAnswer) {
  int runs = 0;
  auto f = jit([&](const Array &x) {
    ++runs;
    const Array isLarge = sum(x) > 1;
    Array y = isLarge ? x : -x;
    return isLarge ? y * 2 : y * 3;
  });
  auto c = f.concrete(spec<float>({2}));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(c(Array{1.0f, 1.0f}).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(c(Array{0.0f, 1.0f}).to_vector<float>(), (std::vector<float>{0, -3}));
}

TEST(Concrete, AWayThatThrowsIsThatOfItsCalls) {
  auto f = jit([](const Array &x) {
    if (any(isnan(x)))
      throw std::runtime_error("nan");
    return x * 2;
  });
  auto c = f.concrete(spec<float>({2}));
  EXPECT_EQ(c.variants(), 1u);
  EXPECT_EQ(c(Array{1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_THROW(c(Array{1.0f, NAN}), std::runtime_error);
  auto all = jit([](const Array &x) -> Array { throw std::runtime_error(x.dtype() == f32 ? "f32" : "other"); });
  EXPECT_THROW(all.concrete(spec<float>({2})), std::runtime_error);
}

TEST(Concrete, NumbersAndLoopsNeedElements) {
  auto number = jit([](const Array &x) { return x * sum(x).item<float>(); }, {.name = "number"});
  EXPECT_THAT(messageOf([&] { number.concrete(spec<float>({2})); }),
              HasSubstr("expected C++ to read a bool while number is traced without values"));
  auto loop = jit([](Array x) {
    while (sum(x) > 1)
      x = x / 2;
    return x;
  });
  const std::string line = ":" + std::to_string(__LINE__ - 4);
  EXPECT_THAT(errorOf([&] { loop.concrete(spec<float>({2})); }),
              testing::AllOf(HasSubstr("tn::while_loop"), HasSubstr(line)));
  auto until = jit([](Array x) {
    while (!(sum(x) < 1))
      x = x / 2;
    return x;
  });
  EXPECT_THAT(messageOf([&] { until.concrete(spec<float>({2})); }), HasSubstr("tn::while_loop"));
  EXPECT_EQ(printed(until).substr(printed(until).rfind(":")), ": 0 concrete functions");
  // With elements both are answered.
  EXPECT_EQ(loop.concrete(Array{2.0f, 2.0f})(Array{2.0f, 2.0f}).to_vector<float>(), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(number.concrete(Array{2.0f, 2.0f})(Array{1.0f, 2.0f}).to_vector<float>(), (std::vector<float>{3, 6}));
}

TEST(Concrete, ARefusalThatIsCaughtIsStillOne) {
  auto f = jit([](const Array &x) -> Array {
    try {
      if (sum(x).item<float>() > 2)
        return x * 2;
    } catch (const Error &) {
    }
    return x * 0;
  });
  EXPECT_THAT(messageOf([&] { f.concrete(spec<float>({3})); }), HasSubstr("expected C++ to read a bool"));
  EXPECT_EQ(f(Array{1.0f, 2.0f, 3.0f}).to_vector<float>(), (std::vector<float>{2, 4, 6}));
}

TEST(Concrete, AVariableThatHasEndedIsSaid) {
  auto v = std::make_unique<Variable>(2.0f);
  auto f = jit([&](const Array &x) { return x * *v; });
  auto c = f.concrete(Array(3.0f));
  EXPECT_EQ(c(Array(3.0f)).item<float>(), 6);
  v.reset();
  EXPECT_THAT(messageOf([&] { c.trace(); }), HasSubstr("a Variable that this concrete function uses no longer exists"));
  EXPECT_THAT(messageOf([&] { c(Array(3.0f)); }),
              HasSubstr("a Variable that this concrete function uses no longer exists"));
}

TEST(Concrete, WhatHasComeToAskOtherwiseIsRecordedOnce) {
  int k = 0;
  auto f = jit([&](const Array &x) -> Array {
    if (k ? max(x) > 1 : sum(x) > 1)
      return x * 2;
    return x * 3;
  });
  auto c = f.concrete(Array{1.0f, 1.0f});
  k = 1;
  const Array small = {0.25f, 0.25f};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(c(small).to_vector<float>(), (std::vector<float>{0.75f, 0.75f}));
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(Concrete, ASpecIsFoundByWhoNamesItAlone) {
  auto f = jit([](const Array &x) { return x * 2; });
  f.concrete(spec<float>({"n"}));
  EXPECT_FALSE(explain(f, ones({3})).hits);
  f(ones({3}));
  EXPECT_EQ(f.trace_count(), 2u) << "what a call finds does not depend on what was called last";
  EXPECT_THAT(messageOf([&] { f.concrete(spec<float>({-3})); }), Not(HasSubstr("multiply")));
}

TEST(Concrete, NarrowFloatsAreExplored) {
  auto f = jit([](const Array &x) -> Array { return x ? astype(x, f32) : zeros({}); });
  auto c = f.concrete(spec<float8_e4m3fn_t>({}));
  EXPECT_EQ(c.variants(), 2u);
  c(astype(Array(2.0f), Dtype::f8e4m3fn));
  c(astype(Array(0.0f), Dtype::f8e4m3fn));
  EXPECT_EQ(f.trace_count(), 2u);
}

TEST(Concrete, WhatIsMadeOnceIsNoHindrance) {
  std::optional<Variable> kept;
  auto f = jit([&](const Array &x) {
    if (!kept)
      kept.emplace(ones({2}));
    return x * kept->value();
  });
  EXPECT_EQ(f.concrete(Array{1.0f, 2.0f})(Array{3.0f, 4.0f}).to_vector<float>(), (std::vector<float>{3, 4}));
}

TEST(Concrete, MoreThanSixteenWaysAreAnError) {
  auto ways = [](int questions) {
    return jit([questions](Array x) {
      for (int i = 0; i < questions; ++i)
        x = x[i] > 0 ? x + 1 : x - 1;
      return x;
    });
  };
  EXPECT_EQ(ways(4).concrete(spec<float>({5})).variants(), 16u);
  EXPECT_THAT(messageOf([&] { ways(5).concrete(spec<float>({5})); }), HasSubstr("more than 16 variants"));
}

TEST(Concrete, ALoopWithoutAnEndIsAnErrorBeforeAllWaysAreTried) {
  auto f = jit(
      [](Array x) {
        while (sum(x) > 1)
          x = x / 2;
        return x;
      },
      {.max_variants = 64});
  EXPECT_THAT(messageOf([&] { f.concrete(spec<float>({5})); }),
              AllOf(HasSubstr("read more than 16 times"), HasSubstr("tn::while_loop")));
}

TEST(Concrete, OfASpecIsThatOfItsCalls) {
  auto f = jit([](const Array &x) { return x * 2; }, {.specs = {spec<float>({"n"})}});
  f.concrete(spec<float>({"n"}));
  EXPECT_EQ(f(ones({5})).shape(), Shape({5}));
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Concrete, RefusesByNameWhatDoesNotFit) {
  auto f = jit([](const Net &net, const Array &x, int n) { return matmul(x, net.layers[0].kernel) + n; },
               {.name = "f", .arguments = {"net", "x", "n"}});
  Net net{{{ones({3, 4}), ones({4})}}};
  auto c = f.concrete(net, spec<float>({"batch", 3}), 2);
  EXPECT_EQ(printed(c), "ConcreteFunction f(net, x, n=2)\n"
                        "  Args:\n"
                        "    net.layers[0].kernel: float32 Tensor, shape=(3, 4)\n"
                        "    net.layers[0].bias: float32 Tensor, shape=(4,)\n"
                        "    x: float32 Tensor, shape=(batch, 3)\n"
                        "  Returns:\n"
                        "    float32 Tensor, shape=(batch, 4)");
  EXPECT_EQ(c(net, ones({5, 3}), 2).shape(), Shape({5, 4}));
  EXPECT_EQ(c(net, ones({7, 3}), 2).shape(), Shape({7, 4}));
  EXPECT_EQ(c(net, ones({7, 3}), 2).to_vector<float>(), std::vector<float>(28, 5));
  EXPECT_EQ(f.trace_count(), 1u);
  const std::string other = "f: this concrete function was traced for other arguments; ";
  EXPECT_EQ(messageOf([&] { c(net, ones({5, 2}), 2); }), other + "x: expected f32[batch, 3], got f32[5, 2]");
  EXPECT_EQ(messageOf([&] { c(net, ones({5, 3}, f64), 2); }), other + "x: expected f32[batch, 3], got f64[5, 3]");
  EXPECT_EQ(messageOf([&] { c(net, ones({1, 3}), 2); }),
            other + "x: expected f32[batch, 3], got f32[1, 3] (symbolic sizes are >= 2)");
  EXPECT_EQ(messageOf([&] { c(net, ones({5, 3}), 3); }), other + "n: expected 2, got 3");
  Net wide{{{ones({3, 5}), ones({4})}}};
  EXPECT_EQ(messageOf([&] { c(wide, ones({5, 3}), 2); }),
            other + "net.layers[0].kernel: expected f32[3, 4], got f32[3, 5]");
  Net deep{{{ones({3, 4}), ones({4})}, {ones({4, 4}), ones({4})}}};
  EXPECT_EQ(messageOf([&] { c(deep, ones({5, 3}), 2); }), other + "net.layers: expected 1 element, got 2");
  EXPECT_THAT(messageOf([&] { c(net, Array(), 2); }), HasSubstr("f: expected an array, got an empty Array (x)"));
  EXPECT_THAT(errorOf([&] { c(net, ones({5, 2}), 2); }), HasSubstr("concrete_test.cpp:" + std::to_string(__LINE__)));
}

TEST(Concrete, SizesThatDoNotFitTogetherAreNamed) {
  auto f = jit([](const Array &x, const Array &y) { return x + y; });
  auto c = f.concrete(spec<float>({"n"}), spec<float>({"n"}));
  EXPECT_EQ(c(ones({3}), ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_THAT(messageOf([&] { c(ones({3}), ones({4})); }),
              HasSubstr("arg 0: expected f32[n], got f32[3]; arg 1: expected f32[n], got f32[4]"));
}

TEST(Concrete, UpdatesAreSaidAndDone) {
  Variable count(0);
  auto f = jit(
      [&](Array &x, const Array &y) {
        x = x + y;
        count += 1;
        return y;
      },
      {.name = "f"});
  auto c = f.concrete(spec<float>({2}), spec<float>({2}));
  EXPECT_EQ(printed(c), "ConcreteFunction f(arg 0, arg 1)\n"
                        "  Args:\n"
                        "    arg 0: float32 Tensor, shape=(2,)\n"
                        "    arg 1: float32 Tensor, shape=(2,)\n"
                        "  Returns:\n"
                        "    float32 Tensor, shape=(2,)\n"
                        "  Updates:\n"
                        "    arg 0: float32 Tensor, shape=(2,)\n"
                        "    a Variable: int32 Tensor, shape=()");
  EXPECT_EQ(count.value().item<int>(), 0) << "nothing is run";
  Array x{1.0f, 2.0f};
  c(x, Array{10.0f, 20.0f});
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{11, 22}));
  EXPECT_EQ(count.value().item<int>(), 1);
}

TEST(Concrete, WhatIsUpdatedDoesNotDependOnTheFirstCall) {
  auto f = jit([](Array &x) { x = x + 1; });
  f(Array(1.0f)); // an rvalue, of which nobody sees the update
  Array a = 5.0f;
  f(a);
  EXPECT_EQ(a.item<float>(), 6);
  EXPECT_EQ(f.trace_count(), 1u);
  const Array fixed = 7.0f;
  auto generic = jit([](auto &x) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(x)>>)
      x = x + 1;
    return x;
  });
  generic(a);
  EXPECT_EQ(a.item<float>(), 7);
  generic(fixed);
  EXPECT_EQ(fixed.item<float>(), 7) << "what is const stays";
}

TEST(Concrete, IsHeldWhateverTheCacheForgets) {
  auto f = jit([](const Array &x) { return x + 1; });
  auto c = f.concrete(spec<float>({3}));
  const auto again = c;
  c(ones({3}));
  clear_caches();
  EXPECT_EQ(printed(f).substr(printed(f).rfind(':')), ": 0 concrete functions");
  EXPECT_EQ(c(ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(f.trace_count(), 1u);
  const uint64_t compiled = statistics().compilations;
  f(ones({3}));
  EXPECT_EQ(f.trace_count(), 2u);
  EXPECT_EQ(statistics().compilations - compiled, 1u) << "the process forgets programs, too";
  EXPECT_EQ(again(ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  const auto left = [] {
    auto local = jit([](const Array &x) { return x * 3; });
    return local.concrete(spec<float>({2}));
  }();
  EXPECT_EQ(left(ones({2})).to_vector<float>(), (std::vector<float>{3, 3})) << "the function is gone";
}

TEST(Concrete, ItsTraceStagesAndCostAreThere) {
  if (compilerPath().empty())
    GTEST_SKIP() << "a build without the compiler";
  auto f = jit([](const Array &x) { return exp(x) + 1; });
  auto c = f.concrete(spec<float>({1000}));
  EXPECT_THAT(c.trace(), HasSubstr("exp"));
  EXPECT_THAT(c.stage("tenon"), HasSubstr("tenon.exp"));
  EXPECT_THAT(errorOf([&] { c.stage("nonsense"); }), HasSubstr("nonsense"));
  const ProgramCost cost = c.cost();
  EXPECT_EQ(cost.argument_bytes, 4000);
  EXPECT_EQ(cost.result_bytes, 4000);
  EXPECT_EQ(cost.temporary_bytes, 0);
  EXPECT_EQ(cost.kernels, 1u);
  EXPECT_GE(cost.ops, 2u);
  auto open = f.concrete(spec<float>({"n"})).cost();
  EXPECT_EQ(open.argument_bytes, -1);
  EXPECT_EQ(open.temporary_bytes, -1);
  auto large = jit([](const Array &x) { return matmul(matmul(x, x), x); }).concrete(spec<float>({64, 64})).cost();
  EXPECT_GE(large.temporary_bytes, 64 * 64 * 4);
  EXPECT_EQ(large.library_steps, 2u);
  EXPECT_THAT(printed(cost), HasSubstr("1 kernels"));
}

TEST(Concrete, WhatServesOneCallCannotBeHeld) {
  std::vector<Variable> kept;
  auto keeps = jit(
      [&](const Array &x) {
        kept.push_back(Variable(zeros({2})));
        return x;
      },
      {.name = "keeps"});
  EXPECT_THAT(messageOf([&] { keeps.concrete(spec<float>({2})); }), HasSubstr("it creates Variables at every call"));
  auto counts = jit(
      [](const Array &x) {
        Array y = x;
        while (y > 0)
          y = y - 1;
        return y;
      },
      {.name = "counts"});
  EXPECT_THAT(messageOf([&] { counts.concrete(Array(100.0f)); }), HasSubstr("serves one call"));
}

TEST(Concrete, ALowerTakesSpecsToo) {
  auto f = jit([](const Array &x) { return x + 1; });
  EXPECT_THAT(f.lower(spec<float>({"n", 2})).trace(), HasSubstr("f32[n, 2]"));
  EXPECT_THAT(messageOf([] { (void)jit(my_function, {.name = "f"}).lower(spec<float>({})); }),
              HasSubstr("expected arrays, whose elements say which way is lowered"));
}

TEST(Concrete, WithTheFunctionsOwnSpecsItsCallsFindIt) {
  auto f = jit([](const Array &x) { return x + 1; }, {.specs = {TensorSpec{f32, {"n"}}}});
  auto c = f.concrete(spec<float>({"n"}));
  EXPECT_EQ(f(ones({5})).shape(), Shape({5}));
  EXPECT_EQ(c(ones({6})).shape(), Shape({6}));
  EXPECT_EQ(f.trace_count(), 1u);
}

TEST(Concrete, ManyThreadsCallOne) {
  auto f = jit(my_function);
  auto c = f.concrete(spec<float>({}));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const float x = static_cast<float>((i + t) % 4);
        wrong += c(Array(x)).item<float>() != (x <= 1 ? x * x : x - 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(c.stats().calls, 800u);
}

TEST(Concrete, OfAMethodAndOfAFunctionWithinFunctions) {
  auto inner = jit(my_function);
  auto outer = jit([&](const Array &x) { return inner(x) + inner(x + 3); });
  auto c = outer.concrete(spec<float>({}));
  EXPECT_EQ(c.variants(), 4u);
  for (float x : {-5.0f, 0.5f, 2.0f}) {
    auto one = [](float v) { return v <= 1 ? v * v : v - 1; };
    EXPECT_EQ(c(Array(x)).item<float>(), one(x) + one(x + 3)) << x;
  }
  auto g = jit(grad([](const Array &x) { return x > 0 ? x * x : -x; }));
  auto slope = g.concrete(spec<float>({}));
  EXPECT_EQ(slope.variants(), 2u);
  EXPECT_EQ(slope(Array(3.0f)).item<float>(), 6);
  EXPECT_EQ(slope(Array(-3.0f)).item<float>(), -1);
}

//===----------------------------------------------------------------------===//
// Where jitted functions live
//===----------------------------------------------------------------------===//

struct Model {
  Array kernel = ones({2, 2});
  Array call(const Array &x) const { return matmul(x, kernel); }
};

TEST(Holding, InAStructAStdFunctionAndContainers) {
  auto step = [](const Array &x) { return x + 1; };
  struct Trainer {
    Jitted<decltype(step)> call;
    std::function<Array(const Array &)> loss = jit([](const Array &x) { return sum(x); });
  } trainer{jit(step)};
  EXPECT_EQ(trainer.loss(trainer.call(ones({3}))).item<float>(), 6);
  Trainer copy = trainer;
  copy.call(ones({3}));
  EXPECT_EQ(trainer.call.trace_count(), 1u) << "copies share what is recorded";
  std::map<std::string, std::function<Array(Array)>> byName;
  byName["twice"] = jit([](Array x) { return x * 2; });
  byName["minus"] = jit([](Array x) { return -x; });
  EXPECT_EQ(byName["minus"](byName["twice"](Array(3.0f))).item<float>(), -6);
  std::vector<Jitted<decltype(step)>> many;
  for (int i = 0; i < 3; ++i)
    many.push_back(jit(step));
  EXPECT_EQ(many[2](many[1](many[0](Array(0.0f)))).item<float>(), 3);
  auto method = jit(&Model::call);
  EXPECT_EQ(method(Model(), ones({1, 2})).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(method.concrete(Model(), spec<float>({"n", 2}))(Model(), ones({3, 2})).shape(), Shape({3, 2}));
}

TEST(Holding, ARecursiveFunctionEndsByItsValues) {
  std::function<Array(const Array &)> halve;
  auto f = jit([&](const Array &x) { return x > 1 ? halve(x / 2) + 1 : x; });
  halve = f;
  EXPECT_EQ(f(Array(8.0f)).item<float>(), 4);
  EXPECT_EQ(f(Array(5.0f)).item<float>(), 3.625f);
  std::function<Array(const Array &)> endless;
  auto g = jit([&](const Array &x) { return endless(x + 1); });
  endless = g;
  EXPECT_THAT(messageOf([&] { g(Array(1.0f)); }), HasSubstr("expected at most 64 nested transformations"));
}

TEST(Holding, ConstantsAreTypes) {
  auto power = jit(
      [](Array x, auto n) {
        std::array<Array, static_cast<size_t>(n.value)> powers;
        powers[0] = x;
        for (size_t i = 1; i < powers.size(); ++i)
          powers[i] = powers[i - 1] * x;
        return powers.back();
      },
      {.name = "power", .arguments = {"x", "n"}});
  EXPECT_EQ(power(Array(2.0f), constant<3>).item<float>(), 8);
  EXPECT_EQ(power(Array(2.0f), constant<4>).item<float>(), 16);
  EXPECT_EQ(power(Array(3.0f), constant<3>).item<float>(), 27);
  EXPECT_EQ(power.trace_count(), 2u);
  EXPECT_THAT(printed(power.concrete(Array(1.0f), constant<3>)), HasSubstr("power(x, n="));
}

//===----------------------------------------------------------------------===//
// Eagerly
//===----------------------------------------------------------------------===//

TEST(Holding, TypesOfOneNameAreTwo) {
  auto sign = jit([](const Array &x, auto n) { return x * (n.value - 4 > 0 ? 1.0f : -1.0f); });
  EXPECT_EQ(sign(Array(1.0f), constant<3>).item<float>(), -1);
  EXPECT_EQ(sign(Array(1.0f), constant<3u>).item<float>(), 1) << "as C++ says";
  auto apply = jit([](const Array &x, auto op) { return op(x); });
  const auto first = [&] {
    struct Op {
      Array operator()(const Array &x) const { return x + 1; }
    };
    return apply(Array(1.0f), Op{}).item<float>();
  }();
  const auto second = [&] {
    struct Op {
      Array operator()(const Array &x) const { return x * 100; }
    };
    return apply(Array(1.0f), Op{}).item<float>();
  }();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 100);
}

TEST(Concrete, OfASpecTheFunctionDoesTheSameEachTime) {
  int runs = 0;
  auto f = jit(
      [&](const Array &x) {
        const Array c = runs++ % 2 ? flip(x, {0}) * 2 : x;
        return sum(x) > 1 ? c + 1 : c - 1;
      },
      {.name = "f"});
  EXPECT_THAT(messageOf([&] { f.concrete(spec<float>({2})); }),
              HasSubstr("f: the function behaved differently when traced twice without values"));
  bool isOther = false;
  auto g = jit([&](const Array &x) {
    const Array a = sum(x) > 1, b = max(x) > 1;
    return (std::exchange(isOther, true) ? bool(b) : bool(a)) ? x : -x;
  });
  EXPECT_THAT(messageOf([&] { g.concrete(spec<float>({2})); }), HasSubstr("behaved differently when traced twice"));
}

/// One that is held, and not called, keeps what stands in for it now, and nothing between.
TEST(Concrete, KeepsTheLastRecordingOfItsCalls) {
  int kind = 0, gone = 0;
  alignas(64) static const float elements[] = {1, 2};
  auto f = jit(
      [&](const Array &x) {
        const Array w = from_memory(elements, f32, {2}, [&] { ++gone; });
        const Array y = kind % 2 ? x * w : x + w;
        return sum(y) > 1 ? y : -y;
      },
      {.compile = Compile::never});
  const auto held = f.concrete(Array{1.0f, 1.0f});
  for (kind = 1; kind < 20; ++kind)
    f(Array{kind % 2 ? -5.0f : 5.0f, 0.0f});
  EXPECT_GE(f.trace_count(), 15u);
  EXPECT_GE(gone, 15);
  kind = 1;
  EXPECT_EQ(held(Array{3.0f, 1.0f}).to_vector<float>(), f(Array{3.0f, 1.0f}).to_vector<float>());
}

TEST(Eagerly, FunctionsRunAsCpp) { // K21, K22, P22
  int prints = 0;
  auto model = jit(
      [&](const Array &x) {
        ++prints;
        return matmul(reshape(x, {60, 784}), ones({784, 10}));
      },
      {.name = "model", .arguments = {"self"}});
  const Array images = ones({60, 28, 28});
  model(images);
  model(images);
  EXPECT_EQ(prints, 1);
  run_functions_eagerly(true);
  model(images);
  model(images);
  EXPECT_EQ(prints, 3);
  // It is traced all the same, once.
  const auto held = model.concrete(spec<float>({60, 28, 28}));
  run_functions_eagerly(false);
  EXPECT_EQ(printed(held), "ConcreteFunction model(self)\n"
                           "  Args:\n"
                           "    self: float32 Tensor, shape=(60, 28, 28)\n"
                           "  Returns:\n"
                           "    float32 Tensor, shape=(60, 10)");
  model(images);
  EXPECT_EQ(prints, 3);
}

TEST(Eagerly, OnAllThreadsOrOnThisOne) {
  int runs = 0;
  auto f = jit([&](const Array &x) {
    ++runs;
    return x;
  });
  f(Array(1.0f));
  auto elsewhere = [&] {
    const int before = runs;
    std::thread([&] { f(Array(1.0f)); }).join();
    return runs - before;
  };
  {
    EagerScope here;
    EXPECT_EQ(elsewhere(), 0);
    f(Array(1.0f));
    EXPECT_EQ(runs, 2);
  }
  run_functions_eagerly(true);
  EXPECT_EQ(elsewhere(), 1);
  run_functions_eagerly(false);
  EXPECT_EQ(elsewhere(), 0);
}

/// Nothing of it happens, also where the C++ throws.
TEST(Concrete, RunsNothingOfWhatThrows) {
  int calls = 0;
  const auto f = jit([&](const Array &x) {
    print("within {}", {x});
    const Array r = host_call([&](const Array &a) { return ++calls, a; }, TensorSpec{f32, {}}, x);
    if (x > 0)
      throw std::runtime_error("thrown");
    return r;
  });
  testing::internal::CaptureStdout();
  EXPECT_THROW((void)f.lower(Array(1.0f)), std::runtime_error);
  EXPECT_THROW(f.concrete(Array(1.0f)), std::runtime_error);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(calls, 0);
}

TEST(Eagerly, BodiesRunAsCppToo) {
  run_functions_eagerly(true);
  int rounds = 0;
  fori_loop(
      0, 5,
      [&](const Array &, const Array &x) {
        ++rounds;
        EXPECT_TRUE(executing_eagerly());
        return x + 1;
      },
      Array(0.0f));
  run_functions_eagerly(false);
  EXPECT_EQ(rounds, 5);
}

TEST(Eagerly, AFunctionCanAsk) {
  EXPECT_TRUE(executing_eagerly());
  bool inside = true, inGradient = false;
  jit([&](const Array &x) {
    inside = executing_eagerly();
    return x;
  })(Array(1.0f));
  EXPECT_FALSE(inside);
  grad([&](const Array &x) {
    inGradient = executing_eagerly();
    return x;
  })(Array(1.0f));
  EXPECT_TRUE(inGradient);
}

} // namespace
