//===- Import.cpp - from a trace to the tenon dialect -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/import/Import.h"

#include "dialect/ir/Assembly.h"
#include "dialect/ir/Bridge.h"
#include "dialect/ir/TenonDialect.h"
#include "lib/compiler/import/Locations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

using namespace tenon;
using namespace tenon::compiler;

void compiler::loadImportDialects(mlir::MLIRContext &context) {
  context.loadDialect<ir::TenonDialect, mlir::func::FuncDialect>();
}

namespace {
/// Names of the ops by op code, looked up once per module.
using OpNames = std::vector<std::optional<mlir::OperationName>>;

/// Fills one block from one trace.
class BodyImporter {
public:
  /// `around`: where the op stands whose region this is. What a composite is made
  /// of was recorded once for all places, and has none of its own.
  BodyImporter(mlir::MLIRContext &context, mlir::Block &block, const Trace &trace, const OpNames &names,
               mlir::Location around)
      : context_(&context), trace_(trace), names_(names), around_(around), builder_(&context),
        types_(trace.body().types.kinds()), values_(trace.body().types.size()) {
    builder_.setInsertionPointToEnd(&block);
    for (auto [input, argument] : llvm::zip_equal(trace.inputs(), block.getArguments()))
      values_[input] = argument;
    for (const TraceLocation &location : trace.body().locations)
      locations_.push_back(locationToMlir(context_, location));
    for (size_t i = 0; i < trace.ops().size(); ++i)
      importOp(trace.ops()[i], i);
  }

  llvm::SmallVector<mlir::Value> outputs() const {
    llvm::SmallVector<mlir::Value> values;
    for (ValueId output : trace_.outputs())
      values.push_back(values_[output]);
    return values;
  }
  mlir::OpBuilder &builder() { return builder_; }

private:
  void importOp(const TraceOp &op, size_t number) {
    mlir::Location loc = locations_.empty() ? around_ : locations_[trace_.body().opLocations[number]];
    mlir::OperationState state(loc, *names_[static_cast<size_t>(op.code)]);
    llvm::SmallVector<mlir::Value> operands;
    for (ValueId operand : trace_.operands(op))
      operands.push_back(values_[operand]);
    auto size = [&](Dim dim) { return sizeValue(dim, loc); };
    ir::writeAttributes(context_, opInfo(op.code), trace_.attributes(op), size, state.attributes, operands);
    state.addOperands(operands);
    for (uint32_t r = 0; r < op.results; ++r)
      state.addTypes(typeOf(op.firstResult + r));
    for (const TraceRef &region : trace_.regions(op))
      importRegion(*region, *state.addRegion(), loc);
    mlir::Operation *made = builder_.create(state);
    for (uint32_t r = 0; r < op.results; ++r)
      values_[op.firstResult + r] = made->getResult(r);
  }

  mlir::Type typeOf(ValueId value) {
    mlir::Type &type = types_[trace_.body().types.numberOf(value)];
    if (!type)
      type = ir::toMlir(context_, trace_.type(value));
    return type;
  }

  void importRegion(const Trace &trace, mlir::Region &region, mlir::Location loc) {
    mlir::Block &block = region.emplaceBlock();
    for (ValueId input : trace.inputs())
      block.addArgument(ir::toMlir(context_, trace.type(input)), loc);
    BodyImporter body(*context_, block, trace, names_, loc);
    ir::ReturnOp::create(body.builder(), loc, body.outputs());
    ir::setName(region, trace.body().name);
  }

  /// One `tenon.size` per size and block.
  mlir::Value sizeValue(Dim dim, mlir::Location loc) {
    mlir::Value &value = sizes_[dim.raw()];
    if (!value)
      value = ir::SizeOp::create(builder_, loc, builder_.getIndexType(), builder_.getStringAttr(dim.str()));
    return value;
  }

  mlir::MLIRContext *context_;
  const Trace &trace_;
  const OpNames &names_;
  mlir::Location around_;
  mlir::OpBuilder builder_;
  /// By the number of the type.
  std::vector<mlir::Type> types_;
  std::vector<mlir::Value> values_;
  std::vector<mlir::Location> locations_;
  /// By Dim::raw(); no DenseMap, which keeps two keys for itself.
  std::map<int64_t, mlir::Value> sizes_;
};
} // namespace

mlir::OwningOpRef<mlir::ModuleOp> compiler::importTrace(mlir::MLIRContext &context, const Trace &trace) {
  loadImportDialects(context);
  OpNames names(static_cast<size_t>(allOps().back().code) + 1);
  for (const OpInfo &info : allOps())
    names[info.code].emplace(std::string("tenon.") + info.name, &context);

  const TraceBody &body = trace.body();
  mlir::Location loc = mlir::UnknownLoc::get(&context);
  if (!body.name.empty())
    loc = mlir::NameLoc::get(mlir::StringAttr::get(&context, body.name));
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  llvm::SmallVector<mlir::Type> inputs, outputs;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  for (ValueId input : trace.inputs()) {
    inputs.push_back(ir::toMlir(&context, trace.type(input)));
    mlir::NamedAttrList list;
    if (mlir::ArrayAttr dims = ir::dimsToMlir(&context, trace.type(input).shape))
      list.append(ir::dimsAttr, dims);
    attributes.push_back(list.getDictionary(&context));
  }
  for (ValueId output : trace.outputs())
    outputs.push_back(ir::toMlir(&context, trace.type(output)));
  auto main = mlir::func::FuncOp::create(loc, "main", mlir::FunctionType::get(&context, inputs, outputs),
                                         llvm::ArrayRef<mlir::NamedAttribute>(), attributes);
  module->push_back(main);
  BodyImporter importer(context, *main.addEntryBlock(), trace, names, mlir::UnknownLoc::get(&context));
  mlir::func::ReturnOp::create(importer.builder(), loc, importer.outputs());
  return module;
}
