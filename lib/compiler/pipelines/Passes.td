//===- Passes.td - the passes of the compiler -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_PASSES
#define TENON_PASSES

include "mlir/Pass/PassBase.td"

def OpenComposites : Pass<"tenon-open-composites"> {
  let summary = "Inline the decompositions of composites, and the calls marked for it";
  let description = [{
    Replaces `tenon.composite` by the ops of its region, a function with rules of its
    own by those of its first one, and every `tenon.call` that has the attribute
    `tenon.inline`. Grouping runs it on what it does not
    keep whole; an op's location then names the composite.
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
}

def InlineCalls : Pass<"tenon-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Put the bodies of calls in their places, but for large ones that are used again";
  let description = [{
    A jitted function called from another one is a `tenon.call` whose body is the
    function's. Calls with equal bodies are of one function: one that is called
    once, or has at most `small-body` ops, costs nothing then, and what stands on both sides
    of the call is fused. A larger one that is called again stays one, so that it
    is compiled once. Order and effects are kept; the location of an op names the call.
    Functions with rules of their own are opened before: a call in a rule is none of the program's.
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
  let options = [Option<"smallBody", "small-body", "unsigned", "8", "Bodies of so many ops are put in place">];
}

def Cse : Pass<"tenon-cse"> {
  let summary = "Compute once what ops without effects compute twice";
  let description = [{
    An op that equals an earlier one, of its block or of one around it, gives
    way to that one, whose location stays; one without readers goes. As MLIR's `cse`, which
    also joins reads of memory, and at a quarter of its time.
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
}

def Group : Pass<"tenon-group", "::mlir::ModuleOp"> {
  let summary = "Wrap ops into kernels: the one place where fusion is decided";
  let description = [{
    Elementwise ops over one iteration space, reductions over the innermost axes
    and what is computed with their results become `tenon.kernel`; all other ops
    stay as library steps, views and steps with regions. The limits are those of
    the CPU (lib/compiler/group/Costs.h).
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
}

def KernelToLinalg : Pass<"tenon-kernel-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Replace a module by the distinct kernels in it, as linalg on one row";
  let description = [{
    Equal kernels are one: sizes and numbers are arguments. See
    lib/compiler/kernels/KernelToLinalg.h for the form.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
                           "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def Vectorize : Pass<"tenon-vectorize", "::mlir::ModuleOp"> {
  let summary = "Lower kernels from linalg on a row to loops over 16 lanes";
  let options = [Option<"apart", "tails-apart", "bool", "false",
                        "Loops over whole vectors, and a masked body for the rest (AVX2)">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def KernelToLlvm : Pass<"tenon-kernel-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower vectorized kernels to the LLVM dialect";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // TENON_PASSES
