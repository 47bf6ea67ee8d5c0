//===- results.h - what functions of several results return ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

namespace tenon {

/// Result of unique_counts: values in the dtype of x [k], counts i64[k].
struct UniqueCounts {
  Array values, counts;
};

/// Result of unique_inverse: values in the dtype of x [k], and inverse_indices i64 in the shape of x with x =
/// values[inverse_indices].
struct UniqueInverse {
  Array values, inverse_indices;
};

/// Result of unique_all: values in the dtype of x [k], indices i64[k] of first occurrences in the flattened x,
/// inverse_indices as in UniqueInverse, counts i64[k]. Of unique along an axis of n slices: values in the shape of x
/// but for that axis, of size k, and inverse_indices [n].
struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};

/// Result of frexp: mantissa in the floating dtype of x and exponent i32, both in the shape of x.
struct MantissaExponent {
  Array mantissa, exponent;
};

/// Result of top_k: values in the dtype of x and indices i32, in the shape of x except for size k along the axis.
struct TopK {
  Array values, indices;
};

/// Result of max_pool1d_with_indices and its kin: values in the dtype of x, and indices i64 into the flattened spatial
/// axes of x.
struct MaxPool {
  Array values, indices;
};

/// Result of histogram: counts i64[bins] (or sums of weights, or densities) and edges [bins + 1], floating.
struct Histogram {
  Array counts, edges;
};

/// Result of histogram2d: counts i64[x bins, y bins] (or sums of weights, or densities), and floating edges, one more
/// than bins along each axis.
struct Histogram2d {
  Array counts, x_edges, y_edges;
};

/// Result of divmod: both in the promoted dtype of x1 and x2, in their broadcast shape.
struct DivMod {
  Array quotient, remainder;
};

/// Result of tril_indices and triu_indices: i64[k] each; `x[{rows, columns}]` are the elements of the triangle.
struct TriangleIndices {
  Array rows, columns;
};

/// Result of batch_norm_training: y in the shape of x, mean and variance [channels], f32 for f16 and bf16.
struct BatchNorm {
  Array y, mean, variance;
};

/// Result of signal::lfilter: y in the shape of x, and the final state zf, of max(len(a), len(b)) - 1 elements along
/// the axis.
struct LfilterResult {
  Array y, zf;
};

/// Result of rnn: Y (steps, directions, batch, hidden) and Y_h (directions, batch, hidden).
struct RnnResult {
  Array Y, Y_h;
};

/// Result of gru, with the shapes of RnnResult.
struct GruResult {
  Array Y, Y_h;
};

/// Result of lstm: Y (steps, directions, batch, hidden), Y_h and Y_c (directions, batch, hidden).
struct LstmResult {
  Array Y, Y_h, Y_c;
};

// Results of linear algebra. Matrices are the last two axes, behind those of the batch; x has shape (m, n), and k is
// min(m, n).

/// Result of linalg::qr: Q (m, k) and R (k, n), or Q (m, m) and R (m, n).
struct QRResult {
  Array Q, R;
};

/// Result of linalg::eigh: real eigenvalues [n], ascending, and eigenvectors (n, n), in columns.
struct EighResult {
  Array eigenvalues, eigenvectors;
};

/// Result of linalg::eig: complex eigenvalues [n] and eigenvectors (n, n), in columns.
struct EigResult {
  Array eigenvalues, eigenvectors;
};

/// Result of linalg::svd: U (m, m) or (m, k), real S [k], descending, Vh (n, n) or (k, n).
struct SVDResult {
  Array U, S, Vh;
};

/// Result of linalg::lu: P (m, m), L (m, k), U (k, n).
struct LUResult {
  Array P, L, U;
};

/// Result of linalg::lu_factor: LU (m, n), pivots i32[k], permutation i32[m].
struct LUFactorResult {
  Array LU, pivots, permutation;
};

/// Result of linalg::slogdet: sign in the dtype of x, logabsdet real.
struct SlogdetResult {
  Array sign, logabsdet;
};

/// Result of linalg::lstsq: solution in the shape of b with n rows, residuals [columns of b], rank i64, singular_values
/// [k].
struct LstsqResult {
  Array solution, residuals, rank, singular_values;
};

/// Result of linalg::polar: U (m, n) and P (n, n).
struct PolarResult {
  Array U, P;
};

} // namespace tenon
