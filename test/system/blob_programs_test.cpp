//===- blob_programs_test.cpp - results and output of saved programs -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program loaded from a blob, in a process without a compiler, returns every
// array of the function's result, constants included, and prints what the
// function prints eagerly.
// `blob_programs_test --run BLOB INPUTS RESULTS` is that process: it reads
// INPUTS/0.npy and so on and writes RESULTS/0.npy and so on.
//===----------------------------------------------------------------------===//
#include "test/system/Child.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

using namespace tenon;
using namespace tenon::testing_system;

namespace {

using Leaves = std::vector<Array>;

std::string textOf(const Array &array) {
  std::ostringstream out;
  out << array;
  return out.str();
}

void save(const std::filesystem::path &folder, const Leaves &arrays) {
  std::filesystem::create_directories(folder);
  for (size_t i = 0; i < arrays.size(); ++i)
    save_npy(folder / (std::to_string(i) + ".npy"), arrays[i]);
}

Leaves load(const std::filesystem::path &folder) {
  Leaves arrays;
  for (;;) {
    std::filesystem::path file = folder / (std::to_string(arrays.size()) + ".npy");
    if (!std::filesystem::exists(file))
      return arrays;
    arrays.push_back(load_npy(file));
  }
}

/// Saves the program, runs it in another process and returns what that printed;
/// `results`: what the program returned.
std::string runElsewhere(const char *name, const Lowered &lowered, Leaves inputs, Leaves &results) {
  std::filesystem::path folder = scratch(name);
  lowered.save_blob(folder / "program.blob");
  inputs.insert(inputs.end(), lowered.captured().begin(), lowered.captured().end());
  save(folder / "in", inputs);
  std::string at = folder.string();
  Ran ran = run("TENON_COMPILER=/nonexistent " + self().string() + " --run " + at + "/program.blob " + at + "/in " +
                at + "/out 2>&1");
  EXPECT_EQ(ran.status, 0) << ran.output;
  results = load(folder / "out");
  return ran.output;
}

void expectResults(const Leaves &got, const Leaves &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(textOf(got[i]), textOf(expected[i])) << "result " << i;
}

std::string printed(auto &&call) {
  testing::internal::CaptureStdout();
  call();
  return testing::internal::GetCapturedStdout();
}

} // namespace

TEST(BlobPrograms, ReturnConstantsToo) {
  Array returned{1.0f, 2.0f}, used{3.0f, 4.0f}, x{5.0f, 6.0f};
  auto f = jit([&](const Array &v) {
    return std::tuple(returned, v * used, Array{7, 8, 9}, used, v, zeros({2}), std::vector{returned, v * used});
  });
  auto [a, b, c, d, e, zero, more] = f(x);
  Lowered lowered = f.lower(x);
  ASSERT_EQ(lowered.captured().size(), 3u);
  EXPECT_EQ(lowered.captured()[0].value(), used.value()) << "what the trace uses comes first";
  EXPECT_EQ(lowered.captured()[1].value(), returned.value());
  Leaves results;
  runElsewhere("blob-constants", lowered, {x}, results);
  expectResults(results, {a, b, c, d, e, zero, more[0], more[1]});
}

TEST(BlobPrograms, ReturnNothingButConstants) {
  auto f = jit([](const Array &) { return std::pair(Array{true, false}, Array(2.5f)); });
  Array x{1.0f};
  auto [a, b] = f(x);
  Leaves results;
  runElsewhere("blob-only-constants", f.lower(x), {x}, results);
  expectResults(results, {a, b});
}

TEST(BlobPrograms, AreOfTheAnswersThatWereRecorded) {
  auto f = jit([](const Array &x) {
    if (sum(x) <= 1)
      return x * x;
    return x - 1;
  });
  const std::filesystem::path folder = scratch("blob-guarded");
  std::filesystem::create_directories(folder);
  f.lower(Array(0.5f)).save_blob(folder / "program.blob");
  const LoadedProgram saved = load_program(folder / "program.blob");
  EXPECT_EQ(saved({Array(0.25f)})[0].item<float>(), 0.0625f);
  try {
    saved({Array(5.0f)});
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("the function was traced with another answer to a C++ branch at "), text.npos) << text;
    EXPECT_NE(text.find("blob_programs_test.cpp:"), text.npos) << text;
  }
  EXPECT_EQ(saved({Array(0.75f)})[0].item<float>(), 0.5625f);
}

TEST(BlobPrograms, ReturnUpdatedArgumentsLast) {
  Array fresh{0.5f, 0.25f};
  auto f = jit([&](Array &state, Array &count, const Array &x) {
    Array before = state;
    state = fresh;
    count = count + 1;
    return before * x;
  });
  Array state{1.0f, 2.0f}, count(3), x{4.0f, 5.0f};
  Lowered lowered = f.lower(state, count, x);
  Leaves inputs{state, count, x}, results;
  runElsewhere("blob-updates", lowered, inputs, results);
  Array result = f(state, count, x);
  expectResults(results, {result, state, count});
}

TEST(BlobPrograms, HoldOpsOfManyResults) {
  auto ends = [](const Array &x) {
    // More than 16 bits count.
    Leaves all = optimization_barrier(Leaves(70000, x));
    return std::pair(all.front() + all.back(), all[65536]);
  };
  auto f = jit(ends);
  Array x{1.5f, -2.0f};
  auto [sum, one] = ends(x);
  Leaves results;
  runElsewhere("blob-many-results", f.lower(x), {x}, results);
  expectResults(results, {sum, one});
}

TEST(BlobPrograms, HoldNumbersOf128Bits) {
  auto f = [](const Array &x, const Array &z) {
    return std::tuple(x * UINT64_MAX, sum(x), astype(x, f32), z * full({2}, complex128_t{0.1, 1e300}, c128),
                      matmul(z, z));
  };
  Array x{UINT64_MAX, uint64_t(1) << 63, uint64_t(7)}, z{complex128_t{0.1, -3}, complex128_t{1e-300, 2}};
  auto [a, b, c, d, e] = f(x, z);
  Leaves results;
  runElsewhere("blob-numbers", jit(f).lower(x, z), {x, z}, results);
  expectResults(results, {a, b, c, d, e});
}

TEST(BlobPrograms, AreNotCompiledTwice) {
  std::string path = scratch("blob-reuse") / "program.blob";
  Array x{1.0f, 2.0f, 3.0f};
  auto called = jit([](const Array &v) { return tanh(v) * 3.5f; });
  called(x);
  Statistics before = statistics();
  called.lower(x).save_blob(path);
  EXPECT_EQ(statistics().compilations, before.compilations) << "the process had the program";
  EXPECT_EQ(textOf(load_program(path)({x})[0]), textOf(called(x)));

  auto saved = jit([](const Array &v) { return tanh(v) * 4.5f; });
  saved.lower(x).save_blob(path);
  EXPECT_EQ(statistics().compilations, before.compilations + 1);
  EXPECT_EQ(textOf(saved(x)), textOf(load_program(path)({x})[0]));
  EXPECT_EQ(statistics().compilations, before.compilations + 1);
}

TEST(BlobPrograms, PrintWhatEagerPrints) {
  auto body = [](const Array &floats, const Array &integers, const Array &flags, const Array &rows) {
    print("floats {} and {{braces}} {}", {floats, transpose(integers)});
    print("", {flags, floats[1], integers[0][0], flags[0][1]});
    print("{:.3f} of\n{}", {floats[0], rows});
    scan(
        [](const Array &count, const Array &x) {
          print("round {}: {}", {count, x});
          return std::pair(count + 1, none);
        },
        Array(0), floats);
    return exp(floats);
  };
  Array floats{-0.0f, 1.5f, INFINITY, -1e-7f, NAN, 123456792.0f}, integers{{1, -20, 300}, {4, 5, INT32_MIN}},
      flags{{true, false}, {false, true}}, rows = astype(reshape(arange(1200), {40, 30}), f32);
  Leaves inputs{floats, integers, flags, rows};
  std::string eager = printed([&] { body(floats, integers, flags, rows); });
  // The text is numpy.array2string of each.
  EXPECT_EQ(eager.substr(0, eager.find("[[0.00")),
            "floats [-0.0000000e+00  1.5000000e+00            inf -1.0000000e-07\n"
            "            nan  1.2345679e+08] and {braces} [[          1           4]\n"
            " [        -20           5]\n"
            " [        300 -2147483648]]\n"
            "[[ True False]\n"
            " [False  True]] 1.5 1 False\n"
            "-0.000 of\n");
  EXPECT_EQ(occurrences(eager, "round "), 6u);

  auto interpreted = jit(body, {.compile = Compile::never}), compiled = jit(body);
  EXPECT_EQ(printed([&] { interpreted(floats, integers, flags, rows); }), eager);
  EXPECT_EQ(printed([&] { compiled(floats, integers, flags, rows); }), eager);
  EXPECT_EQ(interpreted.stats().compiles, 0u);
  EXPECT_EQ(compiled.stats().compiles, 1u);
  Leaves results;
  EXPECT_EQ(runElsewhere("blob-prints", compiled.lower(floats, integers, flags, rows), inputs, results), eager);
}

int main(int count, char **arguments) {
  if (count == 5 && std::string_view(arguments[1]) == "--run") {
    try {
      save(arguments[4], load_program(arguments[2])(Arrays(load(arguments[3]))));
      return statistics().compilations || statistics().interpreted_programs;
    } catch (const Error &error) {
      std::printf("%s\n", error.what());
      return 1;
    }
  }
  // Every fallback is a failure.
  setenv("TENON_STRICT", "1", 1);
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
