//===- Linalg.cpp - derivatives of linear algebra ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cotangent pairs with a tangent without conjugation, as in JAX: it is the conjugate of the gradient of a real loss.
// The rules whose formulas have conjugate transposes are written for gradients, `g`, and conjugated at both ends.
//===----------------------------------------------------------------------===//
#include "lib/ops/composites/Linalg.h"
#include "lib/ops/composites/Composites.h"
#include "lib/transform/Rules.h"

namespace tenon {

using namespace detail;

static Array gradientOf(const VjpCall &call, int i) { return conjugate(call.cotangent(i)); }
static Array transposed(const Array &x) { return matrix_transpose(x); }
static Array asRow(const Array &x) { return expand_dims(x, {-2}); }

/// 1 / x, and 0 where x is 0.
static Array reciprocalOrZero(const Array &x) {
  const Array isZero = x == 0;
  return where(isZero, 0, 1 / where(isZero, 1, x));
}

//===----------------------------------------------------------------------===//
// Triangular factors
//===----------------------------------------------------------------------===//

/// dL = L phi(L^-1 dA L^-H), where phi takes the lower triangle and half of the diagonal.
void vjpCholesky(VjpCall &call) {
  const Array &l = call.result();
  const Array product = matmul(adjoint(l), gradientOf(call, 0));
  const Array half = tril(product) - diagonalMatrix(diagonalOf(product)) / 2;
  const Array conjugated = conjugate(l);
  // L^-H half L^-1
  const Array left = triangularSolve(conjugated, half, true, true, false, call.at);
  const Array both = adjoint(triangularSolve(conjugated, adjoint(left), true, true, false, call.at));
  call.set(0, conjugate(both + adjoint(both)) / 2);
}

void vjpTriangularSolve(VjpCall &call) {
  const auto [lower, isTransposed, unitDiagonal] = TriangularSolveAttrs::read(call.attributes);
  const Array &a = call.operand(0), &x = call.result();
  const Array ofB = triangularSolve(a, call.cotangent(), lower, !isTransposed, unitDiagonal, call.at);
  call.set(1, ofB);
  if (!call.wanted(0))
    return;
  const Array product = -(isTransposed ? matmul(x, transposed(ofB)) : matmul(ofB, transposed(x)));
  const int k = unitDiagonal ? 1 : 0;
  call.set(0, lower ? tril(product, -k) : triu(product, k));
}

/// With A = P L U and the m x m and n x n matrices L and U (identities where the packed factors end):
/// dLU = L tril(X, -1) + triu(X) U, X = L^-1 P^T dA U^-1.
void vjpLuFactor(VjpCall &call) {
  const Array lu = call.result(0), permutation = call.result(2), ct = call.cotangent();
  const Dim rows = rowsOf(lu), columns = columnsOf(lu), least = call.resultTypes[1].shape[-1];
  const int rank = lu.ndim();
  const auto padded = [&](const Array &x, Dim below, Dim behind) {
    Shape low, high;
    for (int i = 0; i < rank; ++i) {
      low.push_back(0);
      high.push_back(i == rank - 2 ? below : i == rank - 1 ? behind : Dim(0));
    }
    return pad(x, 0, low, high);
  };
  const Array l = padded(tril(partOf(lu, rank - 1, 0, least), -1), 0, rows - least);
  Array u = padded(triu(partOf(lu, rank - 2, 0, least)), columns - least, 0);
  const Array numbers = iota(columns, Dtype::i64, lu.device());
  u = where(eye(columns, {}, 0, Dtype::bool_, lu.device()) && numbers >= sizeOf(least, lu.device(), call.at), 1, u);
  const Array ofX = tril(ct + matmul(transposed(l), ct), -1) + triu(matmul(ct, transposed(u)));
  const Array right = transposed(triangularSolve(u, transposed(ofX), false, false, false, call.at));
  const Array both = triangularSolve(l, right, true, true, true, call.at);
  const Array back = asColumn(argsort(permutation, -1));
  call.set(0, take_along_axis(both, broadcast(back, both.shape(), call.at), -2));
}

//===----------------------------------------------------------------------===//
// Orthogonal factors
//===----------------------------------------------------------------------===//

/// Of the square or tall x = Q R: dQ = Q (S - W) + dx R^-1, dR = (W - S) R, where W = Q^H dx R^-1 and S is the
/// anti-Hermitian matrix with W's part below the diagonal and the imaginary parts on it.
static Array ofTall(const Array &q, const Array &r, const Array &gq, const Array &gr, Location at) {
  const Array n = matmul(gr, adjoint(r)) - matmul(adjoint(q), gq);
  Array c = triu(n, 1) + tril(adjoint(n), -1);
  const Array elements = diagonalOf(n);
  c = c + diagonalMatrix(isComplex(elements) ? astype(real(elements), elements.dtype()) : elements);
  const Array sum = gq + matmul(q, c);
  // sum R^-H
  return transposed(triangularSolve(conjugate(r), transposed(sum), false, false, false, at));
}

void vjpQr(VjpCall &call) {
  const Array &q = call.result(0), &r = call.result(1);
  const Array gq = gradientOf(call, 0), gr = gradientOf(call, 1);
  const Dim rows = rowsOf(q), width = columnsOf(q), columns = columnsOf(r);
  if (provably_equal(width, columns) == Always::yes) {
    call.set(0, conjugate(ofTall(q, r, gq, gr, call.at)));
    return;
  }
  if (provably_less_equal(rows, columns) != Always::yes)
    throwOpError(call.info, {},
                 "qr: the complete factors of a matrix with more rows than columns have no derivative: use "
                 "QRMode::reduced",
                 call.at);
  // x = [X Y] = Q [U V]: X has the derivative of a square matrix, where V = Q^H Y adds Y gV^H to gQ.
  const int axis = r.ndim() - 1;
  const Array u = partOf(r, axis, 0, rows), v = partOf(r, axis, rows, columns);
  const Array gu = partOf(gr, axis, 0, rows), gv = partOf(gr, axis, rows, columns);
  const Array first = ofTall(q, u, gq + matmul(matmul(q, v), adjoint(gv)), gu, call.at);
  call.set(0, conjugate(concatenate({first, matmul(q, gv)}, axis)));
}

/// dw = diag(M), dV = V (F * M), where M = V^H dA V and F[i, j] = 1 / (w[j] - w[i]), 0 of equal ones.
void vjpEigh(VjpCall &call) {
  const Array &w = call.result(0), &v = call.result(1);
  const Array f = reciprocalOrZero(asRow(w) - asColumn(w));
  const Array ofM =
      matmul(adjoint(v), gradientOf(call, 1)) * f + diagonalMatrix(convert(call.cotangent(0), v.dtype(), call.at));
  call.set(0, conjugate(matmul(matmul(v, ofM), adjoint(v))));
}

void vjpEigvalsh(VjpCall &call) {
  const Array v = eigh(call.operand(0), call.at).eigenvectors;
  call.set(0, conjugate(matmul(v * asRow(call.cotangent()), adjoint(v))));
}

static Array skew(const Array &x) { return x - adjoint(x); }

void vjpSvd(VjpCall &call) {
  const Array &u = call.result(0), &s = call.result(1), &vh = call.result(2);
  const Dim rows = rowsOf(u), columns = columnsOf(vh), least = s.shape()[-1];
  if (provably_equal(columnsOf(u), least) != Always::yes || provably_equal(rowsOf(vh), least) != Always::yes)
    throwOpError(call.info, {},
                 "svd: the full matrices of a matrix that is not square have no derivative: use full_matrices = false",
                 call.at);
  const Array gu = gradientOf(call, 0), gs = convert(call.cotangent(1), u.dtype(), call.at), gvh = gradientOf(call, 2),
              gv = adjoint(gvh), v = adjoint(vh), uh = adjoint(u);
  const Array squares = s * s, e = reciprocalOrZero(asRow(squares) - asColumn(squares));
  const Array ofU = skew(matmul(uh, gu)), ofV = skew(matmul(vh, gv)), inverse = reciprocalOrZero(s);
  Array inner = ofU * e * asRow(s) + asColumn(s) * (ofV * e) + diagonalMatrix(gs);
  // The phase of a pair of vectors is free: u turns, v does not.
  if (isComplex(u))
    inner = inner + diagonalMatrix(diagonalOf(ofU) * inverse) / 2;
  Array g = matmul(matmul(u, inner), vh);
  if (provably_equal(rows, least) != Always::yes)
    g = g + matmul((gu - matmul(u, matmul(uh, gu))) * asRow(inverse), vh);
  if (provably_equal(columns, least) != Always::yes)
    g = g + matmul(u, asColumn(inverse) * (gvh - matmul(matmul(gvh, v), vh)));
  call.set(0, conjugate(g));
}

void vjpSvdvals(VjpCall &call) {
  const auto [u, s, vh] = svd(call.operand(0), false, call.at);
  call.set(0, conjugate(matmul(u * asRow(call.cotangent()), vh)));
}

/// dP = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P, at constant rank.
void vjpPinv(VjpCall &call) {
  const Array &a = call.operand(0), &p = call.result();
  const Array g = gradientOf(call, 0), ph = adjoint(p), gh = adjoint(g);
  const Array tall = matmul(gh, matmul(p, ph)), wide = matmul(matmul(ph, p), gh);
  call.set(
      0, conjugate(tall - matmul(a, matmul(p, tall)) + wide - matmul(matmul(wide, p), a) - matmul(matmul(ph, g), ph)));
}

//===----------------------------------------------------------------------===//
// General matrices
//===----------------------------------------------------------------------===//

/// The cotangent of a real operand of a complex function.
static Array ofOperand(const VjpCall &call, const Array &ct) {
  return kind(call.operandTypes[0].dtype) == Kind::complex ? ct : real(ct);
}

/// With M = V^-1 dA V: dw = diag(M), dV = V (F * M - diag of what keeps each vector's norm), where F[i, j] is 1 / (w[j]
/// - w[i]), and 0 of equal ones. As in PyTorch; a vector's phase is taken not to matter.
void vjpEig(VjpCall &call) {
  const Array &w = call.result(0), &v = call.result(1);
  const Array vh = adjoint(v), product = matmul(vh, gradientOf(call, 1)), elements = real(diagonalOf(product));
  const Array f = reciprocalOrZero(conj(asRow(w) - asColumn(w)));
  const Array ofM =
      (product - matmul(vh, v * asRow(astype(elements, v.dtype())))) * f + diagonalMatrix(gradientOf(call, 0));
  call.set(0, ofOperand(call, conj(solveMatrices(vh, matmul(ofM, vh), call.at))));
}

/// dw = diag(V^-1 dA V).
void vjpEigvals(VjpCall &call) {
  const Array v = applyAll(OpCode::eig, {call.operand(0).value()}, {}, call.at)[1], vt = transposed(v);
  call.set(0, ofOperand(call, solveMatrices(vt, asColumn(call.cotangent()) * vt, call.at)));
}

/// The derivative of a function of matrices in the direction e: the upper right block of f([[a, e], [0, a]]).
static Array alongDirection(OpCode f, const Array &a, const Array &e, Location at) {
  const int rank = a.ndim();
  const Dim n = rowsOf(a);
  const Array zeros = filled({a.dtype(), a.device(), a.shape()}, false);
  const Array upper = concatenate({a, e}, rank - 1), lower = concatenate({zeros, a}, rank - 1);
  const Array made = applyToMatrix(f, concatenate({upper, lower}, rank - 2), at);
  return partOf(partOf(made, rank - 2, 0, n), rank - 1, n, n + n);
}

void vjpExpm(VjpCall &call) {
  call.set(0, alongDirection(OpCode::expm, transposed(call.operand(0)), call.cotangent(), call.at));
}

void vjpSqrtm(VjpCall &call) {
  const Array ct = call.cotangent(), a = convert(transposed(call.operand(0)), ct.dtype(), call.at);
  call.set(0, ofOperand(call, alongDirection(OpCode::sqrtm, a, ct, call.at)));
}

/// The cofactors of square matrices, det(x) inv(x)^T of regular ones. With x = U y V^H, where U and V are constants to
/// derivatives, they are those of y, which is the diagonal of the singular values. The last value may be 0, so
/// m = y + e has the last one lifted to 1, by a constant e of rank 1:
///   adj(y) = det(m) ((1 - tr(inv(m) e)) inv(m) + inv(m) e inv(m)).
/// At a diagonal matrix the terms of this and of its derivative are exact products, in which no two small singular
/// values divide: so second derivatives are right near and at singular matrices as well, of any rank. Those of
/// det(x) inv(x) and of singular vectors divide by singular values, or by their differences.
static Array cofactors(const Array &x, Location at) {
  const Array constant = stop_gradient(x);
  const auto [u, s, vh] = svd(constant, false, at);
  const Dim n = rowsOf(x);
  const std::vector<int64_t> last{s.ndim() - 1};
  const Array isLast = iota(n, Dtype::i64, x.device(), at) == sizeOf(n, x.device(), at) - 1;
  const Array largest = max(neverEmpty(s, last, 0), {-1}, true);
  // The others are not 0, and the lifted one leaves det(m) as large as the cofactors.
  const Array others = maximum(s, where(largest == 0, 1, largest) * (s.dtype() == Dtype::f64 ? 0x1p-100 : 0x1p-40));
  const Array lifted = maximum(s, 1), e = astype(where(isLast, lifted - s, 0), x.dtype());
  const Array change = matmul(matmul(adjoint(u), x - constant), adjoint(vh));
  const Array m = change + diagonalMatrix(astype(where(isLast, lifted, others), x.dtype()));
  const Array inverse = tenon::linalg::inv(m), both = inverse * asRow(e);
  // 1 - trace, whose value is exactly that of the last singular value.
  const Array trace = sum(diagonalOf(both), {-1}), ratio = sum(where(isLast, s / lifted, 0), {-1});
  const Array rest = astype(ratio, x.dtype()) + (stop_gradient(trace) - trace);
  const auto ofMatrix = [](const Array &number) { return expand_dims(number, {-2, -1}); };
  const Array adjugate = ofMatrix(tenon::linalg::det(m)) * (ofMatrix(rest) * inverse + matmul(both, inverse));
  const Array phase = ofMatrix(tenon::linalg::det(u) * tenon::linalg::det(vh));
  return phase * transposed(matmul(matmul(adjoint(vh), adjugate), adjoint(u)));
}

/// dDet = sum of the cofactors times dx.
void vjpDet(VjpCall &call) {
  call.set(0, expand_dims(call.cotangent(), {-2, -1}) * cofactors(call.operand(0), call.at));
}

/// x with each vector's elements moved one place down (`by` 1) or up, and 0 in the place that is left.
static Array moved(const Array &x, int axis, int by) {
  Shape low, high;
  for (int i = 0; i < x.ndim(); ++i) {
    low.push_back(i == axis && by > 0 ? 1 : 0);
    high.push_back(i == axis && by < 0 ? 1 : 0);
  }
  const Dim size = x.shape()[axis], start = by > 0 ? 0 : 1;
  return partOf(pad(x, 0, low, high), axis, start, size + start);
}

void vjpTridiagonalSolve(VjpCall &call) {
  const Array &dl = call.operand(0), &d = call.operand(1), &du = call.operand(2), &x = call.result();
  const int axis = d.ndim() - 1;
  const Array below = moved(du, axis, 1), above = moved(dl, axis, -1), ct = call.cotangent();
  const Array ofB =
      apply(OpCode::tridiagonal_solve, {below.value(), d.value(), above.value(), ct.value()}, {}, call.at);
  call.set(3, ofB);
  for (const auto &[i, by] : {std::pair(0, 1), {1, 0}, {2, -1}})
    if (call.wanted(i))
      call.set(i, -sum(ofB * (by ? moved(x, axis, by) : x), {-1}));
}

} // namespace tenon
