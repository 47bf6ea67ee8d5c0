//===- Polynomials.cpp - of coefficients, the highest power first ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

#include <tuple>

using namespace tenon;
using namespace tenon::detail;

/// Narrow floats are computed in f32 and rounded once.
static Dtype wideOf(Dtype dtype) { return is_narrow(dtype) && !is_storage(dtype) ? Dtype::f32 : dtype; }

static void expectCoefficients(const Array &p, Location at) {
  if (p.ndim() != 1 || p.shape()[0].raw() == 0 || p.dtype() == Dtype::bool_)
    refuse("expected coefficients, numbers of rank 1 and one at least, got " + describe(p.dtype(), p.shape()), at);
}

namespace {
/// Two polynomials in one dtype.
struct Pair {
  Array a, b;
  Dtype dtype;
  Location at;
  Pair(const Operand &p1, const Operand &p2) : at(p1.location()) {
    std::tie(a, b) = toPair(p1, p2);
    dtype = a.dtype();
    for (Array *p : {&a, &b}) {
      expectCoefficients(*p, at);
      *p = convert(*p, wideOf(dtype), at);
    }
  }
  /// Gives both as many coefficients, zeros in front.
  void align() {
    const Dim first = a.shape()[0], second = b.shape()[0];
    const bool isShorter = provably_less_equal(first, second) == Always::yes;
    if (!isShorter && provably_less_equal(second, first) != Always::yes)
      refuse("expected sizes of which it is known which one is smaller, got " + first.str() + " and " + second.str(),
             at);
    Array &shorter = isShorter ? a : b;
    shorter = pad(shorter, false, {isShorter ? second - first : first - second}, {0});
  }
};
} // namespace

Array tenon::polyadd(const Operand &p1, const Operand &p2) {
  DoorScope scope("polyadd", p1.location(), {{"p1", p1}, {"p2", p2}});
  Pair p(p1, p2);
  p.align();
  return convert(p.a + p.b, p.dtype, p.at);
}

Array tenon::polysub(const Operand &p1, const Operand &p2) {
  DoorScope scope("polysub", p1.location(), {{"p1", p1}, {"p2", p2}});
  Pair p(p1, p2);
  p.align();
  return convert(p.a - p.b, p.dtype, p.at);
}

/// The sums of the products whose places add up to 0, 1, ...
static Array convolved(const Array &a, const Array &b) {
  const Dim rows = a.shape()[0], length = b.shape()[0];
  // Each row is one longer than the sum has elements: without the last of all, each begins one further right.
  const Array products = pad(reshape(a, {rows, 1}) * b, false, {0, 0}, {0, rows});
  const Dim width = rows + length - 1;
  return sum(reshape(slice(reshape(products, {rows * (width + 1)}), {0}, {rows * width}), {rows, width}), 0);
}

Array tenon::polymul(const Operand &p1, const Operand &p2) {
  DoorScope scope("polymul", p1.location(), {{"p1", p1}, {"p2", p2}});
  const Pair p(p1, p2);
  return convert(convolved(p.a, p.b), p.dtype, p.at);
}

/// Each of as many times an array is made.
static void expectFew(int m, Location at) {
  constexpr int most = 1 << 12;
  if (m > most)
    refuse("expected an m of at most " + std::to_string(most) + ", got " + std::to_string(m), at);
}

Array tenon::polyder(const Operand &operand, int m) {
  const Location at = operand.location();
  DoorScope scope("polyder", at, {{"p", operand}});
  if (m < 0)
    refuse("expected m >= 0, got " + std::to_string(m), at);
  const Array given = toArray(operand, OpCode::multiply);
  expectCoefficients(given, at);
  Array p = convert(given, wideOf(given.dtype()), at);
  if (const Dim size = p.shape()[0]; size.is_static() && size.raw() <= m)
    return convert(partOf(p, 0, 0, 0), given.dtype(), at);
  expectFew(m, at);
  for (int i = 0; i < m; ++i) {
    const Dim size = p.shape()[0];
    const Array powers = flip(iota(size - 1, Dtype::i64, p.device(), at) + 1);
    p = partOf(p, 0, 0, size - 1) * convert(powers, p.dtype(), at);
  }
  return convert(p, given.dtype(), at);
}

Array tenon::polyint(const Operand &operand, int m, const Operand &k) {
  const Location at = operand.location();
  DoorScope scope("polyint", at, {{"p", operand}, {"k", k}});
  if (m < 0)
    refuse("expected m >= 0, got " + std::to_string(m), at);
  expectFew(m, at);
  const Floats floats("polyint", {&operand, &k}, Dtype::f32, OpCode::divide);
  Array p = floats[0], constants = floats[1];
  expectCoefficients(p, at);
  if (constants.ndim() > 1 ||
      (constants.ndim() == 1 && constants.shape()[0].raw() != 1 && constants.shape()[0].raw() != m))
    refuse("expected one constant or " + std::to_string(m) + ", got " + describe(constants.dtype(), constants.shape()),
           at);
  constants = broadcast(constants, {m}, at);
  for (int i = 0; i < m; ++i) {
    const Array powers = flip(iota(p.shape()[0], Dtype::i64, p.device(), at) + 1);
    p = concatenate({p / convert(powers, p.dtype(), at), partOf(constants, 0, i, i + 1)}, 0, at);
  }
  return floats.rounded(p);
}

Array tenon::poly(const Operand &operand) {
  const Location at = operand.location();
  DoorScope scope("poly", at, {{"roots", operand}});
  const Array roots = toArray(operand, OpCode::multiply);
  if (roots.ndim() != 1 || roots.dtype() == Dtype::bool_)
    refuse("expected roots, numbers of rank 1, got " + describe(roots.dtype(), roots.shape()), at);
  const Array wide = convert(roots, wideOf(roots.dtype()), at);
  const Array zero = full({1}, false, wide.dtype(), wide.device(), at);
  Array p = full({1}, true, wide.dtype(), wide.device(), at);
  for (const Array &root : unstack(wide))
    p = concatenate({p, zero}, 0, at) - concatenate({zero, root * p}, 0, at);
  return convert(p, roots.dtype(), at);
}

Array tenon::vander(const Operand &operand, std::optional<int> columns, bool increasing) {
  const Location at = operand.location();
  DoorScope scope("vander", at, {{"x", operand}});
  const Array x = toArray(operand, OpCode::cumulative_prod);
  if (x.ndim() != 1)
    refuse("expected an array of rank 1, got " + describe(x.dtype(), x.shape()), at);
  const Dim rows = x.shape()[0], count = columns ? Dim(*columns) : rows;
  if (count.is_static() && count.raw() < 0)
    refuse("expected columns >= 0, got " + count.str(), at);
  if (isNone(count))
    return partOf(cumulative_prod(reshape(x, {rows, 1}), Axis(1)), 1, 0, 0);
  const Array one = full({rows, 1}, true, x.dtype(), x.device(), at);
  const Array powers = broadcast(reshape(x, {rows, 1}), {rows, count - 1}, at);
  const Array increased = cumulative_prod(concatenate({one, powers}, 1, at), Axis(1));
  return increasing ? increased : flip(increased, 1);
}
