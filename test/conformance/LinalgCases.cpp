//===- LinalgCases.cpp - linear algebra -------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors are made unique before they are compared: columns have a positive first element, R a positive diagonal, and
// factors of complex matrices are multiplied back. Matrices that have to be far from singular are the sum of an input
// and a multiple of the identity; the reference makes the same ones.
//===----------------------------------------------------------------------===//
#include "test/conformance/Case.h"

#include <tenon/ops.h>

namespace tenon::conformance {

using List = const std::vector<Array> &;
using Results = std::vector<Array>;

static Array adjoint(const Array &x) { return conj(matrix_transpose(x)); }
static bool isComplex(const Array &x) { return kind(x.dtype()) == Kind::complex; }
/// x + shift * I.
static Array shifted(const Array &x, double shift) {
  return x + shift * eye(x.shape()[-2], x.shape()[-1], 0, x.dtype());
}
/// x + 6 where i + j = rows - 1: each pivot is far larger than the other elements, and rows are exchanged.
static Array pivoted(const Array &x) { return x + 6 * flip(eye(x.shape()[-2], x.shape()[-1], 0, x.dtype()), 0); }
/// x / 4 + diag(2, 4, 6, ...): singular values and eigenvalues that are far from each other.
static Array spread(const Array &x) {
  const Dim columns = x.shape()[-1];
  return x / 4 + eye(x.shape()[-2], columns, 0, x.dtype()) * astype(2 * arange(1, columns + 1), x.dtype());
}
/// A positive definite matrix.
static Array definite(const Array &x) { return shifted(matmul(x, adjoint(x)), 2); }
/// u * diag(1, 2, ...) * vh.
static Array weighted(const Array &u, const Array &vh) {
  const Dim count = vh.shape()[-2];
  return matmul(u * astype(arange(1, count + 1), u.dtype()), vh);
}
/// 1 and -1: multiplied by them, each column has a positive first element.
static Array signsOf(const Array &columns) { return sign(columns[{ellipsis, slice(0, 1), _}]); }

/// A case in all columns, and one of a transposed batch.
template <class F>
static void matrices(CaseList &list, Dims dims, F f, std::string attributes = "", std::string label = "") {
  const Dtype t = list.dtype();
  label = dimsText(dims) + label;
  list.all(label, {{t, dims, Fill::distinct}}, [f](List x) -> Results { return f(x[0]); }, attributes);
  list.plain(
      "2x" + label + "-transposed", {{t, {2, dims[0], dims[1]}, Fill::distinct, Layout::transposed}},
      [f](List x) -> Results { return f(x[0]); }, attributes);
}
/// A case in the column f alone.
template <class F>
static void plain(CaseList &list, Dims dims, F f, std::string attributes = "", std::string label = "") {
  list.plain(
      dimsText(dims) + label, {{list.dtype(), dims, Fill::distinct}}, [f](List x) -> Results { return f(x[0]); },
      attributes);
}
/// A matrix and right-hand sides.
template <class F>
static void equations(CaseList &list, Dims a, Dims b, F f, std::string attributes = "", std::string label = "") {
  list.all(
      dimsText(a) + "," + dimsText(b) + label, {{list.dtype(), a, Fill::distinct}, {list.dtype(), b}},
      [f](List x) -> Results { return f(x[0], x[1]); }, attributes);
}

//===----------------------------------------------------------------------===//
// Triangular factors and equations
//===----------------------------------------------------------------------===//

static void choleskys(CaseList &list) {
  const auto lower = [](const Array &x) { return Results{linalg::cholesky(definite(x))}; };
  matrices(list, {3, 3}, lower, "\"upper\": false");
  plain(list, {12, 12}, lower, "\"upper\": false");
  plain(list, {0, 0}, lower, "\"upper\": false");
  matrices(
      list, {4, 4}, [](const Array &x) { return Results{linalg::cholesky(definite(x), {.upper = true})}; },
      "\"upper\": true");
}
static void triangularSolves(CaseList &list) {
  for (int flags = 0; flags < 16; ++flags) {
    const bool left = !(flags & 1), lower = flags & 2, transposed = flags & 4, unit = flags & 8;
    const auto solve = [=](const Array &a, const Array &b) {
      return Results{linalg::triangular_solve(
          shifted(a, 4), b, {.left_side = left, .lower = lower, .transpose_a = transposed, .unit_diagonal = unit})};
    };
    const std::string attributes =
        format("\"left\": {}, \"lower\": {}, \"transposed\": {}, \"unit\": {}", left ? "true" : "false",
               lower ? "true" : "false", transposed ? "true" : "false", unit ? "true" : "false");
    const std::string label = " " + std::to_string(flags);
    equations(list, {3, 3}, left ? Dims{3, 2} : Dims{2, 3}, solve, attributes, label);
    list.plain(
        "11x11,11" + label, {{list.dtype(), {11, 11}}, {list.dtype(), {11}}}, [=](List x) { return solve(x[0], x[1]); },
        attributes);
  }
}
static void luFactors(CaseList &list) {
  const auto factors = [](const Array &x) {
    const LUFactorResult made = linalg::lu_factor(pivoted(x));
    return Results{made.LU, made.pivots, made.permutation};
  };
  matrices(list, {3, 3}, factors);
  matrices(list, {4, 2}, factors);
  matrices(list, {2, 4}, factors);
  plain(list, {13, 9}, factors);
  plain(list, {0, 3}, factors);
}
static void lus(CaseList &list) {
  const auto factors = [](const Array &x) {
    const auto [P, L, U] = linalg::lu(pivoted(x));
    return Results{P, L, U};
  };
  matrices(list, {3, 3}, factors);
  matrices(list, {4, 2}, factors);
  matrices(list, {2, 4}, factors);
}
static void permutations(CaseList &list) {
  list.plain("5", {{Dtype::i32, {1}}}, [](List x) {
    // Row exchanges 0-2, 1-3, 2-4, 3-4, 4-4 of a triangular system with the identity.
    const Array pivots = minimum(arange(5) + 2, 4) + x[0] * 0;
    return Results{astype(linalg::lu_solve(identity(5), pivots, arange(5) * 1.0f), i32)};
  });
}
static void solves(CaseList &list) {
  const auto solve = [](const Array &a, const Array &b) { return Results{linalg::solve(shifted(a, 3), b)}; };
  equations(list, {3, 3}, {3, 2}, solve);
  equations(list, {4, 4}, {4}, solve);
  equations(list, {2, 3, 3}, {3, 1}, solve);
  list.plain("20x20,20x5", {{list.dtype(), {20, 20}}, {list.dtype(), {20, 5}}},
             [=](List x) { return solve(x[0], x[1]); });
}
static void luSolves(CaseList &list) {
  for (bool transposed : {false, true})
    equations(
        list, {3, 3}, {3, 2},
        [=](const Array &a, const Array &b) {
          const LUFactorResult made = linalg::lu_factor(shifted(a, 3));
          return Results{linalg::lu_solve(made.LU, made.pivots, b, transposed)};
        },
        format("\"transposed\": {}", transposed ? "true" : "false"), transposed ? " transposed" : "");
}
static void choleskySolves(CaseList &list) {
  for (bool upper : {false, true})
    equations(
        list, {3, 3}, {3, 2},
        [=](const Array &a, const Array &b) {
          return Results{linalg::cholesky_solve(b, linalg::cholesky(definite(a), {.upper = upper}), upper)};
        },
        "", upper ? " upper" : "");
}
static void tridiagonalSolves(CaseList &list) {
  const auto solve = [](List x) {
    return Results{linalg::tridiagonal_solve(x[0], x[1] + astype(full({}, 5.0f), x[1].dtype()), x[2], x[3])};
  };
  const Dtype t = list.dtype();
  list.all("4,4x2", {{t, {4}}, {t, {4}}, {t, {4}}, {t, {4, 2}}}, solve);
  list.plain("2x9,2x9x3", {{t, {2, 9}}, {t, {2, 9}}, {t, {2, 9}}, {t, {2, 9, 3}}}, solve);
}
static void invs(CaseList &list) {
  const auto inverse = [](const Array &x) { return Results{linalg::inv(shifted(x, 3))}; };
  matrices(list, {3, 3}, inverse);
  plain(list, {12, 12}, inverse);
}
static void dets(CaseList &list) {
  const auto determinant = [](const Array &x) { return Results{linalg::det(pivoted(x))}; };
  matrices(list, {3, 3}, determinant);
  plain(list, {0, 0}, [](const Array &x) { return Results{linalg::det(x)}; });
}
static void slogdets(CaseList &list) {
  matrices(list, {3, 3}, [](const Array &x) {
    const auto [sign, logabsdet] = linalg::slogdet(pivoted(x));
    return Results{sign, logabsdet};
  });
}
static void matrixPowers(CaseList &list) {
  for (int n : {0, 1, 3, -2})
    matrices(
        list, {3, 3}, [=](const Array &x) { return Results{linalg::matrix_power(n < 0 ? shifted(x, 4) : x, n)}; },
        format("\"n\": {}", n), " to the " + std::to_string(n));
}

//===----------------------------------------------------------------------===//
// Orthogonal factors
//===----------------------------------------------------------------------===//

static void qrs(CaseList &list) {
  const auto factors = [](const Array &x) {
    const auto [Q, R] = linalg::qr(x);
    const Array signs = astype(sign(real(diagonal(R, 0, -2, -1))), x.dtype());
    return Results{Q * expand_dims(signs, {-2}), R * expand_dims(signs, {-1})};
  };
  matrices(list, {3, 3}, factors);
  matrices(list, {4, 2}, factors);
  matrices(list, {2, 4}, factors);
  plain(list, {17, 10}, factors);
  plain(
      list, {5, 2},
      [](const Array &x) {
        const auto [Q, R] = linalg::qr(x, QRMode::complete);
        return Results{matmul(Q, R), matmul(adjoint(Q), Q)};
      },
      "\"complete\": true", " complete");
}
static void eighs(CaseList &list) {
  const auto pairs = [](const Array &x) {
    const auto [w, V] = linalg::eigh(spread(x));
    return Results{w, isComplex(V) ? weighted(V, adjoint(V)) : V * signsOf(V)};
  };
  matrices(list, {3, 3}, pairs);
  plain(list, {9, 9}, pairs);
  plain(
      list, {4, 4},
      [](const Array &x) {
        const auto [w, V] = linalg::eigh(spread(x), {.lower = false, .symmetrize_input = false});
        return Results{w, weighted(V, adjoint(V))};
      },
      "\"upper\": true", " upper");
}
static void eigvalshs(CaseList &list) {
  matrices(list, {3, 3}, [](const Array &x) { return Results{linalg::eigvalsh(spread(x))}; });
}
static void svds(CaseList &list) {
  const auto factors = [](const Array &x) {
    const auto [U, S, Vh] = linalg::svd(spread(x), {.full_matrices = false});
    return Results{S, weighted(U, Vh), weighted(U, adjoint(U)), weighted(adjoint(Vh), Vh)};
  };
  matrices(list, {3, 3}, factors);
  matrices(list, {4, 2}, factors);
  matrices(list, {2, 4}, factors);
  plain(list, {12, 7}, factors);
  plain(
      list, {2, 4},
      [](const Array &x) {
        const auto [U, S, Vh] = linalg::svd(spread(x));
        return Results{matmul(adjoint(U), U), S, matmul(Vh, adjoint(Vh))};
      },
      "\"full\": true", " full");
}
static void svdvalses(CaseList &list) {
  const auto values = [](const Array &x) { return Results{linalg::svdvals(spread(x))}; };
  matrices(list, {3, 3}, values);
  matrices(list, {4, 2}, values);
}
static void pinvs(CaseList &list) {
  const auto inverse = [](const Array &x) { return Results{linalg::pinv(spread(x))}; };
  matrices(list, {4, 2}, inverse);
  matrices(list, {2, 4}, inverse);
}
static void matrixRanks(CaseList &list) {
  plain(list, {4, 3}, [](const Array &x) {
    return Results{linalg::matrix_rank(spread(x)), linalg::matrix_rank(matmul(adjoint(x)[{slice(0, 2)}], spread(x)))};
  });
}
static void lstsqs(CaseList &list) {
  for (const Dims &dims : {Dims{4, 2}, Dims{2, 4}})
    equations(list, dims, {dims[0], 2}, [](const Array &a, const Array &b) {
      const LstsqResult made = linalg::lstsq(spread(a), b);
      return Results{made.solution, made.rank, made.singular_values};
    });
}
static void polars(CaseList &list) {
  const auto factors = [](const Array &x) {
    const auto [U, P] = linalg::polar(spread(x));
    return Results{U, P};
  };
  matrices(list, {3, 3}, factors);
  matrices(list, {4, 2}, factors);
}

//===----------------------------------------------------------------------===//
// General matrices, and matrices made of arrays
//===----------------------------------------------------------------------===//

/// Eigenvalues have no order: sums of their powers, which are traces.
static void eigvalses(CaseList &list) {
  matrices(list, {3, 3}, [](const Array &x) {
    const Array w = linalg::eigvals(spread(x));
    return isComplex(x) ? Results{sum(w, {-1}), sum(w * w, {-1})} : Results{real(sum(w, {-1})), real(sum(w * w, {-1}))};
  });
}
static void eigs(CaseList &list) {
  plain(list, {4, 4}, [](const Array &x) {
    const auto [w, V] = linalg::eig(spread(x));
    return Results{matmul(V * expand_dims(w, {-2}), linalg::inv(V))};
  });
}
static void expms(CaseList &list) {
  matrices(list, {3, 3}, [](const Array &x) { return Results{linalg::expm(x)}; });
  plain(list, {6, 6}, [](const Array &x) { return Results{linalg::expm(x * 0.5f)}; }, "\"half\": true");
}
static void sqrtms(CaseList &list) {
  matrices(list, {3, 3}, [](const Array &x) {
    const Array root = linalg::sqrtm(shifted(x * 0.25f, 3));
    return Results{isComplex(x) ? root : real(root)};
  });
}
static void blocks(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("2x3,2,1x1", {{t, {2, 3}}, {t, {2}}, {t, {1, 1}}}, [](List x) { return Results{linalg::block_diag(x)}; });
}
static void toeplitzes(CaseList &list) {
  const Dtype t = list.dtype();
  list.all("3,4", {{t, {3}}, {t, {4}}}, [](List x) { return Results{linalg::toeplitz(x[0], x[1])}; });
  list.plain("3", {{t, {3}}}, [](List x) { return Results{linalg::toeplitz(x[0])}; });
}
static void householders(CaseList &list) {
  const auto product = [](const Array &x, const Array &taus) { return Results{linalg::householder_product(x, taus)}; };
  equations(list, {4, 3}, {3}, product);
  equations(list, {3, 3}, {2}, product);
}

static const OpCases table[] = {
    {"cholesky", choleskys},
    {"triangular_solve", triangularSolves},
    {"lu_factor", luFactors},
    {"pivots_to_permutation", permutations},
    {"qr", qrs},
    {"eigh", eighs},
    {"eigvalsh", eigvalshs},
    {"svd", svds},
    {"svdvals", svdvalses},
    {"eig", eigs},
    {"eigvals", eigvalses},
    {"expm", expms},
    {"sqrtm", sqrtms},
    {"tridiagonal_solve", tridiagonalSolves},
    {"solve", solves},
    {"inv", invs},
    {"lu", lus},
    {"lu_solve", luSolves},
    {"cholesky_solve", choleskySolves},
    {"det", dets},
    {"slogdet", slogdets},
    {"matrix_power", matrixPowers},
    {"pinv", pinvs},
    {"matrix_rank", matrixRanks},
    {"lstsq", lstsqs},
    {"polar", polars},
    {"block_diag", blocks},
    {"toeplitz", toeplitzes},
    {"householder_product", householders},
};
std::span<const OpCases> linalgCases() { return table; }

} // namespace tenon::conformance
