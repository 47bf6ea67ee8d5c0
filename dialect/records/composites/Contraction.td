//===- Contraction.td - products of arrays --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_CONTRACTION_COMPOSITES
#define TENON_CONTRACTION_COMPOSITES

include "Base.td"

class Tenon_Product<string name> : Tenon_Composite<name> {
  let category = "contraction";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let referenceUlp = 64;
}
def Tenon_Tensordot : Tenon_Product<"tensordot"> {
  let summary = "The sum of products over axes of both arrays; the other axes of x1 come first, then those of x2.";
  let description = [{`axes` alone is a number: so many last axes of x1 and first ones of x2. With `axes2` they are lists of
    axes, of x1 and of x2. The result has the dtype that both have after promotion; integers wrap.}];
  let example = "Array y = tensordot(a, b, {1, 0}, {0, 1}); // a[3, 4, 5], b[4, 3, 2]: sums over 4 and 3, [5, 2]";
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"axes", "ints", "2", "How many axes; with axes2: which axes of x1.">,
                    Tenon_Parameter<"axes2", "ints", "none", "Axes of x2; left out: `axes` is a number.">];
}
def Tenon_Vecdot : Tenon_Product<"vecdot"> {
  let summary = "The sum of conj(x1) * x2 along `axis`; the other axes broadcast.";
  let description = [{The result has the dtype that both have after promotion; integers wrap.}];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"axis", "axis", "-1", "An axis of each array.">];
}
def Tenon_Outer : Tenon_Product<"outer"> {
  let summary = "Each element of x1 times each of x2: a row for each of x1. Arrays are flattened.";
}
def Tenon_Inner : Tenon_Product<"inner"> {
  let summary = "The sum of products over the last axes of both arrays; beside an array of rank 0 the product.";
}
def Tenon_Dot : Tenon_Product<"dot"> {
  let summary = "NumPy's dot: over the last axis of x1 and the last but one of x2; of vectors and matrices it is matmul.";
  let description = [{Beside an array of rank 0 it is the product. `matmul` broadcasts leading axes, dot does not.}];
}
def Tenon_Kron : Tenon_Product<"kron"> {
  let summary = "The Kronecker product: x1 with each element replaced by it times x2.";
}
def Tenon_Cross : Tenon_Product<"cross"> {
  let summary = "The cross product of the vectors of three elements along `axis`; the other axes broadcast.";
  let dtypes = ["numeric"];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_Trace : Tenon_Product<"trace"> {
  let summary = "The sum of a diagonal of two axes: sum(diagonal(x, offset, axis1, axis2), -1).";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"offset", "int", "0">,
                    Tenon_Parameter<"axis1", "axis", "0">, Tenon_Parameter<"axis2", "axis", "1">];
  let door = "expression";
  let expression = "sum(diagonal(x, offset, axis1, axis2), -1)";
}

#endif // TENON_CONTRACTION_COMPOSITES
