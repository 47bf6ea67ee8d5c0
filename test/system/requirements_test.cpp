//===- requirements_test.cpp - symbolic sizes that an op refuses when the program runs --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of a symbol is called with a size at which one of its ops does not
// fit. It says what an eager call says, at the op's line: compiled, interpreted,
// and loaded from a blob.
//===----------------------------------------------------------------------===//
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include <unistd.h>

using namespace tenon;
using testing::HasSubstr;

namespace {

struct Case {
  const char *name;
  Array (*function)(const Array &x);
  int64_t good, bad;
  const char *eager;    ///< the first line of the error, and its operand
  const char *symbolic; ///< what a loaded program says
  friend void PrintTo(const Case &of, std::ostream *out) { *out << of.name; }
};

Dim sizeOf(const Array &x) { return x.dim(0); }
Array tail(const Array &x) { return slice(x, {2}, {sizeOf(x)}); }

const Case cases[] = {
    {"slice", [](const Array &x) { return slice(x, {0}, {5}); }, 7, 3,
     "slice: bounds 0:5:1 are outside axis 0 of size 3\n  x: f32[3]",
     "slice: bounds 0:5:1 are outside axis 0 of size n, where n = 3\n"},
    {"slice_backward", [](const Array &x) { return slice(x, {6}, {-1}, {-1}); }, 7, 6,
     "slice: bounds 6:-1:-1 are outside axis 0 of size 6\n  x: f32[6]",
     "slice: bounds 6:-1:-1 are outside axis 0 of size n, where n = 6\n"},
    {"index", [](const Array &x) { return x[4]; }, 5, 4,
     "slice: bounds 4:5:1 are outside axis 0 of size 4\n  x: f32[4]\n  inside index",
     "slice: bounds 4:5:1 are outside axis 0 of size n, where n = 4\n"},
    {"index_from_the_end", [](const Array &x) { return x[-3]; }, 3, 2,
     "slice: bounds -1:0:1 are outside axis 0 of size 2\n  x: f32[2]\n  inside index",
     "slice: bounds n - 3:n - 2:1 are outside axis 0 of size n, where n = 2\n"},
    {"full", [](const Array &x) { return full({sizeOf(x) - 4}, 1.0f) + sum(x); }, 4, 3,
     "full: expected sizes >= 0, got the shape (-1,)",
     "full: expected sizes >= 0, got the shape (n - 4,), where n = 3\n"},
    {"split", [](const Array &x) { return split(x, {5, sizeOf(x) - 5})[0]; }, 6, 3,
     "split: expected sizes >= 0, got -2\n  x: f32[3]",
     "split: expected sizes >= 0, got the shape (n - 5,), where n = 3\n"},
    {"max", [](const Array &x) { return max(tail(x)); }, 3, 2,
     "max: expected at least one element along axis 0, got the shape (0,)\n  x: f32[0]",
     "max: expected at least one element along axis 0, got the shape (n - 2,), where n = 2\n"},
    {"argmax", [](const Array &x) { return argmax(tail(x), 0); }, 3, 2,
     "argmax: expected at least one element along axis 0, got the shape (0,)\n  x: f32[0]",
     "argmax: expected at least one element along axis 0, got the shape (n - 2,), where n = 2\n"},
    {"max_in_a_loop",
     [](const Array &x) {
       return fori_loop(0, 2, [&](const Array &, const Array &c) { return c + max(tail(x)); }, sum(x));
     },
     3, 2, "max: expected at least one element along axis 0, got the shape (0,)\n  x: f32[0]",
     "max: expected at least one element along axis 0, got the shape (n - 2,), where n = 2\n"},
    {"max_in_a_branch",
     [](const Array &x) { return cond(sum(x) > 100.0f, [&] { return max(tail(x)); }, [&] { return sum(x); }); }, 3, 2,
     "max: expected at least one element along axis 0, got the shape (0,)\n  x: f32[0]",
     "max: expected at least one element along axis 0, got the shape (n - 2,), where n = 2\n"},
    {"scan_length",
     [](const Array &x) {
       return scan([&](const Array &c) { return std::pair(c + sum(x), none); }, sum(x), none, {.length = sizeOf(x) - 4})
           .first;
     },
     5, 3, "scan: expected a length >= 0, got -1", "scan: expected a length >= 0, got n - 4, where n = 3\n"},
};

class Requirements : public testing::TestWithParam<Case> {
protected:
  const Case &test = GetParam();
  Array input(int64_t n) { return arange(static_cast<float>(n)); }
  auto jitted(Compile compile) { return jit(test.function, {.specs = {TensorSpec{f32, {"n"}}}, .compile = compile}); }
};

TEST_P(Requirements, AreCheckedAtEachCall) {
  std::string eager = test::errorOf([&] { test.function(input(test.bad)); });
  for (Compile compile : {Compile::now, Compile::never}) {
    auto f = jitted(compile);
    EXPECT_EQ(format("{}", f(input(test.good))), format("{}", test.function(input(test.good))));
    std::string text = test::errorOf([&] { f(input(test.bad)); });
    EXPECT_THAT(text, testing::StartsWith(test.eager));
    EXPECT_THAT(text, HasSubstr("\n  at " __FILE__ ":"));
    // The same line as eagerly, the op's.
    EXPECT_EQ(text.substr(text.rfind("\n  at ")), eager.substr(eager.rfind("\n  at ")));
    // The function goes on.
    EXPECT_EQ(format("{}", f(input(test.good))), format("{}", test.function(input(test.good))));
    EXPECT_EQ(f.stats().traces, 1u);
  }
}

TEST_P(Requirements, AreCheckedByALoadedProgram) {
  std::string path = testing::TempDir() + "requirements-" + std::to_string(getpid()) + ".blob";
  jitted(Compile::now).lower(input(test.good)).save_blob(path);
  auto program = load_program(path);
  std::filesystem::remove(path);
  EXPECT_EQ(format("{}", program({input(test.good)})[0]), format("{}", test.function(input(test.good))));
  std::string text = test::errorOf([&] { program({input(test.bad)}); });
  EXPECT_THAT(text, testing::StartsWith(test.symbolic));
  EXPECT_THAT(text, HasSubstr("\n  at " __FILE__ ":"));
  for (int64_t size : {0, 1})
    EXPECT_THAT(test::errorOf([&] { program({input(size)}); }),
                testing::StartsWith("input 0: expected f32[n] with n >= 2, got f32[" + std::to_string(size) + "]\n"));
}

INSTANTIATE_TEST_SUITE_P(System, Requirements, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

// Run op by op, a negative padding crops.
TEST(RequirementsOf, ASymbolicPaddingAreThatItDoesNotCrop) {
  for (Compile compile : {Compile::now, Compile::never}) {
    auto f = jit([](const Array &x) { return pad(x, 0.0f, {sizeOf(x) - 8}, {0}); },
                 {.specs = {TensorSpec{f32, {"n"}}}, .compile = compile});
    EXPECT_EQ(f(ones({9})).shape(), Shape({10}));
    EXPECT_THAT(
        test::errorOf([&] { f(ones({7})); }),
        testing::StartsWith("pad: expected paddings >= 0, got low -1, high 0, interior 0 for axis 0\n  x: f32[7]"));
    EXPECT_EQ(f(ones({8})).shape(), Shape({8}));
  }
}

// A row of no elements has no largest one, but a softmax over it is no error.
TEST(RequirementsOf, ASoftmaxOverNothingAreNone) {
  for (auto *function :
       {+[](const Array &x) { return softmax(tail(x)); }, +[](const Array &x) { return log_softmax(tail(x)); }})
    for (Compile compile : {Compile::now, Compile::never}) {
      auto f = jit(function, {.specs = {TensorSpec{f32, {"n"}}}, .compile = compile});
      for (int64_t size : {7, 2, 3}) {
        Array x = tanh(arange(static_cast<float>(size)));
        EXPECT_EQ(f(x).to_vector<float>(), function(x).to_vector<float>()) << size;
      }
      EXPECT_EQ(f.stats().traces, 1u);
      // Nested, its sizes are those of the call.
      auto outer = jit([&](const Array &x) { return f(x) + 1.0f; }, {.compile = compile});
      for (int64_t size : {2, 3, 7}) {
        Array x = tanh(arange(static_cast<float>(size)));
        EXPECT_EQ(outer(x).to_vector<float>(), (function(x) + 1.0f).to_vector<float>()) << size;
      }
    }
}

TEST(RequirementsOf, ASymbolAreMetByProgramsOfTheirOwnFor0And1) {
  auto f = [](const Array &x) { return x * 2.0f; };
  for (Compile compile : {Compile::now, Compile::never}) {
    auto jitted = jit(f, {.specs = {TensorSpec{f32, {"n"}}}, .compile = compile});
    for (int64_t size : {5, 1, 0, 2})
      EXPECT_EQ(jitted(ones({size})).to_vector<float>(), std::vector<float>(static_cast<size_t>(size), 2.0f));
  }
}

} // namespace
