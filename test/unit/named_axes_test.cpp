//===- named_axes_test.cpp - psum and other reductions over the batch of a vmap --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::test;
using testing::HasSubstr;

namespace {

using Floats = std::vector<float>;

TEST(NamedAxes, ReduceOverTheExamples) {
  const Array x{{1.0f, 2.0f}, {3.0f, -4.0f}, {5.0f, 9.0f}};
  const VmapOptions named{.axis_name = "batch"};
  auto over = [&](auto f) { return vmap([f](const Array &one) { return f(one, "batch"); }, named)(x); };
  EXPECT_EQ(over(psum).to_vector<float>(), (Floats{9, 7, 9, 7, 9, 7}));
  EXPECT_EQ(over(pmax).to_vector<float>(), (Floats{5, 9, 5, 9, 5, 9}));
  EXPECT_EQ(over(pmin).to_vector<float>(), (Floats{1, -4, 1, -4, 1, -4}));
  EXPECT_EQ(over(pmean).to_vector<float>(), (Floats{3, 7 / 3.0f, 3, 7 / 3.0f, 3, 7 / 3.0f}));
  // The same for all: a result without the examples' axis.
  const Array mean =
      vmap([](const Array &one) { return pmean(one, "batch"); }, {.out_axes = {none}, .axis_name = "batch"})(x);
  EXPECT_EQ(mean.shape(), (Shape{2}));
  const Array numbers =
      vmap([](const Array &) { return axis_index("batch") * 10 + axis_size("batch").raw(); }, named)(x);
  EXPECT_EQ(numbers.to_vector<int64_t>(), (std::vector<int64_t>{3, 13, 23}));
  // What every example has alike counts as often.
  const Array alike = vmap([](const Array &) { return psum(Array{2.0f, 0.5f}, "batch"); }, named)(x);
  EXPECT_EQ(alike.to_vector<float>(), (Floats{6, 1.5, 6, 1.5, 6, 1.5}));
  const Array counted = vmap([](const Array &one) { return psum(one > 0, "batch"); }, named)(x);
  EXPECT_EQ(counted.dtype(), i32);
  EXPECT_EQ(counted[0].to_vector<int32_t>(), (std::vector<int32_t>{3, 2}));
  const Array narrow = vmap(
      [](const Array &one) {
        const Array total = psum(one, "batch");
        EXPECT_EQ(total.dtype(), u32);
        return total;
      },
      named)(astype(abs(x), u8) + 100);
  EXPECT_EQ(narrow[0].to_vector<uint32_t>(), (std::vector<uint32_t>{309, 315}));
  EXPECT_EQ(vmap([](const Array &one) { return pmean(one, "batch"); }, named)(astype(x, i32)).dtype(), f32);
}

TEST(NamedAxes, OfTheVmapThatIsMeant) {
  const Array x{{1.0f, 2.0f, 3.0f}, {10.0f, 20.0f, 30.0f}};
  auto twice = [&](const char *name) {
    return vmap(vmap([&](const Array &one) { return psum(one, name); }, {.axis_name = "columns"}),
                {.axis_name = "rows"})(x);
  };
  EXPECT_EQ(twice("columns").to_vector<float>(), (Floats{6, 6, 6, 60, 60, 60}));
  EXPECT_EQ(twice("rows").to_vector<float>(), (Floats{11, 22, 33, 11, 22, 33}));
  // The inner one of two that are called alike.
  const Array inner =
      vmap(vmap([](const Array &one) { return psum(one, "axis"); }, {.axis_name = "axis"}), {.axis_name = "axis"})(x);
  EXPECT_EQ(inner.to_vector<float>(), (Floats{6, 6, 6, 60, 60, 60}));
}

TEST(NamedAxes, HaveDerivatives) {
  const Array x{1.0f, 2.0f, 4.0f};
  // Each example's result is made of all of them: of x_i * (x_0 + x_1 + x_2).
  auto f = [](const Array &all) {
    return sum(vmap([](const Array &one) { return one * psum(one, "batch"); }, {.axis_name = "batch"})(all));
  };
  EXPECT_EQ(grad(f)(x).to_vector<float>(), (Floats{14, 14, 14}));
  EXPECT_EQ(jit(grad(f))(x).to_vector<float>(), (Floats{14, 14, 14}));
  EXPECT_EQ(jvp(f, x, Array{1.0f, 0.0f, 0.0f}).second.item<float>(), 14);
  // A gradient for each example, of what the others' results have of it, too: as in JAX.
  const Array each = vmap(grad([](const Array &one) { return one * psum(one, "batch"); }), {.axis_name = "batch"})(x);
  EXPECT_EQ(each.to_vector<float>(), (Floats{14, 14, 14}));
  // Those that have the largest share its slope.
  auto largest = [](const Array &all) {
    return vmap([](const Array &one) { return pmax(one, "batch"); }, {.out_axes = {none}, .axis_name = "batch"})(all);
  };
  EXPECT_EQ(grad(largest)(Array{4.0f, 1.0f, 4.0f}).to_vector<float>(), (Floats{0.5, 0, 0.5}));
  // Three examples have it as their result.
  const Array shares =
      vmap(grad([](const Array &one) { return pmax(one, "batch"); }), {.axis_name = "batch"})(Array{4.0f, 1.0f, 4.0f});
  EXPECT_EQ(shares.to_vector<float>(), (Floats{1.5, 0, 1.5}));
}

TEST(NamedAxes, InsideOfRecordedFunctions) {
  const Array x{1.0f, 2.0f, 4.0f};
  const VmapOptions named{.axis_name = "batch"};
  auto centered = [](const Array &one) { return one - pmean(one, "batch"); };
  const Floats expected = vmap(centered, named)(x).to_vector<float>();
  auto jitted = jit(centered);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(vmap(jitted, named)(x).to_vector<float>(), expected);
  EXPECT_EQ(jit(vmap(centered, named))(x).to_vector<float>(), expected);
  auto steps = [](const Array &one) {
    return fori_loop(0, 3, [](const Array &, const Array &carry) { return carry + psum(carry, "batch"); }, one);
  };
  const Floats grown = vmap(steps, named)(x).to_vector<float>();
  EXPECT_EQ(grown, (Floats{1 + 7 + 28 + 112, 2 + 147, 4 + 147}));
  EXPECT_EQ(jit(vmap(steps, named))(x).to_vector<float>(), grown);
  // One program for all numbers of examples.
  auto sized = jit(vmap(centered, named), {.specs = {TensorSpec{f32, {"n"}}}});
  for (const Array &y : {x, Array{5.0f, 6.0f}, arange(7, {}, 1, f32)})
    EXPECT_EQ(sized(y).to_vector<float>(), vmap(centered, named)(y).to_vector<float>());
  EXPECT_EQ(sized.stats().traces, 1u);
}

TEST(AxesByArray, OfArgumentsAndResults) {
  struct Layer {
    Array kernel, bias;
  };
  const Layer layers{Array{{{1.0f, 2.0f}}, {{3.0f, 4.0f}}}, Array{10.0f}}; // two kernels, one bias
  const Array x{{1.0f, 5.0f}, {1.0f, 7.0f}};                               // an example in each column
  auto f = [](const Layer &layer, const Array &in) { return Layer{sum(layer.kernel * in), layer.bias * 2}; };
  const Layer y = vmap(f, {.in_axes = {{0, none}, 1}, .out_axes = {{0, none}}})(layers, x);
  EXPECT_EQ(y.kernel.to_vector<float>(), (Floats{1 + 2, 3 * 5 + 4 * 7}));
  EXPECT_EQ(y.bias.to_vector<float>(), (Floats{20}));
  auto both = [](const Layer &layer) { return std::pair(layer, layer.kernel); };
  const auto [same, kernel] = vmap(both, {.in_axes = {{0, none}}, .out_axes = {{1, 0}, -1}})(layers);
  EXPECT_EQ(same.kernel.shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(same.bias.shape(), (Shape{2, 1}));
  EXPECT_EQ(kernel.shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(messageOf([&] { vmap(f, {.in_axes = {{0}, 1}})(layers, x); }),
            "vmap: expected 2 entries in the list of in_axes for arg 0, one for each array in it, got 1");
  EXPECT_EQ(messageOf([&] { vmap(both, {.in_axes = {{0, none}}, .out_axes = {{0, 0, 0}, 0}})(layers); }),
            "vmap: expected 2 entries in the list of out_axes for result 0, one for each array in it, got 3");
}

TEST(NamedAxes, ErrorsNameTheAxis) {
  const Array x{1.0f, 2.0f};
  EXPECT_EQ(messageOf([&] { (void)psum(x, "batch"); }),
            "psum: expected the axis_name of a vmap around, got 'batch'; no vmap around has one");
  EXPECT_EQ(messageOf([&] { vmap([](const Array &one) { return pmax(one, "rows"); }, {.axis_name = "batch"})(x); }),
            "pmax: expected the axis_name of a vmap around, got 'rows'; there is batch");
  EXPECT_EQ(messageOf([&] { (void)axis_index("batch"); }),
            "axis_index: expected the axis_name of a vmap around, got 'batch'; no vmap around has one");
  EXPECT_THAT(errorOf([&] {
                vmap([](const Array &one) { return pmax(one, "batch"); }, {.axis_name = "batch"})(zeros({2}, c64));
              }),
              HasSubstr("pmax: expected a dtype among"));
}

} // namespace
