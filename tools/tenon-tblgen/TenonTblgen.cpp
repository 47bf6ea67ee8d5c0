//===- TenonTblgen.cpp - what follows from an op's record -------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Generators.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace tenon::tblgen;

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  [[maybe_unused]] const TableGen::Emitter::Opt generators[] = {
      {"gen-op-header", emitOpHeader, "op codes and attribute structs"},
      {"gen-op-table", emitOpTable, "the array of OpInfo"},
      {"gen-expressions", emitExpressions, "an element of each elementwise op"},
      {"gen-math-functions", emitMathFunctions, "the functions of the vector math"},
      {"gen-elementwise", emitElementwise, "the list of elementwise ops"},
      {"gen-composite-header", emitCompositeHeader, "ids and attribute structs of composites"},
      {"gen-composite-table", emitCompositeTable, "the array of CompositeInfo"},
      {"gen-api", emitApi, "the public declarations"},
      {"gen-methods", emitMethods, "the declarations of methods"},
      {"gen-method-defs", emitMethodDefs, "the methods"},
      {"gen-modes", emitModes, "the enums of parameters"},
      {"gen-op-defs", emitOpDefs, "the public functions without a hand-written door"},
      {"gen-docs", emitDocs, "the reference page"},
      {"gen-json", emitJson, "the public functions as JSON"},
      {"gen-conformance", emitConformance, "the rows of the conformance test"},
      {"gen-calls", emitCalls, "a call of every public function"},
  };
  addRuleTables();
  cl::ParseCommandLineOptions(argc, argv, "What follows from an op's record\n");
  return TableGenMain(argv[0], TableGenMainFn());
}
