//===- Batch.h - the interpreter of vmap -------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of Batch has the type of one example; below it lies one array of all
// examples, which run over one of its axes. An op none of whose operands is
// batched runs once, for all.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Interpreter.h"

namespace tenon {

class Batch : public Interpreter {
public:
  Batch(std::string name, Dim size) : Interpreter(InterpreterKind::batch, std::move(name)), size_(size) {}
  Dim size() const { return size_; }
  /// `below` as a value of one example; its axis `axis` runs over the examples.
  Array wrap(const Array &below, int axis, Location at = {});
  void process(const Bind &bind, std::span<Array> results) override;
  /// The axis of the value below that runs over the examples; -1: not a value
  /// of this interpreter.
  int axisOf(const detail::Value *value) const { return value->isOf(id()) ? axes_[value->number] : -1; }
  /// The value below a value of this interpreter; others as they are.
  Array below(const Array &x) const;

private:
  Dim size_;
  std::vector<int> axes_;
};

} // namespace tenon
