//===- Search.td - places among sorted numbers, and counts ----------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SEARCH_COMPOSITES
#define TENON_SEARCH_COMPOSITES

include "Base.td"

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
  let example = "std::vector<Array> counts = histogram(x, 20, {0.0f, 1.0f});";
  let arguments = (ins Tenon_Tensor:$x);
  let returns = "std::vector<Array>";
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"bins", "operand", "", "Their number, or their edges.">,
    Tenon_Parameter<"range", "operand", "none", "The first and the last edge, where bins is a number; left out: min(x), max(x).">,
    Tenon_Parameter<"weights", "operand", "none", "Of x's shape; left out: each counts 1.">,
    Tenon_Parameter<"density", "bool", "false", "Whether the bins are divided by their widths and by the sum of all.">];
}

#endif // TENON_SEARCH_COMPOSITES
