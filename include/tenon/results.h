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
/// inverse_indices as in UniqueInverse, counts i64[k].
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

/// Result of histogram: counts i64[bins] (or sums of weights, or densities) and edges [bins + 1], floating.
struct Histogram {
  Array counts, edges;
};

/// Result of tril_indices and triu_indices: i64[k] each; `x[{rows, columns}]` are the elements of the triangle.
struct TriangleIndices {
  Array rows, columns;
};

} // namespace tenon
