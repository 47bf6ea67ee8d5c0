//===- Kernel.td - the ops that grouping and lowering make ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the IR alone: no trace holds them.
//===----------------------------------------------------------------------===//
#ifndef TENON_KERNEL
#define TENON_KERNEL

include "Base.td"

def Tenon_KernelOp
    : Op<Tenon_Dialect, "kernel",
         [Pure, IsolatedFromAbove, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A group of ops that is compiled to one kernel.";
  let description = [{
    The body is the function of one row, so that it says nothing about sizes:
    equal bodies are one kernel. The iteration space is `outer` axes around a
    row. `sizes` are what the kernel is told when it runs: for `outer` = 0 the
    length of the row, which may be cut anywhere; else the number of rows, the
    sizes of the outer axes but for the first, and the length of a row. Entries
    are integers or expressions of symbols, as in `tenon.dims`.

    The body's arguments are one for each input: `tensor<?xT>`, a row, or
    `tensor<T>`, one element per row; `maps` lists for each input the outer axes
    it has. Then one `tensor<T>` for each entry of `immediates`, numbers passed
    when the kernel runs; then the row's length. The body ends in tenon.return
    with rows (results over the whole space) and single elements (results over
    the outer axes). A kernel without outer axes holds no reduction.

    The verifier compares the elements of each input and result with what the kernel reads and writes
    by `sizes` and `maps`, where these are numbers or expressions of the same symbols.

    One line says all of it, each of the body's arguments beside what it is: an
    input along its outer axes, and along the row if it is one; a number; the length.

        %0 = tenon.kernel(%a = %x[0, row], %b = %bias[row], %c = 2.0 : f32, %n = length) sizes [32, 784]
            : (tensor<32x784xf32>, tensor<784xf32>) -> tensor<32x784xf32> { ... }
  }];
  let arguments = (ins Variadic<Tenon_Tensor>:$inputs, I64Attr:$outer, ArrayAttr:$sizes, ArrayAttr:$maps,
                   ArrayAttr:$immediates);
  let results = (outs Variadic<Tenon_Tensor>:$outs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The entries of `sizes`; unknown where an entry is no size.
    ::llvm::SmallVector<::tenon::Dim> getDims();
    /// Compares the elements of each input and result, of the type that `typeOf` gives, with what the kernel
    /// reads or writes of it. "" or the first that differs; with `isStrict` also the first that may differ for
    /// some values of the symbols.
    std::string checkElements(::llvm::function_ref<::tenon::Type(::mlir::Value)> typeOf, bool isStrict);
  }];
}

def Tenon_MathOp : Op<Tenon_Dialect, "math", [Pure, SameOperandsAndResultType]> {
  let summary = "A math function of runtime/math, on a scalar or a vector.";
  let description = [{
    `tenon.math "atan2"(%y, %x) : f32`. Code generation puts the function's body
    in its place. The names are those of the elementwise ops whose record says
    `isMath`.
  }];
  let arguments = (ins StrAttr:$function, Variadic<FloatLike>:$xs);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$function `(` $xs `)` attr-dict `:` type($result)";
}

#endif // TENON_KERNEL
