//===- Codegen.cpp - from the LLVM dialect to x86-64 objects --------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/target/cpu/Codegen.h"

#include "lib/compiler/nets/Nets.h"
#include "lib/compiler/target/cpu/SpliceMath.h"
#include "runtime/machine/Cpu.h"

#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

using namespace tenon::compiler;

/// Once per process: the target, and no loop strength reduction, which costs a
/// tenth of code generation and gains nothing on these loops.
static void initializeTarget() {
  static const bool done = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto found = options.find("disable-lsr"); found != options.end())
      static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
    return true;
  }();
  (void)done;
}

struct Codegen::State {
  uint64_t isa;
  std::string cpu;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> math;
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  llvm::legacy::PassManager toObject;

  explicit State(uint64_t wanted) {
    initializeTarget();
    nets::configure(context);
    const bool isV4 = (wanted & rt::kFeaturesV4) == rt::kFeaturesV4;
    isa = isV4 ? rt::kFeaturesV4 : rt::kFeaturesV3;
    // A level's name and no more: a blob runs wherever the level is.
    cpu = isV4 ? "x86-64-v4" : "x86-64-v3";
    llvm::Triple triple("x86_64-unknown-linux-gnu");
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.FunctionSections = true; // the linker takes the functions that a program needs
    machine.reset(target->createTargetMachine(triple, cpu, "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                              llvm::CodeGenOptLevel::Default));
    math = parseMath(context);
    llvm::MCContext *ignored;
    machine->addPassesToEmitMC(toObject, ignored, stream, /*DisableVerify=*/true);
  }

  std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module, std::string &error) {
    std::unique_ptr<llvm::Module> made =
        mlir::translateModuleToLLVMIR(module, context, "kernels", /*disableVerification=*/true);
    if (!made) {
      error = "the kernels have no LLVM IR";
      return nullptr;
    }
    made->setDataLayout(machine->createDataLayout());
    made->setTargetTriple(machine->getTargetTriple());
    if (!spliceMath(*made, *math, error))
      return nullptr;
    for (llvm::Function &function : *made) {
      if (function.isDeclaration())
        continue;
      function.addFnAttr("target-cpu", cpu);
      function.addFnAttr("prefer-vector-width", (isa & rt::kFeaturesV4) == rt::kFeaturesV4 ? "512" : "256");
      function.setDoesNotThrow();
    }
    return made;
  }
};

Codegen::Codegen(uint64_t isa) : state(new State(isa)) {}
Codegen::~Codegen() { delete state; }
uint64_t Codegen::isa() const { return state->isa; }

bool Codegen::emitObject(mlir::ModuleOp module, std::string &out, std::string &error) {
  std::unique_ptr<llvm::Module> made = state->translate(module, error);
  if (!made)
    return false;
  state->bytes.clear();
  state->toObject.run(*made);
  out.assign(state->bytes.data(), state->bytes.size());
  return true;
}

bool Codegen::emitLlvmIr(mlir::ModuleOp module, std::string &out, std::string &error) {
  std::unique_ptr<llvm::Module> made = state->translate(module, error);
  if (!made)
    return false;
  llvm::raw_string_ostream stream(out);
  made->print(stream, nullptr);
  return true;
}

bool Codegen::emitAssembly(mlir::ModuleOp module, std::string &out, std::string &error) {
  std::unique_ptr<llvm::Module> made = state->translate(module, error);
  if (!made)
    return false;
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  state->machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile, true);
  passes.run(*made);
  out.assign(text.data(), text.size());
  return true;
}
