//===- Shaping.h - what functions that move elements share -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For composites: each runs under the DoorScope of the function that the user called,
// whose name and arguments errors show.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/ops/Door.h"

namespace tenon::detail {

/// Says what is wrong with the call.
[[noreturn]] void refuse(const std::string &sentence, Location at);

/// The arrays; one at least, none of them empty handles.
std::vector<Array> toArrays(const Arrays &xs, Location at);
/// The same in one dtype.
std::vector<Array> toOneDtype(const Arrays &xs, Location at);
/// Two operands in one dtype; a number takes that of the array beside it, as in arithmetic.
std::pair<Array, Array> toPair(const Operand &x1, const Operand &x2);

/// The values of an array of integers or truth values that decide a size; none if they are not known here.
/// No op reads them: inside jit it would be recorded.
std::optional<std::vector<int64_t>> knownValues(const Array &x);
/// The elements of an array of real numbers, if they are known here.
std::optional<std::vector<double>> knownNumbers(const Array &x);
/// What is recorded contains a function of the user's at most so many times; it loops for more rounds.
inline constexpr size_t mostUnrolledRounds = 4;

/// A size that is computed: what no integer holds is an Error of the call.
template <class Compute>
Dim computedSize(Compute compute, Location at) {
  try {
    return compute();
  } catch (const Error &error) { // arithmetic on sizes, which knows no line
    throwOpError(opInfo(OpCode::reshape), {}, namedSentence("reshape", error.message()), at);
  }
}

/// One axis of x, from 0 on.
int axisOf(const Array &x, Axis axis, Location at);
/// Axes of an array of that rank, from 0 on, in the order given; none twice.
std::vector<int64_t> distinctAxes(std::span<const int64_t> axes, int rank, Location at);

/// What arrays of these shapes are broadcast to.
Shape broadcastOf(const std::vector<Array> &arrays, Location at);

/// Whether a size is known to be 0.
inline bool isNone(Dim size) { return size.is_static() && size.raw() == 0; }
/// A size as an array: i64, rank 0.
Array sizeOf(Dim size, Device device, Location at);

/// The dtype in which products of integers and bools are computed, i32 or i64: the low bits of products and sums are
/// the same in a wider dtype. Floats and complex numbers keep theirs.
Dtype productDtype(Dtype dtype);

/// Axes of two arrays, all from 0 on: those that are summed over, and those of the batch, in pairs.
struct DotAxes {
  std::span<const int64_t> axes1, axes2, batch1 = {}, batch2 = {};
};
/// The dtype in which products of arrays of dtype `operands` are computed where the result shall have dtype `wanted`:
/// the wider one of both, f32 of narrow floats, i32 or i64 of integers. f16 and bf16 are named where nothing else is
/// wanted: they are computed in f32 and rounded.
Dtype computedDtype(Dtype operands, Dtype wanted);
/// x as an operand of dot_general that computes in `computed`: narrow numbers that it widens itself stay.
Array toFactor(const Array &x, Dtype computed, Location at);
/// The op dot_general of two arrays of one dtype; `dtype`: of the result, which the op's shape rule allows.
Array dotGeneral(const Array &x1, const Array &x2, const DotAxes &axes, Dtype dtype, Location at);
/// The same of arrays of any one dtype; the result has that dtype, or `dtype`.
Array dotOf(const Array &x1, const Array &x2, const DotAxes &axes, Location at, std::optional<Dtype> dtype = {});

/// x[start:stop:step] along one axis; a stop of -1 of a negative step is past the first element.
Array partOf(const Array &x, int axis, Dim start, Dim stop, int64_t step = 1);
/// x with these axes last, in this order, behind the others.
Array withLast(const Array &x, std::span<const int64_t> axes);

} // namespace tenon::detail
