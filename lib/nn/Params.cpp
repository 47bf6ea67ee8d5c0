//===- Params.cpp - models as pure functions of their parameters ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/io/Elements.h"
#include "lib/nn/ParamsOverlay.h"
#include "lib/random/InitialKeys.h"

#include <tenon/nn/params.h>
#include <tenon/ops.h>
#include <tenon/random.h>

using namespace tenon;
using namespace tenon::detail;

/// What draws of the default generator are among Params::keys.
static const char *const generatorName = "default";

class ParamsScope::Body {
public:
  Body(const VariableList &model, bool isInit, const nn::Params *given)
      : model(model), given(given ? *given : nn::Params()), overlay(isInit) {}
  const VariableList model;
  /// Of stateless_call: each array is returned where it came from.
  const nn::Params given;
  Key key;
  ParamsOverlay overlay;
};

static const CellRef &generator() { return refOf(random::defaultGeneratorCell()); }
/// A stream of keys as the default generator has it; its seed is a key.
static Array streamOf(const Key &key, const std::string &what, Location at) {
  const Array &words = key.data;
  if (!words.has_value() || words.dtype() != Dtype::u32 || words.shape() != Shape{2})
    throw Error(what + ": expected a single key, got " +
                    (words.has_value() ? typeOf(words.value()).str() : std::string("an empty one")),
                userLocation(at));
  return concatenate({words, zeros({2}, Dtype::u32)}, 0);
}

ParamsScope::ParamsScope(const VariableList &model, const Key &key) : body_(nullptr) {
  const auto [ofWeights, ofDraws] = random::split(key);
  const Array stream = streamOf(ofDraws, "nn::init", {});
  std::vector<Array> held;
  for (const Variable &variable : model.variables)
    held.push_back(variable.has_value() ? variable.value() : Array());
  body_ = new Body(model, true, nullptr);
  body_->key = ofWeights;
  for (size_t i = 0; i < held.size(); ++i)
    body_->overlay.add(refOf(model.variables[i].cell()), held[i]);
  body_->overlay.add(generator(), stream);
}

static const Array *arrayAt(const nn::Params &params, const std::string &path) {
  for (const NamedArrays *arrays : {&params.weights, &params.state})
    if (const auto found = arrays->find(path); found != arrays->end())
      return &found->second;
  return nullptr;
}
/// An Error lists what of `params` does not fit. What is not built may be missing.
static void expectFits(const char *function, const VariableList &model, const nn::Params &params, Location at) {
  std::string problems;
  size_t found = 0;
  for (size_t i = 0; i < model.paths.size(); ++i) {
    const std::string &path = model.paths[i];
    const Variable &variable = model.variables[i];
    const Array *const array = arrayAt(params, path);
    found += params.weights.contains(path) + params.state.contains(path);
    if (params.weights.contains(path) && params.state.contains(path))
      problems += "\n  twice in the parameters: " + path;
    else if (array && !array->has_value())
      problems += "\n  " + path + ": got an empty Array";
    else if (!array && variable.has_value())
      problems += "\n  not in the parameters: " + path;
    else if (array && variable.has_value()) {
      const Type &held = typeOfState(refOf(variable.cell())), given = typeOf(array->value());
      if (held.dtype != given.dtype || provably_equal(held.shape, given.shape) != Always::yes)
        problems += "\n  " + path + ": expected " + held.str() + ", got " + given.str();
    }
  }
  if (found < params.weights.size() + params.state.size())
    for (const NamedArrays *arrays : {&params.weights, &params.state})
      for (const auto &[path, array] : *arrays)
        if (std::ranges::find(model.paths, path) == model.paths.end())
          problems += "\n  not in the model: " + path;
  if (!problems.empty())
    throw Error(std::string(function) + ": expected the parameters of the model, got" + problems, userLocation(at));
}

ParamsScope::ParamsScope(const VariableList &model, const nn::Params &params, Location at) : body_(nullptr) {
  expectFits("nn::stateless_call", model, params, at);
  const auto key = params.keys.find(generatorName);
  Array stream;
  if (key != params.keys.end())
    stream = streamOf(key->second, "nn::stateless_call", at);
  for (const auto &[name, unused] : params.keys)
    if (name != generatorName)
      throw Error("nn::stateless_call: expected the key 'default' alone, got '" + name + "'", userLocation(at));
  body_ = new Body(model, false, &params);
  for (size_t i = 0; i < model.paths.size(); ++i) {
    const Array *const array = arrayAt(params, model.paths[i]);
    body_->overlay.add(refOf(model.variables[i].cell()), array ? *array : Array());
  }
  body_->overlay.add(generator(), stream);
}

ParamsScope::~ParamsScope() { delete body_; }

nn::Params ParamsScope::params() const {
  Body &body = *body_;
  nn::Params result = body.given;
  for (size_t i = 0; i < body.model.paths.size(); ++i) {
    const Variable &variable = body.model.variables[i];
    const CellRef &cell = refOf(variable.cell());
    const StateOverlay::Entry &entry = *body.overlay.find(cell.get());
    Array value = entry.value;
    if (const auto initial = body.overlay.initial.find(cell.get()); initial != body.overlay.initial.end()) {
      const auto &[initializer, shape, dtype] = initial->second;
      value = initializer(random::fold_in(body.key, static_cast<uint32_t>(i)), shape);
      if (!value.has_value() || value.shape() != shape)
        throw Error("nn::init: expected the initializer '" + initializer.name() + "' to return the shape " +
                    shape.str() + ", got " + (value.has_value() ? value.shape().str() : "an empty Array"));
      value = value.astype(dtype);
    }
    if (!value.has_value())
      continue;
    const bool isWeight = body.overlay.isInit ? variable.trainable() : body.given.weights.contains(body.model.paths[i]);
    (isWeight ? result.weights : result.state)[body.model.paths[i]] = value;
  }
  const StateOverlay::Entry &stream = *body.overlay.find(generator().get());
  if (!stream.value.has_value())
    return result;
  Array words = stream.value;
  if (stream.isAssigned) // the next key of the stream is the seed of the next one
    result.keys[generatorName] = random::nextKey(words, {});
  else if (body.overlay.isInit)
    result.keys[generatorName] = Key{words[slice(0, 2)]};
  return result;
}

nn::Params detail::params_of(const VariableList &model, const Key &key, Location at) {
  (void)streamOf(key, "nn::params_of", at);
  nn::Params result;
  for (size_t i = 0; i < model.paths.size(); ++i)
    (model.variables[i].trainable() ? result.weights : result.state)[model.paths[i]] = model.variables[i].value(at);
  result.keys[generatorName] = key;
  return result;
}

void detail::assign_params(const VariableList &model, const nn::Params &params, Location at) {
  expectFits("nn::assign_params", model, params, at);
  const LocationScope scope("nn::assign_params", at);
  StateJournal journal;
  try {
    for (size_t i = 0; i < model.paths.size(); ++i) {
      const Array *const array = arrayAt(params, model.paths[i]);
      if (!array)
        continue;
      const CellRef &cell = refOf(model.variables[i].cell());
      if (hasState(cell))
        model.variables[i].assign(*array);
      else
        cell->build(typeOf(array->value()), denseOnHost(Array::share(concrete(array->value(), "nn::assign_params", at)),
                                                        "nn::assign_params", at));
    }
  } catch (...) {
    journal.undo();
    throw;
  }
}
