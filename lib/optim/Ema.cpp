//===- Ema.cpp - moving averages of weights --------------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/nn/Norms.h"
#include "lib/optim/Parts.h"
#include "lib/program/OutsideOfPrograms.h"

#include <tenon/optim/ema.h>

#include <set>

using namespace tenon;
using namespace tenon::optim;

namespace tenon::optim {
class EMABody {
public:
  struct Member {
    std::string path;
    Variable variable;
    /// Deferred: it has a value from the first update, or from a checkpoint.
    Variable average;
  };
  std::vector<Member> members;
  Variable decay, updates;
  unsigned references = 1;
};
} // namespace tenon::optim

void optim::retain(EMABody *body) { __atomic_add_fetch(&body->references, 1, __ATOMIC_RELAXED); }
void optim::release(EMABody *body) {
  if (__atomic_sub_fetch(&body->references, 1, __ATOMIC_ACQ_REL) == 0)
    delete body;
}

static Variable deferred(std::string name) {
  return Variable::of(detail::handleOf(std::make_shared<detail::Cell>(std::move(name), false)));
}

void EMA::make(const std::vector<std::pair<std::string, Variable>> &variables, double decay, Location place) {
  const Location at = userLocation(place);
  requireWithin("EMA", "decay", decay, 0, 1, at);
  auto *const body = new EMABody;
  body_ = detail::StateRef<EMABody>(body);
  body->decay = hyperparameter("decay", decay).value;
  body->updates = Variable(Array(Scalar(0), i64), "updates", false);
  std::set<uint64_t> seen;
  for (const auto &[path, variable] : variables)
    if (variable.cell() && variable.trainable() && seen.insert(detail::identity_of(variable)).second)
      body->members.push_back({path, variable, deferred("average." + path)});
  if (body->members.empty())
    throw Error("EMA: expected a model with trainable Variables", at);
}

void EMA::update(Location place) const {
  const Location at = userLocation(place);
  const EMABody &body = *body_.get();
  for (const EMABody::Member &member : body.members) {
    if (!member.variable.has_value())
      throw Error("EMA: expected Variables with values, got a weight that is not built: call the model, or nn::build, "
                  "before\n  variable: '" +
                      member.path + "'",
                  at);
    if (member.average.has_value())
      continue;
    const detail::OutsideOfPrograms outside;
    const Array zero = zeros(member.variable.shape(), nn::computeDtype(member.variable.dtype()));
    detail::refOf(member.average.cell())->build(typeOf(zero.value()), zero);
  }
  detail::StateJournal journal;
  try {
    const LocationScope scope("update", at);
    const Array isFirst = body.updates == 0;
    Factor keep(body.decay), take(1 - body.decay);
    std::vector<Array> next;
    for (const EMABody::Member &member : body.members) {
      const Dtype dtype = member.average.dtype();
      const Array now = member.variable.value().astype(dtype);
      next.push_back(where(isFirst, now, keep.as(dtype) * member.average + take.as(dtype) * now));
    }
    for (size_t i = 0; i < next.size(); ++i)
      body.members[i].average.assign(next[i]);
    body.updates.assign_add(1);
  } catch (...) {
    journal.undo();
    throw;
  }
}

EMA::Scope::Scope(const EMA &ema, Location place) : body_(ema.body_) {
  const Location at = userLocation(place);
  const EMABody &body = *body_.get();
  std::vector<Array> averages;
  for (const EMABody::Member &member : body.members) {
    if (!member.average.has_value() || !member.variable.has_value())
      throw Error("averaged: expected an update() before, there are no averages yet\n  variable: '" + member.path + "'",
                  at);
    averages.push_back(member.average.value().astype(member.variable.dtype()));
    before_.push_back(member.variable.value());
  }
  detail::StateJournal journal;
  try {
    const LocationScope scope("averaged", at);
    for (size_t i = 0; i < averages.size(); ++i)
      body.members[i].variable.assign(averages[i]);
  } catch (...) {
    journal.undo();
    throw;
  }
}
EMA::Scope::~Scope() {
  for (size_t i = 0; i < before_.size(); ++i)
    body_.get()->members[i].variable.assign(before_[i]);
}

Variable EMA::average(const Variable &variable, Location at) const {
  for (const EMABody::Member &member : body_.get()->members)
    if (variable.cell() && member.variable.is_same(variable))
      return member.average;
  throw Error("average: expected a Variable of the model" +
                  (variable.cell() ? ", got '" + variable.name() + "'" : std::string(", got an empty one")),
              userLocation(at));
}
Variable EMA::decay() const { return body_.get()->decay; }
Variable EMA::updates() const { return body_.get()->updates; }

void EMA::fields(Fields &f) {
  if (f.isCloning()) // of the same model: the copy averages what this one does
    body_ = detail::StateRef<EMABody>(new EMABody(*body_.get()));
  f("decay", body_.get()->decay)("updates", body_.get()->updates);
  for (EMABody::Member &member : body_.get()->members)
    f("average." + member.path, member.average);
}
