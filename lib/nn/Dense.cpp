//===- Dense.cpp - layers of products and tables ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"

#include <tenon/nn/layers.h>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Dense
//===----------------------------------------------------------------------===//

nn::Dense::Dense(int64_t units, const DenseOptions &options, Location at) : units_(units), options_(options) {
  expectPositive("Dense", "units", units, at);
  if (options_.input_shape.rank() > 0)
    build(withBatch(options_.input_shape));
}

void nn::Dense::build(const Shape &input) const {
  const LayerCall here(*this);
  if (input.rank() == 0)
    here.refuse("expected an input with features along the last axis, got a shape of rank 0");
  here.expectSize("features", -1, input, kernel_, 0);
  kernel_.build({input[-1], units_}, options_.kernel_initializer);
  if (options_.use_bias)
    bias_.build({units_}, options_.bias_initializer);
}

Array nn::Dense::call(const Array &x) const {
  const LayerCall here(*this);
  const Array y = matmul(x, kernel_);
  return options_.activation(options_.use_bias ? y + bias_ : y);
}

void nn::Dense::fields(Fields &f) {
  f("kernel", kernel_);
  if (options_.use_bias)
    f("bias", bias_);
}

//===----------------------------------------------------------------------===//
// Embedding
//===----------------------------------------------------------------------===//

nn::Embedding::Embedding(int64_t input_dim, int64_t output_dim, const EmbeddingOptions &options, Location at)
    : inputs_(input_dim), outputs_(output_dim), options_(options) {
  expectPositive("Embedding", "input_dim", input_dim, at);
  expectPositive("Embedding", "output_dim", output_dim, at);
}
void nn::Embedding::build(const Shape &) const {
  embeddings_.build({inputs_, outputs_}, options_.embeddings_initializer);
}
Array nn::Embedding::call(const Array &x) const {
  const LayerCall here(*this);
  if (kind(x.dtype()) != Kind::integer)
    here.refuse("expected integers, got " + std::string(short_name(x.dtype())));
  return take(embeddings_, x, 0);
}
void nn::Embedding::fields(Fields &f) { f("embeddings", embeddings_); }
