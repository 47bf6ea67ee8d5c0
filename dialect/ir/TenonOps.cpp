//===- TenonOps.cpp - result types and verifiers of ops -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/OpTypes.h"

#include "dialect/ir/Bridge.h"
#include "lib/base/DimExpr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace tenon;
using namespace tenon::ir;

#include "dialect/ir/TenonInterfaces.cpp.inc"

bool ir::mapView(mlir::Operation *op, ViewMap &map) {
  AttrWriter writer;
  const OpInfo &info = *infoOf(op);
  auto rank = [](mlir::Value value) {
    return static_cast<int>(llvm::cast<mlir::RankedTensorType>(value.getType()).getRank());
  };
  return op->getNumResults() > 0 && readAttributes(op, writer).empty() &&
         tenon::mapView(info, {rank(op->getOperand(0)), rank(op->getResult(0)), writer.words()}, map);
}

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

/// The shape rule on operands and attributes of MLIR.
static std::string inferFromMlir(const OpInfo &info, mlir::ValueRange operands, AttrGetter get,
                                 std::span<const RegionType> regions, std::vector<tenon::Type> &results) {
  size_t arrays = arrayCount(operands.getTypes());
  std::vector<tenon::Type> types(arrays);
  for (size_t i = 0; i < arrays; ++i)
    if (std::string error = fromMlir(operands[i].getType(), types[i]); !error.empty())
      return error;
  AttrWriter words;
  if (std::string error = readAttributes(info, get, operands.drop_front(arrays), words); !error.empty())
    return error;
  return inferPlain({info, types, words.words(), regions}, results);
}

bool ir::areCompatible(mlir::TypeRange inferred, mlir::TypeRange stated) {
  if (inferred.size() != stated.size())
    return false;
  for (auto [a, b] : llvm::zip_equal(inferred, stated)) {
    auto x = llvm::dyn_cast<mlir::RankedTensorType>(a), y = llvm::dyn_cast<mlir::RankedTensorType>(b);
    if (!x || !y || x.getElementType() != y.getElementType() || x.getEncoding() != y.getEncoding() ||
        mlir::failed(mlir::verifyCompatibleShape(x, y)))
      return false;
  }
  return true;
}

llvm::LogicalResult ir::inferTypes(const OpInfo &info, mlir::MLIRContext *context,
                                   std::optional<mlir::Location> location, mlir::ValueRange operands, AttrGetter get,
                                   llvm::SmallVectorImpl<mlir::Type> &results) {
  std::vector<tenon::Type> types;
  if (std::string error = inferFromMlir(info, operands, get, {}, types); !error.empty())
    return mlir::emitOptionalError(location, "'tenon.", info.name, "' op ", error);
  for (const tenon::Type &type : types)
    results.push_back(toMlir(context, type));
  return mlir::success();
}

llvm::LogicalResult ir::verifyTypes(mlir::Operation *op, std::span<const RegionType> regions) {
  std::vector<tenon::Type> types;
  auto get = [&](llvm::StringRef name) { return op->getInherentAttr(name).value_or(mlir::Attribute()); };
  if (std::string error = inferFromMlir(*infoOf(op), op->getOperands(), get, regions, types); !error.empty())
    return op->emitOpError() << error;
  llvm::SmallVector<mlir::Type> inferred;
  for (const tenon::Type &type : types)
    inferred.push_back(toMlir(op->getContext(), type));
  if (!areCompatible(inferred, op->getResultTypes()))
    return op->emitOpError() << "expected the result types (" << mlir::TypeRange(inferred) << "), got ("
                             << op->getResultTypes() << ")";
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Ops with regions
//===----------------------------------------------------------------------===//

llvm::LogicalResult ir::verifyRegionOp(mlir::Operation *op) {
  const OpInfo &info = *infoOf(op);
  std::vector<RegionType> regions;
  for (auto [number, region] : llvm::enumerate(op->getRegions())) {
    ReturnOp end =
        region.empty() || region.front().empty() ? ReturnOp() : llvm::dyn_cast<ReturnOp>(region.front().back());
    if (!end)
      return op->emitOpError() << "expected the region '" << regionInfo(info, number).name
                               << "' to end in tenon.return";
    RegionType &signature = regions.emplace_back();
    for (auto [types, out] : {std::pair(mlir::TypeRange(region.getArgumentTypes()), &signature.inputs),
                              {mlir::TypeRange(end.getOperandTypes()), &signature.outputs}})
      for (mlir::Type type : types)
        if (std::string error = fromMlir(type, out->emplace_back()); !error.empty())
          return op->emitOpError() << "region '" << regionInfo(info, number).name << "': " << error;
  }
  return verifyTypes(op, regions);
}

llvm::LogicalResult SizeOp::verify() {
  std::optional<Dim> dim = parseSize(getExpression());
  if (!dim || dim->is_static())
    return emitOpError() << "expected an expression of symbols such as \"2*batch + 1\", got \"" << getExpression()
                         << "\"";
  return mlir::success();
}

/// A symbol's value has its name: `%batch`.
void SizeOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  if (std::optional<Dim> dim = parseSize(getExpression()); dim && !tenon::detail::bareSymbol(*dim).empty())
    setName(getResult(), getExpression());
}

void TenonDialect::registerOps() {
  registerTenonDialectOperations(this);
  for (const OpInfo &info : allOps())
    infos[mlir::OperationName(std::string("tenon.") + info.name, getContext()).getAsOpaquePointer()] = &info;
}
