//===- Layer.cpp - calling layers ----------------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/PerThread.h"
#include "lib/nn/Call.h"
#include "lib/nn/WeightCell.h"
#include "lib/trace/Context.h"
#include "lib/trace/State.h"

#include <tenon/nn/model.h>

#include <algorithm>
#include <cxxabi.h>
#include <typeinfo>

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

nn::TrainingScope::TrainingScope(bool training) : before_(isTraining) { isTraining = training; }
nn::TrainingScope::~TrainingScope() { isTraining = before_; }
bool nn::training() { return isTraining; }

//===----------------------------------------------------------------------===//
// The running layer
//===----------------------------------------------------------------------===//

TENON_PER_THREAD rt::PerThread<RunningLayer *> innermostLayer;

RunningLayer::RunningLayer(const nn::Layer &layer, Location at) : layer_(layer), at_(at), outer_(*innermostLayer) {
  *innermostLayer = this;
}
RunningLayer::~RunningLayer() { *innermostLayer = outer_; }
void RunningLayer::noteBuilt(uint64_t identity, const std::string &name) {
  if (*innermostLayer)
    (*innermostLayer)->built_.emplace_back(identity, name);
}
TENON_PER_THREAD rt::PerThread<LayerObserver *> innermostObserver;
LayerObserver::LayerObserver(const nn::Layer *root) : root_(root), outer_(*innermostObserver) {
  *innermostObserver = this;
}
LayerObserver::~LayerObserver() { *innermostObserver = outer_; }

void RunningLayer::noteResult(const Shape &shape) const {
  LayerObserver *const observer = *innermostObserver;
  if (!observer || (observer->isContainer(layer_) && (!observer->isRoot(layer_) || observer->wasTold())))
    return;
  for (const RunningLayer *around = outer_; around; around = around->outer_)
    if (!observer->isContainer(around->layer_))
      return;
  observer->called(layer_, shape);
}
Dtype RunningLayer::weightDtype() {
  if (!*innermostLayer)
    return nn::policy().variable;
  const nn::Layer &layer = (*innermostLayer)->layer_;
  return layer.policy_casts() == nn::PolicyCasts::all ? layer.policy().variable : Dtype::f32;
}
Location detail::running_line() { return RunningLayer::line(); }
Location RunningLayer::line() { return *innermostLayer ? (*innermostLayer)->at_ : Location(); }

void RunningLayer::expectReachable() {
  if (built_.empty())
    return;
  std::vector<uint64_t> named;
  for_each_leaf(layer_, [&](const Variable &leaf, const Path &) { named.push_back(identity_of(leaf)); });
  for (const auto &[identity, name] : built_)
    if (std::ranges::find(named, identity) == named.end())
      throw Error(layer_.name() +
                      ": expected `fields` to name every Weight and layer that the layer builds, got a Weight that it "
                      "does not reach, so that optimizers and checkpoints would miss it: name it in `void "
                      "fields(tn::Fields &f) override { f(\"name\", member_); }`, or make the layer a plain struct, "
                      "whose members are found by themselves",
                  userLocation(at_));
  if (outer_)
    std::ranges::move(built_, std::back_inserter(outer_->built_));
}

Array nn::Layer::operator()(const Operand &x, const CallOptions &options, Location at) const {
  std::optional<TrainingScope> scope;
  if (options.training)
    scope.emplace(*options.training);
  if (!x.is_scalar() && !x.value())
    throw Error(name() + ": expected an array, got an empty Array", userLocation(at));
  if (options.mask.has_value())
    throw Error(name() +
                    ": expected no mask, which recurrent layers, Bidirectional, TimeDistributed and RNN alone take",
                userLocation(at));
  RunningLayer running(*this, at);
  const Array input = x.is_scalar() ? Array(x.scalar(), x.scalar().default_dtype(), at) : Array::share(x.value());
  const WithoutCasts casts;
  Array result;
  if (policy_ == Policy() || policy_casts() == PolicyCasts::none) {
    build(input.shape(at));
    result = call(input);
  } else {
    result = callWithPolicy(*this, input);
  }
  running.expectReachable();
  running.noteResult(result.shape(at));
  return result;
}

bool nn::Layer::built() const {
  bool isBuilt = true;
  for_each_leaf(*this, [&](const Variable &leaf, const Path &) { isBuilt = isBuilt && leaf.has_value(); });
  return isBuilt;
}

std::string detail::className(const nn::Layer &layer) {
  int status = 0;
  char *const text = abi::__cxa_demangle(typeid(layer).name(), nullptr, nullptr, &status);
  std::string name = text ? text : "layer";
  std::free(text);
  const size_t end = std::min(name.find('<'), name.size());
  const size_t colon = name.rfind(':', end);
  const size_t begin = colon == std::string::npos ? 0 : colon + 1;
  return name.substr(begin, end - begin);
}

std::string nn::Layer::name() const {
  std::string path;
  bool isFirst = true;
  for_each_leaf(*this, [&](const Variable &leaf, const Path &at) {
    const std::string own = at.str(), whole = leaf.name();
    if (isFirst && whole.size() > own.size() + 1 && whole.ends_with("." + own))
      path = whole.substr(0, whole.size() - own.size() - 1);
    isFirst = false;
  });
  return path.empty() ? className(*this) : path;
}

void LayerCall::refuse(const std::string &sentence) const {
  throw Error(layer_.name() + ": " + sentence, userLocation(RunningLayer::line()));
}
void LayerCall::refuseSize(const std::string &wanted, const Shape &input) const {
  refuse("expected " + wanted + ", which it was built for, got an input of shape " + input.str() +
         ". A layer that is called with inputs of two sizes shares its weights; for layers of their own say "
         "nn::repeat(count, layer) or nn::clone(layer)");
}
void LayerCall::expectSize(const char *what, int axis, const Shape &input, const Variable &weight,
                           int axisOfWeight) const {
  if (weight.has_value() && provably_equal(input[axis], weight.shape()[axisOfWeight]) != Always::yes)
    refuseSize(weight.shape()[axisOfWeight].str() + " " + what, input);
}
Shape detail::withBatch(const Shape &example) {
  Shape shape{1};
  for (const Dim dim : example)
    shape.push_back(dim);
  return shape;
}
void LayerCall::expectSpatial(const Shape &input, int spatialRank, DataFormat format) const {
  static constexpr const char *places[] = {"length", "height, width", "depth, height, width"};
  const std::string spatial = places[spatialRank - 1];
  if (input.rank() != spatialRank + 2)
    refuse("expected " + std::to_string(spatialRank + 2) + " axes (batch, " +
           (format == DataFormat::channels_last ? spatial + ", channels" : "channels, " + spatial) + "), got " +
           input.str());
}
void LayerCall::expectBatch(const Shape &input) const {
  if (input.rank() == 0)
    refuse("expected a batch along axis 0, got a shape of rank 0");
}
int LayerCall::axisOf(const Shape &input, int64_t axis) const {
  if (axis < -input.rank() || axis >= input.rank())
    refuse("expected an input with axis " + std::to_string(axis) + ", got one of shape " + input.str());
  return static_cast<int>(axis < 0 ? axis + input.rank() : axis);
}
void detail::expectPositive(const char *layer, const char *what, int64_t number, Location at) {
  if (number < 1)
    throw Error(std::string(layer) + ": expected " + what + " >= 1, got " + std::to_string(number), userLocation(at));
}

//===----------------------------------------------------------------------===//
// A model's Variables
//===----------------------------------------------------------------------===//

void detail::name_variable(const Variable &variable, const Path &path) {
  const CellRef &cell = refOf(variable.cell());
  if (!cell)
    return;
  // One that the user has given a name keeps it, and so does one of a part of a model, which has its path in the whole.
  const std::string name = cell->name(), own = path.str();
  if (name == "weight" || (name.find_first_of(".[") != std::string::npos && !name.ends_with("." + own)))
    cell->setName(own);
}

void CloneVariables::operator()(Variable &leaf, const Path &) {
  const CellRef &cell = refOf(leaf.cell());
  if (!cell)
    return;
  Variable &other = made[cell->id];
  if (!other.cell()) {
    auto made = std::make_shared<WeightCell>(cell->name(), cell->isTrainable());
    if (const auto *weight = dynamic_cast<const WeightCell *>(cell.get()))
      made->regularizer = weight->regularizer, made->constraint = weight->constraint;
    if (cell->isBuilt())
      made->build(cell->type(), cell->get());
    other = Variable::of(handleOf(std::move(made)));
  }
  leaf = other;
}

void detail::set_trainable(const Variable &variable, bool trainable) {
  const CellRef &cell = refOf(variable.cell());
  if (!cell || cell->isTrainable() == trainable)
    return;
  cell->setTrainable(trainable);
  ++trainableChanges;
}
