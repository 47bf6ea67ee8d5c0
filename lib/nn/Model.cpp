//===- Model.cpp - what is done with a whole model ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/State.h"

#include <tenon/nn/model.h>

#include <algorithm>
#include <map>

using namespace tenon;
using namespace tenon::detail;

void VariableList::add(const Variable &variable, const Path &path) {
  const bool isKnown = std::ranges::any_of(variables, [&](const Variable &one) { return one.is_same(variable); });
  if (!variable.cell() || isKnown)
    return;
  variables.push_back(variable);
  paths.push_back(path.str());
}

std::vector<Variable> detail::trainable_of(const std::vector<Variable> &all) {
  std::vector<Variable> some;
  std::ranges::copy_if(all, std::back_inserter(some), [](const Variable &one) { return one.trainable(); });
  return some;
}

int64_t detail::count_of(const std::vector<Variable> &all) {
  int64_t count = 0;
  for (const Variable &one : all) {
    int64_t size = 1;
    for (const Dim dim : one.shape())
      size *= dim.value();
    count += size;
  }
  return count;
}

void detail::copy_weights(const VariableList &from, const VariableList &to, double tau, Location at) {
  const char *const function = tau == 1 ? "copy_weights" : "polyak_update";
  std::map<std::string, const Variable *> sources;
  for (size_t i = 0; i < from.paths.size(); ++i)
    sources.emplace(from.paths[i], &from.variables[i]);
  std::string problems;
  std::vector<std::pair<const Variable *, const Variable *>> pairs;
  for (size_t i = 0; i < to.paths.size(); ++i) {
    const auto found = sources.find(to.paths[i]);
    if (found == sources.end()) {
      problems += "\n  only in the second: " + to.paths[i];
      continue;
    }
    const Variable &source = *found->second, &target = to.variables[i];
    sources.erase(found);
    pairs.emplace_back(&source, &target);
    if (!source.has_value())
      problems += "\n  not built: " + to.paths[i];
    else if (target.has_value() && refOf(target.cell())->type() != refOf(source.cell())->type())
      problems += "\n  " + to.paths[i] + ": " + refOf(source.cell())->type().str() + " and " +
                  refOf(target.cell())->type().str();
  }
  for (const auto &[path, source] : sources)
    problems += "\n  only in the first: " + path;
  if (!problems.empty())
    throw Error(std::string(function) + ": expected two models with the same weights, got" + problems,
                userLocation(at));
  for (const auto &[source, target] : pairs) {
    const Array value = source->value(at);
    if (refOf(target->cell())->build(refOf(source->cell())->type(), Array()))
      target->assign(value);
    else if (tau == 1 || kind(value.dtype()) < Kind::floating)
      target->assign(value);
    else
      target->assign((value * tau + target->value(at) * (1 - tau)).astype(value.dtype()));
  }
}
