//===- Forward.h - the interpreter of jvp ------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of Forward is two values below: a primal, and the tangent with which it
// moves along the inputs. An op runs once on the primals; the tangents of its
// results are made of its operands', by what its record says:
//   a linear op (`linearIn`) is applied to them;
//   an elementwise op has the rule of its derivative, operand by operand: what
//   multiplies a cotangent there multiplies a tangent;
//   a region op becomes one whose bodies carry tangents too;
//   a composite with a derivative of its own, and all else, has the transpose of
//   that derivative, which is linear in the cotangents.
// A value that does not move is none of Forward: its tangent, zero, is nowhere.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon {

/// What is said of a function whose rule has no forward mode.
class NoForwardMode final : public Error {
public:
  using Error::Error;
};

class Forward : public Interpreter {
public:
  /// `splits`: of a region op with a derivative the part that does not depend on
  /// tangents runs by itself, and what does is linear; else both are one op.
  explicit Forward(std::string name, bool splits = false)
      : Interpreter(InterpreterKind::forward, std::move(name)), splits_(splits) {}
  /// `primal`, which moves with `tangent`, of its type.
  Array wrap(const Array &primal, const Array &tangent, Location at = {});
  void process(const Bind &bind, std::span<Array> results) override;
  detail::Value *below(const detail::Value *value) const override { return value->base; }
  /// The value below a value of this interpreter; others as they are.
  Array primal(const Array &x) const { return x.value()->isOf(id()) ? Array::share(x.value()->base) : x; }
  /// An empty Array for zero.
  Array tangent(const Array &x) const { return x.value()->isOf(id()) ? Array::share(x.value()->tangent()) : Array(); }

private:
  bool splits_;
  uint32_t values_ = 0;
};

/// Whether all control flow in it has a reverse derivative, which is linear.
bool hasReverse(const Trace &trace);
bool hasReverse(std::span<const TraceRef> regions);

} // namespace tenon
