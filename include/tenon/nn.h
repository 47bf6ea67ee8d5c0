//===- nn.h - layers and models -------------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   struct Net {
//     nn::Dense hidden{128, {.activation = tn::relu}};
//     nn::Dropout dropout{0.2};
//     nn::Dense logits{10};
//     tn::Array operator()(const tn::Array &x) const { return logits(dropout(hidden(x))); }
//   };
//   const Net net;
//   tn::Array y = net(x);                                 // builds the weights
//   auto variables = nn::trainable_variables(net);        // hidden.kernel, hidden.bias, logits.kernel, logits.bias
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/attention.h>
#include <tenon/nn/calling.h>
#include <tenon/nn/cells.h>
#include <tenon/nn/gradient.h>
#include <tenon/nn/layer.h>
#include <tenon/nn/layers.h>
#include <tenon/nn/model.h>
#include <tenon/nn/params.h>
#include <tenon/nn/policy.h>
#include <tenon/nn/positions.h>
#include <tenon/nn/recurrent.h>
#include <tenon/nn/regularizers.h>
#include <tenon/nn/sequential.h>
#include <tenon/nn/values.h>
#include <tenon/nn/weight.h>
