//===- Indexing.td - elements at places that arrays say --------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers, scatters and slices at places known when they run, as StableHLO has them:
// the indices' last axis holds an index for each axis in the map, the window begins
// there. What a start outside means is the attribute `mode`.
//===----------------------------------------------------------------------===//
#ifndef TENON_INDEXING
#define TENON_INDEXING

include "Base.td"

class Tenon_Indexing<string mnemonic, int number, list<Trait> traits = []>
    : Tenon_Inferred<mnemonic, number, !listconcat(traits, [Pure])> {
  let category = "indexing";
  let dtypes = ["any"];
  let results = (outs Tenon_Tensor:$result);
}

def Tenon_GatherOp : Tenon_Indexing<"gather", 100> {
  let summary = "Windows of x, each where a row of `indices` says: StableHLO's gather.";
  let description = [{
    `indices` is an array of integers; its last axis holds a start for each axis of x in `start_index_map` (along the
    others windows start at 0). A window has `slice_sizes` elements along the axes of x; those in `collapsed_slice_dims`
    are of one element and dropped. The result has the axes of `indices` but the last, and the windows' axes at
    `offset_dims`. Along `operand_batching_dims` x is indexed by the place in axis `start_indices_batching_dims` of
    `indices`.

    A window that is not inside of x is moved inside (`mode` "clip"), has `fill_value` where it is outside ("fill"), or
    is an Error ("error"), for which a start below 0 counts from the axis' end. A window that is longer than x, of an
    axis without elements, is `fill_value` in both other modes.}];
  let example = "Array rows = gather(x, reshape(ids, {-1, 1}), {1, 8}, {1}, {0}, {0}); // x[ids] of x[n, 8]";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices, Tenon_Dims:$slice_sizes,
                   Variadic<Index>:$slice_sizes_sizes, Tenon_Ints:$offset_dims, Tenon_Ints:$collapsed_slice_dims,
                   Tenon_Ints:$start_index_map, Tenon_Ints:$operand_batching_dims,
                   Tenon_Ints:$start_indices_batching_dims, Tenon_String:$mode, Tenon_Scalar:$fill_value);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
    Tenon_Parameter<"slice_sizes", "shape", "", "The sizes of a window, one for each axis of x.">,
    Tenon_Parameter<"offset_dims", "ints", "", "Where the windows' axes are in the result, ascending.">,
    Tenon_Parameter<"collapsed_slice_dims", "ints", "", "Axes of x that the result has not, ascending.">,
    Tenon_Parameter<"start_index_map", "ints", "", "The axis of x that each index is of.">,
    Tenon_Parameter<"operand_batching_dims", "ints", "none", "Axes of x, ascending; left out: none.">,
    Tenon_Parameter<"start_indices_batching_dims", "ints", "none", "As many axes of indices.">,
    Tenon_Parameter<"mode", "text", "clip", "`clip`, `fill` or `error`.">,
    Tenon_Parameter<"fill_value", "number", "none", "What is where x is not; left out: 0.">];
  let needs = ["indices"];
  let linearIn = [["x"]];
  let constantTerm = "fill_value";
}

// What becomes of the element that is there and an update.
class Tenon_Scatter<string mnemonic, int number> : Tenon_Indexing<mnemonic, number> {
  let description = [{
    The windows of `updates` go where `gather` would read them: `update_window_dims` are the windows' axes in `updates`,
    `inserted_window_dims` the axes of x that they lack, `scatter_dims_to_operand_dims` the axis of x that each index is
    of; `input_batching_dims` and `scatter_indices_batching_dims` are as in `gather`. Updates of one element are applied
    in the order of `indices`.

    A window that is not inside of x is moved inside (`mode` "clip"), is left out where it is outside ("drop"), or is an
    Error ("error"), before anything is written; there a start below 0 counts from the axis' end.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices, Tenon_Tensor:$updates, Tenon_Ints:$update_window_dims,
                   Tenon_Ints:$inserted_window_dims, Tenon_Ints:$scatter_dims_to_operand_dims,
                   Tenon_Ints:$input_batching_dims, Tenon_Ints:$scatter_indices_batching_dims, Tenon_String:$mode);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
    Tenon_Parameter<"updates", "operand", "", "Of x's dtype.">,
    Tenon_Parameter<"update_window_dims", "ints", "", "The windows' axes in updates, ascending.">,
    Tenon_Parameter<"inserted_window_dims", "ints", "", "Axes of x that a window lacks, ascending.">,
    Tenon_Parameter<"scatter_dims_to_operand_dims", "ints", "", "The axis of x that each index is of.">,
    Tenon_Parameter<"input_batching_dims", "ints", "none", "Axes of x, ascending; left out: none.">,
    Tenon_Parameter<"scatter_indices_batching_dims", "ints", "none", "As many axes of indices.">,
    Tenon_Parameter<"mode", "text", "drop", "`clip`, `drop` or `error`.">];
  let door = "scatter";
  let shapeRule = "inferScatter";
  let batch = "batchScatter";
  let updated = "x";
}
def Tenon_ScatterOp : Tenon_Scatter<"scatter", 101> {
  let summary = "x with elements replaced by those of `updates`, where `indices` say; the last one stays.";
  let needs = ["indices"];
  let linearIn = [["x", "updates"]];
}
def Tenon_ScatterAddOp : Tenon_Scatter<"scatter_add", 102> {
  let summary = "x with `updates` added where `indices` say, one after another.";
  let dtypes = ["numeric"];
  let needs = ["indices"];
  let linearIn = [["x", "updates"]];
}
def Tenon_ScatterMulOp : Tenon_Scatter<"scatter_mul", 103> {
  let summary = "x multiplied by `updates` where `indices` say, one after another.";
  let dtypes = ["numeric"];
  let needs = ["x", "indices", "updates"];
}
def Tenon_ScatterMinOp : Tenon_Scatter<"scatter_min", 104> {
  let summary = "The smaller of x and each of `updates` where `indices` say; NaN propagates.";
  let dtypes = ["ordered"];
  let vjp = "vjpScatterExtremum";
  let needs = ["x", "indices", "updates", "result"];
}
def Tenon_ScatterMaxOp : Tenon_Scatter<"scatter_max", 105> {
  let summary = "The larger of x and each of `updates` where `indices` say; NaN propagates.";
  let dtypes = ["ordered"];
  let vjp = "vjpScatterExtremum";
  let needs = ["x", "indices", "updates", "result"];
}

def Tenon_DynamicSliceOp : Tenon_Indexing<"dynamic_slice", 106, [AttrSizedOperandSegments]> {
  let summary = "The part of x of `slice_sizes` that begins at `start_indices`, an integer of rank 0 for each axis.";
  let description = [{A start from which the part is not inside of x is moved, as in StableHLO.}];
  let arguments = (ins Tenon_Tensor:$x, Variadic<Tenon_Tensor>:$start_indices, Tenon_Dims:$slice_sizes,
                   Variadic<Index>:$slice_sizes_sizes);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"start_indices", "arrays", "", "Integers of rank 0, one for each axis.">,
                    Tenon_Parameter<"slice_sizes", "shape", "", "The result's sizes.">];
  let needs = ["start_indices"];
  let linearIn = [["x"]];
}
def Tenon_DynamicUpdateSliceOp : Tenon_Indexing<"dynamic_update_slice", 107> {
  let summary = "x with the part that begins at `start_indices`, an integer of rank 0 for each axis, replaced by `update`.";
  let description = [{A start from which `update` is not inside of x is moved, as in StableHLO.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$update, Variadic<Tenon_Tensor>:$start_indices);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"update", "operand", "", "Of x's rank and dtype.">,
                    Tenon_Parameter<"start_indices", "arrays", "", "Integers of rank 0, one for each axis.">];
  let needs = ["start_indices"];
  let linearIn = [["x", "update"]];
  let updated = "x";
}

#endif // TENON_INDEXING
