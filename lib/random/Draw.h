//===- Draw.h - what the functions of random.h share ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A public function checks what it is given with a Draw, then works with the
// functions on arrays below it. Their keys are u32[..., 2], a key for each draw.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/trace/Interpreter.h"

#include <tenon/ops.h>
#include <tenon/random.h>

namespace tenon::detail {

/// A public function at work: the frame with its name, its key, its parameters.
class Draw {
public:
  /// `frame` is "random.gamma".
  Draw(const char *frame, const Key &key, Location at, std::initializer_list<DoorArgument> arguments);

  const Array &key() const { return key_; }
  [[noreturn]] void refuse(const std::string &sentence) const;
  /// A dtype of floats that numbers are drawn in.
  Dtype expectFloating(Dtype dtype) const;
  Dtype expectInteger(Dtype dtype) const;
  /// The dtype given, or that of the parameters which are arrays.
  Dtype floating(std::optional<Dtype> dtype, std::initializer_list<const Operand *> parameters) const;
  /// Refuses a number outside of [low, high].
  void expectBetween(std::string_view name, const Operand &parameter, double low, double high) const;
  /// Refuses one below 0.
  void expectNotNegative(std::string_view name, const Operand &parameter) const;
  /// Refuses an empty Array.
  void expectArray(std::string_view name, const Operand &parameter) const;
  /// Refuses a shape with a size below 0.
  void expectSizes(const Shape &shape) const;
  /// A number or an array of real numbers as an array of `dtype`.
  Array parameter(std::string_view name, const Operand &parameter, Dtype dtype) const;
  /// The shape of a result: the one given, to which the parameters must broadcast, or what they broadcast to.
  Shape shapeOf(const Shape &given, std::initializer_list<Shape> parameters) const;

private:
  std::string name_;
  DoorScope scope_;
  Array key_;
  Location at_;
};

/// The number in `dtype`, in which it is rounded once.
double roundedTo(Dtype dtype, double number);
/// Of a dtype of floats: the distance from 1 to the next number, and the smallest normal number.
double epsilonOf(Dtype dtype);
double smallestOf(Dtype dtype);

/// `count` new keys of each key.
std::vector<Array> splitKeys(const Array &keys, int64_t count);
/// A key for each element of `shape`.
Array keysOf(const Array &keys, const Shape &shape);
/// Both words of the bits of each element.
std::pair<Array, Array> wordPairs(const Array &keys, const Shape &shape);
/// u8, u16, u32 or u64.
Array randomBits(const Array &keys, const Shape &shape, Dtype dtype);

/// [0, 1).
Array unitUniform(const Array &keys, const Shape &shape, Dtype dtype);
/// [low, high) between numbers.
Array uniformBetween(const Array &keys, const Shape &shape, Dtype dtype, double low, double high);
/// The same between arrays of `dtype`.
Array uniformBetween(const Array &keys, const Shape &shape, Dtype dtype, const Array &low, const Array &high);
Array standardNormal(const Array &keys, const Shape &shape, Dtype dtype);
Array standardGumbel(const Array &keys, const Shape &shape, Dtype dtype);
/// The words of Threefry-2x32 of one counter, as an array of two.
Array threefry(const Array &key, const Array &high, const Array &low);
/// 1 or -1.
Array randomSign(const Array &keys, const Shape &shape, Dtype dtype);
/// A gamma, or its logarithm, for each element of `a`, from a key of its own.
Array gammaOf(const Array &key, const Array &a, bool isLogarithm);

} // namespace tenon::detail
