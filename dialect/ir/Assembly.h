//===- Assembly.h - how ops are printed and parsed ------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One form for every op that has a record: operands, the attributes by name,
// types, regions. Sizes stand in one list, static ones and index operands alike;
// types that are all the same are said once.
//
//   %0 = tenon.slice %x starts [0, 1] stops [%n, 5] steps [1, 2] : (tensor<?x6xf32>) -> tensor<?x2xf32>
//   %1 = tenon.full shape [%n, 2] value 0.5 dtype f32 : tensor<?x2xf32>
//   %2 = tenon.call %1 : tensor<?x2xf32> body "f"(%a: tensor<?x2xf32>) { ... }
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Op.h"

#include "mlir/IR/OpImplementation.h"

namespace tenon::ir {

/// An attribute may stand by its name, in any order, or in the dictionary, in the
/// form of its storage; then index operands may be listed after the arrays.
mlir::ParseResult parseRecordOp(OpCode code, mlir::OpAsmParser &parser, mlir::OperationState &result);
void printRecordOp(mlir::Operation *op, mlir::OpAsmPrinter &printer);

/// The name of the function that a region is, "" if it has none. It is the location of
/// the region's end: no part of what is compared, as locations are none.
llvm::StringRef nameOf(mlir::Region &region);
void setName(mlir::Region &region, llvm::StringRef name);

/// `true`, `-3`, `0.5`, `0x7FF8000000000000` (a real number that is not finite, by
/// its bits), `[0.0, 2.5]`: what is read is the number that was printed.
mlir::ParseResult parseNumber(mlir::OpAsmParser &parser, mlir::Attribute &result);
void printNumber(mlir::OpAsmPrinter &printer, ScalarAttr number);

/// `: (tensor<2xf32>) -> tensor<f32>`, or the one type of all `operands` and of the
/// only result.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, size_t operands, llvm::SmallVectorImpl<mlir::Type> &inputs,
                             llvm::SmallVectorImpl<mlir::Type> &results);
void printTypes(mlir::OpAsmPrinter &printer, mlir::TypeRange inputs, mlir::TypeRange results);

} // namespace tenon::ir
