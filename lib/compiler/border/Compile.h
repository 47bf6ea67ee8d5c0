//===- Compile.h - one compilation, from bytes to bytes ---------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the border calls and the pipelines provide.
//===----------------------------------------------------------------------===//
#pragma once

#include "lib/compiler/border/CompileThread.h"

namespace tenon::compiler {

/// Compiles `request` (its abi, pointers and format are already checked) and
/// puts the blob or the stage's text into `out`. On false `error` holds the
/// text for the user. Runs on the compile thread, inside the nets: every
/// llvm::LLVMContext it makes goes through nets::configure, and nothing it
/// leaves half done is ever seen again if it falls.
bool compileRequest(CompileContext &context, const tenon_compile_request &request, std::string &out,
                    std::string &error);

/// Makes an MLIRContext with every dialect and interface the pipelines need,
/// threading disabled.
mlir::MLIRContext *createMlirContext();
void destroyMlirContext(mlir::MLIRContext *context);

} // namespace tenon::compiler
