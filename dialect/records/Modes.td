//===- Modes.td - the enums of parameters ----------------------------------------===//
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef TENON_MODES
#define TENON_MODES

include "Base.td"

// The attribute `mode` of gathers and scatters is the name of one of these.
def Tenon_IndexModeEnum : Tenon_Enum<"IndexMode", "How an index out of range is treated.", [
  Tenon_Value<"error", "an Error with index, axis and size; nothing is updated">,
  Tenon_Value<"clip", "the first or last element">,
  Tenon_Value<"wrap", "the element at the index modulo the axis's size">,
  Tenon_Value<"drop", "updates skip the index; reads return the fill value">,
  Tenon_Value<"fill", "alias of drop", "drop">]>;

def Tenon_PadModeEnum : Tenon_Enum<"PadMode", "What pad_mode fills the new elements with; examples for [1 2 3].", [
  Tenon_Value<"edge", "the first or last element: 1 1 [1 2 3] 3 3">,
  Tenon_Value<"reflect", "mirrored at the edge element: 3 2 [1 2 3] 2 1">,
  Tenon_Value<"symmetric", "mirrored, with the edge element repeated: 2 1 [1 2 3] 3 2">,
  Tenon_Value<"wrap", "from the other end: 2 3 [1 2 3] 1 2">]>;

def Tenon_TrimEnum : Tenon_Enum<"Trim", "Which zeros trim_zeros removes.", [
  Tenon_Value<"both", "leading and trailing zeros">, Tenon_Value<"front", "leading zeros">,
  Tenon_Value<"back", "trailing zeros">]>;

def Tenon_GridIndexingEnum : Tenon_Enum<"GridIndexing", "Order of the first two axes of meshgrid's results.", [
  Tenon_Value<"xy", "Cartesian: axis 0 is that of the second array, axis 1 that of the first">,
  Tenon_Value<"ij", "matrix: axis i is that of array i">]>;

def Tenon_SideEnum : Tenon_Enum<"Side", "Which position searchsorted returns among equal elements.", [
  Tenon_Value<"left", "before the first equal element">, Tenon_Value<"right", "after the last equal element">]>;

def Tenon_MatrixNormEnum : Tenon_Enum<"MatrixNorm", "The norm that matrix_norm computes.", [
  Tenon_Value<"frobenius", "square root of the sum of |x|^2">,
  Tenon_Value<"one", "largest sum of |x| over a column">,
  Tenon_Value<"minus_one", "smallest sum of |x| over a column">,
  Tenon_Value<"infinity", "largest sum of |x| over a row">,
  Tenon_Value<"minus_infinity", "smallest sum of |x| over a row">]>;

#endif // TENON_MODES
