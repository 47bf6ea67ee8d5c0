//===- must_fail_arrays_test.cpp - empty handles, too large arrays, arrays on other devices --===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As must_fail_ops_test.cpp.
//===----------------------------------------------------------------------===//
#include "MustFail.h"

#include <tenon/tenon.h>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Inputs {
  Array f23 = zeros({2, 3}), f = 1.0f;
  Array null23 = to_device(zeros({2, 3}), Device::null);
};

const Case<Inputs> cases[] = {
    {"empty_operand", [](const Inputs &in) { (void)(in.f23 + Array()); }, R"(
add: expected an array, got an empty Array
  at here)"},
    {"empty_clip", [](const Inputs &) { (void)clip(Array(), 0, 1); }, R"(
clip: expected an array, got an empty Array
  at here)"},
    {"empty_less", [](const Inputs &in) { (void)(in.f23 < Array()); }, R"(
less: expected an array, got an empty Array
  at here)"},
    {"empty_matmul", [](const Inputs &in) { (void)matmul(Array(), in.f23); }, R"(
matmul: expected an array, got an empty Array
  at here)"},
    {"empty_concatenate", [](const Inputs &in) { (void)concatenate({in.f23, Array()}); }, R"(
concatenate: expected an array, got an empty Array
  at here)"},
    {"empty_shape", [](const Inputs &) { Array().shape(); }, R"(
expected an array, got an empty Array
  at here)"},
    {"empty_dtype", [](const Inputs &) { Array().dtype(); }, R"(
expected an array, got an empty Array
  at here)"},
    {"empty_ndim", [](const Inputs &) { Array().ndim(); }, R"(
expected an array, got an empty Array
  at here)"},
    {"empty_device", [](const Inputs &) { Array().device(); }, R"(
expected an array, got an empty Array
  at here)"},
    {"empty_size", [](const Inputs &) { Array().size(); }, R"(
expected an array, got an empty Array
  at here)"},
    {"empty_dim", [](const Inputs &) { Array().dim(0); }, R"(
expected an array, got an empty Array
  at here)"},
    {"empty_item", [](const Inputs &) { Array().item<float>(); }, R"(
item(): expected an array, got an empty Array
  at here)"},
    {"empty_to_vector", [](const Inputs &) { Array().to_vector<float>(); }, R"(
to_vector(): expected an array, got an empty Array
  at here)"},
    {"empty_begin", [](const Inputs &) { Array().begin(); }, R"(
expected an array, got an empty Array
  at here)"},
    {"empty_index", [](const Inputs &) { (void)Array()[0]; }, R"(
expected an array, got an empty Array
  at here)"},
    {"too_many_axes", [](const Inputs &) { (void)zeros({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}); }, R"(
expected at most 16 axes, got 17
  at here)"},
    {"too_many_axes_vector", [](const Inputs &in) { (void)reshape(in.f, Shape(std::vector<int64_t>(17, 1))); }, R"(
expected at most 16 axes, got 17
  at here)"},
    {"too_many_axes_pushed",
     [](const Inputs &) {
       Shape shape(std::vector<int64_t>(16, 1));
       shape.push_back(1);
     },
     R"(
expected at most 16 axes, got 17
  at here)"},
    {"too_many_axes_one_hot", [](const Inputs &) { (void)one_hot(zeros(Shape(std::vector<int64_t>(16, 1)), i32), 3); },
     R"(
one_hot: expected at most 16 axes, got 17
  at here)"},
    {"shape_axis", [](const Inputs &in) { in.f23.shape()[2]; }, R"(
axis 2 is out of range for a shape of rank 2
  at here)"},
    {"size_name", [](const Inputs &) { Dim("a b"); }, R"(
expected the name of a size to be a word of letters, digits, '_' and '.', got 'a b'
  at here)"},
    {"size_by_zero", [](const Inputs &) { floor_div("n", 0); }, R"(
division of a size by zero
  at here)"},
    {"overflow", [](const Inputs &) { (void)zeros({int64_t(1) << 40, int64_t(1) << 40}); }, R"(
zeros: the number of elements of f32[1099511627776, 1099511627776] overflows
  at here)"},
    {"overflow_broadcast", [](const Inputs &in) { (void)broadcast_to(in.f, {int64_t(1) << 40, int64_t(1) << 40}); }, R"(
broadcast_to: the number of elements of f32[1099511627776, 1099511627776] overflows
  x: f32[] @f
  at here)"},
    {"overflow_beside_0", [](const Inputs &) { (void)zeros({0, int64_t(1) << 40, int64_t(1) << 40}); }, R"(
zeros: the number of elements of f32[0, 1099511627776, 1099511627776] overflows
  at here)"},
    {"overflow_count", [](const Inputs &in) { (void)reshape(in.f, {int64_t(1) << 40, int64_t(1) << 40}); }, R"(
reshape: expected a shape of 1 elements, got (1099511627776, 1099511627776)
  x: f32[] @f
  at here)"},
    {"mixed_devices", [](const Inputs &in) { (void)(in.f23 + in.null23); }, R"(
add: operands are on different devices, cpu:0 and null:0
  x1: f32[2, 3] @f23
  x2: f32[2, 3] on null:0 @null23
  at here)"},
    {"mixed_devices_matmul", [](const Inputs &in) { (void)matmul(transpose(in.f23), in.null23); }, R"(
matmul: operands are on different devices, cpu:0 and null:0
  x1: f32[3, 2]
  x2: f32[2, 3] on null:0 @null23
  at here)"},
};

class Arrays : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Arrays, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Arrays, testing::ValuesIn(cases), nameOf<Inputs>);
} // namespace
