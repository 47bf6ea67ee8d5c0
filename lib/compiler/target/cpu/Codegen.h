//===- Codegen.h - from the LLVM dialect to x86-64 objects ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tenon::compiler {

/// LLVM for one set of instructions, kept from program to program: the context,
/// the machine, the pass managers and the parsed math. Kernels hold explicit
/// vectors, so no LLVM pass runs before code generation.
class Codegen {
public:
  /// `isa` are bits of runtime/machine/Cpu.h: at least x86-64-v3.
  explicit Codegen(uint64_t isa);
  ~Codegen();
  Codegen(const Codegen &) = delete;

  /// Bits that the code needs: x86-64-v4 if `isa` has it all, else v3.
  uint64_t isa() const;

  /// A relocatable object of `module` (LLVM dialect), its LLVM IR, or assembly.
  /// On failure `error` says why.
  bool emitObject(mlir::ModuleOp module, std::string &out, std::string &error);
  bool emitLlvmIr(mlir::ModuleOp module, std::string &out, std::string &error);
  bool emitAssembly(mlir::ModuleOp module, std::string &out, std::string &error);

private:
  struct State;
  State *state;
};

} // namespace tenon::compiler
