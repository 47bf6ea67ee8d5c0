//===- sizes_test.cpp - one compilation serves all sizes -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function has one symbolic size, is compiled once, runs at four sizes, and
// then from its saved blob, in a process without a compiler, at a fifth one.
// `sizes_test --blob FILE CASE SIZE` is that process;
// `--save FILE CASE` writes a blob.
//===----------------------------------------------------------------------===//
#include "test/Difference.h"
#include "test/system/Child.h"
#include "test/system/DigitsStep.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <ostream>

using namespace tenon;
using namespace tenon::testing_system;

namespace {

using Leaves = std::vector<Array>;

/// A function of one symbolic size, as arrays in and arrays out.
struct Case {
  const char *name;
  Leaves (*inputs)(int64_t n);
  /// Jitted once per process: all calls share its programs.
  Leaves (*compiled)(const Leaves &in);
  Leaves (*eager)(const Leaves &in);
  Lowered (*lower)(const Leaves &in);
  JitStats (*stats)();
  friend void PrintTo(const Case &of, std::ostream *out) { *out << of.name; }
};

Array numbers(const Shape &shape, uint64_t seed) { return random::normal(random::key(seed), shape); }

/// F names a function and its specs; one argument or two. F::eager is the same without bodies, which are compiled in
/// eager calls too.
template <class F>
auto &jitted() {
  static auto *made = new auto(jit(F::call, {.specs = F::specs(), .name = F::name}));
  return *made;
}
template <class F>
constexpr bool isUnary = requires(Array x) { F::call(x); };

template <class F>
Case makeCase() {
  return {F::name,
          F::inputs,
          [](const Leaves &in) -> Leaves {
            if constexpr (isUnary<F>)
              return {jitted<F>()(in[0])};
            else
              return {jitted<F>()(in[0], in[1])};
          },
          [](const Leaves &in) -> Leaves {
            if constexpr (requires { F::eager(in[0]); })
              return {F::eager(in[0])};
            else if constexpr (isUnary<F>)
              return {F::call(in[0])};
            else
              return {F::call(in[0], in[1])};
          },
          [](const Leaves &in) {
            if constexpr (isUnary<F>)
              return jitted<F>().lower(in[0]);
            else
              return jitted<F>().lower(in[0], in[1]);
          },
          [] { return jitted<F>().stats(); }};
}

const TensorSpec column{f32, {"n"}}, table{f32, {"n", 33}};

struct Add {
  static constexpr const char *name = "add";
  static std::vector<ArgumentSpec> specs() { return {table, TensorSpec{f32, {33}}}; }
  static Leaves inputs(int64_t n) { return {numbers({n, 33}, 1), numbers({33}, 2)}; }
  static Array call(const Array &x, const Array &y) { return x + y; }
};
struct Exp {
  static constexpr const char *name = "exp";
  static std::vector<ArgumentSpec> specs() { return {column}; }
  static Leaves inputs(int64_t n) { return {numbers({n}, 3)}; }
  static Array call(const Array &x) { return exp(x); }
};
struct Sum {
  static constexpr const char *name = "sum";
  static std::vector<ArgumentSpec> specs() { return {TensorSpec{f32, {33, "n"}}}; }
  static Leaves inputs(int64_t n) { return {numbers({33, n}, 4)}; }
  static Array call(const Array &x) { return sum(x, 1); }
};
struct Mean {
  static constexpr const char *name = "mean";
  static std::vector<ArgumentSpec> specs() { return {table}; }
  static Leaves inputs(int64_t n) { return {numbers({n, 33}, 5)}; }
  static Array call(const Array &x) { return mean(x); }
};
struct Softmax {
  static constexpr const char *name = "softmax";
  static std::vector<ArgumentSpec> specs() { return {TensorSpec{f32, {33, "n"}}}; }
  static Leaves inputs(int64_t n) { return {numbers({33, n}, 6)}; }
  static Array call(const Array &x) { return softmax(x); }
};
struct Reshape {
  static constexpr const char *name = "reshape";
  static std::vector<ArgumentSpec> specs() { return {table}; }
  static Leaves inputs(int64_t n) { return {numbers({n, 33}, 7)}; }
  static Array call(const Array &x) { return reshape(x, {x.dim(0) * x.dim(1)}) * 2.0f; }
};
struct Broadcast {
  static constexpr const char *name = "broadcast_to";
  static std::vector<ArgumentSpec> specs() { return {column}; }
  static Leaves inputs(int64_t n) { return {numbers({n}, 8)}; }
  static Array call(const Array &x) { return broadcast_to(x, {3, x.dim(0)}) + 1.0f; }
};
struct Matmul {
  static constexpr const char *name = "matmul";
  static std::vector<ArgumentSpec> specs() { return {table, TensorSpec{f32, {33, 17}}}; }
  static Leaves inputs(int64_t n) { return {numbers({n, 33}, 9), numbers({33, 17}, 10)}; }
  static Array call(const Array &x, const Array &y) { return matmul(x, y); }
};

struct Sort {
  static constexpr const char *name = "sort";
  static std::vector<ArgumentSpec> specs() { return {TensorSpec{f32, {5, "n"}}}; }
  static Leaves inputs(int64_t n) { return {numbers({5, n}, 13)}; }
  static Array call(const Array &x) {
    return sort(x, [](const Array &a, const Array &b) { return abs(a) < abs(b); });
  }
  static Array eager(const Array &x) { return take_along_axis(x, argsort(abs(x))); }
};
struct Scatter {
  static constexpr const char *name = "scatter";
  static std::vector<ArgumentSpec> specs() { return {column, TensorSpec{f32, {9}}}; }
  static Leaves inputs(int64_t n) { return {numbers({n}, 14), numbers({9}, 15)}; }
  static Array call(const Array &x, const Array &y) {
    const Array places = clip(astype(x * 3, i32), -9, 8);
    return y.at[places].apply([](const Array &a, const Array &b) { return a * 0.5f + b; }, x);
  }
};

auto &digits() {
  static auto *made = new auto(jitDigitsStep());
  return *made;
}
Net netOf(const Leaves &in) { return {{in[0], in[1]}, {in[2], in[3]}}; }
Leaves stepOf(auto &step, const Leaves &in) {
  Net net = netOf(in);
  Array loss = step(net, in[4], in[5]);
  return {loss, net.hidden.kernel, net.hidden.bias, net.out.kernel, net.out.bias};
}
Case digitsCase() {
  return {"digits",
          [](int64_t n) -> Leaves {
            Net net = makeNet();
            Array labels = astype(random::uniform(random::key(12), {n}) * 10.0f, i32);
            return {net.hidden.kernel, net.hidden.bias, net.out.kernel, net.out.bias, numbers({n, 64}, 11), labels};
          },
          [](const Leaves &in) { return stepOf(digits(), in); },
          [](const Leaves &in) { return stepOf(digitsStep, in); },
          [](const Leaves &in) {
            Net net = netOf(in);
            return digits().lower(net, in[4], in[5]);
          },
          [] { return digits().stats(); }};
}

const std::vector<Case> &cases() {
  static const auto *all =
      new std::vector<Case>{makeCase<Add>(),     makeCase<Exp>(),     makeCase<Sum>(),       makeCase<Mean>(),
                            makeCase<Softmax>(), makeCase<Reshape>(), makeCase<Broadcast>(), makeCase<Matmul>(),
                            makeCase<Sort>(),    makeCase<Scatter>(), digitsCase()};
  return *all;
}

/// The first difference of two results in type or bits, or "".
std::string difference(const Leaves &got, const Leaves &expected) {
  if (got.size() != expected.size())
    return "expected " + std::to_string(expected.size()) + " arrays, got " + std::to_string(got.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::string what = tenon::difference(got[i], expected[i]); !what.empty())
      return "result " + std::to_string(i) + ", " + what;
  }
  return "";
}

constexpr int64_t sizes[] = {2, 47, 64, 5003};
constexpr int64_t unseen = 131;

class Sizes : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Sizes, OneCompilation) {
  const Case &of = GetParam();
  Statistics before = statistics();
  for (int64_t n : sizes) {
    Leaves in = of.inputs(n);
    EXPECT_EQ(difference(of.compiled(in), of.eager(in)), "") << "at size " << n;
  }
  Statistics after = statistics();
  JitStats stats = of.stats();
  std::printf(
      "%s at sizes 2, 47, 64, 5003: traced %lu, compiled %lu, hits %lu; %lu kernels and %lu library steps ran\n",
      of.name, stats.traces, stats.compiles, stats.hits, after.generated_kernels - before.generated_kernels,
      after.library_steps - before.library_steps);
  RecordProperty("compiles", static_cast<int>(stats.compiles));
  RecordProperty("hits", static_cast<int>(stats.hits));
  EXPECT_EQ(stats.traces, 1u);
  EXPECT_EQ(stats.hits, 3u);
  EXPECT_EQ(stats.compiles, 1u);
  EXPECT_EQ(after.interpreted_programs, before.interpreted_programs);
}

TEST_P(Sizes, ABlobTakesASizeNeverSeen) {
  const Case &of = GetParam();
  std::string blob = scratch(std::string("sizes-") + of.name) / "program.blob";
  of.lower(of.inputs(2)).save_blob(blob);
  Ran ran = run("TENON_COMPILER=/nonexistent " + self().string() + " --blob " + blob + " " + of.name + " " +
                std::to_string(unseen) + " 2>&1");
  std::printf("%s", ran.output.c_str());
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(occurrences(ran.output, "same bits"), 1u);
}

INSTANTIATE_TEST_SUITE_P(, Sizes, testing::ValuesIn(cases()), [](const auto &info) { return info.param.name; });

// For valgrind_test.sh: valgrind knows no AVX-512.
TEST(SizesForValgrind, SavesABlobForV3) {
  std::string blob = scratch("sizes-v3") / "program.blob";
  Ran ran = run("TENON_ISA=v3 " + self().string() + " --save " + blob + " exp 2>&1");
  EXPECT_EQ(ran.status, 0) << ran.output;
  ran = run("TENON_COMPILER=/nonexistent TENON_ISA=v3 " + self().string() + " --blob " + blob + " exp 131 2>&1");
  std::printf("%s", ran.output.c_str());
  EXPECT_EQ(ran.status, 0);
}

static const Case *findCase(const std::string &name) {
  for (const Case &of : cases())
    if (of.name == name)
      return &of;
  throw Error("no such case: " + name);
}

/// Runs a blob and compares with the eager function.
static int runBlob(const std::string &path, const Case &of, int64_t n) {
  Leaves in = of.inputs(n);
  Leaves got = load_program(path)(Arrays(in));
  std::string wrong = difference(got, of.eager(in));
  Statistics ran = statistics();
  std::printf("the blob of %s at size %ld: %s; %lu programs, %lu kernels, %lu library steps\n", of.name, n,
              wrong.empty() ? "same bits" : wrong.c_str(), ran.programs, ran.generated_kernels, ran.library_steps);
  return wrong.empty() && ran.compilations == 0 && ran.interpreted_programs == 0 ? 0 : 1;
}

int main(int count, char **arguments) {
  std::string mode = count > 3 ? arguments[1] : "";
  try {
    if (count == 5 && mode == "--blob")
      return runBlob(arguments[2], *findCase(arguments[3]), std::atoll(arguments[4]));
    if (count == 4 && mode == "--save") {
      const Case &of = *findCase(arguments[3]);
      of.lower(of.inputs(2)).save_blob(arguments[2]);
      return 0;
    }
  } catch (const Error &error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  // Every fallback is a failure.
  setenv("TENON_STRICT", "1", 1);
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
