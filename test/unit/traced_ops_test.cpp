//===- traced_ops_test.cpp - a trace as data ----------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tenon/tenon.h>

#include <gmock/gmock.h>

using namespace tenon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static std::vector<std::string> namesOf(const std::vector<TracedOp> &ops) {
  std::vector<std::string> names;
  for (const TracedOp &op : ops)
    names.push_back(op.name);
  return names;
}

TEST(TracedOps, HaveOperandsTypesAndPlaces) {
  const auto f = jit([](const Array &x, const Array &w) { return sum(relu(matmul(x, w)), 0); }, {.name = "layer"})
                     .concrete(TensorSpec{f32, {"n", 4}}, TensorSpec{f32, {4, 3}});
  const TracedFunction graph = f.graph();
  ASSERT_EQ(graph.inputs.size(), 2u);
  EXPECT_EQ(graph.inputs[0].shape.str(), "(n, 4)");
  ASSERT_THAT(namesOf(graph.ops), ElementsAre("dot_general", "relu", "sum"));
  EXPECT_THAT(namesOf(f.ops()), ElementsAre("dot_general", "relu", "sum"));
  const TracedOp &product = graph.ops[0], &reduction = graph.ops[2];
  EXPECT_EQ(product.operands[0].id, graph.inputs[0].id);
  EXPECT_EQ(product.operands[1].id, graph.inputs[1].id);
  EXPECT_EQ(graph.ops[1].operands[0].id, product.results[0].id);
  EXPECT_EQ(product.results[0].shape.str(), "(n, 3)");
  EXPECT_EQ(product.results[0].dtype, f32);
  EXPECT_THAT(product.location, HasSubstr("traced_ops_test.cpp:"));
  EXPECT_EQ(reduction.attributes, "axes = [0], keepdims = false");
  ASSERT_EQ(graph.outputs.size(), 1u);
  EXPECT_EQ(graph.outputs[0].id, reduction.results[0].id);
}

TEST(TracedOps, HoldBodies) {
  const auto f =
      jit([](const Array &x) {
        return cond(sum(x) > 0, [](const Array &y) { return exp(y); }, [](const Array &y) { return -y; }, softmax(x));
      }).concrete(spec<float>({3}));
  const std::vector<TracedOp> ops = f.ops();
  EXPECT_EQ(ops.back().name, "cond");
  ASSERT_EQ(ops.back().bodies.size(), 2u);
  EXPECT_THAT(namesOf(ops.back().bodies[0].ops), ElementsAre("exp"));
  EXPECT_THAT(namesOf(ops.back().bodies[1].ops), ElementsAre("negative"));
  // A composite has its own name, and the ops that it is made of.
  const auto softmax = std::find_if(ops.begin(), ops.end(), [](const TracedOp &op) { return op.name == "softmax"; });
  ASSERT_NE(softmax, ops.end());
  EXPECT_THAT(namesOf(softmax->bodies.at(0).ops), ::testing::Contains("exp"));
}

TEST(TracedOps, AgreeWithTheText) {
  const auto f = jit([](const Array &x) { return tanh(x) * 2 + 1; }).concrete(spec<float>({5}));
  for (const TracedOp &op : f.ops())
    EXPECT_THAT(f.trace(), HasSubstr("%" + std::to_string(op.results[0].id) + ": f32[5] = " + op.name));
}
