//===- Bridge.h - between MLIR and the plain types, sizes and attribute words -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table-driven piece of code for all ops: OpInfo says which attributes an
// op has and how a trace stores them.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/model/Shape.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tenon::ir {

/// The attribute of a function's argument that names its sizes:
/// `["batch", 64]`.
inline constexpr llvm::StringLiteral dimsAttr = "tenon.dims";

mlir::Type elementType(mlir::MLIRContext *context, Dtype dtype);
std::optional<Dtype> dtypeOf(mlir::Type element);

/// A tensor type; symbols become `?`, a device other than the CPU the encoding.
mlir::RankedTensorType toMlir(mlir::MLIRContext *context, const Type &type);
/// `?` becomes Dim::unknown(); "" or what is wrong with `type`.
std::string fromMlir(mlir::Type type, Type &out);

/// `["batch", 64]`; null if no size of `shape` has a name.
mlir::ArrayAttr dimsToMlir(mlir::MLIRContext *context, const Shape &shape);
/// Gives the sizes of `type` the names in `dims`; "" or what is wrong.
std::string nameSizes(mlir::Attribute dims, Type &type);
/// The size that a `tenon.size` op stands for; unknown for any other value.
Dim sizeOf(mlir::Value value);
/// No value if `text` is no size, or too large a one.
std::optional<Dim> parseSize(llvm::StringRef text);

mlir::Attribute scalarToMlir(mlir::MLIRContext *context, ScalarAttr value);
std::optional<ScalarAttr> scalarFromMlir(mlir::Attribute attribute);

/// The record of an op of the dialect; null for tenon.size, tenon.return and
/// ops of other dialects.
const OpInfo *infoOf(mlir::Operation *op);

/// Operands of an op: the arrays, then the sizes.
size_t arrayCount(mlir::TypeRange operands);
inline size_t arrayCount(mlir::Operation *op) { return arrayCount(op->getOperandTypes()); }
/// True if the op has AttrSizedOperandSegments.
bool hasSegments(const OpInfo &info);

using AttrGetter = llvm::function_ref<mlir::Attribute(llvm::StringRef)>;
/// Appends the attribute words of an op whose attributes `get` gives by name and
/// whose operands after the arrays are `sizes`; "" or what is wrong.
std::string readAttributes(const OpInfo &info, AttrGetter get, mlir::ValueRange sizes, AttrWriter &out);
std::string readAttributes(mlir::Operation *op, AttrWriter &out);

/// Attributes and operands of an op with these attribute words; `size` makes
/// the index value of a size that is not static. `operands` holds the arrays.
void writeAttributes(mlir::MLIRContext *context, const OpInfo &info, AttrWords words,
                     llvm::function_ref<mlir::Value(Dim)> size, mlir::NamedAttrList &attributes,
                     llvm::SmallVectorImpl<mlir::Value> &operands);

/// inferTypes, with the op's name and an exception of the size arithmetic taken
/// out of the sentence.
std::string inferPlain(const ShapeCall &call, std::vector<Type> &results);

} // namespace tenon::ir
