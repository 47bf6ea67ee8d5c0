//===- NamedTypes.h - the types of a function's values, with the names of their sizes -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR keeps names of sizes at a function's arguments alone; the shape rules
// give those of all other values again.
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/ir/Bridge.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/DenseMap.h"

namespace tenon::compiler {

using NamedTypes = llvm::DenseMap<mlir::Value, Type>;

/// A requirement, with the op's name in its sentence, and whose it is.
struct PlacedRequirement : Requirement {
  mlir::Location at;
};

/// Adds the types of every tensor value in `function`, those in regions of its
/// ops included, and to `open` what the rules could not decide. The results of ops that have no record keep their
/// unnamed `?`.
/// "" or the first sentence that is wrong, with the op's name and place.
std::string nameTypes(mlir::FunctionOpInterface function, NamedTypes &types,
                      std::vector<PlacedRequirement> *open = nullptr);

/// `'tenon.add' op at file:3:4: sentence`.
std::string sentenceAt(mlir::Operation *op, const std::string &sentence);

} // namespace tenon::compiler
