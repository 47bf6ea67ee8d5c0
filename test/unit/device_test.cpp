//===- device_test.cpp - arrays on a device other than the host ----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The null device's memory ends a process whose host reads or writes it, so that
// these end at all is most of what they say.
//===----------------------------------------------------------------------===//
#include "lib/array/Buffer.h"
#include "runtime/device/Null.h"
#include "runtime/memory/Memory.h"
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <cstdio>

using namespace tenon;
using namespace tenon::test;

namespace {

const Device away = Device::null;
Array there(const Array &x) { return to_device(x, away); }

/// What `f` gives for arrays on the device is there, and is what the host gives.
template <class F>
void expectSame(const F &f, const std::vector<Array> &inputs, const char *what) {
  std::vector<Array> moved;
  for (const Array &input : inputs)
    moved.push_back(there(input));
  const std::vector<Array> here = f(inputs), others = f(moved);
  ASSERT_EQ(here.size(), others.size());
  for (size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(others[i].device(), away) << what << ", result " << i;
    EXPECT_EQ(format("{}", others[i]), format("{}", here[i])) << what << ", result " << i;
  }
}

const Array matrix = reshape(arange(12, {}, 1, f32), {3, 4}) / 8 - 0.5f,
            column = reshape(arange(3, {}, 1, f32), {3, 1});

using Leaves = std::vector<Array>;

TEST(OnADevice, ElementsGoThereAndBack) {
  const size_t before = rt::memoryStatistics().blocksInUse;
  {
    for (Dtype dtype : {Dtype::bool_, u8, i64, bf16, f32, f64, c128}) {
      const Array x = astype(reshape(arange(24), {2, 3, 4}), dtype), y = there(x);
      EXPECT_EQ(y.device(), away);
      EXPECT_EQ(y.dtype(), dtype);
      EXPECT_EQ(format("{}", to_device(y, Device::cpu)), format("{}", x)) << name(dtype);
      // A view that is not dense, on either side.
      EXPECT_EQ(format("{}", there(transpose(x))), format("{}", transpose(x))) << name(dtype);
      EXPECT_EQ(format("{}", to_device(transpose(y)[1], Device::cpu)), format("{}", transpose(x)[1])) << name(dtype);
    }
    EXPECT_EQ(format("{}", there(zeros({0, 3}))), format("{}", zeros({0, 3})));
    EXPECT_EQ(there(zeros({100, 100})).to_vector<float>(), std::vector<float>(10000));
    const Array y = there(matrix);
    EXPECT_EQ(to_device(y, away).value(), y.value());
  }
  rt::findDevice(away)->streams->finishAll(); // what is asked for keeps what it needs
  EXPECT_EQ(rt::memoryStatistics().blocksInUse, before);
}

TEST(OnADevice, TheHostAsksForElements) {
  const Array x = there(matrix);
  EXPECT_EQ(x.to_vector<float>(), matrix.to_vector<float>());
  EXPECT_EQ(transpose(x).to_vector<float>(), transpose(matrix).to_vector<float>());
  EXPECT_EQ((x > 0).to_vector<bool>(), (matrix > 0).to_vector<bool>());
  EXPECT_EQ(x[1][2].item<float>(), 0.25f);
  EXPECT_EQ(x[1][2].item<double>(), 0.25);
  EXPECT_EQ(float(x[1][2]), 0.25f);
  EXPECT_TRUE(x[1][2] > 0);
  EXPECT_EQ(format("{:.2f}", x[0][0]), "-0.50");
  EXPECT_EQ(format("{}", x), format("{}", matrix));
  float sum = 0;
  for (const Array &row : x)
    for (const Array &element : row)
      sum += float(element);
  EXPECT_EQ(sum, 2.25f);
}

TEST(OnADevice, ValuesArePrinted) {
  auto printed = [](const Array &x) {
    ::testing::internal::CaptureStdout();
    print("{} then {:.3f}", {transpose(x), x[0][1]});
    return ::testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(printed(there(matrix)), printed(matrix));
}

TEST(OnADevice, FilesAreWrittenAndReadByTheHost) {
  const std::string path = ::testing::TempDir() + "device_test.npy";
  save_npy(path, there(transpose(matrix)));
  EXPECT_EQ(format("{}", load_npy(path)), format("{}", transpose(matrix)));
  std::remove(path.c_str());
}

TEST(OnADevice, PlacesAreNotHandedToTheHost) {
  const Array x = there(matrix);
  EXPECT_NE(messageOf([&] { x.elements<float>(); }).find("expected an array on cpu:0, got one on null:0; to_device"),
            std::string::npos);
  EXPECT_NE(messageOf([&] {
              (void)to_device(x, {DeviceKind::null, 3});
            }).find("to_device: expected a device that exists (cpu:0 or null:0), got null:3"),
            std::string::npos);
}

TEST(OnADevice, OpsRun) {
  expectSame([](const Leaves &in) { return Leaves{in[0] + in[1], in[0] * in[0], exp(in[0]), -in[1], in[0] / in[1]}; },
             {matrix, column}, "elementwise");
  expectSame(
      [](const Leaves &in) { return Leaves{in[0] + 2, 2 * in[0], maximum(in[0], 0), where(in[0] > 0, in[0], 1)}; },
      {matrix}, "numbers beside arrays");
  expectSame([](const Leaves &in) { return Leaves{astype(in[0], i32), astype(in[0], f64), astype(in[0], bf16)}; },
             {matrix}, "astype");
  expectSame(
      [](const Leaves &in) { return Leaves{sum(in[0]), sum(in[0], 0), max(in[0], 1), argmax(in[0]), prod(in[0], 1)}; },
      {matrix}, "reductions");
  expectSame([](const Leaves &in) { return Leaves{mean(in[0]), softmax(in[0]), clip(in[0], -0.25f, 0.25f)}; }, {matrix},
             "composites");
  expectSame([](const Leaves &in) { return Leaves{matmul(in[0], transpose(in[0])), matmul(transpose(in[0]), in[1])}; },
             {matrix, column}, "products");
  expectSame(
      [](const Leaves &in) {
        return Leaves{pad(in[0], 7, {1, 0}, {0, 2}), concatenate({in[0], in[0]}, 1), in[0][2],
                      reshape(transpose(in[0]), {2, 6})};
      },
      {matrix}, "movement");
  expectSame([](const Leaves &in) { return Leaves{zeros_like(in[0]), full_like(in[0], 3), ones_like(in[0], i32)}; },
             {matrix}, "what is made like an array");
  expectSame([](const Leaves &in) { return Leaves{random::bits(in[0], {5}, 1)}; }, {random::key(3).data},
             "random bits");
}

/// A composite's kernel is called where the device has one; else, and where it
/// declines, the decomposition runs.
TEST(OnADevice, CompositesRun) {
  const Array x = there(matrix), ones4 = there(ones({4})), ones3 = there(ones({3}));
  auto kernelsOf = [](const auto &f) {
    const uint64_t before = statistics().eager_kernels;
    f();
    return statistics().eager_kernels - before;
  };
  EXPECT_EQ(kernelsOf([&] { (void)softmax(x); }), 1u);
  EXPECT_EQ(kernelsOf([&] { (void)mean(x, 0); }), 1u);
  EXPECT_EQ(kernelsOf([&] { (void)layer_norm(x, -1, ones4, ones4); }), 1u);
  EXPECT_GT(kernelsOf([&] { (void)layer_norm(x, 0, ones3, ones3); }), 1u) << "it declines";
  auto all = [](const Leaves &in) {
    return Leaves{softmax(in[0]), mean(in[0], 0), layer_norm(in[0], -1, in[1], in[1]),
                  layer_norm(in[0], 0, in[2], in[2])};
  };
  const Leaves inputs = {matrix, ones({4}), ones({3})};
  expectSame(all, inputs, "by kernels");
  rt::setNullComposites(false);
  EXPECT_GT(kernelsOf([&] { (void)softmax(x); }), 1u);
  expectSame(all, inputs, "by decompositions");
  rt::setNullComposites(true);
}

TEST(OnADevice, ComparisonsWithNumbersOutOfRangeAreThere) {
  expectSame([](const Leaves &in) { return Leaves{in[0] < 300, in[0] > 300, in[0] == -1}; }, {astype(arange(5), u8)},
             "decided");
  expectSame(
      [](const Leaves &in) {
        return jit([](const Array &x) { return std::vector{x < 300, x * 2 > 5}; }, {.compile = Compile::never})(in[0]);
      },
      {astype(arange(5), u8)}, "decided, traced");
}

TEST(OnADevice, ArraysAreMadeThere) {
  EXPECT_EQ(zeros({2}, f32, away).device(), away);
  EXPECT_EQ(full({2}, 7, i32, away).to_vector<int32_t>(), (std::vector<int32_t>{7, 7}));
  EXPECT_EQ(arange(3, {}, 1, i64, away).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(zeros_like(there(matrix), {}, Device::cpu).device(), Device::cpu);
}

TEST(OnADevice, TwoDevicesDoNotMix) {
  for (const std::string &message : {messageOf([] { (void)(matrix + there(matrix)); }),
                                     messageOf([] { (void)matmul(there(column), transpose(column)); }),
                                     messageOf([] { (void)where(there(matrix) > 0, matrix, 1); }),
                                     messageOf([] { (void)concatenate({matrix, there(matrix)}, 0); }), messageOf([] {
                                       jit([](const Array &x, const Array &y) { return x * y; })(matrix, there(matrix));
                                     })}) {
    EXPECT_NE(message.find("operands are on different devices"), std::string::npos) << message;
    EXPECT_NE(message.find("cpu:0"), std::string::npos) << message;
    EXPECT_NE(message.find("null:0"), std::string::npos) << message;
  }
}

TEST(OnADevice, DerivativesAndBatchesAreThere) {
  expectSame(
      [](const Leaves &in) {
        return Leaves{grad([](const Array &x) { return sum(exp(x) * softmax(x) + prod(x, 1, true)); })(in[0])};
      },
      {matrix}, "grad");
  expectSame(
      [](const Leaves &in) { return Leaves{vmap([](const Array &x) { return pad(x * 2, 0, {1}, {1}); })(in[0])}; },
      {matrix}, "vmap");
}

/// Loops and branches, trace by trace.
TEST(OnADevice, BodiesRun) {
  auto f = [](const Array &x) {
    auto [last, all] = scan([](const Array &carry, const Array &row) { return std::pair(carry + row, carry * row); },
                            zeros_like(x[0]), x);
    const Array grown =
        while_loop([](const Array &y) { return sum(y) < 100; }, [](const Array &y) { return y * 2 + 1; }, x);
    const Array chosen =
        cond(sum(x) > 0, [](const Array &y) { return y + 1; }, [](const Array &y) { return y - 1; }, x);
    const Array sorted = sort(x, greater, 0), combined = x.at[argmin(x, 1)].apply(subtract, x);
    const Array counted = fori_loop(0, 3, [](const Array &i, const Array &y) { return y + astype(i, f32); }, x);
    return std::vector{last, all, grown, chosen, counted, sorted, combined};
  };
  expectSame([&](const Leaves &in) { return jit(f, {.compile = Compile::never})(in[0]); }, {matrix}, "interpreted");
  expectSame(
      [&](const Leaves &in) {
        const EagerScope plain;
        return f(in[0]);
      },
      {matrix}, "plain C++");
}

/// C++ numbers beside arrays of a device: what chooses, operands, first carries.
TEST(OnADevice, SearchesInASymbolicNumberOfElementsAreThere) {
  const auto f = jit([](const Array &sorted, const Array &x) { return searchsorted(sorted, x) + isin(x, sorted); },
                     {.specs = {TensorSpec{f32, {"n"}}, as_called}});
  expectSame([&](const Leaves &x) { return Leaves{f(x[0], x[1])}; },
             {Array{0.f, 1.f, 1.f, 4.f}, Array{-1.f, 1.f, 2.f, 9.f}}, "searchsorted");
}

TEST(OnADevice, NumbersOfRegionsAreThere) {
  auto f = [](const Leaves &in) {
    const Array &x = in[0];
    auto twice = [](const Array &y) { return y * 2; };
    auto less = [](const Array &y) { return y - 1; };
    auto sums = [](const Array &carry, const Array &row) { return std::pair(carry + sum(row), carry * row); };
    auto [last, all] = scan(sums, 0.5f, x);
    return Leaves{cond(true, twice, less, x),
                  cond(false, twice, less, x),
                  cond(
                      true, [&] { return x * 3; }, [&] { return x; }),
                  switch_case(1, twice, less, x),
                  switch_case(uint64_t(-1), twice, less, x),
                  cond(
                      sum(x) > 0, [](const Array &y, const Array &k) { return y + k; },
                      [](const Array &y, const Array &k) { return y - k; }, x, 2.5f),
                  last,
                  all,
                  fori_loop(
                      argmax(x[0]) - 2, argmax(x[0]), [](const Array &i, const Array &n) { return n + i; }, 7),
                  fori_loop(
                      0, argmax(x[0]), [](const Array &, const Array &n) { return n * 2; }, 0.5f),
                  fori_loop(argmax(x[0]) - 2, uint8_t(3), [](const Array &i, const Array &n) { return n - i; }, 1)};
  };
  expectSame([&](const Leaves &in) { return jit(f, {.compile = Compile::never})(in); }, {matrix}, "interpreted");
  expectSame(
      [&](const Leaves &in) {
        const EagerScope plain;
        return f(in);
      },
      {matrix}, "plain C++");
  auto user = composite("both", [](const Array &x, const Array &k) { return x * k; });
  expectSame([&](const Leaves &in) { return Leaves{user(in[0], 3)}; }, {matrix}, "a composite");
}

} // namespace
