//===- Linalg.td - factorizations of matrices -------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_LINALG
#define TENON_LINALG

include "Base.td"

// Matrices are the last two axes; the axes before them are a batch. Integers become f32; f16 and bf16
// are refused, as in NumPy and JAX.
//
// Derivatives:
//
//   op                 derivative                                 where it is not finite, or missing
//   cholesky           yes                                        NaN where x is not positive definite
//   triangular_solve   yes, linear in b                           NaN where a is singular
//   lu_factor          yes, of LU                                 NaN where x is singular
//   qr                 reduced, or rows <= columns                NaN where the leading columns are dependent;
//                                                                 complete with rows > columns is an Error
//   eigh, svd          yes                                        terms of equal eigenvalues (singular values) are
//                                                                 dropped; svd: full matrices that are not square are
//                                                                 an Error
//   eigvalsh, svdvals  yes                                        finite everywhere
//   eigvals            yes                                        NaN where the eigenvectors are dependent
//   eig                of functions that no phase changes  terms of equal eigenvalues are dropped
//   expm, sqrtm        yes                                        sqrtm: NaN where x has no root
//   tridiagonal_solve  yes, linear in b                           NaN where the matrix is singular
class Tenon_Linalg<string mnemonic, int number> : Tenon_Inferred<mnemonic, number, [Pure]> {
  let category = "linear algebra";
  let dtypes = ["f32", "f64", "complex"];
  let batch = "batchMatrices";
  let arguments = (ins Tenon_Tensor:$x);
  let results = (outs Tenon_Tensor:$result);
  let parameters = [Tenon_Parameter<"x", "operand">];
  let referenceUlp = 512;
}

def Tenon_SymmetrizeParameter : Tenon_Parameter<"symmetrize_input", "bool", "true", "Replaces x by `(x + conj(matrix_transpose(x))) / 2`. Otherwise only one triangle is read.">;

//===----------------------------------------------------------------------===//
// Triangular factors
//===----------------------------------------------------------------------===//

def Tenon_CholeskyOp : Tenon_Linalg<"cholesky", 250> {
  let summary = "Cholesky factor of a positive definite matrix: the lower triangular L with `x = L @ conj(matrix_transpose(L))`.";
  let description = [{With `upper` the result is the conjugate transpose of L. The triangle of the result is NaN where x
    is not positive definite; `linalg::check` turns that into an Error.}];
  let example = "Array L = linalg::cholesky(matmul(a, matrix_transpose(a)) + identity(3));";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"upper", "bool", "false", "Returns the upper triangular factor.">,
                    Tenon_SymmetrizeParameter];
  let options = "CholeskyOptions";
  let isByName = 1;
  let needs = ["result"];
}
def Tenon_TriangularSolveOp : Tenon_Linalg<"triangular_solve", 251> {
  let summary = "Solves `a @ x = b` for a triangular matrix `a`.";
  let description = [{Only the triangle that `lower` names is read. If `b` has one axis it is a vector; otherwise it is a
    stack of matrices, and leading axes broadcast. The result is NaN where a diagonal element is 0.}];
  let example = "Array x = linalg::triangular_solve(L, b, {.lower = true});";
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$b, Tenon_Bool:$lower, Tenon_Bool:$transposed,
                   Tenon_Bool:$unit_diagonal);
  let parameters = [
    Tenon_Parameter<"a", "operand">, Tenon_Parameter<"b", "operand">,
    Tenon_Parameter<"left_side", "bool", "true", "If false, solves `x @ a = b`.">,
    Tenon_Parameter<"lower", "bool", "false", "`a` is lower triangular.">,
    Tenon_Parameter<"transpose_a", "bool", "false", "Solves with the transpose of `a`.">,
    Tenon_Parameter<"conjugate_a", "bool", "false", "Solves with the conjugate of `a`.">,
    Tenon_Parameter<"unit_diagonal", "bool", "false", "Takes the diagonal of `a` as ones and does not read it.">];
  let options = "TriangularSolveOptions";
  let isByName = 1;
  let needs = ["a", "result"];
  let linearIn = [["b"]];
}
def Tenon_LuFactorOp : Tenon_Linalg<"lu_factor", 252> {
  let summary = "LU factorization with partial pivoting, packed: the upper triangle of `.LU` is U, the part below the diagonal is L, whose diagonal is 1.";
  let description = [{`.pivots` (i32, from 0): row i was exchanged with row `pivots[i]`. `.permutation` (i32): row i of
    `L @ U` is row `permutation[i]` of x. Matrices with NaN or infinity give NaN.}];
  let example = "LUFactorResult factors = linalg::lu_factor(a);\nArray x = linalg::lu_solve(factors.LU, factors.pivots, b);";
  let results = (outs Tenon_Tensor:$lu, Tenon_Tensor:$pivots, Tenon_Tensor:$permutation);
  let returns = "LUFactorResult";
  let needs = ["lu", "permutation"];
}
def Tenon_PivotsToPermutationOp : Tenon_Linalg<"pivots_to_permutation", 253> {
  let summary = "The permutation that a sequence of row exchanges makes of the rows of a square matrix.";
  let dtypes = ["i32"];
  let isPublic = 0;
  let arguments = (ins Tenon_Tensor:$pivots);
  let parameters = [Tenon_Parameter<"pivots", "operand">];
  let vjp = "zero";
  let referenceUlp = 0;
}

//===----------------------------------------------------------------------===//
// Orthogonal factors
//===----------------------------------------------------------------------===//

def Tenon_QrOp : Tenon_Linalg<"qr", 254> {
  let summary = "QR factorization: `x = Q @ R` with orthonormal columns of Q and an upper triangular R.";
  let description = [{For x of shape (m, n) and k = min(m, n): `QRMode::reduced` gives Q (m, k) and R (k, n),
    `QRMode::complete` Q (m, m) and R (m, n), `QRMode::r` only R (k, n). The diagonal of R may be negative. `complete`
    has no derivative where m > n.}];
  let example = "auto [Q, R] = linalg::qr(a);";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Bool:$complete);
  let results = (outs Tenon_Tensor:$q, Tenon_Tensor:$r);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"mode", "QRMode", "reduced">];
  let returns = "QRResult";
  let needs = ["q", "r"];
}
def Tenon_EighOp : Tenon_Linalg<"eigh", 255> {
  let summary = "Eigenvalues, ascending, and eigenvectors of a symmetric or Hermitian matrix.";
  let description = [{`x @ V = V * w` for the result's `.eigenvalues` w (real) and `.eigenvectors` V, a unit vector in
    each column. Matrices with NaN or infinity give NaN. In the derivative, the terms of eigenvectors with equal
    eigenvalues are 0.}];
  let example = "auto [w, V] = linalg::eigh(a);";
  let results = (outs Tenon_Tensor:$eigenvalues, Tenon_Tensor:$eigenvectors);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"lower", "bool", "true", "Without `symmetrize_input`: which triangle is read.">,
                    Tenon_SymmetrizeParameter];
  let options = "EighOptions";
  let isByName = 1;
  let returns = "EighResult";
  let needs = ["eigenvalues", "eigenvectors"];
}
def Tenon_EigvalshOp : Tenon_Linalg<"eigvalsh", 256> {
  let summary = "Eigenvalues of a symmetric or Hermitian matrix, real and ascending.";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"lower", "bool", "true", "Without `symmetrize_input`: which triangle is read.">,
                    Tenon_SymmetrizeParameter];
  let options = "EighOptions";
  let isByName = 1;
  let needs = ["x"];
}
def Tenon_SvdOp : Tenon_Linalg<"svd", 257> {
  let summary = "Singular value decomposition: `x = U @ diag(S) @ Vh` with descending S.";
  let description = [{For x of shape (m, n) and k = min(m, n), S has shape (k), U (m, m) and Vh (n, n); without
    `full_matrices` U has shape (m, k) and Vh (k, n). As in NumPy, `full_matrices` is true by default, and has no
    derivative where m != n. Matrices with NaN or infinity give NaN. In the derivative, the terms of vectors with equal
    singular values are 0. `svdvals` gives S alone.}];
  let example = "auto [U, S, Vh] = linalg::svd(a, {.full_matrices = false});";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Bool:$full_matrices);
  let results = (outs Tenon_Tensor:$u, Tenon_Tensor:$s, Tenon_Tensor:$vh);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"full_matrices", "bool", "true", "U and Vh are square.">];
  let options = "SVDOptions";
  let isByName = 1;
  let returns = "SVDResult";
  let needs = ["u", "s", "vh"];
}
def Tenon_SvdvalsOp : Tenon_Linalg<"svdvals", 258> {
  let summary = "Singular values, descending.";
  let needs = ["x"];
}

//===----------------------------------------------------------------------===//
// General matrices
//===----------------------------------------------------------------------===//

def Tenon_EigOp : Tenon_Linalg<"eig", 259> {
  let summary = "Eigenvalues and eigenvectors of a square matrix; the results are complex.";
  let description = [{`x @ V = V * w` for the result's `.eigenvalues` w, in no particular order, and `.eigenvectors` V,
    a unit vector in each column. Matrices with NaN or infinity give NaN. As in PyTorch, the derivative of the
    eigenvectors is that of functions in which their phases cancel, such as `abs(V)`; the terms of equal eigenvalues are
    0.}];
  let example = "auto [w, V] = linalg::eig(a);";
  let results = (outs Tenon_Tensor:$eigenvalues, Tenon_Tensor:$eigenvectors);
  let returns = "EigResult";
  let needs = ["eigenvalues", "eigenvectors"];
}
def Tenon_EigvalsOp : Tenon_Linalg<"eigvals", 260> {
  let summary = "Eigenvalues of a square matrix, complex and in no particular order.";
  let needs = ["x"];
}
def Tenon_ExpmOp : Tenon_Linalg<"expm", 261> {
  let summary = "Matrix exponential.";
  let description = [{By scaling and squaring with a Pade approximant of order 13, computed in f64. Matrices with NaN or
    infinity give NaN.}];
  let needs = ["x"];
}
def Tenon_SqrtmOp : Tenon_Linalg<"sqrtm", 262> {
  let summary = "Principal square root of a square matrix; the result is complex.";
  let description = [{From the Schur decomposition, computed in f64. NaN where x has no square root, and of matrices with
    NaN or infinity.}];
  let needs = ["x"];
}
def Tenon_TridiagonalSolveOp : Tenon_Linalg<"tridiagonal_solve", 263> {
  let summary = "Solves `a @ x = b` for a tridiagonal matrix `a`, given by its three diagonals.";
  let description = [{The diagonals have the size n of the matrix, as in JAX: `dl[i]` is the element left of `d[i]`, and
    `du[i]` the one right of it; `dl[0]` and `du[n - 1]` are not read. `b` has shape (n, columns). The result is NaN
    where the matrix is singular.}];
  let example = "Array x = linalg::tridiagonal_solve(dl, d, du, b);";
  let arguments = (ins Tenon_Tensor:$dl, Tenon_Tensor:$d, Tenon_Tensor:$du, Tenon_Tensor:$b);
  let parameters = [Tenon_Parameter<"dl", "operand">, Tenon_Parameter<"d", "operand">,
                    Tenon_Parameter<"du", "operand">, Tenon_Parameter<"b", "operand">];
  let needs = ["dl", "d", "du", "result"];
  let linearIn = [["b"]];
}

#endif // TENON_LINALG
