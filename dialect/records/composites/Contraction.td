//===- Contraction.td - products of arrays --------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_CONTRACTION_COMPOSITES
#define TENON_CONTRACTION_COMPOSITES

include "Base.td"

defvar productDtype = Tenon_Parameter<"dtype", "dtype", "none", "The result's dtype, see `dot_general`; default: the promoted dtype of the arrays.">;

class Tenon_Product<string name> : Tenon_Composite<name> {
  let category = "contraction";
  let dtypes = ["computed"];
  let arguments = (ins Tenon_Tensor:$x1, Tenon_Tensor:$x2);
  let referenceUlp = 64;
}
def Tenon_Matmul : Tenon_Product<"matmul"> {
  let isMethod = 1;
  let summary = "Matrix product over the last two axes; leading axes broadcast.";
  let description = [{A rank-1 operand is treated as a row (left) or column (right) matrix, and that axis is removed
    from the result, as in NumPy. The result has the promoted dtype of both arrays; integers wrap, and bools give
    whether any pair is true. See `dot_general` for the order of summation and `dtype`:
    `matmul(x, w, i32)` of i8 arrays wraps at 32 bits.}];
  let dtypes = ["any"];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">, productDtype];
}
def Tenon_Einsum : Tenon_Composite<"einsum"> {
  let category = "contraction";
  let summary = "Einstein summation: products of the arrays, summed over the labels that the result lacks; NumPy's `einsum`.";
  let description = [{The equation has a letter for each axis of each array, as in `"bij,bjk->bik"`. A label in several
    arrays pairs their axes (a size of 1 broadcasts); one that an array has twice takes the diagonal; one that is not
    behind `->` is summed over. Without `->` the result has the labels that occur once, in alphabetical order. `...`
    stands for the axes that are not named; they broadcast, must be in the result, and come first without `->`.

    The result has the promoted dtype of the arrays: integers wrap, sums of bools are whether any is true, f8, f16 and
    bf16 are multiplied and summed in f32 and rounded once. With `dtype`, the product is computed in the wider of it
    and the promoted dtype, and the result is converted.

    Three or more arrays are multiplied pairwise, in the order that takes the fewest multiplications (of up to eight
    arrays the best order, of more a greedy one); under jit this asks for their sizes. Five arrays and more are given
    as a list, `einsum(equation, {x1, x2, x3, x4, x5})`.}];
  let example = "Array scores = einsum(\"bqd,bkd->bqk\", queries, keys);";
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
  let parameters = [Tenon_Parameter<"equation", "text">, Tenon_Parameter<"xs", "arrays">, productDtype];
  let overloads = [{/// The same of arrays in braces.
[[nodiscard]] inline Array einsum(std::string_view equation, std::initializer_list<Array> xs,
                                  std::optional<Dtype> dtype = {}, Location at = Location::current()) {
  return einsum(equation, Arrays(xs), dtype, at);
}
/// The same of one to four arrays, without braces.
[[nodiscard]] Array einsum(std::string_view equation, const Operand &x1, std::optional<Dtype> dtype = {});
[[nodiscard]] Array einsum(std::string_view equation, const Operand &x1, const Operand &x2,
                           std::optional<Dtype> dtype = {});
[[nodiscard]] Array einsum(std::string_view equation, const Operand &x1, const Operand &x2, const Operand &x3,
                           std::optional<Dtype> dtype = {});
[[nodiscard]] Array einsum(std::string_view equation, const Operand &x1, const Operand &x2, const Operand &x3,
                           const Operand &x4, std::optional<Dtype> dtype = {});}];
  let referenceUlp = 64;
}
def Tenon_MultiDot : Tenon_Composite<"multi_dot"> {
  let category = "contraction";
  let summary = "Matrix product of several arrays, in the order that takes the fewest multiplications; NumPy's `linalg.multi_dot`.";
  let description = [{The first array may be a vector, taken as a row, and the last one a vector, taken as a column; the
    others are matrices. Under jit of three or more arrays this asks for their sizes.}];
  let dtypes = ["any"];
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
  let parameters = [Tenon_Parameter<"xs", "arrays">];
  let referenceUlp = 64;
}
def Tenon_Matvec : Tenon_Product<"matvec"> {
  let summary = "Matrix times vector over the last axes, `sum(x1 * x2[..., None, :], -1)`; leading axes broadcast. NumPy's `matvec`.";
  let dtypes = ["any"];
}
def Tenon_Vecmat : Tenon_Product<"vecmat"> {
  let summary = "Vector times matrix over the last axes, `sum(conj(x1)[..., :, None] * x2, -2)`; leading axes broadcast. NumPy's `vecmat`.";
  let dtypes = ["any"];
}
def Tenon_Tensordot : Tenon_Product<"tensordot"> {
  let summary = "Tensor contraction: sums products over the given axes of both arrays. The remaining axes of `x1` come first, then those of `x2`.";
  let description = [{If only `axes` is given, it is a number n: the last n axes of `x1` and the first n of `x2` are
    contracted. With `axes2`, both are lists of axes. The result has the promoted dtype of both arrays, or `dtype`
    (`dot_general`); integers wrap.}];
  let dtypes = ["any"];
  let example = "Array y = tensordot(a, b, {1, 0}, {0, 1}); // a[3, 4, 5], b[4, 3, 2]: sums over 4 and 3, [5, 2]";
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"axes", "ints", "2", "Number of axes; with `axes2`, the axes of `x1`.">,
                    Tenon_Parameter<"axes2", "ints", "none", "Axes of `x2`; default: `axes` is a number.">,
                    productDtype];
}
def Tenon_Vecdot : Tenon_Product<"vecdot"> {
  let summary = "Vector dot product along `axis`, `sum(conj(x1) * x2)`; the other axes broadcast.";
  let description = [{The result has the promoted dtype of both arrays; integers wrap. Products of complex numbers are
    fused (`dot_general`), so the imaginary part of `vecdot(z, z)` may be a rounding error instead of 0.}];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"axis", "axis", "-1", "An axis of each array.">];
}
def Tenon_Outer : Tenon_Product<"outer"> {
  let summary = "Outer product of the flattened arrays, of shape (size of x1, size of x2).";
}
def Tenon_Inner : Tenon_Product<"inner"> {
  let summary = "Inner product over the last axes of both arrays. With a rank-0 array it is the ordinary product.";
  let dtypes = ["any"];
}
def Tenon_Dot : Tenon_Product<"dot"> {
  let isMethod = 1;
  let summary = "NumPy's `dot`: contracts the last axis of `x1` with the second-to-last axis of `x2`; for vectors and matrices it equals `matmul`.";
  let description = [{With a rank-0 array it is the ordinary product. Unlike `matmul`, `dot` does not broadcast
    leading axes.}];
  let dtypes = ["any"];
}
def Tenon_Kron : Tenon_Product<"kron"> {
  let summary = "Kronecker product: each element of `x1` is replaced by that element times `x2`.";
}
def Tenon_Cross : Tenon_Product<"cross"> {
  let summary = "Cross product of 3-element vectors along `axis`; the other axes broadcast.";
  let dtypes = ["numeric"];
  let parameters = [Tenon_Parameter<"x1", "operand">, Tenon_Parameter<"x2", "operand">,
                    Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_Trace : Tenon_Product<"trace"> {
  let isMethod = 1;
  let summary = "Sum along a diagonal of two axes, `sum(diagonal(x, offset, axis1, axis2), -1)`.";
  let arguments = (ins Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"offset", "int", "0">,
                    Tenon_Parameter<"axis1", "axis", "0">, Tenon_Parameter<"axis2", "axis", "1">];
  let door = "expression";
  let expression = "sum(diagonal(x, offset, axis1, axis2), -1)";
}

#endif // TENON_CONTRACTION_COMPOSITES
