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
defvar editedAxis = Tenon_Parameter<"axis", "axis", "none", "The axis; left out: everything is flattened.">;

def Tenon_Append : Tenon_Edit<"append", "manipulation"> {
  let summary = "x and, behind it along `axis`, `values`.";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$values);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"values", "operand">, editedAxis];
}
def Tenon_Insert : Tenon_Edit<"insert", "manipulation"> {
  let summary = "x with `values` put in along `axis`, before the elements that are at `indices` in x.";
  let description = [{Indices go from 0 to the size of the axis, where that is behind the last element, or from -1 back. Values
    take the dtype of x. Beside one index they have x's rank, and any size along the axis, or are broadcast to a part of
    x without it; beside several there is one for each, and they are broadcast. Of equal indices the values keep
    their order. Where the size of the axis is a symbol, indices count from 0.}];
  let example = "Array y = insert(x, 1, 9.0f); // [1, 2] becomes [1, 9, 2]";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$values);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "ints">,
                    Tenon_Parameter<"values", "operand">, editedAxis];
}
def Tenon_Delete : Tenon_Edit<"delete", "manipulation"> {
  let summary = "x without the parts at `indices` along `axis`.";
  let description = [{Indices count from 0 on or from -1 back; an index may be named twice, and one outside is an Error. Where
    the size of the axis is a symbol, they count from 0.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "ints">, editedAxis];
}
def Tenon_Resize : Tenon_Edit<"resize", "manipulation"> {
  let summary = "The elements of x, row-major, in another shape: repeated from the first one on where they are too few.";
  let description = [{Of no elements zeros.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_ShapeParameter];
}
def Tenon_TrimZeros : Tenon_Edit<"trim_zeros", "manipulation"> {
  let summary = "x without the zeros at the ends of its axes: of several axes, the smallest part that has all else.";
  let description = [{The elements decide the size of the result: their values must be known, so that x cannot be an argument
    of jit or vmap.}];
  let dtypes = ["computed"];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"trim", "text", "fb", "`f`: in front, `b`: behind, `fb`: both.">];
}
def Tenon_FillDiagonal : Tenon_Edit<"fill_diagonal", "manipulation"> {
  let summary = "x with `value` where the indices along all axes are equal.";
  let description = [{Of more than two axes, which have one size. Of an array of values the elements follow one another
    along the diagonal, and begin again where they are too few. With `wrap` the diagonal of a matrix that is higher than wide
    begins again one row below its end. NumPy's changes x in place.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$value);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"value", "operand">,
                    Tenon_Parameter<"wrap", "bool", "false">];
}
def Tenon_Put : Tenon_Edit<"put", "indexing"> {
  let summary = "x with `values` at `indices` of the flattened array; of one element's values the last stays.";
  let description = [{Values that are too few begin again. An index outside is an Error ("error"; below 0 it counts from the
    end), is moved inside ("clip"), or counted round ("wrap"). NumPy's changes x in place.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices, Tenon_Tensor:$values);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"values", "operand">, Tenon_Parameter<"mode", "text", "error">];
}
def Tenon_Place : Tenon_Edit<"place", "indexing"> {
  let summary = "x with `values`, one after another, where `mask` holds; values that are too few begin again.";
  let description = [{The mask has x's shape. NumPy's changes x in place.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$mask, Tenon_Tensor:$values);
}
def Tenon_Extract : Tenon_Edit<"extract", "indexing"> {
  let summary = "The elements of the flattened x for which `condition`, flattened, holds.";
  let description = [{Under jit their number must be said: `size`. Of more, the first ones; of fewer, the rest is `fill_value`.}];
  let arguments = (ins Tenon_Tensor:$condition, Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"condition", "operand", "", "Of x's shape.">, Tenon_Parameter<"x", "operand">,
                    Tenon_SizeParameter, Tenon_Parameter<"fill_value", "number", "false">];
}

#endif // TENON_EDIT_COMPOSITES
