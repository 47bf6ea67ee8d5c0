//===- must_fail_programs_test.cpp - wrong uses of transformations ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MustFail.h"

#include <tenon/tenon.h>

#include <exception>
#include <thread>

using namespace tenon;
using namespace tenon::mustfail;

namespace {
struct Case {
  const char *name;
  void (*run)();
  const char *text;
};

struct Pair {
  Array a, b;
};

const Array one = 1.0f;
const Array row = {1.0f, 2.0f, 3.0f};
const Array table = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}};

Array square(const Array &x) { return x * x; }

/// What `body` was given, kept beyond its end.
template <class Transform>
Array kept(Transform transform, const Array &x) {
  Array inside;
  auto body = [&](const Array &traced) {
    inside = traced * 2;
    return sum(traced);
  };
  transform(body)(x);
  return inside;
}

const Case cases[] = {
    // Values that escape.
    {"escape_jit", [] { kept([](auto f) { return jit(f); }, row) + 1; }, R"(?)"},
    {"escape_grad", [] { exp(kept([](auto f) { return grad(f); }, row)); }, R"(?)"},
    {"escape_vmap", [] { matmul(kept([](auto f) { return vmap(f); }, table), row); }, R"(?)"},
    {"escape_scan", [] {
       Array inside;
       scan([&](const Array &carry, const Array &x) { return std::pair(carry + (inside = x), none); }, 0.0f, row);
       inside + 1;
     }, R"(?)"},
    {"escape_into_jit", [] {
       Array inside = kept([](auto f) { return grad(f); }, row);
       jit([&](const Array &x) { return x + inside; })(row);
     }, R"(?)"},
    {"escape_thread", [] {
       std::exception_ptr error;
       jit([&](const Array &x) {
         std::thread([&] {
           try {
             x + 1;
           } catch (...) {
             error = std::current_exception();
           }
         }).join();
         return x;
       })(row);
       std::rethrow_exception(error);
     }, R"(?)"},

    // Values asked for where they are not known.
    {"bool_of_traced", [] { jit([](const Array &x) { return sum(x) > 0 ? x : -x; })(row); }, R"(?)"},
    {"bool_of_argument", [] { jit([](const Array &x) { return x ? x : -x; })(one); }, R"(?)"},
    {"int_of_traced", [] { jit([](const Array &x) { return x * int(sum(x)); })(row); }, R"(?)"},
    {"item_of_traced", [] { jit([](const Pair &p) { return p.a * p.b.item<float>(); })(Pair{row, one}); }, R"(?)"},
    {"to_vector_of_traced", [] { jit([](const Array &x) { return Array(exp(x).to_vector<float>()); })(row); }, R"(?)"},
    {"item_in_grad", [] { grad([](const Array &x) { return x * x.item<float>(); })(one); }, R"(?)"},
    {"item_in_vmap", [] { vmap([](const Array &x) { return x * x.item<float>(); })(row); }, R"(?)"},
    {"item_of_many", [] { row.item<float>(); }, R"(?)"},
    {"item_of_null_device", [] { to_device(one, Device::null).item<float>(); }, R"(?)"},
    {"to_vector_dtype", [] { row.to_vector<int>(); }, R"(?)"},
    {"elements_of_view", [] { transpose(table).elements<float>(); }, R"(?)"},

    // jit.
    {"spec_dtype", [] { jit(square, {.specs = {TensorSpec{i32, {"n"}}}})(row); }, R"(?)"},
    {"spec_rank", [] { jit(square, {.specs = {TensorSpec{f32, {"n"}}}})(table); }, R"(?)"},
    {"spec_size", [] { jit(square, {.specs = {TensorSpec{f32, {"n", 4}}}})(table); }, R"(?)"},
    {"spec_one_symbol_two_sizes", [] {
       auto f = [](const Array &x, const Array &y) { return x + sum(y); };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {"n", 3}}}})(row, table);
     }, R"(?)"},
    {"spec_count", [] {
       auto f = [](const Array &x, const Array &y) { return x + y; };
       jit(f, {.specs = {as_called}})(row, row);
     }, R"(?)"},
    {"spec_for_tree", [] {
       auto f = [](const Pair &p) { return p.a + p.b; };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}}})(Pair{row, row});
     }, R"(?)"},
    {"two_symbols", [] {
       auto f = [](const Array &x, const Array &y) { return x + y; };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {"m"}}}})(row, row);
     }, R"(?)"},
    {"size_as_number", [] {
       auto f = [](const Array &x) { return x * static_cast<float>(x.dim(0).value()); };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}}})(row);
     }, R"(?)"},
    {"size_compared", [] {
       auto f = [](const Array &x) { return x.dim(0) == 3 ? x : -x; };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}}})(row);
     }, R"(?)"},
    {"jit_empty_argument", [] { jit(square)(Array()); }, R"(?)"},
    {"jit_empty_leaf", [] { jit([](const Pair &p) { return p.a; })(Pair{row, {}}); }, R"(?)"},
    {"jit_empty_result", [] { jit([](const Array &) { return Array(); })(row); }, R"(?)"},
    {"jit_static_changes", [] {
       std::vector<Array> list = {row};
       jit([](std::vector<Array> &arrays) { arrays.push_back(arrays[0]); })(list);
     }, R"(?)"},
    {"jit_same_argument_twice", [] {
       Array x = row;
       jit([](Array &a, Array &b) { a = a + b; })(x, x);
     }, R"(?)"},
    {"jit_null_device", [] { jit(square)(to_device(row, Device::null)); }, R"(?)"},

    // Derivatives.
    {"grad_of_vector", [] { grad([](const Array &x) { return x * 2; })(row); }, R"(?)"},
    {"grad_of_integer", [] { grad([](const Array &x) { return argmax(x); })(row); }, R"(?)"},
    {"grad_empty_result", [] { grad([](const Array &) { return Array(); })(row); }, R"(?)"},
    {"grad_empty_argument", [] { grad([](const Pair &p) { return sum(p.a); })(Pair{row, {}}); }, R"(?)"},
    {"vjp_cotangent", [] { vjp([](const Array &x) { return x * 2; }, row).second(one); }, R"(?)"},
    {"while_loop_gradient", [] {
       auto f = [](const Array &x) {
         return while_loop([](const Array &y) { return y < 100; }, [](const Array &y) { return y * 2; }, x);
       };
       grad(f)(one);
     }, R"(?)"},

    // Batching.
    {"vmap_lengths", [] { vmap([](const Array &x, const Array &y) { return x + sum(y); })(row, table); }, R"(?)"},
    {"vmap_rank_0", [] { vmap(square)(one); }, R"(?)"},
    {"vmap_axis", [] { vmap(square, {.in_axes = {2}})(table); }, R"(?)"},
    {"vmap_axes_count", [] { vmap(square, {.in_axes = {0, 1}})(table); }, R"(?)"},
    {"vmap_nothing_mapped", [] { vmap(square, {.in_axes = {none}})(table); }, R"(?)"},
    {"vmap_out_axis", [] { vmap(square, {.out_axes = {2}})(row); }, R"(?)"},
    {"vmap_result_differs", [] { vmap(square, {.out_axes = {none}})(row); }, R"(?)"},
    {"vmap_shapes_inside", [] { vmap([](const Array &x) { return x + zeros({2}); })(table); }, R"(?)"},
    {"vmap_while_loop", [] {
       auto f = [](const Array &x) {
         return while_loop([](const Array &y) { return y < 100; }, [](const Array &y) { return y * 2; }, x);
       };
       vmap(f)(row);
     }, R"(?)"},
    {"vmap_cond_with_print", [] {
       auto f = [](const Array &x) {
         auto loud = [](const Array &y) {
           print("{}", {y});
           return y;
         };
         return cond(x > 1, loud, [](const Array &y) { return -y; }, x);
       };
       vmap(f)(row);
     }, R"(?)"},

    // Control flow.
    {"cond_predicate", [] { cond(row > 1, square, square, row); }, R"(?)"},
    {"cond_branch_types", [] { cond(one > 0, square, [](const Array &x) { return sum(x); }, row); }, R"(?)"},
    {"scan_carry_shape", [] {
       scan([](const Array &carry, const Array &x) { return std::pair(carry + row, x); }, 0.0f, row);
     }, R"(?)"},
    {"scan_carry_dtype", [] {
       scan([](const Pair &carry, const Array &x) { return std::pair(Pair{carry.a + x, carry.b}, x); }, Pair{0, one},
            row);
     }, R"(?)"},
    {"scan_carry_structure", [] {
       auto body = [](std::vector<Array> carry, const Array &x) {
         carry.push_back(x);
         return std::pair(carry, x);
       };
       scan(body, std::vector<Array>{one}, row);
     }, R"(?)"},
    {"scan_lengths", [] {
       scan([](const Array &carry, const Pair &x) { return std::pair(carry + x.a, x.b); }, 0.0f, Pair{row, {1, 2}});
     }, R"(?)"},
    {"scan_rank_0", [] {
       scan([](const Array &carry, const Array &x) { return std::pair(carry + x, x); }, 0.0f, one);
     }, R"(?)"},
    {"scan_no_length", [] { scan([](const Array &carry) { return std::pair(carry, none); }, 0.0f, none); }, R"(?)"},
    {"while_loop_condition", [] { while_loop(square, square, one); }, R"(?)"},
    {"while_loop_carry", [] {
       while_loop([](const Array &x) { return x < 3; }, [](const Array &x) { return x + row; }, one);
     }, R"(?)"},

    // Trees.
    {"tree_map_sizes", [] {
       tree_map([](const Array &x, const Array &) { return x; }, std::vector<Array>{row}, std::vector<Array>{row, row});
     }, R"(?)"},
    {"assign_leaves_count", [] {
       std::vector<Array> tree = {row};
       assign_leaves(tree, std::vector<Array>{row, row});
     }, R"(?)"},
};

class Programs : public testing::TestWithParam<Case> {};
TEST_P(Programs, Text) {
  const Case &test = GetParam();
  EXPECT_EQ(errorOf(test.run, test.name, __FILE__), body(test.text));
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(MustFail, Programs, testing::ValuesIn(cases), nameOf);
} // namespace
