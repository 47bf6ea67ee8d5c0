//===- devices_test.cpp - compiled programs on a device other than the host --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The null device's memory ends a process whose host reads or writes it.
//===----------------------------------------------------------------------===//
#include "test/system/Child.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <thread>

using namespace tenon;
using namespace tenon::testing_system;

namespace {

using Leaves = std::vector<Array>;
const Device away = Device::null;

Leaves moved(const Leaves &arrays) {
  Leaves there;
  for (const Array &array : arrays)
    there.push_back(to_device(array, away));
  return there;
}

std::string textOf(const Leaves &arrays) {
  std::string text;
  for (const Array &array : arrays)
    text += format("{}\n", array);
  return text;
}

/// Compiled on the device is as plain on the host; what came out is there.
template <class F>
void expectSame(const F &f, const Leaves &inputs) {
  const Statistics before = statistics();
  const Leaves results = jit(f)(moved(inputs));
  EXPECT_EQ(statistics().interpreted_programs, before.interpreted_programs);
  EXPECT_GT(statistics().programs, before.programs);
  for (const Array &result : results)
    EXPECT_EQ(result.device(), away);
  EXPECT_EQ(textOf(results), textOf(f(inputs)));
}

const Array x = random::normal(random::key(1), {33, 47}), weights = random::normal(random::key(2), {47, 8}),
            bias = random::normal(random::key(3), {8});

TEST(CompiledOnADevice, KernelsAndLibrarySteps) {
  expectSame([](const Leaves &in) { return Leaves{tanh(matmul(in[0], in[1]) * 2 + in[2]) - 1, transpose(in[0]) + 1}; },
             {x, weights, bias});
  expectSame([](const Leaves &in) { return Leaves{softmax(in[0]), sum(exp(in[0]), 0), max(in[0]), mean(in[0], 1)}; },
             {x});
  expectSame([](const Leaves &in) { return Leaves{in[0], zeros_like(in[0]) + 3, in[0] < 300}; },
             {astype(arange(6), u8)});
}

/// Sizes at which launches are cut into chunks, and at which arenas are large.
TEST(CompiledOnADevice, LargeArrays) {
  const Array large = random::normal(random::key(4), {1000, 600});
  auto f = [](const Leaves &in) {
    return std::vector{sum(softmax(in[0] * 2, 0) - exp(-in[0]), 1), sum(in[0] + in[0], 0)};
  };
  expectSame(f, {large});
}

TEST(CompiledOnADevice, InputsThatAreViews) {
  const Leaves there = moved({x});
  auto f = jit([](const Array &a) { return exp(a) + a; });
  EXPECT_EQ(format("{}", f(transpose(there[0]))), format("{}", exp(transpose(x)) + transpose(x)));
  EXPECT_EQ(format("{}", f(there[0][3])), format("{}", exp(x[3]) + x[3]));
}

TEST(CompiledOnADevice, LoopsAndBranches) {
  auto f = [](const Leaves &in) {
    auto [last, all] =
        scan([](const Array &carry, const Array &row) { return std::pair(tanh(carry + row), carry * row); },
             zeros_like(in[0][0]), in[0]);
    const Array grown =
        while_loop([](const Array &y) { return sum(y) < 1000; }, [](const Array &y) { return y * 2 + 1; }, in[0]);
    const Array chosen =
        cond(sum(in[0]) > 0, [](const Array &y) { return y + 1; }, [](const Array &y) { return y - 1; }, in[0]);
    const Array switched = switch_case(
        argmax(in[0][0]), [](const Array &y) { return y * 3; }, [](const Array &y) { return y * 5; },
        [](const Array &y) { return y * 7; }, in[0]);
    const Array counted = fori_loop(1, 4, [](const Array &i, const Array &y) { return y * astype(i, f32); }, in[0]);
    return Leaves{last, all, grown, chosen, switched, counted};
  };
  expectSame(f, {x});
  // Eagerly each is a program of its own.
  const Leaves there = f(moved({x}));
  for (const Array &result : there)
    EXPECT_EQ(result.device(), away);
  EXPECT_EQ(textOf(there), textOf(f({x})));
}

TEST(CompiledOnADevice, NumbersOfRegions) {
  auto f = [](const Leaves &in) {
    auto twice = [](const Array &y) { return y * 2; };
    auto less = [](const Array &y) { return y - 1; };
    auto [last, all] =
        scan([](const Array &carry, const Array &row) { return std::pair(carry + sum(row), row); }, 0.5f, in[0]);
    return Leaves{cond(true, twice, less, in[0]), switch_case(1, twice, less, in[0]), last, all,
                  cond(false, [&] { return in[0] * 3; }, [&] { return in[0] - 3; })};
  };
  expectSame(f, {x});
  EXPECT_EQ(textOf(f(moved({x}))), textOf(f({x})));
}

TEST(CompiledOnADevice, DerivativesAndUpdates) {
  struct Line {
    Array w, b;
  };
  auto step = [](Line &line, const Array &in) {
    auto [loss, slope] = value_and_grad([&](const Line &at) { return mean(tanh(matmul(in, at.w) + at.b)); })(line);
    line = tree_map([](auto &p, auto &g) { return p - 0.5f * g; }, line, slope);
    return loss;
  };
  Line here{weights, bias}, there{to_device(weights, away), to_device(bias, away)};
  auto compiled = jit(step);
  const Array in = to_device(x, away);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(format("{}", compiled(there, in)), format("{}", step(here, x)));
  EXPECT_EQ(there.w.device(), away);
  EXPECT_EQ(format("{} {}", there.w, there.b), format("{} {}", here.w, here.b));
}

TEST(CompiledOnADevice, ValuesArePrinted) {
  auto f = [](const Array &a) {
    print("{} then {:.3f}", {a, sum(a)});
    return a + 1;
  };
  auto printed = [&](const auto &function, const Array &a) {
    ::testing::internal::CaptureStdout();
    function(a);
    return ::testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(printed(jit(f), to_device(bias, away)), printed(f, bias));
}

/// What is asked for is done when it is waited for, in the order that arrays need.
TEST(CompiledOnADevice, ArraysOfOtherThreads) {
  auto f = jit([](const Array &a) { return tanh(a) * 2 + 1; });
  Array there;
  std::thread([&] { there = f(to_device(x, away)); }).join();
  EXPECT_EQ(format("{}", f(there)), format("{}", f(f(x))));
}

TEST(CompiledOnADevice, ADonatedArrayThatIsStillRead) {
  auto f = jit([](const Array &a) { return a * 2 + 1; });
  Array there = to_device(x, away), read;
  std::thread([&] { read = there - 1; }).join();
  const void *place = there.value()->data;
  const Array written = f(std::move(there));
  EXPECT_EQ(written.value()->data, place) << "it is not donated";
  EXPECT_EQ(format("{}", written), format("{}", x * 2 + 1));
  EXPECT_EQ(format("{}", read), format("{}", x - 1));
}

TEST(CompiledOnADevice, ProgramsThatOnlyPrint) {
  ::testing::internal::CaptureStdout();
  jit([](const Array &a) { print("{:.1f} is here", {a}); })(to_device(full({}, 1.5f), away) * 2);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "3.0 is here\n");
}

/// One jitted function has a program for each device.
TEST(CompiledOnADevice, ADeviceIsAPartOfASignature) {
  auto f = jit([](const Array &a) { return tanh(a) * 2; });
  const Array here = f(bias), there = f(to_device(bias, away)), again = f(bias);
  EXPECT_EQ(here.device(), Device::cpu);
  EXPECT_EQ(there.device(), away);
  EXPECT_EQ(again.device(), Device::cpu);
  EXPECT_EQ(textOf({here, here}), textOf({there, again}));
}

/// No program runs on two devices; interpreted, each op runs where its arrays are. (What is demanded here is a
/// program.)
TEST(CompiledOnADevice, OneProgramOnTwoDevices) {
  auto f = [](const Array &a, const Array &b) { return std::pair(a + 1, b * 2); };
  auto [here, there] = jit(f, {.compile = Compile::never})(x, to_device(x, away));
  EXPECT_EQ(here.device(), Device::cpu);
  EXPECT_EQ(there.device(), away);
  EXPECT_EQ(textOf({here, there}), textOf({x + 1, x * 2}));
  try {
    jit(f)(x, to_device(x, away));
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("expected values on one device, got some on several"), std::string::npos)
        << error.what();
  }
}

/// A saved program has no device: it runs where its inputs are.
TEST(CompiledOnADevice, SavedPrograms) {
  const std::string path = scratch("devices") / "program.blob";
  auto f = [](const Array &a, const Array &b) { return exp(a) + matmul(a, b); };
  const Array square = random::normal(random::key(6), {47, 47});
  const Array product = random::normal(random::key(5), {47, 47});
  jit(f).lower(to_device(square, away), to_device(product, away)).save_blob(path);
  LoadedProgram program = load_program(path);
  const std::string expected = format("{}", f(square, product));
  EXPECT_EQ(format("{}", program({square, product})[0]), expected);
  const Array there = program({to_device(square, away), to_device(product, away)})[0];
  EXPECT_EQ(there.device(), away);
  EXPECT_EQ(format("{}", there), expected);
  try {
    program({to_device(square, away), product});
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("input 1: expected f32[47, 47] on null:0, got f32[47, 47]"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
