//===- Reverse.h - the interpreter of grad and vjp --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward, Reverse runs every op below itself and notes on a tape those through
// which a result can depend smoothly on the inputs, with the values that their
// rules need. Backward walks the tape. A value of Reverse is a number on the
// tape around the value below (its primal), so that everything nests.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Composite.h"
#include "lib/transform/RegionVjp.h"

#include <memory>

namespace tenon {

/// What the forward run left for the backward one. Immutable once the function
/// has ended: it may be walked any number of times.
class Tape {
public:
  /// A number for an input; inputs come before all ops.
  uint32_t addInput() { return values_++; }
  /// Appends an op; its results get the numbers from the one returned. `saved`:
  /// for a rule, operands then results, empty where `needs` has none; for a
  /// region op, by plan->backwardOperands. operandNumbers: `none` for operands
  /// that are not on the tape. `composite`: the registered one whose rule it has, and
  /// whose attributes `bind` has; null for any other op.
  /// `refusal`: what is said if a cotangent reaches the results; empty for nothing.
  uint32_t addOp(const Bind &bind, std::span<const uint32_t> operandNumbers, std::span<const Array> saved,
                 std::shared_ptr<const RegionVjp> plan, const CompositeInfo *composite,
                 const std::string &refusal = {});
  /// Cotangents of the first `inputs` values, an empty Array for zero. `outputs`
  /// are numbers (`none`: not on the tape) with their cotangents (may be empty).
  std::vector<Array> backward(std::span<const uint32_t> outputs, std::span<const Array> cotangents,
                              uint32_t inputs) const;
  static constexpr uint32_t none = UINT32_MAX;

private:
  struct Node {
    OpCode op;
    const CompositeInfo *composite;
    uint32_t resultCount;
    uint32_t operandCount, operands, types, attributes, attributeCount, saved, firstResult;
    Location at;
    bool interpreted;
    std::shared_ptr<const RegionVjp> plan;
    std::shared_ptr<const std::string> refusal;
  };
  void runRule(const Node &node, std::span<const Array> cotangents, std::span<Array> out) const;
  void runPlan(const Node &node, std::span<const Array> cotangents, std::span<Array> out) const;

  uint32_t values_ = 0;
  std::vector<Node> nodes_;
  std::vector<uint32_t> operands_;
  std::vector<Type> types_;
  std::vector<int64_t> attributes_;
  std::vector<Array> saved_;
};

class Reverse : public Interpreter {
public:
  Reverse(std::string name, Tape &tape) : Interpreter(InterpreterKind::reverse, std::move(name)), tape_(tape) {}
  /// `x` as an input of the tape.
  Array input(const Array &x, Location at = {});
  void process(const Bind &bind, std::span<Array> results) override;
  /// The value below a value of this interpreter; others as they are.
  Array primal(const Array &x) const;
  /// Number on the tape, or Tape::none.
  uint32_t number(const detail::Value *value) const { return value->isOf(id()) ? value->number : Tape::none; }

private:
  Array wrap(const Array &below, uint32_t number, Location at);
  Tape &tape_;
};

} // namespace tenon
