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
  return cantFail(parseBitcodeFile(buffer, context), "the compiler's own math bitcode does not parse");
}

static void splice(CallInst *call, Function &body) {
  Module &module = *call->getModule();
  ValueToValueMapTy map;
  for (auto [argument, value] : zip(body.args(), call->args()))
    map[&argument] = value;
  for (Instruction &original : body.getEntryBlock()) {
    if (auto *end = dyn_cast<ReturnInst>(&original)) {
      call->replaceAllUsesWith(map.lookup(end->getReturnValue()));
      call->eraseFromParent();
      return;
    }
    Instruction *copy = original.clone();
    copy->dropUnknownNonDebugMetadata();
    copy->setDebugLoc(call->getDebugLoc());
    RemapInstruction(copy, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    if (auto *inner = dyn_cast<CallInst>(copy)) {
      Function *callee = inner->getCalledFunction();
      inner->setCalledFunction(module.getOrInsertFunction(callee->getName(), callee->getFunctionType()));
      inner->setAttributes({});
    }
    copy->insertBefore(call->getIterator());
    map[&original] = copy;
  }
}

bool tenon::compiler::spliceMath(Module &module, Module &math, std::string &error) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration() || !function.getName().starts_with("tenon_math_"))
      continue;
    Function *body = math.getFunction(function.getName());
    if (!body || body->size() != 1) {
      error = "no straight-line body for " + function.getName().str();
      return false;
    }
    for (User *user : make_early_inc_range(function.users()))
      splice(cast<CallInst>(user), *body);
    function.eraseFromParent();
  }
  return true;
}
