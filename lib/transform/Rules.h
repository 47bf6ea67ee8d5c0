//===- Rules.h - derivative and batching rules of ops ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule is written over arrays, once: it calls the public ops, so it runs
// eagerly, is recorded, and is differentiated and batched in its turn.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Composite.h"
#include "lib/trace/Interpreter.h"

#include <tenon/ops.h>

namespace tenon {

/// Whether values of this dtype have derivatives.
constexpr bool isDifferentiable(Dtype dtype) { return kind(dtype) >= Kind::floating && !is_storage(dtype); }

/// An array of `type` full of `value`: recorded as an op, eagerly a view of one
/// element, so that no kernel runs for it.
Array filled(const Type &type, Scalar value);

/// One application of an op, seen backwards. Values are there only for what the
/// record's `needs` names; types are there for all.
class VjpCall {
public:
  const OpInfo &info;
  AttrWords attributes;
  std::span<const Type> operandTypes, resultTypes;
  Location at;

  /// A needed operand or result.
  const Array &operand(int i) const { return saved_[static_cast<size_t>(i)]; }
  const Array &result(int i = 0) const { return saved_[operandTypes.size() + static_cast<size_t>(i)]; }
  /// The cotangent of a result; zeros if nothing reached it.
  Array cotangent(int i = 0) const;
  /// False when operand `i` needs no cotangent: a rule may skip its work.
  bool wanted(int i) const { return wanted_[static_cast<size_t>(i)]; }
  /// Sets the cotangent of operand `i`, of the operand's type. Unset: zero.
  void set(int i, Array cotangent) { out_[static_cast<size_t>(i)] = std::move(cotangent); }

  VjpCall(const OpInfo &info, AttrWords attributes, std::span<const Type> operandTypes,
          std::span<const Type> resultTypes, Location at, std::span<const Array> saved,
          std::span<const Array> cotangents, const std::vector<bool> &wanted, std::span<Array> out)
      : info(info), attributes(attributes), operandTypes(operandTypes), resultTypes(resultTypes), at(at), saved_(saved),
        cotangents_(cotangents), wanted_(wanted), out_(out) {}

private:
  std::span<const Array> saved_, cotangents_;
  const std::vector<bool> &wanted_;
  std::span<Array> out_;
};
using VjpRule = void (*)(VjpCall &call);
/// Null for an op whose derivative is zero or a sentence, and for region ops.
VjpRule vjpRule(OpCode op);
/// Null: the ops that the composite is made of are differentiated. `attributes` of
/// its call are those of the composite.
VjpRule compositeVjpRule(CompositeId id);

/// `x` with its axis `from` at place `to`.
Array moveAxis(const Array &x, int from, int to);
/// `x` repeated along a new axis of `size` at place `axis`.
Array repeatAlong(const Array &x, Dim size, int axis);

/// One application of an op over a batch: operand i is an array whose axis
/// axes[i] runs over the examples, or the same for all (axes[i] == -1).
class BatchCall {
public:
  const OpInfo &info;
  AttrWords attributes;
  std::span<const Array> operands;
  std::span<const int> axes;
  /// Number of examples.
  Dim size;
  /// Types of the results of one example.
  std::span<const Type> resultTypes;
  Location at;

  const Array &operand(int i = 0) const { return operands[static_cast<size_t>(i)]; }
  int axis(int i = 0) const { return axes[static_cast<size_t>(i)]; }
  bool isBatched(int i) const { return axis(i) >= 0; }
  /// Where the first batched operand has the batch axis.
  int place() const;
  /// Operand `i` with the batch axis at `place`; repeated along it if it has none.
  Array along(int i, int place) const;
  Array front(int i = 0) const { return along(i, 0); }
  /// Operand `i` with the batch axis in front if it has one.
  Array frontIfBatched(int i) const { return isBatched(i) ? front(i) : operand(i); }
  /// The next result; `axis` runs over the examples, -1: the same for all.
  void result(Array value, int axis = 0) {
    out.push_back(std::move(value));
    outAxes.push_back(axis);
  }
  std::vector<Array> out;
  std::vector<int> outAxes;
};
using BatchRule = void (*)(BatchCall &call);
/// Null where the record holds a sentence, and for region ops.
BatchRule batchRule(OpCode op);
/// Null: the ops that the composite is made of are batched.
BatchRule compositeBatchRule(CompositeId id);

} // namespace tenon
