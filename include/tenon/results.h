//===- results.h - what functions of several results return ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tenon/array.h>

namespace tenon {

/// unique_counts: values of x's dtype [k], counts i64[k].
struct UniqueCounts {
  Array values, counts;
};

/// unique_inverse: values of x's dtype [k], inverse_indices i64 of x's shape:
/// x is values[inverse_indices].
struct UniqueInverse {
  Array values, inverse_indices;
};

/// unique_all: values of x's dtype [k], indices i64[k] of the first of each in the
/// flattened x, inverse_indices as above, counts i64[k].
struct UniqueAll {
  Array values, indices, inverse_indices, counts;
};

/// frexp: mantissa of x's float dtype and exponent i32, of x's shape.
struct MantissaExponent {
  Array mantissa, exponent;
};

/// top_k: values of x's dtype and indices i32, of x's shape but for k along the axis.
struct TopK {
  Array values, indices;
};

/// histogram: the counts i64[bins], or sums of weights, or densities; edges float[bins + 1].
struct Histogram {
  Array counts, edges;
};

/// tril_indices, triu_indices: i64[k] each; x[{rows, columns}] are these elements of x.
struct TriangleIndices {
  Array rows, columns;
};

} // namespace tenon
