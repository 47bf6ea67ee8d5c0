//===- jit_test.cpp - jit: caching, retracing, errors, threads -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"
#include "test/unit/LogLines.h"

#include "lib/program/Programs.h"
#include "lib/trace/Trace.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

using namespace tenon;
using tenon::test::messageOf;
using testing::HasSubstr;

namespace {

/// Records how many programs the test made.
struct Jit : test::WithLog {
  void TearDown() override {
    // What the runs with a constant hash must not change.
    Statistics now = statistics();
    RecordProperty("traces", static_cast<int>(now.traces - before_.traces));
    RecordProperty("compilations", static_cast<int>(now.compilations - before_.compilations));
    RecordProperty("program_hits", static_cast<int>(now.program_hits - before_.program_hits));
  }

private:
  Statistics before_ = statistics();
};

struct Layer {
  Array kernel, bias;
};
struct Net {
  std::vector<Layer> layers;
  Array operator()(Array x) const {
    for (const Layer &layer : layers)
      x = tanh(matmul(x, layer.kernel) + layer.bias);
    return x;
  }
};

Net makeNet() { return {{{ones({3, 4}), zeros({4})}, {ones({4, 2}) * 0.5f, ones({2})}}}; }

} // namespace

TEST_F(Jit, TracesOncePerSignature) {
  int runs = 0;
  auto f = jit([&](const Array &x) {
    ++runs;
    return exp(x) * 2.0f;
  });
  Array plain = exp(ones({4})) * 2.0f;
  EXPECT_EQ(f(ones({4})).to_vector<float>(), plain.to_vector<float>());
  f(zeros({4}));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(f.stats().traces, 1u);
  EXPECT_EQ(f.stats().hits, 1u);
  f(ones({8}));
  EXPECT_EQ(f.stats().traces, 2u);
  f(ones({8}, f64));
  EXPECT_EQ(f.stats().traces, 3u);
  f(ones({4}));
  EXPECT_EQ(f.stats().hits, 2u);
  EXPECT_EQ(runs, 3);
}

TEST_F(Jit, SaysWhyItTracesAgain) {
  auto f = jit([](const Net &net, const Array &x) { return net(x); }, {.name = "net"});
  Net net = makeNet();
  f(net, ones({5, 3}));
  EXPECT_EQ(logged.count("net: traced (first call)"), 1u);
  f(net, ones({6, 3}));
  EXPECT_EQ(logged.count("net: traced again: arg 1: f32[6, 3], was f32[5, 3]"), 1u);
  net.layers[0].kernel = astype(net.layers[0].kernel, f64);
  f(net, ones({6, 3}));
  EXPECT_EQ(logged.count("arg 0: layers[0].kernel: f64[3, 4], was f32[3, 4]"), 1u);
  auto g = jit([](int first, const Array &x, int last) { return x * first + last; }, {.name = "numbers"});
  g(1, ones({3}), 2);
  g(1, ones({3}), 3);
  EXPECT_EQ(logged.count("numbers: traced again: arg 2: expected 2, got 3"), 1u);
  g(4, ones({3}), 5);
  EXPECT_EQ(logged.count("numbers: traced again: arg 0: expected 1, got 4; arg 2: expected 3, got 5"), 1u);
}

TEST_F(Jit, StaticValuesAreInTheSignature) {
  auto f = jit([](const Array &x, int times) {
    Array sum = x;
    for (int i = 1; i < times; ++i)
      sum = sum + x;
    return sum;
  });
  EXPECT_EQ(f(ones({2}), 3).to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(f(ones({2}), 5).to_vector<float>(), (std::vector<float>{5, 5}));
  EXPECT_EQ(f.stats().traces, 2u);
}

TEST_F(Jit, TreesInAndOut) {
  auto f = jit([](const Net &net, const Array &x) { return std::tuple(net, net(x), 7); });
  Net net = makeNet();
  auto [same, y, seven] = f(net, ones({1, 3}));
  EXPECT_EQ(seven, 7);
  EXPECT_EQ(same.layers[1].bias.value(), net.layers[1].bias.value()) << "an output that is an input is its handle";
  EXPECT_EQ(y.to_vector<float>(), net(ones({1, 3})).to_vector<float>());
}

TEST_F(Jit, UpdatesLvaluesTogetherOrNotAtAll) {
  auto f = jit([](Net &net, const Array &x) {
    net.layers[0].bias = net.layers[0].bias + 1.0f;
    return sum(net(x));
  });
  Net net = makeNet();
  Array before = net.layers[0].kernel;
  f(net, ones({1, 3}));
  f(net, ones({1, 3}));
  EXPECT_EQ(net.layers[0].bias.to_vector<float>(), (std::vector<float>{2, 2, 2, 2}));
  EXPECT_EQ(net.layers[0].kernel.value(), before.value());
  Array bias = net.layers[0].bias;
  EXPECT_THROW(f(net, ones({1, 7})), Error);
  EXPECT_EQ(net.layers[0].bias.value(), bias.value());
}

TEST_F(Jit, GenericCallablesUpdateToo) {
  auto f = jit([](auto &x, const auto &y) { x = x + y; });
  Array x = ones({2}), y = ones({2});
  f(x, y);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_NE(messageOf([&] { f(x, x); }).find("arg 0 is updated and is also arg 1"), std::string::npos);
}

TEST_F(Jit, AStaticValueMustNotChange) {
  struct Counter {
    Array value;
    int steps = 0;
  };
  auto f = jit([](Counter &counter) {
    counter.value = counter.value + 1;
    ++counter.steps;
  });
  Counter counter{zeros({})};
  EXPECT_NE(messageOf([&] { f(counter); }).find("a static value"), std::string::npos);
  EXPECT_EQ(counter.steps, 0);
}

TEST_F(Jit, CapturedArraysAreReadOnce) {
  Array scale(2.0f);
  auto f = jit([&](const Array &x) { return x * scale; });
  EXPECT_EQ(f(ones({2})).to_vector<float>(), (std::vector<float>{2, 2}));
  scale = Array(5.0f);
  EXPECT_EQ(f(ones({2})).to_vector<float>(), (std::vector<float>{2, 2}));
}

TEST_F(Jit, NestedJitIsOneCall) {
  auto inner = jit([](const Array &x) { return x * x; }, {.name = "inner"});
  auto outer = jit([&](const Array &x) { return inner(x) + inner(x + 1.0f); });
  EXPECT_EQ(outer(Array{1.f, 2.f}).to_vector<float>(), (std::vector<float>{5, 13}));
  EXPECT_EQ(inner.stats().traces, 1u);
  EXPECT_NE(outer.lower(Array{1.f, 2.f}).trace().find("call"), std::string::npos);
}

TEST_F(Jit, NamesAreForPeople) {
  // Equal functions of other names are one program.
  auto outer = [](const char *name) {
    auto inner = jit([](const Array &x) { return sum(x * x * 0.75f); }, {.name = name});
    return jit([inner](const Array &x) { return inner(x) - inner(x + 1.0f); }, {.compile = Compile::never});
  };
  auto f = outer("f"), g = outer("g \"2\"");
  const Array x{1.0f, 2.0f};
  const uint64_t before = statistics().program_hits;
  EXPECT_EQ(f(x).item<float>(), g(x).item<float>());
  EXPECT_EQ(statistics().program_hits - before, 1u);
  // The texts show them, and a file keeps them.
  for (auto [lowered, shown] : {std::pair(f.lower(x), "body \"f\"("), {g.lower(x), "body \"g \\\"2\\\"\"("}}) {
    const std::string path = testing::TempDir() + "/" + std::to_string(getpid()) + ".trace";
    EXPECT_NE(lowered.trace().find(shown), std::string::npos) << lowered.trace();
    lowered.save_trace(path);
    EXPECT_EQ(loadTrace(path)->str(), lowered.trace());
    std::filesystem::remove(path);
  }
  // What is made of a function is called after it, not after an equal one.
  auto h = outer("h");
  for (auto [function, name] : {std::pair(f, "\"f"), {h, "\"h"}}) {
    const std::string text = jit(grad(function)).lower(x).trace();
    EXPECT_THAT(text, HasSubstr(std::string(" body ") + name + "\"("));
    EXPECT_THAT(text, HasSubstr(std::string(" body ") + name + " backward\"("));
    EXPECT_THAT(jit(vmap(function)).lower(reshape(x, {1, 2})).trace(), HasSubstr(std::string("body ") + name + "\"("));
  }
}

TEST_F(Jit, TransformationsThatNestWithoutEndAreAnError) {
  std::function<Array(const Array &, int)> nested = [&](const Array &x, int depth) {
    return depth ? jit([&](const Array &y) { return nested(y, depth - 1); }, {.compile = Compile::never})(x) : x + 1.0f;
  };
  EXPECT_EQ(nested(ones({2}), 60).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_NE(messageOf([&] { nested(ones({2}), 70); }).find("expected at most 64 nested transformations"),
            std::string::npos);
}

TEST_F(Jit, MemberFunctionsAndFunctors) {
  auto f = jit(&Net::operator());
  Net net = makeNet();
  EXPECT_EQ(f(net, ones({1, 3})).to_vector<float>(), net(ones({1, 3})).to_vector<float>());
  auto g = jit(makeNet());
  EXPECT_EQ(g(ones({1, 3})).to_vector<float>(), net(ones({1, 3})).to_vector<float>());
}

TEST_F(Jit, KeysAreInputs) {
  auto f = jit([](const Key &key) { return random::uniform(key, {4}); });
  EXPECT_EQ(f(random::key(1)).to_vector<float>(), random::uniform(random::key(1), {4}).to_vector<float>());
  EXPECT_EQ(f(random::key(2)).to_vector<float>(), random::uniform(random::key(2), {4}).to_vector<float>());
  EXPECT_EQ(f.stats().traces, 1u);
}

TEST_F(Jit, OneProgramServesAllSizesOfASymbol) {
  auto f = jit([](const Array &x, const Array &w) { return sum(matmul(x, w), 0); },
               {.specs = {TensorSpec{f32, {"batch", 3}}, as_called}, .name = "f"});
  Array w = ones({3, 2});
  for (int batch : {2, 47, 64, 5003}) {
    float expected = static_cast<float>(3 * batch);
    EXPECT_EQ(f(ones({batch, 3}), w).to_vector<float>(), (std::vector<float>{expected, expected}));
  }
  EXPECT_EQ(f.stats().traces, 1u);
  f(ones({1, 3}), w);
  EXPECT_EQ(f.stats().traces, 2u);
  EXPECT_EQ(logged.count("f: compiled separately for batch = 1"), 1u);
  EXPECT_NE(messageOf([&] { f(ones({4, 5}), w); }).find("expected f32[batch, 3] as the specs say, got f32[4, 5]"),
            std::string::npos);
}

TEST_F(Jit, AFunctionWithSymbolsMayBeTransformed) {
  auto plain = [](const Array &x, const Array &w) { return sum(exp(x) * matmul(x, w)); };
  std::vector<ArgumentSpec> specs = {TensorSpec{f32, {"n", 3}}, as_called};
  auto f = jit(plain, {.specs = specs, .name = "f"});
  Array w = random::normal(random::key(1), {3, 3});
  auto same = [](const Array &got, const Array &expected) {
    return got.shape() == expected.shape() && got.to_vector<float>() == expected.to_vector<float>();
  };
  for (int n : {2, 5, 64}) {
    Array x = random::normal(random::key(2), {n, 3}), stack = random::normal(random::key(3), {4, n, 3});
    EXPECT_TRUE(same(grad(f)(x, w), grad(plain)(x, w)));
    EXPECT_TRUE(same(jit(grad(f))(x, w), grad(plain)(x, w)));
    EXPECT_TRUE(same(vmap(f, {.in_axes = {0, none}})(stack, w), vmap(plain, {.in_axes = {0, none}})(stack, w)));
    EXPECT_TRUE(
        same(vmap(grad(f), {.in_axes = {0, none}})(stack, w), vmap(grad(plain), {.in_axes = {0, none}})(stack, w)));
    auto curvature = [&](auto &g) { return grad([&](const Array &v) { return sum(tanh(grad(g)(v, w))); })(x); };
    EXPECT_TRUE(same(curvature(f), curvature(plain)));
    EXPECT_TRUE(same(
        scan([&](const Array &c, const Array &v) { return std::pair(c + f(v, w), none); }, Array(0.0f), stack).first,
        scan([&](const Array &c, const Array &v) { return std::pair(c + plain(v, w), none); }, Array(0.0f), stack)
            .first));
  }
  EXPECT_EQ(f.stats().traces, 1u);
  // In a function with a symbol of another name, and with one that is twice the other.
  auto outer = jit(grad([&](const Array &x, const Array &v) { return f(x, v) + f(concatenate({x, x}, 0), v); }),
                   {.specs = {TensorSpec{f32, {"m", 3}}, as_called}, .name = "outer"});
  for (int n : {2, 7}) {
    Array x = random::normal(random::key(4), {n, 3});
    Array expected =
        grad([&](const Array &y, const Array &v) { return plain(y, v) + plain(concatenate({y, y}, 0), v); })(x, w);
    EXPECT_TRUE(same(outer(x, w), expected));
  }
  EXPECT_EQ(outer.stats().traces, 1u);
  EXPECT_EQ(f.stats().traces, 3u);
}

TEST_F(Jit, EqualSymbolsAreOneSize) {
  auto f = jit([](const Array &x, const Array &y) { return x + y; },
               {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {"n"}}}});
  EXPECT_EQ(f(ones({3}), ones({3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_THROW(f(ones({3}), ones({4})), Error);
}

TEST_F(Jit, EveryCallMustFitTheSpecs) {
  auto f =
      jit([](const Array &x, const Array &y) { return sum(x) + sum(y); },
          {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {Dim("n") * 2}}}, .compile = Compile::never, .name = "f"});
  for (int n : {3, 4})
    EXPECT_EQ(f(ones({n}), ones({2 * n})).item<float>(), float(3 * n));
  EXPECT_EQ(f.stats().traces, 1u);
  auto expect = [&](const std::string &text, const Array &x, const Array &y) {
    const std::string message = messageOf([&] { f(x, y); });
    EXPECT_EQ(message.substr(0, message.find("\n")), text);
  };
  expect("f: arg 1: expected f32[2*n] as the specs say, got f32[7]; n is 3 elsewhere", ones({3}), ones({7}));
  expect("f: arg 0: expected f32[n] as the specs say, got f64[3]", ones({3}, f64), ones({6}));
  expect("f: arg 0: expected f32[n] as the specs say, got f32[]", ones({}), ones({6}));
  EXPECT_EQ(f.stats().traces, 1u);
}

TEST_F(Jit, APrintHasTheOptionsOfItsCall) {
  for (Compile mode : {Compile::now, Compile::never}) {
    auto f = jit(
        [](const Array &x) {
          print("x = {}", {x});
          return x;
        },
        {.compile = mode});
    const PrintOptions before = print_options();
    PrintOptions few = before;
    few.precision = 2;
    testing::internal::CaptureStdout();
    f(Array(1.2345f));
    set_print_options(few);
    f(Array(1.2345f));
    set_print_options(before);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "x = 1.2345\nx = 1.23\n");
    EXPECT_EQ(f.stats().traces, 2u); // what it writes of constants may be other text
  }
}

TEST_F(Jit, ValuesDoNotEscape) {
  Array kept;
  auto f = jit(
      [&](const Array &x) {
        kept = x * 2.0f;
        return x;
      },
      {.name = "leaky"});
  f(ones({2}));
  EXPECT_NE(messageOf([&] { (void)(kept + 1.0f); }).find("a value of leaky was used outside of it"), std::string::npos);
}

TEST_F(Jit, ThreadsThatMissTogetherCompileOnce) {
  auto f = jit([](const Array &x) { return exp(x) * 3.0f; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k)
        EXPECT_EQ(f(zeros({3})).to_vector<float>(), (std::vector<float>{3, 3, 3}));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(f.stats().traces, 4u);
  EXPECT_LE(f.stats().compiles, 1u) << "0 without a compiler";
  uint64_t traces = f.stats().traces;
  f(zeros({3}));
  EXPECT_EQ(f.stats().traces, traces) << "the first trace was kept";
}

TEST_F(Jit, ABodyMayWaitForAThreadThatCallsTheFunction) {
  // Neither a lock nor a mark that it is being traced may stop the second thread.
  std::function<Array(const Array &)> again;
  int depth = 0;
  auto f = jit([&](const Array &x) {
    if (depth++ == 0)
      std::thread([&] { EXPECT_EQ(again(ones({2})).to_vector<float>(), (std::vector<float>{2, 2})); }).join();
    return x + 1.0f;
  });
  again = [&](const Array &x) { return f(x); };
  EXPECT_EQ(f(ones({2})).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(depth, 2);
  f(ones({2}));
  EXPECT_EQ(depth, 2);
}

TEST_F(Jit, EagerScopeRunsThePlainFunction) {
  int runs = 0;
  auto f = jit([&](const Array &x) {
    ++runs;
    return x + 1.0f;
  });
  EagerScope off;
  f(ones({2}));
  f(ones({2}));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(f.stats().traces, 0u);
}

TEST_F(Jit, AnRvalueMayBeOverwrittenOnlyByItsOwner) {
  auto f = jit([](const Array &x) { return x + 1.0f; });
  Array x = ones({1000}), other = x;
  Array y = f(std::move(x));
  EXPECT_EQ(other.to_vector<float>(), ones({1000}).to_vector<float>());
  EXPECT_EQ(y.to_vector<float>(), (ones({1000}) + 1.0f).to_vector<float>());
}

TEST_F(Jit, WhatAResultIsStaysAsItWas) {
  struct Both {
    Array same, power;
  };
  const std::vector<float> twos(1000, 2.0f), powers = exp(full({1000}, 2.0f)).to_vector<float>();
  auto two = [] { return full({1000}, 2.0f) * 1.0f; };
  auto pair = jit([](const Array &x) { return std::pair(x, exp(x)); });
  auto [x, power] = pair(two());
  EXPECT_EQ(x.to_vector<float>(), twos);
  EXPECT_EQ(power.to_vector<float>(), powers);
  auto both = jit([](const Array &x) { return Both{x, exp(x)}; })(two());
  EXPECT_EQ(both.same.to_vector<float>(), twos);
  EXPECT_EQ(both.power.to_vector<float>(), powers);
  auto [first, second, third] = jit([](const Array &x) { return std::tuple(exp(x), x, x); })(two());
  EXPECT_EQ(first.to_vector<float>(), powers);
  EXPECT_EQ(second.to_vector<float>(), twos);
  EXPECT_EQ(third.value(), second.value());
  // A leaf of a struct that is donated, and views.
  auto rest = jit([](const Both &b) { return std::tuple(b.same, exp(b.same), b.power[0], exp(b.power)); });
  auto [same, same2, element, power2] = rest(Both{two(), two()});
  EXPECT_EQ(same.to_vector<float>(), twos);
  EXPECT_EQ(same2.to_vector<float>(), powers);
  EXPECT_EQ(element.item<float>(), 2.0f);
  EXPECT_EQ(power2.to_vector<float>(), powers);
  auto [turned, power3] =
      jit([](const Array &x) { return std::pair(reshape(x, {10, 100}), exp(x)); }, {.compile = Compile::now})(two());
  EXPECT_EQ(turned.to_vector<float>(), twos);
  EXPECT_EQ(power3.to_vector<float>(), powers);
}

TEST_F(Jit, WhatAnUpdateTakesStaysAsItWas) {
  const std::vector<float> twos(1000, 2.0f), powers = exp(full({1000}, 2.0f)).to_vector<float>();
  auto two = [] { return full({1000}, 2.0f) * 1.0f; };
  auto set = jit([](Array &state, const Array &x) {
    state = x;
    return exp(x);
  });
  Array state = zeros({3});
  EXPECT_EQ(set(state, two()).to_vector<float>(), powers);
  EXPECT_EQ(state.to_vector<float>(), twos);
  // One Array given twice has two owners.
  auto twice = jit([](const Array &x, const Array &y) { return std::pair(x, exp(y)); });
  Array a = two();
  auto [x, power] = twice(std::move(a), std::move(a));
  EXPECT_EQ(x.to_vector<float>(), twos);
  EXPECT_EQ(power.to_vector<float>(), powers);
}

TEST_F(Jit, WhatABarrierHandsOnIsTheArrayItself) {
  const Array x = full({1000}, 2.0f);
  const Array y = jit([](const Array &a) { return optimization_barrier({a * 2.0f, a})[1]; })(x);
  EXPECT_EQ(y.value()->data, x.value()->data);
}

TEST_F(Jit, AnOutputIsTakenAsOftenAsItIsNamed) {
  auto f = jit([](Array &state, Array &same, const Array &x) {
    Array y = exp(x);
    state = y;
    same = y;
    return std::pair(y, y);
  });
  const Array x = full({1000}, 2.0f);
  const std::vector<float> powers = exp(x).to_vector<float>();
  Array state = x, same = zeros({3});
  for (int call = 0; call < 2; ++call) {
    auto [first, second] = f(state, same, x);
    for (const Array *each : {&first, &second, &state, &same})
      EXPECT_EQ(each->to_vector<float>(), powers);
  }
}

TEST_F(Jit, ADonatedBufferIsStillReused) {
  auto f = jit([](const Array &x, const Array &y) { return std::pair(y, exp(x)); });
  Array x = ones({1000}) * 2.0f;
  const void *data = x.value()->data;
  auto [y, power] = f(std::move(x), ones({1000}) * 2.0f);
  if (statistics().generated_kernels) {
    EXPECT_EQ(power.value()->data, data);
  }
}

/// Given away, and another argument besides.
TEST_F(Jit, AnArrayThatIsAnotherArgumentTooIsNotDonated) {
  struct Model {
    Array w, b;
  };
  auto f = jit([](const Array &a, const Array &b) { return std::pair(sort(a), flip(b, {0})); });
  auto g = jit([](const Array &a, const Model &m) { return std::pair(a * 2, sum(m.w) + m.b); });
  for (const int64_t n : {8, 1000, 100000})
    for (int round = 0; round < 2; ++round) {
      Array x = arange(n, {}, 1, f32) * -1.0f;
      const std::vector<float> sorted = sort(x).to_vector<float>(), flipped = flip(x, {0}).to_vector<float>();
      const auto [a, b] = f(std::move(x), x);
      EXPECT_EQ(a.to_vector<float>(), sorted);
      EXPECT_EQ(b.to_vector<float>(), flipped);
      Model m{ones({n}) * 2.0f, Array(1.0f)};
      const auto [twice, total] = g(std::move(m.w), m);
      EXPECT_EQ(total.item<float>(), 2.0f * static_cast<float>(n) + 1);
      EXPECT_EQ(twice[0].item<float>(), 4);
    }
}

TEST_F(Jit, AConstRvalueStays) {
  auto f = jit([](const Array &x) { return exp(x); });
  const Array x = ones({1000}) * 2.0f;
  auto call = [x, &f] { return f(std::move(x)); }; // NOLINT: what a lambda holds is const
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(call().to_vector<float>(), exp(x).to_vector<float>());
  f(std::move(x)); // NOLINT
  EXPECT_TRUE(x.has_value());
}

/// Who listens to the log may do as it likes with the arguments.
TEST_F(Jit, TheLogMayAssignTheArguments) {
  static Array x;
  const LogSink before = set_log([](LogTopic, std::string_view) { x = Array(); });
  auto f = jit([](const Array &a) { return sum(a) > 0 ? a * 2 : -a; });
  for (const float sign : {1.0f, -1.0f, 1.0f})
    for (const int64_t n : {1000, 1001, 1002, 1003, 1004}) {
      x = ones({n}) * sign;
      EXPECT_EQ(sum(f(x)).item<float>(), static_cast<float>(n) * (sign > 0 ? 2 : 1));
    }
  set_log(before);
  x = Array();
}

TEST_F(Jit, WhatACallWasGivenIsLetGo) {
  auto f = jit([](const Array &x, const Array &y) { return x + y; });
  const Array other = ones({4});
  int gone = 0;
  alignas(64) static const float elements[] = {1, 2, 3, 4};
  for (int i = 1; i < 4; ++i) {
    f(from_memory(elements, f32, {4}, [&] { ++gone; }), other);
    EXPECT_EQ(gone, 2 * i - 1);
    f(other, from_memory(elements, f32, {4}, [&] { ++gone; }));
    EXPECT_EQ(gone, 2 * i);
  }
}

/// A call is of what the handles were when it began.
TEST_F(Jit, AFunctionMayAssignTheHandlesItIsCalledWith) {
  using Floats = std::vector<float>;
  for (const Compile compile : {Compile::now, Compile::never}) {
    Array x{1.0f, 2.0f};
    auto clears = jit([&x](const Array &a) { return x = Array(), a * 2; }, {.compile = compile});
    EXPECT_EQ(clears(x).to_vector<float>(), (Floats{2, 4}));
    EXPECT_FALSE(x.has_value());
    x = Array{1.0f, 2.0f};
    auto updates = jit([&x](Array &a) { x = Array(), a = a + 1; }, {.compile = compile});
    updates(x);
    EXPECT_EQ(x.to_vector<float>(), (Floats{2, 3}));
    auto takes = jit([&x](const Array &a) { return x = Array{5.0f}, a + 1; }, {.compile = compile});
    EXPECT_EQ(takes(std::move(x)).to_vector<float>(), (Floats{3, 4}));
    EXPECT_EQ(x.to_vector<float>(), (Floats{5}));
    auto asks = jit([&x](const Array &a) { return x = Array(), a[0] > 0 ? a * 2 : -a; }, {.compile = compile});
    for (const float number : {1.0f, -3.0f, 2.0f, -1.0f}) {
      x = Array{number, 2.0f};
      EXPECT_EQ(asks(x).to_vector<float>(), number > 0 ? (Floats{number * 2, 4}) : (Floats{-number, -2}));
    }
    EXPECT_EQ(asks.trace_count(), 2u);
  }
}

TEST_F(Jit, AReusedBufferHasTheTypeOfTheResult) {
  auto reused = [](auto function, const std::vector<int> &expected, const Shape &shape, Dtype dtype) {
    Array x = arange(6, {}, 1, f32) * 1.0f;
    const void *data = x.value()->data;
    Array y = jit(function)(std::move(x));
    EXPECT_EQ(y.shape(), shape);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(astype(y, i32).to_vector<int>(), expected);
    return y.value()->data == data;
  };
  const uint64_t kernels = statistics().generated_kernels;
  const bool shape = reused([](const Array &x) { return reshape(x + 1.0f, {2, 3}); }, {1, 2, 3, 4, 5, 6}, {2, 3}, f32);
  const bool dtype = reused([](const Array &x) { return astype(x * 2.0f, i32); }, {0, 2, 4, 6, 8, 10}, {6}, i32);
  EXPECT_TRUE((shape && dtype) || statistics().generated_kernels == kernels) << "no buffer was reused";
}

TEST_F(Jit, AnRvalueThatIsNotReusedStays) {
  auto f = jit([](const Array &x) { return x + 1.0f; }, {.compile = Compile::never});
  Array x = ones({1000});
  f(std::move(x));
  ASSERT_TRUE(x.has_value()) << "the interpreter writes into no argument";
  EXPECT_EQ(x.to_vector<float>(), std::vector<float>(1000, 1.0f));
}

TEST_F(Jit, ADonatedViewLeavesWhatItBelongsTo) {
  auto f = jit([](const Array &x) { return x + 1.0f; });
  Array base = ones({2, 1000}) * 2.0f;
  const std::vector<float> before = base.to_vector<float>();
  for (int which = 0; which < 4; ++which) {
    Array view = which < 2 ? base[which] : which == 2 ? reshape(base, {1000, 2}) : slice(base, {1, 0}, {2, 500});
    Array y = f(std::move(view));
    EXPECT_EQ(y.to_vector<float>(), std::vector<float>(static_cast<size_t>(y.size().raw()), 3.0f));
    EXPECT_EQ(base.to_vector<float>(), before);
  }
}

TEST_F(Jit, AResultHoldsWhatItIsMadeOf) {
  // The inner function captures a traced array: its entry serves this call alone.
  auto loss = [](const Array &x) {
    auto inner = jit([&](const Array &y) { return std::pair(sum(y * x), std::string(100, 'n')); });
    auto [value, text] = inner(x + 1.0f);
    EXPECT_EQ(text, std::string(100, 'n'));
    return value;
  };
  EXPECT_EQ(grad(loss)(Array{1.f, 2.f}).to_vector<float>(), (std::vector<float>{3, 5}));
}

TEST_F(Jit, ACapturedTracedArrayIsThatOfEachCall) {
  const Array *factor = nullptr;
  auto inner = jit([&](const Array &y) { return sum(y * *factor); });
  auto loss = [&](const Array &x) {
    factor = &x;
    return inner(x + 1.0f);
  };
  EXPECT_EQ(grad(loss)(Array{1.f, 2.f}).to_vector<float>(), (std::vector<float>{3, 5}));
  EXPECT_EQ(grad(loss)(Array{3.f, 4.f}).to_vector<float>(), (std::vector<float>{7, 9}));
}

TEST_F(Jit, WhatIsTracedTwiceAtOnceIsKeptOnce) {
  ProgramCacheLimit limit = programCacheLimit();
  std::function<Array(const Array &)> again;
  bool isInside = false;
  auto f = jit(
      [&](const Array &x) {
        if (x.shape()[0].raw() == 2 && !std::exchange(isInside, true))
          std::thread([&] { again(ones({2})); }).join();
        return x + 1.0f;
      },
      {.compile = Compile::never});
  again = [&](const Array &x) { return f(x); };
  f(ones({3}));
  setProgramCacheLimit({.programs = 2});
  f(ones({2}));
  EXPECT_EQ(f.stats().traces, 3u);
  f(ones({3}));
  EXPECT_EQ(f.stats().traces, 3u) << "there is room for two signatures";
  setProgramCacheLimit(limit);
}

TEST_F(Jit, AResultSurvivesTheDropOfItsEntry) {
  // Nothing but the last entry fits: each thread drops what the others return.
  ProgramCacheLimit limit = programCacheLimit();
  setProgramCacheLimit({.bytes = 1});
  auto f =
      jit([](const Array &x) { return std::pair(x + 1.0f, std::string(static_cast<size_t>(x.shape()[0].raw()), 'n')); },
          {.compile = Compile::never});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 100; ++k) {
        int n = 20 + (i + k) % 3;
        auto [sum, text] = f(ones({n}));
        EXPECT_EQ(text, std::string(static_cast<size_t>(n), 'n'));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  setProgramCacheLimit(limit);
}

TEST_F(Jit, BytesAndSignaturesAreBounded) {
  ProgramCacheLimit before = programCacheLimit();
  auto tracesOf = [](auto &f, int n) {
    uint64_t traces = f.stats().traces;
    f(ones({n}));
    return f.stats().traces - traces;
  };
  // In no other test: what threads leave in the process's cache is not counted.
  auto f = jit([](const Array &x) { return x * 3.0f - 7.0f; }, {.compile = Compile::never});
  setProgramCacheLimit({.programs = 20});
  for (int n = 1; n <= 30; ++n)
    EXPECT_EQ(tracesOf(f, n), 1u);
  for (int n = 30; n > 10; --n)
    EXPECT_EQ(tracesOf(f, n), 0u) << n;
  EXPECT_EQ(tracesOf(f, 5), 1u);
  EXPECT_EQ(tracesOf(f, 30), 1u) << "the least recently used has gone";
  EXPECT_EQ(tracesOf(f, 11), 0u);
  // What is kept of a function counts the arrays that it captures.
  Array large = ones({10000});
  auto g = jit([&](const Array &x) { return sum(large) + x; }, {.compile = Compile::never});
  setProgramCacheLimit({.bytes = 100000});
  for (int n : {1, 2, 2, 3, 3, 2})
    tracesOf(g, n);
  EXPECT_EQ(g.stats().traces, 3u);
  EXPECT_EQ(tracesOf(g, 1), 1u);
  setProgramCacheLimit(before);
}

TEST_F(Jit, SizesBesideAOneAreFoundAgain) {
  auto f = jit([](const Array &x) { return x * 5.0f - 2.0f; },
               {.specs = {TensorSpec{f32, {"batch", "n"}}}, .compile = Compile::never});
  for (int round = 0; round < 2; ++round) {
    for (int n = 2; n < 40; ++n)
      EXPECT_EQ(f(ones({1, n})).to_vector<float>(), std::vector<float>(static_cast<size_t>(n), 3.0f));
    EXPECT_EQ(f.stats().traces, 38u);
  }
  for (int n = 2; n < 40; ++n)
    f(ones({3, n}));
  EXPECT_EQ(f.stats().traces, 39u);
}

TEST_F(Jit, ARetraceIsComparedWithTheLastUsed) {
  auto f = jit([](const Array &x, int number) { return x + number; }, {.compile = Compile::never, .name = "far"});
  for (int n = 1; n <= 40; ++n)
    f(ones({n}), n);
  // The very first is nearer, but a line of the log is not worth a walk over all.
  f(ones({1}), 100);
  EXPECT_EQ(logged.count("; arg 0: f32[1], was f32[40]"), 1u);
}

TEST_F(Jit, TenThousandLeavesAreUpdated) {
  auto f = jit(
      [](std::vector<Array> &leaves, Array &more) {
        for (Array &leaf : leaves)
          leaf = leaf + 1.0f;
        more = leaves[0];
      },
      {.compile = Compile::never});
  std::vector<Array> leaves(10000, zeros({}));
  Array more = zeros({});
  f(leaves, more);
  f(leaves, more);
  EXPECT_EQ(leaves[9999].item<float>(), 2.0f);
  EXPECT_EQ(more.item<float>(), 2.0f);
  EXPECT_NE(messageOf([&] { f(leaves, leaves[7000]); }).find("arg 0: [7000] is updated and is also arg 1"),
            std::string::npos)
      << messageOf([&] { f(leaves, leaves[7000]); });
}

TEST_F(Jit, ManySignaturesAreFoundAgain) {
  auto f = jit([](const Array &x) { return x + 1.0f; }, {.compile = Compile::never, .name = "many"});
  for (int n = 1; n <= 300; ++n)
    EXPECT_EQ(f(ones({n})).size(), n);
  for (int n = 300; n >= 1; --n)
    EXPECT_EQ(f(ones({n})).size(), n);
  EXPECT_EQ(f.stats().traces, 300u);
  EXPECT_EQ(f.stats().hits, 300u);
  // The specs' sizes are not in the hash, those of other arguments are.
  auto g = jit([](const Array &x, const Array &y) { return sum(x) + y; },
               {.specs = {TensorSpec{f32, {"n"}}, as_called}, .compile = Compile::never});
  for (int n : {2, 3, 1, 0, 5})
    for (int m : {4, 5, 1})
      EXPECT_EQ(g(ones({n}), ones({m})).to_vector<float>(), std::vector<float>(size_t(m), float(n + 1)));
  EXPECT_EQ(g.stats().traces, 9u);
  for (int n : {7, 1, 0})
    g(ones({n}), ones({5}));
  EXPECT_EQ(g.stats().traces, 9u);
}

TEST_F(Jit, AStridedInputHasTheBitsOfEager) {
  auto f = jit([](const Array &x, const Array &y) { return std::pair(matmul(x, y), exp(x)); });
  std::vector<Key> keys = random::split(random::key(0));
  for (int size : {7, 33, 64}) {
    Array x = transpose(random::normal(keys[0], {40, size})), y = random::normal(keys[1], {40, 33});
    auto [product, power] = f(x, y);
    EXPECT_EQ(product.to_vector<float>(), matmul(x, y).to_vector<float>()) << "the product reads the transposed matrix";
    EXPECT_EQ(power.to_vector<float>(), exp(x).to_vector<float>());
  }
}

TEST_F(Jit, EqualSizesWithOtherStridesAreAnotherPlan) {
  auto f = jit([](const Array &x) { return std::pair(x * 2.0f, reshape(x, {25})); });
  Array x = reshape(arange(25, {}, 1, f32), {5, 5}), wide = reshape(arange(50, {}, 1, f32), {5, 10});
  Array every = slice(wide, {0, 0}, {5, 10}, {1, 2}), back = slice(x, {4, 0}, {-1, 5}, {-1, 1});
  for (int round = 0; round < 2; ++round)
    for (const Array &input : {x, transpose(x), every, back, transpose(every)}) {
      auto [twice, flat] = f(input);
      EXPECT_EQ(twice.to_vector<float>(), (input * 2.0f).to_vector<float>());
      EXPECT_EQ(flat.to_vector<float>(), input.to_vector<float>());
    }
  EXPECT_EQ(f.stats().traces, 1u);
}

TEST_F(Jit, StridesOfOneOfSeveralArguments) {
  const Array x = reshape(arange(6, {}, 1, f32), {2, 3}) + 0.25f, t = transpose(reshape(x, {3, 2}));
  for (const bool isStridedFirst : {true, false}) {
    auto f = jit([isStridedFirst](const Array &a, const Array &b) {
      return sum(a * (isStridedFirst ? 2.0f : 3.0f) - b, 0) + a[1]; // programs of their own
    });
    for (int round = 0; round < 3; ++round)
      for (const auto &[a, b] :
           {std::pair(isStridedFirst ? t : x, x), std::pair(x, x), std::pair(x, t), std::pair(t, x)})
        EXPECT_EQ(f(a, b).to_vector<float>(),
                  (sum(a * (isStridedFirst ? 2.0f : 3.0f) - b, 0) + a[1]).to_vector<float>());
  }
}

TEST_F(Jit, EqualProgramsOfCapturesWithOtherStrides) {
  auto with = [](const Array &w) { return jit([w](const Array &x) { return sum(x * w, 0) - w[1]; }); };
  const Array dense = reshape(arange(6, {}, 1, f32), {2, 3}), x = dense + 0.5f;
  const Array strided = transpose(reshape(arange(6, {}, 1, f32), {3, 2}));
  auto ofDense = with(dense), ofStrided = with(strided), again = with(dense + 0.0f);
  for (int round = 0; round < 3; ++round)
    for (const Array &in : {x, transpose(reshape(x, {3, 2}))}) {
      EXPECT_EQ(ofDense(in).to_vector<float>(), (sum(in * dense, 0) - dense[1]).to_vector<float>());
      EXPECT_EQ(ofStrided(in).to_vector<float>(), (sum(in * strided, 0) - strided[1]).to_vector<float>());
      EXPECT_EQ(again(in).to_vector<float>(), (sum(in * dense, 0) - dense[1]).to_vector<float>());
    }
}

TEST_F(Jit, TheProcessForgetsPrograms) {
  // Found again from another function: in the process's cache.
  auto hits = [](int n) {
    const uint64_t before = statistics().program_hits;
    jit([](const Array &x) { return x * 3.0f; }, {.compile = Compile::never})(ones({n}));
    return statistics().program_hits - before;
  };
  const ProgramCacheLimit limit = programCacheLimit();
  setProgramCacheLimit({.bytes = 1});
  EXPECT_EQ(hits(11), 0u);
  EXPECT_EQ(hits(11), 1u);
  EXPECT_EQ(hits(12), 0u);
  EXPECT_EQ(hits(11), 0u);
  setProgramCacheLimit(limit);
  EXPECT_EQ(hits(11), 1u);
  EXPECT_EQ(hits(12), 0u);
  EXPECT_EQ(hits(11), 1u);
  // What was forgotten takes no room any more.
  setProgramCacheLimit({.bytes = 1});
  EXPECT_EQ(hits(13), 0u);
  setProgramCacheLimit({.bytes = 20000});
  for (int n = 100; n < 400; ++n)
    EXPECT_EQ(hits(n), 0u);
  EXPECT_EQ(hits(398), 1u);
  EXPECT_EQ(hits(399), 1u);
  EXPECT_EQ(hits(100), 0u);
  setProgramCacheLimit(limit);
}

TEST_F(Jit, WhatIsNotToBeCompiledIsAnotherProgram) {
  auto hits = [](Compile mode) {
    const uint64_t before = statistics().program_hits;
    jit([](const Array &x) { return x * 11.0f; }, {.compile = mode})(ones({13}));
    return statistics().program_hits - before;
  };
  for (uint64_t found : {0u, 1u}) {
    EXPECT_EQ(hits(Compile::never), found);
    EXPECT_EQ(hits(Compile::now), found);
  }
}

TEST_F(Jit, AReturnedArrayIsAnInputOfWhatIsLowered) {
  Array two = {2.0f, 2.0f};
  auto f = jit([&](const Array &x) { return std::tuple(two, x + 1.0f, two); }, {.name = "f"});
  Lowered lowered = f.lower(ones({2}));
  ASSERT_EQ(lowered.captured().size(), 1u);
  EXPECT_EQ(lowered.captured()[0].value(), two.value());
  const std::string text = lowered.trace();
  EXPECT_EQ(text.find("trace (%0: f32[2], %1: f32[2]) {"), 0u) << text;
  EXPECT_NE(text.find("return %1, %3, %1"), std::string::npos) << text;
}
