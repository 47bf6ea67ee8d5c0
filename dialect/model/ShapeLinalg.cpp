//===- ShapeLinalg.cpp - shape rules of linear algebra ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/model/Shape.h"

#include <optional>

namespace tenon {
namespace {

/// The dtype of absolute values and eigenvalues of Hermitian matrices, and that of eigenvalues of others.
Dtype realDtype(Dtype dtype) { return kind(dtype) == Kind::complex ? partDtype(dtype) : dtype; }
Dtype wholeDtype(Dtype dtype) { return kind(dtype) == Kind::complex ? dtype : complexDtype(dtype); }

/// The largest size of a matrix, as in runtime/lapack/Lapack.h.
constexpr int64_t maxSize = 30000;

/// The sentence of an error of an array of matrices, or "".
std::string expectMatrices(const Type &x, const char *name) {
  const int rank = x.shape.rank();
  if (rank < 2)
    return std::string("expected ") + name + " of rank 2 or more, got " + x.str();
  for (int axis : {rank - 2, rank - 1})
    if (const Dim size = x.shape[axis]; size.is_static() && size.raw() > maxSize)
      return std::string("expected matrices of at most ") + std::to_string(maxSize) + " rows and columns, got " +
             x.str();
  return "";
}
std::string expectSquare(const Type &x, const char *name) {
  if (std::string error = expectMatrices(x, name); !error.empty())
    return error;
  const int rank = x.shape.rank();
  if (provably_equal(x.shape[rank - 2], x.shape[rank - 1]) != Always::yes)
    return std::string("expected square matrices, got ") + x.str();
  return "";
}

/// The axes before the last `rank` ones.
Shape batchOf(const Shape &shape, int rank) {
  Shape batch;
  for (int i = 0; i < shape.rank() - rank; ++i)
    batch.push_back(shape[i]);
  return batch;
}
Shape with(Shape batch, std::initializer_list<Dim> sizes) {
  for (Dim size : sizes)
    batch.push_back(size);
  return batch;
}
bool areSame(const Shape &a, const Shape &b) {
  bool isSame = a.rank() == b.rank();
  for (int i = 0; isSame && i < a.rank(); ++i)
    isSame = provably_equal(a[i], b[i]) == Always::yes;
  return isSame;
}

/// The smaller of rows and columns: the sentence of the error, or "".
std::string leastSize(const Type &x, Dim &least) {
  const Dim rows = x.shape[x.shape.rank() - 2], columns = x.shape[x.shape.rank() - 1];
  if (provably_less_equal(rows, columns) == Always::yes)
    least = rows;
  else if (provably_less_equal(columns, rows) == Always::yes)
    least = columns;
  else
    return "cannot compare the symbolic sizes " + rows.str() + " and " + columns.str() +
           "; give one of them a bound, or use exact sizes";
  return "";
}

/// A result of x's shape.
std::string inferSquare(const ShapeCall &call, Dtype dtype, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  if (std::string error = expectSquare(x, "an array"); !error.empty())
    return error;
  results.push_back({dtype, x.device, x.shape});
  return "";
}
/// A vector for each matrix, then perhaps a matrix.
std::string inferEigenvalues(const ShapeCall &call, Dtype values, std::optional<Dtype> vectors,
                             std::vector<Type> &results) {
  const Type &x = call.operands[0];
  if (std::string error = expectSquare(x, "an array"); !error.empty())
    return error;
  results.push_back({values, x.device, with(batchOf(x.shape, 2), {x.shape[x.shape.rank() - 1]})});
  if (vectors)
    results.push_back({*vectors, x.device, x.shape});
  return "";
}

} // namespace

std::string inferCholesky(const ShapeCall &call, std::vector<Type> &results) {
  return inferSquare(call, call.operands[0].dtype, results);
}
std::string inferExpm(const ShapeCall &call, std::vector<Type> &results) {
  return inferSquare(call, call.operands[0].dtype, results);
}
std::string inferSqrtm(const ShapeCall &call, std::vector<Type> &results) {
  return inferSquare(call, wholeDtype(call.operands[0].dtype), results);
}
std::string inferEigh(const ShapeCall &call, std::vector<Type> &results) {
  const Dtype dtype = call.operands[0].dtype;
  return inferEigenvalues(call, realDtype(dtype), dtype, results);
}
std::string inferEigvalsh(const ShapeCall &call, std::vector<Type> &results) {
  return inferEigenvalues(call, realDtype(call.operands[0].dtype), {}, results);
}
std::string inferEig(const ShapeCall &call, std::vector<Type> &results) {
  const Dtype dtype = wholeDtype(call.operands[0].dtype);
  return inferEigenvalues(call, dtype, dtype, results);
}
std::string inferEigvals(const ShapeCall &call, std::vector<Type> &results) {
  return inferEigenvalues(call, wholeDtype(call.operands[0].dtype), {}, results);
}

std::string inferTriangularSolve(const ShapeCall &call, std::vector<Type> &results) {
  const Type &a = call.operands[0], &b = call.operands[1];
  if (std::string error = expectSquare(a, "a"); !error.empty())
    return error;
  if (std::string error = expectMatrices(b, "b"); !error.empty())
    return error;
  if (a.dtype != b.dtype)
    return "expected operands of one dtype, got " + a.str() + " and " + b.str();
  if (!areSame(batchOf(a.shape, 2), batchOf(b.shape, 2)) ||
      provably_equal(a.shape[a.shape.rank() - 1], b.shape[b.shape.rank() - 2]) != Always::yes)
    return "expected b with as many rows as a has, and equal leading axes, got " + a.str() + " and " + b.str();
  results.push_back(b);
  return "";
}

std::string inferLuFactor(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  Dim least;
  if (std::string error = expectMatrices(x, "an array"); !error.empty())
    return error;
  if (std::string error = leastSize(x, least); !error.empty())
    return error;
  const Shape batch = batchOf(x.shape, 2);
  results.push_back(x);
  results.push_back({Dtype::i32, x.device, with(batch, {least})});
  results.push_back({Dtype::i32, x.device, with(batch, {x.shape[x.shape.rank() - 2]})});
  return "";
}

std::string inferPivotsToPermutation(const ShapeCall &call, std::vector<Type> &results) {
  if (call.operands[0].shape.rank() < 1)
    return "expected pivots of rank 1 or more, got " + call.operands[0].str();
  results.push_back(call.operands[0]);
  return "";
}

std::string inferQr(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  if (std::string error = expectMatrices(x, "an array"); !error.empty())
    return error;
  const Dim rows = x.shape[x.shape.rank() - 2], columns = x.shape[x.shape.rank() - 1];
  Dim width = rows;
  if (!QrAttrs::read(call.attributes).complete)
    if (std::string error = leastSize(x, width); !error.empty())
      return error;
  const Shape batch = batchOf(x.shape, 2);
  results.push_back({x.dtype, x.device, with(batch, {rows, width})});
  results.push_back({x.dtype, x.device, with(batch, {width, columns})});
  return "";
}

std::string inferSvd(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  Dim least;
  if (std::string error = expectMatrices(x, "an array"); !error.empty())
    return error;
  if (std::string error = leastSize(x, least); !error.empty())
    return error;
  const Dim rows = x.shape[x.shape.rank() - 2], columns = x.shape[x.shape.rank() - 1];
  const bool isFull = SvdAttrs::read(call.attributes).full_matrices;
  const Shape batch = batchOf(x.shape, 2);
  results.push_back({x.dtype, x.device, with(batch, {rows, isFull ? rows : least})});
  results.push_back({realDtype(x.dtype), x.device, with(batch, {least})});
  results.push_back({x.dtype, x.device, with(batch, {isFull ? columns : least, columns})});
  return "";
}

std::string inferSvdvals(const ShapeCall &call, std::vector<Type> &results) {
  const Type &x = call.operands[0];
  Dim least;
  if (std::string error = expectMatrices(x, "an array"); !error.empty())
    return error;
  if (std::string error = leastSize(x, least); !error.empty())
    return error;
  results.push_back({realDtype(x.dtype), x.device, with(batchOf(x.shape, 2), {least})});
  return "";
}

std::string inferTridiagonalSolve(const ShapeCall &call, std::vector<Type> &results) {
  const Type &b = call.operands[3];
  if (b.shape.rank() < 2)
    return "expected b of rank 2 or more, got " + b.str();
  const Shape diagonal = with(batchOf(b.shape, 2), {b.shape[b.shape.rank() - 2]});
  for (int i = 0; i < 3; ++i)
    if (call.operands[static_cast<size_t>(i)].dtype != b.dtype ||
        !areSame(call.operands[static_cast<size_t>(i)].shape, diagonal))
      return "expected diagonals " + Type{b.dtype, b.device, diagonal}.str() + " for b " + b.str() + ", got " +
             call.operands[static_cast<size_t>(i)].str();
  results.push_back(b);
  return "";
}

} // namespace tenon
