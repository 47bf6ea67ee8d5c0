//===- TenonKernel.cpp - what holds of tenon.kernel -----------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/ir/TenonDialect.h"

using namespace tenon::ir;

/// A row or one element.
static bool isRowOrElement(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && (tensor.getRank() == 0 || (tensor.getRank() == 1 && tensor.isDynamicDim(0)));
}

llvm::LogicalResult KernelOp::verify() {
  mlir::Block &body = getBody().front();
  const size_t expected = getInputs().size() + getImmediates().size() + 1;
  if (body.getNumArguments() != expected)
    return emitOpError() << "expected " << expected << " arguments of the body, got " << body.getNumArguments();
  if (!body.getArguments().back().getType().isIndex())
    return emitOpError() << "expected the body's last argument to be the row's length, an index";
  for (mlir::BlockArgument argument : body.getArguments().drop_back())
    if (!isRowOrElement(argument.getType()))
      return emitOpError() << "expected tensor<?xT> or tensor<T> as argument of the body, got " << argument.getType();
  const auto outer = static_cast<int64_t>(getOuter());
  if (outer < 0 || static_cast<int64_t>(getSizes().size()) != outer + 1)
    return emitOpError() << "expected " << outer + 1 << " sizes for " << outer << " outer axes, got "
                         << getSizes().size();
  if (getMaps().size() != getInputs().size())
    return emitOpError() << "expected " << getInputs().size() << " maps, one for each input, got " << getMaps().size();
  for (mlir::Attribute map : getMaps()) {
    auto axes = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(map);
    if (!axes)
      return emitOpError() << "expected array<i64> as map, got " << map;
    int64_t last = -1;
    for (int64_t axis : axes.asArrayRef()) {
      if (axis <= last || axis >= outer)
        return emitOpError() << "expected ascending axes below " << outer << " as map, got " << map;
      last = axis;
    }
  }
  auto end = body.empty() ? ReturnOp() : llvm::dyn_cast<ReturnOp>(body.back());
  if (!end)
    return emitOpError() << "expected the body to end in tenon.return";
  if (end.getNumOperands() != getNumResults())
    return emitOpError() << "expected the body to return " << getNumResults() << " values, got "
                         << end.getNumOperands();
  return mlir::success();
}
