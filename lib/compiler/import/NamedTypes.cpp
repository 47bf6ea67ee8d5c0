//===- NamedTypes.cpp - the types of a function's values, with the names of their sizes -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/import/NamedTypes.h"

#include "dialect/ir/TenonDialect.h"
#include "dialect/model/RegionLayout.h"
#include "lib/compiler/import/Locations.h"

using namespace tenon;
using namespace tenon::compiler;

static bool isStatic(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

void NamedTypes::set(mlir::Value value, const Type &type) {
  if (!isStatic(value.getType()))
    named_.insert_or_assign(value, type);
  else if (const Type *&known = static_[value.getType()]; !known)
    known = &kept_.emplace_back(type);
}

std::string NamedTypes::setStatic(mlir::Value value) {
  if (static_.contains(value.getType()))
    return "";
  Type type;
  std::string error = ir::fromMlir(value.getType(), type);
  if (error.empty())
    set(value, type);
  return error;
}

std::string compiler::sentenceAt(mlir::Operation *op, const std::string &sentence) {
  std::string text = "'" + op->getName().getStringRef().str() + "' op";
  TraceLocation at = locationFromMlir(op->getLoc());
  if (!at.file.empty())
    text += " at " + at.file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return text + ": " + sentence;
}

/// `inferred` holds names where the IR says `?`, and the IR sizes where the
/// inference had to leave an unknown one.
static std::string refine(mlir::Type stated, tenon::Type &inferred) {
  tenon::Type plain;
  if (std::string error = ir::fromMlir(stated, plain); !error.empty())
    return error;
  bool fits =
      plain.dtype == inferred.dtype && plain.device == inferred.device && plain.shape.rank() == inferred.shape.rank();
  for (int axis = 0; fits && axis < plain.shape.rank(); ++axis) {
    Dim &dim = inferred.shape.at(axis);
    if (dim.is_unknown())
      dim = plain.shape[axis];
    else
      fits = plain.shape[axis].is_unknown() || plain.shape[axis].raw() == dim.raw();
  }
  return fits ? "" : "expected the type " + inferred.str() + ", got " + plain.str();
}

using OpenList = std::vector<PlacedRequirement>;

static std::string nameBlock(mlir::Block &block, NamedTypes &types, OpenList *open);

static std::string nameOp(mlir::Operation &op, NamedTypes &types, OpenList *open) {
  const OpInfo *info = ir::infoOf(&op);
  if (!info) {
    // A kernel says what its results' sizes are called.
    auto named = op.getAttrOfType<mlir::ArrayAttr>(ir::dimsAttr);
    for (mlir::OpResult result : op.getResults())
      if (llvm::isa<mlir::RankedTensorType>(result.getType())) {
        tenon::Type type;
        if (std::string error = ir::fromMlir(result.getType(), type); !error.empty())
          return error;
        const unsigned number = result.getResultNumber();
        if (named && number < named.size() && named[number] != mlir::ArrayAttr::get(op.getContext(), {}))
          if (std::string error = ir::nameSizes(named[number], type); !error.empty())
            return error;
        types.set(result, type);
      }
    return "";
  }
  // Sizes that are numbers have no names, and the op's verifier has seen to the rest.
  if (!open && !op.getNumRegions() && llvm::all_of(op.getResultTypes(), isStatic) &&
      llvm::all_of(op.getOperandTypes(), isStatic)) {
    for (mlir::Value value : llvm::concat<mlir::Value>(op.getOperands(), op.getResults()))
      if (std::string error = types.setStatic(value); !error.empty())
        return error;
    return "";
  }
  std::vector<tenon::Type> operands;
  for (mlir::Value operand : op.getOperands().take_front(ir::arrayCount(&op))) {
    const tenon::Type *type = types.find(operand);
    if (!type)
      return "an operand is no array of this function";
    operands.push_back(*type);
  }
  AttrWriter words;
  if (std::string error = ir::readAttributes(&op, words); !error.empty())
    return error;
  std::vector<RegionType> regions;
  for (auto [number, region] : llvm::enumerate(op.getRegions())) {
    std::vector<tenon::Type> inputs = regionInputs(*info, number, operands, words.words(), regions);
    if (region.empty() || inputs.size() != region.getNumArguments())
      return "its region has " + std::to_string(region.empty() ? 0 : region.getNumArguments()) +
             " arguments, expected " + std::to_string(inputs.size());
    for (auto [argument, type] : llvm::zip_equal(region.getArguments(), inputs)) {
      if (std::string error = refine(argument.getType(), type); !error.empty())
        return error;
      types.set(argument, type);
    }
    if (std::string error = nameBlock(region.front(), types, open); !error.empty())
      return error;
    RegionType &signature = regions.emplace_back();
    signature.inputs = std::move(inputs);
    for (mlir::Value output : region.front().getTerminator()->getOperands())
      if (const tenon::Type *type = types.find(output))
        signature.outputs.push_back(*type);
      else
        return "its region returns what is no array";
  }
  std::vector<tenon::Type> results;
  std::vector<Requirement> undecided;
  ShapeCall call{*info, operands, words.words(), regions, open ? &undecided : nullptr};
  if (std::string error = ir::inferPlain(call, results); !error.empty())
    return error;
  for (Requirement &one : undecided) {
    one.sentence = std::string(info->name) + ": " + one.sentence;
    open->push_back({std::move(one), op.getLoc()});
  }
  if (results.size() != op.getNumResults())
    return "expected " + std::to_string(results.size()) + " results, got " + std::to_string(op.getNumResults());
  for (auto [value, type] : llvm::zip_equal(op.getResults(), results)) {
    if (std::string error = refine(value.getType(), type); !error.empty())
      return error;
    types.set(value, type);
  }
  return "";
}

static std::string nameBlock(mlir::Block &block, NamedTypes &types, OpenList *open) {
  for (mlir::Operation &op : block) {
    std::string error = nameOp(op, types, open);
    if (!error.empty())
      return error.starts_with("'") ? error : sentenceAt(&op, error);
  }
  return "";
}

std::string compiler::nameTypes(mlir::FunctionOpInterface function, NamedTypes &types, OpenList *open) {
  if (function.isExternal())
    return "function '" + function.getName().str() + "': expected a body";
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    if (!llvm::isa<mlir::RankedTensorType>(argument.getType()))
      continue;
    tenon::Type type;
    std::string error = ir::fromMlir(argument.getType(), type);
    if (mlir::Attribute dims = function.getArgAttr(static_cast<unsigned>(number), ir::dimsAttr); dims && error.empty())
      error = ir::nameSizes(dims, type);
    if (!error.empty())
      return "argument " + std::to_string(number) + " of '" + function.getName().str() + "': " + error;
    types.set(argument, type);
  }
  for (mlir::Block &block : function.getFunctionBody())
    if (std::string error = nameBlock(block, types, open); !error.empty())
      return error;
  return "";
}
