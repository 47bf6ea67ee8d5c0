//===- must_fail_programs_test.cpp - wrong uses of transformations ------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MustFail.h"

#include "lib/trace/Interpreter.h"

#include <tenon/tenon.h>

#include <exception>
#include <functional>
#include <thread>

using namespace tenon;
using namespace tenon::detail;
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
Array sumOfFirst(const Pair &p) { return sum(p.a); }
std::pair<Array, Array> addPair(const Array &carry, const Array &x) { return {carry + x, x}; }

/// The identity, whose derivative is said to be `rule`.
auto ruled(auto rule) {
  return custom_gradient("f", [=](const Array &x) { return with_grad(x * 1.0f, rule); });
}

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

using Call = std::function<Array(const Array &)>;

/// Transformed functions whose calls are wrong in the cases below.
struct Made {
  Jitted<Array (*)(const Array &)> jitted = jit(square, {.specs = {TensorSpec{f32, {"n"}}}});
  decltype(grad(square)) gradient = grad(square);
  decltype(value_and_grad(sumOfFirst)) both = value_and_grad(sumOfFirst);
  decltype(vmap(square)) batched = vmap(square);
  decltype(vjp(square, row).second) pullback = vjp(square, row).second;
  Jitted<decltype(&addPair)> body = jit(addPair, {.specs = {TensorSpec{f32, {"n"}}, as_called}});
};
const Made madeElsewhere;

const Case cases[] = {
    // Values that escape.
    {"escape_jit", [] { (void)(kept([](auto f) { return jit(f); }, row) + 1); }, R"(
add: a value of the jit of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"escape_grad", [] { (void)exp(kept([](auto f) { return grad(f); }, row)); }, R"(
exp: a value of the grad of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"escape_jvp", [] { (void)exp(kept([](auto f) { return [f](const Array &x) { return jvp(f, x, x); }; }, row)); },
     R"(
exp: a value of the jvp of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"escape_vmap", [] { (void)matmul(kept([](auto f) { return vmap(f); }, table), row); }, R"(
matmul: a value of the vmap of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"escape_scan",
     [] {
       Array inside;
       scan([&](const Array &carry, const Array &x) { return std::pair(carry + (inside = x), none); }, 0.0f, row);
       (void)(inside + 1);
     },
     R"(
add: a value of scan was used outside of it (it has ended, or runs on another thread)
  value: f32[], made at here
  at here)"},
    {"escape_into_jit",
     [] {
       Array inside = kept([](auto f) { return grad(f); }, row);
       jit([&](const Array &x) { return x + inside; })(row);
     },
     R"(
add: a value of the grad of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"escape_as_argument",
     [] {
       Array inside = kept([](auto f) { return grad(f); }, row);
       jit([](const Array &x) { return x * 2; })(inside);
     },
     R"(
the jit of here: a value of the grad of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"escape_as_result",
     [] {
       Array inside = kept([](auto f) { return jit(f); }, row);
       jit([&](const Array &) { return inside; })(row);
     },
     R"(
the jit of here: a value of the jit of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"escape_thread",
     [] {
       std::exception_ptr error;
       jit([&](const Array &x) {
         std::thread([&] {
           try {
             (void)(x + 1);
           } catch (...) {
             error = std::current_exception();
           }
         }).join();
         return x;
       })(row);
       std::rethrow_exception(error);
     },
     R"(
add: a value of the jit of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at here
  at here)"},

    // Values asked for where they are not known.
    {"bool_of_traced", [] { fori_loop(0, 3, [](const Array &, const Array &x) { return sum(x) > 0 ? x : -x; }, row); },
     R"(
item(): expected an array whose elements are known, got a value of fori_loop; to choose by a value use where or cond, to loop scan or while_loop
  value: bool[]
  at here)"},
    {"bool_of_argument",
     [] {
       auto f = [](const Array &x) { return x ? x : -x; };
       jit([&](const Array &x) { return cond(x > 0, f, f, x); })(one);
     },
     R"(
item(): expected an array whose elements are known, got a value of cond then; to choose by a value use where or cond, to loop scan or while_loop
  value: f32[] (operand [0])
  at here)"},
    {"int_of_traced",
     [] { while_loop([](const Array &x) { return x < int(x + x); }, [](const Array &x) { return x; }, one); },
     R"(
item(): expected an array whose elements are known, got a value of while_loop condition; to choose by a value use where or cond, to loop scan or while_loop
  value: f32[]
  at here)"},
    {"item_of_traced",
     [] {
       auto step = [](const Pair &p, const Array &) { return std::pair(Pair{p.a * p.b.item<float>(), p.b}, none); };
       scan(step, Pair{row, one}, row);
     },
     R"(
item(): expected an array whose elements are known, got a value of scan; to choose by a value use where or cond, to loop scan or while_loop
  value: f32[] (b)
  at here)"},
    {"to_vector_of_traced", [] { jit([](const Array &x) { return Array(exp(x).to_vector<float>()); })(row); }, R"(
to_vector(): expected an array whose elements are known, got a value of the jit of here; to choose by a value use where or cond, to loop scan or while_loop
  value: f32[3]
  at here)"},
    {"item_after_jit", [] { kept([](auto f) { return jit(f); }, row).item<float>(); }, R"(
item(): a value of the jit of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"item_in_grad_of_vmap", [] { vmap(grad([](const Array &x) { return x * x.item<float>(); }))(row); }, R"(
item(): expected an array whose elements are known, got a value of the vmap of here; to choose by a value use where or cond, to loop scan or while_loop
  value: f32[] (arg 0)
  at here)"},
    {"if_in_vmap_in_jit", [] { jit(vmap([](const Array &x) { return x > 0 ? x : -x; }))(row); }, R"(
item(): expected an array whose elements are known, got a value of the vmap of here; to choose by a value use where or cond, to loop scan or while_loop
  value: bool[]
  at here)"},
    {"to_device_in_grad", [] { grad([](const Array &x) { return to_device(x, Device::null); })(one); }, R"(
to_device(): expected an array outside of grad and jvp, through which no derivative would pass; copy it before
  at here)"},
    {"item_in_vmap", [] { vmap([](const Array &x) { return x * x.item<float>(); })(row); }, R"(
item(): expected an array whose elements are known, got a value of the vmap of here; to choose by a value use where or cond, to loop scan or while_loop
  value: f32[] (arg 0)
  at here)"},
    {"item_of_many", [] { row.item<float>(); }, R"(
item(): expected an array of one element, got f32[3]
  at here)"},
    {"item_of_many_traced", [] { jit([](const Array &x) { return x * (x + x).item<float>(); })(row); }, R"(
item(): expected an array of one element, got f32[3]
  at here)"},
    {"text_of_traced", [] { jit([](const Array &x) { return format("{:.3f}", x), x; })(one); }, R"(
format(): expected an array whose elements are known, got a value of the jit of here; to choose by a value use where or cond, to loop scan or while_loop
  value: f32[] (arg 0)
  at here)"},
    {"elements_of_null_device", [] { to_device(row, Device::null).elements<float>(); }, R"(
elements(): expected an array on cpu:0, got one on null:0; to_device copies it
  at here)"},
    {"to_vector_dtype", [] { row.to_vector<int>(); }, R"(
expected an array of i32, got f32[3]; convert it with astype
  at here)"},
    {"elements_of_view", [] { transpose(table).elements<float>().data(); }, R"(
elements(): expected a dense array, got a strided view f32[3, 2]; to_vector() copies it
  at here)"},

    // jit.
    {"spec_dtype", [] { jit(square, {.specs = {TensorSpec{i32, {"n"}}}})(row); }, R"(
the jit of here: arg 0: expected i32[n] as the specs say, got f32[3]
  at here)"},
    {"spec_rank", [] { jit(square, {.specs = {TensorSpec{f32, {"n"}}}})(table); }, R"(
the jit of here: arg 0: expected f32[n] as the specs say, got f32[2, 3]
  at here)"},
    {"spec_size", [] { jit(square, {.specs = {TensorSpec{f32, {"n", 4}}}})(table); }, R"(
the jit of here: arg 0: expected f32[n, 4] as the specs say, got f32[2, 3]
  at here)"},
    {"spec_one_symbol_two_sizes",
     [] {
       auto f = [](const Array &x, const Array &y) { return x + sum(y); };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {"n", 3}}}})(row, table);
     },
     R"(
the jit of here: arg 1: expected f32[n, 3] as the specs say, got f32[2, 3]; n is 3 elsewhere
  at here)"},
    {"spec_count",
     [] {
       auto f = [](const Array &x, const Array &y) { return x + y; };
       jit(f, {.specs = {as_called}})(row, row);
     },
     R"(
the jit of here: expected 2 specs, one per argument, got 1
  at here)"},
    {"spec_for_tree",
     [] {
       auto f = [](const Pair &p) { return p.a + p.b; };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}}})(Pair{row, row});
     },
     R"(
the jit of here: a single spec describes an argument that is one array; arg 0 has several (use as_called, a list of specs or tn::each)
  at here)"},
    {"spec_for_number",
     [] {
       auto f = [](const Array &x, float by) { return x * by; };
       jit(f, {.specs = {as_called, TensorSpec{f32, {"n"}}}})(row, 2.0f);
     },
     R"(
the jit of here: a single spec describes an argument that is one array; arg 1 has none (use as_called)
  at here)"},
    {"spec_list_count", [] { jit([](const Pair &p) { return p.a; }, {.specs = {{as_called}}})(Pair{row, row}); }, R"(
the jit of here: expected 1 array in arg 0, for which there are specs, got 2 arrays
  at here)"},
    {"spec_two_eaches",
     [] {
       const ArgumentSpec all = each(TensorSpec{f32, {"n"}});
       (void)jit([](const Pair &p) { return p.a; }, {.specs = {{all, all}}});
     },
     R"(
the jit of here: expected one tn::each in the spec of arg 0, got several
  at here)"},
    {"spec_leaf",
     [] {
       const TensorSpec spec{f32, {"n"}};
       jit([](const Pair &p) { return p.a; }, {.specs = {{spec, spec}}})(Pair{row, ones({4})});
     },
     R"(
the jit of here: arg 0: b: expected f32[n] as the specs say, got f32[4]; n is 3 elsewhere
  at here)"},
    {"spec_bounds", [] { jit(square, {.specs = {TensorSpec{f32, {Dim("n", 4, 64)}}}})(row); }, R"(
the jit of here: arg 0: expected f32[n] with n from 4 to 64 as the specs say, got f32[3], where n is 3
  at here)"},
    {"spec_two_bounds", [] { (void)jit(square, {.specs = {TensorSpec{f32, {Dim("n", 2, 8), Dim("n", 2, 9)}}}}); }, R"(
the jit of here: expected one pair of bounds of n, which is from 2 to 8 elsewhere and from 2 to 9 in the spec of arg 0, got f32[n, n]
  at here)"},
    {"spec_multiple", [] { jit(square, {.specs = {TensorSpec{f32, {4 * Dim("n")}}}})(row); }, R"(
the jit of here: arg 0: expected f32[4*n] as the specs say, got f32[3]; 3 is 4*n for no size n
  at here)"},
    {"symbol_bounds", [] { Dim("n", 3, 2); }, R"(
expected bounds of n with 0 <= low <= high, got 3 and 2
  at here)"},
    {"symbol_of_dyn", [] { Dim("dyn0"); }, R"(
expected another name of a size than those that tn::dyn makes, got 'dyn0'
  at here)"},
    {"spec_negative", [] { (void)jit(square, {.specs = {TensorSpec{f32, {3, -1}}}}); }, R"(
the jit of here: expected sizes >= 0 and symbols in the spec of arg 0, got f32[3, -1]
  at here)"},
    {"spec_always_negative", [] { (void)jit(square, {.specs = {TensorSpec{f32, {Dim("n"), -1 - Dim("n")}}}}); }, R"(
the jit of here: expected sizes >= 0 and symbols in the spec of arg 0, got f32[n, -n - 1]
  at here)"},
    {"spec_unknown", [] { (void)jit(square, {.specs = {TensorSpec{f32, {Dim::unknown()}}}}); }, R"(
the jit of here: expected sizes >= 0 and symbols in the spec of arg 0, got f32[?]
  at here)"},
    {"spec_without_symbol",
     [] {
       auto f = [](const Array &x, const Array &y) { return sum(x) + sum(y); };
       (void)jit(f, {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {Dim("m") * Dim("m")}}}});
     },
     R"(
the jit of here: expected a symbol m whose value can be computed from a size such as n, 4*n or n + 1, in this or another spec, in the spec of arg 1, got f32[m*m]
  at here)"},
    {"two_symbols",
     [] {
       auto f = [](const Array &x, const Array &y) { return x + y; };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}, TensorSpec{f32, {"m"}}}})(row, row);
     },
     R"(
add: shapes (n,) and (m,) do not broadcast: sizes n and m are not provably equal; if they are equal, give both one name in the specs, such as Dim("n")
  x1: f32[n] (arg 0)
  x2: f32[m] (arg 1)
  at here)"},
    {"size_as_number",
     [] {
       auto f = [](const Array &x) { return x * static_cast<float>(x.dim(0).value()); };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}}})(row);
     },
     R"(
expected a size that is known, got the symbolic size n
  at here)"},
    {"size_compared",
     [] {
       auto f = [](const Array &x) { return x.dim(0) == 3 ? x : -x; };
       jit(f, {.specs = {TensorSpec{f32, {"n"}}}})(row);
     },
     R"(
cannot decide n == 3 for every value >= 2 of its symbols
  at here)"},
    {"jit_empty_argument", [] { jit(square)(Array()); }, R"(
the jit of here: expected an array, got an empty Array (arg 0)
  at here)"},
    {"jit_empty_leaf", [] { jit([](const Pair &p) { return p.a; })(Pair{row, {}}); }, R"(
the jit of here: expected an array, got an empty Array (arg 0: b)
  at here)"},
    {"jit_empty_result", [] { jit([](const Array &) { return Array(); })(row); }, R"(
the jit of here: expected an array as result, got an empty Array
  at here)"},
    {"jit_later_static_changes",
     [] {
       std::pair<Array, int> second = {row, 1};
       jit([](const Array &, std::pair<Array, int> &p) { ++p.second; })(row, second);
     },
     R"(
the jit of here: the function changed a static value or the size of a container: arg 1: [1]: expected 1, got 2; under jit only arrays can be updated
  at here)"},
    {"jit_static_changes",
     [] {
       std::vector<Array> list = {row};
       jit([](std::vector<Array> &arrays) { arrays.push_back(arrays[0]); })(list);
     },
     R"(
the jit of here: the function changed a static value or the size of a container: arg 0: expected 1 element, got 2; under jit only arrays can be updated
  at here)"},
    {"jit_same_argument_twice",
     [] {
       Array x = row;
       jit([](Array &a, Array &b) { a = a + b; })(x, x);
     },
     R"(
the jit of here: arg 0 is updated and is also arg 1; pass a copy
  at here)"},

    // The line of the call, not of what was made long before.
    {"jit_call_line", [] { madeElsewhere.jitted(table); }, R"(
the jit of elsewhere: arg 0: expected f32[n] as the specs say, got f32[2, 3]
  at here)"},
    {"jit_lower_line", [] { (void)madeElsewhere.jitted.lower(table); }, R"(
the jit of elsewhere: arg 0: expected f32[n] as the specs say, got f32[2, 3]
  at here)"},
    {"jit_nested_line",
     [] {
       auto outer = jit([](const Array &x) { return madeElsewhere.jitted(reshape(x, {3, 1})); });
       outer(row);
     },
     R"(
the jit of elsewhere: arg 0: expected f32[n] as the specs say, got f32[3, 1]
  at here)"},
    {"jit_of_jit_line", [] { jit(madeElsewhere.jitted)(table); }, R"(
the jit of elsewhere: arg 0: expected f32[n] as the specs say, got f32[2, 3]
  at here)"},
    {"jit_device",
     [] {
       auto f = [](const Array &x, const Array &y) { return x + y; };
       jit(f)(row, to_device(row, Device::null));
     },
     R"(
add: operands are on different devices, cpu:0 and null:0
  x1: f32[3] (arg 0)
  x2: f32[3] on null:0 (arg 1)
  at here)"},
    {"jit_many_arguments",
     [] {
       auto f = [](auto &...x) { ((x = x + 1), ...); };
       Array a = row, b = row;
       jit(f)(a, b, b, a, b, a, b, a, b);
     },
     R"(
the jit of here: arg 0 is updated and is also arg 3; pass a copy
  at here)"},
    {"jit_in_function",
     [] {
       Call call = jit(square, {.specs = {TensorSpec{f32, {"n"}}}}); // std::function has no line: this one
       call(table);
     },
     R"(
the jit of here: arg 0: expected f32[n] as the specs say, got f32[2, 3]
  at here)"},
    {"jit_in_tree_map", [] { tree_map(madeElsewhere.jitted, table); }, R"(
the jit of elsewhere: arg 0: expected f32[n] as the specs say, got f32[2, 3]
  at here)"},
    {"jit_in_scan", [] { scan(madeElsewhere.body, one, row); }, R"(
the jit of elsewhere: arg 0: expected f32[n] as the specs say, got f32[]
  at here)"},
    {"disabled_jit_line",
     [] {
       EagerScope disabled;
       jit(madeElsewhere.gradient)(row);
     },
     R"(
grad: expected a function whose result is a floating array of rank 0, got f32[3]; use vjp for others
  at here)"},
    {"grad_by_unknown_path", [] { grad(sumOfFirst, {.wrt = {"0.c"}})(Pair{row, row}); }, R"(
grad: expected paths of arrays in the arguments, got '0.c'; there are 0.a, 0.b
  at here)"},
    {"grad_of_complex_result", [] { grad([](const Array &z) { return z * z; })(complex64_t{1, 2}); }, R"(
grad: expected a function whose result is a floating array of rank 0, got c64[]; for a holomorphic function pass {.holomorphic = true}, or use vjp
  at here)"},
    {"jacobian_of_a_holomorphic_real", [] { jacobian(square, {.holomorphic = true})(row); }, R"(
jacobian: expected complex arguments of a holomorphic function, got f32[3] as arg 0
  at here)"},
    {"implicit_gradients_of_nothing", [] { implicit_gradients([] { return row * 2.0f; })(); }, R"(
implicit_gradients: expected a function that reads a trainable Variable, got one that reads none
  at here)"},
    {"backward_of_what_was_before",
     [] {
       const Variable w{1.0f};
       const Array before = w * w;
       GradientTape tape;
       tape.backward(before);
     },
     R"(
backward: expected a target that depends on a trainable Variable which the GradientTape of here has seen read, got one that depends on none
  at here)"},
    {"grad_of_what_is_fixed",
     [] {
       const Variable mean{1.0f, "mean", false};
       mean.zero_grad();
     },
     R"(
grad: expected a trainable Variable with floating (or complex) elements, got a Variable that is not trainable
  variable: 'mean'
  at here)"},
    {"grad_call_line", [] { madeElsewhere.gradient(row); }, R"(
grad: expected a function whose result is a floating array of rank 0, got f32[3]; use vjp for others
  at here)"},
    {"grad_in_jit_line", [] { jit(madeElsewhere.gradient)(row); }, R"(
grad: expected a function whose result is a floating array of rank 0, got f32[3]; use vjp for others
  at here)"},
    {"vmap_of_grad_line", [] { vmap(madeElsewhere.gradient)(table); }, R"(
grad: expected a function whose result is a floating array of rank 0, got f32[3]; use vjp for others
  at here)"},
    {"value_and_grad_call_line", [] { madeElsewhere.both(Pair{row, {}}); }, R"(
grad: expected an array as arg 0: b, got an empty Array
  at here)"},
    {"vmap_call_line", [] { madeElsewhere.batched(one); }, R"(
vmap: in_axes 0 is out of range for arg 0 of type f32[]
  at here)"},
    {"vjp_call_line", [] { vjp(square, Array()); }, R"(
vjp: expected an array as arg 0, got an empty Array
  at here)"},
    {"vjp_pullback_line", [] { madeElsewhere.pullback(Array()); }, R"(
vjp: expected a cotangent of the result's type f32[3], got an empty Array
  at here)"},
    {"scan_empty_result", [] { scan([](const Array &, const Array &) { return std::pair(Array(), one); }, one, row); },
     R"(
scan: expected an array as result, got an empty Array
  at here)"},

    // Derivatives.
    {"grad_of_vector", [] { grad([](const Array &x) { return x * 2; })(row); }, R"(
grad: expected a function whose result is a floating array of rank 0, got f32[3]; use vjp for others
  at here)"},
    {"grad_of_integer", [] { grad([](const Array &x) { return argmax(x); })(row); }, R"(
grad: expected a function whose result is a floating array of rank 0, got i64[]; use vjp for others
  at here)"},
    {"grad_by_integer", [] { grad([](const Array &x) { return mean(x * x); })(Array{1, 2, 3}); }, R"(
grad: expected a floating array to differentiate with respect to, got i32[3] as arg 0
  at here)"},
    {"grad_by_integers",
     [] { grad<1>([](const Array &x, const Pair &p) { return sum(x * p.a); })(row, Pair{7, true}); },
     R"(
grad: expected a floating array to differentiate with respect to, got i32[] as arg 1: a
  at here)"},
    {"grad_empty_result", [] { grad([](const Array &) { return Array(); })(row); }, R"(
grad: expected an array as result, got an empty Array
  at here)"},
    {"grad_empty_argument", [] { grad([](const Pair &p) { return sum(p.a); })(Pair{row, {}}); }, R"(
grad: expected an array as arg 0: b, got an empty Array
  at here)"},
    {"vjp_cotangent", [] { vjp([](const Array &x) { return x * 2; }, row).second(one); }, R"(
vjp: expected a cotangent of the result's type f32[3], got f32[]
  at here)"},
    {"jvp_tangent_type", [] { jvp([](const Pair &p) { return p.a * p.b; }, Pair{row, one}, Pair{row, row}); },
     R"(
jvp: expected a tangent of type f32[] for arg 0: b, got f32[3]
  at here)"},
    {"jvp_tangent_dtype", [] { jvp(square, std::tuple(row), std::tuple(astype(row, f64))); }, R"(
jvp: expected a tangent of type f32[3] for arg 0, got f64[3]
  at here)"},
    {"jvp_tangent_of_integer", [] { jvp(square, Array{1, 2}, Array{1, 2}); }, R"(
jvp: expected no tangent (an empty Array, or f32[2] as grad gives it) for arg 0 of type i32[2], which has no derivative, got i32[2]
  at here)"},
    {"jvp_tangent_structure",
     [] {
       auto first = [](const std::vector<Array> &v) { return v[0]; };
       jvp(first, std::vector{one, row}, std::vector{one});
     },
     R"(
jvp: a tangent must have the structure of its argument, arg 0: expected 2 elements, got 1
  at here)"},
    {"jvp_empty_argument", [] { jvp(sumOfFirst, Pair{row, {}}, Pair{row, {}}); }, R"(
jvp: expected an array as arg 0: b, got an empty Array
  at here)"},
    {"jvp_empty_result", [] { jvp([](const Array &) { return Array(); }, one, one); }, R"(
jvp: expected an array as result, got an empty Array
  at here)"},
    {"linearize_tangent", [] { linearize(square, row).second(one); }, R"(
linearize: expected a tangent of type f32[3] for arg 0, got f32[]
  at here)"},
    {"linear_transpose_of_product", [] { (void)linear_transpose(square, row); }, R"(
linear_transpose: expected a function that is linear in its arguments, got multiply of values that depend on them, at elsewhere
  at here)"},
    {"linear_transpose_of_sum", [] { (void)linear_transpose([](const Array &x) { return 2 * x + 1; }, row); }, R"(
linear_transpose: expected a function that is linear in its arguments, got add of a value that depends on them and a nonzero value that does not, at here
  at here)"},
    {"linear_transpose_of_constant", [] { (void)linear_transpose([](const Array &) { return row; }, row); }, R"(
linear_transpose: expected a function that is linear in its arguments, got a nonzero result that does not depend on them
  at here)"},
    {"linear_transpose_of_integer", [] { (void)linear_transpose(sumOfFirst, Pair{row, 1}); }, R"(
linear_transpose: expected a floating array as arg 0: b, got i32[]
  at here)"},
    {"linear_transpose_empty_argument", [] { (void)linear_transpose(sumOfFirst, Pair{row, {}}); }, R"(
linear_transpose: expected an array as arg 0: b, got an empty Array
  at here)"},
    {"linear_transpose_empty_result", [] { (void)linear_transpose([](const Array &) { return Array(); }, one); }, R"(
linear_transpose: expected an array as result, got an empty Array
  at here)"},
    {"linear_transpose_cotangent", [] { linear_transpose(sumOfFirst, Pair{row, row})(row); }, R"(
linear_transpose: expected a cotangent of the result's type f32[], got f32[3]
  at here)"},
    {"linear_transpose_asks", [] { (void)linear_transpose([](const Array &x) { return sum(x) > 0 ? x : -x; }, row); },
     R"(
item(): expected an array whose elements are known, got a value of the linear_transpose of here; to choose by a value use where or cond, to loop scan or while_loop
  value: bool[]
  at here)"},
    {"jacobian_by_integer", [] { jacobian(square)(Array{1, 2, 3}); }, R"(
jacobian: expected a real floating array to differentiate with respect to, got i32[3] as arg 0
  at here)"},
    {"jacobian_by_complex", [] { jacobian_forward(square)(complex(row, row)); }, R"(
jacobian_forward: expected a real floating array to differentiate with respect to, got c64[3] as arg 0; for a holomorphic function pass {.holomorphic = true}, or use jvp
  at here)"},
    {"jacobian_of_complex", [] { jacobian_reverse([](const Array &x) { return complex(x, x); })(one); }, R"(
jacobian_reverse: expected a function whose result is real, got c64[]; for a holomorphic function pass {.holomorphic = true}, or use vjp
  at here)"},
    {"hessian_of_vector", [] { hessian(square)(row); }, R"(
grad: expected a function whose result is a floating array of rank 0, got f32[3]; use vjp for others
  at here)"},
    {"rule_type",
     [] { grad([](const Array &x) { return sum(ruled([](const Array &d) { return sum(d); })(x)); })(row); },
     R"(
f: expected its rule to return a cotangent of type f32[3] for arg 0, got f32[]
  at here)"},
    {"rule_captured",
     [] {
       auto f = [](const Array &w) {
         auto g =
             custom_gradient("g", [=](const Array &x) { return with_grad(x * w, [](const Array &d) { return d; }); });
         return g(one);
       };
       grad(f)(one);
     },
     R"(
g: expected no captured array to be differentiated, since the rule returns no derivatives of captures, got f32[] (arg 0); pass it as an argument, or apply stop_gradient to it
  at here)"},
    {"rule_forward", [] { jvp([](const Array &x) { return ruled([](const Array &d) { return d; })(x); }, row, row); },
     R"(
f: its reverse-mode rule does not define forward mode; use custom_jvp to give it a forward-mode rule
  at here)"},
    {"rule_not_linear",
     [] {
       grad(custom_jvp("f", square, [](const Array &x, const Array &dx) { return std::pair(x * x, dx * dx); }))(one);
     },
     R"(
f: expected a rule that is linear in the tangents, got one that multiplies or selects by them, which has no transpose for reverse mode
  at here)"},
    {"rule_name",
     [] { (void)custom_gradient("", [](const Array &x) { return with_grad(x, [](const Array &d) { return d; }); }); },
     R"(
custom_gradient: expected a name of 1 to 112 characters, got 0
  at here)"},
    {"check_gradients", [] { check_gradients(ruled([](const Array &d) { return d * 0.5f; }), Array(3.0, f64)); }, R"(
check_gradients: expected the derivative by arg 0 to be that of differences, 1, got 0.5 from reverse mode
  at here)"},
    {"check_gradients_of_integers", [] { check_gradients(square, Array{1, 2}); }, R"(
check_gradients: expected a floating array to differentiate with respect to, got none
  at here)"},
    {"map_counts", [] { map([](const Pair &p) { return p.a; }, Pair{row, table}); }, R"(
map: expected arrays with as many examples each, got 3 in the array a and 2 in the array b
  at here)"},
    {"map_batch", [] { map(square, row, {.batch = -1}); }, R"(
map: expected a batch of at least 1, got -1
  at here)"},
    {"scan_checkpoint_every",
     [] { scan([](const Array &c) { return std::pair(c, none); }, one, none, {.length = 3, .checkpoint_every = 0}); },
     R"(
scan: expected checkpoint_every to be at least 1, got 0
  at here)"},
    {"eval_shape_element", [] { eval_shape(square, TensorSpec{f32, {3}})[0].item<float>(); }, R"(
index: a value of the eval_shape of here was used outside of it (it has ended, or runs on another thread)
  value: f32[3], made at elsewhere
  at here)"},
    {"while_loop_gradient",
     [] {
       auto f = [](const Array &x) {
         auto loud = [](const Array &y) {
           print("{}", {y});
           return y * 2;
         };
         return while_loop([](const Array &y) { return y < 100; }, loud, x);
       };
       grad(f)(one);
     },
     R"(
while_loop has no reverse-mode derivative: its number of rounds is unknown before it runs; use scan, whose length is fixed, or while_loop with max_iterations
  xs[0]: f32[] (arg 0)
  at here)"},

    // Batching.
    {"vmap_lengths", [] { vmap([](const Array &x, const Array &y) { return x + sum(y); })(row, table); }, R"(
vmap: expected arrays with as many examples each, got 3 in arg 0 and 2 in arg 1
  at here)"},
    {"vmap_rank_0", [] { vmap(square)(one); }, R"(
vmap: in_axes 0 is out of range for arg 0 of type f32[]
  at here)"},
    {"vmap_axis", [] { vmap(square, {.in_axes = {2}})(table); }, R"(
vmap: in_axes 2 is out of range for arg 0 of type f32[2, 3]
  at here)"},
    {"vmap_axes_count", [] { vmap(square, {.in_axes = {0, 1}})(table); }, R"(
vmap: expected 1 entry of in_axes, got 2
  at here)"},
    {"vmap_nothing_mapped", [] { vmap(square, {.in_axes = {none}})(table); }, R"(
vmap: expected at least one array that is mapped over, got none
  at here)"},
    {"vmap_out_axis", [] { vmap(square, {.out_axes = {2}})(row); }, R"(
vmap: out_axes 2 is out of range for a result of type f32[]
  at here)"},
    {"vmap_result_differs", [] { vmap(square, {.out_axes = {none}})(row); }, R"(
vmap: expected a result that is the same for all examples (out_axes: none), got f32[] that depends on them
  at here)"},
    {"vmap_shapes_inside", [] { vmap([](const Array &x) { return x + zeros({2}); })(table); }, R"(
add: shapes (3,) and (2,) do not broadcast: sizes 3 and 2 differ
  x1: f32[3] (arg 0)
  x2: f32[2]
  at here)"},
    {"vmap_while_loop",
     [] {
       auto f = [](const Array &x) {
         auto loud = [](const Array &y) {
           print("{}", {y});
           return y * 2;
         };
         return while_loop([](const Array &y) { return y < 100; }, loud, x);
       };
       vmap(f)(row);
     },
     R"(
while_loop: under vmap the loop runs until the last batch element has finished, but its body has a side effect, which would also run for finished elements; move it out of the loop
  xs[0]: f32[] (arg 0)
  at here)"},
    {"vmap_while_loop_condition",
     [] {
       auto f = [](const Array &x) {
         auto loud = [](const Array &y) {
           print("{}", {y});
           return y < 100;
         };
         return while_loop(loud, [](const Array &y) { return y * 2; }, x);
       };
       vmap(f)(row);
     },
     R"(
while_loop: under vmap the loop runs until the last batch element has finished, but its condition has a side effect, which would also run for finished elements; move it out of the loop
  xs[0]: f32[] (arg 0)
  at here)"},
    {"vmap_fori_loop",
     [] {
       vmap([](const Array &n) {
         auto loud = [](const Array &, const Array &y) {
           print("{}", {y});
           return y * 2;
         };
         return fori_loop(Array(0), astype(n, i32), loud, Array(1.0f));
       })(row);
     },
     R"(
fori_loop: under vmap the loop runs until the last batch element has finished, but its body has a side effect, which would also run for finished elements; move it out of the loop
  xs[0]: i64[]
  xs[1]: f32[]
  at here)"},
    {"vmap_cond_with_print",
     [] {
       auto f = [](const Array &x) {
         auto loud = [](const Array &y) {
           print("{}", {y});
           return y;
         };
         return cond(x > 1, loud, [](const Array &y) { return -y; }, x);
       };
       vmap(f)(row);
     },
     R"(
cond: under vmap the predicate differs between batch elements, so both branches run, but one of them has a side effect; move it out of cond
  predicate: bool[]
  at here)"},

    // Fields of print.
    {"print_spec", [] { print("{:q}", {one}); }, R"(
print: expected a field that std::format has for f32, got "{:q}"
  xs[0]: f32[]
  at here)"},
    {"print_spec_jit",
     [] {
       jit([](const Array &x) {
         print("{:q}", {x});
         return x;
       })(one);
     },
     R"(
print: expected a field that std::format has for f32, got "{:q}"
  xs[0]: f32[] (arg 0)
  at here)"},

    // Control flow.
    {"cond_predicate", [] { cond(row > 1, square, square, row); }, R"(
cond: expected a rank-0 bool as predicate, got bool[3]
  at here)"},
    {"cond_branch_types", [] { cond(one > 0, square, [](const Array &x) { return sum(x); }, row); }, R"(
cond: expected branches whose results have the same types, got f32[3] from then and f32[] from otherwise for the result
  at here)"},
    {"switch_case_index", [] { switch_case(one, square, square, row); }, R"(
switch_case: expected a rank-0 i32 or i64 as index, got f32[]
  at here)"},
    {"switch_case_number", [] { switch_case(1.5, square, square, row); }, R"(
switch_case: expected a rank-0 i32 or i64 as index, got f32[]
  at here)"},
    {"switch_case_branch_types", [] { switch_case(1, square, square, [](const Array &x) { return sum(x); }, row); }, R"(
switch_case: expected branches whose results have the same types, got f32[3] from branch 0 and f32[] from branch 2 for the result
  at here)"},
    {"switch_case_branch_structure",
     [] {
       using Rows = std::vector<Array>;
       switch_case(0, [](const Array &x) { return Rows{x}; }, [](const Array &x) { return Rows{x, x}; }, row);
     },
     R"(
switch_case: the results of branch 0 and branch 1 must have the same structure: expected 1 element, got 2
  at here)"},
    {"vmap_switch_case_with_print",
     [] {
       auto f = [](const Array &x) {
         auto loud = [](const Array &y) {
           print("{}", {y});
           return y;
         };
         return switch_case(astype(x, i32), loud, square, square, x);
       };
       vmap(f)(row);
     },
     R"(
switch_case: under vmap the index differs between batch elements, so all branches run, but one of them has a side effect; move it out of switch_case
  index: i64[]
  at here)"},
    {"scan_carry_shape",
     [] { scan([](const Array &carry, const Array &x) { return std::pair(carry + row, x); }, 0.0f, row); }, R"(
scan: expected the body to return the carry with its initial type, f32[], got f32[3]
  at here)"},
    {"fori_loop_carry", [] { fori_loop(0, 3, [](const Array &, const Array &carry) { return carry + row; }, 0.0f); },
     R"(
fori_loop: expected the body to return the carry with its initial type, f32[], got f32[3]
  at here)"},
    {"fori_loop_array_carry",
     [] {
       auto body = [](const Array &, const Pair &p) { return Pair{p.a, p.b + row}; };
       fori_loop(Array(0), Array(3), body, Pair{one, one});
     },
     R"(
fori_loop: expected the body to return the carry b with its initial type, f32[], got f32[3]
  at here)"},
    {"fori_loop_gradient",
     [] {
       grad([](const Array &x) {
         return fori_loop(Array(0), Array(3), [](const Array &, const Array &y) { return y * 2; }, x);
       })(Array(1.0f));
     },
     R"(
fori_loop has no reverse-mode derivative: its number of rounds is unknown before it runs; use scan, whose length is fixed, or while_loop with max_iterations
  xs[0]: i64[]
  xs[1]: i64[]
  xs[2]: f32[] (arg 0)
  at here)"},
    {"escape_fori_loop",
     [] {
       Array inside;
       fori_loop(0, 3, [&](const Array &i, const Array &carry) { return carry + (inside = i); }, 0);
       (void)-inside;
     },
     R"(
negative: a value of fori_loop was used outside of it (it has ended, or runs on another thread)
  value: i64[], made at here
  at here)"},
    {"scan_carry_dtype",
     [] {
       scan([](const Pair &carry, const Array &x) { return std::pair(Pair{carry.a + x, carry.b}, x); }, Pair{0, one},
            row);
     },
     R"(
scan: expected the body to return the carry a with its initial type, i32[], got f32[]
  at here)"},
    {"scan_carry_structure",
     [] {
       auto body = [](std::vector<Array> carry, const Array &x) {
         carry.push_back(x);
         return std::pair(carry, x);
       };
       scan(body, std::vector<Array>{one}, row);
     },
     R"(
scan: the carry must have the same structure: expected 1 element, got 2
  at here)"},
    {"scan_lengths",
     [] {
       scan([](const Array &carry, const Pair &x) { return std::pair(carry + x.a, x.b); }, 0.0f, Pair{row, {1, 2}});
     },
     R"(
scan: expected inputs of one length, got 3 from the input a and 2 from the input b
  at here)"},
    {"scan_rank_0", [] { scan([](const Array &carry, const Array &x) { return std::pair(carry + x, x); }, 0.0f, one); },
     R"(
scan: expected the input to have an axis to walk along, got f32[]
  at here)"},
    {"scan_no_length", [] { scan([](const Array &carry) { return std::pair(carry, none); }, 0.0f, none); }, R"(
scan: expected inputs or a length, got neither
  at here)"},
    {"while_loop_condition", [] { while_loop(square, square, one); }, R"(
while_loop: expected a rank-0 bool as result of the condition, got f32[]
  at here)"},
    {"while_loop_carry",
     [] { while_loop([](const Array &x) { return x < 3; }, [](const Array &x) { return x + row; }, one); }, R"(
while_loop: expected the body to return the carry with its initial type, f32[], got f32[3]
  at here)"},

    // Trees.
    {"tree_map_sizes",
     [] {
       tree_map([](const Array &x, const Array &) { return x; }, std::vector<Array>{row}, std::vector<Array>{row, row});
     },
     R"(
tree_map: tree 2 is not built like tree 1, expected 1 element, got 2
  tree 1: [Array]
  tree 2: [2 x Array]
  at here)"},
    {"assign_leaves_count",
     [] {
       std::vector<Array> tree = {row};
       assign_leaves(tree, std::vector<Array>{row, row});
     },
     R"(
assign_leaves: expected 1 array, got 2
  at here)"},
};

class Programs : public testing::TestWithParam<Case> {};
TEST_P(Programs, Text) {
  const Case &test = GetParam();
  EXPECT_EQ(errorOf(test.run, test.name, __FILE__), body(test.text));
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(MustFail, Programs, testing::ValuesIn(cases), nameOf);
} // namespace
