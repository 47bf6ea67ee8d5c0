//===- kernels_blas_test.cpp - products and triangles for LAPACK -----------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function of runtime/lapack/Blas.h is compared with plain loops, on sizes around those of tiles and blocks, and
// gives the same bits on each instruction set.
//===----------------------------------------------------------------------===//
#include "KernelBlocks.h"

#include "runtime/lapack/Blas.h"

#include <complex>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tenon;
using namespace tenon::rt;
using namespace tenon::rt::test;

namespace {

using Wide = std::complex<long double>;

template <class T>
constexpr bool isComplex = requires(T x) { x.imag; };

template <class T>
Wide wide(T x) {
  if constexpr (isComplex<T>)
    return {x.real, x.imag};
  else
    return x;
}
template <class T>
T narrow(double real, double imag) {
  if constexpr (isComplex<T>)
    return {static_cast<decltype(T::real)>(real), static_cast<decltype(T::real)>(imag)};
  else
    return static_cast<T>(real);
}

template <class T>
const Blas<T> &functions(const KernelTable &table) {
  if constexpr (std::is_same_v<T, float>)
    return table.blas->f32;
  else if constexpr (std::is_same_v<T, double>)
    return table.blas->f64;
  else if constexpr (std::is_same_v<T, complex64_t>)
    return table.blas->c64;
  else
    return table.blas->c128;
}

/// A matrix, by rows or by columns, with space behind each.
template <class T>
struct Numbers {
  int64_t rows, columns, stride;
  bool isByRows;
  std::vector<T> all;

  Numbers(int64_t m, int64_t n, bool byRows)
      : rows(m), columns(n), stride((byRows ? n : m) + 3), isByRows(byRows),
        all(static_cast<size_t>(stride * (byRows ? m : n))) {}
  static Numbers random(int64_t m, int64_t n, bool byRows, std::mt19937 &engine) {
    Numbers result(m, n, byRows);
    std::uniform_real_distribution<double> number(-1, 1);
    for (T &x : result.all) {
      const double real = number(engine);
      x = narrow<T>(real, number(engine));
    }
    return result;
  }
  template <class Element>
  Matrix<Element> view(Element *data, bool isConjugated = false) const {
    return {data, isByRows ? stride : 1, isByRows ? 1 : stride, isConjugated};
  }
  Matrix<const T> operand(bool isConjugated = false) const { return view<const T>(all.data(), isConjugated); }
  Matrix<T> target() { return view<T>(all.data()); }
  T &operator()(int64_t i, int64_t j) { return all[static_cast<size_t>(isByRows ? i * stride + j : i + j * stride)]; }
  Wide at(int64_t i, int64_t j, bool isConjugated = false) const {
    const Wide x = wide(const_cast<Numbers &>(*this)(i, j));
    return isConjugated ? std::conj(x) : x;
  }
};

/// Calls `run(functions, c)` on a copy of `start` for each instruction set; the results have the same bits.
template <class T, class Run>
Numbers<T> onAll(const Numbers<T> &start, const char *what, Run &&run) {
  std::vector<Numbers<T>> results;
  for (const KernelTable *table : tables()) {
    results.push_back(start);
    run(functions<T>(*table), results.back());
    EXPECT_EQ(std::memcmp(results.front().all.data(), results.back().all.data(), start.all.size() * sizeof(T)), 0)
        << what;
  }
  return results.front();
}

template <class T>
bool isNear(T got, Wide expected, long double scale) {
  const long double unit = isComplex<T> ? sizeof(T) == 8 ? 1.2e-7 : 2.3e-16 : sizeof(T) == 4 ? 1.2e-7 : 2.3e-16;
  return std::abs(wide(got) - expected) <= unit * scale; // false of NaN
}

template <class T>
class KernelsBlas : public ::testing::Test {};
using Types = ::testing::Types<float, double, complex64_t, complex128_t>;
TYPED_TEST_SUITE(KernelsBlas, Types);

const int64_t sizes[] = {1, 2, 3, 5, 8, 13, 16, 31, 33, 40, 65, 100};

} // namespace

TYPED_TEST(KernelsBlas, ProductsEqualPlainLoops) {
  using T = TypeParam;
  std::mt19937 engine(1);
  const auto draw = [&] { return sizes[engine() % std::size(sizes)]; };
  const T factors[] = {narrow<T>(1, 0), narrow<T>(-1, 0), narrow<T>(0.75, 0.5), narrow<T>(0, 0)};
  for (int trial = 0; trial < 250; ++trial) {
    const int64_t m = trial % 20 == 3 ? 1100 : draw(), n = draw(), k = trial % 10 == 7 ? 1200 : draw();
    const bool bits[] = {engine() % 2 == 0, engine() % 2 == 0, engine() % 2 == 0, engine() % 2 == 0, engine() % 2 == 0};
    const auto a = Numbers<T>::random(m, k, bits[0], engine), b = Numbers<T>::random(k, n, bits[1], engine);
    auto c = Numbers<T>::random(m, n, bits[2], engine);
    const T alpha = factors[engine() % 4], beta = factors[engine() % 4];
    Numbers<T> expected = c;
    if (beta == T{})
      c(m - 1, n - 1) = narrow<T>(std::numeric_limits<double>::quiet_NaN(), 0);
    const std::string what = std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n);
    Numbers<T> got = onAll(c, what.c_str(), [&](const Blas<T> &blas, Numbers<T> &to) {
      blas.multiply(m, n, k, alpha, a.operand(bits[3]), b.operand(bits[4]), beta, to.target());
    });
    const bool isSquare = m == n;
    Numbers<T> triangle = c;
    if (isSquare)
      triangle = onAll(c, what.c_str(), [&](const Blas<T> &blas, Numbers<T> &to) {
        blas.multiplyToTriangle(bits[0], n, k, alpha, a.operand(bits[3]), b.operand(bits[4]), beta, to.target());
      });
    bool isRight = true;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        Wide sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += a.at(i, l, bits[3]) * b.at(l, j, bits[4]);
        const Wide value = wide(alpha) * sum + wide(beta) * expected.at(i, j);
        isRight &= isNear(got(i, j), value, 4.0L * (k + 2));
        if (isSquare && (bits[0] ? i >= j : i <= j))
          isRight &= isNear(triangle(i, j), value, 4.0L * (k + 2));
        else if (isSquare)
          isRight &= std::memcmp(&triangle(i, j), &c(i, j), sizeof(T)) == 0;
      }
    EXPECT_TRUE(isRight) << what;
  }
}

TYPED_TEST(KernelsBlas, TrianglesEqualPlainLoops) {
  using T = TypeParam;
  std::mt19937 engine(2);
  const auto draw = [&] { return sizes[engine() % std::size(sizes)]; };
  for (int trial = 0; trial < 150; ++trial) {
    const int64_t n = draw(), columns = draw();
    const bool isLower = engine() % 2, isUnit = engine() % 2, isConjugated = engine() % 2, byRows = engine() % 2;
    auto a = Numbers<T>::random(n, n, engine() % 2, engine);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        const Wide small = a.at(i, j) / static_cast<long double>(n) + (i == j ? 1.5L : 0.0L);
        a(i, j) = narrow<T>(static_cast<double>(small.real()), static_cast<double>(small.imag()));
      }
    const auto b = Numbers<T>::random(n, columns, byRows, engine);
    const std::string what = std::to_string(n) + " x " + std::to_string(columns) + (isLower ? " lower" : " upper");
    const auto multiplied = [&](const Numbers<T> &x, int64_t i, int64_t j) {
      Wide sum = isUnit ? x.at(i, j) : a.at(i, i, isConjugated) * x.at(i, j);
      for (int64_t l = isLower ? 0 : i + 1; l < (isLower ? i : n); ++l)
        sum += a.at(i, l, isConjugated) * x.at(l, j);
      return sum;
    };
    Numbers<T> product = onAll(b, what.c_str(), [&](const Blas<T> &blas, Numbers<T> &to) {
      blas.multiplyTriangle(isLower, isUnit, n, columns, a.operand(isConjugated), to.target());
    });
    Numbers<T> solution = onAll(b, what.c_str(), [&](const Blas<T> &blas, Numbers<T> &to) {
      blas.solveTriangle(isLower, isUnit, n, columns, a.operand(isConjugated), to.target());
    });
    bool isRight = true;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < columns; ++j)
        isRight &= isNear(product(i, j), multiplied(b, i, j), 64) &&
                   isNear(const_cast<Numbers<T> &>(b)(i, j), multiplied(solution, i, j), 64);
    EXPECT_TRUE(isRight) << what;
  }
}

TYPED_TEST(KernelsBlas, TinyNumbersInTrianglesDoNotOverflow) {
  using T = TypeParam;
  // 1 / a is the limit of what Smith's division reaches: no part of a is squared.
  const double tiny = sizeof(T) / (isComplex<T> ? 2 : 1) == 4 ? 1e-30 : 1e-250;
  Numbers<T> a(1, 1, false), b(1, 1, false);
  a(0, 0) = narrow<T>(tiny, tiny);
  b(0, 0) = narrow<T>(tiny, -tiny);
  const T x = onAll(b, "division", [&](const Blas<T> &blas, Numbers<T> &to) {
    blas.solveTriangle(true, false, 1, 1, a.operand(), to.target());
  })(0, 0);
  EXPECT_TRUE(isNear(x, isComplex<T> ? Wide(0, -1) : Wide(1), 4));
}
