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
  let summary = "The `k` largest elements along `axis`, the largest first, and their indices (i32).";
  let description = [{Of equal elements the one of the lower index comes first; NaN is the largest. -0 and +0 are equal.
    Fewer than k are an Error, of a symbol's size at the call.}];
  let example = "auto [values, indices] = top_k(logits, 5);";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"k", "int", "", "How many.">,
                    Tenon_Parameter<"axis", "axis", "-1">];
  let returns = "TopK";
}
class Tenon_Partitioning<string name> : Tenon_Ordering<name> {
  let description = [{What is before it is not greater, what is behind it is not less; NaN counts as largest. Here all
    elements are sorted, as a partition may be.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"kth", "int", "", "A place along the axis, from 0 on or from -1 back.">,
                    Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_Partition : Tenon_Partitioning<"partition"> {
  let summary = "The elements along `axis` in an order in which that at `kth` is where it is when they are sorted.";
}
def Tenon_Argpartition : Tenon_Partitioning<"argpartition"> {
  let summary = "The indices (i64) along `axis` of an order in which the element at `kth` is where it is when they are sorted.";
}

class Tenon_SetOfTwo<string name> : Tenon_Composite<name> {
  let category = "searching";
  let description = [{Ascending and flat, each value once; each NaN is a value of its own, and -0 is 0. Under jit the number
    of values must be said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`, by default the first
    one, or 0 where there is none.}];
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "number", "none", "A value; left out: the first one.">];
}
def Tenon_Union1d : Tenon_SetOfTwo<"union1d"> { let summary = "The values that x1 or x2 has."; }
def Tenon_Intersect1d : Tenon_SetOfTwo<"intersect1d"> { let summary = "The values that both x1 and x2 have."; }
def Tenon_Setdiff1d : Tenon_SetOfTwo<"setdiff1d"> { let summary = "The values that x1 has and x2 has not."; }
def Tenon_Setxor1d : Tenon_SetOfTwo<"setxor1d"> { let summary = "The values that just one of x1 and x2 has."; }

#endif // TENON_ORDER_COMPOSITES
