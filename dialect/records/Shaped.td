//===- Shaped.td - reductions, movement, creation, contraction ---------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SHAPED
#define TENON_SHAPED

include "Base.td"

class Tenon_Shaped<string mnemonic, int number, list<Trait> traits = []>
    : Tenon_Inferred<mnemonic, number, !listconcat(traits, [Pure])> {
  let results = (outs Tenon_Tensor:$result);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

class Tenon_Reduction<string mnemonic, int number> : Tenon_Shaped<mnemonic, number> {
  // The binary elementwise op that makes one element of two. Accumulators start at
  // its neutral element; of floats, add and multiply have one tree.
  string combine = ?;
  // The result over no elements, a number; "none": an empty axis is an error.
  string identity = "none";
  // What is accumulated in, and the result's dtype:
  //   "operand"  the operand's dtype
  //   "wide"     integers narrower than i32, and bool, in i32 (u32 if unsigned), which
  //              the result has too; small floats in f32, rounded once at the end
  string accumulator = "operand";
  let category = "reduction";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$axes, Tenon_Bool:$keepdims);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter];
  let door = "reduction";
  let shapeRule = "inferReduction";
  let kernel = "kernelReduction";
  let batch = "batchReduction";
  let lowering = "reduction";
}
def Tenon_SumOp : Tenon_Reduction<"sum", 40> {
  let isOfComplexToo = 1;
  let summary = "The sum over the given axes, all by default.";
  let description = [{Sums of bool and of integers narrower than i32 give i32 (u32 if unsigned). Floating sums have one
    tree, a function of shape and axes alone: over the innermost axis 16 partial sums, in blocks of 4,096 combined
    pairwise; over another axis in index order in blocks of 256; axes of size 1 do not count. bf16 and f16 accumulate in
    f32 and round once. An empty sum is 0.}];
  let linearIn = [["x"]];
  let combine = "add";
  let identity = "0";
  let accumulator = "wide";
  let hasFolder = 1;
}
def Tenon_MaxOp : Tenon_Reduction<"max", 41> {
  let summary = "The largest element over the given axes, all by default; NaN propagates.";
  let description = [{An empty axis is an error. The derivative is shared evenly among equal largest elements, as in
    JAX.}];
  let combine = "maximum";
  let vjp = "vjpExtremum";
  let needs = ["x", "result"];
}
def Tenon_MinOp : Tenon_Reduction<"min", 44> {
  let summary = "The smallest element over the given axes, all by default; NaN propagates.";
  let description = [{An empty axis is an error. The derivative is shared evenly among equal smallest elements.}];
  let combine = "minimum";
  let vjp = "vjpExtremum";
  let needs = ["x", "result"];
}
def Tenon_ProdOp : Tenon_Reduction<"prod", 43> {
  let isOfComplexToo = 1;
  let summary = "The product over the given axes, all by default.";
  let description = [{The dtype of the result and the order of the factors are those of `sum`. An empty product is 1. The
    derivative multiplies the other factors, so zeros are no exception.}];
  let combine = "multiply";
  let identity = "1";
  let accumulator = "wide";
  let needs = ["x"];
}
class Tenon_Quantifier<string mnemonic, int number> : Tenon_Reduction<mnemonic, number> {
  let door = "truths";
  let dtypes = ["boolean"];
  let vjp = "zero";
}
def Tenon_AnyOp : Tenon_Quantifier<"any", 45> {
  let summary = "Whether an element over the given axes, all by default, is true (not 0; NaN is true): bool.";
  let description = [{Of no elements: false.}];
  let example = "if (any(x < 0))\n  throw std::domain_error(\"x\");";
  let combine = "maximum";
  let identity = "0";
}
def Tenon_AllOp : Tenon_Quantifier<"all", 46> {
  let summary = "Whether every element over the given axes, all by default, is true (not 0; NaN is true): bool.";
  let description = [{Of no elements: true.}];
  let example = "bool same = bool(all(x == y));";
  let combine = "minimum";
  let identity = "1";
}
def Tenon_ArgmaxOp : Tenon_Shaped<"argmax", 42> {
  let category = "reduction";
  let summary = "The index (i64) of the first largest element along `axis`; a NaN counts as largest.";
  let description = [{Without an axis: the index into the flattened array.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis, Tenon_Bool:$keepdims);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; left out: the array is flattened.">,
                    Tenon_KeepdimsParameter];
  let vjp = "zero";
}

//===----------------------------------------------------------------------===//
// Movement of elements
//===----------------------------------------------------------------------===//

class Tenon_Movement<string mnemonic, int number, list<Trait> traits = []> : Tenon_Shaped<mnemonic, number, traits> {
  let category = "manipulation";
  let dtypes = ["any"];
  let linearIn = [["x"]];
}
def Tenon_ReshapeOp : Tenon_Movement<"reshape", 50, [Tenon_View]> {
  let summary = "The same elements, row-major, in another shape; one size may be -1.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$shape, Variadic<Index>:$shape_sizes);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"shape", "shape", "", "The result's sizes; one may be -1: what is left.">];
  let lowering = "view";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Tenon_BroadcastToOp : Tenon_Movement<"broadcast_to", 51, [Tenon_View]> {
  let summary = "x repeated to `shape` by NumPy's rule: a new leading axis, or an axis of size 1.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$shape, Variadic<Index>:$shape_sizes);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_ShapeParameter];
  let lowering = "broadcast";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Tenon_TransposeOp : Tenon_Movement<"transpose", 52, [Tenon_View]> {
  let summary = "Axis i of the result is axis permutation[i] of x; reverses the axes by default.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$permutation);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"permutation", "ints", "none", "Axes of x; left out: the last one first.">];
  let lowering = "view";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Tenon_SliceOp : Tenon_Movement<"slice", 53, [AttrSizedOperandSegments, Tenon_View]> {
  let summary = "x[starts : stops : steps], one of each per axis.";
  let description = [{Steps are not 0 and may be negative; for a negative step a stop of -1 means "past the first
    element". Bounds lie inside the array.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$starts, Variadic<Index>:$starts_sizes, Tenon_Dims:$stops,
                   Variadic<Index>:$stops_sizes, Tenon_Ints:$steps);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"starts", "shape", "", "Where to begin along each axis.">,
                    Tenon_Parameter<"stops", "shape", "", "Where to end: before this place.">,
                    Tenon_Parameter<"steps", "ints", "none", "From one place to the next; left out: 1.">];
  let lowering = "view";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}
def Tenon_PadOp : Tenon_Movement<"pad", 54, [AttrSizedOperandSegments]> {
  let summary = "x with `low` copies of `value` before, `high` after and `interior` between the elements of each axis.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$value, Tenon_Dims:$low, Variadic<Index>:$low_sizes,
                   Tenon_Dims:$high, Variadic<Index>:$high_sizes, Tenon_Ints:$interior);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"value", "operand", "", "Of rank 0.">,
                    Tenon_Parameter<"low", "shape", "", "How many to put before, along each axis.">,
                    Tenon_Parameter<"high", "shape", "", "How many after.">,
                    Tenon_Parameter<"interior", "ints", "none", "How many between two elements; left out: 0.">];
  let linearIn = [["x", "value"]];
  let hasFolder = 1;
}
def Tenon_ConcatenateOp : Tenon_Movement<"concatenate", 55> {
  let summary = "The arrays one after another along `axis`; their other sizes are equal.";
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_Int:$axis);
  let parameters = [Tenon_Parameter<"xs", "arrays">, Tenon_Parameter<"axis", "axis", "0">];
  let linearIn = [["xs"]];
  let hasFolder = 1;
}
def Tenon_SplitOp : Tenon_Movement<"split", 56, [Tenon_View]> {
  let summary = "x cut along `axis` into pieces of the given sizes; several results.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$sizes, Variadic<Index>:$sizes_sizes, Tenon_Int:$axis);
  let results = (outs Variadic<Tenon_Tensor>:$pieces);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"sizes", "shape", "", "The pieces' sizes along the axis; they fill it.">,
                    Tenon_Parameter<"axis", "axis", "0">];
  let door = "attributes";
  let returns = "std::vector<Array>";
  let hasFolder = 1;
  let lowering = "view";
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

def Tenon_FullOp : Tenon_Shaped<"full", 60> {
  let category = "creation";
  let summary = "An array filled with one number.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dims:$shape, Variadic<Index>:$shape_sizes, Tenon_Scalar:$value, Tenon_Dtype:$dtype,
                   Tenon_Device:$device);
  let parameters = [Tenon_ShapeParameter, Tenon_Parameter<"value", "number", "", "The number.">,
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; left out: the number's default.">,
                    Tenon_DeviceParameter];
  let vjp = "zero";
  let batch = "batchNever";
  let lowering = "broadcast";
}
def Tenon_ArangeOp : Tenon_Shaped<"arange", 61> {
  let category = "creation";
  let summary = "start, start + step, ... : `length` numbers; element i is start + i * step, rounded once per operation.";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Dims:$length, Variadic<Index>:$length_sizes, Tenon_Scalar:$start, Tenon_Scalar:$step,
                   Tenon_Dtype:$dtype, Tenon_Device:$device);
  let parameters = [Tenon_Parameter<"start", "number", "", "The first number; without `stop` it is 0.">,
                    Tenon_Parameter<"stop", "number", "none", "Where the range ends: before this number; left out: at `start`.">,
                    Tenon_Parameter<"step", "number", "1", "From one number to the next; not 0.">,
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; left out: that of the numbers.">,
                    Tenon_DeviceParameter];
  let vjp = "zero";
  let batch = "batchNever";
}
def Tenon_DimensionOp : Tenon_Shaped<"dimension", 62> {
  let category = "creation";
  let summary = "The size of one axis of x as a rank-0 i64 array: a symbol's value, once it runs.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis">];
  let door = "attributes";
  let vjp = "zero";
  let readsElements = 0;
  let hasFolder = 1;
}
def Tenon_BitsOp : Tenon_Shaped<"bits", 63> {
  let category = "random";
  let summary = "Random u32 numbers, a function of the key alone: Threefry-2x32 as in JAX.";
  let description = [{The key is u32[..., 2]; the result is u32[..., shape]: one block of `shape` per key. With `words` = 2
    the result is u32[..., shape, 2]: both words of Threefry's block (upper first) instead of their exclusive or; they
    are 64 random bits, or a new key. Source: Salmon
    et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011; the counter layout is JAX's
    jax_threefry_partitionable=True.}];
  let dtypes = ["u32"];
  let arguments = (ins Tenon_Tensor:$key, Tenon_Dims:$shape, Variadic<Index>:$shape_sizes, Tenon_Int:$words,
                   Tenon_Device:$device);
  let parameters = [Tenon_Parameter<"key", "operand", "", "u32[..., 2].">,
                    Tenon_Parameter<"shape", "shape", "", "What is drawn for each key.">,
                    Tenon_Parameter<"words", "int", "1", "1 or 2.">,
                    Tenon_Parameter<"device", "device", "none", "Where the result is; left out: where the key is.">];
  let door = "attributes";
  let vjp = "zero";
}

//===----------------------------------------------------------------------===//
// Contraction and others
//===----------------------------------------------------------------------===//

def Tenon_MatmulOp : Tenon_Shaped<"matmul", 70> {
  let category = "contraction";
  let summary = "The matrix product over the last two axes; leading axes broadcast.";
  let description = [{A rank-1 operand is a row (left) or a column (right) and its axis is dropped from the result, as in
    NumPy. The same BLAS call runs eagerly and compiled.}];
  let promotion = "none";
  let dtypes = ["i32", "i64", "floating", "complex"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let needs = ["x1", "x2"];
  let linearIn = [["x1"], ["x2"]];
  let referenceUlp = 64;
}
def Tenon_OptimizationBarrierOp : Tenon_Inferred<"optimization_barrier", 71, [Pure, Tenon_View]> {
  let category = "other";
  let summary = "The operands, unchanged; nothing is moved, fused or simplified across it.";
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
  let results = (outs Variadic<Tenon_Tensor>:$ys);
  let parameters = [Tenon_Parameter<"xs", "arrays">];
  let returns = "std::vector<Array>";
  let linearIn = [["xs"]];
  let lowering = "view";
}
def Tenon_StopGradientOp : Tenon_Shaped<"stop_gradient", 190, [Tenon_View]> {
  let category = "other";
  let summary = "x as a constant: the same elements, through which no derivative passes, forward or reverse.";
  let description = [{A view: nothing is copied, and nothing is left of it in a compiled program. In what is differentiated
    it stands for a number that was computed elsewhere; x itself keeps its derivative.}];
  let example = "Array loss = mean(square(value(x) - stop_gradient(target(x))));";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x);
  let shapeRule = "inferOptimizationBarrier";
  let view = "viewOptimizationBarrier";
  let kernel = "kernelOptimizationBarrier";
  let vjp = "zero";
  let batch = "batchStopGradient";
  let lowering = "view";
  let hasFolder = 1;
}
def Tenon_CheckpointNameOp : Tenon_Shaped<"checkpoint_name", 203, [Tenon_View]> {
  let category = "other";
  let summary = "x under a name by which `checkpoint` may be told to keep it; elsewhere x itself.";
  let description = [{A view: nothing is copied, and nothing is left of it in a compiled program.}];
  let dtypes = ["any"];
  let isPublic = 0;
  let arguments = (ins Tenon_Tensor:$x, Tenon_String:$name);
  let linearIn = [["x"]];
  let shapeRule = "inferOptimizationBarrier";
  let view = "viewOptimizationBarrier";
  let kernel = "kernelOptimizationBarrier";
  let lowering = "view";
  let hasFolder = 1;
}
def Tenon_PrintOp : Tenon_Inferred<"print", 72, [MemoryEffects<[MemWrite]>]> {
  let category = "other";
  let summary = "Writes `format` with the arrays' values to standard output when it runs; kept in order.";
  let description = [{Each `{}` stands for the next array; `{:.3f}`, `{:>8}` format a rank-0 array as std::format does a
    number of its dtype. Without a `{}` the arrays follow, separated by spaces. Under vmap the examples print in order;
    under grad it prints once, forward.}];
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_String:$format);
  let results = (outs);
  let parameters = [Tenon_Parameter<"format", "text", "", "The line, with a {} for each array.">,
                    Tenon_Parameter<"xs", "arrays", "none", "The arrays; left out: none.">];
  let returns = "void";
  let vjp = "zero";
  let lowering = "effect";
}

def Tenon_CheckOp : Tenon_Inferred<"check", 210, [MemoryEffects<[MemWrite]>]> {
  let category = "other";
  let summary = "An Error, of this line, unless all of `condition` is true (not 0) when it runs; its text is `format` with "
                "the arrays' values.";
  let description = [{The text is made as `print` makes a line. Of a compiled program that it ends nothing is updated:
    arguments and Variables are as before. Kept in order with what prints and calls the host. Under vmap it is about each
    example, and the first one that fails is told of; under grad it is checked once, forward.}];
  let dtypes = ["any"];
  // The first `examples` axes of all arrays run over the examples of vmaps; the text is about one of them.
  let arguments = (ins Tenon_Tensor:$condition, Variadic<Tenon_Tensor>:$xs, Tenon_String:$format, Tenon_Int:$examples);
  let results = (outs);
  let parameters = [Tenon_Parameter<"condition", "operand", "", "Of any shape.">,
                    Tenon_Parameter<"format", "text", "", "The text, with a {} for each array.">,
                    Tenon_Parameter<"xs", "arrays", "none", "The arrays; left out: none.">];
  let returns = "void";
  let vjp = "zero";
  let lowering = "effect";
}

def Tenon_HostCallOp : Tenon_Inferred<"host_call", 211, [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let category = "other";
  let summary = "Calls a C++ function of the process on the arrays' values when it runs; kept in order.";
  let description = [{`function` is the number by which the process knows it, as long as somebody holds it; elsewhere the op
    is an Error. The results are of the dtypes listed (separated by spaces) and ranks, whose sizes follow one another in
    `sizes`. With `batched` vmap calls it once, for all examples, else once for each.}];
  let dtypes = ["any"];
  let isPublic = 0;
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Variadic<Index>:$sizes_sizes, Tenon_Int:$function,
                   Tenon_Bool:$batched, Tenon_String:$dtypes, Tenon_Ints:$ranks, Tenon_Dims:$sizes,
                   Tenon_Device:$device);
  let results = (outs Variadic<Tenon_Tensor>:$ys);
  let noVjp = "host_call has no derivative: what the C++ function does is not known; give it one by custom_vjp, or by "
              "custom_jvp for forward mode, or stop_gradient what it is called with";
  let lowering = "effect";
}

def Tenon_GuardOp : Tenon_Inferred<"guard", 204, [MemoryEffects<[MemWrite]>]> {
  let category = "other";
  let summary = "Ends the program unless the one element of x has the bits `answer`: what C++ decided by it while this "
                "was recorded would be decided otherwise.";
  let description = [{Kept in order with other effects; no step that may fail, loop without bound or be seen from outside
    is moved before it. `answer` holds the element's bytes, zeros above them; of a NaN it is -1.}];
  let dtypes = ["boolean", "integer", "floating"];
  let isPublic = 0;
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$answer);
  let results = (outs);
  let vjp = "zero";
  let noBatch = "under vmap the examples differ in what C++ asks for (if, while, int(x)); use tn::where or tn::cond, or "
                "ask for what is the same for all examples";
}

#endif // TENON_SHAPED
