//===- Kernels.cpp - the distinct kernels of a module ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/kernels/Kernels.h"

#include "dialect/ir/Bridge.h"
#include "lib/compiler/group/Costs.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include "llvm/ADT/StringMap.h"

using namespace tenon;
using namespace tenon::compiler;

/// What computes nothing: it says where an element comes from.
static bool isIndexMap(mlir::Operation &op) {
  const OpInfo *record = ir::infoOf(&op);
  return record && record->lowering == Lowering::broadcast;
}

/// `add_exp_3`: what it does first, and its number.
static std::string nameOf(ir::KernelOp kernel, size_t number) {
  std::string name;
  for (mlir::Operation &op : kernel.getBody().front().without_terminator()) {
    if (isIndexMap(op))
      continue;
    name += op.getName().stripDialect().str() + "_";
    if (name.size() > 40)
      break;
  }
  return (name.empty() ? "copy_" : name) + std::to_string(number);
}

static rt::KernelInfo describe(ir::KernelOp kernel, size_t number) {
  rt::KernelInfo info;
  info.name = nameOf(kernel, number);
  info.scratchSize = static_cast<uint32_t>(kernel.getOuter());
  info.costPerElement = 0;
  for (mlir::Operation &op : kernel.getBody().front().without_terminator())
    if (const OpInfo *record = ir::infoOf(&op); record && !isIndexMap(op))
      info.costPerElement += record->cost;
  info.costPerElement = std::max(info.costPerElement, 1u);
  return info;
}

KernelTable compiler::findKernels(mlir::Operation *root) {
  KernelTable table;
  llvm::StringMap<uint32_t> known;
  root->walk<mlir::WalkOrder::PreOrder>([&](ir::KernelOp kernel) {
    llvm::SmallVector<uintptr_t, 64> words = kernelKey(kernel);
    llvm::StringRef key(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uintptr_t));
    const size_t next = table.kernels.size();
    auto [entry, isNew] = known.try_emplace(key, static_cast<uint32_t>(next));
    if (isNew) {
      rt::KernelInfo info = describe(kernel, next);
      table.kernels.push_back({kernel, key.str(), info, info.name});
    }
    table.numbers[kernel] = entry->second;
    return mlir::WalkResult::skip();
  });
  return table;
}

/// An input may share a result's buffer if each of its elements is read only in
/// the step that writes the same element: one walk, all axes, a whole row.
static void findInPlace(ir::KernelOp kernel, mlir::func::FuncOp function, rt::KernelInfo &info) {
  unsigned walks = 0;
  for (auto generic : function.getOps<mlir::linalg::GenericOp>())
    walks += generic.getNumLoops() == 1;
  if (walks != 1 || info.scratchPerItem)
    return;
  auto isRow = [](mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()).getRank() == 1; };
  mlir::Block &body = kernel.getBody().front();
  for (uint32_t input = 0; input < kernel.getInputs().size(); ++input) {
    auto axes = llvm::cast<mlir::DenseI64ArrayAttr>(kernel.getMaps()[input]);
    // A reduction of everything has one outer axis, of size 1, that no input has.
    if (axes.size() != static_cast<int64_t>(kernel.getOuter()) || !isRow(body.getArgument(input)))
      continue;
    for (auto [number, result] : llvm::enumerate(body.getTerminator()->getOperands()))
      if (isRow(result))
        info.inPlace.push_back({input, static_cast<uint32_t>(number)});
  }
}

bool compiler::lowerKernel(Kernel &kernel, mlir::ModuleOp module) {
  mlir::OpBuilder b(module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  mlir::func::FuncOp function = lowerKernelToLinalg(kernel.op, kernel.symbol, b);
  if (!function)
    return false;
  kernel.info.scratchPerItem = static_cast<uint32_t>(scratchBytesPerElement(function));
  findInPlace(kernel.op, function, kernel.info);
  return true;
}
