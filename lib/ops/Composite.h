//===- Composite.h - composites as one op, and what stands for them ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The region of the op `composite` says what it computes. Kernels and rules are
// registered for names, and stand for one region alone: the decomposition that
// this build records for the name, the attributes and the types of the operands.
// A composite of that name with another region, which a trace from elsewhere may
// hold, is that region.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Composite.h"
#include "lib/trace/Interpreter.h"

namespace tenon {

/// The ops that a composite is: decompose<Stem> in lib/ops, of one result or of several.
/// The attributes may be anything that has their kinds; those that no front door writes
/// are an Error.
class Decompose {
public:
  using One = Array (*)(std::span<const Array> operands, AttrWords attributes);
  using Several = std::vector<Array> (*)(std::span<const Array> operands, AttrWords attributes);
  constexpr Decompose(One one) : one_(one) {}
  constexpr Decompose(Several several) : several_(several) {}
  std::vector<Array> operator()(std::span<const Array> operands, AttrWords attributes) const {
    return one_ ? std::vector<Array>{one_(operands, attributes)} : several_(operands, attributes);
  }

private:
  One one_ = nullptr;
  Several several_ = nullptr;
};

/// The registered composite that `bind`, an op `composite`, is by its name and its
/// region; null: none, the region alone says what it is.
const CompositeInfo *registeredComposite(const Bind &bind);

/// Binds the ops of the first region of `bind`, an op `composite` or one with rules, in its place.
void openComposite(const Bind &bind, std::span<Array> results);

namespace detail {

/// Binds a registered composite on operands and attributes that its front door has
/// checked. What it is made of is recorded once for the types of the operands.
Array bindComposite(CompositeId id, std::initializer_list<Value *> operands, AttrWords attributes, Location at);
/// The same of one with several results.
std::vector<Array> bindCompositeResults(CompositeId id, std::initializer_list<Value *> operands, AttrWords attributes,
                                        Location at);

/// Whether a decomposition is recorded as for sizes of which nothing is known: what a
/// trace holds that was recorded for expressions of symbols.
bool sizesAreUnknown();

/// How many decompositions were recorded in this process: for tests.
uint64_t decompositionsMade();

} // namespace detail
} // namespace tenon
