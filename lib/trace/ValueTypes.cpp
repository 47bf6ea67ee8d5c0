//===- ValueTypes.cpp - the types of a trace's values ------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/ValueTypes.h"

#include <algorithm>
#include <bit>

using namespace tenon;

static size_t hashOf(const Type &type) {
  uint64_t hash = uint64_t(type.dtype) | uint64_t(type.device.code()) << 16 | uint64_t(type.shape.rank()) << 32;
  for (Dim dim : type.shape)
    hash = (hash ^ static_cast<uint64_t>(dim.raw())) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/// As they are kept: a size with bounds is another one than without.
static bool isSame(const Type &a, const Type &b) {
  return a.dtype == b.dtype && a.device == b.device && a.shape.rank() == b.shape.rank() &&
         std::ranges::equal(a.shape, b.shape, {}, &Dim::raw, &Dim::raw);
}

void ValueTypes::clear() {
  kept_.clear();
  numbers_.clear();
  std::ranges::fill(places_, 0);
}

uint32_t ValueTypes::keep(const Type &type) {
  kept_.push_back(type);
  places_.clear();
  return static_cast<uint32_t>(kept_.size()) - 1;
}

size_t ValueTypes::placeOf(const Type &type) const {
  const size_t last = places_.size() - 1;
  size_t place = hashOf(type) & last;
  while (places_[place] && !isSame(kept_[places_[place] - 1], type))
    place = (place + 1) & last;
  return place;
}

void ValueTypes::grow() {
  places_.assign(std::bit_ceil(std::max<size_t>(16, 4 * kept_.size())), 0);
  for (size_t i = 0; i < kept_.size(); ++i)
    places_[placeOf(kept_[i])] = static_cast<uint32_t>(i) + 1;
}

uint32_t ValueTypes::number(const Type &type) {
  // Most are as the one before.
  if (!numbers_.empty() && isSame(kept_[numbers_.back()], type))
    return numbers_.back();
  if (2 * (kept_.size() + 1) > places_.size())
    grow();
  uint32_t &place = places_[placeOf(type)];
  if (!place) {
    kept_.push_back(type);
    place = static_cast<uint32_t>(kept_.size());
  }
  return place - 1;
}
