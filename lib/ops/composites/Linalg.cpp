//===- Linalg.cpp - linear algebra, composed --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Linalg.h"
#include "lib/base/Describe.h"
#include "lib/ops/Composite.h"
#include "lib/ops/composites/Composites.h"

#include <cmath>

namespace tenon {
#include "lib/ops/Decompositions.gen.inc"
} // namespace tenon

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// What functions of matrices share
//===----------------------------------------------------------------------===//

void detail::expectMatrices(const Array &x, Location at) {
  if (x.ndim() < 2)
    refuse("expected an array of rank 2 or more, got " + describe(x.dtype(), x.shape()), at);
}

void detail::expectSquare(const Array &x, Location at) {
  expectMatrices(x, at);
  if (provably_equal(rowsOf(x), columnsOf(x)) != Always::yes)
    refuse("expected square matrices, got " + describe(x.dtype(), x.shape()), at);
}

Shape detail::leading(const Array &x, int rank) {
  Shape shape;
  for (int i = 0; i < x.ndim() - rank; ++i)
    shape.push_back(x.shape()[i]);
  return shape;
}

Shape detail::with(Shape shape, std::initializer_list<Dim> sizes) {
  for (Dim size : sizes)
    shape.push_back(size);
  return shape;
}

Array detail::conjugate(const Array &x) { return isComplex(x) ? conj(x) : x; }
Array detail::adjoint(const Array &x) { return conjugate(matrix_transpose(x)); }
Array detail::asColumn(const Array &x) { return expand_dims(x, {-1}); }
Array detail::asVector(const Array &x) { return reshape(x, leading(x, 1)); }
Array detail::diagonalOf(const Array &x) { return diagonal(x, 0, -2, -1); }

Array detail::identityLike(const Array &x, Dim rows, std::optional<Dim> columns) {
  return eye(rows, columns, 0, x.dtype(), x.device());
}

Array detail::diagonalMatrix(const Array &vectors) {
  const Array isDiagonal = eye(vectors.shape()[-1], {}, 0, Dtype::bool_, vectors.device());
  return where(isDiagonal, expand_dims(vectors, {-2}), 0);
}

std::pair<Array, Array> detail::broadcastBatches(const Array &a, const Array &b, Location at) {
  Shape batch;
  if (std::string error = broadcastShapes(leading(a, 2), leading(b, 2), batch); !error.empty())
    refuse("batch " + error, at);
  return {broadcast(a, with(batch, {rowsOf(a), columnsOf(a)}), at),
          broadcast(b, with(batch, {rowsOf(b), columnsOf(b)}), at)};
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

/// The rows of matrices in the order of `places`, one list for each matrix.
static Array rowsAt(const Array &x, const Array &places, Location at) {
  return take_along_axis(x, broadcast(asColumn(places), x.shape(), at), -2);
}

Array detail::solveFactored(const Array &lu, const Array &permutation, const Array &b, bool transposed, Location at) {
  if (!transposed)
    return triangularSolve(lu, triangularSolve(lu, rowsAt(b, permutation, at), true, false, true, at), false, false,
                           false, at);
  const Array x = triangularSolve(lu, triangularSolve(lu, b, false, true, false, at), true, true, true, at);
  return rowsAt(x, argsort(permutation, -1), at);
}

Array detail::solveMatrices(const Array &a, const Array &b, Location at) {
  const LUFactorResult factors = luFactor(a, at);
  return solveFactored(factors.LU, factors.permutation, b, false, at);
}

/// b as matrices beside those of a: a single axis is a column.
static std::pair<Array, Array> equation(const Array &a, const Array &b, bool isVector, Location at) {
  expectSquare(a, at);
  const Array right = isVector ? asColumn(b) : b;
  if (right.ndim() < 2)
    refuse("expected b of rank 1 or more, got a number", at);
  if (provably_equal(columnsOf(a), rowsOf(right)) != Always::yes)
    refuse("expected b with as many rows as a has, " + columnsOf(a).str() + ", got " + describe(b.dtype(), b.shape()),
           at);
  return broadcastBatches(a, right, at);
}

Array tenon::linalg::solve(const Operand &a, const Operand &b) {
  const Location at = a.location();
  DoorScope scope("solve", at, {{"a", a}, {"b", b}});
  const MatrixFloats floats("solve", {&a, &b});
  const bool isVector = floats[1].ndim() == 1;
  const auto [matrices, right] = equation(floats[0], floats[1], isVector, at);
  const Array x = solveMatrices(matrices, right, at);
  return isVector ? asVector(x) : x;
}

/// The inverse of matrices of f32 or wider.
static Array inverseOf(const Array &x, Location at) {
  expectSquare(x, at);
  return solveMatrices(x, broadcast(identityLike(x, rowsOf(x)), x.shape(), at), at);
}

Array tenon::linalg::inv(const Operand &x) {
  DoorScope scope("inv", x.location(), {{"x", x}});
  const MatrixFloats floats("inv", {&x});
  return inverseOf(floats[0], x.location());
}

LUResult tenon::linalg::lu(const Operand &x) {
  const Location at = x.location();
  DoorScope scope("lu", at, {{"x", x}});
  const MatrixFloats floats("lu", {&x});
  const auto [packed, pivots, permutation] = luFactor(floats[0], at);
  const Dim least = pivots.shape()[-1], rows = rowsOf(packed);
  const Array lower = tril(partOf(packed, packed.ndim() - 1, 0, least), -1) + identityLike(packed, rows, least);
  const Array upper = triu(partOf(packed, packed.ndim() - 2, 0, least));
  // Row permutation[i] of x is row i of L @ U.
  const Array numbers = iota(rows, Dtype::i32, packed.device(), at);
  const Array p = astype(equal(asColumn(numbers), expand_dims(permutation, {-2})), packed.dtype());
  return {p, lower, upper};
}

Array tenon::linalg::lu_solve(const Operand &lu, const Operand &pivots, const Operand &b, bool transposeA) {
  const Location at = lu.location();
  DoorScope scope("lu_solve", at, {{"lu", lu}, {"pivots", pivots}, {"b", b}});
  const MatrixFloats floats("lu_solve", {&lu, &b});
  const Array exchanged = toArray(pivots, OpCode::pivots_to_permutation, {}, floats[0].device());
  if (kind(exchanged.dtype()) != Kind::integer)
    refuse("expected integers as pivots, got " + describe(exchanged.dtype(), exchanged.shape()), at);
  const bool isVector = floats[1].ndim() == 1;
  const auto [matrices, right] = equation(floats[0], floats[1], isVector, at);
  if (exchanged.ndim() < 1 || provably_equal(exchanged.shape()[-1], rowsOf(matrices)) != Always::yes)
    refuse("expected a pivot for each row of lu, got " + describe(exchanged.dtype(), exchanged.shape()), at);
  const Array permutation = applyToMatrix(OpCode::pivots_to_permutation, convert(exchanged, Dtype::i32, at), at);
  const Array x = solveFactored(matrices, broadcast(permutation, with(leading(matrices, 2), {rowsOf(matrices)}), at),
                                right, transposeA, at);
  return isVector ? asVector(x) : x;
}

Array tenon::linalg::cholesky_solve(const Operand &b, const Operand &L, bool upper) {
  const Location at = b.location();
  DoorScope scope("cholesky_solve", at, {{"b", b}, {"L", L}});
  const MatrixFloats floats("cholesky_solve", {&b, &L});
  const bool isVector = floats[0].ndim() == 1;
  const auto [factor, right] = equation(floats[1], floats[0], isVector, at);
  // L @ L^H or U^H @ U.
  const Array conjugated = conjugate(factor);
  const Array half = upper ? triangularSolve(conjugated, right, false, true, false, at)
                           : triangularSolve(factor, right, true, false, false, at);
  const Array x = upper ? triangularSolve(factor, half, false, false, false, at)
                        : triangularSolve(conjugated, half, true, true, false, at);
  return isVector ? asVector(x) : x;
}

//===----------------------------------------------------------------------===//
// Determinants and powers
//===----------------------------------------------------------------------===//

/// 1 or -1: whether the row exchanges are even in number.
static Array parityOf(const Array &pivots, Dtype dtype, Location at) {
  const Array numbers = iota(pivots.shape()[-1], Dtype::i32, pivots.device(), at);
  const Array count = sum(astype(not_equal(pivots, numbers), Dtype::i32), {-1});
  return astype(1 - 2 * remainder(count, 2), dtype);
}

Array tenon::decomposeDet(std::span<const Array> operands, AttrWords) {
  expectSquare(operands[0], {});
  const LUFactorResult factors = luFactor(operands[0], {});
  return prod(diagonalOf(factors.LU), {-1}) * parityOf(factors.pivots, operands[0].dtype(), {});
}

Array tenon::linalg::det(const Operand &x) {
  DoorScope scope("det", x.location(), {{"x", x}});
  const MatrixFloats floats("det", {&x});
  expectSquare(floats[0], x.location());
  return bindComposite(CompositeId::det, {floats[0].value()}, {}, x.location());
}

SlogdetResult tenon::linalg::slogdet(const Operand &x) {
  const Location at = x.location();
  DoorScope scope("slogdet", at, {{"x", x}});
  const MatrixFloats floats("slogdet", {&x});
  expectSquare(floats[0], at);
  const LUFactorResult factors = luFactor(floats[0], at);
  const Array elements = diagonalOf(factors.LU), sizes = abs(elements);
  const Array signs = isComplex(elements) ? elements / where(sizes == 0, 1, sizes) : sign(elements);
  const Array product = prod(signs, {-1}) * parityOf(factors.pivots, elements.dtype(), at);
  return {where(product == 0, 0, product), sum(log(sizes), {-1})};
}

Array tenon::linalg::matrix_power(const Operand &operand, int n) {
  const Location at = operand.location();
  DoorScope scope("matrix_power", at, {{"x", operand}});
  const auto power = [&](Array base, unsigned exponent) {
    expectSquare(base, at);
    Array result;
    for (; exponent; exponent >>= 1) {
      if (exponent & 1)
        result = result.has_value() ? matmul(result, base) : base;
      if (exponent > 1)
        base = matmul(base, base);
    }
    return result.has_value() ? result : broadcast(identityLike(base, rowsOf(base)), base.shape(), at);
  };
  const Array given = toArray(operand, OpCode::cholesky);
  if (n >= 0 && kind(given.dtype()) == Kind::integer)
    return power(given, static_cast<unsigned>(n));
  const MatrixFloats floats("matrix_power", {&operand});
  const unsigned size = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  return power(n < 0 ? inverseOf(floats[0], at) : floats[0], size);
}

Array tenon::linalg::check(const Operand &x) {
  DoorScope scope("check", x.location(), {{"x", x}});
  const Array array = toArray(x, OpCode::isfinite);
  tenon::check(all(isfinite(array)), "linalg::check: expected finite numbers: a matrix is singular, or not positive "
                                     "definite, or has NaN or infinity");
  return array;
}

//===----------------------------------------------------------------------===//
// From singular values
//===----------------------------------------------------------------------===//

Array detail::cutoffOf(const Array &x, const Array &s, double rtol, Location at) {
  const Array largest = max(neverEmpty(s, std::vector<int64_t>{s.ndim() - 1}, 0), {-1}, true);
  if (rtol >= 0)
    return largest * rtol;
  const double epsilon = s.dtype() == Dtype::f64 ? 0x1p-52 : 0x1p-23;
  const Dim rows = rowsOf(x), columns = columnsOf(x);
  if (rows.is_static() && columns.is_static())
    return largest * (epsilon * static_cast<double>(std::max(rows.raw(), columns.raw())));
  const Array size = maximum(sizeOf(rows, x.device(), at), sizeOf(columns, x.device(), at));
  return largest * (astype(size, s.dtype()) * epsilon);
}

/// The reciprocals of the values above the cutoff, 0 for the others; NaN stays.
static Array reciprocalsOf(const Array &s, const Array &cutoff) {
  const Array isZero = s <= cutoff;
  return where(isZero, 0, 1 / where(isZero, 1, s));
}

/// A tolerance as the user gives it.
static double toleranceOf(std::optional<double> rtol, Location at) {
  if (rtol && !(*rtol >= 0))
    refuse("expected an rtol of 0 or more, got " + Scalar(*rtol).str(), at);
  return rtol.value_or(-1);
}

Array tenon::decomposePinv(std::span<const Array> operands, AttrWords attributes) {
  const Array &x = operands[0];
  const ScalarAttr rtol = PinvAttrs::read(attributes).rtol;
  if (rtol.kind != Kind::floating || x.ndim() < 2)
    throw Error("expected matrices and a floating rtol");
  const auto [U, S, Vh] = detail::svd(x, false, {});
  const Array inverse = reciprocalsOf(S, cutoffOf(x, S, rtol.asDouble(), {}));
  return matmul(adjoint(Vh) * expand_dims(inverse, {-2}), adjoint(U));
}

Array tenon::linalg::pinv(const Operand &x, std::optional<double> rtol) {
  const Location at = x.location();
  DoorScope scope("pinv", at, {{"x", x}});
  const MatrixFloats floats("pinv", {&x});
  expectMatrices(floats[0], at);
  return bindComposite(CompositeId::pinv, {floats[0].value()},
                       Words(PinvAttrs{ScalarAttr::floating(toleranceOf(rtol, at))}), at);
}

Array tenon::linalg::matrix_rank(const Operand &x, std::optional<double> rtol) {
  const Location at = x.location();
  DoorScope scope("matrix_rank", at, {{"x", x}});
  const MatrixFloats floats("matrix_rank", {&x});
  expectMatrices(floats[0], at);
  const Array s = applyToMatrix(OpCode::svdvals, floats[0], at);
  return sum(astype(s > cutoffOf(floats[0], s, toleranceOf(rtol, at), at), Dtype::i64), {-1});
}

Array tenon::linalg::cond(const Operand &x, MatrixNorm ord) {
  const Location at = x.location();
  DoorScope scope("cond", at, {{"x", x}});
  const MatrixFloats floats("cond", {&x});
  expectMode("cond", "MatrixNorm", ord, at);
  expectMatrices(floats[0], at);
  if (ord != MatrixNorm::spectral && ord != MatrixNorm::minus_spectral) {
    const Array product = matrix_norm(floats[0], false, ord) * matrix_norm(inverseOf(floats[0], at), false, ord);
    const Array isGiven = any(isnan(floats[0]), {-2, -1});
    return where(isnan(product) && !isGiven, INFINITY, product);
  }
  const Array s = applyToMatrix(OpCode::svdvals, floats[0], at);
  const int axis = s.ndim() - 1;
  if (isNone(s.shape()[-1]))
    refuse("expected matrices with elements, got " + describe(floats[0].dtype(), floats[0].shape()), at);
  const auto at0 = [&](const Array &part) { return reshape(part, leading(s, 1)); };
  const Array first = at0(partOf(s, axis, 0, 1)), last = at0(partOf(s, axis, s.shape()[-1] - 1, s.shape()[-1]));
  const Array ratio = ord == MatrixNorm::spectral ? first / last : last / first;
  // 0 / 0: the matrix is zero.
  return where(first == 0, INFINITY, ratio);
}

LstsqResult tenon::linalg::lstsq(const Operand &a, const Operand &b, std::optional<double> rtol) {
  const Location at = a.location();
  DoorScope scope("lstsq", at, {{"a", a}, {"b", b}});
  const MatrixFloats floats("lstsq", {&a, &b});
  expectMatrices(floats[0], at);
  if (floats[1].ndim() == 0)
    refuse("expected b of rank 1 or more, got a number", at);
  const bool isVector = floats[1].ndim() == 1;
  const Array given = isVector ? asColumn(floats[1]) : floats[1];
  if (provably_equal(rowsOf(floats[0]), rowsOf(given)) != Always::yes)
    refuse("expected b with as many rows as a has, " + rowsOf(floats[0]).str() + ", got " +
               describe(floats[1].dtype(), floats[1].shape()),
           at);
  const auto [matrices, right] = broadcastBatches(floats[0], given, at);
  const auto [U, S, Vh] = detail::svd(matrices, false, at);
  const Array cutoff = cutoffOf(matrices, S, toleranceOf(rtol, at), at);
  const Array x = matmul(adjoint(Vh), asColumn(reciprocalsOf(S, cutoff)) * matmul(adjoint(U), right));
  const Array error = abs(right - matmul(matrices, x)), residuals = sum(error * error, {-2});
  const Array rank = sum(astype(S > cutoff, Dtype::i64), {-1});
  return {isVector ? asVector(x) : x, isVector ? asVector(residuals) : residuals, rank, S};
}

PolarResult tenon::linalg::polar(const Operand &x) {
  DoorScope scope("polar", x.location(), {{"x", x}});
  const MatrixFloats floats("polar", {&x});
  expectMatrices(floats[0], x.location());
  const auto [U, S, Vh] = detail::svd(floats[0], false, x.location());
  return {matmul(U, Vh), matmul(adjoint(Vh) * expand_dims(S, {-2}), Vh)};
}
