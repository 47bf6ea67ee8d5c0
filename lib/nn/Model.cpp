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

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void detail::save_weights(const std::string &path, const VariableList &model, Location at) {
  NamedArrays arrays;
  for (size_t i = 0; i < model.paths.size(); ++i)
    arrays[model.paths[i]] = model.variables[i].value(at);
  save_safetensors(path, arrays, {}, at);
}

nn::LoadStatus detail::load_weights(const std::string &path, const VariableList &model, const nn::LoadOptions &options,
                                    Location at) {
  const Safetensors file = load_safetensors(path, at);
  NamedArrays arrays = file.arrays;
  nn::LoadStatus status;
  std::vector<std::pair<Variable, Array>> pairs;
  std::string problems;
  for (size_t i = 0; i < model.paths.size(); ++i) {
    const std::string &own = model.paths[i];
    const std::string name = options.rename ? options.rename(own) : own;
    if (name.empty())
      continue;
    const auto found = arrays.find(name);
    if (found == arrays.end()) {
      status.missing.push_back(own);
      continue;
    }
    const Array array = options.convert ? options.convert(own, found->second) : found->second;
    arrays.erase(found);
    const CellRef &cell = refOf(model.variables[i].cell());
    if (cell->isBuilt() && typeOf(array.value()) != cell->type())
      problems += "\n  " + own + ": expected " + cell->type().str() + ", got " + typeOf(array.value()).str();
    else
      pairs.emplace_back(model.variables[i], array);
  }
  for (const auto &[name, array] : arrays)
    status.unused.push_back(name);
  if (options.strict)
    for (const std::string &own : status.missing)
      problems += "\n  not in the file: " + own;
  if (options.strict)
    for (const std::string &name : status.unused)
      problems += "\n  not in the model: " + name;
  if (!problems.empty())
    throw Error("load_weights: expected the weights of the model in '" + path + "', got" + problems, userLocation(at));
  for (const auto &[variable, array] : pairs)
    if (!refOf(variable.cell())->build(typeOf(array.value()), array))
      variable.assign(array);
  return status;
}
