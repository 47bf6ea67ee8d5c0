//===- tenon-opt.cpp - runs passes and pipelines on .mlir files -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/import/Unparsable.h"
#include "lib/compiler/pipelines/Pipelines.h"
#include "tools/tenon-opt/Transformations.h"

#include "dialect/ir/TenonDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/thread.h"

static constexpr const char *overview =
    R"(runs passes on a .mlir file, in the order in which they are given, and prints the result.

  tenon-run --emit=tenon f.trace > f.mlir        writes the compiler's input from a saved trace
  tenon-opt --tenon-simplify --tenon-group f.mlir

The compiler runs its passes in this order: --tenon-inline-calls --tenon-open-composites --tenon-simplify
--tenon-group --tenon-kernel-to-linalg --tenon-vectorize --tenon-kernel-to-llvm

Transformations, for a module with one function:
  --tenon-grad="wrt=0,2 value=true"   --tenon-jvp="wrt=0"   --tenon-vmap="axes=0,-,1 size=8"
)";

/// Of the thread that reads: parser, verifier and printer recurse into regions.
static constexpr std::optional<unsigned> stackBytes = 1u << 30;

static llvm::LogicalResult run(int argc, char **argv, llvm::StringRef inputName, llvm::StringRef outputName,
                               mlir::DialectRegistry &registry) {
  const auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::MlirOptMain(argc, argv, inputName, outputName, registry);
  llvm::InitLLVM init(argc, argv);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output = input ? mlir::openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << "\n";
    return mlir::failure();
  }
  if (auto place = tenon::compiler::findUnparsable(input->getBuffer())) {
    llvm::errs() << input->getBufferIdentifier() << ":" << place->line << ":" << place->column
                 << ": error: " << place->sentence << "\n";
    return mlir::failure();
  }
  if (failed(mlir::MlirOptMain(output->os(), std::move(input), registry, config)))
    return mlir::failure();
  output->keep();
  return mlir::success();
}

int main(int argc, char **argv) {
  tenon::compiler::registerPipelines();
  registerTransformations();
  mlir::DialectRegistry registry;
  // What the stages are written in, so that each can be read again.
  registry.insert<tenon::ir::TenonDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::complex::ComplexDialect, mlir::linalg::LinalgDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  // LLVM's own options bury those of this tool; --help-hidden lists them.
  for (auto &option : llvm::cl::getRegisteredOptions())
    if (!option.first.starts_with("help"))
      option.second->setHiddenFlag(llvm::cl::Hidden);
  // All on one thread, which has the stack for it.
  std::vector<char *> arguments(argv, argv + argc);
  char alone[] = "--mlir-disable-threading";
  if (llvm::none_of(arguments, [&](llvm::StringRef argument) { return argument.ltrim('-') == alone + 2; }))
    arguments.push_back(alone);
  auto [input, output] =
      mlir::registerAndParseCLIOptions(static_cast<int>(arguments.size()), arguments.data(), overview, registry);
  llvm::LogicalResult result = mlir::failure();
  llvm::thread worker(stackBytes,
                      [&, &input = input, &output = output] { result = run(argc, argv, input, output, registry); });
  worker.join();
  return mlir::asMainReturnCode(result);
}
