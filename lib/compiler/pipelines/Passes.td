//===- Passes.td - the passes of the compiler -----===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_PASSES
#define TENON_PASSES

include "mlir/Pass/PassBase.td"

def OpenComposites : Pass<"tenon-open-composites"> {
  let summary = "Inline composites, custom rules and marked calls";
  let description = [{
    Replaces each `tenon.composite` by the ops of its region, each function with custom
    derivative rules by the ops of its first region, and each `tenon.call` that has the
    attribute `tenon.inline` by its body. Grouping runs this pass on composites that it
    does not keep whole. Locations of inlined ops name the composite.
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
}

def InlineCalls : Pass<"tenon-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Inline calls, except large functions that are called several times";
  let description = [{
    A jitted function called from another is a `tenon.call` whose region is its body.
    Calls with equal bodies call the same function. A function that is called once, or has
    at most `small-body` ops, is inlined, so that ops before and after the call can be
    fused. A larger function that is called several times stays a call, so that it is
    compiled once. The order of side effects is kept; locations of inlined ops name the
    call. Functions with custom rules are inlined first, so that calls in their rules,
    which the program does not contain, are not counted.
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
  let options = [Option<"smallBody", "small-body", "unsigned", "8", "Bodies of at most this many ops are always inlined">];
}

def Cse : Pass<"tenon-cse"> {
  let summary = "Common subexpression elimination";
  let description = [{
    Replaces each op without side effects by an equal earlier op of its block or of an
    enclosing one, and erases ops without uses. The earlier op keeps its location. Like
    MLIR's `cse`, which also merges reads of memory, at a quarter of its time.
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
}

def Group : Pass<"tenon-group", "::mlir::ModuleOp"> {
  let summary = "Group ops into kernels; all fusion decisions are made here";
  let description = [{
    Elementwise ops over one iteration space, reductions over the innermost axes and ops
    on their results become `tenon.kernel`. All other ops stay as library steps, views and
    steps with regions. The limits are those of the CPU (lib/compiler/group/Costs.h).
  }];
  let dependentDialects = ["::tenon::ir::TenonDialect"];
}

def KernelToLinalg : Pass<"tenon-kernel-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Replace a module by its distinct kernels, as linalg on one row";
  let description = [{
    Equal kernels are merged, since sizes and scalar constants are arguments. See
    lib/compiler/kernels/KernelToLinalg.h for the form of a kernel.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
                           "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def Vectorize : Pass<"tenon-vectorize", "::mlir::ModuleOp"> {
  let summary = "Lower kernels from linalg on a row to loops over 16 lanes";
  let options = [Option<"apart", "tails-apart", "bool", "false",
                        "Emit a loop over whole vectors and a separate masked body for the remainder (AVX2)">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def KernelToLlvm : Pass<"tenon-kernel-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower vectorized kernels to the LLVM dialect";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // TENON_PASSES
