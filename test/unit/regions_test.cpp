//===- regions_test.cpp - cond, scan, while_loop, and their transformations --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/EagerRegions.h"
#include "lib/trace/Record.h"
#include "lib/trace/RegionOp.h"
#include "test/unit/Errors.h"
#include "test/unit/TransformCases.h"

#include <tenon/jit.h>
#include <tenon/statistics.h>

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

/// Bodies run op by op over the eager kernels: no compiler takes part.
class Regions : public testing::TestWithParam<Case> {
  detail::InterpretRegions interpret;
};

TEST_P(Regions, FirstDerivativeIsThatOfFiniteDifferences) {
  const Case &one = GetParam();
  for (uint64_t seed : {1u, 7u, 20u}) {
    List inputs = inputsOf(one, seed);
    Array weights = numbers(one.function(inputs).shape(), 0.5, 1.5, 99);
    List gradients = grad([&](const List &v) { return sum(one.function(v) * weights); })(inputs);
    List expected = differences(one.function, inputs, weights);
    for (size_t i = 0; i < inputs.size(); ++i)
      expectNear(gradients[i], expected[i], 2e-8, one.name + " by input " + std::to_string(i));
  }
}

TEST_P(Regions, SecondDerivativeIsThatOfFiniteDifferences) {
  const Case &one = GetParam();
  List inputs = inputsOf(one);
  auto slope = [&](const List &v) {
    List gradients = grad([&](const List &u) { return sum(one.function(u)); })(v), parts;
    for (const Array &gradient : gradients)
      parts.push_back(flat(gradient));
    return concatenate(parts);
  };
  Array weights = numbers(slope(inputs).shape(), 0.5, 1.5, 98);
  List gradients = grad([&](const List &v) { return sum(slope(v) * weights); })(inputs);
  List expected = differences(slope, inputs, weights);
  for (size_t i = 0; i < inputs.size(); ++i)
    expectNear(gradients[i], expected[i], 1e-7, one.name + " by input " + std::to_string(i));
}

TEST_P(Regions, BatchedEqualsALoop) {
  const Case &one = GetParam();
  auto slopes = [&](const List &v) { return grad([&](const List &u) { return sum(one.function(u)); })(v); };
  std::vector<List> single;
  for (uint64_t seed : {1u, 7u, 20u})
    single.push_back(inputsOf(one, seed));
  for (unsigned choice = 1; choice < 1u << one.inputs.size(); ++choice) {
    List stacked;
    std::vector<List> all = single;
    std::vector<bool> mapped;
    for (size_t i = 0; i < one.inputs.size(); ++i) {
      mapped.push_back(choice >> i & 1);
      List rows;
      for (List &example : all) {
        if (!mapped[i])
          example[i] = single[0][i];
        Shape shape = example[i].shape();
        shape.insert(0, 1);
        rows.push_back(reshape(example[i], shape));
      }
      stacked.push_back(mapped[i] ? concatenate(rows) : single[0][i]);
    }
    stacked.resize(3, Array(0.0f));
    mapped.resize(3);
    auto axis = [&](size_t i) { return mapped[i] ? BatchAxis(0) : BatchAxis(none); };
    auto [values, gradients] = vmap(
        [&](const Array &a, const Array &b, const Array &c) {
          List v{a, b, c};
          v.resize(one.inputs.size());
          return std::pair(one.function(v), slopes(v));
        },
        {.in_axes = {axis(0), axis(1), axis(2)}})(stacked[0], stacked[1], stacked[2]);
    for (int e = 0; e < 3; ++e) {
      const List &example = all[static_cast<size_t>(e)];
      expectNear(values[e], one.function(example), 1e-12, one.name);
      List expected = slopes(example);
      for (size_t i = 0; i < expected.size(); ++i)
        expectNear(gradients[i][e], expected[i], 1e-12, one.name + " by input " + std::to_string(i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Regions, testing::ValuesIn(regionCases()),
                         [](const auto &info) { return info.param.name; });

class Region : public testing::Test {
protected:
  detail::InterpretRegions interpret;
};

/// Binds a recorded function as one op, as a jitted function does under a
/// transformation.
std::vector<Array> callOf(const Record::Result &function, const List &inputs) {
  std::vector<detail::Value *> values;
  for (const List *list : {&inputs, &function.captures})
    for (const Array &input : *list)
      values.push_back(input.value());
  return bindInferred(OpCode::call, values, {}, std::span(&function.trace, 1), {});
}

Record::Result recorded(const Case &one) {
  std::vector<Type> types;
  for (const Input &input : one.inputs)
    types.push_back({f64, Device::cpu, input.shape});
  return recordFunction("f", types,
                        [&](std::span<const Array> in) { return List{one.function(List(in.begin(), in.end()))}; });
}

TEST_F(Region, CallEqualsItsBodyUnderAllTransformations) {
  for (const std::vector<Case> *cases : {&smoothCases(), &regionCases()})
    for (const Case &one : *cases) {
      Record::Result trace = recorded(one);
      List inputs = inputsOf(one);
      auto direct = [&](const List &v) { return sum(one.function(v)); };
      auto called = [&](const List &v) { return sum(callOf(trace, v)[0]); };
      List a = grad(direct)(inputs), b = grad(called)(inputs);
      auto slope = [](auto f) {
        return [f](const List &v) {
          Array total(0.0);
          for (const Array &gradient : grad(f)(v))
            total = total + sum(gradient * gradient);
          return total;
        };
      };
      List c = grad(slope(direct))(inputs), d = grad(slope(called))(inputs);
      List batch;
      for (const Array &x : inputs) {
        Shape shape = x.shape();
        shape.insert(0, 2);
        batch.push_back(broadcast_to(x, shape));
      }
      List e = vmap(grad(direct))(batch), f = vmap(grad(called))(batch);
      for (size_t i = 0; i < inputs.size(); ++i) {
        expectNear(b[i], a[i], 0, one.name + ", grad");
        expectNear(d[i], c[i], 1e-14, one.name + ", grad of grad");
        expectNear(f[i], e[i], 1e-14, one.name + ", vmap of grad");
      }
    }
}

TEST_F(Region, TheSecondUseMakesNoNewTraces) {
  Record::Result trace = recorded(regionCases()[2]);
  List inputs = inputsOf(regionCases()[2]);
  auto run = [&] {
    auto called = [&](const List &v) { return sum(callOf(trace, v)[0]); };
    grad(called)(inputs);
    List batch{broadcast_to(inputs[0], {2}), broadcast_to(inputs[1], {2, 4})};
    vmap(called)(batch);
    grad([&](const List &v) { return sum(grad(called)(v)[0]); })(inputs);
    vmap(grad(called))(batch);
  };
  run();
  uint64_t made = plansMade();
  EXPECT_GT(made, 0u);
  run();
  EXPECT_EQ(plansMade(), made);
  RecordProperty("plans", int(made));
}

TEST_F(Region, ADerivativeIsNotABatchOfNothing) {
  // Of one function, by one operand, and neither with a number of examples above 0.
  auto f = jit([](const Array &x) { return exp(x) * x; }, {.compile = Compile::never});
  uint64_t before = plansMade();
  grad(f)(Array(2.0f));
  EXPECT_EQ(vmap(f)(zeros({0})).shape(), Shape{0});
  EXPECT_EQ(grad(f)(Array(0.0f)).item<float>(), 1);
  EXPECT_EQ(plansMade() - before, 2u);
}

TEST_F(Region, ResidualsAreWhatTheBackwardTraceNeeds) {
  // Of x -> exp(x) * c (c not differentiated) the backward trace wants exp(x)
  // and c; c is an input and is handed on as it is.
  Record record("outer");
  ActiveInterpreter active(record);
  Type type{f64, Device::cpu, {3}};
  Array x = record.input(type), c = record.input(type);
  Record::Result body = recordFunction("f", std::vector<Type>{type, type},
                                       [](std::span<const Array> in) { return List{exp(in[0]) * in[1]}; });
  Array g = grad([&](const Array &v) { return sum(callOf(body, {v, c})[0]); })(x);
  std::string text = record.finish(std::span(&g, 1)).trace->str();
  size_t calls = 0;
  for (size_t at = text.find("= call"); at != std::string::npos; at = text.find("= call", at + 1))
    ++calls;
  EXPECT_EQ(calls, 2u) << text;
  // One residual: two results of the forward call.
  EXPECT_THAT(text, HasSubstr(": f64[3], %3: f64[3] = call %0, %1"));
}

/// The residuals of `function` as one op, called on inputs of these types and
/// differentiated by all: what its forward call returns behind its results.
std::vector<std::string> residualsOf(const std::function<List(const List &)> &function,
                                     const std::vector<Shape> &shapes) {
  std::vector<Type> types;
  for (const Shape &shape : shapes)
    types.push_back({f64, Device::cpu, shape});
  Record record("outer");
  ActiveInterpreter active(record);
  List inputs;
  for (const Type &type : types)
    inputs.push_back(record.input(type));
  Record::Result body =
      recordFunction("f", types, [&](std::span<const Array> in) { return function(List(in.begin(), in.end())); });
  auto [value, outputs] = value_and_grad([&](const List &v) {
    Array total(0.0);
    for (const Array &result : callOf(body, v))
      total = total + sum(result);
    return total;
  })(inputs);
  outputs.push_back(value); // or nothing would need the forward call
  TraceRef trace = record.finish(outputs).trace;
  std::vector<std::string> residuals;
  for (const TraceOp &op : trace->ops())
    if (op.code == OpCode::call) { // the first one: forward
      for (size_t i = body.trace->outputs().size(); i < op.results; ++i)
        residuals.push_back(trace->type(op.firstResult + static_cast<ValueId>(i)).str());
      break;
    }
  return residuals;
}

TEST_F(Region, ResidualsAreWhatViewsAreOf) {
  using V = const List &;
  using Names = std::vector<std::string>;
  // Views of inputs, and constants, cost nothing.
  EXPECT_EQ(residualsOf([](V v) { return List{matmul(v[0], transpose(v[1]))}; }, {{2, 3}, {4, 3}}), Names());
  EXPECT_EQ(residualsOf([](V v) { return List{v[0] * slice(v[1], {7, 0}, {8, 3})}; }, {{1, 3}, {100, 3}}), Names());
  EXPECT_EQ(residualsOf([](V v) { return List{v[0] * full({2, 3}, 2.0, f64) * arange(3.0, {}, 1, f64)}; }, {{2, 3}}),
            Names());
  EXPECT_EQ(
      residualsOf([](V v) { return List{v[0] * astype(broadcast_to(dimension(v[0], 1), {2, 3}), f64)}; }, {{2, 3}}),
      Names{"f64[2, 3]"}); // what astype makes is no view
  EXPECT_EQ(residualsOf([](V v) { return List{where(equal(dimension(v[0], 1), 3), v[0], 0.0)}; }, {{2, 3}}).size(), 1u);
  // Views of other values: those values, which may be smaller and never are larger.
  EXPECT_EQ(residualsOf([](V v) { return List{matmul(v[0], transpose(v[1] + 1.0))}; }, {{2, 3}, {4, 3}}),
            Names{"f64[4, 3]"});
  EXPECT_EQ(residualsOf([](V v) { return List{v[0] * broadcast_to(v[1] + 1.0, {2, 3})}; }, {{2, 3}, {3}}),
            Names{"f64[3]"});
  EXPECT_EQ(residualsOf(
                [](V v) {
                  Array h = reshape(v[1] + 1.0, {3, 2});
                  return List{v[0] * transpose(broadcast_to(h, {5, 3, 2}), {2, 0, 1})};
                },
                {{2, 5, 3}, {6}}),
            Names{"f64[6]"});
  EXPECT_EQ(residualsOf([](V v) { return List{v[0] * optimization_barrier({v[1], transpose(v[1] + 1.0)})[1]}; },
                        {{3, 2}, {2, 3}}),
            Names{"f64[2, 3]"});
  // A part crosses alone, with its axes as they lie in memory, ...
  EXPECT_EQ(residualsOf([](V v) { return List{v[0] * slice(v[1] + 1.0, {7, 0}, {8, 3})}; }, {{1, 3}, {100, 3}}),
            Names{"f64[1, 3]"});
  EXPECT_EQ(residualsOf([](V v) { return List{v[0] * split(v[1] + 1.0, {98, 2})[1]}; }, {{2, 3}, {100, 3}}),
            Names{"f64[2, 3]"});
  EXPECT_EQ(
      residualsOf([](V v) { return List{v[0] * slice(transpose(v[1] + 1.0), {0, 7}, {3, 9})}; }, {{3, 2}, {100, 3}}),
      Names{"f64[2, 3]"});
  EXPECT_EQ(residualsOf(
                [](V v) {
                  Array row = slice(v[1] + 1.0, {7, 0}, {8, 3});
                  return List{v[0] * broadcast_to(row, {500, 3})};
                },
                {{500, 3}, {100, 3}}),
            Names{"f64[1, 3]"});
  // ... but not if the whole crosses in any case or is a result itself.
  EXPECT_EQ(residualsOf(
                [](V v) {
                  Array h = exp(v[1]);
                  return List{v[0] * slice(h, {7, 0}, {8, 3})};
                },
                {{1, 3}, {100, 3}}),
            Names{"f64[100, 3]"});
  EXPECT_EQ(residualsOf(
                [](V v) {
                  Array h = v[1] + 1.0;
                  return List{v[0] * slice(h, {7, 0}, {8, 3}), h};
                },
                {{1, 3}, {100, 3}}),
            Names());
}

TEST_F(Region, ResidualsOfAScanAreWhatViewsAreOf) {
  // The carry is repeated over a row, and the row's other factor is a constant:
  // of each round one number is kept.
  Record record("outer");
  ActiveInterpreter active(record);
  Array x = record.input({f64, Device::cpu, {10, 4}}), w = record.input({f64, Device::cpu, {}});
  auto loss = [&](const Array &v) {
    return sum(
        scan([&](const Array &c,
                 const Array &row) { return std::pair(c * v, row * broadcast_to(c, {4}) * arange(4.0, {}, 1, f64)); },
             w, x)
            .second);
  };
  Array g = grad(loss)(w);
  TraceRef trace = record.finish(std::span(&g, 1)).trace;
  std::vector<std::string> results;
  for (const TraceOp &op : trace->ops())
    if (op.code == OpCode::scan) {
      for (ValueId i = 0; i < op.results; ++i)
        results.push_back(trace->type(op.firstResult + i).str());
      break;
    }
  EXPECT_EQ(results, (std::vector<std::string>{"f64[]", "f64[10, 4]", "f64[10]"})) << trace->str();
}

TEST_F(Region, ResidualsThatAreMadeAgainHaveSymbolicSizes) {
  auto body = [](const Array &x) {
    Dim n = x.shape()[0];
    return tanh(sum(x * full({n, 2}, 3.0f) + x * broadcast_to(reshape(sum(x, {1}), {n, 1}), {n, 2})));
  };
  Shape shape{Dim("n"), 2};
  TraceRef trace;
  {
    Record record("outer");
    ActiveInterpreter active(record);
    Type type{f32, Device::cpu, shape};
    Array x = record.input(type);
    Record::Result called =
        recordFunction("f", std::span(&type, 1), [&](std::span<const Array> in) { return List{body(in[0])}; });
    Array g = grad([&](const Array &v) { return callOf(called, {v})[0]; })(x);
    trace = record.finish(std::span(&g, 1)).trace;
  }
  EXPECT_THAT(trace->str(), HasSubstr("%1: f32[], %2: f32[n], %3: f32[] = call"));
  for (int64_t rows : {2, 5}) {
    Array x = astype(numbers({rows, 2}, -0.1, 0.1, 4), f32);
    expectNear(evaluateTrace(*trace, std::span(&x, 1))[0], grad(body)(x), 0, "gradient");
  }
}

/// Programs see in their residuals the views that grad sees without jit.
TEST(RegionBits, GradOfJitIsGradToTheBit) {
  using V = const List &;
  constexpr int64_t m = 5, k = 31, n = 33;
  auto matrix = [](int64_t rows, int64_t columns, uint64_t seed) {
    return astype(numbers({rows, columns}, -1, 1, seed), f32);
  };
  Array x = matrix(m, k, 1), w = matrix(n, k, 2), tall = matrix(n + 9, k + 3, 3);
  const std::vector<std::tuple<const char *, List, std::function<Array(V)>>> cases = {
      {"input transposed", {x, w}, [](V v) { return matmul(v[0], transpose(v[1])); }},
      {"transposed", {x, w}, [](V v) { return matmul(v[0], transpose(v[1] + 1.0f)); }},
      {"left transposed", {transpose(x), w}, [](V v) { return matmul(transpose(v[0] * 2.0f), transpose(v[1])); }},
      {"slice, transposed",
       {x, tall},
       [](V v) { return matmul(v[0], transpose(slice(v[1] + 1.0f, {9, 1}, {n + 9, k + 1}))); }},
      {"transposed, slice",
       {x, tall},
       [](V v) { return matmul(v[0], slice(transpose(v[1] + 1.0f), {1, 9}, {k + 1, n + 9})); }},
      {"transposed, every other column",
       {x, matrix(2 * n, k, 3)},
       [](V v) { return matmul(v[0], slice(transpose(v[1] + 1.0f), {0, 0}, {k, 2 * n}, {1, 2})); }},
      {"transposed, backwards",
       {x, w},
       [](V v) { return matmul(v[0], slice(transpose(v[1] + 1.0f), {k - 1, 0}, {-1, n}, {-1, 1})); }},
      {"transposed, split",
       {x, matrix(n + 9, k, 3)},
       [](V v) { return matmul(v[0], split(transpose(v[1] + 1.0f), {n, 9}, 1)[0]); }},
      {"transposed, barrier",
       {x, w},
       [](V v) { return matmul(v[0], optimization_barrier({v[0], transpose(v[1] + 1.0f)})[1]); }},
      {"transposed, broadcast",
       {x, w},
       [](V v) {
         return matmul(broadcast_to(v[0] * 2.0f, {3, m, k}), broadcast_to(transpose(v[1] + 1.0f), {3, k, n}));
       }},
      {"constant", {x}, [](V v) { return matmul(v[0], broadcast_to(full({1, 1}, 0.5f), {k, n})) * arange(float(n)); }},
  };
  for (const auto &[name, inputs, function] : cases) {
    auto loss = [&f = function](V v) { return sum(tanh(f(v))); };
    List expected = grad(loss)(inputs), got = grad(jit(loss))(inputs);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(got[i].to_vector<float>(), expected[i].to_vector<float>()) << name << ", input " << i;
  }
}

/// The trace of the gradient of a scan of this length.
std::string tracedGradientOfScan(int64_t length) {
  Record record("outer");
  ActiveInterpreter active(record);
  Array x = record.input({f32, Device::cpu, {length}}), w = record.input({f32, Device::cpu, {}});
  auto loss = [&](const Array &v) {
    return scan([&](const Array &c, const Array &e) { return std::pair(tanh(c * v + e), none); }, Array(1.0f), x).first;
  };
  Array g = grad(loss)(w);
  return record.finish(std::span(&g, 1)).trace->str();
}

TEST_F(Region, GradientOfAScanIsAsShortForAnyLength) {
  auto lines = [](const std::string &text) { return std::count(text.begin(), text.end(), '\n'); };
  std::string of10 = tracedGradientOfScan(10), of1000 = tracedGradientOfScan(1000);
  EXPECT_EQ(lines(of10), lines(of1000));
  EXPECT_LT(lines(of10), 40) << of10;
}

/// A loss over rows, its gradient, and the gradients of single rows.
List rowsProgram(const Array &x, const Array &w) {
  Dim rows = x.shape()[0];
  auto loss = [&](const Array &v) {
    Array h = softmax(matmul(x, v));
    auto step = [](const Array &c, const Array &row) { return std::pair(c + row, row * c); };
    Array sums = scan(step, zeros({2}), h).second;
    return sum(mean(sums, {0}) * max(h, {0}) + sum(slice(h, {1, 0}, {rows, 2}), {0}));
  };
  return {grad(loss)(w), vmap(grad([&](const Array &row) { return sum(exp(matmul(row, w))); }))(x)};
}

TEST_F(Region, SymbolicSizesStayNames) {
  TraceRef trace;
  {
    Record record("outer");
    ActiveInterpreter active(record);
    Array x = record.input({f32, Device::cpu, {Dim("batch"), 3}}), w = record.input({f32, Device::cpu, {3, 2}});
    List results = rowsProgram(x, w);
    EXPECT_EQ(results[0].shape(), Shape({3, 2}));
    EXPECT_EQ(results[1].shape().str(), "(batch, 3)");
    trace = record.finish(results).trace;
  }
  for (int64_t rows : {2, 5}) {
    List in{astype(numbers({rows, 3}, -1, 1, 4), f32), astype(numbers({3, 2}, -1, 1, 5), f32)};
    List expected = rowsProgram(in[0], in[1]), got = evaluateTrace(*trace, in);
    for (size_t i = 0; i < got.size(); ++i)
      expectNear(got[i], expected[i], 0, "result " + std::to_string(i));
  }
}

TEST_F(Region, ScanGivesWhatALoopGives) {
  Array xs{1.0f, 2.0f, 3.0f};
  auto step = [](const Array &c, const Array &x) { return std::pair(c * 2.0f + x, c); };
  auto [carry, ys] = scan(step, 1.0f, xs);
  EXPECT_EQ(carry.item<float>(), 19);
  EXPECT_EQ(ys.to_vector<float>(), (std::vector<float>{1, 3, 8}));
  auto [back, backYs] = scan(step, 1.0f, xs, {.reverse = true});
  EXPECT_EQ(back.item<float>(), 25);
  EXPECT_EQ(backYs.to_vector<float>(), (std::vector<float>{12, 5, 1}));
  EXPECT_EQ(scan(step, 1.0f, zeros({0})).first.item<float>(), 1);
}

TEST_F(Region, LoopsWithBoundsThatAreArrays) {
  auto collatz = [](const Array &n) {
    return while_loop([](const std::pair<Array, Array> &s) { return s.first != 1; },
                      [](const std::pair<Array, Array> &s) {
                        Array half = s.first >> 1;
                        return std::pair(where(half + half == s.first, half, s.first * 3 + 1), s.second + 1);
                      },
                      std::pair(n, Array(0)))
        .second;
  };
  EXPECT_EQ(collatz(Array(27)).item<int>(), 111);
  Array sum = fori_loop(Array(2), Array(5), [](const Array &i, const Array &c) { return c + i; }, Array(int64_t(0)));
  EXPECT_EQ(sum.item<int>(), 9);
}

TEST_F(Region, WhileLoopHasNoDerivativeButConstantOnesPass) {
  auto f = [](const Array &x) {
    return while_loop([](const Array &c) { return c < 10.0f; }, [](const Array &c) { return c * 2.0f; }, x);
  };
  std::string text = errorOf([&] { grad(f)(Array(1.0f)); });
  EXPECT_THAT(text,
              HasSubstr("while_loop has no reverse-mode derivative: its number of rounds is unknown before it runs; "
                        "use scan, whose length is fixed, or while_loop with max_iterations"));
  // A loop that the argument does not enter has derivative zero.
  EXPECT_EQ(grad([&](const Array &x) { return x * f(Array(1.0f)); })(Array(3.0f)).item<float>(), 16);
  // One that only its condition reads decides how often, not smoothly.
  auto asked = [](const Array &x) {
    return x * while_loop([&](const Array &c) { return c < x; }, [](const Array &c) { return c * 2.0f; }, Array(1.0f));
  };
  EXPECT_EQ(grad(asked)(Array(5.0f)).item<float>(), 8);
}

TEST_F(Region, BatchedPredicates) {
  auto f = [](const Array &x) { return cond(x > 0.0f, [&] { return x * 2.0f; }, [&] { return -x; }); };
  EXPECT_EQ(vmap(f)(Array{1.0f, -3.0f}).to_vector<float>(), (std::vector<float>{2, 3}));
  // One for all examples, and branches of which only one has a result for each.
  for (bool same : {true, false}) {
    auto chosen = [&](bool then) {
      return vmap([&](const Array &x) {
               auto constant = [] { return Array(7.0f); };
               auto each = [&] { return x * 2.0f; };
               return then ? cond(Array(same), constant, each) : cond(Array(!same), each, constant);
             })(Array{1.0f, -3.0f})
          .to_vector<float>();
    };
    std::vector<float> expected = same ? std::vector<float>{7, 7} : std::vector<float>{2, -6};
    EXPECT_EQ(chosen(true), expected);
    EXPECT_EQ(chosen(false), expected);
  }
  std::string text = errorOf([] {
    vmap([](const Array &x) {
      return cond(
          x > 0.0f,
          [&] {
            print("{}", {x});
            return x;
          },
          [&] { return -x; });
    })(Array{1.0f, -3.0f});
  });
  EXPECT_THAT(text, HasSubstr("cond: under vmap the predicate differs between batch elements, so both branches run, "
                              "but one of them has a side effect"));
  EXPECT_THAT(text, HasSubstr("regions_test.cpp:"));
  // An example that is done keeps its carry while others go on: of several arrays, with
  // captured ones that differ or not, in a loop whose start is the same for all.
  auto apart = [](const Array &x, const Array &step) {
    return while_loop([&](const std::pair<Array, Array> &s) { return sum(s.second) < x; },
                      [&](const std::pair<Array, Array> &s) { return std::pair(s.first + 1, s.second * step); },
                      std::pair(Array(0), Array{1.0f, 2.0f}));
  };
  const Array bounds = {2.0f, 50.0f, 10.0f};
  auto expectApart = [&](const std::pair<Array, Array> &all) {
    EXPECT_EQ(all.first.to_vector<int32_t>(), (std::vector<int32_t>{0, 5, 2}));
    EXPECT_EQ(all.second.to_vector<float>(), (std::vector<float>{1, 2, 32, 64, 4, 8}));
  };
  expectApart(vmap([&](const Array &x) { return apart(x, Array(2.0f)); })(bounds));
  expectApart(vmap(apart)(bounds, full({3}, 2.0f)));
  expectApart(jit(vmap(apart))(bounds, full({3}, 2.0f)));
  const auto nested = vmap(vmap(apart))(reshape(bounds, {3, 1}), full({3, 1}, 2.0f));
  EXPECT_EQ(nested.first.to_vector<int32_t>(), (std::vector<int32_t>{0, 5, 2}));
  // The same number of rounds for all is no problem, with carries that become
  // batched on the way.
  Array powers = vmap([](const Array &x) {
    return while_loop([](const std::pair<Array, Array> &s) { return s.first < 3; },
                      [&](const std::pair<Array, Array> &s) { return std::pair(s.first + 1, s.second * x); },
                      std::pair(Array(0), Array(1.0f)))
        .second;
  })(Array{2.0f, 3.0f});
  EXPECT_EQ(powers.to_vector<float>(), (std::vector<float>{8, 27}));
}

TEST_F(Region, ACapturedArrayIsOneOperand) {
  Record record("outer");
  ActiveInterpreter active(record);
  Array p = record.input({Dtype::bool_, Device::cpu, {}}), x = record.input({f32, Device::cpu, {3}});
  Array y = cond(p, [&] { return x * 2.0f + x; }, [&] { return -x; });
  std::string text = record.finish(std::span(&y, 1)).trace->str();
  EXPECT_THAT(text, HasSubstr("= cond %0, %1 then(%0: f32[3]) {"));
}

TEST_F(Region, PrintsInOrder) {
  testing::internal::CaptureStdout();
  print("{{{}}} of {{}}", {Array(3)});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "{3} of {}\n") << "doubled braces are braces";
  testing::internal::CaptureStdout();
  Array y(7);
  vmap([&](const Array &x) {
    print("{} of {}", {x, y});
    return x;
  })(Array{1, 2, 3});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1 of 7\n2 of 7\n3 of 7\n");
  testing::internal::CaptureStdout();
  grad([&](const Array &v) {
    return scan(
               [](const Array &c, const Array &x) {
                 print("{}", {x});
                 return std::pair(c * x, none);
               },
               1.0f, v)
        .first;
  })(Array{1.0f, 2.0f});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1.\n2.\n");
}

struct State {
  Array position;
  std::vector<Array> history;
};

TEST_F(Region, ErrorsNameTheLeaf) {
  State start{zeros({2}), {zeros({3})}};
  std::string eager, traced;
  auto wrong = [&] {
    scan([](const State &s, const Array &x) { return std::pair(State{s.position, {s.history[0] + x}}, none); }, start,
         zeros({4}, f64));
  };
  eager = errorOf(wrong);
  EXPECT_THAT(
      eager,
      HasSubstr("scan: expected the body to return the carry history[0] with its initial type, f32[3], got f64[3]"));
  EXPECT_THAT(eager, HasSubstr("regions_test.cpp:"));
  {
    Record record("outer");
    ActiveInterpreter active(record);
    traced = errorOf(wrong);
  }
  EXPECT_EQ(eager, traced);
  std::string text = errorOf([&] {
    scan([](const State &s, const Array &) { return std::pair(State{s.position, {}}, none); }, start, zeros({4}));
  });
  EXPECT_THAT(text, HasSubstr("scan: the carry must have the same structure: history: expected 1 element, got 0"));
  text = errorOf([&] { scan([](const Array &c) { return std::pair(c, none); }, 1.0f, none); });
  EXPECT_THAT(text, HasSubstr("scan: expected inputs or a length, got neither"));
  text = errorOf([&] {
    scan([](const Array &c, const State &) { return std::pair(c, none); }, 1.0f, State{zeros({4}), {zeros({5})}});
  });
  EXPECT_THAT(text, HasSubstr("scan: expected inputs of one length, got 4 from the input position and 5 from the input "
                              "history[0]"));
  text =
      errorOf([&] { cond(Array(true), [] { return State{zeros({2}), {}}; }, [] { return State{zeros({3}), {}}; }); });
  EXPECT_THAT(text,
              HasSubstr("cond: expected branches whose results have the same types, got f32[2] from then and f32[3] "
                        "from otherwise for the result position"));
  text = errorOf([&] { cond(Array(1.0f), [] { return zeros({2}); }, [] { return zeros({2}); }); });
  EXPECT_THAT(text, HasSubstr("cond: expected a rank-0 bool as predicate, got f32[]"));
  text = errorOf([&] { while_loop([](const Array &c) { return c; }, [](const Array &c) { return c; }, 1.0f); });
  EXPECT_THAT(text, HasSubstr("while_loop: expected a rank-0 bool as result of the condition, got f32[]"));
  Array escaped;
  scan(
      [&](const Array &c, const Array &x) {
        escaped = x;
        return std::pair(c, none);
      },
      1.0f, zeros({2}));
  text = errorOf([&] { (void)exp(escaped); });
  EXPECT_THAT(text, HasSubstr("exp: a value of scan was used outside of it"));
}

} // namespace
