//===- Sorting.td - sorts ----------------------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SORTING
#define TENON_SORTING

include "Base.td"

class Tenon_Sorting<string mnemonic, int number> : Tenon_Inferred<mnemonic, number, [Pure]> {
  let category = "sorting";
}
def Tenon_SizeParameter : Tenon_Parameter<"size", "size", "none", "How many; left out: as many as there are.">;
defvar sortOrder = [{Stable: what is equal keeps its order, -0 and +0 are equal. NaN comes last, whether ascending or
    descending; complex numbers are ordered by their real parts, then by the imaginary ones.}];

def Tenon_SortKeysOp : Tenon_Sorting<"sort_keys", 140> {
  let summary = "The arrays, all of one shape, sorted together along `axis` by the first `keys` of them; the first decides most.";
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
  let summary = "The indices (i64) along `axis` that sort x.";
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
  let summary = "The places (i64) in the flattened x where it is true (not 0; NaN is true).";
  let description = [{Under jit their number must be said: `size`. Of more, the first ones; of fewer, the rest is
    `fill_value`.}];
  let example = "Array places = flatnonzero(x > 0, 8, -1); // under jit: at most 8 of them, then -1";
  let dtypes = ["boolean"];
  let promotion = "boolean";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Dims:$size, Variadic<Index>:$size_sizes, Tenon_Int:$fill_value,
                   Tenon_Int:$batching_dims);
  let results = (outs Tenon_Tensor:$places);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_SizeParameter,
                    Tenon_Parameter<"fill_value", "int", "0", "What is put where there are fewer than `size`.">];
  let vjp = "zero";
}

#endif // TENON_SORTING
