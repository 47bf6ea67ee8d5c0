//===- dense.h - layers of products and tables ---------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/nn/layer.h>

namespace tenon::nn {

struct DenseOptions {
  Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform(), bias_initializer = zeros();
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  /// The sizes of an input without the batch: builds the layer at once.
  Shape input_shape = {};
};
/// Computes `activation(x @ kernel + bias)`: (..., features) to (..., units).
class Dense : public Layer {
public:
  explicit Dense(int64_t units, const DenseOptions &options = {}, Location at = Location::current());
  Variable kernel() const { return kernel_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  int64_t units_;
  DenseOptions options_;
  Weight kernel_, bias_;
};

struct EinsumDenseOptions {
  Activation activation = {};
  /// The letters of the result that the bias has axes for; none: no bias.
  std::string bias_axes = {};
  Initializer kernel_initializer = glorot_uniform(), bias_initializer = zeros();
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
};
/// Computes `activation(einsum(equation, x, kernel) + bias)`: the projections of attention, or a dense layer for each
/// place. `output_shape` has the sizes of the result without the batch, and -1 where the input says them:
///
///   nn::EinsumDense{"abc,cd->abd", {-1, 64}, {.bias_axes = "d"}}     // (batch, length, c) to (batch, length, 64)
///   nn::EinsumDense{"...x,xhd->...hd", {-1, 8, 32}}                   // eight heads
///
/// The sizes of the kernel are those of its letters in the input or in the result; a letter that is in neither is an
/// Error. An ellipsis stands for any axes at the start or the end of the input and the result.
class EinsumDense : public Layer {
public:
  explicit EinsumDense(std::string equation, const Shape &output_shape, const EinsumDenseOptions &options = {},
                       Location at = Location::current());
  Variable kernel() const { return kernel_; }
  Variable bias() const { return bias_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  /// The letters of x, of the kernel and of the result, without the ellipses.
  std::string equation_, input_, weight_, result_;
  /// Whether an ellipsis is before or after the letters.
  bool isOpenBefore_ = false, isOpenAfter_ = false;
  Shape outputs_;
  EinsumDenseOptions options_;
  Weight kernel_, bias_;
};

struct EmbeddingOptions {
  Initializer embeddings_initializer = uniform();
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
};
/// Looks up a row of a table for each integer: (...) to (..., output_dim). An integer out of range is an Error,
/// also when a compiled program runs.
class Embedding : public Layer {
public:
  explicit Embedding(int64_t input_dim, int64_t output_dim, const EmbeddingOptions &options = {},
                     Location at = Location::current());
  Variable embeddings() const { return embeddings_; }

  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  int64_t inputs_, outputs_;
  EmbeddingOptions options_;
  Weight embeddings_;
};

} // namespace tenon::nn
