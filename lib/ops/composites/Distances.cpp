//===- Distances.cpp - distances and unit vectors ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/ops/composites/Floats.h"
#include "lib/ops/composites/Shaping.h"

using namespace tenon;
using namespace tenon::detail;

static void expectDivisor(const char *function, double epsilon, Location at) {
  if (!(epsilon > 0))
    refuse(function, "expected an epsilon > 0, got " + Scalar(epsilon).str(), at);
}

/// x of length 1 along the axis; what is shorter than `epsilon` is divided by that.
static Array unitOf(const Array &x, int axis, double p, double epsilon) {
  return x / maximum(vector_norm(x, axis, true, p), epsilon);
}

Array tenon::detail::normalize(const Operand &operand, double p, Axis axis, double epsilon) {
  const Location at = operand.location();
  return ofFloat("normalize", operand, [&](const Array &x) {
    expectDivisor("normalize", epsilon, at);
    return unitOf(x, axisOf(x, axis, at), p, epsilon);
  });
}

Array tenon::detail::cosine_similarity(const Operand &x1, const Operand &x2, Axis axis, double epsilon) {
  const Location at = x1.location();
  return ofFloats("cosine_similarity", x1, x2, [&](const Array &a, const Array &b) {
    expectDivisor("cosine_similarity", epsilon, at);
    const Shape shape = broadcastOf({a, b}, at);
    const Array first = broadcast(a, shape, at), second = broadcast(b, shape, at);
    const int place = axisOf(first, axis, at);
    return sum(unitOf(first, place, 2, epsilon) * unitOf(second, place, 2, epsilon), place);
  });
}

Array tenon::detail::pairwise_distance(const Operand &x1, const Operand &x2, double p, double epsilon, bool keepdims) {
  return ofFloats("pairwise_distance", x1, x2,
                  [&](const Array &a, const Array &b) { return vector_norm(a - b + epsilon, -1, keepdims, p); });
}

Array tenon::detail::cdist(const Operand &x1, const Operand &x2, double p) {
  const Location at = x1.location();
  return ofFloats("cdist", x1, x2, [&](const Array &a, const Array &b) {
    if (a.ndim() < 2 || b.ndim() < 2 || provably_equal(a.shape()[-1], b.shape()[-1]) != Always::yes)
      refuse("cdist",
             "expected x1 (..., m, width) and x2 (..., n, width), got " + a.shape().str() + " and " + b.shape().str(),
             at);
    return vector_norm(expand_dims(a, -2) - expand_dims(b, -3), -1, false, p);
  });
}

Array tenon::detail::bilinear(const Operand &x1, const Operand &x2, const Operand &weight, const Operand &bias) {
  const Location at = x1.location();
  DoorScope scope("bilinear", at, {{"x1", x1}, {"x2", x2}, {"weight", weight}});
  const Floats floats("bilinear", {&x1, &x2, &weight, &bias});
  for (const Operand *needed : {&x2, &weight})
    if (needed->is_none())
      refuse("bilinear", "expected an array, got an empty Array", needed->location());
  const Array &a = floats[0], &b = floats[1], &w = floats[2];
  if (w.ndim() != 3 || a.ndim() < 1 || b.ndim() < 1 || provably_equal(a.shape()[-1], w.shape()[1]) != Always::yes ||
      provably_equal(b.shape()[-1], w.shape()[2]) != Always::yes)
    refuse("bilinear",
           "expected x1 (..., m), x2 (..., n) and a weight (features, m, n), got " + a.shape().str() + ", " +
               b.shape().str() + " and " + w.shape().str(),
           at);
  // (..., features, n) and (..., n).
  const Array y = matvec(tensordot(a, w, {-1}, {1}), b);
  if (!floats[3].has_value())
    return floats.rounded(y);
  if (provably_equal(floats[3].shape(), {w.shape()[0]}) != Always::yes)
    refuse("bilinear", "expected a bias of " + w.shape()[0].str() + " elements, got " + floats[3].shape().str(), at);
  return floats.rounded(y + floats[3]);
}
