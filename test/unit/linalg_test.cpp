//===- linalg_test.cpp - linear algebra at its edges ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the conformance test does not show: singular matrices, NaN, equal eigenvalues, the derivatives of complex
// factors, larger matrices. A derivative is compared with a difference of the loss.
//===----------------------------------------------------------------------===//
#include <tenon/tenon.h>

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace tenon;

namespace {

double number(const Array &x) { return astype(x, f64).item<double>(); }
bool isNan(const Array &x) { return all(isnan(x)).item<bool>(); }
double distance(const Array &x1, const Array &x2) { return number(max(abs(x1 - x2))); }

/// Numbers that have no pattern, f64.
Array numbers(int64_t rows, int64_t columns, int seed = 1) {
  const Array places = astype(arange(1, rows * columns + 1), f64);
  return reshape(sin(places * places * 0.731 + places * 12.9898 + seed * 78.233) * 1.3, {rows, columns});
}
/// A complex square matrix.
Array complexOf(const Array &x) { return complex(x, sin(x * 3.0) + matrix_transpose(x) * 0.3); }
Array adjoint(const Array &x) { return conj(matrix_transpose(x)); }
Array part(const Array &x, int rows, int columns) { return x[{slice(0, rows), slice(0, columns)}]; }

using Function = std::function<std::vector<Array>(const Array &)>;

/// Compares the derivative of a loss with a difference along one direction, and the compiled one with it by bits.
void expectDerivative(const char *what, const Array &x, const Function &function) {
  const auto loss = [&](const Array &point) {
    Array total = full({}, 0, f64);
    int count = 0;
    for (Array y : function(point)) {
      if (kind(y.dtype()) == Kind::complex)
        y = real(y) * 0.7 + imag(y) * 1.3;
      total = total + sum(y * (y * 0.5 + 1)) * ++count;
    }
    return total;
  };
  const Array slope = grad(loss)(x), direction = sin(x * 5.0 + 0.2);
  constexpr double h = 1e-5;
  const double difference = (number(loss(x + direction * h)) - number(loss(x - direction * h))) / (2 * h);
  const double along = number(sum(slope * direction));
  EXPECT_NEAR(along, difference, 1e-6 * std::max(1.0, std::abs(difference))) << what;
  EXPECT_EQ(distance(jit(grad(loss))(x), slope), 0) << what;
}

} // namespace

TEST(Linalg, SingularMatricesGiveNan) {
  const Array singular = {{1.0f, 2.0f}, {2.0f, 4.0f}}, b = {1.0f, 1.0f};
  EXPECT_TRUE(isNan(linalg::inv(singular)));
  EXPECT_TRUE(isNan(linalg::solve(singular, b)));
  EXPECT_TRUE(isNan(jit([](const Array &x) { return linalg::inv(x); })(singular)));
  const auto [sign, logabsdet] = linalg::slogdet(singular);
  EXPECT_EQ(number(sign), 0);
  EXPECT_EQ(number(logabsdet), -INFINITY);
  EXPECT_EQ(number(linalg::det(singular)), 0);
  EXPECT_EQ(number(linalg::cond(singular, MatrixNorm::one)), INFINITY);
  EXPECT_THROW((void)linalg::check(linalg::inv(singular)), Error);
  EXPECT_EQ(distance(linalg::check(b), b), 0);
}

TEST(Linalg, OneSingularMatrixDoesNotSpoilTheBatch) {
  const Array x = linalg::inv({{{1.0f, 2.0f}, {2.0f, 4.0f}}, {{2.0f, 0.0f}, {0.0f, 4.0f}}});
  EXPECT_TRUE(isNan(x[0]));
  EXPECT_EQ(distance(x[1], {{0.5f, 0.0f}, {0.0f, 0.25f}}), 0);
}

TEST(Linalg, CholeskyOfIndefiniteMatricesIsNan) {
  EXPECT_TRUE(isNan(linalg::cholesky({{1.0f, 2.0f}, {2.0f, 1.0f}})[1]));
}

TEST(Linalg, AUnitDiagonalIsNotRead) {
  const Array x = linalg::triangular_solve({{0.0f, NAN}, {2.0f, INFINITY}}, {{1.0f}, {5.0f}},
                                           {.lower = true, .unit_diagonal = true});
  EXPECT_EQ(distance(x, {{1.0f}, {3.0f}}), 0);
}

TEST(Linalg, OnlyOneTriangleIsRead) {
  const Array x = {{2.0, NAN}, {1.0, 2.0}}, y = {{2.0, 1.0}, {1.0, 2.0}};
  EXPECT_EQ(distance(linalg::eigvalsh(x, {.symmetrize_input = false}), linalg::eigvalsh(y)), 0);
  EXPECT_EQ(distance(linalg::cholesky(x, {.symmetrize_input = false}), linalg::cholesky(y)), 0);
}

/// As LAPACK chooses, for small matrices, too.
TEST(Linalg, TheFirstOfEqualPivotsIsTaken) {
  EXPECT_EQ(linalg::lu_factor({{1.0f, 2.0f}, {-1.0f, 3.0f}}).pivots.to_vector<int32_t>(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(linalg::lu_factor({{0.0f, 2.0f}, {1.0f, 3.0f}}).pivots.to_vector<int32_t>(), (std::vector<int32_t>{1, 1}));
}

TEST(Linalg, ImaginaryPivotsDivide) {
  const Array i = complex(zeros({2, 2}, f64), Array{{2.0, 0.0}, {1.0, 4.0}});
  EXPECT_EQ(distance(matmul(i, linalg::inv(i)), identity(2, c128)), 0);
}

TEST(Linalg, RootsArePrincipal) {
  const Array turn = astype(Array{{-1.0f, 1.0f}, {-1.0f, -1.0f}}, f64), root = linalg::sqrtm(turn);
  EXPECT_LT(distance(matmul(root, root), astype(turn, c128)), 1e-14);
  EXPECT_LT(number(max(abs(imag(root)))), 1e-14) << "of a real matrix without negative eigenvalues";
  EXPECT_EQ(distance(linalg::sqrtm(zeros({3, 3}, f64)), zeros({3, 3}, c128)), 0);
}

TEST(Linalg, ExponentialsOfLargeMatricesAreScaled) {
  const Array quarter = astype(Array{{0.0f, -1.0f}, {1.0f, 0.0f}}, f64);
  for (double angle : {1.0, 5.0, 5.4, 10.7, 21.4, 100.0}) {
    const Array turn = identity(2, f64) * std::cos(angle) + quarter * std::sin(angle);
    EXPECT_LT(distance(linalg::expm(quarter * angle), turn), 1e-13) << angle;
  }
}

TEST(Linalg, NanAndInfinityTerminate) {
  for (double bad : {NAN, INFINITY, -INFINITY})
    for (int64_t n : {2, 20}) {
      Array x = numbers(n, n);
      x = x.at[{n - 1, n - 1}].set(bad);
      EXPECT_TRUE(isNan(linalg::svd(x).S));
      EXPECT_TRUE(isNan(linalg::eigh(x).eigenvalues));
      EXPECT_TRUE(isNan(real(linalg::eig(x).eigenvalues)));
      EXPECT_TRUE(isNan(linalg::qr(x).R));
      EXPECT_TRUE(isNan(linalg::expm(x)));
    }
}

TEST(Linalg, LargeMatricesAreFactored) {
  const Array all = numbers(300, 300);
  for (Dtype dtype : {f32, f64, c64, c128}) {
    const double unit = dtype == f32 || dtype == c64 ? 1e-3 : 1e-11;
    const auto from = [&](int rows, int columns) {
      const Array x = part(all, rows, columns);
      return kind(dtype) == Kind::complex ? astype(complex(x, sin(x * 3.0)), dtype) : astype(x, dtype);
    };
    for (const auto &[rows, columns] : {std::pair(150, 150), {210, 90}, {90, 210}, {270, 300}}) {
      const Array x = from(rows, columns);
      const auto [Q, R] = linalg::qr(x);
      EXPECT_LT(distance(matmul(Q, R), x), unit) << name(dtype);
      const auto [U, S, Vh] = linalg::svd(x, {.full_matrices = false});
      EXPECT_LT(distance(matmul(U * S, Vh), x), unit) << name(dtype);
    }
    const Array x = from(150, 150), b = from(150, 40), square = matmul(x, adjoint(x)) + 3 * identity(150, dtype);
    EXPECT_LT(distance(matmul(square, linalg::inv(square)), identity(150, dtype)), 10 * unit);
    EXPECT_LT(distance(matmul(square, linalg::solve(square, b)), b), 10 * unit);
    const Array L = linalg::cholesky(square);
    EXPECT_LT(distance(matmul(L, adjoint(L)), square), unit * 10);
    const auto [w, V] = linalg::eigh(square);
    EXPECT_LT(distance(matmul(V * w, adjoint(V)), square), unit * 10);
    const auto [v, W] = linalg::eig(x);
    EXPECT_LT(distance(matmul(astype(x, W.dtype()), W), W * v), unit * 10) << name(dtype);
  }
}

TEST(Linalg, DerivativesOfComplexFactors) {
  const Array x = numbers(4, 4);
  const auto definite = [](const Array &z) { return matmul(z, adjoint(z)) + 2 * identity(4, c128); };
  expectDerivative("cholesky", x,
                   [&](const Array &x) { return std::vector{linalg::cholesky(definite(complexOf(x)))}; });
  expectDerivative("solve", x,
                   [](const Array &x) { return std::vector{linalg::solve(complexOf(x), matrix_transpose(x))}; });
  expectDerivative("lu", x, [](const Array &x) { return std::vector{linalg::lu_factor(complexOf(x)).LU}; });
  for (const auto &[rows, columns] : {std::pair(4, 4), {4, 2}, {2, 4}}) {
    expectDerivative("qr", x, [&](const Array &x) {
      const auto [Q, R] = linalg::qr(part(complexOf(x), rows, columns));
      return std::vector{Q, R};
    });
    expectDerivative("svd", x, [&](const Array &x) {
      const auto [U, S, Vh] = linalg::svd(part(complexOf(x), rows, columns), {.full_matrices = false});
      return std::vector{S, matmul(U * (S * S), Vh), matmul(U * S, adjoint(U))};
    });
    expectDerivative("pinv", x,
                     [&](const Array &x) { return std::vector{linalg::pinv(part(complexOf(x), rows, columns))}; });
  }
  expectDerivative("eigh", x, [](const Array &x) {
    const auto [w, V] = linalg::eigh(complexOf(x));
    return std::vector{w, matmul(V * w * w, adjoint(V))};
  });
  expectDerivative("eigvals", x, [](const Array &x) {
    const Array w = linalg::eigvals(complexOf(x));
    return std::vector{sum(w * w * w), sum(abs(w))};
  });
  expectDerivative("eig", x, [](const Array &x) {
    const auto [w, V] = linalg::eig(x);
    return std::vector{sum(w * w), sum(abs(V) * abs(w), {-1})};
  });
  expectDerivative("eig of complex matrices", x, [](const Array &x) {
    const auto [w, V] = linalg::eig(complexOf(x));
    return std::vector{sum(w * w), sum(abs(V) * abs(w), {-1})};
  });
  expectDerivative("expm", x, [](const Array &x) { return std::vector{linalg::expm(complexOf(x))}; });
  expectDerivative("sqrtm", x, [](const Array &x) { return std::vector{linalg::sqrtm(complexOf(x))}; });
  expectDerivative("det", x, [](const Array &x) { return std::vector{linalg::det(complexOf(x))}; });
}

TEST(Linalg, DerivativesOfEqualEigenvaluesAreFinite) {
  const Array x = identity(3, f64);
  const auto loss = [](const Array &x) {
    const auto [w, V] = linalg::eigh(x);
    const auto [U, S, Vh] = linalg::svd(x);
    return sum(w * w) + sum(V) + sum(S * S) + sum(U * Vh);
  };
  EXPECT_TRUE(all(isfinite(grad(loss)(x))).item<bool>());
  // The trace of the squares does not see which eigenvectors are chosen.
  const Array slope = grad([](const Array &x) { return sum(square(linalg::eigvalsh(x))); })(x);
  EXPECT_LT(distance(slope, 2 * x), 1e-12);
}

TEST(Linalg, DeterminantOfSingularMatricesHasADerivative) {
  // All cofactors of a rank-2 matrix, and those of one of rank 1, which are 0.
  const Array x = astype(Array{{1.0f, 2.0f, 3.0f}, {2.0f, 4.0f, 6.0f}, {1.0f, 0.0f, 1.0f}}, f64);
  const Array cofactors = {{4.0, 4.0, -4.0}, {-2.0, -2.0, 2.0}, {0.0, 0.0, 0.0}};
  const auto slope = grad([](const Array &x) { return linalg::det(x); });
  EXPECT_LT(distance(slope(x), cofactors), 1e-12);
  EXPECT_LT(distance(slope(ones({3, 3}, f64)), zeros({3, 3}, f64)), 1e-12);
  // A difference of values.
  const Array direction = numbers(3, 3);
  const double h = 1e-3, along = number(sum(cofactors * direction));
  EXPECT_NEAR((number(linalg::det(x + direction * h)) - number(linalg::det(x - direction * h))) / (2 * h), along, 1e-5);
}

/// The second derivative of the determinant of a 3 x 3 matrix: of x[i, j] and x[k, l] it is the element of x in the
/// third row and column, with a sign.
static Array secondOfDeterminant(const Array &x) {
  Array result = zeros({3, 3, 3, 3}, x.dtype());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          if (i != k && j != l)
            result =
                result.at[{i, j, k, l}].set(x[{3 - i - k, 3 - j - l}] * ((k - i + 3) % 3 == (l - j + 3) % 3 ? 1 : -1));
  return result;
}

TEST(Linalg, DeterminantHasSecondDerivativesAtAnyRank) {
  const Array u = linalg::qr(numbers(3, 3, 2)).Q, v = linalg::qr(numbers(3, 3, 3)).Q;
  const auto det = [](const Array &x) { return linalg::det(x); };
  std::vector<Array> matrices = {
      astype(Array{{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}, {7.0f, 8.0f, 9.0f}}, f64),
      astype(Array{{1.0f, 2.0f, 3.0f}, {2.0f, 4.0f, 6.0f}, {-1.0f, -2.0f, -3.0f}}, f64),
      zeros({3, 3}, f64),
      identity(3, f64),
      numbers(3, 3),
  };
  for (const Array &values :
       {Array{3.0, 1.0, 1e-3}, Array{3.0, 1.0, 1e-9}, Array{3.0, 1.0, 0.0}, Array{3.0, 1e-9, 1e-9},
        Array{1e-3, 1e-3, 1e-12}, Array{1e4, 1e-4, 1e-7}, Array{2.0, 0.0, 0.0}})
    matrices.push_back(matmul(u * astype(values, f64), v));
  for (const Array &x : matrices) {
    const Array expected = secondOfDeterminant(x), found = hessian(det)(x);
    const double size = std::max(number(max(abs(x))), 1e-3);
    EXPECT_LE(distance(found, expected), 1e-14 * size) << x;
    EXPECT_LE(distance(jacobian_reverse(grad(det))(x), expected), 1e-14 * size) << x;
    const Array narrow = astype(x, f32), ofNarrow = secondOfDeterminant(narrow);
    EXPECT_LE(distance(hessian(det)(narrow), ofNarrow), 1e-5 * size) << x;
    EXPECT_EQ(distance(jit(hessian(det))(x), found), 0);
  }
  const Array all = stack(matrices), each = vmap(hessian(det))(all);
  for (size_t i = 0; i < matrices.size(); ++i)
    EXPECT_LE(distance(each[static_cast<int>(i)], secondOfDeterminant(matrices[i])),
              1e-14 * std::max(number(max(abs(matrices[i]))), 1e-3));
  // Of complex matrices, and a third derivative at a singular one: 1, 0 or -1.
  const Array z = complex(matrices[0], matrices[1]), unit = matmul(astype(u, c128), z);
  EXPECT_LE(distance(hessian(det, {.holomorphic = true})(unit), secondOfDeterminant(unit)), 1e-13);
  const Array third = jacobian_reverse(hessian(det))(matrices[0]);
  EXPECT_LE(distance(third, jacobian_reverse(hessian(det))(identity(3, f64))), 1e-14);
  EXPECT_NEAR(number(third[{0, 0, 1, 1, 2, 2}]), 1, 1e-14);
}

TEST(Linalg, DeterminantsOfSmallNumbersHavePreciseDerivatives) {
  const auto slope = grad([](const Array &x) { return linalg::det(x); });
  const Array x = numbers(3, 3);
  EXPECT_LT(distance(slope(x * 0x1p-30) * 0x1p60, slope(x)), 1e-14);
}

TEST(Linalg, DeterminantsOfNoRowsAndOfNanHaveDerivatives) {
  const auto total = [](const Array &x) { return sum(linalg::det(x)); };
  EXPECT_EQ(grad(total)(zeros({2, 0, 0}, f64)).shape(), Shape({2, 0, 0}));
  EXPECT_EQ(grad(total)(zeros({0, 2, 2}, f64)).shape(), Shape({0, 2, 2}));
  EXPECT_TRUE(isNan(grad(total)(full({2, 2}, NAN, f64))));
  const Array x = numbers(3, 3);
  auto ofAnySize = jit(grad(total), {.specs = {TensorSpec{f64, {"n", "n"}}}});
  EXPECT_EQ(distance(ofAnySize(x), grad(total)(x)), 0);
  EXPECT_EQ(number(ofAnySize(zeros({1, 1}, f64))), 1);
}

TEST(Linalg, SomeDerivativesAreErrors) {
  const Array x = numbers(3, 2);
  EXPECT_THROW((void)grad([](const Array &x) { return sum(linalg::svd(x).U); })(x), Error);
  EXPECT_THROW((void)grad([](const Array &x) { return sum(linalg::qr(x, QRMode::complete).Q); })(x), Error);
}

TEST(Linalg, ThreadsDoNotChangeBits) {
  const Array x = reshape(numbers(300, 100), {300, 10, 10});
  const Array all = linalg::inv(x);
  for (int64_t i : {0, 151, 299})
    EXPECT_EQ(distance(all[i], linalg::inv(x[i])), 0);
  EXPECT_EQ(distance(vmap([](const Array &x) { return linalg::inv(x); })(x), all), 0);
}

TEST(Linalg, SymbolicSizesShareOneProgram) {
  auto f = jit([](const Array &x) { return linalg::solve(x, linalg::cholesky(x)); },
               {.specs = {TensorSpec{f64, {"n", "n"}}}});
  for (int64_t n : {3, 5, 12}) {
    const Array x = matmul(numbers(n, n), matrix_transpose(numbers(n, n))) + identity(n, f64);
    EXPECT_EQ(distance(f(x), linalg::solve(x, linalg::cholesky(x))), 0);
  }
}

TEST(Linalg, NormsOfSingularValues) {
  const Array x = stack({numbers(4, 3), numbers(4, 3, 2)}), s = linalg::svdvals(x);
  EXPECT_EQ(distance(linalg::matrix_norm(x, false, MatrixNorm::spectral), max(s, -1)), 0);
  EXPECT_EQ(distance(linalg::matrix_norm(x, false, MatrixNorm::minus_spectral), min(s, -1)), 0);
  EXPECT_EQ(distance(linalg::matrix_norm(x, true, MatrixNorm::nuclear), sum(s, {-1}, true)[{ellipsis, newaxis}]), 0);
  EXPECT_LT(distance(linalg::cond(x), max(s, -1) / min(s, -1)), 1e-12);
}

TEST(Linalg, RandomMatrices) {
  const Array Q = random::orthogonal(random::key(1), 4, {2}, f64);
  EXPECT_LT(distance(matmul(Q, matrix_transpose(Q)), broadcast_to(identity(4, f64), {2, 4, 4})), 1e-14);
  const Array cov = astype(Array{{2.0f, 0.5f}, {0.5f, 1.0f}}, f64);
  const Array points = random::multivariate_normal(random::key(2), {1.0, -1.0}, cov, {20000});
  EXPECT_LT(distance(mean(points, 0), {1.0, -1.0}), 0.05);
  const Array centered = points - mean(points, 0);
  EXPECT_LT(distance(matmul(matrix_transpose(centered), centered) / 20000, cov), 0.05);
}
