//===- attention.h - attention, positions and transformers ---------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences are (batch, length, features).
//
//   nn::MultiHeadAttention attention{4, 32};              // 4 heads, queries and keys of 32 numbers
//   tn::Array y = attention(x, {.causal = true});         // self-attention
//   tn::Array z = attention(x, encoded);                  // of x over another sequence
//
//   nn::KeyValueCache cache = attention.cache(1, 256);    // for a batch of 1 and up to 256 places
//   tn::Array last = attention(token, {.causal = true, .cache = &cache});
//===----------------------------------------------------------------------===//
#pragma once

#include <tenon/nn/calling.h>
#include <tenon/nn/layers.h>
#include <tenon/nn/positions.h>

namespace tenon {
namespace nn {

/// Keys and values of what was attended to so far, (batch, kv_heads, max_length, width), and its length, an i64 of rank
/// 0: a tree of arrays. Places from the length on are zeros that no query sees.
struct KeyValueCache {
  Array keys, values, length;
};

/// kv_heads, then Keras' in Keras' order, then those of rotary positions.
struct AttentionOptions {
  /// How many heads the keys and values have, a divisor of `num_heads`: each serves as many heads of the query
  /// (grouped-query attention: Ainslie et al., 2023). Left out: as many as the query.
  std::optional<int64_t> kv_heads = {};
  /// The width of the values of a head. Left out: `key_dim`.
  std::optional<int64_t> value_dim = {};
  /// In training, the share of the weights of the softmax that are set to 0.
  double dropout = 0;
  bool use_bias = true;
  /// The features of the output. Left out: those of the query.
  std::optional<int64_t> output_dim = {};
  /// Called with the shape (features, heads * width), so that fans are those of the product.
  Initializer kernel_initializer = glorot_uniform(), bias_initializer = zeros();
  /// Of dropout. Left out: keys from the default generator, which tn::set_seed starts anew.
  std::optional<uint64_t> seed = {};
  /// Whether queries and keys are rotated by their places, as RotaryEmbedding does, with this `max_wavelength`.
  bool rotary = false;
  double max_wavelength = 10000;
};

/// What a call of MultiHeadAttention is told.
struct AttentionCall {
  /// Query i sees the keys 0 to i; with a cache, the keys that were there before, too.
  bool causal = false;
  /// Bools, true takes part: (queries, keys), (batch, queries, keys), or what broadcasts to (batch, heads, queries,
  /// keys). With a cache, keys are all places of the cache.
  Array mask = {};
  /// Is appended to, and attended to as a whole.
  KeyValueCache *cache = nullptr;
  std::optional<bool> training = {};
  /// Bools, (batch, keys): false is padding that no query sees.
  Array key_mask = {};
};
} // namespace nn

namespace detail {
/// A kernel, and a bias if there is one.
class Projection : public TreeObject {
public:
  explicit Projection(bool use_bias = true) : has_bias(use_bias) {}
  void fields(Fields &f) override {
    f("kernel", kernel);
    if (has_bias)
      f("bias", bias);
  }
  bool has_bias;
  nn::Weight kernel, bias;
};
} // namespace detail

namespace nn {

/// Multi-head attention (Vaswani et al., 2017): `softmax(q k^T / sqrt(key_dim)) v` for each head, with q, k and v
/// products of the inputs, and a product of all heads' results. Kernels have Keras' shapes: `query.kernel` is
/// (features, num_heads, key_dim), `key.kernel` (features, kv_heads, key_dim), `value.kernel` (features, kv_heads,
/// value_dim), `output.kernel` (num_heads, value_dim, features). A query that sees no key gives 0 before the last
/// product.
class MultiHeadAttention : public Layer {
public:
  /// A `key_dim` of 0 is the features of the query / num_heads.
  explicit MultiHeadAttention(int64_t num_heads, int64_t key_dim = 0, const AttentionOptions &options = {},
                              Location at = Location::current());
  /// Self-attention: (batch, length, features) to the same.
  Array operator()(const Operand &x, const AttentionCall &options = {}, Location at = Location::current()) const;
  /// Cross-attention: of the query, (batch, queries, features), over the value, (batch, keys, features). A template,
  /// since braces are options.
  template <OperandLike V>
  Array operator()(const Operand &query, const V &value, const AttentionCall &options = {},
                   Location at = Location::current()) const {
    return attend_to(query, value, value, options, at);
  }
  /// The same with keys made from another sequence than values, as Keras' key.
  template <OperandLike V, OperandLike K>
  Array operator()(const Operand &query, const V &value, const K &key, const AttentionCall &options = {},
                   Location at = Location::current()) const {
    return attend_to(query, value, key, options, at);
  }
  /// An empty cache for sequences of up to `max_length` places. With a `key_dim` of 0 the layer must be built.
  KeyValueCache cache(Dim batch, int64_t max_length, Dtype dtype = Dtype::f32, Location at = Location::current()) const;

  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  Array attend_to(const Operand &query, const Operand &value, const Operand &key, const AttentionCall &options,
                  Location at) const;
  void build_for(const Shape &query, const Shape &value, const Shape &key) const;
  Array attend(const Array &query, const Array &value, const Array &key, const AttentionCall &options) const;

  int64_t heads_, width_;
  AttentionOptions options_;
  tenon::detail::Projection query_, key_, value_, output_;
  /// The key of the next call, of one with a seed.
  State key_of_dropout_;
};

//===----------------------------------------------------------------------===//
// Transformer blocks
//===----------------------------------------------------------------------===//

/// In KerasHub's order.
struct TransformerOptions {
  double dropout = 0;
  Activation activation = relu;
  double layer_norm_epsilon = 1e-5;
  Initializer kernel_initializer = glorot_uniform(), bias_initializer = zeros();
  /// Normalizes what goes into attention and the feed-forward part (pre-norm), instead of the sums behind them.
  bool normalize_first = false;
  /// Of a decoder: whether it attends to an encoder's sequence, too.
  bool cross_attention = true;
};
} // namespace nn

namespace detail {
/// Two products with an activation between them, whose output has the features of the input.
class FeedForward : public TreeObject {
public:
  FeedForward(int64_t width, const nn::TransformerOptions &options) : width_(width), options_(options) {}
  Array operator()(const Array &x) const;
  void fields(Fields &f) override { f("hidden", hidden_)("output", output_); }

private:
  int64_t width_;
  nn::TransformerOptions options_;
  Projection hidden_, output_;
};
} // namespace detail

namespace nn {

/// What a call of TransformerEncoder is told.
struct EncoderCall {
  /// Bools, (batch, length): false is padding that is not attended to.
  Array padding_mask = {};
  /// As AttentionCall::mask.
  Array mask = {};
  std::optional<bool> training = {};
};
/// A block of a transformer's encoder: self-attention with `num_heads` heads and a feed-forward part of
/// `intermediate_dim` units, each with dropout, a residual connection and layer normalization. (batch, length,
/// features) to the same; features are a multiple of the heads.
class TransformerEncoder : public Layer {
public:
  explicit TransformerEncoder(int64_t intermediate_dim, int64_t num_heads, const TransformerOptions &options = {},
                              Location at = Location::current());
  Array operator()(const Operand &x, const EncoderCall &options = {}, Location at = Location::current()) const;

  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  Array encode(const Array &x, const EncoderCall &options) const;

  TransformerOptions options_;
  MultiHeadAttention attention_;
  LayerNorm attention_norm_, norm_;
  Dropout dropout_;
  tenon::detail::FeedForward feed_forward_;
};

/// What a call of TransformerDecoder is told.
struct DecoderCall {
  /// Bools, (batch, length) of the decoder's and of the encoder's sequence: false is padding.
  Array padding_mask = {}, encoder_padding_mask = {};
  /// As AttentionCall::mask, of both attentions.
  Array mask = {}, encoder_mask = {};
  /// Of the self-attention.
  KeyValueCache *cache = nullptr;
  bool causal = true;
  std::optional<bool> training = {};
};
/// A block of a transformer's decoder: causal self-attention, then attention over the encoder's sequence, then a
/// feed-forward part, each with dropout, a residual connection and layer normalization.
class TransformerDecoder : public Layer {
public:
  explicit TransformerDecoder(int64_t intermediate_dim, int64_t num_heads, const TransformerOptions &options = {},
                              Location at = Location::current());
  /// Without an encoder, as in GPT: of a decoder that is made with `.cross_attention = false`.
  Array operator()(const Operand &x, const DecoderCall &options = {}, Location at = Location::current()) const;
  template <OperandLike E>
  Array operator()(const Operand &x, const E &encoded, const DecoderCall &options = {},
                   Location at = Location::current()) const {
    return decode_with(x, encoded, options, at);
  }
  /// An empty cache of the self-attention. The block must be built.
  KeyValueCache cache(Dim batch, int64_t max_length, Location at = Location::current()) const {
    return attention_.cache(batch, max_length, Dtype::f32, at);
  }

  Array call(const Array &x) const override;
  void fields(Fields &f) override;

private:
  Array decode_with(const Operand &x, const Operand &encoded, const DecoderCall &options, Location at) const;
  Array decode(const Array &x, const Array &encoded, const DecoderCall &options) const;

  TransformerOptions options_;
  MultiHeadAttention attention_, cross_attention_;
  LayerNorm attention_norm_, cross_norm_, norm_;
  Dropout dropout_;
  tenon::detail::FeedForward feed_forward_;
};

} // namespace nn
} // namespace tenon
