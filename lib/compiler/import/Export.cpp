//===- Export.cpp - from the tenon dialect to a trace -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/import/Import.h"
#include "lib/compiler/import/Locations.h"
#include "lib/compiler/import/NamedTypes.h"

#include "dialect/ir/Assembly.h"
#include "dialect/ir/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace tenon;
using namespace tenon::compiler;

/// A trace holds none: an unknown size is equal to any, so its reader could not
/// tell a wrong trace from a right one.
static bool hasUnknownSize(const tenon::Type &type) {
  return llvm::any_of(type.shape, [](Dim dim) { return dim.is_unknown(); });
}

namespace {
class BodyExporter {
public:
  explicit BodyExporter(const NamedTypes &types) : types_(types) {}

  /// Null, and an error, if there is an op that a trace cannot hold.
  TraceRef exportBlock(mlir::Block &block, std::string &error) {
    for (mlir::BlockArgument argument : block.getArguments())
      body.inputs.push_back(define(argument));
    for (mlir::Operation &op : block.without_terminator())
      if (error = exportOp(op); !error.empty()) {
        if (!error.starts_with("'"))
          error = sentenceAt(&op, error);
        return {};
      }
    for (mlir::Value output : block.getTerminator()->getOperands()) {
      auto place = numbers_.find(output);
      if (place == numbers_.end()) {
        error = sentenceAt(block.getTerminator(), "expected arrays as results");
        return {};
      }
      body.outputs.push_back(place->second);
    }
    return Trace::make(std::move(body));
  }
  TraceBody body;

private:
  ValueId define(mlir::Value value) {
    auto number = static_cast<ValueId>(body.types.size());
    body.types.push_back(types_.of(value));
    numbers_[value] = number;
    return number;
  }

  std::string exportOp(mlir::Operation &op) {
    if (llvm::isa<ir::SizeOp>(op))
      return "";
    const OpInfo *info = ir::infoOf(&op);
    if (!info)
      return "a trace has no such op";
    TraceOp made{};
    made.code = static_cast<OpCode>(info->code);
    made.operands = static_cast<uint32_t>(body.operands.size());
    made.operandCount = static_cast<uint32_t>(ir::arrayCount(&op));
    for (mlir::Value operand : op.getOperands()) {
      auto place = numbers_.find(operand);
      if (place != numbers_.end())
        body.operands.push_back(place->second);
      else if (!operand.getDefiningOp<ir::SizeOp>())
        return "expected arrays, and sizes made by tenon.size, as operands";
    }
    AttrWriter words;
    if (std::string error = ir::readAttributes(&op, words); !error.empty())
      return error;
    bool isUnknown = false;
    forEachDim(*info, words.words(), [&](int64_t raw) { isUnknown |= Dim::from_raw(raw).is_unknown(); });
    for (mlir::Value result : op.getResults())
      isUnknown |= hasUnknownSize(types_.of(result));
    if (isUnknown)
      return "expected sizes that have a name (tenon.dims, tenon.size), got an unknown one";
    made.attributes = static_cast<uint32_t>(body.attributes.size());
    made.attributeCount = static_cast<uint32_t>(words.words().size());
    body.attributes.insert(body.attributes.end(), words.words().begin(), words.words().end());
    made.regions = static_cast<uint32_t>(body.regions.size());
    made.regionCount = op.getNumRegions();
    for (mlir::Region &region : op.getRegions()) {
      std::string error;
      BodyExporter exporter(types_);
      exporter.body.name = ir::nameOf(region).str();
      TraceRef nested = exporter.exportBlock(region.front(), error);
      if (!nested)
        return error;
      body.regions.push_back(std::move(nested));
    }
    made.firstResult = static_cast<ValueId>(body.types.size());
    made.results = static_cast<uint32_t>(op.getNumResults());
    for (mlir::Value result : op.getResults())
      define(result);
    body.ops.push_back(made);
    body.opLocations.push_back(location(op.getLoc()));
    return "";
  }

  uint32_t location(mlir::Location loc) {
    auto [place, isNew] =
        locations_.try_emplace(loc.getAsOpaquePointer(), static_cast<uint32_t>(body.locations.size()));
    if (isNew)
      body.locations.push_back(locationFromMlir(loc));
    return place->second;
  }

  const NamedTypes &types_;
  llvm::DenseMap<mlir::Value, ValueId> numbers_;
  llvm::DenseMap<const void *, uint32_t> locations_;
};
} // namespace

static mlir::func::FuncOp findMain(mlir::ModuleOp module) {
  mlir::func::FuncOp only;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.getName() == "main")
      return function;
    if (function.isPublic()) {
      if (only)
        return {};
      only = function;
    }
  }
  return only;
}

TraceRef compiler::exportTrace(mlir::ModuleOp module, std::string &error) {
  mlir::func::FuncOp main = findMain(module);
  if (!main) {
    error = "expected a function @main, or exactly one public function";
    return {};
  }
  if (!main.getBody().hasOneBlock()) {
    error = "function '" + main.getName().str() + "': expected a body of one block";
    return {};
  }
  NamedTypes types;
  if (error = nameTypes(llvm::cast<mlir::FunctionOpInterface>(*main), types); !error.empty())
    return {};
  for (mlir::Type input : main.getArgumentTypes())
    if (!llvm::isa<mlir::RankedTensorType>(input)) {
      error = "function '" + main.getName().str() + "': expected arrays as arguments";
      return {};
    }
  for (mlir::BlockArgument argument : main.getArguments())
    if (hasUnknownSize(types.of(argument))) {
      error = "function '" + main.getName().str() +
              "': expected sizes that have a name (tenon.dims), got an unknown one "
              "in argument " +
              std::to_string(argument.getArgNumber());
      return {};
    }
  BodyExporter exporter(types);
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(main.getLoc()))
    exporter.body.name = name.getName().str();
  return exporter.exportBlock(main.getBody().front(), error);
}
