//===- Scalar.h - the scalar bodies of elementwise ops --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From values of one element to arith ops with the semantics of the eager kernels
// (runtime/math/Numbers.h). What an op is stands in its record; Element.h has the
// functions that records use. Every op made here maps over vectors as it stands.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include "mlir/IR/Builders.h"

namespace tenon::compiler {

/// How an element lies in memory: bool is a byte, a narrow float its bits, a complex
/// number its two parts.
mlir::Type memoryType(mlir::MLIRContext *context, Dtype dtype);
/// What it is computed in: bool is i1, a narrow float is f32 rounded after every op,
/// or its bits if it only stores numbers. Integers are signless.
mlir::Type computeType(mlir::MLIRContext *context, Dtype dtype);

/// One element from its memory form, and back.
mlir::Value fromMemory(mlir::OpBuilder &b, mlir::Location loc, Dtype dtype, mlir::Value x);
mlir::Value toMemory(mlir::OpBuilder &b, mlir::Location loc, Dtype dtype, mlir::Value x);

struct ScalarCall {
  mlir::OpBuilder &b;
  mlir::Location loc;
  /// Operands in compute types, their dtypes, and the result's.
  llvm::ArrayRef<mlir::Value> x;
  llvm::ArrayRef<Dtype> dtypes;
  Dtype result;
};
/// The body of the elementwise op `code`; the result is in its compute type,
/// rounded to a narrow float where that is the dtype. Null if the op has no scalar body.
mlir::Value lowerScalar(OpCode code, const ScalarCall &call);
bool hasScalarBody(OpCode code);

/// The parts of a complex number.
struct Parts {
  mlir::Value real, imag;
};
Parts partsOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
mlir::Value joinParts(mlir::OpBuilder &b, mlir::Location loc, Parts parts);

/// A constant; the value's low bits where the type is narrower.
mlir::Value integerConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, int64_t value);
/// x converted to another dtype, by the rules of astype.
mlir::Value convertScalar(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, Dtype from, Dtype to);
/// f32 rounded to the nearest number of a narrow float, to even; NaN becomes quiet.
mlir::Value roundToNarrow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, Dtype dtype);
/// The number as the dtype's compute type holds it; not of a complex dtype.
mlir::TypedAttr scalarConstant(mlir::MLIRContext *context, ScalarAttr value, Dtype dtype);
/// The same as a value, of any dtype.
mlir::Value scalarValue(mlir::OpBuilder &b, mlir::Location loc, ScalarAttr value, Dtype dtype);
/// The word that is passed to a kernel for it: the bits of the compute type.
int64_t immediateWord(ScalarAttr value, Dtype dtype);

} // namespace tenon::compiler
