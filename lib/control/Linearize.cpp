//===- Linearize.cpp - a trace as a forward and a backward one ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/control/Linearize.h"

#include "lib/control/Residuals.h"
#include "lib/transform/Reverse.h"

using namespace tenon;

void Linear::expectDerivatives() const {
  for (const auto &refusal : refusals)
    if (refusal)
      throw NoDerivative(*refusal);
}

Linear tenon::linearize(const Trace &trace, const std::vector<bool> &wanted, const std::vector<bool> &available,
                        size_t firstShared) {
  DetachedLocations detached;
  const std::string &name = trace.body().name;
  Record forward(name);
  ActiveInterpreter activeForward(forward);
  Tape tape;
  Reverse reverse("the derivative of " + name, tape);
  std::vector<Array> inputs;
  std::vector<size_t> tapeInputs;
  for (size_t i = 0; i < wanted.size(); ++i)
    inputs.push_back(forward.input(trace.type(trace.inputs()[i])));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) {
      tapeInputs.push_back(i);
      inputs[i] = reverse.input(inputs[i]);
    }
  std::vector<Array> outputs;
  {
    ActiveInterpreter activeReverse(reverse);
    outputs = evaluateTrace(trace, inputs);
  }

  Linear linear;
  std::vector<uint32_t> numbers;
  for (Array &output : outputs) {
    numbers.push_back(reverse.number(output.value()));
    if (auto refusal = tape.refusalOf(numbers.back())) {
      linear.refusals.resize(outputs.size());
      linear.refusals[numbers.size() - 1] = std::move(refusal);
      numbers.back() = Tape::none;
    }
    linear.dependent.push_back(numbers.back() != Tape::none);
    output = reverse.primal(output);
  }
  // What the backward trace captures of the forward one is what it wants of it.
  Record backward(name + " backward");
  Record::Result recorded;
  {
    ActiveInterpreter activeBackward(backward);
    std::vector<Array> cotangents(outputs.size()), reached;
    for (size_t i = 0; i < outputs.size(); ++i)
      if (linear.dependent[i])
        cotangents[i] = backward.input(typeOf(outputs[i].value()));
    std::vector<Array> all = tape.backward(numbers, cotangents, static_cast<uint32_t>(tapeInputs.size()));
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].has_value()) {
        reached.push_back(std::move(all[i]));
        linear.cotangentOf.push_back(tapeInputs[i]);
      }
    recorded = backward.finish(reached);
  }
  size_t outputCount = outputs.size(), cotangentCount = recorded.trace->inputs().size() - recorded.captures.size();
  outputs.insert(outputs.end(), recorded.captures.begin(), recorded.captures.end());
  TraceRef whole = forward.finish(outputs).trace;
  std::vector<bool> used = usedInputs(*recorded.trace), isFree(whole->body().types.size());
  std::vector<ValueId> captured(whole->outputs().begin() + static_cast<ptrdiff_t>(outputCount), whole->outputs().end());
  for (size_t i = 0; i < captured.size(); ++i)
    if (!used[cotangentCount + i])
      captured[i] = Residuals::noValue;
  for (size_t i = 0; i < available.size(); ++i)
    isFree[whole->inputs()[i]] = available[i];
  for (size_t i = firstShared; i < outputCount; ++i)
    isFree[whole->outputs()[i]] = true;
  Residuals residuals(*whole, isFree, captured);
  linear.backward = residuals.remake(*recorded.trace, cotangentCount, captured);

  TraceBody body = whole->body();
  body.outputs.resize(outputCount);
  for (const Residuals::Root &root : residuals.roots()) {
    if (root.value < available.size() && available[root.value]) { // inputs are numbered first
      linear.residuals.push_back({true, root.value});
      continue;
    }
    ValueId value = residuals.inOrder(root, body);
    size_t place = firstShared;
    while (place < body.outputs.size() && body.outputs[place] != value)
      ++place;
    if (place == body.outputs.size())
      body.outputs.push_back(value);
    linear.residuals.push_back({false, place});
  }
  linear.forward = Trace::make(std::move(body));
  return linear;
}
