//===- Order.td - the first of an order, and sets of sorted elements ------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_ORDER_COMPOSITES
#define TENON_ORDER_COMPOSITES

include "Sorting.td"

class Tenon_Ordering<string name> : Tenon_Composite<name> {
  let category = "sorting";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x);
}
def Tenon_TopK : Tenon_Ordering<"top_k"> {
  let summary = "The `k` largest elements along `axis`, in descending order, and their indices (i32).";
  let description = [{Of equal elements the one with the lower index comes first; -0 and +0 are equal. NaN is the
    largest value. An axis with fewer than k elements is an Error; for a symbolic size, at the call.}];
  let example = "auto [values, indices] = top_k(logits, 5);";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"k", "int", "", "Number of elements.">,
                    Tenon_Parameter<"axis", "axis", "-1">];
  let returns = "TopK";
}
class Tenon_Partitioning<string name> : Tenon_Ordering<name> {
  let description = [{Elements before `kth` are not greater, and elements after it are not less; NaN counts as the
    largest value. The implementation sorts all elements, which is a valid partition.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"kth", "int", "", "Position along the axis; negative counts from the end.">,
                    Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_Partition : Tenon_Partitioning<"partition"> {
  let summary = "Reorders the elements along `axis` so that the element at `kth` is the one that sorting would put there.";
}
def Tenon_Argpartition : Tenon_Partitioning<"argpartition"> {
  let summary = "Indices (i64) along `axis` that partition x: the element at `kth` is the one that sorting would put there.";
}

class Tenon_SetOfTwo<string name> : Tenon_Composite<name> {
  let category = "searching";
  let description = [{The result is sorted and one-dimensional, and contains each value once; each NaN counts as a
    distinct value, and -0 as 0. Under jit the number of values must be given as `size`: additional values are
    dropped, and missing ones are filled with `fill_value` (default: the first value, or 0 if there is none).}];
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "number", "none", "Fills the result; default: the first value.">];
}
def Tenon_Union1d : Tenon_SetOfTwo<"union1d"> { let summary = "Sorted union: the values in `x1` or `x2`."; }
def Tenon_Intersect1d : Tenon_SetOfTwo<"intersect1d"> { let summary = "Sorted intersection: the values in both `x1` and `x2`."; }
def Tenon_Setdiff1d : Tenon_SetOfTwo<"setdiff1d"> { let summary = "Sorted difference: the values in `x1` that are not in `x2`."; }
def Tenon_Setxor1d : Tenon_SetOfTwo<"setxor1d"> { let summary = "Sorted symmetric difference: the values in exactly one of `x1` and `x2`."; }

#endif // TENON_ORDER_COMPOSITES
