//===- AutoSymbols.cpp - sizes that become symbols by themselves -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/jit/AutoSymbols.h"

#include "lib/array/Buffer.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>

using namespace tenon;
using namespace tenon::detail;

static Dim sizeAt(const JitCall &call, SizePlace place) { return call.values[place.leaf]->dims()[place.axis]; }

static std::string sizePlaceText(const std::vector<std::string> &paths, SizePlace place) {
  return "axis " + std::to_string(place.axis) + " of " + paths[place.leaf];
}

std::string AutoSymbols::text(const JitCall &call, const SizeGroup &group) {
  const std::vector<std::string> paths = call.paths();
  std::string text;
  for (SizePlace place : group.places)
    text += (text.empty() ? "" : " and ") + sizePlaceText(paths, place);
  return text;
}

/// Whether one symbol may stand in all of these places: they have one size, which is above 1.
static bool mayBeSymbol(const JitCall &call, const SizeGroup &group) {
  const Dim first = sizeAt(call, group.places.front());
  return first.is_static() && first.raw() >= 2 &&
         std::ranges::all_of(group.places, [&](SizePlace place) { return sizeAt(call, place).raw() == first.raw(); });
}

bool AutoSymbols::isRefused(const std::vector<std::string> &paths, const SizeGroup &group) const {
  return std::ranges::any_of(group.places,
                             [&](SizePlace place) { return refused_.contains(sizePlaceText(paths, place)); });
}

namespace {
/// How a kept signature differs from a call: in one size that stands in these places, and what it is there.
struct Difference {
  SizeGroup group;
  int64_t was;
};
} // namespace

/// None if they differ in more, or else. `isSymbol`: places that are symbols already.
static std::optional<Difference> differenceOf(const Signature &kept, const JitCall &call, const LeafSpecs &specs,
                                              const std::set<SizePlace> &isSymbol) {
  Difference found;
  const Dim *was = kept.dims().data();
  for (size_t leaf = 0; leaf < call.leaves.size(); ++leaf) {
    const Value *value = call.values[leaf];
    for (int axis = 0; axis < value->rank(); ++axis, ++was) {
      const Dim is = value->dims()[axis];
      if (was->raw() == is.raw() || isSymbol.contains({leaf, axis}))
        continue;
      if (specs[leaf] && !was->is_static()) // a symbol of the user's, which the specs have compared
        continue;
      if (specs[leaf] || !was->is_static() || !is.is_static())
        return std::nullopt;
      if (!found.group.places.empty() && was->raw() != found.was)
        return std::nullopt;
      found.was = was->raw();
      found.group.places.push_back({leaf, axis});
    }
  }
  if (found.group.places.empty() || !mayBeSymbol(call, found.group))
    return std::nullopt;
  return found;
}

AutoChoice AutoSymbols::choose(const JitCall &call, const Signature &exact, const LeafSpecs &specs,
                               std::span<const Signature *const> kept) const {
  AutoChoice choice;
  if (!enough_)
    return choice;
  // With a user's symbol that is 0 or 1 in this call all is exact.
  const Dim *size = exact.dims().data();
  for (size_t leaf = 0; leaf < call.leaves.size(); ++leaf)
    for (int axis = 0; axis < call.values[leaf]->rank(); ++axis, ++size)
      if (specs[leaf] && size->raw() != specs[leaf]->shape[axis].raw())
        return choice;
  const std::vector<std::string> paths = call.paths();
  std::set<SizePlace> isSymbol;
  std::lock_guard lock(lock_);
  for (const Accepted &one : accepted_)
    if (one.like.hasTypesOf(exact) && mayBeSymbol(call, one.group) && !isRefused(paths, one.group)) {
      choice.groups.push_back(one.group);
      isSymbol.insert(one.group.places.begin(), one.group.places.end());
    }
  choice.known = choice.groups.size();
  std::map<std::vector<SizePlace>, std::set<int64_t>> values;
  for (const Signature *signature : kept) {
    if (!signature->hasTypesOf(exact))
      continue;
    std::optional<Difference> one = differenceOf(*signature, call, specs, isSymbol);
    if (!one || isRefused(paths, one->group))
      continue;
    std::set<int64_t> &those = values[one->group.places];
    those.insert(one->was);
    if (those.size() >= enough_) {
      choice.groups.push_back(std::move(one->group));
      break;
    }
  }
  return choice;
}

LeafSpecs AutoSymbols::specsOf(const JitCall &call, const LeafSpecs &given, const AutoChoice &choice,
                               std::deque<TensorSpec> &made) {
  LeafSpecs all;
  std::vector<TensorSpec *> ofLeaf(call.leaves.size());
  for (const SizeGroup &group : choice.groups)
    for (SizePlace place : group.places) {
      TensorSpec *&spec = ofLeaf[place.leaf];
      if (!spec) {
        const Value *value = call.values[place.leaf];
        spec = &made.emplace_back(TensorSpec{value->dtype(), value->shape()});
      }
      spec->shape.at(place.axis) = group.symbol;
    }
  for (size_t leaf = 0; leaf < call.leaves.size(); ++leaf)
    all.push_back(ofLeaf[leaf] ? ofLeaf[leaf] : given[leaf]);
  return all;
}

void AutoSymbols::accept(const Signature &exact, const AutoChoice &choice) {
  std::lock_guard lock(lock_);
  for (size_t i = choice.known; i < choice.groups.size(); ++i)
    if (std::ranges::none_of(accepted_, [&](const Accepted &one) {
          return one.group == choice.groups[i] && one.like.hasTypesOf(exact);
        })) {
      if (accepted_.size() == mostAccepted)
        accepted_.erase(accepted_.begin());
      accepted_.push_back({exact, choice.groups[i]});
    }
}

void AutoSymbols::clear() {
  std::lock_guard lock(lock_);
  accepted_.clear();
  refused_.clear();
}

void AutoSymbols::refuse(const JitCall &call, const AutoChoice &choice, const std::string &reason) {
  const std::vector<std::string> paths = call.paths();
  std::lock_guard lock(lock_);
  for (size_t i = choice.known == choice.groups.size() ? 0 : choice.known; i < choice.groups.size(); ++i)
    for (SizePlace place : choice.groups[i].places)
      refused_.emplace(sizePlaceText(paths, place), reason);
}

std::string AutoSymbols::text(const JitCall &call, const AutoChoice &choice, const std::string &is) {
  std::string all;
  for (const SizeGroup &group : choice.groups)
    all += "; " + text(call, group) + " " + is;
  return all;
}

std::string AutoSymbols::refusals() const {
  std::string all;
  std::lock_guard lock(lock_);
  for (const auto &[place, reason] : refused_)
    all += "; " + place + " cannot be a symbol: " + reason;
  return all;
}
