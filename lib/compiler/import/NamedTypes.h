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

#include <deque>

namespace tenon::compiler {

/// Types whose sizes are numbers are kept once for all values that have them.
class NamedTypes {
public:
  /// Null: it is no array, or none of the function's.
  const Type *find(mlir::Value value) const {
    if (auto known = static_.find(value.getType()); known != static_.end())
      return known->second;
    auto place = named_.find(value);
    return place == named_.end() ? nullptr : &place->second;
  }
  const Type &of(mlir::Value value) const { return *find(value); }
  void set(mlir::Value value, const Type &type);
  /// Of a value whose sizes are numbers: a sentence if its type is none of Tenon's.
  std::string setStatic(mlir::Value value);
  /// Before the value goes.
  void erase(mlir::Value value) { named_.erase(value); }

private:
  std::deque<Type> kept_;
  llvm::DenseMap<mlir::Type, const Type *> static_;
  llvm::DenseMap<mlir::Value, Type> named_;
};

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
