//===- Ptx.cpp - from the LLVM dialect to PTX -----------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/target/gpu/Ptx.h"

#include "lib/compiler/nets/Nets.h"
#include "lib/compiler/target/cpu/SpliceMath.h"

#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

bool tenon::compiler::emitPtx(mlir::ModuleOp module, std::string &out, std::string &error) {
  static const bool isReady = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)isReady;
  llvm::LLVMContext context;
  nets::configure(context);
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return false;
  // Division and square root are rounded to nearest, denormals kept: defaults.
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "sm_90", "+ptx80", options, std::nullopt, std::nullopt));
  std::unique_ptr<llvm::Module> made = mlir::translateModuleToLLVMIR(module, context, "kernels", true);
  if (!made) {
    error = "the kernels have no LLVM IR";
    return false;
  }
  made->setDataLayout(machine->createDataLayout());
  made->setTargetTriple(triple);
  std::unique_ptr<llvm::Module> math = parseMath(context);
  if (!spliceMath(*made, *math, error))
    return false;
  for (llvm::Function &function : *made)
    if (!function.isDeclaration())
      function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile, true);
  passes.run(*made);
  out.assign(text.data(), text.size());
  return true;
}
