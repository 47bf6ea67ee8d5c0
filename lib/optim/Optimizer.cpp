//===- Optimizer.cpp - the handle of an optimizer --------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/optim/Body.h"
#include "lib/trace/Interpreter.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::optim;

void optim::retain(OptimizerBody *body) { __atomic_add_fetch(&body->references, 1, __ATOMIC_RELAXED); }
void optim::release(OptimizerBody *body) {
  if (__atomic_sub_fetch(&body->references, 1, __ATOMIC_ACQ_REL) == 0)
    delete body;
}

Optimizer::Optimizer(OptimizerBody *body) : body_(body) {}
Optimizer::Optimizer(Transform transform, std::string name)
    : body_(new OptimizerBody(std::move(name), std::move(transform))) {}

void Optimizer::apply_gradients(const nn::Gradients &gradients, Location at) const {
  std::vector<Given> given;
  for (const nn::Gradients::Entry &entry : gradients.entries())
    given.push_back({entry.path, &entry.variable, &entry.gradient});
  body_.get()->apply(given, userLocation(at));
}
void Optimizer::apply_gradients(const std::vector<Array> &gradients, const std::vector<Variable> &variables,
                                Location at) const {
  if (gradients.size() != variables.size())
    throw Error("apply_gradients: expected a gradient for each of " + std::to_string(variables.size()) +
                    " Variables, got " + std::to_string(gradients.size()),
                userLocation(at));
  std::vector<Given> given;
  for (size_t i = 0; i < variables.size(); ++i)
    given.push_back({"", &variables[i], &gradients[i]});
  body_.get()->apply(given, userLocation(at));
}
void Optimizer::apply_gradients(const std::vector<std::pair<Array, Variable>> &pairs, Location at) const {
  std::vector<Given> given;
  for (const auto &[gradient, variable] : pairs)
    given.push_back({"", &variable, &gradient});
  body_.get()->apply(given, userLocation(at));
}
void Optimizer::apply(const std::vector<std::optional<Array>> &gradients, const std::vector<Variable> &variables,
                      Location at) const {
  std::vector<Given> given;
  for (size_t i = 0; i < variables.size(); ++i)
    given.push_back({"", &variables[i], gradients[i] ? &*gradients[i] : nullptr});
  body_.get()->apply(given, userLocation(at));
}

void Optimizer::step(const std::vector<Variable> &variables, Location at) const {
  std::vector<Array> gradients;
  for (const Variable &variable : variables)
    gradients.push_back(variable.grad(at).value(at));
  apply_gradients(gradients, variables, at);
}
void Optimizer::zero_grad(const std::vector<Variable> &variables, Location at) const {
  for (const Variable &variable : variables)
    variable.zero_grad(at);
}
void Optimizer::build(const std::vector<Variable> &variables, Location at) const {
  std::vector<Given> given;
  for (const Variable &variable : variables)
    given.push_back({"", &variable, nullptr});
  body_.get()->build(given, "build", userLocation(at));
}

Variable Optimizer::iterations() const { return body_.get()->iterations; }
std::vector<std::string> Optimizer::hyperparameter_names() const {
  std::vector<std::string> names;
  for (const Hyperparameter &one : body_.get()->hyperparameters)
    names.push_back(one.name);
  return names;
}
bool Optimizer::has_schedule() const {
  return std::ranges::any_of(body_.get()->hyperparameters, &Hyperparameter::is_scheduled);
}
Variable Optimizer::hyperparameter(std::string_view name, Location at) const {
  std::string known;
  for (const Hyperparameter &one : body_.get()->hyperparameters) {
    if (one.name == name)
      return one.value;
    known += (known.empty() ? "'" : ", '") + one.name + "'";
  }
  throw Error("hyperparameter: expected one of " + body_.get()->name + " (" + (known.empty() ? "none" : known) +
                  "), got '" + std::string(name) +
                  (name == "momentum" || name == "weight_decay" ? "', which is left out where it is 0" : "'"),
              userLocation(at));
}
Variable Optimizer::slot(std::string_view kind, const Variable &variable, Location at) const {
  return body_.get()->slot(kind, variable, userLocation(at));
}
void Optimizer::restore_slot(std::string_view name, const Operand &value) const { body_.get()->restore(name, value); }
bool Optimizer::restore_part(const std::string &name, const Array &value) {
  // All hyperparameters are among the fields; what else there is belongs to Variables that come later.
  if (body_.get()->isBuilt())
    return false;
  restore_slot(name, value);
  return true;
}
std::vector<std::pair<std::string, Variable>> Optimizer::variables() const {
  std::vector<std::pair<std::string, Variable>> all{{"iterations", iterations()}};
  for (const Hyperparameter &one : body_.get()->hyperparameters)
    all.emplace_back(one.name, one.value);
  body_.get()->forEachSlot(
      [&](const std::string &slot, const Variable &variable) { all.emplace_back(slot, variable); });
  return all;
}
void Optimizer::finalize_variable_values(Location at) const { body_.get()->assignAverages(userLocation(at)); }
const std::string &Optimizer::name() const { return body_.get()->name; }

void Optimizer::fields(Fields &f) {
  // A copy has hyperparameters of its own already.
  if (f.isCloning())
    body_ = detail::StateRef<OptimizerBody>(body_.get()->copy(userLocation({})));
  else {
    f("iterations", body_.get()->iterations);
    for (Hyperparameter &one : body_.get()->hyperparameters)
      f(one.name, one.value);
  }
  body_.get()->forEachSlot([&](const std::string &slot, Variable &variable) { f(slot, variable); });
}
