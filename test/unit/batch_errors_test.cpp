//===- batch_errors_test.cpp - errors of a batch element under vmap ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with one example says the same under vmap as without: with the example's shapes.
//===----------------------------------------------------------------------===//
#include "test/unit/Errors.h"

#include <tenon/tenon.h>

#include <gtest/gtest.h>

#include <regex>

using namespace tenon;
using namespace tenon::test;

namespace {

struct Wrong {
  const char *name;
  Array (*run)(const Array &x);
};
const Wrong cases[] = {
    {"matmul", [](const Array &x) { return matmul(x, x); }},
    {"matmul_captured", [](const Array &x) { return matmul(x, zeros({4, 4})); }},
    {"matmul_captured2", [](const Array &x) { return matmul(zeros({4, 4}), x); }},
    {"add", [](const Array &x) { return x + zeros({4}); }},
    {"sum_axis", [](const Array &x) { return sum(x, 2); }},
    {"mean_axis", [](const Array &x) { return mean(x, 2); }},
    {"var", [](const Array &x) { return var(x, -3); }},
    {"argmax", [](const Array &x) { return argmax(x, 2); }},
    {"reshape", [](const Array &x) { return reshape(x, {4}); }},
    {"reshape_1", [](const Array &x) { return reshape(x, {-1, 4}); }},
    {"concat", [](const Array &x) { return concat({x, zeros({2, 4})}, 0); }},
    {"concat_axis", [](const Array &x) { return concat({x, x}, 2); }},
    {"stack", [](const Array &x) { return stack({x, zeros({2, 4})}); }},
    {"transpose", [](const Array &x) { return transpose(x, {0, 2}); }},
    {"transposeN", [](const Array &x) { return transpose(x, {0, 1, 2}); }},
    {"softmax", [](const Array &x) { return softmax(x, 2); }},
    {"cumulative_sum", [](const Array &x) { return cumulative_sum(x, 2); }},
    {"sort", [](const Array &x) { return sort(x, 2); }},
    {"index", [](const Array &x) { return x[{0, 0, 0}]; }},
    {"indexr", [](const Array &x) { return x[2]; }},
    {"where", [](const Array &x) { return where(x > 0, x, zeros({4})); }},
    {"broadcast_to", [](const Array &x) { return broadcast_to(x, {2, 4}); }},
    {"squeeze", [](const Array &x) { return squeeze(x, 0); }},
    {"expand", [](const Array &x) { return expand_dims(x, 5); }},
    {"dot", [](const Array &x) { return dot(x, zeros({4})); }},
    {"logsumexp", [](const Array &x) { return logsumexp(x, 2); }},
    {"slice", [](const Array &x) { return slice(x, {0}, {1}); }},
    {"flip", [](const Array &x) { return flip(x, 2); }},
    {"dtype", [](const Array &x) { return x & x; }},
    {"split", [](const Array &x) { return split(x, 2, 1)[0]; }},
    {"norm", [](const Array &x) { return vector_norm(x, 2); }},
    {"at", [](const Array &x) { return x.at[{0}].add(zeros({4})); }},
    {"scan",
     [](const Array &x) {
       return scan([](const Array &c, const Array &r) { return std::pair(c + r, c); }, zeros({4}), x).first;
     }},
    {"median", [](const Array &x) { return median(x, 2); }},
    {"roll", [](const Array &x) { return roll(x, 1, 2); }},
    {"diagonal", [](const Array &x) { return trace(x[0]); }},
    {"grad_in", [](const Array &x) { return grad([](const Array &y) { return y * 2.0f; })(x); }},
    {"vjp_in", [](const Array &x) { return vjp([](const Array &y) { return y * 2.0f; }, x).second(zeros({4})); }},
    {"cond", [](const Array &x) { return cond(x, [&] { return x; }, [&] { return x; }); }},
    {"jit_in", [](const Array &x) { return jit([](const Array &y) { return matmul(y, y); })(x); }},
    {"compound", [](const Array &x) { return composite("f", [](const Array &y) { return matmul(y, y); })(x); }},
    {"ckpt", [](const Array &x) { return checkpoint([](const Array &y) { return matmul(y, y); })(x); }},
};

class ErrorsOfExamples : public testing::TestWithParam<Wrong> {};

TEST_P(ErrorsOfExamples, HaveTheExamplesShapes) {
  Array (*const run)(const Array &) = GetParam().run;
  // Without where the values came from, which a transformation knows besides.
  auto textOf = [](auto &&function) {
    return std::regex_replace(errorOf(function), std::regex(" \\(arg 0\\)|, made at [^\n]*"), "");
  };
  const Array batch = zeros({5, 2, 3});
  const std::string alone = textOf([&] { run(zeros({2, 3})); });
  EXPECT_NE(alone, "no error");
  EXPECT_EQ(textOf([&] { vmap(run)(batch); }), alone);
  EXPECT_EQ(textOf([&] { vmap(vmap(run))(zeros({4, 5, 2, 3})); }), alone) << "nested";
  EXPECT_EQ(textOf([&] { vmap(run, {.in_axes = {2}})(zeros({2, 3, 5})); }), alone) << "along the last axis";
  EXPECT_EQ(textOf([&] { grad([&](const Array &x) { return sum(vmap(run)(x)); })(batch); }), alone) << "in grad";
  EXPECT_EQ(textOf([&] { vmap(grad([&](const Array &x) { return sum(run(x)); }))(batch); }), alone) << "of grad";
  EXPECT_EQ(textOf([&] { jit(vmap(run))(batch); }), alone) << "in jit";
  EXPECT_EQ(textOf([&] { jvp(vmap(run), batch, batch); }), alone) << "in jvp";
}

INSTANTIATE_TEST_SUITE_P(Functions, ErrorsOfExamples, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
