//===- Linalg.cpp - linear algebra that JAX computes too ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of factors that no choice of signs or phases changes: a factorization may choose them.
//===----------------------------------------------------------------------===//
#include "Cases.h"

namespace tn = tenon;
namespace la = tenon::linalg;
using X = const Arrays &;

static tn::Array adjoint(const tn::Array &x) { return tn::conj(tn::matrix_transpose(x)); }
static tn::Array times(const tn::Array &a, const tn::Array &b) { return tn::matmul(a, b); }
/// Positive definite.
static tn::Array definite(const tn::Array &x) { return times(x, adjoint(x)) + 0.5 * tn::identity(x.dim(-1), tn::f64); }
static tn::Array z(X x, size_t i = 0) { return tn::complex(x[2 * i], x[2 * i + 1]); }
/// V times a function of the eigenvalues times V^-1.
static tn::Array ofEigenvalues(const tn::EighResult &r) {
  return times(r.eigenvectors * tn::expand_dims(tn::sin(r.eigenvalues), -2), adjoint(r.eigenvectors));
}
static tn::Array ofSingularValues(const tn::SVDResult &r) {
  return times(r.U * tn::expand_dims(tn::sin(r.S), -2), r.Vh);
}
/// Q times the sizes of R's diagonal times R.
static Arrays ofQr(const tn::QRResult &r) {
  return {times(r.Q * tn::expand_dims(tn::abs(tn::diagonal(r.R)), -2), r.R), tn::abs(r.R)};
}

static std::vector<Case> equationCases() {
  return {
      {"solve", [](X x) { return Arrays{la::solve(x[0], x[1])}; }},
      {"solve vector", [](X x) { return Arrays{la::solve(x[0], x[1])}; }},
      {"solve batch", [](X x) { return Arrays{la::solve(x[0], x[1])}; }},
      {"solve complex", [](X x) { return Arrays{la::solve(z(x), z(x, 1))}; }},
      {"inv", [](X x) { return Arrays{la::inv(x[0])}; }},
      {"inv complex", [](X x) { return Arrays{la::inv(z(x))}; }},
      {"det", [](X x) { return Arrays{la::det(x[0])}; }},
      {"det complex", [](X x) { return Arrays{la::det(z(x))}; }},
      {"slogdet", [](X x) { return Arrays{la::slogdet(x[0]).logabsdet}; }},
      {"slogdet complex",
       [](X x) {
         tn::SlogdetResult r = la::slogdet(z(x));
         return Arrays{r.sign, r.logabsdet};
       }},
      {"triangular_solve lower", [](X x) { return Arrays{la::triangular_solve(x[0], x[1], {.lower = true})}; }},
      {"triangular_solve right",
       [](X x) { return Arrays{la::triangular_solve(x[0], x[1], {.left_side = false, .transpose_a = true})}; }},
      {"triangular_solve unit",
       [](X x) { return Arrays{la::triangular_solve(x[0], x[1], {.lower = true, .unit_diagonal = true})}; }},
      {"triangular_solve complex",
       [](X x) { return Arrays{la::triangular_solve(z(x), z(x, 1), {.transpose_a = true, .conjugate_a = true})}; }},
      {"tridiagonal_solve", [](X x) { return Arrays{la::tridiagonal_solve(x[0], x[1] + 4, x[2], x[3])}; }},
      {"cholesky_solve", [](X x) { return Arrays{la::cholesky_solve(x[1], la::cholesky(definite(x[0])))}; }},
      {"lu_solve",
       [](X x) {
         tn::LUFactorResult r = la::lu_factor(x[0]);
         return Arrays{la::lu_solve(r.LU, r.pivots, x[1], true)};
       }},
      {"lstsq", [](X x) { return Arrays{la::lstsq(x[0], x[1]).solution}; }},
      {"lstsq wide", [](X x) { return Arrays{la::lstsq(x[0], x[1]).solution}; }},
      {"matrix_power", [](X x) { return Arrays{la::matrix_power(x[0], 5), la::matrix_power(x[0], -2)}; }},
  };
}

static std::vector<Case> factorCases() {
  return {
      {"cholesky", [](X x) { return Arrays{la::cholesky(definite(x[0]))}; }},
      {"cholesky upper", [](X x) { return Arrays{la::cholesky(definite(x[0]), {.upper = true})}; }},
      {"cholesky complex", [](X x) { return Arrays{la::cholesky(definite(z(x)))}; }},
      {"cholesky symmetrized", [](X x) { return Arrays{la::cholesky(x[0] + 6 * tn::identity(4, tn::f64))}; }},
      {"lu_factor", [](X x) { return Arrays{la::lu_factor(x[0]).LU}; }},
      {"lu_factor tall", [](X x) { return Arrays{la::lu_factor(x[0]).LU}; }},
      {"lu_factor wide complex", [](X x) { return Arrays{la::lu_factor(z(x)).LU}; }},
      {"qr", [](X x) { return ofQr(la::qr(x[0])); }},
      {"qr tall", [](X x) { return ofQr(la::qr(x[0])); }},
      {"qr wide", [](X x) { return Arrays{tn::abs(la::qr(x[0]).R)}; }},
      {"qr complex", [](X x) { return ofQr(la::qr(z(x))); }},
      {"eigh",
       [](X x) {
         tn::EighResult r = la::eigh(x[0]);
         return Arrays{r.eigenvalues, tn::square(r.eigenvectors), ofEigenvalues(r)};
       }},
      {"eigh complex",
       [](X x) {
         tn::EighResult r = la::eigh(z(x));
         return Arrays{r.eigenvalues, tn::square(tn::abs(r.eigenvectors)), ofEigenvalues(r)};
       }},
      {"eigvalsh", [](X x) { return Arrays{la::eigvalsh(x[0])}; }},
      {"svd",
       [](X x) {
         tn::SVDResult r = la::svd(x[0]);
         return Arrays{r.S, tn::square(r.U), tn::square(r.Vh), ofSingularValues(r)};
       }},
      {"svd tall",
       [](X x) {
         tn::SVDResult r = la::svd(x[0], {.full_matrices = false});
         return Arrays{r.S, tn::square(r.U), ofSingularValues(r)};
       }},
      {"svd wide complex",
       [](X x) {
         tn::SVDResult r = la::svd(z(x), {.full_matrices = false});
         return Arrays{r.S, tn::square(tn::abs(r.Vh)), ofSingularValues(r)};
       }},
      {"svdvals", [](X x) { return Arrays{la::svdvals(x[0])}; }},
      {"eigvals", [](X x) { return Arrays{tn::sum(tn::sin(la::eigvals(x[0])))}; }},
      {"eig",
       [](X x) {
         tn::EigResult r = la::eig(x[0]);
         return Arrays{times(tn::square(tn::abs(r.eigenvectors)), tn::exp(r.eigenvalues))};
       }},
      {"pinv", [](X x) { return Arrays{la::pinv(x[0])}; }},
      {"pinv complex", [](X x) { return Arrays{la::pinv(z(x))}; }},
      {"polar",
       [](X x) {
         tn::PolarResult r = la::polar(x[0]);
         return Arrays{r.U, r.P};
       }},
      {"expm", [](X x) { return Arrays{la::expm(x[0])}; }},
      {"expm complex", [](X x) { return Arrays{la::expm(z(x))}; }},
      {"sqrtm", [](X x) { return Arrays{la::sqrtm(definite(x[0]))}; }},
      {"householder_product", [](X x) { return Arrays{la::householder_product(x[0], x[1])}; }},
  };
}

static std::vector<Case> otherCases() {
  return {
      {"matrix_norm spectral", [](X x) { return Arrays{tn::matrix_norm(x[0], false, tn::MatrixNorm::spectral)}; }},
      {"matrix_norm nuclear", [](X x) { return Arrays{tn::matrix_norm(x[0], false, tn::MatrixNorm::nuclear)}; }},
      {"matrix_norm frobenius", [](X x) { return Arrays{tn::matrix_norm(x[0])}; }},
      {"cond", [](X x) { return Arrays{la::cond(x[0])}; }},
      {"multi_dot", [](X x) { return Arrays{tn::multi_dot({x[0], x[1], x[2]})}; }},
      {"kron", [](X x) { return Arrays{tn::kron(x[0], x[1])}; }},
      {"cross", [](X x) { return Arrays{tn::cross(x[0], x[1])}; }},
      {"block_diag", [](X x) { return Arrays{la::block_diag({x[0], x[1]})}; }},
      {"toeplitz", [](X x) { return Arrays{la::toeplitz(x[0], x[1])}; }},
      {"einsum three", [](X x) { return Arrays{tn::einsum("bij,bjk,kl->il", x[0], x[1], x[2])}; }},
      {"einsum diagonal", [](X x) { return Arrays{tn::einsum("...ii,j->...j", x[0], x[1])}; }},
      {"tensordot", [](X x) { return Arrays{tn::tensordot(x[0], x[1], {1, 0}, {0, 1})}; }},
  };
}

std::vector<Case> linalgCases() {
  std::vector<Case> all;
  for (auto *list : {equationCases, factorCases, otherCases})
    for (const Case &one : list())
      all.push_back(one);
  return all;
}
