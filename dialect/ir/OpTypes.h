//===- OpTypes.h - result types and verifiers that the ops' definitions call -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definitions that mlir-tblgen writes call these functions; dialect/records/Base.td and Regions.td have the calls.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/ir/Assembly.h"
#include "dialect/ir/Bridge.h"
#include "dialect/ir/TenonDialect.h"

namespace tenon::ir {

/// Appends the result types of an op that does not exist yet, by its shape rule.
llvm::LogicalResult inferTypes(const OpInfo &info, mlir::MLIRContext *context, std::optional<mlir::Location> location,
                               mlir::ValueRange operands, AttrGetter get, llvm::SmallVectorImpl<mlir::Type> &results);

/// inferTypes with the attributes as MLIR passes them: in the op's properties, or by name.
template <class OpT>
llvm::LogicalResult inferTypesOf(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                                 mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                 mlir::OpaqueProperties properties, llvm::SmallVectorImpl<mlir::Type> &results) {
  auto get = [&](llvm::StringRef name) -> mlir::Attribute {
    using Properties = typename OpT::Properties;
    if constexpr (!std::is_same_v<Properties, mlir::EmptyProperties>)
      if (properties)
        if (auto found = OpT::getInherentAttr(context, *properties.as<Properties *>(), name); found && *found)
          return *found;
    return attributes ? attributes.get(name) : mlir::Attribute();
  };
  return inferTypes(opInfo(OpT::getOpCode()), context, location, operands, get, results);
}

/// Whether an op may state these result types where its shape rule infers those.
bool areCompatible(mlir::TypeRange inferred, mlir::TypeRange stated);

/// Runs the shape rule of an op, and compares the result types that it states.
llvm::LogicalResult verifyTypes(mlir::Operation *op, std::span<const RegionType> regions = {});

/// verifyTypes of an op with regions, whose types the shape rule reads.
llvm::LogicalResult verifyRegionOp(mlir::Operation *op);

} // namespace tenon::ir
