//===- Edits.td - arrays with parts put in, taken out and replaced --------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array never changes: where NumPy changes its operand, the result is what the
// operand would become.
#ifndef TENON_EDIT_COMPOSITES
#define TENON_EDIT_COMPOSITES

include "Sorting.td"

class Tenon_Edit<string name, string place> : Tenon_Composite<name> {
  let category = place;
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x);
}
defvar editedAxis = Tenon_Parameter<"axis", "axis", "none", "The axis; default: all arrays are flattened.">;

def Tenon_Append : Tenon_Edit<"append", "manipulation"> {
  let summary = "Appends `values` to x along `axis`.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$values);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"values", "operand">, editedAxis];
}
def Tenon_Insert : Tenon_Edit<"insert", "manipulation"> {
  let summary = "Inserts `values` along `axis`, before the elements at `indices` of x.";
  let description = [{Indices range from 0 to the size of the axis (which appends), or count from the end if
    negative. Values are converted to the dtype of x. With one index, `values` have the rank of x and any size along
    the axis, or are broadcast to a slice of x without that axis; with several indices, there is one value per
    index, after broadcasting. Values at equal indices keep their order. Along an axis of symbolic size, indices
    must not be negative.}];
  let example = "Array y = insert(x, 1, 9.0f); // [1, 2] becomes [1, 9, 2]";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$values);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "ints">,
                    Tenon_Parameter<"values", "operand">, editedAxis];
}
def Tenon_Delete : Tenon_Edit<"delete", "manipulation"> {
  let summary = "Copy of x without the slices at `indices` along `axis`.";
  let description = [{Negative indices count from the end. An index may be repeated; one out of range is an Error.
    Along an axis of symbolic size, indices must not be negative.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "ints">, editedAxis];
}
def Tenon_Resize : Tenon_Edit<"resize", "manipulation"> {
  let summary = "Array of the given shape filled with the elements of x in row-major order, repeated if there are too few.";
  let description = [{If x has no elements, the result is zeros.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_ShapeParameter];
}
def Tenon_TrimZeros : Tenon_Edit<"trim_zeros", "manipulation"> {
  let summary = "Removes leading and trailing zeros. For several axes, the smallest block that contains all non-zero elements.";
  let description = [{The size of the result depends on the elements, so x cannot be an argument of jit or vmap.}];
  let dtypes = ["computed"];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"trim", "Trim", "both", "`front`: leading, `back`: trailing zeros.">];
}
def Tenon_FillDiagonal : Tenon_Edit<"fill_diagonal", "manipulation"> {
  let summary = "Copy of x whose main diagonal is replaced by `value`.";
  let description = [{If x has more than two axes, they must have equal sizes. If `value` is an array, its elements
    follow one another along the diagonal and repeat if there are too few. With `wrap`, the diagonal of a tall
    matrix starts again one row below its end. NumPy changes x in place; Tenon returns a new array.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$value);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"value", "operand">,
                    Tenon_Parameter<"wrap", "bool", "false">];
}
def Tenon_Put : Tenon_Edit<"put", "indexing"> {
  let summary = "Copy of x in which the elements at `indices` of the flattened array are replaced by `values`; the last value of an element wins.";
  let description = [{Values repeat if there are too few. Negative indices count from the end in modes `error` and `wrap`, and
    are out of range in modes `clip` and `drop`. NumPy changes x in place; Tenon returns a new array.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices, Tenon_Tensor:$values);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"values", "operand">, Tenon_Parameter<"mode", "IndexMode", "error", "How an index out of range is treated.">];
}
def Tenon_Place : Tenon_Edit<"place", "indexing"> {
  let summary = "Copy of x in which the elements where `mask` is true are replaced by `values`, in order; values repeat if there are too few.";
  let description = [{The mask has the shape of x. NumPy changes x in place; Tenon returns a new array.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$mask, Tenon_Tensor:$values);
}
def Tenon_Extract : Tenon_Edit<"extract", "indexing"> {
  let summary = "Elements of the flattened x where the flattened `condition` is true.";
  let description = [{Under jit the number of results must be given as `size`: additional elements are dropped, and
    missing ones are filled with `fill_value`.}];
  let arguments = (ins Tenon_Tensor:$condition, Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"condition", "operand", "", "Of the shape of x.">, Tenon_Parameter<"x", "operand">,
                    Tenon_SizeParameter, Tenon_Parameter<"fill_value", "number", "false">];
}

#endif // TENON_EDIT_COMPOSITES
