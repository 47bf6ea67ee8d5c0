//===- Policy.cpp - the dtypes that layers compute in ----------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/PerThread.h"
#include "lib/nn/Running.h"
#include "lib/trace/State.h"

#include <tenon/nn/layer.h>

#include <optional>

using namespace tenon;
using namespace tenon::detail;

namespace {
/// All zero: the default.
struct Current {
  bool isSet;
  nn::Policy policy;
};
} // namespace
TENON_PER_THREAD rt::PerThread<Current> currentPolicy;

static const nn::Policy &usable(const nn::Policy &policy) {
  for (const Dtype dtype : {policy.compute, policy.variable})
    if (kind(dtype) != Kind::floating || is_storage(dtype))
      throw Error("nn::Policy: expected real floating dtypes, got " + std::string(name(dtype)));
  return policy;
}
nn::PolicyScope::PolicyScope(const Policy &policy) : before_(nn::policy()) { *currentPolicy = {true, usable(policy)}; }
nn::PolicyScope::~PolicyScope() { *currentPolicy = {true, before_}; }
nn::Policy nn::policy() { return currentPolicy->isSet ? currentPolicy->policy : Policy(); }

nn::Layer::Layer() : policy_(nn::policy()) {}
void nn::Layer::set_policy(const Policy &policy) {
  struct Another : TreeObject {};
  TreeObject::operator=(Another()); // another configuration than that of its copies
  policy_ = usable(policy);
}

static Array inDtype(const Array &x, Dtype dtype) {
  return kind(x.dtype()) == Kind::floating && x.dtype() != dtype ? x.astype(dtype) : x;
}

Array detail::callWithPolicy(const nn::Layer &layer, Array input) {
  const Dtype compute = layer.policy().compute;
  const bool isOfStatistics = layer.policy_casts() == nn::PolicyCasts::result;
  if (!isOfStatistics)
    input = inDtype(input, compute);
  layer.build(input.shape());
  if (isOfStatistics)
    return inDtype(layer.call(input), compute);
  std::vector<std::pair<CellRef, Array>> own;
  // Layers within it hide these casts from what they call.
  for_each_leaf(layer, [&](const Variable &leaf, const Path &) {
    if (!leaf.has_value() || !leaf.trainable() || kind(leaf.dtype()) != Kind::floating || leaf.dtype() == compute)
      return;
    own.emplace_back(refOf(leaf.cell()), leaf.value().astype(compute));
  });
  if (own.empty())
    return layer.call(input);
  StateOverlay casts(true);
  for (const auto &[cell, value] : own)
    casts.add(cell, value);
  return layer.call(input);
}
