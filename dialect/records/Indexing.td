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
  let summary = "Gathers windows of x whose start positions are the rows of `indices`, as StableHLO's gather.";
  let description = [{
    `indices` is an array of integers. Its last axis holds one start for each axis of x in `start_index_map`; along the
    other axes windows start at 0. A window has `slice_sizes[i]` elements along axis i of x; the axes in
    `collapsed_slice_dims` have one element and are removed. The result has the axes of `indices` except the last, and
    the remaining window axes at `offset_dims`. The axes `operand_batching_dims` of x are indexed by the position along
    the axes `start_indices_batching_dims` of `indices`.

    A window that is not inside x is moved inside (IndexMode::clip), filled with `fill_value` where it is outside
    (`drop`, or its alias `fill`), or an Error (`error`); in mode `error` a negative start counts from the end of the
    axis. A window along an axis without elements is filled with `fill_value` in modes `clip` and `drop`.}];
  let example = "Array rows = gather(x, reshape(ids, {-1, 1}), {1, 8}, {1}, {0}, {0}); // x[ids] of x[n, 8]";
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices, Tenon_Dims:$slice_sizes,
                   Variadic<Index>:$slice_sizes_sizes, Tenon_Ints:$offset_dims, Tenon_Ints:$collapsed_slice_dims,
                   Tenon_Ints:$start_index_map, Tenon_Ints:$operand_batching_dims,
                   Tenon_Ints:$start_indices_batching_dims, Tenon_String:$mode, Tenon_Scalar:$fill_value);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
    Tenon_Parameter<"slice_sizes", "shape", "", "Size of a window along each axis of x.">,
    Tenon_Parameter<"offset_dims", "ints", "", "Axes of the result that are window axes, increasing.">,
    Tenon_Parameter<"collapsed_slice_dims", "ints", "", "Axes of x of window size 1 that the result omits, increasing.">,
    Tenon_Parameter<"start_index_map", "ints", "", "The axis of x that each index refers to.">,
    Tenon_Parameter<"operand_batching_dims", "ints", "none", "Axes of x, increasing; default: none.">,
    Tenon_Parameter<"start_indices_batching_dims", "ints", "none", "The corresponding axes of `indices`.">,
    Tenon_Parameter<"mode", "IndexMode", "clip", "`clip`, `fill` (or `drop`) or `error`.">,
    Tenon_Parameter<"fill_value", "number", "none", "Value outside x in mode `fill`; default: 0.">];
  let needs = ["indices"];
  let linearIn = [["x"]];
  let constantTerm = "fill_value";
}

// What becomes of the element that is there and an update.
class Tenon_Scatter<string mnemonic, int number> : Tenon_Indexing<mnemonic, number> {
  let description = [{
    The windows of `updates` are written where `gather` would read them. `update_window_dims` are the window axes of
    `updates`, `inserted_window_dims` the axes of x that `updates` omits, and `scatter_dims_to_operand_dims` the axis of
    x that each index refers to; `input_batching_dims` and `scatter_indices_batching_dims` are as in `gather`. Several
    updates of one element are applied in the order of `indices`; sums and products of f16 and bf16 are rounded once, at
    the end.

    A window that is not inside x is moved inside (IndexMode::clip), ignored where it is outside (`drop`), or an Error
    (`error`) that is raised before anything is written; in mode `error` a negative start counts from the end.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$indices, Tenon_Tensor:$updates, Tenon_Ints:$update_window_dims,
                   Tenon_Ints:$inserted_window_dims, Tenon_Ints:$scatter_dims_to_operand_dims,
                   Tenon_Ints:$input_batching_dims, Tenon_Ints:$scatter_indices_batching_dims, Tenon_String:$mode);
  let parameters = [
    Tenon_Parameter<"x", "operand">, Tenon_Parameter<"indices", "operand", "", "Integers.">,
    Tenon_Parameter<"updates", "operand", "", "Updates, of the dtype of x.">,
    Tenon_Parameter<"update_window_dims", "ints", "", "Axes of `updates` that are window axes, increasing.">,
    Tenon_Parameter<"inserted_window_dims", "ints", "", "Axes of x that `updates` omits, increasing.">,
    Tenon_Parameter<"scatter_dims_to_operand_dims", "ints", "", "The axis of x that each index refers to.">,
    Tenon_Parameter<"input_batching_dims", "ints", "none", "Axes of x, increasing; default: none.">,
    Tenon_Parameter<"scatter_indices_batching_dims", "ints", "none", "The corresponding axes of `indices`.">,
    Tenon_Parameter<"mode", "IndexMode", "drop", "`clip`, `drop` or `error`.">];
  let door = "scatter";
  let shapeRule = "inferScatter";
  let batch = "batchScatter";
  let updated = "x";
}
def Tenon_ScatterOp : Tenon_Scatter<"scatter", 101> {
  let summary = "Replaces windows of x, at the positions in `indices`, by those of `updates`; the last update of an element wins.";
  let needs = ["indices"];
  let linearIn = [["x", "updates"]];
}
def Tenon_ScatterAddOp : Tenon_Scatter<"scatter_add", 102> {
  let summary = "Adds `updates` to windows of x at the positions in `indices`, in the order of `indices`.";
  let dtypes = ["numeric"];
  let needs = ["indices"];
  let linearIn = [["x", "updates"]];
}
def Tenon_ScatterMulOp : Tenon_Scatter<"scatter_mul", 103> {
  let summary = "Multiplies windows of x at the positions in `indices` by `updates`, in the order of `indices`.";
  let dtypes = ["numeric"];
  let needs = ["x", "indices", "updates"];
}
def Tenon_ScatterMinOp : Tenon_Scatter<"scatter_min", 104> {
  let summary = "Takes the minimum of windows of x, at the positions in `indices`, and `updates`. NaN propagates.";
  let dtypes = ["ordered"];
  let vjp = "vjpScatterExtremum";
  let needs = ["x", "indices", "updates", "result"];
}
def Tenon_ScatterMaxOp : Tenon_Scatter<"scatter_max", 105> {
  let summary = "Takes the maximum of windows of x, at the positions in `indices`, and `updates`. NaN propagates.";
  let dtypes = ["ordered"];
  let vjp = "vjpScatterExtremum";
  let needs = ["x", "indices", "updates", "result"];
}

def Tenon_DynamicSliceOp : Tenon_Indexing<"dynamic_slice", 106, [AttrSizedOperandSegments]> {
  let summary = "Slice of x with sizes `slice_sizes`, starting at `start_indices` (one rank-0 integer array per axis).";
  let description = [{A start that would put the slice outside x is clamped, as in StableHLO.}];
  let arguments = (ins Tenon_Tensor:$x, Variadic<Tenon_Tensor>:$start_indices, Tenon_Dims:$slice_sizes,
                   Variadic<Index>:$slice_sizes_sizes);
  let parameters = [Tenon_Parameter<"x", "operand">,
                    Tenon_Parameter<"start_indices", "arrays", "", "Rank-0 integers, one per axis.">,
                    Tenon_Parameter<"slice_sizes", "shape", "", "Sizes of the result.">];
  let needs = ["start_indices"];
  let linearIn = [["x"]];
}
def Tenon_DynamicUpdateSliceOp : Tenon_Indexing<"dynamic_update_slice", 107> {
  let summary = "Copy of x in which the slice starting at `start_indices` (one rank-0 integer array per axis) is replaced by `update`.";
  let description = [{A start that would put `update` outside x is clamped, as in StableHLO.}];
  let arguments = (ins Tenon_Tensor:$x, Tenon_Tensor:$update, Variadic<Tenon_Tensor>:$start_indices);
  let parameters = [Tenon_Parameter<"x", "operand">, Tenon_Parameter<"update", "operand", "", "The new slice, of the rank and dtype of x.">,
                    Tenon_Parameter<"start_indices", "arrays", "", "Rank-0 integers, one per axis.">];
  let needs = ["start_indices"];
  let linearIn = [["x", "update"]];
  let updated = "x";
}

#endif // TENON_INDEXING
