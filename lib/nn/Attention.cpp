//===- Attention.cpp - multi-head attention -------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"
#include "lib/nn/Products.h"
#include "lib/nn/Rotation.h"
#include "lib/ops/composites/Shaping.h"

#include <tenon/generator.h>
#include <tenon/nn/attention.h>
#include <tenon/random.h>

#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::detail;

nn::MultiHeadAttention::MultiHeadAttention(int64_t num_heads, int64_t key_dim, const AttentionOptions &options,
                                           Location at)
    : heads_(num_heads), width_(key_dim), options_(options), query_(options.use_bias), key_(options.use_bias),
      value_(options.use_bias), output_(options.use_bias) {
  expectPositive("MultiHeadAttention", "num_heads", num_heads, at);
  if (key_dim < 0)
    throw Error("MultiHeadAttention: expected key_dim >= 0, got " + std::to_string(key_dim), userLocation(at));
  if (options.kv_heads && (*options.kv_heads < 1 || num_heads % *options.kv_heads != 0))
    throw Error("MultiHeadAttention: expected num_heads that are a multiple of kv_heads, got " +
                    std::to_string(num_heads) + " and " + std::to_string(*options.kv_heads),
                userLocation(at));
  if (options.value_dim)
    expectPositive("MultiHeadAttention", "value_dim", *options.value_dim, at);
  if (options.output_dim)
    expectPositive("MultiHeadAttention", "output_dim", *options.output_dim, at);
  if (!(options.dropout >= 0 && options.dropout < 1))
    throw Error("MultiHeadAttention: expected a dropout in [0, 1), got " + Scalar(options.dropout).str(),
                userLocation(at));
  if (options.rotary && key_dim % 2 != 0)
    throw Error("MultiHeadAttention: expected an even key_dim, since it is rotary, got " + std::to_string(key_dim),
                userLocation(at));
  if (!(options.max_wavelength > 0 && std::isfinite(options.max_wavelength)))
    throw Error("MultiHeadAttention: expected a finite max_wavelength > 0, got " + Scalar(options.max_wavelength).str(),
                userLocation(at));
  if (options.seed)
    key_of_dropout_.build(
        {2}, {[seed = *options.seed](const Key &, const Shape &) { return random::key(seed).data; }, "seed"},
        Dtype::u32, at);
}

void nn::MultiHeadAttention::fields(Fields &f) {
  f("query", query_)("key", key_)("value", value_)("output", output_);
  if (options_.seed)
    f("seed", key_of_dropout_);
}

/// The initializer of a matrix (rows, columns) for a weight of another shape.
static nn::Initializer asMatrix(const nn::Initializer &make, Dim rows, Dim columns) {
  auto reshaped = [=](const Key &key, const Shape &shape) { return reshape(make(key, {rows, columns}), shape); };
  return {reshaped, make.name()};
}

void nn::MultiHeadAttention::build_for(const Shape &query, const Shape &value, const Shape &key) const {
  const LayerCall here(*this);
  const std::pair<const Shape *, const Projection *> inputs[] = {{&query, &query_}, {&value, &value_}, {&key, &key_}};
  for (const auto &[shape, projection] : inputs) {
    if (shape->rank() != 3)
      here.refuse("expected 3 axes (batch, length, features), got " + shape->str());
    here.expectSize("features", -1, *shape, projection->kernel, 0);
  }
  if (provably_equal(query[0], value[0]) != Always::yes || provably_equal(query[0], key[0]) != Always::yes ||
      provably_equal(value[1], key[1]) != Always::yes)
    here.refuse("expected a query (batch, queries, features), and values and keys (batch, keys, features), got " +
                query.str() + ", " + value.str() + " and " + key.str());
  int64_t width = width_;
  if (width == 0) {
    const int64_t features = query[-1].value();
    if (features % heads_ != 0 || features == 0 || (options_.rotary && features / heads_ % 2 != 0))
      here.refuse(std::string("expected features that are ") + (options_.rotary ? "an even" : "a") +
                  " multiple of the " + std::to_string(heads_) + " heads, got an input of shape " + query.str());
    width = features / heads_;
  }
  const int64_t groups = options_.kv_heads.value_or(heads_), values = options_.value_dim.value_or(width);
  auto in = [&](const Projection &projection, Dim features, int64_t heads, int64_t size) {
    projection.kernel.build({features, heads, size}, asMatrix(options_.kernel_initializer, features, heads * size));
    if (options_.use_bias)
      projection.bias.build({heads, size}, asMatrix(options_.bias_initializer, heads, size));
  };
  in(query_, query[-1], heads_, width);
  in(key_, key[-1], groups, width);
  in(value_, value[-1], groups, values);
  const Dim out = options_.output_dim ? Dim(*options_.output_dim) : query[-1];
  output_.kernel.build({heads_, values, out}, asMatrix(options_.kernel_initializer, heads_ * values, out));
  if (options_.use_bias)
    output_.bias.build({out}, options_.bias_initializer);
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// (batch, length, features) to (batch, heads, length, width).
static Array headsOf(const Array &x, const Projection &projection) {
  const Array kernel = projection.kernel;
  const Dim heads = kernel.shape()[1], width = kernel.shape()[2];
  Array y = productOf(x, reshape(kernel, {kernel.shape()[0], heads * width}));
  if (projection.has_bias)
    y = y + reshape(projection.bias, {heads * width});
  return transpose(reshape(y, {x.shape()[0], x.shape()[1], heads, width}), {0, 2, 1, 3});
}

/// The mask as (batch, heads, queries, keys), or broadcast to it; empty if there is none.
static Array maskOf(const LayerCall &here, const nn::AttentionCall &options, const Shape &scores) {
  Array mask;
  if (options.mask.has_value()) {
    mask = options.mask;
    const int rank = mask.ndim();
    bool doesFit = mask.dtype() == Dtype::bool_ && rank <= 4;
    if (rank == 3)
      mask = expand_dims(mask, 1);
    for (int axis = -1; doesFit && axis >= -mask.ndim(); --axis)
      doesFit = provably_equal(mask.shape()[axis], 1) == Always::yes ||
                provably_equal(mask.shape()[axis], scores[axis]) == Always::yes;
    if (!doesFit)
      here.refuse("expected a mask of bools that broadcasts to (batch, heads, queries, keys), " + scores.str() +
                  ", without heads if it has 3 axes, got " + std::string(short_name(options.mask.dtype())) +
                  " of shape " + options.mask.shape().str());
  }
  if (options.key_mask.has_value()) {
    const Array &keys = options.key_mask;
    const Shape wanted{scores[0], scores[3]};
    if (keys.dtype() != Dtype::bool_ || provably_equal(keys.shape(), wanted) != Always::yes)
      here.refuse("expected a key_mask of bools of shape (batch, keys), " + wanted.str() + ", got " +
                  std::string(short_name(keys.dtype())) + " of shape " + keys.shape().str());
    const Array ofKeys = reshape(keys, {scores[0], 1, 1, scores[3]});
    mask = mask.has_value() ? mask && ofKeys : ofKeys;
  }
  return mask;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

nn::KeyValueCache nn::MultiHeadAttention::cache(Dim batch, int64_t max_length, Dtype dtype, Location at) const {
  int64_t width = width_;
  if (width == 0) {
    if (!key_.kernel.has_value())
      throw Error(name() + ": expected a layer that is built, or that has a key_dim, to make a cache",
                  userLocation(at));
    width = key_.kernel.shape()[2].value();
  }
  if (max_length < 1)
    throw Error(name() + ": expected a max_length >= 1, got " + std::to_string(max_length), userLocation(at));
  const int64_t groups = options_.kv_heads.value_or(heads_);
  return {tenon::zeros({batch, groups, max_length, width}, dtype, {}, at),
          tenon::zeros({batch, groups, max_length, options_.value_dim.value_or(width)}, dtype, {}, at),
          tenon::zeros({}, Dtype::i64, {}, at)};
}

/// Writes keys or values behind those that are there.
static Array appended(const LayerCall &here, const char *what, const Array &cached, const Array &now,
                      const Array &length) {
  bool doFit = cached.has_value() && cached.ndim() == 4;
  for (const int axis : {0, 1, 3})
    doFit = doFit && provably_equal(cached.shape()[axis], now.shape()[axis]) == Always::yes;
  if (!doFit)
    here.refuse("expected a cache with " + std::string(what) + " of shape (batch, kv_heads, max_length, width), " +
                now.shape().str() + " but for the length, as `cache(batch, max_length)` makes it, got " +
                (cached.has_value() ? cached.shape().str() : "an empty Array"));
  const Array zero(Scalar(0), Dtype::i64);
  return dynamic_update_slice(cached, now.astype(cached.dtype()), {zero, zero, length, zero});
}

Array nn::MultiHeadAttention::attend(const Array &query, const Array &value, const Array &key,
                                     const AttentionCall &options) const {
  const LayerCall here(*this);
  const Dim length = query.shape()[1];
  Array q = headsOf(query, query_), k = headsOf(key, key_);
  Array v = headsOf(value, value_);
  KeyValueCache *const cache = options.cache;
  Array before;
  if (cache) {
    if (!cache->length.has_value() || cache->length.dtype() != Dtype::i64 || cache->length.ndim() != 0)
      here.refuse("expected a cache whose length is an i64 of rank 0, as `cache(batch, max_length)` makes it");
    before = cache->length;
  }
  if (options_.rotary) {
    const RotaryOptions rotation{.max_wavelength = options_.max_wavelength, .sequence_axis = 2};
    auto places = [&](Dim count) {
      const Array own = iota(count, Dtype::i64);
      return cache ? own + before : own;
    };
    q = rotated(q, places(length), rotation);
    k = rotated(k, places(key.shape()[1]), rotation);
  }
  Array isInside;
  if (cache) {
    const Array next = before + sizeOf(length, before.device(), {});
    const Array keys = appended(here, "keys", cache->keys, k, before);
    const Array values = appended(here, "values", cache->values, v, before);
    const Dim places = keys.shape()[2];
    if (const auto known = knownValues(next); known && places.is_static()) {
      if (known->front() > places.raw())
        here.refuse("expected at most " + places.str() + " places, the max_length of the cache, got " +
                    std::to_string(known->front()));
    }
    isInside = next <= sizeOf(places, before.device(), {});
    *cache = {keys, values, next};
    k = keys.astype(q.dtype());
    v = values.astype(q.dtype());
  }
  const Dim keys = k.shape()[2];
  Array mask = maskOf(here, options, {query.shape()[0], heads_, length, keys});
  if (cache) {
    // Query i is at place `before + i`.
    const Array ofKeys = iota(keys, Dtype::i64);
    const Array last = options.causal ? expand_dims(iota(length, Dtype::i64) + before, 1) : cache->length - 1;
    const Array isThere = options.causal ? ofKeys <= last : expand_dims(ofKeys <= last, 0);
    mask = mask.has_value() ? mask && isThere : isThere;
  }
  Key dropoutKey;
  const double rate = training() ? options_.dropout : 0;
  if (rate > 0) {
    if (options_.seed) {
      auto [next, own] = random::split(Key{key_of_dropout_.value()});
      key_of_dropout_.assign(next.data);
      dropoutKey = own;
    } else {
      dropoutKey = random::default_generator().key();
    }
  }
  Array y = scaled_dot_product_attention(
      q, k, v, {.mask = mask, .causal = options.causal && !cache, .dropout_rate = rate, .key = dropoutKey});
  const Array kernel = output_.kernel;
  const Dim joined = kernel.shape()[0] * kernel.shape()[1];
  y = reshape(transpose(y, {0, 2, 1, 3}), {query.shape()[0], length, joined});
  y = productOf(y, reshape(kernel, {joined, kernel.shape()[2]}));
  if (options_.use_bias)
    y = y + output_.bias;
  // Under jit nobody can say that the cache is full.
  return isInside.has_value() ? where(isInside, y, std::numeric_limits<double>::quiet_NaN()) : y;
}

Array nn::MultiHeadAttention::call(const Array &x) const {
  build_for(x.shape(), x.shape(), x.shape());
  return attend(x, x, x, {});
}
Array nn::MultiHeadAttention::operator()(const Operand &x, const AttentionCall &options, Location at) const {
  const CallingLayer calling(*this, options.training, at);
  const Array input = calling.array(x);
  const Shape shape = input.shape(at);
  build_for(shape, shape, shape);
  return calling.returns(attend(input, input, input, options));
}
Array nn::MultiHeadAttention::attend_to(const Operand &query, const Operand &value, const Operand &key,
                                        const AttentionCall &options, Location at) const {
  const CallingLayer calling(*this, options.training, at);
  const Array q = calling.array(query), v = calling.array(value), k = calling.array(key);
  if (options.cache)
    LayerCall(*this).refuse("expected a cache in self-attention alone, got one beside another sequence");
  build_for(q.shape(at), v.shape(at), k.shape(at));
  return calling.returns(attend(q, v, k, options));
}
