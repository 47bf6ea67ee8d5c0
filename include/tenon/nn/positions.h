//===- positions.h - places in sequences, as features -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences are (batch, length, features).
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/calling.h>

namespace tenon::nn {

struct RotaryOptions {
  double max_wavelength = 10000;
  /// Distances count this much less, for sequences longer than those of training (Chen et al., 2023).
  double scaling_factor = 1;
  /// The axis of the places, and of the features that are rotated.
  Axis sequence_axis = 1, feature_axis = -1;
  /// Rotates neighbors (0, 1), (2, 3), … as the paper does, instead of the halves (0, n / 2), (1, n / 2 + 1), … as
  /// Llama and KerasHub do.
  bool interleaved = false;
};
/// Rotates pairs of features by angles that grow with the place, so that products of queries and keys depend on
/// distances alone (RoFormer: Su et al., 2021): pair i of n / 2 turns by `place / max_wavelength^(2 i / n)`. Without
/// weights.
class RotaryEmbedding : public Layer {
public:
  explicit RotaryEmbedding(const RotaryOptions &options = {}, Location at = Location::current());
  using Layer::operator();
  /// With the places of the sequence given: integers of rank 1, or one integer, that of the first.
  template <OperandLike P>
  Array operator()(const Operand &x, const P &positions, Location at = Location::current()) const {
    return at_places(x, positions, at);
  }
  Array call(const Array &x) const override;

private:
  Array at_places(const Operand &x, const Operand &positions, Location at) const;
  Array rotate(const Array &x, const Array &positions) const;
  RotaryOptions options_;
};

struct PositionOptions {
  Initializer embeddings_initializer = glorot_uniform();
};
/// A learned vector for each place, broadcast to x: `x + position(x)` for x (batch, length, features) and a length of
/// up to `sequence_length`.
class PositionEmbedding : public Layer {
public:
  explicit PositionEmbedding(int64_t sequence_length, const PositionOptions &options = {},
                             Location at = Location::current());
  using Layer::operator();
  /// With the places given, as RotaryEmbedding. One that is out of range is an Error, also when a compiled program
  /// runs.
  template <OperandLike P>
  Array operator()(const Operand &x, const P &positions, Location at = Location::current()) const {
    return at_places(x, positions, at);
  }
  Variable embeddings() const { return embeddings_; }
  void build(const Shape &input) const override;
  Array call(const Array &x) const override;
  void fields(Fields &f) override { f("embeddings", embeddings_); }

private:
  Array at_places(const Operand &x, const Operand &positions, Location at) const;
  Array embed(const Array &x, const Array &positions) const;
  int64_t length_;
  PositionOptions options_;
  Weight embeddings_;
};

/// Sines and cosines of each place, broadcast to x (Vaswani et al., 2017): feature 2 i is `sin(place / w)` and 2 i + 1
/// `cos(place / w)`, with `w = max_wavelength^(2 i / features)`. `x + position(x)`; without weights.
class SinePositionEncoding : public Layer {
public:
  explicit SinePositionEncoding(double max_wavelength = 10000, Location at = Location::current());
  using Layer::operator();
  /// With the places given, as RotaryEmbedding.
  template <OperandLike P>
  Array operator()(const Operand &x, const P &positions, Location at = Location::current()) const {
    return at_places(x, positions, at);
  }
  Array call(const Array &x) const override;

private:
  Array at_places(const Operand &x, const Operand &positions, Location at) const;
  Array encode(const Array &x, const Array &positions) const;
  double wavelength_;
};

} // namespace tenon::nn
