//===- Matrices.cpp - random matrices and vectors of them -------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Shaping.h"
#include "lib/random/Draw.h"

using namespace tenon;
using namespace tenon::detail;

/// Q of a normal matrix, with the signs that make R's diagonal positive: without them Q depends on the algorithm.
Array random::orthogonal(const Key &key, Dim n, const Shape &shape, Dtype dtype, Location at) {
  const Draw draw("random.orthogonal", key, at, {{"key", key.data}});
  draw.expectFloating(dtype);
  if (is_narrow(dtype))
    draw.refuse("expected f32 or f64, got " + std::string(short_name(dtype)));
  Shape matrices = shape;
  matrices.push_back(n, at);
  matrices.push_back(n, at);
  draw.expectSizes(matrices);
  const QRResult factors = linalg::qr(standardNormal(draw.key(), matrices, dtype));
  const Array isNegative = diagonal(factors.R, 0, -2, -1) < 0;
  return factors.Q * where(expand_dims(isNegative, {-2}), full({}, -1, dtype), full({}, 1, dtype));
}

Array random::multivariate_normal(const Key &key, const Operand &mean, const Operand &cov, const Shape &given,
                                  std::optional<Dtype> dtype, Location at) {
  const Draw draw("random.multivariate_normal", key, at, {{"key", key.data}, {"mean", mean}, {"cov", cov}});
  const Dtype type = draw.floating(dtype, {&mean, &cov});
  if (is_narrow(type))
    draw.refuse("expected f32 or f64, got " + std::string(short_name(type)));
  const Array center = draw.parameter("mean", mean, type), matrix = draw.parameter("cov", cov, type);
  const int rank = matrix.ndim();
  if (center.ndim() < 1 || rank < 2 || provably_equal(matrix.shape()[-1], matrix.shape()[-2]) != Always::yes ||
      provably_equal(matrix.shape()[-1], center.shape()[-1]) != Always::yes)
    draw.refuse("expected a mean of n elements and a matrix n by n as cov, got " + center.shape().str() + " and " +
                matrix.shape().str());
  const auto batchOf = [](const Array &x, int own) {
    Shape batch;
    for (int i = 0; i < x.ndim() - own; ++i)
      batch.push_back(x.shape()[i]);
    return batch;
  };
  Shape points = draw.shapeOf(given, {batchOf(center, 1), batchOf(matrix, 2)});
  points.push_back(center.shape()[-1], at);
  return center + matvec(linalg::cholesky(matrix), standardNormal(draw.key(), points, type));
}
