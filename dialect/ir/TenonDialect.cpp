//===- TenonDialect.cpp - the tenon dialect: constants and names of sizes -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/TenonDialect.h"

#include "dialect/ir/Bridge.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace tenon;
using namespace tenon::ir;

#include "dialect/ir/TenonDialect.cpp.inc"

namespace {
/// Ops may be inlined anywhere: they are pure or ordered by their effect.
struct TenonInliner : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
};
} // namespace

void TenonDialect::initialize() {
  registerOps();
  addInterfaces<TenonInliner>();
}

mlir::Operation *TenonDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value, mlir::Type type,
                                                   mlir::Location loc) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  auto splat = llvm::dyn_cast<mlir::SplatElementsAttr>(value);
  if (!tensor || !tensor.hasStaticShape() || !splat || splat.getElementType() != tensor.getElementType())
    return nullptr;
  mlir::Attribute number;
  if (llvm::isa<mlir::ComplexType>(tensor.getElementType())) {
    auto parts = splat.getSplatValue<std::complex<llvm::APFloat>>();
    mlir::Type type = llvm::cast<mlir::ComplexType>(tensor.getElementType()).getElementType();
    std::optional<ScalarAttr> scalar = scalarFromMlir(
        builder.getArrayAttr({builder.getFloatAttr(type, parts.real()), builder.getFloatAttr(type, parts.imag())}));
    number = scalarToMlir(getContext(), *scalar);
  } else {
    std::optional<ScalarAttr> scalar = scalarFromMlir(splat.getSplatValue<mlir::Attribute>());
    if (!scalar)
      return nullptr;
    number = scalarToMlir(getContext(), *scalar);
  }
  return FullOp::create(builder, loc, tensor, builder.getDenseI64ArrayAttr(tensor.getShape()), mlir::ValueRange(),
                        number, mlir::TypeAttr::get(tensor.getElementType()), mlir::StringAttr());
}

llvm::LogicalResult TenonDialect::verifyRegionArgAttribute(mlir::Operation *op, unsigned, unsigned argument,
                                                           mlir::NamedAttribute attribute) {
  if (attribute.getName() != dimsAttr)
    return mlir::success();
  auto function = llvm::dyn_cast<mlir::FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError() << "expected '" << dimsAttr << "' on the argument of a function";
  tenon::Type type;
  std::string error = fromMlir(function.getArgumentTypes()[argument], type);
  if (error.empty())
    error = nameSizes(attribute.getValue(), type);
  return error.empty() ? mlir::success()
                       : llvm::LogicalResult(op->emitOpError() << "argument " << argument << ": " << error);
}
