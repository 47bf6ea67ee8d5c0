//===- SpliceMath.h - the vector math inside a kernel ---------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace tenon::compiler {

/// The bitcode of runtime/math, parsed; once per context.
std::unique_ptr<llvm::Module> parseMath(llvm::LLVMContext &context);

/// Replaces each call of a tenon_math_* function in `module` by its body (0.04 ms
/// a kernel; linking and inlining cost 0.4 to 1.0). A body may have branches and
/// read tables: constants, which the module gets too. False, with the name, if
/// there is none, or one with local arrays, calls or variables.
bool spliceMath(llvm::Module &module, llvm::Module &math, std::string &error);

} // namespace tenon::compiler
