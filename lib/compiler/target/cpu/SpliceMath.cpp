//===- SpliceMath.cpp - the vector math inside a kernel -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/target/cpu/SpliceMath.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

extern "C" const unsigned char tenonMathBitcode[], tenonMathBitcodeEnd[];

std::unique_ptr<Module> tenon::compiler::parseMath(LLVMContext &context) {
  MemoryBufferRef buffer(StringRef(reinterpret_cast<const char *>(tenonMathBitcode),
                                   static_cast<size_t>(tenonMathBitcodeEnd - tenonMathBitcode)),
                         "math");
  // Lazily: of some hundred bodies a kernel has a few.
  return cantFail(getLazyBitcodeModule(buffer, context), "the compiler's own math bitcode does not parse");
}

namespace {

/// What a body names outside of itself, in the kernels' module: intrinsics by
/// their names, tables as constants of its own.
class Outside : public ValueMaterializer {
public:
  explicit Outside(Module &module) : module(module) {}
  Value *materialize(Value *value) override {
    if (auto *function = dyn_cast<Function>(value))
      return module.getOrInsertFunction(function->getName(), function->getFunctionType()).getCallee();
    auto *table = dyn_cast<GlobalVariable>(value);
    if (!table)
      return nullptr;
    std::string name = ("tenon_math_table_" + table->getName()).str();
    if (GlobalVariable *made = module.getNamedGlobal(name))
      return made;
    auto *copy = new GlobalVariable(module, table->getValueType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
                                    table->getInitializer(), name);
    copy->setAlignment(table->getAlign());
    copy->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return copy;
  }

private:
  Module &module;
};

/// One body in place of one call.
class Splice {
public:
  Splice(CallInst *call, Outside &outside) : call(call), outside(outside) {}

  void run(Function &body) {
    for (auto [argument, value] : zip(body.args(), call->args()))
      map[&argument] = value;
    if (body.size() == 1)
      straightLine(body.getEntryBlock());
    else
      blocks(body);
    call->eraseFromParent();
  }

private:
  Instruction *copyOf(Instruction &original) {
    Instruction *copy = original.clone();
    copy->dropUnknownNonDebugMetadata();
    copy->setDebugLoc(call->getDebugLoc());
    map[&original] = copy;
    return copy;
  }
  void remap(Instruction *copy) {
    RemapInstruction(copy, map, RF_NoModuleLevelChanges, nullptr, &outside);
    if (auto *inner = dyn_cast<CallInst>(copy))
      inner->setAttributes({});
  }

  void straightLine(BasicBlock &from) {
    for (Instruction &original : from) {
      if (auto *end = dyn_cast<ReturnInst>(&original)) {
        call->replaceAllUsesWith(MapValue(end->getReturnValue(), map, RF_NoModuleLevelChanges, nullptr, &outside));
        return;
      }
      Instruction *copy = copyOf(original);
      remap(copy);
      copy->insertBefore(call->getIterator());
    }
  }

  /// The block is cut at the call; each return of the body goes on behind it.
  void blocks(Function &body) {
    BasicBlock *head = call->getParent(), *rest = head->splitBasicBlock(call->getIterator());
    SmallVector<std::pair<BasicBlock *, ReturnInst *>> ends;
    SmallVector<Instruction *> copies;
    for (BasicBlock &block : body)
      map[&block] = BasicBlock::Create(call->getContext(), block.getName(), head->getParent(), rest);
    for (BasicBlock &block : body) {
      auto *to = cast<BasicBlock>(map.lookup(&block));
      for (Instruction &original : block) {
        if (auto *end = dyn_cast<ReturnInst>(&original)) {
          ends.push_back({to, end});
          continue;
        }
        copies.push_back(copyOf(original));
        copies.back()->insertInto(to, to->end());
      }
    }
    for (Instruction *copy : copies) // a phi may name what comes later
      remap(copy);
    head->getTerminator()->setSuccessor(0, cast<BasicBlock>(map.lookup(&body.getEntryBlock())));
    auto *result = PHINode::Create(call->getType(), static_cast<unsigned>(ends.size()), "", rest->begin());
    for (auto [block, end] : ends) {
      result->addIncoming(MapValue(end->getReturnValue(), map, RF_NoModuleLevelChanges, nullptr, &outside), block);
      BranchInst::Create(rest, block);
    }
    call->replaceAllUsesWith(result);
  }

  CallInst *call;
  Outside &outside;
  ValueToValueMapTy map;
};

/// Null, or why the body cannot stand in a kernel.
const char *whyNot(const Function *body) {
  if (!body || body->isDeclaration())
    return "no body for ";
  for (const BasicBlock &block : *body)
    for (const Instruction &op : block) {
      if (isa<AllocaInst>(op)) // in a loop each round would take its own
        return "a local array in ";
      auto *inner = dyn_cast<CallInst>(&op);
      if (inner && (!inner->getCalledFunction() || !inner->getCalledFunction()->isIntrinsic()))
        return "a call in ";
      for (const Value *operand : op.operands())
        if (auto *global = dyn_cast<GlobalVariable>(operand->stripInBoundsConstantOffsets());
            global && (!global->isConstant() || !global->hasInitializer()))
          return "a variable that is no constant in ";
    }
  return nullptr;
}

} // namespace

bool tenon::compiler::spliceMath(Module &module, Module &math, std::string &error) {
  Outside outside(module);
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with("tenon_math_"))
      continue;
    Function *body = math.getFunction(function.getName());
    if (body)
      cantFail(body->materialize(), "the compiler's own math bitcode does not parse");
    if (const char *why = whyNot(body)) {
      error = why + function.getName().str();
      return false;
    }
    for (User *user : make_early_inc_range(function.users()))
      Splice(cast<CallInst>(user), outside).run(*body);
    function.eraseFromParent();
  }
  return true;
}
