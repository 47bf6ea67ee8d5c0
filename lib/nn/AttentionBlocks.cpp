//===- AttentionBlocks.cpp - blocks of transformers --------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"
#include "lib/nn/Products.h"

#include <tenon/nn/attention.h>

using namespace tenon;
using namespace tenon::detail;

Array FeedForward::operator()(const Array &x) const {
  const Dim features = x.shape()[-1];
  hidden_.kernel.build({features, width_}, options_.kernel_initializer);
  hidden_.bias.build({width_}, options_.bias_initializer);
  output_.kernel.build({width_, features}, options_.kernel_initializer);
  output_.bias.build({features}, options_.bias_initializer);
  const Array hidden = options_.activation(productOf(x, hidden_.kernel) + hidden_.bias);
  return productOf(hidden, output_.kernel) + output_.bias;
}

static nn::AttentionOptions attentionOf(const nn::TransformerOptions &options) {
  return {.dropout = options.dropout,
          .kernel_initializer = options.kernel_initializer,
          .bias_initializer = options.bias_initializer};
}
static nn::NormOptions normOf(const nn::TransformerOptions &options) { return {.epsilon = options.layer_norm_epsilon}; }
static void expectBlock(const char *name, int64_t width, int64_t heads, Location at) {
  expectPositive(name, "intermediate_dim", width, at);
  expectPositive(name, "num_heads", heads, at);
}

/// `x + dropout(part(x))`, normalized before or behind.
template <class Part>
static Array residual(const Array &x, const nn::LayerNorm &norm, const nn::Dropout &dropout, bool isFirst,
                      const Part &part) {
  const Array y = x + dropout(part(isFirst ? norm(x) : x));
  return isFirst ? y : norm(y);
}
static void expectSequence(const LayerCall &here, const Shape &input) {
  if (input.rank() != 3)
    here.refuse("expected 3 axes (batch, length, features), got " + input.str());
}

//===----------------------------------------------------------------------===//
// Encoder
//===----------------------------------------------------------------------===//

nn::TransformerEncoder::TransformerEncoder(int64_t intermediate_dim, int64_t num_heads,
                                           const TransformerOptions &options, Location at)
    : options_((expectBlock("TransformerEncoder", intermediate_dim, num_heads, at), options)),
      attention_(num_heads, 0, attentionOf(options), at), attention_norm_(normOf(options)), norm_(normOf(options)),
      dropout_(options.dropout, {}, at), feed_forward_(intermediate_dim, options) {}

void nn::TransformerEncoder::fields(Fields &f) {
  f("attention", attention_)("attention_norm", attention_norm_)("feed_forward", feed_forward_)("norm", norm_);
}
Array nn::TransformerEncoder::encode(const Array &x, const EncoderCall &options) const {
  const LayerCall here(*this);
  expectSequence(here, x.shape());
  const bool isFirst = options_.normalize_first;
  const Array y = residual(x, attention_norm_, dropout_, isFirst, [&](const Array &part) {
    return attention_(part, {.mask = options.mask, .key_mask = options.padding_mask});
  });
  return residual(y, norm_, dropout_, isFirst, feed_forward_);
}
Array nn::TransformerEncoder::call(const Array &x) const { return encode(x, {}); }
Array nn::TransformerEncoder::operator()(const Operand &x, const EncoderCall &options, Location at) const {
  const CallingLayer calling(*this, options.training, at);
  return calling.returns(encode(calling.array(x), options));
}

//===----------------------------------------------------------------------===//
// Decoder
//===----------------------------------------------------------------------===//

nn::TransformerDecoder::TransformerDecoder(int64_t intermediate_dim, int64_t num_heads,
                                           const TransformerOptions &options, Location at)
    : options_((expectBlock("TransformerDecoder", intermediate_dim, num_heads, at), options)),
      attention_(num_heads, 0, attentionOf(options), at), cross_attention_(num_heads, 0, attentionOf(options), at),
      attention_norm_(normOf(options)), cross_norm_(normOf(options)), norm_(normOf(options)),
      dropout_(options.dropout, {}, at), feed_forward_(intermediate_dim, options) {}

void nn::TransformerDecoder::fields(Fields &f) {
  f("attention", attention_)("attention_norm", attention_norm_);
  if (options_.cross_attention)
    f("cross_attention", cross_attention_)("cross_norm", cross_norm_);
  f("feed_forward", feed_forward_)("norm", norm_);
}
Array nn::TransformerDecoder::decode(const Array &x, const Array &encoded, const DecoderCall &options) const {
  const LayerCall here(*this);
  expectSequence(here, x.shape());
  if (options_.cross_attention != encoded.has_value())
    here.refuse(options_.cross_attention
                    ? "expected an encoder's sequence as second argument; a decoder without one is "
                      "made with `.cross_attention = false`"
                    : "expected no encoder's sequence, since `.cross_attention` is false");
  const bool isFirst = options_.normalize_first;
  Array y = residual(x, attention_norm_, dropout_, isFirst, [&](const Array &part) {
    return attention_(
        part,
        {.causal = options.causal, .mask = options.mask, .cache = options.cache, .key_mask = options.padding_mask});
  });
  if (options_.cross_attention)
    y = residual(y, cross_norm_, dropout_, isFirst, [&](const Array &part) {
      return cross_attention_(part, encoded, {.mask = options.encoder_mask, .key_mask = options.encoder_padding_mask});
    });
  return residual(y, norm_, dropout_, isFirst, feed_forward_);
}
Array nn::TransformerDecoder::call(const Array &x) const { return decode(x, {}, {}); }
Array nn::TransformerDecoder::operator()(const Operand &x, const DecoderCall &options, Location at) const {
  const CallingLayer calling(*this, options.training, at);
  return calling.returns(decode(calling.array(x), {}, options));
}
Array nn::TransformerDecoder::decode_with(const Operand &x, const Operand &encoded, const DecoderCall &options,
                                          Location at) const {
  const CallingLayer calling(*this, options.training, at);
  return calling.returns(decode(calling.array(x), calling.array(encoded), options));
}
