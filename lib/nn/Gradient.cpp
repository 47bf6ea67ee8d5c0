//===- Gradient.cpp - the derivative of a loss by the weights of a model ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/trace/Interpreter.h"

#include <tenon/nn/gradient.h>

using namespace tenon;

nn::Gradients detail::gradients_of(GradientTape &tape, const Array &loss, const VariableList &variables, Location at) {
  if (!loss.has_value() || loss.ndim() != 0)
    throw Error("nn::value_and_grad: expected a loss of rank 0, such as a mean, got " +
                    (loss.has_value() ? "an array of shape " + loss.shape().str() : "an empty Array"),
                userLocation(at));
  std::vector<nn::Gradients::Entry> entries;
  std::vector<Variable> sources;
  for (size_t i = 0; i < variables.variables.size(); ++i) {
    const Variable &variable = variables.variables[i];
    if (!variable.trainable() || !variable.has_value())
      continue;
    sources.push_back(variable);
    entries.push_back({variables.paths[i], variable, Array()});
  }
  if (sources.empty())
    throw Error("nn::value_and_grad: expected a model with trainable Variables, got one without", userLocation(at));
  const auto gradients = tape.gradient(loss, sources, ConnectedOnly{.unconnected = none}, at);
  for (size_t i = 0; i < entries.size(); ++i)
    entries[i].gradient = gradients[i].value_or(Array());
  return nn::Gradients(std::move(entries), at);
}
