//===- RegionBody.h - a user's function on its way to a region ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the doors of all region ops share: a function of trees becomes a trace, or
// runs as the C++ that it is; its arrays are compared with what the op wants.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/control/BodyStates.h"
#include "lib/trace/RegionOp.h"
#include "lib/tree/Arguments.h"

#include <tenon/control.h>

#include <optional>

namespace tenon {

/// What a body's result, or the first element of it, must be like but for its arrays.
struct Likeness {
  std::string what;
  detail::TreeRef tree;
  bool firstElement = false;
};

/// A branch, condition or step: a function of trees as one of arrays.
class RegionBody {
public:
  /// `arguments`: trees like the function's, whose arrays are the inputs.
  RegionBody(const detail::TreeFunction &function, std::span<const detail::TreeRef> arguments, Location at)
      : function_(function), arguments_(arguments, true), at_(at) {}

  /// Calls the user's function and lists the arrays of what it returns.
  void run(std::span<const Array> in, std::vector<Array> &out);

  /// What the function returned; its arrays are in the list that run has filled.
  detail::OwnedTree result;
  Likeness like = {};

private:
  void expectLikeness() const;

  const detail::TreeFunction &function_;
  detail::Arguments arguments_;
  Location at_;
};

/// Names its inputs, the first values, by the paths of the user's trees.
class NamedRecord final : public Record {
public:
  NamedRecord(std::string name, detail::LeafNames names, size_t inputs)
      : Record(std::move(name)), names_(names), inputs_(inputs) {}
  std::string path(const detail::Value *value) const override;

private:
  detail::LeafNames names_;
  size_t inputs_;
};

/// Records a body on inputs of these types; `names` has theirs. `states`: of a body that runs at most once.
Record::Result recordBody(const std::string &what, RegionBody &body, std::span<const Type> types,
                          detail::LeafNames names, Location at, BodyStates *states = nullptr);
/// Records a body that runs once and binds it as the one region of an op, whose operands are what it captures, then
/// the arrays `given`, of these types.
detail::OwnedTree bindBody(OpCode op, AttrWords attributes, const std::string &what, RegionBody &body,
                           std::span<const Array> given, std::span<const Type> types, detail::LeafNames names,
                           Location at);
/// The body's trace with what it captures as its first inputs.
TraceRef withCapturesInFront(const Record::Result &recorded, std::span<const Type> types);

/// The same with `captures` in front, among which are its own.
TraceRef withCapturesInFront(const Record::Result &recorded, std::span<const Type> types,
                             std::span<const Array> captures);
/// Adds what it captures, each array once.
void addCaptures(std::vector<Array> &captures, const Record::Result &recorded);

/// Whether bodies run as C++ here: nothing is recorded that they would be part of.
bool runsAsCpp();
/// Runs a body as the C++ that it is; the types of its results are in `types`.
std::vector<Array> runHere(const std::string &what, RegionBody &body, std::span<const Array> inputs,
                           std::vector<Type> &types, Location at);
/// The value of an array that has one here: a buffer, or what is differentiated
/// above one.
std::optional<Array> knownValue(const Array &array);

/// `number` as an array, if it is a C++ number.
Array arrayOf(const Operand &number);
std::vector<Type> typesOf(const std::string &what, std::span<const Array> arrays, detail::LeafNames names, Location at);
void appendValues(std::vector<detail::Value *> &values, std::span<const Array> arrays);
bool sameType(const Type &a, const Type &b);
/// A sentence for `what` (a carry, a result) named `path`.
std::string named(const std::string &what, const std::string &path);
/// A rank-0 bool, as `what` says.
void expectPredicate(const std::string &what, const Type &type, Location at);
/// The body returns each carry with the type it came with.
void expectCarries(const std::string &what, std::span<const Type> expected, std::span<const Type> results,
                   detail::LeafNames names, Location at);
/// `tree`, which is like the result of a body, with the arrays that an op gave.
detail::OwnedTree withArrays(detail::OwnedTree tree, std::span<const Array> arrays);

} // namespace tenon
