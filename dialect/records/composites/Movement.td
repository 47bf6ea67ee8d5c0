//===- Movement.td - functions that give arrays another shape -------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_MOVEMENT_COMPOSITES
#define TENON_MOVEMENT_COMPOSITES

include "Shaped.td"

class Tenon_Reshaping<string name> : Tenon_Composite<name> {
  let category = "manipulation";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x);
}
class Tenon_Joining<string name> : Tenon_Reshaping<name> {
  let arguments = (ins Variadic<Tenon_Tensor>:$xs);
}

//===----------------------------------------------------------------------===//
// Axes that come, go and change places: views
//===----------------------------------------------------------------------===//

def Tenon_ExpandDims : Tenon_Reshaping<"expand_dims"> {
  let isMethod = 1;
  let summary = "View of x with new axes of size 1 at the positions `axes` of the result.";
  let example = "Array column = expand_dims(x, -1); // f32[3] becomes f32[3, 1]";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axes", "ints", "", "Positions in the result; negative counts from the end.">];
}
def Tenon_Squeeze : Tenon_Reshaping<"squeeze"> {
  let isMethod = 1;
  let summary = "View of x without the given axes, which must have size 1. Default: all axes of size 1.";
  let description = [{A symbolic size does not count as 1.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axes", "axes", "none", "Axes of size 1; default: all of them.">];
}
def Tenon_Flip : Tenon_Reshaping<"flip"> {
  let isMethod = 1;
  let summary = "View of x with the order of elements reversed along the given axes (default: all).";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter];
}
def Tenon_Moveaxis : Tenon_Reshaping<"moveaxis"> {
  let summary = "View of x with the axes `source` moved to the positions `destination`; the others keep their order.";
  let example = "Array channels_last = moveaxis(images, 1, -1);";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"source", "ints", "", "Axes of x.">,
                    Tenon_Parameter<"destination", "ints", "", "Their positions in the result.">];
}
def Tenon_Swapaxes : Tenon_Reshaping<"swapaxes"> {
  let isMethod = 1;
  let summary = "View of x with two axes exchanged.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis1", "axis">, Tenon_Parameter<"axis2", "axis">];
}
def Tenon_PermuteDims : Tenon_Reshaping<"permute_dims"> {
  let summary = "Permutes the axes of x: axis i of the result is axis `axes[i]` of x. The array API's name for `transpose`.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axes", "ints", "", "All axes of x.">];
  let door = "expression";
  let expression = "transpose(x, axes)";
}
def Tenon_MatrixTranspose : Tenon_Reshaping<"matrix_transpose"> {
  let summary = "Transposes each matrix: view of x with its last two axes exchanged.";
}
def Tenon_Rot90 : Tenon_Reshaping<"rot90"> {
  let summary = "View of x rotated `k` times by 90 degrees, from the first of two axes towards the second.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"k", "int", "1">,
                    Tenon_Parameter<"axes", "axes", "none", "Two axes; default: 0 and 1.">];
}
def Tenon_Diagonal : Tenon_Reshaping<"diagonal"> {
  let isMethod = 1;
  let summary = "Diagonal of two axes, `x[..., i, i + offset]`, as a view whose last axis is the diagonal.";
  let description = [{If the sizes are symbolic, it must be provable which axis ends the diagonal; the elements are
    then copied.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"offset", "int", "0", "Offset from the main diagonal; positive is above.">,
                    Tenon_Parameter<"axis1", "axis", "0">, Tenon_Parameter<"axis2", "axis", "1">];
}
def Tenon_BroadcastArrays : Tenon_Joining<"broadcast_arrays"> {
  let summary = "Broadcasts all arrays to one shape, as views.";
  let returns = "std::vector<Array>";
}

//===----------------------------------------------------------------------===//
// The same elements in another shape
//===----------------------------------------------------------------------===//

def Tenon_Ravel : Tenon_Reshaping<"ravel"> {
  let isMethod = 1;
  let summary = "Flattens x in row-major order; a view where the layout allows it.";
  let door = "expression";
  let expression = "reshape(x, {-1})";
}
def Tenon_Flatten : Tenon_Reshaping<"flatten"> {
  let isMethod = 1;
  let summary = "Flattens x in row-major order; the same as `ravel`, since arrays are immutable.";
  let door = "expression";
  let expression = "reshape(x, {-1})";
}
def Tenon_Atleast1d : Tenon_Reshaping<"atleast_1d"> {
  let summary = "Adds an axis to a rank-0 array; other arrays are returned unchanged.";
}
def Tenon_Atleast2d : Tenon_Reshaping<"atleast_2d"> {
  let summary = "Adds leading axes of size 1 until x has at least two axes.";
}
def Tenon_Atleast3d : Tenon_Reshaping<"atleast_3d"> {
  let summary = "Adds axes of size 1 until x has at least three: [n] becomes [1, n, 1], and [m, n] becomes [m, n, 1].";
}

//===----------------------------------------------------------------------===//
// Several arrays as one, and the other way round
//===----------------------------------------------------------------------===//

def Tenon_Concat : Tenon_Alias<"concat", Tenon_ConcatenateOp, "concatenate(xs, axis, at)">;
def Tenon_Stack : Tenon_Joining<"stack"> {
  let summary = "Joins arrays of one shape along a new axis at position `axis` of the result.";
  let description = [{Arrays of different dtypes are promoted to one.}];
  let parameters = [Tenon_Parameter<"xs", "arrays">, Tenon_Parameter<"axis", "axis", "0">];
}
def Tenon_Unstack : Tenon_Reshaping<"unstack"> {
  let summary = "Splits x along `axis` into views without that axis: x[0], x[1], ...";
  let example = "std::vector<Array> rgb = unstack(image, -1);";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "0", "An axis of known size.">];
  let returns = "std::vector<Array>";
}
def Tenon_Vstack : Tenon_Joining<"vstack"> {
  let summary = "Stacks arrays vertically: joins along axis 0, one-dimensional arrays as rows.";
}
def Tenon_Hstack : Tenon_Joining<"hstack"> {
  let summary = "Stacks arrays horizontally: joins along axis 1, or along axis 0 for one-dimensional arrays.";
}

//===----------------------------------------------------------------------===//
// Elements at other places, or several times
//===----------------------------------------------------------------------===//

def Tenon_Roll : Tenon_Reshaping<"roll"> {
  let isMethod = 1;
  let summary = "Shifts elements cyclically by `shift` positions along the given axes.";
  let description = [{Without axes, x is flattened, shifted and reshaped back. A single shift applies to all axes.}];
  let example = "Array next = roll(cells, {1, 0}, {0, 1});";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"shift", "ints", "", "Shift of each axis; may be negative.">,
                    Tenon_Parameter<"axes", "ints", "none", "Axes; default: x is flattened and reshaped back.">];
}
def Tenon_Repeat : Tenon_Reshaping<"repeat"> {
  let isMethod = 1;
  let summary = "Repeats each element along `axis`.";
  let description = [{`repeats` is a number, or an integer array with one count per element. The counts decide the
    size of the result, so an array of counts cannot be an argument of jit or vmap.}];
  let example = "Array spelled = repeat(letters, Array{3, 0, 1}); // {a, b, c} becomes {a, a, a, c}";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"repeats", "operand", "", "Non-negative integers.">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; default: x is flattened.">];
}
def Tenon_Tile : Tenon_Reshaping<"tile"> {
  let isMethod = 1;
  let summary = "Repeats the whole array `repetitions[i]` times along axis i.";
  let description = [{`repetitions` are aligned with the last axes; missing repetitions are 1, and missing axes of x
    have size 1.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"repetitions", "ints", "", "Non-negative counts.">];
}
def Tenon_PadMode : Tenon_Reshaping<"pad_mode"> {
  let summary = "Pads each axis with elements of x itself, as NumPy's `pad` does in all modes but constant.";
  let description = [{For the axis [a b c], `edge` gives a a [a b c] c c, `reflect` gives c b [a b c] b a,
    `symmetric` gives b a [a b c] c b, and `wrap` gives b c [a b c] a b. Use `pad` to pad with a constant.}];
  let example = "Array y = pad_mode(image, {1, 1}, {1, 1}, PadMode::reflect);";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"low", "shape", "", "Number of elements to add before each axis.">,
                    Tenon_Parameter<"high", "shape", "", "Number of elements to add after each axis.">,
                    Tenon_Parameter<"mode", "PadMode", "", "`edge`, `reflect`, `symmetric` or `wrap`.">];
}

//===----------------------------------------------------------------------===//
// NumPy's other names and forms
//===----------------------------------------------------------------------===//

def Tenon_Fliplr : Tenon_Reshaping<"fliplr"> {
  let summary = "View of x with its columns in reverse order, `flip(x, 1)`.";
  let door = "expression";
  let expression = "flip(x, 1)";
}
def Tenon_Flipud : Tenon_Reshaping<"flipud"> {
  let summary = "View of x with its rows in reverse order, `flip(x, 0)`.";
  let door = "expression";
  let expression = "flip(x, 0)";
}
def Tenon_Rollaxis : Tenon_Reshaping<"rollaxis"> {
  let summary = "View of x with `axis` moved before the axis at position `start`; the others keep their order.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis">,
                    Tenon_Parameter<"start", "int", "0", "From 0 to the rank; negative counts from the end.">];
}
def Tenon_Dstack : Tenon_Joining<"dstack"> {
  let summary = "Stacks arrays along axis 2, after `atleast_3d`.";
}
def Tenon_ColumnStack : Tenon_Joining<"column_stack"> {
  let summary = "Stacks one-dimensional arrays as columns; other arrays are joined along axis 1.";
}
class Tenon_EvenSplit<string name> : Tenon_Reshaping<name> {
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"sections", "int", "", "Number of parts.">];
  let description = [{The size of the axis must be known. `split` takes the sizes of the parts instead.}];
  let returns = "std::vector<Array>";
}
def Tenon_ArraySplit : Tenon_EvenSplit<"array_split"> {
  let summary = "Splits x along `axis` into `sections` parts; if the size is not divisible, the first parts are longer by one.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"sections", "int", "", "Number of parts.">,
                    Tenon_Parameter<"axis", "axis", "0">];
}
def Tenon_Hsplit : Tenon_EvenSplit<"hsplit"> { let summary = "Splits x into equal parts along axis 1, or along its only axis."; }
def Tenon_Vsplit : Tenon_EvenSplit<"vsplit"> { let summary = "Splits x, of rank 2 or more, into equal parts along axis 0."; }
def Tenon_Dsplit : Tenon_EvenSplit<"dsplit"> { let summary = "Splits x, of rank 3 or more, into equal parts along axis 2."; }

#endif // TENON_MOVEMENT_COMPOSITES
