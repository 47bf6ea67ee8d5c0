//===- Door.h - what the front doors of ops share --------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A front door turns what the user wrote into operands and attributes as the
// op's record wants them: numbers become arrays, dtypes are promoted, shapes
// broadcast, axes made positive. Then it infers and binds.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/array/Buffer.h"
#include "lib/trace/CapturedHandles.h"
#include "lib/trace/Interpreter.h"

#include <tenon/ops.h>

namespace tenon::detail {

/// The door of elementwise ops: promotion and broadcasting as the record says.
/// Eager arrays and numbers go to the kernel in one step.
Array elementwise(OpCode op, std::initializer_list<const Operand *> operands);

/// The operand as an array; a number becomes rank 0 of its default dtype, or of
/// `dtype`, on `device`. An Operand that holds nothing is an Error that names the op.
Array toArray(const Operand &operand, OpCode op, std::optional<Dtype> dtype = {}, Device device = Device::cpu);

/// The elementwise op of operands whose common dtype, `dtype`, is complex, which the op does not
/// take: real ops on their parts that make it. An empty Array where there is no such function.
Array complexForm(OpCode op, std::span<const Operand *const> operands, Dtype dtype, Location at);
/// The same of a sum or product over ascending axes, and of a running one.
Array complexReduction(OpCode op, const Array &x, const std::vector<int64_t> &axes, bool keepdims, Location at);
Array complexCumulation(OpCode op, const Array &x, int64_t axis, Location at);
inline bool isComplex(const Array &x) { return kind(x.dtype()) == Kind::complex; }
/// complex(part(real(x)), part(imag(x))).
template <class F>
Array ofParts(const Array &x, F &&part) {
  return complex(part(real(x)), part(imag(x)));
}

/// Throws if these are truth values and a number.
void refuseChain(const char *op, const Operand &x1, const Operand &x2);
/// Refuses to order truth values and a number: what `0 < x < 2` would do.
inline void expectNoChain(const char *op, const Operand &x1, const Operand &x2) {
  if (x1.is_scalar() || x2.is_scalar())
    refuseChain(op, x1, x2);
}

/// A buffer for what an op makes. Refused memory is an Error of the function that was called.
[[noreturn]] void throwRefused(OpCode op, const Error &error, Location at);
inline Value *makeResult(OpCode op, Dtype dtype, std::span<const Dim> dims, Device device, Location at) {
  try {
    return makeBuffer(dtype, dims, device);
  } catch (const Error &error) { // which knows neither the function nor its line
    throwRefused(op, error, at);
  }
}

/// x as `dtype`; itself if it is that already.
Array convert(const Array &x, Dtype dtype, Location at);
/// x as `shape`; itself if it is that already.
Array broadcast(const Array &x, const Shape &shape, Location at);
/// Integers and bools as f32, as ops on floating dtypes want them.
Dtype floatingDtype(Dtype dtype);

/// A number as an attribute of an op that makes `dtype`; one that this does not hold is an
/// Error that names the function.
ScalarAttr fittingScalar(std::string_view function, Scalar value, Dtype dtype, Location at);

/// 0, step, 2 * step, ...: `count` integers.
Array iota(Dim count, Dtype dtype, Device device, Location at, int64_t step = 1);

/// One axis of an array of `rank`, negative ones made positive.
int64_t normalizeAxis(OpCode op, const Array &x, int64_t axis, Location at);
/// The axes given, or all; ascending.
std::vector<int64_t> normalizeAxisList(OpCode op, const Array &x, const Ints &axes, Location at);

/// A reduction over the axes given, or all.
Array reduce(OpCode op, const Operand &x, const Ints &axes, bool keepdims);
/// The same of truth values: what is not bool counts as x != 0.
Array reduceTruths(OpCode op, const Operand &x, const Ints &axes, bool keepdims);

/// A running sum or one of its kin along an axis >= 0.
Array cumulate(OpCode op, const Array &x, int64_t axis, Location at);

/// Integers in the dtypes that indices have: i32 or i64. Those that no i64 holds become
/// the largest, which is outside as well.
Array toIndices(Array indices, OpCode op, Location at);
/// What x has at `places` (i32 or i64) along an axis >= 0, at the same place along the others, which have x's sizes.
Array alongAxis(const Array &x, const Array &places, int axis, IndexMode mode);
/// What is written into x: of its dtype, or one that it holds.
Array toUpdates(const Operand &operand, OpCode op, const Array &x);

/// A scatter of whatever kind; the rest is as the record says.
Array scatterWindows(OpCode op, const Operand &x, const Operand &indices, const Operand &updates,
                     const Ints &windowDims, const Ints &insertedDims, const Ints &indexMap, const Ints &batchingDims,
                     const Ints &indicesBatchingDims, IndexMode mode);

/// Attributes of an op as words: `attributes(SumAttrs{axes, false})`.
template <class Attrs>
struct Words {
  AttrWriter writer;
  explicit Words(const Attrs &attrs) { attrs.write(writer); }
  operator AttrWords() const { return writer.words(); }
};

/// bindOne on Arrays.
inline Array apply(OpCode op, std::initializer_list<Value *> operands, AttrWords words, Location at) {
  return bindOne(op, {operands.begin(), operands.size()}, words, at);
}

/// The same for any number of results.
inline std::vector<Array> applyAll(OpCode op, std::initializer_list<Value *> operands, AttrWords words, Location at) {
  return bindInferred(op, {operands.begin(), operands.size()}, words, {}, at);
}

} // namespace tenon::detail
