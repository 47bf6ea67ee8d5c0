//===- Pipelines.cpp - named pipelines -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/compiler/pipelines/Pipelines.h"

#include "lib/compiler/pipelines/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace tenon;

void compiler::buildSimplifyPipeline(mlir::OpPassManager &manager) {
  // Functions and regions are one block each, and what nobody needs goes with its last reader.
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  manager.addPass(mlir::createCanonicalizerPass(config));
  manager.addPass(createCse());
}

void compiler::registerPipelines() {
  registerTenonPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::PassPipelineRegistration<>("tenon-simplify", "Canonicalize, remove common subexpressions",
                                   buildSimplifyPipeline);
}
