//===- Cse.cpp - what is computed twice is computed once ------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's own pass makes the hash of an op at each look, each growth of its table
// and each end of a scope, about five times an op, and takes twice as long as
// canonicalization. Here it is made once and kept.
//===----------------------------------------------------------------------===//
#include "lib/compiler/pipelines/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"

namespace tenon::compiler {
#define GEN_PASS_DEF_CSE
#include "lib/compiler/pipelines/Passes.h.inc"

namespace {
/// An op as what it computes: its kind, attributes, operands and regions.
struct Computation {
  mlir::Operation *op;
  unsigned hash;
};

struct ComputationInfo {
  static Computation getEmptyKey() { return {llvm::DenseMapInfo<mlir::Operation *>::getEmptyKey(), 0}; }
  static Computation getTombstoneKey() { return {llvm::DenseMapInfo<mlir::Operation *>::getTombstoneKey(), 0}; }
  static unsigned getHashValue(const Computation &computation) { return computation.hash; }
  static bool isEqual(const Computation &a, const Computation &b) {
    if (a.op == b.op)
      return true;
    auto isOp = [](const Computation &c) { return c.op != getEmptyKey().op && c.op != getTombstoneKey().op; };
    return a.hash == b.hash && isOp(a) && isOp(b) &&
           mlir::OperationEquivalence::isEquivalentTo(a.op, b.op, mlir::OperationEquivalence::IgnoreLocations);
  }
};

struct Cse : impl::CseBase<Cse> {
  void runOnOperation() final {
    known.clear();
    simplifyRegions(getOperation(), true);
  }

private:
  /// Regions are not in it.
  unsigned hashOf(mlir::Operation *op) {
    key.assign({reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()),
                reinterpret_cast<uintptr_t>(op->getDiscardableAttrDictionary().getAsOpaquePointer()),
                static_cast<uintptr_t>(op->hashProperties())});
    const size_t operands = key.size();
    for (mlir::Value operand : op->getOperands())
      key.push_back(reinterpret_cast<uintptr_t>(operand.getAsOpaquePointer()));
    if (op->hasTrait<mlir::OpTrait::IsCommutative>())
      llvm::sort(key.begin() + operands, key.end());
    return static_cast<unsigned>(llvm::hash_combine_range(key.begin(), key.end()));
  }

  /// What a block computes is known in it, and in the regions of its ops that see it.
  void simplifyRegions(mlir::Operation *op, bool isIsolated) {
    Known outer;
    if (isIsolated)
      std::swap(known, outer);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region) {
        const size_t before = inScope.size();
        for (mlir::Operation &inner : llvm::make_early_inc_range(block))
          simplify(&inner);
        if (isIsolated) { // known to nobody else
          known.clear();
          inScope.erase(inScope.begin() + before, inScope.end());
        }
        for (; inScope.size() > before; inScope.pop_back())
          known.erase(inScope.back());
      }
    if (isIsolated)
      std::swap(known, outer);
  }

  void simplify(mlir::Operation *op) {
    if (op->getNumRegions())
      simplifyRegions(op, op->hasTrait<mlir::OpTrait::IsIsolatedFromAbove>());
    if (op->hasTrait<mlir::OpTrait::IsTerminator>() || !mlir::isMemoryEffectFree(op))
      return;
    if (op->use_empty()) {
      op->erase();
      return;
    }
    const Computation computation{op, hashOf(op)};
    auto [first, isNew] = known.insert(computation);
    if (isNew) {
      inScope.push_back(computation);
      return;
    }
    if (llvm::isa<mlir::UnknownLoc>(first->op->getLoc()))
      first->op->setLoc(op->getLoc());
    op->replaceAllUsesWith(first->op);
    op->erase();
  }

  using Known = llvm::DenseSet<Computation, ComputationInfo>;
  Known known;
  /// What the open blocks have made known, in order.
  std::vector<Computation> inScope;
  llvm::SmallVector<uintptr_t> key;
};
} // namespace
} // namespace tenon::compiler
