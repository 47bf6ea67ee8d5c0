//===- Floats.h - the operands of functions that are made of others --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is made of several ops on floats computes narrow ones in f32 and
// rounds once, at its end: rounded op by op they would lose what they have. What is
// here is called inside of the function's DoorScope, whose name is in the errors.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/ops/Door.h"

namespace tenon::detail {

/// Throws the sentence `function: problem` with what the user gave the function that
/// was called, which has its name there.
[[noreturn]] void refuse(std::string_view function, const std::string &problem, Location at);
/// Throws: `value` is no value of the enum `type`.
[[noreturn]] void refuseMode(std::string_view function, std::string_view type, int value, Location at);
/// Refuses a number that is no value of the enum, which only a cast can make.
template <class Mode>
void expectMode(std::string_view function, std::string_view type, Mode mode, Location at) {
  if (name(mode).empty())
    refuseMode(function, type, static_cast<int>(mode), at);
}

/// The operands as arrays of one dtype, not broadcast: arrays promote, and numbers take
/// their dtype or, of a higher kind, join them, as beside any op. An operand that is left
/// out stays an empty Array.
std::vector<Array> promoted(std::string_view function, std::initializer_list<const Operand *> operands);

/// The same as floats of one dtype, f32 or wider; integers and bools as `ofIntegers`.
/// What `like` does not take is an Error: complex numbers, unless it names an op of them,
/// and floats that are only for storage.
class Floats {
public:
  Floats(std::string_view function, std::initializer_list<const Operand *> operands, Dtype ofIntegers = Dtype::f32,
         OpCode like = OpCode::exp);
  const Array &operator[](size_t i) const { return arrays_[i]; }
  /// That of the function's result.
  Dtype dtype() const { return dtype_; }
  /// What came of them in the dtype of the function's result, theirs.
  Array rounded(const Array &result) const;

private:
  std::vector<Array> arrays_;
  Dtype dtype_;
  Location at_;
};

/// The dtype in which a function on several ops computes floats of `dtype`: f32 for f16 and bf16.
inline Dtype wideDtype(Dtype dtype) { return is_narrow(dtype) ? Dtype::f32 : dtype; }

/// The dtype in which the scatter `op` combines elements of x with updates at `indices`, of which the last axis is one
/// position: f32 for sums and products of f16 and bf16. A single update is rounded once in any case.
Dtype scatteredIn(OpCode op, const Array &x, const Array &indices);

/// A function of one float.
template <class F>
Array ofFloat(const char *function, const Operand &x, F &&compute) {
  DoorScope scope(function, x.location(), {{"x", x}});
  const Floats floats(function, {&x});
  return floats.rounded(compute(floats[0]));
}

/// A reduction of floats: `compute` takes them and the axes.
template <class F>
Array ofFloatAxes(const char *function, const Operand &operand, const Ints &axes, F &&compute) {
  DoorScope scope(function, operand.location(), {{"x", operand}});
  const Floats floats(function, {&operand});
  return floats.rounded(compute(floats[0], normalizeAxisList(OpCode::sum, floats[0], axes, operand.location())));
}

/// A function of two floats, x1 and x2.
template <class F>
Array ofFloats(const char *function, const Operand &x1, const Operand &x2, F &&compute) {
  DoorScope scope(function, x1.location(), {{"x1", x1}, {"x2", x2}});
  const Floats floats(function, {&x1, &x2});
  return floats.rounded(compute(floats[0], floats[1]));
}

/// The root of what is not negative; of 0 its derivative is 0.
Array rootOf(const Array &x);

/// start + weight * (end - start) from the nearer one: exact at 0 and 1, and where both
/// are one infinity. A distance that no float holds is never made.
Array between(const Array &start, const Array &end, const Array &weight);

/// pow of integers, in their common dtype; the product wraps around. A negative exponent is an Error as in NumPy; one
/// that is unknown here, inside jit and vmap, gives the power rounded to 0.
Array powerOfIntegers(const Operand &x1, const Operand &x2);

/// nextafter of f16 or bf16, which the op does not take, in `dtype`.
Array narrowNextafter(const Operand &x1, const Operand &x2, Dtype dtype);

/// `num` numbers at equal distances from start to stop, along a new axis in front, as numpy.linspace. With `endpoint`
/// the last one is `stop` itself, without it the one behind the last would be.
Array spaced(const Array &start, const Array &stop, int64_t num, bool endpoint, Location at);

/// How many elements of the ascending `sorted`, of rank 1, stand before each of `x`, of
/// the same dtype: i64. Those that are less; if `isRight` those that are not greater.
Array placesIn(const Array &sorted, const Array &x, bool isRight);

} // namespace tenon::detail
