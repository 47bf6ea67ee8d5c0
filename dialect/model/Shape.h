//===- Shape.h - shape and dtype rules -----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule is a plain function from the types of the operands, the attributes
// and the signatures of the regions to the types of the results, or to the
// sentence that says what is wrong. The front door, inferReturnTypes and the
// verifier call the same function, so the sentence is the same everywhere.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include <tenon/device.h>

namespace tenon {

/// The greatest stride, dilation, padding and size of a window: they are multiplied and added.
inline constexpr int64_t mostPlaces = int64_t(1) << 31;

/// dtype, device and sizes of a value.
struct Type {
  Dtype dtype = Dtype::f32;
  Device device = Device::cpu;
  Shape shape;
  /// `f32[2, batch]`.
  std::string str() const;
  friend bool operator==(const Type &, const Type &) = default;
};

/// Inputs and outputs of a nested trace.
struct RegionType {
  std::vector<Type> inputs, outputs;
};

/// What a rule could not decide while sizes are symbols: `small <= large`. Where
/// that does not hold in the end, `sentence` says what is wrong.
struct Requirement {
  Dim small, large;
  std::string sentence;
};

struct ShapeCall {
  const OpInfo &info;
  std::span<const Type> operands;
  AttrWords attributes;
  std::span<const RegionType> regions;
  /// Takes what depends on the values of symbols, if anybody asks.
  std::vector<Requirement> *open = nullptr;
};

/// Whether small <= large can hold; what is undecided is added to call.open, with
/// what `sentence` returns.
template <class Sentence>
bool mayHold(const ShapeCall &call, Dim small, Dim large, Sentence &&sentence) {
  if (small.is_static() && large.is_static())
    return small.raw() <= large.raw();
  Always answer = provably_less_equal(small, large);
  if (answer == Always::unknown && call.open && !small.is_unknown() && !large.is_unknown())
    call.open->push_back({small, large, sentence()});
  return answer != Always::no;
}

/// Appends the result types; an error is returned as its sentence, without the
/// op's name ("inner dimensions must match, got 3 and 4"); "" is success.
using ShapeRule = std::string (*)(const ShapeCall &call, std::vector<Type> &results);

/// The rule of the op, found through the generated table.
ShapeRule shapeRule(OpCode code);

/// Checks what the record states (number of operands, dtypes, one device), then
/// runs the rule. The sentence of an error starts with "<op>: ".
std::string inferTypes(const ShapeCall &call, std::vector<Type> &results);

// Shared by rules, the front door and composites.
/// Whether the record names the dtype for operands: the sentence of the error, or "".
std::string checkDtype(const OpInfo &info, Dtype dtype);
/// Whether every value of `from` is one of `to`.
bool holds(Dtype to, Dtype from);
/// NumPy's promotion; mixed kinds go to the floating (or complex) one. A dtype that
/// only stores numbers stays: the caller refuses it.
Dtype promote(Dtype a, Dtype b);
/// The dtype of a sum or product over `dtype`.
Dtype sumDtype(Dtype dtype);
/// The dtype of the parts of a complex number, and of the number of such parts.
Dtype partDtype(Dtype dtype);
Dtype complexDtype(Dtype part);
/// The dtype of an elementwise op's result that follows from that of its operands, `dtype`.
Dtype resultDtype(const OpInfo &info, Dtype dtype);
/// NumPy's broadcasting; the sentence of the error, or "".
std::string broadcastShapes(const Shape &a, const Shape &b, Shape &out);
/// Whether these are sizes of a shape: the sentence of the error, or "".
std::string expectSizes(std::span<const Dim> dims);
/// Makes negative axes positive, refuses those out of range and repeated ones.
std::string normalizeAxes(std::span<const int64_t> axes, int rank, std::vector<int64_t> &out);

} // namespace tenon
