//===- Search.td - places among sorted numbers, and counts ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SEARCH_COMPOSITES
#define TENON_SEARCH_COMPOSITES

include "Sorting.td"

def Tenon_Sort : Tenon_Composite<"sort"> {
  let isMethod = 1;
  let category = "sorting";
  let summary = "Sorts x along `axis`.";
  let description = [{The sort is stable; -0 and +0 are equal. NaN comes last, in ascending and in descending order.
    Complex numbers are ordered by real part, then by imaginary part.}];
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"descending", "bool", "false">];
}
def Tenon_Lexsort : Tenon_Composite<"lexsort"> {
  let category = "sorting";
  let summary = "Indices (i64) that sort by several keys of one shape along `axis`; the last key is the primary one, as in NumPy.";
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
  let isMethod = 1;
  let summary = "Indices (i64) of the non-zero elements in row-major order: one array per axis of x.";
  let description = [{Under jit the number of results must be given as `size`: additional elements are dropped, and
    missing ones are filled with `fill_value`.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "int", "0", "Fills the result where there are fewer than `size`.">];
  let returns = "std::vector<Array>";
}
def Tenon_Argwhere : Tenon_Searching<"argwhere"> {
  let summary = "Indices (i64) of the non-zero elements in row-major order: one row per element, one column per axis.";
  let description = [{Under jit the number of rows must be given as `size`: additional elements are dropped, and
    missing ones are filled with `fill_value`.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "int", "0", "Fills the result where there are fewer than `size`.">];
}

defvar uniqueOrder = [{Each NaN counts as a distinct value, and -0 as 0. Under jit the number of values must be given as
    `size`: additional values are dropped, and missing ones are filled with `fill_value` (default: the first value) with
    counts of 0.}];
class Tenon_Unique<string name> : Tenon_Searching<name> {
  let description = uniqueOrder;
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "number", "none", "Fills the result; default: the first value.">];
}
def Tenon_UniqueValues : Tenon_Unique<"unique_values"> { let summary = "Sorted distinct values of x."; }
def Tenon_UniqueCounts : Tenon_Unique<"unique_counts"> {
  let summary = "Sorted distinct values of x, and the number of occurrences (i64) of each.";
  let returns = "UniqueCounts";
}
def Tenon_UniqueInverse : Tenon_Unique<"unique_inverse"> {
  let summary = "Sorted distinct values of x, and for each element of x the index (i64) of its value.";
  let returns = "UniqueInverse";
}
def Tenon_UniqueAll : Tenon_Unique<"unique_all"> {
  let summary = "Sorted distinct values of x, the index (i64) of each one's first occurrence in the flattened x, the index of each element's value, and the number of occurrences.";
  let example = "auto [values, indices, inverse, counts] = unique_all(x);";
  let returns = "UniqueAll";
}

def Tenon_UniqueAlong : Tenon_Searching<"unique"> {
  let summary = "Sorted distinct slices of x along `axis` (default: elements of the flattened x), the index (i64) of each one's first occurrence, the inverse indices, and the counts.";
  let description = [{All four are returned, unlike NumPy's. The inverse has one index per slice; without `axis` it has the
    shape of x. Slices are sorted lexicographically. NaNs are distinct (NumPy's `equal_nan=False`), and -0 equals 0. Under jit the number of slices must be given as `size`: additional ones are dropped, and missing ones are
    filled with `fill_value` (default: the first slice) with counts of 0. The sizes of the other axes must be known.}];
  let example = "Array rows = unique(table, {.axis = 0}).values;";
  let options = "UniqueOptions";
  let isByName = 1;
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; default: x is flattened.">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "number", "none", "Fills the result; default: the first slice.">];
  let returns = "UniqueAll";
}

def Tenon_Searchsorted : Tenon_Composite<"searchsorted"> {
  let category = "searching";
  let summary = "Indices (i64) at which the elements of `x2` would be inserted into the sorted `x1` to keep the order.";
  let description = [{With Side::left the index counts the elements that are less, with Side::right those that are
    not greater. NaN is the largest value, as in `sort`.}];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let parameters = [Tenon_Parameter<"x1", "operand", "", "A sorted vector, or one that `sorter` sorts.">,
                    Tenon_Parameter<"x2", "operand">, Tenon_Parameter<"side", "Side", "left">,
                    Tenon_Parameter<"sorter", "operand", "none", "Indices that sort `x1`, such as `argsort(x1)`.">];
}
def Tenon_Digitize : Tenon_Composite<"digitize"> {
  let category = "searching";
  let summary = "Index (i64) of the bin that contains each element of x: 0 before the first edge, `bins.size()` after the last.";
  let description = [{Bin i is [bins[i - 1], bins[i]), or (bins[i - 1], bins[i]] with `right`. If the edges are
    decreasing, bin i is [bins[i], bins[i - 1]), or (bins[i], bins[i - 1]] without `right`.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$bins);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"bins", "operand", "", "Bin edges, a monotonic vector.">,
                    Tenon_Parameter<"right", "bool", "false">];
}
def Tenon_Isin : Tenon_Composite<"isin"> {
  let category = "comparison";
  let summary = "Whether each element of x occurs in `test_elements`, as bool. NaN never does.";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$test_elements);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"test_elements", "operand">,
                    Tenon_Parameter<"invert", "bool", "false", "Inverts the result.">];
}
class Tenon_WholeComparison<string name> : Tenon_Composite<name> {
  let category = "comparison";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
}
def Tenon_ArrayEqual : Tenon_WholeComparison<"array_equal"> {
  let summary = "Whether two arrays have the same shape and equal elements, as rank-0 bool.";
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"equal_nan", "bool", "false", "Whether NaN equals NaN.">];
}
def Tenon_ArrayEquiv : Tenon_WholeComparison<"array_equiv"> {
  let summary = "Whether two arrays can be broadcast to one shape and have equal elements there, as rank-0 bool.";
}
def Tenon_HistogramBinEdges : Tenon_Composite<"histogram_bin_edges"> {
  let category = "reduction";
  let summary = "Bin edges that `histogram` uses.";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"bins", "operand", "", "Number of bins, or their edges.">,
    Tenon_Parameter<"range", "operand", "none", "First and last edge if `bins` is a number; default: min(x), max(x).">];
  let door = "expression";
  let expression = "histogram(x, bins, range).edges";
}
def Tenon_Bincount : Tenon_Composite<"bincount"> {
  let category = "reduction";
  let summary = "Number of occurrences of each integer 0, 1, 2, ... in x (i64), or the sum of their `weights`.";
  let description = [{Negative elements and elements not below `length` are ignored. Without `length` the result has
    max(x) + 1 elements, at least `minlength`; x must then be known: not while tracing.}];
  let dtypes = ["integer"];
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand", "", "A vector of integers.">,
                    Tenon_Parameter<"weights", "operand", "none", "One weight per element of x; default: 1.">,
                    Tenon_Parameter<"minlength", "int", "0", "Minimum size of the result if `length` is omitted.">,
                    Tenon_Parameter<"length", "size", "none", "Size of the result; default: max(x) + 1.">];
}
def Tenon_Histogram : Tenon_Composite<"histogram"> {
  let category = "reduction";
  let summary = "Histogram of x: the number of elements in each bin, and the bin edges.";
  let description = [{`bins` is a number of bins of equal width, or their increasing edges, of rank 1. Bin i is
    [edges[i], edges[i + 1]); the last bin includes its upper edge. Elements outside and NaNs are ignored. Counts
    are i64, sums of `weights` have the dtype of the weights, a density is floating.}];
  let example = "auto [counts, edges] = histogram(x, 20, {0.0f, 1.0f});";
  let arguments = (ins Tenon_Tensor:$x);
  let returns = "Histogram";
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"bins", "operand", "", "Number of bins, or their edges.">,
    Tenon_Parameter<"range", "operand", "none", "First and last edge if `bins` is a number; default: min(x), max(x).">,
    Tenon_Parameter<"weights", "operand", "none", "One weight per element of x; default: 1.">,
    Tenon_Parameter<"density", "bool", "false", "Normalizes the histogram to an integral of 1.">];
}

def Tenon_Histogram2d : Tenon_Composite<"histogram2d"> {
  let category = "reduction";
  let summary = "Histogram of the points (x, y): the number of points in each cell of a grid, and the edges of its bins along both axes.";
  let description = [{Bins and their edges are those of `histogram`. A point outside of the grid, or with a NaN, is
    ignored. Counts are i64, sums of `weights` have the dtype of the weights, a density is floating.}];
  let example = "auto [counts, x_edges, y_edges] = histogram2d(x, y, 10, {0.0f, 1.0f, 4.0f});";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$y);
  let returns = "Histogram2d";
  let referenceUlp = 16;
  let options = "Histogram2dOptions";
  let isByName = 1;
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"y", "operand", "", "Of the shape of x.">,
    Tenon_Parameter<"x_bins", "operand", "", "Number of bins along x, the first axis of the counts, or their edges.">,
    Tenon_Parameter<"y_bins", "operand", "", "The same along y.">,
    Tenon_Parameter<"x_range", "operand", "none", "First and last edge if `x_bins` is a number; default: min(x), max(x).">,
    Tenon_Parameter<"y_range", "operand", "none", "The same along y.">,
    Tenon_Parameter<"weights", "operand", "none", "One weight per point; default: 1.">,
    Tenon_Parameter<"density", "bool", "false", "Normalizes the histogram to an integral of 1.">];
}

#endif // TENON_SEARCH_COMPOSITES
