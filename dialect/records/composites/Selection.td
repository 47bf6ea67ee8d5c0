//===- Selection.td - functions that choose elements ----------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENON_SELECTION_COMPOSITES
#define TENON_SELECTION_COMPOSITES

include "Base.td"

def Tenon_Take : Tenon_Composite<"take"> {
  let category = "indexing";
  let summary = "The elements of x at `indices` along `axis`; their axes stand where it does.";
  let description = [{An index outside is an Error; below 0 it counts from the end. The part of an update, `x.at`, has other modes.}];
  let dtypes = ["any"];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; left out: x is flattened.">];
}
def Tenon_TakeAlongAxis : Tenon_Composite<"take_along_axis"> {
  let category = "indexing";
  let summary = "Element by element of `indices`, what x has there along `axis`, at the same place along the other axes.";
  let description = [{`indices` has x's sizes but for that axis. What argsort gives sorts so.}];
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
  let summary = "x with `values` where take_along_axis(x, indices, axis) takes from; of one element's values the last stays.";
  let description = [{`indices` has x's sizes but for that axis; `values` are broadcast to its shape. An index outside is an
    Error; below 0 it counts from the end. NumPy's changes x in place.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices, Tenon_Tensor:$values);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
                    Tenon_Parameter<"values", "operand", "", "Of a dtype that x's holds.">,
                    Tenon_Parameter<"axis", "axis", "-1">];
}
def Tenon_Compress : Tenon_Selecting<"compress"> {
  let summary = "The parts of x along `axis` for which `condition` holds.";
  let description = [{The condition has one axis and may be shorter than that of x; what it does not name is left out. It
    decides the size of the result: its values must be known, so that it cannot be an argument of jit or vmap.}];
  let arguments = (ins Tenon_Tensor:$condition, Tenon_Tensor:$x);
  let parameters = [Tenon_Parameter<"condition", "operand">, Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"axis", "axis", "none", "The axis; left out: x is flattened.">];
}
def Tenon_Select : Tenon_Selecting<"select"> {
  let summary = "Element by element the choice of the first condition that holds, else `otherwise`.";
  let description = [{There is a choice for each condition. Choices are promoted to one dtype, and everything is broadcast to
    one shape.}];
  let example = "Array y = select({x < 0, x < 10}, {-x, x * x}, 100);";
  let dtypes = ["computed"];
  let arguments = (ins Variadic<Tenon_Tensor>:$choices);
  let parameters = [Tenon_Parameter<"conditions", "arrays">, Tenon_Parameter<"choices", "arrays">,
                    Tenon_Parameter<"otherwise", "number", "0">];
}
def Tenon_Choose : Tenon_Selecting<"choose"> {
  let summary = "Element by element the choice whose number x is.";
  let description = [{Choices are promoted to one dtype, and everything is broadcast to one shape. A number that no choice has
    is an Error; below 0 it counts from the last.}];
  let arguments = (ins Variadic<Tenon_Tensor>:$choices);
  let parameters = [Tenon_Parameter<"x", "operand", "", "Integers.">, Tenon_Parameter<"choices", "arrays">];
}
def Tenon_UnravelIndex : Tenon_Selecting<"unravel_index"> {
  let summary = "Places in an array of `shape` that is flattened, as an index along each axis.";
  let description = [{A place outside of the array is one outside along axis 0.}];
  let example = "std::vector<Array> at = unravel_index(argmax(x), x.shape());";
  let dtypes = ["integer"];
  let arguments = (ins Tenon_Tensor:$indices);
  let parameters = [Tenon_Parameter<"indices", "operand">, Tenon_ShapeParameter];
  let returns = "std::vector<Array>";
}
def Tenon_RavelMultiIndex : Tenon_Selecting<"ravel_multi_index"> {
  let summary = "An index along each axis of `shape` as places in the array that is flattened.";
  let description = [{The indices are broadcast to one shape. Whether they are inside is not looked at.}];
  let dtypes = ["integer"];
  let arguments = (ins Variadic<Tenon_Tensor>:$indices);
  let parameters = [Tenon_Parameter<"indices", "arrays">, Tenon_ShapeParameter];
}

class Tenon_Segment<string name> : Tenon_Selecting<name> {
  let dtypes = ["numeric"];
  let arguments = (ins Tenon_Tensor:$data, Tenon_Tensor:$segment_ids);
  let parameters = [Tenon_Parameter<"data", "operand">,
                    Tenon_Parameter<"segment_ids", "operand", "", "Integers, of the first sizes of data.">,
                    Tenon_Parameter<"num_segments", "size", "", "The result's first size.">];
}
defvar segmentIds = [{The segments need not be sorted; what has a number that no segment has is left out. As in JAX.}];
def Tenon_SegmentSum : Tenon_Segment<"segment_sum"> {
  let summary = "The sums of the parts of `data` that have one number in `segment_ids`, in their order; 0 where there are none.";
  let description = segmentIds;
  let example = "Array degree = segment_sum(ones({edges}), target, nodes);";
  let referenceUlp = 4;
}
def Tenon_SegmentProd : Tenon_Segment<"segment_prod"> {
  let summary = "The products of the parts of `data` that have one number in `segment_ids`; 1 where there are none.";
  let description = segmentIds;
  let referenceUlp = 4;
}
def Tenon_SegmentMax : Tenon_Segment<"segment_max"> {
  let summary = "The largest of the parts of `data` that have one number in `segment_ids`; the dtype's lowest where there are none.";
  let description = segmentIds;
  let dtypes = ["ordered"];
}
def Tenon_SegmentMin : Tenon_Segment<"segment_min"> {
  let summary = "The smallest of the parts of `data` that have one number in `segment_ids`; the dtype's highest where there are none.";
  let description = segmentIds;
  let dtypes = ["ordered"];
}

#endif // TENON_SELECTION_COMPOSITES
