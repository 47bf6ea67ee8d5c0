//===- Body.cpp - what copies of an optimizer share ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/optim/Body.h"

#include "lib/nn/Norms.h"
#include "lib/program/Log.h"
#include "lib/program/OutsideOfPrograms.h"

#include <tenon/ops.h>

using namespace tenon;
using namespace tenon::optim;

static Variable newCount() { return Variable(Array(Scalar(0), i64), "iterations", false); }

OptimizerBody::OptimizerBody(std::string given, Transform transform)
    : name(std::move(given)), iterations(newCount()), hyperparameters(transform.hyperparameters),
      transform_(std::move(transform)) {}

OptimizerBody::OptimizerBody(const char *function, std::string given, Recipe recipe, const Averaging &averaging,
                             Location at)
    : name(std::move(given)), iterations(newCount()), transform_(recipe(Count(iterations))),
      recipe_(std::move(recipe)) {
  hyperparameters = transform_.hyperparameters;
  if (averaging.momentum) {
    requireWithin(function, "ema_momentum", *averaging.momentum, 0, 1, at);
    averageMomentum_ = hyperparameter("ema_momentum", *averaging.momentum);
    hyperparameters.push_back(*averageMomentum_);
  }
  if (averaging.frequency && (*averaging.frequency < 1 || !averaging.momentum))
    throw Error(std::string(function) + ": expected ema_overwrite_frequency >= 1, beside an ema_momentum", at);
  overwriteFrequency_ = averaging.frequency;
}

OptimizerBody *OptimizerBody::copy(Location at) const {
  const std::lock_guard guard(lock_);
  const Averaging averaging{averageMomentum_ ? std::optional(0.0) : std::nullopt, overwriteFrequency_};
  auto *const copy =
      recipe_ ? new OptimizerBody("clone", name, recipe_, averaging, at) : new OptimizerBody(name, transform_);
  copy->iterations.assign(iterations);
  for (size_t i = 0; recipe_ && i < hyperparameters.size(); ++i)
    copy->hyperparameters[i].value.assign(hyperparameters[i].value);
  for (const auto &[slot, held] : slots_)
    copy->slots_.emplace(slot, Slot{held.variable, false});
  return copy;
}

const OptimizerBody::Member *OptimizerBody::find(const Variable &variable) const {
  const auto found = numbers_.find(detail::identity_of(variable));
  return found == numbers_.end() ? nullptr : &members_[found->second];
}

//===----------------------------------------------------------------------===//
// Members and their slots
//===----------------------------------------------------------------------===//

static std::string nameOf(const Given &given) {
  return given.path.empty() ? given.variable->name() : std::string(given.path);
}

void OptimizerBody::requireUsable(std::span<const Given> given, const char *what, Location at) const {
  std::set<uint64_t> seen;
  for (const Given &one : given) {
    auto refuse = [&](const std::string &sentence) {
      throw Error(std::string(what) + ": expected " + sentence +
                      (one.variable->cell() ? "\n  variable: '" + nameOf(one) + "'" : std::string()),
                  at);
    };
    if (!one.variable->cell())
      refuse("Variables, got an empty one");
    if (!one.variable->has_value())
      refuse("Variables with values, got a weight that is not built: call the model, or nn::build, before");
    if (kind(one.variable->dtype()) != Kind::floating || is_storage(one.variable->dtype()))
      refuse("Variables of floating numbers, got " + std::string(tenon::name(one.variable->dtype())));
    if (!seen.insert(detail::identity_of(*one.variable)).second)
      refuse("each Variable once");
    if (!one.gradient || !one.gradient->has_value())
      continue;
    if (one.gradient->shape() != one.variable->shape())
      refuse("a gradient of shape " + one.variable->shape().str() + ", got " + one.gradient->shape().str());
    if (kind(one.gradient->dtype()) != Kind::floating)
      refuse("a gradient of floating numbers, got " + std::string(tenon::name(one.gradient->dtype())));
  }
}

void OptimizerBody::build(std::span<const Given> given, const char *what, Location at) {
  const std::lock_guard guard(lock_);
  requireUsable(given, what, at);
  std::set<std::string> taken;
  for (const Member &member : members_)
    taken.insert(member.path);
  std::vector<Member> added;
  for (const Given &one : given) {
    if (find(*one.variable))
      continue;
    const std::string wanted = nameOf(one);
    std::string path = wanted;
    for (int number = 1; !taken.insert(path).second; ++number)
      path = wanted + "_" + std::to_string(number);
    added.push_back({path, *one.variable});
  }
  addSlots(added, at);
  for (Member &member : added) {
    numbers_[detail::identity_of(member.variable)] = members_.size();
    members_.push_back(std::move(member));
  }
}

/// The slots with those of more members. A slot that was restored is kept.
OptimizerBody::SlotMap OptimizerBody::slotsFor(const std::vector<Member> &members, Location at) const {
  NamedArrays params;
  for (const Member &member : members) {
    const Array value = member.variable.value(at);
    params.emplace(member.path, value.astype(nn::computeDtype(value.dtype())));
  }
  NamedArrays state = transform_.init ? transform_.init(params) : NamedArrays();
  if (averageMomentum_)
    addZeros(state, "average", params);
  SlotMap all = slots_;
  auto text = [](const auto &x) { return std::string(tenon::name(x.dtype())) + x.shape().str(); };
  for (const auto &[slot, value] : state) {
    auto [place, isNew] = all.try_emplace(slot);
    if (isNew)
      place->second.variable = Variable(value, slot, false);
    else if (const Variable &held = place->second.variable;
             held.dtype() != value.dtype() || held.shape() != value.shape())
      throw Error(name + ": expected the slot '" + slot + "' to be " + text(value) + ", got " + text(held) +
                      ", which was restored",
                  at);
    place->second.isUsed = true;
  }
  return all;
}

/// Whether the optimizer, or one of these, is made by what is traced now.
bool OptimizerBody::isOfTrace(const std::vector<Member> &members) const {
  if (!detail::StateScope::innermost())
    return false;
  try {
    const detail::OutsideOfPrograms outside;
    (void)iterations.value();
    for (const Member &member : members)
      (void)member.variable.value();
  } catch (const Error &) { // it has no elements yet
    return true;
  }
  return false;
}

void OptimizerBody::addSlots(const std::vector<Member> &members, Location at) {
  if (members.empty())
    return;
  // Slots live longer than a trace, so they are made outside of it; but those of an optimizer of the traced function
  // are this one's, as the optimizer is.
  if (isOfTrace(members)) {
    slots_ = slotsFor(members, at);
  } else {
    const detail::OutsideOfPrograms outside;
    slots_ = slotsFor(members, at);
  }
}

void OptimizerBody::restore(std::string_view slot, const Operand &value) {
  const std::lock_guard guard(lock_);
  const auto found = slots_.find(slot);
  if (found != slots_.end())
    return found->second.variable.assign(value);
  slots_.emplace(slot, Slot{Variable(value, std::string(slot), false), false});
}

Variable OptimizerBody::slot(std::string_view kind, const Variable &variable, Location at) {
  const std::lock_guard guard(lock_);
  const Member *const member = variable.cell() ? find(variable) : nullptr;
  if (!member)
    throw Error("slot: expected a Variable of the optimizer, got " +
                    (variable.cell() ? "'" + variable.name() + "'" : std::string("an empty one")),
                at);
  const auto found = slots_.find(kind.empty() ? member->path : std::string(kind) + "." + member->path);
  if (found != slots_.end())
    return found->second.variable;
  std::string kinds;
  for (const auto &[slot, held] : slots_)
    if (slot.ends_with("." + member->path))
      kinds += (kinds.empty() ? "'" : ", '") + slot.substr(0, slot.size() - member->path.size() - 1) + "'";
  throw Error("slot: expected a kind among " + (kinds.empty() ? "none" : kinds) + ", got '" + std::string(kind) + "'",
              at);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static bool hasGradient(const Given &given) { return given.gradient && given.gradient->has_value(); }

void OptimizerBody::warnOfMissing(std::span<const Given> given) {
  std::string missing;
  for (const Given &one : given)
    if (!hasGradient(one) && warned_.insert(detail::identity_of(*one.variable)).second)
      missing += (missing.empty() ? "'" : ", '") + nameOf(one) + "'";
  if (!missing.empty())
    detail::logLine(LogTopic::warning, name + ": gradients do not exist for the variables " + missing +
                                           ": the loss does not depend on them, and they stay as they are");
}

void OptimizerBody::apply(std::span<const Given> given, Location at) {
  constexpr const char *what = "apply_gradients";
  const std::lock_guard guard(lock_);
  requireUsable(given, what, at);
  bool isAny = false;
  for (const Given &one : given) {
    isAny |= hasGradient(one);
    if (members_.empty() || find(*one.variable))
      continue;
    std::string known;
    for (size_t i = 0; i < members_.size() && i < 8; ++i)
      known += (i ? ", '" : "'") + members_[i].path + "'";
    throw Error(std::string(what) + ": expected a Variable that the optimizer was built for (" + known +
                    (members_.size() > 8 ? ", ..." : "") + "), got another one: make a new optimizer, or add it by " +
                    "build()\n  variable: '" + nameOf(one) + "'",
                at);
  }
  if (!isAny)
    throw Error(std::string(what) + ": no gradients provided for any variable" +
                    (given.empty() ? ", and no variables" : "; the first is '" + nameOf(given[0]) + "'"),
                at);
  if (members_.empty())
    build(given, what, at);
  warnOfMissing(given);
  detail::StateJournal journal;
  try {
    const LocationScope scope(what, at);
    update(given, at);
  } catch (...) {
    journal.undo();
    throw;
  }
}

void OptimizerBody::update(std::span<const Given> given, Location at) {
  NamedArrays params, values, state;
  for (const Given &one : given) {
    if (!hasGradient(one))
      continue;
    const Member &member = *find(*one.variable);
    const Array value = member.variable.value(at);
    const Dtype dtype = nn::computeDtype(value.dtype());
    params.emplace(member.path, value.astype(dtype));
    values.emplace(member.path, one.gradient->astype(dtype));
  }
  for (const auto &[slot, held] : slots_)
    if (held.isUsed && !isAverage(slot))
      state.emplace_hint(state.end(), slot, held.variable.value(at));
  const NamedArrays held = state;
  if (transform_.update)
    transform_.update(values, state, params);

  for (auto &[path, step] : values) {
    const auto parameter = params.find(path);
    if (parameter == params.end())
      throw Error(name + ": expected updates of the parameters that have gradients, got one of '" + path + "'", at);
    step = parameter->second + step;
  }
  for (const Member &member : members_)
    if (const auto value = values.find(member.path); value != values.end())
      value->second = value->second.astype(member.variable.dtype());
  // A step that accumulates alone, or that an overflow has stopped, is no update. Empty: it is one.
  Array isUpdate;
  if (const auto step = state.find("accumulation_step"); step != state.end())
    isUpdate = step->second == 0;
  if (const auto steps = state.find("finite_steps"); steps != state.end())
    isUpdate = isUpdate.has_value() ? isUpdate && steps->second != 0 : steps->second != 0;
  const Array count = iterations.value(at);
  if (averageMomentum_)
    moveAverages(values, isUpdate);
  for (const Member &member : members_)
    if (const auto value = values.find(member.path); value != values.end())
      member.variable.assign(value->second);
  for (const auto &[slot, value] : state) {
    const auto last = held.find(slot);
    if (last == held.end())
      throw Error(name + ": expected a state of the names that init has given, got '" + slot + "'", at);
    if (last->second.value() != value.value())
      slots_.find(slot)->second.variable.assign(value);
  }
  iterations.assign(count + (isUpdate.has_value() ? isUpdate.astype(i64) : Array(Scalar(1), i64)));
}

void OptimizerBody::moveAverages(NamedArrays &values, const Array &isUpdate) {
  const auto onUpdate = [&](const Array &condition) {
    return isUpdate.has_value() ? condition && isUpdate : condition;
  };
  const Array isFirst = iterations == 0;
  Factor keep(averageMomentum_->value), take(1 - averageMomentum_->value);
  for (const Member &member : members_) {
    const auto found = values.find(member.path);
    const Array value = found != values.end() ? found->second : member.variable.value();
    const Array now = value.astype(nn::computeDtype(value.dtype()));
    const Variable &slot = slots_.find("average." + member.path)->second.variable;
    Array average = where(isFirst, now, keep.as(now.dtype()) * slot + take.as(now.dtype()) * now);
    if (isUpdate.has_value())
      average = where(isUpdate || isFirst, average, slot);
    slot.assign(average);
    if (overwriteFrequency_)
      values[member.path] =
          where(onUpdate((iterations + 1) % *overwriteFrequency_ == 0), average.astype(value.dtype()), value);
  }
}

void OptimizerBody::assignAverages(Location at) {
  const std::lock_guard guard(lock_);
  if (!averageMomentum_)
    throw Error("finalize_variable_values: expected an optimizer with an ema_momentum", at);
  for (const Member &member : members_)
    member.variable.assign(
        slots_.find("average." + member.path)->second.variable.value(at).astype(member.variable.dtype()));
}
