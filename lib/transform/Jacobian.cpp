//===- Jacobian.cpp - the core of Jacobians and Hessians ----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All derivatives at once: vmap of jvp, or of vjp, over the standard basis, whose
// vectors have a one in one element of one of the arrays.
//===----------------------------------------------------------------------===//
#include "lib/base/CallSite.h"
#include "lib/transform/Coordinates.h"
#include "lib/transform/Forward.h"
#include "lib/transform/Linear.h"
#include "lib/transform/Pullback.h"
#include "lib/transform/Rules.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::detail;

namespace {
class Derivatives {
public:
  Derivatives(const char *what, const Arguments &arguments, bool holomorphic, CallSite site)
      : what_(what), arguments_(arguments), holomorphic_(holomorphic), site_(site),
        types_(typesIn(what, arguments, site.called)), inputs_(types_) {}

  void expectInputs(bool mayBeComplex) const {
    if (holomorphic_) {
      for (size_t i = 0; i < types_.size(); ++i)
        if (isDifferentiable(types_[i].dtype) && kind(types_[i].dtype) != Kind::complex)
          fail(": expected complex arguments of a holomorphic function, got " + types_[i].str() + " as " +
               arguments_.name(i));
      mayBeComplex = true;
    }
    const char *wanted = mayBeComplex ? "a floating array" : "a real floating array";
    for (size_t i = 0; i < types_.size(); ++i)
      if (!mayBeComplex && kind(types_[i].dtype) == Kind::complex)
        fail(": expected " + std::string(wanted) + " to differentiate with respect to, got " + types_[i].str() +
             " as " + arguments_.name(i) + "; for a holomorphic function pass {.holomorphic = true}, or use jvp");
    for (size_t i = 0; i < types_.size(); ++i)
      if (inputs_.has(i))
        return;
    if (!types_.empty())
      fail(": expected " + std::string(wanted) + " to differentiate with respect to, got " + types_[0].str() + " as " +
           arguments_.name(0));
  }

  std::vector<Array> forward(const TreeFunction &function, OwnedTree &result) {
    Batch batch(siteName(what_, site_.made), inputs_.count);
    std::vector<Array> moved;
    {
      const std::vector<Array> tangents = basis(inputs_, batch, true);
      const ActiveInterpreter active(batch);
      moved = runMoving(what_, false, function, arguments_, tangents, result, outputTypes_, site_);
    }
    expectOutputs();
    return byInputs(batch, moved);
  }

  std::vector<Array> reverse(const TreeFunction &function, OwnedTree &result) {
    PullbackState state;
    auto names = [&](size_t leaf) { return arguments_.name(leaf); };
    result = runForward(what_, state, function, arguments_, false, names, site_.made, site_.called);
    outputTypes_ = state.outputTypes;
    expectOutputs();
    return byOutputs(state.tape, state.outputs, state.inputs, state.inputCount);
  }

  /// One run, then what takes fewer vectors of a basis.
  std::vector<Array> cheaper(const TreeFunction &function, OwnedTree &result) {
    const LinearRef ref = runLinear(what_, function, arguments_, result, site_);
    const LinearState &linear = *ref.get();
    outputTypes_ = linear.outputTypes;
    expectOutputs();
    const Coordinates outputs(outputTypes_);
    const bool isWide = outputs.count.is_static() && inputs_.count.is_static() &&
                        outputs.count.raw() < inputs_.count.raw() && hasReverse(*linear.trace) &&
                        (holomorphic_ || areReal(outputs));
    if (!isWide) {
      Batch batch(siteName(what_, site_.made), inputs_.count);
      const std::vector<Array> tangents = basis(inputs_, batch, true);
      std::vector<Array> moved;
      {
        const ActiveInterpreter active(batch);
        moved = linear.apply(tangents);
      }
      return byInputs(batch, moved);
    }
    Tape tape;
    Reverse reverse(siteName(what_, site_.made), tape);
    std::vector<Array> tangents(types_.size()), moved;
    std::vector<uint32_t> inputs(types_.size(), Tape::none), numbers;
    uint32_t count = 0;
    for (size_t i = 0; i < types_.size(); ++i)
      if (inputs_.has(i)) {
        tangents[i] = reverse.input(filled(types_[i], false));
        inputs[i] = count++;
      }
    {
      const ActiveInterpreter active(reverse);
      moved = linear.apply(tangents);
    }
    for (const Array &tangent : moved)
      numbers.push_back(tangent.has_value() ? reverse.number(tangent.value()) : Tape::none);
    return byOutputs(tape, numbers, inputs, count);
  }

private:
  [[noreturn]] void fail(const std::string &sentence) const {
    throw Error(what_ + sentence, userLocation(site_.called));
  }

  void expectOutputs() const {
    for (const Type &type : outputTypes_)
      if (holomorphic_ && isDifferentiable(type.dtype) && kind(type.dtype) != Kind::complex)
        fail(": expected a holomorphic function, whose result is complex, got " + type.str());
  }

  static bool areReal(const Coordinates &outputs) {
    return std::none_of(outputs.types.begin(), outputs.types.end(),
                        [](const Type &type) { return kind(type.dtype) == Kind::complex; });
  }

  /// By array; empty where it has no derivatives. The vectors run over the axis that a
  /// Jacobian has them in: a result's behind its own axes or before the inputs'.
  std::vector<Array> basis(const Coordinates &elements, Batch &batch, bool isBehind) const {
    const LocationScope scope(what_, site_.called);
    std::vector<Array> vectors(elements.types.size());
    for (size_t i = 0; i < vectors.size(); ++i)
      if (elements.has(i)) {
        const int axis = isBehind ? elements.types[i].shape.rank() : 0;
        vectors[i] = batch.wrap(elements.basis(i, axis, site_.called), axis);
      }
    return vectors;
  }

  Array zeros(const Type &output, const Type &input) const {
    const bool has = isDifferentiable(output.dtype) && isDifferentiable(input.dtype);
    const Dtype dtype = !has ? Dtype::f32 : kind(input.dtype) == Kind::complex ? input.dtype : output.dtype;
    return filled({dtype, output.device, together(output.shape, input.shape)}, false);
  }

  /// Of the tangents of the results for each element of the inputs.
  std::vector<Array> byInputs(const Batch &batch, std::span<const Array> moved) const {
    const LocationScope scope(what_, site_.called);
    std::vector<Array> all;
    for (size_t i = 0; i < moved.size(); ++i) {
      const Type &output = outputTypes_[i];
      const int axis = output.shape.rank();
      const Array columns = moved[i].has_value() ? allAlong(batch, moved[i], axis) : Array();
      for (size_t k = 0; k < types_.size(); ++k) {
        const bool isReached = columns.has_value() && inputs_.has(k);
        all.push_back(isReached ? inputs_.part(columns, axis, k) : zeros(output, types_[k]));
      }
    }
    return all;
  }

  /// Of the inputs' cotangents for each element of the results.
  std::vector<Array> byOutputs(const Tape &tape, std::span<const uint32_t> numbers, std::span<const uint32_t> inputs,
                               uint32_t inputCount) const {
    const Coordinates outputs(outputTypes_);
    if (!holomorphic_)
      for (const Type &type : outputTypes_)
        if (kind(type.dtype) == Kind::complex)
          fail(": expected a function whose result is real, got " + type.str() +
               "; for a holomorphic function pass {.holomorphic = true}, or use vjp");
    Batch batch(siteName(what_, site_.made), outputs.count);
    const std::vector<Array> cotangents = basis(outputs, batch, false);
    std::vector<Array> reached;
    {
      const ActiveInterpreter active(batch);
      reached = tape.backward(numbers, cotangents, inputCount);
    }
    const LocationScope scope(what_, site_.called);
    for (Array &cotangent : reached)
      if (cotangent.has_value())
        cotangent = allAlong(batch, cotangent, 0);
    std::vector<Array> all;
    for (size_t i = 0; i < outputTypes_.size(); ++i)
      for (size_t k = 0; k < types_.size(); ++k) {
        const bool isReached = inputs[k] != Tape::none && reached[inputs[k]].has_value() && outputs.has(i);
        if (!isReached) {
          all.push_back(zeros(outputTypes_[i], types_[k]));
          continue;
        }
        const Array part = outputs.part(reached[inputs[k]], 0, i);
        const Dtype dtype = outputTypes_[i].dtype;
        const bool keeps =
            part.dtype() == dtype || (kind(part.dtype()) == Kind::complex && kind(dtype) != Kind::complex);
        all.push_back(keeps ? part : astype(part, dtype));
      }
    return all;
  }

  const char *what_;
  const Arguments &arguments_;
  bool holomorphic_;
  CallSite site_;
  std::vector<Type> types_, outputTypes_;
  Coordinates inputs_;
};
} // namespace

std::vector<Array> detail::jacobian(JacobianMode mode, const char *name, const TreeFunction &function,
                                    std::span<const TreeRef> trees, std::span<const size_t> chosen, bool holomorphic,
                                    OwnedTree &result, CallSite site) {
  site.called = callPlace(site.called, site.made);
  const Arguments arguments(trees, {chosen.begin(), chosen.end()}, false);
  const Derivatives inputs(name, arguments, holomorphic, site);
  inputs.expectInputs(mode == JacobianMode::reverse);
  auto run = [&](auto way) {
    Derivatives derivatives(inputs);
    return (derivatives.*way)(function, result);
  };
  try {
    if (mode == JacobianMode::cheaper)
      return run(&Derivatives::cheaper);
    if (mode != JacobianMode::reverse)
      return run(&Derivatives::forward);
  } catch (const NoForwardMode &) {
    if (mode == JacobianMode::forward)
      throw;
  }
  return run(&Derivatives::reverse);
}
