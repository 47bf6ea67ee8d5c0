//===- Selection.td - functions that choose elements ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SELECTION_COMPOSITES
#define TENON_SELECTION_COMPOSITES

include "Base.td"

def Tenon_Take : Tenon_Composite<"take"> {
  let isMethod = 1;
  let category = "indexing";
  let summary = "Takes the elements of x at `indices` along `axis`; the axes of `indices` replace that axis.";
  let description = [{In modes `error` (NumPy's `raise`) and `wrap` negative indices count from the end. `clip` makes them
    0. `drop` gives 0 for every index out of range, negative ones included.}];
  let example = "Array next = take(ring, i + 1, 0, IndexMode::wrap);";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; default: x is flattened.">,
                    Tenon_Parameter<"mode", "IndexMode", "error", "How an index out of range is treated.">];
}
def Tenon_TakeAlongAxis : Tenon_Composite<"take_along_axis"> {
  let category = "indexing";
  let summary = "Takes elements of x along `axis` by an index array of the same rank, such as the result of `argsort`.";
  let description = [{`indices` has the sizes of x except along `axis`.}];
  let example = "Array sorted = take_along_axis(x, argsort(x), -1);";
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"axis", "axis", "-1">];
}

class Tenon_Selecting<string name> : Tenon_Composite<name> {
  let category = "indexing";
  let dtypes = ["any"];
}
def Tenon_PutAlongAxis : Tenon_Selecting<"put_along_axis"> {
  let summary = "Copy of x with `values` at the elements that `take_along_axis(x, indices, axis)` would take; the last value of an element wins.";
  let description = [{`indices` has the sizes of x except along `axis`; `values` are broadcast to its shape.
    Negative indices count from the end; an index out of range is an Error. NumPy changes x in place; Tenon returns
    a new array.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices, Tenon_Tensor:$values);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"values", "operand", "", "Values that the dtype of x can represent.">,
                    Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_Compress : Tenon_Selecting<"compress"> {
  let summary = "Slices of x along `axis` where `condition` is true.";
  let description = [{The condition has one axis and may be shorter than `axis`; the slices beyond its end are dropped. It
    decides the size of the result, so it cannot be an argument of jit or vmap.}];
  let arguments = (ins Tenon_Tensor:$condition, Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"condition", "operand">, Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; default: x is flattened.">];
}
def Tenon_Select : Tenon_Selecting<"select"> {
  let summary = "Selects each element from the choice of the first condition that is true, or `otherwise` if none is.";
  let description = [{There is one choice per condition. Choices are promoted to one dtype, and all arrays are
    broadcast to one shape.}];
  let example = "Array y = select({x < 0, x < 10}, {-x, x * x}, 100);";
  let dtypes = ["computed"];
  let arguments = (ins Variadic<Tenon_Tensor>:$choices);
  let parameters = [Tenon_Parameter<"conditions", "arrays">, Tenon_Parameter<"choices", "arrays">,
                    Tenon_Parameter<"otherwise", "number", "0">];
}
def Tenon_Choose : Tenon_Selecting<"choose"> {
  let summary = "Selects each element from the choice with number x.";
  let description = [{Choices are promoted to one dtype, and all arrays are broadcast to one shape. Negative numbers
    count from the last choice; a number out of range is an Error.}];
  let arguments = (ins Variadic<Tenon_Tensor>:$choices);
  let parameters = [Tenon_Parameter<"x", "operand", "", "Integers.">, Tenon_Parameter<"choices", "arrays">];
}
def Tenon_UnravelIndex : Tenon_Selecting<"unravel_index"> {
  let summary = "Converts indices into the flattened array to one index per axis of `shape`.";
  let description = [{An index out of range gives an index out of range along axis 0.}];
  let example = "std::vector<Array> at = unravel_index(argmax(x), x.shape());";
  let dtypes = ["integer"];
  let arguments = (ins Tenon_Tensor:$indices);
  let parameters = [Tenon_Parameter<"indices", "operand">, Tenon_ShapeParameter];
  let returns = "std::vector<Array>";
}
def Tenon_RavelMultiIndex : Tenon_Selecting<"ravel_multi_index"> {
  let summary = "Converts one index per axis of `shape` to indices into the flattened array.";
  let description = [{The index arrays are broadcast to one shape. Indices out of range are not detected.}];
  let dtypes = ["integer"];
  let arguments = (ins Variadic<Tenon_Tensor>:$indices);
  let parameters = [Tenon_Parameter<"indices", "arrays">, Tenon_ShapeParameter];
}

class Tenon_Segment<string name> : Tenon_Selecting<name> {
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$data, Tenon_Tensor:$segment_ids);
  let parameters = [Tenon_Parameter<"data", "operand">,
                    Tenon_Parameter<"segment_ids", "operand", "", "Integers; their shape is that of the leading axes of `data`.">,
                    Tenon_Parameter<"num_segments", "size", "", "Number of segments: the size of axis 0 of the result.">];
}
defvar segmentIds = [{Ids need not be sorted. Slices whose id is not in [0, num_segments) are ignored, as in JAX.}];
def Tenon_SegmentSum : Tenon_Segment<"segment_sum"> {
  let summary = "Sums the slices of `data` that have the same id in `segment_ids`; 0 for an empty segment.";
  let description = segmentIds;
  let example = "Array degree = segment_sum(ones({edges}), target, nodes);";
  let referenceUlp = 4;
}
def Tenon_SegmentProd : Tenon_Segment<"segment_prod"> {
  let summary = "Multiplies the slices of `data` that have the same id in `segment_ids`; 1 for an empty segment.";
  let description = segmentIds;
  let referenceUlp = 4;
}
def Tenon_SegmentMax : Tenon_Segment<"segment_max"> {
  let summary = "Maximum of the slices of `data` that have the same id in `segment_ids`; the dtype's lowest value for an empty segment.";
  let description = segmentIds;
  let dtypes = ["ordered"];
}
def Tenon_SegmentMin : Tenon_Segment<"segment_min"> {
  let summary = "Minimum of the slices of `data` that have the same id in `segment_ids`; the dtype's highest value for an empty segment.";
  let description = segmentIds;
  let dtypes = ["ordered"];
}

#endif // TENON_SELECTION_COMPOSITES
