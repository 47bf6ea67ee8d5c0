//===- CommonDivisors.cpp - gcd and lcm, by a loop -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Shaping.h"

#include <tenon/control.h>

#include <utility>

using namespace tenon;
using namespace tenon::detail;

namespace {

/// The absolute values of two integer arrays, in the unsigned dtype of their size, which holds all of them.
struct Magnitudes {
  Array x1, x2;
  Dtype dtype; ///< of the operands, and of the result

  Magnitudes(const Operand &first, const Operand &second) {
    const Location at = first.location();
    const auto [a, b] = toPair(first, second);
    dtype = a.dtype();
    if (kind(dtype) != Kind::integer)
      refuse("expected integers, got " + describe(a.dtype(), a.shape()) + " and " + describe(b.dtype(), b.shape()), at);
    const Shape shape = broadcastOf({a, b}, at);
    x1 = broadcast(magnitude(a, at), shape, at);
    x2 = broadcast(magnitude(b, at), shape, at);
  }

private:
  static Dtype unsignedDtype(Dtype dtype) {
    switch (item_size(dtype)) {
    case 1:
      return Dtype::u8;
    case 2:
      return Dtype::u16;
    case 4:
      return Dtype::u32;
    default:
      return Dtype::u64;
    }
  }
  static Array magnitude(const Array &x, Location at) { return convert(abs(x), unsignedDtype(x.dtype()), at); }
};

} // namespace

/// Euclid's algorithm. The larger number at least halves in two rounds, so that it ends.
static Array divisorOf(const Magnitudes &numbers, Location at) {
  using Pair = std::pair<Array, Array>;
  const auto goesOn = [](const Pair &now) { return any(now.second != 0); };
  const auto round = [](const Pair &now) -> Pair {
    // Elements that are done stay; x % 0 is 0.
    return {where(now.second == 0, now.first, now.second), remainder(now.first, now.second)};
  };
  return while_loop(goesOn, round, Pair(numbers.x1, numbers.x2), {}, at).first;
}

Array tenon::gcd(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("gcd", at, {{"x1", x1}, {"x2", x2}});
  const Magnitudes numbers(x1, x2);
  return convert(divisorOf(numbers, at), numbers.dtype, at);
}

Array tenon::lcm(const Operand &x1, const Operand &x2) {
  const Location at = x1.location();
  DoorScope scope("lcm", at, {{"x1", x1}, {"x2", x2}});
  const Magnitudes numbers(x1, x2);
  // 0 / 0 is 0, where both numbers are 0.
  return convert(floor_divide(numbers.x1, divisorOf(numbers, at)) * numbers.x2, numbers.dtype, at);
}
