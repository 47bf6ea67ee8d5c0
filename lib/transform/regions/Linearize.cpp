//===- Linearize.cpp - a trace as a forward and a backward one ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/transform/regions/Linearize.h"

#include "lib/transform/Reverse.h"

using namespace tenon;

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
    linear.dependent.push_back(numbers.back() != Tape::none);
    output = reverse.primal(output);
  }
  // What the backward trace captures of the forward one are the residuals.
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
  std::vector<bool> kept = usedInputs(*recorded.trace);
  size_t cotangentCount = kept.size() - recorded.captures.size();
  std::fill_n(kept.begin(), cotangentCount, true);
  linear.backward = keepInputs(*recorded.trace, kept);
  for (size_t i = 0; i < recorded.captures.size(); ++i) {
    if (!kept[cotangentCount + i])
      continue;
    const detail::Value *value = recorded.captures[i].value();
    size_t number = value->number; // the forward record numbers its inputs first
    if (number < wanted.size() && available[number]) {
      linear.residuals.push_back({true, number});
      continue;
    }
    size_t place = firstShared;
    while (place < outputs.size() && outputs[place].value() != value)
      ++place;
    if (place == outputs.size())
      outputs.push_back(recorded.captures[i]);
    linear.residuals.push_back({false, place});
  }
  linear.forward = forward.finish(outputs).trace;
  return linear;
}
