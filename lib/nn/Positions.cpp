//===- Positions.cpp - places in sequences, as features -----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Call.h"
#include "lib/nn/Rotation.h"

#include <tenon/nn/calling.h>

#include <cmath>

using namespace tenon;
using namespace tenon::detail;

/// The places of a sequence of this length: those given, or from the one given on.
static Array placesOf(const LayerCall &here, const Array &given, Dim length) {
  if (!given.has_value())
    return iota(length, Dtype::i64);
  if (kind(given.dtype()) != Kind::integer ||
      !(given.ndim() == 0 || (given.ndim() == 1 && provably_equal(given.shape()[0], length) == Always::yes)))
    here.refuse("expected positions of integers, one for each of " + length.str() + " places or the first one, got " +
                std::string(short_name(given.dtype())) + " of shape " + given.shape().str());
  const Array places = given.astype(Dtype::i64);
  return places.ndim() == 0 ? places + iota(length, Dtype::i64) : places;
}

Array detail::anglesOf(const Array &places, int64_t pairs, int64_t features, double max_wavelength) {
  // In f64: of a place of 10^5, f32 would leave two digits behind the point.
  std::vector<double> frequencies;
  for (int64_t i = 0; i < pairs; ++i)
    frequencies.push_back(std::pow(max_wavelength, -2 * static_cast<double>(i) / static_cast<double>(features)));
  return expand_dims(places.astype(Dtype::f64), 1) * Array(frequencies);
}

Array detail::rotated(const Array &given, const Array &places, const nn::RotaryOptions &options) {
  const int64_t rank = given.ndim(),
                feature = options.feature_axis.value() + (options.feature_axis.value() < 0 ? rank : 0);
  int64_t sequence = options.sequence_axis.value() + (options.sequence_axis.value() < 0 ? rank : 0);
  const bool isLast = feature == rank - 1;
  const Array x = isLast ? given : moveaxis(given, feature, -1);
  if (sequence > feature)
    --sequence;
  const int64_t features = x.shape()[-1].value(), pairs = features / 2;
  const Dtype dtype = x.dtype(), wide = dtype == Dtype::f64 ? Dtype::f64 : Dtype::f32;
  const Array angles = anglesOf(places, pairs, features, options.max_wavelength) / options.scaling_factor;
  Shape shape;
  for (int64_t axis = 0; axis < rank; ++axis)
    shape.push_back(axis == sequence ? places.shape()[0] : axis == rank - 1 ? Dim(pairs) : Dim(1));
  const Array cosines = reshape(cos(angles).astype(wide), shape), sines = reshape(sin(angles).astype(wide), shape);
  auto turn = [&](const Array &a, const Array &b) {
    return std::pair(a * cosines - b * sines, b * cosines + a * sines);
  };
  const Array exact = x.astype(wide);
  Array result;
  if (options.interleaved) {
    Shape inPairs = x.shape();
    inPairs.at(inPairs.rank() - 1) = pairs;
    inPairs.push_back(2);
    const Array two = reshape(exact, inPairs);
    const auto [a, b] = turn(two[{ellipsis, 0}], two[{ellipsis, 1}]);
    result = reshape(stack({a, b}, -1), x.shape());
  } else {
    const auto [a, b] = turn(exact[{ellipsis, slice(0, pairs)}], exact[{ellipsis, slice(pairs, features)}]);
    result = concatenate({a, b}, -1);
  }
  result = result.astype(dtype);
  return isLast ? result : moveaxis(result, -1, feature);
}

static void expectWavelength(const char *layer, double wavelength, Location at) {
  if (!(wavelength > 0 && std::isfinite(wavelength)))
    throw Error(std::string(layer) + ": expected a finite max_wavelength > 0, got " + Scalar(wavelength).str(),
                userLocation(at));
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

nn::RotaryEmbedding::RotaryEmbedding(const RotaryOptions &options, Location at) : options_(options) {
  expectWavelength("RotaryEmbedding", options.max_wavelength, at);
  if (!(options.scaling_factor > 0 && std::isfinite(options.scaling_factor)))
    throw Error("RotaryEmbedding: expected a finite scaling_factor > 0, got " + Scalar(options.scaling_factor).str(),
                userLocation(at));
}
Array nn::RotaryEmbedding::rotate(const Array &x, const Array &positions) const {
  const LayerCall here(*this);
  const Shape shape = x.shape();
  auto number = [&](const char *what, Axis axis) {
    const int64_t value = axis.value();
    if (value < -shape.rank() || value >= shape.rank())
      here.refuse("expected an input with the " + std::string(what) + " " + std::to_string(value) +
                  ", got one of shape " + shape.str());
    return static_cast<int>(value < 0 ? value + shape.rank() : value);
  };
  const int sequence = number("sequence_axis", options_.sequence_axis);
  const int feature = number("feature_axis", options_.feature_axis);
  if (sequence == feature)
    here.refuse("expected a sequence_axis and a feature_axis that differ, got an input of shape " + shape.str());
  if (kind(x.dtype()) != Kind::floating)
    here.refuse("expected floats, got " + std::string(short_name(x.dtype())));
  if (!shape[feature].is_static() || shape[feature].raw() % 2 != 0)
    here.refuse("expected an even number of features, got an input of shape " + shape.str());
  return rotated(x, placesOf(here, positions, shape[sequence]), options_);
}
Array nn::RotaryEmbedding::call(const Array &x) const { return rotate(x, {}); }
Array nn::RotaryEmbedding::at_places(const Operand &x, const Operand &positions, Location at) const {
  const CallingLayer calling(*this, {}, at);
  return calling.returns(rotate(calling.array(x), calling.array(positions)));
}

//===----------------------------------------------------------------------===//
// Encodings that are added
//===----------------------------------------------------------------------===//

static void expectSequence(const LayerCall &here, const Shape &input) {
  if (input.rank() < 2)
    here.refuse("expected axes (..., length, features), got " + input.str());
}

nn::PositionEmbedding::PositionEmbedding(int64_t sequence_length, const PositionOptions &options, Location at)
    : length_(sequence_length), options_(options) {
  expectPositive("PositionEmbedding", "sequence_length", sequence_length, at);
}
void nn::PositionEmbedding::build(const Shape &input) const {
  const LayerCall here(*this);
  expectSequence(here, input);
  here.expectSize("features", -1, input, embeddings_, 1);
  embeddings_.build({length_, input[-1]}, options_.embeddings_initializer);
}
Array nn::PositionEmbedding::embed(const Array &x, const Array &positions) const {
  const LayerCall here(*this);
  const Dim length = x.shape()[-2];
  if (!positions.has_value() && length.is_static()) {
    if (length.raw() > length_)
      here.refuse("expected a length of up to " + std::to_string(length_) + ", got an input of shape " +
                  x.shape().str());
    return broadcast_to(Array(embeddings_)[slice(0, length.raw())], x.shape());
  }
  return broadcast_to(take(embeddings_, placesOf(here, positions, length), 0), x.shape());
}
Array nn::PositionEmbedding::call(const Array &x) const { return embed(x, {}); }
Array nn::PositionEmbedding::at_places(const Operand &x, const Operand &positions, Location at) const {
  const CallingLayer calling(*this, {}, at);
  const Array input = calling.array(x);
  build(input.shape(at));
  return calling.returns(embed(input, calling.array(positions)));
}

nn::SinePositionEncoding::SinePositionEncoding(double max_wavelength, Location at) : wavelength_(max_wavelength) {
  expectWavelength("SinePositionEncoding", max_wavelength, at);
}
Array nn::SinePositionEncoding::encode(const Array &x, const Array &positions) const {
  const LayerCall here(*this);
  const Shape shape = x.shape();
  expectSequence(here, shape);
  if (!shape[-1].is_static())
    here.refuse("expected a known number of features, got an input of shape " + shape.str());
  const int64_t features = shape[-1].raw(), pairs = (features + 1) / 2;
  const Array angles = anglesOf(placesOf(here, positions, shape[-2]), pairs, features, wavelength_);
  const Array both = reshape(stack({sin(angles), cos(angles)}, -1), {shape[-2], 2 * pairs});
  const Dtype dtype = kind(x.dtype()) == Kind::floating ? x.dtype() : Dtype::f32;
  return broadcast_to(both[{ellipsis, slice(0, features)}].astype(dtype), shape);
}
Array nn::SinePositionEncoding::call(const Array &x) const { return encode(x, {}); }
Array nn::SinePositionEncoding::at_places(const Operand &x, const Operand &positions, Location at) const {
  const CallingLayer calling(*this, {}, at);
  return calling.returns(encode(calling.array(x), calling.array(positions)));
}
