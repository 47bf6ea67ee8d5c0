//===- Sorting.td - sorts ----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SORTING
#define TENON_SORTING

include "Base.td"

class Tenon_Sorting<string mnemonic, int number> : Tenon_Inferred<mnemonic, number, [Pure]> {
  let category = "sorting";
}
def Tenon_SizeParameter : Tenon_Parameter<"size", "size", "none", "Number of results; default: all of them. Required under jit.">;
defvar sortOrder = [{The sort is stable; -0 and +0 are equal. NaN comes last, in ascending and in descending order.
    Complex numbers are ordered by real part, then by imaginary part.}];

def Tenon_SortKeysOp : Tenon_Sorting<"sort_keys", 140> {
  let summary = "Sorts several arrays of one shape together along `axis`, by the first `keys` of them; the first array is the primary key.";
  let description = sortOrder;
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs, Tenon_Int:$axis, Tenon_Int:$keys, Tenon_Bool:$descending);
  let results = (outs Variadic<Tenon_Tensor>:$sorted);
  let parameters = [Tenon_Parameter<"xs", "arrays">, Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"keys", "int", "1">, Tenon_Parameter<"descending", "bool", "false">];
  let returns = "std::vector<Array>";
  let needs = ["xs"];
}
def Tenon_ArgsortOp : Tenon_Sorting<"argsort", 141> {
  let isMethod = 1;
  let summary = "Indices (i64) that sort x along `axis`.";
  let description = sortOrder;
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Int:$axis, Tenon_Bool:$descending);
  let results = (outs Tenon_Tensor:$indices);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis", "-1">,
                    Tenon_Parameter<"descending", "bool", "false">];
  let door = "attributes";
  let vjp = "zero";
}

def Tenon_FlatnonzeroOp : Tenon_Sorting<"flatnonzero", 142> {
  let category = "searching";
  let summary = "Indices (i64) into the flattened x of the elements that are non-zero (NaN counts as non-zero).";
  let description = [{Under jit the number of results must be given as `size`: additional elements are dropped, and
    missing ones are filled with `fill_value`.}];
  let example = "Array places = flatnonzero(x > 0, 8, -1); // under jit: at most 8 of them, then -1";
  let dtypes = ["boolean"];
  let promotion = "boolean";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$size, Variadic<Index>:$size_sizes, Tenon_Int:$fill_value,
                   Tenon_Int:$batching_dims);
  let results = (outs Tenon_Tensor:$places);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "int", "0", "Fills the result where there are fewer than `size`.">];
  let vjp = "zero";
}

#endif // TENON_SORTING
