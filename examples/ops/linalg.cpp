//===- linalg.cpp - linear algebra ------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it prints stands in linalg.expected. Results are rounded to three decimals, and signs that a factorization may
// choose are multiplied away.
//===----------------------------------------------------------------------===//
#include "Example.h"

static tn::Array rounded(const tn::Array &x) { return tn::round(x * 1000) / 1000 + 0; }
static tn::Array symmetric() { return {{4.0f, 1.0f}, {1.0f, 3.0f}}; }
static tn::Array general() { return {{2.0f, 1.0f}, {4.0f, 5.0f}}; }
static tn::Array tall() { return {{1.0f, 0.0f}, {1.0f, 1.0f}, {1.0f, 2.0f}}; }

int main() {
  example("linalg::cholesky", [] {
    tn::Array L = tn::linalg::cholesky(symmetric());
    std::cout << rounded(L) << "\n" << tn::allclose(tn::matmul(L, tn::matrix_transpose(L)), symmetric());
  });
  example("linalg::cholesky_solve", [] {
    tn::Array L = tn::linalg::cholesky(symmetric());
    std::cout << rounded(tn::linalg::cholesky_solve({5.0f, 4.0f}, L));
  });
  example("linalg::triangular_solve", [] {
    tn::Array L = {{2.0f, 0.0f}, {1.0f, 4.0f}};
    std::cout << tn::linalg::triangular_solve(L, {2.0f, 5.0f}, {.lower = true});
  });
  example("linalg::lu", [] {
    auto [P, L, U] = tn::linalg::lu(general());
    std::cout << P << "\n" << L << "\n" << U;
  });
  example("linalg::lu_factor", [] {
    auto [LU, pivots, permutation] = tn::linalg::lu_factor(general());
    std::cout << LU << "\n" << pivots << " " << permutation;
  });
  example("linalg::lu_solve", [] {
    tn::LUFactorResult factors = tn::linalg::lu_factor(general()); // once, for several right-hand sides
    std::cout << rounded(tn::linalg::lu_solve(factors.LU, factors.pivots, {3.0f, 9.0f}));
  });
  example("linalg::solve", [] {
    std::cout << rounded(tn::linalg::solve(general(), {3.0f, 9.0f})) << "\n";
    tn::Array singular = {{1.0f, 2.0f}, {2.0f, 4.0f}};
    std::cout << tn::linalg::solve(singular, {1.0f, 1.0f}); // NaN; linalg::check makes an Error of it
  });
  example("linalg::inv", [] { std::cout << rounded(tn::linalg::inv(general())); });
  example("linalg::det", [] { std::cout << rounded(tn::linalg::det(general())); });
  example("linalg::slogdet", [] {
    auto [sign, logabsdet] = tn::linalg::slogdet(general());
    std::cout << sign << " " << rounded(logabsdet);
  });
  example("linalg::matrix_power", [] { std::cout << tn::linalg::matrix_power(tn::Array{{1, 1}, {1, 0}}, 10); });
  example("linalg::qr", [] {
    auto [Q, R] = tn::linalg::qr(tall());
    std::cout << rounded(tn::matmul(Q, R)) << "\n" << rounded(tn::abs(R));
  });
  example("linalg::eigh", [] {
    auto [eigenvalues, eigenvectors] = tn::linalg::eigh(symmetric());
    std::cout << rounded(eigenvalues) << "\n" << rounded(tn::abs(eigenvectors));
  });
  example("linalg::eigvalsh", [] { std::cout << rounded(tn::linalg::eigvalsh(symmetric())); });
  example("linalg::eig", [] {
    auto [eigenvalues, eigenvectors] = tn::linalg::eig({{0.0f, -1.0f}, {1.0f, 0.0f}}); // a rotation
    std::cout << tn::imag(eigenvalues) << " " << rounded(tn::abs(eigenvectors));
  });
  example("linalg::eigvals", [] { std::cout << tn::linalg::eigvals({{0.0f, -1.0f}, {1.0f, 0.0f}}); });
  example("linalg::svd", [] {
    auto [U, S, Vh] = tn::linalg::svd(tall(), {.full_matrices = false});
    std::cout << rounded(S) << "\n" << rounded(tn::matmul(U * S, Vh));
  });
  example("linalg::svdvals", [] { std::cout << rounded(tn::linalg::svdvals(tall())); });
  example("linalg::pinv", [] { std::cout << rounded(tn::linalg::pinv(tall())); });
  example("linalg::matrix_rank", [] { std::cout << tn::linalg::matrix_rank({{1.0f, 2.0f}, {2.0f, 4.0f}}); });
  example("linalg::lstsq", [] {
    auto [solution, residuals, rank, singular_values] = tn::linalg::lstsq(tall(), {1.0f, 2.0f, 4.0f}); // a line
    std::cout << rounded(solution) << " " << rounded(residuals) << " " << rank;
  });
  example("linalg::polar", [] {
    auto [U, P] = tn::linalg::polar(general());
    std::cout << rounded(U) << "\n" << rounded(P);
  });
  example("linalg::expm", [] { std::cout << rounded(tn::linalg::expm({{0.0f, 1.0f}, {-1.0f, 0.0f}})); });
  example("linalg::sqrtm", [] { std::cout << rounded(tn::real(tn::linalg::sqrtm({{4.0f, 1.0f}, {0.0f, 9.0f}}))); });
  example("linalg::tridiagonal_solve", [] {
    tn::Array d = tn::full({4}, 2.0f), off = tn::full({4}, -1.0f);
    std::cout << rounded(tn::linalg::tridiagonal_solve(off, d, off, tn::ones({4, 1})));
  });
  example("linalg::block_diag",
          [] { std::cout << tn::linalg::block_diag({tn::Array{{1, 2}, {3, 4}}, tn::Array{5, 6}}); });
  example("linalg::toeplitz", [] { std::cout << tn::linalg::toeplitz({1, 2, 3}, {1, 8, 9}); });
  example("linalg::householder_product", [] {
    tn::Array x = {{1.0f}, {1.0f}}; // the reflection I - 1 * v v^T with v = (1, 1)
    std::cout << tn::linalg::householder_product(x, {1.0f});
  });
}
