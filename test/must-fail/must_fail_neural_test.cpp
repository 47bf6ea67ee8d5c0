//===- must_fail_neural_test.cpp - wrong attention, normalizations, losses, distances ---===//
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
  Array f23 = zeros({2, 3}), f43 = zeros({4, 3}), f3 = zeros({3}), i2 = {0, 2};
  Array q = zeros({2, 4, 3, 8}), k = zeros({2, 2, 5, 8}), v = zeros({2, 2, 5, 6});
};

const Case<Inputs> cases[] = {
    // Attention.
    {"attention_rank", [](const Inputs &in) { (void)scaled_dot_product_attention(in.f23, in.f23, in.f23); }, R"(
scaled_dot_product_attention: expected q, k and v of one rank, 3 or more: (batch..., heads, length, width), got (2, 3), (2, 3) and (2, 3)
  q: f32[2, 3] @f23
  k: f32[2, 3] @f23
  v: f32[2, 3] @f23
  at here)"},
    {"attention_sizes", [](const Inputs &in) { (void)scaled_dot_product_attention(in.q, in.v, in.v); }, R"(
scaled_dot_product_attention: expected q (batch..., heads, length, width), k (batch..., kv_heads, keys, width) and v (batch..., kv_heads, keys, values), got (2, 4, 3, 8), (2, 2, 5, 6) and (2, 2, 5, 6)
  q: f32[2, 4, 3, 8] @q
  k: f32[2, 2, 5, 6] @v
  v: f32[2, 2, 5, 6] @v
  at here)"},
    {"attention_batch",
     [](const Inputs &in) { (void)scaled_dot_product_attention(slice(in.q, {0, 0, 0, 0}, {1, 4, 3, 8}), in.k, in.v); },
     R"(
scaled_dot_product_attention: expected q (batch..., heads, length, width), k (batch..., kv_heads, keys, width) and v (batch..., kv_heads, keys, values), got (1, 4, 3, 8), (2, 2, 5, 8) and (2, 2, 5, 6)
  q: f32[1, 4, 3, 8]
  k: f32[2, 2, 5, 8] @k
  v: f32[2, 2, 5, 6] @v
  at here)"},
    {"attention_heads", [](const Inputs &in) { (void)scaled_dot_product_attention(in.k, in.q, in.q); }, R"(
scaled_dot_product_attention: expected heads of q that are a multiple of those of k and v, got 2 and 4
  q: f32[2, 2, 5, 8] @k
  k: f32[2, 4, 3, 8] @q
  v: f32[2, 4, 3, 8] @q
  at here)"},
    {"attention_mask_dtype",
     [](const Inputs &in) { (void)scaled_dot_product_attention(in.q, in.k, in.v, {.mask = in.f3}); }, R"(
scaled_dot_product_attention: expected a mask of bools, got f32; what is added to the scores is a bias
  q: f32[2, 4, 3, 8] @q
  k: f32[2, 2, 5, 8] @k
  v: f32[2, 2, 5, 6] @v
  at here)"},
    {"attention_bias_dtype",
     [](const Inputs &in) { (void)scaled_dot_product_attention(in.q, in.k, in.v, {.bias = in.i2}); }, R"(
scaled_dot_product_attention: expected a bias of floats, got i32; what chooses scores is a mask
  q: f32[2, 4, 3, 8] @q
  k: f32[2, 2, 5, 8] @k
  v: f32[2, 2, 5, 6] @v
  at here)"},
    {"attention_bias_shape",
     [](const Inputs &in) { (void)scaled_dot_product_attention(in.q, in.k, in.v, {.bias = in.f3}); }, R"(
scaled_dot_product_attention: expected a bias that broadcasts to (batch..., heads, length, keys), (2, 4, 3, 5), got (3,)
  q: f32[2, 4, 3, 8] @q
  k: f32[2, 2, 5, 8] @k
  v: f32[2, 2, 5, 6] @v
  at here)"},
    {"attention_window",
     [](const Inputs &in) { (void)scaled_dot_product_attention(in.q, in.k, in.v, {.window = {1, -2}}); },
     R"(
scaled_dot_product_attention: expected a window of one or two numbers >= -1, got {1, -2}
  q: f32[2, 4, 3, 8] @q
  k: f32[2, 2, 5, 8] @k
  v: f32[2, 2, 5, 6] @v
  at here)"},
    {"attention_key",
     [](const Inputs &in) { (void)scaled_dot_product_attention(in.q, in.k, in.v, {.dropout_rate = 0.5}); }, R"(
scaled_dot_product_attention: expected a key, since the dropout_rate is 0.5
  q: f32[2, 4, 3, 8] @q
  k: f32[2, 2, 5, 8] @k
  v: f32[2, 2, 5, 6] @v
  at here)"},
    {"attention_rate",
     [](const Inputs &in) { (void)scaled_dot_product_attention(in.q, in.k, in.v, {.dropout_rate = 1.5}); }, R"(
scaled_dot_product_attention: expected a dropout_rate in [0, 1], got 1.5
  q: f32[2, 4, 3, 8] @q
  k: f32[2, 2, 5, 8] @k
  v: f32[2, 2, 5, 6] @v
  at here)"},
    {"attention_softcap",
     [](const Inputs &in) { (void)scaled_dot_product_attention(in.q, in.k, in.v, {.softcap = 0}); }, R"(
scaled_dot_product_attention: expected a finite softcap > 0, got 0
  q: f32[2, 4, 3, 8] @q
  k: f32[2, 2, 5, 8] @k
  v: f32[2, 2, 5, 6] @v
  at here)"},
    // Normalizations.
    {"rms_norm_scale", [](const Inputs &in) { (void)rms_norm(in.f23, -1, in.f23); }, R"(
rms_norm: expected scale of the sizes of the axes of x, (3,), got (2, 3)
  x: f32[2, 3] @f23
  scale: f32[2, 3] @f23
  at here)"},
    {"rms_norm_epsilon", [](const Inputs &in) { (void)rms_norm(in.f23, -1, 1, {.epsilon = -1}); }, R"(
rms_norm: expected an epsilon >= 0, got -1
  x: f32[2, 3] @f23
  scale: 1
  at here)"},
    {"batch_norm_channels", [](const Inputs &in) { (void)batch_norm_training(in.f23, in.f3, in.i2); }, R"(
batch_norm_training: expected offset of one element for each channel, (3,), got (2,)
  x: f32[2, 3] @f23
  scale: f32[3] @f3
  offset: i32[2] @i2
  at here)"},
    {"group_norm_groups", [](const Inputs &in) { (void)group_norm(in.f23, 2, 1, 0); }, R"(
group_norm: expected a number of groups that divides the channels, got 2 of 3
  x: f32[2, 3] @f23
  scale: 1
  offset: 0
  at here)"},
    {"group_norm_axis", [](const Inputs &in) { (void)group_norm(in.f23, 2, 1, 0, {.axis = 0}); }, R"(
group_norm: expected an axis of channels beside axis 0, which is the batch, got 0
  x: f32[2, 3] @f23
  scale: 1
  offset: 0
  at here)"},
    {"instance_norm_rank", [](const Inputs &in) { (void)instance_norm(in.f23, 1, 0); }, R"(
instance_norm: expected x of rank 3 or more, got (2, 3)
  x: f32[2, 3] @f23
  scale: 1
  offset: 0
  at here)"},
    // Losses.
    {"nll_loss_dtype", [](const Inputs &in) { (void)nll_loss(in.f23, in.f3); }, R"(
nll_loss: expected a target of integers, got f32
  log_probs: f32[2, 3] @f23
  target: f32[3] @f3
  at here)"},
    {"cross_entropy_shape", [](const Inputs &in) { (void)cross_entropy(in.f43, in.i2); }, R"(
cross_entropy: expected a target of the shape (4,), got (2,)
  logits: f32[4, 3] @f43
  target: i32[2] @i2
  at here)"},
    {"cross_entropy_weight", [](const Inputs &in) { (void)cross_entropy(in.f23, in.i2, {.weight = in.f23}); }, R"(
cross_entropy: expected a weight of the shape (3,), got (2, 3)
  logits: f32[2, 3] @f23
  target: i32[2] @i2
  weight: f32[2, 3] @f23
  at here)"},
    {"cross_entropy_smoothing", [](const Inputs &in) { (void)cross_entropy(in.f23, in.i2, {.label_smoothing = 2}); },
     R"(
cross_entropy: expected a label_smoothing in [0, 1], got 2
  logits: f32[2, 3] @f23
  target: i32[2] @i2
  at here)"},
    {"mse_loss_shape", [](const Inputs &in) { (void)mse_loss(in.f23, in.f3); }, R"(
mse_loss: expected a target of the shape (2, 3), got (3,)
  x: f32[2, 3] @f23
  target: f32[3] @f3
  at here)"},
    {"huber_loss_delta", [](const Inputs &in) { (void)huber_loss(in.f23, in.f23, {.delta = 0}); }, R"(
huber_loss: expected a delta > 0, got 0
  x: f32[2, 3] @f23
  target: f32[2, 3] @f23
  at here)"},
    {"reduction_value",
     [](const Inputs &in) { (void)l1_loss(in.f23, in.f23, {.reduction = static_cast<Reduction>(7)}); }, R"(
l1_loss: expected a value of Reduction, got the number 7
  x: f32[2, 3] @f23
  target: f32[2, 3] @f23
  at here)"},
    // Distances.
    {"normalize_epsilon", [](const Inputs &in) { (void)normalize(in.f23, {.epsilon = 0}); }, R"(
normalize: expected an epsilon > 0, got 0
  x: f32[2, 3] @f23
  at here)"},
    {"cdist_width", [](const Inputs &in) { (void)cdist(in.f23, expand_dims(in.f3, 1)); }, R"(
cdist: expected x1 (..., m, width) and x2 (..., n, width), got (2, 3) and (3, 1)
  x1: f32[2, 3] @f23
  x2: f32[3, 1]
  at here)"},
};

class Neural : public testing::TestWithParam<Case<Inputs>> {};
TEST_P(Neural, EagerlyAndTraced) { expectError(GetParam(), __FILE__); }
INSTANTIATE_TEST_SUITE_P(MustFail, Neural, testing::ValuesIn(cases), nameOf<Inputs>);

} // namespace
