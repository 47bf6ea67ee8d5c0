//===- TenonDialect.h - the tenon dialect and its ops -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "dialect/model/Shape.h"
#include "dialect/model/Views.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/ir/TenonDialect.h.inc"

namespace tenon::ir {
/// The rule of a view op on its attributes and types: ViewOpInterface::mapView.
bool mapView(mlir::Operation *op, ViewMap &map);
} // namespace tenon::ir

// What mlir-tblgen writes has parameters that it does not use.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "dialect/ir/TenonInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialect/ir/TenonOps.h.inc"
#pragma GCC diagnostic pop
