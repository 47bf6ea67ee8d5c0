//===- InlineCalls.cpp - the bodies of calls in their places --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/pipelines/Passes.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringMap.h"

namespace tenon::compiler {
#define GEN_PASS_DEF_INLINECALLS
#include "lib/compiler/pipelines/Passes.h.inc"

namespace {
/// What calls with equal bodies call.
struct Callee {
  unsigned ops = 0, uses = 0;
};

/// The callees of a module. Linear: a body within another is its number there.
class Callees {
public:
  explicit Callees(mlir::Operation *root) {
    root->walk<mlir::WalkOrder::PostOrder>([&](ir::CallOp call) { add(call); });
    // A body that is there twice is looked into once.
    root->walk<mlir::WalkOrder::PreOrder>(
        [&](ir::CallOp call) { return ++of(call).uses == 1 ? mlir::WalkResult::advance() : mlir::WalkResult::skip(); });
  }
  Callee &of(ir::CallOp call) { return callees[numbers.lookup(call)]; }

private:
  void add(ir::CallOp call) {
    key.clear();
    values.clear();
    Callee callee;
    addRegion(call.getBody(), callee.ops);
    llvm::StringRef bytes(reinterpret_cast<const char *>(key.data()), key.size() * sizeof(uintptr_t));
    auto [entry, isNew] = known.try_emplace(bytes, static_cast<unsigned>(callees.size()));
    if (isNew)
      callees.push_back(callee);
    numbers[call] = entry->second;
  }

  void add(const void *pointer) { key.push_back(reinterpret_cast<uintptr_t>(pointer)); }
  void define(mlir::ValueRange defined) {
    key.push_back(defined.size());
    for (mlir::Value value : defined) {
      values[value] = values.size();
      add(value.getType().getAsOpaquePointer());
    }
  }

  /// All that is in a region but for locations.
  void addRegion(mlir::Region &region, unsigned &ops) {
    for (mlir::Block &block : region) {
      define(block.getArguments());
      for (mlir::Operation &op : block) {
        add(op.getName().getAsOpaquePointer());
        add(op.getAttrDictionary().getAsOpaquePointer());
        key.push_back(op.getNumOperands());
        for (mlir::Value operand : op.getOperands())
          key.push_back(values.lookup(operand));
        ops += !llvm::isa<ir::ReturnOp, ir::SizeOp, ir::CallOp>(op);
        if (auto call = llvm::dyn_cast<ir::CallOp>(op)) {
          key.push_back(numbers.lookup(call));
          ops += of(call).ops;
        } else {
          for (mlir::Region &nested : op.getRegions())
            addRegion(nested, ops);
        }
        define(op.getResults());
      }
    }
  }

  std::vector<Callee> callees;
  llvm::StringMap<unsigned> known;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  // Of the body that is looked at.
  llvm::SmallVector<uintptr_t, 64> key;
  llvm::DenseMap<mlir::Value, uintptr_t> values;
};

/// The op's line, called from where the call stands. What is in a call keeps its
/// own until that call is put in place; the location of a region's end is its name.
void callFrom(mlir::Location caller, mlir::Operation *op) {
  op->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *inner) {
    if (!llvm::isa<ir::ReturnOp>(inner))
      inner->setLoc(mlir::CallSiteLoc::get(inner->getLoc(), caller));
    return llvm::isa<ir::CallOp>(inner) ? mlir::WalkResult::skip() : mlir::WalkResult::advance();
  });
}

void putInPlace(ir::CallOp call) {
  mlir::Block &body = call.getBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), call.getOperands()))
    argument.replaceAllUsesWith(operand);
  mlir::Operation *end = body.getTerminator();
  call->replaceAllUsesWith(end->getOperands());
  end->erase();
  for (mlir::Operation &op : body)
    callFrom(call.getLoc(), &op);
  call->getBlock()->getOperations().splice(call->getIterator(), body.getOperations());
  call->erase();
}

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  using InlineCallsBase::InlineCallsBase;
  void runOnOperation() final {
    // A call in a rule is none of the program's.
    openRuled(getOperation());
    Callees callees(getOperation());
    // The outermost first: each op is moved once for each call around it, and
    // gets one location.
    llvm::SmallVector<ir::CallOp> chosen;
    getOperation().walk<mlir::WalkOrder::PreOrder>([&](ir::CallOp call) {
      if (const Callee &callee = callees.of(call); callee.uses == 1 || callee.ops <= smallBody)
        chosen.push_back(call);
    });
    for (ir::CallOp call : chosen)
      putInPlace(call);
  }
};
} // namespace
} // namespace tenon::compiler
