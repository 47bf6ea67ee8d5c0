//===- KernelToLinalg.h - a kernel's region as linalg on one row ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage that people read and tests check: a function of one row over
// tensors in memory form. What can run in one walk over the row is one
// linalg.generic; a reduction ends a walk. A complex number is taken apart where it
// is read and joined where it is written. Its arguments: inputs, results,
// scratch rows, numbers, the row's length. Attributes tell the later stages
// which is which:
//   function  tenon.kernel = {outer, inputs, results, scratch, immediates}
//             tenon.short_row: the length of the row, 2 to 15
//   input     tenon.axes = array<i64>: the outer axes it has
//             tenon.repeated: the input has one element for each row, repeated along the row
// Elementwise kernels of short rows have tenon.short_row. Each serves one length. The code processes many rows as one
// long row: results are dense, and the rows of inputs that are broadcast are first written to a buffer.
// A linalg.generic that reduces what does not change along the row reads no row: it has a
// tensor.empty of the row's length as input, which says how often it runs.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/ir/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::compiler {

/// What the attribute `tenon.kernel` says.
struct KernelLayout {
  int64_t outer = 0, inputs = 0, results = 0, scratch = 0, immediates = 0;
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  /// No value if `function` has no such attribute.
  static std::optional<KernelLayout> of(mlir::Operation *function);
};
inline constexpr llvm::StringLiteral kernelAttr = "tenon.kernel", axesAttr = "tenon.axes",
                                     shortRowAttr = "tenon.short_row", repeatedAttr = "tenon.repeated";

/// The length of the rows of an elementwise kernel with outer axes if that is a number from 2 to 15, else 0.
int64_t shortRowOf(ir::KernelOp kernel);

/// Makes the function at the builder's place; null, with a diagnostic, if the
/// region holds an op that has no place in a kernel.
mlir::func::FuncOp lowerKernelToLinalg(ir::KernelOp kernel, llvm::StringRef name, mlir::OpBuilder &b);

/// Whether `function` is the form that is described above, of which text from outside may be no example; fails with
/// a diagnostic.
llvm::LogicalResult verifyLinalgForm(mlir::func::FuncOp function);

/// Bytes of an element in its memory form.
int64_t bytesOf(mlir::Type element);
/// Bytes of scratch for each element of the row's length.
int64_t scratchBytesPerElement(mlir::func::FuncOp linalgForm);

/// What two kernels must share to be one: the region and the length of short rows, without other sizes, numbers and
/// locations.
llvm::SmallVector<uintptr_t, 64> kernelKey(ir::KernelOp kernel);

} // namespace tenon::compiler
