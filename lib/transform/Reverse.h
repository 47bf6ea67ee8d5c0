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
  /// A number for a value that no op on the tape has made.
  uint32_t addInput() { return values_++; }
  /// Runs the op `outer` on the values `below` that stand for its operands, and notes it if a
  /// result can depend smoothly on one that is on the tape: `numbers` has theirs, `none` of
  /// others. Fills the results, of the level below, and by result its number or `none`.
  /// `composite`: the registered one whose rule the op has. `keepsOperands`: those of a region
  /// op, so that its residuals can be computed anew.
  void differentiate(const Bind &outer, const CompositeInfo *composite, std::span<const uint32_t> numbers,
                     std::span<detail::Value *const> below, std::span<Array> results, std::span<uint32_t> resultNumbers,
                     bool keepsOperands = false);
  /// Notes an op that has a rule, or none, and that has run.
  void note(const Bind &bind, const CompositeInfo *composite, std::span<const uint32_t> numbers,
            std::span<const Array> results, std::span<uint32_t> resultNumbers);
  /// Cotangents of the first `inputs` values, an empty Array for zero. `outputs`
  /// are numbers (`none`: not on the tape) with their cotangents (may be empty).
  std::vector<Array> backward(std::span<const uint32_t> outputs, std::span<const Array> cotangents,
                              uint32_t inputs) const;
  /// The same of the values numbered `wanted`, along what depends on them alone. What rules
  /// need is let go on the way if `frees`: the tape is used up then.
  std::vector<Array> backwardTo(std::span<const uint32_t> outputs, std::span<const Array> cotangents,
                                std::span<const uint32_t> wanted, bool frees);
  /// What says that there is no derivative of a value, or of one that it depends on; null: nothing.
  std::shared_ptr<const NoDerivative> refusalOf(uint32_t number) const;
  static constexpr uint32_t none = UINT32_MAX;

private:
  /// What stands in the place of a rule.
  struct RuleLess {
    std::shared_ptr<const RegionVjp> plan;
    /// The operands of a region op, if they are kept.
    std::vector<Array> kept;
    /// What is thrown when a cotangent arrives: there is no derivative.
    std::shared_ptr<const NoDerivative> refusal;
  };
  struct Node {
    OpCode op;
    const CompositeInfo *composite;
    uint32_t resultCount;
    uint32_t operandCount, operands, types, attributes, attributeCount, saved, savedCount, firstResult;
    Location at;
    bool interpreted;
    /// Null: it has a rule.
    std::unique_ptr<RuleLess> other;
  };
  /// Appends an op; its results get the numbers from its firstResult. `saved`:
  /// for a rule, operands then results, empty where `needs` has none, or none at all; for a
  /// region op, by plan->backwardOperands. `bind` has the attributes of its composite.
  Node &addOp(const Bind &bind, const CompositeInfo *composite, std::span<const uint32_t> operandNumbers,
              std::span<const Array> saved);
  /// The types of its operands, then of its results.
  std::vector<Type> typesOf(const Node &node) const;
  void addType(Dtype dtype, Device device, std::span<const Dim> dims);
  /// The results get the numbers of the node, where they have derivatives.
  static void number(const Node &node, const Bind &bind, std::span<uint32_t> resultNumbers);
  void noteRefusal(const Bind &bind, std::span<const uint32_t> numbers, std::shared_ptr<const NoDerivative> refusal,
                   std::span<uint32_t> resultNumbers);
  void runNode(const Node &node, std::span<const Array> cotangents, const std::vector<bool> *reaches,
               std::span<Array> out) const;
  void runRule(const Node &node, std::span<const Array> cotangents, const std::vector<bool> &wanted,
               std::span<Array> out) const;
  void runPlan(const Node &node, std::span<const Array> cotangents, std::span<Array> out) const;
  /// Lets go what is kept for a node.
  void free(size_t number);
  /// The cotangents of `wanted`; `reaches`: by value, whether any of these depends on one, null:
  /// all do. What is kept is let go in `freed`, this tape itself, if it is not null.
  std::vector<Array> walk(std::span<const uint32_t> outputs, std::span<const Array> cotangents,
                          const std::vector<bool> *reaches, std::span<const uint32_t> wanted, Tape *freed) const;

  uint32_t values_ = 0;
  bool hasRefusals_ = false;
  std::vector<Node> nodes_;
  std::vector<uint32_t> operands_;
  /// Of each type its word, as a Value has it, and its sizes.
  std::vector<int64_t> types_;
  std::vector<int64_t> attributes_;
  std::vector<Array> saved_;
};

/// Whether the ops that a composite is made of are differentiated, and not the op itself by a
/// rule of its name; `composite`: the registered one that it is, or null.
bool isOpened(const Bind &bind, const CompositeInfo *&composite);

class Reverse : public Interpreter {
public:
  Reverse(std::string name, Tape &tape) : Interpreter(InterpreterKind::reverse, std::move(name)), tape_(tape) {}
  /// `x` as an input of the tape.
  Array input(const Array &x, Location at = {});
  void process(const Bind &bind, std::span<Array> results) override;
  detail::Value *below(const detail::Value *value) const override { return value->base; }
  /// The value below a value of this interpreter; others as they are.
  Array primal(const Array &x) const;
  /// Number on the tape, or Tape::none.
  uint32_t number(const detail::Value *value) const { return value->isOf(id()) ? value->number : Tape::none; }

private:
  Array wrap(const Array &below, uint32_t number, Location at);
  Tape &tape_;
};

} // namespace tenon
