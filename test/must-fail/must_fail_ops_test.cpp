//===- must_fail_ops_test.cpp - wrong applications of ops -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each program runs twice: eagerly, and traced by jit with the inputs as its
// argument. Both say the same; where the traced text names an input's path,
// the expected text has it as "@field" behind the operand.
//===----------------------------------------------------------------------===//
#include "MustFail.h"

#include <tenon/tenon.h>

#include <cmath>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array f23 = zeros({2, 3}), f45 = zeros({4, 5}), f0 = zeros({0, 3}), f = 1.0f;
  Array batches = zeros({2, 3, 4}), others = zeros({5, 4, 3});
  Array i3 = {1, 2, 3}, u3 = zeros({3}, u8), b3 = {true, false, true};
  Array c2 = zeros({2}, c64);
  Array null23 = to_device(zeros({2, 3}), Device::null);
};

struct Case {
  const char *name;
  void (*run)(const Inputs &in);
  const char *text;
};

const Case cases[] = {
    // Shapes.
    {"add_shapes", [](const Inputs &in) { in.f23 + in.f45; }, R"(?)"},
    {"where_shapes", [](const Inputs &in) { where(in.b3, in.f23, in.f45); }, R"(?)"},
    {"matmul_inner_sizes", [](const Inputs &in) { matmul(in.f23, in.f45); }, R"(?)"},
    {"matmul_rank_0", [](const Inputs &in) { matmul(in.f, in.f23); }, R"(?)"},
    {"matmul_batches", [](const Inputs &in) { matmul(in.batches, in.others); }, R"(?)"},
    {"reshape_count", [](const Inputs &in) { reshape(in.f23, {4, 2}); }, R"(?)"},
    {"reshape_two_open_sizes", [](const Inputs &in) { reshape(in.f23, {-1, -1}); }, R"(?)"},
    {"reshape_open_size", [](const Inputs &in) { reshape(in.f23, {4, -1}); }, R"(?)"},
    {"reshape_negative_size", [](const Inputs &in) { reshape(in.f23, {-2, -3}); }, R"(?)"},
    {"broadcast_to_smaller", [](const Inputs &in) { broadcast_to(in.f23, {2, 1}); }, R"(?)"},
    {"transpose_count", [](const Inputs &in) { transpose(in.f23, {0, 1, 2}); }, R"(?)"},
    {"transpose_repeated", [](const Inputs &in) { transpose(in.f23, {0, 0}); }, R"(?)"},
    {"slice_outside", [](const Inputs &in) { slice(in.f23, {0, 1}, {2, 4}); }, R"(?)"},
    {"slice_count", [](const Inputs &in) { slice(in.f23, {0}, {2}); }, R"(?)"},
    {"slice_step", [](const Inputs &in) { slice(in.f23, {0, 0}, {2, 3}, {1, 0}); }, R"(?)"},
    {"index_outside", [](const Inputs &in) { in.f23[2]; }, R"(?)"},
    {"index_rank_0", [](const Inputs &in) { in.f[0]; }, R"(?)"},
    {"iterate_rank_0", [](const Inputs &in) { in.f.begin(); }, R"(?)"},
    {"dim_outside", [](const Inputs &in) { in.f23.dim(2); }, R"(?)"},
    {"pad_negative", [](const Inputs &in) { pad(in.f23, 0, {0, -1}, {0, 0}); }, R"(?)"},
    {"pad_count", [](const Inputs &in) { pad(in.f23, 0, {1}, {1}); }, R"(?)"},
    {"concatenate_nothing", [](const Inputs &) { concatenate({}); }, R"(?)"},
    {"concatenate_sizes", [](const Inputs &in) { concatenate({in.f23, in.f45}); }, R"(?)"},
    {"split_sizes", [](const Inputs &in) { split(in.f23, {1, 1}, 1); }, R"(?)"},
    {"max_of_nothing", [](const Inputs &in) { max(in.f0, 0); }, R"(?)"},
    {"argmax_of_nothing", [](const Inputs &in) { argmax(in.f0, 0); }, R"(?)"},
    {"bits_key", [](const Inputs &in) { random::bits(in.f23, {2}); }, R"(?)"},
    {"bits_key_size", [](const Inputs &in) { random::bits(astype(in.i3, u32), {2}); }, R"(?)"},
    {"zeros_negative_size", [](const Inputs &) { zeros({2, -1}); }, R"(?)"},
    {"too_many_axes", [](const Inputs &in) { reshape(in.f, Shape(std::vector<int64_t>(17, 1))); }, R"(?)"},

    // Axes.
    {"sum_axis", [](const Inputs &in) { sum(in.f23, 2); }, R"(?)"},
    {"sum_axis_negative", [](const Inputs &in) { sum(in.f23, -3); }, R"(?)"},
    {"sum_axis_repeated", [](const Inputs &in) { sum(in.f23, {1, -1}); }, R"(?)"},
    {"mean_axis", [](const Inputs &in) { mean(in.f23, 5); }, R"(?)"},
    {"argmax_axis", [](const Inputs &in) { argmax(in.f23, 2); }, R"(?)"},
    {"softmax_axis", [](const Inputs &in) { softmax(in.f23, 2); }, R"(?)"},
    {"log_softmax_axis", [](const Inputs &in) { log_softmax(in.f23, 2); }, R"(?)"},
    {"concatenate_axis", [](const Inputs &in) { concatenate({in.f23, in.f23}, 2); }, R"(?)"},
    {"dimension_axis", [](const Inputs &in) { dimension(in.f23, 2); }, R"(?)"},

    // Dtypes and numbers.
    {"exp_complex", [](const Inputs &in) { exp(in.c2); }, R"(?)"},
    {"maximum_complex", [](const Inputs &in) { maximum(in.c2, in.c2); }, R"(?)"},
    {"right_shift_floating", [](const Inputs &in) { in.f23 >> 1; }, R"(?)"},
    {"negative_bool", [](const Inputs &in) { -in.b3; }, R"(?)"},
    {"subtract_bool", [](const Inputs &in) { in.b3 - in.b3; }, R"(?)"},
    {"astype_complex", [](const Inputs &in) { astype(in.c2, f32); }, R"(?)"},
    {"number_too_large", [](const Inputs &in) { in.u3 + 300; }, R"(?)"},
    {"full_number", [](const Inputs &) { full({2}, 1.5f, i32); }, R"(?)"},
    {"full_number_too_large", [](const Inputs &) { full({2}, 300, u8); }, R"(?)"},
    {"one_hot_floating", [](const Inputs &in) { one_hot(in.f23, 10); }, R"(?)"},
    {"arange_step", [](const Inputs &) { arange(0, 10, 0); }, R"(?)"},
    {"arange_endless", [](const Inputs &) { arange(0, INFINITY); }, R"(?)"},
    {"uniform_dtype", [](const Inputs &) { random::uniform(random::key(1), {2}, bf16); }, R"(?)"},
    {"uniform_bounds", [](const Inputs &) { random::uniform(random::key(1), {2}, f32, 1, 1); }, R"(?)"},
    {"split_no_keys", [](const Inputs &) { random::split(random::key(1), 0); }, R"(?)"},
    {"nested_lists", [](const Inputs &) { Array({{1, 2}, {3}}); }, R"(?)"},
    {"elements_for_shape", [](const Inputs &) { Array(std::span<const float>(), {2, 3}); }, R"(?)"},
    {"print_fields", [](const Inputs &in) { print("{} {}", {in.f}); }, R"(?)"},
    {"print_brace", [](const Inputs &in) { print("{", {in.f}); }, R"(?)"},
    {"format_field", [](const Inputs &) { format("{} and {}", 1); }, R"(?)"},

    // Nothing, too much, elsewhere.
    {"empty_operand", [](const Inputs &in) { in.f23 + Array(); }, R"(?)"},
    {"empty_matmul", [](const Inputs &in) { matmul(Array(), in.f23); }, R"(?)"},
    {"empty_concatenate", [](const Inputs &in) { concatenate({in.f23, Array()}); }, R"(?)"},
    {"empty_shape", [](const Inputs &) { Array().shape(); }, R"(?)"},
    {"overflow", [](const Inputs &) { zeros({int64_t(1) << 40, int64_t(1) << 40}); }, R"(?)"},
    {"overflow_broadcast", [](const Inputs &in) { broadcast_to(in.f, {int64_t(1) << 40, int64_t(1) << 40}); }, R"(?)"},
    {"overflow_beside_0", [](const Inputs &) { zeros({0, int64_t(1) << 40, int64_t(1) << 40}); }, R"(?)"},
    {"overflow_count", [](const Inputs &in) { reshape(in.f, {int64_t(1) << 40, int64_t(1) << 40}); }, R"(?)"},
    {"mixed_devices", [](const Inputs &in) { in.f23 + in.null23; }, R"(?)"},
    {"mixed_devices_matmul", [](const Inputs &in) { matmul(transpose(in.f23), in.null23); }, R"(?)"},
};

class Ops : public testing::TestWithParam<Case> {};

/// "@field" behind an operand: its path if `traced`, else nothing.
std::string expected(std::string_view text, bool traced) {
  static const std::regex mark(" ?@(\\w+)");
  return std::regex_replace(std::string(body(text)), mark, traced ? " (arg 0: $1)" : "");
}

TEST_P(Ops, Eager) {
  const Case &test = GetParam();
  Inputs in;
  EXPECT_EQ(errorOf([&] { test.run(in); }, test.name, __FILE__), expected(test.text, false));
}

TEST_P(Ops, Traced) {
  const Case &test = GetParam();
  Inputs in;
  auto traced = jit([&](const Inputs &arguments) { test.run(arguments); });
  EXPECT_EQ(errorOf([&] { traced(in); }, test.name, __FILE__), expected(test.text, true));
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(MustFail, Ops, testing::ValuesIn(cases), nameOf);
} // namespace
