//===- Linalg.h - what functions of matrices share --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices are the last two axes; the axes before them are a batch.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

namespace tenon::detail {

/// The operands as floats or complex numbers of one dtype; integers as f32.
class MatrixFloats : public Floats {
public:
  MatrixFloats(std::string_view function, std::initializer_list<const Operand *> operands)
      : Floats(function, operands, Dtype::f32, OpCode::cholesky) {}
};

/// Refuses what is no array of matrices, or of square ones.
void expectMatrices(const Array &x, Location at);
void expectSquare(const Array &x, Location at);
/// The number of rows and of columns.
inline Dim rowsOf(const Array &x) { return x.shape()[x.ndim() - 2]; }
inline Dim columnsOf(const Array &x) { return x.shape()[x.ndim() - 1]; }
/// The axes before the last `rank` ones, and those axes with more behind them.
Shape leading(const Array &x, int rank);
Shape with(Shape shape, std::initializer_list<Dim> sizes);

/// The conjugate, and the conjugate transpose, of real matrices too.
Array conjugate(const Array &x);
Array adjoint(const Array &x);
/// Matrices with these vectors on their diagonals.
Array diagonalMatrix(const Array &vectors);
/// The diagonals of matrices.
Array diagonalOf(const Array &x);
/// A column for each vector; and the vectors of columns.
Array asColumn(const Array &x);
Array asVector(const Array &x);
/// Ones on the diagonal, in the dtype and on the device of x.
Array identityLike(const Array &x, Dim rows, std::optional<Dim> columns = {});

/// Both with the leading axes that they have together.
std::pair<Array, Array> broadcastBatches(const Array &a, const Array &b, Location at);

/// The ops of these names; operands have one dtype and the same leading axes.
Array triangularSolve(const Array &a, const Array &b, bool lower, bool transposed, bool unitDiagonal, Location at);
LUFactorResult luFactor(const Array &x, Location at);
QRResult qr(const Array &x, bool complete, Location at);
EighResult eigh(const Array &x, Location at);
SVDResult svd(const Array &x, bool fullMatrices, Location at);
Array applyToMatrix(OpCode op, const Array &x, Location at);

/// x of a * x = b (a transposed) from the factors of `a`; b is matrices.
Array solveFactored(const Array &lu, const Array &permutation, const Array &b, bool transposed, Location at);
/// x of a * x = b; b is matrices.
Array solveMatrices(const Array &a, const Array &b, Location at);

/// Singular values up to this count as 0: with an axis of size 1 for `s`. A negative rtol is the default.
Array cutoffOf(const Array &x, const Array &s, double rtol, Location at);

} // namespace tenon::detail
