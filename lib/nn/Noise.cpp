//===- Noise.cpp - layers that are random in training ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Spatial.h"

#include <tenon/generator.h>
#include <tenon/nn/layers/noise.h>

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

nn::RandomLayer::RandomLayer(std::optional<uint64_t> seed, Location at) : hasSeed_(seed.has_value()) {
  if (seed)
    key_.build({2}, {[start = *seed](const Key &, const Shape &) { return random::key(start).data; }, "seed"},
               Dtype::u32, at);
}
Key nn::RandomLayer::next_key() const {
  if (!hasSeed_)
    return random::default_generator().key();
  auto [next, own] = random::split(Key{key_.value()});
  key_.assign(next.data);
  return own;
}
Array nn::RandomLayer::drop(const Array &x, double rate, const Shape &mask) const {
  if (!training() || rate == 0)
    return x;
  return where(random::bernoulli(next_key(), 1 - rate, mask), x / (1 - rate), 0);
}
void nn::RandomLayer::fields(Fields &f) {
  if (hasSeed_)
    f("key", key_);
}

static void expectRate(const char *layer, double rate, Location at) {
  if (!(rate >= 0 && rate < 1))
    throw Error(std::string(layer) + ": expected a rate in [0, 1), got " + Scalar(rate).str(), userLocation(at));
}

nn::Dropout::Dropout(double rate, const DropoutOptions &options, Location at)
    : RandomLayer(options.seed, at), rate_(rate) {
  expectRate("Dropout", rate, at);
}
Array nn::Dropout::call(const Array &x) const {
  const LayerCall here(*this);
  return drop(x, rate_, x.shape());
}

nn::BasicSpatialDropout::BasicSpatialDropout(const char *layer, int rank, double rate,
                                             const SpatialDropoutOptions &options, Location at)
    : RandomLayer(options.seed, at), rank_(rank), rate_(rate), format_(options.data_format) {
  expectRate(layer, rate, at);
}
Array nn::BasicSpatialDropout::call(const Array &x) const {
  const LayerCall here(*this);
  here.expectSpatial(x.shape(), rank_, format_);
  Shape mask = x.shape();
  for (int axis = 0; axis < rank_; ++axis)
    mask.begin()[firstPlace(format_) + axis] = 1;
  return drop(x, rate_, mask);
}

/// Noise of x's shape, in its dtype where that is a float.
static Array noiseFor(const Array &x, const Key &key) {
  return random::normal(key, x.shape(), kind(x.dtype()) == Kind::floating ? x.dtype() : f32);
}

nn::GaussianNoise::GaussianNoise(double stddev, const DropoutOptions &options, Location at)
    : RandomLayer(options.seed, at), stddev_(stddev) {
  if (!(stddev >= 0 && std::isfinite(stddev)))
    throw Error("GaussianNoise: expected stddev >= 0, got " + Scalar(stddev).str(), userLocation(at));
}
Array nn::GaussianNoise::call(const Array &x) const {
  const LayerCall here(*this);
  return !training() || stddev_ == 0 ? x : x + noiseFor(x, next_key()) * stddev_;
}

nn::GaussianDropout::GaussianDropout(double rate, const DropoutOptions &options, Location at)
    : RandomLayer(options.seed, at), rate_(rate) {
  expectRate("GaussianDropout", rate, at);
}
Array nn::GaussianDropout::call(const Array &x) const {
  const LayerCall here(*this);
  if (!training() || rate_ == 0)
    return x;
  return x * (noiseFor(x, next_key()) * std::sqrt(rate_ / (1 - rate_)) + 1);
}
