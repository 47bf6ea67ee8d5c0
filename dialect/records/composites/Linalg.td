//===- Linalg.td - linear algebra, composed ---------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_LINALG_COMPOSITES
#define TENON_LINALG_COMPOSITES

include "Base.td"

class Tenon_MatrixFunction<string name> : Tenon_Composite<name> {
  let category = "linear algebra";
  let dtypes = ["f32", "f64", "complex"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">];
  let referenceUlp = 512;
}
class Tenon_MatrixPair<string name> : Tenon_MatrixFunction<name> {
  let arguments = (ins Tenon_Tensor:$a, Tenon_Tensor:$b);
  let parameters = [Tenon_Parameter<"a", "operand">, Tenon_Parameter<"b", "operand">];
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

def Tenon_Solve : Tenon_MatrixPair<"solve"> {
  let summary = "Solves `a @ x = b` for square matrices `a`.";
  let description = [{If `b` has one axis it is a vector; otherwise it is a stack of matrices, and leading axes broadcast,
    as in NumPy 2. The result is NaN where `a` is singular; `linalg::check` turns that into an Error.}];
  let example = "Array x = linalg::solve(a, b);";
}
def Tenon_Inv : Tenon_MatrixFunction<"inv"> {
  let summary = "Inverse of a square matrix. NaN where x is singular.";
}
def Tenon_Lu : Tenon_MatrixFunction<"lu"> {
  let summary = "LU factorization with partial pivoting: `x = P @ L @ U` with a permutation matrix P.";
  let description = [{For x of shape (m, n) and k = min(m, n), P has shape (m, m), L (m, k) with ones on its diagonal, U
    (k, n).}];
  let example = "auto [P, L, U] = linalg::lu(a);";
  let returns = "LUResult";
}
def Tenon_LuSolve : Tenon_MatrixFunction<"lu_solve"> {
  let summary = "Solves `a @ x = b` from the results of `lu_factor(a)`.";
  let description = [{`b` is a vector if it has one axis. NaN where `a` is singular.}];
  let arguments = (ins Tenon_Tensor:$lu, Tenon_Tensor:$pivots, Tenon_Tensor:$b);
  let parameters = [Tenon_Parameter<"lu", "operand">, Tenon_Parameter<"pivots", "operand">,
                    Tenon_Parameter<"b", "operand">,
                    Tenon_Parameter<"transpose_a", "bool", "false", "Solves with the transpose of `a`.">];
}
def Tenon_CholeskySolve : Tenon_MatrixFunction<"cholesky_solve"> {
  let summary = "Solves `a @ x = b` from the Cholesky factor L of `a`.";
  let example = "Array x = linalg::cholesky_solve(b, linalg::cholesky(a));";
  let arguments = (ins Tenon_Tensor:$b, Tenon_Tensor:$L);
  let parameters = [Tenon_Parameter<"b", "operand">, Tenon_Parameter<"L", "operand">,
                    Tenon_Parameter<"upper", "bool", "false", "`L` is the upper triangular factor.">];
}
def Tenon_Det : Tenon_NamedComposite<"det"> {
  let category = "linear algebra";
  let summary = "Determinant of a square matrix, from its LU factorization.";
  let description = [{The derivative has the cofactors of x, from its singular value decomposition. First and second
    derivatives are also right near and at singular matrices, higher ones near those of rank n - 1.}];
  let dtypes = ["f32", "f64", "complex"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">];
  let vjp = "vjpDet";
  let batch = "batchDet";
  let needs = ["x"];
  let referenceUlp = 512;
}
def Tenon_Slogdet : Tenon_MatrixFunction<"slogdet"> {
  let summary = "Sign and logarithm of the absolute value of the determinant: `det(x) = sign * exp(logabsdet)`.";
  let description = [{Of a singular matrix the sign is 0 and the logarithm -inf.}];
  let example = "auto [sign, logabsdet] = linalg::slogdet(a);";
  let returns = "SlogdetResult";
}
def Tenon_MatrixPower : Tenon_MatrixFunction<"matrix_power"> {
  let summary = "Integer power of a square matrix, by repeated squaring; a negative power is one of the inverse.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"n", "int">];
}
//===----------------------------------------------------------------------===//
// From singular values
//===----------------------------------------------------------------------===//

def Tenon_PinvParameter : Tenon_Parameter<"rtol", "float", "none", "Singular values up to `rtol` times the largest one count as 0; default: max(m, n) times the dtype's epsilon.">;
def Tenon_Pinv : Tenon_NamedComposite<"pinv"> {
  let category = "linear algebra";
  let summary = "Moore-Penrose pseudo-inverse, from the singular value decomposition.";
  let description = [{The derivative is that at constant rank.}];
  let dtypes = ["f32", "f64", "complex"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Scalar:$rtol);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_PinvParameter];
  let vjp = "vjpPinv";
  let batch = "batchPinv";
  let needs = ["x", "result"];
  let referenceUlp = 512;
}
def Tenon_MatrixRank : Tenon_MatrixFunction<"matrix_rank"> {
  let summary = "Number of singular values above the tolerance, as i64.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_PinvParameter];
  let referenceUlp = 0;
}
def Tenon_Lstsq : Tenon_MatrixPair<"lstsq"> {
  let summary = "Least-squares solution of `a @ x = b`: the x of least norm among those with the least `norm(a @ x - b)`.";
  let description = [{`.residuals` are the sums of squares of the columns of `b - a @ x`; unlike NumPy they are given for
    any rank. `.rank` is i64, `.singular_values` are those of `a`.}];
  let example = "auto [solution, residuals, rank, singular_values] = linalg::lstsq(a, b);";
  let parameters = [Tenon_Parameter<"a", "operand">, Tenon_Parameter<"b", "operand">, Tenon_PinvParameter];
  let returns = "LstsqResult";
}
def Tenon_Polar : Tenon_MatrixFunction<"polar"> {
  let summary = "Polar decomposition: `x = U @ P` with orthonormal columns (or rows) of U and a positive semi-definite P.";
  let example = "auto [U, P] = linalg::polar(a);";
  let returns = "PolarResult";
}

//===----------------------------------------------------------------------===//
// Matrices made of arrays
//===----------------------------------------------------------------------===//

def Tenon_BlockDiag : Tenon_Composite<"block_diag"> {
  let category = "linear algebra";
  let summary = "Block diagonal matrix of the given matrices; a vector is a row, a number a 1 x 1 matrix.";
  let example = "Array m = linalg::block_diag({a, b, c});";
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
  let parameters = [Tenon_Parameter<"xs", "arrays">];
}
def Tenon_Toeplitz : Tenon_Composite<"toeplitz"> {
  let category = "linear algebra";
  let summary = "Toeplitz matrix with first column `c` and first row `r`; `r[0]` is not read.";
  let description = [{Both are flattened. Default of `r`: the conjugate of `c`.}];
  let example = "Array m = linalg::toeplitz({1, 2, 3}); // 1 2 3, 2 1 2, 3 2 1";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$c);
  let parameters = [Tenon_Parameter<"c", "operand">, Tenon_Parameter<"r", "operand", "none">];
}
def Tenon_HouseholderProduct : Tenon_MatrixFunction<"householder_product"> {
  let summary = "The first n columns of the product of k Householder reflections `I - taus[i] * v @ conj(v)`; v is column i of x below its diagonal, with 1 on it.";
  let description = [{x has shape (m, n) with m >= n, `taus` (k) with k <= n, as LAPACK's QR factorization gives
    them.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$taus);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"taus", "operand">];
  let overloads = [{using tenon::cross;
using tenon::matrix_norm;
using tenon::matrix_transpose;
using tenon::multi_dot;
using tenon::vector_norm;
/// Returns x, and fails where x has NaN or infinity, as results of these functions have where a matrix is singular or
/// not positive definite. Under jit and vmap the Error is that of `tn::check`. The functions themselves never fail for
/// the values of their arguments, so that one matrix of a batch does not stop the others.
[[nodiscard]] Array check(const Operand &x);
/// Condition number: the norm of x times the norm of its inverse. `spectral` is the largest singular value over the
/// smallest one, of any shape, and `minus_spectral` its reciprocal; the other norms are of square matrices. Infinite
/// where x is exactly singular; beyond 1 / epsilon the number says no more than that x is nearly singular.
[[nodiscard]] Array cond(const Operand &x, MatrixNorm ord = MatrixNorm::spectral);}];
}

#endif // TENON_LINALG_COMPOSITES
