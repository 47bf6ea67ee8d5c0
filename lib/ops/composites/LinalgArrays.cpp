//===- LinalgArrays.cpp - matrices made of arrays ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/base/Describe.h"
#include "lib/ops/composites/Linalg.h"

using namespace tenon;
using namespace tenon::detail;

static Scalar zeroOf(Dtype dtype) { return dtype == Dtype::bool_ ? Scalar(false) : Scalar(0); }

Array tenon::linalg::block_diag(const Arrays &xs, Location at) {
  DoorScope scope("", "block_diag", at, {{"xs", xs}});
  std::vector<Array> rows;
  Dim before = 0, total = 0;
  std::vector<Array> blocks;
  for (const Array &x : toOneDtype(xs, at)) {
    if (x.ndim() > 2)
      refuse("expected matrices, vectors or numbers, got " + describe(x.dtype(), x.shape()), at);
    blocks.push_back(x.ndim() == 2 ? x : reshape(x, {1, -1}));
    total += columnsOf(blocks.back());
  }
  for (const Array &block : blocks) {
    const Dim behind = before + columnsOf(block);
    rows.push_back(pad(block, zeroOf(block.dtype()), {0, before}, {0, total - behind}));
    before = behind;
  }
  return concatenate(rows, 0, at);
}

Array tenon::linalg::toeplitz(const Operand &c, const Operand &r) {
  const Location at = c.location();
  DoorScope scope("toeplitz", at, {{"c", c}, {"r", r}});
  std::vector<Array> both = promoted("toeplitz", {&c, &r});
  const Array column = reshape(both[0], {-1});
  const Array row = both[1].has_value() ? reshape(both[1], {-1}) : conjugate(column);
  const Dim rows = column.shape()[0], columns = row.shape()[0];
  if (isNone(rows) || isNone(columns))
    return full({rows, columns}, zeroOf(column.dtype()), column.dtype(), column.device());
  // Diagonal j - i has element rows - 1 + j - i.
  const Array all = concatenate({flip(column, {0}), partOf(row, 0, 1, columns)}, 0, at);
  const Array down = flip(iota(rows, Dtype::i64, column.device(), at), {0});
  return take(all, asColumn(down) + iota(columns, Dtype::i64, column.device(), at), 0);
}

/// The product of reflections is I - V T V^H, where T is upper triangular and inverse(T) = diag(1 / taus) + the part of
/// V^H V above the diagonal. Multiplied by diag(taus) that holds for a tau of 0, too.
Array tenon::linalg::householder_product(const Operand &x, const Operand &taus) {
  const Location at = x.location();
  DoorScope scope("householder_product", at, {{"x", x}, {"taus", taus}});
  const MatrixFloats floats("householder_product", {&x, &taus});
  const Array &given = floats[0], &scales = floats[1];
  expectMatrices(given, at);
  const Dim rows = rowsOf(given), columns = columnsOf(given);
  if (provably_less_equal(columns, rows) != Always::yes || scales.ndim() != given.ndim() - 1 ||
      provably_less_equal(scales.shape()[-1], columns) != Always::yes)
    refuse("expected x of at least as many rows as columns, and at most as many taus, got " +
               describe(given.dtype(), given.shape()) + " and " + describe(scales.dtype(), scales.shape()),
           at);
  const Dim count = scales.shape()[-1];
  const Array v = tril(partOf(given, given.ndim() - 1, 0, count), -1) + identityLike(given, rows, count);
  const Array products = triu(matmul(adjoint(v), v), 1) * asColumn(scales);
  const Array t = triangularSolve(products, diagonalMatrix(scales), false, false, true, at);
  const Array first = adjoint(partOf(v, v.ndim() - 2, 0, columns));
  return identityLike(given, rows, columns) - matmul(v, matmul(t, first));
}
