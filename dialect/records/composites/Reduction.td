//===- Reduction.td - reductions, composed --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_REDUCTION_COMPOSITES
#define TENON_REDUCTION_COMPOSITES

include "Base.td"

def Tenon_Mean : Tenon_NamedComposite<"mean"> {
  let isOfComplexToo = 1;
  let category = "reduction";
  let summary = "The sum divided by the number of elements over the given axes; integers become f32.";
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$axes, Tenon_Bool:$keepdims);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter];
  let kernel = "kernelMean";
  let batch = "batchMean";
  let referenceUlp = 4;
}

def Tenon_CorrectionParameter
    : Tenon_Parameter<"correction", "float", "0", "What the number of elements is reduced by: 1 for a sample's.">;

class Tenon_ReductionComposite<string name, int ulp = 0> : Tenon_Composite<name> {
  let category = "reduction";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter];
  let referenceUlp = ulp;
}
// Of floats; integers and bools become f32. Narrow floats are computed in f32 and
// rounded once.
class Tenon_FloatReduction<string name, int ulp> : Tenon_ReductionComposite<name, ulp> { let dtypes = ["floating"]; }
class Tenon_Spread<string name, int ulp> : Tenon_FloatReduction<name, ulp> {
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter,
                    Tenon_CorrectionParameter];
}
def Tenon_Var : Tenon_Spread<"var", 16> {
  let isOfComplexToo = 1;
  let description = [{Of complex numbers the squares are those of |x - mean|, and the result is real.}];
  let summary = "The sum of the squares of x - mean, divided by the number of elements less `correction`; integers become f32.";
}
def Tenon_Std : Tenon_Spread<"std", 16> {
  let isOfComplexToo = 1;
  let summary = "sqrt(var(x)); integers become f32.";
  let description = [{Where it is 0 the derivative is 0, as in PyTorch. Written tenon::std, also after a using-directive:
    the name alone may be the namespace.}];
}
def Tenon_Nanvar : Tenon_Spread<"nanvar", 16> {
  let summary = "`var` of what is not NaN; NaN where that are not more elements than `correction`.";
}
def Tenon_Nanstd : Tenon_Spread<"nanstd", 16> { let summary = "sqrt(nanvar(x))."; }
def Tenon_Nansum : Tenon_ReductionComposite<"nansum"> { let summary = "The `sum` of what is not NaN: 0 of nothing."; }
def Tenon_Nanprod : Tenon_ReductionComposite<"nanprod"> { let summary = "The `prod` of what is not NaN: 1 of nothing."; }
def Tenon_Nanmax : Tenon_ReductionComposite<"nanmax"> {
  let summary = "The largest of what is not NaN; NaN where all is. An empty axis is an error.";
}
def Tenon_Nanmin : Tenon_ReductionComposite<"nanmin"> {
  let summary = "The smallest of what is not NaN; NaN where all is. An empty axis is an error.";
}
def Tenon_Nanmean : Tenon_FloatReduction<"nanmean", 16> {
  let summary = "The mean of what is not NaN; NaN where all is; integers become f32.";
}
def Tenon_Ptp : Tenon_ReductionComposite<"ptp"> {
  let summary = "max(x) - min(x). An empty axis is an error.";
  let dtypes = ["real"];
}
def Tenon_CountNonzero : Tenon_ReductionComposite<"count_nonzero"> {
  let summary = "How many elements are not 0, which NaN is not: i64.";
  let dtypes = ["computed"];
}
def Tenon_Argmin : Tenon_ReductionComposite<"argmin"> {
  let summary = "The index (i64) of the first smallest element along `axis`; a NaN counts as smallest.";
  let description = [{Without an axis: the index into the flattened array.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; left out: the array is flattened.">,
                    Tenon_KeepdimsParameter];
}
class Tenon_NanPlace<string name> : Tenon_ReductionComposite<name> {
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; left out: the array is flattened.">,
                    Tenon_KeepdimsParameter];
}
def Tenon_Nanargmax : Tenon_NanPlace<"nanargmax"> {
  let summary = "The index (i64) of the first largest of what is not NaN along `axis`; -1 where all is, as in JAX.";
  let description = [{Without an axis: the index into the flattened array.}];
}
def Tenon_Nanargmin : Tenon_NanPlace<"nanargmin"> {
  let summary = "The index (i64) of the first smallest of what is not NaN along `axis`; -1 where all is, as in JAX.";
  let description = [{Without an axis: the index into the flattened array.}];
}
class Tenon_NanCumulative<string name> : Tenon_Composite<name> {
  let category = "cumulative";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; left out: the array is flattened.">];
}
def Tenon_Nancumsum : Tenon_NanCumulative<"nancumsum"> { let summary = "`cumulative_sum` with 0 for NaN."; }
def Tenon_Nancumprod : Tenon_NanCumulative<"nancumprod"> { let summary = "`cumulative_prod` with 1 for NaN."; }
def Tenon_Average : Tenon_FloatReduction<"average", 16> {
  let isOfComplexToo = 1;
  let summary = "sum(x * weights) / sum(weights) over the given axes, or the mean; integers become f32.";
  let description = [{`weights` have x's shape, or the sizes of the given axes in the order in which these are given.}];
  let example = "Array grade = average(points, -1, {0.5f, 0.25f, 0.25f});";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter,
                    Tenon_Parameter<"weights", "operand", "none", "Left out: all count alike.">,
                    Tenon_KeepdimsParameter];
}
class Tenon_Norm<string name> : Tenon_FloatReduction<name, 32> { let isOfComplexToo = 1; }
def Tenon_VectorNorm : Tenon_Norm<"vector_norm"> {
  let summary = "sum(|x|^ord)^(1 / ord) over the given axes; integers become f32.";
  let description = [{0 counts what is not 0; infinity gives the largest |x|, -infinity the smallest. Where it is 0 the
    derivative is 0. Of complex numbers it is real.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter,
                    Tenon_Parameter<"ord", "float", "2", "The norm's order.">];
}
def Tenon_MatrixNorm : Tenon_Norm<"matrix_norm"> {
  let summary = "The norm of the matrices in the last two axes; integers become f32.";
  let description = [{`ord` is "fro": the root of the sum of the squares of |x|; "1" or "inf": the largest sum of a column's
    or a row's |x|; "-1" or "-inf": the smallest. Of complex numbers it is real.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_KeepdimsParameter, Tenon_Parameter<"ord", "text", "fro">];
}
def Tenon_NormOfEither : Tenon_Norm<"norm"> {
  let summary = "`vector_norm` along one axis, `matrix_norm` of two, its rows and columns; integers become f32.";
  let description = [{Without `ord` it is the root of the sum of the squares of |x|: over all axes where none are given.
    With it, and without axes, that of a vector or a matrix, by x's rank. Of matrices `ord` is 1, -1, inf or -inf.}];
  let example = "Array lengths = norm(rows, -1), largest = norm(matrix, {}, false, INFINITY);";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter,
                    Tenon_Parameter<"ord", "float", "none", "The norm's order; left out: 2, of matrices \"fro\".">];
}
def Tenon_Diff : Tenon_Composite<"diff"> {
  let category = "reduction";
  let summary = "Each element along `axis` less the one before it, n times: the axis gets shorter by n; of bools, whether they differ.";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"n", "int", "1", "How many times.">, Tenon_Parameter<"axis", "axis", "-1">,
    Tenon_Parameter<"prepend", "operand", "none", "What is put before x: a number, or an array with x's other sizes.">,
    Tenon_Parameter<"append", "operand", "none", "What is put behind x.">];
}

class Tenon_OrderStatistic<string name> : Tenon_FloatReduction<name, 16> {
  let description = [{Between two neighbours in order it is interpolated linearly. NaN where an element is NaN, or where
    there are none.}];
}
def Tenon_Median : Tenon_OrderStatistic<"median"> {
  let summary = "The middle one of the sorted elements, or the mean of the middle two; integers become f32.";
}
class Tenon_Quantiles<string name, string range> : Tenon_OrderStatistic<name> {
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$q);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"q", "operand", "", range>, Tenon_AxesParameter,
                    Tenon_KeepdimsParameter];
}
def Tenon_Quantile : Tenon_Quantiles<"quantile", "One or several in [0, 1]; their axes come first in the result.">  {
  let summary = "The number below which lies a share q of the elements; integers become f32.";
  let example = "Array box = quantile(x, {0.25f, 0.5f, 0.75f}, 0);";
}
def Tenon_Percentile : Tenon_Quantiles<"percentile", "One or several in [0, 100]; their axes come first in the result.">  {
  let summary = "The number below which lie q percent of the elements; integers become f32.";
}

defvar nanStatistic = [{Between two neighbours in order it is interpolated linearly. NaN where there is nothing else.}];
def Tenon_Nanmedian : Tenon_OrderStatistic<"nanmedian"> {
  let summary = "The `median` of what is not NaN; integers become f32.";
  let description = nanStatistic;
}
def Tenon_Nanquantile : Tenon_Quantiles<"nanquantile", "One or several in [0, 1]; their axes come first in the result.">  {
  let summary = "The `quantile` of what is not NaN; integers become f32.";
  let description = nanStatistic;
}
def Tenon_Nanpercentile
    : Tenon_Quantiles<"nanpercentile", "One or several in [0, 100]; their axes come first in the result.">  {
  let summary = "The `percentile` of what is not NaN; integers become f32.";
  let description = nanStatistic;
}

def Tenon_Logsumexp : Tenon_NamedComposite<"logsumexp"> {
  let category = "reduction";
  let summary = "log(sum(exp(x))) over the given axes, without overflow; integers become f32.";
  let description = [{-inf where all are -inf, or there are none; +inf where one is. The derivative is softmax(x), and 0
    where the result is infinite.}];
  let dtypes = ["floating"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Ints:$axes, Tenon_Bool:$keepdims);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter, Tenon_KeepdimsParameter];
  let vjp = "vjpLogsumexp";
  let needs = ["x", "result"];
  let referenceUlp = 8;
}

#endif // TENON_REDUCTION_COMPOSITES
