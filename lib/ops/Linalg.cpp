//===- Linalg.cpp - doors of factorizations ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Linalg.h"

using namespace tenon;
using namespace tenon::detail;

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

Array detail::triangularSolve(const Array &a, const Array &b, bool lower, bool transposed, bool unitDiagonal,
                              Location at) {
  return apply(OpCode::triangular_solve, {a.value(), b.value()},
               Words(TriangularSolveAttrs{lower, transposed, unitDiagonal}), at);
}

LUFactorResult detail::luFactor(const Array &x, Location at) {
  const std::vector<Array> all = applyAll(OpCode::lu_factor, {x.value()}, {}, at);
  return {all[0], all[1], all[2]};
}

QRResult detail::qr(const Array &x, bool complete, Location at) {
  const std::vector<Array> all = applyAll(OpCode::qr, {x.value()}, Words(QrAttrs{complete}), at);
  return {all[0], all[1]};
}

EighResult detail::eigh(const Array &x, Location at) {
  const std::vector<Array> all = applyAll(OpCode::eigh, {x.value()}, {}, at);
  return {all[0], all[1]};
}

SVDResult detail::svd(const Array &x, bool fullMatrices, Location at) {
  const std::vector<Array> all = applyAll(OpCode::svd, {x.value()}, Words(SvdAttrs{fullMatrices}), at);
  return {all[0], all[1], all[2]};
}

Array detail::applyToMatrix(OpCode op, const Array &x, Location at) { return apply(op, {x.value()}, {}, at); }

//===----------------------------------------------------------------------===//
// Public functions
//===----------------------------------------------------------------------===//

/// The Hermitian matrix that x, or one of its triangles, stands for: the ops read the lower one.
static Array hermitian(const Array &x, bool lower, bool symmetrize, Location at) {
  expectSquare(x, at);
  if (symmetrize)
    return (x + adjoint(x)) / 2;
  return lower ? tril(x) + adjoint(tril(x, -1)) : triu(x) + adjoint(triu(x, 1));
}

Array detail::linalg::cholesky(const Operand &x, bool upper, bool symmetrizeInput) {
  const Location at = x.location();
  DoorScope scope("cholesky", at, {{"x", x}});
  const MatrixFloats floats("cholesky", {&x});
  const Array lower = applyToMatrix(OpCode::cholesky, hermitian(floats[0], !upper, symmetrizeInput, at), at);
  return upper ? adjoint(lower) : lower;
}

Array detail::linalg::triangular_solve(const Operand &a, const Operand &b, bool leftSide, bool lower, bool transposeA,
                                       bool conjugateA, bool unitDiagonal) {
  const Location at = a.location();
  DoorScope scope("triangular_solve", at, {{"a", a}, {"b", b}});
  const MatrixFloats floats("triangular_solve", {&a, &b});
  const Array &given = floats[0];
  Array right = floats[1];
  expectSquare(given, at);
  if (right.ndim() == 0)
    refuse("expected b of rank 1 or more, got a number", at);
  const bool isVector = right.ndim() == 1;
  // x @ a = b is transpose(a) @ transpose(x) = transpose(b), and of a vector there is nothing to transpose.
  if (isVector)
    right = asColumn(right);
  else if (!leftSide)
    right = matrix_transpose(right);
  const auto [matrices, sides] = broadcastBatches(given, right, at);
  Array x = triangularSolve(conjugateA ? conjugate(matrices) : matrices, sides, lower, transposeA == leftSide,
                            unitDiagonal, at);
  if (isVector)
    x = asVector(x);
  else if (!leftSide)
    x = matrix_transpose(x);
  return x;
}

LUFactorResult tenon::linalg::lu_factor(const Operand &x) {
  DoorScope scope("lu_factor", x.location(), {{"x", x}});
  const MatrixFloats floats("lu_factor", {&x});
  return luFactor(floats[0], x.location());
}

QRResult tenon::linalg::qr(const Operand &x, QRMode mode) {
  DoorScope scope("qr", x.location(), {{"x", x}});
  const MatrixFloats floats("qr", {&x});
  expectMode("qr", "QRMode", mode, x.location());
  const QRResult made = detail::qr(floats[0], mode == QRMode::complete, x.location());
  return {mode == QRMode::r ? Array() : made.Q, made.R};
}

EighResult detail::linalg::eigh(const Operand &x, bool lower, bool symmetrizeInput) {
  const Location at = x.location();
  DoorScope scope("eigh", at, {{"x", x}});
  const MatrixFloats floats("eigh", {&x});
  const EighResult made = detail::eigh(hermitian(floats[0], lower, symmetrizeInput, at), at);
  return {made.eigenvalues, made.eigenvectors};
}

Array detail::linalg::eigvalsh(const Operand &x, bool lower, bool symmetrizeInput) {
  const Location at = x.location();
  DoorScope scope("eigvalsh", at, {{"x", x}});
  const MatrixFloats floats("eigvalsh", {&x});
  return applyToMatrix(OpCode::eigvalsh, hermitian(floats[0], lower, symmetrizeInput, at), at);
}

SVDResult detail::linalg::svd(const Operand &x, bool fullMatrices) {
  DoorScope scope("svd", x.location(), {{"x", x}});
  const MatrixFloats floats("svd", {&x});
  const SVDResult made = detail::svd(floats[0], fullMatrices, x.location());
  return {made.U, made.S, made.Vh};
}

Array tenon::linalg::svdvals(const Operand &x) {
  DoorScope scope("svdvals", x.location(), {{"x", x}});
  const MatrixFloats floats("svdvals", {&x});
  return applyToMatrix(OpCode::svdvals, floats[0], x.location());
}

EigResult tenon::linalg::eig(const Operand &x) {
  DoorScope scope("eig", x.location(), {{"x", x}});
  const MatrixFloats floats("eig", {&x});
  const std::vector<Array> all = applyAll(OpCode::eig, {floats[0].value()}, {}, x.location());
  return {all[0], all[1]};
}

Array tenon::linalg::eigvals(const Operand &x) {
  DoorScope scope("eigvals", x.location(), {{"x", x}});
  const MatrixFloats floats("eigvals", {&x});
  return applyToMatrix(OpCode::eigvals, floats[0], x.location());
}

Array tenon::linalg::expm(const Operand &x) {
  DoorScope scope("expm", x.location(), {{"x", x}});
  const MatrixFloats floats("expm", {&x});
  return applyToMatrix(OpCode::expm, floats[0], x.location());
}

Array tenon::linalg::sqrtm(const Operand &x) {
  DoorScope scope("sqrtm", x.location(), {{"x", x}});
  const MatrixFloats floats("sqrtm", {&x});
  return applyToMatrix(OpCode::sqrtm, floats[0], x.location());
}

Array tenon::linalg::tridiagonal_solve(const Operand &dl, const Operand &d, const Operand &du, const Operand &b) {
  const Location at = dl.location();
  DoorScope scope("tridiagonal_solve", at, {{"dl", dl}, {"d", d}, {"b", b}});
  const MatrixFloats floats("tridiagonal_solve", {&dl, &d, &du, &b});
  return apply(OpCode::tridiagonal_solve, {floats[0].value(), floats[1].value(), floats[2].value(), floats[3].value()},
               {}, at);
}
