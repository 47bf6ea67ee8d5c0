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
  let options = "ReduceOptions";
  let isMethod = 1;
  let door = "reduction";
  let shapeRule = "inferReduction";
  let kernel = "kernelReduction";
  let batch = "batchReduction";
  let lowering = "reduction";
}
// Reductions in a dtype of the caller's choice.
class Tenon_Total<string mnemonic, int number> : Tenon_Reduction<mnemonic, number> {
  let options = "SumOptions";
  let named = [Tenon_ReductionDtypeParameter, Tenon_InitialParameter, Tenon_WhereParameter];
}
class Tenon_Extremum<string mnemonic, int number> : Tenon_Reduction<mnemonic, number> {
  let options = "ExtremumOptions";
  let named = [Tenon_InitialParameter, Tenon_WhereParameter];
}
def Tenon_SumOp : Tenon_Total<"sum", 40> {
  let isOfComplexToo = 1;
  let summary = "Sum over the given axes (default: all).";
  let description = [{Sums of bools and of integers narrower than i32 are i32 (u32 if unsigned). f16 and bf16
    accumulate in f32 and are rounded once. An empty sum is 0. The order of summation depends only on shape and
    axes, so every mode, thread count and instruction set gives the same bits: along the innermost axis, 16 partial
    sums within blocks of 4,096 elements, whose results are combined pairwise; along another axis, index order
    within blocks of 256. Axes of size 1 do not count. With `dtype`, sums of integers wrap around in that dtype.}];
  let example = "Array total = sum(x, {.axis = 0, .dtype = f64, .where = isfinite(x)});";
  let linearIn = [["x"]];
  let combine = "add";
  let identity = "0";
  let accumulator = "wide";
  let hasFolder = 1;
}
def Tenon_MaxOp : Tenon_Extremum<"max", 41> {
  let summary = "Maximum over the given axes (default: all). NaN propagates.";
  let description = [{An empty axis is an error without `initial`. `where` requires `initial`, as in NumPy. Equal largest elements share
    the derivative evenly, as in JAX.}];
  let example = "Array peak = max(x, {.axis = 1, .initial = 0, .where = x < 100});";
  let combine = "maximum";
  let vjp = "vjpExtremum";
  let needs = ["x", "result"];
}
def Tenon_MinOp : Tenon_Extremum<"min", 44> {
  let summary = "Minimum over the given axes (default: all). NaN propagates.";
  let description = [{An empty axis is an error without `initial`. `where` requires `initial`, as in NumPy. Equal smallest elements share
    the derivative evenly, as in JAX.}];
  let combine = "minimum";
  let vjp = "vjpExtremum";
  let needs = ["x", "result"];
}
def Tenon_ProdOp : Tenon_Total<"prod", 43> {
  let isOfComplexToo = 1;
  let summary = "Product over the given axes (default: all).";
  let description = [{The result dtype and the order of multiplication are those of `sum`. An empty product is 1.
    The derivative multiplies the other factors, so it is right where factors are 0.}];
  let combine = "multiply";
  let identity = "1";
  let accumulator = "wide";
  let needs = ["x"];
}
class Tenon_Quantifier<string mnemonic, int number> : Tenon_Reduction<mnemonic, number> {
  let options = "QuantifierOptions";
  let named = [Tenon_WhereParameter];
  let door = "truths";
  let dtypes = ["boolean"];
  let vjp = "zero";
}
def Tenon_AnyOp : Tenon_Quantifier<"any", 45> {
  let summary = "Whether any element is true over the given axes (default: all), as bool.";
  let description = [{Elements of other dtypes count as `x != 0`; NaN is true. False for an empty axis.}];
  let example = "if (any(x < 0))\n  throw std::domain_error(\"x\");";
  let combine = "maximum";
  let identity = "0";
}
def Tenon_AllOp : Tenon_Quantifier<"all", 46> {
  let summary = "Whether all elements are true over the given axes (default: all), as bool.";
  let description = [{Elements of other dtypes count as `x != 0`; NaN is true. True for an empty axis.}];
  let example = "bool same = bool(all(x == y));";
  let combine = "minimum";
  let identity = "1";
}
def Tenon_ArgmaxOp : Tenon_Shaped<"argmax", 42> {
  let isMethod = 1;
  let category = "reduction";
  let summary = "Index (i64) of the first maximum along `axis`; NaN counts as the maximum.";
  let description = [{Without an axis, the index into the flattened array.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis, Tenon_Bool:$keepdims);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; default: the array is flattened.">,
                    Tenon_KeepdimsParameter];
  let options = "ArgOptions";
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
  let isMethod = 1;
  let summary = "Array with the same elements, in row-major order, and a new shape. One size may be -1: it is inferred.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$shape, Variadic<Index>:$shape_sizes);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"shape", "shape", "", "Sizes of the result; one may be -1.">];
  let lowering = "view";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Tenon_BroadcastToOp : Tenon_Movement<"broadcast_to", 51, [Tenon_View]> {
  let isMethod = 1;
  let summary = "Broadcasts x to `shape` by NumPy's rules.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$shape, Variadic<Index>:$shape_sizes);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_ShapeParameter];
  let lowering = "broadcast";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Tenon_TransposeOp : Tenon_Movement<"transpose", 52, [Tenon_View]> {
  let isMethod = 1;
  let summary = "Permutes the axes of x: axis i of the result is axis `permutation[i]` of x. Default: reverses the axes.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$permutation);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"permutation", "ints", "none", "All axes of x; default: in reverse order.">];
  let lowering = "view";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Tenon_SliceOp : Tenon_Movement<"slice", 53, [AttrSizedOperandSegments, Tenon_View]> {
  let summary = "Slice `x[start:stop:step]` with a start, a stop and a step for each axis.";
  let description = [{Steps may be negative but not 0; with a negative step, a stop of -1 means "before the first
    element". Bounds must lie inside the array.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$starts, Variadic<Index>:$starts_sizes, Tenon_Dims:$stops,
                   Variadic<Index>:$stops_sizes, Tenon_Ints:$steps);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"starts", "shape", "", "Start (inclusive) for each axis.">,
                    Tenon_Parameter<"stops", "shape", "", "Stop (exclusive) for each axis.">,
                    Tenon_Parameter<"steps", "ints", "none", "Step for each axis; default: 1.">];
  let lowering = "view";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}
def Tenon_PadOp : Tenon_Movement<"pad", 54, [AttrSizedOperandSegments]> {
  let summary = "Pads x with `value`: `low` elements before, `high` after and `interior` between the elements of each axis.";
  let description = [{Positive widths pad first, then negative ones crop. A symbolic width counts as negative only if its
    bounds prove it; any other that is negative at run time is an Error.}];
  let example = "Array shifted = pad(x, 0, {1}, {-1}); // [1, 2, 3] becomes [0, 1, 2]";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$value, Tenon_Dims:$low, Variadic<Index>:$low_sizes,
                   Tenon_Dims:$high, Variadic<Index>:$high_sizes, Tenon_Ints:$interior);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"value", "operand", "", "A rank-0 array.">,
                    Tenon_Parameter<"low", "shape", "", "Number of elements to add before each axis; negative removes them.">,
                    Tenon_Parameter<"high", "shape", "", "Number of elements to add after each axis; negative removes them.">,
                    Tenon_Parameter<"interior", "ints", "none", "Number of elements to add between two elements; default: 0.">];
  let linearIn = [["x", "value"]];
  let hasFolder = 1;
}
def Tenon_ConcatenateOp : Tenon_Movement<"concatenate", 55> {
  let summary = "Joins arrays along an existing axis. All other sizes must be equal.";
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_Int:$axis);
  let parameters = [Tenon_Parameter<"xs", "arrays">, Tenon_Parameter<"axis", "axis", "0">];
  let linearIn = [["xs"]];
  let hasFolder = 1;
}
def Tenon_SplitOp : Tenon_Movement<"split", 56, [Tenon_View]> {
  let summary = "Splits x along `axis` into parts of the given sizes, as views.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$sizes, Variadic<Index>:$sizes_sizes, Tenon_Int:$axis);
  let results = (outs Variadic<Tenon_Tensor>:$pieces);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"sizes", "shape", "", "Sizes of the parts; they add up to the size of the axis.">,
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
  let summary = "Array of the given shape filled with `value`.";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Dims:$shape, Variadic<Index>:$shape_sizes, Tenon_Scalar:$value, Tenon_Dtype:$dtype,
                   Tenon_Device:$device);
  let parameters = [Tenon_ShapeParameter, Tenon_Parameter<"value", "number", "", "Fills the array.">,
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; default: that of the number.">,
                    Tenon_DeviceParameter];
  let vjp = "zero";
  let batch = "batchNever";
  let lowering = "broadcast";
}
def Tenon_ArangeOp : Tenon_Shaped<"arange", 61> {
  let category = "creation";
  let summary = "Evenly spaced numbers in [start, stop): `start`, `start + step`, `start + 2 * step`, ...";
  let description = [{Element i is `start + i * step`, with each operation rounded once. A dtype may stand right after
    the numbers that are given.}];
  let example = "Array x = arange(16, f32), rows = arange(x.dim(0));";
  let dtypes = ["real"];
  let arguments = (ins Tenon_Dims:$length, Variadic<Index>:$length_sizes, Tenon_Scalar:$start, Tenon_Scalar:$step,
                   Tenon_Dtype:$dtype, Tenon_Device:$device);
  let parameters = [Tenon_Parameter<"start", "number", "", "First number; the end of the range if `stop` is omitted.">,
                    Tenon_Parameter<"stop", "number", "none", "End of the range (exclusive); if omitted, the range is [0, start).">,
                    Tenon_Parameter<"step", "number", "1", "Spacing; not 0.">,
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; default: that of the numbers.">,
                    Tenon_DeviceParameter];
  let overloads = [{/// The integers 0, 1, 2, ..., `size` - 1 for a size that may be symbolic: `arange(x.dim(0))`.
template <std::derived_from<Dim> AnySize, std::convertible_to<std::optional<Dtype>> AnyDtype = std::optional<Dtype>>
[[nodiscard]] Array arange(const AnySize &size, AnyDtype dtype = {}, std::optional<Device> device = {},
                           Location at = Location::current()) {
  return detail::arange(0, size, dtype, device, at);
}
/// The integers `start`, ..., `stop` - 1 for an end that may be symbolic: `arange(1, x.dim(0) + 1)`. Empty if `stop` is
/// below `start`; if it is also symbolic, an Error. Whether a symbolic end fits the dtype is not checked.
template <std::derived_from<Dim> AnySize, std::convertible_to<std::optional<Dtype>> AnyDtype = std::optional<Dtype>>
[[nodiscard]] Array arange(int64_t start, const AnySize &stop, AnyDtype dtype = {}, std::optional<Device> device = {},
                           Location at = Location::current()) {
  return detail::arange(start, stop, dtype, device, at);
}
}];
  let vjp = "zero";
  let batch = "batchNever";
}
def Tenon_DimensionOp : Tenon_Shaped<"dimension", 62> {
  let category = "creation";
  let summary = "Size of one axis of x as a rank-0 i64 array. A symbolic size has its value when the program runs.";
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
  let summary = "Random u32 numbers from a key, by Threefry-2x32 as in JAX; equal keys give equal numbers.";
  let description = [{The key is u32[..., 2]; the result is u32[..., shape], one block of `shape` per key. With
    `words` = 2 the result is u32[..., shape, 2]: both words of each Threefry block (upper word first) instead of
    their XOR, to be used as 64 random bits or as a new key. Source: Salmon et al., "Parallel random numbers: as
    easy as 1, 2, 3", SC 2011; the counter layout is that of JAX's jax_threefry_partitionable=True.}];
  let dtypes = ["u32"];
  let arguments = (ins Tenon_Tensor:$key, Tenon_Dims:$shape, Variadic<Index>:$shape_sizes, Tenon_Int:$words,
                   Tenon_Device:$device);
  let parameters = [Tenon_Parameter<"key", "operand", "", "u32[..., 2].">,
                    Tenon_Parameter<"shape", "shape", "", "Shape of the numbers drawn for each key.">,
                    Tenon_Parameter<"words", "int", "1", "1 or 2.">,
                    Tenon_Parameter<"device", "device", "none", "The result's device; default: that of the key.">];
  let door = "attributes";
  let vjp = "zero";
}

//===----------------------------------------------------------------------===//
// Contraction and others
//===----------------------------------------------------------------------===//

def Tenon_DotGeneralOp : Tenon_Shaped<"dot_general", 227> {
  let category = "contraction";
  let summary = "Sums products over the axes `axes1` of x1 and `axes2` of x2, for each index of the batch axes `batch1` and `batch2`; JAX's `dot_general`.";
  let description = [{The result has the batch axes first, in the order of `batch1`; then the other axes of `x1`, then those of
    `x2`. Axes that are paired have equal sizes. `matmul`, `tensordot` and `einsum` are calls of this function.

    An element of the result is one chain of fused multiply-adds in the order of `axes1`, the last of them fastest
    (blocks of 4,096, which are added pairwise). So an element does not depend on the others: `matmul(x, w)[i]` has the
    bits of `matmul(x[i], w)`, eager and compiled, on any number of threads. Where the other axes of `x2` have one
    element, such as in a matrix times a vector, the sum has the order of `sum`. f16, bf16 and f8 are summed in f32
    and rounded once. Integers wrap.

    `dtype` is JAX's `preferred_element_type`: products are computed in the wider of `dtype` and the operands' dtype,
    and the result is converted. So products of i8 with `dtype` i32 wrap at 32 bits, not at 8, and those of f8 with `dtype` f32 are
    not rounded to f8. f8, f16, bf16 and narrow integers are widened as the product reads them, without a wide copy
    of the operands.

    For each pair of complex numbers, re * re and then -im * im is added to the real part, re * im and
    then im * re to the imaginary part.}];
  let example = "Array y = dot_general(a, b, {2}, {1}, {0}, {0}); // a[8, 3, 4], b[8, 4, 5]: [8, 3, 5]";
  let promotion = "none";
  let dtypes = ["boolean", "i8", "i16", "i32", "i64", "u8", "u16", "floating", "complex", "f8e4m3fn", "f8e5m2"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2, Tenon_Ints:$axes1, Tenon_Ints:$axes2, Tenon_Ints:$batch1,
                   Tenon_Ints:$batch2, Tenon_Dtype:$dtype);
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"axes1", "ints", "", "Axes of `x1` that are summed over.">,
                    Tenon_Parameter<"axes2", "ints", "", "Their counterparts in `x2`.">,
                    Tenon_Parameter<"batch1", "ints", "none", "Batch axes of `x1`; default: none.">,
                    Tenon_Parameter<"batch2", "ints", "none", "Their counterparts in `x2`.">,
                    Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype; default: that of the operands.">];
  let needs = ["x1", "x2"];
  let linearIn = [["x1"], ["x2"]];
  let referenceUlp = 64;
}
def Tenon_OptimizationBarrierOp : Tenon_Inferred<"optimization_barrier", 71, [Pure, Tenon_View]> {
  let category = "other";
  let summary = "Returns the operands unchanged; the compiler does not move, fuse or simplify ops across it.";
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
  let summary = "Returns x as a constant for differentiation: no derivative passes through, forward or reverse.";
  let description = [{The result is a view; nothing is copied, and compiled programs contain no trace of the op.
    Other uses of x keep their derivative.}];
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
  let summary = "Names the value x, so that `checkpoint` can be told to keep it; returns x otherwise unchanged.";
  let description = [{The result is a view; nothing is copied, and compiled programs contain no trace of the op.}];
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
  let summary = "Prints `format` with the arrays' values to standard output when the program runs; prints keep their order.";
  let description = [{Each `{}` is replaced by the next array; `{:.3f}` or `{:>8}` formats a rank-0 array as
    std::format does a number. If `format` contains no `{}`, the arrays follow the text, separated by spaces. Under
    vmap each batch element prints, in order; under grad the print happens once, in the forward pass. `print(x)`
    prints the elements of one array.}];
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_String:$format);
  let results = (outs);
  let parameters = [Tenon_Parameter<"format", "text", "", "The line, with a {} for each array.">,
                    Tenon_Parameter<"xs", "arrays", "none", "The arrays; default: none.">];
  let overloads = [{/// Prints the elements of x.
void print(const Operand &x);}];
  let returns = "void";
  let vjp = "zero";
  let lowering = "effect";
}

def Tenon_CheckOp : Tenon_Inferred<"check", 210, [MemoryEffects<[MemWrite]>]> {
  let category = "other";
  let summary = "Throws an Error with the caller's line unless all elements of `condition` are true when the program runs.";
  let description = [{The message is `format` with the arrays' values, formatted as by `print`. A failed check in a
    compiled program updates nothing: arguments and Variables keep their values. Checks, prints and host calls keep
    their order. Under vmap the check is made for each batch element, and the first failure is reported; under grad
    it is made once, in the forward pass.}];
  let dtypes = ["any"];
  // The first `examples` axes of all arrays are the batch axes of vmaps; the message describes one batch element.
  let arguments = (ins Tenon_Tensor:$condition, Variadic<Tenon_Tensor>:$xs, Tenon_String:$format, Tenon_Int:$examples);
  let results = (outs);
  let parameters = [Tenon_Parameter<"condition", "operand", "", "Of any shape.">,
                    Tenon_Parameter<"format", "text", "the condition is false", "The message, with a {} for each array.">,
                    Tenon_Parameter<"xs", "arrays", "none", "The arrays; default: none.">];
  let returns = "void";
  let vjp = "zero";
  let lowering = "effect";
}

def Tenon_HostCallOp : Tenon_Inferred<"host_call", 211, [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let category = "other";
  let summary = "Calls a C++ function of this process with the arrays' values when the program runs; host calls keep their order.";
  let description = [{`function` is the number under which the process registered the function, valid while the
    function object exists; elsewhere the op throws an Error. `dtypes` (separated by spaces) and `ranks` describe
    the results, whose sizes are concatenated in `sizes`. Under vmap the function is called once for the whole batch
    if `batched`, otherwise once per batch element.}];
  let dtypes = ["any"];
  let isPublic = 0;
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Variadic<Index>:$sizes_sizes, Tenon_Int:$function,
                   Tenon_Bool:$batched, Tenon_String:$dtypes, Tenon_Ints:$ranks, Tenon_Dims:$sizes,
                   Tenon_Device:$device);
  let results = (outs Variadic<Tenon_Tensor>:$ys);
  let noVjp = "host_call has no derivative, since Tenon cannot look into the C++ function; give it one with custom_vjp "
              "(custom_jvp for forward mode), or apply stop_gradient to its arguments";
  let lowering = "effect";
}

def Tenon_GuardOp : Tenon_Inferred<"guard", 204, [MemoryEffects<[MemWrite]>]> {
  let category = "other";
  let summary = "Stops the program unless the single element of x has the bits `answer`, the value that C++ read while the program was traced.";
  let description = [{A failed guard makes jit run or trace another variant. Guards keep their order with side
    effects; no step that may fail, loop without bound or have a side effect is moved before a guard. `answer` holds
    the bytes of the element, zero-extended; -1 stands for NaN.}];
  let dtypes = ["boolean", "integer", "floating"];
  let isPublic = 0;
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$answer);
  let results = (outs);
  let vjp = "zero";
  let noBatch = "C++ cannot branch on a value that differs between the batch elements of vmap (if, while, int(x)); use "
                "tn::where or tn::cond, or branch on a value that is not batched";
}

#endif // TENON_SHAPED
