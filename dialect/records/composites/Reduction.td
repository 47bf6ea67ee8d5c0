//===- Reduction.td - reductions, composed --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_REDUCTION_COMPOSITES
#define TENON_REDUCTION_COMPOSITES

include "Base.td"

def Tenon_Mean : Tenon_NamedComposite<"mean"> {
  let isOfComplexToo = 1;
  let category = "reduction";
  let summary = "Arithmetic mean over the given axes. Integers become f32.";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$axes, Tenon_Bool:$keepdims);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter];
  let description = [{`dtype` must be floating or complex; the mean is computed in it, for f16 and bf16 in f32 and rounded
    once. NaN where `where` selects no element.}];
  let options = "MeanOptions";
  let named = [Tenon_ReductionDtypeParameter, Tenon_WhereParameter];
  let isMethod = 1;
  let kernel = "kernelMean";
  let batch = "batchMean";
  let referenceUlp = 4;
}

def Tenon_CorrectionParameter
    : Tenon_Parameter<"correction", "float", "0", "The divisor is the number of elements minus `correction`; 1 gives the sample estimate.">;

class Tenon_ReductionComposite<string name, int ulp = 0> : Tenon_Composite<name> {
  let category = "reduction";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter];
  let options = "ReduceOptions";
  let referenceUlp = ulp;
}
// Of floats; integers and bools become f32. Narrow floats are computed in f32 and
// rounded once.
class Tenon_FloatReduction<string name, int ulp> : Tenon_ReductionComposite<name, ulp> { let dtypes = ["floating"]; }
class Tenon_Spread<string name, int ulp> : Tenon_FloatReduction<name, ulp> {
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter,
                    Tenon_CorrectionParameter];
  let options = "VarianceOptions";
}
class Tenon_MaskedSpread<string name, int ulp> : Tenon_Spread<name, ulp> {
  let isMethod = 1;
  let isOfComplexToo = 1;
  let options = "SpreadOptions";
  let named = [Tenon_Parameter<"dtype", "dtype", "none", "The floating dtype of the computation and the result; default: that of x.">,
               Tenon_WhereParameter];
}
def Tenon_Var : Tenon_MaskedSpread<"var", 16> {
  let description = [{For complex numbers, the mean of `|x - mean|^2`; the result is real. NaN or infinity where at most
    `correction` elements are selected.}];
  let summary = "Variance over the given axes: the sum of `(x - mean)^2`, divided by the number of elements minus `correction`. Integers become f32.";
}
def Tenon_Std : Tenon_MaskedSpread<"std", 16> {
  let summary = "Standard deviation over the given axes, `sqrt(var(x))`. Integers become f32.";
  let description = [{Where the result is 0, the derivative is 0, as in PyTorch. Write `tenon::std` even after a
    using-directive, since `std` alone may name the namespace.}];
}
def Tenon_Nanvar : Tenon_Spread<"nanvar", 16> {
  let summary = "Variance that ignores NaNs. NaN where at most `correction` elements remain.";
}
def Tenon_Nanstd : Tenon_Spread<"nanstd", 16> { let summary = "Standard deviation that ignores NaNs, `sqrt(nanvar(x))`."; }
def Tenon_Nansum : Tenon_ReductionComposite<"nansum"> { let summary = "Sum that ignores NaNs; 0 where no elements remain."; }
def Tenon_Nanprod : Tenon_ReductionComposite<"nanprod"> { let summary = "Product that ignores NaNs; 1 where no elements remain."; }
def Tenon_Nanmax : Tenon_ReductionComposite<"nanmax"> {
  let summary = "Maximum that ignores NaNs; NaN where all elements are NaN. An empty axis is an error.";
}
def Tenon_Nanmin : Tenon_ReductionComposite<"nanmin"> {
  let summary = "Minimum that ignores NaNs; NaN where all elements are NaN. An empty axis is an error.";
}
def Tenon_Nanmean : Tenon_FloatReduction<"nanmean", 16> {
  let summary = "Arithmetic mean that ignores NaNs; NaN where all elements are NaN. Integers become f32.";
}
def Tenon_Ptp : Tenon_ReductionComposite<"ptp"> {
  let isMethod = 1;
  let summary = "Range of the elements, `max(x) - min(x)`. An empty axis is an error.";
  let dtypes = ["real"];
}
def Tenon_CountNonzero : Tenon_ReductionComposite<"count_nonzero"> {
  let summary = "Number of non-zero elements (NaN counts as non-zero), as i64.";
  let dtypes = ["computed"];
}
def Tenon_Argmin : Tenon_ReductionComposite<"argmin"> {
  let options = "ArgOptions";
  let isMethod = 1;
  let summary = "Index (i64) of the first minimum along `axis`; NaN counts as the minimum.";
  let description = [{Without an axis, the index into the flattened array.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; default: the array is flattened.">,
                    Tenon_KeepdimsParameter];
}
class Tenon_NanPlace<string name> : Tenon_ReductionComposite<name> {
  let options = "ArgOptions";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; default: the array is flattened.">,
                    Tenon_KeepdimsParameter];
}
def Tenon_Nanargmax : Tenon_NanPlace<"nanargmax"> {
  let summary = "Index (i64) of the first maximum along `axis`, ignoring NaNs; -1 where all elements are NaN, as in JAX.";
  let description = [{Without an axis, the index into the flattened array.}];
}
def Tenon_Nanargmin : Tenon_NanPlace<"nanargmin"> {
  let summary = "Index (i64) of the first minimum along `axis`, ignoring NaNs; -1 where all elements are NaN, as in JAX.";
  let description = [{Without an axis, the index into the flattened array.}];
}
class Tenon_NanCumulative<string name> : Tenon_Composite<name> {
  let category = "cumulative";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; default: the array is flattened.">];
}
def Tenon_Nancumsum : Tenon_NanCumulative<"nancumsum"> { let summary = "Cumulative sum that treats NaN as 0."; }
def Tenon_Nancumprod : Tenon_NanCumulative<"nancumprod"> { let summary = "Cumulative product that treats NaN as 1."; }
def Tenon_Average : Tenon_FloatReduction<"average", 16> {
  let options = "AverageOptions";
  let isOfComplexToo = 1;
  let summary = "Weighted average over the given axes, `sum(x * weights) / sum(weights)`. Integers become f32.";
  let description = [{`weights` have the shape of x, or the sizes of the given axes in the order in which they are
    given.}];
  let example = "Array grade = average(points, -1, {0.5f, 0.25f, 0.25f});";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter,
                    Tenon_Parameter<"weights", "operand", "none", "Default: equal weights.">,
                    Tenon_KeepdimsParameter];
}
class Tenon_Norm<string name> : Tenon_FloatReduction<name, 32> { let isOfComplexToo = 1; }
def Tenon_VectorNorm : Tenon_Norm<"vector_norm"> {
  let options = "VectorNormOptions";
  let summary = "Vector norm of order `ord` over the given axes, `sum(|x|^ord)^(1 / ord)`. Integers become f32.";
  let description = [{Order 0 counts the non-zero elements; infinity gives the largest |x|, -infinity the smallest.
    Where the norm is 0, the derivative is 0. The norm of complex numbers is real.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter,
                    Tenon_Parameter<"ord", "float", "2", "Order of the norm.">];
}
def Tenon_MatrixNorm : Tenon_Norm<"matrix_norm"> {
  let options = "";
  let summary = "Norm of the matrices in the last two axes. Integers become f32.";
  let description = [{`ord` is `frobenius`, or `one` or `infinity` for the largest sum of |x| over a column or a
    row, `minus_one` or `minus_infinity` for the smallest; `spectral`, `minus_spectral` and `nuclear` are the largest,
    the smallest and the sum of the singular values. The norm of complex numbers is real.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_KeepdimsParameter, 
                    Tenon_Parameter<"ord", "MatrixNorm", "frobenius">];
}
def Tenon_NormOfEither : Tenon_Norm<"norm"> {
  let options = "NormOptions";
  let isMethod = 1;
  let summary = "Vector norm over one axis or matrix norm over two axes, as NumPy's `linalg.norm`. Integers become f32.";
  let description = [{Without `ord`, the 2-norm of the elements over the given axes (default: all). With `ord` and
    without axes, x must be a vector or a matrix. For matrices `ord` is 1, -1, inf or -inf.}];
  let example = "Array lengths = norm(rows, -1), largest = norm(matrix, {.ord = INFINITY});";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter,
                    Tenon_Parameter<"ord", "float", "none", "Order of the norm; default: 2 for vectors, \"fro\" for matrices.">];
}
def Tenon_Diff : Tenon_Composite<"diff"> {
  let category = "reduction";
  let summary = "The n-th discrete difference along `axis`, which becomes shorter by n. For bools, whether neighbors differ.";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"n", "int", "1", "Number of times.">, Tenon_Parameter<"axis", "axis", "-1">,
    Tenon_Parameter<"prepend", "operand", "none", "Joined before x: a number, or an array that matches x except along `axis`.">,
    Tenon_Parameter<"append", "operand", "none", "Joined after x.">];
}

class Tenon_OrderStatistic<string name> : Tenon_FloatReduction<name, 16> {
  let description = [{Interpolates linearly between two neighbors. NaN where an element is NaN or where there are no
    elements.}];
}
def Tenon_Median : Tenon_OrderStatistic<"median"> {
  let isMethod = 1;
  let summary = "Median over the given axes. Integers become f32.";
}
class Tenon_Quantiles<string name, string range> : Tenon_OrderStatistic<name> {
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$q);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"q", "operand", "", range>, Tenon_AxesParameter,
                    Tenon_KeepdimsParameter];
}
def Tenon_Quantile : Tenon_Quantiles<"quantile", "Numbers in [0, 1]; their axes come first in the result.">  {
  let summary = "The q-th quantile over the given axes. Integers become f32.";
  let example = "Array box = quantile(x, {0.25f, 0.5f, 0.75f}, 0);";
}
def Tenon_Percentile : Tenon_Quantiles<"percentile", "Numbers in [0, 100]; their axes come first in the result.">  {
  let summary = "The q-th percentile over the given axes. Integers become f32.";
}

defvar nanStatistic = [{Interpolates linearly between two neighbors. NaN where all elements are NaN or there are none.}];
def Tenon_Nanmedian : Tenon_OrderStatistic<"nanmedian"> {
  let summary = "Median that ignores NaNs. Integers become f32.";
  let description = nanStatistic;
}
def Tenon_Nanquantile : Tenon_Quantiles<"nanquantile", "Numbers in [0, 1]; their axes come first in the result.">  {
  let summary = "The q-th quantile, ignoring NaNs. Integers become f32.";
  let description = nanStatistic;
}
def Tenon_Nanpercentile
    : Tenon_Quantiles<"nanpercentile", "Numbers in [0, 100]; their axes come first in the result.">  {
  let summary = "The q-th percentile, ignoring NaNs. Integers become f32.";
  let description = nanStatistic;
}

def Tenon_Logsumexp : Tenon_NamedComposite<"logsumexp"> {
  let category = "reduction";
  let summary = "`log(sum(exp(x)))` over the given axes, without overflow. Integers become f32.";
  let description = [{-inf where all elements are -inf or there are none; +inf where any element is. The derivative
    is `softmax(x)`, or 0 where the result is infinite.}];
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$axes, Tenon_Bool:$keepdims);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter];
  let options = "ReduceOptions";
  let isMethod = 1;
  let vjp = "vjpLogsumexp";
  let needs = ["x", "result"];
  let referenceUlp = 8;
}

#endif // TENON_REDUCTION_COMPOSITES
