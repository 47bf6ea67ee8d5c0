//===- Search.td - places among sorted numbers, and counts ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SEARCH_COMPOSITES
#define TENON_SEARCH_COMPOSITES

include "Sorting.td"

def Tenon_Sort : Tenon_Composite<"sort"> {
  let category = "sorting";
  let summary = "x sorted along `axis`.";
  let description = [{Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
    descending; complex numbers are ordered by their real parts, then by the imaginary ones.}];
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"descending", "bool", "false">];
}
def Tenon_Lexsort : Tenon_Composite<"lexsort"> {
  let category = "sorting";
  let summary = "The indices (i64) along `axis` that sort by several keys, of one shape; the last one decides most, as in NumPy.";
  let dtypes = ["computed"];
  let arguments = (ins Variadic<Tenon_Tensor>:$keys);
  let parameters = [Tenon_Parameter<"keys", "arrays">, Tenon_Parameter<"axis", "axis", "-1">];
}

class Tenon_Searching<string name> : Tenon_Composite<name> {
  let category = "searching";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_Nonzero : Tenon_Searching<"nonzero"> {
  let summary = "For each axis of x the indices (i64) of the elements that are true (not 0), row-major.";
  let description = [{Under jit their number must be said: `size`. Of more, the first ones; of fewer, the rest is
    `fill_value`.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "int", "0", "What is put where there are fewer than `size`.">];
  let returns = "std::vector<Array>";
}
def Tenon_Argwhere : Tenon_Searching<"argwhere"> {
  let summary = "The indices (i64) of the elements that are true (not 0), row-major: a row for each, a column for each axis.";
  let description = [{`size` and `fill_value` are those of nonzero.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "int", "0", "What is put where there are fewer than `size`.">];
}

defvar uniqueOrder = [{Ascending; each NaN is a value of its own, and -0 is 0. Under jit the number of values must be said:
    `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first one, with counts of 0.}];
class Tenon_Unique<string name> : Tenon_Searching<name> {
  let description = uniqueOrder;
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "number", "none", "A value; left out: the first one.">];
}
def Tenon_UniqueValues : Tenon_Unique<"unique_values"> { let summary = "The values that x has."; }
def Tenon_UniqueCounts : Tenon_Unique<"unique_counts"> {
  let summary = "The values that x has, and how often (i64).";
  let returns = "UniqueCounts";
}
def Tenon_UniqueInverse : Tenon_Unique<"unique_inverse"> {
  let summary = "The values that x has, and for each element of x the index (i64) of its value, in x's shape.";
  let returns = "UniqueInverse";
}
def Tenon_UniqueAll : Tenon_Unique<"unique_all"> {
  let summary = "The values that x has; the index (i64) of the first of each in the flattened x; the values' indices by element; how often each is there.";
  let example = "auto [values, indices, inverse, counts] = unique_all(x);";
  let returns = "UniqueAll";
}

def Tenon_Searchsorted : Tenon_Composite<"searchsorted"> {
  let category = "searching";
  let summary = "How many elements of the sorted x1 stand before each of x2: i64, of x2's shape.";
  let description = [{`side` "left": those that are less; "right": those that are not greater. NaN is the largest, as where
    `sort` puts it.}];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let parameters = [Tenon_Parameter<"x1", "operand", "", "Of rank 1, ascending; or in the order of `sorter`.">,
                    Tenon_Parameter<"x2", "operand">, Tenon_Parameter<"side", "text", "left">,
                    Tenon_Parameter<"sorter", "operand", "none", "Indices that sort x1, as `argsort` gives them.">];
}
def Tenon_Digitize : Tenon_Composite<"digitize"> {
  let category = "searching";
  let summary = "The number of the bin that each element of x lies in: i64; 0 before the first edge, bins.size() behind the last.";
  let description = [{Bin i is [bins[i - 1], bins[i]), or (bins[i - 1], bins[i]] if `right`. Edges may descend: then
    bin i is [bins[i], bins[i - 1]), or (bins[i], bins[i - 1]].}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$bins);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"bins", "operand", "", "Edges, of rank 1.">,
                    Tenon_Parameter<"right", "bool", "false">];
}
def Tenon_Isin : Tenon_Composite<"isin"> {
  let category = "comparison";
  let summary = "Where an element is among `test_elements`: bool, of the shape of x; NaN is in nothing.";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$test_elements);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"test_elements", "operand">,
                    Tenon_Parameter<"invert", "bool", "false", "Where it is not.">];
}
class Tenon_WholeComparison<string name> : Tenon_Composite<name> {
  let category = "comparison";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}
def Tenon_ArrayEqual : Tenon_WholeComparison<"array_equal"> {
  let summary = "Whether two arrays have one shape and equal elements: bool, of rank 0.";
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"equal_nan", "bool", "false", "Whether NaN equals NaN.">];
}
def Tenon_ArrayEquiv : Tenon_WholeComparison<"array_equiv"> {
  let summary = "Whether two arrays can be broadcast to one shape and are equal there: bool, of rank 0.";
}
def Tenon_HistogramBinEdges : Tenon_Composite<"histogram_bin_edges"> {
  let category = "reduction";
  let summary = "The edges of the bins of `histogram`.";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"bins", "operand", "", "Their number, or their edges.">,
    Tenon_Parameter<"range", "operand", "none", "The first and the last edge, where bins is a number; left out: min(x), max(x).">];
  let door = "expression";
  let expression = "histogram(x, bins, range).edges";
}
def Tenon_Bincount : Tenon_Composite<"bincount"> {
  let category = "reduction";
  let summary = "How often each of 0, 1, ... is in x, or the sum of its `weights`: i64, or the dtype of the weights.";
  let description = [{What is negative, or not below `length`, is not counted. Without a length there are as many as the
    largest element asks for, which must be known: not while tracing.}];
  let dtypes = ["integer"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand", "", "Integers, of rank 1.">,
                    Tenon_Parameter<"weights", "operand", "none", "Of x's shape; left out: each counts 1.">,
                    Tenon_Parameter<"minlength", "int", "0", "The smallest size of the result without a length.">,
                    Tenon_Parameter<"length", "size", "none", "The size of the result; left out: by the largest element.">];
}
def Tenon_Histogram : Tenon_Composite<"histogram"> {
  let category = "reduction";
  let summary = "How many elements lie in each bin, and the edges of the bins: two arrays.";
  let description = [{`bins` is a number of bins of one width, or their edges, ascending, of rank 1. Bin i is
    [edges[i], edges[i + 1]), the last one with its upper edge; what lies outside, and NaN, is not counted. Counts are i64,
    sums of `weights` have their dtype, a density is a float.}];
  let example = "auto [counts, edges] = histogram(x, 20, {0.0f, 1.0f});";
  let arguments = (ins Tenon_Tensor:$x);
  let returns = "Histogram";
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"bins", "operand", "", "Their number, or their edges.">,
    Tenon_Parameter<"range", "operand", "none", "The first and the last edge, where bins is a number; left out: min(x), max(x).">,
    Tenon_Parameter<"weights", "operand", "none", "Of x's shape; left out: each counts 1.">,
    Tenon_Parameter<"density", "bool", "false", "Whether the bins are divided by their widths and by the sum of all.">];
}

#endif // TENON_SEARCH_COMPOSITES
