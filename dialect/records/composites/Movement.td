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
  let summary = "x with new axes of size 1 at the places `axes` of the result: a view.";
  let example = "Array column = expand_dims(x, -1); // f32[3] becomes f32[3, 1]";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axes", "ints", "", "Places in the result, from 0 on or from -1 back.">];
}
def Tenon_Squeeze : Tenon_Reshaping<"squeeze"> {
  let summary = "x without the given axes, whose size is 1; left out: without all axes of size 1. A view.";
  let description = [{A size that is a symbol is not 1.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axes", "axes", "none", "Axes of size 1; left out: all of them.">];
}
def Tenon_Flip : Tenon_Reshaping<"flip"> {
  let summary = "x with its elements in reverse order along the given axes, all by default: a view.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_AxesParameter];
}
def Tenon_Moveaxis : Tenon_Reshaping<"moveaxis"> {
  let summary = "x with the axes `source` at the places `destination`; the others keep their order. A view.";
  let example = "Array channels_last = moveaxis(images, 1, -1);";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"source", "ints", "", "Axes of x.">,
                    Tenon_Parameter<"destination", "ints", "", "Where each of them is in the result.">];
}
def Tenon_Swapaxes : Tenon_Reshaping<"swapaxes"> {
  let summary = "x with two axes exchanged: a view.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis1", "axis">, Tenon_Parameter<"axis2", "axis">];
}
def Tenon_PermuteDims : Tenon_Reshaping<"permute_dims"> {
  let summary = "Axis i of the result is axis axes[i] of x: `transpose`, as the array API names it. A view.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axes", "ints", "", "All axes of x.">];
  let door = "expression";
  let expression = "transpose(x, axes)";
}
def Tenon_MatrixTranspose : Tenon_Reshaping<"matrix_transpose"> {
  let summary = "x with its last two axes exchanged: each matrix of a stack transposed. A view.";
}
def Tenon_Rot90 : Tenon_Reshaping<"rot90"> {
  let summary = "x turned by 90 degrees, `k` times, from the first of two axes towards the second: a view.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"k", "int", "1">,
                    Tenon_Parameter<"axes", "axes", "none", "Two axes; left out: 0 and 1.">];
}
def Tenon_Diagonal : Tenon_Reshaping<"diagonal"> {
  let summary = "The elements x[..., i, i + offset] of two axes, as a last axis: a view.";
  let description = [{Of sizes that are symbols it must be known which diagonal's end comes first; the elements are then
    copied.}];
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"offset", "int", "0", "Above the main diagonal; below it where negative.">,
                    Tenon_Parameter<"axis1", "axis", "0">, Tenon_Parameter<"axis2", "axis", "1">];
}
def Tenon_BroadcastArrays : Tenon_Joining<"broadcast_arrays"> {
  let summary = "The arrays, each broadcast to the shape of all: views.";
  let returns = "std::vector<Array>";
}

//===----------------------------------------------------------------------===//
// The same elements in another shape
//===----------------------------------------------------------------------===//

def Tenon_Ravel : Tenon_Reshaping<"ravel"> {
  let summary = "The elements of x, row-major, along one axis; a view where they lie so.";
  let door = "expression";
  let expression = "reshape(x, {-1})";
}
def Tenon_Flatten : Tenon_Reshaping<"flatten"> {
  let summary = "`ravel` under another name: an array never changes, so that nobody needs a copy.";
  let door = "expression";
  let expression = "reshape(x, {-1})";
}
def Tenon_Atleast1d : Tenon_Reshaping<"atleast_1d"> {
  let summary = "x with one axis at least: of a single element [e].";
}
def Tenon_Atleast2d : Tenon_Reshaping<"atleast_2d"> {
  let summary = "x with two axes at least: one of size 1 stands in front of a single axis.";
}
def Tenon_Atleast3d : Tenon_Reshaping<"atleast_3d"> {
  let summary = "x with three axes at least: [n] becomes [1, n, 1], [m, n] becomes [m, n, 1].";
}

//===----------------------------------------------------------------------===//
// Several arrays as one, and the other way round
//===----------------------------------------------------------------------===//

def Tenon_Concat : Tenon_Alias<"concat", Tenon_ConcatenateOp, "concatenate(xs, axis, at)">;
def Tenon_Stack : Tenon_Joining<"stack"> {
  let summary = "Arrays of one shape along a new axis, which is at `axis` of the result.";
  let description = [{Arrays of several dtypes are promoted to one.}];
  let parameters = [Tenon_Parameter<"xs", "arrays">, Tenon_Parameter<"axis", "axis", "0">];
}
def Tenon_Unstack : Tenon_Reshaping<"unstack"> {
  let summary = "The parts x[0], x[1], ... along `axis`, without that axis: views.";
  let example = "std::vector<Array> rgb = unstack(image, -1);";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "0", "An axis whose size is no symbol.">];
  let returns = "std::vector<Array>";
}
def Tenon_Vstack : Tenon_Joining<"vstack"> {
  let summary = "Arrays below each other: along axis 0, those of one axis as rows.";
}
def Tenon_Hstack : Tenon_Joining<"hstack"> {
  let summary = "Arrays beside each other: along axis 1, those of one axis along it.";
}

//===----------------------------------------------------------------------===//
// Elements at other places, or several times
//===----------------------------------------------------------------------===//

def Tenon_Roll : Tenon_Reshaping<"roll"> {
  let summary = "x with its elements moved by `shift` places along the given axes; what leaves at an end enters at the other.";
  let description = [{Without axes x is rolled as if it were flat. One shift serves all axes.}];
  let example = "Array next = roll(cells, {1, 0}, {0, 1});";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"shift", "ints", "", "Of each axis; it may be negative.">,
                    Tenon_Parameter<"axes", "ints", "none", "Axes; left out: x is flattened, and has its shape again.">];
}
def Tenon_Repeat : Tenon_Reshaping<"repeat"> {
  let summary = "Each element along `axis` several times, one after another.";
  let description = [{`repeats` is a number, or an integer array of one count for each element. Counts decide the size of
    the result: their values must be known, so that an array of them cannot be an argument of jit or vmap.}];
  let example = "Array spelled = repeat(letters, Array{3, 0, 1}); // {a, b, c} becomes {a, a, a, c}";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"repeats", "operand", "", "Integers >= 0.">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; left out: x is flattened.">];
}
def Tenon_Tile : Tenon_Reshaping<"tile"> {
  let summary = "x several times beside itself, along each axis as often as `repetitions` say.";
  let description = [{The last repetition is that of the last axis; of those that are missing, on either side, there is
    one, or an axis of size 1.}];
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"repetitions", "ints", "", "Counts >= 0.">];
}
def Tenon_PadMode : Tenon_Reshaping<"pad_mode"> {
  let summary = "x with elements of its own before and after each axis: NumPy's `pad` for all modes but constant.";
  let description = [{Of the axis [a b c] `edge` makes a a [a b c] c c, `reflect` c b [a b c] b a, `symmetric`
    b a [a b c] c b, and `wrap` b c [a b c] a b. `pad` puts a number there.}];
  let example = "Array y = pad_mode(image, {1, 1}, {1, 1}, \"reflect\");";
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"low", "shape", "", "How many to put before, along each axis.">,
                    Tenon_Parameter<"high", "shape", "", "How many after.">,
                    Tenon_Parameter<"mode", "text", "", "`edge`, `reflect`, `symmetric` or `wrap`.">];
}

//===----------------------------------------------------------------------===//
// NumPy's other names and forms
//===----------------------------------------------------------------------===//

def Tenon_Fliplr : Tenon_Reshaping<"fliplr"> {
  let summary = "x with its columns in reverse order: flip(x, 1). A view.";
  let door = "expression";
  let expression = "flip(x, 1)";
}
def Tenon_Flipud : Tenon_Reshaping<"flipud"> {
  let summary = "x with its rows in reverse order: flip(x, 0). A view.";
  let door = "expression";
  let expression = "flip(x, 0)";
}
def Tenon_Rollaxis : Tenon_Reshaping<"rollaxis"> {
  let summary = "x with `axis` moved before the axis that is at `start`; the others keep their order. A view.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"axis", "axis">,
                    Tenon_Parameter<"start", "int", "0", "From 0 to the rank, or from -1 back.">];
}
def Tenon_Dstack : Tenon_Joining<"dstack"> {
  let summary = "Arrays behind each other: along axis 2, with three axes at least (atleast_3d).";
}
def Tenon_ColumnStack : Tenon_Joining<"column_stack"> {
  let summary = "Arrays beside each other: along axis 1, those of one axis as columns.";
}
class Tenon_EvenSplit<string name> : Tenon_Reshaping<name> {
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"sections", "int", "", "How many parts.">];
  let description = [{The size of the axis is known. `split` takes the sizes of parts.}];
  let returns = "std::vector<Array>";
}
def Tenon_ArraySplit : Tenon_EvenSplit<"array_split"> {
  let summary = "x cut along `axis` into `sections` parts; where they cannot be equal, the first ones are longer by one.";
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"sections", "int", "", "How many parts.">,
                    Tenon_Parameter<"axis", "axis", "0">];
}
def Tenon_Hsplit : Tenon_EvenSplit<"hsplit"> { let summary = "x cut along axis 1, or its only one, into equal parts."; }
def Tenon_Vsplit : Tenon_EvenSplit<"vsplit"> { let summary = "x, of rank 2 or more, cut along axis 0 into equal parts."; }
def Tenon_Dsplit : Tenon_EvenSplit<"dsplit"> { let summary = "x, of rank 3 or more, cut along axis 2 into equal parts."; }

#endif // TENON_MOVEMENT_COMPOSITES
