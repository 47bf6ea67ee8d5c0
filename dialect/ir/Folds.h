//===- Folds.h - what the folds share -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fold changes no bit of a result, NaN's payload apart: x + 0.0 is not x for
// x = -0, and complex x * 1 is not x for an infinite part.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/ir/Bridge.h"
#include "dialect/ir/TenonDialect.h"

namespace tenon::ir {

/// The number that every element of `value` is, before it is rounded to the
/// dtype: of a `full` seen through views. No value for anything else.
std::optional<ScalarAttr> splatOf(mlir::Value value);

/// `number` as exactly the same number of `dtype`; no value if there is none,
/// or for NaN and complex numbers.
std::optional<ScalarAttr> exactly(ScalarAttr number, Dtype dtype);

/// `value` in place of an op's only result: only if the types are equal.
inline mlir::OpFoldResult sameType(mlir::Operation *op, mlir::Value value) {
  return value.getType() == op->getResult(0).getType() ? mlir::OpFoldResult(value) : mlir::OpFoldResult();
}

inline std::optional<Dtype> elementDtype(mlir::Value value) {
  return dtypeOf(llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType());
}

} // namespace tenon::ir
