//===- 16_linear_algebra.cpp - lesson 16: matrices --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected output: 16_linear_algebra.expected.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <filesystem>
#include <iostream>

namespace tn = tenon;
namespace la = tenon::linalg;

// To three decimals, with 0 for -0.
static tn::Array rounded(const tn::Array &x) { return tn::round(x * 1000) / 1000 + 0; }

int main() {
  // The functions are those of numpy.linalg. solve is faster and more accurate than inv and a product.
  tn::Array a = {{2.0f, 1.0f}, {4.0f, 5.0f}}, b = {3.0f, 9.0f};
  std::cout << rounded(la::solve(a, b)) << "\n" << rounded(la::inv(a)) << "\n" << rounded(la::det(a)) << "\n\n";

  // Leading axes are a batch. A singular matrix gives NaN, without stopping the others of its batch.
  tn::Array batch = {{{2.0f, 0.0f}, {0.0f, 4.0f}}, {{1.0f, 2.0f}, {2.0f, 4.0f}}, {{0.0f, 1.0f}, {1.0f, 0.0f}}};
  tn::Array sides = {{{2.0f}, {4.0f}}, {{1.0f}, {1.0f}}, {{5.0f}, {6.0f}}};
  tn::Array solved = la::solve(batch, sides);
  std::cout << tn::squeeze(solved, -1) << "\n";
  // linalg::check makes an Error of it.
  try {
    (void)la::check(solved);
  } catch (const tn::Error &error) {
    std::cout << error.message() << "\n\n";
  }

  // Many right-hand sides: factorize once. A symmetric positive definite matrix has a Cholesky factor.
  tn::Array spd = {{4.0f, 2.0f}, {2.0f, 3.0f}};
  tn::Array L = la::cholesky(spd);
  std::cout << rounded(L) << "\n" << rounded(la::cholesky_solve({8.0f, 8.0f}, L)) << "\n";
  // The product of the squared diagonal is the determinant: 8.
  std::cout << rounded(tn::prod(tn::diagonal(L)) * tn::prod(tn::diagonal(L))) << "\n\n";

  // Least squares: the parabola 1 - 2 t + 3 t^2 from noisy points, in f64.
  tn::Array t = tn::linspace(-1, 1, 50, tn::f64);
  tn::Array noise = 0.01 * tn::random::normal(tn::random::key(1), {50}, tn::f64);
  tn::Array powers = tn::stack({tn::ones_like(t), t, t * t}, 1);
  auto fit = la::lstsq(powers, 1 - 2 * t + 3 * t * t + noise);
  std::cout << tn::round(fit.solution * 100) / 100 << " rank " << fit.rank << "\n\n";

  // Eigenvalues of a symmetric matrix ascend. Those of a chain of n springs are 2 - 2 cos(pi k / (n + 1)).
  const int n = 5;
  tn::Array chain = 2 * tn::eye(n) - tn::eye(n, n, 1) - tn::eye(n, n, -1);
  auto [w, V] = la::eigh(chain);
  std::cout << rounded(w) << "\n" << rounded(2 - 2 * tn::cos(3.14159265f * tn::arange(1, n + 1) / (n + 1))) << "\n";
  std::cout << "V w V^T is the chain: "
            << (tn::allclose(tn::matmul(V * w, tn::transpose(V)), chain, 1e-5, 1e-5) ? "yes" : "no") << "\n\n";

  // Singular values say how well a matrix of lower rank can approximate. The best one of rank k keeps the k
  // largest; its error is the norm of the others. Here of 1000 digits, one in each row.
  const std::string folder = (std::filesystem::path(__FILE__).parent_path() / "data/digits").string();
  tn::Array images = tn::load_idx(folder + "/train-images-idx3-ubyte")[{tn::slice(1000)}];
  tn::Array digits = tn::reshape(tn::astype(images, tn::f32) / 255, {1000, 64});
  auto [U, S, Vh] = la::svd(digits, {.full_matrices = false});
  for (int k : {1, 8, 20, 40}) {
    tn::Array approximation = tn::matmul(U[{tn::_, tn::slice(k)}] * S[{tn::slice(k)}], Vh[{tn::slice(k)}]);
    const float error = la::matrix_norm(digits - approximation).item<float>();
    const float others = tn::vector_norm(S[{tn::slice(k, tn::_)}]).item<float>();
    std::cout << tn::format("rank {:2}: error {:.2f}, norm of the other singular values {:.2f}\n", k, error, others);
  }
  std::cout << "\n";

  // All of them have derivatives. For a gradient g of x = a^-1 b, that of b is u = a^-T g; here g is ones ...
  auto total = [](const tn::Array &a, const tn::Array &b) { return tn::sum(la::solve(a, b)); };
  auto [da, db] = tn::grad<0, 1>(total)(a, b);
  tn::Array adjoint = la::solve(tn::transpose(a), tn::ones({2}));
  std::cout << rounded(db) << " " << rounded(adjoint) << "\n";
  // ... and that of a is -u x^T.
  std::cout << rounded(da) << "\n" << rounded(-tn::outer(adjoint, la::solve(a, b))) << "\n";
  // The gradient of log |det a| is the transpose of the inverse.
  auto logarithm = [](const tn::Array &a) { return la::slogdet(a).logabsdet; };
  std::cout << rounded(tn::grad(logarithm)(a)) << "\n";
  // An eigenvalue changes by v^T da v for its unit vector v.
  auto smallest = [](const tn::Array &x) { return la::eigvalsh(x)[0]; };
  tn::Array v = V[{tn::_, 0}];
  std::cout << "derivative of an eigenvalue: "
            << (tn::allclose(tn::grad(smallest)(chain), tn::outer(v, v), 1e-4, 1e-5) ? "v v^T" : "another") << "\n";

  // Newton's method, compiled: the minimum of a function of several numbers from its Hessian.
  auto rosenbrock = [](const tn::Array &x) { return tn::square(1 - x[0]) + 100 * tn::square(x[1] - x[0] * x[0]); };
  auto newton =
      tn::jit([&](const tn::Array &x) { return x - la::solve(tn::hessian(rosenbrock)(x), tn::grad(rosenbrock)(x)); });
  tn::Array x = {-1.2f, 1.0f};
  for (int step = 0; step < 7; ++step)
    x = newton(x);
  std::cout << "the minimum: " << rounded(x) << "\n";
}
